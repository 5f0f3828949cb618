// Features whose corners drift: what comes near is never missed and never found late; slabs hold as long as they say.
#include "check.h"

#include "cloth/contact_search.h"

// ---- exact cases --------------------------------------------------------------------------------------------

// At time `when` two points of the features are exactly `apart` from each other: whole numbers, dyadic weights and
// times, so nothing of it is rounded.
typedef struct meeting {
    nc_drift_pair pair;
    double when, apart, end;
} meeting;

static nc_vec3 whole_vector(nc_random *random, double size)
{
    const double x = floor(nc_random_range(random, -size, size + 1)),
                 y = floor(nc_random_range(random, -size, size + 1));
    return nc_v3(x, y, floor(nc_random_range(random, -size, size + 1)));
}

static double sixteenth(nc_random *random)
{
    return floor(nc_random_range(random, 0, 17)) / 16;
}

// A vector of whole length: 7 or 3 in some order of coordinates.
static nc_vec3 known_vector(nc_random *random, double *length)
{
    static const double parts[2][3] = {{2, 3, 6}, {1, 2, 2}};
    const int which = (int)(nc_random_u64(random) % 2), turn = (int)(nc_random_u64(random) % 3);
    double c[3];
    for (int i = 0; i < 3; i++)
        c[(i + turn) % 3] = nc_random_u64(random) % 2 == 0 ? parts[which][i] : -parts[which][i];
    *length = which == 0 ? 7 : 3;
    return nc_v3(c[0], c[1], c[2]);
}

// family 0: anything, 1: all in a plane, 2: parallel edges or a sliver, 3: repeated corners, 4: one side at rest,
// 5: met at the very start, 6: at the very end, 7: slow next to its size
static meeting make_meeting(nc_random *random, nc_hull_kind kind, int family)
{
    meeting m = {.pair.kind = kind, .end = 1};
    nc_vec3 c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = nc_scale(256, whole_vector(random, 64));
        c[i].z = family == 1 ? 0 : c[i].z;
    }
    if (family == 2)
        c[3] = kind == NC_HULL_TRIANGLE ? nc_add(c[1], nc_scale(0.25, nc_sub(c[2], c[1])))
                                        : nc_add(c[2], nc_sub(c[1], c[0]));
    if (family == 3)
        c[3] = c[2] = c[1];
    const double s = sixteenth(random), r = sixteenth(random);
    const nc_vec3 offset = known_vector(random, &m.apart);
    nc_vec3 shift; // of the first feature, so that the points are `offset` apart
    if (kind == NC_HULL_TRIANGLE) {
        const nc_vec3 on =
            nc_add(c[1], nc_add(nc_scale(s * (1 - r), nc_sub(c[2], c[1])), nc_scale(s * r, nc_sub(c[3], c[1]))));
        shift = nc_sub(nc_add(on, offset), c[0]);
    } else {
        const nc_vec3 on_a = nc_madd(c[0], s, nc_sub(c[1], c[0])), on_b = nc_madd(c[2], r, nc_sub(c[3], c[2]));
        shift = nc_sub(nc_add(on_b, offset), on_a);
    }
    const int first = kind == NC_HULL_TRIANGLE ? 1 : 2;
    m.when = family == 5 ? 0 : family == 6 ? 1 : floor(nc_random_range(random, 0, 1025)) / 1024;
    for (int i = 0; i < 4; i++) {
        const nc_vec3 v =
            family == 4 && i < first ? nc_v3(0, 0, 0) : nc_scale(1024, whole_vector(random, family == 7 ? 1 : 16));
        const nc_vec3 at = i < first ? nc_add(c[i], shift) : c[i];
        // Each corner was last kicked at a time of its own.
        const double t0 = -floor(nc_random_range(random, 0, 9)) / 8;
        m.pair.corner[i] = (nc_drift){nc_madd(at, -(m.when - t0), v), v, t0};
    }
    return m;
}

static void move_far_away(meeting *m)
{
    const nc_vec3 far = nc_v3(0x1p30, -0x1p29, 0x1p31);
    for (int i = 0; i < 4; i++)
        m->pair.corner[i].x = nc_add(m->pair.corner[i].x, far);
}

