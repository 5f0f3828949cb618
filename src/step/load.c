// Scripted bodies with a maximum force: where contacts and joints oppose their motion with more, they make only the
// part of it that they have the force for, and wait with the rest.
//
// Contact sees a scripted body as one of infinite mass, so its load is known when the step is over. A step in which a
// load is too large is not committed: it is started again with the body at rest, which has the least load it can have,
// and then at the pace at which a line between the two loads meets the maximum. Loads are convex where contact is one
// body accelerated against forces, so that pace is safe; where it is not, the search goes on between the two (regula
// falsi), and in the end the largest pace that was seen to be within the maximum is taken.
#include "step/step.h"

void nc_loads_free(nc_loads *loads, const nc_allocator *allocator)
{
    nc_array_free(allocator, &loads->rows);
    nc_array_free(allocator, &loads->carried);
}

void nc_loads_forget(nc_loads *loads)
{
    loads->rows.count = loads->starts = 0;
    loads->seconds = 0;
}

static bool is_limited(const nc_bodies *bodies, int i)
{
    return bodies->alive[i] && (bodies->max_force[i] > 0 || bodies->max_torque[i] > 0);
}

nc_code nc_loads_begin(nc_step *step, nc_error *err)
{
    nc_loads *loads = &step->work->loads;
    const nc_bodies *bodies = &step->world->state.bodies;
    loads->on = loads->exceeded = false;
    loads->carried.count = 0;
    for (int i = 0; i < bodies->count; i++)
        loads->on = loads->on || is_limited(bodies, i);
    if (!loads->on)
        return NC_OK;
    if (step->world->settings.pipeline != NC_PIPELINE_SHELL) // their layers do not feel the weight of what is above
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "bodies with a maximum force or torque need the pipeline shell; this world has %s",
                       nc_pipeline_names[step->world->settings.pipeline]);
    if (!nc_array_reserve(&step->work->allocator, &loads->rows, bodies->count))
        return nc_fail_memory(err, (size_t)bodies->count * sizeof *loads->rows.data);
    while (loads->rows.count < bodies->count)
        loads->rows.data[loads->rows.count++] =
            (nc_load){.pace = 1, .high = 1, .at_low = -1, .at_high = -1, .at_higher = -1};
    for (int i = 0; i < bodies->count; i++)
        loads->rows.data[i].impulse = loads->rows.data[i].moment = nc_v3(0, 0, 0);
    return NC_OK;
}

double nc_step_pace(const nc_step *step, int i)
{
    const nc_loads *loads = &step->work->loads;
    return loads->on ? loads->rows.data[i].pace : 1;
}

// ---- what acts on them ----------------------------------------------------------------------------------------

static void add(nc_loads *loads, int row, nc_vec3 impulse, nc_vec3 moment)
{
    loads->rows.data[row].impulse = nc_add(loads->rows.data[row].impulse, impulse);
    loads->rows.data[row].moment = nc_add(loads->rows.data[row].moment, moment);
}

static void add_contact(nc_loads *loads, const nc_contact *contact)
{
    const nc_vec3 impulse = nc_contact_impulse_vector(contact);
    add(loads, contact->a, impulse, nc_cross(contact->arm_a, impulse));
    add(loads, contact->b, nc_neg(impulse), nc_neg(nc_cross(contact->arm_b, impulse)));
}

void nc_step_load_contacts(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int k = 0; w->loads.on && k < w->contacts.count; k++)
        add_contact(&w->loads, &w->contacts.data[k]);
}

nc_code nc_step_keep_carried_contacts(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    w->loads.carried.count = 0;
    if (!w->loads.on && !step->world->contacts.on)
        return NC_OK;
    if (!nc_array_reserve(&w->allocator, &w->loads.carried, w->batch.count))
        return nc_fail_memory(err, (size_t)w->batch.count * sizeof *w->batch.data);
    for (int k = 0; k < w->batch.count; k++)
        w->loads.carried.data[w->loads.carried.count++] = w->batch.data[k];
    return NC_OK;
}

static void add_joint_row(nc_loads *loads, const nc_joint_row *row)
{
    for (int e = 0; e < 4; e++)
        if (row->end[e].body >= 0)
            add(loads, row->end[e].body, nc_scale(row->impulse, row->end[e].linear),
                nc_scale(row->impulse, row->end[e].angular));
}

void nc_step_load_joints(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int k = 0; w->loads.on && k < w->joints.rows.count; k++)
        add_joint_row(&w->loads, &w->joints.rows.data[k]);
}

