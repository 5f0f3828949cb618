// Runs of cloth: what is stored comes back to the bit, a resumed run is the same run, damage is noticed.
#include "check.h"

#include "nacre/run.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIDE     4
#define VERTICES ((SIDE + 1) * (SIDE + 1))

static void sheet(nc_vec3 *vertices, int (*triangles)[3])
{
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++)
            vertices[i * (SIDE + 1) + j] = nc_v3(0.25 * i - 0.5, 0.4, 0.25 * j - 0.5);
    for (int i = 0, t = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const int a = i * (SIDE + 1) + j, b = a + SIDE + 1;
            const int corners[2][3] = {{a, a + 1, b + 1}, {a, b + 1, b}};
            memcpy(triangles[t++], corners[0], sizeof corners[0]);
            memcpy(triangles[t++], corners[1], sizeof corners[1]);
        }
}

// A sheet above a floor at rest, a scripted wall far away, and a particle.
static nc_cloth_world *make_world(void)
{
    static const nc_vec3 floor_at[3] = {{-5, 0, -5}, {-5, 0, 5}, {9, 0, 0}},
                         wall_at[3] = {{3, 0, 0}, {3, 1, 0}, {3, 0, 1}};
    static const int one[1][3] = {{0, 1, 2}};
    nc_vec3 vertices[VERTICES];
    int triangles[2 * SIDE * SIDE][3], object;
    nc_cloth_world *world = NULL;
    nc_error err = {0};
    const nc_cloth_world_def def = nc_cloth_world_def_default();
    sheet(vertices, triangles);
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    nc_cloth_def d = nc_cloth_def_default();
    d.name = "sheet";
    d.vertices = vertices;
    d.vertex_count = VERTICES;
    d.triangles = (const int(*)[3])triangles;
    d.triangle_count = 2 * SIDE * SIDE;
    check_ok(nc_cloth_add(world, &d, &object, &err), err);
    d = nc_cloth_def_default();
    d.type = NC_CLOTH_OBSTACLE;
    d.name = "floor";
    d.vertices = floor_at;
    d.vertex_count = 3;
    d.triangles = one;
    d.triangle_count = 1;
    check_ok(nc_cloth_add(world, &d, &object, &err), err);
    const nc_cloth_script script = {.velocity = {0.5, 0, 0}};
    d.name = "wall";
    d.vertices = wall_at;
    d.scripts = &script;
    d.script_count = 1;
    check_ok(nc_cloth_add(world, &d, &object, &err), err);
    d = nc_cloth_def_default();
    d.type = NC_CLOTH_PARTICLES;
    d.name = "dot";
    const nc_vec3 dot = {0.01, 0.9, 0.02};
    d.vertices = &dot;
    d.vertex_count = 1;
    d.particle_mass = 0.01;
    check_ok(nc_cloth_add(world, &d, &object, &err), err);
    return world;
}

static void name_file(char *out, size_t size)
{
    static int number;
    snprintf(out, size, "/tmp/nacre_run_cloth_%d_%d.nacre", (int)getpid(), number++);
    remove(out);
}

static nc_run *create(const char *path, nc_cloth_world *world)
{
    nc_run *run = NULL;
    nc_error err = {0};
    const nc_run_def def = {.path = path,
                            .overwrite = true,
                            .title = "cloth",
                            .timestep = 1.0 / 24,
                            .steps_wanted = 8,
                            .output_every = 1,
                            .checkpoint_every = 3};
    check_ok(nc_run_create(&def, nc_model_of_cloth(world), &run, &err), err);
    return run;
}

static void step(nc_run *run, nc_cloth_world *world, int count)
{
    nc_error err = {0};
    for (int i = 0; i < count; i++) {
        nc_model_report report;
        check_ok(nc_model_step(nc_model_of_cloth(world), 1.0 / 24, &report, &err), err);
        check_ok(nc_run_append(run, nc_model_of_cloth(world), &report, 1, &err), err);
    }
}

