// Room among posed meshes, by their distances and the exact test.
#include "scene/room.h"

#include "geom/geom.h"
#include "narrow/narrow.h"
#include "repair/repair.h"

#include <math.h>

// Chosen; they change where bodies are placed.
#define KEPT_GAPS  1.001 // [gap] kept from other bodies: rounding does not bring a pair below its rest distance
#define NEAR_GAPS  0.05  // [gap] a motion ends this much before its gap is used up
#define LOOK_PART  0.1   // [diagonal] distances are measured up to this: what is farther apart costs little
#define MAX_LOOKS  1000  // [1] distances that a motion may cost
#define BOX_MARGIN 1.01  // [gap] boxes are grown by: more than their rounding

#define DEFAULT_FRACTION 0.001 // [1] as settings.c has it for scenes that give no distances

nc_room_gaps nc_scene_room_gaps(const nc_scene *scene, double gap)
{
    const nc_world_keys *keys = &scene->world;
    const bool given = !isnan(keys->rest_distance), sized = !isnan(keys->rest_fraction) && keys->rest_fraction > 0;
    return (nc_room_gaps){.gap = gap,
                          .rest_distance = given ? keys->rest_distance : INFINITY,
                          .rest_fraction = sized   ? keys->rest_fraction
                                           : given ? 0
                                                   : DEFAULT_FRACTION};
}

nc_code nc_room_create(const nc_allocator *allocator, const nc_room_gaps *gaps, nc_room *out, nc_error *err)
{
    *out = (nc_room){.allocator = *allocator, .gaps = *gaps};
    return nc_broad_create(&out->allocator, 1, &out->broad, err);
}

void nc_room_free(nc_room *room)
{
    nc_broad_destroy(room->broad);
    nc_body_list_free(&room->near, &room->allocator);
    nc_array_free(&room->allocator, &room->items);
    nc_array_free(&room->allocator, &room->boxes);
    nc_array_free(&room->allocator, &room->travel);
}

static double pair_gap(const nc_room_gaps *gaps, double diagonal_a, double diagonal_b)
{
    if (!isnan(gaps->gap))
        return KEPT_GAPS * gaps->gap;
    if (!(gaps->rest_fraction > 0))
        return KEPT_GAPS * gaps->rest_distance;
    return KEPT_GAPS * fmin(gaps->rest_distance, gaps->rest_fraction * fmin(diagonal_a, diagonal_b));
}

nc_code nc_room_add(nc_room *room, const nc_mesh *mesh, nc_pose pose, nc_error *err)
{
    const nc_room_item item = {mesh, pose, nc_mesh_diagonal(mesh)};
    const nc_box box = nc_mesh_world_box(mesh, pose);
    if (!nc_array_push(&room->allocator, &room->items, item) || !nc_array_push(&room->allocator, &room->boxes, box))
        return nc_fail_memory(err, sizeof item);
    return nc_broad_move(room->broad, room->items.count - 1, box, err);
}

nc_code nc_room_add_scene(nc_room *room, const nc_scene *scene, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < scene->bodies.count && code == NC_OK; i++) {
        const nc_scene_body *body = &scene->bodies.data[i];
        code =
            nc_room_add(room, scene->shapes.data[body->shape].mesh, (nc_pose){body->position, body->orientation}, err);
    }
    return code;
}

// ---- free? --------------------------------------------------------------------------------------------------

static nc_box grown(nc_box box, double by)
{
    const nc_vec3 d = nc_v3(by, by, by);
    return (nc_box){nc_sub(box.lo, d), nc_add(box.hi, d)};
}

// Items that come near any part of a box, to room->near.
static nc_code find_near(nc_room *room, const nc_mesh *mesh, nc_box box, nc_error *err)
{
    // No pair that this mesh is in has a larger gap than one with a body of its own size.
    const double diagonal = nc_mesh_diagonal(mesh), gap = pair_gap(&room->gaps, diagonal, diagonal);
    return nc_broad_query(room->broad, grown(box, BOX_MARGIN * gap), &room->near, err);
}

static nc_code apart(const nc_room *room, int k, const nc_mesh *mesh, nc_pose pose, bool *out, nc_error *err)
{
    const nc_room_item *item = &room->items.data[k];
    nc_proximity nearest = {.lower_bound = 0};
    bool hit = false;
    nc_code code = nc_mesh_intersect(mesh, pose, item->mesh, item->pose, &hit, NULL, err);
    const double gap = pair_gap(&room->gaps, nc_mesh_diagonal(mesh), item->diagonal);
    if (code == NC_OK && !hit)
        code = nc_mesh_distance_within(mesh, pose, item->mesh, item->pose, gap, &nearest, err);
    *out = code == NC_OK && !hit && nearest.lower_bound >= gap / KEPT_GAPS;
    if (!*out)
        return code;
    const nc_posed_pair pair = {.a = mesh, .b = item->mesh, .pose_a = pose, .pose_b = item->pose, .gap = gap};
    *out = nc_pair_inside(&pair) == NC_INSIDE_NEITHER;
    return NC_OK;
}

