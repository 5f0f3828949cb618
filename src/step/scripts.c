// What scripted bodies want to do in a step.
#include "step/step.h"

// Goes on from where the path is at `begin`, at the speed that reaches `target` at `end` (parts of the step).
static void move_towards(nc_path *path, double begin, double end, nc_pose target)
{
    const nc_pose from = begin > 0 ? nc_path_pose(path, begin) : path->start;
    const double rate = 1.0 / (end - begin);
    nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(target.q, nc_quat_conj(from.q)));
    if (nc_norm(turn) < NC_SCRIPT_STILL_ANGLE)
        turn = nc_v3(0, 0, 0);
    nc_segment segment = {.begin = begin, .a = from.x};
    segment.d = nc_scale(rate, nc_sub(target.x, from.x));
    segment.theta = nc_scale(rate, turn);
    nc_path_extend(path, segment);
}

// The first keyframe later than `time`.
static int first_key_after(const nc_keyframe *keys, int count, double time)
{
    int k = 0;
    while (k < count && keys[k].time <= time)
        k++;
    return k;
}

// Where a body goes that was held up before: it makes the motions of its script from where it is, and not up for those
// it missed. `from` is where the script is when the step begins.
static nc_pose shifted(nc_pose here, nc_pose from, nc_pose target)
{
    const nc_quat turn = nc_quat_mul(here.q, nc_quat_conj(from.q));
    return (nc_pose){nc_add(target.x, nc_sub(here.x, from.x)), nc_quat_normalize(nc_quat_mul(turn, target.q))};
}

// The part of a step's motion that is asked of a body that was held up in the steps before: half of it for each. What
// is not straight on its way falls with the square of the motion, so a mechanism that jams in full steps gets through
// in small ones.
static double part_of_motion(const nc_bodies *bodies, int i)
{
    return ldexp(1.0, -bodies->held[i]);
}

nc_path nc_step_script_path(const nc_step *step, int i)
{
    return nc_script_path(&step->world->state.bodies, i, step->time, step->dt, nc_step_pace(step, i));
}

nc_path nc_script_path(const nc_bodies *bodies, int i, double time, double whole, double pace)
{
    const nc_vec3 zero = {0, 0, 0};
    const double dt = whole * pace * part_of_motion(bodies, i);
    if (!(dt > 0))
        return nc_path_still(bodies->pose[i]);
    if (bodies->key_count[i] == 0)
        return nc_path_free(bodies->pose[i], nc_scale(dt, bodies->script_v[i]), nc_scale(dt, bodies->script_spin[i]),
                            zero);
    const nc_keyframe *keys = bodies->keys[i];
    const double from = time - bodies->script_lag[i], to = from + dt;
    const bool late = bodies->script_delay[i] > 0;
    const nc_pose here = bodies->pose[i], start = nc_script_pose(keys, bodies->key_count[i], from);
    const int first = first_key_after(keys, bodies->key_count[i], from);
    int inside = 0;
    while (first + inside < bodies->key_count[i] && keys[first + inside].time < to)
        inside++;
    // A segment for each keyframe inside the step; when there are more than fit, every so many of them. One segment is
    // left for certify, to halt it.
    const int stride = inside / (NC_MAX_SEGMENTS - 1) + 1;
    nc_path path = nc_path_still(bodies->pose[i]);
    path.count = 0;
    double begin = 0;
    for (int k = first; k < first + inside; k += stride) {
        const double end = (keys[k].time - from) / dt;
        if (!(end > begin && end < 1))
            continue;
        const nc_pose key = {keys[k].position, keys[k].orientation};
        move_towards(&path, begin, end, late ? shifted(here, start, key) : key);
        begin = end;
    }
    const nc_pose target = nc_script_pose(keys, bodies->key_count[i], to);
    move_towards(&path, begin, 1.0, late ? shifted(here, start, target) : target);
    return path;
}
