// A small boat: an open hull with a pointed bow (+x), a rounded bottom, a flat transom, and a thwart to sit on.
//
// The hull is a net of stations (from transom to bow) by strips (from the starboard rail under the keel to the port
// rail). At the bow the two sides meet in the stem.
#include "geom/shape.h"

struct boat {
    double length, beam, depth; // [m]
    int stations, strips;       // intervals along the boat, and on each side
};

// Half the breadth at the rail: full amidships, narrower at the transom, zero at the bow.
static double rail_breadth(const struct boat *boat, double s)
{
    const double aft = 1 - 0.28 * (1 - s) * (1 - s), fore = 1 - s * s * s;
    return 0.5 * boat->beam * aft * fore * 1.185;
}

// The height of the keel: flat, and rising towards the bow.
static double keel_height(const struct boat *boat, double s)
{
    return boat->depth * (0.04 * (1 - s) * (1 - s) + 0.22 * s * s * s * s);
}

// The height of the rail: lowest a little aft of the middle, highest at the bow.
static double rail_height(const struct boat *boat, double s)
{
    const double d = s - 0.35;
    return boat->depth * (0.8 + 0.48 * d * d);
}

// A point of the hull: s runs from transom (0) to bow (1), t from keel (0) to rail (1).
static nc_vec3 hull_point(const struct boat *boat, double s, double t)
{
    double sine, cosine;
    nc_sincos(0.5 * NC_PI * t, &sine, &cosine);
    // round amidships, V-shaped towards the bow
    const double vee = s * s;
    const double out = (1 - vee) * sine + vee * t, up = (1 - vee) * (1 - cosine) + vee * t;
    const double keel = keel_height(boat, s), rail = rail_height(boat, s);
    // the stem leans forward and the transom aft
    const double lean = (0.10 * s * s - 0.04 * (1 - s) * (1 - s)) * (1 - up);
    return nc_v3(boat->length * (s - lean), keel + up * (rail - keel), rail_breadth(boat, s) * out);
}

// Rows of 2 strips + 1 vertices, starboard rail (+z) first; the last row, the stem, has strips + 1 from rail to keel.
static int hull_vertex(const struct boat *boat, int station, int column)
{
    const int first = station * (2 * boat->strips + 1);
    if (station == boat->stations && column > boat->strips)
        column = 2 * boat->strips - column;
    return first + column;
}

static void add_hull_vertices(nc_shape_builder *builder, const struct boat *boat)
{
    for (int i = 0; i <= boat->stations; i++) {
        const int columns = i == boat->stations ? boat->strips : 2 * boat->strips;
        for (int j = 0; j <= columns; j++) {
            const int from_keel = j <= boat->strips ? boat->strips - j : j - boat->strips;
            nc_vec3 p = hull_point(boat, (double)i / boat->stations, (double)from_keel / boat->strips);
            if (i == boat->stations || from_keel == 0)
                p.z = 0;
            nc_shape_vertex(builder, j > boat->strips ? nc_v3(p.x, p.y, -p.z) : p);
        }
    }
}

// Front outside. The diagonals of the two sides mirror each other.
static void add_planking(nc_shape_builder *builder, const struct boat *boat)
{
    for (int i = 0; i < boat->stations; i++) {
        for (int j = 0; j < 2 * boat->strips; j++) {
            const int a = hull_vertex(boat, i, j), b = hull_vertex(boat, i, j + 1);
            const int c = hull_vertex(boat, i + 1, j + 1), d = hull_vertex(boat, i + 1, j);
            if (j < boat->strips)
                nc_shape_quad(builder, a, b, c, d);
            else
                nc_shape_quad(builder, b, c, d, a);
        }
    }
}

static void add_transom(nc_shape_builder *builder, const struct boat *boat)
{
    for (int low = 0, high = 2 * boat->strips; high - low >= 2; low++, high--) {
        if (high - low == 2) {
            nc_shape_triangle(builder, low, high, low + 1);
            return;
        }
        nc_shape_quad(builder, low, high, high - 1, low + 1);
    }
}

// A plank across the boat from side to side, just aft of the middle, on the first strip's lower edge.
static void add_thwart(nc_shape_builder *builder, const struct boat *boat)
{
    const int station = (2 * boat->stations) / 5 > 0 ? (2 * boat->stations) / 5 : 1, port = 2 * boat->strips - 1;
    nc_shape_quad(builder, hull_vertex(boat, station, 1), hull_vertex(boat, station + 1, 1),
                  hull_vertex(boat, station + 1, port), hull_vertex(boat, station, port));
}

nc_code nc_shape_build_boat(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const struct boat boat = {.length = values[0],
                              .beam = values[0] * values[1],
                              .depth = values[0] * values[2],
                              .stations = (int)values[4],
                              .strips = (int)values[5]};
    add_hull_vertices(builder, &boat);
    add_planking(builder, &boat);
    add_transom(builder, &boat);
    if (values[3] > 0)
        add_thwart(builder, &boat);
    nc_shape_center(builder);
    return NC_OK;
}
