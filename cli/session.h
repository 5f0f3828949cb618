// A simulation on its way: the world, the run file it is written to, and what was seen so far.
#ifndef NC_CLI_SESSION_H
#define NC_CLI_SESSION_H

#include "cli.h"
#include "merit.h"
#include "tracker.h"

// What `nacre run` was asked for.
typedef struct nc_run_settings {
    const char *output; // NULL: named after the scene
    const char *store;
    const char *merit; // NULL: not asked for
    nc_words set;
    int64_t threads;   // 0: as many as the machine has
    int64_t steps;     // -1: not given
    double until;      // [s] negative: not given
    int64_t every;     // 0: not given
    double frame_rate; // [1/s] 0: not given
    bool json, resume, audit, expect, force, quiet;
} nc_run_settings;

typedef struct nc_session {
    const nc_run_settings *settings;
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
    bool interrupted;  // by a signal
    bool jammed;       // a cloth cannot go on
    nc_tracker tracker;
    nc_progress progress;
    nc_merit_file merit;
    double seconds; // wall time of the stepping
} nc_session;

// Starts a run of the scene at `input`, or goes on with a run file. Nothing is left open on failure but what
// nc_session_close closes. The messages are on stderr already; the result is an exit code.
nc_exit nc_session_start(nc_session *session, const char *input);
// Steps until the end, an error or a signal.
nc_exit nc_session_advance(nc_session *session);
nc_exit nc_session_close(nc_session *session);

// Where the world is now.
int64_t nc_session_step(const nc_session *session);
double nc_session_time(const nc_session *session);
uint64_t nc_session_hash(const nc_session *session);

// What sessions of bodies and of cloth do alike.
// The run file of a scene, with its frame 0. `input` is the scene's path.
nc_code nc_session_create_run(nc_session *session, const char *input, nc_error *err);
// A checkpoint, where the simulation is in the state of the last frame that is stored; else nothing.
nc_code nc_session_checkpoint(nc_session *session, nc_error *err);
// Notes why the run ends.
nc_code nc_session_conclude(nc_session *session, nc_error *err);

// ---- cloth (session_cloth.c) ---------------------------------------------------------------------------------

// The scene is loaded, and what was asked for is settled.
nc_exit nc_session_start_cloth(nc_session *session, const char *input);
// The run is open, too.
nc_exit nc_session_resume_cloth(nc_session *session);
nc_exit nc_session_advance_cloth(nc_session *session);
// What is known at the end only.
nc_code nc_session_finish_cloth(nc_session *session, nc_error *err);

#endif
