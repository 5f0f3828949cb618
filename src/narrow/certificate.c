// The certificate: one function decides, at every level, that things stay apart.
#include "narrow/narrow.h"

// In units of u: 4 from the inputs, 3 from a dot product of three terms, 1 from the mean of two; 12 leaves room for
// second-order terms and for the rounding of the threshold itself. Underflow adds less than ABSOLUTE.
#define ROUNDING 12.0
#define ABSOLUTE 1e-300

static double larger(double a, double b)
{
    return a > b ? a : b;
}

bool nc_certificate_holds(int count, const nc_vec3 *wa, const nc_vec3 *wb, nc_vec3 n_a, nc_vec3 n_b, nc_vec3 size,
                          double margin)
{
    const double rounding = larger(fabs(n_a.x), fabs(n_b.x)) * size.x + larger(fabs(n_a.y), fabs(n_b.y)) * size.y +
                            larger(fabs(n_a.z), fabs(n_b.z)) * size.z;
    const double length = sqrt(larger(nc_norm2(n_a), nc_norm2(n_b)));
    const double threshold =
        length * margin * (1.0 + 16.0 * NC_UNIT_ROUNDOFF) + ROUNDING * NC_UNIT_ROUNDOFF * rounding + ABSOLUTE;
    bool apart = threshold < INFINITY;
    for (int i = 0; i < count; i++) {
        const double first = nc_dot(n_a, wa[i]), last = nc_dot(n_b, wb[i]);
        const double middle = 0.5 * (nc_dot(n_a, wb[i]) + nc_dot(n_b, wa[i]));
        apart = apart && first > threshold && middle > threshold && last > threshold;
    }
    return apart;
}