static const nc_run_shape *shape_of(const nc_run_frame *frame, int body)
{
    for (int i = 0; i < frame->shape_count; i++)
        if (frame->shapes[i].body == body)
            return &frame->shapes[i];
    return NULL;
}

static void frames_come_back_to_the_bit(void **state)
{
    (void)state;
    char path[128];
    name_file(path, sizeof path);
    nc_cloth_world *world = make_world();
    nc_run *run = create(path, world);
    nc_vec3 wanted[9][VERTICES];
    nc_error err = {0};
    check_ok(nc_cloth_read(world, 0, wanted[0], NULL, &err), err);
    for (int i = 1; i < 9; i++) {
        step(run, world, 1);
        check_ok(nc_cloth_read(world, 0, wanted[i], NULL, &err), err);
    }
    check_ok(nc_run_finish(run, nc_model_of_cloth(world), &err), err);
    check_ok(nc_run_close(run, &err), err);
    check_ok(nc_run_open(path, NC_RUN_READ, NULL, &run, &err), err);
    nc_run_info info;
    check_ok(nc_run_read_info(run, &info, &err), err);
    assert_string_equal(info.pipeline, "acm");
    assert_int_equal(info.frame_count, 9);
    assert_true(info.finished);
    nc_run_frame frame = {0};
    for (int i = 8; i >= 0; i--) {
        check_ok(nc_run_read_frame(run, i, &frame, &err), err);
        const nc_run_shape *shape = shape_of(&frame, 0);
        assert_int_equal(frame.pose_count, 4);
        assert_true((shape == NULL) == (i == 0));
        assert_null(shape_of(&frame, 1)); // the floor never moves
        assert_true((shape_of(&frame, 2) == NULL) == (i == 0));
        if (shape != NULL)
            assert_memory_equal(shape->vertices, wanted[i], sizeof wanted[i]);
    }
    nc_run_frame_free(run, &frame);
    static const nc_body_type types[] = {NC_DYNAMIC, NC_STATIC, NC_KINEMATIC, NC_DYNAMIC};
    for (int i = 0; i < 4; i++) {
        nc_run_body body;
        check_ok(nc_run_read_body(run, i, &body, &err), err);
        assert_int_equal(body.type, types[i]);
        assert_int_equal(body.cloth, i == 0 || i == 3);
        assert_int_equal(body.deforms, i != 1);
    }
    // Cloth must stay apart from itself and from everything; obstacles may collide.
    assert_true(nc_run_pair_matters(run, 0, 0) && nc_run_pair_matters(run, 0, 1) && nc_run_pair_matters(run, 2, 3));
    assert_false(nc_run_pair_matters(run, 1, 2) || nc_run_pair_matters(run, 1, 1));
    check_ok(nc_run_verify(run, &err), err);
    check_ok(nc_run_close(run, &err), err);
    nc_cloth_world_destroy(world);
    remove(path);
}

static void a_resumed_run_is_the_run_that_was_never_stopped(void **state)
{
    (void)state;
    char path[128];
    name_file(path, sizeof path);
    nc_cloth_world *world = make_world();
    nc_run *run = create(path, world);
    nc_error err = {0};
    step(run, world, 8);
    const uint64_t wanted = nc_cloth_hash(world);
    check_ok(nc_run_close(run, &err), err);
    nc_cloth_world_destroy(world);
    // The last checkpoint is at frame 6: two frames are done again and must be the same.
    check_ok(nc_run_open(path, NC_RUN_APPEND, NULL, &run, &err), err);
    world = make_world();
    nc_model model;
    assert_int_equal(nc_run_restore(run, 1, &model, &err), NC_UNSUPPORTED); // its objects are not in the file
    check_ok(nc_run_restore_into(run, nc_model_of_cloth(world), &err), err);
    assert_int_equal(nc_cloth_frame(world), 6);
    step(run, world, 2);
    assert_true(nc_cloth_hash(world) == wanted);
    // A world that restarts comes to the same frames.
    nc_cloth_world *other = make_world();
    nc_model_report report;
    for (int i = 0; i < 3; i++)
        check_ok(nc_model_step(nc_model_of_cloth(other), 1.0 / 24, &report, &err), err);
    check_ok(nc_run_append(run, nc_model_of_cloth(other), &report, 1, &err), err);
    check_ok(nc_run_close(run, &err), err);
    nc_cloth_world_destroy(other);
    nc_cloth_world_destroy(world);
    remove(path);
}

