// A deforming surface against itself, exactly: which elements share more than their common corners?
//
// Let A and B be elements with one common corner s. If they share another point q, they share the segment from s to q.
// Follow it beyond q: it leaves A through the side opposite s, and B through the side opposite s. The first of the two
// places is a point of both, so one element meets the other's opposite side. That is what is tested; it needs no
// construction, only the signs that nc_simplex_intersect goes by.
#include "geom/geom.h"

#include <string.h>

typedef struct element {
    int corners;
    int vertex[3]; // rows
    nc_vec3 at[3]; // [m]
} element;

static int element_count(const nc_element_set *set)
{
    return set->triangle_count + set->edge_count + set->point_count;
}

static element get_element(const nc_element_set *set, int row)
{
    element e = {0};
    const int edge = row - set->triangle_count, point = edge - set->edge_count;
    const int *corners = edge < 0 ? set->triangles[row] : point < 0 ? set->edges[edge] : &set->points[point];
    e.corners = edge < 0 ? 3 : point < 0 ? 2 : 1;
    for (int i = 0; i < e.corners; i++) {
        e.vertex[i] = corners[i];
        e.at[i] = set->vertices[corners[i]];
    }
    return e;
}

static nc_box box_of(const element *e)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < e->corners; i++)
        box = nc_box_add(box, e->at[i]);
    return box;
}

// ---- pairs with common corners ------------------------------------------------------------------------------

// Moves the common corners of both to the front, in one order; returns how many.
static int bring_common_forward(element *a, element *b)
{
    int common = 0;
    for (int i = 0; i < a->corners; i++) {
        for (int j = common; j < b->corners; j++) {
            if (a->vertex[i] != b->vertex[j])
                continue;
            const int row_a = a->vertex[common], row_b = b->vertex[common];
            const nc_vec3 at_a = a->at[common], at_b = b->at[common];
            a->vertex[common] = a->vertex[i], a->at[common] = a->at[i];
            b->vertex[common] = b->vertex[j], b->at[common] = b->at[j];
            a->vertex[i] = row_a, a->at[i] = at_a;
            b->vertex[j] = row_b, b->at[j] = at_b;
            common++;
            break;
        }
    }
    return common;
}

static bool opposite_side_intersects(const element *a, const element *b)
{
    return a->corners > 1 && nc_simplex_intersect(a->at + 1, a->corners - 1, b->at, b->corners);
}

// Is p on the line of s and e, beyond e?
static bool is_beyond(nc_vec3 p, nc_vec3 s, nc_vec3 e)
{
    const nc_vec3 segment[2] = {s, p};
    return (p.x != e.x || p.y != e.y || p.z != e.z) && nc_simplex_intersect(segment, 2, &e, 1);
}

// Triangles with a common edge s0 s1 and the corners a and b: do they share more than the edge?
static bool folded(nc_vec3 s0, nc_vec3 s1, nc_vec3 a, nc_vec3 b)
{
    if (nc_orient3d(s0, s1, a, b) != 0)
        return false;
    for (int drop = 0; drop < 3; drop++) {
        const int side_a = nc_orient2d(s0, s1, a, drop), side_b = nc_orient2d(s0, s1, b, drop);
        if (side_a != 0 || side_b != 0)
            return side_a * side_b > 0;
    }
    return (is_beyond(a, s0, s1) && is_beyond(b, s0, s1)) || (is_beyond(a, s1, s0) && is_beyond(b, s1, s0));
}

static bool elements_intersect(element a, element b)
{
    const int common = bring_common_forward(&a, &b);
    if (common == 0)
        return nc_simplex_intersect(a.at, a.corners, b.at, b.corners);
    if (common == 1)
        return opposite_side_intersects(&a, &b) || opposite_side_intersects(&b, &a);
    if (a.corners < 3 || b.corners < 3)
        return false;
    return common == 3 || folded(a.at[0], a.at[1], a.at[2], b.at[2]);
}

// ---- the search ---------------------------------------------------------------------------------------------

typedef struct search {
    const nc_element_set *set;
    const nc_box *boxes;
    const nc_bvh *tree;
    int *intersections; // of each element with later ones
} search;

