// The loop: sweep, take the next event, change motions, sweep again; then prove that all is well.
#include "certify/group_motion.h"
#include "certify/state.h"

#include <string.h>

// ---- memory -------------------------------------------------------------------------------------------------

nc_code nc_certifier_create(const nc_allocator *allocator, nc_certifier **out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = nc_alloc(&memory, 1, sizeof **out);
    if (*out == NULL)
        return nc_fail_memory(err, sizeof **out);
    (*out)->allocator = memory;
    return NC_OK;
}

static const nc_table_column row_columns[] = {
    NC_COLUMN(nc_certifier, groups.parent), NC_COLUMN(nc_certifier, groups.next),
    NC_COLUMN(nc_certifier, groups.finite), NC_COLUMN(nc_certifier, groups.still),
    NC_COLUMN(nc_certifier, version),       NC_COLUMN(nc_certifier, box),
    NC_COLUMN(nc_certifier, error),         NC_COLUMN(nc_certifier, ends),
    NC_COLUMN(nc_certifier, changed),       NC_COLUMN(nc_certifier, shown),
    NC_COLUMN(nc_certifier, fixed),         NC_COLUMN(nc_certifier, motion),
};
#define ROW_COLUMNS ((int)(sizeof row_columns / sizeof *row_columns))

void nc_certifier_destroy(nc_certifier *c)
{
    if (c == NULL)
        return;
    const nc_allocator memory = c->allocator;
    nc_columns_free(c, &c->capacity, row_columns, ROW_COLUMNS, &memory);
    nc_free(&memory, c->table, (size_t)c->table_size, sizeof *c->table);
    nc_pairs_free(&c->pairs, &memory);
    nc_broad_destroy(c->broad);
    nc_array_free(&memory, &c->records);
    nc_array_free(&memory, &c->motions);
    nc_array_free(&memory, &c->heap);
    nc_array_free(&memory, &c->todo);
    nc_array_free(&memory, &c->again);
    nc_array_free(&memory, &c->shared);
    nc_array_free(&memory, &c->rows);
    nc_array_free(&memory, &c->met);
    nc_restart_cache_free(&c->restart_cache, &memory);
    nc_free(&memory, c, 1, sizeof *c);
}

static bool reserve_rows(nc_certifier *c, int count)
{
    return nc_columns_renew(c, &c->capacity, count, row_columns, ROW_COLUMNS, &c->allocator);
}

// ---- what is where -----------------------------------------------------------------------------------------

static nc_box swept_since(const nc_certifier *c, int i, double since)
{
    const nc_mesh_data mesh = nc_mesh_view(c->bodies->mesh[i]);
    return nc_path_swept_box_of(&c->bodies->path[i], mesh.box, mesh.radius, since, 1.0);
}

// Grown by half the floor, so that overlap means nearness.
static nc_box grown(const nc_certifier *c, nc_box box)
{
    const double grow = 0.51 * c->options->floor;
    return (nc_box){nc_sub(box.lo, nc_v3(grow, grow, grow)), nc_add(box.hi, nc_v3(grow, grow, grow))};
}

static void measure_path(nc_certifier *c, int i)
{
    c->error[i] = nc_path_error(&c->bodies->path[i], nc_mesh_radius(c->bodies->mesh[i]));
    nc_path_ends_read(&c->bodies->path[i], &c->ends[i]);
}

// A body's rounding, ends and swept box from `since` on.
static void measure_body(nc_certifier *c, int i, double since)
{
    measure_path(c, i);
    c->box[i] = grown(c, swept_since(c, i, since));
    c->fixed[i].mesh = 0;
}

// The same of a fixed body; if it is where it was when this was last asked, all but the box is known still.
static void measure_fixed(nc_certifier *c, int i)
{
    if (!nc_path_stays(&c->bodies->path[i])) {
        measure_body(c, i, 0.0);
        return;
    }
    nc_fixed_body *fixed = &c->fixed[i];
    const nc_pose *pose = &c->bodies->path[i].start;
    const uint64_t mesh = nc_mesh_hash(c->bodies->mesh[i]);
    if (fixed->mesh != mesh || mesh == 0 || memcmp(&fixed->pose, pose, sizeof *pose) != 0) {
        measure_path(c, i);
        *fixed = (nc_fixed_body){mesh, *pose, swept_since(c, i, 0.0)};
    }
    c->box[i] = grown(c, fixed->box);
}

nc_box nc_certify_swept_box(const nc_certifier *c, int i)
{
    return c->bodies->role[i] == NC_ROLE_FIXED && c->fixed[i].mesh != 0 ? c->fixed[i].box : swept_since(c, i, 0.0);
}

// Boxes that are not surely apart; one with a NaN never is.
static bool may_collide(nc_box a, nc_box b)
{
    return !(a.lo.x > b.hi.x || b.lo.x > a.hi.x || a.lo.y > b.hi.y || b.lo.y > a.hi.y || a.lo.z > b.hi.z ||
             b.lo.z > a.hi.z);
}

