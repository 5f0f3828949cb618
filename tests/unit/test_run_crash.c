// Run files in a hard world: killed writers, full disks, two writers, readers on the way, read-only places.
#include "run_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { BODIES = 6, STEPS = 600 };

static void pause_for(int64_t microseconds)
{
    const struct timespec pause = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}

// State hashes of an uninterrupted run, by step.
static uint64_t *reference_hashes(int steps, uint64_t seed)
{
    uint64_t *hashes = calloc((size_t)steps + 1, sizeof *hashes);
    nc_world *world = fixture_world(BODIES, seed);
    hashes[0] = nc_world_hash(world);
    for (int i = 1; i <= steps; i++) {
        fixture_step(world, NULL);
        hashes[i] = nc_world_hash(world);
    }
    nc_world_destroy(world);
    return hashes;
}

// ---- kill -9 ------------------------------------------------------------------------------------------------

static nc_code writer_open(const char *path, uint64_t seed, nc_run **run, nc_world **world, nc_error *err)
{
    if (fixture_exists(path, "")) {
        const nc_code code = nc_run_open(path, NC_RUN_APPEND, NULL, run, err);
        return code == NC_OK ? fixture_restore(*run, world, err) : code;
    }
    const nc_run_def def = fixture_def(path);
    *world = fixture_world(BODIES, seed);
    return nc_run_create(&def, nc_model_of_world(*world), run, err);
}

// The child: writes frames until it is done or dead, and says after each which step is safe. Never returns.
static void writer(const char *path, uint64_t seed, int out)
{
    nc_error err;
    nc_run *run = NULL;
    nc_world *world = NULL;
    nc_model_report report;
    nc_code code = writer_open(path, seed, &run, &world, &err);
    for (int done = 1; code == NC_OK && nc_world_step_count(world) < STEPS; done++) {
        code = nc_model_step(nc_model_of_world(world), FIXTURE_DT, &report, &err);
        if (code == NC_OK)
            code = nc_run_append(run, nc_model_of_world(world), &report, 1, &err);
        const int32_t step = (int32_t)nc_world_step_count(world);
        if (code == NC_OK && write(out, &step, sizeof step) != sizeof step)
            _exit(4);
        // Closing and opening again has dangerous moments of its own.
        if (code == NC_OK && done % 16 == 0) {
            nc_world_destroy(world);
            code = nc_run_close(run, &err);
            if (code == NC_OK)
                code = writer_open(path, seed, &run, &world, &err);
        }
    }
    if (code != NC_OK)
        fprintf(stderr, "writer: %s: %s\n", nc_code_name(code), err.text);
    if (code == NC_OK)
        code = nc_run_close(run, &err);
    _exit(code == NC_OK ? 0 : 3);
}

// Starts a writer, kills it after a while; returns the last step it said was safe, -1 for none.
static int write_and_kill(const char *path, uint64_t seed, int64_t microseconds)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        writer(path, seed, ends[1]);
    }
    close(ends[1]);
    pause_for(microseconds);
    kill(child, SIGKILL);
    int status, last = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    // It was killed or came to its end; it never fell by itself.
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    int32_t step;
    while (read(ends[0], &step, sizeof step) == sizeof step)
        last = step > last ? step : last;
    close(ends[0]);
    return last;
}

// Every frame up to `safe` is there, and each has the hash of the uninterrupted run. Returns the last step.
static int check_frames(const char *path, int safe, const uint64_t *hashes)
{
    nc_error err;
    if (safe < 0 && !fixture_exists(path, ""))
        return -1;
    nc_run *run = fixture_open(path, NC_RUN_READ);
    check_ok(nc_run_verify(run, &err), err);
    const nc_run_info info = fixture_info(run);
    assert_true(info.last_step >= safe);
    assert_int_equal(info.frame_count, info.last_step + 1);
    nc_run_frame frame = {0};
    for (int64_t i = 0; i < info.frame_count; i++) {
        check_ok(nc_run_read_frame(run, i, &frame, &err), err);
        assert_int_equal(frame.step, i);
        assert_true(frame.hash == hashes[i]);
    }
    nc_run_frame_free(run, &frame);
    fixture_close(run);
    return (int)info.last_step;
}

