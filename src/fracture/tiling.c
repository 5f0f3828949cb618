// Patterns from meshes: do they tile a box, and the regions they make.
#include "fracture/pattern.h"

#define PLANES_MAX 512 // triangles of a mesh that is tried as a convex region

typedef struct solids {
    nc_allocator allocator;
    nc_solid **items;
    int count;
} solids;

static void solids_free(solids *s)
{
    for (int i = 0; s->items != NULL && i < s->count; i++)
        nc_solid_destroy(s->items[i]);
    nc_free(&s->allocator, s->items, (size_t)s->count, sizeof(nc_solid *));
}

// Errors name the mesh. Free in any case.
static nc_code solids_create(nc_mesh *const *meshes, int count, const nc_allocator *allocator, solids *out,
                             nc_error *err)
{
    *out = (solids){.allocator = nc_allocator_or_default(allocator), .count = count};
    if (count < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "a pattern needs a mesh at least");
    if (count > NC_PATTERN_REGIONS_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "a pattern of %d meshes: %d is the most", count, NC_PATTERN_REGIONS_MAX);
    out->items = nc_alloc(&out->allocator, (size_t)count, sizeof(nc_solid *));
    if (out->items == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof(nc_solid *));
    for (int i = 0; i < count; i++) {
        if (!nc_mesh_view(meshes[i]).closed)
            return nc_fail(err, NC_BAD_ARGUMENT, "mesh %d of the pattern is not closed", i);
        nc_error inner = {0};
        const nc_code code = nc_solid_create(meshes[i], allocator, &out->items[i], &inner);
        if (code == NC_BAD_ARGUMENT)
            return nc_fail(err, code, "mesh %d of the pattern is inside out, or has no inside", i);
        if (code != NC_OK)
            return nc_fail(err, code, "%s", inner.text);
    }
    return NC_OK;
}

// ---- tiling -------------------------------------------------------------------------------------------------

static double volume_of_box(nc_box box)
{
    const nc_vec3 size = nc_sub(box.hi, box.lo);
    return size.x * size.y * size.z;
}

static bool holds(nc_box box, nc_vec3 p, double margin)
{
    return p.x >= box.lo.x - margin && p.x <= box.hi.x + margin && p.y >= box.lo.y - margin &&
           p.y <= box.hi.y + margin && p.z >= box.lo.z - margin && p.z <= box.hi.z + margin;
}

// Examines one place: in how many meshes is it?
static void look(const solids *s, nc_vec3 p, double margin, nc_tiling *out)
{
    int inside = 0;
    out->samples++;
    for (int i = 0; i < s->count; i++) {
        if (!holds(nc_mesh_view(nc_solid_mesh(s->items[i])).box, p, margin))
            continue;
        if (nc_solid_distance(s->items[i], p, margin) < margin) {
            out->near++;
            return;
        }
        inside += nc_solid_winding(s->items[i], p) > 0.5;
    }
    if (inside == 0 && out->gaps++ == 0)
        out->gap = p;
    if (inside > 1 && out->overlaps++ == 0)
        out->overlap = p;
}

static void look_everywhere(const solids *s, int side, double margin, nc_tiling *out)
{
    const nc_vec3 size = nc_sub(out->box.hi, out->box.lo);
    nc_random random = {0};
    for (int k = 0; k < side; k++)
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++) {
                const double x = (i + nc_random_unit(&random)) / side;
                const double y = (j + nc_random_unit(&random)) / side;
                const double z = (k + nc_random_unit(&random)) / side;
                look(s, nc_add(out->box.lo, nc_v3(x * size.x, y * size.y, z * size.z)), margin, out);
            }
}

static void measure_tiling(const solids *s, const nc_tiling_def *def, nc_tiling *out)
{
    double volume = 0;
    *out = (nc_tiling){.box = nc_box_empty()};
    for (int i = 0; i < s->count; i++) {
        out->box = nc_box_union(out->box, nc_mesh_view(nc_solid_mesh(s->items[i])).box);
        volume += nc_solid_volume(s->items[i]);
    }
    out->volume = volume / volume_of_box(out->box);
    look_everywhere(s, def->side, def->tolerance * nc_max3(nc_sub(out->box.hi, out->box.lo)), out);
    out->tiles = fabs(out->volume - 1) <= def->tolerance && out->gaps == 0 && out->overlaps == 0;
}

nc_code nc_tiling_check(nc_mesh *const *meshes, int count, const nc_tiling_def *def, const nc_allocator *allocator,
                        nc_tiling *out, nc_error *err)
{
    solids s;
    const nc_code code = solids_create(meshes, count, allocator, &s, err);
    if (code == NC_OK)
        measure_tiling(&s, def, out);
    solids_free(&s);
    return code;
}

// ---- regions ------------------------------------------------------------------------------------------------

static nc_vec3 into_unit_box(nc_vec3 p, const void *ctx)
{
    const nc_box *box = ctx;
    const nc_vec3 size = nc_sub(box->hi, box->lo), from = nc_sub(p, box->lo);
    return nc_v3(from.x / size.x - 0.5, from.y / size.y - 0.5, from.z / size.z - 0.5);
}

