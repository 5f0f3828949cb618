// Layouts in which bodies touch or overlap: found, measured, moved apart or refused.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#include "fail_allocator.h"

#define REST 1e-3 // [m]

static nc_world *new_world(const nc_allocator *allocator)
{
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    def.rest_distance = REST;
    def.proximity = 4 * REST;
    def.floor_distance = REST / 8;
    if (allocator != NULL)
        def.allocator = *allocator;
    nc_world *world = NULL;
    nc_error err;
    const nc_code code = nc_world_create(&def, &world, &err);
    assert_true(code == NC_OK || code == NC_OUT_OF_MEMORY);
    return world;
}

static nc_code put(nc_world *world, nc_body_type type, const char *shape, nc_vec3 size, nc_vec3 position,
                   nc_quat orientation, nc_body_id *id, nc_error *err)
{
    const nc_shape_parameter box[] = {{"width", size.x}, {"height", size.y}, {"depth", size.z}};
    const nc_shape_parameter other[] = {{"size", size.x}};
    const bool is_box = strcmp(shape, "box") == 0;
    nc_body_def def = nc_body_def_default();
    const nc_allocator allocator = world->settings.allocator;
    nc_code code = nc_shape_create(shape, is_box ? box : other, is_box ? 3 : 1, &allocator, &def.mesh, err);
    if (code != NC_OK)
        return code;
    def.type = type;
    def.position = position;
    def.orientation = orientation;
    code = nc_body_create(world, &def, id, err);
    nc_mesh_release(def.mesh);
    return code;
}

static nc_body_id put_box(nc_world *world, nc_body_type type, nc_vec3 size, nc_vec3 position)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(put(world, type, "box", size, position, nc_quat_identity(), &id, &err), err);
    return id;
}

static nc_body_id put_ground(nc_world *world)
{
    nc_body_id id = {0, 0};
    nc_error err;
    check_ok(put(world, NC_STATIC, "plane", nc_v3(40, 0, 0), nc_v3(0, 0, 0), nc_quat_identity(), &id, &err), err);
    return id;
}

static nc_pose pose_of(const nc_world *world, nc_body_id id)
{
    nc_body_state state;
    nc_error err;
    check_ok(nc_body_read(world, id, &state, &err), err);
    return state.pose;
}

// Repairs, and asks the start check; returns how many bodies were moved.
static int repair_well(nc_world *world)
{
    nc_repair repair;
    nc_error err = {0};
    nc_start_report start;
    assert_int_not_equal(nc_world_check(world, NULL, NULL), NC_OK);
    check_ok(nc_world_repair(world, NULL, &repair, &err), err);
    assert_int_equal(repair.left_count, 0);
    check_ok(nc_world_check(world, &start, &err), err);
    assert_int_equal(start.capped_pairs, 0); // all at their rest distance
    const int moved = repair.move_count;
    nc_repair_free(&repair);
    return moved;
}

// ---- what is moved ------------------------------------------------------------------------------------------

static void two_touching_boxes_are_moved_to_their_rest_distance(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    const nc_body_id a = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    const nc_body_id b = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(1, 0, 0));
    assert_int_equal(repair_well(world), 2);
    check_near(pose_of(world, b).x.x - pose_of(world, a).x.x, 1 + REST, 0.02 * REST);
    check_near(pose_of(world, a).x.y, 0, 0);
    nc_world_destroy(world);
}

static void the_lighter_body_moves_farther(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    const nc_body_id heavy = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 3), nc_v3(0, 0, 0));
    const nc_body_id light = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0.99, 0, 0));
    repair_well(world);
    const double total = 0.01 + 1.01 * REST;
    check_near(pose_of(world, heavy).x.x, -0.25 * total, 0.03 * total);
    check_near(pose_of(world, light).x.x - 0.99, 0.75 * total, 0.03 * total);
    nc_world_destroy(world);
}

