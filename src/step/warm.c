// Warm starts: a resting contact that was there in the last step begins with the impulse it had then.
//
// A contact is the same when bodies and features are. Contacts come in the order of (i, j, feature), so do kept
// impulses, and one walk along both, pair by pair, finds all. A vertex that lies over the edge of two triangles, or the
// corners of two boxes that stand on each other, change their partners for the least of reasons: what is left of a
// pair's impulses goes to the nearest of the contacts that are left. What is kept goes to the workspace and becomes
// state at commit.
#include "step/step.h"

void nc_warm_free(nc_warm *warm, const nc_allocator *allocator)
{
    nc_array_free(allocator, &warm->recalled);
    nc_array_free(allocator, &warm->spare);
    for (int solve = 0; solve < NC_SOLVES; solve++)
        nc_array_free(allocator, &warm->kept[solve]);
}

const nc_kept_impulses *nc_step_kept(const nc_step *step, nc_solve_kind kind, double *dt)
{
    const nc_state *state = &step->world->state;
    *dt = step->within ? step->work->arcs.kept_dt : state->clock_dt;
    return step->within ? &step->work->arcs.kept : nc_sleep_recalled(&step->work->sleep, state, kind);
}

static nc_kept_impulse key_of(const nc_contact *contact)
{
    return (nc_kept_impulse){.a = contact->a, .b = contact->b, .feature = contact->feature, .arm = contact->arm_a};
}

// One pair's contacts, and its kept impulses.
typedef struct warm_pair {
    nc_contact *contacts;
    int contact_count;
    const nc_kept_impulse *kept;
    uint8_t *used; // by kept impulse: a contact has it
    int kept_count;
    double scale; // impulses at rest are forces times dt
    double near;  // [m] how far the place of an impulse may be from the contact that gets it
} warm_pair;

static void give(const warm_pair *pair, nc_contact *contact, int k)
{
    contact->impulse = nc_contact_impulse_parts(contact, nc_scale(pair->scale, pair->kept[k].impulse));
    pair->used[k] = 1;
}

static void give_same(const warm_pair *pair)
{
    int next = 0;
    for (int c = 0; c < pair->contact_count; c++) {
        nc_contact *contact = &pair->contacts[c];
        const nc_kept_impulse key = key_of(contact);
        while (next < pair->kept_count && nc_kept_less(&pair->kept[next], &key))
            next++;
        if (next < pair->kept_count && !nc_kept_less(&key, &pair->kept[next]))
            give(pair, contact, next);
    }
}

// The nearest of the impulses left over, if it is near or has a feature in common; -1 if none is.
static int nearest(const warm_pair *pair, const nc_contact *contact, const int *left, int count)
{
    int best = -1;
    double best2 = 0;
    for (int l = 0; l < count; l++) {
        const nc_kept_impulse *kept = &pair->kept[left[l]];
        if (pair->used[left[l]])
            continue;
        const nc_feature_id p = kept->feature, q = contact->feature;
        const bool related = p.kind == q.kind && (p.a == q.a || p.b == q.b);
        const double distance2 = nc_norm2(nc_sub(kept->arm, contact->arm_a));
        if ((related || distance2 <= pair->near * pair->near) && (best < 0 || distance2 < best2)) {
            best = left[l];
            best2 = distance2;
        }
    }
    return best;
}

static void give_rest(const warm_pair *pair)
{
    int left[NC_WARM_MAX_LEFT_OVER], count = 0;
    for (int k = 0; k < pair->kept_count && count < NC_WARM_MAX_LEFT_OVER; k++)
        if (!pair->used[k])
            left[count++] = k;
    for (int c = 0; c < pair->contact_count && count > 0; c++) {
        nc_contact *contact = &pair->contacts[c];
        const int k = contact->impulse.x != 0 ? -1 : nearest(pair, contact, left, count);
        if (k >= 0)
            give(pair, contact, k);
    }
}

// The contacts of one pair; kept impulses before *next belong to earlier pairs. The rest as in warm_pair.
static void recall_pair(const nc_kept_impulses *kept, uint8_t *used, double scale, double near, nc_contact *contacts,
                        int count, int *next)
{
    const int a = contacts[0].a, b = contacts[0].b;
    int last = *next;
    while (last < kept->count && (kept->data[last].a < a || (kept->data[last].a == a && kept->data[last].b < b)))
        last++;
    const int first = last;
    while (last < kept->count && kept->data[last].a == a && kept->data[last].b == b)
        last++;
    *next = last;
    if (first == last)
        return;
    const warm_pair pair = {.contacts = contacts,
                            .contact_count = count,
                            .kept = &kept->data[first],
                            .used = &used[first],
                            .kept_count = last - first,
                            .scale = scale,
                            .near = near};
    give_same(&pair);
    give_rest(&pair);
}

nc_code nc_step_recall(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    double dt_before;
    const nc_kept_impulses *kept = nc_step_kept(step, kind, &dt_before);
    nc_workspace *w = step->work;
    if (!nc_array_reserve(&w->allocator, &w->warm.recalled, kept->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of %d contacts", kept->count);
    for (int k = 0; k < kept->count; k++)
        w->warm.recalled.data[k] = 0;
    for (int k = 0; k < w->contacts.count; k++)
        w->contacts.data[k].impulse = nc_v3(0, 0, 0);
    const double scale = dt_before > 0 ? step->dt / dt_before : 1;
    int next = 0;
    for (int begin = 0, end; begin < w->contacts.count; begin = end) {
        const nc_contact *first = &w->contacts.data[begin];
        end = begin + 1;
        while (end < w->contacts.count && w->contacts.data[end].a == first->a && w->contacts.data[end].b == first->b)
            end++;
        const double near = NC_WARM_REACH_RESTS * nc_world_common_rest(step->world, first->a, first->b);
        recall_pair(kept, w->warm.recalled.data, scale, near, &w->contacts.data[begin], end - begin, &next);
    }
    return NC_OK;
}

// Appends those of work->contacts, which ascend.
static nc_code append_kept(nc_workspace *w, nc_kept_impulses *kept, nc_error *err)
{
    const int before = kept->count;
    if (!nc_array_reserve(&w->allocator, kept, before + w->contacts.count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of %d contacts", w->contacts.count);
    for (int k = 0; k < w->contacts.count; k++) {
        nc_kept_impulse each = key_of(&w->contacts.data[k]);
        each.impulse = nc_contact_impulse_vector(&w->contacts.data[k]);
        const bool ascends = kept->count == before || nc_kept_less(&kept->data[kept->count - 1], &each);
        if (!w->contacts.data[k].impact && w->contacts.data[k].impulse.x > 0 && nc_finite3(each.impulse) && ascends)
            kept->data[kept->count++] = each;
    }
    return NC_OK;
}

nc_code nc_step_keep(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_kept_impulses *kept = step->within ? &w->arcs.kept : &w->warm.kept[kind];
    kept->count = 0;
    return append_kept(w, kept, err);
}

static bool kept_before(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return nc_kept_less(a, b);
}

nc_code nc_step_keep_too(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_kept_impulses *kept = &w->warm.kept[kind];
    const nc_code code = append_kept(w, kept, err);
    if (code != NC_OK)
        return code;
    if (!nc_array_reserve(&w->allocator, &w->warm.spare, kept->count))
        return nc_fail_memory(err, (size_t)kept->count * sizeof *kept->data);
    nc_sort_in(kept->data, w->warm.spare.data, (size_t)kept->count, sizeof *kept->data, kept_before, NULL);
    return NC_OK;
}
