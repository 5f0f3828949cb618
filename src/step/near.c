// The table of near pairs: boxes, then the search for near features, in blocks of pairs that threads share.
#include "step/near.h"

#include <string.h>

nc_proximity_options nc_contact_options(void)
{
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true; // or a link in a link, a sheet in a slot, touch now this side and now that one
    return options;
}

static void free_lists(nc_near_lists *lists, const nc_allocator *allocator)
{
    for (int k = 0; k < lists->count; k++)
        nc_array_free(allocator, &lists->data[k]);
    nc_array_free(allocator, lists);
}

void nc_near_table_free(nc_near_table *t, const nc_allocator *allocator)
{
    nc_free(allocator, t->pose, (size_t)t->capacity.pose, sizeof *t->pose);
    nc_free(allocator, t->old_pose, (size_t)t->capacity.old_pose, sizeof *t->old_pose);
    nc_free(allocator, t->mesh, (size_t)t->capacity.mesh, sizeof *t->mesh);
    nc_free(allocator, t->hash, (size_t)t->capacity.hash, sizeof *t->hash);
    nc_free(allocator, t->same, (size_t)t->capacity.same, sizeof *t->same);
    nc_free(allocator, t->box, (size_t)t->capacity.box, sizeof *t->box);
    nc_free(allocator, t->shown, (size_t)t->capacity.shown, sizeof *t->shown);
    nc_free(allocator, t->begin, (size_t)t->capacity.begin, sizeof *t->begin);
    nc_broad_destroy(t->broad);
    nc_pairs_free(&t->pairs, allocator);
    nc_array_free(allocator, &t->rows);
    nc_array_free(allocator, &t->high);
    nc_array_free(allocator, &t->old);
    nc_array_free(allocator, &t->next);
    nc_array_free(allocator, &t->cached_needed);
    free_lists(&t->lists, allocator);
    free_lists(&t->old_lists, allocator);
    nc_near_cache_free(&t->cache, allocator);
    nc_near_cache_free(&t->old_cache, allocator);
    *t = (nc_near_table){.made = false};
}

// Room for more bodies; what is known of those that are there stays.
static bool reserve_bodies(nc_near_table *t, int count, const nc_allocator *allocator)
{
    return nc_grow(allocator, (void **)&t->pose, &t->capacity.pose, count, sizeof *t->pose) &&
           nc_grow(allocator, (void **)&t->old_pose, &t->capacity.old_pose, count, sizeof *t->old_pose) &&
           nc_grow(allocator, (void **)&t->mesh, &t->capacity.mesh, count, sizeof *t->mesh) &&
           nc_grow(allocator, (void **)&t->hash, &t->capacity.hash, count, sizeof *t->hash) &&
           nc_grow(allocator, (void **)&t->same, &t->capacity.same, count, sizeof *t->same) &&
           nc_grow(allocator, (void **)&t->box, &t->capacity.box, count, sizeof *t->box) &&
           nc_grow(allocator, (void **)&t->shown, &t->capacity.shown, count, sizeof *t->shown) &&
           nc_grow(allocator, (void **)&t->begin, &t->capacity.begin, count + 1, sizeof *t->begin);
}

static bool is_theirs(const nc_near_table *t, const nc_near_bodies *bodies, double distance)
{
    const size_t n = (size_t)bodies->count;
    return t->made && t->body_count == bodies->count && t->distance == distance && t->signature == bodies->signature &&
           (n == 0 || (memcmp(t->mesh, bodies->mesh, n * sizeof *t->mesh) == 0 &&
                       memcmp(t->pose, bodies->pose, n * sizeof *t->pose) == 0));
}

