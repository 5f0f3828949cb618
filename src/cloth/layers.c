// The nest of penalty layers: r(l) = r(1) l^3, eta(l) = eta(1) l^(-1/4), summed once for all (Harmon et al. 3).
#include "cloth/world.h"

// The last layer with l^3 <= 4^group: its step h(1) l^(-3/2) is not below h(1) 2^-group.
static int last_of_group(int group, int max_layer)
{
    const double cube = ldexp(1, 2 * group);
    int layer = 1;
    while (layer < max_layer && (double)(layer + 1) * (double)(layer + 1) * (double)(layer + 1) <= cube)
        layer++;
    return layer;
}

nc_code nc_cloth_layers_build(const nc_allocator *allocator, int max_layer, nc_cloth_layers *out, nc_error *err)
{
    const size_t room = (size_t)max_layer + 2;
    *out = (nc_cloth_layers){.max_layer = max_layer};
    out->sum_r = nc_alloc(allocator, room, sizeof *out->sum_r);
    out->sum_r_eta = nc_alloc(allocator, room, sizeof *out->sum_r_eta);
    out->eta = nc_alloc(allocator, room, sizeof *out->eta);
    if (out->sum_r == NULL || out->sum_r_eta == NULL || out->eta == NULL) {
        nc_cloth_layers_free(allocator, out);
        return nc_fail_memory(err, room * sizeof *out->eta);
    }
    out->eta[0] = INFINITY;
    for (int l = 1; l <= max_layer + 1; l++) {
        const double x = (double)l, cube = x * x * x;
        out->eta[l] = 1 / sqrt(sqrt(x));
        out->sum_r[l] = out->sum_r[l - 1] + cube;
        out->sum_r_eta[l] = out->sum_r_eta[l - 1] + cube * out->eta[l];
    }
    do
        out->last[out->group_count] = last_of_group(out->group_count, max_layer);
    while (out->last[out->group_count++] < max_layer);
    return NC_OK;
}

void nc_cloth_layers_free(const nc_allocator *allocator, nc_cloth_layers *layers)
{
    const size_t room = (size_t)layers->max_layer + 2;
    nc_free(allocator, layers->sum_r, room, sizeof *layers->sum_r);
    nc_free(allocator, layers->sum_r_eta, room, sizeof *layers->sum_r_eta);
    nc_free(allocator, layers->eta, room, sizeof *layers->eta);
    *layers = (nc_cloth_layers){0};
}
