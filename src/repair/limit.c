// How far bodies may be moved against each other.
//
// Along the way out, a pair may be moved by a part of the smaller body's size. Across it bodies slide past each other:
// a stack that is opened beside a wall does so by all of its gaps together. That is limited by the same part of the
// size of the group: all bodies that can move and are connected by conflicts.
#include "repair/repair.h"

typedef struct groups {
    const nc_layout *layout;
    int *parent;   // union-find over rows
    nc_box *boxes; // of roots
} groups;

static bool moves(const nc_layout *layout, int row)
{
    return layout->inv_mass[row] > 0;
}

static void free_groups(groups *g)
{
    nc_free(&g->layout->allocator, g->parent, g->layout->count, sizeof *g->parent);
    nc_free(&g->layout->allocator, g->boxes, g->layout->count, sizeof *g->boxes);
}

static void fill_groups(groups *g, const nc_conflicts *conflicts)
{
    const nc_layout *layout = g->layout;
    const int count = layout->world->state.bodies.count;
    for (int i = 0; i < count; i++) {
        g->parent[i] = i;
        g->boxes[i] = nc_box_empty();
    }
    for (int k = 0; k < conflicts->count; k++) {
        const int i = (int)conflicts->data[k].a.index, j = (int)conflicts->data[k].b.index;
        if (conflicts->data[k].kind != NC_CONFLICT_INSIDE && moves(layout, i) && moves(layout, j))
            nc_forest_join(g->parent, i, j);
    }
    for (int i = 0; i < count; i++)
        if (moves(layout, i)) {
            const int root = nc_forest_root(g->parent, i);
            const nc_box box = nc_mesh_world_box(nc_layout_mesh(layout, i), layout->start[i]);
            g->boxes[root] = nc_box_union(g->boxes[root], box);
        }
}

static double group_size(const groups *g, int i, int j)
{
    const nc_box box = g->boxes[nc_forest_root(g->parent, moves(g->layout, i) ? i : j)];
    return nc_norm(nc_sub(box.hi, box.lo));
}

// A's motion as seen from B's, where they touched.
static nc_vec3 relative_motion(const nc_layout *layout, int i, int j, nc_vec3 place)
{
    const nc_vec3 arm_i = nc_sub(place, layout->pose[i].x), arm_j = nc_sub(place, layout->pose[j].x);
    const nc_vec3 u = nc_add(layout->travel[i], nc_cross(layout->turn[i], arm_i));
    return nc_sub(u, nc_add(layout->travel[j], nc_cross(layout->turn[j], arm_j)));
}

// Is the pair within its limits? If not, its depth and what is allowed say by which it is not.
static bool is_within(const groups *g, double limit, nc_conflict *c)
{
    const int i = (int)c->a.index, j = (int)c->b.index;
    const nc_vec3 moved = relative_motion(g->layout, i, j, c->where.place);
    const double along = fabs(nc_dot(c->direction, moved)), whole = nc_norm(moved);
    const double most = fmax(c->allowed, limit * group_size(g, i, j) + nc_world_common_rest(g->layout->world, i, j));
    if (along <= c->allowed && whole <= most)
        return true;
    c->depth = along <= c->allowed ? whole : along;
    c->allowed = along <= c->allowed ? most : c->allowed;
    return false;
}

nc_code nc_layout_judge_motion(const nc_layout *layout, const nc_conflicts *conflicts, double limit, nc_conflicts *left,
                               nc_error *err)
{
    groups g = {.layout = layout};
    g.parent = nc_alloc(&layout->allocator, layout->count, sizeof *g.parent);
    g.boxes = nc_alloc(&layout->allocator, layout->count, sizeof *g.boxes);
    nc_code code = g.parent != NULL && g.boxes != NULL ? NC_OK : nc_fail_memory(err, layout->count * sizeof *g.boxes);
    if (code == NC_OK)
        fill_groups(&g, conflicts);
    for (int k = 0; k < conflicts->count && code == NC_OK; k++) {
        nc_conflict c = conflicts->data[k];
        if (c.kind != NC_CONFLICT_INSIDE && !is_within(&g, limit, &c) && !nc_array_push(&layout->allocator, left, c))
            code = nc_fail_memory(err, sizeof c);
    }
    free_groups(&g);
    return code;
}
