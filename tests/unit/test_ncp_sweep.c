// A pass over the rows of the complementarity problem, by all copies: the bits of one vector after the other.
#include "check.h"

#include "contact/ncp_rows.h"

#define BODIES   6
#define CONTACTS 12

// Velocities of a body, vector by vector.
typedef struct plain_slot {
    nc_vec3 v, w;
} plain_slot;

// Slots and rows twice: as the solver has them, and for the oracle.
typedef struct problem {
    nc_ncp_slot slots[BODIES];
    nc_ncp_row rows[3 * CONTACTS];
    plain_slot plain[BODIES];
    double lambda[3 * CONTACTS];
    int stride;
} problem;

static nc_vec3 random_vector(nc_random *random)
{
    nc_vec3 v;
    double *c[3] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++)
        *c[i] = nc_random_u64(random) % 5 == 0 ? -0.0 : nc_random_range(random, -1, 1); // signs of 0 are bits, too
    return v;
}

static problem random_problem(nc_random *random, int stride)
{
    problem p = {.stride = stride};
    nc_vec3 arm[CONTACTS][2];
    double inv_mass[BODIES];
    nc_mat3 inv_inertia[BODIES] = {0};
    nc_contact contacts[CONTACTS] = {0};
    for (int i = 0; i < BODIES; i++) {
        inv_mass[i] = i % 3 == 0 ? 0 : nc_random_range(random, 0.1, 2); // some do not move
        inv_inertia[i].row[0].x = inv_inertia[i].row[1].y = inv_inertia[i].row[2].z = 2 * inv_mass[i];
        p.plain[i] = (plain_slot){random_vector(random), random_vector(random)};
        p.slots[i] = nc_ncp_pairs_of(p.plain[i].v, p.plain[i].w);
    }
    const nc_solver_bodies bodies = {.count = BODIES, .inv_mass = inv_mass, .inv_inertia = inv_inertia};
    for (int k = 0; k < CONTACTS; k++) {
        const int a = (int)(nc_random_u64(random) % BODIES), b = (a + 1 + (int)(nc_random_u64(random) % 5)) % BODIES;
        arm[k][0] = random_vector(random);
        arm[k][1] = random_vector(random);
        contacts[k] = (nc_contact){.a = a, .b = b, .arm_a = arm[k][0], .arm_b = arm[k][1], .friction = 0.5 * (k % 4)};
        for (int i = 0; i < stride; i++) {
            nc_ncp_row *row = &p.rows[k * stride + i];
            nc_ncp_row_build(&bodies, NULL, &contacts[k], random_vector(random), row);
            row->target = i == 0 ? nc_random_range(random, -0.1, 0.1) : 0;
            row->lambda = p.lambda[k * stride + i] = i == 0 ? nc_random_range(random, 0, 1) : 0;
        }
    }
    return p;
}

// ---- the oracle: eq. 29 to 33, vector by vector ------------------------------------------------------------------

static double speed_of(const problem *p, int row)
{
    const nc_ncp_row *r = &p->rows[row];
    const plain_slot *a = &p->plain[r->a], *b = &p->plain[r->b];
    return nc_dot(nc_ncp_first(&r->read_a), nc_sub(a->v, b->v)) + nc_dot(nc_ncp_second(&r->read_a), a->w) -
           nc_dot(nc_ncp_second(&r->read_b), b->w) - r->target;
}

static double move(problem *p, int row, double lambda)
{
    const nc_ncp_row *r = &p->rows[row];
    const double step = lambda - p->lambda[row];
    plain_slot *a = &p->plain[r->a], *b = &p->plain[r->b];
    p->lambda[row] = lambda;
    if (step != 0 && r->inv_mass_a > 0) {
        a->v = nc_madd(a->v, step * r->inv_mass_a, nc_ncp_first(&r->push_a));
        a->w = nc_madd(a->w, step, nc_ncp_second(&r->push_a));
    }
    if (step != 0 && r->inv_mass_b > 0) {
        b->v = nc_madd(b->v, -step * r->inv_mass_b, nc_ncp_first(&r->push_b));
        b->w = nc_madd(b->w, -step, nc_ncp_second(&r->push_b));
    }
    return fabs(step) * r->diagonal;
}

static double wanted(const problem *p, int row, double w, double gamma)
{
    const nc_ncp_row *r = &p->rows[row];
    const double l = p->lambda[row];
    return gamma > 0 ? l - (w + gamma * l) / (r->diagonal + gamma) : l - w * r->inverse;
}

