// The search for features that are near each other: pairs of nodes, of elements, of features.
//
// Nearer nodes come first, so that a search whose reach shrinks (the smallest distance) soon has little left to do.
// What is left out is left out by a bound from below that exceeds the reach with all rounding: of two boxes, or of two
// hulls along some direction. Which direction does not matter for that.
#include "narrow/proximity.h"

#include <string.h>

#define MAX_WAITING     (2 * NC_BVH_MAX_DEPTH + 2) // each level of either tree leaves at most one pair waiting
#define SHORTEST_NORMAL 0x1p-400                   // [m^2] squares of shorter ones underflow: they say nothing

typedef struct node_pair {
    int home, away;
    double bound2;      // [m^2]
    nc_near_box placed; // away's
} node_pair;

// Of the masks of corners and edges.
static const uint8_t lowest_bit[8] = {0, 0, 1, 0, 2, 0, 1, 0};

void nc_near_set_reach(nc_near_search *search, double reach)
{
    const double limit = reach + search->frame.error + search->frame.slack;
    search->reach = reach;
    search->limit2 = limit * limit * (1.0 + 32.0 * NC_UNIT_ROUNDOFF);
}

// ---- notes --------------------------------------------------------------------------------------------------

static int slot_of(const nc_near_search *s, const nc_near_element *e, bool is_home)
{
    return (int)(e->features - (is_home ? s->frame.home_tree.features : s->frame.away_tree.features));
}

// Writes something down, in the order of the caller's meshes; counts it when there is no room.
static void list_pair(nc_near_search *s, nc_cached_pair_kind of_home, const nc_cached_pair *home_first)
{
    nc_cached_pair noted = *home_first;
    noted.kind = (uint8_t)of_home;
    if (s->frame.home_is_b) {
        static const uint8_t swapped_kind[] = {NC_CACHED_ELEMENT_B, NC_CACHED_ELEMENT_A, NC_CACHED_VERTEX_B,
                                               NC_CACHED_VERTEX_A,  NC_CACHED_EDGES,     NC_CACHED_END_EDGES};
        noted = (nc_cached_pair){home_first->b, home_first->a, swapped_kind[of_home], home_first->corner_b,
                                 home_first->corner_a};
    }
    if (s->out_pairs->count < s->out_pairs->capacity)
        s->out_pairs->data[s->out_pairs->count] = noted;
    s->out_pairs->count++;
}

// An element that has a partner; `is_home` says whose. When there are too many, that is all that is known.
static void add_partner(nc_near_search *s, int slot, bool is_home)
{
    nc_near_slots *partners = &s->partners[is_home];
    if (partners->count == NC_EFFORT_NEAR_LISTED)
        partners->count = -1;
    if (partners->count >= 0)
        partners->slot[partners->count++] = slot;
}

// The same, unless it is there already.
static void list_partner(nc_near_search *s, int slot, bool is_home)
{
    const nc_near_slots *partners = &s->partners[is_home];
    for (int k = partners->count - 1; k >= 0; k--)
        if (partners->slot[k] == slot)
            return;
    add_partner(s, slot, is_home);
}

// The same for notes, which have room for any number.
static void list_near_partner(nc_near_search *s, int slot, bool is_home)
{
    const nc_cached_pairs *notes = s->out_pairs;
    const bool is_a = is_home != s->frame.home_is_b;
    const int kind = is_a ? NC_CACHED_ELEMENT_A : NC_CACHED_ELEMENT_B;
    for (int k = (notes->count < notes->capacity ? notes->count : notes->capacity) - 1; k >= s->list_first; k--)
        if (notes->data[k].kind == kind && (is_a ? notes->data[k].a : notes->data[k].b) == slot)
            return;
    list_pair(s, is_home ? NC_CACHED_ELEMENT_A : NC_CACHED_ELEMENT_B, &(nc_cached_pair){.a = slot, .b = slot});
}

// ---- features -----------------------------------------------------------------------------------------------

// How far two intervals are apart: at most one of the two differences is above 0.
static double interval_gap(double low_a, double high_a, double low_b, double high_b)
{
    return nc_positive(low_a - high_b) + nc_positive(low_b - high_a);
}

