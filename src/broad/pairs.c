// All pairs: the tree against itself.
#include "broad/lanes.h"

#include <limits.h>

typedef struct search {
    const nc_broad *broad;
    nc_pair *out;
    int64_t count; // continues beyond the capacity
    int64_t work;  // nodes compared
    int capacity;
    int body; // the loose body that is searched for
} search;

// ---- pairs --------------------------------------------------------------------------------------------------

static inline void add_pair(search *s, int p, int q)
{
    if (s->count < s->capacity)
        s->out[s->count] = (nc_pair){p < q ? p : q, p < q ? q : p};
    s->count++;
}

// Lane i of leaf a against the lanes of leaf b that `wanted` names.
static inline void compare_lane(search *s, const tree_leaf *a, int i, const tree_leaf *b, nc_float_mask wanted)
{
    const nc_float_lanes lo[3] = {nc_float_lanes_all(a->lo[0][i]), nc_float_lanes_all(a->lo[1][i]),
                                  nc_float_lanes_all(a->lo[2][i])};
    const nc_float_lanes hi[3] = {nc_float_lanes_all(a->hi[0][i]), nc_float_lanes_all(a->hi[1][i]),
                                  nc_float_lanes_all(a->hi[2][i])};
    lane_overlap m = overlap_lanes(b, lo, hi);
    m.touch &= wanted;
    m.edge &= wanted;
    if (!nc_float_lanes_any(m.touch))
        return;
    const int body = a->body[i];
    if (nc_float_lanes_any(m.edge))
        m.touch = settle(s->broad, b, &s->broad->boxes.data[body], m);
    if (s->count + NC_LANES > s->capacity) {
        for (int k = 0; k < NC_LANES; k++)
            if (m.touch[k] != 0)
                add_pair(s, body, b->body[k]);
        return;
    }
    // Written four times, kept as often as the mask says: no branch to guess wrong.
    for (int k = 0; k < NC_LANES; k++) {
        const int other = b->body[k];
        s->out[s->count] = (nc_pair){body < other ? body : other, body < other ? other : body};
        s->count -= m.touch[k];
    }
}

static void compare_leaves(search *s, const tree_leaf *a, const tree_leaf *b)
{
    const nc_float_mask every = {-1, -1, -1, -1};
    for (int i = 0; i < NC_LANES && a->body[i] >= 0; i++)
        compare_lane(s, a, i, b, every);
}

static void compare_within(search *s, const tree_leaf *a)
{
    static const nc_float_mask later[NC_LANES] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0, 0, 0, 0}};
    for (int i = 0; i + 1 < NC_LANES && a->body[i] >= 0; i++)
        compare_lane(s, a, i, a, later[i]);
}

static void cross(search *s, const tree_node *a, const tree_node *b);

static inline void cross_if(search *s, const tree_node *a, const tree_node *b)
{
    s->work++;
    if (nodes_overlap(a, b))
        cross(s, a, b);
}

// The boxes of the nodes overlap.
static void cross(search *s, const tree_node *a, const tree_node *b)
{
    const tree_leaf *leaves = s->broad->leaves.data;
    const tree_node *nodes = s->broad->nodes.data;
    if (a->is_leaf && b->is_leaf) {
        compare_leaves(s, &leaves[a->child], &leaves[b->child]);
    } else if (a->is_leaf) {
        cross_if(s, a, &nodes[b->child]);
        cross_if(s, a, &nodes[b->child + 1]);
    } else if (b->is_leaf) {
        cross_if(s, &nodes[a->child], b);
        cross_if(s, &nodes[a->child + 1], b);
    } else {
        for (int i = 0; i < 4; i++)
            cross_if(s, &nodes[a->child + i / 2], &nodes[b->child + i % 2]);
    }
}

static void within(search *s, const tree_node *a)
{
    if (a->is_leaf) {
        compare_within(s, &s->broad->leaves.data[a->child]);
        return;
    }
    const tree_node *child = &s->broad->nodes.data[a->child];
    within(s, child);
    within(s, child + 1);
    cross_if(s, child, child + 1);
}

// ---- in parallel --------------------------------------------------------------------------------------------

// The tasks that one task stands for, at most 4.
static int split_task(const nc_broad *broad, tree_task task, tree_task *out)
{
    const tree_node *nodes = broad->nodes.data, *a = &nodes[task.a], *b = &nodes[task.b];
    int count = 0;
    if (a->is_leaf || b->is_leaf) {
        out[count++] = task;
    } else if (task.a == task.b) {
        out[count++] = (tree_task){a->child, a->child};
        out[count++] = (tree_task){a->child + 1, a->child + 1};
        if (nodes_overlap(&nodes[a->child], &nodes[a->child + 1]))
            out[count++] = (tree_task){a->child, a->child + 1};
    } else {
        for (int i = 0; i < 4; i++)
            if (nodes_overlap(&nodes[a->child + i / 2], &nodes[b->child + i % 2]))
                out[count++] = (tree_task){a->child + i / 2, b->child + i % 2};
    }
    return count;
}

