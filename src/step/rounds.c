// Rounds of responses to pairs that collide: what steps 1 and 5 have in common (English, Algorithms 1 and 2).
//
// Every component (components.c) climbs a ladder of its own:
//   single  its colliding pairs are resolved one by one, by time
//   batch   colliding bodies are solved together with the near contacts among them: a few bodies caught among many
//   whole   all that is near anything in the component
// With `one_by_one` (English to the letter) they stay on the first rung until the limit.
// All components take their next step in the same round, so that sweeps of a round run in parallel; no decision about
// one depends on another.
#include "step/step.h"

int nc_collisions_read(nc_collisions *collisions, const nc_certifier *certifier, const nc_allocator *allocator)
{
    const int count = nc_certify_collisions(certifier, collisions->data, collisions->capacity);
    if (count <= collisions->capacity)
        return count;
    return nc_array_reserve(allocator, collisions, count)
               ? nc_certify_collisions(certifier, collisions->data, collisions->capacity)
               : -1;
}

// Resolves a pair until it is clear, or `pair_limit` times. Verdicts that are void are renewed for this pair alone.
static nc_code resolve_pair(nc_step *step, nc_certifier *certifier, const nc_collision *first, const nc_rounds *rounds,
                            int *changed, nc_error *err)
{
    nc_collision hit;
    for (int k = 0; k < rounds->pair_limit && nc_certify_recheck(certifier, first->i, first->j, &hit); k++) {
        bool done = false;
        if (!nc_step_can_respond(step, &hit))
            break;
        const nc_code code = rounds->respond(step, &hit, &done, err);
        if (code != NC_OK || !done)
            return code;
        *changed += 1;
    }
    return NC_OK;
}

static bool is_large_batch(const nc_ladder *ladder)
{
    return NC_ROUNDS_BODIES_PER_PAIR * ladder->colliding >= ladder->bodies;
}

// Does resolving one by one lead nowhere soon? Many pairs collide, and they are a large number, or most of them were
// resolved before, or new ones keep coming.
static bool needs_batch(const nc_ladder *ladder)
{
    const int count = ladder->colliding;
    return is_large_batch(ladder) && (2 * ladder->repeated > count || count >= NC_ROUNDS_LARGE_PAIRS ||
                                      (count >= NC_ROUNDS_GROWING_PAIRS && ladder->passes >= NC_ROUNDS_GROWING_PASSES));
}

// Goes on with another rung, after a look at all pairs.
static void climb(nc_ladder *ladder, nc_rung rung)
{
    ladder->rung = rung;
    ladder->solves = 0;
    ladder->scope = NC_ALL_PAIRS;
}

// ---- a round ------------------------------------------------------------------------------------------------

static bool is_root(const nc_components *components, int i)
{
    return components->role[i] == NC_ROLE_FREE && components->parent.data[i] == i;
}

// Sweeps what each component that is not done wants to see.
static nc_code refresh(nc_components *components, nc_certifier *certifier, nc_error *err)
{
    for (int i = 0; i < components->rows; i++) {
        const nc_ladder *ladder = nc_components_ladder(components, i, i);
        components->scopes.data[i] = ladder->done ? NC_NO_PAIRS : (uint8_t)ladder->scope;
    }
    return nc_certify_refresh_scope(certifier, components->scopes.data, err);
}