// Squared distance of two boxes.
static double box_gap2(const nc_box *a, const nc_box *b)
{
    const double x = interval_gap(a->lo.x, a->hi.x, b->lo.x, b->hi.x);
    const double y = interval_gap(a->lo.y, a->hi.y, b->lo.y, b->hi.y);
    const double z = interval_gap(a->lo.z, a->hi.z, b->lo.z, b->hi.z);
    return x * x + y * y + z * z;
}

static nc_box box_of_edge(const nc_vec3 end[2])
{
    const nc_box box = {nc_min_v3(end[0], end[1]), nc_max_v3(end[0], end[1])};
    return box;
}

// The hull's distance from the origin along its nearest point: a lower bound of its true distance but for rounding.
// Negative when the direction proves nothing.
static double hull_bound(nc_hull_kind kind, const nc_vec3 *w)
{
    const nc_vec3 n = nc_hull_nearest(kind, w);
    double least = nc_dot(n, w[0]);
    for (int i = 1; i < (int)kind; i++) {
        const double value = nc_dot(n, w[i]);
        least = value < least ? value : least;
    }
    return least > 0 ? least / nc_norm(n) : -1.0;
}

static bool is_far(const nc_near_search *s, double bound)
{
    return bound > 0 && bound * bound > s->limit2;
}

// A pair of features is at least this far apart; a bound below 0 proves nothing.
static void measure(nc_near_search *s, double bound)
{
    s->least = bound < s->least ? bound : s->least;
}

static nc_distance swapped(nc_distance d)
{
    const nc_vec3 on_a = d.on_a;
    d.on_a = d.on_b;
    d.on_b = on_a;
    return d;
}

// A vertex against the hull of another element's corners.
static double vertex_bound(nc_vec3 p, const nc_near_element *e)
{
    nc_vec3 w[4];
    if (e->features->corners == 3) {
        for (int i = 0; i < 3; i++)
            w[i] = nc_sub(p, e->corner[i]);
        return hull_bound(NC_HULL_TRIANGLE, w);
    }
    w[0] = w[2] = nc_sub(p, e->corner[0]);
    w[1] = w[3] = nc_sub(p, e->corner[e->features->corners - 1]);
    return hull_bound(NC_HULL_PARALLELOGRAM, w);
}

static nc_distance vertex_distance(nc_vec3 p, const nc_near_element *e)
{
    if (e->features->corners == 3) {
        const nc_vec3 triangle[3] = {e->corner[0], e->corner[1], e->corner[2]};
        return nc_distance_point_triangle(p, triangle);
    }
    const nc_vec3 segment[2] = {e->corner[0], e->corner[e->features->corners - 1]};
    return nc_distance_point_segment(p, segment);
}

static nc_feature_id vertex_id(int vertex, const nc_near_element *other, bool vertex_is_home)
{
    static const nc_feature_kind kinds[4][2] = {{NC_VERTEX_VERTEX, NC_VERTEX_VERTEX},
                                                {NC_VERTEX_VERTEX, NC_VERTEX_VERTEX},
                                                {NC_EDGE_VERTEX, NC_VERTEX_EDGE},
                                                {NC_FACE_VERTEX, NC_VERTEX_FACE}};
    const nc_feature_kind kind = kinds[other->features->corners][vertex_is_home];
    return vertex_is_home ? (nc_feature_id){kind, vertex, other->row} : (nc_feature_id){kind, other->row, vertex};
}

static void list_vertex(nc_near_search *s, const nc_near_element *one, int corner, const nc_near_element *other,
                        bool one_is_home)
{
    const int slot_one = slot_of(s, one, one_is_home), slot_other = slot_of(s, other, !one_is_home);
    const uint8_t at = (uint8_t)corner;
    if (one_is_home)
        list_pair(s, NC_CACHED_VERTEX_A, &(nc_cached_pair){.a = slot_one, .b = slot_other, .corner_a = at});
    else
        list_pair(s, NC_CACHED_VERTEX_B, &(nc_cached_pair){.a = slot_other, .b = slot_one, .corner_b = at});
}

// A distance from a vertex to an element, for the pair.
static void take_distance(nc_near_search *s, nc_near_pair *pair, nc_distance d, bool vertex_is_home)
{
    measure(s, d.lower_bound);
    pair->distance = vertex_is_home ? d : swapped(d);
    s->found(s, pair);
}

