// Clips out: .glb files and OBJ sequences. `test_glb --write FILE` writes the sample that other programs then read.
#include "check.h"
#include "clip_sample.h"
#include "fail_allocator.h"
#include "scratch.h"

#include "io/glb.h"

#include <sys/stat.h>

#define PI 3.14159265358979323846

static uint32_t u32_at(const nc_file_text *text, size_t at)
{
    uint32_t value;
    assert_true(at + 4 <= text->size);
    memcpy(&value, text->data + at, 4);
    return value;
}

// ---- .glb ---------------------------------------------------------------------------------------------------

static void a_glb_has_its_chunks_and_one_node_a_body(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_error err;
    const char *path = scratch_path("sample.glb");
    check_ok(nc_export_glb(&s.clip, path, NULL, &err), err);
    nc_file_text text = read_back(path);
    assert_memory_equal(text.data, "glTF", 4);
    assert_int_equal(u32_at(&text, 4), 2);
    assert_int_equal(u32_at(&text, 8), text.size);
    const size_t json = u32_at(&text, 12);
    assert_int_equal(json % 4, 0);
    assert_memory_equal(text.data + 16, "JSON", 4);
    assert_int_equal(u32_at(&text, 20 + json), text.size - 28 - json);
    assert_memory_equal(text.data + 24 + json, "BIN\0", 4);
    const char *j = text.data + 20;
    assert_int_equal(count_words(j, json, "\"translation\":["), SAMPLE_BODIES);
    assert_int_equal(count_words(j, json, "\"primitives\""), 3);
    assert_int_equal(count_words(j, json, "\"path\":\"translation\""), SAMPLE_BOATS + 1);
    assert_int_equal(count_words(j, json, "\"path\":\"rotation\""), SAMPLE_BOATS + 1);
    assert_int_equal(count_words(j, json, "\"path\":\"scale\""), 3);
    assert_int_equal(count_words(j, json, "\"STEP\""), 3);
    assert_int_equal(count_words(j, json, "\"doubleSided\":true"), 3);
    assert_int_equal(count_words(j, json, "\"name\":\"the \\\"bowl\\\"\\\\\\u000a\xc3\xa9 ?\""), 1);
    // the last keys are those of boat 5: there, away, there again
    float scales[9];
    memcpy(scales, text.data + text.size - sizeof scales, sizeof scales);
    for (int k = 0; k < 9; k++)
        assert_true(scales[k] == (k / 3 == 1 ? 0 : 1));
    nc_file_free(&text);
    sample_free(&s);
}

static void quaternions_keep_their_sign_from_frame_to_frame(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_tracks tracks;
    nc_error err;
    check_ok(nc_tracks_create(&s.clip, NULL, &tracks, &err), err);
    assert_int_equal(tracks.moving, SAMPLE_BOATS + 1);
    nc_pose poses[SAMPLE_BODIES];
    uint8_t present[SAMPLE_BODIES];
    for (int k = 0; k < SAMPLE_FRAMES; k++) {
        double time = 0;
        sample_read(&s, k, &time, poses, present, &err);
        check_near(tracks.times[k], time, 1e-6);
        for (int i = 1; i < SAMPLE_BODIES; i++) {
            const float *r = tracks.rotations + 4 * (tracks.slot[i] * SAMPLE_FRAMES + k);
            check_near(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3], 1, 1e-6);
            if (k > 0)
                assert_true(r[0] * r[-4] + r[1] * r[-3] + r[2] * r[-2] + r[3] * r[-1] >= 0);
            if (!present[i])
                continue;
            const nc_quat q = nc_quat_normalize(poses[i].q);
            check_near(fabs(q.x * (double)r[0] + q.y * (double)r[1] + q.z * (double)r[2] + q.w * (double)r[3]), 1,
                       1e-6);
            check_near(tracks.translations[3 * (tracks.slot[i] * SAMPLE_FRAMES + k) + 1], poses[i].x.y, 1e-6);
        }
    }
    nc_tracks_free(&tracks);
    sample_free(&s);
}

static void a_body_that_is_away_keeps_its_last_pose_or_waits_in_its_first(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_tracks tracks;
    nc_error err;
    check_ok(nc_tracks_create(&s.clip, NULL, &tracks, &err), err);
    const float *gone = tracks.translations + 3 * (tracks.slot[3] * SAMPLE_FRAMES);
    const float *late = tracks.translations + 3 * (tracks.slot[4] * SAMPLE_FRAMES);
    for (int k = 10; k < SAMPLE_FRAMES; k++)
        assert_true(gone[3 * k + 1] == gone[3 * 9 + 1]);
    for (int k = 0; k < 20; k++)
        assert_true(late[3 * k + 1] == late[3 * 20 + 1]);
    assert_true(late[3 * 21 + 1] > late[3 * 20 + 1]);
    for (int i = 0; i < SAMPLE_BODIES; i++)
        for (int k = 0; k < SAMPLE_FRAMES; k++)
            assert_int_equal(tracks.present[i * SAMPLE_FRAMES + k], sample_present(i, k));
    nc_tracks_free(&tracks);
    sample_free(&s);
}

