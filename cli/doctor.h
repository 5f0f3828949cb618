// The short tests of `nacre doctor`. Each returns NC_OK, or a sentence about what went wrong.
#ifndef NC_CLI_DOCTOR_H
#define NC_CLI_DOCTOR_H

#include "nacre/nacre.h"

nc_code nc_doctor_oracle(nc_error *err);
nc_code nc_doctor_energy(nc_error *err);
nc_code nc_doctor_determinism(nc_error *err);
nc_code nc_doctor_disk(nc_error *err); // in the current directory

#endif
