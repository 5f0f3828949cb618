// Sleep: bodies that have come to rest stay where they are, and cost nothing, until something concerns them.
//
// A body rests while it stays within a small part of its rest distance of an anchor: the pose where its rest began.
// Drift is measured against that pose and not from step to step, so slow creep is detected. When
// all bodies that near pairs connect have rested for a while, and none of them is fast, they fall asleep together:
// their velocities become 0.
//
// For a step, a sleeping body is a fixed one: what moves is certified against it as against any other body, and pairs
// of which neither moves are not examined. No impulse ever acts on it as if its mass were infinite: where a body that
// moves is near one that sleeps, or collides with it, or is held by it, that one wakes with all it fell asleep with,
// and the step is started again. So a step is what it would be had they been awake when it began. Waking depends on
// poses and motions alone, so it is the same on any number of threads.
//
// Impulses of sleeping contacts are kept as forces, and waking contacts start from them. docs/theory/sleep.md.
#include "step/step.h"

void nc_sleep_work_free(nc_sleep_work *sleep, const nc_allocator *allocator)
{
    nc_array_free(allocator, &sleep->woken);
    nc_array_free(allocator, &sleep->rested);
    nc_array_free(allocator, &sleep->anchor);
    nc_array_free(allocator, &sleep->asleep);
    nc_array_free(allocator, &sleep->group);
    nc_array_free(allocator, &sleep->unrest);
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        nc_array_free(allocator, &sleep->recalled[solve]);
        nc_array_free(allocator, &sleep->resting[solve]);
    }
}

void nc_sleep_forget_woken(nc_workspace *work)
{
    work->sleep.woken.count = 0;
    work->sleep.seconds = 0;
}

