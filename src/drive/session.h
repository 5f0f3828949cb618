// A session from the inside: the world, the run file it is written to, and what was seen so far.
#ifndef NC_DRIVE_SESSION_H
#define NC_DRIVE_SESSION_H

#include "nacre/drive.h"

#include "base/base.h"
#include "drive/merit.h"
#include "drive/tracker.h"

struct nc_session {
    nc_session_def def;
    const nc_session_def *settings; // what was asked for: `def`
    nc_allocator allocator;
    nc_refusal refusal;
    char path[4096];       // the run file
    nc_scene *scene;       // NULL: not needed
    nc_world *world;       // one of the two
    nc_cloth_world *cloth; //
    nc_run *run;
    double timestep;         // [s]
    int64_t steps_wanted;    // where this process is to stop
    int64_t steps_planned;   // of the whole run, as its file says
    int64_t first_step;      // where this process began
    int64_t frame;           // the last one stored
    int output_every;        // steps a frame
    nc_step_report *reports; // of the steps since the last frame; room for output_every
    nc_cloth_report *cloth_reports;
    int report_count;
    bool audited;      // frames are tested exactly
    nc_buffer before;  // audited: the state before the present step
    bool step_is_done; // the world is past the step that is being audited
    bool was_finished; // when it was opened
    bool finished;     // all planned steps are done
    bool interrupted;  // by who may stop it
    bool jammed;       // a cloth cannot go on
    nc_tracker tracker;
    double phases[NC_PHASE_COUNT]; // [s] wall time
    nc_merit_file merit;
    double seconds; // wall time of the stepping
    bool dumped;
    nc_session_dump dump;
    char wait_names[NC_SESSION_WAITS][2][32]; // of bodies without a name
};

// Where the world is now.
int64_t nc_session_step(const nc_session *session);
double nc_session_time(const nc_session *session);
uint64_t nc_session_hash(const nc_session *session);

// A formatted sentence for the listener.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void nc_session_tell(const nc_session *session, nc_tell kind, const char *format, ...);
// Progress for the watcher.
void nc_session_show(const nc_session *session, int bodies);
bool nc_session_stops(const nc_session *session);
void nc_session_losable(const nc_session *session, bool on);

// From a scene or from where another run stopped (start.c). What is open on failure, nc_session_close closes.
nc_code nc_session_start(nc_session *session, const char *input, nc_error *err);

// What sessions of bodies and of cloth do alike.
// The run file of a scene, with its frame 0. `input` is the scene's path.
nc_code nc_session_create_run(nc_session *session, const char *input, nc_error *err);
// A checkpoint, where the simulation is in the state of the last frame that is stored; else nothing.
nc_code nc_session_checkpoint(nc_session *session, nc_error *err);
// Notes why the run ends.
nc_code nc_session_conclude(nc_session *session, nc_error *err);

// ---- cloth (cloth.c) -----------------------------------------------------------------------------------------

// The scene is loaded, and what was asked for is settled.
nc_code nc_session_start_cloth(nc_session *session, const char *input, nc_error *err);
// The run is open, too.
nc_code nc_session_resume_cloth(nc_session *session, nc_error *err);
nc_code nc_session_run_cloth(nc_session *session, nc_error *err);
// What is known at the end only.
nc_code nc_session_finish_cloth(nc_session *session, nc_error *err);

#endif
