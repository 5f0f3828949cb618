// Which near pairs make contacts: English 4.3.1, with the reasons in docs/theory/proximity.md.
//
// For a contact between p on one body and q on the other, p must be what q sees of p's body: no point of that body is
// nearer to q by more than what a tilt by `angle` explains, the nearest one lies within `angle` of p, and nothing of
// that body is in between. For a vertex and its nearest face one half of this is given; edges are asked both ways.
// The local filter asks the same of the surface around p only, and both ways always.
#include "narrow/proximity.h"

typedef struct filter {
    const nc_near_frame *frame;
    nc_near_candidates *candidates;
    bool local;
    const nc_near_slots *partners; // away's and home's
    double cosine, sine;           // of the angle
} filter;

// ---- the nearest point of a body ----------------------------------------------------------------------------

// A mesh in its own frame.
typedef struct body {
    const nc_mesh_data *data;
    const nc_mesh_tree *tree;
} body;

typedef struct nearest {
    nc_vec3 q;        // [m] the point that looks
    double best2;     // [m^2] nothing found yet is nearer
    double enough2;   // [m^2] nearer than this need not be distinguished
    nc_vec3 from;     // [m] from the nearest point to q
    bool is_anything; // was anything found at all?
} nearest;

static double point_box_gap2(nc_vec3 q, const nc_box *box)
{
    const double x = nc_positive(box->lo.x - q.x) + nc_positive(q.x - box->hi.x);
    const double y = nc_positive(box->lo.y - q.y) + nc_positive(q.y - box->hi.y);
    const double z = nc_positive(box->lo.z - q.z) + nc_positive(q.z - box->hi.z);
    return x * x + y * y + z * z;
}

// From the element's nearest point to q.
static nc_vec3 from_element(const body *b, const nc_element_features *f, nc_vec3 q)
{
    nc_vec3 w[4];
    for (int i = 0; i < f->corners; i++)
        w[i] = nc_sub(q, b->data->vertices[f->vertex[i]]);
    if (f->corners == 3)
        return nc_hull_nearest(NC_HULL_TRIANGLE, w);
    w[1] = w[3] = w[f->corners - 1];
    w[2] = w[0];
    return f->corners == 1 ? w[0] : nc_hull_nearest(NC_HULL_PARALLELOGRAM, w);
}

static void look_at_leaf(const body *b, const nc_bvh_node *leaf, nearest *n)
{
    for (int slot = leaf->first; slot < leaf->first + leaf->count; slot++) {
        const nc_vec3 from = from_element(b, &b->tree->features[slot], n->q);
        const double d2 = nc_norm2(from);
        if (!(d2 < n->best2))
            continue;
        n->best2 = d2;
        n->from = from;
        n->is_anything = true;
    }
}

// Searches nearer nodes first, and stops once it is near enough.
static void find_nearest(const body *b, nearest *n)
{
    struct {
        int node;
        double gap2;
    } stack[NC_BVH_MAX_DEPTH + 1];
    const nc_bvh_node *nodes = b->tree->nodes;
    int top = 1;
    stack[0].node = 0;
    stack[0].gap2 = 0;
    while (top > 0 && n->best2 >= n->enough2) {
        const int at = stack[--top].node;
        if (!(stack[top].gap2 < n->best2))
            continue;
        if (nodes[at].count > 0) {
            look_at_leaf(b, &nodes[at], n);
            continue;
        }
        const int left = at + 1, right = nodes[at].right;
        const double gap_left = point_box_gap2(n->q, &nodes[left].box);
        const double gap_right = point_box_gap2(n->q, &nodes[right].box);
        const bool left_first = gap_left <= gap_right;
        stack[top].node = left_first ? right : left;
        stack[top++].gap2 = left_first ? gap_right : gap_left;
        stack[top].node = left_first ? left : right;
        stack[top++].gap2 = left_first ? gap_left : gap_right;
    }
}

// ---- the occlusion ray --------------------------------------------------------------------------------------

// Does the body meet the segment? Touching counts.
static bool is_crossed(const body *b, const nc_vec3 segment[2])
{
    const nc_box box = {nc_min_v3(segment[0], segment[1]), nc_max_v3(segment[0], segment[1])};
    const nc_bvh_node *nodes = b->tree->nodes;
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int at = stack[--top];
        if (!nc_box_overlap(box, nodes[at].box))
            continue;
        for (int slot = nodes[at].first; slot < nodes[at].first + nodes[at].count; slot++) {
            nc_vec3 corner[3];
            const nc_element_features *f = &b->tree->features[slot];
            for (int i = 0; i < f->corners; i++)
                corner[i] = b->data->vertices[f->vertex[i]];
            if (nc_simplex_intersect(segment, 2, corner, f->corners))
                return true;
        }
        if (nodes[at].count == 0) {
            stack[top++] = nodes[at].right;
            stack[top++] = at + 1;
        }
    }
    return false;
}

