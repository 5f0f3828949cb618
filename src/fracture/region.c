// Regions of a pattern: how one is added, and what is asked of them.
#include "fracture/pattern.h"

nc_box nc_unit_box(void)
{
    const nc_box box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    return box;
}

nc_vec3 nc_unit(nc_vec3 v)
{
    const double length = nc_norm(v);
    return length > 0 ? nc_scale(1.0 / length, v) : v;
}

nc_vec3 nc_random_in_box(nc_random *random, nc_box box)
{
    const double x = nc_random_range(random, box.lo.x, box.hi.x);
    const double y = nc_random_range(random, box.lo.y, box.hi.y);
    return nc_v3(x, y, nc_random_range(random, box.lo.z, box.hi.z));
}

// The planes of the unit box in the order of nc_polyhedron_box's tags.
static nc_plane box_plane(int side)
{
    const double sign = side % 2 ? 1.0 : -1.0;
    const int axis = side / 2;
    const nc_plane plane = {{axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0}, 0.5};
    return plane;
}

// ---- adding -------------------------------------------------------------------------------------------------

static bool cut_piece(nc_polyhedron *piece, const nc_plane *planes, int count)
{
    if (!nc_polyhedron_box(piece, nc_unit_box()))
        return false;
    for (int i = 0; i < count; i++)
        if (!nc_polyhedron_clip(piece, &planes[i], i))
            return false;
    return true;
}

nc_code nc_pattern_add(nc_pattern_builder *builder, const nc_plane *planes, int count, nc_error *err)
{
    nc_pattern *pattern = builder->pattern;
    nc_polyhedron *piece = &builder->piece;
    if (!cut_piece(piece, planes, count))
        return nc_fail_memory(err, (size_t)count * sizeof *planes);
    nc_region region = {.first_plane = pattern->planes.count, .plane_count = piece->faces.count};
    region.volume = nc_polyhedron_volume(piece, &region.center);
    if (!(region.volume > NC_REGION_VOLUME_MIN))
        return NC_OK;
    if (pattern->regions.count == NC_PATTERN_REGIONS_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "the pattern has more than %d regions", NC_PATTERN_REGIONS_MAX);
    for (int f = 0; f < piece->faces.count; f++) {
        const int tag = piece->faces.data[f].tag;
        const nc_plane plane = tag >= 0 ? planes[tag] : box_plane(-1 - tag);
        if (!nc_array_push(&builder->allocator, &pattern->planes, plane))
            return nc_fail_memory(err, sizeof plane);
    }
    if (!nc_array_push(&builder->allocator, &pattern->regions, region))
        return nc_fail_memory(err, sizeof region);
    return NC_OK;
}

// ---- asking -------------------------------------------------------------------------------------------------

// The value, or something above `enough` as soon as it is known to be.
static double value_up_to(const nc_pattern *pattern, const nc_region *region, nc_vec3 p, double enough)
{
    if (region->solid != NULL)
        return nc_solid_value(region->solid, p);
    const nc_plane *planes = &pattern->planes.data[region->first_plane];
    double value = -INFINITY;
    for (int i = 0; i < region->plane_count && !(value > enough); i++)
        value = fmax(value, nc_plane_value(&planes[i], p));
    return value;
}

double nc_region_value(const nc_pattern *pattern, int region, nc_vec3 p)
{
    return value_up_to(pattern, &pattern->regions.data[region], p, INFINITY);
}

int nc_pattern_region_of(const nc_pattern *pattern, nc_vec3 p)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < pattern->regions.count; i++) {
        const double value = value_up_to(pattern, &pattern->regions.data[i], p, least);
        if (value < least) {
            least = value;
            best = i;
        }
    }
    return best;
}

nc_code nc_region_polyhedron(const nc_pattern *pattern, int region, nc_polyhedron *out, nc_error *err)
{
    const nc_region *r = &pattern->regions.data[region];
    if (r->solid != NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "region %d of the pattern is not convex", region);
    if (!cut_piece(out, &pattern->planes.data[r->first_plane], r->plane_count))
        return nc_fail_memory(err, (size_t)r->plane_count * sizeof(nc_plane));
    return NC_OK;
}

nc_code nc_region_mesh(const nc_pattern *pattern, int region, nc_mesh **out, nc_error *err)
{
    const nc_solid *solid = pattern->regions.data[region].solid;
    *out = solid != NULL ? nc_mesh_retain(nc_solid_mesh(solid)) : NULL;
    if (solid != NULL)
        return NC_OK;
    nc_polyhedron piece = nc_polyhedron_create(&pattern->allocator);
    nc_code code = nc_region_polyhedron(pattern, region, &piece, err);
    if (code == NC_OK)
        code = nc_polyhedron_mesh(&piece, out, err);
    nc_polyhedron_free(&piece);
    return code;
}
