// Proximal Newton on slightly compliant contacts. docs/theory/contact.md has the derivation.
#include "contact/solver.h"

#include <stddef.h>
#include <string.h>

size_t nc_newton_doubles(int bodies, int blocks)
{
    return (size_t)blocks * NC_BLOCK * NC_BLOCK + (size_t)bodies * NC_BLOCK * 5;
}

void nc_newton_place(nc_newton *newton, double *memory)
{
    const size_t n = (size_t)newton->plan.count * NC_BLOCK;
    newton->blocks = memory;
    memory += (size_t)newton->plan.block_count * NC_BLOCK * NC_BLOCK;
    newton->y = memory;
    newton->y0 = memory + n;
    newton->g = memory + 2 * n;
    newton->d = memory + 3 * n;
    newton->factors = memory + 4 * n;
}

// ---- scaled bodies and rows ---------------------------------------------------------------------------------

bool nc_body_scale(const nc_velocity_change *before, double c[6], double y[6])
{
    const nc_mat3 *m = &before->inv_inertia;
    const double root = sqrt(before->inv_mass);
    c[0] = sqrt(m->row[0].x);
    c[1] = m->row[1].x / c[0];
    c[2] = sqrt(m->row[1].y - c[1] * c[1]);
    c[3] = m->row[2].x / c[0];
    c[4] = (m->row[2].y - c[3] * c[1]) / c[2];
    c[5] = sqrt(m->row[2].z - c[3] * c[3] - c[4] * c[4]);
    y[0] = before->v.x / root;
    y[1] = before->v.y / root;
    y[2] = before->v.z / root;
    y[3] = before->w.x / c[0];
    y[4] = (before->w.y - c[1] * y[3]) / c[2];
    y[5] = (before->w.z - c[3] * y[3] - c[4] * y[4]) / c[5];
    bool finite = true;
    for (int i = 0; i < 6; i++)
        finite = finite && isfinite(c[i]) && isfinite(y[i]);
    return finite && isfinite(root);
}

static void load_row(double *row, const double *c, double inv_mass, nc_vec3 arm, nc_vec3 direction, double sign)
{
    const nc_vec3 t = nc_scale(sign, nc_cross(arm, direction));
    const double root = sign * sqrt(inv_mass);
    row[0] = root * direction.x;
    row[1] = root * direction.y;
    row[2] = root * direction.z;
    row[3] = c[0] * t.x + c[1] * t.y + c[3] * t.z;
    row[4] = c[2] * t.y + c[4] * t.z;
    row[5] = c[5] * t.z;
}

static void load_contact(const nc_newton *newton, const nc_block *block, const nc_velocity_change *before, int slot,
                         nc_newton_contact *out)
{
    const nc_vec3 direction[3] = {block->n, block->t1, block->t2};
    memset(out, 0, sizeof *out);
    out->a = out->b = -1;
    if (block->inv_nn == 0)
        return;
    out->a = block->a < 0 ? -1 : newton->plan.place[block->a - slot];
    out->b = block->b < 0 ? -1 : newton->plan.place[block->b - slot];
    for (int r = 0; r < 3; r++) {
        if (out->a >= 0)
            load_row(out->ja[r], newton->factors + 6 * out->a, before[block->a].inv_mass, block->arm_a, direction[r],
                     1);
        if (out->b >= 0)
            load_row(out->jb[r], newton->factors + 6 * out->b, before[block->b].inv_mass, block->arm_b, direction[r],
                     -1);
        out->offset[r] = nc_dot(block->drift, direction[r]);
    }
    out->offset[0] -= block->target;
    out->k[0] = block->knn;
    out->k[1] = fmax(block->k11, block->k22);
    out->friction = block->friction;
    out->lambda[0] = block->lambda.x;
    out->lambda[1] = block->friction > 0 ? block->lambda.y : 0;
    out->lambda[2] = block->friction > 0 ? block->lambda.z : 0;
}

static bool load(nc_newton *newton, const nc_sweeps *sweeps, const nc_velocity_change *before)
{
    for (int s = sweeps->slot_begin; s < sweeps->slot_end; s++) {
        const int column = newton->plan.place[s - sweeps->slot_begin];
        if (!nc_body_scale(&before[s], newton->factors + 6 * column, newton->y0 + 6 * column))
            return false;
    }
    for (int i = 0; i < newton->count; i++)
        load_contact(newton, &sweeps->blocks[i], before, sweeps->slot_begin, &newton->contacts[i]);
    return true;
}

