// A sequence of OBJ files as frames for the exact test.
#include "animation/animation.h"

#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define PATH_ROOM 2048

// A file of the sequence; its number is what sorts it.
typedef struct frame_file {
    double number; // -1 for none
    char *path;
} frame_file;

typedef struct obj_film {
    frame_file *files;
    int file_count, file_capacity;
    nc_names names; // of bodies
    uint64_t *hash; // [body] when it was first seen
    bool *moves;    // [body]
    int body_capacity;
} obj_film;

static void close_film(void *ctx)
{
    obj_film *film = ctx;
    for (int i = 0; i < film->file_count; i++)
        free(film->files[i].path);
    free(film->files);
    nc_names_free(&film->names);
    free(film->hash);
    free(film->moves);
    free(film);
}

// ---- which files --------------------------------------------------------------------------------------------

// A path with one %d, %4d or %04d in its last part, or a folder (then `before` and `after` are "" and ".obj").
typedef struct file_pattern {
    char folder[PATH_ROOM];
    char before[PATH_ROOM];
    char after[PATH_ROOM];
    bool numbered;
} file_pattern;

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool nc_animation_is_sequence(const char *path)
{
    struct stat found;
    return is_folder(path) || (strchr(path, '%') != NULL && stat(path, &found) != 0);
}

static nc_code parse_pattern(const char *path, file_pattern *out, nc_error *err)
{
    *out = (file_pattern){.after = ".obj"};
    if (strlen(path) >= PATH_ROOM)
        return nc_fail(err, NC_IO, "the path is too long: '%.200s...'", path);
    if (is_folder(path)) {
        snprintf(out->folder, sizeof out->folder, "%s", path);
        return NC_OK;
    }
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *percent = strchr(path, '%');
    const char *end = percent != NULL ? percent + 1 + strspn(percent + 1, "0123456789") : "";
    if (percent < name || *end != 'd' || strchr(end, '%') != NULL)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "'%.200s' must have one place for the frame's number in the name of the files, such as %%04d",
                       path);
    out->numbered = true;
    snprintf(out->folder, sizeof out->folder, "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
    if (slash == path)
        snprintf(out->folder, sizeof out->folder, "/");
    snprintf(out->before, sizeof out->before, "%.*s", (int)(percent - name), name);
    snprintf(out->after, sizeof out->after, "%s", end + 1);
    return NC_OK;
}

// The number that the pattern's place holds, or the last number in the name; -1 for none.
static double number_of(const char *name, size_t from, size_t to)
{
    double number = -1;
    for (size_t i = from; i < to;) {
        const size_t digits = strspn(name + i, "0123456789");
        if (digits > 0 && i + digits <= to)
            number = strtod(name + i, NULL);
        i += digits > 0 ? digits : 1;
    }
    return number;
}

static bool is_of_pattern(const file_pattern *pattern, const char *name, double *number)
{
    const size_t length = strlen(name), before = strlen(pattern->before), after = strlen(pattern->after);
    if (length < before + after || strncmp(name, pattern->before, before) != 0 ||
        strcasecmp(name + length - after, pattern->after) != 0)
        return false;
    *number = number_of(name, before, length - after);
    if (!pattern->numbered)
        return name[0] != '.';
    return length > before + after && strspn(name + before, "0123456789") >= length - before - after;
}

static bool add_file(obj_film *film, const char *folder, const char *name, double number)
{
    if (film->file_count == film->file_capacity) {
        const int capacity = film->file_capacity > 0 ? 2 * film->file_capacity : 64;
        frame_file *files = realloc(film->files, (size_t)capacity * sizeof *files);
        if (files == NULL)
            return false;
        film->files = files;
        film->file_capacity = capacity;
    }
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL)
        return false;
    if (strcmp(folder, ".") == 0)
        snprintf(path, size, "%s", name);
    else
        snprintf(path, size, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    frame_file *file = &film->files[film->file_count++];
    file->number = number;
    file->path = path;
    return true;
}

static bool comes_first(const void *a, const void *b, const void *ctx)
{
    const frame_file *p = a, *q = b;
    (void)ctx;
    return p->number != q->number ? p->number < q->number : strcmp(p->path, q->path) < 0;
}

static nc_code find_files(obj_film *film, const char *path, nc_error *err)
{
    file_pattern pattern;
    const nc_allocator memory = nc_allocator_default();
    const nc_code code = parse_pattern(path, &pattern, err);
    if (code != NC_OK)
        return code;
    DIR *folder = opendir(pattern.folder);
    if (folder == NULL)
        return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot read the folder '%.400s': %s",
                       pattern.folder, strerror(errno));
    bool good = true;
    // cppcheck-suppress readdirCalled ; nobody else reads this folder
    for (const struct dirent *entry = readdir(folder); entry != NULL && good; entry = readdir(folder)) {
        double number = -1;
        if (is_of_pattern(&pattern, entry->d_name, &number))
            good = add_file(film, pattern.folder, entry->d_name, number);
    }
    closedir(folder);
    if (!good || (film->file_count > 0 &&
                  !nc_sort(&memory, film->files, (size_t)film->file_count, sizeof *film->files, comes_first, NULL)))
        return nc_fail_memory(err, (size_t)film->file_count * sizeof *film->files);
    if (film->file_count == 0)
        return nc_fail(err, NC_NOT_FOUND, "there is no file of the name '%.400s'%s", path,
                       pattern.numbered ? "" : "/*.obj");
    return NC_OK;
}

