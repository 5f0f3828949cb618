// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations.
#include "math/math.h"

#define MAX_SWEEPS 24 // convergence is quadratic: five or six are the rule

// One rotation in the plane (p, q) that makes a[p][q] zero: a <- J^T a J, v <- v J.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    const double apq = a[p][q], gap = a[q][q] - a[p][p];
    // t = tan of the smaller of the two angles that do it: t^2 + 2 theta t - 1 = 0, theta = gap / (2 apq)
    double t = apq / gap;
    if (fabs(gap) < 0x1p+60 * fabs(apq)) {
        const double theta = 0.5 * gap / apq;
        t = copysign(1.0 / (fabs(theta) + sqrt(theta * theta + 1.0)), theta);
    }
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c, tau = s / (1.0 + c);
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0;
    const int r = 3 - p - q;
    const double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = arp - s * (arq + tau * arp);
    a[r][q] = a[q][r] = arq + s * (arp - tau * arq);
    for (int i = 0; i < 3; i++) {
        const double vip = v[i][p], viq = v[i][q];
        v[i][p] = vip - s * (viq + tau * vip);
        v[i][q] = viq + s * (vip - tau * viq);
    }
}

// True when a[p][q] is too small to change either diagonal entry's last bits, or a column of v.
static bool negligible(double a[3][3], int p, int q)
{
    const double size = fabs(a[p][q]);
    return size <= 0x1p-60 * fabs(a[p][p]) && size <= 0x1p-60 * fabs(a[q][q]);
}

static void diagonalize(double a[3][3], double v[3][3])
{
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool changed = false;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (a[p][q] != 0 && !negligible(a, p, q)) {
                    rotate(a, v, p, q);
                    changed = true;
                }
        if (!changed)
            return;
    }
}

static void swap_columns(double value[3], double v[3][3], int p, int q)
{
    const double t = value[p];
    value[p] = value[q];
    value[q] = t;
    for (int i = 0; i < 3; i++) {
        const double u = v[i][p];
        v[i][p] = v[i][q];
        v[i][q] = u;
    }
}

// Ascending values; ties keep their order. v stays a proper rotation.
static void sort_columns(double value[3], double v[3][3])
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    bool mirrored = false;
    for (int k = 0; k < 3; k++) {
        const int p = pairs[k][0], q = pairs[k][1];
        if (value[q] < value[p]) {
            swap_columns(value, v, p, q);
            mirrored = !mirrored;
        }
    }
    if (mirrored)
        for (int i = 0; i < 3; i++)
            v[i][2] = -v[i][2];
}

// Turning two eigenvectors round gives eigenvectors again. Of the four rotations, the one nearest to none.
static nc_quat smallest_turn(nc_quat q)
{
    const nc_quat choice[4] = {
        q, nc_q4(-q.x, q.w, q.z, -q.y), // q i
        nc_q4(-q.y, -q.z, q.w, q.x),    // q j
        nc_q4(-q.z, q.y, -q.x, q.w),    // q k
    };
    nc_quat best = q;
    for (int k = 1; k < 4; k++)
        if (fabs(choice[k].w) > fabs(best.w))
            best = choice[k];
    return best.w < 0 ? nc_q4(-best.w, -best.x, -best.y, -best.z) : best;
}

void nc_symmetric_eigen(nc_mat3 m, nc_vec3 *values, nc_quat *axes)
{
    const nc_vec3 upper = nc_v3(m.row[0].y, m.row[0].z, m.row[1].z);
    const double largest = fmax(nc_max3(nc_v3(m.row[0].x, m.row[1].y, m.row[2].z)), nc_max3(upper));
    int scale = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &scale);
    double a[3][3] = {{m.row[0].x, upper.x, upper.y}, {upper.x, m.row[1].y, upper.z}, {upper.y, upper.z, m.row[2].z}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = ldexp(a[i][j], -scale);
    diagonalize(a, v);
    double value[3] = {a[0][0], a[1][1], a[2][2]};
    sort_columns(value, v);
    nc_mat3 r;
    for (int i = 0; i < 3; i++)
        r.row[i] = nc_v3(v[i][0], v[i][1], v[i][2]);
    *values = nc_v3(ldexp(value[0], scale), ldexp(value[1], scale), ldexp(value[2], scale));
    *axes = smallest_turn(nc_quat_from_matrix(r));
}
