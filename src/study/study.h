// Studies: many runs of one scene with other values, one row per run in one SQLite file. docs/cluster.md.
//
// Invariants, which the crash tests hold:
//   1. One process, the coordinator, writes the study file, under the lock beside it. Workers only read it.
//   2. A worker holds the lock of its run from before `nacre run` starts until after the result is in its place, and
//      `nacre run` holds it too: two processes never work on one run.
//   3. A result is a file that appears whole under its name, or not at all. The coordinator stores it in the row of its
//      run in a transaction, and removes it after that; a row that has a result takes no other.
//   4. What ended without a result is not finished: the next worker continues its run file from the last checkpoint.
#ifndef NC_STUDY_STUDY_H
#define NC_STUDY_STUDY_H

#include "nacre/nacre.h"

#include "base/base.h"
#include "run/run.h"
#include "scene/scene.h"

#include <stdio.h>
#include <sys/types.h>

#define NC_STUDY_APPLICATION_ID 0x4e637374 // "Ncst"
#define NC_STUDY_RUNS_MAX       1000000
#define NC_STUDY_COLUMNS_MAX    200  // parameters, and measurements
#define NC_STUDY_VALUE_SIZE     1024 // [bytes] of the text of a value, with its zero

// ---- the study file as it is written: study.yaml ------------------------------------------------------------

typedef enum nc_study_method { NC_STUDY_RANDOM, NC_STUDY_LATIN, NC_STUDY_SOBOL, NC_STUDY_METHOD_COUNT } nc_study_method;
typedef enum nc_study_keep { NC_STUDY_KEEP_ALL, NC_STUDY_KEEP_FAILED, NC_STUDY_KEEP_NONE } nc_study_keep;
extern const char *const nc_study_method_names[NC_STUDY_METHOD_COUNT];
extern const char *const nc_study_keep_names[3];

typedef struct nc_study_parameter {
    const char *name;   // of its column
    const char *paths;  // keys of the scene that get the value, as for --set, one per line
    const char **texts; // [count] its values, one after the other; NULL: sampled
    int count;
    double low, high; // of a sampled one
    bool log, whole;  // even in the logarithm; rounded down to whole numbers, `high` included
} nc_study_parameter;

typedef struct nc_study_measure {
    const char *name;
    const char *source; // a name of the summary of `nacre run --json`, or SQL
} nc_study_measure;

typedef struct nc_study_plan {
    nc_pool pool; // has all texts
    const char *path, *text;
    const char *title;
    const char *scene, *scene_text; // its file by its absolute name, and what is in it
    const char *arguments;          // for `nacre run`, one per line
    nc_study_parameter *parameters;
    int parameter_count;
    nc_study_measure *measures;
    int measure_count;
    nc_study_method method;
    int64_t sample_count;
    int64_t sample_seed;
    int dimensions;                        // sampled parameters
    double *samples;                       // [sample][dimension] in [0, 1)
    double limit_seconds, limit_megabytes; // 0: none
    nc_study_keep keep;
    int64_t run_count;
} nc_study_plan;

// Reads study.yaml and the scene that it names. Errors have line and column. Free it in any case.
nc_code nc_study_plan_read(const char *path, nc_study_plan *out, nc_error *err);
void nc_study_plan_free(nc_study_plan *plan);

// The text of a parameter in run `number` (from 1): parameters that are lists form a grid, the last of them changes
// fastest; each point of it has all samples. Returns `out`.
const char *nc_study_plan_value(const nc_study_plan *plan, int64_t number, int parameter, char *out, size_t out_size);

// Points of the unit cube, [count][dimensions]: the same for the same seed, everywhere.
#define NC_SOBOL_DIMENSIONS 21
nc_code nc_study_sample(nc_study_method method, int64_t seed, int64_t count, int dimensions, double *out,
                        nc_error *err);
// Coordinate `dimension` of point `index` of the Sobol sequence, as a fraction of 2^32.
uint32_t nc_sobol(uint32_t index, int dimension);
// The shortest decimal text that reads as the same double. Returns `out`.
const char *nc_shortest_text(double value, char *out, size_t out_size);

// ---- the study file with results: .nacre-study --------------------------------------------------------------

typedef struct nc_study_column {
    char *name, *source; // source: paths of a parameter, where a measurement comes from
} nc_study_column;

