// Two meshes on their paths: when do they first come within the gap?
//
// Pairs of tree nodes, each over an interval of time. A pair of boxes that a certificate keeps apart is done with.
// Otherwise the interval is halved, when the motion in it is large against the boxes, or one of the two nodes is
// opened; at the leaves the certificates continue with elements, then with features. Earlier halves come first, and
// nothing is examined past the earliest hit. Every pair that is left out is left out by a certificate.
#include "narrow/narrow.h"

#include <limits.h>

#define SHORTEST_NORMAL 0x1p-500 // [m^2] squares of shorter ones underflow, and their length is not known

typedef struct work {
    int a, b;      // nodes
    double t0, t1; // interval
} work;

typedef struct directions {
    nc_vec3 from, to;
} directions;

typedef struct sweep {
    nc_mesh_data data_a, data_b;
    nc_mesh_tree tree_a, tree_b;
    const nc_mesh_sweep_options *options;
    nc_mesh_sweep_options for_features; // the same, but that their limit is what is left of the budget
    bool stopped;                       // by an interrupt
    int next_poll;                      // evaluations
    nc_whole_hint *hint;                // NULL: the trees decide
    bool small_a, small_b;              // it is a cloud, and small against the other one
    nc_pair_motion pair;
    nc_pair_pose from, to;  // at the ends of the interval under way
    double offset;          // [m] |from.x| + |to.x|
    nc_sweep_result result; // the earliest so far
    work waiting[NC_SWEEP_MAX_WAITING];
    int waiting_count;
} sweep;

static nc_vec3 column(const nc_mat3 *m, int k)
{
    return k == 0   ? nc_v3(m->row[0].x, m->row[1].x, m->row[2].x)
           : k == 1 ? nc_v3(m->row[0].y, m->row[1].y, m->row[2].y)
                    : nc_v3(m->row[0].z, m->row[1].z, m->row[2].z);
}

static void place_axes(const nc_mat3 *rotation, nc_vec3 half, nc_vec3 axis[3])
{
    axis[0] = nc_scale(half.x, column(rotation, 0));
    axis[1] = nc_scale(half.y, column(rotation, 1));
    axis[2] = nc_scale(half.z, column(rotation, 2));
}

// ---- boxes --------------------------------------------------------------------------------------------------

// Two nodes over an interval, in the pair's frame.
typedef struct node_pair {
    const nc_node_shape *a, *b;
    const nc_pair_pose *from, *to;
    nc_vec3 center_from, center_to; // [m] of A minus of B
    double size;                    // [m] bound for certificates
    double turned;                  // [m] how far points can go by turning about the boxes' centres
    double off;                     // [m] what a certificate of the straight motion must exceed besides the gap
} node_pair;

static nc_vec3 center_difference(const nc_pair_pose *at, nc_vec3 a, nc_vec3 b)
{
    return nc_sub(nc_add(at->x, nc_mat3_mul(at->ra, a)), nc_mat3_mul(at->rb, b));
}

// Axes of both boxes at both ends.
typedef struct moving_boxes {
    nc_moving_box a, b;
} moving_boxes;

static moving_boxes place_boxes(const node_pair *p)
{
    moving_boxes boxes;
    place_axes(&p->from->ra, p->a->half, boxes.a.axis_from);
    place_axes(&p->to->ra, p->a->half, boxes.a.axis_to);
    place_axes(&p->from->rb, p->b->half, boxes.b.axis_from);
    place_axes(&p->to->rb, p->b->half, boxes.b.axis_to);
    return boxes;
}

// One of the boxes' own axes: 0 to 2 are A's, 3 to 5 are B's.
typedef struct box_axis {
    int axis;
    double gap; // [m] between the boxes along it; negative when they overlap
} box_axis;

static nc_vec3 abs3(nc_vec3 v)
{
    return nc_v3(fabs(v.x), fabs(v.y), fabs(v.z));
}

static void take_wider(box_axis *best, int first, nc_vec3 gaps)
{
    if (gaps.x > best->gap)
        *best = (box_axis){first, gaps.x};
    if (gaps.y > best->gap)
        *best = (box_axis){first + 1, gaps.y};
    if (gaps.z > best->gap)
        *best = (box_axis){first + 2, gaps.z};
}

