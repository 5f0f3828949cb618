// Snapshots: what is saved comes back to the bit; what is damaged is refused; memory may fail at any call.
#include "check.h"
#include "fail_allocator.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#define STEP (1.0 / 24.0)

static nc_code add_shape(nc_world *world, const char *name, const nc_allocator *allocator, nc_body_def def,
                         nc_body_id *id)
{
    nc_mesh *mesh = NULL;
    nc_code code = nc_shape_create(name, NULL, 0, allocator, &mesh, NULL);
    if (code != NC_OK)
        return code;
    def.mesh = mesh;
    code = nc_body_create(world, &def, id, NULL);
    nc_mesh_release(mesh);
    return code;
}

// A little of everything: static, scripted both ways, dynamic with force and torque, a dead row, an exempt pair.
static nc_code fill(nc_world *world, const nc_allocator *allocator)
{
    const nc_keyframe keys[] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {0.3, {1, 0, 0}, {1, 1, 0, 0}}};
    const char *shapes[] = {"plane", "box", "torus", "boat", "ring", "sphere"};
    nc_body_id id[6] = {{0, 0}};
    for (int i = 0; i < 6; i++) {
        nc_body_def def = nc_body_def_default();
        def.name = i % 2 == 0 ? shapes[i] : NULL;
        def.position = nc_v3(20.0 * i, 0.3 * i, 0);
        def.orientation = nc_q4(1, 0.1 * i, 0.2, 0);
        def.velocity = nc_v3(0.1 * i, 4, 0);
        def.spin = nc_v3(3, 1, 0.5 * i);
        def.type = i == 0 ? NC_STATIC : i <= 2 ? NC_KINEMATIC : NC_DYNAMIC;
        def.friction = i == 4 ? 0.9 : -1;
        def.keyframes = i == 2 ? keys : NULL;
        def.keyframe_count = i == 2 ? 2 : 0;
        const nc_code code = add_shape(world, shapes[i], allocator, def, &id[i]);
        if (code != NC_OK)
            return code;
    }
    nc_code code = nc_body_set_force(world, id[3], nc_v3(1, 2, 3), nc_v3(0.1, 0, 0.2), NULL);
    if (code == NC_OK)
        code = nc_world_exempt_pair(world, id[3], id[5], NULL);
    if (code == NC_OK)
        code = nc_world_set_pair(world, id[3], id[0], 0.25, -1, NULL);
    if (code == NC_OK)
        code = nc_world_set_pair(world, id[5], id[3], 0.5, 0.75, NULL);
    if (code == NC_OK)
        code = nc_body_destroy(world, id[4], NULL);
    return code;
}

static nc_world *sample_world(int workers)
{
    nc_world_def def = nc_world_def_default();
    def.workers = workers;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    check_ok(fill(world, NULL), err);
    return world;
}

static void step_times(nc_world *world, int count)
{
    nc_error err;
    for (int i = 0; i < count; i++)
        check_ok(nc_world_step(world, STEP, NULL, &err), err);
}

// An empty world with the meshes of another.
static nc_world *world_with_meshes_of(const nc_world *other)
{
    nc_world_def def = nc_world_def_default();
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    for (int i = 0; i < nc_world_mesh_count(other); i++)
        check_ok(nc_world_add_mesh(world, nc_world_mesh(other, i), &err), err);
    return world;
}

static void a_restored_world_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    nc_error err;
    step_times(world, 10);
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    const uint64_t hash_then = nc_world_hash(world);
    nc_world *other = world_with_meshes_of(world);
    check_ok(nc_world_restore(other, bytes.data, bytes.size, &err), err);
    assert_true(nc_world_hash(other) == hash_then);
    step_times(world, 50);
    step_times(other, 50);
    assert_true(nc_world_hash(world) == nc_world_hash(other));
    assert_true(nc_world_hash(world) != hash_then);
    // Back in time, in the same world.
    check_ok(nc_world_restore(world, bytes.data, bytes.size, &err), err);
    assert_true(nc_world_hash(world) == hash_then);
    assert_string_equal(nc_body_name(world, nc_world_find(world, "torus")), "torus");
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

