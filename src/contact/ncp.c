// Projected Gauss-Seidel on Erleben's complementarity problem (section 3), row after row, in its efficient form.
#include "contact/ncp_rows.h"

#include <math.h>

nc_ncp_settings nc_ncp_settings_default(void)
{
    return (nc_ncp_settings){.solver = NC_SOLVER_PGS,
                             .friction = NC_FRICTION_PYRAMID,
                             .iterations = 10,
                             .tolerance = 1e-6,
                             .clamp = true,
                             .epsilon = 0.1,
                             .workers = 1};
}

// What a body adds to the diagonal, and its part of T.
static double response(const nc_solver_bodies *bodies, int body, bool moves, nc_vec3 lever, double *inv_mass,
                       nc_vec3 *spin)
{
    *inv_mass = 0;
    *spin = nc_v3(0, 0, 0);
    if (!moves)
        return 0;
    *inv_mass = bodies->inv_mass[body];
    *spin = nc_mat3_mul(bodies->inv_inertia[body], lever);
    return *inv_mass + nc_dot(lever, *spin);
}

nc_ncp_row nc_ncp_row_build(const nc_solver_bodies *bodies, const nc_layer *layer, const nc_contact *contact,
                            nc_vec3 direction)
{
    nc_ncp_row row = {.a = contact->a, .b = contact->b, .direction = direction, .friction = contact->friction};
    row.lever_a = nc_cross(contact->arm_a, direction);
    row.lever_b = nc_cross(contact->arm_b, direction);
    row.diagonal =
        response(bodies, row.a, nc_ncp_moves(bodies, layer, row.a), row.lever_a, &row.inv_mass_a, &row.spin_a);
    row.diagonal +=
        response(bodies, row.b, nc_ncp_moves(bodies, layer, row.b), row.lever_b, &row.inv_mass_b, &row.spin_b);
    const double inverse = 1.0 / row.diagonal;
    row.inverse = row.diagonal > 0 && isfinite(inverse) && isfinite(row.diagonal) ? inverse : 0;
    return row;
}

static inline double clamped(double value, double limit)
{
    return value > limit ? limit : (value >= -limit ? value : -limit);
}

// What the damping of eq. 41 adds to a row's diagonal.
static inline double extra(const nc_ncp_row *row, const nc_ncp_settings *settings, double gamma)
{
    return settings->scaling ? gamma * row->diagonal : gamma;
}

// The impulse that a row asks for, bounds aside (eq. 31 with eq. 41).
static inline double wanted(const nc_ncp_row *row, double w, double more)
{
    return more > 0 ? row->lambda - (w + more * row->lambda) / (row->diagonal + more) : row->lambda - w * row->inverse;
}

// Moves a row's impulse to `lambda`; returns how much it asked for, as a velocity.
static inline double move(nc_ncp_row *row, nc_ncp_slot *slots, double lambda)
{
    const double step = lambda - row->lambda;
    if (step != 0)
        nc_ncp_row_push(row, slots, step);
    row->lambda = lambda;
    return fabs(step) * row->diagonal;
}

// Both friction rows on the disc. Where the impulses that stop the slip, row after row, lie in it, they are taken; else
// a step of one length in both directions, back onto the disc along the radius: friction then opposes sliding.
static double move_on_disc(nc_ncp_row *rows, nc_ncp_slot *slots, double limit, const nc_ncp_settings *settings,
                           double gamma)
{
    nc_ncp_row *p = &rows[0], *q = &rows[1];
    const double before[2] = {p->lambda, q->lambda};
    const double u[2] = {nc_ncp_row_speed(p, slots), nc_ncp_row_speed(q, slots)};
    double asked = move(p, slots, wanted(p, u[0], extra(p, settings, gamma)));
    asked = fmax(asked, move(q, slots, wanted(q, nc_ncp_row_speed(q, slots), extra(q, settings, gamma))));
    if (p->lambda * p->lambda + q->lambda * q->lambda <= limit * limit)
        return asked;
    const double more = fmax(extra(p, settings, gamma), extra(q, settings, gamma));
    const double step = 1.0 / (fmax(p->diagonal, q->diagonal) + more);
    double l[2] = {before[0] - step * (u[0] + more * before[0]), before[1] - step * (u[1] + more * before[1])};
    const double size = sqrt(l[0] * l[0] + l[1] * l[1]);
    const double part = size > limit ? limit / size : 1;
    move(p, slots, part * l[0]);
    move(q, slots, part * l[1]);
    return fmax(fabs(p->lambda - before[0]) * p->diagonal, fabs(q->lambda - before[1]) * q->diagonal);
}

