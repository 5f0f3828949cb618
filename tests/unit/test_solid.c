// Solids of primitives: bounds over boxes, meshes against closed forms, and the contacts of a pair by points.
#include "check.h"
#include "fail_allocator.h"
#include "scene_text.h"

#include "nacre/world.h"

#include "narrow/narrow.h"

#define NODE(kind_, ...)                                                                                               \
    {                                                                                                                  \
        .kind = (kind_), .pose = {.q = {1, 0, 0, 0}}, __VA_ARGS__                                                      \
    }

static double volume_of(const nc_mesh *mesh)
{
    const nc_mesh_data d = nc_mesh_view(mesh);
    double six = 0;
    for (int i = 0; i < d.triangle_count; i++) {
        const int *t = d.triangles[i];
        six += nc_dot(d.vertices[t[0]], nc_cross(d.vertices[t[1]], d.vertices[t[2]]));
    }
    return six / 6;
}

static nc_mesh *mesh_of(const nc_csg_node *nodes, int count, double cell, nc_csg_mesh_info *info)
{
    const nc_csg csg = {nodes, count};
    const nc_csg_mesh_def def = {.cell = cell};
    nc_mesh *mesh = NULL;
    nc_error err = {0};
    check_ok(nc_csg_mesh(&csg, &def, NULL, &mesh, info, &err), err);
    return mesh;
}

// ---- bounds -------------------------------------------------------------------------------------------------

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static nc_csg_node random_primitive(nc_random *random)
{
    nc_csg_node node = {.kind = (nc_csg_kind)nc_random_range(random, 0, 7.999)};
    const nc_vec3 q = random_vector(random, 1);
    node.pose = (nc_pose){random_vector(random, 0.5), {1, q.x, q.y, q.z}};
    node.size =
        nc_v3(nc_random_range(random, 0.2, 0.8), nc_random_range(random, 0, 0.6), nc_random_range(random, 0, 0.7));
    return node;
}

// Three primitives under two operations.
static void random_solid(nc_random *random, nc_csg_node nodes[5])
{
    for (int i = 0; i < 3; i++)
        nodes[i] = random_primitive(random);
    for (int i = 3; i < 5; i++) {
        nodes[i] = (nc_csg_node){.kind = (nc_csg_kind)(NC_CSG_UNION + (int)nc_random_range(random, 0, 2.999))};
        nodes[i].size.x = nodes[i].kind == NC_CSG_UNION ? fmax(0, nc_random_range(random, -0.3, 0.3)) : 0;
        nodes[i].a = i == 3 ? 0 : 3;
        nodes[i].b = i == 3 ? 1 : 2;
    }
}

static nc_oriented_box random_box(nc_random *random)
{
    const double size = nc_random_range(random, 0.001, 0.5);
    nc_oriented_box box = {.center = random_vector(random, 1.2)};
    const nc_vec3 q = random_vector(random, 1);
    const nc_mat3 m = nc_quat_matrix((nc_quat){1, q.x, q.y, q.z});
    for (int k = 0; k < 3; k++)
        box.axis[k] = nc_scale(size * nc_random_range(random, 0, 1), m.row[k]);
    return box;
}

static void bounds_over_a_box_hold_at_every_place_of_it(void **state)
{
    (void)state;
    nc_random random = {check_seed("solid bounds", 2102)};
    int decided = 0;
    const int rounds = check_effort(4000);
    for (int i = 0; i < rounds; i++) {
        nc_csg_node nodes[5];
        random_solid(&random, nodes);
        const nc_csg csg = {nodes, i % 2 == 0 ? 1 : 5};
        const nc_oriented_box box = random_box(&random);
        double low, high;
        nc_csg_range(&csg, &box, &low, &high);
        decided += low > 0 || high < 0;
        for (int k = 0; k < 20; k++) {
            nc_vec3 p = box.center;
            for (int a = 0; a < 3; a++) // corners, too
                p = nc_madd(p, fmax(-1, fmin(nc_random_range(&random, -1.5, 1.5), 1)), box.axis[a]);
            const double value = nc_csg_value(&csg, p);
            assert_true(value >= low - 1e-12 && value <= high + 1e-12);
        }
    }
    assert_true(decided > rounds / 4); // bounds that never decide are of no use
}

