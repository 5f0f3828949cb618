// Light: a key light with a soft edge, and the studio around, of which bodies take away what they hide.
//
// Each sample of a pixel is one ray from the camera, which metal, glass and varnish send on, and from the first dull
// surface that it finds one ray towards the key light and one into the sky. Rays go to the ray tracer in packets of one
// pixel's samples. The ground is no body: it shows the background, darker where light is taken away from it, so that it
// has no edge and no horizon.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/surface.h"

#include <math.h>
#include <string.h>

#define PACKET    16
#define TILE_WIDE 16
#define TILE_TALL 8
#define BAND      4 // rows of tiles between looks at the clock

#define KEY_LIGHT       0.86F // of a white surface that faces it
#define SKY_LIGHT       0.64F // of a white surface that sees all of the sky
#define KEY_SOFTNESS    0.07F // [rad] half the angle that the key light fills
#define BACK_FACE       0.86F // colour of the back of a surface, of the front's
#define BOUNCE          0.36F // of light that other bodies take away, this comes back from them
#define GROUND_BOUNCE   0.22F // the same for the ground
#define GLASS           0.15F // part of the samples that see the outside of what holds others
#define TURNS           12    // surfaces at most that send a ray on
#define GLASS_SHADE     0.62F // light left in the shadow of glass
#define GLASS_SAMPLES   0.3F  // part of the samples at least that look at what glass reflects
#define GLASS_TINT      0.6F  // how much of its colour a sheet of glass without an inside takes on
#define GLASS_DEPTH     0.12F // [of the subject's radius] path within glass that takes on its colour once
#define VARNISH         0.04F // part of the light that varnish reflects, straight ahead
#define VARNISH_SAMPLES 0.3F  // part of the samples at least that look at what varnish reflects
#define TRANSLUCENT     0.35F // part of the light that fabric and paper let through
#define GLOSS           0.10F // strength of the key light's reflection

typedef struct painter {
    const nc_stage *stage;
    const nc_look *look;
    const nc_samples *samples;
    const nc_tone *tone;
    nc_picture *picture;
    nc_layers *layers;          // NULL: the picture is made as it is drawn
    nc_f3 eye, right, up, back; // right and up as long as half the picture is wide and tall at distance 1
    nc_f3 across, upwards;      // the same as unit vectors
    nc_f3 sky_up;               // against gravity
    nc_f3 key, key_a, key_b;    // towards the light, and across
    float ground;               // [m] height along sky_up in the ray tracer's coordinates
    float fit;                  // [m] radius of the subject: scale of everything that fades
    float aperture, focus;      // [m]
    nc_studio studio;
    nc_f3 middle;
    int first_tile_row, tiles_across;
} painter;

// What the samples of a packet found.
typedef struct spot {
    nc_f3 from, ray;           // where the ray that found it begins, and its direction
    nc_f3 first;               // the direction of the ray from the camera
    nc_f3 at, normal, surface; // place; normals: shaded, of the facet; both on the side of the ray
    nc_rgb colour;
    nc_rgb weight; // of the light from here, after all surfaces that sent the ray on
    nc_material material;
    float time, coin;
    float step;  // [m] off the surface by more than float32 can be wrong, so that it does not hide itself
    int turns;   // surfaces that sent the ray on
    bool mirror; // one of them reflected it: what is around is seen, not the background
    bool hit, is_ground;
    bool is_back;   // the back of the surface was hit
    bool is_closed; // of a mesh that has an inside
    bool is_inside; // of a body that holds no others: light reaches it through those that do
    bool is_guided; // the first surface is glass or varnished: the filter uses guide and guide_normal
    nc_rgb guide;
    nc_f3 guide_normal;
    nc_f3 sky; // the direction in which the sky is examined
    float cos_key;
} spot;

// ---- rays ---------------------------------------------------------------------------------------------------

static void set_ray(struct RTCRay16 *rays, int i, nc_f3 from, nc_f3 along, float near, float time)
{
    rays->org_x[i] = from.x;
    rays->org_y[i] = from.y;
    rays->org_z[i] = from.z;
    rays->dir_x[i] = along.x;
    rays->dir_y[i] = along.y;
    rays->dir_z[i] = along.z;
    rays->tnear[i] = near;
    rays->tfar[i] = INFINITY;
    rays->time[i] = time;
    rays->mask[i] = ~0U;
    rays->id[i] = (unsigned)i;
    rays->flags[i] = 0;
}

// A tent of 0.75 pixels to each side, from a number in [0, 1).
static float tent(float u)
{
    const float x = u < 0.5F ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u);
    return 0.75F * x;
}

