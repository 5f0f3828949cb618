// Shells cut by the convex regions of a pattern.
//
// Each triangle is clipped by the planes of a region. A corner of what is left is a vertex of the mesh, a point of an
// edge of the mesh in a plane, or a point of the triangle in two planes, and that is its name. Points of edges are
// computed from the edge's ends in the order of their numbers, so the two triangles of an edge get the same point, and
// corners of one name are one vertex.
#include "fracture/pattern.h"

#define INTERIOR (-1) // a side that is no edge of the mesh has a plane instead

typedef struct corner {
    int name[3];   // vertex, -1, -1; or the ends of an edge, lower first, and a plane; or -1 - triangle and two planes
    nc_vec3 at;    // [m]
    int low, high; // ends of the mesh's edge that the side to the next corner is on; low = INTERIOR: in plane `high`
} corner;

typedef struct cutter {
    nc_allocator allocator;
    nc_mesh_data data;
    const nc_pattern *pattern;
    nc_pattern_place place;
    double on_plane;           // [m] nearer counts as on it
    NC_ARRAY(nc_plane) planes; // of the region, in the mesh's frame
    NC_ARRAY(corner) polygon;
    NC_ARRAY(corner) next;
    NC_ARRAY(corner) corners; // of the piece's polygons, all of them
    NC_ARRAY(int) counts;     // corners of each polygon
} cutter;

// ---- planes -------------------------------------------------------------------------------------------------

// The mesh is in the box, so the box's sides cut nothing. Those of patterns from files are known to single precision
// only.
static bool is_side_of_box(const nc_plane *plane)
{
    return fabs(plane->offset - 0.5) <= 1e-6 && nc_max3(plane->normal) >= 1 - 1e-12;
}

static bool place_planes(cutter *c, int region)
{
    const nc_region *r = &c->pattern->regions.data[region];
    const nc_mat3 rotation = nc_quat_matrix(c->place.pose.q);
    c->planes.count = 0;
    for (int i = 0; i < r->plane_count; i++) {
        const nc_plane *plane = &c->pattern->planes.data[r->first_plane + i];
        if (is_side_of_box(plane))
            continue;
        nc_plane placed = {nc_mat3_mul(rotation, plane->normal), 0};
        placed.offset = c->place.scale * (plane->offset - nc_dot(plane->normal, c->pattern->center)) +
                        nc_dot(placed.normal, c->place.pose.x);
        if (!nc_array_push(&c->allocator, &c->planes, placed))
            return false;
    }
    return true;
}

static double value_at(const cutter *c, int plane, nc_vec3 p)
{
    const double value = nc_plane_value(&c->planes.data[plane], p);
    return fabs(value) <= c->on_plane ? 0.0 : value;
}

// ---- one triangle -------------------------------------------------------------------------------------------

static void name_edge(corner *from, int a, int b)
{
    from->low = a < b ? a : b;
    from->high = a < b ? b : a;
}

static bool start_polygon(cutter *c, int triangle)
{
    const int *v = c->data.triangles[triangle];
    c->polygon.count = 0;
    for (int k = 0; k < 3; k++) {
        corner start = {.name = {v[k], -1, -1}, .at = c->data.vertices[v[k]]};
        name_edge(&start, v[k], v[(k + 1) % 3]);
        if (!nc_array_push(&c->allocator, &c->polygon, start))
            return false;
    }
    return true;
}

static nc_vec3 between(nc_vec3 a, nc_vec3 b, double value_a, double value_b)
{
    return nc_madd(a, fmax(0.0, fmin(1.0, value_a / (value_a - value_b))), nc_sub(b, a));
}

// Where the side from u to v is in the plane. Its own side is still to be named.
static corner cut_side(const cutter *c, const corner *u, const corner *v, int plane, int triangle)
{
    corner cut = {{0}, {0, 0, 0}, 0, 0};
    if (u->low != INTERIOR) {
        const nc_vec3 a = c->data.vertices[u->low], b = c->data.vertices[u->high];
        cut.at = between(a, b, nc_plane_value(&c->planes.data[plane], a), nc_plane_value(&c->planes.data[plane], b));
        cut.name[0] = u->low;
        cut.name[1] = u->high;
        cut.name[2] = plane;
        return cut;
    }
    cut.at = between(u->at, v->at, value_at(c, plane, u->at), value_at(c, plane, v->at));
    cut.name[0] = -1 - triangle;
    cut.name[1] = u->high < plane ? u->high : plane;
    cut.name[2] = u->high < plane ? plane : u->high;
    return cut;
}