static void functions_of_solids_have_slope_one_and_gradients_that_are_theirs(void **state)
{
    (void)state;
    nc_random random = {check_seed("solid slopes", 2103)};
    for (int i = 0; i < check_effort(4000); i++) {
        nc_csg_node nodes[5];
        random_solid(&random, nodes);
        const nc_csg csg = {nodes, i % 2 == 0 ? 1 : 5};
        nc_target target;
        nc_error err = {0};
        check_ok(nc_target_csg(&csg, &target, &err), err);
        const nc_vec3 p = random_vector(&random, 1), step = random_vector(&random, 0.2), q = nc_add(p, step);
        assert_true(fabs(nc_csg_value(&csg, p) - nc_csg_value(&csg, q)) <= nc_norm(step) * (1 + 1e-12));
        // A step along the normal goes up, as far as the function is smooth there.
        const nc_vec3 n = target.normal(target.ctx, p);
        const double up = nc_csg_value(&csg, nc_madd(p, 1e-7, n)) - nc_csg_value(&csg, p);
        assert_true(nc_norm(n) == 0 || up > -1e-12);
    }
}

// ---- meshes -------------------------------------------------------------------------------------------------

static void check_closed(const nc_mesh *mesh)
{
    const nc_mesh_data d = nc_mesh_view(mesh);
    assert_true(d.closed);
    assert_int_equal(2 * d.edge_count, 3 * d.triangle_count);
}

// A ball with a hole through its middle: pi h^3 / 6, h the height of what is left, whatever the radius.
static void a_napkin_ring_has_the_volume_of_its_height(void **state)
{
    (void)state;
    const nc_csg_node nodes[3] = {NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0}), NODE(NC_CSG_CYLINDER, .size = {0.3, 0, 2}),
                                  NODE(NC_CSG_DIFFERENCE, .a = 0, .b = 1)};
    const double exact = NC_PI * 0.8 * 0.8 * 0.8 / 6;
    double last = INFINITY;
    for (int n = 16; n <= 64; n *= 2) {
        nc_csg_mesh_info info;
        nc_mesh *mesh = mesh_of(nodes, 3, 1.0 / n, n < 64 ? &info : NULL);
        const double error = fabs(volume_of(mesh) / exact - 1);
        check_closed(mesh);
        assert_true(error < last / 3);                                         // second order
        assert_true(n == 64 || (info.beyond < 1.2 / n && info.off < 1.0 / n)); // its edge is sharp as a knife
        last = error;
        nc_mesh_release(mesh);
    }
    assert_true(last < 2e-3);
}

// Two cylinders that cross at right angles: Steinmetz' solid, 16/3 r^3.
static void crossed_cylinders_have_the_volume_of_steinmetz(void **state)
{
    (void)state;
    const double h = sqrt(0.5);
    const nc_csg_node nodes[3] = {
        NODE(NC_CSG_CYLINDER, .size = {0.5, 0, 1}),
        {.kind = NC_CSG_CYLINDER, .pose = {.q = {h, h, 0, 0}}, .size = {0.5, 0, 1}},
        NODE(NC_CSG_INTERSECTION, .a = 0, .b = 1),
    };
    nc_csg_mesh_info info;
    nc_mesh *mesh = mesh_of(nodes, 3, 1.0 / 48, &info);
    check_closed(mesh);
    assert_true(fabs(volume_of(mesh) / (16.0 / 3 * 0.125) - 1) < 3e-3);
    nc_mesh_release(mesh);
}

typedef struct closed_form {
    nc_csg_node node;
    double volume, tolerance;
} closed_form;

static void primitives_have_their_volumes(void **state)
{
    (void)state;
    const closed_form cases[] = {
        {NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0}), NC_PI / 6, 3e-3},
        {NODE(NC_CSG_BOX, .size = {0.5, 0.3, 0.2}), 0.24, 1e-7}, // flat faces and sharp edges are met exactly
        {NODE(NC_CSG_CYLINDER, .size = {0.4, 0, 0.5}), NC_PI * 0.16, 3e-3},
        {NODE(NC_CSG_CAPSULE, .size = {0.2, 0, 0.3}), NC_PI * (0.04 * 0.6 + 4.0 / 3 * 0.008), 5e-3},
        {NODE(NC_CSG_CONE, .size = {0.5, 0.2, 0.3}), NC_PI * 0.6 / 3 * (0.25 + 0.1 + 0.04), 3e-3},
        {NODE(NC_CSG_CONE, .size = {0.5, 0, 0.5}), NC_PI * 0.25 / 3, 5e-3},
        {NODE(NC_CSG_TORUS, .size = {0.4, 0.1, 0}), 2 * NC_PI * NC_PI * 0.4 * 0.01, 1e-2},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        nc_csg_mesh_info info;
        nc_mesh *mesh = mesh_of(&cases[i].node, 1, 1.0 / 40, &info);
        check_closed(mesh);
        check_near(volume_of(mesh) / cases[i].volume, 1, cases[i].tolerance);
        nc_mesh_release(mesh);
    }
}