static double dot6(const double *p, const double *q)
{
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] + p[4] * q[4] + p[5] * q[5];
}

// The rows' part of a vector of velocities.
static void read_rows(const nc_newton_contact *c, const double *y, double out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = 0;
        if (c->a >= 0)
            out[r] += dot6(c->ja[r], y + 6 * c->a);
        if (c->b >= 0)
            out[r] += dot6(c->jb[r], y + 6 * c->b);
    }
}

static void add_rows(const nc_newton_contact *c, const double l[3], double *y)
{
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < 6 && c->a >= 0; i++)
            y[6 * c->a + i] += l[r] * c->ja[r][i];
        for (int i = 0; i < 6 && c->b >= 0; i++)
            y[6 * c->b + i] += l[r] * c->jb[r][i];
    }
}

static void read_velocities(const nc_newton *newton)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        read_rows(c, newton->y, c->u);
        for (int r = 0; r < 3; r++)
            c->u[r] += c->offset[r];
    }
}

// y = y0 + J^T lambda.
static void apply_impulses(const nc_newton *newton)
{
    memcpy(newton->y, newton->y0, (size_t)newton->plan.count * 6 * sizeof *newton->y);
    for (int i = 0; i < newton->count; i++)
        add_rows(&newton->contacts[i], newton->contacts[i].lambda, newton->y);
    read_velocities(newton);
}

// ---- the law of a contact -----------------------------------------------------------------------------------

// The impulse l at relative velocity u, and d = -dl/du: nn, n1, n2, 11, 12, 22. It is minus the gradient of a convex
// function of u, so d is positive semidefinite.

// The pyramid: four sides whose distance is that of the pass before.
static void law_pyramid(const nc_newton_contact *c, const double u[3], double l[3], double d[6])
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

// The cone: the point of it nearest to -(u + centre)/weight, distances measured by the weights. In coordinates scaled
// by their roots that is the usual projection onto a cone of another opening (Castro, Permenter and Han 2022).
static void law_cone(const nc_newton_contact *c, const double u[3], double l[3], double d[6])
{
    const double in = c->inv_root[0], it = c->inv_root[1], mu = c->opening;
    const double zn = -(u[0] + c->centre[0]) * in, z1 = -(u[1] + c->centre[1]) * it, z2 = -(u[2] + c->centre[2]) * it;
    const double size = sqrt(z1 * z1 + z2 * z2);
    l[0] = l[1] = l[2] = 0;
    d[0] = d[1] = d[2] = d[3] = d[4] = d[5] = 0;
    if (mu * size <= -zn)
        return;
    if (size <= mu * zn) {
        l[0] = zn * in;
        l[1] = z1 * it;
        l[2] = z2 * it;
        d[0] = in * in;
        d[3] = d[5] = it * it;
        return;
    }
    const double inv = 1 / size, t1 = z1 * inv, t2 = z2 * inv, p = (zn + mu * size) * c->part;
    const double across = it * it * mu * p * inv, along = it * it * mu * mu * c->part, mixed = in * it * mu * c->part;
    l[0] = p * in;
    l[1] = mu * p * t1 * it;
    l[2] = mu * p * t2 * it;
    d[0] = c->part * in * in;
    d[1] = mixed * t1;
    d[2] = mixed * t2;
    d[3] = along * t1 * t1 + across * t2 * t2;
    d[4] = (along - across) * t1 * t2;
    d[5] = along * t2 * t2 + across * t1 * t1;
}

static void law(const nc_newton_contact *c, nc_friction_model friction, const double u[3], double l[3], double d[6])
{
    if (friction == NC_FRICTION_CONE && c->friction > 0)
        law_cone(c, u, l, d);
    else
        law_pyramid(c, u, l, d);
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
        law(c, newton->friction, c->u, c->lambda, d);
        const double minus[3] = {-c->lambda[0], -c->lambda[1], -c->lambda[2]};
        add_rows(c, minus, newton->g);
    }
}

