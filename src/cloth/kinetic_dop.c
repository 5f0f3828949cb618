// Trees of 18-DOPs over features that deform: rows grow and move, the shape of the tree stays.
#include "cloth/kinetic.h"

#include <string.h>

#define STRAIGHT 3   // the first axes are the coordinates
#define DIAGONAL 1.5 // above sqrt(2): the length of the others

static void project(nc_vec3 x, double out[NC_DOP_AXES])
{
    out[0] = x.x, out[1] = x.y, out[2] = x.z;
    out[3] = x.x + x.y, out[4] = x.x - x.y;
    out[5] = x.x + x.z, out[6] = x.x - x.z;
    out[7] = x.y + x.z, out[8] = x.y - x.z;
}

static double along(int axis, double length)
{
    return axis < STRAIGHT ? length : DIAGONAL * length;
}

nc_dop nc_dop_around(nc_vec3 x, double margin)
{
    nc_dop dop;
    double at[NC_DOP_AXES];
    project(x, at);
    for (int k = 0; k < NC_DOP_AXES; k++) {
        dop.lo[k] = at[k] - along(k, margin);
        dop.hi[k] = at[k] + along(k, margin);
    }
    return dop;
}

nc_dop nc_dop_union(const nc_dop *a, const nc_dop *b)
{
    nc_dop dop;
    for (int k = 0; k < NC_DOP_AXES; k++) {
        dop.lo[k] = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
        dop.hi[k] = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
    }
    return dop;
}

bool nc_dop_near(const nc_dop *a, const nc_dop *b, double reach)
{
    for (int k = 0; k < NC_DOP_AXES; k++) {
        const double r = along(k, reach);
        if (a->lo[k] - b->hi[k] > r || b->lo[k] - a->hi[k] > r)
            return false;
    }
    return true;
}

double nc_dop_exit(const nc_dop *dop, nc_vec3 x, nc_vec3 v, double room, double rounding)
{
    double at[NC_DOP_AXES], rate[NC_DOP_AXES], first = INFINITY;
    project(x, at);
    project(v, rate);
    for (int k = 0; k < NC_DOP_AXES; k++) {
        const double above = dop->hi[k] - at[k] - rounding, below = at[k] - dop->lo[k] - rounding;
        const double up = along(k, room) + rate[k], down = along(k, room) - rate[k];
        if (!(above > 0 && below > 0))
            return 0;
        if (!(up <= 0))
            first = fmin(first, above / up);
        if (!(down <= 0))
            first = fmin(first, below / down);
    }
    return first * (1 - 0x1p-38); // kicks round what was travelled: 3 u of it each
}

// ---- the tree -----------------------------------------------------------------------------------------------

// From its children or rows.
static void fit_node(nc_dop_tree *tree, int n)
{
    const nc_bvh_node *node = &tree->shape.nodes[n];
    if (node->count == 0) {
        tree->nodes[n] = nc_dop_union(&tree->nodes[n + 1], &tree->nodes[node->right]);
        return;
    }
    tree->nodes[n] = tree->rows[tree->shape.order[node->first]];
    for (int i = node->first + 1; i < node->first + node->count; i++)
        tree->nodes[n] = nc_dop_union(&tree->nodes[n], &tree->rows[tree->shape.order[i]]);
}

static bool build_shape(nc_dop_tree *tree, const nc_allocator *allocator)
{
    const size_t count = (size_t)tree->count;
    nc_box *boxes = nc_alloc(allocator, count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int i = 0; i < tree->count; i++) {
        const nc_dop *d = &tree->rows[i];
        boxes[i] = (nc_box){nc_v3(d->lo[0], d->lo[1], d->lo[2]), nc_v3(d->hi[0], d->hi[1], d->hi[2])};
    }
    const bool built = nc_bvh_build(allocator, boxes, tree->count, &tree->shape);
    nc_free(allocator, boxes, count, sizeof *boxes);
    return built;
}

static void link_nodes(nc_dop_tree *tree)
{
    tree->parent[0] = -1;
    for (int n = 0; n < tree->shape.node_count; n++) {
        const nc_bvh_node *node = &tree->shape.nodes[n];
        for (int i = node->first; i < node->first + node->count; i++)
            tree->leaf[tree->shape.order[i]] = n;
        if (node->count == 0)
            tree->parent[n + 1] = tree->parent[node->right] = n;
    }
    for (int n = tree->shape.node_count - 1; n >= 0; n--)
        fit_node(tree, n);
}

bool nc_dop_tree_build(nc_dop_tree *tree, const nc_allocator *allocator, nc_dop *rows, int count)
{
    memset(tree, 0, sizeof *tree);
    tree->rows = rows;
    tree->count = count;
    if (count == 0)
        return true;
    if (!build_shape(tree, allocator))
        return false;
    const size_t nodes = (size_t)tree->shape.node_count;
    tree->nodes = nc_alloc(allocator, nodes, sizeof *tree->nodes);
    tree->parent = nc_alloc(allocator, nodes, sizeof *tree->parent);
    tree->leaf = nc_alloc(allocator, (size_t)count, sizeof *tree->leaf);
    if (tree->nodes == NULL || tree->parent == NULL || tree->leaf == NULL)
        return false;
    link_nodes(tree);
    return true;
}

void nc_dop_tree_free(nc_dop_tree *tree, const nc_allocator *allocator)
{
    const size_t nodes = (size_t)tree->shape.node_count, rows = (size_t)tree->count;
    nc_free(allocator, tree->nodes, nodes, sizeof *tree->nodes);
    nc_free(allocator, tree->parent, nodes, sizeof *tree->parent);
    nc_free(allocator, tree->leaf, rows, sizeof *tree->leaf);
    nc_free(allocator, tree->rows, rows, sizeof *tree->rows);
    nc_bvh_free(allocator, &tree->shape);
    memset(tree, 0, sizeof *tree);
}

void nc_dop_tree_set(nc_dop_tree *tree, int row, const nc_dop *dop)
{
    tree->rows[row] = *dop;
    for (int n = tree->leaf[row]; n >= 0; n = tree->parent[n]) {
        const nc_dop before = tree->nodes[n];
        fit_node(tree, n);
        if (memcmp(&before, &tree->nodes[n], sizeof before) == 0)
            return;
    }
}

bool nc_dop_tree_find(const nc_dop_tree *tree, const nc_dop *dop, double reach, nc_dop_visit visit, void *ctx)
{
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    if (tree->count > 0)
        stack[top++] = 0;
    while (top > 0) {
        const int n = stack[--top];
        const nc_bvh_node *node = &tree->shape.nodes[n];
        if (!nc_dop_near(&tree->nodes[n], dop, reach))
            continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            const int row = tree->shape.order[i];
            if (nc_dop_near(&tree->rows[row], dop, reach) && !visit(row, ctx))
                return false;
        }
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
        }
    }
    return true;
}
