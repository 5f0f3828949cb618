// The noise of few samples is taken away by a filter that knows what the picture shows.
//
// Light is divided by the colour of what is lit, so that patterns stay as they are. Then means over neighbours are
// taken five times, with holes that double each time (à trous: Dammertz and others 2010), each neighbour weighted by
// how alike it is: in its normal, in its colour, and in its light as far as the noise of both explains the difference
// (Schied and others 2017). The variance of the samples of a pixel says how large that is. A pixel without noise stays
// as it is.
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS      5
#define LIGHT_ALIKE 3.0F  // [standard deviations] light that differs by more is not alike
#define NORMAL_HALF 0.25F // [1] difference of unit normals at which a neighbour counts a quarter
#define COLOUR_HALF 0.12F // [1] difference of colours at which a neighbour counts a quarter
#define DARKEST     0.01F // [1] colour that light is divided by, at least

// What a round reads and writes: light per colour, and the variance of its brightness.
typedef struct plane {
    nc_rgb *light;
    float *variance;
} plane;

typedef struct filter {
    const nc_layers *layers;
    int width, height, hole;
    plane from, to;
} filter;

static float brightness(nc_rgb c)
{
    return 0.2126F * c.r + 0.7152F * c.g + 0.0722F * c.b;
}

static nc_rgb divisor(nc_rgb colour)
{
    return (nc_rgb){fmaxf(DARKEST, colour.r), fmaxf(DARKEST, colour.g), fmaxf(DARKEST, colour.b)};
}

static float distance2(nc_rgb a, nc_rgb b)
{
    const float r = a.r - b.r, g = a.g - b.g, h = a.b - b.b;
    return r * r + g * g + h * h;
}

// 1 for alike, a quarter at x2 = 1, and less beyond.
static float fall(float x2)
{
    const float s = 1 / (1 + x2);
    return s * s;
}

// Of the variance, which is noisy itself, a mean over 3 x 3 pixels.
static float smooth_variance(const filter *f, int x, int y)
{
    float sum = 0, weight = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int px = x + i, py = y + j;
            if (px < 0 || py < 0 || px >= f->width || py >= f->height)
                continue;
            const float w = (i == 0 ? 2.0F : 1.0F) * (j == 0 ? 2.0F : 1.0F);
            sum += w * f->from.variance[(size_t)py * (size_t)f->width + (size_t)px];
            weight += w;
        }
    return sum / weight;
}

static float likeness(const filter *f, size_t p, size_t q, float spread)
{
    const nc_layers *l = f->layers;
    const float step = brightness(f->from.light[p]) - brightness(f->from.light[q]);
    return fall(distance2(l->normal[p], l->normal[q]) / (NORMAL_HALF * NORMAL_HALF)) *
           fall(distance2(l->colour[p], l->colour[q]) / (COLOUR_HALF * COLOUR_HALF)) *
           fall(step * step / (LIGHT_ALIKE * LIGHT_ALIKE * spread));
}

static void filter_pixel(const filter *f, int x, int y)
{
    static const float kernel[3] = {3.0F / 8, 1.0F / 4, 1.0F / 16};
    const size_t p = (size_t)y * (size_t)f->width + (size_t)x;
    const float spread = smooth_variance(f, x, y) + 1e-9F;
    nc_rgb light = {0, 0, 0};
    float variance = 0, whole = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            const int px = x + i * f->hole, py = y + j * f->hole;
            if (px < 0 || py < 0 || px >= f->width || py >= f->height)
                continue;
            const size_t q = (size_t)py * (size_t)f->width + (size_t)px;
            const float w = kernel[abs(i)] * kernel[abs(j)] * (q == p ? 1 : likeness(f, p, q, spread));
            light = nc_rgb_add(light, nc_rgb_scale(w, f->from.light[q]));
            variance += w * w * f->from.variance[q];
            whole += w;
        }
    f->to.light[p] = nc_rgb_scale(1 / whole, light);
    f->to.variance[p] = variance / (whole * whole);
}

static void filter_rows(int begin, int end, void *ctx)
{
    const filter *f = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < f->width; x++)
            filter_pixel(f, x, y);
}

static void divide(const nc_layers *layers, size_t pixels, plane *out)
{
    for (size_t i = 0; i < pixels; i++) {
        const nc_rgb by = divisor(layers->colour[i]), light = layers->light[i];
        const float scale = 1 / brightness(by);
        out->light[i] = (nc_rgb){light.r / by.r, light.g / by.g, light.b / by.b};
        out->variance[i] = scale * scale * layers->variance[i];
    }
}

nc_code nc_layers_denoise(nc_layers *layers, int width, int height, int threads, nc_error *err)
{
    const size_t pixels = (size_t)width * (size_t)height;
    plane planes[2];
    for (int k = 0; k < 2; k++)
        planes[k] = (plane){malloc(pixels * sizeof(nc_rgb)), malloc(pixels * sizeof(float))};
    const bool there = planes[0].light && planes[0].variance && planes[1].light && planes[1].variance;
    if (there) {
        divide(layers, pixels, &planes[0]);
        for (int round = 0; round < ROUNDS; round++) {
            filter f = {layers, width, height, 1 << round, planes[round % 2], planes[1 - round % 2]};
            nc_parallel_for(threads, height, 4, filter_rows, &f);
        }
        for (size_t i = 0; i < pixels; i++)
            layers->light[i] = nc_rgb_mul(planes[ROUNDS % 2].light[i], divisor(layers->colour[i]));
    }
    for (int k = 0; k < 2; k++) {
        free(planes[k].light);
        free(planes[k].variance);
    }
    return there ? NC_OK : nc_fail_memory(err, 2 * pixels * (sizeof(nc_rgb) + sizeof(float)));
}

nc_code nc_layers_make(int width, int height, nc_layers *out, nc_error *err)
{
    const size_t pixels = (size_t)width * (size_t)height;
    *out = (nc_layers){calloc(pixels, sizeof(nc_rgb)), calloc(pixels, sizeof(nc_rgb)), calloc(pixels, sizeof(nc_rgb)),
                       calloc(pixels, sizeof(float))};
    if (out->light && out->colour && out->normal && out->variance)
        return NC_OK;
    nc_layers_free(out);
    return nc_fail_memory(err, pixels * (3 * sizeof(nc_rgb) + sizeof(float)));
}

void nc_layers_free(nc_layers *layers)
{
    free(layers->light);
    free(layers->colour);
    free(layers->normal);
    free(layers->variance);
    *layers = (nc_layers){0};
}
