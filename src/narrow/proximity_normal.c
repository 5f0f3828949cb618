// The direction of a near pair.
//
// Between the two points, as long as their difference has digits to spare; straightened where a vertex is beside what
// it examines. Below that, across the features, which have a direction however near they are; and between touching ones
// towards A's centre, as no point says which side is whose.
#include "narrow/proximity.h"

static nc_vec3 home_vertex(const nc_near_frame *f, int row)
{
    return f->home.vertices[row];
}

static nc_vec3 away_vertex(const nc_near_frame *f, int row)
{
    return nc_near_away(f, f->away.vertices[row]);
}

static nc_vec3 triangle_normal(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    return nc_cross(nc_sub(b, a), nc_sub(c, a));
}

// `v` without what it has along `e`.
static nc_vec3 across(nc_vec3 v, nc_vec3 e)
{
    const double ee = nc_norm2(e);
    return ee > 0 ? nc_madd(v, -nc_dot(v, e) / ee, e) : v;
}

// Perpendicular to both features, of any length and sign; 0 where there is no such direction.
static nc_vec3 feature_normal(const nc_near_frame *f, const nc_feature_id *id, nc_vec3 centers)
{
    if (id->kind == NC_VERTEX_FACE) {
        const int *t = f->away.triangles[id->b];
        return triangle_normal(away_vertex(f, t[0]), away_vertex(f, t[1]), away_vertex(f, t[2]));
    }
    if (id->kind == NC_FACE_VERTEX) {
        const int *t = f->home.triangles[id->a];
        return triangle_normal(home_vertex(f, t[0]), home_vertex(f, t[1]), home_vertex(f, t[2]));
    }
    nc_vec3 along_a = {0, 0, 0}, along_b = {0, 0, 0};
    if (id->kind == NC_EDGE_EDGE || id->kind == NC_EDGE_VERTEX) {
        const int *e = f->home.edges[id->a];
        along_a = nc_sub(home_vertex(f, e[1]), home_vertex(f, e[0]));
    }
    if (id->kind == NC_EDGE_EDGE || id->kind == NC_VERTEX_EDGE) {
        const int *e = f->away.edges[id->b];
        along_b = nc_sub(away_vertex(f, e[1]), away_vertex(f, e[0]));
    }
    const nc_vec3 n = nc_cross(along_a, along_b);
    return nc_norm2(n) > 0 ? n : across(across(centers, along_a), along_b);
}

static nc_vec3 unit(nc_vec3 v)
{
    const double size = nc_max3(v);
    if (!(size > 0))
        return nc_v3(0, 0, 1);
    const nc_vec3 scaled = nc_scale(1 / size, v);
    return nc_scale(1 / nc_norm(scaled), scaled);
}

// ---- straightened -------------------------------------------------------------------------------------------

// A mesh and its elements that may be near the other one.
typedef struct side {
    const nc_mesh_data *data;
    const nc_mesh_tree *tree;
    const nc_near_slots *partners;
} side;

// The way on a surface from p to the point nearest to q, all in the frame of the surface's mesh.
typedef struct climb {
    const side *side;
    nc_vec3 p, q;
    double small; // [m] elements that are as near to p are at p
    nc_box at_p;  // all that is as near
    double gain;  // [m^2] by which the square of the distance to q falls
    int slot;     // of the element that the way is on; -1: none leads nearer
    nc_vec3 from; // [m] from where it ends to q
} climb;

static nc_vec3 from_element(const side *s, const nc_element_features *f, nc_vec3 q)
{
    nc_vec3 w[4];
    for (int i = 0; i < f->corners; i++)
        w[i] = nc_sub(q, s->data->vertices[f->vertex[i]]);
    if (f->corners == 3)
        return nc_hull_nearest(NC_HULL_TRIANGLE, w);
    w[1] = w[3] = w[f->corners - 1];
    w[2] = w[0];
    return f->corners == 1 ? w[0] : nc_hull_nearest(NC_HULL_PARALLELOGRAM, w);
}

static nc_box box_of_element(const side *s, const nc_element_features *f)
{
    const nc_vec3 *v = s->data->vertices;
    nc_box box = {v[f->vertex[0]], v[f->vertex[0]]};
    for (int i = 1; i < f->corners; i++)
        box = nc_box_add(box, v[f->vertex[i]]);
    return box;
}

// Of equal ones the lowest slot, so that the order does not matter.
static void take_better(climb *c, int slot, double gain, nc_vec3 from)
{
    if (!(gain > c->gain || (gain == c->gain && c->slot >= 0 && slot < c->slot)))
        return;
    c->gain = gain;
    c->slot = slot;
    c->from = from;
}

