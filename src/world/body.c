// Bodies: create, destroy, read, move, push.
#include "world/place.h"
#include "world/rows.h"

#include <stdio.h>
#include <string.h>

nc_body_def nc_body_def_default(void)
{
    nc_body_def def = {.type = NC_DYNAMIC, .friction = -1, .restitution = -1};
    def.orientation = nc_quat_identity();
    def.mass.density = 1000;
    def.mass.thickness = 0.01;
    return def;
}

int nc_world_row(const nc_world *world, nc_body_id body)
{
    const nc_bodies *bodies = &world->state.bodies;
    if (body.generation == 0 || body.index >= (uint32_t)bodies->count)
        return -1;
    const int row = (int)body.index;
    return bodies->alive[row] && bodies->generation[row] == body.generation ? row : -1;
}

nc_body_id nc_world_id(const nc_world *world, int row)
{
    const nc_body_id id = {(uint32_t)row, world->state.bodies.generation[row]};
    return id;
}

static nc_code stale(nc_error *err, nc_body_id body)
{
    return nc_fail(err, NC_BAD_ARGUMENT, "body %u of generation %u does not exist (any more)", body.index,
                   body.generation);
}

// ---- create -------------------------------------------------------------------------------------------------

static nc_code check_pose(nc_vec3 position, nc_quat orientation, nc_error *err)
{
    if (!(nc_max3(position) <= NC_COORDINATE_MAX) || !nc_finite3(position))
        return nc_fail(err, NC_BAD_ARGUMENT, "position (%g, %g, %g) is not finite or beyond %g", position.x, position.y,
                       position.z, NC_COORDINATE_MAX);
    const double length2 = nc_quat_norm2(orientation);
    if (!isfinite(length2) || !(length2 > 0x1p-200))
        return nc_fail(err, NC_BAD_ARGUMENT, "orientation (%g, %g, %g, %g) is no rotation", orientation.w,
                       orientation.x, orientation.y, orientation.z);
    return NC_OK;
}

static nc_code check_keyframes(const nc_body_def *def, nc_error *err)
{
    if (def->keyframe_count == 0)
        return NC_OK;
    if (def->keyframe_count < 0 || def->keyframes == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "keyframe_count is %d, but there are no keyframes", def->keyframe_count);
    if (def->type != NC_KINEMATIC)
        return nc_fail(err, NC_BAD_ARGUMENT, "only a kinematic body can have keyframes");
    for (int k = 0; k < def->keyframe_count; k++) {
        const nc_keyframe *key = &def->keyframes[k];
        const nc_code code = check_pose(key->position, key->orientation, err);
        if (code != NC_OK)
            return code;
        if (!isfinite(key->time) || (k > 0 && !(key->time > def->keyframes[k - 1].time)))
            return nc_fail(err, NC_BAD_ARGUMENT, "keyframe %d is at %g s; times must be finite and ascend", k,
                           key->time);
    }
    return NC_OK;
}