// The first frame, read back through assimp, has every vertex where nc_pose_apply puts it.
static void a_glb_read_back_shows_the_first_frame(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_error err = {0};
    s.clip.body_count = 3;
    const char *path = scratch_path("back.glb");
    check_ok(nc_export_glb(&s.clip, path, NULL, &err), err);
    nc_mesh *back = NULL;
    const nc_code code = nc_mesh_load(path, NULL, &back, NULL, &err);
    if (code == NC_UNSUPPORTED) {
        sample_free(&s);
        skip();
    }
    check_ok(code, err);
    const nc_mesh_data bowl = nc_mesh_view(s.meshes[0]), boat = nc_mesh_view(s.meshes[1]), data = nc_mesh_view(back);
    assert_int_equal(data.triangle_count, bowl.triangle_count + 2 * boat.triangle_count);
    nc_box box = bowl.box;
    nc_pose poses[SAMPLE_BODIES];
    uint8_t present[SAMPLE_BODIES];
    double time = 0;
    sample_read(&s, 0, &time, poses, present, &err);
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < boat.vertex_count; k++)
            box = nc_box_add(box, nc_pose_apply(poses[i], boat.vertices[k]));
    check_near(nc_norm(nc_sub(box.lo, data.box.lo)), 0, 1e-5);
    check_near(nc_norm(nc_sub(box.hi, data.box.hi)), 0, 1e-5);
    nc_mesh_release(back);
    sample_free(&s);
}

static void wires_and_points_survive_a_glb(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_error err = {0};
    s.bodies[0].mesh = 3;
    s.clip.body_count = 1;
    const char *path = scratch_path("wire.glb");
    check_ok(nc_export_glb(&s.clip, path, NULL, &err), err);
    nc_mesh *back = NULL;
    const nc_code code = nc_mesh_load(path, NULL, &back, NULL, &err);
    if (code != NC_UNSUPPORTED) {
        check_ok(code, err);
        const nc_mesh_data data = nc_mesh_view(back);
        assert_int_equal(data.edge_count, 4);
        assert_int_equal(data.point_count, 1);
        assert_int_equal(data.vertex_count, 5);
    }
    nc_mesh_release(back);
    sample_free(&s);
}

static void what_a_glb_cannot_hold_is_refused(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_error err;
    const char *path = scratch_path("refused.glb");
    s.clip.frame_count = 10000000;
    assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "4.2 GB"));
    s.clip.frame_count = 0;
    assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), NC_BAD_ARGUMENT);
    s.clip.frame_count = SAMPLE_FRAMES;
    s.frame_step = 1e-9;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), i == 0 ? NC_OK : NC_BAD_ARGUMENT);
        s.frame_step = 0;
    }
    assert_non_null(strstr(err.text, "single precision"));
    s.frame_step = 1;
    s.bad_position = 1e39;
    assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), NC_BAD_ARGUMENT);
    s.bad_position = NAN;
    assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), NC_BAD_ARGUMENT);
    s.bad_position = 0;
    s.bodies[2].mesh = 4;
    assert_int_equal(nc_export_glb(&s.clip, path, NULL, &err), NC_BAD_ARGUMENT);
    sample_free(&s);
}

static void a_failed_export_leaves_no_file(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    nc_error err;
    s.fail_frame = 30;
    assert_int_equal(nc_export_glb(&s.clip, scratch_path("never.glb"), NULL, &err), NC_IO);
    assert_string_equal(err.text, "the reader was told to fail");
    struct stat status;
    assert_int_not_equal(stat(scratch_path("never.glb"), &status), 0);
    assert_int_equal(nc_export_glb(&s.clip, scratch_path("no/folder.glb"), NULL, &err), NC_IO);
    sample_free(&s);
}

static void names_are_unique_whatever_bodies_are_called(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    for (int hard = 0; hard < 2; hard++) {
        if (hard) // numbers after names would run into the names of others
            s.bodies[2].name = "boat.5";
        nc_clip_names names;
        nc_error err;
        check_ok(nc_clip_names_create(&s.clip, NULL, &names, &err), err);
        for (int i = 0; i < SAMPLE_BODIES; i++)
            for (int k = 0; k < i; k++)
                assert_string_not_equal(nc_clip_name(&names, i), nc_clip_name(&names, k));
        assert_string_equal(nc_clip_name(&names, 4), "body.4");
        assert_string_equal(nc_clip_name(&names, 5), hard ? "5 boat" : "boat.5");
        nc_clip_names_free(&names);
        s.bodies[2].name = "other";
    }
    sample_free(&s);
}

