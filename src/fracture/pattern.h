// Inside fracture: a pattern in the making.
#ifndef NC_FRACTURE_PATTERN_H
#define NC_FRACTURE_PATTERN_H

#include "fracture/fracture.h"

#define NC_REGION_VOLUME_MIN 1e-14 // [m^3] smaller ones are rounding, and are left out

// What the makers of patterns are given.
typedef struct nc_pattern_builder {
    nc_pattern *pattern;
    nc_allocator allocator;
    nc_random random;
    nc_polyhedron piece; // scratch
} nc_pattern_builder;

nc_box nc_unit_box(void);
// Adds the part of the unit box inside all planes, with those of them that bound it; nothing when there is no such
// part.
nc_code nc_pattern_add(nc_pattern_builder *builder, const nc_plane *planes, int count, nc_error *err);

// A vector of unit length, or 0 for 0.
nc_vec3 nc_unit(nc_vec3 v);
nc_vec3 nc_random_in_box(nc_random *random, nc_box box);

// Adds the Voronoi cells of the seeds, nearness being measured after stretching space by `metric` along the axes.
nc_code nc_pattern_add_cells(nc_pattern_builder *builder, const nc_vec3 *seeds, int count, nc_vec3 metric,
                             nc_error *err);

// Makes the regions of a pattern from parameter values that are in range, in the order of its table.
typedef nc_code nc_pattern_maker(nc_pattern_builder *builder, const double *values, nc_error *err);
nc_pattern_maker nc_pattern_make_bricks, nc_pattern_make_glass, nc_pattern_make_graded, nc_pattern_make_shards,
    nc_pattern_make_splinters, nc_pattern_make_voronoi;

#endif
