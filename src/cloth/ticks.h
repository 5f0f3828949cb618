// The ticks of a window.
#ifndef NC_CLOTH_TICKS_H
#define NC_CLOTH_TICKS_H

#include "cloth/contact.h"

// Everything of an island that ticks at `now`, in order of (kind, id). Its trace has room for nc_cloth_island_room
// pieces more.
void nc_cloth_run_tick(nc_cloth_world *world, nc_cloth_island *island, int64_t now);
int nc_cloth_island_room(const nc_cloth_world *world, const nc_cloth_island *island);
// Are there so many pieces that a shorter window would be better? Deep layers tick very often.
bool nc_cloth_trace_is_long(const nc_cloth_world *world, const nc_cloth_island *island);

// ---- islands (islands.c) ------------------------------------------------------------------------------------

// All components and contacts in one island, which writes into the world's trace. False when out of memory.
bool nc_cloth_islands_unite(nc_cloth_world *world);
// Sorts out which contacts of each island tick when. False when out of memory.
bool nc_cloth_islands_order(nc_cloth_world *world);
// For the window (begin, end]: components that contacts connect, all to be run. False when out of memory.
bool nc_cloth_islands_begin(nc_cloth_world *world, int64_t begin, int64_t end);
// Runs those that want it, on several threads. The world's trace then has all kicks of the window.
nc_code nc_cloth_islands_run(nc_cloth_world *world, nc_error *err);
// Puts the vertices of all islands with a changed contact back to where they were; joins what those contacts connect.
bool nc_cloth_islands_rerun(nc_cloth_world *world);
// Adds what an island did in the window to the counts of the frame.
void nc_cloth_counts_add(nc_cloth_counts *counts, const nc_cloth_island *island);
// Puts all vertices back.
void nc_cloth_islands_undo(nc_cloth_world *world);
// ---- the run before (rollback_diff.c)
// --------------------------------------------------------------------------------

// Before a rollback: keeps the paths of all vertices.
void nc_cloth_rollback_diff_keep(nc_cloth_world *world);
// After it: takes the pieces, which nobody else needs any more.
void nc_cloth_rollback_diff_take_pieces(nc_cloth_world *world);
// After the window was run again: marks the vertices whose paths are unchanged, in the trace.
void nc_cloth_rollback_diff_compare(nc_cloth_world *world);

// One window by speculation, from `now` on; *out_end is where it ended.
nc_code nc_cloth_speculate(nc_cloth_world *world, int64_t now, int64_t *out_end, nc_error *err);
// A whole frame with kinetic certificates.
nc_code nc_cloth_follow_frame(nc_cloth_world *world, nc_error *err);
// Examines every piece of the trace, when the world is to be audited.
nc_code nc_cloth_audit_trace(nc_cloth_world *world, nc_error *err);

// Notes where it was and says so: NC_JAMMED.
nc_code nc_cloth_fail_jammed(nc_cloth_world *world, nc_cloth_pair pair, int layer, int64_t tick, nc_error *err);

#endif