// Counts the colliding pairs of each component; those that collide become one. Components of at most `tight_bodies`
// that nothing drives and in which a pair with little play collides are tight; true when there is one.
static bool count_colliding(nc_components *components, const nc_near *near, const nc_collision *collisions, int count,
                            int tight_bodies, bool one_by_one)
{
    bool any_tight = false;
    for (int k = 0; k < count; k++)
        nc_components_unite(components, collisions[k].i, collisions[k].j);
    for (int k = 0; k < count; k++)
        nc_components_drive(components, collisions[k].i, collisions[k].j);
    for (int i = 0; i < components->rows; i++) {
        nc_ladder *ladder = &components->ladders.data[i];
        ladder->colliding = ladder->repeated = ladder->changed = 0;
        ladder->collected = ladder->waits = false;
    }
    for (int k = 0; k < count; k++) {
        nc_ladder *ladder = nc_components_ladder(components, collisions[k].i, collisions[k].j);
        ladder->colliding++;
        ladder->repeated += collisions[k].checks >= NC_ROUNDS_REPEATED_COLLISIONS;
        if (!ladder->driven && !ladder->jointed && ladder->bodies <= tight_bodies &&
            nc_pair_is_tight(near, collisions[k].i, collisions[k].j))
            ladder->tight = any_tight = true;
    }
    for (int i = 0; i < components->rows; i++) {
        nc_ladder *ladder = &components->ladders.data[i];
        if (one_by_one || !is_root(components, i) || ladder->done || ladder->rung != NC_RUNG_SINGLE ||
            !(ladder->tight || ladder->jointed || needs_batch(ladder)))
            continue;
        climb(ladder, NC_RUNG_WHOLE);
        ladder->waits = true; // for the look at all its pairs
    }
    return any_tight;
}

static void join_batch(nc_components *components, const nc_collision *hit, nc_ladder *ladder)
{
    const int row[2] = {hit->i, hit->j};
    for (int side = 0; side < 2; side++) {
        ladder->batched += components->role[row[side]] == NC_ROLE_FREE && !components->batched.data[row[side]];
        components->batched.data[row[side]] = 1;
    }
}

// Adds a colliding pair to what its component has gathered before.
static nc_code collect_pair(nc_step *step, const nc_collision *hit, const nc_rounds *rounds, nc_ladder *ladder,
                            nc_error *err)
{
    nc_workspace *w = step->work;
    const int before = w->batch.count;
    bool done = false;
    join_batch(&w->components, hit, ladder);
    const nc_code code = nc_step_can_respond(step, hit) ? rounds->collect(step, hit, &done, err) : NC_OK;
    ladder->changed += done;
    ladder->collected = ladder->collected || w->batch.count > before;
    return code;
}

// Every pair that collided when the round began is treated once, by time.
static nc_code treat_pairs(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, int count, nc_error *err)
{
    nc_code code = NC_OK;
    bool collected = false;
    for (int k = 0; code == NC_OK && k < count; k++) {
        const nc_collision *hit = &step->work->collisions.data[k];
        nc_ladder *ladder = nc_components_ladder(&step->work->components, hit->i, hit->j);
        if (ladder->done || ladder->waits)
            continue;
        code = ladder->rung == NC_RUNG_SINGLE ? resolve_pair(step, certifier, hit, rounds, &ladder->changed, err)
                                              : collect_pair(step, hit, rounds, ladder, err);
        collected = collected || ladder->collected;
    }
    return code == NC_OK && collected ? rounds->solve_batch(step, err) : code;
}

// ---- what is next -------------------------------------------------------------------------------------------

static void go_on_single(nc_ladder *ladder, bool one_by_one)
{
    // Those that collided are brought to an end among themselves before the others are swept again.
    ladder->scope = ladder->changed == 0 ? NC_ALL_PAIRS : NC_PAIRS_SEEN_COLLIDING;
    if (ladder->passes >= NC_ROUNDS_SINGLE_PASSES && !one_by_one)
        climb(ladder, is_large_batch(ladder) ? NC_RUNG_WHOLE : NC_RUNG_BATCH);
}

static void go_on_batch(nc_ladder *ladder)
{
    ladder->scope = ladder->changed == 0 ? NC_ALL_PAIRS : NC_PAIRS_SEEN_COLLIDING;
    if (is_large_batch(ladder) || NC_ROUNDS_BODIES_PER_BATCHED * ladder->batched > ladder->bodies)
        climb(ladder, NC_RUNG_WHOLE);
    else
        ladder->done = ladder->solves >= NC_ROUNDS_BATCH_SOLVES;
}

