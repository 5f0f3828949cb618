// Making and reading a world: clock, mesh table.
#include "world/world.h"

#include <string.h>

nc_code nc_world_create(const nc_world_def *def, nc_world **out, nc_error *err)
{
    if (def == NULL || out == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "nc_world_create needs a definition and a place for the world");
    *out = NULL;
    const nc_code code = nc_world_check_settings(def, err);
    if (code != NC_OK)
        return code;
    const nc_allocator allocator = nc_allocator_or_default(&def->allocator);
    nc_world *world = nc_alloc(&allocator, 1, sizeof *world);
    if (world == NULL)
        return nc_fail_memory(err, sizeof *world);
    world->settings = *def;
    world->settings.allocator = allocator;
    *out = world;
    return NC_OK;
}

void nc_world_destroy(nc_world *world)
{
    if (world == NULL)
        return;
    const nc_allocator allocator = world->settings.allocator;
    if (world->workspace != NULL)
        world->workspace_destroy(world->workspace);
    for (int i = 0; i < world->meshes.count; i++) {
        nc_mesh_release(world->meshes.data[i].mesh);
        nc_mesh_release(world->meshes.data[i].source);
    }
    nc_array_free(&allocator, &world->meshes);
    nc_array_free(&allocator, &world->merit);
    nc_array_free(&allocator, &world->contacts.points);
    nc_array_free(&allocator, &world->events);
    nc_array_free(&allocator, &world->event_pieces);
    nc_array_free(&allocator, &world->joint_breaks);
    nc_candidates_free(&world->candidates, &allocator);
    nc_state_free(&world->state, &allocator);
    nc_free(&allocator, world, 1, sizeof *world);
}

double nc_state_time(const nc_state *state)
{
    return state->clock_base + (double)(state->step_count - state->clock_step) * state->clock_dt;
}

double nc_world_time(const nc_world *world)
{
    return nc_state_time(&world->state);
}

int64_t nc_world_step_count(const nc_world *world)
{
    return world->state.step_count;
}

nc_world_def nc_world_settings(const nc_world *world)
{
    return world->settings;
}

nc_code nc_world_set_settings(nc_world *world, const nc_world_def *def, nc_error *err)
{
    if (def == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "nc_world_set_settings needs a definition");
    const nc_code code = nc_world_check_settings(def, err);
    if (code != NC_OK)
        return code;
    const nc_world_def before = world->settings;
    world->settings = *def;
    world->settings.allocator = before.allocator; // memory goes back where it came from
    nc_world_wake_changed(world, &before);
    return NC_OK;
}

nc_code nc_world_set_gravity(nc_world *world, nc_vec3 gravity, nc_error *err)
{
    nc_world_def def = world->settings;
    def.gravity = gravity;
    return nc_world_set_settings(world, &def, err);
}

int nc_world_mesh_count(const nc_world *world)
{
    return world->meshes.count;
}

nc_mesh *nc_world_mesh(const nc_world *world, int row)
{
    return row >= 0 && row < world->meshes.count ? world->meshes.data[row].mesh : NULL;
}

nc_code nc_world_add_mesh(nc_world *world, nc_mesh *mesh, nc_error *err)
{
    if (mesh == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no mesh to add");
    const nc_mesh_entry entry = {.mesh = mesh, .radius = nc_mesh_radius(mesh)};
    if (!nc_array_push(&world->settings.allocator, &world->meshes, entry))
        return nc_fail_memory(err, sizeof entry);
    nc_mesh_retain(mesh);
    return NC_OK;
}

void nc_world_trace_merit(nc_world *world, bool on)
{
    world->trace_merit = on;
    world->merit.count = 0;
}

const char *nc_contact_phase_name(nc_contact_phase phase)
{
    static const char *const names[] = {"impact", "rest", "asleep"};
    return names[phase];
}

void nc_world_trace_contacts(nc_world *world, bool on)
{
    world->contacts.on = on;
    world->contacts.points.count = 0;
}

int nc_world_contacts(const nc_world *world, nc_contact_point *out, int capacity)
{
    for (int k = 0; k < world->contacts.points.count && k < capacity; k++)
        out[k] = world->contacts.points.data[k];
    return world->contacts.points.count;
}

int nc_world_merit(const nc_world *world, double *out, int capacity)
{
    for (int k = 0; k < world->merit.count && k < capacity; k++)
        out[k] = world->merit.data[k];
    return world->merit.count;
}
