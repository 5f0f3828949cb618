// Contact rows that know the step: what bodies' turning adds to the motion of a contact point over the step.
//
// A row of the solver is linear: n.u dt is how much a contact opens in a step. A body that turns takes its contact
// points along arcs, and the difference is what a rider on a turntable drifts outward, what a pendulum's pin is pushed
// into its hole, and what makes the facets of a bolt look like a wall to those of its nut. So the velocity u of a
// contact gets a bias: with it, dt (u + bias) is the way that the two material points really go against each other,
// along the normal as it is at the end of the step, and along the tangents:
//     n:   dt (n.u + b_n) = n'.(p_A' - p_B') - n.(p_A - p_B)
//     t:   dt (u + b)_t   = ((p_A' - p_A) - (p_B' - p_B))_t
// Primes are at the end of the step; a normal turns with the face it belongs to, that of two edges with both.
//
// A contact that slides on a curved surface leaves its face within the step, and the plane of that face says nothing
// about where it arrives: the flanks of a thread would block each other. So where bodies turn against each other and
// slide far, the distance at the end is that of the surface that is there, along the turned normal.
#include "step/chord.h"

typedef struct turned_point {
    nc_mat3 turn;  // over the step
    nc_vec3 start; // [m] from the body's centre
    nc_vec3 way;   // [m] over the step
} turned_point;

static turned_point turn_point(double dt, nc_vec3 v, nc_vec3 w, nc_vec3 arm)
{
    turned_point p;
    p.turn = nc_quat_matrix(nc_quat_from_rotation_vector(nc_scale(dt, w)));
    p.start = arm;
    p.way = nc_madd(nc_sub(nc_mat3_mul(p.turn, arm), arm), dt, v);
    return p;
}

// [m/s] the most that turning can add to the velocity of a point.
static double turning_speed(double dt, nc_vec3 w, nc_vec3 arm)
{
    return 0.5 * dt * nc_norm2(w) * nc_norm(arm);
}

// The normal of two edges at the end of the step; that of the start where it is not theirs.
static nc_vec3 turned_edge_normal(const nc_mesh *const *mesh, const nc_contact *contact, const nc_pose *pose,
                                  const turned_point *a, const turned_point *b)
{
    nc_vec3 p[2], q[2];
    nc_contact_edges(mesh, contact, pose[contact->a], pose[contact->b], p, q);
    const nc_vec3 e = nc_sub(p[1], p[0]), f = nc_sub(q[1], q[0]);
    const nc_vec3 before = nc_cross(e, f), after = nc_cross(nc_mat3_mul(a->turn, e), nc_mat3_mul(b->turn, f));
    const double size = nc_norm(before), turned = nc_norm(after), along = nc_dot(before, contact->normal);
    if (!(fabs(along) > NC_EDGE_NORMAL_COSINE * size) || !(turned > NC_EDGE_NORMAL_SHRINK * size) ||
        !(size > NC_EDGE_NORMAL_SINE * nc_norm(e) * nc_norm(f)))
        return contact->normal;
    return nc_scale((along > 0 ? 1 : -1) / turned, after);
}

static nc_vec3 turned_normal(const nc_mesh *const *mesh, const nc_contact *contact, const nc_pose *pose,
                             const turned_point *a, const turned_point *b)
{
    switch (contact->feature.kind) {
    case NC_VERTEX_FACE:
        return nc_mat3_mul(b->turn, contact->normal);
    case NC_FACE_VERTEX:
        return nc_mat3_mul(a->turn, contact->normal);
    case NC_EDGE_EDGE:
        return turned_edge_normal(mesh, contact, pose, a, b);
    default:
        return contact->normal;
    }
}

// [m] from a material point of one body, at the end of the step, along `normal` down to the surface of another there.
static bool surface_distance(const nc_mesh *mesh, nc_pose end, nc_vec3 point, nc_vec3 normal, double expected,
                             double window, double *out)
{
    const nc_mat3 frame = nc_quat_matrix(end.q);
    const nc_mesh_line line = {.from = nc_mat3_tmul(frame, nc_sub(point, end.x)),
                               .dir = nc_mat3_tmul(frame, nc_neg(normal)),
                               .low = expected - window,
                               .high = expected + window,
                               .near = expected,
                               .cosine = NC_SURFACE_COSINE};
    return nc_mesh_line_hit(mesh, &line, out);
}

