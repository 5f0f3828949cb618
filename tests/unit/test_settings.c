// Settings of contact: each reaches the world from a scene, and each does what it says.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "scene_text.h"
#include "world/world.h"

static nc_step_report step_once(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

static nc_body_state state_of(const nc_world *world, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, nc_world_find(world, name), &body, &err), err);
    return body;
}

// ---- from the scene -----------------------------------------------------------------------------------------

static void every_choice_of_a_scene_reaches_the_world(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int solver, model, friction, restitution, failsafe, jam;
    } cases[] = {
        {"nacre: 1", NC_SOLVER_PGS, NC_FRICTION_CONE, NC_COMBINE_GEOMETRIC, NC_COMBINE_MAXIMUM, NC_FAILSAFE_NONE,
         NC_JAM_STALL},
        {"nacre: 1\nworld: {contact_solver: sequential, friction_model: pyramid, friction_rule: average, "
         "restitution_rule: multiply, failsafe: kinematic, on_jam: stop}",
         NC_SOLVER_SEQUENTIAL, NC_FRICTION_PYRAMID, NC_COMBINE_AVERAGE, NC_COMBINE_MULTIPLY, NC_FAILSAFE_KINEMATIC,
         NC_JAM_STOP},
        {"nacre: 1\nworld: {contact_solver: pgs, friction_model: cone, friction_rule: minimum, "
         "restitution_rule: geometric, failsafe: full, on_jam: stall}",
         NC_SOLVER_PGS, NC_FRICTION_CONE, NC_COMBINE_MINIMUM, NC_COMBINE_GEOMETRIC, NC_FAILSAFE_FULL, NC_JAM_STALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nc_scene *scene = scene_of(cases[i].text);
        nc_world *world = world_of(scene);
        const nc_world_def def = nc_world_settings(world);
        assert_int_equal(def.contact_solver, cases[i].solver);
        assert_int_equal(def.friction_model, cases[i].model);
        assert_int_equal(def.friction_rule, cases[i].friction);
        assert_int_equal(def.restitution_rule, cases[i].restitution);
        assert_int_equal(def.failsafe, cases[i].failsafe);
        assert_int_equal(def.on_jam, cases[i].jam);
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
}

static void every_new_number_of_a_scene_reaches_the_world(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nworld: {sequential_scale: 0.25, shock_propagation: false, rest_speed: 0.5}");
    const nc_world_def given = nc_scene_view(scene).world;
    check_near(given.sequential_scale, 0.25, 0);
    check_near(given.rest_speed, 0.5, 0);
    assert_false(given.shock_propagation);
    nc_scene_destroy(scene);
    scene = scene_of("nacre: 1");
    const nc_world_def bare = nc_scene_view(scene).world, fallback = nc_world_def_default();
    check_near(bare.sequential_scale, fallback.sequential_scale, 0);
    check_near(bare.rest_speed, fallback.rest_speed, 0);
    check_near(bare.friction, fallback.friction, 0);
    assert_true(bare.shock_propagation && fallback.shock_propagation);
    nc_scene_destroy(scene);
}

static void settings_out_of_range_are_refused_and_change_nothing(void **state)
{
    (void)state;
    nc_world *world = NULL;
    nc_error err;
    const nc_world_def good = nc_world_def_default();
    check_ok(nc_world_create(&good, &world, &err), err);
    const uint64_t before = nc_world_hash(world);
    nc_world_def bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].contact_solver = (nc_contact_solver)2;
    bad[1].friction_model = (nc_friction_model)2;
    bad[2].friction_rule = (nc_combination)5;
    bad[3].restitution_rule = (nc_combination)-1;
    bad[4].on_jam = (nc_on_jam)2;
    bad[5].failsafe = (nc_failsafe)3;
    bad[6].sequential_scale = 0;
    bad[7].rest_speed = NAN;
    static const char *const names[] = {"contact_solver", "friction_model", "friction_rule",    "restitution_rule",
                                        "on_jam",         "failsafe",       "sequential_scale", "rest_speed"};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(nc_world_set_settings(world, &bad[i], &err), NC_BAD_ARGUMENT);
        assert_non_null(strstr(err.text, names[i]));
    }
    assert_true(nc_world_hash(world) == before);
    nc_world_def other = good;
    other.failsafe = NC_FAILSAFE_FULL;
    other.friction = 0.75;
    check_ok(nc_world_set_settings(world, &other, &err), err);
    check_near(nc_world_settings(world).friction, 0.75, 0);
    assert_true(nc_world_hash(world) != before);
    nc_world_destroy(world);
}

