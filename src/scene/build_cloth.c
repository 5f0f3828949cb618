// A scene's description to a world of cloth.
#include "scene/description.h"

static double or_else(double value, double fallback)
{
    return value >= 0 ? value : fallback; // NaN and negative: not given
}

static nc_cloth_contact contact_of(const nc_scene *scene, const nc_scene_body *body)
{
    return (nc_cloth_contact){.stiffness = or_else(body->contact.stiffness, scene->acm.stiffness),
                              .thickness = or_else(body->contact.thickness, scene->acm.thickness),
                              .restitution = or_else(body->restitution, scene->world.restitution),
                              .friction = or_else(body->friction, scene->world.friction)};
}

static void set_material(nc_cloth_def *def, const nc_cloth_keys *keys)
{
#define NC_CLOTH_MATERIAL(kind, field, key, ...) def->field = keys->key;
#include "nacre/cloth_material.def"
}

static nc_code add_body(const nc_scene *scene, const nc_scene_body *body, nc_cloth_world *world, nc_error *err)
{
    const nc_mesh_data mesh = nc_mesh_view(scene->shapes.data[body->shape].mesh);
    const nc_pose pose = {body->position, body->orientation};
    const size_t count = (size_t)mesh.vertex_count;
    nc_vec3 *vertices = nc_alloc(&scene->allocator, count, sizeof *vertices);
    if (vertices == NULL)
        return nc_fail_memory(err, count * sizeof *vertices);
    for (int i = 0; i < mesh.vertex_count; i++)
        vertices[i] = nc_pose_apply(pose, mesh.vertices[i]);
    const nc_cloth_script script = {
        .keyframes = body->keyframes, .keyframe_count = body->keyframe_count, .velocity = body->velocity};
    nc_cloth_def def = nc_cloth_def_default();
    def.type = body->cloth == NULL ? NC_CLOTH_OBSTACLE : mesh.triangle_count == 0 ? NC_CLOTH_PARTICLES : NC_CLOTH_SHEET;
    def.name = body->name;
    def.vertices = vertices;
    def.vertex_count = mesh.vertex_count;
    def.triangles = mesh.triangles;
    def.triangle_count = mesh.triangle_count;
    def.contact = contact_of(scene, body);
    def.appearance = body->appearance;
    if (body->cloth != NULL) {
        set_material(&def, &body->cloth->keys);
        def.velocity = body->velocity;
        def.scripts = body->cloth->scripts;
        def.script_count = body->cloth->script_count;
        def.forces = body->cloth->forces;
        def.force_count = body->cloth->force_count;
    } else if (body->type == NC_KINEMATIC) {
        def.scripts = &script;
        def.script_count = 1;
    }
    int object;
    const nc_code code = nc_cloth_add(world, &def, &object, err);
    nc_free(&scene->allocator, vertices, count, sizeof *vertices);
    return nc_scene_fail_at_body(code, body, err);
}

nc_code nc_scene_build_cloth(const nc_scene *scene, const nc_cloth_world_def *settings, nc_model *out, nc_error *err)
{
    nc_cloth_world *world = NULL;
    nc_code code = nc_cloth_world_create(settings, &world, err);
    *out = nc_model_of_cloth(world);
    for (int i = 0; i < scene->bodies.count && code == NC_OK; i++)
        code = add_body(scene, &scene->bodies.data[i], world, err);
    return code;
}
