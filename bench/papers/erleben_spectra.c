// Eigenvalues of A and of the iteration matrix T = -(D + L)^-1 U (Erleben eqs. 34-36, Figs. 3, 4, 8).
//
// A scene has more rows than its bodies have degrees of freedom, m. With A = B B^T, where B = J C and C C^T = M^-1, the
// eigenvalues of A other than 0 are those of the m by m matrix B^T B, and T = 1 - (D + L)^-1 A has those of 1 - B^T (D
// + L)^-1 B; all others are 1. So a wall of 6,612 rows is a matter of 1,200. Damped systems have no such form and are
// taken row by row.
#include "bench/papers/erleben.h"

#include "bench/papers/dense_eigen.h"

#include "step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 600 };

typedef struct spectrum {
    const char *label;
    int rows;
    double gamma;
    bool by_rows;          // as a matrix of all rows; damped ones are in any case
    double *index, *a, *t; // [row]: eigenvalues of A ascending, sizes of those of T
    int nulls;             // eigenvalues of A that are 0 to rounding
    int ones;              // of T of size 1
    double radius;         // largest of T below 1
} spectrum;

static void apply(const nc_solver_bodies *bodies, const nc_contact *contact, int part)
{
    nc_contact unit = *contact;
    unit.impulse = nc_v3(part == 0, part == 1, part == 2);
    nc_contact_apply(bodies, &unit, nc_contact_impulse_vector(&unit));
}

// A, column by column from unit impulses on bodies that stand still; row after row.
static void fill_matrix(const nc_solver_bodies *bodies, const nc_contact *contacts, int n, double *a)
{
    const size_t size = (size_t)bodies->count * sizeof(nc_vec3);
    for (int column = 0; column < n; column++) {
        memset(bodies->v, 0, size);
        memset(bodies->w, 0, size);
        apply(bodies, &contacts[column / 3], column % 3);
        for (int k = 0; k < n / 3; k++) {
            const nc_vec3 u = nc_contact_impulse_parts(&contacts[k], nc_contact_velocity(bodies, &contacts[k]));
            a[(size_t)(3 * k) * (size_t)n + (size_t)column] = u.x;
            a[(size_t)(3 * k + 1) * (size_t)n + (size_t)column] = u.y;
            a[(size_t)(3 * k + 2) * (size_t)n + (size_t)column] = u.z;
        }
    }
}

// t = -(D + L)^-1 U, a column at a time by forward substitution.
static void iteration_matrix(const double *a, int n, double *t)
{
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) {
            double sum = c > i ? -a[(size_t)i * (size_t)n + (size_t)c] : 0;
            for (int j = 0; j < i; j++)
                sum -= a[(size_t)i * (size_t)n + (size_t)j] * t[(size_t)j * (size_t)n + (size_t)c];
            t[(size_t)i * (size_t)n + (size_t)c] = sum / a[(size_t)i * (size_t)n + (size_t)i];
        }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define SIZE_ONE 1e-6 // how near to 1 counts as 1

static void count_values(spectrum *s)
{
    for (int i = 0; i < s->rows; i++) {
        s->index[i] = i;
        s->nulls += s->a[i] < 1e-10 * s->a[s->rows - 1];
        s->ones += s->t[i] > 1 - SIZE_ONE;
        if (s->t[i] <= 1 - SIZE_ONE)
            s->radius = fmax(s->radius, s->t[i]);
    }
}

static nc_code find_values(spectrum *s, double *a, double *t, nc_error *err)
{
    const int n = s->rows;
    double *im = calloc((size_t)n, sizeof *im);
    if (im == NULL)
        return nc_fail_memory(err, (size_t)n * sizeof *im);
    iteration_matrix(a, n, t);
    nc_eigen_symmetric(a, n, s->a);
    const bool found = nc_eigen_general(t, n, s->t, im);
    for (int i = 0; i < n; i++)
        s->t[i] = hypot(s->t[i], im[i]);
    qsort(s->t, (size_t)n, sizeof *s->t, ascending);
    free(im);
    if (!found)
        return nc_fail(err, NC_BROKEN_PROMISE, "an eigenvalue of the iteration matrix of %d rows was not found", n);
    count_values(s);
    return NC_OK;
}

// ---- by degrees of freedom --------------------------------------------------------------------------------------

// Rows of B, n by m. Of a row only the 12 entries of its two bodies are not 0.
typedef struct factor {
    int n, m;
    double *b, *d; // n x m; n: the diagonal of A
} factor;

// Column `part` of a lower triangular C with C C^T = m, m symmetric and positive definite.
static nc_vec3 root_column(nc_mat3 m, int part)
{
    double a[3][3], l[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const nc_vec3 column = nc_mat3_mul(m, nc_v3(i == 0, i == 1, i == 2));
        a[0][i] = column.x;
        a[1][i] = column.y;
        a[2][i] = column.z;
    }
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    return nc_v3(l[0][part], l[1][part], l[2][part]);
}

