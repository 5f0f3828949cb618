// What the rest may use of scene beyond nacre/scene.h: descriptions of the format itself.
#ifndef NC_SCENE_SCENE_H
#define NC_SCENE_SCENE_H

#include "nacre/scene.h"

#include "base/base.h"

// As nc_scene_build, without the test whether the scene starts intersecting: for `nacre check`, which names every pair.
nc_code nc_scene_build_unchecked(const nc_scene *scene, const nc_world_def *settings, nc_world **out, nc_error *err);

// Appends the JSON Schema of scene files (docs/scene.schema.json). False when out of memory.
bool nc_scene_write_schema(nc_buffer *out);
// Appends the tables of keys in Markdown (docs/scene-format.md). False when out of memory.
bool nc_scene_write_key_tables(nc_buffer *out);

#endif
