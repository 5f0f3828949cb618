// A frame: windows of time, and in each the ticks of all clocks in order of (time, kind, id).
#include "acm/forces.h"

static int finest_level(const nc_cloth_world *world)
{
    int level = world->model.settings.gravity_level;
    const nc_acm_elastic *e = &world->elastic;
    if (e->springs.count > 0 && e->springs.data[e->springs.count - 1].level > level)
        level = e->springs.data[e->springs.count - 1].level;
    if (e->hinges.count > 0 && e->hinges.data[e->hinges.count - 1].level > level)
        level = e->hinges.data[e->hinges.count - 1].level;
    return level;
}

// All forces that tick now: coarse clocks tick at few of the multiples of the finest, fine ones at many.
static void run_tick(nc_cloth_world *world, const nc_acm_run *run)
{
    const int level = nc_acm_level_at(run->now);
    const nc_acm_elastic *e = &world->elastic;
    const int gravity_level = world->model.settings.gravity_level;
    if (gravity_level >= level) {
        nc_acm_gravity_kick(run, world, ldexp(world->model.settings.frame_dt, -gravity_level));
        world->counts.gravity++;
    }
    const int springs = e->springs.count - e->first_spring[level], hinges = e->hinges.count - e->first_hinge[level];
    nc_acm_springs_kick(run, e->springs.data + e->first_spring[level], springs);
    nc_acm_hinges_kick(run, e->hinges.data + e->first_hinge[level], hinges);
    world->counts.stretch += springs;
    world->counts.bend += hinges;
}

static void open_trace(nc_cloth_world *world, int64_t begin, int64_t end)
{
    nc_acm_trace *t = &world->trace;
    for (int i = 0; i < t->count; i++)
        t->last[t->pieces[i].vertex] = -1;
    t->count = 0;
    t->begin = begin;
    t->end = end;
}

// Every tick of (begin, end].
static nc_code run_window(nc_cloth_world *world, int64_t begin, int64_t end, nc_error *err)
{
    open_trace(world, begin, end);
    nc_acm_trace *t = &world->trace;
    const int64_t step = nc_acm_step_ticks(finest_level(world));
    for (int64_t now = (begin / step + 1) * step; now <= end; now += step) {
        if (!nc_grow(&world->allocator, (void **)&t->pieces, &t->capacity, t->count + world->model.vertex_count,
                     sizeof *t->pieces))
            return nc_fail_memory(err, (size_t)t->count * sizeof *t->pieces);
        const nc_acm_run run = {world->states, t, world->kicks, world->model.unit, now};
        run_tick(world, &run);
    }
    return NC_OK;
}

nc_code nc_acm_run_frame(nc_cloth_world *world, nc_error *err)
{
    const int64_t begin = world->frame * NC_ACM_FRAME, step = nc_acm_step_ticks(NC_ACM_SCRIPT_LEVEL);
    nc_code code = NC_OK;
    for (int64_t now = begin; code == NC_OK && now < begin + NC_ACM_FRAME; now += step) {
        nc_acm_scripts_run(world, now);
        code = run_window(world, now, now + step, err);
        world->counts.windows++;
    }
    return code;
}
