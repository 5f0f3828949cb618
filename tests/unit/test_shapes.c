// Procedural shapes: closed where they should be, front outside, and the size their parameters say.
#include "check.h"
#include "fail_allocator.h"

#include "geom/geom.h"

#define PI 3.14159265358979323846

static nc_mesh *make(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

#define MAKE(name, ...)                                                                                                \
    make(name, (const nc_shape_parameter[]){__VA_ARGS__},                                                              \
         (int)(sizeof((const nc_shape_parameter[]){__VA_ARGS__}) / sizeof(nc_shape_parameter)))

// The mass of the mesh at density 1: its volume, or its area.
static nc_mass measure(nc_mesh *mesh, nc_matter matter)
{
    const nc_mass_def def = {.matter = matter, .density = 1, .area_density = matter == NC_MATTER_SHELL ? 1 : 0};
    nc_mass mass;
    nc_error err = {0};
    check_ok(nc_mesh_mass(mesh, &def, &mass, &err), err);
    nc_mesh_release(mesh);
    return mass;
}

static double volume(nc_mesh *mesh)
{
    return measure(mesh, NC_MATTER_SOLID).mass;
}

static double area(nc_mesh *mesh)
{
    return measure(mesh, NC_MATTER_SHELL).mass;
}

static bool says_closed(const nc_shape_info *shape)
{
    return strncmp(shape->about, "closed", 6) == 0;
}

static void every_shape_is_closed_or_open_as_its_description_says(void **state)
{
    (void)state;
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    assert_true(count >= 24);
    for (int i = 0; i < count; i++) {
        nc_mesh *mesh = make(shapes[i].name, NULL, 0);
        const nc_mesh_data data = nc_mesh_view(mesh);
        if (strncmp(shapes[i].about, "points", 6) == 0) {
            assert_int_equal(data.point_count, data.vertex_count);
            nc_mesh_release(mesh);
            continue;
        }
        if (data.closed != says_closed(&shapes[i]))
            fail_msg("%s: closed is %d", shapes[i].name, data.closed);
        assert_int_equal(data.point_count, 0);
        for (int e = 0; e < data.edge_count; e++)
            assert_int_equal(data.edge_is_free[e], 0);
        // an inside-out solid has no mass
        if (data.closed)
            assert_true(volume(nc_mesh_retain(mesh)) > 0);
        assert_true(area(nc_mesh_retain(mesh)) > 0);
        nc_mesh_release(mesh);
    }
}

static void the_list_is_in_alphabetical_order_and_has_sane_defaults(void **state)
{
    (void)state;
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            assert_true(strcmp(shapes[i - 1].name, shapes[i].name) < 0);
        assert_true(shapes[i].parameter_count > 0);
        for (int k = 0; k < shapes[i].parameter_count; k++) {
            const nc_shape_parameter_info *p = &shapes[i].parameters[k];
            assert_true(p->low <= p->fallback && p->fallback <= p->high);
            assert_true(p->unit[0] != '\0' && p->about[0] != '\0');
            if (p->whole)
                assert_true(p->fallback == floor(p->fallback));
            for (int j = 0; j < k; j++)
                assert_string_not_equal(p->name, shapes[i].parameters[j].name);
        }
    }
}

// A scene writes a shape's parameters beside its own keys: the names must not meet.
static void no_parameter_has_the_name_of_a_scene_key(void **state)
{
    (void)state;
    const char *keys[] = {"generate", "file", "scale",  "thickness", "density", "area_density",
                          "matter",   "mass", "center", "inertia",   "name",    "position"};
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < shapes[i].parameter_count; k++)
            for (size_t j = 0; j < sizeof keys / sizeof keys[0]; j++)
                assert_string_not_equal(shapes[i].parameters[k].name, keys[j]);
}

static void every_parameter_works_at_both_ends_of_its_range(void **state)
{
    (void)state;
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2 * shapes[i].parameter_count; k++) {
            const nc_shape_parameter_info *p = &shapes[i].parameters[k / 2];
            const nc_shape_parameter parameter = {p->name, k % 2 ? p->high : p->low};
            nc_mesh *mesh = NULL;
            nc_error err = {0};
            const nc_code code = nc_shape_create(shapes[i].name, &parameter, 1, NULL, &mesh, &err);
            // a length may make no sense beside the others' defaults, and then it must say so
            if (code != NC_OK && (code != NC_BAD_ARGUMENT || strcmp(p->unit, "m") != 0))
                fail_msg("%s %s = %g: %s", shapes[i].name, p->name, parameter.value, err.text);
            if (code == NC_OK)
                assert_int_equal(nc_mesh_view(mesh).closed, says_closed(&shapes[i]));
            nc_mesh_release(mesh);
        }
    }
}

