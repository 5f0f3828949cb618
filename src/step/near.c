// The table of near pairs: boxes, then the search for near features, in blocks of pairs that threads share.
#include "step/near.h"

#include <string.h>

nc_proximity_options nc_contact_options(void)
{
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true; // or a link in a link, a sheet in a slot, touch now this side and now that one
    return options;
}

#define PAIRS_A_BLOCK 32
#define FIRST_ROOM    256 // features a block has room for at first

void nc_near_table_free(nc_near_table *t, const nc_allocator *allocator)
{
    const size_t n = (size_t)t->capacity;
    nc_free(allocator, t->pose, n, sizeof *t->pose);
    nc_free(allocator, t->mesh, n, sizeof *t->mesh);
    nc_free(allocator, t->box, n, sizeof *t->box);
    nc_free(allocator, t->begin, n + 1, sizeof *t->begin);
    nc_pairs_free(&t->pairs, allocator);
    nc_array_free(allocator, &t->rows);
    nc_array_free(allocator, &t->old);
    for (int k = 0; k < t->lists.count; k++)
        nc_free(allocator, t->lists.data[k].data, (size_t)t->lists.data[k].capacity, sizeof *t->lists.data[k].data);
    nc_array_free(allocator, &t->lists);
    *t = (nc_near_table){.made = false};
}

static bool reserve_bodies(nc_near_table *t, int count, const nc_allocator *allocator)
{
    if (count <= t->capacity && t->begin != NULL)
        return true;
    nc_near_table_free(t, allocator);
    const size_t n = count > 0 ? (size_t)count : 1;
    t->capacity = (int)n;
    t->pose = nc_alloc(allocator, n, sizeof *t->pose);
    t->mesh = nc_alloc(allocator, n, sizeof *t->mesh);
    t->box = nc_alloc(allocator, n, sizeof *t->box);
    t->begin = nc_alloc(allocator, n + 1, sizeof *t->begin);
    if (t->pose != NULL && t->mesh != NULL && t->box != NULL && t->begin != NULL)
        return true;
    nc_near_table_free(t, allocator);
    return false;
}

static bool is_theirs(const nc_near_table *t, const nc_near_bodies *bodies, double distance)
{
    const size_t n = (size_t)bodies->count;
    return t->made && t->body_count == bodies->count && t->distance == distance && t->signature == bodies->signature &&
           (n == 0 || (memcmp(t->mesh, bodies->mesh, n * sizeof *t->mesh) == 0 &&
                       memcmp(t->pose, bodies->pose, n * sizeof *t->pose) == 0));
}

static void place_boxes(nc_near_table *t, const nc_near_bodies *bodies, double distance)
{
    const nc_vec3 grow = {0.51 * distance, 0.51 * distance, 0.51 * distance};
    for (int i = 0; i < bodies->count; i++) {
        t->pose[i] = bodies->pose[i];
        t->mesh[i] = bodies->mesh[i];
        t->box[i] = nc_box_empty();
        if (bodies->mesh[i] == NULL)
            continue;
        const nc_frame frame = nc_pose_frame(bodies->pose[i]);
        const nc_box box = nc_frame_box(&frame, nc_mesh_view(bodies->mesh[i]).box);
        t->box[i] = (nc_box){nc_sub(box.lo, grow), nc_add(box.hi, grow)};
    }
}

static void swap_rows(nc_near_table *t)
{
    nc_near_row *const data = t->rows.data;
    const int count = t->rows.count, capacity = t->rows.capacity;
    t->rows.data = t->old.data;
    t->rows.capacity = t->old.capacity;
    t->rows.count = 0;
    t->old.data = data;
    t->old.capacity = capacity;
    t->old.count = count;
}

// What the table before knew of a pair; *at goes through its rows as the new ones come, in the same order.
static void take_hint(const nc_near_table *t, nc_near_row *row, int *at)
{
    const nc_near_row *old = t->old.data;
    while (*at < t->old.count && (old[*at].i < row->i || (old[*at].i == row->i && old[*at].j < row->j)))
        *at += 1;
    if (*at < t->old.count && old[*at].i == row->i && old[*at].j == row->j) {
        row->apart = old[*at].apart;
        row->hint = old[*at].hint;
        row->idle = old[*at].idle;
    }
}

