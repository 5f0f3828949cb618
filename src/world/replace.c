// A body is replaced by its pieces, if they are apart from each other and from everybody else where they are born.
#include "world/place.h"
#include "world/rows.h"

#include "narrow/narrow.h"

#include <stdio.h>
#include <string.h>

#define NO_ROOM "its pieces have no room"

// What the pieces have from the body.
typedef struct parent {
    nc_body_def def; // name, surface
    char name[512];
    double mass; // [kg] of all pieces
    nc_vec3 force, torque;
    int fracture, cracks;
    NC_ARRAY(int) exempt;               // rows
    NC_ARRAY(nc_pair_surface) surfaces; // the key is the other row
} parent;

// Pairs of pieces, or of a piece and another body, that are nearer than the rest distance.
typedef struct near_pair {
    int piece;
    int other;       // a piece, or
    bool is_row;     // a row of the world
    double distance; // [m]
} near_pair;
typedef NC_ARRAY(near_pair) near_pairs;

static const char *piece_label(int piece, char *out, size_t out_size)
{
    snprintf(out, out_size, "piece %d", piece);
    return out;
}

// ---- are they apart? ----------------------------------------------------------------------------------------

static nc_code check_among_others(nc_world *world, const nc_neighbours *among, int row, const nc_birth *birth,
                                  int piece, near_pairs *near, nc_error *err)
{
    char label[32];
    const nc_allocator *allocator = &world->settings.allocator;
    nc_near_caps caps = {NULL, 0, 0};
    // As if the body itself were put there: it is not examined, and what may pass through it may pass through a piece.
    const nc_code code = nc_place_try(world, among, row, NC_DYNAMIC, birth->mesh, birth->pose,
                                      piece_label(piece, label, sizeof label), &caps, err);
    bool kept = code == NC_OK;
    for (int k = 0; kept && k < caps.count; k++) {
        const int low = nc_pair_lower(caps.data[k].key), high = nc_pair_upper(caps.data[k].key);
        const near_pair pair = {piece, low == row ? high : low, true, caps.data[k].distance};
        kept = nc_array_push(allocator, near, pair);
    }
    nc_array_free(allocator, &caps);
    return code == NC_OK && !kept ? nc_fail_memory(err, sizeof(near_pair)) : code;
}

nc_code nc_birth_is_free(nc_world *world, const nc_neighbours *among, int row, const nc_mesh *mesh, nc_pose pose,
                         double least, bool *out, nc_error *err)
{
    nc_near_caps caps = {NULL, 0, 0};
    const nc_code code = nc_place_try(world, among, row, NC_DYNAMIC, mesh, pose, "a piece", &caps, err);
    *out = code == NC_OK;
    for (int k = 0; k < caps.count; k++)
        *out = *out && caps.data[k].distance >= least;
    nc_array_free(&world->settings.allocator, &caps);
    return code == NC_INTERSECTING ? NC_OK : code;
}

static nc_box grown_box(const nc_birth *birth, double by)
{
    const nc_box box = nc_mesh_world_box(birth->mesh, birth->pose);
    const nc_vec3 grow = {by, by, by};
    return (nc_box){nc_sub(box.lo, grow), nc_add(box.hi, grow)};
}

static nc_code check_two(const nc_world *world, const nc_birth *births, int a, int b, near_pairs *near, nc_error *err)
{
    const nc_birth *p = &births[a], *q = &births[b];
    const double rest = fmin(nc_world_size_rest(world, nc_mesh_diagonal(p->mesh)),
                             nc_world_size_rest(world, nc_mesh_diagonal(q->mesh)));
    bool hit = false;
    nc_intersection where;
    nc_closeness close = {.distance = INFINITY};
    char label[2][32];
    nc_code code = nc_mesh_intersect(p->mesh, p->pose, q->mesh, q->pose, &hit, &where, err);
    if (code == NC_OK && hit)
        return nc_refuse_intersecting(NO_ROOM, piece_label(a, label[0], 32), piece_label(b, label[1], 32), &where, err);
    if (code == NC_OK)
        code = nc_closeness_find(p->mesh, p->pose, q->mesh, q->pose, rest, &close, err);
    if (code == NC_OK && close.distance < close.least)
        return nc_refuse_touching(NO_ROOM, piece_label(a, label[0], 32), piece_label(b, label[1], 32), &close, err);
    if (code != NC_OK || close.distance >= NC_REST_ROUNDING * rest)
        return code;
    const near_pair pair = {a, b, false, close.distance};
    return nc_array_push(&world->settings.allocator, near, pair) ? NC_OK : nc_fail_memory(err, sizeof pair);
}

