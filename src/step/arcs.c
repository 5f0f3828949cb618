// Proposals of several segments, for islands whose arcs do not fit into their play.
//
// The centre of a body moves along a straight line within a segment. A pin on a crank of radius R that turns by phi in
// a step leaves its arc by R phi^2 / 8; where its hole has less play, no straight proposal fits, whatever its ends. So
// such islands are advanced in 2 to 6 equal parts of the step: resting contact is solved where the bodies are then,
// with targets at the end of the part, and every part becomes a segment of their proposals. The velocity after a part,
// without what only pushed bodies apart, goes into the next one: half of the forces before, half after, and all of the
// contact between (the scheme SHAKE with the smaller step). The velocities of the last part are carried (carry.c)
// into the last solve of the step.
//
// This is a smaller step for one island within a step of the world. It depends on nothing but the island and what of
// infinite mass is near it. Scripted bodies are where their path is at that time; other free bodies take no part.
// Nothing here is trusted: dynamic contact and certify see these proposals as they see all others.
#include "step/step.h"

#define PENDING 0x80 // in the column of parts: the proposal is still to be made

// Is it one of the bodies that are advanced at present?
static bool takes_part(const nc_arcs *arcs, const uint8_t *role, int i)
{
    return nc_row_is_free(role, i) && arcs->mesh.data[i] != NULL;
}

void nc_arcs_free(nc_arcs *arcs, const nc_allocator *allocator)
{
    nc_array_free(allocator, &arcs->parts);
    nc_array_free(allocator, &arcs->body);
    nc_array_free(allocator, &arcs->pose);
    nc_array_free(allocator, &arcs->mesh);
    nc_near_table_free(&arcs->near, allocator);
    nc_array_free(allocator, &arcs->kept);
}

bool nc_arcs_has(const nc_arcs *arcs, int i)
{
    return arcs->parts.count > 0 && arcs->parts.data[i];
}

nc_code nc_arcs_begin(nc_arcs *arcs, int rows, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &arcs->parts, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the proposals of %d bodies", rows);
    arcs->parts.count = rows;
    for (int i = 0; i < rows; i++)
        arcs->parts.data[i] = 0;
    return NC_OK;
}

static nc_code reserve_columns(nc_arcs *arcs, int rows, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &arcs->body, rows) || !nc_array_reserve(allocator, &arcs->pose, rows) ||
        !nc_array_reserve(allocator, &arcs->mesh, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the proposals of %d bodies", rows);
    return NC_OK;
}

// ---- which islands -------------------------------------------------------------------------------------------

// [m] how far the paths of a contact's points against each other leave their chord in a step, by turning.
static double sag_of(double dt, const nc_solver_bodies *bodies, const nc_contact *contact)
{
    const nc_vec3 w_a = bodies->w[contact->a], w_b = bodies->w[contact->b];
    const nc_vec3 bend_a = nc_cross(w_a, nc_cross(w_a, contact->arm_a));
    const nc_vec3 bend_b = nc_cross(w_b, nc_cross(w_b, contact->arm_b));
    return 0.125 * dt * dt * nc_norm(nc_sub(bend_a, bend_b));
}

// Has the pair less play than `most` [m] at the poses `at` (a column)?
static nc_code is_tight(nc_near *near, const nc_pose *at, int i, int j, double most, bool *out, nc_error *err)
{
    const nc_proximity_options options = nc_contact_options();
    const double reach = fmin(most, NC_ARC_PLAY_REACH * nc_world_pair_proximity(near->world, i, j));
    near->patch.count = 0;
    const nc_code code =
        nc_proximity_find(near->mesh[i], at[i], near->mesh[j], at[j], reach, &options, &near->patch, err);
    *out = code == NC_OK && nc_play_among(near->patch.data, near->patch.count) < most;
    return code;
}

static uint8_t parts_for(double sag, double rest)
{
    const double few = NC_ARC_PARTS_LOW * NC_ARC_PARTS_LOW, some = NC_ARC_PARTS_MEDIUM * NC_ARC_PARTS_MEDIUM;
    return sag <= few * NC_ARC_SAG_RESTS * rest    ? NC_ARC_PARTS_LOW
           : sag <= some * NC_ARC_SAG_RESTS * rest ? NC_ARC_PARTS_MEDIUM
                                                   : NC_ARC_PARTS_HIGH;
}

