// A session (nacre/drive.h) as `nacre run` and `nacre view` have it: options in, messages and progress out.
#ifndef NC_CLI_DRIVING_H
#define NC_CLI_DRIVING_H

#include "cli.h"

// The options of `nacre run`.
typedef struct nc_run_settings {
    const char *output; // NULL: named after the scene
    const char *store;
    unsigned store_flags; // the same, read
    const char *merit;    // NULL: not requested
    nc_words set;
    int64_t threads;   // 0: as many as the machine has
    int64_t steps;     // -1: not given
    double until;      // [s] negative: not given
    int64_t every;     // 0: not given
    double frame_rate; // [1/s] 0: not given
    int64_t rank_wait; // [s]
    bool json, resume, audit, expect, force, quiet, repair, verbose;
} nc_run_settings;

// Reads `store`: "contacts", "paths" or both, separated by a comma.
nc_exit nc_run_settings_read_store(nc_run_settings *settings);

typedef struct nc_driver {
    const nc_run_settings *settings;
    nc_session *session; // NULL: it did not start
    nc_progress progress;
    nc_error err; // why it did not start
    char *text;   // the scene that a file of another program stands for; NULL: the file is a scene
    // Asked like `stops` of a session, beside signals; NULL: never.
    bool (*stops)(void *ctx);
    void *stops_ctx;
    const nc_exchange *exchange; // with other ranks; NULL: none
} nc_driver;

// Starts a run of the scene at `input`, or continues a run file. The messages are on stderr already; the result is
// an exit code. To be closed in any case.
nc_exit nc_driver_start(nc_driver *driver, const char *input);
// Steps until the end, an error or a signal.
nc_exit nc_driver_advance(nc_driver *driver);
nc_exit nc_driver_close(nc_driver *driver);

#endif
