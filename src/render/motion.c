// Where bodies are while the shutter is open: on their paths between two stored frames.
//
// A run stores poses, velocities and spins, and no paths. Between two frames that are one step apart the path is known
// from them all the same, but for two things. A body flies straight and turns by one rotation vector (motion.h): its
// travel is the difference of the places; its turn is the one of those that lead from pose to pose (they differ by
// whole turns) which is nearest to what its spin says. Not seen are the order of the two turns of the energy fix (eps),
// and where in the step a body began to move with others. Frames further apart are joined in the same way.
#include "render/render.h"

#include <math.h>

#define MAX_TURN 0.125 // [rad] from one pose to the next

nc_code nc_shot_read(nc_reel *reel, int64_t frame, double shutter, nc_shot *shot, nc_error *err)
{
    shot->shutter = frame > 0 ? shutter : 0;
    // What deforms is in the reel's meshes, as it is when the shutter closes.
    nc_code code = reel->first != NULL ? nc_reel_seek(reel, frame, err) : NC_OK;
    if (code == NC_OK)
        code = nc_run_read_frame(reel->run, frame, &shot->frame, err);
    if (code == NC_OK && shot->shutter > 0)
        code = nc_run_read_frame(reel->run, frame - 1, &shot->before, err);
    return code;
}

void nc_shot_free(nc_reel *reel, nc_shot *shot)
{
    nc_run_frame_free(reel->run, &shot->before);
    nc_run_frame_free(reel->run, &shot->frame);
}

// Of a body in the frame before, NULL when it was not there. Poses are sorted by body.
static const nc_run_pose *pose_before(const nc_shot *shot, int body)
{
    int low = 0, high = shot->before.pose_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (shot->before.poses[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < shot->before.pose_count && shot->before.poses[low].body == body ? &shot->before.poses[low] : NULL;
}

// The rotation vector from `a` to `b` that is nearest to `expected` [rad].
static nc_vec3 turn_between(nc_quat a, nc_quat b, nc_vec3 expected)
{
    const double whole = 6.283185307179586;
    const nc_vec3 least = nc_quat_rotation_vector(nc_quat_mul(b, nc_quat_conj(a)));
    const double angle = nc_norm(least);
    const nc_vec3 along =
        angle > 1e-9 ? nc_scale(1 / angle, least) : nc_scale(1 / fmax(nc_norm(expected), 1e-300), expected);
    const double turns = floor((nc_dot(expected, along) - angle) / whole + 0.5);
    return nc_madd(least, whole * turns, along);
}

static nc_path path_between(const nc_run_pose *a, const nc_run_pose *b, double seconds)
{
    const nc_vec3 spin = nc_scale(0.5 * seconds, nc_add(a->spin, b->spin));
    return nc_path_free(a->pose, nc_sub(b->pose.x, a->pose.x), turn_between(a->pose.q, b->pose.q, spin),
                        nc_v3(0, 0, 0));
}

static bool same_pose(nc_pose a, nc_pose b)
{
    return a.x.x == b.x.x && a.x.y == b.x.y && a.x.z == b.x.z && a.q.w == b.q.w && a.q.x == b.q.x && a.q.y == b.q.y &&
           a.q.z == b.q.z;
}

int nc_shot_poses(const nc_shot *shot, int row, nc_pose out[NC_MOTION_POSES])
{
    const nc_run_pose *end = &shot->frame.poses[row];
    const nc_run_pose *start = shot->shutter > 0 ? pose_before(shot, end->body) : NULL;
    out[0] = end->pose;
    if (start == NULL || same_pose(start->pose, end->pose))
        return 1;
    const nc_path path = path_between(start, end, shot->frame.time - shot->before.time);
    if (!nc_path_finite(&path))
        return 1;
    const double turn = shot->shutter * nc_norm(path.segments[0].theta);
    const int count = (int)fmin(2 + floor(turn / MAX_TURN), NC_MOTION_POSES);
    for (int i = 0; i < count; i++)
        out[i] = nc_path_pose(&path, 1 - shot->shutter * (double)(count - 1 - i) / (count - 1));
    out[count - 1] = end->pose;
    return count;
}
