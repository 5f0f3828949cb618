// `watch` of the expect block: every key can be met and can fail, against motions that mechanics knows; moments that
// were not reached, bodies that are not there, and what cannot be measured.
#include "scene_text.h"
#include "scratch.h"

#include "nacre/drive.h"

#include "scene/keys.h"

// A thrown box (3 + 4 t - 5 t^2 until it lands), one that stands still, a turning one in the air, two linked rings and
// a bar through nothing, both without weight.
#define HEAD                                                                                                           \
    "nacre: 1\n"                                                                                                       \
    "world: {timestep: 1/50, duration: 2, gravity: [0, -10, 0], restitution: 0}\n"                                     \
    "shapes:\n"                                                                                                        \
    "  ground: {generate: plane, size: 60}\n"                                                                          \
    "  box: {generate: box}\n"                                                                                         \
    "  ring: {generate: torus, radius: 1, tube: 0.2}\n"                                                                \
    "bodies:\n"                                                                                                        \
    "  - {name: ground, shape: ground, type: static}\n"                                                                \
    "  - {name: thrown, shape: box, position: [0, 3, 0], velocity: [1, 4, 0]}\n"                                       \
    "  - {name: still, shape: box, position: [9, 0.505, 0]}\n"                                                         \
    "  - {name: wheel, shape: box, type: kinematic, position: [0, 20, 0], spin: [0, 0, 1]}\n"                          \
    "  - {name: ring_a, shape: ring, type: kinematic, position: [-8, 20, 0]}\n"                                        \
    "  - {name: ring_b, shape: ring, type: kinematic, position: [-9, 20, 0], rotation: {axis: [1, 0, 0], angle: "      \
    "90}}\n"                                                                                                           \
    "  - {name: ring_c, shape: ring, type: kinematic, position: [-14, 20, 0]}\n"

typedef struct claim {
    const char *met, *failed, *line;
} claim;

// line: what the failing line has.
static const claim claims[] = {
    {"bodies: thrown, at: 0.5, speed: {min: 1.41, max: 1.42}", "bodies: thrown, at: 0.5, speed: {max: 1.4}",
     "at 0.5 s"},
    {"bodies: thrown, at: 0.5, height: {min: 3.749, max: 3.751}", "bodies: thrown, at: 0.52, height: {min: 3.749}",
     "3.728"},
    {"bodies: thrown, over: max, height: {min: 3.79, max: 3.81}", "bodies: thrown, over: max, height: {min: 3.81}",
     "largest height"},
    {"bodies: thrown, over: min, height: {max: 0.52}", "bodies: thrown, over: min, height: {max: 0.4}",
     "smallest height"},
    {"bodies: thrown, to: 0.8, height: {min: 2.9, max: 3.9}", "bodies: thrown, height: {min: 2.9}", "at least 2.9"},
    {"bodies: thrown, at: 1, x: {min: 0.99, max: 1.01}", "bodies: thrown, at: 1, x: 2", "x: 1"},
    {"bodies: thrown, at: 1, y: {min: 1.99, max: 2.01}", "bodies: thrown, at: 1, y: 3", "y: 2"},
    {"bodies: thrown, z: {min: -0.01, max: 0.01}", "bodies: thrown, z: {min: 1}", "z: "},
    {"bodies: wheel, spin: {min: 0.99, max: 1.01}, from: 0.1", "bodies: wheel, from: 0.1, spin: {min: 2}", "spin: "},
    {"bodies: thrown, at: 1, moved: {min: 1.41, max: 1.42}", "bodies: thrown, at: 1, moved: {max: 1}", "moved: 1.41"},
    {"bodies: wheel, at: 1, turned: {min: 57.2, max: 57.4}", "bodies: wheel, at: 1, turned: {max: 57}",
     "turned: 57.29"},
    {"bodies: still, from: 1, drift: {max: 0.001}", "bodies: wheel, from: 1, drift: {max: 0.5}", "drift: "},
    {"bodies: ring_a, with: ring_b, linking: 1", "bodies: ring_a, with: ring_c, linking: 1", "linking: 0"},
    {"bodies: ring_b, with: ring_c, linking: 0", "bodies: ring_b, with: wheel, linking: 0", "not measured"},
    {"bodies: ring_a, with: ring_c, apart: {min: 5.99, max: 6.01}", "bodies: ring_a, with: nobody, apart: 6",
     "not measured"},
    {"bodies: ring_a, with: 'ring*', links: 1", "bodies: ring_c, with: 'ring*', links: 1", "links: 0"},
    {"bodies: 'ring*', with: 'ring*', links: 1, count: 2", "bodies: wheel, with: 'ring*', links: 0", "not measured"},
    {"bodies: 'ring*', count: 3", "bodies: 'ring*', count: 2", "count: 3"},
    {"at: 2, inside: {low: [-20, 0, -20], high: [20, 2, 20]}, count: 2",
     "at: 2, inside: {low: [-20, 0, -20], high: [20, 0.1, 20]}, count: 2", "count: 0"},
    {"at: 2, moved: {min: 1}, count: 1", "at: 0.1, moved: {min: 1}, count: 1", "count: 0"},
    {"over: max, speed: {min: 4}, count: 1", "over: max, speed: {min: 40}, count: 1", "largest count: 0"},
    {"bodies: still, speed: {max: 1}", "bodies: nobody, speed: {max: 1}", "no such body"},
    {"bodies: still, at: 2, speed: {max: 1}", "bodies: still, at: 2.5, speed: {max: 1}", "no stored frame"},
};

