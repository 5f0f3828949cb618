// Emitters: bodies that appear during a run, at planned times, where there is room.
#include "check.h"
#include "fail_allocator.h"

#include "base/base.h"
#include "nacre/drive.h"
#include "scene/scene.h"
#include "scene_text.h"
#include "scratch.h"
#include "world/world.h"

#define HEAD                                                                                                           \
    "nacre: 1\nworld: {timestep: 1/20, duration: 2}\nshapes: {ball: {generate: sphere, radius: 0.1, splits: 1}, rod: " \
    "{generate: box, width: 0.05, height: 0.3, depth: 0.05}, block: {generate: box}}\n"
#define BOX "box: {low: [-0.5, 2, -0.5], high: [0.5, 3, 0.5]}"

typedef struct telling {
    int count;
    char first[256], last[256];
} telling;

static void hear(const char *text, void *ctx)
{
    telling *t = ctx;
    if (t->count++ == 0)
        snprintf(t->first, sizeof t->first, "%s", text);
    snprintf(t->last, sizeof t->last, "%s", text);
}

static void emit(const nc_scene *scene, nc_world *world, telling *t)
{
    nc_error err = {0};
    check_ok(nc_scene_emit(scene, nc_model_of_world(world), hear, t, &err), err);
}

static void step(nc_world *world)
{
    nc_error err = {0};
    nc_step_report report;
    check_ok(nc_world_step(world, 0.05, &report, &err), err);
}

static void check_apart(const nc_world *world)
{
    nc_error err = {0};
    nc_overlap first;
    int count = -1;
    check_ok(nc_world_audit(world, &first, 1, &count, &err), err);
    assert_int_equal(count, 0);
}

// The slow way of knowing: the smallest distance of any two bodies.
static double nearest_pair(const nc_world *world)
{
    const nc_bodies *bodies = &world->state.bodies;
    double least = INFINITY;
    nc_error err = {0};
    for (int i = 0; i < bodies->count; i++)
        for (int k = 0; k < i; k++) {
            nc_proximity nearest;
            check_ok(nc_mesh_distance(world->meshes.data[bodies->mesh[i]].mesh, bodies->pose[i],
                                      world->meshes.data[bodies->mesh[k]].mesh, bodies->pose[k], &nearest, &err),
                     err);
            least = fmin(least, nearest.distance);
        }
    return least;
}

static void bodies_appear_at_their_times_and_apart(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("emit", 1) % 1000000;
    for (int round = 0; round < check_effort(3); round++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "bodies: [{name: e, velocity: [0, -3, 0], emit: {rate: 10, start: 0.2, until: 1, " BOX
                      ", shapes: [{shape: ball}, {shape: rod}], seed: %llu}}]",
                 (unsigned long long)seed + (unsigned)round);
        nc_scene *scene = scene_of(text);
        nc_world *world = world_of(scene);
        telling t = {0};
        emit(scene, world, &t);
        assert_int_equal(nc_world_body_count(world), 0);
        for (int i = 1; i <= 25; i++) {
            step(world);
            emit(scene, world, &t);
            // Body n is due at 0.2 s + n / 10 s, and there is room for all.
            const int wanted = i < 4 ? 0 : i / 2 - 1 < 8 ? i / 2 - 1 : 8;
            assert_int_equal(nc_world_body_count(world), wanted);
            check_apart(world);
        }
        assert_int_equal(t.count, 0);
        const nc_emitter_state s = nc_scene_emitter(scene, nc_model_of_world(world), 0);
        assert_true(s.planned == 8 && s.due == 8 && s.appeared == 8);
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
}

