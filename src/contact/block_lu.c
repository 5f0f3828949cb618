// See block_lu.h.
#include "contact/block_lu.h"

#include "math/math.h"

#define B    NC_BLOCK
#define AREA (NC_BLOCK * NC_BLOCK)

// What is inlined is compiled twice, see nc_lu_factor.

NC_INLINE void swap_rows(double *m, int i, int k)
{
    for (int c = 0; c < B && i != k; c++) {
        const double other = m[i * B + c];
        m[i * B + c] = m[k * B + c];
        m[k * B + c] = other;
    }
}

NC_INLINE int largest_in_column(const double *m, int column)
{
    int best = column;
    for (int i = column + 1; i < B; i++) {
        if (fabs(m[i * B + column]) > fabs(m[best * B + column]))
            best = i;
    }
    return best;
}

// The inverse in place of d, by Gauss and Jordan.
NC_INLINE bool invert(double *d)
{
    double m[AREA], inverse[AREA] = {0};
    memcpy(m, d, sizeof m);
    for (int i = 0; i < B; i++)
        inverse[i * B + i] = 1;
    for (int j = 0; j < B; j++) {
        const int pivot = largest_in_column(m, j);
        const double scale = 1 / m[pivot * B + j];
        if (!isfinite(scale) || scale == 0)
            return false;
        swap_rows(m, pivot, j);
        swap_rows(inverse, pivot, j);
        for (int c = 0; c < B; c++) {
            m[j * B + c] *= scale;
            inverse[j * B + c] *= scale;
        }
        for (int i = 0; i < B; i++) {
            const double part = m[i * B + j];
            for (int c = 0; c < B && i != j; c++) {
                m[i * B + c] -= part * m[j * B + c];
                inverse[i * B + c] -= part * inverse[j * B + c];
            }
        }
    }
    memcpy(d, inverse, sizeof inverse);
    return true;
}

// out = p q.
NC_INLINE void multiply(double *restrict out, const double *restrict p, const double *restrict q)
{
    for (int r = 0; r < B; r++) {
        double sum[B] = {0};
        for (int k = 0; k < B; k++) {
            for (int c = 0; c < B; c++)
                sum[c] += p[r * B + k] * q[k * B + c];
        }
        memcpy(out + (size_t)r * B, sum, sizeof sum);
    }
}

// a -= p q.
NC_INLINE void subtract_product(double *restrict a, const double *restrict p, const double *restrict q)
{
    double product[AREA];
    multiply(product, p, q);
    for (int i = 0; i < AREA; i++)
        a[i] -= product[i];
}

NC_INLINE size_t at(int block)
{
    return (size_t)AREA * (size_t)block;
}

// What column and row j do to the rest.
NC_INLINE void push_on(const nc_cholesky_plan *plan, double *lower, double *upper, int j)
{
    const int begin = plan->begin[j], end = plan->begin[j + 1];
    for (int q = begin; q < end; q++) {
        const int column = plan->rows[q];
        subtract_product(lower + at(plan->begin[column] + column), lower + at(q + j + 1), upper + at(q + j + 1));
        int place = plan->begin[column];
        for (int p = q + 1; p < end; p++) {
            while (plan->rows[place] != plan->rows[p])
                place++;
            subtract_product(lower + at(place + column + 1), lower + at(p + j + 1), upper + at(q + j + 1));
            subtract_product(upper + at(place + column + 1), lower + at(q + j + 1), upper + at(p + j + 1));
        }
    }
}

NC_INLINE bool factor(const nc_cholesky_plan *plan, double *lower, double *upper)
{
    for (int j = 0; j < plan->count; j++) {
        double *diagonal = lower + at(plan->begin[j] + j);
        if (!invert(diagonal))
            return false;
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++) {
            double block[AREA];
            memcpy(block, lower + at(q + j + 1), sizeof block);
            multiply(lower + at(q + j + 1), block, diagonal);
        }
        push_on(plan, lower, upper, j);
    }
    return true;
}

#ifdef NC_AVX2
// The same operations in the same order: the same bits.
NC_AVX2 static bool factor_avx2(const nc_cholesky_plan *plan, double *lower, double *upper)
{
    return factor(plan, lower, upper);
}
#endif

bool nc_lu_factor(const nc_cholesky_plan *plan, double *lower, double *upper)
{
#ifdef NC_AVX2
    if (nc_has_avx2())
        return factor_avx2(plan, lower, upper);
#endif
    return factor(plan, lower, upper);
}

static void subtract_from(double *restrict x, const double *restrict block, const double *restrict y)
{
    for (int r = 0; r < B; r++) {
        for (int c = 0; c < B; c++)
            x[r] -= block[r * B + c] * y[c];
    }
}

void nc_lu_solve(const nc_cholesky_plan *plan, const double *lower, const double *upper, double *x)
{
    for (int j = 0; j < plan->count; j++) {
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++)
            subtract_from(x + (size_t)plan->rows[q] * B, lower + at(q + j + 1), x + (size_t)j * B);
    }
    for (int j = plan->count - 1; j >= 0; j--) {
        double rest[B], *here = x + (size_t)j * B;
        memcpy(rest, here, sizeof rest);
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++)
            subtract_from(rest, upper + at(q + j + 1), x + (size_t)plan->rows[q] * B);
        memset(here, 0, B * sizeof *here);
        const double *inverse = lower + at(plan->begin[j] + j);
        for (int r = 0; r < B; r++) {
            for (int c = 0; c < B; c++)
                here[r] += inverse[r * B + c] * rest[c];
        }
    }
}
