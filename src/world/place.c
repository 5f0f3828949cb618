// Is there room for a body? It may not share a point with another one, nor touch it, when it is put into a world that
// is known to be free of that.
#include "world/place.h"

#include "narrow/narrow.h"

#include <stdio.h>

#define NO_ROOM "there is no room for it"

const char *nc_body_label(const nc_world *world, int row, char *out, size_t out_size)
{
    const char *name = world->state.bodies.name[row];
    if (name != NULL)
        snprintf(out, out_size, "\"%.80s\"", name);
    else
        snprintf(out, out_size, "body %d", row);
    return out;
}

static const char *element_name(nc_element kind)
{
    return kind == NC_ELEMENT_TRIANGLE ? "triangle" : kind == NC_ELEMENT_EDGE ? "edge" : "point";
}

nc_code nc_refuse_intersecting(const char *why, const char *a, const char *b, const nc_intersection *where,
                               nc_error *err)
{
    return nc_fail(err, NC_INTERSECTING, "%s: %s %d of %s and %s %d of %s intersect at (%.6g, %.6g, %.6g)", why,
                   element_name(where->kind_a), where->element_a, a, element_name(where->kind_b), where->element_b, b,
                   where->place.x, where->place.y, where->place.z);
}

nc_code nc_refuse_touching(const char *why, const char *a, const char *b, const nc_closeness *near, nc_error *err)
{
    return nc_fail(err, NC_INTERSECTING, "%s: %s and %s are %.3g m apart; where they are, rounding needs %.3g m", why,
                   a, b, near->distance, near->least);
}

nc_code nc_closeness_find(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double limit,
                          nc_closeness *out, nc_error *err)
{
    const nc_path still_a = nc_path_still(pose_a), still_b = nc_path_still(pose_b);
    const double error = nc_path_error(&still_a, nc_mesh_radius(a)) + nc_path_error(&still_b, nc_mesh_radius(b));
    out->least = NC_TOUCHING_ERRORS * error;
    out->distance = INFINITY;
    nc_proximity near;
    const nc_code code = nc_mesh_distance_within(a, pose_a, b, pose_b, fmax(limit, out->least), &near, err);
    if (code == NC_OK)
        out->distance = near.distance;
    return code;
}

// ---- one body among the others ------------------------------------------------------------------------------

typedef struct placing {
    const nc_world *world;
    int row; // of the body that is placed
    nc_body_type type;
    const nc_mesh *mesh;
    nc_pose pose;
    double reach; // [m] its radius and the rest distance
    nc_box box;   // [m] of its vertices, grown by the rest distance
    const char *label;
} placing;

// A ball around each, grown by the rest distance: most bodies are far away, and this costs next to nothing.
static bool is_far(const placing *p, int i)
{
    const nc_bodies *bodies = &p->world->state.bodies;
    const double reach = p->reach + p->world->meshes.data[bodies->mesh[i]].radius;
    const nc_vec3 d = nc_sub(bodies->pose[i].x, p->pose.x);
    const double size = nc_max3(bodies->pose[i].x) + nc_max3(p->pose.x) + reach;
    return nc_norm(d) > reach + 64 * NC_UNIT_ROUNDOFF * size;
}

static bool boxes_apart(const placing *p, nc_box box)
{
    return p->box.lo.x > box.hi.x || p->box.hi.x < box.lo.x || p->box.lo.y > box.hi.y || p->box.hi.y < box.lo.y ||
           p->box.lo.z > box.hi.z || p->box.hi.z < box.lo.z;
}

// Examines one pair; a cap for one that is nearer than the rest distance goes to `caps`.
static nc_code look_at(const placing *p, int i, nc_near_caps *caps, nc_error *err)
{
    const nc_world *world = p->world;
    const nc_mesh *mesh = world->meshes.data[world->state.bodies.mesh[i]].mesh;
    const nc_pose pose = world->state.bodies.pose[i];
    const double rest = fmin(nc_world_size_rest(world, nc_mesh_diagonal(p->mesh)), nc_world_body_rest(world, i));
    if (boxes_apart(p, nc_mesh_world_box(mesh, pose)))
        return NC_OK;
    bool hit = false;
    nc_intersection where;
    nc_closeness near = {.distance = INFINITY};
    char label[96];
    nc_code code = nc_mesh_intersect(p->mesh, p->pose, mesh, pose, &hit, &where, err);
    if (code == NC_OK && hit)
        return nc_refuse_intersecting(NO_ROOM, p->label, nc_body_label(world, i, label, sizeof label), &where, err);
    if (code == NC_OK)
        code = nc_closeness_find(p->mesh, p->pose, mesh, pose, rest, &near, err);
    if (code != NC_OK)
        return code;
    if (near.distance < near.least)
        return nc_refuse_touching(NO_ROOM, p->label, nc_body_label(world, i, label, sizeof label), &near, err);
    if (near.distance >= NC_REST_ROUNDING * rest)
        return NC_OK;
    const nc_rest_cap cap = {nc_pair_key(p->row, i), near.distance};
    return nc_array_push(&world->settings.allocator, caps, cap) ? NC_OK : nc_fail_memory(err, sizeof cap);
}

static bool must_stay_apart(const placing *p, int i)
{
    const nc_state *state = &p->world->state;
    if (i == p->row || (p->type == NC_STATIC && state->bodies.type[i] == NC_STATIC))
        return false;
    return !nc_state_pair_exempt(state, p->row, i);
}

nc_code nc_place_try(nc_world *world, const nc_neighbours *among, int row, nc_body_type type, const nc_mesh *mesh,
                     nc_pose pose, const char *label, nc_near_caps *caps, nc_error *err)
{
    const double rest = world->settings.rest_distance;
    const nc_vec3 grow = {rest, rest, rest};
    placing p = {.world = world, .row = row, .type = type, .mesh = mesh, .pose = pose, .label = label};
    const nc_box box = nc_mesh_world_box(mesh, pose);
    p.reach = nc_mesh_radius(mesh) + rest;
    p.box = (nc_box){nc_sub(box.lo, grow), nc_add(box.hi, grow)};
    nc_code code = NC_OK;
    const bool few = among != NULL && nc_neighbours_cover(among, pose.x, p.reach);
    const int count = few ? among->rows.count : world->state.bodies.count;
    for (int k = 0; k < count && code == NC_OK; k++) {
        const int i = few ? among->rows.data[k] : k;
        if (world->state.bodies.alive[i] && !is_far(&p, i) && must_stay_apart(&p, i))
            code = look_at(&p, i, caps, err);
    }
    if (code == NC_OK && !nc_state_reserve_caps(&world->state, caps->count, &world->settings.allocator))
        code = nc_fail_memory(err, (size_t)caps->count * sizeof *caps->data);
    if (code != NC_OK)
        nc_array_free(&world->settings.allocator, caps);
    return code;
}

void nc_place_take(nc_world *world, int row, nc_near_caps *caps)
{
    nc_state_forget_caps(&world->state, row);
    for (int k = 0; k < caps->count; k++)
        nc_state_add_cap(&world->state, caps->data[k]);
    nc_array_free(&world->settings.allocator, caps);
}