static void saving_appends_and_saves_the_same_bytes(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    const size_t once = bytes.size;
    check_ok(nc_world_save(world, &bytes, &err), err);
    assert_int_equal(bytes.size, 2 * once);
    assert_memory_equal(bytes.data, bytes.data + once, once);
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
}

static void every_change_of_state_changes_the_hash(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    const nc_bodies *b = &world->state.bodies;
    double *numbers[] = {&b->pose[3].x.x,
                         &b->pose[3].q.z,
                         &b->v[3].y,
                         &b->momentum[3].z,
                         &b->spin_energy[3],
                         &b->force[3].x,
                         &b->torque[3].x,
                         &b->friction[3],
                         &b->restitution[3],
                         &b->mass[3],
                         &b->script_v[1].x,
                         &b->script_spin[1].y,
                         &b->script_delay[1],
                         &b->keys[2][1].time,
                         &b->inertia[3].moments.y,
                         &b->inertia[3].axes.w,
                         &world->settings.gravity.y,
                         &world->settings.rest_distance,
                         &world->settings.sequential_scale,
                         &world->settings.rest_speed,
                         &world->state.surfaces[0].friction,
                         &world->state.surfaces[1].restitution,
                         &world->state.clock_base};
    const uint64_t before = nc_world_hash(world);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double old = *numbers[k];
        *numbers[k] = old + 0.5;
        if (nc_world_hash(world) == before)
            print_error("number %zu is not in the hash\n", k);
        assert_true(nc_world_hash(world) != before);
        *numbers[k] = old;
    }
    assert_true(nc_world_hash(world) == before);
    nc_world_def *s = &world->settings;
    const nc_world_def old = *s;
    for (int k = 0; k < 7; k++) {
        s->contact_solver = k == 0 ? NC_SOLVER_SEQUENTIAL : old.contact_solver;
        s->friction_model = k == 1 ? NC_FRICTION_PYRAMID : old.friction_model;
        s->friction_rule = k == 2 ? NC_COMBINE_MULTIPLY : old.friction_rule;
        s->restitution_rule = k == 3 ? NC_COMBINE_MULTIPLY : old.restitution_rule;
        s->on_jam = k == 4 ? NC_JAM_STOP : old.on_jam;
        s->failsafe = k == 5 ? NC_FAILSAFE_FULL : old.failsafe;
        s->shock_propagation = k == 6 ? !old.shock_propagation : old.shock_propagation;
        assert_true(nc_world_hash(world) != before);
    }
    *s = old;
    assert_true(nc_world_hash(world) == before);
    world->settings.workers = 7; // how fast it goes is not what it does
    assert_true(nc_world_hash(world) == before);
    nc_world_destroy(world);
}

static void every_flipped_bit_and_every_cut_is_refused(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    const uint64_t before = nc_world_hash(world);
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= (uint8_t)(1u << (i % 8));
        assert_int_equal(nc_world_restore(world, bytes.data, bytes.size, &err), NC_BAD_FILE);
        bytes.data[i] ^= (uint8_t)(1u << (i % 8));
        assert_int_equal(nc_world_restore(world, bytes.data, i, &err), NC_BAD_FILE);
    }
    assert_true(nc_world_hash(world) == before);
    assert_int_equal(nc_world_restore(world, NULL, 0, &err), NC_BAD_FILE);
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
}

// Writes the right checksum behind damaged words, so that the reader's own checks are what stands.
static void reseal(nc_buffer *bytes)
{
    uint64_t hash = NC_HASH_START;
    for (size_t i = 0; i + 16 <= bytes->size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes->data + i, 8);
        hash = nc_hash_u64(hash, word);
    }
    memcpy(bytes->data + bytes->size - 8, &hash, 8);
}

// A forged on_jam may end a step honestly; so may a forged place.
static void check_steps_or_says_why(nc_world *world)
{
    nc_error err;
    const nc_code code = nc_world_step(world, STEP, NULL, &err);
    if (code != NC_JAMMED && code != NC_INTERSECTING)
        check_ok(code, err);
}

