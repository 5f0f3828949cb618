// What the tests of run files share: a world of tumbling bodies, scratch directories, a reference run.
#ifndef NC_TESTS_RUN_FIXTURE_H
#define NC_TESTS_RUN_FIXTURE_H

#include "check.h"

#include "nacre/run.h"

#include "base/base.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIXTURE_DT (1.0 / 24)

// A directory that is gone after fixture_leave. The path of a run file in it goes to `path`.
typedef struct fixture {
    char directory[256];
    char path[320];
} fixture;

static inline fixture fixture_enter(void)
{
    fixture f;
    // In memory where there is such a place: a killed process needs no disk, and the tests need not wait for one.
    const char *base = getenv("TMPDIR");
    if (base == NULL)
        base = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(f.directory, sizeof f.directory, "%.200s/nacre-run-XXXXXX", base);
    assert_non_null(mkdtemp(f.directory));
    snprintf(f.path, sizeof f.path, "%s/a run.nacre", f.directory);
    return f;
}

static inline void fixture_leave(const fixture *f)
{
    static const char *const suffixes[] = {"",      "-wal",     "-shm",      "-lock",     "-new",
                                           "-copy", "-journal", "-copy-wal", "-copy-shm", "-copy-lock"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char name[400];
        snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
        unlink(name);
    }
    // Fails when a test leaves something behind that it should not.
    assert_int_equal(rmdir(f->directory), 0);
}

static inline nc_mesh *fixture_mesh(const char *shape, const nc_allocator *allocator)
{
    nc_error err;
    nc_mesh *mesh = NULL;
    check_ok(nc_shape_create(shape, NULL, 0, allocator, &mesh, &err), err);
    return mesh;
}

// A static plane, a scripted box, and `count` tumbling bodies of two shapes; the first two tumblers are exempt.
static inline nc_world *fixture_world(int count, uint64_t seed)
{
    nc_error err;
    nc_world *world = NULL;
    nc_world_def def = nc_world_def_default();
    def.workers = 1;
    check_ok(nc_world_create(&def, &world, &err), err);
    nc_mesh *plane = fixture_mesh("plane", NULL), *box = fixture_mesh("box", NULL),
            *torus = fixture_mesh("torus", NULL);
    nc_body_def body = nc_body_def_default();
    nc_body_id id, first = {0, 0};
    body.type = NC_STATIC;
    body.mesh = plane;
    body.name = "ground";
    body.position = nc_v3(0, -100, 0);
    check_ok(nc_body_create(world, &body, &id, &err), err);
    body = nc_body_def_default();
    body.type = NC_KINEMATIC;
    body.mesh = box;
    body.name = "pusher";
    body.velocity = nc_v3(1, 0, 0);
    body.spin = nc_v3(0, 1, 0);
    check_ok(nc_body_create(world, &body, &id, &err), err);
    nc_random random = {seed};
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "tumbler %d", i);
        body = nc_body_def_default();
        body.type = NC_DYNAMIC;
        body.mesh = i % 2 == 0 ? box : torus;
        body.name = name;
        body.mass.mass = 1 + i;
        body.position = nc_v3(5.0 * i, 10, nc_random_range(&random, -1, 1));
        body.velocity = nc_v3(nc_random_range(&random, -3, 3), 4, nc_random_range(&random, -3, 3));
        body.spin = nc_v3(nc_random_range(&random, -9, 9), nc_random_range(&random, -9, 9), 3);
        check_ok(nc_body_create(world, &body, &id, &err), err);
        if (i == 0)
            first = id;
        if (i == 1)
            check_ok(nc_world_exempt_pair(world, first, id, &err), err);
    }
    nc_mesh_release(plane);
    nc_mesh_release(box);
    nc_mesh_release(torus);
    return world;
}

static inline nc_run_def fixture_def(const char *path)
{
    const nc_run_def def = {.path = path,
                            .scene_text = "nacre: 1\ntitle: a test\n",
                            .scene_path = "test.yaml",
                            .title = "a test",
                            .timestep = FIXTURE_DT,
                            .steps_wanted = 40,
                            .output_every = 1,
                            .checkpoint_every = 5};
    return def;
}

static inline nc_run *fixture_create(const char *path, nc_world *world)
{
    nc_error err;
    nc_run *run = NULL;
    const nc_run_def def = fixture_def(path);
    check_ok(nc_run_create(&def, nc_model_of_world(world), &run, &err), err);
    return run;
}

static inline nc_run *fixture_open(const char *path, nc_run_mode mode)
{
    nc_error err;
    nc_run *run = NULL;
    check_ok(nc_run_open(path, mode, NULL, &run, &err), err);
    return run;
}

// The world of the last checkpoint; NULL when that fails.
static inline nc_code fixture_restore(nc_run *run, nc_world **out, nc_error *err)
{
    nc_model model;
    const nc_code code = nc_run_restore(run, 1, &model, err);
    *out = nc_model_world(model);
    return code;
}

static inline void fixture_close(nc_run *run)
{
    nc_error err;
    check_ok(nc_run_close(run, &err), err);
}

static inline nc_run_info fixture_info(nc_run *run)
{
    nc_error err;
    nc_run_info info;
    check_ok(nc_run_read_info(run, &info, &err), err);
    return info;
}

static inline void fixture_step(nc_world *world, nc_run *run)
{
    nc_error err;
    nc_model_report report;
    check_ok(nc_model_step(nc_model_of_world(world), FIXTURE_DT, &report, &err), err);
    if (run != NULL)
        check_ok(nc_run_append(run, nc_model_of_world(world), &report, 1, &err), err);
}

// Writes a whole run of `steps` steps.
static inline void fixture_write(const char *path, int bodies, int steps, uint64_t seed)
{
    nc_error err;
    nc_world *world = fixture_world(bodies, seed);
    nc_run *run = fixture_create(path, world);
    for (int i = 0; i < steps; i++)
        fixture_step(world, run);
    check_ok(nc_run_finish(run, nc_model_of_world(world), &err), err);
    fixture_close(run);
    nc_world_destroy(world);
}

static inline bool fixture_exists(const char *path, const char *suffix)
{
    char name[512];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &status) == 0;
}

static inline void fixture_assert_one_file(const char *path)
{
    assert_true(fixture_exists(path, ""));
    assert_false(fixture_exists(path, "-wal"));
    assert_false(fixture_exists(path, "-shm"));
    assert_false(fixture_exists(path, "-lock"));
    assert_false(fixture_exists(path, "-new"));
    assert_false(fixture_exists(path, "-journal"));
}

// Runs SQL on the file with SQLite itself, as a stranger would. Returns the first number of the first row.
static inline double fixture_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    double value = NAN;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        print_error("%s: %s\n", sql, sqlite3_errmsg(db));
        fail();
    }
    int result = sqlite3_step(stmt);
    if (result == SQLITE_ROW)
        value = sqlite3_column_double(stmt, 0);
    while (result == SQLITE_ROW)
        result = sqlite3_step(stmt);
    if (result != SQLITE_DONE)
        print_error("%s: %s\n", sql, sqlite3_errmsg(db));
    assert_int_equal(result, SQLITE_DONE);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return value;
}

static inline void fixture_copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    char buffer[65536];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    fclose(out);
}

#endif