// Halves of the impulses that were given at the start of the step, and the joints'.
static void add_rest(nc_step *step)
{
    nc_workspace *w = step->work;
    for (int k = 0; k < w->loads.carried.count; k++) {
        const nc_contact *contact = &w->loads.carried.data[k];
        if (nc_carry_has(&w->carry, nc_finite_row(w->role, contact)))
            add_contact(&w->loads, contact);
    }
    for (int k = 0; w->joints.on && k < w->joints.start.count; k++)
        if (nc_step_row_is_carried(step, &w->joints.start.data[k]))
            add_joint_row(&w->loads, &w->joints.start.data[k]);
    nc_step_load_joints(step);
}

// ---- paces ----------------------------------------------------------------------------------------------------

// The part of `most` with which an impulse opposes a motion; 0: it does not, or there is no maximum.
static double part_of(nc_vec3 impulse, nc_vec3 motion, double most, double dt)
{
    const double length = nc_norm(motion);
    if (!(most > 0) || !(length > 0))
        return 0;
    return fmax(0, -nc_dot(impulse, motion) / (length * dt * most));
}

// The load on row i as part of what it may be, whichever of force and torque is larger.
static double load_of(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_load *load = &step->work->loads.rows.data[i];
    const nc_path path = nc_script_path(bodies, i, step->time, step->dt, 1);
    const nc_pose end = nc_path_pose(&path, 1);
    const nc_vec3 way = nc_sub(end.x, path.start.x),
                  turn = nc_quat_rotation_vector(nc_quat_mul(end.q, nc_quat_conj(path.start.q)));
    return fmax(part_of(load->impulse, way, bodies->max_force[i], step->dt),
                part_of(load->moment, turn, bodies->max_torque[i], step->dt));
}

// The pace at which a line through two known loads meets the maximum.
static double meets(double pace_1, double load_1, double pace_2, double load_2)
{
    return pace_1 + (NC_LOAD_AIM - load_1) / (load_2 - load_1) * (pace_2 - pace_1);
}

// Through the two loads that are too large, if that is between the paces that are known; else through the nearest ones.
static double between(const nc_load *load)
{
    const double above = meets(load->high, load->at_high, load->higher, load->at_higher);
    if (load->at_higher > load->at_high && above > load->low && above < load->high)
        return above;
    return meets(load->low, load->at_low, load->high, load->at_high);
}

static void note_load(nc_load *load, double now)
{
    load->tries++;
    if (now <= 1) {
        load->low = load->pace;
        load->at_low = now;
    } else {
        load->higher = load->high;
        load->at_higher = load->at_high;
        load->high = load->pace;
        load->at_high = now;
    }
}

// The next pace of a body that is to be tried: at rest, if what it bears there is not known.
static double next_pace(const nc_load *load)
{
    const double next = load->at_low < 0 ? 0 : between(load);
    return next < NC_LOAD_LEAST_PACE ? 0 : next;
}

// Chooses the next pace of a body whose load at its present one is `now`. False: the present one stays.
static bool choose_pace(nc_load *load, double now, bool last)
{
    const double before = load->pace;
    if (load->decided || (before >= 1 && now <= 1))
        return false;
    note_load(load, now);
    const bool enough = before > 0 && now <= 1 && now >= NC_LOAD_ENOUGH, waits = before == 0 && now >= NC_LOAD_AIM;
    load->decided = enough || waits || last || load->tries >= NC_LOAD_TRIES;
    if (enough || waits)
        return false;
    const double next = load->decided ? load->low : next_pace(load);
    load->decided = load->decided || !(next > load->low || load->at_low < 0);
    load->pace = load->decided ? load->low : next;
    return load->pace != before;
}

nc_code nc_step_weigh(nc_step *step, nc_error *err)
{
    (void)err;
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    if (!w->loads.on)
        return NC_OK;
    const bool last = w->loads.starts >= NC_LOAD_STARTS;
    add_rest(step);
    for (int i = 0; i < bodies->count; i++)
        if (is_limited(bodies, i) && choose_pace(&w->loads.rows.data[i], load_of(step, i), last))
            w->loads.exceeded = true;
    w->loads.starts += w->loads.exceeded;
    return NC_OK;
}

void nc_step_commit_loads(nc_step *step)
{
    const nc_loads *loads = &step->work->loads;
    nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < bodies->count; i++) {
        const bool limited = loads->on && is_limited(bodies, i);
        next->load[i] = limited ? (nc_body_load){.force = nc_scale(1 / step->dt, loads->rows.data[i].impulse),
                                                 .torque = nc_scale(1 / step->dt, loads->rows.data[i].moment),
                                                 .pace = loads->rows.data[i].pace}
                                : (nc_body_load){.pace = 1};
        if (!limited || !(next->load[i].pace < 1))
            continue;
        bodies->script_lag[i] += step->dt * (1 - next->load[i].pace);
        step->report.waits++;
    }
}