static void forged_snapshots_are_refused_or_make_a_world_that_steps(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    nc_error err;
    nc_buffer good = nc_buffer_create(NULL), forged = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &good, &err), err);
    nc_random random = {check_seed("forged", 30)};
    int refused = 0;
    const int cases = check_effort(3000);
    for (int i = 0; i < cases; i++) {
        forged.size = 0;
        assert_true(nc_buffer_append(&forged, good.data, good.size));
        const size_t word = nc_random_u64(&random) % (good.size / 8 - 1);
        const uint64_t values[] = {0, 1, UINT64_MAX, nc_random_u64(&random), UINT64_C(0x7ff0000000000000), 1u << 20};
        memcpy(forged.data + 8 * word, &values[nc_random_u64(&random) % 6], 8);
        reseal(&forged);
        nc_world *victim = world_with_meshes_of(world);
        if (nc_world_restore(victim, forged.data, forged.size, &err) != NC_OK)
            refused++;
        else
            check_steps_or_says_why(victim);
        nc_world_destroy(victim);
    }
    assert_true(refused > cases / 10 && refused < cases);
    nc_buffer_free(&good);
    nc_buffer_free(&forged);
    nc_world_destroy(world);
}

static void a_snapshot_needs_its_meshes(void **state)
{
    (void)state;
    nc_world *world = sample_world(1);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    nc_world_def def = nc_world_def_default();
    nc_world *bare;
    check_ok(nc_world_create(&def, &bare, &err), err);
    assert_int_equal(nc_world_restore(bare, bytes.data, bytes.size, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.text, "meshes"));
    for (int i = nc_world_mesh_count(world); i-- > 0;) // all of them, in the wrong order
        check_ok(nc_world_add_mesh(bare, nc_world_mesh(world, i), &err), err);
    assert_int_equal(nc_world_restore(bare, bytes.data, bytes.size, &err), NC_BAD_FILE);
    nc_world_destroy(bare);
    nc_world_destroy(world);
    nc_buffer_free(&bytes);
}

static void hash_is_equal_for_1_to_8_workers(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int workers[] = {1, 2, 3, 8};
    for (int w = 0; w < 4; w++) {
        nc_world *world = sample_world(workers[w]);
        nc_random random = {31};
        nc_mesh *mesh;
        nc_error err;
        check_ok(nc_shape_create("boat", NULL, 0, NULL, &mesh, &err), err);
        for (int i = 0; i < 1000; i++) {
            nc_body_def def = nc_body_def_default();
            def.mesh = mesh;
            def.position = nc_v3(3.0 * i, 0, 40);
            def.spin = nc_v3(nc_random_range(&random, -9, 9), nc_random_range(&random, -9, 9), 30);
            check_ok(nc_body_create(world, &def, NULL, &err), err);
        }
        nc_mesh_release(mesh);
        step_times(world, 30);
        first = w == 0 ? nc_world_hash(world) : first;
        assert_true(nc_world_hash(world) == first);
        nc_world_destroy(world);
    }
    print_message("hash of 1,000 tumbling boats: %016llx\n", (unsigned long long)first);
}

// A small run: build, step, save, restore, audit. A world in which a call failed must still step.
static nc_code small_run(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_world_def def = nc_world_def_default();
    def.allocator = *allocator;
    def.workers = 1;
    nc_world *world = NULL;
    nc_code code = nc_world_create(&def, &world, NULL);
    if (code != NC_OK)
        return code;
    nc_buffer bytes = nc_buffer_create(allocator);
    int overlaps = 0;
    code = fill(world, allocator);
    if (code == NC_OK)
        code = nc_world_save(world, &bytes, NULL);
    if (code == NC_OK)
        code = nc_world_audit(world, NULL, 0, &overlaps, NULL);
    const uint64_t hash = nc_world_hash(world);
    if (code == NC_OK)
        code = nc_world_restore(world, bytes.data, bytes.size, NULL);
    assert_true(nc_world_hash(world) == hash);
    if (nc_world_step(world, STEP, NULL, NULL) != NC_OK) { // as it was, and fit to try again
        assert_true(nc_world_hash(world) == hash);
        code = NC_OUT_OF_MEMORY;
    }
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    return code;
}

