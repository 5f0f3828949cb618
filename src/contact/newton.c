// Newton's method: stages, rigid or with compliance, and the convex passes of islands without friction
// (newton_coulomb.c has the others). docs/theory/contact.md has the derivation.
#include "contact/newton_line.h"
#include "contact/newton_rows.h"

// ---- the law of a contact -----------------------------------------------------------------------------------

// The impulse l at relative velocity u, and d = -dl/du: nn, n1, n2, 11, 12, 22. It is minus the gradient of a convex
// function of u, so d is positive semidefinite.

// The pyramid: four sides whose distance is that of the pass before.
static void law(const nc_newton_contact *c, const double u[3], double l[3], double d[6])
{
    const double zn = -(u[0] + c->centre[0]) / c->weight[0];
    l[0] = zn > 0 ? zn : 0;
    memset(d, 0, 6 * sizeof *d);
    d[0] = zn > 0 ? 1 / c->weight[0] : 0;
    l[1] = l[2] = 0;
    if (!(c->limit > 0))
        return;
    const double inv = 1 / c->weight[1], z1 = -(u[1] + c->centre[1]) * inv, z2 = -(u[2] + c->centre[2]) * inv;
    l[1] = fmin(fmax(z1, -c->limit), c->limit);
    l[2] = fmin(fmax(z2, -c->limit), c->limit);
    d[3] = l[1] == z1 ? inv : 0;
    d[5] = l[2] == z2 ? inv : 0;
}

// ---- one convex pass ----------------------------------------------------------------------------------------

// Impulses and gradient at y.
static void find_gradient(const nc_newton *newton)
{
    const int n = 6 * newton->plan.count;
    for (int i = 0; i < n; i++)
        newton->g[i] = newton->y[i] - newton->y0[i];
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        double d[6];
        if (c->a < 0 && c->b < 0)
            continue;
        law(c, c->u, c->lambda, d);
        const double minus[3] = {-c->lambda[0], -c->lambda[1], -c->lambda[2]};
        nc_newton_add_rows(c, minus, newton->g);
    }
}

// p^T D q, added to a block.
static void add_block(double *block, double p[3][6], double q[3][6], const double d[6])
{
    for (int j = 0; j < 6; j++) {
        const double q0 = d[0] * q[0][j] + d[1] * q[1][j] + d[2] * q[2][j];
        const double q1 = d[1] * q[0][j] + d[3] * q[1][j] + d[4] * q[2][j];
        const double q2 = d[2] * q[0][j] + d[4] * q[1][j] + d[5] * q[2][j];
        for (int i = 0; i < 6; i++)
            block[6 * i + j] += p[0][i] * q0 + p[1][i] * q1 + p[2][i] * q2;
    }
}

static void assemble(const nc_newton *newton)
{
    nc_newton_clear_blocks(newton);
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        double l[3], d[6];
        if (c->a < 0 && c->b < 0)
            continue;
        law(c, c->u, l, d);
        if (d[0] == 0 && d[3] == 0 && d[5] == 0)
            continue;
        if (c->a >= 0)
            add_block(newton->blocks + nc_newton_block(newton, c->a, c->a), c->ja, c->ja, d);
        if (c->b >= 0)
            add_block(newton->blocks + nc_newton_block(newton, c->b, c->b), c->jb, c->jb, d);
        if (c->a >= 0 && c->b >= 0 && c->a < c->b)
            add_block(newton->blocks + nc_newton_block(newton, c->a, c->b), c->jb, c->ja, d);
        else if (c->a >= 0 && c->b >= 0)
            add_block(newton->blocks + nc_newton_block(newton, c->b, c->a), c->ja, c->jb, d);
    }
}

// Slope (and its slope) of the objective at y + t d.
static double slope_at(const void *of, nc_line_terms line, double t, double *curve)
{
    const nc_newton *newton = of;
    double slope = line.first + t * line.second;
    *curve = line.second;
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        if (c->a < 0 && c->b < 0)
            continue;
        const double u[3] = {c->u[0] + t * c->du[0], c->u[1] + t * c->du[1], c->u[2] + t * c->du[2]};
        double l[3], d[6];
        law(c, u, l, d);
        slope -= c->du[0] * l[0] + c->du[1] * l[1] + c->du[2] * l[2];
        *curve += d[0] * c->du[0] * c->du[0] + d[3] * c->du[1] * c->du[1] + d[5] * c->du[2] * c->du[2] +
                  2 * (d[1] * c->du[0] * c->du[1] + d[2] * c->du[0] * c->du[2] + d[4] * c->du[1] * c->du[2]);
    }
    return slope;
}

// The minimum along the direction.
static double search_line(const nc_newton *newton)
{
    const int n = 6 * newton->plan.count;
    nc_line_terms line = {0, 0};
    for (int i = 0; i < n; i++) {
        line.first += newton->d[i] * (newton->y[i] - newton->y0[i]);
        line.second += newton->d[i] * newton->d[i];
    }
    return nc_convex_search_line(slope_at, newton, line);
}