// ---- pairs --------------------------------------------------------------------------------------------------

static void check_pair(const nc_world *world, const char *a, const char *b, double friction, double restitution)
{
    double f = -1, r = -1;
    nc_error err;
    check_ok(nc_world_read_pair(world, nc_world_find(world, a), nc_world_find(world, b), &f, &r, &err), err);
    check_near(f, friction, 1e-15);
    check_near(r, restitution, 1e-15);
    check_ok(nc_world_read_pair(world, nc_world_find(world, b), nc_world_find(world, a), NULL, &r, &err), err);
    check_near(r, restitution, 1e-15);
}

#define TWO_BODIES                                                                                                     \
    "shapes: {crate: {generate: box}}\n"                                                                               \
    "bodies:\n"                                                                                                        \
    "  - {name: a, shape: crate, friction: 0.2, restitution: 0.9}\n"                                                   \
    "  - {name: b, shape: crate, friction: 0.8, restitution: 0.4, position: [3, 0, 0]}\n"

static void rules_combine_coefficients_as_their_names_say(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double friction, restitution;
    } rules[] = {{"average", 0.5, 0.65},
                 {"geometric", 0.4, 0.6},
                 {"minimum", 0.2, 0.4},
                 {"maximum", 0.8, 0.9},
                 {"multiply", 0.16, 0.36}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "nacre: 1\nworld: {friction_rule: %s, restitution_rule: %s}\n" TWO_BODIES,
                 rules[i].rule, rules[i].rule);
        nc_scene *scene = scene_of(text);
        nc_world *world = world_of(scene);
        check_pair(world, "a", "b", rules[i].friction, rules[i].restitution);
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
}

static void a_pair_has_what_the_last_entry_that_names_it_says(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\n"
                 "shapes: {crate: {generate: box}}\n"
                 "bodies:\n"
                 "  - {name: floor, shape: crate}\n"
                 "  - {name: boat, shape: crate, grid: {count: [3, 1, 1], spacing: 2, center: [0, 5, 0]}}\n"
                 "pairs:\n"
                 "  - {between: [floor, \"boat.*\"], friction: 0.9, restitution: 0}\n"
                 "  - {between: [boat.1, floor], restitution: 1}\n"
                 "  - {between: [\"boat.*\", \"boat.*\"], friction: 0}\n");
    nc_world *world = world_of(scene);
    check_pair(world, "floor", "boat.0", 0.9, 0);
    check_pair(world, "floor", "boat.1", 0.1, 1); // the world's friction
    check_pair(world, "floor", "boat.2", 0.9, 0);
    check_pair(world, "boat.0", "boat.2", 0, 0.1);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void a_wrong_pair_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *pairs, *sentence;
    } cases[] = {
        {"[{between: [a, b]}]", "s.yaml:6:9: pairs.0: allowed: friction, restitution or both beside between"},
        {"[{friction: 1}]", "between"},
        {"[{between: [a], friction: 1}]", "found a list of 1; allowed: a pair of body names"},
        {"[{between: [a, c], friction: 1}]", "no body has a name like \"c\""},
        {"[{between: [a, [b]], friction: 1}]", "a text"},
        {"[{between: a, friction: 1}]", "allowed: a pair of body names, such as [hand, \"boat.*\"]"},
        {"[{between: [a, b], restitution: 2}]", "allowed: a number from 0 to 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "nacre: 1\n" TWO_BODIES "pairs: %s\n", cases[i].pairs);
        nc_scene *scene = NULL;
        nc_error err;
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
        char sentence[1200];
        nc_error_format(&err, sentence, sizeof sentence);
        if (strstr(sentence, cases[i].sentence) == NULL)
            fail_msg("%s", sentence);
    }
}

