// What pieces weigh: volume or area, centre, second moments, from their triangles.
//
// The integrals of 1, x and x x^T over a tetrahedron from a reference place to a triangle, or over the triangle itself
// (Su 4.2; signed volumes need no cap that is any particular way cut into triangles).
#include "fracture/cut.h"

static void add_outer(nc_mat3 *m, double s, nc_vec3 v)
{
    m->row[0] = nc_madd(m->row[0], s * v.x, v);
    m->row[1] = nc_madd(m->row[1], s * v.y, v);
    m->row[2] = nc_madd(m->row[2], s * v.z, v);
}

static nc_vec3 middle_of(const nc_cut_mesh *mesh)
{
    const nc_box box = nc_cut_mesh_box(mesh);
    return mesh->vertices.count > 0 ? nc_scale(0.5, nc_add(box.lo, box.hi)) : nc_v3(0, 0, 0);
}

nc_weight nc_cut_mesh_weight(const nc_cut_mesh *mesh, bool solid)
{
    const nc_vec3 middle = middle_of(mesh);
    nc_weight w = {.center = middle};
    nc_vec3 first = {0, 0, 0};
    for (int i = 0; i < mesh->triangles.count; i++) {
        const int *v = mesh->triangles.data[i].v;
        const nc_vec3 a = nc_sub(mesh->vertices.data[v[0]], middle), b = nc_sub(mesh->vertices.data[v[1]], middle);
        const nc_vec3 c = nc_sub(mesh->vertices.data[v[2]], middle), sum = nc_add(a, nc_add(b, c));
        const nc_vec3 twice = nc_cross(nc_sub(b, a), nc_sub(c, a));
        const double part = solid ? nc_dot(a, twice) / 6 : 0.5 * nc_norm(twice);
        w.measure += part;
        first = nc_madd(first, part / (solid ? 4 : 3), sum);
        const double share = part / (solid ? 20 : 12);
        add_outer(&w.second, share, sum);
        add_outer(&w.second, share, a);
        add_outer(&w.second, share, b);
        add_outer(&w.second, share, c);
    }
    if (w.measure > 0) {
        const nc_vec3 shift = nc_scale(1 / w.measure, first);
        w.center = nc_add(middle, shift);
        add_outer(&w.second, -w.measure, shift);
    }
    return w;
}

nc_weight nc_weight_add(nc_weight a, nc_weight b)
{
    nc_weight w = {.measure = a.measure + b.measure, .center = a.center};
    if (w.measure > 0)
        w.center = nc_madd(a.center, b.measure / w.measure, nc_sub(b.center, a.center));
    for (int k = 0; k < 3; k++)
        w.second.row[k] = nc_add(a.second.row[k], b.second.row[k]);
    add_outer(&w.second, a.measure, nc_sub(a.center, w.center));
    add_outer(&w.second, b.measure, nc_sub(b.center, w.center));
    return w;
}

void nc_weight_inertia(const nc_weight *weight, nc_vec3 *principal, nc_quat *axes)
{
    const nc_mat3 s = weight->second;
    const double trace = s.row[0].x + s.row[1].y + s.row[2].z;
    nc_mat3 inertia = {{nc_neg(s.row[0]), nc_neg(s.row[1]), nc_neg(s.row[2])}};
    inertia.row[0].x += trace;
    inertia.row[1].y += trace;
    inertia.row[2].z += trace;
    nc_symmetric_eigen(inertia, principal, axes);
}