// `known` bodies were in the table before, which was made for the same distance.
static void place_bodies(nc_near_table *t, const nc_near_bodies *bodies, int known)
{
    nc_pose *const before = t->pose;
    const int before_capacity = t->capacity.pose;
    t->pose = t->old_pose;
    t->capacity.pose = t->capacity.old_pose;
    t->old_pose = before;
    t->capacity.old_pose = before_capacity;
    for (int i = 0; i < bodies->count; i++) {
        const uint64_t hash = bodies->mesh[i] != NULL ? nc_mesh_hash(bodies->mesh[i]) : 0;
        t->pose[i] = bodies->pose[i];
        t->same[i] = i < known && bodies->mesh[i] != NULL && t->mesh[i] != NULL && t->hash[i] == hash &&
                     memcmp(&t->pose[i], &t->old_pose[i], sizeof *t->pose) == 0;
        t->mesh[i] = bodies->mesh[i];
        t->hash[i] = hash;
    }
}

static void place_boxes(nc_near_table *t, const nc_near_bodies *bodies, double distance)
{
    const nc_vec3 grow = {0.51 * distance, 0.51 * distance, 0.51 * distance};
    for (int i = 0; i < bodies->count; i++) {
        if (t->same[i]) // it has the box that it had
            continue;
        t->box[i] = nc_box_empty();
        if (bodies->mesh[i] == NULL)
            continue;
        const nc_frame frame = nc_pose_frame(bodies->pose[i]);
        const nc_box box = nc_frame_box(&frame, nc_mesh_view(bodies->mesh[i]).box);
        t->box[i] = (nc_box){nc_sub(box.lo, grow), nc_add(box.hi, grow)};
    }
}

static void swap_tables(nc_near_table *t)
{
    const nc_near_cache cache = t->cache;
    const nc_near_lists lists = t->lists;
    const nc_near_rows rows = t->rows;
    t->cache = t->old_cache;
    t->lists = t->old_lists;
    t->rows = t->old;
    t->rows.count = 0;
    t->old_cache = cache;
    t->old_lists = lists;
    t->old = rows;
}

// What the table before knew of a pair; *at goes through its rows as the new ones come, in the same order.
static void take_hint(const nc_near_table *t, nc_near_row *row, int *at)
{
    const nc_near_row *old = t->old.data;
    while (*at < t->old.count && (old[*at].i < row->i || (old[*at].i == row->i && old[*at].j < row->j)))
        *at += 1;
    if (*at < t->old.count && old[*at].i == row->i && old[*at].j == row->j) {
        row->before = *at;
        row->apart = old[*at].apart;
        row->hint = old[*at].hint;
        row->idle = old[*at].idle;
    }
}

// Rows for the pairs that are wanted, and where each body's begin.
static bool list_rows(nc_near_table *t, const nc_near_bodies *bodies, const nc_allocator *allocator)
{
    swap_tables(t);
    t->high.count = 0;
    int next = 0, at = 0;
    for (int k = 0; k < t->pairs.count; k++) {
        const int i = t->pairs.data[k].a, j = t->pairs.data[k].b;
        if (!bodies->wanted(i, j, bodies->ctx))
            continue;
        while (next <= i)
            t->begin[next++] = t->rows.count;
        const double distance = bodies->distance != NULL ? bodies->distance(i, j, bodies->ctx) : t->distance;
        nc_near_row row = {
            .i = i, .j = j, .distance = distance, .block = t->rows.count / NC_EFFORT_NEAR_BLOCK, .before = -1};
        take_hint(t, &row, &at);
        if (!nc_array_push(allocator, &t->rows, row) || !nc_array_push(allocator, &t->high, j))
            return false;
    }
    while (next <= bodies->count)
        t->begin[next++] = t->rows.count;
    const nc_proximity_list none = {.allocator = NULL};
    while (t->lists.count * NC_EFFORT_NEAR_BLOCK < t->rows.count)
        if (!nc_array_push(allocator, &t->lists, none))
            return false;
    return nc_array_reserve(allocator, &t->next, t->lists.count) &&
           nc_array_reserve(allocator, &t->cached_needed, t->lists.count) &&
           nc_near_cache_begin(&t->cache, t->rows.count, allocator);
}

