// Rows of joints: from what a joint locks, limits and drives to what solvers get.
//
// A step has two solves (RATTLE): one at its start, whose velocities move the bodies to poses that fulfil the joints,
// and one at its end, which fulfils them for velocities. Each gives half of the impulse of drives, dampers and
// friction. A spring acts with its force half way through the step, the same in both: the implicit midpoint rule.
#include "step/step.h"

// ---- demands --------------------------------------------------------------------------------------------------

// A demand and its derivative.
typedef struct demand {
    nc_joint_demand what;
    nc_joint_arm arms[4];
} demand;

#define MOST_DEMANDS 40

typedef struct demands {
    demand each[MOST_DEMANDS];
    int count;
} demands;

static demand *push(demands *list, nc_joint_rule rule, int slot, int axis, double value)
{
    demand *out = &list->each[list->count++];
    *out = (demand){.what = {.rule = rule, .joint = slot, .axis = axis, .value = value}};
    for (int e = 0; e < 4; e++)
        out->arms[e].body = -1;
    return out;
}

static void push_rotation(demands *list, const nc_joint *joint, int slot, double value, int axis, nc_vec3 about)
{
    demand *out = push(list, NC_RULE_EQUAL, slot, axis, value);
    out->arms[0] = (nc_joint_arm){joint->a, {0, 0, 0}, about};
    out->arms[1] = (nc_joint_arm){joint->b, {0, 0, 0}, nc_neg(about)};
}

// d(x_a . y_b)/dt = (w_a - w_b) . (x_a cross y_b).
static void push_rotations(demands *list, const nc_joint *joint, const nc_joint_place *p, int slot)
{
    const nc_joint_lock rotation = nc_joint_rotation(joint);
    if (rotation == NC_LOCK_SWING)
        for (int k = 1; k < 3; k++)
            push_rotation(list, joint, slot, nc_dot(p->axis_a[0], p->axis_b[k]), 3 + k,
                          nc_cross(p->axis_a[0], p->axis_b[k]));
    if (rotation == NC_LOCK_CROSS)
        push_rotation(list, joint, slot, nc_dot(p->axis_a[1], p->axis_b[0]), 5, nc_cross(p->axis_a[1], p->axis_b[0]));
    if (rotation == NC_LOCK_ALL) {
        const nc_vec3 turn = nc_quat_rotation_vector(p->turn);
        const double value[3] = {turn.x, turn.y, turn.z};
        for (int k = 0; k < 3; k++)
            push_rotation(list, joint, slot, value[k], 3 + k, p->axis_b[k]);
    }
}

static void push_axis(demands *list, const nc_joint *joint, const nc_joint_place *p, int slot, int axis)
{
    const nc_joint_axis *how = &joint->axes[axis];
    const double q = nc_joint_coordinate(joint, p, axis, joint->turns);
    const int first = list->count;
    if (how->limited) {
        if (!nc_joint_axis_is_swing(joint, axis) || how->lower > 0)
            push(list, NC_RULE_LOWER, slot, axis, q - how->lower);
        push(list, NC_RULE_UPPER, slot, axis, q - how->upper);
    }
    if (how->stiffness > 0 || how->damping > 0)
        push(list, NC_RULE_SPRING, slot, axis, q);
    if (how->friction > 0)
        push(list, NC_RULE_FRICTION, slot, axis, q);
    if (how->drive.mode != NC_DRIVE_NONE)
        push(list, NC_RULE_DRIVE, slot, axis, q);
    for (int k = first; k < list->count; k++)
        nc_joint_axis_arms(joint, p, axis, list->each[k].arms);
}

