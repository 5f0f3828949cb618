// The pipelines of stack layers as worlds see them: stacks that stand, energy, momentum, determinism, settings.
#include "check.h"
#include "fail_allocator.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "scene_text.h"

#define HEAD(pipeline, more)                                                                                           \
    "nacre: 1\nworld: {pipeline: " pipeline ", friction: 0.5, restitution: 0, rest_distance: 0.00866" more "}\n"       \
    "shapes: {ground: {generate: plane, size: 40}, box: {generate: box, size: 1}, ball: {generate: sphere, splits: "   \
    "2}}\n"
#define TOWER(n)                                                                                                       \
    "bodies:\n  - {shape: ground, type: static}\n  - {shape: box, position: [0, 0.50866, 0], tower: {count: " #n       \
    ", spacing: 1.00866}}\n"

static nc_world *make(const char *text)
{
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    nc_scene_destroy(scene);
    return world;
}

static nc_step_report run(nc_world *world, int steps)
{
    nc_step_report report = {0};
    nc_error err;
    for (int k = 0; k < steps; k++)
        check_ok(nc_world_step(world, 0.01, &report, &err), err);
    return report;
}

static nc_body_state state_of(const nc_world *world, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, nc_world_find(world, name), &body, &err), err);
    return body;
}

static void check_apart(nc_world *world)
{
    nc_error err;
    int count = 0;
    check_ok(nc_world_audit(world, NULL, 0, &count, &err), err);
    assert_int_equal(count, 0);
    nc_crossing crossing;
    check_ok(nc_world_audit_step(world, &crossing, 1, &count, &err), err);
    assert_int_equal(count, 0);
}

// ---- standing -----------------------------------------------------------------------------------------------------

static void twenty_five_boxes_stand_with_ten_iterations(void **state)
{
    (void)state;
    nc_world *world = make(HEAD("vsp", "") TOWER(25));
    double drift = 0;
    run(world, 500);
    for (int i = 0; i < 25; i++) {
        char name[16];
        snprintf(name, sizeof name, "box.%d", i);
        const nc_vec3 x = state_of(world, name).pose.x;
        drift = fmax(drift, hypot(x.x, x.z));
        check_near(x.y, 0.50866 + 1.00866 * i, 0.001);
    }
    print_message("25 boxes, 500 steps: %.3g m\n", drift);
    check_at_most(drift, 0.001 / 12); // a twelfth of the time in which they may drift 0.1%
    check_apart(world);
    nc_world_destroy(world);
}

// Without shock propagation the same iterations do not carry the stack: that is what layers are for.
static void without_layers_ten_iterations_are_not_enough(void **state)
{
    (void)state;
    nc_world *world = make(HEAD("vsp", ", shock_propagation: false, vsp: {warm_start: false}") TOWER(25));
    const nc_step_report report = run(world, 100);
    assert_true(report.shocks == 0);
    assert_true(report.depth > 1e-3);
    check_apart(world);
    nc_world_destroy(world);
}

static void support_at_rest_is_the_weight(void **state)
{
    (void)state;
    nc_world *world = make(HEAD("vsp", "") TOWER(3));
    const nc_step_report report = run(world, 100);
    check_near(report.support.y, 3 * 1000 * 9.8 * 0.01, 0.5);
    assert_int_equal(report.shocks, 3);
    nc_world_destroy(world);
}

#define SILO                                                                                                           \
    "nacre: 1\nworld: {pipeline: vsp, gravity: [0, -9.8, 0], friction: 0.5, restitution: 0.1}\n"                       \
    "shapes: {ground: {generate: plane, size: 14}, silo: {generate: tube, radius: 0.75, height: 12, segments: 40, "    \
    "rings: 6}, box: {generate: box, size: 0.26, density: 800}, ball: {generate: sphere, radius: 0.15, splits: 2, "    \
    "density: 800}}\n"                                                                                                 \
    "bodies:\n  - {shape: ground, type: static}\n  - {shape: silo, type: static, position: [0, 6.01, 0]}\n"            \
    "  - {shape: box, velocity: [0, -6, 0], pile: {count: [2, 10, 2], center: [0, 2.9, 0], spacing: [0.4, 0.5, 0.4], " \
    "tumble: 0.05, seed: 11}}\n"                                                                                       \
    "  - {shape: ball, velocity: [0, -6, 0], pile: {count: [2, 10, 2], center: [0, 8.2, 0], spacing: [0.4, 0.5, 0.4]," \
    " seed: 21}}\n"

