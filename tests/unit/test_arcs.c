// Mechanisms whose play is smaller than what an arc leaves its chord by in a step, against closed forms.
#include "check.h"
#include "scene_text.h"

#include "world/world.h"

#include "nacre/world.h"

#define STEP (1.0 / 100) // [s]

typedef struct machine {
    nc_scene *scene;
    nc_world *world;
    int sticks, halts, most_segments;
    nc_step_report report;
} machine;

static machine build(const char *text)
{
    machine m = {.sticks = 0};
    m.scene = scene_of(text);
    m.world = world_of(m.scene);
    return m;
}

static void destroy(machine *m)
{
    nc_world_destroy(m->world);
    nc_scene_destroy(m->scene);
}

// One step, its motion tested at many times.
static void step_once(machine *m)
{
    nc_error err;
    int crossings = 0;
    check_ok(nc_world_step(m->world, STEP, &m->report, &err), err);
    check_ok(nc_world_audit_step(m->world, NULL, 0, &crossings, &err), err);
    assert_int_equal(crossings, 0);
    m->sticks += m->report.sticks;
    m->halts += m->report.halts;
    for (int i = 0; i < m->world->state.bodies.count; i++)
        if (m->world->candidates.path[i].count > m->most_segments)
            m->most_segments = m->world->candidates.path[i].count;
}

static nc_body_state read_body(const machine *m, const char *name)
{
    nc_error err;
    nc_body_state body;
    check_ok(nc_body_read(m->world, nc_world_find(m->world, name), &body, &err), err);
    return body;
}

// A bar that turns about a pin without gravity, 0.1 rad per step: its centre leaves its arc by 0.19 mm, and the hole is
// 0.1 mm wider than the pin. Angle and energy are those of a body that turns freely about the pin.
static void a_bar_turns_about_a_pin_with_less_play_than_its_sagitta(void **state)
{
    (void)state;
    machine m = build("nacre: 1\n"
                      "world: {gravity: [0, 0, 0], friction: 0, restitution: 0}\n"
                      "shapes: {bar: {generate: flat_bar, length: 0.3, width: 0.06, depth: 0.02, hole: 0.0104, "
                      "segments: 48, mass: 1}, "
                      "pin: {generate: cylinder, radius: 0.0103, height: 0.1, segments: 48}}\n"
                      "bodies: [{shape: pin, type: static, rotation: {euler: [90, 0, 0]}}, "
                      "{name: bar, shape: bar, position: [0.15, 0, 0], velocity: [0, 1.5, 0], spin: [0, 0, 10]}]\n");
    nc_error err;
    check_ok(nc_world_measure(m.world, &m.report, &err), err);
    const double start = m.report.kinetic;
    for (int k = 1; k <= 63; k++) {
        step_once(&m);
        const nc_vec3 x = read_body(&m, "bar").pose.x;
        const double angle = 10 * STEP * k;
        check_near(sqrt(x.x * x.x + x.y * x.y), 0.15, 2e-4);
        check_near(x.x, 0.15 * cos(angle), 0.15 * 0.03); // facets of the pin cost it 0.7% of its speed in a turn
        check_near(x.y, 0.15 * sin(angle), 0.15 * 0.03);
    }
    print_message("a bar on a pin kept %.5f of its energy in a turn, %d segments\n", m.report.kinetic / start,
                  m.most_segments);
    assert_int_equal(m.sticks, 0);
    check_at_most(0.98 * start, m.report.kinetic);
    check_at_most(m.report.kinetic, start * (1 + 1e-9));
    assert_true(m.most_segments > 1);
    destroy(&m);
}

