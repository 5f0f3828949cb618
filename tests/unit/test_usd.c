// Clips as USD. `test_usd --write FILE` writes the sample that other programs then read; NACRE_UPDATE=1 writes the
// golden file again.
#include "check.h"
#include "clip_sample.h"
#include "fail_allocator.h"
#include "scratch.h"

#include <ctype.h>
#include <sys/stat.h>

#define GOLDEN        NACRE_SOURCE_DIR "/tests/golden/sample.usda"
#define GOLDEN_FRAMES 7

static nc_mesh *make_tetrahedron(void)
{
    const nc_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0.1, 0}, {0, 0, 1}};
    const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const nc_mesh_def def = {.vertices = vertices, .vertex_count = 4, .triangles = triangles, .triangle_count = 4};
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

// A bowl that stays, a boat that is away for three frames, one that is scripted, a wire: small enough to be examined.
static void small_create(sample *s)
{
    sample_create(s);
    for (int i = 1; i < 3; i++) {
        nc_mesh_release(s->meshes[i]);
        s->meshes[i] = make_tetrahedron();
    }
    nc_mesh_release(s->meshes[0]);
    s->meshes[0] = make_wire();
    s->bodies[7] = s->bodies[SAMPLE_BODIES - 1];
    s->clip.body_count = 8;
    s->clip.frame_count = GOLDEN_FRAMES;
    s->clip.gravity = nc_v3(0, -9.8, 0);
    s->clip.read_motion = sample_read_motion;
}

static int count_in(const char *path, const char *word)
{
    nc_file_text text = read_back(path);
    const int count = count_words(text.data, text.size, word);
    nc_file_free(&text);
    return count;
}

static void a_small_clip_is_written_as_the_golden_file_has_it(void **state)
{
    (void)state;
    sample s;
    small_create(&s);
    nc_error err;
    const char *path = getenv("NACRE_UPDATE") != NULL ? GOLDEN : scratch_path("sample.usda");
    check_ok(nc_export_usd(&s.clip, NULL, path, NULL, &err), err);
    nc_file_text written = read_back(path), golden = read_back(GOLDEN);
    size_t line = 1, i = 0;
    for (; i < written.size && i < golden.size && written.data[i] == golden.data[i]; i++)
        line += written.data[i] == '\n';
    if (i < written.size || i < golden.size)
        fail_msg("line %zu is not as in tests/golden/sample.usda; NACRE_UPDATE=1 regenerates it", line);
    nc_file_free(&written);
    nc_file_free(&golden);
    sample_free(&s);
}

static void large_clips_are_points_of_an_instancer(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    s.clip.read_motion = sample_read_motion;
    const nc_usd_options many = {.instancer_from = SAMPLE_BOATS + 1}, more = {.instancer_from = SAMPLE_BOATS + 2};
    nc_error err;
    const char *path = scratch_path("points.usda");
    assert_true(nc_usd_uses_instancer(&s.clip, &many));
    assert_false(nc_usd_uses_instancer(&s.clip, &more) || nc_usd_uses_instancer(&s.clip, NULL));
    check_ok(nc_export_usd(&s.clip, &many, path, NULL, &err), err);
    assert_int_equal(count_in(path, "def PointInstancer \"moving\""), 1);
    assert_int_equal(count_in(path, "xformOp:transform = "), 1); // the bowl alone
    assert_int_equal(count_in(path, "class Xform \"mesh_"), 3);
    // boats of two frictions, one of them scripted, and a wire
    assert_int_equal(count_in(path, "def Xform \"shape_"), 4);
    assert_int_equal(count_in(path, "invisibleIds.timeSamples"), 1);
    assert_int_equal(count_in(path, "9: [4],"), 1); // frame 9: boat 4 is not born
    assert_int_equal(count_in(path, "10: [3, 4],"), 1);
    assert_int_equal(count_in(path, "47: [3],"), 1);
    check_ok(nc_export_usd(&s.clip, &more, path, NULL, &err), err);
    assert_int_equal(count_in(path, "PointInstancer"), 0);
    assert_int_equal(count_in(path, "xformOp:transform.timeSamples"), SAMPLE_BOATS + 1);
    assert_int_equal(count_in(path, "token visibility.timeSamples"), 3);
    sample_free(&s);
}

