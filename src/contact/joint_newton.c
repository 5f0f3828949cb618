// Newton's method for an island with joints, at the level of velocities. docs/theory/joints.md has the derivation.
//
// With scaled velocities y (mass matrix 1) the island minimises 1/2 |y - y0|^2 + sum of psi(u), u the speeds of rows
// less their targets. psi is that of a proximal pass: the impulse of a row is
//   lambda = clamp(-(u - w base) / (w + compliance), low, high),
// w a small part of J J^T and base the impulse of the pass before. Passes converge to the rigid rows even where they
// are redundant or heavy loads hang on light links: an error falls by the factor w / (w + s) per pass, s being the
// smallest eigenvalue of J J^T, and w is 1e-8 of its diagonal. Friction is held to the pyramid that the normal impulse
// of the pass before allows; islands with friction in a cone are solved by joint_coulomb.c. Each pass is solved by
// Newton's method with a sparse Cholesky factorisation by bodies and an exact line search; a pass without contacts and
// bounds is one linear solve. Within a pass everything is a change since its beginning: velocities would lose to
// rounding what division by w needs.
#include "contact/joint_links.h"
#include "contact/newton_line.h"

#include <string.h>

// ---- the law --------------------------------------------------------------------------------------------------

// Changes of impulses and slopes of a row, or of the three rows of a contact (friction: the pyramid), at speeds u.
static void law(const nc_joint_newton *newton, const nc_link *link, const double *u, double *l, double *d)
{
    l[0] = nc_link_law(link, link->low, link->high, u[0], &d[0]);
    if (link->kind != NC_LINK_NORMAL)
        return;
    if (newton->frozen) {
        l[1] = l[2] = d[1] = d[2] = 0;
        return;
    }
    l[1] = -link[1].base;
    l[2] = -link[2].base;
    d[1] = d[2] = 0;
    if (!(link->limit > 0))
        return;
    for (int k = 1; k < 3; k++)
        l[k] = nc_link_law(&link[k], -link->limit, link->limit, u[k], &d[k]);
}

// ---- one pass -------------------------------------------------------------------------------------------------

// Impulses, their slopes and the gradient at y. True: the slopes are what they were.
static bool find_gradient(const nc_joint_newton *newton)
{
    bool same = true;
    for (int i = 0; i < 6 * newton->plan.count; i++)
        newton->g[i] = newton->change[i];
    for (int i = 0; i < newton->count; i += nc_link_rows(&newton->links[i])) {
        nc_link *link = &newton->links[i];
        const double u[3] = {link->u, nc_link_rows(link) == 3 ? link[1].u : 0, nc_link_rows(link) == 3 ? link[2].u : 0};
        double l[3], d[3] = {0, 0, 0};
        law(newton, link, u, l, d);
        same = same && d[0] == link->d;
        link->d = d[0];
        for (int r = 0; r < nc_link_rows(link); r++) {
            link[r].lambda = link[r].base + l[r];
            nc_link_add(&link[r], -l[r], newton->g);
        }
        if (link->kind != NC_LINK_NORMAL)
            continue;
        same = same && d[1] == link[1].d && d[2] == link[2].d;
        link[1].d = d[1];
        link[2].d = d[2];
    }
    return same;
}

// d p^T q, into the lower blocks.
static void add_product(const nc_joint_newton *newton, const nc_link *p, const nc_link *q, double d)
{
    for (int e = 0; e < 4; e++)
        for (int f = 0; f < 4; f++) {
            if (p->column[e] < 0 || q->column[f] < 0 || p->column[e] < q->column[f])
                continue;
            double *block =
                newton->blocks + (size_t)36 * (size_t)nc_cholesky_block_at(&newton->plan, q->column[f], p->column[e]);
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    block[6 * i + j] += d * p->j[e][i] * q->j[f][j];
        }
}

static bool factor(const nc_joint_newton *newton)
{
    const nc_cholesky_plan *plan = &newton->plan;
    nc_joint_clear_blocks(newton);
    for (int i = 0; i < newton->count; i++) {
        const nc_link *link = &newton->links[i];
        if (link->d > 0)
            add_product(newton, link, link, link->d);
    }
    return nc_cholesky_factor(plan, newton->blocks);
}

// Slope of the objective at y + t step, and its slope.
static double slope_at(const void *of, nc_line_terms line, double t, double *curve)
{
    const nc_joint_newton *newton = of;
    double slope = line.first + t * line.second;
    *curve = line.second;
    for (int i = 0; i < newton->count; i += nc_link_rows(&newton->links[i])) {
        const nc_link *link = &newton->links[i];
        double u[3] = {0, 0, 0}, l[3] = {0, 0, 0}, d[3] = {0, 0, 0};
        for (int r = 0; r < nc_link_rows(link); r++)
            u[r] = link[r].u + t * link[r].du;
        law(newton, link, u, l, d);
        for (int r = 0; r < nc_link_rows(link); r++)
            slope -= link[r].du * l[r];
        *curve += d[0] * link->du * link->du;
        if (link->kind == NC_LINK_NORMAL)
            *curve += d[1] * link[1].du * link[1].du + d[2] * link[2].du * link[2].du;
    }
    return slope;
}

// The minimum along the direction; 0 where there is none.
static double search_line(const nc_joint_newton *newton)
{
    nc_line_terms line = {0, 0};
    for (int i = 0; i < 6 * newton->plan.count; i++) {
        line.first += newton->step[i] * newton->change[i];
        line.second += newton->step[i] * newton->step[i];
    }
    return nc_convex_search_line(slope_at, newton, line);
}

