// Elastic forces: springs along edges and hinges, and the clocks that their stability limits ask for.
#include "cloth/world.h"

// ---- adding -------------------------------------------------------------------------------------------------

static nc_vec3 rest_position(const nc_cloth_def *def, const nc_cloth_object *object, int row)
{
    return (def->rest != NULL ? def->rest : def->vertices)[row - object->first_vertex];
}

nc_code nc_cloth_springs_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                             nc_error *err)
{
    if (def->stretch_stiffness == 0 && def->stretch_damping == 0)
        return NC_OK;
    for (int i = 0; i < object->edge_count; i++) {
        const int *v = world->model.edges.data[object->first_edge + i].v;
        const double rest = nc_norm(nc_sub(rest_position(def, object, v[1]), rest_position(def, object, v[0])));
        const nc_cloth_spring spring = {
            .a = v[0], .b = v[1], .rest = rest, .kick = def->stretch_stiffness, .damping = def->stretch_damping};
        if (!nc_array_push(&world->allocator, &world->elastic.springs, spring))
            return nc_fail_memory(err, sizeof spring);
    }
    return NC_OK;
}

// kick and damping hold stiffness and damping until the clocks are known.
nc_code nc_cloth_hinge_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                           nc_cloth_hinge *hinge, nc_error *err)
{
    if (def->bend_stiffness == 0 && def->bend_damping == 0)
        return NC_OK;
    nc_vec3 x[4], gradient[4];
    for (int k = 0; k < 4; k++)
        x[k] = rest_position(def, object, hinge->v[k]);
    if (hinge->v[2] == hinge->v[3] || !nc_cloth_hinge_angle(x, &hinge->rest, gradient))
        return NC_OK; // a triangle without area has no angle to keep
    const nc_vec3 e = nc_sub(x[1], x[0]);
    const double areas = 0.5 * (nc_norm(nc_cross(e, nc_sub(x[2], x[0]))) + nc_norm(nc_cross(e, nc_sub(x[3], x[0]))));
    hinge->kick = 2 * def->bend_stiffness * 3 * nc_norm2(e) / areas;
    hinge->damping = def->bend_damping;
    if (!nc_array_push(&world->allocator, &world->elastic.hinges, *hinge))
        return nc_fail_memory(err, sizeof *hinge);
    return NC_OK;
}

void nc_cloth_elastic_free(nc_cloth_elastic *elastic, const nc_allocator *allocator)
{
    nc_array_free(allocator, &elastic->springs);
    nc_array_free(allocator, &elastic->hinges);
    nc_cloth_components_free(elastic, allocator);
}

// ---- the angle of a hinge -----------------------------------------------------------------------------------

// With e = x1 - x0, n1 = (x2 - x0) x (x2 - x1), n2 = (x3 - x1) x (x3 - x0): tan theta = (n1 x n2).e/|e| / n1.n2.
// A wing moves the angle by |e| / |n| per length along -n/|n|; the ends of the edge take what keeps the sums of forces
// and torques at 0 (docs/theory/acm.md).
bool nc_cloth_hinge_angle(const nc_vec3 x[4], double *angle, nc_vec3 gradient[4])
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
