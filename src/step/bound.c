// Bounded proposals: contact may change where a body goes, but not fling it away.
//
// What a solver leaves unsolved, or a layer of shock propagation drops, can be any velocity. It is thrown away at the
// end of the step, yet the body would have gone where it led. So a proposal moves a body by no more than
//   2 dt (v + dt a) + 2 d_rest,
// v being the larger of its stored speed and the one after collisions, a the acceleration by outer forces; and turns
// it, as the way of its farthest point, by no more than that and twice what its spin does. Both velocities are
// shortened by one factor, so that what parts continues parting. Bodies that are struck have their speed from the
// collision; what pushes more slowly than collisions count moves others by less than dt^2 a.
// docs/theory/step.md#bounded-proposals.
#include "step/step.h"

// [m/s] speed of the centre and of the farthest point by turning, that a body has or could have without contact.
typedef struct own_speeds {
    double travel, turn;
} own_speeds;

static own_speeds speeds_of(const nc_world *world, int i, nc_vec3 v_hat, nc_vec3 momentum_hat, double radius, double dt)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 a = nc_outer_acceleration(world, i);
    const nc_vec3 momentum = nc_madd(momentum_hat, dt, bodies->torque[i]);
    const nc_vec3 spin = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
    return (own_speeds){fmax(nc_norm(bodies->v[i]), nc_norm(v_hat)) + dt * nc_norm(a),
                        radius * fmax(nc_norm(bodies->spin[i]), nc_norm(spin))};
}

void nc_step_bound_proposal(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    if (nc_step_is_jointed(step, i)) // nc_step_bound_mechanisms
        return;
    const double radius = nc_mesh_radius(w->mesh[i]);
    const own_speeds own = speeds_of(step->world, i, w->v_hat[i], w->momentum[i], radius, step->dt);
    const double more = NC_PROPOSAL_MAX_RESTS * nc_world_body_rest(step->world, i) / step->dt;
    const double travel = nc_norm(w->v[i]), turn = radius * nc_norm(w->w[i]);
    const double most_travel = NC_PROPOSAL_MAX_SPEEDS * own.travel + more,
                 most_turn = most_travel + NC_PROPOSAL_MAX_SPEEDS * own.turn;
    if (!(travel > most_travel || turn > most_turn))
        return;
    const double part = fmin(travel > most_travel ? most_travel / travel : 1, turn > most_turn ? most_turn / turn : 1);
    w->v[i] = nc_scale(part, w->v[i]);
    w->w[i] = nc_scale(part, w->w[i]);
    step->report.bounded++;
}

// ---- bodies that joints connect -------------------------------------------------------------------------------

// [m/s] of the fastest point of a body's proposal.
static double speed_of(const nc_workspace *w, int i)
{
    return nc_norm(w->v[i]) + nc_mesh_radius(w->mesh[i]) * nc_norm(w->w[i]);
}

// [J] of turning.
static double turning_energy(const nc_bodies *bodies, int i, nc_vec3 momentum)
{
    return nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, momentum);
}

static void add_body(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    const double radius = nc_mesh_radius(w->mesh[i]), mass = bodies->mass[i];
    const own_speeds own = speeds_of(step->world, i, w->v_hat[i], w->momentum[i], radius, step->dt);
    const nc_vec3 pushed = nc_madd(w->momentum[i], step->dt, bodies->torque[i]);
    const nc_vec3 proposed = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, w->w[i]);
    nc_mechanism *m = &w->joints.mechanisms.data[w->joints.mechanisms.data[i].root];
    m->own = fmax(m->own, own.travel + own.turn);
    m->speed = fmax(m->speed, speed_of(w, i));
    m->rest = fmax(m->rest, nc_world_body_rest(step->world, i));
    m->mass += mass;
    m->own_energy += 0.5 * mass * own.travel * own.travel +
                     fmax(turning_energy(bodies, i, bodies->momentum[i]), turning_energy(bodies, i, pushed));
    m->energy += 0.5 * mass * nc_norm2(w->v[i]) + turning_energy(bodies, i, proposed);
}

