// Bodies that break within a step (Su 4.2). docs/theory/fracture.md.
//
// An impact is found while nothing of the step has been committed. The body is replaced by its pieces where it stood at
// the start of the step, and the step is started again, so that the collision that broke it continues with the pieces
// and certify sees bodies like any others.
//   1. The pieces are apart from each other and from all other bodies at the start, or the body stays whole.
//   2. A body that stayed whole, and a piece that was born, do not break (again) in this step: a step of n bodies is
//      started at most n + 1 times, and at most NC_FRACTURE_MAX_STARTS + 2 times.
//   3. Until commit the state of before is kept, and a step that fails puts it back.
#include "step/fracture_setup.h"

#include <stdio.h>
#include <string.h>

nc_breaks nc_breaks_begin(nc_world *world)
{
    const nc_workspace *work = world->workspace;
    if (work != NULL)
        ((nc_workspace *)world->workspace)->fracture.spared.count = 0;
    return (nc_breaks){.meshes = world->meshes.count,
                       .events = world->events.count,
                       .pieces = world->event_pieces.count,
                       .joint_events = world->joint_breaks.count};
}

void nc_breaks_end(nc_world *world, nc_breaks *breaks, nc_code code)
{
    const nc_allocator *allocator = &world->settings.allocator;
    if (code != NC_OK) {
        world->events.count = breaks->events;
        world->event_pieces.count = breaks->pieces;
        world->joint_breaks.count = breaks->joint_events;
    }
    if (!breaks->taken)
        return;
    if (code != NC_OK) {
        const nc_state broken = world->state;
        world->state = breaks->before;
        breaks->before = broken;
    }
    nc_state_free(&breaks->before, allocator);
    if (code != NC_OK)
        nc_world_shrink_meshes(world, breaks->meshes);
}

void nc_breaks_report(const nc_breaks *breaks, nc_step_report *report)
{
    if (breaks->starts == 0)
        return;
    report->kinetic_before = breaks->first.kinetic_before;
    report->potential_before = breaks->first.potential_before;
    report->fractures = breaks->fractures;
    report->pieces = breaks->born;
    report->unbroken = breaks->unbroken;
    report->fracture_energy = breaks->energy;
    report->joint_breaks += breaks->joints;
    report->seconds_fracture = breaks->seconds;
    report->seconds_total += breaks->seconds;
}

// ---- one body -----------------------------------------------------------------------------------------------

// A body that is being broken.
typedef struct breaking {
    nc_step *step;
    nc_breaks *breaks;
    const nc_impact *impact;
    nc_fracture how;
    nc_mesh *mesh; // of the body
    nc_pose pose;  // of the body at the start of the step
    double mass;   // [kg]
    nc_neighbours neighbours;
    nc_code code; // what is_free met
    nc_error *err;
} breaking;

// Is a piece far enough from all other bodies?
static bool is_free(void *ctx, const nc_piece *piece)
{
    breaking *b = ctx;
    nc_world *world = b->step->world;
    const nc_pose pose = {nc_pose_apply(b->pose, piece->center), b->pose.q};
    nc_error why = {0};
    bool far = false;
    const nc_code code = nc_birth_is_free(world, &b->neighbours, b->impact->row, piece->mesh, pose,
                                          world->settings.floor_distance, &far, &why);
    if (code != NC_OK && b->code == NC_OK) {
        b->code = code;
        if (b->err != NULL)
            *b->err = why;
    }
    return far;
}

static nc_code make_pieces(breaking *b, const nc_breakable *breakable, nc_pieces *out, nc_error *err)
{
    nc_world *world = b->step->world;
    nc_break_def def = nc_break_def_default();
    nc_code code = nc_prepared_pattern_get(world, &b->how, &def.pattern, err);
    if (code != NC_OK)
        return code;
    def.place = b->impact->place;
    def.normal = b->impact->normal;
    def.mass = b->mass;
    def.gap = b->how.gap > 0 ? b->how.gap : nc_world_size_rest(world, nc_mesh_diagonal(b->mesh));
    def.crumb = b->how.crumb;
    def.aligned = b->how.aligned;
    def.is_free = is_free;
    def.is_free_ctx = b;
    code = nc_break(breakable, &def, &world->settings.allocator, out, err);
    return code == NC_OK ? b->code : code;
}

