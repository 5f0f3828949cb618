// Damaged and foreign files: clean errors, never a crash, and no damage that changes what is read unnoticed.
#include "run_fixture.h"

static nc_code open_code(const char *path, nc_run_mode mode, nc_error *err)
{
    nc_run *run = NULL;
    const nc_code code = nc_run_open(path, mode, NULL, &run, err);
    assert_true((run != NULL) == (code == NC_OK));
    nc_run_close(run, NULL);
    return code;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
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

static void what_is_not_a_run_file_is_refused(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    for (int mode = NC_RUN_READ; mode <= NC_RUN_APPEND; mode++) {
        assert_int_equal(open_code(f.path, (nc_run_mode)mode, &err), NC_NOT_FOUND);
        assert_int_equal(open_code(f.directory, (nc_run_mode)mode, &err), NC_BAD_FILE);
        assert_int_equal(open_code("", (nc_run_mode)mode, &err), NC_BAD_ARGUMENT);
        write_file(f.path, "", 0);
        assert_int_equal(open_code(f.path, (nc_run_mode)mode, &err), NC_BAD_FILE);
        const char *text =
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n# an OBJ file is not a run file, though it is longer than"
            " the header of a database, which has one hundred bytes\n";
        write_file(f.path, text, strlen(text));
        assert_int_equal(open_code(f.path, (nc_run_mode)mode, &err), NC_BAD_FILE);
        assert_string_equal(err.file + strlen(err.file) - 11, "a run.nacre");
        assert_non_null(strstr(err.text, "not a run file"));
        unlink(f.path);
        // Somebody else's database.
        fixture_sql(f.path, "create table frame (id integer primary key)");
        assert_int_equal(open_code(f.path, (nc_run_mode)mode, &err), NC_BAD_FILE);
        assert_non_null(strstr(err.text, "application id"));
        // With our id and nothing in it.
        fixture_sql(f.path, "pragma application_id = 1315140197");
        fixture_sql(f.path, "pragma user_version = 1");
        assert_int_equal(open_code(f.path, (nc_run_mode)mode, &err), NC_BAD_FILE);
        unlink(f.path);
    }
    fixture_leave(&f);
}

static void a_newer_format_is_refused_with_its_number(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 1, 2, 1);
    fixture_sql(f.path, "pragma user_version = 2");
    assert_int_equal(open_code(f.path, NC_RUN_READ, &err), NC_BAD_FILE);
    assert_non_null(strstr(err.text, "format version is 2"));
    assert_int_equal(open_code(f.path, NC_RUN_APPEND, &err), NC_BAD_FILE);
    fixture_sql(f.path, "pragma user_version = 0");
    assert_int_equal(open_code(f.path, NC_RUN_READ, &err), NC_BAD_FILE);
    fixture_leave(&f);
}

// ---- everything that can be read, as one number -----------------------------------------------------------------

static uint64_t digest_info(nc_run *run, const nc_run_info *info, uint64_t sum)
{
    nc_error err;
    sum = nc_hash(sum, info->title, strlen(info->title));
    sum = nc_hash(sum, info->scene_path, strlen(info->scene_path));
    sum = nc_hash_double(sum, info->timestep);
    const int64_t numbers[] = {info->steps_wanted,    info->output_every,  info->frame_count, info->last_step,
                               info->checkpoint_step, info->finished,      info->body_count,  info->mesh_count,
                               info->event_count,     info->format_version};
    sum = nc_hash(sum, numbers, sizeof numbers);
    const char *scene = "";
    check_ok(nc_run_scene_text(run, &scene, &err), err);
    return nc_hash(sum, scene, strlen(scene));
}

