// How often a surface intersects itself.
#include "fracture/fracture.h"

static bool share_a_vertex(const int a[3], const int b[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static int64_t intersects_in_leaf(const nc_mesh_data *data, const nc_mesh_tree *tree, const nc_bvh_node *leaf,
                                  int triangle, const nc_vec3 corners[3], int *out_other)
{
    int64_t count = 0;
    for (int s = leaf->first; s < leaf->first + leaf->count; s++) {
        const int other = tree->order[s];
        if (other <= triangle || other >= data->triangle_count ||
            share_a_vertex(data->triangles[triangle], data->triangles[other]))
            continue;
        const int *v = data->triangles[other];
        const nc_vec3 b[3] = {data->vertices[v[0]], data->vertices[v[1]], data->vertices[v[2]]};
        if (!nc_simplex_intersect(corners, 3, b, 3))
            continue;
        *out_other = other;
        count++;
    }
    return count;
}

int64_t nc_mesh_self_intersections(const nc_mesh *mesh, int out_first[2])
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    int64_t count = 0;
    int first = -1, other = -1;
    for (int t = 0; t < data.triangle_count; t++) {
        const int *v = data.triangles[t];
        const nc_vec3 a[3] = {data.vertices[v[0]], data.vertices[v[1]], data.vertices[v[2]]};
        const nc_box box = nc_box_add(nc_box_add(nc_box_add(nc_box_empty(), a[0]), a[1]), a[2]);
        int stack[NC_BVH_MAX_DEPTH + 1], depth = 0, ignored;
        stack[depth++] = 0;
        while (depth > 0) {
            const int i = stack[--depth];
            const nc_bvh_node *node = &tree.nodes[i];
            if (!nc_box_overlap(node->box, box))
                continue;
            if (node->right == 0) {
                count += intersects_in_leaf(&data, &tree, node, t, a, count == 0 ? &other : &ignored);
            } else {
                stack[depth++] = node->right;
                stack[depth++] = i + 1;
            }
        }
        first = first < 0 && count > 0 ? t : first;
    }
    if (out_first != NULL) {
        out_first[0] = first;
        out_first[1] = other;
    }
    return count;
}
