// Islands that were hard to solve, from files in tests/islands and in the folder that NACRE_ISLANDS names: how well,
// and how fast.
#include "contact_bodies.h"

#include <dirent.h>

#include "step/step.h"

// Those of more bodies are left to sweeps if these do not do it, or if a factorisation is expensive.
#define SMALL 300
// Of the small ones: a roller chain of 32,000 contacts.
#define UNSOLVED 1

typedef struct island {
    int body_count, contact_count, phase, limit, warm;
    double dt, tolerance, floor;
    double *inv_mass;
    nc_mat3 *inv_inertia;
    nc_vec3 *v, *w, *v_before, *w_before;
    nc_contact *contacts;
    nc_vec3 *warm_impulse;
} island;

static nc_vec3 read_vector(FILE *file)
{
    double x[3];
    assert_int_equal(fread(x, sizeof *x, 3, file), 3);
    return nc_v3(x[0], x[1], x[2]);
}

static double read_number(FILE *file)
{
    double x;
    assert_int_equal(fread(&x, sizeof x, 1, file), 1);
    return x;
}

static void read_body(FILE *file, island *is, int i)
{
    is->inv_mass[i] = read_number(file);
    double m[6];
    assert_int_equal(fread(m, sizeof *m, 6, file), 6);
    is->inv_inertia[i] = (nc_mat3){{{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}}};
    is->v_before[i] = read_vector(file);
    is->w_before[i] = read_vector(file);
}

// Version 2 also has the bias.
static void read_contact(FILE *file, nc_contact *k, int version)
{
    int32_t ends[2];
    assert_int_equal(fread(ends, sizeof *ends, 2, file), 2);
    memset(k, 0, sizeof *k);
    k->a = ends[0];
    k->b = ends[1];
    k->normal = read_vector(file);
    k->arm_a = read_vector(file);
    k->arm_b = read_vector(file);
    k->target = read_number(file);
    k->friction = read_number(file);
    k->distance = read_number(file);
    k->impulse = nc_contact_impulse_parts(k, read_vector(file));
    if (version > 1)
        k->bias = read_vector(file);
}

static void island_read(const char *path, island *is)
{
    char command[4096];
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    int32_t head[8];
    assert_int_equal(fread(head, sizeof *head, 8, file), 8);
    assert_int_equal(head[0], 0x4c53494e);
    is->body_count = head[2];
    is->contact_count = head[3];
    is->phase = head[4];
    is->limit = head[6];
    is->warm = head[7];
    is->dt = read_number(file);
    is->tolerance = read_number(file);
    is->floor = read_number(file);
    const size_t n = (size_t)head[2], m = (size_t)head[3];
    is->inv_mass = calloc(n, sizeof *is->inv_mass);
    is->inv_inertia = calloc(n, sizeof *is->inv_inertia);
    is->v = calloc(4 * n, sizeof *is->v);
    is->w = is->v + n;
    is->v_before = is->v + 2 * n;
    is->w_before = is->v + 3 * n;
    is->contacts = calloc(m, sizeof *is->contacts);
    is->warm_impulse = calloc(m, sizeof *is->warm_impulse);
    for (int i = 0; i < is->body_count; i++)
        read_body(file, is, i);
    for (int k = 0; k < is->contact_count; k++) {
        read_contact(file, &is->contacts[k], head[1]);
        is->warm_impulse[k] = is->contacts[k].impulse;
    }
    while (fgetc(file) != EOF)
        continue;
    assert_int_equal(pclose(file), 0);
}

static void island_free(island *is)
{
    free(is->inv_mass);
    free(is->inv_inertia);
    free(is->v);
    free(is->contacts);
    free(is->warm_impulse);
}

static nc_solver_bodies island_bodies(island *is)
{
    memcpy(is->v, is->v_before, (size_t)is->body_count * sizeof *is->v);
    memcpy(is->w, is->w_before, (size_t)is->body_count * sizeof *is->w);
    for (int k = 0; k < is->contact_count; k++)
        is->contacts[k].impulse = is->warm_impulse[k];
    return (nc_solver_bodies){is->body_count, is->inv_mass, is->inv_inertia, is->v, is->w, NULL, NULL};
}

static int moving(const island *is)
{
    int count = 0;
    for (int i = 0; i < is->body_count; i++)
        count += is->inv_mass[i] > 0;
    return count;
}

static nc_solve_settings settings_of(const island *is)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = is->limit;
    settings.tolerance = is->tolerance;
    settings.floor = is->floor;
    settings.warm = is->warm != 0;
    settings.clamp = is->phase == 1;
    settings.plateau = is->floor / 8;
    settings.newton = 1000;
    settings.compliance = 1e-4;
    return settings;
}

static double largest_impulse(const island *is)
{
    double most = 0;
    for (int k = 0; k < is->contact_count; k++)
        most = fmax(most, nc_norm(is->contacts[k].impulse));
    return most;
}

