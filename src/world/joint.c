// Making, reading and removing joints.
#include "world/world.h"

#include "geom/geom.h"

#include <string.h>

const char *const nc_joint_kind_names[NC_JOINT_KINDS] = {"fixed",       "hinge",  "slider",   "ball",    "universal",
                                                         "cylindrical", "planar", "distance", "generic", "gear"};
const char *const nc_drive_mode_names[NC_DRIVE_MODES] = {"none", "position", "velocity", "force"};

const char *const nc_joint_breaking_names[NC_JOINT_BREAKINGS] = {"joint", "body", "to", "both"};

nc_joint_def nc_joint_def_default(nc_joint_kind kind)
{
    return (nc_joint_def){.kind = kind, .axis = {1, 0, 0}, .length_min = -1, .length_max = -1, .ratio = 1};
}

// The slot of a joint that is alive, or -1.
static int slot_of(const nc_world *world, nc_joint_id id)
{
    const nc_joints *joints = &world->state.joints;
    const bool good = id.generation != 0 && id.index < (uint32_t)joints->count &&
                      joints->data[id.index].generation == id.generation && joints->data[id.index].alive;
    return good ? (int)id.index : -1;
}

static nc_joint_id id_of(const nc_world *world, int slot)
{
    return (nc_joint_id){(uint32_t)slot, world->state.joints.data[slot].generation};
}

static nc_code stale(nc_error *err, nc_joint_id id)
{
    return nc_fail(err, NC_BAD_ARGUMENT, "joint %u is not there (any more)", id.index);
}

// ---- checks ---------------------------------------------------------------------------------------------------

static nc_code check_drive(const nc_joint_drive *drive, int axis, nc_error *err)
{
    const double numbers[] = {drive->target, drive->amplitude, drive->frequency, drive->phase};
    for (int k = 0; k < 4; k++)
        if (!isfinite(numbers[k]))
            return nc_fail(err, NC_BAD_ARGUMENT, "a number of the drive of axis %d is not finite", axis);
    if (!(drive->stiffness >= 0 && drive->damping >= 0 && drive->max_force >= 0) || !isfinite(drive->stiffness) ||
        !isfinite(drive->damping) || !isfinite(drive->max_force))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the drive of axis %d has stiffness %g, damping %g and max_force %g; all must be 0 or more",
                       axis, drive->stiffness, drive->damping, drive->max_force);
    if ((unsigned)drive->mode >= NC_DRIVE_MODES)
        return nc_fail(err, NC_BAD_ARGUMENT, "the drive of axis %d has no known mode", axis);
    for (int k = 0; k < drive->key_count; k++)
        if (!isfinite(drive->keys[k].time) || !isfinite(drive->keys[k].value) ||
            (k > 0 && !(drive->keys[k].time > drive->keys[k - 1].time)))
            return nc_fail(err, NC_BAD_ARGUMENT, "the keys of the drive of axis %d do not ascend in time", axis);
    return NC_OK;
}

static nc_code check_axis(const nc_joint_axis *axis, int index, nc_error *err)
{
    if (axis->limited && !(axis->lower <= axis->upper && isfinite(axis->lower) && isfinite(axis->upper)))
        return nc_fail(err, NC_BAD_ARGUMENT, "the limits of axis %d are %g and %g; the lower one comes first", index,
                       axis->lower, axis->upper);
    if (!(axis->restitution >= 0 && axis->restitution <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "the restitution of axis %d is %g; it must be from 0 to 1", index,
                       axis->restitution);
    if (!(axis->friction >= 0 && axis->stiffness >= 0 && axis->damping >= 0) || !isfinite(axis->friction) ||
        !isfinite(axis->stiffness) || !isfinite(axis->damping) || !isfinite(axis->rest))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "axis %d has friction %g, stiffness %g and damping %g; all must be 0 or more and finite", index,
                       axis->friction, axis->stiffness, axis->damping);
    return check_drive(&axis->drive, index, err);
}

static bool is_plain(const nc_joint_axis *axis)
{
    return !axis->limited && axis->friction == 0 && axis->stiffness == 0 && axis->damping == 0 &&
           axis->drive.mode == NC_DRIVE_NONE;
}

