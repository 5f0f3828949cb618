// Rows, iterations and merit of Erleben's complementarity problem (section 3).
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
static inline double response(const nc_solver_bodies *bodies, int body, bool moves, nc_vec3 lever, double *inv_mass,
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

void nc_ncp_row_build(const nc_solver_bodies *bodies, const nc_layer *layer, const nc_contact *contact,
                      nc_vec3 direction, nc_ncp_row *out)
{
    const int a = contact->a, b = contact->b;
    const nc_vec3 lever_a = nc_cross(contact->arm_a, direction), lever_b = nc_cross(contact->arm_b, direction);
    nc_vec3 spin_a, spin_b;
    double diagonal = response(bodies, a, nc_ncp_moves(bodies, layer, a), lever_a, &out->inv_mass_a, &spin_a);
    diagonal += response(bodies, b, nc_ncp_moves(bodies, layer, b), lever_b, &out->inv_mass_b, &spin_b);
    const double inverse = 1.0 / diagonal;
    out->a = a;
    out->b = b;
    out->read_a = nc_ncp_pairs_of(direction, lever_a);
    out->read_b = nc_ncp_pairs_of(direction, lever_b);
    out->push_a = nc_ncp_pairs_of(direction, spin_a);
    out->push_b = nc_ncp_pairs_of(direction, spin_b);
    out->diagonal = diagonal;
    out->inverse = diagonal > 0 && isfinite(inverse) && isfinite(diagonal) ? inverse : 0;
    out->target = 0;
    out->friction = contact->friction;
    out->lambda = 0;
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
    double merit = trace != NULL ? nc_ncp_merit(problem, settings, gamma_at(settings, 0)) : 0;
    if (trace != NULL)
        record_merit(trace, 0, merit);
    for (int k = 0;; k++) {
        const double gamma = gamma_at(settings, k);
        const double most = nc_ncp_sweep(problem, settings, gamma, settings->symmetric && k % 2 == 1);
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
        const nc_ncp_ends ends = nc_ncp_ends_load(row, problem->slots);
        const double turn_a = nc_dot(nc_ncp_second(&row->read_a), nc_ncp_second(a));
        const double turn_b = nc_dot(nc_ncp_second(&row->read_b), nc_ncp_second(b));
        violation = fmax(violation, -nc_ncp_row_speed(row, &ends));
        speed = fmax(speed, nc_norm(nc_ncp_first(a)) + nc_norm(nc_ncp_first(b)) + fmax(row->target, 0));
        speed = fmax(speed, fabs(turn_a) + fabs(turn_b));
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
    const nc_ncp_ends ends = nc_ncp_ends_load(row, problem->slots);
    const double w = nc_ncp_row_speed(row, &ends) + nc_ncp_extra(row, settings, gamma) * row->lambda;
    return (measure){row->lambda * scale, w / scale, scale};
}

static double clamped(double value, double limit)
{
    return value > limit ? limit : (value >= -limit ? value : -limit);
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
