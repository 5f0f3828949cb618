// Mass properties: solids by the divergence theorem, shells, wires and dust by their elements.
//
// All four are sums over simplices of one formula (docs/theory/mass.md): a simplex of k corners v_i with measure m
// has the first moment m s / k and the second moment m / (k (k + 1)) (sum v_i v_i^T + s s^T), s = sum v_i.
#include "geom/mesh.h"

#include <string.h>

// Integrals over a mesh relative to a reference point, and what rounding can be judged by.
typedef struct moments {
    double measure;      // [m^3], [m^2], [m] or a count
    double measure_size; // the same with every term taken positive
    nc_vec3 first;       // of x
    nc_mat3 second;      // of x x^T
    nc_vec3 area;        // [m^2] sum of the triangles' area vectors: 0 for a closed surface
    double area_size;    // [m^2] sum of the triangles' areas
} moments;

static void add_outer(nc_mat3 *m, double weight, nc_vec3 v)
{
    m->row[0] = nc_madd(m->row[0], weight * v.x, v);
    m->row[1] = nc_madd(m->row[1], weight * v.y, v);
    m->row[2] = nc_madd(m->row[2], weight * v.z, v);
}

static void add_diagonal(nc_mat3 *m, double value)
{
    m->row[0].x += value;
    m->row[1].y += value;
    m->row[2].z += value;
}

static nc_mat3 scale3(double s, nc_mat3 m)
{
    for (int i = 0; i < 3; i++)
        m.row[i] = nc_scale(s, m.row[i]);
    return m;
}

// A simplex of `corners` vertices v, and `origin` more at the reference point (1 for the tetrahedra of a solid).
static void add_simplex(moments *sum, const nc_vec3 *v, int corners, int origin, double measure)
{
    const int k = corners + origin;
    const double weight = measure / (double)(k * (k + 1));
    nc_vec3 s = nc_v3(0, 0, 0);
    for (int i = 0; i < corners; i++) {
        s = nc_add(s, v[i]);
        add_outer(&sum->second, weight, v[i]);
    }
    add_outer(&sum->second, weight, s);
    sum->first = nc_madd(sum->first, measure / (double)k, s);
    sum->measure += measure;
    sum->measure_size += fabs(measure);
}

static void add_triangles(moments *sum, const nc_mesh *mesh, nc_vec3 reference, bool solid)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        nc_vec3 v[3];
        for (int k = 0; k < 3; k++)
            v[k] = nc_sub(mesh->vertices[mesh->triangles[i][k]], reference);
        const nc_vec3 area = nc_scale(0.5, nc_cross(nc_sub(v[1], v[0]), nc_sub(v[2], v[0])));
        const double size = nc_norm(area);
        sum->area = nc_add(sum->area, area);
        sum->area_size += size;
        if (solid)
            add_simplex(sum, v, 3, 1, nc_dot(v[0], area) / 3);
        else
            add_simplex(sum, v, 3, 0, size);
    }
}

// Edges as round rods of the given diameter: their cross-section adds d^2/16 of the mass across the axis.
static void add_edges(moments *sum, const nc_mesh *mesh, nc_vec3 reference, double diameter)
{
    for (int i = 0; i < mesh->edge_count; i++) {
        nc_vec3 v[2];
        for (int k = 0; k < 2; k++)
            v[k] = nc_sub(mesh->vertices[mesh->edges[i][k]], reference);
        const nc_vec3 along = nc_sub(v[1], v[0]);
        const double length = nc_norm(along), across = length * diameter * diameter / 16;
        add_simplex(sum, v, 2, 0, length);
        if (length > 0) {
            add_diagonal(&sum->second, across);
            add_outer(&sum->second, -across / (length * length), along);
        }
    }
}

// Vertices as balls of the given diameter: each adds d^2/20 of its mass along every axis.
static void add_grains(moments *sum, const nc_mesh *mesh, nc_vec3 reference, double diameter)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        const nc_vec3 v = nc_sub(mesh->vertices[i], reference);
        add_simplex(sum, &v, 1, 0, 1);
        add_diagonal(&sum->second, diameter * diameter / 20);
    }
}