static uint64_t digest_bodies(nc_run *run, const nc_run_info *info, uint64_t sum)
{
    nc_error err;
    for (int i = 0; i < info->body_count; i++) {
        nc_run_body body;
        check_ok(nc_run_read_body(run, i, &body, &err), err);
        sum = nc_hash(sum, body.name, strlen(body.name));
        sum = nc_hash_double(nc_hash_double(nc_hash_double(sum, body.mass), body.friction), body.restitution);
        const int64_t numbers[] = {body.type, body.mesh, body.born_step, body.gone_step};
        sum = nc_hash(sum, numbers, sizeof numbers);
        for (int j = 0; j < i; j++)
            sum = nc_hash_u64(sum, nc_run_pair_matters(run, i, j));
    }
    for (int i = 0; i < info->mesh_count; i++) {
        nc_mesh *mesh = NULL;
        check_ok(nc_run_read_mesh(run, i, &mesh, &err), err);
        sum = nc_hash_u64(sum, nc_mesh_view(mesh).hash);
        nc_mesh_release(mesh);
    }
    return sum;
}

static uint64_t digest_frames(nc_run *run, const nc_run_info *info, uint64_t sum)
{
    nc_error err;
    nc_run_frame frame = {0};
    for (int64_t i = 0; i < info->frame_count; i++) {
        nc_model_report report;
        check_ok(nc_run_read_frame(run, i, &frame, &err), err);
        check_ok(nc_run_read_report(run, i, &report, &err), err);
        sum = nc_hash_double(nc_hash_u64(nc_hash_u64(sum, (uint64_t)frame.step), frame.hash), frame.time);
        for (int k = 0; k < frame.pose_count; k++) {
            sum = nc_hash_u64(sum, (uint64_t)frame.poses[k].body);
            sum = nc_hash(sum, &frame.poses[k].pose, sizeof frame.poses[k].pose);
            sum = nc_hash(sum, &frame.poses[k].velocity, 2 * sizeof(nc_vec3));
        }
        sum = nc_hash(sum, &report, sizeof report);
    }
    nc_run_frame_free(run, &frame);
    for (int64_t i = 0; i < info->event_count; i++) {
        nc_run_event event;
        check_ok(nc_run_read_event(run, i, &event, &err), err);
        sum = nc_hash(nc_hash(nc_hash_u64(sum, (uint64_t)event.step), event.kind, strlen(event.kind)), event.text,
                      strlen(event.text));
    }
    return sum;
}

static uint64_t digest(nc_run *run)
{
    nc_error err;
    const nc_run_info info = fixture_info(run);
    uint64_t sum = digest_info(run, &info, NC_HASH_START);
    sum = digest_bodies(run, &info, sum);
    sum = digest_frames(run, &info, sum);
    nc_world *world = NULL;
    check_ok(fixture_restore(run, &world, &err), err);
    sum = nc_hash_u64(sum, nc_world_hash(world));
    nc_world_destroy(world);
    return sum;
}

// Calls every reader on a file that may be damaged; only that they come back counts.
static void read_blindly(nc_run *run)
{
    nc_error err;
    nc_run_info info;
    nc_run_frame frame = {0};
    nc_model_report report;
    nc_run_body body;
    nc_run_event event;
    nc_world *world = NULL;
    const char *scene;
    (void)nc_run_read_info(run, &info, &err);
    (void)nc_run_scene_text(run, &scene, &err);
    for (int i = 0; i < 12; i++) {
        nc_mesh *mesh = NULL;
        (void)nc_run_read_frame(run, i, &frame, &err);
        (void)nc_run_read_report(run, i, &report, &err);
        (void)nc_run_read_body(run, i, &body, &err);
        (void)nc_run_read_event(run, i, &event, &err);
        (void)nc_run_read_mesh(run, i, &mesh, &err);
        (void)nc_run_pair_matters(run, i, i + 1);
        nc_mesh_release(mesh);
    }
    nc_run_frame_free(run, &frame);
    (void)fixture_restore(run, &world, &err);
    nc_world_destroy(world);
}

// A run with something in every table that this version fills.
static void write_rich(const char *path)
{
    nc_error err;
    nc_world *world = fixture_world(4, 2);
    nc_run *run = fixture_create(path, world);
    for (int i = 0; i < 9; i++)
        fixture_step(world, run);
    check_ok(nc_run_log(run, 3, "interrupted", "by somebody", &err), err);
    check_ok(nc_run_finish(run, nc_model_of_world(world), &err), err);
    fixture_close(run);
    nc_world_destroy(world);
}

