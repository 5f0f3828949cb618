// The world block: settings, output, default distances and bounds.
#include "scene/emit.h"
#include "scene/units.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Steps that reach the duration: a whole number within rounding is taken as that number.
static int64_t step_count(double duration, double timestep)
{
    return (int64_t)ceil(duration / timestep * (1 - 1e-12) - 1e-9);
}

// A key into the field of a setting, by the kind of its row. A number that a scene does not give is NaN, and stays what
// it was.
#define TAKE_REAL(field, key)   (field) = isnan(key) ? (field) : (key)
#define TAKE_ABOVE(field, key)  TAKE_REAL(field, key)
#define TAKE_AUTO(field, key)   TAKE_REAL(field, key)
#define TAKE_WHOLE(field, key)  (field) = (int)(key)
#define TAKE_FLAG(field, key)   (field) = (key)
#define TAKE_CHOICE(field, key) (field) = (unsigned)(key) // no enumeration has negative values
#define TAKE_VECTOR(field, key) (field) = (key)

static void take_world(const nc_world_keys *keys, nc_world_def *def)
{
#define NC_SETTING(block, kind, name, ...) NC_IN_WORLD_##block(TAKE_##kind(def->name, keys->name);)
#include "nacre/settings.def"
    if (keys->pipeline == NC_PIPELINE_ACM)
        def->pipeline = NC_PIPELINE_SHELL; // cloth is no world of rigid bodies
}

static nc_code read_acm(nc_scene *scene, nc_error *err)
{
    nc_acm_keys *keys = &scene->acm;
    const nc_node *map = scene->world.acm;
    nc_key_block_defaults(&nc_acm_block, keys);
    const nc_code code = map != NULL ? nc_key_block_read(&nc_acm_block, map, keys, err) : NC_OK;
    nc_cloth_world_def *def = &scene->settings.cloth_world;
    *def = nc_cloth_world_def_default();
#define NC_CLOTH_SETTING(block, kind, name, ...) NC_IN_ACM_##block(TAKE_##kind(def->name, keys->name);)
#include "nacre/cloth_settings.def"
    def->gravity = scene->world.gravity;
    def->frame_dt = scene->settings.timestep;
    def->allocator = scene->allocator;
    scene->settings.is_cloth = scene->world.pipeline == NC_PIPELINE_ACM;
    if (code == NC_OK && map != NULL && !scene->settings.is_cloth)
        return nc_node_fail(err, map, "settings of the pipeline acm; allowed with world.pipeline: acm");
    return code;
}

static nc_code read_vsp(const nc_node *map, nc_vsp_def *out, nc_error *err)
{
    nc_vsp_keys keys;
    nc_key_block_defaults(&nc_vsp_block, &keys);
    const nc_code code = map != NULL ? nc_key_block_read(&nc_vsp_block, map, &keys, err) : NC_OK;
    if (code != NC_OK)
        return code;
#define NC_SETTING(block, kind, name, ...) NC_IN_VSP_##block(TAKE_##kind(out->name, keys.name);)
#include "nacre/settings.def"
    return NC_OK;
}

// English's Fig. 20, and Erleben's section 5.
static double default_timestep(int pipeline)
{
    return pipeline == NC_PIPELINE_SHELL || pipeline == NC_PIPELINE_ACM ? 1.0 / 24.0 : 0.01;
}

static nc_code read_output(nc_scene *scene, const nc_node *map, nc_error *err)
{
    nc_output_keys keys;
    nc_key_block_defaults(&nc_output_block, &keys);
    const nc_code code = nc_key_block_read(&nc_output_block, map, &keys, err);
    if (code != NC_OK)
        return code;
    if ((keys.every < 0) == isnan(keys.frame_rate))
        return nc_node_fail(err, map, "allowed: one of every and frame_rate");
    if (keys.every > 0) {
        scene->settings.output_every = (int)keys.every;
        return NC_OK;
    }
    const double every = 1 / (keys.frame_rate * scene->settings.timestep), whole = floor(every + 0.5);
    if (whole < 1 || whole > 1e9 || fabs(every - whole) > 1e-9 * whole)
        return nc_node_fail(
            err, nc_node_find(map, "frame_rate"),
            "%.15g frames per second are %.15g steps of %.15g s per frame; allowed: a whole number of steps",
            keys.frame_rate, every, scene->settings.timestep);
    scene->settings.output_every = (int)whole;
    return NC_OK;
}

