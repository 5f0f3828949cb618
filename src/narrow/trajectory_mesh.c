// A triangle soup as a target: the tree of the mesh, then its elements.
#include "narrow/trajectory.h"

static int corners_of(const nc_mesh *mesh, const nc_mesh_data *data, int element, nc_vec3 out[3])
{
    int rows[3];
    const int count = nc_mesh_element(mesh, element, rows);
    for (int i = 0; i < count; i++)
        out[i] = data->vertices[rows[i]];
    return count;
}

// ---- boxes --------------------------------------------------------------------------------------------------

static bool leaf_may_intersect(const nc_mesh *mesh, const nc_mesh_tree *tree, const nc_bvh_node *leaf,
                               const nc_box_test *test)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    for (int i = 0; i < leaf->count; i++) {
        nc_vec3 corners[3];
        const int count = corners_of(mesh, &data, tree->order[leaf->first + i], corners);
        if (!nc_box_test_misses_simplex(test, corners, count))
            return true;
    }
    return false;
}

// The children of a node, the one whose middle is nearer to p on top.
static int push_children(const nc_mesh_tree *tree, int row, nc_vec3 p, int *stack, int count)
{
    const int left = row + 1, right = tree->nodes[row].right;
    const nc_box a = tree->nodes[left].box, b = tree->nodes[right].box;
    const nc_vec3 to_a = nc_sub(nc_add(a.lo, a.hi), nc_scale(2, p)), to_b = nc_sub(nc_add(b.lo, b.hi), nc_scale(2, p));
    const bool left_first = nc_norm2(to_a) <= nc_norm2(to_b);
    stack[count] = left_first ? right : left;
    stack[count + 1] = left_first ? left : right;
    return count + 2;
}

// The next node on the stack whose box the test does not rule out; -1 when there is none.
static int next_node(const nc_mesh_tree *tree, const nc_box_test *test, const int *stack, int *count)
{
    while (*count > 0) {
        const int row = stack[--*count];
        if (!nc_box_test_misses_box(test, tree->nodes[row].box))
            return row;
    }
    return -1;
}

static bool mesh_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    const nc_mesh_tree tree = nc_mesh_tree_view(ctx);
    nc_box_test test;
    nc_box_test_prepare(&test, box);
    int stack[NC_BVH_MAX_DEPTH + 1] = {0}, count = 1;
    for (int row; (row = next_node(&tree, &test, stack, &count)) >= 0;) {
        const nc_bvh_node *node = &tree.nodes[row];
        if (node->right != 0)
            count = push_children(&tree, row, box->center, stack, count);
        else if (leaf_may_intersect(ctx, &tree, node, &test))
            return true;
    }
    return false;
}

// ---- segments -----------------------------------------------------------------------------------------------

static nc_vec3 along(nc_vec3 from, nc_vec3 to, double s)
{
    return nc_add(nc_scale(1.0 - s, from), nc_scale(s, to));
}

// A segment that meets the simplex is halved towards its first meeting. Returns an s that is early by at most the
// precision.
static double first_intersection(nc_vec3 from, nc_vec3 to, const nc_vec3 *corners, int count, double precision)
{
    const double length = nc_norm(nc_sub(to, from));
    double low = 0, high = 1;
    for (int i = 0; i < 60 && (high - low) * length > precision; i++) {
        const double middle = 0.5 * (low + high);
        const nc_vec3 part[2] = {along(from, to, low), along(from, to, middle)};
        if (nc_simplex_intersect(part, 2, corners, count))
            high = middle;
        else
            low = middle;
    }
    return low;
}

static nc_verdict mesh_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_mesh *mesh = ctx;
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    const nc_vec3 ends[2] = {from, to};
    const nc_oriented_box line = nc_box_around_segment(from, to, 0);
    nc_box_test test;
    nc_box_test_prepare(&test, &line);
    int stack[NC_BVH_MAX_DEPTH + 1] = {0}, count = 1;
    double first = INFINITY;
    for (int row; (row = next_node(&tree, &test, stack, &count)) >= 0;) {
        const nc_bvh_node *node = &tree.nodes[row];
        if (node->right != 0)
            count = push_children(&tree, row, from, stack, count);
        for (int i = 0; i < node->count; i++) {
            nc_vec3 corners[3];
            const int corner_count = corners_of(mesh, &data, tree.order[node->first + i], corners);
            if (nc_simplex_intersect(ends, 2, corners, corner_count))
                first = fmin(first, first_intersection(from, to, corners, corner_count, precision));
        }
    }
    *s = fmin(first, 1.0);
    return first <= 1.0 ? NC_HIT : NC_CLEAR;
}

// ---- normals ------------------------------------------------------------------------------------------------

typedef struct nearest {
    double distance;
    nc_vec3 from;       // [m] the nearest point
    nc_vec3 corners[3]; // of the nearest element
    int count;
} nearest;

static double box_distance(nc_box box, nc_vec3 p)
{
    const nc_vec3 inside = nc_max_v3(box.lo, nc_min_v3(box.hi, p));
    return nc_norm(nc_sub(p, inside));
}

static void look_at(nearest *best, const nc_vec3 *corners, int count, nc_vec3 p)
{
    const nc_vec3 segment[2] = {corners[0], corners[count == 2 ? 1 : 0]};
    const nc_distance d = count == 3 ? nc_distance_point_triangle(p, corners) : nc_distance_point_segment(p, segment);
    if (!(d.distance < best->distance))
        return;
    best->distance = d.distance;
    best->from = d.on_b;
    best->count = count;
    for (int i = 0; i < count; i++)
        best->corners[i] = corners[i];
}

static nearest nearest_element(const nc_mesh *mesh, nc_vec3 p)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    nearest best = {.distance = INFINITY};
    int stack[NC_BVH_MAX_DEPTH + 1] = {0}, count = 1;
    while (count > 0) {
        const int row = stack[--count];
        const nc_bvh_node *node = &tree.nodes[row];
        if (box_distance(node->box, p) > best.distance)
            continue;
        for (int i = 0; i < node->count; i++) {
            nc_vec3 corners[3];
            const int corner_count = corners_of(mesh, &data, tree.order[node->first + i], corners);
            look_at(&best, corners, corner_count, p);
        }
        if (node->right != 0)
            count = push_children(&tree, row, p, stack, count);
    }
    return best;
}

double nc_mesh_point_distance(const nc_mesh *mesh, nc_vec3 p)
{
    return nearest_element(mesh, p).distance;
}

static nc_vec3 mesh_normal(const void *ctx, nc_vec3 p)
{
    const nearest best = nearest_element(ctx, p);
    const nc_vec3 away = nc_sub(p, best.from);
    if (best.count != 3)
        return nc_direction(away);
    const nc_vec3 *c = best.corners;
    const nc_vec3 face = nc_direction(nc_cross(nc_sub(c[1], c[0]), nc_sub(c[2], c[0])));
    if (nc_max3(face) == 0)
        return nc_direction(away);
    return nc_dot(face, away) < 0 ? nc_neg(face) : face;
}

nc_target nc_target_mesh(const nc_mesh *mesh)
{
    const nc_target target = {mesh_may_intersect_box, mesh_intersect_segment, mesh_normal, mesh};
    return target;
}
