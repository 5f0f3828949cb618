// Questions of `nacre query`: what text means, and what failing memory does. tests/cli/query.sh asks them.
#include "check.h"
#include "fail_allocator.h"

#include "scene/scene.h"

static nc_code read(const char *text, const nc_allocator *allocator, nc_question *out, nc_error *err)
{
    memset(err, 0, sizeof *err);
    return nc_question_read("q.json", text, strlen(text), allocator, out, err);
}

static void what_is_not_said_takes_the_library_s_defaults(void **state)
{
    (void)state;
    nc_question q;
    nc_error err;
    check_ok(read("{ask: sweep, a: {generate: box}, b: {generate: box}}", NULL, &q, &err), err);
    const nc_sweep_def sweep = nc_sweep_def_default();
    assert_int_equal(q.ask, NC_QUESTION_SWEEP);
    assert_true(q.sweep.gap == sweep.gap && q.sweep.tolerance == sweep.tolerance && q.sweep.t_max == sweep.t_max);
    assert_true(q.sweep.limit == sweep.limit && q.sweep.chords == sweep.chords);
    assert_true(q.motion_a.start.q.w == 1 && nc_norm(q.motion_a.start.x) == 0 && nc_norm(q.motion_b.travel) == 0);
    nc_question_free(&q);
    check_ok(read("{ask: trajectory, a: {generate: box}, b: {generate: box}}", NULL, &q, &err), err);
    assert_true(q.trajectory.epsilon == nc_trajectory_def_default().epsilon && q.spacing == INFINITY);
    assert_int_equal(q.trajectory.limit, nc_trajectory_def_default().limit);
    nc_question_free(&q);
}

static void every_key_arrives_where_it_belongs(void **state)
{
    (void)state;
    nc_question q;
    nc_error err;
    check_ok(
        read("{ask: sweep, a: {generate: box}, b: {generate: box}, gap: 0.5, tolerance: 1e-3, t_max: 1/4, limit: 7,"
             " chords: true, pose_a: {position: [1, 2, 3], orientation: [0, 1, 0, 0]},"
             " motion_b: {travel: [4, 5, 6], rotation: [7, 8, 9]}}",
             NULL, &q, &err),
        err);
    assert_true(q.sweep.gap == 0.5 && q.sweep.tolerance == 1e-3 && q.sweep.t_max == 0.25 && q.sweep.chords);
    assert_int_equal(q.sweep.limit, 7);
    assert_true(q.motion_a.start.x.y == 2 && q.motion_a.start.q.x == 1 && q.motion_a.start.q.w == 0);
    assert_true(q.motion_b.travel.z == 6 && q.motion_b.rotation.x == 7 && q.motion_b.start.q.w == 1);
    nc_question_free(&q);
}

static nc_code ask_once(const nc_allocator *allocator, void *ctx)
{
    nc_question q;
    nc_error err;
    const nc_code code = read(ctx, allocator, &q, &err);
    nc_question_free(&q);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    char text[] = "{ask: distance, a: {generate: boat, scale: 2}, b: {generate: ring}, pose_b: {position: [0, 3, 0]}}";
    const long requests = fail_at_every_call(ask_once, text);
    print_message("%ld requests\n", requests);
    assert_true(requests > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_said_takes_the_library_s_defaults),
        cmocka_unit_test(every_key_arrives_where_it_belongs),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