static moments integrate(const nc_mesh *mesh, nc_matter matter, double thickness, nc_vec3 reference)
{
    moments sum;
    memset(&sum, 0, sizeof sum);
    if (matter == NC_MATTER_SOLID || matter == NC_MATTER_SHELL)
        add_triangles(&sum, mesh, reference, matter == NC_MATTER_SOLID);
    else if (matter == NC_MATTER_WIRE)
        add_edges(&sum, mesh, reference, thickness);
    else
        add_grains(&sum, mesh, reference, thickness);
    return sum;
}

// ---- what was requested -------------------------------------------------------------------------------------

static nc_matter matter_of(const nc_mesh *mesh, nc_matter wanted)
{
    if (wanted != NC_MATTER_AUTO)
        return wanted;
    if (mesh->triangle_count > 0)
        return mesh->closed ? NC_MATTER_SOLID : NC_MATTER_SHELL;
    return mesh->edge_count > 0 ? NC_MATTER_WIRE : NC_MATTER_DUST;
}

static nc_code check_not_negative(const char *name, double value, nc_error *err)
{
    if (isfinite(value) && value >= 0)
        return NC_OK;
    return nc_fail(err, NC_BAD_ARGUMENT, "%s is %g: it must be finite and not negative", name, value);
}

static nc_code check_mass_def(const nc_mass_def *def, nc_error *err)
{
    if ((unsigned)def->matter > NC_MATTER_DUST)
        return nc_fail(err, NC_BAD_ARGUMENT, "matter is %d: there is no such kind", (int)def->matter);
    nc_code code = check_not_negative("density", def->density, err);
    if (code == NC_OK)
        code = check_not_negative("area density", def->area_density, err);
    if (code == NC_OK)
        code = check_not_negative("thickness", def->thickness, err);
    if (code == NC_OK)
        code = check_not_negative("mass", def->mass, err);
    return code;
}

static nc_code check_solid(const moments *sum, nc_error *err)
{
    if (nc_norm(sum->area) > 1e-9 * sum->area_size)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a solid needs a closed surface, but this mesh has a hole: take it as a "
                       "shell, or close it");
    if (sum->measure > 0x1p-40 * sum->measure_size)
        return NC_OK;
    if (sum->measure < -0x1p-40 * sum->measure_size)
        return nc_fail(err, NC_BAD_ARGUMENT, "the solid is inside out (its volume is %g): turn its triangles round",
                       sum->measure);
    return nc_fail(err, NC_BAD_ARGUMENT, "the solid has no volume: take it as a shell");
}

static nc_code check_measure(nc_matter matter, const moments *sum, nc_error *err)
{
    static const char *const missing[] = {"", "volume", "area", "length", "points"};
    if (matter == NC_MATTER_SOLID)
        return check_solid(sum, err);
    if (sum->measure > 0)
        return NC_OK;
    return nc_fail(err, NC_BAD_ARGUMENT, "the mesh has no %s that mass could be spread over", missing[matter]);
}

// Mass of one unit of measure by density; 0 when the definition gives none.
static double unit_mass(const nc_mass_def *def, nc_matter matter)
{
    const double d = def->thickness;
    switch (matter) {
    case NC_MATTER_SOLID:
        return def->density;
    case NC_MATTER_SHELL:
        return def->area_density > 0 ? def->area_density : def->density * d;
    case NC_MATTER_WIRE:
        return def->density * (NC_PI / 4) * d * d;
    default:
        return def->density * (NC_PI / 6) * d * d * d;
    }
}