static void flat_sided_solids_have_their_exact_volume(void **state)
{
    (void)state;
    check_near(volume(MAKE("box", {"size", 2})), 8, 1e-14);
    check_near(volume(MAKE("box", {"width", 1}, {"height", 2}, {"depth", 3}, {"splits", 7})), 6, 1e-12);
    check_near(area(MAKE("box", {"size", 2}, {"splits", 5})), 24, 1e-12);
    check_near(volume(MAKE("wedge", {"width", 2}, {"height", 3}, {"depth", 5})), 15, 1e-13);
    check_near(volume(MAKE("l_profile", {"width", 3}, {"height", 2}, {"depth", 4}, {"wall", 0.5})), 9, 1e-13);
    check_near(volume(MAKE("t_profile", {"width", 3}, {"height", 2}, {"depth", 4}, {"wall", 0.5})), 9, 1e-13);
    check_near(volume(MAKE("u_profile", {"width", 3}, {"height", 2}, {"depth", 4}, {"wall", 0.5})), 12, 1e-13);
    check_near(area(MAKE("l_profile", {"width", 3}, {"height", 2}, {"depth", 4}, {"wall", 0.5})), 4.5 + 40, 1e-13);
    check_near(volume(MAKE("t_handle", {"length", 2}, {"stem", 1}, {"bar", 0.5})), 0.25 * 3, 1e-14);
    check_near(volume(MAKE("spike", {"radius", 1}, {"height", 3})), 2, 1e-14);
    // a trapezoid between the chords at radius 1.5 and 2.5; a gap takes the same off both
    check_near(volume(MAKE("stone", {"radius", 2}, {"wall", 1}, {"height", 3}, {"angle", 1})), 12 * sin(0.5) * cos(0.5),
               1e-13);
    check_near(volume(MAKE("stone", {"radius", 2}, {"wall", 1}, {"height", 3}, {"angle", 1}, {"gap", 0.1})),
               12 * sin(0.5) * cos(0.5) - 3 * 0.1 * cos(0.5) * cos(0.5), 1e-13);
}

// Stones an angle apart on the circle have parallel faces a gap apart.
static void neighbouring_stones_keep_their_gap(void **state)
{
    (void)state;
    const double angle = PI / 25;
    nc_mesh *mesh = MAKE("stone", {"radius", 1}, {"angle", angle}, {"gap", 0.01});
    const nc_vec3 normal = nc_v3(-sin(0.5 * angle), 0, -cos(0.5 * angle)); // of the face towards the next stone
    const nc_mesh_data data = nc_mesh_view(mesh);
    int on_face = 0;
    for (int i = 0; i < data.vertex_count; i++) {
        const double out = nc_dot(normal, nc_add(data.vertices[i], nc_v3(1, 0, 0)));
        assert_true(out < -0.005 + 1e-14);
        on_face += out > -0.005 - 1e-14;
    }
    assert_int_equal(on_face, 4);
    nc_mesh_release(mesh);
}

static void flat_sheets_have_their_exact_area(void **state)
{
    (void)state;
    check_near(area(MAKE("plane", {"size", 60})), 3600, 1e-9);
    check_near(area(MAKE("plane", {"size", 2}, {"depth", 3}, {"splits", 9})), 6, 1e-13);
    check_near(area(MAKE("triangle", {"size", 2})), sqrt(3.0), 1e-14);
    check_near(area(MAKE("plate", {"radius", 2}, {"sides", 6})), 6 * sqrt(3.0), 1e-13);
    check_near(area(MAKE("plate", {"radius", 1}, {"sides", 4})), 2, 1e-14);
    check_near(area(MAKE("rack", {"slots", 4}, {"slot", 0.5}, {"height", 3}, {"depth", 2})), 4 + 5 * 6, 1e-13);
}

// The fronts of flat sheets look up.
static void flat_sheets_face_up(void **state)
{
    (void)state;
    const char *names[] = {"plane", "plate", "ring", "triangle"};
    for (int i = 0; i < 4; i++) {
        nc_mesh *mesh = make(names[i], NULL, 0);
        const nc_mesh_data data = nc_mesh_view(mesh);
        for (int t = 0; t < data.triangle_count; t++) {
            const nc_vec3 a = data.vertices[data.triangles[t][0]], b = data.vertices[data.triangles[t][1]];
            const nc_vec3 n = nc_cross(nc_sub(b, a), nc_sub(data.vertices[data.triangles[t][2]], a));
            assert_true(n.y > 0 && n.x == 0 && n.z == 0);
        }
        nc_mesh_release(mesh);
    }
}