static bool may_be_split(const nc_world *world, const nc_islands *islands, int row)
{
    return world->settings.failsafe == NC_FAILSAFE_NONE && !islands->mechanism.data[islands->of.data[row]] &&
           islands->size.data[islands->of.data[row]] <= NC_ARC_MAX_BODIES;
}

// Marks the lowest rows of islands that turn too far for their play with their parts; contacts of a pair follow each
// other.
static nc_code mark_turning(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_code code = NC_OK;
    for (int k = 0, end; code == NC_OK && k < w->contacts.count; k = end) {
        const nc_contact *first = &w->contacts.data[k];
        const int row = nc_finite_row(w->role, first);
        uint8_t *mark = &w->islands.marked.data[w->islands.of.data[row]];
        double sag = 0;
        for (end = k; end < w->contacts.count; end++) {
            if (w->contacts.data[end].a != first->a || w->contacts.data[end].b != first->b)
                break;
            sag = fmax(sag, sag_of(step->dt, &bodies, &w->contacts.data[end]));
        }
        const double rest = nc_near_pair_rest(&w->near, first->a, first->b);
        const uint8_t parts = parts_for(sag, rest);
        bool tight = false;
        if (sag > NC_ARC_SAG_RESTS * rest && parts > *mark && may_be_split(step->world, &w->islands, row))
            code = is_tight(&w->near, step->at, first->a, first->b, NC_ARC_PLAY_SAGS * sag, &tight, err);
        *mark = tight ? parts : *mark;
    }
    return code;
}

// Marks the islands of both bodies with so many parts.
static void mark_pair(nc_islands *islands, const uint8_t *role, const int rows[2], uint8_t parts)
{
    for (int side = 0; side < 2; side++) {
        uint8_t *mark = &islands->marked.data[islands->of.data[rows[side]]];
        if (nc_row_is_free(role, rows[side]) && *mark < parts)
            *mark = parts;
    }
}

// How many parts a pair gets whose proposals collide: more, then NC_ARC_PARTS_OTHER, and more again in the end. Where a
// round pin of facets turns in its hole, corners pass each other within a part, and the contacts at its two ends do not
// show it: with other parts they do. 0: there is nothing left to try. `last`: this is the last round.
static uint8_t parts_after_collision(const nc_arcs *arcs, const uint8_t *role, int i, int j, bool last)
{
    const uint8_t *parts = arcs->parts.data, now = parts[i] > parts[j] ? parts[i] : parts[j];
    const bool both_are = (parts[i] || !nc_row_is_free(role, i)) && (parts[j] || !nc_row_is_free(role, j));
    if (now < NC_ARC_PARTS_MEDIUM)
        return NC_ARC_PARTS_MEDIUM;
    if (!both_are)
        return now;
    return now < NC_ARC_PARTS_HIGH ? NC_ARC_PARTS_HIGH : last ? 0 : NC_ARC_PARTS_OTHER;
}

// Was a free body held in the step before? Then parts did not help, or will not.
static bool was_held(const nc_bodies *bodies, const uint8_t *role, int i)
{
    return nc_row_is_free(role, i) && bodies->held[i] > 0;
}

// Marks islands with a pair that collides and has play.
static nc_code mark_colliding(nc_step *step, int collisions, bool last, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < collisions; k++) {
        const int i = w->collisions.data[k].i, j = w->collisions.data[k].j;
        const uint8_t parts = parts_after_collision(&w->arcs, w->role, i, j, last);
        if (parts == 0 || was_held(bodies, w->role, i) || was_held(bodies, w->role, j) ||
            !nc_step_can_respond(step, &w->collisions.data[k]) || !may_be_split(step->world, &w->islands, i) ||
            !may_be_split(step->world, &w->islands, j))
            continue;
        bool tight = false;
        code = is_tight(&w->near, step->at, i, j, INFINITY, &tight, err);
        if (code == NC_OK && tight)
            mark_pair(&w->islands, w->role, (const int[2]){i, j}, parts);
    }
    return code;
}

