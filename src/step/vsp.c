// The pipelines of stack layers: velocity-based shock propagation (Erleben, Fig. 14), and impulse-based shock
// propagation (5.2) to compare it with. They propose motions and solve for velocities; separate, settle and commit are
// the shell step's. docs/theory/vsp.md says what differs from the paper and why.
//
//   detection at t           the near pairs of where the last step ended
//   correction()             the paper's last line, with the detection it has in common with the next step's first
//   dynamics(a dt)           everybody feels everybody's weight
//   shock propagation of     bottom up, lower bodies held; continues from the impulses that there are
//     dynamics((1 - a) dt)
//     correction()
//
// Islands with joints are left out of all of it: mechanisms.c.
#include "step/step.h"

void nc_vsp_work_free(nc_vsp_work *vsp, const nc_allocator *allocator)
{
    nc_ncp_destroy(vsp->ncp);
    nc_array_free(allocator, &vsp->linear);
    nc_array_free(allocator, &vsp->angular);
    nc_array_free(allocator, &vsp->travel);
    nc_array_free(allocator, &vsp->turn);
    nc_array_free(allocator, &vsp->held_v);
    nc_array_free(allocator, &vsp->held_w);
    nc_array_free(allocator, &vsp->touched);
    nc_array_free(allocator, &vsp->gap);
    nc_array_free(allocator, &vsp->bounce);
    nc_array_free(allocator, &vsp->given);
    *vsp = (nc_vsp_work){0};
}

static nc_code reserve(nc_step *step, nc_error *err)
{
    nc_vsp_work *vsp = &step->work->vsp;
    const nc_allocator *memory = &step->work->allocator;
    const int rows = step->world->state.bodies.count, contacts = step->work->contacts.count;
    if (vsp->ncp == NULL)
        vsp->ncp = nc_ncp_create(memory);
    if (vsp->ncp == NULL || !nc_array_reserve(memory, &vsp->linear, rows) ||
        !nc_array_reserve(memory, &vsp->angular, rows) || !nc_array_reserve(memory, &vsp->travel, rows) ||
        !nc_array_reserve(memory, &vsp->turn, rows) || !nc_array_reserve(memory, &vsp->touched, rows) ||
        !nc_array_reserve(memory, &vsp->held_v, rows) || !nc_array_reserve(memory, &vsp->held_w, rows) ||
        !nc_array_reserve(memory, &vsp->gap, contacts) || !nc_array_reserve(memory, &vsp->bounce, contacts) ||
        !nc_array_reserve(memory, &vsp->given, contacts))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a step of %d bodies and %d contacts", rows, contacts);
    const int merits = step->world->trace_merit ? step->world->settings.vsp.iterations + 1 : 0;
    if (!nc_array_reserve(&step->world->settings.allocator, &step->world->merit, merits))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d values of the merit function", merits);
    return nc_ncp_reserve(vsp->ncp, rows, contacts, err);
}

// ---- the start ------------------------------------------------------------------------------------------------

// Scripted bodies are seen with the velocity that they are about to have.
static void begin_scripted(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    uint8_t flags = 0;
    if (w->role[i] == NC_ROLE_FIXED) {
        nc_stay(&w->flight[i], &bodies->pose[i]);
        return;
    }
    w->flight[i] = nc_step_script_path(step, i);
    nc_judge_path(step->world, i, &w->flight[i], &flags);
    if (w->role[i] == NC_ROLE_SCRIPTED) {
        const nc_segment *s = &w->flight[i].segments[0];
        w->v[i] = nc_scale(1.0 / step->dt, s->d);
        w->w[i] = nc_scale(1.0 / step->dt, s->theta);
    }
}

static void begin_bodies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        w->plain[i] = 0;
        w->v_hat[i] = w->v[i] = bodies->v[i];
        w->w[i] = bodies->spin[i];
        w->momentum[i] = bodies->momentum[i];
        w->energy[i] = bodies->spin_energy[i];
        if (!nc_row_is_free(w->role, i))
            begin_scripted(step, i);
    }
}

