// Where bodies are while the shutter is open: on their paths between two stored frames.
//
// A run that stores paths (nacre run --store paths) has them, step by step. Others store poses, velocities and spins:
// between two frames that are one step apart the path is known from them, but for two things. A body flies straight and
// turns by one rotation vector (motion.h): its travel is the difference of the places; its turn is the one of those
// that lead from pose to pose (they differ by whole turns) which is nearest to what its spin says. Not seen are the
// order of the two rotations of the energy fix (eps), and where in the step a body began to move with others. Frames
// further apart are joined in the same way.
#include "render/render.h"

#include <math.h>

#define MAX_TURN       0.125 // [rad] from one pose to the next
#define POSES_PER_STEP 4     // of a stored path, at least

// ---- stored paths -------------------------------------------------------------------------------------------

static void drop_paths(const nc_reel *reel, nc_shot *shot)
{
    const int steps = shot->path_steps;
    if (shot->path_begin != NULL)
        nc_free(&reel->allocator, shot->paths, (size_t)shot->path_begin[steps], sizeof *shot->paths);
    nc_free(&reel->allocator, shot->path_begin, (size_t)steps + 1, sizeof *shot->path_begin);
    shot->paths = NULL;
    shot->path_begin = NULL;
    shot->path_steps = 0;
}

// Reads the paths from the frame before to this one.
static nc_code read_paths(nc_reel *reel, nc_shot *shot, nc_error *err)
{
    const int64_t first = shot->before.step + 1;
    const int steps = (int)(shot->frame.step - shot->before.step);
    nc_code code = NC_OK;
    shot->path_begin = nc_alloc(&reel->allocator, (size_t)steps + 1, sizeof *shot->path_begin);
    if (shot->path_begin == NULL)
        return nc_fail_memory(err, ((size_t)steps + 1) * sizeof *shot->path_begin);
    shot->path_steps = steps;
    for (int k = 0, count; k < steps && code == NC_OK; k++) {
        code = nc_run_read_paths(reel->run, first + k, NULL, 0, &count, err);
        for (int later = k + 1; code == NC_OK && later <= steps; later++)
            shot->path_begin[later] += count;
    }
    const int all = code == NC_OK ? shot->path_begin[steps] : 0;
    if (code == NC_OK && (shot->paths = nc_alloc(&reel->allocator, (size_t)all, sizeof *shot->paths)) == NULL)
        return all == 0 ? NC_OK : nc_fail_memory(err, (size_t)all * sizeof *shot->paths);
    for (int k = 0, count; k < steps && code == NC_OK; k++)
        code = nc_run_read_paths(reel->run, first + k, &shot->paths[shot->path_begin[k]],
                                 shot->path_begin[k + 1] - shot->path_begin[k], &count, err);
    return code;
}

// Of a body in a step of the shot; NULL when it has none there. Paths are sorted by body.
static const nc_run_path *path_in(const nc_shot *shot, int step, int body)
{
    int low = shot->path_begin[step], high = shot->path_begin[step + 1];
    const int end = high;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (shot->paths[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && shot->paths[low].body == body ? &shot->paths[low] : NULL;
}

// The pose at part u of the time since the frame before, on the stored path. False when there is none.
static bool stored_pose(const nc_shot *shot, int body, double u, nc_pose *out)
{
    if (shot->paths == NULL)
        return false;
    const double at = u * shot->path_steps;
    const int step = (int)fmin(floor(at), shot->path_steps - 1);
    const nc_run_path *path = path_in(shot, step, body);
    if (path != NULL)
        *out = nc_run_path_pose(path, fmin(at - step, 1));
    return path != NULL;
}

// ---- shots --------------------------------------------------------------------------------------------------

static void drop_joints(const nc_reel *reel, nc_shot *shot)
{
    nc_free(&reel->allocator, shot->joints, (size_t)shot->joint_count, sizeof *shot->joints);
    nc_free(&reel->allocator, shot->joints_before, (size_t)shot->joint_count_before, sizeof *shot->joints_before);
    shot->joints = shot->joints_before = NULL;
    shot->joint_count = shot->joint_count_before = 0;
}

static nc_code read_joints(nc_reel *reel, int64_t frame, nc_shot *shot, nc_error *err)
{
    drop_joints(reel, shot);
    nc_code code = nc_reel_joints(reel, frame, &shot->joints, &shot->joint_count, err);
    if (code == NC_OK && shot->shutter > 0)
        code = nc_reel_joints(reel, frame - 1, &shot->joints_before, &shot->joint_count_before, err);
    return code;
}

nc_code nc_shot_read(nc_reel *reel, int64_t frame, double shutter, nc_shot *shot, nc_error *err)
{
    shot->shutter = frame > 0 ? shutter : 0;
    drop_paths(reel, shot);
    // What deforms is in the reel's meshes, as it is when the shutter closes.
    nc_code code = reel->first != NULL ? nc_reel_seek(reel, frame, err) : NC_OK;
    if (code == NC_OK)
        code = nc_run_read_frame(reel->run, frame, &shot->frame, err);
    if (code == NC_OK && shot->shutter > 0)
        code = nc_run_read_frame(reel->run, frame - 1, &shot->before, err);
    if (code == NC_OK && shot->shutter > 0 && (reel->info.store & NC_STORE_PATHS) != 0)
        code = read_paths(reel, shot, err);
    return code == NC_OK ? read_joints(reel, frame, shot, err) : code;
}

void nc_shot_free(nc_reel *reel, nc_shot *shot)
{
    drop_paths(reel, shot);
    drop_joints(reel, shot);
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
    // A stored path bends where its segments and steps end.
    const double bends = shot->paths != NULL ? 1 + POSES_PER_STEP * ceil(shot->shutter * shot->path_steps) : 2;
    const int count = (int)fmin(fmax(bends, 2 + floor(turn / MAX_TURN)), NC_MOTION_POSES);
    for (int i = 0; i < count; i++) {
        const double u = 1 - shot->shutter * (double)(count - 1 - i) / (count - 1);
        if (!stored_pose(shot, end->body, u, &out[i]))
            out[i] = nc_path_pose(&path, u);
    }
    out[count - 1] = end->pose;
    return count;
}
