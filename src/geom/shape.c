// The table of procedural shapes, and the one function that makes them.
#include "geom/shape.h"

#include <string.h>

#define LENGTH(name, fallback, about)                                                                                  \
    {                                                                                                                  \
        name, "m", about, fallback, 1e-6, 1e6, false                                                                   \
    }
#define LENGTH_OR_SIZE(name, about)                                                                                    \
    {                                                                                                                  \
        name, "m", about, 0, 0, 1e6, false                                                                             \
    }
#define RATIO(name, fallback, low, high, about)                                                                        \
    {                                                                                                                  \
        name, "1", about, fallback, low, high, false                                                                   \
    }
#define COUNT(name, fallback, low, high, about)                                                                        \
    {                                                                                                                  \
        name, "1", about, fallback, low, high, true                                                                    \
    }
#define SEGMENTS(fallback) COUNT("segments", fallback, 3, 1024, "corners of a circle about the y axis")

static const nc_shape_parameter_info animal_parameters[] = {
    LENGTH("length", 1, "from tail to nose, along x; 6/7 of it along y and 9/14 along z, about"),
    COUNT("cells", 70, 32, 128, "fineness: cells of the contouring grid along x"),
    RATIO("blend", 0.06, 0.02, 0.1, "width over which its parts flow into each other, as a part of the length"),
};
static const nc_shape_parameter_info band_parameters[] = {
    LENGTH("radius", 1, "distance of the band from the y axis"),
    LENGTH("height", 0.3, "extent along y"),
    SEGMENTS(32),
};
static const nc_shape_parameter_info boat_parameters[] = {
    LENGTH("length", 1, "from transom to bow, along x"),
    RATIO("beam", 0.42, 0.05, 2, "greatest breadth, along z, as a part of the length"),
    RATIO("depth", 0.22, 0.02, 2, "height, along y, as a part of the length"),
    COUNT("thwart", 1, 0, 1, "1: with a plank across to sit on, 0: without"),
    COUNT("stations", 6, 3, 256, "pieces along the length"),
    COUNT("strips", 3, 2, 256, "pieces from keel to rail on each side"),
};
static const nc_shape_parameter_info bolt_parameters[] = {
    LENGTH("radius", 0.1, "from the axis to the crest of the thread"),
    LENGTH("depth", 0.01, "of the thread, from crest to root"),
    LENGTH("pitch", 0.05, "height of a turn"),
    COUNT("turns", 6, 2, 64, "of the thread"),
    SEGMENTS(32),
};
static const nc_shape_parameter_info bowl_parameters[] = {
    LENGTH("radius", 1, "of the sphere; its centre is the origin"),
    {"angle", "rad", "from the bottom to the rim, seen from the centre; pi/2: half a sphere", 0.5 * NC_PI, 0.05, 3.1,
     false},
    SEGMENTS(48),
    COUNT("rings", 16, 1, 1024, "pieces from the bottom to the rim"),
};
static const nc_shape_parameter_info bowline_parameters[] = {
    LENGTH("size", 1, "unit of the curve: the knot is 30 units high, the ribbon 108.7 long"),
    LENGTH("width", 1, "of the ribbon; at most 1.2 size"),
    COUNT("segments", 200, 60, 4096, "pieces along the ribbon"),
    COUNT("strips", 2, 1, 256, "pieces across the ribbon"),
};
static const nc_shape_parameter_info box_parameters[] = {
    LENGTH("size", 1, "extent along every axis that is not given by itself"),
    LENGTH_OR_SIZE("width", "extent along x; 0: size"),
    LENGTH_OR_SIZE("height", "extent along y; 0: size"),
    LENGTH_OR_SIZE("depth", "extent along z; 0: size"),
    COUNT("splits", 1, 1, 64, "pieces of an edge"),
};
static const nc_shape_parameter_info capsule_parameters[] = {
    LENGTH("radius", 0.5, "of the two half spheres"),
    LENGTH("length", 1, "of the straight part between them, along y"),
    SEGMENTS(24),
    COUNT("rings", 6, 1, 512, "pieces of each half sphere from pole to edge"),
};
static const nc_shape_parameter_info cone_parameters[] = {
    LENGTH("radius", 0.5, "of the base"),
    LENGTH("height", 1, "from the base to the tip, along y"),
    SEGMENTS(24),
};
static const nc_shape_parameter_info cow_parameters[] = {
    LENGTH("length", 1, "from tail to nose, along x"),
    RATIO("leg", 0.42, 0.25, 2, "from the middle of the body down to the hooves, as a part of the length"),
    RATIO("tail", 0.3, 0.05, 2, "length of the tail as a part of the length"),
};
static const nc_shape_parameter_info cylinder_parameters[] = {
    LENGTH("radius", 0.5, "of the round side"),
    LENGTH("height", 1, "extent along y"),
    SEGMENTS(24),
};
static const nc_shape_parameter_info flat_bar_parameters[] = {
    LENGTH("length", 1, "from the first hole to the last, along x; not read when there is one hole"),
    LENGTH("width", 0.2, "extent along y; its half is the radius of the round ends"),
    LENGTH("depth", 0.1, "extent along z"),
    LENGTH("hole", 0.05, "radius of the holes; less than half the width"),
    COUNT("holes", 2, 1, 9, "holes in a row, the same distance from each to the next"),
    COUNT("segments", 32, 4, 1024, "corners of a hole, and of both ends together; an odd number is raised by 1"),
};
static const nc_shape_parameter_info gear_parameters[] = {
    COUNT("teeth", 20, 8, 256, "around it; a gap between two of them is at +x"),
    LENGTH("module", 0.01, "diameter of the pitch circle by the number of teeth"),
    LENGTH("depth", 0.04, "extent along z"),
    LENGTH_OR_SIZE("bore", "radius of the hole about the z axis; 0: none"),
    LENGTH_OR_SIZE("gap", "by which teeth are thinner than half the pitch, along the pitch circle"),
    COUNT("flank", 4, 1, 64, "pieces of the involute of a flank"),
    COUNT("segments", 32, 3, 1024, "corners of the bore"),
};
static const nc_shape_parameter_info grains_parameters[] = {
    COUNT("columns", 10, 1, 1024, "points along x"),
    COUNT("rows", 10, 1, 1024, "points along y"),
    LENGTH("spacing", 0.2, "from one point to the next"),
};
static const nc_shape_parameter_info hook_parameters[] = {
    LENGTH("radius", 0.5, "of the bend, from its centre, the origin, to the middle of the bar"),
    LENGTH("bar", 0.1, "radius of the bar; less than the radius"),
    LENGTH("length", 1, "of the straight shank, up y"),
    {"angle", "rad", "of the bend; pi: the tip points up", NC_PI, 0.05, 4.5, false},
    COUNT("segments", 12, 2, 256, "pieces of the bend"),
    COUNT("sides", 10, 3, 256, "corners of the bar's section"),
};
static const nc_shape_parameter_info letters_parameters[] = {
    LENGTH("width", 3.3, "extent along x; a third of it along z"),
    LENGTH("groove", 0.1, "depth of the letters"),
};
static const nc_shape_parameter_info link_parameters[] = {
    LENGTH("length", 0.1, "from the centre of one bend to that of the other, along x"),
    LENGTH("radius", 0.04, "of the bends, to the middle of the bar; half of the width along z without the bar"),
    LENGTH("bar", 0.015, "radius of the bar; less than the radius of the bends"),
    COUNT("segments", 8, 2, 256, "pieces of each bend"),
    COUNT("sides", 10, 3, 256, "corners of the bar's section"),
};
static const nc_shape_parameter_info nails_parameters[] = {
    COUNT("columns", 8, 1, 256, "nails along x"),
    COUNT("rows", 8, 1, 256, "nails along z"),
    LENGTH("spacing", 0.5, "from one nail to the next"),
    LENGTH("height", 1, "from the base at y = 0 to the point"),
    LENGTH("radius", 0.05, "of the base, from the middle to a corner; less than half the spacing"),
};
static const nc_shape_parameter_info nut_parameters[] = {
    LENGTH("radius", 0.1, "from the axis to the crest of the bolt's thread"),
    LENGTH("depth", 0.01, "of the bolt's thread, from crest to root"),
    LENGTH("pitch", 0.05, "height of a turn"),
    COUNT("turns", 2, 2, 64, "of the thread"),
    LENGTH("gap", 0.001, "between flanks along y, on either side of the bolt's thread"),
    LENGTH("clearance", 0.001, "between crests and roots"),
    LENGTH("wall", 0.05, "from the root of its thread to the outside"),
    SEGMENTS(32),
};
static const nc_shape_parameter_info profile_parameters[] = {
    LENGTH("width", 1, "extent along x"),
    LENGTH("height", 1, "extent along y"),
    LENGTH("depth", 1, "extent along z, the direction it is drawn out in"),
    LENGTH("wall", 0.2, "thickness of the walls"),
};
static const nc_shape_parameter_info peg_parameters[] = {
    LENGTH("radius", 0.1, "of the shaft"),
    LENGTH("height", 1, "extent along y, the tip included"),
    LENGTH("tip", 0.15, "length of the part that narrows, at the bottom"),
    RATIO("blunt", 0.4, 0.01, 1, "radius of the tip's end as a part of the radius"),
    SEGMENTS(16),
};
static const nc_shape_parameter_info plane_parameters[] = {
    LENGTH("size", 1, "extent along x and z where they are not given by themselves"),
    LENGTH_OR_SIZE("width", "extent along x; 0: size"),
    LENGTH_OR_SIZE("depth", "extent along z; 0: size"),
    COUNT("splits", 1, 1, 256, "pieces of an edge"),
};
static const nc_shape_parameter_info plate_parameters[] = {
    LENGTH("radius", 0.5, "from the middle to a corner"),
    COUNT("sides", 6, 3, 1024, "corners of the polygon"),
};
static const nc_shape_parameter_info rabbit_parameters[] = {
    LENGTH("length", 1, "from tail to nose, along x, about"),
    COUNT("splits", 8, 2, 64, "fineness; 10 x splits^2 + 2 vertices"),
};
static const nc_shape_parameter_info race_parameters[] = {
    LENGTH("radius", 0.1, "of the circle of the balls' centres"),
    LENGTH("groove", 0.021, "radius of the groove's section about that circle"),
    LENGTH("height", 0.03, "extent along y; less than 1.9 times the groove"),
    LENGTH("wall", 0.01, "from the floor of the groove to the ring's back"),
    COUNT("outer", 1, 0, 1, "1: the outer ring, groove inside; 0: the inner ring, groove outside"),
    SEGMENTS(48),
    COUNT("pieces", 8, 2, 64, "of the groove's section"),
};
static const nc_shape_parameter_info rack_parameters[] = {
    COUNT("slots", 10, 1, 1024, "slots along x; one fin more than slots"),
    LENGTH("slot", 0.1, "width of a slot, along x"),
    LENGTH("height", 0.2, "of the fins, along y"),
    LENGTH("depth", 1, "extent along z"),
};
static const nc_shape_parameter_info reef_bight_parameters[] = {
    LENGTH("size", 1, "unit of the curve: the bight is 22 units long, its ribbon 48.3"),
    LENGTH("width", 1.4, "of the ribbon; at most 1.6 size"),
    COUNT("segments", 100, 40, 4096, "pieces along the ribbon"),
    COUNT("strips", 2, 1, 256, "pieces across the ribbon"),
};
static const nc_shape_parameter_info ring_gear_parameters[] = {
    COUNT("teeth", 48, 16, 256, "around the inside; a tooth of it is at +x"),
    LENGTH("module", 0.01, "diameter of the pitch circle by the number of teeth"),
    LENGTH("depth", 0.04, "extent along z"),
    LENGTH("wall", 0.03, "from the roots of the teeth to the outside"),
    LENGTH_OR_SIZE("gap", "by which the spaces are wider than half the pitch, along the pitch circle"),
    COUNT("flank", 4, 1, 64, "pieces of the involute of a flank"),
};
static const nc_shape_parameter_info ring_parameters[] = {
    LENGTH("radius", 1, "of the outer edge"),
    LENGTH("width", 0.3, "from the outer to the inner edge; less than the radius"),
    SEGMENTS(32),
};
static const nc_shape_parameter_info sheet_parameters[] = {
    LENGTH("size", 1, "extent along x and z where they are not given by themselves"),
    LENGTH_OR_SIZE("width", "extent along x; 0: size"),
    LENGTH_OR_SIZE("depth", "extent along z; 0: size"),
    COUNT("columns", 10, 1, 1024, "pieces along x"),
    COUNT("rows", 10, 1, 1024, "pieces along z"),
};
static const nc_shape_parameter_info sphere_parameters[] = {
    LENGTH("radius", 0.5, "from the centre to every vertex"),
    COUNT("splits", 4, 1, 128, "pieces of an icosahedron's edge; 20 x splits^2 triangles"),
};
static const nc_shape_parameter_info spike_parameters[] = {
    LENGTH("radius", 0.1, "of the base, from the middle to a corner"),
    LENGTH("height", 1, "from the base to the tip, along y"),
    COUNT("segments", 4, 3, 1024, "sides of the base"),
};
static const nc_shape_parameter_info spool_parameters[] = {
    LENGTH("radius", 0.05, "of the part between the flanges"),
    LENGTH("height", 0.2, "from flange to flange, along y"),
    LENGTH("flange", 0.1, "radius of the flanges; more than the radius"),
    LENGTH("rim", 0.02, "thickness of a flange, along y"),
    SEGMENTS(32),
};
static const nc_shape_parameter_info sprocket_parameters[] = {
    COUNT("teeth", 8, 5, 128, "around it; a flat for a block is at +x"),
    LENGTH("pitch", 0.04, "of the chain, from hole to hole; two of them per tooth"),
    LENGTH("width", 0.024, "of the chain's blocks; less than the pitch"),
    LENGTH("depth", 0.01, "extent along z"),
    LENGTH_OR_SIZE("gap", "between a seated block and the flat, and the teeth beside it"),
    LENGTH_OR_SIZE("bore", "radius of the hole about the z axis; 0: none"),
    COUNT("segments", 32, 3, 1024, "corners of the bore"),
};
static const nc_shape_parameter_info stone_parameters[] = {
    LENGTH("radius", 1, "of the arch, from its axis to the stone's middle, the origin"),
    LENGTH("wall", 0.2, "thickness of the arch, along x; less than twice the radius"),
    LENGTH("height", 0.3, "extent along y, the axis of the arch"),
    {"angle", "rad", "from the middle of one stone to the next, seen from the axis", NC_PI / 25, 0.01, 3, false},
    LENGTH_OR_SIZE("gap", "between the faces of two stones that far from each other"),
};
static const nc_shape_parameter_info t_handle_parameters[] = {
    LENGTH("length", 1, "of the handle, along x; more than the bar"),
    LENGTH("stem", 0.5, "from the handle's underside down to the stem's end, along y"),
    LENGTH("bar", 0.15, "thickness of both bars, which are square"),
};
static const nc_shape_parameter_info torus_parameters[] = {
    LENGTH("radius", 1, "from the y axis to the middle of the tube"),
    LENGTH("tube", 0.25, "radius of the tube; less than the radius"),
    SEGMENTS(32),
    COUNT("sides", 12, 3, 1024, "corners of the tube's section"),
};
static const nc_shape_parameter_info triangle_parameters[] = {
    LENGTH("size", 1, "of each side"),
};
static const nc_shape_parameter_info tube_parameters[] = {
    LENGTH("radius", 0.5, "distance of the wall from the y axis"),
    LENGTH("height", 1, "extent along y"),
    SEGMENTS(24),
    COUNT("rings", 1, 1, 1024, "pieces along y"),
};
static const nc_shape_parameter_info wedge_parameters[] = {
    LENGTH("width", 1, "extent along x; the slope rises towards +x"),
    LENGTH("height", 0.5, "extent along y"),
    LENGTH("depth", 1, "extent along z"),
};

