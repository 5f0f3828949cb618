// Clips for ParaView: .pvd and .vtp files. tests/peers reads them with VTK itself.
#include "check.h"
#include "clip_sample.h"
#include "fail_allocator.h"
#include "scratch.h"

#include <sys/stat.h>

static void clip_create(sample *s)
{
    sample_create(s);
    s->clip.frame_count = 12;
    s->clip.read_motion = sample_read_motion;
    s->clip.read_contacts = sample_read_contacts;
}

// Where the raw numbers begin; the array announced with this name begins `offset` bytes later.
static const char *find_array(const nc_file_text *text, const char *name, uint64_t *out_size)
{
    char key[80];
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *at = strstr(text->data, key);
    assert_non_null(at);
    at = strstr(at, "offset=\"");
    assert_non_null(at);
    const size_t offset = strtoul(at + 8, NULL, 10);
    const char *data = strstr(at, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(data);
    data += strlen("<AppendedData encoding=\"raw\">\n_") + offset;
    memcpy(out_size, data, sizeof *out_size);
    assert_true(data + 8 + *out_size <= text->data + text->size);
    return data + 8;
}

static void points_are_the_world_vertices_to_the_bit(void **state)
{
    (void)state;
    sample s;
    clip_create(&s);
    nc_error err = {0};
    check_ok(nc_export_vtk(&s.clip, scratch_path("film.pvd"), NULL, &err), err);
    nc_file_text text = read_back(scratch_path("film/film_0011.vtp"));
    uint64_t size, body_size, velocity_size;
    const char *points = find_array(&text, "points", &size), *ids = find_array(&text, "body", &body_size);
    const char *velocities = find_array(&text, "velocity", &velocity_size);
    assert_int_equal(size, velocity_size);
    nc_pose poses[SAMPLE_BODIES];
    uint8_t present[SAMPLE_BODIES];
    double time = 0;
    sample_read(&s, 11, &time, poses, present, &err);
    size_t at = 0;
    for (int i = 0; i < SAMPLE_BODIES; i++) {
        if (!present[i])
            continue;
        const nc_mesh_data data = nc_mesh_view(s.meshes[s.bodies[i].mesh]);
        for (int k = 0; k < data.vertex_count; k++, at += sizeof(nc_vec3)) {
            const nc_vec3 wanted = nc_pose_apply(poses[i], data.vertices[k]), arm = nc_sub(wanted, poses[i].x);
            nc_vec3 got, v;
            memcpy(&got, points + at, sizeof got);
            memcpy(&v, velocities + at, sizeof v);
            assert_true(wanted.x == got.x && wanted.y == got.y && wanted.z == got.z);
            check_near(v.x, i + i * arm.z, 1e-9);
            check_near(v.z, -i * arm.x, 1e-9);
        }
    }
    assert_int_equal(at, size);
    // the first cell is the lone point of the wire, the next ones are its edges
    int32_t id;
    for (int k = 0; k < 5; k++) {
        memcpy(&id, ids + 4 * k, sizeof id);
        assert_int_equal(id, SAMPLE_BODIES - 1);
    }
    memcpy(&id, ids + 20, sizeof id);
    assert_int_equal(id, 0);
    nc_file_free(&text);
    sample_free(&s);
}

static void contacts_have_a_file_of_their_own_and_are_counted_at_the_bodies(void **state)
{
    (void)state;
    sample s;
    clip_create(&s);
    s.clip.frame_count = 2;
    nc_error err = {0};
    check_ok(nc_export_vtk(&s.clip, scratch_path("near.pvd"), NULL, &err), err);
    nc_file_text text = read_back(scratch_path("near/near_contacts_0001.vtp"));
    uint64_t size;
    int32_t body_b[2], count;
    double distances[2];
    memcpy(body_b, find_array(&text, "body_b", &size), sizeof body_b);
    assert_int_equal(size, sizeof body_b);
    memcpy(distances, find_array(&text, "distance", &size), sizeof distances);
    assert_true(body_b[0] == 2 && body_b[1] == 1 && distances[0] == 0.001 && distances[1] == 0.25);
    nc_file_free(&text);
    text = read_back(scratch_path("near/near_0001.vtp"));
    const char *counts = find_array(&text, "contacts", &size);
    memcpy(&count, counts + size - 4, sizeof count); // the last cell is of the last boat
    assert_int_equal(count, 0);
    memcpy(&count, counts + 20, sizeof count); // the first one of the bowl
    assert_int_equal(count, 1);
    nc_file_free(&text);
    text = read_back(scratch_path("near.pvd"));
    assert_int_equal(count_words(text.data, text.size, "<DataSet"), 4);
    assert_int_equal(count_words(text.data, text.size, "file=\"near/near_contacts_0000.vtp\""), 1);
    nc_file_free(&text);
    sample_free(&s);
}

static void what_cannot_be_exported_is_refused(void **state)
{
    (void)state;
    sample s;
    clip_create(&s);
    s.clip.frame_count = 2;
    nc_error err;
    struct stat status;
    assert_int_equal(nc_export_vtk(&s.clip, scratch_path("film.vtp"), NULL, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_export_vtk(&s.clip, scratch_path("no/film.pvd"), NULL, &err), NC_IO);
    FILE *file = fopen(scratch_path("taken"), "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(nc_export_vtk(&s.clip, scratch_path("taken.pvd"), NULL, &err), NC_IO);
    s.fail_frame = 1;
    assert_int_equal(nc_export_vtk(&s.clip, scratch_path("half.pvd"), NULL, &err), NC_IO);
    assert_int_not_equal(stat(scratch_path("half.pvd"), &status), 0);
    s.fail_frame = -1;
    s.clip.read_contacts = NULL;
    s.clip.read_motion = NULL;
    check_ok(nc_export_vtk(&s.clip, scratch_path("plain.pvd"), NULL, &err), err);
    assert_int_not_equal(stat(scratch_path("plain/plain_contacts_0000.vtp"), &status), 0);
    sample_free(&s);
}

static nc_code export_trial(const nc_allocator *allocator, void *ctx)
{
    sample *s = ctx;
    return nc_export_vtk(&s->clip, scratch_path("memory.pvd"), allocator, NULL);
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    sample s;
    clip_create(&s);
    s.clip.frame_count = 2;
    assert_true(fail_at_every_call(export_trial, &s) > 12);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_the_world_vertices_to_the_bit),
        cmocka_unit_test(contacts_have_a_file_of_their_own_and_are_counted_at_the_bodies),
        cmocka_unit_test(what_cannot_be_exported_is_refused),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
