// Points that two posed meshes share, with the normals of the surfaces there: what directions out are proposed from.
#include "repair/repair.h"

#define MAX_NODE_TESTS 4000000 // bounded work; meshes of 100,000 triangles that overlap in 2% of them need a tenth

typedef struct posed {
    const nc_mesh *mesh;
    nc_mesh_tree tree;
    nc_mesh_data data;
    nc_frame frame;
} posed;

typedef struct placed_element {
    nc_vec3 v[3];
    int corners;
    int element;
    nc_box box;
} placed_element;

typedef struct node_pair {
    int a, b;
} node_pair;

static posed pose_mesh(const nc_mesh *mesh, nc_pose pose)
{
    return (posed){mesh, nc_mesh_tree_view(mesh), nc_mesh_view(mesh), nc_pose_frame(pose)};
}

static placed_element place(const posed *p, int element)
{
    placed_element out = {.element = element, .box = nc_box_empty()};
    int vertex[3];
    out.corners = nc_mesh_element(p->mesh, element, vertex);
    for (int k = 0; k < out.corners; k++) {
        out.v[k] = nc_frame_apply(p->frame, p->data.vertices[vertex[k]]);
        out.box = nc_box_add(out.box, out.v[k]);
    }
    return out;
}

// ---- the point of a pair of elements ------------------------------------------------------------------------

static nc_vec3 unit_normal(const placed_element *e)
{
    if (e->corners < 3)
        return nc_v3(0, 0, 0);
    const nc_vec3 n = nc_cross(nc_sub(e->v[1], e->v[0]), nc_sub(e->v[2], e->v[0]));
    const double length = nc_norm(n);
    return length > 0 ? nc_scale(1 / length, n) : nc_v3(0, 0, 0);
}

// Where a side passes through a triangle, if it does.
static bool side_passes(const nc_vec3 side[2], const placed_element *triangle, nc_vec3 normal, nc_vec3 *out)
{
    const nc_vec3 *t = triangle->v;
    const double from = nc_dot(normal, nc_sub(side[0], t[0])), to = nc_dot(normal, nc_sub(side[1], t[0]));
    if (from * to > 0 || from == to)
        return false;
    *out = nc_madd(side[0], from / (from - to), nc_sub(side[1], side[0]));
    for (int k = 0; k < 3; k++)
        if (nc_dot(nc_cross(nc_sub(t[(k + 1) % 3], t[k]), nc_sub(*out, t[k])), normal) < 0)
            return false;
    return true;
}

static int add_passages(const placed_element *from, const placed_element *through, nc_vec3 normal, nc_vec3 *ends,
                        int count)
{
    for (int k = 0; k < from->corners && count < 2; k++) {
        const nc_vec3 side[2] = {from->v[k], from->v[(k + 1) % from->corners]};
        count += side_passes(side, through, normal, &ends[count]);
    }
    return count;
}

// The middle of the common segment of two triangles; of others, and where rounding hides it, of the boxes' overlap.
static nc_shared_point share(const placed_element *a, const placed_element *b)
{
    nc_shared_point out = {.normal_a = unit_normal(a), .normal_b = unit_normal(b)};
    const nc_vec3 lo = nc_max_v3(a->box.lo, b->box.lo), hi = nc_min_v3(a->box.hi, b->box.hi);
    nc_vec3 ends[2];
    int count = 0;
    out.place = nc_scale(0.5, nc_add(lo, hi));
    if (a->corners == 3 && b->corners == 3) {
        count = add_passages(a, b, out.normal_b, ends, count);
        count = add_passages(b, a, out.normal_a, ends, count);
    }
    if (count == 2) {
        out.segment = nc_sub(ends[1], ends[0]);
        if (nc_dot(out.segment, nc_cross(out.normal_a, out.normal_b)) < 0)
            out.segment = nc_neg(out.segment);
    }
    if (count > 0)
        out.place = count == 1 ? ends[0] : nc_scale(0.5, nc_add(ends[0], ends[1]));
    return out;
}

