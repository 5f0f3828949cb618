// The set of contacts: what is examined, and how deep.
#include "cloth/world.h"

#include <string.h>

#define DEPTH_STEP 2    // groups that a contact is deepened by at a time
#define AHEAD      0.92 // of the distance foreseen: what is examined in vain costs less than a window run again

void nc_cloth_contacts_free(const nc_allocator *allocator, nc_cloth_contacts *c)
{
    nc_free(allocator, c->data, (size_t)c->capacity, sizeof *c->data);
    nc_free(allocator, c->other, (size_t)c->other_capacity, sizeof *c->other);
    nc_free(allocator, c->island, (size_t)c->island_capacity, sizeof *c->island);
    nc_free(allocator, c->order, (size_t)c->order_capacity, sizeof *c->order);
    *c = (nc_cloth_contacts){0};
}

// ---- needs --------------------------------------------------------------------------------------------------

static bool reserve_other(const nc_cloth_model *model, nc_cloth_contacts *c, int need)
{
    return nc_grow(&model->allocator, (void **)&c->other, &c->other_capacity, need, sizeof *c->other);
}

static void swap(nc_cloth_contacts *c, int count)
{
    nc_cloth_active_contact *data = c->data;
    const int capacity = c->capacity;
    c->data = c->other;
    c->capacity = c->other_capacity;
    c->count = count;
    c->other = data;
    c->other_capacity = capacity;
}

// Deepens a contact towards what one need asks for, by a few layers at a time: the motion that asks was made without
// the layers that are added now, and mostly goes too deep.
static void add_near_pair(const nc_cloth_model *model, nc_cloth_active_contact *c, const nc_cloth_near_pair *need,
                          nc_cloth_contact_changes *out)
{
    const int depth = nc_cloth_depth_for(model, c, need->distance);
    if (depth > c->limit && c->depth == c->limit) {
        if (out->too_deep++ == 0)
            out->pair = need->pair;
    } else if (depth > c->depth) {
        const int wanted = depth < c->depth + DEPTH_STEP ? depth : c->depth + DEPTH_STEP;
        c->depth = wanted < c->limit ? wanted : c->limit;
        c->changed = true;
        out->added++;
    }
}

nc_code nc_cloth_contacts_add_near(const nc_cloth_model *model, nc_cloth_contacts *c, const nc_cloth_near_pairs *needs,
                                   nc_cloth_contact_changes *out, nc_error *err)
{
    *out = (nc_cloth_contact_changes){0};
    if (!reserve_other(model, c, c->count + needs->count))
        return nc_fail_memory(err, (size_t)needs->count * sizeof *c->other);
    int count = 0, i = 0;
    for (int n = 0; n < needs->count; n++) {
        const nc_cloth_near_pair *need = &needs->data[n];
        while (i < c->count && nc_cloth_pair_less(c->data[i].pair, need->pair))
            c->other[count++] = c->data[i++];
        const bool known = i < c->count && !nc_cloth_pair_less(need->pair, c->data[i].pair);
        nc_cloth_active_contact one = known ? c->data[i++] : nc_cloth_contact_make(model, need->pair);
        add_near_pair(model, &one, need, out);
        if (known || one.depth >= 0)
            c->other[count++] = one;
    }
    while (i < c->count)
        c->other[count++] = c->data[i++];
    swap(c, count);
    return NC_OK;
}

nc_code nc_cloth_contacts_settle(const nc_cloth_model *model, nc_cloth_contacts *c, const nc_cloth_near_pairs *needs,
                                 nc_error *err)
{
    if (!reserve_other(model, c, needs->count))
        return nc_fail_memory(err, (size_t)needs->count * sizeof *c->other);
    int count = 0, i = 0;
    for (int n = 0; n < needs->count; n++) {
        const nc_cloth_near_pair *need = &needs->data[n];
        while (i < c->count && nc_cloth_pair_less(c->data[i].pair, need->pair))
            i++;
        const bool known = i < c->count && !nc_cloth_pair_less(need->pair, c->data[i].pair);
        nc_cloth_active_contact one = known ? c->data[i] : nc_cloth_contact_make(model, need->pair);
        const int depth = nc_cloth_depth_for(model, &one, need->distance);
        const int coming = nc_cloth_depth_for(model, &one, AHEAD * need->ahead);
        one.changed = false;
        one.depth = coming > depth ? depth + 1 : depth;
        if (one.depth > one.limit)
            one.depth = one.limit;
        if (one.depth >= 0)
            c->other[count++] = one;
    }
    swap(c, count);
    return NC_OK;
}
