// The table of near pairs: what it knows from before spares searches and changes nothing.
#include "check.h"

#include "step/near.h"

static bool all_wanted(int i, int j, const void *ctx)
{
    (void)i, (void)j, (void)ctx;
    return true;
}

static void make(nc_near_table *table, const nc_mesh *const mesh[2], const nc_pose pose[2])
{
    const nc_near_bodies bodies = {.count = 2, .pose = pose, .mesh = mesh, .wanted = all_wanted};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_error err;
    check_ok(nc_near_table_make(table, &bodies, 0.02, 1, &memory, &err), err);
}

// A rod that lies above the bottom of a bowl, known to be apart from it, turns until its end is near.
static void a_rod_that_turns_in_place_is_found_again(void **state)
{
    (void)state;
    nc_mesh *bowl, *rod;
    nc_error err;
    check_ok(nc_shape_create("bowl", (const nc_shape_parameter[]){{"radius", 2}}, 1, NULL, &bowl, &err), err);
    const nc_shape_parameter sides[] = {{"width", 0.6}, {"height", 0.02}, {"depth", 0.02}};
    check_ok(nc_shape_create("box", sides, 3, NULL, &rod, &err), err);
    const nc_mesh *const mesh[2] = {bowl, rod};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_near_table kept = {.made = false};
    int found = 0;
    for (int degree = 0; degree <= 10; degree++) {
        const nc_quat turn = nc_quat_from_rotation_vector(nc_v3(0, 0, degree * NC_PI / 180));
        const nc_pose pose[2] = {{{0, 0, 0}, nc_quat_identity()}, {{0, -1.9, 0}, turn}};
        nc_near_table fresh = {.made = false};
        make(&kept, mesh, pose);
        make(&fresh, mesh, pose);
        assert_int_equal(kept.rows.count, 1);
        assert_int_equal(kept.rows.data[0].count, fresh.rows.data[0].count);
        check_near(kept.rows.data[0].clearance, fresh.rows.data[0].clearance, 0);
        found += fresh.rows.data[0].count > 0;
        nc_near_table_free(&fresh, &memory);
    }
    assert_true(found > 0 && found < 11);
    nc_near_table_free(&kept, &memory);
    nc_mesh_release(bowl);
    nc_mesh_release(rod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rod_that_turns_in_place_is_found_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
