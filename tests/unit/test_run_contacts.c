// Stored contacts and paths: forces that mechanics knows in closed form, rows that do not depend on threads or on a
// resume, and paths that are judged between frames.
#include "run_fixture.h"
#include "world_bodies.h"

#include "reel/reel.h"
#include "run/run.h"

#define G  9.81
#define DT (1.0 / 60)

// ---- runs ---------------------------------------------------------------------------------------------------

static nc_run *create(const char *path, nc_world *world, unsigned store, int every)
{
    nc_error err;
    nc_run *run = NULL;
    nc_run_def def = fixture_def(path);
    def.timestep = DT;
    def.steps_wanted = 0;
    def.output_every = every;
    def.store = store;
    nc_world_trace_contacts(world, (store & NC_STORE_CONTACTS) != 0);
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    return run;
}

// Steps, with a frame every `every` of them.
static void advance(nc_run *run, nc_world *world, int steps, int every)
{
    nc_error err = {0};
    nc_model_report reports[16];
    int count = 0;
    for (int k = 1; k <= steps; k++) {
        check_ok(nc_model_step(nc_model_of_world(world), DT, &reports[count++], &err), err);
        check_ok(nc_run_record_step(run, nc_model_of_world(world), &err), err);
        if (k % every != 0)
            continue;
        check_ok(nc_run_append(run, nc_model_of_world(world), reports, count, &err), err);
        count = 0;
    }
}

static int64_t last_frame(nc_run *run)
{
    nc_run_info info;
    nc_error err = {0};
    check_ok(nc_run_read_info(run, &info, &err), err);
    return info.frame_count - 1;
}

// The force of a pair in a frame; 0 when it has no contact there. `body_a` < `body_b`.
static nc_run_force force_of(nc_run *run, int64_t frame, int body_a, int body_b)
{
    nc_run_force all[256] = {0};
    nc_error err = {0};
    int count = 0;
    check_ok(nc_run_read_forces(run, frame, all, 256, &count, &err), err);
    assert_true(count <= 256);
    for (int k = 0; k < count; k++)
        if (all[k].body_a == body_a && all[k].body_b == body_b)
            return all[k];
    return (nc_run_force){.body_a = body_a, .body_b = body_b};
}

static void check_value(double found, double wanted, double tolerance, const char *what)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: %.12g, but %.12g is expected (to %g)", what, found, wanted, tolerance);
}

static nc_body_id add_box(nc_world *world, nc_vec3 position, double mass)
{
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.position = position;
    def.mass.mass = mass;
    return add(world, "box", NULL, 0, def);
}

// ---- closed forms -------------------------------------------------------------------------------------------

static void a_box_on_a_table_is_held_by_its_weight_awake_and_asleep(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = new_world(G, 0.5, 0, 1);
    add_ground(world, nc_q4(1, 0, 0, 0));
    add_box(world, nc_v3(0, 0.501, 0), 3);
    nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 1);
    advance(run, world, 30, 1);
    nc_run_force force = force_of(run, last_frame(run), 0, 1); // on the ground
    check_value(force.force.y, -3 * G, 1e-6 * 3 * G, "force on the table");
    check_value(force.normal, 3 * G, 1e-6 * 3 * G, "normal force");
    check_value(nc_norm(nc_v3(force.force.x, 0, force.force.z)), 0, 1e-6 * 3 * G, "force along the table");
    assert_true(force.contacts >= 3);
    nc_run_contact contacts[64];
    nc_error err = {0};
    int count = 0, asleep = 0;
    check_ok(nc_run_read_contacts(run, last_frame(run), contacts, 64, &count, &err), err);
    for (int k = 0; k < count; k++) {
        check_value(contacts[k].normal.y, -1, 1e-9, "normal, from the box to the ground");
        check_value(fabs(contacts[k].place.x), 0.5, 1e-3, "a corner of the box");
        check_value(contacts[k].place.y, contacts[k].distance / 2, 1e-9, "halfway between the surfaces");
        assert_true(contacts[k].distance > 0 && contacts[k].phase == NC_CONTACT_REST);
    }
    advance(run, world, 240, 1);
    check_ok(nc_run_read_contacts(run, last_frame(run), contacts, 64, &count, &err), err);
    for (int k = 0; k < count; k++)
        asleep += contacts[k].phase == NC_CONTACT_ASLEEP;
    assert_true(asleep > 0 && asleep == count);
    force = force_of(run, last_frame(run), 0, 1);
    check_value(force.normal, 3 * G, 1e-6 * 3 * G, "normal force while it sleeps");
    check_ok(nc_run_verify(run, &err), err);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// A slope is a level ground with gravity askew.
