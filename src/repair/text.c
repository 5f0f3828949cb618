// Lengths and directions in words.
#include "repair/repair.h"

#include <stdio.h>

#define ALONG 0.996 // [1] cosine (5 degrees): a direction that near an axis has its name

const char *nc_length_text(double metres, char *out, size_t out_size)
{
    const double size = fabs(metres);
    if (size >= 0.1 || size == 0 || !isfinite(metres))
        snprintf(out, out_size, "%.3g m", metres);
    else if (size >= 1e-5)
        snprintf(out, out_size, "%.3g mm", 1e3 * metres);
    else
        snprintf(out, out_size, "%.3g um", 1e6 * metres);
    return out;
}

const char *nc_direction_text(nc_vec3 direction, nc_vec3 gravity, char *out, size_t out_size)
{
    const double length = nc_norm(direction), weight = nc_norm(gravity);
    if (!(length > 0)) {
        snprintf(out, out_size, "nowhere");
        return out;
    }
    const nc_vec3 d = nc_scale(1 / length, direction);
    const double fall = weight > 0 ? nc_dot(d, gravity) / weight : 0;
    const double along[3] = {d.x, d.y, d.z};
    if (fabs(fall) > ALONG) {
        snprintf(out, out_size, "%s", fall > 0 ? "down" : "up");
        return out;
    }
    for (int k = 0; k < 3; k++)
        if (fabs(along[k]) > ALONG) {
            snprintf(out, out_size, "%c%c", along[k] > 0 ? '+' : '-', "xyz"[k]);
            return out;
        }
    snprintf(out, out_size, "(%.2g, %.2g, %.2g)", d.x + 0.0, d.y + 0.0, d.z + 0.0);
    return out;
}