// The axis along which the boxes are farthest apart at one time: separating axes in the two bodies' own frames.
static box_axis best_axis(const nc_pair_pose *at, const nc_node_shape *a, const nc_node_shape *b, nc_vec3 center)
{
    const nc_vec3 in_a = abs3(nc_mat3_tmul(at->ra, center)), in_b = abs3(nc_mat3_tmul(at->rb, center));
    const nc_vec3 b_in_a = nc_mat3_mul(at->turn_size, b->half), a_in_b = nc_mat3_tmul(at->turn_size, a->half);
    box_axis best = {0, -INFINITY};
    take_wider(&best, 0, nc_sub(nc_sub(in_a, a->half), b_in_a));
    take_wider(&best, 3, nc_sub(nc_sub(in_b, b->half), a_in_b));
    return best;
}

// An axis at both ends of the interval, turning with its body, on A's side at the end where it was chosen.
static directions axis_directions(int axis, const nc_pair_pose *from, const nc_pair_pose *to, nc_vec3 center,
                                  bool chosen_at_start)
{
    const nc_mat3 *first = axis < 3 ? &from->ra : &from->rb, *last = axis < 3 ? &to->ra : &to->rb;
    const directions n = {column(first, axis % 3), column(last, axis % 3)};
    const bool away = nc_dot(chosen_at_start ? n.from : n.to, center) < 0;
    return away ? (directions){nc_neg(n.from), nc_neg(n.to)} : n;
}

static void lower_distance(sweep *s, double bound)
{
    s->result.distance = bound < s->result.distance ? bound : s->result.distance;
}

static bool keep_bound(sweep *s, double bound)
{
    if (!(bound > s->options->gap.floor))
        return false;
    lower_distance(s, bound);
    return true;
}

static bool certify_boxes(sweep *s, const node_pair *p, const moving_boxes *boxes, directions n)
{
    return keep_bound(
        s,
        nc_certificate_bound_boxes(&boxes->a, &boxes->b, p->center_from, p->center_to, n.from, n.to, p->size) - p->off);
}

// The cheap certificate: along a direction n that stays, the boxes are `gap` apart at one end of the interval, and come
// no nearer than their centres do along n and their points by turning. Rounding: docs/theory/detection.md.
// Straight paths squeeze bodies on the way: there the gap, found for axes at right angles, means nothing.
static bool gap_outlasts(sweep *s, const node_pair *p, double gap, nc_vec3 n, nc_vec3 center_change)
{
    if (s->pair.chords)
        return false;
    const double nearer = nc_dot(n, center_change);
    const double rounding = 256.0 * NC_UNIT_ROUNDOFF * p->size;
    return keep_bound(s, gap + (nearer < 0 ? nearer : 0) - p->turned - rounding - p->off);
}

// Certifies that the boxes stay apart; *n gets the direction that did, or one that was tried. Only the boxes' own axes
// are tried: where the boxes overlap along all of them at one end, no certificate along them holds, and what does keep
// the surfaces apart is found sooner by their points (patches_stay_apart) than by the boxes' centres.
static bool boxes_stay_apart(sweep *s, const node_pair *p, directions *n)
{
    const double need = s->options->gap.floor + p->off; // less than this at one end, and no certificate can hold
    const nc_vec3 change = nc_sub(p->center_to, p->center_from);
    s->result.counts.node_tests++;
    const box_axis first = best_axis(p->from, p->a, p->b, p->center_from);
    *n = axis_directions(first.axis, p->from, p->to, p->center_from, true);
    if (!(first.gap > need))
        return false;
    if (gap_outlasts(s, p, first.gap, n->from, change))
        return true;
    const box_axis last = best_axis(p->to, p->a, p->b, p->center_to);
    const directions n_last = axis_directions(last.axis, p->from, p->to, p->center_to, false);
    if (!(last.gap > need))
        return false;
    if (gap_outlasts(s, p, last.gap, n_last.to, nc_neg(change)))
        return true;
    const moving_boxes boxes = place_boxes(p);
    return certify_boxes(s, p, &boxes, *n) || (last.axis != first.axis && certify_boxes(s, p, &boxes, n_last));
}