// The planes of the triangles, each once.
static int planes_of(const nc_mesh *mesh, nc_plane *out)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    int count = 0;
    for (int i = 0; i < data.triangle_count; i++) {
        const nc_vec3 a = data.vertices[data.triangles[i][0]], b = data.vertices[data.triangles[i][1]];
        const nc_vec3 area = nc_cross(nc_sub(b, a), nc_sub(data.vertices[data.triangles[i][2]], a));
        if (!(nc_norm2(area) > 1e-20))
            continue;
        const nc_plane plane = {nc_unit(area), nc_dot(nc_unit(area), a)};
        bool is_new = true;
        for (int k = 0; k < count && is_new; k++)
            is_new = nc_norm(nc_sub(out[k].normal, plane.normal)) > 1e-9 || fabs(out[k].offset - plane.offset) > 1e-9;
        if (is_new)
            out[count++] = plane;
    }
    return count;
}

static nc_code add_solid(nc_pattern_builder *builder, nc_mesh *mesh, nc_error *err)
{
    const nc_mass_def def = {.matter = NC_MATTER_SOLID, .density = 1};
    nc_mass mass;
    nc_region region = {0};
    nc_code code = nc_mesh_mass(mesh, &def, &mass, err);
    if (code == NC_OK)
        code = nc_solid_create(mesh, &builder->allocator, &region.solid, err);
    if (code != NC_OK)
        return code;
    region.volume = mass.mass;
    region.center = mass.center;
    if (nc_array_push(&builder->allocator, &builder->pattern->regions, region))
        return NC_OK;
    nc_solid_destroy(region.solid);
    return nc_fail_memory(err, sizeof region);
}

// Convex is what has the volume of the intersection of its faces' half-spaces.
static nc_code add_mesh(nc_pattern_builder *builder, nc_mesh *mesh, double volume, double tolerance, nc_error *err)
{
    nc_pattern *pattern = builder->pattern;
    const int planes_before = pattern->planes.count, regions_before = pattern->regions.count;
    nc_plane planes[PLANES_MAX];
    if (nc_mesh_view(mesh).triangle_count <= PLANES_MAX) {
        const nc_code code = nc_pattern_add(builder, planes, planes_of(mesh, planes), err);
        if (code != NC_OK)
            return code;
        if (pattern->regions.count > regions_before &&
            fabs(pattern->regions.data[regions_before].volume - volume) <= tolerance * volume)
            return NC_OK;
        pattern->regions.count = regions_before;
        pattern->planes.count = planes_before;
    }
    return add_solid(builder, mesh, err);
}

static nc_code add_meshes(nc_pattern_builder *builder, const solids *s, nc_box box, double tolerance, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < s->count && code == NC_OK; i++) {
        nc_mesh *mesh = NULL;
        code = nc_mesh_map(nc_solid_mesh(s->items[i]), into_unit_box, &box, &builder->allocator, &mesh, err);
        if (code == NC_OK)
            code = add_mesh(builder, mesh, nc_solid_volume(s->items[i]) / volume_of_box(box), tolerance, err);
        nc_mesh_release(mesh);
    }
    return code;
}

static nc_code refuse(const nc_tiling *t, double tolerance, nc_error *err)
{
    if (t->gaps > 0)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the meshes do not tile their box: %d of %d places are in none of them, such as (%g, %g, %g)",
                       t->gaps, t->samples, t->gap.x, t->gap.y, t->gap.z);
    if (t->overlaps > 0)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the meshes do not tile their box: %d of %d places are in several, such as (%g, %g, %g)",
                       t->overlaps, t->samples, t->overlap.x, t->overlap.y, t->overlap.z);
    return nc_fail(err, NC_BAD_ARGUMENT,
                   "the meshes do not tile their box: their volume is %.9g of the box's, and %g off is the most",
                   t->volume, tolerance);
}

static nc_code make_pattern(const solids *s, const nc_tiling *tiling, double tolerance, nc_vec3 center, nc_vec3 normal,
                            nc_pattern **out, nc_error *err)
{
    nc_pattern *pattern = nc_alloc(&s->allocator, 1, sizeof *pattern);
    if (pattern == NULL)
        return nc_fail_memory(err, sizeof *pattern);
    pattern->allocator = s->allocator;
    pattern->center = center;
    pattern->normal = nc_unit(normal);
    nc_pattern_builder builder = {
        .pattern = pattern, .allocator = s->allocator, .piece = nc_polyhedron_create(&s->allocator)};
    const nc_code code = add_meshes(&builder, s, tiling->box, tolerance, err);
    nc_polyhedron_free(&builder.piece);
    if (code == NC_OK)
        *out = pattern;
    else
        nc_pattern_destroy(pattern);
    return code;
}

nc_code nc_pattern_from_meshes(nc_mesh *const *meshes, int count, const nc_tiling_def *def, nc_vec3 center,
                               nc_vec3 normal, const nc_allocator *allocator, nc_pattern **out, nc_error *err)
{
    solids s;
    nc_tiling tiling;
    *out = NULL;
    if (!(nc_max3(center) <= 0.5) || !(nc_norm(normal) > 0) || !nc_finite3(normal))
        return nc_fail(err, NC_BAD_ARGUMENT, "the centre of a pattern lies in the unit box, and its normal is not 0");
    nc_code code = solids_create(meshes, count, allocator, &s, err);
    if (code == NC_OK) {
        measure_tiling(&s, def, &tiling);
        code = tiling.tiles ? make_pattern(&s, &tiling, def->tolerance, center, normal, out, err)
                            : refuse(&tiling, def->tolerance, err);
    }
    solids_free(&s);
    return code;
}
