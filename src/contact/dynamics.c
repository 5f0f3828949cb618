// dynamics(h): velocities without approach, then positions (Erleben eq. 45).
#include "contact/ncp_rows.h"

#include <math.h>

static void load_end(const nc_ncp *ncp, const nc_ncp_world *world, int body)
{
    if (ncp->place.data[body] >= 0)
        return;
    const bool held = world->bodies.inv_mass[body] > 0 && world->held_v != NULL;
    ncp->slots.data[body] = held ? (nc_ncp_slot){world->held_v[body], world->held_w[body]}
                                 : (nc_ncp_slot){world->bodies.v[body], world->bodies.w[body]};
}

// V* = u + h M^-1 f of those that move; the others keep what they have.
static void load_members(const nc_ncp *ncp, const nc_ncp_world *world, double h)
{
    const nc_solver_bodies *bodies = &world->bodies;
    for (int m = 0; m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        nc_velocity_change *change = &ncp->changes.data[m];
        *change = (nc_velocity_change){.inv_mass = bodies->inv_mass[i], .inv_inertia = bodies->inv_inertia[i]};
        change->v = nc_madd(bodies->v[i], h, world->linear[i]);
        change->w = nc_madd(bodies->w[i], h, world->angular[i]);
        ncp->slots.data[i] = (nc_ncp_slot){change->v, change->w};
    }
}

// What is beyond the distance of rest may close to it.
static double target_of(const nc_ncp_world *world, int k, double h)
{
    const double gap = world->gap[k] + nc_ncp_closing(world, &world->contacts[k]);
    const double closing = gap > 0 ? -gap / h : 0; // in no time (h = 0): at any speed
    return world->bounce[k] > 0 && world->bounce[k] > closing ? world->bounce[k] : closing;
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
    for (int k = 0; k < 3; k++)
        nc_ncp_row_push(&rows[k], slots, rows[k].lambda);
}

static nc_ncp_problem build(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, nc_ncp_list list, double h)
{
    for (int k = 0; k < list.count; k++) {
        const nc_contact *contact = &world->contacts[list.contacts[k]];
        nc_ncp_row *rows = &ncp->rows.data[3 * (size_t)k];
        nc_vec3 t1, t2;
        load_end(ncp, world, contact->a);
        load_end(ncp, world, contact->b);
        nc_contact_tangents(contact->normal, &t1, &t2);
        rows[0] = nc_ncp_row_build(&world->bodies, layer, contact, contact->normal);
        rows[1] = nc_ncp_row_build(&world->bodies, layer, contact, t1);
        rows[2] = nc_ncp_row_build(&world->bodies, layer, contact, t2);
        rows[0].target = target_of(world, list.contacts[k], h);
    }
    return (nc_ncp_problem){ncp->slots.data, ncp->rows.data, list.count, 3};
}

