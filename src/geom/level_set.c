// The function of a level set: trilinear between its samples.
#include "geom/geom.h"

typedef struct cell {
    const double *v;  // its first sample
    size_t stride[3]; // to the next one along each axis
    double part[3];   // [1] where in the cell, 0 to 1
} cell;

static cell cell_of(const nc_level_set *set, nc_vec3 p)
{
    const nc_vec3 from = nc_scale(1.0 / set->spacing, nc_sub(p, set->origin));
    const double place[3] = {from.x, from.y, from.z};
    cell c = {set->values, {1, (size_t)set->count[0], (size_t)set->count[0] * (size_t)set->count[1]}, {0}};
    for (int k = 0; k < 3; k++) {
        const double inside = fmax(0.0, fmin(place[k], set->count[k] - 1));
        const double first = fmin(floor(inside), set->count[k] - 2);
        c.part[k] = inside - first;
        c.v += c.stride[k] * (size_t)first;
    }
    return c;
}

double nc_level_set_value(const nc_level_set *set, nc_vec3 p)
{
    const cell c = cell_of(set, p);
    double value = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t at = 0;
        for (int k = 0; k < 3; k++) {
            const bool high = (corner >> k) & 1;
            weight *= high ? c.part[k] : 1.0 - c.part[k];
            at += high ? c.stride[k] : 0;
        }
        value += weight * c.v[at];
    }
    return value;
}

nc_vec3 nc_level_set_gradient(const nc_level_set *set, nc_vec3 p)
{
    const cell c = cell_of(set, p);
    double g[3] = {0, 0, 0};
    for (int corner = 0; corner < 8; corner++) {
        const int high[3] = {corner & 1, (corner >> 1) & 1, corner >> 2};
        const double v = c.v[(high[0] ? c.stride[0] : 0) + (high[1] ? c.stride[1] : 0) + (high[2] ? c.stride[2] : 0)];
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double wa = high[a] ? c.part[a] : 1.0 - c.part[a], wb = high[b] ? c.part[b] : 1.0 - c.part[b];
            g[k] += (high[k] ? wa : -wa) * wb * v;
        }
    }
    return nc_scale(1.0 / set->spacing, nc_v3(g[0], g[1], g[2]));
}