// Fills column c of B: what the contacts see of a body's motion along column `part` of C.
static void fill_column(const nc_solver_bodies *bodies, const nc_contact *contacts, int body, int part, int c,
                        factor *f)
{
    memset(bodies->v, 0, (size_t)bodies->count * sizeof(nc_vec3));
    memset(bodies->w, 0, (size_t)bodies->count * sizeof(nc_vec3));
    if (part < 3)
        bodies->v[body] = nc_scale(sqrt(bodies->inv_mass[body]), nc_v3(part == 0, part == 1, part == 2));
    else
        bodies->w[body] = root_column(bodies->inv_inertia[body], part - 3);
    for (int k = 0; k < f->n / 3; k++) {
        const nc_vec3 u = nc_contact_impulse_parts(&contacts[k], nc_contact_velocity(bodies, &contacts[k]));
        double *row = f->b + (size_t)(3 * k) * (size_t)f->m + (size_t)c;
        row[0] = u.x;
        row[f->m] = u.y;
        row[2 * (size_t)f->m] = u.z;
    }
}

static int moving(const nc_solver_bodies *bodies)
{
    int count = 0;
    for (int i = 0; i < bodies->count; i++)
        count += bodies->inv_mass[i] > 0;
    return count;
}

static void fill_factor(const nc_solver_bodies *bodies, const nc_contact *contacts, factor *f)
{
    int c = 0;
    for (int i = 0; i < bodies->count; i++)
        for (int part = 0; bodies->inv_mass[i] > 0 && part < 6; part++)
            fill_column(bodies, contacts, i, part, c++, f);
    double most = 0;
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->m; k++)
            f->d[i] += f->b[(size_t)i * (size_t)f->m + (size_t)k] * f->b[(size_t)i * (size_t)f->m + (size_t)k];
        most = fmax(most, f->d[i]);
    }
    for (int i = 0; i < f->n; i++) {
        f->d[i] /= most;
        for (int k = 0; k < f->m; k++)
            f->b[(size_t)i * (size_t)f->m + (size_t)k] /= sqrt(most);
    }
}

// gram = B^T B, or B^T (D + L)^-1 B by one sweep of Gauss-Seidel per column.
static void fill_gram(const factor *f, bool sweep, double *gram)
{
    const size_t m = (size_t)f->m;
    memset(gram, 0, m * m * sizeof *gram);
    for (int i = 0; i < f->n; i++) {
        const double *row = f->b + (size_t)i * m;
        size_t at[12];
        int used = 0;
        for (size_t k = 0; k < m && used < 12; k++)
            if (row[k] != 0)
                at[used++] = k;
        for (size_t c = 0; c < m; c++) {
            double y = row[c];
            for (int k = 0; sweep && k < used; k++)
                y -= row[at[k]] * gram[at[k] * m + c];
            y = sweep ? y / f->d[i] : y;
            for (int k = 0; k < used; k++)
                gram[at[k] * m + c] += row[at[k]] * y;
        }
    }
}

// The eigenvalues of `gram` and as many of `other` as A has more rows, or fewer of those nearest to `other`; ascending.
static bool spread(const factor *f, double *gram, bool of_t, double *out)
{
    const double other = of_t ? 1 : 0;
    double *re = calloc(2 * (size_t)f->m + 1, sizeof *re), *im = re == NULL ? NULL : re + f->m;
    const bool found = re != NULL && nc_eigen_general(gram, f->m, re, im);
    for (int i = 0; found && i < f->m; i++)
        re[i] = of_t ? hypot(1 - re[i], im[i]) : re[i];
    if (found)
        qsort(re, (size_t)f->m, sizeof *re, ascending);
    // m > n: the surplus of B^T B is 0, of T 1; these are the lowest of A and the highest of T
    const int taken = f->m < f->n ? f->m : f->n, skip = of_t ? 0 : f->m - taken;
    for (int i = 0; found && i < f->n; i++)
        out[i] = i < taken ? re[skip + i] : other;
    qsort(out, (size_t)f->n, sizeof *out, ascending);
    free(re);
    return found;
}

static nc_code find_by_freedom(const nc_solver_bodies *bodies, const nc_contact *contacts, spectrum *s, nc_error *err)
{
    factor f = {.n = s->rows, .m = 6 * moving(bodies)};
    const size_t n = (size_t)f.n, m = (size_t)f.m;
    double *memory = calloc(n * m + n + m * m + 1, sizeof *memory);
    if (memory == NULL)
        return nc_fail_memory(err, (n * m + n + m * m) * sizeof *memory);
    f.b = memory;
    f.d = memory + n * m;
    fill_factor(bodies, contacts, &f);
    bool found = true;
    for (int of_t = 0; of_t < 2 && found; of_t++) {
        fill_gram(&f, of_t == 1, f.d + n);
        found = spread(&f, f.d + n, of_t == 1, of_t == 1 ? s->t : s->a);
    }
    free(memory);
    if (!found)
        return nc_fail(err, NC_BROKEN_PROMISE, "an eigenvalue of %s was not found", s->label);
    count_values(s);
    return NC_OK;
}

