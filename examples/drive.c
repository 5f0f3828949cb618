// A scene, simulated into a run file and judged: stopped half way, resumed, with the same bits in the end.
#include <nacre/nacre.h>

#include <inttypes.h>
#include <stdio.h>

static const char scene[] = "nacre: 1\n"
                            "title: A box falls\n"
                            "world: {timestep: 1/60, duration: 1}\n"
                            "shapes: {ground: {generate: plane, size: 8}, box: {generate: box}}\n"
                            "bodies:\n"
                            "  - {shape: ground, type: static}\n"
                            "  - {name: box, shape: box, position: [0, 2, 0], spin: [1, 2, 3]}\n"
                            "expect: {separation: true, escaped: 0}\n";

// What the callbacks share.
typedef struct listener {
    int64_t step, stop_at; // stop_at 0: never
} listener;

static void print_message(nc_message_kind kind, const char *text, void *ctx)
{
    (void)ctx;
    printf("%s%s\n", kind == NC_MESSAGE_WARNING ? "warning: " : "", text);
}

static void watch(const nc_session_progress *progress, void *ctx)
{
    ((listener *)ctx)->step = progress->step;
}

static bool stops(void *ctx)
{
    const listener *l = ctx;
    return l->stop_at > 0 && l->step >= l->stop_at;
}

// Opens, runs and judges; the state's hash at the end.
static nc_code simulate(const char *input, const char *output, int64_t stop_at, uint64_t *out_hash, nc_error *err)
{
    listener l = {0, stop_at};
    nc_session_def def = nc_session_def_default();
    def.input = input;
    def.output = output;
    def.resume = output == NULL; // then the input is the run file
    def.overwrite = !def.resume;
    def.expect = true;
    def.on_message = print_message;
    def.watch = watch;
    def.stops = stops;
    def.ctx = &l;
    nc_session *session = NULL;
    nc_code code = nc_session_open(&def, &session, NULL, err);
    if (code != NC_OK)
        return code;
    code = nc_session_run(session, err);
    nc_session_summary summary;
    nc_session_summarize(session, &summary);
    printf("%s after %" PRId64 " steps, %" PRId64 " frames without an intersection\n",
           nc_session_status_name(summary.status), summary.steps, summary.audited_frames - summary.intersecting_frames);
    int failed = 0;
    if (code == NC_OK && summary.status == NC_SESSION_FINISHED)
        code = nc_session_judge(session, &failed, NULL, err);
    if (failed > 0)
        printf("%d expectations were not met\n", failed);
    *out_hash = summary.hash;
    const nc_code closed = nc_session_close(session, code == NC_OK ? err : NULL);
    return code == NC_OK ? closed : code;
}

static nc_code write_scene(const char *path, nc_error *err)
{
    FILE *file = fopen(path, "w");
    const bool written = file != NULL && fputs(scene, file) >= 0;
    if ((file != NULL && fclose(file) != 0) || !written) {
        snprintf(err->text, sizeof err->text, "cannot write %s", path);
        return NC_IO;
    }
    return NC_OK;
}

int main(void)
{
    nc_error err = {0};
    uint64_t whole = 0, part = 0, resumed = 1;
    nc_code code = write_scene("box.yaml", &err);
    if (code == NC_OK)
        code = simulate("box.yaml", "whole.nacre", 0, &whole, &err);
    if (code == NC_OK)
        code = simulate("box.yaml", "parts.nacre", 20, &part, &err);
    if (code == NC_OK)
        code = simulate("parts.nacre", NULL, 0, &resumed, &err);
    if (code != NC_OK)
        fprintf(stderr, "drive: %s: %s\n", nc_code_name(code), err.text);
    else
        printf("the resumed run has %s bits\n", resumed == whole ? "the same" : "OTHER");
    return code == NC_OK && resumed == whole ? 0 : 1;
}
