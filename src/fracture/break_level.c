// Taking a body apart by level sets (Su 4.2): which sample is in which region, and what hangs together.
//
// The samples are those of the body's own level set, so nothing is interpolated: regions are evaluated where the
// samples are. A convex region takes an interval of each row of samples; the rows of what is left over, and regions
// that are not convex, are examined sample by sample.
#include "fracture/break.h"

#include <stdio.h>

#define NONE      (-1)
#define UNCLAIMED (-2) // inside of the body, in no region yet; regions that are claimed but not in a part: -3 - region

static int region_mark(int region)
{
    return -3 - region;
}

static nc_vec3 sample_at(const nc_level_set *set, int i, int j, int k)
{
    return nc_madd(set->origin, set->spacing, nc_v3(i, j, k));
}

static size_t row_of(const nc_level_set *set, int j, int k)
{
    return (size_t)set->count[0] * ((size_t)j + (size_t)set->count[1] * (size_t)k);
}

// ---- regions ------------------------------------------------------------------------------------------------

// The interval of a row, in samples from its first, that lies in all planes of a region.
static void interval(const nc_breaker *b, int region, nc_vec3 first, double *low, double *high)
{
    const double h = b->level->spacing;
    *low = 0;
    *high = b->level->count[0] - 1;
    for (int p = b->first_plane.data[region]; p < b->first_plane.data[region + 1] && *low <= *high; p++) {
        const nc_plane *plane = &b->planes.data[p];
        const double value = nc_plane_value(plane, first), slope = h * plane->normal.x;
        if (slope > 0)
            *high = fmin(*high, -value / slope);
        else if (slope < 0)
            *low = fmax(*low, -value / slope);
        else if (value > 0)
            *high = -1;
    }
}

static void claim_convex(nc_breaker *b, int region)
{
    const nc_level_set *set = b->level;
    for (int k = 0; k < set->count[2]; k++)
        for (int j = 0; j < set->count[1]; j++) {
            int *row = b->part_of.data + row_of(set, j, k);
            double low, high;
            interval(b, region, sample_at(set, 0, j, k), &low, &high);
            for (int i = (int)ceil(low); i <= high; i++)
                if (row[i] == UNCLAIMED)
                    row[i] = region_mark(region);
        }
}

static bool is_in_box(nc_box box, nc_vec3 p)
{
    return p.x >= box.lo.x && p.x <= box.hi.x && p.y >= box.lo.y && p.y <= box.hi.y && p.z >= box.lo.z &&
           p.z <= box.hi.z;
}

// What no convex region claims: regions that are not convex, or rounding at a crack.
static void claim_rest(nc_breaker *b)
{
    const nc_level_set *set = b->level;
    const nc_pattern *pattern = b->def->pattern;
    for (int k = 0; k < set->count[2]; k++)
        for (int j = 0; j < set->count[1]; j++)
            for (int i = 0; i < set->count[0]; i++) {
                int *mark = &b->part_of.data[row_of(set, j, k) + (size_t)i];
                if (*mark != UNCLAIMED)
                    continue;
                const nc_vec3 p = nc_place_to_pattern(pattern, &b->out->place, sample_at(set, i, j, k));
                for (int r = 0; r < pattern->regions.count && *mark == UNCLAIMED; r++) {
                    const nc_solid *solid = pattern->regions.data[r].solid;
                    if (solid != NULL && is_in_box(nc_mesh_view(nc_solid_mesh(solid)).box, p) &&
                        nc_solid_winding(solid, p) > 0.5)
                        *mark = region_mark(r);
                }
                if (*mark == UNCLAIMED)
                    *mark = region_mark(nc_pattern_region_of(pattern, p));
            }
}

static bool claim_all(nc_breaker *b)
{
    const nc_level_set *set = b->level;
    const int samples = (int)(nc_level_grid_bytes(set) / sizeof(double));
    if (!nc_array_reserve(&b->allocator, &b->part_of, samples))
        return false;
    b->part_of.count = samples;
    for (int i = 0; i < samples; i++)
        b->part_of.data[i] = set->values[i] < 0 ? UNCLAIMED : NONE;
    for (int r = 0; r < b->def->pattern->regions.count; r++)
        if (b->def->pattern->regions.data[r].solid == NULL)
            claim_convex(b, r);
    claim_rest(b);
    return true;
}

// ---- flood fill ---------------------------------------------------------------------------------------------

static void widen(nc_part *part, const int at[3])
{
    for (int k = 0; k < 3; k++) {
        part->low[k] = at[k] < part->low[k] ? at[k] : part->low[k];
        part->high[k] = at[k] > part->high[k] ? at[k] : part->high[k];
    }
}

