// Shells cut along the cracks of a pattern: nothing lost, nothing twice.
#include "check.h"
#include "fail_allocator.h"

#include "fracture/fracture.h"

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_pattern *pattern_of(const char *name, uint64_t seed)
{
    nc_error err = {0};
    nc_pattern *pattern = NULL;
    check_ok(nc_pattern_create(name, NULL, 0, seed, NULL, &pattern, &err), err);
    return pattern;
}

static double area(const nc_mesh *mesh)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    double sum = 0;
    for (int t = 0; t < data.triangle_count; t++) {
        const nc_vec3 a = data.vertices[data.triangles[t][0]], b = data.vertices[data.triangles[t][1]];
        sum += 0.5 * nc_norm(nc_cross(nc_sub(b, a), nc_sub(data.vertices[data.triangles[t][2]], a)));
    }
    return sum;
}

typedef struct cut {
    nc_mesh *pieces[256];
    int count;   // of regions
    int present; // pieces that are there
    double area;
} cut;

static cut cut_by(const nc_mesh *mesh, const nc_pattern *pattern, nc_pose pose, double scale)
{
    cut c = {.count = pattern->regions.count};
    const nc_pattern_place place = {pose, scale};
    nc_error err = {0};
    assert_true(c.count <= 256);
    check_ok(nc_shell_cut(mesh, pattern, &place, NULL, c.pieces, &err), err);
    for (int r = 0; r < c.count; r++)
        if (c.pieces[r] != NULL) {
            c.present++;
            c.area += area(c.pieces[r]);
        }
    return c;
}

static void release(cut *c)
{
    for (int r = 0; r < c->count; r++)
        nc_mesh_release(c->pieces[r]);
}

static nc_pose random_pose(nc_random *random, double spread)
{
    double v[7];
    for (int k = 0; k < 7; k++)
        v[k] = nc_random_range(random, -1, 1);
    const nc_pose pose = {nc_scale(spread, nc_v3(v[0], v[1], v[2])), nc_quat_normalize(nc_q4(v[3], v[4], v[5], v[6]))};
    return pose;
}

static void areas_of_the_pieces_sum_to_that_of_the_shell(void **state)
{
    (void)state;
    nc_random random = {check_seed("areas", 91)};
    const char *shells[] = {"bowl", "plane", "boat", "tube", "sphere"};
    int count = 0, present = 0;
    const int tries = check_effort(60);
    const nc_pattern_info *patterns = nc_pattern_list(&count);
    for (int i = 0; i < tries; i++) {
        nc_mesh *mesh = shape(shells[i % 5], NULL, 0);
        nc_pattern *pattern = pattern_of(patterns[i % count].name, nc_random_u64(&random));
        cut c = cut_by(mesh, pattern, random_pose(&random, 0.4), nc_random_range(&random, 4, 6));
        if (!(fabs(c.area / area(mesh) - 1) <= 1e-12))
            fail_msg("%s by %s: area off by %g", shells[i % 5], patterns[i % count].name, c.area / area(mesh) - 1);
        present += c.present;
        release(&c);
        nc_pattern_destroy(pattern);
        nc_mesh_release(mesh);
    }
    assert_true(present > 4 * tries);
}

// A pane in the plane between two courses of bricks.
static void what_lies_in_a_crack_goes_to_one_side(void **state)
{
    (void)state;
    nc_mesh *pane = shape("plane", NULL, 0); // at y = 0
    const nc_shape_parameter half[2] = {{"height", 0.5}, {"jitter", 0}};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("bricks", half, 2, 0, NULL, &pattern, &err), err);
    const nc_pose at_rest = {{0, 0, 0}, nc_quat_identity()};
    cut c = cut_by(pane, pattern, at_rest, 1);
    check_near(c.area, 1, 1e-14);
    // the bricks of one course
    assert_true(c.present >= 4 && c.present <= 5);
    release(&c);
    nc_pattern_destroy(pattern);
    nc_mesh_release(pane);
}

