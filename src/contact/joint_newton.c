// Newton's method for an island with joints, at the level of velocities. docs/theory/joints.md has the derivation.
//
// With scaled velocities y (mass matrix 1) the island minimises 1/2 |y - y0|^2 + sum of psi(u), u the speeds of rows
// less their targets. psi is that of a proximal pass: the impulse of a row is
//   lambda = clamp(-(u - w base) / (w + compliance), low, high),
// w a small part of J J^T and base the impulse of the pass before. Passes converge to the rigid rows even where they
// are redundant or heavy loads hang on light links: an error falls by the factor w / (w + s) per pass, s being the
// smallest eigenvalue of J J^T, and w is 1e-8 of its diagonal. Friction is held to the cone that the normal impulse of
// the pass before allows. Each pass is solved by Newton's method with a sparse Cholesky factorisation by bodies and an
// exact line search; a pass without contacts and bounds is one linear solve. Within a pass everything is a change since
// its beginning: velocities would lose to rounding what division by w needs.
#include "contact/joint_newton.h"
#include "contact/newton_line.h"
#include "contact/newton_rows.h"

#include <string.h>

static double clamped(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double read_row(const nc_link *link, const double *y)
{
    double sum = 0;
    for (int e = 0; e < 4; e++)
        if (link->column[e] >= 0)
            sum += nc_dot6(link->j[e], y + 6 * link->column[e]);
    return sum;
}

double nc_link_speed(const nc_link *link, const double *y)
{
    return read_row(link, y) + link->still;
}

static void add_row(const nc_link *link, double factor, double *y)
{
    for (int e = 0; e < 4; e++)
        for (int i = 0; i < 6 && link->column[e] >= 0; i++)
            y[6 * link->column[e] + i] += factor * link->j[e][i];
}

static int rows_of(const nc_link *link)
{
    return link->kind == NC_LINK_NORMAL ? 3 : 1;
}

// ---- the law --------------------------------------------------------------------------------------------------

// The change of the impulse of one row by itself, at the speed u.
static double row_law(const nc_link *link, double low, double high, double u, double *d)
{
    const double inverse = 1 / (link->weight + link->compliance), z = -(u + link->compliance * link->base) * inverse;
    *d = z > low - link->base && z < high - link->base ? inverse : 0;
    return clamped(z, low - link->base, high - link->base);
}

// Friction of a contact at tangential speeds: onto the disc. d: 11, 12, 22.
static void disc_law(const nc_link *t, double limit, const double u[2], double l[2], double d[3])
{
    const double inverse = 1 / t->weight;
    const double change[2] = {-u[0] * inverse, -u[1] * inverse};
    const double z[2] = {t[0].base + change[0], t[1].base + change[1]};
    const double size = sqrt(z[0] * z[0] + z[1] * z[1]);
    if (size <= limit) {
        l[0] = change[0];
        l[1] = change[1];
        d[0] = d[2] = inverse;
        d[1] = 0;
        return;
    }
    const double part = limit / size, x = z[0] / size, y = z[1] / size;
    l[0] = part * z[0] - t[0].base;
    l[1] = part * z[1] - t[1].base;
    d[0] = part * inverse * y * y;
    d[1] = -part * inverse * x * y;
    d[2] = part * inverse * x * x;
}

// Changes of impulses and slopes of a row, or of the three rows of a contact, at speeds u.
static void law(const nc_joint_newton *newton, const nc_link *link, const double *u, double *l, double *d)
{
    l[0] = row_law(link, link->low, link->high, u[0], &d[0]);
    if (link->kind != NC_LINK_NORMAL)
        return;
    if (newton->frozen) {
        l[1] = l[2] = d[1] = d[2] = d[3] = 0;
        return;
    }
    l[1] = -link[1].base;
    l[2] = -link[2].base;
    d[1] = d[2] = d[3] = 0;
    if (!(link->limit > 0))
        return;
    if (newton->friction == NC_FRICTION_CONE) {
        disc_law(link + 1, link->limit, u + 1, l + 1, d + 1);
        return;
    }
    for (int k = 1; k < 3; k++)
        l[k] = row_law(&link[k], -link->limit, link->limit, u[k], &d[k == 1 ? 1 : 3]);
}

// ---- one pass -------------------------------------------------------------------------------------------------

static void read_speeds(const nc_joint_newton *newton)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].u = nc_link_speed(&newton->links[i], newton->y) - newton->links[i].target;
}

