// Mechanisms of a scene: joints in groups, joints between neighbours of a generator, ragdolls, doors and wheels.
#include "check.h"
#include "fail_allocator.h"

#include "base/base.h"
#include "scene/description.h"
#include "scene_text.h"

#define HEAD "nacre: 1\nshapes: {box: {generate: box, size: 0.5, mass: 2}}\n"

static const nc_scene_joint *joint_named(const nc_scene *scene, const char *name)
{
    for (int i = 0; i < scene->joints.count; i++)
        if (scene->joints.data[i].def.name != NULL && strcmp(scene->joints.data[i].def.name, name) == 0)
            return &scene->joints.data[i];
    fail_msg("there is no joint \"%s\"", name);
    return NULL;
}

static void check_bodies(const nc_scene *scene, const nc_scene_joint *joint, const char *body, const char *to)
{
    assert_string_equal(scene->bodies.data[joint->pair.a].name, body);
    if (to == NULL)
        assert_int_equal(joint->pair.b, -1);
    else
        assert_string_equal(scene->bodies.data[joint->pair.b].name, to);
}

// The scene's world can be made: its start is free of intersections, its joints are accepted.
static void check_builds(const nc_scene *scene)
{
    nc_world_destroy(world_of(scene));
}

static void joints_of_a_group_are_in_its_frame_and_among_its_members(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of(HEAD "groups: {arm: {bodies: [{shape: box, name: a}, {shape: box, name: b, position: [1, 0, 0]}], "
                      "joints: [{name: elbow, body: b, to: a, anchor: [0.5, 0, 0], axis: [0, 1, 0]}]}}\n"
                      "bodies: [{group: arm, name: arm, position: [0, 0, 5], rotation: {axis: [0, 0, 1], angle: 90}, "
                      "grid: {count: [2, 1, 1], spacing: 4}}]\n");
    assert_int_equal(scene->joints.count, 2);
    for (int i = 0; i < 2; i++) {
        char name[3][32];
        const char *const parts[] = {"elbow", "a", "b"};
        for (int k = 0; k < 3; k++)
            snprintf(name[k], sizeof name[k], "arm.%d/%s", i, parts[k]);
        const nc_scene_joint *joint = joint_named(scene, name[0]);
        check_bodies(scene, joint, name[2], name[1]);
        const nc_vec3 expected = {i == 0 ? -2 : 2, 0.5, 5}, axis = {-1, 0, 0};
        assert_true(nc_norm(nc_sub(joint->def.anchor, expected)) < 1e-12);
        assert_true(nc_norm(nc_sub(joint->def.axis, axis)) < 1e-12);
    }
    check_builds(scene);
    nc_scene_destroy(scene);
}

static void a_joint_of_a_group_finds_bodies_around_the_group(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(
        HEAD
        "groups: {car: {bodies: [{shape: box, name: chassis, position: [0, 1, 0]}, {name: w, wheel: {to: chassis}, "
        "position: [0, 1, 1], chain: {count: 2, spacing: 4, direction: [0, 0, 1]}}]}}\n"
        "bodies: [{shape: box, name: chassis, position: [9, 9, 9]}, {group: car, name: red}]\n");
    check_bodies(scene, joint_named(scene, "red/w.1/axle"), "red/w.1/wheel", "red/chassis");
    nc_scene_destroy(scene);
}

static void neighbours_of_a_generator_are_joined(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of(HEAD "bodies: [{shape: box, name: link, chain: {count: 4, spacing: 1, direction: [0, 1, 0], joint: "
                      "{kind: ball, name: j}}}, {shape: box, name: bead, ring: {count: 12, radius: 2, center: [9, 0, "
                      "0], joint: {kind: ball, name: r}}}]\n");
    assert_int_equal(scene->joints.count, 3 + 12);
    const nc_scene_joint *joint = joint_named(scene, "j.1");
    check_bodies(scene, joint, "link.2", "link.1");
    assert_true(nc_norm(nc_sub(joint->def.anchor, nc_v3(0, 1.5, 0))) < 1e-15);
    check_bodies(scene, joint_named(scene, "r.11"), "bead.0", "bead.11");
    check_builds(scene);
    nc_scene_destroy(scene);
}

