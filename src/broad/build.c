// The tree from nothing: a box is a point in six dimensions (twice its centre, and its size); a range of boxes is cut
// in the middle of the dimension along which they spread most.
//
// Size as a dimension is what keeps a bowl out of the leaves of the boats inside it. Surface areas would shape a tree
// that is searched a tenth faster and built five times slower (docs/theory/broad.md).
//
// Depth: below NC_EFFORT_TREE_SPATIAL_DEPTH ranges are halved by number, so no path is longer than
// NC_EFFORT_TREE_SPATIAL_DEPTH + 31 nodes.
#include "broad/tree.h"

#include <limits.h>

typedef struct spread {
    nc_float_lanes center_lo, center_hi, size_lo, size_hi;
} spread;

typedef struct cut {
    int axis;     // 0 to 2: centre, 3 to 5: size, -1: all boxes are equal
    float middle; // boxes below it go left
} cut;

static spread spread_empty(void)
{
    const nc_float_lanes most = {INFINITY, INFINITY, INFINITY, INFINITY};
    const spread s = {most, -most, most, -most};
    return s;
}

static void spread_add(spread *s, const tree_ref *ref)
{
    const nc_float_lanes center = ref->lo + ref->hi, size = ref->hi - ref->lo;
    s->center_lo = nc_float_lanes_min(s->center_lo, center);
    s->center_hi = nc_float_lanes_max(s->center_hi, center);
    s->size_lo = nc_float_lanes_min(s->size_lo, size);
    s->size_hi = nc_float_lanes_max(s->size_hi, size);
}

static cut best_cut(const spread *s)
{
    cut best = {-1, 0};
    float widest = 0;
    for (int axis = 0; axis < 6; axis++) {
        const float lo = axis < 3 ? s->center_lo[axis] : s->size_lo[axis - 3];
        const float hi = axis < 3 ? s->center_hi[axis] : s->size_hi[axis - 3];
        if (hi - lo > widest) {
            widest = hi - lo;
            best = (cut){axis, 0.5F * lo + 0.5F * hi};
            if (!(best.middle > lo)) // two neighbouring floats
                best.middle = hi;
        }
    }
    return best;
}

static bool goes_left(cut c, const tree_ref *ref)
{
    const float x = c.axis < 3 ? ref->lo[c.axis] + ref->hi[c.axis] : ref->hi[c.axis - 3] - ref->lo[c.axis - 3];
    return x < c.middle;
}

static void swap_refs(nc_broad *broad, int i, int j)
{
    const tree_ref ref = broad->refs.data[i];
    const int body = broad->order.data[i];
    broad->refs.data[i] = broad->refs.data[j];
    broad->order.data[i] = broad->order.data[j];
    broad->refs.data[j] = ref;
    broad->order.data[j] = body;
}

// Moves what goes left to the front of refs [first, last); returns its end, and the spreads of both sides.
static int partition(nc_broad *broad, int first, int last, cut c, spread sides[2])
{
    while (first < last) {
        if (goes_left(c, &broad->refs.data[first])) {
            spread_add(&sides[0], &broad->refs.data[first++]);
        } else {
            spread_add(&sides[1], &broad->refs.data[first]);
            swap_refs(broad, first, --last);
        }
    }
    return first;
}

static int halve(const nc_broad *broad, int first, int last, spread sides[2])
{
    const int middle = first + (last - first) / 2;
    for (int i = first; i < last; i++)
        spread_add(&sides[i >= middle], &broad->refs.data[i]);
    return middle;
}

// ---- cutting: where each range is cut in two, in the order in which a walk of the tree meets the cuts -------------

// Cuts refs [first, last) in two. Both sides have boxes.
static int cut_in_two(nc_broad *broad, int first, int last, int depth, const spread *s, spread sides[2])
{
    const cut c = best_cut(s);
    sides[0] = sides[1] = spread_empty();
    return c.axis >= 0 && depth < NC_EFFORT_TREE_SPATIAL_DEPTH ? partition(broad, first, last, c, sides)
                                                               : halve(broad, first, last, sides);
}

