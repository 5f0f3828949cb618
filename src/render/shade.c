// Light: a key light with a soft edge, and the sky, of which bodies take away what they hide (ambient occlusion).
//
// Each sample of a pixel is one ray from the camera, one towards the key light and one into the sky; rays go to the ray
// tracer in packets of one pixel's samples. The ground is no body: it shows the background, darker where light is taken
// away from it, so that it has no edge and no horizon.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/stage.h"

#include <math.h>
#include <string.h>

#define PACKET    16
#define TILE_WIDE 16
#define TILE_TALL 8
#define BAND      4 // rows of tiles between looks at the clock

#define KEY_LIGHT     0.86F // of a white surface that faces it
#define SKY_LIGHT     0.64F // of a white surface that sees all of the sky
#define KEY_SOFTNESS  0.07F // [rad] half the angle that the key light fills
#define EARTH_LIGHT   0.75F // what comes from below, of the sky's
#define BACK_FACE     0.86F // colour of the back of a surface, of the front's
#define BOUNCE        0.36F // of light that other bodies take away, this comes back from them
#define GROUND_BOUNCE 0.22F // the same for the ground
#define GLASS         0.15F // part of the samples that see the outside of what holds others
#define LAYERS        8     // of glass at most
#define GLOSS         0.10F // strength of the key light's reflection

typedef struct painter {
    const nc_stage *stage;
    const nc_look *look;
    const nc_samples *samples;
    const nc_tone *tone;
    nc_picture *picture;
    nc_f3 eye, right, up, back; // right and up as long as half the picture is wide and tall at distance 1
    nc_f3 across, upwards;      // the same as unit vectors
    nc_f3 sky_up;               // against gravity
    nc_f3 key, key_a, key_b;    // towards the light, and across
    float ground;               // [m] height along sky_up in the ray tracer's coordinates
    float fit;                  // [m] radius of the subject: scale of everything that fades
    nc_f3 middle;
    int first_tile_row, tiles_across;
} painter;

// What the samples of a packet found.
typedef struct spot {
    nc_f3 at, normal, surface; // place; normals: shaded, of the facet; both on the side of the camera
    nc_f3 ray;
    nc_rgb colour;
    float time, coin;
    bool hit, is_ground;
    bool is_inside; // of a body that holds no others: light reaches it through those that do
    nc_f3 sky;      // the direction in which the sky is examined
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

// Two unit vectors across a unit vector.
static void across(nc_f3 n, nc_f3 *a, nc_f3 *b)
{
    const nc_f3 other = fabsf(n.x) < 0.6F ? (nc_f3){1, 0, 0} : (nc_f3){0, 1, 0};
    *a = nc_f3_unit(
        (nc_f3){n.y * other.z - n.z * other.y, n.z * other.x - n.x * other.z, n.x * other.y - n.y * other.x});
    *b = (nc_f3){n.y * a->z - n.z * a->y, n.z * a->x - n.x * a->z, n.x * a->y - n.y * a->x};
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

// A point of the unit disc from one of the unit square: squares about the middle become circles, so that what is evenly
// spread stays so. The angle is at most pi/4, where short series are as good as float32 is.
static void disc(const float at[2], float *x, float *y)
{
    const float a = 2 * at[0] - 1, b = 2 * at[1] - 1;
    const bool wide = fabsf(a) > fabsf(b);
    const float r = wide ? a : b;
    const float t = r != 0 ? 0.78539816F * (wide ? b : a) / r : 0, q = t * t;
    const float sine = r * t * (1 - q / 6 * (1 - q / 20 * (1 - q / 42)));
    const float cosine = r * (1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56))));
    *x = wide ? cosine : sine;
    *y = wide ? sine : cosine;
}

// ---- what a camera ray finds --------------------------------------------------------------------------------