// Two small parts of the surfaces: one direction that keeps all points of the one from all of the other. When there is
// none, *n is the last that was tried: it may do for a part of them.
static bool patches_stay_apart(sweep *s, const node_pair *p, directions *n)
{
    if (p->a->patch.count == 0 || p->b->patch.count == 0)
        return false;
    const double off = p->off + 256.0 * NC_UNIT_ROUNDOFF * p->size;
    double bound;
    s->result.counts.element_tests++;
    const bool apart = nc_clouds_stay_apart(p->a->patch, p->b->patch, p->from, p->to, s->options->gap.floor + off,
                                            NC_SWEEP_PATCH_STEPS, &n->from, &bound);
    n->to = n->from;
    return apart && keep_bound(s, bound - off);
}

// ---- features -----------------------------------------------------------------------------------------------

static void keep_earliest(sweep *s, const nc_feature_sweep *found, nc_feature_id id)
{
    nc_sweep_result *r = &s->result;
    if (found->verdict == NC_CLEAR)
        return;
    // Ties: a hit before an undecided pair, then by kind and rows.
    const bool earlier = found->toi < r->toi || r->verdict == NC_CLEAR;
    const bool tie = found->toi == r->toi;
    const bool wins_tie = found->verdict != r->verdict ? found->verdict == NC_HIT
                          : id.kind != r->feature.kind ? id.kind < r->feature.kind
                          : id.a != r->feature.a       ? id.a < r->feature.a
                                                       : id.b < r->feature.b;
    if (!earlier && !(tie && wins_tie))
        return;
    r->verdict = found->verdict;
    r->toi = found->toi;
    r->feature = id;
    r->nearest = found->nearest;
    r->start_distance = found->start_distance;
}

// What has not been examined is undecided from its start on: never clear.
static void give_up(sweep *s, double t0)
{
    const nc_feature_sweep given_up = {NC_UNDECIDED, t0, {0, 0, 0}, 0, -1};
    keep_earliest(s, &given_up, (nc_feature_id){NC_VERTEX_FACE, -1, -1});
}

// Evaluations that may still be made.
static int left_of_budget(const sweep *s)
{
    if (s->stopped)
        return 0;
    const int budget = s->options->budget, cost = nc_sweep_cost(&s->result.counts);
    return budget == 0 ? INT_MAX : budget > cost ? budget - cost : 0;
}

static void sweep_features(sweep *s, const nc_feature_pair *features, nc_feature_id id, double t0, double t1)
{
    // Nothing after the earliest event matters.
    const double end = s->result.verdict == NC_CLEAR ? t1 : fmin(t1, s->result.toi);
    if (!(end > t0))
        return;
    const int left = left_of_budget(s);
    if (left == 0) {
        give_up(s, t0);
        return;
    }
    s->result.counts.feature_tests++;
    s->for_features.limit = left < s->options->limit ? left : s->options->limit;
    nc_feature_sweep found = nc_sweep_curved(&s->pair, features, t0, end, &s->for_features, &s->result.distance);
    s->result.counts.evaluations += found.evaluations;
    if (!features->first_in_a)
        found.nearest = nc_neg(found.nearest);
    keep_earliest(s, &found, id);
}

// The vertices that `one` owns (of A when one_is_a) against the triangle `other`.
static void sweep_vertices(sweep *s, const nc_element_features *one, const nc_mesh_data *one_data,
                           const nc_element_features *other, const nc_mesh_data *other_data, int other_element,
                           bool one_is_a, double t0, double t1)
{
    if (other->corners != 3)
        return;
    nc_feature_pair features = {.kind = NC_HULL_TRIANGLE, .first_in_a = one_is_a};
    for (int i = 0; i < 3; i++)
        features.corner[1 + i] = other_data->vertices[other->vertex[i]];
    for (int k = 0; k < one->corners; k++) {
        if (!(one->owned_vertices >> k & 1))
            continue;
        features.corner[0] = one_data->vertices[one->vertex[k]];
        const nc_feature_id id = one_is_a ? (nc_feature_id){NC_VERTEX_FACE, one->vertex[k], other_element}
                                          : (nc_feature_id){NC_FACE_VERTEX, other_element, one->vertex[k]};
        sweep_features(s, &features, id, t0, t1);
    }
}

