// Newton's method on Coulomb's law as it is, for islands with friction. docs/theory/contact.md has the derivation.
//
// A pass solves  y - y0 = J^T lambda(u),  u = J y + offset,  where lambda(u) is Coulomb's law with a proximal term:
//     lambda_n = max(0, lambda'_n - u_n / (rho K_n)),
//     lambda_t = lambda'_t - u_t / (rho K_t), back onto the disc of radius mu lambda_n along the radius,
// so that what passes leave alone (lambda = lambda') is an exact answer. The law is no gradient, so the matrix is not
// symmetric. A pass is an implicit step of length 1/rho along what sweeps do: it is taken when it was solved, also
// where the residual rises, since impulses of what jams must grow before anything fits; if not, rho grows.
#include "contact/block_lu.h"
#include "contact/newton_rows.h"

// ---- the law ------------------------------------------------------------------------------------------------

// The impulse at relative velocity u, and how it falls with u.
static void law(const nc_newton_contact *c, const double u[3], double l[3], nc_coulomb_slope *d)
{
    *d = (nc_coulomb_slope){0};
    l[0] = l[1] = l[2] = 0;
    const double zn = -(u[0] + c->centre[0]) / c->weight[0];
    if (!(zn > 0))
        return;
    l[0] = zn;
    d->nn = 1 / c->weight[0];
    if (!(c->friction > 0))
        return;
    const double inv = 1 / c->weight[1], z1 = -(u[1] + c->centre[1]) * inv, z2 = -(u[2] + c->centre[2]) * inv;
    const double limit = c->friction * zn, size = sqrt(z1 * z1 + z2 * z2);
    if (size <= limit) {
        l[1] = z1;
        l[2] = z2;
        d->t11 = d->t22 = inv;
        return;
    }
    const double t1 = z1 / size, t2 = z2 / size, across = limit / size * inv;
    l[1] = limit * t1;
    l[2] = limit * t2;
    d->n1 = c->friction * d->nn * t1;
    d->n2 = c->friction * d->nn * t2;
    d->t11 = across * t2 * t2;
    d->t12 = -across * t1 * t2;
    d->t22 = across * t1 * t1;
}

// g = y - y0 - J^T lambda at y, with the slopes there. Returns its square.
static double find_error(const nc_newton *newton)
{
    const int n = 6 * newton->plan.count;
    double sum = 0;
    nc_newton_velocities(newton);
    for (int i = 0; i < n; i++)
        newton->g[i] = newton->y[i] - newton->y0[i];
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        if (!nc_newton_moves(c))
            continue;
        law(c, c->u, c->lambda, &c->slope);
        const double minus[3] = {-c->lambda[0], -c->lambda[1], -c->lambda[2]};
        if (c->slope.nn > 0)
            nc_newton_add_rows(c, minus, newton->g);
    }
    for (int i = 0; i < n; i++)
        sum += newton->g[i] * newton->g[i];
    return sum;
}

// ---- one pass -----------------------------------------------------------------------------------------------

// p^T D q, added to a block.
static void add_block(double *restrict block, double p[3][6], double q[3][6], const nc_coulomb_slope *d)
{
    double q0[6], q1[6], q2[6];
    for (int j = 0; j < 6; j++) {
        q0[j] = d->nn * q[0][j];
        q1[j] = d->n1 * q[0][j] + d->t11 * q[1][j] + d->t12 * q[2][j];
        q2[j] = d->n2 * q[0][j] + d->t12 * q[1][j] + d->t22 * q[2][j];
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            block[6 * i + j] += p[0][i] * q0[j] + p[1][i] * q1[j] + p[2][i] * q2[j];
    }
}

// 1 + J^T D J.
static void assemble(const nc_newton *newton)
{
    nc_newton_clear_blocks(newton);
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        const nc_coulomb_slope *d = &c->slope;
        if (!nc_newton_moves(c) || d->nn == 0)
            continue;
        if (c->a >= 0)
            add_block(newton->blocks + nc_newton_block(newton, c->a, c->a), c->ja, c->ja, d);
        if (c->b >= 0)
            add_block(newton->blocks + nc_newton_block(newton, c->b, c->b), c->jb, c->jb, d);
        if (c->a < 0 || c->b < 0)
            continue;
        const bool ordered = c->a < c->b;
        const size_t at = ordered ? nc_newton_block(newton, c->a, c->b) : nc_newton_block(newton, c->b, c->a);
        add_block(newton->blocks + at, ordered ? c->jb : c->ja, ordered ? c->ja : c->jb, d);
        add_block(newton->upper + at, ordered ? c->ja : c->jb, ordered ? c->jb : c->ja, d);
    }
}

