// What bodies do from an event on: the motions of groups.
#include "certify/state.h"

#include "certify/group_motion.h"

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

bool nc_segment_is_still(const nc_segment *segment)
{
    return is_zero(segment->d) && is_zero(segment->theta) && is_zero(segment->eps);
}

// Forgets everything from `now` on; the past stays as it is.
static void cut(nc_path *path, double now)
{
    while (path->count > 0 && path->segments[path->count - 1].begin >= now)
        path->count--;
}

int nc_path_room(const nc_path *path, double now)
{
    int kept = path->count;
    while (kept > 0 && path->segments[kept - 1].begin >= now)
        kept--;
    return NC_MAX_SEGMENTS - kept;
}

void nc_path_halt(nc_path *path, double now)
{
    const nc_vec3 zero = {0, 0, 0};
    const nc_vec3 x = nc_path_pose(path, now).x;
    cut(path, now);
    const nc_segment still = {.begin = now, .a = x, .d = zero, .theta = zero, .eps = zero};
    nc_path_extend(path, still);
}

// The segment a path is in from `now` on.
static int segment_after(const nc_path *path, double now)
{
    int i = 0;
    while (i + 1 < path->count && path->segments[i + 1].begin <= now)
        i++;
    return i;
}

int nc_path_rest(const nc_path *path, double now, nc_segment rest[NC_MAX_SEGMENTS])
{
    const int first = segment_after(path, now);
    int count = 0;
    for (int i = first; i < path->count; i++)
        rest[count++] = path->segments[i];
    // The rest of the segment under way: the same rates from now on, about where its turning point is now.
    rest[0].a = nc_madd(rest[0].a, now - rest[0].begin, rest[0].d);
    rest[0].begin = now;
    return count;
}

void nc_path_follow(nc_path *path, double now, const nc_segment *rest, int count)
{
    cut(path, now);
    for (int i = 0; i < count; i++)
        nc_path_extend(path, rest[i]);
}

// ---- the common momentum of a group -------------------------------------------------------------------------

nc_mat3 nc_world_inertia(const nc_inertia *inertia, nc_quat q)
{
    const nc_mat3 r = nc_quat_matrix(nc_quat_mul(q, inertia->axes));
    const nc_vec3 m = inertia->moments;
    nc_mat3 scaled = r;
    for (int k = 0; k < 3; k++)
        scaled.row[k] = nc_v3(r.row[k].x * m.x, r.row[k].y * m.y, r.row[k].z * m.z);
    return nc_mat3_multiply(scaled, nc_mat3_transpose(r));
}

nc_mat3 nc_point_inertia(double mass, nc_vec3 r)
{
    const double r2 = nc_norm2(r);
    const nc_mat3 m = {{nc_scale(mass, nc_v3(r2 - r.x * r.x, -r.x * r.y, -r.x * r.z)),
                        nc_scale(mass, nc_v3(-r.y * r.x, r2 - r.y * r.y, -r.y * r.z)),
                        nc_scale(mass, nc_v3(-r.z * r.x, -r.z * r.y, r2 - r.z * r.z))}};
    return m;
}

void nc_mat3_add_to(nc_mat3 *sum, const nc_mat3 *m)
{
    for (int k = 0; k < 3; k++)
        sum->row[k] = nc_add(sum->row[k], m->row[k]);
}

// m^-1 v for a symmetric positive m, by cofactors; 0 when it cannot be inverted.
static nc_vec3 solve(const nc_mat3 *m, nc_vec3 v)
{
    const nc_vec3 c0 = nc_cross(m->row[1], m->row[2]), c1 = nc_cross(m->row[2], m->row[0]);
    const nc_vec3 c2 = nc_cross(m->row[0], m->row[1]);
    const double det = nc_dot(m->row[0], c0);
    const nc_vec3 sum = nc_add(nc_add(nc_scale(v.x, c0), nc_scale(v.y, c1)), nc_scale(v.z, c2));
    const nc_vec3 w = nc_scale(1.0 / det, sum);
    return nc_finite3(w) ? w : nc_v3(0, 0, 0);
}

// The motion of one body at `now`, a unit of time being the step.
typedef struct body_rates {
    nc_vec3 x, v, w;
    nc_quat q;
} body_rates;

static body_rates rates_at(const nc_path *path, double now)
{
    const nc_segment *s = &path->segments[segment_after(path, now)];
    const nc_pose pose = nc_path_pose(path, now);
    body_rates r = {.x = pose.x, .q = pose.q, .w = nc_add(s->theta, s->eps)};
    const nc_vec3 turning_point = nc_madd(s->a, now - s->begin, s->d);
    r.v = nc_add(s->d, nc_cross(r.w, nc_sub(pose.x, turning_point)));
    return r;
}

nc_segment nc_common_motion(const nc_certify_bodies *bodies, const nc_groups *groups, int root, double now)
{
    nc_segment motion = {.begin = now};
    double mass = 0;
    nc_vec3 first_moment = {0, 0, 0}, momentum = {0, 0, 0};
    int i = root;
    do { // English eqs. 5, 6
        const body_rates r = rates_at(&bodies->path[i], now);
        mass += bodies->mass[i];
        first_moment = nc_madd(first_moment, bodies->mass[i], r.x);
        momentum = nc_madd(momentum, bodies->mass[i], r.v);
        i = groups->next[i];
    } while (i != root);
    motion.a = nc_scale(1.0 / mass, first_moment);
    motion.d = nc_scale(1.0 / mass, momentum);
    nc_mat3 inertia = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    nc_vec3 angular = {0, 0, 0};
    do { // eqs. 7, 8
        const body_rates r = rates_at(&bodies->path[i], now);
        const nc_vec3 arm = nc_sub(r.x, motion.a);
        const nc_mat3 own = nc_world_inertia(&bodies->inertia[i], r.q), far = nc_point_inertia(bodies->mass[i], arm);
        nc_mat3_add_to(&inertia, &own);
        nc_mat3_add_to(&inertia, &far);
        angular = nc_add(angular, nc_mat3_mul(own, r.w));
        angular = nc_add(angular, nc_cross(arm, nc_scale(bodies->mass[i], r.v)));
        i = groups->next[i];
    } while (i != root);
    motion.theta = solve(&inertia, angular);
    return motion;
}