// A contact's rows: the normal first, so that friction knows its limit (eq. 29, 30).
static double update(nc_ncp_row *rows, int stride, nc_ncp_slot *slots, const nc_ncp_settings *settings, double gamma)
{
    nc_ncp_row *normal = &rows[0];
    if (normal->inverse == 0)
        return 0;
    const double lambda = wanted(normal, nc_ncp_row_speed(normal, slots), extra(normal, settings, gamma));
    double asked = move(normal, slots, lambda > 0 ? lambda : 0);
    if (stride == 1 || !(normal->friction > 0))
        return asked;
    const double limit = normal->friction * normal->lambda;
    if (limit == 0 && rows[1].lambda == 0 && rows[2].lambda == 0)
        return asked;
    if (settings->friction == NC_FRICTION_CONE)
        return fmax(asked, move_on_disc(&rows[1], slots, limit, settings, gamma));
    for (int k = 1; k < 3; k++) {
        const double w = nc_ncp_row_speed(&rows[k], slots);
        asked =
            fmax(asked, move(&rows[k], slots, clamped(wanted(&rows[k], w, extra(&rows[k], settings, gamma)), limit)));
    }
    return asked;
}

// The 3x3 block of A that belongs to one contact.
static nc_mat3 block_of(const nc_ncp_row *rows)
{
    nc_mat3 k;
    for (int i = 0; i < 3; i++) {
        double e[3];
        for (int j = 0; j < 3; j++)
            e[j] = (rows[i].inv_mass_a + rows[i].inv_mass_b) * nc_dot(rows[i].direction, rows[j].direction) +
                   nc_dot(rows[i].lever_a, rows[j].spin_a) + nc_dot(rows[i].lever_b, rows[j].spin_b);
        k.row[i] = nc_v3(e[0], e[1], e[2]);
    }
    return k;
}

// The paper's 5.2: the impulse that stops a contact that approaches, scaled, and never taken back.
static double update_sequential(nc_ncp_row *rows, nc_ncp_slot *slots, double epsilon)
{
    const double below = -nc_ncp_row_speed(&rows[0], slots);
    if (rows[0].inverse == 0 || !(below > 0))
        return 0;
    const nc_vec3 local = {-below, nc_ncp_row_speed(&rows[1], slots), nc_ncp_row_speed(&rows[2], slots)};
    const nc_vec3 normal = {1, 0, 0};
    const nc_vec3 step = nc_scale(epsilon, nc_impulse_find(block_of(rows), local, normal, 0, rows[0].friction));
    move(&rows[0], slots, rows[0].lambda + step.x);
    move(&rows[1], slots, rows[1].lambda + step.y);
    move(&rows[2], slots, rows[2].lambda + step.z);
    return below;
}

static double gamma_at(const nc_ncp_settings *settings, int iteration)
{
    if (!settings->damping_falls || settings->damping == 0)
        return settings->damping;
    const int last = settings->iterations - 1;
    return last > 0 ? settings->damping * (double)(last - iteration) / (double)last : 0;
}

// Adds a group's merit after iteration k - 1 to the sum over groups.
static void record_merit(nc_merit_trace *trace, int k, double value)
{
    if (k < trace->capacity)
        trace->values[k] += value;
    trace->count = k + 1 > trace->count ? k + 1 : trace->count;
}

// A group that is done keeps its merit while others continue.
static void record_rest(nc_merit_trace *trace, int k, int iterations, double value)
{
    for (int i = k; i <= iterations && i < trace->capacity; i++)
        trace->values[i] += value;
}

