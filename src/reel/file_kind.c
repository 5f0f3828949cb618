// Tells scenes, meshes and run files apart.
#include "reel/reel.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

// Endings that are always scenes, runs or meshes; any other file is looked into.
static const char *const scene_endings[] = {".yaml", ".yml", ".json"};
static const char *const run_endings[] = {".nacre"};
static const char *const mesh_endings[] = {".obj", ".stl", ".ply", ".off", ".gltf", ".glb",   ".fbx",
                                           ".dae", ".3ds", ".x3d", ".lwo", ".3mf",  ".blend", ".x"};

static bool ends_in_one(const char *path, const char *const *endings, size_t count)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(endings[i]);
        if (length > n && strcasecmp(path + length - n, endings[i]) == 0)
            return true;
    }
    return false;
}

// A scene says "nacre:" at the beginning of a line (YAML) or "nacre" as a key (JSON).
static bool reads_like_scene(const char *head)
{
    return strncmp(head, "nacre:", 6) == 0 || strstr(head, "\nnacre:") != NULL || strstr(head, "\"nacre\"") != NULL;
}

nc_code nc_file_sniff(const char *path, nc_file_kind *out, nc_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot read '%s': %s", path, strerror(errno));
    char head[4097];
    errno = 0;
    const size_t size = fread(head, 1, sizeof head - 1, file);
    const int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason != 0)
        return nc_fail(err, NC_IO, "cannot read '%s': %s", path, strerror(reason));
    head[size] = '\0';
    const bool is_database = size >= 16 && memcmp(head, "SQLite format 3", 16) == 0;
    if (is_database || ends_in_one(path, run_endings, 1)) // the run reader says what is wrong with a damaged one
        *out = NC_FILE_RUN;
    else if (ends_in_one(path, scene_endings, sizeof scene_endings / sizeof *scene_endings))
        *out = NC_FILE_SCENE;
    else if (ends_in_one(path, mesh_endings, sizeof mesh_endings / sizeof *mesh_endings))
        *out = NC_FILE_MESH;
    else
        *out = reads_like_scene(head) ? NC_FILE_SCENE : NC_FILE_MESH;
    return NC_OK;
}
