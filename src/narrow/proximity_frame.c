// Two meshes at rest, seen from one of them. Rounding: docs/theory/proximity.md, "The frame".
#include "narrow/proximity.h"

#include <string.h>

// E = ERROR u (|x_A - x_B| + r): the theory page counts 88.
#define ERROR 96.0
// All other rounding, in units of u (|x_A - x_B| + r_A + r_B): the theory page counts less than 700.
#define SLACK 1024.0

// An order of meshes at poses that has nothing to do with which was given first. The larger one is at home: its
// points need no turning.
static bool comes_first(const nc_mesh_data *a, const nc_pose *pose_a, const nc_mesh_data *b, const nc_pose *pose_b)
{
    if (a->vertex_count != b->vertex_count)
        return a->vertex_count > b->vertex_count;
    if (a->hash != b->hash)
        return a->hash < b->hash;
    return memcmp(pose_a, pose_b, sizeof *pose_a) <= 0;
}

static bool has_meaning(nc_pose pose)
{
    const double size = nc_quat_norm2(pose.q);
    return nc_finite3(pose.x) && size > 1e-200 && size < 1e200;
}

static nc_mat3 sizes_of(nc_mat3 m)
{
    for (int i = 0; i < 3; i++)
        m.row[i] = nc_v3(fabs(m.row[i].x), fabs(m.row[i].y), fabs(m.row[i].z));
    return m;
}

static void place(nc_near_frame *f, nc_pose home, nc_pose away)
{
    f->world = nc_pose_frame(home);
    const nc_vec3 offset = nc_sub(away.x, home.x);
    f->x = nc_mat3_tmul(f->world.rotation, offset);
    f->r = nc_mat3_multiply(nc_mat3_transpose(f->world.rotation), nc_quat_matrix(away.q));
    f->r_size = sizes_of(f->r);
    const double far = nc_norm(offset);
    f->error = ERROR * NC_UNIT_ROUNDOFF * (far + f->away.radius);
    f->slack = SLACK * NC_UNIT_ROUNDOFF * (far + f->home.radius + f->away.radius);
}

nc_code nc_near_frame_make(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, nc_near_frame *out,
                           nc_error *err)
{
    if (!has_meaning(pose_a) || !has_meaning(pose_b))
        return nc_fail(err, NC_BAD_ARGUMENT, "the pose of mesh %s is not finite, or its orientation has no direction",
                       has_meaning(pose_a) ? "B" : "A");
    if (!(nc_max3(nc_sub(pose_a.x, pose_b.x)) <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "the meshes are farther apart than %g", NC_COORDINATE_MAX);
    out->home = nc_mesh_view(a);
    out->away = nc_mesh_view(b);
    out->home_is_b = !comes_first(&out->home, &pose_a, &out->away, &pose_b);
    if (out->home_is_b) {
        const nc_mesh_data swap = out->home;
        out->home = out->away;
        out->away = swap;
    }
    out->home_tree = nc_mesh_tree_view(out->home_is_b ? b : a);
    out->away_tree = nc_mesh_tree_view(out->home_is_b ? a : b);
    place(out, out->home_is_b ? pose_b : pose_a, out->home_is_b ? pose_a : pose_b);
    return NC_OK;
}

// ---- boxes --------------------------------------------------------------------------------------------------

nc_near_box nc_near_place_box(const nc_near_frame *f, const nc_box *box)
{
    const nc_near_box own = nc_near_own_box(box);
    const nc_near_box placed = {nc_near_away(f, own.center), nc_mat3_mul(f->r_size, own.half)};
    return placed;
}

// Squared length of what is left of |offset| beyond `reach`, coordinate by coordinate.
static double beyond2(nc_vec3 offset, nc_vec3 reach)
{
    const double x = fabs(offset.x) - reach.x, y = fabs(offset.y) - reach.y, z = fabs(offset.z) - reach.z;
    return nc_norm2(nc_v3(nc_positive(x), nc_positive(y), nc_positive(z)));
}

double nc_near_box_bound(const nc_near_frame *f, const nc_box *home, const nc_box *away, const nc_near_box *placed,
                         double limit2)
{
    const nc_near_box own = nc_near_own_box(home);
    const nc_vec3 offset = nc_sub(placed->center, own.center);
    const double in_home = beyond2(offset, nc_add(own.half, placed->half));
    if (in_home > limit2)
        return in_home;
    const nc_vec3 half_away = nc_near_own_box(away).half;
    const double in_away = beyond2(nc_mat3_tmul(f->r, offset), nc_add(half_away, nc_mat3_tmul(f->r_size, own.half)));
    return in_home > in_away ? in_home : in_away;
}

// ---- the way back -------------------------------------------------------------------------------------------

static nc_feature_kind mirrored(nc_feature_kind kind)
{
    switch (kind) {
    case NC_VERTEX_FACE:
        return NC_FACE_VERTEX;
    case NC_FACE_VERTEX:
        return NC_VERTEX_FACE;
    case NC_VERTEX_EDGE:
        return NC_EDGE_VERTEX;
    case NC_EDGE_VERTEX:
        return NC_VERTEX_EDGE;
    default:
        return kind;
    }
}

void nc_near_to_world(const nc_near_frame *f, nc_proximity *p)
{
    nc_vec3 home = nc_frame_apply(f->world, p->on_a), away = nc_frame_apply(f->world, p->on_b);
    nc_vec3 normal = nc_mat3_mul(f->world.rotation, p->normal);
    p->link = 0;
    if (f->home_is_b) {
        p->feature = (nc_feature_id){mirrored(p->feature.kind), p->feature.b, p->feature.a};
        p->on_a = away;
        p->on_b = home;
        p->normal = nc_neg(normal);
    } else {
        p->on_a = home;
        p->on_b = away;
        p->normal = normal;
    }
}
