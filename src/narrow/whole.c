// Whole bodies: one direction that keeps all points of A apart from all points of B over an interval.
//
// Along a direction n that stays, every point moves linearly between its two ends but for its deviation from the chord,
// so the least of n.(p - q) over all points and both ends bounds the distance over the whole interval. Where n comes
// from does not matter: it is searched for (cloud.c) and kept for the next time. Concave bodies that reach into each
// other have none; their trees decide.
#include "narrow/narrow.h"

static bool search(nc_cloud a, nc_cloud b, const nc_pair_pose *from, const nc_pair_pose *to, double need,
                   nc_whole_hint *hint, double *bound)
{
    nc_vec3 direction = hint->known ? hint->direction : from->x;
    if (!nc_clouds_stay_apart(a, b, from, to, need, NC_WHOLE_STEPS, &direction, bound))
        return false;
    hint->direction = direction;
    hint->known = true;
    return true;
}

bool nc_whole_stay_apart(nc_pair_motion *pair, nc_cloud a, nc_cloud b, double t0, double t1, double floor,
                         nc_whole_hint *hint, double *distance)
{
    if (hint->failures >= NC_WHOLE_MAX_FAILURES)
        return false;
    const nc_pair_pose from = *nc_pair_at(pair, t0), to = *nc_pair_at(pair, t1);
    const double size = 2.0 * (pair->radius_a + pair->radius_b + nc_norm(from.x) + nc_norm(to.x));
    const double off = nc_pair_deviation(pair, pair->radius_a, pair->radius_b, t1 - t0) + pair->error +
                       256.0 * NC_UNIT_ROUNDOFF * size;
    double bound;
    if (!search(a, b, &from, &to, floor + off, hint, &bound)) {
        hint->failures++;
        return false;
    }
    *distance = fmin(*distance, bound - off);
    return true;
}

bool nc_whole_apart(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                    nc_whole_hint *hint)
{
    const nc_cloud cloud_a = nc_mesh_tree_view(a).whole, cloud_b = nc_mesh_tree_view(b).whole;
    if (cloud_a.count == 0 || cloud_b.count == 0)
        return false;
    nc_pair_pose at;
    at.x = nc_sub(pose_a.x, pose_b.x);
    at.ra = nc_quat_matrix(pose_a.q);
    at.rb = nc_quat_matrix(pose_b.q);
    const double size = 2.0 * (nc_mesh_radius(a) + nc_mesh_radius(b) + 2.0 * nc_norm(at.x));
    double bound;
    return search(cloud_a, cloud_b, &at, &at, distance + 256.0 * NC_UNIT_ROUNDOFF * size, hint, &bound);
}
