// Which element answers for which feature: every vertex and every edge belongs to exactly one element, the first in
// tree order that has it. A test of all pairs of elements then meets every pair of features exactly once.
#include "geom/mesh.h"

// The row of the edge between two vertices; it exists. Edges are sorted by (lower, upper).
static int find_edge(const nc_mesh *mesh, int a, int b)
{
    const int lower = a < b ? a : b, upper = a < b ? b : a;
    int begin = 0, end = mesh->edge_count;
    while (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        const int *edge = mesh->edges[middle];
        if (edge[0] < lower || (edge[0] == lower && edge[1] <= upper))
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

// Marks `row` as taken; true the first time.
static bool take(uint8_t *taken, int row)
{
    const bool first = !taken[row];
    taken[row] = 1;
    return first;
}

static void describe(const nc_mesh *mesh, int element, uint8_t *vertex_taken, uint8_t *edge_taken,
                     nc_element_features *out)
{
    out->corners = (uint8_t)nc_mesh_element(mesh, element, out->vertex);
    const int edges = out->corners == 3 ? 3 : out->corners - 1;
    for (int k = 0; k < out->corners; k++)
        out->owned_vertices |= (uint8_t)(take(vertex_taken, out->vertex[k]) << k);
    for (int k = 0; k < edges; k++) {
        out->edge[k] = find_edge(mesh, out->vertex[k], out->vertex[k == 2 ? 0 : k + 1]);
        out->owned_edges |= (uint8_t)(take(edge_taken, out->edge[k]) << k);
    }
}

bool nc_mesh_find_features(nc_mesh *mesh)
{
    const nc_allocator *allocator = &mesh->allocator;
    uint8_t *vertex_taken, *edge_taken;
    if (!nc_take(allocator, (void **)&vertex_taken, mesh->vertex_count, 1))
        return false;
    const bool room = nc_take(allocator, (void **)&edge_taken, mesh->edge_count, 1) &&
                      nc_take(allocator, (void **)&mesh->features, mesh->tree.count, sizeof *mesh->features);
    for (int slot = 0; room && slot < mesh->tree.count; slot++)
        describe(mesh, mesh->tree.order[slot], vertex_taken, edge_taken, &mesh->features[slot]);
    nc_free(allocator, vertex_taken, (size_t)mesh->vertex_count, 1);
    nc_free(allocator, edge_taken, (size_t)mesh->edge_count, 1);
    return room;
}
