// Shapes: meshes from files and procedures, and the mass of bodies made of them.
#include "scene/description.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PARAMETERS 32

static const nc_shape_info *find_procedure(const char *name, const char **names, int *name_count)
{
    int count;
    const nc_shape_info *list = nc_shape_list(&count);
    *name_count = count < 64 ? count : 64;
    for (int i = 0; i < *name_count; i++)
        names[i] = list[i].name;
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

// Puts the place of a shape on an error of the mesh code.
static nc_code at_shape(nc_code code, const nc_node *node, nc_error *err)
{
    if (code == NC_OK || code == NC_OUT_OF_MEMORY || err == NULL)
        return code == NC_OK || code == NC_OUT_OF_MEMORY ? code : NC_BAD_SCENE;
    const nc_error cause = *err;
    return nc_node_fail(err, node, "%.600s", cause.text);
}

static nc_code generate(nc_scene *scene, const nc_node *map, const nc_shape_info *info, nc_mesh **out, nc_error *err)
{
    nc_shape_parameter parameters[MAX_PARAMETERS];
    int count = 0;
    for (int i = 0; i < info->parameter_count && count < MAX_PARAMETERS; i++) {
        const nc_node *node = nc_node_find(map, info->parameters[i].name);
        if (node == NULL)
            continue;
        parameters[count].name = info->parameters[i].name;
        const nc_code code = nc_parameter_read(&info->parameters[i], node, &parameters[count++].value, err);
        if (code != NC_OK)
            return code;
    }
    return at_shape(nc_shape_create(info->name, parameters, count, &scene->allocator, out, err), map, err);
}

static nc_code load_file(nc_scene *scene, const nc_node *node, nc_mesh **out, nc_appearance *look, nc_error *err)
{
    const char *slash = strrchr(scene->path, '/');
    const int directory = node->text[0] == '/' || slash == NULL ? 0 : (int)(slash - scene->path) + 1;
    const char *path = nc_pool_format(&scene->pool, "%.*s%s", directory, scene->path, node->text);
    if (path == NULL)
        return nc_fail_memory(err, strlen(node->text));
    nc_mesh_file_info info = {0};
    const nc_code code = nc_mesh_load(path, &scene->allocator, out, &info, err);
    // A broken mesh names its own line; a missing one is the scene's mistake.
    if (code == NC_NOT_FOUND || code == NC_IO) {
        const nc_error cause = err != NULL ? *err : (nc_error){0};
        return nc_node_fail(err, node, "\"%.200s\": %.400s", path, cause.text);
    }
    if (code != NC_OK)
        return code;
    *look = info.appearance;
    if (info.dropped_elements > 0 || info.single_precision)
        return nc_scene_add_note(scene, err, "mesh %s: %s%s%d degenerate elements left out", path, info.format,
                                 info.single_precision ? ", coordinates rounded to float32, " : ", ",
                                 info.dropped_elements);
    return NC_OK;
}

// The closed mesh of a solid, and a note that says how far the two are apart.
static nc_code mesh_solid(nc_scene *scene, const nc_node *node, const nc_shape_keys *keys, nc_mesh **out, nc_error *err)
{
    nc_solid *solid = nc_alloc(&scene->allocator, 1, sizeof *solid);
    if (solid == NULL)
        return nc_fail_memory(err, sizeof *solid);
    nc_code code = nc_solid_read(keys->csg, solid, err);
    if (code == NC_OK) {
        const nc_csg csg = {solid->nodes, solid->count};
        const nc_csg_mesh_def def = {.cell = isnan(keys->cell) ? 0 : keys->cell};
        nc_csg_mesh_info info;
        code = at_shape(nc_csg_mesh(&csg, &def, &scene->allocator, out, &info, err), keys->csg, err);
        if (code == NC_OK)
            code = nc_scene_add_note(scene, err,
                                     "solid of \"%s\": cells of %.3g m; proven: its surface is within %.3g m of the "
                                     "mesh, the mesh within %.3g m of it",
                                     node->key != NULL ? node->key : "", info.cell, info.beyond, info.off);
    }
    nc_free(&scene->allocator, solid, 1, sizeof *solid);
    return code;
}

static nc_code scale_mesh(nc_scene *scene, const nc_node *node, nc_vec3 scale, nc_mesh **mesh, nc_error *err)
{
    if (scale.x == 1 && scale.y == 1 && scale.z == 1)
        return NC_OK;
    const nc_mesh_data data = nc_mesh_view(*mesh);
    const size_t vertices = (size_t)data.vertex_count, edges = (size_t)data.edge_count;
    nc_vec3 *moved = nc_alloc(&scene->allocator, vertices, sizeof *moved);
    int(*free_edges)[2] = edges > 0 ? nc_alloc(&scene->allocator, edges, sizeof *free_edges) : NULL;
    nc_code code = NC_OK;
    nc_mesh *scaled = NULL;
    if (moved == NULL || (edges > 0 && free_edges == NULL)) {
        code = nc_fail_memory(err, vertices * sizeof *moved);
    } else {
        int free_count = 0;
        for (size_t i = 0; i < vertices; i++)
            moved[i] = nc_v3(data.vertices[i].x * scale.x, data.vertices[i].y * scale.y, data.vertices[i].z * scale.z);
        for (size_t i = 0; i < edges; i++)
            if (data.edge_is_free[i])
                memcpy(free_edges[free_count++], data.edges[i], sizeof *free_edges);
        const nc_mesh_def def = {.vertices = moved,
                                 .vertex_count = data.vertex_count,
                                 .triangles = data.triangles,
                                 .triangle_count = data.triangle_count,
                                 .edges = (const int(*)[2])free_edges,
                                 .edge_count = free_count,
                                 .points = data.points,
                                 .point_count = data.point_count};
        code = at_shape(nc_mesh_create(&def, &scene->allocator, &scaled, err), node, err);
    }
    nc_free(&scene->allocator, moved, vertices, sizeof *moved);
    nc_free(&scene->allocator, free_edges, edges, sizeof *free_edges);
    if (code == NC_OK) {
        nc_mesh_release(*mesh);
        *mesh = scaled;
    }
    return code;
}

static void find_ball(nc_scene_shape *shape)
{
    const nc_mesh_data data = nc_mesh_view(shape->mesh);
    shape->ball_center = nc_scale(0.5, nc_add(data.box.lo, data.box.hi));
    double far = 0;
    for (int i = 0; i < data.vertex_count; i++) {
        const nc_vec3 d = nc_sub(data.vertices[i], shape->ball_center);
        far = fmax(far, nc_dot(d, d));
    }
    shape->ball_radius = sqrt(far) * (1 + 1e-15);
}

static nc_code check_mass_keys(const nc_node *node, const nc_mass_keys *mass, nc_error *err)
{
    const bool density = !isnan(mass->density) || !isnan(mass->area_density);
    if (!isnan(mass->mass) && density)
        return nc_node_fail(err, node, "found mass and a density; allowed: one of them");
    if (!isnan(mass->density) && !isnan(mass->area_density))
        return nc_node_fail(err, node, "found density and area_density; allowed: one of them");
    if (!isnan(mass->center.x) && isnan(mass->inertia[0]))
        return nc_node_fail(err, node, "found center without inertia; allowed: both, or inertia alone");
    return NC_OK;
}

// Reads the keys of a shape; `info` is the procedure it names, or NULL.
static nc_code read_shape_keys(const nc_node *node, nc_shape_keys *keys, const nc_shape_info **info, nc_error *err)
{
    const nc_node *generate_node = nc_node_find(node, "generate");
    const nc_node *csg = nc_node_find(node, "csg"), *cell = nc_node_find(node, "cell"), *scale;
    const char *names[64], *parameters[MAX_PARAMETERS];
    int name_count = 0, parameter_count = 0;
    if ((generate_node != NULL) + (nc_node_find(node, "file") != NULL) + (csg != NULL) != 1)
        return nc_node_fail(err, node,
                            "allowed: one of generate (a procedural shape), file (a mesh file) and csg (a solid)");
    if (cell != NULL && csg == NULL)
        return nc_node_fail(err, cell, "only solids (csg) are made of cells");
    if (csg != NULL && (scale = nc_node_find(node, "scale")) != NULL)
        return nc_node_fail(err, scale, "a solid (csg) has no scale; give its parts other sizes");
    *info = NULL;
    if (generate_node != NULL) {
        *info = find_procedure(generate_node->text, names, &name_count);
        if (*info == NULL)
            return nc_fail_unknown_name(generate_node, "shape", names, name_count, err);
        for (int i = 0; i < (*info)->parameter_count && i < MAX_PARAMETERS; i++)
            parameters[parameter_count++] = (*info)->parameters[i].name;
    }
    nc_key_block_defaults(&nc_shape_block, keys);
    const nc_code code = nc_key_block_read_with(&nc_shape_block, node, parameters, parameter_count, keys, err);
    if (code == NC_OK && keys->unit >= 0)
        return nc_node_fail(err, nc_node_find(node, "unit"),
                            "a unit cannot be overridden: lengths are in metres when overrides are applied; set scale");
    return code == NC_OK ? check_mass_keys(node, &keys->mass, err) : code;
}

// The mesh that a shape's map describes; its keys go to *keys, what its file says of its looks to *look.
static nc_code make_mesh(nc_scene *scene, const nc_node *node, nc_shape_keys *keys, nc_mesh **out, nc_appearance *look,
                         nc_error *err)
{
    const nc_shape_info *info = NULL;
    nc_mesh *mesh = NULL;
    nc_code code = read_shape_keys(node, keys, &info, err);
    if (code == NC_OK)
        code = info != NULL        ? generate(scene, node, info, &mesh, err)
               : keys->csg != NULL ? mesh_solid(scene, node, keys, &mesh, err)
                                   : load_file(scene, nc_node_find(node, "file"), &mesh, look, err);
    if (code == NC_OK)
        code = scale_mesh(scene, node, keys->scale, &mesh, err);
    if (code != NC_OK) {
        nc_mesh_release(mesh);
        mesh = NULL;
    }
    *out = mesh;
    return code;
}

nc_code nc_scene_read_mesh(nc_scene *scene, const nc_node *node, nc_mesh **out, nc_error *err)
{
    nc_shape_keys keys;
    nc_appearance unused;
    return make_mesh(scene, node, &keys, out, &unused, err);
}

static nc_code read_shape(nc_scene *scene, const nc_node *node, nc_error *err)
{
    nc_shape_keys keys = {.fracture = NULL};
    nc_scene_shape shape = {.name = node->key, .node = node};
    nc_code code = nc_name_check(node, node->key, err);
    if (code == NC_OK)
        code = make_mesh(scene, node, &keys, &shape.mesh, &shape.appearance, err);
    if (code != NC_OK)
        return code;
    shape.mass = keys.mass;
    shape.fracture = keys.fracture;
    shape.appearance = nc_appearance_merge(shape.appearance, nc_look_appearance(&keys.look));
    find_ball(&shape);
    if (nc_array_push(&scene->allocator, &scene->shapes, shape))
        return NC_OK;
    nc_mesh_release(shape.mesh);
    return nc_fail_memory(err, sizeof shape);
}

nc_code nc_scene_read_shapes(nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *shapes = scene->keys.shapes;
    for (const nc_node *node = shapes != NULL ? shapes->first : NULL; node != NULL && code == NC_OK; node = node->next)
        code = read_shape(scene, node, err);
    return code;
}

nc_code nc_scene_find_shape(const nc_scene *scene, const nc_node *node, const char *name, int *out, nc_error *err)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < scene->shapes.count; i++) {
        *out = i;
        if (strcmp(scene->shapes.data[i].name, name) == 0)
            return NC_OK;
        if (count < 64)
            names[count++] = scene->shapes.data[i].name;
    }
    const int nearest = nc_nearest_name(name, names, count);
    return nc_node_fail(err, node, "there is no shape \"%.64s\" under shapes%s%s%s", name,
                        nearest >= 0 ? "; did you mean \"" : "", nearest >= 0 ? names[nearest] : "",
                        nearest >= 0 ? "\"?" : "");
}

