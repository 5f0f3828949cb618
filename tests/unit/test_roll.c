// Contacts of bodies that roll: where they are moved to, and when they stay.
#include "check.h"

#include "nacre/nacre.h"

#include "scene_text.h"
#include "step/chord.h"
#include "world/world.h"

// A contact between bodies with these angular velocities, after it was made round.
static nc_contact make_round(nc_contact contact, nc_vec3 w_a, nc_vec3 w_b)
{
    const nc_world_def def = nc_world_def_default();
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    nc_contact_list contacts = {&contact, 1, 1};
    nc_vec3 w[2] = {w_a, w_b};
    const nc_solver_bodies bodies = {.count = 2, .w = w};
    nc_round_contacts(world, 1.0 / 60, &bodies, &contacts);
    nc_world_destroy(world);
    return contact;
}

// A facet's corner beside the foot of the centre, by `aside`; B lies beneath A.
static nc_contact corner(double aside)
{
    return (nc_contact){.a = 0,
                        .b = 1,
                        .normal = {0, 1, 0},
                        .arm_a = {0.5 * aside, -0.5, 0},
                        .arm_b = {-0.5 * aside, 0.5, 0},
                        .distance = 1e-3};
}

static void a_corner_of_a_ball_that_rolls_is_moved_to_its_foot(void **state)
{
    (void)state;
    nc_contact before = corner(0);
    before.arm_a.x = -0.002;
    const nc_contact after = make_round(before, nc_v3(0, 0, 3), nc_v3(0, 0, 0));
    check_near(after.arm_a.x, 0, 1e-12);
    check_near(after.arm_b.x, 0.002, 1e-12);
    check_near(after.arm_a.y, -0.5, 0);
}

// Whether they turn alike to the last bit or not.
static void bodies_that_turn_together_keep_their_contact(void **state)
{
    (void)state;
    const double slip[] = {0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1};
    for (size_t i = 0; i < sizeof slip / sizeof *slip; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const nc_contact before = corner(0.004 * sign);
            const nc_contact after = make_round(before, nc_v3(0, 0, 3 + slip[i]), nc_v3(0, 0, 3));
            check_near(nc_norm(nc_sub(after.arm_a, before.arm_a)), 0, 0);
            check_near(nc_norm(nc_sub(after.arm_b, before.arm_b)), 0, 0);
        }
    }
}

// A ball that slides at first ends up rolling with 5/7 of its speed, wherever it rests: a pair that starts nearer than
// the rest distance rests where it starts.
static void a_ball_that_starts_near_the_ground_keeps_five_sevenths_of_its_speed(void **state)
{
    (void)state;
    const double heights[] = {0.501, 0.503};
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nacre: 1\nworld: {friction: 0.5, restitution: 0, rest_distance: 0.01}\n"
                 "shapes: {ground: {generate: plane, size: 60}, ball: {generate: sphere, splits: 16, radius: 0.5}}\n"
                 "bodies: [{shape: ground, type: static}, "
                 "{name: ball, shape: ball, position: [-10, %g, 0], velocity: [4, 0, 0]}]\n",
                 heights[k]);
        nc_scene *scene = scene_of(text);
        nc_world *world = world_of(scene);
        nc_error err;
        nc_body_state ball;
        for (int step = 0; step < 180; step++)
            check_ok(nc_world_step(world, 1.0 / 60, NULL, &err), err);
        check_ok(nc_body_read(world, nc_world_find(world, "ball"), &ball, &err), err);
        print_message("at %g m it keeps %.4f of 5/7 of its speed\n", heights[k], ball.velocity.x / (4 * 5.0 / 7));
        check_near(ball.velocity.x, 4 * 5.0 / 7, 0.01 * 4);
        check_near(ball.spin.z, -ball.velocity.x / 0.5, 0.02 * 8);
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_of_a_ball_that_rolls_is_moved_to_its_foot),
        cmocka_unit_test(bodies_that_turn_together_keep_their_contact),
        cmocka_unit_test(a_ball_that_starts_near_the_ground_keeps_five_sevenths_of_its_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
