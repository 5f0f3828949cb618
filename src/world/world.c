// Making and reading a world: settings, clock, mesh table.
#include "world/world.h"

#include <string.h>

nc_world_def nc_world_def_default(void)
{
    nc_world_def def = {
        .gravity = {0, -9.8, 0},
        .rest_distance = 0.005,
        .rest_fraction = 0,
        .proximity = 0.01,
        .floor_distance = 0.00005,
        .cap_rest = true,
        .friction = 0.1,
        .restitution = 0.1,
        .energy_fix = true,
        .collision_iterations = 100,
        .dynamic_iterations = 100,
        .contact_iterations = 100,
        .contact_tolerance = 1e-6,
        .contact_solver = NC_SOLVER_PGS,
        .sequential_scale = 0.1,
        .friction_model = NC_FRICTION_CONE,
        .friction_rule = NC_COMBINE_GEOMETRIC,
        .restitution_rule = NC_COMBINE_MAXIMUM,
        .shock_propagation = true,
        .rest_speed = -1,
        .on_jam = NC_JAM_STALL,
        .failsafe = NC_FAILSAFE_NONE,
        .pipeline = NC_PIPELINE_SHELL,
        .vsp = {.weight = 0.01, .iterations = 10, .correction_iterations = 5, .symmetric = true, .warm_start = true},
        .fracture_limit = 10000,
        .workers = 0,
    };
    return def;
}

static nc_code check_choice(const char *name, int value, int last, nc_error *err)
{
    if (value >= 0 && value <= last)
        return NC_OK;
    return nc_fail(err, NC_BAD_ARGUMENT, "%s is %d; it must be one of its enumeration's values, 0 to %d", name, value,
                   last);
}

static nc_code check_choices(const nc_world_def *def, nc_error *err)
{
    const struct {
        const char *name;
        int value, last;
    } choices[] = {
        {"contact_solver", (int)def->contact_solver, NC_SOLVER_SEQUENTIAL},
        {"friction_model", (int)def->friction_model, NC_FRICTION_PYRAMID},
        {"friction_rule", (int)def->friction_rule, NC_COMBINE_MULTIPLY},
        {"restitution_rule", (int)def->restitution_rule, NC_COMBINE_MULTIPLY},
        {"on_jam", (int)def->on_jam, NC_JAM_STOP},
        {"failsafe", (int)def->failsafe, NC_FAILSAFE_FULL},
        {"pipeline", (int)def->pipeline, NC_PIPELINE_ISP},
    };
    nc_code code = NC_OK;
    for (size_t i = 0; code == NC_OK && i < sizeof choices / sizeof choices[0]; i++)
        code = check_choice(choices[i].name, choices[i].value, choices[i].last, err);
    if (code == NC_OK && !(def->sequential_scale > 0 && def->sequential_scale <= 1))
        code = nc_fail(err, NC_BAD_ARGUMENT, "sequential_scale is %g; it must lie in (0, 1]", def->sequential_scale);
    if (code == NC_OK && !isfinite(def->rest_speed))
        code = nc_fail(err, NC_BAD_ARGUMENT, "rest_speed is %g; it must be finite", def->rest_speed);
    return code;
}

static nc_code check_vsp(const nc_vsp_def *vsp, nc_error *err)
{
    if (!(vsp->weight >= 0 && vsp->weight <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "vsp.weight is %g; it must lie in [0, 1]", vsp->weight);
    if (vsp->iterations < 1 || vsp->correction_iterations < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "vsp.iterations are %d and %d; they must be at least 1 and 0",
                       vsp->iterations, vsp->correction_iterations);
    if (!(vsp->damping >= 0) || !isfinite(vsp->damping))
        return nc_fail(err, NC_BAD_ARGUMENT, "vsp.damping is %g; it must be at least 0", vsp->damping);
    return NC_OK;
}

static nc_code check_settings(const nc_world_def *def, nc_error *err)
{
    if (!nc_finite3(def->gravity))
        return nc_fail(err, NC_BAD_ARGUMENT, "gravity (%g, %g, %g) is not finite", def->gravity.x, def->gravity.y,
                       def->gravity.z);
    if (!(def->rest_fraction >= 0 && def->rest_fraction <= NC_REST_FRACTION_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "rest_fraction must lie in [0, %g]; it is %g", NC_REST_FRACTION_MAX,
                       def->rest_fraction);
    if (!(def->floor_distance > 0) || !(def->rest_distance > def->floor_distance) ||
        !(def->proximity > def->rest_distance) || !(def->proximity <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "distances must satisfy 0 < floor_distance < rest_distance < proximity; they are %g, %g, %g",
                       def->floor_distance, def->rest_distance, def->proximity);
    if (!(def->friction >= 0) || !isfinite(def->friction))
        return nc_fail(err, NC_BAD_ARGUMENT, "friction is %g; it must be at least 0", def->friction);
    if (!(def->restitution >= 0 && def->restitution <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "restitution is %g; it must lie in [0, 1]", def->restitution);
    if (def->collision_iterations < 0 || def->dynamic_iterations < 0 || def->contact_iterations < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "iterations are %d, %d, %d; they must be at least 0, 0, 1",
                       def->collision_iterations, def->dynamic_iterations, def->contact_iterations);
    if (!(def->contact_tolerance > 0 && def->contact_tolerance < 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "contact_tolerance is %g; it must lie in (0, 1)", def->contact_tolerance);
    if (def->fracture_limit < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "fracture_limit is %d; it must be at least 0", def->fracture_limit);
    if (def->workers < 0 || def->workers > NC_MAX_WORKERS)
        return nc_fail(err, NC_BAD_ARGUMENT, "workers is %d; it must lie in [0, %d]", def->workers, NC_MAX_WORKERS);
    const nc_code code = check_choices(def, err);
    return code == NC_OK ? check_vsp(&def->vsp, err) : code;
}

nc_code nc_world_create(const nc_world_def *def, nc_world **out, nc_error *err)
{
    if (def == NULL || out == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "nc_world_create needs a definition and a place for the world");
    *out = NULL;
    const nc_code code = check_settings(def, err);
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
    nc_array_free(&allocator, &world->events);
    nc_array_free(&allocator, &world->event_pieces);
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
    const nc_code code = check_settings(def, err);
    if (code != NC_OK)
        return code;
    const nc_allocator allocator = world->settings.allocator; // memory goes back where it came from
    world->settings = *def;
    world->settings.allocator = allocator;
    return NC_OK;
}

nc_code nc_world_set_gravity(nc_world *world, nc_vec3 gravity, nc_error *err)
{
    if (!nc_finite3(gravity))
        return nc_fail(err, NC_BAD_ARGUMENT, "gravity (%g, %g, %g) is not finite", gravity.x, gravity.y, gravity.z);
    world->settings.gravity = gravity;
    return NC_OK;
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

int nc_world_merit(const nc_world *world, double *out, int capacity)
{
    for (int k = 0; k < world->merit.count && k < capacity; k++)
        out[k] = world->merit.data[k];
    return world->merit.count;
}