static nc_f3 camera_ray(const painter *p, int x, int y, const float at[2])
{
    const float u = 2 * ((float)x + 0.5F + tent(at[0])) / (float)p->picture->width - 1;
    const float v = 1 - 2 * ((float)y + 0.5F + tent(at[1])) / (float)p->picture->height;
    const nc_f3 ahead = nc_f3_scale(-1, p->back);
    return nc_f3_unit(nc_f3_madd(nc_f3_madd(ahead, u, p->right), v, p->up));
}

static nc_f3 in_world(const painter *p, float x, float y, float z)
{
    return nc_f3_madd(nc_f3_madd(nc_f3_scale(x, p->across), y, p->upwards), z, p->back);
}

// The same for a normal, which faces the camera: without a jump anywhere, or neighbouring samples of a pixel on either
// side of it would not complete each other. The only place it fails at is straight away from the camera.
static void across_normal(const painter *p, nc_f3 n, nc_f3 *a, nc_f3 *b)
{
    const float x = nc_f3_dot(n, p->across), y = nc_f3_dot(n, p->upwards), z = nc_f3_dot(n, p->back);
    const float s = 1 / fmaxf(1 + z, 1e-6F);
    *a = in_world(p, 1 - x * x * s, -x * y * s, -x);
    *b = in_world(p, -x * y * s, 1 - y * y * s, -y);
}

// ---- what a camera ray finds --------------------------------------------------------------------------------

static bool meets_ground(const painter *p, nc_f3 from, nc_f3 along, float *out)
{
    const float down = nc_f3_dot(along, p->sky_up), height = nc_f3_dot(from, p->sky_up) - p->ground;
    *out = down != 0 ? -height / down : INFINITY;
    return p->look->ground && down < 0 && height > 0;
}

static nc_f3 shading_normal(const nc_stage_body *body, const struct RTCHit16 *hit, int i, nc_f3 facet)
{
    if (hit->geomID[i] != NC_PART_TRIANGLES)
        return facet;
    const nc_f3 *corners = body->mesh->normals[hit->primID[i]];
    const float u = hit->u[i], v = hit->v[i];
    return nc_f3_madd(nc_f3_madd(nc_f3_scale(1 - u - v, corners[0]), u, corners[1]), v, corners[2]);
}

static nc_rgb pattern_of(const nc_stage_body *body, const struct RTCHit16 *hit, int i)
{
    if (body->material == NC_MATERIAL_WOOD)
        return nc_wood_colour(body, nc_stage_rest(body, hit->primID[i], hit->u[i], hit->v[i]));
    if (body->material == NC_MATERIAL_FABRIC)
        return nc_fabric_colour(body, nc_stage_rest(body, hit->primID[i], hit->u[i], hit->v[i]));
    return body->colour;
}

static void find_body(const painter *p, const struct RTCRayHit16 *rays, int i, spot *s)
{
    const nc_stage_body *body = &p->stage->bodies[rays->hit.instID[0][i]];
    const nc_f3 facet = {rays->hit.Ng_x[i], rays->hit.Ng_y[i], rays->hit.Ng_z[i]};
    const nc_f3 round = shading_normal(body, &rays->hit, i, facet);
    s->surface = nc_f3_unit(nc_stage_turn(body, s->time, facet));
    s->normal = nc_f3_unit(nc_stage_turn(body, s->time, round));
    s->material = body->material;
    s->is_closed = body->mesh->closed;
    s->is_inside = !body->holds;
    s->is_back = nc_f3_dot(s->surface, s->ray) > 0;
    s->colour = body->colour;
    if (rays->hit.geomID[i] == NC_PART_TRIANGLES)
        s->colour = pattern_of(body, &rays->hit, i);
    if (s->is_back) {
        s->surface = nc_f3_scale(-1, s->surface);
        s->colour = s->material == NC_MATERIAL_NONE ? nc_rgb_scale(BACK_FACE, s->colour) : s->colour;
    }
    if (nc_f3_dot(s->normal, s->surface) < 0)
        s->normal = nc_f3_scale(-1, s->normal);
    if (nc_f3_dot(s->normal, s->ray) > 0)
        s->normal = s->surface;
}

