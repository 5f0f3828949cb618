// Polygons into triangles, by ear clipping.
//
// The polygon is seen along the axis in which its normal (Newell's) is largest; every side-of-line question is
// answered exactly. A simple polygon, concave or not, gives triangles that cover it once. A polygon that crosses
// itself has no right answer: when no ear is left, the rest becomes a fan.
#include "geom/geom.h"

// A polygon that is being cut: a ring of the corners that are left.
struct ring {
    const nc_vec3 *corners;
    int drop; // the coordinate not examined
    int turn; // the sign of orient2d at a convex corner
    int *next, *previous;
    int *convex; // 1: convex, 0: reflex or straight, as of now
    int *ear;    // 1: may be an ear; 0: was none when last examined
};

// Newell's normal: right for concave polygons, and the best fit for those that are not flat.
static nc_vec3 newell_normal(const nc_vec3 *corners, int count)
{
    nc_vec3 normal = nc_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        // relative to one corner, so that a small polygon far from the origin keeps its digits
        const nc_vec3 a = nc_sub(corners[i], corners[0]);
        const nc_vec3 b = nc_sub(corners[(i + 1) % count], corners[0]);
        normal = nc_add(normal, nc_cross(a, b));
    }
    return normal;
}

static int largest_coordinate(nc_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
}

static int side(const struct ring *ring, int a, int b, int c)
{
    return ring->turn * nc_orient2d(ring->corners[a], ring->corners[b], ring->corners[c], ring->drop);
}

static bool is_same(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void update_convex(struct ring *ring, int i)
{
    ring->convex[i] = side(ring, ring->previous[i], i, ring->next[i]) > 0;
    ring->ear[i] = 1;
}

// Corner i is an ear when it is convex and no other corner lies in its triangle. Only corners that are not convex
// need to be examined.
static bool is_ear(const struct ring *ring, int i)
{
    if (!ring->convex[i])
        return false;
    const int a = ring->previous[i], c = ring->next[i];
    for (int k = ring->next[c]; k != a; k = ring->next[k]) {
        if (ring->convex[k] || is_same(ring->corners[k], ring->corners[a]) ||
            is_same(ring->corners[k], ring->corners[c]))
            continue;
        if (side(ring, a, i, k) >= 0 && side(ring, i, c, k) >= 0 && side(ring, c, a, k) >= 0)
            return false;
    }
    return true;
}

// The next ear from `start` on; -1 when no corner is one.
static int find_ear(struct ring *ring, int start)
{
    for (int round = 0; round < 2; round++) {
        int i = start;
        do {
            if (ring->ear[i] && is_ear(ring, i))
                return i;
            ring->ear[i] = 0;
            i = ring->next[i];
        } while (i != start);
        // a corner that blocked an ear may have become convex: look at all of them once more
        do {
            ring->ear[i] = 1;
            i = ring->next[i];
        } while (i != start);
    }
    return -1;
}

// A straight corner may go when no ear is left: its triangle has no area, but the polygon keeps all its corners.
static int find_straight(const struct ring *ring, int start)
{
    int i = start;
    do {
        if (side(ring, ring->previous[i], i, ring->next[i]) == 0)
            return i;
        i = ring->next[i];
    } while (i != start);
    return start;
}

// Lexicographic order in the two coordinates that are examined.
static bool comes_before(nc_vec3 a, nc_vec3 b, int drop)
{
    const double a1 = drop == 0 ? a.y : a.x, b1 = drop == 0 ? b.y : b.x;
    const double a2 = drop == 2 ? a.y : a.z, b2 = drop == 2 ? b.y : b.z;
    return a1 < b1 || (a1 == b1 && a2 < b2);
}

// The polygon's direction: at its first corner in lexicographic order a simple polygon is convex.
static int find_turn(const nc_vec3 *corners, int count, int drop)
{
    int first = 0;
    for (int i = 1; i < count; i++)
        if (comes_before(corners[i], corners[first], drop))
            first = i;
    const int turn =
        nc_orient2d(corners[(first + count - 1) % count], corners[first], corners[(first + 1) % count], drop);
    return turn != 0 ? turn : 1;
}

static void start_ring(struct ring *ring, const nc_vec3 *corners, int count, int *scratch)
{
    ring->corners = corners;
    ring->drop = largest_coordinate(newell_normal(corners, count));
    ring->turn = find_turn(corners, count, ring->drop);
    ring->next = scratch;
    ring->previous = scratch + count;
    ring->convex = scratch + 2 * count;
    ring->ear = scratch + 3 * count;
    for (int i = 0; i < count; i++) {
        ring->next[i] = (i + 1) % count;
        ring->previous[i] = (i + count - 1) % count;
    }
    for (int i = 0; i < count; i++)
        update_convex(ring, i);
}

void nc_polygon_triangulate(const nc_vec3 *corners, int count, int (*out)[3], int *scratch)
{
    struct ring ring;
    start_ring(&ring, corners, count, scratch);
    int at = 0;
    for (int left = count, k = 0; left > 2; left--, k++) {
        int tip = left == 3 ? at : find_ear(&ring, at);
        if (tip < 0)
            tip = find_straight(&ring, at);
        const int a = ring.previous[tip], c = ring.next[tip];
        out[k][0] = a;
        out[k][1] = tip;
        out[k][2] = c;
        ring.next[a] = c;
        ring.previous[c] = a;
        update_convex(&ring, a);
        update_convex(&ring, c);
        // continue beyond the new edge, so that a convex polygon becomes a strip-like set and not one long fan
        at = ring.next[c];
    }
}