// [m/s] what the gradient is as a velocity of a contact point.
static double gradient_speed(const nc_newton *newton)
{
    double speed = 0;
    for (int i = 0; i < newton->count; i++) {
        double u[3];
        read_rows(&newton->contacts[i], newton->g, u);
        for (int r = 0; r < 3; r++)
            speed = fmax(speed, fabs(u[r]));
    }
    return speed;
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

static double *block_of(const nc_newton *newton, int column, int row)
{
    return newton->blocks + (size_t)36 * (size_t)nc_cholesky_block_at(&newton->plan, column, row);
}

static void assemble(const nc_newton *newton)
{
    const nc_cholesky_plan *plan = &newton->plan;
    memset(newton->blocks, 0, (size_t)plan->block_count * 36 * sizeof *newton->blocks);
    for (int j = 0; j < plan->count; j++) {
        double *diagonal = newton->blocks + (size_t)36 * (size_t)(plan->begin[j] + j);
        for (int i = 0; i < 6; i++)
            diagonal[7 * i] = 1;
    }
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        double l[3], d[6];
        if (c->a < 0 && c->b < 0)
            continue;
        law(c, newton->friction, c->u, l, d);
        if (d[0] == 0 && d[3] == 0 && d[5] == 0)
            continue;
        if (c->a >= 0)
            add_block(block_of(newton, c->a, c->a), c->ja, c->ja, d);
        if (c->b >= 0)
            add_block(block_of(newton, c->b, c->b), c->jb, c->jb, d);
        if (c->a >= 0 && c->b >= 0 && c->a < c->b)
            add_block(block_of(newton, c->a, c->b), c->jb, c->ja, d);
        else if (c->a >= 0 && c->b >= 0)
            add_block(block_of(newton, c->b, c->a), c->ja, c->jb, d);
    }
}

// Slope (and its slope) of the objective at y + t d.
static double slope_at(const nc_newton *newton, double t, double first, double second, double *curve)
{
    double slope = first + t * second;
    *curve = second;
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        if (c->a < 0 && c->b < 0)
            continue;
        const double u[3] = {c->u[0] + t * c->du[0], c->u[1] + t * c->du[1], c->u[2] + t * c->du[2]};
        double l[3], d[6];
        law(c, newton->friction, u, l, d);
        slope -= c->du[0] * l[0] + c->du[1] * l[1] + c->du[2] * l[2];
        *curve += d[0] * c->du[0] * c->du[0] + d[3] * c->du[1] * c->du[1] + d[5] * c->du[2] * c->du[2] +
                  2 * (d[1] * c->du[0] * c->du[1] + d[2] * c->du[0] * c->du[2] + d[4] * c->du[1] * c->du[2]);
    }
    return slope;
}

#define LINE_PART  1e-3 // [1] of the slope at the beginning that may be left at the end
#define LINE_LIMIT 40

// The minimum along the direction.
static double search_line(const nc_newton *newton)
{
    const int n = 6 * newton->plan.count;
    double first = 0, second = 0, curve;
    for (int i = 0; i < n; i++) {
        first += newton->d[i] * (newton->y[i] - newton->y0[i]);
        second += newton->d[i] * newton->d[i];
    }
    const double start = slope_at(newton, 0, first, second, &curve);
    if (!(start < 0))
        return 0;
    double low = 0, high = INFINITY, t = 1;
    for (int k = 0; k < LINE_LIMIT; k++) {
        const double slope = slope_at(newton, t, first, second, &curve);
        if (!(fabs(slope) > LINE_PART * -start))
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

#define PASS_LIMIT 20 // factorisations in one pass

// Rounding of the gradient, as a speed: that of velocities, which weights turn into impulses.
static double rounding(const nc_newton *newton, double weight)
{
    double speed = 0, push = 0;
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        for (int r = 0; r < 3; r++) {
            speed = fmax(speed, fabs(c->u[r]));
            push = fmax(push, c->k[r > 0] * fabs(c->lambda[r]));
        }
    }
    return 0x1p-50 * (speed / weight + push);
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
        read_rows(&newton->contacts[i], newton->d, newton->contacts[i].du);
    const double t = search_line(newton);
    if (!(t > 0) || !isfinite(t))
        return false;
    for (int i = 0; i < n; i++)
        newton->y[i] += t * newton->d[i];
    read_velocities(newton);
    return true;
}

// Minimises the objective of a pass until the gradient is a speed of at most `tolerance`. `weight`: the least
// compliance [1] of a row. Returns the number of factorisations; the impulses are those at the velocities reached.
static int minimise(const nc_newton *newton, double tolerance, double weight)
{
    for (int k = 0;; k++) {
        find_gradient(newton);
        const double speed = gradient_speed(newton);
        if (!(speed > fmax(tolerance, rounding(newton, weight))) || !isfinite(speed) || k == PASS_LIMIT)
            return k;
        if (!improve(newton))
            return k + 1;
    }
}

// ---- passes -------------------------------------------------------------------------------------------------

#define GAIN_MOST  8.0
#define GAIN_LEAST 0.5

// Into the cone, which the pass only knew from the one before.
static void clip(const nc_newton *newton)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        const double limit = c->friction * c->lambda[0], l1 = c->lambda[1], l2 = c->lambda[2];
        const double size = newton->friction == NC_FRICTION_CONE ? sqrt(l1 * l1 + l2 * l2) : fmax(fabs(l1), fabs(l2));
        if (size > limit) {
            c->lambda[1] *= limit / size;
            c->lambda[2] *= limit / size;
        }
    }
}

