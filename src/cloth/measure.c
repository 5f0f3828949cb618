// Energies, momenta, time steps: what a report says of a frame.
#include "cloth/contact.h"

static nc_vec3 position(const nc_cloth_world *world, int row)
{
    return nc_cloth_position_at(&world->states[row], world->frame * NC_CLOTH_TICKS_PER_FRAME, world->model.unit);
}

// Velocities belong to the times between kicks, positions to the kicks. All clocks tick at the end of a frame; what a
// vertex has there is the mean of its velocities before and after that tick, and what it has now where the tick is not
// known (before the first step, after a restore).
static nc_vec3 velocity(const nc_cloth_world *world, int row)
{
    const nc_cloth_state *s = &world->states[row];
    const int last =
        world->trace.last != NULL && s->t == world->frame * NC_CLOTH_TICKS_PER_FRAME ? world->trace.last[row] : -1;
    return last >= 0 ? nc_scale(0.5, nc_add(world->trace.pieces[last].v, s->v)) : s->v;
}

static void measure_motion(const nc_cloth_world *world, nc_cloth_report *r)
{
    for (int i = 0; i < world->model.vertex_count; i++) {
        const nc_cloth_state *s = &world->states[i];
        if (s->inv_mass == 0)
            continue;
        const double mass = world->model.mass[i];
        const nc_vec3 x = position(world, i), p = nc_scale(mass, s->v);
        r->kinetic += 0.5 * mass * nc_norm2(velocity(world, i));
        r->gravity_energy -= mass * nc_dot(world->model.settings.gravity, x);
        r->momentum = nc_add(r->momentum, p);
        r->angular_momentum = nc_add(r->angular_momentum, nc_cross(x, p));
    }
}

static void measure_elastic(const nc_cloth_world *world, nc_cloth_report *r)
{
    // Before the start forces hold stiffnesses, after it stiffness times step.
    const double dt = world->model.settings.frame_dt;
    for (int i = 0; i < world->elastic.springs.count; i++) {
        const nc_cloth_spring *s = &world->elastic.springs.data[i];
        const double off = nc_norm(nc_sub(position(world, s->b), position(world, s->a))) - s->rest;
        r->stretch_energy += 0.5 * s->kick / (world->started ? ldexp(dt, -s->level) : 1) * off * off;
    }
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        nc_vec3 x[4], gradient[4];
        double angle;
        for (int k = 0; k < 4; k++)
            x[k] = position(world, h->v[k]);
        if (!nc_cloth_hinge_angle(x, &angle, gradient))
            continue;
        const double off = angle - h->rest;
        r->bend_energy += 0.5 * h->kick / (world->started ? ldexp(dt, -h->level) : 1) * off * off;
    }
}

// Of the pairs that are examined: no other one has energy.
static void measure_contacts(const nc_cloth_world *world, nc_cloth_report *r)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const nc_cloth_active_contact *c = &world->contacts.data[i];
        nc_vec3 x[4];
        for (int k = 0; k < c->count; k++)
            x[k] = position(world, c->v[k]);
        const int level = c->level + c->depth;
        const nc_cloth_gap gap = nc_cloth_gap_of(c->pair.kind, x);
        if (!nc_cloth_contact_is_covered(&world->model, world->states, world->frame * NC_CLOTH_TICKS_PER_FRAME, c, x,
                                         &gap))
            r->contact_energy += nc_cloth_nest_energy(&world->model, c, gap.distance);
        if (c->depth >= 0)
            r->smallest_step = fmin(r->smallest_step, world->model.step[level]);
    }
}

static void copy_counts(const nc_cloth_counts *c, nc_cloth_report *r)
{
    r->gravity_events = c->gravity;
    r->stretch_events = c->stretch;
    r->bend_events = c->bend;
    r->contact_events = c->contact;
    r->contact_kicks = c->kicks;
    r->script_events = c->scripts;
    r->windows = c->windows;
    r->rollbacks = c->rollbacks;
    r->certificates = c->certificates;
    r->reschedules = c->reschedules;
    r->tree_events = c->tree_events;
    r->deepest_layer = c->deepest_layer;
    r->smallest_distance = c->smallest_distance;
    r->audited_pieces = c->audited;
    r->crossings = c->crossings;
}

static bool int_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const int *)a < *(const int *)b;
}

// Mean steps of the vertices that were kicked, from the shortest: many kicks are a short step.
static nc_code measure_steps(const nc_cloth_world *world, nc_cloth_report *r, nc_error *err)
{
    static const double parts[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    const size_t room = (size_t)world->model.vertex_count;
    int *sorted = nc_alloc(&world->allocator, room, sizeof *sorted);
    if (sorted == NULL)
        return nc_fail_memory(err, room * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < room; i++)
        if (world->kicks[i] > 0)
            sorted[count++] = world->kicks[i];
    const bool ok = nc_sort(&world->allocator, sorted, count, sizeof *sorted, int_less, NULL);
    for (int k = 0; ok && k < 5; k++)
        r->step_quantiles[k] =
            count > 0 ? world->model.settings.frame_dt / sorted[(size_t)((1 - parts[k]) * (double)(count - 1))] : 0;
    nc_free(&world->allocator, sorted, room, sizeof *sorted);
    return ok ? NC_OK : nc_fail_memory(err, room * sizeof *sorted);
}

// Of the finest clock of gravity, springs and hinges [s].
static double elastic_step(const nc_cloth_world *world)
{
    const int gravity = world->model.settings.gravity_level, finest = world->elastic.finest;
    return world->model.step[finest > gravity ? finest : gravity];
}

nc_code nc_cloth_measure(const nc_cloth_world *world, nc_cloth_report *report, nc_error *err)
{
    *report = (nc_cloth_report){.frame = world->frame,
                                .time = nc_cloth_time(world),
                                .vertices = world->model.vertex_count,
                                .contacts = world->contacts.count};
    copy_counts(&world->counts, report);
    measure_motion(world, report);
    measure_elastic(world, report);
    report->smallest_step = world->started ? elastic_step(world) : world->model.settings.frame_dt;
    measure_contacts(world, report);
    return world->started ? measure_steps(world, report, err) : NC_OK;
}
