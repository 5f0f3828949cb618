// Points of the unit cube: random, a Latin hypercube, or the Sobol sequence.
#include "study/study.h"

#include <stdlib.h>

const char *const nc_study_method_names[NC_STUDY_METHOD_COUNT] = {"random", "latin", "sobol"};

static void sample_random(nc_random *random, int64_t count, int dimensions, double *out)
{
    for (int64_t i = 0; i < count * dimensions; i++)
        out[i] = nc_random_unit(random);
}

// Each of `count` equal parts of every axis has one point.
static nc_code sample_latin(nc_random *random, int64_t count, int dimensions, double *out, nc_error *err)
{
    int64_t *order = calloc((size_t)count, sizeof *order);
    if (order == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *order);
    for (int d = 0; d < dimensions; d++) {
        for (int64_t i = 0; i < count; i++)
            order[i] = i;
        for (int64_t i = count - 1; i > 0; i--) {
            const int64_t j = (int64_t)(nc_random_u64(random) % (uint64_t)(i + 1)), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        for (int64_t i = 0; i < count; i++)
            out[i * dimensions + d] = ((double)order[i] + nc_random_unit(random)) / (double)count;
    }
    free(order);
    return NC_OK;
}

// With a seed other than 0, every axis is shifted by random bits, which keeps what makes the sequence even.
static nc_code sample_sobol(nc_random *random, bool shifted, int64_t count, int dimensions, double *out, nc_error *err)
{
    if (dimensions > NC_SOBOL_DIMENSIONS)
        return nc_fail(err, NC_BAD_ARGUMENT, "the Sobol sequence has at most %d dimensions here, not %d; use latin",
                       NC_SOBOL_DIMENSIONS, dimensions);
    for (int d = 0; d < dimensions; d++) {
        const uint32_t shift = shifted ? (uint32_t)(nc_random_u64(random) >> 32) : 0;
        for (int64_t i = 0; i < count; i++)
            out[i * dimensions + d] = (nc_sobol((uint32_t)i, d) ^ shift) * 0x1p-32;
    }
    return NC_OK;
}

nc_code nc_study_sample(nc_study_method method, int64_t seed, int64_t count, int dimensions, double *out, nc_error *err)
{
    nc_random random = {(uint64_t)seed};
    switch (method) {
    case NC_STUDY_LATIN:
        return sample_latin(&random, count, dimensions, out, err);
    case NC_STUDY_SOBOL:
        return sample_sobol(&random, seed != 0, count, dimensions, out, err);
    default:
        sample_random(&random, count, dimensions, out);
        return NC_OK;
    }
}
