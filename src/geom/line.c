// Where a line crosses the triangles of a mesh. In plain arithmetic: for proposals, never for a proof.
#include "geom/geom.h"

#define EDGE_SLACK 1e-9 // [1] of a triangle, so that lines do not slip between two of them

// Part of [low, high] in which from + s dir is inside the box; false when there is none.
static bool crosses_box(nc_box box, nc_vec3 from, nc_vec3 dir, double low, double high)
{
    const double p[3] = {from.x, from.y, from.z}, d[3] = {dir.x, dir.y, dir.z};
    const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    const double slack = EDGE_SLACK * (high - low);
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (p[k] < lo[k] - slack || p[k] > hi[k] + slack)
                return false;
            continue;
        }
        const double a = (lo[k] - p[k]) / d[k], b = (hi[k] - p[k]) / d[k];
        low = fmax(low, fmin(a, b) - slack);
        high = fmin(high, fmax(a, b) + slack);
    }
    return low <= high;
}

// Moeller and Trumbore 1997.
static bool crosses_triangle(const nc_vec3 t[3], nc_vec3 from, nc_vec3 dir, double cosine, double *at)
{
    const nc_vec3 e = nc_sub(t[1], t[0]), f = nc_sub(t[2], t[0]), p = nc_cross(dir, f), q = nc_sub(from, t[0]);
    const double det = nc_dot(e, p);
    if (!(fabs(det) > cosine * nc_norm(nc_cross(e, f))))
        return false;
    const double u = nc_dot(q, p) / det, v = nc_dot(dir, nc_cross(q, e)) / det;
    *at = nc_dot(f, nc_cross(q, e)) / det;
    return u >= -EDGE_SLACK && v >= -EDGE_SLACK && u + v <= 1 + EDGE_SLACK && isfinite(*at);
}

bool nc_mesh_line_hit(const nc_mesh *mesh, const nc_mesh_line *line, double *at)
{
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    const nc_mesh_data data = nc_mesh_view(mesh);
    int stack[NC_BVH_MAX_DEPTH + 1], depth = 0;
    bool found = false;
    stack[depth++] = 0;
    while (depth > 0) {
        const int index = stack[--depth];
        const nc_bvh_node *node = &tree.nodes[index];
        if (!crosses_box(node->box, line->from, line->dir, line->low, line->high))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (int slot = node->first; slot < node->first + node->count; slot++) {
            if (tree.order[slot] >= data.triangle_count)
                continue;
            const int *corner = data.triangles[tree.order[slot]];
            const nc_vec3 t[3] = {data.vertices[corner[0]], data.vertices[corner[1]], data.vertices[corner[2]]};
            double here;
            if (!crosses_triangle(t, line->from, line->dir, line->cosine, &here) || here < line->low ||
                here > line->high)
                continue;
            if (!found || fabs(here - line->near) < fabs(*at - line->near))
                *at = here;
            found = true;
        }
    }
    return found;
}
