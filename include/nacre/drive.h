// Sessions: a scene simulated into a run file, from its start to its end. Step, audit, store, resume, judge: what
// `nacre run` does, for programs. docs/c-api.md.
//
// A session is used from one thread at a time. It prints nothing: messages are passed to `on_message`.
#ifndef NACRE_DRIVE_H
#define NACRE_DRIVE_H

#include "run.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nc_session nc_session;

// ---- what is wanted -----------------------------------------------------------------------------------------

// The kind of a message given to `on_message`.
typedef enum nc_message_kind {
    NC_MESSAGE_INFO,         // what is about to happen
    NC_MESSAGE_NOTE,         // worth knowing
    NC_MESSAGE_WARNING,      // it may not be what was meant
    NC_MESSAGE_INTERSECTION, // two bodies that intersect: a defect in Nacre
    NC_MESSAGE_JAMMED        // nothing can ever continue (cloth); the run keeps its frames
} nc_message_kind;

// Where the time of a session goes.
typedef enum nc_phase {
    NC_PHASE_COLLIDE,
    NC_PHASE_PREDICT,
    NC_PHASE_SEPARATE,
    NC_PHASE_SETTLE,
    NC_PHASE_COMMIT,
    NC_PHASE_AUDIT,
    NC_PHASE_WRITE,
    NC_PHASE_COUNT
} nc_phase;

typedef struct nc_session_progress {
    int64_t step, last_step; // where the run is, and where the session ends
    int bodies;
    double seconds[NC_PHASE_COUNT]; // [s] wall time spent in each phase so far
} nc_session_progress;

// Everything that is pointed at must live until the session is closed.
typedef struct nc_session_def {
    const char *input;            // a scene; with `resume` also a run file
    const char *text;             // NULL: read `input`. Else the scene itself, which was made of `input`
    const char *output;           // the run file; NULL: the scene's name with .nacre, in the current directory
    const char *const *overrides; // of the scene, as in nc_scene_def
    int override_count;
    int workers;       // threads; 0: as many as the machine has. The result is the same bits for any number
    int64_t steps;     // of the whole run; negative: not given
    double until;      // [s] the same in simulated time; negative: not given. Neither: as the scene or the run defines
    int64_t every;     // steps per frame; 0: as the scene defines
    double frame_rate; // [1/s] instead of `every`, as nearly as whole steps allow; 0: not given
    bool resume;       // continue the run file; of a scene, when it exists
    bool overwrite;    // replace an existing run file
    bool audit;        // test every frame exactly, and the motion of every step at many times
    bool expect;       // the run is to be judged: test every frame
    bool repair;       // move bodies that touch or overlap at the start apart (nc_scene_repair); the run file has the
                       // scene with their new places
    unsigned store;    // NC_STORE_... flags: contacts, paths. A resumed run keeps what it began with
    const char *merit; // pipeline vsp: a CSV file for the merit function of the solver (nc_world_merit); NULL: none

    void (*on_message)(nc_message_kind kind, const char *text, void *ctx); // NULL: not reported
    void (*watch)(const nc_session_progress *progress, void *ctx);         // after every step; NULL: none
    // Asked before every step and inside steps of bodies, by the thread that runs the session: true ends it after the
    // last whole step. NULL: never.
    bool (*stops)(void *ctx);
    // Told true before a step and false after it: while it is on, a process that ends loses nothing that is stored, and
    // the run can be resumed. NULL: not needed.
    void (*losable)(bool on, void *ctx);
    void *ctx; // for these four

    // Processes that simulate the run together; this one has rank 0, the others call nc_session_follow. What has to be
    // decided, read and written is done here; the result is the same bits for any number. NULL: this process alone.
    const nc_exchange *exchange;

    const nc_allocator *allocator; // NULL: malloc. Frames of a resumed run are tested with malloc, by several threads
} nc_session_def;
nc_session_def nc_session_def_default(void); // nothing given: `input` has to be set

// ---- from start to end --------------------------------------------------------------------------------------

// Why nc_session_open refuses a request, so that a program can suggest an alternative.
typedef enum nc_refusal {
    NC_REFUSED_NOT,         // it did not, or for a reason that only the error gives
    NC_REFUSED_LONG_NAME,   // the name of a file is too long
    NC_REFUSED_MESH,        // `input` is a mesh
    NC_REFUSED_RUN_FILE,    // `input` is a run file, and `resume` is not set
    NC_REFUSED_OVERRIDES,   // a run file is resumed with the scene it began with
    NC_REFUSED_OUTPUT,      // a run file is resumed in place
    NC_REFUSED_EXISTS,      // there is a file of the output's name, and `overwrite` is not set
    NC_REFUSED_NOT_A_RUN,   // there is one that is no run file; it stays as it is
    NC_REFUSED_OTHER_SCENE, // the run to be resumed is of another scene
    NC_REFUSED_FRAMES, // a resumed run keeps the frames it began with: no `every`, no `frame_rate`, no other `store`
    NC_REFUSED_MERIT   // cloth has no merit function
} nc_refusal;

// Starts a run of a scene: its file is there, with frame 0, and notes and warnings have been reported. Or opens one
// that was stopped, in the state of its last checkpoint. `out_refusal` may be NULL; what it names comes with
// NC_BAD_ARGUMENT. Other codes are those of nc_scene_load, nc_scene_build, nc_run_create and nc_run_open. On failure
// nothing is left open.
nc_code nc_session_open(const nc_session_def *def, nc_session **out, nc_refusal *out_refusal, nc_error *err);

