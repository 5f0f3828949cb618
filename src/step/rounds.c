// Rounds of responses to pairs that meet: what steps 1 and 5 have in common (English, Algorithms 1 and 2).
#include "step/step.h"

int nc_step_read_meetings(nc_step *step, const nc_certifier *certifier)
{
    nc_workspace *w = step->work;
    const int count = nc_certify_meetings(certifier, w->meetings.data, w->meetings.capacity);
    if (count <= w->meetings.capacity)
        return count;
    return nc_array_reserve(&w->allocator, &w->meetings, count)
               ? nc_certify_meetings(certifier, w->meetings.data, w->meetings.capacity)
               : -1;
}

// Answers a pair until it is clear, or `pair_limit` times. Verdicts that are void are renewed for this pair alone.
static nc_code treat_pair(nc_step *step, nc_certifier *certifier, const nc_meeting *first, const nc_rounds *rounds,
                          int *handled, nc_error *err)
{
    nc_meeting hit;
    for (int k = 0; k < rounds->pair_limit && nc_certify_look(certifier, first->i, first->j, &hit); k++) {
        bool done = false;
        if (!nc_step_can_respond(step, &hit))
            break;
        const nc_code code = rounds->respond(step, &hit, &done, err);
        if (code != NC_OK || !done)
            return code;
        *handled += 1;
    }
    return NC_OK;
}

// A pass: every pair that met when it began is treated once, by time.
static nc_code one_pass(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int *handled, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = nc_step_read_meetings(step, certifier);
    if (count < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that meet");
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < count; k++)
        code = treat_pair(step, certifier, &w->meetings.data[k], rounds, handled, err);
    return code;
}

nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_error *err)
{
    nc_code code = NC_OK;
    int *passes = certifier == step->work->flights ? &step->report.collision_passes : &step->report.dynamic_passes;
    bool all_seen = true; // no verdict is void
    for (int pass = 0; code == NC_OK && pass < rounds->limit; pass++) {
        int handled = 0;
        code = one_pass(step, certifier, rounds, &handled, err);
        if (code != NC_OK || (handled == 0 && all_seen))
            return code;
        *passes += handled > 0;
        // Those that met are brought to an end among themselves before the others are asked.
        all_seen = handled == 0;
        code = nc_certify_refresh(certifier, all_seen ? NC_ALL_PAIRS : NC_THOSE_THAT_MET, err);
    }
    return code;
}