typedef struct nc_study {
    nc_run file;           // of run/, for its SQLite connection, its name and its lock
    char folder[PATH_MAX]; // runs, results, locks
    char *id, *title, *scene, *scene_text, *text, *arguments;
    nc_study_column *parameters, *measures;
    int parameter_count, measure_count;
    double limit_seconds, limit_megabytes; // 0: none
    nc_study_keep keep;
    int64_t run_count;
} nc_study;

// Columns of the table `run` besides number, status, parameters and measurements.
typedef struct nc_study_field {
    const char *name, *type; // of SQL
    const char *about;
} nc_study_field;
const nc_study_field *nc_study_fields(int *out_count);

bool nc_study_exists(const char *path, bool *out_is_study);
// Makes the file with a row for each planned run; an older one of that name and its folder are removed.
nc_code nc_study_create(const char *path, const nc_study_plan *plan, nc_error *err);
// With `lock`, as the coordinator. On failure nothing is left open.
nc_code nc_study_open(const char *path, bool lock, nc_study *out, nc_error *err);
void nc_study_close(nc_study *study);
// The stored study and its scene are those of the plan? NC_BAD_ARGUMENT with a sentence when not.
nc_code nc_study_compare(const nc_study *study, const nc_study_plan *plan, nc_error *err);

typedef struct nc_study_counts {
    int64_t planned, running, waiting, done, failed; // planned: all; waiting: not finished and not running
} nc_study_counts;
nc_code nc_study_count(nc_study *study, nc_study_counts *out, nc_error *err);

// Numbers of runs without a result, ascending: *out_count of them, to be freed with free().
nc_code nc_study_unfinished(nc_study *study, int64_t **out, int64_t *out_count, nc_error *err);
// The values of a run's parameters as texts, [parameter_count][NC_STUDY_VALUE_SIZE], to be freed with free(); its
// status.
nc_code nc_study_read_run(nc_study *study, int64_t number, char (**out)[NC_STUDY_VALUE_SIZE], bool *out_planned,
                          nc_error *err);
// Stores what workers left; *out_stored counts rows that got a result.
nc_code nc_study_collect(nc_study *study, int *out_stored, nc_error *err);
// Plans failed runs again (number 0), or one; their run files stay, to be continued. *out_count: rows.
nc_code nc_study_replan(nc_study *study, int64_t number, int *out_count, nc_error *err);

// Names of files: the run, its log, its result, its lock; lists of runs for Slurm and MPI. Returns `out` [PATH_MAX].
typedef enum nc_study_file {
    NC_STUDY_RUN,
    NC_STUDY_LOG,
    NC_STUDY_SUMMARY,
    NC_STUDY_RESULT,
    NC_STUDY_LOCK,
    NC_STUDY_LIST,
    NC_STUDY_FILE_COUNT
} nc_study_file;
char *nc_study_name(const nc_study *study, nc_study_file file, int64_t number, char *out);

// ---- one run ------------------------------------------------------------------------------------------------

typedef struct nc_study_work {
    const char *program; // nacre
    const char *scratch; // folder on local storage that the run file is written in and moved from; NULL: none
    int threads;         // of `nacre run`
} nc_study_work;

typedef enum nc_study_end {
    NC_STUDY_ENDED,       // its result is stored or in its place
    NC_STUDY_INTERRUPTED, // no result: it can be continued
    NC_STUDY_BROKEN       // no result: `nacre run` met a disk or memory error, or the result could not be written
} nc_study_end;

// Makes one run with `nacre run`, measures it, and puts its result in its place. The caller has blocked signals
// (nc_signals_block). `err` says more about NC_STUDY_BROKEN.
nc_study_end nc_study_make_run(nc_study *study, int64_t number, const nc_study_work *work, nc_error *err);

// What became of one run.
typedef struct nc_study_result {
    int64_t number;
    int exit_code;
    bool failed;
    char message[400];
    double seconds, cpu_seconds, megabytes; // wall time and processor time of the last attempt; most memory in use
    int attempts;
    char host[128], finished[32]; // finished: UTC
    char hash[20];
    int64_t steps;
    double time; // [s] simulated
} nc_study_result;

// Fills what the summary of `nacre run --json` says, and the measurements: texts, "" for none.
nc_code nc_study_measure_run(const nc_study *study, const char *run, const char *summary, nc_study_result *result,
                             char (*values)[NC_STUDY_VALUE_SIZE], nc_error *err);