// Without gravity nothing leaves the box: it takes what has room, with a gap, and the rest waits.
static void a_full_box_makes_bodies_wait(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of(HEAD "bodies: [{shape: ball, emit: {rate: 400, gap: 0.02, box: {low: [0, 0, 0], high: [0.5, "
                      "0.5, 0.5]}}}]");
    nc_scene_settings settings = nc_scene_view(scene);
    settings.world.gravity = nc_v3(0, 0, 0);
    nc_world *world = NULL;
    nc_error err = {0};
    check_ok(scene_build_world(scene, &settings.world, &world, &err), err);
    telling t = {0};
    for (int i = 0; i < 10; i++) {
        emit(scene, world, &t);
        step(world);
    }
    const nc_emitter_state s = nc_scene_emitter(scene, nc_model_of_world(world), 0);
    assert_true(s.appeared >= 2 && s.appeared <= 8 && s.due == 201 && s.planned == 800);
    assert_int_equal(nc_world_body_count(world), s.appeared);
    assert_true(nearest_pair(world) >= 0.02);
    assert_int_equal(t.count, 1);
    assert_non_null(strstr(t.first, " waits for room from 0"));
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void bodies_that_waited_appear_when_the_way_is_free(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of(HEAD "bodies: [{shape: block, name: gate, type: kinematic, velocity: [4, 0, 0], position: "
                      "[0, 2.5, 0]}, {shape: ball, name: e, emit: {rate: 10, until: 0.3, " BOX "}}]");
    nc_world *world = world_of(scene);
    telling t = {0};
    int64_t before = 0;
    emit(scene, world, &t);
    assert_int_equal(nc_world_body_count(world), 1); // inside the gate, and at none of its corners
    for (int i = 0; i < 20; i++) {
        step(world);
        emit(scene, world, &t);
        check_apart(world);
        const int64_t now = nc_scene_emitter(scene, nc_model_of_world(world), 0).appeared;
        assert_true(now >= before);
        before = now;
    }
    assert_int_equal(before, 3);
    assert_string_equal(t.first, "emitter e: body 0 waits for room from 0 s on");
    assert_non_null(strstr(t.last, "emitter e: no body waits any more at "));
    assert_int_equal(t.count, 2);
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

// ---- sessions -----------------------------------------------------------------------------------------------

static uint64_t run(const char *scene, const char *output, int64_t steps, bool resume)
{
    nc_session_def def = nc_session_def_default();
    nc_session *session = NULL;
    nc_error err = {0};
    def.input = scene;
    def.output = output;
    def.steps = steps;
    def.resume = resume;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    check_ok(nc_session_run(session, &err), err);
    const uint64_t hash = nc_model_hash(nc_session_model(session));
    check_ok(nc_session_close(session, &err), err);
    return hash;
}

static void a_resumed_run_emits_the_same_bits(void **state)
{
    (void)state;
    const char *scene =
        scratch_text("emit.yaml", HEAD "bodies: [{name: e, velocity: [0, -1, 0], emit: {rate: 15, " BOX
                                       ", shapes: [{shape: ball}, {shape: rod}]}}, {shape: block, type: "
                                       "static, position: [0, 0.5, 0]}]");
    const uint64_t whole = run(scene, scratch_path("whole.nacre"), 24, false);
    run(scene, scratch_path("parts.nacre"), 9, false);
    run(scratch_path("parts.nacre"), NULL, 16, true);
    assert_true(run(scratch_path("parts.nacre"), NULL, 24, true) == whole);
}

// ---- mistakes -----------------------------------------------------------------------------------------------

static void mistakes_in_an_emitter_are_named(void **state)
{
    (void)state;
    check_refused(HEAD "bodies: [{shape: ball, emit: {" BOX "}}]",
                  "s.yaml:4:30: bodies.0.emit: the key \"rate\" is missing; it takes a number above 0, at most 1000000 "
                  "[1/s]");
    check_refused(HEAD "bodies: [{shape: ball, emit: {rate: 1}}]",
                  "s.yaml:4:30: bodies.0.emit: the key \"box\" is missing; it takes a map");
    check_refused(HEAD "bodies: [{shape: block, emit: {rate: 1, box: {low: [0, 0, 0], high: [2, 0.9, 2]}}}]",
                  "s.yaml:4:46: bodies.0.emit.box: the shape \"block\" does not fit into it in any of 64 orientations; "
                  "make it larger");
    check_refused(HEAD "bodies: [{shape: ball, emit: {rate: 1, start: 3, " BOX "}}]",
                  "s.yaml:4:30: bodies.0.emit: it ends at 2 s and begins at 3 s; allowed: until after start");
    check_refused(HEAD "bodies: [{shape: ball, type: static, emit: {rate: 1, " BOX "}}]",
                  "s.yaml:4:44: bodies.0.emit: only dynamic bodies appear during a run");
    check_refused(HEAD "bodies: [{emit: {rate: 1, shapes: [{shape: ball}], " BOX "}}]",
                  "s.yaml:4:10: bodies.0: the key \"name\" is missing: bodies of a mix that appear need one");
    check_refused(
        HEAD "bodies: [{shape: ball, emit: {rate: 1, " BOX "}}, {shape: ball, tower: {count: 2}}]",
        "s.yaml:4:30: bodies.0.emit: its bodies are called ball.0, ball.1, ..., and there is a body \"ball.0\"; "
        "give it another name");
    check_refused(HEAD "bodies: [{shape: ball, emit: {rate: 1, " BOX "}}, {shape: ball, emit: {rate: 1, " BOX "}}]",
                  "s.yaml:4:112: bodies.1.emit: the name \"ball\" is that of another emitter; give it one of its own");
    check_refused(
        HEAD "bodies: [{shape: ball, emit: {rate: 1, " BOX "}}, {shape: block}]\nfilters: [[block, \"ball*\"]]",
        "s.yaml:5:19: filters.0.1: \"ball*\" names bodies of the emitter \"ball\", which are not there at the "
        "start; allowed: bodies of the start");
    check_refused(
        "nacre: 1\nworld: {pipeline: acm}\nshapes: {s: {generate: box}}\nbodies: [{shape: s, emit: {rate: 1, " BOX
        "}}]",
        "s.yaml:4:27: bodies.0.emit: it places rigid bodies; not with world.pipeline: acm");
}

static nc_code load_and_emit(const nc_allocator *allocator, void *ctx)
{
    const char *text = ctx;
    const nc_scene_def def = {.path = "s.yaml", .text = text, .text_size = strlen(text), .allocator = allocator};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_code code = nc_scene_load(&def, &scene, NULL);
    if (code == NC_OK)
        code = nc_scene_build(scene, NULL, &model, NULL);
    if (code == NC_OK)
        code = nc_scene_emit(scene, model, NULL, NULL, NULL);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    char text[] =
        HEAD "bodies: [{name: e, emit: {rate: 1, " BOX ", shapes: [{shape: ball}, {shape: rod}]}}, {shape: block}]";
    fail_at_every_call(load_and_emit, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_appear_at_their_times_and_apart),
        cmocka_unit_test(a_full_box_makes_bodies_wait),
        cmocka_unit_test(bodies_that_waited_appear_when_the_way_is_free),
        cmocka_unit_test(a_resumed_run_emits_the_same_bits),
        cmocka_unit_test(mistakes_in_an_emitter_are_named),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