static nc_code reserve(nc_sleep_work *sleep, int rows, const nc_allocator *allocator, nc_error *err)
{
    if (!nc_array_reserve(allocator, &sleep->woken, rows) || !nc_array_reserve(allocator, &sleep->rested, rows) ||
        !nc_array_reserve(allocator, &sleep->anchor, rows) || !nc_array_reserve(allocator, &sleep->asleep, rows) ||
        !nc_array_reserve(allocator, &sleep->group, rows) || !nc_array_reserve(allocator, &sleep->unrest, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the sleep of %d bodies", rows);
    while (sleep->woken.count < rows)
        sleep->woken.data[sleep->woken.count++] = 0;
    return NC_OK;
}

bool nc_step_leaves_asleep(const nc_step *step, int i)
{
    return nc_row_sleeps(&step->world->state.bodies, i) && !step->work->sleep.woken.data[i];
}

// ---- impulses -----------------------------------------------------------------------------------------------

const nc_kept_impulses *nc_sleep_recalled(const nc_sleep_work *sleep, const nc_state *state, nc_solve_kind kind)
{
    return sleep->recalls ? &sleep->recalled[kind] : &state->kept[kind];
}

static nc_kept_impulse scaled(const nc_kept_impulse *each, double factor)
{
    nc_kept_impulse out = *each;
    out.impulse = nc_scale(factor, each->impulse);
    return out;
}

// Is one of the two asleep in this start?
static bool sleeps_on(const nc_step *step, const nc_kept_impulse *each)
{
    return nc_step_leaves_asleep(step, each->a) || nc_step_leaves_asleep(step, each->b);
}

// What the last step kept and what sleeping contacts had that are awake now, in order.
static nc_code recall(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    const nc_state *state = &step->world->state;
    const nc_kept_impulses *kept = &state->kept[kind], *resting = &state->resting[kind];
    nc_kept_impulses *out = &step->work->sleep.recalled[kind];
    out->count = 0;
    if (!nc_array_reserve(&step->work->allocator, out, kept->count + resting->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of woken bodies");
    int next = 0;
    for (int k = 0; k < resting->count; k++) {
        if (sleeps_on(step, &resting->data[k]))
            continue;
        while (next < kept->count && nc_kept_less(&kept->data[next], &resting->data[k]))
            out->data[out->count++] = kept->data[next++];
        out->data[out->count++] = scaled(&resting->data[k], state->clock_dt);
    }
    while (next < kept->count)
        out->data[out->count++] = kept->data[next++];
    return NC_OK;
}

nc_code nc_sleep_begin(nc_step *step, nc_error *err)
{
    nc_sleep_work *sleep = &step->work->sleep;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_code code = reserve(sleep, bodies->count, &step->work->allocator, err);
    if (code != NC_OK)
        return code;
    sleep->disturbed = sleep->sorted = false;
    sleep->recalls = step->world->state.woken;
    for (int i = 0; i < bodies->count; i++) {
        sleep->recalls = sleep->recalls || sleep->woken.data[i];
        step->report.wakings += bodies->alive[i] && sleep->woken.data[i];
    }
    for (int solve = 0; code == NC_OK && sleep->recalls && solve < NC_SOLVES; solve++)
        code = recall(step, (nc_solve_kind)solve, err);
    return code;
}

// ---- waking -------------------------------------------------------------------------------------------------

// Wakes the bodies that row i fell asleep with.
static void wake(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_sleep_work *sleep = &step->work->sleep;
    sleep->disturbed = true;
    if (sleep->woken.data[i])
        return;
    for (int j = 0; j < bodies->count; j++)
        if (bodies->alive[j] && bodies->asleep[j] == bodies->asleep[i])
            sleep->woken.data[j] = 1;
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// Does row i move in this step, or can it? A scripted body does when its script goes anywhere.
static bool is_moving(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    if (w->role[i] != NC_ROLE_SCRIPTED)
        return nc_row_is_free(w->role, i);
    const nc_path path = nc_script_path(&step->world->state.bodies, i, step->time, step->dt, 1);
    for (int k = 0; k < path.count; k++)
        if (!is_zero(path.segments[k].d) || !is_zero(path.segments[k].theta))
            return true;
    return false;
}

// Of a pair of which one sleeps: does the other one wake it?
static void disturb(nc_step *step, int i, int j)
{
    if (nc_step_leaves_asleep(step, i) && is_moving(step, j))
        wake(step, i);
    if (nc_step_leaves_asleep(step, j) && is_moving(step, i))
        wake(step, j);
}

bool nc_step_anybody_sleeps(const nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && nc_step_leaves_asleep(step, i))
            return true;
    return false;
}

// A body that moves wakes what it is joined to; so does a drive that moves.
static void wake_jointed(nc_step *step)
{
    const nc_joints *joints = &step->world->state.joints;
    for (int k = 0; k < joints->count; k++) {
        const nc_joint *joint = &joints->data[k];
        if (!joint->alive || joint->broken)
            continue;
        if (joint->b >= 0)
            disturb(step, joint->a, joint->b);
        if (!nc_step_joint_is_driven(step, joint))
            continue;
        if (nc_step_leaves_asleep(step, joint->a))
            wake(step, joint->a);
        if (joint->b >= 0 && nc_step_leaves_asleep(step, joint->b))
            wake(step, joint->b);
    }
}

nc_code nc_step_wake_near(nc_step *step, nc_error *err)
{
    (void)err;
    const nc_near_table *table = &step->work->near.table;
    for (int k = 0; table->made && k < table->rows.count; k++)
        if (table->rows.data[k].count > 0)
            disturb(step, table->rows.data[k].i, table->rows.data[k].j);
    wake_jointed(step);
    return NC_OK;
}

nc_code nc_step_wake(nc_step *step, nc_error *err)
{
    if (!step->certify.skip_fixed)
        return NC_OK;
    const nc_code code = nc_near_update(&step->work->near, step->world->state.bodies.pose, err);
    return code == NC_OK ? nc_step_wake_near(step, err) : code;
}

bool nc_step_wake_colliding(nc_step *step, const nc_collision *collisions, int count)
{
    for (int k = 0; k < count; k++)
        disturb(step, collisions[k].i, collisions[k].j);
    return step->work->sleep.disturbed;
}

nc_code nc_step_wake_held(nc_step *step, nc_error *err)
{
    (void)err;
    const nc_bodies *bodies = &step->world->state.bodies;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && nc_step_leaves_asleep(step, i) && step->work->fate[i].stuck)
            wake(step, i);
    return NC_OK;
}

// ---- staying asleep -----------------------------------------------------------------------------------------

// What the report says of bodies that slept: they are as near to each other as they were, and their weight is borne.
static void account_for_sleep(nc_step *step)
{
    const nc_world *world = step->world;
    const nc_bodies *bodies = &world->state.bodies;
    nc_step_report *report = &step->report;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i] || !nc_step_leaves_asleep(step, i))
            continue;
        const nc_vec3 load = nc_madd(bodies->force[i], bodies->mass[i], world->settings.gravity);
        report->support = nc_madd(report->support, -step->dt, load);
        report->smallest_distance = fmin(report->smallest_distance, bodies->sleep_gap[i]);
    }
}

