// A world with joints as a task for a peer program.
#include "bench/joints/joints.h"

#include "world/world.h"

// The axis that turns or slides, which may have a limit, friction and a drive; of a ball it is the twist.
static int main_axis(const nc_joint *joint)
{
    return joint->kind == NC_JOINT_SLIDER ? 0 : 3;
}

static bool is_driven(const nc_joint *joint, int axis)
{
    return joint->axes[axis].drive.mode != NC_DRIVE_NONE;
}

// A drive towards a position that the peer can follow: rigid, with keys or a constant, without an oscillation.
static bool drive_is_plain(const nc_joint_drive *drive)
{
    return drive->mode == NC_DRIVE_POSITION && drive->stiffness == 0 && drive->damping == 0 && drive->amplitude == 0;
}

static bool is_supported(const nc_joint *joint)
{
    const int main = main_axis(joint);
    const nc_joint_axis *axis = &joint->axes[main], *swing = &joint->axes[4];
    const bool known = joint->kind == NC_JOINT_HINGE || joint->kind == NC_JOINT_BALL || joint->kind == NC_JOINT_SLIDER;
    for (int i = 0; i < 6; i++)
        if (joint->axes[i].stiffness != 0 || joint->axes[i].damping != 0 || (i != main && is_driven(joint, i)))
            return false;
    if (is_driven(joint, main) && !(joint->kind == NC_JOINT_SLIDER && drive_is_plain(&axis->drive)))
        return false;
    if (joint->kind == NC_JOINT_BALL && (axis->limited || swing->limited))
        return axis->limited && swing->limited && axis->lower == -axis->upper && axis->friction == 0;
    return known && (axis->friction == 0 || joint->kind == NC_JOINT_HINGE);
}

static void write_frame(FILE *file, nc_vec3 x, nc_quat q)
{
    fprintf(file, " %a %a %a %a %a %a %a", x.x, x.y, x.z, q.w, q.x, q.y, q.z);
}

static void write_drive(FILE *file, const nc_state *state, const nc_joint *joint, int axis)
{
    const nc_joint_drive *drive = &joint->axes[axis].drive;
    const int count = joint->key_count[axis];
    if (!is_driven(joint, axis)) {
        fputs(" 0 0\n", file);
        return;
    }
    fprintf(file, " %a %d", drive->max_force, count > 0 ? count : 1);
    if (count == 0)
        fprintf(file, " 0 %a", drive->target);
    for (int i = 0; i < count; i++) {
        const nc_drive_key *key = &state->drive_keys.data[joint->key_first[axis] + i];
        fprintf(file, " %a %a", key->time, key->value);
    }
    fputc('\n', file);
}

static void write_joint(FILE *file, const nc_state *state, const nc_joint *joint)
{
    const int main = main_axis(joint);
    const nc_joint_axis *axis = &joint->axes[main], *swing = &joint->axes[4];
    const bool has_cone = joint->kind == NC_JOINT_BALL && swing->limited;
    const bool exempt = joint->b >= 0 && nc_state_pair_exempt(state, joint->a, joint->b);
    fprintf(file, "%d %d %d %d", (int)joint->kind, joint->a, joint->b, exempt ? 0 : 1);
    write_frame(file, joint->anchor_a, joint->frame_a);
    write_frame(file, joint->anchor_b, joint->frame_b);
    fprintf(file, " %d %a %a %a %a", axis->limited, axis->lower, axis->upper, has_cone ? swing->upper : 0,
            axis->friction);
    write_drive(file, state, joint, main);
}

nc_code nc_joints_write_task(const nc_world *world, double dt, double margin, FILE *file, nc_error *err)
{
    const nc_joints *joints = &world->state.joints;
    int count = 0;
    for (int i = 0; i < joints->count; i++)
        if (joints->data[i].alive && !is_supported(&joints->data[i]))
            return nc_fail(err, NC_BAD_ARGUMENT, "the joint \"%s\" (%s) is not one that the peer has",
                           joints->data[i].name, nc_joint_kind_names[joints->data[i].kind]);
        else
            count += joints->data[i].alive;
    nc_bench_write_world(world, dt, margin, file);
    fprintf(file, "%d\n", count);
    for (int i = 0; i < joints->count; i++)
        if (joints->data[i].alive)
            write_joint(file, &world->state, &joints->data[i]);
    return NC_OK;
}
