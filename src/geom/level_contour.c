// Level sets into closed, manifold meshes: dual contouring with one vertex for each sheet of a cell.
//
// On every face of a cell the crossed edges are linked in pairs; where all four are crossed, so that the two inside
// corners are parted, whichever cell asks. The links of a cell form loops, the polygons of marching cubes; each becomes
// one vertex, and each crossed edge of the grid a quadrilateral of the vertices of its four cells. That is the dual of
// a closed surface. Two cells can share two links on one face with the same two loops: then both dual edges would join
// the same two vertices, so each gets a vertex of its own in its middle. docs/theory/level-set.md has the proof.
#include "geom/geom.h"

// Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + u + 2 v runs along axis a, on the side u of axis a +
// 1 and the side v of axis a + 2.
#define EDGES 12

typedef struct active_cell {
    int first;          // its first vertex
    int8_t loop[EDGES]; // which of its vertices each crossed edge belongs to; -1 for the others
} active_cell;

// A vertex in the middle of one of two dual edges between the same vertices.
typedef struct midpoint {
    int axis, vertex;
    size_t face, inside; // the lowest sample of the face; the inside corner that the link goes around
} midpoint;

typedef struct contour {
    const nc_level_set *set;
    const nc_level_field *field; // or NULL
    bool sharp;
    nc_allocator allocator;
    size_t stride[3];
    int *active_of; // [sample] row of `active` for the cell whose lowest sample it is, + 1; 0: none
    size_t samples;
    NC_ARRAY(active_cell) active;
    nc_level_surface *surface;
    NC_ARRAY(midpoint) midpoints;
} contour;

static bool is_end(const nc_level_set *set, int axis, int i)
{
    return i == 0 || i == set->count[axis] - 1;
}

static bool is_inside(const contour *c, const int at[3])
{
    for (int k = 0; k < 3; k++)
        if (is_end(c->set, k, at[k]))
            return false;
    return c->set->values[(size_t)at[0] + c->stride[1] * (size_t)at[1] + c->stride[2] * (size_t)at[2]] < 0;
}

static size_t sample_of(const contour *c, const int at[3])
{
    return (size_t)at[0] + c->stride[1] * (size_t)at[1] + c->stride[2] * (size_t)at[2];
}

static nc_vec3 place_of(const contour *c, const int at[3])
{
    return nc_madd(c->set->origin, c->set->spacing, nc_v3(at[0], at[1], at[2]));
}

#define ROOT_STEPS 40 // of the search along an edge

// A place between two of different sign where the field is 0: the secant, and halving where it makes no progress
// (the Illinois rule).
static nc_vec3 root_between(const nc_level_field *field, nc_vec3 from, nc_vec3 to)
{
    const nc_vec3 way = nc_sub(to, from);
    double low = 0, high = 1, a = field->value(field->ctx, from), b = field->value(field->ctx, to), part = 0.5;
    int side = 0;
    for (int i = 0; i < ROOT_STEPS && high - low > 0x1p-30; i++) {
        part = (a < 0) != (b < 0) ? (low * b - high * a) / (b - a) : 0.5 * (low + high);
        const double value = field->value(field->ctx, nc_madd(from, part, way));
        if (value == 0)
            break;
        if ((value < 0) == (a < 0)) {
            b = side == 1 ? 0.5 * b : b;
            low = part, a = value, side = 1;
        } else {
            a = side == 2 ? 0.5 * a : a;
            high = part, b = value, side = 2;
        }
    }
    return nc_madd(from, part, way);
}

// Where the function is 0 on the edge from `at` along an axis, whose ends differ in sign (or one is at the grid's end).
static nc_vec3 crossing(const contour *c, const int at[3], int axis)
{
    int to[3] = {at[0], at[1], at[2]};
    to[axis]++;
    const double a = c->set->values[sample_of(c, at)], b = c->set->values[sample_of(c, to)];
    const nc_vec3 from = place_of(c, at), end = place_of(c, to);
    if (c->field != NULL && (a < 0) != (b < 0))
        return root_between(c->field, from, end);
    const double part = (a < 0) != (b < 0) ? a / (a - b) : 0.5;
    return nc_madd(from, part, nc_sub(end, from));
}

static nc_vec3 gradient_at(const contour *c, nc_vec3 p)
{
    return c->field != NULL ? c->field->gradient(c->field->ctx, p) : nc_level_set_gradient(c->set, p);
}

// ---- loops of a cell ----------------------------------------------------------------------------------------

static int corner_bit(int axis, int side)
{
    return side << axis;
}

// The low end of an edge, as a corner.
static int edge_corner(int edge)
{
    const int axis = edge / 4;
    return corner_bit((axis + 1) % 3, edge & 1) | corner_bit((axis + 2) % 3, (edge >> 1) & 1);
}

