// Mirrors, glass and wood, one ray or one point at a time.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/surface.h"

#include <math.h>

#define GLASS_INDEX 1.5F
#define BENT_LITTLE 0.002F // [1 - cosine] what glass turned by less sees the background,
#define BENT_MUCH   0.08F  // [1 - cosine] what it turned by more the studio
#define WALL_TINT   0.6F   // how much of the walls' colour is in the light that they give to dull surfaces
#define STRIP_FILL  0.6F   // how much of the strip light dull surfaces get

void nc_f3_across(nc_f3 n, nc_f3 *a, nc_f3 *b)
{
    const nc_f3 other = fabsf(n.x) < 0.6F ? (nc_f3){1, 0, 0} : (nc_f3){0, 1, 0};
    *a = nc_f3_unit(
        (nc_f3){n.y * other.z - n.z * other.y, n.z * other.x - n.x * other.z, n.x * other.y - n.y * other.x});
    *b = (nc_f3){n.y * a->z - n.z * a->y, n.z * a->x - n.x * a->z, n.x * a->y - n.y * a->x};
}

// Squares about the middle become circles. The angle is at most pi/4, where short series are as good as float32 is.
void nc_disc(const float at[2], float *x, float *y)
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

// ---- the studio ---------------------------------------------------------------------------------------------

