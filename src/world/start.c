// The start of a world: nobody touches, and what is near stays as near as it was put. That nobody intersects is what
// audit proves (nc_world_check).
#include "broad/broad.h"
#include "world/world.h"

typedef struct start {
    nc_world *world;
    nc_start_report report;
    NC_ARRAY(nc_rest_cap) caps; // ascending
} start;

static nc_pose pose_of(const nc_world *world, int row)
{
    return world->state.bodies.pose[row];
}

static const nc_mesh *mesh_of(const nc_world *world, int row)
{
    return world->meshes.data[world->state.bodies.mesh[row]].mesh;
}

// Fills in the pair that an error is about, and returns the error's code.
static nc_code blame(start *s, int i, int j, nc_code code)
{
    s->report.a = nc_world_id(s->world, i);
    s->report.b = nc_world_id(s->world, j);
    return code;
}

// ---- who is near --------------------------------------------------------------------------------------------

static nc_code look_at(start *s, int i, int j, nc_error *err)
{
    const nc_world *world = s->world;
    const double rest = nc_world_common_rest(world, i, j);
    nc_closeness near;
    const nc_code code =
        nc_closeness_find(mesh_of(world, i), pose_of(world, i), mesh_of(world, j), pose_of(world, j), rest, &near, err);
    if (code != NC_OK)
        return code;
    if (near.distance < near.least) {
        char a[96], b[96];
        nc_body_label(world, i, a, sizeof a);
        nc_body_label(world, j, b, sizeof b);
        return blame(s, i, j, nc_refuse_touching("the world starts touching", a, b, &near, err));
    }
    if (near.distance >= NC_REST_ROUNDING * rest)
        return NC_OK;
    if (near.distance < s->report.nearest) {
        s->report.nearest = near.distance;
        blame(s, i, j, NC_OK);
    }
    const nc_rest_cap cap = {nc_pair_key(i, j), near.distance};
    return nc_array_push(&world->settings.allocator, &s->caps, cap) ? NC_OK : nc_fail_memory(err, sizeof cap);
}

static nc_code look_at_pairs(start *s, const nc_pairs *pairs, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; k < pairs->count && code == NC_OK; k++) {
        const int i = pairs->data[k].a, j = pairs->data[k].b;
        if (nc_state_pair_matters(&s->world->state, i, j))
            code = look_at(s, i, j, err);
    }
    return code;
}

static double larger(double most, nc_box box)
{
    return fmax(most, fmax(nc_max3(box.lo), nc_max3(box.hi)));
}

// Boxes that overlap when grown by half the rest distance, and a little, are those of near pairs.
static nc_code find_near(start *s, nc_error *err)
{
    const nc_world *world = s->world;
    const nc_bodies *bodies = &world->state.bodies;
    const nc_allocator *allocator = &world->settings.allocator;
    if (bodies->count == 0)
        return NC_OK;
    nc_box *boxes = nc_alloc(allocator, (size_t)bodies->count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, (size_t)bodies->count * sizeof *boxes);
    const double by = 0.51 * world->settings.rest_distance;
    double size = 0;
    for (int i = 0; i < bodies->count; i++) {
        boxes[i] = nc_box_empty();
        if (!bodies->alive[i])
            continue;
        const nc_box box = nc_mesh_world_box(mesh_of(world, i), pose_of(world, i));
        if (bodies->type[i] != NC_STATIC)
            size = larger(size, box);
        boxes[i] = (nc_box){nc_sub(box.lo, nc_v3(by, by, by)), nc_add(box.hi, nc_v3(by, by, by))};
    }
    s->report.float_floor = NC_START_FLOAT_FLOOR * size;
    nc_pairs pairs = {NULL, 0, 0};
    nc_code code = nc_broad_overlaps(boxes, bodies->count, allocator, &pairs, err);
    if (code == NC_OK)
        code = look_at_pairs(s, &pairs, err);
    nc_pairs_free(&pairs, allocator);
    nc_free(allocator, boxes, (size_t)bodies->count, sizeof *boxes);
    return code;
}

// ---- the check ----------------------------------------------------------------------------------------------

// The list of caps as it was found; memory is there, so that nothing can fail.
static void take_caps(start *s)
{
    s->world->state.cap_count = 0;
    for (int k = 0; k < s->caps.count; k++)
        nc_state_add_cap(&s->world->state, s->caps.data[k]);
}

static nc_code check_distances(start *s, nc_error *err)
{
    nc_world *world = s->world;
    nc_code code = find_near(s, err);
    if (code == NC_OK && !nc_state_reserve_caps(&world->state, s->caps.count, &world->settings.allocator))
        code = nc_fail_memory(err, (size_t)s->caps.count * sizeof *s->caps.data);
    if (code != NC_OK)
        return code;
    take_caps(s);
    s->report.floor_distance = fmin(s->report.floor_asked, NC_START_FLOOR_SHARE * s->report.nearest);
    s->report.capped_pairs = s->caps.count;
    world->settings.floor_distance = s->report.floor_distance;
    world->start = s->report;
    world->state.checked = true;
    return NC_OK;
}

nc_code nc_world_check_distances(nc_world *world, nc_start_report *report, nc_error *err)
{
    start s = {.world = world, .report = world->start};
    nc_code code = NC_OK;
    if (!world->state.checked) {
        s.report = (nc_start_report){.nearest = INFINITY, .floor_asked = world->settings.floor_distance};
        code = check_distances(&s, err);
    }
    nc_array_free(&world->settings.allocator, &s.caps);
    if (report != NULL)
        *report = s.report;
    return code;
}

void nc_world_uncheck(nc_world *world)
{
    world->settings.floor_distance = world->start.floor_asked;
    world->state.cap_count = 0;
    world->state.checked = false;
}