static nc_code check_axes(const nc_joint *joint, const nc_joint_def *def, nc_error *err)
{
    for (int k = 0; k < 6; k++) {
        const nc_code code = check_axis(&def->axes[k], k, err);
        if (code != NC_OK)
            return code;
        if (!is_plain(&def->axes[k]) && !nc_joint_measures(joint, k))
            return nc_fail(
                err, NC_BAD_ARGUMENT,
                "axis %d of a joint of kind %s has no limits, springs, friction or drives: it is locked or not "
                "measured",
                k, nc_joint_kind_names[def->kind]);
    }
    const bool *y = &def->axes[4].locked, *z = &def->axes[5].locked;
    if (def->kind == NC_JOINT_GENERIC && (*y != *z || (def->axes[3].locked && !*y)))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a generic joint locks all rotations, none, or those about y and z (axes 4 and 5)");
    return NC_OK;
}

static nc_code check_def(const nc_world *world, const nc_joint_def *def, nc_error *err)
{
    if ((unsigned)def->kind >= NC_JOINT_KINDS)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is no joint of kind %d", (int)def->kind);
    if (def->name != NULL && strlen(def->name) >= NC_JOINT_NAME)
        return nc_fail(err, NC_BAD_ARGUMENT, "the name \"%.20s...\" of a joint has more than %d letters", def->name,
                       NC_JOINT_NAME - 1);
    if (!(def->break_force >= 0 && def->break_torque >= 0) || !isfinite(def->break_force) ||
        !isfinite(def->break_torque))
        return nc_fail(err, NC_BAD_ARGUMENT, "break_force is %g N and break_torque %g N m; both must be 0 or more",
                       def->break_force, def->break_torque);
    if ((unsigned)def->breaks >= NC_JOINT_BREAKINGS)
        return nc_fail(err, NC_BAD_ARGUMENT, "what breaks with a joint is unknown: %d", (int)def->breaks);
    if (def->kind == NC_JOINT_GEAR)
        return NC_OK;
    const int a = nc_world_row(world, def->body_a), b = nc_world_row(world, def->body_b);
    const bool world_b = def->body_b.generation == 0;
    if (a < 0 || (b < 0 && !world_b) || a == b)
        return nc_fail(err, NC_BAD_ARGUMENT, "a joint needs two different living bodies, or one and the world");
    if (!nc_finite3(def->anchor) || !nc_finite3(def->anchor_b) || !nc_finite3(def->axis) || !nc_finite3(def->axis_y) ||
        !(nc_norm(def->axis) > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "anchors and axes of a joint must be finite, and its axis longer than 0");
    const uint8_t *type = world->state.bodies.type;
    if (type[a] != NC_DYNAMIC && (world_b || type[b] != NC_DYNAMIC))
        return nc_fail(err, NC_BAD_ARGUMENT, "a joint needs a dynamic body; neither of its two is");
    return NC_OK;
}

// ---- making ---------------------------------------------------------------------------------------------------

// x along `axis`, y as near to `y` as a right angle lets it.
static nc_quat frame_of(nc_vec3 axis, nc_vec3 y)
{
    const nc_vec3 x = nc_scale(1 / nc_norm(axis), axis);
    nc_vec3 across = nc_madd(y, -nc_dot(y, x), x);
    if (!(nc_norm(across) > 1e-9 * nc_norm(y))) { // none given, or along x
        const nc_vec3 e = fabs(x.x) <= fabs(x.y) && fabs(x.x) <= fabs(x.z) ? nc_v3(1, 0, 0)
                          : fabs(x.y) <= fabs(x.z)                         ? nc_v3(0, 1, 0)
                                                                           : nc_v3(0, 0, 1);
        across = nc_madd(e, -nc_dot(e, x), x);
    }
    const nc_vec3 v = nc_scale(1 / nc_norm(across), across), z = nc_cross(x, v);
    return nc_quat_from_matrix((nc_mat3){{{x.x, v.x, z.x}, {x.y, v.y, z.y}, {x.z, v.z, z.z}}});
}

// Anchors and frames in the bodies' axes.
static void place_joint(const nc_world *world, const nc_joint_def *def, nc_joint *joint)
{
    const nc_pose *pose = world->state.bodies.pose;
    const nc_quat frame = frame_of(def->axis, def->axis_y);
    const nc_vec3 on_b = def->kind == NC_JOINT_DISTANCE ? def->anchor_b : def->anchor;
    const nc_pose a = pose[joint->a], b = joint->b >= 0 ? pose[joint->b] : (nc_pose){{0, 0, 0}, {1, 0, 0, 0}};
    joint->anchor_a = nc_mat3_tmul(nc_quat_matrix(a.q), nc_sub(def->anchor, a.x));
    joint->anchor_b = nc_mat3_tmul(nc_quat_matrix(b.q), nc_sub(on_b, b.x));
    joint->frame_a = nc_quat_normalize(nc_quat_mul(nc_quat_conj(a.q), frame));
    joint->frame_b = nc_quat_normalize(nc_quat_mul(nc_quat_conj(b.q), frame));
}

static nc_code set_length(const nc_joint_def *def, nc_joint *joint, nc_error *err)
{
    const double now = nc_norm(nc_sub(def->anchor, def->anchor_b));
    joint->length_min = def->length_min < 0 ? now : def->length_min;
    joint->length_max = def->length_max < 0 ? now : def->length_max;
    if (!(joint->length_min <= joint->length_max && joint->length_max > 0) || !isfinite(joint->length_max))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a distance joint has lengths from %g to %g m; the larger one must be above 0 and come second",
                       joint->length_min, joint->length_max);
    return NC_OK;
}