static void a_pair_that_comes_near_is_found_no_later(void **state)
{
    (void)state;
    nc_random random = {check_seed("near", 801)};
    const int cases = check_effort(200000);
    int loose = 0;
    for (int i = 0; i < cases; i++) {
        const int family = i / 2 % 8;
        meeting m = make_meeting(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, family);
        if (i % 7 == 0)
            move_far_away(&m);
        const double eta = m.apart * (1 + 0x1p-52), tolerance = i % 3 == 0 ? 1e-4 : 1e-2;
        const double t = nc_drift_first_within(&m.pair, eta, 0, tolerance, 0, m.end);
        if (!(t <= m.when)) {
            print_error("case %d, family %d: within %g at %.17g, found at %.17g\n", i, family, eta, m.when, t);
            fail();
        }
        const double distance = nc_norm(nc_drift_nearest(&m.pair, t));
        loose += distance > eta + 2 * tolerance + 2 * nc_drift_rounding(&m.pair, 0, 1);
    }
    print_message("%d cases, %d found early\n", cases, loose);
    check_at_most(loose, 0.01 * cases);
}

static void corners_that_stray_are_found_as_well(void **state)
{
    (void)state;
    nc_random random = {check_seed("stray", 802)};
    const int cases = check_effort(50000);
    for (int i = 0; i < cases; i++) {
        const meeting m = make_meeting(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, i / 2 % 8);
        const double t = nc_drift_first_within(&m.pair, 1, m.apart - 1, 1e-3, 0, m.end);
        assert_true(t <= m.when);
    }
}

static void a_slab_is_never_entered_before_it_fails(void **state)
{
    (void)state;
    nc_random random = {check_seed("slab", 803)};
    const int cases = check_effort(200000);
    int held = 0;
    for (int i = 0; i < cases; i++) {
        const int family = i / 2 % 8;
        meeting m = make_meeting(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, family);
        if (i % 7 == 0)
            move_far_away(&m);
        const double eta = m.apart * (1 + 0x1p-52);
        nc_slab slab;
        if (!nc_slab_between(&m.pair, eta, 1e-6, 0, &slab))
            continue;
        held++;
        const double t = nc_slab_failure(&m.pair, &slab, eta, 0);
        if (!(t <= m.when)) {
            print_error("case %d, family %d: within %g at %.17g, slab holds until %.17g\n", i, family, eta, m.when, t);
            fail();
        }
    }
    print_message("%d slabs\n", held);
    assert_true(held > cases / 2);
}

// One slab after the other leads to the meeting in a bounded number of steps: that is what the kinetic finder does.
static void slab_after_slab_reaches_the_meeting(void **state)
{
    (void)state;
    nc_random random = {check_seed("slabs", 804)};
    const int cases = check_effort(20000);
    long total = 0;
    int most = 0;
    for (int i = 0; i < cases; i++) {
        const meeting m = make_meeting(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, i / 2 % 8);
        const double eta = m.apart * (1 + 0x1p-52);
        nc_slab slab;
        double t = 0;
        int steps = 0;
        while (t < INFINITY && nc_slab_between(&m.pair, eta, 0.01 * eta, t, &slab) && steps < 10000) {
            t = nc_slab_failure(&m.pair, &slab, eta, t);
            steps++;
        }
        assert_true(t <= m.when);
        total += steps;
        most = steps > most ? steps : most;
    }
    print_message("%.1f slabs a meeting, at most %d\n", (double)total / cases, most);
    check_at_most(most, 5000);
}

static void what_is_not_a_number_is_near(void **state)
{
    (void)state;
    nc_random random = {1};
    for (int i = 0; i < 24; i++) {
        meeting m = make_meeting(&random, i % 2 == 0 ? NC_HULL_TRIANGLE : NC_HULL_PARALLELOGRAM, 0);
        nc_drift *corner = &m.pair.corner[i / 2 % 4];
        *(i / 8 == 0 ? &corner->x.x : i / 8 == 1 ? &corner->v.y : &corner->x.z) = i % 3 == 0 ? INFINITY : NAN;
        assert_true(nc_drift_first_within(&m.pair, 1, 0, 0.1, 0, 1) == 0);
        nc_slab slab = {{1, 0, 0}};
        assert_true(nc_slab_failure(&m.pair, &slab, 1, 0) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_that_comes_near_is_found_no_later),
        cmocka_unit_test(corners_that_stray_are_found_as_well),
        cmocka_unit_test(a_slab_is_never_entered_before_it_fails),
        cmocka_unit_test(slab_after_slab_reaches_the_meeting),
        cmocka_unit_test(what_is_not_a_number_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