// Works out the distances of the pairs that wait.
static void measure_waiting(nc_near_search *s)
{
    nc_distance d[NC_LANES];
    const int count = s->waiting.count;
    if (count == 0)
        return;
    s->waiting.count = 0;
    nc_distance_point_triangles(&s->waiting.at, count, d);
    for (int k = 0; k < count; k++)
        take_distance(s, &(nc_near_pair){.id = s->waiting.id[k]}, d[k], s->waiting.vertex_is_home[k]);
}

static void put_lane(double to[3][NC_LANES], int lane, nc_vec3 v)
{
    to[0][lane] = v.x;
    to[1][lane] = v.y;
    to[2][lane] = v.z;
}

static void add_waiting(nc_near_search *s, nc_vec3 p, const nc_near_element *e, const nc_feature_id *id,
                        bool vertex_is_home)
{
    const int k = s->waiting.count++;
    put_lane(s->waiting.at.p, k, p);
    for (int i = 0; i < 3; i++)
        put_lane(s->waiting.at.t[i], k, e->corner[i]);
    s->waiting.id[k] = *id;
    s->waiting.vertex_is_home[k] = vertex_is_home;
    if (s->waiting.count == NC_LANES)
        measure_waiting(s);
}

// Is a corner within the reach of p? Then no bound of the element is beyond it.
static bool is_near_corner(const nc_near_search *s, nc_vec3 p, const nc_near_element *e)
{
    const double x = nc_norm2(nc_sub(p, e->corner[0])), y = nc_norm2(nc_sub(p, e->corner[1]));
    const double z = nc_norm2(nc_sub(p, e->corner[2])), reach2 = s->reach * s->reach;
    return x <= reach2 || y <= reach2 || z <= reach2;
}

static void try_vertex(nc_near_search *s, const nc_near_element *one, int corner, const nc_near_element *other,
                       bool one_is_home)
{
    const nc_vec3 p = one->corner[corner];
    const nc_box at = {p, p};
    if (box_gap2(&at, &other->box) > s->limit2)
        return;
    const bool any = s->passing && s->wanted == NULL && is_near_corner(s, p, other); // then the bound says nothing
    const double bound = any ? 0 : vertex_bound(p, other);
    if (is_far(s, bound))
        return;
    if (s->out_pairs != NULL) {
        list_vertex(s, one, corner, other, one_is_home);
        return;
    }
    nc_near_pair pair = {.id = vertex_id(one->features->vertex[corner], other, one_is_home)};
    if (s->wanted != NULL && !s->wanted(s, &pair.id, bound)) {
        measure(s, bound);
        return;
    }
    if (s->batched && other->features->corners == 3) {
        add_waiting(s, p, other, &pair.id, one_is_home);
        return;
    }
    take_distance(s, &pair, vertex_distance(p, other), one_is_home);
}

// Can a pair whose distance is at least `bound`, but for rounding, be the nearest? Whatever the order they come in.
static bool may_be_least(const nc_near_search *s, double bound)
{
    return !is_far(s, bound) && !(bound > s->least + s->frame.slack);
}

// A vertex of no interest: only its distance matters.
static void measure_vertex(nc_near_search *s, nc_vec3 p, const nc_near_element *other)
{
    const nc_box at = {p, p};
    if (!(box_gap2(&at, &other->box) > s->limit2) && may_be_least(s, vertex_bound(p, other)))
        measure(s, vertex_distance(p, other).lower_bound);
}

// The vertices that `one` owns. A lone point is a partner for lone points only: with anything larger, that one's
// face or edge is the partner of the point's vertex.
static void try_vertices(nc_near_search *s, const nc_near_element *one, const nc_near_element *other, bool one_is_home)
{
    const nc_element_features *f = one->features;
    int mask = f->owned_vertices & (s->sharp ? ~f->flat_vertices : ~0);
    if (other->features->corners == 1 && (f->corners != 1 || !one_is_home))
        return;
    for (; mask != 0; mask &= mask - 1)
        try_vertex(s, one, lowest_bit[mask], other, one_is_home);
    mask = s->measured && s->sharp ? f->owned_vertices & f->flat_vertices : 0;
    for (; mask != 0; mask &= mask - 1)
        measure_vertex(s, one->corner[lowest_bit[mask]], other);
}