// Steps until the end, an error, or a request to stop; stores every frame, with a checkpoint at the end, so that the
// run can be resumed. NC_OK also when it was stopped and when cloth jammed: see nc_session_summarize. NC_BROKEN_PROMISE
// when the audit found something, or a step did: nc_session_dumped names the file with that step. NC_JAMMED when the
// world's on_jam is NC_JAM_STOP. Whatever happens, frames that were stored stay.
nc_code nc_session_run(nc_session *session, nc_error *err);

// Takes part in the session of rank 0 until it ends: for all other ranks. Needs no file: the world comes from rank 0.
// NC_OK when the session ended in order, whatever became of it; `*out_own` (may be NULL) when an error is one of this
// rank, not the word of another.
nc_code nc_session_follow(const nc_exchange *exchange, int workers, const nc_allocator *allocator, bool *out_own,
                          nc_error *err);

// Judges the run by the scene's `expect` block; the session was opened with `expect`. `*out_failed` counts what was not
// met, -1 when the scene expects nothing; `lines` (may be NULL) as in nc_scene_judge.
nc_code nc_session_judge(nc_session *session, int *out_failed, nc_buffer *lines, nc_error *err);

// Tells, as warnings, what counts alone would hide: which scripted body waited for which and when, and what was left
// where it is; and notes it in the run file. For the end of a run.
void nc_session_warn(nc_session *session);

// Closes the run file. `session` is gone afterwards, also on error; nothing that was stored is lost. NULL is allowed.
nc_code nc_session_close(nc_session *session, nc_error *err);

// ---- results -----------------------------------------------------------------------------------------------

typedef enum nc_session_status {
    NC_SESSION_STOPPED,     // where it was told to stop, before the end of the run
    NC_SESSION_FINISHED,    // all steps of the run are done
    NC_SESSION_INTERRUPTED, // `stops` said so
    NC_SESSION_JAMMED       // cloth that is jammed
} nc_session_status;
const char *nc_session_status_name(nc_session_status status); // "stopped", "finished", ...

// A scripted body that waited for another: the steps from the first to the last in which it did.
typedef struct nc_session_wait {
    const char *body, *by; // names, borrowed until the session is closed or summarized again
    double from, to;       // [s]
    int64_t steps;         // or frames, of a run that is resumed
} nc_session_wait;
#define NC_SESSION_WAITS 8 // different ones that are kept

// What processes that simulated a run together shared and exchanged.
typedef enum nc_rank_work {
    NC_RANK_CONTROL, // what is to be done next, and whether all have found the same
    NC_RANK_NEAR,    // near features
    NC_RANK_SWEEPS,
    NC_RANK_SOLVES, // of islands
    NC_RANK_AUDITS,
    NC_RANK_WORKS
} nc_rank_work;
const char *nc_rank_work_name(nc_rank_work work); // "control", "near features", ...
typedef struct nc_session_ranks {
    int count;                         // of processes; 0: this one alone, or the run has not ended
    double seconds, most_seconds;      // [s] processor time without waiting: mean and largest of all ranks
    int64_t exchanges[NC_RANK_WORKS];  //
    int64_t bytes[NC_RANK_WORKS];      // that all ranks together gave
    double shared[NC_RANK_WORKS];      // [s] processor time of the own part: mean of all ranks
    double most_shared[NC_RANK_WORKS]; // [s] the same of the slowest rank of each exchange
} nc_session_ranks;

typedef struct nc_session_summary {
    const char *path; // of the run file; borrowed
    nc_session_status status;
    int bodies;
    int dynamic; // of the bodies: rigid ones that forces move
    int moving;  // of those: not at rest at the end, that is, faster than 2% of their size per second or than a quarter
                 // of what gravity adds in a step
    int exempt_pairs;                                      // that may pass through each other
    int64_t steps;                                         // of the run so far
    int64_t steps_here;                                    // of them, made by this session
    int64_t steps_wanted;                                  // where this session ends
    int64_t steps_planned;                                 // of the whole run
    int64_t frames;                                        // stored
    double time;                                           // [s] simulated
    double seconds;                                        // [s] wall time of the steps made here
    uint64_t hash;                                         // of the state (nc_model_hash)
    bool audited;                                          // the rest is 0 when not
    int64_t audited_frames, audited_steps, audited_pieces; // pieces: of cloth, between two kicks
    int64_t intersecting_frames;
    int64_t first_intersecting; // its number; -1: none
    nc_run_summary run;         // `steps` and `escaped` are counted by nc_session_judge
    nc_session_wait waits[NC_SESSION_WAITS];
    int wait_count;
    nc_session_ranks ranks;
} nc_session_summary;
void nc_session_summarize(nc_session *session, nc_session_summary *out);

// The step that broke a promise, kept as a run file of that one step beside the session's own. False: there is none.
typedef struct nc_session_dump {
    int64_t step;
    char path[4200];
    nc_error err; // its code is not NC_OK when the file could not be written
} nc_session_dump;
bool nc_session_dumped(const nc_session *session, nc_session_dump *out);

// The model as it is. Borrowed: look, do not change.
nc_model nc_session_model(const nc_session *session);

#ifdef __cplusplus
}
#endif
#endif