// ---- mass ---------------------------------------------------------------------------------------------------

// Keys of the body over those of its shape. Naming a total or a density replaces what the shape says of either.
static nc_mass_keys merge_mass(const nc_mass_keys *shape, const nc_mass_keys *body)
{
    nc_mass_keys merged = *shape;
    if (!isnan(body->mass) || !isnan(body->density) || !isnan(body->area_density)) {
        merged.mass = body->mass;
        merged.density = body->density;
        merged.area_density = body->area_density;
    }
    if (!isnan(body->thickness))
        merged.thickness = body->thickness;
    if (body->matter >= 0)
        merged.matter = body->matter;
    if (!isnan(body->inertia[0])) {
        memcpy(merged.inertia, body->inertia, sizeof merged.inertia);
        merged.center = body->center;
    }
    return merged;
}

static nc_mass_def mass_definition(const nc_mass_keys *keys)
{
    nc_mass_def def = {.matter = keys->matter < 0 ? NC_MATTER_AUTO : (nc_matter)keys->matter};
    def.mass = isnan(keys->mass) ? 0 : keys->mass;
    def.area_density = isnan(keys->area_density) ? 0 : keys->area_density;
    def.density = isnan(keys->density) ? 1000 : keys->density;
    def.thickness = isnan(keys->thickness) ? 0.01 : keys->thickness;
    return def;
}

