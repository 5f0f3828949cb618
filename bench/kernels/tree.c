// Building the tree of a mesh, against Embree.
#include "bench/bench.h"

#include "geom/geom.h"

#ifdef HAVE_EMBREE
#include <embree3/rtcore.h>
#endif

typedef struct tree_bench {
    nc_mesh_def def;
    nc_box *boxes; // one per triangle
#ifdef HAVE_EMBREE
    RTCDevice one_thread, all_threads;
#endif
} tree_bench;

// Boxes of the triangles and the tree over them: what Embree's commit does too.
static nc_code build_tree(void *ctx, nc_error *err)
{
    tree_bench *b = ctx;
    const nc_allocator allocator = nc_allocator_default();
    for (int i = 0; i < b->def.triangle_count; i++) {
        nc_box box = nc_box_empty();
        for (int k = 0; k < 3; k++)
            box = nc_box_add(box, b->def.vertices[b->def.triangles[i][k]]);
        b->boxes[i] = box;
    }
    nc_bvh tree;
    if (!nc_bvh_build(&allocator, b->boxes, b->def.triangle_count, &tree))
        return nc_fail_memory(err, sizeof tree);
    nc_bvh_free(&allocator, &tree);
    return NC_OK;
}

static nc_code create_mesh(void *ctx, nc_error *err)
{
    const tree_bench *b = ctx;
    nc_mesh *mesh = NULL;
    const nc_code code = nc_mesh_create(&b->def, NULL, &mesh, err);
    nc_mesh_release(mesh);
    return code;
}

#ifdef HAVE_EMBREE
static void fill_geometry(RTCGeometry geometry, const nc_mesh_def *def)
{
    float *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                              (size_t)def->vertex_count);
    unsigned *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                3 * sizeof(unsigned), (size_t)def->triangle_count);
    for (int i = 0; i < def->vertex_count; i++) {
        vertices[3 * i] = (float)def->vertices[i].x;
        vertices[3 * i + 1] = (float)def->vertices[i].y;
        vertices[3 * i + 2] = (float)def->vertices[i].z;
    }
    for (int i = 0; i < def->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            indices[3 * i + k] = (unsigned)def->triangles[i][k];
}

// A scene from the arrays to a tree, as nc_mesh_create goes from a definition to a mesh.
static nc_code build_scene(RTCDevice device, const nc_mesh_def *def, nc_error *err)
{
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    fill_geometry(geometry, def);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    rtcReleaseScene(scene);
    const enum RTCError error = rtcGetDeviceError(device);
    return error == RTC_ERROR_NONE ? NC_OK : nc_fail(err, NC_UNSUPPORTED, "Embree's error %d", (int)error);
}
static nc_code build_on_one(void *ctx, nc_error *err)
{
    tree_bench *b = ctx;
    return build_scene(b->one_thread, &b->def, err);
}
static nc_code build_on_all(void *ctx, nc_error *err)
{
    tree_bench *b = ctx;
    return build_scene(b->all_threads, &b->def, err);
}
#define PEER(work)      work
#define NOTE(with_peer) with_peer
#else
#define PEER(work)      NULL
#define NOTE(with_peer) "this build has no Embree"
#endif

static nc_code compare_all(tree_bench *b, int rounds, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_bench_pair pairs[3] = {
        {.name = "tree build",
         .ours = {.name = "nacre, one thread, doubles", .work = build_tree},
         .peer = {.name = "embree, one thread", .work = PEER(build_on_one)},
         .ctx = b,
         .peer_share = 1,
         .note = NOTE("sphere of 81,920 triangles; Embree builds for rays, in floats with SIMD")},
        {.name = "tree build, parallel",
         .ours = {.name = "nacre, one thread, doubles", .work = build_tree},
         .peer = {.name = "embree, all threads", .work = PEER(build_on_all)},
         .ctx = b,
         .peer_share = 1,
         .note = NOTE("the same; Nacre's build is serial")},
        {.name = "mesh create",
         .ours = {.name = "nacre, copy, edges, hash, tree", .work = create_mesh},
         .peer = {.name = "embree, one thread", .work = PEER(build_on_one)},
         .ctx = b,
         .peer_share = 1,
         .note = NOTE("the same; all that nc_mesh_create does")},
    };
    nc_code code = NC_OK;
    for (*out_count = 0; *out_count < 3 && code == NC_OK; ++*out_count)
        code = nc_bench_compare(&pairs[*out_count], rounds, &out[*out_count], err);
    return code;
}

nc_code nc_bench_tree(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_shape_parameter splits = {"splits", 64};
    const nc_allocator allocator = nc_allocator_default();
    nc_mesh *mesh = NULL;
    *out_count = 0;
    nc_code code = nc_shape_create("sphere", &splits, 1, NULL, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_mesh_data data = nc_mesh_view(mesh);
    tree_bench b = {.def = {.vertices = data.vertices,
                            .vertex_count = data.vertex_count,
                            .triangles = data.triangles,
                            .triangle_count = data.triangle_count}};
    b.boxes = nc_alloc(&allocator, (size_t)data.triangle_count, sizeof *b.boxes);
    if (b.boxes == NULL)
        code = nc_fail_memory(err, (size_t)data.triangle_count * sizeof *b.boxes);
#ifdef HAVE_EMBREE
    b.one_thread = rtcNewDevice("threads=1,set_affinity=0");
    b.all_threads = rtcNewDevice(NULL);
    if (code == NC_OK && (b.one_thread == NULL || b.all_threads == NULL))
        code = nc_fail(err, NC_UNSUPPORTED, "Embree does not start on this machine");
#endif
    if (code == NC_OK)
        code = compare_all(&b, options->rounds, out, out_count, err);
#ifdef HAVE_EMBREE
    if (b.one_thread != NULL)
        rtcReleaseDevice(b.one_thread);
    if (b.all_threads != NULL)
        rtcReleaseDevice(b.all_threads);
#endif
    nc_free(&allocator, b.boxes, (size_t)data.triangle_count, sizeof *b.boxes);
    nc_mesh_release(mesh);
    return code;
}
