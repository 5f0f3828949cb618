// Mass properties against closed forms, and under what must not change them: moving, turning, cutting, scaling.
#include "check.h"

#include "geom/geom.h"

static nc_mesh *make(const nc_mesh_def *def)
{
    nc_error err;
    nc_mesh *mesh;
    check_ok(nc_mesh_create(def, NULL, &mesh, &err), err);
    return mesh;
}

// A box of the given sides about `center`, turned by q.
static nc_mesh *make_box(nc_vec3 sides, nc_vec3 center, nc_quat q)
{
    static const int t[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    nc_vec3 v[8];
    const nc_pose pose = {center, q};
    for (int i = 0; i < 8; i++)
        v[i] = nc_pose_apply(
            pose, nc_v3(sides.x * ((i & 1) - 0.5), sides.y * ((i >> 1 & 1) - 0.5), sides.z * ((i >> 2 & 1) - 0.5)));
    const nc_mesh_def def = {.vertices = v, .vertex_count = 8, .triangles = t, .triangle_count = 12};
    return make(&def);
}

static nc_mass mass_of(const nc_mesh *mesh, const nc_mass_def *def)
{
    nc_error err;
    nc_mass mass;
    check_ok(nc_mesh_mass(mesh, def, &mass, &err), err);
    return mass;
}

// m = R diag(principal) R^T must be the inertia, to rounding.
static void check_principal_frame(const nc_mass *mass)
{
    const nc_mat3 r = nc_quat_matrix(mass->principal_q);
    const double p[3] = {mass->principal.x, mass->principal.y, mass->principal.z};
    assert_true(p[0] > 0 && p[0] <= p[1] && p[1] <= p[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *ri = &r.row[i].x, *rj = &r.row[j].x;
            const double back = ri[0] * p[0] * rj[0] + ri[1] * p[1] * rj[1] + ri[2] * p[2] * rj[2];
            check_near((&mass->inertia.row[i].x)[j], back, 1e-13 * p[2]);
        }
}

static void check_diagonal(nc_mat3 m, double x, double y, double z, double tolerance)
{
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_near((&m.row[i].x)[j], i == j ? wanted[i] : 0, tolerance);
}

static void solid_box_has_the_textbook_inertia(void **state)
{
    (void)state;
    nc_mesh *box = make_box(nc_v3(1, 2, 3), nc_v3(5, -7, 9), nc_quat_identity());
    assert_true(nc_mesh_view(box).closed);
    const nc_mass m = mass_of(box, &(nc_mass_def){.density = 10});
    assert_int_equal(m.matter, NC_MATTER_SOLID);
    check_near(m.mass, 60, 1e-12);
    check_near(m.center.x, 5, 1e-14);
    check_near(m.center.y, -7, 1e-14);
    check_near(m.center.z, 9, 1e-14);
    check_diagonal(m.inertia, 60.0 / 12 * (4 + 9), 60.0 / 12 * (1 + 9), 60.0 / 12 * (1 + 4), 1e-12);
    check_near(m.principal.x, 25, 1e-12);
    check_near(m.principal.z, 65, 1e-12);
    check_principal_frame(&m);
    nc_mesh_release(box);
}

static void hollow_box_has_the_inertia_of_its_six_plates(void **state)
{
    (void)state;
    nc_mesh *box = make_box(nc_v3(2, 2, 2), nc_v3(0, 0, 0), nc_quat_identity());
    const nc_mass m = mass_of(box, &(nc_mass_def){.matter = NC_MATTER_SHELL, .density = 100, .thickness = 0.01});
    check_near(m.mass, 24, 1e-12);
    // Two plates across the axis (m s^2/6 each), four along it (m s^2/12 + m each), 4 kg a plate.
    const double i = 2 * 4 * 4.0 / 6 + 4 * (4 * 4.0 / 12 + 4);
    check_diagonal(m.inertia, i, i, i, 1e-12);
    nc_mesh_release(box);
}

static void open_plate_is_a_shell_by_itself(void **state)
{
    (void)state;
    const nc_vec3 v[4] = {{0, 0, 0}, {2, 0, 0}, {2, 0, 4}, {0, 0, 4}};
    const int t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 4, .triangles = t, .triangle_count = 2};
    nc_mesh *plate = make(&def);
    const nc_mass m = mass_of(plate, &(nc_mass_def){.area_density = 3, .density = 1e9, .thickness = 1});
    assert_int_equal(m.matter, NC_MATTER_SHELL);
    check_near(m.mass, 24, 1e-13);
    check_near(m.center.x, 1, 1e-15);
    check_near(m.center.z, 2, 1e-15);
    check_diagonal(m.inertia, 24 * 16.0 / 12, 24 * 20.0 / 12, 24 * 4.0 / 12, 1e-13);
    nc_mesh_release(plate);
}

static void wires_are_rods_and_dust_is_balls(void **state)
{
    (void)state;
    const nc_vec3 v[2] = {{1, 1, 1}, {1, 1, 4}};
    const int e[1][2] = {{0, 1}};
    const int p[2] = {0, 1};
    nc_mesh_def def = {.vertices = v, .vertex_count = 2, .edges = e, .edge_count = 1};
    nc_mesh *rod = make(&def);
    nc_mass m = mass_of(rod, &(nc_mass_def){.density = 8, .thickness = 0.1});
    const double rod_mass = 8 * NC_PI / 4 * 0.01 * 3;
    assert_int_equal(m.matter, NC_MATTER_WIRE);
    check_near(m.mass, rod_mass, 1e-15);
    // A solid cylinder of radius 0.05 and length 3.
    check_diagonal(m.inertia, rod_mass * (3 * 0.0025 + 9) / 12, rod_mass * (3 * 0.0025 + 9) / 12, rod_mass * 0.0025 / 2,
                   1e-15);
    nc_mesh_release(rod);
    def.edge_count = 0;
    def.points = p;
    def.point_count = 2;
    nc_mesh *dust = make(&def);
    m = mass_of(dust, &(nc_mass_def){.mass = 6, .thickness = 0.2});
    assert_int_equal(m.matter, NC_MATTER_DUST);
    // Two balls of radius 0.1, 3 kg each, 1.5 from the middle.
    check_diagonal(m.inertia, 2 * 3 * (0.4 * 0.01 + 2.25), 2 * 3 * (0.4 * 0.01 + 2.25), 2 * 3 * 0.4 * 0.01, 1e-14);
    check_principal_frame(&m);
    m = mass_of(dust, &(nc_mass_def){.density = 2, .thickness = 0.2});
    check_near(m.mass, 2 * 2 * NC_PI / 6 * 0.008, 1e-16);
    nc_mesh_release(dust);
}

// Relative to what the body itself has: its mass, and m size^2.
static void check_same(const nc_mass *a, const nc_mass *b, nc_vec3 shift, double size, double tolerance)
{
    check_near(b->mass, a->mass, tolerance * a->mass);
    check_at_most(nc_norm(nc_sub(b->center, nc_add(a->center, shift))), tolerance * size);
    check_near(b->principal.x, a->principal.x, tolerance * a->mass * size * size);
    check_near(b->principal.y, a->principal.y, tolerance * a->mass * size * size);
    check_near(b->principal.z, a->principal.z, tolerance * a->mass * size * size);
}

static void moving_turning_and_scaling_change_what_they_should(void **state)
{
    (void)state;
    nc_random random = {check_seed("mass", 31)};
    for (int n = 0; n < check_effort(2000); n++) {
        const nc_vec3 sides =
            nc_v3(nc_random_range(&random, 0.1, 2), nc_random_range(&random, 0.1, 2), nc_random_range(&random, 0.1, 2));
        const nc_quat q = nc_q4(nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1),
                                nc_random_range(&random, -1, 1), 0.1);
        const nc_vec3 shift = nc_v3(nc_random_range(&random, -100, 100), 50, nc_random_range(&random, -100, 100));
        nc_mesh *plain = make_box(sides, nc_v3(0, 0, 0), nc_quat_identity());
        nc_mesh *moved = make_box(sides, shift, q);
        for (int kind = NC_MATTER_SOLID; kind <= NC_MATTER_DUST; kind++) {
            const nc_mass_def def = {.matter = (nc_matter)kind, .mass = 2, .thickness = 0.01};
            const nc_mass a = mass_of(plain, &def), b = mass_of(moved, &def);
            check_same(&a, &b, shift, 1, 1e-12);
            check_principal_frame(&b);
        }
        nc_mesh_release(plain);
        nc_mesh_release(moved);
    }
}

