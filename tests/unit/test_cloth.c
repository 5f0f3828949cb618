// Cloth without contacts: clocks, elastic forces, momentum, energy, prescribed motion.
#include "check.h"

#include "cloth_scene.h"

static void patch_in_free_fall_falls_as_a_point_does(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_cloth_world_def def = nc_cloth_world_def_default();
    nc_cloth_world *world = NULL;
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    grid g = grid_make(5, 5, 0.1, 0);
    nc_cloth_def cloth = grid_cloth(&g);
    int id;
    check_ok(nc_cloth_add(world, &cloth, &id, &err), err);
    nc_cloth_report report;
    for (int f = 0; f < 24; f++)
        check_ok(nc_cloth_step(world, &report, &err), err);
    nc_vec3 x[25], v[25];
    check_ok(nc_cloth_read(world, id, x, v, &err), err);
    // Kicks at k h, k = 1 .. n: the fall is g h^2 n (n - 1) / 2.
    const double h = def.frame_dt / 64, n = 24 * 64;
    for (int i = 0; i < 25; i++) {
        check_near(v[i].y, -9.8, 1e-9);
        check_near(x[i].y - g.vertices[i].y, -9.8 * h * h * n * (n - 1) / 2, 1e-9);
    }
    nc_cloth_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_in_free_fall_falls_as_a_point_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