// The outside of what holds others is seen through: the ray continues, but for few samples, which see it as it is.
static bool is_passed(const painter *p, const struct RTCRayHit16 *rays, int i, const spot *s)
{
    if (rays->hit.instID[0][i] == RTC_INVALID_GEOMETRY_ID || s->coin < GLASS)
        return false;
    const nc_stage_body *body = &p->stage->bodies[rays->hit.instID[0][i]];
    if (!body->holds)
        return false;
    const nc_f3 at = nc_f3_madd(s->from, rays->ray.tfar[i], s->ray);
    const nc_f3 facet = {rays->hit.Ng_x[i], rays->hit.Ng_y[i], rays->hit.Ng_z[i]};
    const nc_f3 normal = nc_stage_turn(body, s->time, facet);
    const float outwards = nc_f3_dot(normal, nc_f3_madd(at, -1, body->middle));
    return outwards * nc_f3_dot(normal, s->ray) < 0;
}

static void find(const painter *p, const struct RTCRayHit16 *rays, int i, spot *s)
{
    float ground, distance = rays->ray.tfar[i];
    const bool body = rays->hit.instID[0][i] != RTC_INVALID_GEOMETRY_ID;
    s->is_ground = meets_ground(p, s->from, s->ray, &ground) && !(body && distance <= ground);
    s->hit = body || s->is_ground;
    if (!s->hit)
        return;
    if (s->is_ground) {
        distance = ground;
        s->normal = s->surface = p->sky_up;
    } else {
        find_body(p, rays, i, s);
    }
    const nc_f3 at = nc_f3_madd(s->from, distance, s->ray);
    const nc_f3 off = nc_f3_madd(at, -1, p->eye);
    s->step = 4e-6F * (sqrtf(nc_f3_dot(off, off)) + sqrtf(nc_f3_dot(at, at)));
    s->at = nc_f3_madd(at, s->step, s->surface);
}

// ---- surfaces that send rays on -----------------------------------------------------------------------------

static nc_rgb mixed(nc_rgb a, nc_rgb b, float t)
{
    return nc_rgb_add(nc_rgb_scale(1 - t, a), nc_rgb_scale(t, b));
}

static float power_5(float x)
{
    return x * x * x * x * x;
}

// The next ray goes `along` from the spot; beyond the surface or on this side of it.
static void send_on(spot *s, nc_f3 along, bool beyond)
{
    s->from = nc_f3_madd(s->at, beyond ? -2 * s->step : 0, s->surface);
    s->ray = along;
    s->turns++;
    s->mirror = s->mirror || !beyond;
}

static void send_from_metal(const painter *p, spot *s, uint32_t pixel, int sample, float roughness)
{
    float at[2];
    nc_samples_take(p->samples, sample, s->turns == 0 ? NC_SAMPLE_TURN : NC_SAMPLE_TURN_AGAIN,
                    pixel + 0x9e3779b9U * (uint32_t)s->turns, at);
    const nc_f3 facet = nc_rough_normal(s->normal, roughness, at);
    nc_f3 along = nc_f3_reflect(s->ray, facet);
    if (!(nc_f3_dot(along, s->surface) > 0))
        along = nc_f3_reflect(s->ray, s->surface);
    const float edge = power_5(1 - fminf(1, fabsf(nc_f3_dot(s->ray, facet))));
    s->weight = nc_rgb_mul(s->weight, mixed(s->colour, (nc_rgb){1, 1, 1}, edge));
    send_on(s, along, false);
}

// Closed glass bends rays; a sheet without an inside only reflects some of them, at both of its faces.
static void send_through_glass(spot *s, float coin)
{
    const float cosine = fminf(1, -nc_f3_dot(s->ray, s->normal));
    const bool within = s->is_closed && s->is_back, mirrored = s->mirror;
    float reflects = nc_glass_reflects(cosine, within);
    nc_f3 along = s->ray;
    if (!s->is_closed)
        reflects = 2 * reflects / (1 + reflects);
    // At the first two surfaces, the two faces of a wall, more samples than their share go to what they reflect, each
    // with less weight: lights are bright.
    const float part = s->turns < 2 ? fmaxf(reflects, s->turns == 0 ? GLASS_SAMPLES : GLASS_SAMPLES / 3) : reflects;
    if (coin < part)
        s->weight = nc_rgb_scale(reflects / part, s->weight);
    else
        s->weight = nc_rgb_scale((1 - reflects) / (1 - part), s->weight);
    if (coin < part || (s->is_closed && !nc_glass_bend(s->ray, s->normal, within, &along))) {
        along = nc_f3_reflect(s->ray, s->normal);
        send_on(s, nc_f3_dot(along, s->surface) > 0 ? along : nc_f3_reflect(s->ray, s->surface), false);
        s->mirror = within ? mirrored : s->mirror; // inside it goes on as what is seen through
        return;
    }
    if (!s->is_closed)
        s->weight = nc_rgb_mul(s->weight, mixed((nc_rgb){1, 1, 1}, s->colour, GLASS_TINT));
    send_on(s, along, true);
}

