// Eigenvalues: Jacobi's rotations for symmetric matrices; Hessenberg form and shifted QR steps for others.
#include "bench/papers/dense_eigen.h"

#include <math.h>
#include <stdlib.h>

#define A(i, j) a[(size_t)(i) * (size_t)n + (size_t)(j)]

// ---- symmetric --------------------------------------------------------------------------------------------------

static void rotate(double *a, int n, int p, int q)
{
    const double theta = 0.5 * (A(q, q) - A(p, p)) / A(p, q);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double x = A(k, p), y = A(k, q);
        A(k, p) = c * x - s * y;
        A(k, q) = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        const double x = A(p, k), y = A(q, k);
        A(p, k) = c * x - s * y;
        A(q, k) = s * x + c * y;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void nc_eigen_symmetric(double *a, int n, double *out)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(A(i, i)));
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                off = fmax(off, fabs(A(p, q)));
                if (fabs(A(p, q)) > 1e-17 * size)
                    rotate(a, n, p, q);
            }
        if (off <= 1e-14 * size)
            break;
    }
    for (int i = 0; i < n; i++)
        out[i] = A(i, i);
    qsort(out, (size_t)n, sizeof *out, ascending);
}

// ---- general ----------------------------------------------------------------------------------------------------

// Householder reflections to upper Hessenberg form; v has n entries.
static void to_hessenberg(double *a, int n, double *v)
{
    for (int m = 1; m < n - 1; m++) {
        double norm = 0;
        for (int i = m; i < n; i++)
            norm += A(i, m - 1) * A(i, m - 1);
        norm = sqrt(norm);
        if (norm == 0)
            continue;
        double size = 0;
        for (int i = m; i < n; i++) {
            v[i] = A(i, m - 1) + (i == m ? (A(m, m - 1) >= 0 ? norm : -norm) : 0);
            size += v[i] * v[i];
        }
        for (int j = m - 1; j < n; j++) {
            double dot = 0;
            for (int i = m; i < n; i++)
                dot += v[i] * A(i, j);
            for (int i = m; i < n; i++)
                A(i, j) -= 2 * dot / size * v[i];
        }
        for (int i = 0; i < n; i++) {
            double dot = 0;
            for (int j = m; j < n; j++)
                dot += v[j] * A(i, j);
            for (int j = m; j < n; j++)
                A(i, j) -= 2 * dot / size * v[j];
        }
        for (int i = m + 1; i < n; i++)
            A(i, m - 1) = 0;
    }
}

// The two eigenvalues of the 2x2 block at (k - 1, k).
static void two_values(const double *a, int n, int k, double *re, double *im)
{
    const double p = 0.5 * (A(k - 1, k - 1) + A(k, k));
    const double d = A(k - 1, k - 1) * A(k, k) - A(k - 1, k) * A(k, k - 1), q = p * p - d;
    if (q >= 0) {
        const double r = p + (p >= 0 ? sqrt(q) : -sqrt(q));
        re[k - 1] = r;
        re[k] = r != 0 ? d / r : 0;
        im[k - 1] = im[k] = 0;
    } else {
        re[k - 1] = re[k] = p;
        im[k - 1] = sqrt(-q);
        im[k] = -im[k - 1];
    }
}

// One double-shift step on rows and columns [low, high], by Householder reflections of three rows.
static void qr_step(double *a, int n, int low, int high, bool unusual)
{
    double s = A(high - 1, high - 1) + A(high, high);
    double t = A(high - 1, high - 1) * A(high, high) - A(high - 1, high) * A(high, high - 1);
    if (unusual) {
        const double w = fabs(A(high, high - 1)) + fabs(A(high - 1, high - 2));
        s = 1.5 * w;
        t = w * w;
    }
    double x = A(low, low) * A(low, low) + A(low, low + 1) * A(low + 1, low) - s * A(low, low) + t;
    double y = A(low + 1, low) * (A(low, low) + A(low + 1, low + 1) - s);
    double z = low + 2 <= high ? A(low + 1, low) * A(low + 2, low + 1) : 0;
    for (int k = low; k < high; k++) {
        const int rows = k + 2 <= high ? 3 : 2;
        double v[3] = {x, y, rows == 3 ? z : 0};
        const double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (norm > 0) {
            v[0] += v[0] >= 0 ? norm : -norm;
            const double scale = 2 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            for (int j = k > low ? k - 1 : low; j < n; j++) {
                double dot = 0;
                for (int i = 0; i < rows; i++)
                    dot += v[i] * A(k + i, j);
                for (int i = 0; i < rows; i++)
                    A(k + i, j) -= scale * dot * v[i];
            }
            const int last = k + 3 < high ? k + 3 : high;
            for (int i = 0; i <= last; i++) {
                double dot = 0;
                for (int j = 0; j < rows; j++)
                    dot += v[j] * A(i, k + j);
                for (int j = 0; j < rows; j++)
                    A(i, k + j) -= scale * dot * v[j];
            }
        }
        for (int i = 1; i < rows && k > low; i++)
            A(k + i, k - 1) = 0; // but for rounding it is already
        x = A(k + 1, k);
        y = k + 2 <= high ? A(k + 2, k) : 0;
        z = k + 3 <= high ? A(k + 3, k) : 0;
    }
}

static double largest(const double *a, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(A(i, j)));
    return most;
}

// The first row of the block that ends at `high` and hangs together.
static int block_begin(double *a, int n, int high, double size)
{
    int low = high;
    while (low > 0) {
        const double near = fabs(A(low - 1, low - 1)) + fabs(A(low, low));
        if (fabs(A(low, low - 1)) <= 1e-14 * (near + size)) {
            A(low, low - 1) = 0;
            break;
        }
        low--;
    }
    return low;
}

bool nc_eigen_general(double *a, int n, double *re, double *im)
{
    to_hessenberg(a, n, im); // `im` is free until the end
    const double size = largest(a, n);
    int high = n - 1, tries = 0;
    while (high >= 0) {
        const int low = block_begin(a, n, high, size);
        if (low == high) {
            re[high] = A(high, high);
            im[high] = 0;
            high -= 1;
            tries = 0;
        } else if (low == high - 1) {
            two_values(a, n, high, re, im);
            high -= 2;
            tries = 0;
        } else if (++tries > 500) {
            return false;
        } else {
            qr_step(a, n, low, high, tries % 10 == 0);
        }
    }
    return true;
}