// ---- the angle ----------------------------------------------------------------------------------------------

// Is p, on the body at home or away, what q sees of that body? Both in home's frame, d apart.
static bool is_seen(const filter *f, bool at_home, nc_vec3 p, nc_vec3 q, double d)
{
    const nc_near_frame *frame = f->frame;
    const body b = {at_home ? &frame->home : &frame->away, at_home ? &frame->home_tree : &frame->away_tree};
    if (!at_home) {
        p = nc_near_to_away(frame, p);
        q = nc_near_to_away(frame, q);
    }
    const double nearer = d * (1 - 1e-9) - frame->slack, tilted = f->cosine * d - frame->slack;
    if (!(nearer > 0))
        return true; // touching: there is no direction to judge
    nearest n = {.q = q, .best2 = nearer * nearer, .enough2 = tilted > 0 ? tilted * tilted : 0};
    find_nearest(&b, &n);
    if (!n.is_anything)
        return true;
    const nc_vec3 from_p = nc_sub(q, p);
    if (n.best2 < n.enough2 || nc_dot(n.from, from_p) < f->cosine * d * sqrt(n.best2))
        return false;
    const nc_vec3 ray[2] = {q, nc_madd(p, NC_NEAR_SMALL, from_p)};
    return !is_crossed(&b, ray);
}

// ---- the same, asked of the surface around p alone -----------------------------------------------------------

// What q may see of a body instead of p.
typedef struct view {
    const filter *filter;
    const body *body;
    nc_vec3 p, q, to_q; // [m] in the body's frame; to_q from p
    double d, small, slack;
} view;

// How near an edge comes to a segment, from above.
static double edge_distance(const nc_vec3 segment[2], nc_vec3 from, nc_vec3 to)
{
    const nc_vec3 w[4] = {nc_sub(segment[0], from), nc_sub(segment[0], to), nc_sub(segment[1], from),
                          nc_sub(segment[1], to)};
    return nc_norm(nc_hull_nearest(NC_HULL_PARALLELOGRAM, w));
}

// Does the element cross the line of sight, or come as near to it as makes no difference?
static bool is_in_the_way(const view *v, const nc_element_features *e)
{
    const nc_vec3 ray[2] = {v->q, nc_madd(v->p, 4 * NC_NEAR_SMALL, v->to_q)};
    nc_vec3 corner[3];
    for (int i = 0; i < e->corners; i++)
        corner[i] = v->body->data->vertices[e->vertex[i]];
    for (int i = 0; i < e->corners; i++)
        if (edge_distance(ray, corner[i], corner[i + 1 < e->corners ? i + 1 : 0]) <= v->small)
            return true;
    return e->corners == 3 && nc_simplex_intersect(ray, 2, corner, 3);
}

// An element that comes nearer to q than p is; `from` leads from its nearest point to q. At p it must not lead
// towards q by more than a tilt explains; elsewhere it must not hide p.
static bool hides(const view *v, const nc_element_features *e, nc_vec3 from)
{
    if (nc_norm(from_element(v->body, e, v->p)) <= v->small) {
        const nc_vec3 along = nc_sub(v->to_q, from);
        return nc_dot(along, v->to_q) > v->filter->sine * nc_norm(along) * v->d;
    }
    return nc_norm(from) < v->d * (1 - 2 * NC_NEAR_SMALL) - v->slack && is_in_the_way(v, e);
}

// The same, four at a time.
static bool is_hidden_by_fours(const view *v, const nc_near_slots *partners, double nearer2)
{
    const nc_copy copy = nc_best_copy();
    for (int i = 0; i * NC_LANES < partners->count; i++) {
        nc_near_from out;
        int mask = nc_near_four_nearer(copy, &partners->four[i], v->q, nearer2, &out) & nc_near_four_lanes(partners, i);
        for (int k = 0; mask != 0; k++, mask >>= 1) {
            const nc_vec3 from = {out.from[0][k], out.from[1][k], out.from[2][k]};
            const nc_element_features *e = &v->body->tree->features[partners->slot[i * NC_LANES + k]];
            if ((mask & 1) != 0 && hides(v, e, from))
                return true;
        }
    }
    return false;
}

