// Level sets of solids, and the surfaces made of them.
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

// Takes the mesh over.
static nc_solid *solid_of(nc_mesh *mesh)
{
    nc_error err = {0};
    nc_solid *solid = NULL;
    check_ok(nc_solid_create(mesh, NULL, &solid, &err), err);
    nc_mesh_release(mesh);
    return solid;
}

static nc_level_grid grid_of(const nc_solid *solid, int cells)
{
    nc_level_def def = nc_level_def_default();
    nc_level_grid grid;
    nc_error err = {0};
    def.cells = cells;
    check_ok(nc_level_grid_build(solid, &def, NULL, &grid, &err), err);
    return grid;
}

static nc_mesh *contour_of(const nc_level_set *set, bool sharp)
{
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    check_ok(nc_level_set_contour(set, sharp, NULL, &mesh, &err), err);
    return mesh;
}

static double volume(nc_mesh *mesh)
{
    const nc_mass_def def = {.matter = NC_MATTER_SOLID, .density = 1};
    nc_mass mass;
    nc_error err = {0};
    check_ok(nc_mesh_mass(mesh, &def, &mass, &err), err);
    return mass.mass;
}

static nc_vec3 place_of(const nc_level_set *set, int sample)
{
    const int i = sample % set->count[0], j = sample / set->count[0] % set->count[1];
    return nc_madd(set->origin, set->spacing, nc_v3(i, j, sample / set->count[0] / set->count[1]));
}

static int sample_count(const nc_level_set *set)
{
    return set->count[0] * set->count[1] * set->count[2];
}

static double brute_distance(const nc_mesh *mesh, nc_vec3 p)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    double least = INFINITY;
    for (int t = 0; t < data.triangle_count; t++) {
        const int *v = data.triangles[t];
        const nc_vec3 corners[3] = {data.vertices[v[0]], data.vertices[v[1]], data.vertices[v[2]]};
        least = fmin(least, nc_distance_point_triangle(p, corners).distance);
    }
    return least;
}

// Exactly, for a closed mesh: how many triangles a segment to a far place crosses. Another one when it grazes
// something.
static bool is_inside_exactly(const nc_mesh *mesh, nc_vec3 p, nc_random *random)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    for (;;) {
        const double x = nc_random_range(random, -9, 9), y = nc_random_range(random, -9, 9);
        const nc_vec3 q = nc_add(p, nc_v3(x, y, nc_random_range(random, 20, 30)));
        bool grazes = false, inside = false;
        for (int t = 0; t < data.triangle_count && !grazes; t++) {
            const int *v = data.triangles[t];
            const nc_vec3 a = data.vertices[v[0]], b = data.vertices[v[1]], c = data.vertices[v[2]];
            const int sp = nc_orient3d(a, b, c, p), sq = nc_orient3d(a, b, c, q);
            // p is not on the surface: in the plane of a triangle it is beside it
            if (sp * sq > 0 || sp == 0)
                continue;
            const int ab = nc_orient3d(p, q, a, b), bc = nc_orient3d(p, q, b, c), ca = nc_orient3d(p, q, c, a);
            grazes = sq == 0 || ab == 0 || bc == 0 || ca == 0;
            if (ab == bc && bc == ca)
                inside = !inside;
        }
        if (!grazes)
            return inside;
    }
}

