// A scene that is simulated while it is looked at, and again when it is saved or a page requests it.
//
// One thread simulates and looks at the scene file; the server's threads read the run file through connections of their
// own. They meet in nc_view_control, and in the lock that the server holds while the run file is replaced.
#include "live.h"
#include "interrupt.h"

#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_SECONDS  0.2      // [s] between two looks at the scene file
#define PAUSE_LOOK_NS 50000000 // [ns] between two looks at what a page requests, while nothing is simulated

// ---- files --------------------------------------------------------------------------------------------------

// A run file in a folder of our own, so that nothing else can be in the way.
typedef struct temporary {
    char folder[1024];
    char file[1100];  // of the run; "": not made
    char start[1100]; // of the start of a scene that is refused
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
    snprintf(out->start, sizeof out->start, "%s/start.nacre", out->folder);
    return NC_EXIT_DONE;
}

static void remove_run(const char *file)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-lock", "-new"};
    char name[1110];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", file, endings[i]);
        unlink(name);
    }
}

static void remove_temporary(const temporary *t)
{
    if (t->file[0] == '\0')
        return;
    remove_run(t->file);
    remove_run(t->start);
    rmdir(t->folder);
}

// What changes when a file is saved.
typedef struct stamp {
    struct timespec changed;
    off_t size;
    ino_t inode;
} stamp;

static stamp stamp_of(const char *path)
{
    struct stat now;
    if (stat(path, &now) != 0)
        return (stamp){.size = -1};
    return (stamp){now.st_mtim, now.st_size, now.st_ino};
}

static bool is_same(const stamp *a, const stamp *b)
{
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec && a->size == b->size &&
           a->inode == b->inode;
}

// ---- what is requested --------------------------------------------------------------------------------------

typedef struct live {
    const char *scene;
    const nc_view_settings *settings;
    nc_run_settings run; // the same, with the file that is written
    temporary temporary;
    nc_view_server *server; // NULL: not yet
    nc_view_control control;
    nc_buffer refusal; // what the server shows of a scene that is refused
    stamp saved;       // of the scene file when it was last looked at
    double looked;     // [s] when that was
    bool again;        // simulate the scene again from its start
} live;

static nc_scene_def scene_def(const live *l)
{
    const nc_words *set = &l->settings->run.set;
    return (nc_scene_def){.path = l->scene, .overrides = set->items, .override_count = set->count};
}

// Can the scene file be read? If not, pages get the reason and keep what they show.
static bool is_readable(live *l)
{
    const nc_scene_def def = scene_def(l);
    char sentence[sizeof(nc_error)];
    nc_error err = {0};
    nc_scene *scene = NULL;
    const bool readable = nc_scene_load(&def, &scene, &err) == NC_OK;
    nc_scene_destroy(scene);
    if (!readable) {
        nc_complain(&err);
        nc_view_server_tell(l->server, nc_error_format(&err, sentence, sizeof sentence));
    }
    return readable;
}

// Whether the scene was saved, or a page requests a restart, and it can be read.
static bool wants_again(live *l)
{
    const double now = nc_clock();
    bool look = atomic_exchange(&l->control.restart, false);
    if (now - l->looked > LOOK_SECONDS) {
        const stamp saved = stamp_of(l->scene);
        look =
            look || (saved.size >= 0 && !is_same(&saved, &l->saved)); // some editors remove a file before they write it
        l->saved = saved.size >= 0 ? saved : l->saved;
        l->looked = now;
    }
    if (look && !l->again)
        l->again = is_readable(l);
    return l->again;
}

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_LOOK_NS}, NULL);
}

// Asked by the thread that simulates, before steps and in them; a pause lasts here.
static bool stops(void *ctx)
{
    live *l = ctx;
    while (atomic_load(&l->control.paused) && !nc_interrupted() && !wants_again(l))
        sleep_a_little();
    return wants_again(l);
}

// ---- one run ------------------------------------------------------------------------------------------------

// Pages see this run from now on.
static nc_exit present(live *l, const char *run, const nc_buffer *refusal)
{
    nc_error err = {0};
    if (l->server != NULL)
        return nc_view_server_show(l->server, run, refusal, &err) == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
    const nc_view_server_def def = {
        .run = run, .refusal = refusal, .live = true, .control = l->settings->host == NULL ? &l->control : NULL};
    return nc_serving_start(def, l->settings, &l->server);
}

