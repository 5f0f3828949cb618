// Reading an OBJ file, against assimp.
#include "bench/bench.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef NC_WITH_ASSIMP
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

typedef struct obj_bench {
    char path[256];
} obj_bench;

static nc_code load_by_nacre(void *ctx, nc_error *err)
{
    const obj_bench *b = ctx;
    nc_mesh *mesh = NULL;
    const nc_code code = nc_mesh_load(b->path, NULL, &mesh, NULL, err);
    nc_mesh_release(mesh);
    return code;
}

#ifdef NC_WITH_ASSIMP
static nc_code load_by_assimp(void *ctx, unsigned flags, nc_error *err)
{
    const obj_bench *b = ctx;
    const struct aiScene *scene = aiImportFile(b->path, flags);
    if (scene == NULL)
        return nc_fail(err, NC_BAD_FILE, "assimp: %s", aiGetErrorString());
    aiReleaseImport(scene);
    return NC_OK;
}
static nc_code load_plain(void *ctx, nc_error *err)
{
    return load_by_assimp(ctx, 0, err);
}
static nc_code load_joined(void *ctx, nc_error *err)
{
    return load_by_assimp(ctx, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices, err);
}
#define PEER(work)      work
#define NOTE(with_peer) with_peer
#else
#define PEER(work)      NULL
#define NOTE(with_peer) "this build has no assimp"
#endif

static nc_code compare_both(obj_bench *b, int rounds, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_bench_pair pairs[2] = {
        {.name = "obj load",
         .ours = {.name = "nacre, to a mesh with edges and tree", .work = load_by_nacre},
         .peer = {.name = "assimp, to shared vertices", .work = PEER(load_joined)},
         .ctx = b,
         .peer_share = 1,
         .note = NOTE("sphere of 81,920 triangles; Nacre reads doubles, assimp floats")},
        {.name = "obj load, bare",
         .ours = {.name = "nacre, to a mesh with edges and tree", .work = load_by_nacre},
         .peer = {.name = "assimp, no post-processing", .work = PEER(load_plain)},
         .ctx = b,
         .peer_share = 1,
         .note = NOTE("the same file; assimp stops at separate triangles, so it does less")},
    };
    nc_code code = NC_OK;
    for (*out_count = 0; *out_count < 2 && code == NC_OK; ++*out_count)
        code = nc_bench_compare(&pairs[*out_count], rounds, &out[*out_count], err);
    return code;
}

nc_code nc_bench_obj(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_shape_parameter splits = {"splits", 64};
    const char *folder = getenv("TMPDIR");
    obj_bench b;
    nc_mesh *mesh = NULL;
    *out_count = 0;
    snprintf(b.path, sizeof b.path, "%.200s/nacre-bench-%ld.obj", folder != NULL ? folder : "/tmp", (long)getpid());
    nc_code code = nc_shape_create("sphere", &splits, 1, NULL, &mesh, err);
    if (code == NC_OK)
        code = nc_mesh_save(mesh, b.path, err);
    if (code == NC_OK)
        code = compare_both(&b, options->rounds, out, out_count, err);
    unlink(b.path);
    nc_mesh_release(mesh);
    return code;
}