// A body has a mass, and moments of inertia in order.
static nc_code check_birth(const nc_birth *birth, int piece, nc_error *err)
{
    const nc_vec3 m = birth->mass.principal;
    const bool good = birth->mass.mass > 0 && isfinite(birth->mass.mass) && m.x > 0 && m.x <= m.y && m.y <= m.z &&
                      isfinite(m.z) && nc_finite3(birth->pose.x) && nc_finite3(birth->velocity) &&
                      nc_finite3(birth->momentum) && fabs(nc_quat_norm2(birth->pose.q) - 1) <= 0x1p-44;
    return good ? NC_OK : nc_fail(err, NC_INTERSECTING, "piece %d has no mass or inertia that a body can have", piece);
}

static nc_code check_apart(nc_world *world, const nc_neighbours *among, int row, const nc_birth *births, int count,
                           near_pairs *near, nc_error *err)
{
    const double rest = world->settings.rest_distance;
    nc_code code = NC_OK;
    nc_box *boxes = nc_alloc(&world->settings.allocator, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *boxes);
    for (int a = 0; a < count; a++)
        boxes[a] = grown_box(&births[a], 0.5 * rest);
    for (int a = 0; a < count && code == NC_OK; a++) {
        code = check_birth(&births[a], a, err);
        if (code == NC_OK)
            code = check_among_others(world, among, row, &births[a], a, near, err);
        for (int b = 0; b < a && code == NC_OK; b++)
            if (nc_box_overlap(boxes[a], boxes[b]))
                code = check_two(world, births, b, a, near, err);
    }
    nc_free(&world->settings.allocator, boxes, (size_t)count, sizeof *boxes);
    return code;
}

// ---- what they inherit --------------------------------------------------------------------------------------

static int other_row(uint64_t key, int row)
{
    const int low = nc_pair_lower(key), high = nc_pair_upper(key);
    return low == row ? high : high == row ? low : -1;
}

static bool read_parent(const nc_world *world, int row, parent *out)
{
    const nc_state *state = &world->state;
    const nc_bodies *bodies = &state->bodies;
    const nc_allocator *allocator = &world->settings.allocator;
    out->def = nc_body_def_default();
    out->def.friction = bodies->friction[row];
    out->def.restitution = bodies->restitution[row];
    out->def.appearance = bodies->appearance[row];
    out->force = bodies->force[row];
    out->torque = bodies->torque[row];
    out->fracture = bodies->fracture[row];
    out->cracks = bodies->cracks[row];
    if (bodies->name[row] != NULL)
        snprintf(out->name, sizeof out->name, "%s", bodies->name[row]);
    bool good = true;
    for (int k = 0; good && k < state->exempt_count; k++) {
        const int other = other_row(state->exempt[k], row);
        good = other < 0 || nc_array_push(allocator, &out->exempt, other);
    }
    for (int k = 0; good && k < state->surface_count; k++) {
        nc_pair_surface surface = state->surfaces[k];
        const int other = other_row(surface.key, row);
        surface.key = (uint64_t)other;
        good = other < 0 || nc_array_push(allocator, &out->surfaces, surface);
    }
    return good;
}

