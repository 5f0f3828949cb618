// The ticks of a window.
#ifndef NC_ACM_TICKS_H
#define NC_ACM_TICKS_H

#include "acm/contact.h"

// The first contact of a window in which a layer beyond the last allowed one would have to act.
typedef struct nc_acm_jam_note {
    bool found;
    nc_acm_pair pair;
    int layer;
    int64_t tick;
} nc_acm_jam_note;

// The finest clock of all: forces, and layers that are active.
int nc_acm_finest_level(const nc_cloth_world *world);
// Room for what one tick adds. False when out of memory.
bool nc_acm_trace_reserve(nc_cloth_world *world);
// Are there so many pieces that a shorter window would be better? Deep layers tick very often.
bool nc_acm_trace_is_long(const nc_cloth_world *world);
// Everything that ticks at `now`, in order of (kind, id).
void nc_acm_tick_run(nc_cloth_world *world, int64_t now, nc_acm_jam_note *jam);
// Puts every vertex back to where it was when the trace was opened.
void nc_acm_trace_undo(nc_cloth_world *world);

// One window by speculation, from `now` on; *out_end is where it ended.
nc_code nc_acm_speculate(nc_cloth_world *world, int64_t now, int64_t *out_end, nc_error *err);
// A whole frame with kinetic certificates.
nc_code nc_acm_follow_frame(nc_cloth_world *world, nc_error *err);
// Looks at every piece of the trace, when the world is to be audited.
nc_code nc_acm_audit(nc_cloth_world *world, nc_error *err);

// Notes where it was and says so: NC_JAMMED.
nc_code nc_acm_jam(nc_cloth_world *world, nc_acm_pair pair, int layer, int64_t tick, nc_error *err);

#endif