static void a_stack_of_25_boxes_without_gaps_is_opened_upward(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    nc_body_id box[25];
    put_ground(world);
    for (int k = 0; k < 25; k++)
        box[k] = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0.5 + k, 0));
    assert_int_equal(repair_well(world), 25);
    for (int k = 0; k < 25; k++) {
        const nc_pose pose = pose_of(world, box[k]);
        check_near(pose.x.x, 0, 0);
        check_near(pose.x.z, 0, 0);
        check_near(pose.q.w, 1, 0);
        check_near(pose.x.y, 0.5 + k + (k + 1) * REST, 0.03 * (k + 1) * REST);
    }
    nc_world_destroy(world);
}

static void a_wall_of_200_bricks_without_gaps_stays_a_wall(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    const nc_vec3 size = {0.5, 0.25, 0.25};
    put_ground(world);
    for (int row = 0; row < 10; row++)
        for (int k = 0; k < 20; k++)
            put_box(world, NC_DYNAMIC, size, nc_v3(size.x * (k + 0.5 * (row % 2)), size.y * (row + 0.5), 0));
    nc_repair repair;
    nc_error err = {0};
    check_ok(nc_world_repair(world, NULL, &repair, &err), err);
    assert_int_equal(repair.move_count, 200);
    for (int k = 0; k < repair.move_count; k++) {
        const nc_repair_move *move = &repair.moves[k];
        check_at_most(nc_norm(move->rotation), 0);
        check_at_most(fabs(move->travel.z), 1e-12);
        check_at_most(fabs(move->travel.x), 11 * REST);
        check_near(move->travel.y, 1.01 * REST * (1 + floor(move->from.x.y / size.y)), REST);
    }
    check_ok(nc_world_check(world, NULL, &err), err);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

static void a_stack_beside_a_wall_slides_along_it(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    put_box(world, NC_STATIC, nc_v3(1, 50, 1), nc_v3(-1, 25.001, 0));
    for (int k = 0; k < 40; k++)
        put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0.5 + k, 0));
    assert_int_equal(repair_well(world), 40);
    nc_world_destroy(world);
}

static void static_kinematic_and_pinned_bodies_stay(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    const nc_body_id fixed = put_box(world, NC_KINEMATIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    const nc_body_id between = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0.99, 0, 0));
    const nc_body_id pinned = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(1.6, 0.99, 0));
    nc_repair_def def = nc_repair_def_default();
    nc_repair repair;
    nc_error err = {0};
    def.pinned = &pinned;
    def.pinned_count = 1;
    check_ok(nc_world_repair(world, &def, &repair, &err), err);
    assert_int_equal(repair.move_count, 1);
    assert_int_equal(repair.moves[0].body.index, between.index);
    check_near(pose_of(world, fixed).x.x, 0, 0);
    check_near(pose_of(world, pinned).x.y, 0.99, 0);
    check_ok(nc_world_check(world, NULL, &err), err);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

static void bodies_that_touch_nothing_keep_their_bits(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(1, 0, 0));
    const nc_body_id far = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 1.1, 0));
    const nc_body_id gone = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0.5, 0, 0));
    check_ok(nc_body_destroy(world, gone, NULL), ((nc_error){0}));
    const nc_pose before = pose_of(world, far);
    assert_int_equal(repair_well(world), 2);
    const nc_pose after = pose_of(world, far);
    assert_memory_equal(&before, &after, sizeof before);
    nc_world_destroy(world);
}

static void a_box_in_a_corner_leaves_both_walls(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    nc_body_id id;
    nc_error err;
    // The corner is one mesh: a floor and two walls.
    const nc_vec3 v[] = {{0, 0, 0}, {4, 0, 0}, {4, 0, 4}, {0, 0, 4}, {0, 4, 0}, {0, 4, 4}, {4, 4, 0}};
    const int t[][3] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 5}, {0, 5, 3}, {0, 1, 6}, {0, 6, 4}};
    const nc_mesh_def mesh = {.vertices = v, .vertex_count = 7, .triangles = t, .triangle_count = 6};
    nc_body_def def = nc_body_def_default();
    check_ok(nc_mesh_create(&mesh, NULL, &def.mesh, &err), err);
    def.type = NC_STATIC;
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(def.mesh);
    const nc_body_id box = put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0.49, 0.495, 0.5));
    repair_well(world);
    const nc_vec3 at = pose_of(world, box).x;
    check_near(at.x, 0.5 + REST, 0.1 * REST);
    check_near(at.y, 0.5 + REST, 0.1 * REST);
    check_near(at.z, 0.5 + REST, 0.1 * REST);
    nc_world_destroy(world);
}

