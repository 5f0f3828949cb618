// Run files: what goes in comes out, resumed runs give the same bits, and anybody can read them with SQL.
#include "run_fixture.h"

static const nc_run_pose *pose_of(const nc_run_frame *frame, int body)
{
    for (int i = 0; i < frame->pose_count; i++)
        if (frame->poses[i].body == body)
            return &frame->poses[i];
    return NULL;
}

static void a_new_run_has_frame_zero_and_one_file(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = fixture_world(6, 1);
    nc_run *run = fixture_create(f.path, world);
    const nc_run_info info = fixture_info(run);
    assert_string_equal(info.title, "a test");
    assert_string_equal(info.scene_path, "test.yaml");
    assert_int_equal(info.format_version, 1);
    assert_int_equal(info.frame_count, 1);
    assert_int_equal(info.last_step, 0);
    assert_int_equal(info.checkpoint_step, 0);
    assert_int_equal(info.body_count, 8);
    assert_int_equal(info.mesh_count, nc_world_mesh_count(world));
    assert_int_equal(info.steps_wanted, 40);
    assert_int_equal(info.output_every, 1);
    assert_true(info.timestep == FIXTURE_DT);
    assert_false(info.finished);
    assert_true(info.file_size > 0);
    fixture_close(run);
    fixture_assert_one_file(f.path);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void frames_come_back_with_the_bits_they_had(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(5, 2);
    nc_body_id ids[16];
    const int count = nc_world_bodies(world, ids, 16);
    // A zero with a sign must keep it.
    check_ok(nc_body_set_velocity(world, ids[3], nc_v3(-0.0, 0.0, -0.0), nc_v3(0, -0.0, 0), &err), err);
    nc_run *run = fixture_create(f.path, world);
    nc_run_frame frame = {0};
    for (int step = 0; step < 8; step++) {
        if (step > 0)
            fixture_step(world, run);
        check_ok(nc_run_read_frame(run, step, &frame, &err), err);
        assert_int_equal(frame.step, step);
        assert_true(frame.time == nc_world_time(world));
        assert_true(frame.hash == nc_world_hash(world));
        assert_int_equal(frame.pose_count, count);
        for (int i = 0; i < count; i++) {
            nc_body_state now;
            check_ok(nc_body_read(world, ids[i], &now, &err), err);
            assert_int_equal(frame.poses[i].body, i);
            assert_memory_equal(&frame.poses[i].pose, &now.pose, sizeof now.pose);
            assert_memory_equal(&frame.poses[i].velocity, &now.velocity, sizeof now.velocity);
            assert_memory_equal(&frame.poses[i].spin, &now.spin, sizeof now.spin);
        }
    }
    assert_int_equal(nc_run_read_frame(run, 8, &frame, &err), NC_NOT_FOUND);
    nc_run_frame_free(run, &frame);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void meshes_and_bodies_come_back(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(5, 3);
    nc_run *run = fixture_create(f.path, world);
    for (int row = 0; row < nc_world_mesh_count(world); row++) {
        nc_mesh *mesh = NULL;
        check_ok(nc_run_read_mesh(run, row, &mesh, &err), err);
        assert_true(nc_mesh_view(mesh).hash == nc_mesh_view(nc_world_mesh(world, row)).hash);
        nc_mesh_release(mesh);
    }
    nc_body_id ids[16];
    const int count = nc_world_bodies(world, ids, 16);
    for (int i = 0; i < count; i++) {
        nc_run_body body;
        nc_body_state now;
        check_ok(nc_run_read_body(run, i, &body, &err), err);
        check_ok(nc_body_read(world, ids[i], &now, &err), err);
        assert_string_equal(body.name, nc_body_name(world, ids[i]));
        assert_int_equal(body.type, now.type);
        assert_int_equal(body.mesh, nc_body_mesh_row(world, ids[i]));
        assert_true(body.mass == now.mass && body.friction == now.friction && body.restitution == now.restitution);
        assert_int_equal(body.born_step, 0);
        assert_int_equal(body.gone_step, -1);
        for (int j = 0; j < count; j++)
            if (j != i)
                assert_int_equal(nc_run_pair_matters(run, i, j), nc_world_pair_matters(world, ids[i], ids[j]));
    }
    assert_false(nc_run_pair_matters(run, 2, 3)); // the exempt pair
    nc_run_body nobody;
    nc_mesh *nothing;
    assert_int_equal(nc_run_read_body(run, count, &nobody, &err), NC_NOT_FOUND);
    assert_int_equal(nc_run_read_mesh(run, 99, &nothing, &err), NC_NOT_FOUND);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// A mesh of everything: a triangle, a free edge, a free point.
static void codimensional_meshes_come_back(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    const nc_vec3 vertices[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, -0.0}, {3, 3, 3}, {4, 4, 4}, {0.1, 0.2, -7}};
    const int triangles[1][3] = {{0, 1, 2}}, edges[1][2] = {{3, 4}}, points[1] = {5};
    const nc_mesh_def def = {vertices, 6, triangles, 1, edges, 1, points, 1};
    nc_mesh *mesh = NULL, *back = NULL;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    nc_world_def world_def = nc_world_def_default();
    nc_world *world = NULL;
    check_ok(nc_world_create(&world_def, &world, &err), err);
    nc_body_def body = nc_body_def_default();
    body.type = NC_STATIC;
    body.mesh = mesh;
    nc_body_id id;
    check_ok(nc_body_create(world, &body, &id, &err), err);
    nc_run *run = fixture_create(f.path, world);
    check_ok(nc_run_read_mesh(run, 0, &back, &err), err);
    const nc_mesh_data a = nc_mesh_view(nc_world_mesh(world, 0)), b = nc_mesh_view(back);
    assert_int_equal(b.point_count, 1);
    assert_int_equal(b.edge_count, a.edge_count);
    assert_memory_equal(a.vertices, b.vertices, sizeof vertices);
    assert_true(a.hash == b.hash);
    nc_mesh_release(back);
    nc_mesh_release(mesh);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// Every half of an 8-byte word is given another value, none of them 0, so that a field without a column shows.
static nc_model_report report_of_all_fields(int64_t step)
{
    nc_step_report r;
    uint32_t words[sizeof r / 4];
    for (uint32_t i = 0; i < sizeof r / 4; i++)
        words[i] = 0x00100000 + 17 * i; // as a double's upper half: small, but normal
    memcpy(&r, words, sizeof r);
    r.step = step;
    return (nc_model_report){.common = r};
}

// Words that did not come back: all of them must be holes between fields, where a report read back has zeros.
static int lost_words(const nc_step_report *stored, const nc_step_report *back)
{
    uint32_t a[sizeof *stored / 4], b[sizeof *stored / 4];
    int lost = 0;
    memcpy(a, stored, sizeof a);
    memcpy(b, back, sizeof b);
    for (size_t i = 0; i < sizeof a / sizeof a[0]; i++) {
        if (a[i] != b[i] && b[i] != 0)
            fail_msg("the 4 bytes at %zu of a report came back as another field's", 4 * i);
        lost += a[i] != b[i];
    }
    return lost;
}

// Four ints of nc_step_report have no other int to fill their 8 bytes.
#define REPORT_HOLES 4

static void reports_come_back_with_every_field(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 4);
    nc_run *run = fixture_create(f.path, world);
    nc_model_report back;
    check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    const nc_model_report all = report_of_all_fields(1);
    check_ok(nc_run_append(run, nc_model_of_world(world), &all, 1, &err), err);
    check_ok(nc_run_read_report(run, 1, &back, &err), err);
    assert_int_equal(lost_words(&all.common, &back.common), REPORT_HOLES);
    // Three steps per frame: counts and wall times add up.
    nc_model_report three[3] = {report_of_all_fields(2), report_of_all_fields(3), report_of_all_fields(4)};
    three[0].common.kinetic_before = 77;
    three[2].common.kinetic = 88;
    three[0].common.smallest_distance = 0.5;
    three[1].common.smallest_distance = 0.25;
    three[2].common.smallest_distance = INFINITY;
    three[0].common.velocity_error = 0.5;
    three[1].common.velocity_error = 0.75;
    three[2].common.velocity_error = 0.25;
    for (int i = 0; i < 3; i++)
        three[i].common.velocity_error_body = 10 + i;
    for (int i = 0; i < 3; i++)
        check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    check_ok(nc_run_append(run, nc_model_of_world(world), three, 3, &err), err);
    check_ok(nc_run_read_report(run, 2, &back, &err), err);
    assert_int_equal(back.common.step, 4);
    assert_int_equal(back.common.too_far, 3 * all.common.too_far);
    assert_int_equal(back.common.energy_fixes, 3 * all.common.energy_fixes);
    assert_int_equal(back.common.collisions, 3 * all.common.collisions);
    assert_true(back.common.sweeps == 3 * all.common.sweeps);
    assert_int_equal(back.common.bodies, all.common.bodies);
    check_near(back.common.smallest_distance, 0.25, 0);
    check_near(back.common.velocity_error, 0.75, 0);
    assert_int_equal(back.common.velocity_error_body, 11);
    check_near(back.common.kinetic_before, 77, 0);
    check_near(back.common.kinetic, 88, 0);
    assert_true(back.common.seconds_total == 3 * all.common.seconds_total);
    check_near(fixture_sql(f.path, "select steps from report where frame = 2"), 3, 0);
    // A report of another step than the world's is a mistake.
    check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), three, 3, &err), NC_BAD_ARGUMENT);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// Far from everything there is no smallest distance: infinite in memory, NULL in the file, and a sound row.