// Whatever comes nearer to q than p is a partner of the element that q is on.
static bool is_hidden_by(const view *v, const nc_near_slots *partners, double nearer)
{
    const double nearer2 = nearer * nearer;
    if (partners->in_fours)
        return is_hidden_by_fours(v, partners, nearer2);
    for (int k = 0; k < partners->count; k++) {
        if (!(point_box_gap2(v->q, &partners->box[k]) < nearer2))
            continue;
        const nc_element_features *e = &v->body->tree->features[partners->slot[k]];
        const nc_vec3 from = from_element(v->body, e, v->q);
        if (nc_norm2(from) < nearer2 && hides(v, e, from))
            return true;
    }
    return false;
}

static bool is_hidden(const view *v, double nearer)
{
    const nc_bvh_node *nodes = v->body->tree->nodes;
    const double nearer2 = nearer * nearer;
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int at = stack[--top];
        if (!(point_box_gap2(v->q, &nodes[at].box) < nearer2))
            continue;
        for (int slot = nodes[at].first; slot < nodes[at].first + nodes[at].count; slot++) {
            const nc_element_features *e = &v->body->tree->features[slot];
            const nc_vec3 from = from_element(v->body, e, v->q);
            if (nc_norm2(from) < nearer2 && hides(v, e, from))
                return true;
        }
        if (nodes[at].count == 0) {
            stack[top++] = nodes[at].right;
            stack[top++] = at + 1;
        }
    }
    return false;
}

static bool is_seen_locally(const filter *f, bool at_home, nc_vec3 p, nc_vec3 q, double d)
{
    const nc_near_frame *frame = f->frame;
    const body b = {at_home ? &frame->home : &frame->away, at_home ? &frame->home_tree : &frame->away_tree};
    view v = {.filter = f, .body = &b, .p = p, .q = q, .d = d, .slack = frame->slack};
    if (!at_home) {
        v.p = nc_near_to_away(frame, p);
        v.q = nc_near_to_away(frame, q);
    }
    v.to_q = nc_sub(v.q, v.p);
    v.small = NC_NEAR_SMALL * d + frame->slack;
    const double nearer = d * (1 - 1e-9) - frame->slack;
    if (!(nearer > 0))
        return true;
    const nc_near_slots *partners = &f->partners[at_home];
    return partners->count >= 0 ? !is_hidden_by(&v, partners, nearer) : !is_hidden(&v, nearer);
}

// ---- both ways ----------------------------------------------------------------------------------------------

static bool passes(const filter *f, const nc_proximity *p)
{
    const double d = p->distance;
    if (f->local)
        return is_seen_locally(f, true, p->on_a, p->on_b, d) && is_seen_locally(f, false, p->on_b, p->on_a, d);
    const bool edges = p->feature.kind == NC_EDGE_EDGE, home = nc_vertex_is_home(p->feature.kind);
    return ((!edges && !home) || is_seen(f, true, p->on_a, p->on_b, d)) &&
           ((!edges && home) || is_seen(f, false, p->on_b, p->on_a, d));
}

// ---- contacts of one vertex in several directions ------------------------------------------------------------

static bool comes_before(const nc_proximity *p, const nc_proximity *q)
{
    const nc_feature_id *a = &p->feature, *b = &q->feature;
    return p->distance != q->distance ? p->distance < q->distance
           : a->kind != b->kind       ? a->kind < b->kind
           : a->a != b->a             ? a->a < b->a
                                      : a->b < b->b;
}

// Has the vertex another candidate in the same direction, up to the angle, that is nearer?
static bool is_beaten(const filter *f, const nc_proximity *p)
{
    const bool home = nc_vertex_is_home(p->feature.kind);
    const int vertex = home ? p->feature.a : p->feature.b;
    const nc_vec3 to_p = nc_sub(p->on_a, p->on_b);
    const nc_proximity *q = nc_near_candidate_first(f->candidates, home, vertex);
    for (; q != NULL; q = nc_near_candidate_next(f->candidates, q, home, vertex))
        if (comes_before(q, p) && nc_dot(to_p, nc_sub(q->on_a, q->on_b)) >= f->cosine * p->distance * q->distance)
            return true;
    return false;
}

// ---- two vertices that face each other -----------------------------------------------------------------------

