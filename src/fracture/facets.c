// The flat faces of a mesh: triangles that lie in one plane and hang together. Cut into many pieces, a flat face is put
// together again and needs no more triangles than its outline asks for.
#include "fracture/cut.h"

#define FLAT 1e-12 // of the size: so far may a vertex be from the plane of a face

typedef struct finder {
    const nc_allocator *allocator;
    const nc_cut_mesh *mesh;
    double flat;         // [m]
    NC_ARRAY(int) twin;  // [3 a triangle] the triangle on the other side of each edge, -1: none or more than one
    NC_ARRAY(int) facet; // [triangle]
    NC_ARRAY(int) stack;
} finder;

static nc_vec3 vertex(const finder *f, int triangle, int corner)
{
    return f->mesh->vertices.data[f->mesh->triangles.data[triangle].v[corner]];
}

static nc_plane plane_of(const finder *f, int triangle)
{
    const nc_vec3 a = vertex(f, triangle, 0);
    const nc_vec3 n = nc_cross(nc_sub(vertex(f, triangle, 1), a), nc_sub(vertex(f, triangle, 2), a));
    const double length = nc_norm(n);
    nc_plane plane = {length > 0 ? nc_scale(1 / length, n) : n, 0};
    plane.offset = nc_dot(plane.normal, a);
    return plane;
}

// ---- neighbours ---------------------------------------------------------------------------------------------

typedef struct side {
    int low, high, row; // ends of the edge; 3 triangle + corner
    bool up;            // from the lower end to the higher one
} side;

static bool side_less(const void *a, const void *b, const void *ctx)
{
    const side *p = a, *q = b;
    (void)ctx;
    return p->low != q->low ? p->low < q->low : p->high < q->high;
}

static void pair_sides(finder *f, const side *sides, int count)
{
    for (int i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && sides[j].low == sides[i].low && sides[j].high == sides[i].high; j++)
            continue;
        const bool pair = j == i + 2 && sides[i].up != sides[i + 1].up;
        for (int k = i; k < j; k++)
            f->twin.data[sides[k].row] = pair ? sides[i + i + 1 - k].row / 3 : -1;
    }
}

static bool find_twins(finder *f)
{
    const int count = 3 * f->mesh->triangles.count;
    side *sides = nc_alloc(f->allocator, (size_t)count, sizeof *sides);
    bool ok = sides != NULL && nc_array_reserve(f->allocator, &f->twin, count);
    for (int i = 0; i < count && ok; i++) {
        const int *v = f->mesh->triangles.data[i / 3].v;
        const int from = v[i % 3], to = v[(i + 1) % 3];
        sides[i] = (side){from < to ? from : to, from < to ? to : from, i, from < to};
    }
    ok = ok && nc_sort(f->allocator, sides, (size_t)count, sizeof *sides, side_less, NULL);
    if (ok)
        pair_sides(f, sides, count);
    nc_free(f->allocator, sides, (size_t)count, sizeof *sides);
    return ok;
}

// ---- faces --------------------------------------------------------------------------------------------------

static bool is_in(const finder *f, int triangle, const nc_plane *plane)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(nc_plane_value(plane, vertex(f, triangle, k))) <= f->flat))
            return false;
    return nc_dot(plane_of(f, triangle).normal, plane->normal) > 0.5;
}

// Gives all triangles of the face of a triangle its number.
static bool spread(finder *f, int triangle, int facet, const nc_plane *plane)
{
    f->facet.data[triangle] = facet;
    f->stack.count = 0;
    if (!nc_array_push(f->allocator, &f->stack, triangle))
        return false;
    while (f->stack.count > 0) {
        const int at = f->stack.data[--f->stack.count];
        for (int k = 0; k < 3; k++) {
            const int next = f->twin.data[3 * at + k];
            if (next < 0 || f->facet.data[next] >= 0 || !is_in(f, next, plane))
                continue;
            f->facet.data[next] = facet;
            if (!nc_array_push(f->allocator, &f->stack, next))
                return false;
        }
    }
    return true;
}

static bool find_facets(finder *f, nc_cut_facets *out)
{
    if (!nc_array_reserve(f->allocator, &f->facet, f->mesh->triangles.count))
        return false;
    for (int t = 0; t < f->mesh->triangles.count; t++)
        f->facet.data[t] = -1;
    for (int t = 0; t < f->mesh->triangles.count; t++) {
        const nc_plane plane = plane_of(f, t);
        if (f->facet.data[t] >= 0)
            continue;
        if (!spread(f, t, out->normals.count, &plane) || !nc_array_push(f->allocator, &out->normals, plane.normal))
            return false;
    }
    return true;
}

// The triangles by face, in the order of each face's first.
static bool take(finder *f, nc_cut_facets *out)
{
    const int faces = out->normals.count, triangles = f->mesh->triangles.count;
    if (!nc_array_reserve(f->allocator, &f->stack, faces + 1) || !nc_cut_mesh_copy(f->allocator, &out->mesh, f->mesh))
        return false;
    int *next = f->stack.data;
    for (int i = 0; i <= faces; i++)
        next[i] = 0;
    for (int t = 0; t < triangles; t++)
        next[f->facet.data[t] + 1]++;
    for (int i = 0; i < faces; i++)
        next[i + 1] += next[i];
    for (int t = 0; t < triangles; t++) {
        nc_cut_triangle triangle = f->mesh->triangles.data[t];
        triangle.plane = -1 - f->facet.data[t];
        out->mesh.triangles.data[next[f->facet.data[t]]++] = triangle;
    }
    return true;
}

bool nc_cut_facets_find(const nc_allocator *allocator, const nc_cut_mesh *mesh, nc_cut_facets *out)
{
    const nc_box box = nc_cut_mesh_box(mesh);
    finder f = {.allocator = allocator, .mesh = mesh, .flat = FLAT * fmax(nc_max3(box.lo), nc_max3(box.hi))};
    if (mesh->triangles.count == 0)
        return true;
    const bool ok = find_twins(&f) && find_facets(&f, out) && take(&f, out);
    nc_array_free(allocator, &f.twin);
    nc_array_free(allocator, &f.facet);
    nc_array_free(allocator, &f.stack);
    return ok;
}

void nc_cut_facets_free(const nc_allocator *allocator, nc_cut_facets *facets)
{
    nc_cut_mesh_free(allocator, &facets->mesh);
    nc_array_free(allocator, &facets->normals);
}