static void a_distance_to_nothing_is_null_and_comes_back_infinite(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 4);
    nc_run *run = fixture_create(f.path, world);
    nc_model_report report, back;
    check_ok(nc_model_step(nc_model_of_world(world), FIXTURE_DT, &report, &err), err);
    report.common.smallest_distance = INFINITY;
    check_ok(nc_run_append(run, nc_model_of_world(world), &report, 1, &err), err);
    for (int frame = 0; frame < 2; frame++) {
        check_ok(nc_run_read_report(run, frame, &back, &err), err);
        assert_true(isinf(back.common.smallest_distance));
    }
    check_near(fixture_sql(f.path, "select count(*) from report where smallest_distance is null"), 2, 0);
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void a_stranger_reads_energies_with_sql(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    fixture_write(f.path, 4, 30, 5);
    check_near(fixture_sql(f.path, "select count(*) from (select time, kinetic, potential from report)"), 31, 0);
    check_near(fixture_sql(f.path, "select max(abs(kinetic + potential - (select kinetic + potential from report"
                                   " where frame = 0))) / (select kinetic from report where frame = 0) from report"),
               0, 0.2);
    check_near(fixture_sql(f.path, "select count(*) from motion where name = 'tumbler 1' and time > 1.24"), 1, 0);
    fixture_leave(&f);
}