// An edge of an element, or its only point taken for an edge of no length.
typedef struct edge_like {
    nc_vec3 end[2];
    int row;
    bool is_point;
} edge_like;

static int owned_edges(const nc_element_features *f, const nc_mesh_data *data, edge_like out[3])
{
    int count = 0;
    const int edges = f->corners == 3 ? 3 : f->corners - 1;
    for (int k = 0; k < edges; k++)
        if (f->owned_edges >> k & 1)
            out[count++] =
                (edge_like){{data->vertices[data->edges[f->edge[k]][0]], data->vertices[data->edges[f->edge[k]][1]]},
                            f->edge[k],
                            false};
    if (f->corners == 1)
        out[count++] = (edge_like){{data->vertices[f->vertex[0]], data->vertices[f->vertex[0]]}, f->vertex[0], true};
    return count;
}

static nc_feature_id edge_id(const edge_like *a, const edge_like *b)
{
    const nc_feature_kind kind = a->is_point && b->is_point ? NC_VERTEX_VERTEX
                                 : a->is_point              ? NC_VERTEX_EDGE
                                 : b->is_point              ? NC_EDGE_VERTEX
                                                            : NC_EDGE_EDGE;
    return (nc_feature_id){kind, a->row, b->row};
}

static void sweep_edges(sweep *s, const nc_element_features *a, const nc_element_features *b, double t0, double t1)
{
    edge_like in_a[3], in_b[3];
    const int count_a = owned_edges(a, &s->data_a, in_a), count_b = owned_edges(b, &s->data_b, in_b);
    for (int i = 0; i < count_a; i++) {
        for (int j = 0; j < count_b; j++) {
            if ((in_a[i].is_point && b->corners == 3) || (in_b[j].is_point && a->corners == 3))
                continue; // the triangle's face answers for its edges
            const nc_feature_pair features = {
                NC_HULL_PARALLELOGRAM, true, {in_a[i].end[0], in_a[i].end[1], in_b[j].end[0], in_b[j].end[1]}};
            sweep_features(s, &features, edge_id(&in_a[i], &in_b[j]), t0, t1);
        }
    }
}

// ---- elements -----------------------------------------------------------------------------------------------

// An element's corners at both ends of the interval, in the pair's frame.
typedef struct moving_element {
    nc_vec3 from[3], to[3];
    const nc_element_features *features;
    double size; // [m] largest coordinate
} moving_element;

static moving_element place_element(const nc_mesh_data *data, const nc_element_features *features,
                                    const nc_pair_pose *from, const nc_pair_pose *to, bool in_a)
{
    moving_element e;
    e.features = features;
    e.size = 0;
    double sum = 0;
    for (int i = 0; i < features->corners; i++) {
        const nc_vec3 v = data->vertices[features->vertex[i]];
        e.from[i] = in_a ? nc_add(from->x, nc_mat3_mul(from->ra, v)) : nc_mat3_mul(from->rb, v);
        e.to[i] = in_a ? nc_add(to->x, nc_mat3_mul(to->ra, v)) : nc_mat3_mul(to->rb, v);
        const double first = nc_max3(e.from[i]), last = nc_max3(e.to[i]), larger = first > last ? first : last;
        e.size = larger > e.size ? larger : e.size; // NaN is caught by the sum
        sum += first + last;
    }
    e.size = sum - sum == 0 ? e.size : NAN;
    return e;
}

static nc_vec3 face_normal(const nc_vec3 *corner)
{
    return nc_cross(nc_sub(corner[1], corner[0]), nc_sub(corner[2], corner[0]));
}

// The normal of a triangle, turning with it, towards A's side.
static directions face_directions(const moving_element *face, const moving_element *a, const moving_element *b)
{
    directions n = {face_normal(face->from), face_normal(face->to)};
    if (nc_dot(n.from, nc_sub(a->from[0], b->from[0])) < 0)
        n = (directions){nc_neg(n.from), nc_neg(n.to)};
    return n;
}

