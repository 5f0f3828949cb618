// The line that a run shows on a terminal while it goes on.
#include "progress.h"

#include "cli.h"

#include <inttypes.h>
#include <unistd.h>

static const char *const phase_names[NC_PHASE_COUNT] = {"predicting", "committing", "auditing", "writing"};

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

void nc_progress_update(nc_progress *progress, int64_t step, int bodies)
{
    const double now = nc_clock();
    if (!progress->shown || now - progress->drawn < 0.1)
        return;
    progress->drawn = now;
    const double done = (double)(step - progress->first_step), elapsed = now - progress->start;
    const double rate = elapsed > 0 ? done / elapsed : 0;
    char left[32] = "?";
    if (rate > 0)
        nc_duration_text((double)(progress->last_step - step) / rate, left, sizeof left);
    const double percent = progress->last_step > 0 ? 100.0 * (double)step / (double)progress->last_step : 100.0;
    fprintf(stderr, "\r\033[K%3.0f%%  step %" PRId64 "/%" PRId64 "  %d bodies  %.3g steps/s  ETA %s  mostly %s",
            percent, step, progress->last_step, bodies, rate, left, slowest_phase(progress));
    fflush(stderr);
}

void nc_progress_clear(nc_progress *progress)
{
    if (progress->shown && progress->drawn > 0)
        fputs("\r\033[K", stderr);
    progress->drawn = 0;
}