typedef struct tally {
    int refused, found, harmless;
} tally;

// Judges a damaged copy: refused, found by verify, or the same as before.
static void judge(const char *path, uint64_t wanted, tally *out)
{
    nc_error err = {0};
    nc_run *run = NULL;
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, &err);
    if (code != NC_OK) {
        assert_true(code == NC_BAD_FILE || code == NC_IO);
        assert_true(err.text[0] != '\0' && err.file[0] != '\0');
        out->refused++;
        return;
    }
    read_blindly(run);
    code = nc_run_verify(run, &err);
    if (code != NC_OK) {
        assert_int_equal(code, NC_BAD_FILE);
        assert_true(err.text[0] != '\0' && err.file[0] != '\0');
        out->found++;
    } else {
        assert_true(digest(run) == wanted);
        out->harmless++;
    }
    nc_run_close(run, &err);
    // Appending looks before it writes, and must not crash either.
    if (nc_run_open(path, NC_RUN_APPEND, NULL, &run, &err) == NC_OK) {
        read_blindly(run);
        nc_run_close(run, &err);
    }
}

static uint64_t digest_of(const char *path)
{
    nc_run *run = fixture_open(path, NC_RUN_READ);
    const uint64_t sum = digest(run);
    fixture_close(run);
    return sum;
}

static void no_flipped_bit_changes_what_is_read_unnoticed(void **state)
{
    (void)state;
    const uint64_t seed = check_seed(__func__, 3);
    nc_random random = {seed};
    const fixture f = fixture_enter();
    char copy[400];
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    write_rich(f.path);
    const uint64_t wanted = digest_of(f.path);
    size_t size;
    uint8_t *bytes = read_whole(f.path, &size);
    tally t = {0, 0, 0};
    const int cases = check_effort(500);
    for (int i = 0; i < cases; i++) {
        // Half of them in the first page, where the header and the schema begin.
        const size_t span = i % 4 == 0 ? 4096 : size;
        const size_t at = (size_t)(nc_random_unit(&random) * (double)span);
        const uint8_t bit = (uint8_t)(1U << (nc_random_u64(&random) % 8));
        bytes[at] ^= bit;
        write_file(copy, bytes, size);
        bytes[at] ^= bit;
        judge(copy, wanted, &t);
    }
    print_message("%d flips in %zu bytes: %d refused at once, %d found by verify, %d harmless\n", cases, size,
                  t.refused, t.found, t.harmless);
    assert_true(t.refused > 0 && t.found > 0 && t.harmless > 0);
    free(bytes);
    fixture_leave(&f);
}

static void overwritten_stretches_are_noticed(void **state)
{
    (void)state;
    const uint64_t seed = check_seed(__func__, 4);
    nc_random random = {seed};
    const fixture f = fixture_enter();
    char copy[400];
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    write_rich(f.path);
    const uint64_t wanted = digest_of(f.path);
    size_t size;
    uint8_t *bytes = read_whole(f.path, &size), *damaged = malloc(size);
    tally t = {0, 0, 0};
    for (int i = 0; i < check_effort(100); i++) {
        memcpy(damaged, bytes, size);
        const size_t at = (size_t)(nc_random_unit(&random) * (double)(size - 600));
        for (size_t k = 0; k < 512; k++)
            damaged[at + k] = i % 2 == 0 ? 0 : (uint8_t)nc_random_u64(&random);
        write_file(copy, damaged, size);
        judge(copy, wanted, &t);
    }
    print_message("%d refused at once, %d found by verify, %d harmless\n", t.refused, t.found, t.harmless);
    assert_true(t.found > 0);
    free(bytes);
    free(damaged);
    fixture_leave(&f);
}

