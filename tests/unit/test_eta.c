// How long work will still take: foretold from the start, while its cost changes.
#include "check.h"

#include "../cli/eta.h"

#include <math.h>

#define STEPS 1000

// [s] the cost of a step.
typedef double (*nc_cost)(int step);

static double steady(int step)
{
    (void)step;
    return 0.05;
}

static double with_slow_steps(int step)
{
    return step % 50 == 49 ? 1.0 : 0.05; // a checkpoint, a busy second
}

// Flight, which is cheap, then a pile.
static double flight_and_pile(int step)
{
    return step < STEPS / 10 ? 0.03 : 0.06;
}

// A pile that comes to rest half way.
static double pile_that_sleeps(int step)
{
    return step < STEPS / 2 ? 0.1 : 0.03;
}

// The least and the most of the ends that were foretold, as parts of the true one.
static void foretell(nc_cost cost, double *least, double *most)
{
    nc_eta eta = {0};
    double now = 0, end = 0;
    for (int i = 0; i < STEPS; i++)
        end += cost(i);
    *least = INFINITY;
    *most = 0;
    for (int i = 0; i < STEPS; i++) {
        now += cost(i);
        nc_eta_update(&eta, now, i + 1);
        const double left = nc_eta_left(&eta, STEPS);
        if (isnan(left))
            continue;
        *least = fmin(*least, (now + left) / end);
        *most = fmax(*most, (now + left) / end);
    }
}

static void steady_work_ends_when_foretold(void **state)
{
    (void)state;
    double least, most;
    foretell(steady, &least, &most);
    assert_true(least > 0.999 && most < 1.001);
}

static void the_end_that_is_foretold_does_not_swing_by_a_factor_of_three(void **state)
{
    (void)state;
    const nc_cost costs[] = {with_slow_steps, flight_and_pile, pile_that_sleeps};
    for (int k = 0; k < 3; k++) {
        double least, most;
        foretell(costs[k], &least, &most);
        assert_true(most < 2.5 * least);
    }
}

static void nothing_is_foretold_in_the_first_second(void **state)
{
    (void)state;
    nc_eta eta = {0};
    nc_eta_update(&eta, 0.5, 500);
    assert_true(isnan(nc_eta_left(&eta, STEPS)));
    nc_eta_update(&eta, 1.5, 501);
    assert_true(nc_eta_left(&eta, STEPS) > 0);
    assert_true(nc_eta_left(&eta, 501) == 0);
}

static void updates_without_work_or_time_change_nothing(void **state)
{
    (void)state;
    nc_eta eta = {0};
    nc_eta_update(&eta, 2, 100);
    const double left = nc_eta_left(&eta, STEPS);
    nc_eta_update(&eta, 2, 100);
    nc_eta_update(&eta, 2, 90);
    nc_eta_update(&eta, NAN, 200);
    assert_true(nc_eta_left(&eta, STEPS) == left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_work_ends_when_foretold),
        cmocka_unit_test(the_end_that_is_foretold_does_not_swing_by_a_factor_of_three),
        cmocka_unit_test(nothing_is_foretold_in_the_first_second),
        cmocka_unit_test(updates_without_work_or_time_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
