// Patterns of cracks: their regions fill the unit box, once.
#include "check.h"
#include "fail_allocator.h"

#include "fracture/fracture.h"

static nc_pattern *make(const char *name, const nc_shape_parameter *parameters, int count, uint64_t seed)
{
    nc_error err = {0};
    nc_pattern *pattern = NULL;
    check_ok(nc_pattern_create(name, parameters, count, seed, NULL, &pattern, &err), err);
    return pattern;
}

static double total_volume(const nc_pattern *pattern)
{
    double sum = 0;
    for (int i = 0; i < pattern->regions.count; i++)
        sum += pattern->regions.data[i].volume;
    return sum;
}

static nc_vec3 random_place(nc_random *random)
{
    const double x = nc_random_range(random, -0.5, 0.5), y = nc_random_range(random, -0.5, 0.5);
    return nc_v3(x, y, nc_random_range(random, -0.5, 0.5));
}

// Random values within the tables' ranges, away from those that make thousands of pieces.
static int random_parameters(nc_random *random, const nc_pattern_info *info, nc_shape_parameter *out)
{
    for (int k = 0; k < info->parameter_count; k++) {
        const nc_shape_parameter_info *p = &info->parameters[k];
        const double high = p->whole ? fmin(p->high, 60) : p->high;
        const double low = strcmp(info->name, "bricks") == 0 && k < 3 ? 0.1 : p->low;
        double value = nc_random_range(random, low, high);
        if (p->whole)
            value = floor(value);
        out[k] = (nc_shape_parameter){p->name, value};
    }
    return info->parameter_count;
}

static void check_tiles(const nc_pattern *pattern, const char *name, nc_random *random, int places)
{
    if (!(fabs(total_volume(pattern) - 1) <= 1e-11))
        fail_msg("%s: volumes sum to %.17g", name, total_volume(pattern));
    for (int i = 0; i < places; i++) {
        const nc_vec3 p = random_place(random);
        int inside = 0, last = -1, near = 0;
        for (int r = 0; r < pattern->regions.count; r++) {
            const double value = nc_region_value(pattern, r, p);
            near += fabs(value) < 1e-12;
            if (value < 0) {
                inside++;
                last = r;
            }
        }
        if (near > 0)
            continue;
        if (inside != 1 || nc_pattern_region_of(pattern, p) != last)
            fail_msg("%s: (%.17g, %.17g, %.17g) is in %d regions", name, p.x, p.y, p.z, inside);
    }
}

static void regions_of_every_pattern_fill_the_unit_box_once(void **state)
{
    (void)state;
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    nc_random random = {check_seed("tiling", 71)};
    assert_int_equal(count, 6);
    for (int k = 0; k < count; k++) {
        nc_pattern *pattern = make(list[k].name, NULL, 0, nc_random_u64(&random));
        assert_true(pattern->regions.count >= 40);
        check_tiles(pattern, list[k].name, &random, 2000);
        nc_pattern_destroy(pattern);
    }
}

static void random_parameters_fill_the_unit_box_too(void **state)
{
    (void)state;
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    nc_random random = {check_seed("random parameters", 72)};
    for (int i = 0; i < check_effort(60); i++) {
        const nc_pattern_info *info = &list[i % count];
        nc_shape_parameter parameters[8];
        const int n = random_parameters(&random, info, parameters);
        nc_pattern *pattern = make(info->name, parameters, n, nc_random_u64(&random));
        check_tiles(pattern, info->name, &random, 200);
        nc_pattern_destroy(pattern);
    }
}

static void meshes_of_regions_are_closed_and_have_their_volume(void **state)
{
    (void)state;
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    const nc_mass_def def = {.matter = NC_MATTER_SOLID, .density = 1};
    for (int k = 0; k < count; k++) {
        nc_pattern *pattern = make(list[k].name, NULL, 0, 5);
        for (int r = 0; r < pattern->regions.count; r++) {
            const nc_region *region = &pattern->regions.data[r];
            nc_mesh *mesh = NULL;
            nc_mass mass;
            nc_error err = {0};
            check_ok(nc_region_mesh(pattern, r, &mesh, &err), err);
            assert_true(nc_mesh_view(mesh).closed);
            check_ok(nc_mesh_mass(mesh, &def, &mass, &err), err);
            check_near(mass.mass, region->volume, 1e-13);
            check_at_most(nc_norm(nc_sub(mass.center, region->center)), 1e-9);
            check_at_most(nc_region_value(pattern, r, region->center), -1e-9);
            nc_mesh_release(mesh);
        }
        nc_pattern_destroy(pattern);
    }
}