// An explicit inertia, about the centre given or that of the geometry.
static nc_code add_inertia(const nc_mesh *mesh, const nc_mass_keys *keys, nc_mass_def *def, nc_error *err)
{
    const double *i = keys->inertia;
    nc_mass uniform;
    def->center = keys->center;
    if (isnan(keys->center.x)) {
        const nc_code code = nc_mesh_mass(mesh, def, &uniform, err);
        if (code != NC_OK)
            return code;
        def->center = uniform.center;
    }
    def->has_inertia = true;
    def->inertia.row[0] = nc_v3(i[0], i[3], i[4]);
    def->inertia.row[1] = nc_v3(i[3], i[1], i[5]);
    def->inertia.row[2] = nc_v3(i[4], i[5], i[2]);
    return NC_OK;
}

static nc_code note_mass(nc_scene *scene, const nc_scene_shape *shape, const nc_mass_def *def, const nc_mass *mass,
                         nc_error *err)
{
    static const char *const words[] = {"auto", "solid", "shell", "wire", "dust"};
    const nc_mesh_data data = nc_mesh_view(shape->mesh);
    char how[96];
    if (def->has_inertia)
        snprintf(how, sizeof how, "mass and inertia given");
    else if (def->mass > 0)
        snprintf(how, sizeof how, "mass given, spread evenly");
    else if (mass->matter == NC_MATTER_SHELL && def->area_density > 0)
        snprintf(how, sizeof how, "%.6g kg/m^2", def->area_density);
    else if (mass->matter == NC_MATTER_SOLID)
        snprintf(how, sizeof how, "%.6g kg/m^3", def->density);
    else
        snprintf(how, sizeof how, "%.6g kg/m^3, %.6g m thick", def->density, def->thickness);
    return nc_scene_add_note(scene, err, "shape \"%s\": %s, %d triangle%s, %s: %s, %.6g kg", shape->name,
                             data.closed ? "closed" : "open", data.triangle_count, data.triangle_count == 1 ? "" : "s",
                             words[mass->matter], how, mass->mass);
}

