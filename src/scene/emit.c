// Emitters at work: what is due is put where there is room.
#include "scene/emit.h"
#include "scene/scene.h"

#include "geom/geom.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES       16   // [1] poses that are tried for a body in a step. Chosen; changes where bodies appear
#define FITS_TRIES  64   // [1] orientations that are tried for a shape before its box is too small
#define TIME_MARGIN 1e-9 // [1/rate] a body that is due within this is due: times of steps are rounded

static double due_time(const nc_emitter *e, int64_t number)
{
    return e->start + (double)number / e->rate;
}

static bool is_due(const nc_emitter *e, int64_t number, double time)
{
    return number < e->planned && due_time(e, number) <= time + TIME_MARGIN / e->rate;
}

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code read_box(nc_emitter *e, const nc_node *map, nc_error *err)
{
    nc_bounds_keys box;
    nc_key_block_defaults(&nc_bounds_block, &box);
    const nc_code code = nc_key_block_read(&nc_bounds_block, map, &box, err);
    const double lo[3] = {box.low.x, box.low.y, box.low.z}, hi[3] = {box.high.x, box.high.y, box.high.z};
    memcpy(e->lo, lo, sizeof lo);
    memcpy(e->hi, hi, sizeof hi);
    for (int i = 0; i < 3 && code == NC_OK; i++)
        if (!(lo[i] < hi[i]))
            return nc_node_fail(err, map, "low is not below high on every axis");
    return code;
}

static nc_code read_times(const nc_scene *scene, const nc_emit_keys *keys, nc_emitter *e, nc_error *err)
{
    const double until = isnan(keys->until) ? scene->settings.duration : keys->until;
    const double planned = ceil((until - keys->start) * keys->rate - TIME_MARGIN);
    e->start = keys->start;
    e->rate = keys->rate;
    if (!(until > keys->start))
        return nc_node_fail(err, keys->node, "it ends at %g s and begins at %g s; allowed: until after start", until,
                            keys->start);
    if (keys->count < 0 && planned > NC_SCENE_MAX_BODIES)
        return nc_node_fail(err, keys->node, "%.0f bodies; allowed: at most %d", planned, NC_SCENE_MAX_BODIES);
    e->planned = keys->count >= 0 && (double)keys->count < planned ? keys->count : (int64_t)planned;
    return NC_OK;
}

// A turn, and the box of the turned mesh; true when that has room in the emitter's box.
static bool turn_to_fit(const nc_emitter *e, const nc_mesh *mesh, nc_vec3 up, nc_random *random, nc_placement *copy,
                        double lo[3], double hi[3])
{
    copy->rotation = nc_orient_take(e->orient, up, random);
    const nc_box box = nc_turned_box(mesh, nc_quat_mul(copy->rotation, e->keys.rotation));
    const double low[3] = {box.lo.x, box.lo.y, box.lo.z}, high[3] = {box.hi.x, box.hi.y, box.hi.z};
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        lo[i] = e->lo[i] - low[i];
        hi[i] = e->hi[i] - high[i];
        fits = fits && lo[i] <= hi[i];
    }
    return fits;
}

// Up in the frame of placements.
static nc_vec3 local_up(const nc_emitter *e, nc_vec3 gravity)
{
    const double size = nc_norm(gravity);
    const nc_vec3 up = size > 0 ? nc_scale(-1 / size, gravity) : nc_v3(0, 1, 0);
    return nc_mat3_tmul(nc_quat_matrix(e->at.frame.q), up);
}

static nc_code check_fit(const nc_scene *scene, const nc_emitter *e, nc_error *err)
{
    for (int k = 0; k < e->mix.parts.count; k++) {
        const nc_scene_shape *shape = &scene->shapes.data[e->mix.parts.data[k].shape];
        nc_random random = {e->seed};
        nc_placement copy;
        double lo[3], hi[3];
        int tries = 0;
        while (tries < FITS_TRIES &&
               !turn_to_fit(e, shape->mesh, local_up(e, scene->world.gravity), &random, &copy, lo, hi))
            tries++;
        if (tries == FITS_TRIES)
            return nc_node_fail(err, nc_node_find(e->node, "box"),
                                "the shape \"%s\" does not fit into it in any of %d orientations; make it larger",
                                shape->name, FITS_TRIES);
    }
    return NC_OK;
}

nc_code nc_emitter_read(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_emitter *out,
                        nc_error *err)
{
    nc_emit_keys keys;
    nc_key_block_defaults(&nc_generator_blocks[NC_EMIT], &keys);
    nc_code code = nc_key_block_read(&nc_generator_blocks[NC_EMIT], map, &keys, err);
    if (code != NC_OK)
        return code;
    *out = (nc_emitter){.node = map, .at = *at, .keys = *at->keys, .gap = keys.gap, .orient = (nc_orient)keys.orient};
    out->at.keys = &out->keys;
    out->seed = keys.seed >= 0 ? (uint64_t)keys.seed : seed;
    code = nc_mix_read(scene, keys.shapes, at->keys, &out->mix, err);
    if (code == NC_OK && out->keys.name == NULL && out->keys.shape == NULL)
        return nc_node_fail(err, out->keys.node, "the key \"name\" is missing: bodies of a mix that appear need one");
    if (code == NC_OK && out->keys.type != NC_DYNAMIC)
        return nc_node_fail(err, map, "only dynamic bodies appear during a run");
    if (code == NC_OK)
        code = read_box(out, keys.box, err);
    if (code == NC_OK)
        code = read_times(scene, &keys, out, err);
    return code == NC_OK ? check_fit(scene, out, err) : code;
}

