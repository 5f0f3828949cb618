// Poses read from pages are those that SQLite reads, or are left to SQLite; damage changes neither.
#include "run_fixture.h"

#include "run/run.h"

enum { BODIES = 60, STEPS = 24 };

static void assert_same_poses(const nc_run_frame *a, const nc_run_frame *b)
{
    assert_int_equal(a->pose_count, b->pose_count);
    for (int i = 0; i < a->pose_count; i++) {
        assert_int_equal(a->poses[i].body, b->poses[i].body);
        assert_memory_equal(&a->poses[i].pose, &b->poses[i].pose, sizeof a->poses[i].pose);
        assert_memory_equal(&a->poses[i].velocity, &b->poses[i].velocity, sizeof a->poses[i].velocity);
        assert_memory_equal(&a->poses[i].spin, &b->poses[i].spin, sizeof a->poses[i].spin);
    }
}

// Writes a run in which bodies come and go, so that frames differ in their numbers of poses.
static void write_changing_run(const char *path)
{
    nc_error err;
    nc_world *world = fixture_world(BODIES, 4);
    nc_run *run = fixture_create(path, world);
    nc_body_id ids[BODIES + 2];
    nc_world_bodies(world, ids, BODIES + 2);
    for (int i = 0; i < STEPS; i++) {
        if (i % 3 == 1)
            check_ok(nc_body_destroy(world, ids[2 + i], &err), err);
        fixture_step(world, run);
    }
    fixture_close(run);
    nc_world_destroy(world);
}

static void poses_by_pages_are_those_by_sql(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    write_changing_run(f.path);
    nc_run *fast = fixture_open(f.path, NC_RUN_READ), *slow = fixture_open(f.path, NC_RUN_READ);
    nc_run_pages_close(slow);
    nc_run_frame a = {0}, b = {0};
    for (int k = 0; k <= STEPS; k++) {
        const int frame = k * 7 % (STEPS + 1); // forwards and backwards
        check_ok(nc_run_read_frame(slow, frame, &b, &err), err);
        a.frame = frame;
        a.pose_count = b.pose_count;
        assert_true(nc_run_pages_read(fast, &a)); // not left to SQLite
        assert_same_poses(&a, &b);
        check_ok(nc_run_read_frame(fast, frame, &a, &err), err);
        assert_same_poses(&a, &b);
        assert_true(a.hash == b.hash && a.time == b.time);
        // A wrong number of poses is refused.
        a.pose_count = b.pose_count + 1;
        assert_false(nc_run_pages_read(fast, &a));
        a.pose_count = b.pose_count - 1;
        assert_false(nc_run_pages_read(fast, &a));
    }
    assert_true(fast->pages.memory != NULL && slow->pages.memory == NULL);
    assert_int_equal(nc_run_read_frame(fast, STEPS + 1, &a, &err), NC_NOT_FOUND);
    nc_run_frame_free(fast, &a);
    nc_run_frame_free(slow, &b);
    fixture_close(fast);
    fixture_close(slow);
    fixture_leave(&f);
}

static void frames_in_the_log_of_a_writer_are_read_too(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(BODIES, 5);
    nc_run *writer = fixture_create(f.path, world);
    nc_run *reader = fixture_open(f.path, NC_RUN_READ);
    nc_run_frame frame = {0};
    for (int i = 0; i < STEPS; i++) {
        fixture_step(world, writer);
        for (int k = i; k >= 0; k -= 5) {
            check_ok(nc_run_read_frame(reader, k, &frame, &err), err);
            assert_int_equal(frame.step, k);
        }
        check_ok(nc_run_read_frame(reader, i + 1, &frame, &err), err);
        assert_true(frame.hash == nc_world_hash(world));
        if (i % 8 == 7) // moves the log into the file, under the reader's pages
            check_ok(nc_sql_exec(writer, "pragma wal_checkpoint(passive)", "testing", &err), err);
    }
    nc_run_frame_free(reader, &frame);
    fixture_close(writer);
    fixture_close(reader);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void overwrite(const char *path, size_t at, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// Reads all frames; those that can be read must be as they were. Returns how many.
static int count_readable(const char *path, const nc_run_frame *good)
{
    nc_run *run = NULL;
    nc_run_frame frame = {0};
    int readable = 0;
    if (nc_run_open(path, NC_RUN_READ, NULL, &run, NULL) != NC_OK)
        return 0;
    for (int k = 0; k <= STEPS; k++)
        if (nc_run_read_frame(run, k, &frame, NULL) == NC_OK) {
            assert_same_poses(&frame, &good[k]);
            readable++;
        }
    nc_run_frame_free(run, &frame);
    nc_run_close(run, NULL);
    return readable;
}

static void damaged_pages_give_an_error_or_the_right_poses(void **state)
{
    (void)state;
    nc_random random = {check_seed(__func__, 11)};
    const fixture f = fixture_enter();
    nc_error err;
    write_changing_run(f.path);
    nc_run_frame good[STEPS + 1] = {0};
    nc_run *run = fixture_open(f.path, NC_RUN_READ);
    for (int k = 0; k <= STEPS; k++)
        check_ok(nc_run_read_frame(run, k, &good[k], &err), err);
    fixture_close(run);
    size_t size;
    uint8_t *bytes = read_whole(f.path, &size);
    const int cases = check_effort(120);
    int readable = 0;
    for (int i = 0; i < cases; i++) {
        // Half of them in the head of a page, where its type, its cells and its last child are.
        const size_t page = 1 + nc_random_u64(&random) % (size / 4096 - 1);
        const size_t at = 4096 * page + nc_random_u64(&random) % (i % 2 == 0 ? 40 : 4000);
        uint8_t noise[8];
        for (int k = 0; k < 8; k++)
            noise[k] = i % 3 == 0 ? bytes[4096 * (1 + nc_random_u64(&random) % (size / 4096 - 1)) + (size_t)k]
                                  : (uint8_t)nc_random_u64(&random);
        overwrite(f.path, at, noise, sizeof noise);
        readable += count_readable(f.path, good);
        overwrite(f.path, at, bytes + at, sizeof noise);
    }
    print_message("%d damages: %d of %d frames were still read\n", cases, readable, cases * (STEPS + 1));
    assert_true(readable > 0 && readable < cases * (STEPS + 1));
    assert_int_equal(count_readable(f.path, good), STEPS + 1);
    run = fixture_open(f.path, NC_RUN_READ);
    for (int k = 0; k <= STEPS; k++)
        nc_run_frame_free(run, &good[k]);
    fixture_close(run);
    free(bytes);
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_by_pages_are_those_by_sql),
        cmocka_unit_test(frames_in_the_log_of_a_writer_are_read_too),
        cmocka_unit_test(damaged_pages_give_an_error_or_the_right_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
