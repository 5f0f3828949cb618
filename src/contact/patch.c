// All contact points of one pair of bodies at once, so that what lands flat stays flat.
#include "contact/solver.h"

// The pair while it is solved: slot 0 is A, slot 1 is B.
typedef struct nc_patch {
    nc_slot slots[2];
    nc_velocity_change changes[2];
    nc_block_ends ends;
} nc_patch;

static void load(nc_patch *patch, const nc_solver_bodies *bodies, const nc_contact *contact)
{
    nc_slot_load(bodies, contact->a, &patch->slots[0], &patch->changes[0]);
    nc_slot_load(bodies, contact->b, &patch->slots[1], &patch->changes[1]);
    patch->ends =
        (nc_block_ends){patch->slots[0].inv_mass > 0 ? 0 : -1, patch->slots[1].inv_mass > 0 ? 1 : -1, false, false};
}

// English 3.2 to the letter.
static void solve_point(nc_patch *patch, const nc_solver_bodies *bodies, nc_contact *contact, nc_solve_report *report)
{
    const nc_vec3 velocity = nc_add(nc_contact_velocity(bodies, contact), contact->bias);
    const nc_vec3 impulse = nc_impulse_find(nc_contact_response(bodies, contact), velocity, contact->normal,
                                            contact->target, contact->friction);
    contact->impulse = nc_contact_impulse_parts(contact, impulse);
    patch->changes[0].linear = impulse;
    patch->changes[0].angular = nc_cross(contact->arm_a, impulse);
    patch->changes[1].linear = nc_neg(impulse);
    patch->changes[1].angular = nc_neg(nc_cross(contact->arm_b, impulse));
    report->iterations = 1;
    report->updates = 1;
}

static void solve_points(nc_patch *patch, nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts,
                         int count, const nc_solve_settings *settings, nc_solve_report *report)
{
    nc_block *blocks = work->blocks.data;
    for (int i = 0; i < count; i++) {
        contacts[i].impulse = nc_v3(0, 0, 0);
        blocks[i] = nc_block_build(bodies, &contacts[i], patch->slots, patch->ends, settings->friction, 0);
    }
    nc_sweeps sweeps = {.slots = patch->slots, .blocks = blocks, .count = count, .iterations = settings->iterations};
    nc_sweeps_stop(&sweeps, settings);
    nc_pgs_sweeps(&sweeps, settings->friction);
    for (int i = 0; i < count; i++) {
        nc_block_record(&blocks[i], patch->changes);
        nc_block_store(&blocks[i], &contacts[i]);
    }
    report->iterations = sweeps.iterations;
    report->updates = (int64_t)sweeps.iterations * count;
    report->residual = sweeps.residual;
    report->unconverged = nc_sweeps_done(&sweeps) ? 0 : 1;
}

// Only finite bodies have a change.
static nc_clamp clamp_patch(const nc_patch *patch, const nc_solver_bodies *bodies, const nc_contact *contacts,
                            int count, bool clamp)
{
    double work = 0;
    for (int i = 0; i < count; i++)
        work += nc_contact_kinematic_work(bodies, &contacts[i], nc_contact_impulse_vector(&contacts[i]));
    const int begin = patch->ends.a < 0 ? 1 : 0, end = patch->ends.b < 0 ? 1 : 2;
    return clamp ? nc_clamp_find(&patch->changes[begin], end - begin, work)
                 : nc_clamp_without(&patch->changes[begin], end - begin, work);
}

static void store(const nc_patch *patch, const nc_solver_bodies *bodies, nc_contact *contacts, int count, double factor)
{
    const int a = contacts[0].a, b = contacts[0].b;
    if (patch->ends.a >= 0)
        nc_velocity_change_part(&patch->changes[0], factor, &bodies->v[a], &bodies->w[a]);
    if (patch->ends.b >= 0)
        nc_velocity_change_part(&patch->changes[1], factor, &bodies->v[b], &bodies->w[b]);
    for (int i = 0; i < count; i++)
        contacts[i].impulse = factor > 0 ? nc_scale(factor, contacts[i].impulse) : nc_v3(0, 0, 0);
}

static bool is_jointed(const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    const nc_joint_rows *joints = bodies->joints;
    return joints != NULL && joints->count > 0 && count > 0 &&
           (joints->jointed[contacts[0].a] || joints->jointed[contacts[0].b]);
}

nc_code nc_separate_patch(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                          const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    if (is_jointed(bodies, contacts, count)) {
        nc_joint_rows rows = *bodies->joints;
        nc_solver_bodies jointed = *bodies;
        rows.touched_only = true;
        jointed.joints = &rows;
        return nc_jointed_solve(work, &jointed, contacts, count, settings, report, err);
    }
    const nc_code code = nc_contact_work_reserve(work, 0, count, err);
    if (code != NC_OK)
        return code;
    nc_solve_report made = {0};
    made.factor = 1;
    if (count > 0) {
        nc_patch patch;
        load(&patch, bodies, &contacts[0]);
        if (count == 1)
            solve_point(&patch, bodies, &contacts[0], &made);
        else
            solve_points(&patch, work, bodies, contacts, count, settings, &made);
        const nc_clamp clamp = clamp_patch(&patch, bodies, contacts, count, settings->clamp);
        store(&patch, bodies, contacts, count, clamp.factor);
        made.islands = 1;
        made.contacts = count;
        made.clamps = clamp.factor < NC_CLAMPED ? 1 : 0;
        made.factor = clamp.factor;
        made.work = clamp.work;
        made.energy = clamp.energy;
    }
    if (report != NULL)
        *report = made;
    return NC_OK;
}

nc_code nc_collide_patch(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    for (int i = 0; i < count; i++) {
        const double speed = nc_dot(nc_contact_velocity(bodies, &contacts[i]), contacts[i].normal);
        contacts[i].target = -contacts[i].restitution * speed;
    }
    return nc_separate_patch(work, bodies, contacts, count, settings, report, err);
}