// name, parameter table, what it is. In alphabetical order.
#define SHAPES(X)                                                                                                      \
    X(animal, animal, "closed; blended round parts: an animal on four legs, nose towards +x, ears towards +z and -z")  \
    X(band, band, "open; a ring of upright wall, a short tube about the y axis")                                       \
    X(boat, boat, "open; the hull of a small boat, bow towards +x, with transom and thwart")                           \
    X(bolt, bolt, "closed; a round rod about the y axis with a right-handed, nearly square thread")                    \
    X(bowl, bowl, "open; the lower part of a sphere about the origin, rim up")                                         \
    X(bowline, bowline, "open; a flat ribbon along x and z, tied into a loose bowline, standing part towards +z")      \
    X(box, box, "closed; sides along the axes")                                                                        \
    X(capsule, capsule, "closed; a cylinder about the y axis with half spheres at its ends")                           \
    X(cone, cone, "closed; about the y axis, tip up")                                                                  \
    X(cow, cow, "closed; an animal along x, nose towards +x, with thin legs, tail and horns")                          \
    X(cylinder, cylinder, "closed; about the y axis")                                                                  \
    X(flat_bar, flat_bar, "closed; along x, with round ends and round holes along z")                                  \
    X(gear, gear, "closed; a gear about the z axis with involute teeth of 20 degrees")                                 \
    X(grains, grains, "points; loose ones in the x-y plane, every other row shifted")                                  \
    X(hook, hook, "closed; a round bar, straight up y at x = radius, bent below the origin to its tip at -x")          \
    X(l_profile, profile, "closed; an L drawn out along z, legs along +x and +y")                                      \
    X(letters, letters, "open; a flat rectangle at y = 0, front up, with the letters NACRE engraved")                  \
    X(link, link, "closed; a link of a chain along x: a round bar bent into an oval about the y axis")                 \
    X(nails, nails, "open; a bed of nails without its board: pyramids of four slivers, points up")                     \
    X(nut, nut, "closed; a round nut about the y axis for a bolt of the same radius, depth and pitch")                 \
    X(peg, peg, "closed; a round pin about the y axis, narrowed at its lower end")                                     \
    X(plane, plane, "open; a flat rectangle at y = 0, front up")                                                       \
    X(plate, plate, "open; a flat regular polygon at y = 0, front up")                                                 \
    X(rabbit, rabbit, "closed; a plump animal along x, nose towards +x, with two long ears")                           \
    X(race, race, "closed; a ring of a ball bearing about the y axis, with a groove for the balls")                    \
    X(rack, rack, "open; a floor at y = 0 with upright fins across x, slots between them")                             \
    X(reef_bight, reef_bight, "open; a flat ribbon bent back at +x: with its copy turned by pi about z, a reef knot")  \
    X(ring, ring, "open; a flat annulus at y = 0, front up")                                                           \
    X(ring_gear, ring_gear, "closed; a ring about the z axis with involute teeth inside")                              \
    X(sheet, sheet, "open; a flat rectangle at y = 0, front up, cut in cells with alternating diagonals")              \
    X(sphere, sphere, "closed; an icosphere")                                                                          \
    X(spike, spike, "closed; a slender pyramid about the y axis, tip up")                                              \
    X(spool, spool, "closed; a rod about the y axis between two flanges; also a pin with two heads")                   \
    X(sprocket, sprocket, "closed; a wheel about the z axis with teeth for a chain of blocks and plates")              \
    X(stone, stone, "closed; a stone of an arch about the y axis, outside towards +x, with flat faces")                \
    X(t_handle, t_handle, "closed; two square bars in a T, which flips over when spun about its middle axis")          \
    X(t_profile, profile, "closed; a T drawn out along z, bar on top")                                                 \
    X(torus, torus, "closed; about the y axis")                                                                        \
    X(triangle, triangle, "open; one equilateral triangle at y = 0 about the origin, front up")                        \
    X(tube, tube, "open; a round wall about the y axis without lids")                                                  \
    X(u_profile, profile, "closed; a U drawn out along z, open towards +y")                                            \
    X(wedge, wedge, "closed; a right triangle drawn out along z, a ramp towards +x")

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define AS_INFO(name, table, about) {#name, about, table##_parameters, COUNT_OF(table##_parameters)},
static const nc_shape_info shapes[] = {SHAPES(AS_INFO)};

#define AS_BUILD(name, table, about) nc_shape_build_##name,
static nc_shape_build *const builds[] = {SHAPES(AS_BUILD)};

#define AS_NAME(name, table, about) #name,
static const char *const shape_names[] = {SHAPES(AS_NAME)};

#define MAX_PARAMETERS 8
// Guards the fixed array in nc_shape_create.
_Static_assert(COUNT_OF(nut_parameters) <= MAX_PARAMETERS, "the nut has the longest table");

const nc_shape_info *nc_shape_list(int *out_count)
{
    *out_count = COUNT_OF(shapes);
    return shapes;
}

static nc_code find_shape(const char *name, int *out, nc_error *err)
{
    for (int i = 0; i < COUNT_OF(shapes); i++) {
        if (strcmp(shapes[i].name, name) == 0) {
            *out = i;
            return NC_OK;
        }
    }
    const int near = nc_nearest_name(name, shape_names, COUNT_OF(shape_names));
    if (near >= 0)
        return nc_fail(err, NC_NOT_FOUND, "there is no shape '%.60s'; did you mean '%s'?", name, shape_names[near]);
    return nc_fail(err, NC_NOT_FOUND, "there is no shape '%.60s'", name);
}

static nc_code find_parameter(const nc_shape_info *shape, const char *name, int *out, nc_error *err)
{
    const char *names[MAX_PARAMETERS];
    for (int i = 0; i < shape->parameter_count; i++) {
        names[i] = shape->parameters[i].name;
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return NC_OK;
        }
    }
    const int near = nc_nearest_name(name, names, shape->parameter_count);
    if (near >= 0)
        return nc_fail(err, NC_NOT_FOUND, "a %s has no parameter '%.60s'; did you mean '%s'?", shape->name, name,
                       names[near]);
    return nc_fail(err, NC_NOT_FOUND, "a %s has no parameter '%.60s'", shape->name, name);
}

