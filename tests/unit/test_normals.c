// Normals of contacts at the borders of faces: bodies that lie or fall level on each other are not pushed sideways.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"

#define ROOM 64

// ---- of two boxes -------------------------------------------------------------------------------------------

static nc_mesh *make_box(double width, double height, double depth)
{
    const nc_shape_parameter sizes[] = {{"width", width}, {"height", height}, {"depth", depth}};
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create("box", sizes, 3, NULL, &mesh, &err), err);
    return mesh;
}

static nc_pose place(nc_vec3 x, nc_vec3 turn)
{
    return (nc_pose){.x = x, .q = nc_quat_from_rotation_vector(turn)};
}

// The contacts within twice `gap`, as the step finds them.
static nc_proximity_list find_contacts(nc_proximity room[ROOM], const nc_mesh *mesh, nc_pose a, nc_pose b, double gap)
{
    nc_proximity_list list = {.data = room, .capacity = ROOM};
    nc_proximity_options options = nc_proximity_defaults();
    nc_error err;
    options.local = true;
    check_ok(nc_proximity_find(mesh, a, mesh, b, 2 * gap, &options, &list, &err), err);
    return list;
}

// Shifts along x and z, from rounding to what the filter's angle allows, outwards and inwards.
static const double shifts[] = {0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 4e-6, -1e-12, -1e-9, -1e-6, -3e-6};
#define SHIFTS ((int)(sizeof shifts / sizeof *shifts))

static void a_box_level_above_an_equal_one_is_pushed_straight_up_however_it_is_shifted(void **state)
{
    (void)state;
    const double gap = 1e-4;
    nc_mesh *mesh = make_box(1, 1, 1);
    nc_proximity room[ROOM];
    for (int i = 0; i < SHIFTS; i++)
        for (int j = 0; j < SHIFTS; j++) {
            const nc_pose above = place(nc_v3(shifts[i], 1 + gap, shifts[j]), nc_v3(0, 0, 0));
            const nc_proximity_list list = find_contacts(room, mesh, above, place(nc_v3(0, 0, 0), nc_v3(0, 0, 0)), gap);
            assert_true(list.count >= 4);
            for (int k = 0; k < list.count; k++)
                check_at_most(nc_norm(nc_sub(room[k].normal, nc_v3(0, 1, 0))), 5e-9);
        }
    nc_mesh_release(mesh);
}

// Both are turned about z: the lower edge of the one is above the inside of a face of the other, from end to end.
static void an_edge_that_ends_where_a_face_ends_is_not_pushed_along_itself(void **state)
{
    (void)state;
    const double gap = 1e-4, half = sqrt(0.5);
    nc_mesh *mesh = make_box(1, 1, 1);
    nc_proximity room[ROOM];
    for (int i = 0; i < SHIFTS; i++) {
        const nc_pose above =
            place(nc_v3(0.2, 0.5 + half + gap, shifts[i]), nc_v3(0, 0, 0.25 * 3.14159265358979323846));
        const nc_proximity_list list = find_contacts(room, mesh, above, place(nc_v3(0, 0, 0), nc_v3(0, 0, 0)), gap);
        assert_true(list.count >= 2);
        for (int k = 0; k < list.count; k++)
            check_at_most(fabs(room[k].normal.z), 1e-8);
    }
    nc_mesh_release(mesh);
}

// A tilt is no shift: then the two faces differ, and the normal is between theirs.
static void the_normal_of_a_tilted_box_is_between_those_of_both_faces(void **state)
{
    (void)state;
    const double gap = 1e-4, tilt = 1e-5;
    nc_mesh *mesh = make_box(1, 1, 1);
    nc_proximity room[ROOM];
    for (int i = 0; i < SHIFTS; i++) {
        const nc_pose above = place(nc_v3(shifts[i], 1 + gap, shifts[i]), nc_v3(0, 0, tilt));
        const nc_proximity_list list = find_contacts(room, mesh, above, place(nc_v3(0, 0, 0), nc_v3(0, 0, 0)), gap);
        assert_true(list.count >= 2);
        for (int k = 0; k < list.count; k++) {
            check_at_most(nc_norm(nc_sub(room[k].normal, nc_v3(0, 1, 0))), 1.001 * tilt);
            check_at_most(fabs(room[k].normal.z), 1e-8);
        }
    }
    nc_mesh_release(mesh);
}

// ---- of worlds ----------------------------------------------------------------------------------------------

// Without friction and bounces; distances in m.
static nc_world *new_world(double gravity, double rest, double floor)
{
    nc_world_def def = nc_world_def_default();
    def.rest_distance = rest;
    def.proximity = 2 * rest;
    def.floor_distance = floor;
    def.gravity = nc_v3(0, -gravity, 0);
    def.friction = 0;
    def.restitution = 0;
    def.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    return world;
}

static nc_body_id add(nc_world *world, nc_mesh *mesh, nc_body_def def)
{
    nc_body_id id = {0, 0};
    nc_error err;
    def.mesh = mesh;
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(mesh);
    return id;
}

