// nacre view: shows a run, or a scene while it is simulated, in a browser.
#include "cli.h"
#include "interrupt.h"
#include "live.h"

#include <string.h>
#include <time.h>

#define RUN_FIELD(field) (offsetof(nc_view_settings, run) + offsetof(nc_run_settings, field))

static const nc_option options[] = {
    {"no-open", 0, NC_OPTION_FLAG, NULL, offsetof(nc_view_settings, no_open), 0, 0,
     "Only print the address; do not open a browser."},
    {"port", 'p', NC_OPTION_WHOLE, "N", offsetof(nc_view_settings, port), 0, 65535,
     "Listen at port N. Default: 0, any that is free."},
    {"host", 0, NC_OPTION_TEXT, "ADDRESS", offsetof(nc_view_settings, host), 0, 0,
     "Listen at this IPv4 address instead of loopback: everyone who can reach it can see the run."},
    {"output", 'o', NC_OPTION_TEXT, "RUN", RUN_FIELD(output), 0, 0,
     "A scene's run is kept in this file. Default: a temporary one, removed at the end."},
    {"set", 's', NC_OPTION_LIST, "PATH=VALUE", RUN_FIELD(set), 0, 0,
     "Change a key of the scene before it is checked. May be repeated."},
    {"steps", 'n', NC_OPTION_WHOLE, "N", RUN_FIELD(steps), 0, 1e12,
     "Stop simulating when the run has N steps. Default: what the scene's duration needs."},
    {"store", 0, NC_OPTION_TEXT, "WHAT", RUN_FIELD(store), 0, 0,
     "Also store: contacts, so that the page can show the forces at them; paths. Separated by commas."},
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
               "and no other web page can read it. The page needs no network. A scene is simulated again when its\n"
               "file is saved; the page can pause and restart it. Of a scene that cannot start because bodies touch\n"
               "or overlap it shows these, with depths and directions; exit code 4.\n",
    .examples = "nacre view first.nacre\n"
                "nacre view first.yaml\n"
                "nacre view first.nacre --no-open --port 8080",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = view,
};

static nc_exit view_run(const char *path, const nc_view_settings *settings)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    nc_view_server *server = NULL;
    if (settings->run.output != NULL || settings->run.set.count > 0 || settings->run.steps >= 0 ||
        settings->run.store != NULL)
        return nc_complain_usage("--output, --set, --steps and --store are for scenes; '%s' is a run", path);
    nc_interrupt_watch();
    const nc_exit code = nc_serving_start((nc_view_server_def){.run = path}, settings, &server);
    while (code == NC_EXIT_DONE && !nc_interrupted())
        nanosleep(&pause, NULL);
    nc_view_server_stop(server);
    return code;
}

// ---- the command --------------------------------------------------------------------------------------------

static nc_exit show(const nc_words *arguments, void *ctx)
{
    nc_view_settings *settings = ctx;
    const char *path = arguments->items[0];
    nc_error err = {0};
    nc_file_kind kind;
    if (settings->host != NULL && !nc_view_is_address(settings->host, strlen(settings->host)))
        return nc_complain_usage("--host expects an IPv4 address such as 192.168.1.5, but '%s' was given",
                                 settings->host);
    const nc_exit stored = nc_run_settings_read_store(&settings->run);
    if (stored != NC_EXIT_DONE)
        return stored;
    if (nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (nc_view_page_check(&err) != NC_OK)
        return nc_complain_usage("%s", err.text);
    if (kind == NC_FILE_MESH)
        return nc_complain_usage("'%s' is a mesh; view shows runs and scenes", path);
    return kind == NC_FILE_RUN ? view_run(path, settings) : nc_live_view(path, settings);
}

static int view(const nc_command *command, int argc, char **argv)
{
    nc_view_settings settings = {.run = {.steps = -1, .until = -1}};
    return nc_command_work(command, argc, argv, &settings, show);
}
