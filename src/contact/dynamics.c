// dynamics(h): velocities without approach, then positions (Erleben eq. 45).
#include "contact/ncp_rows.h"

#include <math.h>

// One call, for the threads that share its groups.
typedef struct dynamics {
    nc_ncp *ncp;
    const nc_ncp_world *world;
    const nc_layer *layer;
    const nc_ncp_settings *settings;
    nc_merit_trace *trace;
    double h;       // [s] of the forces
    double horizon; // [s] of the motion: h, and what an earlier solve moved
} dynamics;

// V* = u + h M^-1 f of those that move.
static void load_members(const nc_ncp *ncp, const nc_ncp_world *world, const nc_vec3 *v, const nc_vec3 *w, double h)
{
    const nc_solver_bodies *bodies = &world->bodies;
    for (int m = 0; m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        nc_velocity_change *change = &ncp->changes.data[m];
        *change = (nc_velocity_change){.inv_mass = bodies->inv_mass[i], .inv_inertia = bodies->inv_inertia[i]};
        change->v = nc_madd(v[i], h, world->linear[i]);
        change->w = nc_madd(w[i], h, world->angular[i]);
        ncp->slots.data[i] = nc_ncp_pairs_of(change->v, change->w);
    }
}

// What bodies travelled with the velocities that are to be solved for again.
static void take_back(const nc_ncp *ncp, const nc_ncp_world *world)
{
    const nc_solver_bodies *bodies = &world->bodies;
    for (int m = 0; world->moved > 0 && m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        world->travel[i] = nc_madd(world->travel[i], -world->moved, bodies->v[i]);
        world->turn[i] = nc_madd(world->turn[i], -world->moved, bodies->w[i]);
    }
}

static void load_end(const nc_ncp *ncp, const nc_ncp_world *world, int body)
{
    if (ncp->place.data[body] >= 0)
        return;
    const bool held = world->bodies.inv_mass[body] > 0 && world->held_v != NULL;
    ncp->slots.data[body] = held ? nc_ncp_pairs_of(world->held_v[body], world->held_w[body])
                                 : nc_ncp_pairs_of(world->bodies.v[body], world->bodies.w[body]);
}

// The others keep what they have, or move as held bodies do.
static void load_others(const nc_ncp *ncp, const nc_ncp_world *world, int groups)
{
    for (int k = 0; k < ncp->contact_begin.data[groups]; k++) {
        load_end(ncp, world, world->contacts[ncp->order.data[k]].a);
        load_end(ncp, world, world->contacts[ncp->order.data[k]].b);
    }
}

// [m/s] how a held body moves at a contact in this solve. Its travel has that motion already.
static nc_vec3 carried(const dynamics *d, int body, nc_vec3 arm)
{
    if (d->ncp->place.data[body] >= 0 || !(d->world->bodies.inv_mass[body] > 0))
        return nc_v3(0, 0, 0);
    const nc_ncp_slot *slot = &d->ncp->slots.data[body];
    return nc_add(nc_ncp_first(slot), nc_cross(nc_ncp_second(slot), arm));
}

// What is beyond the distance of rest may close to it.
static double target_of(const dynamics *d, int k)
{
    const nc_ncp_world *world = d->world;
    const nc_contact *contact = &world->contacts[k];
    const nc_vec3 held = nc_sub(carried(d, contact->a, contact->arm_a), carried(d, contact->b, contact->arm_b));
    const double gap = world->gap[k] + nc_ncp_closing(world, contact) - d->horizon * nc_dot(contact->normal, held);
    const double closing = gap > 0 ? -gap / d->horizon : 0; // in no time (0): at any speed
    return world->bounce[k] > 0 && world->bounce[k] > closing ? world->bounce[k] : closing;
}

static void build_rows(const dynamics *d, int index, nc_ncp_row *rows)
{
    const nc_contact *contact = &d->world->contacts[index];
    nc_vec3 t1, t2;
    nc_contact_tangents(contact->normal, &t1, &t2);
    nc_ncp_row_build(&d->world->bodies, d->layer, contact, contact->normal, &rows[0]);
    nc_ncp_row_build(&d->world->bodies, d->layer, contact, t1, &rows[1]);
    nc_ncp_row_build(&d->world->bodies, d->layer, contact, t2, &rows[2]);
    rows[0].target = target_of(d, index);
}