// [m/s] of these impulses and the velocities they make, with the compliance of this stage.
static double residual_of(const nc_newton *newton, const nc_sweeps *sweeps, double compliance)
{
    double residual = 0;
    apply_impulses(newton);
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        nc_block block = sweeps->blocks[i];
        nc_block_soften(&block, compliance);
        block.lambda = nc_v3(c->lambda[0], c->lambda[1], c->lambda[2]);
        const nc_vec3 u = nc_v3(c->u[0] + block.target, c->u[1], c->u[2]);
        const double here = nc_block_residual_parts(&block, u, newton->friction);
        if (!(here <= residual))
            residual = here; // also where it is not a number
    }
    return residual;
}

static void copy_impulses(const nc_newton *newton, size_t to, size_t from)
{
    for (int i = 0; i < newton->count; i++) {
        char *contact = (char *)&newton->contacts[i];
        memcpy(contact + to, contact + from, sizeof newton->contacts[i].lambda);
    }
}
#define COPY(newton, to, from) copy_impulses(newton, offsetof(nc_newton_contact, to), offsetof(nc_newton_contact, from))

// What the convex cone would add to the normal velocity of contacts that slide, mu |u_t|, is taken off their targets
// (De Saxce and Feng 1998), as it was at the end of the pass before: nothing in the first passes, since what sticks
// needs nothing. Where that converges slowly, a wedge that slides until friction holds it, it is extrapolated by
// Aitken's method: `gain` times the difference, the gain by secants from pass to pass. Returns the gain.
static double find_slips(const nc_newton *newton, double gain, bool first)
{
    double top = 0, bottom = 0;
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        const double slip = c->friction * sqrt(c->u[1] * c->u[1] + c->u[2] * c->u[2]);
        const double miss = first ? 0 : slip - c->slip, change = miss - c->miss;
        top -= c->miss * change;
        bottom += change * change;
        c->miss = miss;
        c->slip = first ? 0 : c->slip;
    }
    gain = bottom > 0 && top != 0 ? gain * top / bottom : 1;
    gain = gain > GAIN_MOST ? GAIN_MOST : (gain >= GAIN_LEAST ? gain : GAIN_LEAST);
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        c->slip = fmax(0, c->slip + gain * c->miss);
    }
    return gain;
}

// The proximal term pulls to the impulses of the pass before.
static void begin_pass(const nc_newton *newton, const nc_sweeps *sweeps, double rho, double compliance)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        nc_block block = sweeps->blocks[i];
        nc_block_soften(&block, compliance);
        c->weight[0] = block.soft_n + rho * c->k[0];
        c->weight[1] = rho * c->k[1];
        c->inv_root[0] = 1 / sqrt(c->weight[0]);
        c->inv_root[1] = 1 / sqrt(c->weight[1]);
        c->opening = c->friction * sqrt(c->weight[1] / c->weight[0]);
        c->part = 1 / (1 + c->opening * c->opening);
        c->centre[0] = -rho * c->k[0] * c->lambda[0];
        c->centre[1] = -rho * c->k[1] * c->lambda[1];
        c->centre[2] = -rho * c->k[1] * c->lambda[2];
        c->limit = c->friction * c->lambda[0];
        c->centre[0] += c->slip;
    }
}

