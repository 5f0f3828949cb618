// The tree of boxes: binned surface area heuristic, built once, the same on every run.
//
// The shape of the tree is decided on float copies of the boxes, moved and scaled to [-1, 1]: half the memory traffic,
// and rounding there costs quality at most. The boxes of the nodes are then joined from the
// exact doubles, bottom up, so containment does not depend on any rounding.
//
// Depth: as long as more levels are left than a balanced tree needs, the best split by surface area is taken; when
// just enough are left, ranges are halved. So no path is longer than NC_BVH_MAX_DEPTH nodes.
#include "geom/geom.h"

#include <limits.h>
#include <string.h>

#define BINS 16

// A box to be placed: three coordinates in four lanes; the fourth means nothing. Its number is at the same index of
// `order`.
typedef struct bvh_ref {
    nc_float_lanes lo, hi;
} bvh_ref;

// The spread of twice the centres of a range.
typedef struct bvh_spread {
    nc_float_lanes lo, hi;
} bvh_spread;

typedef struct bvh_bin {
    nc_float_lanes lo, hi;
    int count;
} bvh_bin;

typedef struct bvh_split {
    int axis; // -1: none found
    int bin;  // the first bin of the right side
    float cost;
} bvh_split;

// How centres fall into bins along the three axes.
typedef struct bvh_grid {
    nc_float_lanes origin, scale; // scale 0: all centres are equal along this axis
    int bins;
} bvh_grid;

// Boxes that are to be split, with their numbers.
typedef struct bvh_range {
    bvh_ref *refs;
    int *order;
    int count;
} bvh_range;

typedef struct bvh_builder {
    const nc_allocator *allocator;
    bvh_ref *refs;
    nc_bvh *out;
} bvh_builder;

// ---- spreads and bins ---------------------------------------------------------------------------------------

