// Taking a body apart by cutting its mesh: along the planes of each region, with caps where it is a solid.
//
// Drawing back is cutting once more, at planes moved inwards. What is left of two parts of different regions is then
// twice that apart: with a nearer pair of points, the middle between them would be inside of both regions.
#include "fracture/break.h"

#include <stdio.h>

#define NOTHING 1e-13 // of the body: parts that are smaller are rounding

// ---- parts --------------------------------------------------------------------------------------------------

// Labels the triangles by connected part, from 0 in the order of their first triangles; -1 when out of memory.
// The labels are the first rows of `scratch`.
static int find_parts(nc_breaker *b, const nc_cut_mesh *mesh)
{
    const int vertices = mesh->vertices.count, triangles = mesh->triangles.count;
    if (!nc_array_reserve(&b->allocator, &b->scratch, triangles + 2 * vertices))
        return -1;
    int *label = b->scratch.data, *parent = label + triangles, *number = parent + vertices, count = 0;
    for (int i = 0; i < vertices; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int t = 0; t < triangles; t++)
        for (int k = 1; k < 3; k++) {
            const int *v = mesh->triangles.data[t].v;
            nc_forest_join(parent, v[0], v[k]);
        }
    for (int t = 0; t < triangles; t++) {
        const int root = nc_forest_root(parent, mesh->triangles.data[t].v[0]);
        if (number[root] < 0)
            number[root] = count++;
        label[t] = number[root];
    }
    return count;
}

static bool contains(nc_box a, nc_box b)
{
    return a.lo.x <= b.lo.x && a.lo.y <= b.lo.y && a.lo.z <= b.lo.z && a.hi.x >= b.hi.x && a.hi.y >= b.hi.y &&
           a.hi.z >= b.hi.z;
}

// The smallest of the region's parts whose box is around a hollow's, else the largest; -1: there is none.
static int part_around(const nc_breaker *b, int first, nc_box hollow)
{
    int best = -1, largest = -1;
    for (int p = first; p < b->parts.count; p++) {
        const nc_part *part = &b->parts.data[p];
        if (largest < 0 || part->weight.measure > b->parts.data[largest].weight.measure)
            largest = p;
        if (contains(nc_cut_mesh_box(&part->whole), hollow) &&
            (best < 0 || part->weight.measure < b->parts.data[best].weight.measure))
            best = p;
    }
    return best >= 0 ? best : largest;
}

// The surface of a hollow, whose volume is below 0, belongs to the part around it.
static bool add_hollow(nc_breaker *b, int first, const nc_cut_mesh *hollow, nc_weight weight)
{
    const int around = part_around(b, first, nc_cut_mesh_box(hollow));
    if (around < 0)
        return true;
    nc_part *part = &b->parts.data[around];
    const int vertices = part->whole.vertices.count;
    for (int i = 0; i < hollow->vertices.count; i++)
        if (!nc_array_push(&b->allocator, &part->whole.vertices, hollow->vertices.data[i]))
            return false;
    for (int i = 0; i < hollow->triangles.count; i++) {
        nc_cut_triangle t = hollow->triangles.data[i];
        for (int k = 0; k < 3; k++)
            t.v[k] += vertices;
        if (!nc_array_push(&b->allocator, &part->whole.triangles, t))
            return false;
    }
    part->weight = part->total = nc_weight_add(part->weight, weight);
    return true;
}

// The parts with matter first, then the hollows in them.
static bool split(nc_breaker *b, int region, const nc_cut_mesh *mesh, int count)
{
    const int first = b->parts.count;
    const double nothing = NOTHING * b->breakable->measure;
    bool ok = true;
    for (int hollows = 0; hollows < 2 && ok; hollows++)
        for (int l = 0; l < count && ok; l++) {
            nc_cut_mesh part = {0};
            int *rows = b->scratch.data + mesh->triangles.count;
            ok = nc_cut_mesh_append(&b->allocator, &part, mesh, b->scratch.data, l, nc_v3(0, 0, 0), rows);
            const nc_weight weight = nc_cut_mesh_weight(&part, b->breakable->is_solid);
            if (ok && !hollows && weight.measure > nothing)
                ok = nc_break_add_part(b, region, weight, &part);
            if (ok && hollows && weight.measure < -nothing)
                ok = add_hollow(b, first, &part, weight);
            nc_cut_mesh_free(&b->allocator, &part);
        }
    return ok;
}

static bool cut_region(nc_breaker *b, int region)
{
    nc_cut_mesh mesh = {0};
    bool ok = nc_cut_mesh_copy(&b->allocator, &mesh, &b->breakable->facets.mesh);
    for (int p = b->first_plane.data[region]; p < b->first_plane.data[region + 1] && ok; p++)
        ok = nc_cut(&b->cutter, &mesh, &b->planes.data[p], p);
    ok = ok && nc_cut_tidy(&b->cutter, &mesh, b->planes.data, b->breakable->facets.normals.data);
    const int count = ok && mesh.triangles.count > 0 ? find_parts(b, &mesh) : 0;
    ok = ok && count >= 0;
    if (ok && count > 0)
        ok = split(b, region, &mesh, count);
    nc_cut_mesh_free(&b->allocator, &mesh);
    return ok;
}

