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
    if (nc_step_is_jointed(step, i)) // a joint may move it: its own velocity says little
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
