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

static bool is_free(const nc_step *step, int i)
{
    return step->work->role[i] == NC_ROLE_FREE;
}

// Is it one of the bodies that are advanced at present?
static bool takes_part(const nc_step *step, int i)
{
    return is_free(step, i) && step->work->arc_mesh.data[i] != NULL;
}

bool nc_step_is_arced(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    return w->arced.count > 0 && w->arced.data[i];
}

nc_code nc_step_reserve_arcs(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->arced, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the proposals of %d bodies", rows);
    w->arced.count = rows;
    for (int i = 0; i < rows; i++)
        w->arced.data[i] = 0;
    return NC_OK;
}

static nc_code reserve_columns(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    if (!nc_array_reserve(&w->allocator, &w->arc, rows) || !nc_array_reserve(&w->allocator, &w->arc_pose, rows) ||
        !nc_array_reserve(&w->allocator, &w->arc_mesh, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the proposals of %d bodies", rows);
    return NC_OK;
}

// ---- which islands -------------------------------------------------------------------------------------------

// [m] how far the paths of a contact's points against each other leave their chord in a step, by turning.
static double sag_of(const nc_step *step, const nc_solver_bodies *bodies, const nc_contact *contact)
{
    const nc_vec3 w_a = bodies->w[contact->a], w_b = bodies->w[contact->b];
    const nc_vec3 bend_a = nc_cross(w_a, nc_cross(w_a, contact->arm_a));
    const nc_vec3 bend_b = nc_cross(w_b, nc_cross(w_b, contact->arm_b));
    return 0.125 * step->dt * step->dt * nc_norm(nc_sub(bend_a, bend_b));
}

// Has the pair less play than `most` [m]?
static nc_code is_tight(nc_step *step, int i, int j, double most, bool *out, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_proximity_options options = nc_contact_options();
    const double reach = fmin(most, NC_ARC_PLAY_REACH * nc_world_pair_proximity(step->world, i, j));
    w->patch.count = 0;
    const nc_code code =
        nc_proximity_find(w->mesh[i], step->at[i], w->mesh[j], step->at[j], reach, &options, &w->patch, err);
    *out = code == NC_OK && nc_step_play_among(w->patch.data, w->patch.count) < most;
    return code;
}

static uint8_t parts_for(double sag, double rest)
{
    const double few = NC_ARC_PARTS_LOW * NC_ARC_PARTS_LOW, some = NC_ARC_PARTS_MEDIUM * NC_ARC_PARTS_MEDIUM;
    return sag <= few * NC_ARC_SAG_RESTS * rest    ? NC_ARC_PARTS_LOW
           : sag <= some * NC_ARC_SAG_RESTS * rest ? NC_ARC_PARTS_MEDIUM
                                                   : NC_ARC_PARTS_HIGH;
}

static bool may_be_split(const nc_step *step, int row)
{
    const nc_workspace *w = step->work;
    return step->world->settings.failsafe == NC_FAILSAFE_NONE &&
           w->island_size.data[w->island.data[row]] <= NC_ARC_MAX_BODIES;
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
        const int row = nc_step_finite_row(step, first);
        uint8_t *mark = &w->marked.data[w->island.data[row]];
        double sag = 0;
        for (end = k; end < w->contacts.count; end++) {
            if (w->contacts.data[end].a != first->a || w->contacts.data[end].b != first->b)
                break;
            sag = fmax(sag, sag_of(step, &bodies, &w->contacts.data[end]));
        }
        const double rest = nc_step_pair_rest(step, first->a, first->b);
        const uint8_t parts = parts_for(sag, rest);
        bool tight = false;
        if (sag > NC_ARC_SAG_RESTS * rest && parts > *mark && may_be_split(step, row))
            code = is_tight(step, first->a, first->b, NC_ARC_PLAY_SAGS * sag, &tight, err);
        *mark = tight ? parts : *mark;
    }
    return code;
}

// Marks the islands of both bodies with so many parts, or more.
static void mark_pair(nc_step *step, int i, int j, uint8_t parts)
{
    nc_workspace *w = step->work;
    const int rows[2] = {i, j};
    for (int side = 0; side < 2; side++)
        parts = w->arced.data[rows[side]] > parts ? w->arced.data[rows[side]] : parts;
    for (int side = 0; side < 2; side++) {
        uint8_t *mark = &w->marked.data[w->island.data[rows[side]]];
        if (is_free(step, rows[side]) && *mark < parts)
            *mark = parts;
    }
}

// Was a free body held in the step before? Then parts did not help, or will not.
static bool was_held(const nc_step *step, int i)
{
    return is_free(step, i) && step->world->state.bodies.held[i] > 0;
}

// Marks islands with a pair that meets and has play.
static nc_code mark_meeting(nc_step *step, int meetings, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < meetings; k++) {
        const int i = w->meetings.data[k].i, j = w->meetings.data[k].j;
        const bool both_are = (w->arced.data[i] || !is_free(step, i)) && (w->arced.data[j] || !is_free(step, j));
        if (both_are || was_held(step, i) || was_held(step, j) || !nc_step_can_respond(step, &w->meetings.data[k]) ||
            !may_be_split(step, i) || !may_be_split(step, j))
            continue;
        bool tight = false;
        code = is_tight(step, i, j, INFINITY, &tight, err);
        if (code == NC_OK && tight)
            mark_pair(step, i, j, NC_ARC_PARTS_MEDIUM);
    }
    return code;
}

