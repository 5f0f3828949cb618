// See block_cholesky.h.
#include "contact/block_cholesky.h"

#include <math.h>
#include <string.h>

#define B    NC_BLOCK
#define AREA (NC_BLOCK * NC_BLOCK)

// ---- structure ----------------------------------------------------------------------------------------------

static int words_of(int count)
{
    return (count + 63) / 64;
}

size_t nc_cholesky_bit_words(int count)
{
    return (size_t)count * (size_t)words_of(count);
}

static void set_bit(uint64_t *row, int i)
{
    row[i / 64] |= UINT64_C(1) << (i % 64);
}

static void clear_bit(uint64_t *row, int i)
{
    row[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

void nc_cholesky_connect(uint64_t *bits, int count, int a, int b)
{
    const int words = words_of(count);
    if (a == b)
        return;
    set_bit(bits + (size_t)a * (size_t)words, b);
    set_bit(bits + (size_t)b * (size_t)words, a);
}

static int degree_of(const uint64_t *row, int words)
{
    int degree = 0;
    for (int i = 0; i < words; i++)
        degree += __builtin_popcountll(row[i]);
    return degree;
}

// The first node at or after i that the row has; words * 64 if none.
static int next_bit(const uint64_t *row, int words, int i)
{
    int word = i / 64;
    if (word >= words)
        return words * 64;
    uint64_t rest = row[word] & (~UINT64_C(0) << (i % 64));
    while (rest == 0) {
        if (++word == words)
            return words * 64;
        rest = row[word];
    }
    return word * 64 + __builtin_ctzll(rest);
}

// Node p goes: its neighbours become each other's.
static void eliminate(uint64_t *bits, int words, int p, int *degree)
{
    const uint64_t *gone = bits + (size_t)p * (size_t)words;
    for (int i = next_bit(gone, words, 0); i < words * 64; i = next_bit(gone, words, i + 1)) {
        uint64_t *row = bits + (size_t)i * (size_t)words;
        for (int k = 0; k < words; k++)
            row[k] |= gone[k];
        clear_bit(row, p);
        clear_bit(row, i);
        degree[i] = degree_of(row, words);
    }
}

static int fewest(const int *place, const int *degree, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        if (place[i] < 0 && (best < 0 || degree[i] < degree[best]))
            best = i;
    }
    return best;
}

bool nc_cholesky_order(uint64_t *bits, int count, int64_t flop_limit, int *place, int *degree, nc_cholesky_plan *plan)
{
    const int words = words_of(count);
    *plan = (nc_cholesky_plan){.count = count, .place = place};
    for (int i = 0; i < count; i++) {
        place[i] = -1;
        degree[i] = degree_of(bits + (size_t)i * (size_t)words, words);
    }
    for (int column = 0; column < count; column++) {
        const int p = fewest(place, degree, count);
        place[p] = column;
        eliminate(bits, words, p, degree);
        const int64_t below = degree[p];
        plan->block_count += (int)below + 1;
        plan->flops += (int64_t)AREA * (B / 3 + below * B + below * (below + 1) * B);
        if (plan->flops > flop_limit)
            return false;
    }
    return true;
}

static void sort_ascending(int *values, int count)
{
    for (int i = 1; i < count; i++) {
        const int value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

void nc_cholesky_rows(const uint64_t *bits, const int *degree, nc_cholesky_plan *plan, int *begin, int *rows)
{
    const int count = plan->count, words = words_of(count);
    begin[0] = 0;
    for (int i = 0; i < count; i++)
        begin[plan->place[i] + 1] = degree[i];
    for (int j = 0; j < count; j++)
        begin[j + 1] += begin[j];
    for (int p = 0; p < count; p++) {
        const uint64_t *row = bits + (size_t)p * (size_t)words;
        int *out = rows + begin[plan->place[p]], found = 0;
        for (int i = next_bit(row, words, 0); i < words * 64; i = next_bit(row, words, i + 1))
            out[found++] = plan->place[i];
        sort_ascending(out, found);
    }
    plan->begin = begin;
    plan->rows = rows;
}

// ---- numbers ------------------------------------------------------------------------------------------------

int nc_cholesky_block_at(const nc_cholesky_plan *plan, int column, int row)
{
    int low = plan->begin[column], high = plan->begin[column + 1];
    if (row == column)
        return low + column;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (plan->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low + column + 1;
}

static bool factor_diagonal(double *d)
{
    for (int j = 0; j < B; j++) {
        double pivot = d[j * B + j];
        for (int k = 0; k < j; k++)
            pivot -= d[j * B + k] * d[j * B + k];
        if (!(pivot > 0) || !isfinite(pivot))
            return false;
        pivot = sqrt(pivot);
        d[j * B + j] = pivot;
        for (int i = j + 1; i < B; i++) {
            double sum = d[i * B + j];
            for (int k = 0; k < j; k++)
                sum -= d[i * B + k] * d[j * B + k];
            d[i * B + j] = sum / pivot;
        }
    }
    return true;
}

// X with X L^T = A, in place of A.
static void divide(const double *l, double *a)
{
    for (int r = 0; r < B; r++) {
        for (int j = 0; j < B; j++) {
            double sum = a[r * B + j];
            for (int k = 0; k < j; k++)
                sum -= a[r * B + k] * l[j * B + k];
            a[r * B + j] = sum / l[j * B + j];
        }
    }
}

// A -= P Q^T.
static void subtract_product(double *restrict a, const double *restrict p, const double *restrict q)
{
    double turned[AREA];
    for (int i = 0; i < B; i++) {
        for (int k = 0; k < B; k++)
            turned[k * B + i] = q[i * B + k];
    }
    for (int r = 0; r < B; r++) {
        double sum[B] = {0};
        for (int k = 0; k < B; k++) {
            for (int c = 0; c < B; c++)
                sum[c] += p[r * B + k] * turned[k * B + c];
        }
        for (int c = 0; c < B; c++)
            a[r * B + c] -= sum[c];
    }
}

// What column j does to those to its right.
static void push_right(const nc_cholesky_plan *plan, double *blocks, int j)
{
    const int begin = plan->begin[j], end = plan->begin[j + 1];
    for (int q = begin; q < end; q++) {
        const int column = plan->rows[q];
        const double *l = blocks + (size_t)AREA * (size_t)(q + j + 1);
        subtract_product(blocks + (size_t)AREA * (size_t)(plan->begin[column] + column), l, l);
        int at = plan->begin[column];
        for (int p = q + 1; p < end; p++) {
            while (plan->rows[at] != plan->rows[p])
                at++;
            subtract_product(blocks + (size_t)AREA * (size_t)(at + column + 1),
                             blocks + (size_t)AREA * (size_t)(p + j + 1), l);
        }
    }
}

bool nc_cholesky_factor(const nc_cholesky_plan *plan, double *blocks)
{
    for (int j = 0; j < plan->count; j++) {
        double *diagonal = blocks + (size_t)AREA * (size_t)(plan->begin[j] + j);
        if (!factor_diagonal(diagonal))
            return false;
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++)
            divide(diagonal, blocks + (size_t)AREA * (size_t)(q + j + 1));
        push_right(plan, blocks, j);
    }
    return true;
}

static void solve_forward(const nc_cholesky_plan *plan, const double *blocks, double *x)
{
    for (int j = 0; j < plan->count; j++) {
        const double *d = blocks + (size_t)AREA * (size_t)(plan->begin[j] + j);
        double *at = x + (size_t)j * B;
        for (int i = 0; i < B; i++) {
            for (int k = 0; k < i; k++)
                at[i] -= d[i * B + k] * at[k];
            at[i] /= d[i * B + i];
        }
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++) {
            const double *l = blocks + (size_t)AREA * (size_t)(q + j + 1);
            double *below = x + (size_t)plan->rows[q] * B;
            for (int i = 0; i < AREA; i++)
                below[i / B] -= l[i] * at[i % B];
        }
    }
}

static void solve_backward(const nc_cholesky_plan *plan, const double *blocks, double *x)
{
    for (int j = plan->count - 1; j >= 0; j--) {
        const double *d = blocks + (size_t)AREA * (size_t)(plan->begin[j] + j);
        double *at = x + (size_t)j * B;
        for (int q = plan->begin[j]; q < plan->begin[j + 1]; q++) {
            const double *l = blocks + (size_t)AREA * (size_t)(q + j + 1);
            const double *below = x + (size_t)plan->rows[q] * B;
            for (int i = 0; i < AREA; i++)
                at[i % B] -= l[i] * below[i / B];
        }
        for (int i = B - 1; i >= 0; i--) {
            for (int k = i + 1; k < B; k++)
                at[i] -= d[k * B + i] * at[k];
            at[i] /= d[i * B + i];
        }
    }
}

void nc_cholesky_solve(const nc_cholesky_plan *plan, const double *blocks, double *x)
{
    solve_forward(plan, blocks, x);
    solve_backward(plan, blocks, x);
}
