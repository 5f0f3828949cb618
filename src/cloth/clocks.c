// The clocks of elastic forces: how stiff is what each takes part in?
#include "cloth/world.h"

#include <string.h>

#define HINGE_PART 0.75 // of the safety factor

int nc_cloth_level_for(const nc_cloth_model *model, double step)
{
    int level = 0;
    while (level <= NC_CLOTH_LEVELS && !(ldexp(model->settings.frame_dt, -level) <= step))
        level++;
    return level;
}

// ---- bounds that hold at any deformation ---------------------------------------------------------------------

// Rows of the stiffness matrix, summed over absolute values (Gershgorin): `sums[i] / mass[i]` bounds the square of the
// highest frequency that vertex i takes part in.
static void sum_springs(const nc_cloth_elastic *elastic, double *sums)
{
    for (int i = 0; i < elastic->springs.count; i++) {
        const nc_cloth_spring *s = &elastic->springs.data[i];
        sums[s->a] += 2 * s->kick;
        sums[s->b] += 2 * s->kick;
    }
}

// ---- hinges ---------------------------------------------------------------------------------------------------

// The gradients of the start, of all hinges. What has none stays 0.
static void find_gradients(const nc_cloth_world *world, nc_vec3 (*gradients)[4])
{
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        nc_vec3 x[4], gradient[4];
        double angle;
        for (int k = 0; k < 4; k++)
            x[k] = world->model.start[h->v[k]];
        if (nc_cloth_hinge_angle(x, &angle, gradient))
            memcpy(gradients[i], gradient, sizeof gradient);
    }
}

static void sum_hinges(const nc_cloth_world *world, nc_vec3 (*gradients)[4], double *sums)
{
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        double all = 0;
        for (int k = 0; k < 4; k++)
            all += nc_norm(gradients[i][k]);
        for (int k = 0; k < 4; k++)
            sums[h->v[k]] += h->kick * nc_norm(gradients[i][k]) * all;
    }
}

// to = M^-1/2 K M^-1/2 from, K = sum of kick g g^T.
static void apply_hinges(const nc_cloth_world *world, nc_vec3 (*gradients)[4], const nc_vec3 *from, nc_vec3 *to)
{
    const double *mass = world->model.mass;
    for (int v = 0; v < world->model.vertex_count; v++)
        to[v] = nc_v3(0, 0, 0);
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        double rate = 0;
        for (int k = 0; k < 4; k++)
            rate += nc_dot(gradients[i][k], from[h->v[k]]) / sqrt(mass[h->v[k]]);
        for (int k = 0; k < 4; k++)
            to[h->v[k]] = nc_madd(to[h->v[k]], h->kick * rate / sqrt(mass[h->v[k]]), gradients[i][k]);
    }
}

// The largest eigenvalue of each object, by power iteration from noise: from below, so a margin is added.
#define ITERATIONS 60
#define MARGIN     1.2
static void find_largest(const nc_cloth_world *world, nc_vec3 (*gradients)[4], nc_vec3 *x, nc_vec3 *y, double *largest)
{
    const nc_cloth_model *m = &world->model;
    nc_random random = {1};
    for (int v = 0; v < m->vertex_count; v++)
        x[v] = nc_v3(nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1), nc_random_range(&random, -1, 1));
    for (int n = 0; n < ITERATIONS; n++) {
        apply_hinges(world, gradients, x, y);
        for (int o = 0; o < m->objects.count; o++) {
            const int first = m->objects.data[o].first_vertex, end = first + m->objects.data[o].vertex_count;
            double before = 0, after = 0;
            for (int v = first; v < end; v++) {
                before += nc_norm2(x[v]);
                after += nc_norm2(y[v]);
            }
            largest[o] = after > 0 ? MARGIN * sqrt(after / before) : 0;
            for (int v = first; v < end; v++)
                x[v] = after > 0 ? nc_scale(1 / sqrt(after), y[v]) : nc_v3(0, 0, 0);
        }
    }
}

