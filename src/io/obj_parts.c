// OBJ files with several objects: which element belongs to which, and a mesh for each.
#include "io/io.h"
#include "io/soup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum element { TRIANGLE, EDGE, POINT, ELEMENT_COUNT } element;

typedef struct sorter {
    const char *path;
    nc_soup soup;
    int *part[ELEMENT_COUNT];  // [element] its object
    int *order[ELEMENT_COUNT]; // elements by object, in the order of the file within one
    int *first[ELEMENT_COUNT]; // [object + 1] where an object begins in `order`
    nc_obj_parts *out;
    nc_error *err;
} sorter;

static nc_code out_of_memory(const sorter *s)
{
    return nc_fail_memory(s->err, (size_t)s->soup.vertices.count * sizeof(nc_vec3));
}

static int element_count(const sorter *s, element kind)
{
    return kind == TRIANGLE ? s->soup.triangles.count : kind == EDGE ? s->soup.edges.count : s->soup.points.count;
}

static const int *corners_of(const sorter *s, element kind, int row)
{
    return kind == TRIANGLE ? s->soup.triangles.data[row].v
           : kind == EDGE   ? s->soup.edges.data[row].v
                            : &s->soup.points.data[row];
}

static int corner_count(element kind)
{
    return kind == TRIANGLE ? 3 : kind == EDGE ? 2 : 1;
}

// Adds an object; `length` letters of its name.
static nc_code add_part(sorter *s, const char *name, int length)
{
    const nc_allocator *memory = &s->out->allocator;
    nc_obj_part part = {.name = nc_alloc(memory, (size_t)length + 1, 1)};
    if (part.name == NULL || !nc_array_push(memory, &s->out->parts, part)) {
        nc_free(memory, part.name, (size_t)length + 1, 1);
        return out_of_memory(s);
    }
    memcpy(part.name, name, (size_t)length);
    return NC_OK;
}

// ---- by name ------------------------------------------------------------------------------------------------

// Where the name is in a table of part + 1, or where it would go.
static int find_slot(const sorter *s, const int *slots, int slot_count, const char *name, int length)
{
    int slot = (int)(nc_hash(NC_HASH_START, name, (size_t)length) % (uint64_t)slot_count);
    for (; slots[slot] != 0; slot = (slot + 1) % slot_count) {
        const char *other = s->out->parts.data[slots[slot] - 1].name;
        if (strlen(other) == (size_t)length && memcmp(other, name, (size_t)length) == 0)
            break;
    }
    return slot;
}

// Gives the elements from one mark to the next to an object.
static void claim(sorter *s, int part, const int *from, const int *to)
{
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = from[kind]; i < to[kind]; i++)
            s->part[kind][i] = part;
}

static nc_code claim_named(sorter *s, char kind, int *slots, int slot_count)
{
    const nc_soup *soup = &s->soup;
    const int end[ELEMENT_COUNT] = {soup->triangles.count, soup->edges.count, soup->points.count};
    int from[ELEMENT_COUNT] = {0, 0, 0};
    nc_soup_mark open = {.name = "", .length = 0}; // what comes before the first name
    for (int i = 0; i <= soup->marks.count; i++) {
        const nc_soup_mark *mark = i < soup->marks.count ? &soup->marks.data[i] : NULL;
        if (mark != NULL && mark->kind != kind)
            continue;
        const int to[ELEMENT_COUNT] = {mark ? mark->triangles : end[0], mark ? mark->edges : end[1],
                                       mark ? mark->points : end[2]};
        if (to[0] > from[0] || to[1] > from[1] || to[2] > from[2]) {
            const int slot = find_slot(s, slots, slot_count, open.name, open.length);
            if (slots[slot] == 0) {
                const nc_code code = add_part(s, open.name, open.length);
                if (code != NC_OK)
                    return code;
                slots[slot] = s->out->parts.count;
            }
            claim(s, slots[slot] - 1, from, to);
        }
        memcpy(from, to, sizeof from);
        open = mark != NULL ? *mark : open;
    }
    return NC_OK;
}

