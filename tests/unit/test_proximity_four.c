// Four triangles at a time, seen from a point: the bits of one triangle after the other, by all copies.
#include "check.h"

#include "narrow/proximity.h"

// Four triangles as they are, and as groups have them.
typedef struct sample {
    nc_vec3 corner[NC_LANES][3];
    nc_box box[NC_LANES];
    nc_near_four four;
    nc_vec3 p, q;
    double small;
} sample;

// Few values, so that triangles without area, points on corners and on sides, and equal distances occur.
static double random_number(nc_random *random)
{
    const int kind = (int)(nc_random_u64(random) % 3);
    return kind == 0 ? (double)(nc_random_u64(random) % 3) - 1 : nc_random_range(random, -1, 1);
}

static nc_vec3 random_vector(nc_random *random)
{
    const double x = random_number(random), y = random_number(random), z = random_number(random);
    return nc_v3(x, y, z);
}

static sample random_sample(nc_random *random)
{
    sample s;
    s.p = random_vector(random);
    s.q = nc_add(s.p, nc_scale(0.25, random_vector(random)));
    static const double smalls[] = {0, 1e-12, 0.3}; // 0: only what has p itself, whose box ends there, too
    s.small = smalls[nc_random_u64(random) % 3];
    for (int k = 0; k < NC_LANES; k++) {
        for (int i = 0; i < 3; i++)
            s.corner[k][i] = nc_random_u64(random) % 3 == 0 ? s.p : random_vector(random);
        if (nc_random_u64(random) % 8 == 0)
            s.corner[k][2] = nc_scale(0.5, nc_add(s.corner[k][0], s.corner[k][1]));
        s.box[k] = (nc_box){s.corner[k][0], s.corner[k][0]};
        s.box[k] = nc_box_add(nc_box_add(s.box[k], s.corner[k][1]), s.corner[k][2]);
        nc_near_four_put(&s.four, k, s.corner[k], &s.box[k]);
    }
    return s;
}

static nc_vec3 from_triangle(const sample *s, int k, nc_vec3 q)
{
    const nc_vec3 w[3] = {nc_sub(q, s->corner[k][0]), nc_sub(q, s->corner[k][1]), nc_sub(q, s->corner[k][2])};
    return nc_hull_nearest(NC_HULL_TRIANGLE, w);
}

static double gap2(nc_vec3 q, const nc_box *box)
{
    const double x = nc_positive(box->lo.x - q.x) + nc_positive(q.x - box->hi.x);
    const double y = nc_positive(box->lo.y - q.y) + nc_positive(q.y - box->hi.y);
    const double z = nc_positive(box->lo.z - q.z) + nc_positive(q.z - box->hi.z);
    return x * x + y * y + z * z;
}

static void check_bits(nc_vec3 v, const nc_near_from *out, int k)
{
    const nc_vec3 found = {out->from[0][k], out->from[1][k], out->from[2][k]};
    assert_memory_equal(&found, &v, sizeof v);
}

// Returns how many are nearer.
static int compare_nearer(nc_copy copy, const sample *s, double limit2)
{
    nc_near_from out;
    const int mask = nc_near_four_nearer(copy, &s->four, s->q, limit2, &out);
    int count = 0;
    for (int k = 0; k < NC_LANES; k++) {
        const nc_vec3 from = from_triangle(s, k, s->q);
        const bool near = gap2(s->q, &s->box[k]) < limit2 && nc_norm2(from) < limit2;
        assert_int_equal(mask >> k & 1, near);
        if (near)
            check_bits(from, &out, k);
        count += near;
    }
    return count;
}

// Returns how many are at p.
static int compare_climb(nc_copy copy, const sample *s)
{
    nc_near_from out;
    const int mask = nc_near_four_climb(copy, &s->four, s->p, s->q, s->small, &out);
    const nc_vec3 half = nc_v3(s->small, s->small, s->small);
    const nc_box at_p = {nc_sub(s->p, half), nc_add(s->p, half)};
    int count = 0;
    for (int k = 0; k < NC_LANES; k++) {
        const nc_vec3 aside = from_triangle(s, k, s->p), from = from_triangle(s, k, s->q);
        const bool beside = nc_box_overlap(at_p, s->box[k]) && !(nc_norm2(aside) > s->small * s->small);
        assert_int_equal(mask >> k & 1, beside);
        count += beside;
        if (!beside)
            continue;
        const double gain = nc_norm2(nc_sub(nc_add(nc_sub(s->q, s->p), aside), from)) - nc_norm2(aside);
        assert_memory_equal(&gain, &out.gain[k], sizeof gain);
        check_bits(from, &out, k);
    }
    return count;
}

static void four_triangles_are_what_one_after_the_other_is(void **state)
{
    (void)state;
    nc_random random = {check_seed("proximity_four", 11)};
    const int rounds = check_effort(20000);
    long nearer = 0, beside = 0;
    for (int i = 0; i < rounds; i++) {
        const sample s = random_sample(&random);
        const double limit2 = nc_random_range(&random, 0, 0.1);
        for (nc_copy copy = NC_COPY_PLAIN; copy < NC_COPIES; copy++) {
            if (!nc_has_copy(copy))
                continue;
            nearer += compare_nearer(copy, &s, limit2);
            beside += compare_climb(copy, &s);
        }
    }
    assert_true(nearer > rounds / 2 && beside > rounds / 2);
}

static void lanes_without_a_partner_do_not_count(void **state)
{
    (void)state;
    nc_near_slots partners;
    partners.count = 6;
    assert_int_equal(nc_near_four_lanes(&partners, 0), 15);
    assert_int_equal(nc_near_four_lanes(&partners, 1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_triangles_are_what_one_after_the_other_is),
        cmocka_unit_test(lanes_without_a_partner_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