// ---- names --------------------------------------------------------------------------------------------------

// The number of an emitter's body, or of the body that a fragment came from; -1: another body.
static int64_t number_of(const nc_emitter *e, const char *name)
{
    const size_t length = strlen(e->name);
    if (name == NULL || strncmp(name, e->name, length) != 0 || name[length] != '.')
        return -1;
    char *end = NULL;
    const long long number = strtoll(name + length + 1, &end, 10);
    return end != name + length + 1 && (*end == '\0' || *end == '/') ? (int64_t)number : -1;
}

nc_code nc_scene_check_emitters(const nc_scene *scene, nc_error *err)
{
    for (int k = 0; k < scene->emitters.count; k++) {
        const nc_emitter *e = scene->emitters.data[k];
        for (int i = 0; i < scene->bodies.count; i++)
            if (number_of(e, scene->bodies.data[i].name) >= 0)
                return nc_node_fail(
                    err, e->node,
                    "its bodies are called %s.0, %s.1, ..., and there is a body \"%s\"; give it another name", e->name,
                    e->name, scene->bodies.data[i].name);
        for (int i = 0; i < k; i++)
            if (strcmp(scene->emitters.data[i]->name, e->name) == 0)
                return nc_node_fail(err, e->node, "the name \"%s\" is that of another emitter; give it one of its own",
                                    e->name);
    }
    return NC_OK;
}

// How many have appeared: numbers ascend, and a body stays, or its fragments do.
static int64_t count_appeared(const nc_emitter *e, const nc_world *world)
{
    const nc_bodies *bodies = &world->state.bodies;
    int64_t last = -1;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i]) {
            const int64_t number = number_of(e, bodies->name[i]);
            last = number > last ? number : last;
        }
    return last + 1;
}

// ---- building -----------------------------------------------------------------------------------------------

nc_code nc_scene_enter_emitters(const nc_scene *scene, nc_world *world, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; k < scene->emitters.count; k++) {
        const nc_emitter *e = scene->emitters.data[k];
        for (int i = 0; i < e->mix.parts.count && code == NC_OK; i++) {
            nc_mesh *mesh = scene->shapes.data[e->commons[i].shape].mesh;
            nc_mass mass;
            code = nc_mesh_mass(mesh, e->commons[i].mass, &mass, err);
            if (code == NC_OK)
                code = nc_world_enter_mesh(world, mesh, mass.center, err);
        }
    }
    return code;
}

// ---- appearing ----------------------------------------------------------------------------------------------

typedef struct emitting {
    const nc_scene *scene;
    const nc_emitter *emitter;
    nc_world *world;
    nc_room room;
    nc_error *err;
} emitting;

// A ball around the emitter's box, in the world.
static double box_ball(const nc_emitter *e, nc_vec3 *out_center)
{
    nc_placement middle = {.rotation = nc_quat_identity()};
    middle.position = nc_v3(0.5 * (e->lo[0] + e->hi[0]), 0.5 * (e->lo[1] + e->hi[1]), 0.5 * (e->lo[2] + e->hi[2]));
    *out_center = nc_placing_pose(&e->at, &middle).x;
    return 0.5 * nc_norm(nc_v3(e->hi[0] - e->lo[0], e->hi[1] - e->lo[1], e->hi[2] - e->lo[2]));
}

nc_box nc_emitter_world_box(const nc_emitter *emitter)
{
    nc_vec3 center;
    const double r = box_ball(emitter, &center);
    return (nc_box){nc_sub(center, nc_v3(r, r, r)), nc_add(center, nc_v3(r, r, r))};
}

// The room among bodies that are near the box.
static nc_code look_around(emitting *w)
{
    const nc_world_def *settings = &w->world->settings;
    const nc_room_gaps gaps = {w->emitter->gap, settings->rest_distance, settings->rest_fraction};
    nc_code code = nc_room_create(&settings->allocator, &gaps, &w->room, w->err);
    const nc_bodies *bodies = &w->world->state.bodies;
    nc_vec3 center;
    // A gap is at most this: of the largest part of the mix by size, or what is given.
    const double gap = isnan(w->emitter->gap) ? settings->rest_distance : w->emitter->gap;
    const double reach = box_ball(w->emitter, &center) + 2 * gap;
    for (int i = 0; i < bodies->count && code == NC_OK; i++) {
        const nc_mesh_entry *entry = &w->world->meshes.data[bodies->mesh[i]];
        if (bodies->alive[i] && nc_norm(nc_sub(bodies->pose[i].x, center)) <= reach + entry->radius)
            code = nc_room_add(&w->room, entry->mesh, bodies->pose[i], w->err);
    }
    return code;
}