static void push_distance(demands *list, const nc_joint *joint, const nc_joint_place *p, int slot)
{
    const double length = nc_joint_coordinate(joint, p, 0, 0);
    const int first = list->count;
    if (joint->length_min == joint->length_max) {
        push(list, NC_RULE_EQUAL, slot, 0, length - joint->length_min);
    } else {
        push(list, NC_RULE_UPPER, slot, 0, length - joint->length_max);
        if (joint->length_min > 0)
            push(list, NC_RULE_LOWER, slot, 0, length - joint->length_min);
    }
    for (int k = first; k < list->count; k++)
        nc_joint_axis_arms(joint, p, 0, list->each[k].arms);
}

static void push_gear(demands *list, const nc_joints *joints, const nc_joint *gear, const nc_pose *pose, int slot)
{
    demand *out = push(list, NC_RULE_EQUAL, slot, 0, -gear->offset);
    const int slots[2] = {gear->joint_1, gear->joint_2};
    for (int k = 0; k < 2; k++) {
        const nc_joint *one = &joints->data[slots[k]];
        const nc_joint_place p = nc_joint_find_place(one, pose);
        const int axis = nc_joint_geared_axis(one);
        const double factor = k == 0 ? 1 : gear->ratio;
        nc_joint_axis_arms(one, &p, axis, &out->arms[2 * k]);
        for (int e = 2 * k; e < 2 * k + 2; e++) {
            out->arms[e].linear = nc_scale(factor, out->arms[e].linear);
            out->arms[e].angular = nc_scale(factor, out->arms[e].angular);
        }
        out->what.value += factor * nc_joint_coordinate(one, &p, axis, one->turns);
    }
}

// What a joint demands where bodies are at `pose` (a column).
static void list_demands(const nc_joints *joints, int slot, const nc_pose *pose, demands *list)
{
    const nc_joint *joint = &joints->data[slot];
    list->count = 0;
    if (joint->kind == NC_JOINT_GEAR) {
        push_gear(list, joints, joint, pose, slot);
        return;
    }
    const nc_joint_place place = nc_joint_find_place(joint, pose);
    if (joint->kind == NC_JOINT_DISTANCE)
        push_distance(list, joint, &place, slot);
    for (int k = 0; k < 3 && joint->kind != NC_JOINT_DISTANCE; k++)
        if (nc_joint_locks(joint, k)) {
            demand *out = push(list, NC_RULE_EQUAL, slot, k, nc_joint_coordinate(joint, &place, k, 0));
            nc_joint_axis_arms(joint, &place, k, out->arms);
        }
    push_rotations(list, joint, &place, slot);
    for (int k = 0; k < 6; k++)
        if (nc_joint_measures(joint, k))
            push_axis(list, joint, &place, slot, k);
}

// ---- from demands to rows -------------------------------------------------------------------------------------

// The solve that rows are made for.
typedef struct moment {
    const nc_step *step;
    const nc_pose *pose;  // a column
    const nc_vec3 *v, *w; // [m/s], [rad/s] by row, when the step began
    bool start;           // it moves the bodies
    bool impact;          // it is about collisions: nothing but what is rigid acts
} moment;

// [m/s] of an axis with these velocities.
static double speed_of(const demand *d, const nc_vec3 *v, const nc_vec3 *w)
{
    double sum = 0;
    for (int e = 0; e < 4; e++)
        if (d->arms[e].body >= 0)
            sum += nc_dot(d->arms[e].linear, v[d->arms[e].body]) + nc_dot(d->arms[e].angular, w[d->arms[e].body]);
    return sum;
}

// Is the velocity of one of its bodies that of its motion (carry.c)? Then half of a force is in it already.
static bool is_carried(const moment *m, const nc_joint *joint)
{
    const nc_workspace *w = m->step->work;
    const int free = nc_row_is_free(w->role, joint->a) ? joint->a : joint->b;
    return free >= 0 && nc_carry_has(&w->carry, free);
}