// Of Voronoi cells the nearest seed would be the oracle; here the value itself is: the distance to the mesh, negated.
static void value_inside_a_region_is_the_distance_from_its_surface(void **state)
{
    (void)state;
    nc_random random = {check_seed("distance", 73)};
    nc_pattern *pattern = make("graded", NULL, 0, 3);
    for (int i = 0; i < 200; i++) {
        const nc_vec3 p = random_place(&random);
        const int r = nc_pattern_region_of(pattern, p);
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        check_ok(nc_region_mesh(pattern, r, &mesh, &err), err);
        const nc_mesh_data data = nc_mesh_view(mesh);
        double least = INFINITY;
        for (int t = 0; t < data.triangle_count; t++) {
            const int *v = data.triangles[t];
            const nc_vec3 corners[3] = {data.vertices[v[0]], data.vertices[v[1]], data.vertices[v[2]]};
            least = fmin(least, nc_distance_point_triangle(p, corners).distance);
        }
        check_near(nc_region_value(pattern, r, p), -least, 1e-12);
        nc_mesh_release(mesh);
    }
    nc_pattern_destroy(pattern);
}

// `flat`: nearness is across the normal only.
static double mean_size(const nc_pattern *pattern, bool near, bool flat)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < pattern->regions.count; i++) {
        const nc_region *region = &pattern->regions.data[i];
        if ((nc_max3(nc_v3(region->center.x, region->center.y, flat ? 0 : region->center.z)) < 0.2) == near) {
            sum += region->volume;
            count++;
        }
    }
    return sum / count;
}

static void pieces_of_graded_patterns_are_small_near_the_centre(void **state)
{
    (void)state;
    const char *names[] = {"glass", "graded", "shards"};
    for (int k = 0; k < 3; k++) {
        nc_pattern *pattern = make(names[k], NULL, 0, 9);
        const double near = mean_size(pattern, true, k != 1), far = mean_size(pattern, false, k != 1);
        if (!(3 * near < far))
            fail_msg("%s: %g near, %g far", names[k], near, far);
        nc_pattern_destroy(pattern);
    }
    nc_pattern *even = make("voronoi", NULL, 0, 9);
    check_at_most(mean_size(even, false, false), 2 * mean_size(even, true, false));
    nc_pattern_destroy(even);
}

static void splinters_are_long(void **state)
{
    (void)state;
    nc_pattern *pattern = make("splinters", NULL, 0, 4);
    double length = 0, breadth = 0;
    for (int i = 0; i < pattern->regions.count; i++) {
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        check_ok(nc_region_mesh(pattern, i, &mesh, &err), err);
        const nc_box box = nc_mesh_view(mesh).box;
        length += box.hi.x - box.lo.x;
        breadth += box.hi.y - box.lo.y;
        nc_mesh_release(mesh);
    }
    assert_true(length > 2.5 * breadth);
    nc_pattern_destroy(pattern);
}

static uint64_t hash_of(const nc_pattern *pattern)
{
    uint64_t hash = NC_HASH_START;
    for (int i = 0; i < pattern->planes.count; i++) {
        const nc_plane *plane = &pattern->planes.data[i];
        hash = nc_hash_double(nc_hash_double(hash, plane->normal.x), plane->normal.y);
        hash = nc_hash_double(nc_hash_double(hash, plane->normal.z), plane->offset);
    }
    return hash;
}

static void same_seed_gives_the_same_bits_and_another_seed_does_not(void **state)
{
    (void)state;
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    for (int k = 0; k < count; k++) {
        uint64_t hash[3];
        for (int i = 0; i < 3; i++) {
            nc_pattern *pattern = make(list[k].name, NULL, 0, i == 2 ? 8 : 7);
            hash[i] = hash_of(pattern);
            nc_pattern_destroy(pattern);
        }
        assert_true(hash[0] == hash[1]);
        assert_true(hash[0] != hash[2]);
    }
}

