// The boats' scene; how its bodies lie in the end; the world as a task for a peer program.
#include "bench/world.h"

#include "audit/audit.h"
#include "world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- the scene ----------------------------------------------------------------------------------------------

#define SPACING 1.2  // [m] between the middles of boats: each can turn freely
#define RADIUS  10.0 // [m] of the bowl for a thousand boats; more of them get a larger one
#define LOWEST  0.34 // [1] depth of the lowest layer of boats below the bowl's rim, as a part of the bowl's radius

typedef struct text_end {
    char *at;
    size_t room;
} text_end;

static void append(text_end *end, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(end->at, end->room, format, arguments);
    va_end(arguments);
    NC_ASSERT(length >= 0 && (size_t)length < end->room);
    end->at += length;
    end->room -= (size_t)length;
}

// Boats [x, y, z] in number: those of the pile of side `side` from a layer and a row on. `lowest` [m] is its height.
static void append_pile(text_end *end, int side, double lowest, int layer, int row, const int count[3])
{
    if (count[0] == 0 || count[1] == 0 || count[2] == 0)
        return;
    const double middle = 0.5 * (side - 1);
    append(end,
           "  - {name: boats_%d_%d, shape: boat, pile: {count: [%d, %d, %d], spacing: %g, center: [%.17g, %.17g, "
           "%.17g]}}\n",
           layer, row, count[0], count[1], count[2], SPACING, SPACING * (0.5 * (count[0] - 1) - middle),
           lowest + SPACING * (layer + 0.5 * (count[1] - 1)), SPACING * (row + 0.5 * (count[2] - 1) - middle));
}

void nc_bench_boats_text(int boats, char *out)
{
    const int side = (int)ceil(cbrt(boats) - 1e-9);
    const int layers = boats / (side * side), rest = boats % (side * side);
    const double radius = RADIUS * fmax(1, cbrt(boats / 1000.0)), lowest = -LOWEST * radius;
    text_end end = {out, NC_BENCH_SCENE_SIZE};
    append(&end,
           "nacre: 1\ntitle: %d boats in a bowl\nseed: 12\n"
           "world: {gravity: [0, -9.8, 0], timestep: 1/24, duration: 200/24, friction: 0.1, restitution: 0.1,\n"
           "        rest_distance: 0.01, proximity: 0.02}\n"
           "shapes:\n  ground: {generate: plane, size: %.17g}\n  bowl: {generate: bowl, radius: %.17g}\n"
           "  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}\n"
           "bodies:\n  - {shape: ground, type: static, position: [0, %.17g, 0]}\n  - {shape: bowl, type: static}\n",
           boats, 6 * radius, radius, -1.2 * radius);
    append_pile(&end, side, lowest, 0, 0, (const int[3]){side, layers, side});
    append_pile(&end, side, lowest, layers, 0, (const int[3]){side, 1, rest / side});
    append_pile(&end, side, lowest, layers, rest / side, (const int[3]){rest % side, 1, 1});
}

nc_code nc_bench_build(const nc_scene *scene, const nc_scene_settings *settings, nc_world **out, nc_error *err)
{
    nc_model model;
    *out = NULL;
    const nc_code code = nc_scene_build(scene, settings, &model, err);
    if (code != NC_OK)
        return code;
    *out = nc_model_world(model);
    if (*out != NULL)
        return NC_OK;
    nc_model_destroy(model);
    return nc_fail(err, NC_BAD_ARGUMENT, "the scene is one of cloth: it makes no world of rigid bodies");
}

// ---- the end ------------------------------------------------------------------------------------------------

typedef struct judged {
    const nc_world *world;
    nc_body_id *ids;
    nc_audit_item *items;
    int count;
} judged;

static bool pair_matters(int a, int b, void *ctx)
{
    const judged *j = ctx;
    return nc_world_pair_matters(j->world, j->ids[a], j->ids[b]);
}

static bool is_dynamic(const judged *j, int item)
{
    return j->world->state.bodies.type[nc_world_row(j->world, j->ids[item])] == NC_DYNAMIC;
}