// Of the two sides of a plane, whose normals are opposite, exactly one has what lies in it.
static bool owns_its_crack(const nc_plane *plane)
{
    const nc_vec3 n = plane->normal;
    const double leading = fabs(n.x) > 0.5 ? n.x : fabs(n.y) > 0.5 ? n.y : n.z;
    return leading > 0;
}

// What corner u, and the side from it to v, leave behind.
static bool clip_side(cutter *c, corner u, corner v, int plane, int triangle)
{
    const double from = value_at(c, plane, u.at), to = value_at(c, plane, v.at);
    corner cut = u;
    if (from * to < 0) {
        cut = cut_side(c, &u, &v, plane, triangle);
        cut.low = from < 0 ? INTERIOR : u.low;
        cut.high = from < 0 ? plane : u.high;
    }
    // from a corner in the plane outwards: what is left goes on in the plane
    if (from == 0 && to > 0) {
        u.low = INTERIOR;
        u.high = plane;
    }
    return (from > 0 || nc_array_push(&c->allocator, &c->next, u)) &&
           (!(from * to < 0) || nc_array_push(&c->allocator, &c->next, cut));
}

// Clips the polygon by one plane (Sutherland and Hodgman).
static bool clip(cutter *c, int plane, int triangle)
{
    bool inside = false;
    c->next.count = 0;
    for (int k = 0; k < c->polygon.count; k++) {
        inside = inside || value_at(c, plane, c->polygon.data[k].at) < 0;
        if (!clip_side(c, c->polygon.data[k], c->polygon.data[(k + 1) % c->polygon.count], plane, triangle))
            return false;
    }
    c->polygon.count = 0;
    if (!inside && !owns_its_crack(&c->planes.data[plane]))
        return true;
    for (int k = 0; k < c->next.count; k++)
        if (!nc_array_push(&c->allocator, &c->polygon, c->next.data[k]))
            return false;
    return true;
}

static bool cut_triangle(cutter *c, int triangle)
{
    if (!start_polygon(c, triangle))
        return false;
    for (int i = 0; i < c->planes.count && c->polygon.count >= 3; i++)
        if (!clip(c, i, triangle))
            return false;
    if (c->polygon.count < 3)
        return true;
    for (int k = 0; k < c->polygon.count; k++)
        if (!nc_array_push(&c->allocator, &c->corners, c->polygon.data[k]))
            return false;
    return nc_array_push(&c->allocator, &c->counts, c->polygon.count);
}

// ---- one piece ----------------------------------------------------------------------------------------------

