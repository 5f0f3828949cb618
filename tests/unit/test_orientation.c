// Free rotation: energy and momentum hold, whatever the inertia; each axis of the energy fix does its work.
#include "check.h"

#include "motion/motion.h"

#define STEP (1.0 / 24.0)

typedef struct flight {
    nc_inertia inertia;
    nc_quat q;
    nc_vec3 momentum;
    double energy; // target
    double worst;  // largest relative error of energy
    int flips;     // sign changes of the angular momentum along the middle axis, seen from the body
    int fixes, fallbacks;
} flight;

static flight launch(nc_vec3 moments, nc_vec3 spin_in_body)
{
    flight f = {.inertia = {moments, {1, 0, 0, 0}}, .q = {1, 0, 0, 0}};
    f.momentum = nc_inertia_momentum(&f.inertia, f.q, spin_in_body);
    f.energy = nc_inertia_energy(&f.inertia, f.q, f.momentum);
    return f;
}

static void fly(flight *f, double dt, bool fix)
{
    const double before = nc_mat3_tmul(nc_quat_matrix(f->q), f->momentum).y;
    const nc_free_turn turn = nc_free_turn_compute(&f->inertia, f->q, f->momentum, dt, fix, f->energy);
    const nc_path path = nc_path_free((nc_pose){{0, 0, 0}, f->q}, nc_v3(0, 0, 0), turn.theta, turn.eps);
    f->q = nc_path_pose(&path, 1.0).q;
    const double after = nc_mat3_tmul(nc_quat_matrix(f->q), f->momentum).y;
    const double kinetic = nc_inertia_energy(&f->inertia, f->q, f->momentum);
    f->worst = fmax(f->worst, fabs(kinetic - f->energy) / f->energy);
    f->flips += (before < 0) != (after < 0);
    f->fixes += turn.fixes > 0;
    f->fallbacks += turn.fallback;
}

static void t_handle_keeps_its_energy_over_ten_thousand_steps(void **state)
{
    (void)state;
    flight f = launch(nc_v3(0.6, 1.0, 1.4), nc_v3(0.001, 30, 0.001));
    for (int i = 0; i < 10000; i++)
        fly(&f, STEP, true);
    print_message("T-handle: energy error %.2g, %d flips, %d fixes, %d about a principal axis\n", f.worst, f.flips,
                  f.fixes, f.fallbacks);
    check_at_most(f.worst, 1e-9);
    assert_true(f.flips >= 200);
}

static void without_the_fix_the_same_flight_drifts(void **state)
{
    (void)state;
    flight f = launch(nc_v3(0.6, 1.0, 1.4), nc_v3(0.001, 30, 0.001));
    for (int i = 0; i < 10000; i++)
        fly(&f, STEP, false);
    print_message("without the fix: energy error %.2g, %d flips\n", f.worst, f.flips);
    assert_true(f.worst > 1e-3);
}

static void ill_conditioned_bodies_keep_their_energy(void **state)
{
    (void)state;
    const nc_vec3 moments[] = {{1, 1000, 1000}, {1e-6, 1, 1}, {1, 1, 1.9999}, {1e-3, 1, 1.0005}};
    const nc_vec3 spins[] = {{30, 0.3, 0.1}, {0.1, 30, 0.2}, {5, 5, 5}, {1000, 1, 30}};
    for (int m = 0; m < 4; m++) {
        for (int s = 0; s < 4; s++) {
            flight f = launch(moments[m], spins[s]);
            for (int i = 0; i < 10000; i++)
                fly(&f, STEP, true);
            if (!(f.worst <= 1e-9))
                print_error("moments %d, spin %d: fixes %d, fallbacks %d\n", m, s, f.fixes, f.fallbacks);
            check_at_most(f.worst, 1e-9);
        }
    }
}

// The energy after a turn by `fix`.
static double energy_after(const flight *f, nc_vec3 fix)
{
    const nc_quat q = nc_quat_mul(nc_quat_from_rotation_vector(fix), f->q);
    return nc_inertia_energy(&f->inertia, q, f->momentum);
}

static void check_fix(const flight *f, double target, nc_fix_axis wanted)
{
    nc_fix_axis axis;
    const nc_vec3 fix = nc_energy_fix(&f->inertia, f->q, f->momentum, target, &axis);
    assert_int_equal(axis, wanted);
    check_near(energy_after(f, fix) / target, 1.0, 1e-12);
    check_near(nc_dot(fix, f->momentum) / nc_norm(f->momentum), 0.0, 1e-12);
}

