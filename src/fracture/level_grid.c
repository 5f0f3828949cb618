// Level sets of solids: the samples, and the trilinear function between them.
#include "fracture/fracture.h"

nc_level_def nc_level_def_default(void)
{
    const nc_level_def def = {.cells = 55, .margin = 2, .workers = 1};
    return def;
}

size_t nc_level_grid_bytes(const nc_level_set *set)
{
    return (size_t)set->count[0] * (size_t)set->count[1] * (size_t)set->count[2] * sizeof(double);
}

void nc_level_grid_free(nc_level_grid *grid)
{
    const size_t samples = nc_level_grid_bytes(&grid->set) / sizeof(double);
    nc_free(&grid->allocator, grid->values, samples, sizeof *grid->values);
    grid->values = NULL;
    grid->set = (nc_level_set){0};
}

#define ON_SURFACE 0x1p-46 // distances below this part of the largest coordinate are rounding

// ---- building -----------------------------------------------------------------------------------------------

static nc_code lay_out(const nc_solid *solid, const nc_level_def *def, nc_level_set *out, nc_error *err)
{
    const nc_box box = nc_mesh_view(nc_solid_mesh(solid)).box;
    const nc_vec3 size = nc_sub(box.hi, box.lo);
    const double extent[3] = {size.x, size.y, size.z};
    if (!(def->spacing >= 0) || (def->spacing == 0 && def->cells < 1) || def->margin < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "a level set with a spacing of %g m, %d cells and a margin of %d cells",
                       def->spacing, def->cells, def->margin);
    const double spacing = def->spacing > 0 ? def->spacing : nc_max3(size) / def->cells;
    double samples = 1;
    for (int k = 0; k < 3; k++) {
        const double count = ceil(extent[k] / spacing * (1 - 1e-12)) + 1 + 2.0 * def->margin;
        samples *= count;
        if (!(samples <= NC_LEVEL_SAMPLES_MAX))
            return nc_fail(err, NC_BAD_ARGUMENT, "a level set with a spacing of %g m has more than %d samples", spacing,
                           NC_LEVEL_SAMPLES_MAX);
        out->count[k] = (int)count;
    }
    out->spacing = spacing;
    // as much room on both sides
    const nc_vec3 whole = nc_scale(spacing, nc_v3(out->count[0] - 1, out->count[1] - 1, out->count[2] - 1));
    out->origin = nc_madd(box.lo, -0.5, nc_sub(whole, size));
    return NC_OK;
}

typedef struct filler {
    const nc_solid *solid;
    const nc_level_set *set;
    double *values;
    bool closed;
    double on_surface; // [m]
} filler;

static bool at_end(int i, int count)
{
    return i == 0 || i == count - 1;
}

// Inside or outside, of a sample that is not at the grid's end. A closed surface does not pass between it and the
// sample before when it is farther from that one than the spacing.
static bool is_inside(const filler *f, nc_vec3 p, double before)
{
    if (f->closed && fabs(before) > f->set->spacing * (1 + 1e-6))
        return before < 0;
    return nc_solid_winding(f->solid, p) > 0.5;
}

// One row along x. The distance changes by no more than the spacing from sample to sample, which bounds the search.
static void fill_row(const filler *f, int row)
{
    const nc_level_set *set = f->set;
    const int j = row % set->count[1], k = row / set->count[1];
    const bool edge = at_end(j, set->count[1]) || at_end(k, set->count[2]);
    double *out = &f->values[(size_t)row * (size_t)set->count[0]];
    double limit = INFINITY;
    for (int i = 0; i < set->count[0]; i++) {
        const nc_vec3 p = nc_madd(set->origin, set->spacing, nc_v3(i, j, k));
        const double distance = nc_solid_distance(f->solid, p, limit);
        limit = distance + set->spacing * (1 + 1e-6);
        // on the surface but for rounding: 0, which counts as outside, so that flat faces on the grid stay flat
        if (distance <= f->on_surface)
            out[i] = 0;
        else
            out[i] = !edge && !at_end(i, set->count[0]) && is_inside(f, p, out[i - 1]) ? -distance : distance;
    }
}

static void fill_rows(int begin, int end, void *ctx)
{
    for (int row = begin; row < end; row++)
        fill_row(ctx, row);
}

nc_code nc_level_grid_build(const nc_solid *solid, const nc_level_def *def, const nc_allocator *allocator,
                            nc_level_grid *out, nc_error *err)
{
    *out = (nc_level_grid){.allocator = nc_allocator_or_default(allocator)};
    nc_level_set set = {0};
    const nc_code code = lay_out(solid, def, &set, err);
    if (code != NC_OK)
        return code;
    out->values = nc_alloc(&out->allocator, nc_level_grid_bytes(&set) / sizeof(double), sizeof *out->values);
    if (out->values == NULL)
        return nc_fail_memory(err, nc_level_grid_bytes(&set));
    const nc_mesh_data data = nc_mesh_view(nc_solid_mesh(solid));
    const double far = fmax(nc_max3(data.box.lo), nc_max3(data.box.hi));
    filler f = {solid, &set, out->values, data.closed, ON_SURFACE * far};
    nc_parallel_for(nc_worker_count(def->workers), set.count[1] * set.count[2], 4, fill_rows, &f);
    set.values = out->values;
    out->set = set;
    return NC_OK;
}