static void names_are_identifiers_and_none_is_twice(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    const char *hard[] = {"a.b",   "a_b",   "a b", "1",      "_1",    "\xc3\xa9t\xc3\xa9",
                          "_____", "a_b_3", "",    "body.8", "body_8"};
    const int count = (int)(sizeof hard / sizeof hard[0]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++)
            s.bodies[i].name = hard[round == 0 ? i : 0];
        nc_clip_names names;
        nc_error err;
        check_ok(nc_clip_identifiers_create(&s.clip, NULL, &names, &err), err);
        for (int i = 0; i < SAMPLE_BODIES; i++) {
            const char *name = nc_clip_name(&names, i);
            assert_true(isalpha((unsigned char)name[0]) || name[0] == '_');
            for (const char *c = name; *c != '\0'; c++)
                assert_true(isalnum((unsigned char)*c) || *c == '_');
            for (int k = 0; k < i; k++)
                assert_string_not_equal(name, nc_clip_name(&names, k));
        }
        nc_clip_names_free(&names);
    }
    sample_free(&s);
}

static void frames_that_are_not_evenly_spaced_keep_their_times(void **state)
{
    (void)state;
    sample s;
    small_create(&s);
    s.clip.body_count = 2;
    s.frame_step = 1 / 30.0;
    nc_error err;
    const char *path = scratch_path("rate.usda");
    check_ok(nc_export_usd(&s.clip, NULL, path, NULL, &err), err);
    assert_int_equal(count_in(path, "timeCodesPerSecond = 30\n"), 1);
    assert_int_equal(count_in(path, "endTimeCode = 6\n"), 1);
    s.frame_step = 0.3;
    check_ok(nc_export_usd(&s.clip, NULL, path, NULL, &err), err);
    assert_int_equal(count_in(path, "timeCodesPerSecond = 3.3333333333333335\n"), 1);
    s.clip.gravity = nc_v3(0, 0, -9.8);
    s.clip.frame_count = 1;
    check_ok(nc_export_usd(&s.clip, NULL, path, NULL, &err), err);
    assert_int_equal(count_in(path, "upAxis = \"Z\""), 1);
    assert_int_equal(count_in(path, "timeSamples"), 0);
    sample_free(&s);
}

static void what_cannot_be_exported_is_refused_and_leaves_no_file(void **state)
{
    (void)state;
    sample s;
    small_create(&s);
    nc_error err;
    struct stat status;
    const char *path = scratch_path("never.usda");
    s.fail_frame = 3;
    assert_int_equal(nc_export_usd(&s.clip, NULL, path, NULL, &err), NC_IO);
    assert_string_equal(err.text, "the reader was told to fail");
    s.fail_frame = -1;
    s.frame_step = 0;
    assert_int_equal(nc_export_usd(&s.clip, NULL, path, NULL, &err), NC_BAD_ARGUMENT);
    s.frame_step = 1 / 24.0;
    s.bad_position = (double)INFINITY;
    assert_int_equal(nc_export_usd(&s.clip, NULL, path, NULL, &err), NC_BAD_ARGUMENT);
    s.bad_position = 0;
    s.bodies[2].mesh = 4;
    assert_int_equal(nc_export_usd(&s.clip, NULL, path, NULL, &err), NC_BAD_ARGUMENT);
    s.bodies[2].mesh = 1;
    assert_int_equal(nc_export_usd(&s.clip, NULL, scratch_path("no/folder.usda"), NULL, &err), NC_IO);
    assert_int_not_equal(stat(path, &status), 0);
    sample_free(&s);
}

static nc_code export_trial(const nc_allocator *allocator, void *ctx)
{
    sample *s = ctx;
    const nc_usd_options options = {.instancer_from = s->clip.frame_count == 2 ? 1 : 100};
    return nc_export_usd(&s->clip, &options, scratch_path("memory.usda"), allocator, NULL);
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    sample s;
    small_create(&s);
    assert_true(fail_at_every_call(export_trial, &s) > 20);
    s.clip.frame_count = 2;
    assert_true(fail_at_every_call(export_trial, &s) > 20);
    sample_free(&s);
}

static int write_sample(const char *path, bool instancer)
{
    sample s;
    const nc_usd_options options = {.instancer_from = instancer ? 1 : 0};
    sample_create(&s);
    s.clip.read_motion = sample_read_motion;
    nc_error err = {0};
    const nc_code code = nc_export_usd(&s.clip, &options, path, NULL, &err);
    if (code != NC_OK)
        fprintf(stderr, "%s\n", err.text);
    sample_free(&s);
    return code == NC_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strncmp(argv[1], "--write", 7) == 0)
        return write_sample(argv[2], strcmp(argv[1], "--write-points") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_clip_is_written_as_the_golden_file_has_it),
        cmocka_unit_test(large_clips_are_points_of_an_instancer),
        cmocka_unit_test(names_are_identifiers_and_none_is_twice),
        cmocka_unit_test(frames_that_are_not_evenly_spaced_keep_their_times),
        cmocka_unit_test(what_cannot_be_exported_is_refused_and_leaves_no_file),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