// Masses that are seldom meant: a part in millimetres that was read as metres has a billion times its mass.
#define HEAVIEST_USUAL 1e5  // [kg] of a shape
#define LIGHTEST_USUAL 1e-9 // [kg]

static nc_code question_mass(nc_scene *scene, const nc_scene_shape *shape, double mass, nc_error *err)
{
    const nc_mesh_data data = nc_mesh_view(shape->mesh);
    const double size = nc_norm(nc_sub(data.box.hi, data.box.lo));
    if (mass <= HEAVIEST_USUAL && mass >= LIGHTEST_USUAL)
        return NC_OK;
    return nc_scene_add_note(scene, err,
                             "shape \"%s\": %.3g %s and %.3g m across: is that meant? If its lengths are in another "
                             "unit, say so in the shape, such as unit: %s",
                             shape->name, mass > HEAVIEST_USUAL ? mass / 1000 : mass,
                             mass > HEAVIEST_USUAL ? "t" : "kg", size, mass > HEAVIEST_USUAL ? "mm" : "m");
}

nc_code nc_scene_mass(nc_scene *scene, int row, const nc_body_keys *body, nc_mass_def *out, nc_error *err)
{
    nc_scene_shape *shape = &scene->shapes.data[row];
    nc_code code = check_mass_keys(body->node, &body->mass, err);
    if (code != NC_OK)
        return code;
    const nc_mass_keys keys = merge_mass(&shape->mass, &body->mass);
    if (!isnan(keys.inertia[0]) && isnan(keys.mass))
        return nc_node_fail(err, body->node, "found inertia without mass; allowed: both");
    *out = mass_definition(&keys);
    nc_mass mass;
    if (!isnan(keys.inertia[0]))
        code = add_inertia(shape->mesh, &keys, out, err);
    if (code == NC_OK)
        code = nc_mesh_mass(shape->mesh, out, &mass, err);
    if (code != NC_OK)
        return at_shape(code, body->node, err);
    if (shape->used || scene->dry)
        return NC_OK;
    shape->used = true;
    code = note_mass(scene, shape, out, &mass, err);
    return code == NC_OK && isnan(keys.mass) ? question_mass(scene, shape, mass.mass, err) : code;
}