nc_code nc_certify_find_pairs(nc_certifier *c, nc_error *err)
{
    const nc_box *boxes =
        c->options->skip_fixed ? nc_broad_within_reach(c->box, c->bodies->role, c->bodies->count, c->shown) : c->box;
    return nc_broad_overlaps_again(&c->broad, boxes, c->bodies->count, &c->allocator, &c->pairs, err);
}

static bool is_still(const nc_certifier *c, int i)
{
    const nc_path *path = &c->bodies->path[i];
    return nc_segment_is_still(&path->segments[path->count - 1]) && path->segments[path->count - 1].begin <= c->now;
}

// Does the pair need proof from now on? Not when it is exempt, moves as one, or does not move at all.
static bool needs_proof(const nc_certifier *c, int i, int j)
{
    if (c->options->matters != NULL && !c->options->matters(i, j, c->options->ctx))
        return false;
    const nc_groups *groups = &c->groups;
    return nc_groups_root(groups, i) != nc_groups_root(groups, j) && !(is_still(c, i) && is_still(c, j));
}

// ---- sweeping -----------------------------------------------------------------------------------------------

static nc_mesh_sweep_options sweep_options(const nc_certifier *c, const nc_record *record)
{
    const double error = c->error[record->i] + c->error[record->j];
    // The certificate's own rounding is below E: both count the same coordinates, E many more operations.
    const nc_gap_rule gap = {c->options->floor, NC_GAP_PRESSED_FLOORS * c->options->floor, NC_GAP_ERRORS * error};
    return (nc_mesh_sweep_options){.gap = gap,
                                   .tolerance = c->options->tolerance,
                                   .limit = c->options->sweep_limit,
                                   .budget = c->sweep_budget,
                                   .interrupt = c->options->interrupt,
                                   .ends_a = &c->ends[record->i],
                                   .ends_b = &c->ends[record->j]};
}

static double radius_of(const nc_certifier *c, int i)
{
    return nc_mesh_radius(c->bodies->mesh[i]);
}

// What a bound of a pair's distance must exceed to be a verdict.
static double need_of(const nc_certifier *c, int i, int j)
{
    return c->options->floor + 2 * c->options->tolerance + 4 * (c->error[i] + c->error[j]);
}

// Room for the motion of every body, once; so that one that changed can be noted where nothing may fail.
static bool reserve_motions(nc_certifier *c)
{
    return nc_array_reserve(&c->allocator, &c->motions, c->motions.count + c->bodies->count);
}

// Puts a body's free motion where verdicts can refer to it. False when out of memory.
static bool note_motion(nc_certifier *c, int i)
{
    const nc_path *path = &c->bodies->path[i];
    if (c->motion[i] >= 0 || c->now > 0 || !nc_path_is_free(path))
        return true;
    if (!nc_array_push(&c->allocator, &c->motions, path->segments[0]))
        return false;
    c->motion[i] = c->motions.count - 1;
    return true;
}

// [m] how much nearer two points may be than on the motions of the last clear verdict.
static double difference_to_kept(const nc_certifier *c, const nc_record *record)
{
    const nc_kept_verdict *kept = &record->kept;
    const nc_segment *motions = kept->earlier ? c->options->earlier->motions.data : c->motions.data;
    return nc_path_difference(&c->bodies->path[record->i], &motions[kept->of_i], radius_of(c, record->i),
                              &c->bodies->path[record->j], &motions[kept->of_j], radius_of(c, record->j));
}

// [m] what is left of the last clear verdict; negative when nothing is.
static double left_of_verdict(const nc_certifier *c, const nc_record *record)
{
    const nc_kept_verdict *kept = &record->kept;
    const nc_path *path_i = &c->bodies->path[record->i], *path_j = &c->bodies->path[record->j];
    if (!kept->valid || !nc_path_is_free(path_i) || !nc_path_is_free(path_j))
        return -1;
    return kept->slack - difference_to_kept(c, record);
}

// [m] what the clearance at the start leaves, wherever the two continue their paths; negative when nothing.
static double left_of_clearance(const nc_certifier *c, const nc_record *record)
{
    const int i = record->i, j = record->j;
    if (c->options->clearance == NULL)
        return -1;
    const double approach =
        nc_path_approach(&c->bodies->path[i], radius_of(c, i), &c->bodies->path[j], radius_of(c, j));
    return c->options->clearance(i, j, c->options->ctx) - approach - need_of(c, i, j);
}

// At the start all that was certified before is about motions that are given up. Later it is about the past, and where
// there was no proof, boxes were more than the floor apart.
static void record_distance(const nc_certifier *c, nc_record *record, double distance)
{
    record->distance = c->now > 0 ? fmin(record->distance, fmin(distance, c->options->floor)) : distance;
}

// Is the pair clear over all of the step, by what is known of it already?
static bool stays_clear(const nc_certifier *c, nc_record *record)
{
    double left = left_of_verdict(c, record);
    if (!(left > 0))
        left = left_of_clearance(c, record);
    if (!(left > 0))
        return false;
    record_distance(c, record, left + c->options->floor);
    record->clear_until = 1.0;
    record->start_distance = -1;
    record->undecided = false;
    return true;
}