static nc_code count_overlaps(judged *j, nc_bench_end *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    int count = 0, again = 0;
    nc_code code = nc_audit_poses(j->items, j->count, pair_matters, j, NULL, &allocator, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_audit_hit *hits = nc_alloc(&allocator, (size_t)count, sizeof *hits);
    if (hits == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *hits);
    code = nc_audit_poses(j->items, j->count, pair_matters, j, NULL, &allocator, hits, count, &again, err);
    for (int i = 0; i < count && code == NC_OK; i++)
        if (is_dynamic(j, hits[i].a) && is_dynamic(j, hits[i].b))
            out->in_dynamic++;
        else
            out->in_static++;
    nc_free(&allocator, hits, (size_t)count, sizeof *hits);
    return code;
}

static bool is_inside(nc_box box, nc_vec3 x)
{
    return x.x >= box.lo.x && x.x <= box.hi.x && x.y >= box.lo.y && x.y <= box.hi.y && x.z >= box.lo.z &&
           x.z <= box.hi.z;
}

// The bowl is part of a sphere about its origin.
static void count_escaped(const judged *j, nc_box bounds, nc_bench_end *out)
{
    const nc_body_id bowl = nc_world_find(j->world, "bowl");
    const nc_mesh *mesh = nc_body_mesh(j->world, bowl);
    nc_mesh_data shape = {.radius = INFINITY};
    nc_body_state state = {.pose.x = {0, 0, 0}};
    if (mesh != NULL && nc_body_read(j->world, bowl, &state, NULL) == NC_OK)
        shape = nc_mesh_view(mesh);
    for (int i = 0; i < j->count; i++) {
        const nc_vec3 x = j->items[i].pose.x;
        const nc_vec3 from_bowl = nc_sub(x, state.pose.x);
        const bool through = nc_norm(from_bowl) > shape.radius && from_bowl.y < shape.box.hi.y;
        if (is_dynamic(j, i))
            out->escaped += through || !is_inside(bounds, x);
    }
}

nc_code nc_bench_judge(const nc_world *world, nc_box bounds, const nc_pose *poses, nc_bench_end *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    const int count = nc_world_body_count(world);
    judged j = {world, nc_alloc(&allocator, (size_t)count, sizeof *j.ids),
                nc_alloc(&allocator, (size_t)count, sizeof *j.items), count};
    nc_code code = NC_OK;
    *out = (nc_bench_end){0, 0, 0};
    if (j.ids == NULL || j.items == NULL) {
        code = nc_fail_memory(err, (size_t)count * (sizeof *j.ids + sizeof *j.items));
    } else {
        nc_world_bodies(world, j.ids, count);
        for (int i = 0; i < count; i++)
            j.items[i] = (nc_audit_item){nc_body_mesh(world, j.ids[i]), poses[i]};
        count_escaped(&j, bounds, out);
        code = count_overlaps(&j, out, err);
    }
    nc_free(&allocator, j.ids, (size_t)count, sizeof *j.ids);
    nc_free(&allocator, j.items, (size_t)count, sizeof *j.items);
    return code;
}

void nc_bench_poses(const nc_world *world, nc_pose *out)
{
    const nc_bodies *bodies = &world->state.bodies;
    int count = 0;
    for (int row = 0; row < bodies->count; row++)
        if (bodies->alive[row] != 0)
            out[count++] = bodies->pose[row];
}

// ---- a world for others -------------------------------------------------------------------------------------

static void write_vec3(FILE *file, nc_vec3 v)
{
    fprintf(file, " %a %a %a", v.x, v.y, v.z);
}

static void write_quat(FILE *file, nc_quat q)
{
    fprintf(file, " %a %a %a %a", q.w, q.x, q.y, q.z);
}

static void write_mesh(FILE *file, const nc_mesh *mesh)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    fprintf(file, "%d %d\n", data.vertex_count, data.triangle_count);
    for (int i = 0; i < data.vertex_count; i++) {
        write_vec3(file, data.vertices[i]);
        fputc('\n', file);
    }
    for (int i = 0; i < data.triangle_count; i++)
        fprintf(file, "%d %d %d\n", data.triangles[i][0], data.triangles[i][1], data.triangles[i][2]);
}

static void write_body(FILE *file, const nc_world *world, int row)
{
    const nc_bodies *b = &world->state.bodies;
    const nc_world_def *settings = &world->settings;
    const bool moves = b->type[row] == NC_DYNAMIC;
    const nc_inertia inertia = moves ? b->inertia[row] : (nc_inertia){{0, 0, 0}, {1, 0, 0, 0}};
    fprintf(file, "%d %a", b->mesh[row], moves ? b->mass[row] : 0);
    write_vec3(file, inertia.moments);
    write_quat(file, inertia.axes);
    fprintf(file, " %a %a", b->friction[row] < 0 ? settings->friction : b->friction[row],
            b->restitution[row] < 0 ? settings->restitution : b->restitution[row]);
    write_vec3(file, b->pose[row].x);
    write_quat(file, b->pose[row].q);
    write_vec3(file, b->v[row]);
    write_vec3(file, b->spin[row]);
    fputc('\n', file);
}

void nc_bench_write_world(const nc_world *world, double dt, double margin, FILE *file)
{
    const nc_bodies *b = &world->state.bodies;
    write_vec3(file, world->settings.gravity);
    fprintf(file, " %a %a %d %d\n", dt, margin, nc_world_mesh_count(world), nc_world_body_count(world));
    for (int i = 0; i < nc_world_mesh_count(world); i++)
        write_mesh(file, nc_world_mesh(world, i));
    for (int row = 0; row < b->count; row++)
        if (b->alive[row] != 0)
            write_body(file, world, row);
}
