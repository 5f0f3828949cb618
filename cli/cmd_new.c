// nacre new: a scene to begin with.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct new_settings {
    bool force;
} new_settings;

static const nc_option options[] = {
    {"force", 'f', NC_OPTION_FLAG, NULL, offsetof(new_settings, force), 0, 0, "Overwrite FILE when it exists."},
};

static int new_scene(const nc_command *command, int argc, char **argv);

const nc_command nc_command_new = {
    .name = "new",
    .arguments = "[FILE]",
    .about = "Writes a commented scene to start from.",
    .details = "The scene runs as it is. FILE is scene.yaml when it is left out; '-' is the standard output.\n",
    .examples = "nacre new\nnacre new first.yaml\nnacre new - | less",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_arguments = 1,
    .run = new_scene,
};

static nc_code write_scene(const char *path, bool force, nc_error *err)
{
    const int file = open(path, O_WRONLY | O_CREAT | (force ? O_TRUNC : O_EXCL), 0666);
    if (file < 0)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const size_t size = strlen(nc_starter_scene);
    const bool written = write(file, nc_starter_scene, size) == (ssize_t)size;
    const int reason = errno;
    if (close(file) != 0 || !written)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(written ? errno : reason));
    return NC_OK;
}

static nc_exit write_to(const nc_words *arguments, void *ctx)
{
    nc_error err = {0};
    const char *path = arguments->count > 0 ? arguments->items[0] : "scene.yaml";
    const bool force = ((const new_settings *)ctx)->force;
    if (strcmp(path, "-") == 0) {
        fputs(nc_starter_scene, stdout);
        return NC_EXIT_DONE;
    }
    if (!force && access(path, F_OK) == 0)
        return nc_complain_usage("'%s' exists. Give another name, or --force to overwrite it", path);
    if (write_scene(path, force, &err) != NC_OK)
        return nc_complain(&err);
    fprintf(stderr, "Wrote %s. Now: nacre run %s\n", path, path);
    return NC_EXIT_DONE;
}

static int new_scene(const nc_command *command, int argc, char **argv)
{
    new_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, write_to);
}
