// How pieces move on (Su 4.2), and the correction that makes their momenta the parent's.
#include "fracture/fracture.h"

// I spin, in world axes.
static nc_vec3 spin_to_momentum(const nc_piece *piece, nc_quat q, nc_vec3 spin)
{
    const nc_mat3 axes = nc_mat3_multiply(nc_quat_matrix(q), nc_quat_matrix(piece->principal_q));
    const nc_vec3 local = nc_mat3_tmul(axes, spin);
    const nc_vec3 i = piece->principal;
    return nc_mat3_mul(axes, nc_v3(i.x * local.x, i.y * local.y, i.z * local.z));
}

// Solves m x = b for a symmetric, positive m.
static nc_vec3 solve(nc_mat3 m, nc_vec3 b)
{
    nc_vec3 values;
    nc_quat axes;
    nc_symmetric_eigen(m, &values, &axes);
    const nc_mat3 rotation = nc_quat_matrix(axes);
    const nc_vec3 local = nc_mat3_tmul(rotation, b);
    return nc_mat3_mul(rotation, nc_v3(local.x / values.x, local.y / values.y, local.z / values.z));
}

// All pieces as one body.
typedef struct whole {
    double mass;
    nc_vec3 center;  // [m] from the parent's centre, in world axes
    nc_mat3 inertia; // [kg m^2] about that centre
} whole;

static void add_inertia(nc_mat3 *sum, const nc_piece *piece, nc_quat q, nc_vec3 arm)
{
    const nc_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        const nc_vec3 own = spin_to_momentum(piece, q, unit[k]);
        const nc_vec3 carried = nc_scale(piece->mass, nc_cross(arm, nc_cross(unit[k], arm)));
        sum->row[k] = nc_add(sum->row[k], nc_add(own, carried));
    }
}

static whole put_together(const nc_pieces *pieces, nc_pose pose)
{
    whole w = {0};
    const nc_mat3 rotation = nc_quat_matrix(pose.q);
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        w.mass += p->mass;
        w.center = nc_madd(w.center, p->mass, nc_mat3_mul(rotation, p->center));
    }
    w.center = nc_scale(1 / w.mass, w.center);
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        add_inertia(&w.inertia, p, pose.q, nc_sub(nc_mat3_mul(rotation, p->center), w.center));
    }
    return w;
}

// What the pieces lack of the parent's momenta, about the parent's centre.
static void find_lack(const nc_pieces *pieces, const nc_parent_motion *parent, double mass, const nc_piece_motion *out,
                      nc_vec3 *linear, nc_vec3 *angular)
{
    const nc_mat3 rotation = nc_quat_matrix(parent->pose.q);
    *linear = nc_scale(mass, parent->v);
    *angular = parent->momentum;
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        // the parent's own velocity carries no momentum about its centre but through the pieces' common one
        const nc_vec3 impulse = nc_scale(p->mass, out[i].v);
        *linear = nc_sub(*linear, impulse);
        *angular = nc_sub(*angular, nc_add(out[i].momentum, nc_cross(nc_mat3_mul(rotation, p->center), impulse)));
    }
}

void nc_pieces_move(const nc_pieces *pieces, const nc_parent_motion *parent, nc_piece_motion *out)
{
    const int count = pieces->list.count;
    if (count == 0)
        return;
    const nc_mat3 rotation = nc_quat_matrix(parent->pose.q);
    const whole w = put_together(pieces, parent->pose);
    for (int i = 0; i < count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        out[i].pose = (nc_pose){nc_pose_apply(parent->pose, p->center), parent->pose.q};
        out[i].v = nc_add(parent->v, nc_cross(parent->spin, nc_mat3_mul(rotation, p->center)));
        out[i].spin = parent->spin;
        out[i].momentum = spin_to_momentum(p, parent->pose.q, parent->spin);
    }
    // the first round does it; the second takes what rounding left
    for (int round = 0; round < 2; round++) {
        nc_vec3 linear, angular;
        find_lack(pieces, parent, w.mass, out, &linear, &angular);
        const nc_vec3 v = nc_scale(1 / w.mass, linear);
        const nc_vec3 spin = solve(w.inertia, nc_sub(angular, nc_cross(w.center, linear)));
        for (int i = 0; i < count; i++) {
            const nc_piece *p = &pieces->list.data[i];
            const nc_vec3 arm = nc_sub(nc_mat3_mul(rotation, p->center), w.center);
            out[i].v = nc_add(out[i].v, nc_add(v, nc_cross(spin, arm)));
            out[i].spin = nc_add(out[i].spin, spin);
            out[i].momentum = spin_to_momentum(p, parent->pose.q, out[i].spin);
        }
    }
}
