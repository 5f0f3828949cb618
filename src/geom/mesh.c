// Meshes: creation from a definition, shared ownership, views.
#include "geom/mesh.h"

#include <limits.h>
#include <string.h>

bool nc_take(const nc_allocator *allocator, void **out, int count, size_t item_size)
{
    *out = count > 0 ? nc_alloc(allocator, (size_t)count, item_size) : NULL;
    return count == 0 || *out != NULL;
}

// ---- checking the definition --------------------------------------------------------------------------------

static bool coordinate_is_legal(double x)
{
    const double size = fabs(x);
    return x == 0 || (size >= NC_COORDINATE_MIN && size <= NC_COORDINATE_MAX); // false for NaN and infinity
}

static nc_code check_vertices(const nc_mesh_def *def, nc_error *err)
{
    for (int i = 0; i < def->vertex_count; i++) {
        const nc_vec3 v = def->vertices[i];
        if (!nc_finite3(v))
            return nc_fail(err, NC_BAD_ARGUMENT, "vertex %d is (%g, %g, %g): coordinates must be finite", i, v.x, v.y,
                           v.z);
        if (!coordinate_is_legal(v.x) || !coordinate_is_legal(v.y) || !coordinate_is_legal(v.z))
            return nc_fail(err, NC_BAD_ARGUMENT,
                           "vertex %d is (%g, %g, %g): coordinates must be 0 or between %g and %g in size", i, v.x, v.y,
                           v.z, NC_COORDINATE_MIN, NC_COORDINATE_MAX);
    }
    return NC_OK;
}

// Checks one element of `corners` vertices; `kind` and `row` are for the sentence.
static nc_code check_element(const nc_mesh_def *def, const char *kind, int row, const int *vertices, int corners,
                             nc_error *err)
{
    for (int i = 0; i < corners; i++) {
        if (vertices[i] < 0 || vertices[i] >= def->vertex_count)
            return nc_fail(err, NC_BAD_ARGUMENT, "%s %d uses vertex %d, but there are %d (they count from 0)", kind,
                           row, vertices[i], def->vertex_count);
        for (int j = 0; j < i; j++)
            if (vertices[i] == vertices[j])
                return nc_fail(err, NC_BAD_ARGUMENT, "%s %d uses vertex %d twice", kind, row, vertices[i]);
    }
    return NC_OK;
}

static nc_code check_elements(const nc_mesh_def *def, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < def->triangle_count && code == NC_OK; i++)
        code = check_element(def, "triangle", i, def->triangles[i], 3, err);
    for (int i = 0; i < def->edge_count && code == NC_OK; i++)
        code = check_element(def, "edge", i, def->edges[i], 2, err);
    for (int i = 0; i < def->point_count && code == NC_OK; i++)
        code = check_element(def, "point", i, &def->points[i], 1, err);
    return code;
}

