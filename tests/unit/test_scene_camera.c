// The camera of a scene: read with it, or alone from the text that a run file keeps; the simulation does not see it.
#include "scene_text.h"

#include <math.h>

#define BOX                                                                                                            \
    "nacre: 1\n"                                                                                                       \
    "shapes: {b: {generate: box}}\n"                                                                                   \
    "bodies: [{shape: b, spin: [1, 2, 3]}]\n"

static bool is_unsaid(nc_vec3 v)
{
    return isnan(v.x) && isnan(v.y) && isnan(v.z);
}

static void a_camera_says_what_the_scene_says_and_no_more(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(BOX "camera: {target: [0, -6, 2], elevation: -30, zoom: 1.5}\n");
    const nc_scene_camera camera = nc_scene_view(scene).camera;
    assert_true(camera.target.x == 0 && camera.target.y == -6 && camera.target.z == 2);
    assert_true(camera.elevation == -30 && camera.zoom == 1.5);
    assert_true(is_unsaid(camera.position) && isnan(camera.azimuth) && isnan(camera.fov));
    nc_scene_destroy(scene);
    scene = scene_of(BOX);
    const nc_scene_camera none = nc_scene_view(scene).camera;
    assert_true(is_unsaid(none.position) && is_unsaid(none.target) && isnan(none.azimuth) && isnan(none.elevation) &&
                isnan(none.fov) && isnan(none.zoom));
    nc_scene_destroy(scene);
}

static void a_camera_is_found_in_the_canonical_text_without_the_meshes(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_scene_camera camera;
    nc_scene *scene = scene_of(BOX "camera: {position: [3, 4, 5], fov: 50, azimuth: 12.5}\n");
    check_ok(nc_scene_camera_load("s.yaml", nc_scene_view(scene).text, &camera, &err), err);
    nc_scene_destroy(scene);
    assert_true(camera.position.x == 3 && camera.position.y == 4 && camera.position.z == 5);
    assert_true(camera.fov == 50 && camera.azimuth == 12.5 && is_unsaid(camera.target));
    // The mesh is gone; the camera is still there.
    const char *text = "nacre: 1\nshapes: {b: {file: gone.obj}}\nbodies: [{shape: b}]\ncamera: {zoom: 2}\n";
    check_ok(nc_scene_camera_load("s.yaml", text, &camera, &err), err);
    assert_true(camera.zoom == 2);
}

static void a_wrong_camera_is_refused_with_its_place(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_scene_camera camera;
    check_refused(BOX "camera: {elevation: 91}\n",
                  "s.yaml:4:21: camera.elevation: found \"91\"; allowed: a number from -90 to 90 [degree]");
    check_refused(BOX "camera: {zoom: 0}\n",
                  "s.yaml:4:16: camera.zoom: found \"0\"; allowed: a number above 0, at most 1000");
    assert_int_equal(nc_scene_camera_load("s.yaml", BOX "camera: {fov: 0}\n", &camera, &err), NC_BAD_SCENE);
    assert_int_equal(err.line, 4);
}

static void a_camera_changes_nothing_in_the_world(void **state)
{
    (void)state;
    uint64_t hashes[2];
    const char *const texts[2] = {BOX, BOX "camera: {azimuth: 90, zoom: 3}\n"};
    for (int i = 0; i < 2; i++) {
        nc_error err = {0};
        nc_scene *scene = scene_of(texts[i]);
        nc_world *world = world_of(scene);
        for (int step = 0; step < 5; step++)
            check_ok(nc_world_step(world, 1.0 / 24, NULL, &err), err);
        hashes[i] = nc_world_hash(world);
        nc_world_destroy(world);
        nc_scene_destroy(scene);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void keyframes_of_a_camera_are_read_in_order(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_scene *scene = scene_of(BOX "camera: {fov: 40, aperture: 0.2, focus: [1, 2, 3], keyframes: [{time: 0, zoom: 2}, "
                                   "{time: 1/2, position: [1, 0, 0]}]}\n");
    const nc_scene_camera camera = nc_scene_view(scene).camera;
    assert_int_equal(camera.keyframe_count, 2);
    assert_true(camera.keyframes[0].zoom == 2 && is_unsaid(camera.keyframes[0].position));
    assert_true(camera.keyframes[1].time == 0.5 && camera.keyframes[1].position.x == 1);
    assert_true(camera.aperture == 0.2 && camera.focus.z == 3);
    nc_scene_destroy(scene);
    assert_int_equal(scene_try(BOX "camera: {keyframes: [{time: 1}, {time: 1}]}\n", NULL, 0, &scene, &err),
                     NC_BAD_SCENE);
    assert_non_null(strstr(err.text, "ascending times"));
    assert_int_equal(scene_try(BOX "camera: {keyframes: [{zoom: 1}]}\n", NULL, 0, &scene, &err), NC_BAD_SCENE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_camera_says_what_the_scene_says_and_no_more),
        cmocka_unit_test(a_camera_is_found_in_the_canonical_text_without_the_meshes),
        cmocka_unit_test(a_wrong_camera_is_refused_with_its_place),
        cmocka_unit_test(a_camera_changes_nothing_in_the_world),
        cmocka_unit_test(keyframes_of_a_camera_are_read_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