// The marks of islands become pending parts of their bodies. How many bodies that are.
static int choose_rows(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    int count = 0;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const uint8_t parts = w->islands.marked.data[w->islands.of.data[i]];
        if (!nc_row_is_free(w->role, i) || parts == 0 || (next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0)
            continue;
        w->arcs.parts.data[i] = PENDING | parts;
        count++;
    }
    return count;
}

// ---- one part of the step --------------------------------------------------------------------------------------

// False when no body takes part.
static bool begin_arcs(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    bool any = false;
    for (int i = 0; i < bodies->count; i++) {
        w->arcs.pose.data[i] = bodies->pose[i];
        w->arcs.mesh.data[i] =
            nc_row_is_free(w->role, i) && w->arcs.parts.data[i] != (PENDING | step->parts) ? NULL : w->mesh[i];
        if (!takes_part(&w->arcs, w->role, i))
            continue;
        w->arcs.body.data[i].v = w->v_hat[i];
        w->arcs.body.data[i].momentum = w->momentum[i];
        any = true;
    }
    return any;
}

// Velocity and place of a scripted body at a time of its path, which takes `whole` [s].
static void place_scripted(const nc_path *path, double time, double whole, const nc_solver_bodies *bodies,
                           nc_arcs *arcs, int i)
{
    int k = 0;
    while (k + 1 < path->count && path->segments[k + 1].begin <= time)
        k++;
    bodies->v[i] = nc_scale(1.0 / whole, path->segments[k].d);
    bodies->w[i] = nc_scale(1.0 / whole, path->segments[k].theta);
    arcs->pose.data[i] = nc_path_pose(path, time);
}

// Velocities before contact, with the first half of the part's forces; in the solver's columns and in the candidates.
static void accelerate(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_arc_body *arc = &w->arcs.body.data[i];
    const nc_vec3 momentum = nc_madd(arc->momentum, 0.5 * step->dt, bodies->torque[i]);
    next->v[i] = w->v[i] = nc_madd(arc->v, 0.5 * step->dt, nc_outer_acceleration(step->world, i));
    next->spin[i] = w->w[i] = nc_inertia_spin(&bodies->inertia[i], w->arcs.pose.data[i].q, momentum);
}

// Changes the velocities of all bodies that take part in the solver's columns: those of the segment, or the free ones.
static void load_velocities(const nc_arcs *arcs, const uint8_t *role, const nc_solver_bodies *bodies, bool pushed)
{
    for (int i = 0; i < bodies->count; i++)
        if (takes_part(arcs, role, i)) {
            bodies->v[i] = pushed ? arcs->body.data[i].push_v : arcs->body.data[i].free_v;
            bodies->w[i] = pushed ? arcs->body.data[i].push_w : arcs->body.data[i].free_w;
        }
}

static void store_velocities(nc_arcs *arcs, const uint8_t *role, const nc_solver_bodies *bodies, bool pushed)
{
    for (int i = 0; i < bodies->count; i++) {
        nc_arc_body *arc = &arcs->body.data[i];
        if (!takes_part(arcs, role, i))
            continue;
        *(pushed ? &arc->push_v : &arc->free_v) = bodies->v[i];
        *(pushed ? &arc->push_w : &arc->free_w) = bodies->w[i];
    }
}

// Marks islands with a contact that acts and pushes bodies apart by more than can be seen. How many contacts do.
static int mark_pushed(const nc_near *near, double dt, const nc_islands *islands, const uint8_t *role,
                       const nc_contact_list *contacts)
{
    int count = 0;
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        if (islands->idle.data[k] || !(contact->impulse.x > 0) ||
            !(dt * contact->target > NC_ARC_PUSH_RESTS * nc_near_pair_rest(near, contact->a, contact->b)))
            continue;
        *nc_islands_mark(islands, role, contact) = 1;
        count++;
    }
    return count;
}

