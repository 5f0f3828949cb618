// Knots and links of closed polygons: determinant, linking number, writhe.
#include "geom/geom.h"

// Sines of angles below this are rounding.
#define PARALLEL 1e-12

// ---- Gauss' integral ----------------------------------------------------------------------------------------

// The solid angle, over 4 pi, in which the segments a0 a1 and b0 b1 are seen to cross, with the crossing's sign
// (Klenin and Langowski 2000, method 1a): the area of a spherical quadrangle with these four normals.
static double segment_gauss(nc_vec3 a0, nc_vec3 a1, nc_vec3 b0, nc_vec3 b1)
{
    const nc_vec3 r[4] = {nc_sub(b0, a0), nc_sub(b1, a0), nc_sub(b1, a1), nc_sub(b0, a1)};
    nc_vec3 n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = nc_cross(r[i], r[(i + 1) % 4]);
        const double length = sqrt(nc_dot(n[i], n[i]));
        if (!(length > 0))
            return 0;
        n[i] = nc_scale(1 / length, n[i]);
    }
    double angle = -2 * NC_PI;
    for (int i = 0; i < 4; i++) {
        const double cosine = fmax(-1, fmin(1, nc_dot(n[i], n[(i + 1) % 4])));
        angle += nc_acos(-cosine);
    }
    const nc_vec3 a = nc_sub(a1, a0), b = nc_sub(b1, b0);
    const double sign = nc_dot(nc_cross(b, a), r[0]);
    if (!(fabs(sign) > PARALLEL * sqrt(nc_dot(a, a) * nc_dot(b, b) * nc_dot(r[0], r[0]))))
        return 0; // in one plane
    return sign > 0 ? angle / (4 * NC_PI) : -angle / (4 * NC_PI);
}

double nc_linking_number(const nc_vec3 *a, int count_a, const nc_vec3 *b, int count_b)
{
    double sum = 0;
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++)
            sum += segment_gauss(a[i], a[(i + 1) % count_a], b[j], b[(j + 1) % count_b]);
    return sum;
}

double nc_polygon_writhe(const nc_vec3 *points, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 2; j < count; j++)
            if ((j + 1) % count != i)
                sum += 2 * segment_gauss(points[i], points[i + 1], points[j], points[(j + 1) % count]);
    return sum;
}

// ---- determinant --------------------------------------------------------------------------------------------

// Where the curve passes under itself, and which place is above: both as segment number plus part of it.
typedef struct underpass {
    double under, over;
} underpass;

// A direction that no scene has: polygons in its plane would be seen edge on.
static nc_vec3 seen(nc_vec3 p)
{
    const nc_vec3 u = nc_v3(0.81, 0.36, -0.463), v = nc_v3(-0.27, 0.91, 0.315);
    return nc_v3(nc_dot(u, p), nc_dot(v, p), nc_dot(nc_cross(u, v), p));
}

static bool find_underpass(const nc_vec3 *p, int i, int j, int count, underpass *out)
{
    const nc_vec3 a = p[i], b = p[(i + 1) % count], c = p[j], d = p[(j + 1) % count];
    const double ex = b.x - a.x, ey = b.y - a.y, fx = d.x - c.x, fy = d.y - c.y;
    const double area = ex * fy - ey * fx;
    // Lines as parallel as rounding can tell, on top of each other or not, do not cross.
    if (!(fabs(area) > PARALLEL * (fabs(ex) + fabs(ey)) * (fabs(fx) + fabs(fy))))
        return false;
    const double s = ((c.x - a.x) * fy - (c.y - a.y) * fx) / area;
    const double t = ((c.x - a.x) * ey - (c.y - a.y) * ex) / area;
    if (!(s >= 0 && s < 1 && t >= 0 && t < 1))
        return false;
    const bool first_is_over = a.z + s * (b.z - a.z) > c.z + t * (d.z - c.z);
    out->under = first_is_over ? j + t : i + s;
    out->over = first_is_over ? i + s : j + t;
    return true;
}