// A piece's mesh is its own: what its breaking needs is made for this once.
static nc_code break_mesh(breaking *b, nc_pieces *out, nc_error *err)
{
    nc_world *world = b->step->world;
    const nc_breakable *shared = NULL;
    nc_breakable *own = NULL;
    nc_code code;
    if (world->state.bodies.cracks[b->impact->row] == 0) {
        code = nc_prepared_mesh_get(world, &b->how, b->mesh, &shared, err);
    } else {
        const nc_breakable_def def = nc_fracture_breakable_def(world, &b->how);
        code = nc_breakable_create(b->mesh, &def, &world->settings.allocator, &own, err);
    }
    if (code == NC_OK)
        code = make_pieces(b, own != NULL ? own : shared, out, err);
    nc_breakable_destroy(own);
    return code;
}

static void fill_births(const breaking *b, const nc_pieces *pieces, nc_piece_motion *motions, nc_birth *births)
{
    const nc_bodies *bodies = &b->step->world->state.bodies;
    const int row = b->impact->row;
    const nc_parent_motion parent = {b->pose, bodies->v[row], bodies->spin[row], bodies->momentum[row]};
    nc_pieces_move(pieces, &parent, motions);
    for (int k = 0; k < pieces->list.count; k++) {
        const nc_piece *piece = &pieces->list.data[k];
        births[k] = (nc_birth){
            .mesh = piece->mesh, .pose = motions[k].pose, .velocity = motions[k].v, .momentum = motions[k].momentum};
        births[k].mass.mass = piece->mass;
        births[k].mass.principal = piece->principal;
        births[k].mass.principal_q = piece->principal_q;
    }
}

// The world gets a copy of its state, in which bodies may be replaced.
static nc_code take_copy(nc_world *world, nc_breaks *breaks, nc_error *err)
{
    nc_state copy;
    if (breaks->taken)
        return NC_OK;
    if (!nc_state_copy(&world->state, &world->settings.allocator, &copy))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for breaking a body");
    breaks->before = world->state;
    breaks->taken = true;
    world->state = copy;
    return NC_OK;
}

static double kinetic_of(const nc_bodies *bodies, int row)
{
    if (bodies->type[row] != NC_DYNAMIC)
        return 0;
    return 0.5 * bodies->mass[row] * nc_norm2(bodies->v[row]) +
           nc_inertia_energy(&bodies->inertia[row], bodies->pose[row].q, bodies->momentum[row]);
}

// The event's pieces, and the marks of those that do not break again.
static nc_code record_pieces(breaking *b, const nc_body_id *ids, int count, nc_error *err)
{
    nc_world *world = b->step->world;
    nc_workspace *w = b->step->work;
    const int rows = world->state.bodies.count;
    bool good = nc_array_reserve(&w->allocator, &w->fracture.spared, rows);
    for (int i = w->fracture.spared.count; good && i < rows; i++)
        w->fracture.spared.data[i] = 0;
    if (good)
        w->fracture.spared.count = rows;
    for (int k = 0; k < count && good; k++) {
        w->fracture.spared.data[ids[k].index] = 1;
        good = nc_array_push(&world->settings.allocator, &world->event_pieces, ids[k]);
    }
    return good ? NC_OK : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the pieces of a body");
}

static nc_code replace(breaking *b, const nc_birth *births, int count, nc_body_id *ids, nc_error *err)
{
    nc_world *world = b->step->world;
    double energy = -kinetic_of(&world->state.bodies, b->impact->row);
    nc_code code = take_copy(world, b->breaks, err);
    if (code == NC_OK)
        code = nc_body_replace(world, &b->neighbours, b->impact->row, births, count, ids, err);
    if (code != NC_OK)
        return code;
    for (int k = 0; k < count; k++)
        energy += kinetic_of(&world->state.bodies, (int)ids[k].index);
    b->breaks->energy += energy;
    return record_pieces(b, ids, count, err);
}