static nc_code sort_by_name(sorter *s, char kind)
{
    if (s->soup.marks.count > INT_MAX / 2 - 2)
        return out_of_memory(s);
    const size_t slot_count = 2 * (size_t)s->soup.marks.count + 3;
    int *slots = nc_alloc(&s->soup.allocator, slot_count, sizeof *slots);
    if (slots == NULL)
        return out_of_memory(s);
    const nc_code code = claim_named(s, kind, slots, (int)slot_count);
    nc_free(&s->soup.allocator, slots, slot_count, sizeof *slots);
    return code;
}

// ---- by what hangs together ---------------------------------------------------------------------------------

static nc_code claim_connected(sorter *s, int *up, int *part_of_root)
{
    for (int v = 0; v < s->soup.vertices.count; v++) {
        up[v] = v;
        part_of_root[v] = -1;
    }
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = 0; i < element_count(s, (element)kind); i++) {
            const int *v = corners_of(s, (element)kind, i);
            for (int k = 1; k < corner_count((element)kind); k++)
                nc_forest_join(up, v[0], v[k]);
        }
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = 0; i < element_count(s, (element)kind); i++) {
            int *part = &part_of_root[nc_forest_root(up, corners_of(s, (element)kind, i)[0])];
            if (*part < 0) {
                char name[32];
                *part = s->out->parts.count;
                const nc_code code = add_part(s, name, snprintf(name, sizeof name, "part %d", *part));
                if (code != NC_OK)
                    return code;
            }
            s->part[kind][i] = *part;
        }
    return NC_OK;
}

static nc_code sort_by_connection(sorter *s)
{
    const size_t vertices = (size_t)s->soup.vertices.count;
    int *up = nc_alloc(&s->soup.allocator, vertices, sizeof *up);
    int *part_of_root = nc_alloc(&s->soup.allocator, vertices, sizeof *part_of_root);
    const nc_code code =
        vertices > 0 && (up == NULL || part_of_root == NULL) ? out_of_memory(s) : claim_connected(s, up, part_of_root);
    nc_free(&s->soup.allocator, up, vertices, sizeof *up);
    nc_free(&s->soup.allocator, part_of_root, vertices, sizeof *part_of_root);
    return code;
}

// ---- the objects --------------------------------------------------------------------------------------------

// Fills `order` and `first`: a counting sort.
static void order_elements(sorter *s)
{
    for (int kind = 0; kind < ELEMENT_COUNT; kind++) {
        const int count = element_count(s, (element)kind);
        int *first = s->first[kind];
        for (int i = 0; i < count; i++)
            first[s->part[kind][i] + 1]++;
        for (int p = 0; p < s->out->parts.count; p++)
            first[p + 1] += first[p];
        for (int i = 0; i < count; i++)
            s->order[kind][first[s->part[kind][i]]++] = i;
        for (int p = s->out->parts.count; p > 0; p--)
            first[p] = first[p - 1];
        first[0] = 0;
    }
}

// The elements of an object, with vertices numbered from the lowest it uses.
static nc_code gather(const sorter *s, int part, nc_soup *out)
{
    int low = INT_MAX, high = -1;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = s->first[kind][part]; i < s->first[kind][part + 1]; i++)
            for (int k = 0; k < corner_count((element)kind); k++) {
                const int v = corners_of(s, (element)kind, s->order[kind][i])[k];
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
    if (!nc_array_reserve(&out->allocator, &out->vertices, high - low + 1))
        return out_of_memory(s);
    out->vertices.count = high - low + 1;
    memcpy(out->vertices.data, s->soup.vertices.data + low, (size_t)out->vertices.count * sizeof *out->vertices.data);
    bool good = true;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = s->first[kind][part]; i < s->first[kind][part + 1] && good; i++) {
            const int *v = corners_of(s, (element)kind, s->order[kind][i]);
            good = kind == TRIANGLE ? nc_soup_add_triangle(out, v[0] - low, v[1] - low, v[2] - low)
                   : kind == EDGE   ? nc_soup_add_edge(out, v[0] - low, v[1] - low)
                                    : nc_array_push(&out->allocator, &out->points, v[0] - low);
        }
    return good ? NC_OK : out_of_memory(s);
}