// An edge of an element that may be near something.
typedef struct near_edge {
    nc_vec3 end[2];
    nc_box box;
    int row;
    int corner; // of the element, where it begins
    bool dull;  // of no interest but for its distance
    bool cut;   // of a flat quadrilateral, whose plane the element has
} near_edge;

// Are two edges farther apart than the reach along the direction across both?
static bool lines_are_far(const nc_near_search *s, nc_vec3 across, const nc_vec3 w[4])
{
    const double a = nc_dot(across, w[0]), b = nc_dot(across, w[1]), c = nc_dot(across, w[2]), d = nc_dot(across, w[3]);
    const double least = nc_lesser(nc_lesser(a, b), nc_lesser(c, d));
    const double most = -nc_lesser(nc_lesser(-a, -b), nc_lesser(-c, -d));
    const double gap = nc_positive(least) + nc_positive(-most), across2 = nc_norm2(across);
    return across2 > SHORTEST_NORMAL * SHORTEST_NORMAL && gap * gap > s->limit2 * across2;
}

static void list_edges(nc_near_search *s, nc_cached_pair_kind kind, const nc_near_element *home, const near_edge *a,
                       const nc_near_element *away, const near_edge *b)
{
    list_pair(s, kind,
              &(nc_cached_pair){.a = slot_of(s, home, true),
                                .b = slot_of(s, away, false),
                                .corner_a = (uint8_t)a->corner,
                                .corner_b = (uint8_t)b->corner});
}

// [m] by how much an edge must lead off its end to be sure of it: rounding, and how much less that may become while
// cached pairs are used. An edge turns with its mesh, whose radius it is; `w2` is the longest difference of ends,
// squared.
static double end_margin(const nc_near_search *s, double radius, double w2)
{
    return s->motion > 0
               ? 2 * NC_EFFORT_NEAR_END_SLACKS * s->frame.slack + s->motion * (1.02 + 1.02 * sqrt(w2) / radius)
               : NC_EFFORT_NEAR_END_SLACKS * s->frame.slack;
}

static double longest2(const nc_vec3 w[4])
{
    return fmax(fmax(nc_norm2(w[0]), nc_norm2(w[1])), fmax(nc_norm2(w[2]), nc_norm2(w[3])));
}

// Is `along`, a length times that of an edge, above `margin` times it? The margin may be below 0.
static bool leads_off(double along, double margin, double edge2)
{
    const double limit2 = margin * margin * edge2;
    return margin < 0 ? along > 0 || along * along < limit2 : along > 0 && along * along > limit2;
}

// Two edges and what is known of them.
typedef struct edge_pair {
    const near_edge *a, *b; // home's, away's
    nc_vec3 e, f;           // [m] along them
    nc_vec3 w[4];           // [m] from the ends of b to those of a
    nc_vec3 across;
} edge_pair;

static edge_pair pair_edges(const near_edge *a, const near_edge *b)
{
    edge_pair p = {.a = a, .b = b};
    p.e = nc_sub(a->end[1], a->end[0]);
    p.f = nc_sub(b->end[1], b->end[0]);
    p.w[0] = nc_sub(a->end[0], b->end[0]);
    p.w[1] = nc_sub(a->end[0], b->end[1]);
    p.w[2] = nc_sub(a->end[1], b->end[0]);
    p.w[3] = nc_sub(a->end[1], b->end[1]);
    p.across = nc_cross(nc_sub(p.w[2], p.w[0]), nc_sub(p.w[1], p.w[0]));
    return p;
}

// Are two edges nearest at an end of one of them? At an end of `a` when, seen from both ends of `b` and so from all of
// it, `a` leads off there, by more than a margin [m] (docs/theory/proximity.md).
static bool is_at_end(const edge_pair *p, double margin_e, double margin_f)
{
    const double e0 = nc_dot(p->e, p->w[0]), e1 = nc_dot(p->e, p->w[1]), e2 = nc_norm2(p->e);
    if (leads_off(e0 < e1 ? e0 : e1, margin_e, e2) || leads_off(-(e0 > e1 ? e0 : e1) - e2, margin_e, e2))
        return true;
    const double f0 = nc_dot(p->f, p->w[0]), f1 = nc_dot(p->f, p->w[2]), f2 = nc_norm2(p->f);
    return leads_off(-(f0 > f1 ? f0 : f1), margin_f, f2) || leads_off((f0 < f1 ? f0 : f1) - f2, margin_f, f2);
}