// `fine` must be about 16 times nearer to `exact` than `coarse`: both are inscribed, at 4 times the resolution.
static void check_converges(double coarse, double fine, double exact)
{
    assert_true(coarse < fine && fine < exact * (1 + 1e-14));
    const double ratio = (exact - coarse) / (exact - fine);
    if (!(ratio > 12 && ratio < 20))
        fail_msg("%.17g, %.17g towards %.17g: the error shrank by %g, wanted about 16", coarse, fine, exact, ratio);
}

static void round_solids_converge_to_their_volume(void **state)
{
    (void)state;
    check_converges(volume(MAKE("sphere", {"radius", 2}, {"splits", 5})),
                    volume(MAKE("sphere", {"radius", 2}, {"splits", 20})), 32 * PI / 3);
    check_converges(volume(MAKE("cylinder", {"radius", 2}, {"height", 3}, {"segments", 16})),
                    volume(MAKE("cylinder", {"radius", 2}, {"height", 3}, {"segments", 64})), 12 * PI);
    check_converges(volume(MAKE("cone", {"radius", 2}, {"height", 3}, {"segments", 16})),
                    volume(MAKE("cone", {"radius", 2}, {"height", 3}, {"segments", 64})), 4 * PI);
    check_converges(volume(MAKE("capsule", {"radius", 1}, {"length", 2}, {"segments", 16}, {"rings", 4})),
                    volume(MAKE("capsule", {"radius", 1}, {"length", 2}, {"segments", 64}, {"rings", 16})),
                    2 * PI + 4 * PI / 3);
    check_converges(volume(MAKE("torus", {"radius", 2}, {"tube", 0.5}, {"segments", 24}, {"sides", 12})),
                    volume(MAKE("torus", {"radius", 2}, {"tube", 0.5}, {"segments", 96}, {"sides", 48})), PI * PI);
    check_converges(volume(MAKE("hook", {"radius", 2}, {"bar", 0.5}, {"length", 3}, {"segments", 8}, {"sides", 12})),
                    volume(MAKE("hook", {"radius", 2}, {"bar", 0.5}, {"length", 3}, {"segments", 32}, {"sides", 48})),
                    0.25 * PI * (3 + 2 * PI));
    check_converges(volume(MAKE("link", {"length", 3}, {"radius", 2}, {"bar", 0.5}, {"segments", 8}, {"sides", 12})),
                    volume(MAKE("link", {"length", 3}, {"radius", 2}, {"bar", 0.5}, {"segments", 32}, {"sides", 48})),
                    0.25 * PI * (6 + 4 * PI));
    // a cylinder of length 3 and a frustum of length 1 from radius 1/2 to 1
    check_converges(volume(MAKE("peg", {"radius", 1}, {"height", 4}, {"tip", 1}, {"blunt", 0.5}, {"segments", 16})),
                    volume(MAKE("peg", {"radius", 1}, {"height", 4}, {"tip", 1}, {"blunt", 0.5}, {"segments", 64})),
                    3 * PI + PI * 1.75 / 3);
}

// Per turn: the root's cylinder, the crest's, and two frusta of a tenth of the depth.
static double thread_volume(double root, double crest, double pitch, double width)
{
    const double flank = 0.1 * (crest - root), edge = pitch - width - 2 * flank;
    return PI *
           (edge * root * root + width * crest * crest + 2 * flank * (root * root + root * crest + crest * crest) / 3);
}

