// New boxes in an old tree.
#include "broad/tree.h"

static float least4(nc_float_lanes v)
{
    const float a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
    return a < b ? a : b;
}

static float most4(nc_float_lanes v)
{
    const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
}

void nc_broad_fit_leaf(nc_broad *broad, int leaf)
{
    const tree_leaf *from = &broad->leaves.data[leaf];
    tree_node *node = &broad->nodes.data[broad->leaf_node.data[leaf]];
    for (int k = 0; k < 3; k++) {
        node->lo[k] = least4(from->lo[k]);
        node->hi[k] = most4(from->hi[k]);
    }
}

void nc_broad_fit_node(nc_broad *broad, int number)
{
    tree_node *node = &broad->nodes.data[number];
    const tree_node *a = &broad->nodes.data[node->child], *b = a + 1;
    for (int k = 0; k < 3; k++) {
        node->lo[k] = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
        node->hi[k] = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
    }
}

static void put_in_lane(tree_leaf *leaf, int lane, const tree_ref *ref)
{
    for (int k = 0; k < 3; k++) {
        leaf->lo[k][lane] = ref->lo[k];
        leaf->hi[k][lane] = ref->hi[k];
    }
}

static void refit_leaves(int begin, int end, void *ctx)
{
    nc_broad *broad = ctx;
    for (int i = begin; i < end; i++) {
        tree_leaf *leaf = &broad->leaves.data[i];
        for (int k = 0; k < NC_LANES && leaf->body[k] >= 0; k++) {
            const tree_ref ref = nc_broad_round(&broad->frame, &broad->boxes.data[leaf->body[k]]);
            put_in_lane(leaf, k, &ref);
        }
        nc_broad_fit_leaf(broad, i);
    }
}

// One node's growth counts at most 16 times: a body that flew off alone must not look like a tree gone bad.
double nc_broad_refit(nc_broad *broad)
{
    nc_parallel_for(broad->workers, broad->leaves.count, NC_EFFORT_TREE_LEAF_GRAIN, refit_leaves, broad);
    double growth = 0;
    int inner = 0;
    for (int i = broad->nodes.count - 1; i >= 0; i--) {
        const tree_node *node = &broad->nodes.data[i];
        if (node->is_leaf)
            continue;
        nc_broad_fit_node(broad, i);
        const float ratio = node_extent(node) * broad->above.data[i].inv_extent;
        growth += ratio < 16 ? (double)ratio : 16;
        inner++;
    }
    return inner > 0 ? growth / inner : 1;
}

void nc_broad_refit_body(nc_broad *broad, int body)
{
    const int leaf = broad->place.data[body] / NC_LANES, lane = broad->place.data[body] % NC_LANES;
    const tree_ref ref = nc_broad_round(&broad->frame, &broad->boxes.data[body]);
    put_in_lane(&broad->leaves.data[leaf], lane, &ref);
    nc_broad_fit_leaf(broad, leaf);
    for (int i = broad->above.data[broad->leaf_node.data[leaf]].node; i >= 0; i = broad->above.data[i].node)
        nc_broad_fit_node(broad, i);
}