int nc_ncp_iterate(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double stop, double *residual,
                   nc_merit_trace *trace)
{
    const bool sequential = settings->solver == NC_SOLVER_SEQUENTIAL && problem->stride == 3;
    double merit = trace != NULL ? nc_ncp_merit(problem, settings, gamma_at(settings, 0)) : 0;
    if (trace != NULL)
        record_merit(trace, 0, merit);
    for (int k = 0;; k++) {
        const double gamma = gamma_at(settings, k);
        double most = 0;
        for (int c = 0; c < problem->contact_count; c++) {
            const int at = settings->symmetric && k % 2 == 1 ? problem->contact_count - 1 - c : c;
            nc_ncp_row *rows = &problem->rows[(size_t)at * (size_t)problem->stride];
            const double asked = sequential ? update_sequential(rows, problem->slots, settings->epsilon)
                                            : update(rows, problem->stride, problem->slots, settings, gamma);
            most = asked > most ? asked : most;
        }
        *residual = most;
        if (trace != NULL)
            record_merit(trace, k + 1, merit = nc_ncp_merit(problem, settings, gamma));
        // While damping falls, a small step may only mean that it is strong.
        if ((most <= stop && gamma == settings->damping * (settings->damping_falls ? 0 : 1)) ||
            k + 1 >= settings->iterations) {
            if (trace != NULL)
                record_rest(trace, k + 2, settings->iterations, merit);
            return k + 1;
        }
    }
}

double nc_ncp_stop(const nc_ncp_problem *problem, const nc_ncp_settings *settings)
{
    double violation = 0, speed = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const nc_ncp_row *row = &problem->rows[(size_t)c * (size_t)problem->stride];
        const nc_ncp_slot *a = &problem->slots[row->a], *b = &problem->slots[row->b];
        violation = fmax(violation, -nc_ncp_row_speed(row, problem->slots));
        speed = fmax(speed, nc_norm(a->v) + nc_norm(b->v) + fmax(row->target, 0));
        speed = fmax(speed, fabs(nc_dot(row->lever_a, a->w)) + fabs(nc_dot(row->lever_b, b->w)));
    }
    return fmax(settings->tolerance * violation, NC_SPEED_ROUNDING * speed);
}

// ---- merit ----------------------------------------------------------------------------------------------------

// One row's variables in the system that is solved.
typedef struct measure {
    double lambda, w, scale;
} measure;

static measure measure_row(const nc_ncp_problem *problem, const nc_ncp_row *row, const nc_ncp_settings *settings,
                           double gamma, double diagonal)
{
    const double scale = settings->scaling ? sqrt(diagonal) : 1;
    const double w = nc_ncp_row_speed(row, problem->slots) + extra(row, settings, gamma) * row->lambda;
    return (measure){row->lambda * scale, w / scale, scale};
}

static double square(double x)
{
    return x * x;
}

static double friction_merit(const nc_ncp_problem *problem, const nc_ncp_row *rows, const nc_ncp_settings *settings,
                             double gamma)
{
    const bool disc = settings->friction == NC_FRICTION_CONE;
    const double shared = fmax(rows[1].diagonal, rows[2].diagonal), limit = rows[0].friction * rows[0].lambda;
    const measure p = measure_row(problem, &rows[1], settings, gamma, disc ? shared : rows[1].diagonal);
    const measure q = measure_row(problem, &rows[2], settings, gamma, disc ? shared : rows[2].diagonal);
    double x = p.lambda - p.w, y = q.lambda - q.w;
    if (disc) {
        const double size = sqrt(x * x + y * y), radius = limit * p.scale;
        const double part = size > radius ? radius / size : 1;
        x *= part;
        y *= part;
    } else {
        x = clamped(x, limit * p.scale);
        y = clamped(y, limit * q.scale);
    }
    return square(p.lambda - x) + square(q.lambda - y);
}

double nc_ncp_merit(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma)
{
    double sum = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const nc_ncp_row *rows = &problem->rows[(size_t)c * (size_t)problem->stride];
        if (rows[0].inverse == 0)
            continue;
        const measure n = measure_row(problem, &rows[0], settings, gamma, rows[0].diagonal);
        sum += square(n.lambda - fmax(0, n.lambda - n.w));
        if (problem->stride == 3 && rows[0].friction > 0)
            sum += friction_merit(problem, rows, settings, gamma);
    }
    return 0.5 * sum;
}
