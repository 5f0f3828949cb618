// A step that broke a promise, kept as a run file of that one step.
#ifndef NC_DRIVE_DUMP_H
#define NC_DRIVE_DUMP_H

#include "drive/session.h"

// Remembers the state before a step, for nc_dump_step. Does nothing when the run is not audited.
nc_code nc_dump_remember(nc_session *session, nc_error *err);

// Writes the state before the step that failed to a run file of one step beside the session's own. Where the session's
// own file is that one step already, it is named instead. session->dump has the result.
void nc_dump_step(nc_session *session);

#endif