static void memory_may_fail_at_every_call(void **state)
{
    (void)state;
    print_message("%ld requests, each refused once\n", fail_at_every_call(small_run, NULL));
}

// Boxes that lie on the ground, fall on each other and bounce, so that every phase of the step has work to do.
static nc_code pile(nc_world *world, const nc_allocator *allocator)
{
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    nc_code code = add_shape(world, "plane", allocator, def, NULL);
    def.type = NC_DYNAMIC;
    for (int i = 0; i < 3 && code == NC_OK; i++) {
        def.position = nc_v3(0.1 * i, 0.506 + 1.02 * i, 0);
        def.velocity = nc_v3(0, -2.0 * i, 0);
        def.spin = nc_v3(0, 0, 0.3 * i);
        code = add_shape(world, "box", allocator, def, NULL);
    }
    return code;
}

static nc_world *pile_world(const nc_allocator *allocator, nc_code *code)
{
    nc_world_def def = nc_world_def_default();
    def.allocator = *allocator;
    def.workers = 1;
    nc_world *world = NULL;
    *code = nc_world_create(&def, &world, NULL);
    if (*code == NC_OK)
        *code = pile(world, allocator);
    return world;
}

// Steps that fail for want of memory are repeated; the futures must be those of a world that never failed.
static nc_code stubborn_run(const nc_allocator *allocator, void *ctx)
{
    const uint64_t *wanted = ctx;
    nc_code code;
    nc_world *world = pile_world(allocator, &code);
    nc_code worst = code;
    fail_allocator *memory = allocator->ctx;
    for (int i = 0; i < 4 && code == NC_OK; i++) {
        const uint64_t hash = nc_world_hash(world);
        code = nc_world_step(world, STEP, NULL, NULL);
        if (code == NC_OK)
            continue;
        assert_int_equal(code, NC_OUT_OF_MEMORY);
        assert_true(nc_world_hash(world) == hash);
        worst = code;
        memory->fail_at = 0; // there is memory again
        code = nc_world_step(world, STEP, NULL, NULL);
        assert_int_equal(code, NC_OK);
    }
    assert_true(code != NC_OK || nc_world_hash(world) == *wanted);
    nc_world_destroy(world);
    return worst;
}

static void a_step_that_ran_out_of_memory_changed_nothing_and_can_be_repeated(void **state)
{
    (void)state;
    const nc_allocator usual = {0};
    nc_code code;
    nc_world *world = pile_world(&usual, &code);
    assert_int_equal(code, NC_OK);
    step_times(world, 4);
    uint64_t wanted = nc_world_hash(world);
    nc_world_destroy(world);
    print_message("%ld requests, each refused once\n", fail_at_every_call(stubborn_run, &wanted));
}

// Requests for memory by one step of a settled pile.
static void settled_steps_ask_for_no_more_than_they_give_back(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    nc_code code;
    nc_world *world = pile_world(&allocator, &code);
    assert_int_equal(code, NC_OK);
    step_times(world, 100);
    const size_t bytes = memory.live_bytes;
    const long calls = memory.calls;
    step_times(world, 10);
    print_message("%g requests for memory per step\n", 0.1 * (double)(memory.calls - calls));
    assert_true(memory.live_bytes <= bytes);
    nc_world_destroy(world);
    fail_allocator_check_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_goes_on_to_the_same_bits),
        cmocka_unit_test(saving_appends_and_saves_the_same_bytes),
        cmocka_unit_test(every_change_of_state_changes_the_hash),
        cmocka_unit_test(every_flipped_bit_and_every_cut_is_refused),
        cmocka_unit_test(forged_snapshots_are_refused_or_make_a_world_that_steps),
        cmocka_unit_test(a_snapshot_needs_its_meshes),
        cmocka_unit_test(hash_is_equal_for_1_to_8_workers),
        cmocka_unit_test(memory_may_fail_at_every_call),
        cmocka_unit_test(a_step_that_ran_out_of_memory_changed_nothing_and_can_be_repeated),
        cmocka_unit_test(settled_steps_ask_for_no_more_than_they_give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