// The last copy is joined to the first only where the line closes, and two copies are joined once.
static void only_a_closed_line_of_copies_joins_its_last_to_its_first(void **state)
{
    (void)state;
    static const struct {
        const char *generator;
        int joints;
    } rows[] = {
        {"ring: {count: 2, radius: 2, ", 1},
        {"ring: {count: 3, radius: 2, ", 3},
        {"ring: {count: 3, radius: 2, arc: 90, ", 2},
        {"chain: {count: 3, spacing: 2, ", 2},
        {"along: {points: [[0, 0, 0], [4, 0, 0], [4, 0, 4]], count: 3, ", 2},
        {"along: {points: [[0, 0, 0], [4, 0, 0], [4, 0, 4]], closed: true, count: 3, ", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%sbodies: [{shape: box, %sjoint: {kind: ball}}}]\n", HEAD, rows[i].generator);
        nc_scene *scene = scene_of(text);
        assert_int_equal(scene->joints.count, rows[i].joints);
        nc_scene_destroy(scene);
    }
}

static void a_ragdoll_has_its_height_and_its_mass(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nbodies: [{name: doll, ragdoll: {height: 1.2, mass: 30}}]\n");
    double low = 1e9, high = -1e9, mass = 0;
    assert_int_equal(scene->bodies.count, 10);
    assert_int_equal(scene->joints.count, 9);
    for (int i = 0; i < 10; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        const nc_box box = nc_mesh_view(scene->shapes.data[body->shape].mesh).box;
        low = fmin(low, body->position.y + box.lo.y);
        high = fmax(high, body->position.y + box.hi.y);
        mass += scene->shapes.data[body->shape].mass.mass;
    }
    assert_true(fabs(high - low - 1.2) < 0.01); // the head is a polyhedron
    assert_true(fabs(mass - 30) < 1e-12);
    check_builds(scene);
    nc_scene_destroy(scene);
}