// Keeps a clear verdict on two free motions over the whole step.
static void keep_verdict(const nc_certifier *c, nc_record *record, const nc_sweep_result *result)
{
    const nc_path *path_i = &c->bodies->path[record->i], *path_j = &c->bodies->path[record->j];
    const int of_i = c->motion[record->i], of_j = c->motion[record->j];
    const bool valid = result->verdict == NC_CLEAR && c->now == 0 && nc_path_is_free(path_i) &&
                       nc_path_is_free(path_j) && of_i >= 0 && of_j >= 0;
    NC_ASSERT(!valid || (memcmp(&c->motions.data[of_i], path_i->segments, sizeof *path_i->segments) == 0 &&
                         memcmp(&c->motions.data[of_j], path_j->segments, sizeof *path_j->segments) == 0));
    record->kept = (nc_kept_verdict){.valid = valid, .of_i = of_i, .of_j = of_j};
    record->kept.slack = result->distance - need_of(c, record->i, record->j);
}

// Begins a new verdict. True: what is known gives it.
static bool spare_record(const nc_certifier *c, nc_record *record)
{
    record->version_i = c->version[record->i];
    record->version_j = c->version[record->j];
    record->verdicts++;
    record->evaluations = 0;
    record->exhausted = false;
    record->spared = stays_clear(c, record);
    return record->spared;
}

static void sweep_begun_record(const nc_certifier *c, nc_record *record)
{
    const nc_certify_bodies *bodies = c->bodies;
    const nc_mesh_sweep_options options = sweep_options(c, record);
    const nc_sweep_result result =
        nc_sweep_meshes(bodies->mesh[record->i], &bodies->path[record->i], bodies->mesh[record->j],
                        &bodies->path[record->j], c->now, 1.0, &options, &record->hint);
    record->clear_until = result.verdict == NC_CLEAR ? 1.0 : result.toi;
    record_distance(c, record, result.distance);
    record->start_distance = result.start_distance;
    record->undecided = result.verdict == NC_UNDECIDED;
    record->evaluations = nc_sweep_cost(&result.counts);
    record->exhausted = options.budget > 0 && record->evaluations >= options.budget;
    record->feature = result.feature;
    record->nearest = result.nearest;
    keep_verdict(c, record, &result);
}

static void sweep_record(const nc_certifier *c, nc_record *record)
{
    if (!spare_record(c, record))
        sweep_begun_record(c, record);
}

// ---- sweeping, shared ---------------------------------------------------------------------------------------
// All ranks see what needs no sweep; of what does, each sweeps its own and gets the others' records as they are: a
// record has no pointers, and what it refers to is the same everywhere.

static int64_t sweep_cost(int item, const void *ctx)
{
    const nc_certifier *c = ctx;
    return NC_EFFORT_SHARE_SWEEP_COST + c->records.data[c->shared.data[item]].evaluations_before;
}

static void sweep_own(int begin, int end, void *ctx)
{
    nc_certifier *c = ctx;
    for (int k = begin; k < end; k++)
        if (nc_share_is_mine(c->options->share, k))
            sweep_begun_record(c, &c->records.data[c->shared.data[k]]);
}

static bool list_unspared(nc_certifier *c, const int *rows, int count)
{
    c->shared.count = 0;
    for (int k = 0; k < count; k++) {
        nc_record *record = &c->records.data[rows[k]];
        if (record->held)
            continue;
        record->evaluations_before = record->evaluations;
        if (!spare_record(c, record) && !nc_array_push(&c->allocator, &c->shared, rows[k]))
            return false;
    }
    return true;
}

// As sweeping all of these here, without those that are held. False when out of memory, or when the share has failed.
static bool sweep_shared(nc_certifier *c, const int *rows, int count)
{
    nc_share *share = c->options->share;
    if (!list_unspared(c, rows, count))
        return false;
    if (c->shared.count == 0)
        return true;
    if (!nc_share_deal(share, c->shared.count, false, sweep_cost, c))
        return false;
    nc_parallel_for(c->options->workers, c->shared.count, NC_EFFORT_SWEEP_GRAIN, sweep_own, c);
    for (int k = 0; k < c->shared.count; k++)
        if (nc_share_is_mine(share, k) &&
            !nc_share_write(share, &c->records.data[c->shared.data[k]], sizeof *c->records.data))
            return false;
    if (!nc_share_exchange(share, NC_SHARE_SWEEP, (uint64_t)c->shared.count))
        return false;
    for (int k = 0; k < c->shared.count; k++)
        if (!nc_share_is_mine(share, k) &&
            !nc_share_read(share, share->rank_of.data[k], &c->records.data[c->shared.data[k]], sizeof *c->records.data))
            return false;
    return true;
}

static bool is_worth_sharing(const nc_certifier *c, int sweeps)
{
    return nc_share_is_on(c->options->share) && sweeps >= NC_EFFORT_SHARE_SWEEPS;
}

// ---- budgets ------------------------------------------------------------------------------------------------
// Evaluations are given out before a round, by counts that do not depend on threads, and counted after it. All sweeps
// of a round get the same small budget; the few for which it was too small share what is left and are made again. Once
// nothing is left, every sweep gets NC_SWEEP_MIN_BUDGET, so that a step ends whatever is proposed. A sweep without
// budget is undecided, and holds its bodies: it is never clear.