static nc_code check_maxima(nc_body_type type, double force, double torque, nc_error *err)
{
    if (!(force >= 0 && torque >= 0) || !isfinite(force) || !isfinite(torque))
        return nc_fail(err, NC_BAD_ARGUMENT, "max_force is %g N and max_torque %g N m; both must be 0 or more", force,
                       torque);
    if (type != NC_KINEMATIC && (force > 0 || torque > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "max_force and max_torque are of kinematic bodies; this one is %s",
                       type == NC_STATIC ? "static" : "dynamic: limit the drives of its joints");
    return NC_OK;
}

static nc_code check_body(const nc_body_def *def, nc_error *err)
{
    if (def->mesh == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "a body needs a mesh");
    if (def->type != NC_STATIC && def->type != NC_KINEMATIC && def->type != NC_DYNAMIC)
        return nc_fail(err, NC_BAD_ARGUMENT, "body type %d is not one", (int)def->type);
    if (!nc_finite3(def->velocity) || !nc_finite3(def->spin))
        return nc_fail(err, NC_BAD_ARGUMENT, "velocity (%g, %g, %g) or spin (%g, %g, %g) is not finite",
                       def->velocity.x, def->velocity.y, def->velocity.z, def->spin.x, def->spin.y, def->spin.z);
    if (!isfinite(def->friction) || !isfinite(def->restitution) || def->restitution > 1)
        return nc_fail(
            err, NC_BAD_ARGUMENT,
            "friction %g or restitution %g is out of range: at least 0, and in [0, 1] (negative: the world's)",
            def->friction, def->restitution);
    nc_code code = check_maxima(def->type, def->max_force, def->max_torque, err);
    if (code == NC_OK)
        code = check_pose(def->position, def->orientation, err);
    return code != NC_OK ? code : check_keyframes(def, err);
}

// The row of the mesh table that holds `source` recentred to `center`, made if need be; -1 on failure.
static int mesh_row(nc_world *world, nc_mesh *source, nc_vec3 center, nc_error *err)
{
    for (int i = 0; i < world->meshes.count; i++) {
        const nc_mesh_entry *entry = &world->meshes.data[i];
        if (entry->source == source && memcmp(&entry->center, &center, sizeof center) == 0)
            return i;
    }
    nc_mesh_entry entry = {.source = source, .center = center};
    if (nc_norm2(center) > 0) {
        if (nc_mesh_recenter(source, center, &entry.mesh, err) != NC_OK)
            return -1;
    } else {
        entry.mesh = nc_mesh_retain(source);
    }
    entry.radius = nc_mesh_radius(entry.mesh);
    if (!nc_array_push(&world->settings.allocator, &world->meshes, entry)) {
        nc_mesh_release(entry.mesh);
        nc_fail_memory(err, sizeof entry);
        return -1;
    }
    nc_mesh_retain(source);
    return world->meshes.count - 1;
}

nc_code nc_world_enter_mesh(nc_world *world, nc_mesh *source, nc_vec3 center, nc_error *err)
{
    nc_error own = {NC_OK, 0, 0, "", ""};
    const bool entered = mesh_row(world, source, center, &own) >= 0;
    if (!entered && err != NULL)
        *err = own;
    return entered ? NC_OK : own.code;
}

void nc_world_shrink_meshes(nc_world *world, int count)
{
    while (world->meshes.count > count) {
        const nc_mesh_entry *entry = &world->meshes.data[--world->meshes.count];
        nc_mesh_release(entry->mesh);
        nc_mesh_release(entry->source);
    }
}

// The lowest dead row, or a new one; -1 when out of memory.
static int take_row(nc_world *world)
{
    nc_bodies *bodies = &world->state.bodies;
    if (bodies->alive_count < bodies->count)
        for (int i = 0; i < bodies->count; i++)
            if (!bodies->alive[i])
                return i;
    const nc_allocator *allocator = &world->settings.allocator;
    if (bodies->count >= INT32_MAX / 2 || !nc_bodies_reserve(bodies, bodies->count + 1, allocator) ||
        !nc_candidates_reserve(&world->candidates, bodies->capacity, allocator))
        return -1;
    return bodies->count;
}

// Copies name and keyframes into a row. False when out of memory; nothing is left behind then.
static bool own_copies(nc_world *world, int row, const nc_body_def *def)
{
    nc_bodies *bodies = &world->state.bodies;
    const nc_allocator *allocator = &world->settings.allocator;
    char *name = NULL;
    nc_keyframe *keys = NULL;
    if (def->name != NULL && def->name[0] != '\0') {
        const size_t size = strlen(def->name) + 1;
        name = nc_alloc(allocator, size, 1);
        if (name == NULL)
            return false;
        memcpy(name, def->name, size);
    }
    if (def->keyframe_count > 0) {
        keys = nc_alloc(allocator, (size_t)def->keyframe_count, sizeof *keys);
        if (keys == NULL) {
            if (name != NULL)
                nc_free(allocator, name, strlen(name) + 1, 1);
            return false;
        }
        memcpy(keys, def->keyframes, (size_t)def->keyframe_count * sizeof *keys);
        for (int k = 0; k < def->keyframe_count; k++)
            keys[k].orientation = nc_quat_normalize(keys[k].orientation);
    }
    bodies->name[row] = name;
    bodies->keys[row] = keys;
    bodies->key_count[row] = def->keyframe_count;
    return true;
}

static void set_rotation(nc_bodies *bodies, int row, nc_vec3 momentum)
{
    const nc_inertia *inertia = &bodies->inertia[row];
    bodies->momentum[row] = momentum;
    bodies->spin[row] = nc_inertia_spin(inertia, bodies->pose[row].q, momentum);
    bodies->spin_energy[row] = nc_inertia_energy(inertia, bodies->pose[row].q, momentum);
}

// Where a new body's centre of mass is. Its keyframes are in the row already.
static nc_pose first_pose(const nc_world *world, int row, const nc_body_def *def, const nc_mass *mass)
{
    const nc_bodies *bodies = &world->state.bodies;
    nc_pose pose = {def->position, nc_quat_normalize(def->orientation)};
    if (bodies->key_count[row] > 0)
        pose = nc_script_pose(bodies->keys[row], bodies->key_count[row], nc_world_time(world));
    return (nc_pose){nc_pose_apply(pose, mass->center), pose.q};
}

static void fill_row(nc_world *world, int row, int mesh, const nc_body_def *def, const nc_mass *mass, nc_pose pose)
{
    nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 zero = {0, 0, 0};
    bodies->alive[row] = 1;
    bodies->generation[row]++;
    bodies->type[row] = (uint8_t)def->type;
    bodies->mesh[row] = mesh;
    bodies->friction[row] = def->friction;
    bodies->restitution[row] = def->restitution;
    bodies->mass[row] = mass->mass;
    bodies->inv_mass[row] = mass->mass > 0 ? 1.0 / mass->mass : 0.0;
    bodies->inertia[row] = (nc_inertia){mass->principal, mass->principal_q};
    bodies->pose[row] = pose;
    bodies->force[row] = bodies->torque[row] = zero;
    bodies->momentum[row] = zero;
    bodies->spin_energy[row] = 0;
    bodies->script_delay[row] = bodies->script_lag[row] = 0;
    bodies->max_force[row] = def->max_force;
    bodies->max_torque[row] = def->max_torque;
    if (row < world->candidates.capacity)
        world->candidates.load[row] = (nc_body_load){.pace = 1};
    bodies->fracture[row] = -1;
    bodies->cracks[row] = 0;
    bodies->held[row] = 0;
    bodies->appearance[row] = def->appearance;
    nc_row_begin_rest(bodies, row);
    const bool scripted = def->type == NC_KINEMATIC && bodies->key_count[row] == 0;
    bodies->script_v[row] = scripted ? def->velocity : zero;
    bodies->script_spin[row] = scripted ? def->spin : zero;
    bodies->v[row] = def->type == NC_DYNAMIC || scripted ? def->velocity : zero;
    bodies->spin[row] = scripted ? def->spin : zero;
    if (def->type == NC_DYNAMIC)
        set_rotation(bodies, row, nc_inertia_momentum(&bodies->inertia[row], pose.q, def->spin));
}

// Puts a body into a row, if there is room where it is to be, or without a look. On failure the row owns nothing.
static nc_code settle_in(nc_world *world, int row, int mesh, const nc_body_def *def, const nc_mass *mass,
                         const nc_pose *pose, nc_error *err)
{
    nc_bodies *bodies = &world->state.bodies;
    nc_near_caps caps = {NULL, 0, 0};
    char label[96] = "the new body";
    if (!own_copies(world, row, def))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for one more body");
    if (bodies->name[row] != NULL)
        nc_body_label(world, row, label, sizeof label);
    const nc_pose at = pose != NULL ? *pose : first_pose(world, row, def, mass);
    nc_code code = NC_OK;
    if (world->state.checked && pose == NULL)
        code = nc_place_try(world, NULL, row, def->type, world->meshes.data[mesh].mesh, at, label, &caps, err);
    if (code != NC_OK) {
        nc_body_row_free(bodies, row, &world->settings.allocator);
        return code;
    }
    nc_place_take(world, row, &caps);
    bodies->count += row == bodies->count;
    bodies->alive_count++;
    world->has_motions = false;
    fill_row(world, row, mesh, def, mass, at);
    nc_world_wake_around(world, row);
    return NC_OK;
}

nc_code nc_row_insert(nc_world *world, const nc_body_def *def, const nc_mass *mass, const nc_pose *pose, int *out_row,
                      nc_error *err)
{
    const int mesh_count = world->meshes.count;
    nc_error mesh_error = {NC_OK, 0, 0, "", ""};
    const int mesh = mesh_row(world, def->mesh, mass->center, &mesh_error);
    if (mesh < 0) {
        if (err != NULL)
            *err = mesh_error;
        return mesh_error.code;
    }
    nc_code code;
    *out_row = take_row(world);
    if (*out_row < 0)
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for one more body");
    else
        code = settle_in(world, *out_row, mesh, def, mass, pose, err);
    if (code != NC_OK)
        nc_world_shrink_meshes(world, mesh_count);
    return code;
}

nc_code nc_body_create(nc_world *world, const nc_body_def *def, nc_body_id *out, nc_error *err)
{
    nc_code code = check_body(def, err);
    if (code != NC_OK)
        return code;
    int row = -1;
    nc_mass mass = {.principal = {1, 1, 1}, .principal_q = {1, 0, 0, 0}};
    if (def->type == NC_DYNAMIC && (code = nc_mesh_mass(def->mesh, &def->mass, &mass, err)) != NC_OK)
        return code;
    code = nc_row_insert(world, def, &mass, NULL, &row, err);
    if (code == NC_OK && out != NULL)
        *out = nc_world_id(world, row);
    return code;
}

nc_code nc_body_destroy(nc_world *world, nc_body_id body, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    nc_world_wake_around(world, row);
    nc_body_row_free(&world->state.bodies, row, &world->settings.allocator);
    nc_state_forget_pairs(&world->state, row);
    nc_state_forget_impulses(&world->state, row);
    nc_state_forget_surfaces(&world->state, row);
    nc_state_forget_caps(&world->state, row);
    nc_state_forget_joints(&world->state, row);
    world->has_motions = false;
    world->state.bodies.alive[row] = 0;
    world->state.bodies.alive_count--;
    return NC_OK;
}

// ---- read ---------------------------------------------------------------------------------------------------

static double own_or(double own, double worlds)
{
    return own < 0 ? worlds : own;
}

nc_code nc_body_read(const nc_world *world, nc_body_id body, nc_body_state *out, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    const nc_bodies *bodies = &world->state.bodies;
    memset(out, 0, sizeof *out);
    out->type = (nc_body_type)bodies->type[row];
    out->pose = bodies->pose[row];
    out->velocity = bodies->v[row];
    out->spin = bodies->spin[row];
    out->angular_momentum = bodies->momentum[row];
    out->mass = bodies->mass[row];
    out->friction = own_or(bodies->friction[row], world->settings.friction);
    out->restitution = own_or(bodies->restitution[row], world->settings.restitution);
    out->appearance = bodies->appearance[row];
    if (out->type == NC_DYNAMIC)
        out->kinetic = 0.5 * out->mass * nc_norm2(out->velocity) +
                       nc_inertia_energy(&bodies->inertia[row], out->pose.q, out->angular_momentum);
    return NC_OK;
}

bool nc_body_sleeps(const nc_world *world, nc_body_id body)
{
    const int row = nc_world_row(world, body);
    return row >= 0 && nc_row_sleeps(&world->state.bodies, row);
}

int nc_body_mesh_row(const nc_world *world, nc_body_id body)
{
    const int row = nc_world_row(world, body);
    return row < 0 ? -1 : world->state.bodies.mesh[row];
}

nc_body_id nc_body_cluster(const nc_world *world, nc_body_id body)
{
    const nc_body_id none = {0, 0};
    const int row = nc_world_row(world, body);
    if (row < 0 || !world->has_motions || world->candidates.cluster[row] < 0)
        return none;
    return nc_world_id(world, world->candidates.cluster[row]);
}

nc_code nc_body_set_max_force(nc_world *world, nc_body_id body, double force, double torque, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    const nc_code code = check_maxima((nc_body_type)world->state.bodies.type[row], force, torque, err);
    if (code != NC_OK)
        return code;
    world->state.bodies.max_force[row] = force;
    world->state.bodies.max_torque[row] = torque;
    return NC_OK;
}

nc_code nc_body_read_load(const nc_world *world, nc_body_id body, nc_body_load *out, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    *out = world->has_motions ? world->candidates.load[row] : (nc_body_load){.pace = 1};
    out->max_force = world->state.bodies.max_force[row];
    out->max_torque = world->state.bodies.max_torque[row];
    out->lag = world->state.bodies.script_lag[row];
    return NC_OK;
}

nc_code nc_body_read_acceleration(const nc_world *world, nc_body_id body, nc_body_acceleration *out, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    *out = world->has_motions ? world->candidates.acceleration[row] : (nc_body_acceleration){.known = false};
    return NC_OK;
}

nc_body_id nc_body_blocker(const nc_world *world, nc_body_id body)
{
    const nc_body_id none = {0, 0};
    const int row = nc_world_row(world, body);
    if (row < 0 || !world->has_motions || world->candidates.blocker[row] < 0)
        return none;
    return nc_world_id(world, world->candidates.blocker[row]);
}

const nc_mesh *nc_body_mesh(const nc_world *world, nc_body_id body)
{
    return nc_world_mesh(world, nc_body_mesh_row(world, body));
}

const char *nc_body_name(const nc_world *world, nc_body_id body)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return NULL;
    const char *name = world->state.bodies.name[row];
    return name != NULL ? name : "";
}

