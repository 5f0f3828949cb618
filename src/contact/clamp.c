// The one clamp on energy: Su 3.2 for any number of contacts and infinite bodies.
//
// Let dV be the whole change and s the part of it that happens. The kinetic energy changes by s <V, dV>_M +
// s^2/2 |dV|_M^2, and infinite bodies give s W. It rises by at most s W exactly if s <= -2 (<V, dV>_M - W) / |dV|_M^2.
#include "contact/contact.h"

typedef struct nc_change_measure {
    double first;  // <V, dV>_M
    double second; // |dV|_M^2
} nc_change_measure;

// M dV is the impulse, so M itself is not needed.
static nc_change_measure measure(const nc_velocity_change *changes, int count)
{
    nc_change_measure m = {0, 0};
    for (int i = 0; i < count; i++) {
        const nc_velocity_change *c = &changes[i];
        m.first += nc_dot(c->v, c->linear) + nc_dot(c->w, c->angular);
        m.second += c->inv_mass * nc_norm2(c->linear) + nc_dot(c->angular, nc_mat3_mul(c->inv_inertia, c->angular));
    }
    return m;
}

static nc_clamp part(nc_change_measure m, double work, double factor)
{
    const nc_clamp clamp = {factor, factor * work, factor * (m.first + 0.5 * factor * m.second)};
    const nc_clamp nothing = {0, 0, 0};
    return isfinite(m.first) && isfinite(m.second) && isfinite(work) ? clamp : nothing;
}

nc_clamp nc_clamp_find(const nc_velocity_change *changes, int count, double work)
{
    const nc_change_measure m = measure(changes, count);
    const double surplus = -2.0 * (m.first - work);
    double factor = surplus > 0 ? surplus / m.second : 0;
    if (surplus >= m.second)
        factor = 1; // also when there is no change at all
    return part(m, work, factor);
}

nc_clamp nc_clamp_without(const nc_velocity_change *changes, int count, double work)
{
    return part(measure(changes, count), work, 1);
}

void nc_velocity_change_part(const nc_velocity_change *change, double factor, nc_vec3 *v, nc_vec3 *w)
{
    *v = change->v;
    *w = change->w;
    // Where nothing happens the bits stay, whatever the change was (adding 0 would turn -0 into 0).
    if (!(factor > 0) || (nc_max3(change->linear) == 0 && nc_max3(change->angular) == 0))
        return;
    *v = nc_madd(*v, factor * change->inv_mass, change->linear);
    *w = nc_madd(*w, factor, nc_mat3_mul(change->inv_inertia, change->angular));
}