static void begin_rows(nc_vsp_work *vsp, const nc_world *world, const uint8_t *role, const nc_mat3 *inv_inertia)
{
    const nc_bodies *bodies = &world->state.bodies;
    for (int i = 0; i < bodies->count; i++) {
        vsp->travel.data[i] = vsp->turn.data[i] = vsp->linear.data[i] = vsp->angular.data[i] = nc_v3(0, 0, 0);
        vsp->touched.data[i] = 0;
        if (nc_row_is_free(role, i)) {
            vsp->linear.data[i] = nc_outer_acceleration(world, i);
            vsp->angular.data[i] = nc_mat3_mul(inv_inertia[i], bodies->torque[i]);
        }
    }
}

// Eq. 21, for what approaches faster than rest and will be inside the envelope in this step.
static double bounce_of(const nc_solver_bodies *bodies, const nc_contact *contact)
{
    return -contact->restitution * nc_dot(contact->normal, nc_contact_velocity(bodies, contact));
}

static void begin_contacts(nc_step *step)
{
    nc_workspace *w = step->work;
    nc_vsp_work *vsp = &w->vsp;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double rest_speed = nc_rest_speed(&step->world->settings, step->dt);
    nc_round_contacts(step->world, step->dt, &bodies, &w->contacts);
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        const double gap = contact->distance - nc_near_pair_rest(&w->near, contact->a, contact->b);
        vsp->gap.data[k] = gap;
        vsp->bounce.data[k] =
            nc_vsp_hits(&bodies, contact, gap, rest_speed, step->dt) ? bounce_of(&bodies, contact) : 0;
        vsp->touched.data[contact->a] = vsp->touched.data[contact->b] = 1;
        step->report.depth = fmax(step->report.depth, -gap);
        step->report.collisions += vsp->bounce.data[k] > 0;
    }
}

static nc_ncp_world view(nc_step *step)
{
    nc_vsp_work *vsp = &step->work->vsp;
    return (nc_ncp_world){.bodies = nc_step_solver_bodies(step),
                          .linear = vsp->linear.data,
                          .angular = vsp->angular.data,
                          .travel = vsp->travel.data,
                          .turn = vsp->turn.data,
                          .contacts = step->work->contacts.data,
                          .count = step->work->contacts.count,
                          .gap = vsp->gap.data,
                          .bounce = vsp->bounce.data};
}

static nc_ncp_settings velocity_settings(const nc_world_def *def)
{
    nc_ncp_settings settings = nc_ncp_settings_default();
    settings.friction = def->friction_model;
    settings.iterations = def->vsp.iterations;
    settings.tolerance = def->contact_tolerance;
    settings.damping = def->vsp.damping;
    settings.damping_falls = def->vsp.damping_falls;
    settings.scaling = def->vsp.diagonal_scaling;
    settings.symmetric = def->vsp.symmetric;
    settings.warm = def->vsp.warm_start;
    settings.clamp = def->energy_corrections;
    settings.workers = def->workers;
    return settings;
}

static nc_ncp_settings position_settings(const nc_world_def *def)
{
    nc_ncp_settings settings = nc_ncp_settings_default();
    settings.iterations = def->vsp.correction_iterations;
    settings.tolerance = def->contact_tolerance;
    settings.symmetric = def->vsp.symmetric;
    settings.workers = def->workers;
    return settings;
}

// ---- velocity-based shock propagation ---------------------------------------------------------------------------

typedef struct layers {
    nc_ncp *ncp;
    nc_ncp_world world;
    nc_ncp_settings velocity, position;
    double h;     // [s]
    double slack; // [m]
    nc_ncp_report dynamics, correction;
} layers;

static void correct(layers *l, const nc_layer *layer)
{
    if (l->position.iterations > 0)
        nc_correction(l->ncp, &l->world, layer, l->slack, &l->position, &l->correction);
}