static nc_code bear_pieces(breaking *b, const nc_pieces *pieces, nc_error *err)
{
    const nc_allocator *allocator = &b->step->work->allocator;
    const size_t count = (size_t)pieces->list.count;
    nc_birth *births = nc_alloc(allocator, count, sizeof *births);
    nc_piece_motion *motions = nc_alloc(allocator, count, sizeof *motions);
    nc_body_id *ids = nc_alloc(allocator, count, sizeof *ids);
    nc_code code = births != NULL && motions != NULL && ids != NULL ? NC_OK : nc_fail_memory(err, count);
    if (code == NC_OK) {
        fill_births(b, pieces, motions, births);
        code = replace(b, births, (int)count, ids, err);
    }
    nc_free(allocator, births, count, sizeof *births);
    nc_free(allocator, motions, count, sizeof *motions);
    nc_free(allocator, ids, count, sizeof *ids);
    return code;
}

// ---- all of them --------------------------------------------------------------------------------------------

static nc_code mass_of(breaking *b, nc_error *err)
{
    const nc_bodies *bodies = &b->step->world->state.bodies;
    const int row = b->impact->row;
    nc_mass mass = {.mass = bodies->mass[row]};
    nc_code code = NC_OK;
    if (bodies->type[row] != NC_DYNAMIC)
        code = nc_mesh_mass(b->mesh, &b->how.mass, &mass, err);
    b->mass = mass.mass;
    return code;
}

static nc_fracture_event begin_event(const nc_world *world, const nc_impact *impact, const nc_fracture *how, double dt)
{
    const char *name = world->state.bodies.name[impact->row];
    nc_fracture_event event = {
        .step = world->state.step_count + 1,
        .body = nc_world_id(world, impact->row),
        .impulse = impact->impulse,
        .threshold = impact->joint < 0 ? how->threshold : world->state.joints.data[impact->joint].break_force * dt,
        .by_joint = impact->joint >= 0,
        .place = impact->at_place,
        .normal = impact->at_normal};
    snprintf(event.name, sizeof event.name, "%s", name != NULL ? name : "");
    memcpy(event.pattern, how->pattern, sizeof event.pattern);
    return event;
}

// A piece is a part of the body, or nearly: twice its ball has the balls around most of them.
static nc_code find_neighbours(breaking *b, nc_error *err)
{
    const nc_world *world = b->step->world;
    const double radius = 2 * (nc_mesh_radius(b->mesh) + world->settings.rest_distance);
    return nc_neighbours_find(world, b->pose.x, radius, &b->neighbours, err);
}

// Breaks a body, or finds out why not: then event->reason says it.
static nc_code try_to_break(breaking *b, nc_fracture_event *event, nc_error *err)
{
    nc_pieces pieces = {.allocator = b->step->work->allocator};
    nc_error why = {0};
    b->err = &why;
    nc_code code = mass_of(b, &why);
    if (code == NC_OK)
        code = find_neighbours(b, &why);
    if (code == NC_OK)
        code = break_mesh(b, &pieces, &why);
    bool refused = code != NC_OK && code != NC_OUT_OF_MEMORY;
    if (code == NC_OK && pieces.list.count < 2)
        snprintf(event->reason, sizeof event->reason, "%s",
                 pieces.why_whole[0] != '\0' ? pieces.why_whole : "the pattern does not divide it");
    else if (code == NC_OK && (code = bear_pieces(b, &pieces, &why)) == NC_OK)
        event->pieces = pieces.list.count;
    refused = refused || code == NC_INTERSECTING;
    nc_pieces_free(&pieces);
    nc_neighbours_free(&b->neighbours, &b->step->world->settings.allocator);
    b->err = NULL;
    if (refused) {
        snprintf(event->reason, sizeof event->reason, "%.255s", why.text);
        code = NC_OK;
    }
    if (code != NC_OK && err != NULL)
        *err = why;
    return code;
}

