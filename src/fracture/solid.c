// Inside or outside, and how far: generalized winding numbers and distances, by the mesh's own tree.
//
// The winding number of a triangle soup is the sum of the solid angles of its triangles over 4 pi (Jacobson et al.
// 2013). A node of the tree that is far away for its size acts as one dipole (Barill et al. 2018): its vector area at
// the mean of its triangles' middles.
#include "fracture/fracture.h"

#define FAR 3.0 // a node is far beyond so many of its radii

typedef struct dipole {
    nc_vec3 area;   // [m^2] sum of the vector areas
    nc_vec3 center; // [m] mean of the middles, by area
    double size;    // [m^2] sum of the areas
    double radius;  // [m] of the node's box about the centre
} dipole;

struct nc_solid {
    nc_allocator allocator;
    nc_mesh *mesh;
    nc_mesh_data data;
    nc_mesh_tree tree;
    dipole *dipoles; // of the tree's nodes
    double volume;   // [m^3]
};

// ---- building -----------------------------------------------------------------------------------------------

static void corners_of(const nc_solid *solid, int triangle, nc_vec3 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = solid->data.vertices[solid->data.triangles[triangle][k]];
}

static void add_to(dipole *d, nc_vec3 area, double size, nc_vec3 center)
{
    d->area = nc_add(d->area, area);
    d->center = nc_madd(d->center, size, center);
    d->size += size;
}

static dipole dipole_of_leaf(const nc_solid *solid, const nc_bvh_node *node)
{
    dipole d = {0};
    for (int s = node->first; s < node->first + node->count; s++) {
        nc_vec3 t[3];
        if (solid->tree.order[s] >= solid->data.triangle_count)
            continue;
        corners_of(solid, solid->tree.order[s], t);
        const nc_vec3 area = nc_scale(0.5, nc_cross(nc_sub(t[1], t[0]), nc_sub(t[2], t[0])));
        add_to(&d, area, nc_norm(area), nc_scale(1.0 / 3.0, nc_add(t[0], nc_add(t[1], t[2]))));
    }
    return d;
}

static double radius_about(nc_box box, nc_vec3 p)
{
    return nc_norm(nc_max_v3(nc_sub(box.hi, p), nc_sub(p, box.lo)));
}

// Bottom up: children come after their parent.
static void find_dipoles(nc_solid *solid)
{
    for (int i = solid->tree.node_count - 1; i >= 0; i--) {
        const nc_bvh_node *node = &solid->tree.nodes[i];
        dipole d = {0};
        if (node->right == 0) {
            d = dipole_of_leaf(solid, node);
        } else {
            const dipole *a = &solid->dipoles[i + 1], *b = &solid->dipoles[node->right];
            add_to(&d, a->area, a->size, a->center);
            add_to(&d, b->area, b->size, b->center);
        }
        d.center = d.size > 0 ? nc_scale(1.0 / d.size, d.center) : nc_scale(0.5, nc_add(node->box.lo, node->box.hi));
        d.radius = radius_about(node->box, d.center);
        solid->dipoles[i] = d;
    }
}

static double volume_of(const nc_solid *solid)
{
    const nc_vec3 middle = nc_scale(0.5, nc_add(solid->data.box.lo, solid->data.box.hi));
    double six = 0;
    for (int i = 0; i < solid->data.triangle_count; i++) {
        nc_vec3 t[3];
        corners_of(solid, i, t);
        six += nc_dot(nc_sub(t[0], middle), nc_cross(nc_sub(t[1], middle), nc_sub(t[2], middle)));
    }
    return six / 6.0;
}

nc_code nc_solid_create(nc_mesh *mesh, const nc_allocator *allocator, nc_solid **out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = NULL;
    nc_solid *solid = nc_alloc(&memory, 1, sizeof *solid);
    if (solid == NULL)
        return nc_fail_memory(err, sizeof *solid);
    solid->allocator = memory;
    solid->mesh = nc_mesh_retain(mesh);
    solid->data = nc_mesh_view(mesh);
    solid->tree = nc_mesh_tree_view(mesh);
    solid->volume = volume_of(solid);
    solid->dipoles = nc_alloc(&memory, (size_t)solid->tree.node_count, sizeof *solid->dipoles);
    nc_code code = NC_OK;
    if (solid->dipoles == NULL)
        code = nc_fail_memory(err, (size_t)solid->tree.node_count * sizeof *solid->dipoles);
    else if (!(solid->volume > 0))
        code =
            nc_fail(err, NC_BAD_ARGUMENT,
                    "a mesh has a volume of %g m^3: it has no inside, or is inside out; faces must be counterclockwise "
                    "seen from outside",
                    solid->volume);
    if (code != NC_OK) {
        nc_solid_destroy(solid);
        return code;
    }
    find_dipoles(solid);
    *out = solid;
    return NC_OK;
}

