// Bodies that are declared breakable, and what their breaking needs: patterns, and level sets of meshes, each made
// once.
#include "step/fracture_setup.h"

#include <string.h>

#define MAX_CELLS 1000

// ---- what is ready ------------------------------------------------------------------------------------------

static nc_code make_pattern(const nc_world *world, const nc_fracture *how, nc_pattern **out, nc_error *err)
{
    const nc_allocator *allocator = &world->settings.allocator;
    nc_shape_parameter parameters[NC_FRACTURE_PARAMETERS];
    for (int i = 0; i < how->parameter_count; i++)
        parameters[i] = (nc_shape_parameter){how->parameter[i], how->value[i]};
    if (how->mesh_count == 0)
        return nc_pattern_create(how->pattern, parameters, how->parameter_count, how->seed, allocator, out, err);
    nc_mesh **meshes = nc_alloc(allocator, (size_t)how->mesh_count, sizeof *meshes);
    if (meshes == NULL)
        return nc_fail_memory(err, (size_t)how->mesh_count * sizeof *meshes);
    for (int i = 0; i < how->mesh_count; i++)
        meshes[i] = world->meshes.data[how->first_mesh + i].mesh;
    const nc_tiling_def tiling = {NC_TILING_TOLERANCE, NC_TILING_SIDE};
    const nc_code code =
        nc_pattern_from_meshes(meshes, how->mesh_count, &tiling, how->center, how->normal, allocator, out, err);
    nc_free(allocator, meshes, (size_t)how->mesh_count, sizeof *meshes);
    return code;
}

nc_code nc_prepared_pattern_get(nc_world *world, const nc_fracture *how, const nc_pattern **out, nc_error *err)
{
    nc_workspace *work = world->workspace;
    nc_prepared_pattern ready = {*how, NULL};
    for (int i = 0; i < work->fracture.patterns.count; i++)
        if (nc_fracture_equal(&work->fracture.patterns.data[i].how, how)) {
            *out = work->fracture.patterns.data[i].pattern;
            return NC_OK;
        }
    nc_code code = make_pattern(world, how, &ready.pattern, err);
    if (code == NC_OK && !nc_array_push(&work->allocator, &work->fracture.patterns, ready)) {
        nc_pattern_destroy(ready.pattern);
        code = nc_fail_memory(err, sizeof ready);
    }
    *out = code == NC_OK ? ready.pattern : NULL;
    return code;
}

nc_breakable_def nc_fracture_breakable_def(const nc_world *world, const nc_fracture *how)
{
    nc_breakable_def def = nc_breakable_def_default();
    def.matter = how->mass.matter;
    def.way = (nc_break_method)how->way;
    def.cells = how->cells;
    def.workers = world->settings.workers;
    return def;
}

nc_code nc_prepared_mesh_get(nc_world *world, const nc_fracture *how, nc_mesh *mesh, const nc_breakable **out,
                             nc_error *err)
{
    nc_workspace *work = world->workspace;
    nc_prepared_mesh ready = {nc_fracture_breakable_def(world, how), NULL};
    for (int i = 0; i < work->fracture.breakable.count; i++) {
        const nc_prepared_mesh *known = &work->fracture.breakable.data[i];
        if (nc_breakable_mesh(known->breakable) == mesh && known->def.matter == ready.def.matter &&
            known->def.way == ready.def.way && known->def.cells == ready.def.cells) {
            *out = known->breakable;
            return NC_OK;
        }
    }
    nc_code code = nc_breakable_create(mesh, &ready.def, &work->allocator, &ready.breakable, err);
    if (code == NC_OK && !nc_array_push(&work->allocator, &work->fracture.breakable, ready)) {
        nc_breakable_destroy(ready.breakable);
        code = nc_fail_memory(err, sizeof ready);
    }
    *out = code == NC_OK ? ready.breakable : NULL;
    return code;
}

// ---- declaring ----------------------------------------------------------------------------------------------