static void machine_parts_converge_to_their_volume(void **state)
{
    (void)state;
    check_converges(volume(MAKE("flat_bar", {"holes", 3}, {"segments", 16})),
                    volume(MAKE("flat_bar", {"holes", 3}, {"segments", 64})), 0.1 * (0.2 + PI * (0.01 - 3 * 0.0025)));
    check_converges(volume(MAKE("flat_bar", {"holes", 1}, {"segments", 16})),
                    volume(MAKE("flat_bar", {"holes", 1}, {"segments", 64})), 0.1 * PI * (0.01 - 0.0025));
    check_converges(volume(MAKE("spool", {"segments", 16})), volume(MAKE("spool", {"segments", 64})),
                    PI * (0.2 * 0.0025 + 0.04 * 0.01));
    check_converges(volume(MAKE("bolt", {"segments", 16})), volume(MAKE("bolt", {"segments", 64})),
                    6 * thread_volume(0.09, 0.1, 0.05, 0.024));
    check_converges(volume(MAKE("nut", {"segments", 16})), volume(MAKE("nut", {"segments", 64})),
                    2 * (0.05 * PI * 0.151 * 0.151 - thread_volume(0.091, 0.101, 0.05, 0.024 + 2 * 0.0009)));
    // a groove takes a segment of a circle off the section; Pappus: at the distance of its centroid from the axis
    const double g = 0.021, h = 0.015, x = sqrt(g * g - h * h), back = 0.1 + g + 0.01, front = 0.1 + x;
    const double part = g * g * atan2(h, x) - h * x,
                 moment = 2 * h * h * h / 3; // area, and its moment about the centre
    const double outer = 2 * h * PI * (back * back - front * front) - 2 * PI * (0.1 * part + moment);
    check_near(volume(MAKE("race", {"segments", 512}, {"pieces", 64})), outer, 1e-3 * outer);
    const double in = 0.1 - g - 0.01, lip = 0.1 - x;
    const double inner = 2 * h * PI * (lip * lip - in * in) - 2 * PI * (0.1 * part - moment);
    check_near(volume(MAKE("race", {"outer", 0}, {"segments", 512}, {"pieces", 64})), inner, 1e-3 * inner);
}

// A gear and the ring of as many teeth fill the plane but for the clearances; teeth have their thickness.
static void gears_have_the_thickness_of_their_teeth_and_fit_into_a_ring(void **state)
{
    (void)state;
    // between the roots and the tips of both, a gear's tooth and the ring's space are the same curve
    const double gear = volume(MAKE("gear", {"teeth", 48}, {"depth", 1}, {"flank", 16}));
    const double ring = volume(MAKE("ring_gear", {"teeth", 48}, {"depth", 1}, {"flank", 16}));
    const double outside = PI * 0.2825 * 0.2825,
                 thinned = volume(MAKE("gear", {"teeth", 48}, {"depth", 1}, {"flank", 16}, {"gap", 0.001}));
    assert_true(gear + ring < outside);
    check_near(gear + ring, outside, 0.02 * outside);
    // a strip of 1 mm, as high as a tooth, from each of 48 teeth; a little more where the root is wider
    check_near(gear - thinned, 48 * 0.001 * 0.0225, 0.05 * 48 * 0.001 * 0.0225);
    check_near(gear -
                   volume(MAKE("gear", {"teeth", 48}, {"depth", 1}, {"flank", 16}, {"bore", 0.1}, {"segments", 256})),
               PI * 0.01, 1e-3 * PI * 0.01);
}

// Blocks whose holes lie on the pitch circle, half a link's angle to either side of a flat, keep their gap from it.
static void a_sprocket_keeps_its_gap_from_seated_blocks(void **state)
{
    (void)state;
    const double gap = 0.0005, hole = 0.02, circle = hole / sin(PI / 16);
    nc_mesh *mesh = MAKE("sprocket", {"gap", gap}, {"bore", 0.02});
    const nc_mesh_data data = nc_mesh_view(mesh);
    double nearest = INFINITY, flat = INFINITY;
    for (int e = 0; e < data.edge_count; e++) {
        const nc_vec3 a = data.vertices[data.edges[e][0]], b = data.vertices[data.edges[e][1]];
        for (int k = -1; k <= 1; k += 2) { // the ends of the block at +x: circles about its holes
            const nc_vec3 h = nc_v3(circle * cos(PI / 16), k * hole, a.z), d = nc_sub(b, a);
            const double length = nc_dot(d, d), t = fmin(1, fmax(0, nc_dot(nc_sub(h, a), d) / length));
            if (a.z == b.z)
                nearest = fmin(nearest, nc_norm(nc_sub(h, nc_madd(a, t, d))) - 0.012);
        }
        if (a.y == 0 && a.x > 0.05)
            flat = circle * cos(PI / 16) - 0.012 - a.x;
    }
    check_near(nearest, gap, 1e-12);
    check_near(flat, gap, 1e-12);
    // eight flats (two triangles of flat x foot each), and their teeth
    const double apothem = circle * cos(PI / 16) - 0.012 - gap, half = 0.008 - gap,
                 foot = apothem * tan(PI / 8) - half / cos(PI / 8);
    const double root = apothem * cos(PI / 8) + foot * sin(PI / 8); // where a tooth begins, along its axis
    const double wanted = 8 * (apothem * foot + root * half + 2 * half * (circle - root) + 1.5 * half * 0.004) * 0.01;
    check_near(volume(MAKE("sprocket", {"gap", gap})), wanted, 1e-12);
    nc_mesh_release(mesh);
}

