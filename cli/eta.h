// How long work will still take, from how it went so far.
#ifndef NC_CLI_ETA_H
#define NC_CLI_ETA_H

// Starts as {0}. Work is counted in steps or frames, in parts too.
typedef struct nc_eta {
    double seconds, done;               // at the last update, since the start
    double recent_seconds, recent_done; // of about the last half of the time
} nc_eta;

// `done` units of work took `seconds` in all.
void nc_eta_update(nc_eta *eta, double seconds, double done);
// [s] for the work up to `total`, at the mean of the cost over the whole run and of late; NAN in the first second and
// the first hundredth of the work, of which nothing follows.
double nc_eta_left(const nc_eta *eta, double total);

#endif
