// The oracle: exact intersection of two meshes at given poses, and its slow twin.
//
// Both decide every pair of elements by nc_simplex_intersect on the same rounded world vertices. The fast one leaves
// out pairs whose boxes are apart; boxes of nodes contain the rounded world vertices (nc_frame_box), so only pairs
// that cannot share a point are left out, and the two always agree.
#include "geom/mesh.h"

#include <string.h>

// A mesh placed in the world.
typedef struct placed {
    const nc_mesh *mesh;
    nc_frame frame;
} placed;

// An element placed in the world.
typedef struct placed_element {
    nc_vec3 v[3];
    int corners;
    int element;
    nc_box box;
} placed_element;

typedef struct node_pair {
    int a, b;
    nc_box box_a, box_b;
} node_pair;

// ---- boxes --------------------------------------------------------------------------------------------------

// One coordinate of nc_frame_apply on the ends of a box. See the proof in geom.h.
static void row_range(nc_vec3 row, double x, nc_box box, double *lo, double *hi)
{
    const double ax = row.x * box.lo.x, bx = row.x * box.hi.x;
    const double ay = row.y * box.lo.y, by = row.y * box.hi.y;
    const double az = row.z * box.lo.z, bz = row.z * box.hi.z;
    *lo = x + ((ax < bx ? ax : bx) + (ay < by ? ay : by) + (az < bz ? az : bz));
    *hi = x + ((ax < bx ? bx : ax) + (ay < by ? by : ay) + (az < bz ? bz : az));
}

nc_box nc_frame_box(const nc_frame *frame, nc_box box)
{
    nc_box out;
    row_range(frame->rotation.row[0], frame->x.x, box, &out.lo.x, &out.hi.x);
    row_range(frame->rotation.row[1], frame->x.y, box, &out.lo.y, &out.hi.y);
    row_range(frame->rotation.row[2], frame->x.z, box, &out.lo.z, &out.hi.z);
    return out;
}

static bool frame_is_finite(const nc_frame *frame)
{
    const nc_mat3 r = frame->rotation;
    return nc_finite3(frame->x) && nc_finite3(r.row[0]) && nc_finite3(r.row[1]) && nc_finite3(r.row[2]);
}

static placed_element place_element(const placed *p, int element)
{
    placed_element out;
    int vertex[3];
    out.element = element;
    out.corners = nc_mesh_element(p->mesh, element, vertex);
    out.box = nc_box_empty();
    for (int i = 0; i < out.corners; i++) {
        out.v[i] = nc_frame_apply(p->frame, p->mesh->vertices[vertex[i]]);
        out.box = nc_box_add(out.box, out.v[i]);
    }
    return out;
}

static bool box_contains(nc_box outer, nc_box inner)
{
    return outer.lo.x <= inner.lo.x && outer.lo.y <= inner.lo.y && outer.lo.z <= inner.lo.z &&
           outer.hi.x >= inner.hi.x && outer.hi.y >= inner.hi.y && outer.hi.z >= inner.hi.z;
}

nc_box nc_mesh_world_box(const nc_mesh *mesh, nc_pose pose)
{
    const placed p = {mesh, nc_pose_frame(pose)};
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    nc_box box = nc_box_empty();
    if (!frame_is_finite(&p.frame))
        return (nc_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    stack[top++] = 0;
    while (top > 0) {
        const int n = stack[--top];
        const nc_bvh_node *node = &mesh->tree.nodes[n];
        if (box_contains(box, nc_frame_box(&p.frame, node->box)))
            continue;
        for (int i = node->first; i < node->first + node->count; i++)
            box = nc_box_union(box, place_element(&p, mesh->tree.order[i]).box);
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
        }
    }
    return box;
}

// ---- the range ----------------------------------------------------------------------------------------------

static bool in_range(nc_vec3 v)
{
    return nc_max3(v) <= NC_COORDINATE_MAX && nc_finite3(v);
}