// Runs the scene with these claims for so many seconds; the lines are in `lines`, and what failed is returned.
static int judge(const char *watch, double until, char *lines, size_t size)
{
    char text[8192];
    nc_session *session = NULL;
    nc_error err = {0};
    nc_buffer out = nc_buffer_create(NULL);
    nc_session_def def = nc_session_def_default();
    int failed = -1;
    snprintf(text, sizeof text, HEAD "expect:\n  watch:\n%s", watch);
    def.input = scratch_write("w.yaml", text, strlen(text));
    def.output = scratch_path("w.nacre");
    def.overwrite = def.expect = true;
    def.until = until;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    check_ok(nc_session_run(session, &err), err);
    check_ok(nc_session_judge(session, &failed, &out, &err), err);
    check_ok(nc_session_close(session, &err), err);
    snprintf(lines, size, "%.*s", (int)out.size, (const char *)out.data);
    nc_buffer_free(&out);
    return failed;
}

static void every_claim_can_be_met_and_can_fail(void **state)
{
    (void)state;
    enum { COUNT = sizeof claims / sizeof claims[0] };
    char watch[2][4096] = {"", ""}, lines[8192];
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++)
            snprintf(watch[k] + strlen(watch[k]), sizeof watch[k] - strlen(watch[k]), "    - {%s}\n",
                     k == 0 ? claims[i].met : claims[i].failed);
    if (judge(watch[0], -1, lines, sizeof lines) != 0)
        fail_msg("what should be met:\n%s", lines);
    assert_int_equal(judge(watch[1], -1, lines, sizeof lines), COUNT);
    char *line = lines;
    for (int i = 0; i < COUNT; i++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (strncmp(line, "FAIL  watch ", 12) != 0 || strstr(line, claims[i].line) == NULL)
            fail_msg("%s: %s", claims[i].failed, line);
        line = end + 1;
    }
}

static void no_key_is_left_out_above(void **state)
{
    (void)state;
    for (int i = 0; i < nc_watch_block.key_count; i++) {
        char key[64];
        bool found = false;
        snprintf(key, sizeof key, "%s: ", nc_watch_block.keys[i].name);
        for (size_t k = 0; k < sizeof claims / sizeof claims[0]; k++)
            found = found || strstr(claims[k].met, key) != NULL;
        if (!found)
            fail_msg("%s", nc_watch_block.keys[i].name);
    }
}

static void what_a_stopped_run_did_not_reach_is_not_judged(void **state)
{
    (void)state;
    char lines[1024];
    const char *watch = "    - {bodies: thrown, at: 1.5, x: 7}\n    - {bodies: thrown, from: 1.2, x: 7}\n";
    assert_int_equal(judge(watch, 1, lines, sizeof lines), 0);
    assert_non_null(strstr(lines, "--    watch thrown at 1.5 s, frames: later"));
    assert_int_equal(judge(watch, -1, lines, sizeof lines), 2);
}

static void claims_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *watch, *sentence;
    } cases[] = {
        {"{at: 1}", "nothing to judge"},
        {"{at: 1, from: 0, x: 0}", "a moment (at) and a window"},
        {"{inside: {low: [0, 0, 0], high: [1, 1, 1]}, x: 0}", "together with count"},
        {"{bodies: a, linking: 1}", "belong together"},
        {"{over: mean, x: 1}", "allowed: all, max, min"},
        {"{inside: {low: [0, 0, 0]}, count: 1}", "high"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        nc_scene *scene = NULL;
        nc_error err;
        snprintf(text, sizeof text, "nacre: 1\nexpect: {watch: [%s]}\n", cases[i].watch);
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
        if (strstr(err.text, cases[i].sentence) == NULL)
            fail_msg("%s: %s", cases[i].watch, err.text);
    }
}

// Crossings of cloth are looked for by an audit of the motion.
static void crossings_that_nobody_looked_for_fail(void **state)
{
    (void)state;
    static const char text[] =
        "nacre: 1\n"
        "world: {pipeline: acm, timestep: 1/24, duration: 0.1, restitution: 0, acm: {thickness: 0.05}}\n"
        "shapes: {ball: {generate: sphere, radius: 0.4, splits: 1}, sheet: {generate: sheet, size: 1, columns: 2, "
        "rows: 2}}\n"
        "bodies:\n"
        "  - {shape: ball, type: static}\n"
        "  - {name: sheet, shape: sheet, type: cloth, position: [0, 0.55, 0], cloth: {stretch: 200}}\n"
        "expect: {crossings: 0}\n";
    for (int audit = 0; audit < 2; audit++) {
        nc_session *session = NULL;
        nc_error err = {0};
        nc_session_def def = nc_session_def_default();
        nc_buffer out = nc_buffer_create(NULL);
        int failed = -1;
        def.input = scratch_write("c.yaml", text, strlen(text));
        def.output = scratch_path("c.nacre");
        def.overwrite = def.expect = true;
        def.audit = audit;
        check_ok(nc_session_open(&def, &session, NULL, &err), err);
        check_ok(nc_session_run(session, &err), err);
        check_ok(nc_session_judge(session, &failed, &out, &err), err);
        assert_int_equal(failed, !audit);
        assert_true((strstr((const char *)out.data, "not measured") != NULL) == !audit);
        nc_buffer_free(&out);
        check_ok(nc_session_close(session, &err), err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_claim_can_be_met_and_can_fail),
        cmocka_unit_test(no_key_is_left_out_above),
        cmocka_unit_test(what_a_stopped_run_did_not_reach_is_not_judged),
        cmocka_unit_test(claims_that_mean_nothing_are_refused),
        cmocka_unit_test(crossings_that_nobody_looked_for_fail),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