int nc_world_body_count(const nc_world *world)
{
    return (int)world->state.bodies.alive_count;
}

nc_world_data nc_world_view(const nc_world *world)
{
    const nc_bodies *bodies = &world->state.bodies;
    return (nc_world_data){.count = bodies->count,
                           .alive = bodies->alive,
                           .generation = bodies->generation,
                           .pose = bodies->pose,
                           .velocity = bodies->v,
                           .spin = bodies->spin,
                           .force = bodies->force,
                           .torque = bodies->torque,
                           .mass = bodies->mass};
}

int nc_world_bodies(const nc_world *world, nc_body_id *out, int capacity)
{
    const nc_bodies *bodies = &world->state.bodies;
    int written = 0;
    for (int i = 0; i < bodies->count && written < capacity; i++)
        if (bodies->alive[i])
            out[written++] = nc_world_id(world, i);
    return (int)bodies->alive_count;
}

nc_body_id nc_world_find(const nc_world *world, const char *name)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_body_id none = {0, 0};
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && bodies->name[i] != NULL && strcmp(bodies->name[i], name) == 0)
            return nc_world_id(world, i);
    return none;
}

// ---- change -------------------------------------------------------------------------------------------------

nc_code nc_body_move(nc_world *world, nc_body_id body, nc_pose pose, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    nc_code code = check_pose(pose.x, pose.q, err);
    if (code != NC_OK)
        return code;
    nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 spin = bodies->spin[row];
    const nc_pose to = {pose.x, nc_quat_normalize(pose.q)};
    nc_near_caps caps = {NULL, 0, 0};
    char label[96];
    if (world->state.checked)
        code =
            nc_place_try(world, NULL, row, (nc_body_type)bodies->type[row], world->meshes.data[bodies->mesh[row]].mesh,
                         to, nc_body_label(world, row, label, sizeof label), &caps, err);
    if (code != NC_OK)
        return code;
    nc_place_take(world, row, &caps);
    nc_world_wake_around(world, row);
    nc_state_forget_impulses(&world->state, row);
    world->has_motions = false;
    bodies->pose[row] = to;
    nc_row_begin_rest(bodies, row);
    nc_world_wake_around(world, row);
    if (bodies->type[row] == NC_DYNAMIC) // keeps its angular velocity
        set_rotation(bodies, row, nc_inertia_momentum(&bodies->inertia[row], bodies->pose[row].q, spin));
    return NC_OK;
}

