// What joints bear in a step: the impulses of all solves whose velocities count, impacts included, over dt; and which
// joints break by it.
#include "step/step.h"

#include <string.h>

static nc_joint_reaction *reaction_of(const nc_step *step, int slot)
{
    return &step->work->joints.reactions.data[slot];
}

// [N], [N m] of a row's impulse on A, about A's anchor. `pose` is a column.
static void add_reaction(const nc_step *step, const nc_joint_row *row, const nc_pose *pose)
{
    const nc_joint *joint = &step->world->state.joints.data[row->joint];
    nc_joint_reaction *sum = reaction_of(step, row->joint);
    const double rate = row->impulse / step->dt;
    const nc_vec3 linear = row->end[0].linear;
    const nc_vec3 arm = nc_sub(nc_pose_apply(pose[joint->a], joint->anchor_a), pose[joint->a].x);
    sum->force = nc_madd(sum->force, rate, linear);
    sum->torque = nc_madd(sum->torque, rate, nc_sub(row->end[0].angular, nc_cross(arm, linear)));
    if (row->demand / 6 == NC_RULE_DRIVE)
        sum->drive_force[row->demand % 6] += rate;
}

void nc_step_begin_joint_impacts(nc_step *step)
{
    nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->rows.count; k++) // rows of islands that the solve leaves out
        joints->rows.data[k].impulse = 0;
}

void nc_step_add_joint_impacts(nc_step *step)
{
    const nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->rows.count; k++)
        add_reaction(step, &joints->rows.data[k], step->world->state.bodies.pose);
    nc_step_load_joints(step);
}

bool nc_step_row_is_carried(const nc_step *step, const nc_joint_row *row)
{
    const nc_joint *joint = &step->world->state.joints.data[row->joint];
    const int free = nc_row_is_free(step->work->role, joint->a) ? joint->a : joint->b;
    return free >= 0 && nc_carry_has(&step->work->carry, free);
}

static void add_all(const nc_step *step)
{
    const nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->start.count; k++) {
        const nc_joint_row *row = &joints->start.data[k];
        if (nc_step_row_is_carried(step, row))
            add_reaction(step, row, step->world->state.bodies.pose);
    }
    for (int k = 0; k < joints->rows.count; k++)
        add_reaction(step, &joints->rows.data[k], step->world->candidates.pose);
}

static bool exceeds(const nc_joint *joint, const nc_joint_reaction *reaction)
{
    return (joint->break_force > 0 && nc_norm(reaction->force) > joint->break_force) ||
           (joint->break_torque > 0 && nc_norm(reaction->torque) > joint->break_torque);
}

nc_code nc_step_strain_joints(nc_step *step, nc_error *err)
{
    const nc_step_joints *joints = &step->work->joints;
    nc_code code = NC_OK;
    add_all(step);
    for (int k = 0; code == NC_OK && k < joints->active.count; k++) {
        const int slot = joints->active.data[k];
        nc_joint_reaction *reaction = reaction_of(step, slot);
        reaction->breaks = exceeds(&step->world->state.joints.data[slot], reaction);
        if (reaction->breaks)
            code = nc_step_record_joint_break(step, slot, reaction->force, reaction->torque, err);
    }
    return code;
}

nc_joint_break nc_step_joint_break(const nc_step *step, int slot)
{
    const nc_joint *joint = &step->world->state.joints.data[slot];
    const nc_joint_reaction *reaction = reaction_of(step, slot);
    nc_joint_break event = {.joint = {(uint32_t)slot, joint->generation},
                            .kind = joint->kind,
                            .step = step->world->state.step_count + 1,
                            .time = step->time + step->dt,
                            .force = nc_norm(reaction->force),
                            .torque = nc_norm(reaction->torque)};
    memcpy(event.name, joint->name, sizeof event.name);
    return event;
}

void nc_step_commit_reaction(nc_step *step, int slot)
{
    nc_joint *joint = &step->world->state.joints.data[slot];
    const nc_joint_reaction *reaction = reaction_of(step, slot);
    joint->force = reaction->force;
    joint->torque = reaction->torque;
    for (int i = 0; i < 6; i++)
        joint->drive_force[i] = reaction->drive_force[i];
    if (!reaction->breaks)
        return;
    nc_world *world = step->world;
    world->joint_breaks.data[world->joint_breaks.count++] = nc_step_joint_break(step, slot);
    joint->broken = true;
    step->report.joint_breaks++;
}