// Files that are missing between the first and the last.
static void record_holes(const obj_film *film, char *out, size_t size)
{
    const double span = film->files[film->file_count - 1].number - film->files[0].number + 1;
    if (film->files[0].number >= 0 && span > film->file_count)
        snprintf(out, size, "%.0f of the numbers from %.0f to %.0f have no file", span - film->file_count,
                 film->files[0].number, film->files[film->file_count - 1].number);
}

// ---- who moves ----------------------------------------------------------------------------------------------

static bool make_room(obj_film *film)
{
    if (film->names.count <= film->body_capacity)
        return true;
    const size_t capacity = 2 * (size_t)film->names.count + 64;
    uint64_t *hash = realloc(film->hash, capacity * sizeof *hash);
    if (hash != NULL)
        film->hash = hash;
    bool *moves = realloc(film->moves, capacity * sizeof *moves);
    if (moves != NULL)
        film->moves = moves;
    if (hash == NULL || moves == NULL)
        return false;
    film->body_capacity = (int)capacity;
    return true;
}

static nc_code record_part(obj_film *film, const nc_obj_part *part, nc_error *err)
{
    int body = 0;
    const int known = film->names.count;
    const nc_code code = nc_names_add(&film->names, part->name, &body, err);
    if (code != NC_OK)
        return code;
    if (!make_room(film))
        return nc_fail_memory(err, (size_t)film->names.count * sizeof *film->hash);
    if (body == known) {
        film->hash[body] = part->hash;
        film->moves[body] = false;
    } else if (film->hash[body] != part->hash) {
        film->moves[body] = true;
    }
    return NC_OK;
}

// Reads all files once, for the names of bodies and for who moves.
static nc_code record_bodies(obj_film *film, nc_error *err)
{
    nc_code code = NC_OK;
    for (int f = 0; f < film->file_count && code == NC_OK; f++) {
        nc_obj_parts parts;
        code = nc_obj_parts_load(film->files[f].path, false, NULL, &parts, err);
        for (int i = 0; i < parts.parts.count && code == NC_OK; i++)
            code = record_part(film, &parts.parts.data[i], err);
        nc_obj_parts_free(&parts);
    }
    // in one frame nobody can be seen to move
    for (int i = 0; i < film->names.count && film->file_count == 1; i++)
        film->moves[i] = true;
    return code;
}

// ---- frames -------------------------------------------------------------------------------------------------

static bool has_lower_id(const void *a, const void *b, const void *ctx)
{
    const nc_names *names = ctx;
    return nc_names_find(names, ((const nc_obj_part *)a)->name) < nc_names_find(names, ((const nc_obj_part *)b)->name);
}

static nc_code fill_picture(const obj_film *film, nc_obj_parts *parts, nc_audit_picture *out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_default();
    const nc_pose home = {{0, 0, 0}, {1, 0, 0, 0}};
    if (parts->parts.count > 0 && !nc_sort(&memory, parts->parts.data, (size_t)parts->parts.count,
                                           sizeof *parts->parts.data, has_lower_id, &film->names))
        return nc_fail_memory(err, (size_t)parts->parts.count * sizeof *parts->parts.data);
    for (int i = 0; i < parts->parts.count; i++) {
        nc_obj_part *part = &parts->parts.data[i];
        const int body = nc_names_find(&film->names, part->name);
        if (body < 0 || out->count >= film->names.count)
            return nc_fail(err, NC_IO, "an OBJ file changed while it was read");
        out->items[out->count] = (nc_audit_item){nc_mesh_retain(part->mesh), home};
        out->ids[out->count++] = body;
    }
    return NC_OK;
}

static nc_code read_film(void *ctx, int64_t frame, nc_audit_picture *out, nc_error *err)
{
    const obj_film *film = ctx;
    nc_obj_parts parts;
    out->time = NAN;
    nc_code code = nc_obj_parts_load(film->files[frame].path, true, NULL, &parts, err);
    if (code == NC_OK)
        code = fill_picture(film, &parts, out, err);
    nc_obj_parts_free(&parts);
    return code;
}

static bool can_intersect(const void *ctx, int a, int b)
{
    const obj_film *film = ctx;
    return film->moves[a] || film->moves[b];
}

static const char *body_name(const void *ctx, int body, char *out, size_t out_size)
{
    (void)out;
    (void)out_size;
    const char *name = ((const obj_film *)ctx)->names.name[body];
    return name[0] != '\0' ? name : "the object without a name";
}

static const char *frame_file_of(const void *ctx, int64_t frame)
{
    return ((const obj_film *)ctx)->files[frame].path;
}

nc_code nc_animation_open_obj(const char *path, nc_animation *out, nc_error *err)
{
    obj_film *film = calloc(1, sizeof *film);
    if (film == NULL)
        return nc_fail_memory(err, sizeof *film);
    nc_code code = find_files(film, path, err);
    if (code == NC_OK)
        code = record_bodies(film, err);
    if (code != NC_OK) {
        close_film(film);
        return code;
    }
    *out = (nc_animation){.source = {film->names.count, true, read_film, can_intersect, NULL, film, NULL},
                          .frame_count = film->file_count,
                          .body_name = body_name,
                          .frame_file = frame_file_of,
                          .close = close_film};
    record_holes(film, out->note, sizeof out->note);
    return NC_OK;
}