// Every place of the surface that sampling finds is within `beyond` of the mesh, every sample of the mesh within `off`.
static void the_proven_errors_hold_for_dense_samples_of_both(void **state)
{
    (void)state;
    nc_random random = {check_seed("solid error", 2104)};
    int meshes = 0;
    for (int i = 0; i < check_effort(24); i++) {
        nc_csg_node nodes[7];
        random_solid(&random, nodes);
        nodes[5] = (nc_csg_node)NODE(NC_CSG_BOX, .size = {0.8, 0.8, 0.8});
        nodes[6] = (nc_csg_node)NODE(NC_CSG_INTERSECTION, .a = 4, .b = 5);
        const nc_csg csg = {nodes, 7};
        const nc_csg_mesh_def def = {.cell = 0.08};
        nc_csg_mesh_info info;
        nc_mesh *mesh = NULL;
        nc_error err = {0};
        if (nc_csg_mesh(&csg, &def, NULL, &mesh, &info, &err) != NC_OK)
            continue; // nothing left of it
        meshes++;
        check_closed(mesh);
        const nc_target target = nc_target_mesh(mesh);
        for (int k = 0; k < 400; k++) { // roots on random lines
            nc_vec3 a = random_vector(&random, 0.9), b = random_vector(&random, 0.9);
            if ((nc_csg_value(&csg, a) < 0) == (nc_csg_value(&csg, b) < 0))
                continue;
            for (int step = 0; step < 60; step++) {
                const nc_vec3 middle = nc_scale(0.5, nc_add(a, b));
                if ((nc_csg_value(&csg, middle) < 0) == (nc_csg_value(&csg, a) < 0))
                    a = middle;
                else
                    b = middle;
            }
            const nc_vec3 e = nc_scale(info.beyond * 0.58, nc_v3(1, 0, 0));
            const nc_oriented_box around = {
                a, {nc_scale(1.74, e), nc_v3(0, 1.01 * info.beyond, 0), nc_v3(0, 0, 1.01 * info.beyond)}};
            assert_true(target.may_intersect_box(target.ctx, &around));
        }
        const nc_mesh_data d = nc_mesh_view(mesh);
        for (int k = 0; k < d.vertex_count; k++)
            assert_true(fabs(nc_csg_value(&csg, d.vertices[k])) <= info.off * (1 + 1e-9)); // slope 1
        nc_mesh_release(mesh);
    }
    assert_true(meshes >= check_effort(24) / 3);
}

static void solids_that_make_no_mesh_are_refused_with_the_reason(void **state)
{
    (void)state;
    const nc_csg_mesh_def def = {.cell = 0.1}, fine = {.cell = 1e-6};
    const nc_csg_node plane = NODE(NC_CSG_HALF_SPACE, .a = 0), ball = NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0});
    const nc_csg_node apart[3] = {NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0}),
                                  {.kind = NC_CSG_SPHERE, .pose = {{2, 0, 0}, {1, 0, 0, 0}}, .size = {0.5, 0, 0}},
                                  NODE(NC_CSG_INTERSECTION, .a = 0, .b = 1)};
    nc_mesh *mesh;
    nc_error err = {0};
    assert_int_equal(nc_csg_mesh(&(nc_csg){&plane, 1}, &def, NULL, &mesh, NULL, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "no bounds"));
    assert_int_equal(nc_csg_mesh(&(nc_csg){&ball, 1}, &fine, NULL, &mesh, NULL, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "larger"));
    assert_int_equal(nc_csg_mesh(&(nc_csg){apart, 3}, &def, NULL, &mesh, NULL, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "empty"));
}

static nc_code mesh_once(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    const nc_csg_node ball = NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0});
    const nc_csg_mesh_def def = {.cell = 0.2};
    nc_csg_mesh_info info;
    nc_mesh *mesh = NULL;
    const nc_code code = nc_csg_mesh(&(nc_csg){&ball, 1}, &def, allocator, &mesh, &info, NULL);
    nc_mesh_release(mesh);
    return code;
}

static void every_failed_allocation_of_a_mesh_is_clean(void **state)
{
    (void)state;
    fail_at_every_call(mesh_once, NULL);
}