static nc_world *slope(double angle, double friction)
{
    nc_world_def def = nc_world_def_default();
    def.gravity = nc_v3(G * sin(angle), -G * cos(angle), 0);
    def.friction = friction;
    def.restitution = 0;
    def.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    add_ground(world, nc_q4(1, 0, 0, 0));
    add_box(world, nc_v3(0, 0.501, 0), 2);
    return world;
}

static void friction_on_a_slope_holds_up_to_the_cone_and_slides_on_it(void **state)
{
    (void)state;
    const double angle = 0.2, weight = 2 * G;
    static const double friction[2] = {0.5, 0.1}; // tan 0.2 = 0.203 lies between
    for (int slides = 0; slides < 2; slides++) {
        const fixture f = fixture_enter();
        nc_world *world = slope(angle, friction[slides]);
        nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 2);
        advance(run, world, 40, 2);
        const nc_run_force force = force_of(run, last_frame(run), 0, 1);
        const double along = slides ? friction[slides] * weight * cos(angle) : weight * sin(angle);
        check_value(force.normal, weight * cos(angle), 1e-3 * weight, "normal force");
        check_value(force.force.x, along, 1e-3 * weight, "friction on the slope");
        nc_run_close(run, NULL);
        nc_world_destroy(world);
        fixture_leave(&f);
    }
}

// All contacts of body `body` with the ground (0) over some frames, as a mean force on the ground.
static double mean_on_ground(nc_run *run, int64_t first, int64_t last, int bodies)
{
    double sum = 0;
    for (int64_t frame = first; frame <= last; frame++)
        for (int body = 1; body <= bodies; body++)
            sum += force_of(run, frame, 0, body).force.y;
    return sum / (double)(last - first + 1);
}

