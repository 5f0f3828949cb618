// The surface of a part of a level set, drawn back from the cracks.
//
// The level set of a part is max(region + inset, body), on the samples around the part (Su 4.2 with an inset). Its
// surface is made by dual contouring, its vertices are then put inside of the moved planes of a convex region, so that
// parts are as far apart as parts that were cut, and into the body; and its flat faces, cracks above all, are put
// together of as few triangles as they need.
#include "fracture/break.h"

#define MARGIN       1   // samples around those of the part
#define MAX_ROUNDS   30  // of putting a vertex inside of all planes
#define SURFACE_STEP 0.1 // [cells] a part that is not free is drawn back from the body's surface by: 1, 3, 7 of them

typedef struct patch {
    nc_level_set set; // [m] on the samples around the part
    int low[3];       //     of the body's samples
} patch;

static double surface_inset(const nc_breaker *b, const nc_part *part)
{
    return SURFACE_STEP * b->level->spacing * (double)((1 << part->doublings) - 1);
}

static double region_value(const nc_breaker *b, int region, nc_vec3 p)
{
    const nc_pattern *pattern = b->def->pattern;
    if (pattern->regions.data[region].solid != NULL)
        return b->out->place.scale * nc_region_value(pattern, region, nc_place_to_pattern(pattern, &b->out->place, p));
    double value = -INFINITY;
    for (int i = b->first_plane.data[region]; i < b->first_plane.data[region + 1]; i++)
        value = fmax(value, nc_plane_value(&b->planes.data[i], p));
    return value;
}

// A sample of another part of the same region counts as outside.
static double part_value(const nc_breaker *b, const nc_part *part, int row, const int at[3])
{
    const nc_level_set *body = b->level;
    const size_t sample =
        (size_t)at[0] + (size_t)body->count[0] * ((size_t)at[1] + (size_t)body->count[1] * (size_t)at[2]);
    const double own = body->values[sample] + surface_inset(b, part);
    if (own >= 2 * body->spacing)
        return own;
    const nc_vec3 p = nc_madd(body->origin, body->spacing, nc_v3(at[0], at[1], at[2]));
    const double value = fmax(own, region_value(b, part->region, p) + part->inset);
    return b->part_of.data[sample] == row ? value : fabs(value);
}

static bool fill_patch(nc_breaker *b, const nc_part *part, patch *out)
{
    const nc_level_set *body = b->level;
    const int row = (int)(part - b->parts.data);
    int samples = 1;
    for (int k = 0; k < 3; k++) {
        out->low[k] = part->low[k] - MARGIN;
        out->set.count[k] = part->high[k] - part->low[k] + 1 + 2 * MARGIN;
        samples *= out->set.count[k];
    }
    if (!nc_array_reserve(&b->allocator, &b->samples, samples))
        return false;
    double *value = b->samples.data;
    for (int k = 0; k < out->set.count[2]; k++)
        for (int j = 0; j < out->set.count[1]; j++)
            for (int i = 0; i < out->set.count[0]; i++) {
                const int at[3] = {out->low[0] + i, out->low[1] + j, out->low[2] + k};
                *value++ = part_value(b, part, row, at);
            }
    out->set.values = b->samples.data;
    out->set.spacing = body->spacing;
    out->set.origin = nc_madd(body->origin, body->spacing, nc_v3(out->low[0], out->low[1], out->low[2]));
    return true;
}

// ---- vertices -----------------------------------------------------------------------------------------------

// Into the body, as the trilinear function knows it.
static nc_vec3 into_body(const nc_breaker *b, nc_vec3 p, double inset)
{
    const double value = nc_level_set_value(b->level, p) + inset;
    if (!(value > 0))
        return p;
    const nc_vec3 gradient = nc_level_set_gradient(b->level, p);
    const double length2 = nc_norm2(gradient);
    return length2 > 0.01 ? nc_madd(p, -value / length2, gradient) : p;
}

// Into all planes of a convex region, one after the other, around and around.
static nc_vec3 into_region(const nc_breaker *b, const nc_part *part, nc_vec3 p)
{
    bool moved = true;
    for (int round = 0; round < MAX_ROUNDS && moved; round++) {
        moved = false;
        for (int i = b->first_plane.data[part->region]; i < b->first_plane.data[part->region + 1]; i++) {
            const double value = nc_plane_value(&b->planes.data[i], p) + part->inset;
            if (value > NC_BREAK_ROUNDING * b->size) {
                p = nc_madd(p, -value, b->planes.data[i].normal);
                moved = true;
            }
        }
    }
    return p;
}

static void settle_vertices(const nc_breaker *b, nc_part *part)
{
    const double inset = surface_inset(b, part);
    for (int i = 0; i < part->drawn.vertices.count; i++) {
        nc_vec3 *p = &part->drawn.vertices.data[i];
        *p = into_region(b, part, into_body(b, *p, inset));
    }
}

// ---- flat faces ---------------------------------------------------------------------------------------------

// Flat faces are found, and put together again.
static bool tidy(nc_breaker *b, nc_part *part)
{
    nc_cut_facets facets = {0};
    bool ok = nc_cut_facets_find(&b->allocator, &part->drawn, &facets);
    ok = ok && nc_cut_tidy(&b->cutter, &facets.mesh, NULL, facets.normals.data);
    const nc_cut_mesh before = part->drawn;
    part->drawn = facets.mesh;
    facets.mesh = before;
    nc_cut_facets_free(&b->allocator, &facets);
    return ok;
}

nc_code nc_draw_by_level(nc_breaker *b, nc_part *part, nc_error *err)
{
    patch around = {0};
    part->drawn.vertices.count = part->drawn.triangles.count = 0;
    if (!fill_patch(b, part, &around) || !nc_level_set_surface(&around.set, true, &b->allocator, &part->drawn))
        return nc_fail_memory(err, (size_t)b->samples.capacity * sizeof(double));
    settle_vertices(b, part);
    return tidy(b, part) ? NC_OK : nc_fail_memory(err, (size_t)part->drawn.triangles.count * sizeof(nc_cut_triangle));
}