// Along the direction d as far as the error falls. Returns its square; INFINITY: nowhere.
static double search_line(const nc_newton *newton, double before)
{
    const int n = 6 * newton->plan.count;
    double t = 1;
    memcpy(newton->y_base, newton->y, (size_t)n * sizeof *newton->y);
    for (int k = 0; k < NC_COULOMB_LINE_HALVINGS; k++) {
        for (int i = 0; i < n; i++)
            newton->y[i] = newton->y_base[i] + t * newton->d[i];
        const double now = find_error(newton), bound = 1 - NC_COULOMB_LINE_GAIN * t;
        if (now < bound * bound * before)
            return now;
        t *= 0.5;
    }
    return INFINITY;
}

// One pass, until the error is a speed of at most `tolerance`. False: not found. `weight`: the least compliance [1] of
// a row. Adds to *factorisations.
static bool solve_pass(const nc_newton *newton, double tolerance, double weight, int *factorisations)
{
    const int n = 6 * newton->plan.count;
    double error = find_error(newton);
    const double enough = fmax(tolerance, nc_newton_rounding(newton, weight));
    for (int k = 0; isfinite(error); k++) {
        if (nc_newton_gradient_speed(newton) <= enough)
            return true;
        if (k == NC_COULOMB_PASS_FACTORISATIONS)
            return false;
        assemble(newton);
        ++*factorisations;
        if (!nc_lu_factor(&newton->plan, newton->blocks, newton->upper))
            return false;
        for (int i = 0; i < n; i++)
            newton->d[i] = -newton->g[i];
        nc_lu_solve(&newton->plan, newton->blocks, newton->upper, newton->d);
        error = search_line(newton, error);
    }
    return false;
}

// ---- passes -------------------------------------------------------------------------------------------------

static int factorisations_allowed(const nc_newton *newton)
{
    const double work = 2 * (double)newton->plan.flops + (double)NC_COULOMB_FLOPS_PER_CONTACT * newton->count;
    const double limit = NC_COULOMB_STAGE_FLOPS / work;
    return limit < NC_COULOMB_MIN_FACTORISATIONS
               ? NC_COULOMB_MIN_FACTORISATIONS
               : (limit > NC_COULOMB_MAX_FACTORISATIONS ? NC_COULOMB_MAX_FACTORISATIONS : (int)limit);
}

// Where the passes are.
typedef struct progress {
    double rho;              // [1]
    double first, now, best; // [m/s] residuals
    int factorisations;
    int failures, calm; // running
    int stays;          // passes in which rho does not fall
    bool unreachable;
} progress;

static void one_pass(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, double stop, progress *p)
{
    const double tolerance = NC_COULOMB_INNER_RESIDUAL * fmax(stop, fmin(p->now, NC_COULOMB_INNER_MAX)), rho = p->rho;
    NC_NEWTON_COPY(newton, base, lambda);
    nc_newton_begin_pass(newton, sweeps, rho, compliance);
    const bool solved = solve_pass(newton, tolerance, rho, &p->factorisations);
    if (!solved)
        NC_NEWTON_COPY(newton, lambda, base);
    nc_newton_clip(newton);
    p->now = nc_newton_residual(newton, sweeps, compliance);
    if (!solved)
        p->rho = fmin(NC_COULOMB_RHO_MAX, NC_COULOMB_RHO_UP * rho);
    else if (p->stays == 0)
        p->rho = fmax(NC_COULOMB_RHO_MIN, NC_COULOMB_RHO_DOWN * rho);
    p->stays = !solved ? NC_COULOMB_RHO_STAYS : (p->stays > 0 ? p->stays - 1 : 0);
    p->failures = solved ? 0 : p->failures + 1;
    p->calm = solved && rho == NC_COULOMB_RHO_MIN && !(p->now < NC_COULOMB_STALLED_SHARE * p->best) ? p->calm + 1 : 0;
    p->unreachable = solved && compliance == 0 && rho <= NC_COULOMB_UNREACHABLE_RHO &&
                     p->now > fmax(NC_COULOMB_UNREACHABLE_RESIDUAL * p->first, NC_RESIDUAL_SMALL);
    if (p->now < p->best) {
        p->best = p->now;
        NC_NEWTON_COPY(newton, best, lambda);
    }
}

static bool goes_on(const progress *p, int limit)
{
    const bool enough =
        p->factorisations >= (p->best <= NC_COULOMB_FINE_RESIDUAL && limit > NC_COULOMB_FINE_FACTORISATIONS
                                  ? NC_COULOMB_FINE_FACTORISATIONS
                                  : limit);
    return !enough && p->failures < NC_COULOMB_MAX_FAILURES && p->calm < NC_COULOMB_STALLED_PASSES && !p->unreachable;
}

double nc_newton_coulomb(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, nc_newton_task *task)
{
    const double first = nc_newton_residual(newton, sweeps, compliance);
    progress p = {.rho = NC_COULOMB_RHO_FIRST, .first = first, .now = first, .best = first};
    const int limit = factorisations_allowed(newton);
    NC_NEWTON_COPY(newton, best, lambda);
    while (p.best > task->stop && goes_on(&p, limit))
        one_pass(newton, sweeps, compliance, task->stop, &p);
    task->iterations += p.factorisations;
    task->stalled = p.best > task->stop;
    return p.best;
}