// ---- resuming -----------------------------------------------------------------------------------------------

static void resumed_run_hashes_like_an_uninterrupted_one(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    uint64_t hashes[41];
    nc_world *world = fixture_world(6, 6);
    hashes[0] = nc_world_hash(world);
    for (int i = 1; i <= 40; i++) {
        fixture_step(world, NULL);
        hashes[i] = nc_world_hash(world);
    }
    nc_world_destroy(world);
    world = fixture_world(6, 6);
    nc_run *run = fixture_create(f.path, world);
    for (int stop = 1; stop <= 40; stop += 13) {
        while (nc_world_step_count(world) < stop)
            fixture_step(world, run);
        nc_world_destroy(world);
        fixture_close(run);
        run = fixture_open(f.path, NC_RUN_APPEND);
        check_ok(fixture_restore(run, &world, &err), err);
        assert_true(nc_world_step_count(world) <= stop);
        assert_true(nc_world_step_count(world) > stop - 5);
    }
    while (nc_world_step_count(world) < 40)
        fixture_step(world, run);
    nc_run_frame frame = {0};
    assert_int_equal(fixture_info(run).frame_count, 41);
    for (int i = 0; i <= 40; i++) {
        check_ok(nc_run_read_frame(run, i, &frame, &err), err);
        assert_true(frame.hash == hashes[i]);
    }
    nc_run_frame_free(run, &frame);
    nc_world_destroy(world);
    fixture_close(run);
    fixture_leave(&f);
}

