// Joints and contacts with friction in one island: impulses as closed forms have them, on both sides of Coulomb's
// limit, and the laws of all rows by a slow look at velocities and impulses.
#include "contact_bodies.h"

#define MAX_ROWS 1024

typedef struct mechanism {
    body_set *set;
    nc_joint_row row[MAX_ROWS];
    int count;
} mechanism;

static mechanism *mechanism_create(void)
{
    mechanism *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->set = body_set_create();
    return m;
}

static void mechanism_destroy(mechanism *m)
{
    free(m->set);
    free(m);
}

static nc_joint_row *add_row(mechanism *m)
{
    assert_true(m->count < MAX_ROWS);
    nc_joint_row *row = &m->row[m->count++];
    *row = (nc_joint_row){.low = -INFINITY, .high = INFINITY};
    for (int e = 0; e < 4; e++)
        row->end[e].body = -1;
    return row;
}

// The bodies' points at `at` get the same velocity along `d`. b may be -1: the world.
static nc_joint_row *tie(mechanism *m, int a, int b, nc_vec3 at, nc_vec3 d)
{
    nc_joint_row *row = add_row(m);
    row->end[0] = (nc_joint_end){a, d, nc_cross(nc_sub(at, m->set->x[a]), d)};
    if (b >= 0)
        row->end[1] = (nc_joint_end){b, nc_neg(d), nc_neg(nc_cross(nc_sub(at, m->set->x[b]), d))};
    return row;
}

static const nc_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// It does not turn.
static void lock_turning(mechanism *m, int body)
{
    for (int k = 0; k < 3; k++)
        add_row(m)->end[0] = (nc_joint_end){body, nc_v3(0, 0, 0), unit[k]};
}

static nc_solve_report solve_with(nc_contact_work *work, mechanism *m)
{
    nc_joint_rows rows = {m->row, m->count, false, NULL, NULL};
    nc_solver_bodies bodies = body_set_bodies(m->set);
    nc_solve_settings settings = nc_solve_settings_default();
    nc_solve_report report;
    nc_error err;
    bodies.joints = &rows;
    settings.tolerance = 1e-12;
    check_ok(nc_jointed_solve(work, &bodies, m->set->contacts, m->set->contact_count, &settings, &report, &err), err);
    return report;
}

static nc_solve_report solve(mechanism *m)
{
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_solve_report report = solve_with(work, m);
    nc_contact_work_destroy(work);
    return report;
}

// [N s] along a direction of the contact, on A.
static double friction_along(const nc_contact *contact, nc_vec3 d)
{
    return nc_dot(nc_contact_impulse_vector(contact), d);
}

#define LOADS 400