// The clearance of a pair without near features, by search or by direction alike: the distance, but for its rounding.
static double whole_clearance(const nc_near_row *row)
{
    return row->distance * (1.0 - 0x1p-20);
}

static nc_near_place place_of(const nc_near_table *t, const nc_near_row *row)
{
    return (nc_near_place){{t->mesh[row->i], t->mesh[row->j]}, {t->pose[row->i], t->pose[row->j]}};
}

// [m] how far apart a pair must still be that was found apart before; negative when that is not known.
static double still_apart(const nc_near_row *row, const nc_near_place *place)
{
    const nc_near_apart *known = &row->apart;
    if (!(known->distance > 0) || known->mesh[0] != nc_mesh_hash(place->mesh[0]) ||
        known->mesh[1] != nc_mesh_hash(place->mesh[1]))
        return -1;
    return known->distance - nc_near_moved(place, known->i, known->j);
}

// Rounding is small against the distance, and the poses have a meaning to the search. Then a pair that is half as far
// again apart is one without near features whose clearance is whole_clearance, whatever the record says.
static bool is_rotation(nc_quat q)
{
    const double length2 = nc_quat_norm2(q);
    return length2 > 0.91 && length2 < 1.1;
}

static bool rounds_well(const nc_near_table *t, const nc_near_row *row, double radii)
{
    const nc_pose *i = &t->pose[row->i], *j = &t->pose[row->j];
    const double size = radii + nc_norm(i->x) + nc_norm(j->x);
    return 2048 * NC_UNIT_ROUNDOFF * size < 0x1p-20 * row->distance && is_rotation(i->q) && is_rotation(j->q);
}

// Is the pair so far apart that the search would find nothing at all?
static bool needs_no_search(const nc_near_table *t, nc_near_row *row)
{
    const nc_near_place place = place_of(t, row);
    if (!rounds_well(t, row, nc_mesh_radius(place.mesh[0]) + nc_mesh_radius(place.mesh[1])))
        return false;
    if (still_apart(row, &place) > NC_EFFORT_APART_DISTANCES * row->distance)
        return true;
    row->apart.distance = 0;
    if (row->idle > 0) {
        row->idle--;
        return false;
    }
    const bool apart = nc_whole_apart(place.mesh[0], place.pose[0], place.mesh[1], place.pose[1],
                                      NC_EFFORT_APART_DISTANCES * row->distance, &row->hint);
    row->idle = apart ? 0 : NC_EFFORT_APART_WAIT;
    return apart;
}

// A pair without near features: how far apart is it really? Asked when its idle time begins, so now and then.
static void measure_apart(const nc_near_table *t, nc_near_row *row, nc_proximity_list *list)
{
    const nc_mesh_data a = nc_mesh_view(t->mesh[row->i]), b = nc_mesh_view(t->mesh[row->j]);
    const nc_pose pose_a = t->pose[row->i], pose_b = t->pose[row->j];
    const nc_proximity_options options = nc_contact_options();
    if (row->count > 0 || row->idle % NC_EFFORT_APART_WAIT != 0 || !rounds_well(t, row, a.radius + b.radius))
        return;
    const int count = list->count;
    const nc_code code = nc_proximity_find(t->mesh[row->i], pose_a, t->mesh[row->j], pose_b,
                                           NC_EFFORT_APART_REACH * row->distance, &options, list, NULL);
    list->count = count;
    row->idle = NC_EFFORT_APART_WAIT;
    row->apart = (nc_near_apart){code == NC_OK ? list->clearance : 0, pose_a, pose_b, {a.hash, b.hash}};
}