static void a_truncated_file_is_refused(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    char copy[400];
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    write_rich(f.path);
    size_t size;
    uint8_t *bytes = read_whole(f.path, &size);
    nc_error err;
    const int cases = check_effort(120);
    for (int i = 0; i < cases; i++) {
        write_file(copy, bytes, size * (size_t)i / (size_t)cases);
        nc_run *run = NULL;
        nc_code code = nc_run_open(copy, NC_RUN_READ, NULL, &run, &err);
        if (code == NC_OK) {
            read_blindly(run);
            code = nc_run_verify(run, &err);
        }
        assert_int_equal(code, NC_BAD_FILE);
        nc_run_close(run, NULL);
        assert_int_equal(open_code(copy, NC_RUN_APPEND, &err), NC_BAD_FILE);
    }
    free(bytes);
    fixture_leave(&f);
}

// A log that a crash left behind: damage in it can cost the frames after it, never the ones before.
static void a_damaged_log_leaves_a_sound_run(void **state)
{
    (void)state;
    const uint64_t seed = check_seed(__func__, 5);
    nc_random random = {seed};
    const fixture f = fixture_enter();
    char from[400], copy[400], log[400], index[400];
    snprintf(from, sizeof from, "%s-wal", f.path);
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    snprintf(log, sizeof log, "%s-copy-wal", f.path);
    snprintf(index, sizeof index, "%s-copy-shm", f.path);
    nc_error err;
    nc_world *world = fixture_world(4, 6);
    nc_run *run = fixture_create(f.path, world);
    uint64_t hashes[13] = {nc_world_hash(world)};
    for (int i = 1; i < 13; i++) {
        fixture_step(world, run);
        hashes[i] = nc_world_hash(world);
    }
    size_t size, log_size;
    uint8_t *bytes = read_whole(f.path, &size), *log_bytes = read_whole(from, &log_size);
    int whole = 0, shorter = 0;
    for (int i = 0; i < check_effort(60); i++) {
        const size_t at = (size_t)(nc_random_unit(&random) * (double)log_size);
        log_bytes[at] ^= 4;
        write_file(copy, bytes, size);
        write_file(log, log_bytes, i % 3 == 0 ? at : log_size);
        log_bytes[at] ^= 4;
        unlink(index);
        nc_run *damaged = fixture_open(copy, NC_RUN_READ);
        check_ok(nc_run_verify(damaged, &err), err);
        const int64_t count = fixture_info(damaged).frame_count;
        assert_true(count >= 1 && count <= 13);
        nc_run_frame frame = {0};
        for (int64_t k = 0; k < count; k++) {
            check_ok(nc_run_read_frame(damaged, k, &frame, &err), err);
            assert_true(frame.hash == hashes[k]);
        }
        nc_run_frame_free(damaged, &frame);
        fixture_close(damaged);
        whole += count == 13;
        shorter += count < 13;
    }
    print_message("%d whole, %d shorter\n", whole, shorter);
    assert_true(shorter > 0);
    free(bytes);
    free(log_bytes);
    fixture_close(run);
    nc_world_destroy(world);
    fixture_leave(&f);
}