static bool elements_stay_apart(sweep *s, const moving_element *a, const moving_element *b, directions n, double off)
{
    s->result.counts.element_tests++;
    const nc_points in_a = {a->from, a->to, a->features->corners}, in_b = {b->from, b->to, b->features->corners};
    double best = -INFINITY;
    for (int k = 0; k < 3 && !(best > NC_SWEEP_WEAK_FLOORS * s->options->gap.floor); k++) {
        if (k > 0) {
            const moving_element *face = k == 1 ? a : b;
            if (face->features->corners != 3)
                continue;
            n = face_directions(face, a, b);
        }
        const double bound = nc_certificate_bound(in_a, in_b, n.from, n.to, a->size + b->size) - off;
        best = bound > best ? bound : best;
    }
    return keep_bound(s, best);
}

static void sweep_leaves(sweep *s, const work *w, directions n, double off, const nc_pair_pose *from,
                         const nc_pair_pose *to)
{
    const nc_bvh_node *leaf_a = &s->tree_a.nodes[w->a], *leaf_b = &s->tree_b.nodes[w->b];
    moving_element in_b[NC_BVH_LEAF_MAX];
    for (int j = 0; j < leaf_b->count; j++)
        in_b[j] = place_element(&s->data_b, &s->tree_b.features[leaf_b->first + j], from, to, false);
    for (int i = 0; i < leaf_a->count; i++) {
        const int slot_a = leaf_a->first + i;
        const moving_element a = place_element(&s->data_a, &s->tree_a.features[slot_a], from, to, true);
        for (int j = 0; j < leaf_b->count; j++) {
            const int slot_b = leaf_b->first + j;
            if (elements_stay_apart(s, &a, &in_b[j], n, off))
                continue;
            sweep_vertices(s, a.features, &s->data_a, in_b[j].features, &s->data_b, s->tree_b.order[slot_b], true,
                           w->t0, w->t1);
            sweep_vertices(s, in_b[j].features, &s->data_b, a.features, &s->data_a, s->tree_a.order[slot_a], false,
                           w->t0, w->t1);
            sweep_edges(s, a.features, in_b[j].features, w->t0, w->t1);
        }
    }
}

// ---- the descent --------------------------------------------------------------------------------------------

// When there is no room to wait, the pair counts as undecided from its start: never as clear.
static void wait(sweep *s, work w)
{
    if (s->waiting_count < NC_SWEEP_MAX_WAITING) {
        s->waiting[s->waiting_count++] = w;
        return;
    }
    give_up(s, w.t0);
}

// [m^2] squared, between the middles of two nodes at the start of the interval.
static double middles_apart2(const sweep *s, const work *w)
{
    return nc_norm2(center_difference(&s->from, s->tree_a.shapes[w->a].center, s->tree_b.shapes[w->b].center));
}

// The nearer child is examined first: what is found early spares what comes after it.
static void open_node(sweep *s, const work *w, bool open_a)
{
    const int node = open_a ? w->a : w->b;
    const int right = open_a ? s->tree_a.nodes[node].right : s->tree_b.nodes[node].right;
    work left_work = *w, right_work = *w;
    *(open_a ? &left_work.a : &left_work.b) = node + 1;
    *(open_a ? &right_work.a : &right_work.b) = right;
    const bool left_first = middles_apart2(s, &left_work) <= middles_apart2(s, &right_work);
    wait(s, left_first ? right_work : left_work);
    wait(s, left_first ? left_work : right_work);
}

static void halve(sweep *s, const work *w)
{
    const double middle = w->t0 + 0.5 * (w->t1 - w->t0);
    wait(s, (work){w->a, w->b, middle, w->t1});
    wait(s, (work){w->a, w->b, w->t0, middle});
}

// ---- a whole body against leaves ----------------------------------------------------------------------------
// A small body beside a large surface: each triangle near it has all of the body on one side of its plane, as long as
// the surface does not wrap around the body.

