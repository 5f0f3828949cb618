// A session from the inside: the model, the run file it is written to, and what was seen so far.
#ifndef NC_DRIVE_SESSION_H
#define NC_DRIVE_SESSION_H

#include "nacre/drive.h"

#include "base/base.h"
#include "drive/merit.h"
#include "drive/tracker.h"
#include "model/model.h"

struct nc_session {
    nc_session_def def;
    const nc_session_def *settings; // what was requested: `def`
    nc_allocator allocator;
    nc_refusal refusal;
    char path[4096]; // the run file
    nc_scene *scene; // NULL: not needed
    nc_model model;
    nc_run *run;
    double timestep;          // [s]
    int64_t steps_wanted;     // where this process is to stop
    int64_t steps_planned;    // of the whole run, as its file says
    int64_t first_step;       // where this process began
    int64_t frame;            // the last one stored
    int output_every;         // steps per frame
    unsigned store;           // NC_STORE_... flags
    nc_model_report *reports; // of the steps since the last frame; room for output_every
    int report_count;
    bool audited;      // frames are tested exactly
    nc_buffer before;  // audited: the state before the current step
    bool step_is_done; // the model is past the step that is being audited
    bool was_finished; // when it was opened
    bool finished;     // all planned steps are done
    bool interrupted;  // by who may stop it
    bool jammed;       // nothing can ever continue
    nc_tracker tracker;
    double phases[NC_PHASE_COUNT]; // [s] wall time
    nc_merit_file merit;
    double seconds; // wall time of the stepping
    bool dumped;
    nc_session_dump dump;
    nc_share *share; // with the other ranks; NULL: alone
    nc_session_ranks ranks;
    int64_t resumed_end;                      // the last step that the run had when it was opened; 0: a new run
    int breaks_told;                          // joints that broke, as the world counts them, that were stored as events
    char wait_names[NC_SESSION_WAITS][2][32]; // of bodies without a name
};

// A formatted sentence for the listener.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void nc_session_message(const nc_session *session, nc_message_kind kind, const char *format, ...);
// Progress for the watcher.
void nc_session_show(const nc_session *session);
// Puts bodies that are due into the model, after its start and every step; a run file gets what they wait for.
nc_code nc_session_emit(nc_session *session, nc_error *err);
// Warns of bodies that start intersecting and are exempt from separation because a joint connects them; events, too.
nc_code nc_session_tell_exempted(nc_session *session, nc_error *err);
// Stores joints that broke since the last call as events, but for those that the run had when it was resumed.
nc_code nc_session_log_breaks(nc_session *session, nc_error *err);
bool nc_session_stops(const nc_session *session);
void nc_session_losable(const nc_session *session, bool on);

// Judges what the scene watches by the stored frames; as nc_scene_judge_watch (watch.c).
nc_code nc_session_judge_watch(nc_session *session, int *failed, nc_buffer *lines, nc_error *err);

// Dynamic rigid bodies, and how many of them are not at rest: faster than 2% of their size per second, or than a
// quarter of what gravity adds in a step (rest.c).
int nc_session_count_moving(const nc_session *session, int *out_dynamic);

// From a scene or from where another run stopped (start.c). What is open on failure, nc_session_close closes.
nc_code nc_session_start(nc_session *session, const char *input, nc_error *err);

#endif