static void kill_nine_at_100_random_moments_loses_no_frame(void **state)
{
    (void)state;
    const uint64_t seed = check_seed(__func__, 1);
    nc_random random = {seed};
    const fixture f = fixture_enter();
    uint64_t *hashes = reference_hashes(STEPS, seed);
    int kills = 0, runs = 0, frames = 0;
    while (kills < check_effort(100)) {
        const int safe = write_and_kill(f.path, seed, (int64_t)nc_random_range(&random, 0, 30000));
        kills++;
        frames = check_frames(f.path, safe, hashes);
        if (frames == STEPS) {
            runs++;
            for (int i = 0; i < 4; i++) {
                static const char *const suffixes[] = {"", "-wal", "-shm", "-lock"};
                char name[400];
                snprintf(name, sizeof name, "%s%s", f.path, suffixes[i]);
                unlink(name);
            }
        }
    }
    print_message("%d kills, %d whole runs of %d frames, %d frames in the last\n", kills, runs, STEPS, frames);
    // The run in hand is brought to its end, and leaves one file.
    int status;
    const pid_t child = fork();
    if (child == 0)
        writer(f.path, seed, open("/dev/null", O_WRONLY));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(check_frames(f.path, STEPS, hashes), STEPS);
    fixture_assert_one_file(f.path);
    free(hashes);
    fixture_leave(&f);
}

// The child: changes poses in rollback mode with barely any cache, so that half of it is in the file, and dies.
static void die_in_a_transaction(const char *path)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        _exit(2);
    if (sqlite3_exec(db, "pragma cache_size = 2; begin; update pose set x = x + 1", NULL, NULL, NULL) != SQLITE_OK)
        _exit(3);
    kill(getpid(), SIGKILL);
}

// This is what a writer leaves that is killed while it closes: a journal that has to be undone.
static void a_reader_undoes_a_half_made_transaction(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    uint64_t *hashes = reference_hashes(60, 14);
    fixture_write(f.path, BODIES, 60, 14);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        die_in_a_transaction(f.path);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(fixture_exists(f.path, "-journal"));
    assert_int_equal(check_frames(f.path, 60, hashes), 60);
    fixture_assert_one_file(f.path);
    free(hashes);
    fixture_leave(&f);
}

// ---- full disk ----------------------------------------------------------------------------------------------

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_stops_a_run_but_loses_nothing(void **state)
{
    (void)state;
    const uint64_t seed = check_seed(__func__, 2);
    nc_random random = {seed};
    uint64_t *hashes = reference_hashes(80, seed);
    int stopped = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < check_effort(12); i++) {
        const fixture f = fixture_enter();
        nc_error err;
        nc_world *world = fixture_world(BODIES, seed);
        nc_run *run = fixture_create(f.path, world);
        limit_files((rlim_t)nc_random_range(&random, 80000, 400000));
        nc_code code = NC_OK;
        int64_t safe = 0;
        while (code == NC_OK) {
            check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
            code = nc_run_append(run, nc_model_of_world(world), NULL, 0, &err);
            if (code == NC_OK)
                safe = nc_world_step_count(world);
            if (safe == 80)
                break;
        }
        if (code != NC_OK) {
            stopped++;
            assert_int_equal(code, NC_IO);
            assert_string_equal(err.file + strlen(err.file) - 11, "a run.nacre");
        }
        // Whether the log can be folded depends on the room; nothing is lost either way.
        nc_world_destroy(world);
        if (i % 2 == 0)
            (void)nc_run_close(run, &err);
        limit_files(RLIM_INFINITY);
        if (i % 2 != 0) {
            // With room again, the same writer continues.
            nc_world *again = NULL;
            check_ok(fixture_restore(run, &again, &err), err);
            while (nc_world_step_count(again) < 80)
                fixture_step(again, run);
            nc_world_destroy(again);
            fixture_close(run);
        }
        assert_true(check_frames(f.path, (int)safe, hashes) >= safe);
        run = fixture_open(f.path, NC_RUN_APPEND);
        check_ok(fixture_restore(run, &world, &err), err);
        while (nc_world_step_count(world) < 80)
            fixture_step(world, run);
        nc_world_destroy(world);
        fixture_close(run);
        assert_int_equal(check_frames(f.path, 80, hashes), 80);
        fixture_assert_one_file(f.path);
        fixture_leave(&f);
    }
    print_message("%d writers ran out of room\n", stopped);
    assert_true(stopped > 0);
    free(hashes);
}