// In a silo a body at the wall is of the lowest layer, wherever it is; what bears it from below is of a higher one. It
// must not fall in its layer onto that one, nor keep the velocity of such a fall.
static void a_pile_in_a_silo_comes_to_rest(void **state)
{
    (void)state;
    nc_world *world = make(SILO);
    run(world, 700);
    int slow = 0;
    for (int k = 0; k < 80; k++) {
        char name[16];
        snprintf(name, sizeof name, k < 40 ? "box.%d" : "ball.%d", k % 40);
        slow += nc_norm(state_of(world, name).velocity) < 0.001;
    }
    print_message("silo: %d of 80 slower than 1 mm/s after 7 s\n", slow);
    check_at_most(76, slow);
    check_apart(world);
    nc_world_destroy(world);
}

static void a_ball_bounces_as_its_restitution_says(void **state)
{
    (void)state;
    static const double e[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("vsp", ", gravity: [0, 0, 0]") "bodies:\n  - {shape: ground, type: static, restitution: %g}\n"
                                                     "  - {shape: ball, position: [0, 0.6, 0], velocity: [0, -3, 0]}\n",
                 e[k]);
        nc_world *world = make(text);
        run(world, 20);
        check_near(state_of(world, "ball").velocity.y, 3 * e[k], 0.05);
        check_apart(world);
        nc_world_destroy(world);
    }
}

// Who slides on what slides is carried: fast bodies are not held as if they stood.
static void a_box_rides_on_a_fast_plate(void **state)
{
    (void)state;
    nc_world *world =
        make("nacre: 1\nworld: {pipeline: vsp, friction: 0, restitution: 0}\n"
             "shapes: {ground: {generate: plane, size: 100}, plate: {generate: box, width: 3, height: 0.2, "
             "depth: 3}, box: {generate: box, size: 0.5}}\n"
             "bodies:\n  - {shape: ground, type: static}\n"
             "  - {shape: plate, position: [0, 0.11, 0], velocity: [3, 0, 0], friction: 0.5}\n"
             "  - {shape: box, position: [0, 0.47, 0], velocity: [3, 0, 0], friction: 0.5}\n"
             "pairs: [{between: [plate, box], friction: 0.5}]\n");
    run(world, 100);
    check_near(state_of(world, "plate").velocity.x, 3, 0.05);
    check_near(state_of(world, "box").velocity.x, 3, 0.05);
    nc_world_destroy(world);
}

static void free_flight_is_that_of_the_shell_pipeline(void **state)
{
    (void)state;
    static const char *const pipelines[] = {"shell", "vsp", "isp"};
    nc_pose pose[3];
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "nacre: 1\nworld: {pipeline: %s}\nshapes: {b: {generate: box, width: 1, height: 2, depth: 3}}\n"
                 "bodies: [{shape: b, velocity: [1, 2, 3], spin: [3, 2, 1]}]\n",
                 pipelines[k]);
        nc_world *world = make(text);
        run(world, 50);
        pose[k] = state_of(world, "b").pose;
        nc_world_destroy(world);
    }
    assert_memory_equal(&pose[0], &pose[1], sizeof pose[0]);
    assert_memory_equal(&pose[0], &pose[2], sizeof pose[0]);
}

// ---- promises -------------------------------------------------------------------------------------------------------

#define PILE(pipeline)                                                                                                 \
    HEAD(pipeline, ", restitution_rule: maximum")                                                                      \
    "bodies:\n  - {shape: ground, type: static}\n"                                                                     \
    "  - {shape: box, pile: {count: [2, 3, 2], center: [0, 5, 0], spacing: 2.2, seed: 7}}\n"                           \
    "  - {shape: ball, pile: {count: [2, 2, 2], center: [0, 12, 0], spacing: 2, seed: 8}, velocity: [0, -5, 0]}\n"