// Light takes on the colour of glass along its path in it: all of it after GLASS_DEPTH, little in a thin wall.
static void tint_by_depth(const painter *p, spot *s)
{
    if (!s->is_closed || !s->is_back)
        return;
    const nc_f3 path = nc_f3_madd(s->at, -1, s->from);
    const float depth = sqrtf(nc_f3_dot(path, path)) / (GLASS_DEPTH * p->fit);
    const nc_rgb c = s->colour;
    s->weight = nc_rgb_mul(s->weight, (nc_rgb){c.r / (c.r + depth * (1 - c.r)), c.g / (c.g + depth * (1 - c.g)),
                                               c.b / (c.b + depth * (1 - c.b))});
}

// More samples than its share go to what varnish reflects, each with less weight: its lights are bright.
static bool turns_on_varnish(const painter *p, spot *s, uint32_t pixel, int sample, float roughness, float coin)
{
    const float share = VARNISH + (1 - VARNISH) * (1 - roughness) * power_5(1 + nc_f3_dot(s->ray, s->normal));
    const float part = fmaxf(share, VARNISH_SAMPLES);
    if (s->turns > 1 || coin >= part) {
        s->weight = nc_rgb_scale(s->turns > 1 ? 1 : (1 - share) / (1 - part), s->weight);
        return false;
    }
    s->weight = nc_rgb_scale(share / part, s->weight);
    s->colour = (nc_rgb){1, 1, 1};
    send_from_metal(p, s, pixel, sample, roughness);
    return true;
}

// Glass and varnish send some samples on and others not: their means would tell nothing but how many.
static void guide_by_first(spot *s)
{
    const bool glass = s->material == NC_MATERIAL_GLASS;
    if (s->turns > 0 || !(glass || s->material == NC_MATERIAL_WOOD || s->material == NC_MATERIAL_RUBBER))
        return;
    s->is_guided = true;
    s->guide = glass ? (nc_rgb){1, 1, 1} : s->colour;
    s->guide_normal = s->normal;
}

// Does the surface send the ray on? Then where to is in the spot.
static bool turns_ray(const painter *p, spot *s, uint32_t pixel, int sample)
{
    float coin[2];
    if (!s->hit || s->is_ground || s->turns >= TURNS)
        return false;
    const float roughness = (float)nc_material_view((int)s->material)->roughness;
    guide_by_first(s);
    nc_samples_take(p->samples, sample, NC_SAMPLE_COIN, pixel + 0x85ebca6bU * (uint32_t)(s->turns / 2), coin);
    switch (s->material) {
    case NC_MATERIAL_METAL:
        send_from_metal(p, s, pixel, sample, roughness);
        return true;
    case NC_MATERIAL_GLASS:
        tint_by_depth(p, s);
        send_through_glass(s, coin[s->turns % 2]); // two coins of a pixel's samples are spread together
        return true;
    case NC_MATERIAL_WOOD:
    case NC_MATERIAL_RUBBER: // under varnish, which is white
        return turns_on_varnish(p, s, pixel, sample, roughness, coin[0]);
    default:
        return false;
    }
}

// ---- light --------------------------------------------------------------------------------------------------

static bool lets_through(const spot *s)
{
    return s->material == NC_MATERIAL_FABRIC || s->material == NC_MATERIAL_PAPER;
}

// Rays towards the key light; `valid` where the surface faces it.
static void aim_at_key(const painter *p, uint32_t pixel, int first, spot *spots, int *valid, struct RTCRay16 *rays)
{
    for (int i = 0; i < PACKET; i++) {
        float at[2], x, y;
        spot *s = &spots[i];
        valid[i] = 0;
        if (!s->hit)
            continue;
        nc_samples_take(p->samples, first + i, NC_SAMPLE_KEY, pixel, at);
        nc_disc(at, &x, &y);
        const nc_f3 to =
            nc_f3_unit(nc_f3_madd(nc_f3_madd(p->key, KEY_SOFTNESS * x, p->key_a), KEY_SOFTNESS * y, p->key_b));
        s->cos_key = nc_f3_dot(s->normal, to);
        const bool through = lets_through(s) && nc_f3_dot(s->surface, to) < 0;
        if (through) // lit from behind
            s->cos_key = TRANSLUCENT * fmaxf(0, -s->cos_key);
        if (s->cos_key > 0 && (through || nc_f3_dot(s->surface, to) > 0))
            valid[i] = -1;
        set_ray(rays, i, through ? nc_f3_madd(s->at, -2 * s->step, s->surface) : s->at, to, 0, s->time);
    }
}

