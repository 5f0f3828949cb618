// A solid of primitives as a closed mesh, and a proof of how far the two are apart.
//
// The mesh is the dual contour of samples on a grid of cubes (geom/level_contour.c): closed and manifold whatever the
// samples are. The proof asks the solid's function for bounds over boxes (csg_field.c), so it needs neither samples nor
// slopes to be good. docs/theory/trajectory.md has both directions.
#include "narrow/csg.h"

#define U             NC_UNIT_ROUNDOFF
#define ROOT3         1.7320508075688774
#define SAMPLES_MAX   64000000.0
#define CELLS_BY_SIDE 48   // along the longest side when no cell is given
#define SHIFT         0.37 // [cells] of the grid, so that faces on round coordinates are not in planes of samples
#define BLOCK         8    // [cells] samples whose sign one box decides are not evaluated
#define PROOF_BY_CELL 0.25
#define ROUGHEST      2.0          // [radius of the smallest boxes] what the proofs do not try to go below
#define FIRST_OFFSET  (1.0 / 1024) // [cells] of the search for places on both sides
#define SIDE_STEPS    16           // of it, along the gradient

typedef struct meshing {
    const nc_csg *csg;
    nc_allocator allocator;
    nc_level_set set;
    double *values;
    size_t samples;
    nc_box box;
    nc_csg_mesh_info info;
    nc_mesh *mesh;
} meshing;

static double value_of(const void *ctx, nc_vec3 p)
{
    return nc_csg_at(ctx, p).value;
}

static nc_vec3 gradient_of(const void *ctx, nc_vec3 p)
{
    return nc_csg_at(ctx, p).gradient;
}

// ---- samples ------------------------------------------------------------------------------------------------

static nc_oriented_box box_between(nc_vec3 low, nc_vec3 high)
{
    const nc_vec3 half = nc_scale(0.5 * (1.0 + 8.0 * U), nc_sub(high, low));
    const nc_oriented_box box = {nc_scale(0.5, nc_add(low, high)),
                                 {nc_v3(half.x, 0, 0), nc_v3(0, half.y, 0), nc_v3(0, 0, half.z)}};
    return box;
}

static nc_vec3 sample_place(const nc_level_set *set, int i, int j, int k)
{
    return nc_madd(set->origin, set->spacing, nc_v3(i, j, k));
}

static void fill_block(meshing *m, const int first[3], const int last[3])
{
    const nc_level_set *set = &m->set;
    const nc_oriented_box box = box_between(sample_place(set, first[0], first[1], first[2]),
                                            sample_place(set, last[0] - 1, last[1] - 1, last[2] - 1));
    const nc_csg_bounds r = nc_csg_over_box(m->csg, &box);
    const double known = r.low > 0 ? r.low : r.high < 0 ? r.high : 0;
    m->info.evaluations++;
    for (int k = first[2]; k < last[2]; k++)
        for (int j = first[1]; j < last[1]; j++)
            for (int i = first[0]; i < last[0]; i++) {
                const size_t row = (size_t)i + (size_t)set->count[0] * ((size_t)j + (size_t)set->count[1] * (size_t)k);
                m->values[row] = known != 0 ? known : nc_csg_at(m->csg, sample_place(set, i, j, k)).value;
                m->info.evaluations += known == 0;
            }
}

static void fill_samples(meshing *m)
{
    const int *n = m->set.count;
    for (int k = 0; k < n[2]; k += BLOCK)
        for (int j = 0; j < n[1]; j += BLOCK)
            for (int i = 0; i < n[0]; i += BLOCK) {
                const int first[3] = {i, j, k};
                const int last[3] = {i + BLOCK < n[0] ? i + BLOCK : n[0], j + BLOCK < n[1] ? j + BLOCK : n[1],
                                     k + BLOCK < n[2] ? k + BLOCK : n[2]};
                fill_block(m, first, last);
            }
}

