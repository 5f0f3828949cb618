// The exact test of a run on its way: what is stored, what is there now, the motion of the last step.
#ifndef NC_DRIVE_AUDIT_H
#define NC_DRIVE_AUDIT_H

#include "drive/session.h"

// Tests frames 0 .. last_frame of a run that is being written; counts them in the tracker.
nc_code nc_audit_stored(nc_session *session, int64_t last_frame, nc_error *err);

// Tests the model as it is, tells what it finds (the first pairs of the whole run), counts it as `frame`.
nc_code nc_audit_present(nc_session *session, int64_t frame, nc_error *err);

#endif