// ---- contacts of a pair -------------------------------------------------------------------------------------

static nc_trajectory_list contacts_of(const nc_trajectory_body *a, const nc_trajectory_body *b, double window,
                                      const nc_allocator *allocator)
{
    const nc_trajectory_def def = nc_trajectory_def_default();
    nc_trajectory_list list = {.allocator = allocator};
    nc_error err = {0};
    check_ok(nc_trajectory_contacts(a, b, &def, window, &list, &err), err);
    return list;
}

static void a_box_that_falls_flat_touches_with_four_corners_at_once(void **state)
{
    (void)state;
    const nc_allocator allocator = nc_allocator_default();
    const nc_csg_node floor_node = NODE(NC_CSG_HALF_SPACE, .a = 0);
    const nc_csg floor_csg = {&floor_node, 1};
    nc_target floor_target;
    nc_error err = {0};
    check_ok(nc_target_csg(&floor_csg, &floor_target, &err), err);
    nc_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = nc_v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    const nc_trajectory_body box = {
        .points = corners, .point_count = 8, .motion = {.start = {{0, 0, 1.5}, {1, 0, 0, 0}}, .travel = {0.3, 0, -2}}};
    const nc_trajectory_body ground = {.target = &floor_target, .motion = {.start = {.q = {1, 0, 0, 0}}}};
    nc_trajectory_list list = contacts_of(&box, &ground, 1e-4, &allocator);
    assert_int_equal(list.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(list.data[i].point, i);
        assert_true(list.data[i].toi <= 0.5 && list.data[i].toi > 0.5 - 1e-6);
        check_near(list.data[i].normal.z, 1, 1e-12);
        check_near(list.data[i].place.z, 0, 1e-6);
    }
    nc_trajectory_list_free(&list);
    // With the roles exchanged the same points are there, and the normal still goes from B to A.
    list = contacts_of(&ground, &box, 1e-4, &allocator);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.data[0].body, 1);
    check_near(list.data[0].normal.z, -1, 1e-12);
    nc_trajectory_list_free(&list);
}

// One-sided: what dense sampling of the motion sees inside, the set has, and no later.
static void contacts_miss_no_point_that_dense_sampling_of_the_motion_finds(void **state)
{
    (void)state;
    const nc_allocator allocator = nc_allocator_default();
    nc_random random = {check_seed("contacts", 2105)};
    int found = 0, several = 0;
    for (int i = 0; i < check_effort(60); i++) {
        nc_csg_node nodes[5];
        random_solid(&random, nodes);
        const nc_csg csg = {nodes, 5};
        nc_target target;
        nc_error err = {0};
        check_ok(nc_target_csg(&csg, &target, &err), err);
        nc_vec3 points[12];
        for (int k = 0; k < 12; k++)
            points[k] = random_vector(&random, 0.4);
        const nc_trajectory_body a = {.points = points,
                                      .point_count = 12,
                                      .motion = {{{-2.5, 0, 0}, {1, 0, 0, 0}}, {3, 0, 0}, random_vector(&random, 4)}};
        const nc_trajectory_body b = {.target = &target,
                                      .motion = {.start = {.q = {1, 0, 0, 0}}, .rotation = random_vector(&random, 2)}};
        const double window = 0.02;
        nc_trajectory_list list = contacts_of(&a, &b, window, &allocator);
        const nc_path path_a = nc_motion_path(&a.motion), path_b = nc_motion_path(&b.motion);
        double first[12];
        for (int k = 0; k < 12; k++) {
            first[k] = INFINITY;
            for (int step = 0; step <= 4000 && first[k] == INFINITY; step++) {
                const double t = step / 4000.0;
                const nc_vec3 world = nc_pose_apply(nc_path_pose(&path_a, t), points[k]);
                const nc_pose there = nc_path_pose(&path_b, t);
                const nc_vec3 local = nc_mat3_tmul(nc_quat_matrix(there.q), nc_sub(world, there.x));
                if (nc_csg_value(&csg, local) < -1e-9)
                    first[k] = t;
            }
            assert_true(list.toi <= first[k]);
        }
        for (int k = 0; k < 12; k++) {
            const nc_trajectory_point *hit = NULL;
            for (int n = 0; n < list.count; n++)
                if (list.data[n].point == k)
                    hit = &list.data[n];
            if (first[k] <= fmin(list.toi + window, 1)) {
                assert_non_null(hit);
                assert_true(hit->toi <= first[k]);
                found++;
            }
            assert_true(hit == NULL || hit->toi <= list.toi + window);
        }
        several += list.count > 1;
        nc_trajectory_list_free(&list);
    }
    assert_true(found > 20 && several > 5);
}