static void go_on_whole(nc_ladder *ladder)
{
    const bool large = ladder->colliding >= NC_ROUNDS_LARGE_PAIRS;
    ladder->scope = large && ladder->solves % 2 == 1 ? NC_PAIRS_SEEN_COLLIDING : NC_ALL_PAIRS;
    ladder->done = ladder->solves >= (ladder->tight ? NC_TIGHT_SOLVES
                                      : large       ? NC_ROUNDS_LARGE_WHOLE_SOLVES
                                                    : NC_ROUNDS_WHOLE_SOLVES);
}

// After a round. A component is done when a look at all its pairs led to nothing, or at a limit.
static void go_on(nc_ladder *ladder, int limit, bool one_by_one)
{
    const bool seen = ladder->scope == NC_ALL_PAIRS;
    if (ladder->done || ladder->waits)
        return;
    ladder->passes += ladder->changed > 0;
    ladder->solves += ladder->rung != NC_RUNG_SINGLE;
    if (ladder->changed == 0 && seen) {
        ladder->done = true;
        return;
    }
    if (ladder->rung == NC_RUNG_SINGLE)
        go_on_single(ladder, one_by_one);
    else if (ladder->rung == NC_RUNG_BATCH)
        go_on_batch(ladder);
    else
        go_on_whole(ladder);
    ladder->done = ladder->done || ladder->passes >= limit;
    if (ladder->done)
        ladder->scope = NC_PAIRS_SEEN_COLLIDING; // a component that joins it later has pairs to sweep
}

static nc_code one_round(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, bool *more, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_components *components = &w->components;
    nc_code code = refresh(components, certifier, err);
    const int count = code == NC_OK ? nc_collisions_read(&w->collisions, certifier, &w->allocator) : 0;
    if (count < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that collide");
    if (code == NC_OK && nc_step_wake_colliding(step, w->collisions.data, count)) {
        *more = false; // the step is started again
        return NC_OK;
    }
    if (code == NC_OK) {
        step->any_tight |=
            count_colliding(components, &w->near, w->collisions.data, count, rounds->tight_bodies, rounds->one_by_one);
        code = treat_pairs(step, certifier, rounds, count, err);
    }
    *more = false;
    for (int i = 0; code == NC_OK && i < components->rows; i++) {
        if (is_root(components, i)) {
            go_on(&components->ladders.data[i], rounds->limit, rounds->one_by_one);
            *more = *more || !components->ladders.data[i].done;
        }
    }
    return code;
}

// Of the component that needed most.
static int passes_made(const nc_components *components)
{
    int passes = 0;
    for (int i = 0; i < components->rows; i++)
        if (is_root(components, i) && components->ladders.data[i].passes > passes)
            passes = components->ladders.data[i].passes;
    return passes;
}

nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_collision first;
    if (rounds->limit == 0 || nc_certify_collisions(certifier, &first, 1) == 0)
        return NC_OK;
    nc_code code = nc_near_update(&w->near, step->world->state.bodies.pose, err);
    if (code == NC_OK)
        code = nc_components_begin(&w->components, w->role, step->world->state.bodies.count, &w->near.table,
                                   &w->allocator, err);
    for (int k = 0; code == NC_OK && w->joints.on && k < w->joints.pairs.count; k++)
        nc_components_unite(&w->components, w->joints.pairs.data[k].i, w->joints.pairs.data[k].j);
    for (int i = 0; code == NC_OK && w->joints.on && i < w->components.rows; i++)
        if (w->joints.jointed.data[i] && w->role[i] == NC_ROLE_FREE)
            nc_components_ladder(&w->components, i, i)->jointed = true;
    bool more = true;
    w->batch.count = 0;
    while (code == NC_OK && more && w->fracture.impacts.count == 0) // a body that breaks: the step is started again
        code = one_round(step, certifier, rounds, &more, err);
    if (code == NC_OK)
        *(certifier == w->flights ? &step->report.collision_passes : &step->report.dynamic_passes) +=
            passes_made(&w->components);
    return code;
}
