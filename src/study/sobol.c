// The Sobol sequence.
//
// Sobol', USSR Comput. Math. Math. Phys. 7 (1967) 86; primitive polynomials and first direction numbers of Joe and Kuo,
// SIAM J. Sci. Comput. 30 (2008) 2635, table new-joe-kuo-6.
#include "study/study.h"

#define BITS   32
#define DEGREE 7 // of the largest polynomial

// x^degree + ... + 1; the bits of `inner` are its coefficients between, from the highest power.
typedef struct polynomial {
    int degree, inner;
    uint32_t first[DEGREE];
} polynomial;

// Of dimensions 1, 2, ...; dimension 0 is van der Corput's sequence.
static const polynomial polynomials[NC_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static void directions(int dimension, uint32_t out[BITS])
{
    if (dimension == 0) {
        for (int i = 0; i < BITS; i++)
            out[i] = UINT32_C(1) << (BITS - 1 - i);
        return;
    }
    const polynomial *p = &polynomials[dimension - 1];
    for (int i = 0; i < BITS; i++)
        out[i] = i < p->degree ? p->first[i] << (BITS - 1 - i) : 0;
    for (int i = p->degree; i < BITS; i++) {
        out[i] = out[i - p->degree] ^ (out[i - p->degree] >> p->degree);
        for (int k = 1; k < p->degree; k++)
            if ((p->inner >> (p->degree - 1 - k) & 1) != 0)
                out[i] ^= out[i - k];
    }
}

uint32_t nc_sobol(uint32_t index, int dimension)
{
    uint32_t v[BITS], x = 0;
    directions(dimension, v);
    for (int i = 0; i < BITS; i++)
        if ((index >> i & 1) != 0)
            x ^= v[i];
    return x;
}
