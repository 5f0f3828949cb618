// The generator pour: bodies dropped one by one into a box or a container, each to the lowest of a few columns.
//
// Nothing moves them but this: a body sinks straight down until the gap to what is below is used up. Which columns are
// worth trying, a map of heights says; it is a guess, and distances and the exact test decide.
#include "scene/placing.h"
#include "scene/walls.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

// Chosen; they change where bodies are placed.
#define COLUMNS        24  // [1] that are looked up in the map for an orientation
#define SINKS          3   // [1] of them that a body sinks down in; it takes the lowest
#define ORIENTATIONS   8   // [1] tried for a body before there is no room
#define CELLS_PER_SIZE 4   // [1] of the map, along the smallest body
#define MAX_CELLS      256 // [1] of the map, along a side

typedef struct heights {
    double *top; // [m] above the floor of the region, by cell
    int count[2];
    double cell[2]; // [m]
} heights;

typedef struct pouring {
    nc_scene *scene;
    nc_placing at;
    nc_pour_keys keys;
    nc_mix mix;
    nc_random random;
    nc_room room;
    double lo[3], hi[3];    // [m] the region, in the frame that placements are in
    int up, across[2];      // axes of that frame
    double sign;            // 1: up is along its axis, -1: against it
    nc_vec3 up_local, down; // [1] in that frame, in the world
    int container;          // row of the body, -1: a box
    heights map;
    nc_placements *out;
    nc_error *err;
} pouring;

// One orientation of a body that looks for a column.
typedef struct candidate {
    const nc_mesh *mesh;
    nc_vec3 center; // [m] of a ball around the mesh, in its frame
    nc_placement copy;
    double lo[3], hi[3]; // [m] of the turned mesh about its origin, in the frame of placements
} candidate;

typedef struct column {
    double at[2];  // [m] of the mesh's origin, across
    double height; // [m] guess: where it comes to lie
} column;

