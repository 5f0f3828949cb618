// Convex polyhedra, cut by planes.
//
// A corner is outside, on the plane (within NC_ON_PLANE) or inside. A cut edge gets one new corner, which both of its
// faces share, so a polyhedron stays closed whatever the rounding. Every face that loses a part shows an edge to the
// hole; those edges, the other way round, are the loop of the new face.
#include "fracture/fracture.h"

// An edge of the hole: where a face was entered and left, seen along its loop.
typedef struct rim {
    int entry, leave;
} rim;

typedef struct cut_edge {
    int inside, outside, corner; // of the old corners; the new one
} cut_edge;

// One cut in progress.
typedef struct cut {
    nc_polyhedron *p;
    nc_allocator allocator;
    NC_ARRAY(double) value; // [m] of each old corner; exactly 0 on the plane
    NC_ARRAY(cut_edge) edges;
    NC_ARRAY(rim) rims;
    NC_ARRAY(int) loops;
    NC_ARRAY(nc_face) faces;
} cut;

nc_polyhedron nc_polyhedron_create(const nc_allocator *allocator)
{
    const nc_polyhedron p = {.allocator = nc_allocator_or_default(allocator)};
    return p;
}

void nc_polyhedron_free(nc_polyhedron *p)
{
    nc_array_free(&p->allocator, &p->corners);
    nc_array_free(&p->allocator, &p->loops);
    nc_array_free(&p->allocator, &p->faces);
}

bool nc_polyhedron_box(nc_polyhedron *p, nc_box box)
{
    static const int loops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    p->corners.count = p->loops.count = p->faces.count = 0;
    if (!nc_array_reserve(&p->allocator, &p->corners, 8) || !nc_array_reserve(&p->allocator, &p->loops, 24) ||
        !nc_array_reserve(&p->allocator, &p->faces, 6))
        return false;
    for (int i = 0; i < 8; i++)
        p->corners.data[p->corners.count++] =
            nc_v3(i & 1 ? box.hi.x : box.lo.x, i & 2 ? box.hi.y : box.lo.y, i & 4 ? box.hi.z : box.lo.z);
    for (int f = 0; f < 6; f++) {
        p->faces.data[p->faces.count++] = (nc_face){4 * f, 4, -1 - f};
        for (int k = 0; k < 4; k++)
            p->loops.data[p->loops.count++] = loops[f][k];
    }
    return true;
}

bool nc_polyhedron_copy(nc_polyhedron *to, const nc_polyhedron *from)
{
    to->corners.count = to->loops.count = to->faces.count = 0;
    for (int i = 0; i < from->corners.count; i++)
        if (!nc_array_push(&to->allocator, &to->corners, from->corners.data[i]))
            return false;
    for (int i = 0; i < from->loops.count; i++)
        if (!nc_array_push(&to->allocator, &to->loops, from->loops.data[i]))
            return false;
    for (int i = 0; i < from->faces.count; i++)
        if (!nc_array_push(&to->allocator, &to->faces, from->faces.data[i]))
            return false;
    return true;
}

// ---- cutting ------------------------------------------------------------------------------------------------

// Fills the values; says on which sides there are corners in use.
static bool measure(cut *c, const nc_plane *plane, bool *any_inside, bool *any_outside)
{
    const nc_polyhedron *p = c->p;
    if (!nc_array_reserve(&c->allocator, &c->value, p->corners.count))
        return false;
    c->value.count = p->corners.count;
    for (int i = 0; i < p->corners.count; i++) {
        const double value = nc_plane_value(plane, p->corners.data[i]);
        c->value.data[i] = fabs(value) <= NC_ON_PLANE ? 0.0 : value;
    }
    *any_inside = *any_outside = false;
    for (int i = 0; i < p->loops.count; i++) {
        *any_inside = *any_inside || c->value.data[p->loops.data[i]] < 0;
        *any_outside = *any_outside || c->value.data[p->loops.data[i]] > 0;
    }
    return true;
}