static void unmark_all(nc_step *step)
{
    for (int i = 0; i < step->world->state.bodies.count; i++)
        step->work->marked.data[i] = 0;
}

// The marks of islands become pending parts of their bodies. How many bodies that are.
static int choose_rows(nc_step *step)
{
    nc_workspace *w = step->work;
    const nc_candidates *next = &step->world->candidates;
    int count = 0;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const uint8_t parts = w->marked.data[w->island.data[i]];
        if (!is_free(step, i) || parts == 0 || (next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0)
            continue;
        w->arced.data[i] = PENDING | parts;
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
        w->arc_pose.data[i] = bodies->pose[i];
        w->arc_mesh.data[i] = is_free(step, i) && w->arced.data[i] != (PENDING | step->parts) ? NULL : w->mesh[i];
        if (!takes_part(step, i))
            continue;
        w->arc.data[i].v = w->v_hat[i];
        w->arc.data[i].momentum = w->momentum[i];
        any = true;
    }
    return any;
}

// Velocity and place of a scripted body at a time of its path.
static void place_scripted(nc_step *step, int i, double time, double whole)
{
    nc_workspace *w = step->work;
    const nc_path *path = &w->flight[i];
    int k = 0;
    while (k + 1 < path->count && path->segments[k + 1].begin <= time)
        k++;
    w->v[i] = nc_scale(1.0 / whole, path->segments[k].d);
    w->w[i] = nc_scale(1.0 / whole, path->segments[k].theta);
    w->arc_pose.data[i] = nc_path_pose(path, time);
}

static nc_vec3 acceleration(const nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    return nc_madd(step->world->settings.gravity, bodies->inv_mass[i], bodies->force[i]);
}

// Velocities before contact, with the first half of the part's forces; in the solver's columns and in the candidates.
static void accelerate(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    const nc_arc_body *arc = &w->arc.data[i];
    const nc_vec3 momentum = nc_madd(arc->momentum, 0.5 * step->dt, bodies->torque[i]);
    next->v[i] = w->v[i] = nc_madd(arc->v, 0.5 * step->dt, acceleration(step, i));
    next->spin[i] = w->w[i] = nc_inertia_spin(&bodies->inertia[i], w->arc_pose.data[i].q, momentum);
}

// Changes the velocities of all bodies that take part in the solver's columns: those of the segment, or the free ones.
static void load_velocities(nc_step *step, bool pushed)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (takes_part(step, i)) {
            w->v[i] = pushed ? w->arc.data[i].push_v : w->arc.data[i].free_v;
            w->w[i] = pushed ? w->arc.data[i].push_w : w->arc.data[i].free_w;
        }
}