static void samples_are_exact_distances_with_the_exact_sign(void **state)
{
    (void)state;
    nc_random random = {check_seed("samples", 81)};
    const char *names[] = {"cow", "torus", "box", "hook"};
    for (int k = 0; k < 4; k++) {
        nc_mesh *mesh = shape(names[k], NULL, 0);
        nc_solid *solid = solid_of(nc_mesh_retain(mesh));
        nc_level_grid grid = grid_of(solid, 20);
        assert_int_equal(nc_level_grid_bytes(&grid.set), 8 * sample_count(&grid.set));
        int insides = 0;
        for (int i = 0; i < check_effort(400); i++) {
            int s = (int)nc_random_range(&random, 0, sample_count(&grid.set));
            // half of them where it says inside
            while (i % 2 == 0 && grid.values[s] >= 0)
                s = (s + 1) % sample_count(&grid.set);
            const nc_vec3 p = place_of(&grid.set, s);
            const double distance = brute_distance(mesh, p);
            check_near(fabs(grid.values[s]), distance, 1e-14);
            if (distance < 1e-9)
                continue;
            const bool inside = is_inside_exactly(mesh, p, &random);
            insides += inside;
            if (inside != (grid.values[s] < 0))
                fail_msg("%s: (%g, %g, %g) has the wrong sign", names[k], p.x, p.y, p.z);
        }
        assert_true(insides > 10);
        nc_level_grid_free(&grid);
        nc_solid_destroy(solid);
        nc_mesh_release(mesh);
    }
}

static void winding_number_is_near_a_whole_one_for_closed_meshes(void **state)
{
    (void)state;
    nc_random random = {check_seed("winding", 82)};
    const nc_shape_parameter fine = {"segments", 96};
    nc_mesh *mesh = shape("torus", &fine, 1);
    nc_solid *solid = solid_of(nc_mesh_retain(mesh));
    for (int i = 0; i < check_effort(400); i++) {
        const double x = nc_random_range(&random, -1.5, 1.5), y = nc_random_range(&random, -0.3, 0.3);
        const nc_vec3 p = nc_v3(x, y, nc_random_range(&random, -1.5, 1.5));
        check_near(nc_solid_winding(solid, p), is_inside_exactly(mesh, p, &random) ? 1 : 0, 0.1);
    }
    nc_solid_destroy(solid);
    nc_mesh_release(mesh);
}

// A sphere of radius 1/2 with some triangles left out, or there twice.
static nc_mesh *damaged_sphere(bool doubled)
{
    nc_mesh *whole = shape("sphere", &(nc_shape_parameter){"splits", 8}, 1);
    const nc_mesh_data data = nc_mesh_view(whole);
    int(*triangles)[3] = malloc(2 * (size_t)data.triangle_count * sizeof *triangles);
    int count = 0;
    for (int t = 0; t < data.triangle_count; t++) {
        const bool chosen = t % 97 == 5;
        for (int copies = chosen ? (doubled ? 2 : 0) : 1; copies > 0; copies--)
            memcpy(triangles[count++], data.triangles[t], sizeof *triangles);
    }
    const nc_mesh_def def = {.vertices = data.vertices,
                             .vertex_count = data.vertex_count,
                             .triangles = (const int(*)[3])triangles,
                             .triangle_count = count};
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    free(triangles);
    nc_mesh_release(whole);
    assert_false(nc_mesh_view(mesh).closed);
    return mesh;
}

static void signs_survive_small_holes_and_doubled_faces(void **state)
{
    (void)state;
    for (int doubled = 0; doubled < 2; doubled++) {
        nc_mesh *mesh = damaged_sphere(doubled);
        const double radius = nc_mesh_view(mesh).radius;
        nc_solid *solid = solid_of(mesh);
        nc_level_grid grid = grid_of(solid, 24);
        for (int s = 0; s < sample_count(&grid.set); s++) {
            const double r = nc_norm(place_of(&grid.set, s));
            if (r < 0.9 * radius)
                assert_true(grid.values[s] < 0);
            if (r > 1.1 * radius)
                assert_true(grid.values[s] > 0);
        }
        nc_mesh *surface = contour_of(&grid.set, true);
        assert_true(nc_mesh_view(surface).closed);
        check_near(volume(surface), 4.0 / 3.0 * NC_PI * radius * radius * radius, 0.05 * radius * radius * radius);
        nc_mesh_release(surface);
        nc_level_grid_free(&grid);
        nc_solid_destroy(solid);
    }
}

