// The failsafe (English 4.2) inside the step: whatever it proposes nothing crosses, and it forms the clusters it says.
#include "check.h"
#include "fail_allocator.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "certify/certify.h"
#include "scene_text.h"

static const char *const kinds[3] = {"none", "kinematic", "full"}; // as nc_failsafe

typedef struct stage {
    nc_scene *scene;
    nc_world *world;
} stage;

static stage enter(const char *text, nc_failsafe failsafe, int workers)
{
    stage s = {.scene = scene_of(text)};
    nc_error err;
    nc_world_def def = nc_scene_view(s.scene).world;
    def.failsafe = failsafe;
    def.workers = workers;
    check_ok(scene_build_world(s.scene, &def, &s.world, &err), err);
    return s;
}

static void leave(stage *s)
{
    nc_world_destroy(s->world);
    nc_scene_destroy(s->scene);
}

// A step whose result and whose motion are audited exactly.
static nc_step_report audited_step(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    int overlaps = 0, crossings = 0;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    check_ok(nc_world_audit(world, NULL, 0, &overlaps, &err), err);
    check_ok(nc_world_audit_step(world, NULL, 0, &crossings, &err), err);
    assert_int_equal(overlaps, 0);
    assert_int_equal(crossings, 0);
    return report;
}

static nc_body_state state_of(const nc_world *world, const char *name)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, nc_world_find(world, name), &body, &err), err);
    return body;
}

// English Fig. 9, with limits so low that nothing is solved.
#define STACK                                                                                                          \
    "nacre: 1\n"                                                                                                       \
    "world: {collision_iterations: 0, dynamic_iterations: 0, contact_iterations: 1, rest_distance: 0.01, "             \
    "friction: 0.1}\n"                                                                                                 \
    "shapes: {ground: {generate: plane, size: 60}, block: {generate: box, density: 200}, "                             \
    "ball: {generate: sphere, radius: 0.5, splits: 3, density: 1000}}\n"                                               \
    "bodies:\n"                                                                                                        \
    "  - {shape: ground, type: static}\n"                                                                              \
    "  - {shape: block, position: [0, 0.51, 0], tower: {count: 5, spacing: 1.01}}\n"                                   \
    "  - {shape: ball, position: [4, 2.9, 0], velocity: [-20, 1, 0]}\n"

static void limits_that_solve_nothing_leave_it_to_the_failsafe(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        stage s = enter(STACK, (nc_failsafe)kind, 1);
        int kinematic = 0, full = 0;
        double wanted = 0, kept = 0;
        for (int i = 0; i < 13; i++) {
            const nc_step_report r = audited_step(s.world, 1.0 / 24);
            kinematic += r.kinematic_clusters;
            full += r.full_clusters;
            wanted += r.wanted_motion;
            kept += r.kept_motion;
        }
        print_message("%s: %d kinematic and %d full clusters, %.1f%% of %.1f m kept\n", kinds[kind], kinematic, full,
                      100 * kept / wanted, wanted);
        assert_int_equal(kinematic > 0, kind == NC_FAILSAFE_KINEMATIC);
        if (kind != NC_FAILSAFE_KINEMATIC) // which may need full ones too
            assert_int_equal(full > 0, kind == NC_FAILSAFE_FULL);
        leave(&s);
    }
}

// Every body of a cluster names the same first one, which is the lowest and names itself.
static int clusters_of(const nc_world *world, int *members)
{
    nc_body_id bodies[16];
    const int count = nc_world_bodies(world, bodies, 16);
    int clusters = 0;
    *members = 0;
    for (int i = 0; i < count; i++) {
        const nc_body_id first = nc_body_cluster(world, bodies[i]);
        if (first.generation == 0)
            continue;
        (*members)++;
        clusters += first.index == bodies[i].index;
        assert_true(first.index <= bodies[i].index);
        assert_int_equal(nc_body_cluster(world, first).index, first.index);
    }
    return clusters;
}

static void bodies_tell_whom_they_were_joined_with(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        stage s = enter(STACK, (nc_failsafe)kind, 1);
        int joined = 0;
        for (int i = 0; i < 13; i++) {
            const nc_step_report r = audited_step(s.world, 1.0 / 24);
            int members;
            const int clusters = clusters_of(s.world, &members);
            assert_int_equal(clusters > 0, r.sticks + r.kinematic_clusters + r.full_clusters > 0);
            assert_true(members >= 2 * clusters);
            joined += clusters;
        }
        print_message("%s: %d clusters in 13 steps\n", kinds[kind], joined);
        assert_true(joined > 0);
        leave(&s);
    }
}

