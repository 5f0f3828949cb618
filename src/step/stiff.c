// Light bodies under large forces: links of a chain that carries a thousand times their weight.
//
// A contact force f at an arm r turns its body back when the body turns: a torque of up to |f| |r| per radian. Where
// that is faster than the step, dt^2 |f| |r| above the body's inertia, the directions of contact normals at the start
// of the step say nothing about its end, and a link that is out of line by a little is flung to the other side, farther
// each time. Solvers then see the body with that much more inertia (the diagonal bound of the geometric stiffness,
// implicit over the step; Andrews, Teichmann and Kry 2017), so it comes to rest instead. What moves slowly against the
// step is seen as it is. Forces are those of the last step's solve of the same kind.
//
// A clamp on energy (Su 3.2) that sees the raised inertias lets a body's spin fall and others gain what it is believed
// to have lost, which is more than it had. So islands with such a body are clamped once more with the true ones.
#include "step/step.h"

// Changes results: [1] how much of dt^2 |f| |r| an inertia may be below before it is raised.
#define STIFF_FROM 1.0

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
    double *stiffness = w->stiffness; // [N m s] at first
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
        const double more = scale * stiffness[i] - STIFF_FROM * fmin(m.x, fmin(m.y, m.z));
        stiffness[i] = more > 0 && isfinite(more) ? more : 0;
        if (stiffness[i] > 0)
            w->inv_inertia[i] = raised(&w->inv_inertia[i], more);
    }
}

// ---- energy with the true inertias ---------------------------------------------------------------------------

// Adds what the solve did to row i.
static void add_change(const nc_step *step, int i, nc_stiff_sum *sum)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_quat q = step->world->candidates.pose[i].q;
    const nc_vec3 dv = nc_sub(w->v[i], w->v_before[i]), dw = nc_sub(w->w[i], w->w_before[i]);
    const nc_vec3 dl = nc_inertia_momentum(&bodies->inertia[i], q, dw);
    sum->first += bodies->mass[i] * nc_dot(w->v_before[i], dv) + nc_dot(w->w_before[i], dl);
    sum->second += bodies->mass[i] * nc_norm2(dv) + nc_dot(dw, dl);
    sum->stiff += w->stiffness[i] > 0 ? 1 : 0;
}

// The part of its change that an island may have: see src/contact/clamp.c.
static double factor_of(const nc_stiff_sum *sum)
{
    const double surplus = -2 * (sum->first - sum->work);
    if (sum->stiff == 0 || !isfinite(surplus) || !isfinite(sum->second) || surplus >= sum->second)
        return 1;
    return surplus > 0 ? surplus / sum->second : 0;
}

static void add_up(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_stiff_sum *sums = w->stiff_sums;
    for (int i = 0; i < bodies.count; i++)
        sums[i] = (nc_stiff_sum){0};
    for (int i = 0; i < bodies.count; i++)
        if (w->role[i] == NC_ROLE_FREE)
            add_change(step, i, &sums[w->islands.of.data[i]]);
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        const int island = w->islands.of.data[nc_finite_row(w->role, contact)];
        sums[island].work += nc_contact_kinematic_work(&bodies, contact, nc_contact_impulse_vector(contact));
    }
}

int nc_step_clamp_stiff(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_stiff_sum *sums = w->stiff_sums;
    const int rows = step->world->state.bodies.count;
    int clamped = 0;
    add_up(step);
    for (int i = 0; i < rows; i++) {
        const double factor = w->role[i] == NC_ROLE_FREE ? factor_of(&sums[w->islands.of.data[i]]) : 1;
        if (factor == 1)
            continue;
        w->v[i] = nc_madd(w->v_before[i], factor, nc_sub(w->v[i], w->v_before[i]));
        w->w[i] = nc_madd(w->w_before[i], factor, nc_sub(w->w[i], w->w_before[i]));
        clamped += w->islands.of.data[i] == i ? 1 : 0;
    }
    for (int k = 0; clamped > 0 && k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        const double factor = factor_of(&sums[w->islands.of.data[nc_finite_row(w->role, contact)]]);
        contact->impulse = nc_scale(factor, contact->impulse);
    }
    return clamped;
}
