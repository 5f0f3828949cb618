// Joints in a step: which of them act, what they did, what breaks.
#include "step/step.h"

void nc_step_joints_free(nc_step_joints *joints, const nc_allocator *allocator)
{
    nc_array_free(allocator, &joints->active);
    nc_array_free(allocator, &joints->jointed);
    nc_array_free(allocator, &joints->skip);
    nc_array_free(allocator, &joints->pairs);
    nc_array_free(allocator, &joints->mechanisms);
    nc_array_free(allocator, &joints->parent);
    nc_array_free(allocator, &joints->rows);
    nc_array_free(allocator, &joints->demand);
    nc_array_free(allocator, &joints->start);
    nc_array_free(allocator, &joints->settled);
    nc_array_free(allocator, &joints->ends);
    nc_array_free(allocator, &joints->best);
    nc_array_free(allocator, &joints->aims);
    nc_array_free(allocator, &joints->reactions);
    nc_array_free(allocator, &joints->ease);
    nc_array_free(allocator, &joints->eager);
    nc_array_free(allocator, &joints->eager_turn);
    nc_array_free(allocator, &joints->plain);
    nc_array_free(allocator, &joints->plain_turn);
}

// ---- which act ------------------------------------------------------------------------------------------------

// The rows of a joint's bodies, a gear's four: -1 for the world.
static void bodies_of(const nc_joints *joints, int slot, int out[4])
{
    const nc_joint *joint = &joints->data[slot];
    const nc_joint *two[2] = {joint, joint};
    if (joint->kind == NC_JOINT_GEAR) {
        two[0] = &joints->data[joint->joint_1];
        two[1] = &joints->data[joint->joint_2];
    }
    for (int k = 0; k < 2; k++) {
        out[2 * k] = two[k]->a;
        out[2 * k + 1] = two[k]->b;
    }
}

static bool is_whole(const nc_joints *joints, int slot)
{
    const nc_joint *joint = &joints->data[slot];
    if (!joint->alive || joint->broken)
        return false;
    return joint->kind != NC_JOINT_GEAR ||
           !(joints->data[joint->joint_1].broken || joints->data[joint->joint_2].broken);
}

// Adds a joint that has a free body. False when out of memory.
static bool enter(nc_step_joints *joints, const nc_workspace *w, const nc_joints *all, int slot)
{
    int row[4], first = -1;
    bodies_of(all, slot, row);
    for (int e = 0; e < 4; e++)
        if (row[e] >= 0 && nc_row_is_free(w->role, row[e]) && first < 0)
            first = row[e];
    if (first < 0)
        return true;
    for (int e = 0; e < 4; e++) {
        if (row[e] < 0)
            continue;
        joints->jointed.data[row[e]] = 1;
        const nc_row_pair pair = {first, row[e]};
        if (row[e] != first && nc_row_is_free(w->role, row[e]) && !nc_array_push(&w->allocator, &joints->pairs, pair))
            return false;
    }
    return nc_array_push(&w->allocator, &joints->active, slot);
}

// Which free bodies are of one mechanism.
static void find_mechanisms(nc_step_joints *joints, int rows)
{
    int *parent = joints->parent.data;
    for (int i = 0; i < rows; i++)
        parent[i] = i;
    for (int k = 0; k < joints->pairs.count; k++)
        nc_forest_join(parent, joints->pairs.data[k].i, joints->pairs.data[k].j);
    for (int i = 0; i < rows; i++)
        joints->mechanisms.data[i].root = nc_forest_root(parent, i);
}

static bool reserve_rows(nc_step_joints *joints, int rows, const nc_allocator *allocator)
{
    return nc_array_reserve(allocator, &joints->jointed, rows) && nc_array_reserve(allocator, &joints->skip, rows) &&
           nc_array_reserve(allocator, &joints->ends, rows) && nc_array_reserve(allocator, &joints->parent, rows) &&
           nc_array_reserve(allocator, &joints->mechanisms, rows) && nc_array_reserve(allocator, &joints->ease, rows) &&
           nc_array_reserve(allocator, &joints->eager, rows) && nc_array_reserve(allocator, &joints->plain, rows) &&
           nc_array_reserve(allocator, &joints->eager_turn, rows) &&
           nc_array_reserve(allocator, &joints->plain_turn, rows);
}

