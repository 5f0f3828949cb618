// Elastic forces: springs along edges and hinges, and the clocks that their stability limits ask for.
#include "acm/cloth.h"

// ---- adding -------------------------------------------------------------------------------------------------

static nc_vec3 rest_position(const nc_cloth_def *def, const nc_acm_object *object, int row)
{
    return (def->rest != NULL ? def->rest : def->vertices)[row - object->first_vertex];
}

nc_code nc_acm_springs_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_acm_object *object, nc_error *err)
{
    if (def->stretch_stiffness == 0 && def->stretch_damping == 0)
        return NC_OK;
    for (int i = 0; i < object->edge_count; i++) {
        const int *v = world->model.edges.data[object->first_edge + i].v;
        const double rest = nc_norm(nc_sub(rest_position(def, object, v[1]), rest_position(def, object, v[0])));
        const nc_acm_spring spring = {
            .a = v[0], .b = v[1], .rest = rest, .kick = def->stretch_stiffness, .damping = def->stretch_damping};
        if (!nc_array_push(&world->allocator, &world->elastic.springs, spring))
            return nc_fail_memory(err, sizeof spring);
    }
    return NC_OK;
}

// kick and damping hold stiffness and damping until the clocks are known.
nc_code nc_acm_hinge_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_acm_object *object,
                         nc_acm_hinge *hinge, nc_error *err)
{
    if (def->bend_stiffness == 0 && def->bend_damping == 0)
        return NC_OK;
    nc_vec3 x[4], gradient[4];
    for (int k = 0; k < 4; k++)
        x[k] = rest_position(def, object, hinge->v[k]);
    if (hinge->v[2] == hinge->v[3] || !nc_acm_hinge_angle(x, &hinge->rest, gradient))
        return NC_OK; // a triangle without area has no angle to keep
    const nc_vec3 e = nc_sub(x[1], x[0]);
    const double areas = 0.5 * (nc_norm(nc_cross(e, nc_sub(x[2], x[0]))) + nc_norm(nc_cross(e, nc_sub(x[3], x[0]))));
    hinge->kick = 2 * def->bend_stiffness * 3 * nc_norm2(e) / areas;
    hinge->damping = def->bend_damping;
    if (!nc_array_push(&world->allocator, &world->elastic.hinges, *hinge))
        return nc_fail_memory(err, sizeof *hinge);
    return NC_OK;
}

// ---- clocks -------------------------------------------------------------------------------------------------

int nc_acm_level_for(const nc_acm_model *model, double step)
{
    int level = 0;
    while (level <= NC_ACM_LEVELS && !(ldexp(model->settings.frame_dt, -level) <= step))
        level++;
    return level;
}

// Rows of the stiffness matrix, summed over absolute values (Gershgorin): `sums[i] / mass[i]` bounds the square of the
// highest frequency that vertex i takes part in.
static void sum_springs(const nc_acm_elastic *elastic, double *sums)
{
    for (int i = 0; i < elastic->springs.count; i++) {
        const nc_acm_spring *s = &elastic->springs.data[i];
        sums[s->a] += 2 * s->kick;
        sums[s->b] += 2 * s->kick;
    }
}

static void sum_hinges(const nc_cloth_world *world, double *sums)
{
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        const nc_acm_hinge *h = &world->elastic.hinges.data[i];
        nc_vec3 x[4], gradient[4];
        for (int k = 0; k < 4; k++)
            x[k] = world->model.start[h->v[k]];
        double angle, all = 0;
        if (!nc_acm_hinge_angle(x, &angle, gradient))
            continue;
        for (int k = 0; k < 4; k++)
            all += nc_norm(gradient[k]);
        for (int k = 0; k < 4; k++)
            sums[h->v[k]] += h->kick * nc_norm(gradient[k]) * all;
    }
}

// The level for the stiffest of some vertices: h = safety 2 / omega.
static int level_of(const nc_acm_model *m, const double *sums, const int *v, int count, double safety)
{
    double square = 0;
    for (int k = 0; k < count; k++)
        square = fmax(square, sums[v[k]] / m->mass[v[k]]);
    return square > 0 ? nc_acm_level_for(m, safety * 2 / sqrt(square)) : m->settings.gravity_level;
}

static bool spring_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const nc_acm_spring *)a)->level < ((const nc_acm_spring *)b)->level;
}

static bool hinge_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const nc_acm_hinge *)a)->level < ((const nc_acm_hinge *)b)->level;
}

// Levels, then stiffness times step.
static void set_springs(nc_cloth_world *world, const double *sums)
{
    for (int i = 0; i < world->elastic.springs.count; i++) {
        nc_acm_spring *s = &world->elastic.springs.data[i];
        const int v[2] = {s->a, s->b};
        s->level = level_of(&world->model, sums, v, 2, world->model.settings.elastic_safety);
        const double step = ldexp(world->model.settings.frame_dt, -s->level);
        s->kick *= step;
        s->damping *= step;
    }
}