static void store_velocities(nc_step *step, bool pushed)
{
    nc_workspace *w = step->work;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        nc_arc_body *arc = &w->arc.data[i];
        if (!takes_part(step, i))
            continue;
        *(pushed ? &arc->push_v : &arc->free_v) = w->v[i];
        *(pushed ? &arc->push_w : &arc->free_w) = w->w[i];
    }
}

// Marks islands with a contact that acts and pushes bodies apart by more than can be seen. How many contacts do.
static int mark_pushed(nc_step *step)
{
    nc_workspace *w = step->work;
    int count = 0;
    unmark_all(step);
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        if (w->idle.data[k] || !(contact->impulse.x > 0) ||
            !(step->dt * contact->target > NC_ARC_PUSH_RESTS * nc_step_pair_rest(step, contact->a, contact->b)))
            continue;
        w->marked.data[w->island.data[nc_step_finite_row(step, contact)]] = 1;
        count++;
    }
    return count;
}

// Resting contact where the part begins.
static nc_code solve_part(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_solve_report report;
    nc_step_place_inertia(step, w->arc_pose.data);
    w->contacts.count = 0;
    nc_code code = nc_step_find_contacts(step, w->arc_pose.data, err);
    if (code == NC_OK && w->contacts.count > 0)
        code = nc_step_solve_resting(step, &report, err);
    if (code == NC_OK)
        code = nc_step_keep(step, NC_SOLVE_PREDICT, err);
    w->arc_kept_dt = step->dt;
    store_velocities(step, true);
    if (code == NC_OK && w->contacts.count > 0 && mark_pushed(step) > 0)
        code = nc_step_solve_without_pushing(step, err);
    store_velocities(step, false);
    return code;
}

// The velocities of the part become a segment that begins at `time`; bodies are where it leads.
static void extend_path(nc_step *step, int i, nc_pose pose, double time)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_path *path = &step->world->candidates.path[i];
    nc_arc_body *arc = &w->arc.data[i];
    w->v[i] = arc->push_v;
    w->w[i] = arc->push_w;
    nc_step_bound_proposal(step, i);
    arc->push_v = w->v[i];
    arc->push_w = w->w[i];
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], pose.q, w->w[i]);
    const double energy = nc_inertia_energy(&bodies->inertia[i], pose.q, momentum);
    const nc_free_turn turn =
        nc_free_turn_compute(&bodies->inertia[i], pose.q, momentum, step->dt, step->world->settings.energy_fix, energy);
    const nc_segment segment = {.begin = time,
                                .a = pose.x,
                                .d = nc_scale(step->parts * step->dt, w->v[i]),
                                .theta = nc_scale(step->parts, turn.theta),
                                .eps = nc_scale(step->parts, turn.eps)};
    nc_path_extend(path, segment);
    w->arc_pose.data[i] = nc_path_pose(path, time + 1.0 / step->parts);
}

// All bodies go to the end of the part.
static void move_all(nc_step *step, int part)
{
    nc_workspace *w = step->work;
    nc_path *path = step->world->candidates.path;
    const double time = (double)part / step->parts;
    for (int i = 0; i < step->world->state.bodies.count; i++)
        if (takes_part(step, i)) {
            path[i].count = part;
            extend_path(step, i, part > 0 ? nc_path_pose(&path[i], time) : path[i].start, time);
        } else if (w->role[i] == NC_ROLE_SCRIPTED) {
            place_scripted(step, i, time + 1.0 / step->parts, step->parts * step->dt);
        }
}

// Targets of the contacts at the end of the part: what is nearer than it rests opens by that much more in the part.
static void aim_at_end(nc_step *step, bool pushed)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    for (int k = 0; k < w->contacts.count; k++) {
        nc_contact *contact = &w->contacts.data[k];
        const double speed = nc_dot(contact->normal, nc_contact_velocity(&bodies, contact));
        const double target = speed + nc_step_to_rest(step, contact, contact->distance);
        contact->target = pushed ? target : fmin(0, target);
        contact->impulse = nc_v3(0, 0, 0);
    }
}