// Starts from the contact's impulse, brought into the bounds.
static void start_warm(nc_ncp_row *rows, nc_vec3 impulse, nc_friction_model friction, nc_ncp_slot *slots)
{
    if (!(impulse.x > 0) || !nc_finite3(impulse) || rows[0].inverse == 0)
        return;
    const double limit = rows[0].friction * impulse.x;
    const double size = friction == NC_FRICTION_CONE ? sqrt(impulse.y * impulse.y + impulse.z * impulse.z)
                                                     : fmax(fabs(impulse.y), fabs(impulse.z));
    const double part = size > limit ? limit / size : 1;
    rows[0].lambda = impulse.x;
    rows[1].lambda = part * impulse.y;
    rows[2].lambda = part * impulse.z;
    nc_ncp_ends ends = nc_ncp_ends_load(rows, slots);
    for (int k = 0; k < 3; k++)
        nc_ncp_row_push(&rows[k], &ends, rows[k].lambda);
    nc_ncp_ends_store(rows, &ends, slots);
}

// Starts from the impulse that velocities have already.
static void start_given(nc_ncp_row *rows, nc_vec3 impulse)
{
    rows[0].lambda = impulse.x;
    rows[1].lambda = impulse.y;
    rows[2].lambda = impulse.z;
}

static void start(const dynamics *d, int group)
{
    const nc_ncp *ncp = d->ncp;
    for (int k = ncp->contact_begin.data[group]; k < ncp->contact_begin.data[group + 1]; k++) {
        const int index = ncp->order.data[k];
        nc_ncp_row *rows = &ncp->rows.data[3 * (size_t)k];
        if (d->world->given != NULL)
            start_given(rows, d->world->given[index]);
        else if (d->settings->warm)
            start_warm(rows, d->world->contacts[index].impulse, d->settings->friction, ncp->slots.data);
    }
}

// What a contact's impulse is beyond what velocities had already, along its normal and tangents.
static nc_vec3 added(const nc_ncp_world *world, int k)
{
    return world->given != NULL ? nc_sub(world->contacts[k].impulse, world->given[k]) : world->contacts[k].impulse;
}

static nc_vec3 vector_of(const nc_contact *contact, nc_vec3 parts)
{
    nc_contact copy = *contact;
    copy.impulse = parts;
    return nc_contact_impulse_vector(&copy);
}

static void give(nc_ncp *ncp, int body, nc_vec3 arm, nc_vec3 impulse)
{
    const int place = ncp->place.data[body];
    if (place < 0)
        return;
    nc_velocity_change *change = &ncp->changes.data[place];
    change->linear = nc_add(change->linear, impulse);
    change->angular = nc_add(change->angular, nc_cross(arm, impulse));
}

// What every body was given: from here on this is the truth, V = V* + M^-1 (what was given). Returns the work of
// infinite bodies.
static double record(const dynamics *d, int group)
{
    nc_ncp *ncp = d->ncp;
    double work = 0;
    for (int k = ncp->contact_begin.data[group]; k < ncp->contact_begin.data[group + 1]; k++) {
        nc_contact *contact = &d->world->contacts[ncp->order.data[k]];
        const nc_ncp_row *rows = &ncp->rows.data[3 * (size_t)k];
        contact->impulse = nc_v3(rows[0].lambda, rows[1].lambda, rows[2].lambda);
        const nc_vec3 impulse = vector_of(contact, added(d->world, ncp->order.data[k]));
        give(ncp, contact->a, contact->arm_a, impulse);
        give(ncp, contact->b, contact->arm_b, nc_neg(impulse));
        work += nc_contact_kinematic_work(&d->world->bodies, contact, impulse);
    }
    return work;
}

// Lets the part of a group's change happen that the clamp allows.
static void store(nc_ncp *ncp, const nc_ncp_world *world, int group, bool clamped, double work)
{
    const int begin = ncp->group_begin.data[group], end = ncp->group_begin.data[group + 1];
    const nc_velocity_change *changes = &ncp->changes.data[begin];
    const nc_clamp clamp =
        clamped ? nc_clamp_find(changes, end - begin, work) : nc_clamp_without(changes, end - begin, work);
    for (int m = begin; m < end; m++) {
        const int i = ncp->members.data[m];
        nc_velocity_change_part(&ncp->changes.data[m], clamp.factor, &world->bodies.v[i], &world->bodies.w[i]);
    }
    for (int k = ncp->contact_begin.data[group]; k < ncp->contact_begin.data[group + 1] && clamp.factor < 1; k++) {
        nc_contact *contact = &world->contacts[ncp->order.data[k]];
        contact->impulse = clamp.factor > 0 ? nc_scale(clamp.factor, contact->impulse) : nc_v3(0, 0, 0);
    }
    ncp->fates.data[group].factor = clamp.factor;
    ncp->fates.data[group].work = clamp.work;
}

