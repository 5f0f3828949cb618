// Does a model start free of intersections? And if not, what intersects what, and where.
#include "base/base.h"
#include "model/model.h"

#include <stdio.h>

#define LOOKED_AT 100000 // pairs of elements that are attributed to objects; all are counted
#define NAMED     3      // pairs of objects in the sentence

static const char *name_of(nc_model model, nc_body_id body)
{
    nc_model_body found;
    return nc_model_read_body(model, body, &found, NULL) == NC_OK ? found.name : "";
}

// How many of the overlaps are of the same two bodies as number k; 0 when that pair came before.
static int count_like(const nc_overlap *all, int count, int k)
{
    int same = 0;
    for (int i = 0; i < count; i++)
        if (all[i].a.index == all[k].a.index && all[i].b.index == all[k].b.index) {
            if (i < k)
                return 0;
            same++;
        }
    return same;
}

// "12 of "rag" with itself, 44 of "ball" and "rag""
static void list_objects(nc_model model, const nc_overlap *all, int count, char *out, size_t size)
{
    size_t used = 0;
    int named = 0;
    out[0] = '\0';
    for (int k = 0; k < count; k++) {
        const int same = count_like(all, count, k);
        if (same == 0)
            continue;
        if (named == NAMED) {
            snprintf(out + used, size - used, " and more");
            return;
        }
        const bool own = all[k].a.index == all[k].b.index;
        const int length =
            snprintf(out + used, size - used, own ? "%s%d of \"%.40s\" with itself" : "%s%d of \"%.40s\" and \"%.40s\"",
                     named++ > 0 ? ", " : "", same, name_of(model, all[k].a), name_of(model, all[k].b));
        used += length > 0 && used + (size_t)length < size ? (size_t)length : 0;
    }
}

static nc_code refuse(nc_model model, const nc_overlap *all, int count, nc_error *err)
{
    char a[48], b[48], objects[400];
    const nc_overlap *first = &all[0];
    const nc_intersection *where = &first->where;
    const bool own = first->a.index == first->b.index;
    list_objects(model, all, count < LOOKED_AT ? count : LOOKED_AT, objects, sizeof objects);
    return nc_fail(
        err, NC_INTERSECTING,
        "the scene starts intersecting: %s of \"%.60s\" and %s of \"%.60s\" intersect at (%.6g, %.6g, %.6g); "
        "%d pair%s of triangles in all: %.300s. %s",
        nc_element_text(where->kind_a, where->element_a, a, sizeof a), name_of(model, first->a),
        nc_element_text(where->kind_b, where->element_b, b, sizeof b), name_of(model, first->b), where->place.x,
        where->place.y, where->place.z, count, count == 1 ? "" : "s", objects,
        own ? "Move its vertices apart in the program that made the mesh; nacre view shows where"
            : "Move one of them; nacre view shows where");
}

nc_code nc_model_check(nc_model model, nc_body_id *out_second, nc_error *err)
{
    nc_overlap first;
    int count = 0;
    nc_code code = nc_model_audit(model, &first, 1, &count, err);
    if (code != NC_OK)
        return code;
    if (count == 0)
        return model.kind->check_distances != NULL ? model.kind->check_distances(model.self, out_second, err) : NC_OK;
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    const size_t room = (size_t)(count < LOOKED_AT ? count : LOOKED_AT);
    nc_overlap *all = nc_alloc(&allocator, room, sizeof *all);
    if (all == NULL)
        return nc_fail_memory(err, room * sizeof *all);
    *out_second = first.b;
    code = nc_model_audit(model, all, (int)room, &count, err);
    if (code == NC_OK)
        code = refuse(model, all, count, err);
    nc_free(&allocator, all, room, sizeof *all);
    return code;
}
