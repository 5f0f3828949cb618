// What happens in a pile depends on nothing but its own bodies (G7): poses and velocities are the same bits whatever
// lies, falls or has been destroyed elsewhere.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"

#define PILE  30
#define STEPS 36

enum elsewhere { NOTHING, QUIET, VIOLENT, DEAD, CASES };
static const char *const names[CASES] = {"nothing", "300 boxes at rest", "a violent pile", "200 dead rows"};

static nc_body_id add(nc_world *world, const char *shape, const nc_shape_parameter *sizes, int count, nc_body_def def)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(nc_shape_create(shape, sizes, count, NULL, &def.mesh, &err), err);
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(def.mesh);
    return id;
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_unit(random), y = nc_random_unit(random), z = nc_random_unit(random);
    return nc_v3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

static void add_ground(nc_world *world, double x)
{
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.position = nc_v3(x, 0, 0);
    add(world, "plane", &(nc_shape_parameter){"size", 40}, 1, def);
}

// Bodies thrown at each other and at the ground: boxes and plates of zero thickness.
static void add_pile(nc_world *world, nc_random *random, double x, int count, double speed, nc_body_id *out)
{
    nc_error err;
    add_ground(world, x);
    for (int i = 0; i < count; i++) {
        const nc_shape_parameter sizes[] = {{"width", 0.6}, {"height", 0.4}, {"depth", 0.5}};
        const nc_shape_parameter side[] = {{"size", 0.7}};
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(x + 1.1 * (i % 3 - 1), 0.7 + 1.1 * (i / 9), 1.1 * (i / 3 % 3 - 1));
        def.orientation = nc_quat_from_rotation_vector(random_vector(random, 1));
        const nc_body_id id = i % 3 == 2 ? add(world, "plane", side, 1, def) : add(world, "box", sizes, 3, def);
        const nc_vec3 v = nc_madd(random_vector(random, 2), -speed, nc_v3(0, 1, 0));
        check_ok(nc_body_set_velocity(world, id, v, random_vector(random, 5), &err), err);
        if (out != NULL)
            out[i] = id;
    }
}

static void add_quiet(nc_world *world)
{
    add_ground(world, 500);
    for (int i = 0; i < 300; i++) {
        const nc_shape_parameter sizes[] = {{"width", 0.5}, {"height", 0.5}, {"depth", 0.5}};
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(490 + i % 20, 0.2505, i / 20 - 8);
        add(world, "box", sizes, 3, def);
    }
}

static void add_dead(nc_world *world)
{
    nc_error err;
    for (int i = 0; i < 200; i++) {
        const nc_shape_parameter sizes[] = {{"width", 0.5}, {"height", 0.5}, {"depth", 0.5}};
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(500 + i, 0, 0);
        check_ok(nc_body_destroy(world, add(world, "box", sizes, 3, def), &err), err);
    }
}

// The pile after STEPS steps. *passes: of collisions and of dynamic contact, in the step that needed most.
static void run_pile(nc_pipeline pipeline, enum elsewhere what, uint64_t seed, nc_body_state out[PILE], int *passes)
{
    nc_world_def def = nc_world_def_default();
    def.pipeline = pipeline;
    def.gravity = nc_v3(0, -9.8, 0);
    def.friction = 0.4;
    def.restitution = 0.3;
    def.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    nc_random random = {seed}, other = {seed + 1};
    nc_body_id pile[PILE];
    add_pile(world, &random, 0, PILE, 4, pile);
    if (what == QUIET)
        add_quiet(world);
    else if (what == VIOLENT)
        add_pile(world, &other, 500, 60, 12, NULL);
    else if (what == DEAD)
        add_dead(world);
    *passes = 0;
    for (int k = 0; k < STEPS; k++) {
        nc_step_report report;
        check_ok(nc_world_step(world, pipeline == NC_PIPELINE_SHELL ? 1.0 / 24 : 1.0 / 100, &report, &err), err);
        const int made = report.collision_passes + report.dynamic_passes;
        *passes = made > *passes ? made : *passes;
    }
    for (int i = 0; i < PILE; i++)
        check_ok(nc_body_read(world, pile[i], &out[i], &err), err);
    nc_world_destroy(world);
}

static void check_pipeline(nc_pipeline pipeline)
{
    const uint64_t seed = (uint64_t)check_seed("locality", 7);
    for (int k = 0; k < check_effort(2); k++) {
        static nc_body_state alone[PILE], beside[PILE];
        int passes, more;
        run_pile(pipeline, NOTHING, seed + (uint64_t)k, alone, &passes);
        print_message("alone: %d passes in the worst step\n", passes);
        assert_true(passes > 1); // bodies did collide
        for (int what = QUIET; what < CASES; what++) {
            run_pile(pipeline, (enum elsewhere)what, seed + (uint64_t)k, beside, &more);
            print_message("beside %s: %d passes\n", names[what], more);
            for (int i = 0; i < PILE; i++) {
                assert_memory_equal(&alone[i].pose, &beside[i].pose, sizeof alone[i].pose);
                assert_memory_equal(&alone[i].velocity, &beside[i].velocity, sizeof alone[i].velocity);
            }
        }
    }
}

static void a_pile_moves_the_same_whatever_lies_far_away(void **state)
{
    (void)state;
    check_pipeline(NC_PIPELINE_SHELL);
}

static void a_pile_under_shock_propagation_moves_the_same_too(void **state)
{
    (void)state;
    check_pipeline(NC_PIPELINE_VSP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_moves_the_same_whatever_lies_far_away),
        cmocka_unit_test(a_pile_under_shock_propagation_moves_the_same_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