bool nc_step_nothing_moves(const nc_step *step)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const uint8_t *role = step->work->role;
    bool sleeps = false;
    for (int i = 0; i < bodies->count; i++) {
        if (role[i] == NC_ROLE_FREE || role[i] == NC_ROLE_SCRIPTED)
            return false;
        sleeps = sleeps || (bodies->alive[i] && nc_row_sleeps(bodies, i));
    }
    return sleeps && !step->work->sleep.recalls;
}

nc_code nc_step_stay(nc_step *step, nc_error *err)
{
    (void)err;
    const nc_bodies *bodies = &step->world->state.bodies;
    nc_candidates *next = &step->world->candidates;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        nc_stay(&next->path[i], &bodies->pose[i]);
        next->pose[i] = bodies->pose[i];
        next->v[i] = bodies->v[i];
        next->spin[i] = bodies->spin[i];
        next->momentum[i] = bodies->momentum[i];
        next->spin_energy[i] = bodies->spin_energy[i];
        next->flags[i] = 0;
        next->cluster[i] = -1;
        next->blocker[i] = -1;
        step->work->fate[i] = (nc_fate){.ran_until = 1.0, .group = i};
    }
    step->report.smallest_distance = INFINITY;
    step->report.velocity_error_body = -1;
    account_for_sleep(step);
    return NC_OK;
}

// ---- falling asleep -----------------------------------------------------------------------------------------

// [m] no point of a body of this radius [m] is farther from where it would be at `from`.
static double distance_between(nc_pose from, nc_pose to, double radius)
{
    const double dot = from.q.w * to.q.w + from.q.x * to.q.x + from.q.y * to.q.y + from.q.z * to.q.z;
    const double s = dot < 0 ? -1 : 1;
    const double w = to.q.w - s * from.q.w, x = to.q.x - s * from.q.x;
    const double y = to.q.y - s * from.q.y, z = to.q.z - s * from.q.z;
    return nc_norm(nc_sub(to.x, from.x)) + 2 * radius * sqrt(w * w + x * x + y * y + z * z);
}

// [s] how long bodies must rest.
static double time_to_rest(double dt)
{
    return fmax(NC_SLEEP_SECONDS, NC_SLEEP_MIN_STEPS * dt);
}