nc_code nc_room_is_free(nc_room *room, const nc_mesh *mesh, nc_pose pose, bool *out, nc_error *err)
{
    *out = true;
    nc_code code = find_near(room, mesh, nc_mesh_world_box(mesh, pose), err);
    for (int k = 0; k < room->near.count && code == NC_OK && *out; k++)
        code = apart(room, room->near.data[k], mesh, pose, out, err);
    return code;
}

// ---- how far? -----------------------------------------------------------------------------------------------

// The travel at which the box `a`, moving along `d`, enters `b`; infinite when it does not.
static double box_travel(nc_box a, nc_box b, nc_vec3 d)
{
    const double lo[3] = {b.lo.x - a.hi.x, b.lo.y - a.hi.y, b.lo.z - a.hi.z};
    const double hi[3] = {b.hi.x - a.lo.x, b.hi.y - a.lo.y, b.hi.z - a.lo.z}, speed[3] = {d.x, d.y, d.z};
    double from = 0, to = INFINITY;
    for (int i = 0; i < 3; i++) {
        if (speed[i] == 0 && (lo[i] > 0 || hi[i] < 0))
            return INFINITY;
        if (speed[i] == 0)
            continue;
        from = fmax(from, fmin(lo[i] / speed[i], hi[i] / speed[i]));
        to = fmin(to, fmax(lo[i] / speed[i], hi[i] / speed[i]));
    }
    return from <= to ? from : INFINITY;
}

// What every near item allows, by boxes.
static nc_code start_travels(nc_room *room, const nc_mesh *mesh, nc_box box, nc_vec3 direction, nc_error *err)
{
    room->travel.count = 0;
    for (int k = 0; k < room->near.count; k++) {
        const int i = room->near.data[k];
        const double gap = pair_gap(&room->gaps, nc_mesh_diagonal(mesh), room->items.data[i].diagonal);
        const double travel = box_travel(box, grown(room->boxes.data[i], BOX_MARGIN * gap), direction);
        if (!nc_array_push(&room->allocator, &room->travel, travel))
            return nc_fail_memory(err, sizeof travel);
    }
    return NC_OK;
}

static int least_travel(const nc_room *room)
{
    int least = -1;
    for (int k = 0; k < room->travel.count; k++)
        if (least < 0 || room->travel.data[k] < room->travel.data[least])
            least = k;
    return least;
}

// Conservative advancement: the item that allows the least is measured there, and allows its distance more.
static nc_code advance(nc_room *room, const nc_mesh *mesh, nc_pose pose, nc_vec3 direction, double limit,
                       nc_room_move *out, nc_error *err)
{
    const double size = nc_mesh_diagonal(mesh), within = LOOK_PART * size + pair_gap(&room->gaps, size, size);
    for (int looks = 0;; looks++) {
        const int k = least_travel(room);
        const double travel = k >= 0 ? room->travel.data[k] : INFINITY;
        *out = (nc_room_move){.travel = fmin(travel, limit), .stop = travel < limit ? room->near.data[k] : -1};
        if (out->stop < 0 || looks >= MAX_LOOKS)
            return NC_OK;
        const nc_room_item *item = &room->items.data[out->stop];
        const nc_pose at = {nc_add(pose.x, nc_scale(travel, direction)), pose.q};
        nc_proximity nearest;
        const nc_code code = nc_mesh_distance_within(mesh, at, item->mesh, item->pose, within, &nearest, err);
        if (code != NC_OK)
            return code;
        const double gap = pair_gap(&room->gaps, nc_mesh_diagonal(mesh), item->diagonal);
        const double more = nearest.lower_bound - gap;
        out->blocked = travel == 0 && !(more >= 0);
        if (!(more > NEAR_GAPS * gap))
            return NC_OK;
        room->travel.data[k] = travel + more;
    }
}

nc_code nc_room_push(nc_room *room, const nc_mesh *mesh, nc_pose pose, nc_vec3 direction, double limit,
                     nc_room_move *out, nc_error *err)
{
    const nc_box box = nc_mesh_world_box(mesh, pose);
    const nc_vec3 way = nc_scale(limit, direction);
    nc_box swept = nc_box_add(nc_box_add(box, nc_add(box.lo, way)), nc_add(box.hi, way));
    nc_code code = find_near(room, mesh, swept, err);
    if (code == NC_OK)
        code = start_travels(room, mesh, box, direction, err);
    return code == NC_OK ? advance(room, mesh, pose, direction, limit, out, err) : code;
}
