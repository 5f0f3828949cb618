// Newton's method on Coulomb's law as it is, for islands with joints and friction: the passes of newton_coulomb.c with
// rows of joints in them. docs/theory/joints.md has the derivation.
//
// Rows that are always there (no bounds) have the small weight of joint_newton.c; limits, drives with a maximum,
// normals and friction have a weight that begins large and shrinks, so that Newton's method finds in few steps which of
// them act. The law of friction is no gradient, so the matrix is not symmetric. As there, all in a pass is a change
// since its beginning.
#include "contact/block_lu.h"
#include "contact/joint_links.h"

#include <string.h>

// ---- the law --------------------------------------------------------------------------------------------------

// Changes l of the impulses of a contact at speeds u, less targets, and how they fall with u.
static nc_coulomb_slope contact_law(const nc_link *link, const double u[3], double l[3])
{
    const double n = link->base - u[0] / link->weight;
    nc_coulomb_slope d = {0};
    for (int r = 0; r < 3; r++)
        l[r] = -link[r].base;
    if (!(n > 0))
        return d;
    l[0] = -u[0] / link->weight;
    d.nn = 1 / link->weight;
    if (!(link->friction > 0))
        return d;
    const double inverse = 1 / link[1].weight, change[2] = {-u[1] * inverse, -u[2] * inverse};
    const double z[2] = {link[1].base + change[0], link[2].base + change[1]};
    const double limit = link->friction * n, size = sqrt(z[0] * z[0] + z[1] * z[1]);
    if (size <= limit) {
        l[1] = change[0];
        l[2] = change[1];
        d.t11 = d.t22 = inverse;
        return d;
    }
    const double x = z[0] / size, y = z[1] / size, across = limit / size * inverse;
    l[1] = limit * x - link[1].base;
    l[2] = limit * y - link[2].base;
    d.n1 = link->friction * d.nn * x;
    d.n2 = link->friction * d.nn * y;
    d.t11 = across * y * y;
    d.t12 = -across * x * y;
    d.t22 = across * x * x;
    return d;
}

static void store_slope(nc_link *link, nc_coulomb_slope d)
{
    link->d = d.nn;
    link->slip[0] = d.n1;
    link->slip[1] = d.n2;
    link[1].d = d.t11;
    link[2].d = d.t22;
    link->cross = d.t12;
}

// g = change - J^T l with the slopes there. Returns its square.
static double find_error(const nc_joint_newton *newton)
{
    const int n = 6 * newton->plan.count;
    double sum = 0;
    memcpy(newton->g, newton->change, (size_t)n * sizeof *newton->g);
    for (int i = 0; i < newton->count; i += nc_link_rows(&newton->links[i])) {
        nc_link *link = &newton->links[i];
        const int rows = nc_link_rows(link);
        double l[3] = {0, 0, 0};
        if (rows == 3) {
            const double u[3] = {link->u, link[1].u, link[2].u};
            store_slope(link, contact_law(link, u, l));
        } else {
            l[0] = nc_link_law(link, link->low, link->high, link->u, &link->d);
        }
        for (int r = 0; r < rows; r++) {
            link[r].lambda = link[r].base + l[r];
            nc_link_add(&link[r], -l[r], newton->g);
        }
    }
    for (int i = 0; i < n; i++)
        sum += newton->g[i] * newton->g[i];
    return sum;
}

// ---- one pass -------------------------------------------------------------------------------------------------

// Where row `p` and column `q` of the matrix are.
static double *block_of(const nc_joint_newton *newton, int p, int q)
{
    return p >= q ? newton->blocks + (size_t)36 * (size_t)nc_cholesky_block_at(&newton->plan, q, p)
                  : newton->upper + (size_t)36 * (size_t)nc_cholesky_block_at(&newton->plan, p, q);
}

