// The loop: sweep, take the next event, change motions, sweep again; then prove that all is well.
#include "certify/group_motion.h"
#include "certify/state.h"

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

static void free_rows(nc_certifier *c)
{
    const size_t n = (size_t)c->capacity;
    nc_free(&c->allocator, c->groups.parent, n, sizeof *c->groups.parent);
    nc_free(&c->allocator, c->groups.next, n, sizeof *c->groups.next);
    nc_free(&c->allocator, c->groups.finite, n, sizeof *c->groups.finite);
    nc_free(&c->allocator, c->groups.still, n, sizeof *c->groups.still);
    nc_free(&c->allocator, c->version, n, sizeof *c->version);
    nc_free(&c->allocator, c->box, n, sizeof *c->box);
    nc_free(&c->allocator, c->error, n, sizeof *c->error);
    nc_free(&c->allocator, c->changed, n, sizeof *c->changed);
    c->groups = (nc_groups){NULL, NULL, NULL, NULL};
    c->version = NULL;
    c->box = NULL;
    c->error = NULL;
    c->changed = NULL;
    c->capacity = 0;
}

void nc_certifier_destroy(nc_certifier *c)
{
    if (c == NULL)
        return;
    const nc_allocator memory = c->allocator;
    free_rows(c);
    nc_free(&memory, c->table, (size_t)c->table_size, sizeof *c->table);
    nc_pairs_free(&c->pairs, &memory);
    nc_array_free(&memory, &c->records);
    nc_array_free(&memory, &c->heap);
    nc_array_free(&memory, &c->todo);
    nc_array_free(&memory, &c->rows);
    nc_free(&memory, c, 1, sizeof *c);
}

static bool reserve_rows(nc_certifier *c, int count)
{
    if (count <= c->capacity)
        return true;
    free_rows(c);
    const size_t n = (size_t)count;
    c->capacity = count;
    c->groups.parent = nc_alloc(&c->allocator, n, sizeof *c->groups.parent);
    c->groups.next = nc_alloc(&c->allocator, n, sizeof *c->groups.next);
    c->groups.finite = nc_alloc(&c->allocator, n, sizeof *c->groups.finite);
    c->groups.still = nc_alloc(&c->allocator, n, sizeof *c->groups.still);
    c->version = nc_alloc(&c->allocator, n, sizeof *c->version);
    c->box = nc_alloc(&c->allocator, n, sizeof *c->box);
    c->error = nc_alloc(&c->allocator, n, sizeof *c->error);
    c->changed = nc_alloc(&c->allocator, n, sizeof *c->changed);
    return c->groups.parent != NULL && c->groups.next != NULL && c->groups.finite != NULL && c->groups.still != NULL &&
           c->version != NULL && c->box != NULL && c->error != NULL && c->changed != NULL;
}

// ---- one run ------------------------------------------------------------------------------------------------

typedef struct run {
    nc_certifier *c;
    const nc_certify_bodies *bodies;
    const nc_certify_options *options;
    nc_fate *fate;
    nc_certify_report *report;
    double now;
    uint32_t last_version;
} run;

// Every body's reach, rounding and swept box from `since` on, grown by half the floor so that overlap means nearness.
static void measure_body(run *r, int i, double since)
{
    const nc_mesh_data mesh = nc_mesh_view(r->bodies->mesh[i]);
    const nc_path *path = &r->bodies->path[i];
    r->c->error[i] = nc_path_error(path, mesh.radius);
    nc_box box = nc_path_swept_box_of(path, mesh.box, mesh.radius, since, 1.0);
    const double grow = 0.51 * r->options->floor;
    box.lo = nc_sub(box.lo, nc_v3(grow, grow, grow));
    box.hi = nc_add(box.hi, nc_v3(grow, grow, grow));
    r->c->box[i] = box;
}

static bool is_still(const run *r, int i)
{
    const nc_path *path = &r->bodies->path[i];
    return nc_segment_is_still(&path->segments[path->count - 1]) && path->segments[path->count - 1].begin <= r->now;
}