static double geared_coordinate(const nc_world *world, int slot)
{
    const nc_joint *joint = &world->state.joints.data[slot];
    const nc_joint_place place = nc_joint_find_place(joint, world->state.bodies.pose);
    return nc_joint_coordinate(joint, &place, nc_joint_geared_axis(joint), joint->turns);
}

static nc_code couple(const nc_world *world, const nc_joint_def *def, nc_joint *joint, nc_error *err)
{
    joint->joint_1 = slot_of(world, def->joint_1);
    joint->joint_2 = slot_of(world, def->joint_2);
    if (joint->joint_1 < 0 || joint->joint_2 < 0 || joint->joint_1 == joint->joint_2)
        return nc_fail(err, NC_BAD_ARGUMENT, "a gear needs two different joints that are there");
    const nc_joint *first = &world->state.joints.data[joint->joint_1];
    if (nc_joint_geared_axis(first) < 0 || nc_joint_geared_axis(&world->state.joints.data[joint->joint_2]) < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a gear couples hinges, sliders and cylindrical joints only");
    if (!isfinite(def->ratio) || def->ratio == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "the ratio of a gear is %g; it must not be 0", def->ratio);
    joint->a = first->a;
    joint->b = first->b;
    joint->frame_a = joint->frame_b = nc_quat_identity();
    joint->ratio = def->ratio;
    joint->offset = geared_coordinate(world, joint->joint_1) + def->ratio * geared_coordinate(world, joint->joint_2);
    return NC_OK;
}

// Do the two bodies share a point, or are they too near for doubles to distinguish?
static nc_code starts_together(const nc_world *world, int a, int b, bool *out, nc_error *err)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_mesh *mesh_a = world->meshes.data[bodies->mesh[a]].mesh,
                  *mesh_b = world->meshes.data[bodies->mesh[b]].mesh;
    nc_intersection where;
    nc_closeness near = {.distance = INFINITY};
    nc_code code = nc_mesh_intersect(mesh_a, bodies->pose[a], mesh_b, bodies->pose[b], out, &where, err);
    if (code == NC_OK && !*out) {
        code = nc_closeness_find(mesh_a, bodies->pose[a], mesh_b, bodies->pose[b], 0, &near, err);
        *out = near.distance < near.least;
    }
    return code;
}