// One step. False: nothing can be gained any more, or a number is not finite.
static bool improve(const nc_newton *newton)
{
    const int n = 6 * newton->plan.count;
    assemble(newton);
    if (!nc_cholesky_factor(&newton->plan, newton->blocks))
        return false;
    for (int i = 0; i < n; i++)
        newton->d[i] = -newton->g[i];
    nc_cholesky_solve(&newton->plan, newton->blocks, newton->d);
    for (int i = 0; i < newton->count; i++)
        nc_newton_read_rows(&newton->contacts[i], newton->d, newton->contacts[i].du);
    const double t = search_line(newton);
    if (!(t > 0) || !isfinite(t))
        return false;
    for (int i = 0; i < n; i++)
        newton->y[i] += t * newton->d[i];
    nc_newton_velocities(newton);
    return true;
}

// Minimises the objective of a pass until the gradient is a speed of at most `tolerance`. `weight`: the least
// compliance [1] of a row. Returns the number of factorisations; the impulses are those at the velocities reached.
static int minimise(const nc_newton *newton, double tolerance, double weight)
{
    for (int k = 0;; k++) {
        find_gradient(newton);
        const double speed = nc_newton_gradient_speed(newton);
        if (!(speed > fmax(tolerance, nc_newton_rounding(newton, weight))) || !isfinite(speed) ||
            k == NC_CONVEX_PASS_FACTORISATIONS)
            return k;
        if (!improve(newton))
            return k + 1;
    }
}

// ---- passes -------------------------------------------------------------------------------------------------

// Without friction passes converge: the whole of a long taut chain is worth it. Rubble with friction may not.
static bool rubs(const nc_newton *newton)
{
    for (int i = 0; i < newton->count; i++)
        if (newton->contacts[i].friction > 0)
            return true;
    return false;
}

static int factorisations_allowed(const nc_newton *newton)
{
    const int limit = (rubs(newton) ? NC_CONVEX_FRICTION_WORK : NC_CONVEX_CONTACT_WORK) / newton->count;
    return limit < NC_CONVEX_MIN_FACTORISATIONS
               ? NC_CONVEX_MIN_FACTORISATIONS
               : (limit > NC_CONVEX_MAX_FACTORISATIONS ? NC_CONVEX_MAX_FACTORISATIONS : limit);
}

// From the impulses in `lambda` to the best ones found, in `best`. Returns their residual.
static double run_passes(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, nc_newton_task *task)
{
    double rho = NC_CONVEX_RHO_FIRST, before = nc_newton_residual(newton, sweeps, compliance), best = before;
    const double rho_least = fmax(NC_CONVEX_RHO_MIN, compliance / 3);
    const double first = before;
    const int limit = factorisations_allowed(newton);
    int stalls = 0, factorisations = 0;
    NC_NEWTON_COPY(newton, best, lambda);
    for (int pass = 0;
         pass < NC_CONVEX_PASSES && stalls < NC_CONVEX_MAX_STALLS && factorisations < limit && best > task->stop;
         pass++) {
        nc_newton_begin_pass(newton, sweeps, rho, compliance);
        factorisations += minimise(newton, NC_CONVEX_INNER_RESIDUAL * fmax(task->stop, before), rho);
        nc_newton_clip(newton);
        const double now = nc_newton_residual(newton, sweeps, compliance);
        stalls += now < NC_CONVEX_STALL_SHARE * best || rho > rho_least ? 0 : 1;
        const bool rigid = compliance == 0 || newton->count > NC_CONVEX_SOFT_MAX_CONTACTS;
        if (rigid && pass > NC_CONVEX_EARLY_PASSES &&
            now > fmax(NC_CONVEX_UNREACHABLE_RESIDUAL * first, NC_RESIDUAL_SMALL))
            stalls = NC_CONVEX_MAX_STALLS;
        if (now < best) {
            best = now;
            NC_NEWTON_COPY(newton, best, lambda);
        }
        if (!(now <= NC_CONVEX_DIVERGED * before)) {
            NC_NEWTON_COPY(newton, lambda, best);
            before = nc_newton_residual(newton, sweeps, compliance);
            rho = fmin(1, rho / NC_CONVEX_RHO_NEXT / NC_CONVEX_RHO_NEXT);
            stalls++;
        } else {
            before = now;
            rho = fmax(rho_least, NC_CONVEX_RHO_NEXT * rho);
        }
    }
    task->iterations += factorisations;
    task->stalled = stalls >= NC_CONVEX_MAX_STALLS;
    return best;
}

// Is the law one that no convex pass has?
static bool slides(const nc_newton *newton)
{
    return newton->friction == NC_FRICTION_CONE && rubs(newton);
}

// One stage: Coulomb's law as it is where there is any friction, convex passes elsewhere and for the pyramid.
static double run_stage(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, nc_newton_task *task)
{
    if (slides(newton))
        return nc_newton_coulomb(newton, sweeps, compliance, task);
    return run_passes(newton, sweeps, compliance, task);
}