static int share_of_budget(const nc_certifier *c, int sweeps, int most)
{
    const int64_t left = c->options->budget - c->report.evaluations;
    if (c->options->budget == 0)
        return 0;
    const int64_t share = left / (sweeps > 0 ? sweeps : 1);
    return share < NC_SWEEP_MIN_BUDGET ? NC_SWEEP_MIN_BUDGET : share > most ? most : (int)share;
}

static void sweep_range(int begin, int end, void *ctx)
{
    nc_certifier *c = ctx;
    for (int k = begin; k < end; k++) {
        nc_record *record = &c->records.data[c->todo.data[k]];
        if (!record->held)
            sweep_record(c, record);
    }
}

// After a sweep: counts it, and foresees the event.
static bool record_verdict(nc_certifier *c, int row)
{
    nc_record *record = &c->records.data[row];
    *(record->spared || record->held ? &c->report.spared : &c->report.sweeps) += 1;
    c->report.undecided += record->undecided;
    record->held = false;
    if (record->clear_until >= 1.0)
        return true;
    if (!record->met && !nc_array_push(&c->allocator, &c->met, row))
        return false;
    record->met = true;
    return !c->foresee || nc_heap_push(c, row);
}

static void sweep_range_again(int begin, int end, void *ctx)
{
    nc_certifier *c = ctx;
    for (int k = begin; k < end; k++)
        sweep_record(c, &c->records.data[c->again.data[k]]);
}

// Sweeps for which the first budget was too small, with what is left.
static bool sweep_again(nc_certifier *c)
{
    c->again.count = 0;
    for (int k = 0; k < c->todo.count; k++) {
        const nc_record *record = &c->records.data[c->todo.data[k]];
        c->report.evaluations += record->evaluations;
        if (record->exhausted && !record->held && !nc_array_push(&c->allocator, &c->again, c->todo.data[k]))
            return false;
    }
    const int share = share_of_budget(c, c->again.count, NC_SWEEP_MAX_BUDGET);
    if (c->again.count == 0 || share <= c->sweep_budget)
        return true;
    c->sweep_budget = share;
    if (!is_worth_sharing(c, c->again.count))
        nc_parallel_for(c->options->workers, c->again.count, 1, sweep_range_again, c);
    else if (!sweep_shared(c, c->again.data, c->again.count))
        return false;
    for (int k = 0; k < c->again.count; k++)
        c->report.evaluations += c->records.data[c->again.data[k]].evaluations;
    return true;
}

// Puts the motions that are about to be swept where verdicts on them can refer to them. False when out of memory.
static bool note_motions(nc_certifier *c)
{
    for (int k = 0; k < c->todo.count; k++) {
        const nc_record *record = &c->records.data[c->todo.data[k]];
        if (!note_motion(c, record->i) || !note_motion(c, record->j))
            return false;
    }
    return true;
}

// Sweeps what is to be done, in parallel, then foresees events in order.
static bool sweep_all(nc_certifier *c)
{
    if (!note_motions(c))
        return false;
    if (c->last_version > 0) // else it was given out before what is known was looked up
        c->sweep_budget = share_of_budget(c, c->todo.count, NC_SWEEP_FIRST_BUDGET);
    if (!is_worth_sharing(c, c->todo.count))
        nc_parallel_for(c->options->workers, c->todo.count, NC_EFFORT_SWEEP_GRAIN, sweep_range, c);
    else if (!sweep_shared(c, c->todo.data, c->todo.count))
        return false;
    if (!sweep_again(c))
        return false;
    for (int k = 0; k < c->todo.count; k++)
        if (!record_verdict(c, c->todo.data[k]))
            return false;
    c->todo.count = 0;
    return true;
}

static bool is_current(const nc_certifier *c, const nc_record *record)
{
    return record->verdicts > 0 && record->version_i == c->version[record->i] &&
           record->version_j == c->version[record->j];
}

// A new record starts with what an earlier certification knew.
static void inherit(const nc_certifier *c, nc_record *record)
{
    if (record->verdicts > 0 || c->options->earlier == NULL)
        return;
    const int found = nc_records_find(c->options->earlier, record->i, record->j);
    if (found < 0)
        return;
    record->kept = c->options->earlier->records.data[found].kept;
    record->kept.valid = record->kept.valid && !record->kept.earlier; // what is still earlier is not known here
    record->kept.earlier = true;
    record->hint = c->options->earlier->records.data[found].hint;
}

static bool request_sweep(nc_certifier *c, int i, int j)
{
    if (!needs_proof(c, i, j))
        return true;
    const int record = nc_records_of(c, i, j);
    if (record >= 0)
        inherit(c, &c->records.data[record]);
    if (record >= 0 && is_current(c, &c->records.data[record]))
        return true;
    return record >= 0 && nc_array_push(&c->allocator, &c->todo, record);
}

