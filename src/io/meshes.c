// All meshes of a file or a folder: for patterns of cracks, whose pieces are one mesh each.
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

void nc_mesh_list_free(nc_mesh_list *list)
{
    for (int i = 0; i < list->count; i++)
        nc_mesh_release(list->meshes[i]);
    nc_free(&list->allocator, list->meshes, (size_t)list->capacity, sizeof *list->meshes);
    list->meshes = NULL;
    list->count = list->capacity = 0;
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

// Takes the mesh over.
static nc_code add_mesh(nc_mesh_list *list, nc_mesh *mesh, nc_error *err)
{
    if (nc_grow(&list->allocator, (void **)&list->meshes, &list->capacity, list->count + 1, sizeof *list->meshes)) {
        list->meshes[list->count++] = mesh;
        return NC_OK;
    }
    nc_mesh_release(mesh);
    return nc_fail_memory(err, sizeof(nc_mesh *));
}

static nc_vec3 into_world(nc_vec3 p, const void *ctx)
{
    return nc_frame_apply(*(const nc_frame *)ctx, p);
}

static nc_code add_node(const nc_gltf *gltf, int node, const nc_gltf_transform *placement, nc_mesh_list *out,
                        nc_error *err)
{
    const nc_gltf_node view = nc_gltf_node_view(gltf, node);
    const nc_frame frame = nc_pose_frame(placement->pose);
    nc_mesh *mesh = NULL, *placed = NULL;
    if (view.mesh < 0 || !view.shown)
        return NC_OK;
    nc_code code = nc_gltf_mesh_create(gltf, view.mesh, &placement->stretch, &mesh, err);
    if (code == NC_OK)
        code = nc_mesh_map(mesh, into_world, &frame, &out->allocator, &placed, err);
    nc_mesh_release(mesh);
    return code == NC_OK ? add_mesh(out, placed, err) : code;
}

static nc_code load_glb(const char *path, nc_mesh_list *out, nc_error *err)
{
    nc_gltf *gltf = NULL;
    nc_code code = nc_gltf_open(path, &out->allocator, &gltf, err);
    if (code != NC_OK)
        return code;
    const int count = nc_gltf_node_count(gltf);
    nc_gltf_transform *placed = nc_alloc(&out->allocator, (size_t)count + 1, sizeof *placed);
    if (placed == NULL)
        code = nc_fail_memory(err, (size_t)count * sizeof *placed);
    else
        nc_gltf_place(gltf, NAN, placed);
    for (int i = 0; i < count && code == NC_OK; i++)
        code = add_node(gltf, i, &placed[i], out, err);
    nc_free(&out->allocator, placed, (size_t)count + 1, sizeof *placed);
    nc_gltf_close(gltf);
    return code;
}

static nc_code load_obj(const char *path, nc_mesh_list *out, nc_error *err)
{
    nc_obj_parts parts;
    nc_code code = nc_obj_parts_load(path, true, &out->allocator, &parts, err);
    for (int i = 0; i < parts.parts.count && code == NC_OK; i++)
        code = add_mesh(out, nc_mesh_retain(parts.parts.data[i].mesh), err);
    nc_obj_parts_free(&parts);
    return code;
}

static nc_code load_file(const char *path, nc_mesh_list *out, nc_error *err)
{
    nc_mesh *mesh = NULL;
    if (ends_in(path, ".glb"))
        return load_glb(path, out, err);
    if (ends_in(path, ".obj"))
        return load_obj(path, out, err);
    const nc_code code = nc_mesh_load(path, &out->allocator, &mesh, NULL, err);
    return code == NC_OK ? add_mesh(out, mesh, err) : code;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static nc_code load_folder(const char *path, nc_mesh_list *out, nc_error *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_shown, alphasort);
    if (count < 0)
        return nc_fail(err, NC_IO, "cannot read the folder '%s': %s", path, strerror(errno));
    nc_code code = NC_OK;
    for (int i = 0; i < count; i++) {
        char file[4096];
        if (code == NC_OK && snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name) >= (int)sizeof file)
            code = nc_fail(err, NC_IO, "the path of '%s' is too long", entries[i]->d_name);
        if (code == NC_OK)
            code = load_file(file, out, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

nc_code nc_mesh_load_all(const char *path, const nc_allocator *allocator, nc_mesh_list *out, nc_error *err)
{
    struct stat info;
    *out = (nc_mesh_list){.allocator = nc_allocator_or_default(allocator)};
    if (stat(path, &info) != 0)
        return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot read '%s': %s", path, strerror(errno));
    const nc_code code = S_ISDIR(info.st_mode) ? load_folder(path, out, err) : load_file(path, out, err);
    if (code == NC_OK && out->count == 0)
        return nc_fail(err, NC_BAD_FILE, "'%s' holds no meshes", path);
    return code;
}
