// Warm starts: impulses of resting contacts are part of the state.
#include "check.h"

#include "nacre/nacre.h"

#include "base/base.h"
#include "world/world.h"

#define DT (1.0 / 24.0)

static nc_body_id add(nc_world *world, const char *shape, double size, nc_body_type type, nc_vec3 at)
{
    const nc_shape_parameter parameters[] = {{"size", size}};
    nc_body_def def = nc_body_def_default();
    nc_body_id id = {0, 0};
    nc_error err;
    def.type = type;
    def.position = at;
    check_ok(nc_shape_create(shape, parameters, 1, NULL, &def.mesh, &err), err);
    check_ok(nc_body_create(world, &def, &id, &err), err);
    nc_mesh_release(def.mesh);
    return id;
}

static nc_world *empty_world(void)
{
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    nc_world *world = NULL;
    nc_error err;
    check_ok(nc_world_create(&def, &world, &err), err);
    return world;
}

static nc_step_report step(nc_world *world, double dt)
{
    nc_step_report report;
    nc_error err;
    check_ok(nc_world_step(world, dt, &report, &err), err);
    return report;
}

// Two boxes on each other and one beside them, at rest.
static nc_world *boxes_at_rest(nc_body_id id[3])
{
    nc_world *world = empty_world();
    add(world, "plane", 20, NC_STATIC, nc_v3(0, 0, 0));
    id[0] = add(world, "box", 1, NC_DYNAMIC, nc_v3(0, 0.505, 0));
    id[1] = add(world, "box", 1, NC_DYNAMIC, nc_v3(0, 1.51, 0));
    id[2] = add(world, "box", 1, NC_DYNAMIC, nc_v3(5, 0.505, 0));
    for (int i = 0; i < 24; i++)
        step(world, DT);
    return world;
}

static int kept_of(const nc_world *world, nc_body_id body)
{
    int count = 0;
    for (int solve = 0; solve < NC_SOLVES; solve++)
        for (int k = 0; k < world->state.kept[solve].count; k++) {
            const nc_kept_impulse *each = &world->state.kept[solve].data[k];
            count += each->a == (int)body.index || each->b == (int)body.index;
        }
    return count;
}

static int row_of(const nc_world *world, nc_body_id id)
{
    return nc_world_row(world, id);
}

static void contacts_at_rest_need_few_sweeps(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = empty_world();
    add(world, "plane", 20, NC_STATIC, nc_v3(0, 0, 0));
    for (int i = 0; i < 3; i++)
        id[i] = add(world, "box", 1, NC_DYNAMIC, nc_v3(0, 0.505 + 1.005 * i, 0));
    const int cold = step(world, DT).contact_iterations;
    for (int i = 0; i < 24; i++)
        step(world, DT);
    const int warm = step(world, DT).contact_iterations;
    print_message("%d sweeps in the first step, %d in the 26th\n", cold, warm);
    assert_true(cold >= 30 && warm <= 12); // 30: then Newton takes over
    assert_true(row_of(world, id[2]) >= 0);
    nc_world_destroy(world);
}

// The weight of a box is what its contacts carry in a step; of the first solve, in half a step.
static void kept_impulses_carry_the_weight(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = boxes_at_rest(id);
    nc_body_state box;
    nc_error err;
    check_ok(nc_body_read(world, id[2], &box, &err), err);
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        nc_vec3 sum = {0, 0, 0};
        const nc_kept_impulses *kept = &world->state.kept[solve];
        for (int k = 0; k < kept->count; k++) {
            assert_true(k == 0 || nc_kept_less(&kept->data[k - 1], &kept->data[k]));
            if (kept->data[k].b == row_of(world, id[2]))
                sum = nc_sub(sum, kept->data[k].impulse);
        }
        check_near(sum.y, box.mass * 9.8 * DT * (solve == NC_SOLVE_PREDICT ? 0.5 : 1), 1e-6 * box.mass);
        check_near(fabs(sum.x) + fabs(sum.z), 0, 1e-6 * box.mass);
    }
    nc_world_destroy(world);
}

static void impulses_are_forgotten_with_the_body_they_act_on(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = boxes_at_rest(id);
    nc_error err;
    nc_body_state box;
    const int beside = kept_of(world, id[2]);
    assert_true(beside > 0 && kept_of(world, id[0]) > 0 && kept_of(world, id[1]) > 0);
    check_ok(nc_body_read(world, id[1], &box, &err), err);
    box.pose.x.y += 1;
    check_ok(nc_body_move(world, id[1], box.pose, &err), err);
    assert_int_equal(kept_of(world, id[1]), 0);
    assert_true(kept_of(world, id[0]) > 0);
    check_ok(nc_body_destroy(world, id[0], &err), err);
    assert_int_equal(kept_of(world, id[0]), 0);
    assert_int_equal(kept_of(world, id[2]), beside);
    step(world, DT);
    nc_world_destroy(world);
}

