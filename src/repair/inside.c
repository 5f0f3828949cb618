// Is a body inside another one's closed surface? Nothing crosses then, and the exact test has nothing to say.
#include "repair/repair.h"

// The solid angle [sr] of a triangle as seen from the origin, with its sign (Van Oosterom and Strackee 1983).
static double solid_angle(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    const double la = nc_norm(a), lb = nc_norm(b), lc = nc_norm(c);
    const double volume = nc_dot(a, nc_cross(b, c));
    const double size = la * lb * lc + nc_dot(a, b) * lc + nc_dot(b, c) * la + nc_dot(c, a) * lb;
    return 2 * nc_atan2(volume, size);
}

// For a point that is not on the surface the sum is a whole number of full angles, but for rounding: 1 inside of
// surfaces that face outwards, 0 outside and in cavities, -1 in rooms whose surface faces inwards.
static bool surface_holds(const nc_mesh *mesh, nc_pose pose, nc_vec3 point)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_vec3 p = nc_mat3_tmul(nc_quat_matrix(pose.q), nc_sub(point, pose.x));
    double sum = 0;
    for (int k = 0; k < data.triangle_count; k++) {
        const int *t = data.triangles[k];
        sum +=
            solid_angle(nc_sub(data.vertices[t[0]], p), nc_sub(data.vertices[t[1]], p), nc_sub(data.vertices[t[2]], p));
    }
    return sum > 2 * NC_PI;
}

static bool box_holds(nc_box outer, nc_box inner)
{
    return outer.lo.x <= inner.lo.x && outer.lo.y <= inner.lo.y && outer.lo.z <= inner.lo.z &&
           outer.hi.x >= inner.hi.x && outer.hi.y >= inner.hi.y && outer.hi.z >= inner.hi.z;
}

nc_inside nc_pair_inside(const nc_posed_pair *pair)
{
    const nc_mesh_data a = nc_mesh_view(pair->a), b = nc_mesh_view(pair->b);
    const nc_box box_a = nc_mesh_world_box(pair->a, pair->pose_a), box_b = nc_mesh_world_box(pair->b, pair->pose_b);
    if (b.closed && box_holds(box_b, box_a) &&
        surface_holds(pair->b, pair->pose_b, nc_pose_apply(pair->pose_a, a.vertices[0])))
        return NC_INSIDE_A_IN_B;
    if (a.closed && box_holds(box_a, box_b) &&
        surface_holds(pair->a, pair->pose_a, nc_pose_apply(pair->pose_b, b.vertices[0])))
        return NC_INSIDE_B_IN_A;
    return NC_INSIDE_NEITHER;
}