// Leaves the contacts of islands in which features are too near. How many there are.
static nc_code keep_too_near(nc_step *step, int *kept, nc_error *err)
{
    nc_workspace *w = step->work;
    *kept = 0;
    const nc_code code = nc_step_find_islands(step, err);
    if (code != NC_OK)
        return code;
    unmark_all(step);
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        if (contact->distance < NC_ARC_RESOLVE_RESTS * nc_step_pair_rest(step, contact->a, contact->b))
            w->marked.data[w->island.data[nc_step_finite_row(step, contact)]] = 1;
    }
    for (int k = 0; k < w->contacts.count; k++)
        if (w->marked.data[w->island.data[nc_step_finite_row(step, &w->contacts.data[k])]])
            w->contacts.data[(*kept)++] = w->contacts.data[k];
    w->contacts.count = *kept;
    return NC_OK;
}

// What slides within the part comes near features that were not near when it began. So contacts are looked at again
// where it ends, and velocities corrected until nothing is too near there.
static nc_code correct(nc_step *step, int part, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_code code = NC_OK;
    for (int round = 0; code == NC_OK && round < NC_ARC_CORRECTIONS; round++) {
        int count = 0;
        w->contacts.count = 0;
        code = nc_step_find_contacts(step, w->arc_pose.data, err);
        if (code == NC_OK)
            code = keep_too_near(step, &count, err);
        if (code != NC_OK || count == 0)
            break;
        nc_step_place_inertia(step, w->arc_pose.data);
        for (int pushed = 1; code == NC_OK && pushed >= 0; pushed--) {
            load_velocities(step, pushed);
            aim_at_end(step, pushed);
            code = nc_step_solve_targets(step, err);
            store_velocities(step, pushed);
        }
        if (code == NC_OK)
            move_all(step, part);
    }
    return code;
}

// The velocities after a part are the free ones, and the second half of its forces. `q`: where it began.
static void take_velocity(nc_step *step, int i, nc_quat q)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_arc_body *arc = &step->work->arc.data[i];
    const nc_vec3 momentum = nc_inertia_momentum(&bodies->inertia[i], q, arc->free_w);
    arc->v = nc_madd(arc->free_v, 0.5 * step->dt, acceleration(step, i));
    arc->momentum = nc_madd(momentum, 0.5 * step->dt, bodies->torque[i]);
}

static nc_code advance(nc_step *step, int part, nc_error *err)
{
    const nc_path *path = step->world->candidates.path;
    const int rows = step->world->state.bodies.count;
    for (int i = 0; i < rows; i++)
        if (takes_part(step, i))
            accelerate(step, i);
    nc_code code = solve_part(step, err);
    if (code == NC_OK) {
        move_all(step, part);
        code = correct(step, part, err);
    }
    for (int i = 0; code == NC_OK && i < rows; i++)
        if (takes_part(step, i))
            take_velocity(step, i, nc_path_pose(&path[i], (double)part / step->parts).q);
    return code;
}

// ---- all of them -----------------------------------------------------------------------------------------------