static bool under_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const underpass *)a)->under < ((const underpass *)b)->under;
}

// Arithmetic modulo the prime 2^31 - 1.
#define PRIME UINT64_C(2147483647)

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base % PRIME)
        if (exponent & 1)
            result = result * base % PRIME;
    return result;
}

// The determinant of an n x n matrix, by elimination.
static uint64_t determinant(uint64_t *m, int n)
{
    uint64_t result = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        while (pivot < n && m[pivot * n + k] == 0)
            pivot++;
        if (pivot == n)
            return 0;
        for (int c = 0; c < n && pivot != k; c++) {
            const uint64_t swap = m[k * n + c];
            m[k * n + c] = m[pivot * n + c];
            m[pivot * n + c] = swap;
        }
        result = result * m[k * n + k] % PRIME;
        const uint64_t inverse = power(m[k * n + k], PRIME - 2);
        for (int r = k + 1; r < n; r++) {
            const uint64_t factor = m[r * n + k] * inverse % PRIME;
            for (int c = k; c < n && factor != 0; c++)
                m[r * n + c] = (m[r * n + c] + (PRIME - factor) * m[k * n + c]) % PRIME;
        }
    }
    return result;
}

// Arc k runs from underpass k - 1 to underpass k. At underpass k arc k ends, the next begins, and some arc is above:
// the row says 2 x over = x before + x after.
static int64_t colour(const underpass *passes, int count, uint64_t *matrix)
{
    const int n = count - 1; // one row and one column are left out
    for (int k = 0; k < n; k++) {
        int over = 0;
        while (over < count && passes[over].under < passes[k].over)
            over++;
        const int arcs[3] = {over % count, k, (k + 1) % count};
        const uint64_t weights[3] = {2, PRIME - 1, PRIME - 1};
        for (int i = 0; i < 3; i++)
            if (arcs[i] < n)
                matrix[k * n + arcs[i]] = (matrix[k * n + arcs[i]] + weights[i]) % PRIME;
    }
    const uint64_t d = determinant(matrix, n);
    return (int64_t)(d > PRIME / 2 ? PRIME - d : d); // the sign means nothing
}

typedef NC_ARRAY(underpass) underpasses;

static bool find_all(const nc_vec3 *points, int count, const nc_allocator *allocator, underpasses *out)
{
    underpass pass;
    for (int i = 0; i < count; i++)
        for (int j = i + 2; j < count; j++)
            if ((j + 1) % count != i && find_underpass(points, i, j, count, &pass) &&
                !nc_array_push(allocator, out, pass))
                return false;
    return nc_sort(allocator, out->data, (size_t)out->count, sizeof(underpass), under_less, NULL);
}

nc_code nc_knot_determinant(const nc_vec3 *points, int count, const nc_allocator *allocator, int64_t *out,
                            nc_error *err)
{
    const nc_allocator chosen = nc_allocator_or_default(allocator);
    nc_vec3 *flat = nc_alloc(&chosen, (size_t)count, sizeof *flat);
    underpasses passes = {0};
    nc_code code = NC_OK;
    *out = 1;
    for (int i = 0; i < count && flat != NULL; i++)
        flat[i] = seen(points[i]);
    if (flat == NULL || !find_all(flat, count, &chosen, &passes))
        code = nc_fail_memory(err, (size_t)count * sizeof *flat);
    const size_t n = passes.count > 1 ? (size_t)passes.count - 1 : 0;
    uint64_t *matrix = code == NC_OK && n > 0 ? nc_alloc(&chosen, n * n, sizeof *matrix) : NULL;
    if (code == NC_OK && n > 0 && matrix == NULL)
        code = nc_fail_memory(err, n * n * sizeof *matrix);
    if (matrix != NULL)
        *out = colour(passes.data, passes.count, matrix);
    nc_free(&chosen, matrix, n * n, sizeof *matrix);
    nc_free(&chosen, flat, (size_t)count, sizeof *flat);
    nc_array_free(&chosen, &passes);
    return code;
}
