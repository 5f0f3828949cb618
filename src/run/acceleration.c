// Accelerations of bodies, from the velocities of two frames.
#include "run/run.h"

// Bodies of a frame are in ascending order.
static int compare_frames(const nc_run_frame *before, const nc_run_frame *now, nc_run_acceleration *out, int capacity)
{
    const double rate = 1 / (now->time - before->time);
    int count = 0, k = 0;
    for (int i = 0; i < now->pose_count; i++) {
        const nc_run_pose *pose = &now->poses[i];
        while (k < before->pose_count && before->poses[k].body < pose->body)
            k++;
        if (k == before->pose_count || before->poses[k].body != pose->body)
            continue;
        if (count < capacity)
            out[count] =
                (nc_run_acceleration){pose->body, nc_scale(rate, nc_sub(pose->velocity, before->poses[k].velocity)),
                                      nc_scale(rate, nc_sub(pose->spin, before->poses[k].spin))};
        count++;
    }
    return count;
}

nc_code nc_run_read_accelerations(nc_run *run, int64_t frame, nc_run_acceleration *out, int capacity, int *out_count,
                                  nc_error *err)
{
    nc_run_frame before = {0}, now = {0};
    *out_count = 0;
    nc_code code = nc_run_read_frame(run, frame, &now, err);
    if (code == NC_OK && frame > 0)
        code = nc_run_read_frame(run, frame - 1, &before, err);
    if (code == NC_OK && frame > 0)
        *out_count = compare_frames(&before, &now, out, capacity);
    nc_run_frame_free(run, &before);
    nc_run_frame_free(run, &now);
    return code;
}