static bool meets_ground(const painter *p, nc_f3 along, float *out)
{
    const float down = nc_f3_dot(along, p->sky_up), height = nc_f3_dot(p->eye, p->sky_up) - p->ground;
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

static void find_body(const painter *p, const struct RTCRayHit16 *rays, int i, spot *s)
{
    const nc_stage_body *body = &p->stage->bodies[rays->hit.instID[0][i]];
    const nc_f3 facet = {rays->hit.Ng_x[i], rays->hit.Ng_y[i], rays->hit.Ng_z[i]};
    const nc_f3 round = shading_normal(body, &rays->hit, i, facet);
    s->surface = nc_f3_unit(nc_stage_turn(body, s->time, facet));
    s->normal = nc_f3_unit(nc_stage_turn(body, s->time, round));
    s->colour = body->colour;
    s->is_inside = !body->holds;
    if (nc_f3_dot(s->surface, s->ray) > 0) {
        s->surface = nc_f3_scale(-1, s->surface);
        s->colour = nc_rgb_scale(BACK_FACE, s->colour);
    }
    if (nc_f3_dot(s->normal, s->surface) < 0)
        s->normal = nc_f3_scale(-1, s->normal);
    if (nc_f3_dot(s->normal, s->ray) > 0)
        s->normal = s->surface;
}

// The outside of what holds others is glass: the ray continues, but for few samples, which see it as it is.
static bool is_glass(const painter *p, const struct RTCRayHit16 *rays, int i, const spot *s)
{
    if (rays->hit.instID[0][i] == RTC_INVALID_GEOMETRY_ID || s->coin < GLASS)
        return false;
    const nc_stage_body *body = &p->stage->bodies[rays->hit.instID[0][i]];
    if (!body->holds)
        return false;
    const nc_f3 at = nc_f3_madd(p->eye, rays->ray.tfar[i], s->ray);
    const nc_f3 facet = {rays->hit.Ng_x[i], rays->hit.Ng_y[i], rays->hit.Ng_z[i]};
    const nc_f3 normal = nc_stage_turn(body, s->time, facet);
    const float outwards = nc_f3_dot(normal, nc_f3_madd(at, -1, body->middle));
    return outwards * nc_f3_dot(normal, s->ray) < 0;
}

static void find(const painter *p, const struct RTCRayHit16 *rays, int i, spot *s)
{
    float ground, distance = rays->ray.tfar[i];
    const bool body = rays->hit.instID[0][i] != RTC_INVALID_GEOMETRY_ID;
    s->is_ground = meets_ground(p, s->ray, &ground) && !(body && distance <= ground);
    s->hit = body || s->is_ground;
    if (!s->hit)
        return;
    if (s->is_ground) {
        distance = ground;
        s->normal = s->surface = p->sky_up;
    } else {
        find_body(p, rays, i, s);
    }
    // Off the surface by more than float32 can be wrong, so that it does not hide itself.
    const nc_f3 at = nc_f3_madd(p->eye, distance, s->ray);
    const float step = 4e-6F * (distance + sqrtf(nc_f3_dot(at, at)));
    s->at = nc_f3_madd(at, step, s->surface);
}

// ---- light --------------------------------------------------------------------------------------------------

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
        disc(at, &x, &y);
        const nc_f3 to =
            nc_f3_unit(nc_f3_madd(nc_f3_madd(p->key, KEY_SOFTNESS * x, p->key_a), KEY_SOFTNESS * y, p->key_b));
        s->cos_key = nc_f3_dot(s->normal, to);
        if (s->cos_key > 0 && nc_f3_dot(s->surface, to) > 0)
            valid[i] = -1;
        set_ray(rays, i, s->at, to, 0, s->time);
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
        disc(at, &x, &y);
        across_normal(p, s->normal, &a, &b);
        const float ahead = sqrtf(fmaxf(0, 1 - x * x - y * y));
        s->sky = nc_f3_madd(nc_f3_madd(nc_f3_scale(ahead, s->normal), x, a), y, b);
        if (nc_f3_dot(s->sky, s->surface) > 0)
            valid[i] = -1;
        set_ray(rays, i, s->at, s->sky, 0, s->time);
    }
}

// Finds which rays are stopped. What holds others is glass for them, and they would be in the dark if it were not for
// light.
static void look_for_light(const painter *p, const spot *spots, const int *valid, struct RTCRay16 *rays)
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
        rtcOccluded16(blocked, p->stage->scene, &context, rays);
}