static void a_step_done_again_with_other_bits_is_a_broken_promise(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 3, 8, 7);
    // The checkpoints at the end are dropped, so that the run resumes before its last frames.
    fixture_sql(f.path, "delete from checkpoint where step > 5");
    nc_run *run = fixture_open(f.path, NC_RUN_APPEND);
    nc_world *world = NULL;
    check_ok(fixture_restore(run, &world, &err), err);
    assert_int_equal(nc_world_step_count(world), 5);
    fixture_step(world, run);
    nc_body_id ids[8];
    nc_world_bodies(world, ids, 8);
    nc_body_state now;
    check_ok(nc_body_read(world, ids[2], &now, &err), err);
    now.velocity.x = nextafter(now.velocity.x, 1e9);
    check_ok(nc_body_set_velocity(world, ids[2], now.velocity, now.spin, &err), err);
    check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), NC_BROKEN_PROMISE);
    assert_non_null(strstr(err.text, "step 7"));
    assert_non_null(strstr(err.text, "another state hash"));
    assert_string_equal(err.file + strlen(err.file) - 11, "a run.nacre");
    assert_int_equal(fixture_info(run).frame_count, 9);
    nc_world_destroy(world);
    fixture_close(run);
    fixture_leave(&f);
}

static void a_step_between_stored_frames_is_refused(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(3, 7), *other = fixture_world(3, 7);
    nc_run *run = fixture_create(f.path, world);
    for (int i = 0; i < 4; i++)
        check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    check_ok(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), err);
    check_ok(nc_world_step(other, FIXTURE_DT, NULL, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(other), NULL, 0, &err), NC_BAD_ARGUMENT);
    // A checkpoint must be of the last frame.
    assert_int_equal(nc_run_checkpoint(run, nc_model_of_world(other), &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_run_finish(run, nc_model_of_world(other), &err), NC_BAD_ARGUMENT);
    check_ok(nc_run_checkpoint(run, nc_model_of_world(world), &err), err);
    assert_int_equal(fixture_info(run).checkpoint_step, 4);
    fixture_close(run);
    nc_world_destroy(world);
    nc_world_destroy(other);
    fixture_leave(&f);
}

static void two_checkpoints_are_kept_and_the_older_one_helps_out(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 3, 17, 8);
    check_near(fixture_sql(f.path, "select count(*) from checkpoint"), 2, 0);
    check_near(fixture_sql(f.path, "select min(step) from checkpoint"), 15, 0);
    fixture_sql(f.path, "update checkpoint set state = zeroblob(100) where step = 17");
    nc_run *run = fixture_open(f.path, NC_RUN_APPEND);
    nc_world *world = NULL;
    check_ok(fixture_restore(run, &world, &err), err);
    assert_int_equal(nc_world_step_count(world), 15);
    nc_world_destroy(world);
    fixture_close(run);
    fixture_sql(f.path, "update checkpoint set size = 1000000000000");
    run = fixture_open(f.path, NC_RUN_APPEND);
    assert_int_equal(fixture_restore(run, &world, &err), NC_BAD_FILE);
    fixture_close(run);
    fixture_sql(f.path, "delete from checkpoint");
    run = fixture_open(f.path, NC_RUN_APPEND);
    assert_int_equal(fixture_restore(run, &world, &err), NC_BAD_FILE);
    fixture_close(run);
    fixture_leave(&f);
}

