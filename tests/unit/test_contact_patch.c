// A whole contact patch of one pair at once.
#include "contact_bodies.h"

static nc_solve_report collide(body_set *c, nc_contact_work *work, double tolerance)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.tolerance = tolerance;
    settings.iterations = 20000;
    nc_solve_report report;
    nc_error err;
    check_ok(nc_collide_patch(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    return report;
}

// n points under a box of edges 2 x 1 x 0.3: 4 corners, 8 with edge midpoints, or a grid of n = side^2.
static void touch_floor(body_set *c, int box, int n, double friction, double restitution)
{
    const int side = n == 100 ? 10 : (n == 8 ? 3 : 2);
    for (int i = 0; i < side * side; i++) {
        if (n == 8 && i == 4)
            continue;
        const double x = 2.0 * (i % side) / (side - 1) - 1, y = 1.0 * (i / side) / (side - 1) - 0.5;
        body_set_touch(c, box, 0, nc_v3(x, y, 0), nc_v3(0, 0, 1), friction, restitution);
    }
}

static void add_floor_and_box(body_set *c)
{
    c->count = c->contact_count = 0;
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    body_set_add_box(c, 3, nc_v3(2, 1, 0.3), nc_v3(0, 0, 0.15));
}

static void box_that_lands_flat_stays_flat(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const int points[] = {4, 8, 100};
    const double bounce[] = {0, 0.3, 1};
    for (int i = 0; i < 9; i++) {
        add_floor_and_box(c);
        c->v[1] = nc_v3(0, 0, -2);
        touch_floor(c, 1, points[i / 3], 0.5, bounce[i % 3]);
        const nc_solve_report report = collide(c, work, 1e-13);
        print_message("%d points, restitution %g: %d sweeps, spin %.1e\n", points[i / 3], bounce[i % 3],
                      report.iterations, nc_norm(c->w[1]));
        check_near(c->v[1].z, 2 * bounce[i % 3], 1e-11);
        check_near(nc_norm(c->w[1]), 0, 1e-11);
        check_near(hypot(c->v[1].x, c->v[1].y), 0, 1e-11);
        assert_int_equal(report.unconverged, 0);
    }
    nc_contact_work_destroy(work);
    free(c);
}

// A tilted spin and no friction: the velocity after is unique, whatever the points are.
static void number_of_points_does_not_matter(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_random random = {check_seed("points", 1)};
    const int points[] = {4, 8, 100};
    for (int i = 0; i < check_effort(50); i++) {
        const nc_vec3 v = nc_add(random_vector(&random, 1), nc_v3(0, 0, -2)), w = random_vector(&random, 2);
        const double e = nc_random_unit(&random), energy_factor = 1 + 1e-12;
        nc_vec3 first_v = {0, 0, 0}, first_w = {0, 0, 0};
        for (int p = 0; p < 3; p++) {
            add_floor_and_box(c);
            c->v[1] = v;
            c->w[1] = w;
            touch_floor(c, 1, points[p], 0, e);
            const double before = body_set_energy(c);
            const nc_solve_report report = collide(c, work, 1e-13);
            assert_int_equal(report.unconverged, 0);
            check_at_most(body_set_energy(c), before * energy_factor);
            check_near(report.factor, 1, 1e-6);
            if (p == 0) {
                first_v = c->v[1];
                first_w = c->w[1];
            }
            check_near(nc_norm(nc_sub(c->v[1], first_v)), 0, 1e-8);
            check_near(nc_norm(nc_sub(c->w[1], first_w)), 0, 1e-8);
        }
    }
    nc_contact_work_destroy(work);
    free(c);
}

// A square block sliding flat without spin: friction takes mu (1+e) |v_z| off its speed, and it stays flat only where
// the torque of friction is balanced, so the height is small and the restitution 0.
static void sliding_block_loses_the_friction_of_its_landing(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const double angle[] = {0, 0.4, 1.1, 2.9};
    for (int i = 0; i < 4; i++) {
        double s, o;
        nc_sincos(angle[i], &s, &o);
        add_floor_and_box(c);
        c->v[1] = nc_v3(3 * o, 3 * s, -1);
        touch_floor(c, 1, 100, 0.4, 0);
        collide(c, work, 1e-13);
        check_near(c->v[1].x, (3 - 0.4) * o, 1e-9);
        check_near(c->v[1].y, (3 - 0.4) * s, 1e-9);
        check_near(c->v[1].z, 0, 1e-10);
        check_near(nc_norm(c->w[1]), 0, 1e-9);
    }
    nc_contact_work_destroy(work);
    free(c);
}

static void energy_of_random_patches_never_rises(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_random random = {check_seed("patches", 2)};
    for (int i = 0; i < check_effort(300); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1 + (int)(nc_random_u64(&random) % 12), 0, i % 2 == 0 ? 0 : 1.5);
        for (int k = 1; k < c->contact_count; k++) { // one pair
            nc_contact *other = &c->contacts[k], kept = *other;
            *other = c->contacts[0];
            other->normal = kept.normal;
            other->arm_a = nc_add(other->arm_a, kept.normal);
            other->arm_b = nc_add(other->arm_b, kept.normal);
        }
        const double before = body_set_energy(c);
        const nc_vec3 p = body_set_momentum(c), l = body_set_angular_momentum(c);
        const nc_solve_report report = collide(c, work, 1e-10);
        check_at_most(body_set_energy(c), before * (1 + 1e-12));
        check_near(body_set_energy(c) - before, report.energy, 1e-10 * (1 + before));
        check_near(nc_norm(nc_sub(body_set_momentum(c), p)), 0, 1e-11 * (10 + nc_norm(p)));
        check_near(nc_norm(nc_sub(body_set_angular_momentum(c), l)), 0, 1e-11 * (10 + nc_norm(l)));
    }
    nc_contact_work_destroy(work);
    free(c);
}

// Dynamic contact (English 4.1): targets as given, also above 0, and unclamped if so asked.
static void separation_meets_targets_that_add_energy(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    add_floor_and_box(c);
    touch_floor(c, 1, 4, 0, 0);
    for (int i = 0; i < 4; i++)
        c->contacts[i].target = 0.25;
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.tolerance = 1e-13;
    nc_solve_report report;
    settings.clamp = true;
    nc_separate_patch(work, &bodies, c->contacts, 4, &settings, &report, NULL);
    assert_true(report.factor == 0 && c->v[1].z == 0);
    settings.clamp = false;
    nc_separate_patch(work, &bodies, c->contacts, 4, &settings, &report, NULL);
    check_near(c->v[1].z, 0.25, 1e-12);
    check_near(report.energy, 0.5 * 3 * 0.25 * 0.25, 1e-12);
    nc_contact_work_destroy(work);
    free(c);
}

static void empty_patch_is_allowed(void **state)
{
    (void)state;
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_solver_bodies bodies = {0};
    const nc_solve_settings settings = nc_solve_settings_default();
    nc_solve_report report;
    assert_int_equal(nc_collide_patch(work, &bodies, NULL, 0, &settings, &report, NULL), NC_OK);
    assert_true(report.factor == 1 && report.contacts == 0);
    nc_contact_work_destroy(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_that_lands_flat_stays_flat),
        cmocka_unit_test(number_of_points_does_not_matter),
        cmocka_unit_test(sliding_block_loses_the_friction_of_its_landing),
        cmocka_unit_test(energy_of_random_patches_never_rises),
        cmocka_unit_test(separation_meets_targets_that_add_energy),
        cmocka_unit_test(empty_patch_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
