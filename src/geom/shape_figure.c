// Shapes of figures: an animal with thin legs, and letters in a plane.
#include "geom/shape.h"

// ---- cow: a body turned about the x axis; legs, tail and horns drawn out of single faces ------------------------

#define SIDES    8 // corners of a ring; face k is in the direction 45 k degrees from +y towards +z
#define STATIONS 13

// Along x and away from the axis, as parts of the length; the first and the last are poles.
static const double cow_profile[STATIONS][2] = {
    {-0.44, 0},   {-0.42, 0.09}, {-0.35, 0.16}, {-0.25, 0.19}, {-0.1, 0.2},  {0.05, 0.19}, {0.15, 0.17},
    {0.24, 0.12}, {0.32, 0.08},  {0.38, 0.095}, {0.46, 0.08},  {0.5, 0.045}, {0.52, 0},
};

typedef struct cow {
    double length;      // [m]
    double leg, tail;   // [1] of the length
    int ring[STATIONS]; // first vertex of each station
} cow;

static void add_ring(nc_shape_builder *builder, cow *c, int station)
{
    const double x = c->length * cow_profile[station][0], r = c->length * cow_profile[station][1];
    c->ring[station] = builder->vertices.count;
    if (r == 0) {
        nc_shape_vertex(builder, nc_v3(x, 0, 0));
        return;
    }
    for (int k = 0; k < SIDES; k++) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * (k - 0.5) / SIDES, &sine, &cosine);
        nc_shape_vertex(builder, nc_v3(x, r * cosine, r * sine));
    }
}

// The corners of face k between two rings, counterclockwise seen from outside.
static void face_corners(const cow *c, int station, int k, int out[4])
{
    const int next = (k + 1) % SIDES;
    out[0] = c->ring[station] + k;
    out[1] = c->ring[station] + next;
    out[2] = c->ring[station + 1] + next;
    out[3] = c->ring[station + 1] + k;
}

// Draws a face out to a smaller one of its kind: `part` of its size about `tip` [m].
static void draw_out(nc_shape_builder *builder, const int corners[4], nc_vec3 tip, double part)
{
    nc_vec3 middle = {0, 0, 0};
    int end[4];
    for (int i = 0; i < 4 && !builder->failed; i++)
        middle = nc_madd(middle, 0.25, builder->vertices.data[corners[i]]);
    for (int i = 0; i < 4 && !builder->failed; i++)
        end[i] = nc_shape_vertex(builder, nc_madd(tip, part, nc_sub(builder->vertices.data[corners[i]], middle)));
    for (int i = 0; i < 4 && !builder->failed; i++)
        nc_shape_quad(builder, corners[i], corners[(i + 1) % 4], end[(i + 1) % 4], end[i]);
    if (!builder->failed)
        nc_shape_quad(builder, end[0], end[1], end[2], end[3]);
}

// Where the face between `station` and the next one, in direction k, is drawn out to, and how thin. False: it stays.
static bool limb_of(const cow *c, int station, int k, nc_vec3 *tip, double *part)
{
    const double side = k == 3 || k == 1 ? 1 : -1, x = 0.5 * (cow_profile[station][0] + cow_profile[station + 1][0]);
    if ((station == 2 || station == 5) && (k == 3 || k == 5)) { // legs
        *tip = nc_v3(x, -c->leg, 0.13 * side);
        *part = 0.35;
    } else if (station == 1 && k == 0) { // tail
        *tip = nc_v3(-0.44 - 0.5 * c->tail, 0.1 - 0.7 * c->tail, 0);
        *part = 0.15;
    } else if (station == 9 && (k == 1 || k == 7)) { // horns
        *tip = nc_v3(x + 0.02, 0.2, 0.12 * side);
        *part = 0.1;
    } else {
        return false;
    }
    *tip = nc_scale(c->length, *tip);
    return true;
}

static void add_strip(nc_shape_builder *builder, const cow *c, int station)
{
    for (int k = 0; k < SIDES; k++) {
        int corners[4];
        nc_vec3 tip;
        double part;
        face_corners(c, station, k, corners);
        if (limb_of(c, station, k, &tip, &part))
            draw_out(builder, corners, tip, part);
        else
            nc_shape_quad(builder, corners[0], corners[1], corners[2], corners[3]);
    }
}

