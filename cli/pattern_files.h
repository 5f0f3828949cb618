// Patterns of cracks as files: closed meshes, one per region.
#ifndef NC_CLI_PATTERN_FILES_H
#define NC_CLI_PATTERN_FILES_H

#include "cli.h"

#include "fracture/fracture.h"

// The meshes of a pattern, with names for messages. Free with nc_pattern_pieces_free in any case.
typedef struct nc_pattern_pieces {
    NC_ARRAY(nc_mesh *) meshes;
    nc_allocator allocator;
} nc_pattern_pieces;
void nc_pattern_pieces_free(nc_pattern_pieces *pieces);

// From a .glb (every node with a mesh, where it stands), an .obj (every object), or a folder of mesh files, in the
// order of their names.
nc_code nc_pattern_pieces_load(const char *path, nc_pattern_pieces *out, nc_error *err);
// The regions of a pattern.
nc_code nc_pattern_pieces_make(const nc_pattern *pattern, nc_pattern_pieces *out, nc_error *err);

// Writes .glb (float32) or .obj (17 digits), by the extension. Each piece is moved away from `center` by `explode`
// times the way from there to the mean of its corners.
nc_code nc_pattern_pieces_save(const nc_pattern_pieces *pieces, nc_vec3 center, double explode, const char *path,
                               nc_error *err);
// True when the extension is one that nc_pattern_pieces_save knows.
bool nc_pattern_pieces_can_save(const char *path);

#endif