// Is all of `body` beyond the triangle along the triangle's normal at the start of the interval, at both ends of it?
static bool is_beyond(sweep *s, const node_pair *p, const moving_element *face, bool body_is_a)
{
    const nc_cloud body = body_is_a ? s->tree_a.whole : s->tree_b.whole;
    if (face->features->corners != 3)
        return false;
    nc_vec3 n = face_normal(face->from);
    const double length = nc_norm(n);
    if (!(length > SHORTEST_NORMAL))
        return false;
    const nc_vec3 center = body_is_a ? p->from->x : nc_v3(0, 0, 0);
    n = nc_scale(nc_dot(n, nc_sub(center, face->from[0])) < 0 ? -1.0 / length : 1.0 / length, n);
    double least = INFINITY;
    for (int end = 0; end < 2; end++) {
        const nc_pair_pose *at = end == 0 ? p->from : p->to;
        const nc_vec3 *corner = end == 0 ? face->from : face->to;
        const double x = nc_dot(n, corner[0]), y = nc_dot(n, corner[1]), z = nc_dot(n, corner[2]);
        const double highest = fmax(fmax(x, y), z);
        const double low = nc_cloud_lowest(body, nc_mat3_tmul(body_is_a ? at->ra : at->rb, n));
        const double gap = low + (body_is_a ? nc_dot(n, at->x) : 0.0) - highest;
        least = gap < least ? gap : least;
        if (!(gap > 0)) // NaN too
            return false;
    }
    return keep_bound(s, least - 256.0 * NC_UNIT_ROUNDOFF * p->size - p->off);
}

// One node is the root of a small mesh, the other a leaf of a large one, all of whose triangles are beyond it.
static bool leaf_is_beyond(sweep *s, const work *w, const node_pair *p, bool body_is_a)
{
    const nc_mesh_tree *tree = body_is_a ? &s->tree_b : &s->tree_a;
    const nc_mesh_data *data = body_is_a ? &s->data_b : &s->data_a;
    const nc_bvh_node *leaf = &tree->nodes[body_is_a ? w->b : w->a];
    for (int k = 0; k < leaf->count; k++) {
        const moving_element face = place_element(data, &tree->features[leaf->first + k], p->from, p->to, !body_is_a);
        s->result.counts.element_tests++;
        if (!is_beyond(s, p, &face, body_is_a))
            return false;
    }
    return true;
}

// Where the bodies are at the ends of an interval, kept from one pair of nodes to the next.
static void read_interval(sweep *s, double t0, double t1)
{
    if (s->from.t != t0)
        s->from = *nc_pair_at(&s->pair, t0);
    if (s->to.t != t1)
        s->to = *nc_pair_at(&s->pair, t1);
    s->offset = nc_norm(s->from.x) + nc_norm(s->to.x);
}

static void read_pair(sweep *s, const work *w, node_pair *p)
{
    if (s->from.t != w->t0 || s->to.t != w->t1)
        read_interval(s, w->t0, w->t1);
    p->a = &s->tree_a.shapes[w->a];
    p->b = &s->tree_b.shapes[w->b];
    p->from = &s->from;
    p->to = &s->to;
    p->center_from = center_difference(p->from, p->a->center, p->b->center);
    p->center_to = center_difference(p->to, p->a->center, p->b->center);
    const nc_vec3 halves = nc_add(p->a->half, p->b->half);
    p->size = 2.0 * (halves.x + halves.y + halves.z + p->a->reach + p->b->reach + s->offset);
}

// The larger node is opened; but the root of a small mesh stays whole until the other one is a leaf.
static bool opens_a(const sweep *s, const work *w, bool a_is_larger)
{
    const bool leaf_a = s->tree_a.nodes[w->a].count > 0, leaf_b = s->tree_b.nodes[w->b].count > 0;
    if (leaf_a || leaf_b)
        return !leaf_a;
    if (s->small_a && w->a == 0)
        return false;
    return (s->small_b && w->b == 0) || a_is_larger;
}