static void no_room_for_a_new_run_leaves_no_trace_and_the_old_run(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_run *run = NULL;
    nc_run_def def = fixture_def(f.path);
    nc_world *world = fixture_world(BODIES, 3);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t size = 0; size < 60000; size += 9000) {
        limit_files(size);
        assert_int_equal(nc_run_create(&def, nc_model_of_world(world), &run, &err), NC_IO);
        limit_files(RLIM_INFINITY);
        assert_null(run);
        assert_false(fixture_exists(f.path, ""));
        assert_false(fixture_exists(f.path, "-new"));
        assert_false(fixture_exists(f.path, "-lock"));
    }
    fixture_write(f.path, 2, 7, 4);
    def.overwrite = true;
    limit_files(40000);
    assert_int_equal(nc_run_create(&def, nc_model_of_world(world), &run, &err), NC_IO);
    limit_files(RLIM_INFINITY);
    check_near(fixture_sql(f.path, "select frames from progress"), 8, 0);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void a_frame_that_failed_can_be_stored_again_with_its_new_body(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 12);
    nc_run *run = fixture_create(f.path, world);
    nc_body_id ids[8], late;
    nc_world_bodies(world, ids, 8);
    nc_mesh *mesh = fixture_mesh("sphere", NULL);
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mesh = mesh;
    def.mass.mass = 1;
    def.position = nc_v3(0, 50, 0);
    check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    check_ok(nc_body_create(world, &def, &late, &err), err);
    check_ok(nc_world_exempt_pair(world, ids[0], late, &err), err);
    check_ok(nc_body_destroy(world, ids[1], &err), err);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(100);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), NC_IO);
    limit_files(RLIM_INFINITY);
    assert_int_equal(fixture_info(run).frame_count, 1);
    assert_int_equal(fixture_info(run).body_count, 4);
    check_ok(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), err);
    assert_int_equal(fixture_info(run).frame_count, 2);
    assert_int_equal(fixture_info(run).body_count, 5);
    nc_run_body gone;
    check_ok(nc_run_read_body(run, 1, &gone, &err), err);
    assert_int_equal(gone.gone_step, 1);
    assert_false(nc_run_pair_matters(run, 0, 4));
    check_ok(nc_run_verify(run, &err), err);
    nc_mesh_release(mesh);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// A log that a killed writer left must not be taken for the log of the run that replaces its file.
static void a_new_run_is_not_spoilt_by_the_log_of_an_old_one(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    char copy[400], log[400], copied_log[400];
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    snprintf(log, sizeof log, "%s-wal", f.path);
    snprintf(copied_log, sizeof copied_log, "%s-copy-wal", f.path);
    nc_world *world = fixture_world(3, 13);
    nc_run *run = fixture_create(f.path, world), *other = NULL;
    for (int i = 0; i < 5; i++)
        fixture_step(world, run);
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            fixture_copy(f.path, copy); // as a kill would leave it; in round 1 only the log is there
        fixture_copy(log, copied_log);
        nc_run_def def = fixture_def(copy);
        def.overwrite = true;
        check_ok(nc_run_create(&def, nc_model_of_world(world), &other, &err), err);
        check_ok(nc_run_verify(other, &err), err);
        assert_int_equal(fixture_info(other).frame_count, 1);
        assert_int_equal(fixture_info(other).last_step, 5);
        fixture_close(other);
        fixture_assert_one_file(copy);
        unlink(copy);
    }
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// ---- others at the file -------------------------------------------------------------------------------------