static void a_pile_presses_the_ground_with_its_weight(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = new_world(G, 0.5, 0, 2);
    double weight = 0;
    add_ground(world, nc_q4(1, 0, 0, 0));
    for (int k = 0; k < 12; k++) {
        const int level = k / 4, place = k % 4;
        add_box(world, nc_v3(1.02 * (place % 2) + 0.3 * level, 0.52 + 1.03 * level, 1.02 * (place / 2) + 0.2 * level),
                1 + 0.25 * k);
        weight += (1 + 0.25 * k) * G;
    }
    nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 1);
    advance(run, world, 150, 1);
    const int64_t last = last_frame(run);
    check_value(mean_on_ground(run, last - 9, last, 12), -weight, 2e-3 * weight, "force of the pile on the ground");
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void impulses_on_a_bouncing_ball_are_its_change_of_momentum(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = new_world(G, 0.3, 0.7, 1);
    add_ground(world, nc_q4(1, 0, 0, 0));
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.position = nc_v3(0, 2, 0);
    def.velocity = nc_v3(1, -1, 0);
    def.mass.mass = 2;
    const nc_body_id ball = add(world, "sphere", NULL, 0, def);
    nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 4);
    advance(run, world, 80, 4);
    nc_vec3 sum = {0, 0, 0};
    int impacts = 0;
    for (int64_t frame = 0; frame <= last_frame(run); frame++) {
        nc_run_contact contacts[64];
        nc_error err = {0};
        int count = 0;
        check_ok(nc_run_read_contacts(run, frame, contacts, 64, &count, &err), err);
        for (int k = 0; k < count; k++) {
            sum = nc_sub(sum, contacts[k].impulse); // body_a is the ground
            impacts += contacts[k].phase == NC_CONTACT_IMPACT;
        }
    }
    const nc_vec3 gained = nc_scale(2, nc_sub(read_body(world, ball).velocity, def.velocity));
    assert_true(impacts > 0);
    check_value(sum.x, gained.x, 1e-9, "impulse along the ground");
    check_value(sum.y, gained.y + 2 * G * 80 * DT, 1e-9, "impulse across it");
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void the_view_of_forces_is_what_the_library_sums(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_world *world = new_world(G, 0.5, 0, 1);
    add_ground(world, nc_q4(1, 0, 0, 0));
    add_box(world, nc_v3(0, 0.501, 0), 3);
    nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 5);
    advance(run, world, 20, 5);
    const nc_run_force force = force_of(run, 4, 0, 1);
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(run->db,
                                        "select fx, fy, fz, normal, tangential, contacts from pair_force"
                                        " where frame = 4 and body_a = 0 and body_b = 1",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    check_value(sqlite3_column_double(stmt, 1), force.force.y, 1e-9, "fy");
    check_value(sqlite3_column_double(stmt, 3), force.normal, 1e-9, "normal");
    assert_int_equal(sqlite3_column_int(stmt, 5), force.contacts);
    sqlite3_finalize(stmt);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// ---- the same rows ------------------------------------------------------------------------------------------

static nc_world *small_pile(int workers)
{
    nc_world *world = new_world(G, 0.5, 0.2, workers);
    add_ground(world, nc_q4(1, 0, 0, 0));
    for (int k = 0; k < 6; k++)
        add_box(world, nc_v3(0.2 * (k % 3), 0.6 + 1.1 * k, 0.1 * (k % 2)), 1 + k);
    return world;
}

// A hash of all rows of a table.
static uint64_t rows_hash(nc_run *run, const char *table)
{
    char sql[128];
    sqlite3_stmt *stmt = NULL;
    uint64_t hash = NC_HASH_START;
    snprintf(sql, sizeof sql, "select sum from %s order by 1", table);
    assert_int_equal(sqlite3_prepare_v2(run->db, sql, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        hash = nc_hash_u64(hash, (uint64_t)sqlite3_column_int64(stmt, 0));
    sqlite3_finalize(stmt);
    return hash;
}

static void contacts_and_paths_are_the_same_for_any_number_of_workers_and_after_a_resume(void **state)
{
    (void)state;
    const unsigned both = NC_STORE_CONTACTS | NC_STORE_PATHS;
    uint64_t contacts[3], paths[3];
    for (int how = 0; how < 3; how++) {
        const fixture f = fixture_enter();
        nc_error err = {0};
        nc_world *world = small_pile(how == 1 ? 2 : 1);
        nc_run *run = create(f.path, world, both, 1);
        advance(run, world, how == 2 ? 33 : 60, 1);
        if (how == 2) { // stopped in the middle, three frames after a checkpoint
            nc_model model;
            nc_run_close(run, NULL);
            nc_world_destroy(world);
            run = fixture_open(f.path, NC_RUN_APPEND);
            check_ok(nc_run_restore(run, 1, &model, &err), err);
            world = nc_model_world(model);
            assert_true(nc_world_step_count(world) < 33);
            nc_world_trace_contacts(world, true);
            advance(run, world, 60 - (int)nc_world_step_count(world), 1);
        }
        check_ok(nc_run_verify(run, &err), err);
        contacts[how] = rows_hash(run, "contact");
        paths[how] = rows_hash(run, "path");
        nc_run_close(run, NULL);
        nc_world_destroy(world);
        fixture_leave(&f);
    }
    for (int how = 1; how < 3; how++) {
        assert_true(contacts[how] == contacts[0]);
        assert_true(paths[how] == paths[0]);
    }
}

static void tracing_contacts_changes_no_result(void **state)
{
    (void)state;
    nc_world *plain = small_pile(1), *traced = small_pile(1);
    nc_error err = {0};
    nc_world_trace_contacts(traced, true);
    for (int k = 0; k < 60; k++) {
        check_ok(nc_world_step(plain, DT, NULL, &err), err);
        check_ok(nc_world_step(traced, DT, NULL, &err), err);
    }
    assert_true(nc_world_hash(plain) == nc_world_hash(traced));
    assert_int_equal(nc_world_contacts(plain, NULL, 0), 0);
    assert_true(nc_world_contacts(traced, NULL, 0) > 0);
    nc_world_destroy(plain);
    nc_world_destroy(traced);
}

static void a_run_that_stores_contacts_needs_a_world_that_traces_them(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err = {0};
    nc_world *world = small_pile(1);
    nc_run *run = create(f.path, world, NC_STORE_CONTACTS, 1);
    nc_world_trace_contacts(world, false);
    nc_model_report report;
    check_ok(nc_model_step(nc_model_of_world(world), DT, &report, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), &report, 1, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "nc_world_trace_contacts"));
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// ---- paths --------------------------------------------------------------------------------------------------

typedef struct findings {
    int count[NC_PATH_MISSING + 1];
    nc_path_finding first[NC_PATH_MISSING + 1];
} findings;

static void hear(const nc_path_finding *finding, void *ctx)
{
    findings *f = ctx;
    if (f->count[finding->kind]++ == 0)
        f->first[finding->kind] = *finding;
}

static findings judge(nc_run *run, nc_path_summary *sum)
{
    findings found = {0};
    nc_error err = {0};
    nc_reel reel;
    check_ok(nc_reel_attach(run, NULL, &reel, &err), err);
    check_ok(nc_reel_check_paths(&reel, 0, reel.info.frame_count - 1, 1, hear, &found, sum, &err), err);
    nc_reel_close(&reel);
    return found;
}

static void paths_of_a_pile_are_proven_apart_between_its_frames(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err = {0};
    nc_world *world = small_pile(1);
    nc_run *run = create(f.path, world, NC_STORE_PATHS, 3);
    advance(run, world, 60, 3);
    nc_path_summary sum;
    const findings found = judge(run, &sum);
    for (int kind = 0; kind <= NC_PATH_MISSING; kind++)
        assert_int_equal(found.count[kind], 0);
    assert_int_equal(sum.steps, 60);
    assert_true(sum.pairs > 30);
    assert_int_equal(sum.proven, sum.pairs);
    // What the path says at the end of a frame's last step is what the frame has.
    nc_run_path paths[8];
    nc_run_frame frame = {0};
    int count = 0;
    check_ok(nc_run_read_paths(run, 60, paths, 8, &count, &err), err);
    check_ok(nc_run_read_frame(run, 20, &frame, &err), err);
    assert_int_equal(count, 6);
    for (int k = 0; k < count; k++) {
        const nc_pose end = nc_run_path_pose(&paths[k], 1), stored = frame.poses[paths[k].body].pose;
        assert_memory_equal(&end, &stored, sizeof end);
    }
    nc_run_frame_free(run, &frame);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// Two boxes that may pass through each other, with frames before and after it only.
static nc_run *pass_through(const char *path, nc_world **out)
{
    nc_error err = {0};
    nc_world *world = new_world(0, 0.5, 0, 1);
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mass.mass = 1;
    def.position = nc_v3(-2, 0, 0);
    def.velocity = nc_v3(24, 0, 0);
    const nc_body_id a = add(world, "box", NULL, 0, def);
    def.position = nc_v3(2, 0.1, 0);
    def.velocity = nc_v3(-24, 0, 0);
    const nc_body_id b = add(world, "box", NULL, 0, def);
    check_ok(nc_world_exempt_pair(world, a, b, &err), err);
    nc_run *run = create(path, world, NC_STORE_PATHS, 10);
    advance(run, world, 10, 10);
    *out = world;
    return run;
}

static void a_crossing_between_frames_is_found_on_the_paths(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err = {0};
    nc_world *world = NULL;
    nc_path_summary sum;
    nc_run *run = pass_through(f.path, &world);
    findings found = judge(run, &sum);
    assert_int_equal(found.count[NC_PATH_CROSSES], 0); // they may
    // The same run, had they not been allowed to.
    nc_run_progress progress;
    check_ok(nc_run_read_progress(run, &progress, &err), err);
    assert_int_equal(sqlite3_exec(run->db, "delete from exempt", NULL, NULL, NULL), SQLITE_OK);
    progress.exempt_count = 0;
    check_ok(nc_run_write_progress(run, &progress, &err), err);
    nc_registry_forget(run);
    found = judge(run, &sum);
    assert_true(found.count[NC_PATH_CROSSES] > 0);
    const nc_path_finding *first = &found.first[NC_PATH_CROSSES];
    const double time = ((double)(first->step - 1) + first->t) * DT; // faces meet when 4 - 48 t = 1
    check_value(time, 3.0 / 48, DT / 64 + 1e-9, "time of the first contact");
    assert_true(first->where.place.x > -0.05 && first->where.place.x < 0.45);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void a_path_that_was_changed_or_lost_is_noticed(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err = {0};
    nc_world *world = NULL;
    nc_path_summary sum;
    nc_run *run = pass_through(f.path, &world);
    assert_int_equal(sqlite3_exec(run->db, "delete from path where step = 4 and body = 1", NULL, NULL, NULL),
                     SQLITE_OK);
    const findings found = judge(run, &sum);
    assert_int_equal(found.count[NC_PATH_MISSING], 1);
    assert_int_equal(found.first[NC_PATH_MISSING].step, 4);
    assert_int_equal(found.count[NC_PATH_JUMPS], 1); // step 5 begins elsewhere
    assert_int_equal(nc_run_verify(run, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.text, "segments of paths"));
    assert_int_equal(
        sqlite3_exec(run->db, "update path set dx = dx + 0.25 where step = 7 and body = 0", NULL, NULL, NULL),
        SQLITE_OK);
    nc_run_path paths[4];
    int count = 0;
    assert_int_equal(nc_run_read_paths(run, 7, paths, 4, &count, &err), NC_BAD_FILE);
    nc_run_close(run, NULL);
    nc_world_destroy(world);
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_table_is_held_by_its_weight_awake_and_asleep),
        cmocka_unit_test(friction_on_a_slope_holds_up_to_the_cone_and_slides_on_it),
        cmocka_unit_test(a_pile_presses_the_ground_with_its_weight),
        cmocka_unit_test(impulses_on_a_bouncing_ball_are_its_change_of_momentum),
        cmocka_unit_test(the_view_of_forces_is_what_the_library_sums),
        cmocka_unit_test(contacts_and_paths_are_the_same_for_any_number_of_workers_and_after_a_resume),
        cmocka_unit_test(tracing_contacts_changes_no_result),
        cmocka_unit_test(a_run_that_stores_contacts_needs_a_world_that_traces_them),
        cmocka_unit_test(paths_of_a_pile_are_proven_apart_between_its_frames),
        cmocka_unit_test(a_crossing_between_frames_is_found_on_the_paths),
        cmocka_unit_test(a_path_that_was_changed_or_lost_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