static void what_translations_do_not_part_is_turned(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    nc_body_id box;
    nc_error err = {0};
    // A slot that the box fits into when it is straight.
    put_box(world, NC_STATIC, nc_v3(1, 3, 3), nc_v3(-1.003, 0, 0));
    put_box(world, NC_STATIC, nc_v3(1, 3, 3), nc_v3(1.003, 0, 0));
    const nc_quat tilted = nc_quat_from_rotation_vector(nc_v3(0, 0, 0.01));
    check_ok(put(world, NC_DYNAMIC, "box", nc_v3(1, 1, 1), nc_v3(0, 0, 0), tilted, &box, &err), err);
    nc_repair repair;
    check_ok(nc_world_repair(world, NULL, &repair, &err), err);
    assert_int_equal(repair.move_count, 1);
    check_near(repair.moves[0].rotation.z, -0.006, 0.003);
    check_ok(nc_world_check(world, NULL, &err), err);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

// ---- what is found ------------------------------------------------------------------------------------------

static void conflicts_have_a_kind_a_depth_and_a_direction(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_ground(world);
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0.5, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 1.49, 0));
    nc_repair found;
    nc_error err = {0};
    check_ok(nc_world_find_conflicts(world, NULL, -1, &found, &err), err);
    assert_int_equal(found.conflict_count, 2);
    assert_int_equal(found.conflicts[0].kind, NC_CONFLICT_TOUCHING);
    check_near(found.conflicts[0].depth, 0, 0);
    check_near(found.conflicts[0].direction.y, -1, 1e-9); // the ground would go down
    assert_int_equal(found.conflicts[1].kind, NC_CONFLICT_OVERLAPPING);
    check_near(found.conflicts[1].depth, 0.01, 2e-5);
    check_near(found.conflicts[1].direction.y, -1, 1e-9);
    nc_repair_free(&found);
    nc_world_destroy(world);
}