// p^T D q of a row or a contact, D having 1 or 3 rows.
static void add_products(const nc_link *link, int rows, int e, int f, double *restrict block)
{
    double q[3][6];
    for (int j = 0; j < 6; j++) {
        q[0][j] = link->d * link->j[f][j];
        if (rows == 1)
            continue;
        const double t1 = link[1].j[f][j], t2 = link[2].j[f][j];
        q[1][j] = link->slip[0] * link->j[f][j] + link[1].d * t1 + link->cross * t2;
        q[2][j] = link->slip[1] * link->j[f][j] + link->cross * t1 + link[2].d * t2;
    }
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                block[6 * i + j] += link[r].j[e][i] * q[r][j];
}

static bool has_bounds(const nc_link *link)
{
    return link->kind != NC_LINK_JOINT || isfinite(link->low) || isfinite(link->high);
}

static size_t bytes_of_blocks(const nc_joint_newton *newton)
{
    return (size_t)newton->plan.block_count * 36 * sizeof *newton->blocks;
}

// J^T D J of rows with bounds, or of those without.
static void add_rows(const nc_joint_newton *newton, bool bounds)
{
    for (int i = 0; i < newton->count; i += nc_link_rows(&newton->links[i])) {
        const nc_link *link = &newton->links[i];
        if (!(link->d > 0) || has_bounds(link) != bounds)
            continue;
        for (int e = 0; e < 4; e++)
            for (int f = 0; f < 4; f++)
                if (link->column[e] >= 0 && link->column[f] >= 0)
                    add_products(link, nc_link_rows(link), e, f, block_of(newton, link->column[e], link->column[f]));
    }
}

// The part of the matrix that is the same in all passes: the mass matrix and rows without bounds.
static void assemble_always(const nc_joint_newton *newton)
{
    nc_joint_clear_blocks(newton);
    memset(newton->upper, 0, bytes_of_blocks(newton));
    add_rows(newton, false);
    memcpy(newton->always, newton->blocks, bytes_of_blocks(newton));
    memcpy(newton->always_upper, newton->upper, bytes_of_blocks(newton));
}

// 1 + J^T D J.
static void assemble(const nc_joint_newton *newton)
{
    memcpy(newton->blocks, newton->always, bytes_of_blocks(newton));
    memcpy(newton->upper, newton->always_upper, bytes_of_blocks(newton));
    add_rows(newton, true);
}

static void move(const nc_joint_newton *newton, double t)
{
    for (int i = 0; i < 6 * newton->plan.count; i++)
        newton->change[i] += t * newton->step[i];
    for (int i = 0; i < newton->count; i++)
        newton->links[i].u += t * newton->links[i].du;
}

// Along the step as far as the error falls. Returns its square; INFINITY: nowhere.
static double search_line(const nc_joint_newton *newton, double before)
{
    double t = 1;
    move(newton, 1);
    for (int k = 0; k < NC_COULOMB_LINE_HALVINGS; k++) {
        const double now = find_error(newton), bound = 1 - NC_COULOMB_LINE_GAIN * t;
        if (now < bound * bound * before)
            return now;
        t *= 0.5;
        move(newton, -t);
    }
    return INFINITY;
}

// [m/s] rounding of g: that of speeds of rows that act, which weights turn into impulses.
static double rounding(const nc_joint_newton *newton)
{
    double most = 0;
    for (int i = 0; i < newton->count; i++) {
        const nc_link *link = &newton->links[i];
        if (link->d > 0)
            most = fmax(most, link->k * (fabs(link->lambda) + link->d * fabs(link->u)));
    }
    return 0x1p-50 * most;
}

// One pass, until the error is a speed of at most `tolerance`. False: not found.
static bool solve_pass(const nc_joint_newton *newton, double tolerance, int *factorisations)
{
    const int n = 6 * newton->plan.count;
    double error = find_error(newton);
    for (int k = 0; isfinite(error); k++) {
        if (nc_joint_gradient_speed(newton) <= fmax(tolerance, rounding(newton)))
            return true;
        if (k == NC_COULOMB_PASS_FACTORISATIONS)
            return false;
        assemble(newton);
        ++*factorisations;
        if (!nc_lu_factor(&newton->plan, newton->blocks, newton->upper))
            return false;
        for (int i = 0; i < n; i++)
            newton->step[i] = -newton->g[i];
        nc_lu_solve(&newton->plan, newton->blocks, newton->upper, newton->step);
        for (int i = 0; i < newton->count; i++)
            newton->links[i].du = nc_link_read(&newton->links[i], newton->step);
        error = search_line(newton, error);
    }
    return false;
}