static bool differs(nc_vec3 a, nc_vec3 b)
{
    return !(a.x == b.x && a.y == b.y && a.z == b.z);
}

nc_code nc_body_set_velocity(nc_world *world, nc_body_id body, nc_vec3 velocity, nc_vec3 spin, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return stale(err, body);
    if (!nc_finite3(velocity) || !nc_finite3(spin))
        return nc_fail(err, NC_BAD_ARGUMENT, "velocity (%g, %g, %g) or spin (%g, %g, %g) is not finite", velocity.x,
                       velocity.y, velocity.z, spin.x, spin.y, spin.z);
    nc_bodies *bodies = &world->state.bodies;
    if (bodies->type[row] == NC_STATIC || bodies->key_count[row] > 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a body that is static or follows keyframes has no velocity to set");
    if (differs(velocity, bodies->v[row]) || differs(spin, bodies->spin[row]))
        nc_state_wake(&world->state, row);
    bodies->v[row] = velocity;
    if (bodies->type[row] == NC_DYNAMIC) {
        set_rotation(bodies, row, nc_inertia_momentum(&bodies->inertia[row], bodies->pose[row].q, spin));
    } else {
        bodies->spin[row] = bodies->script_spin[row] = spin;
        bodies->script_v[row] = velocity;
    }
    return NC_OK;
}

// The row of a living dynamic body, or -1 with the reason.
static int dynamic_row(const nc_world *world, nc_body_id body, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        stale(err, body);
    else if (world->state.bodies.type[row] != NC_DYNAMIC)
        nc_fail(err, NC_BAD_ARGUMENT, "body %u is not dynamic: forces and impulses do not move it", body.index);
    else
        return row;
    return -1;
}

nc_code nc_body_set_appearance(nc_world *world, nc_body_id body, nc_appearance appearance, nc_error *err)
{
    const int row = nc_world_row(world, body);
    if (row < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no such body");
    if (appearance.material >= NC_MATERIAL_COUNT)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no material %d", appearance.material);
    world->state.bodies.appearance[row] = appearance;
    return NC_OK;
}

nc_code nc_body_set_force(nc_world *world, nc_body_id body, nc_vec3 force, nc_vec3 torque, nc_error *err)
{
    const int row = dynamic_row(world, body, err);
    if (row < 0)
        return NC_BAD_ARGUMENT;
    if (!nc_finite3(force) || !nc_finite3(torque))
        return nc_fail(err, NC_BAD_ARGUMENT, "force (%g, %g, %g) or torque (%g, %g, %g) is not finite", force.x,
                       force.y, force.z, torque.x, torque.y, torque.z);
    nc_bodies *bodies = &world->state.bodies;
    if (differs(force, bodies->force[row]) || differs(torque, bodies->torque[row]))
        nc_state_wake(&world->state, row);
    bodies->force[row] = force;
    bodies->torque[row] = torque;
    return NC_OK;
}

nc_code nc_body_apply_impulse(nc_world *world, nc_body_id body, nc_vec3 impulse, nc_vec3 point, nc_error *err)
{
    const int row = dynamic_row(world, body, err);
    if (row < 0)
        return NC_BAD_ARGUMENT;
    nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 v = nc_madd(bodies->v[row], bodies->inv_mass[row], impulse);
    const nc_vec3 arm = nc_sub(point, bodies->pose[row].x);
    const nc_vec3 momentum = nc_add(bodies->momentum[row], nc_cross(arm, impulse));
    if (!nc_finite3(v) || !nc_finite3(momentum))
        return nc_fail(err, NC_BAD_ARGUMENT, "impulse (%g, %g, %g) at (%g, %g, %g) makes no finite velocity", impulse.x,
                       impulse.y, impulse.z, point.x, point.y, point.z);
    if (differs(v, bodies->v[row]) || differs(momentum, bodies->momentum[row]))
        nc_state_wake(&world->state, row);
    bodies->v[row] = v;
    set_rotation(bodies, row, momentum);
    return NC_OK;
}
