// nacre view: shows a run, or a scene while it is simulated, in a browser.
#include "cli.h"
#include "driving.h"
#include "interrupt.h"
#include "open_url.h"

#include "scene/scene.h"
#include "view/view.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct view_settings {
    nc_run_settings run; // for scenes
    const char *host;
    int64_t port;
    bool no_open;
} view_settings;

#define RUN_FIELD(field) (offsetof(view_settings, run) + offsetof(nc_run_settings, field))

static const nc_option options[] = {
    {"no-open", 0, NC_OPTION_FLAG, NULL, offsetof(view_settings, no_open), 0, 0,
     "Only print the address; do not open a browser."},
    {"port", 'p', NC_OPTION_WHOLE, "N", offsetof(view_settings, port), 0, 65535,
     "Listen at port N. Default: 0, any that is free."},
    {"host", 0, NC_OPTION_TEXT, "ADDRESS", offsetof(view_settings, host), 0, 0,
     "Listen at this IPv4 address instead of loopback: everyone who can reach it can see the run."},
    {"output", 'o', NC_OPTION_TEXT, "RUN", RUN_FIELD(output), 0, 0,
     "A scene's run is kept in this file. Default: a temporary one, removed at the end."},
    {"set", 's', NC_OPTION_LIST, "PATH=VALUE", RUN_FIELD(set), 0, 0,
     "Change a key of the scene before it is checked. May be repeated."},
    {"steps", 'n', NC_OPTION_WHOLE, "N", RUN_FIELD(steps), 0, 1e12,
     "Stop simulating when the run has N steps. Default: what the scene's duration needs."},
    {"threads", 't', NC_OPTION_WHOLE, "N", RUN_FIELD(threads), 0, NC_MAX_WORKERS,
     "Simulate with N threads. Default: 0, as many as the machine has."},
    {"force", 'f', NC_OPTION_FLAG, NULL, RUN_FIELD(force), 0, 0, "Overwrite the file of --output when it exists."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, RUN_FIELD(quiet), 0, 0, "Print the address and errors only."},
};

static int view(const nc_command *command, int argc, char **argv);

const nc_command nc_command_view = {
    .name = "view",
    .arguments = "RUN | SCENE",
    .about = "Shows a run in a browser, or a scene while it is simulated.",
    .details = "Serves one page at an address that it prints and opens; Ctrl-C ends it. A run that is still being\n"
               "written is followed as it grows. Only this machine can reach the page unless --host says otherwise,\n"
               "and no other web page can read it. The page needs no network. Of a scene that cannot start because\n"
               "bodies touch or overlap it shows these, with depths and directions; exit code 4.\n",
    .examples = "nacre view first.nacre\n"
                "nacre view first.yaml\n"
                "nacre view first.nacre --no-open --port 8080",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = view,
};

// ---- serving ------------------------------------------------------------------------------------------------

static nc_exit start_server(const char *run, const view_settings *settings, const nc_buffer *refusal,
                            nc_view_server **out)
{
    nc_error err = {0};
    char url[128];
    const nc_view_server_def def = {
        .run = run, .host = settings->host, .port = (int)settings->port, .refusal = refusal};
    if (nc_view_server_start(&def, out, &err) != NC_OK)
        return err.code == NC_UNSUPPORTED ? nc_complain_usage("%s", err.text) : nc_complain(&err);
    const bool everywhere = settings->host == NULL || strcmp(settings->host, "0.0.0.0") == 0;
    snprintf(url, sizeof url, "http://%s:%d/", everywhere ? "127.0.0.1" : settings->host, nc_view_server_port(*out));
    if (settings->host != NULL && strncmp(settings->host, "127.", 4) != 0)
        fprintf(stderr, "warning: everyone who can reach %s can see this run\n", settings->host);
    printf("%s\n", url);
    fflush(stdout);
    if (!settings->no_open)
        nc_open_url(url);
    nc_say(settings->run.quiet, "Ctrl-C ends it.");
    return NC_EXIT_DONE;
}

static void wait_for_signal(void)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    while (!nc_interrupted())
        nanosleep(&pause, NULL);
}

static nc_exit view_run(const char *path, const view_settings *settings)
{
    nc_view_server *server = NULL;
    if (settings->run.output != NULL || settings->run.set.count > 0 || settings->run.steps >= 0)
        return nc_complain_usage("--output, --set and --steps are for scenes; '%s' is a run", path);
    nc_interrupt_watch();
    const nc_exit code = start_server(path, settings, NULL, &server);
    if (code == NC_EXIT_DONE)
        wait_for_signal();
    nc_view_server_stop(server);
    return code;
}

// ---- a scene ------------------------------------------------------------------------------------------------

// A run file in a folder of our own, so that nothing else can be in the way.
typedef struct temporary {
    char folder[1024];
    char file[1100]; // "": not made
} temporary;

static nc_exit make_temporary(temporary *out)
{
    const char *base = getenv("TMPDIR");
    *out = (temporary){0};
    snprintf(out->folder, sizeof out->folder, "%s/nacre-view-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    if (mkdtemp(out->folder) == NULL) {
        nc_complain_usage("cannot make a temporary folder %s; give --output", out->folder);
        return NC_EXIT_IO;
    }
    snprintf(out->file, sizeof out->file, "%s/run.nacre", out->folder);
    return NC_EXIT_DONE;
}

static void remove_temporary(const temporary *t)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-lock", "-new"};
    char name[1110];
    if (t->file[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", t->file, endings[i]);
        unlink(name);
    }
    rmdir(t->folder);
}