// Rows for the pairs that are wanted, and where each body's begin.
static bool list_rows(nc_near_table *t, const nc_near_bodies *bodies, const nc_allocator *allocator)
{
    swap_rows(t);
    int next = 0, at = 0;
    for (int k = 0; k < t->pairs.count; k++) {
        const int i = t->pairs.data[k].a, j = t->pairs.data[k].b;
        if (!bodies->wanted(i, j, bodies->ctx))
            continue;
        while (next <= i)
            t->begin[next++] = t->rows.count;
        nc_near_row row = {.i = i, .j = j, .block = t->rows.count / PAIRS_A_BLOCK};
        take_hint(t, &row, &at);
        if (!nc_array_push(allocator, &t->rows, row))
            return false;
    }
    while (next <= bodies->count)
        t->begin[next++] = t->rows.count;
    const nc_proximity_list none = {.allocator = NULL};
    while (t->lists.count * PAIRS_A_BLOCK < t->rows.count)
        if (!nc_array_push(allocator, &t->lists, none))
            return false;
    return true;
}

#define IDLE_STEPS 8

// The clearance of a pair without near features, by search or by direction alike: the distance, but for its rounding.
static double whole_clearance(const nc_near_table *t)
{
    return t->distance * (1.0 - 0x1p-20);
}

// |R v - R' v| <= 2 |q - q'| |v| for unit quaternions, and q and -q are one rotation; a tenth more for lengths down to
// 0.954, and no bound for shorter ones.
static double turned(nc_quat q, nc_quat before)
{
    if (!(nc_quat_norm2(q) > 0.91 && nc_quat_norm2(before) > 0.91))
        return INFINITY;
    const double dot = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
    const double s = dot < 0 ? -1 : 1;
    const double w = q.w - s * before.w, x = q.x - s * before.x, y = q.y - s * before.y, z = q.z - s * before.z;
    return 2.2 * sqrt(w * w + x * x + y * y + z * z);
}

// [m] how far apart a pair must still be that was found apart before; negative when that is not known.
static double still_apart(const nc_near_row *row, const nc_mesh_data *a, nc_pose pose_a, const nc_mesh_data *b,
                          nc_pose pose_b)
{
    const nc_near_apart *known = &row->apart;
    if (!(known->distance > 0) || known->mesh[0] != a->hash || known->mesh[1] != b->hash)
        return -1;
    const nc_vec3 moved = nc_sub(nc_sub(pose_a.x, known->i.x), nc_sub(pose_b.x, known->j.x));
    return known->distance - nc_norm(moved) - turned(pose_a.q, known->i.q) * a->radius -
           turned(pose_b.q, known->j.q) * b->radius;
}

// Rounding is small against the distance. Then a pair that is half as far again apart is one without near features
// whose clearance is whole_clearance, whoever says so.
#define SURELY_APART 1.5

static bool rounds_well(const nc_near_table *t, const nc_near_row *row, double radii)
{
    const double size = radii + nc_norm(t->pose[row->i].x) + nc_norm(t->pose[row->j].x);
    return 2048 * NC_UNIT_ROUNDOFF * size < 0x1p-20 * t->distance;
}

// Is the pair so far apart that the search would find nothing at all?
static bool needs_no_search(const nc_near_table *t, nc_near_row *row)
{
    const nc_mesh_data a = nc_mesh_view(t->mesh[row->i]), b = nc_mesh_view(t->mesh[row->j]);
    const nc_pose pose_a = t->pose[row->i], pose_b = t->pose[row->j];
    if (!rounds_well(t, row, a.radius + b.radius))
        return false;
    if (still_apart(row, &a, pose_a, &b, pose_b) > SURELY_APART * t->distance)
        return true;
    row->apart.distance = 0;
    if (row->idle > 0 || a.vertex_count > NC_WHOLE_VERTICES || b.vertex_count > NC_WHOLE_VERTICES) {
        row->idle -= row->idle > 0;
        return false;
    }
    const bool apart = nc_whole_apart(t->mesh[row->i], pose_a, t->mesh[row->j], pose_b, SURELY_APART * t->distance, &row->hint);
    row->idle = apart ? 0 : IDLE_STEPS;
    return apart;
}

#define LOOK_FARTHER 4 // times the distance