static nc_world *twin(const nc_world *world, const nc_buffer *bytes, nc_code wanted)
{
    nc_world *other = empty_world();
    nc_error err;
    for (int i = 0; i < nc_world_mesh_count(world); i++)
        check_ok(nc_world_add_mesh(other, nc_world_mesh(world, i), &err), err);
    const nc_code code = nc_world_restore(other, bytes->data, bytes->size, &err);
    if (wanted == NC_OK)
        check_ok(code, err);
    if (code == NC_OK)
        return other;
    nc_world_destroy(other);
    return NULL;
}

static void impulses_come_back_from_a_snapshot_and_are_in_the_hash(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = boxes_at_rest(id);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    nc_world *other = twin(world, &bytes, NC_OK);
    const uint64_t hash = nc_world_hash(world);
    assert_true(nc_world_hash(other) == hash);
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        assert_int_equal(other->state.kept[solve].count, world->state.kept[solve].count);
        nc_kept_impulse *first = &other->state.kept[solve].data[0];
        const nc_kept_impulse was = *first;
        first->impulse.x += 0.5;
        assert_true(nc_world_hash(other) != hash);
        *first = was;
        first->feature.b++;
        assert_true(nc_world_hash(other) != hash);
        *first = was;
    }
    for (int i = 0; i < 5; i++) {
        step(world, DT);
        step(other, DT);
    }
    assert_true(nc_world_hash(other) == nc_world_hash(world));
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
    nc_world_destroy(other);
}

// Words of the impulses replaced, the checksum made right: refused, or a world that steps.
static void forged_impulses_break_nothing(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = boxes_at_rest(id);
    nc_error err;
    nc_buffer bytes = nc_buffer_create(NULL);
    check_ok(nc_world_save(world, &bytes, &err), err);
    const size_t words = bytes.size / 8;
    const size_t last = 2 + 9 * (size_t)(world->state.kept[0].count + world->state.kept[1].count);
    const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_C(0x7ff0000000000000), UINT64_C(0x7fe0000000000000), 1u << 20};
    int refused = 0;
    for (size_t i = 0; i < last; i++) {
        uint64_t *word = (uint64_t *)(void *)bytes.data + (words - 2 - i);
        const uint64_t was = *word;
        *word = values[i % 6];
        uint64_t hash = NC_HASH_START;
        for (size_t k = 0; k + 1 < words; k++)
            hash = nc_hash_u64(hash, ((uint64_t *)(void *)bytes.data)[k]);
        ((uint64_t *)(void *)bytes.data)[words - 1] = hash;
        nc_world *victim = twin(world, &bytes, NC_BAD_FILE);
        refused += victim == NULL;
        if (victim != NULL)
            step(victim, DT);
        nc_world_destroy(victim);
        *word = was;
    }
    print_message("%d of %d refused\n", refused, (int)last);
    assert_true(refused > (int)last / 10 && refused < (int)last);
    nc_buffer_free(&bytes);
    nc_world_destroy(world);
}

// Impulses at rest are forces times the time step.
static void another_time_step_disturbs_nobody(void **state)
{
    (void)state;
    nc_body_id id[3];
    nc_world *world = boxes_at_rest(id);
    const double dt[] = {DT / 2, DT / 8, DT};
    for (int i = 0; i < 3; i++) {
        const nc_step_report report = step(world, dt[i]);
        assert_true(report.contact_iterations <= 12);
        for (int k = 0; k < 3; k++) {
            nc_body_state box;
            nc_error err;
            check_ok(nc_body_read(world, id[k], &box, &err), err);
            check_near(nc_norm(box.velocity), 0, 1e-6);
        }
    }
    nc_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_at_rest_need_few_sweeps),
        cmocka_unit_test(kept_impulses_carry_the_weight),
        cmocka_unit_test(impulses_are_forgotten_with_the_body_they_act_on),
        cmocka_unit_test(impulses_come_back_from_a_snapshot_and_are_in_the_hash),
        cmocka_unit_test(forged_impulses_break_nothing),
        cmocka_unit_test(another_time_step_disturbs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
