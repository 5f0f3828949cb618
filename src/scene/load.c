// A scene from text to a checked description.
#include "scene/description.h"
#include "scene/emit.h"

#include <stdio.h>
#include <string.h>

nc_code nc_scene_add_note(nc_scene *scene, nc_error *err, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *note = nc_pool_text(&scene->pool, text, strlen(text));
    if (note == NULL || !nc_array_push(&scene->allocator, &scene->notes, note))
        return nc_fail_memory(err, strlen(text));
    return NC_OK;
}

static nc_code read_root(nc_scene *scene, nc_error *err)
{
    nc_key_block_defaults(&nc_root_block, &scene->keys);
    const nc_code code = nc_key_block_read(&nc_root_block, scene->root, &scene->keys, err);
    scene->settings.title = scene->keys.title != NULL ? scene->keys.title : "";
    scene->settings.seed = (uint64_t)scene->keys.seed;
    return code;
}

static nc_code write_text(nc_scene *scene, nc_error *err)
{
    if (!nc_node_write(scene->root, &scene->text) || !nc_buffer_append(&scene->text, "", 1))
        return nc_fail_memory(err, scene->text.size);
    scene->settings.text = (const char *)scene->text.data;
    return NC_OK;
}

static nc_code read_all(nc_scene *scene, const nc_scene_def *def, nc_error *err)
{
    nc_code code = nc_scene_read_files(scene, def, err);
    for (int i = 0; i < def->override_count && code == NC_OK; i++)
        code = nc_scene_override(scene, def->overrides[i], err);
    static nc_code (*const stages[])(nc_scene *, nc_error *) = {
        nc_scene_expand_mechanisms,
        read_root,
        nc_scene_read_world,
        nc_scene_read_shapes,
        nc_scene_read_bodies,
        nc_scene_read_moved,
        nc_scene_read_expect,
        nc_scene_read_filters,
        nc_scene_read_pairs,
        nc_scene_read_joints,
        nc_scene_question_pipeline,
        nc_scene_read_camera,
        nc_scene_check_cloth,
        nc_scene_settle_world,
        write_text,
    };
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && code == NC_OK; i++)
        code = stages[i](scene, err);
    return code;
}

nc_code nc_scene_load(const nc_scene_def *def, nc_scene **out, nc_error *err)
{
    if (def == NULL || out == NULL || (def->path == NULL && def->text == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "nc_scene_load needs a path or a text, and somewhere to put the scene");
    *out = NULL;
    const nc_allocator allocator = nc_allocator_or_default(def->allocator);
    nc_scene *scene = nc_alloc(&allocator, 1, sizeof *scene);
    if (scene == NULL)
        return nc_fail_memory(err, sizeof *scene);
    scene->allocator = allocator;
    scene->pool.allocator = allocator;
    scene->text = nc_buffer_create(&allocator);
    const char *path = def->path != NULL ? def->path : "scene";
    scene->path = nc_pool_text(&scene->pool, path, strlen(path));
    const nc_code code = scene->path == NULL ? nc_fail_memory(err, strlen(path)) : read_all(scene, def, err);
    if (code != NC_OK) {
        nc_scene_destroy(scene);
        return code;
    }
    *out = scene;
    return NC_OK;
}

void nc_scene_destroy(nc_scene *scene)
{
    if (scene == NULL)
        return;
    const nc_allocator allocator = scene->allocator;
    for (int i = 0; i < scene->shapes.count; i++)
        nc_mesh_release(scene->shapes.data[i].mesh);
    for (int i = 0; i < scene->tiles.count; i++)
        nc_mesh_release(scene->tiles.data[i]);
    nc_array_free(&allocator, &scene->tiles);
    nc_array_free(&allocator, &scene->late);
    for (int i = 0; i < scene->emitters.count; i++)
        nc_mix_free(&scene->emitters.data[i]->mix, &allocator);
    nc_array_free(&allocator, &scene->emitters);
    nc_array_free(&allocator, &scene->fractures);
    nc_array_free(&allocator, &scene->notes);
    nc_array_free(&allocator, &scene->shapes);
    nc_array_free(&allocator, &scene->bodies);
    nc_array_free(&allocator, &scene->exempt);
    nc_array_free(&allocator, &scene->joints);
    nc_array_free(&allocator, &scene->joint_sources);
    nc_array_free(&allocator, &scene->surfaces);
    nc_free(&allocator, scene->name_slots, (size_t)scene->name_slot_count, sizeof *scene->name_slots);
    nc_buffer_free(&scene->text);
    nc_pool_free(&scene->pool);
    nc_free(&allocator, scene, 1, sizeof *scene);
}

nc_scene_settings nc_scene_view(const nc_scene *scene)
{
    return scene->settings;
}

int nc_scene_note_count(const nc_scene *scene)
{
    return scene->notes.count;
}

const char *nc_scene_note(const nc_scene *scene, int index)
{
    return index >= 0 && index < scene->notes.count ? scene->notes.data[index] : "";
}
