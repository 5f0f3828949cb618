// Breaking a body: the order of things.
#include "fracture/break.h"

#include <stdio.h>

// How much larger than their outline faces may be: cuts are exact, vertices of level sets can be a little out of place.
#define CUT_OVERLAP   1e-6
#define LEVEL_OVERLAP 0.05

nc_break_def nc_break_def_default(void)
{
    const nc_break_def def = {.crumb = 1e-4};
    return def;
}

static nc_code check(const nc_break_def *def, nc_error *err)
{
    if (!nc_finite3(def->place) || !(nc_max3(def->place) <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "a blow at (%g, %g, %g) m", def->place.x, def->place.y, def->place.z);
    if (!nc_finite3(def->normal) || !(nc_norm(def->normal) > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "a blow along (%g, %g, %g), which has no direction", def->normal.x,
                       def->normal.y, def->normal.z);
    if (!(def->mass > 0 && isfinite(def->mass)))
        return nc_fail(err, NC_BAD_ARGUMENT, "a body of %g kg cannot break; its mass must be above 0", def->mass);
    if (!(def->gap > 0 && isfinite(def->gap)))
        return nc_fail(err, NC_BAD_ARGUMENT, "pieces %g m apart; it must be above 0", def->gap);
    if (!(def->crumb >= 0 && def->crumb < 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "a crumb of %g of the body; it must be from 0 to below 1", def->crumb);
    return NC_OK;
}

// ---- parts --------------------------------------------------------------------------------------------------

bool nc_break_add_part(nc_breaker *b, int region, nc_weight weight, nc_cut_mesh *whole)
{
    const nc_part part = {.region = region,
                          .group = b->parts.count,
                          .weight = weight,
                          .total = weight,
                          .inset = b->inset,
                          .whole = *whole};
    if (!nc_array_push(&b->allocator, &b->parts, part))
        return false;
    *whole = (nc_cut_mesh){0};
    return true;
}

static void free_part(nc_breaker *b, nc_part *part)
{
    nc_cut_mesh_free(&b->allocator, &part->whole);
    nc_cut_mesh_free(&b->allocator, &part->drawn);
    nc_mesh_release(part->mesh);
    part->mesh = NULL;
}

static void drop_parts(nc_breaker *b)
{
    for (int p = 0; p < b->parts.count; p++)
        free_part(b, &b->parts.data[p]);
    b->parts.count = b->first_part.count = 0;
}

nc_code nc_part_draw(nc_breaker *b, nc_part *part, nc_error *err)
{
    nc_mesh_release(part->mesh);
    part->mesh = NULL;
    part->drawn.vertices.count = part->drawn.triangles.count = 0;
    const nc_code code = b->way == NC_BREAK_LEVEL ? nc_draw_by_level(b, part, err) : nc_draw_by_cutting(b, part, err);
    part->box = nc_cut_mesh_box(&part->drawn);
    const double before = part->left;
    part->left = nc_cut_mesh_weight(&part->drawn, b->breakable->is_solid).measure;
    b->parts.data[part->group].total_left += part->left - before;
    return code;
}

static nc_code place_planes(nc_breaker *b, nc_error *err)
{
    const nc_pattern *pattern = b->def->pattern;
    b->planes.count = b->first_plane.count = 0;
    for (int r = 0; r <= pattern->regions.count; r++) {
        if (!nc_array_push(&b->allocator, &b->first_plane, b->planes.count))
            return nc_fail_memory(err, sizeof(int));
        if (r == pattern->regions.count)
            break;
        const nc_region *region = &pattern->regions.data[r];
        for (int i = 0; i < region->plane_count; i++) {
            const nc_plane *plane = &pattern->planes.data[region->first_plane + i];
            if (nc_is_side_of_box(plane))
                continue;
            const nc_plane placed = nc_place_plane(pattern, &b->out->place, plane);
            if (!nc_array_push(&b->allocator, &b->planes, placed))
                return nc_fail_memory(err, sizeof placed);
        }
    }
    return NC_OK;
}

// Takes the body apart one way, and draws the parts back.
static nc_code take_apart(nc_breaker *b, nc_break_method way, bool *out_good, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(b->breakable->mesh);
    const nc_break_def *def = b->def;
    drop_parts(b);
    b->way = b->out->way = way;
    b->cutter.bad = false;
    b->cutter.overlap = b->breakable->remade || way == NC_BREAK_LEVEL ? LEVEL_OVERLAP : CUT_OVERLAP;
    b->out->place = way == NC_BREAK_LEVEL && def->aligned
                        ? nc_break_place_aligned(&data, def->pattern, def->place, b->level)
                        : nc_break_place(&data, def->pattern, def->place, def->normal);
    nc_code code = place_planes(b, err);
    if (code == NC_OK)
        code = way == NC_BREAK_LEVEL ? nc_break_by_level(b, out_good, err) : nc_break_by_cutting(b, out_good, err);
    for (int p = 0; p < b->parts.count && code == NC_OK && *out_good; p++)
        code = nc_part_draw(b, &b->parts.data[p], err);
    b->measure = 0;
    for (int p = 0; p < b->parts.count; p++)
        b->measure += b->parts.data[p].weight.measure;
    *out_good = *out_good && !b->cutter.bad;
    return code;
}

// ---- ways ---------------------------------------------------------------------------------------------------

static bool all_convex(const nc_pattern *pattern)
{
    for (int r = 0; r < pattern->regions.count; r++)
        if (pattern->regions.data[r].solid != NULL)
            return false;
    return true;
}

static nc_code stay_whole(nc_breaker *b, const char *why)
{
    (void)snprintf(b->out->why_whole, sizeof b->out->why_whole, "%s", why);
    return NC_OK;
}

// By level sets: that of the brittle, or one made for this break alone.
static nc_code take_apart_by_level(nc_breaker *b, bool *out_good, nc_error *err)
{
    nc_code code = NC_OK;
    b->level = &b->breakable->level.set;
    if (b->breakable->level.values == NULL) {
        code = nc_breakable_fill(b->breakable, &b->allocator, &b->own_solid, &b->own_level, err);
        b->level = &b->own_level.set;
    }
    return code == NC_OK ? take_apart(b, NC_BREAK_LEVEL, out_good, err) : code;
}

static nc_code choose(nc_breaker *b, bool *out_good, nc_error *err)
{
    const nc_break_method wanted = b->breakable->is_solid ? b->breakable->def.way : NC_BREAK_CUT;
    const bool can_cut = all_convex(b->def->pattern);
    if (!can_cut && wanted == NC_BREAK_CUT)
        return stay_whole(b,
                          "the pattern has regions that are not convex, and only level sets can break a solid by them");
    if (b->breakable->can_cut && can_cut) {
        const nc_code code = take_apart(b, NC_BREAK_CUT, out_good, err);
        if (code != NC_OK || *out_good || wanted == NC_BREAK_CUT)
            return code;
    }
    return take_apart_by_level(b, out_good, err);
}

// ---- all of it ----------------------------------------------------------------------------------------------

// Parts that are there, into pieces.
static nc_code finish(nc_breaker *b, nc_error *err)
{
    b->out->why_whole[0] = 0;
    b->out->crumbs = b->out->joined = 0;
    if (nc_group_count(b) < 2)
        return stay_whole(b, "no crack of the pattern parts the body");
    nc_code code = nc_break_join_crumbs(b, err);
    if (code == NC_OK)
        code = nc_break_part_all(b, err);
    return code == NC_OK ? nc_break_make_pieces(b, err) : code;
}

static nc_code run(nc_breaker *b, nc_error *err)
{
    bool good = false;
    nc_code code = choose(b, &good, err);
    if (code == NC_OK && good)
        code = finish(b, err);
    // a surface that was rebuilt can be too near to other bodies; level sets are drawn back from it too
    if (code != NC_OK || !b->stuck || !b->breakable->remade || b->way == NC_BREAK_LEVEL)
        return code;
    code = take_apart_by_level(b, &good, err);
    return code == NC_OK && good ? finish(b, err) : code;
}

static void free_breaker(nc_breaker *b)
{
    drop_parts(b);
    nc_array_free(&b->allocator, &b->planes);
    nc_array_free(&b->allocator, &b->first_plane);
    nc_array_free(&b->allocator, &b->parts);
    nc_array_free(&b->allocator, &b->first_part);
    nc_array_free(&b->allocator, &b->scratch);
    nc_array_free(&b->allocator, &b->common);
    nc_array_free(&b->allocator, &b->part_of);
    nc_array_free(&b->allocator, &b->samples);
    nc_level_grid_free(&b->own_level);
    nc_solid_destroy(b->own_solid);
    nc_cutter_free(&b->cutter);
}

nc_code nc_break(const nc_breakable *breakable, const nc_break_def *def, const nc_allocator *allocator, nc_pieces *out,
                 nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = (nc_pieces){.allocator = memory};
    nc_code code = check(def, err);
    if (code != NC_OK)
        return code;
    nc_breaker b = {.allocator = memory, .breakable = breakable, .def = def, .out = out};
    const nc_box box = nc_mesh_view(breakable->mesh).box;
    b.size = fmax(fmax(nc_max3(box.lo), nc_max3(box.hi)), nc_max3(def->place));
    b.inset = 0.5 * def->gap * (1 + 1e-3) + NC_BREAK_ROUNDING * b.size;
    b.cutter = (nc_cutter){.allocator = memory, .solid = breakable->is_solid, .on_plane = NC_ON_PLANE * b.size};
    code = run(&b, err);
    free_breaker(&b);
    if (code != NC_OK)
        nc_pieces_free(out);
    return code;
}

void nc_pieces_free(nc_pieces *pieces)
{
    for (int i = 0; i < pieces->list.count; i++)
        nc_mesh_release(pieces->list.data[i].mesh);
    nc_array_free(&pieces->allocator, &pieces->list);
}
