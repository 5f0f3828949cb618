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
static nc_code one_pass(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int count, int *handled,
                        nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < count; k++)
        code = treat_pair(step, certifier, &step->work->meetings.data[k], rounds, handled, err);
    return code;
}

#define AGAIN_AND_AGAIN 2  // looks
#define A_CROWD         16 // one pair that meets for so many bodies
#define MANY            16 // pairs
#define SOME_PASSES     3
#define MOST_ALONE      20  // passes
#define MOST_CROWDS     6   // solves
#define A_MASS          100 // pairs that meet: after every other solve only those that met are looked at
#define MOST_OF_A_MASS  8   // solves
#define A_GATHERING     8   // bodies for one of a gathering: those few are solved among themselves
#define MOST_GATHERINGS 20  // solves

static bool are_many(const nc_step *step, int count)
{
    return A_CROWD * count >= step->world->state.bodies.count;
}

// Does answering one by one lead nowhere soon? Many pairs meet, and there is a mass of them, or most of them were
// answered before, or ever new ones come.
static bool is_crowded(const nc_step *step, int count, int passes)
{
    int stubborn = 0;
    for (int k = 0; k < count; k++)
        stubborn += step->work->meetings.data[k].looks >= AGAIN_AND_AGAIN;
    return are_many(step, count) &&
           (2 * stubborn > count || count >= A_MASS || (count >= MANY && passes >= SOME_PASSES));
}

static nc_code no_memory(nc_error *err)
{
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that meet");
}

// One by one, as long as that leads somewhere. *passes is how many there were, *met how many pairs met in the last one;
// *done when nothing is left to do.
static nc_code answer_alone(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int *passes, int *met,
                            bool *done, nc_error *err)
{
    nc_code code = NC_OK;
    bool all_seen = true; // no verdict is void
    while (code == NC_OK && *passes < rounds->limit && *passes < MOST_ALONE) {
        int handled = 0;
        const int count = nc_step_read_meetings(step, certifier);
        if (count < 0)
            return no_memory(err);
        *met = count;
        if (is_crowded(step, count, *passes))
            return NC_OK;
        code = one_pass(step, certifier, rounds, count, &handled, err);
        *done = (handled == 0 && all_seen) || step->work->blows.count > 0; // a body breaks: it will be started again
        if (code != NC_OK || *done)
            return code;
        *passes += handled > 0;
        // Those that met are brought to an end among themselves before the others are asked.
        all_seen = handled == 0;
        code = nc_certify_refresh(certifier, all_seen ? NC_ALL_PAIRS : NC_THOSE_THAT_MET, err);
    }
    return code;
}

static void join_crowd(nc_workspace *w, const nc_meeting *hit)
{
    w->crowded_count += !w->crowded[hit->i] + !w->crowded[hit->j];
    w->crowded[hit->i] = w->crowded[hit->j] = 1;
}

// Gathers what meets, of all pairs or of those that met before, and solves it together with all that was gathered
// before.
static nc_code one_crowd(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_certify_scope scope,
                         int *met, int *changed, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = nc_certify_refresh(certifier, scope, err);
    const int count = code == NC_OK ? nc_step_read_meetings(step, certifier) : 0;
    *met = count;
    const int gathered = w->crowd.count;
    if (count < 0)
        return no_memory(err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        bool done = false;
        join_crowd(w, &w->meetings.data[k]);
        if (nc_step_can_respond(step, &w->meetings.data[k]))
            code = rounds->gather(step, &w->meetings.data[k], &done, err);
        *changed += done;
    }
    return code == NC_OK && w->crowd.count > gathered ? rounds->solve_crowd(step, changed, err) : code;
}

// A few bodies, alone among many: a shard that is caught between others. They are solved with the near contacts among
// them; whom they are pushed against joins them in the next solve. *done as above; not when they became many.
static nc_code solve_few(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int *passes, bool *done,
                         nc_error *err)
{
    const nc_workspace *w = step->work;
    nc_code code = NC_OK;
    bool all_seen = true; // no verdict is void
    for (int k = 0; code == NC_OK && !*done && k < MOST_GATHERINGS && *passes < rounds->limit; k++) {
        int changed = 0, met = 0;
        code = one_crowd(step, certifier, rounds, all_seen ? NC_ALL_PAIRS : NC_THOSE_THAT_MET, &met, &changed, err);
        *passes += changed > 0;
        *done = (changed == 0 && all_seen) || w->blows.count > 0;
        all_seen = changed == 0;
        if (are_many(step, met) || A_GATHERING * w->crowded_count > step->world->state.bodies.count)
            return code;
    }
    *done = true;
    return code;
}

// Everything that is near anything.
static nc_code solve_all(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int *passes, nc_error *err)
{
    nc_code code = NC_OK;
    bool done = false;
    int met = 0;
    step->work->crowd_is_whole = true;
    for (int k = 0;
         code == NC_OK && !done && k < (met >= A_MASS ? MOST_OF_A_MASS : MOST_CROWDS) && *passes < rounds->limit; k++) {
        int changed = 0;
        const nc_certify_scope scope = k % 2 == 1 && met >= A_MASS ? NC_THOSE_THAT_MET : NC_ALL_PAIRS;
        code = one_crowd(step, certifier, rounds, scope, &met, &changed, err);
        *passes += changed > 0;
        done = (changed == 0 && scope == NC_ALL_PAIRS) || step->work->blows.count > 0;
    }
    return code;
}

static void begin_crowd(nc_step *step)
{
    nc_workspace *w = step->work;
    w->crowd.count = 0;
    w->crowded_count = 0;
    w->crowd_is_whole = false;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        w->crowded[i] = 0;
}

nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_error *err)
{
    int passes = 0, met = 0;
    bool done = false;
    begin_crowd(step);
    nc_code code = answer_alone(step, certifier, rounds, &passes, &met, &done, err);
    if (code == NC_OK && !done && !are_many(step, met))
        code = solve_few(step, certifier, rounds, &passes, &done, err);
    if (code == NC_OK && !done)
        code = solve_all(step, certifier, rounds, &passes, err);
    *(certifier == step->work->flights ? &step->report.collision_passes : &step->report.dynamic_passes) += passes;
    return code;
}