// What a stranger may do with SQL, and what is said about it.
static void meddling_with_sql_is_noticed(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    char copy[400];
    snprintf(copy, sizeof copy, "%s-copy", f.path);
    write_rich(f.path);
    static const char *const edits[] = {
        "update pose set x = x + 1e-9 where frame = 3 and body = 2",
        "delete from pose where frame = 3 and body = 2",
        "insert into pose select frame, 77, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz from pose where frame = 3 "
        "and"
        " body = 2",
        "update pose set x = 1 where frame = 3 and body = 2",
        "update pose set x = 'one' where frame = 3 and body = 2",
        "update frame set time = time + 1 where id = 4",
        "update frame set bodies = 1000000000000 where id = 4",
        "update frame set hash = 1 where id = 4",
        "delete from frame where id = 9",
        "delete from frame where id = 4",
        "update report set kinetic = kinetic + 1e-9 where frame = 5",
        "update report set kinetic = null where frame = 5",
        "delete from report where frame = 5",
        "update body set mass = 0 where id = 3",
        "update body set type = 'dynamite' where id = 3",
        "update body set name = name || 'x' where id = 3",
        "delete from body where id = 3",
        "delete from exempt",
        "insert into exempt values (1, 2, 0)",
        "update mesh set vertices = zeroblob(length(vertices)) where id = 0",
        "update mesh set triangles = x'' where id = 0",
        "update mesh set vertex_count = -1 where id = 0",
        "update mesh set hash = 0",
        "delete from mesh where id = 1",
        "update checkpoint set state = zeroblob(length(state))",
        "update checkpoint set size = size + 1",
        "update checkpoint set packing = 'none'",
        "delete from checkpoint",
        "update event set text = 'nothing' where id = 0",
        "delete from event",
        "insert into cluster values (1, 1, 1, 0)",
        "update run set scene = scene || ' '",
        "update run set timestep = 2",
        "delete from run",
        "update progress set frames = 5",
        "update progress set finished = 0",
        "delete from progress",
        "drop table report",
        "alter table pose rename column x to u",
        "drop view motion; drop table frame",
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        fixture_copy(f.path, copy);
        sqlite3 *db = NULL;
        assert_int_equal(sqlite3_open(copy, &db), SQLITE_OK);
        if (sqlite3_exec(db, edits[i], NULL, NULL, NULL) != SQLITE_OK)
            fail_msg("%s: %s", edits[i], sqlite3_errmsg(db));
        sqlite3_close(db);
        nc_error err = {0};
        nc_run *run = NULL;
        nc_code code = nc_run_open(copy, NC_RUN_READ, NULL, &run, &err);
        if (code == NC_OK) {
            read_blindly(run);
            code = nc_run_verify(run, &err);
        }
        if (code != NC_BAD_FILE)
            fail_msg("%s: %s", edits[i], nc_code_name(code));
        nc_run_close(run, NULL);
    }
    fixture_leave(&f);
}

// The sum of a mesh row that claims to have the content hash `hash`.
static uint64_t mesh_sum(sqlite3_stmt *stmt, int64_t hash)
{
    uint64_t sum = NC_HASH_START;
    for (int i = 0; i < 5; i++)
        sum = nc_hash_u64(sum, (uint64_t)sqlite3_column_int64(stmt, i));
    for (int i = 5; i < 9; i++)
        sum = nc_hash(sum, sqlite3_column_blob(stmt, i), (size_t)sqlite3_column_bytes(stmt, i));
    return nc_hash_u64(sum, (uint64_t)hash);
}

static void a_mesh_must_have_its_content_hash(void **state)
{
    (void)state;
    const fixture f = fixture_enter();
    nc_error err;
    fixture_write(f.path, 1, 1, 7);
    for (int round = 0; round < 2; round++) {
        sqlite3 *db = NULL;
        sqlite3_stmt *stmt = NULL;
        char sql[200];
        assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
        assert_int_equal(
            sqlite3_prepare_v2(db,
                               "select id, vertex_count, triangle_count, edge_count, point_count, vertices,"
                               " triangles, edges, points, hash from mesh where id = 0",
                               -1, &stmt, NULL),
            SQLITE_OK);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        const int64_t hash = sqlite3_column_int64(stmt, 9) ^ round;
        snprintf(sql, sizeof sql, "update mesh set hash = %lld, sum = %lld where id = 0", (long long)hash,
                 (long long)mesh_sum(stmt, hash));
        sqlite3_finalize(stmt);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        nc_run *run = fixture_open(f.path, NC_RUN_READ);
        nc_mesh *mesh = NULL;
        assert_int_equal(nc_run_read_mesh(run, 0, &mesh, &err), round == 0 ? NC_OK : NC_BAD_FILE);
        assert_true(round == 0 || strstr(err.text, "content hash") != NULL);
        nc_mesh_release(mesh);
        fixture_close(run);
    }
    fixture_leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_run_file_is_refused),
        cmocka_unit_test(a_newer_format_is_refused_with_its_number),
        cmocka_unit_test(no_flipped_bit_changes_what_is_read_unnoticed),
        cmocka_unit_test(overwritten_stretches_are_noticed),
        cmocka_unit_test(a_truncated_file_is_refused),
        cmocka_unit_test(a_damaged_log_leaves_a_sound_run),
        cmocka_unit_test(meddling_with_sql_is_noticed),
        cmocka_unit_test(a_mesh_must_have_its_content_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
