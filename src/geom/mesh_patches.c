// Patches: the vertices of small nodes, each once and four side by side, so that a look at all points of a part of the
// surface is one walk through memory. And all vertices of a small mesh.
#include "geom/mesh.h"

// Rows of vertices below a node, each once.
typedef struct row_set {
    int row[3 * NC_PATCH_ELEMENTS];
    int count;
} row_set;

static void add_row(row_set *set, int row)
{
    for (int k = 0; k < set->count; k++)
        if (set->row[k] == row)
            return;
    set->row[set->count++] = row;
}

// The slots [first, end) of the tree's order that are below a node.
static int first_slot(const nc_bvh *tree, int node)
{
    while (tree->nodes[node].count == 0)
        node++;
    return tree->nodes[node].first;
}

static int end_slot(const nc_bvh *tree, int node)
{
    while (tree->nodes[node].count == 0)
        node = tree->nodes[node].right;
    return tree->nodes[node].first + tree->nodes[node].count;
}

// Empty for a node that is too large to have a patch.
static row_set rows_below(const nc_mesh *mesh, int node)
{
    row_set set = {.count = 0};
    const int first = first_slot(&mesh->tree, node), end = end_slot(&mesh->tree, node);
    for (int slot = first; slot < end && end - first <= NC_PATCH_ELEMENTS; slot++)
        for (int k = 0; k < mesh->features[slot].corners; k++)
            add_row(&set, mesh->features[slot].vertex[k]);
    return set;
}

// Writes `count` vertices, those of `rows` or (NULL) the first ones, where `out` says, if anywhere; the last one fills
// the last group. Returns how many groups they are.
static int write_fours(const nc_mesh *mesh, const int *rows, int count, nc_four_points *out)
{
    const int fours = (count + 3) / 4;
    for (int k = 0; out != NULL && k < 4 * fours; k++) {
        const int at = k < count ? k : count - 1;
        const nc_vec3 v = mesh->vertices[rows == NULL ? at : rows[at]];
        out[k / 4].x[k % 4] = v.x;
        out[k / 4].y[k % 4] = v.y;
        out[k / 4].z[k % 4] = v.z;
    }
    return fours;
}

// Counts all groups; or writes them, once there is room.
static void walk(nc_mesh *mesh)
{
    nc_four_points *out = mesh->fours;
    int count = 0;
    for (int n = 0; n < mesh->tree.node_count; n++) {
        const row_set set = rows_below(mesh, n);
        nc_four_points *const place = out == NULL ? NULL : out + count;
        const int fours = write_fours(mesh, set.row, set.count, place);
        mesh->shapes[n].patch = (nc_cloud){place, fours};
        count += fours;
    }
    const int whole = mesh->vertex_count <= NC_WHOLE_VERTICES ? mesh->vertex_count : 0;
    mesh->whole_count = write_fours(mesh, NULL, whole, out == NULL ? NULL : out + count);
    mesh->four_count = count + mesh->whole_count;
}

bool nc_mesh_find_patches(nc_mesh *mesh)
{
    walk(mesh);
    if (!nc_take(&mesh->allocator, (void **)&mesh->fours, mesh->four_count, sizeof *mesh->fours))
        return false;
    walk(mesh);
    return true;
}