// A pair without near features: how far apart is it really? Asked when its idle time begins, so now and then.
static void measure_apart(const nc_near_table *t, nc_near_row *row, nc_proximity_list *list)
{
    const nc_mesh_data a = nc_mesh_view(t->mesh[row->i]), b = nc_mesh_view(t->mesh[row->j]);
    const nc_pose pose_a = t->pose[row->i], pose_b = t->pose[row->j];
    const nc_proximity_options options = nc_contact_options();
    if (row->count > 0 || row->idle % IDLE_STEPS != 0 || !rounds_well(t, row, a.radius + b.radius))
        return;
    const int count = list->count;
    const nc_code code = nc_proximity_find(t->mesh[row->i], pose_a, t->mesh[row->j], pose_b, LOOK_FARTHER * t->distance,
                                           &options, list, NULL);
    list->count = count;
    row->idle = IDLE_STEPS;
    row->apart = (nc_near_apart){code == NC_OK ? list->clearance : 0, pose_a, pose_b, {a.hash, b.hash}};
}

// Fills a block; list->needed is above its capacity when there was no room. Pairs whose poses have no meaning to the
// search have no contacts and no clearance.
static void fill_block(nc_near_table *t, int block)
{
    const nc_proximity_options options = nc_contact_options();
    nc_proximity_list *list = &t->lists.data[block];
    const int begin = block * PAIRS_A_BLOCK;
    const int end = begin + PAIRS_A_BLOCK < t->rows.count ? begin + PAIRS_A_BLOCK : t->rows.count;
    int needed = 0;
    list->count = 0;
    for (int k = begin; k < end; k++) {
        nc_near_row *row = &t->rows.data[k];
        row->first = list->count;
        row->count = 0;
        row->clearance = whole_clearance(t);
        if (needs_no_search(t, row))
            continue;
        const nc_code code = nc_proximity_find(t->mesh[row->i], t->pose[row->i], t->mesh[row->j], t->pose[row->j],
                                               t->distance, &options, list, NULL);
        row->count = list->count - row->first;
        row->clearance = code == NC_OK ? fmin(list->clearance, whole_clearance(t)) : 0;
        if (code == NC_OK)
            measure_apart(t, row, list);
        needed = code == NC_OUT_OF_MEMORY && list->needed > needed ? list->needed : needed;
    }
    list->needed = needed;
}

static void fill_blocks(int begin, int end, void *ctx)
{
    for (int block = begin; block < end; block++)
        fill_block(ctx, block);
}

// Blocks that had no room get it and are filled again, until all have.
static bool fill_all(nc_near_table *t, int workers, const nc_allocator *allocator)
{
    const int blocks = (t->rows.count + PAIRS_A_BLOCK - 1) / PAIRS_A_BLOCK;
    for (int b = 0; b < blocks; b++) {
        nc_proximity_list *list = &t->lists.data[b];
        if (list->capacity == 0 && !nc_array_reserve(allocator, list, FIRST_ROOM))
            return false;
    }
    nc_parallel_for(workers, blocks, 1, fill_blocks, t);
    for (int b = 0; b < blocks; b++) {
        nc_proximity_list *list = &t->lists.data[b];
        while (list->needed > list->capacity) {
            if (!nc_array_reserve(allocator, list, list->needed))
                return false;
            fill_block(t, b);
        }
    }
    return true;
}

nc_code nc_near_table_make(nc_near_table *t, const nc_near_bodies *bodies, double distance, int workers,
                           const nc_allocator *allocator, nc_error *err)
{
    if (is_theirs(t, bodies, distance))
        return NC_OK;
    t->made = false;
    if (!reserve_bodies(t, bodies->count, allocator))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for near pairs of %d bodies", bodies->count);
    place_boxes(t, bodies, distance);
    t->body_count = bodies->count;
    t->distance = distance;
    t->signature = bodies->signature;
    const nc_code code = nc_broad_overlaps(t->box, bodies->count, allocator, &t->pairs, err);
    if (code != NC_OK)
        return code;
    if (!list_rows(t, bodies, allocator) || !fill_all(t, workers, allocator))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts of %d pairs of bodies", t->pairs.count);
    t->made = true;
    return NC_OK;
}

const nc_near_row *nc_near_table_find(const nc_near_table *t, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    int begin = t->begin[low], end = t->begin[low + 1];
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (t->rows.data[middle].j < high)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < t->begin[low + 1] && t->rows.data[begin].j == high ? &t->rows.data[begin] : NULL;
}