static void each_axis_of_the_fix_reaches_the_energy(void **state)
{
    (void)state;
    // All octants, so that the fallback axes meet both signs of the coefficient a.
    for (int signs = 0; signs < 8; signs++) {
        const nc_vec3 spin = {signs & 1 ? -3 : 3, signs & 2 ? -2 : 2, signs & 4 ? -1 : 1};
        const flight f = launch(nc_v3(1, 2, 3), spin);
        const double l2 = nc_norm2(f.momentum);
        const double least = l2 / (2 * 3.0), most = l2 / (2 * 1.0);
        check_fix(&f, f.energy * 1.001, NC_FIX_LOCAL);
        check_fix(&f, f.energy * 0.999, NC_FIX_LOCAL);
        check_fix(&f, least * 1.0000001, NC_FIX_MAX);
        check_fix(&f, most * 0.9999999, NC_FIX_MIN);
    }
}

static void spin_about_a_principal_axis_falls_back_and_reaches_the_energy(void **state)
{
    (void)state;
    // L is parallel to omega: the local axis does not exist. About the middle axis both fallbacks have work to do.
    const flight f = launch(nc_v3(1, 2, 3), nc_v3(0, 5, 0));
    check_fix(&f, f.energy * 0.9, NC_FIX_MAX);
    check_fix(&f, f.energy * 1.1, NC_FIX_MIN);
}

static void an_energy_out_of_reach_is_approached_and_nothing_breaks(void **state)
{
    (void)state;
    const flight f = launch(nc_v3(1, 2, 3), nc_v3(3, 2, 1));
    const double l2 = nc_norm2(f.momentum);
    nc_fix_axis axis;
    const nc_vec3 fix = nc_energy_fix(&f.inertia, f.q, f.momentum, 0.9 * l2 / 6, &axis);
    assert_int_equal(axis, NC_FIX_MAX);
    check_near(energy_after(&f, fix), l2 / 6, 1e-9 * l2);
    const flight aligned = launch(nc_v3(1, 2, 3), nc_v3(0, 0, 5));
    const nc_vec3 none = nc_energy_fix(&aligned.inertia, aligned.q, aligned.momentum, 0.5 * aligned.energy, &axis);
    assert_int_equal(axis, NC_FIX_NONE);
    assert_true(nc_norm2(none) == 0);
}

static void random_bodies_reach_random_energies(void **state)
{
    (void)state;
    nc_random random = {check_seed("energies", 20)};
    const int cases = check_effort(200000);
    for (int i = 0; i < cases; i++) {
        const double scale = ldexp(1.0, (int)nc_random_range(&random, -40, 40));
        const double m1 = nc_random_range(&random, 1e-6, 1), m2 = nc_random_range(&random, m1, 1);
        const nc_vec3 moments = nc_scale(scale, nc_v3(m1, m2, nc_random_range(&random, m2, m1 + m2)));
        const nc_vec3 spin = {nc_random_range(&random, -50, 50), nc_random_range(&random, -50, 50),
                              nc_random_range(&random, -50, 50)};
        flight f = launch(moments, spin);
        const double l2 = nc_norm2(f.momentum), least = l2 / (2 * moments.z), most = l2 / (2 * moments.x);
        f.energy = least + nc_random_unit(&random) * (most - least);
        fly(&f, nc_random_range(&random, 1e-4, 0.5), true);
        if (!(f.worst <= 1e-9))
            print_error("case %d\n", i);
        check_at_most(f.worst, 1e-9);
    }
}

static void a_symmetric_body_needs_no_fix(void **state)
{
    (void)state;
    flight f = launch(nc_v3(2, 2, 2), nc_v3(7, -3, 11));
    for (int i = 0; i < 1000; i++)
        fly(&f, STEP, true);
    check_at_most(f.worst, 1e-13);
    assert_int_equal(f.fallbacks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_handle_keeps_its_energy_over_ten_thousand_steps),
        cmocka_unit_test(without_the_fix_the_same_flight_drifts),
        cmocka_unit_test(ill_conditioned_bodies_keep_their_energy),
        cmocka_unit_test(each_axis_of_the_fix_reaches_the_energy),
        cmocka_unit_test(spin_about_a_principal_axis_falls_back_and_reaches_the_energy),
        cmocka_unit_test(an_energy_out_of_reach_is_approached_and_nothing_breaks),
        cmocka_unit_test(random_bodies_reach_random_energies),
        cmocka_unit_test(a_symmetric_body_needs_no_fix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