static bool limit_row(const moment *m, const demand *d, const nc_joint *joint, nc_joint_row *row)
{
    const double sign = d->what.rule == NC_RULE_LOWER ? 1 : -1, play = sign * d->what.value;
    const double restitution = joint->kind == NC_JOINT_DISTANCE ? 0 : joint->axes[d->what.axis].restitution;
    const bool touches = play <= NC_JOINT_LIMIT_TOUCH;
    row->low = sign > 0 ? 0 : -INFINITY;
    row->high = sign > 0 ? INFINITY : 0;
    if (m->start) {
        row->target = (d->what.aim - d->what.value) / m->step->dt;
        return true;
    }
    if (!touches)
        return false;
    const double speed = sign * speed_of(d, m->v, m->w);
    const bool bounces = !m->impact && speed < -nc_rest_speed(&m->step->world->settings, m->step->dt);
    row->target = bounces ? -sign * restitution * speed : 0;
    return true;
}

// What a spring gave at the start of the step, or -1 if that is not known.
static const nc_joint_row *started(const nc_step_joints *joints, const nc_joint_demand *what)
{
    for (int k = 0; k < joints->start.count; k++)
        if (joints->start.data[k].joint == what->joint &&
            joints->start.data[k].demand == (int)what->rule * 6 + what->axis)
            return &joints->start.data[k];
    return NULL;
}

static void spring_row(const moment *m, const demand *d, const nc_joint *joint, double h, nc_joint_row *row)
{
    const nc_joint_axis *how = &joint->axes[d->what.axis];
    const double dt = m->step->dt, k = how->stiffness, c = how->damping;
    const nc_joint_row *first = m->start || !is_carried(m, joint) ? NULL : started(&m->step->work->joints, &d->what);
    if (first != NULL) { // the same again
        row->low = row->high = first->impulse;
        return;
    }
    const double ahead = m->start ? 0.5 * dt : dt;
    row->compliance = 1 / (h * (k * ahead + c));
    row->target = k * (how->rest - d->what.value) / (k * ahead + c);
}

static void drive_row(const moment *m, const demand *d, const nc_joint *joint, double h, nc_joint_row *row)
{
    const nc_joint_drive *drive = &joint->axes[d->what.axis].drive;
    const nc_drive_key *keys = m->step->world->state.drive_keys.data + joint->key_first[d->what.axis];
    const int count = joint->key_count[d->what.axis];
    const double dt = m->step->dt, now = m->step->time, k = drive->stiffness, c = drive->damping;
    const double target = nc_drive_target(drive, keys, count, now + dt);
    const double most = drive->max_force > 0 ? drive->max_force * h : INFINITY;
    row->low = -most;
    row->high = most;
    if (drive->mode == NC_DRIVE_FORCE) {
        const double force = drive->max_force > 0 ? fmin(fmax(target, -drive->max_force), drive->max_force) : target;
        row->low = row->high = force * h;
    } else if (drive->mode == NC_DRIVE_VELOCITY) {
        row->target = target;
        row->compliance = c > 0 ? 1 / (h * c) : 0;
    } else {
        const double rate = (target - nc_drive_target(drive, keys, count, now)) / dt;
        const bool rigid = k == 0 && c == 0;
        const nc_joint_row *first =
            m->start || !is_carried(m, joint) ? NULL : started(&m->step->work->joints, &d->what);
        const bool at_most = first != NULL && fabs(first->impulse) >= most;
        if (rigid && at_most) { // still not there: with all its force
            row->low = row->high = first->impulse;
            return;
        }
        row->target = rigid ? (target - d->what.value) / dt + (m->start ? 0 : rate)
                            : (k * (target - d->what.value) + c * rate) / (k * dt + c);
        row->compliance = rigid ? 0 : 1 / (h * (k * dt + c));
    }
}