// Coordinates that are nothing but rounding become 0: meshes take no smaller ones than NC_COORDINATE_MIN.
static double settled(double x)
{
    return fabs(x) < 0x1p-60 ? 0.0 : x;
}

// The corner where the edge from an inside corner (or one on the plane) leaves; -1 when out of memory.
static int crossing(cut *c, int inside, int outside)
{
    if (c->value.data[inside] == 0)
        return inside;
    for (int i = 0; i < c->edges.count; i++)
        if (c->edges.data[i].inside == inside && c->edges.data[i].outside == outside)
            return c->edges.data[i].corner;
    const double a = c->value.data[inside], b = c->value.data[outside];
    const nc_vec3 from = c->p->corners.data[inside], to = c->p->corners.data[outside];
    const cut_edge edge = {inside, outside, c->p->corners.count};
    const nc_vec3 exact = nc_madd(from, a / (a - b), nc_sub(to, from));
    const nc_vec3 place = nc_v3(settled(exact.x), settled(exact.y), settled(exact.z));
    if (!nc_array_push(&c->allocator, &c->edges, edge) || !nc_array_push(&c->p->allocator, &c->p->corners, place))
        return -1;
    return edge.corner;
}

// What one edge of a face, u to v, leaves behind in the new loop and in the rim.
static bool cut_edge_of_face(cut *c, int u, int v, rim *out)
{
    const bool u_out = c->value.data[u] > 0, v_out = c->value.data[v] > 0;
    if (!u_out && !nc_array_push(&c->allocator, &c->loops, u))
        return false;
    if (u_out == v_out)
        return true;
    const int corner = u_out ? crossing(c, v, u) : crossing(c, u, v);
    if (corner < 0)
        return false;
    if (u_out)
        out->entry = corner;
    else
        out->leave = corner;
    // a corner on the plane is in the loop as itself
    return corner == (u_out ? v : u) || nc_array_push(&c->allocator, &c->loops, corner);
}

static bool cut_face(cut *c, nc_face face)
{
    const int *loop = c->p->loops.data + face.first;
    const int first = c->loops.count;
    rim edge = {-1, -1};
    for (int k = 0; k < face.count; k++)
        if (!cut_edge_of_face(c, loop[k], loop[(k + 1) % face.count], &edge))
            return false;
    if (edge.entry != edge.leave && edge.entry >= 0 && !nc_array_push(&c->allocator, &c->rims, edge))
        return false;
    const nc_face kept = {first, c->loops.count - first, face.tag};
    if (kept.count < 3) {
        c->loops.count = first;
        return true;
    }
    return nc_array_push(&c->allocator, &c->faces, kept);
}

// The new face: from the entry of a rim to where that face was left, which is the entry of the next rim.
static bool close_hole(cut *c, int tag)
{
    if (c->rims.count < 3)
        return true;
    const nc_face cap = {c->loops.count, c->rims.count, tag};
    int at = 0;
    for (int k = 0; k < cap.count; k++) {
        if (!nc_array_push(&c->allocator, &c->loops, c->rims.data[at].entry))
            return false;
        for (int i = 0; i < c->rims.count; i++)
            if (c->rims.data[i].entry == c->rims.data[at].leave) {
                at = i;
                break;
            }
    }
    return nc_array_push(&c->allocator, &c->faces, cap);
}

// Gives the polyhedron the new loops and faces, keeping its arrays.
static bool take_over(cut *c)
{
    nc_polyhedron *p = c->p;
    if (!nc_array_reserve(&p->allocator, &p->loops, c->loops.count) ||
        !nc_array_reserve(&p->allocator, &p->faces, c->faces.count))
        return false;
    p->loops.count = c->loops.count;
    p->faces.count = c->faces.count;
    for (int i = 0; i < c->loops.count; i++)
        p->loops.data[i] = c->loops.data[i];
    for (int i = 0; i < c->faces.count; i++)
        p->faces.data[i] = c->faces.data[i];
    return true;
}

