// The bodies of a world while they are moved apart, and a look at a pair of them.
#include "repair/repair.h"

#define GAP_PART 0.5 // [1] of the rest distance: a way out that far apart is measured

void nc_layout_free(nc_layout *layout)
{
    const nc_allocator *allocator = &layout->allocator;
    nc_free(allocator, layout->start, layout->count, sizeof *layout->start);
    nc_free(allocator, layout->pose, layout->count, sizeof *layout->pose);
    nc_free(allocator, layout->travel, layout->count, sizeof *layout->travel);
    nc_free(allocator, layout->turn, layout->count, sizeof *layout->turn);
    nc_free(allocator, layout->inv_mass, layout->count, sizeof *layout->inv_mass);
    nc_free(allocator, layout->inv_inertia, layout->count, sizeof *layout->inv_inertia);
    *layout = (nc_layout){0};
}

static bool allocate(nc_layout *layout)
{
    const nc_allocator *allocator = &layout->allocator;
    layout->start = nc_alloc(allocator, layout->count, sizeof *layout->start);
    layout->pose = nc_alloc(allocator, layout->count, sizeof *layout->pose);
    layout->travel = nc_alloc(allocator, layout->count, sizeof *layout->travel);
    layout->turn = nc_alloc(allocator, layout->count, sizeof *layout->turn);
    layout->inv_mass = nc_alloc(allocator, layout->count, sizeof *layout->inv_mass);
    layout->inv_inertia = nc_alloc(allocator, layout->count, sizeof *layout->inv_inertia);
    return layout->start != NULL && layout->pose != NULL && layout->travel != NULL && layout->turn != NULL &&
           layout->inv_mass != NULL && layout->inv_inertia != NULL;
}

static nc_code pin(nc_layout *layout, const nc_repair_def *def, nc_error *err)
{
    for (int k = 0; k < def->pinned_count; k++) {
        const int row = nc_world_row(layout->world, def->pinned[k]);
        if (row < 0)
            return nc_fail(err, NC_BAD_ARGUMENT, "pinned body %d of %d does not exist", k, def->pinned_count);
        layout->inv_mass[row] = 0;
    }
    return NC_OK;
}

nc_code nc_layout_create(const nc_world *world, const nc_repair_def *def, nc_layout *out, nc_error *err)
{
    const nc_bodies *bodies = &world->state.bodies;
    // One more than needed: an empty world has arrays too.
    *out = (nc_layout){.world = world, .allocator = world->settings.allocator, .count = (size_t)bodies->count + 1};
    nc_code code = allocate(out) ? NC_OK : nc_fail_memory(err, out->count * sizeof *out->start);
    for (int i = 0; code == NC_OK && i < bodies->count; i++) {
        out->start[i] = out->pose[i] = bodies->pose[i];
        out->inv_mass[i] = bodies->alive[i] ? bodies->inv_mass[i] : 0;
    }
    if (code == NC_OK)
        code = pin(out, def, err);
    if (code != NC_OK)
        nc_layout_free(out);
    return code;
}

const nc_mesh *nc_layout_mesh(const nc_layout *layout, int row)
{
    return layout->world->meshes.data[layout->world->state.bodies.mesh[row]].mesh;
}

// Where A goes when nothing else says so: away from what stays, the higher one of two up.
static nc_vec3 preferred(const nc_layout *layout, int i, int j)
{
    const nc_vec3 gravity = layout->world->settings.gravity;
    const double weight = nc_norm(gravity);
    if (!(weight > 0))
        return nc_v3(0, 0, 0);
    const nc_vec3 up = nc_scale(-1 / weight, gravity);
    const bool i_moves = layout->inv_mass[i] > 0, j_moves = layout->inv_mass[j] > 0;
    const double above = nc_dot(up, nc_sub(layout->pose[i].x, layout->pose[j].x));
    return i_moves != j_moves ? (i_moves ? up : nc_neg(up)) : above > 0 ? up : nc_neg(up);
}