static void nothing_crosses_and_energy_does_not_rise(void **state)
{
    (void)state;
    static const char *const scenes[] = {PILE("vsp"), PILE("isp")};
    for (int k = 0; k < 2; k++) {
        nc_world *world = make(scenes[k]);
        nc_step_report report = {0};
        nc_error err;
        double position = 0, first = 0;
        for (int n = 0; n < 160; n++) {
            check_ok(nc_world_step(world, 0.01, &report, &err), err);
            check_at_most(report.kinetic, report.kinetic_moved + 1e-9 * (1 + report.kinetic));
            const double change = report.kinetic + report.potential - report.kinetic_before - report.potential_before;
            const double taken = report.kinetic - report.kinetic_moved; // so that contact does no work
            check_near(change, report.position_energy - report.turn_loss + taken, 1e-6);
            position = fmax(position, report.position_energy);
            first = n == 0 ? report.kinetic_before + report.potential_before : first;
            check_at_most(change, 1e-9 * first);
            if (n % 16 == 15)
                check_apart(world);
        }
        print_message("pile %d: most that positions added in a step: %.3g J, of %.3g J\n", k, position,
                      report.potential_before);
        nc_world_destroy(world);
    }
}

static uint64_t hash_after(const char *text, int workers, int steps, int resume_at)
{
    nc_world *world = make(text);
    nc_world_def def = nc_world_settings(world);
    def.workers = workers;
    nc_error err;
    check_ok(nc_world_set_settings(world, &def, &err), err);
    for (int k = 0; k < steps; k++) {
        check_ok(nc_world_step(world, 0.01, NULL, &err), err);
        if (k + 1 == resume_at) {
            nc_world *again = make(text);
            nc_buffer bytes = nc_buffer_create(NULL);
            check_ok(nc_world_save(world, &bytes, &err), err);
            check_ok(nc_world_restore(again, bytes.data, bytes.size, &err), err);
            nc_buffer_free(&bytes);
            nc_world_destroy(world);
            world = again;
            def = nc_world_settings(world);
            def.workers = workers;
            check_ok(nc_world_set_settings(world, &def, &err), err);
        }
    }
    const uint64_t hash = nc_world_hash(world);
    nc_world_destroy(world);
    return hash;
}

static void bits_are_the_same_for_any_number_of_workers_and_after_resume(void **state)
{
    (void)state;
    static const char *const scenes[] = {PILE("vsp"), PILE("isp")};
    for (int k = 0; k < 2; k++) {
        const uint64_t one = hash_after(scenes[k], 1, 90, 0);
        assert_true(one == hash_after(scenes[k], 2, 90, 0));
        assert_true(one == hash_after(scenes[k], 3, 90, 45));
        assert_true(one == hash_after(scenes[k], 8, 90, 70));
    }
}

static void tracing_the_merit_changes_nothing(void **state)
{
    (void)state;
    const char *text = HEAD("vsp", ", vsp: {iterations: 30}") TOWER(5);
    nc_world *traced = make(text), *plain = make(text);
    nc_world_trace_merit(traced, true);
    run(traced, 3);
    run(plain, 3);
    double values[64];
    const int count = nc_world_merit(traced, values, 64);
    assert_true(count > 1 && count <= 31);
    assert_true(values[count - 1] < values[0]);
    assert_int_equal(nc_world_merit(plain, values, 64), 0);
    assert_true(nc_world_hash(traced) == nc_world_hash(plain));
    nc_world_trace_merit(traced, false);
    assert_int_equal(nc_world_merit(traced, values, 64), 0);
    nc_world_destroy(traced);
    nc_world_destroy(plain);
}

