// Rows of an island with joints: what both of its Newton methods do with them.
#include "contact/joint_links.h"

#include <string.h>

static double clamped(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

double nc_link_read(const nc_link *link, const double *y)
{
    double sum = 0;
    for (int e = 0; e < 4; e++)
        if (link->column[e] >= 0)
            sum += nc_dot6(link->j[e], y + 6 * link->column[e]);
    return sum;
}

double nc_link_speed(const nc_link *link, const double *y)
{
    return nc_link_read(link, y) + link->still;
}

void nc_link_add(const nc_link *link, double factor, double *y)
{
    for (int e = 0; e < 4; e++)
        for (int i = 0; i < 6 && link->column[e] >= 0; i++)
            y[6 * link->column[e] + i] += factor * link->j[e][i];
}

double nc_link_law(const nc_link *link, double low, double high, double u, double *d)
{
    const double inverse = 1 / (link->weight + link->compliance), z = -(u + link->compliance * link->base) * inverse;
    *d = z > low - link->base && z < high - link->base ? inverse : 0;
    return clamped(z, low - link->base, high - link->base);
}

// ---- all rows -------------------------------------------------------------------------------------------------

void nc_joint_speeds(const nc_joint_newton *newton)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].u = nc_link_speed(&newton->links[i], newton->y) - newton->links[i].target;
}

double nc_joint_gradient_speed(const nc_joint_newton *newton)
{
    double speed = 0;
    for (int i = 0; i < newton->count; i++)
        speed = fmax(speed, fabs(nc_link_read(&newton->links[i], newton->g)));
    return speed;
}

void nc_joint_clear_blocks(const nc_joint_newton *newton)
{
    const nc_cholesky_plan *plan = &newton->plan;
    memset(newton->blocks, 0, (size_t)plan->block_count * 36 * sizeof *newton->blocks);
    for (int c = 0; c < plan->count; c++)
        for (int i = 0; i < 6; i++)
            newton->blocks[(size_t)36 * (size_t)(plan->begin[c] + c) + (size_t)(7 * i)] = 1;
}

void nc_joint_clip(const nc_joint_newton *newton)
{
    for (int i = 0; i < newton->count; i++) {
        nc_link *link = &newton->links[i];
        if (link->kind != NC_LINK_NORMAL)
            continue;
        const double limit = link->friction * link->lambda, x = link[1].lambda, y = link[2].lambda;
        const double size = newton->friction == NC_FRICTION_CONE ? sqrt(x * x + y * y) : fmax(fabs(x), fabs(y));
        for (int r = 1; r < 3 && size > limit; r++)
            link[r].lambda *= limit / size;
    }
}

void nc_joint_apply(const nc_joint_newton *newton)
{
    memcpy(newton->y, newton->y0, (size_t)newton->plan.count * 6 * sizeof *newton->y);
    for (int i = 0; i < newton->count; i++)
        nc_link_add(&newton->links[i], newton->links[i].lambda, newton->y);
    nc_joint_speeds(newton);
}

// [m/s] how far a contact's friction is from Coulomb's law.
static double friction_residual(const nc_joint_newton *newton, const nc_link *link)
{
    const double limit = link->friction * link->lambda, k = fmax(link[1].k, link[2].k);
    double x = link[1].lambda - link[1].u / k, y = link[2].lambda - link[2].u / k;
    if (newton->friction == NC_FRICTION_CONE) {
        const double size = sqrt(x * x + y * y), part = size > limit ? limit / size : 1;
        x *= part;
        y *= part;
    } else {
        x = clamped(x, -limit, limit);
        y = clamped(y, -limit, limit);
    }
    return k * fmax(fabs(x - link[1].lambda), fabs(y - link[2].lambda));
}

// What is not a number is infinitely far from any law.
static double worse(double most, double here)
{
    return isnan(here) ? INFINITY : fmax(most, here);
}

void nc_joint_residuals(const nc_joint_newton *newton, nc_joint_fate *fate)
{
    fate->joints = fate->contacts = 0;
    for (int i = 0; i < newton->count; i++) {
        const nc_link *link = &newton->links[i];
        const double k = link->k + link->compliance;
        if (link->kind == NC_LINK_TANGENT)
            continue;
        const double to =
            clamped(link->lambda - (link->u + link->compliance * link->lambda) / k, link->low, link->high);
        const double here = k * fabs(to - link->lambda);
        if (link->kind == NC_LINK_JOINT)
            fate->joints = worse(fate->joints, here);
        else
            fate->contacts = worse(fate->contacts, here);
        if (link->kind == NC_LINK_NORMAL && link->friction > 0)
            fate->contacts = worse(fate->contacts, friction_residual(newton, link));
    }
}

void nc_joint_keep(const nc_joint_newton *newton)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].kept = newton->links[i].lambda;
}

void nc_joint_restore(const nc_joint_newton *newton, nc_joint_fate *fate)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].lambda = newton->links[i].kept;
    nc_joint_apply(newton);
    nc_joint_residuals(newton, fate);
}
