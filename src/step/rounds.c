// Rounds of responses to pairs that meet: what steps 1 and 5 have in common (English, Algorithms 1 and 2).
#include "step/step.h"

// The pairs that are not clear now, by time; -1 when out of memory.
static int read_meetings(nc_workspace *w, const nc_certifier *certifier)
{
    const int count = nc_certify_meetings(certifier, w->meetings.data, w->meetings.capacity);
    if (count <= w->meetings.capacity)
        return count;
    return nc_array_reserve(&w->allocator, &w->meetings, count)
               ? nc_certify_meetings(certifier, w->meetings.data, w->meetings.capacity)
               : -1;
}

// Every meeting whose bodies were not changed in this round, by time.
static nc_code one_round(nc_step *step, nc_certifier *certifier, nc_respond respond, int *handled, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = read_meetings(w, certifier);
    if (count < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that meet");
    w->rows.count = 0;
    *handled = 0;
    for (int k = 0; k < count; k++) {
        const nc_meeting hit = w->meetings.data[k];
        bool done = false;
        if (w->changed[hit.i] || w->changed[hit.j] || !nc_step_can_respond(step, &hit))
            continue;
        const nc_code code = respond(step, &hit, &done, err);
        if (code != NC_OK)
            return code;
        *handled += done;
    }
    for (int k = 0; k < w->rows.count; k++)
        w->changed[w->rows.data[k]] = 0;
    return nc_certify_propose(certifier, w->rows.data, w->rows.count, err);
}

nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, int limit, nc_respond respond, nc_error *err)
{
    nc_code code = NC_OK;
    int handled = 1;
    int *passes = certifier == step->work->flights ? &step->report.collision_passes : &step->report.dynamic_passes;
    for (int round = 0; code == NC_OK && handled > 0 && round < limit; round++) {
        code = one_round(step, certifier, respond, &handled, err);
        *passes += handled > 0;
    }
    return code;
}