// A grid whose outermost two layers are outside the solid's box.
static nc_code lay_grid(meshing *m, double cell, nc_error *err)
{
    const nc_vec3 size = nc_sub(m->box.hi, m->box.lo);
    const double sides[3] = {size.x, size.y, size.z};
    double total = 1;
    m->set.spacing = cell;
    m->set.origin = nc_sub(m->box.lo, nc_scale((1.0 + SHIFT) * cell, nc_v3(1, 1, 1)));
    for (int k = 0; k < 3; k++) {
        const double count = ceil(sides[k] / cell) + 4;
        total *= count;
        if (!(total <= SAMPLES_MAX))
            return nc_fail(err, NC_BAD_ARGUMENT,
                           "a solid of %g x %g x %g m in cells of %g m has more than %g samples; make the cell larger",
                           size.x, size.y, size.z, cell, SAMPLES_MAX);
        m->set.count[k] = (int)count;
    }
    m->samples = (size_t)total;
    m->values = nc_alloc(&m->allocator, m->samples, sizeof *m->values);
    m->set.values = m->values;
    return m->values != NULL ? NC_OK : nc_fail_memory(err, m->samples * sizeof *m->values);
}

static nc_code make_mesh(meshing *m, nc_error *err)
{
    const nc_level_field field = {value_of, gradient_of, m->csg};
    nc_level_surface surface = {0};
    if (!nc_level_surface_build(&m->set, true, &field, &m->allocator, &surface))
        return nc_fail_memory(err, m->samples * sizeof(int));
    const nc_mesh_def def = {.vertices = surface.vertices.data,
                             .vertex_count = surface.vertices.count,
                             .triangles = (const int(*)[3])surface.corners.data,
                             .triangle_count = surface.corners.count / 3};
    const nc_code code = def.triangle_count == 0
                             ? nc_fail(err, NC_BAD_ARGUMENT,
                                       "the solid has no inside that a grid with cells of %g m finds", m->set.spacing)
                             : nc_mesh_create(&def, &m->allocator, &m->mesh, err);
    nc_level_surface_free(&m->allocator, &surface);
    return code;
}

// ---- proof: the solid's surface is near the mesh ----------------------------------------------------------------

// Boxes that cannot be ruled out hold all of the surface. One is done when all of it is within the bound so far of the
// mesh, or when it is as small as the proof goes: then the bound grows.
static void prove_beyond(meshing *m, nc_vec3 low, nc_vec3 high, double smallest)
{
    const nc_oriented_box box = box_between(low, high);
    const nc_csg_bounds r = nc_csg_over_box(m->csg, &box);
    m->info.evaluations++;
    if (r.low > 0 || r.high < 0)
        return;
    const double radius = nc_oriented_box_radius(&box);
    if (radius <= m->set.spacing) {
        const double slack = 0x1p-40 * (nc_max3(low) + nc_max3(high));
        const double reach = nc_mesh_point_distance(m->mesh, box.center) + radius + slack;
        if (radius <= smallest)
            m->info.beyond = fmax(m->info.beyond, reach);
        if (reach <= m->info.beyond)
            return;
    }
    const nc_vec3 middle = box.center;
    for (int k = 0; k < 8; k++) {
        const nc_vec3 from = nc_v3(k & 1 ? middle.x : low.x, k & 2 ? middle.y : low.y, k & 4 ? middle.z : low.z);
        const nc_vec3 to = nc_v3(k & 1 ? high.x : middle.x, k & 2 ? high.y : middle.y, k & 4 ? high.z : middle.z);
        prove_beyond(m, from, to, smallest);
    }
}

// ---- proof: the mesh is near the solid's surface ----------------------------------------------------------------

static int certain_sign(meshing *m, nc_vec3 p)
{
    const nc_oriented_box point = {.center = p};
    const nc_csg_bounds r = nc_csg_over_box(m->csg, &point);
    m->info.evaluations++;
    return r.low > 0 ? 1 : r.high < 0 ? -1 : 0;
}

// How far from p a place is that is inside (side -1) or outside (1) for certain: by steps along the gradient, each to
// where the function would be `beyond` the surface, which go into wedges, too. `most` when none was found.
static double reach_side(meshing *m, nc_vec3 p, int side, double beyond, double most)
{
    nc_vec3 at = p;
    for (int i = 0; i < SIDE_STEPS; i++) {
        const nc_csg_sample here = nc_csg_at(m->csg, at);
        const double far = nc_norm(nc_sub(at, p)) * (1.0 + 64.0 * U);
        if (!(far < most))
            return most;
        if (here.value * side > 0 && certain_sign(m, at) == side)
            return far;
        at = nc_madd(at, side * beyond - here.value, nc_direction(here.gradient));
    }
    return most;
}

// A radius about p within which there are places for certain inside and for certain outside: so there is one of the
// surface on the way from one to the other. At most `most`, and then nothing was found.
static double surface_within(meshing *m, nc_vec3 p, double most)
{
    double best = most, beyond = FIRST_OFFSET * m->set.spacing;
    while (beyond < 0.5 * best) {
        best = fmin(best, fmax(reach_side(m, p, -1, beyond, best), reach_side(m, p, 1, beyond, best)));
        beyond *= 4;
    }
    return best;
}