// Rays into the half of space that the surface sees, more of them straight ahead than aslant.
static void aim_at_sky(const painter *p, uint32_t pixel, int first, spot *spots, int *valid, struct RTCRay16 *rays)
{
    for (int i = 0; i < PACKET; i++) {
        float at[2], x, y;
        nc_f3 a, b;
        spot *s = &spots[i];
        valid[i] = 0;
        if (!s->hit)
            continue;
        nc_samples_take(p->samples, first + i, NC_SAMPLE_SKY, pixel, at);
        nc_disc(at, &x, &y);
        across_normal(p, s->normal, &a, &b);
        const float ahead = sqrtf(fmaxf(0, 1 - x * x - y * y));
        s->sky = nc_f3_madd(nc_f3_madd(nc_f3_scale(ahead, s->normal), x, a), y, b);
        if (nc_f3_dot(s->sky, s->surface) > 0)
            valid[i] = -1;
        set_ray(rays, i, s->at, s->sky, 0, s->time);
    }
}

// Finds how much light comes along each ray: none where it is stopped, less where it passes glass. What holds others is
// seen through, and what is inside would be in the dark if light did not pass it too.
static void look_for_light(const painter *p, const spot *spots, int *valid, struct RTCRay16 *rays, float *light)
{
    struct RTCIntersectContext context;
    _Alignas(64) int through[PACKET], blocked[PACKET];
    int any_through = 0, any_blocked = 0;
    for (int i = 0; i < PACKET; i++) {
        const bool passes = spots[i].is_inside && p->stage->open != NULL;
        through[i] = passes ? valid[i] : 0;
        blocked[i] = passes ? 0 : valid[i];
        any_through |= through[i];
        any_blocked |= blocked[i];
    }
    rtcInitIntersectContext(&context);
    if (any_through != 0)
        rtcOccluded16(through, p->stage->open, &context, rays);
    if (any_blocked != 0)
        rtcOccluded16(blocked, p->stage->opaque, &context, rays);
    for (int i = 0; i < PACKET; i++) {
        light[i] = valid[i] != 0 && rays->tfar[i] >= 0 ? 1 : 0;
        valid[i] = light[i] > 0 ? valid[i] : 0;
    }
    if (p->stage->clear == NULL)
        return;
    rtcOccluded16(valid, p->stage->clear, &context, rays);
    for (int i = 0; i < PACKET; i++)
        light[i] = valid[i] != 0 && rays->tfar[i] < 0 ? GLASS_SHADE : light[i];
}

// The key light's reflection: sharp and weak on clay, broad on rubber, none on cloth and paper.
static float shine_of(const painter *p, const spot *s)
{
    const nc_f3 half = nc_f3_unit(nc_f3_add(p->key, nc_f3_scale(-1, s->ray)));
    const float cosine = fmaxf(0, nc_f3_dot(half, s->normal));
    float shine = cosine;
    const bool clay = s->material == NC_MATERIAL_NONE, broad = s->material == NC_MATERIAL_RUBBER;
    if (!clay && !broad && s->material != NC_MATERIAL_WOOD)
        return 0;
    for (int i = 0; i < (broad ? 3 : 5); i++)
        shine *= shine;
    return (broad ? 0.07F : GLOSS) * shine;
}

static nc_rgb light_body(const painter *p, const spot *s, float key, float sky)
{
    const float direct = KEY_LIGHT * s->cos_key * key;
    nc_rgb light = {direct, direct, direct};
    light = nc_rgb_add(light, nc_rgb_scale(SKY_LIGHT * sky, nc_studio_fill(&p->studio, s->sky)));
    // what hides the sky is lit too, and mostly of a like colour
    light = nc_rgb_add(light, nc_rgb_scale(SKY_LIGHT * BOUNCE * (1 - sky), s->colour));
    nc_rgb seen = nc_rgb_mul(s->colour, light);
    const float sheen = (float)nc_material_view((int)s->material)->sheen;
    if (sheen > 0) {
        const float edge = fmaxf(0, 1 + nc_f3_dot(s->ray, s->normal));
        seen = nc_rgb_add(seen, nc_rgb_scale(0.55F * sheen * edge * edge * edge,
                                             nc_rgb_mul(light, mixed(s->colour, (nc_rgb){1, 1, 1}, 0.35F))));
    }
    const float shine = key * shine_of(p, s);
    return nc_rgb_add(seen, (nc_rgb){shine, shine, shine});
}

