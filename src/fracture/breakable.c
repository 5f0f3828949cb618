// What is prepared once for a mesh that can break.
#include "fracture/break.h"

#define PULL_SLACK 1e-3 // [cells]
#define PULLS      6

nc_breakable_def nc_breakable_def_default(void)
{
    const nc_breakable_def def = {.matter = NC_MATTER_AUTO, .way = NC_BREAK_AUTO, .cells = 55, .workers = 1};
    return def;
}

static nc_code check_elements(const nc_mesh_data *data, nc_error *err)
{
    if (data->triangle_count == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a mesh without triangles cannot break");
    for (int e = 0; e < data->edge_count; e++)
        if (data->edge_is_free[e])
            return nc_fail(err, NC_BAD_ARGUMENT, "a mesh with free edges cannot break");
    if (data->point_count > 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a mesh with free points cannot break");
    return NC_OK;
}

static nc_code check(const nc_mesh_data *data, const nc_breakable_def *def, nc_error *err)
{
    if (def->matter == NC_MATTER_WIRE || def->matter == NC_MATTER_DUST)
        return nc_fail(err, NC_BAD_ARGUMENT, "wires and dust cannot break; solids and shells can");
    if (def->cells < 2)
        return nc_fail(err, NC_BAD_ARGUMENT, "a level set of %d cells; it must have 2 or more", def->cells);
    const nc_code code = check_elements(data, err);
    if (code != NC_OK)
        return code;
    if (def->matter == NC_MATTER_SOLID && def->way == NC_BREAK_CUT && !data->closed)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a solid whose mesh is not closed cannot be cut; it can be broken by level sets");
    return NC_OK;
}

static double measure_of(const nc_breakable *b, const nc_mesh_data *data)
{
    double sum = 0;
    const nc_vec3 middle = nc_scale(0.5, nc_add(data->box.lo, data->box.hi));
    for (int i = 0; i < data->triangle_count; i++) {
        const int *v = data->triangles[i];
        const nc_vec3 a = nc_sub(data->vertices[v[0]], middle), p = nc_sub(data->vertices[v[1]], middle);
        const nc_vec3 twice = nc_cross(nc_sub(p, a), nc_sub(nc_sub(data->vertices[v[2]], middle), a));
        sum += b->is_solid ? nc_dot(a, twice) / 6 : 0.5 * nc_norm(twice);
    }
    return sum;
}

nc_code nc_breakable_fill(const nc_breakable *breakable, const nc_allocator *allocator, nc_solid **out_solid,
                          nc_level_grid *out_level, nc_error *err)
{
    nc_level_def def = nc_level_def_default();
    def.cells = breakable->def.cells;
    def.workers = breakable->def.workers;
    *out_level = (nc_level_grid){0};
    const nc_code code = nc_solid_create(breakable->mesh, allocator, out_solid, err);
    return code == NC_OK ? nc_level_grid_build(*out_solid, &def, allocator, out_level, err) : code;
}

static bool find_facets(nc_breakable *b, nc_cut_mesh *mesh)
{
    const bool ok = nc_cut_facets_find(&b->allocator, mesh, &b->facets);
    nc_cut_mesh_free(&b->allocator, mesh);
    return ok;
}

// The body's own surface, if it can be cut: closed, and without places where it crosses itself.
static nc_code take_surface(nc_breakable *b, const nc_mesh_data *data, nc_error *err)
{
    nc_cut_mesh mesh = {0};
    b->can_cut = !b->is_solid || (data->closed && nc_mesh_self_intersections(b->mesh, NULL) == 0);
    const bool ok = !b->can_cut || (nc_cut_mesh_take(&b->allocator, &mesh, data) && find_facets(b, &mesh));
    nc_cut_mesh_free(&b->allocator, &mesh);
    return ok ? NC_OK : nc_fail_memory(err, (size_t)data->triangle_count * sizeof(nc_cut_triangle));
}

// Which way the body's surface is, seen from a place outside of it.
static nc_vec3 outward(const nc_breakable *b, nc_vec3 p)
{
    const double step = 0.01 * b->level.set.spacing;
    double g[3];
    for (int k = 0; k < 3; k++) {
        const nc_vec3 e = nc_v3(k == 0 ? step : 0, k == 1 ? step : 0, k == 2 ? step : 0);
        g[k] = nc_solid_value(b->solid, nc_add(p, e)) - nc_solid_value(b->solid, nc_sub(p, e));
    }
    const nc_vec3 gradient = nc_v3(g[0], g[1], g[2]);
    const double length = nc_norm(gradient);
    return length > 0 ? nc_scale(1 / length, gradient) : gradient;
}

// A vertex of the level set's surface moved into the body, where dual contouring put it outside.
static nc_vec3 pull_in(const nc_breakable *b, nc_vec3 p)
{
    for (int i = 0; i < PULLS; i++) {
        const double value = nc_solid_value(b->solid, p);
        if (!(value > PULL_SLACK * b->level.set.spacing))
            break;
        p = nc_madd(p, -(value + PULL_SLACK * b->level.set.spacing), outward(b, p));
    }
    return p;
}

// The surface of the body's level set, to be cut in the place of its own.
static nc_code make_surface(nc_breakable *b, nc_error *err)
{
    nc_cut_mesh mesh = {0};
    bool ok = nc_level_set_surface(&b->level.set, true, &b->allocator, &mesh);
    for (int i = 0; i < mesh.vertices.count; i++)
        mesh.vertices.data[i] = pull_in(b, mesh.vertices.data[i]);
    b->measure = nc_cut_mesh_weight(&mesh, true).measure;
    b->remade = true;
    b->can_cut = ok && mesh.triangles.count > 0;
    ok = ok && find_facets(b, &mesh);
    nc_cut_mesh_free(&b->allocator, &mesh);
    return ok ? NC_OK : nc_fail_memory(err, nc_level_grid_bytes(&b->level.set));
}

static nc_code prepare(nc_breakable *b, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(b->mesh);
    b->is_solid = b->def.matter == NC_MATTER_SOLID || (b->def.matter == NC_MATTER_AUTO && data.closed);
    b->measure = measure_of(b, &data);
    if (b->is_solid && !(b->measure > 0))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a solid of %g m^3 cannot break: it has no inside, or is inside out; faces must be "
                       "counterclockwise seen from outside",
                       b->measure);
    if (!(b->measure > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "a shell without area cannot break");
    nc_code code = NC_OK;
    if (!b->is_solid || b->def.way != NC_BREAK_LEVEL)
        code = take_surface(b, &data, err);
    if (code != NC_OK || b->can_cut)
        return code;
    if (b->def.way == NC_BREAK_CUT)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a solid whose surface crosses itself cannot be cut; it can be broken by "
                       "level sets");
    code = nc_breakable_fill(b, &b->allocator, &b->solid, &b->level, err);
    return code == NC_OK && b->def.way == NC_BREAK_AUTO ? make_surface(b, err) : code;
}

nc_code nc_breakable_create(nc_mesh *mesh, const nc_breakable_def *def, const nc_allocator *allocator,
                            nc_breakable **out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    const nc_mesh_data data = nc_mesh_view(mesh);
    *out = NULL;
    nc_code code = check(&data, def, err);
    if (code != NC_OK)
        return code;
    nc_breakable *b = nc_alloc(&memory, 1, sizeof *b);
    if (b == NULL)
        return nc_fail_memory(err, sizeof *b);
    b->allocator = memory;
    b->mesh = nc_mesh_retain(mesh);
    b->def = *def;
    code = prepare(b, err);
    if (code != NC_OK) {
        nc_breakable_destroy(b);
        return code;
    }
    *out = b;
    return NC_OK;
}

void nc_breakable_destroy(nc_breakable *b)
{
    if (b == NULL)
        return;
    const nc_allocator memory = b->allocator;
    nc_level_grid_free(&b->level);
    nc_cut_facets_free(&memory, &b->facets);
    nc_solid_destroy(b->solid);
    nc_mesh_release(b->mesh);
    nc_free(&memory, b, 1, sizeof *b);
}

nc_mesh *nc_breakable_mesh(const nc_breakable *breakable)
{
    return breakable->mesh;
}

bool nc_breakable_is_solid(const nc_breakable *breakable)
{
    return breakable->is_solid;
}

size_t nc_breakable_bytes(const nc_breakable *breakable)
{
    return sizeof *breakable + (size_t)breakable->facets.mesh.vertices.capacity * sizeof(nc_vec3) +
           (size_t)breakable->facets.mesh.triangles.capacity * sizeof(nc_cut_triangle) +
           (size_t)breakable->facets.normals.capacity * sizeof(nc_vec3) +
           (breakable->level.values != NULL ? nc_level_grid_bytes(&breakable->level.set) : 0);
}
