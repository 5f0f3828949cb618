// A pane of glass: rays from the centre, and rings whose cracks run straight from ray to ray.
//
// Ring j crosses ray k at radius r(j, k), ascending in j, so the part of a sector between two rings is a convex
// quadrilateral. The planes of a ray and of a ring's crack are made once and used from both sides.
#include "fracture/pattern.h"

#define RINGS_MAX 32

typedef struct ray {
    nc_vec3 along, left;      // unit vectors
    double radius[RINGS_MAX]; // [m] of each ring
} ray;

static nc_plane turned(nc_plane plane)
{
    const nc_plane out = {nc_neg(plane.normal), -plane.offset};
    return out;
}

// Rays stay within 0.2 of their spacing from where even ones would be: two neighbours of three are less than pi apart.
static ray make_ray(nc_random *random, int k, const double *values)
{
    const int rays = (int)values[0], rings = (int)values[1];
    const double growth = values[3], jitter = values[4];
    ray r = {0};
    double sine, cosine, radius = values[2], inside = 0;
    nc_sincos(2 * NC_PI * (k + 0.4 * jitter * (nc_random_unit(random) - 0.5)) / rays, &sine, &cosine);
    r.along = nc_v3(cosine, sine, 0);
    r.left = nc_v3(-sine, cosine, 0);
    for (int j = 0; j < rings; j++) {
        const double shift = 0.8 * jitter * (nc_random_unit(random) - 0.5);
        r.radius[j] = radius + shift * (shift > 0 ? radius * growth - radius : radius - inside);
        inside = radius;
        radius *= growth;
    }
    return r;
}

// The crack of ring j between two rays; the inside of the ring is inside of it.
static nc_plane ring_plane(const ray *a, const ray *b, int j)
{
    const nc_vec3 from = nc_scale(a->radius[j], a->along), to = nc_scale(b->radius[j], b->along);
    const nc_vec3 d = nc_sub(to, from);
    nc_plane plane;
    plane.normal = nc_unit(nc_v3(d.y, -d.x, 0));
    plane.offset = nc_dot(plane.normal, from);
    return plane;
}

static nc_code add_sector(nc_pattern_builder *builder, const ray *a, const ray *b, int rings, nc_error *err)
{
    nc_plane planes[4] = {{nc_neg(a->left), 0}, {b->left, 0}};
    nc_code code = NC_OK;
    for (int j = 0; j <= rings && code == NC_OK; j++) {
        int count = 2;
        if (j > 0)
            planes[count++] = turned(ring_plane(a, b, j - 1));
        if (j < rings)
            planes[count++] = ring_plane(a, b, j);
        code = nc_pattern_add(builder, planes, count, err);
    }
    return code;
}

nc_code nc_pattern_make_glass(nc_pattern_builder *builder, const double *values, nc_error *err)
{
    const int rays = (int)values[0], rings = (int)values[1];
    const ray first = make_ray(&builder->random, 0, values);
    ray before = first;
    nc_code code = NC_OK;
    for (int k = 1; k <= rays && code == NC_OK; k++) {
        const ray next = k < rays ? make_ray(&builder->random, k, values) : first;
        code = add_sector(builder, &before, &next, rings, err);
        before = next;
    }
    return code;
}