// Cuts until leaves are left. Writes fewer cuts than there are boxes; returns their end.
static int *cut_range(nc_broad *broad, int first, int last, int depth, const spread *s, int *cuts)
{
    if (last - first <= NC_LANES)
        return cuts;
    spread sides[2];
    const int middle = cut_in_two(broad, first, last, depth, s, sides);
    *cuts++ = middle;
    cuts = cut_range(broad, first, middle, depth + 1, &sides[0], cuts);
    return cut_range(broad, middle, last, depth + 1, &sides[1], cuts);
}

// ---- placing: nodes and leaves where their numbers are known ------------------------------------------------------

// A part of the tree under one node, built by one thread.
typedef struct branch {
    int node, first, last, depth;
    spread all, sides[2];
    int middle;               // first of the right side; -1: not to be cut any more
    int cut_count;            // of the whole branch, at cuts[first]
    int next_node, next_leaf; // where the next ones go
} branch;

typedef struct builder {
    nc_broad *broad;
    branch branches[NC_EFFORT_TREE_BRANCHES];
    int branch_count;
} builder;

static void finish_node(nc_broad *broad, int node)
{
    const float extent = node_extent(&broad->nodes.data[node]);
    broad->above.data[node].inv_extent = extent > 0 ? 1 / extent : 0;
}

static void make_leaf(nc_broad *broad, int number, int node, int first, int last)
{
    tree_leaf *leaf = &broad->leaves.data[number];
    for (int k = 0; k < NC_LANES; k++) {
        const bool used = first + k < last;
        leaf->body[k] = used ? broad->order.data[first + k] : -1;
        for (int axis = 0; axis < 3; axis++) {
            leaf->lo[axis][k] = used ? broad->refs.data[first + k].lo[axis] : FLOAT_EMPTY;
            leaf->hi[axis][k] = used ? broad->refs.data[first + k].hi[axis] : -FLOAT_EMPTY;
        }
        if (used)
            broad->place.data[leaf->body[k]] = NC_LANES * number + k;
    }
    broad->leaf_node.data[number] = node;
    broad->nodes.data[node].child = number;
    broad->nodes.data[node].is_leaf = 1;
    nc_broad_fit_leaf(broad, number);
}

static void make_inner(nc_broad *broad, int node, int child)
{
    broad->nodes.data[node].child = child;
    broad->nodes.data[node].is_leaf = 0;
    broad->above.data[child].node = broad->above.data[child + 1].node = node;
}

// Follows the cuts; returns where the next ones are.
static const int *place_range(nc_broad *broad, branch *b, int node, int first, int last, const int *cuts)
{
    if (last - first <= NC_LANES) {
        make_leaf(broad, b->next_leaf++, node, first, last);
    } else {
        const int middle = *cuts++, child = b->next_node;
        b->next_node += 2;
        make_inner(broad, node, child);
        cuts = place_range(broad, b, child, first, middle, cuts);
        cuts = place_range(broad, b, child + 1, middle, last, cuts);
        nc_broad_fit_node(broad, node);
    }
    finish_node(broad, node);
    return cuts;
}

// ---- branches -----------------------------------------------------------------------------------------------

static void cut_branches_once(int begin, int end, void *ctx)
{
    builder *build = ctx;
    for (int i = begin; i < end; i++) {
        branch *b = &build->branches[i];
        if (b->middle >= 0)
            b->middle = cut_in_two(build->broad, b->first, b->last, b->depth, &b->all, b->sides);
    }
}

static void cut_branches(int begin, int end, void *ctx)
{
    builder *build = ctx;
    for (int i = begin; i < end; i++) {
        branch *b = &build->branches[i];
        int *cuts = build->broad->cuts.data + b->first;
        b->cut_count = (int)(cut_range(build->broad, b->first, b->last, b->depth, &b->all, cuts) - cuts);
    }
}

static void place_branches(int begin, int end, void *ctx)
{
    builder *build = ctx;
    for (int i = begin; i < end; i++) {
        branch *b = &build->branches[i];
        place_range(build->broad, b, b->node, b->first, b->last, build->broad->cuts.data + b->first);
    }
}

static branch branch_of(int node, int first, int last, int depth, const spread *all)
{
    return (branch){.node = node,
                    .first = first,
                    .last = last,
                    .depth = depth,
                    .all = *all,
                    .middle = last - first >= NC_EFFORT_TREE_BRANCH_BOXES ? 0 : -1};
}

