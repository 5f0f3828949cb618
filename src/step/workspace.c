// Memory of the step: made by the first one, kept for the next.
#include "step/step.h"

static void free_rows(nc_workspace *w)
{
    const nc_allocator *memory = &w->allocator;
    const size_t n = (size_t)w->capacity;
    nc_free(memory, w->role, n, sizeof *w->role);
    nc_free(memory, w->mesh, n, sizeof *w->mesh);
    nc_free(memory, w->inv_inertia, n, sizeof *w->inv_inertia);
    nc_free(memory, w->v, n, sizeof *w->v);
    nc_free(memory, w->w, n, sizeof *w->w);
    nc_free(memory, w->v_before, n, sizeof *w->v_before);
    nc_free(memory, w->w_before, n, sizeof *w->w_before);
    nc_free(memory, w->v_hat, n, sizeof *w->v_hat);
    nc_free(memory, w->momentum, n, sizeof *w->momentum);
    nc_free(memory, w->energy, n, sizeof *w->energy);
    nc_free(memory, w->flight, n, sizeof *w->flight);
    nc_free(memory, w->fate, n, sizeof *w->fate);
    nc_free(memory, w->plain, n, sizeof *w->plain);
    nc_free(memory, w->batched, n, sizeof *w->batched);
    w->role = w->plain = w->batched = NULL;
    w->mesh = NULL;
    w->inv_inertia = NULL;
    w->v = w->w = w->v_hat = w->momentum = w->v_before = w->w_before = NULL;
    w->energy = NULL;
    w->flight = NULL;
    w->fate = NULL;
    w->capacity = 0;
}

static bool reserve_rows(nc_workspace *w, int rows)
{
    if (rows <= w->capacity)
        return true;
    free_rows(w);
    const nc_allocator *memory = &w->allocator;
    const size_t n = (size_t)rows;
    w->capacity = rows;
    w->role = nc_alloc(memory, n, sizeof *w->role);
    w->mesh = nc_alloc(memory, n, sizeof *w->mesh);
    w->inv_inertia = nc_alloc(memory, n, sizeof *w->inv_inertia);
    w->v = nc_alloc(memory, n, sizeof *w->v);
    w->w = nc_alloc(memory, n, sizeof *w->w);
    w->v_before = nc_alloc(memory, n, sizeof *w->v_before);
    w->w_before = nc_alloc(memory, n, sizeof *w->w_before);
    w->v_hat = nc_alloc(memory, n, sizeof *w->v_hat);
    w->momentum = nc_alloc(memory, n, sizeof *w->momentum);
    w->energy = nc_alloc(memory, n, sizeof *w->energy);
    w->flight = nc_alloc(memory, n, sizeof *w->flight);
    w->fate = nc_alloc(memory, n, sizeof *w->fate);
    w->plain = nc_alloc(memory, n, sizeof *w->plain);
    w->batched = nc_alloc(memory, n, sizeof *w->batched);
    const bool complete = w->role != NULL && w->v_before != NULL && w->w_before != NULL && w->mesh != NULL &&
                          w->inv_inertia != NULL && w->v != NULL && w->w != NULL && w->v_hat != NULL &&
                          w->momentum != NULL && w->energy != NULL && w->flight != NULL && w->fate != NULL &&
                          w->plain != NULL && w->batched != NULL;
    if (!complete)
        free_rows(w); // so that the next step tries again
    return complete;
}

static void destroy_workspace(void *memory)
{
    nc_workspace *w = memory;
    const nc_allocator allocator = w->allocator;
    free_rows(w);
    nc_certifier_destroy(w->flights);
    nc_certifier_destroy(w->motions);
    nc_contact_work_destroy(w->solver);
    nc_near_table_free(&w->near, &allocator);
    nc_array_free(&allocator, &w->rest);
    nc_array_free(&allocator, &w->island);
    nc_array_free(&allocator, &w->marked);
    nc_array_free(&allocator, &w->carried);
    nc_array_free(&allocator, &w->carry_v);
    nc_array_free(&allocator, &w->arced);
    nc_array_free(&allocator, &w->arc);
    nc_array_free(&allocator, &w->arc_pose);
    nc_array_free(&allocator, &w->arc_mesh);
    nc_near_table_free(&w->arc_near, &allocator);
    nc_array_free(&allocator, &w->arc_kept);
    nc_array_free(&allocator, &w->stiffness);
    nc_array_free(&allocator, &w->carry_w);
    nc_array_free(&allocator, &w->island_size);
    nc_array_free(&allocator, &w->idle);
    nc_array_free(&allocator, &w->spans);
    nc_array_free(&allocator, &w->tied_sums);
    nc_array_free(&allocator, &w->tied_to);
    nc_array_free(&allocator, &w->ties);
    nc_array_free(&allocator, &w->rest_first);
    nc_array_free(&allocator, &w->rest_next);
    nc_proximity_list_free(&w->patch);
    nc_array_free(&allocator, &w->contacts);
    nc_array_free(&allocator, &w->crowd);
    nc_array_free(&allocator, &w->component);
    nc_array_free(&allocator, &w->ladders);
    nc_array_free(&allocator, &w->scopes);
    nc_array_free(&allocator, &w->meetings);
    nc_array_free(&allocator, &w->wishes);
    nc_array_free(&allocator, &w->due);
    nc_array_free(&allocator, &w->busy);
    nc_clusters_destroy(w->clusters);
    nc_array_free(&allocator, &w->bounced);
    nc_vsp_work_free(&w->vsp, &allocator);
    nc_ready_free(w);
    nc_array_free(&allocator, &w->blows);
    nc_array_free(&allocator, &w->spared);
    nc_array_free(&allocator, &w->recalled);
    for (int solve = 0; solve < NC_SOLVES; solve++)
        nc_array_free(&allocator, &w->kept[solve]);
    nc_free(&allocator, w, 1, sizeof *w);
}