// Which element is nearest to q is not read off squared distances, which lose half of the digits: a way of 1e-12 m
// changes 1e-4 m by 5e-21. From p's foot on the element, `aside` from p, the way is across what is left of the
// distance: it gains way^2 - aside^2.
static void climb_element(climb *c, int slot)
{
    const nc_element_features *e = &c->side->tree->features[slot];
    const nc_vec3 aside = from_element(c->side, e, c->p);
    const double aside2 = nc_norm2(aside);
    if (aside2 > c->small * c->small)
        return;
    const nc_vec3 from = from_element(c->side, e, c->q);
    const nc_vec3 way = nc_sub(nc_add(nc_sub(c->q, c->p), aside), from);
    take_better(c, slot, nc_norm2(way) - aside2, from);
}

static void climb_fours(climb *c)
{
    const nc_near_slots *partners = c->side->partners;
    const nc_copy copy = nc_best_copy();
    for (int i = 0; i * NC_LANES < partners->count; i++) {
        nc_near_from out;
        int mask = nc_near_four_climb(copy, &partners->four[i], c->p, c->q, c->small, &out);
        mask &= nc_near_four_lanes(partners, i);
        for (int k = 0; mask != 0; k++, mask >>= 1)
            if ((mask & 1) != 0)
                take_better(c, partners->slot[i * NC_LANES + k], out.gain[k],
                            nc_v3(out.from[0][k], out.from[1][k], out.from[2][k]));
    }
}

static void climb_tree(climb *c)
{
    const nc_bvh_node *nodes = c->side->tree->nodes;
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int at = stack[--top];
        if (!nc_box_overlap(c->at_p, nodes[at].box))
            continue;
        for (int slot = nodes[at].first; slot < nodes[at].first + nodes[at].count; slot++)
            if (nc_box_overlap(c->at_p, box_of_element(c->side, &c->side->tree->features[slot])))
                climb_element(c, slot);
        if (nodes[at].count == 0) {
            stack[top++] = nodes[at].right;
            stack[top++] = at + 1;
        }
    }
}

// From the point of the surface around p that is nearest to q, to q.
static nc_vec3 from_surface(const side *s, nc_vec3 p, nc_vec3 q, double small)
{
    const nc_vec3 half = nc_v3(small, small, small);
    const nc_box at_p = {nc_sub(p, half), nc_add(p, half)};
    climb c = {.side = s, .p = p, .q = q, .small = small, .at_p = at_p, .slot = -1, .from = nc_sub(q, p)};
    if (s->partners->count < 0)
        climb_tree(&c);
    if (s->partners->count > 0 && s->partners->in_fours)
        climb_fours(&c);
    for (int k = 0; k < s->partners->count && !s->partners->in_fours; k++)
        if (nc_box_overlap(at_p, s->partners->box[k]))
            climb_element(&c, s->partners->slot[k]);
    return c.from;
}

// Is the vertex straight above the inside of its face? Then the face has said all there is to say.
static bool is_straight(const nc_near_frame *f, const nc_proximity *p, nc_vec3 between)
{
    if (p->feature.kind != NC_VERTEX_FACE && p->feature.kind != NC_FACE_VERTEX)
        return false;
    const nc_vec3 n = feature_normal(f, &p->feature, between);
    return nc_norm2(nc_cross(n, between)) <= f->slack * f->slack * nc_norm2(n);
}

// From away to home, for a vertex: the point opposite searches for the nearest point of the vertex's surface, and that
// for the nearest point of the other.
static nc_vec3 straightened(const nc_near_frame *f, const nc_near_slots partners[2], const nc_proximity *p)
{
    const side home = {&f->home, &f->home_tree, &partners[1]}, away = {&f->away, &f->away_tree, &partners[0]};
    const nc_vec3 on_a = nc_near_to_away(f, p->on_a), on_b = nc_near_to_away(f, p->on_b);
    const double small = f->slack;
    if (nc_vertex_is_home(p->feature.kind)) {
        const nc_vec3 y = nc_sub(p->on_b, from_surface(&home, p->on_a, p->on_b, small));
        return nc_mat3_mul(f->r, from_surface(&away, on_b, nc_near_to_away(f, y), small));
    }
    const nc_vec3 y = nc_sub(on_a, from_surface(&away, on_b, on_a, small));
    return nc_neg(from_surface(&home, p->on_a, nc_near_away(f, y), small));
}

// ---- all of it ----------------------------------------------------------------------------------------------

nc_vec3 nc_near_normal(const nc_near_frame *f, const nc_near_slots partners[2], const nc_proximity *p)
{
    const nc_vec3 between = nc_sub(p->on_a, p->on_b), centers = nc_neg(f->x);
    const double length = nc_norm(between);
    if (length > NC_NEAR_FAR_SLACKS * f->slack) {
        const bool keep = partners == NULL || p->feature.kind == NC_EDGE_EDGE || is_straight(f, p, between);
        return keep ? nc_scale(1 / length, between) : unit(straightened(f, partners, p));
    }
    const nc_vec3 n = unit(feature_normal(f, &p->feature, centers));
    const double along = nc_dot(n, between);
    if (length <= f->slack)
        return nc_dot(n, centers) < 0 ? nc_neg(n) : n;
    if (fabs(along) < 0.99 * length)
        return unit(between);
    return along < 0 ? nc_neg(n) : n;
}
