// Islands with joints in the pipelines of stack layers: they step as in the pipeline shell.
//
// Layers hold what is below while they solve what is above, and a joint has no above and below: a mechanism that hangs
// would be torn, a loop has no order. A few sweeps do not keep joints together either. So bodies that joints and near
// contacts connect where the step begins are taken out of the layers as a whole, and make steps 1 to 4 and 7 of the
// shell step (bounces, RATTLE: docs/theory/joints.md). What meets an island or comes near it within the step takes part
// in its bounces and in its last solve; it is of the island in the next step.
#include "step/step.h"

void nc_mechanisms_free(nc_mechanisms *mechanisms, const nc_allocator *allocator)
{
    nc_array_free(allocator, &mechanisms->rows);
    nc_array_free(allocator, &mechanisms->apart);
}

bool nc_step_in_mechanism(const nc_step *step, int row)
{
    return step->work->joints.on && step->work->mechanisms.rows.data[row];
}

static bool is_of_mechanism(const nc_mechanisms *mechanisms, const nc_contact *contact)
{
    return mechanisms->rows.data[contact->a] || mechanisms->rows.data[contact->b];
}

static void find_rows(nc_mechanisms *mechanisms, const nc_islands *islands, const uint8_t *role, int rows)
{
    for (int i = 0; i < rows; i++)
        mechanisms->rows.data[i] = nc_row_is_free(role, i) && islands->mechanism.data[islands->of.data[i]];
}

static nc_code append(nc_contact_list *list, const nc_contact *contact, const nc_allocator *allocator, nc_error *err)
{
    return nc_array_push(allocator, list, *contact) ? NC_OK : nc_fail_memory(err, sizeof *contact);
}

nc_code nc_step_leave_mechanisms(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = NC_OK;
    int kept = 0;
    w->mechanisms.apart.count = 0;
    if (!w->joints.on)
        return NC_OK;
    for (int k = 0; code == NC_OK && k < w->contacts.count; k++)
        if (is_of_mechanism(&w->mechanisms, &w->contacts.data[k]))
            code = append(&w->mechanisms.apart, &w->contacts.data[k], &w->allocator, err);
        else
            w->contacts.data[kept++] = w->contacts.data[k];
    w->contacts.count = kept;
    return code;
}

// ---- bounces --------------------------------------------------------------------------------------------------

static nc_code find_mechanisms(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    w->contacts.count = 0;
    if (!nc_array_reserve(&w->allocator, &w->mechanisms.rows, rows))
        return nc_fail_memory(err, (size_t)rows);
    nc_code code = nc_near_contacts(&w->near, step->world->state.bodies.pose, &w->contacts, err);
    if (code == NC_OK)
        code = nc_islands_update(&w->islands, w->role, rows, &w->contacts, &w->allocator, err);
    if (code == NC_OK)
        find_rows(&w->mechanisms, &w->islands, w->role, rows);
    return code;
}

// Others are solved together with what rests: they do not bounce before.
static bool may_bounce(int i, int j, const void *ctx)
{
    const nc_step *step = ctx;
    return (nc_step_in_mechanism(step, i) || nc_step_in_mechanism(step, j)) && nc_step_pair_matters(i, j, ctx);
}

nc_code nc_step_mechanisms_collide(nc_step *step, nc_error *err)
{
    if (!step->work->joints.on)
        return NC_OK;
    nc_code code = find_mechanisms(step, err);
    step->certify.matters = may_bounce;
    if (code == NC_OK)
        code = nc_step_collide(step, err);
    step->certify.matters = nc_step_pair_matters;
    return code;
}

// ---- contact and joints ---------------------------------------------------------------------------------------

nc_code nc_step_mechanisms_at_start(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    if (!w->joints.on)
        return NC_OK;
    const nc_contact_list others = w->contacts;
    w->contacts = w->mechanisms.apart;
    w->mechanisms.apart = others;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (nc_step_in_mechanism(step, i))
            nc_step_accelerate_body(step, i);
    const nc_code code = nc_step_hold_at_start(step, err);
    return code == NC_OK ? nc_step_keep_too(step, NC_SOLVE_PREDICT, err) : code;
}

static nc_code find_at_end(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    int kept = 0;
    w->contacts.count = 0;
    const nc_code code = nc_near_contacts(&w->near, step->world->candidates.pose, &w->contacts, err);
    for (int k = 0; code == NC_OK && k < w->contacts.count; k++)
        if (is_of_mechanism(&w->mechanisms, &w->contacts.data[k]))
            w->contacts.data[kept++] = w->contacts.data[k];
    w->contacts.count = kept;
    return code;
}

// What the last solve of the shell step says in the place of layers is said together with them.
static void add_layers(nc_step_report *report, int contacts, int iterations, nc_vec3 support)
{
    report->final_contacts += contacts;
    report->final_iterations = report->final_iterations > iterations ? report->final_iterations : iterations;
    report->support = nc_add(report->support, support);
}

nc_code nc_step_mechanisms_at_end(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int contacts = step->report.final_contacts, iterations = step->report.final_iterations;
    const nc_vec3 support = step->report.support;
    if (!w->joints.on)
        return NC_OK;
    nc_code code = find_at_end(step, err);
    if (code == NC_OK)
        code = nc_step_hold_at_end(step, err);
    if (code == NC_OK)
        code = nc_step_keep_too(step, NC_SOLVE_SETTLE, err);
    add_layers(&step->report, contacts, iterations, support);
    for (int k = 0; code == NC_OK && k < w->mechanisms.apart.count; k++) // phases to come read both
        code = append(&w->contacts, &w->mechanisms.apart.data[k], &w->allocator, err);
    return code == NC_OK ? nc_step_wake_near(step, err) : code;
}