// Impulses, their slopes and the gradient at y. True: the slopes are what they were.
static bool find_gradient(const nc_joint_newton *newton)
{
    bool same = true;
    for (int i = 0; i < 6 * newton->plan.count; i++)
        newton->g[i] = newton->change[i];
    for (int i = 0; i < newton->count; i += rows_of(&newton->links[i])) {
        nc_link *link = &newton->links[i];
        const double u[3] = {link->u, rows_of(link) == 3 ? link[1].u : 0, rows_of(link) == 3 ? link[2].u : 0};
        double l[3], d[4] = {0, 0, 0, 0};
        law(newton, link, u, l, d);
        same = same && d[0] == link->d;
        link->d = d[0];
        for (int r = 0; r < rows_of(link); r++) {
            link[r].lambda = link[r].base + l[r];
            add_row(&link[r], -l[r], newton->g);
        }
        if (link->kind != NC_LINK_NORMAL)
            continue;
        same = same && d[1] == link[1].d && d[3] == link[2].d && d[2] == link->cross;
        link[1].d = d[1];
        link[2].d = d[3];
        link->cross = d[2];
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
    memset(newton->blocks, 0, (size_t)plan->block_count * 36 * sizeof *newton->blocks);
    for (int c = 0; c < plan->count; c++)
        for (int i = 0; i < 6; i++)
            newton->blocks[(size_t)36 * (size_t)(plan->begin[c] + c) + (size_t)(7 * i)] = 1;
    for (int i = 0; i < newton->count; i++) {
        const nc_link *link = &newton->links[i];
        if (link->d > 0)
            add_product(newton, link, link, link->d);
        if (link->kind == NC_LINK_NORMAL && link->cross != 0) {
            add_product(newton, link + 1, link + 2, link->cross);
            add_product(newton, link + 2, link + 1, link->cross);
        }
    }
    return nc_cholesky_factor(plan, newton->blocks);
}

// Slope of the objective at y + t step, and its slope.
static double slope_at(const void *of, nc_line_terms line, double t, double *curve)
{
    const nc_joint_newton *newton = of;
    double slope = line.first + t * line.second;
    *curve = line.second;
    for (int i = 0; i < newton->count; i += rows_of(&newton->links[i])) {
        const nc_link *link = &newton->links[i];
        double u[3] = {0, 0, 0}, l[3] = {0, 0, 0}, d[4] = {0, 0, 0, 0};
        for (int r = 0; r < rows_of(link); r++)
            u[r] = link[r].u + t * link[r].du;
        law(newton, link, u, l, d);
        for (int r = 0; r < rows_of(link); r++)
            slope -= link[r].du * l[r];
        *curve += d[0] * link->du * link->du;
        if (link->kind == NC_LINK_NORMAL)
            *curve +=
                d[1] * link[1].du * link[1].du + 2 * d[2] * link[1].du * link[2].du + d[3] * link[2].du * link[2].du;
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

// [m/s] the gradient as a speed of a row.
static double gradient_speed(const nc_joint_newton *newton)
{
    double speed = 0;
    for (int i = 0; i < newton->count; i++)
        speed = fmax(speed, fabs(read_row(&newton->links[i], newton->g)));
    return speed;
}

// Minimises the objective of a pass. Returns whether it came as far as it can. `*known`: the blocks hold the factor for
// the slopes in the links.
static bool minimise(const nc_joint_newton *newton, double tolerance, bool *known, int *factorisations)
{
    for (int k = 0; k < NC_JOINT_PASS_STEPS; k++) {
        *known = find_gradient(newton) && *known;
        if (!(gradient_speed(newton) > tolerance))
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
            newton->links[i].du = read_row(&newton->links[i], newton->step);
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

// Friction into the cone of the normal impulse that there is now.
static void clip(const nc_joint_newton *newton)
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

// y = y0 + J^T lambda: what the impulses make.
static void apply(const nc_joint_newton *newton)
{
    memcpy(newton->y, newton->y0, (size_t)newton->plan.count * 6 * sizeof *newton->y);
    for (int i = 0; i < newton->count; i++)
        add_row(&newton->links[i], newton->links[i].lambda, newton->y);
    read_speeds(newton);
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

static void find_residuals(const nc_joint_newton *newton, nc_joint_fate *fate)
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
            fate->joints = fmax(fate->joints, here);
        else
            fate->contacts = fmax(fate->contacts, here);
        if (link->kind == NC_LINK_NORMAL && link->friction > 0)
            fate->contacts = fmax(fate->contacts, friction_residual(newton, link));
    }
}

static void keep(const nc_joint_newton *newton)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].kept = newton->links[i].lambda;
}

// Back to the best pass.
static void restore(const nc_joint_newton *newton, nc_joint_fate *fate)
{
    for (int i = 0; i < newton->count; i++)
        newton->links[i].lambda = newton->links[i].kept;
    apply(newton);
    find_residuals(newton, fate);
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
        clip(newton);
    }
    apply(newton);
    find_residuals(newton, fate);
    fate->passes++;
}

// Passes until the rows hold, or that does not get better. Friction that grows with the normal impulses that it causes,
// and targets that cannot all be met, make impulses grow from pass to pass: what is left behind is the best pass.
static void run_passes(const nc_joint_newton *newton, double joint_stop, double contact_stop, nc_joint_fate *fate)
{
    const int end = fate->passes + NC_JOINT_PASSES;
    double best = INFINITY, worst = INFINITY, weight = NC_JOINT_CONTACT_PROXIMAL;
    bool known = false;
    for (int stalls = 0; fate->passes < end && stalls < NC_JOINT_STALLS;) {
        const double before = weight;
        run_pass(newton, 0.01 * fmin(joint_stop, contact_stop), &weight, &known, fate);
        if (weight > before)
            continue;
        if (fate->joints <= joint_stop && fate->contacts <= contact_stop)
            return;
        worst = fmax(fate->joints / joint_stop, fate->contacts / contact_stop);
        stalls += worst < NC_JOINT_STALL_SHARE * best ? 0 : 1;
        if (worst < best)
            keep(newton);
        best = fmin(best, worst);
    }
    if (!(worst <= best) && best < INFINITY)
        restore(newton, fate);
}

// Where friction finds no end, its impulses of the last pass are kept and everything else is solved once more: joints
// hold, and friction alone is not as its law says.
nc_joint_fate nc_joint_newton_run(const nc_joint_newton *newton, double joint_stop, double contact_stop)
{
    nc_joint_fate fate = {0, 0, 0, 0};
    apply(newton);
    run_passes(newton, joint_stop, contact_stop, &fate);
    if (fate.joints <= joint_stop)
        return fate;
    nc_joint_newton frozen = *newton;
    frozen.frozen = true;
    run_passes(&frozen, joint_stop, INFINITY, &fate);
    return fate;
}
