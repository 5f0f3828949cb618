// Other mesh formats, through assimp in a child process: the child's side. Nothing here runs in the caller's process.
#include "io/foreign.h"

#ifdef NC_WITH_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Sanitizers map far more address space than any limit; the limits on time stay.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#define MAX_NODE_DEPTH 256

// Rows of an affine map; the last row of assimp's matrices is not used.
typedef struct affine {
    double m[3][4];
} affine;

// ---- limits -------------------------------------------------------------------------------------------------

// The hard limits stay: the point is to stop a reader that goes astray.
static void lower_limit(int resource, uint64_t value)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = (rlim_t)value < limit.rlim_max ? (rlim_t)value : limit.rlim_max;
    setrlimit(resource, &limit);
}

// Address space that this process has already [bytes]: the child starts with all of its parent's.
static uint64_t used_address_space(void)
{
    char text[64] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    const bool known = file != NULL && fgets(text, sizeof text, file) != NULL;
    if (file != NULL)
        fclose(file);
    const unsigned long pages = strtoul(text, NULL, 10);
    return known ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : (uint64_t)4 << 30;
}

static void set_limits(nc_foreign_limits limits, int pipe_fd)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGXCPU, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    lower_limit(RLIMIT_CORE, 0);
    lower_limit(RLIMIT_CPU, (uint64_t)limits.seconds);
    lower_limit(RLIMIT_FSIZE, 0);
#ifndef SANITIZED
    lower_limit(RLIMIT_AS, used_address_space() + limits.memory);
#else
    (void)used_address_space;
#endif
    // whatever assimp or the C++ runtime prints is not for the user
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; nowhere >= 0 && fd < 3; fd++)
        if (fd != pipe_fd)
            dup2(nowhere, fd);
}

// ---- answers ------------------------------------------------------------------------------------------------

static void send_bytes(int fd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t wrote = write(fd, at, size);
        if (wrote < 0 && errno != EINTR)
            _exit(1);
        if (wrote > 0) {
            at += wrote;
            size -= (size_t)wrote;
        }
    }
}

static _Noreturn void send_failure(int fd, const char *message)
{
    nc_foreign_result result;
    memset(&result, 0, sizeof result);
    result.mark = NC_FOREIGN_MARK;
    result.failed = 1;
    snprintf(result.message, sizeof result.message, "%s", message);
    for (char *c = result.message; *c != '\0'; c++)
        if ((unsigned char)*c < 32)
            *c = ' ';
    send_bytes(fd, &result, sizeof result);
    _exit(0);
}

static _Noreturn void send_soup(int fd, const nc_soup *soup)
{
    nc_foreign_result result;
    memset(&result, 0, sizeof result);
    result.mark = NC_FOREIGN_MARK;
    result.vertex_count = soup->vertices.count;
    result.triangle_count = soup->triangles.count;
    result.edge_count = soup->edges.count;
    result.point_count = soup->points.count;
    result.dropped = soup->dropped;
    send_bytes(fd, &result, sizeof result);
    send_bytes(fd, soup->vertices.data, (size_t)soup->vertices.count * sizeof(nc_vec3));
    send_bytes(fd, soup->triangles.data, (size_t)soup->triangles.count * sizeof(nc_soup_triangle));
    send_bytes(fd, soup->edges.data, (size_t)soup->edges.count * sizeof(nc_soup_edge));
    send_bytes(fd, soup->points.data, (size_t)soup->points.count * sizeof(int));
    _exit(0);
}

// ---- flattening the scene -----------------------------------------------------------------------------------