// Keeps every stride-th; a full list loses every second one.
static void keep(nc_shared_points *points, nc_shared_point point)
{
    if (points->met++ % points->stride != 0)
        return;
    if (points->count == NC_SHARED_POINTS) {
        for (int k = 0; k < NC_SHARED_POINTS / 2; k++)
            points->data[k] = points->data[2 * k];
        points->count = NC_SHARED_POINTS / 2;
        points->stride *= 2;
        if ((points->met - 1) % points->stride != 0)
            return;
    }
    points->data[points->count++] = point;
}

// ---- the descent --------------------------------------------------------------------------------------------

typedef void (*on_share)(const placed_element *a, const placed_element *b, void *ctx);

static void share_leaves(const posed *a, const posed *b, const nc_bvh_node *na, const nc_bvh_node *nb, on_share found,
                         void *ctx)
{
    for (int i = na->first; i < na->first + na->count; i++) {
        const placed_element ea = place(a, a->tree.order[i]);
        for (int j = nb->first; j < nb->first + nb->count; j++) {
            const placed_element eb = place(b, b->tree.order[j]);
            if (nc_box_overlap(ea.box, eb.box) && nc_simplex_intersect(ea.v, ea.corners, eb.v, eb.corners))
                found(&ea, &eb, ctx);
        }
    }
}

static double box_size(nc_box box)
{
    const nc_vec3 d = nc_sub(box.hi, box.lo);
    return d.x + d.y + d.z;
}

// Opens the larger of the two that is not a leaf.
static int open_pair(const nc_bvh_node *na, const nc_bvh_node *nb, node_pair at, node_pair *stack, int top)
{
    const bool open_a = nb->count > 0 || (na->count == 0 && box_size(na->box) >= box_size(nb->box));
    stack[top++] = open_a ? (node_pair){na->right, at.b} : (node_pair){at.a, nb->right};
    stack[top++] = open_a ? (node_pair){at.a + 1, at.b} : (node_pair){at.a, at.b + 1};
    return top;
}

static void visit_shared(const nc_posed_pair *pair, on_share found, void *ctx)
{
    const posed a = pose_mesh(pair->a, pair->pose_a), b = pose_mesh(pair->b, pair->pose_b);
    node_pair stack[4 * NC_BVH_MAX_DEPTH + 4];
    int top = 0;
    stack[top++] = (node_pair){0, 0};
    for (int tests = 0; top > 0 && tests < MAX_NODE_TESTS; tests++) {
        const node_pair at = stack[--top];
        const nc_bvh_node *na = &a.tree.nodes[at.a], *nb = &b.tree.nodes[at.b];
        if (!nc_box_overlap(nc_frame_box(&a.frame, na->box), nc_frame_box(&b.frame, nb->box)))
            continue;
        if (na->count > 0 && nb->count > 0)
            share_leaves(&a, &b, na, nb, found, ctx);
        else
            top = open_pair(na, nb, at, stack, top);
    }
}

static void keep_point(const placed_element *a, const placed_element *b, void *ctx)
{
    keep(ctx, share(a, b));
}

void nc_shared_points_find(const nc_posed_pair *pair, nc_shared_points *out)
{
    out->count = out->met = 0;
    out->stride = 1;
    visit_shared(pair, keep_point, out);
}

typedef struct element_visit {
    nc_shared_visit visit;
    void *ctx;
} element_visit;

static void visit_elements(const placed_element *a, const placed_element *b, void *ctx)
{
    const element_visit *to = ctx;
    to->visit(a->element, b->element, to->ctx);
}

void nc_shared_elements_visit(const nc_posed_pair *pair, nc_shared_visit visit, void *ctx)
{
    element_visit to = {visit, ctx};
    visit_shared(pair, visit_elements, &to);
}