// Does the pair need proof from now on? Not when it may meet, moves as one, or does not move at all.
static bool needs_proof(const run *r, int i, int j)
{
    if (r->options->matters != NULL && !r->options->matters(i, j, r->options->ctx))
        return false;
    const nc_groups *groups = &r->c->groups;
    return nc_groups_root(groups, i) != nc_groups_root(groups, j) && !(is_still(r, i) && is_still(r, j));
}

// ---- sweeping -----------------------------------------------------------------------------------------------

static nc_mesh_sweep_options sweep_options(const run *r, const nc_record *record)
{
    const double error = r->c->error[record->i] + r->c->error[record->j];
    // The certificate's own rounding is below E: both count the same coordinates, E many more operations.
    const nc_gap_rule gap = {r->options->floor, r->options->floor / 16, 16 * error};
    return (nc_mesh_sweep_options){gap, r->options->tolerance, r->options->sweep_limit, false};
}

static void sweep_record(const run *r, nc_record *record)
{
    const nc_certify_bodies *bodies = r->bodies;
    const nc_mesh_sweep_options options = sweep_options(r, record);
    const nc_sweep_result result =
        nc_sweep_meshes(bodies->mesh[record->i], &bodies->path[record->i], bodies->mesh[record->j],
                        &bodies->path[record->j], r->now, 1.0, &options);
    record->version_i = r->c->version[record->i];
    record->version_j = r->c->version[record->j];
    record->clear_until = result.verdict == NC_CLEAR ? 1.0 : result.toi;
    record->distance = fmin(record->distance, result.distance);
    record->start_distance = result.start_distance;
    record->undecided = result.verdict == NC_UNDECIDED;
    record->verdicts++;
}

static void sweep_range(int begin, int end, void *ctx)
{
    const run *r = ctx;
    for (int k = begin; k < end; k++)
        sweep_record(r, &r->c->records.data[r->c->todo.data[k]]);
}

// Sweeps what is to be done, in parallel, then foresees events in order.
static bool sweep_all(run *r)
{
    nc_certifier *c = r->c;
    nc_parallel_for(r->options->workers, c->todo.count, 4, sweep_range, r);
    r->report->sweeps += c->todo.count;
    for (int k = 0; k < c->todo.count; k++) {
        const nc_record *record = &c->records.data[c->todo.data[k]];
        r->report->undecided += record->undecided;
        if (record->clear_until < 1.0 && !nc_heap_push(c, c->todo.data[k]))
            return false;
    }
    c->todo.count = 0;
    return true;
}

static bool ask_for(run *r, int i, int j)
{
    if (!needs_proof(r, i, j))
        return true;
    const int record = nc_records_of(r->c, i, j);
    return record >= 0 && nc_array_push(&r->c->allocator, &r->c->todo, record);
}

static nc_code sweep_first(run *r, nc_error *err)
{
    nc_certifier *c = r->c;
    for (int i = 0; i < r->bodies->count; i++) {
        c->version[i] = 0;
        c->changed[i] = 0;
        c->box[i] = nc_box_empty();
        if (r->bodies->role[i] != NC_ROLE_ABSENT)
            measure_body(r, i, 0.0);
    }
    const nc_code code = nc_broad_overlaps(c->box, r->bodies->count, &c->allocator, &c->pairs, err);
    if (code != NC_OK)
        return code;
    r->report->pairs = c->pairs.count;
    for (int k = 0; k < c->pairs.count; k++)
        if (!ask_for(r, c->pairs.data[k].a, c->pairs.data[k].b))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d pairs of bodies", c->pairs.count);
    return sweep_all(r) ? NC_OK : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for events");
}

// ---- events -------------------------------------------------------------------------------------------------

// Notes that a body moves otherwise from now on.
static bool note_change(run *r, int i)
{
    r->c->version[i] = ++r->last_version;
    r->c->changed[i] = 1;
    return nc_array_push(&r->c->allocator, &r->c->rows, i);
}