static void treat_layer(const nc_layer *layer, void *ctx)
{
    layers *l = ctx;
    if (l->h + l->world.moved > 0)
        nc_dynamics(l->ncp, &l->world, layer, l->h, &l->velocity, &l->dynamics, NULL);
    correct(l, layer);
}

static nc_vec3 support_of(const nc_step *step)
{
    return nc_contacts_support(step->work->role, &step->work->contacts);
}

// Counts of one kind of solve go into the report.
static void report_solves(nc_step_report *report, const nc_ncp_report *solves)
{
    report->unconverged += solves->unconverged;
    report->residual = fmax(report->residual, solves->residual);
    report->clamps += solves->clamps;
    report->kinematic_work += solves->work;
}

// Contacts have what they gave: to bodies against their weight, and for those who ask.
static void record(nc_step *step, nc_contact_phase phase)
{
    step->report.support = nc_add(step->report.support, support_of(step));
    nc_step_record_contacts(step, phase, step->world->state.bodies.pose);
}

// Everybody at once, over h, from the impulses of the last step.
static nc_code solve_all(nc_step *step, layers *l, double h, nc_error *err)
{
    nc_world *world = step->world;
    nc_merit_trace trace = {world->merit.data, world->merit.capacity, 0};
    const nc_code code = l->velocity.warm ? nc_step_recall(step, NC_SOLVE_PREDICT, err) : NC_OK;
    if (code != NC_OK)
        return code;
    nc_dynamics(l->ncp, &l->world, NULL, h, &l->velocity, &l->dynamics, world->trace_merit ? &trace : NULL);
    world->merit.count = trace.count < trace.capacity ? trace.count : trace.capacity;
    step->report.contact_iterations = l->dynamics.iterations;
    report_solves(&step->report, &l->dynamics);
    l->dynamics = (nc_ncp_report){0};
    // Not those that layers make of them: what layers give, others do not feel.
    return l->velocity.warm ? nc_step_keep(step, NC_SOLVE_PREDICT, err) : NC_OK;
}

// Layers continue from what contacts gave over h.
static void continue_from(nc_step *step, layers *l, double h)
{
    nc_vec3 *given = step->work->vsp.given.data;
    for (int k = 0; k < l->world.count; k++)
        given[k] = l->world.contacts[k].impulse;
    l->world.given = given;
    l->world.moved = h;
}

static nc_code propagate(nc_step *step, layers *l, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_contact_graph graph;
    const nc_code code =
        nc_contact_graph_build(w->solver, &l->world.bodies, l->world.contacts, l->world.count, &graph, err);
    if (code != NC_OK)
        return code;
    l->velocity.clamp = false; // all layers together are
    nc_shock_propagate(&graph, treat_layer, l);
    if (step->world->settings.energy_corrections)
        nc_clamp_layers(l->ncp, &l->world, &graph, w->v_before, w->w_before, l->h + l->world.moved, &l->dynamics);
    step->report.shocks = graph.layer_count;
    step->report.final_iterations = l->dynamics.iterations;
    report_solves(&step->report, &l->dynamics);
    return NC_OK;
}

static layers make_layers(nc_step *step)
{
    return (layers){.ncp = step->work->vsp.ncp,
                    .world = view(step),
                    .velocity = velocity_settings(&step->world->settings),
                    .position = position_settings(&step->world->settings),
                    .slack = NC_VSP_SLACK_RESTS * step->world->settings.rest_distance};
}

static nc_code velocity_based(nc_step *step, nc_error *err)
{
    const nc_world_def *def = &step->world->settings;
    layers l = make_layers(step);
    const double weight = def->shock_propagation ? def->vsp.weight : 1;
    nc_code code = NC_OK;
    correct(&l, NULL);
    nc_step_remember_velocities(step);
    if (weight > 0)
        code = solve_all(step, &l, weight * step->dt, err);
    continue_from(step, &l, weight * step->dt);
    l.velocity.iterations *= NC_VSP_LAYER_ITERATIONS;
    l.h = (1 - weight) * step->dt;
    if (code == NC_OK && def->shock_propagation)
        code = propagate(step, &l, err);
    if (code == NC_OK)
        record(step, NC_CONTACT_REST);
    return code;
}