// The background as it is at a pixel: a little darker towards the corners.
static nc_rgb background(const painter *p, int x, int y)
{
    const float u = 2 * ((float)x + 0.5F) / (float)p->picture->width - 1;
    const float v = 2 * ((float)y + 0.5F) / (float)p->picture->height - 1;
    return nc_rgb_scale(1 - 0.07F * (u * u + v * v), p->look->background);
}

// How much of the light that the bare ground gets is left; all of it far away.
static float light_on_ground(const painter *p, const spot *s, float key, float sky)
{
    const float cosine = nc_f3_dot(p->key, p->sky_up);
    const float whole = KEY_LIGHT * cosine + SKY_LIGHT;
    const float part = (KEY_LIGHT * cosine * key + SKY_LIGHT * (sky + (1 - sky) * GROUND_BOUNCE)) / whole;
    const nc_f3 off = nc_f3_madd(s->at, -1, p->middle);
    const float far = sqrtf(nc_f3_dot(off, off)) / p->fit;
    const float fade = fminf(1, fmaxf(0, (far - 4) / 8));
    return part + (1 - part) * fade;
}

// ---- pixels -------------------------------------------------------------------------------------------------

static void clear_hit(struct RTCRayHit16 *rays, int i)
{
    rays->hit.geomID[i] = rays->hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
}

// Takes what the rays found, and sends those on that a surface sends on; false when there are none.
static bool go_on(const painter *p, uint32_t pixel, int first, struct RTCRayHit16 *rays, spot *spots, int *going)
{
    bool any = false;
    for (int i = 0; i < PACKET; i++) {
        spot *s = &spots[i];
        if (going[i] == 0)
            continue;
        if (is_passed(p, rays, i, s)) {
            rays->ray.tnear[i] = rays->ray.tfar[i] * 1.00001F;
            rays->ray.tfar[i] = INFINITY;
        } else {
            find(p, rays, i, s);
            going[i] = turns_ray(p, s, pixel, first + i) ? -1 : 0;
            if (going[i] == 0)
                continue;
            set_ray(&rays->ray, i, s->from, s->ray, 0, s->time);
        }
        clear_hit(rays, i);
        any = true;
    }
    return any;
}

// Through a point of the lens to where the middle of it sees sharp.
static void open_lens(const painter *p, uint32_t pixel, int sample, spot *s)
{
    float at[2], x, y;
    s->from = p->eye;
    s->first = s->ray;
    if (!(p->aperture > 0))
        return;
    nc_samples_take(p->samples, sample, NC_SAMPLE_LENS, pixel, at);
    nc_disc(at, &x, &y);
    const float ahead = -nc_f3_dot(s->ray, p->back);
    const nc_f3 sharp = nc_f3_madd(p->eye, p->focus / ahead, s->ray);
    s->from = nc_f3_madd(nc_f3_madd(p->eye, p->aperture * x, p->across), p->aperture * y, p->upwards);
    s->ray = s->first = nc_f3_unit(nc_f3_madd(sharp, -1, s->from));
}

static void shoot(const painter *p, int x, int y, uint32_t pixel, int first, struct RTCRayHit16 *rays, spot *spots,
                  int *valid)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (int i = 0; i < PACKET; i++) {
        float at[2], time[2];
        spots[i] = (spot){.weight = {1, 1, 1}};
        valid[i] = first + i < p->samples->count ? -1 : 0;
        const int sample = valid[i] != 0 ? first + i : first;
        nc_samples_take(p->samples, sample, NC_SAMPLE_PIXEL, pixel, at);
        nc_samples_take(p->samples, sample, NC_SAMPLE_TIME, pixel, time);
        spots[i].time = time[0];
        spots[i].coin = time[1];
        spots[i].ray = camera_ray(p, x, y, at);
        open_lens(p, pixel, sample, &spots[i]);
        set_ray(&rays->ray, i, spots[i].from, spots[i].ray, 0, time[0]);
        clear_hit(rays, i);
    }
    _Alignas(64) int going[PACKET];
    bool any = true;
    memcpy(going, valid, sizeof going);
    for (int turn = 0; turn < 2 * TURNS && any; turn++) {
        rtcIntersect16(going, p->stage->scene, &context, rays);
        any = go_on(p, pixel, first, rays, spots, going);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    }
    for (int i = 0; i < PACKET; i++) // given up between surfaces
        spots[i].hit = spots[i].hit && going[i] == 0;
}