static bool is_crossed(int mask, int edge)
{
    const int low = edge_corner(edge), high = low | corner_bit(edge / 4, 1);
    return ((mask >> low) & 1) != ((mask >> high) & 1);
}

// The edge of a cell along `axis` through a corner.
static int edge_at(int axis, int corner)
{
    return 4 * axis + ((corner >> ((axis + 1) % 3)) & 1) + 2 * ((corner >> ((axis + 2) % 3)) & 1);
}

static void join(int8_t *loop, int a, int b)
{
    const int8_t from = loop[a], to = loop[b];
    for (int e = 0; e < EDGES; e++)
        if (loop[e] == from)
            loop[e] = to;
}

// Links the crossed edges of the face on one side of an axis.
static void link_face(int8_t *loop, int mask, int axis, int side)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3, base = corner_bit(axis, side);
    const int corners[4] = {base, base | corner_bit(u, 1), base | corner_bit(u, 1) | corner_bit(v, 1),
                            base | corner_bit(v, 1)};
    int crossed[4], count = 0;
    for (int k = 0; k < 4; k++) {
        const int edge = edge_at(k % 2 == 0 ? u : v, corners[k == 0 || k == 3 ? 0 : k == 1 ? 1 : 3]);
        if (is_crossed(mask, edge))
            crossed[count++] = edge;
    }
    if (count == 2)
        join(loop, crossed[0], crossed[1]);
    for (int k = 0; k < 4 && count == 4; k++)
        if ((mask >> corners[k]) & 1)
            join(loop, edge_at(u, corners[k]), edge_at(v, corners[k]));
}

// Numbers the loops of a cell from 0; returns how many there are.
static int find_loops(int mask, int8_t *loop)
{
    int8_t number[EDGES];
    int count = 0;
    for (int e = 0; e < EDGES; e++)
        loop[e] = is_crossed(mask, e) ? (int8_t)e : (int8_t)-1;
    for (int face = 0; face < 6; face++)
        link_face(loop, mask, face / 2, face % 2);
    for (int e = 0; e < EDGES; e++)
        number[e] = -1;
    for (int e = 0; e < EDGES; e++)
        if (loop[e] >= 0) {
            if (number[loop[e]] < 0)
                number[loop[e]] = (int8_t)count++;
            loop[e] = number[loop[e]];
        }
    return count;
}

// ---- vertices -----------------------------------------------------------------------------------------------

#define MIN_EIGENVALUE 0.1 // of the largest; below it the planes say nothing of that direction

// The place nearest to the mean of the points that is in all tangent planes, as far as they agree.
static nc_vec3 intersect_planes(const nc_vec3 *points, const nc_vec3 *normals, int count, nc_vec3 mean)
{
    nc_mat3 a = {0};
    nc_vec3 b = {0}, values, out = mean;
    nc_quat axes;
    for (int i = 0; i < count; i++) {
        const nc_vec3 n = normals[i];
        a.row[0] = nc_madd(a.row[0], n.x, n);
        a.row[1] = nc_madd(a.row[1], n.y, n);
        a.row[2] = nc_madd(a.row[2], n.z, n);
        b = nc_madd(b, nc_dot(n, nc_sub(points[i], mean)), n);
    }
    nc_symmetric_eigen(a, &values, &axes);
    const nc_mat3 columns = nc_mat3_transpose(nc_quat_matrix(axes));
    const double eigen[3] = {values.x, values.y, values.z};
    for (int k = 0; k < 3; k++)
        if (eigen[k] > MIN_EIGENVALUE * eigen[2])
            out = nc_madd(out, nc_dot(columns.row[k], b) / eigen[k], columns.row[k]);
    return out;
}