// The near features of a pair, from its cached elements if there are any, or if it is time to cache them.
static nc_code search(nc_near_table *t, int k, nc_proximity_list *list)
{
    const nc_proximity_options options = nc_contact_options();
    nc_near_row *row = &t->rows.data[k];
    const nc_near_place p = place_of(t, row);
    const double radii = nc_mesh_radius(p.mesh[0]) + nc_mesh_radius(p.mesh[1]);
    nc_cached_pairs among;
    bool is_cached = row->before >= 0 && rounds_well(t, row, radii);
    if (is_cached && !nc_near_cache_reuse(&t->old_cache, row->before, &t->cache, k, &p, row->distance, &among))
        is_cached =
            nc_near_moved(&p, t->old_pose[row->i], t->old_pose[row->j]) < NC_EFFORT_REST_MOTION * row->distance &&
            nc_near_cache_store(&t->cache, k, &p, row->distance, &among);
    if (is_cached)
        return nc_proximity_find_among(p.mesh[0], p.pose[0], p.mesh[1], p.pose[1], row->distance, &options, &among,
                                       list, NULL);
    return nc_proximity_find(p.mesh[0], p.pose[0], p.mesh[1], p.pose[1], row->distance, &options, list, NULL);
}

// A pair of two bodies that are where they were has the features that it had, to the bit: they are not searched again,
// however many other bodies came or went. list->needed is above its capacity when there was no room.
static bool take_over(nc_near_table *t, int k, nc_proximity_list *list)
{
    nc_near_row *row = &t->rows.data[k];
    if (row->before < 0 || !t->same[row->i] || !t->same[row->j])
        return false;
    const nc_near_row *old = &t->old.data[row->before];
    const nc_near_place place = place_of(t, row);
    nc_cached_pairs among;
    if (old->distance != row->distance) // settings changed
        return false;
    list->needed = list->count + old->count;
    if (list->needed > list->capacity)
        return true;
    for (int f = 0; f < old->count; f++)
        list->data[list->count++] = t->old_lists.data[old->block].data[old->first + f];
    row->count = old->count;
    row->clearance = old->clearance;
    (void)nc_near_cache_reuse(&t->old_cache, row->before, &t->cache, k, &place, row->distance, &among);
    return true;
}

// Searches a pair; as above when there was no room.
static void look_at(nc_near_table *t, int k, nc_proximity_list *list)
{
    nc_near_row *row = &t->rows.data[k];
    const int first = list->count;
    list->needed = 0;
    if (needs_no_search(t, row))
        return;
    const nc_code code = search(t, k, list);
    const int needed = code == NC_OUT_OF_MEMORY ? list->needed : 0;
    row->count = list->count - first;
    row->clearance = code == NC_OK ? fmin(list->clearance, whole_clearance(row)) : 0;
    if (code == NC_OK)
        measure_apart(t, row, list);
    list->needed = needed;
}

// The features of one row. False: there was no room for them, or for what is to be cached, and nothing was added.
static bool fill_row(nc_near_table *t, int k, nc_proximity_list *list)
{
    nc_near_row *row = &t->rows.data[k];
    nc_cached_pairs *cached = &t->cache.blocks.data[row->block];
    const int first_cached = cached->count;
    row->first = list->count;
    row->count = 0;
    row->clearance = whole_clearance(row);
    t->cache.heads.data[k].count = 0;
    if (!take_over(t, k, list))
        look_at(t, k, list);
    if (list->needed <= list->capacity && cached->count <= cached->capacity)
        return true;
    list->count = row->first;
    t->cache.heads.data[k].count = 0;
    t->cached_needed.data[row->block] = cached->count;
    cached->count = first_cached;
    return false;
}

static void begin_block(nc_near_table *t, int block)
{
    t->lists.data[block].count = 0;
    t->cache.blocks.data[block].count = 0;
    t->next.data[block] = block * NC_EFFORT_NEAR_BLOCK;
}

static int block_end(const nc_near_table *t, int block)
{
    const int end = (block + 1) * NC_EFFORT_NEAR_BLOCK;
    return end < t->rows.count ? end : t->rows.count;
}