// Resting contact where the part begins.
static nc_code solve_part(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_solve_report report;
    nc_place_inertia(&step->world->state.bodies, w->role, w->arcs.pose.data, w->inv_inertia);
    w->contacts.count = 0;
    nc_code code = nc_near_contacts(&w->near, w->arcs.pose.data, &w->contacts, err);
    if (code == NC_OK && w->contacts.count > 0)
        code = nc_step_solve_resting(step, &report, err);
    if (code == NC_OK)
        code = nc_step_keep(step, NC_SOLVE_PREDICT, err);
    w->arcs.kept_dt = step->dt;
    store_velocities(&w->arcs, w->role, &bodies, true);
    if (code == NC_OK && w->contacts.count > 0) {
        nc_islands_mark_all(&w->islands, bodies.count, 0);
        if (mark_pushed(&w->near, step->dt, &w->islands, w->role, &w->contacts) > 0)
            code = nc_step_solve_without_pushing(step, err);
    }
    store_velocities(&w->arcs, w->role, &bodies, false);
    return code;
}

// The velocities of the part become a segment that begins at `time`; bodies are where it leads.
static void extend_path(nc_step *step, int i, nc_pose pose, double time)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_path *path = &step->world->candidates.path[i];
    nc_arc_body *arc = &w->arcs.body.data[i];
    w->v[i] = arc->push_v;
    w->w[i] = arc->push_w;
    nc_step_bound_proposal(step, i);
    arc->push_v = w->v[i];
    arc->push_w = w->w[i];
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], pose.q, w->w[i]);
    const double energy = nc_inertia_energy(&bodies->inertia[i], pose.q, momentum);
    const nc_free_turn turn =
        nc_free_turn_compute(&bodies->inertia[i], pose.q, momentum, step->dt, nc_step_fixes_turns(step), energy);
    const nc_segment segment = {.begin = time,
                                .a = pose.x,
                                .d = nc_scale(step->parts * step->dt, w->v[i]),
                                .theta = nc_scale(step->parts, turn.theta),
                                .eps = nc_scale(step->parts, turn.eps)};
    nc_path_extend(path, segment);
    w->arcs.pose.data[i] = nc_path_pose(path, time + 1.0 / step->parts);
}

// All bodies go to the end of the part.
static void move_all(nc_step *step, int part)
{
    nc_workspace *w = step->work;
    nc_path *path = step->world->candidates.path;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    const double time = (double)part / step->parts;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (takes_part(&w->arcs, w->role, i)) {
            path[i].count = part;
            extend_path(step, i, part > 0 ? nc_path_pose(&path[i], time) : path[i].start, time);
        } else if (w->role[i] == NC_ROLE_SCRIPTED) {
            place_scripted(&w->flight[i], time + 1.0 / step->parts, step->parts * step->dt, &bodies, &w->arcs, i);
        }
}

// Targets of the contacts at the end of the part: what is nearer than it rests opens by that much more in the part.
static void aim_at_end(const nc_near *near, double dt, const nc_solver_bodies *bodies, nc_contact_list *contacts,
                       bool pushed)
{
    for (int k = 0; k < contacts->count; k++) {
        nc_contact *contact = &contacts->data[k];
        const double speed = nc_dot(contact->normal, nc_contact_velocity(bodies, contact));
        const double target = speed + nc_near_to_rest(near, dt, contact, contact->distance);
        contact->target = pushed ? target : fmin(0, target);
        contact->impulse = nc_v3(0, 0, 0);
    }
}

// Leaves the contacts of islands in which features are too near.
static void keep_too_near(const nc_near *near, const nc_islands *islands, const uint8_t *role,
                          nc_contact_list *contacts)
{
    int kept = 0;
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        if (contact->distance < NC_ARC_RESOLVE_RESTS * nc_near_pair_rest(near, contact->a, contact->b))
            *nc_islands_mark(islands, role, contact) = 1;
    }
    for (int k = 0; k < contacts->count; k++)
        if (*nc_islands_mark(islands, role, &contacts->data[k]))
            contacts->data[kept++] = contacts->data[k];
    contacts->count = kept;
}