static uint64_t hash_part(const sorter *s, int part)
{
    uint64_t hash = NC_HASH_START;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++)
        for (int i = s->first[kind][part]; i < s->first[kind][part + 1]; i++)
            for (int k = 0; k < corner_count((element)kind); k++) {
                const nc_vec3 v = s->soup.vertices.data[corners_of(s, (element)kind, s->order[kind][i])[k]];
                hash = nc_hash_double(nc_hash_double(nc_hash_double(hash, v.x), v.y), v.z);
            }
    return hash;
}

static nc_code make_parts(sorter *s, bool with_meshes)
{
    nc_code code = NC_OK;
    for (int p = 0; p < s->out->parts.count && code == NC_OK; p++) {
        s->out->parts.data[p].hash = hash_part(s, p);
        if (!with_meshes)
            continue;
        nc_soup soup = nc_soup_create(&s->out->allocator);
        code = gather(s, p, &soup);
        if (code == NC_OK)
            code = nc_soup_mesh(&soup, s->path, &s->out->parts.data[p].mesh, s->err);
        nc_soup_free(&soup);
    }
    return code;
}

// 'o' when a file has one, else 'g', else 0.
static char naming_kind(const nc_soup *soup)
{
    char kind = '\0';
    for (int i = 0; i < soup->marks.count; i++)
        if (kind != 'o')
            kind = soup->marks.data[i].kind;
    return kind;
}

static nc_code sort_parts(sorter *s, bool with_meshes)
{
    const nc_allocator *memory = &s->soup.allocator;
    bool good = true;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++) {
        const size_t count = (size_t)element_count(s, (element)kind) + 1;
        s->part[kind] = nc_alloc(memory, count, sizeof(int));
        s->order[kind] = nc_alloc(memory, count, sizeof(int));
        good = good && s->part[kind] != NULL && s->order[kind] != NULL;
    }
    if (!good)
        return out_of_memory(s);
    const char named_by = naming_kind(&s->soup);
    const nc_code code = named_by != '\0' ? sort_by_name(s, named_by) : sort_by_connection(s);
    if (code != NC_OK)
        return code;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++) {
        s->first[kind] = nc_alloc(memory, (size_t)s->out->parts.count + 1, sizeof(int));
        good = good && s->first[kind] != NULL;
    }
    if (!good)
        return out_of_memory(s);
    order_elements(s);
    return make_parts(s, with_meshes);
}

static void forget(sorter *s)
{
    const nc_allocator *memory = &s->soup.allocator;
    for (int kind = 0; kind < ELEMENT_COUNT; kind++) {
        const size_t count = (size_t)element_count(s, (element)kind) + 1;
        nc_free(memory, s->part[kind], count, sizeof(int));
        nc_free(memory, s->order[kind], count, sizeof(int));
        nc_free(memory, s->first[kind], (size_t)s->out->parts.count + 1, sizeof(int));
    }
    nc_soup_free(&s->soup);
}

nc_code nc_obj_parts_read(const nc_file_text *text, const char *path, bool with_meshes, nc_obj_parts *out,
                          nc_error *err)
{
    sorter s = {.path = path, .soup = nc_soup_create(&out->allocator), .out = out, .err = err};
    nc_code code = nc_obj_parse(text, path, &s.soup, err);
    if (code == NC_OK)
        code = sort_parts(&s, with_meshes);
    forget(&s);
    return code;
}

nc_code nc_obj_parts_load(const char *path, bool with_meshes, const nc_allocator *allocator, nc_obj_parts *out,
                          nc_error *err)
{
    nc_file_text text;
    *out = (nc_obj_parts){.allocator = nc_allocator_or_default(allocator)};
    nc_code code = nc_file_read(path, &out->allocator, &text, err);
    if (code != NC_OK)
        return code;
    code = nc_obj_parts_read(&text, path, with_meshes, out, err);
    nc_file_free(&text);
    return code;
}

void nc_obj_parts_free(nc_obj_parts *parts)
{
    for (int i = 0; i < parts->parts.count; i++) {
        nc_obj_part *part = &parts->parts.data[i];
        nc_mesh_release(part->mesh);
        nc_free(&parts->allocator, part->name, strlen(part->name) + 1, 1);
    }
    nc_array_free(&parts->allocator, &parts->parts);
}