// ---- impulse-based shock propagation ------------------------------------------------------------------------------

// How bodies move while a layer holds them. Those slower than rest stand still, as in the paper: what a layer errs
// would else be carried up and grow, by levers, layer after layer. Faster ones carry what is on them.
static void hold(nc_vsp_work *vsp, const nc_solver_bodies *bodies, const uint8_t *role, const nc_mesh *const *mesh,
                 double rest_speed)
{
    for (int i = 0; i < bodies->count; i++) {
        vsp->held_v.data[i] = vsp->held_w.data[i] = nc_v3(0, 0, 0);
        if (!nc_row_is_free(role, i) || !vsp->touched.data[i])
            continue;
        const double radius = nc_mesh_radius(mesh[i]);
        if (nc_norm(bodies->v[i]) > rest_speed || radius * nc_norm(bodies->w[i]) > rest_speed) {
            vsp->held_v.data[i] = bodies->v[i];
            vsp->held_w.data[i] = bodies->w[i];
        }
    }
}

// Collisions; contact, with gravity; then contact again, layer by layer. Positions come from the last velocities, and
// are never corrected.
static nc_code impulse_based(nc_step *step, nc_error *err)
{
    nc_vsp_work *vsp = &step->work->vsp;
    layers l = make_layers(step);
    l.position.iterations = 0;
    l.velocity.solver = NC_SOLVER_SEQUENTIAL;
    l.velocity.warm = false;
    l.velocity.epsilon = 1;
    nc_ncp_settings contact = l.velocity;
    l.velocity.iterations = NC_ISP_COLLISION_SWEEPS;
    nc_dynamics(l.ncp, &l.world, NULL, 0, &l.velocity, &l.dynamics, NULL);
    record(step, NC_CONTACT_IMPACT);
    for (int k = 0; k < l.world.count; k++)
        vsp->bounce.data[k] = 0;
    contact.epsilon = step->world->settings.sequential_scale;
    nc_dynamics(l.ncp, &l.world, NULL, step->dt, &contact, &l.dynamics, NULL);
    step->report.contact_iterations = l.dynamics.iterations;
    report_solves(&step->report, &l.dynamics);
    record(step, NC_CONTACT_REST);
    l.dynamics = (nc_ncp_report){0};
    l.velocity.iterations = contact.iterations;
    l.h = step->dt;
    if (!step->world->settings.shock_propagation)
        return NC_OK;
    for (int i = 0; i < l.world.bodies.count; i++) // forces have had their turn, and positions are rebuilt
        vsp->linear.data[i] = vsp->angular.data[i] = vsp->travel.data[i] = vsp->turn.data[i] = nc_v3(0, 0, 0);
    nc_step_remember_velocities(step);
    hold(vsp, &l.world.bodies, step->work->role, step->work->mesh, nc_rest_speed(&step->world->settings, step->dt));
    l.world.held_v = vsp->held_v.data;
    l.world.held_w = vsp->held_w.data;
    const nc_code code = propagate(step, &l, err);
    if (code != NC_OK)
        return code;
    record(step, NC_CONTACT_REST);
    return step->world->settings.vsp.warm_start ? nc_step_keep(step, NC_SOLVE_SETTLE, err) : NC_OK;
}

// ---- proposals ----------------------------------------------------------------------------------------------------

// A body at rest stays where it is, so that what is near it need not be searched for again.
static void keep_still(nc_vsp_work *vsp, double radius, double rest, int i)
{
    const double way = nc_norm(vsp->travel.data[i]) + radius * nc_norm(vsp->turn.data[i]);
    if (way < NC_VSP_STILL_RESTS * rest)
        vsp->travel.data[i] = vsp->turn.data[i] = nc_v3(0, 0, 0);
}