// 0 below `from`, 1 above `to`, smooth between.
static float smooth(float from, float to, float x)
{
    const float t = fminf(1, fmaxf(0, (x - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

// The strip stands upright: narrow to the sides, long up and down.
static float strip_light(const nc_studio *studio, nc_f3 along, float height)
{
    const nc_f3 level = nc_f3_unit(nc_f3_madd(along, -height, studio->up));
    return 2.2F * smooth(0.94F, 0.97F, nc_f3_dot(level, studio->side)) * smooth(0.05F, 0.15F, height) *
           smooth(0.85F, 0.7F, height);
}

nc_rgb nc_studio_light(const nc_studio *studio, nc_f3 along)
{
    const float height = nc_f3_dot(along, studio->up);
    const float wall =
        height > 0 ? 0.30F + 0.75F * smooth(0.02F, 0.9F, height) : 0.30F + 0.25F * smooth(0, 0.5F, -height);
    nc_rgb light = nc_rgb_scale(wall, studio->walls);
    const float box = 4.2F * smooth(0.90F, 0.95F, nc_f3_dot(along, studio->key));
    const float strip = strip_light(studio, along, height);
    light.r += box + strip;
    light.g += 0.985F * box + strip;
    light.b += 0.96F * box + 1.02F * strip;
    return light;
}

nc_rgb nc_studio_behind(const nc_studio *studio, nc_f3 first, nc_f3 ray, nc_rgb back)
{
    const float bent = smooth(BENT_LITTLE, BENT_MUCH, 1 - nc_f3_dot(first, ray));
    if (!(bent > 0))
        return back;
    return nc_rgb_add(nc_rgb_scale(1 - bent, back), nc_rgb_scale(bent, nc_studio_light(studio, ray)));
}

// Brightest above; from below comes what the ground gives back.
nc_rgb nc_studio_fill(const nc_studio *studio, nc_f3 along)
{
    const float height = nc_f3_dot(along, studio->up);
    const float wall = height > 0 ? 0.78F + 0.4F * height : 0.75F * (1 + height) + 0.35F * -height;
    const float most = fmaxf(0.05F, fmaxf(studio->walls.r, fmaxf(studio->walls.g, studio->walls.b)));
    const float strip = STRIP_FILL * strip_light(studio, along, height);
    const nc_rgb tint = nc_rgb_add(nc_rgb_scale(WALL_TINT / most, studio->walls),
                                   (nc_rgb){1 - WALL_TINT, 1 - WALL_TINT, 1 - WALL_TINT});
    return nc_rgb_add(nc_rgb_scale(wall, tint), (nc_rgb){strip, strip, 1.02F * strip});
}

// ---- mirrors and glass --------------------------------------------------------------------------------------

nc_f3 nc_f3_reflect(nc_f3 ray, nc_f3 normal)
{
    return nc_f3_unit(nc_f3_madd(ray, -2 * nc_f3_dot(ray, normal), normal));
}

float nc_glass_reflects(float cosine, bool from_within)
{
    const float eta = from_within ? GLASS_INDEX : 1 / GLASS_INDEX;
    const float sine2 = eta * eta * (1 - cosine * cosine);
    if (sine2 >= 1)
        return 1;
    const float other = sqrtf(1 - sine2);
    const float across = (eta * cosine - other) / (eta * cosine + other);
    const float along = (cosine - eta * other) / (cosine + eta * other);
    return 0.5F * (across * across + along * along);
}

bool nc_glass_bend(nc_f3 ray, nc_f3 normal, bool from_within, nc_f3 *out)
{
    const float eta = from_within ? GLASS_INDEX : 1 / GLASS_INDEX;
    const float cosine = -nc_f3_dot(ray, normal), sine2 = eta * eta * (1 - cosine * cosine);
    if (sine2 >= 1)
        return false;
    *out = nc_f3_unit(nc_f3_madd(nc_f3_scale(eta, ray), eta * cosine - sqrtf(1 - sine2), normal));
    return true;
}

nc_f3 nc_rough_normal(nc_f3 normal, float roughness, const float at[2])
{
    float x, y;
    nc_f3 a, b;
    nc_disc(at, &x, &y);
    const float u = fminf(x * x + y * y, 0.995F), alpha = roughness * roughness;
    if (!(u > 0))
        return normal;
    const float slope = alpha / sqrtf(1 - u); // tan = alpha sqrt(u / (1 - u)), along (x, y) / sqrt(u)
    nc_f3_across(normal, &a, &b);
    return nc_f3_unit(nc_f3_madd(nc_f3_madd(normal, slope * x, a), slope * y, b));
}

// ---- wood ---------------------------------------------------------------------------------------------------

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

static float corner(int x, int y, int z)
{
    return (float)(mix((uint32_t)x * 0x9e3779b9U ^ mix((uint32_t)y * 0x85ebca6bU ^ mix((uint32_t)z))) >> 8) * 0x1p-24F;
}

// Values of a lattice, smooth between its points; in [0, 1).
static float noise(float x, float y, float z)
{
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    const int i = (int)fx, j = (int)fy, k = (int)fz;
    const float u = smooth(0, 1, x - fx), v = smooth(0, 1, y - fy), w = smooth(0, 1, z - fz);
    float sum = 0;
    for (int c = 0; c < 8; c++) {
        const int a = c & 1, b = c >> 1 & 1, d = c >> 2;
        sum += (a ? u : 1 - u) * (b ? v : 1 - v) * (d ? w : 1 - w) * corner(i + a, j + b, k + d);
    }
    return sum;
}

// Rings about a line along the grain that lies beside the body, each body cut from another place of its tree.
nc_rgb nc_wood_colour(const nc_stage_body *body, nc_f3 local)
{
    const float along = nc_f3_dot(local, body->grain) / body->grain_size;
    nc_f3 b, c;
    nc_f3_across(body->grain, &b, &c);
    const float seed = body->seed, x = nc_f3_dot(local, b) / body->grain_size,
                y = nc_f3_dot(local, c) / body->grain_size;
    const float px = x + 1.3F + seed, py = y + 0.6F - 1.7F * seed;
    const float wave = 0.16F * noise(1.5F * along + 17 * seed, 2 * px, 2 * py);
    const float rings = 7 * (sqrtf(px * px + py * py) + wave);
    const float ring = rings - floorf(rings);
    const float late = smooth(0.35F, 0.92F, ring) * smooth(1, 0.94F, ring); // summer wood is dark and ends sharply
    const float fibre = noise(2.5F * along, 46 * px, 46 * py);
    const float tone =
        (0.72F + 0.42F * corner((int)(4096 * seed), 7, 3)) * (1 - 0.30F * late) * (0.88F + 0.22F * fibre);
    const nc_rgb shade = {tone, tone * (1 - 0.05F * late), tone * (1 - 0.10F * late)};
    return nc_rgb_mul(body->colour, shade);
}

// ---- fabric -------------------------------------------------------------------------------------------------

#define THREADS 240 // over the middle side of the mesh's box

// Plain weave: of the two threads at a place one is above, by turns; light where a thread is highest.
nc_rgb nc_fabric_colour(const nc_stage_body *body, nc_f3 local)
{
    nc_f3 b, c;
    nc_f3_across(body->grain, &b, &c);
    const float scale = THREADS / body->grain_size;
    const float x = scale * nc_f3_dot(local, body->grain), y = scale * (nc_f3_dot(local, b) + nc_f3_dot(local, c));
    const float fx = floorf(x), fy = floorf(y), u = 2 * (x - fx) - 1, v = 2 * (y - fy) - 1;
    const bool warp = ((int)fx + (int)fy) % 2 == 0;
    const float edge = warp ? u : v, along = warp ? v : u;
    const float height = (1 - edge * edge) * (1 - 0.35F * along * along);
    const float yarn = 0.92F + 0.16F * (warp ? noise(fx, 0.11F * y, 3) : noise(0.11F * x, fy, 9));
    return nc_rgb_scale((0.66F + 0.40F * height) * yarn, body->colour);
}
#endif
