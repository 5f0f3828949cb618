// Projected Gauss-Seidel on Erleben's complementarity problem, row after row, in its efficient form.
//
// The velocities of a contact's two bodies are loaded once for its rows, and stored after them.
#include "contact/ncp_rows.h"

#include <math.h>

NC_INLINE double clamped(double value, double limit)
{
    return value > limit ? limit : (value >= -limit ? value : -limit);
}

// The larger of two that are not below 0, and the other one where one is NaN, as fmax has it.
NC_INLINE double larger(double a, double b)
{
    return b > a || a != a ? b : a;
}

// The impulse that a row asks for, bounds aside (eq. 31 with eq. 41).
NC_INLINE double wanted(const nc_ncp_row *row, double w, double more)
{
    return more > 0 ? row->lambda - (w + more * row->lambda) / (row->diagonal + more) : row->lambda - w * row->inverse;
}

// Moves a row's impulse to `lambda`; returns how much it asked for, as a velocity.
NC_INLINE double move(nc_ncp_row *row, nc_ncp_ends *ends, double lambda)
{
    const double step = lambda - row->lambda;
    if (step != 0)
        nc_ncp_row_push(row, ends, step);
    row->lambda = lambda;
    return fabs(step) * row->diagonal;
}

// Both friction rows on the disc. Where the impulses that stop the slip, row after row, lie in it, they are taken; else
// a step of one length in both directions, back onto the disc along the radius: friction then opposes sliding.
NC_INLINE double move_on_disc(nc_ncp_row *rows, nc_ncp_ends *ends, double limit, const nc_ncp_settings *settings,
                              double gamma)
{
    nc_ncp_row *p = &rows[0], *q = &rows[1];
    const nc_ncp_ends old = *ends;
    const double before[2] = {p->lambda, q->lambda}, slip = nc_ncp_row_speed(p, ends);
    double asked = move(p, ends, wanted(p, slip, nc_ncp_extra(p, settings, gamma)));
    const double after = nc_ncp_row_speed(q, ends);
    asked = larger(asked, move(q, ends, wanted(q, after, nc_ncp_extra(q, settings, gamma))));
    if (p->lambda * p->lambda + q->lambda * q->lambda <= limit * limit)
        return asked;
    const double u[2] = {slip, nc_ncp_row_speed(q, &old)};
    const double more = fmax(nc_ncp_extra(p, settings, gamma), nc_ncp_extra(q, settings, gamma));
    const double step = 1.0 / (fmax(p->diagonal, q->diagonal) + more);
    const double l[2] = {before[0] - step * (u[0] + more * before[0]), before[1] - step * (u[1] + more * before[1])};
    const double size = sqrt(l[0] * l[0] + l[1] * l[1]);
    const double part = size > limit ? limit / size : 1;
    move(p, ends, part * l[0]);
    move(q, ends, part * l[1]);
    return larger(fabs(p->lambda - before[0]) * p->diagonal, fabs(q->lambda - before[1]) * q->diagonal);
}

// A contact's rows: the normal first, so that friction knows its limit (eq. 29, 30).
NC_INLINE double update(nc_ncp_row *rows, int stride, nc_ncp_ends *ends, const nc_ncp_settings *settings, double gamma)
{
    nc_ncp_row *normal = &rows[0];
    const double lambda = wanted(normal, nc_ncp_row_speed(normal, ends), nc_ncp_extra(normal, settings, gamma));
    double asked = move(normal, ends, lambda > 0 ? lambda : 0);
    if (stride == 1 || !(normal->friction > 0))
        return asked;
    const double limit = normal->friction * normal->lambda;
    if (limit == 0 && rows[1].lambda == 0 && rows[2].lambda == 0)
        return asked;
    if (settings->friction == NC_FRICTION_CONE)
        return larger(asked, move_on_disc(&rows[1], ends, limit, settings, gamma));
    for (int k = 1; k < 3; k++) {
        const double w = nc_ncp_row_speed(&rows[k], ends);
        const double asks = wanted(&rows[k], w, nc_ncp_extra(&rows[k], settings, gamma));
        asked = larger(asked, move(&rows[k], ends, clamped(asks, limit)));
    }
    return asked;
}

// The 3x3 block of A that belongs to one contact.
static nc_mat3 block_of(const nc_ncp_row *rows)
{
    nc_mat3 k;
    for (int i = 0; i < 3; i++) {
        const nc_vec3 direction = nc_ncp_first(&rows[i].read_a), lever_a = nc_ncp_second(&rows[i].read_a);
        const nc_vec3 lever_b = nc_ncp_second(&rows[i].read_b);
        double e[3];
        for (int j = 0; j < 3; j++)
            e[j] = (rows[i].inv_mass_a + rows[i].inv_mass_b) * nc_dot(direction, nc_ncp_first(&rows[j].read_a)) +
                   nc_dot(lever_a, nc_ncp_second(&rows[j].push_a)) + nc_dot(lever_b, nc_ncp_second(&rows[j].push_b));
        k.row[i] = nc_v3(e[0], e[1], e[2]);
    }
    return k;
}

// The paper's 5.2: the impulse that stops a contact that approaches, scaled, and never taken back.
static double update_sequential(nc_ncp_row *rows, nc_ncp_slot *slots, double epsilon)
{
    nc_ncp_ends ends = nc_ncp_ends_load(rows, slots);
    const double below = -nc_ncp_row_speed(&rows[0], &ends);
    if (rows[0].inverse == 0 || !(below > 0))
        return 0;
    const nc_vec3 local = {-below, nc_ncp_row_speed(&rows[1], &ends), nc_ncp_row_speed(&rows[2], &ends)};
    const nc_vec3 normal = {1, 0, 0};
    const nc_vec3 step = nc_scale(epsilon, nc_impulse_find(block_of(rows), local, normal, 0, rows[0].friction));
    move(&rows[0], &ends, rows[0].lambda + step.x);
    move(&rows[1], &ends, rows[1].lambda + step.y);
    move(&rows[2], &ends, rows[2].lambda + step.z);
    nc_ncp_ends_store(rows, &ends, slots);
    return below;
}

NC_INLINE double sweep(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma, bool backward)
{
    const bool sequential = settings->solver == NC_SOLVER_SEQUENTIAL && problem->stride == 3;
    double most = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const int at = backward ? problem->contact_count - 1 - c : c;
        nc_ncp_row *rows = &problem->rows[(size_t)at * (size_t)problem->stride];
        double asked = 0;
        if (sequential) {
            asked = update_sequential(rows, problem->slots, settings->epsilon);
        } else if (rows->inverse != 0) {
            nc_ncp_ends ends = nc_ncp_ends_load(rows, problem->slots);
            asked = update(rows, problem->stride, &ends, settings, gamma);
            nc_ncp_ends_store(rows, &ends, problem->slots);
        }
        most = asked > most ? asked : most;
    }
    return most;
}

#ifdef NC_AVX2
NC_AVX2 static double sweep_avx2(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma,
                                 bool backward)
{
    return sweep(problem, settings, gamma, backward);
}
#endif

double nc_ncp_sweep_by(nc_copy copy, const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma,
                       bool backward)
{
#ifdef NC_AVX2
    if (copy != NC_COPY_PLAIN)
        return sweep_avx2(problem, settings, gamma, backward);
#endif
    (void)copy;
    return sweep(problem, settings, gamma, backward);
}

double nc_ncp_sweep(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma, bool backward)
{
    return nc_ncp_sweep_by(nc_best_copy(), problem, settings, gamma, backward);
}