static nc_code exempt(nc_world *world, nc_joint *joint, nc_error *err)
{
    bool together = joint->collide == NC_JOINT_COLLIDE_NO;
    nc_code code = NC_OK;
    if (joint->b < 0 || joint->kind == NC_JOINT_GEAR || nc_state_pair_exempt(&world->state, joint->a, joint->b))
        return NC_OK;
    if (joint->collide == NC_JOINT_COLLIDE_AUTO)
        code = starts_together(world, joint->a, joint->b, &together, err);
    if (code != NC_OK || !together)
        return code;
    joint->exempted = true;
    return nc_world_exempt_pair(world, nc_world_id(world, joint->a), nc_world_id(world, joint->b), err);
}

static bool reserve_keys(nc_world *world, const nc_joint_drive *drive)
{
    nc_drive_keys *keys = &world->state.drive_keys;
    return nc_array_reserve(&world->settings.allocator, keys, keys->count + drive->key_count);
}

// Memory is there: cannot fail. Keys that a drive had before stay unused until the world is saved.
static void take_drive(nc_world *world, nc_joint *joint, int axis, const nc_joint_drive *drive)
{
    nc_drive_keys *keys = &world->state.drive_keys;
    joint->key_first[axis] = keys->count;
    joint->key_count[axis] = drive->key_count;
    for (int k = 0; k < drive->key_count; k++)
        keys->data[keys->count++] = drive->keys[k];
    joint->axes[axis].drive = *drive;
    joint->axes[axis].drive.keys = NULL;
    joint->axes[axis].drive.key_count = 0;
}

static int free_slot(const nc_joints *joints)
{
    for (int i = 0; i < joints->count; i++)
        if (!joints->data[i].alive)
            return i;
    return joints->count;
}

// All but its drives' keys and its slot.
static nc_code make(nc_world *world, const nc_joint_def *def, nc_joint *joint, nc_error *err)
{
    *joint = (nc_joint){.alive = true,
                        .kind = def->kind,
                        .collide = def->collide,
                        .breaks = def->breaks,
                        .a = nc_world_row(world, def->body_a),
                        .b = def->body_b.generation == 0 ? -1 : nc_world_row(world, def->body_b),
                        .break_force = def->break_force,
                        .break_torque = def->break_torque};
    memcpy(joint->axes, def->axes, sizeof joint->axes);
    if (def->name != NULL)
        memcpy(joint->name, def->name, strlen(def->name) + 1);
    nc_code code = check_axes(joint, def, err);
    if (code != NC_OK)
        return code;
    if (def->kind == NC_JOINT_GEAR)
        return couple(world, def, joint, err);
    place_joint(world, def, joint);
    return def->kind == NC_JOINT_DISTANCE ? set_length(def, joint, err) : NC_OK;
}

nc_code nc_joint_create(nc_world *world, const nc_joint_def *def, nc_joint_id *out, nc_error *err)
{
    nc_joint joint;
    nc_code code = check_def(world, def, err);
    if (code == NC_OK)
        code = make(world, def, &joint, err);
    if (code != NC_OK)
        return code;
    nc_joints *joints = &world->state.joints;
    int keys = 0;
    for (int k = 0; k < 6; k++)
        keys += def->axes[k].drive.key_count;
    if (!nc_array_reserve(&world->settings.allocator, joints, joints->count + 1) ||
        !nc_array_reserve(&world->settings.allocator, &world->state.drive_keys, world->state.drive_keys.count + keys))
        return nc_fail_memory(err, sizeof *joints->data);
    code = exempt(world, &joint, err);
    if (code != NC_OK)
        return code;
    const int slot = free_slot(joints);
    joint.generation = slot < joints->count ? joints->data[slot].generation + 1 : 1;
    for (int k = 0; k < 6; k++)
        take_drive(world, &joint, k, &def->axes[k].drive);
    joints->data[slot] = joint;
    joints->count = slot == joints->count ? slot + 1 : joints->count;
    nc_state_wake_joint(&world->state, &joint);
    if (out != NULL)
        *out = id_of(world, slot);
    return NC_OK;
}

// ---- changing -------------------------------------------------------------------------------------------------

