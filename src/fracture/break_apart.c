// Every two parts of different pieces are as far apart as asked: seen to be so, not taken for granted.
//
// Two parts are apart when a plane of one of their regions has them on its two sides, far enough from it together.
// Where there is none, the distance of the two surfaces is measured. Parts that are too near are drawn back twice as
// far, up to three times, and then joined.
#include "fracture/break.h"

#define MAX_DOUBLINGS 3
#define MAX_PASSES    8

static bool boxes_are_apart(nc_box a, nc_box b, double gap)
{
    const nc_vec3 one = nc_sub(a.lo, b.hi), two = nc_sub(b.lo, a.hi);
    const nc_vec3 way = nc_max_v3(one, two);
    return fmax(fmax(way.x, way.y), way.z) >= gap;
}

static double lowest(const nc_cut_mesh *mesh, const nc_plane *plane, double enough)
{
    double least = INFINITY;
    for (int i = 0; i < mesh->vertices.count && least >= enough; i++)
        least = fmin(least, nc_plane_value(plane, mesh->vertices.data[i]));
    return least;
}

static double highest(const nc_cut_mesh *mesh, const nc_plane *plane)
{
    double most = -INFINITY;
    for (int i = 0; i < mesh->vertices.count; i++)
        most = fmax(most, nc_plane_value(plane, mesh->vertices.data[i]));
    return most;
}

// Whether a plane of part a's region parts it from part b.
static bool plane_parts(const nc_breaker *br, const nc_part *a, const nc_part *b, double gap)
{
    for (int p = br->first_plane.data[a->region]; p < br->first_plane.data[a->region + 1]; p++) {
        const nc_plane *plane = &br->planes.data[p];
        // most planes have b's centre on the near side: they need no closer look
        if (nc_plane_value(plane, b->weight.center) <= 0)
            continue;
        const double enough = -a->inset + gap;
        const double low = lowest(&b->drawn, plane, enough);
        if (low >= enough && low - highest(&a->drawn, plane) >= gap)
            return true;
    }
    return false;
}

static nc_code mesh_of(nc_breaker *b, nc_part *part, nc_error *err)
{
    return part->mesh != NULL ? NC_OK : nc_cut_mesh_finish(&b->allocator, &part->drawn, &part->mesh, err);
}

static nc_code surfaces_are_apart(nc_breaker *br, nc_part *a, nc_part *b, double gap, bool *out, nc_error *err)
{
    const nc_pose rest = {{0, 0, 0}, {1, 0, 0, 0}};
    nc_proximity near = {0};
    bool meet = true;
    nc_code code = mesh_of(br, a, err);
    if (code == NC_OK)
        code = mesh_of(br, b, err);
    // an edge through the middle of a triangle can be far from all of its features
    if (code == NC_OK)
        code = nc_mesh_intersect(a->mesh, rest, b->mesh, rest, &meet, NULL, err);
    if (code == NC_OK)
        code = nc_mesh_distance(a->mesh, rest, b->mesh, rest, &near, err);
    *out = code == NC_OK && !meet && near.lower_bound >= gap;
    return code;
}

static nc_code are_apart(nc_breaker *br, nc_part *a, nc_part *b, bool *out, nc_error *err)
{
    // what comes later (the origin moved to the centre of mass) rounds once more
    const double gap = br->def->gap + NC_BREAK_ROUNDING * br->size;
    *out = a->drawn.triangles.count == 0 || b->drawn.triangles.count == 0 || boxes_are_apart(a->box, b->box, gap) ||
           (a->region != b->region && (plane_parts(br, a, b, gap) || plane_parts(br, b, a, gap)));
    return *out ? NC_OK : surfaces_are_apart(br, a, b, gap, out, err);
}

static nc_code draw_further(nc_breaker *b, nc_part *part, nc_error *err)
{
    part->inset *= 2;
    part->doublings++;
    return nc_part_draw(b, part, err);
}

static nc_code part_two(nc_breaker *br, int i, int j, bool *changed, nc_error *err)
{
    nc_part *a = &br->parts.data[i], *b = &br->parts.data[j];
    bool apart = true;
    nc_code code = are_apart(br, a, b, &apart, err);
    while (code == NC_OK && !apart) {
        *changed = true;
        if (a->region == b->region || a->doublings == MAX_DOUBLINGS || b->doublings == MAX_DOUBLINGS) {
            nc_part_join(br, a->group, b->group);
            br->out->joined++;
            return NC_OK;
        }
        code = draw_further(br, a, err);
        if (code == NC_OK)
            code = draw_further(br, b, err);
        if (code == NC_OK)
            code = are_apart(br, a, b, &apart, err);
    }
    return code;
}

nc_code nc_break_part_all(nc_breaker *b, nc_error *err)
{
    bool changed = true;
    for (int pass = 0; changed; pass++) {
        changed = false;
        for (int i = 0; i < b->parts.count; i++)
            for (int j = i + 1; j < b->parts.count; j++) {
                if (b->parts.data[i].group == b->parts.data[j].group)
                    continue;
                const nc_code code = part_two(b, i, j, &changed, err);
                if (code != NC_OK)
                    return code;
            }
        // what was drawn back further may have become a crumb
        const nc_code code = changed ? nc_break_join_crumbs(b, err) : NC_OK;
        if (code != NC_OK)
            return code;
        NC_ASSERT(pass < MAX_PASSES + b->parts.count);
    }
    return NC_OK;
}