static nc_code read_bounds(nc_scene *scene, const nc_node *map, nc_error *err)
{
    nc_bounds_keys keys;
    nc_key_block_defaults(&nc_bounds_block, &keys);
    const nc_code code = nc_key_block_read(&nc_bounds_block, map, &keys, err);
    if (code != NC_OK)
        return code;
    if (keys.low.x >= keys.high.x || keys.low.y >= keys.high.y || keys.low.z >= keys.high.z)
        return nc_node_fail(err, map, "low is not below high on every axis");
    scene->settings.bounds = (nc_box){keys.low, keys.high};
    return NC_OK;
}

#define FASTEST_USUAL_GRAVITY 1000 // [m/s^2] above it, it was probably given in mm/s^2

// What was said of units, and probably means something else.
static nc_code question_units(nc_scene *scene, nc_error *err)
{
    const char *remark = scene->world.units;
    for (int i = 0; remark != NULL && i < NC_UNIT_COUNT; i++)
        if (strcmp(remark, nc_unit_names[i]) == 0)
            return nc_scene_add_note(scene, err,
                                     "world.units is a remark and converts nothing; say units: %s at the top of the "
                                     "file if lengths are in %s",
                                     remark, remark);
    if (scene->unit > NC_UNIT_M && nc_norm(scene->world.gravity) > FASTEST_USUAL_GRAVITY)
        return nc_scene_add_note(scene, err,
                                 "world.gravity is %.5g m/s^2: it is in m/s^2 whatever units says; is that meant?",
                                 nc_norm(scene->world.gravity));
    return NC_OK;
}

// "shell", "vsp and isp", "shell, vsp and isp" into `out`; returns `out`.
static const char *readers_text(unsigned pipelines, char *out, size_t out_size)
{
    int left = 0;
    for (int k = 0; k <= NC_PIPELINE_ACM; k++)
        left += (pipelines >> k & 1) != 0;
    out[0] = '\0';
    for (int k = 0; k <= NC_PIPELINE_ACM; k++) {
        if ((pipelines >> k & 1) == 0)
            continue;
        const size_t used = strlen(out);
        snprintf(out + used, out_size - used, "%s%s", nc_pipeline_names[k],
                 --left > 1  ? ", "
                 : left == 1 ? " and "
                             : "");
    }
    return out;
}

static const nc_setting *setting_of(const char *prefix, const char *key)
{
    int count;
    const nc_setting *rows = nc_world_setting_rows(&count);
    const size_t length = strlen(prefix);
    for (int k = 0; k < count; k++)
        if (strncmp(rows[k].name, prefix, length) == 0 && strcmp(rows[k].name + length, key) == 0)
            return &rows[k];
    return NULL;
}

// Islands with joints step as in the pipeline shell.
static bool is_read(const nc_scene *scene, const nc_setting *row, int pipeline)
{
    return (row->pipelines >> pipeline & 1) != 0 ||
           (scene->joints.count > 0 && (row->pipelines >> NC_PIPELINE_SHELL & 1) != 0);
}

// Names every setting of a map that the scene's pipeline does not read. Keys that are no settings are left alone.
static nc_code question_settings(nc_scene *scene, const nc_node *map, const char *prefix, nc_error *err)
{
    nc_code code = NC_OK;
    const int pipeline = scene->world.pipeline;
    for (const nc_node *node = map != NULL ? map->first : NULL; node != NULL && code == NC_OK; node = node->next) {
        char readers[64];
        const nc_setting *row = setting_of(prefix, node->key);
        if (row == NULL || is_read(scene, row, pipeline))
            continue;
        code = nc_scene_add_note(scene, err, "%s:%d: world.%s has no effect with the pipeline %s; it is read by %s",
                                 node->file, node->line, row->name, nc_pipeline_names[pipeline],
                                 readers_text(row->pipelines, readers, sizeof readers));
    }
    return code;
}

