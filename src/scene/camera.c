// The camera of a scene. The simulation does not read it.
#include "scene/description.h"

#include <math.h>
#include <string.h>

// What `keys` says, NaN where it says nothing.
static nc_scene_camera camera_of(const nc_camera_keys *keys)
{
    return (nc_scene_camera){.position = keys->position,
                             .target = keys->target,
                             .azimuth = keys->azimuth,
                             .elevation = keys->elevation,
                             .fov = keys->fov,
                             .zoom = keys->zoom,
                             .aperture = keys->aperture,
                             .focus = keys->focus};
}

static nc_code read_keyframes(const nc_node *list, nc_scene_camera *out, nc_error *err)
{
    for (const nc_node *node = list->first; node != NULL; node = node->next) {
        nc_camera_keys keys;
        if (out->keyframe_count == NC_CAMERA_KEYFRAMES)
            return nc_node_fail(err, node, "more than %d keyframes of the camera", NC_CAMERA_KEYFRAMES);
        nc_key_block_defaults(&nc_camera_keyframe_block, &keys);
        const nc_code code = nc_key_block_read(&nc_camera_keyframe_block, node, &keys, err);
        if (code != NC_OK)
            return code;
        if (out->keyframe_count > 0 && !(keys.time > out->keyframes[out->keyframe_count - 1].time))
            return nc_node_fail(err, node, "found time %g after %g; allowed: ascending times", keys.time,
                                out->keyframes[out->keyframe_count - 1].time);
        out->keyframes[out->keyframe_count++] = (nc_camera_keyframe){.time = keys.time,
                                                                     .position = keys.position,
                                                                     .target = keys.target,
                                                                     .azimuth = keys.azimuth,
                                                                     .elevation = keys.elevation,
                                                                     .fov = keys.fov,
                                                                     .zoom = keys.zoom};
    }
    return NC_OK;
}

nc_code nc_scene_read_camera(nc_scene *scene, nc_error *err)
{
    nc_camera_keys keys;
    nc_key_block_defaults(&nc_camera_block, &keys);
    nc_code code = NC_OK;
    if (scene->keys.camera != NULL)
        code = nc_key_block_read(&nc_camera_block, scene->keys.camera, &keys, err);
    scene->settings.camera = camera_of(&keys);
    if (code == NC_OK && keys.keyframes != NULL)
        code = read_keyframes(keys.keyframes, &scene->settings.camera, err);
    return code;
}

nc_code nc_scene_camera_load(const char *path, const char *text, nc_scene_camera *out, nc_error *err)
{
    nc_scene scene = {.allocator = nc_allocator_or_default(NULL), .path = path};
    scene.pool.allocator = scene.allocator;
    const nc_scene_def def = {.path = path, .text = text, .text_size = strlen(text)};
    nc_code code = nc_scene_read_files(&scene, &def, err);
    nc_key_block_defaults(&nc_root_block, &scene.keys);
    if (code == NC_OK)
        code = nc_key_block_read(&nc_root_block, scene.root, &scene.keys, err);
    if (code == NC_OK)
        code = nc_scene_read_camera(&scene, err);
    *out = scene.settings.camera;
    nc_pool_free(&scene.pool);
    return code;
}