// What the impulse of a row changes of an end by itself.
static double speed_given(const nc_step *step, const nc_joint_row *row, int e)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const int i = row->end[e].body;
    const nc_vec3 momentum = nc_scale(row->impulse, row->end[e].angular);
    const nc_vec3 spin = nc_inertia_spin(&bodies->inertia[i], bodies->pose[i].q, momentum);
    return bodies->inv_mass[i] * fabs(row->impulse) * nc_norm(row->end[e].linear) +
           nc_mesh_radius(step->work->mesh[i]) * nc_norm(spin);
}

static void add_row(const nc_step *step, const nc_joint_row *row)
{
    const nc_workspace *w = step->work;
    nc_mechanism *m = NULL;
    double scripted = 0, given = 0, speed = 0;
    for (int e = 0; e < 4; e++) {
        const int i = row->end[e].body;
        if (i < 0)
            continue;
        speed += nc_dot(row->end[e].linear, w->v[i]) + nc_dot(row->end[e].angular, w->w[i]);
        if (w->role[i] == NC_ROLE_SCRIPTED)
            scripted = fmax(scripted, speed_of(w, i));
        if (!nc_row_is_free(w->role, i))
            continue;
        m = &w->joints.mechanisms.data[w->joints.mechanisms.data[i].root];
        given += row->drives ? speed_given(step, row, e) : 0;
    }
    if (m == NULL)
        return;
    m->scripted = fmax(m->scripted, scripted);
    m->given += given;
    m->work += row->drives ? fabs(row->impulse * speed) : 0;
    if (row->demand / 6 == NC_RULE_EQUAL)
        m->mended = fmax(m->mended, fmin(fabs(row->target), NC_JOINT_CORRECTION / step->dt));
}

static bool is_free_and_jointed(const nc_step *step, int i)
{
    return nc_row_is_free(step->work->role, i) && nc_step_is_jointed(step, i);
}

static double square(double x)
{
    return x * x;
}

// The part of the proposals of a mechanism that is kept; 1 when all of it is, or when a speed is not finite.
static double part_kept(const nc_mechanism *m, double dt)
{
    const double push = NC_PROPOSAL_MAX_RESTS * m->rest / dt;
    const double most = NC_MECHANISM_MAX_SPEEDS * (fmax(m->own, m->scripted) + m->given + m->mended) + push;
    const double moved = 0.5 * m->mass * (square(m->scripted) + square(m->mended) + square(push));
    const double most_energy = square(NC_MECHANISM_MAX_SPEEDS) * (m->own_energy + m->work + moved);
    const double by_speed = m->speed > most ? most / m->speed : 1;
    const double by_energy = m->energy > most_energy ? sqrt(most_energy / m->energy) : 1;
    return fmin(by_speed, by_energy);
}

void nc_step_judge_mechanisms(nc_step *step)
{
    const nc_workspace *w = step->work;
    nc_mechanism *mechanisms = w->joints.mechanisms.data;
    const int count = step->world->state.bodies.count;
    const bool known =
        w->joints.view.touched_only; // rows of dynamic contact have no springs and drives: as predict had them
    for (int i = 0; i < count; i++)
        mechanisms[i] = (nc_mechanism){.root = mechanisms[i].root,
                                       .given = known ? mechanisms[i].given : 0,
                                       .work = known ? mechanisms[i].work : 0};
    for (int i = 0; i < count; i++)
        if (is_free_and_jointed(step, i))
            add_body(step, i);
    for (int k = 0; k < w->joints.view.count; k++)
        add_row(step, &w->joints.view.rows[k]);
    for (int i = 0; i < count; i++)
        mechanisms[i].part = mechanisms[i].root == i ? part_kept(&mechanisms[i], step->dt) : 1;
}

void nc_step_bound_mechanisms(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_mechanism *mechanisms = w->joints.mechanisms.data;
    if (!w->joints.on)
        return;
    nc_step_judge_mechanisms(step);
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const double part = is_free_and_jointed(step, i) ? mechanisms[mechanisms[i].root].part : 1;
        if (part < 1) {
            w->v[i] = nc_scale(part, w->v[i]);
            w->w[i] = nc_scale(part, w->w[i]);
            step->report.bounded++;
        }
    }
}