static nc_code spare(nc_fracture_work *fracture, int row, const nc_allocator *allocator, nc_error *err)
{
    const int before = fracture->spared.count;
    if (!nc_array_reserve(allocator, &fracture->spared, row + 1))
        return nc_fail_memory(err, (size_t)row + 1);
    for (int i = before; i <= row; i++)
        fracture->spared.data[i] = 0;
    fracture->spared.count = before > row ? before : row + 1;
    fracture->spared.data[row] = 1;
    return NC_OK;
}

// From here on the step is what it would be without fracture.
static nc_code spare_all(nc_fracture_work *fracture, int rows, const nc_allocator *allocator, nc_error *err)
{
    const nc_code code = spare(fracture, rows - 1, allocator, err);
    if (code == NC_OK)
        memset(fracture->spared.data, 1, (size_t)rows);
    return code;
}

// Does a joint that is still there break the body? Then `out` is its event.
static bool parts_joint(const nc_step *step, const nc_impact *impact, nc_joint_break *out)
{
    const bool parts = impact->joint >= 0 && step->world->state.joints.data[impact->joint].alive;
    if (parts)
        *out = nc_step_joint_break(step, impact->joint);
    return parts;
}

static nc_code record_joint(nc_world *world, nc_breaks *breaks, const nc_joint_break *event, nc_error *err)
{
    breaks->joints++;
    return nc_array_push(&world->settings.allocator, &world->joint_breaks, *event) ? NC_OK
                                                                                   : nc_fail_memory(err, sizeof *event);
}

static nc_code break_body(nc_step *step, nc_breaks *breaks, const nc_impact *impact, nc_error *err)
{
    nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    breaking b = {
        .step = step, .breaks = breaks, .impact = impact, .how = *nc_state_fracture(&world->state, impact->row)};
    nc_fracture_event event = begin_event(world, impact, &b.how, step->dt);
    nc_joint_break joint;
    const bool parts = parts_joint(step, impact, &joint);
    nc_code code = NC_OK;
    b.mesh = world->meshes.data[bodies->mesh[impact->row]].mesh;
    b.pose = bodies->pose[impact->row];
    if (breaks->fractures >= world->settings.fracture_limit)
        snprintf(event.reason, sizeof event.reason, "%d bodies broke in this step, and no more may", breaks->fractures);
    else if (breaks->starts > NC_FRACTURE_MAX_STARTS)
        snprintf(event.reason, sizeof event.reason, "the step was started %d times already", breaks->starts);
    else
        code = try_to_break(&b, &event, err);
    if (code == NC_OK && event.pieces == 0)
        code = spare(&step->work->fracture, impact->row, &step->work->allocator, err);
    if (code == NC_OK && !nc_array_push(&world->settings.allocator, &world->events, event))
        code = nc_fail_memory(err, sizeof event);
    if (code == NC_OK && event.pieces > 0 && parts) // it went with the body
        code = record_joint(world, breaks, &joint, err);
    breaks->fractures += event.pieces > 0;
    breaks->born += event.pieces;
    breaks->unbroken += event.pieces == 0;
    return code;
}

static bool comes_first(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const nc_impact *)a)->row < ((const nc_impact *)b)->row;
}

nc_code nc_step_break(nc_step *step, nc_breaks *breaks, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = NC_OK;
    if (breaks->starts++ == 0)
        breaks->first = step->report;
    if (!nc_sort(&w->allocator, w->fracture.impacts.data, (size_t)w->fracture.impacts.count,
                 sizeof *w->fracture.impacts.data, comes_first, NULL))
        return nc_fail_memory(err, (size_t)w->fracture.impacts.count * sizeof *w->fracture.impacts.data);
    for (int k = 0; k < w->fracture.impacts.count && code == NC_OK; k++)
        code = break_body(step, breaks, &w->fracture.impacts.data[k], err);
    if (code == NC_OK && breaks->starts > NC_FRACTURE_MAX_STARTS)
        code = spare_all(&w->fracture, step->world->state.bodies.count, &w->allocator, err);
    return code;
}
