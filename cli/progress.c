// The line that a run shows on a terminal while it is running.
#include "progress.h"

#include "cli.h"

#include <inttypes.h>
#include <unistd.h>

static const char *const phase_names[NC_PHASE_COUNT] = {"colliding",  "predicting", "separating", "settling",
                                                        "committing", "auditing",   "writing"};

nc_progress nc_progress_start(bool quiet, int64_t first_step, int64_t last_step)
{
    nc_progress progress = {.shown = !quiet && isatty(STDERR_FILENO), .first_step = first_step, .last_step = last_step};
    progress.start = nc_clock();
    return progress;
}

// Where most of the time goes.
static const char *slowest_phase(const nc_progress *progress)
{
    int slowest = 0;
    for (int i = 1; i < NC_PHASE_COUNT; i++)
        if (progress->seconds[i] > progress->seconds[slowest])
            slowest = i;
    return phase_names[slowest];
}

// True when it is time to draw again.
static bool is_due(nc_progress *progress)
{
    const double now = nc_clock();
    if (!progress->shown || now - progress->drawn < 0.1)
        return false;
    progress->drawn = now;
    return true;
}

// How much is done [%], how fast, and how long the rest will take.
static double measure(nc_progress *progress, double done, double *rate, char *left, size_t left_size)
{
    const double elapsed = progress->drawn - progress->start, first = (double)progress->first_step;
    const double last = (double)progress->last_step;
    nc_eta_update(&progress->eta, elapsed, done - first);
    const double seconds = nc_eta_left(&progress->eta, last - first);
    *rate = elapsed > 0 ? (done - first) / elapsed : 0;
    snprintf(left, left_size, "?");
    if (seconds >= 0) // not NaN: too early to tell
        nc_duration_text(seconds, left, left_size);
    return last > 0 ? 100.0 * done / last : 100.0;
}

void nc_progress_update(nc_progress *progress, int64_t step, int bodies)
{
    double rate;
    char left[32];
    if (!is_due(progress))
        return;
    const double percent = measure(progress, (double)step, &rate, left, sizeof left);
    fprintf(stderr, "\r\033[K%3.0f%%  step %" PRId64 "/%" PRId64 "  %d bodies  %.3g steps/s  ETA %s  mostly %s",
            percent, step, progress->last_step, bodies, rate, left, slowest_phase(progress));
    fflush(stderr);
}

void nc_progress_update_frames(nc_progress *progress, int64_t frames)
{
    nc_progress_update_part(progress, frames, 0);
}

void nc_progress_update_part(nc_progress *progress, int64_t frames, double part)
{
    double rate;
    char left[32];
    if (!is_due(progress))
        return;
    const double percent = measure(progress, (double)frames + part, &rate, left, sizeof left);
    fprintf(stderr, "\r\033[K%3.0f%%  frame %" PRId64 "/%" PRId64 "  %.3g frames/s  ETA %s", percent, frames,
            progress->last_step, rate, left);
    fflush(stderr);
}

void nc_progress_clear(nc_progress *progress)
{
    if (progress->shown && progress->drawn > 0)
        fputs("\r\033[K", stderr);
    progress->drawn = 0;
}