void nc_solid_destroy(nc_solid *solid)
{
    if (solid == NULL)
        return;
    const nc_allocator memory = solid->allocator;
    nc_free(&memory, solid->dipoles, (size_t)solid->tree.node_count, sizeof *solid->dipoles);
    nc_mesh_release(solid->mesh);
    nc_free(&memory, solid, 1, sizeof *solid);
}

nc_mesh *nc_solid_mesh(const nc_solid *solid)
{
    return solid->mesh;
}

double nc_solid_volume(const nc_solid *solid)
{
    return solid->volume;
}

// ---- asking -------------------------------------------------------------------------------------------------

// The solid angle of a triangle seen from p (van Oosterom and Strackee 1983), positive when its back is seen.
static double solid_angle(const nc_vec3 t[3], nc_vec3 p)
{
    const nc_vec3 a = nc_sub(t[0], p), b = nc_sub(t[1], p), c = nc_sub(t[2], p);
    const double la = nc_norm(a), lb = nc_norm(b), lc = nc_norm(c);
    const double y = nc_dot(a, nc_cross(b, c));
    const double x = la * lb * lc + nc_dot(a, b) * lc + nc_dot(b, c) * la + nc_dot(c, a) * lb;
    return y == 0 ? 0.0 : 2.0 * nc_atan2(y, x);
}

static double angle_of_leaf(const nc_solid *solid, const nc_bvh_node *node, nc_vec3 p)
{
    double sum = 0;
    for (int s = node->first; s < node->first + node->count; s++) {
        nc_vec3 t[3];
        if (solid->tree.order[s] >= solid->data.triangle_count)
            continue;
        corners_of(solid, solid->tree.order[s], t);
        sum += solid_angle(t, p);
    }
    return sum;
}

double nc_solid_winding(const nc_solid *solid, nc_vec3 p)
{
    int stack[NC_BVH_MAX_DEPTH + 1], depth = 0;
    double sum = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const int i = stack[--depth];
        const nc_bvh_node *node = &solid->tree.nodes[i];
        const dipole *d = &solid->dipoles[i];
        const nc_vec3 to = nc_sub(d->center, p);
        const double distance2 = nc_norm2(to);
        if (distance2 > FAR * FAR * d->radius * d->radius) {
            sum += nc_dot(d->area, to) / (distance2 * sqrt(distance2));
        } else if (node->right == 0) {
            sum += angle_of_leaf(solid, node, p);
        } else {
            stack[depth++] = node->right;
            stack[depth++] = i + 1;
        }
    }
    return sum / (4.0 * NC_PI);
}

static double distance2_to_box(nc_box box, nc_vec3 p)
{
    return nc_norm2(nc_sub(p, nc_max_v3(box.lo, nc_min_v3(box.hi, p))));
}

static double nearest_of_leaf(const nc_solid *solid, const nc_bvh_node *node, nc_vec3 p, double least)
{
    for (int s = node->first; s < node->first + node->count; s++) {
        nc_vec3 t[3];
        if (solid->tree.order[s] >= solid->data.triangle_count)
            continue;
        corners_of(solid, solid->tree.order[s], t);
        least = fmin(least, nc_distance_point_triangle(p, t).distance);
    }
    return least;
}

double nc_solid_distance(const nc_solid *solid, nc_vec3 p, double limit)
{
    int stack[NC_BVH_MAX_DEPTH + 1], depth = 0;
    double least = limit;
    stack[depth++] = 0;
    while (depth > 0) {
        const int i = stack[--depth];
        const nc_bvh_node *node = &solid->tree.nodes[i];
        // a hair more than the bound, so that rounding of the box's distance loses nothing
        if (distance2_to_box(node->box, p) * (1 - 1e-12) > least * least)
            continue;
        if (node->right == 0) {
            least = nearest_of_leaf(solid, node, p, least);
            continue;
        }
        const double left = distance2_to_box(solid->tree.nodes[i + 1].box, p);
        const bool left_first = left <= distance2_to_box(solid->tree.nodes[node->right].box, p);
        stack[depth++] = left_first ? node->right : i + 1;
        stack[depth++] = left_first ? i + 1 : node->right;
    }
    return least;
}

double nc_solid_value(const nc_solid *solid, nc_vec3 p)
{
    const double distance = nc_solid_distance(solid, p, INFINITY);
    return nc_solid_winding(solid, p) > 0.5 ? -distance : distance;
}
