// Why a scene is refused at its start, and what can be done about it.
#include "scene/description.h"

#include "model/model.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define MEASURED 256 // pairs whose depth is measured; a refusal must not take long

typedef struct tally {
    const nc_conflict *deepest; // of pairs that touch or overlap; of equal ones the first
    int overlapping, touching, unmeasured;
} tally;

static tally count_conflicts(const nc_repair *found)
{
    tally t = {0};
    for (int k = 0; k < found->conflict_count; k++) {
        const nc_conflict *c = &found->conflicts[k];
        if (c->kind == NC_CONFLICT_INSIDE)
            continue;
        if (t.deepest == NULL || c->depth > t.deepest->depth)
            t.deepest = c;
        if (isnan(c->depth))
            t.unmeasured++;
        else if (c->kind == NC_CONFLICT_TOUCHING)
            t.touching++;
        else
            t.overlapping++;
    }
    return t;
}

static void write_counts(const tally *t, char *out, size_t size)
{
    if (t->unmeasured > 0)
        snprintf(out, size, "%d pairs overlap or touch", t->overlapping + t->touching + t->unmeasured);
    else if (t->overlapping > 0 && t->touching > 0)
        snprintf(out, size, "%d pair%s and %d touch%s", t->overlapping, t->overlapping == 1 ? " overlaps" : "s overlap",
                 t->touching, t->touching == 1 ? "es" : "");
    else if (t->overlapping > 0)
        snprintf(out, size, "%d pair%s", t->overlapping, t->overlapping == 1 ? " overlaps" : "s overlap");
    else
        snprintf(out, size, "%d pair%s", t->touching, t->touching == 1 ? " touches" : "s touch");
}

// The way out, for the one of the two that can be moved.
static void write_way(const nc_scene *scene, const nc_world *world, const nc_conflict *c, char *out, size_t size)
{
    const nc_bodies *bodies = &world->state.bodies;
    const bool b_moves = bodies->inv_mass[c->b.index] > 0;
    const char *name = scene->bodies.data[b_moves ? c->b.index : c->a.index].name;
    const nc_vec3 way = b_moves ? nc_neg(c->direction) : c->direction;
    char depth[32], direction[64];
    nc_direction_text(way, world->settings.gravity, direction, sizeof direction);
    if (!(c->depth < INFINITY))
        snprintf(out, size, "deeper than a quarter of the smaller one");
    else if (c->kind == NC_CONFLICT_TOUCHING)
        snprintf(out, size, "touching; apart when \"%.60s\" moves %s", name, direction);
    else
        snprintf(out, size, "%s deep; apart when \"%.60s\" moves %s", nc_length_text(c->depth, depth, sizeof depth),
                 name, direction);
}

static nc_code refuse(const nc_scene *scene, const nc_world *world, const tally *t, const char *also, nc_error *err)
{
    const nc_conflict *c = t->deepest;
    const nc_scene_body *a = &scene->bodies.data[c->a.index], *b = &scene->bodies.data[c->b.index];
    char counts[96], way[200], first[400], element_a[48], element_b[48];
    write_counts(t, counts, sizeof counts);
    write_way(scene, world, c, way, sizeof way);
    snprintf(first, sizeof first,
             "the scene starts intersecting: %s of \"%.60s\" and %s of \"%.60s\" intersect at (%.6g, %.6g, %.6g)",
             nc_element_text(c->where.kind_a, c->where.element_a, element_a, sizeof element_a), a->name,
             nc_element_text(c->where.kind_b, c->where.element_b, element_b, sizeof element_b), b->name,
             c->where.place.x, c->where.place.y, c->where.place.z);
    return nc_fail_at(err, NC_INTERSECTING, b->node->file, b->node->line, b->node->column,
                      "%.350s: %s%s (%s). To move them apart: nacre repair %.120s -o repaired.yaml",
                      also != NULL ? also : first, way, t->overlapping + t->unmeasured > 1 ? ", the deepest pair" : "",
                      counts, scene->path);
}

nc_code nc_scene_refuse_start(const nc_scene *scene, const nc_world *world, const char *also, nc_error *err)
{
    nc_repair found;
    nc_code code = nc_world_find_conflicts(world, NULL, MEASURED, &found, err);
    if (code == NC_OK) {
        const tally t = count_conflicts(&found);
        // Nothing found is a contradiction: the start check has found something.
        code = t.deepest != NULL ? refuse(scene, world, &t, also, err)
                                 : nc_fail(err, NC_BROKEN_PROMISE, "two tests of the start disagree");
    }
    nc_repair_free(&found);
    return code;
}
