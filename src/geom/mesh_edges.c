// Unique edges of a mesh: a counting sort of all half-edges by their lower vertex, then by the upper one.
//
// Linear in the number of half-edges for meshes of bounded valence; n log n for a hub of many triangles.
#include "geom/mesh.h"

// A triangle's side seen from its lower vertex, or an edge given by itself.
typedef struct half_edge {
    int upper;
    enum { FORWARD, BACKWARD, GIVEN } kind; // FORWARD: the triangle runs from the lower to the upper vertex
} half_edge;

// How often one edge occurs.
typedef struct edge_use {
    int forward, backward;
} edge_use;

typedef struct edge_table {
    int *start;        // vertex_count + 1: half-edges of lower vertex v are [start[v], start[v + 1])
    half_edge *halves; // grouped by lower vertex, then sorted by upper vertex
    int count;
} edge_table;

static int lower_of(int a, int b)
{
    return a < b ? a : b;
}

static int upper_of(int a, int b)
{
    return a < b ? b : a;
}

static void count_halves(const nc_mesh *mesh, const nc_mesh_def *def, const int *row_of, int *start)
{
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            start[lower_of(mesh->triangles[i][k], mesh->triangles[i][k == 2 ? 0 : k + 1]) + 1]++;
    for (int i = 0; i < def->edge_count; i++)
        start[lower_of(row_of[def->edges[i][0]], row_of[def->edges[i][1]]) + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++)
        start[v + 1] += start[v];
}

// Puts every half-edge into its group. Moves start[v] to the end of v's group, then back.
static void place_halves(const nc_mesh *mesh, const nc_mesh_def *def, const int *row_of, edge_table *table)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            const int a = mesh->triangles[i][k], b = mesh->triangles[i][k == 2 ? 0 : k + 1];
            half_edge *half = &table->halves[table->start[lower_of(a, b)]++];
            half->upper = upper_of(a, b);
            half->kind = a < b ? FORWARD : BACKWARD;
        }
    }
    for (int i = 0; i < def->edge_count; i++) {
        const int a = row_of[def->edges[i][0]], b = row_of[def->edges[i][1]];
        half_edge *half = &table->halves[table->start[lower_of(a, b)]++];
        half->upper = upper_of(a, b);
        half->kind = GIVEN;
    }
    for (int v = mesh->vertex_count; v > 0; v--)
        table->start[v] = table->start[v - 1];
    table->start[0] = 0;
}

static bool half_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const half_edge *)a)->upper < ((const half_edge *)b)->upper;
}

static bool sort_group(const nc_allocator *allocator, half_edge *halves, int count)
{
    if (count > 32)
        return nc_sort(allocator, halves, (size_t)count, sizeof *halves, half_less, NULL);
    for (int i = 1; i < count; i++) {
        const half_edge half = halves[i];
        int j = i;
        for (; j > 0 && halves[j - 1].upper > half.upper; j--)
            halves[j] = halves[j - 1];
        halves[j] = half;
    }
    return true;
}

// The run of equal edges that begins at slot i of a group ending at `end`; returns the slot after it.
static int read_run(const edge_table *table, int i, int end, edge_use *use)
{
    const int upper = table->halves[i].upper;
    use->forward = use->backward = 0;
    for (; i < end && table->halves[i].upper == upper; i++) {
        use->forward += table->halves[i].kind == FORWARD;
        use->backward += table->halves[i].kind == BACKWARD;
    }
    return i;
}

static void count_edges(nc_mesh *mesh, const edge_table *table)
{
    edge_use use;
    mesh->closed = mesh->triangle_count > 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        for (int i = table->start[v]; i < table->start[v + 1];) {
            i = read_run(table, i, table->start[v + 1], &use);
            mesh->edge_count++;
            mesh->free_edge_count += use.forward + use.backward == 0;
            mesh->closed = mesh->closed && use.forward == 1 && use.backward == 1;
        }
    }
}

static void write_edges(nc_mesh *mesh, const edge_table *table)
{
    edge_use use;
    int edge = 0, free_edge = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        for (int i = table->start[v]; i < table->start[v + 1]; edge++) {
            mesh->edges[edge][0] = v;
            mesh->edges[edge][1] = table->halves[i].upper;
            i = read_run(table, i, table->start[v + 1], &use);
            mesh->edge_is_free[edge] = use.forward + use.backward == 0;
            if (mesh->edge_is_free[edge])
                mesh->free_edges[free_edge++] = edge;
        }
    }
}

static bool fill_table(const nc_mesh *mesh, const nc_mesh_def *def, const int *row_of, edge_table *table)
{
    count_halves(mesh, def, row_of, table->start);
    place_halves(mesh, def, row_of, table);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (!sort_group(&mesh->allocator, table->halves + table->start[v], table->start[v + 1] - table->start[v]))
            return false;
    return true;
}

// On failure what was allocated is left for nc_mesh_release, so the counts must be right: they are set first.
static bool take_edges(nc_mesh *mesh)
{
    return nc_take(&mesh->allocator, (void **)&mesh->edges, mesh->edge_count, sizeof *mesh->edges) &&
           nc_take(&mesh->allocator, (void **)&mesh->edge_is_free, mesh->edge_count, sizeof *mesh->edge_is_free) &&
           nc_take(&mesh->allocator, (void **)&mesh->free_edges, mesh->free_edge_count, sizeof *mesh->free_edges);
}

bool nc_mesh_find_edges(nc_mesh *mesh, const nc_mesh_def *def, const int *row_of)
{
    edge_table table = {NULL, NULL, 3 * mesh->triangle_count + def->edge_count};
    if (table.count == 0)
        return true;
    table.start = nc_alloc(&mesh->allocator, (size_t)mesh->vertex_count + 1, sizeof *table.start);
    table.halves = nc_alloc(&mesh->allocator, (size_t)table.count, sizeof *table.halves);
    bool found = table.start != NULL && table.halves != NULL && fill_table(mesh, def, row_of, &table);
    if (found) {
        count_edges(mesh, &table);
        found = take_edges(mesh);
    }
    if (found)
        write_edges(mesh, &table);
    nc_free(&mesh->allocator, table.start, (size_t)mesh->vertex_count + 1, sizeof *table.start);
    nc_free(&mesh->allocator, table.halves, (size_t)table.count, sizeof *table.halves);
    return found;
}