static void to_array(nc_vec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static double above_floor(const pouring *p, double lo, double hi)
{
    return p->sign > 0 ? lo - p->lo[p->up] : p->hi[p->up] - hi;
}

// ---- the region ---------------------------------------------------------------------------------------------

// The axis of the frame that is nearest to up.
static void find_up(pouring *p)
{
    double axis[3];
    const nc_mat3 frame = nc_quat_matrix(p->at.frame.q);
    to_array(nc_mat3_tmul(frame, nc_scene_up(p->scene)), axis);
    p->up = fabs(axis[1]) >= fabs(axis[0]) && fabs(axis[1]) >= fabs(axis[2]) ? 1
            : fabs(axis[2]) > fabs(axis[0])                                  ? 2
                                                                             : 0;
    p->sign = axis[p->up] > 0 ? 1 : -1;
    p->across[0] = p->up == 0 ? 1 : 0;
    p->across[1] = p->up == 2 ? 1 : 2;
    p->up_local = nc_scale(p->sign, nc_v3(p->up == 0, p->up == 1, p->up == 2));
    p->down = nc_mat3_mul(frame, nc_scale(-1, p->up_local));
}

static nc_code take_box(pouring *p)
{
    nc_bounds_keys box;
    nc_key_block_defaults(&nc_bounds_block, &box);
    const nc_code code = nc_key_block_read(&nc_bounds_block, p->keys.box, &box, p->err);
    to_array(box.low, p->lo);
    to_array(box.high, p->hi);
    for (int i = 0; i < 3 && code == NC_OK; i++)
        if (!(p->lo[i] < p->hi[i]))
            return nc_node_fail(p->err, p->keys.box, "low is not below high on every axis");
    return code;
}

// The box of a container in the frame of placements.
static nc_code take_container(pouring *p)
{
    const nc_node *node = nc_node_find(p->keys.node, "into");
    nc_code code = nc_scene_find_listed(p->scene, node, p->at.prefix, &p->container, p->err);
    if (code != NC_OK)
        return code;
    const nc_scene_body *body = &p->scene->bodies.data[p->container];
    const nc_mesh_data data = nc_mesh_view(p->scene->shapes.data[body->shape].mesh);
    const nc_pose pose = {body->position, body->orientation};
    const nc_mat3 frame = nc_quat_matrix(p->at.frame.q);
    nc_box box = nc_box_empty();
    for (int i = 0; i < data.vertex_count; i++) {
        const nc_vec3 x = nc_sub(nc_pose_apply(pose, data.vertices[i]), p->at.frame.x);
        box = nc_box_add(box, nc_sub(nc_mat3_tmul(frame, x), p->at.keys->position));
    }
    to_array(box.lo, p->lo);
    to_array(box.hi, p->hi);
    return NC_OK;
}

static nc_code find_region(pouring *p)
{
    p->container = -1;
    find_up(p);
    if ((p->keys.box != NULL) == (p->keys.into != NULL))
        return nc_node_fail(p->err, p->keys.node, "allowed: one of box (a region) and into (the name of a body)");
    return p->keys.box != NULL ? take_box(p) : take_container(p);
}

// ---- the map of heights -------------------------------------------------------------------------------------

static nc_code create_map(pouring *p)
{
    double size = INFINITY;
    for (int k = 0; k < p->mix.parts.count; k++)
        size = fmin(size, nc_mesh_diagonal(p->scene->shapes.data[p->mix.parts.data[k].shape].mesh));
    size_t cells = 1;
    for (int i = 0; i < 2; i++) {
        const double extent = p->hi[p->across[i]] - p->lo[p->across[i]];
        const double count = fmin(MAX_CELLS, fmax(1, ceil(CELLS_PER_SIZE * extent / size)));
        p->map.count[i] = count >= 1 ? (int)count : MAX_CELLS; // of points: NaN, infinite
        p->map.cell[i] = extent / p->map.count[i];
        cells *= (size_t)p->map.count[i];
    }
    p->map.top = nc_alloc(&p->scene->allocator, cells, sizeof *p->map.top);
    return p->map.top != NULL ? NC_OK : nc_fail_memory(p->err, cells * sizeof *p->map.top);
}

static void free_map(pouring *p)
{
    const size_t cells = (size_t)p->map.count[0] * (size_t)p->map.count[1];
    nc_free(&p->scene->allocator, p->map.top, cells, sizeof *p->map.top);
}

static int cell_of(const pouring *p, int i, double x)
{
    const double cell = floor((x - p->lo[p->across[i]]) / p->map.cell[i]);
    return cell > 0 ? (int)fmin(cell, p->map.count[i] - 1) : 0;
}

// The largest height under a body in a column.
static double look_up(const pouring *p, const candidate *c, const double at[2])
{
    const int *a = p->across;
    double most = 0;
    const int end[2] = {cell_of(p, 0, at[0] + c->hi[a[0]]), cell_of(p, 1, at[1] + c->hi[a[1]])};
    for (int i = cell_of(p, 0, at[0] + c->lo[a[0]]); i <= end[0]; i++)
        for (int k = cell_of(p, 1, at[1] + c->lo[a[1]]); k <= end[1]; k++)
            most = fmax(most, p->map.top[i * p->map.count[1] + k]);
    return most;
}

static void raise(pouring *p, const candidate *c, const double at[2], double height)
{
    const int *a = p->across;
    const int end[2] = {cell_of(p, 0, at[0] + c->hi[a[0]]), cell_of(p, 1, at[1] + c->hi[a[1]])};
    for (int i = cell_of(p, 0, at[0] + c->lo[a[0]]); i <= end[0]; i++)
        for (int k = cell_of(p, 1, at[1] + c->lo[a[1]]); k <= end[1]; k++) {
            double *top = &p->map.top[i * p->map.count[1] + k];
            *top = fmax(*top, height);
        }
}

// A body found no place here: columns over this point are tried after others.
static void discourage(pouring *p, const double at[2])
{
    p->map.top[cell_of(p, 0, at[0]) * p->map.count[1] + cell_of(p, 1, at[1])] = p->hi[p->up] - p->lo[p->up];
}

// ---- a body -------------------------------------------------------------------------------------------------

static void turn_candidate(pouring *p, candidate *c)
{
    c->copy.rotation = nc_orient_take((nc_orient)p->keys.orient, p->up_local, &p->random);
    const nc_box box = nc_turned_box(c->mesh, nc_quat_mul(c->copy.rotation, p->at.keys->rotation));
    to_array(box.lo, c->lo);
    to_array(box.hi, c->hi);
}

static bool lower(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const column *)a)->height < ((const column *)b)->height;
}