static void a_door_has_a_hinge_and_a_bolt(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nunits: cm\nbodies: [{door: {width: 80, hinge: right, open: 90, bolt: 500, "
                               "frame: true}, position: [300, 0, 0]}]\n");
    const nc_scene_joint *hinge = joint_named(scene, "door/hinge"), *bolt = joint_named(scene, "door/bolt");
    check_bodies(scene, hinge, "door/leaf", NULL);
    assert_true(fabs(hinge->def.anchor.x - 3.4) < 1e-12 && fabs(bolt->def.anchor.x - 2.6) < 1e-12);
    assert_true(fabs(hinge->def.axes[3].upper - 1.5707963267948966) < 1e-15);
    assert_true(bolt->def.break_force == 500);
    assert_int_equal(scene->bodies.count, 4);
    check_builds(scene);
    nc_scene_destroy(scene);
}

static void a_wheel_carries_its_load_where_it_starts(void **state)
{
    (void)state;
    nc_scene *scene = scene_of(
        HEAD "bodies: [{shape: box, name: hull, position: [0, 0, 1]}, {name: w, wheel: {to: hull, radius: 0.3, "
             "stiffness: 1000, load: 50, travel: 0.2, speed: 4, max_torque: 7}}]\n");
    const nc_scene_joint *axle = joint_named(scene, "w/axle");
    check_bodies(scene, axle, "w/wheel", "hull");
    assert_true(axle->def.axes[1].rest == -0.05 && axle->def.axes[1].upper == 0.2);
    assert_true(axle->def.axes[3].drive.target == -4 && axle->def.axes[3].drive.max_force == 7);
    check_builds(scene);
    nc_scene_destroy(scene);
}

static void mechanisms_are_written_into_the_canonical_text(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nbodies: [{door: {frame: true}}, {ragdoll: {}, position: [4, 1, 0]}]\n");
    nc_scene *again = scene_of(nc_scene_view(scene).text);
    assert_string_equal(nc_scene_view(scene).text, nc_scene_view(again).text);
    assert_int_equal(scene->bodies.count, again->bodies.count);
    assert_int_equal(scene->joints.count, again->joints.count);
    nc_scene_destroy(again);
    nc_scene_destroy(scene);
}

// What has no name does not get a name that is taken, and can be written down and read again.
static void mechanisms_without_names_are_told_apart(void **state)
{
    (void)state;
    nc_scene *scene =
        scene_of("nacre: 1\nbodies: [{ragdoll: {}}, {name: ragdoll-2, ragdoll: {}, position: [2, 0, 0]}, {ragdoll: {}, "
                 "position: [4, 0, 0]}, {wheel: {}, position: [8, 0, 0]}]\n");
    assert_string_equal(scene->bodies.data[0].name, "ragdoll/torso");
    assert_string_equal(scene->bodies.data[20].name, "ragdoll-3/torso");
    assert_string_equal(scene->bodies.data[30].name, "wheel/wheel");
    check_builds(scene);
    nc_scene *again = scene_of(nc_scene_view(scene).text);
    assert_string_equal(nc_scene_view(scene).text, nc_scene_view(again).text);
    nc_scene_destroy(again);
    nc_scene_destroy(scene);
}

// A joint of the second group without a name is between bodies of that group, not of the first.
static void groups_without_names_are_told_apart(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nshapes: {box: {generate: box, size: 0.2}}\n"
                               "groups:\n"
                               "  pair:\n"
                               "    bodies: [{shape: box}, {shape: box, name: b, position: [0, 1, 0]}]\n"
                               "    joints: [{kind: ball, name: tie, body: box, to: b, anchor: [0, 0.5, 0]}]\n"
                               "  loose: {bodies: [{shape: box}]}\n"
                               "bodies:\n"
                               "  - {group: pair}\n"
                               "  - {group: pair, position: [2, 0, 0]}\n"
                               "  - {group: pair, position: [4, 0, 0], grid: {count: [2, 1, 1], spacing: 2}}\n"
                               "  - {group: pair, position: [9, 0, 0], grid: {count: [2, 1, 1], spacing: 2}}\n"
                               "  - {group: loose, position: [0, 5, 0]}\n"
                               "  - {group: loose, position: [2, 5, 0]}\n");
    static const char *const expected[] = {"pair/box",     "pair/b",     "pair~2/box", "pair~2/b",     "pair.0/box",
                                           "pair.0/b",     "pair.1/box", "pair.1/b",   "pair~2.0/box", "pair~2.0/b",
                                           "pair~2.1/box", "pair~2.1/b", "loose/box",  "loose/box~2"};
    assert_int_equal(scene->bodies.count, 14);
    for (int i = 0; i < 14; i++)
        assert_string_equal(scene->bodies.data[i].name, expected[i]);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(scene->joints.data[k].pair.a, 2 * k);
        assert_int_equal(scene->joints.data[k].pair.b, 2 * k + 1);
    }
    check_builds(scene);
    nc_scene_destroy(scene);
}

// Shapes of mechanisms are numbered from the first number on that begins no name of the scene's own shapes.
static void shapes_of_mechanisms_have_names_of_their_own(void **state)
{
    (void)state;
    nc_scene *scene = scene_of("nacre: 1\nshapes: {wheel-2-rim: {generate: box, size: 1}, wheel-3-wheel: {generate: "
                               "box, size: 1}}\nbodies: [{name: a, wheel: {}}, {name: b, wheel: {}, position: [2, 0, "
                               "0]}, {name: c, wheel: {}, position: [4, 0, 0]}]\n");
    static const char *const expected[] = {"wheel-1-wheel", "wheel-4-wheel", "wheel-5-wheel"};
    for (int i = 0; i < 3; i++)
        assert_string_equal(scene->shapes.data[scene->bodies.data[i].shape].name, expected[i]);
    nc_scene_destroy(scene);
}

