// The expect block: every key can be met, and every key can fail.
#include "check.h"

#include "scene/keys.h"
#include "scene_text.h"

#define HEAD                                                                                                           \
    "nacre: 1\nworld: {gravity: [0, -10, 0]}\nshapes: {crate: {generate: box, mass: 2}}\n"                             \
    "bodies: [{name: a, shape: crate, position: [1, 2, 3], velocity: [3, 0, 4], spin: [0, 6, 8]}, "                    \
    "{name: b, shape: crate, position: [9, 0, 0]}]\n"

static const nc_run_summary good = {.frames = 11,
                                    .intersecting_pairs = 0,
                                    .escaped = 1,
                                    .kinetic_start = 100,
                                    .kinetic = 99,
                                    .potential_start = 7,
                                    .potential = 8,
                                    .energy_drift = 0.01,
                                    .momentum_drift = 0.02,
                                    .energy_fixes = 21,
                                    .energy_fallbacks = 22,
                                    .not_finite = 23,
                                    .too_far = 24,
                                    .steps = 10,
                                    .smallest_distance = 0.5,
                                    .velocity_error = 0.25,
                                    .collisions = 31,
                                    .contacts = 32,
                                    .unconverged = 33,
                                    .sticks = 34,
                                    .halts = 35,
                                    .stalls = 36,
                                    .jams = 37,
                                    .undecided = 38,
                                    .clamps = 39,
                                    .kinematic_clusters = 40,
                                    .full_clusters = 41,
                                    .fractures = 42,
                                    .pieces = 43,
                                    .unbroken = 44,
                                    .joint_error = 0.125,
                                    .joint_error_angle = 0.375,
                                    .joint_breaks = 45,
                                    .waits = 46};

// Judges the scene HEAD + expect at its start; returns how much failed and leaves the lines in `lines`.
static int judge(const char *expect, const nc_run_summary *summary, char *lines, size_t size)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD "expect:\n  %s\n", expect);
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    nc_buffer out = nc_buffer_create(NULL);
    nc_error err = {0};
    int failed = -1, failed_quietly = -1;
    check_ok(nc_scene_judge(scene, summary, nc_model_of_world(world), &failed, &out, &err), err);
    check_ok(nc_scene_judge(scene, summary, nc_model_of_world(world), &failed_quietly, NULL, &err), err);
    assert_int_equal(failed, failed_quietly);
    snprintf(lines, size, "%.*s", (int)out.size, (const char *)out.data);
    nc_buffer_free(&out);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return failed;
}

typedef struct expectation {
    const char *key; // of the expect block, or body.key
    const char *met, *failed;
} expectation;