static affine from_assimp(const struct aiMatrix4x4 *a)
{
    const affine map = {{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                         {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                         {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
    return map;
}

// b first, then a.
static affine compose(const affine *a, const affine *b)
{
    affine map;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            map.m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0);
    return map;
}

// The identity gives back the same bits.
static nc_vec3 apply(const affine *map, const struct aiVector3D *v)
{
    const double x = (double)v->x, y = (double)v->y, z = (double)v->z;
    double out[3];
    for (int i = 0; i < 3; i++)
        out[i] = map->m[i][0] * x + map->m[i][1] * y + map->m[i][2] * z + map->m[i][3];
    return nc_v3(out[0], out[1], out[2]);
}

static bool add_face(nc_soup *soup, const struct aiFace *face, int first, unsigned vertex_count)
{
    for (unsigned i = 0; i < face->mNumIndices; i++)
        if (face->mIndices[i] >= vertex_count)
            return false;
    const unsigned *v = face->mIndices;
    if (face->mNumIndices == 3)
        return nc_soup_add_triangle(soup, first + (int)v[0], first + (int)v[1], first + (int)v[2]);
    if (face->mNumIndices == 2)
        return nc_soup_add_edge(soup, first + (int)v[0], first + (int)v[1]);
    if (face->mNumIndices == 1) {
        const int point = first + (int)v[0];
        return nc_array_push(&soup->allocator, &soup->points, point);
    }
    soup->dropped++;
    return true;
}

static const char *add_mesh(nc_soup *soup, const struct aiMesh *mesh, const affine *map)
{
    const int first = soup->vertices.count;
    if (mesh->mNumVertices > (unsigned)(NC_FOREIGN_LIMIT - first) ||
        mesh->mNumFaces > (unsigned)(NC_FOREIGN_LIMIT - soup->triangles.count))
        return "the file has too many vertices or faces";
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const nc_vec3 vertex = apply(map, &mesh->mVertices[i]);
        if (!nc_array_push(&soup->allocator, &soup->vertices, vertex))
            return "not enough memory";
    }
    for (unsigned i = 0; i < mesh->mNumFaces; i++)
        if (!add_face(soup, &mesh->mFaces[i], first, mesh->mNumVertices))
            return "a face uses a vertex that does not exist";
    return NULL;
}

// Adds the meshes of a node and of all nodes below; NULL, or what is wrong.
static const char *add_node(nc_soup *soup, const struct aiScene *scene, const struct aiNode *node, const affine *above,
                            int depth)
{
    if (depth > MAX_NODE_DEPTH)
        return "its nodes are nested too deeply";
    const affine own = from_assimp(&node->mTransformation), map = compose(above, &own);
    const char *wrong = NULL;
    for (unsigned i = 0; i < node->mNumMeshes && wrong == NULL; i++)
        wrong = node->mMeshes[i] < scene->mNumMeshes ? add_mesh(soup, scene->mMeshes[node->mMeshes[i]], &map)
                                                     : "a node uses a mesh that does not exist";
    for (unsigned i = 0; i < node->mNumChildren && wrong == NULL; i++)
        wrong = add_node(soup, scene, node->mChildren[i], &map, depth + 1);
    return wrong;
}

// ---- importing ----------------------------------------------------------------------------------------------

static const struct aiScene *import(int fd, const char *path, const char *format, bool named_so)
{
    const unsigned flags = aiProcess_Triangulate;
    if (named_so)
        return aiImportFile(path, flags);
    // assimp goes by the extension: a file with another one is handed over as bytes
    nc_file_text text;
    nc_error err;
    if (nc_file_read(path, NULL, &text, &err) != NC_OK)
        send_failure(fd, err.text);
    if (text.size > UINT32_MAX)
        send_failure(fd, "a file larger than 4 GB needs the right extension");
    return aiImportFileFromMemory(text.data, (unsigned)text.size, flags, format);
}

_Noreturn void nc_foreign_child(int fd, const char *path, const char *format, bool named_so, nc_foreign_limits limits)
{
    set_limits(limits, fd);
    const struct aiScene *scene = import(fd, path, format, named_so);
    if (scene == NULL || scene->mRootNode == NULL)
        send_failure(fd, scene == NULL ? aiGetErrorString() : "the file holds no scene");
    const affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    nc_soup soup = nc_soup_create(NULL);
    const char *wrong = add_node(&soup, scene, scene->mRootNode, &identity, 0);
    if (wrong != NULL)
        send_failure(fd, wrong);
    send_soup(fd, &soup);
}

#else

// A file must declare something.
typedef int nc_foreign_child_is_left_out;

#endif