static void function_between_samples_is_trilinear(void **state)
{
    (void)state;
    nc_random random = {check_seed("trilinear", 83)};
    double values[3 * 4 * 5];
    const nc_level_set set = {.origin = {1, 2, 3}, .spacing = 0.5, .count = {3, 4, 5}, .values = values};
    // 1 + 2x - 3y + z + 4xyz is trilinear everywhere
    for (int s = 0; s < 60; s++) {
        const nc_vec3 p = place_of(&set, s);
        values[s] = 1 + 2 * p.x - 3 * p.y + p.z + 4 * p.x * p.y * p.z;
    }
    for (int i = 0; i < 200; i++) {
        const double x = nc_random_range(&random, 1, 2), y = nc_random_range(&random, 2, 3.5);
        const double z = nc_random_range(&random, 3, 5);
        check_near(nc_level_set_value(&set, nc_v3(x, y, z)), 1 + 2 * x - 3 * y + z + 4 * x * y * z, 1e-12);
        const nc_vec3 g = nc_level_set_gradient(&set, nc_v3(x, y, z));
        check_near(g.x, 2 + 4 * y * z, 1e-11);
        check_near(g.y, -3 + 4 * x * z, 1e-11);
        check_near(g.z, 1 + 4 * x * y, 1e-11);
    }
    check_near(nc_level_set_value(&set, nc_v3(-7, 2, 3)), values[0], 1e-13);
}

static void volume_of_the_contour_converges_with_the_resolution(void **state)
{
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        nc_mesh *mesh = shape("torus", (const nc_shape_parameter[]){{"segments", 96}, {"sides", 48}}, 2);
        const double wanted = volume(mesh);
        nc_solid *solid = solid_of(mesh);
        double before = INFINITY;
        for (int cells = 16; cells <= 64; cells *= 2) {
            nc_level_grid grid = grid_of(solid, cells);
            nc_mesh *surface = contour_of(&grid.set, sharp);
            const double error = fabs(volume(surface) / wanted - 1);
            print_message("torus, %s, %d cells: volume off by %.2g\n", sharp ? "sharp" : "smooth", cells, error);
            check_at_most(error, before / 2.5);
            before = error;
            nc_mesh_release(surface);
            nc_level_grid_free(&grid);
        }
        check_at_most(before, 0.01);
        nc_solid_destroy(solid);
    }
}

// Every edge has two triangles in opposite directions, and the triangles of a vertex are one fan.
static void check_manifold(const nc_mesh *mesh)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_true(data.closed);
    int *triangles_of = calloc((size_t)data.vertex_count, sizeof *triangles_of);
    for (int t = 0; t < data.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            triangles_of[data.triangles[t][k]]++;
    for (int v = 0; v < data.vertex_count; v++) {
        // from one triangle of v to the next over the edge that leaves v, until it comes round
        int first = -1, around = 0, next = -1;
        for (int t = 0; t < data.triangle_count && first < 0; t++)
            for (int k = 0; k < 3; k++)
                if (data.triangles[t][k] == v) {
                    first = data.triangles[t][(k + 1) % 3];
                    break;
                }
        next = first;
        do {
            int after = -1;
            for (int t = 0; t < data.triangle_count && after < 0; t++)
                for (int k = 0; k < 3; k++)
                    if (data.triangles[t][k] == v && data.triangles[t][(k + 1) % 3] == next)
                        after = data.triangles[t][(k + 2) % 3];
            next = after;
            around++;
        } while (next != first && around <= triangles_of[v]);
        assert_int_equal(around, triangles_of[v]);
    }
    free(triangles_of);
}

// Noise has every configuration of a cell, next to every other one.
static void contour_of_noise_is_closed_and_manifold(void **state)
{
    (void)state;
    nc_random random = {check_seed("noise", 84)};
    double values[7 * 7 * 7];
    for (int i = 0; i < check_effort(60); i++) {
        const nc_level_set set = {.spacing = 0.25, .count = {7, 7, 7}, .values = values};
        const double shift = nc_random_range(&random, -0.8, 0.8);
        for (int s = 0; s < 343; s++)
            values[s] = nc_random_range(&random, -1, 1) + shift;
        nc_mesh *mesh = contour_of(&set, i % 2);
        check_manifold(mesh);
        nc_mesh_release(mesh);
    }
}

