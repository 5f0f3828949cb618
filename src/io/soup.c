// Soups: elements as they come from a file.
#include "io/soup.h"

#include <string.h>

nc_soup nc_soup_create(const nc_allocator *allocator)
{
    nc_soup soup;
    memset(&soup, 0, sizeof soup);
    soup.allocator = nc_allocator_or_default(allocator);
    return soup;
}

void nc_soup_free(nc_soup *soup)
{
    nc_array_free(&soup->allocator, &soup->vertices);
    nc_array_free(&soup->allocator, &soup->triangles);
    nc_array_free(&soup->allocator, &soup->edges);
    nc_array_free(&soup->allocator, &soup->points);
    nc_array_free(&soup->allocator, &soup->marks);
}

bool nc_soup_add_triangle(nc_soup *soup, int a, int b, int c)
{
    const nc_soup_triangle triangle = {{a, b, c}};
    if (a == b || b == c || c == a) {
        soup->dropped++;
        return true;
    }
    return nc_array_push(&soup->allocator, &soup->triangles, triangle);
}

bool nc_soup_add_edge(nc_soup *soup, int a, int b)
{
    const nc_soup_edge edge = {{a, b}};
    if (a == b) {
        soup->dropped++;
        return true;
    }
    return nc_array_push(&soup->allocator, &soup->edges, edge);
}

bool nc_soup_legal_coordinate(double *x)
{
    const double size = fabs(*x);
    if (size < NC_COORDINATE_MIN)
        *x = 0;
    return size <= NC_COORDINATE_MAX; // false for NaN
}

// ---- welding ------------------------------------------------------------------------------------------------

static int compare_places(nc_vec3 a, nc_vec3 b)
{
    if (a.x != b.x)
        return a.x < b.x ? -1 : 1;
    if (a.y != b.y)
        return a.y < b.y ? -1 : 1;
    return a.z != b.z ? (a.z < b.z ? -1 : 1) : 0;
}

static bool place_comes_first(const void *a, const void *b, const void *ctx)
{
    const nc_vec3 *vertices = ctx;
    return compare_places(vertices[*(const int *)a], vertices[*(const int *)b]) < 0;
}

// Fills first[i] with the lowest index of a vertex at the place of vertex i.
static bool find_first_at_place(const nc_soup *soup, int *first)
{
    const size_t count = (size_t)soup->vertices.count;
    const nc_vec3 *vertices = soup->vertices.data;
    int *order = nc_alloc(&soup->allocator, count, sizeof *order);
    if (order == NULL)
        return false;
    for (int i = 0; i < soup->vertices.count; i++)
        order[i] = i;
    // the sort is stable, so the lowest index of a place comes first
    const bool sorted = nc_sort(&soup->allocator, order, count, sizeof *order, place_comes_first, vertices);
    for (int i = 0; sorted && i < soup->vertices.count; i++) {
        const bool same = i > 0 && compare_places(vertices[order[i - 1]], vertices[order[i]]) == 0;
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    nc_free(&soup->allocator, order, count, sizeof *order);
    return sorted;
}

static void weld_elements(nc_soup *soup, const int *first)
{
    // the arrays only shrink, so adding again into the same memory cannot fail
    const int triangle_count = soup->triangles.count, edge_count = soup->edges.count;
    soup->triangles.count = 0;
    for (int i = 0; i < triangle_count; i++) {
        const nc_soup_triangle t = soup->triangles.data[i];
        nc_soup_add_triangle(soup, first[t.v[0]], first[t.v[1]], first[t.v[2]]);
    }
    soup->edges.count = 0;
    for (int i = 0; i < edge_count; i++)
        nc_soup_add_edge(soup, first[soup->edges.data[i].v[0]], first[soup->edges.data[i].v[1]]);
    for (int i = 0; i < soup->points.count; i++)
        soup->points.data[i] = first[soup->points.data[i]];
}

bool nc_soup_weld(nc_soup *soup)
{
    const size_t count = (size_t)soup->vertices.count;
    if (count == 0)
        return true;
    int *first = nc_alloc(&soup->allocator, count, sizeof *first);
    const bool found = first != NULL && find_first_at_place(soup, first);
    if (found)
        weld_elements(soup, first);
    nc_free(&soup->allocator, first, count, sizeof *first);
    return found;
}

// ---- the mesh -----------------------------------------------------------------------------------------------

nc_code nc_soup_mesh(const nc_soup *soup, const char *path, nc_mesh **out, nc_error *err)
{
    if (soup->triangles.count + soup->edges.count + soup->points.count == 0) {
        if (soup->dropped > 0)
            return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "all of its %d elements use a vertex twice", soup->dropped);
        return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "has no elements: no faces, no lines, no points");
    }
    const nc_mesh_def def = {.vertices = soup->vertices.data,
                             .vertex_count = soup->vertices.count,
                             .triangles = (const int(*)[3])soup->triangles.data,
                             .triangle_count = soup->triangles.count,
                             .edges = (const int(*)[2])soup->edges.data,
                             .edge_count = soup->edges.count,
                             .points = soup->points.data,
                             .point_count = soup->points.count};
    nc_error why = {0};
    const nc_code code = nc_mesh_create(&def, &soup->allocator, out, &why);
    if (code == NC_OK || code == NC_OUT_OF_MEMORY)
        return code == NC_OK ? NC_OK : nc_fail_at(err, code, path, 0, 0, "%s", why.text);
    return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "%s", why.text);
}