// The start of the scene as a run file of one frame, and what is wrong with it.
static nc_code store_refused(live *l, const nc_error *why, nc_error *err)
{
    const nc_scene_def def = scene_def(l);
    const char *path = l->scene;
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_run *file = NULL;
    char command[4200] = "", sentence[sizeof why->file + sizeof why->text + 64];
    nc_code code = nc_scene_load(&def, &scene, err);
    if (code == NC_OK)
        code = nc_scene_build_unchecked(scene, NULL, &model, err);
    if (code == NC_OK) {
        const nc_scene_settings view = nc_scene_view(scene);
        const nc_run_def run_def = {.path = l->temporary.start,
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
        code = nc_view_write_refusal(model, nc_error_format(why, sentence, sizeof sentence), command, &l->refusal, err);
    const nc_code closing = nc_run_close(file, code == NC_OK ? err : NULL);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code == NC_OK ? closing : code;
}

// The scene was read, but cannot start: pages get the refusal, and show the run file if there is one.
static nc_exit show_failure(live *l, const nc_error *why, nc_exit code)
{
    char sentence[sizeof(nc_error)];
    if (l->server == NULL)
        return code;
    nc_view_server_show(l->server, l->run.output, NULL, NULL);
    nc_view_server_tell(l->server, nc_error_format(why, sentence, sizeof sentence));
    return code;
}

// Shows what touches or overlaps. The exit code says, as without the page, that the scene cannot start.
static nc_exit show_refused(live *l, const nc_error *why)
{
    nc_error err = {0};
    nc_buffer_free(&l->refusal);
    l->refusal = nc_buffer_create(NULL);
    remove_run(l->temporary.start);
    if (store_refused(l, why, &err) != NC_OK)
        return show_failure(l, &err, nc_complain(&err));
    nc_say(l->run.quiet, "The page shows what touches or overlaps.");
    const nc_exit code = present(l, l->temporary.start, &l->refusal);
    return code == NC_EXIT_DONE ? NC_EXIT_INTERSECTING : code;
}

// From the start of the scene to its end, a signal, or a reason to begin again.
static nc_exit simulate(live *l)
{
    nc_driver driver = {.settings = &l->run, .stops = stops, .stops_ctx = l};
    nc_session_summary summary = {.path = ""};
    if (l->server != NULL)
        nc_view_server_release(l->server);
    nc_exit code = nc_driver_start(&driver, l->scene);
    if (driver.session == NULL)
        return driver.err.code == NC_INTERSECTING ? show_refused(l, &driver.err) : show_failure(l, &driver.err, code);
    nc_session_summarize(driver.session, &summary);
    code = present(l, summary.path, NULL);
    l->run.force = true; // the file is ours
    if (code == NC_EXIT_DONE)
        code = nc_driver_advance(&driver);
    nc_session_summarize(driver.session, &summary);
    const bool interrupted = summary.status == NC_SESSION_INTERRUPTED && nc_interrupted();
    if (interrupted && l->settings->run.output != NULL)
        nc_say(l->run.quiet, "To continue the run: nacre run --resume %s", summary.path);
    const nc_exit closing = nc_driver_close(&driver);
    if (code == NC_EXIT_DONE && closing == NC_EXIT_DONE && interrupted && l->settings->run.output != NULL)
        return NC_EXIT_INTERRUPTED;
    return code == NC_EXIT_DONE ? closing : code;
}

// ---- again and again ----------------------------------------------------------------------------------------

static nc_exit work(live *l)
{
    for (;;) {
        l->again = false;
        const nc_exit code = simulate(l);
        if (l->server == NULL)
            return code;
        if (!nc_interrupted() && !l->again)
            nc_say(l->run.quiet, code == NC_EXIT_DONE ? "The run is complete." : "The run ended early.");
        while (!nc_interrupted() && !wants_again(l))
            sleep_a_little();
        if (nc_interrupted())
            return code;
        nc_say(l->run.quiet, "The scene is simulated again.");
    }
}

nc_exit nc_live_view(const char *scene, const nc_view_settings *settings)
{
    live l = {.scene = scene,
              .settings = settings,
              .run = settings->run,
              .refusal = nc_buffer_create(NULL),
              .saved = stamp_of(scene),
              .looked = nc_clock()};
    nc_exit code = make_temporary(&l.temporary);
    if (code != NC_EXIT_DONE)
        return code;
    if (l.run.output == NULL)
        l.run.output = l.temporary.file;
    nc_interrupt_watch();
    code = work(&l);
    nc_view_server_stop(l.server);
    nc_buffer_free(&l.refusal);
    remove_temporary(&l.temporary);
    return code;
}