// Surely at an end, whatever is rounded and whatever moves while cached pairs are used.
static bool is_surely_at_end(const nc_near_search *s, const edge_pair *p)
{
    const double w2 = s->motion > 0 ? longest2(p->w) : 0;
    return is_at_end(p, end_margin(s, s->frame.home.radius, w2), end_margin(s, s->frame.away.radius, w2));
}

// Are both ends of an edge, w[0] and w[1] from a corner of the element, surely on one side of its plane?
static bool is_on_one_side(const nc_near_element *e, nc_vec3 w0, nc_vec3 w1, double margin)
{
    const nc_vec3 n = nc_cross(nc_sub(e->corner[1], e->corner[0]), nc_sub(e->corner[2], e->corner[0]));
    const double n2 = nc_norm2(n), x = nc_dot(n, w0), y = nc_dot(n, w1);
    return (leads_off(x, margin, n2) && leads_off(y, margin, n2)) ||
           (leads_off(-x, margin, n2) && leads_off(-y, margin, n2));
}

// Does one of the edges only cut a flat quadrilateral that the other does not pierce? Then one of its sides is as near
// to that one, or its face to an end of it.
static bool is_beside_cut(const nc_near_search *s, const edge_pair *p, const nc_near_element *home,
                          const nc_near_element *away)
{
    if (!p->a->cut && !p->b->cut)
        return false;
    const double w2 = s->motion > 0 ? longest2(p->w) : 0;
    return (p->a->cut && is_on_one_side(home, p->w[0], p->w[1], end_margin(s, s->frame.home.radius, w2))) ||
           (p->b->cut && is_on_one_side(away, p->w[0], p->w[2], end_margin(s, s->frame.away.radius, w2)));
}

// Do two edges whose distance is at least `low` [m] surely not pass each other: as near at an end as makes no
// difference, or parallel? Then they make no contact, and a vertex is as near, up to a part of 2^-21.
static bool is_surely_not_passing(const nc_near_search *s, const edge_pair *p, double low)
{
    if (!(low > NC_EFFORT_NEAR_END_DISTANCE * s->frame.slack))
        return false;
    const double near_end = -0.5 * NC_NEAR_SMALL * low, small = (1 - 0x1p-8) * NC_NEAR_SMALL * low;
    const double longer2 = fmax(nc_norm2(p->e), nc_norm2(p->f));
    return nc_norm2(p->across) <= small * small * longer2 || is_at_end(p, near_end, near_end);
}

// The rest of the test, when neither boxes nor ends say that the pair is of no interest.
static void try_passing(nc_near_search *s, const edge_pair *p)
{
    const double bound = hull_bound(NC_HULL_PARALLELOGRAM, p->w);
    const bool dull = p->a->dull || p->b->dull;
    if (is_far(s, bound) || (dull && !may_be_least(s, bound)) || (s->passing && is_surely_not_passing(s, p, bound)))
        return;
    const nc_near_pair pair = {.id = {NC_EDGE_EDGE, p->a->row, p->b->row},
                               .distance = nc_distance_segment_segment(p->a->end, p->b->end)};
    measure(s, pair.distance.lower_bound);
    if (!dull)
        s->found(s, &pair);
}

static void try_edge(nc_near_search *s, const nc_near_element *home, const near_edge *a, const nc_near_element *away,
                     const near_edge *b)
{
    const double gap2 = box_gap2(&a->box, &b->box);
    if (gap2 > s->limit2)
        return;
    const edge_pair p = pair_edges(a, b);
    const bool at_end = s->passing && (is_beside_cut(s, &p, home, away) || is_surely_at_end(s, &p));
    if (s->out_pairs == NULL) {
        if (!at_end && !(s->passing && is_surely_not_passing(s, &p, sqrt(gap2))) && !lines_are_far(s, p.across, p.w))
            try_passing(s, &p);
    } else if (!lines_are_far(s, p.across, p.w) && !is_far(s, hull_bound(NC_HULL_PARALLELOGRAM, p.w))) {
        list_edges(s, at_end ? NC_CACHED_END_EDGES : NC_CACHED_EDGES, home, a, away, b);
    }
}