static void mistakes_in_mechanisms_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"bodies: [{ragdoll: {size: 2}}]", "s.yaml:3:21: bodies.0.ragdoll.size: there is no such key here"},
        {"bodies: [{door: {hinge: top}}]", "s.yaml:3:25: bodies.0.door.hinge: found \"top\"; allowed: left, right"},
        {"bodies: [{door: {}, shape: box}]", "bodies.0.door: found shape and door; allowed: one of them"},
        {"bodies: [{wheel: {to: hul}}, {shape: box, name: hull}]",
         "s.yaml:3:23: bodies.0.joints.0.to: there is no body \"hul\"; "
         "did you mean \"hull\"?"},
        {"bodies: [{shape: box, chain: {count: 1, joint: {kind: ball}}}]", "1 copies have no neighbours"},
        {"bodies: [{shape: box, chain: {count: 3, joint: {body: box}}}]", "takes no bodies"},
        {"bodies: [{bodies: [{shape: box}], chain: {count: 3, joint: {kind: ball}}}]", "not of a group"},
        {"bodies: [{bodies: [{bodies: [{shape: box}], chain: {count: 3, joint: {kind: ball}}}], defaults: {shape: "
         "box}}]",
         "not of a group"},
        {"bodies: [{ragdoll: [1]}]", "s.yaml:3:20: bodies.0.ragdoll: found a list of 1; allowed: a map"},
        {"bodies: [{door: []}]", "bodies.0.door: found a list of 0; allowed: a map"},
        {"bodies: [{wheel: 3}]", "bodies.0.wheel: found \"3\"; allowed: a map"},
        {"groups: {g: {bodies: [{wheel: [[]]}]}}", "groups.g.bodies.0.wheel: found a list of 1; allowed: a map"},
        {"groups: {g: {bodies: [{shape: box}], joints: [{knd: ball}]}}", "groups.g.joints.0.knd: there is no such key"},
        {"world: {pipeline: acm}\nbodies: [{shape: box, type: static, name: b}]\njoints: [{kind: ball, body: b, "
         "anchor: [0, 0, 0]}]",
         "joints need world.pipeline: shell, vsp or isp"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024], found[1200];
        nc_scene *scene = NULL;
        nc_error err;
        snprintf(text, sizeof text, "%s%s\n", HEAD, rows[i].text);
        assert_int_equal(scene_try(text, NULL, 0, &scene, &err), NC_BAD_SCENE);
        nc_error_format(&err, found, sizeof found);
        if (strstr(found, rows[i].error) == NULL)
            fail_msg("%s\n  says: %s\n  expected: %s", rows[i].text, found, rows[i].error);
    }
}

static nc_code load_with(const nc_allocator *allocator, void *ctx)
{
    const char *text = ctx;
    const nc_scene_def def = {.path = "s.yaml", .text = text, .text_size = strlen(text), .allocator = allocator};
    nc_scene *scene = NULL;
    const nc_code code = nc_scene_load(&def, &scene, NULL);
    nc_scene_destroy(scene);
    return code;
}

static void every_failed_allocation_ends_in_a_clean_error(void **state)
{
    (void)state;
    char text[] = HEAD "bodies: [{shape: box, name: b, chain: {count: 3, spacing: 1, joint: {kind: ball, name: j}}}, "
                       "{wheel: {to: b.0}}, {door: {bolt: 3}, position: [5, 0, 0]}]";
    fail_at_every_call(load_with, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_of_a_group_are_in_its_frame_and_among_its_members),
        cmocka_unit_test(a_joint_of_a_group_finds_bodies_around_the_group),
        cmocka_unit_test(neighbours_of_a_generator_are_joined),
        cmocka_unit_test(only_a_closed_line_of_copies_joins_its_last_to_its_first),
        cmocka_unit_test(a_ragdoll_has_its_height_and_its_mass),
        cmocka_unit_test(a_door_has_a_hinge_and_a_bolt),
        cmocka_unit_test(a_wheel_carries_its_load_where_it_starts),
        cmocka_unit_test(mechanisms_are_written_into_the_canonical_text),
        cmocka_unit_test(mechanisms_without_names_are_told_apart),
        cmocka_unit_test(groups_without_names_are_told_apart),
        cmocka_unit_test(shapes_of_mechanisms_have_names_of_their_own),
        cmocka_unit_test(mistakes_in_mechanisms_are_named),
        cmocka_unit_test(every_failed_allocation_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
