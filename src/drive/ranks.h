// One world on several ranks. Rank 0 has the session: it reads, decides and writes. The others hold the same world and
// follow its orders. Every order and every answer is an exchange, so a rank that receives or answers something else
// than the others is found at once (base/share.h).
#ifndef NC_DRIVE_RANKS_H
#define NC_DRIVE_RANKS_H

#include "drive/session.h"

typedef enum nc_order {
    NC_ORDER_WORLD, // here is the world as it is now
    NC_ORDER_STEP,
    NC_ORDER_AUDIT_STEP,
    NC_ORDER_AUDIT,
    NC_ORDER_END
} nc_order;

// All of these do nothing in a session of one process.

// Before anything else can fail, and once the model is there.
nc_code nc_ranks_join(nc_session *session, nc_error *err);
nc_code nc_ranks_begin(nc_session *session, nc_error *err);
// Tells all ranks to make the same call as this one is about to.
nc_code nc_ranks_order(nc_session *session, nc_order order, nc_error *err);
// After that call: `code` is what it returned. Returns it, when all ranks have found the same; else why not.
nc_code nc_ranks_agree(nc_session *session, nc_code code, nc_error *err);
// nc_session_emit; all ranks get what appeared.
nc_code nc_ranks_emit(nc_session *session, nc_error *err);
// The end of the run: fills session->ranks.
void nc_ranks_end(nc_session *session);
// The end in any case; `why` is NULL when all is well.
void nc_ranks_leave(nc_session *session, const nc_error *why);

#endif
