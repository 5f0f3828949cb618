// Sessions: a scene becomes a run file, stopped and resumed runs have the same bits, and callbacks report what happens.
#include "fail_allocator.h"
#include "scratch.h"

#include "nacre/drive.h"

static const char box_falls[] = "nacre: 1\n"
                                "world: {timestep: 1/60, duration: 0.5}\n"
                                "shapes: {ground: {generate: plane, size: 8}, box: {generate: box}}\n"
                                "bodies:\n"
                                "  - {shape: ground, type: static}\n"
                                "  - {name: falling, shape: box, position: [0, 1, 0], spin: [1, 2, 3]}\n"
                                "expect: {separation: true, escaped: 0, collisions: {min: 1}}\n";

static const char sheet_falls[] =
    "nacre: 1\n"
    "world: {pipeline: acm, timestep: 1/24, duration: 0.5, restitution: 0, acm: {thickness: 0.05}}\n"
    "shapes:\n"
    "  ball: {generate: sphere, radius: 0.4, splits: 2}\n"
    "  sheet: {generate: sheet, size: 1.6, columns: 4, rows: 4}\n"
    "bodies:\n"
    "  - {shape: ball, type: static}\n"
    "  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.6, 0], cloth: {stretch: 200}}\n"
    "expect: {separation: true, crossings: 0, jammed: 0}\n";

// What a session said, and when it is to stop.
typedef struct listener {
    int told[NC_MESSAGE_JAMMED + 1];
    char last[256];
    int watched, inside, outside;
    bool is_inside;
    int64_t last_seen;
    int64_t stop_at; // a step; 0: never
} listener;

static void hear(nc_message_kind kind, const char *text, void *ctx)
{
    listener *l = ctx;
    l->told[kind]++;
    snprintf(l->last, sizeof l->last, "%s", text);
}

static void see(const nc_session_progress *progress, void *ctx)
{
    listener *l = ctx;
    assert_true(progress->step > l->last_seen && progress->step <= progress->last_step);
    assert_true(progress->bodies == 2);
    assert_false(l->is_inside);
    l->last_seen = progress->step;
    l->watched++;
}

static bool stops(void *ctx)
{
    const listener *l = ctx;
    return l->stop_at > 0 && l->last_seen >= l->stop_at;
}

static void losable(bool on, void *ctx)
{
    listener *l = ctx;
    assert_true(on != l->is_inside);
    l->is_inside = on;
    l->inside += on;
    l->outside += !on;
}

static nc_session_def def_of(const char *input, const char *output, listener *l)
{
    nc_session_def def = nc_session_def_default();
    def.input = input;
    def.output = output;
    def.workers = 1;
    if (l != NULL) {
        def.on_message = hear;
        def.watch = see;
        def.stops = stops;
        def.losable = losable;
        def.ctx = l;
    }
    return def;
}

// Opens, runs, summarizes and closes; fails the test when something does not work.
static nc_session_summary run_of(const nc_session_def *def)
{
    nc_session *session = NULL;
    nc_session_summary summary;
    nc_error err = {0};
    check_ok(nc_session_open(def, &session, NULL, &err), err);
    check_ok(nc_session_run(session, &err), err);
    nc_session_summarize(session, &summary);
    check_ok(nc_session_close(session, &err), err);
    return summary;
}

static void a_session_runs_a_scene_to_its_end_and_tells(void **state)
{
    (void)state;
    nc_session *session = NULL;
    nc_error err = {0};
    listener l = {0};
    nc_session_def def = def_of(scratch_text("a.yaml", box_falls), scratch_path("a.nacre"), &l);
    def.audit = def.expect = true;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    assert_int_equal(l.told[NC_MESSAGE_INFO], 1);
    assert_non_null(strstr(l.last, "2 bodies, 30 steps"));
    check_ok(nc_session_run(session, &err), err);
    assert_int_equal(l.watched, 30);
    assert_int_equal(l.inside, 30);
    assert_int_equal(l.outside, 30);
    assert_int_equal(l.told[NC_MESSAGE_INTERSECTION], 0);

    nc_session_summary s;
    nc_session_summarize(session, &s);
    assert_string_equal(nc_session_status_name(s.status), "finished");
    assert_int_equal(s.steps, 30);
    assert_int_equal(s.steps_here, 30);
    assert_int_equal(s.frames, 31);
    assert_int_equal(s.audited_frames, 31);
    assert_int_equal(s.audited_steps, 30);
    assert_int_equal(s.intersecting_frames, 0);
    assert_int_equal(s.first_intersecting, -1);
    assert_true(s.audited && !s.run.has_cloth && s.run.collisions > 0 && s.seconds > 0);
    assert_true(s.hash == nc_model_hash(nc_session_model(session)));
    assert_null(nc_model_cloth(nc_session_model(session)));
    nc_session_dump dump;
    assert_false(nc_session_dumped(session, &dump));

    int failed = 7;
    nc_buffer lines = nc_buffer_create(NULL);
    check_ok(nc_session_judge(session, &failed, &lines, &err), err);
    assert_int_equal(failed, 0);
    assert_true(lines.size > 0 && memcmp(lines.data, "ok ", 3) == 0);
    nc_buffer_free(&lines);
    check_ok(nc_session_close(session, &err), err);
}