// The edge of an element that begins at a corner.
static void read_edge(const nc_near_search *s, const nc_near_element *e, int corner, near_edge *out)
{
    out->end[0] = e->corner[corner];
    out->end[1] = e->corner[corner == 2 ? 0 : corner + 1];
    out->row = e->features->edge[corner];
    out->corner = corner;
    out->dull = s->sharp && (e->features->flat_edges >> corner & 1) != 0;
    out->cut = s->uncut && (e->features->cut_edges >> corner & 1) != 0;
    out->box = box_of_edge(out->end);
}

// The edges that `e` answers for and that are near the box.
static int edges_near(const nc_near_search *s, const nc_near_element *e, const nc_box *box, near_edge out[3])
{
    const int dull = s->sharp ? e->features->flat_edges : 0;
    int mask = e->features->owned_edges & (s->measured ? ~0 : ~dull), count = 0;
    for (; mask != 0; mask &= mask - 1) {
        read_edge(s, e, lowest_bit[mask], &out[count]);
        count += !(box_gap2(&out[count].box, box) > s->limit2);
    }
    return count;
}

static void try_edges(nc_near_search *s, const nc_near_element *home, const nc_near_element *away)
{
    near_edge in_home[3], in_away[3];
    const int count_home = edges_near(s, home, &away->box, in_home);
    const int count_away = count_home > 0 ? edges_near(s, away, &home->box, in_away) : 0;
    for (int i = 0; i < count_home; i++)
        for (int j = 0; j < count_away; j++)
            try_edge(s, home, &in_home[i], away, &in_away[j]);
}

// ---- elements -----------------------------------------------------------------------------------------------

static nc_vec3 away_vertex(const nc_near_search *s, int row)
{
    const nc_mesh_data *away = &s->frame.away;
    return away->vertex_count <= NC_EFFORT_NEAR_PLACED ? s->placed[row] : nc_near_away(&s->frame, away->vertices[row]);
}

// Corners and box. An edge's last corner and a point's only one stand for those that are missing.
static void place_element(const nc_near_search *s, int slot, bool is_home, nc_near_element *out)
{
    const nc_mesh_tree *tree = is_home ? &s->frame.home_tree : &s->frame.away_tree;
    const nc_element_features *f = out->features = &tree->features[slot];
    const int last = f->corners - 1, row[3] = {f->vertex[0], f->vertex[last > 0], f->vertex[last]};
    out->row = last == 2 ? tree->order[slot] : last == 1 ? f->edge[0] : f->vertex[0];
    for (int i = 0; i < 3; i++)
        out->corner[i] = is_home ? s->frame.home.vertices[row[i]] : away_vertex(s, row[i]);
    const nc_vec3 *c = out->corner;
    out->box.lo = nc_min_v3(nc_min_v3(c[0], c[1]), c[2]);
    out->box.hi = nc_max_v3(nc_max_v3(c[0], c[1]), c[2]);
}

static void find_normal(nc_near_element *e)
{
    const nc_vec3 one = nc_sub(e->corner[1], e->corner[0]), two = nc_sub(e->corner[2], e->corner[0]);
    e->normal = nc_cross(one, two);
    e->normal2 = nc_norm2(e->normal);
    if (!(e->normal2 > SHORTEST_NORMAL * SHORTEST_NORMAL)) {
        e->normal = nc_v3(0, 0, 0);
        e->normal2 = 0;
    }
    const double x = nc_dot(e->normal, one), y = nc_dot(e->normal, two);
    e->low = -nc_positive(-nc_lesser(x, y));
    e->high = nc_positive(-nc_lesser(-x, -y));
}

