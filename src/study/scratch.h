// Run files on local storage, and back.
#ifndef NC_STUDY_SCRATCH_H
#define NC_STUDY_SCRATCH_H

#include "study/study.h"

// The run's file in the folder `scratch`, into `out` [PATH_MAX].
nc_code nc_scratch_name(const nc_study *study, int64_t number, const char *scratch, char *out, nc_error *err);
// Brings what an earlier attempt left to local storage, unless it is there.
nc_code nc_scratch_fetch(const char *home, const char *local, nc_error *err);
// Moves a closed run file to its place in the study's folder.
nc_code nc_scratch_return(const char *home, const char *local, nc_error *err);

#endif
