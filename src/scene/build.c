// A scene's description to a model, refused when it starts intersecting.
#include "model/model.h"
#include "scene/description.h"
#include "scene/emit.h"
#include "scene/scene.h"
#include "world/world.h"

static nc_body_def body_definition(const nc_scene *scene, const nc_scene_body *body)
{
    nc_body_def def = nc_body_def_default();
    def.type = body->type;
    def.name = body->name;
    def.mesh = scene->shapes.data[body->shape].mesh;
    if (body->mass != NULL)
        def.mass = *body->mass;
    def.position = body->position;
    def.orientation = body->orientation;
    def.velocity = body->velocity;
    def.spin = body->spin;
    def.friction = body->friction;
    def.restitution = body->restitution;
    def.max_force = body->max_force;
    def.max_torque = body->max_torque;
    def.keyframes = body->keyframes;
    def.keyframe_count = body->keyframe_count;
    def.appearance = body->appearance;
    return def;
}

// An error of the world, at the entry that made the body.
nc_code nc_scene_fail_at_body(nc_code code, const nc_scene_body *body, nc_error *err)
{
    if (code == NC_OK || code == NC_OUT_OF_MEMORY)
        return code;
    const nc_error cause = err != NULL ? *err : (nc_error){0};
    return nc_node_fail(err, body->node, "body \"%s\": %.500s", body->name, cause.text);
}

static nc_code treat_pairs(const nc_scene *scene, nc_world *world, const nc_body_id *ids, nc_error *err)
{
    for (int i = 0; i < scene->exempt.count; i++) {
        const nc_body_pair pair = scene->exempt.data[i];
        const nc_code code = nc_world_exempt_pair(world, ids[pair.a], ids[pair.b], err);
        if (code != NC_OK)
            return nc_scene_fail_at_body(code, &scene->bodies.data[pair.a], err);
    }
    for (int i = 0; i < scene->surfaces.count; i++) {
        const nc_scene_surface *s = &scene->surfaces.data[i];
        const nc_code code = nc_world_set_pair(world, ids[s->pair.a], ids[s->pair.b], s->friction, s->restitution, err);
        if (code != NC_OK)
            return nc_scene_fail_at_body(code, &scene->bodies.data[s->pair.a], err);
    }
    return NC_OK;
}

nc_code nc_scene_create_body(const nc_scene *scene, const nc_scene_body *body, nc_world *world, nc_body_id *out,
                             nc_error *err)
{
    const nc_body_def def = body_definition(scene, body);
    nc_code code = nc_body_create(world, &def, out, err);
    if (code == NC_OK && (nc_dot(body->force, body->force) > 0 || nc_dot(body->torque, body->torque) > 0))
        code = nc_body_set_force(world, *out, body->force, body->torque, err);
    if (code == NC_OK && body->fracture != NULL)
        code = nc_body_set_fracture(world, *out, body->fracture, err);
    return code;
}

static nc_code create_bodies(const nc_scene *scene, nc_world *world, nc_body_id *ids, nc_error *err)
{
    for (int i = 0; i < scene->bodies.count; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        const nc_code code = nc_scene_create_body(scene, body, world, &ids[i], err);
        if (code != NC_OK)
            return nc_scene_fail_at_body(code, body, err);
    }
    nc_code code = treat_pairs(scene, world, ids, err);
    if (code == NC_OK)
        code = nc_scene_create_joints(scene, world, ids, err);
    return code == NC_OK ? nc_scene_enter_emitters(scene, world, err) : code;
}

static nc_code build_bodies(const nc_scene *scene, const nc_world_def *settings, nc_model *out, nc_error *err)
{
    nc_world *world = NULL;
    nc_code code = nc_world_create(settings, &world, err);
    if (code != NC_OK)
        return code;
    *out = nc_model_of_world(world);
    const size_t count = (size_t)scene->bodies.count;
    // One more than needed: an empty scene has an array too.
    nc_body_id *ids = nc_alloc(&scene->allocator, count + 1, sizeof *ids);
    code = ids != NULL ? create_bodies(scene, world, ids, err) : nc_fail_memory(err, count * sizeof *ids);
    nc_free(&scene->allocator, ids, count + 1, sizeof *ids);
    return code;
}

// ---- the start ----------------------------------------------------------------------------------------------

// What the model says of two bodies, at the entry that made the second.
static nc_code refuse_start(const nc_scene *scene, nc_model model, nc_body_id second, nc_error *err)
{
    const nc_error cause = err != NULL ? *err : (nc_error){0};
    const size_t count = (size_t)scene->bodies.count;
    nc_body_id *ids = nc_alloc(&scene->allocator, count, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, count * sizeof *ids);
    nc_model_bodies(model, ids, (int)count); // in the order of the scene
    size_t row = 0;
    while (row + 1 < count && ids[row].index != second.index)
        row++;
    nc_free(&scene->allocator, ids, count, sizeof *ids);
    const nc_node *node = scene->bodies.data[row].node;
    return nc_fail_at(err, NC_INTERSECTING, node->file, node->line, node->column, "%.600s", cause.text);
}

// Rigid bodies are refused with all pairs counted, the deepest with its depth and the way out.
static nc_code check_bodies(const nc_scene *scene, nc_world *world, nc_error *err)
{
    nc_overlap first;
    int count = 0;
    nc_code code = nc_world_audit(world, &first, 1, &count, err);
    if (code != NC_OK || count > 0)
        return code != NC_OK ? code : nc_scene_refuse_start(scene, world, NULL, err);
    nc_error touching = {0};
    code = nc_world_check_distances(world, NULL, &touching);
    if (code == NC_INTERSECTING)
        return nc_scene_refuse_start(scene, world, touching.text, err);
    if (code != NC_OK && err != NULL)
        *err = touching;
    return code;
}

static nc_code check_start(const nc_scene *scene, nc_model model, nc_error *err)
{
    nc_world *world = nc_model_world(model);
    if (world != NULL)
        return check_bodies(scene, world, err);
    nc_body_id second = {0, 0};
    const nc_code code = nc_model_check(model, &second, err);
    return code == NC_INTERSECTING ? refuse_start(scene, model, second, err) : code;
}

static nc_code build(const nc_scene *scene, const nc_scene_settings *settings, bool checked, nc_model *out,
                     nc_error *err)
{
    const nc_scene_settings *s = settings != NULL ? settings : &scene->settings;
    nc_model model = {NULL, NULL};
    *out = model;
    nc_code code = scene->settings.is_cloth ? nc_scene_build_cloth(scene, &s->cloth_world, &model, err)
                                            : build_bodies(scene, &s->world, &model, err);
    if (code == NC_OK && checked)
        code = check_start(scene, model, err);
    if (code != NC_OK) {
        nc_model_destroy(model);
        return code;
    }
    *out = model;
    return NC_OK;
}

nc_code nc_scene_build(const nc_scene *scene, const nc_scene_settings *settings, nc_model *out, nc_error *err)
{
    return build(scene, settings, true, out, err);
}

nc_code nc_scene_build_unchecked(const nc_scene *scene, const nc_scene_settings *settings, nc_model *out, nc_error *err)
{
    return build(scene, settings, false, out, err);
}
