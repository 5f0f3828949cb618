// One contact point: its frame, its relative velocity, its response to an impulse (English 3.2).
#include "contact/solver.h"

void nc_contact_tangents(nc_vec3 normal, nc_vec3 *t1, nc_vec3 *t2)
{
    // Singular nowhere: the sign keeps the denominator at least 1 in size.
    const double sign = normal.z >= 0 ? 1.0 : -1.0;
    const double p = -1.0 / (sign + normal.z);
    const double q = normal.x * normal.y * p;
    *t1 = nc_v3(1.0 + sign * normal.x * normal.x * p, sign * q, -sign * normal.x);
    *t2 = nc_v3(q, sign + normal.y * normal.y * p, -normal.y);
}

nc_vec3 nc_contact_impulse_vector(const nc_contact *contact)
{
    nc_vec3 t1, t2;
    nc_contact_tangents(contact->normal, &t1, &t2);
    const nc_vec3 l = nc_scale(contact->impulse.x, contact->normal);
    return nc_madd(nc_madd(l, contact->impulse.y, t1), contact->impulse.z, t2);
}

nc_vec3 nc_contact_impulse_parts(const nc_contact *contact, nc_vec3 vector)
{
    nc_vec3 t1, t2;
    nc_contact_tangents(contact->normal, &t1, &t2);
    return nc_v3(nc_dot(vector, contact->normal), nc_dot(vector, t1), nc_dot(vector, t2));
}

nc_vec3 nc_contact_velocity(const nc_solver_bodies *bodies, const nc_contact *contact)
{
    const nc_vec3 a = nc_add(bodies->v[contact->a], nc_cross(bodies->w[contact->a], contact->arm_a));
    const nc_vec3 b = nc_add(bodies->v[contact->b], nc_cross(bodies->w[contact->b], contact->arm_b));
    return nc_sub(a, b);
}

nc_mat3 nc_response_of(double inv_mass, const nc_mat3 *inv_inertia, nc_vec3 arm)
{
    // r*^T M r* e_i = (M (r x e_i)) x r; symmetric, so a column is a row.
    nc_mat3 k;
    const nc_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const nc_vec3 turn = nc_mat3_mul(*inv_inertia, nc_cross(arm, axis[i]));
        k.row[i] = nc_madd(nc_cross(turn, arm), inv_mass, axis[i]);
    }
    return k;
}

nc_mat3 nc_contact_response(const nc_solver_bodies *bodies, const nc_contact *contact)
{
    const int a = contact->a, b = contact->b;
    nc_mat3 k = nc_response_of(bodies->inv_mass[a], &bodies->inv_inertia[a], contact->arm_a);
    const nc_mat3 other = nc_response_of(bodies->inv_mass[b], &bodies->inv_inertia[b], contact->arm_b);
    for (int i = 0; i < 3; i++)
        k.row[i] = nc_add(k.row[i], other.row[i]);
    return k;
}

static void push(const nc_solver_bodies *bodies, int body, nc_vec3 arm, nc_vec3 impulse)
{
    if (!(bodies->inv_mass[body] > 0))
        return;
    bodies->v[body] = nc_madd(bodies->v[body], bodies->inv_mass[body], impulse);
    bodies->w[body] = nc_add(bodies->w[body], nc_mat3_mul(bodies->inv_inertia[body], nc_cross(arm, impulse)));
}

void nc_contact_apply(const nc_solver_bodies *bodies, const nc_contact *contact, nc_vec3 impulse)
{
    push(bodies, contact->a, contact->arm_a, impulse);
    push(bodies, contact->b, contact->arm_b, nc_neg(impulse));
}

double nc_contact_kinematic_work(const nc_solver_bodies *bodies, const nc_contact *contact, nc_vec3 impulse)
{
    double work = 0;
    if (!(bodies->inv_mass[contact->a] > 0)) {
        const nc_vec3 u = nc_add(bodies->v[contact->a], nc_cross(bodies->w[contact->a], contact->arm_a));
        work -= nc_dot(impulse, u);
    }
    if (!(bodies->inv_mass[contact->b] > 0)) {
        const nc_vec3 u = nc_add(bodies->v[contact->b], nc_cross(bodies->w[contact->b], contact->arm_b));
        work += nc_dot(impulse, u);
    }
    return work;
}
