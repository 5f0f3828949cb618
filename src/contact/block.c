// A contact's three rows: built once a solve, then swept over many times.
#include "contact/solver.h"

static nc_vec3 point_velocity(nc_vec3 v, nc_vec3 w, nc_vec3 arm)
{
    return nc_add(v, nc_cross(w, arm));
}

// The velocity of a body's point if the body is infinite here, else 0.
static nc_vec3 drift_of(const nc_solver_bodies *bodies, int body, nc_vec3 arm, const nc_slot *slots, int slot,
                        bool fixed)
{
    if (slot < 0)
        return point_velocity(bodies->v[body], bodies->w[body], arm);
    if (fixed)
        return point_velocity(slots[slot].v, slots[slot].w, arm);
    return nc_v3(0, 0, 0);
}

static void add_response(nc_mat3 *k, const nc_slot *slots, int slot, nc_vec3 arm)
{
    if (slot < 0)
        return;
    const nc_mat3 other = nc_response_of(slots[slot].inv_mass, &slots[slot].inv_inertia, arm);
    for (int i = 0; i < 3; i++)
        k->row[i] = nc_add(k->row[i], other.row[i]);
}

// Turns the tangents to the principal directions of the tangential response, by one Jacobi rotation.
static void turn_to_principal(nc_mat3 k, nc_vec3 *t1, nc_vec3 *t2)
{
    const nc_vec3 k1 = nc_mat3_mul(k, *t1), k2 = nc_mat3_mul(k, *t2);
    const double k12 = nc_dot(k1, *t2);
    const double half_gap = 0.5 * (nc_dot(k2, *t2) - nc_dot(k1, *t1));
    if (k12 == 0)
        return;
    const double root = sqrt(half_gap * half_gap + k12 * k12);
    const double t = k12 / (half_gap >= 0 ? half_gap + root : half_gap - root);
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    const nc_vec3 old1 = *t1, old2 = *t2;
    *t1 = nc_sub(nc_scale(c, old1), nc_scale(s, old2));
    *t2 = nc_add(nc_scale(s, old1), nc_scale(c, old2));
}

static double inverse(double k)
{
    const double inv = 1.0 / k;
    return k > 0 && isfinite(inv) && isfinite(k) ? inv : 0;
}

static void set_response(nc_block *block, nc_mat3 k, nc_friction_model friction, double compliance)
{
    if (friction == NC_FRICTION_CONE)
        turn_to_principal(k, &block->t1, &block->t2);
    const nc_vec3 kn = nc_mat3_mul(k, block->n), k1 = nc_mat3_mul(k, block->t1), k2 = nc_mat3_mul(k, block->t2);
    block->knn = nc_dot(kn, block->n);
    block->kn1 = nc_dot(kn, block->t1);
    block->kn2 = nc_dot(kn, block->t2);
    block->k11 = nc_dot(k1, block->t1);
    block->k12 = friction == NC_FRICTION_CONE ? 0 : nc_dot(k1, block->t2);
    block->k22 = nc_dot(k2, block->t2);
    block->soft_n = compliance * block->knn;
    block->inv_nn = inverse(block->knn + block->soft_n);
    block->inv_11 = inverse(block->k11);
    block->inv_22 = inverse(block->k22);
    if (block->inv_11 == 0 || block->inv_22 == 0)
        block->friction = 0;
}

void nc_block_soften(nc_block *block, double compliance)
{
    if (!(compliance * block->knn > block->soft_n))
        return;
    block->soft_n = compliance * block->knn;
    block->inv_nn = inverse(block->knn + block->soft_n);
}

nc_block nc_block_build(const nc_solver_bodies *bodies, const nc_contact *contact, const nc_slot *slots,
                        nc_block_ends ends, nc_friction_model friction, double compliance)
{
    nc_block block;
    block.a = ends.fixed_a ? -1 : ends.a;
    block.b = ends.fixed_b ? -1 : ends.b;
    block.arm_a = contact->arm_a;
    block.arm_b = contact->arm_b;
    block.n = contact->normal;
    nc_contact_tangents(block.n, &block.t1, &block.t2);
    block.target = contact->target;
    block.friction = contact->friction;
    block.drift = nc_sub(drift_of(bodies, contact->a, contact->arm_a, slots, ends.a, ends.fixed_a),
                         drift_of(bodies, contact->b, contact->arm_b, slots, ends.b, ends.fixed_b));
    block.drift = nc_add(block.drift, contact->bias);
    nc_mat3 k = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    add_response(&k, slots, block.a, contact->arm_a);
    add_response(&k, slots, block.b, contact->arm_b);
    const nc_vec3 before = nc_contact_impulse_vector(contact);
    set_response(&block, k, friction, compliance);
    block.lambda = nc_v3(contact->impulse.x, nc_dot(before, block.t1), nc_dot(before, block.t2));
    block.start = block.lambda;
    return block;
}

static void record(nc_velocity_change *change, nc_vec3 arm, nc_vec3 impulse)
{
    change->linear = nc_add(change->linear, impulse);
    change->angular = nc_add(change->angular, nc_cross(arm, impulse));
}

void nc_block_record(const nc_block *block, nc_velocity_change *changes)
{
    const nc_vec3 impulse = nc_block_vector(block, nc_sub(block->lambda, block->start));
    if (block->a >= 0)
        record(&changes[block->a], block->arm_a, impulse);
    if (block->b >= 0)
        record(&changes[block->b], block->arm_b, nc_neg(impulse));
}

void nc_block_store(const nc_block *block, nc_contact *contact)
{
    nc_vec3 t1, t2;
    nc_contact_tangents(contact->normal, &t1, &t2);
    const nc_vec3 along = nc_madd(nc_scale(block->lambda.y, block->t1), block->lambda.z, block->t2);
    contact->impulse = nc_v3(block->lambda.x, nc_dot(along, t1), nc_dot(along, t2));
}

void nc_slot_load(const nc_solver_bodies *bodies, int body, nc_slot *slot, nc_velocity_change *change)
{
    slot->v = bodies->v[body];
    slot->w = bodies->w[body];
    slot->inv_mass = bodies->inv_mass[body];
    slot->inv_inertia = bodies->inv_inertia[body];
    change->v = slot->v;
    change->w = slot->w;
    change->inv_mass = slot->inv_mass;
    change->inv_inertia = slot->inv_inertia;
    change->linear = nc_v3(0, 0, 0);
    change->angular = nc_v3(0, 0, 0);
}