// Impulses of the contacts to the blocks.
static void store(const nc_newton *newton, const nc_sweeps *sweeps)
{
    for (int i = 0; i < newton->count; i++) {
        const double *l = newton->contacts[i].best;
        sweeps->blocks[i].lambda = nc_v3(l[0], l[1], l[2]);
    }
}

static bool is_small(const nc_newton_task *task, double residual)
{
    return residual <= fmax(task->stop, NC_RESIDUAL_SMALL);
}

// What has an answer with compliance mostly has one without it nearby. Friction: from the soft impulses in `soft` to
// rigid ones in `rigid`, where they are better than those.
static void run_again(const nc_newton *newton, const nc_sweeps *sweeps, nc_newton_task *task)
{
    NC_NEWTON_COPY(newton, lambda, soft);
    const double residual = run_stage(newton, sweeps, 0, task);
    if (!(residual < task->residual))
        return;
    NC_NEWTON_COPY(newton, rigid, best);
    task->residual = residual;
}

// ---- targets that are eased ------------------------------------------------------------------------------------

// Targets of contacts that are to open become this part of what they are.
static void ease(const nc_newton *newton, const nc_sweeps *sweeps, double part)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        nc_block *block = &sweeps->blocks[i];
        if (!(block->target > 0))
            continue;
        c->offset[0] += (1 - part) * block->target;
        block->target *= part;
    }
}

// Targets as they were, from a copy in the contacts.
static void remember_targets(const nc_newton *newton, const nc_sweeps *sweeps)
{
    for (int i = 0; i < newton->count; i++)
        newton->contacts[i].target = sweeps->blocks[i].target;
}

static void recall_targets(const nc_newton *newton, const nc_sweeps *sweeps)
{
    for (int i = 0; i < newton->count; i++) {
        newton->contacts[i].offset[0] += sweeps->blocks[i].target - newton->contacts[i].target;
        sweeps->blocks[i].target = newton->contacts[i].target;
    }
}

// Does a contact that is to open come nearer, by the impulses in `lambda`?
static bool closes(const nc_newton *newton, const nc_sweeps *sweeps)
{
    nc_newton_residual(newton, sweeps, 0);
    for (int i = 0; i < newton->count; i++)
        if (sweeps->blocks[i].target > 0 && newton->contacts[i].u[0] + sweeps->blocks[i].target < -NC_RESIDUAL_SMALL)
            return true;
    return false;
}

// Targets that take impulses without bound: a straight taut chain opens its joints by a micrometre when its links leap
// by millimetres. With compliance they would close. So less of them is requested, and in the end only that nothing
// comes nearer. False: that has no answer either, and all is as it was.
static bool run_eased(const nc_newton *newton, const nc_sweeps *sweeps, nc_newton_task *task)
{
    remember_targets(newton, sweeps);
    for (int k = 0; k < NC_EASE_NEWTON_ATTEMPTS; k++) {
        ease(newton, sweeps, k + 1 < NC_EASE_NEWTON_ATTEMPTS ? NC_EASE_SHARE : 0);
        NC_NEWTON_COPY(newton, lambda, start);
        const double residual = run_stage(newton, sweeps, 0, task);
        if (is_small(task, residual)) {
            task->residual = residual;
            return true;
        }
    }
    recall_targets(newton, sweeps);
    return false;
}

// Targets that cannot be met: as near as the compliance lets them be. Taken if that is solved better.
static void run_soft(const nc_newton *newton, const nc_sweeps *sweeps, nc_newton_task *task)
{
    NC_NEWTON_COPY(newton, rigid, best);
    NC_NEWTON_COPY(newton, lambda, start);
    const double residual = run_stage(newton, sweeps, task->compliance, task);
    NC_NEWTON_COPY(newton, soft, best);
    if (slides(newton) && is_small(task, residual))
        run_again(newton, sweeps, task);
    if (is_small(task, task->residual) || !(residual < NC_SOFT_MIN_GAIN * task->residual)) {
        NC_NEWTON_COPY(newton, best, rigid);
        return;
    }
    NC_NEWTON_COPY(newton, lambda, soft);
    if (task->may_ease && closes(newton, sweeps) && run_eased(newton, sweeps, task))
        return;
    NC_NEWTON_COPY(newton, best, soft);
    task->residual = residual;
    task->soft = true;
    for (int i = 0; i < newton->count; i++)
        nc_block_soften(&sweeps->blocks[i], task->compliance);
}

bool nc_newton_run(nc_newton *newton, const nc_sweeps *sweeps, const nc_velocity_change *before, nc_newton_task *task)
{
    task->iterations = 0;
    task->soft = false;
    if (!nc_newton_load(newton, sweeps, before))
        return false;
    nc_newton_clip(newton);
    NC_NEWTON_COPY(newton, start, lambda);
    task->residual = run_stage(newton, sweeps, 0, task);
    if (!isfinite(task->residual))
        return false;
    if (!is_small(task, task->residual) && task->stalled && task->compliance > 0)
        run_soft(newton, sweeps, task);
    store(newton, sweeps);
    return true;
}