// The contacts that the world's first step worked on. A in units of the largest entry of its diagonal, plus gamma.
static nc_code from_world(nc_world *world, spectrum *s, nc_error *err)
{
    nc_workspace *w = world->workspace;
    const nc_solver_bodies bodies = {world->state.bodies.count,
                                     world->state.bodies.inv_mass,
                                     w->inv_inertia,
                                     w->v,
                                     w->w,
                                     world->state.bodies.pose,
                                     NULL};
    const int n = s->rows = 3 * w->contacts.count;
    s->index = calloc(3 * (size_t)n + 1, sizeof *s->index);
    if (s->index == NULL)
        return nc_fail_memory(err, 3 * (size_t)n * sizeof *s->index);
    s->a = s->index + n;
    s->t = s->a + n;
    if (s->gamma == 0 && !s->by_rows)
        return find_by_freedom(&bodies, w->contacts.data, s, err);
    if (n > MAX_ROWS)
        return nc_fail(err, NC_BAD_SCENE, "%s: %d rows; damped, a spectrum is made of at most %d", s->label, n,
                       MAX_ROWS);
    const size_t square = (size_t)n * (size_t)n;
    double *a = calloc(2 * square + 1, sizeof *a);
    if (a == NULL)
        return nc_fail_memory(err, 2 * square * sizeof *a);
    fill_matrix(&bodies, w->contacts.data, n, a);
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, a[(size_t)i * (size_t)n + (size_t)i]);
    for (size_t i = 0; i < square; i++)
        a[i] /= most;
    for (int i = 0; i < n; i++)
        a[(size_t)i * (size_t)n + (size_t)i] += s->gamma;
    const nc_code code = find_values(s, a, a + square, err);
    free(a);
    return code;
}

static nc_code measure(const nc_erleben *e, const char *scene, spectrum *s, nc_error *err)
{
    nc_erleben_scene opened;
    nc_code code = nc_erleben_open(e, scene, NULL, 1, 1, &opened, err);
    if (code != NC_OK)
        return code;
    code = nc_world_step(opened.world, opened.settings.timestep, NULL, err);
    if (code == NC_OK)
        code = from_world(opened.world, s, err);
    nc_erleben_close(&opened);
    return code;
}

static nc_code save(const nc_erleben *e, const spectrum *all, int count, bool of_t, nc_error *err)
{
    const char *name = of_t ? "erleben-spectrum-t.svg" : "erleben-spectrum-a.svg";
    nc_chart chart = {.title = of_t ? "Sizes of the eigenvalues of T" : "Eigenvalues of A, largest diagonal entry 1",
                      .x_title = "index",
                      .y_title = "eigenvalue",
                      .count = count};
    for (int i = 0; i < count; i++)
        chart.series[i] = (nc_chart_series){all[i].label, all[i].index, of_t ? all[i].t : all[i].a, all[i].rows};
    fprintf(e->page, "\n![%s](%s)\n", chart.title, name);
    return nc_chart_save(&chart, e->options->results, name, err);
}

nc_code nc_erleben_spectra(const nc_erleben *e, nc_error *err)
{
    spectrum all[] = {{.label = "grid of 125 balls"},
                      {.label = "wall of 200"},
                      {.label = "stack of 25"},
                      {.label = "stack of 25, by rows", .by_rows = true},
                      {.label = "stack of 25, gamma 0.01", .gamma = 0.01},
                      {.label = "stack of 25, gamma 0.1", .gamma = 0.1}};
    static const char *const from[] = {"fig13_ball_grid", "fig10_wall",  "fig09_stack",
                                       "fig09_stack",     "fig09_stack", "fig09_stack"};
    const int count = (int)(sizeof all / sizeof *all);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = measure(e, from[i], &all[i], err);
    fputs("\n## Spectra (Figs. 3, 4, 8)\n\nA = J M^-1 J^T of the scenes at the paper's size, divided by its largest "
          "diagonal entry, and the iteration matrix T = -(D + L)^-1 U. A has a null space, as in the paper: contacts "
          "that share a load in more than one way, 6,612 rows for the 1,200 degrees of freedom of the wall. Each null "
          "direction is an eigenvalue 1 of T, which the iteration leaves alone; what it converges by is the largest "
          "below 1. Damping takes them all away from 1. Undamped spectra are those of matrices as large as there are "
          "degrees of freedom; the row by rows is the same stack as one matrix of all rows.\n\n"
          "| scene | rows | eigenvalues 0 of A | largest of A | of T: size 1 | largest below 1 |\n| --- | --- | --- | "
          "--- | --- | --- |\n",
          e->page);
    for (int i = 0; i < count && code == NC_OK; i++)
        fprintf(e->page, "| %s | %d | %d | %.3g | %d | %.5f |\n", all[i].label, all[i].rows, all[i].nulls,
                all[i].rows > 0 ? all[i].a[all[i].rows - 1] : 0, all[i].ones, all[i].radius);
    if (code == NC_OK)
        code = save(e, all, count, false, err);
    if (code == NC_OK)
        code = save(e, all, count, true, err);
    for (int i = 0; i < count; i++)
        free(all[i].index);
    return code;
}