static void bodies_born_and_gone_on_the_way_are_kept(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(3, 9);
    nc_run *run = fixture_create(f.path, world);
    nc_body_id ids[8];
    nc_world_bodies(world, ids, 8);
    fixture_step(world, run);
    check_ok(nc_body_destroy(world, ids[2], &err), err);
    fixture_step(world, run);
    nc_mesh *mesh = fixture_mesh("sphere", NULL);
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mesh = mesh;
    def.name = "late";
    def.mass.mass = 1;
    def.position = nc_v3(0, 50, 0);
    nc_body_id late;
    check_ok(nc_body_create(world, &def, &late, &err), err);
    fixture_step(world, run);
    nc_run_body body;
    check_ok(nc_run_read_body(run, 2, &body, &err), err);
    assert_int_equal(body.born_step, 0);
    assert_int_equal(body.gone_step, 2);
    check_ok(nc_run_read_body(run, 5, &body, &err), err);
    assert_string_equal(body.name, "late");
    assert_int_equal(body.born_step, 3);
    assert_int_equal(body.gone_step, -1);
    nc_run_frame frame = {0};
    check_ok(nc_run_read_frame(run, 1, &frame, &err), err);
    assert_non_null(pose_of(&frame, 2));
    check_ok(nc_run_read_frame(run, 2, &frame, &err), err);
    assert_null(pose_of(&frame, 2));
    assert_int_equal(frame.pose_count, 4);
    check_ok(nc_run_read_frame(run, 3, &frame, &err), err);
    assert_non_null(pose_of(&frame, 5));
    assert_null(pose_of(&frame, 2));
    nc_run_frame_free(run, &frame);
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    nc_world_destroy(world);
    // Resumed from before: the late body is not known to the world yet, and the first one is there again.
    run = fixture_open(f.path, NC_RUN_APPEND);
    check_ok(fixture_restore(run, &world, &err), err);
    assert_int_equal(nc_world_step_count(world), 0);
    fixture_step(world, run);
    check_ok(nc_body_destroy(world, ids[2], &err), err);
    fixture_step(world, run);
    check_ok(nc_body_create(world, &def, &late, &err), err);
    fixture_step(world, run);
    fixture_step(world, run);
    assert_int_equal(fixture_info(run).frame_count, 5);
    assert_int_equal(fixture_info(run).body_count, 6);
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    nc_world_destroy(world);
    nc_mesh_release(mesh);
    fixture_leave(&f);
}

// ---- the rest -----------------------------------------------------------------------------------------------