// ---- levels -------------------------------------------------------------------------------------------------

// The level for omega^2: h = safety 2 / omega.
static int level_of(const nc_cloth_model *m, double square, double safety)
{
    return square > 0 ? nc_cloth_level_for(m, safety * 2 / sqrt(square)) : m->settings.gravity_level;
}

static void set_spring_levels(nc_cloth_world *world, const double *sums)
{
    const nc_cloth_model *m = &world->model;
    for (int i = 0; i < world->elastic.springs.count; i++) {
        nc_cloth_spring *s = &world->elastic.springs.data[i];
        const double square = fmax(sums[s->a] / m->mass[s->a], sums[s->b] / m->mass[s->b]);
        s->level = level_of(m, square, m->settings.elastic_safety);
    }
}

// The smaller of what the neighbourhood and what the whole object say. The gradient grows as triangles flatten: part of
// the safety is for that.
static void set_hinge_levels(nc_cloth_world *world, const double *sums, const double *largest)
{
    const nc_cloth_model *m = &world->model;
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        double square = 0;
        for (int k = 0; k < 4; k++)
            square = fmax(square, sums[h->v[k]] / m->mass[h->v[k]]);
        square = fmin(square, largest[m->object[h->v[0]]]);
        h->level = level_of(m, square, HINGE_PART * m->settings.elastic_safety);
    }
}

// ---- resonance ----------------------------------------------------------------------------------------------

// The finest clocks of an object's forces, -1: it has none. Only of what has no damping.
typedef struct finest_levels {
    int springs, hinges;
    bool damped;
} finest_levels;

static void find_finest(const nc_cloth_world *world, finest_levels *finest)
{
    const nc_cloth_model *m = &world->model;
    for (int o = 0; o < m->objects.count; o++)
        finest[o] = (finest_levels){-1, -1, false};
    for (int i = 0; i < world->elastic.springs.count; i++) {
        const nc_cloth_spring *s = &world->elastic.springs.data[i];
        finest_levels *f = &finest[m->object[s->a]];
        f->springs = s->level > f->springs ? s->level : f->springs;
        f->damped = f->damped || s->damping > 0;
    }
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        finest_levels *f = &finest[m->object[h->v[0]]];
        f->hinges = h->level > f->hinges ? h->level : f->hinges;
        f->damped = f->damped || h->damping > 0;
    }
}

// How many levels coarser than forces of omega h <= `most` others may tick: H omega < pi.
static int levels_apart(double most)
{
    int levels = 0;
    while (ldexp(most, levels + 1) < NC_PI)
        levels++;
    return levels;
}

// Kicks at intervals of half a period, or of a multiple, of a mode that faster clocks resolve drive it. Damping, where
// there is any, stops that; without it the slower clocks of an object must not be slower than this.
static void avoid_resonance(nc_cloth_world *world, const finest_levels *finest)
{
    const nc_cloth_model *m = &world->model;
    const double safety = m->settings.elastic_safety;
    const int to_hinges = levels_apart(2 * HINGE_PART * safety), to_springs = levels_apart(2 * safety);
    for (int i = 0; i < world->elastic.springs.count; i++) {
        nc_cloth_spring *s = &world->elastic.springs.data[i];
        const finest_levels *f = &finest[m->object[s->a]];
        if (!f->damped && s->level < f->hinges - to_hinges)
            s->level = f->hinges - to_hinges;
    }
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        const finest_levels *f = &finest[m->object[h->v[0]]];
        if (!f->damped && h->level < f->springs - to_springs)
            h->level = f->springs - to_springs;
    }
}