// Few bodies: one task. Many: level by level, as far as the room allows.
static void make_tasks(nc_broad *broad)
{
    broad->task_count = broad->nodes.count > 0 ? 1 : 0;
    broad->tasks[0] = (tree_task){0, 0};
    if (nc_worker_count(broad->workers) == 1 || broad->count < NC_EFFORT_TREE_PARALLEL_BODIES)
        return;
    for (int before = 0; before < broad->task_count && 4 * broad->task_count <= NC_EFFORT_TREE_TASKS;) {
        tree_task next[NC_EFFORT_TREE_TASKS];
        int count = 0;
        for (int i = 0; i < broad->task_count; i++)
            count += split_task(broad, broad->tasks[i], next + count);
        before = broad->task_count;
        for (int i = 0; i < count; i++)
            broad->tasks[i] = next[i];
        broad->task_count = count;
    }
}

static void add_partner(void *ctx, int body)
{
    search *s = ctx;
    add_pair(s, s->body, body);
}

// A loose body against the tree and the loose bodies after it.
static void search_loose(search *s, int index)
{
    const nc_broad *broad = s->broad;
    s->body = broad->loose.data[index];
    const nc_box *box = &broad->boxes.data[s->body];
    nc_broad_walk(broad, box, add_partner, s);
    for (int k = index + 1; k < broad->loose.count; k++)
        if (nc_box_overlap(*box, broad->boxes.data[broad->loose.data[k]]))
            add_pair(s, s->body, broad->loose.data[k]);
}

static void run_task(search *s, int index)
{
    const nc_broad *broad = s->broad;
    if (index >= broad->task_count) {
        search_loose(s, index - broad->task_count);
        return;
    }
    const tree_task task = broad->tasks[index];
    if (task.a == task.b)
        within(s, &broad->nodes.data[task.a]);
    else
        cross(s, &broad->nodes.data[task.a], &broad->nodes.data[task.b]);
}

static int grain_of(const nc_broad *broad)
{
    return (broad->task_count + broad->loose.count - 1) / NC_EFFORT_TREE_BLOCKS + 1;
}

static void run_block(int begin, int end, void *ctx)
{
    nc_broad *broad = ctx;
    pair_block *block = &broad->blocks[begin / grain_of(broad)];
    if (block->done)
        return;
    search s = {broad, block->room.data, 0, 0, block->room.capacity, -1};
    for (int i = begin; i < end; i++)
        run_task(&s, i);
    block->found = s.count;
    block->work = s.work;
    block->done = s.count <= s.capacity;
}

// Gives every block that ran out of room what it needs. False: out of memory, or no int counts so many.
static bool make_room(nc_broad *broad)
{
    for (int i = 0; i < NC_EFFORT_TREE_BLOCKS; i++) {
        pair_block *block = &broad->blocks[i];
        if (block->done)
            continue;
        if (block->found > INT_MAX || !nc_array_reserve(&broad->allocator, &block->room, (int)block->found))
            return false;
    }
    return true;
}

// Runs all blocks; those that ran out of room once more, with enough of it.
static bool find_pairs(nc_broad *broad)
{
    const int items = broad->task_count + broad->loose.count, grain = grain_of(broad);
    for (int i = 0; i < NC_EFFORT_TREE_BLOCKS; i++) {
        broad->blocks[i].found = broad->blocks[i].work = 0;
        broad->blocks[i].done = i * grain >= items;
    }
    nc_parallel_for(broad->workers, items, grain, run_block, broad);
    if (!make_room(broad))
        return false;
    nc_parallel_for(broad->workers, items, grain, run_block, broad);
    return true;
}

// What the tree costs more than a new one would; nc_broad_set asks for it.
static void record_work(nc_broad *broad)
{
    int64_t work = 0;
    for (int i = 0; i < NC_EFFORT_TREE_BLOCKS; i++)
        work += broad->blocks[i].work;
    if (broad->work_when_new < 0)
        broad->work_when_new = work;
    else if (work > broad->work_when_new)
        broad->work_wasted += work - broad->work_when_new;
}

nc_code nc_broad_pairs(nc_broad *broad, nc_pairs *out, nc_error *err)
{
    out->count = 0;
    make_tasks(broad);
    if (!find_pairs(broad) || !nc_broad_order_pairs(broad, out))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the pairs of %d boxes", broad->count);
    record_work(broad);
    return NC_OK;
}