static void a_second_writer_is_refused(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 5);
    nc_run *run = fixture_create(f.path, world), *second = NULL;
    assert_int_equal(nc_run_open(f.path, NC_RUN_APPEND, NULL, &second, &err), NC_IO);
    assert_non_null(strstr(err.text, "another program is writing it"));
    nc_run_def def = fixture_def(f.path);
    def.overwrite = true;
    assert_int_equal(nc_run_create(&def, nc_model_of_world(world), &second, &err), NC_IO);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(nc_run_open(f.path, NC_RUN_APPEND, NULL, &second, &err) == NC_IO ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    // The first one is not disturbed, and when it is gone the next may write.
    fixture_step(world, run);
    fixture_close(run);
    second = fixture_open(f.path, NC_RUN_APPEND);
    fixture_step(world, second);
    fixture_close(second);
    fixture_assert_one_file(f.path);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// Reads all there is again and again until `frames` frames were seen. Never returns.
static void reader(const char *path, int64_t frames, const uint64_t *hashes)
{
    nc_error err;
    nc_run *run = NULL;
    nc_run_frame frame = {0};
    nc_run_info info = {0};
    if (nc_run_open(path, NC_RUN_READ, NULL, &run, &err) != NC_OK)
        _exit(2);
    int64_t seen = 0;
    for (int round = 0; info.frame_count < frames && round < 100000; round++) {
        if (nc_run_read_info(run, &info, &err) != NC_OK || info.frame_count < seen)
            _exit(3);
        for (; seen < info.frame_count; seen++)
            if (nc_run_read_frame(run, seen, &frame, &err) != NC_OK || frame.hash != hashes[seen])
                _exit(4);
        if (round % 20 == 0 && nc_run_verify(run, &err) != NC_OK)
            _exit(5);
        pause_for(300);
    }
    nc_run_frame_free(run, &frame);
    nc_run_close(run, &err);
    _exit(seen == frames ? 0 : 6);
}

static void a_reader_sees_every_frame_while_it_is_written(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    uint64_t *hashes = reference_hashes(200, 6);
    nc_world *world = fixture_world(BODIES, 6);
    nc_run *run = fixture_create(f.path, world);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        reader(f.path, 201, hashes);
    for (int i = 0; i < 200; i++)
        fixture_step(world, run);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    fixture_close(run);
    fixture_assert_one_file(f.path);
    nc_world_destroy(world);
    free(hashes);
    fixture_leave(&f);
}

static void a_writer_may_close_while_a_reader_reads(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 7);
    nc_run *run = fixture_create(f.path, world);
    fixture_step(world, run);
    nc_run *other = fixture_open(f.path, NC_RUN_READ);
    assert_int_equal(fixture_info(other).frame_count, 2);
    fixture_step(world, run);
    fixture_close(run);
    assert_int_equal(fixture_info(other).frame_count, 3);
    run = fixture_open(f.path, NC_RUN_APPEND);
    fixture_step(world, run);
    assert_int_equal(fixture_info(other).frame_count, 4);
    nc_run_frame frame = {0};
    check_ok(nc_run_read_frame(other, 3, &frame, &err), err);
    assert_true(frame.hash == nc_world_hash(world));
    nc_run_frame_free(other, &frame);
    fixture_close(other);
    fixture_close(run);
    fixture_assert_one_file(f.path);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void pairs_of_bodies_born_later_are_known_to_a_reader(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 8);
    nc_run *run = fixture_create(f.path, world), *other = fixture_open(f.path, NC_RUN_READ);
    assert_true(nc_run_pair_matters(other, 0, 2));
    assert_false(nc_run_pair_matters(other, 2, 3));
    nc_mesh *mesh = fixture_mesh("box", NULL);
    nc_body_def def = nc_body_def_default();
    def.type = NC_STATIC;
    def.mesh = mesh;
    def.position = nc_v3(0, 500, 0);
    nc_body_id late;
    check_ok(nc_body_create(world, &def, &late, &err), err);
    fixture_step(world, run);
    nc_run_frame frame = {0};
    check_ok(nc_run_read_frame(other, 1, &frame, &err), err);
    assert_false(nc_run_pair_matters(other, 0, 4)); // both static
    assert_true(nc_run_pair_matters(other, 2, 4));
    nc_run_frame_free(other, &frame);
    nc_mesh_release(mesh);
    fixture_close(other);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void a_foreign_lock_is_waited_for_and_then_an_error(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    nc_world *world = fixture_world(2, 9);
    nc_run *run = fixture_create(f.path, world);
    sqlite3 *foreign = NULL;
    assert_int_equal(sqlite3_open(f.path, &foreign), SQLITE_OK);
    assert_int_equal(sqlite3_exec(foreign, "begin immediate", NULL, NULL, NULL), SQLITE_OK);
    check_ok(nc_world_step(world, FIXTURE_DT, NULL, &err), err);
    assert_int_equal(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), NC_IO);
    assert_non_null(strstr(err.text, "another program holds a lock"));
    assert_int_equal(sqlite3_exec(foreign, "rollback", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(foreign);
    check_ok(nc_run_append(run, nc_model_of_world(world), NULL, 0, &err), err);
    assert_int_equal(fixture_info(run).frame_count, 2);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// ---- read-only places ---------------------------------------------------------------------------------------

// In a directory that cannot be written: what can be read is read, the rest is a clean error. Never returns.
static void visit_read_only(const fixture *f, nc_world *world)
{
    nc_error err;
    nc_run *run = NULL;
    if (getuid() == 0 && setuid(65534) != 0)
        _exit(2);
    nc_code code = nc_run_open(f->path, NC_RUN_READ, NULL, &run, &err);
    if (code != NC_OK || nc_run_verify(run, &err) != NC_OK) {
        fprintf(stderr, "%s\n", err.text);
        _exit(3);
    }
    nc_run_close(run, &err);
    if (nc_run_open(f->path, NC_RUN_APPEND, NULL, &run, &err) != NC_IO || err.text[0] == '\0')
        _exit(4);
    char other[400];
    snprintf(other, sizeof other, "%s-copy", f->path);
    const nc_run_def def = fixture_def(other);
    if (nc_run_create(&def, nc_model_of_world(world), &run, &err) != NC_IO || strstr(err.text, "ermission") == NULL)
        _exit(5);
    _exit(0);
}

static void a_read_only_directory_can_be_read_from(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    fixture_write(f.path, 3, 6, 10);
    nc_world *world = fixture_world(1, 10);
    // Once as a writer leaves it, once in write-ahead mode as a stranger may leave it.
    for (int round = 0; round < 2; round++) {
        if (round == 1)
            fixture_sql(f.path, "pragma journal_mode = wal");
        fixture_assert_one_file(f.path);
        assert_int_equal(chmod(f.directory, 0555), 0);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            visit_read_only(&f, world);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(chmod(f.directory, 0755), 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    nc_world_destroy(world);
    fixture_leave(&f);
}

static void strange_names_are_names_of_files(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    static const char *const names[] = {":memory:", "file:x?mode=memory", "100%41.nacre", "\xc3\xa4#.nacre"};
    char back[1024];
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(f.directory), 0);
    for (int i = 0; i < 4; i++) {
        fixture_write(names[i], 1, 2, 11);
        nc_run *run = fixture_open(names[i], NC_RUN_READ);
        assert_int_equal(fixture_info(run).frame_count, 3);
        fixture_close(run);
        assert_int_equal(unlink(names[i]), 0);
    }
    assert_int_equal(chdir(back), 0);
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kill_nine_at_100_random_moments_loses_no_frame),
        cmocka_unit_test(a_reader_undoes_a_half_made_transaction),
        cmocka_unit_test(a_full_disk_stops_a_run_but_loses_nothing),
        cmocka_unit_test(no_room_for_a_new_run_leaves_no_trace_and_the_old_run),
        cmocka_unit_test(a_frame_that_failed_can_be_stored_again_with_its_new_body),
        cmocka_unit_test(a_new_run_is_not_spoilt_by_the_log_of_an_old_one),
        cmocka_unit_test(a_second_writer_is_refused),
        cmocka_unit_test(a_reader_sees_every_frame_while_it_is_written),
        cmocka_unit_test(a_writer_may_close_while_a_reader_reads),
        cmocka_unit_test(pairs_of_bodies_born_later_are_known_to_a_reader),
        cmocka_unit_test(a_foreign_lock_is_waited_for_and_then_an_error),
        cmocka_unit_test(a_read_only_directory_can_be_read_from),
        cmocka_unit_test(strange_names_are_names_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
