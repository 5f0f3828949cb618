// A sprocket for a block chain: a flat for every block of the chain, a tooth between two of them.
#include "geom/shape.h"

#define TIP_WIDTH  0.5 // [1] of the tooth's width, where it ends
#define TIP_HEIGHT 0.1 // [pitch] of the tapered end above the pitch circle

// Blocks have round ends of diameter `width` about their two holes, `pitch` apart; so far from each other are also
// the holes of two blocks. All holes lie on the pitch circle.
nc_code nc_shape_build_sprocket(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const int teeth = (int)values[0], segments = (int)values[6];
    const double pitch = values[1], width = values[2], gap = values[4], bore = values[5], turn[2] = {0, -2 * NC_PI};
    double sine, cosine, side, up;
    nc_sincos(0.5 * NC_PI / teeth, &sine, &cosine); // half of the angle of a link
    nc_sincos(NC_PI / teeth, &side, &up);           // half of the angle of a tooth and a flat
    const double circle = 0.5 * pitch / sine, flat = circle * cosine - 0.5 * width - gap;
    const double half = 0.5 * (pitch - width) - gap; // of a tooth, across its axis
    // where the tooth's side leaves the flat: along the flat, and from there along the tooth's axis
    const double foot = flat * side / up - half / up;
    if (!(half > 0) || !(foot > 0) || !(bore < 0.9 * flat))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "%d teeth, blocks of %g m, gap %g m and bore %g m make no sprocket of pitch %g m", teeth, width,
                       gap, bore, pitch);
    nc_shape_outline outline = nc_shape_outline_begin(builder);
    nc_shape_loop_begin(&outline, -1);
    for (int i = 0; i < teeth; i++) { // a flat, then the tooth after it
        double s, c, ts, tc;
        nc_sincos(2 * NC_PI * i / teeth, &s, &c);
        nc_sincos(2 * NC_PI * (i + 0.5) / teeth, &ts, &tc);
        nc_shape_corner(&outline, flat * c + foot * s, flat * s - foot * c);
        nc_shape_corner(&outline, flat * c, flat * s); // seen from the bore
        nc_shape_corner(&outline, flat * c - foot * s, flat * s + foot * c);
        const double radius[4] = {circle, circle + TIP_HEIGHT * pitch, circle + TIP_HEIGHT * pitch, circle};
        const double off[4] = {-half, -TIP_WIDTH * half, TIP_WIDTH * half, half};
        for (int k = 0; k < 4; k++)
            nc_shape_corner(&outline, radius[k] * tc - off[k] * ts, radius[k] * ts + off[k] * tc);
    }
    if (bore > 0) {
        nc_shape_loop_begin(&outline, 1);
        nc_shape_arc(&outline, 0, 0, bore, turn, segments, segments);
    }
    nc_shape_extrude(builder, &outline, values[3]);
    return NC_OK;
}