// Columns that an orientation has room in, the lowest first. False: none has.
static bool choose_columns(pouring *p, const candidate *c, column columns[COLUMNS])
{
    column spare[COLUMNS];
    for (int i = 0; i < 3; i++)
        if (!(c->hi[i] - c->lo[i] <= p->hi[i] - p->lo[i]) && !(i == p->up && p->container >= 0))
            return false;
    for (int k = 0; k < COLUMNS; k++) {
        for (int i = 0; i < 2; i++) {
            const int a = p->across[i];
            columns[k].at[i] = nc_random_range(&p->random, p->lo[a] - c->lo[a], p->hi[a] - c->hi[a]);
        }
        columns[k].height = look_up(p, c, columns[k].at);
    }
    nc_sort_in(columns, spare, COLUMNS, sizeof *columns, lower, NULL);
    return true;
}

// Where a body begins to sink: at the top of a box, wholly above a container. Sets how far the floor is.
static nc_vec3 top_of(const pouring *p, const candidate *c, const double at[2], double *out_limit)
{
    const double tall = c->hi[p->up] - c->lo[p->up], region = p->hi[p->up] - p->lo[p->up];
    const double bottom = p->container >= 0 ? region + tall : region - tall; // above the floor
    double x[3];
    *out_limit = bottom;
    x[p->across[0]] = at[0];
    x[p->across[1]] = at[1];
    x[p->up] = p->sign > 0 ? p->lo[p->up] + bottom - c->lo[p->up] : p->hi[p->up] - bottom - c->hi[p->up];
    return nc_v3(x[0], x[1], x[2]);
}

// Is it in the container, by the middle of its ball?
static bool is_inside(const pouring *p, const candidate *c, nc_pose pose)
{
    if (p->container < 0)
        return true;
    const nc_scene_body *body = &p->scene->bodies.data[p->container];
    const nc_pose container = {body->position, body->orientation};
    return nc_mesh_surrounds(p->scene->shapes.data[body->shape].mesh, container, nc_scale(-1, p->down),
                             nc_pose_apply(pose, c->center));
}

// Lets a body sink in a column. *out_good: it has a place there, which is in c->copy.
static nc_code sink(pouring *p, candidate *c, const double at[2], bool *out_good, double *out_height)
{
    double limit = 0;
    nc_room_move move;
    c->copy.position = top_of(p, c, at, &limit);
    *out_good = false;
    nc_code code = nc_room_push(&p->room, c->mesh, nc_placing_pose(&p->at, &c->copy), p->down, limit, &move, p->err);
    if (code != NC_OK || move.blocked)
        return code;
    *out_height = limit - move.travel;
    c->copy.position = nc_sub(c->copy.position, nc_scale(move.travel, p->up_local));
    const nc_pose pose = nc_placing_pose(&p->at, &c->copy);
    return is_inside(p, c, pose) ? nc_room_is_free(&p->room, c->mesh, pose, out_good, p->err) : NC_OK;
}