nc_code nc_study_write_result(const nc_study *study, const nc_study_result *result, char (*values)[NC_STUDY_VALUE_SIZE],
                              nc_error *err);

// ---- processes ----------------------------------------------------------------------------------------------

// SIGCHLD, SIGINT and SIGTERM are from here on only seen by nc_signal_wait.
void nc_signals_block(void);
// The next of these signals, 0 when none came within `seconds`.
int nc_signal_wait(double seconds);
// Sleeps; true when SIGINT or SIGTERM came.
bool nc_signal_pause(double seconds);
typedef struct nc_process_def {
    const char *const *arguments;    // NULL at the end; the first is the program
    const char *input;               // text for the standard input; NULL: none
    const char *out_file, *err_file; // NULL: as ours
    bool follows;                    // it gets SIGTERM when this process ends, however it ends
    int keep_open;                   // a descriptor that it inherits; -1: none
} nc_process_def;
nc_code nc_process_start(const nc_process_def *def, pid_t *out, nc_error *err);
// Runs it to its end and keeps up to out_size - 1 bytes of its standard output. *out_exit: 128 + n for signal n.
nc_code nc_process_ask(const char *const *arguments, const char *input, char *out, size_t out_size, int *out_exit,
                       nc_error *err);

// ---- backends: the same runs by other means -----------------------------------------------------------------

typedef enum nc_study_backend { NC_STUDY_LOCAL, NC_STUDY_SLURM, NC_STUDY_MPI, NC_STUDY_BACKEND_COUNT } nc_study_backend;
extern const char *const nc_study_backend_names[NC_STUDY_BACKEND_COUNT];

typedef struct nc_study_drive {
    nc_study_work work;
    nc_study_backend backend;
    int jobs;                   // runs at a time; slurm: 0 as many as Slurm allows
    bool detach;                // slurm: submit and return
    int per_task;               // slurm: runs of one array task; 0: as few as fit into one array
    const char *const *options; // slurm: words for sbatch
    int option_count;
    const char *launcher; // mpi: "mpirun -n 4"; NULL: mpirun with `jobs` processes
    // After every result, and now and then. NULL: not reported.
    void (*watch)(const nc_study_counts *counts, void *ctx);
    // A sentence about what happens. NULL: not reported.
    void (*on_message)(const char *text, void *ctx);
    void *ctx;
} nc_study_drive;

typedef struct nc_study_outcome {
    nc_study_counts counts;
    bool interrupted;  // by SIGINT or SIGTERM
    int64_t given_up;  // unfinished after as many attempts as are made
    char message[400]; // about the last of them
} nc_study_outcome;

// Makes all runs that have no result. The study was opened with the lock.
nc_code nc_study_drive_runs(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err);
nc_code nc_study_drive_local(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err);
nc_code nc_study_drive_slurm(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err);
nc_code nc_study_drive_mpi(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err);
// Cancels the Slurm jobs of the study; their runs can be continued.
nc_code nc_study_cancel(nc_study *study, nc_error *err);

#define NC_STUDY_TRIES 5 // attempts of a run by one coordinator
// A list of runs in a file of its own, with a number that no list had: what array tasks and ranks read.
nc_code nc_study_write_list(nc_study *study, const int64_t *numbers, int64_t count, int64_t *out_list, nc_error *err);
nc_code nc_study_read_list(nc_study *study, int64_t list, int64_t **out, int64_t *out_count, nc_error *err);
// Counts, and tells the caller.
nc_code nc_study_report(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err);
void nc_study_tell(const nc_study_drive *drive, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// ---- results ------------------------------------------------------------------------------------------------

typedef enum nc_study_format { NC_STUDY_TABLE, NC_STUDY_CSV, NC_STUDY_JSON, NC_STUDY_FORMAT_COUNT } nc_study_format;
extern const char *const nc_study_format_names[NC_STUDY_FORMAT_COUNT];
// All rows: everything as CSV and JSON; as a table without columns that are about the machine.
nc_code nc_study_print(nc_study *study, nc_study_format format, FILE *out, nc_error *err);

typedef struct nc_study_plot {
    const char *x, *y; // columns; NULL: the first parameter, the first measurement
    const char *by;    // a line for each of its values; NULL: one
    bool mean;         // lines through the means of runs of equal x, instead of a dot per run
    const char *path;
} nc_study_plot;
nc_code nc_study_draw(nc_study *study, const nc_study_plot *plot, int *out_points, nc_error *err);

#endif
