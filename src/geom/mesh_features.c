// Which element answers for which feature: every vertex and every edge belongs to exactly one element, the first in
// tree order that has it. A test of all pairs of elements then meets every pair of features exactly once.
#include "geom/mesh.h"

// What was handed out so far, and where to find edges.
typedef struct feature_table {
    uint8_t *vertex_taken, *edge_taken;
    int *start; // vertex_count + 1: edges of lower vertex v are the rows [start[v], start[v + 1])
} feature_table;

static void find_starts(const nc_mesh *mesh, int *start)
{
    for (int e = 0; e < mesh->edge_count; e++)
        start[mesh->edges[e][0] + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++)
        start[v + 1] += start[v];
}

// The row of the edge between two vertices; it exists. Edges are sorted by (lower, upper).
static int find_edge(const nc_mesh *mesh, const int *start, int a, int b)
{
    const int lower = a < b ? a : b, upper = a < b ? b : a;
    int begin = start[lower], end = start[lower + 1];
    while (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        if (mesh->edges[middle][1] <= upper)
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

static void describe(const nc_mesh *mesh, int element, const feature_table *table, nc_element_features *out)
{
    out->corners = (uint8_t)nc_mesh_element(mesh, element, out->vertex);
    const int edges = out->corners == 3 ? 3 : out->corners - 1;
    for (int k = 0; k < out->corners; k++)
        out->owned_vertices |= (uint8_t)(take(table->vertex_taken, out->vertex[k]) << k);
    for (int k = 0; k < edges; k++) {
        out->edge[k] = find_edge(mesh, table->start, out->vertex[k], out->vertex[k == 2 ? 0 : k + 1]);
        out->owned_edges |= (uint8_t)(take(table->edge_taken, out->edge[k]) << k);
    }
}

bool nc_mesh_find_features(nc_mesh *mesh)
{
    const nc_allocator *allocator = &mesh->allocator;
    feature_table table = {NULL, NULL, NULL};
    const bool room = nc_take(allocator, (void **)&table.vertex_taken, mesh->vertex_count, 1) &&
                      nc_take(allocator, (void **)&table.edge_taken, mesh->edge_count, 1) &&
                      nc_take(allocator, (void **)&table.start, mesh->vertex_count + 1, sizeof *table.start) &&
                      nc_take(allocator, (void **)&mesh->features, mesh->tree.count, sizeof *mesh->features);
    if (room) {
        find_starts(mesh, table.start);
        for (int slot = 0; slot < mesh->tree.count; slot++)
            describe(mesh, mesh->tree.order[slot], &table, &mesh->features[slot]);
    }
    nc_free(allocator, table.vertex_taken, (size_t)mesh->vertex_count, 1);
    nc_free(allocator, table.edge_taken, (size_t)mesh->edge_count, 1);
    nc_free(allocator, table.start, (size_t)mesh->vertex_count + 1, sizeof *table.start);
    return room;
}
