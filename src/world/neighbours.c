// Who may be near a place: asked once for all pieces of a body that breaks.
//
// A ball of radius `reach` about x lies within the ball of radius R about c when |x - c| + reach <= R. A body whose
// ball of radius r about y comes within it has |y - x| <= reach + r, so |y - c| <= R + r. Both are asked with slack for
// the rounding of all of this, and for that which nc_place_try grants.
#include "world/place.h"

#define ROUNDING (256 * NC_UNIT_ROUNDOFF)

bool nc_neighbours_cover(const nc_neighbours *neighbours, nc_vec3 x, double reach)
{
    const double size = nc_max3(neighbours->center) + nc_max3(x) + neighbours->radius + reach;
    return nc_norm(nc_sub(x, neighbours->center)) + reach <= neighbours->radius - ROUNDING * size;
}

nc_code nc_neighbours_find(const nc_world *world, nc_vec3 center, double radius, nc_neighbours *out, nc_error *err)
{
    const nc_bodies *bodies = &world->state.bodies;
    *out = (nc_neighbours){.center = center, .radius = radius};
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        const nc_vec3 x = bodies->pose[i].x;
        const double reach = radius + world->meshes.data[bodies->mesh[i]].radius;
        if (nc_norm(nc_sub(x, center)) > reach + ROUNDING * (nc_max3(x) + nc_max3(center) + reach))
            continue;
        if (!nc_array_push(&world->settings.allocator, &out->rows, i)) {
            nc_neighbours_free(out, &world->settings.allocator);
            return nc_fail_memory(err, sizeof i);
        }
    }
    return NC_OK;
}

void nc_neighbours_free(nc_neighbours *neighbours, const nc_allocator *allocator)
{
    nc_array_free(allocator, &neighbours->rows);
}
