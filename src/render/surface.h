// What surfaces do to rays: the environment that mirrors show, glass, rough metal, the grain of wood. Needs Embree.
#ifndef NC_RENDER_SURFACE_H
#define NC_RENDER_SURFACE_H

#include "render/stage.h"

// What is around the scene for rays that a surface has turned: a studio with a large light where the key light is, a
// strip light opposite, walls in the colour of the background that get darker towards the horizon.
typedef struct nc_studio {
    nc_f3 up, key, side; // unit vectors; `side` towards the strip light
    nc_rgb walls;
} nc_studio;
nc_rgb nc_studio_light(const nc_studio *studio, nc_f3 along);
// What a ray sees that glass let through: `back`, the background, where it goes on as the ray `first` from the camera
// did, and the studio where it is bent away from there, so that the outline of glass is dark before a bright wall.
nc_rgb nc_studio_behind(const nc_studio *studio, nc_f3 first, nc_f3 ray, nc_rgb back);
// The studio's light for what is dull: without the light where the key light is, which has rays of its own, and with
// walls bright enough to light a body before a dark background.
nc_rgb nc_studio_fill(const nc_studio *studio, nc_f3 along);

nc_f3 nc_f3_reflect(nc_f3 ray, nc_f3 normal);
// Part of the light that glass (index of refraction 1.5) reflects, for a ray that meets it at `cosine` > 0 from outside
// or from within. 1 where nothing gets out.
float nc_glass_reflects(float cosine, bool from_within);
// The ray bent into the glass or out of it; false when nothing gets out. `normal` is on the side of the ray's origin.
bool nc_glass_bend(nc_f3 ray, nc_f3 normal, bool from_within, nc_f3 *out);
// A normal of one of the facets that a rough surface has (GGX), from a point of the unit square.
nc_f3 nc_rough_normal(nc_f3 normal, float roughness, const float at[2]);
// The colour of wood and of woven fabric at a point of the body's mesh (nc_stage_rest).
nc_rgb nc_wood_colour(const nc_stage_body *body, nc_f3 local);
nc_rgb nc_fabric_colour(const nc_stage_body *body, nc_f3 local);

// Two unit vectors across a unit vector.
void nc_f3_across(nc_f3 n, nc_f3 *a, nc_f3 *b);
// A point of the unit disc from one of the unit square, evenly spread where that is.
void nc_disc(const float at[2], float *x, float *y);

#endif