static void a_pair_is_forgotten_with_its_body_and_kept_by_a_snapshot(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\n" TWO_BODIES "  - {name: c, shape: crate, position: [6, 0, 0]}\n"
                               "pairs: [{between: [a, \"?\"], friction: 3}]\n");
    nc_world *world = world_of(scene);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    const uint64_t hash = nc_world_hash(world);
    check_ok(nc_body_destroy(world, nc_world_find(world, "b"), &err), err);
    assert_int_equal(world->state.surface_count, 1);
    check_pair(world, "a", "c", 3, 0.9);
    check_ok(nc_world_restore(world, bytes.data, bytes.size, &err), err);
    assert_true(nc_world_hash(world) == hash);
    check_pair(world, "a", "b", 3, 0.9);
    const nc_body_id a = nc_world_find(world, "a"), b = nc_world_find(world, "b");
    assert_int_equal(nc_world_set_pair(world, a, a, 1, 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_world_set_pair(world, a, b, 1, 1.5, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_world_set_pair(world, a, b, NAN, 1, &err), NC_BAD_ARGUMENT);
    check_ok(nc_world_set_pair(world, a, b, -1, -1, &err), err); // by the rules again
    check_pair(world, "b", "a", 0.4, 0.9);
    assert_int_equal(world->state.surface_count, 1);
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// The coefficients of a pair reach its contacts: of two boxes on one slope the one whose pair says so slides.
static void friction_of_a_pair_decides_who_slides(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\n"
                               "world: {friction: 0.5}\n"
                               "shapes: {slope: {generate: plane, size: 40}, crate: {generate: box}}\n"
                               "bodies:\n"
                               "  - rotation: {axis: [0, 0, 1], angle: 15}\n"
                               "    bodies:\n"
                               "      - {shape: slope, type: static}\n"
                               "      - {name: rough, shape: crate, position: [0, 0.51, -3]}\n"
                               "      - {name: slick, shape: crate, position: [0, 0.51, 3]}\n"
                               "pairs: [{between: [slope, slick], friction: 0}]\n");
    nc_world *world = world_of(scene);
    for (int i = 0; i < 24; i++)
        step_once(world, 1.0 / 24);
    check_at_most(nc_norm(state_of(world, "rough").velocity), 1e-3);
    check_near(nc_norm(state_of(world, "slick").velocity), 9.8 * sin(15 * acos(-1) / 180), 0.1);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// ---- on_jam -------------------------------------------------------------------------------------------------

static void a_world_that_is_to_stop_at_a_jam_names_the_bodies_and_is_as_it_was(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\n"
                               "world: {gravity: [0, 0, 0], on_jam: stop}\n"
                               "shapes: {crate: {generate: box}}\n"
                               "bodies:\n"
                               "  - {name: wall, shape: crate, type: static, position: [3, 0, 0]}\n"
                               "  - {name: cargo, shape: crate}\n"
                               "  - {name: piston, shape: crate, type: kinematic, position: [-1.5, 0, 0], "
                               "velocity: [1, 0, 0]}\n");
    nc_world *world = world_of(scene);
    nc_error err = {0};
    uint64_t hash = 0;
    nc_code code = NC_OK;
    int steps = 0;
    for (; code == NC_OK && steps < 200; steps++) {
        hash = nc_world_hash(world);
        code = nc_world_step(world, 1.0 / 24, NULL, &err);
    }
    print_message("%d steps: %s\n", steps, err.text);
    assert_int_equal(code, NC_JAMMED);
    assert_true(steps > 30);
    // Contact may have brought the cargo to the wall before the piston reaches it.
    assert_true(strstr(err.text, "\"piston\" is blocked: \"wall\" and \"cargo\" collide") != NULL ||
                strstr(err.text, "\"piston\" is blocked: \"cargo\" and \"piston\" collide") != NULL);
    assert_true(nc_world_hash(world) == hash);
    nc_world_def patient = nc_world_settings(world);
    patient.on_jam = NC_JAM_STALL;
    check_ok(nc_world_set_settings(world, &patient, &err), err);
    assert_true(step_once(world, 1.0 / 24).stalls > 0);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// ---- solvers ------------------------------------------------------------------------------------------------

// How far [m] a crate creeps down a slope of 20 degrees, friction 0.5, in three seconds.
static double creep(const char *settings)
{
    char text[1024];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {friction: 0.5, %s}\n"
             "shapes: {slope: {generate: plane, size: 40}, crate: {generate: box}}\n"
             "bodies:\n"
             "  - rotation: {axis: [0, 0, 1], angle: 20}\n"
             "    bodies: [{shape: slope, type: static}, {name: crate, shape: crate, position: [0, 0.507, 0]}]\n",
             settings);
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    for (int i = 0; i < 24; i++)
        step_once(world, 1.0 / 24);
    const nc_vec3 before = state_of(world, "crate").pose.x;
    for (int i = 0; i < 72; i++)
        step_once(world, 1.0 / 24);
    const double way = nc_norm(nc_sub(state_of(world, "crate").pose.x, before));
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return way;
}

static void sequential_impulses_slip_where_gauss_seidel_holds(void **state)
{
    (void)state;
    const double pgs = creep("contact_solver: pgs");
    const double sequential = creep("contact_solver: sequential");
    print_message("in 3 s: pgs %.3g m, sequential %.3g m\n", pgs, sequential);
    check_at_most(pgs, 1e-6);
    assert_true(sequential > 1000 * pgs && sequential > 1e-4);
}

// A slope of 20 degrees is 1.21 times as steep as friction 0.3 holds; between its axes the pyramid holds 1.41 times.
static void the_pyramid_holds_between_its_axes_where_the_cone_slides(void **state)
{
    (void)state;
    static const char *const names[] = {"cone", "pyramid"};
    double way[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "nacre: 1\n"
                 "world: {gravity: [2.37, -9.21, 2.37], friction: 0.3, friction_model: %s}\n"
                 "shapes: {ground: {generate: plane, size: 60}, crate: {generate: box}}\n"
                 "bodies: [{shape: ground, type: static}, {shape: crate, position: [0, 0.5017, 0]}]\n",
                 names[k]);
        nc_scene *scene = scene_of(text);
        nc_world *world = world_of(scene);
        for (int i = 0; i < 24; i++)
            step_once(world, 1.0 / 24);
        way[k] = state_of(world, "crate").pose.x.x;
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
    print_message("in 1 s: cone %.3g m, pyramid %.3g m\n", way[0], way[1]);
    assert_true(way[0] > 0.1);
    check_at_most(fabs(way[1]), 1e-3);
}

// A crate within the rest distance that approaches at 0.1 m/s, too slow to reach the floor in the next flight.
static double speed_after_touch(double rest_speed)
{
    char text[1024];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {gravity: [0, 0, 0], rest_distance: 0.01, proximity: 0.02, rest_speed: %g, restitution: 1}\n"
             "shapes: {ground: {generate: plane, size: 60}, crate: {generate: box}}\n"
             "bodies: [{shape: ground, type: static}, "
             "{shape: crate, position: [0, 0.5105, 0], velocity: [0, -0.1, 0]}]\n",
             rest_speed);
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    for (int i = 0; i < 2; i++)
        step_once(world, 1.0 / 100);
    const double speed = state_of(world, "crate").velocity.y;
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return speed;
}