// Examines the box first; only a mesh near the end of the range costs a look at every vertex.
static nc_code check_range(const placed *p, const char *which, nc_error *err)
{
    if (!frame_is_finite(&p->frame))
        return nc_fail(err, NC_BAD_ARGUMENT, "the pose of mesh %s is not finite", which);
    const nc_box box = nc_frame_box(&p->frame, p->mesh->box);
    if (in_range(box.lo) && in_range(box.hi))
        return NC_OK;
    for (int i = 0; i < p->mesh->vertex_count; i++) {
        const nc_vec3 v = nc_frame_apply(p->frame, p->mesh->vertices[i]);
        if (!in_range(v))
            return nc_fail(err, NC_BAD_ARGUMENT,
                           "vertex %d of mesh %s is at (%g, %g, %g): world coordinates must not be above %g", i, which,
                           v.x, v.y, v.z, NC_COORDINATE_MAX);
    }
    return NC_OK;
}

// ---- naming a hit -------------------------------------------------------------------------------------------

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static nc_vec3 clamp_to_box(nc_vec3 p, nc_box box)
{
    return nc_v3(clamp(p.x, box.lo.x, box.hi.x), clamp(p.y, box.lo.y, box.hi.y), clamp(p.z, box.lo.z, box.hi.z));
}

// If a side of `a` passes through the triangle `b`, the point where it does (rounded).
static bool find_crossing(const placed_element *a, const placed_element *b, nc_vec3 *out)
{
    if (b->corners != 3 || a->corners < 2)
        return false;
    const nc_vec3 normal = nc_cross(nc_sub(b->v[1], b->v[0]), nc_sub(b->v[2], b->v[0]));
    const int sides = a->corners == 3 ? 3 : 1;
    for (int i = 0; i < sides; i++) {
        const nc_vec3 side[2] = {a->v[i], a->v[(i + 1) % 3]};
        const double from = nc_dot(normal, nc_sub(side[0], b->v[0])), to = nc_dot(normal, nc_sub(side[1], b->v[0]));
        if (from == to || !nc_simplex_intersect(side, 2, b->v, 3))
            continue;
        *out = nc_madd(side[0], clamp(from / (from - to), 0, 1), nc_sub(side[1], side[0]));
        return true;
    }
    return false;
}

// Shared points lie in both boxes, so the place is kept in their overlap.
static nc_vec3 intersection_point(const placed_element *a, const placed_element *b)
{
    const nc_box overlap = {nc_max_v3(a->box.lo, b->box.lo), nc_min_v3(a->box.hi, b->box.hi)};
    nc_vec3 place = nc_add(nc_scale(0.5, overlap.lo), nc_scale(0.5, overlap.hi));
    if (!find_crossing(a, b, &place))
        find_crossing(b, a, &place);
    return clamp_to_box(place, overlap);
}

static nc_element name_element(const nc_mesh *mesh, int element, int *out_row)
{
    *out_row = element;
    if (element < mesh->triangle_count)
        return NC_ELEMENT_TRIANGLE;
    element -= mesh->triangle_count;
    *out_row = element < mesh->free_edge_count ? mesh->free_edges[element] : element - mesh->free_edge_count;
    return element < mesh->free_edge_count ? NC_ELEMENT_EDGE : NC_ELEMENT_POINT;
}

static void name_hit(const placed *a, const placed_element *ea, const placed *b, const placed_element *eb,
                     nc_intersection *out)
{
    if (out == NULL)
        return;
    memset(out, 0, sizeof *out);
    out->kind_a = name_element(a->mesh, ea->element, &out->element_a);
    out->kind_b = name_element(b->mesh, eb->element, &out->element_b);
    out->place = intersection_point(ea, eb);
}

static bool elements_intersect(const placed_element *a, const placed_element *b)
{
    return nc_box_overlap(a->box, b->box) && nc_simplex_intersect(a->v, a->corners, b->v, b->corners);
}

// ---- the descent --------------------------------------------------------------------------------------------