static nc_code try_orientation(pouring *p, candidate *c, bool *out_placed)
{
    column columns[COLUMNS];
    candidate best = *c;
    double best_height = INFINITY, height = 0;
    int good_count = 0;
    nc_code code = NC_OK;
    turn_candidate(p, c);
    if (!choose_columns(p, c, columns))
        return NC_OK;
    for (int k = 0; k < COLUMNS && good_count < SINKS && code == NC_OK; k++) {
        bool good = false;
        code = sink(p, c, columns[k].at, &good, &height);
        good_count += good;
        if (code == NC_OK && !good)
            discourage(p, columns[k].at);
        if (!good || height >= best_height)
            continue;
        best = *c;
        best_height = height;
    }
    *out_placed = good_count > 0;
    *c = best;
    return code;
}

static nc_code keep(pouring *p, const candidate *c)
{
    double x[3];
    to_array(c->copy.position, x);
    const double at[2] = {x[p->across[0]], x[p->across[1]]};
    const double tall = c->hi[p->up] - c->lo[p->up];
    raise(p, c, at, above_floor(p, x[p->up] + c->lo[p->up], x[p->up] + c->hi[p->up]) + tall);
    if (!nc_array_push(&p->scene->allocator, p->out, c->copy))
        return nc_fail_memory(p->err, sizeof c->copy);
    return nc_room_add(&p->room, c->mesh, nc_placing_pose(&p->at, &c->copy), p->err);
}

static nc_code pour_one(pouring *p, bool *out_placed)
{
    const int shape = nc_mix_take(&p->mix, &p->random);
    candidate c = {.mesh = p->scene->shapes.data[shape].mesh,
                   .center = p->scene->shapes.data[shape].ball_center,
                   .copy = {.shape = shape + 1}};
    nc_code code = NC_OK;
    *out_placed = false;
    for (int i = 0; i < ORIENTATIONS && !*out_placed && code == NC_OK; i++)
        code = try_orientation(p, &c, out_placed);
    return code == NC_OK && *out_placed ? keep(p, &c) : code;
}

// ---- all of them --------------------------------------------------------------------------------------------

static nc_code no_room(pouring *p)
{
    const int fitted = p->out->count;
    const char *what = p->container >= 0 ? "the container" : "the box";
    if (p->keys.partial)
        return nc_scene_add_note(p->scene, p->err, "%s:%d: pour: %d of %lld bodies found room in %s",
                                 p->keys.node->file, p->keys.node->line, fitted, (long long)p->keys.count, what);
    return nc_node_fail(
        p->err, p->keys.node,
        "%d of %lld bodies found room in %s; make %s larger or higher, the count or the gap smaller, or "
        "say partial: true for as many as there is room for",
        fitted, (long long)p->keys.count, what, p->container >= 0 ? "it" : "the box");
}

static nc_code pour_all(pouring *p)
{
    nc_code code = nc_room_add_scene(&p->room, p->scene, p->err);
    if (code == NC_OK)
        code = create_map(p);
    bool placed = true;
    for (int64_t i = 0; i < p->keys.count && placed && code == NC_OK; i++)
        code = pour_one(p, &placed);
    free_map(p);
    return code == NC_OK && !placed ? no_room(p) : code;
}

nc_code nc_pour_run(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_placements *out,
                    nc_error *err)
{
    pouring p = {.scene = scene, .at = *at, .out = out, .err = err};
    nc_key_block_defaults(&nc_generator_blocks[NC_POUR], &p.keys);
    nc_code code = nc_key_block_read(&nc_generator_blocks[NC_POUR], map, &p.keys, err);
    p.random.state = p.keys.seed >= 0 ? (uint64_t)p.keys.seed : seed;
    if (code == NC_OK)
        code = nc_mix_read(scene, p.keys.shapes, at->keys, &p.mix, err);
    if (code == NC_OK && !scene->dry)
        code = find_region(&p);
    if (code == NC_OK && !scene->dry) {
        const nc_room_gaps gaps = nc_scene_room_gaps(scene, p.keys.gap);
        code = nc_room_create(&scene->allocator, &gaps, &p.room, err);
        if (code == NC_OK)
            code = pour_all(&p);
        nc_room_free(&p.room);
    }
    nc_mix_free(&p.mix, &scene->allocator);
    return code;
}