static void parent_free(parent *p, const nc_allocator *allocator)
{
    nc_array_free(allocator, &p->exempt);
    nc_array_free(allocator, &p->surfaces);
}

static nc_code inherit_pairs(nc_world *world, const parent *from, nc_body_id piece, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; k < from->exempt.count && code == NC_OK; k++)
        code = nc_world_exempt_pair(world, nc_world_id(world, from->exempt.data[k]), piece, err);
    for (int k = 0; k < from->surfaces.count && code == NC_OK; k++) {
        const nc_pair_surface *pair = &from->surfaces.data[k];
        code =
            nc_world_set_pair(world, nc_world_id(world, (int)pair->key), piece, pair->friction, pair->restitution, err);
    }
    return code;
}

// ---- births -------------------------------------------------------------------------------------------------

static nc_code bear(nc_world *world, const parent *from, const nc_birth *birth, int piece, nc_body_id *out,
                    nc_error *err)
{
    char name[sizeof from->name + 16];
    nc_body_def def = from->def;
    int row = -1;
    def.mesh = birth->mesh;
    def.velocity = birth->velocity;
    if (from->name[0] != '\0') {
        snprintf(name, sizeof name, "%s/%d", from->name, piece);
        def.name = name;
    }
    nc_code code = nc_row_insert(world, &def, &birth->mass, &birth->pose, &row, err);
    if (code != NC_OK)
        return code;
    nc_bodies *bodies = &world->state.bodies;
    const double part = birth->mass.mass / from->mass;
    bodies->momentum[row] = birth->momentum;
    bodies->spin[row] = nc_inertia_spin(&bodies->inertia[row], birth->pose.q, birth->momentum);
    bodies->spin_energy[row] = nc_inertia_energy(&bodies->inertia[row], birth->pose.q, birth->momentum);
    bodies->fracture[row] = from->fracture;
    bodies->cracks[row] = from->cracks + 1;
    bodies->force[row] = nc_scale(part, from->force);
    bodies->torque[row] = nc_scale(part, from->torque);
    *out = nc_world_id(world, row);
    return inherit_pairs(world, from, *out, err);
}

static nc_code take_caps(nc_world *world, const near_pairs *near, const nc_body_id *ids, nc_error *err)
{
    nc_state *state = &world->state;
    if (!nc_state_reserve_caps(state, near->count, &world->settings.allocator))
        return nc_fail_memory(err, (size_t)near->count * sizeof *state->caps);
    for (int k = 0; k < near->count; k++) {
        const near_pair *pair = &near->data[k];
        const int other = pair->is_row ? pair->other : (int)ids[pair->other].index;
        nc_state_add_cap(state, (nc_rest_cap){nc_pair_key((int)ids[pair->piece].index, other), pair->distance});
    }
    return NC_OK;
}

static nc_code replace(nc_world *world, int row, const parent *from, const nc_birth *births, int count,
                       const near_pairs *near, nc_body_id *ids, nc_error *err)
{
    nc_code code = nc_body_destroy(world, nc_world_id(world, row), err);
    for (int k = 0; k < count && code == NC_OK; k++)
        code = bear(world, from, &births[k], k, &ids[k], err);
    return code == NC_OK ? take_caps(world, near, ids, err) : code;
}

nc_code nc_body_replace(nc_world *world, const nc_neighbours *among, int row, const nc_birth *births, int count,
                        nc_body_id *ids, nc_error *err)
{
    const nc_allocator *allocator = &world->settings.allocator;
    near_pairs near = {NULL, 0, 0};
    parent from = {.mass = 0};
    nc_code code = check_apart(world, among, row, births, count, &near, err);
    for (int k = 0; k < count; k++)
        from.mass += births[k].mass.mass;
    if (code == NC_OK && !read_parent(world, row, &from))
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the pieces of a body");
    if (code == NC_OK)
        code = replace(world, row, &from, births, count, &near, ids, err);
    parent_free(&from, allocator);
    nc_array_free(allocator, &near);
    return code;
}