// False: it does not act in this solve.
static bool make_row(const moment *m, const demand *d, nc_joint_row *row)
{
    const nc_joint *joint = &m->step->world->state.joints.data[d->what.joint];
    const double h = !m->start && !is_carried(m, joint) ? m->step->dt : 0.5 * m->step->dt;
    *row = (nc_joint_row){
        .low = -INFINITY, .high = INFINITY, .joint = d->what.joint, .demand = (int)d->what.rule * 6 + d->what.axis};
    for (int e = 0; e < 4; e++)
        row->end[e] = (nc_joint_end){d->arms[e].body, d->arms[e].linear, d->arms[e].angular};
    switch (d->what.rule) {
    case NC_RULE_EQUAL:
        row->target = m->start ? (d->what.aim - d->what.value) / m->step->dt : 0;
        return true;
    case NC_RULE_LOWER:
    case NC_RULE_UPPER:
        return limit_row(m, d, joint, row);
    case NC_RULE_SPRING:
        row->drives = true;
        if (!m->impact)
            spring_row(m, d, joint, h, row);
        return !m->impact;
    case NC_RULE_FRICTION:
        row->high = h * joint->axes[d->what.axis].friction;
        row->low = -row->high;
        return !m->impact;
    case NC_RULE_DRIVE:
        row->drives = true;
        drive_row(m, d, joint, h, row);
        return !m->impact;
    }
    return false;
}

// ---- lists of rows --------------------------------------------------------------------------------------------

// What is left of an error when a step has removed what it may of it.
static double left_of(double value)
{
    return value - fmin(fmax(value, -NC_JOINT_CORRECTION), NC_JOINT_CORRECTION);
}

static nc_code make_rows(const moment *m, nc_step_joints *joints, const nc_allocator *allocator, nc_error *err)
{
    const nc_joints *all = &m->step->world->state.joints;
    demands list;
    joints->rows.count = joints->demand.count = 0;
    for (int k = 0; k < joints->active.count; k++) {
        list_demands(all, joints->active.data[k], m->pose, &list);
        for (int i = 0; i < list.count; i++) {
            nc_joint_row row;
            if (m->start && list.each[i].what.rule == NC_RULE_EQUAL)
                list.each[i].what.aim = left_of(list.each[i].what.value);
            if (!make_row(m, &list.each[i], &row))
                continue;
            if (!nc_array_push(allocator, &joints->rows, row) ||
                !nc_array_push(allocator, &joints->demand, list.each[i].what))
                return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the rows of %d joints", joints->active.count);
        }
    }
    joints->view = (nc_joint_rows){joints->rows.data, joints->rows.count, false, NULL, joints->jointed.data};
    return NC_OK;
}

static moment moment_of(const nc_step *step, const nc_pose *pose)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    return (moment){.step = step, .pose = pose, .v = bodies->v, .w = bodies->spin};
}

nc_code nc_step_joints_for_impacts(nc_step *step, nc_error *err)
{
    moment m = moment_of(step, step->world->state.bodies.pose);
    m.impact = true;
    const nc_code code = make_rows(&m, &step->work->joints, &step->work->allocator, err);
    step->work->joints.view.touched_only = true;
    return code;
}

nc_code nc_step_joints_for_start(nc_step *step, nc_error *err)
{
    moment m = moment_of(step, step->world->state.bodies.pose);
    m.start = true;
    return make_rows(&m, &step->work->joints, &step->work->allocator, err);
}

nc_code nc_step_joints_for_end(nc_step *step, nc_error *err)
{
    const moment m = moment_of(step, step->world->candidates.pose);
    return make_rows(&m, &step->work->joints, &step->work->allocator, err);
}

nc_code nc_step_joints_for_released(nc_step *step, nc_error *err)
{
    nc_step_joints *joints = &step->work->joints;
    const int count = joints->rows.count;
    if (!nc_array_reserve(&step->work->allocator, &joints->best, count))
        return nc_fail_memory(err, (size_t)count * sizeof(double));
    for (int k = 0; k < count; k++)
        joints->best.data[k] = joints->rows.data[k].impulse;
    const nc_code code = nc_step_joints_for_end(step, err);
    for (int k = 0; code == NC_OK && k < count; k++) // the same rows: bodies are where they were
        if (!step->work->islands.marked.data[nc_step_joint_island(step, &joints->rows.data[k])])
            joints->rows.data[k].impulse = joints->best.data[k];
    return code;
}