static bool leaves_intersect(const placed *a, const placed *b, const node_pair *pair, nc_intersection *out)
{
    const nc_bvh_node *leaf_a = &a->mesh->tree.nodes[pair->a], *leaf_b = &b->mesh->tree.nodes[pair->b];
    placed_element in_b[NC_BVH_LEAF_MAX];
    int count = 0;
    for (int j = leaf_b->first; j < leaf_b->first + leaf_b->count; j++) {
        in_b[count] = place_element(b, b->mesh->tree.order[j]);
        count += nc_box_overlap(in_b[count].box, pair->box_a);
    }
    for (int i = leaf_a->first; count > 0 && i < leaf_a->first + leaf_a->count; i++) {
        const placed_element in_a = place_element(a, a->mesh->tree.order[i]);
        for (int j = 0; j < count; j++) {
            if (!elements_intersect(&in_a, &in_b[j]))
                continue;
            name_hit(a, &in_a, b, &in_b[j], out);
            return true;
        }
    }
    return false;
}

static double box_size(nc_box box)
{
    const nc_vec3 d = nc_sub(box.hi, box.lo);
    return d.x + d.y + d.z;
}

// Opens the larger of the two nodes that is not a leaf; the right child waits below the left one on the stack.
static int open_pair(const placed *a, const placed *b, const node_pair *pair, node_pair *stack, int top)
{
    const nc_bvh_node *na = &a->mesh->tree.nodes[pair->a], *nb = &b->mesh->tree.nodes[pair->b];
    const bool open_a = nb->count > 0 || (na->count == 0 && box_size(pair->box_a) >= box_size(pair->box_b));
    for (int side = 1; side >= 0; side--) {
        node_pair child = *pair;
        if (open_a) {
            child.a = side == 1 ? na->right : pair->a + 1;
            child.box_a = nc_frame_box(&a->frame, a->mesh->tree.nodes[child.a].box);
        } else {
            child.b = side == 1 ? nb->right : pair->b + 1;
            child.box_b = nc_frame_box(&b->frame, b->mesh->tree.nodes[child.b].box);
        }
        if (nc_box_overlap(child.box_a, child.box_b))
            stack[top++] = child;
    }
    return top;
}

static bool trees_intersect(const placed *a, const placed *b, nc_intersection *out)
{
    node_pair stack[2 * NC_BVH_MAX_DEPTH + 2]; // each level of either tree leaves at most one pair waiting
    const node_pair root = {0, 0, nc_frame_box(&a->frame, a->mesh->box), nc_frame_box(&b->frame, b->mesh->box)};
    int top = 0;
    if (nc_box_overlap(root.box_a, root.box_b))
        stack[top++] = root;
    while (top > 0) {
        const node_pair pair = stack[--top];
        if (a->mesh->tree.nodes[pair.a].count == 0 || b->mesh->tree.nodes[pair.b].count == 0)
            top = open_pair(a, b, &pair, stack, top);
        else if (leaves_intersect(a, b, &pair, out))
            return true;
    }
    return false;
}

static bool brute_intersect(const placed *a, const placed *b, nc_intersection *out)
{
    for (int i = 0; i < a->mesh->tree.count; i++) {
        const placed_element in_a = place_element(a, i);
        for (int j = 0; j < b->mesh->tree.count; j++) {
            const placed_element in_b = place_element(b, j);
            if (!nc_simplex_intersect(in_a.v, in_a.corners, in_b.v, in_b.corners))
                continue;
            name_hit(a, &in_a, b, &in_b, out);
            return true;
        }
    }
    return false;
}

static nc_code check_ranges(const placed *a, const placed *b, nc_error *err)
{
    const nc_code code = check_range(a, "A", err);
    return code == NC_OK ? check_range(b, "B", err) : code;
}

nc_code nc_mesh_intersect(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool *out_hit,
                          nc_intersection *out, nc_error *err)
{
    const placed in_a = {a, nc_pose_frame(pose_a)}, in_b = {b, nc_pose_frame(pose_b)};
    *out_hit = false;
    const nc_code code = check_ranges(&in_a, &in_b, err);
    if (code == NC_OK)
        *out_hit = trees_intersect(&in_a, &in_b, out);
    return code;
}

nc_code nc_mesh_intersect_brute(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool *out_hit,
                                nc_intersection *out, nc_error *err)
{
    const placed in_a = {a, nc_pose_frame(pose_a)}, in_b = {b, nc_pose_frame(pose_b)};
    *out_hit = false;
    const nc_code code = check_ranges(&in_a, &in_b, err);
    if (code == NC_OK)
        *out_hit = brute_intersect(&in_a, &in_b, out);
    return code;
}