static nc_vec3 vertex_of_loop(const contour *c, const int at[3], const active_cell *cell, int loop)
{
    nc_vec3 points[EDGES], normals[EDGES], mean = {0};
    int count = 0;
    for (int e = 0; e < EDGES; e++) {
        if (cell->loop[e] != loop)
            continue;
        const int corner = edge_corner(e);
        const int low[3] = {at[0] + (corner & 1), at[1] + ((corner >> 1) & 1), at[2] + (corner >> 2)};
        points[count] = crossing(c, low, e / 4);
        mean = nc_add(mean, points[count]);
        const nc_vec3 gradient = gradient_at(c, points[count]);
        const double length = nc_norm(gradient);
        normals[count++] = length > 0 ? nc_scale(1.0 / length, gradient) : gradient;
    }
    mean = nc_scale(1.0 / count, mean);
    if (!c->sharp)
        return mean;
    const int high[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
    const nc_vec3 best = intersect_planes(points, normals, count, mean);
    return nc_max_v3(place_of(c, at), nc_min_v3(place_of(c, high), best));
}

static bool add_cell(contour *c, const int at[3])
{
    int mask = 0;
    for (int corner = 0; corner < 8; corner++) {
        const int place[3] = {at[0] + (corner & 1), at[1] + ((corner >> 1) & 1), at[2] + (corner >> 2)};
        mask |= is_inside(c, place) << corner;
    }
    if (mask == 0 || mask == 255)
        return true;
    active_cell cell = {.first = c->surface->vertices.count};
    const int loops = find_loops(mask, cell.loop);
    for (int l = 0; l < loops; l++) {
        const nc_vec3 vertex = vertex_of_loop(c, at, &cell, l);
        if (!nc_array_push(&c->allocator, &c->surface->vertices, vertex))
            return false;
    }
    c->active_of[sample_of(c, at)] = c->active.count + 1;
    return nc_array_push(&c->allocator, &c->active, cell);
}

static bool add_cells(contour *c)
{
    int at[3];
    for (at[2] = 0; at[2] + 1 < c->set->count[2]; at[2]++)
        for (at[1] = 0; at[1] + 1 < c->set->count[1]; at[1]++)
            for (at[0] = 0; at[0] + 1 < c->set->count[0]; at[0]++)
                if (!add_cell(c, at))
                    return false;
    return true;
}

// ---- faces --------------------------------------------------------------------------------------------------

// A crossed edge of the grid, seen from its four cells, counterclockwise about its axis.
typedef struct crossed_edge {
    int at[3], axis;
    bool low_inside;
    const active_cell *cells[4];
    int local[4]; // the edge's number in each cell
} crossed_edge;

static const int around[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};

static crossed_edge see_edge(const contour *c, const int at[3], int axis, bool low_inside)
{
    crossed_edge e = {.at = {at[0], at[1], at[2]}, .axis = axis, .low_inside = low_inside};
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < 4; k++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[u] += around[k][0];
        cell[v] += around[k][1];
        e.cells[k] = &c->active.data[c->active_of[sample_of(c, cell)] - 1];
        e.local[k] = 4 * axis - around[k][0] - 2 * around[k][1];
    }
    return e;
}

static int vertex_at(const crossed_edge *e, int k)
{
    return e->cells[k]->first + e->cells[k]->loop[e->local[k]];
}

// The face between cells k and k + 1: across it the edge's parallel.
typedef struct shared_face {
    int axis;       // of its normal
    int across, to; // the axis from the edge to its parallel, and the way: -1 or 1
    int low[3];     // its lowest sample
} shared_face;

static shared_face face_between(const crossed_edge *e, int k)
{
    const int u = (e->axis + 1) % 3, v = (e->axis + 2) % 3;
    shared_face f = {.axis = k % 2 == 0 ? u : v, .across = k % 2 == 0 ? v : u, .low = {e->at[0], e->at[1], e->at[2]}};
    f.to = k == 0 || k == 3 ? -1 : 1;
    if (f.to < 0)
        f.low[f.across]--;
    return f;
}

// Whether both cells see one loop through both links of the face, which has two.
static bool is_doubled(const contour *c, const crossed_edge *e, int k, const shared_face *f)
{
    int corner[4][3];
    bool inside[4];
    for (int i = 0; i < 4; i++) {
        for (int a = 0; a < 3; a++)
            corner[i][a] = f->low[a];
        corner[i][e->axis] += i & 1;
        corner[i][f->across] += i >> 1;
        inside[i] = is_inside(c, corner[i]);
    }
    if (inside[0] != inside[3] || inside[1] != inside[2] || inside[0] == inside[1])
        return false;
    // The parallel edge goes around the other inside corner, so it is on the other link.
    const int step = f->across == (e->axis + 1) % 3 ? 1 : 2;
    for (int i = 0; i < 2; i++) {
        const int n = (k + i) % 4;
        const int parallel = e->local[n] + f->to * step;
        if (e->cells[n]->loop[parallel] != e->cells[n]->loop[e->local[n]])
            return false;
    }
    return true;
}