// How long a free body has rested, and where: in sleep->rested and ->anchor.
static nc_unrest follow_rest(nc_step *step, int i)
{
    const nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    nc_sleep_work *sleep = &step->work->sleep;
    const nc_fate *fate = &step->work->fate[i];
    const double radius = nc_mesh_radius(step->work->mesh[i]), wait = time_to_rest(step->dt);
    const double rest = nc_world_body_rest(step->world, i);
    const double drift = distance_between(bodies->anchor[i], next->pose[i], radius);
    const double speed = nc_norm(next->v[i]) + radius * nc_norm(next->spin[i]);
    const bool held = fate->stuck || fate->halted;
    const bool rests = drift <= NC_SLEEP_DRIFT_RESTS * rest && !held && !sleep->woken.data[i];
    sleep->asleep.data[i] = 0;
    sleep->anchor.data[i] = rests ? bodies->anchor[i] : next->pose[i];
    sleep->rested.data[i] = rests ? fmin(bodies->rested[i] + step->dt, wait) : 0;
    return (nc_unrest){.bodies = 1,
                       .unrested = !(sleep->rested.data[i] >= wait),
                       .disturbed = held || !(speed * wait <= NC_SLEEP_SPEED_RESTS * rest)};
}

// A near pair: two free bodies are of one group; what slides without friction slides on, however slowly.
static void join_groups(nc_step *step, const nc_near_row *row)
{
    const nc_workspace *w = step->work;
    const int free = nc_row_is_free(w->role, row->i) ? row->i : row->j, other = free == row->i ? row->j : row->i;
    if (!nc_row_is_free(w->role, free))
        return;
    bool *disturbed = &w->sleep.unrest.data[free].disturbed;
    *disturbed |= !(nc_world_pair_friction(step->world, row->i, row->j) > 0);
    if (nc_row_is_free(w->role, other))
        nc_forest_join(w->sleep.group.data, row->i, row->j);
    else
        *disturbed |= nc_step_leaves_asleep(step, other) || is_moving(step, other);
}

// Marks the bodies that something fixed pushed in the last solve.
static void find_borne(nc_sleep_work *sleep, const uint8_t *role, const nc_contact_list *contacts)
{
    for (int k = 0; k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        const int free = nc_row_is_free(role, contact->a) ? contact->a : contact->b;
        const int other = free == contact->a ? contact->b : contact->a;
        if (contact->impulse.x > 0 && nc_row_is_free(role, free) && !nc_row_is_free(role, other))
            sleep->unrest.data[free].borne = 1;
    }
}

// Groups of bodies that are near each other where they are now, and what keeps them awake.
static nc_code find_groups(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = step->world->state.bodies.count;
    const nc_code code = nc_near_update(&w->near, step->world->candidates.pose, err);
    if (code != NC_OK)
        return code;
    find_borne(&w->sleep, w->role, &w->contacts);
    for (int i = 0; i < count; i++)
        w->sleep.group.data[i] = i;
    for (int k = 0; k < w->near.table.rows.count; k++)
        if (w->near.table.rows.data[k].count > 0)
            join_groups(step, &w->near.table.rows.data[k]);
    nc_step_join_resting(step);
    for (int i = 0; i < count; i++) {
        const nc_unrest own = w->sleep.unrest.data[i];
        const int root = nc_forest_root(w->sleep.group.data, i);
        nc_unrest *sum = &w->sleep.unrest.data[root];
        if (root == i || !nc_row_is_free(w->role, i))
            continue;
        sum->bodies += own.bodies;
        sum->unrested += own.unrested;
        sum->borne += own.borne;
        sum->disturbed |= own.disturbed;
    }
    return NC_OK;
}

// In a large pile some bodies creep as fast as the solver's tolerance lets them, and for ever: they are few, and slow.
static bool may_sleep(const nc_unrest *unrest)
{
    const int spared = unrest->bodies >= NC_SLEEP_PILE_BODIES ? unrest->bodies / NC_SLEEP_PILE_SHARE : 0;
    return !unrest->disturbed && unrest->borne > 0 && unrest->unrested <= spared;
}

static void put_to_sleep(nc_step *step, int i)
{
    nc_candidates *next = &step->world->candidates;
    const nc_vec3 zero = {0, 0, 0};
    next->v[i] = next->momentum[i] = next->spin[i] = zero;
    next->spin_energy[i] = 0;
}