nc_code nc_break_by_cutting(nc_breaker *b, bool *out_good, nc_error *err)
{
    double sum = 0;
    for (int r = 0; r < b->def->pattern->regions.count; r++) {
        if (!nc_array_push(&b->allocator, &b->first_part, b->parts.count) || !cut_region(b, r))
            return nc_fail_memory(err, (size_t)b->breakable->facets.mesh.triangles.count * sizeof(nc_cut_triangle));
    }
    if (!nc_array_push(&b->allocator, &b->first_part, b->parts.count))
        return nc_fail_memory(err, sizeof(int));
    for (int p = 0; p < b->parts.count; p++)
        sum += b->parts.data[p].weight.measure;
    *out_good = !b->cutter.bad && fabs(sum - b->breakable->measure) <= 1e-3 * b->breakable->measure;
    if (!*out_good)
        (void)snprintf(b->out->why_whole, sizeof b->out->why_whole, "%s",
                       b->cutter.bad ? "the surface crosses itself, so it could not be cut"
                                     : "the surface encloses something else than its volume, so it could not be cut");
    return NC_OK;
}

// ---- drawing back -------------------------------------------------------------------------------------------

// A part of a shell that lies in a crack, all of it, is not drawn back from that crack: it would be gone.
static bool lies_in(const nc_breaker *b, const nc_part *part, const nc_plane *plane)
{
    if (b->breakable->is_solid)
        return false;
    for (int i = 0; i < part->whole.vertices.count; i++)
        if (fabs(nc_plane_value(plane, part->whole.vertices.data[i])) > b->cutter.on_plane)
            return false;
    return true;
}

nc_code nc_draw_by_cutting(nc_breaker *b, nc_part *part, nc_error *err)
{
    bool ok = nc_cut_mesh_copy(&b->allocator, &part->drawn, &part->whole);
    for (int p = b->first_plane.data[part->region]; p < b->first_plane.data[part->region + 1] && ok; p++) {
        nc_plane plane = b->planes.data[p];
        if (lies_in(b, part, &plane))
            continue;
        plane.offset -= part->inset;
        ok = nc_cut(&b->cutter, &part->drawn, &plane, p);
    }
    ok = ok && nc_cut_tidy(&b->cutter, &part->drawn, b->planes.data, b->breakable->facets.normals.data);
    return ok ? NC_OK : nc_fail_memory(err, (size_t)part->whole.triangles.count * sizeof(nc_cut_triangle));
}

// ---- common boundaries --------------------------------------------------------------------------------------

static double nearness(const nc_part *part, nc_vec3 p)
{
    double least = INFINITY;
    for (int i = 0; i < part->whole.triangles.count; i++) {
        nc_vec3 t[3];
        for (int k = 0; k < 3; k++)
            t[k] = part->whole.vertices.data[part->whole.triangles.data[i].v[k]];
        least = fmin(least, nc_distance_point_triangle(p, t).distance);
    }
    return least;
}

// The part beyond a plane at a place of a crack; -1: none.
static int part_beyond(const nc_breaker *b, int region, const nc_plane *plane, nc_vec3 at)
{
    const nc_vec3 beyond = nc_madd(at, 1e-9 * b->out->place.scale, plane->normal);
    const nc_pattern *pattern = b->def->pattern;
    const int other = nc_pattern_region_of(pattern, nc_place_to_pattern(pattern, &b->out->place, beyond));
    if (other == region)
        return -1;
    const int first = b->first_part.data[other], end = b->first_part.data[other + 1];
    int best = first < end ? first : -1;
    double least = INFINITY;
    for (int q = first; q < end && end - first > 1; q++) {
        const double distance = nearness(&b->parts.data[q], at);
        if (distance < least) {
            least = distance;
            best = q;
        }
    }
    return best;
}

static void add_shared(nc_breaker *b, int region, const nc_plane *plane, nc_vec3 at, double size)
{
    const int other = part_beyond(b, region, plane, at);
    if (other >= 0)
        b->common.data[other] += size;
}

// The edges of a shell's triangle that lie in a crack.
static void shared_edges(nc_breaker *b, const nc_part *part, const nc_cut_triangle *t)
{
    const double near = 1e-9 * b->out->place.scale;
    for (int k = 0; k < 3; k++) {
        const nc_vec3 a = part->whole.vertices.data[t->v[k]], c = part->whole.vertices.data[t->v[(k + 1) % 3]];
        for (int p = b->first_plane.data[part->region]; p < b->first_plane.data[part->region + 1]; p++) {
            const nc_plane *plane = &b->planes.data[p];
            if (fabs(nc_plane_value(plane, a)) <= near && fabs(nc_plane_value(plane, c)) <= near)
                add_shared(b, part->region, plane, nc_scale(0.5, nc_add(a, c)), nc_norm(nc_sub(a, c)));
        }
    }
}

void nc_shared_boundary_by_cutting(nc_breaker *b, int row)
{
    const nc_part *part = &b->parts.data[row];
    for (int i = 0; i < part->whole.triangles.count; i++) {
        const nc_cut_triangle *t = &part->whole.triangles.data[i];
        if (!b->breakable->is_solid) {
            shared_edges(b, part, t);
        } else if (t->plane >= 0) {
            const nc_vec3 *v = part->whole.vertices.data;
            const nc_vec3 p = v[t->v[0]], q = v[t->v[1]], r = v[t->v[2]];
            const double area = 0.5 * nc_norm(nc_cross(nc_sub(q, p), nc_sub(r, p)));
            add_shared(b, part->region, &b->planes.data[t->plane], nc_scale(1.0 / 3.0, nc_add(p, nc_add(q, r))), area);
        }
    }
}
