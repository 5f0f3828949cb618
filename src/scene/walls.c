// Rays from a point to the walls around it. Proposals only: rounding is not accounted for.
#include "scene/walls.h"
#include "scene/rotation.h"

#define DIRECTIONS  8    // [1]
#define FIRST_ANGLE 11.0 // [degree] off the axes, along which the edges of many meshes are

// Moeller and Trumbore's test.
static bool ray_hits(nc_vec3 origin, nc_vec3 d, nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    const nc_vec3 ab = nc_sub(b, a), ac = nc_sub(c, a), p = nc_cross(d, ac), s = nc_sub(origin, a);
    const double det = nc_dot(ab, p);
    if (det == 0)
        return false;
    const nc_vec3 q = nc_cross(s, ab);
    const double u = nc_dot(s, p) / det, v = nc_dot(d, q) / det, t = nc_dot(ac, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0;
}

static bool mesh_is_hit(const nc_mesh_data *data, nc_vec3 origin, nc_vec3 d)
{
    for (int i = 0; i < data->triangle_count; i++) {
        const int *t = data->triangles[i];
        if (ray_hits(origin, d, data->vertices[t[0]], data->vertices[t[1]], data->vertices[t[2]]))
            return true;
    }
    return false;
}

bool nc_mesh_surrounds(const nc_mesh *mesh, nc_pose pose, nc_vec3 up, nc_vec3 point)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mat3 turn = nc_quat_matrix(pose.q);
    const nc_vec3 origin = nc_mat3_tmul(turn, nc_sub(point, pose.x));
    const nc_quat across = nc_rotation_z_to(up);
    for (int i = 0; i < DIRECTIONS; i++) {
        const nc_quat q = nc_quat_mul(across, nc_rotation_about(nc_v3(0, 0, 1), FIRST_ANGLE + i * 360.0 / DIRECTIONS));
        const nc_vec3 d = nc_mat3_mul(nc_quat_matrix(q), nc_v3(1, 0, 0));
        if (!mesh_is_hit(&data, origin, nc_mat3_tmul(turn, d)))
            return false;
    }
    return true;
}