// ---- passes ---------------------------------------------------------------------------------------------------

static void begin_pass(const nc_joint_newton *newton, double rho)
{
    memset(newton->change, 0, (size_t)newton->plan.count * 6 * sizeof *newton->change);
    for (int i = 0; i < newton->count; i++) {
        nc_link *link = &newton->links[i];
        if (link->kind == NC_LINK_NORMAL) // one radius for both tangents
            link[2].k = link[1].k = fmax(link[1].k, link[2].k);
        link->weight = (has_bounds(link) ? rho : NC_JOINT_PROXIMAL) * link->k;
        link->base = link->lambda;
    }
}

typedef struct progress {
    double rho, best; // [1], [m/s] what is left beyond the stops
    int factorisations, failures, calm;
} progress;

// [m/s] what is left beyond what may be. (Relative to that, a small error of joints would count more than a contact
// that does nothing.)
static double too_much(const nc_joint_stops *stops, const nc_joint_fate *fate)
{
    return fmax(0, fmax(fate->joints - stops->joints, fate->contacts - stops->contacts));
}

// One pass with weights `rho`, whose impulses are taken when it was solved.
static bool run_pass(const nc_joint_newton *newton, double rho, double tolerance, progress *p, nc_joint_fate *fate)
{
    begin_pass(newton, rho);
    const bool solved = solve_pass(newton, tolerance, &p->factorisations);
    for (int i = 0; i < newton->count && !solved; i++)
        newton->links[i].lambda = newton->links[i].base;
    nc_joint_clip(newton);
    nc_joint_apply(newton);
    nc_joint_residuals(newton, fate);
    fate->passes++;
    return solved;
}

static void one_pass(const nc_joint_newton *newton, const nc_joint_stops *stops, progress *p, nc_joint_fate *fate)
{
    const double now = too_much(stops, fate), least = fmin(stops->joints, stops->contacts);
    const double tolerance = NC_COULOMB_INNER_RESIDUAL * fmax(least, fmin(now, NC_COULOMB_INNER_MAX));
    const bool solved = run_pass(newton, p->rho, tolerance, p, fate);
    const double left = too_much(stops, fate);
    p->failures = solved ? 0 : p->failures + 1;
    p->calm = solved && p->rho == NC_COULOMB_RHO_MIN && !(left < NC_COULOMB_STALLED_SHARE * p->best) ? p->calm + 1 : 0;
    p->rho = solved ? fmax(NC_COULOMB_RHO_MIN, NC_COULOMB_RHO_DOWN * p->rho)
                    : fmin(NC_COULOMB_RHO_MAX, NC_COULOMB_RHO_UP * NC_COULOMB_RHO_UP * p->rho);
    if (left < p->best) {
        p->best = left;
        nc_joint_keep(newton);
    }
}

void nc_joint_coulomb(const nc_joint_newton *newton, const nc_joint_stops *stops, nc_joint_fate *fate)
{
    nc_joint_residuals(newton, fate);
    nc_joint_keep(newton);
    progress p = {.rho = NC_COULOMB_RHO_FIRST, .best = too_much(stops, fate)};
    if (p.best > 0) {
        begin_pass(newton, p.rho);
        find_error(newton);
        assemble_always(newton);
        nc_joint_restore(newton, fate);
    }
    while (p.best > 0 && p.factorisations < NC_COULOMB_MAX_FACTORISATIONS && p.failures < NC_COULOMB_MAX_FAILURES &&
           p.calm < NC_COULOMB_STALLED_PASSES)
        one_pass(newton, stops, &p, fate);
    nc_joint_restore(newton, fate);
    fate->factorisations += p.factorisations;
}