// The first part begins where resting contact was solved for the whole step.
static nc_code begin_kept(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_kept_impulses *kept = &w->kept[NC_SOLVE_PREDICT];
    if (!nc_array_reserve(&w->allocator, &w->arc_kept, kept->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of %d contacts", kept->count);
    for (int k = 0; k < kept->count; k++)
        w->arc_kept.data[k] = kept->data[k];
    w->arc_kept.count = kept->count;
    w->arc_kept_dt = step->dt;
    return NC_OK;
}

static void swap_near(nc_workspace *w)
{
    const nc_near_table near = w->near;
    w->near = w->arc_near;
    w->arc_near = near;
}

// The motion over the whole step, and the velocities that are carried into step 7: that takes them as those of the
// start, with the forces of half a step to come.
static void end_arc(nc_step *step, int i)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    nc_arc_body *arc = &w->arc.data[i];
    const nc_pose from = bodies->pose[i], to = w->arc_pose.data[i];
    const double rate = 1.0 / step->dt;
    next->flags[i] |= NC_STEP_PUSHED;
    w->arced.data[i] &= (uint8_t)~PENDING;
    arc->mean_v = w->v[i] = nc_scale(rate, nc_sub(to.x, from.x));
    arc->mean_w = w->w[i] = nc_scale(rate, nc_quat_rotation_vector(nc_quat_mul(to.q, nc_quat_conj(from.q))));
    w->carried.data[i] = 1;
    w->carry_v.data[i] = nc_madd(arc->v, -0.5 * step->dt, acceleration(step, i));
    w->carry_w.data[i] = nc_inertia_spin(&bodies->inertia[i], from.q, arc->momentum);
    nc_step_judge(step, i, &next->path[i], &next->flags[i]);
    if ((next->flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0)
        w->arced.data[i] = w->carried.data[i] = 0;
}

// Everything that phases after this one read is what it was.
static nc_code end_arcs(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++)
        if (takes_part(step, i))
            end_arc(step, i);
        else if (w->role[i] == NC_ROLE_SCRIPTED)
            place_scripted(step, i, 0, step->dt);
    nc_step_place_inertia(step, bodies->pose);
    nc_step_stiffen(step, NC_SOLVE_PREDICT);
    w->contacts.count = 0;
    const nc_code code = nc_step_find_contacts(step, bodies->pose, err);
    return code == NC_OK ? nc_step_choose_idle(step, err) : code;
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
    code = begin_kept(step, err);
    swap_near(w);
    step->within = true;
    step->at = w->arc_pose.data;
    step->dt = whole / step->parts;
    for (int part = 0; code == NC_OK && part < step->parts; part++)
        code = advance(step, part, err);
    swap_near(w);
    step->within = false;
    step->at = step->world->state.bodies.pose;
    step->dt = whole;
    return code == NC_OK ? end_arcs(step, err) : code;
}

static nc_code follow_all(nc_step *step, nc_error *err)
{
    nc_code code = reserve_columns(step, err);
    if (code == NC_OK)
        code = follow(step, NC_ARC_PARTS_LOW, err);
    if (code == NC_OK)
        code = follow(step, NC_ARC_PARTS_MEDIUM, err);
    return code == NC_OK ? follow(step, NC_ARC_PARTS_HIGH, err) : code;
}

nc_code nc_step_follow_arcs(nc_step *step, nc_error *err)
{
    if (step->work->contacts.count == 0)
        return NC_OK;
    unmark_all(step);
    const nc_code code = mark_turning(step, err);
    return code == NC_OK && choose_rows(step) > 0 ? follow_all(step, err) : code;
}

nc_code nc_step_split_meeting(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int meetings = step->report.contacts > 0 ? nc_step_read_meetings(step, w->motions) : 0;
    if (meetings < 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for pairs of bodies that meet");
    if (meetings == 0)
        return NC_OK;
    unmark_all(step);
    nc_code code = mark_meeting(step, meetings, err);
    if (code != NC_OK || choose_rows(step) == 0)
        return code;
    code = follow_all(step, err);
    for (int i = 0; code == NC_OK && i < step->world->state.bodies.count; i++)
        if (is_free(step, i) && w->arced.data[i])
            code = nc_certify_change(w->motions, i, err);
    return code == NC_OK ? nc_certify_refresh(w->motions, err) : code;
}

nc_path nc_step_bend_path(const nc_step *step, int i, const nc_path *base)
{
    const nc_workspace *w = step->work;
    const nc_vec3 way = nc_scale(step->dt, nc_sub(w->v[i], w->arc.data[i].mean_v));
    const nc_vec3 turn = nc_scale(step->dt, nc_sub(w->w[i], w->arc.data[i].mean_w));
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
