// Exact intersection of points, segments and triangles, by signs of determinants alone.
//
// First each simplex is reduced to what it is: a triangle whose corners lie on a line becomes the segment between the
// extreme ones, a segment of no length a point. What is left is in general position with itself, and each pair of
// kinds has a short exact test. Touching counts.
#include "geom/geom.h"

// A simplex that is not degenerate. `drop` (triangles): a coordinate plane onto which it projects as a triangle.
typedef struct simplex {
    nc_vec3 v[3];
    int corners;
    int drop;
} simplex;

static bool same(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Lexicographic order. Along any line it is the order of the points on it, one way or the other.
static bool before(nc_vec3 a, nc_vec3 b)
{
    if (a.x != b.x)
        return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

// A coordinate to drop such that the projected triangle has an area, or -1 when a, b, c are on a line.
static int projection_of(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    for (int drop = 0; drop < 3; drop++)
        if (nc_orient2d(a, b, c, drop) != 0)
            return drop;
    return -1;
}

static bool on_line(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    return projection_of(a, b, c) < 0;
}

static simplex reduce_segment(nc_vec3 a, nc_vec3 b)
{
    simplex s = {{a, b, b}, same(a, b) ? 1 : 2, -1};
    return s;
}

static simplex reduce(const nc_vec3 *v, int corners)
{
    if (corners == 1)
        return reduce_segment(v[0], v[0]);
    if (corners == 2)
        return reduce_segment(v[0], v[1]);
    const int drop = projection_of(v[0], v[1], v[2]);
    if (drop >= 0) {
        const simplex s = {{v[0], v[1], v[2]}, 3, drop};
        return s;
    }
    nc_vec3 low = v[0], high = v[0];
    for (int i = 1; i < 3; i++) {
        low = before(v[i], low) ? v[i] : low;
        high = before(high, v[i]) ? v[i] : high;
    }
    return reduce_segment(low, high);
}

// ---- pairs of kinds; arguments are reduced ------------------------------------------------------------------

// p is on the line of a and b: is it between them?
static bool between(nc_vec3 p, nc_vec3 a, nc_vec3 b)
{
    return before(a, b) ? !before(p, a) && !before(b, p) : !before(p, b) && !before(a, p);
}

static bool point_segment(nc_vec3 p, nc_vec3 a, nc_vec3 b)
{
    return on_line(p, a, b) && between(p, a, b);
}

// In the triangle's plane: p is inside or on the rim.
static bool point_in_triangle(nc_vec3 p, const simplex *t)
{
    int least = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        const int side = nc_orient2d(t->v[i], t->v[(i + 1) % 3], p, t->drop);
        least = side < least ? side : least;
        most = side > most ? side : most;
    }
    return least == 0 || most == 0;
}

static bool point_triangle(nc_vec3 p, const simplex *t)
{
    return nc_orient3d(t->v[0], t->v[1], t->v[2], p) == 0 && point_in_triangle(p, t);
}

// Segments in one plane that projects well when `drop` is dropped, and not all on one line: they share a point when
// neither lies strictly on one side of the other's line.
static bool segments_in_plane(nc_vec3 a, nc_vec3 b, nc_vec3 c, nc_vec3 d, int drop)
{
    return nc_orient2d(a, b, c, drop) * nc_orient2d(a, b, d, drop) <= 0 &&
           nc_orient2d(c, d, a, drop) * nc_orient2d(c, d, b, drop) <= 0;
}

static bool segments_on_line(nc_vec3 a, nc_vec3 b, nc_vec3 c, nc_vec3 d)
{
    return between(a, c, d) || between(b, c, d) || between(c, a, b);
}

static bool segment_segment(nc_vec3 a, nc_vec3 b, nc_vec3 c, nc_vec3 d)
{
    if (nc_orient3d(a, b, c, d) != 0)
        return false;
    int drop = projection_of(a, b, c);
    if (drop < 0)
        drop = projection_of(a, b, d);
    return drop < 0 ? segments_on_line(a, b, c, d) : segments_in_plane(a, b, c, d, drop);
}

// Segment and triangle in one plane.
static bool segment_triangle_in_plane(nc_vec3 a, nc_vec3 b, const simplex *t)
{
    if (point_in_triangle(a, t))
        return true;
    for (int i = 0; i < 3; i++)
        if (segment_segment(a, b, t->v[i], t->v[(i + 1) % 3]))
            return true;
    return false;
}

// side_a and side_b say on which side of the triangle's plane a and b are.
static bool segment_triangle(nc_vec3 a, nc_vec3 b, int side_a, int side_b, const simplex *t)
{
    if (side_a * side_b > 0)
        return false;
    if (side_a == 0 && side_b == 0)
        return segment_triangle_in_plane(a, b, t);
    // The line meets the plane in one point, within the segment. It is in the triangle when the line passes all
    // three sides the same way round.
    int least = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        const int turn = nc_orient3d(a, b, t->v[i], t->v[(i + 1) % 3]);
        least = turn < least ? turn : least;
        most = turn > most ? turn : most;
        if (least < 0 && most > 0)
            return false;
    }
    return true;
}

static void sides_of_plane(const simplex *of, const simplex *t, int side[3])
{
    for (int i = 0; i < of->corners; i++)
        side[i] = nc_orient3d(t->v[0], t->v[1], t->v[2], of->v[i]);
}

static bool all_on_one_side(const int side[3])
{
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

static bool some_side_intersects(const simplex *a, const int side[3], const simplex *b)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        if (segment_triangle(a->v[i], a->v[j], side[i], side[j], b))
            return true;
    }
    return false;
}

// If two triangles share a point, a side of one of them meets the other: what they share is convex, and its extreme
// points are corners, or points where a side passes through.
static bool triangle_triangle(const simplex *a, const simplex *b)
{
    int side_a[3], side_b[3];
    sides_of_plane(a, b, side_a);
    if (all_on_one_side(side_a))
        return false;
    sides_of_plane(b, a, side_b);
    if (all_on_one_side(side_b))
        return false;
    return some_side_intersects(a, side_a, b) || some_side_intersects(b, side_b, a);
}

// a has at most as many corners as b.
static bool ordered_pair(const simplex *a, const simplex *b)
{
    if (a->corners == 3)
        return triangle_triangle(a, b);
    if (a->corners == 2 && b->corners == 2)
        return segment_segment(a->v[0], a->v[1], b->v[0], b->v[1]);
    if (a->corners == 2) {
        int side[3];
        sides_of_plane(a, b, side);
        return segment_triangle(a->v[0], a->v[1], side[0], side[1], b);
    }
    if (b->corners == 3)
        return point_triangle(a->v[0], b);
    if (b->corners == 2)
        return point_segment(a->v[0], b->v[0], b->v[1]);
    return same(a->v[0], b->v[0]);
}

bool nc_simplex_intersect(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b)
{
    const simplex sa = reduce(a, corners_a), sb = reduce(b, corners_b);
    return sa.corners <= sb.corners ? ordered_pair(&sa, &sb) : ordered_pair(&sb, &sa);
}