// No member of the group moves from now on.
static bool bring_to_rest(run *r, int root)
{
    nc_groups *groups = &r->c->groups;
    int i = root;
    bool noted = true;
    do {
        if (!is_still(r, i)) {
            nc_path_halt(&r->bodies->path[i], r->now);
            r->fate[i].halted = true;
            r->fate[i].ran_until = fmin(r->fate[i].ran_until, r->now);
            r->report->stalls += r->bodies->role[i] == NC_ROLE_SCRIPTED;
            noted = note_change(r, i) && noted;
        }
        i = groups->next[i];
    } while (i != root);
    groups->finite[root] = 0;
    groups->still[root] = 1;
    return noted;
}

static bool halt_group(run *r, int root)
{
    r->report->halts++;
    return bring_to_rest(r, root);
}

// Is there room in the paths of all members for `count` segments more, and one to halt?
static bool has_room(const run *r, int root, int count)
{
    int i = root;
    do {
        if (nc_path_room(&r->bodies->path[i], r->now) < count + 1)
            return false;
        i = r->c->groups.next[i];
    } while (i != root);
    return true;
}

static bool follow(run *r, int root, const nc_segment *rest, int count)
{
    int i = root;
    bool noted = true;
    do {
        nc_path_follow(&r->bodies->path[i], r->now, rest, count);
        noted = note_change(r, i) && noted;
        i = r->c->groups.next[i];
    } while (i != root);
    return noted;
}

// The infinite member that leads a group: scripted, fixed or halted; the first one by row.
static int leader_of(const run *r, int root)
{
    int i = root, leader = -1;
    do {
        if (r->bodies->role[i] != NC_ROLE_FREE && (leader < 0 || i < leader))
            leader = i;
        i = r->c->groups.next[i];
    } while (i != root);
    return leader >= 0 ? leader : root;
}

// A group of free bodies sticks to an infinite one and goes where that goes.
static bool stick_to_infinite(run *r, int infinite, int finite)
{
    nc_groups *groups = &r->c->groups;
    nc_segment rest[NC_MAX_SEGMENTS];
    if (groups->still[infinite]) {
        const bool noted = bring_to_rest(r, finite);
        nc_groups_join(groups, infinite, finite);
        r->report->sticks++;
        return noted;
    }
    const int count = nc_path_rest(&r->bodies->path[leader_of(r, infinite)], r->now, rest);
    if (!has_room(r, infinite, count) || !has_room(r, finite, count))
        return halt_group(r, infinite) && halt_group(r, finite);
    const int root = nc_groups_join(groups, infinite, finite);
    groups->finite[root] = 0;
    groups->still[root] = 0;
    r->report->sticks++;
    return follow(r, root, rest, count); // the leader too: from now on all are on the very same segments
}

static bool stick_together(run *r, int a, int b)
{
    nc_groups *groups = &r->c->groups;
    if (!has_room(r, a, 1) || !has_room(r, b, 1))
        return halt_group(r, a) && halt_group(r, b);
    const int root = nc_groups_join(groups, a, b);
    const nc_segment motion = nc_common_motion(r->bodies, groups, root, r->now);
    groups->finite[root] = 1;
    groups->still[root] = 0;
    r->report->sticks++;
    return follow(r, root, &motion, 1);
}

// Lower priority halts first: scripted bodies by row, the later one.
static bool halt_one_of(run *r, int a, int b)
{
    const nc_groups *groups = &r->c->groups;
    const int later = a > b ? a : b, first = a > b ? b : a;
    return halt_group(r, groups->still[later] ? first : later);
}

static bool handle(run *r, const nc_record *record)
{
    const nc_groups *groups = &r->c->groups;
    const int a = nc_groups_root(groups, record->i), b = nc_groups_root(groups, record->j);
    const bool jammed = record->start_distance >= 0 && record->start_distance <= r->options->floor / 32;
    r->report->events++;
    r->report->jams += jammed;
    if (!groups->finite[a] && !groups->finite[b])
        return halt_one_of(r, a, b);
    if (jammed || r->report->events > r->options->event_budget) {
        const bool halted = (groups->still[a] || halt_group(r, a));
        return (groups->still[b] || halt_group(r, b)) && halted;
    }
    if (groups->finite[a] && groups->finite[b])
        return stick_together(r, a, b);
    return groups->finite[a] ? stick_to_infinite(r, b, a) : stick_to_infinite(r, a, b);
}

