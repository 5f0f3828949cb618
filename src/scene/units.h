// Units of length: `units` of a file and `unit` of a shape, converted to metres in the tree, right after it is parsed.
#ifndef NC_SCENE_UNITS_H
#define NC_SCENE_UNITS_H

#include "scene/keys.h"

typedef enum nc_unit { NC_UNIT_M, NC_UNIT_CM, NC_UNIT_MM, NC_UNIT_IN, NC_UNIT_FT, NC_UNIT_COUNT } nc_unit;
extern const char *const nc_unit_names[NC_UNIT_COUNT];

// [m] of a length that is given in a unit, and back. A unit below 0 is metres.
double nc_unit_to_metres(int unit, double length);
double nc_unit_from_metres(int unit, double metres);

// Changes the numbers of a file's tree whose keys have the unit m or m/s to metres, and those of shapes that have a
// unit of their own; takes out `units` and `unit`. Mesh files get a factor in `scale`, except glTF, which is in metres
// by its standard, unless the shape has a `unit`. What is no number stays for the reader to refuse.
nc_code nc_units_convert(nc_pool *pool, nc_node *root, nc_error *err);
// The same of one map with the keys of a shape.
nc_code nc_units_convert_shape(nc_pool *pool, nc_node *map, int unit, nc_error *err);

#endif