// Fills a block from its next row on, up to one that has no room. Pairs whose poses have no meaning to the search have
// no contacts and no clearance.
static void fill_block(nc_near_table *t, int block)
{
    int *next = &t->next.data[block];
    while (*next < block_end(t, block) && fill_row(t, *next, &t->lists.data[block]))
        ++*next;
}

static void fill_blocks(int begin, int end, void *ctx)
{
    for (int block = begin; block < end; block++)
        fill_block(ctx, block);
}

// Makes room for the row that had none, if there is one; *short_of_room is set then. False when out of memory.
static bool widen_block(nc_near_table *t, int block, bool *short_of_room, const nc_allocator *allocator)
{
    if (t->next.data[block] >= block_end(t, block))
        return true;
    *short_of_room = true;
    return nc_array_reserve(allocator, &t->lists.data[block], t->lists.data[block].needed) &&
           nc_array_reserve(allocator, &t->cache.blocks.data[block], t->cached_needed.data[block]);
}

// Threads fill blocks; those that run out of room get it, and are filled on from there.
static bool fill_to_the_end(nc_near_table *t, int blocks, int workers, const nc_allocator *allocator)
{
    for (bool short_of_room = true; short_of_room;) {
        short_of_room = false;
        nc_parallel_for(workers, blocks, 1, fill_blocks, t);
        for (int b = 0; b < blocks; b++)
            if (!widen_block(t, b, &short_of_room, allocator))
                return false;
    }
    return true;
}

// ---- shared -------------------------------------------------------------------------------------------------
// Each rank fills its blocks and gets the others' features. What is where it was is taken over by every rank itself.
// Hints and cached candidates stay with the rank that made them: they only cost time.

static bool is_taken_over(const nc_near_table *t, int k)
{
    const nc_near_row *row = &t->rows.data[k];
    return row->before >= 0 && t->same[row->i] && t->same[row->j] && t->old.data[row->before].distance == row->distance;
}

// [features] By those that the pairs had before, which all ranks know.
static int64_t block_cost(int block, const void *ctx)
{
    const nc_near_table *t = ctx;
    const int begin = block * NC_EFFORT_NEAR_BLOCK, end = begin + NC_EFFORT_NEAR_BLOCK;
    int64_t cost = 0;
    for (int k = begin; k < end && k < t->rows.count; k++) {
        const int before = t->rows.data[k].before;
        if (!is_taken_over(t, k))
            cost += NC_EFFORT_SHARE_NEAR_COST + (before >= 0 ? t->old.data[before].count : 0);
    }
    return cost;
}

// The rows of a block that a rank searched, for the others.
typedef struct found_row {
    double clearance;
    int count;
} found_row;

static bool write_block(const nc_near_table *t, int block, nc_share *share)
{
    const int begin = block * NC_EFFORT_NEAR_BLOCK, end = begin + NC_EFFORT_NEAR_BLOCK;
    bool done = true;
    for (int k = begin; k < end && k < t->rows.count && done; k++) {
        const nc_near_row *row = &t->rows.data[k];
        const found_row found = {.clearance = row->clearance, .count = row->count};
        if (!is_taken_over(t, k))
            done = nc_share_write(share, &found, sizeof found) &&
                   nc_share_write(share, nc_near_features(t, row), (size_t)row->count * sizeof(nc_proximity));
    }
    return done;
}

static bool read_row(nc_near_row *row, nc_proximity_list *list, nc_share *share, int rank,
                     const nc_allocator *allocator)
{
    found_row found;
    if (!nc_share_read(share, rank, &found, sizeof found) || found.count < 0 ||
        (size_t)found.count > nc_share_left(share, rank) / sizeof(nc_proximity) ||
        !nc_array_reserve(allocator, list, list->count + found.count) ||
        !nc_share_read(share, rank, list->data + list->count, (size_t)found.count * sizeof(nc_proximity)))
        return false;
    row->count = found.count;
    row->clearance = found.clearance;
    list->count += found.count;
    return true;
}