nc_code nc_scene_question_pipeline(nc_scene *scene, nc_error *err)
{
    const nc_code code = question_settings(scene, scene->keys.world, "", err);
    return code == NC_OK ? question_settings(scene, scene->world.vsp, "vsp.", err) : code;
}

#define MAX_STEPS 2000000000.0

nc_code nc_scene_read_world(nc_scene *scene, nc_error *err)
{
    nc_world_keys *keys = &scene->world;
    nc_scene_settings *settings = &scene->settings;
    nc_key_block_defaults(&nc_world_block, keys);
    nc_code code = NC_OK;
    if (scene->keys.world != NULL)
        code = nc_key_block_read(&nc_world_block, scene->keys.world, keys, err);
    if (code != NC_OK)
        return code;
    if (isnan(keys->timestep))
        keys->timestep = default_timestep(keys->pipeline);
    if (keys->duration / keys->timestep > MAX_STEPS)
        return nc_node_fail(err, scene->keys.world, "%g s in steps of %g s are more than %.0f steps", keys->duration,
                            keys->timestep, MAX_STEPS);
    settings->timestep = keys->timestep;
    settings->duration = keys->duration;
    settings->steps = step_count(keys->duration, keys->timestep);
    settings->output_every = 1;
    settings->world = nc_world_def_default();
    take_world(keys, &settings->world);
    code = read_vsp(keys->vsp, &settings->world.vsp, err);
    if (code == NC_OK)
        code = read_acm(scene, err);
    if (code == NC_OK)
        code = question_units(scene, err);
    if (code != NC_OK)
        return code;
    settings->world.allocator = scene->allocator;
    settings->bounds = nc_box_empty();
    if (keys->output != NULL)
        code = read_output(scene, keys->output, err);
    if (code == NC_OK && keys->bounds != NULL)
        code = read_bounds(scene, keys->bounds, err);
    return code;
}

// ---- what bodies decide -------------------------------------------------------------------------------------

static double diagonal(nc_box box)
{
    return nc_norm(nc_sub(box.hi, box.lo));
}

// Smallest and largest diagonal [m] of boxes; least is infinite when there are none.
typedef struct size_range {
    double least, most;
} size_range;

// Bodies that will appear count as if they were there.
static void add_emitted(const nc_scene *scene, size_range *range)
{
    for (int k = 0; k < scene->emitters.count; k++)
        for (int i = 0; i < scene->emitters.data[k]->mix.parts.count; i++) {
            const int shape = scene->emitters.data[k]->mix.parts.data[i].shape;
            const double size = diagonal(nc_mesh_view(scene->shapes.data[shape].mesh).box);
            if (!(size > 0))
                continue;
            range->least = fmin(range->least, size);
            range->most = fmax(range->most, size);
        }
}

// Of the bodies of a type (of all types for -1).
static size_range sizes_of(const nc_scene *scene, int type)
{
    size_range range = {INFINITY, 0};
    for (int i = 0; i < scene->bodies.count; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        const double size = diagonal(nc_mesh_view(scene->shapes.data[body->shape].mesh).box);
        if ((type >= 0 && (int)body->type != type) || !(size > 0))
            continue;
        range.least = fmin(range.least, size);
        range.most = fmax(range.most, size);
    }
    if (type == NC_DYNAMIC)
        add_emitted(scene, &range);
    return range;
}

// The sizes that distances are taken from: of dynamic bodies, else of kinematic ones, else of all, else 1 m.
static size_range typical_sizes(const nc_scene *scene)
{
    static const int types[] = {NC_DYNAMIC, NC_KINEMATIC, -1};
    for (int i = 0; i < 3; i++) {
        const size_range range = sizes_of(scene, types[i]);
        if (range.most > 0)
            return range;
    }
    return (size_range){1, 1};
}

