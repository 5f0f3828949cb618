// Cloth worlds: making them, adding objects, frames as transactions, reading.
#include "cloth/world.h"

#include <string.h>

// ---- life ---------------------------------------------------------------------------------------------------

nc_code nc_cloth_world_create(const nc_cloth_world_def *def, nc_cloth_world **out, nc_error *err)
{
    const nc_code code = nc_cloth_check_settings(def, err);
    if (code != NC_OK)
        return code;
    const nc_allocator a = nc_allocator_or_default(def->allocator.resize != NULL ? &def->allocator : NULL);
    nc_cloth_world *world = nc_alloc(&a, 1, sizeof *world);
    if (world == NULL)
        return nc_fail_memory(err, sizeof *world);
    world->allocator = a;
    world->model.allocator = a;
    world->model.settings = *def;
    world->model.unit = ldexp(def->frame_dt, -NC_CLOTH_LEVELS);
    for (int level = 0; level <= NC_CLOTH_LEVELS; level++)
        world->model.step[level] = ldexp(def->frame_dt, -level);
    const nc_code built = nc_cloth_layers_build(&a, def->max_layer, &world->model.layers, err);
    if (built != NC_OK) {
        nc_cloth_world_destroy(world);
        return built;
    }
    *out = world;
    return NC_OK;
}

void nc_cloth_world_destroy(nc_cloth_world *world)
{
    if (world == NULL)
        return;
    const nc_allocator a = world->allocator;
    nc_cloth_scripts_free(world);
    nc_cloth_elastic_free(&world->elastic, &a);
    nc_free(&a, world->states, (size_t)world->model.vertex_capacity, sizeof *world->states);
    nc_free(&a, world->trace.pieces, (size_t)world->trace.capacity, sizeof *world->trace.pieces);
    nc_cloth_start_undo(world);
    nc_cloth_contacts_free(&a, &world->contacts);
    nc_cloth_islands_free(&world->islands, &a);
    nc_cloth_rollback_diff_free(&world->rollback_diff, &a);
    nc_array_free(&a, &world->needs);
    nc_cloth_model_free(&world->model);
    nc_free(&a, world, 1, sizeof *world);
}

nc_code nc_cloth_add(nc_cloth_world *world, const nc_cloth_def *def, int *out, nc_error *err)
{
    if (world->started)
        return nc_fail(err, NC_BAD_ARGUMENT, "objects can only be added before the first step");
    return nc_cloth_object_add(world, def, out, err);
}

// ---- stepping -----------------------------------------------------------------------------------------------

nc_code nc_cloth_step(nc_cloth_world *world, nc_cloth_report *report, nc_error *err)
{
    nc_code code = world->started ? NC_OK : nc_cloth_start(world, err);
    if (code != NC_OK)
        return code;
    const double begin = nc_wall_clock();
    const size_t count = (size_t)world->model.vertex_count;
    memcpy(world->kept, world->states, count * sizeof *world->states);
    memset(world->kicks, 0, count * sizeof *world->kicks);
    world->seconds_find = world->seconds_audit = world->seconds_elastic = world->seconds_contact = 0;
    world->counts = (nc_cloth_counts){.smallest_distance = INFINITY};
    code = nc_cloth_run_frame(world, err);
    if (code != NC_OK) {
        memcpy(world->states, world->kept, count * sizeof *world->states);
        nc_cloth_trace_forget(world, world->frame * NC_CLOTH_TICKS_PER_FRAME, world->frame * NC_CLOTH_TICKS_PER_FRAME);
        return code;
    }
    world->frame++;
    if (report != NULL) {
        code = nc_cloth_measure(world, report, err);
        report->seconds_find = world->seconds_find;
        report->seconds_elastic = world->seconds_elastic;
        report->seconds_contact = world->seconds_contact;
        report->seconds_audit = world->seconds_audit;
        report->seconds_total = nc_wall_clock() - begin;
    }
    return code;
}

bool nc_cloth_jammed(const nc_cloth_world *world, nc_cloth_jam *out)
{
    if (world->has_jam && out != NULL)
        *out = world->jam;
    return world->has_jam;
}

void nc_cloth_trace_audit(nc_cloth_world *world, bool on)
{
    world->audit = on;
}

// ---- reading ------------------------------------------------------------------------------------------------

int nc_cloth_count(const nc_cloth_world *world)
{
    return world->model.objects.count;
}

int64_t nc_cloth_frame(const nc_cloth_world *world)
{
    return world->frame;
}

double nc_cloth_time(const nc_cloth_world *world)
{
    return (double)world->frame * world->model.settings.frame_dt;
}

nc_cloth_world_def nc_cloth_settings(const nc_cloth_world *world)
{
    return world->model.settings;
}

static nc_code find_object(const nc_cloth_world *world, int object, nc_error *err)
{
    if (object < 0 || object >= world->model.objects.count)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no cloth object %d, only %d exist", object,
                       world->model.objects.count);
    return NC_OK;
}

nc_code nc_cloth_view_object(const nc_cloth_world *world, int object, nc_cloth_view *out, nc_error *err)
{
    const nc_code code = find_object(world, object, err);
    if (code != NC_OK)
        return code;
    const nc_cloth_object *o = &world->model.objects.data[object];
    *out = (nc_cloth_view){.type = o->type,
                           .name = o->name,
                           .first_vertex = o->first_vertex,
                           .vertex_count = o->vertex_count,
                           .triangle_count = o->triangle_count,
                           .appearance = o->appearance};
    if (o->triangle_count > 0)
        out->triangles = (const int(*)[3])(const void *)(world->model.triangles.data + o->first_triangle);
    for (int i = 0; i < world->scripts.count; i++)
        out->scripted = out->scripted || (world->scripts.data[i].vertex_count > 0 &&
                                          world->model.object[world->scripts.data[i].vertices[0]] == object);
    return NC_OK;
}

nc_code nc_cloth_read(const nc_cloth_world *world, int object, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                      nc_error *err)
{
    const nc_code code = find_object(world, object, err);
    if (code != NC_OK)
        return code;
    const nc_cloth_object *o = &world->model.objects.data[object];
    for (int i = 0; i < o->vertex_count; i++) {
        const nc_cloth_state *s = &world->states[o->first_vertex + i];
        if (out_positions != NULL)
            out_positions[i] = nc_cloth_position_at(s, world->frame * NC_CLOTH_TICKS_PER_FRAME, world->model.unit);
        if (out_velocities != NULL)
            out_velocities[i] = s->v;
    }
    return NC_OK;
}

nc_code nc_cloth_audit(const nc_cloth_world *world, nc_cloth_overlap *out, int capacity, int *out_count, nc_error *err)
{
    const size_t count = (size_t)world->model.vertex_count;
    nc_vec3 *x = nc_alloc(&world->allocator, count, sizeof *x);
    if (x == NULL)
        return nc_fail_memory(err, count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = nc_cloth_position_at(&world->states[i], world->frame * NC_CLOTH_TICKS_PER_FRAME, world->model.unit);
    const nc_code code = nc_cloth_audit_positions(&world->model, x, out, capacity, out_count, err);
    nc_free(&world->allocator, x, count, sizeof *x);
    return code;
}
