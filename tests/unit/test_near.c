// The table of near pairs: what it knows from before spares searches and changes nothing.
#include "check.h"

#include "step/near.h"

static bool all_wanted(int i, int j, const void *ctx)
{
    (void)i, (void)j, (void)ctx;
    return true;
}

static void make_all(nc_near_table *table, const nc_mesh *const *mesh, const nc_pose *pose, int count)
{
    const nc_near_bodies bodies = {.count = count, .pose = pose, .mesh = mesh, .wanted = all_wanted};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_error err;
    check_ok(nc_near_table_make(table, &bodies, 0.02, 1, &memory, &err), err);
}

static void make(nc_near_table *table, const nc_mesh *const mesh[2], const nc_pose pose[2])
{
    make_all(table, mesh, pose, 2);
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

// ---- a heap that creeps -------------------------------------------------------------------------------------

#define HEAP 20

static nc_mesh *make_shape(const char *name)
{
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_shape_create(name, NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static nc_vec3 any_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static void creep(nc_pose *pose, nc_random *random, double size)
{
    pose->x = nc_add(pose->x, any_vector(random, size));
    pose->q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(any_vector(random, size)), pose->q));
}

static bool same_vector(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void compare_features(const nc_proximity *p, const nc_proximity *q)
{
    assert_int_equal(p->feature.kind, q->feature.kind);
    assert_int_equal(p->feature.a, q->feature.a);
    assert_int_equal(p->feature.b, q->feature.b);
    assert_true(p->distance == q->distance && p->lower_bound == q->lower_bound);
    assert_true(same_vector(p->on_a, q->on_a) && same_vector(p->on_b, q->on_b) && same_vector(p->normal, q->normal));
}

static int compare_tables(const nc_near_table *kept, const nc_near_table *fresh)
{
    int features = 0;
    assert_int_equal(kept->rows.count, fresh->rows.count);
    for (int k = 0; k < kept->rows.count; k++) {
        const nc_near_row *p = &kept->rows.data[k], *q = &fresh->rows.data[k];
        assert_int_equal(p->i, q->i);
        assert_int_equal(p->j, q->j);
        assert_int_equal(p->count, q->count);
        assert_true(p->clearance == q->clearance);
        for (int f = 0; f < p->count; f++)
            compare_features(&nc_near_features(kept, p)[f], &nc_near_features(fresh, q)[f]);
        features += p->count;
    }
    return features;
}

// Now by next to nothing, now by as much as a note allows, now by more.
static void notes_about_a_heap_that_creeps_change_no_bit(void **state)
{
    (void)state;
    nc_random random = {check_seed("heap", 2611)};
    nc_mesh *shape[4] = {make_shape("boat"), make_shape("bowl"), make_shape("torus"), make_shape("plate")};
    const nc_mesh *mesh[HEAP];
    nc_pose pose[HEAP];
    const nc_allocator memory = nc_allocator_or_default(NULL);
    for (int i = 0; i < HEAP; i++) {
        mesh[i] = shape[i % 4];
        pose[i] = (nc_pose){any_vector(&random, 1.2), nc_quat_identity()};
        creep(&pose[i], &random, 3);
        pose[i].x = any_vector(&random, 0.9);
    }
    nc_near_table kept = {.made = false};
    int features = 0, notes = 0;
    for (int step = 0; step < check_effort(30); step++) {
        static const double sizes[] = {1e-7, 1e-5, 1e-4, 5e-4, 2e-3};
        const double size = step % 17 == 16 ? 2e-2 : sizes[(step / 6) % 5];
        for (int i = 0; i < HEAP; i++)
            creep(&pose[i], &random, size);
        nc_near_table fresh = {.made = false};
        make_all(&kept, mesh, pose, HEAP);
        make_all(&fresh, mesh, pose, HEAP);
        features += compare_tables(&kept, &fresh);
        for (int k = 0; k < kept.notes.heads.count; k++)
            notes += kept.notes.heads.data[k].count > 0;
        nc_near_table_free(&fresh, &memory);
    }
    assert_true(features > 500 && notes > 500);
    nc_near_table_free(&kept, &memory);
    for (int k = 0; k < 4; k++)
        nc_mesh_release(shape[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rod_that_turns_in_place_is_found_again),
                                       cmocka_unit_test(notes_about_a_heap_that_creeps_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