nc_code nc_step_begin_lifted_joints(nc_step *step, nc_error *err)
{
    nc_step_joints *joints = &step->work->joints;
    const int count = joints->rows.count;
    if (!nc_array_reserve(&step->work->allocator, &joints->settled, count))
        return nc_fail_memory(err, (size_t)count * sizeof *joints->rows.data);
    for (int k = 0; k < count; k++) {
        nc_joint_row *row = &joints->rows.data[k];
        joints->settled.data[k] = *row;
        row->target = 0;
        if (joints->demand.data[k].rule > NC_RULE_UPPER)
            row->low = row->high = 0;
    }
    joints->view.touched_only = true;
    joints->view.skip = NULL;
    return NC_OK;
}

void nc_step_end_lifted_joints(nc_step *step)
{
    nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->rows.count; k++)
        joints->rows.data[k] = joints->settled.data[k];
    joints->view.touched_only = false;
}

// What pushes bodies apart in step 5 must keep joints together, and leaves forces as they are.
void nc_step_joints_for_proposals(nc_step *step)
{
    nc_step_joints *joints = &step->work->joints;
    int kept = 0;
    for (int k = 0; k < joints->rows.count; k++)
        if (joints->demand.data[k].rule <= NC_RULE_UPPER) {
            joints->rows.data[kept] = joints->rows.data[k];
            joints->demand.data[kept++] = joints->demand.data[k];
        }
    joints->rows.count = joints->demand.count = kept;
    joints->view = (nc_joint_rows){joints->rows.data, kept, true, NULL, joints->jointed.data};
}

// ---- aims -----------------------------------------------------------------------------------------------------

// Where the proposals of jointed bodies end, with the velocities in the solver's columns.
static void find_ends(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i] || !w->joints.jointed.data[i])
            continue;
        w->joints.ends.data[i] = bodies->pose[i];
        if (w->role[i] == NC_ROLE_SCRIPTED)
            w->joints.ends.data[i] = nc_path_pose(&w->flight[i], 1);
        if (!nc_row_is_free(w->role, i))
            continue;
        uint8_t flags = 0;
        const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], bodies->pose[i].q, w->w[i]);
        const double energy = nc_inertia_energy(&bodies->inertia[i], bodies->pose[i].q, momentum);
        const nc_path path = nc_step_free_path(step, i, w->v[i], momentum, energy, &flags);
        w->joints.ends.data[i] = nc_path_pose(&path, 1);
    }
}

// [m] or [rad] how far a row that acts misses its aim.
static double miss_of(const nc_joint_row *row, const nc_joint_demand *what, double end)
{
    const double miss = end - what->aim;
    if (what->rule == NC_RULE_EQUAL)
        return fabs(miss);
    if (what->rule == NC_RULE_LOWER)
        return row->impulse > 0 ? fabs(miss) : fmax(0, -miss);
    if (what->rule == NC_RULE_UPPER)
        return row->impulse < 0 ? fabs(miss) : fmax(0, miss);
    return 0;
}

int nc_step_joint_island(const nc_step *step, const nc_joint_row *row)
{
    const nc_workspace *w = step->work;
    int e = 0;
    while (row->end[e].body < 0 || !nc_row_is_free(w->role, row->end[e].body))
        e++;
    return w->islands.of.data[row->end[e].body];
}

// The aim of a row's island.
static nc_joint_aim *aim_of(const nc_step *step, const nc_joint_row *row)
{
    return &step->work->joints.aims.data[nc_step_joint_island(step, row)];
}