// A square of 10 m in two triangles.
static void add_floor(nc_world *world, double height)
{
    const nc_vec3 v[] = {{-5, 0, 5}, {5, 0, 5}, {-5, 0, -5}, {5, 0, -5}};
    const int t[][3] = {{1, 2, 0}, {1, 3, 2}};
    const nc_mesh_def square = {.vertices = v, .vertex_count = 4, .triangles = t, .triangle_count = 2};
    nc_body_def def = nc_body_def_default();
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&square, NULL, &mesh, &err), err);
    def.type = NC_STATIC;
    def.position = nc_v3(0, height, 0);
    add(world, mesh, def);
}

static nc_body_state read_body(const nc_world *world, nc_body_id id)
{
    nc_body_state body;
    nc_error err;
    check_ok(nc_body_read(world, id, &body, &err), err);
    return body;
}

static void step_once(nc_world *world)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, 0.01, &report, &err), err);
}

static void five_cubes_that_fall_level_on_each_other_are_not_pushed_sideways(void **state)
{
    (void)state;
    nc_world *world = new_world(9.8, 0.0087, 8.7e-5);
    nc_body_id cube[5];
    double aside = 0, fastest = 0;
    add_floor(world, -1);
    for (int k = 0; k < 5; k++) {
        nc_body_def def = nc_body_def_default();
        def.position = nc_v3(0, 1 + 2 * k, 0);
        cube[k] = add(world, make_box(1, 1, 1), def);
    }
    for (int i = 0; i < 200; i++) {
        step_once(world);
        for (int k = 0; k < 5; k++) {
            const nc_body_state body = read_body(world, cube[k]);
            aside = fmax(aside, fmax(hypot(body.velocity.x, body.velocity.z), 0.5 * nc_norm(body.spin)));
            fastest = fmax(fastest, fabs(body.velocity.y));
        }
    }
    print_message("fastest %g m/s; aside, or turning, %g of that\n", fastest, aside / fastest);
    check_at_most(aside, 1e-6 * fastest);
    nc_world_destroy(world);
}

// The ends of its edge pass the floor's seam 0.1 mm above it, where the sweep finds them near both sides of the seam.
// It comes when the floor distance stands: a start that near would lower it.
static void an_edge_that_slides_over_a_seam_keeps_its_velocity(void **state)
{
    (void)state;
    const nc_vec3 v[] = {{-0.5, 0, 1}, {0, 3, 1}, {-0.5, 0, -1}, {0, 3, -1}, {0.5, 0, 1}, {0.5, 0, -1}};
    const int t[][3] = {{1, 2, 0}, {1, 5, 3}, {5, 0, 2}, {1, 0, 4}, {2, 3, 5}, {1, 3, 2}, {1, 4, 5}, {5, 4, 0}};
    const nc_mesh_def wedge = {.vertices = v, .vertex_count = 6, .triangles = t, .triangle_count = 8};
    nc_world *world = new_world(0, 0.0187, 1e-4);
    nc_body_def def = nc_body_def_default();
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&wedge, NULL, &mesh, &err), err);
    add_floor(world, -1);
    step_once(world);
    def.position = nc_v3(4.9, 2.0001, 0);
    def.orientation = nc_quat_from_rotation_vector(nc_v3(0, 0, 3.14159265358979323846));
    def.velocity = nc_v3(-10, 0, 0);
    const nc_body_id body = add(world, mesh, def);
    for (int i = 0; i < 90; i++)
        step_once(world);
    check_at_most(nc_norm(nc_sub(read_body(world, body).velocity, nc_v3(-10, 0, 0))), 1e-6);
    check_at_most(nc_norm(read_body(world, body).spin), 1e-6);
    nc_world_destroy(world);
}

// The beam turns about z alone, as if on an axle: it is as heavy as ever about that axis only. Its four contacts with
// the cube take a thousand sweeps to agree.
static void a_cube_that_lands_square_on_a_lever_turns_about_its_axle_only(void **state)
{
    (void)state;
    nc_world *world = new_world(9.81, 0.055, 5.5e-4);
    nc_body_def def = nc_body_def_default();
    def.mass.mass = 7.5e12;
    def.mass.has_inertia = true;
    def.mass.inertia = (nc_mat3){{{1.4125e14, 0, 0}, {0, 1.4125e14, 0}, {0, 0, 141250}}};
    const nc_body_id beam = add(world, make_box(15, 1, 1), def);
    nc_error err;
    check_ok(nc_body_set_force(world, beam, nc_v3(0, 7.5e12 * 9.81, 0), nc_v3(0, 0, 0), &err), err);
    def = nc_body_def_default();
    def.position = nc_v3(7, 6, 0);
    def.mass.density = 7680;
    const nc_body_id cube = add(world, make_box(3, 3, 3), def);
    for (int i = 0; i < 100; i++)
        step_once(world);
    const nc_body_state body = read_body(world, cube);
    assert_true(body.spin.z < -0.1); // it has landed
    check_at_most(hypot(body.spin.x, body.spin.y), 1e-6 * 8.83);
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_level_above_an_equal_one_is_pushed_straight_up_however_it_is_shifted),
        cmocka_unit_test(an_edge_that_ends_where_a_face_ends_is_not_pushed_along_itself),
        cmocka_unit_test(the_normal_of_a_tilted_box_is_between_those_of_both_faces),
        cmocka_unit_test(five_cubes_that_fall_level_on_each_other_are_not_pushed_sideways),
        cmocka_unit_test(an_edge_that_slides_over_a_seam_keeps_its_velocity),
        cmocka_unit_test(a_cube_that_lands_square_on_a_lever_turns_about_its_axle_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