void nc_state_wake_joint(nc_state *state, const nc_joint *joint)
{
    nc_state_wake(state, joint->a);
    if (joint->b >= 0)
        nc_state_wake(state, joint->b);
}

// Gears go with the joints that they couple.
static void forget(nc_state *state, int slot)
{
    state->joints.data[slot].alive = false;
    for (int i = 0; i < state->joints.count; i++) {
        nc_joint *gear = &state->joints.data[i];
        if (gear->alive && gear->kind == NC_JOINT_GEAR && (gear->joint_1 == slot || gear->joint_2 == slot))
            gear->alive = false;
    }
}

void nc_state_forget_joints(nc_state *state, int row)
{
    for (int i = 0; i < state->joints.count; i++) {
        const nc_joint *joint = &state->joints.data[i];
        if (joint->alive && (joint->a == row || joint->b == row))
            forget(state, i);
    }
}

// Does another joint that is there connect the two bodies?
static bool is_shared(const nc_joints *joints, int slot)
{
    const nc_joint *joint = &joints->data[slot];
    bool shared = false;
    for (int i = 0; i < joints->count; i++) {
        const nc_joint *other = &joints->data[i];
        shared = shared ||
                 (i != slot && other->alive && other->kind != NC_JOINT_GEAR &&
                  ((other->a == joint->a && other->b == joint->b) || (other->a == joint->b && other->b == joint->a)));
    }
    return shared;
}

// The pair that a joint exempted has to stay apart again, if it is apart: no nearer than it rests.
static nc_code end_exemption(nc_world *world, int slot, nc_error *err)
{
    const nc_joint *joint = &world->state.joints.data[slot];
    if (!joint->exempted || is_shared(&world->state.joints, slot))
        return NC_OK;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_mesh *mesh_a = world->meshes.data[bodies->mesh[joint->a]].mesh,
                  *mesh_b = world->meshes.data[bodies->mesh[joint->b]].mesh;
    const double rest = nc_world_pair_rest(world, joint->a, joint->b);
    bool together;
    nc_closeness near = {0};
    nc_code code = starts_together(world, joint->a, joint->b, &together, err);
    if (code == NC_OK && !together)
        code = nc_closeness_find(mesh_a, bodies->pose[joint->a], mesh_b, bodies->pose[joint->b], rest, &near, err);
    if (code == NC_OK && !together && near.distance >= rest)
        nc_state_end_exemption(&world->state, joint->a, joint->b);
    return code;
}

nc_code nc_joint_destroy(nc_world *world, nc_joint_id id, nc_error *err)
{
    const int slot = slot_of(world, id);
    if (slot < 0)
        return stale(err, id);
    const nc_code code = end_exemption(world, slot, err);
    if (code != NC_OK)
        return code;
    nc_state_wake_joint(&world->state, &world->state.joints.data[slot]);
    forget(&world->state, slot);
    return NC_OK;
}

nc_code nc_joint_set_drive(nc_world *world, nc_joint_id id, int axis, const nc_joint_drive *drive, nc_error *err)
{
    const int slot = slot_of(world, id);
    if (slot < 0)
        return stale(err, id);
    nc_joint *joint = &world->state.joints.data[slot];
    if (axis < 0 || axis > 5 || !nc_joint_measures(joint, axis))
        return nc_fail(err, NC_BAD_ARGUMENT, "axis %d of a joint of kind %s cannot be driven", axis,
                       nc_joint_kind_names[joint->kind]);
    const nc_code code = check_drive(drive, axis, err);
    if (code != NC_OK)
        return code;
    if (!reserve_keys(world, drive))
        return nc_fail_memory(err, sizeof *drive->keys);
    take_drive(world, joint, axis, drive);
    nc_state_wake_joint(&world->state, joint);
    return NC_OK;
}

// ---- reading --------------------------------------------------------------------------------------------------

const char *nc_joint_name(const nc_world *world, nc_joint_id id)
{
    const int slot = slot_of(world, id);
    return slot < 0 ? NULL : world->state.joints.data[slot].name;
}