nc_code nc_step_begin_aims(nc_step *step, nc_error *err)
{
    nc_step_joints *joints = &step->work->joints;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&step->work->allocator, &joints->best, joints->rows.count) ||
        !nc_array_reserve(&step->work->allocator, &joints->aims, rows))
        return nc_fail_memory(err, (size_t)joints->rows.count * sizeof(double));
    for (int i = 0; i < rows; i++)
        joints->aims.data[i] = (nc_joint_aim){.least = INFINITY};
    for (int k = 0; k < joints->rows.count; k++)
        joints->demand.data[k].target = joints->rows.data[k].target;
    return NC_OK;
}

void nc_step_find_joint_ends(nc_step *step)
{
    nc_step_joints *joints = &step->work->joints;
    demands list;
    int at = 0;
    find_ends(step);
    for (int k = 0; k < joints->active.count; k++) {
        list_demands(&step->world->state.joints, joints->active.data[k], joints->ends.data, &list);
        for (int i = 0; i < list.count; i++) // all act at the start
            joints->demand.data[at++].end = list.each[i].what.value;
    }
}

// The largest misses to the islands' aims.
static void measure_aims(nc_step *step)
{
    const nc_workspace *w = step->work;
    const nc_step_joints *joints = &w->joints;
    nc_step_find_joint_ends(step);
    for (int i = 0; i < step->world->state.bodies.count; i++)
        joints->aims.data[i].now = 0;
    for (int k = 0; k < joints->rows.count; k++) {
        nc_joint_aim *aim = aim_of(step, &joints->rows.data[k]);
        aim->now = fmax(aim->now, miss_of(&joints->rows.data[k], &joints->demand.data[k], joints->demand.data[k].end));
    }
}

// Renews the target of one row, or takes the best one back. True: it is to be solved again.
static bool renew(nc_joint_row *row, const nc_joint_demand *what, const nc_joint_aim *aim, double *best, double dt)
{
    if (aim->settled || !(aim->now > NC_JOINT_AIM))
        return false;
    if (aim->now < NC_JOINT_AIM_PROGRESS * aim->least) {
        *best = row->target;
        if (miss_of(row, what, what->end) > 0)
            row->target -= (what->end - what->aim) / dt;
        return true;
    }
    if (!(aim->now > aim->least))
        return false;
    row->target = *best;
    return true;
}

int nc_step_aim_joints(nc_step *step)
{
    nc_workspace *w = step->work;
    nc_step_joints *joints = &w->joints;
    int renewed = 0;
    nc_islands_mark_all(&w->islands, step->world->state.bodies.count, 0);
    measure_aims(step);
    for (int k = 0; k < joints->rows.count; k++) {
        nc_joint_row *row = &joints->rows.data[k];
        const nc_joint_aim *aim = aim_of(step, row);
        if (!renew(row, &joints->demand.data[k], aim, &joints->best.data[k], step->dt))
            continue;
        w->islands.marked.data[aim - joints->aims.data] = 1;
        renewed++;
    }
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        nc_joint_aim *aim = &joints->aims.data[i];
        aim->settled = aim->settled || !(aim->now < NC_JOINT_AIM_PROGRESS * aim->least);
        aim->least = fmin(aim->least, aim->now);
        aim->rough = aim->least > NC_JOINT_ROUGH;
    }
    return renewed;
}

bool nc_step_aims_roughly(const nc_step *step, int row)
{
    return step->work->joints.aims.data[step->work->islands.of.data[row]].rough;
}

// What a demand's value may stay at: an error is not removed, play is not closed past the limit.
static double uncorrected(const nc_joint_demand *what)
{
    if (what->rule == NC_RULE_EQUAL)
        return what->value;
    return what->rule == NC_RULE_LOWER ? fmin(0, what->value) : fmax(0, what->value);
}

void nc_step_correct_joints(nc_step *step, bool correct)
{
    nc_step_joints *joints = &step->work->joints;
    for (int k = 0; k < joints->rows.count; k++) {
        const nc_joint_demand *what = &joints->demand.data[k];
        if (what->rule <= NC_RULE_UPPER)
            joints->rows.data[k].target += (correct ? -1 : 1) * (uncorrected(what) - what->aim) / step->dt;
    }
}