// One moves along another's face when a third runs into both. The paper's example of 4.2.2.
#define THREE                                                                                                          \
    "nacre: 1\n"                                                                                                       \
    "world: {gravity: [0, 0, 0], collision_iterations: 0, dynamic_iterations: 0, friction: 0, rest_distance: "         \
    "0.0087}\n"                                                                                                        \
    "shapes: {block: {generate: box}}\n"                                                                               \
    "bodies:\n"                                                                                                        \
    "  - {name: left, shape: block, velocity: [1, 4, 0]}\n"                                                            \
    "  - {name: right, shape: block, position: [1.03, 0, 0], velocity: [-1, 0, 0]}\n"                                  \
    "  - {name: third, shape: block, position: [3, 0, 0], velocity: [-18, 0, 0]}\n"

static void a_kinematic_cluster_lets_its_members_go_on_against_each_other(void **state)
{
    (void)state;
    double apart[3]; // [m] from centre to centre
    for (int kind = 1; kind < 3; kind++) {
        stage s = enter(THREE, (nc_failsafe)kind, 1);
        const nc_step_report r = audited_step(s.world, 0.1);
        apart[kind] = nc_norm(nc_sub(state_of(s.world, "left").pose.x, state_of(s.world, "right").pose.x));
        print_message("%s: left and right are %.4f m apart, %d kinematic and %d full clusters\n", kinds[kind],
                      apart[kind], r.kinematic_clusters, r.full_clusters);
        leave(&s);
    }
    assert_true(apart[NC_FAILSAFE_KINEMATIC] > 1.08); // it slid about 0.4 m
    check_near(apart[NC_FAILSAFE_FULL], 1.03, 1e-9);
}

// What is rigidified with the ground stands still, and gains no speed from forces that it did not run under.
static void a_body_rigidified_with_the_ground_stays_where_it_is(void **state)
{
    (void)state;
    stage s = enter("nacre: 1\n"
                    "world: {collision_iterations: 0, dynamic_iterations: 0}\n"
                    "shapes: {ground: {generate: plane, size: 60}, block: {generate: box}}\n"
                    "bodies: [{shape: ground, type: static}, "
                    "{shape: block, position: [0, 1, 0], velocity: [0, -30, 0]}]\n",
                    NC_FAILSAFE_FULL, 1);
    const nc_step_report r = audited_step(s.world, 1.0 / 24);
    assert_int_equal(r.full_clusters, 1);
    assert_int_equal(r.sticks + r.halts, 0);
    const nc_body_state block = state_of(s.world, "block");
    check_near(block.pose.x.y, 1, 0);
    check_near(block.velocity.y, -30, 1e-12);
    leave(&s);
}

static void append(char *text, size_t size, const char *format, double a, double b, double c)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b, c);
}

// A dense crowd that flies inwards, with something fixed and something scripted in it.
static void body_set_of(nc_random *random, char *text, size_t size)
{
    snprintf(text, size,
             "nacre: 1\n"
             "seed: %d\n"
             "world: {collision_iterations: %d, dynamic_iterations: %d, contact_iterations: 5, "
             "friction: 0.3}\n"
             "shapes: {boat: {generate: boat}, crate: {generate: box, size: 0.6}, post: {generate: box, size: 0.5}}\n"
             "bodies:\n",
             (int)(nc_random_u64(random) % 1000), (int)(nc_random_u64(random) % 2), (int)(nc_random_u64(random) % 2));
    append(text, size, "  - {shape: boat, pile: {count: [3, 2, 3], spacing: %g, burst: %g, spin_jitter: %g}}\n",
           nc_random_range(random, 1.05, 1.3), nc_random_range(random, -30, 0), nc_random_range(random, 0, 20));
    append(text, size, "  - {shape: crate, pile: {count: [2, 2, 2], spacing: %g, burst: %g, center: [0, %g, 0]}}\n",
           nc_random_range(random, 1.1, 1.5), nc_random_range(random, -20, 0), 3.5);
    append(text, size, "  - {shape: post, type: static, position: [%g, %g, %g]}\n", nc_random_range(random, -1, 1), -2,
           nc_random_range(random, -1, 1));
    append(text, size,
           "  - {shape: post, type: kinematic, position: [-4, 0, 0], velocity: [%g, %g, 0], spin: [0, %g, 0]}\n",
           nc_random_range(random, 5, 40), nc_random_range(random, -5, 5), nc_random_range(random, -5, 5));
}

static void random_crowds_never_cross_with_any_failsafe(void **state)
{
    (void)state;
    nc_random random = {check_seed("crowds", 9)};
    int kinematic[3] = {0}, full[3] = {0}, sticks[3] = {0};
    double wanted[3] = {0}, kept[3] = {0};
    for (int test = 0; test < check_effort(2); test++) {
        char text[2048];
        body_set_of(&random, text, sizeof text);
        for (int kind = 0; kind < 3; kind++) {
            stage s = enter(text, (nc_failsafe)kind, 1);
            for (int i = 0; i < 4; i++) {
                const nc_step_report r = audited_step(s.world, 1.0 / 24);
                kinematic[kind] += r.kinematic_clusters;
                full[kind] += r.full_clusters;
                sticks[kind] += r.sticks;
                wanted[kind] += r.wanted_motion;
                kept[kind] += r.kept_motion;
            }
            leave(&s);
        }
    }
    for (int kind = 0; kind < 3; kind++)
        print_message("%s: %d kinematic, %d full clusters, %d sticks; %.1f%% of the wanted motion kept\n", kinds[kind],
                      kinematic[kind], full[kind], sticks[kind], 100 * kept[kind] / wanted[kind]);
    assert_true(kinematic[NC_FAILSAFE_KINEMATIC] > 0 && full[NC_FAILSAFE_FULL] > 0);
    assert_int_equal(kinematic[NC_FAILSAFE_NONE] + full[NC_FAILSAFE_NONE] + kinematic[NC_FAILSAFE_FULL], 0);
}