static void wrong_names_and_values_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    assert_int_equal(nc_pattern_create("glas", NULL, 0, 0, NULL, &pattern, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'glass'"));
    const nc_shape_parameter misspelt = {"ray", 5}, few = {"rays", 2}, broken = {"rays", 4.5},
                             not_a_number = {"rays", NAN};
    assert_int_equal(nc_pattern_create("glass", &misspelt, 1, 0, NULL, &pattern, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'rays'"));
    assert_int_equal(nc_pattern_create("glass", &few, 1, 0, NULL, &pattern, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "between 3 and 128"));
    assert_int_equal(nc_pattern_create("glass", &broken, 1, 0, NULL, &pattern, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "whole number"));
    assert_int_equal(nc_pattern_create("glass", &not_a_number, 1, 0, NULL, &pattern, &err), NC_BAD_ARGUMENT);
    const nc_shape_parameter tiny[2] = {{"length", 0.01}, {"height", 0.01}};
    assert_int_equal(nc_pattern_create("bricks", tiny, 2, 0, NULL, &pattern, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "is the most"));
    assert_null(pattern);
}

// ---- patterns from meshes -----------------------------------------------------------------------------------

#define PIECES_MAX 128
static const nc_tiling_def fine = {1e-6, 16}, coarse = {1e-6, 2};

typedef struct pieces {
    nc_mesh *items[PIECES_MAX];
    int count;
} pieces;

static pieces pieces_of(const char *name, uint64_t seed)
{
    pieces p = {.count = 0};
    nc_pattern *pattern = make(name, NULL, 0, seed);
    nc_error err = {0};
    for (int i = 0; i < pattern->regions.count; i++)
        check_ok(nc_region_mesh(pattern, i, &p.items[p.count++], &err), err);
    nc_pattern_destroy(pattern);
    return p;
}

static void release(pieces *p)
{
    for (int i = 0; i < p->count; i++)
        nc_mesh_release(p->items[i]);
}

static void meshes_of_a_pattern_make_that_pattern_again(void **state)
{
    (void)state;
    nc_random random = {check_seed("again", 74)};
    nc_pattern *first = make("graded", NULL, 0, 6), *again = NULL;
    pieces p = pieces_of("graded", 6);
    nc_error err = {0};
    check_ok(nc_pattern_from_meshes(p.items, p.count, &fine, nc_v3(0, 0, 0), nc_v3(0, 0, 2), NULL, &again, &err), err);
    assert_int_equal(again->regions.count, first->regions.count);
    check_near(nc_norm(again->normal), 1, 1e-15);
    check_tiles(again, "again", &random, 500);
    for (int i = 0; i < 500; i++) {
        const nc_vec3 at = random_place(&random);
        const int r = nc_pattern_region_of(first, at);
        assert_null(again->regions.data[r].solid);
        if (nc_region_value(first, r, at) < -1e-9)
            assert_int_equal(nc_pattern_region_of(again, at), r);
    }
    nc_pattern_destroy(again);
    nc_pattern_destroy(first);
    release(&p);
}

// An L of 3/4 of a square prism, and the quarter that is missing, in a box of 2 x 2 x 4.
static pieces l_and_quarter(void)
{
    const nc_shape_parameter l[4] = {{"width", 2}, {"height", 2}, {"depth", 4}, {"wall", 1}};
    const nc_shape_parameter quarter[3] = {{"width", 1}, {"height", 1}, {"depth", 4}};
    pieces p = {.count = 2};
    nc_mesh *box = NULL;
    nc_error err = {0};
    check_ok(nc_shape_create("l_profile", l, 4, NULL, &p.items[0], &err), err);
    check_ok(nc_shape_create("box", quarter, 3, NULL, &box, &err), err);
    const nc_box at = nc_mesh_view(p.items[0]).box;
    check_ok(nc_mesh_recenter(box, nc_neg(nc_v3(at.hi.x - 0.5, at.hi.y - 0.5, 0)), &p.items[1], &err), err);
    nc_mesh_release(box);
    return p;
}

static void a_region_that_is_not_convex_is_a_solid(void **state)
{
    (void)state;
    pieces p = l_and_quarter();
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_from_meshes(p.items, 2, &fine, nc_v3(0, 0, 0), nc_v3(0, 0, 1), NULL, &pattern, &err), err);
    assert_non_null(pattern->regions.data[0].solid);
    assert_null(pattern->regions.data[1].solid);
    check_near(pattern->regions.data[0].volume, 0.75, 1e-12);
    check_near(total_volume(pattern), 1, 1e-12);
    assert_int_equal(nc_pattern_region_of(pattern, nc_v3(0.25, 0.25, 0.4)), 1);
    assert_int_equal(nc_pattern_region_of(pattern, nc_v3(-0.25, 0.25, 0.4)), 0);
    assert_int_equal(nc_pattern_region_of(pattern, nc_v3(0.25, -0.25, -0.4)), 0);
    check_near(nc_region_value(pattern, 0, nc_v3(-0.2, -0.25, 0)), -0.25, 1e-12);
    nc_polyhedron piece = nc_polyhedron_create(NULL);
    assert_int_equal(nc_region_polyhedron(pattern, 0, &piece, &err), NC_BAD_ARGUMENT);
    nc_polyhedron_free(&piece);
    nc_pattern_destroy(pattern);
    release(&p);
}

static void meshes_that_do_not_tile_a_box_are_refused(void **state)
{
    (void)state;
    pieces p = pieces_of("voronoi", 2);
    nc_pattern *pattern = NULL;
    nc_tiling tiling;
    nc_error err = {0};
    const nc_vec3 center = {0, 0, 0}, normal = {0, 0, 1};
    // one is missing
    check_ok(nc_tiling_check(p.items, p.count - 1, &fine, NULL, &tiling, &err), err);
    assert_false(tiling.tiles);
    assert_true(tiling.gaps > 0 && tiling.overlaps == 0 && tiling.volume < 1);
    assert_int_equal(nc_pattern_from_meshes(p.items, p.count - 1, &fine, center, normal, NULL, &pattern, &err),
                     NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "in none of them"));
    // one is there twice
    p.items[p.count++] = nc_mesh_retain(p.items[0]);
    check_ok(nc_tiling_check(p.items, p.count, &fine, NULL, &tiling, &err), err);
    assert_true(!tiling.tiles && tiling.overlaps > 0 && tiling.gaps == 0 && tiling.volume > 1);
    assert_int_equal(nc_pattern_from_meshes(p.items, p.count, &fine, center, normal, NULL, &pattern, &err),
                     NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "in several"));
    nc_mesh_release(p.items[--p.count]);
    // one is open
    nc_mesh *whole = p.items[0];
    check_ok(nc_shape_create("plane", NULL, 0, NULL, &p.items[0], &err), err);
    assert_int_equal(nc_tiling_check(p.items, p.count, &fine, NULL, &tiling, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "mesh 0 of the pattern is not closed"));
    nc_mesh_release(p.items[0]);
    p.items[0] = whole;
    assert_int_equal(nc_tiling_check(p.items, 0, &fine, NULL, &tiling, &err), NC_BAD_ARGUMENT);
    assert_null(pattern);
    release(&p);
}

