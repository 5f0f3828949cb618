// An animated .glb as frames for the exact test.
//
// A node's world vertices are x + R(q) (S v) in doubles: S v is in its mesh, which is rebuilt only when S changes.
#include "animation/animation.h"

#include "io/io.h"

#include <stdlib.h>

typedef struct glb_body {
    int node;
    nc_mesh *mesh;               // NULL before it was first there
    nc_gltf_transform placement; // whose stretch the mesh has
} glb_body;

typedef struct glb_film {
    nc_gltf *gltf;
    glb_body *bodies;
    int body_count;
    nc_gltf_transform *placed; // [node]
    double *times;             // [s]
    int time_count;
    bool all_pairs;
} glb_film;

static void close_film(void *ctx)
{
    glb_film *film = ctx;
    const nc_allocator memory = nc_allocator_default();
    for (int i = 0; i < film->body_count; i++)
        nc_mesh_release(film->bodies[i].mesh);
    nc_free(&memory, film->times, (size_t)film->time_count, sizeof *film->times);
    nc_gltf_close(film->gltf);
    free(film->bodies);
    free(film->placed);
    free(film);
}

// ---- frames -------------------------------------------------------------------------------------------------

// Gives the body the mesh of its present stretch: its own, that of another body, or a new one.
static nc_code fit_mesh(glb_film *film, glb_body *body, nc_error *err)
{
    const nc_gltf_transform *placement = &film->placed[body->node];
    const int mesh = nc_gltf_node_view(film->gltf, body->node).mesh;
    nc_mesh *fitting = NULL;
    if (body->mesh != NULL && nc_gltf_transform_same_stretch(&body->placement, placement, 0))
        return NC_OK;
    for (int i = 0; i < film->body_count && fitting == NULL; i++) {
        const glb_body *other = &film->bodies[i];
        if (other->mesh != NULL && nc_gltf_node_view(film->gltf, other->node).mesh == mesh &&
            nc_gltf_transform_same_stretch(&other->placement, placement, 0))
            fitting = nc_mesh_retain(other->mesh);
    }
    if (fitting == NULL) {
        const nc_code code = nc_gltf_mesh_create(film->gltf, mesh, &placement->stretch, &fitting, err);
        if (code != NC_OK)
            return code;
    }
    nc_mesh_release(body->mesh);
    body->mesh = fitting;
    body->placement = *placement;
    return NC_OK;
}

// The picture holds on to its meshes: a later frame may have others.
static nc_code read_film(void *ctx, int64_t frame, nc_audit_picture *out, nc_error *err)
{
    glb_film *film = ctx;
    out->time = film->times != NULL ? film->times[frame] : 0;
    nc_gltf_place(film->gltf, film->times != NULL ? out->time : NAN, film->placed);
    for (int i = 0; i < film->body_count; i++) {
        glb_body *body = &film->bodies[i];
        const nc_gltf_transform *placement = &film->placed[body->node];
        if (nc_gltf_transform_is_gone(placement))
            continue;
        const nc_code code = fit_mesh(film, body, err);
        if (code != NC_OK)
            return code;
        out->items[out->count] = (nc_audit_item){nc_mesh_retain(body->mesh), placement->pose};
        out->ids[out->count++] = i;
    }
    return NC_OK;
}

static bool can_intersect(const void *ctx, int a, int b)
{
    const glb_film *film = ctx;
    return film->all_pairs || nc_gltf_node_view(film->gltf, film->bodies[a].node).moves ||
           nc_gltf_node_view(film->gltf, film->bodies[b].node).moves;
}

static const char *body_name(const void *ctx, int body, char *out, size_t out_size)
{
    const glb_film *film = ctx;
    const int node = film->bodies[body].node;
    const char *name = nc_gltf_node_view(film->gltf, node).name;
    if (name[0] != '\0')
        return name;
    snprintf(out, out_size, "node %d", node);
    return out;
}

// ---- opening ------------------------------------------------------------------------------------------------

static nc_code open_film(glb_film *film, const char *path, const char *name, double rate, nc_error *err)
{
    nc_code code = nc_gltf_open(path, NULL, &film->gltf, err);
    if (code == NC_OK)
        code = nc_gltf_animate(film->gltf, name, err);
    if (code == NC_OK)
        code = nc_gltf_times(film->gltf, rate, &film->times, &film->time_count, err);
    if (code != NC_OK)
        return code;
    const int nodes = nc_gltf_node_count(film->gltf);
    film->bodies = calloc((size_t)nodes + 1, sizeof *film->bodies);
    film->placed = calloc((size_t)nodes + 1, sizeof *film->placed);
    if (film->bodies == NULL || film->placed == NULL)
        return nc_fail_memory(err, (size_t)nodes * sizeof *film->bodies);
    for (int i = 0; i < nodes; i++) {
        const nc_gltf_node node = nc_gltf_node_view(film->gltf, i);
        if (node.shown && node.mesh >= 0)
            film->bodies[film->body_count++].node = i;
    }
    film->all_pairs = film->time_count == 0;
    if (film->body_count == 0)
        return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "no node of its scene has a mesh");
    return NC_OK;
}

nc_code nc_animation_open_glb(const char *path, const char *name, double rate, nc_animation *out, nc_error *err)
{
    glb_film *film = calloc(1, sizeof *film);
    if (film == NULL)
        return nc_fail_memory(err, sizeof *film);
    const nc_code code = open_film(film, path, name, rate, err);
    if (code != NC_OK) {
        close_film(film);
        return code;
    }
    *out = (nc_animation){.source = {film->body_count, true, read_film, can_intersect, NULL, film, NULL},
                          .frame_count = film->time_count > 0 ? film->time_count : 1,
                          .body_name = body_name,
                          .close = close_film};
    if (film->all_pairs)
        snprintf(out->note, sizeof out->note,
                 "nothing in it is animated: all nodes are tested against each other, once");
    return NC_OK;
}