static nc_code check_numbers(const nc_fracture_def *def, nc_error *err)
{
    if (!(def->threshold > 0) || !isfinite(def->threshold))
        return nc_fail(err, NC_BAD_ARGUMENT, "threshold is %g N s; it must be above 0 and finite", def->threshold);
    if (!(def->gap >= 0) || !isfinite(def->gap))
        return nc_fail(err, NC_BAD_ARGUMENT, "gap is %g m; it must be at least 0", def->gap);
    if (!(def->crumb >= 0 && def->crumb < 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "crumb is %g; it must lie in [0, 1)", def->crumb);
    if (def->cells < 2 || def->cells > MAX_CELLS)
        return nc_fail(err, NC_BAD_ARGUMENT, "cells is %d; it must lie in [2, %d]", def->cells, MAX_CELLS);
    if (def->generations < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "generations is %d; it must be at least 1", def->generations);
    if ((int)def->way < NC_FRACTURE_AUTO || (int)def->way > NC_FRACTURE_LEVEL)
        return nc_fail(err, NC_BAD_ARGUMENT, "way is %d; it must be one of its enumeration's values", (int)def->way);
    return NC_OK;
}

static nc_code check_pattern(const nc_fracture_def *def, nc_error *err)
{
    const bool meshes = def->mesh_count > 0 && def->meshes != NULL;
    if ((def->pattern != NULL) == meshes)
        return nc_fail(err, NC_BAD_ARGUMENT, "a fracture needs the name of a pattern, or meshes, and not both");
    if (def->parameter_count < 0 || def->parameter_count > NC_FRACTURE_PARAMETERS ||
        (def->parameter_count > 0 && def->parameters == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "parameter_count is %d; at most %d are taken", def->parameter_count,
                       NC_FRACTURE_PARAMETERS);
    if (!nc_finite3(def->center) || !nc_finite3(def->normal))
        return nc_fail(err, NC_BAD_ARGUMENT, "the centre or the normal of a pattern is not finite");
    return NC_OK;
}

// A name into an array of NC_FRACTURE_NAME. One that does not fit is none that is known.
static nc_code copy_name(char *out, const char *name, nc_error *err)
{
    const size_t size = strlen(name) + 1;
    if (size > NC_FRACTURE_NAME)
        return nc_fail(err, NC_NOT_FOUND, "there is no pattern or parameter \"%.60s\"", name);
    memcpy(out, name, size);
    return NC_OK;
}

// Puts the meshes of a pattern into the world's table, once.
static nc_code add_meshes(nc_world *world, const nc_fracture_def *def, nc_fracture *how, nc_error *err)
{
    nc_code code = NC_OK;
    how->mesh_count = def->mesh_count;
    for (how->first_mesh = 0; how->first_mesh + def->mesh_count <= world->meshes.count; how->first_mesh++) {
        int same = 0;
        while (same < def->mesh_count && world->meshes.data[how->first_mesh + same].mesh == def->meshes[same])
            same++;
        if (same == def->mesh_count)
            return NC_OK;
    }
    how->first_mesh = world->meshes.count;
    for (int i = 0; i < def->mesh_count && code == NC_OK; i++)
        code = nc_world_add_mesh(world, def->meshes[i], err);
    return code;
}

static nc_code fracture_of(nc_world *world, const nc_fracture_def *def, nc_fracture *out, nc_error *err)
{
    *out = (nc_fracture){.threshold = def->threshold,
                         .gap = def->gap,
                         .crumb = def->crumb,
                         .parameter_count = def->parameter_count,
                         .seed = def->seed,
                         .center = def->center,
                         .normal = def->normal,
                         .way = def->way,
                         .cells = def->cells,
                         .generations = def->generations,
                         .aligned = def->aligned,
                         .mass = def->mass};
    nc_code code = def->pattern != NULL ? copy_name(out->pattern, def->pattern, err) : NC_OK;
    for (int i = 0; i < def->parameter_count && code == NC_OK; i++) {
        code = copy_name(out->parameter[i], def->parameters[i].name, err);
        out->value[i] = def->parameters[i].value;
        if (code == NC_OK && !isfinite(out->value[i]))
            code = nc_fail(err, NC_BAD_ARGUMENT, "%s is %g; it must be finite", out->parameter[i], out->value[i]);
    }
    return code == NC_OK && def->mesh_count > 0 ? add_meshes(world, def, out, err) : code;
}

// The pieces of a static body must weigh something.
static nc_code check_mass(const nc_mesh *mesh, nc_body_type type, const nc_fracture *how, nc_error *err)
{
    nc_mass mass;
    return type == NC_STATIC ? nc_mesh_mass(mesh, &how->mass, &mass, err) : NC_OK;
}

static nc_code prepare(nc_world *world, int row, const nc_fracture_def *def, nc_fracture *how, nc_error *err)
{
    nc_bodies *bodies = &world->state.bodies;
    nc_mesh *mesh = world->meshes.data[bodies->mesh[row]].mesh;
    const nc_pattern *pattern;
    const nc_breakable *breakable;
    nc_code code = fracture_of(world, def, how, err);
    if (code == NC_OK)
        code = check_mass(mesh, (nc_body_type)bodies->type[row], how, err);
    if (code == NC_OK)
        code = nc_prepared_pattern_get(world, how, &pattern, err);
    if (code == NC_OK)
        code = nc_prepared_mesh_get(world, how, mesh, &breakable, err);
    return code;
}

nc_code nc_body_set_fracture(nc_world *world, nc_body_id body, const nc_fracture_def *def, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "body %u of generation %u does not exist (any more)", body.index,
                       body.generation);
    nc_bodies *bodies = &world->state.bodies;
    if (def == NULL) {
        bodies->fracture[row] = -1;
        return NC_OK;
    }
    if (bodies->type[row] == NC_KINEMATIC)
        return nc_fail(err, NC_BAD_ARGUMENT, "a kinematic body does not break");
    nc_fracture how;
    int fracture = -1;
    const int meshes = world->meshes.count;
    nc_code code = check_numbers(def, err);
    if (code == NC_OK)
        code = check_pattern(def, err);
    if (code == NC_OK)
        code = nc_workspace_ensure(world, err);
    if (code == NC_OK)
        code = prepare(world, row, def, &how, err);
    if (code == NC_OK && !nc_state_add_fracture(&world->state, &how, &world->settings.allocator, &fracture))
        code = nc_fail_memory(err, sizeof how);
    if (code != NC_OK) {
        nc_world_shrink_meshes(world, meshes);
        return code;
    }
    bodies->fracture[row] = fracture;
    bodies->cracks[row] = 0;
    return NC_OK;
}