// A verdict that was remembered is about the first motions of both bodies, which they have now, too.
static void refer_to_first(const nc_certifier *c, nc_record *record)
{
    nc_kept_verdict *kept = &record->kept;
    kept->of_i = c->motion[record->i];
    kept->of_j = c->motion[record->j];
    kept->valid = kept->valid && !kept->earlier && kept->of_i >= 0 && kept->of_j >= 0;
}

// As above for the first time, in ascending order: a verdict that was remembered is taken as it is.
static bool request_first_sweep(nc_certifier *c, int i, int j, int *at)
{
    if (!needs_proof(c, i, j))
        return true;
    const int row = nc_records_of(c, i, j);
    if (row < 0)
        return false;
    nc_record *record = &c->records.data[row];
    const nc_record *known = nc_restart_cache_find(c, i, j, at);
    if (known != NULL) {
        *record = *known;
        record->held = true;
        record->met = false;
        if (!note_motion(c, record->i) || !note_motion(c, record->j))
            return false;
        refer_to_first(c, record);
    } else {
        inherit(c, record);
    }
    return nc_array_push(&c->allocator, &c->todo, row);
}

// Sweeps that were interrupted have no verdict: the caller checks for it, and does not continue.
static nc_code check_interrupt(const nc_certifier *c, nc_error *err)
{
    return nc_interrupt_requested(c->options->interrupt) ? nc_fail_interrupted(err) : NC_OK;
}

static nc_code sweep_first(nc_certifier *c, nc_error *err)
{
    int at = 0;
    for (int i = 0; i < c->bodies->count; i++) {
        c->version[i] = 0;
        c->changed[i] = 0;
        c->motion[i] = -1;
        c->box[i] = nc_box_empty();
        if (c->bodies->role[i] == NC_ROLE_FIXED)
            measure_fixed(c, i);
        else if (c->bodies->role[i] != NC_ROLE_ABSENT)
            measure_body(c, i, 0.0);
    }
    if (!reserve_motions(c))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the motions of %d bodies", c->bodies->count);
    const nc_code code = nc_certify_find_pairs(c, err);
    if (code != NC_OK)
        return code;
    c->report.pairs = c->pairs.count;
    c->sweep_budget = share_of_budget(c, c->pairs.count, NC_SWEEP_FIRST_BUDGET);
    for (int k = 0; k < c->pairs.count; k++)
        if (!request_first_sweep(c, c->pairs.data[k].a, c->pairs.data[k].b, &at))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d pairs of bodies", c->pairs.count);
    if (!sweep_all(c))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for events");
    return check_interrupt(c, err);
}

// ---- events -------------------------------------------------------------------------------------------------

// Notes that a body moves otherwise from now on.
static bool record_change(nc_certifier *c, int i)
{
    c->version[i] = ++c->last_version;
    c->motion[i] = -1;
    measure_body(c, i, c->now);
    if (!reserve_motions(c))
        return false;
    if (c->changed[i])
        return true;
    c->changed[i] = 1;
    return nc_array_push(&c->allocator, &c->rows, i);
}

// No member of the group moves from now on.
static bool bring_to_rest(nc_certifier *c, int root)
{
    nc_groups *groups = &c->groups;
    int i = root;
    bool noted = true;
    do {
        if (!is_still(c, i)) {
            nc_path_halt(&c->bodies->path[i], c->now);
            c->fate[i].halted = true;
            c->fate[i].ran_until = fmin(c->fate[i].ran_until, c->now);
            c->report.stalls += c->bodies->role[i] == NC_ROLE_SCRIPTED;
            noted = record_change(c, i) && noted;
        }
        i = groups->next[i];
    } while (i != root);
    groups->finite[root] = 0;
    groups->still[root] = 1;
    return noted;
}

static bool halt_group(nc_certifier *c, int root)
{
    c->report.halts++;
    return bring_to_rest(c, root);
}

// Is there room in the paths of all members for `count` segments more, and one to halt?
static bool has_room(const nc_certifier *c, int root, int count)
{
    int i = root;
    do {
        if (nc_path_room(&c->bodies->path[i], c->now) < count + 1)
            return false;
        i = c->groups.next[i];
    } while (i != root);
    return true;
}

static bool follow(nc_certifier *c, int root, const nc_segment *rest, int count)
{
    int i = root;
    bool noted = true;
    do {
        nc_path_follow(&c->bodies->path[i], c->now, rest, count);
        noted = record_change(c, i) && noted;
        i = c->groups.next[i];
    } while (i != root);
    return noted;
}

// The infinite member that leads a group: scripted, fixed or halted; the first one by row.
static int leader_of(const nc_certifier *c, int root)
{
    int i = root, leader = -1;
    do {
        if (c->bodies->role[i] != NC_ROLE_FREE && (leader < 0 || i < leader))
            leader = i;
        i = c->groups.next[i];
    } while (i != root);
    return leader >= 0 ? leader : root;
}

