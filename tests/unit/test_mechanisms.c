// Random mechanisms never cross, gain no energy, and come back to where their joints hold them.
#include "random_mechanism.h"

#define STEPS         60   // of a mechanism
#define LARGEST_ERROR 0.2  // [m] or [rad] of a joint at any time, of all but a few
#define RECOVERED     1e-3 // [m] or [rad] that is reached again in at most as many steps more

// Returns the largest error of a joint, [m] or [rad].
static double try_mechanism(uint64_t seed)
{
    int steps = STEPS;
    drives all;
    nc_error err;
    nc_world *world = random_mechanism(seed, 1, &all);
    double energy = INFINITY, error = 0, last = 0;
    for (int k = 0; k < steps; k++) {
        const nc_step_report report = step(world, 1.0 / 120);
        const double now = report.kinetic + report.potential;
        // What is pushed to its rest distance, or back into its joints, may be lifted: that is reported.
        const double given = fmax(0, report.position_energy) + work_at_most(world, &all);
        if (k > 0 && !(now <= energy + given + 0.02 * (fabs(report.kinetic) + 1))) {
            print_error("seed %llu, step %d: energy rose from %.9g J to %.9g J\n", (unsigned long long)seed, k, energy,
                        now);
            fail();
        }
        energy = now;
        last = fmax(report.joint_error, report.joint_error_angle);
        error = fmax(error, last);
        steps += k + 1 == steps && last > RECOVERED && steps < 2 * STEPS; // it has to recover
        nc_crossing crossing;
        int crossings = 0;
        check_ok(nc_world_audit_step(world, &crossing, 1, &crossings, &err), err);
        assert_int_equal(crossings, 0);
    }
    if (!(last <= RECOVERED)) {
        print_error("seed %llu: joint error at most %g, at the end %g\n", (unsigned long long)seed, error, last);
        fail();
    }
    if (getenv("NACRE_VERBOSE") != NULL)
        print_message("seed %llu: largest joint error %.3g, at the end %.3g\n", (unsigned long long)seed, error, last);
    nc_world_destroy(world);
    return error;
}

// Sanitizers take ten times as long. Pipelines of stack layers step mechanisms as the shell does: fewer will do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MECHANISMS 30
#else
#define MECHANISMS 300
#endif

static void random_mechanisms_never_cross_and_gain_no_energy(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("mechanisms", 1);
    const int cases = check_effort(WORLD_PIPELINE == NC_PIPELINE_SHELL ? MECHANISMS : MECHANISMS / 10);
    int large = 0;
    for (int k = 0; k < cases; k++)
        large += !(try_mechanism(seed + (uint64_t)k) < LARGEST_ERROR);
    print_message("%d of %d mechanisms had a joint error above %g\n", large, cases, LARGEST_ERROR);
    check_at_most(large, 1 + cases / 100); // docs/theory/joints.md, known limits
}

// In these the axes of drives have much more speed at the end of a step than they had on the way. docs/theory/joints.md
static void drives_give_no_more_than_force_times_way_at_singular_positions(void **state)
{
    (void)state;
    const uint64_t seeds[] = {402, 419, 1062, 2080, 2188};
    for (int k = 0; k < 5; k++)
        try_mechanism(seeds[k]);
}

// Beside a mechanism that is solved once more in some step, since its energy rose by its integrator, or (30) is lifted.
static void a_joint_at_rest_bears_its_weight_whatever_other_islands_do(void **state)
{
    (void)state;
    const uint64_t seeds[] = {17, 30, 38, 42, 51};
    for (int k = 0; k < 5; k++) {
        drives all;
        nc_world *world = random_mechanism(seeds[k], 1, &all);
        const nc_body_id box = add_box(world, nc_v3(0.2, 0.2, 0.2), nc_v3(50, 20, 0), 2);
        const nc_joint_def def = hold(NC_JOINT_HINGE, box, nc_v3(50, 20.5, 0), nc_v3(0, 0, 1));
        const nc_joint_id hook = join(world, &def);
        for (int i = 0; i < STEPS; i++) {
            step(world, 1.0 / 120);
            check_near(read_joint(world, hook).force.y, 2 * 9.8, 1e-9);
        }
        nc_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mechanisms_never_cross_and_gain_no_energy),
        cmocka_unit_test(drives_give_no_more_than_force_times_way_at_singular_positions),
        cmocka_unit_test(a_joint_at_rest_bears_its_weight_whatever_other_islands_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
