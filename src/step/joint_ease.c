// Errors of joints that are removed with care.
//
// Near a singular position the motion that removes an error is much larger than the error, to first order, and leaves
// another one to second order. So an island whose proposals end with a larger error than it has, or leap, is solved
// again with targets that leave errors as they are, and goes from there only a part s of the way to what removes them.
// With E the error at the start and Q the one that all of the way leaves, (1 - s) E + s^2 Q is what is left: E / 2 Q is
// the best part. It is halved until no error becomes larger and nothing leaps, or none of the way is gone. Both ends
// fulfil contacts and joints as their targets ask, and so does what lies between.
#include "step/step.h"

// [m] or [rad] Largest errors of joints, to the islands' `start` and `end`.
static void measure(nc_step *step)
{
    const nc_workspace *w = step->work;
    nc_joint_ease *ease = w->joints.ease.data;
    nc_step_find_joint_ends(step);
    for (int i = 0; i < step->world->state.bodies.count; i++)
        ease[i].start = ease[i].end = 0;
    for (int k = 0; k < w->joints.rows.count; k++) {
        const nc_joint_demand *what = &w->joints.demand.data[k];
        nc_joint_ease *one = &ease[nc_step_joint_island(step, &w->joints.rows.data[k])];
        if (what->rule != NC_RULE_EQUAL)
            continue;
        one->start = fmax(one->start, fabs(what->value));
        one->end = fmax(one->end, fabs(what->end));
    }
}

// [1] The part of the proposals of each island, by its lowest row, that is no leap.
static void judge_leaps(nc_step *step)
{
    const nc_workspace *w = step->work;
    nc_joint_ease *ease = w->joints.ease.data;
    const nc_mechanism *mechanisms = w->joints.mechanisms.data;
    nc_step_judge_mechanisms(step);
    for (int i = 0; i < step->world->state.bodies.count; i++)
        ease[i].kept = 1;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (nc_row_is_free(w->role, i) && nc_step_is_jointed(step, i)) {
            nc_joint_ease *one = &ease[w->islands.of.data[i]];
            one->kept = fmin(one->kept, mechanisms[mechanisms[i].root].part);
        }
}

static bool is_strained(const nc_joint_ease *ease)
{
    return ease->start > 0 && (ease->kept < 1 || (ease->start > NC_JOINT_ROUGH && ease->end > ease->start));
}

int nc_step_mark_strained_joints(nc_step *step)
{
    nc_workspace *w = step->work;
    nc_step_joints *joints = &w->joints;
    int strained = 0;
    measure(step);
    judge_leaps(step);
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        nc_joint_ease *one = &joints->ease.data[i];
        one->open = is_strained(one);
        one->part = fmin(0.5, fmin(one->kept, one->end > 0 ? 0.5 * one->start / one->end : 1));
        w->islands.marked.data[i] = one->open;
        strained += one->open;
        joints->eager.data[i] = w->v[i];
        joints->eager_turn.data[i] = w->w[i];
    }
    for (int k = 0; k < joints->rows.count && strained > 0; k++)
        if (joints->ease.data[nc_step_joint_island(step, &joints->rows.data[k])].open)
            joints->rows.data[k].target = joints->demand.data[k].target;
    return strained;
}

// Islands that are open go their part of the way from velocities that leave errors to those that remove them.
static void blend(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_step_joints *joints = &w->joints;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const nc_joint_ease *one = &joints->ease.data[nc_row_is_free(w->role, i) ? w->islands.of.data[i] : 0];
        if (!nc_row_is_free(w->role, i) || !one->open)
            continue;
        const nc_vec3 v = joints->plain.data[i], turn = joints->plain_turn.data[i];
        w->v[i] = nc_madd(v, one->part, nc_sub(joints->eager.data[i], v));
        w->w[i] = nc_madd(turn, one->part, nc_sub(joints->eager_turn.data[i], turn));
    }
}

void nc_step_ease_joints(nc_step *step)
{
    nc_workspace *w = step->work;
    nc_step_joints *joints = &w->joints;
    const int count = step->world->state.bodies.count;
    int open = 0;
    for (int i = 0; i < count; i++) {
        joints->plain.data[i] = w->v[i];
        joints->plain_turn.data[i] = w->w[i];
        open += joints->ease.data[i].open;
    }
    for (int k = 0; k <= NC_JOINT_EASE_TRIES && open > 0; k++) {
        blend(step);
        measure(step);
        judge_leaps(step);
        for (int i = 0; i < count; i++) {
            nc_joint_ease *one = &joints->ease.data[i];
            if (one->open && !is_strained(one)) {
                one->open = false;
                open--;
            }
            one->part *= k + 1 < NC_JOINT_EASE_TRIES ? 0.5 : 0;
        }
    }
}
