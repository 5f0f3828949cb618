// What the rest may use of scene beyond nacre/scene.h: descriptions of the format itself.
#ifndef NC_SCENE_SCENE_H
#define NC_SCENE_SCENE_H

#include "nacre/scene.h"

#include "base/base.h"

// Appends the JSON Schema of scene files (docs/scene.schema.json). False when out of memory.
bool nc_scene_write_schema(nc_buffer *out);
// Appends the tables of keys in Markdown (docs/scene-format.md). False when out of memory.
bool nc_scene_write_key_tables(nc_buffer *out);

#endif