static nc_code check_def(const nc_mesh_def *def, nc_error *err)
{
    const int limit = INT_MAX / 8;
    if (def->vertex_count < 0 || def->triangle_count < 0 || def->edge_count < 0 || def->point_count < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a count of the mesh is negative");
    if (def->vertex_count > limit || def->triangle_count > limit || def->edge_count > limit || def->point_count > limit)
        return nc_fail(err, NC_BAD_ARGUMENT, "the mesh is too large: at most %d of each kind", limit);
    if ((def->vertex_count > 0 && def->vertices == NULL) || (def->triangle_count > 0 && def->triangles == NULL) ||
        (def->edge_count > 0 && def->edges == NULL) || (def->point_count > 0 && def->points == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "an array of the mesh is missing although its count is not 0");
    if (def->triangle_count + def->edge_count + def->point_count == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "the mesh has no element: no triangle, no edge, no point");
    const nc_code code = check_vertices(def, err);
    return code == NC_OK ? check_elements(def, err) : code;
}

// ---- filling ------------------------------------------------------------------------------------------------

enum { UNUSED, LONELY, JOINED }; // what a vertex is: in no element, only a point, a corner of something larger

static void mark_use(const nc_mesh_def *def, uint8_t *use)
{
    for (int i = 0; i < def->point_count; i++)
        use[def->points[i]] = LONELY;
    for (int i = 0; i < def->edge_count; i++)
        use[def->edges[i][0]] = use[def->edges[i][1]] = JOINED;
    for (int i = 0; i < def->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            use[def->triangles[i][k]] = JOINED;
}

// Copies used vertices in order, with -0.0 turned into 0.0 so that equal meshes are equal in bits.
static bool copy_vertices(nc_mesh *mesh, const nc_mesh_def *def, const uint8_t *use, int *row_of)
{
    for (int i = 0; i < def->vertex_count; i++) {
        row_of[i] = mesh->vertex_count;
        mesh->vertex_count += use[i] != UNUSED;
        mesh->point_count += use[i] == LONELY;
    }
    mesh->vertices = nc_alloc(&mesh->allocator, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
    if (mesh->vertices == NULL ||
        !nc_take(&mesh->allocator, (void **)&mesh->points, mesh->point_count, sizeof *mesh->points))
        return false;
    int point = 0;
    for (int i = 0; i < def->vertex_count; i++) {
        if (use[i] == UNUSED)
            continue;
        mesh->vertices[row_of[i]] = nc_add(def->vertices[i], nc_v3(0, 0, 0));
        if (use[i] == LONELY && mesh->points != NULL)
            mesh->points[point++] = row_of[i];
    }
    return true;
}

static bool copy_triangles(nc_mesh *mesh, const nc_mesh_def *def, const int *row_of)
{
    mesh->triangle_count = def->triangle_count;
    if (!nc_take(&mesh->allocator, (void **)&mesh->triangles, mesh->triangle_count, sizeof *mesh->triangles))
        return false;
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            mesh->triangles[i][k] = row_of[def->triangles[i][k]];
    return true;
}

static void measure(nc_mesh *mesh)
{
    double largest = 0;
    mesh->box = nc_box_empty();
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->box = nc_box_add(mesh->box, mesh->vertices[i]);
        largest = fmax(largest, nc_norm2(mesh->vertices[i]));
    }
    // Squares cannot underflow or overflow in the legal range, so norm2 and sqrt err by less than 4 u together.
    mesh->radius = sqrt(largest) * (1 + 8 * NC_UNIT_ROUNDOFF);
}

static uint64_t hash_content(const nc_mesh *mesh)
{
    uint64_t h = NC_HASH_START;
    h = nc_hash(h, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    h = nc_hash(h, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    h = nc_hash(h, mesh->edges, (size_t)mesh->edge_count * sizeof *mesh->edges);
    return nc_hash(h, mesh->points, (size_t)mesh->point_count * sizeof *mesh->points);
}

static bool build_tree(nc_mesh *mesh)
{
    const int count = mesh->triangle_count + mesh->free_edge_count + mesh->point_count;
    nc_box *boxes = nc_alloc(&mesh->allocator, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int e = 0; e < count; e++) {
        int corner[3];
        const int corners = nc_mesh_element(mesh, e, corner);
        boxes[e] = nc_box_add(nc_box_empty(), mesh->vertices[corner[0]]);
        for (int k = 1; k < corners; k++)
            boxes[e] = nc_box_add(boxes[e], mesh->vertices[corner[k]]);
    }
    const bool built = nc_bvh_build(&mesh->allocator, boxes, count, &mesh->tree);
    nc_free(&mesh->allocator, boxes, (size_t)count, sizeof *boxes);
    return built;
}

static double half_extent(double lo, double hi)
{
    return 0.5 * (hi - lo) + 4.0 * NC_UNIT_ROUNDOFF * (fabs(lo) + fabs(hi));
}

static nc_node_shape shape_of(nc_box box)
{
    const double up = 1.0 + 16.0 * NC_UNIT_ROUNDOFF;
    nc_node_shape shape = {.center = nc_scale(0.5, nc_add(box.lo, box.hi))};
    shape.half =
        nc_v3(half_extent(box.lo.x, box.hi.x), half_extent(box.lo.y, box.hi.y), half_extent(box.lo.z, box.hi.z));
    shape.extent = nc_norm(shape.half) * up;
    shape.reach = (nc_norm(shape.center) + shape.extent) * up;
    return shape;
}

// When the tree stands and the mesh is measured: no point is farther from the origin than the radius.
static bool shape_nodes(nc_mesh *mesh)
{
    mesh->shapes = nc_alloc(&mesh->allocator, (size_t)mesh->tree.node_count, sizeof *mesh->shapes);
    if (mesh->shapes == NULL)
        return false;
    for (int n = 0; n < mesh->tree.node_count; n++) {
        mesh->shapes[n] = shape_of(mesh->tree.nodes[n].box);
        mesh->shapes[n].reach = fmin(mesh->shapes[n].reach, mesh->radius);
    }
    return true;
}

static bool fill(nc_mesh *mesh, const nc_mesh_def *def, uint8_t *use, int *row_of)
{
    mark_use(def, use);
    if (!copy_vertices(mesh, def, use, row_of) || !copy_triangles(mesh, def, row_of) ||
        !nc_mesh_find_edges(mesh, def, row_of) || !build_tree(mesh) || !nc_mesh_find_features(mesh) ||
        !nc_mesh_find_flat(mesh))
        return false;
    measure(mesh);
    mesh->hash = hash_content(mesh);
    return shape_nodes(mesh) && nc_mesh_find_patches(mesh);
}

nc_code nc_mesh_create(const nc_mesh_def *def, const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    *out = NULL;
    const nc_code code = check_def(def, err);
    if (code != NC_OK)
        return code;
    const nc_allocator memory = nc_allocator_or_default(allocator);
    const size_t count = (size_t)def->vertex_count;
    nc_mesh *mesh = nc_alloc(&memory, 1, sizeof *mesh);
    uint8_t *use = nc_alloc(&memory, count, sizeof *use);
    int *row_of = nc_alloc(&memory, count, sizeof *row_of);
    bool made = false;
    if (mesh != NULL) {
        mesh->allocator = memory;
        atomic_init(&mesh->references, 1);
        made = use != NULL && row_of != NULL && fill(mesh, def, use, row_of);
    }
    nc_free(&memory, use, count, sizeof *use);
    nc_free(&memory, row_of, count, sizeof *row_of);
    if (!made) {
        nc_mesh_release(mesh);
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a mesh of %d vertices and %d triangles",
                       def->vertex_count, def->triangle_count);
    }
    *out = mesh;
    return NC_OK;
}

// ---- sharing ------------------------------------------------------------------------------------------------

nc_mesh *nc_mesh_retain(nc_mesh *mesh)
{
    if (mesh != NULL)
        atomic_fetch_add_explicit(&mesh->references, 1, memory_order_relaxed);
    return mesh;
}

void nc_mesh_release(nc_mesh *mesh)
{
    // The last one to leave must see everything the others did: release on the way out, acquire before freeing.
    if (mesh == NULL || atomic_fetch_sub_explicit(&mesh->references, 1, memory_order_acq_rel) != 1)
        return;
    const nc_allocator memory = mesh->allocator;
    nc_free(&memory, mesh->vertices, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
    nc_free(&memory, mesh->triangles, (size_t)mesh->triangle_count, sizeof *mesh->triangles);
    nc_free(&memory, mesh->edges, (size_t)mesh->edge_count, sizeof *mesh->edges);
    nc_free(&memory, mesh->edge_is_free, (size_t)mesh->edge_count, sizeof *mesh->edge_is_free);
    nc_free(&memory, mesh->free_edges, (size_t)mesh->free_edge_count, sizeof *mesh->free_edges);
    nc_free(&memory, mesh->points, (size_t)mesh->point_count, sizeof *mesh->points);
    nc_free(&memory, mesh->shapes, (size_t)mesh->tree.node_count, sizeof *mesh->shapes);
    nc_free(&memory, mesh->fours, (size_t)mesh->four_count, sizeof *mesh->fours);
    nc_free(&memory, mesh->features, (size_t)mesh->tree.count, sizeof *mesh->features);
    nc_bvh_free(&memory, &mesh->tree);
    nc_free(&memory, mesh, 1, sizeof *mesh);
}

// ---- views --------------------------------------------------------------------------------------------------

nc_mesh_data nc_mesh_view(const nc_mesh *mesh)
{
    return (nc_mesh_data){.vertex_count = mesh->vertex_count,
                          .triangle_count = mesh->triangle_count,
                          .edge_count = mesh->edge_count,
                          .point_count = mesh->point_count,
                          .vertices = mesh->vertices,
                          .triangles = (const int(*)[3])mesh->triangles,
                          .edges = (const int(*)[2])mesh->edges,
                          .edge_is_free = mesh->edge_is_free,
                          .points = mesh->points,
                          .box = mesh->box,
                          .radius = mesh->radius,
                          .closed = mesh->closed,
                          .hash = mesh->hash};
}

double nc_mesh_radius(const nc_mesh *mesh)
{
    return mesh->radius;
}

double nc_mesh_diagonal(const nc_mesh *mesh)
{
    return nc_norm(nc_sub(mesh->box.hi, mesh->box.lo));
}

uint64_t nc_mesh_hash(const nc_mesh *mesh)
{
    return mesh->hash;
}

nc_mesh_tree nc_mesh_tree_view(const nc_mesh *mesh)
{
    nc_mesh_tree tree;
    memset(&tree, 0, sizeof tree);
    tree.nodes = mesh->tree.nodes;
    tree.shapes = mesh->shapes;
    tree.whole = (nc_cloud){mesh->fours + (mesh->four_count - mesh->whole_count), mesh->whole_count};
    tree.node_count = mesh->tree.node_count;
    tree.order = mesh->tree.order;
    tree.features = mesh->features;
    tree.element_count = mesh->tree.count;
    tree.free_edges = mesh->free_edges;
    tree.free_edge_count = mesh->free_edge_count;
    tree.depth = mesh->tree.depth;
    return tree;
}

nc_allocator nc_mesh_allocator(const nc_mesh *mesh)
{
    return mesh->allocator;
}

int nc_mesh_element(const nc_mesh *mesh, int element, int out_vertices[3])
{
    NC_ASSERT(element >= 0);
    if (element < mesh->triangle_count) {
        memcpy(out_vertices, mesh->triangles[element], sizeof mesh->triangles[0]);
        return 3;
    }
    element -= mesh->triangle_count;
    if (element < mesh->free_edge_count) {
        memcpy(out_vertices, mesh->edges[mesh->free_edges[element]], sizeof mesh->edges[0]);
        return 2;
    }
    out_vertices[0] = mesh->points[element - mesh->free_edge_count];
    return 1;
}

// ---- moving the origin --------------------------------------------------------------------------------------

// A difference may be smaller than any legal coordinate; it becomes 0, as it would in a loader.
static double flush(double x)
{
    return fabs(x) < NC_COORDINATE_MIN ? 0 : x;
}

nc_code nc_mesh_recenter(const nc_mesh *mesh, nc_vec3 center, nc_mesh **out, nc_error *err)
{
    *out = NULL;
    const size_t count = (size_t)mesh->vertex_count;
    nc_vec3 *moved = nc_alloc(&mesh->allocator, count, sizeof *moved);
    if (moved == NULL)
        return nc_fail_memory(err, count * sizeof *moved);
    for (size_t i = 0; i < count; i++) {
        const nc_vec3 v = nc_sub(mesh->vertices[i], center);
        moved[i] = nc_v3(flush(v.x), flush(v.y), flush(v.z));
    }
    const nc_mesh_def def = {.vertices = moved,
                             .vertex_count = mesh->vertex_count,
                             .triangles = (const int(*)[3])mesh->triangles,
                             .triangle_count = mesh->triangle_count,
                             .edges = (const int(*)[2])mesh->edges, // those of triangles are found to be so again
                             .edge_count = mesh->edge_count,
                             .points = mesh->points,
                             .point_count = mesh->point_count};
    const nc_code code = nc_mesh_create(&def, &mesh->allocator, out, err);
    nc_free(&mesh->allocator, moved, count, sizeof *moved);
    return code;
}