static nc_code create_workspace(nc_world *world, nc_error *err)
{
    nc_workspace *w = nc_alloc(&world->settings.allocator, 1, sizeof *w);
    if (w == NULL)
        return nc_fail_memory(err, sizeof *w);
    w->allocator = world->settings.allocator;
    world->workspace = w;
    world->workspace_destroy = destroy_workspace;
    return NC_OK;
}

nc_code nc_workspace_ensure(nc_world *world, nc_error *err)
{
    return world->workspace == NULL ? create_workspace(world, err) : NC_OK;
}

static nc_code ensure_parts(nc_workspace *w, nc_error *err)
{
    nc_code code = NC_OK;
    w->patch.allocator = &w->allocator;
    if (w->flights == NULL)
        code = nc_certifier_create(&w->allocator, &w->flights, err);
    if (code == NC_OK && w->motions == NULL)
        code = nc_certifier_create(&w->allocator, &w->motions, err);
    if (code == NC_OK && w->solver == NULL && (w->solver = nc_contact_work_create(&w->allocator)) == NULL)
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the contact solver");
    return code;
}

static bool pair_matters(int i, int j, const void *ctx)
{
    const nc_step *step = ctx;
    return nc_state_pair_matters(&step->world->state, i, j);
}

static double pair_clearance(int i, int j, const void *ctx)
{
    return nc_step_clearance(ctx, i, j);
}

static void describe_bodies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++) {
        const nc_body_type type = (nc_body_type)bodies->type[i];
        w->role[i] = !bodies->alive[i]      ? NC_ROLE_ABSENT
                     : type == NC_STATIC    ? NC_ROLE_FIXED
                     : type == NC_KINEMATIC ? NC_ROLE_SCRIPTED
                                            : NC_ROLE_FREE;
        w->mesh[i] = bodies->alive[i] ? step->world->meshes.data[bodies->mesh[i]].mesh : NULL;
    }
    step->flights = (nc_certify_bodies){bodies->count, w->role, w->mesh, bodies->mass, bodies->inertia, w->flight};
    step->motions = step->flights;
    step->motions.path = step->world->candidates.path;
}

nc_code nc_step_begin(nc_step *step, nc_world *world, double dt, nc_error *err)
{
    *step = (nc_step){.world = world, .dt = dt, .time = nc_world_time(world), .clock_begin = nc_wall_clock()};
    step->report.stalled_body = step->report.stalled_by = step->report.left_body = -1;
    world->has_motions = false;
    nc_measure_bodies(world, &step->report);
    step->report.kinetic_before = step->report.kinetic;
    step->report.potential_before = step->report.potential;
    nc_code code = nc_workspace_ensure(world, err);
    if (code == NC_OK)
        code = ensure_parts(world->workspace, err);
    if (code != NC_OK)
        return code;
    step->work = world->workspace;
    step->at = world->state.bodies.pose;
    if (!reserve_rows(step->work, world->state.bodies.capacity))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a step of %d bodies", world->state.bodies.count);
    describe_bodies(step);
    step->work->blows.count = 0;
    step->work->arced.count = 0;
    for (int solve = 0; solve < NC_SOLVES; solve++)
        step->work->kept[solve].count = 0;
    const double floor = world->settings.floor_distance;
    const int64_t budget = NC_CERTIFY_STEP_BUDGET + (int64_t)NC_CERTIFY_BODY_BUDGET * world->state.bodies.count;
    step->certify = (nc_certify_options){.floor = floor,
                                         .tolerance = NC_SWEEP_TOLERANCE_FLOORS * floor,
                                         .reach = world->settings.proximity,
                                         .sweep_limit = NC_SWEEP_EVALUATIONS,
                                         .budget = budget,
                                         .event_budget = NC_CERTIFY_EVENTS_PER_BODY * world->state.bodies.count,
                                         .workers = world->settings.workers,
                                         .matters = pair_matters,
                                         .clearance = pair_clearance,
                                         .interrupt = &world->interrupt,
                                         .ctx = step};
    return NC_OK;
}