// Welded: no vertex of a piece is there twice, and an edge that the mesh's triangles share is shared in the piece.
static void vertices_of_a_piece_are_welded(void **state)
{
    (void)state;
    nc_mesh *mesh = shape("plane", &(nc_shape_parameter){"splits", 8}, 1);
    nc_pattern *pattern = pattern_of("glass", 4);
    const nc_pose pose = {{0.1, 0, -0.05}, nc_quat_from_rotation_vector(nc_v3(0.5 * NC_PI, 0, 0))};
    cut c = cut_by(mesh, pattern, pose, 3);
    for (int r = 0; r < c.count; r++) {
        if (c.pieces[r] == NULL)
            continue;
        const nc_mesh_data data = nc_mesh_view(c.pieces[r]);
        for (int i = 0; i < data.vertex_count; i++)
            for (int j = 0; j < i; j++)
                assert_true(nc_norm(nc_sub(data.vertices[i], data.vertices[j])) > 1e-12);
        // a convex part of a plane is a disc
        assert_int_equal(data.vertex_count - data.edge_count + data.triangle_count, 1);
    }
    release(&c);
    nc_pattern_destroy(pattern);
    nc_mesh_release(mesh);
}

static void each_piece_is_in_its_region(void **state)
{
    (void)state;
    nc_mesh *mesh = shape("bowl", NULL, 0);
    nc_pattern *pattern = pattern_of("graded", 8);
    const nc_pose pose = {{0.2, -0.4, 0.1}, nc_quat_from_rotation_vector(nc_v3(0.3, 1, 0.2))};
    cut c = cut_by(mesh, pattern, pose, 4);
    for (int r = 0; r < c.count; r++) {
        if (c.pieces[r] == NULL)
            continue;
        const nc_mesh_data data = nc_mesh_view(c.pieces[r]);
        for (int i = 0; i < data.vertex_count; i++) {
            const nc_vec3 y = nc_scale(0.25, nc_mat3_tmul(nc_quat_matrix(pose.q), nc_sub(data.vertices[i], pose.x)));
            check_at_most(nc_region_value(pattern, r, y), 1e-12);
        }
    }
    release(&c);
    nc_pattern_destroy(pattern);
    nc_mesh_release(mesh);
}

static void meshes_and_patterns_that_cannot_be_cut_are_refused(void **state)
{
    (void)state;
    const nc_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int edge[1][2] = {{0, 1}};
    const nc_mesh_def wire = {.vertices = v, .vertex_count = 3, .edges = edge, .edge_count = 1};
    nc_mesh *mesh = NULL, *pieces[256];
    nc_error err = {0};
    nc_pattern *pattern = pattern_of("glass", 1);
    nc_pattern_place place = {{{0, 0, 0}, nc_quat_identity()}, 4};
    check_ok(nc_mesh_create(&wire, NULL, &mesh, &err), err);
    assert_int_equal(nc_shell_cut(mesh, pattern, &place, NULL, pieces, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "free edges"));
    nc_mesh_release(mesh);
    mesh = shape("plane", NULL, 0);
    place.scale = 0;
    assert_int_equal(nc_shell_cut(mesh, pattern, &place, NULL, pieces, &err), NC_BAD_ARGUMENT);
    place.scale = NAN;
    assert_int_equal(nc_shell_cut(mesh, pattern, &place, NULL, pieces, &err), NC_BAD_ARGUMENT);
    place.scale = 0.9;
    assert_int_equal(nc_shell_cut(mesh, pattern, &place, NULL, pieces, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "outside of the pattern's box"));
    assert_null(pieces[0]);
    nc_mesh_release(mesh);
    nc_pattern_destroy(pattern);
}

typedef struct trial {
    const nc_mesh *mesh;
    const nc_pattern *pattern;
} trial;

static nc_code try_cut(const nc_allocator *allocator, void *ctx)
{
    const trial *t = ctx;
    nc_mesh *pieces[256] = {NULL};
    const nc_pattern_place place = {{{0, 0, 0}, nc_quat_identity()}, 1.5};
    const nc_code code = nc_shell_cut(t->mesh, t->pattern, &place, allocator, pieces, NULL);
    for (int r = 0; r < t->pattern->regions.count; r++)
        nc_mesh_release(pieces[r]);
    return code;
}

static void every_refused_allocation_is_handled(void **state)
{
    (void)state;
    const nc_shape_parameter few = {"count", 4};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("voronoi", &few, 1, 2, NULL, &pattern, &err), err);
    nc_mesh *mesh = shape("plane", NULL, 0);
    trial t = {mesh, pattern};
    fail_at_every_call(try_cut, &t);
    nc_mesh_release(mesh);
    nc_pattern_destroy(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_of_the_pieces_sum_to_that_of_the_shell),
        cmocka_unit_test(what_lies_in_a_crack_goes_to_one_side),
        cmocka_unit_test(vertices_of_a_piece_are_welded),
        cmocka_unit_test(each_piece_is_in_its_region),
        cmocka_unit_test(meshes_and_patterns_that_cannot_be_cut_are_refused),
        cmocka_unit_test(every_refused_allocation_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
