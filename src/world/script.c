// Scripted motion: poses between keyframes. Positions go in straight lines, rotations at constant speed the short way.
#include "world/world.h"

// The last keyframe at or before `time`, by bisection; keys are ascending and time is not before the first.
static int key_before(const nc_keyframe *keys, int key_count, double time)
{
    int begin = 0, end = key_count;
    while (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        if (keys[middle].time <= time)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

nc_pose nc_script_pose(const nc_keyframe *keys, int key_count, double time)
{
    int k = 0;
    if (time > keys[0].time)
        k = key_before(keys, key_count, time);
    const nc_keyframe *from = &keys[k];
    nc_pose pose = {from->position, from->orientation};
    if (time <= from->time || k + 1 == key_count)
        return pose;
    const nc_keyframe *to = &keys[k + 1];
    const double part = (time - from->time) / (to->time - from->time);
    pose.x = nc_madd(from->position, part, nc_sub(to->position, from->position));
    const nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(to->orientation, nc_quat_conj(from->orientation)));
    if (nc_norm2(turn) > 0)
        pose.q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(nc_scale(part, turn)), from->orientation));
    return pose;
}