static bool reaches(const struct RTCRay16 *rays, const int *valid, int i)
{
    return valid[i] != 0 && rays->tfar[i] >= 0;
}

// The sky is brightest above; from below comes what the ground gives back.
static float sky_from(const painter *p, nc_f3 along)
{
    const float height = nc_f3_dot(along, p->sky_up);
    return height > 0 ? 0.8F + 0.4F * height : EARTH_LIGHT * (1 + height) + 0.35F * -height;
}

static nc_rgb light_body(const painter *p, const spot *s, bool key, bool sky)
{
    const float direct = key ? KEY_LIGHT * s->cos_key : 0;
    nc_rgb light = {direct, direct, direct};
    const float around = SKY_LIGHT * (sky ? sky_from(p, s->sky) : 0);
    light = nc_rgb_add(light, (nc_rgb){around, around, around});
    if (!sky) // what hides the sky is lit too, and mostly of a like colour
        light = nc_rgb_add(light, nc_rgb_scale(SKY_LIGHT * BOUNCE, s->colour));
    nc_rgb seen = nc_rgb_mul(s->colour, light);
    if (key) {
        const nc_f3 half = nc_f3_unit(nc_f3_add(p->key, nc_f3_scale(-1, s->ray)));
        float shine = fmaxf(0, nc_f3_dot(half, s->normal));
        for (int i = 0; i < 5; i++)
            shine *= shine;
        seen = nc_rgb_add(seen, (nc_rgb){GLOSS * shine, GLOSS * shine, GLOSS * shine});
    }
    return seen;
}

// The background as it is at a pixel: a little darker towards the corners.
static nc_rgb background(const painter *p, int x, int y)
{
    const float u = 2 * ((float)x + 0.5F) / (float)p->picture->width - 1;
    const float v = 2 * ((float)y + 0.5F) / (float)p->picture->height - 1;
    return nc_rgb_scale(1 - 0.07F * (u * u + v * v), p->look->background);
}

// How much of the light that the bare ground gets is left; all of it far away.
static float light_on_ground(const painter *p, const spot *s, bool key, bool sky)
{
    const float cosine = nc_f3_dot(p->key, p->sky_up);
    const float whole = KEY_LIGHT * cosine + SKY_LIGHT;
    const float part = ((key ? KEY_LIGHT * cosine : 0) + SKY_LIGHT * (sky ? 1 : GROUND_BOUNCE)) / whole;
    const nc_f3 off = nc_f3_madd(s->at, -1, p->middle);
    const float far = sqrtf(nc_f3_dot(off, off)) / p->fit;
    const float fade = fminf(1, fmaxf(0, (far - 4) / 8));
    return part + (1 - part) * fade;
}

// ---- pixels -------------------------------------------------------------------------------------------------

