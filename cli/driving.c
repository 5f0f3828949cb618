// A session with a command line in front of it.
#include "driving.h"
#include "import.h"
#include "interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- what it says -------------------------------------------------------------------------------------------

static void print_message(nc_message_kind kind, const char *text, void *ctx)
{
    static const char *const marks[] = {"", "note: ", "warning: ", "", ""};
    nc_driver *driver = ctx;
    nc_progress_clear(&driver->progress);
    if (kind == NC_MESSAGE_JAMMED)
        fprintf(stderr, "%sjammed:%s %s\n", nc_red(stderr), nc_plain(stderr), text);
    else
        nc_say(driver->settings->quiet, "%s%s", marks[kind], text);
}

static void watch(const nc_session_progress *now, void *ctx)
{
    nc_progress *progress = &((nc_driver *)ctx)->progress;
    for (int i = 0; i < NC_PHASE_COUNT; i++)
        progress->seconds[i] = now->seconds[i];
    nc_progress_update(progress, now->step, now->bodies);
}

static bool stops(void *ctx)
{
    const nc_driver *driver = ctx;
    return nc_interrupted() || (driver->stops != NULL && driver->stops(driver->stops_ctx));
}

static void limit(bool on, void *ctx)
{
    (void)ctx;
    nc_interrupt_limit(on);
}

// What was requested does not fit: which option to give instead.
static nc_exit complain(nc_refusal refusal, const nc_error *err, const char *input)
{
    const char *text = err->text;
    switch (refusal) {
    case NC_REFUSED_NOT:
        return nc_complain(err);
    case NC_REFUSED_LONG_NAME:
    case NC_REFUSED_NOT_A_RUN:
        return nc_complain_usage("%s", text);
    case NC_REFUSED_MESH:
        return nc_complain_usage("%s; run needs a scene. To create one: nacre new", text);
    case NC_REFUSED_RUN_FILE:
        return nc_complain_usage("%s. To continue it: nacre run --resume %s", text, input);
    case NC_REFUSED_OVERRIDES:
        return nc_complain_usage("--set changes a scene; a resumed run keeps the one it began with");
    case NC_REFUSED_OUTPUT:
        return nc_complain_usage("%s: leave --output out", text);
    case NC_REFUSED_EXISTS:
        return nc_complain_usage("%s. Use --force to overwrite it, --resume to continue it, "
                                 "or -o to give another name",
                                 text);
    case NC_REFUSED_OTHER_SCENE:
        return nc_complain_usage("%s. Give another --output, or --force without --resume to start again", text);
    case NC_REFUSED_FRAMES:
        return nc_complain_usage(
            "--every, --frame-rate and --store are set when a run starts; a resumed one keeps them");
    case NC_REFUSED_MERIT:
        return nc_complain_usage("--merit is for world.pipeline vsp, and this is a cloth scene");
    }
    return nc_complain(err);
}

// ---- what is stored -----------------------------------------------------------------------------------------

nc_exit nc_run_settings_read_store(nc_run_settings *settings)
{
    static const struct {
        const char *name;
        unsigned flag;
    } known[] = {{"contacts", NC_STORE_CONTACTS}, {"paths", NC_STORE_PATHS}};
    for (const char *at = settings->store != NULL ? settings->store : ""; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        unsigned flag = 0;
        for (int i = 0; i < 2; i++)
            if (strlen(known[i].name) == length && strncmp(at, known[i].name, length) == 0)
                flag = known[i].flag;
        if (flag == 0)
            return nc_complain_usage("--store accepts contacts and paths, not '%.*s'", (int)length, at);
        settings->store_flags |= flag;
        at += length + (at[length] == ',');
    }
    return NC_EXIT_DONE;
}

// ---- from start to end --------------------------------------------------------------------------------------

static void forget_text(nc_driver *driver)
{
    free(driver->text);
    driver->text = NULL;
}

nc_exit nc_driver_start(nc_driver *driver, const char *input)
{
    const nc_run_settings *s = driver->settings;
    if (nc_fixture_text(input, s->quiet, &driver->text, &driver->err) != NC_OK)
        return nc_complain(&driver->err);
    const nc_session_def def = {.input = input,
                                .text = driver->text,
                                .output = s->output,
                                .overrides = s->set.items,
                                .override_count = s->set.count,
                                .workers = (int)s->threads,
                                .steps = s->steps,
                                .until = s->until,
                                .every = s->every,
                                .frame_rate = s->frame_rate,
                                .resume = s->resume,
                                .overwrite = s->force,
                                .audit = s->audit,
                                .expect = s->expect,
                                .repair = s->repair,
                                .store = s->store_flags,
                                .merit = s->merit,
                                .on_message = print_message,
                                .watch = watch,
                                .stops = stops,
                                .losable = limit,
                                .exchange = driver->exchange,
                                .ctx = driver};
    nc_refusal refusal;
    const nc_code code = nc_session_open(&def, &driver->session, &refusal, &driver->err);
    if (code == NC_OK)
        return NC_EXIT_DONE;
    if (driver->session == NULL)
        forget_text(driver);
    return complain(refusal, &driver->err, input);
}

static void print_dump(const nc_session_dump *dump)
{
    if (dump->err.code != NC_OK)
        nc_complain(&dump->err);
    else
        fprintf(stderr, "Step %" PRId64 " alone is in %s. To repeat it: nacre run --resume %s --audit\n", dump->step,
                dump->path, dump->path);
}

nc_exit nc_driver_advance(nc_driver *driver)
{
    nc_error err = {0};
    nc_session_summary now;
    nc_session_dump dump;
    nc_session_summarize(driver->session, &now);
    driver->progress = nc_progress_start(driver->settings->quiet, now.steps, now.steps_wanted);
    const nc_code code = nc_session_run(driver->session, &err);
    nc_progress_clear(&driver->progress);
    if (code == NC_OK)
        return NC_EXIT_DONE;
    const nc_exit result = nc_complain(&err);
    if (nc_session_dumped(driver->session, &dump))
        print_dump(&dump);
    return result;
}

nc_exit nc_driver_close(nc_driver *driver)
{
    nc_error err = {0};
    const nc_code code = nc_session_close(driver->session, &err);
    driver->session = NULL;
    forget_text(driver);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}