static nc_code step_with(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_world_def def = nc_world_def_default();
    def.pipeline = NC_PIPELINE_VSP;
    def.allocator = *allocator;
    def.workers = 1;
    nc_world *world = NULL;
    nc_mesh *mesh = NULL;
    nc_error err;
    nc_code code = nc_world_create(&def, &world, &err);
    if (code == NC_OK)
        code = nc_shape_create("box", NULL, 0, allocator, &mesh, &err);
    for (int i = 0; i < 3 && code == NC_OK; i++) {
        nc_body_def body = nc_body_def_default();
        body.type = i == 0 ? NC_STATIC : NC_DYNAMIC;
        body.mesh = mesh;
        body.position = nc_v3(0.1 * i, 1.006 * i, 0);
        nc_body_id id;
        code = nc_body_create(world, &body, &id, &err);
    }
    if (code == NC_OK)
        nc_world_trace_merit(world, true);
    for (int k = 0; k < 2 && code == NC_OK; k++)
        code = nc_world_step(world, 0.01, NULL, &err);
    nc_mesh_release(mesh);
    nc_world_destroy(world);
    return code;
}

static void a_step_without_memory_is_a_clean_error(void **state)
{
    (void)state;
    fail_at_every_call(step_with, NULL);
}

// ---- settings -----------------------------------------------------------------------------------------------------

static void settings_have_the_papers_defaults_and_reach_the_world(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {pipeline: vsp}");
    const nc_scene_settings view = nc_scene_view(scene);
    check_near(view.timestep, 0.01, 0);
    assert_int_equal(view.world.pipeline, NC_PIPELINE_VSP);
    check_near(view.world.vsp.weight, 1, 0); // the paper's is 0.01
    assert_int_equal(view.world.vsp.iterations, 10);
    assert_int_equal(view.world.vsp.correction_iterations, 5);
    check_near(view.world.vsp.damping, 0, 0);
    nc_scene_destroy(scene);
    nc_world *world =
        make("nacre: 1\nworld: {pipeline: isp, vsp: {weight: 0.5, iterations: 7, correction_iterations: 0, "
             "damping: 0.25, damping_falls: true, diagonal_scaling: true, symmetric: false, warm_start: "
             "false}}");
    const nc_world_def def = nc_world_settings(world);
    assert_int_equal(def.pipeline, NC_PIPELINE_ISP);
    check_near(def.vsp.weight + def.vsp.damping, 0.75, 0);
    assert_int_equal(def.vsp.iterations, 7);
    assert_int_equal(def.vsp.correction_iterations, 0);
    assert_true(def.vsp.damping_falls && def.vsp.diagonal_scaling && !def.vsp.symmetric && !def.vsp.warm_start);
    nc_world_destroy(world);
}

static void settings_out_of_range_are_named(void **state)
{
    (void)state;
    nc_world *world = NULL;
    nc_error err;
    nc_world_def bad[4];
    for (int k = 0; k < 4; k++)
        bad[k] = nc_world_def_default();
    bad[0].vsp.weight = 1.5;
    bad[1].vsp.iterations = 0;
    bad[2].vsp.damping = -1;
    bad[3].pipeline = (nc_pipeline)9;
    static const char *const names[] = {"vsp.weight", "vsp.iterations", "vsp.damping", "pipeline"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(nc_world_create(&bad[k], &world, &err), NC_BAD_ARGUMENT);
        assert_non_null(strstr(err.text, names[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_five_boxes_stand_with_ten_iterations),
        cmocka_unit_test(without_layers_ten_iterations_are_not_enough),
        cmocka_unit_test(support_at_rest_is_the_weight),
        cmocka_unit_test(a_pile_in_a_silo_comes_to_rest),
        cmocka_unit_test(a_ball_bounces_as_its_restitution_says),
        cmocka_unit_test(a_box_rides_on_a_fast_plate),
        cmocka_unit_test(free_flight_is_that_of_the_shell_pipeline),
        cmocka_unit_test(nothing_crosses_and_energy_does_not_rise),
        cmocka_unit_test(bits_are_the_same_for_any_number_of_workers_and_after_resume),
        cmocka_unit_test(tracing_the_merit_changes_nothing),
        cmocka_unit_test(a_step_without_memory_is_a_clean_error),
        cmocka_unit_test(settings_have_the_papers_defaults_and_reach_the_world),
        cmocka_unit_test(settings_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