static void a_body_inside_a_closed_one_is_reported_and_left(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    put_box(world, NC_DYNAMIC, nc_v3(0.2, 0.2, 0.2), nc_v3(0.1, 0, 0));
    nc_repair repair;
    nc_error err = {0};
    check_ok(nc_world_repair(world, NULL, &repair, &err), err);
    assert_int_equal(repair.conflict_count, 1);
    assert_int_equal(repair.conflicts[0].kind, NC_CONFLICT_INSIDE);
    assert_false(repair.conflicts[0].a_is_inside);
    assert_int_equal(repair.move_count, 0);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

// ---- what is refused ----------------------------------------------------------------------------------------

static void deep_overlaps_are_refused_and_nothing_changes(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0.9, 0, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 5, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(1, 5, 0));
    const uint64_t before = nc_world_hash(world);
    nc_repair repair;
    nc_error err = {0};
    assert_int_equal(nc_world_repair(world, NULL, &repair, &err), NC_INTERSECTING);
    assert_int_equal(repair.conflict_count, 2);
    assert_int_equal(repair.left_count, 1);
    assert_int_equal(repair.left[0].b.index, 1);
    check_near(repair.left[0].depth, 0.1, 2e-4);
    assert_int_equal(repair.move_count, 0);
    assert_non_null(
        strstr(err.text, "body 0 and body 1 cannot be moved apart within the limit of 2%: they need 0.1 m"));
    assert_true(nc_world_hash(world) == before);
    nc_repair_free(&repair);
    nc_repair_def def = nc_repair_def_default();
    def.limit = 0.2;
    check_ok(nc_world_repair(world, &def, &repair, &err), err);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

static void what_has_no_room_is_refused(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    put_box(world, NC_STATIC, nc_v3(1, 1, 1), nc_v3(-0.995, 0, 0));
    put_box(world, NC_DYNAMIC, nc_v3(1, 1, 1), nc_v3(0, 0, 0));
    put_box(world, NC_STATIC, nc_v3(1, 1, 1), nc_v3(0.995, 0, 0));
    nc_repair repair;
    nc_error err = {0};
    assert_int_equal(nc_world_repair(world, NULL, &repair, &err), NC_INTERSECTING);
    assert_true(repair.left_count > 0);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

static void sheets_that_cross_are_parted_by_their_border_or_refused(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        nc_world *world = new_world(NULL);
        nc_body_id id;
        nc_error err = {0};
        const nc_quat upright = nc_quat_from_rotation_vector(nc_v3(0.5 * NC_PI, 0, 0));
        nc_body_def def = nc_body_def_default();
        const nc_shape_parameter size = {"size", 1};
        check_ok(nc_shape_create("plane", &size, 1, NULL, &def.mesh, &err), err);
        def.mass.thickness = 0.01;
        check_ok(nc_body_create(world, &def, &id, &err), err);
        def.orientation = upright;
        def.position = nc_v3(0.1, deep ? 0.1 : 0.49, 0.1);
        check_ok(nc_body_create(world, &def, &id, &err), err);
        nc_mesh_release(def.mesh);
        nc_repair repair;
        const nc_code code = nc_world_repair(world, NULL, &repair, &err);
        assert_int_equal(code, deep ? NC_INTERSECTING : NC_OK);
        assert_int_equal(repair.left_count, deep);
        assert_int_equal(nc_world_check(world, NULL, NULL), code);
        nc_repair_free(&repair);
        nc_world_destroy(world);
    }
}

static void definitions_without_meaning_are_refused(void **state)
{
    (void)state;
    nc_world *world = new_world(NULL);
    const nc_body_id none = {7, 7};
    nc_repair repair;
    nc_repair_def def = nc_repair_def_default();
    def.limit = 0;
    assert_int_equal(nc_world_repair(world, &def, &repair, NULL), NC_BAD_ARGUMENT);
    def = nc_repair_def_default();
    def.rounds = 0;
    assert_int_equal(nc_world_repair(world, &def, &repair, NULL), NC_BAD_ARGUMENT);
    def = nc_repair_def_default();
    def.pinned = &none;
    def.pinned_count = 1;
    assert_int_equal(nc_world_repair(world, &def, &repair, NULL), NC_BAD_ARGUMENT);
    check_ok(nc_world_repair(world, NULL, &repair, NULL), ((nc_error){0}));
    assert_int_equal(repair.conflict_count, 0);
    nc_repair_free(&repair);
    nc_world_destroy(world);
}

// ---- any layout ---------------------------------------------------------------------------------------------

static nc_code put_any(nc_world *world, nc_random *random, nc_body_type type, nc_vec3 at, nc_vec3 turn, nc_error *err)
{
    static const char *const shapes[] = {"box", "sphere", "cylinder"};
    const int kind = (int)(nc_random_u64(random) % 3);
    const nc_shape_parameter parameters[3][2] = {
        {{"size", 1}, {"depth", 1}}, {{"radius", 0.5}, {"splits", 3}}, {{"radius", 0.5}, {"segments", 12}}};
    nc_body_def def = nc_body_def_default();
    nc_body_id id;
    nc_code code = nc_shape_create(shapes[kind], parameters[kind], 2, NULL, &def.mesh, err);
    if (code != NC_OK)
        return code;
    def.type = type;
    def.position = at;
    def.orientation = nc_quat_from_rotation_vector(turn);
    code = nc_body_create(world, &def, &id, err);
    nc_mesh_release(def.mesh);
    return code;
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

// A heap on a grid whose cells are smaller than what is in them: overlaps of up to 2% of the size. Some bodies are
// static, so that there is not always room.
static nc_world *random_layout(uint64_t seed)
{
    nc_random random = {seed};
    nc_world *world = new_world(NULL);
    const int wide = 1 + (int)(nc_random_u64(&random) % 3), high = 1 + (int)(nc_random_u64(&random) % 4);
    const double shake = nc_random_unit(&random) < 0.5 ? 0 : 0.004, turn = nc_random_unit(&random) < 0.5 ? 0 : 0.004;
    const double cell = 1 - nc_random_range(&random, 0, 0.012), fixed = nc_random_unit(&random) < 0.8 ? 0 : 0.05;
    if (nc_random_unit(&random) < 0.7)
        put_ground(world);
    for (int k = 0; k < wide * wide * high; k++) {
        const nc_vec3 place = {cell * (k % wide), 0.5 * cell + cell * (k / (wide * wide)), cell * (k / wide % wide)};
        const nc_vec3 at = nc_add(place, random_vector(&random, shake)), by = random_vector(&random, turn);
        nc_error err = {0};
        check_ok(put_any(world, &random, nc_random_unit(&random) < fixed ? NC_STATIC : NC_DYNAMIC, at, by, &err), err);
    }
    return world;
}

static void any_layout_is_repaired_or_what_is_left_is_named(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("any_layout", 19);
    const int count = check_effort(50);
    int repaired = 0, refused = 0;
    for (int k = 0; k < count; k++) {
        nc_world *world = random_layout(seed + (uint64_t)k);
        const uint64_t before = nc_world_hash(world);
        nc_repair repair;
        nc_error err = {0};
        int pairs = 0;
        const nc_code code = nc_world_repair(world, NULL, &repair, &err);
        if (code == NC_OK) {
            repaired++;
            check_ok(nc_world_audit(world, NULL, 0, &pairs, &err), err);
            assert_int_equal(pairs, 0);
            check_ok(nc_world_check(world, NULL, &err), err);
        } else {
            refused++;
            print_message("layout %d of %d bodies, %d conflicts, %d rounds: %s\n", k, nc_world_body_count(world),
                          repair.conflict_count, repair.rounds, err.text);
            assert_int_equal(code, NC_INTERSECTING);
            assert_true(repair.left_count > 0);
            assert_true(nc_world_hash(world) == before);
        }
        nc_repair_free(&repair);
        nc_world_destroy(world);
    }
    print_message("%d repaired, %d refused\n", repaired, refused);
    assert_true(repaired > count / 2);
}

static void the_result_has_the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        nc_world *world = random_layout(5);
        nc_world_def settings = nc_world_settings(world);
        nc_error err = {0};
        nc_repair repair;
        settings.workers = k == 0 ? 1 : 4;
        check_ok(nc_world_set_settings(world, &settings, &err), err);
        nc_world_repair(world, NULL, &repair, &err);
        settings.workers = 1;
        check_ok(nc_world_set_settings(world, &settings, &err), err);
        hash[k] = nc_world_hash(world);
        nc_repair_free(&repair);
        nc_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- scenes -------------------------------------------------------------------------------------------------

// A slot that the box fits into when it is straight, and a pair of touching boxes of a generator.
static const char slot_scene[] =
    "nacre: 1\nworld: {rest_distance: 0.001}\nshapes: {wall: {generate: box, width: 1, height: 3, depth: 3}, box: "
    "{generate: box}}\n"
    "bodies:\n"
    "  - {name: left, shape: wall, type: static, position: [-1.003, 0, 0]}\n"
    "  - {name: right, shape: wall, type: static, position: [1.003, 0, 0]}\n"
    "  - {name: tilted, shape: box, rotation: {axis: [0, 0, 1], angle: 0.6}}\n"
    "  - {name: pair, shape: box, position: [10, 0, 0], chain: {count: 2, direction: [1, 0, 0], spacing: 1}}\n";

static const char pair_scene[] = "nacre: 1\nshapes: {box: {generate: box}}\n"
                                 "bodies: [{name: a, shape: box}, {name: b, shape: box, position: [1, 0, 0]}]\n";

typedef struct scene_trial {
    const char *text;
    int moved;
} scene_trial;

static nc_code repair_scene(const nc_allocator *allocator, void *ctx)
{
    scene_trial *trial = ctx;
    const nc_scene_def def = {
        .path = "s.yaml", .text = trial->text, .text_size = strlen(trial->text), .allocator = allocator};
    nc_scene *scene = NULL;
    nc_repair repair = {0};
    nc_error err = {0};
    nc_code code = nc_scene_load(&def, &scene, &err);
    nc_model model = {NULL, NULL};
    if (code == NC_OK)
        code = nc_scene_repair(&scene, NULL, &repair, &err);
    if (code == NC_OK) {
        nc_scene_settings settings = nc_scene_view(scene);
        settings.world.allocator = nc_allocator_or_default(allocator);
        code = nc_scene_build(scene, &settings, &model, &err);
    }
    if (code != NC_OK && code != NC_OUT_OF_MEMORY)
        print_error("%s\n", err.text);
    trial->moved = repair.move_count;
    nc_repair_free(&repair);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

static void a_repaired_scene_builds_with_bodies_moved_and_turned(void **state)
{
    (void)state;
    scene_trial trial = {.text = slot_scene};
    assert_int_equal(repair_scene(NULL, &trial), NC_OK);
    assert_int_equal(trial.moved, 3);
}

static void a_scene_whose_repair_runs_out_of_memory_is_as_it_was(void **state)
{
    (void)state;
    scene_trial trial = {.text = pair_scene};
    assert_true(fail_at_every_call(repair_scene, &trial) > 50);
}

// ---- words and memory ---------------------------------------------------------------------------------------

static void lengths_and_directions_have_words(void **state)
{
    (void)state;
    const nc_vec3 g = {0, -9.8, 0};
    char text[64];
    assert_string_equal(nc_length_text(0.0009, text, sizeof text), "0.9 mm");
    assert_string_equal(nc_length_text(1.5, text, sizeof text), "1.5 m");
    assert_string_equal(nc_length_text(2e-6, text, sizeof text), "2 um");
    assert_string_equal(nc_direction_text(nc_v3(0, 3, 0.1), g, text, sizeof text), "up");
    assert_string_equal(nc_direction_text(nc_v3(0, -1, 0), g, text, sizeof text), "down");
    assert_string_equal(nc_direction_text(nc_v3(-1, 0, 0), g, text, sizeof text), "-x");
    assert_string_equal(nc_direction_text(nc_v3(0, 1, 0), nc_v3(0, 0, -1), text, sizeof text), "+y");
    assert_string_equal(nc_direction_text(nc_v3(0.6, 0.8, 0), g, text, sizeof text), "(0.6, 0.8, 0)");
}

static nc_code repair_with(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_world *world = new_world(allocator);
    nc_body_id id;
    nc_repair repair = {0};
    nc_error err = {0};
    if (world == NULL)
        return NC_OUT_OF_MEMORY;
    nc_code code = NC_OK;
    for (int k = 0; k < 3 && code == NC_OK; k++)
        code = put(world, NC_DYNAMIC, "box", nc_v3(1, 1, 1), nc_v3(0.99 * k, 0, 0), nc_quat_identity(), &id, &err);
    if (code == NC_OK)
        code = nc_world_repair(world, NULL, &repair, &err);
    nc_repair_free(&repair);
    nc_world_destroy(world);
    return code;
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    assert_true(fail_at_every_call(repair_with, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_touching_boxes_are_moved_to_their_rest_distance),
        cmocka_unit_test(the_lighter_body_moves_farther),
        cmocka_unit_test(a_stack_of_25_boxes_without_gaps_is_opened_upward),
        cmocka_unit_test(a_wall_of_200_bricks_without_gaps_stays_a_wall),
        cmocka_unit_test(a_stack_beside_a_wall_slides_along_it),
        cmocka_unit_test(static_kinematic_and_pinned_bodies_stay),
        cmocka_unit_test(bodies_that_touch_nothing_keep_their_bits),
        cmocka_unit_test(a_box_in_a_corner_leaves_both_walls),
        cmocka_unit_test(what_translations_do_not_part_is_turned),
        cmocka_unit_test(conflicts_have_a_kind_a_depth_and_a_direction),
        cmocka_unit_test(a_body_inside_a_closed_one_is_reported_and_left),
        cmocka_unit_test(deep_overlaps_are_refused_and_nothing_changes),
        cmocka_unit_test(what_has_no_room_is_refused),
        cmocka_unit_test(sheets_that_cross_are_parted_by_their_border_or_refused),
        cmocka_unit_test(definitions_without_meaning_are_refused),
        cmocka_unit_test(any_layout_is_repaired_or_what_is_left_is_named),
        cmocka_unit_test(the_result_has_the_same_bits_for_any_number_of_workers),
        cmocka_unit_test(a_repaired_scene_builds_with_bodies_moved_and_turned),
        cmocka_unit_test(a_scene_whose_repair_runs_out_of_memory_is_as_it_was),
        cmocka_unit_test(lengths_and_directions_have_words),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