// Gives all samples that hang together with one, in its region, the row of a part.
static bool flood(nc_breaker *b, int start, int mark, int row, nc_part *part)
{
    const nc_level_set *set = b->level;
    const int stride[3] = {1, set->count[0], set->count[0] * set->count[1]};
    b->scratch.count = 0;
    b->part_of.data[start] = row;
    if (!nc_array_push(&b->allocator, &b->scratch, start))
        return false;
    while (b->scratch.count > 0) {
        const int sample = b->scratch.data[--b->scratch.count];
        const int at[3] = {sample % set->count[0], sample / stride[1] % set->count[1], sample / stride[2]};
        widen(part, at);
        for (int side = 0; side < 6; side++) {
            // the outermost samples are outside, so there always is a neighbour
            const int next = sample + (side & 1 ? stride[side / 2] : -stride[side / 2]);
            if (b->part_of.data[next] != mark)
                continue;
            b->part_of.data[next] = row;
            if (!nc_array_push(&b->allocator, &b->scratch, next))
                return false;
        }
    }
    return true;
}

// The samples by region: rows of `order` from first[r] to first[r + 1].
typedef struct by_region {
    int *first, *order;
    int regions, count;
} by_region;

static bool sort_samples(nc_breaker *b, by_region *out)
{
    out->regions = b->def->pattern->regions.count;
    out->first = nc_alloc(&b->allocator, (size_t)out->regions + 2, sizeof *out->first);
    if (out->first == NULL)
        return false;
    for (int i = 0; i < b->part_of.count; i++)
        if (b->part_of.data[i] < UNCLAIMED) {
            out->first[-3 - b->part_of.data[i] + 2]++;
            out->count++;
        }
    out->order = nc_alloc(&b->allocator, (size_t)out->count + 1, sizeof *out->order);
    if (out->order == NULL)
        return false;
    for (int r = 0; r < out->regions; r++)
        out->first[r + 2] += out->first[r + 1];
    for (int i = 0; i < b->part_of.count; i++)
        if (b->part_of.data[i] < UNCLAIMED)
            out->order[out->first[-3 - b->part_of.data[i] + 1]++] = i;
    return true;
}

static nc_code add_part(nc_breaker *b, int region, int start, nc_error *err)
{
    nc_part part = {.region = region, .group = b->parts.count, .low = {INT32_MAX, INT32_MAX, INT32_MAX}};
    const int row = b->parts.count;
    if (!flood(b, start, region_mark(region), row, &part) || !nc_array_push(&b->allocator, &b->parts, part))
        return nc_fail_memory(err, sizeof part);
    // weighed by the surface up to the cracks
    nc_part *added = &b->parts.data[row];
    const nc_code code = nc_draw_by_level(b, added, err);
    added->weight = added->total = nc_cut_mesh_weight(&added->drawn, true);
    added->inset = b->inset;
    return code;
}

static nc_code add_parts(nc_breaker *b, const by_region *samples, nc_error *err)
{
    nc_code code = NC_OK;
    for (int r = 0; r < samples->regions && code == NC_OK; r++) {
        if (!nc_array_push(&b->allocator, &b->first_part, b->parts.count))
            return nc_fail_memory(err, sizeof(int));
        for (int i = samples->first[r]; i < samples->first[r + 1] && code == NC_OK; i++)
            if (b->part_of.data[samples->order[i]] == region_mark(r))
                code = add_part(b, r, samples->order[i], err);
    }
    return code;
}

nc_code nc_break_by_level(nc_breaker *b, bool *out_good, nc_error *err)
{
    by_region samples = {0};
    nc_code code = claim_all(b) && sort_samples(b, &samples)
                       ? NC_OK
                       : nc_fail_memory(err, nc_level_grid_bytes(b->level) / sizeof(double) * sizeof(int));
    if (code == NC_OK)
        code = add_parts(b, &samples, err);
    *out_good = b->parts.count > 0;
    if (!*out_good)
        (void)snprintf(b->out->why_whole, sizeof b->out->why_whole, "it is thinner than the cells of its level set");
    nc_free(&b->allocator, samples.first, (size_t)samples.regions + 2, sizeof *samples.first);
    nc_free(&b->allocator, samples.order, (size_t)samples.count + 1, sizeof *samples.order);
    return code;
}

// ---- common boundaries --------------------------------------------------------------------------------------

void nc_shared_boundary_by_level(nc_breaker *b, int row)
{
    const nc_level_set *set = b->level;
    const nc_part *part = &b->parts.data[row];
    const int stride[3] = {1, set->count[0], set->count[0] * set->count[1]};
    for (int k = part->low[2]; k <= part->high[2]; k++)
        for (int j = part->low[1]; j <= part->high[1]; j++)
            for (int i = part->low[0]; i <= part->high[0]; i++) {
                const int sample = i + stride[1] * j + stride[2] * k;
                for (int side = 0; side < 6 && b->part_of.data[sample] == row; side++) {
                    const int other = b->part_of.data[sample + (side & 1 ? stride[side / 2] : -stride[side / 2])];
                    if (other >= 0 && other != row)
                        b->common.data[other] += set->spacing * set->spacing;
                }
            }
}