// Minimises the objective of a pass. Returns whether it came as far as it can. `*known`: the blocks hold the factor for
// the slopes in the links.
static bool minimise(const nc_joint_newton *newton, double tolerance, bool *known, int *factorisations)
{
    for (int k = 0; k < NC_JOINT_PASS_STEPS; k++) {
        *known = find_gradient(newton) && *known;
        if (!(nc_joint_gradient_speed(newton) > tolerance))
            return true;
        if (!*known) {
            (*factorisations)++;
            if (!factor(newton))
                return true;
            *known = true;
        }
        for (int i = 0; i < 6 * newton->plan.count; i++)
            newton->step[i] = -newton->g[i];
        nc_cholesky_solve(&newton->plan, newton->blocks, newton->step);
        for (int i = 0; i < newton->count; i++)
            newton->links[i].du = nc_link_read(&newton->links[i], newton->step);
        const double t = search_line(newton);
        if (!(t > 0) || !isfinite(t))
            return true;
        for (int i = 0; i < 6 * newton->plan.count; i++)
            newton->change[i] += t * newton->step[i];
        for (int i = 0; i < newton->count; i++)
            newton->links[i].u += t * newton->links[i].du;
    }
    return false;
}

// ---- passes ---------------------------------------------------------------------------------------------------

static void begin_pass(const nc_joint_newton *newton, double contact_weight)
{
    memset(newton->change, 0, (size_t)newton->plan.count * 6 * sizeof *newton->change);
    for (int i = 0; i < newton->count; i++) {
        nc_link *link = &newton->links[i];
        link->weight = (link->kind == NC_LINK_JOINT ? NC_JOINT_PROXIMAL : contact_weight) * link->k;
        link->base = link->lambda;
        link->limit = link->friction * fmax(0, link->lambda);
        if (link->kind == NC_LINK_NORMAL) // one radius for both tangents
            link[2].k = link[1].k = fmax(link[1].k, link[2].k);
    }
}

// One pass. Impulses are speeds divided by small weights, so a pass that does not come to its minimum has impulses
// without meaning: it is taken back, and the next one has larger weights, with which it takes fewer steps.
static void run_pass(const nc_joint_newton *newton, double tolerance, double *weight, bool *known, nc_joint_fate *fate)
{
    begin_pass(newton, *weight);
    const bool found = minimise(newton, tolerance, known, &fate->factorisations);
    if (!found && *weight < NC_JOINT_CONTACT_PROXIMAL_MOST) {
        for (int i = 0; i < newton->count; i++)
            newton->links[i].lambda = newton->links[i].base;
        *weight *= NC_JOINT_CONTACT_PROXIMAL_STEP;
        *known = false;
    } else if (!newton->frozen) {
        nc_joint_clip(newton);
    }
    nc_joint_apply(newton);
    nc_joint_residuals(newton, fate);
    fate->passes++;
}

// [1] what is left, as a part of what may be. Friction that stays as it is must not make contacts worse.
static double worst_of(const nc_joint_newton *newton, const nc_joint_stops *stops, const nc_joint_fate *fate)
{
    if (newton->frozen && !(fate->contacts <= stops->contacts))
        return INFINITY;
    return fmax(fate->joints / stops->joints, fate->contacts / stops->contacts);
}

// Passes until the rows hold, or that does not get better. Friction that grows with the normal impulses that it causes,
// and targets that cannot all be met, make impulses grow from pass to pass: what is left behind is the best that there
// was.
static void run_passes(const nc_joint_newton *newton, const nc_joint_stops *stops, nc_joint_fate *fate)
{
    const int end = fate->passes + NC_JOINT_PASSES;
    nc_joint_residuals(newton, fate);
    nc_joint_keep(newton);
    double best = worst_of(newton, stops, fate), worst = best, weight = NC_JOINT_CONTACT_PROXIMAL;
    bool known = false;
    for (int stalls = 0; worst > 1 && fate->passes < end && stalls < NC_JOINT_STALLS;) {
        const double before = weight;
        run_pass(newton, 0.01 * fmin(stops->joints, stops->contacts), &weight, &known, fate);
        if (weight > before)
            continue;
        worst = worst_of(newton, stops, fate);
        stalls += worst < NC_JOINT_STALL_SHARE * best ? 0 : 1;
        if (worst < best)
            nc_joint_keep(newton);
        best = fmin(best, worst);
    }
    if (!(worst <= best) || worst == INFINITY)
        nc_joint_restore(newton, fate);
}

// Where joints are left with more than they may be, friction stays as it is and everything else is solved once more, as
// long as contacts do not get much worse: joints hold, and friction alone is not quite as its law says.
nc_joint_fate nc_joint_newton_run(const nc_joint_newton *newton, double joint_stop, double contact_stop)
{
    nc_joint_fate fate = {0, 0, 0, 0};
    const nc_joint_stops stops = {newton->coulomb ? fmax(joint_stop, NC_JOINT_RUBBING_STOP) : joint_stop, contact_stop};
    nc_joint_apply(newton);
    if (newton->coulomb)
        nc_joint_coulomb(newton, &stops, &fate);
    else
        run_passes(newton, &stops, &fate);
    if (fate.joints <= stops.joints)
        return fate;
    const nc_joint_stops loose = {stops.joints, fmax(fmax(contact_stop, 2 * fate.contacts), NC_RESIDUAL_SMALL)};
    nc_joint_newton frozen = *newton;
    frozen.frozen = true;
    run_passes(&frozen, &loose, &fate);
    return fate;
}