static void set_hinges(nc_cloth_world *world, const double *sums)
{
    for (int i = 0; i < world->elastic.hinges.count; i++) {
        nc_acm_hinge *h = &world->elastic.hinges.data[i];
        // The gradient grows as triangles flatten: half of what a hinge as it starts could take.
        h->level = level_of(&world->model, sums, h->v, 4, 0.5 * world->model.settings.elastic_safety);
        const double step = ldexp(world->model.settings.frame_dt, -h->level);
        h->kick *= step;
        h->damping *= step;
    }
}

static nc_code sort_forces(nc_cloth_world *world, nc_error *err)
{
    nc_acm_elastic *e = &world->elastic;
    if (!nc_sort(&world->allocator, e->springs.data, (size_t)e->springs.count, sizeof *e->springs.data, spring_less,
                 NULL) ||
        !nc_sort(&world->allocator, e->hinges.data, (size_t)e->hinges.count, sizeof *e->hinges.data, hinge_less, NULL))
        return nc_fail_memory(err, (size_t)e->hinges.count * sizeof *e->hinges.data);
    for (int level = 0, s = 0, h = 0; level <= NC_ACM_LEVELS + 1; level++) {
        while (s < e->springs.count && e->springs.data[s].level < level)
            s++;
        while (h < e->hinges.count && e->hinges.data[h].level < level)
            h++;
        e->first_spring[level] = s;
        e->first_hinge[level] = h;
    }
    if (e->first_spring[NC_ACM_LEVELS + 1] < e->springs.count || e->first_hinge[NC_ACM_LEVELS + 1] < e->hinges.count)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a sheet is too stiff for its mass: a force would need more than 2^40 steps "
                       "a frame");
    return nc_acm_parts_build(world) ? NC_OK : nc_fail_memory(err, sizeof(nc_acm_hinge));
}

nc_code nc_acm_elastic_finish(nc_cloth_world *world, nc_error *err)
{
    const size_t count = (size_t)world->model.vertex_count;
    double *sums = nc_alloc(&world->allocator, 2 * count, sizeof *sums);
    if (count > 0 && sums == NULL)
        return nc_fail_memory(err, 2 * count * sizeof *sums);
    sum_springs(&world->elastic, sums);
    sum_hinges(world, sums + count);
    set_springs(world, sums);
    set_hinges(world, sums + count);
    nc_free(&world->allocator, sums, 2 * count, sizeof *sums);
    return sort_forces(world, err);
}

void nc_acm_elastic_free(nc_acm_elastic *elastic, const nc_allocator *allocator)
{
    nc_array_free(allocator, &elastic->springs);
    nc_array_free(allocator, &elastic->hinges);
    nc_acm_parts_free(elastic, allocator);
}

// ---- the angle of a hinge -----------------------------------------------------------------------------------

// With e = x1 - x0, n1 = (x2 - x0) x (x2 - x1), n2 = (x3 - x1) x (x3 - x0): tan theta = (n1 x n2).e/|e| / n1.n2.
// A wing moves the angle by |e| / |n| per length along -n/|n|; the ends of the edge take what keeps the sums of forces
// and torques at 0 (docs/theory/acm.md).
bool nc_acm_hinge_angle(const nc_vec3 x[4], double *angle, nc_vec3 gradient[4])
{
    const nc_vec3 e = nc_sub(x[1], x[0]);
    const nc_vec3 a0 = nc_sub(x[2], x[0]), a1 = nc_sub(x[2], x[1]);
    const nc_vec3 b0 = nc_sub(x[3], x[0]), b1 = nc_sub(x[3], x[1]);
    const nc_vec3 n1 = nc_cross(a0, a1), n2 = nc_cross(b1, b0);
    const double s1 = nc_norm2(n1), s2 = nc_norm2(n2), length = nc_norm(e);
    const double sine = nc_dot(nc_cross(n1, n2), e), cosine = length * nc_dot(n1, n2);
    if (!(s1 > 0 && s2 > 0 && length > 0) || (sine == 0 && cosine == 0) || !isfinite(sine) || !isfinite(cosine))
        return false;
    const nc_vec3 m1 = nc_scale(1 / s1, n1), m2 = nc_scale(1 / s2, n2);
    const double inv = 1 / length;
    *angle = nc_atan2_quick(sine, cosine);
    gradient[2] = nc_scale(-length, m1);
    gradient[3] = nc_scale(-length, m2);
    gradient[0] = nc_madd(nc_scale(-inv * nc_dot(a1, e), m1), -inv * nc_dot(b1, e), m2);
    gradient[1] = nc_madd(nc_scale(inv * nc_dot(a0, e), m1), inv * nc_dot(b0, e), m2);
    return isfinite(s1) && isfinite(s2) && isfinite(inv);
}
