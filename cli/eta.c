// An estimate that does not swing: a slow second, or a hundred cheap steps, change it by little.
//
// Measured on boats that fall and on a wall, on a busy machine: the end that is foretold is 0.5 to 1.6 times the true
// one. By the whole run alone boats start at 0.4 times, since bodies in flight are cheap.
#include "eta.h"

#include <math.h>

#define RECENT         0.5  // [1] of the time that has passed: what counts as recent
#define SECONDS_BEFORE 1.0  // [s] before anything is foretold
#define WORK_BEFORE    0.01 // [1] of the work

void nc_eta_update(nc_eta *eta, double seconds, double done)
{
    const double spent = seconds - eta->seconds, made = done - eta->done;
    if (!(spent > 0 && made > 0))
        return;
    // What came before fades, the slower the longer the run is; no step makes more than 0.3 of it fade.
    const double fade = fmax(0.7, 1 - spent / (RECENT * seconds));
    eta->recent_seconds = fade * eta->recent_seconds + spent;
    eta->recent_done = fade * eta->recent_done + made;
    eta->seconds = seconds;
    eta->done = done;
}

double nc_eta_left(const nc_eta *eta, double total)
{
    if (!(eta->seconds >= SECONDS_BEFORE && eta->done >= WORK_BEFORE * total))
        return NAN;
    const double whole = eta->seconds / eta->done, recent = eta->recent_seconds / eta->recent_done;
    return 0.5 * (whole + recent) * fmax(total - eta->done, 0);
}