// Defaults that change results. A gap of a thousandth of a body's size is not seen; below a 32nd of that, certify
// holds.
#define REST_FRACTION   0.001 // [1] of the diagonal
#define PROXIMITY_RESTS 4     // [rest distance]
#define STACK_RESTS     10    // [rest distance] with pipelines that solve for near contacts only
#define REST_FLOORS     32    // [floor distance] per rest distance of the smallest body
#define GIVEN_RESTS     2     // [rest distance] that the scene gives
#define GIVEN_FLOORS    100   // [floor distance] per rest distance that the scene gives

static nc_code settle_distances(nc_scene *scene, nc_error *err)
{
    const nc_world_keys *keys = &scene->world;
    nc_world_def *world = &scene->settings.world;
    const bool given = !isnan(keys->rest_distance), sized = !isnan(keys->rest_fraction);
    const size_range sizes = typical_sizes(scene);
    world->rest_fraction = sized ? keys->rest_fraction : given ? 0 : REST_FRACTION;
    const double fraction = world->rest_fraction > 0 ? world->rest_fraction : REST_FRACTION;
    world->rest_distance = given ? keys->rest_distance : fraction * sizes.most;
    const double least = given ? world->rest_distance / GIVEN_FLOORS : fraction * sizes.least / REST_FLOORS;
    const bool stacks = world->pipeline != NC_PIPELINE_SHELL;
    const double rests = given ? GIVEN_RESTS : stacks ? STACK_RESTS : PROXIMITY_RESTS;
    world->proximity = isnan(keys->proximity) ? rests * world->rest_distance : keys->proximity;
    world->floor_distance = isnan(keys->floor_distance) ? least : keys->floor_distance;
    const bool near = world->proximity > world->rest_distance, low = world->floor_distance < world->rest_distance;
    if (!near || !low)
        return nc_node_fail(err, scene->keys.world, "found %s %.15g m with rest_distance %.15g m; allowed: %s",
                            near ? "floor_distance" : "proximity", near ? world->floor_distance : world->proximity,
                            world->rest_distance, near ? "below it" : "above it");
    if (given)
        return NC_OK;
    if (!(world->rest_fraction > 0))
        return nc_scene_add_note(scene, err, "distances: rest %.3g m, proximity %.3g m, floor %.3g m",
                                 world->rest_distance, world->proximity, world->floor_distance);
    return nc_scene_add_note(
        scene, err, "distances: rest %.3g m (%.3g of the smaller body of a pair), proximity %.3g m, floor %.3g m",
        world->rest_distance, fraction, world->proximity, world->floor_distance);
}

static void settle_bounds(nc_scene *scene)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < scene->bodies.count; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        const nc_scene_shape *shape = &scene->shapes.data[body->shape];
        const nc_pose pose = {body->position, body->orientation};
        const nc_vec3 center = nc_pose_apply(pose, shape->ball_center), r = nc_v3(1, 1, 1);
        box = nc_box_add(box, nc_add(center, nc_scale(shape->ball_radius, r)));
        box = nc_box_add(box, nc_sub(center, nc_scale(shape->ball_radius, r)));
        for (int k = 0; k < body->keyframe_count; k++)
            box = nc_box_add(box, body->keyframes[k].position);
    }
    for (int k = 0; k < scene->emitters.count; k++)
        box = nc_box_union(box, nc_emitter_world_box(scene->emitters.data[k]));
    if (scene->bodies.count == 0 && scene->emitters.count == 0)
        box = (nc_box){nc_v3(-1, -1, -1), nc_v3(1, 1, 1)};
    const double grow = diagonal(box);
    box.lo = nc_sub(box.lo, nc_v3(grow, grow, grow));
    box.hi = nc_add(box.hi, nc_v3(grow, grow, grow));
    scene->settings.bounds = box;
}

nc_code nc_scene_settle_world(nc_scene *scene, nc_error *err)
{
    if (scene->world.bounds == NULL)
        settle_bounds(scene);
    return scene->settings.is_cloth ? NC_OK : settle_distances(scene, err);
}