// ---- the engine against the solid itself ------------------------------------------------------------------------

#define FALLING                                                                                                        \
    "nacre: 1\nworld: {gravity: [0, 0, 0], timestep: 1/500}\n"                                                         \
    "shapes:\n  hill: {cell: 0.04, csg: {union: [{solid: sphere, radius: 0.5}, "                                       \
    "{solid: cylinder, radius: 0.2, height: 1.3}], blend: 0.2}}\n  box: {generate: box, size: 0.1}\n"                  \
    "bodies:\n  - {shape: hill, type: static}\n  - {name: box, shape: box, position: [%g, 1, 0.05], "                  \
    "velocity: [0, -1, 0], rotation: {axis: [1, 0.3, 0.2], angle: 40}}\n"

// The hill of the scene; primitives are about z here.
static const nc_csg_node hill[3] = {
    NODE(NC_CSG_SPHERE, .size = {0.5, 0, 0}),
    {.kind = NC_CSG_CYLINDER, .pose = {.q = {0.70710678118654757, -0.70710678118654757, 0, 0}}, .size = {0.2, 0, 0.65}},
    NODE(NC_CSG_UNION, .size = {0.2, 0, 0}, .a = 0, .b = 1),
};

// When the box is no longer as fast as it was: at the end of that step.
static double time_of_impact(const char *text, nc_motion *motion, nc_mesh **mesh)
{
    nc_scene *scene = scene_of(text);
    nc_world *world = world_of(scene);
    nc_error err = {0};
    nc_step_report report;
    double time = INFINITY;
    const nc_body_id box = nc_world_find(world, "box");
    nc_body_state state;
    check_ok(nc_body_read(world, box, &state, &err), err);
    *motion = (nc_motion){.start = state.pose, .travel = {0, -1, 0}};
    check_ok(nc_shape_create("box", (nc_shape_parameter[]){{"size", 0.1}}, 1, NULL, mesh, &err), err);
    for (int step = 1; step <= 500 && time == INFINITY; step++) {
        check_ok(nc_world_step(world, 1.0 / 500, &report, &err), err);
        check_ok(nc_body_read(world, box, &state, &err), err);
        if (fabs(state.velocity.y + 1) > 1e-6)
            time = step / 500.0;
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return time;
}

static void the_engine_hits_the_mesh_when_the_solid_itself_is_hit_up_to_the_proven_error(void **state)
{
    (void)state;
    const nc_csg csg = {hill, 3};
    nc_csg_mesh_info info;
    nc_mesh_release(mesh_of(hill, 3, 0.04, &info));
    nc_target target;
    nc_error err = {0};
    check_ok(nc_target_csg(&csg, &target, &err), err);
    for (double x = 0; x < 0.12; x += 0.05) {
        char text[1024];
        nc_motion motion;
        nc_mesh *box;
        snprintf(text, sizeof text, FALLING, x);
        const double time = time_of_impact(text, &motion, &box);
        const nc_mesh_data data = nc_mesh_view(box);
        const nc_trajectory_def def = nc_trajectory_def_default();
        nc_trajectory_result exact;
        check_ok(nc_trajectory_contact(data.vertices, data.vertex_count, &motion, &target, NULL, &def, &exact, &err),
                 err);
        assert_int_equal(exact.verdict, NC_HIT);
        // The top is flat: an error of the mesh is one of the height, at 1 m/s; and a step, and the rest distance.
        check_near(time, exact.toi, fmax(info.beyond, info.off) + 1.0 / 500 + 1e-3);
        nc_mesh_release(box);
    }
}

// ---- parametric surfaces --------------------------------------------------------------------------------------

static nc_vec3 ball_point(const void *ctx, double u, double v, nc_vec3 *du, nc_vec3 *dv)
{
    const double r = *(const double *)ctx;
    double su, cu, sv, cv;
    nc_sincos(u, &su, &cu);
    nc_sincos(v, &sv, &cv);
    if (du != NULL)
        *du = nc_v3(-r * su * cv, r * cu * cv, 0);
    if (dv != NULL)
        *dv = nc_v3(-r * cu * sv, -r * su * sv, r * cv);
    return nc_v3(r * cu * cv, r * su * cv, r * sv);
}

static void a_parametric_sphere_is_touched_where_the_implicit_one_is(void **state)
{
    (void)state;
    const double radius = 0.7;
    const nc_parametric ball = {.point = ball_point,
                                .ctx = &radius,
                                .u = {-NC_PI, NC_PI},
                                .v = {-0.5 * NC_PI, 0.5 * NC_PI},
                                .slope_u = 0.7,
                                .slope_v = 0.7,
                                .error = 1e-15};
    const nc_csg_node node = NODE(NC_CSG_SPHERE, .size = {0.7, 0, 0});
    const nc_csg csg = {&node, 1};
    nc_target surface, solid;
    nc_error err = {0};
    check_ok(nc_target_parametric(&ball, &surface, &err), err);
    check_ok(nc_target_csg(&csg, &solid, &err), err);
    nc_random random = {check_seed("parametric", 2106)};
    nc_trajectory_def def = nc_trajectory_def_default();
    def.epsilon = 1e-4;
    for (int i = 0; i < check_effort(40); i++) {
        const nc_vec3 points[2] = {random_vector(&random, 0.5), random_vector(&random, 0.5)};
        const nc_motion motion = {{{-2, 0, 0}, {1, 0, 0, 0}}, {3, 0, 0}, random_vector(&random, 3)};
        nc_trajectory_result a, b;
        def.segments = i % 4 == 3;
        check_ok(nc_trajectory_contact(points, 2, &motion, &surface, NULL, &def, &a, &err), err);
        check_ok(nc_trajectory_contact(points, 2, &motion, &solid, NULL, &def, &b, &err), err);
        if (a.verdict != NC_HIT || b.verdict != NC_HIT || a.point != b.point || fabs(b.normal.x) < 0.3)
            continue; // grazing contacts are within epsilon for one of them and not for the other
        assert_true(fabs(a.toi - b.toi) < 1e-3);
        assert_true(nc_dot(a.normal, b.normal) > 1 - 1e-3);
    }
}

// A patch whose control points are a flat lattice is a square.
static void a_flat_patch_is_met_at_its_plane_and_missed_beside_it(void **state)
{
    (void)state;
    nc_bezier_patch patch;
    for (int i = 0; i < 16; i++)
        patch.control[i] = nc_v3(i / 4 / 3.0, i % 4 / 3.0, 0.25);
    nc_parametric surface;
    nc_target target;
    nc_error err = {0};
    check_ok(nc_bezier_parametric(&patch, &surface, &err), err);
    check_ok(nc_target_parametric(&surface, &target, &err), err);
    const nc_trajectory_def def = nc_trajectory_def_default();
    const nc_vec3 point = {0, 0, 0};
    nc_trajectory_result r;
    nc_motion fall = {{{0.4, 0.6, 1.25}, {1, 0, 0, 0}}, {0, 0, -2}, {0, 0, 0}};
    check_ok(nc_trajectory_contact(&point, 1, &fall, &target, NULL, &def, &r, &err), err);
    assert_int_equal(r.verdict, NC_HIT);
    assert_true(r.toi <= 0.5 && r.toi > 0.5 - 2e-6);
    check_near(r.normal.z, 1, 1e-9);
    fall.start.x.x = 1.01;
    check_ok(nc_trajectory_contact(&point, 1, &fall, &target, NULL, &def, &r, &err), err);
    assert_int_equal(r.verdict, NC_CLEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_over_a_box_hold_at_every_place_of_it),
        cmocka_unit_test(functions_of_solids_have_slope_one_and_gradients_that_are_theirs),
        cmocka_unit_test(a_napkin_ring_has_the_volume_of_its_height),
        cmocka_unit_test(crossed_cylinders_have_the_volume_of_steinmetz),
        cmocka_unit_test(primitives_have_their_volumes),
        cmocka_unit_test(the_proven_errors_hold_for_dense_samples_of_both),
        cmocka_unit_test(solids_that_make_no_mesh_are_refused_with_the_reason),
        cmocka_unit_test(every_failed_allocation_of_a_mesh_is_clean),
        cmocka_unit_test(a_box_that_falls_flat_touches_with_four_corners_at_once),
        cmocka_unit_test(contacts_miss_no_point_that_dense_sampling_of_the_motion_finds),
        cmocka_unit_test(the_engine_hits_the_mesh_when_the_solid_itself_is_hit_up_to_the_proven_error),
        cmocka_unit_test(a_parametric_sphere_is_touched_where_the_implicit_one_is),
        cmocka_unit_test(a_flat_patch_is_met_at_its_plane_and_missed_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
