// Impacts above the fracture threshold of a body (Su 4.2).
#include "step/step.h"

void nc_fracture_work_free(nc_fracture_work *fracture, const nc_allocator *allocator)
{
    for (int i = 0; i < fracture->patterns.count; i++)
        nc_pattern_destroy(fracture->patterns.data[i].pattern);
    for (int i = 0; i < fracture->breakable.count; i++)
        nc_breakable_destroy(fracture->breakable.data[i].breakable);
    nc_array_free(allocator, &fracture->patterns);
    nc_array_free(allocator, &fracture->breakable);
    nc_array_free(allocator, &fracture->impacts);
    nc_array_free(allocator, &fracture->spared);
}

static const nc_fracture *fracture_of(const nc_fracture_work *fracture, const nc_state *state, int row)
{
    if (row < fracture->spared.count && fracture->spared.data[row])
        return NULL;
    return nc_state_fracture(state, row);
}

bool nc_fracture_can_break(const nc_fracture_work *fracture, const nc_state *state, int i, int j)
{
    return state->fractures.count > 0 &&
           (fracture_of(fracture, state, i) != NULL || fracture_of(fracture, state, j) != NULL);
}

bool nc_fracture_may_break(const nc_fracture_work *fracture, const nc_state *state)
{
    for (int i = 0; state->fractures.count > 0 && i < state->bodies.count; i++)
        if (state->bodies.alive[i] && fracture_of(fracture, state, i) != NULL)
            return true;
    return false;
}

// What the contacts of a pair do to A, taken together.
typedef struct hit {
    double impulse; // [N s] sum of what they give along their normals
    nc_vec3 arm_a;  // [m] their mean, by impulse
    nc_vec3 arm_b;  //
    nc_vec3 normal; // [1] unit, from B to A
} hit;

static hit add_up(const nc_contact *contacts, int count)
{
    hit sum = {.impulse = 0};
    for (int k = 0; k < count; k++) {
        const double impulse = fmax(0, contacts[k].impulse.x);
        sum.impulse += impulse;
        sum.arm_a = nc_madd(sum.arm_a, impulse, contacts[k].arm_a);
        sum.arm_b = nc_madd(sum.arm_b, impulse, contacts[k].arm_b);
        sum.normal = nc_madd(sum.normal, impulse, contacts[k].normal);
    }
    if (!(sum.impulse > 0) || !isfinite(sum.impulse))
        return (hit){.impulse = 0};
    sum.arm_a = nc_scale(1 / sum.impulse, sum.arm_a);
    sum.arm_b = nc_scale(1 / sum.impulse, sum.arm_b);
    const double size = nc_norm(sum.normal);
    sum.normal = size > NC_FRACTURE_NORMAL_SHARE * sum.impulse ? nc_scale(1 / size, sum.normal) : contacts[0].normal;
    return sum;
}

// Of two impacts on a body the harder one counts, of equals the first.
static bool keep(nc_fracture_work *fracture, const nc_impact *impact, const nc_allocator *allocator)
{
    for (int k = 0; k < fracture->impacts.count; k++)
        if (fracture->impacts.data[k].row == impact->row) {
            if (impact->impulse > fracture->impacts.data[k].impulse)
                fracture->impacts.data[k] = *impact;
            return true;
        }
    return nc_array_push(allocator, &fracture->impacts, *impact);
}

// `push` is the normal into the body, `at` the place in the world, `turn` the body's orientation at the time.
static nc_code record(nc_step *step, int row, double impulse, nc_vec3 arm, nc_vec3 push, nc_quat turn, nc_vec3 center,
                      bool *noted, nc_error *err)
{
    const nc_fracture *how = fracture_of(&step->work->fracture, &step->world->state, row);
    if (how == NULL || !(impulse > how->threshold))
        return NC_OK;
    const nc_mat3 axes = nc_quat_matrix(turn);
    const nc_impact impact = {.row = row,
                              .joint = -1,
                              .impulse = impulse,
                              .place = nc_mat3_tmul(axes, arm),
                              .normal = nc_mat3_tmul(axes, push),
                              .at_place = nc_add(center, arm),
                              .at_normal = push};
    *noted = true;
    return keep(&step->work->fracture, &impact, &step->work->allocator) ? NC_OK : nc_fail_memory(err, sizeof impact);
}

// One side: `push` is the reaction's direction on that body, `anchor` is in its axes.
static nc_code break_side(nc_step *step, int slot, int row, nc_vec3 anchor, double impulse, nc_vec3 push, nc_error *err)
{
    if (row < 0 || fracture_of(&step->work->fracture, &step->world->state, row) == NULL)
        return NC_OK;
    const nc_pose pose = step->world->state.bodies.pose[row];
    const nc_impact impact = {.row = row,
                              .joint = slot,
                              .impulse = impulse,
                              .place = anchor,
                              .normal = nc_mat3_tmul(nc_quat_matrix(pose.q), push),
                              .at_place = nc_pose_apply(pose, anchor),
                              .at_normal = push};
    return keep(&step->work->fracture, &impact, &step->work->allocator) ? NC_OK : nc_fail_memory(err, sizeof impact);
}

nc_code nc_step_record_joint_break(nc_step *step, int slot, nc_vec3 force, nc_vec3 torque, nc_error *err)
{
    const nc_joint *joint = &step->world->state.joints.data[slot];
    const nc_vec3 main = nc_norm(force) > 0 ? force : torque; // one of them is above what it bears
    const nc_vec3 push = nc_scale(1 / nc_norm(main), main);
    const double impulse = nc_norm(force) * step->dt;
    nc_code code = NC_OK;
    if (joint->breaks == NC_JOINT_BREAKS_BODY || joint->breaks == NC_JOINT_BREAKS_BOTH)
        code = break_side(step, slot, joint->a, joint->anchor_a, impulse, push, err);
    if (code == NC_OK && (joint->breaks == NC_JOINT_BREAKS_TO || joint->breaks == NC_JOINT_BREAKS_BOTH))
        code = break_side(step, slot, joint->b, joint->anchor_b, impulse, nc_neg(push), err);
    return code;
}

nc_code nc_step_record_impact(nc_step *step, const nc_contact *contacts, int count, nc_pose pose_i, nc_pose pose_j,
                              bool *noted, nc_error *err)
{
    const hit sum = add_up(contacts, count);
    if (!(sum.impulse > 0))
        return NC_OK;
    const int a = contacts[0].a, b = contacts[0].b;
    const nc_code code = record(step, a, sum.impulse, sum.arm_a, sum.normal, pose_i.q, pose_i.x, noted, err);
    return code == NC_OK ? record(step, b, sum.impulse, sum.arm_b, nc_neg(sum.normal), pose_j.q, pose_j.x, noted, err)
                         : code;
}