static void contour_keeps_edges_of_a_box_and_the_hole_of_a_torus(void **state)
{
    (void)state;
    nc_solid *box = solid_of(shape("box", NULL, 0));
    nc_level_def def = nc_level_def_default();
    def.spacing = 0.07;
    nc_level_grid grid;
    nc_error err = {0};
    check_ok(nc_level_grid_build(box, &def, NULL, &grid, &err), err);
    nc_mesh *sharp = contour_of(&grid.set, true), *smooth = contour_of(&grid.set, false);
    check_near(volume(sharp), 1, 5e-3);
    assert_true(fabs(volume(sharp) - 1) < 0.5 * fabs(volume(smooth) - 1));
    print_message("box of 1 at 0.07: volume %.6g sharp, %.6g smooth\n", volume(sharp), volume(smooth));
    assert_int_equal(nc_mesh_self_intersections(sharp, NULL), 0);
    nc_mesh_release(sharp);
    nc_mesh_release(smooth);
    nc_level_grid_free(&grid);
    nc_solid_destroy(box);

    nc_solid *torus = solid_of(shape("torus", NULL, 0));
    grid = grid_of(torus, 30);
    nc_mesh *ring = contour_of(&grid.set, true);
    const nc_mesh_data data = nc_mesh_view(ring);
    assert_int_equal(data.vertex_count - data.edge_count + data.triangle_count, 0); // Euler's number of a torus
    nc_mesh_release(ring);
    nc_level_grid_free(&grid);
    nc_solid_destroy(torus);
}

static void self_intersections_are_counted(void **state)
{
    (void)state;
    // two triangles through each other, and one apart
    const nc_vec3 v[9] = {{0, 0, 0},   {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -1}, {0.2, 0.2, 1},
                          {1, 1, 0.1}, {5, 5, 5}, {6, 5, 5}, {5, 6, 5}};
    const int t[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 9, .triangles = t, .triangle_count = 3};
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    int first[2];
    assert_int_equal(nc_mesh_self_intersections(mesh, first), 1);
    assert_true(first[0] >= 0 && first[0] < first[1] && first[1] < nc_mesh_view(mesh).triangle_count);
    nc_mesh_release(mesh);
    mesh = shape("cow", NULL, 0);
    const int64_t count = nc_mesh_self_intersections(mesh, NULL);
    assert_true(count >= 0);
    nc_mesh_release(mesh);
}

static void samples_do_not_depend_on_the_number_of_workers(void **state)
{
    (void)state;
    nc_solid *solid = solid_of(shape("cow", NULL, 0));
    nc_level_grid first = {0};
    for (int workers = 1; workers <= 4; workers++) {
        nc_level_def def = nc_level_def_default();
        nc_level_grid grid;
        nc_error err = {0};
        def.cells = 16;
        def.workers = workers;
        check_ok(nc_level_grid_build(solid, &def, NULL, &grid, &err), err);
        if (workers == 1) {
            first = grid;
            continue;
        }
        assert_memory_equal(grid.values, first.values, nc_level_grid_bytes(&grid.set));
        nc_level_grid_free(&grid);
    }
    nc_level_grid_free(&first);
    nc_solid_destroy(solid);
}