// What a sample sees, with the light that reaches what it found.
static nc_rgb seen_by(const painter *p, const spot *s, nc_rgb back, float key, float sky)
{
    if (s->is_ground && s->hit)
        return nc_rgb_scale(light_on_ground(p, s, key, sky), back);
    if (s->hit && (s->material == NC_MATERIAL_METAL || s->material == NC_MATERIAL_GLASS)) // turned too often
        return nc_rgb_scale(0.5F, p->studio.walls);
    if (s->hit)
        return light_body(p, s, key, sky);
    return s->mirror ? nc_studio_light(&p->studio, s->ray) : nc_studio_behind(&p->studio, s->first, s->ray, back);
}

// Over the samples of a pixel.
typedef struct sums {
    nc_rgb light, colour, normal;
    float squares; // of the brightness of the light
} sums;

// The colour that the light of a sample is divided by before noise is taken out of it.
static nc_rgb colour_of(const spot *s, nc_rgb back)
{
    const nc_rgb white = {1, 1, 1};
    if (s->is_guided)
        return s->guide;
    const nc_rgb own = !s->hit ? (s->mirror ? white : back) : s->is_ground ? back : s->colour;
    return nc_rgb_mul(s->weight, own);
}

static void add_sample(const painter *p, const spot *s, nc_rgb back, nc_rgb light, sums *sum)
{
    sum->light = nc_rgb_add(sum->light, light);
    if (p->layers == NULL)
        return;
    const float bright = 0.2126F * light.r + 0.7152F * light.g + 0.0722F * light.b;
    sum->squares += bright * bright;
    sum->colour = nc_rgb_add(sum->colour, colour_of(s, back));
    const nc_f3 n = s->is_guided ? s->guide_normal : s->normal;
    if (s->hit || s->is_guided)
        sum->normal = nc_rgb_add(sum->normal, (nc_rgb){n.x, n.y, n.z});
}

static void paint_packet(const painter *p, int x, int y, int first, sums *sum)
{
    _Alignas(64) struct RTCRayHit16 rays;
    _Alignas(64) struct RTCRay16 key, sky;
    _Alignas(64) int valid[PACKET], to_key[PACKET], to_sky[PACKET];
    float by_key[PACKET], by_sky[PACKET];
    spot spots[PACKET];
    const uint32_t pixel = (uint32_t)y * (uint32_t)p->picture->width + (uint32_t)x;
    const nc_rgb back = background(p, x, y);
    shoot(p, x, y, pixel, first, &rays, spots, valid);
    memset(&key, 0, sizeof key);
    memset(&sky, 0, sizeof sky);
    aim_at_key(p, pixel, first, spots, to_key, &key);
    aim_at_sky(p, pixel, first, spots, to_sky, &sky);
    look_for_light(p, spots, to_key, &key, by_key);
    look_for_light(p, spots, to_sky, &sky, by_sky);
    for (int i = 0; i < PACKET; i++)
        if (valid[i] != 0)
            add_sample(p, &spots[i], back,
                       nc_rgb_mul(spots[i].weight, seen_by(p, &spots[i], back, by_key[i], by_sky[i])), sum);
}

static void write_pixel(const painter *p, size_t pixel, nc_rgb light)
{
    uint8_t *out = p->picture->rgb + 3 * pixel;
    out[0] = nc_tone_byte(p->tone, light.r);
    out[1] = nc_tone_byte(p->tone, light.g);
    out[2] = nc_tone_byte(p->tone, light.b);
}

static void keep_layers(const painter *p, size_t pixel, const sums *sum)
{
    const float part = 1 / (float)p->samples->count;
    nc_layers *l = p->layers;
    l->light[pixel] = nc_rgb_scale(part, sum->light);
    l->colour[pixel] = nc_rgb_scale(part, sum->colour);
    l->normal[pixel] = nc_rgb_scale(part, sum->normal);
    const nc_rgb mean = l->light[pixel];
    const float bright = 0.2126F * mean.r + 0.7152F * mean.g + 0.0722F * mean.b;
    l->variance[pixel] = part * fmaxf(0, part * sum->squares - bright * bright);
}

static void paint_pixel(const painter *p, int x, int y)
{
    const size_t pixel = (size_t)y * (size_t)p->picture->width + (size_t)x;
    sums sum = {.squares = 0};
    for (int first = 0; first < p->samples->count; first += PACKET)
        paint_packet(p, x, y, first, &sum);
    if (p->layers != NULL)
        keep_layers(p, pixel, &sum);
    else
        write_pixel(p, pixel, nc_rgb_scale(1 / (float)p->samples->count, sum.light));
}