static bvh_spread spread_empty(void)
{
    const bvh_spread s = {{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
    return s;
}

static void spread_add(bvh_spread *spread, const bvh_ref *ref)
{
    const nc_float_lanes center = ref->lo + ref->hi;
    spread->lo = nc_float_lanes_min(spread->lo, center);
    spread->hi = nc_float_lanes_max(spread->hi, center);
}

// Few boxes get few bins: sweeping more would cost more than the boxes themselves.
static bvh_grid grid_of(const bvh_spread *spread, int count)
{
    bvh_grid grid;
    grid.bins = count >= 12 * BINS ? BINS : 4 + count / 16;
    grid.origin = spread->lo;
    for (int k = 0; k < 4; k++) {
        const float size = spread->hi[k] - spread->lo[k];
        grid.scale[k] = size > 0 ? 0.999F * (float)grid.bins / size : 0;
        if (!isfinite(grid.scale[k]))
            grid.scale[k] = 0;
    }
    return grid;
}

// Below grid->bins: the difference is at most the spread's size, and 0.999 is more than the rounding.
static int bin_of(const bvh_grid *grid, const bvh_ref *ref, int axis)
{
    return (int)((ref->lo[axis] + ref->hi[axis] - grid->origin[axis]) * grid->scale[axis]);
}

static void bin_add(bvh_bin *bin, const bvh_ref *ref)
{
    bin->lo = nc_float_lanes_min(bin->lo, ref->lo);
    bin->hi = nc_float_lanes_max(bin->hi, ref->hi);
    bin->count++;
}

static void bin_join(bvh_bin *bin, const bvh_bin *other)
{
    bin->lo = nc_float_lanes_min(bin->lo, other->lo);
    bin->hi = nc_float_lanes_max(bin->hi, other->hi);
    bin->count += other->count; // NOLINT(clang-analyzer-core.uninitialized.Assign): every bin starts empty
}

static bvh_bin bin_empty(void)
{
    const bvh_bin bin = {{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}, 0};
    return bin;
}

// Half the surface of the bin's box times its count.
static float bin_cost(const bvh_bin *bin)
{
    const nc_float_lanes d = bin->hi - bin->lo;
    return bin->count > 0 ? (d[0] * (d[1] + d[2]) + d[1] * d[2]) * (float)bin->count : 0;
}

// ---- choosing and making a split ----------------------------------------------------------------------------

// Sweeps the bins of one axis from the right, then from the left; keeps the cheapest boundary in *best.
static void sweep(const bvh_bin *bins, int count, int axis, bvh_split *best)
{
    float right_cost[BINS] = {0};
    int right_count[BINS] = {0};
    bvh_bin side = bin_empty();
    for (int b = count - 1; b > 0; b--) {
        bin_join(&side, &bins[b]);
        right_cost[b] = bin_cost(&side);
        right_count[b] = side.count;
    }
    side = bin_empty();
    for (int b = 1; b < count; b++) {
        bin_join(&side, &bins[b - 1]);
        const float cost = bin_cost(&side) + right_cost[b];
        if (side.count > 0 && right_count[b] > 0 && cost < best->cost) {
            best->axis = axis;
            best->bin = b;
            best->cost = cost;
        }
    }
}

static bvh_split best_split(const bvh_grid *grid, const bvh_ref *refs, int count)
{
    bvh_bin bins[3][BINS];
    const bvh_bin empty = bin_empty();
    const int bin_count = grid->bins;
    for (int axis = 0; axis < 3; axis++)
        for (int b = 0; b < BINS; b++)
            bins[axis][b] = empty;
    for (int i = 0; i < count; i++) {
        const nc_float_lanes at = (refs[i].lo + refs[i].hi - grid->origin) * grid->scale; // bin_of along all axes
        for (int axis = 0; axis < 3; axis++)
            bin_add(&bins[axis][(int)at[axis]], &refs[i]);
    }
    bvh_split best = {-1, 0, INFINITY};
    for (int axis = 0; axis < 3; axis++)
        if (grid->scale[axis] > 0)
            sweep(bins[axis], bin_count, axis, &best);
    return best;
}

static void swap_boxes(bvh_range range, int i, int j)
{
    const bvh_ref ref = range.refs[i];
    const int number = range.order[i];
    range.refs[i] = range.refs[j];
    range.order[i] = range.order[j];
    range.refs[j] = ref;
    range.order[j] = number;
}

// Moves the left side to the front; returns its count and the spreads of both sides.
static int partition(const bvh_grid *grid, bvh_split split, bvh_range range, bvh_spread sides[2])
{
    bvh_spread spread_left = sides[0], spread_right = sides[1];
    int left = 0, right = range.count;
    for (;;) {
        for (; left < right && bin_of(grid, &range.refs[left], split.axis) < split.bin; left++)
            spread_add(&spread_left, &range.refs[left]);
        for (; left < right && bin_of(grid, &range.refs[right - 1], split.axis) >= split.bin; right--)
            spread_add(&spread_right, &range.refs[right - 1]);
        if (left >= right)
            break;
        swap_boxes(range, left, right - 1);
    }
    sides[0] = spread_left;
    sides[1] = spread_right;
    return left;
}

static int halve(bvh_range range, bvh_spread sides[2])
{
    const int left = range.count / 2;
    for (int i = 0; i < range.count; i++)
        spread_add(&sides[i >= left], &range.refs[i]);
    return left;
}

// Levels of nodes a balanced tree over `count` boxes needs.
static int levels_needed(int count)
{
    int levels = 1;
    for (int64_t room = NC_BVH_LEAF_MAX; room < count; room *= 2)
        levels++;
    return levels;
}

static int split_range(bvh_range range, int depth, const bvh_spread *spread, bvh_spread sides[2])
{
    sides[0] = sides[1] = spread_empty();
    if (levels_needed(range.count) < NC_BVH_MAX_DEPTH - depth) {
        const bvh_grid grid = grid_of(spread, range.count);
        const bvh_split split = best_split(&grid, range.refs, range.count);
        if (split.axis >= 0)
            return partition(&grid, split, range, sides);
    }
    return halve(range, sides);
}

// ---- the tree -----------------------------------------------------------------------------------------------

// Builds the subtree over refs [first, first + count); `depth` nodes are above it. False when out of memory.
static bool build_range(bvh_builder *builder, int first, int count, int depth, const bvh_spread *spread)
{
    nc_bvh *out = builder->out;
    const int self = out->node_count;
    if (!nc_grow(builder->allocator, (void **)&out->nodes, &out->node_capacity, self + 1, sizeof *out->nodes))
        return false;
    out->node_count++;
    out->depth = depth + 1 > out->depth ? depth + 1 : out->depth;
    if (count <= NC_BVH_LEAF_MAX) {
        out->nodes[self].first = first;
        out->nodes[self].count = count;
        return true;
    }
    bvh_spread sides[2];
    const bvh_range range = {builder->refs + first, out->order + first, count};
    const int left = split_range(range, depth, spread, sides);
    if (!build_range(builder, first, left, depth + 1, &sides[0]))
        return false;
    out->nodes[self].right = out->node_count;
    return build_range(builder, first + left, count - left, depth + 1, &sides[1]);
}

static nc_box box_of_all(const nc_box *boxes, int count)
{
    nc_box all = nc_box_empty();
    for (int i = 0; i < count; i++)
        all = nc_box_union(all, boxes[i]);
    return all;
}

static bvh_spread fill_refs(bvh_ref *refs, const nc_box *boxes, int count)
{
    const nc_box all = box_of_all(boxes, count);
    const nc_vec3 center = nc_scale(0.5, nc_add(all.lo, all.hi));
    const double size = nc_max3(nc_sub(all.hi, all.lo)), scale = size > 0 ? 2 / size : 1;
    bvh_spread spread = spread_empty();
    for (int i = 0; i < count; i++) {
        const nc_vec3 lo = nc_scale(scale, nc_sub(boxes[i].lo, center));
        const nc_vec3 hi = nc_scale(scale, nc_sub(boxes[i].hi, center));
        const bvh_ref ref = {{(float)lo.x, (float)lo.y, (float)lo.z, 0}, {(float)hi.x, (float)hi.y, (float)hi.z, 0}};
        refs[i] = ref;
        spread_add(&spread, &ref);
    }
    return spread;
}

// The exact boxes, from the last node to the first: children come after their parent.
static void fit_boxes(nc_bvh *bvh, const nc_box *boxes)
{
    for (int n = bvh->node_count - 1; n >= 0; n--) {
        nc_bvh_node *node = &bvh->nodes[n];
        node->box = node->count > 0 ? nc_box_empty() : nc_box_union(node[1].box, bvh->nodes[node->right].box);
        for (int i = node->first; i < node->first + node->count; i++)
            node->box = nc_box_union(node->box, boxes[bvh->order[i]]);
    }
}

// Gives back the room that growing left over.
static bool shrink_nodes(const nc_allocator *allocator, nc_bvh *bvh)
{
    nc_bvh_node *nodes =
        nc_realloc(allocator, bvh->nodes, (size_t)bvh->node_capacity, (size_t)bvh->node_count, sizeof *nodes);
    if (nodes == NULL)
        return false;
    bvh->nodes = nodes;
    bvh->node_capacity = bvh->node_count;
    return true;
}

bool nc_bvh_build(const nc_allocator *allocator, const nc_box *boxes, int count, nc_bvh *out)
{
    NC_ASSERT(count >= 1);
    memset(out, 0, sizeof *out);
    out->count = count;
    bvh_ref *refs = nc_alloc(allocator, (size_t)count, sizeof *refs);
    out->order = nc_alloc(allocator, (size_t)count, sizeof *out->order);
    bool built = refs != NULL && out->order != NULL;
    for (int i = 0; built && i < count; i++)
        out->order[i] = i;
    if (built) {
        bvh_builder builder = {allocator, refs, out};
        const bvh_spread spread = fill_refs(refs, boxes, count);
        built = build_range(&builder, 0, count, 0, &spread) && shrink_nodes(allocator, out);
    }
    nc_free(allocator, refs, (size_t)count, sizeof *refs);
    if (!built) {
        nc_bvh_free(allocator, out);
        return false;
    }
    fit_boxes(out, boxes);
    return true;
}

void nc_bvh_free(const nc_allocator *allocator, nc_bvh *bvh)
{
    nc_free(allocator, bvh->nodes, (size_t)bvh->node_capacity, sizeof *bvh->nodes);
    nc_free(allocator, bvh->order, (size_t)bvh->count, sizeof *bvh->order);
    memset(bvh, 0, sizeof *bvh);
}