static bool is_near(nc_vec3 a, nc_vec3 b, double small)
{
    return nc_norm2(nc_sub(a, b)) <= small * small;
}

// The vertices of home's feature of p: 3, 2 or 1; returns how many.
static int home_vertices(const nc_near_frame *frame, const nc_proximity *p, const int **out)
{
    const bool face = p->feature.kind == NC_FACE_VERTEX;
    *out = face ? frame->home.triangles[p->feature.a] : frame->home.edges[p->feature.a];
    return face ? 3 : 2;
}

// Away's vertex found home's, and home's found away's: one contact, not two. That of home's vertex stays.
static bool is_mirrored(const filter *f, const nc_proximity *p)
{
    const double small = NC_NEAR_SMALL * p->distance + f->frame->slack;
    const int *vertex;
    const int count = home_vertices(f->frame, p, &vertex);
    for (int i = 0; i < count; i++) {
        if (!is_near(p->on_a, f->frame->home.vertices[vertex[i]], small))
            continue;
        const nc_proximity *q = nc_near_candidate_first(f->candidates, true, vertex[i]);
        for (; q != NULL; q = nc_near_candidate_next(f->candidates, q, true, vertex[i]))
            if (is_near(p->on_b, q->on_b, small))
                return true;
    }
    return false;
}

// ---- boxes of partners ---------------------------------------------------------------------------------------

static nc_box box_of_element(const nc_mesh_data *data, const nc_element_features *f)
{
    const nc_vec3 first = data->vertices[f->vertex[0]];
    nc_box box = {first, first};
    for (int i = 1; i < f->corners; i++)
        box = nc_box_add(box, data->vertices[f->vertex[i]]);
    return box;
}

static bool are_triangles(const nc_mesh_tree *tree, const nc_near_slots *partners)
{
    for (int k = 0; k < partners->count; k++)
        if (tree->features[partners->slot[k]].corners != 3)
            return false;
    return true;
}

// The last one fills the lanes that are left over.
static void put_fours(const nc_mesh_data *data, const nc_mesh_tree *tree, nc_near_slots *partners)
{
    const int count = partners->count, room = (count + NC_LANES - 1) / NC_LANES * NC_LANES;
    for (int k = 0; k < room; k++) {
        const nc_element_features *e = &tree->features[partners->slot[k < count ? k : count - 1]];
        const nc_vec3 corner[3] = {data->vertices[e->vertex[0]], data->vertices[e->vertex[1]],
                                   data->vertices[e->vertex[2]]};
        const nc_box box = box_of_element(data, e);
        nc_near_four_put(&partners->four[k / NC_LANES], k % NC_LANES, corner, &box);
    }
}

static void box_partners(const nc_mesh_data *data, const nc_mesh_tree *tree, bool fours, nc_near_slots *partners)
{
    partners->in_fours = fours && are_triangles(tree, partners);
    if (partners->in_fours)
        put_fours(data, tree, partners);
    for (int k = 0; k < partners->count && !partners->in_fours; k++)
        partners->box[k] = box_of_element(data, &tree->features[partners->slot[k]]);
}

void nc_near_box_partners(const nc_near_frame *frame, bool fours, nc_near_slots partners[2])
{
    box_partners(&frame->away, &frame->away_tree, fours, &partners[0]);
    box_partners(&frame->home, &frame->home_tree, fours, &partners[1]);
}

// ---- all of it ----------------------------------------------------------------------------------------------

int nc_proximity_filter(const nc_near_frame *frame, const nc_proximity_options *options,
                        const nc_near_slots partners[2], nc_near_candidates *candidates)
{
    filter f = {.frame = frame, .candidates = candidates, .local = options->local, .partners = partners};
    nc_sincos(options->angle, &f.sine, &f.cosine);
    nc_proximity *p = candidates->p;
    for (int i = 0; i < candidates->count; i++) {
        const nc_feature_kind kind = p[i].feature.kind;
        const bool beaten = kind != NC_EDGE_EDGE && options->local && is_beaten(&f, &p[i]);
        const bool mirrored = kind != NC_EDGE_EDGE && !nc_vertex_is_home(kind) && is_mirrored(&f, &p[i]);
        if (beaten || mirrored || !passes(&f, &p[i]))
            p[i].link = -3 - p[i].link;
    }
    int kept = 0;
    for (int i = 0; i < candidates->count; i++)
        if (!nc_candidate_dropped(&p[i]))
            p[kept++] = p[i];
    return kept;
}