// Each branch that was cut becomes two. True when there may be more to cut.
static bool split_branches(builder *build)
{
    nc_broad *broad = build->broad;
    const int count = build->branch_count;
    bool more = false;
    for (int i = 0; i < count; i++) {
        const branch b = build->branches[i];
        if (b.middle < 0)
            continue;
        const int child = broad->nodes.count;
        broad->nodes.count += 2;
        make_inner(broad, b.node, child);
        build->branches[i] = branch_of(child, b.first, b.middle, b.depth + 1, &b.sides[0]);
        build->branches[build->branch_count++] = branch_of(child + 1, b.middle, b.last, b.depth + 1, &b.sides[1]);
        more = more || build->branches[i].middle >= 0 || build->branches[build->branch_count - 1].middle >= 0;
    }
    return more;
}

// The numbers of each branch's nodes and leaves follow those of the branch before.
static void number_branches(builder *build)
{
    nc_broad *broad = build->broad;
    for (int i = 0; i < build->branch_count; i++) {
        branch *b = &build->branches[i];
        b->next_node = broad->nodes.count;
        b->next_leaf = broad->leaves.count;
        broad->nodes.count += 2 * b->cut_count;
        broad->leaves.count += b->cut_count + 1;
    }
}

static void build_tree(nc_broad *broad, int count, const spread *all)
{
    builder build = {.broad = broad, .branch_count = 1};
    build.branches[0] = branch_of(0, 0, count, 0, all);
    broad->nodes.count = 1;
    broad->above.data[0].node = -1;
    bool more = nc_worker_count(broad->workers) > 1 && build.branches[0].middle >= 0;
    while (more && 2 * build.branch_count <= NC_EFFORT_TREE_BRANCHES) {
        nc_parallel_for(broad->workers, build.branch_count, 1, cut_branches_once, &build);
        more = split_branches(&build);
    }
    const int top = broad->nodes.count;
    nc_parallel_for(broad->workers, build.branch_count, 1, cut_branches, &build);
    number_branches(&build);
    nc_parallel_for(broad->workers, build.branch_count, 1, place_branches, &build);
    for (int i = top - 1; i >= 0; i--)
        if (!broad->nodes.data[i].is_leaf) {
            nc_broad_fit_node(broad, i);
            finish_node(broad, i);
        }
}

// ---- the whole ----------------------------------------------------------------------------------------------

// A cut leaves no side empty, so `count` boxes make at most that many leaves and less than twice as many nodes.
bool nc_broad_reserve(nc_broad *broad, int count)
{
    const nc_allocator *allocator = &broad->allocator;
    return count == 0 ||
           (count <= INT_MAX / 2 && nc_array_reserve(allocator, &broad->boxes, count) &&
            nc_array_reserve(allocator, &broad->place, count) && nc_array_reserve(allocator, &broad->loose, count) &&
            nc_array_reserve(allocator, &broad->refs, count) && nc_array_reserve(allocator, &broad->order, count) &&
            nc_array_reserve(allocator, &broad->cuts, count) && nc_array_reserve(allocator, &broad->nodes, 2 * count) &&
            nc_array_reserve(allocator, &broad->above, 2 * count) &&
            nc_array_reserve(allocator, &broad->leaves, count) &&
            nc_array_reserve(allocator, &broad->leaf_node, count));
}

void nc_broad_build(nc_broad *broad)
{
    spread all = spread_empty();
    int used = 0;
    broad->nodes.count = broad->leaves.count = broad->loose.count = 0;
    broad->known = broad->count;
    broad->work_when_new = -1;
    broad->work_wasted = 0;
    broad->frame = nc_broad_choose_frame(broad->boxes.data, broad->count);
    for (int i = 0; i < broad->count; i++) {
        broad->place.data[i] = NOWHERE;
        if (nc_broad_is_empty(&broad->boxes.data[i]))
            continue;
        broad->refs.data[used] = nc_broad_round(&broad->frame, &broad->boxes.data[i]);
        broad->order.data[used] = i;
        spread_add(&all, &broad->refs.data[used++]);
    }
    if (used == 0)
        return;
    build_tree(broad, used, &all);
}