static nc_code find_total(const nc_mass_def *def, nc_matter matter, double measure, double *out_mass, nc_error *err)
{
    static const char *const needed[] = {"", "a density", "an area density, or a density and a thickness",
                                         "a density and a thickness", "a density and a thickness"};
    const double mass = def->mass > 0 ? def->mass : unit_mass(def, matter) * measure;
    if (!isfinite(mass))
        return nc_fail(err, NC_BAD_ARGUMENT, "the mass is not finite");
    if (!(mass > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "the mass is 0: give a mass, or %s", needed[matter]);
    *out_mass = mass;
    return NC_OK;
}

// ---- inertia ------------------------------------------------------------------------------------------------

static nc_mat3 inertia_of(nc_mat3 second)
{
    const double trace = second.row[0].x + second.row[1].y + second.row[2].z;
    nc_mat3 inertia = scale3(-1, second);
    add_diagonal(&inertia, trace);
    return inertia;
}

static bool is_finite3(nc_mat3 m)
{
    return nc_finite3(m.row[0]) && nc_finite3(m.row[1]) && nc_finite3(m.row[2]);
}

static bool is_symmetric(nc_mat3 m)
{
    const double size = fmax(fmax(nc_max3(m.row[0]), nc_max3(m.row[1])), nc_max3(m.row[2]));
    return fabs(m.row[0].y - m.row[1].x) <= 1e-12 * size && fabs(m.row[0].z - m.row[2].x) <= 1e-12 * size &&
           fabs(m.row[1].z - m.row[2].y) <= 1e-12 * size;
}

static nc_mat3 symmetrized(nc_mat3 m)
{
    m.row[1].x = m.row[0].y = 0.5 * (m.row[0].y + m.row[1].x);
    m.row[2].x = m.row[0].z = 0.5 * (m.row[0].z + m.row[2].x);
    m.row[2].y = m.row[1].z = 0.5 * (m.row[1].z + m.row[2].y);
    return m;
}

// Smallest moment that is distinguished from 0: the eigenvalues are right to 16 u of the largest one.
static bool has_every_moment(nc_vec3 principal)
{
    return principal.x > 0x1p-44 * principal.z && isfinite(principal.z);
}

static nc_code take_explicit(const nc_mass_def *def, nc_mass *out, nc_error *err)
{
    if (!(def->mass > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "an explicit inertia needs an explicit mass");
    if (!nc_finite3(def->center) || !is_finite3(def->inertia))
        return nc_fail(err, NC_BAD_ARGUMENT, "the explicit centre or inertia is not finite");
    if (!is_symmetric(def->inertia))
        return nc_fail(err, NC_BAD_ARGUMENT, "the explicit inertia is not symmetric");
    out->mass = def->mass;
    out->center = def->center;
    out->inertia = symmetrized(def->inertia);
    nc_symmetric_eigen(out->inertia, &out->principal, &out->principal_q);
    const nc_vec3 p = out->principal;
    if (!has_every_moment(p))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the explicit inertia has the principal moments %g, %g, %g: all must be "
                       "positive",
                       p.x, p.y, p.z);
    if (p.x + p.y < (1 - 1e-9) * p.z)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "no body has the principal moments %g, %g, %g: the largest must not be "
                       "above the sum of the others",
                       p.x, p.y, p.z);
    return NC_OK;
}

static nc_code take_geometry(const nc_mesh *mesh, const nc_mass_def *def, nc_mass *out, nc_error *err)
{
    // First about the middle of the box, then about the centre of mass, so that nothing cancels.
    const nc_vec3 middle = nc_scale(0.5, nc_add(mesh->box.lo, mesh->box.hi));
    moments sum = integrate(mesh, out->matter, def->thickness, middle);
    nc_code code = check_measure(out->matter, &sum, err);
    if (code == NC_OK)
        code = find_total(def, out->matter, sum.measure, &out->mass, err);
    if (code != NC_OK)
        return code;
    out->center = nc_madd(middle, 1 / sum.measure, sum.first);
    sum = integrate(mesh, out->matter, def->thickness, out->center);
    out->inertia = symmetrized(inertia_of(scale3(out->mass / sum.measure, sum.second)));
    if (!is_finite3(out->inertia))
        return nc_fail(err, NC_BAD_ARGUMENT, "the inertia is not finite: the mesh or its density is too large");
    nc_symmetric_eigen(out->inertia, &out->principal, &out->principal_q);
    if (!has_every_moment(out->principal))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the body has no inertia about some axis (it is a point or straight): "
                       "give it a thickness, or an explicit inertia");
    return NC_OK;
}

nc_code nc_mesh_mass(const nc_mesh *mesh, const nc_mass_def *def, nc_mass *out, nc_error *err)
{
    memset(out, 0, sizeof *out);
    const nc_code code = check_mass_def(def, err);
    if (code != NC_OK)
        return code;
    out->matter = matter_of(mesh, def->matter);
    return def->has_inertia ? take_explicit(def, out, err) : take_geometry(mesh, def, out, err);
}
