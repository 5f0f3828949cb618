// nacre info: what a scene, a mesh or a run holds.
#include "info.h"

typedef struct info_settings {
    nc_words set;
    bool json, verify;
} info_settings;

static const nc_option options[] = {
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(info_settings, json), 0, 0,
     "Print one JSON object on the standard output."},
    {"set", 's', NC_OPTION_LIST, "PATH=VALUE", offsetof(info_settings, set), 0, 0,
     "Change a key of the scene before it is read. May be repeated."},
    {"verify", 0, NC_OPTION_FLAG, NULL, offsetof(info_settings, verify), 0, 0,
     "Read all of a run and compare it with its checksums; exit code 3 when it is damaged."},
};

static int info(const nc_command *command, int argc, char **argv);

const nc_command nc_command_info = {
    .name = "info",
    .arguments = "SCENE | MESH | RUN",
    .about = "Shows what a scene, a mesh or a run contains.",
    .details = "The state hash covers the complete simulation state: two runs with equal hashes at a step\n"
               "are equal from there on. For a scene it is the hash of its start, for a run of its last frame.\n",
    .examples = "nacre info first.yaml\nnacre info hull.obj\nnacre info first.nacre --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = info,
};

static nc_exit print_info(const nc_words *arguments, void *ctx)
{
    const info_settings *settings = ctx;
    const char *path = arguments->items[0];
    nc_error err = {0};
    nc_file_kind kind;
    nc_facts facts = {.as_json = settings->json};
    if (nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (kind != NC_FILE_SCENE && settings->set.count > 0)
        return nc_complain_usage("--set changes a scene, and '%s' is none", path);
    if (kind != NC_FILE_RUN && settings->verify)
        return nc_complain_usage("--verify is for runs, and '%s' is none", path);
    switch (kind) {
    case NC_FILE_SCENE:
        return nc_info_scene(&facts, path, &settings->set);
    case NC_FILE_MESH:
        return nc_info_mesh(&facts, path);
    case NC_FILE_RUN:
        break;
    }
    return nc_info_run(&facts, path, settings->verify);
}

static int info(const nc_command *command, int argc, char **argv)
{
    info_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, print_info);
}