// What slides within the part comes near features that were not near when it began. So contacts are examined again
// where it ends, and velocities corrected until nothing is too near there.
static nc_code correct(nc_step *step, int part, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_code code = NC_OK;
    for (int round = 0; code == NC_OK && round < NC_ARC_CORRECTIONS; round++) {
        w->contacts.count = 0;
        code = nc_near_contacts(&w->near, w->arcs.pose.data, &w->contacts, err);
        if (code == NC_OK)
            code = nc_islands_update(&w->islands, w->role, bodies.count, &w->contacts, &w->allocator, err);
        if (code != NC_OK)
            break;
        nc_islands_mark_all(&w->islands, bodies.count, 0);
        keep_too_near(&w->near, &w->islands, w->role, &w->contacts);
        if (w->contacts.count == 0)
            break;
        nc_place_inertia(&step->world->state.bodies, w->role, w->arcs.pose.data, w->inv_inertia);
        for (int pushed = 1; code == NC_OK && pushed >= 0; pushed--) {
            load_velocities(&w->arcs, w->role, &bodies, pushed);
            aim_at_end(&w->near, step->dt, &bodies, &w->contacts, pushed);
            code = nc_step_solve_targets(step, err);
            store_velocities(&w->arcs, w->role, &bodies, pushed);
        }
        if (code == NC_OK)
            move_all(step, part);
    }
    return code;
}

// The velocities after a part are the free ones, and the second half of its forces. `q`: where it began.
static void take_velocity(nc_arc_body *arc, const nc_world *world, int i, nc_quat q, double dt)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], q, arc->free_w);
    arc->v = nc_madd(arc->free_v, 0.5 * dt, nc_outer_acceleration(world, i));
    arc->momentum = nc_madd(momentum, 0.5 * dt, bodies->torque[i]);
}

static nc_code advance(nc_step *step, int part, nc_error *err)
{
    const nc_path *path = step->world->candidates.path;
    const int rows = step->world->state.bodies.count;
    for (int i = 0; i < rows; i++)
        if (takes_part(&step->work->arcs, step->work->role, i))
            accelerate(step, i);
    nc_code code = solve_part(step, err);
    if (code == NC_OK) {
        move_all(step, part);
        code = correct(step, part, err);
    }
    for (int i = 0; code == NC_OK && i < rows; i++)
        if (takes_part(&step->work->arcs, step->work->role, i))
            take_velocity(&step->work->arcs.body.data[i], step->world, i,
                          nc_path_pose(&path[i], (double)part / step->parts).q, step->dt);
    return code;
}

// ---- all of them -----------------------------------------------------------------------------------------------

// The first part begins where resting contact was solved for the whole step.
static nc_code begin_kept(nc_arcs *arcs, const nc_kept_impulses *kept, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &arcs->kept, kept->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of %d contacts", kept->count);
    for (int k = 0; k < kept->count; k++)
        arcs->kept.data[k] = kept->data[k];
    arcs->kept.count = kept->count;
    return NC_OK;
}

// Contacts are searched for among the bodies of `mesh`, in the table of arcs, or in that of the step again.
static void swap_near(nc_workspace *w, const nc_mesh *const *mesh)
{
    const nc_near_table table = w->near.table;
    w->near.table = w->arcs.near;
    w->arcs.near = table;
    w->near.mesh = mesh;
}

// The motion over the whole step, and the velocities that are carried into step 7: that takes them as those of the
// start, with the forces of half a step to come.
static void end_arc(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    nc_arc_body *arc = &w->arcs.body.data[i];
    const nc_pose from = bodies->pose[i], to = w->arcs.pose.data[i];
    const double rate = 1.0 / step->dt;
    next->flags[i] |= NC_STEP_PUSHED;
    w->arcs.parts.data[i] &= (uint8_t)~PENDING;
    arc->mean_v = w->v[i] = nc_scale(rate, nc_sub(to.x, from.x));
    arc->mean_w = w->w[i] = nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(to.q, nc_quat_conj(from.q))));
    w->carry.rows.data[i] = 1;
    w->carry.v.data[i] = nc_madd(arc->v, -0.5 * step->dt, nc_outer_acceleration(step->world, i));
    w->carry.w.data[i] = nc_inertia_spin(&bodies->inertia[i], from.q, arc->momentum);
    nc_judge_path(step->world, i, &next->path[i], &next->flags[i]);
    if ((next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0)
        w->arcs.parts.data[i] = w->carry.rows.data[i] = 0;
}