static nc_code check_value(const nc_shape_info *shape, const nc_shape_parameter_info *info, double value, nc_error *err)
{
    const char *unit = strcmp(info->unit, "1") == 0 ? "" : info->unit;
    if (!(value >= info->low && value <= info->high))
        return nc_fail(err, NC_BAD_ARGUMENT, "the %s of a %s is %g, but must lie between %g and %g%s%s", info->name,
                       shape->name, value, info->low, info->high, unit[0] != 0 ? " " : "", unit);
    if (info->whole && value != floor(value))
        return nc_fail(err, NC_BAD_ARGUMENT, "the %s of a %s is %g, but must be a whole number", info->name,
                       shape->name, value);
    // 0 stands for "not given" where it is the default; otherwise a length needs some size
    if (info->low == 0 && !info->whole && value != 0 && value < 1e-6)
        return nc_fail(err, NC_BAD_ARGUMENT, "the %s of a %s is %g, but must be 0 or lie between 1e-06 and %g%s%s",
                       info->name, shape->name, value, info->high, unit[0] != 0 ? " " : "", unit);
    return NC_OK;
}

static nc_code take_values(const nc_shape_info *shape, const nc_shape_parameter *parameters, int parameter_count,
                           double *values, nc_error *err)
{
    for (int i = 0; i < shape->parameter_count; i++)
        values[i] = shape->parameters[i].fallback;
    for (int i = 0; i < parameter_count; i++) {
        int at = 0;
        nc_code code = find_parameter(shape, parameters[i].name, &at, err);
        if (code == NC_OK)
            code = check_value(shape, &shape->parameters[at], parameters[i].value, err);
        if (code != NC_OK)
            return code;
        values[at] = parameters[i].value;
    }
    return NC_OK;
}