#define PASSES        24     // at most
#define NEWTON_LIMIT  60     // factorisations in all passes of a stage, about
#define NEWTON_LEAST  6      // and of islands with many contacts not less than these
#define NEWTON_WORK   800000 // [contacts] times factorisations, of a stage
#define RUBBING_WORK  16000  // [contacts] the same where there is friction
#define HOPELESS      0.7    // of the residual at the beginning: is more left after a few passes, targets cannot be met
#define MANY_CONTACTS 256    // [1] islands of more are given up like that also where they are soft: rubble
#define RHO_FIRST     1e-4   // [1] weight of the proximal term, of K
#define RHO_NEXT      0.1    // what of it stays for the next pass
#define RHO_LEAST     1e-6   // [1] below it rounding comes to show
#define STICKING      2      // passes in which what slides is treated as if it stuck
#define STALLS        3      // passes that bring nothing, before it is given up
#define INNER         0.02   // [1] of the residual before, that a pass leaves in its own problem

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
    const int limit = (rubs(newton) ? RUBBING_WORK : NEWTON_WORK) / newton->count;
    return limit < NEWTON_LEAST ? NEWTON_LEAST : (limit > NEWTON_LIMIT ? NEWTON_LIMIT : limit);
}

// From the impulses in `lambda` to the best ones found, in `best`. Returns their residual.
static double run_passes(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, nc_newton_task *task)
{
    double rho = RHO_FIRST, before = residual_of(newton, sweeps, compliance), best = before;
    const double rho_least = fmax(RHO_LEAST, compliance / 3);
    const double first = before;
    double gain = 1;
    const int limit = factorisations_allowed(newton);
    int stalls = 0, factorisations = 0;
    COPY(newton, best, lambda);
    for (int pass = 0; pass < PASSES && stalls < STALLS && factorisations < limit && best > task->stop; pass++) {
        if (newton->friction == NC_FRICTION_CONE)
            gain = find_slips(newton, gain, pass < STICKING);
        begin_pass(newton, sweeps, rho, compliance);
        factorisations += minimise(newton, INNER * fmax(task->stop, before), rho);
        clip(newton);
        const double now = residual_of(newton, sweeps, compliance);
        stalls += now < 0.5 * best || rho > rho_least ? 0 : 1;
        const bool rigid = compliance == 0 || newton->count > MANY_CONTACTS;
        if (rigid && pass > STICKING && now > fmax(HOPELESS * first, NC_RESIDUAL_SMALL))
            stalls = STALLS;
        if (now < best) {
            best = now;
            COPY(newton, best, lambda);
        }
        if (!(now <= 4 * before)) {
            COPY(newton, lambda, best);
            before = residual_of(newton, sweeps, compliance);
            rho = fmin(1, rho / RHO_NEXT / RHO_NEXT);
            stalls++;
        } else {
            before = now;
            rho = fmax(rho_least, RHO_NEXT * rho);
        }
    }
    task->iterations += factorisations;
    task->stalled = stalls >= STALLS;
    return best;
}

// Impulses of the contacts to the blocks.
static void store(const nc_newton *newton, const nc_sweeps *sweeps)
{
    for (int i = 0; i < newton->count; i++) {
        const double *l = newton->contacts[i].best;
        sweeps->blocks[i].lambda = nc_v3(l[0], l[1], l[2]);
    }
}

#define SOFT_BETTER 0.125 // [1]

// Targets that cannot be met: as near as the compliance lets them be. Taken if that is solved better.
static void run_soft(const nc_newton *newton, const nc_sweeps *sweeps, nc_newton_task *task)
{
    COPY(newton, rigid, best);
    COPY(newton, lambda, start);
    const double residual = run_passes(newton, sweeps, task->compliance, task);
    if (!(residual < SOFT_BETTER * task->residual)) {
        COPY(newton, best, rigid);
        return;
    }
    task->residual = residual;
    task->soft = true;
    for (int i = 0; i < newton->count; i++)
        nc_block_soften(&sweeps->blocks[i], task->compliance);
}

bool nc_newton_run(nc_newton *newton, const nc_sweeps *sweeps, const nc_velocity_change *before, nc_newton_task *task)
{
    task->iterations = 0;
    task->soft = false;
    if (!load(newton, sweeps, before))
        return false;
    clip(newton);
    COPY(newton, start, lambda);
    task->residual = run_passes(newton, sweeps, 0, task);
    if (!isfinite(task->residual))
        return false;
    if (task->residual > fmax(task->stop, NC_RESIDUAL_SMALL) && task->stalled && task->compliance > 0)
        run_soft(newton, sweeps, task);
    store(newton, sweeps);
    return true;
}
