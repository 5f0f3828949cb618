// Memory of the step: made by the first one, kept for the next.
#include "step/step.h"

#include <stddef.h>

// The columns by body.
typedef struct column {
    size_t at;   // of the pointer, in nc_workspace
    size_t size; // of an item
} column;
#define COLUMN(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(nc_workspace, name), sizeof *((nc_workspace *)0)->name                                                \
    }
static const column columns[] = {
    COLUMN(role),       COLUMN(mesh),     COLUMN(inv_mass),  COLUMN(inv_inertia), COLUMN(v),      COLUMN(w),
    COLUMN(v_before),   COLUMN(w_before), COLUMN(v_hat),     COLUMN(momentum),    COLUMN(energy), COLUMN(stiffness),
    COLUMN(stiff_sums), COLUMN(flight),   COLUMN(predicted), COLUMN(fate),        COLUMN(plain),
};
#define COLUMNS ((int)(sizeof columns / sizeof columns[0]))

static void free_rows(nc_workspace *w)
{
    for (int k = 0; k < COLUMNS; k++) {
        void **data = (void **)((char *)w + columns[k].at);
        nc_free(&w->allocator, *data, (size_t)w->capacity, columns[k].size);
        *data = NULL;
    }
    w->capacity = 0;
}

static bool reserve_rows(nc_workspace *w, int rows)
{
    if (rows <= w->capacity)
        return true;
    free_rows(w);
    bool complete = true;
    w->capacity = rows;
    for (int k = 0; k < COLUMNS; k++) {
        void **data = (void **)((char *)w + columns[k].at);
        *data = nc_alloc(&w->allocator, (size_t)rows, columns[k].size);
        complete = complete && *data != NULL;
    }
    if (!complete)
        free_rows(w); // so that the next step tries again
    return complete;
}

static void destroy_workspace(void *memory)
{
    nc_workspace *w = memory;
    const nc_allocator allocator = w->allocator;
    free_rows(w);
    nc_array_free(&allocator, &w->proposed);
    nc_certifier_destroy(w->flights);
    nc_certifier_destroy(w->motions);
    nc_contact_work_destroy(w->solver);
    nc_array_free(&allocator, &w->contacts);
    nc_array_free(&allocator, &w->batch);
    nc_array_free(&allocator, &w->collisions);
    nc_near_free(&w->near, &allocator);
    nc_islands_free(&w->islands, &allocator);
    nc_components_free(&w->components, &allocator);
    nc_array_free(&allocator, &w->bounces.pairs);
    nc_array_free(&allocator, &w->bounces.spare);
    nc_carry_free(&w->carry, &allocator);
    nc_arcs_free(&w->arcs, &allocator);
    nc_tight_free(&w->tight, &allocator);
    nc_ties_free(&w->ties, &allocator);
    nc_warm_free(&w->warm, &allocator);
    nc_failsafe_free(&w->failsafe, &allocator);
    nc_vsp_work_free(&w->vsp, &allocator);
    nc_mechanisms_free(&w->mechanisms, &allocator);
    nc_fracture_work_free(&w->fracture, &allocator);
    nc_sleep_work_free(&w->sleep, &allocator);
    nc_step_joints_free(&w->joints, &allocator);
    nc_loads_free(&w->loads, &allocator);
    nc_free(&allocator, w, 1, sizeof *w);
}

static nc_code create_workspace(nc_world *world, nc_error *err)
{
    nc_workspace *w = nc_alloc(&world->settings.allocator, 1, sizeof *w);
    if (w == NULL)
        return nc_fail_memory(err, sizeof *w);
    w->allocator = world->settings.allocator;
    w->near.world = world;
    w->near.allocator = w->near.patch.allocator = &w->allocator;
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
    if (w->flights == NULL)
        code = nc_certifier_create(&w->allocator, &w->flights, err);
    if (code == NC_OK && w->motions == NULL)
        code = nc_certifier_create(&w->allocator, &w->motions, err);
    if (code == NC_OK && w->solver == NULL && (w->solver = nc_contact_work_create(&w->allocator)) == NULL)
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the contact solver");
    return code;
}

bool nc_step_pair_matters(int i, int j, const void *ctx)
{
    const nc_step *step = ctx;
    const uint8_t *role = step->work->role; // two that sleep, or sleep on what is static, do not move
    return (role[i] != NC_ROLE_FIXED || role[j] != NC_ROLE_FIXED) && nc_state_pair_matters(&step->world->state, i, j);
}

static double pair_clearance(int i, int j, const void *ctx)
{
    const nc_step *step = ctx;
    return nc_near_clearance(&step->work->near, i, j);
}

static void describe_bodies(nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_workspace *w = step->work;
    for (int i = 0; i < bodies->count; i++) {
        const nc_body_type type = (nc_body_type)bodies->type[i];
        w->role[i] = !bodies->alive[i]                ? NC_ROLE_ABSENT
                     : type == NC_STATIC              ? NC_ROLE_FIXED
                     : type == NC_KINEMATIC           ? NC_ROLE_SCRIPTED
                     : nc_step_leaves_asleep(step, i) ? NC_ROLE_FIXED
                                                      : NC_ROLE_FREE;
        w->inv_mass[i] = nc_row_is_free(w->role, i) ? bodies->inv_mass[i] : 0;
        w->mesh[i] = bodies->alive[i] ? step->world->meshes.data[bodies->mesh[i]].mesh : NULL;
    }
    w->near.mesh = w->mesh;
    w->near.role = w->role;
    step->flights = (nc_certify_bodies){bodies->count, w->role, w->mesh, bodies->mass, bodies->inertia, w->flight};
    step->motions = step->flights;
    step->motions.path = step->world->candidates.path;
}

nc_code nc_step_begin(nc_step *step, nc_world *world, double dt, nc_error *err)
{
    *step = (nc_step){.world = world, .dt = dt, .time = nc_world_time(world)};
    step->report.stalled_body = step->report.stalled_by = step->report.left_body = -1;
    world->has_motions = false;
    world->contacts.points.count = 0;
    world->contacts.incomplete = false;
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
    code = nc_sleep_begin(step, err);
    if (code != NC_OK)
        return code;
    describe_bodies(step);
    code = nc_loads_begin(step, err);
    if (code == NC_OK)
        code = nc_step_begin_joints(step, err);
    if (code != NC_OK)
        return code;
    step->work->fracture.impacts.count = 0;
    step->work->arcs.parts.count = 0;
    step->work->carry.rows.count = 0; // the pipeline may be another one than in the last step
    for (int solve = 0; solve < NC_SOLVES; solve++)
        step->work->warm.kept[solve].count = 0;
    const double floor = world->settings.floor_distance;
    const int64_t budget = NC_CERTIFY_STEP_BUDGET + (int64_t)NC_CERTIFY_BODY_BUDGET * world->state.bodies.count;
    step->certify = (nc_certify_options){.floor = floor,
                                         .tolerance = NC_SWEEP_TOLERANCE_FLOORS * floor,
                                         .reach = world->settings.proximity,
                                         .sweep_limit = NC_SWEEP_EVALUATIONS,
                                         .budget = budget,
                                         .event_budget = NC_CERTIFY_EVENTS_PER_BODY * world->state.bodies.count,
                                         .workers = world->settings.workers,
                                         .skip_fixed = nc_step_anybody_sleeps(step),
                                         .matters = nc_step_pair_matters,
                                         .clearance = pair_clearance,
                                         .interrupt = &world->interrupt,
                                         .share = world->share,
                                         .ctx = step};
    return NC_OK;
}