static bool cut_all(cut *c, int tag)
{
    for (int f = 0; f < c->p->faces.count; f++)
        if (!cut_face(c, c->p->faces.data[f]))
            return false;
    return close_hole(c, tag) && take_over(c);
}

bool nc_polyhedron_clip(nc_polyhedron *p, const nc_plane *plane, int tag)
{
    cut c = {.p = p, .allocator = p->allocator};
    bool any_inside = false, any_outside = false;
    bool ok = measure(&c, plane, &any_inside, &any_outside);
    if (ok && !any_inside)
        p->faces.count = p->loops.count = p->corners.count = 0;
    else if (ok && any_outside)
        ok = cut_all(&c, tag);
    nc_array_free(&c.allocator, &c.value);
    nc_array_free(&c.allocator, &c.edges);
    nc_array_free(&c.allocator, &c.rims);
    nc_array_free(&c.allocator, &c.loops);
    nc_array_free(&c.allocator, &c.faces);
    return ok;
}

// ---- measures -----------------------------------------------------------------------------------------------

static nc_vec3 mean_of_corners(const nc_polyhedron *p)
{
    nc_vec3 sum = nc_v3(0, 0, 0);
    for (int i = 0; i < p->loops.count; i++)
        sum = nc_add(sum, p->corners.data[p->loops.data[i]]);
    return p->loops.count > 0 ? nc_scale(1.0 / p->loops.count, sum) : sum;
}

double nc_polyhedron_volume(const nc_polyhedron *p, nc_vec3 *out_center)
{
    const nc_vec3 middle = mean_of_corners(p);
    double six = 0;
    nc_vec3 moment = nc_v3(0, 0, 0);
    for (int f = 0; f < p->faces.count; f++) {
        const int *loop = p->loops.data + p->faces.data[f].first;
        const nc_vec3 a = nc_sub(p->corners.data[loop[0]], middle);
        for (int k = 1; k + 1 < p->faces.data[f].count; k++) {
            const nc_vec3 b = nc_sub(p->corners.data[loop[k]], middle);
            const nc_vec3 c = nc_sub(p->corners.data[loop[k + 1]], middle);
            const double part = nc_dot(a, nc_cross(b, c));
            six += part;
            moment = nc_madd(moment, part, nc_add(a, nc_add(b, c)));
        }
    }
    if (out_center != NULL)
        *out_center = six > 0 ? nc_madd(middle, 0.25 / six, moment) : middle;
    return six / 6.0;
}

double nc_polyhedron_reach(const nc_polyhedron *p, nc_vec3 from)
{
    double reach = 0;
    for (int i = 0; i < p->loops.count; i++)
        reach = fmax(reach, nc_norm(nc_sub(p->corners.data[p->loops.data[i]], from)));
    return reach;
}

nc_code nc_polyhedron_mesh(const nc_polyhedron *p, nc_mesh **out, nc_error *err)
{
    *out = NULL;
    const int count = p->loops.count - 2 * p->faces.count;
    if (count <= 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "an empty polyhedron makes no mesh");
    int(*triangles)[3] = nc_alloc(&p->allocator, (size_t)count, sizeof *triangles);
    if (triangles == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *triangles);
    int at = 0;
    for (int f = 0; f < p->faces.count; f++) {
        const int *loop = p->loops.data + p->faces.data[f].first;
        for (int k = 1; k + 1 < p->faces.data[f].count; k++, at++) {
            triangles[at][0] = loop[0];
            triangles[at][1] = loop[k];
            triangles[at][2] = loop[k + 1];
        }
    }
    const nc_mesh_def def = {.vertices = p->corners.data,
                             .vertex_count = p->corners.count,
                             .triangles = (const int(*)[3])triangles,
                             .triangle_count = count};
    const nc_code code = nc_mesh_create(&def, &p->allocator, out, err);
    nc_free(&p->allocator, triangles, (size_t)count, sizeof *triangles);
    return code;
}