// ---- OBJ sequence -------------------------------------------------------------------------------------------

static void an_obj_sequence_has_the_world_vertices_to_the_bit(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    s.clip.frame_count = 12;
    nc_error err = {0};
    check_ok(nc_export_obj(&s.clip, scratch_path("frame%03d.obj"), NULL, &err), err);
    nc_mesh *mesh = NULL;
    check_ok(nc_mesh_load(scratch_path("frame011.obj"), NULL, &mesh, NULL, &err), err);
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_pose poses[SAMPLE_BODIES];
    uint8_t present[SAMPLE_BODIES];
    double time = 0;
    sample_read(&s, 11, &time, poses, present, &err);
    int at = 0;
    for (int i = 0; i < SAMPLE_BODIES; i++) {
        if (!present[i])
            continue;
        const nc_mesh_data body = nc_mesh_view(s.meshes[s.bodies[i].mesh]);
        for (int k = 0; k < body.vertex_count; k++, at++) {
            const nc_vec3 wanted = nc_pose_apply(poses[i], body.vertices[k]), got = data.vertices[at];
            assert_true(wanted.x == got.x && wanted.y == got.y && wanted.z == got.z);
        }
    }
    assert_int_equal(at, data.vertex_count);
    assert_int_equal(data.point_count, 1);
    nc_mesh_release(mesh);
    sample_free(&s);
}

static void a_pattern_needs_exactly_one_number(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    s.clip.frame_count = 1;
    nc_error err;
    const char *bad[] = {"frame.obj", "%s.obj", "%d%d.obj", "%n.obj", "%", "%5", "%999d.obj", "%%d.obj", "%-3d.obj"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(nc_export_obj(&s.clip, scratch_path(bad[i]), NULL, &err), NC_BAD_ARGUMENT);
    check_ok(nc_export_obj(&s.clip, scratch_path("a%db.obj"), NULL, &err), err);
    struct stat status;
    assert_int_equal(stat(scratch_path("a0b.obj"), &status), 0);
    s.fail_frame = 0;
    assert_int_equal(nc_export_obj(&s.clip, scratch_path("c%d.obj"), NULL, &err), NC_IO);
    s.fail_frame = -1;
    assert_int_equal(nc_export_obj(&s.clip, scratch_path("no/c%d.obj"), NULL, &err), NC_IO);
    s.clip.body_count = 0;
    assert_int_equal(nc_export_obj(&s.clip, scratch_path("c%d.obj"), NULL, &err), NC_BAD_ARGUMENT);
    sample_free(&s);
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code export_glb_trial(const nc_allocator *allocator, void *ctx)
{
    sample *s = ctx;
    return nc_export_glb(&s->clip, scratch_path("memory.glb"), allocator, NULL);
}

static nc_code export_obj_trial(const nc_allocator *allocator, void *ctx)
{
    sample *s = ctx;
    return nc_export_obj(&s->clip, scratch_path("memory%d.obj"), allocator, NULL);
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    s.clip.frame_count = 12;
    assert_true(fail_at_every_call(export_glb_trial, &s) > 10);
    s.clip.frame_count = 2;
    assert_true(fail_at_every_call(export_obj_trial, &s) > 8);
    sample_free(&s);
}

static int write_sample(const char *path)
{
    sample s;
    sample_create(&s);
    nc_error err;
    const nc_code code = nc_export_glb(&s.clip, path, NULL, &err);
    if (code != NC_OK)
        fprintf(stderr, "%s\n", err.text);
    printf("%d\n", SAMPLE_BOATS + 1);
    sample_free(&s);
    return code == NC_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_sample(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glb_has_its_chunks_and_one_node_a_body),
        cmocka_unit_test(quaternions_keep_their_sign_from_frame_to_frame),
        cmocka_unit_test(a_body_that_is_away_keeps_its_last_pose_or_waits_in_its_first),
        cmocka_unit_test(a_glb_read_back_shows_the_first_frame),
        cmocka_unit_test(wires_and_points_survive_a_glb),
        cmocka_unit_test(what_a_glb_cannot_hold_is_refused),
        cmocka_unit_test(a_failed_export_leaves_no_file),
        cmocka_unit_test(names_are_unique_whatever_bodies_are_called),
        cmocka_unit_test(an_obj_sequence_has_the_world_vertices_to_the_bit),
        cmocka_unit_test(a_pattern_needs_exactly_one_number),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