static nc_pose turn_bar(const char *more)
{
    char text[2000];
    snprintf(text, sizeof text,
             "nacre: 1\n"
             "world: {gravity: [0, -9.8, 0], friction: 0, restitution: 0}\n"
             "shapes: {bar: {generate: flat_bar, length: 0.3, width: 0.06, depth: 0.02, hole: 0.0105, segments: 12, "
             "mass: 1}, pin: {generate: cylinder, radius: 0.0102, height: 0.1, segments: 12}}\n"
             "bodies:\n"
             "  - {shape: pin, type: static, rotation: {euler: [90, 0, 0]}}\n"
             "  - {name: bar, shape: bar, position: [0.15, 0, 0], velocity: [0, 1.5, 0], spin: [0, 0, 10]}\n%s",
             more);
    machine m = build(text);
    for (int k = 0; k < 12; k++)
        step_once(&m);
    const nc_pose pose = read_body(&m, "bar").pose;
    assert_true(m.most_segments > 1);
    destroy(&m);
    return pose;
}

// The other one turns faster, and is advanced in more parts.
static void a_mechanism_does_not_feel_another_one_far_away(void **state)
{
    (void)state;
    const nc_pose alone = turn_bar("");
    const nc_pose with = turn_bar("  - {shape: pin, type: static, position: [5, 0, 0], rotation: {euler: [90, 0, 0]}}\n"
                                  "  - {name: other, shape: bar, position: [5.15, 0, 0], velocity: [0, 4.5, 0], "
                                  "spin: [0, 0, 30]}\n");
    assert_memory_equal(&alone, &with, sizeof alone);
}

// A scripted crank of 0.1 m, a rod of 0.3 m and a slider between rails, from 90 degrees through a dead centre: pins
// have 0.2 mm of play, and the crank's leaves its arc by 0.2 mm in a step.
static const char *CRANK =
    "nacre: 1\n"
    "world: {gravity: [0, 0, -9.8], friction: 0, restitution: 0}\n"
    "shapes:\n"
    "  table: {generate: box, width: 1, height: 0.6, depth: 0.02}\n"
    "  crank: {generate: flat_bar, length: 0.2, width: 0.04, depth: 0.02, hole: 0.0105, segments: 24}\n"
    "  rod: {generate: flat_bar, length: 0.3, width: 0.04, depth: 0.02, hole: 0.0105, segments: 24}\n"
    "  slider: {generate: flat_bar, length: 0.08, width: 0.04, depth: 0.02, hole: 0.0105, holes: 3, segments: 24}\n"
    "  pin: {generate: cylinder, radius: 0.0103, height: 0.05, segments: 24}\n"
    "  rail: {generate: box, width: 0.34, height: 0.02, depth: 0.014}\n"
    "  stop: {generate: box, size: 0.01}\n"
    "bodies:\n"
    "  - {name: table, shape: table, type: static, position: [0.2, 0, -0.01]}\n"
    "  - {name: lid, shape: table, type: static, position: [0.2, 0, 0.0603]}\n"
    "  - {name: rail, shape: rail, type: static, grid: {count: [1, 2, 1], spacing: [0, 0.0602, 0], "
    "center: [0.31, 0, 0.0071]}}\n"
    "  - {name: crank, shape: crank, type: kinematic, position: [0, 0, 0.0101], rotation: {axis: [0, 0, 1], angle: "
    "90}, "
    "spin: [0, 0, 12.566370614359172]}\n"
    "  - {name: slider, shape: slider, position: [0.282842712, 0, 0.0101], velocity: [-1.25663706, 0, 0]}\n"
    "  - {name: rod, shape: rod, position: [0.141421356, 0.05, 0.0302], rotation: {axis: [0, 0, 1], "
    "angle: -19.4712206}, velocity: [-1.25663706, 0, 0]}\n"
    "  - {name: crankpin, shape: pin, position: [0, 0.1, 0.0251], rotation: {euler: [90, 0, 0]}, "
    "velocity: [-1.25663706, 0, 0]}\n"
    "  - {name: sliderpin, shape: pin, position: [0.282842712, 0, 0.0251], rotation: {euler: [90, 0, 0]}, "
    "velocity: [-1.25663706, 0, 0]}\n"
    "%s"
    "filters: [[table, crank], [rail.*, crank], [lid, crank]]\n";

