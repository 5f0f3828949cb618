// Reading and making swept queries.
#include "bench/kernels/queries.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static nc_code push(nc_swept_queries *queries, const nc_swept_query *query, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    if (queries->count == queries->capacity) {
        const int capacity = queries->capacity > 0 ? 2 * queries->capacity : 4096;
        nc_swept_query *items =
            nc_realloc(&allocator, queries->items, (size_t)queries->capacity, (size_t)capacity, sizeof *items);
        if (items == NULL)
            return nc_fail_memory(err, (size_t)capacity * sizeof *items);
        queries->items = items;
        queries->capacity = capacity;
    }
    queries->items[queries->count++] = *query;
    queries->colliding += query->collides;
    return NC_OK;
}

void nc_queries_free(nc_swept_queries *queries)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_free(&allocator, queries->items, (size_t)queries->capacity, sizeof *queries->items);
    *queries = (nc_swept_queries){0};
}

// ---- the public benchmark -----------------------------------------------------------------------------------

// "n,d,n,d,n,d,truth": numerators and powers of two of up to 112 bits; each ratio is exactly a double.
static bool read_row(const char *line, nc_vec3 *corner, bool *truth)
{
    double number[7];
    const char *cursor = line;
    for (int i = 0; i < 7; i++) {
        char *end;
        number[i] = strtod(cursor, &end);
        if (end == cursor)
            return false;
        cursor = end + (*end == ',');
    }
    *corner = nc_v3(number[0] / number[1], number[2] / number[3], number[4] / number[5]);
    *truth = number[6] != 0;
    return nc_finite3(*corner);
}

static nc_code read_queries(const char *path, nc_hull_kind kind, nc_swept_queries *out, nc_error *err)
{
    char line[1024];
    nc_code code = NC_OK;
    nc_swept_query query = {.kind = kind};
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot read '%.200s'", path);
    for (int row = 0; code == NC_OK && fgets(line, sizeof line, file) != NULL; row++) {
        nc_vec3 *corner = row % 8 < 4 ? &query.start[row % 8] : &query.end[row % 8 - 4];
        if (!read_row(line, corner, &query.collides))
            code = nc_fail_at(err, NC_BAD_FILE, path, row + 1, 1, "a row has 7 numbers: three ratios and the truth");
        else if (row % 8 == 7)
            code = push(out, &query, err);
    }
    fclose(file);
    return code;
}

// Calls `visit` for the entries of a folder in alphabetical order; a folder that cannot be read is empty.
typedef nc_code (*visitor)(const char *path, nc_hull_kind kind, nc_swept_queries *out, nc_error *err);

static nc_code visit_folder(const char *path, visitor visit, nc_hull_kind kind, nc_swept_queries *out, nc_error *err)
{
    struct dirent **entries = NULL;
    nc_code code = NC_OK;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char name[1024];
        const int length = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length < (int)sizeof name && code == NC_OK)
            code = visit(name, kind, out, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static nc_code read_set(const char *path, nc_hull_kind kind, nc_swept_queries *out, nc_error *err)
{
    char name[1100];
    (void)kind;
    snprintf(name, sizeof name, "%s/vertex-face", path);
    const nc_code code = visit_folder(name, read_queries, NC_HULL_TRIANGLE, out, err);
    snprintf(name, sizeof name, "%s/edge-edge", path);
    return code != NC_OK ? code : visit_folder(name, read_queries, NC_HULL_PARALLELOGRAM, out, err);
}

nc_code nc_queries_load(const char *root, nc_swept_queries *out, nc_error *err)
{
    const nc_code code = visit_folder(root, read_set, NC_HULL_TRIANGLE, out, err);
    if (code == NC_OK && out->count == 0)
        return nc_fail(err, NC_NOT_FOUND, "there are no queries in '%.200s'", root);
    return code;
}

// ---- made ones ----------------------------------------------------------------------------------------------

static nc_vec3 whole_vector(nc_random *random, double size)
{
    const double x = floor(nc_random_range(random, -size, size + 1)),
                 y = floor(nc_random_range(random, -size, size + 1));
    return nc_v3(x, y, floor(nc_random_range(random, -size, size + 1)));
}

// Corners that share a point: sixteenths of edges of whole multiples of 256, so it is exact.
static void overlap(nc_random *random, nc_hull_kind kind, bool planar, bool parallel, nc_vec3 at[4])
{
    const double s = floor(nc_random_range(random, 0, 17)) / 16, r = floor(nc_random_range(random, 0, 17)) / 16;
    for (int i = 0; i < 4; i++) {
        at[i] = nc_scale(256, whole_vector(random, 64));
        at[i].z = planar ? 0 : at[i].z;
    }
    if (kind == NC_HULL_TRIANGLE) {
        const nc_vec3 ab = nc_sub(at[2], at[1]), ac = nc_sub(at[3], at[1]);
        at[0] = nc_add(at[1], nc_add(nc_scale(s * (1 - r), ab), nc_scale(s * r, ac)));
    } else {
        const nc_vec3 p = nc_madd(at[0], s, nc_sub(at[1], at[0]));
        const nc_vec3 d = parallel ? nc_sub(at[1], at[0]) : nc_sub(at[3], at[2]);
        at[2] = nc_madd(p, -r, d);
        at[3] = nc_madd(p, 1 - r, d);
    }
}

static nc_swept_query make_query(nc_random *random, int i)
{
    const int family = i / 20 % 5; // generic, planar, parallel, at the start, at the end
    nc_swept_query query = {.kind = i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, .collides = i / 2 % 10 == 0};
    nc_vec3 at[4];
    overlap(random, query.kind, family == 1, family == 2, at);
    const double impact = family == 3 ? 0 : family == 4 ? 1 : floor(nc_random_range(random, 0, 1025)) / 1024;
    // What does not collide is lifted away from the plane of the second feature and travels along it.
    const int first = query.kind == NC_HULL_TRIANGLE ? 1 : 2;
    for (int k = 0; k < 4; k++) {
        nc_vec3 travel = nc_scale(1024, whole_vector(random, 8));
        if (!query.collides) {
            const double up = k < first ? 0x1p+16 * (0.5 + nc_random_unit(random)) : 0;
            at[k].z = (k < first ? 1 : -1) * fabs(at[k].z) + up;
            travel.z = (k < first ? 1 : -1) * fabs(travel.z);
        } else if (family == 1) {
            travel.z = 0;
        }
        query.start[k] = nc_scale(0x1p-14, nc_madd(at[k], query.collides ? -impact : 0, travel));
        query.end[k] = nc_scale(0x1p-14, nc_madd(at[k], query.collides ? 1 - impact : 1, travel));
    }
    return query;
}

nc_code nc_queries_make(int count, nc_swept_queries *out, nc_error *err)
{
    nc_random random = {2021};
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++) {
        const nc_swept_query query = make_query(&random, i);
        code = push(out, &query, err);
    }
    return code;
}