static double move_on_disc(problem *p, int at, double limit, double gamma)
{
    const nc_ncp_row *r = &p->rows[at];
    const double before[2] = {p->lambda[at], p->lambda[at + 1]}, u[2] = {speed_of(p, at), speed_of(p, at + 1)};
    double asked = move(p, at, wanted(p, at, u[0], gamma));
    asked = fmax(asked, move(p, at + 1, wanted(p, at + 1, speed_of(p, at + 1), gamma)));
    if (p->lambda[at] * p->lambda[at] + p->lambda[at + 1] * p->lambda[at + 1] <= limit * limit)
        return asked;
    const double step = 1.0 / (fmax(r[0].diagonal, r[1].diagonal) + gamma);
    const double l[2] = {before[0] - step * (u[0] + gamma * before[0]), before[1] - step * (u[1] + gamma * before[1])};
    const double size = sqrt(l[0] * l[0] + l[1] * l[1]), part = size > limit ? limit / size : 1;
    move(p, at, part * l[0]);
    move(p, at + 1, part * l[1]);
    return fmax(fabs(p->lambda[at] - before[0]) * r[0].diagonal, fabs(p->lambda[at + 1] - before[1]) * r[1].diagonal);
}

static double update(problem *p, int at, bool cone, double gamma)
{
    const nc_ncp_row *r = &p->rows[at];
    if (r->inverse == 0)
        return 0;
    const double normal = wanted(p, at, speed_of(p, at), gamma);
    double asked = move(p, at, normal > 0 ? normal : 0);
    const double limit = r->friction * p->lambda[at];
    if (p->stride == 1 || !(r->friction > 0) || (limit == 0 && p->lambda[at + 1] == 0 && p->lambda[at + 2] == 0))
        return asked;
    if (cone)
        return fmax(asked, move_on_disc(p, at + 1, limit, gamma));
    for (int k = at + 1; k < at + 3; k++) {
        const double l = wanted(p, k, speed_of(p, k), gamma);
        asked = fmax(asked, move(p, k, l > limit ? limit : l >= -limit ? l : -limit));
    }
    return asked;
}

static double sweep(problem *p, bool cone, double gamma, bool backward)
{
    double most = 0;
    for (int c = 0; c < CONTACTS; c++)
        most = fmax(most, update(p, (backward ? CONTACTS - 1 - c : c) * p->stride, cone, gamma));
    return most;
}

// ---- tests --------------------------------------------------------------------------------------------------------

// How many of the numbers have other bits.
static int differences(const problem *p, const nc_ncp_slot *slots, const nc_ncp_row *rows)
{
    int count = 0;
    for (int i = 0; i < BODIES; i++) {
        const nc_ncp_slot expected = nc_ncp_pairs_of(p->plain[i].v, p->plain[i].w);
        count += memcmp(&expected, &slots[i], sizeof expected) != 0;
    }
    for (int k = 0; k < CONTACTS * p->stride; k++)
        count += memcmp(&p->lambda[k], &rows[k].lambda, sizeof(double)) != 0;
    return count;
}

static void compare(nc_copy copy, nc_random *random, int stride, nc_ncp_settings settings, double gamma)
{
    problem p = random_problem(random, stride);
    const nc_ncp_problem solved = {p.slots, p.rows, CONTACTS, stride};
    for (int k = 0; k < 4; k++) {
        const double expected = sweep(&p, settings.friction == NC_FRICTION_CONE, gamma, k % 2 == 1);
        const double most = nc_ncp_sweep_by(copy, &solved, &settings, gamma, k % 2 == 1);
        assert_memory_equal(&expected, &most, sizeof most);
        assert_int_equal(differences(&p, p.slots, p.rows), 0);
    }
}

static void a_pass_by_any_copy_has_the_bits_of_one_vector_after_the_other(void **state)
{
    (void)state;
    nc_random random = {check_seed("ncp_sweep", 5)};
    for (int k = 0; k < check_effort(300); k++)
        for (nc_copy copy = NC_COPY_PLAIN; copy < NC_COPIES; copy++) {
            if (!nc_has_copy(copy))
                continue;
            nc_ncp_settings settings = nc_ncp_settings_default();
            settings.friction = k % 2 == 0 ? NC_FRICTION_CONE : NC_FRICTION_PYRAMID;
            compare(copy, &random, k % 5 == 0 ? 1 : 3, settings, k % 3 == 0 ? 0.25 : 0);
        }
}

static void bodies_that_do_not_move_keep_their_bits(void **state)
{
    (void)state;
    nc_random random = {check_seed("ncp_sweep_still", 6)};
    problem p = random_problem(&random, 3);
    const nc_ncp_problem solved = {p.slots, p.rows, CONTACTS, 3};
    const nc_ncp_settings settings = nc_ncp_settings_default();
    const problem before = p;
    nc_ncp_sweep(&solved, &settings, 0, false);
    int moved = 0;
    for (int i = 0; i < BODIES; i++) {
        const bool same = memcmp(&before.slots[i], &p.slots[i], sizeof p.slots[i]) == 0;
        assert_true(same || i % 3 != 0);
        moved += !same;
    }
    assert_true(moved > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_by_any_copy_has_the_bits_of_one_vector_after_the_other),
        cmocka_unit_test(bodies_that_do_not_move_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
