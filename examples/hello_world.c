// A T-handle, spun about its middle axis in empty space: it turns over and over, and its energy does not drift.
//
// Build: cc hello_world.c $(pkg-config --static --cflags --libs nacre) -o hello_world
#include <nacre/nacre.h>

#include <stdio.h>

static int complain(const nc_error *err)
{
    char text[1200];
    fprintf(stderr, "hello_world: %s\n", nc_error_format(err, text, sizeof text));
    return 1;
}

// Steps for `seconds`, printing a line five times per second. Counts how often the handle turns over.
static nc_code watch(nc_world *world, nc_body_id handle, double seconds, nc_error *err)
{
    const double dt = 1.0 / 60.0;
    nc_step_report report;
    nc_body_state state;
    nc_code code = nc_world_measure(world, &report, err);
    const double energy = report.kinetic;
    int turns = 0, side = 1;
    double drift = 0;
    for (int step = 1; code == NC_OK && step <= (int)(seconds * 60); step++) {
        code = nc_world_step(world, dt, &report, err);
        if (code == NC_OK)
            code = nc_body_read(world, handle, &state, err);
        if (code != NC_OK)
            break;
        // Where the stem points: the mesh's y axis in world coordinates.
        const double up = nc_mat3_mul(nc_quat_matrix(state.pose.q), nc_v3(0, 1, 0)).y;
        if (up * side < -0.5) {
            side = -side;
            turns++;
        }
        drift = fmax(drift, fabs(report.kinetic / energy - 1));
        if (step % 12 == 0)
            printf("t = %5.2f s   stem %+.3f   spin (%+6.2f %+6.2f %+6.2f) rad/s   kinetic %.12g J\n", report.time, up,
                   state.spin.x, state.spin.y, state.spin.z, report.kinetic);
    }
    if (code == NC_OK)
        printf("turned over %d times in %g s; kinetic energy kept to %.1e\n", turns, seconds, drift);
    return code;
}

int main(void)
{
    nc_error err = {0};
    nc_world *world = NULL;
    nc_mesh *mesh = NULL;
    nc_body_id handle = {0, 0};

    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(0, 0, 0);
    nc_code code = nc_world_create(&def, &world, &err);
    if (code == NC_OK)
        code = nc_shape_create("t_handle", NULL, 0, NULL, &mesh, &err);
    if (code == NC_OK) {
        nc_body_def body = nc_body_def_default();
        body.type = NC_DYNAMIC;
        body.name = "handle";
        body.mesh = mesh;
        body.mass.density = 1000;
        body.spin = nc_v3(0.01, 10, 0); // nearly about the middle axis: that is what makes it turn over
        code = nc_body_create(world, &body, &handle, &err);
    }
    if (code == NC_OK)
        code = watch(world, handle, 10, &err);

    nc_mesh_release(mesh); // the world holds its own reference
    nc_world_destroy(world);
    return code == NC_OK ? 0 : complain(&err);
}