static bool is_stopped(const nc_look *look)
{
    return look->stops != NULL && look->stops();
}

static void paint_tiles(int begin, int end, void *ctx)
{
    const painter *p = ctx;
    for (int tile = begin; tile < end; tile++) {
        const int x0 = tile % p->tiles_across * TILE_WIDE;
        const int y0 = (p->first_tile_row + tile / p->tiles_across) * TILE_TALL;
        for (int y = y0; y < y0 + TILE_TALL && y < p->picture->height && !is_stopped(p->look); y++)
            for (int x = x0; x < x0 + TILE_WIDE && x < p->picture->width; x++)
                paint_pixel(p, x, y);
    }
}

// ---- pictures -----------------------------------------------------------------------------------------------

// From the camera's left, in front of what it sees and above.
static nc_f3 key_direction(const nc_camera *camera, const nc_axes *axes)
{
    nc_vec3 level = nc_madd(camera->back, -nc_dot(camera->back, axes->up), axes->up);
    level = nc_norm(level) > 1e-6 ? nc_scale(1 / nc_norm(level), level) : nc_neg(camera->up);
    const nc_vec3 side = nc_madd(nc_scale(0.62, level), -0.78, camera->right);
    return nc_f3_unit(nc_f3_of(nc_madd(nc_scale(0.62, side), 0.80, axes->up)));
}

static void aim(painter *p, const nc_camera *camera, const nc_axes *axes, const nc_subject *subject)
{
    const nc_vec3 origin = p->stage->origin;
    p->eye = nc_f3_of(nc_sub(camera->eye, origin));
    p->right = nc_f3_of(nc_scale(camera->wide, camera->right));
    p->up = nc_f3_of(nc_scale(camera->tall, camera->up));
    p->back = nc_f3_of(camera->back);
    p->across = nc_f3_of(camera->right);
    p->upwards = nc_f3_of(camera->up);
    p->sky_up = nc_f3_of(axes->up);
    p->key = key_direction(camera, axes);
    nc_f3_across(p->key, &p->key_a, &p->key_b);
    p->aperture = (float)camera->aperture;
    p->focus = (float)camera->focus;
    const nc_f3 away = nc_f3_madd(p->key, -nc_f3_dot(p->key, p->sky_up), p->sky_up);
    p->studio = (nc_studio){p->sky_up, p->key, nc_f3_unit(nc_f3_scale(-1, away)), p->look->background};
    p->ground = (float)(subject->ground - nc_dot(origin, axes->up));
    p->middle = nc_f3_of(nc_sub(subject->middle, origin));
    p->fit = (float)subject->radius;
    p->tiles_across = (p->picture->width + TILE_WIDE - 1) / TILE_WIDE;
}

// Takes noise out of what was drawn, and makes the picture of it.
static nc_code finish(painter *p, nc_error *err)
{
    const int width = p->picture->width, height = p->picture->height;
    const nc_code code = nc_layers_denoise(p->layers, width, height, p->look->threads, err);
    for (size_t i = 0; code == NC_OK && i < (size_t)width * (size_t)height; i++)
        write_pixel(p, i, p->layers->light[i]);
    return code;
}

nc_code nc_stage_draw(const nc_stage *stage, const nc_camera *camera, const nc_axes *axes, const nc_subject *subject,
                      const nc_look *look, nc_picture *out, nc_render_watch watch, void *ctx, nc_error *err)
{
    nc_samples samples;
    nc_tone tone;
    nc_layers layers = {0};
    nc_code code = nc_samples_make(look->samples, &samples, err);
    if (code == NC_OK && look->denoise)
        code = nc_layers_make(out->width, out->height, &layers, err);
    if (code != NC_OK) {
        nc_samples_free(&samples);
        return code;
    }
    nc_tone_make(&tone);
    painter p = {.stage = stage,
                 .look = look,
                 .samples = &samples,
                 .tone = &tone,
                 .picture = out,
                 .layers = look->denoise ? &layers : NULL};
    aim(&p, camera, axes, subject);
    const int rows = (out->height + TILE_TALL - 1) / TILE_TALL;
    for (int row = 0; row < rows && watch(ctx, (double)row / rows); row += BAND) {
        const int band = rows - row < BAND ? rows - row : BAND;
        p.first_tile_row = row;
        nc_parallel_for(look->threads, band * p.tiles_across, 1, paint_tiles, &p);
    }
    if (look->denoise)
        code = finish(&p, err);
    nc_layers_free(&layers);
    nc_samples_free(&samples);
    return code;
}
#endif