// Sends rays that met glass on from there; false when there are none. `going` is those that continue.
static bool go_on(const painter *p, struct RTCRayHit16 *rays, const spot *spots, int *going)
{
    bool any = false;
    for (int i = 0; i < PACKET; i++) {
        going[i] = going[i] != 0 && is_glass(p, rays, i, &spots[i]) ? -1 : 0;
        if (going[i] == 0)
            continue;
        any = true;
        rays->ray.tnear[i] = rays->ray.tfar[i] * 1.00001F;
        rays->ray.tfar[i] = INFINITY;
        rays->hit.geomID[i] = rays->hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    return any;
}

static void shoot(const painter *p, int x, int y, uint32_t pixel, int first, struct RTCRayHit16 *rays, spot *spots,
                  int *valid)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (int i = 0; i < PACKET; i++) {
        float at[2], time[2];
        spots[i] = (spot){0};
        valid[i] = first + i < p->samples->count ? -1 : 0;
        const int sample = valid[i] != 0 ? first + i : first;
        nc_samples_take(p->samples, sample, NC_SAMPLE_PIXEL, pixel, at);
        nc_samples_take(p->samples, sample, NC_SAMPLE_TIME, pixel, time);
        spots[i].time = time[0];
        spots[i].coin = time[1];
        spots[i].ray = camera_ray(p, x, y, at);
        set_ray(&rays->ray, i, p->eye, spots[i].ray, 0, time[0]);
        rays->hit.geomID[i] = rays->hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    _Alignas(64) int going[PACKET];
    bool any = true;
    memcpy(going, valid, sizeof going);
    for (int layer = 0; layer < LAYERS && any; layer++) {
        rtcIntersect16(going, p->stage->scene, &context, rays);
        any = go_on(p, rays, spots, going);
    }
    for (int i = 0; i < PACKET; i++)
        if (valid[i] != 0)
            find(p, rays, i, &spots[i]);
}

static nc_rgb paint_packet(const painter *p, int x, int y, int first)
{
    _Alignas(64) struct RTCRayHit16 rays;
    _Alignas(64) struct RTCRay16 key, sky;
    _Alignas(64) int valid[PACKET], to_key[PACKET], to_sky[PACKET];
    spot spots[PACKET];
    const uint32_t pixel = (uint32_t)y * (uint32_t)p->picture->width + (uint32_t)x;
    const nc_rgb back = background(p, x, y);
    nc_rgb sum = {0, 0, 0};
    shoot(p, x, y, pixel, first, &rays, spots, valid);
    memset(&key, 0, sizeof key);
    memset(&sky, 0, sizeof sky);
    aim_at_key(p, pixel, first, spots, to_key, &key);
    aim_at_sky(p, pixel, first, spots, to_sky, &sky);
    look_for_light(p, spots, to_key, &key);
    look_for_light(p, spots, to_sky, &sky);
    for (int i = 0; i < PACKET; i++) {
        const spot *s = &spots[i];
        if (valid[i] == 0)
            continue;
        const bool lit = reaches(&key, to_key, i), open = reaches(&sky, to_sky, i);
        nc_rgb seen = back;
        if (s->is_ground)
            seen = nc_rgb_scale(light_on_ground(p, s, lit, open), back);
        else if (s->hit)
            seen = light_body(p, s, lit, open);
        sum = nc_rgb_add(sum, seen);
    }
    return sum;
}

static void paint_pixel(const painter *p, int x, int y)
{
    nc_rgb sum = {0, 0, 0};
    for (int first = 0; first < p->samples->count; first += PACKET)
        sum = nc_rgb_add(sum, paint_packet(p, x, y, first));
    const nc_rgb mean = nc_rgb_scale(1 / (float)p->samples->count, sum);
    uint8_t *out = p->picture->rgb + 3 * ((size_t)y * (size_t)p->picture->width + (size_t)x);
    out[0] = nc_tone_byte(p->tone, mean.r);
    out[1] = nc_tone_byte(p->tone, mean.g);
    out[2] = nc_tone_byte(p->tone, mean.b);
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
    across(p->key, &p->key_a, &p->key_b);
    p->ground = (float)(subject->ground - nc_dot(origin, axes->up));
    p->middle = nc_f3_of(nc_sub(subject->middle, origin));
    p->fit = (float)subject->radius;
    p->tiles_across = (p->picture->width + TILE_WIDE - 1) / TILE_WIDE;
}

nc_code nc_stage_draw(const nc_stage *stage, const nc_camera *camera, const nc_axes *axes, const nc_subject *subject,
                      const nc_look *look, nc_picture *out, nc_render_watch watch, void *ctx, nc_error *err)
{
    nc_samples samples;
    nc_tone tone;
    const nc_code code = nc_samples_make(look->samples, &samples, err);
    if (code != NC_OK)
        return code;
    nc_tone_make(&tone);
    painter p = {.stage = stage, .look = look, .samples = &samples, .tone = &tone, .picture = out};
    aim(&p, camera, axes, subject);
    const int rows = (out->height + TILE_TALL - 1) / TILE_TALL;
    for (int row = 0; row < rows && watch(ctx, (double)row / rows); row += BAND) {
        const int band = rows - row < BAND ? rows - row : BAND;
        p.first_tile_row = row;
        nc_parallel_for(look->threads, band * p.tiles_across, 1, paint_tiles, &p);
    }
    nc_samples_free(&samples);
    return NC_OK;
}
#endif