static void what_approaches_faster_than_rest_speed_bounces_and_what_is_slower_rests(void **state)
{
    (void)state;
    check_near(speed_after_touch(0.05), 0.1, 1e-6);
    check_near(speed_after_touch(0.2), 0, 1e-6);
}

// The fastest box of a tower of 15 after a step in which the solver may sweep 5 times.
static double fall_of_a_tower(bool shock)
{
    char text[1024];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {contact_solver: sequential, sequential_scale: 1, contact_iterations: 5, shock_propagation: %s, "
             "rest_distance: 0.01}\n"
             "shapes: {ground: {generate: plane, size: 60}, crate: {generate: box}}\n"
             "bodies: [{shape: ground, type: static}, "
             "{shape: crate, tower: {count: 15, spacing: 1.01, base: [0, 0.51, 0]}}]\n",
             shock ? "true" : "false");
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    step_once(world, 1.0 / 24);
    double fastest = 0;
    for (int i = 0; i < 15; i++) {
        char name[32];
        snprintf(name, sizeof name, "crate.%d", i);
        fastest = fmax(fastest, nc_norm(state_of(world, name).velocity));
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return fastest;
}

// By sequential impulses: with Gauss-Seidel, Newton's method solves it after any number of sweeps.
static void shock_propagation_holds_a_tower_that_few_sweeps_do_not(void **state)
{
    (void)state;
    const double with = fall_of_a_tower(true), without = fall_of_a_tower(false);
    print_message("fastest of 15 boxes after 5 sweeps: %.3g m/s with shock propagation, %.3g without\n", with, without);
    assert_true(without > 0.4);
    check_at_most(with, 0.15);
}

// "0.5", "true", "pgs" or "[0, -9.8, 0]": what a scene may give, as text.
static void value_text(const nc_setting *row, char *out, size_t size)
{
    const nc_world_def def = nc_world_def_default();
    const double value = nc_setting_value(row, &def, 0);
    if (row->kind == NC_SETTING_VECTOR)
        snprintf(out, size, "[0, -9.8, 0]");
    else if (row->kind == NC_SETTING_CHOICE)
        snprintf(out, size, "%s", row->choices[0]);
    else if (row->kind == NC_SETTING_FLAG)
        snprintf(out, size, "true");
    else
        snprintf(out, size, "%.9g", value < row->low ? 1 : value);
}

// Every setting with every pipeline: a scene that gives it gets a note when the pipeline does not read it, and only
// then.
static void a_setting_that_the_pipeline_does_not_read_is_named(void **state)
{
    (void)state;
    int count, named = 0;
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int pipeline = 0; pipeline <= NC_PIPELINE_ACM; pipeline++)
        for (int k = 0; k < count; k++) {
            char value[64], text[256], wanted[96];
            const bool vsp = strncmp(rows[k].name, "vsp.", 4) == 0;
            if (strcmp(rows[k].name, "pipeline") == 0)
                continue;
            value_text(&rows[k], value, sizeof value);
            snprintf(text, sizeof text, "nacre: 1\nworld:\n  pipeline: %s\n  %s%s: %s%s\n", nc_pipeline_names[pipeline],
                     vsp ? "vsp: {" : "", rows[k].name + (vsp ? 4 : 0), value, vsp ? "}" : "");
            snprintf(wanted, sizeof wanted, "s.yaml:4: world.%s has no effect with the pipeline %s; it is read by ",
                     rows[k].name, nc_pipeline_names[pipeline]);
            nc_scene *scene = scene_of(text);
            bool found = false;
            for (int i = 0; i < nc_scene_note_count(scene); i++)
                found = found || strncmp(nc_scene_note(scene, i), wanted, strlen(wanted)) == 0;
            const bool read = (rows[k].pipelines >> pipeline & 1) != 0;
            if (found == read)
                fail_msg("%s: %s", wanted, found ? "said, but it is read" : "not said");
            named += found;
            nc_scene_destroy(scene);
        }
    assert_true(named > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_of_a_scene_reaches_the_world),
        cmocka_unit_test(a_setting_that_the_pipeline_does_not_read_is_named),
        cmocka_unit_test(every_new_number_of_a_scene_reaches_the_world),
        cmocka_unit_test(settings_out_of_range_are_refused_and_change_nothing),
        cmocka_unit_test(rules_combine_coefficients_as_their_names_say),
        cmocka_unit_test(a_pair_has_what_the_last_entry_that_names_it_says),
        cmocka_unit_test(a_wrong_pair_is_refused_with_its_place),
        cmocka_unit_test(a_pair_is_forgotten_with_its_body_and_kept_by_a_snapshot),
        cmocka_unit_test(friction_of_a_pair_decides_who_slides),
        cmocka_unit_test(a_world_that_is_to_stop_at_a_jam_names_the_bodies_and_is_as_it_was),
        cmocka_unit_test(sequential_impulses_slip_where_gauss_seidel_holds),
        cmocka_unit_test(the_pyramid_holds_between_its_axes_where_the_cone_slides),
        cmocka_unit_test(what_approaches_faster_than_rest_speed_bounces_and_what_is_slower_rests),
        cmocka_unit_test(shock_propagation_holds_a_tower_that_few_sweeps_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