nc_code nc_step_begin_joints(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_step_joints *joints = &w->joints;
    const nc_joints *all = &step->world->state.joints;
    const int rows = step->world->state.bodies.count;
    joints->active.count = joints->pairs.count = joints->rows.count = joints->start.count = 0;
    joints->demand.count = 0;
    joints->view = (nc_joint_rows){0};
    joints->on = false;
    bool good =
        reserve_rows(joints, rows, &w->allocator) && nc_array_reserve(&w->allocator, &joints->reactions, all->count);
    for (int k = 0; good && k < all->count; k++)
        joints->reactions.data[k] = (nc_joint_reaction){0};
    for (int i = 0; good && i < rows; i++)
        joints->jointed.data[i] = joints->skip.data[i] = 0;
    for (int k = 0; good && k < all->count; k++)
        good = !is_whole(all, k) || enter(joints, w, all, k);
    if (!good)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d joints", all->count);
    if (!nc_array_reserve(&step->world->settings.allocator, &step->world->joint_breaks,
                          step->world->joint_breaks.count + joints->active.count))
        return nc_fail_memory(err, (size_t)joints->active.count * sizeof(nc_joint_break));
    joints->on = joints->active.count > 0;
    find_mechanisms(joints, rows);
    w->islands.pairs = joints->pairs.data;
    w->islands.pair_count = joints->pairs.count;
    w->islands.jointed = joints->on ? joints->jointed.data : NULL;
    return NC_OK;
}

bool nc_step_is_jointed(const nc_step *step, int row)
{
    return step->work->joints.on && step->work->joints.jointed.data[row];
}

void nc_step_skip_unmarked(nc_step *step, bool marked_only)
{
    nc_workspace *w = step->work;
    w->joints.view.skip = marked_only ? w->joints.skip.data : NULL;
    for (int i = 0; marked_only && i < step->world->state.bodies.count; i++)
        w->joints.skip.data[i] = nc_row_is_free(w->role, i) && !w->islands.marked.data[w->islands.of.data[i]];
}

nc_code nc_step_keep_joints(nc_step *step, nc_error *err)
{
    nc_step_joints *joints = &step->work->joints;
    joints->start.count = 0;
    if (!nc_array_reserve(&step->work->allocator, &joints->start, joints->rows.count))
        return nc_fail_memory(err, (size_t)joints->rows.count * sizeof *joints->rows.data);
    for (int k = 0; k < joints->rows.count; k++)
        joints->start.data[joints->start.count++] = joints->rows.data[k];
    return NC_OK;
}

// ---- what they did --------------------------------------------------------------------------------------------

void nc_step_measure_joints(nc_step *step)
{
    nc_joints *all = &step->world->state.joints;
    const nc_step_joints *joints = &step->work->joints;
    const nc_pose *pose = step->world->candidates.pose;
    for (int k = 0; k < joints->active.count; k++) {
        nc_joint *joint = &all->data[joints->active.data[k]];
        nc_step_commit_reaction(step, joints->active.data[k]);
        if (joint->kind == NC_JOINT_GEAR)
            continue;
        const nc_joint_place place = nc_joint_find_place(joint, pose);
        const nc_joint_errors errors = nc_joint_find_errors(joint, &place);
        joint->turns = nc_joint_coordinate(joint, &place, 3, joint->turns);
        if (joint->kind == NC_JOINT_DISTANCE)
            joint->turns = 0;
        step->report.joint_error = fmax(step->report.joint_error, errors.distance);
        step->report.joint_error_angle = fmax(step->report.joint_error_angle, errors.angle);
    }
    step->report.joints = joints->active.count;
}

// ---- sleep ----------------------------------------------------------------------------------------------------

bool nc_step_joint_is_driven(const nc_step *step, const nc_joint *joint)
{
    const nc_drive_key *keys = step->world->state.drive_keys.data;
    for (int k = 0; k < 6; k++)
        if (joint->axes[k].drive.mode != NC_DRIVE_NONE &&
            nc_drive_moves(&joint->axes[k].drive, keys + joint->key_first[k], joint->key_count[k], step->time))
            return true;
    return false;
}

void nc_step_join_resting(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_step_joints *joints = &w->joints;
    for (int k = 0; k < joints->pairs.count; k++)
        nc_forest_join(w->sleep.group.data, joints->pairs.data[k].i, joints->pairs.data[k].j);
    for (int k = 0; k < joints->active.count; k++) {
        const nc_joint *joint = &step->world->state.joints.data[joints->active.data[k]];
        const bool free_b = joint->b >= 0 && nc_row_is_free(w->role, joint->b);
        const int free = nc_row_is_free(w->role, joint->a) ? joint->a : joint->b;
        nc_unrest *unrest = &w->sleep.unrest.data[free];
        unrest->borne |= !(nc_row_is_free(w->role, joint->a) && free_b);
        unrest->disturbed |= nc_step_joint_is_driven(step, joint);
    }
}