// Is `b` beyond the reach on one side of the plane of `a`?
static bool is_beyond_plane(const nc_near_search *s, const nc_near_element *a, const nc_near_element *b)
{
    const double x = nc_dot(a->normal, nc_sub(b->corner[0], a->corner[0]));
    const double y = nc_dot(a->normal, nc_sub(b->corner[1], a->corner[0]));
    const double z = nc_dot(a->normal, nc_sub(b->corner[2], a->corner[0]));
    const double least = nc_lesser(nc_lesser(x, y), z), most = -nc_lesser(nc_lesser(-x, -y), -z);
    const double gap = nc_positive(least - a->high) + nc_positive(a->low - most);
    return gap * gap > s->limit2 * a->normal2;
}

static void try_elements(nc_near_search *s, const nc_near_element *home, const nc_near_element *away)
{
    if (box_gap2(&home->box, &away->box) > s->limit2 || is_beyond_plane(s, home, away) ||
        is_beyond_plane(s, away, home))
        return;
    void (*const keep)(nc_near_search *, int, bool) = s->out_pairs != NULL ? list_near_partner : list_partner;
    keep(s, slot_of(s, home, true), true);
    keep(s, slot_of(s, away, false), false);
    try_vertices(s, home, away, true);
    try_vertices(s, away, home, false);
    try_edges(s, home, away);
}

// An element with its box, and with its normal if that is wanted (always, or never, in one search); in `room` when it
// is not kept.
static const nc_near_element *element_at(nc_near_search *s, int slot, bool is_home, bool with_normal,
                                         nc_near_element *room)
{
    const int count = is_home ? s->frame.home_tree.element_count : s->frame.away_tree.element_count;
    nc_near_element *e = count <= NC_EFFORT_NEAR_KEPT ? &s->kept[is_home][slot] : room;
    if (count <= NC_EFFORT_NEAR_KEPT && s->met[is_home][slot])
        return e;
    place_element(s, slot, is_home, e);
    if (with_normal)
        find_normal(e);
    if (count <= NC_EFFORT_NEAR_KEPT)
        s->met[is_home][slot] = 1;
    return e;
}

static void try_leaves(nc_near_search *s, const nc_bvh_node *home, const nc_bvh_node *away)
{
    nc_near_element room[NC_BVH_LEAF_MAX], room_home;
    const nc_near_element *in_away[NC_BVH_LEAF_MAX];
    nc_box box = nc_box_empty(); // of what of the away leaf is near the home leaf
    int count = 0;
    for (int j = 0; j < away->count; j++) {
        const nc_near_element *e = element_at(s, away->first + j, false, true, &room[j]);
        if (box_gap2(&e->box, &home->box) > s->limit2)
            continue;
        box = nc_box_union(box, e->box);
        in_away[count++] = e;
    }
    for (int i = 0; count > 0 && i < home->count; i++) {
        const nc_near_element *e = element_at(s, home->first + i, true, true, &room_home);
        if (box_gap2(&e->box, &box) > s->limit2)
            continue;
        for (int j = 0; j < count; j++)
            try_elements(s, e, in_away[j]);
    }
}

// ---- the descent --------------------------------------------------------------------------------------------

static double box_size(const nc_box *box)
{
    return (box->hi.x - box->lo.x) + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z);
}

static void bound_pair(const nc_near_search *s, node_pair *pair)
{
    const nc_box *home = &s->frame.home_tree.nodes[pair->home].box, *away = &s->frame.away_tree.nodes[pair->away].box;
    pair->bound2 = nc_near_box_bound(&s->frame, home, away, &pair->placed, s->limit2);
}

// Opens the larger of the two nodes that is not a leaf; the nearer child ends on top.
static int open_pair(const nc_near_search *s, node_pair *stack, int top)
{
    const nc_bvh_node *away_nodes = s->frame.away_tree.nodes;
    node_pair *first = &stack[top - 1], *second = &stack[top];
    const nc_bvh_node *home = &s->frame.home_tree.nodes[first->home], *away = &away_nodes[first->away];
    *second = *first;
    if (away->count > 0 || (home->count == 0 && box_size(&home->box) >= box_size(&away->box))) {
        first->home++;
        second->home = home->right;
    } else {
        first->away++;
        second->away = away->right;
        first->placed = nc_near_place_box(&s->frame, &away_nodes[first->away].box);
        second->placed = nc_near_place_box(&s->frame, &away_nodes[second->away].box);
    }
    bound_pair(s, first);
    bound_pair(s, second);
    if (first->bound2 < second->bound2) {
        const node_pair swap = *first;
        *first = *second;
        *second = swap;
    }
    if (!(first->bound2 > s->limit2))
        return top + 1;
    *first = *second;
    return top;
}