static nc_code choose_levels(nc_cloth_world *world, nc_error *err)
{
    const nc_cloth_model *m = &world->model;
    const size_t vertices = (size_t)m->vertex_count, hinges = (size_t)world->elastic.hinges.count + 1;
    const size_t objects = (size_t)m->objects.count;
    const nc_allocator *a = &world->allocator;
    double *sums = nc_alloc(a, 2 * vertices, sizeof *sums), *largest = nc_alloc(a, objects, sizeof *largest);
    nc_vec3(*gradients)[4] = nc_alloc(a, hinges, sizeof *gradients);
    nc_vec3 *xy = nc_alloc(a, 2 * vertices, sizeof *xy);
    finest_levels *finest = nc_alloc(a, objects, sizeof *finest);
    const bool ok = sums != NULL && largest != NULL && gradients != NULL && xy != NULL && finest != NULL;
    if (ok) {
        sum_springs(&world->elastic, sums);
        find_gradients(world, gradients);
        sum_hinges(world, gradients, sums + vertices);
        if (world->elastic.hinges.count > 0)
            find_largest(world, gradients, xy, xy + vertices, largest);
        set_spring_levels(world, sums);
        set_hinge_levels(world, sums + vertices, largest);
        find_finest(world, finest);
        avoid_resonance(world, finest);
    }
    nc_free(a, sums, 2 * vertices, sizeof *sums);
    nc_free(a, largest, objects, sizeof *largest);
    nc_free(a, gradients, hinges, sizeof *gradients);
    nc_free(a, xy, 2 * vertices, sizeof *xy);
    nc_free(a, finest, objects, sizeof *finest);
    return ok ? NC_OK : nc_fail_memory(err, hinges * sizeof *gradients);
}

// ---- order --------------------------------------------------------------------------------------------------

// Room for what is known of each vertex; nothing of a start that failed stays.
static bool take_room(nc_cloth_world *world)
{
    nc_cloth_elastic *e = &world->elastic;
    const nc_allocator *a = &world->allocator;
    const size_t count = (size_t)world->model.vertex_count;
    nc_cloth_components_free(e, a);
    e->vertex_capacity = world->model.vertex_count;
    e->part = nc_alloc(a, count, sizeof *e->part);
    e->component = nc_alloc(a, count, sizeof *e->component);
    e->free = nc_alloc(a, count, sizeof *e->free);
    e->vertices = nc_alloc(a, count, sizeof *e->vertices);
    return e->part != NULL && e->component != NULL && e->free != NULL && e->vertices != NULL;
}

static nc_code sort_forces(nc_cloth_world *world, nc_error *err)
{
    nc_cloth_elastic *e = &world->elastic;
    int finest = 0;
    for (int i = 0; i < e->springs.count; i++) {
        e->springs.data[i].id = i;
        finest = e->springs.data[i].level > finest ? e->springs.data[i].level : finest;
    }
    for (int i = 0; i < e->hinges.count; i++) {
        e->hinges.data[i].id = i;
        finest = e->hinges.data[i].level > finest ? e->hinges.data[i].level : finest;
    }
    if (finest > NC_CLOTH_LEVELS)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a sheet is too stiff for its mass: a force would need more than 2^40 steps "
                       "a frame");
    e->finest = finest;
    return take_room(world) && nc_cloth_parts_build(world) && nc_cloth_components_update(world)
               ? NC_OK
               : nc_fail_memory(err, (size_t)e->hinges.count * sizeof *e->hinges.data);
}

// Stiffness and damping times step.
static void set_kicks(nc_cloth_world *world)
{
    for (int i = 0; i < world->elastic.springs.count; i++) {
        nc_cloth_spring *s = &world->elastic.springs.data[i];
        s->kick *= world->model.step[s->level];
        s->damping *= world->model.step[s->level];
    }
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        nc_cloth_hinge *h = &world->elastic.hinges.data[i];
        h->kick *= world->model.step[h->level];
        h->damping *= world->model.step[h->level];
    }
}

nc_code nc_cloth_elastic_finish(nc_cloth_world *world, nc_error *err)
{
    nc_code code = choose_levels(world, err);
    if (code == NC_OK)
        code = sort_forces(world, err);
    if (code == NC_OK)
        set_kicks(world);
    return code;
}