nc_code nc_shape_build_cow(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    cow c = {.length = values[0], .leg = values[1], .tail = values[2]};
    for (int s = 0; s < STATIONS; s++)
        add_ring(builder, &c, s);
    for (int s = 1; s + 2 < STATIONS; s++)
        add_strip(builder, &c, s);
    const int rear = c.ring[1], front = c.ring[STATIONS - 2];
    for (int k = 0; k < SIDES; k++) {
        const int next = (k + 1) % SIDES;
        nc_shape_triangle(builder, c.ring[0], rear + next, rear + k);
        nc_shape_triangle(builder, c.ring[STATIONS - 1], front + k, front + next);
    }
    return NC_OK;
}

// ---- letters: cells at one of two heights, and walls between them -------------------------------------------------

#define ROWS    11 // of cells, along z: 7 of a letter and a margin of 2
#define COLUMNS 33 // along x: 5 letters of 5, a column between them, a margin of 2

// N A C R E, a row of five bits after another from the top.
static const unsigned char letters[5][7] = {
    {0x11, 0x19, 0x15, 0x15, 0x13, 0x11, 0x11}, {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11},
    {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}, {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11},
    {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f},
};

static bool is_engraved(int column, int row)
{
    const int x = column - 2, y = row - 2;
    if (x < 0 || y < 0 || y >= 7 || x >= 29 || x % 6 == 5)
        return false;
    return (letters[x / 6][y] >> (4 - x % 6) & 1) != 0;
}

// Vertices of the grid, a layer at y = 0 and one at the bottom of the letters; made when they are used.
typedef struct engraving {
    double cell, groove;                       // [m]
    int vertex[2][(COLUMNS + 1) * (ROWS + 1)]; // index + 1; 0: not yet
} engraving;

static int grid_vertex(nc_shape_builder *builder, engraving *e, int column, int row, int low)
{
    int *slot = &e->vertex[low][row * (COLUMNS + 1) + column];
    if (*slot == 0)
        *slot = 1 + nc_shape_vertex(builder, nc_v3(e->cell * (column - 0.5 * COLUMNS), low ? -e->groove : 0,
                                                   e->cell * (row - 0.5 * ROWS)));
    return *slot - 1;
}

// The wall over the line between two cells, from grid point (c0, r0) to (c1, r1), front on the right of that way.
static void add_wall(nc_shape_builder *builder, engraving *e, int c0, int r0, int c1, int r1)
{
    nc_shape_quad(builder, grid_vertex(builder, e, c0, r0, 1), grid_vertex(builder, e, c1, r1, 1),
                  grid_vertex(builder, e, c1, r1, 0), grid_vertex(builder, e, c0, r0, 0));
}

nc_code nc_shape_build_letters(nc_shape_builder *builder, const double *values, nc_error *err)
{
    engraving *e = nc_alloc(&builder->allocator, 1, sizeof *e);
    if (e == NULL)
        return nc_fail_memory(err, sizeof *e);
    e->cell = values[0] / COLUMNS;
    e->groove = values[1];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            const int low = is_engraved(c, r);
            nc_shape_quad(builder, grid_vertex(builder, e, c, r, low), grid_vertex(builder, e, c, r + 1, low),
                          grid_vertex(builder, e, c + 1, r + 1, low), grid_vertex(builder, e, c + 1, r, low));
            // Walls stand where a cell is engraved and its neighbour is not, and look into the letter.
            if (low && !is_engraved(c - 1, r))
                add_wall(builder, e, c, r + 1, c, r);
            if (low && !is_engraved(c + 1, r))
                add_wall(builder, e, c + 1, r, c + 1, r + 1);
            if (low && !is_engraved(c, r - 1))
                add_wall(builder, e, c, r, c + 1, r);
            if (low && !is_engraved(c, r + 1))
                add_wall(builder, e, c + 1, r + 1, c, r + 1);
        }
    nc_free(&builder->allocator, e, 1, sizeof *e);
    return NC_OK;
}
