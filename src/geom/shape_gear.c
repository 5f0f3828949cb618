// Gears: involute teeth about the z axis, outside or inside of a ring.
#include "geom/shape.h"

#define PRESSURE_ANGLE (NC_PI / 9) // [rad] 20 degrees, as in ISO 53

// What a profile of teeth needs. Angles are from the middle of a tooth.
typedef struct teeth {
    int count, pieces;   // pieces: of a flank
    double base;         // [m] radius of the base circle of the involute
    double root, tip;    // [m] radii
    double half;         // [rad] half of a tooth, on the base circle
    double flank, crest; // [1] parameters of the involute where the flank begins and ends
} teeth;

// The involute at parameter t leaves the base circle at t = 0: radius base sqrt(1 + t^2), polar angle t - atan t.
static double polar_angle(double t)
{
    return t - nc_atan2(t, 1);
}

// `thickness` [m] of a tooth along the pitch circle.
static teeth make_teeth(int count, double module, double root, double tip, double thickness, int pieces)
{
    double sine, cosine;
    nc_sincos(PRESSURE_ANGLE, &sine, &cosine);
    const double pitch = 0.5 * module * count, base = pitch * cosine;
    teeth t = {.count = count, .pieces = pieces, .base = base, .root = root, .tip = tip};
    t.half = 0.5 * thickness / pitch + polar_angle(sine / cosine);
    t.flank = root > base ? sqrt(root * root / (base * base) - 1) : 0;
    t.crest = sqrt(tip * tip / (base * base) - 1);
    return t;
}

// The teeth must not be pointed, and there must be room between them at the root.
static bool teeth_are_sound(const teeth *t)
{
    return t->root > 0 && polar_angle(t->crest) < t->half && t->half - polar_angle(t->flank) < 0.98 * NC_PI / t->count;
}

static void polar_corner(nc_shape_outline *outline, double radius, double angle)
{
    double sine, cosine;
    nc_sincos(angle, &sine, &cosine);
    nc_shape_corner(outline, radius * cosine, radius * sine);
}

// Half a tooth: side -1 from the root up, 1 from the tip down. `turn` is 1 counterclockwise, -1 clockwise.
static void half_tooth(nc_shape_outline *outline, const teeth *t, double middle, int side, int turn)
{
    const bool radial = t->root < t->base; // below the base circle the flank is a straight line to the axis
    const int steps = t->pieces + radial;
    for (int k = 0; k <= steps; k++) {
        const int i = (side < 0 ? k : steps - k) - radial;
        const double u = t->flank + (t->crest - t->flank) * (i < 0 ? 0 : i) / t->pieces;
        const double radius = i < 0 ? t->root : t->base * sqrt(1 + u * u);
        polar_corner(outline, radius, middle + turn * side * (t->half - polar_angle(u)));
    }
}

// From the middle of a gap at angle 0 around.
static void teeth_loop(nc_shape_outline *outline, const teeth *t, int bridge, int turn)
{
    nc_shape_loop_begin(outline, bridge);
    for (int i = 0; i < t->count; i++) {
        polar_corner(outline, t->root, turn * 2 * NC_PI * i / t->count);
        const double middle = turn * 2 * NC_PI * (i + 0.5) / t->count;
        half_tooth(outline, t, middle, -1, turn);
        half_tooth(outline, t, middle, 1, turn);
    }
}

static nc_code bad_teeth(int count, double module, nc_error *err)
{
    return nc_fail(err, NC_BAD_ARGUMENT, "%d teeth of module %g m with that gap are pointed or too thick", count,
                   module);
}

nc_code nc_shape_build_gear(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const int count = (int)values[0], segments = (int)values[6];
    const double module = values[1], bore = values[3], pitch = 0.5 * module * count;
    const double turn[2] = {0, -2 * NC_PI};
    const teeth t = make_teeth(count, module, pitch - 1.25 * module, pitch + module, 0.5 * NC_PI * module - values[4],
                               (int)values[5]);
    if (!(values[4] < module) || !teeth_are_sound(&t))
        return bad_teeth(count, module, err);
    if (!(bore < 0.95 * t.root))
        return nc_fail(err, NC_BAD_ARGUMENT, "the bore of a gear (radius %g m) must lie well inside its roots (%g m)",
                       bore, t.root);
    nc_shape_outline outline = nc_shape_outline_begin(builder);
    teeth_loop(&outline, &t, -1, 1);
    if (bore > 0) {
        nc_shape_loop_begin(&outline, 0);
        nc_shape_arc(&outline, 0, 0, bore, turn, segments, segments);
    }
    nc_shape_extrude(builder, &outline, values[2]);
    return NC_OK;
}

// The space between two teeth of a ring is a tooth of a gear with as many, `gap` wider.
nc_code nc_shape_build_ring_gear(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const int count = (int)values[0];
    const double module = values[1], pitch = 0.5 * module * count, turn[2] = {0, 2 * NC_PI};
    const teeth t = make_teeth(count, module, pitch - module, pitch + 1.25 * module, 0.5 * NC_PI * module + values[4],
                               (int)values[5]);
    if (!(values[4] < module) || !teeth_are_sound(&t))
        return bad_teeth(count, module, err);
    nc_shape_outline outline = nc_shape_outline_begin(builder);
    nc_shape_loop_begin(&outline, -1);
    nc_shape_arc(&outline, 0, 0, t.tip + values[3], turn, 2 * count, 2 * count);
    teeth_loop(&outline, &t, 0, -1);
    nc_shape_extrude(builder, &outline, values[2]);
    return NC_OK;
}
