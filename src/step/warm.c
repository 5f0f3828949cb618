// Warm starts: a resting contact that was there in the last step begins with the impulse it had then.
//
// A contact is the same when bodies and features are. Contacts come in the order of (i, j, feature), so do kept
// impulses, and one walk along both finds all. What is kept goes to the workspace and becomes state at commit.
#include "step/step.h"

static nc_kept_impulse key_of(const nc_contact *contact)
{
    return (nc_kept_impulse){.a = contact->a, .b = contact->b, .feature = contact->feature};
}

void nc_step_recall(nc_step *step, nc_solve_kind kind)
{
    const nc_state *state = &step->world->state;
    const nc_kept_impulses *kept = &state->kept[kind];
    nc_workspace *w = step->work;
    // Impulses at rest are forces times dt.
    const double scale = state->clock_dt > 0 ? step->dt / state->clock_dt : 1;
    int next = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        const nc_kept_impulse key = key_of(contact);
        contact->impulse = nc_v3(0, 0, 0);
        while (next < kept->count && nc_kept_less(&kept->data[next], &key))
            next++;
        if (next < kept->count && !nc_kept_less(&key, &kept->data[next]))
            contact->impulse = nc_contact_impulse_parts(contact, nc_scale(scale, kept->data[next].impulse));
    }
}

nc_code nc_step_keep(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_kept_impulses *kept = &w->kept[kind];
    kept->count = 0;
    if (!nc_array_reserve(&w->allocator, kept, w->contacts.count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of %d contacts", w->contacts.count);
    for (int k = 0; k < w->contacts.count; k++) {
        nc_kept_impulse each = key_of(&w->contacts.data[k]);
        each.impulse = nc_contact_impulse_vector(&w->contacts.data[k]);
        const bool ascends = kept->count == 0 || nc_kept_less(&kept->data[kept->count - 1], &each);
        if (w->contacts.data[k].impulse.x > 0 && nc_finite3(each.impulse) && ascends)
            kept->data[kept->count++] = each;
    }
    return NC_OK;
}
