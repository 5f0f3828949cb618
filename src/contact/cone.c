// The friction subproblem of one contact on a round cone, exactly: a trust-region problem in two dimensions.
#include "contact/solver.h"

// l_i = b_i / (k_i + nu) with nu > 0 such that |l| = limit. 1/|l| is concave in nu, so Newton on 1/|l| = 1/limit
// climbs to the root from the left, where the lower bound below starts it.
static void slide(double k1, double k2, double limit, double b1, double b2, double *l1, double *l2)
{
    double nu = fmax(0, sqrt(b1 * b1 + b2 * b2) / limit - fmax(k1, k2));
    double size = 0;
    for (int i = 0; i < 12; i++) {
        *l1 = b1 / (k1 + nu);
        *l2 = b2 / (k2 + nu);
        const double size2 = *l1 * *l1 + *l2 * *l2;
        size = sqrt(size2);
        if (!(size - limit > 0x1p-44 * limit))
            break;
        nu += (size / limit - 1.0) * size2 / (*l1 * *l1 / (k1 + nu) + *l2 * *l2 / (k2 + nu));
    }
    *l1 *= limit / size;
    *l2 *= limit / size;
}

void nc_cone_project(double k1, double k2, double limit, double u1, double u2, double *l1, double *l2)
{
    if (!(limit > 0)) {
        *l1 = 0;
        *l2 = 0;
        return;
    }
    const double b1 = k1 * *l1 - u1, b2 = k2 * *l2 - u2;
    const double stick1 = b1 / k1, stick2 = b2 / k2;
    if (stick1 * stick1 + stick2 * stick2 <= limit * limit) {
        *l1 = stick1;
        *l2 = stick2;
        return;
    }
    slide(k1, k2, limit, b1, b2, l1, l2);
}
