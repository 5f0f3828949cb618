// Samples of a pixel: points of a scrambled Sobol sequence, a set of its own for each use.
//
// Within every power of two of its points such a sequence has one point in every elementary rectangle, so 32 samples
// light a surface as evenly as several hundred random ones would. Scrambling digit by digit (Owen) keeps that, and so
// does the shift of a pixel, an exclusive or.
#include "render/render.h"

#include <stdlib.h>

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

// The second coordinate of point i; the first is `reversed(i)`.
static uint32_t second(uint32_t i)
{
    uint32_t out = 0, direction = 1U << 31;
    for (; i != 0; i >>= 1, direction ^= direction >> 1)
        out ^= (i & 1) != 0 ? direction : 0;
    return out;
}

// Turns over each digit by a coin that depends on all digits above it.
static uint32_t scrambled(uint32_t x, uint32_t seed)
{
    uint32_t out = 0;
    for (int i = 31; i >= 0; i--) {
        const uint32_t above = i == 31 ? 0 : x >> (i + 1);
        const uint32_t coin = mix(mix(above + 0x9e3779b9U * (uint32_t)(i + 1)) ^ seed) & 1;
        out |= ((x >> i & 1) ^ coin) << i;
    }
    return out;
}

// The same pixel must not meet sample i of one use always with sample i of another: each use has its own order.
static uint32_t order_of(uint32_t i, uint32_t count, uint32_t seed)
{
    uint32_t bits = 0;
    while ((1U << bits) < count)
        bits++;
    return bits == 0 ? 0 : reversed(scrambled(reversed(i), seed)) & ((1U << bits) - 1);
}

nc_code nc_samples_make(int count, nc_samples *out, nc_error *err)
{
    *out = (nc_samples){.count = count};
    for (uint32_t use = 0; use < NC_SAMPLE_USES; use++) {
        const uint32_t seed = mix(use + 1);
        uint32_t *points = malloc((size_t)count * 2 * sizeof *points);
        out->points[use] = points;
        if (points == NULL) {
            nc_samples_free(out);
            return nc_fail_memory(err, (size_t)count * 2 * sizeof *points);
        }
        for (uint32_t i = 0; i < (uint32_t)count; i++) {
            const uint32_t k = order_of(i, (uint32_t)count, seed);
            points[2 * i] = scrambled(reversed(k), mix(seed + 1));
            points[2 * i + 1] = scrambled(second(k), mix(seed + 2));
        }
    }
    return NC_OK;
}

void nc_samples_free(nc_samples *samples)
{
    for (int use = 0; use < NC_SAMPLE_USES; use++)
        free(samples->points[use]);
    *samples = (nc_samples){0};
}

void nc_samples_take(const nc_samples *samples, int index, nc_sample_use use, uint32_t pixel, float out[2])
{
    const uint32_t *point = &samples->points[use][2 * (size_t)index];
    const uint32_t shift = mix(pixel * NC_SAMPLE_USES + (uint32_t)use);
    out[0] = (float)((point[0] ^ shift) >> 8) * 0x1p-24F;
    out[1] = (float)((point[1] ^ mix(shift)) >> 8) * 0x1p-24F;
}