// Is row i asleep after this step?
static bool will_sleep(const nc_step *step, int i)
{
    const nc_workspace *w = step->work;
    return nc_row_is_free(w->role, i) ? w->sleep.asleep.data[i] != 0
                                      : w->role[i] == NC_ROLE_FIXED && nc_row_sleeps(&step->world->state.bodies, i);
}

static bool will_sleep_on(const nc_step *step, const nc_kept_impulse *each)
{
    return will_sleep(step, each->a) || will_sleep(step, each->b);
}

// What was kept in this step goes to those that sleep, or stays; in order.
static nc_code sort_impulses(nc_step *step, nc_solve_kind kind, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_kept_impulses *before = &step->world->state.resting[kind];
    nc_kept_impulses *kept = &w->warm.kept[kind], *out = &w->sleep.resting[kind];
    out->count = 0;
    if (!nc_array_reserve(&w->allocator, out, before->count + kept->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the impulses of sleeping bodies");
    int next = 0, left = 0;
    for (int k = 0; k < kept->count; k++) {
        const nc_kept_impulse each = kept->data[k];
        if (!will_sleep_on(step, &each)) {
            kept->data[left++] = each;
            continue;
        }
        for (; next < before->count && nc_kept_less(&before->data[next], &each); next++)
            if (will_sleep_on(step, &before->data[next]))
                out->data[out->count++] = before->data[next];
        out->data[out->count++] = scaled(&each, 1 / step->dt);
    }
    for (; next < before->count; next++)
        if (will_sleep_on(step, &before->data[next]))
            out->data[out->count++] = before->data[next];
    kept->count = left;
    return NC_OK;
}

// Puts groups to sleep that may; true when there are any.
static bool fall_asleep(nc_step *step)
{
    const nc_workspace *w = step->work;
    bool any = false;
    for (int i = 0; i < step->world->state.bodies.count; i++) {
        const int root = nc_forest_root(w->sleep.group.data, i);
        if (!nc_row_is_free(w->role, i) || !may_sleep(&w->sleep.unrest.data[root]))
            continue;
        w->sleep.asleep.data[i] = 1 + root;
        put_to_sleep(step, i);
        any = true;
    }
    return any;
}

nc_code nc_step_fall_asleep(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = step->world->state.bodies.count;
    bool ready = false, fell = false;
    account_for_sleep(step);
    for (int i = 0; i < count; i++)
        if (nc_row_is_free(w->role, i)) {
            w->sleep.unrest.data[i] = follow_rest(step, i);
            ready = ready || w->sleep.unrest.data[i].unrested == 0;
        }
    ready = ready && step->world->settings.sleep;
    nc_code code = NC_OK;
    if (ready)
        code = find_groups(step, err);
    if (ready && code == NC_OK)
        fell = fall_asleep(step);
    w->sleep.sorted = fell || w->sleep.recalls;
    for (int solve = 0; code == NC_OK && w->sleep.sorted && solve < NC_SOLVES; solve++)
        code = sort_impulses(step, (nc_solve_kind)solve, err);
    return code;
}

// ---- commit -------------------------------------------------------------------------------------------------

void nc_sleep_commit_row(const nc_step *step, nc_bodies *bodies, int i)
{
    const nc_sleep_work *sleep = &step->work->sleep;
    bodies->rested[i] = sleep->rested.data[i];
    bodies->anchor[i] = sleep->anchor.data[i];
    bodies->asleep[i] = sleep->asleep.data[i];
    bodies->sleep_gap[i] =
        bodies->asleep[i] != 0 ? fmin(step->report.smallest_distance, step->world->settings.proximity) : INFINITY;
}

void nc_sleep_commit_impulses(nc_sleep_work *sleep, nc_state *state)
{
    if (!sleep->sorted)
        return;
    state->woken = false;
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        const nc_kept_impulses old = state->resting[solve];
        state->resting[solve] = sleep->resting[solve];
        sleep->resting[solve] = old;
    }
}
