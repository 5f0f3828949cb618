// Light bodies under large forces: links of a chain that carries a thousand times their weight.
//
// A contact force f at an arm r turns its body back when the body turns: a torque of up to |f| |r| per radian. Where
// that is faster than the step, dt^2 |f| |r| above the body's inertia, the directions of contact normals at the start
// of the step say nothing about its end, and a link that is out of line by a little is flung to the other side, farther
// each time. Solvers then see the body with that much more inertia (the diagonal bound of the geometric stiffness,
// implicit over the step; Andrews, Teichmann and Kry 2017), so it comes to rest instead. What moves slowly against the
// step is seen as it is. Forces are those of the last step's solve of the same kind.
#include "step/step.h"

static nc_mat3 raised(const nc_mat3 *inv_inertia, double more)
{
    // (I + more)^-1 = I^-1 (1 + more I^-1)^-1, by the inverse of a symmetric positive matrix.
    nc_mat3 m = {{nc_scale(more, inv_inertia->row[0]), nc_scale(more, inv_inertia->row[1]),
                  nc_scale(more, inv_inertia->row[2])}};
    m.row[0].x += 1;
    m.row[1].y += 1;
    m.row[2].z += 1;
    const nc_vec3 c0 = nc_cross(m.row[1], m.row[2]), c1 = nc_cross(m.row[2], m.row[0]);
    const nc_vec3 c2 = nc_cross(m.row[0], m.row[1]);
    const double det = nc_dot(m.row[0], c0);
    const nc_mat3 inverse = {{nc_scale(1 / det, nc_v3(c0.x, c1.x, c2.x)), nc_scale(1 / det, nc_v3(c0.y, c1.y, c2.y)),
                              nc_scale(1 / det, nc_v3(c0.z, c1.z, c2.z))}};
    nc_mat3 out = nc_mat3_multiply(*inv_inertia, inverse);
    out.row[1].x = out.row[0].y;
    out.row[2].x = out.row[0].z;
    out.row[2].y = out.row[1].z;
    return out;
}

void nc_step_stiffen(nc_step *step, nc_solve_kind kind)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    double dt_before;
    const nc_kept_impulses *kept = nc_step_kept(step, kind, &dt_before);
    double *stiffness = w->stiffness.data;
    for (int i = 0; i < bodies->count; i++)
        stiffness[i] = 0;
    for (int k = 0; k < kept->count; k++) {
        const nc_kept_impulse *each = &kept->data[k];
        const nc_vec3 across = nc_sub(bodies->pose[each->a].x, bodies->pose[each->b].x);
        const double impulse = nc_norm(each->impulse);
        stiffness[each->a] += impulse * nc_norm(each->arm);
        stiffness[each->b] += impulse * nc_norm(nc_add(each->arm, across));
    }
    const double scale = dt_before > 0 ? step->dt * step->dt / dt_before : 0; // impulses are forces times dt
    for (int i = 0; i < bodies->count; i++) {
        if (w->role[i] != NC_ROLE_FREE)
            continue;
        const nc_vec3 m = bodies->inertia[i].moments;
        const double more = scale * stiffness[i] - NC_STIFF_INERTIA_SHARE * fmin(m.x, fmin(m.y, m.z));
        if (more > 0 && isfinite(more))
            w->inv_inertia[i] = raised(&w->inv_inertia[i], more);
    }
}
