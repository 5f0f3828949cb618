// The solvers' memory, and their default settings.
#include "contact/solver.h"

nc_solve_settings nc_solve_settings_default(void)
{
    nc_solve_settings settings = {0};
    settings.solver = NC_SOLVER_PGS;
    settings.friction = NC_FRICTION_CONE;
    settings.iterations = 500;
    settings.tolerance = 1e-6;
    settings.patience = 32;
    settings.epsilon = 0.1;
    settings.accelerate = true;
    settings.clamp = true;
    settings.shock = true;
    settings.workers = 1;
    return settings;
}

nc_contact_work *nc_contact_work_create(const nc_allocator *allocator)
{
    const nc_allocator used = nc_allocator_or_default(allocator);
    nc_contact_work *work = nc_alloc(&used, 1, sizeof *work);
    if (work != NULL)
        work->allocator = used;
    return work;
}

void nc_contact_work_destroy(nc_contact_work *work)
{
    if (work == NULL)
        return;
    const nc_allocator allocator = work->allocator;
    nc_ints *const ints[] = {&work->parent,      &work->island_of,   &work->slot_of,    &work->body_of,
                             &work->order,       &work->height,      &work->queue,      &work->link_begin,
                             &work->lane_of,     &work->class_of,    &work->links,      &work->layer_order,
                             &work->layer_begin, &work->hub_of,      &work->block_at,   &work->wide_chosen,
                             &work->wide_moving, &work->contacts_of, &work->region_of,  &work->wide_of,
                             &work->by_part,     &work->newton_ints, &work->newton_rows};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        nc_array_free(&allocator, ints[i]);
    nc_array_free(&allocator, &work->slots);
    nc_array_free(&allocator, &work->changes);
    nc_array_free(&allocator, &work->islands);
    nc_array_free(&allocator, &work->reports);
    nc_array_free(&allocator, &work->solves);
    nc_array_free(&allocator, &work->marks);
    nc_array_free(&allocator, &work->newton_bits);
    nc_array_free(&allocator, &work->newton_doubles);
    nc_array_free(&allocator, &work->newton_contacts);
    nc_array_free(&allocator, &work->blocks);
    nc_array_free(&allocator, &work->edges);
    nc_array_free(&allocator, &work->colours);
    nc_array_free(&allocator, &work->factors);
    nc_array_free(&allocator, &work->wide_slots);
    nc_array_free(&allocator, &work->wide_memos);
    nc_array_free(&allocator, &work->wides);
    nc_array_free(&allocator, &work->wide_parts);
    nc_array_free(&allocator, &work->layer_blocks);
    nc_array_free(&allocator, &work->slot_memos);
    nc_array_free(&allocator, &work->block_memos);
    nc_joint_work_free(&work->joint, &allocator);
    nc_free(&allocator, work, 1, sizeof *work);
}

// Every island has a body and a contact of its own.
static bool reserve_bodies(nc_contact_work *work, int bodies, int contacts)
{
    const nc_allocator *allocator = &work->allocator;
    const int islands = bodies < contacts ? bodies : contacts;
    nc_ints *const by_body[] = {&work->parent, &work->island_of, &work->slot_of,     &work->body_of,   &work->height,
                                &work->queue,  &work->hub_of,    &work->contacts_of, &work->region_of, &work->wide_of};
    for (size_t i = 0; i < sizeof by_body / sizeof *by_body; i++) {
        if (!nc_array_reserve(allocator, by_body[i], bodies))
            return false;
    }
    return nc_array_reserve(allocator, &work->link_begin, bodies + 2 * (islands + 1)) &&
           nc_array_reserve(allocator, &work->layer_begin, bodies + 2 * (islands + 1)) &&
           nc_array_reserve(allocator, &work->slots, bodies) && nc_array_reserve(allocator, &work->changes, bodies) &&
           nc_array_reserve(allocator, &work->slot_memos, bodies) &&
           nc_array_reserve(allocator, &work->colours, bodies) && nc_array_reserve(allocator, &work->factors, bodies) &&
           nc_array_reserve(allocator, &work->wide_slots, bodies + islands + 2) &&
           nc_array_reserve(allocator, &work->wide_memos, 2 * (bodies + islands) + 2) &&
           nc_array_reserve(allocator, &work->wide_moving, bodies + islands) &&
           nc_array_reserve(allocator, &work->islands, islands) &&
           nc_array_reserve(allocator, &work->reports, islands) &&
           nc_array_reserve(allocator, &work->solves, islands) &&
           nc_array_reserve(allocator, &work->newton_bits, NC_NEWTON_WORDS * bodies) &&
           nc_array_reserve(allocator, &work->newton_ints, 3 * bodies + islands) &&
           nc_array_reserve(allocator, &work->marks, bodies);
}

static bool reserve_contacts(nc_contact_work *work, int contacts)
{
    const nc_allocator *allocator = &work->allocator;
    return nc_array_reserve(allocator, &work->order, contacts) &&
           nc_array_reserve(allocator, &work->lane_of, contacts) &&
           nc_array_reserve(allocator, &work->class_of, contacts) &&
           nc_array_reserve(allocator, &work->by_part, contacts) &&
           nc_array_reserve(allocator, &work->wide_parts, contacts) &&
           nc_array_reserve(allocator, &work->blocks, contacts) &&
           nc_array_reserve(allocator, &work->layer_blocks, contacts) &&
           nc_array_reserve(allocator, &work->block_memos, contacts) &&
           nc_array_reserve(allocator, &work->edges, contacts) &&
           nc_array_reserve(allocator, &work->links, 2 * contacts) &&
           nc_array_reserve(allocator, &work->layer_order, contacts);
}

nc_code nc_contact_work_reserve(nc_contact_work *work, int body_count, int contact_count, nc_error *err)
{
    if (body_count < 0 || contact_count < 0 || body_count > INT32_MAX / 8 || contact_count > INT32_MAX / 4)
        return nc_fail(err, NC_BAD_ARGUMENT, "no room for %d bodies and %d contacts", body_count, contact_count);
    if (!reserve_bodies(work, body_count, contact_count) || !reserve_contacts(work, contact_count))
        return nc_fail_memory(err, (size_t)contact_count * sizeof(nc_block));
    return NC_OK;
}