static void failsafe_gives_the_same_bits_for_1_to_4_workers(void **state)
{
    (void)state;
    nc_random random = {10};
    char text[2048];
    body_set_of(&random, text, sizeof text);
    for (int kind = 1; kind < 3; kind++) {
        uint64_t first = 0;
        for (int workers = 1; workers <= 4; workers++) {
            stage s = enter(text, (nc_failsafe)kind, workers);
            nc_error err;
            for (int i = 0; i < 4; i++)
                check_ok(nc_world_step(s.world, 1.0 / 24, NULL, &err), err);
            const uint64_t hash = nc_world_hash(s.world);
            assert_true(workers == 1 || hash == first);
            first = hash;
            leave(&s);
        }
    }
}

// Groups that a caller makes are examined before anything is certified.
static void bodies_that_were_joined_but_move_apart_are_a_broken_promise(void **state)
{
    (void)state;
    nc_mesh *box = NULL;
    nc_error err;
    check_ok(nc_shape_create("box", NULL, 0, NULL, &box, &err), err);
    const uint8_t role[2] = {NC_ROLE_FREE, NC_ROLE_FREE};
    const nc_mesh *mesh[2] = {box, box};
    const double mass[2] = {1, 1};
    const nc_inertia inertia[2] = {{{1, 1, 1}, {1, 0, 0, 0}}, {{1, 1, 1}, {1, 0, 0, 0}}};
    const nc_vec3 zero = {0, 0, 0}, way = {1, 0, 0};
    nc_path path[2];
    path[0] = nc_path_free((nc_pose){{0, 0, 0}, {1, 0, 0, 0}}, way, zero, zero);
    path[1] = nc_path_free((nc_pose){{0, 2, 0}, {1, 0, 0, 0}}, way, zero, zero);
    const nc_certify_bodies bodies = {2, role, mesh, mass, inertia, path};
    const nc_certify_options options = {
        .floor = 1e-3, .tolerance = 1e-4, .sweep_limit = 100, .event_budget = 10, .workers = 1};
    nc_certifier *certifier = NULL;
    nc_fate fate[2];
    nc_certify_report report;
    check_ok(nc_certifier_create(NULL, &certifier, &err), err);
    check_ok(nc_certify_begin(certifier, &bodies, &options, &err), err);
    nc_certify_join(certifier, 0, 1);
    assert_int_equal(nc_certify_end(certifier, fate, &report, &err), NC_BROKEN_PROMISE);
    path[1].segments[0] = path[0].segments[0];
    check_ok(nc_certify_begin(certifier, &bodies, &options, &err), err);
    nc_certify_join(certifier, 1, 0);
    check_ok(nc_certify_end(certifier, fate, &report, &err), err);
    assert_true(fate[0].stuck && fate[1].stuck && !fate[1].halted);
    nc_certifier_destroy(certifier);
    nc_mesh_release(box);
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    nc_scene *scene = ctx;
    nc_world_def def = nc_scene_view(scene).world;
    def.failsafe = NC_FAILSAFE_KINEMATIC;
    def.workers = 1;
    def.allocator = *allocator;
    nc_world *world = NULL;
    nc_code code = scene_build_world(scene, &def, &world, NULL);
    for (int i = 0; code == NC_OK && i < 2; i++)
        code = nc_world_step(world, 1.0 / 24, NULL, NULL);
    nc_world_destroy(world);
    return code;
}

static void memory_may_fail_at_every_call_of_the_failsafe(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(THREE);
    print_message("%ld requests, each refused once\n", fail_at_every_call(trial, scene));
    nc_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_that_solve_nothing_leave_it_to_the_failsafe),
        cmocka_unit_test(bodies_tell_whom_they_were_joined_with),
        cmocka_unit_test(a_kinematic_cluster_lets_its_members_go_on_against_each_other),
        cmocka_unit_test(a_body_rigidified_with_the_ground_stays_where_it_is),
        cmocka_unit_test(random_crowds_never_cross_with_any_failsafe),
        cmocka_unit_test(failsafe_gives_the_same_bits_for_1_to_4_workers),
        cmocka_unit_test(bodies_that_were_joined_but_move_apart_are_a_broken_promise),
        cmocka_unit_test(memory_may_fail_at_every_call_of_the_failsafe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
