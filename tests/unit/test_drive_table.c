// Drives that follow a table of a CSV file.
#include "joint_bodies.h"

#include "scene_text.h"
#include "scratch.h"

static const char driven[] = "nacre: 1\n"
                             "world: {gravity: [0, 0, 0], timestep: 1/100}\n"
                             "shapes: {block: {generate: box, size: 0.1, mass: 1}}\n"
                             "bodies: [{shape: block, name: block}]\n"
                             "joints:\n"
                             "  - {kind: slider, name: rail, body: block, anchor: [0, 0, 0], axis: [1, 0, 0],\n"
                             "     drive: {mode: position, table: %s}}\n";

// The scene with a table of this text.
static nc_code load(const char *table, nc_scene **out, nc_error *err)
{
    char text[sizeof driven + 160];
    snprintf(text, sizeof text, driven, scratch_text("table.csv", table));
    return scene_try(text, NULL, 0, out, err);
}

static void a_slider_follows_its_table(void **state)
{
    (void)state;
    nc_scene *scene = NULL;
    nc_error err = {0};
    check_ok(load("time,position\n# by hand\n0, 0\n\n0.5, 0.2\n1;0.1\n", &scene, &err), err);
    nc_world *world = world_of(scene);
    const nc_joint_id rail = nc_world_find_joint(world, "rail");
    for (int i = 1; i <= 120; i++) {
        step(world, 1.0 / 100);
        const double t = i / 100.0, wanted = t < 0.5 ? 0.4 * t : t < 1 ? 0.2 - 0.2 * (t - 0.5) : 0.1;
        check_near(read_joint(world, rail).position[0], wanted, 1e-9);
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
}

static void refuse(const char *table, const char *said, int line)
{
    nc_scene *scene = NULL;
    nc_error err = {0};
    assert_int_not_equal(load(table, &scene, &err), NC_OK);
    if (strstr(err.text, said) == NULL)
        print_error("%s: does not say \"%s\"\n", err.text, said);
    assert_non_null(strstr(err.text, said));
    assert_int_equal(err.line, line);
    nc_scene_destroy(scene);
}

static void a_bad_table_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse("0, 0\n1, 2\n1, 3\n", "ascending", 3);
    refuse("t, x\n0, 0\n1, far\n", "two numbers", 3);
    refuse("0, 0\n1, 2, 3\n", "two numbers", 2);
    refuse("t, x\n", "no rows", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_follows_its_table),
        cmocka_unit_test(a_bad_table_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