static const expectation expectations[] = {
    {"escaped", "escaped: 1", "escaped: 0"},
    {"steps", "steps: 10", "steps: 11"},
    {"frames", "frames: {min: 11}", "frames: {min: 12}"},
    {"body_count", "body_count: 2", "body_count: 3"},
    {"kinetic", "kinetic: {min: 98, max: 99}", "kinetic: {max: 98.9}"},
    {"potential", "potential: 8", "potential: {min: 8.1}"},
    {"energy", "energy: 107", "energy: 106"},
    {"energy_drift", "energy_drift: {max: 0.01}", "energy_drift: {max: 0.009}"},
    {"kinetic_drift", "kinetic_drift: {max: 0.0101}", "kinetic_drift: {max: 0.0099}"},
    {"momentum_drift", "momentum_drift: {max: 0.02}", "momentum_drift: {max: 0.01}"},
    {"energy_fixes", "energy_fixes: 21", "energy_fixes: 20"},
    {"energy_fallbacks", "energy_fallbacks: 22", "energy_fallbacks: 20"},
    {"not_finite", "not_finite: 23", "not_finite: 0"},
    {"too_far", "too_far: 24", "too_far: 0"},
    {"smallest_distance", "smallest_distance: {min: 0.5}", "smallest_distance: {min: 0.51}"},
    {"velocity_error", "velocity_error: {max: 0.25}", "velocity_error: {max: 0.24}"},
    {"collisions", "collisions: 31", "collisions: {max: 30}"},
    {"contacts", "contacts: 32", "contacts: {max: 31}"},
    {"unconverged", "unconverged: 33", "unconverged: {max: 32}"},
    {"sticks", "sticks: 34", "sticks: {max: 33}"},
    {"halts", "halts: 35", "halts: {max: 34}"},
    {"stalls", "stalls: 36", "stalls: {max: 35}"},
    {"jams", "jams: 37", "jams: {max: 36}"},
    {"undecided", "undecided: 38", "undecided: {max: 37}"},
    {"clamps", "clamps: 39", "clamps: {max: 38}"},
    {"kinematic_clusters", "kinematic_clusters: 40", "kinematic_clusters: {max: 39}"},
    {"full_clusters", "full_clusters: 41", "full_clusters: {max: 40}"},
    {"fractures", "fractures: 42", "fractures: {max: 41}"},
    {"pieces", "pieces: 43", "pieces: {max: 42}"},
    {"unbroken", "unbroken: 44", "unbroken: {max: 43}"},
    {"joint_error", "joint_error: {max: 0.125}", "joint_error: {max: 0.124}"},
    {"joint_error_angle", "joint_error_angle: {max: 0.375}", "joint_error_angle: {max: 0.374}"},
    {"joint_breaks", "joint_breaks: 45", "joint_breaks: 0"},
    {"waits", "waits: 46", "waits: {max: 45}"},
    {"bodies", "bodies: {'?': {z: {min: 0}}}", "bodies: {c: {z: {min: 0}}}"},
    {"body.speed", "bodies: {a: {speed: 5}}", "bodies: {a: {speed: {max: 4}}}"},
    {"body.spin", "bodies: {a: {spin: {min: 9.9, max: 10.1}}}", "bodies: {a: {spin: {min: 11}}}"},
    {"body.height", "bodies: {a: {height: {min: 1.9, max: 2.1}}}", "bodies: {a: {height: {min: 2.1}}}"},
    {"body.x", "bodies: {a: {x: {max: 1.1}}}", "bodies: {a: {x: {max: 0.9}}}"},
    {"body.y", "bodies: {a: {y: {max: 2.1}}}", "bodies: {a: {y: {max: 1.9}}}"},
    {"body.z", "bodies: {a: {z: {max: 3.1}}}", "bodies: {'*': {z: {max: 2.9}}}"},
    {"body.vx", "bodies: {a: {vx: {min: 2.9, max: 3.1}}}", "bodies: {a: {vx: {max: 2.9}}}"},
    {"body.vy", "bodies: {a: {vy: {min: -0.1, max: 0.1}}}", "bodies: {a: {vy: {min: 0.1}}}"},
    {"body.vz", "bodies: {a: {vz: {min: 3.9, max: 4.1}}}", "bodies: {a: {vz: {max: 3.9}}}"},
    {"body.wx", "bodies: {a: {wx: {min: -0.1, max: 0.1}}}", "bodies: {a: {wx: {min: 0.1}}}"},
    {"body.wy", "bodies: {a: {wy: {min: 5.9, max: 6.1}}}", "bodies: {a: {wy: {max: 5.9}}}"},
    {"body.wz", "bodies: {a: {wz: {min: 7.9, max: 8.1}}}", "bodies: {a: {wz: {max: 7.9}}}"},
    {"body.kinetic", "bodies: {b: {kinetic: 0}}", "bodies: {b: {kinetic: 1}}"},
    {"body.orientation", "bodies: {a: {orientation: {near: {axis: [1, 2, 3], angle: -30}, within: 30.001}}}",
     "bodies: {a: {orientation: {near: {axis: [1, 2, 3], angle: 330}, within: 29.999}}}"},
    {"body.position", "bodies: {a: {position: {near: [1, 2, 4], within: 1.001}}}",
     "bodies: {a: {position: {near: [1, 2, 4], within: 0.999}}}"},
};