static nc_exit simulate(nc_driver *driver, const char *scene, const view_settings *settings)
{
    nc_view_server *server = NULL;
    nc_session_summary summary = {.path = ""};
    nc_exit code = nc_driver_start(driver, scene);
    if (code == NC_EXIT_DONE) {
        nc_session_summarize(driver->session, &summary);
        code = start_server(summary.path, settings, NULL, &server);
    }
    if (code == NC_EXIT_DONE)
        code = nc_driver_advance(driver);
    if (driver->session != NULL)
        nc_session_summarize(driver->session, &summary);
    const bool interrupted = summary.status == NC_SESSION_INTERRUPTED;
    char path[4096];
    snprintf(path, sizeof path, "%s", summary.path);
    const nc_exit closing = nc_driver_close(driver);
    code = code == NC_EXIT_DONE ? closing : code;
    if (server != NULL && !nc_interrupted()) {
        nc_say(settings->run.quiet, code == NC_EXIT_DONE ? "The run is complete." : "The run ended early.");
        wait_for_signal();
    }
    nc_view_server_stop(server);
    if (interrupted && settings->run.output != NULL) {
        nc_say(settings->run.quiet, "To continue the run: nacre run --resume %s", path);
        return NC_EXIT_INTERRUPTED;
    }
    return code;
}

// ---- a scene that is refused --------------------------------------------------------------------------------

// The start of the scene as a run file of one frame, and what is wrong with it.
static nc_code store_refused(const char *path, const view_settings *settings, const nc_error *why, const char *run,
                             nc_buffer *refusal, nc_error *err)
{
    const nc_words *set = &settings->run.set;
    const nc_scene_def def = {.path = path, .overrides = set->items, .override_count = set->count};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_run *file = NULL;
    char command[4200] = "", sentence[sizeof why->file + sizeof why->text + 64];
    nc_code code = nc_scene_load(&def, &scene, err);
    if (code == NC_OK)
        code = nc_scene_build_unchecked(scene, NULL, &model, err);
    if (code == NC_OK) {
        const nc_scene_settings view = nc_scene_view(scene);
        const nc_run_def run_def = {.path = run,
                                    .scene_text = view.text,
                                    .scene_path = path,
                                    .title = view.title,
                                    .timestep = view.timestep,
                                    .output_every = view.output_every};
        if (!view.is_cloth) // nothing repairs cloth
            snprintf(command, sizeof command, "nacre repair %s -o repaired.yaml", path);
        code = nc_run_create(&run_def, model, &file, err);
    }
    if (code == NC_OK)
        code = nc_view_write_refusal(model, nc_error_format(why, sentence, sizeof sentence), command, refusal, err);
    const nc_code closing = nc_run_close(file, code == NC_OK ? err : NULL);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code == NC_OK ? closing : code;
}

// Shows what touches or overlaps. The exit code says, as without the page, that the scene cannot start.
static nc_exit view_refused(const char *path, const view_settings *settings, const nc_error *why)
{
    temporary t;
    nc_error err = {0};
    nc_view_server *server = NULL;
    nc_buffer refusal = nc_buffer_create(NULL);
    nc_exit code = make_temporary(&t);
    if (code == NC_EXIT_DONE && store_refused(path, settings, why, t.file, &refusal, &err) != NC_OK)
        code = nc_complain(&err);
    if (code == NC_EXIT_DONE) {
        nc_say(settings->run.quiet, "The page shows what touches or overlaps.");
        code = start_server(t.file, settings, &refusal, &server);
    }
    if (code == NC_EXIT_DONE)
        wait_for_signal();
    nc_view_server_stop(server);
    nc_buffer_free(&refusal);
    remove_temporary(&t);
    return code == NC_EXIT_DONE ? NC_EXIT_INTERSECTING : code;
}

static nc_exit view_scene(const char *path, const view_settings *settings)
{
    temporary t = {0};
    nc_run_settings run = settings->run;
    if (run.output == NULL) {
        const nc_exit made = make_temporary(&t);
        if (made != NC_EXIT_DONE)
            return made;
        run.output = t.file;
    }
    nc_driver driver = {.settings = &run};
    nc_interrupt_watch();
    const nc_exit code = simulate(&driver, path, settings);
    remove_temporary(&t);
    return driver.err.code == NC_INTERSECTING ? view_refused(path, settings, &driver.err) : code;
}

// ---- the command --------------------------------------------------------------------------------------------

static nc_exit show(const nc_words *arguments, void *ctx)
{
    const view_settings *settings = ctx;
    const char *path = arguments->items[0];
    nc_error err = {0};
    nc_file_kind kind;
    if (settings->host != NULL && !nc_view_is_address(settings->host, strlen(settings->host)))
        return nc_complain_usage("--host expects an IPv4 address such as 192.168.1.5, but '%s' was given",
                                 settings->host);
    if (nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (nc_view_page_check(&err) != NC_OK)
        return nc_complain_usage("%s", err.text);
    if (kind == NC_FILE_MESH)
        return nc_complain_usage("'%s' is a mesh; view shows runs and scenes", path);
    return kind == NC_FILE_RUN ? view_run(path, settings) : view_scene(path, settings);
}

static int view(const nc_command *command, int argc, char **argv)
{
    view_settings settings = {.run = {.steps = -1, .until = -1}};
    return nc_command_work(command, argc, argv, &settings, show);
}