static void reports_come_back_as_they_were(void **state)
{
    (void)state;
    char path[128];
    name_file(path, sizeof path);
    nc_cloth_world *world = make_world();
    nc_run *run = create(path, world);
    nc_error err = {0};
    const nc_model model = nc_model_of_cloth(world);
    nc_model_report reports[2], got;
    for (int i = 0; i < 2; i++)
        check_ok(nc_model_step(model, 1.0 / 24, &reports[i], &err), err);
    check_ok(nc_run_append(run, model, reports, 2, &err), err);
    check_ok(nc_run_read_report(run, 1, &got, &err), err);
    const nc_cloth_report *first = &reports[0].cloth, *last = &reports[1].cloth;
    assert_true(got.has_cloth);
    assert_int_equal(got.cloth.frame, 2);
    assert_int_equal(got.cloth.vertices, last->vertices);
    assert_int_equal(got.cloth.stretch_events, first->stretch_events + last->stretch_events);
    assert_int_equal(got.cloth.contacts, last->contacts);
    check_near(got.cloth.kinetic, last->kinetic, 0);
    check_near(got.cloth.gravity_energy, last->gravity_energy, 0);
    check_near(got.cloth.step_quantiles[2], last->step_quantiles[2], 0);
    check_near(got.cloth.momentum.x, last->momentum.x, 0);
    // What all models report is the same, said in its own words.
    assert_int_equal(got.common.step, 2);
    assert_int_equal(got.common.bodies, 4);
    check_near(got.common.dt, 1.0 / 24, 0);
    check_near(got.common.kinetic, last->kinetic, 0);
    check_near(got.common.potential,
               last->gravity_energy + last->stretch_energy + last->bend_energy + last->contact_energy, 0);
    check_near(got.common.seconds_separate, first->seconds_contact + last->seconds_contact, 1e-15);
    assert_int_equal(got.common.stalled_body, -1);
    check_ok(nc_run_close(run, &err), err);
    nc_cloth_world_destroy(world);
    remove(path);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void damaged_and_lost_shapes_are_noticed(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "delete from shape where frame = 2 and body = 0",
        "update shape set positions = zeroblob(length(positions)) where frame = 3 and body = 0",
        "update shape set vertices = vertices + 1 where frame = 1",
        "update shape set packing = 'rot13' where frame = 4 and body = 3",
        "delete from cloth where frame = 2",
        "update cloth set contact_kicks = contact_kicks + 1 where frame = 1",
        "update shape set body = 1 where frame = 3 and body = 0",
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        char path[128];
        nc_error err = {0};
        name_file(path, sizeof path);
        nc_cloth_world *world = make_world();
        nc_run *run = create(path, world);
        step(run, world, 5);
        check_ok(nc_run_verify(run, &err), err);
        check_ok(nc_run_close(run, &err), err);
        nc_cloth_world_destroy(world);
        change(path, damages[i]);
        check_ok(nc_run_open(path, NC_RUN_READ, NULL, &run, &err), err);
        const nc_code code = nc_run_verify(run, &err);
        if (code != NC_BAD_FILE && code != NC_NOT_FOUND)
            fail_msg("not noticed: %s", damages[i]);
        check_ok(nc_run_close(run, &err), err);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back_to_the_bit),
        cmocka_unit_test(a_resumed_run_is_the_run_that_was_never_stopped),
        cmocka_unit_test(reports_come_back_as_they_were),
        cmocka_unit_test(damaged_and_lost_shapes_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
