// Paths: what they are and where they are at a time. The meaning is in motion.h.
#include "motion/motion.h"

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static bool same_place(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

nc_path nc_path_still(nc_pose pose)
{
    const nc_vec3 zero = {0, 0, 0};
    return nc_path_free(pose, zero, zero, zero);
}

bool nc_path_stays(const nc_path *path)
{
    const nc_segment *s = &path->segments[0];
    return path->count == 1 && is_zero(s->d) && is_zero(s->theta) && is_zero(s->eps);
}

nc_path nc_path_free(nc_pose pose, nc_vec3 d, nc_vec3 theta, nc_vec3 eps)
{
    nc_path path;
    path.start = pose;
    path.count = 1;
    path.segments[0] = (nc_segment){.begin = 0, .a = pose.x, .d = d, .theta = theta, .eps = eps};
    return path;
}

bool nc_path_extend(nc_path *path, nc_segment segment)
{
    if (path->count >= NC_MAX_SEGMENTS)
        return false;
    path->segments[path->count++] = segment;
    return true;
}

// The pose a time h after the start of a segment, from the pose at its start.
static nc_pose advance(const nc_segment *segment, nc_pose from, double h)
{
    nc_pose to = from;
    const bool turns = h != 0 && (!is_zero(segment->theta) || !is_zero(segment->eps));
    const bool about_own_centre = same_place(from.x, segment->a);
    if ((!turns || about_own_centre) && !is_zero(segment->d))
        to.x = nc_madd(from.x, h, segment->d);
    if (!turns)
        return to;
    nc_quat turn = nc_quat_from_rotation_vector(nc_scale(h, segment->theta));
    if (!is_zero(segment->eps))
        turn = nc_quat_mul(nc_quat_from_rotation_vector(nc_scale(h, segment->eps)), turn);
    to.q = nc_quat_normalize(nc_quat_mul(turn, from.q));
    if (!about_own_centre) {
        const nc_vec3 arm = nc_mat3_mul(nc_quat_matrix(turn), nc_sub(from.x, segment->a));
        to.x = nc_add(nc_madd(segment->a, h, segment->d), arm);
    }
    return to;
}

nc_pose nc_path_pose(const nc_path *path, double t)
{
    nc_pose pose = path->start;
    for (int i = 0; i < path->count && (i == 0 || t > path->segments[i].begin); i++) {
        const double end = i + 1 < path->count ? path->segments[i + 1].begin : 1.0;
        pose = advance(&path->segments[i], pose, (t < end ? t : end) - path->segments[i].begin);
    }
    return pose;
}

bool nc_path_finite(const nc_path *path)
{
    bool finite = nc_finite3(path->start.x) && nc_finite4(path->start.q);
    for (int i = 0; i < path->count; i++) {
        const nc_segment *s = &path->segments[i];
        finite = finite && isfinite(s->begin) && nc_finite3(s->a) && nc_finite3(s->d) && nc_finite3(s->theta) &&
                 nc_finite3(s->eps);
    }
    return finite;
}