// What contact left of a body's velocity is its velocity at the end; where it travelled is what it is to do.
static void propose_touched(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    keep_still(&w->vsp, nc_mesh_radius(w->mesh[i]), nc_world_body_rest(step->world, i), i);
    w->v_hat[i] = w->v[i];
    w->momentum[i] = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, w->w[i]);
    w->energy[i] = nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, w->momentum[i]);
    next->flags[i] |= NC_STEP_PUSHED | NC_STEP_SETTLED;
    w->v[i] = nc_scale(1.0 / step->dt, w->vsp.travel.data[i]); // what separate works on
    w->w[i] = nc_scale(1.0 / step->dt, w->vsp.turn.data[i]);
    nc_step_bound_proposal(step, i);
    next->path[i] =
        nc_path_free(bodies->pose[i], nc_scale(step->dt, w->v[i]), nc_scale(step->dt, w->w[i]), nc_v3(0, 0, 0));
}

// Who touches nothing flies as in the shell step.
static void propose_free(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    nc_candidates *next = &step->world->candidates;
    const nc_vec3 torque = bodies->torque[i];
    const nc_vec3 momentum = nc_madd(w->momentum[i], 0.5 * step->dt, torque);
    const bool turned = torque.x != 0 || torque.y != 0 || torque.z != 0;
    const double energy = turned ? nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, momentum) : w->energy[i];
    w->v[i] = nc_madd(w->v_hat[i], 0.5 * step->dt, nc_outer_acceleration(step->world, i));
    w->w[i] = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
    next->path[i] = nc_step_free_path(step, i, w->v[i], momentum, energy, &next->flags[i]);
}

static void propose(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    nc_step_bound_mechanisms(step);
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        next->flags[i] = 0;
        if (step->work->role[i] == NC_ROLE_FIXED) {
            nc_stay(&next->path[i], &bodies->pose[i]);
            continue;
        }
        if (!nc_row_is_free(step->work->role, i))
            next->path[i] = step->work->flight[i];
        else if (nc_step_in_mechanism(step, i))
            nc_step_propose_body(step, i);
        else if (step->work->vsp.touched.data[i])
            propose_touched(step, i);
        else
            propose_free(step, i);
        nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
    }
}

// ---- the phases ---------------------------------------------------------------------------------------------------

// What step 1 does where there are joints (mechanisms.c).
static nc_code begin_motion(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    step->report.kinetic_collided = step->report.kinetic_before;
    nc_place_inertia(&step->world->state.bodies, w->role, step->world->state.bodies.pose, w->inv_inertia);
    begin_bodies(step);
    return nc_ties_begin(&w->ties, step->world->state.bodies.count, &w->allocator, err);
}

nc_code nc_step_vsp_begin(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->contacts.count = 0;
    step->world->merit.count = 0;
    nc_code code = w->joints.on ? NC_OK : begin_motion(step, err);
    if (code == NC_OK)
        code = nc_near_contacts(&w->near, step->world->state.bodies.pose, &w->contacts, err);
    if (code == NC_OK)
        code = nc_step_leave_mechanisms(step, err);
    if (code == NC_OK)
        code = reserve(step, err);
    if (code != NC_OK)
        return code;
    begin_rows(&w->vsp, step->world, w->role, w->inv_inertia);
    begin_contacts(step);
    return nc_step_vsp_record_impacts(step, err);
}

nc_code nc_step_vsp_solve(nc_step *step, nc_error *err)
{
    const nc_workspace *w = step->work;
    step->report.contacts = step->report.final_contacts = w->contacts.count;
    nc_step_tie_contacts(step, true);
    if (w->contacts.count == 0)
        return NC_OK;
    return step->world->settings.pipeline == NC_PIPELINE_ISP ? impulse_based(step, err) : velocity_based(step, err);
}

nc_code nc_step_vsp_propose(nc_step *step, nc_error *err)
{
    (void)err;
    propose(step);
    return NC_OK;
}