// New boxes, and sweeps of the changed bodies against all that they may now meet.
static bool look_again(run *r)
{
    nc_certifier *c = r->c;
    for (int k = 0; k < c->rows.count; k++)
        measure_body(r, c->rows.data[k], r->now);
    for (int k = 0; k < c->rows.count; k++) {
        const int i = c->rows.data[k];
        for (int j = 0; j < r->bodies->count; j++) {
            if (j == i || r->bodies->role[j] == NC_ROLE_ABSENT || (c->changed[j] && j < i) ||
                !nc_box_overlap(c->box[i], c->box[j]))
                continue;
            if (!ask_for(r, i, j))
                return false;
        }
    }
    for (int k = 0; k < c->rows.count; k++)
        c->changed[c->rows.data[k]] = 0;
    c->rows.count = 0;
    return sweep_all(r);
}

static nc_code run_events(run *r, nc_error *err)
{
    for (int next; (next = nc_heap_pop(r->c)) >= 0;) {
        const nc_record record = r->c->records.data[next];
        if (record.version_i != r->c->version[record.i] || record.version_j != r->c->version[record.j] ||
            !needs_proof(r, record.i, record.j))
            continue;
        r->now = fmax(r->now, record.clear_until);
        if (!handle(r, &record) || !look_again(r))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory while certifying motions");
    }
    return NC_OK;
}

// ---- the proof ----------------------------------------------------------------------------------------------

static bool pair_is_proven(const run *r, int i, int j)
{
    if (!needs_proof(r, i, j))
        return true;
    const int found = nc_records_find(r->c, i, j);
    if (found < 0)
        return false;
    const nc_record *record = &r->c->records.data[found];
    return record->version_i == r->c->version[record->i] && record->version_j == r->c->version[record->j] &&
           record->clear_until >= 1.0;
}

// Boxes are those since each body's last change. Two that are apart are apart since the later of the two changes;
// before that the pair was clear, since no event came (invariant 1). Two that are not must have their proof.
static nc_code prove(run *r, nc_error *err)
{
    nc_certifier *c = r->c;
    r->now = 1;
    const nc_code code = nc_broad_overlaps(c->box, r->bodies->count, &c->allocator, &c->pairs, err);
    for (int k = 0; code == NC_OK && k < c->pairs.count; k++) {
        const int i = c->pairs.data[k].a, j = c->pairs.data[k].b;
        if (!pair_is_proven(r, i, j))
            return nc_fail(err, NC_BROKEN_PROMISE, "bodies %d and %d are not proven apart over the step", i, j);
    }
    return code;
}

static void write_fates(run *r)
{
    const nc_groups *groups = &r->c->groups;
    for (int i = 0; i < r->bodies->count; i++) {
        r->fate[i].group = nc_groups_root(groups, i);
        r->fate[i].stuck = groups->next[i] != i;
    }
    for (int k = 0; k < r->c->records.count; k++)
        r->report->smallest_distance = fmin(r->report->smallest_distance, r->c->records.data[k].distance);
}

nc_code nc_certify(nc_certifier *certifier, const nc_certify_bodies *bodies, const nc_certify_options *options,
                   nc_fate *fate, nc_certify_report *report, nc_error *err)
{
    *report = (nc_certify_report){.smallest_distance = INFINITY};
    run r = {.c = certifier, .bodies = bodies, .options = options, .fate = fate, .report = report};
    if (!reserve_rows(certifier, bodies->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory to certify %d bodies", bodies->count);
    nc_records_begin(certifier);
    certifier->todo.count = certifier->rows.count = 0;
    nc_groups_begin(&certifier->groups, bodies);
    for (int i = 0; i < bodies->count; i++)
        fate[i] = (nc_fate){.ran_until = 1.0, .group = i};
    nc_code code = sweep_first(&r, err);
    if (code == NC_OK)
        code = run_events(&r, err);
    if (code == NC_OK)
        code = prove(&r, err);
    if (code == NC_OK)
        write_fates(&r);
    return code;
}
