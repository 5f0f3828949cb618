// The cap of a cut: loops of new vertices in a plane, into triangles.
//
// Seen against the plane's normal, loops around matter run counterclockwise and loops around holes clockwise. A hole is
// joined to the loop around it by two edges there and back, and what is one loop then is cut into triangles. Whatever
// the loops are, each of their edges is in exactly one triangle, so a closed mesh stays closed; whether the triangles
// cover the section once is measured: together they must not be larger than what the loops enclose.
#include "fracture/cut.h"

// ---- the plane ----------------------------------------------------------------------------------------------

// Two coordinates of a place, so that a turn from the first to the second is counterclockwise about the normal.
typedef struct flat {
    int axis[2];
} flat;

static double coordinate(nc_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static flat flatten(nc_vec3 normal)
{
    const double size[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    const int drop = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2);
    const flat f = {{(drop + 1) % 3, (drop + 2) % 3}};
    const flat turned = {{f.axis[1], f.axis[0]}};
    return coordinate(normal, drop) > 0 ? f : turned;
}

static nc_vec3 at(const nc_cutter *c, int vertex)
{
    return c->out.vertices.data[vertex];
}

// ---- loops --------------------------------------------------------------------------------------------------

static double area_of(const nc_cutter *c, const int *ring, int count, nc_vec3 normal)
{
    nc_vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        sum = nc_add(sum, nc_cross(nc_sub(at(c, ring[i]), at(c, ring[0])), nc_sub(at(c, ring[i + 1]), at(c, ring[0]))));
    return 0.5 * nc_dot(normal, sum);
}

// Follows the links into loops. A loop of two vertices encloses nothing: its two edges are each other's.
static bool find_loops(nc_cutter *c, int first)
{
    c->ring.count = c->loops.count = 0;
    for (int i = 0; i < c->link.count; i++) {
        nc_cut_loop loop = {.first = c->ring.count, .outer = c->loops.count};
        for (int k = i; k >= 0 && k < c->link.count && c->link.data[k] >= 0;) {
            const int next = c->link.data[k] - first;
            if (!nc_array_push(&c->allocator, &c->ring, first + k))
                return false;
            c->link.data[k] = -1;
            k = next;
        }
        loop.count = c->ring.count - loop.first;
        if (loop.count < 3) {
            c->ring.count = loop.first;
            continue;
        }
        if (!nc_array_push(&c->allocator, &c->loops, loop))
            return false;
    }
    return true;
}

static bool is_around(const nc_cutter *c, const nc_cut_loop *loop, nc_vec3 p, flat f)
{
    const double x = coordinate(p, f.axis[0]), y = coordinate(p, f.axis[1]);
    bool inside = false;
    for (int i = 0; i < loop->count; i++) {
        const nc_vec3 a = at(c, c->ring.data[loop->first + i]);
        const nc_vec3 b = at(c, c->ring.data[loop->first + (i + 1) % loop->count]);
        const double ay = coordinate(a, f.axis[1]), by = coordinate(b, f.axis[1]);
        if ((ay <= y) == (by <= y))
            continue;
        const double ax = coordinate(a, f.axis[0]), bx = coordinate(b, f.axis[0]);
        inside ^= x < ax + (y - ay) / (by - ay) * (bx - ax);
    }
    return inside;
}

// Gives every hole the smallest loop around it; one without stays by itself.
static void place_holes(nc_cutter *c, flat f)
{
    for (int h = 0; h < c->loops.count; h++) {
        nc_cut_loop *hole = &c->loops.data[h];
        if (hole->area > 0)
            continue;
        hole->far = 0;
        for (int i = 1; i < hole->count; i++)
            if (coordinate(at(c, c->ring.data[hole->first + i]), f.axis[0]) >
                coordinate(at(c, c->ring.data[hole->first + hole->far]), f.axis[0]))
                hole->far = i;
        double least = INFINITY;
        for (int o = 0; o < c->loops.count; o++) {
            const nc_cut_loop *loop = &c->loops.data[o];
            if (loop->area > -hole->area && loop->area < least &&
                is_around(c, loop, at(c, c->ring.data[hole->first + hole->far]), f)) {
                least = loop->area;
                hole->outer = o;
            }
        }
    }
}

// ---- joining a hole to the loop around it -------------------------------------------------------------------

static double turn(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static void flat_at(const nc_cutter *c, int vertex, flat f, double out[2])
{
    out[0] = coordinate(at(c, vertex), f.axis[0]);
    out[1] = coordinate(at(c, vertex), f.axis[1]);
}

// Where the ray from m along the first axis first meets the polygon: the row of the side's farther end, -1 for none.
static int intersect_polygon(const nc_cutter *c, const double m[2], flat f, double *out_x)
{
    int best = -1;
    *out_x = INFINITY;
    for (int i = 0; i < c->polygon.count; i++) {
        const int j = (i + 1) % c->polygon.count;
        double a[2], b[2];
        flat_at(c, c->polygon.data[i], f, a);
        flat_at(c, c->polygon.data[j], f, b);
        if ((a[1] <= m[1]) == (b[1] <= m[1]))
            continue;
        const double x = a[0] + (m[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        if (x >= m[0] && x < *out_x) {
            *out_x = x;
            best = a[0] > b[0] ? i : j;
        }
    }
    return best;
}

// The row of the polygon that sees the place m of a hole: -1 when there is none (Eberly, Triangulation by Ear
// Clipping).
static int visible_corner(const nc_cutter *c, const double m[2], flat f)
{
    double meet[2] = {0, m[1]}, p[2];
    int best = intersect_polygon(c, m, f, &meet[0]);
    if (best < 0)
        return -1;
    flat_at(c, c->polygon.data[best], f, p);
    const double way = p[1] > m[1] ? 1 : -1; // m, meet, p turn this way
    double steepest = fabs(p[1] - m[1]) / fmax(p[0] - m[0], 0x1p-1000);
    for (int i = 0; i < c->polygon.count; i++) {
        double q[2];
        flat_at(c, c->polygon.data[i], f, q);
        if (!(q[0] > m[0]) || (q[0] == p[0] && q[1] == p[1]) || way * turn(m, meet, q) < 0 ||
            way * turn(meet, p, q) < 0 || way * turn(p, m, q) < 0)
            continue;
        const double slope = fabs(q[1] - m[1]) / (q[0] - m[0]);
        if (slope < steepest) {
            steepest = slope;
            best = i;
        }
    }
    return best;
}

static bool join_hole(nc_cutter *c, const nc_cut_loop *hole, flat f)
{
    double m[2];
    flat_at(c, c->ring.data[hole->first + hole->far], f, m);
    int corner = visible_corner(c, m, f);
    c->bad |= corner < 0;
    corner = corner < 0 ? 0 : corner;
    c->merged.count = 0;
    for (int i = 0; i < c->polygon.count; i++) {
        if (!nc_array_push(&c->allocator, &c->merged, c->polygon.data[i]))
            return false;
        for (int k = 0; i == corner && k <= hole->count; k++)
            if (!nc_array_push(&c->allocator, &c->merged, c->ring.data[hole->first + (hole->far + k) % hole->count]))
                return false;
        if (i == corner && !nc_array_push(&c->allocator, &c->merged, c->polygon.data[i]))
            return false;
    }
    if (!nc_array_reserve(&c->allocator, &c->polygon, c->merged.count))
        return false;
    c->polygon.count = c->merged.count;
    for (int i = 0; i < c->merged.count; i++)
        c->polygon.data[i] = c->merged.data[i];
    return true;
}

// The hole of a loop that comes next, from the far end of the first axis inwards; -1: none is left.
static int next_hole(const nc_cutter *c, int outer, int before, flat f)
{
    int best = -1;
    double best_x = -INFINITY, limit = INFINITY;
    if (before >= 0)
        limit = coordinate(at(c, c->ring.data[c->loops.data[before].first + c->loops.data[before].far]), f.axis[0]);
    for (int h = 0; h < c->loops.count; h++) {
        const nc_cut_loop *hole = &c->loops.data[h];
        if (hole->outer != outer || h == outer)
            continue;
        const double x = coordinate(at(c, c->ring.data[hole->first + hole->far]), f.axis[0]);
        const bool later = x < limit || (x == limit && h > before);
        if (later && (x > best_x || best < 0)) {
            best_x = x;
            best = h;
        }
    }
    return best;
}

// ---- triangles ----------------------------------------------------------------------------------------------

// Takes out corners that are where the next one is, as triangles without area: ears cannot be told beside them.
static bool drop_twins(nc_cutter *c, int plane)
{
    int kept = 0;
    for (int i = 0; i < c->polygon.count; i++) {
        const int here = c->polygon.data[i], next = c->polygon.data[(i + 1) % c->polygon.count];
        const bool twin = nc_max3(nc_sub(at(c, here), at(c, next))) <= c->on_plane;
        // the last corners stay, whatever they are
        if (!twin || here == next || kept + c->polygon.count - i <= 3) {
            c->polygon.data[kept++] = here;
            continue;
        }
        const int before = kept > 0 ? c->polygon.data[kept - 1] : c->polygon.data[c->polygon.count - 1];
        const nc_cut_triangle t = {{before, here, next}, plane};
        if (before != next && !nc_array_push(&c->allocator, &c->out.triangles, t))
            return false;
    }
    c->polygon.count = kept;
    return true;
}

// Twice the area of the triangle of three corners of the polygon.
static double corner_area(const nc_cutter *c, int i, int j, int k, nc_vec3 normal)
{
    const nc_vec3 p = c->corners.data[j];
    return nc_dot(normal, nc_cross(nc_sub(p, c->corners.data[i]), nc_sub(c->corners.data[k], p)));
}

// Whether the polygon turns left at every corner but for rounding, and around once: then it is convex.
static bool is_convex(const nc_cutter *c, nc_vec3 normal, double least)
{
    const int count = c->polygon.count;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (corner_area(c, i, (i + 1) % count, (i + 2) % count, normal) < -least)
            return false;
        sum += corner_area(c, 0, i, (i + 1) % count, normal);
        if (corner_area(c, 0, i, (i + 1) % count, normal) < -least)
            return false;
    }
    return sum > 0;
}

// Of a convex polygon every corner that is not straight is an ear: one after the other, around and around.
static void clip_convex(nc_cutter *c, nc_vec3 normal, double least, int (*ears)[3])
{
    int *next = c->scratch.data, at = 0, stuck = 0;
    for (int i = 0; i < c->polygon.count; i++)
        next[i] = (i + 1) % c->polygon.count;
    for (int left = c->polygon.count, k = 0; left > 2;) {
        const int tip = next[at], end = next[tip];
        // corners that are straight wait, unless all are
        if (left > 3 && stuck <= left && corner_area(c, at, tip, end, normal) <= least) {
            at = tip;
            stuck++;
            continue;
        }
        ears[k][0] = at;
        ears[k][1] = tip;
        ears[k++][2] = end;
        next[at] = end;
        at = end;
        left--;
        stuck = 0;
    }
}

// The polygon into triangles, and whether they cover it once.
static bool fill_polygon(nc_cutter *c, nc_vec3 normal, int plane)
{
    if (!drop_twins(c, plane))
        return false;
    const int count = c->polygon.count;
    if (!nc_array_reserve(&c->allocator, &c->corners, count) ||
        !nc_array_reserve(&c->allocator, &c->scratch, NC_POLYGON_SCRATCH(count) + 3 * count))
        return false;
    nc_box box = nc_box_empty();
    for (int i = 0; i < count; i++) {
        c->corners.data[i] = at(c, c->polygon.data[i]);
        box = nc_box_add(box, c->corners.data[i]);
    }
    int(*ears)[3] = (int(*)[3])(void *)(c->scratch.data + NC_POLYGON_SCRATCH(count));
    const nc_vec3 extent = nc_sub(box.hi, box.lo);
    const double least = 1e-14 * nc_norm2(extent);
    if (is_convex(c, normal, least))
        clip_convex(c, normal, least, ears);
    else
        nc_polygon_triangulate(c->corners.data, count, ears, c->scratch.data);
    double sum = 0, size = 0;
    for (int i = 0; i < count - 2; i++) {
        const nc_cut_triangle t = {
            {c->polygon.data[ears[i][0]], c->polygon.data[ears[i][1]], c->polygon.data[ears[i][2]]}, plane};
        if (t.v[0] == t.v[1] || t.v[1] == t.v[2] || t.v[2] == t.v[0])
            continue; // there and back along an edge that joins a hole
        const double area = area_of(c, t.v, 3, normal);
        sum += area;
        size += fabs(area);
        if (!nc_array_push(&c->allocator, &c->out.triangles, t))
            return false;
    }
    c->bad |= size > fabs(sum) * (1 + c->overlap) + 1e-12 * nc_norm2(extent);
    return true;
}

static bool fill_loop(nc_cutter *c, int l, nc_vec3 normal, flat f, int plane)
{
    const nc_cut_loop *loop = &c->loops.data[l];
    c->polygon.count = 0;
    for (int i = 0; i < loop->count; i++)
        if (!nc_array_push(&c->allocator, &c->polygon, c->ring.data[loop->first + i]))
            return false;
    for (int h = next_hole(c, l, -1, f); h >= 0; h = next_hole(c, l, h, f))
        if (!join_hole(c, &c->loops.data[h], f))
            return false;
    return fill_polygon(c, normal, plane);
}

bool nc_cut_fill(nc_cutter *c, nc_vec3 normal, int plane)
{
    const flat f = flatten(normal);
    for (int l = 0; l < c->loops.count; l++)
        c->loops.data[l].area = area_of(c, c->ring.data + c->loops.data[l].first, c->loops.data[l].count, normal);
    if (c->loops.count > 1)
        place_holes(c, f);
    for (int l = 0; l < c->loops.count; l++)
        if (c->loops.data[l].outer == l && !fill_loop(c, l, normal, f, plane))
            return false;
    return true;
}

bool nc_cut_cap(nc_cutter *c, int first, const nc_plane *half_space, int plane)
{
    return find_loops(c, first) && nc_cut_fill(c, half_space->normal, plane);
}