// What one solve came to.
typedef struct outcome {
    nc_solve_report report;
    double rigid;   // [m/s] residual without compliance
    double impulse; // [N s] largest
    double seconds;
} outcome;

static outcome solve(island *is, const nc_solve_settings *settings)
{
    outcome o;
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_solver_bodies bodies = island_bodies(is);
    const double begin = nc_wall_clock();
    assert_int_equal(nc_contact_solve(work, &bodies, is->contacts, is->contact_count, settings, &o.report, NULL),
                     NC_OK);
    o.seconds = nc_wall_clock() - begin;
    o.rigid = nc_contact_residual(&bodies, is->contacts, is->contact_count, NC_FRICTION_CONE);
    o.impulse = largest_impulse(is);
    nc_contact_work_destroy(work);
    return o;
}

// [m/s] the largest target, as an impulse over the compliance of the contact: no answer needs more.
static double impulse_bound(const island *is, double compliance)
{
    const nc_solver_bodies bodies = {is->body_count, is->inv_mass, is->inv_inertia, is->v, is->w, NULL, NULL};
    double bound = 0;
    for (int k = 0; k < is->contact_count; k++) {
        const nc_contact *contact = &is->contacts[k];
        const nc_mat3 response = nc_contact_response(&bodies, contact);
        const double knn = nc_dot(contact->normal, nc_mat3_mul(response, contact->normal));
        const double speed = nc_norm(nc_contact_velocity(&bodies, contact)) + fabs(contact->target);
        if (knn > 0)
            bound = fmax(bound, speed / (compliance * knn));
    }
    return bound;
}

// Returns whether the island is small, and in *solved whether Newton's method or sweeps did it.
static bool try_island(const char *folder, const char *name, bool *solved)
{
    char path[2048];
    island is;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    island_read(path, &is);
    nc_solve_settings sweeps = settings_of(&is);
    sweeps.newton = 0;
    sweeps.plateau = 0;
    const nc_solve_settings settings = settings_of(&is);
    const outcome before = solve(&is, &sweeps), after = solve(&is, &settings), again = solve(&is, &settings);
    const int bodies = moving(&is);
    print_message(
        "%-36s %5d contacts %4d bodies | %4d sweeps, residual %7.1e, %7.2f ms | %4d sweeps %3d factorisations, "
        "residual %7.1e (rigid %7.1e), %7.2f ms%s\n",
        name, is.contact_count, bodies, before.report.iterations, before.rigid, 1e3 * before.seconds,
        after.report.iterations, after.report.newtons, after.report.residual, after.rigid, 1e3 * after.seconds,
        after.report.unconverged > 0 ? " UNCONVERGED" : "");
    assert_true(after.report.residual == again.report.residual && after.impulse == again.impulse);
    assert_true(isfinite(after.rigid));
    if (bodies <= SMALL) {
        check_at_most(after.impulse, fmax(before.impulse, 4 * impulse_bound(&is, settings.compliance)));
        *solved = after.report.unconverged == 0;
        if (*solved && bodies <= 32 && is.phase < 2) // no absolute floor for these
            check_at_most(after.report.residual, 2 * NC_RESIDUAL_SMALL);
    }
    island_free(&is);
    return bodies <= SMALL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Tries all islands of a folder. Returns how many are small, and in *unsolved how many of these are not solved.
static int try_folder(const char *folder, DIR *dir, int *unsolved)
{
    char *names[512];
    int count = 0, small = 0;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (strstr(e->d_name, ".isl.gz") != NULL && count < 512)
            names[count++] = strdup(e->d_name);
    }
    qsort(names, (size_t)count, sizeof *names, by_name);
    *unsolved = 0;
    for (int i = 0; i < count; i++) {
        bool solved = true;
        small += try_island(folder, names[i], &solved);
        *unsolved += !solved;
        free(names[i]);
    }
    print_message("%d islands of up to %d bodies, %d not solved\n", small, SMALL, *unsolved);
    return small;
}

// 198 stones in a drum: neither sweeps nor Newton's method alone solve them in the work there is.
static void sweeps_and_newton_by_turns_solve_a_pile(void **state)
{
    (void)state;
    const char *folder = NACRE_SOURCE_DIR "/tests/islands";
    DIR *dir = opendir(folder);
    int unsolved;
    assert_non_null(dir);
    assert_true(try_folder(folder, dir, &unsolved) > 0);
    assert_int_equal(unsolved, 0);
    closedir(dir);
}

static void hard_islands_are_solved(void **state)
{
    (void)state;
    const char *folder = getenv("NACRE_ISLANDS");
    DIR *dir = folder != NULL ? opendir(folder) : NULL;
    int unsolved;
    if (dir == NULL) {
        print_message("DATA ABSENT: hard_islands_are_solved: NACRE_ISLANDS names no folder of islands\n");
        return;
    }
    assert_true(try_folder(folder, dir, &unsolved) > 0);
    check_at_most(unsolved, UNSOLVED);
    closedir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_and_newton_by_turns_solve_a_pile),
        cmocka_unit_test(hard_islands_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