// A group of free bodies sticks to an infinite one and goes where that goes.
static bool stick_to_infinite(nc_certifier *c, int infinite, int finite)
{
    nc_groups *groups = &c->groups;
    nc_segment rest[NC_MAX_SEGMENTS];
    if (groups->still[infinite]) {
        const bool noted = bring_to_rest(c, finite);
        nc_groups_join(groups, infinite, finite);
        c->report.sticks++;
        return noted;
    }
    const int count = nc_path_rest(&c->bodies->path[leader_of(c, infinite)], c->now, rest);
    if (!has_room(c, infinite, count) || !has_room(c, finite, count))
        return halt_group(c, infinite) && halt_group(c, finite);
    const int root = nc_groups_join(groups, infinite, finite);
    groups->finite[root] = 0;
    groups->still[root] = 0;
    c->report.sticks++;
    return follow(c, root, rest, count); // the leader too: from now on all are on the very same segments
}

static bool stick_together(nc_certifier *c, int a, int b)
{
    nc_groups *groups = &c->groups;
    if (!has_room(c, a, 1) || !has_room(c, b, 1))
        return halt_group(c, a) && halt_group(c, b);
    const int root = nc_groups_join(groups, a, b);
    const nc_segment motion = nc_common_motion(c->bodies, groups, root, c->now);
    if (!nc_finite3(motion.a) || !nc_finite3(motion.d)) // masses beyond what doubles add up
        return halt_group(c, root);
    groups->finite[root] = 1;
    groups->still[root] = 0;
    c->report.sticks++;
    return follow(c, root, &motion, 1);
}

// Does no member move from now on? A script may have come to its end, so the group's own mark is not enough.
static bool group_is_still(const nc_certifier *c, int root)
{
    int i = root;
    do {
        if (!is_still(c, i))
            return false;
        i = c->groups.next[i];
    } while (i != root);
    return true;
}

// Lower priority halts first: scripted bodies by row, the later one that moves. An event must change a motion, else the
// pair would be left without proof.
static bool halt_one_of(nc_certifier *c, int a, int b)
{
    const int later = a > b ? a : b, first = a > b ? b : a;
    return halt_group(c, group_is_still(c, later) ? first : later);
}

static bool handle(nc_certifier *c, const nc_record *record)
{
    const nc_groups *groups = &c->groups;
    const int a = nc_groups_root(groups, record->i), b = nc_groups_root(groups, record->j);
    const bool jammed = record->start_distance >= 0 && record->start_distance <= NC_JAM_FLOORS * c->options->floor;
    c->report.events++;
    c->report.jams += jammed;
    if (!groups->finite[a] && !groups->finite[b])
        return halt_one_of(c, a, b);
    if (jammed || c->report.events > c->options->event_budget) {
        const bool halted = (groups->still[a] || halt_group(c, a));
        return (groups->still[b] || halt_group(c, b)) && halted;
    }
    if (groups->finite[a] && groups->finite[b])
        return stick_together(c, a, b);
    return groups->finite[a] ? stick_to_infinite(c, b, a) : stick_to_infinite(c, a, b);
}

// Is the body changed, and are all of its pairs to be swept now? `scope` by row; NULL: those of all bodies.
static bool is_due(const nc_certifier *c, const uint8_t *scope, int i)
{
    return c->changed[i] && (scope == NULL || scope[i] == NC_ALL_PAIRS);
}

static bool request_partners(nc_certifier *c, const uint8_t *scope, int i)
{
    for (int j = 0; j < c->bodies->count; j++)
        if (j != i && c->bodies->role[j] != NC_ROLE_ABSENT && !(j < i && is_due(c, scope, j)) &&
            may_collide(c->box[i], c->box[j]) && !request_sweep(c, i, j))
            return false;
    return true;
}

// All pairs at once, when many bodies changed.
static bool request_all_changed(nc_certifier *c, const uint8_t *scope)
{
    if (nc_certify_find_pairs(c, NULL) != NC_OK)
        return false;
    for (int k = 0; k < c->pairs.count; k++) {
        const int i = c->pairs.data[k].a, j = c->pairs.data[k].b;
        if ((is_due(c, scope, i) || is_due(c, scope, j)) && !request_sweep(c, i, j))
            return false;
    }
    return true;
}

// Asks for the pairs of changed bodies with everything they may now collide with. Bodies that are not due stay changed.
static bool request_due(nc_certifier *c, const uint8_t *scope)
{
    int due = 0, left = 0;
    for (int k = 0; k < c->rows.count; k++)
        due += is_due(c, scope, c->rows.data[k]);
    const bool many = due > NC_EFFORT_CHANGED_BODIES;
    if (many && !request_all_changed(c, scope))
        return false;
    for (int k = 0; k < c->rows.count && !many; k++)
        if (is_due(c, scope, c->rows.data[k]) && !request_partners(c, scope, c->rows.data[k]))
            return false;
    for (int k = 0; k < c->rows.count; k++) {
        const int row = c->rows.data[k];
        if (is_due(c, scope, row))
            c->changed[row] = 0;
        else
            c->rows.data[left++] = row;
    }
    c->rows.count = left;
    return true;
}

// Sweeps of all changed bodies against everything they may now collide with.
static bool sweep_changed(nc_certifier *c)
{
    return request_due(c, NULL) && sweep_all(c);
}

