// The exact line search of the Newton methods of this folder.
#include "contact/newton_line.h"
#include "base/base.h"

#include <math.h>

double nc_convex_search_line(nc_line_slope *slope_at, const void *of, nc_line_terms line)
{
    double curve;
    const double start = slope_at(of, line, 0, &curve);
    if (!(start < 0))
        return 0;
    double low = 0, high = INFINITY, t = 1;
    for (int k = 0; k < NC_CONVEX_LINE_STEPS; k++) {
        const double slope = slope_at(of, line, t, &curve);
        if (!(fabs(slope) > NC_CONVEX_LINE_SLOPE * -start))
            break;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = t - slope / curve;
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * t : 0.5 * (low + high);
        if (next == t)
            break;
        t = next;
    }
    return t;
}