static int part_of(const nc_mix *mix, int shape)
{
    int k = 0;
    while (mix->parts.data[k].shape != shape)
        k++;
    return k;
}

// Puts a body into the world. *out_placed is false when the world finds it too near after all.
static nc_code create_body(emitting *w, const nc_scene_body *common, nc_pose pose, int64_t number, bool *out_placed)
{
    char name[160];
    nc_body_id id;
    nc_scene_body body = *common;
    snprintf(name, sizeof name, "%s.%lld", w->emitter->name, (long long)number);
    body.name = name;
    body.position = pose.x;
    body.orientation = pose.q;
    const nc_code code = nc_scene_create_body(w->scene, &body, w->world, &id, w->err);
    *out_placed = code == NC_OK;
    return code == NC_INTERSECTING ? NC_OK : code;
}

// Tries poses for body `number`; the room knows it when it was placed.
static nc_code try_body(emitting *w, int64_t number, bool *out_placed)
{
    const nc_emitter *e = w->emitter;
    uint64_t seed = nc_hash_u64(nc_hash_u64(NC_HASH_START, e->seed), (uint64_t)number);
    nc_random kind = {seed}, random = {nc_hash_u64(seed, (uint64_t)w->world->state.step_count)};
    const int shape = nc_mix_take(&e->mix, &kind); // the same however often it is tried
    const nc_mesh *mesh = w->scene->shapes.data[shape].mesh;
    nc_code code = NC_OK;
    *out_placed = false;
    for (int i = 0; i < TRIES && !*out_placed && code == NC_OK; i++) {
        nc_placement copy = {.shape = shape + 1};
        double lo[3], hi[3], x[3];
        bool is_free = false;
        if (!turn_to_fit(e, mesh, local_up(e, w->world->settings.gravity), &random, &copy, lo, hi))
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = nc_random_range(&random, lo[k], hi[k]);
        copy.position = nc_v3(x[0], x[1], x[2]);
        const nc_pose pose = nc_placing_pose(&e->at, &copy);
        code = nc_room_is_free(&w->room, mesh, pose, &is_free, w->err);
        if (code == NC_OK && is_free)
            code = create_body(w, &e->commons[part_of(&e->mix, shape)], pose, number, out_placed);
        if (code == NC_OK && *out_placed)
            code = nc_room_add(&w->room, mesh, pose, w->err);
    }
    return code;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
tell(nc_emit_listener on_event, void *ctx, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (on_event != NULL)
        on_event(text, ctx);
}

// All bodies of an emitter that are due and have room, from number `first` on.
static nc_code emit_due(emitting *w, int64_t first, nc_emit_listener on_event, void *ctx)
{
    const nc_emitter *e = w->emitter;
    const double time = nc_world_time(w->world), step = w->scene->settings.timestep;
    const bool waited = is_due(e, first, time - step); // already in the step before
    bool placed = true;
    int64_t number = first;
    nc_code code = look_around(w);
    while (code == NC_OK && placed && is_due(e, number, time)) {
        code = try_body(w, number, &placed);
        number += placed;
    }
    if (code == NC_OK && !placed && !waited)
        tell(on_event, ctx, "emitter %s: body %lld waits for room from %.6g s on", e->name, (long long)number, time);
    if (code == NC_OK && placed && waited)
        tell(on_event, ctx, "emitter %s: no body waits any more at %.6g s; body %lld came %.3g s late", e->name, time,
             (long long)first, time - due_time(e, first));
    nc_room_free(&w->room);
    return code;
}

nc_code nc_scene_emit(const nc_scene *scene, nc_model model, nc_emit_listener on_event, void *ctx, nc_error *err)
{
    nc_code code = NC_OK;
    nc_world *world = nc_model_world(model);
    for (int k = 0; k < scene->emitters.count && world != NULL && code == NC_OK; k++) {
        emitting w = {.scene = scene, .emitter = scene->emitters.data[k], .world = world, .err = err};
        const int64_t number = count_appeared(w.emitter, world);
        if (is_due(w.emitter, number, nc_world_time(world)))
            code = emit_due(&w, number, on_event, ctx);
    }
    return code;
}

int nc_scene_emitter_count(const nc_scene *scene)
{
    return scene->emitters.count;
}

nc_emitter_state nc_scene_emitter(const nc_scene *scene, nc_model model, int index)
{
    const nc_emitter *e = scene->emitters.data[index];
    const nc_world *world = nc_model_world(model);
    const double time = nc_world_time(world);
    nc_emitter_state state = {.name = e->name, .planned = e->planned, .appeared = count_appeared(e, world)};
    state.due = state.appeared;
    while (is_due(e, state.due, time))
        state.due++;
    return state;
}