static void process(sweep *s, const work *w)
{
    const nc_bvh_node *node_a = &s->tree_a.nodes[w->a], *node_b = &s->tree_b.nodes[w->b];
    node_pair p;
    read_pair(s, w, &p);
    const double span = w->t1 - w->t0, strays = nc_pair_deviation(&s->pair, p.a->reach, p.b->reach, span);
    const double extent_a = p.a->extent, extent_b = p.b->extent, extent = extent_a + extent_b;
    p.off = strays + s->pair.error;
    p.turned = span * (s->pair.turn_a * extent_a + s->pair.turn_b * extent_b) * (1.0 + 64.0 * NC_UNIT_ROUNDOFF);
    directions n;
    if (boxes_stay_apart(s, &p, &n) || patches_stay_apart(s, &p, &n))
        return;
    const bool whole_a = w->a == 0 && s->small_a && node_b->count > 0,
               whole_b = w->b == 0 && s->small_b && node_a->count > 0;
    if ((whole_a && leaf_is_beyond(s, w, &p, true)) || (whole_b && leaf_is_beyond(s, w, &p, false)))
        return;
    const double travels = nc_norm(nc_sub(p.center_to, p.center_from));
    const bool moves_much = strays > NC_SWEEP_STRAY_SHARE * extent || travels > NC_SWEEP_TRAVEL_SHARE * extent;
    const bool leaves = node_a->count > 0 && node_b->count > 0;
    if (moves_much && span > NC_SWEEP_MIN_SPAN)
        halve(s, w);
    else if (leaves)
        sweep_leaves(s, w, n, p.off, p.from, p.to);
    else
        open_node(s, w, opens_a(s, w, extent_a >= extent_b));
}

static void poll(sweep *s)
{
    const int cost = nc_sweep_cost(&s->result.counts);
    if (cost < s->next_poll)
        return;
    s->next_poll = cost + NC_EFFORT_POLL_EVALUATIONS;
    s->stopped = s->stopped || nc_interrupt_requested(s->options->interrupt);
}

static void sweep_interval(sweep *s, double t0, double t1)
{
    nc_pair_interval(&s->pair, t0, t1);
    if (s->hint != NULL && nc_whole_stay_apart(&s->pair, s->tree_a.whole, s->tree_b.whole, t0, t1,
                                               s->options->gap.floor, s->hint, &s->result.distance))
        return;
    wait(s, (work){0, 0, t0, t1});
    while (s->waiting_count > 0) {
        work w = s->waiting[--s->waiting_count];
        if (s->result.verdict != NC_CLEAR && s->result.toi < w.t1)
            w.t1 = s->result.toi; // nothing after the earliest event matters
        if (!(w.t0 < w.t1))
            continue;
        poll(s);
        if (left_of_budget(s) > 0)
            process(s, &w);
        else
            give_up(s, w.t0);
    }
}

// What is kept whole is the smaller body, however few its vertices: a bin of 8 of them is not small beside a bolt.
static bool is_small(double radius, double other_radius, bool other_is_cloud)
{
    return radius <= (other_is_cloud ? NC_SWEEP_WHOLE_SHARE : 1.0) * other_radius;
}

nc_sweep_result nc_sweep_meshes(const nc_mesh *a, const nc_path *path_a, const nc_mesh *b, const nc_path *path_b,
                                double t0, double t1, const nc_mesh_sweep_options *options, nc_whole_hint *hint)
{
    sweep s; // most of it is room that is not used
    s.options = options;
    s.for_features = *options;
    s.stopped = false;
    s.next_poll = NC_EFFORT_POLL_EVALUATIONS;
    s.waiting_count = 0;
    s.from.t = s.to.t = -1;
    s.data_a = nc_mesh_view(a);
    s.data_b = nc_mesh_view(b);
    s.tree_a = nc_mesh_tree_view(a);
    s.tree_b = nc_mesh_tree_view(b);
    s.result = (nc_sweep_result){.verdict = NC_CLEAR, .toi = t1, .distance = INFINITY, .start_distance = -1};
    const bool few_a = s.tree_a.whole.count > 0, few_b = s.tree_b.whole.count > 0;
    s.small_a = few_a && is_small(s.data_a.radius, s.data_b.radius, few_b);
    s.small_b = few_b && is_small(s.data_b.radius, s.data_a.radius, few_a);
    s.hint = few_a && few_b ? hint : NULL;
    nc_pair_begin(&s.pair, path_a, s.data_a.radius, path_b, s.data_b.radius, options->chords);
    s.pair.ends_a = options->ends_a;
    s.pair.ends_b = options->ends_b;
    // No interval straddles the end of a segment.
    for (double begin = t0; begin < t1 && (s.result.verdict == NC_CLEAR || begin < s.result.toi);) {
        const double end = fmin(t1, nc_pair_next_break(&s.pair, begin));
        sweep_interval(&s, begin, end);
        begin = end;
    }
    return s.result;
}