static void every_key_can_be_met_and_can_fail(void **state)
{
    (void)state;
    char lines[4096];
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const int met = judge(expectations[i].met, &good, lines, sizeof lines);
        if (met != 0 || strncmp(lines, "ok    ", 6) != 0)
            fail_msg("%s", lines);
        const int failed = judge(expectations[i].failed, &good, lines, sizeof lines);
        if (failed != 1 || strncmp(lines, "FAIL  ", 6) != 0 || strstr(lines, "s.yaml:6") == NULL)
            fail_msg("%s: %s", expectations[i].failed, lines);
    }
}

static bool is_tested(const char *prefix, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++)
        if (strcmp(expectations[i].key, name) == 0)
            return true;
    // test_scene_cloth.c has those of cloth, test_watch.c what is watched.
    static const char *const others[] = {"separation", "jammed", "jam_time", "contact_kicks", "deepest_layer",
                                         "crossings",  "knots",  "watch",    "body.lowest",   "body.highest"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return false;
}

static void no_key_is_left_out_above(void **state)
{
    (void)state;
    for (int i = 0; i < nc_expect_block.key_count; i++)
        if (!is_tested("", nc_expect_block.keys[i].name))
            fail_msg("%s", nc_expect_block.keys[i].name);
    for (int i = 0; i < nc_expect_body_block.key_count; i++)
        if (!is_tested("body.", nc_expect_body_block.keys[i].name))
            fail_msg("%s", nc_expect_body_block.keys[i].name);
}

static void separation_fails_when_bodies_cross_and_when_nobody_looked(void **state)
{
    (void)state;
    char lines[512];
    nc_run_summary run = good;
    assert_int_equal(judge("separation: true", &run, lines, sizeof lines), 0);
    run.intersecting_pairs = 3;
    assert_int_equal(judge("separation: true", &run, lines, sizeof lines), 1);
    assert_string_equal(lines, "FAIL  separation: 3 intersecting pairs (allowed: 0 intersecting pairs in audited "
                               "frames)  s.yaml:6\n");
    assert_int_equal(judge("separation: false", &run, lines, sizeof lines), 0);
    run.intersecting_pairs = -1;
    assert_int_equal(judge("separation: true", &run, lines, sizeof lines), 1);
    assert_non_null(strstr(lines, "separation: not audited"));
}

static void what_was_not_measured_fails(void **state)
{
    (void)state;
    char lines[512];
    nc_run_summary run = good;
    run.smallest_distance = -1;
    assert_int_equal(judge("smallest_distance: {max: 1}", &run, lines, sizeof lines), 1);
    assert_non_null(strstr(lines, "smallest_distance: not measured (allowed: at most 1)"));
    run.energy_drift = NAN;
    assert_int_equal(judge("energy_drift: {max: 1}", &run, lines, sizeof lines), 1);
}

static void a_verdict_has_a_line_for_each_key(void **state)
{
    (void)state;
    char lines[1024];
    assert_int_equal(judge("{escaped: 0, steps: 10, bodies: {a: {speed: 5, x: {min: 3, max: 4}}, '*': {y: {max: 9}}}}",
                           &good, lines, sizeof lines),
                     2);
    assert_string_equal(lines, "FAIL  escaped: 1 (allowed: 0)  s.yaml:6\n"
                               "ok    steps: 10  s.yaml:6\n"
                               "ok    bodies.a.speed: 5  s.yaml:6\n"
                               "FAIL  bodies.a.x: 1 (allowed: 3 to 4)  s.yaml:6\n"
                               "ok    bodies.*: 2 bodies  s.yaml:6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_can_be_met_and_can_fail),
        cmocka_unit_test(no_key_is_left_out_above),
        cmocka_unit_test(separation_fails_when_bodies_cross_and_when_nobody_looked),
        cmocka_unit_test(what_was_not_measured_fails),
        cmocka_unit_test(a_verdict_has_a_line_for_each_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