static int compare_names(const int *a, const int *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static bool is_named_before(const void *a, const void *b, const void *ctx)
{
    const corner *corners = ctx;
    return compare_names(corners[*(const int *)a].name, corners[*(const int *)b].name) < 0;
}

// What a piece is put together in; `count` corners before welding.
typedef struct assembly {
    int count, triangle_count;
    int *order, *vertex_of; // [count] corners by name; the vertex of each corner
    nc_vec3 *vertices;      // [count] m
    int (*triangles)[3];
} assembly;

static int weld(const cutter *c, assembly *a)
{
    int vertices = 0;
    for (int i = 0; i < a->count; i++) {
        const corner *here = &c->corners.data[a->order[i]];
        if (i == 0 || compare_names(here->name, c->corners.data[a->order[i - 1]].name) != 0)
            a->vertices[vertices++] = here->at;
        a->vertex_of[a->order[i]] = vertices - 1;
    }
    return vertices;
}

static void fan_out(const cutter *c, assembly *a)
{
    int first = 0, at = 0;
    for (int p = 0; p < c->counts.count; p++) {
        for (int k = 1; k + 1 < c->counts.data[p]; k++, at++) {
            a->triangles[at][0] = a->vertex_of[first];
            a->triangles[at][1] = a->vertex_of[first + k];
            a->triangles[at][2] = a->vertex_of[first + k + 1];
        }
        first += c->counts.data[p];
    }
}

static nc_code build_piece(const cutter *c, assembly *a, nc_mesh **out, nc_error *err)
{
    for (int i = 0; i < a->count; i++)
        a->order[i] = i;
    if (!nc_sort(&c->allocator, a->order, (size_t)a->count, sizeof *a->order, is_named_before, c->corners.data))
        return nc_fail_memory(err, (size_t)a->count * sizeof *a->order);
    const int vertices = weld(c, a);
    fan_out(c, a);
    const nc_mesh_def def = {.vertices = a->vertices,
                             .vertex_count = vertices,
                             .triangles = (const int(*)[3])a->triangles,
                             .triangle_count = a->triangle_count};
    return nc_mesh_create(&def, &c->allocator, out, err);
}

static nc_code make_piece(const cutter *c, nc_mesh **out, nc_error *err)
{
    if (c->counts.count == 0)
        return NC_OK;
    assembly a = {.count = c->corners.count, .triangle_count = c->corners.count - 2 * c->counts.count};
    const size_t count = (size_t)a.count, triangles = (size_t)a.triangle_count;
    a.order = nc_alloc(&c->allocator, count, sizeof *a.order);
    a.vertex_of = nc_alloc(&c->allocator, count, sizeof *a.vertex_of);
    a.vertices = nc_alloc(&c->allocator, count, sizeof *a.vertices);
    a.triangles = nc_alloc(&c->allocator, triangles, sizeof *a.triangles);
    const bool ok = a.order != NULL && a.vertex_of != NULL && a.vertices != NULL && a.triangles != NULL;
    const nc_code code = ok ? build_piece(c, &a, out, err) : nc_fail_memory(err, count * sizeof *a.vertices);
    nc_free(&c->allocator, a.order, count, sizeof *a.order);
    nc_free(&c->allocator, a.vertex_of, count, sizeof *a.vertex_of);
    nc_free(&c->allocator, a.vertices, count, sizeof *a.vertices);
    nc_free(&c->allocator, a.triangles, triangles, sizeof *a.triangles);
    return code;
}

// ---- all of it ----------------------------------------------------------------------------------------------

static nc_code cut_region(cutter *c, int region, nc_mesh **out, nc_error *err)
{
    c->corners.count = c->counts.count = 0;
    bool ok = place_planes(c, region);
    for (int t = 0; t < c->data.triangle_count && ok; t++)
        ok = cut_triangle(c, t);
    return ok ? make_piece(c, out, err) : nc_fail_memory(err, sizeof(corner));
}

static nc_code check(const cutter *c, nc_error *err)
{
    if (!(c->place.scale > 0 && c->place.scale <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "a pattern of %g m is laid on a mesh; it must be above 0", c->place.scale);
    const nc_mat3 rotation = nc_quat_matrix(c->place.pose.q);
    for (int i = 0; i < c->data.vertex_count; i++) {
        const nc_vec3 from = nc_mat3_tmul(rotation, nc_sub(c->data.vertices[i], c->place.pose.x));
        if (!(nc_max3(nc_madd(c->pattern->center, 1.0 / c->place.scale, from)) <= 0.5 + 1e-9))
            return nc_fail(err, NC_BAD_ARGUMENT, "vertex %d of the mesh is outside of the pattern's box", i);
    }
    bool free_edges = false;
    for (int e = 0; e < c->data.edge_count; e++)
        free_edges = free_edges || c->data.edge_is_free[e];
    if (free_edges || c->data.point_count > 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a mesh with free edges or points cannot be cut");
    for (int r = 0; r < c->pattern->regions.count; r++)
        if (c->pattern->regions.data[r].solid != NULL)
            return nc_fail(err, NC_BAD_ARGUMENT,
                           "region %d of the pattern is not convex, and shells are cut by convex "
                           "regions only",
                           r);
    return NC_OK;
}

static void free_cutter(cutter *c)
{
    nc_array_free(&c->allocator, &c->planes);
    nc_array_free(&c->allocator, &c->polygon);
    nc_array_free(&c->allocator, &c->next);
    nc_array_free(&c->allocator, &c->corners);
    nc_array_free(&c->allocator, &c->counts);
}

nc_code nc_shell_cut(const nc_mesh *mesh, const nc_pattern *pattern, const nc_pattern_place *place,
                     const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    cutter c = {.allocator = nc_allocator_or_default(allocator), .data = nc_mesh_view(mesh), .pattern = pattern};
    c.place = *place;
    const double size = fmax(nc_max3(c.data.box.lo), nc_max3(c.data.box.hi));
    c.on_plane = NC_ON_PLANE * fmax(size, nc_max3(place->pose.x));
    for (int r = 0; r < pattern->regions.count; r++)
        out[r] = NULL;
    nc_code code = check(&c, err);
    for (int r = 0; r < pattern->regions.count && code == NC_OK; r++)
        code = cut_region(&c, r, &out[r], err);
    free_cutter(&c);
    for (int r = 0; r < pattern->regions.count && code != NC_OK; r++) {
        nc_mesh_release(out[r]);
        out[r] = NULL;
    }
    return code;
}