nc_posed_pair nc_layout_pair(const nc_layout *layout, int i, int j)
{
    return (nc_posed_pair){.a = nc_layout_mesh(layout, i),
                           .b = nc_layout_mesh(layout, j),
                           .pose_a = layout->pose[i],
                           .pose_b = layout->pose[j],
                           .gap = GAP_PART * nc_world_common_rest(layout->world, i, j),
                           .prefer = preferred(layout, i, j)};
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void nc_layout_place(nc_layout *layout)
{
    for (int i = 0; i < layout->world->state.bodies.count; i++) {
        nc_pose pose = layout->start[i];
        pose.x = nc_add(pose.x, layout->travel[i]);
        if (!is_zero(layout->turn[i]))
            pose.q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(layout->turn[i]), pose.q));
        layout->pose[i] = pose;
    }
}

static nc_mat3 inverse_inertia(const nc_inertia *inertia, nc_quat q)
{
    const nc_mat3 r = nc_quat_matrix(nc_quat_mul(q, inertia->axes));
    const nc_vec3 m = inertia->moments;
    nc_mat3 scaled;
    for (int k = 0; k < 3; k++)
        scaled.row[k] = nc_v3(r.row[k].x / m.x, r.row[k].y / m.y, r.row[k].z / m.z);
    nc_mat3 out = nc_mat3_multiply(scaled, nc_mat3_transpose(r));
    // Symmetric to the bit, as the solvers expect it.
    out.row[1].x = out.row[0].y;
    out.row[2].x = out.row[0].z;
    out.row[2].y = out.row[1].z;
    return out;
}

void nc_layout_set_turning(nc_layout *layout, bool on)
{
    const nc_bodies *bodies = &layout->world->state.bodies;
    for (int i = 0; i < bodies->count; i++) {
        layout->inv_inertia[i] = (nc_mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
        if (on && layout->inv_mass[i] > 0)
            layout->inv_inertia[i] = inverse_inertia(&bodies->inertia[i], layout->pose[i].q);
    }
}

// ---- pairs --------------------------------------------------------------------------------------------------

static nc_box grown_box(const nc_layout *layout, int i)
{
    const nc_box box = nc_mesh_world_box(nc_layout_mesh(layout, i), layout->pose[i]);
    const double by = 0.51 * layout->world->settings.rest_distance + 0.5 * layout->reach + nc_norm(layout->travel[i]) +
                      nc_norm(layout->turn[i]) * nc_mesh_radius(nc_layout_mesh(layout, i));
    const nc_vec3 grow = nc_v3(by, by, by);
    return (nc_box){nc_sub(box.lo, grow), nc_add(box.hi, grow)};
}

static void keep_those_that_matter(const nc_state *state, nc_pairs *pairs)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++)
        if (nc_state_pair_matters(state, pairs->data[k].a, pairs->data[k].b))
            pairs->data[kept++] = pairs->data[k];
    pairs->count = kept;
}

nc_code nc_layout_near_pairs(const nc_layout *layout, nc_pairs *out, nc_error *err)
{
    const nc_bodies *bodies = &layout->world->state.bodies;
    if (bodies->count == 0)
        return NC_OK;
    nc_box *boxes = nc_alloc(&layout->allocator, layout->count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, layout->count * sizeof *boxes);
    for (int i = 0; i < bodies->count; i++)
        boxes[i] = bodies->alive[i] ? grown_box(layout, i) : nc_box_empty();
    const nc_code code = nc_broad_overlaps(boxes, bodies->count, &layout->allocator, out, err);
    nc_free(&layout->allocator, boxes, layout->count, sizeof *boxes);
    if (code == NC_OK)
        keep_those_that_matter(&layout->world->state, out);
    return code;
}

nc_code nc_layout_look(const nc_layout *layout, int i, int j, double within, nc_pair_look *out, nc_error *err)
{
    const nc_mesh *a = nc_layout_mesh(layout, i), *b = nc_layout_mesh(layout, j);
    *out = (nc_pair_look){.i = i, .j = j, .rest = nc_world_common_rest(layout->world, i, j)};
    nc_code code = nc_mesh_intersect(a, layout->pose[i], b, layout->pose[j], &out->crosses, &out->where, err);
    out->conflicts = out->crosses;
    if (code != NC_OK || out->crosses)
        return code;
    nc_closeness near;
    code = nc_closeness_find(a, layout->pose[i], b, layout->pose[j], fmax(within, out->rest), &near, err);
    out->distance = near.distance;
    out->conflicts = near.distance < near.least;
    return code;
}
