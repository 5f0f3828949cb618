// What is near what in a frame.
#include "reel/near.h"

#include "broad/broad.h"
#include "math/math.h"

typedef struct search {
    nc_run *run;
    const nc_near_body *bodies;
    double proximity;
    nc_near_listener listener;
    void *ctx;
    nc_allocator allocator;
    nc_pairs pairs;
    nc_proximity_list near; // of one pair
} search;

static void place_boxes(const search *s, int count, nc_box *boxes)
{
    const double grow = 0.51 * s->proximity;
    const nc_vec3 margin = {grow, grow, grow};
    for (int i = 0; i < count; i++) {
        const nc_frame at = nc_pose_frame(s->bodies[i].pose);
        const nc_box box = nc_frame_box(&at, nc_mesh_view(s->bodies[i].mesh).box);
        boxes[i] = (nc_box){nc_sub(box.lo, margin), nc_add(box.hi, margin)};
    }
}

static nc_code find_pair(search *s, const nc_near_body *a, const nc_near_body *b, nc_error *err)
{
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true; // as the step has it
    if ((a->type != NC_DYNAMIC && b->type != NC_DYNAMIC) || !nc_run_pair_matters(s->run, a->id, b->id))
        return NC_OK;
    s->near.count = 0;
    const nc_code code = nc_proximity_find(a->mesh, a->pose, b->mesh, b->pose, s->proximity, &options, &s->near, err);
    for (int k = 0; k < s->near.count && code == NC_OK; k++)
        s->listener(a->id, b->id, &s->near.data[k], s->ctx);
    return code;
}

static nc_code find_all(search *s, int count, nc_box *boxes, nc_error *err)
{
    place_boxes(s, count, boxes);
    nc_code code = nc_broad_overlaps(boxes, count, &s->allocator, &s->pairs, err);
    for (int k = 0; k < s->pairs.count && code == NC_OK; k++)
        code = find_pair(s, &s->bodies[s->pairs.data[k].a], &s->bodies[s->pairs.data[k].b], err);
    return code;
}

nc_code nc_near_find(nc_run *run, const nc_near_body *bodies, int count, double proximity, nc_near_listener listener,
                     void *ctx, nc_error *err)
{
    search s = {.run = run, .bodies = bodies, .proximity = proximity, .listener = listener, .ctx = ctx};
    s.allocator = nc_allocator_default();
    s.near.allocator = &s.allocator;
    nc_box *boxes = nc_alloc(&s.allocator, (size_t)count + 1, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *boxes);
    const nc_code code = find_all(&s, count, boxes, err);
    nc_pairs_free(&s.pairs, &s.allocator);
    nc_proximity_list_free(&s.near);
    nc_free(&s.allocator, boxes, (size_t)count + 1, sizeof *boxes);
    return code;
}