static void what_is_expected_and_does_not_come_is_counted(void **state)
{
    (void)state;
    nc_session *session = NULL;
    nc_error err = {0};
    const char *const overrides[] = {"expect.collisions={min: 1000}"};
    nc_session_def def = def_of(scratch_text("a.yaml", box_falls), scratch_path("b.nacre"), NULL);
    def.overrides = overrides;
    def.override_count = 1;
    def.expect = true;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    check_ok(nc_session_run(session, &err), err);
    int failed = 0;
    check_ok(nc_session_judge(session, &failed, NULL, &err), err);
    assert_int_equal(failed, 1);
    check_ok(nc_session_close(session, &err), err);

    // A scene that expects nothing, and a session that was not to be judged.
    const char *const none[] = {"expect="};
    def.overrides = none;
    def.overwrite = true;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    check_ok(nc_session_judge(session, &failed, NULL, &err), err);
    assert_int_equal(failed, -1);
    check_ok(nc_session_close(session, &err), err);
    def.expect = false;
    check_ok(nc_session_open(&def, &session, NULL, &err), err);
    assert_int_equal(nc_session_judge(session, &failed, NULL, &err), NC_BAD_ARGUMENT);
    check_ok(nc_session_close(session, &err), err);
}

// Whole, and stopped twice (by the watcher, by `steps`), both with the same bits.
static void check_parts(const char *text, const char *name, int64_t steps)
{
    char yaml[32], whole_name[32], parts_name[32];
    snprintf(yaml, sizeof yaml, "%s.yaml", name);
    snprintf(whole_name, sizeof whole_name, "%s_whole.nacre", name);
    snprintf(parts_name, sizeof parts_name, "%s_parts.nacre", name);
    const char *scene = scratch_text(yaml, text);
    nc_session_def def = def_of(scene, scratch_path(whole_name), NULL);
    const nc_session_summary whole = run_of(&def);
    assert_int_equal(whole.steps, steps);

    listener l = {.stop_at = 3};
    def = def_of(scene, scratch_path(parts_name), &l);
    nc_session_summary part = run_of(&def);
    assert_int_equal(part.status, NC_SESSION_INTERRUPTED);
    assert_int_equal(part.steps, 3);
    def = def_of(def.output, NULL, NULL);
    def.resume = true;
    def.steps = 7;
    part = run_of(&def);
    assert_int_equal(part.status, NC_SESSION_STOPPED);
    assert_int_equal(part.steps_here, 4);
    def.steps = -1;
    def.workers = 2;
    def.audit = true; // of what is stored, too
    part = run_of(&def);
    assert_int_equal(part.status, NC_SESSION_FINISHED);
    assert_int_equal(part.audited_frames, steps + 1);
    assert_int_equal(part.intersecting_frames, 0);
    assert_true(part.hash == whole.hash);
    assert_int_equal(part.frames, whole.frames);
}

static void a_session_that_was_stopped_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    check_parts(box_falls, "box", 30);
    check_parts(sheet_falls, "sheet", 12);
}

static void check_refusal(const nc_session_def *def, nc_refusal wanted, const char *words)
{
    nc_session *session = (nc_session *)1;
    nc_error err = {0};
    nc_refusal refusal = NC_REFUSED_NOT;
    assert_int_equal(nc_session_open(def, &session, &refusal, &err), NC_BAD_ARGUMENT);
    assert_null(session);
    assert_int_equal(refusal, wanted);
    if (strstr(err.text, words) == NULL)
        fail_msg("no '%s' in '%s'", words, err.text);
}