static void place_vertices(nc_near_search *s)
{
    for (int i = 0; i < s->frame.away.vertex_count && s->frame.away.vertex_count <= NC_EFFORT_NEAR_PLACED; i++)
        s->placed[i] = nc_near_away(&s->frame, s->frame.away.vertices[i]);
}

static void begin_search(nc_near_search *s)
{
    s->least = INFINITY;
    s->partners[0].count = s->partners[1].count = 0;
    memset(s->met, 0, sizeof s->met);
    s->waiting.count = 0;
    if (s->batched)
        memset(&s->waiting.at, 0, sizeof s->waiting.at);
}

// A noted vertex: of two lone points, home's is the one that looks.
static void try_cached_vertex(nc_near_search *s, const nc_near_element *home, int corner_home,
                              const nc_near_element *away, int corner_away, bool is_home)
{
    const bool points = home->features->corners == 1 && away->features->corners == 1;
    const nc_near_element *one = is_home || points ? home : away, *other = is_home || points ? away : home;
    const int corner = is_home || points ? corner_home : corner_away;
    if (!s->sharp || !(one->features->flat_vertices >> corner & 1))
        try_vertex(s, one, corner, other, is_home || points);
    else if (s->measured)
        measure_vertex(s, one->corner[corner], other);
}

static void try_cached(nc_near_search *s, const nc_cached_pair *noted)
{
    nc_near_element room_home, room_away;
    const bool swap = s->frame.home_is_b;
    const int slot_home = swap ? noted->b : noted->a, slot_away = swap ? noted->a : noted->b;
    const int corner_home = swap ? noted->corner_b : noted->corner_a;
    const int corner_away = swap ? noted->corner_a : noted->corner_b;
    const bool of_a = noted->kind == NC_CACHED_ELEMENT_A || noted->kind == NC_CACHED_VERTEX_A;
    if (noted->kind == NC_CACHED_ELEMENT_A || noted->kind == NC_CACHED_ELEMENT_B) {
        add_partner(s, of_a ? noted->a : noted->b, of_a != swap); // noted once each
        return;
    }
    const nc_near_element *home = element_at(s, slot_home, true, false, &room_home);
    const nc_near_element *away = element_at(s, slot_away, false, false, &room_away);
    if (noted->kind == NC_CACHED_VERTEX_A || noted->kind == NC_CACHED_VERTEX_B) {
        try_cached_vertex(s, home, corner_home, away, corner_away, of_a != swap);
        return;
    }
    near_edge in_home, in_away;
    read_edge(s, home, corner_home, &in_home);
    read_edge(s, away, corner_away, &in_away);
    if (s->measured || (!in_home.dull && !in_away.dull))
        try_edge(s, home, &in_home, away, &in_away);
}

void nc_near_run_among(nc_near_search *s, const nc_cached_pairs *notes)
{
    begin_search(s);
    place_vertices(s);
    for (int k = 0; k < notes->count; k++)
        if (!notes->without_ends || notes->data[k].kind != NC_CACHED_END_EDGES)
            try_cached(s, &notes->data[k]);
    measure_waiting(s);
}

void nc_near_run(nc_near_search *search)
{
    const nc_bvh_node *home_nodes = search->frame.home_tree.nodes, *away_nodes = search->frame.away_tree.nodes;
    node_pair stack[MAX_WAITING];
    int top = 1;
    begin_search(search);
    stack[0] = (node_pair){.placed = nc_near_place_box(&search->frame, &away_nodes[0].box)};
    bound_pair(search, &stack[0]);
    if (stack[0].bound2 > search->limit2)
        return;
    place_vertices(search);
    while (top > 0) {
        const node_pair *pair = &stack[top - 1];
        const nc_bvh_node *home = &home_nodes[pair->home], *away = &away_nodes[pair->away];
        if (pair->bound2 > search->limit2) {
            top--;
        } else if (home->count > 0 && away->count > 0) {
            top--;
            try_leaves(search, home, away);
        } else {
            top = open_pair(search, stack, top);
        }
    }
    measure_waiting(search);
}
