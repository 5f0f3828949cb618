// Following certificates: the run as Harmon et al. describe it. Certificates fail at known times; before the ticks of
// that time the layers that they stood for are activated. Layers that are null while the pair separates are let go.
#include "cloth/ticks.h"

#include <string.h>

typedef struct following {
    nc_cloth_world *world;
    nc_cloth_kinetic *kinetic;
    NC_ARRAY(int) moved; // vertices that a tick kicked
    int64_t done;        // the last tick that was run
} following;

// ---- contacts -----------------------------------------------------------------------------------------------

// Where the pair is, or would be.
static int place_of(const nc_cloth_contacts *c, nc_cloth_pair pair)
{
    int low = 0, high = c->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (nc_cloth_pair_less(c->data[middle].pair, pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(nc_cloth_world *world, int at, nc_cloth_active_contact contact)
{
    nc_cloth_contacts *c = &world->contacts;
    if (!nc_grow(&world->allocator, (void **)&c->data, &c->capacity, c->count + 1, sizeof *c->data))
        return false;
    memmove(c->data + at + 1, c->data + at, (size_t)(c->count - at) * sizeof *c->data);
    c->data[at] = contact;
    c->count++;
    return true;
}

// Activates what the needs ask for, at once.
static nc_code activate(following *f, int64_t now, nc_error *err)
{
    nc_cloth_world *world = f->world;
    nc_cloth_contacts *c = &world->contacts;
    for (int i = 0; i < world->needs.count; i++) {
        const nc_cloth_near_pair *need = &world->needs.data[i];
        const int at = place_of(c, need->pair);
        if (at == c->count || nc_cloth_pair_less(need->pair, c->data[at].pair))
            if (!insert(world, at, nc_cloth_contact_make(&world->model, need->pair)))
                return nc_fail_memory(err, sizeof *c->data);
        const int depth = nc_cloth_depth_for(&world->model, &c->data[at], need->distance);
        if (depth > c->data[at].limit)
            return nc_cloth_fail_jammed(world, need->pair, 0, now, err);
        if (depth > c->data[at].depth)
            c->data[at].depth = depth;
    }
    world->needs.count = 0;
    return nc_cloth_islands_order(world) ? NC_OK : nc_fail_memory(err, sizeof *c->order);
}

// Contacts that a tick let go (depth -1) have certificates of their thickness again.
static nc_code release(following *f, int64_t now, nc_error *err)
{
    nc_cloth_world *world = f->world;
    nc_cloth_contacts *c = &world->contacts;
    int kept = 0;
    nc_code code = NC_OK;
    for (int i = 0; i < c->count; i++) {
        if (c->data[i].depth >= 0)
            c->data[kept++] = c->data[i];
        else if (code == NC_OK)
            code = nc_cloth_kinetic_released(f->kinetic, world->states, c->data[i].pair, now, err);
    }
    c->count = kept;
    if (code == NC_OK && !nc_cloth_islands_order(world))
        code = nc_fail_memory(err, sizeof *c->order);
    return code;
}

// ---- ticks --------------------------------------------------------------------------------------------------

static int64_t next_tick(const following *f)
{
    const int64_t step = nc_cloth_step_ticks(f->world->islands.data[0].finest);
    return (f->done / step + 1) * step;
}

// Tells the certificates of the kicks of a tick: the trace has a new piece for each.
static nc_code report_kicks(following *f, int first, int64_t now, nc_error *err)
{
    const nc_cloth_trace *t = &f->world->trace;
    f->moved.count = 0;
    for (int i = first; i < t->count; i++)
        if (!nc_array_push(&f->world->allocator, &f->moved, t->pieces[i].vertex))
            return nc_fail_memory(err, sizeof(int));
    return nc_cloth_kinetic_moved(f->kinetic, f->world->states, f->moved.data, f->moved.count, now, err);
}

static nc_code run_tick(following *f, int64_t now, nc_error *err)
{
    nc_cloth_world *world = f->world;
    nc_cloth_island *all = &world->islands.data[0];
    nc_cloth_trace *t = &world->trace;
    if (!nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, t->count + nc_cloth_island_room(world, all),
                 sizeof *t->pieces))
        return nc_fail_memory(err, sizeof *t->pieces);
    const int first = t->count;
    world->lets_go = true;
    world->let_go = 0;
    nc_cloth_run_tick(world, all, now);
    world->lets_go = false;
    f->done = now;
    if (all->jam.found)
        return nc_cloth_fail_jammed(world, all->jam.pair, all->jam.layer, all->jam.tick, err);
    nc_code code = report_kicks(f, first, now, err);
    if (code == NC_OK && world->let_go > 0)
        code = release(f, now, err);
    return code;
}

// Examines what there is of the trace, and begins it again.
static nc_code cut_trace(following *f, int64_t end, nc_error *err)
{
    f->world->trace.end = f->done;
    const nc_code code = nc_cloth_audit_trace(f->world, err);
    nc_cloth_trace_open(&f->world->trace, f->done, end);
    return code;
}

// Everything up to `end`, in order of time: failures before ticks.
static nc_code run_until(following *f, int64_t end, nc_error *err)
{
    nc_cloth_world *world = f->world;
    nc_code code = NC_OK;
    while (code == NC_OK) {
        const int64_t tick = next_tick(f), failure = nc_cloth_kinetic_next(f->kinetic);
        if (failure <= (tick < end ? tick : end)) {
            code = nc_cloth_kinetic_handle(f->kinetic, world->states, failure, &world->needs, err);
            if (code == NC_OK)
                code = activate(f, failure, err);
        } else if (tick <= end) {
            code = run_tick(f, tick, err);
            if (code == NC_OK && nc_cloth_trace_is_long(world, &world->islands.data[0]))
                code = cut_trace(f, end, err);
        } else {
            break;
        }
    }
    return code;
}

// All that physics moves is one island; what it did so far goes to the counts of the frame.
static nc_code unite(nc_cloth_world *world, nc_error *err)
{
    if (world->islands.count > 0)
        nc_cloth_counts_add(&world->counts, &world->islands.data[0]);
    return nc_cloth_components_update(world) && nc_cloth_islands_unite(world)
               ? NC_OK
               : nc_fail_memory(err, sizeof *world->islands.data);
}

// Scripts change velocities without leaving a trace: all scripted vertices are marked.
static nc_code run_scripts(following *f, int64_t now, nc_error *err)
{
    nc_cloth_world *world = f->world;
    nc_cloth_scripts_run(world, now);
    nc_code code = unite(world, err);
    for (int i = 0; code == NC_OK && i < world->scripts.count; i++)
        code = nc_cloth_kinetic_moved(f->kinetic, world->states, world->scripts.data[i].vertices,
                                      world->scripts.data[i].vertex_count, now, err);
    return code;
}

static nc_code run_frame(following *f, nc_error *err)
{
    nc_cloth_world *world = f->world;
    const int64_t begin = world->frame * NC_CLOTH_TICKS_PER_FRAME, step = nc_cloth_step_ticks(NC_CLOTH_SCRIPT_LEVEL);
    const int64_t gravity = nc_cloth_step_ticks(world->model.settings.gravity_level);
    world->islands.count = 0;
    nc_code code = unite(world, err);
    if (code == NC_OK)
        code = activate(f, begin, err);
    f->done = begin;
    for (int64_t now = begin; code == NC_OK && now < begin + NC_CLOTH_TICKS_PER_FRAME; now += step) {
        code = run_scripts(f, now, err);
        nc_cloth_trace_open(&world->trace, now, now + step);
        if (code == NC_OK)
            code = run_until(f, now + step, err);
        if (code == NC_OK)
            code = nc_cloth_audit_trace(world, err);
    }
    if (code == NC_OK)
        nc_cloth_counts_add(&world->counts, &world->islands.data[0]);
    world->counts.gravity = NC_CLOTH_TICKS_PER_FRAME / gravity;
    nc_cloth_kinetic_counts(f->kinetic, &world->counts.certificates, &world->counts.reschedules,
                            &world->counts.tree_events);
    return code;
}

nc_code nc_cloth_follow_frame(nc_cloth_world *world, nc_error *err)
{
    following f = {.world = world};
    world->needs.count = 0;
    world->contacts.count = 0;
    nc_code code = nc_cloth_kinetic_create(&world->model, world->states, world->frame * NC_CLOTH_TICKS_PER_FRAME,
                                           &world->needs, &f.kinetic, err);
    if (code == NC_OK)
        code = run_frame(&f, err);
    nc_cloth_kinetic_destroy(f.kinetic);
    nc_array_free(&world->allocator, &f.moved);
    return code;
}
