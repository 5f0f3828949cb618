// Contacts of bodies that roll over finely cut surfaces.
#include "step/chord.h"

// A vertex beside the place where a round surface would touch is moved there.
static void make_round(const nc_world *world, double dt, const nc_solver_bodies *bodies, nc_contact *contact)
{
    const double rest = nc_world_pair_rest(world, contact->a, contact->b);
    const double slack = NC_ROLL_SLACK_RESTS * nc_world_common_rest(world, contact->a, contact->b);
    const nc_vec3 w_a = bodies->w[contact->a], w_b = bodies->w[contact->b], n = contact->normal;
    const nc_vec3 u_a = nc_cross(w_a, contact->arm_a), u_b = nc_cross(w_b, contact->arm_b);
    const double speed = nc_dot(n, nc_sub(u_a, u_b)); // of closing, by turning alone; below 0
    const double bend = nc_dot(n, nc_sub(nc_cross(w_a, u_a), nc_cross(w_b, u_b)));
    const nc_vec3 across = nc_cross(nc_sub(w_a, w_b), n);
    const double turn2 = nc_norm2(across), left = fmax(0, contact->distance - rest);
    if (!(4 * bend * dt * dt > slack && speed * speed <= 2 * bend * (left + slack) && turn2 > 0))
        return;
    const nc_vec3 turn = nc_sub(w_a, w_b);
    if (fabs(nc_dot(turn, n)) > NC_ROLL_MAX_TILT * nc_norm(turn))
        return;
    if (4 * turn2 < nc_norm2(nc_cross(w_a, n)) + nc_norm2(nc_cross(w_b, n)))
        return; // they turn together: neither rolls on the other, and the place may be anywhere
    const nc_vec3 shift = nc_scale(speed / turn2, across);
    contact->arm_a = nc_add(contact->arm_a, shift);
    contact->arm_b = nc_add(contact->arm_b, shift);
    contact->round = true;
}

void nc_round_contacts(const nc_world *world, double dt, const nc_solver_bodies *bodies, nc_contact_list *contacts)
{
    for (int k = 0; k < contacts->count; k++)
        make_round(world, dt, bodies, &contacts->data[k]);
}