static nc_code try_meshes(const nc_allocator *allocator, void *ctx)
{
    const pieces *p = ctx;
    nc_pattern *pattern = NULL;
    const nc_code code =
        nc_pattern_from_meshes(p->items, p->count, &coarse, nc_v3(0, 0, 0), nc_v3(0, 0, 1), allocator, &pattern, NULL);
    nc_pattern_destroy(pattern);
    return code;
}

static void every_refused_allocation_of_a_pattern_of_meshes_is_handled(void **state)
{
    (void)state;
    pieces p = l_and_quarter();
    fail_at_every_call(try_meshes, &p);
    release(&p);
}

static nc_code try_pattern(const nc_allocator *allocator, void *ctx)
{
    const nc_shape_parameter few = {"count", 5};
    nc_pattern *pattern = NULL;
    nc_mesh *mesh = NULL;
    const char *name = ctx;
    const int given = strcmp(name, "glass") != 0 && strcmp(name, "bricks") != 0;
    nc_code code = nc_pattern_create(name, &few, given, 1, allocator, &pattern, NULL);
    if (code == NC_OK)
        code = nc_region_mesh(pattern, 0, &mesh, NULL);
    nc_mesh_release(mesh);
    nc_pattern_destroy(pattern);
    return code;
}

static void every_refused_allocation_is_handled(void **state)
{
    (void)state;
    char names[6][12] = {"bricks", "glass", "graded", "shards", "splinters", "voronoi"};
    for (int k = 0; k < 6; k++)
        fail_at_every_call(try_pattern, names[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_of_every_pattern_fill_the_unit_box_once),
        cmocka_unit_test(random_parameters_fill_the_unit_box_too),
        cmocka_unit_test(meshes_of_regions_are_closed_and_have_their_volume),
        cmocka_unit_test(value_inside_a_region_is_the_distance_from_its_surface),
        cmocka_unit_test(pieces_of_graded_patterns_are_small_near_the_centre),
        cmocka_unit_test(splinters_are_long),
        cmocka_unit_test(same_seed_gives_the_same_bits_and_another_seed_does_not),
        cmocka_unit_test(wrong_names_and_values_are_refused_with_a_sentence),
        cmocka_unit_test(meshes_of_a_pattern_make_that_pattern_again),
        cmocka_unit_test(a_region_that_is_not_convex_is_a_solid),
        cmocka_unit_test(meshes_that_do_not_tile_a_box_are_refused),
        cmocka_unit_test(every_refused_allocation_of_a_pattern_of_meshes_is_handled),
        cmocka_unit_test(every_refused_allocation_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
