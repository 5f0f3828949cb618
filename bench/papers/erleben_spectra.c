// Eigenvalues of A and of the iteration matrix T = -(D + L)^-1 U for small scenes (Erleben eqs. 34-36, Figs. 3, 4, 8).
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
    if (n > MAX_ROWS)
        return nc_fail(err, NC_BAD_SCENE, "%s: %d rows; a spectrum is made of at most %d", s->label, n, MAX_ROWS);
    const size_t square = (size_t)n * (size_t)n;
    double *a = calloc(2 * square + 1, sizeof *a);
    s->index = calloc(3 * (size_t)n + 1, sizeof *s->index);
    if (a == NULL || s->index == NULL) {
        free(a);
        return nc_fail_memory(err, 2 * square * sizeof *a);
    }
    s->a = s->index + n;
    s->t = s->a + n;
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

static nc_code measure(const nc_erleben *e, const char *scene, const char *set, spectrum *s, nc_error *err)
{
    const char *const sets[] = {set, NULL};
    nc_erleben_scene opened;
    nc_code code = nc_erleben_open(e, scene, sets, 1, 1, &opened, err);
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
    spectrum all[] = {{.label = "grid of 27 balls"},
                      {.label = "wall of 12"},
                      {.label = "stack of 12"},
                      {.label = "stack of 12, gamma 0.01", .gamma = 0.01},
                      {.label = "stack of 12, gamma 0.1", .gamma = 0.1}};
    static const struct {
        const char *scene, *set;
    } from[] = {{"fig13_ball_grid", "bodies.1.grid.count=[3, 3, 3]"},
                {"fig10_wall", "bodies.1.wall.count=[3, 4]"},
                {"fig09_stack", "bodies.1.tower.count=12"},
                {"fig09_stack", "bodies.1.tower.count=12"},
                {"fig09_stack", "bodies.1.tower.count=12"}};
    const int count = (int)(sizeof all / sizeof *all);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = measure(e, from[i].scene, from[i].set, &all[i], err);
    fputs("\n## Spectra (Figs. 3, 4, 8)\n\nA = J M^-1 J^T of small scenes, divided by its largest diagonal entry, and "
          "the iteration matrix T = -(D + L)^-1 U. Of walls and stacks A has a large null space, as in the paper: "
          "contacts that share a load in more than one way. The grid of balls, with one contact per pair, has none. "
          "Each null direction is an eigenvalue 1 of T, which the "
          "iteration leaves alone; "
          "what it converges by is the largest below 1. Damping takes them all away from 1.\n\n"
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