static void what_does_not_fit_is_refused_with_its_reason(void **state)
{
    (void)state;
    const char *scene = scratch_text("c.yaml", box_falls), *run = scratch_path("c.nacre");
    nc_session_def def = def_of(scene, run, NULL);
    def.steps = 2;
    run_of(&def);
    check_refusal(&def, NC_REFUSED_EXISTS, "exists");
    def.every = 2;
    def.resume = true;
    check_refusal(&def, NC_REFUSED_FRAMES, "set when a run starts");
    def.every = 0;
    const char *const overrides[] = {"world.timestep=1/30"};
    def.overrides = overrides;
    def.override_count = 1;
    check_refusal(&def, NC_REFUSED_OTHER_SCENE, "another scene");
    def.input = run;
    check_refusal(&def, NC_REFUSED_OVERRIDES, "keeps the scene");
    def.override_count = 0;
    def.output = scratch_path("other.nacre");
    check_refusal(&def, NC_REFUSED_OUTPUT, "its own file");
    def.resume = false;
    check_refusal(&def, NC_REFUSED_RUN_FILE, "is a run file");
    def = def_of(scene, scratch_text("notes.txt", "mine"), NULL);
    def.overwrite = true;
    check_refusal(&def, NC_REFUSED_NOT_A_RUN, "stays as it is");
    def = def_of(scratch_text("m.obj", "v 0 0 0\n"), NULL, NULL);
    check_refusal(&def, NC_REFUSED_MESH, "is a mesh");
    char name[5000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    def = def_of(name, NULL, NULL);
    check_refusal(&def, NC_REFUSED_LONG_NAME, "file name");
    def = def_of(scratch_text("s.yaml", sheet_falls), scratch_path("s.nacre"), NULL);
    def.merit = scratch_path("merit.csv");
    check_refusal(&def, NC_REFUSED_MERIT, "cloth");
    def = nc_session_def_default();
    check_refusal(&def, NC_REFUSED_NOT, "needs a scene");
}

static void other_errors_come_as_the_library_has_them(void **state)
{
    (void)state;
    nc_session *session = NULL;
    nc_error err = {0};
    nc_refusal refusal = NC_REFUSED_MESH;
    nc_session_def def = def_of(scratch_path("none.yaml"), scratch_path("e.nacre"), NULL);
    assert_int_equal(nc_session_open(&def, &session, &refusal, &err), NC_NOT_FOUND);
    assert_int_equal(refusal, NC_REFUSED_NOT);
    def.input = scratch_text("bad.yaml", "nacre: 1\nwrold: {}\n");
    assert_int_equal(nc_session_open(&def, &session, NULL, &err), NC_BAD_SCENE);
    assert_int_equal(err.line, 2);
    const char *const inside[] = {"bodies.1.position=[0, 0.1, 0]"};
    def.input = scratch_text("a.yaml", box_falls);
    def.overrides = inside;
    def.override_count = 1;
    assert_int_equal(nc_session_open(&def, &session, NULL, &err), NC_INTERSECTING);
    assert_null(session);
    assert_int_equal(access(def.output, F_OK), -1); // nothing was left
    check_ok(nc_session_close(NULL, &err), err);
}

// A whole session, and another that goes on with it, from an allocator that refuses.
static nc_code try_session(const nc_allocator *allocator, void *ctx)
{
    const char *const *names = ctx;
    nc_session_def def = def_of(names[0], names[1], NULL);
    nc_code code = NC_OK;
    def.allocator = allocator;
    def.overwrite = true;
    def.expect = true;
    def.steps = 1;
    for (int part = 0; part < 2 && code == NC_OK; part++) {
        nc_session *session = NULL;
        int failed = 0;
        code = nc_session_open(&def, &session, NULL, NULL);
        if (code == NC_OK)
            code = nc_session_run(session, NULL);
        if (code == NC_OK)
            code = nc_session_judge(session, &failed, NULL, NULL);
        (void)nc_session_close(session, NULL);
        def.input = names[1];
        def.output = NULL;
        def.resume = true;
        def.steps = 2;
    }
    return code;
}

static void every_refused_allocation_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    const char *box[2] = {scratch_text("f.yaml", box_falls), scratch_path("f.nacre")};
    assert_true(fail_at_every_call(try_session, box) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_runs_a_scene_to_its_end_and_tells),
        cmocka_unit_test(what_is_expected_and_does_not_come_is_counted),
        cmocka_unit_test(a_session_that_was_stopped_goes_on_with_the_same_bits),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_reason),
        cmocka_unit_test(other_errors_come_as_the_library_has_them),
        cmocka_unit_test(every_refused_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