// The vertex in the middle of a link: between the two crossings beside the inside corner. -1 when out of memory.
static int midpoint_of(contour *c, const crossed_edge *e, const shared_face *f)
{
    int inside[3] = {e->at[0], e->at[1], e->at[2]};
    if (!e->low_inside)
        inside[e->axis]++;
    const midpoint wanted = {f->axis, c->surface->vertices.count, sample_of(c, f->low), sample_of(c, inside)};
    for (int i = 0; i < c->midpoints.count; i++) {
        const midpoint *m = &c->midpoints.data[i];
        if (m->axis == wanted.axis && m->face == wanted.face && m->inside == wanted.inside)
            return m->vertex;
    }
    int other[3] = {inside[0], inside[1], inside[2]};
    if (f->to < 0)
        other[f->across]--;
    const nc_vec3 place = nc_scale(0.5, nc_add(crossing(c, e->at, e->axis), crossing(c, other, f->across)));
    if (!nc_array_push(&c->allocator, &c->midpoints, wanted) ||
        !nc_array_push(&c->allocator, &c->surface->vertices, place))
        return -1;
    return wanted.vertex;
}

static bool add_triangle(contour *c, int i, int j, int k, bool turned)
{
    return nc_array_push(&c->allocator, &c->surface->corners, i) &&
           nc_array_push(&c->allocator, &c->surface->corners, turned ? k : j) &&
           nc_array_push(&c->allocator, &c->surface->corners, turned ? j : k);
}

// The shorter diagonal; the first of equal ones.
static bool add_quad(contour *c, const int *v, bool turned)
{
    const nc_vec3 *p = c->surface->vertices.data;
    const int s = nc_norm2(nc_sub(p[v[0]], p[v[2]])) <= nc_norm2(nc_sub(p[v[1]], p[v[3]])) ? 0 : 1;
    return add_triangle(c, v[s], v[s + 1], v[s + 2], turned) && add_triangle(c, v[s], v[s + 2], v[(s + 3) % 4], turned);
}

// A polygon with midpoints: a fan about the edge's own crossing, whose edges no other polygon can have.
static bool add_fan(contour *c, const crossed_edge *e, const int *v, int count)
{
    const int middle = c->surface->vertices.count;
    const nc_vec3 place = crossing(c, e->at, e->axis);
    bool ok = nc_array_push(&c->allocator, &c->surface->vertices, place);
    for (int k = 0; k < count && ok; k++)
        ok = add_triangle(c, middle, v[k], v[(k + 1) % count], !e->low_inside);
    return ok;
}

static bool add_face(contour *c, const int at[3], int axis, bool low_inside)
{
    const crossed_edge e = see_edge(c, at, axis, low_inside);
    int v[8], count = 0;
    for (int k = 0; k < 4; k++) {
        v[count++] = vertex_at(&e, k);
        const shared_face f = face_between(&e, k);
        if (!is_doubled(c, &e, k, &f))
            continue;
        v[count] = midpoint_of(c, &e, &f);
        if (v[count++] < 0)
            return false;
    }
    return count == 4 ? add_quad(c, v, !low_inside) : add_fan(c, &e, v, count);
}

static bool add_faces_of(contour *c, const int at[3])
{
    const bool inside = is_inside(c, at);
    for (int axis = 0; axis < 3; axis++) {
        int to[3] = {at[0], at[1], at[2]};
        to[axis]++;
        if (to[axis] < c->set->count[axis] && is_inside(c, to) != inside && !add_face(c, at, axis, inside))
            return false;
    }
    return true;
}

static bool add_faces(contour *c)
{
    int at[3];
    for (at[2] = 0; at[2] < c->set->count[2]; at[2]++)
        for (at[1] = 0; at[1] < c->set->count[1]; at[1]++)
            for (at[0] = 0; at[0] < c->set->count[0]; at[0]++)
                if (!add_faces_of(c, at))
                    return false;
    return true;
}

// ---- all of it ----------------------------------------------------------------------------------------------

bool nc_level_surface_build(const nc_level_set *set, bool sharp, const nc_level_field *field,
                            const nc_allocator *allocator, nc_level_surface *out)
{
    contour c = {
        .set = set, .field = field, .sharp = sharp, .allocator = nc_allocator_or_default(allocator), .surface = out};
    c.stride[0] = 1;
    c.stride[1] = (size_t)set->count[0];
    c.stride[2] = (size_t)set->count[0] * (size_t)set->count[1];
    c.samples = c.stride[2] * (size_t)set->count[2];
    c.active_of = nc_alloc(&c.allocator, c.samples, sizeof *c.active_of);
    const bool ok = c.active_of != NULL && add_cells(&c) && add_faces(&c);
    nc_free(&c.allocator, c.active_of, c.samples, sizeof *c.active_of);
    nc_array_free(&c.allocator, &c.active);
    nc_array_free(&c.allocator, &c.midpoints);
    if (!ok)
        nc_level_surface_free(&c.allocator, out);
    return ok;
}

void nc_level_surface_free(const nc_allocator *allocator, nc_level_surface *surface)
{
    nc_array_free(allocator, &surface->vertices);
    nc_array_free(allocator, &surface->corners);
}
