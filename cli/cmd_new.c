// nacre new: a scene to begin with.
#include "cli.h"
#include "templates.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM      4096 // [char] of a path, its end included
#define TEMPLATE_NAMES 64   // [1] of which the nearest to a misspelt one is looked for

typedef struct new_settings {
    const char *template;
    bool list;
    bool force;
} new_settings;

static const nc_option options[] = {
    {"template", 't', NC_OPTION_TEXT, "NAME", offsetof(new_settings, template), 0, 0,
     "Write this scene of the cookbook, with the meshes that it needs. Default: a scene with a comment on every part "
     "of it."},
    {"list", 'l', NC_OPTION_FLAG, NULL, offsetof(new_settings, list), 0, 0,
     "Print the names of all templates, and what they show."},
    {"force", 'f', NC_OPTION_FLAG, NULL, offsetof(new_settings, force), 0, 0, "Overwrite files that exist."},
};

static int new_scene(const nc_command *command, int argc, char **argv);

const nc_command nc_command_new = {
    .name = "new",
    .arguments = "[FILE]",
    .about = "Writes a commented scene to start from.",
    .details =
        "The scene runs as it is, and things collide in it. FILE is scene.yaml when it is left out, or the template's\n"
        "name with .yaml; '-' is the standard output.\n",
    .examples = "nacre new\nnacre new --list\nnacre new --template dominoes\nnacre new first.yaml --template "
                "chainmail\nnacre new - | less",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_arguments = 1,
    .run = new_scene,
};

// ---- templates ----------------------------------------------------------------------------------------------

static nc_exit print_list(void)
{
    for (int i = 0; i < nc_template_count; i++)
        printf("%-12s%s\n", nc_templates[i].name, nc_templates[i].title);
    return NC_EXIT_DONE;
}

// NULL when there is none of that name, which was said.
static const nc_template *find_template(const char *name)
{
    const char *names[TEMPLATE_NAMES];
    const int count = nc_template_count < TEMPLATE_NAMES ? nc_template_count : TEMPLATE_NAMES;
    if (name == NULL)
        return &nc_templates[0];
    for (int i = 0; i < nc_template_count; i++)
        if (strcmp(name, nc_templates[i].name) == 0)
            return &nc_templates[i];
    for (int i = 0; i < count; i++)
        names[i] = nc_templates[i].name;
    const int nearest = nc_nearest_name(name, names, count);
    if (nearest >= 0)
        nc_complain_usage("there is no template '%s'. Did you mean '%s'? nacre new --list has all", name,
                          names[nearest]);
    else
        nc_complain_usage("there is no template '%s'. nacre new --list has all", name);
    return NULL;
}

static bool needs_mesh(const nc_template *scene, const nc_template_mesh *mesh)
{
    char words[128];
    snprintf(words, sizeof words, "file: %s", mesh->name);
    return strstr(scene->text, words) != NULL;
}

// ---- files --------------------------------------------------------------------------------------------------

static nc_code write_text(const char *path, const char *text, bool force, nc_error *err)
{
    const int file = open(path, O_WRONLY | O_CREAT | (force ? O_TRUNC : O_EXCL), 0666);
    if (file < 0)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const size_t size = strlen(text);
    const bool written = write(file, text, size) == (ssize_t)size;
    const int reason = errno;
    if (close(file) != 0 || !written)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(written ? errno : reason));
    return NC_OK;
}

// Whether the file at `path` holds `text` and nothing else.
static bool holds(const char *path, const char *text)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    int c = fgetc(file);
    for (; c != EOF && (char)c == *text && *text != '\0'; text++)
        c = fgetc(file);
    fclose(file);
    return c == EOF && *text == '\0';
}

// The path of a mesh beside the scene; false when it has no room.
static bool beside(const char *scene, const char *mesh, char *out)
{
    const char *slash = strrchr(scene, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - scene) + 1;
    const int length = snprintf(out, PATH_ROOM, "%.*s%s", folder, scene, mesh);
    return length >= 0 && length < PATH_ROOM;
}

// Writes the meshes that the scene at `path` needs. One that is there already, the same, is left alone; another one is
// overwritten only if `force`.
static nc_code write_meshes(const nc_template *scene, const char *path, bool force, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < nc_template_mesh_count && code == NC_OK; i++) {
        char mesh[PATH_ROOM];
        if (!needs_mesh(scene, &nc_template_meshes[i]))
            continue;
        if (!beside(path, nc_template_meshes[i].name, mesh))
            return nc_fail(err, NC_BAD_ARGUMENT, "the path '%s' is too long", path);
        if (holds(mesh, nc_template_meshes[i].text))
            continue;
        code = write_text(mesh, nc_template_meshes[i].text, force, err);
        if (code == NC_OK)
            fprintf(stderr, "Wrote %s, a mesh of that scene.\n", mesh);
    }
    return code;
}

static void say_next(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    const int stem = dot == NULL || dot == name ? (int)strlen(name) : (int)(dot - name);
    fprintf(stderr, "Now: nacre run %s\nthen: nacre view %.*s.nacre\n", path, stem, name);
}

static nc_exit write_to(const nc_words *arguments, void *ctx)
{
    nc_error err = {0};
    char named[PATH_ROOM] = "scene.yaml";
    const new_settings *settings = ctx;
    if (settings->list)
        return print_list();
    const nc_template *scene = find_template(settings->template);
    if (scene == NULL)
        return NC_EXIT_USAGE;
    if (settings->template != NULL)
        snprintf(named, sizeof named, "%s.yaml", scene->name);
    const char *path = arguments->count > 0 ? arguments->items[0] : named;
    if (strcmp(path, "-") == 0) {
        fputs(scene->text, stdout);
        return NC_EXIT_DONE;
    }
    if (!settings->force && access(path, F_OK) == 0)
        return nc_complain_usage("'%s' exists. Give another name, or --force to overwrite it", path);
    if (write_meshes(scene, path, settings->force, &err) != NC_OK ||
        write_text(path, scene->text, settings->force, &err) != NC_OK)
        return nc_complain(&err);
    fprintf(stderr, "Wrote %s: %s.\n", path, scene->title);
    say_next(path);
    return NC_EXIT_DONE;
}

static int new_scene(const nc_command *command, int argc, char **argv)
{
    new_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, write_to);
}