static machine build_crank(const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, CRANK, more);
    return build(text);
}

static void a_slider_crank_follows_its_closed_form_through_a_dead_centre(void **state)
{
    (void)state;
    machine m = build_crank("");
    double worst = 0;
    for (int k = 1; k <= 25; k++) {
        step_once(&m);
        const double a = 1.5707963267948966 + 12.566370614359172 * STEP * k;
        const double x = 0.1 * cos(a) + sqrt(0.09 - 0.01 * sin(a) * sin(a));
        worst = fmax(worst, fabs(read_body(&m, "slider").pose.x.x - x));
    }
    print_message("a slider crank was at most %.3g m from its closed form, %d segments\n", worst, m.most_segments);
    check_at_most(worst, 1e-3);
    assert_int_equal(m.sticks + m.halts, 0);
    assert_true(m.most_segments > 1);
    destroy(&m);
}

// Where crank, slider, rod and both pins are, how they are turned (w, x, y, z), and their velocities and spins.
typedef struct crank_state {
    double body[5][4][4];
} crank_state;

// Steps of a long run in which pins, tilted within their play, met their holes within a part: once because they leapt
// from flank to flank and three corrections were not enough, once although all was clear at the ends of six parts. The
// crank had to wait.
static const crank_state HARD[] = {
    {{
        {{0, 0, 0.0101}, {-0.999506552, 0, 0, 0.0314110272}, {0, 0, 0}, {0, 0, 12.5663706}},
        {{0.400183777, -4.98396671e-05, 0.0101008017},
         {1, 2.00416195e-05, -3.15878349e-12, 1.57637994e-13},
         {0.11779038, -3.00600163e-05, -8.01656502e-05},
         {-0.0040083239, 6.48918633e-10, -3.57448894e-11}},
        {{0.24996115, -0.00317980169, 0.030202044},
         {0.999946376, 5.01679356e-05, 1.35686466e-07, 0.0103558017},
         {0.0987652619, 0.628549394, -0.000204963767},
         {-0.00974548481, -0.000419767926, -4.16652483}},
        {{0.0998822454, -0.00628305286, 0.0250604874},
         {-0.560416386, -0.560234362, 0.431318609, 0.431317971},
         {0.101523659, 1.25364238, -0.000271207434},
         {0.0140213321, -0.0129376812, -18.0956547}},
        {{0.400070479, -6.97805263e-05, 0.0250589016},
         {0.68105196, 0.681120704, 0.190047552, 0.190065102},
         {0.111532593, 0.00297885311, 0.000354584716},
         {0.00802960514, -0.0421321656, -4.16074263}},
    }},
    {{
        {{0, 0, 0.0101}, {-0.94088072, 0, 0, 0.338738058}, {0, 0, 0}, {0, 0, 12.5663706}},
        {{0.370681125, -5.04398781e-05, 0.0101094105},
         {0.999999972, 0.000235279938, -6.21162407e-11, -7.8869321e-12},
         {1.01195263, 0.000536958382, 0.00269043304},
         {0.13455529, 1.24114892e-08, 8.61159061e-12}},
        {{0.223965201, -0.0320568541, 0.0309750042},
         {0.994307081, 0.00508951476, 0.00238119199, 0.106404209},
         {0.907805311, 0.481166755, -0.0286272484},
         {0.438027408, -0.144337238, -3.31630419}},
        {{0.0771809855, -0.0637710912, 0.0251252327},
         {-0.678516289, -0.678163618, 0.19662071, 0.202608118},
         {0.80552119, 0.971268578, 0.00247672883},
         {0.203128171, 0.268679702, -3.31056538}},
        {{0.370611917, -0.000159990272, 0.0251211365},
         {0.684423412, 0.689484585, 0.166916461, 0.168269117},
         {1.01541546, -0.00285601649, 0.00288635341},
         {0.363756543, -0.0966078081, -3.86051371}},
    }},
};