static void move_members(const dynamics *d, int group)
{
    const nc_ncp_world *world = d->world;
    for (int m = d->ncp->group_begin.data[group]; m < d->ncp->group_begin.data[group + 1]; m++) {
        const int i = d->ncp->members.data[m];
        world->travel[i] = nc_madd(world->travel[i], d->horizon, world->bodies.v[i]);
        world->turn[i] = nc_madd(world->turn[i], d->horizon, world->bodies.w[i]);
    }
}

static void solve_group(const dynamics *d, int group)
{
    nc_ncp *ncp = d->ncp;
    const int begin = ncp->contact_begin.data[group], end = ncp->contact_begin.data[group + 1];
    const nc_ncp_problem problem = {ncp->slots.data, &ncp->rows.data[3 * (size_t)begin], end - begin, 3};
    nc_ncp_fate *fate = &ncp->fates.data[group];
    for (int k = begin; k < end; k++)
        build_rows(d, ncp->order.data[k], &ncp->rows.data[3 * (size_t)k]);
    fate->stop = nc_ncp_stop(&problem, d->settings);
    start(d, group);
    fate->iterations = nc_ncp_iterate(&problem, d->settings, fate->stop, &fate->residual, d->trace);
    store(ncp, d->world, group, d->settings->clamp, record(d, group));
    move_members(d, group);
}

static void solve_groups(int begin, int end, void *ctx)
{
    for (int group = begin; group < end; group++)
        solve_group(ctx, group);
}

void nc_dynamics(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double h,
                 const nc_ncp_settings *settings, nc_ncp_report *report, nc_merit_trace *trace)
{
    dynamics d = {ncp, world, layer, settings, trace, h, h + world->moved};
    const int groups = nc_ncp_find_members(ncp, world, layer);
    take_back(ncp, world);
    load_members(ncp, world, world->bodies.v, world->bodies.w, h);
    load_others(ncp, world, groups);
    for (int k = 0; trace != NULL && k < trace->capacity; k++)
        trace->values[k] = 0;
    // The trace adds up over groups: one thread, in their order.
    nc_parallel_for(trace != NULL ? 1 : nc_ncp_workers(ncp, groups, settings), groups, NC_EFFORT_NCP_GRAIN,
                    solve_groups, &d);
    nc_ncp_add_report(ncp, groups, report);
    nc_ncp_forget_members(ncp);
}

// ---- layers -----------------------------------------------------------------------------------------------------

static int group_of(const nc_ncp *ncp, int body)
{
    while (ncp->parent.data[body] != body)
        body = ncp->parent.data[body];
    return ncp->group_of.data[body];
}

// What bodies were given by a layer's contacts: those that moved in it all, those it held what came before.
static void record_layer(nc_ncp *ncp, const nc_ncp_world *world, const nc_contact_graph *graph, int layer)
{
    for (int i = graph->layer_begin[layer]; i < graph->layer_begin[layer + 1]; i++) {
        const nc_contact *contact = &world->contacts[graph->contacts[i]];
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        const nc_vec3 before =
            world->given != NULL ? vector_of(contact, world->given[graph->contacts[i]]) : nc_v3(0, 0, 0);
        const bool moves_a = graph->height[contact->a] > layer, moves_b = graph->height[contact->b] > layer;
        give(ncp, contact->a, contact->arm_a, moves_a ? impulse : before);
        give(ncp, contact->b, contact->arm_b, nc_neg(moves_b ? impulse : before));
        if (moves_a || moves_b)
            ncp->fates.data[group_of(ncp, moves_a ? contact->a : contact->b)].work +=
                nc_contact_kinematic_work(&world->bodies, contact, impulse);
    }
}

void nc_clamp_layers(nc_ncp *ncp, const nc_ncp_world *world, const nc_contact_graph *graph, const nc_vec3 *v,
                     const nc_vec3 *w, double h, nc_ncp_report *report)
{
    const int groups = nc_ncp_find_members(ncp, world, NULL);
    load_members(ncp, world, v, w, h);
    for (int g = 0; g < groups; g++)
        ncp->fates.data[g] = (nc_ncp_fate){0};
    for (int layer = 0; layer < graph->layer_count; layer++)
        record_layer(ncp, world, graph, layer);
    for (int g = 0; g < groups; g++) {
        store(ncp, world, g, true, ncp->fates.data[g].work);
        report->clamps += ncp->fates.data[g].factor < NC_CLAMPED ? 1 : 0;
        report->work += ncp->fates.data[g].work;
    }
    nc_ncp_forget_members(ncp);
}