static int group_of(nc_ncp *ncp, const nc_contact *contact)
{
    const int *place = ncp->place.data;
    int body = place[contact->a] >= 0 ? contact->a : place[contact->b] >= 0 ? contact->b : -1;
    if (body < 0)
        return -1;
    while (ncp->parent.data[body] != body)
        body = ncp->parent.data[body];
    return ncp->group_of.data[body];
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

// What every body was given: from here on this is the truth, V = V* + M^-1 (what was given).
static void record(nc_ncp *ncp, const nc_ncp_world *world, nc_ncp_list list, int groups)
{
    for (int g = 0; g < groups; g++)
        ncp->work.data[g] = 0;
    for (int k = 0; k < list.count; k++) {
        nc_contact *contact = &world->contacts[list.contacts[k]];
        const nc_ncp_row *rows = &ncp->rows.data[3 * (size_t)k];
        contact->impulse = nc_v3(rows[0].lambda, rows[1].lambda, rows[2].lambda);
        const int group = group_of(ncp, contact);
        if (group < 0)
            continue;
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        give(ncp, contact->a, contact->arm_a, impulse);
        give(ncp, contact->b, contact->arm_b, nc_neg(impulse));
        ncp->work.data[group] += nc_contact_kinematic_work(&world->bodies, contact, impulse);
    }
}

// Lets the part of a group's change happen that the clamp allows. work[group] becomes that part.
static void store(nc_ncp *ncp, const nc_ncp_world *world, int group, bool clamped, nc_ncp_report *report)
{
    const int begin = ncp->group_begin.data[group], end = ncp->group_begin.data[group + 1];
    const nc_velocity_change *changes = &ncp->changes.data[begin];
    const double work = ncp->work.data[group];
    const nc_clamp clamp =
        clamped ? nc_clamp_find(changes, end - begin, work) : nc_clamp_without(changes, end - begin, work);
    for (int m = begin; m < end; m++) {
        const int i = ncp->members.data[m];
        nc_velocity_change_part(&ncp->changes.data[m], clamp.factor, &world->bodies.v[i], &world->bodies.w[i]);
    }
    report->clamps += clamp.factor < NC_CLAMPED ? 1 : 0;
    report->work += clamp.work;
    ncp->work.data[group] = clamp.factor;
}

// Clamps what was recorded, group by group.
static void clamp_groups(nc_ncp *ncp, const nc_ncp_world *world, int groups, bool clamped, nc_ncp_report *report)
{
    for (int g = 0; g < groups; g++)
        store(ncp, world, g, clamped, report);
}

static void scale_impulses(nc_ncp *ncp, const nc_ncp_world *world, nc_ncp_list list)
{
    for (int k = 0; k < list.count; k++) {
        nc_contact *contact = &world->contacts[list.contacts[k]];
        const int group = group_of(ncp, contact);
        const double factor = group >= 0 ? ncp->work.data[group] : 0;
        if (factor < 1)
            contact->impulse = factor > 0 ? nc_scale(factor, contact->impulse) : nc_v3(0, 0, 0);
    }
}

void nc_dynamics(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer, double h,
                 const nc_ncp_settings *settings, nc_ncp_report *report, nc_merit_trace *trace)
{
    const nc_ncp_list list = nc_ncp_list_of(ncp, world, layer);
    const int groups = nc_ncp_find_members(ncp, world, layer, list);
    load_members(ncp, world, h);
    const nc_ncp_problem problem = build(ncp, world, layer, list, h);
    const double stop = nc_ncp_stop(&problem, settings);
    for (int k = 0; settings->warm && k < list.count; k++)
        start_warm(&problem.rows[3 * (size_t)k], world->contacts[list.contacts[k]].impulse, settings->friction,
                   problem.slots);
    double residual = 0;
    const int iterations = nc_ncp_iterate(&problem, settings, stop, &residual, trace);
    nc_ncp_add_report(report, iterations, residual, stop);
    record(ncp, world, list, groups);
    clamp_groups(ncp, world, groups, settings->clamp, report);
    scale_impulses(ncp, world, list);
    for (int m = 0; m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        world->travel[i] = nc_madd(world->travel[i], h, world->bodies.v[i]);
        world->turn[i] = nc_madd(world->turn[i], h, world->bodies.w[i]);
    }
    nc_ncp_forget_members(ncp);
}

// What the bodies that moved in a layer were given by one of its contacts.
static void record_layer(nc_ncp *ncp, const nc_ncp_world *world, const nc_contact_graph *graph, int layer)
{
    for (int i = graph->layer_begin[layer]; i < graph->layer_begin[layer + 1]; i++) {
        const nc_contact *contact = &world->contacts[graph->contacts[i]];
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        if (graph->height[contact->a] > layer)
            give(ncp, contact->a, contact->arm_a, impulse);
        if (graph->height[contact->b] > layer)
            give(ncp, contact->b, contact->arm_b, nc_neg(impulse));
        const int group = group_of(ncp, contact);
        if (group >= 0)
            ncp->work.data[group] += nc_contact_kinematic_work(&world->bodies, contact, impulse);
    }
}

void nc_clamp_layers(nc_ncp *ncp, const nc_ncp_world *world, const nc_contact_graph *graph, const nc_vec3 *v,
                     const nc_vec3 *w, double h, nc_ncp_report *report)
{
    const nc_ncp_list list = nc_ncp_list_of(ncp, world, NULL);
    const int groups = nc_ncp_find_members(ncp, world, NULL, list);
    for (int m = 0; m < ncp->members.count; m++) {
        const int i = ncp->members.data[m];
        ncp->changes.data[m] = (nc_velocity_change){.inv_mass = world->bodies.inv_mass[i],
                                                    .inv_inertia = world->bodies.inv_inertia[i],
                                                    .v = nc_madd(v[i], h, world->linear[i]),
                                                    .w = nc_madd(w[i], h, world->angular[i])};
    }
    for (int g = 0; g < groups; g++)
        ncp->work.data[g] = 0;
    for (int layer = 0; layer < graph->layer_count; layer++)
        record_layer(ncp, world, graph, layer);
    clamp_groups(ncp, world, groups, true, report);
    scale_impulses(ncp, world, list);
    nc_ncp_forget_members(ncp);
}