// Whom the scripted body `row`, halted by a collision of these two, has to wait for: of a pair that it is not in, but
// moves with one of, the one that is free.
static int blocker_of(const nc_certifier *c, const nc_record *record, int row)
{
    if (record->i == row || record->j == row)
        return record->i == row ? record->j : record->i;
    return c->bodies->role[record->i] == NC_ROLE_FREE ? record->i : record->j;
}

// Remembers who held up scripted bodies, and who was the first.
static void record_stalls(nc_certifier *c, const nc_record *record)
{
    for (int i = 0; i < c->bodies->count; i++) {
        if (!c->fate[i].halted || c->bodies->role[i] != NC_ROLE_SCRIPTED || c->fate[i].blocker >= 0)
            continue;
        c->fate[i].blocker = blocker_of(c, record, i);
        if (c->report.stalled >= 0)
            continue;
        c->report.stalled = i;
        c->report.stalled_by[0] = record->i;
        c->report.stalled_by[1] = record->j;
    }
}

static nc_code run_events(nc_certifier *c, nc_error *err)
{
    int recorded = 0; // stalls
    for (int next; (next = nc_heap_pop(c)) >= 0;) {
        const nc_record record = c->records.data[next];
        if (!is_current(c, &record) || !needs_proof(c, record.i, record.j))
            continue;
        c->now = fmax(c->now, record.clear_until);
        const bool handled = handle(c, &record);
        if (c->report.stalls > recorded)
            record_stalls(c, &record);
        recorded = c->report.stalls;
        if (!handled || !sweep_changed(c))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory while certifying motions");
        const nc_code code = check_interrupt(c, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

// ---- the proof ----------------------------------------------------------------------------------------------

static bool pair_is_proven(const nc_certifier *c, int i, int j)
{
    if (!needs_proof(c, i, j))
        return true;
    const int found = nc_records_find(c, i, j);
    if (found < 0)
        return false;
    const nc_record *record = &c->records.data[found];
    return is_current(c, record) && record->clear_until >= 1.0;
}

// Boxes are those since each body's last change. Two that are apart are apart since the later of the two changes;
// before that the pair was clear, since no event came (invariant 1). Two that are not must have their proof.
static nc_code prove(nc_certifier *c, nc_error *err)
{
    c->now = 1;
    const nc_code code = c->last_version > 0 ? nc_certify_find_pairs(c, err) : NC_OK; // else no box has changed
    for (int k = 0; code == NC_OK && k < c->pairs.count; k++) {
        const int i = c->pairs.data[k].a, j = c->pairs.data[k].b;
        if (!pair_is_proven(c, i, j))
            return nc_fail(err, NC_BROKEN_PROMISE, "bodies %d and %d are not proven apart over the step", i, j);
    }
    return code;
}

static void write_fates(nc_certifier *c)
{
    const nc_groups *groups = &c->groups;
    for (int i = 0; i < c->bodies->count; i++) {
        c->fate[i].group = nc_groups_root(groups, i);
        c->fate[i].stuck = groups->next[i] != i;
    }
}

// ---- the three steps ----------------------------------------------------------------------------------------

nc_code nc_certify_begin(nc_certifier *c, const nc_certify_bodies *bodies, const nc_certify_options *options,
                         nc_error *err)
{
    c->restart_cache.bodies.count = c->restart_cache.records.count = 0;
    return nc_certify_restart(c, bodies, options, err);
}

nc_code nc_certify_restart(nc_certifier *c, const nc_certify_bodies *bodies, const nc_certify_options *options,
                           nc_error *err)
{
    if (!reserve_rows(c, bodies->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory to certify %d bodies", bodies->count);
    c->bodies = bodies;
    c->options = options;
    c->report = (nc_certify_report){.stalled = -1, .smallest_distance = INFINITY};
    c->now = 0;
    c->last_version = 0;
    c->foresee = false;
    nc_records_begin(c);
    c->todo.count = c->rows.count = c->met.count = c->motions.count = 0;
    nc_groups_begin(&c->groups, bodies);
    return sweep_first(c, err);
}

// Is the pair, for the motions as they are, not clear until the end?
static bool is_colliding(const nc_certifier *c, const nc_record *record)
{
    return record->clear_until < 1.0 && is_current(c, record);
}

static bool collision_less(const nc_collision *a, const nc_collision *b)
{
    if (a->toi != b->toi)
        return a->toi < b->toi;
    return a->i != b->i ? a->i < b->i : a->j < b->j;
}

static nc_collision collision_of(const nc_record *r)
{
    return (nc_collision){r->i, r->j, r->clear_until, r->undecided, r->feature, r->nearest, r->checks};
}

int nc_certify_collisions(const nc_certifier *c, nc_collision *out, int capacity)
{
    int count = 0;
    for (int k = 0; k < c->met.count; k++) {
        const nc_record *r = &c->records.data[c->met.data[k]];
        if (!is_colliding(c, r))
            continue;
        const nc_collision collision = collision_of(r);
        // Insertion into the earliest `capacity` so far.
        int at = count < capacity ? count : capacity;
        count++;
        for (; at > 0 && collision_less(&collision, &out[at - 1]); at--)
            if (at < capacity)
                out[at] = out[at - 1];
        if (at < capacity)
            out[at] = collision;
    }
    return count;
}

const nc_certify_report *nc_certify_so_far(const nc_certifier *c)
{
    return &c->report;
}

nc_code nc_certify_change(nc_certifier *c, int row, nc_error *err)
{
    return record_change(c, row) ? NC_OK : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for changed motions");
}

bool nc_certify_recheck(nc_certifier *c, int i, int j, nc_collision *out)
{
    nc_record *record = &c->records.data[nc_records_find(c, i, j)];
    NC_ASSERT(record->met);
    if (!is_current(c, record)) {
        c->sweep_budget = share_of_budget(c, 1, NC_SWEEP_MAX_BUDGET);
        (void)(note_motion(c, i) && note_motion(c, j)); // there is room (record_change)
        sweep_record(c, record);
        c->report.evaluations += record->evaluations;
        *(record->spared ? &c->report.spared : &c->report.sweeps) += 1;
        c->report.undecided += record->undecided;
    }
    record->checks += record->clear_until < 1.0;
    *out = collision_of(record);
    return record->clear_until < 1.0;
}

// Asks for void pairs that were not clear before, of bodies whose other pairs wait. (Those of bodies that were due have
// been requested.)
static bool request_seen_colliding(nc_certifier *c, const uint8_t *scope)
{
    for (int k = 0; k < c->met.count; k++) {
        const nc_record *record = &c->records.data[c->met.data[k]];
        const int i = record->i, j = record->j, wider = scope[i] > scope[j] ? scope[i] : scope[j];
        if (wider == NC_PAIRS_SEEN_COLLIDING && !is_current(c, record) &&
            !nc_array_push(&c->allocator, &c->todo, c->met.data[k]))
            return false;
    }
    return true;
}

static nc_code refreshed(nc_certifier *c, bool done, nc_error *err)
{
    return done ? check_interrupt(c, err) : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for changed motions");
}

nc_code nc_certify_refresh(nc_certifier *c, nc_error *err)
{
    return refreshed(c, sweep_changed(c), err);
}

nc_code nc_certify_refresh_scope(nc_certifier *c, const uint8_t *scope, nc_error *err)
{
    return refreshed(c, request_due(c, scope) && request_seen_colliding(c, scope) && sweep_all(c), err);
}

void nc_certify_join(nc_certifier *c, int i, int j)
{
    nc_groups *groups = &c->groups;
    const int a = nc_groups_root(groups, i), b = nc_groups_root(groups, j);
    if (a == b)
        return;
    const bool finite = groups->finite[a] && groups->finite[b];
    const bool still = groups->still[a] || groups->still[b]; // one that moves cannot be joined to one that does not
    const int root = nc_groups_join(groups, a, b);
    groups->finite[root] = finite;
    groups->still[root] = still;
}

static bool same_vector(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool nc_certify_same_segments(const nc_path *a, const nc_path *b)
{
    for (int k = 0; k < a->count && k < b->count; k++) {
        const nc_segment *s = &a->segments[k], *t = &b->segments[k];
        if (s->begin != t->begin || !same_vector(s->a, t->a) || !same_vector(s->d, t->d) ||
            !same_vector(s->theta, t->theta) || !same_vector(s->eps, t->eps))
            return false;
    }
    return a->count == b->count;
}

// Groups that the caller made: are they what they were said to be? Members of a group that stands still ran no part of
// the step.
static nc_code check_joined(nc_certifier *c, nc_error *err)
{
    for (int i = 0; i < c->bodies->count; i++) {
        const int root = nc_groups_root(&c->groups, i);
        if (root != i && !nc_certify_same_segments(&c->bodies->path[i], &c->bodies->path[root]))
            return nc_fail(err, NC_BROKEN_PROMISE, "bodies %d and %d were joined but do not move as one", root, i);
        const bool held = c->groups.next[i] != i && c->groups.still[root] && c->bodies->role[i] == NC_ROLE_FREE;
        c->fate[i].halted = held;
        c->fate[i].ran_until = held ? 0 : 1;
    }
    return NC_OK;
}

static nc_code foresee_all(nc_certifier *c, nc_error *err)
{
    c->foresee = true;
    for (int k = 0; k < c->records.count; k++)
        if (is_colliding(c, &c->records.data[k]) && !nc_heap_push(c, k))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for events");
    return NC_OK;
}

nc_code nc_certify_end(nc_certifier *c, nc_fate *fate, nc_certify_report *report, nc_error *err)
{
    c->fate = fate;
    for (int i = 0; i < c->bodies->count; i++)
        fate[i] = (nc_fate){.ran_until = 1.0, .group = i, .blocker = -1};
    nc_code code = check_joined(c, err);
    if (code == NC_OK)
        code = nc_certify_refresh(c, err);
    if (code == NC_OK)
        code = foresee_all(c, err);
    if (code == NC_OK)
        code = run_events(c, err);
    if (code == NC_OK)
        code = prove(c, err);
    if (code == NC_OK)
        code = nc_certify_measure(c, err);
    if (code == NC_OK)
        write_fates(c);
    *report = c->report;
    return code;
}
