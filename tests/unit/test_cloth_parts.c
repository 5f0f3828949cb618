// Large sheets are run in parts: the same bits for any number of workers, and for both ways of finding contacts.
#include "check.h"

#include "cloth/world.h"

enum { SIDE = 46, FRAMES = 2 };

static void add_grid(nc_cloth_world *world, int side, double size, nc_vec3 at, nc_cloth_type type)
{
    const int count = side * side;
    nc_vec3 *x = malloc((size_t)count * sizeof *x);
    int(*t)[3] = malloc((size_t)(2 * count) * sizeof *t);
    int triangles = 0, out;
    for (int i = 0; i < count; i++) {
        const double s = (double)(i / side) / (side - 1) - 0.5, r = (double)(i % side) / (side - 1) - 0.5;
        x[i] = nc_add(at, nc_v3(size * s, 0.02 * s * r, size * r));
    }
    for (int i = 0; i + side + 1 < count; i++) {
        if (i % side == side - 1)
            continue;
        memcpy(t[triangles++], (int[3]){i, i + 1, i + side}, sizeof t[0]);
        memcpy(t[triangles++], (int[3]){i + 1, i + side + 1, i + side}, sizeof t[0]);
    }
    nc_cloth_def def = nc_cloth_def_default();
    nc_error err;
    def.type = type;
    def.vertices = x;
    def.vertex_count = count;
    def.triangles = (const int(*)[3])t;
    def.triangle_count = triangles;
    def.contact.thickness = 0.01;
    def.contact.friction = 0.3;
    def.velocity = type == NC_CLOTH_SHEET ? nc_v3(0.1, -3, 0) : nc_v3(0, 0, 0);
    check_ok(nc_cloth_add(world, &def, &out, &err), err);
    free(x);
    free(t);
}

static void run_sheet(nc_cloth_finder finder, int workers, uint64_t hash[FRAMES], int64_t *kicks)
{
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    settings.frame_dt = 1.0 / 480;
    settings.gravity_level = 4;
    settings.finder = finder;
    settings.workers = workers;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    add_grid(world, SIDE, 1, nc_v3(0, 0.014, 0), NC_CLOTH_SHEET);
    add_grid(world, 3, 0.3, nc_v3(0.01, 0, 0.02), NC_CLOTH_OBSTACLE);
    *kicks = 0;
    for (int f = 0; f < FRAMES; f++) {
        nc_cloth_report report;
        check_ok(nc_cloth_step(world, &report, &err), err);
        hash[f] = nc_cloth_hash(world);
        *kicks += report.contact_kicks;
    }
    assert_int_equal(world->elastic.parts, NC_CLOTH_PARTS);
    nc_cloth_world_destroy(world);
}

static void a_sheet_in_parts_is_the_same_for_all_workers_and_finders(void **state)
{
    (void)state;
    uint64_t one[FRAMES], other[FRAMES];
    int64_t kicks;
    run_sheet(NC_FINDER_SPECULATIVE, 1, one, &kicks);
    print_message("%lld contact kicks\n", (long long)kicks);
    assert_true(kicks > 100);
    for (int i = 0; i < 3; i++) {
        run_sheet(i == 2 ? NC_FINDER_KINETIC : NC_FINDER_SPECULATIVE, i == 1 ? 8 : 2, other, &kicks);
        assert_memory_equal(one, other, sizeof one);
    }
}

// Every force once, in the part of all its vertices or between parts; ranges cover them.
static void parts_hold_every_force_once(void **state)
{
    (void)state;
    nc_cloth_world_def settings = nc_cloth_world_def_default();
    nc_cloth_world *world;
    nc_error err;
    nc_cloth_report report;
    settings.frame_dt = 1.0 / 4800;
    check_ok(nc_cloth_world_create(&settings, &world, &err), err);
    add_grid(world, SIDE, 1, nc_v3(0, 0, 0), NC_CLOTH_SHEET);
    check_ok(nc_cloth_step(world, &report, &err), err);
    const nc_cloth_elastic *e = &world->elastic;
    int springs = 0, between = 0;
    assert_int_equal(e->components.count, 1);
    const nc_cloth_ranges *r = &e->ranges.data[e->components.data[0].ranges];
    for (int part = 0; part <= NC_CLOTH_PARTS; part++)
        for (int i = r->spring[part][0]; i < r->spring[part + 1][0]; i++) {
            const nc_cloth_spring *s = &e->springs.data[i];
            assert_int_equal(i, springs++);
            assert_true(i >= r->spring[part][s->level]);
            assert_true(s->level == NC_CLOTH_LEVELS || i < r->spring[part][s->level + 1]);
            if (part < NC_CLOTH_PARTS)
                assert_true(e->part[s->a] == part && e->part[s->b] == part);
            else
                between++;
        }
    assert_int_equal(springs, e->springs.count);
    print_message("%d of %d springs lie between parts\n", between, springs);
    assert_true(between > 0 && between < springs / 5);
    nc_cloth_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_in_parts_is_the_same_for_all_workers_and_finders),
        cmocka_unit_test(parts_hold_every_force_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