// All of a triangle is within the bound so far of the surface, or it is quartered until it is as small as the proof
// goes: then the bound grows. Whatever happens, a triangle's corners lie in cells about a crossed edge of the grid, and
// the crossing is within sqrt(3) cells of all of it.
static void prove_off(meshing *m, const nc_vec3 t[3], double smallest)
{
    const double most = ROOT3 * m->set.spacing * (1.0 + 0x1p-20);
    const nc_vec3 c = nc_scale(1.0 / 3, nc_add(nc_add(t[0], t[1]), t[2]));
    double radius = 0;
    for (int k = 0; k < 3; k++)
        radius = fmax(radius, nc_norm(nc_sub(t[k], c)));
    radius += 64.0 * U * (nc_max3(c) + radius);
    const bool small = radius <= smallest;
    const double reach = surface_within(m, c, small ? most : fmin(most, m->info.off)) + radius;
    if (small)
        m->info.off = fmax(m->info.off, fmin(reach, most));
    if (small || reach <= m->info.off)
        return;
    const nc_vec3 ab = nc_scale(0.5, nc_add(t[0], t[1])), bc = nc_scale(0.5, nc_add(t[1], t[2]));
    const nc_vec3 ca = nc_scale(0.5, nc_add(t[2], t[0]));
    const nc_vec3 parts[4][3] = {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}};
    for (int k = 0; k < 4; k++)
        prove_off(m, parts[k], smallest);
}

static void prove_all_off(meshing *m, double smallest)
{
    const nc_mesh_data data = nc_mesh_view(m->mesh);
    for (int i = 0; i < data.triangle_count; i++) {
        nc_vec3 t[3];
        for (int k = 0; k < 3; k++)
            t[k] = data.vertices[data.triangles[i][k]];
        prove_off(m, t, smallest);
    }
}

// ---- the public face ----------------------------------------------------------------------------------------

static nc_code begin(meshing *m, const nc_csg_mesh_def *def, nc_error *err)
{
    nc_target unused;
    const nc_code code = nc_target_csg(m->csg, &unused, err);
    if (code != NC_OK)
        return code;
    m->box = nc_csg_box(m->csg);
    const nc_vec3 size = nc_sub(m->box.hi, m->box.lo);
    if (!nc_finite3(m->box.lo) || !nc_finite3(m->box.hi))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the solid has no bounds; intersect half-spaces and gyroids with a box, or take them away");
    if (!(size.x > 0 && size.y > 0 && size.z > 0))
        return nc_fail(err, NC_BAD_ARGUMENT, "the solid is empty: its parts do not overlap");
    if (!(def->cell >= 0 && def->cell <= NC_COORDINATE_MAX) || !(def->proof >= 0 && def->proof <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "the cell is %g m and the proof %g m; both are 0 to 2^100 m", def->cell,
                       def->proof);
    return lay_grid(m, def->cell > 0 ? def->cell : nc_max3(size) / CELLS_BY_SIDE, err);
}

nc_code nc_csg_mesh(const nc_csg *csg, const nc_csg_mesh_def *def, const nc_allocator *allocator, nc_mesh **out,
                    nc_csg_mesh_info *info, nc_error *err)
{
    meshing m = {.csg = csg, .allocator = nc_allocator_or_default(allocator)};
    nc_code code = begin(&m, def, err);
    if (code == NC_OK) {
        fill_samples(&m);
        code = make_mesh(&m, err);
    }
    nc_free(&m.allocator, m.values, m.samples, sizeof *m.values);
    *out = m.mesh;
    if (code != NC_OK || info == NULL)
        return code;
    const double smallest = def->proof > 0 ? def->proof : PROOF_BY_CELL * m.set.spacing;
    const double edge = 0x1p-40 * (nc_max3(m.box.lo) + nc_max3(m.box.hi));
    m.info.cell = m.set.spacing;
    m.info.beyond = m.info.off = ROUGHEST * smallest; // no finer than that: most boxes are done earlier
    m.info.box = m.box;
    prove_beyond(&m, nc_sub(m.box.lo, nc_v3(edge, edge, edge)), nc_add(m.box.hi, nc_v3(edge, edge, edge)), smallest);
    prove_all_off(&m, smallest);
    *info = m.info;
    return NC_OK;
}