static bool read_block(nc_near_table *t, int block, nc_share *share, const nc_allocator *allocator)
{
    nc_proximity_list *list = &t->lists.data[block];
    const int begin = block * NC_EFFORT_NEAR_BLOCK, end = begin + NC_EFFORT_NEAR_BLOCK;
    list->count = 0;
    t->cache.blocks.data[block].count = 0;
    for (int k = begin; k < end && k < t->rows.count; k++) {
        nc_near_row *row = &t->rows.data[k];
        row->first = list->count;
        t->cache.heads.data[k].count = 0;
        if (is_taken_over(t, k)) {
            if (!nc_array_reserve(allocator, list, list->count + t->old.data[row->before].count))
                return false;
            (void)take_over(t, k, list);
        } else if (!read_row(row, list, share, share->rank_of.data[block], allocator)) {
            return false;
        }
    }
    return true;
}

static bool fill_shared(nc_near_table *t, int blocks, int workers, const nc_allocator *allocator)
{
    nc_share *share = t->share;
    if (!nc_share_deal(share, blocks, true, block_cost, t))
        return false;
    for (int b = 0; b < blocks; b++)
        if (!nc_share_is_mine(share, b))
            t->next.data[b] = block_end(t, b); // nothing for this rank to fill
    if (!fill_to_the_end(t, blocks, workers, allocator))
        return false;
    for (int b = 0; b < blocks; b++)
        if (nc_share_is_mine(share, b) && !write_block(t, b, share))
            return false;
    if (!nc_share_exchange(share, NC_SHARE_NEAR, (uint64_t)t->rows.count))
        return false;
    for (int b = 0; b < blocks; b++)
        if (!nc_share_is_mine(share, b) && !read_block(t, b, share, allocator))
            return false;
    return true;
}

static bool is_worth_sharing(const nc_near_table *t, int blocks)
{
    int64_t cost = 0;
    for (int b = 0; b < blocks && nc_share_is_on(t->share); b++)
        cost += block_cost(b, t);
    return blocks > 1 && cost >= NC_EFFORT_SHARE_NEAR;
}

static bool fill_all(nc_near_table *t, int workers, const nc_allocator *allocator)
{
    const int blocks = (t->rows.count + NC_EFFORT_NEAR_BLOCK - 1) / NC_EFFORT_NEAR_BLOCK;
    for (int b = 0; b < blocks; b++) {
        nc_proximity_list *list = &t->lists.data[b];
        if (list->capacity == 0 && !nc_array_reserve(allocator, list, NC_EFFORT_NEAR_FEATURES))
            return false;
        begin_block(t, b);
    }
    return is_worth_sharing(t, blocks) ? fill_shared(t, blocks, workers, allocator)
                                       : fill_to_the_end(t, blocks, workers, allocator);
}

nc_code nc_near_table_make(nc_near_table *t, const nc_near_bodies *bodies, double distance, int workers,
                           const nc_allocator *allocator, nc_error *err)
{
    if (is_theirs(t, bodies, distance))
        return NC_OK;
    const int known = t->made && t->distance == distance ? t->body_count : 0;
    t->made = false;
    if (!reserve_bodies(t, bodies->count, allocator))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for near pairs of %d bodies", bodies->count);
    place_bodies(t, bodies, known);
    place_boxes(t, bodies, distance);
    t->body_count = bodies->count;
    t->distance = distance;
    t->signature = bodies->signature;
    const nc_box *boxes =
        bodies->kind != NULL ? nc_broad_within_reach(t->box, bodies->kind, bodies->count, t->shown) : t->box;
    const nc_code code = nc_broad_overlaps_again(&t->broad, boxes, bodies->count, allocator, &t->pairs, err);
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
        if (t->high.data[middle] < high)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < t->begin[low + 1] && t->high.data[begin] == high ? &t->rows.data[begin] : NULL;
}
