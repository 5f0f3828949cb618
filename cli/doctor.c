// The short tests of `nacre doctor`.
#include "doctor.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// ---- the oracle ---------------------------------------------------------------------------------------------

// A triangle in the plane z = 0, and one that stands on its tip at height z above the inside of it.
static nc_code tip_intersects(double z, bool *out, nc_error *err)
{
    const nc_vec3 floor_corners[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    const nc_vec3 tip_corners[3] = {{0, 0, 0}, {0.5, 0, 1}, {-0.5, 0.25, 1}};
    static const int corners[1][3] = {{0, 1, 2}};
    nc_mesh *a = NULL, *b = NULL;
    nc_mesh_def def = {.vertices = floor_corners, .vertex_count = 3, .triangles = corners, .triangle_count = 1};
    nc_code code = nc_mesh_create(&def, NULL, &a, err);
    def.vertices = tip_corners;
    if (code == NC_OK)
        code = nc_mesh_create(&def, NULL, &b, err);
    const nc_pose home = {.q = {1, 0, 0, 0}}, raised = {.x = {0, 0, z}, .q = {1, 0, 0, 0}};
    if (code == NC_OK)
        code = nc_mesh_intersect(a, home, b, raised, out, NULL, err);
    nc_mesh_release(a);
    nc_mesh_release(b);
    return code;
}

nc_code nc_doctor_oracle(nc_error *err)
{
    static const struct {
        double height;
        bool meets;
    } cases[] = {{-0.25, true}, {-0x1p-52, true}, {0, true}, {0x1p-52, false}, {0x1p-90, false}, {0.25, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool meets = false;
        const nc_code code = tip_intersects(cases[i].height, &meets, err);
        if (code != NC_OK)
            return code;
        if (meets != cases[i].meets)
            return nc_fail(err, NC_BROKEN_PROMISE, "A tip %g m above a triangle was found to %s it.", cases[i].height,
                           meets ? "intersect" : "miss");
    }
    return NC_OK;
}

// ---- worlds -------------------------------------------------------------------------------------------------

// `count` boxes of three different sides, all spinning, without gravity.
static nc_code make_world(int workers, int count, nc_world **out, nc_error *err)
{
    const nc_shape_parameter sides[] = {{"width", 1}, {"height", 2}, {"depth", 3}};
    nc_mesh *box = NULL;
    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(0, 0, 0);
    def.workers = workers;
    *out = NULL;
    nc_code code = nc_shape_create("box", sides, 3, NULL, &box, err);
    if (code == NC_OK)
        code = nc_world_create(&def, out, err);
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_body_def body = nc_body_def_default();
        nc_body_id id;
        body.type = NC_DYNAMIC;
        body.mesh = box;
        body.mass.mass = 1;
        body.position = nc_v3(5.0 * i, 0, 0);
        body.velocity = nc_v3(0, 0.1 * i, 1);
        body.spin = nc_v3(0.01, 3 + 0.1 * i, 0.02);
        code = nc_body_create(*out, &body, &id, err);
    }
    nc_mesh_release(box);
    if (code != NC_OK) {
        nc_world_destroy(*out);
        *out = NULL;
    }
    return code;
}

static nc_code step_world(nc_world *world, int steps, nc_step_report *report, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < steps && code == NC_OK; i++)
        code = nc_world_step(world, 1.0 / 24, report, err);
    return code;
}

nc_code nc_doctor_energy(nc_error *err)
{
    nc_world *world = NULL;
    nc_step_report start = {0}, end = {0};
    nc_code code = make_world(1, 1, &world, err);
    if (code == NC_OK)
        code = nc_world_measure(world, &start, err);
    if (code == NC_OK)
        code = step_world(world, 1000, &end, err);
    nc_world_destroy(world);
    if (code != NC_OK)
        return code;
    const double energy = fabs(end.kinetic - start.kinetic) / start.kinetic;
    const double turn = nc_norm(nc_sub(end.angular_momentum, start.angular_momentum)) / nc_norm(start.angular_momentum);
    if (!(energy <= 1e-9) || !(turn <= 1e-9))
        return nc_fail(err, NC_BROKEN_PROMISE, "A tumbling body lost %.2g of its energy and %.2g of its momentum.",
                       energy, turn);
    return NC_OK;
}

static nc_code hash_after(int workers, uint64_t *out, nc_error *err)
{
    nc_world *world = NULL;
    nc_code code = make_world(workers, 200, &world, err);
    if (code == NC_OK)
        code = step_world(world, 20, NULL, err);
    if (code == NC_OK)
        *out = nc_world_hash(world);
    nc_world_destroy(world);
    return code;
}

nc_code nc_doctor_determinism(nc_error *err)
{
    uint64_t hashes[3] = {0};
    for (int i = 0; i < 3; i++) {
        const nc_code code = hash_after(i + 1, &hashes[i], err);
        if (code != NC_OK)
            return code;
    }
    if (hashes[0] != hashes[1] || hashes[0] != hashes[2])
        return nc_fail(err, NC_BROKEN_PROMISE, "One, two and three threads do not give the same bits.");
    return NC_OK;
}

// ---- the disk -----------------------------------------------------------------------------------------------

static nc_code write_run(const char *path, nc_world *world, nc_error *err)
{
    nc_run *run = NULL;
    const nc_run_def def = {.path = path,
                            .scene_text = "",
                            .scene_path = "",
                            .title = "doctor",
                            .timestep = 1.0 / 24,
                            .steps_wanted = 10,
                            .output_every = 1};
    const nc_model model = nc_model_of_world(world);
    nc_code code = nc_run_create(&def, model, &run, err);
    for (int i = 0; i < 10 && code == NC_OK; i++) {
        nc_model_report report;
        code = nc_model_step(model, def.timestep, &report, err);
        if (code == NC_OK)
            code = nc_run_append(run, model, &report, 1, err);
    }
    if (code == NC_OK)
        code = nc_run_finish(run, model, err);
    if (run == NULL)
        return code;
    const nc_code closing = nc_run_close(run, code == NC_OK ? err : NULL);
    return code == NC_OK ? closing : code;
}

static nc_code read_run(const char *path, uint64_t wanted, nc_error *err)
{
    nc_run *run = NULL;
    nc_model model = {NULL, NULL};
    nc_code code = nc_run_open(path, NC_RUN_APPEND, NULL, &run, err);
    if (code == NC_OK)
        code = nc_run_verify(run, err);
    if (code == NC_OK)
        code = nc_run_restore(run, 1, &model, err);
    if (code == NC_OK && nc_model_hash(model) != wanted)
        code = nc_fail(err, NC_BROKEN_PROMISE, "A run file did not give back what was written to it.");
    nc_model_destroy(model);
    if (run != NULL)
        nc_run_close(run, NULL);
    return code;
}

nc_code nc_doctor_disk(nc_error *err)
{
    char path[64];
    nc_world *world = NULL;
    snprintf(path, sizeof path, "nacre-doctor-%ld.nacre", (long)getpid());
    nc_code code = make_world(1, 10, &world, err);
    if (code == NC_OK)
        code = write_run(path, world, err);
    if (code == NC_OK)
        code = read_run(path, nc_world_hash(world), err);
    nc_world_destroy(world);
    unlink(path);
    return code;
}