static void round_sheets_converge_to_their_area(void **state)
{
    (void)state;
    check_converges(area(MAKE("bowl", {"radius", 10}, {"segments", 24}, {"rings", 8})),
                    area(MAKE("bowl", {"radius", 10}, {"segments", 96}, {"rings", 32})), 200 * PI);
    check_converges(area(MAKE("bowl", {"radius", 1}, {"angle", PI / 3}, {"segments", 24}, {"rings", 8})),
                    area(MAKE("bowl", {"radius", 1}, {"angle", PI / 3}, {"segments", 96}, {"rings", 32})), PI);
    check_converges(area(MAKE("tube", {"radius", 2}, {"height", 3}, {"segments", 16}, {"rings", 3})),
                    area(MAKE("tube", {"radius", 2}, {"height", 3}, {"segments", 64}, {"rings", 3})), 12 * PI);
    check_converges(area(MAKE("band", {"radius", 2}, {"height", 3}, {"segments", 16})),
                    area(MAKE("band", {"radius", 2}, {"height", 3}, {"segments", 64})), 12 * PI);
    check_converges(area(MAKE("ring", {"radius", 2}, {"width", 1}, {"segments", 16})),
                    area(MAKE("ring", {"radius", 2}, {"width", 1}, {"segments", 64})), 3 * PI);
    check_converges(area(MAKE("plate", {"sides", 16})), area(MAKE("plate", {"sides", 64})), PI / 4);
    check_converges(area(MAKE("sphere", {"radius", 1}, {"splits", 5})),
                    area(MAKE("sphere", {"radius", 1}, {"splits", 20})), 4 * PI);
}

static void round_solids_converge_to_their_inertia(void **state)
{
    (void)state;
    const nc_mass sphere = measure(MAKE("sphere", {"radius", 2}, {"splits", 40}), NC_MATTER_SOLID);
    const double wanted = 0.4 * 4 * 32 * PI / 3;
    check_near(sphere.principal.x, wanted, 3e-3 * wanted);
    check_near(sphere.principal.z, wanted, 3e-3 * wanted);
    const nc_mass rod = measure(MAKE("cylinder", {"radius", 1}, {"height", 4}, {"segments", 400}), NC_MATTER_SOLID);
    check_near(rod.principal.x, 0.5 * 4 * PI, 1e-3);
    check_near(rod.principal.y, 4 * PI * (3 + 16) / 12, 3e-3);
    check_near(nc_norm(rod.center), 0, 1e-14);
    const nc_mass bowl = measure(MAKE("bowl", {"radius", 2}, {"segments", 200}, {"rings", 100}), NC_MATTER_SHELL);
    check_near(bowl.center.y, -1, 1e-3);
}

// The middle moment must be well apart from the others, or nothing flips.
static void t_handle_has_three_moments_and_its_middle_axis_along_the_stem(void **state)
{
    (void)state;
    const nc_mass mass = measure(make("t_handle", NULL, 0), NC_MATTER_SOLID);
    assert_true(mass.principal.x < 0.9 * mass.principal.y && mass.principal.y < 0.9 * mass.principal.z);
    check_near(mass.inertia.row[1].y, mass.principal.y, 1e-12);
    check_near(mass.inertia.row[2].z, mass.principal.z, 1e-12);
}

static void bowl_opens_upwards_and_hangs_below_the_origin(void **state)
{
    (void)state;
    nc_mesh *mesh = MAKE("bowl", {"radius", 10});
    const nc_mesh_data data = nc_mesh_view(mesh);
    check_near(data.box.lo.y, -10, 0);
    check_near(data.box.hi.y, 0, 1e-14);
    check_near(data.box.hi.x, 10, 0);
    for (int i = 0; i < data.vertex_count; i++)
        check_near(nc_norm(data.vertices[i]), 10, 1e-13);
    nc_mesh_release(mesh);
}

static void boat_is_as_long_as_asked_symmetric_and_has_about_80_triangles(void **state)
{
    (void)state;
    nc_mesh *mesh = MAKE("boat", {"length", 3});
    const nc_mesh_data data = nc_mesh_view(mesh);
    check_near(data.box.hi.x - data.box.lo.x, 3, 1e-14);
    check_near(data.box.hi.z - data.box.lo.z, 3 * 0.42, 0.03);
    assert_in_range(data.triangle_count, 75, 85);
    for (int i = 0; i < data.vertex_count; i++) {
        const nc_vec3 v = data.vertices[i];
        bool mirrored = false;
        for (int k = 0; k < data.vertex_count && !mirrored; k++)
            mirrored = data.vertices[k].x == v.x && data.vertices[k].y == v.y && data.vertices[k].z == -v.z;
        assert_true(mirrored);
    }
    nc_mesh *bare = MAKE("boat", {"length", 3}, {"thwart", 0});
    assert_int_equal(nc_mesh_view(bare).triangle_count, data.triangle_count - 2);
    nc_mesh_release(bare);
    nc_mesh_release(mesh);
}