static void what_has_no_inside_is_refused(void **state)
{
    (void)state;
    nc_error err = {0};
    nc_solid *solid = NULL;
    nc_mesh *plane = shape("plane", NULL, 0), *box = shape("box", NULL, 0), *inverted = NULL;
    assert_int_equal(nc_solid_create(plane, NULL, &solid, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "inside out"));
    const nc_mesh_data data = nc_mesh_view(box);
    int turned[64][3];
    for (int t = 0; t < data.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            turned[t][k] = data.triangles[t][2 - k];
    const nc_mesh_def def = {.vertices = data.vertices,
                             .vertex_count = data.vertex_count,
                             .triangles = (const int(*)[3])turned,
                             .triangle_count = data.triangle_count};
    check_ok(nc_mesh_create(&def, NULL, &inverted, &err), err);
    assert_int_equal(nc_solid_create(inverted, NULL, &solid, &err), NC_BAD_ARGUMENT);
    assert_null(solid);
    nc_mesh_release(plane);
    nc_mesh_release(inverted);

    solid = solid_of(box);
    nc_level_grid grid;
    nc_level_def level = nc_level_def_default();
    level.margin = 0;
    assert_int_equal(nc_level_grid_build(solid, &level, NULL, &grid, &err), NC_BAD_ARGUMENT);
    level = nc_level_def_default();
    level.spacing = 1e-4;
    assert_int_equal(nc_level_grid_build(solid, &level, NULL, &grid, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "samples"));
    level.spacing = NAN;
    assert_int_equal(nc_level_grid_build(solid, &level, NULL, &grid, &err), NC_BAD_ARGUMENT);
    nc_solid_destroy(solid);

    const double outside[27] = {[13] = 1};
    const nc_level_set set = {.spacing = 1, .count = {3, 3, 3}, .values = outside};
    nc_mesh *mesh = NULL;
    assert_int_equal(nc_level_set_contour(&set, true, NULL, &mesh, &err), NC_BAD_ARGUMENT);
    assert_null(mesh);
}

static nc_code try_level_set(const nc_allocator *allocator, void *ctx)
{
    nc_level_def def = nc_level_def_default();
    nc_solid *solid = NULL;
    nc_level_grid grid = {.allocator = *allocator};
    nc_mesh *surface = NULL;
    def.cells = 4;
    nc_code code = nc_solid_create(ctx, allocator, &solid, NULL);
    if (code == NC_OK)
        code = nc_level_grid_build(solid, &def, allocator, &grid, NULL);
    if (code == NC_OK)
        code = nc_level_set_contour(&grid.set, true, allocator, &surface, NULL);
    nc_mesh_release(surface);
    nc_level_grid_free(&grid);
    nc_solid_destroy(solid);
    return code;
}

// Noise that has midpoints, too.
static nc_code try_noise(const nc_allocator *allocator, void *ctx)
{
    const nc_level_set set = {.spacing = 1, .count = {6, 6, 6}, .values = ctx};
    nc_mesh *surface = NULL;
    const nc_code code = nc_level_set_contour(&set, false, allocator, &surface, NULL);
    nc_mesh_release(surface);
    return code;
}

static void every_refused_allocation_is_handled(void **state)
{
    (void)state;
    nc_mesh *mesh = shape("box", NULL, 0);
    fail_at_every_call(try_level_set, mesh);
    nc_mesh_release(mesh);
    nc_random random = {5};
    double noise[216];
    for (int s = 0; s < 216; s++)
        noise[s] = nc_random_range(&random, -1, 1);
    fail_at_every_call(try_noise, noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_exact_distances_with_the_exact_sign),
        cmocka_unit_test(winding_number_is_near_a_whole_one_for_closed_meshes),
        cmocka_unit_test(signs_survive_small_holes_and_doubled_faces),
        cmocka_unit_test(function_between_samples_is_trilinear),
        cmocka_unit_test(volume_of_the_contour_converges_with_the_resolution),
        cmocka_unit_test(contour_of_noise_is_closed_and_manifold),
        cmocka_unit_test(contour_keeps_edges_of_a_box_and_the_hole_of_a_torus),
        cmocka_unit_test(self_intersections_are_counted),
        cmocka_unit_test(samples_do_not_depend_on_the_number_of_workers),
        cmocka_unit_test(what_has_no_inside_is_refused),
        cmocka_unit_test(every_refused_allocation_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
