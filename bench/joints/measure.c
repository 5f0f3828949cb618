// How well joints hold at given poses, and which bodies intersect there: the same measure for every simulator.
#include "bench/joints/joints.h"

#include "world/world.h"

#include <math.h>

static double outside(double x, double low, double high)
{
    return fmax(0, fmax(low - x, x - high));
}

static double past_limits(const nc_joint *joint, const nc_joint_place *place)
{
    double most = 0;
    for (int axis = 0; axis < 6; axis++) {
        const nc_joint_axis *a = &joint->axes[axis];
        if (a->limited && nc_joint_measures(joint, axis))
            most = fmax(most, outside(nc_joint_coordinate(joint, place, axis, 0), a->lower, a->upper));
    }
    return most;
}

static nc_joints_error worse(nc_joints_error a, nc_joints_error b)
{
    return (nc_joints_error){fmax(a.distance, b.distance), fmax(a.angle, b.angle), fmax(a.limit, b.limit)};
}

nc_joints_error nc_joints_measure(const nc_world *world, const nc_pose *poses)
{
    const nc_joints *joints = &world->state.joints;
    nc_joints_error most = {0, 0, 0};
    NC_ASSERT(nc_world_body_count(world) == world->state.bodies.count);
    for (int i = 0; i < joints->count; i++) {
        const nc_joint *joint = &joints->data[i];
        if (!joint->alive || joint->broken || joint->kind == NC_JOINT_GEAR)
            continue;
        const nc_joint_place place = nc_joint_find_place(joint, poses);
        const nc_joint_errors errors = nc_joint_find_errors(joint, &place);
        most = worse(most, (nc_joints_error){errors.distance, errors.angle, past_limits(joint, &place)});
    }
    return most;
}

static double height_of(const nc_world *world, const char *name, const nc_pose *poses)
{
    const nc_body_id body = nc_world_find(world, name);
    return nc_body_mesh(world, body) != NULL ? poses[nc_world_row(world, body)].x.y : NAN;
}

nc_code nc_joints_trace_add(nc_joints_trace *trace, const nc_world *world, nc_box bounds, const char *watched,
                            const nc_pose *poses, nc_error *err)
{
    const int64_t every = trace->all_steps > NC_JOINTS_JUDGED ? trace->all_steps / NC_JOINTS_JUDGED : 1;
    trace->steps++;
    trace->end = nc_joints_measure(world, poses);
    trace->most = worse(trace->most, trace->end);
    trace->height = watched != NULL ? height_of(world, watched, poses) : NAN;
    if ((trace->all_steps - trace->steps) % every != 0)
        return NC_OK;
    const nc_code code = nc_bench_judge(world, bounds, poses, &trace->at_end, err);
    const int pairs = trace->at_end.in_dynamic + trace->at_end.in_static;
    trace->judged++;
    trace->bad += pairs > 0;
    trace->most_pairs = pairs > trace->most_pairs ? pairs : trace->most_pairs;
    return code;
}