static nc_code finish_mesh(const nc_shape_builder *builder, nc_mesh **out, nc_error *err)
{
    if (builder->failed)
        return nc_fail_memory(err, (size_t)builder->vertices.count * sizeof(nc_vec3));
    nc_mesh_def def = {.vertices = builder->vertices.data,
                       .vertex_count = builder->vertices.count,
                       .triangles = (const int(*)[3])builder->triangles.data,
                       .triangle_count = builder->triangles.count};
    if (def.triangle_count > 0)
        return nc_mesh_create(&def, &builder->allocator, out, err);
    // Nothing but vertices: they are free points.
    const size_t count = (size_t)def.vertex_count;
    int *points = nc_alloc(&builder->allocator, count, sizeof *points);
    if (points == NULL)
        return nc_fail_memory(err, count * sizeof *points);
    for (int i = 0; i < def.vertex_count; i++)
        points[i] = i;
    def.points = points;
    def.point_count = def.vertex_count;
    const nc_code code = nc_mesh_create(&def, &builder->allocator, out, err);
    nc_free(&builder->allocator, points, count, sizeof *points);
    return code;
}

nc_code nc_shape_create(const char *name, const nc_shape_parameter *parameters, int parameter_count,
                        const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    int shape = 0;
    double values[MAX_PARAMETERS] = {0};
    *out = NULL;
    nc_code code = find_shape(name, &shape, err);
    if (code == NC_OK)
        code = take_values(&shapes[shape], parameters, parameter_count, values, err);
    if (code != NC_OK)
        return code;
    nc_shape_builder builder = {.allocator = nc_allocator_or_default(allocator)};
    code = builds[shape](&builder, values, err);
    if (code == NC_OK)
        code = finish_mesh(&builder, out, err);
    nc_array_free(&builder.allocator, &builder.vertices);
    nc_array_free(&builder.allocator, &builder.triangles);
    return code;
}