static nc_pose pose_at_end(double dt, const nc_solver_bodies *bodies, nc_pose pose, int row)
{
    const nc_quat turn = nc_quat_from_rotation_vector(nc_scale(dt, bodies->w[row]));
    return (nc_pose){nc_madd(pose.x, dt, bodies->v[row]), nc_quat_normalize(nc_quat_mul(turn, pose.q))};
}

// [m] the contact's distance at the end, where that can be distinguished from the surfaces there; `plane` by its
// planes.
static double distance_at_end(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                              const nc_pose *pose, nc_vec3 normal, nc_vec3 way, double plane)
{
    const nc_vec3 along = nc_scale(nc_dot(way, normal), normal);
    const double slide = nc_norm(nc_sub(way, along)), rest = nc_near_pair_rest(near, contact->a, contact->b);
    const double turn = dt * nc_norm(nc_sub(bodies->w[contact->a], bodies->w[contact->b]));
    if (!(turn > NC_SURFACE_MIN_TURN && slide > NC_SURFACE_MIN_SLIDE_RESTS * rest))
        return plane;
    const nc_pose a = pose_at_end(dt, bodies, pose[contact->a], contact->a);
    const nc_pose b = pose_at_end(dt, bodies, pose[contact->b], contact->b);
    const nc_vec3 half = nc_scale(0.5 * contact->distance, contact->normal);
    const nc_vec3 on_a =
        nc_pose_apply(a, nc_mat3_tmul(nc_quat_matrix(pose[contact->a].q), nc_add(contact->arm_a, half)));
    const nc_vec3 on_b =
        nc_pose_apply(b, nc_mat3_tmul(nc_quat_matrix(pose[contact->b].q), nc_sub(contact->arm_b, half)));
    const double window = NC_SURFACE_WINDOW_RESTS * rest + NC_SURFACE_SLOPE * slide;
    const bool point_of_a = contact->feature.kind == NC_VERTEX_FACE,
               point_of_b = contact->feature.kind == NC_FACE_VERTEX;
    double to_b = plane, to_a = plane;
    if (!point_of_b && !surface_distance(near->mesh[contact->b], b, on_a, normal, plane, window, &to_b))
        return plane;
    if (!point_of_a && !surface_distance(near->mesh[contact->a], a, on_b, nc_neg(normal), plane, window, &to_a))
        return plane;
    return point_of_a ? to_b : point_of_b ? to_a : fmin(to_a, to_b);
}

nc_vec3 nc_chord_bias(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                      const nc_pose *pose)
{
    const nc_vec3 zero = {0, 0, 0};
    const nc_vec3 w_a = bodies->w[contact->a], w_b = bodies->w[contact->b];
    const double least = NC_CHORD_MIN_BIAS_RESTS * nc_near_pair_rest(near, contact->a, contact->b) / dt;
    if (contact->round || !(turning_speed(dt, w_a, contact->arm_a) + turning_speed(dt, w_b, contact->arm_b) > least))
        return zero;
    const nc_vec3 half = nc_scale(0.5 * contact->distance, contact->normal);
    const turned_point a = turn_point(dt, bodies->v[contact->a], w_a, nc_add(contact->arm_a, half));
    const turned_point b = turn_point(dt, bodies->v[contact->b], w_b, nc_sub(contact->arm_b, half));
    const nc_vec3 u = nc_contact_velocity(bodies, contact), n = contact->normal;
    const nc_vec3 way = nc_sub(a.way, b.way), apart = nc_madd(way, contact->distance, n);
    const nc_vec3 turned = turned_normal(near->mesh, contact, pose, &a, &b);
    const double end = distance_at_end(near, dt, bodies, contact, pose, turned, way, nc_dot(turned, apart));
    const double opened = end - contact->distance;
    const nc_vec3 slip = nc_sub(nc_scale(1.0 / dt, way), u);
    const nc_vec3 bias = nc_madd(slip, opened / dt - nc_dot(n, u) - nc_dot(n, slip), n);
    return nc_finite3(bias) ? bias : zero;
}