static const char *const MOVING[5] = {"crank", "slider", "rod", "crankpin", "sliderpin"};

static void put(machine *m, const char *name, nc_pose pose)
{
    nc_error err;
    check_ok(nc_body_move(m->world, nc_world_find(m->world, name), pose, &err), err);
}

// All are taken away before any is put where it is to be: nothing may meet on the way.
static machine build_hard_crank(const crank_state *at)
{
    machine m = build_crank("");
    nc_error err;
    for (int k = 0; k < 5; k++)
        put(&m, MOVING[k], (nc_pose){nc_v3(5.0 + k, 0, 0), {1, 0, 0, 0}});
    for (int k = 0; k < 5; k++) {
        const double(*is)[4] = at->body[k];
        put(&m, MOVING[k],
            (nc_pose){nc_v3(is[0][0], is[0][1], is[0][2]),
                      nc_quat_normalize((nc_quat){is[1][0], is[1][1], is[1][2], is[1][3]})});
        if (k > 0)
            check_ok(nc_body_set_velocity(m.world, nc_world_find(m.world, MOVING[k]),
                                          nc_v3(is[2][0], is[2][1], is[2][2]), nc_v3(is[3][0], is[3][1], is[3][2]),
                                          &err),
                     err);
    }
    return m;
}

static void a_crank_that_meets_its_pin_in_one_way_goes_on_in_another(void **state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof HARD / sizeof HARD[0]); k++) {
        machine m = build_hard_crank(&HARD[k]);
        for (int step = 0; step < 3; step++)
            step_once(&m);
        print_message("hard place %d: %d sticks, %d halts\n", k, m.sticks, m.halts);
        assert_int_equal(m.sticks + m.halts, 0);
        destroy(&m);
    }
}

// Something stands in the slider's way: the crank has to stop, whatever was proposed, and nothing crosses.
static void a_blocked_slider_crank_stops_and_nothing_crosses(void **state)
{
    (void)state;
    machine m = build_crank("  - {name: stop, shape: stop, type: static, position: [0.2, 0, 0.0101]}\n");
    for (int k = 0; k < 12; k++)
        step_once(&m);
    assert_true(m.halts > 0);
    check_at_most(0.24, read_body(&m, "slider").pose.x.x);
    assert_true(m.most_segments <= NC_MAX_SEGMENTS);
    destroy(&m);
}

// A box that tumbles over a plane turns far in a step, but nothing is on its other side: it keeps one segment.
static void a_box_that_tumbles_on_a_plane_keeps_one_segment(void **state)
{
    (void)state;
    machine m = build("nacre: 1\n"
                      "world: {friction: 0.5, restitution: 0}\n"
                      "shapes: {ground: {generate: plane, size: 10}, box: {generate: box, size: 0.2}}\n"
                      "bodies: [{shape: ground, type: static}, {name: box, shape: box, position: [0, 0.15, 0], "
                      "rotation: {axis: [0, 0, 1], angle: 40}, velocity: [1, 0, 0], spin: [0, 0, -10]}]\n");
    for (int k = 0; k < 40; k++)
        step_once(&m);
    assert_int_equal(m.sticks, 0);
    assert_int_equal(m.most_segments, 1);
    destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_turns_about_a_pin_with_less_play_than_its_sagitta),
        cmocka_unit_test(a_mechanism_does_not_feel_another_one_far_away),
        cmocka_unit_test(a_slider_crank_follows_its_closed_form_through_a_dead_centre),
        cmocka_unit_test(a_crank_that_meets_its_pin_in_one_way_goes_on_in_another),
        cmocka_unit_test(a_blocked_slider_crank_stops_and_nothing_crosses),
        cmocka_unit_test(a_box_that_tumbles_on_a_plane_keeps_one_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