// Second moments of a solid tetrahedron about its centroid g: V/20 sum (v_i - g)(v_i - g)^T.
static void solid_tetrahedron_has_the_textbook_inertia(void **state)
{
    (void)state;
    nc_random random = {check_seed("tetrahedron", 32)};
    for (int n = 0; n < check_effort(2000); n++) {
        static const int t[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
        nc_vec3 v[4], g = nc_v3(0, 0, 0);
        for (int i = 0; i < 4; i++) {
            v[i] =
                nc_v3(nc_random_range(&random, 0, 1), nc_random_range(&random, 0, 1), nc_random_range(&random, 0, 1));
            v[i] = nc_add(v[i], i == 0 ? nc_v3(0, 0, 0) : nc_v3(4 * (i == 1), 4 * (i == 2), 4 * (i == 3)));
            g = nc_madd(g, 0.25, v[i]);
        }
        const nc_mesh_def def = {.vertices = v, .vertex_count = 4, .triangles = t, .triangle_count = 4};
        nc_mesh *mesh = make(&def);
        const nc_mass m = mass_of(mesh, &(nc_mass_def){.density = 3});
        const double volume = nc_dot(nc_sub(v[1], v[0]), nc_cross(nc_sub(v[2], v[0]), nc_sub(v[3], v[0]))) / 6;
        double xx = 0, xy = 0, yy = 0;
        for (int i = 0; i < 4; i++) {
            const nc_vec3 d = nc_sub(v[i], g);
            xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y;
        }
        check_near(m.mass, 3 * volume, 1e-13);
        check_at_most(nc_norm(nc_sub(m.center, g)), 1e-13);
        check_near(m.inertia.row[0].y, -m.mass / 20 * xy, 1e-13);
        check_near(m.inertia.row[2].z, m.mass / 20 * (xx + yy), 1e-13);
        check_principal_frame(&m);
        nc_mesh_release(mesh);
    }
}

static void inertia_is_that_of_the_body_far_from_the_origin(void **state)
{
    (void)state;
    const nc_vec3 far = nc_v3(0x1p30, -0x1p30, 0x1p29);
    nc_mesh *here = make_box(nc_v3(1, 2, 4), nc_v3(0, 0, 0), nc_quat_identity());
    nc_mesh *there = make_box(nc_v3(1, 2, 4), far, nc_quat_identity()); // all coordinates are exact
    const nc_mass_def def = {.density = 1};
    const nc_mass a = mass_of(here, &def), b = mass_of(there, &def);
    check_same(&a, &b, far, 1, 1e-14);
    nc_mesh_release(here);
    nc_mesh_release(there);
}

static void sizes_at_the_ends_of_the_range_are_fine(void **state)
{
    (void)state;
    const double sizes[] = {0x1p-95, 0x1p98};
    for (int i = 0; i < 2; i++) {
        const double s = sizes[i];
        nc_mesh *box = make_box(nc_v3(s, 2 * s, 3 * s), nc_v3(0, 0, 0), nc_quat_identity());
        const nc_mass m = mass_of(box, &(nc_mass_def){.mass = 12});
        check_near(m.principal.x / (s * s), 5, 1e-13);
        check_near(m.principal.z / (s * s), 13, 1e-13);
        nc_mesh_release(box);
    }
}

// An icosphere-like soup without shared vertices is open by its edges, yet a solid when asked for.
static void soup_that_closes_geometrically_can_be_a_solid(void **state)
{
    (void)state;
    nc_mesh *box = make_box(nc_v3(1, 2, 3), nc_v3(4, 4, 4), nc_quat_identity());
    const nc_mesh_data data = nc_mesh_view(box);
    nc_vec3 v[36];
    int t[12][3];
    for (int i = 0; i < 36; i++) {
        v[i] = data.vertices[data.triangles[i / 3][i % 3]];
        t[i / 3][i % 3] = i;
    }
    const nc_mesh_def def = {.vertices = v, .vertex_count = 36, .triangles = (const int(*)[3])t, .triangle_count = 12};
    nc_mesh *soup = make(&def);
    assert_false(nc_mesh_view(soup).closed);
    const nc_mass a = mass_of(box, &(nc_mass_def){.density = 1});
    const nc_mass b = mass_of(soup, &(nc_mass_def){.matter = NC_MATTER_SOLID, .density = 1});
    check_same(&a, &b, nc_v3(0, 0, 0), 1, 1e-13);
    nc_mesh_release(box);
    nc_mesh_release(soup);
}

static void explicit_inertia_is_taken_as_given(void **state)
{
    (void)state;
    nc_mesh *box = make_box(nc_v3(1, 1, 1), nc_v3(0, 0, 0), nc_quat_identity());
    nc_mass_def def = {.mass = 3, .has_inertia = true, .center = {1, 2, 3}};
    def.inertia.row[0] = nc_v3(5, 1, 0);
    def.inertia.row[1] = nc_v3(1, 4, 0);
    def.inertia.row[2] = nc_v3(0, 0, 6);
    const nc_mass m = mass_of(box, &def);
    assert_true(m.mass == 3 && m.center.y == 2 && m.inertia.row[0].y == 1 && m.inertia.row[2].z == 6);
    check_principal_frame(&m);
    nc_mesh_release(box);
}

static void check_refused(const nc_mesh *mesh, const nc_mass_def *def, const char *part)
{
    nc_error err;
    nc_mass mass;
    assert_int_equal(nc_mesh_mass(mesh, def, &mass, &err), NC_BAD_ARGUMENT);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static nc_mass_def with_inertia(double x, double y, double z, double skew)
{
    nc_mass_def def = {.mass = 1, .has_inertia = true};
    def.inertia.row[0] = nc_v3(x, skew, 0);
    def.inertia.row[1] = nc_v3(0, y, 0);
    def.inertia.row[2] = nc_v3(0, 0, z);
    return def;
}

static void impossible_masses_are_refused(void **state)
{
    (void)state;
    nc_mesh *box = make_box(nc_v3(1, 1, 1), nc_v3(0, 0, 0), nc_quat_identity());
    nc_mesh *inside_out = make_box(nc_v3(-1, 1, 1), nc_v3(0, 0, 0), nc_quat_identity());
    check_refused(box, &(nc_mass_def){.density = 0}, "the mass is 0: give a mass, or a density");
    check_refused(box, &(nc_mass_def){.density = -1}, "density is -1");
    check_refused(box, &(nc_mass_def){.mass = NAN}, "mass is");
    check_refused(box, &(nc_mass_def){.mass = 1, .thickness = INFINITY}, "thickness is inf");
    check_refused(box, &(nc_mass_def){.mass = 1, .area_density = -2}, "area density is -2");
    check_refused(box, &(nc_mass_def){.density = 1e308, .matter = NC_MATTER_SHELL, .thickness = 1e308}, "not finite");
    check_refused(box, &(nc_mass_def){.matter = (nc_matter)9}, "no such kind");
    check_refused(box, &(nc_mass_def){.matter = NC_MATTER_SHELL, .density = 5}, "a density and a thickness");
    check_refused(inside_out, &(nc_mass_def){.density = 1}, "inside out");
    nc_mass_def def = with_inertia(1, 1, 1, 0.5);
    check_refused(box, &def, "not symmetric");
    def = with_inertia(1, 1, -1, 0);
    check_refused(box, &def, "all must be positive");
    def = with_inertia(1, 1, 2.1, 0);
    check_refused(box, &def, "no body has the principal moments");
    def = with_inertia(1, 1, NAN, 0);
    check_refused(box, &def, "not finite");
    def = with_inertia(1, 1, 2, 0); // a flat plate
    mass_of(box, &def);
    def.mass = 0;
    check_refused(box, &def, "needs an explicit mass");
    nc_mesh_release(box);
    nc_mesh_release(inside_out);
}

static void geometry_without_matter_is_refused(void **state)
{
    (void)state;
    const nc_vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    const int line[1][3] = {{0, 1, 2}}, open[1][3] = {{0, 1, 3}}, doubled[2][3] = {{0, 1, 3}, {0, 3, 1}};
    const int edge[1][2] = {{0, 1}};
    nc_mesh_def def = {.vertices = v, .vertex_count = 4, .triangles = line, .triangle_count = 1};
    nc_mesh *flat = make(&def);
    check_refused(flat, &(nc_mass_def){.mass = 1}, "has no area");
    nc_mesh_release(flat);
    def.triangles = open;
    nc_mesh *hole = make(&def);
    check_refused(hole, &(nc_mass_def){.mass = 1, .matter = NC_MATTER_SOLID}, "has a hole");
    nc_mesh_release(hole);
    def.triangles = doubled;
    def.triangle_count = 2;
    nc_mesh *both = make(&def);
    assert_true(nc_mesh_view(both).closed);
    check_refused(both, &(nc_mass_def){.mass = 1}, "has no volume");
    mass_of(both, &(nc_mass_def){.mass = 1, .matter = NC_MATTER_SHELL});
    nc_mesh_release(both);
    def.triangle_count = 0;
    def.edges = edge;
    def.edge_count = 1;
    nc_mesh *straight = make(&def);
    check_refused(straight, &(nc_mass_def){.mass = 1}, "give it a thickness");
    mass_of(straight, &(nc_mass_def){.mass = 1, .thickness = 1e-3});
    nc_mesh_release(straight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solid_box_has_the_textbook_inertia),
        cmocka_unit_test(hollow_box_has_the_inertia_of_its_six_plates),
        cmocka_unit_test(open_plate_is_a_shell_by_itself),
        cmocka_unit_test(wires_are_rods_and_dust_is_balls),
        cmocka_unit_test(moving_turning_and_scaling_change_what_they_should),
        cmocka_unit_test(solid_tetrahedron_has_the_textbook_inertia),
        cmocka_unit_test(inertia_is_that_of_the_body_far_from_the_origin),
        cmocka_unit_test(sizes_at_the_ends_of_the_range_are_fine),
        cmocka_unit_test(soup_that_closes_geometrically_can_be_a_solid),
        cmocka_unit_test(explicit_inertia_is_taken_as_given),
        cmocka_unit_test(impossible_masses_are_refused),
        cmocka_unit_test(geometry_without_matter_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