static void events_and_the_end_are_noted(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 10);
    nc_run *run = fixture_create(f.path, world);
    fixture_step(world, run);
    check_ok(nc_run_log(run, 1, "interrupted", "by Ctrl-C", &err), err);
    check_ok(nc_run_log(run, 1, "resumed", "", &err), err);
    check_ok(nc_run_finish(run, nc_model_of_world(world), &err), err);
    assert_true(fixture_info(run).finished);
    assert_int_equal(fixture_info(run).event_count, 2);
    nc_run_event event;
    check_ok(nc_run_read_event(run, 0, &event, &err), err);
    assert_string_equal(event.kind, "interrupted");
    assert_string_equal(event.text, "by Ctrl-C");
    assert_int_equal(event.step, 1);
    assert_int_equal(nc_run_read_event(run, 2, &event, &err), NC_NOT_FOUND);
    assert_int_equal(nc_run_log(run, 1, NULL, "", &err), NC_BAD_ARGUMENT);
    check_ok(nc_run_extend(run, 80, &err), err);
    assert_false(fixture_info(run).finished);
    assert_int_equal(fixture_info(run).steps_wanted, 80);
    assert_int_equal(nc_run_extend(run, -1, &err), NC_BAD_ARGUMENT);
    const char *scene = NULL;
    check_ok(nc_run_scene_text(run, &scene, &err), err);
    assert_string_equal(scene, "nacre: 1\ntitle: a test\n");
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void long_texts_are_stored_whole_and_cut_between_characters(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    char text[3001];
    for (int i = 0; i < 3000; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[3000] = '\0';
    nc_world *world = fixture_world(1, 11);
    nc_run_def def = fixture_def(f.path);
    def.title = text;
    def.scene_text = text;
    nc_run *run = NULL;
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    const nc_run_info info = fixture_info(run);
    assert_int_equal(strlen(info.title), 254);
    check_near(fixture_sql(f.path, "select length(title) from run"), 1500, 0);
    const char *scene = NULL;
    check_ok(nc_run_scene_text(run, &scene, &err), err);
    assert_string_equal(scene, text);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// Two boxes fly at each other, and nothing but certify may change their motion: it lets them move on as one.
static nc_world *meeting_world(nc_body_id boxes[2])
{
    nc_error err;
    nc_world *world = NULL;
    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(0, 0, 0);
    def.collision_iterations = def.dynamic_iterations = 0;
    def.workers = 1;
    check_ok(nc_world_create(&def, &world, &err), err);
    nc_mesh *mesh = fixture_mesh("box", NULL);
    for (int i = 0; i < 2; i++) {
        nc_body_def body = nc_body_def_default();
        body.type = NC_DYNAMIC;
        body.mesh = mesh;
        body.mass.mass = 1 + i;
        body.position = nc_v3(i == 0 ? -1 : 1, 0.1 * i, 0);
        body.velocity = nc_v3(i == 0 ? 40 : -40, 0, 0);
        check_ok(nc_body_create(world, &body, &boxes[i], &err), err);
    }
    nc_mesh_release(mesh);
    return world;
}

static void bodies_that_were_joined_are_stored_with_the_frame(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_run *run = NULL;
    nc_run_member members[4] = {{-1, -1}};
    nc_model_report report = {0};
    nc_body_id boxes[2];
    int count = -1;
    nc_world *world = meeting_world(boxes);
    const nc_run_def def = fixture_def(f.path);
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    assert_int_equal(nc_body_cluster(world, boxes[0]).generation, 0);
    check_ok(nc_world_step(world, FIXTURE_DT, &report.common, &err), err);
    assert_int_equal(report.common.sticks, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nc_body_cluster(world, boxes[i]).index, boxes[0].index);
    check_ok(nc_run_append(run, nc_model_of_world(world), &report, 1, &err), err);
    check_ok(nc_body_set_velocity(world, boxes[0], nc_v3(-1, 0, 0), nc_v3(0, 0, 0), &err), err);
    check_ok(nc_body_set_velocity(world, boxes[1], nc_v3(1, 0, 0), nc_v3(0, 0, 0), &err), err);
    check_ok(nc_world_step(world, FIXTURE_DT, &report.common, &err), err);
    check_ok(nc_run_append(run, nc_model_of_world(world), &report, 1, &err), err);

    check_ok(nc_run_read_clusters(run, 1, members, 4, &count, &err), err);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(members[i].body, i);
        assert_int_equal(members[i].cluster, 0);
    }
    check_ok(nc_run_read_clusters(run, 1, members, 1, &count, &err), err);
    assert_int_equal(count, 2);
    for (int frame = 0; frame <= 2; frame += 2) {
        check_ok(nc_run_read_clusters(run, frame, members, 4, &count, &err), err);
        assert_int_equal(count, 0);
    }
    check_ok(nc_run_verify(run, &err), err);
    fixture_close(run);
    static const char *const edits[] = {"update cluster set cluster = 1 where body = 0",
                                        "delete from cluster where body = 1"};
    for (int i = 0; i < 2; i++) {
        sqlite3 *db = NULL;
        assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, edits[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        check_ok(nc_run_open(f.path, NC_RUN_READ, NULL, &run, &err), err);
        assert_int_equal(nc_run_verify(run, &err), NC_BAD_FILE);
        fixture_close(run);
    }
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(1, 12);
    nc_run *run = NULL;
    const nc_run_def good = fixture_def(f.path);
    nc_run_def bad[6] = {good, good, good, good, good, good};
    bad[0].timestep = 0;
    bad[1].output_every = 0;
    bad[2].steps_wanted = -1;
    bad[3].checkpoint_every = -1;
    bad[4].path = "";
    bad[5].timestep = NAN;
    for (int i = 0; i < 6; i++)
        assert_int_equal(nc_run_create(&bad[i], nc_model_of_world(world), &run, &err), NC_BAD_ARGUMENT);
    nc_run_def store = good;
    store.store = 2; // no such flag
    assert_int_equal(nc_run_create(&store, nc_model_of_world(world), &run, &err), NC_BAD_ARGUMENT);
    assert_null(run);
    assert_false(fixture_exists(f.path, ""));
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void an_existing_file_is_replaced_only_when_asked_for_and_a_run(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 2, 5, 13);
    nc_world *world = fixture_world(1, 14);
    nc_run *run = NULL;
    nc_run_def def = fixture_def(f.path);
    assert_int_equal(nc_run_create(&def, nc_model_of_world(world), &run, &err), NC_IO);
    assert_non_null(strstr(err.text, "exists"));
    fixture_assert_one_file(f.path);
    check_near(fixture_sql(f.path, "select frames from progress"), 6, 0);
    def.overwrite = true;
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    assert_int_equal(fixture_info(run).frame_count, 1);
    assert_int_equal(fixture_info(run).body_count, 3);
    fixture_close(run);
    FILE *file = fopen(f.path, "w");
    fputs("the only copy of my thesis", file);
    fclose(file);
    assert_int_equal(nc_run_create(&def, nc_model_of_world(world), &run, &err), NC_IO);
    assert_non_null(strstr(err.text, "not a run file"));
    struct stat status;
    assert_int_equal(stat(f.path, &status), 0);
    assert_int_equal(status.st_size, 26);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void a_reader_cannot_write(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 1, 2, 15);
    nc_run *run = fixture_open(f.path, NC_RUN_READ);
    nc_world *world = NULL;
    check_ok(fixture_restore(run, &world, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_run_finish(run, nc_model_of_world(world), &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_run_log(run, 0, "a", "b", &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_run_extend(run, 10, &err), NC_BAD_ARGUMENT);
    nc_world_destroy(world);
    fixture_close(run);
    fixture_assert_one_file(f.path);
    assert_int_equal(nc_run_close(NULL, &err), NC_OK);
    fixture_leave(&f);
}

static void the_size_estimate_is_near_the_truth(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    static const struct {
        int bodies, frames;
    } cases[] = {{1, 10}, {20, 100}, {200, 30}};
    for (size_t i = 0; i < 3; i++) {
        nc_world *world = fixture_world(cases[i].bodies, 16);
        const double estimate = (double)nc_run_estimate_size(nc_model_of_world(world), cases[i].frames + 1);
        nc_world_destroy(world);
        fixture_write(f.path, cases[i].bodies, cases[i].frames, 16);
        struct stat status;
        assert_int_equal(stat(f.path, &status), 0);
        print_message("%d bodies, %d frames: %.0f bytes, estimated %.0f\n", cases[i].bodies, cases[i].frames,
                      (double)status.st_size, estimate);
        check_at_most(estimate, 1.3 * (double)status.st_size);
        check_at_most((double)status.st_size, 1.3 * estimate);
        unlink(f.path);
    }
    fixture_leave(&f);
}

// Every ```sql block of the documentation runs, and gives at least one row, but of contacts, which this run has not.
static void the_documented_sql_works(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    fixture_write(f.path, 4, 30, 17);
    char doc[1024];
    snprintf(doc, sizeof doc, "%s", __FILE__);
    char *tail = strstr(doc, "tests/unit/");
    assert_non_null(tail);
    snprintf(tail, sizeof doc - (size_t)(tail - doc), "docs/run-file.md");
    FILE *file = fopen(doc, "r");
    assert_non_null(file);
    char line[1024], sql[4096] = "";
    bool inside = false;
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "```sql", 6) == 0) {
            inside = true;
            sql[0] = '\0';
        } else if (inside && strncmp(line, "```", 3) == 0) {
            inside = false;
            const bool of_contacts = strstr(sql, "from contact") != NULL || strstr(sql, "from pair_force") != NULL;
            if (isnan(fixture_sql(f.path, sql)) && !of_contacts)
                fail_msg("no row: %s", sql);
            count++;
        } else if (inside) {
            strncat(sql, line, sizeof sql - strlen(sql) - 1);
        }
    }
    fclose(file);
    assert_true(count >= 6);
    fixture_leave(&f);
}

// ---- memory -------------------------------------------------------------------------------------------------

typedef struct failing {
    int calls;
    int fail_at; // -1: never
    int64_t held;
} failing;

static void *failing_resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    failing *f = ctx;
    if (new_size == 0) {
        f->held -= (int64_t)old_size;
        free(ptr);
        return NULL;
    }
    if (f->calls++ == f->fail_at)
        return NULL;
    void *moved = realloc(ptr, new_size);
    f->held += (int64_t)new_size - (int64_t)old_size;
    return moved;
}

// A life of a run: everything that allocates. Returns the first error.
static nc_code live(const char *path, nc_world *first, nc_world *second, const nc_allocator *allocator)
{
    nc_error err;
    nc_run *run = NULL;
    nc_world *restored = NULL;
    nc_run_frame frame = {0};
    const char *scene;
    nc_run_def def = fixture_def(path);
    def.allocator = allocator;
    def.overwrite = true;
    nc_code code = nc_run_create(&def, nc_model_of_world(first), &run, &err);
    if (code == NC_OK)
        code = nc_run_append(run, nc_model_of_world(second), NULL, 0, &err);
    if (code == NC_OK)
        code = nc_run_extend(run, 99, &err);
    nc_run_close(run, &err);
    run = NULL;
    if (code == NC_OK)
        code = nc_run_open(path, NC_RUN_APPEND, allocator, &run, &err);
    if (code == NC_OK)
        code = fixture_restore(run, &restored, &err);
    if (code == NC_OK)
        code = nc_run_append(run, nc_model_of_world(second), NULL, 0, &err);
    if (code == NC_OK)
        code = nc_run_scene_text(run, &scene, &err);
    if (code == NC_OK)
        code = nc_run_read_frame(run, 0, &frame, &err);
    if (code == NC_OK)
        code = nc_run_verify(run, &err);
    nc_world_destroy(restored);
    if (run != NULL)
        nc_run_frame_free(run, &frame);
    nc_run_close(run, &err);
    return code;
}

static void every_failed_allocation_is_a_clean_error(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *first = fixture_world(3, 18), *second = fixture_world(3, 18);
    nc_body_id ids[8];
    nc_world_bodies(second, ids, 8);
    fixture_step(second, NULL);
    check_ok(nc_body_destroy(second, ids[4], &err), err);
    failing counter = {0, -1, 0};
    const nc_allocator allocator = {failing_resize, &counter};
    assert_int_equal(live(f.path, first, second, &allocator), NC_OK);
    assert_int_equal(counter.held, 0);
    const int calls = counter.calls;
    print_message("%d allocations\n", calls);
    for (int k = 0; k < calls; k++) {
        counter = (failing){0, k, 0};
        assert_int_equal(live(f.path, first, second, &allocator), NC_OUT_OF_MEMORY);
        assert_int_equal(counter.held, 0);
        assert_false(fixture_exists(f.path, "-new"));
        assert_false(fixture_exists(f.path, "-lock"));
    }
    nc_world_destroy(first);
    nc_world_destroy(second);
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_run_has_frame_zero_and_one_file),
        cmocka_unit_test(frames_come_back_with_the_bits_they_had),
        cmocka_unit_test(meshes_and_bodies_come_back),
        cmocka_unit_test(codimensional_meshes_come_back),
        cmocka_unit_test(reports_come_back_with_every_field),
        cmocka_unit_test(a_distance_to_nothing_is_null_and_comes_back_infinite),
        cmocka_unit_test(a_stranger_reads_energies_with_sql),
        cmocka_unit_test(resumed_run_hashes_like_an_uninterrupted_one),
        cmocka_unit_test(a_step_done_again_with_other_bits_is_a_broken_promise),
        cmocka_unit_test(a_step_between_stored_frames_is_refused),
        cmocka_unit_test(two_checkpoints_are_kept_and_the_older_one_helps_out),
        cmocka_unit_test(bodies_born_and_gone_on_the_way_are_kept),
        cmocka_unit_test(events_and_the_end_are_noted),
        cmocka_unit_test(long_texts_are_stored_whole_and_cut_between_characters),
        cmocka_unit_test(bodies_that_were_joined_are_stored_with_the_frame),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(an_existing_file_is_replaced_only_when_asked_for_and_a_run),
        cmocka_unit_test(a_reader_cannot_write),
        cmocka_unit_test(the_size_estimate_is_near_the_truth),
        cmocka_unit_test(the_documented_sql_works),
        cmocka_unit_test(every_failed_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
