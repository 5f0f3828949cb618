// Inside io: what files of others say of looks, and what Nacre writes of them.
#ifndef NC_IO_APPEARANCE_H
#define NC_IO_APPEARANCE_H

#include "nacre/appearance.h"

#include "base/base.h"

// A material as other programs have it.
typedef struct nc_surface {
    const char *name;
    bool has_color;
    double light[3];        // red, green, blue; linear
    double metallic, clear; // [1] 0 .. 1
} nc_surface;
// The nearest row of nacre/material.def: by name where it begins with that of a row ("Wood.003"), else by its numbers.
nc_appearance nc_surface_appearance(const nc_surface *surface);

// Of the material that most triangles of an OBJ text have, read from the .mtl files it names beside `path`. All zero
// when there is none; a .mtl that cannot be read is as if it were not named.
nc_code nc_obj_appearance(const char *text, const char *path, const nc_allocator *allocator, nc_appearance *out,
                          nc_error *err);
// The same of a .glb.
nc_code nc_gltf_file_appearance(const char *path, const nc_allocator *allocator, nc_appearance *out, nc_error *err);

// Linear red, green, blue of an appearance; false when it says none.
bool nc_appearance_light(const nc_appearance *appearance, double out[3]);
// Do bodies that look so need no material of their own?
bool nc_appearance_is_none(const nc_appearance *appearance);
bool nc_appearance_same(const nc_appearance *a, const nc_appearance *b);
// "glass #eaf6f4", "metal", "#ff0000" into `out`. Returns `out`.
const char *nc_appearance_name(const nc_appearance *appearance, char *out, size_t out_size);

#endif
