// Joining parts: crumbs, and what cannot be parted.
#include "fracture/break.h"

#define MIN_LEFT    0.5  // of a piece, when it is drawn back; less, and it is a crumb
#define MIN_INERTIA 1e-9 // the smallest principal moment by the largest; less, and it is a crumb

void nc_part_join(nc_breaker *b, int group, int other)
{
    const int low = group < other ? group : other, high = group < other ? other : group;
    b->parts.data[low].total = nc_weight_add(b->parts.data[low].total, b->parts.data[high].total);
    b->parts.data[low].total_left += b->parts.data[high].total_left;
    for (int p = 0; p < b->parts.count; p++)
        if (b->parts.data[p].group == high)
            b->parts.data[p].group = low;
}

int nc_group_count(const nc_breaker *b)
{
    int count = 0;
    for (int p = 0; p < b->parts.count; p++)
        count += b->parts.data[p].group == p;
    return count;
}

// ---- whom to join -------------------------------------------------------------------------------------------

// Sums the common boundaries of a group, by part and then by group: row g of `common` is for group g.
static nc_code measure_boundaries(nc_breaker *b, int group, nc_error *err)
{
    if (!nc_array_reserve(&b->allocator, &b->common, b->parts.count))
        return nc_fail_memory(err, (size_t)b->parts.count * sizeof(double));
    for (int p = 0; p < b->parts.count; p++)
        b->common.data[p] = 0;
    for (int p = 0; p < b->parts.count; p++)
        if (b->parts.data[p].group == group) {
            if (b->way == NC_BREAK_LEVEL)
                nc_shared_boundary_by_level(b, p);
            else
                nc_shared_boundary_by_cutting(b, p);
        }
    for (int p = 0; p < b->parts.count; p++) {
        const int g = b->parts.data[p].group;
        if (g != p) {
            b->common.data[g] += b->common.data[p];
            b->common.data[p] = 0;
        }
    }
    return NC_OK;
}

// For a group that has no common boundary with any other: the one whose centre is nearest.
static int nearest_group(const nc_breaker *b, int group)
{
    const nc_vec3 center = b->parts.data[group].total.center;
    double least = INFINITY;
    int best = -1;
    for (int p = 0; p < b->parts.count; p++) {
        if (b->parts.data[p].group == group)
            continue;
        const double distance = nc_norm(nc_sub(b->parts.data[p].weight.center, center));
        if (distance < least) {
            least = distance;
            best = b->parts.data[p].group;
        }
    }
    return best;
}

nc_code nc_group_join(nc_breaker *b, int group, int *out_host, nc_error *err)
{
    const nc_code code = measure_boundaries(b, group, err);
    int best = -1;
    *out_host = -1;
    if (code != NC_OK)
        return code;
    for (int g = 0; g < b->parts.count; g++)
        if (g != group && b->common.data[g] > 0 && (best < 0 || b->common.data[g] > b->common.data[best]))
            best = g;
    if (best < 0)
        best = nearest_group(b, group);
    if (best < 0)
        return NC_OK;
    nc_part_join(b, group, best);
    *out_host = group < best ? group : best;
    return NC_OK;
}

// ---- crumbs -------------------------------------------------------------------------------------------------

static bool is_crumb(const nc_breaker *b, int group, double *out_measure)
{
    const nc_part *first = &b->parts.data[group];
    nc_vec3 principal;
    nc_quat axes;
    *out_measure = first->total.measure;
    if (*out_measure < b->def->crumb * b->measure || first->total_left < MIN_LEFT * *out_measure)
        return true;
    nc_weight_inertia(&first->total, &principal, &axes);
    // no body has a moment larger than the other two together: the surface of so small a part crosses itself
    return !(principal.x > MIN_INERTIA * principal.z && principal.z <= (principal.x + principal.y) * (1 + 1e-9));
}

// The smallest group that is a crumb; -1: none.
static int smallest_crumb(const nc_breaker *b)
{
    int best = -1;
    double least = INFINITY, measure = 0;
    for (int g = 0; g < b->parts.count; g++)
        if (b->parts.data[g].group == g && is_crumb(b, g, &measure) && measure < least) {
            least = measure;
            best = g;
        }
    return best;
}

nc_code nc_break_join_crumbs(nc_breaker *b, nc_error *err)
{
    for (int crumb = smallest_crumb(b); crumb >= 0; crumb = smallest_crumb(b)) {
        int host = -1;
        const nc_code code = nc_group_join(b, crumb, &host, err);
        if (code != NC_OK || host < 0)
            return code;
        b->out->crumbs++;
    }
    return NC_OK;
}
