// A boat flies at a ring and turns on the way. When do they first collide? The answer is for the true curved motion,
// however fast: it is never too late, and "clear" is a proof. Beside it, what looking at 25 moments of the flight sees.
#include <nacre/nacre.h>

#include <stdio.h>

static nc_motion at_rest(void)
{
    const nc_motion motion = {{{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, {0, 0, 0}};
    return motion;
}

// The pose of a motion at time t.
static nc_pose pose_at(const nc_motion *motion, double t)
{
    nc_pose pose;
    pose.x = nc_madd(motion->start.x, t, motion->travel);
    pose.q = nc_quat_mul(nc_quat_from_rotation_vector(nc_scale(t, motion->rotation)), motion->start.q);
    return pose;
}

// The first of `count` moments at which the meshes share a point, or -1.
static double first_sample(const nc_mesh *boat, const nc_motion *flight, const nc_mesh *ring, const nc_motion *rest,
                           int count, nc_error *err)
{
    for (int i = 0; i <= count; i++) {
        bool meet = false;
        const nc_pose pose = pose_at(flight, (double)i / count);
        if (nc_mesh_intersect(boat, pose, ring, rest->start, &meet, NULL, err) != NC_OK)
            return -1;
        if (meet)
            return (double)i / count;
    }
    return -1;
}

static nc_code fly(const nc_mesh *boat, const nc_mesh *ring, double turn, nc_error *err)
{
    const char *const verdicts[] = {"they never meet", "they first meet", "not settled; clear"};
    nc_motion rest = at_rest(), flight = at_rest();
    rest.start.q = nc_quat_from_rotation_vector(nc_v3(0, 0, 1.4)); // upright, all but across the flight
    flight.start.x = nc_v3(20.5, 0, 0);
    flight.travel = nc_v3(-40, 0, 0);
    flight.rotation = nc_v3(0, turn, 0);
    nc_sweep_def def = nc_sweep_def_default();
    def.gap = 1e-4; // [m] what they must keep
    nc_sweep_result result;
    const nc_code code = nc_mesh_sweep(boat, &flight, ring, &rest, &def, &result, err);
    if (code != NC_OK)
        return code;
    printf("turning by %5.2f rad: %s", turn, verdicts[result.verdict]);
    if (result.verdict != NC_CLEAR)
        printf(" at t = %.6f", result.toi);
    const double sampled = first_sample(boat, &flight, ring, &rest, 24, err);
    if (sampled >= 0)
        printf("; in 25 moments, at t = %.6f\n", sampled);
    else
        printf("; in 25 moments, never\n");
    return NC_OK;
}

int main(void)
{
    nc_error err = {0};
    nc_mesh *boat = NULL, *ring = NULL;
    const nc_shape_parameter size[] = {{"radius", 0.35}, {"width", 0.1}};
    nc_code code = nc_shape_create("boat", NULL, 0, NULL, &boat, &err);
    if (code == NC_OK)
        code = nc_shape_create("ring", size, 2, NULL, &ring, &err);
    for (int i = 0; i < 6 && code == NC_OK; i++)
        code = fly(boat, ring, 0.5 * i, &err);
    nc_mesh_release(ring);
    nc_mesh_release(boat);
    if (code != NC_OK)
        fprintf(stderr, "sweep_query: %s\n", err.text);
    return code == NC_OK ? 0 : 1;
}