static nc_code try_shape(const char *name, const char *parameter, double value, nc_error *err)
{
    const nc_shape_parameter parameters = {parameter, value};
    nc_mesh *mesh = (nc_mesh *)err; // must become NULL
    const nc_code code = nc_shape_create(name, &parameters, 1, NULL, &mesh, err);
    assert_null(mesh);
    return code;
}

static void bad_names_and_values_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_error err;
    assert_int_equal(try_shape("boot", "length", 1, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'boat'?"));
    assert_int_equal(try_shape("dodecahedron", "length", 1, &err), NC_NOT_FOUND);
    assert_null(strstr(err.text, "did you mean"));
    assert_int_equal(try_shape("boat", "lenght", 1, &err), NC_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'length'?"));
    assert_int_equal(try_shape("boat", "sails", 1, &err), NC_NOT_FOUND);
    assert_int_equal(try_shape("boat", "length", 0, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "between 1e-06 and 1e+06 m"));
    assert_int_equal(try_shape("boat", "length", -1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("boat", "length", NAN, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("boat", "length", INFINITY, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("sphere", "splits", 2.5, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "whole number"));
    assert_int_equal(try_shape("box", "width", 1e-9, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("torus", "tube", 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("ring", "width", 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("peg", "tip", 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("l_profile", "wall", 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("t_profile", "wall", 1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("u_profile", "wall", 0.5, &err), NC_BAD_ARGUMENT);
    assert_int_equal(try_shape("t_handle", "length", 0.1, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_shape_create("boot", NULL, 0, NULL, &(nc_mesh *){NULL}, NULL), NC_NOT_FOUND);
}

// ---- the animal ---------------------------------------------------------------------------------------------

static int root_of(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// How many parts a mesh has that no edge joins.
static int part_count(const nc_mesh_data *data)
{
    int *parent = calloc((size_t)data->vertex_count, sizeof *parent), parts = data->vertex_count;
    for (int v = 0; v < data->vertex_count; v++)
        parent[v] = v;
    for (int e = 0; e < data->edge_count; e++) {
        const int a = root_of(parent, data->edges[e][0]), b = root_of(parent, data->edges[e][1]);
        parent[a] = b;
        parts -= a != b;
    }
    free(parent);
    return parts;
}

static int64_t meetings_of(const nc_mesh_data *data)
{
    const nc_element_set set = {.vertices = data->vertices,
                                .vertex_count = data->vertex_count,
                                .triangles = data->triangles,
                                .triangle_count = data->triangle_count};
    nc_error err = {0};
    int64_t count = -1;
    check_ok(nc_elements_intersect(&set, NULL, 1, NULL, 0, &count, &err), err);
    return count;
}

static void animal_is_one_closed_skin_that_does_not_meet_itself(void **state)
{
    (void)state;
    const double rows[][2] = {{32, 0.02}, {33, 0.1}, {51, 0.06}, {70, 0.02}, {70, 0.06}, {128, 0.1}}; // cells, blend
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nc_mesh *mesh = MAKE("animal", {"cells", rows[i][0]}, {"blend", rows[i][1]});
        const nc_mesh_data data = nc_mesh_view(mesh);
        const int parts = part_count(&data);
        // Euler's number of a sphere: no handles, and no part of its own
        if (!data.closed || data.vertex_count - data.edge_count + data.triangle_count != 2 || parts != 1 ||
            meetings_of(&data) != 0)
            fail_msg("animal of %g cells, blend %g: closed %d, %d parts, %lld meetings", rows[i][0], rows[i][1],
                     data.closed, parts, (long long)meetings_of(&data));
        nc_mesh_release(mesh);
    }
}

static void animal_is_70_by_60_by_45_cells_and_symmetric(void **state)
{
    (void)state;
    nc_mesh *mesh = MAKE("animal", {"length", 70});
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_vec3 size = nc_sub(data.box.hi, data.box.lo);
    check_near(size.x, 70, 1);
    check_near(size.y, 60, 1);
    check_near(size.z, 45, 1);
    check_near(data.box.lo.z + data.box.hi.z, 0, 1e-9);
    // it stands: feet under both ends of the trunk, and nothing else within an eighth of its height
    double rear = INFINITY, front = -INFINITY, inner = INFINITY;
    for (int i = 0; i < data.vertex_count; i++)
        if (data.vertices[i].y < data.box.lo.y + 7.5) {
            rear = fmin(rear, data.vertices[i].x);
            front = fmax(front, data.vertices[i].x);
            inner = fmin(inner, fabs(data.vertices[i].z));
        }
    assert_true(rear < -15 && front > 10 && inner > 4);
    nc_mesh_release(mesh);
}

static nc_code make_small_animal(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    const nc_shape_parameter cells = {"cells", 32};
    nc_mesh *mesh = NULL;
    const nc_code code = nc_shape_create("animal", &cells, 1, allocator, &mesh, NULL);
    nc_mesh_release(mesh);
    return code;
}

static nc_code make_and_release(const nc_allocator *allocator, void *ctx)
{
    nc_mesh *mesh = NULL;
    const nc_code code = nc_shape_create(ctx, NULL, 0, allocator, &mesh, NULL);
    nc_mesh_release(mesh);
    return code;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    char *names[] = {"flat_bar", "boat", "bolt",   "bowl",  "box",  "capsule",  "gear",
                     "link",     "nut",  "sphere", "torus", "tube", "u_profile"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(fail_at_every_call(make_and_release, names[i]) > 3);
    assert_true(fail_at_every_call(make_small_animal, NULL) > 10);
}

// ---- docs/meshes.md --------------------------------------------------------------------------------------------

#define TABLE_BEGIN "<!-- shapes: made by test_shapes --print-table -->\n"
#define TABLE_END   "<!-- shapes: end -->\n"

// A number as the document shows it: pi/2 by name, others short.
static void print_number(FILE *out, double x)
{
    if (x == 0.5 * PI)
        fprintf(out, "pi/2");
    else
        fprintf(out, "%.6g", x);
}

static void print_table(FILE *out)
{
    int count = 0;
    const nc_shape_info *shapes = nc_shape_list(&count);
    fputs(TABLE_BEGIN "| shape | parameter | unit | default | range | |\n| --- | --- | --- | --- | --- | --- |\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "| **%s** | | | | | %s |\n", shapes[i].name, shapes[i].about);
        for (int k = 0; k < shapes[i].parameter_count; k++) {
            const nc_shape_parameter_info *p = &shapes[i].parameters[k];
            fprintf(out, "| | `%s` | %s | ", p->name, p->whole ? "whole" : p->unit);
            print_number(out, p->fallback);
            fputs(" | ", out);
            print_number(out, p->low);
            fputs(" to ", out);
            print_number(out, p->high);
            fprintf(out, " | %s |\n", p->about);
        }
    }
    fputs(TABLE_END, out);
}

// The whole of a stream from its beginning; free it.
static char *read_stream(FILE *file)
{
    char *text = calloc(1 << 20, 1);
    rewind(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void the_document_lists_every_shape_and_parameter_as_they_are(void **state)
{
    (void)state;
    FILE *document = fopen(NACRE_SOURCE_DIR "/docs/meshes.md", "r"), *scratch = tmpfile();
    assert_non_null(document);
    assert_non_null(scratch);
    print_table(scratch);
    char *wanted = read_stream(scratch), *text = read_stream(document);
    if (strstr(text, wanted) == NULL)
        fail_msg("docs/meshes.md is out of step: put the output of `test_shapes --print-table` there");
    free(wanted);
    free(text);
}

// ---- polygons -----------------------------------------------------------------------------------------------

static double twice_area(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double polygon_area(const nc_vec3 *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i].x * p[(i + 1) % n].y - p[i].y * p[(i + 1) % n].x;
    return 0.5 * sum;
}

// Every triangle runs the polygon's way and the areas add up: then they cover it once.
static void check_cut(const nc_vec3 *polygon, int count, double area_wanted)
{
    int cut[256][3], scratch[NC_POLYGON_SCRATCH(256)];
    assert_true(count <= 256);
    nc_polygon_triangulate(polygon, count, cut, scratch);
    double sum = 0;
    for (int i = 0; i < count - 2; i++) {
        const double part = 0.5 * twice_area(polygon[cut[i][0]], polygon[cut[i][1]], polygon[cut[i][2]]);
        if (part * area_wanted < 0)
            fail_msg("triangle %d of %d is turned over", i, count - 2);
        sum += part;
    }
    check_near(sum, area_wanted, 1e-12 * fabs(area_wanted));
}

static void concave_polygons_are_covered_once(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("concave_polygons", 71);
    nc_random random = {seed};
    for (int trial = 0; trial < check_effort(3000); trial++) {
        // star-shaped about the origin: simple whatever the radii
        const int n = 4 + (int)(nc_random_u64(&random) % 60);
        nc_vec3 p[64], back[64];
        for (int i = 0; i < n; i++) {
            double s, c;
            nc_sincos(2 * PI * i / n, &s, &c);
            const double r = nc_random_range(&random, 0.05, 1);
            p[i] = nc_v3(r * c, r * s, 0.3 * r * c);
        }
        check_cut(p, n, polygon_area(p, n));
        for (int i = 0; i < n; i++)
            back[i] = p[n - 1 - i];
        check_cut(back, n, polygon_area(back, n));
    }
}

// A spiral corridor: most corners are reflex, and no fan from any corner is right.
static void a_spiral_is_covered_once(void **state)
{
    (void)state;
    enum { TURNS = 60 };
    nc_vec3 p[2 * TURNS];
    for (int i = 0; i < TURNS; i++) {
        double s, c;
        nc_sincos(0.25 * i, &s, &c);
        const double r = 1 + 0.1 * i;
        p[i] = nc_v3(r * c, r * s, 0);
        p[2 * TURNS - 1 - i] = nc_v3((r + 0.5) * c, (r + 0.5) * s, 0);
    }
    check_cut(p, 2 * TURNS, polygon_area(p, 2 * TURNS));
}

static void a_polygon_with_straight_corners_keeps_its_area(void **state)
{
    (void)state;
    const nc_vec3 square[8] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}};
    check_cut(square, 8, 4);
    const nc_vec3 keyhole[10] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                                 {1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}};
    check_cut(keyhole, 10, 15);
}

static void hopeless_polygons_still_give_their_triangles(void **state)
{
    (void)state;
    const nc_vec3 bow_tie[4] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    const nc_vec3 point[5] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const nc_vec3 line[4] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}};
    int cut[5][3], scratch[NC_POLYGON_SCRATCH(5)];
    const nc_vec3 *polygons[] = {bow_tie, point, line};
    const int counts[] = {4, 5, 4};
    for (int k = 0; k < 3; k++) {
        nc_polygon_triangulate(polygons[k], counts[k], cut, scratch);
        for (int i = 0; i < counts[k] - 2; i++)
            for (int j = 0; j < 3; j++)
                assert_in_range(cut[i][j], 0, counts[k] - 1);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--print-table") == 0) {
        print_table(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_closed_or_open_as_its_description_says),
        cmocka_unit_test(the_list_is_in_alphabetical_order_and_has_sane_defaults),
        cmocka_unit_test(no_parameter_has_the_name_of_a_scene_key),
        cmocka_unit_test(every_parameter_works_at_both_ends_of_its_range),
        cmocka_unit_test(flat_sided_solids_have_their_exact_volume),
        cmocka_unit_test(neighbouring_stones_keep_their_gap),
        cmocka_unit_test(flat_sheets_have_their_exact_area),
        cmocka_unit_test(flat_sheets_face_up),
        cmocka_unit_test(round_solids_converge_to_their_volume),
        cmocka_unit_test(machine_parts_converge_to_their_volume),
        cmocka_unit_test(gears_have_the_thickness_of_their_teeth_and_fit_into_a_ring),
        cmocka_unit_test(a_sprocket_keeps_its_gap_from_seated_blocks),
        cmocka_unit_test(round_sheets_converge_to_their_area),
        cmocka_unit_test(round_solids_converge_to_their_inertia),
        cmocka_unit_test(t_handle_has_three_moments_and_its_middle_axis_along_the_stem),
        cmocka_unit_test(bowl_opens_upwards_and_hangs_below_the_origin),
        cmocka_unit_test(boat_is_as_long_as_asked_symmetric_and_has_about_80_triangles),
        cmocka_unit_test(animal_is_one_closed_skin_that_does_not_meet_itself),
        cmocka_unit_test(animal_is_70_by_60_by_45_cells_and_symmetric),
        cmocka_unit_test(bad_names_and_values_are_refused_with_a_sentence),
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
        cmocka_unit_test(the_document_lists_every_shape_and_parameter_as_they_are),
        cmocka_unit_test(concave_polygons_are_covered_once),
        cmocka_unit_test(a_spiral_is_covered_once),
        cmocka_unit_test(a_polygon_with_straight_corners_keeps_its_area),
        cmocka_unit_test(hopeless_polygons_still_give_their_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
