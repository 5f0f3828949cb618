// Where a pattern lies on a body: the fracture centre at the impact, the pattern's normal along the impact's, as small
// as it can be around all of the mesh.
#include "fracture/break.h"

#define NEAREST_TO_SIDE 0.05 // a centre nearer to a side of the box counts as this near, when the scale is chosen
#define SPARE           1e-6 // of the scale: the mesh is inside by that much

// The shortest turn from one unit vector to another.
static nc_quat turn_to(nc_vec3 from, nc_vec3 to)
{
    const double along = nc_dot(from, to);
    if (along > -1 + 1e-12) {
        const nc_vec3 axis = nc_cross(from, to);
        return nc_quat_normalize(nc_q4(1 + along, axis.x, axis.y, axis.z));
    }
    const nc_vec3 side = fabs(from.x) < 0.6 ? nc_v3(1, 0, 0) : nc_v3(0, 1, 0);
    const nc_vec3 axis = nc_cross(from, side);
    return nc_quat_normalize(nc_q4(0, axis.x, axis.y, axis.z));
}

static void as_array(nc_vec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// The box of the mesh about the impact, along the pattern's axes.
static nc_box box_along(const nc_mesh_data *mesh, nc_pose pose)
{
    const nc_mat3 rotation = nc_quat_matrix(pose.q);
    nc_box box = nc_box_empty();
    for (int i = 0; i < mesh->vertex_count; i++)
        box = nc_box_add(box, nc_mat3_tmul(rotation, nc_sub(mesh->vertices[i], pose.x)));
    return box;
}

// The scale with which the pattern's box holds the mesh, if it may be moved by a little when its centre is at a side.
static double scale_around(nc_box box, nc_vec3 center)
{
    double lo[3], hi[3], c[3], scale = 0;
    as_array(box.lo, lo);
    as_array(box.hi, hi);
    as_array(center, c);
    for (int k = 0; k < 3; k++) {
        const double middle = fmax(-0.5 + NEAREST_TO_SIDE, fmin(c[k], 0.5 - NEAREST_TO_SIDE));
        scale = fmax(scale, fmax(hi[k] / (0.5 - middle), -lo[k] / (0.5 + middle)));
    }
    return scale * (1 + 4 * SPARE);
}

// How far the pattern is to be moved, along its axes, to hold the mesh.
static nc_vec3 shift_around(nc_box box, nc_vec3 center, double scale)
{
    double lo[3], hi[3], c[3], shift[3];
    as_array(box.lo, lo);
    as_array(box.hi, hi);
    as_array(center, c);
    for (int k = 0; k < 3; k++) {
        const double up = hi[k] - scale * (0.5 - SPARE - c[k]), down = lo[k] + scale * (0.5 - SPARE + c[k]);
        shift[k] = up > 0 ? up : down < 0 ? down : 0.0;
    }
    return nc_v3(shift[0], shift[1], shift[2]);
}

static nc_pattern_place lay(const nc_mesh_data *mesh, const nc_pattern *pattern, nc_pose pose)
{
    nc_pattern_place place = {pose, 0};
    const nc_box box = box_along(mesh, pose);
    place.scale = scale_around(box, pattern->center);
    const nc_vec3 shift = shift_around(box, pattern->center, place.scale);
    place.pose.x = nc_add(pose.x, nc_mat3_mul(nc_quat_matrix(pose.q), shift));
    return place;
}

nc_pattern_place nc_break_place(const nc_mesh_data *mesh, const nc_pattern *pattern, nc_vec3 place, nc_vec3 normal)
{
    const nc_vec3 unit = nc_scale(1 / nc_norm(normal), normal);
    const nc_pose pose = {place, turn_to(pattern->normal, unit)};
    return lay(mesh, pattern, pose);
}

static double to_sample(double x, double origin, double spacing)
{
    return origin + spacing * floor((x - origin) / spacing + 0.5);
}

nc_pattern_place nc_break_place_aligned(const nc_mesh_data *mesh, const nc_pattern *pattern, nc_vec3 place,
                                        const nc_level_set *level)
{
    const nc_vec3 o = level->origin;
    const double h = level->spacing;
    const nc_pose pose = {nc_v3(to_sample(place.x, o.x, h), to_sample(place.y, o.y, h), to_sample(place.z, o.z, h)),
                          nc_quat_identity()};
    nc_pattern_place out = lay(mesh, pattern, pose);
    // a whole number of cells, so that the pattern could be sampled on the same grid once and for all
    out.scale = h * ceil(out.scale / h);
    return out;
}

nc_vec3 nc_place_to_pattern(const nc_pattern *pattern, const nc_pattern_place *place, nc_vec3 p)
{
    const nc_vec3 from = nc_mat3_tmul(nc_quat_matrix(place->pose.q), nc_sub(p, place->pose.x));
    return nc_madd(pattern->center, 1.0 / place->scale, from);
}

nc_plane nc_place_plane(const nc_pattern *pattern, const nc_pattern_place *place, const nc_plane *plane)
{
    nc_plane placed = {nc_mat3_mul(nc_quat_matrix(place->pose.q), plane->normal), 0};
    placed.offset =
        place->scale * (plane->offset - nc_dot(plane->normal, pattern->center)) + nc_dot(placed.normal, place->pose.x);
    return placed;
}

// Those of patterns from files are known to single precision only.
bool nc_is_side_of_box(const nc_plane *plane)
{
    return fabs(plane->offset - 0.5) <= 1e-6 && nc_max3(plane->normal) >= 1 - 1e-12;
}