// A sledge on the ground and its load, tied to it, both without turning. All of the load's weight presses the sledge
// down through the joint, and its pull goes through it, too: the two stick while the momentum along the ground is at
// most mu times the one into it, and else slide, slowed by mu times that.
static void a_load_tied_to_a_sledge_sticks_or_slides_by_the_weight_of_both(void **state)
{
    (void)state;
    nc_random random = {check_seed("sledge", 41)};
    int slid = 0;
    for (int k = 0; k < LOADS; k++) {
        mechanism *m = mechanism_create();
        const double mass[2] = {nc_random_range(&random, 0.2, 5), nc_random_range(&random, 0.2, 50)};
        const double mu = nc_random_range(&random, 0.1, 1.2), turn = nc_random_range(&random, -3, 3);
        const nc_vec3 pull = nc_v3(cos(turn), sin(turn), 0);
        const int ground = body_set_add(m->set, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
        double down = 0, along = 0;
        for (int i = 0; i < 2; i++) {
            const int body = body_set_add_box(m->set, mass[i], nc_v3(1, 1, 1), nc_v3(0, 0, 0.5 + i));
            const double fall = nc_random_range(&random, 0.05, 0.3), speed = nc_random_range(&random, 0, 0.3);
            m->set->v[body] = nc_madd(nc_v3(0, 0, -fall), speed, pull);
            down += mass[i] * fall;
            along += mass[i] * speed;
            lock_turning(m, body);
        }
        const double pulled = mass[1] * nc_dot(m->set->v[2], pull), fallen = mass[1] * m->set->v[2].z;
        for (int d = 0; d < 3; d++)
            tie(m, 2, 1, nc_v3(0, 0, 1), unit[d]);
        const nc_contact *foot = body_set_touch(m->set, 1, ground, nc_v3(0, 0, 0), nc_v3(0, 0, 1), mu, 0);
        assert_int_equal(solve(m).unconverged, 0);
        const double friction = fmin(along, mu * down), left = (along - friction) / (mass[0] + mass[1]);
        slid += left > 0;
        check_near(foot->impulse.x, down, 1e-8);
        check_near(friction_along(foot, pull), -friction, 1e-8);
        for (int i = 1; i < 3; i++)
            assert_true(nc_norm(nc_sub(m->set->v[i], nc_scale(left, pull))) < 1e-8);
        // What the joint gave to the load: rows x, y, z.
        const nc_vec3 tied = nc_v3(m->row[6].impulse, m->row[7].impulse, m->row[8].impulse);
        check_near(nc_dot(tied, pull), mass[1] * left - pulled, 1e-8);
        check_near(tied.z, -fallen, 1e-8);
        mechanism_destroy(m);
    }
    assert_true(slid > LOADS / 10 && slid < LOADS * 9 / 10);
}

// A weight that only moves vertically presses a strut, which leans by `lean` from the ground and pushes a foot along
// it. What the strut gives to the foot presses it down as well: while cos(lean) <= mu sin(lean) or the weight is small,
// the foot sticks; else all of it moves, and friction grows with what the strut gives.
static void a_strut_that_pushes_a_foot_jams_or_slides(void **state)
{
    (void)state;
    nc_random random = {check_seed("strut", 42)};
    int slid = 0;
    for (int k = 0; k < LOADS; k++) {
        mechanism *m = mechanism_create();
        const double foot_mass = nc_random_range(&random, 0.2, 5), weight_mass = nc_random_range(&random, 0.2, 20);
        const double mu = nc_random_range(&random, 0.1, 1.2), lean = nc_random_range(&random, 0.4, 1.4);
        const double fall[2] = {nc_random_range(&random, 0.05, 0.5), nc_random_range(&random, 0.05, 0.5)};
        const double c = cos(lean), s = sin(lean);
        const int ground = body_set_add(m->set, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
        const int foot = body_set_add_box(m->set, foot_mass, nc_v3(1, 1, 1), nc_v3(0, 0, 0.5));
        const int weight = body_set_add_box(m->set, weight_mass, nc_v3(1, 1, 1), nc_v3(-c, 0, 0.5 + s));
        m->set->v[foot].z = -fall[0];
        m->set->v[weight].z = -fall[1];
        lock_turning(m, foot);
        lock_turning(m, weight);
        for (int d = 0; d < 2; d++) // its guide
            tie(m, weight, -1, m->set->x[weight], unit[d]);
        const nc_joint_row *strut = tie(m, foot, weight, m->set->x[foot], nc_v3(c, 0, -s));
        const nc_contact *contact = body_set_touch(m->set, foot, ground, nc_v3(0, 0, 0), nc_v3(0, 0, 1), mu, 0);
        assert_int_equal(solve(m).unconverged, 0);
        const double held = weight_mass * fall[1] / s; // by the strut, when nothing moves
        const double w = foot_mass * fall[0];
        const bool sticks = held * c <= mu * (w + held * s);
        const double given =
            sticks ? held
                   : (mu * w * c / foot_mass + fall[1] * s) / ((c - mu * s) * c / foot_mass + s * s / weight_mass);
        const double normal = w + given * s, friction = sticks ? given * c : mu * normal;
        slid += !sticks;
        check_near(strut->impulse, given, 1e-8 * (1 + given));
        check_near(contact->impulse.x, normal, 1e-8 * (1 + normal));
        check_near(friction_along(contact, unit[0]), -friction, 1e-8 * (1 + friction));
        check_near(m->set->v[foot].x, (given * c - friction) / foot_mass, 1e-8);
        check_near(m->set->v[weight].z, given * s / weight_mass - fall[1], 1e-8);
        mechanism_destroy(m);
    }
    assert_true(slid > LOADS / 10 && slid < LOADS * 9 / 10);
}

// ---- random islands -------------------------------------------------------------------------------------------

// Random bodies in a chain of ball joints, one in three with a bound, and contacts between any two of them.
static mechanism *random_island(nc_random *random, int bodies, int contacts)
{
    mechanism *m = mechanism_create();
    body_set_fill_random(m->set, random, bodies, contacts, 0, 1);
    for (int i = 0; i < contacts; i++)
        m->set->contacts[i].restitution = 0;
    for (int i = 1; i < bodies; i++) {
        const nc_vec3 at = nc_scale(0.5, nc_add(m->set->x[i], m->set->x[i - 1]));
        for (int d = 0; d < 3; d++)
            tie(m, i, i - 1, at, unit[d])->low = d == 2 && i % 3 == 0 ? 0 : -INFINITY;
    }
    return m;
}

// [m/s] the largest violation of a joint's law, by velocities and impulses as they are.
static double joint_residual(const mechanism *m)
{
    double worst = 0;
    for (int k = 0; k < m->count; k++) {
        const nc_joint_row *row = &m->row[k];
        double u = 0;
        for (int e = 0; e < 4; e++)
            if (row->end[e].body >= 0)
                u += nc_dot(row->end[e].linear, m->set->v[row->end[e].body]) +
                     nc_dot(row->end[e].angular, m->set->w[row->end[e].body]);
        assert_true(row->impulse >= row->low && row->impulse <= row->high);
        worst = fmax(worst, row->impulse > row->low ? fabs(u) : fmax(0, -u));
    }
    return worst;
}

#define ISLANDS 200

static void random_islands_obey_the_laws_of_joints_and_contacts(void **state)
{
    (void)state;
    nc_random random = {check_seed("islands with joints", 43)};
    const int cases = check_effort(ISLANDS);
    int left = 0;
    for (int k = 0; k < cases; k++) {
        mechanism *m = random_island(&random, 2 + k % 12, 1 + k % 7);
        const nc_vec3 momentum = body_set_momentum(m->set), turning = body_set_angular_momentum(m->set);
        const double energy = body_set_energy(m->set);
        const nc_solve_report report = solve(m);
        const nc_solver_bodies bodies = body_set_bodies(m->set);
        if (report.unconverged == 0 && report.clamps == 0) {
            check_at_most(nc_contact_residual(&bodies, m->set->contacts, m->set->contact_count, NC_FRICTION_CONE),
                          1e-4);
            check_at_most(joint_residual(m), 1e-4);
        } else {
            left++;
        }
        assert_true(nc_norm(nc_sub(body_set_momentum(m->set), momentum)) < 1e-9);
        assert_true(nc_norm(nc_sub(body_set_angular_momentum(m->set), turning)) < 1e-9);
        check_at_most(body_set_energy(m->set), energy * (1 + 1e-12));
        mechanism_destroy(m);
    }
    print_message("%d of %d islands were left with a residual or braked\n", left, cases);
    check_at_most(left, cases / 50);
}

// Memory that a larger island has left behind changes nothing.
static void an_island_with_joints_is_solved_to_the_same_bits_after_others(void **state)
{
    (void)state;
    nc_contact_work *used = nc_contact_work_create(NULL);
    const uint64_t seed = check_seed("islands again", 44);
    for (int k = 0; k < 20; k++) {
        nc_random random = {seed + (uint64_t)k}, again = random, other = {seed + 900 + (uint64_t)k};
        mechanism *larger = random_island(&other, 20, 20);
        mechanism *m[2] = {random_island(&random, 2 + k % 9, 5), random_island(&again, 2 + k % 9, 5)};
        solve_with(used, larger);
        solve_with(used, m[0]);
        solve(m[1]);
        assert_true(body_set_hash(m[0]->set) == body_set_hash(m[1]->set));
        for (int i = 0; i < m[0]->count; i++)
            assert_true(m[0]->row[i].impulse == m[1]->row[i].impulse);
        mechanism_destroy(larger);
        mechanism_destroy(m[0]);
        mechanism_destroy(m[1]);
    }
    nc_contact_work_destroy(used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_tied_to_a_sledge_sticks_or_slides_by_the_weight_of_both),
        cmocka_unit_test(a_strut_that_pushes_a_foot_jams_or_slides),
        cmocka_unit_test(random_islands_obey_the_laws_of_joints_and_contacts),
        cmocka_unit_test(an_island_with_joints_is_solved_to_the_same_bits_after_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