// Everything that phases after this one read is what it was.
static nc_code end_arcs(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_solver_bodies solved = nc_step_solver_bodies(step);
    for (int i = 0; i < bodies->count; i++)
        if (takes_part(&w->arcs, w->role, i))
            end_arc(step, i);
        else if (w->role[i] == NC_ROLE_SCRIPTED)
            place_scripted(&w->flight[i], 0, step->dt, &solved, &w->arcs, i);
    nc_place_inertia(bodies, w->role, bodies->pose, w->inv_inertia);
    nc_step_stiffen(step, NC_SOLVE_PREDICT);
    w->contacts.count = 0;
    const nc_code code = nc_near_contacts(&w->near, bodies->pose, &w->contacts, err);
    return code == NC_OK ? nc_step_choose_idle(step, bodies->pose, err) : code;
}

// Advances the bodies whose proposals are pending with so many parts.
static nc_code follow(nc_step *step, int parts, nc_error *err)
{
    nc_workspace *w = step->work;
    const double whole = step->dt;
    nc_code code = NC_OK;
    step->parts = parts;
    if (!begin_arcs(step))
        return NC_OK;
    code = begin_kept(&w->arcs, &w->warm.kept[NC_SOLVE_PREDICT], &w->allocator, err);
    w->arcs.kept_dt = whole;
    swap_near(w, w->arcs.mesh.data);
    step->within = true;
    step->at = w->arcs.pose.data;
    step->dt = whole / step->parts;
    for (int part = 0; code == NC_OK && part < step->parts; part++)
        code = advance(step, part, err);
    swap_near(w, w->mesh);
    step->within = false;
    step->at = step->world->state.bodies.pose;
    step->dt = whole;
    return code == NC_OK ? end_arcs(step, err) : code;
}

static nc_code follow_all(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = reserve_columns(&w->arcs, step->world->state.bodies.count, &w->allocator, err);
    for (int parts = NC_ARC_PARTS_LOW; code == NC_OK && parts <= NC_ARC_PARTS_HIGH; parts++)
        code = follow(step, parts, err);
    return code;
}

nc_code nc_step_follow_arcs(nc_step *step, nc_error *err)
{
    if (step->work->contacts.count == 0)
        return NC_OK;
    nc_islands_mark_all(&step->work->islands, step->world->state.bodies.count, 0);
    const nc_code code = mark_turning(step, err);
    return code == NC_OK && choose_rows(step) > 0 ? follow_all(step, err) : code;
}

// *made: islands whose proposals collide have other ones.
static nc_code split_once(nc_step *step, bool last, bool *made, nc_error *err)
{
    nc_workspace *w = step->work;
    *made = false;
    const int collisions =
        step->report.contacts > 0 ? nc_collisions_read(&w->collisions, w->motions, &w->allocator) : 0;
    if (collisions < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that collide");
    if (collisions == 0)
        return NC_OK;
    nc_islands_mark_all(&w->islands, step->world->state.bodies.count, 0);
    nc_code code = mark_colliding(step, collisions, last, err);
    if (code != NC_OK || choose_rows(step) == 0)
        return code;
    *made = true;
    code = follow_all(step, err);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (nc_row_is_free(w->role, i) && w->arcs.parts.data[i])
            code = nc_certify_change(w->motions, i, err);
    return code == NC_OK ? nc_certify_refresh(w->motions, err) : code;
}

nc_code nc_step_split_colliding(nc_step *step, nc_error *err)
{
    nc_code code = NC_OK;
    bool made = true;
    for (int round = 0; code == NC_OK && made && round < NC_ARC_SPLITS; round++)
        code = split_once(step, round + 1 == NC_ARC_SPLITS, &made, err);
    return code;
}

nc_path nc_arcs_bend(const nc_arcs *arcs, int i, const nc_path *base, nc_vec3 v, nc_vec3 w, double dt)
{
    const nc_vec3 way = nc_scale(dt, nc_sub(v, arcs->body.data[i].mean_v));
    const nc_vec3 turn = nc_scale(dt, nc_sub(w, arcs->body.data[i].mean_w));
    nc_path path = {.start = base->start, .count = 0};
    for (int k = 0; k < base->count; k++) {
        nc_segment segment = base->segments[k];
        segment.a = k == 0 ? path.start.x : nc_path_pose(&path, segment.begin).x;
        segment.d = nc_add(segment.d, way);
        segment.theta = nc_add(segment.theta, turn);
        nc_path_extend(&path, segment);
    }
    return path;
}