int nc_world_joint_count(const nc_world *world)
{
    return nc_world_joints(world, NULL, 0);
}

int nc_world_joints(const nc_world *world, nc_joint_id *out, int capacity)
{
    int count = 0;
    for (int i = 0; i < world->state.joints.count; i++) {
        if (!world->state.joints.data[i].alive)
            continue;
        if (count < capacity)
            out[count] = id_of(world, i);
        count++;
    }
    return count;
}

nc_joint_id nc_world_find_joint(const nc_world *world, const char *name)
{
    for (int i = 0; i < world->state.joints.count; i++)
        if (world->state.joints.data[i].alive && strcmp(world->state.joints.data[i].name, name) == 0)
            return id_of(world, i);
    return (nc_joint_id){0, 0};
}

int nc_world_joint_breaks(const nc_world *world, nc_joint_break *out, int capacity)
{
    for (int k = 0; k < world->joint_breaks.count && k < capacity; k++)
        out[k] = world->joint_breaks.data[k];
    return world->joint_breaks.count;
}

static double rate_of(const nc_bodies *bodies, const nc_joint_arm arms[2])
{
    double sum = 0;
    for (int k = 0; k < 2; k++)
        if (arms[k].body >= 0)
            sum +=
                nc_dot(arms[k].linear, bodies->v[arms[k].body]) + nc_dot(arms[k].angular, bodies->spin[arms[k].body]);
    return sum;
}

static void read_gear(const nc_world *world, const nc_joint *joint, nc_joint_state *out)
{
    const nc_bodies *bodies = &world->state.bodies;
    const int slots[2] = {joint->joint_1, joint->joint_2};
    for (int k = 0; k < 2; k++) {
        const nc_joint *one = &world->state.joints.data[slots[k]];
        const nc_joint_place place = nc_joint_find_place(one, bodies->pose);
        const double factor = k == 0 ? 1 : joint->ratio;
        nc_joint_arm arms[2];
        nc_joint_axis_arms(one, &place, nc_joint_geared_axis(one), arms);
        out->position[0] += factor * geared_coordinate(world, slots[k]);
        out->velocity[0] += factor * rate_of(bodies, arms);
    }
    out->error_angle = fabs(out->position[0] - joint->offset);
}

static void read_axes(const nc_world *world, const nc_joint *joint, const nc_joint_place *place, nc_joint_state *out)
{
    for (int k = 0; k < 6; k++) {
        if (!nc_joint_measures(joint, k))
            continue;
        nc_joint_arm arms[2];
        nc_joint_axis_arms(joint, place, k, arms);
        out->position[k] = nc_joint_coordinate(joint, place, k, joint->turns);
        out->velocity[k] = rate_of(&world->state.bodies, arms);
    }
}

nc_code nc_joint_read(const nc_world *world, nc_joint_id id, nc_joint_state *out, nc_error *err)
{
    const int slot = slot_of(world, id);
    if (slot < 0)
        return stale(err, id);
    const nc_joint *joint = &world->state.joints.data[slot];
    const nc_joint_place place = nc_joint_find_place(joint, world->state.bodies.pose);
    *out = (nc_joint_state){.kind = joint->kind,
                            .body_a = nc_world_id(world, joint->a),
                            .broken = joint->broken,
                            .exempts = joint->exempted,
                            .collide = joint->collide,
                            .anchor_a = place.p_a,
                            .anchor_b = place.p_b,
                            .axis = place.axis_b[0],
                            .force = joint->force,
                            .torque = joint->torque};
    if (joint->b >= 0)
        out->body_b = nc_world_id(world, joint->b);
    memcpy(out->axes, joint->axes, sizeof out->axes);
    memcpy(out->drive_force, joint->drive_force, sizeof out->drive_force);
    if (joint->kind == NC_JOINT_GEAR) {
        read_gear(world, joint, out);
        return NC_OK;
    }
    read_axes(world, joint, &place, out);
    const nc_joint_errors errors = nc_joint_find_errors(joint, &place);
    out->error = errors.distance;
    out->error_angle = errors.angle;
    return NC_OK;
}