// The number of later elements that meet this one; the least of them above `after` goes to *next.
static int intersect_element(const search *s, int row, int after, int *next)
{
    const element e = get_element(s->set, row);
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0, count = 0;
    stack[top++] = 0;
    *next = -1;
    while (top > 0) {
        const int n = stack[--top];
        const nc_bvh_node *node = &s->tree->nodes[n];
        if (!nc_box_overlap(node->box, s->boxes[row]))
            continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            const int other = s->tree->order[i];
            if (other <= row || !nc_box_overlap(s->boxes[row], s->boxes[other]) ||
                !elements_intersect(e, get_element(s->set, other)))
                continue;
            count++;
            if (other > after && (*next < 0 || other < *next))
                *next = other;
        }
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
        }
    }
    return count;
}

static void intersect_range(int begin, int end, void *ctx)
{
    const search *s = ctx;
    int next;
    for (int row = begin; row < end; row++)
        s->intersections[row] = intersect_element(s, row, row, &next);
}

static nc_element name_element(const nc_element_set *set, int row, int *out_row)
{
    const int edge = row - set->triangle_count, point = edge - set->edge_count;
    *out_row = edge < 0 ? row : point < 0 ? edge : point;
    return edge < 0 ? NC_ELEMENT_TRIANGLE : point < 0 ? NC_ELEMENT_EDGE : NC_ELEMENT_POINT;
}

static nc_intersection name_pair(const search *s, int row, int other)
{
    nc_intersection out = {0};
    const nc_box a = s->boxes[row], b = s->boxes[other];
    out.kind_a = name_element(s->set, row, &out.element_a);
    out.kind_b = name_element(s->set, other, &out.element_b);
    out.place = nc_scale(0.5, nc_add(nc_max_v3(a.lo, b.lo), nc_min_v3(a.hi, b.hi)));
    return out;
}

// In order; elements that meet others are few, so they are examined again.
static int64_t list_intersections(const search *s, nc_intersection *out, int capacity)
{
    int64_t count = 0;
    for (int row = 0; row < element_count(s->set); row++) {
        int other = row;
        for (int k = 0; k < s->intersections[row] && count + k < capacity; k++) {
            intersect_element(s, row, other, &other);
            out[count + k] = name_pair(s, row, other);
        }
        count += s->intersections[row];
    }
    return count;
}

static nc_code check_vertices(const nc_element_set *set, nc_error *err)
{
    for (int i = 0; i < set->vertex_count; i++) {
        const nc_vec3 v = set->vertices[i];
        if (!(nc_finite3(v) && nc_max3(v) <= NC_COORDINATE_MAX))
            return nc_fail(err, NC_BAD_ARGUMENT,
                           "vertex %d is at (%g, %g, %g): coordinates must be finite and not above %g", i, v.x, v.y,
                           v.z, NC_COORDINATE_MAX);
    }
    return NC_OK;
}

static void fill_boxes(const nc_element_set *set, nc_box *boxes)
{
    for (int row = 0; row < element_count(set); row++) {
        const element e = get_element(set, row);
        boxes[row] = box_of(&e);
    }
}

nc_code nc_elements_intersect(const nc_element_set *set, const nc_allocator *allocator, int workers,
                              nc_intersection *out, int capacity, int64_t *out_count, nc_error *err)
{
    const nc_allocator alloc = nc_allocator_or_default(allocator);
    const size_t count = (size_t)element_count(set);
    *out_count = 0;
    const nc_code code = check_vertices(set, err);
    if (code != NC_OK || count == 0)
        return code;
    nc_bvh tree = {0};
    nc_box *boxes = nc_alloc(&alloc, count, sizeof *boxes);
    int *intersections = nc_alloc(&alloc, count, sizeof *intersections);
    bool done = boxes != NULL && intersections != NULL;
    if (done) {
        fill_boxes(set, boxes);
        done = nc_bvh_build(&alloc, boxes, (int)count, &tree);
    }
    if (done) {
        search s = {set, boxes, &tree, intersections};
        nc_parallel_for(workers, (int)count, 256, intersect_range, &s);
        *out_count = list_intersections(&s, out, capacity);
        nc_bvh_free(&alloc, &tree);
    }
    nc_free(&alloc, boxes, count, sizeof *boxes);
    nc_free(&alloc, intersections, count, sizeof *intersections);
    return done ? NC_OK : nc_fail_memory(err, count * sizeof *boxes);
}
