// Exact intersection tests along the paths of a step.
//
// The step proves its paths apart by certificates; this examines them by other means: poses as the path gives them, and
// the oracle. Nothing is taken from the proof, so that a defect in it is seen.
//
// Most pairs barely move against each other in a step. Once the distance of a pair is known at one pose, poses nearer
// than that cannot meet and are passed over; but every eighth sample is tested, whatever the distances say.
#include "audit/audit.h"

#include "narrow/narrow.h"

#include <string.h>

#define PAIRS_PER_BLOCK 4
#define ALWAYS_TESTED   8 // one sample of so many
#define REACH           8 // distances are measured up to so many times what is near

// ---- one pair -----------------------------------------------------------------------------------------------

// What came of one pair.
typedef struct finding {
    nc_code code;
    bool hit;
    double t;
    nc_intersection where;
} finding;

// Where a pair stood, free of intersections, and how far apart it is there.
typedef struct sighting {
    nc_pose pose_a, pose_b;
    double t;
    double apart; // [m] a lower bound; 0 where nothing is known
} sighting;

typedef struct pair_test {
    const nc_audit_mover *a, *b;
    nc_pose pose_a, pose_b; // where it stands
    bool placed;
    sighting last, nearest; // the latest sighting, and the one of the smallest distance
    double reach;           // [m] distances above it are not measured
    finding *found;
} pair_test;

static bool same_bits(const nc_pose *p, const nc_pose *q)
{
    return memcmp(&p->x, &q->x, sizeof p->x) == 0 && memcmp(&p->q, &q->q, sizeof p->q) == 0;
}

// Puts the pair at time t. False when it stood at these very poses.
static bool place(pair_test *look, double t)
{
    const nc_pose pose_a = nc_path_pose(look->a->path, t), pose_b = nc_path_pose(look->b->path, t);
    const bool known = look->placed && same_bits(&pose_a, &look->pose_a) && same_bits(&pose_b, &look->pose_b);
    look->pose_a = pose_a;
    look->pose_b = pose_b;
    look->placed = true;
    return !known;
}

// Keeps the earliest hit. False when there is nothing more to find out.
static bool test(pair_test *look, double t)
{
    bool hit = false;
    nc_intersection where;
    finding *found = look->found;
    found->code = nc_mesh_intersect(look->a->mesh, look->pose_a, look->b->mesh, look->pose_b, &hit, &where, NULL);
    if (found->code == NC_OK && hit && (!found->hit || t < found->t)) {
        found->hit = true;
        found->t = t;
        found->where = where;
    }
    return found->code == NC_OK;
}

// ---- where a pair is nearest --------------------------------------------------------------------------------

static double axis_gap(double lo_a, double hi_a, double lo_b, double hi_b)
{
    return fmax(0.0, fmax(lo_a - hi_b, lo_b - hi_a));
}

// A lower bound [m] of the pair's distance where it stands, up to rounding.
static double box_gap(const pair_test *look)
{
    const nc_frame frame_a = nc_pose_frame(look->pose_a), frame_b = nc_pose_frame(look->pose_b);
    const nc_box a = nc_frame_box(&frame_a, nc_mesh_view(look->a->mesh).box);
    const nc_box b = nc_frame_box(&frame_b, nc_mesh_view(look->b->mesh).box);
    const nc_vec3 gap = {axis_gap(a.lo.x, a.hi.x, b.lo.x, b.hi.x), axis_gap(a.lo.y, a.hi.y, b.lo.y, b.hi.y),
                         axis_gap(a.lo.z, a.hi.z, b.lo.z, b.hi.z)};
    return nc_norm(gap);
}

// Sees the pair where it stands.
static void sight(pair_test *look, double t)
{
    sighting seen = {look->pose_a, look->pose_b, t, box_gap(look)};
    if (seen.apart < look->reach) {
        nc_proximity near;
        const nc_code code =
            nc_mesh_distance_within(look->a->mesh, look->pose_a, look->b->mesh, look->pose_b, look->reach, &near, NULL);
        seen.apart = code == NC_OK ? near.lower_bound : 0;
    }
    look->last = seen;
    if (seen.apart < look->nearest.apart)
        look->nearest = seen;
}

// An upper bound [1] of how far a point at distance 1 of the centre is turned from one orientation to the other.
static double turn_between(nc_quat p, nc_quat q)
{
    const nc_quat less = nc_q4(p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z);
    const nc_quat more = nc_q4(p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z);
    return 2 * sqrt(fmin(nc_quat_norm2(less), nc_quat_norm2(more)));
}

// Is the pair so near to where it was seen that it is still apart? 1e-9 of all lengths is far more than any rounding.
static bool is_clear(const pair_test *look, const sighting *seen)
{
    const double radius_a = nc_mesh_radius(look->a->mesh), radius_b = nc_mesh_radius(look->b->mesh);
    const nc_vec3 before = nc_sub(seen->pose_a.x, seen->pose_b.x), now = nc_sub(look->pose_a.x, look->pose_b.x);
    const double moved = nc_norm(nc_sub(now, before)) + radius_a * turn_between(seen->pose_a.q, look->pose_a.q) +
                         radius_b * turn_between(seen->pose_b.q, look->pose_b.q);
    const double size = nc_norm(look->pose_a.x) + nc_norm(look->pose_b.x) + radius_a + radius_b;
    return moved + 1e-9 * size < seen->apart;
}

// ---- all times of a pair ------------------------------------------------------------------------------------

// What is farther apart than this at all samples is not near: it cannot cross in between.
static double near_limit(const pair_test *look)
{
    const double radius_a = nc_mesh_radius(look->a->mesh), radius_b = nc_mesh_radius(look->b->mesh);
    double travel = 0;
    for (int k = 0; k < NC_AUDIT_SAMPLES; k++) {
        const double t0 = (double)k / NC_AUDIT_SAMPLES, t1 = (double)(k + 1) / NC_AUDIT_SAMPLES;
        travel = fmax(travel, nc_path_travel(look->a->path, radius_a, t0, t1) +
                                  nc_path_travel(look->b->path, radius_b, t0, t1));
    }
    return travel + fmin(radius_a, radius_b) / NC_AUDIT_SAMPLES;
}

// Tests the pair at sample k, and sees how far apart it is. False when there is nothing more to find out.
static bool test_pair(pair_test *look, int k)
{
    const double t = (double)k / NC_AUDIT_SAMPLES;
    if (!test(look, t) || look->found->hit)
        return false; // the first one found: what is earlier was not hit
    sight(look, t);
    return true;
}

// All samples. Both ends of an interval in which the pair may cross are examined: the sighting that rules a crossing
// out for one of them does not rule it out for the other. False when there is nothing more to find out.
static bool test_samples(pair_test *look)
{
    int looked_at = 0; // the last one
    for (int k = 1; k <= NC_AUDIT_SAMPLES; k++) {
        if (!place(look, (double)k / NC_AUDIT_SAMPLES))
            continue;
        bool clear = is_clear(look, &look->last);
        if (!clear && k > 1 && looked_at < k - 1) {
            place(look, (double)(k - 1) / NC_AUDIT_SAMPLES);
            if (!test_pair(look, k - 1))
                return false;
            place(look, (double)k / NC_AUDIT_SAMPLES);
            clear = is_clear(look, &look->last);
        }
        if (clear) {
            if (k % ALWAYS_TESTED == 0 && (!test(look, (double)k / NC_AUDIT_SAMPLES) || look->found->hit))
                return false;
            continue;
        }
        if (!test_pair(look, k))
            return false;
        looked_at = k;
    }
    return true;
}

static void test_along(pair_test *look)
{
    const double limit = near_limit(look);
    look->nearest = (sighting){.t = -1, .apart = limit};
    look->reach = REACH * limit;
    if (!test_samples(look))
        return;
    // From one sample before the nearest to one after it; times of the step only.
    const double nearest_t = look->nearest.t;
    for (int k = 0; nearest_t > 0 && k < NC_AUDIT_SAMPLES; k++) {
        const double t = nearest_t + (2.0 * (k + 0.5) / NC_AUDIT_SAMPLES - 1.0) / NC_AUDIT_SAMPLES;
        if (t > 0 && t < 1 && place(look, t) && !is_clear(look, &look->nearest) && (!test(look, t) || look->found->hit))
            return;
    }
}

// ---- all pairs ----------------------------------------------------------------------------------------------

typedef struct path_audit {
    const nc_audit_mover *movers;
    nc_pairs pairs;
    finding *found;  // of each pair
    nc_share *share; // NULL: none
} path_audit;

static void test_range(int begin, int end, void *ctx)
{
    path_audit *audit = ctx;
    for (int k = begin; k < end; k++) {
        if (audit->share != NULL && !nc_share_is_mine(audit->share, k))
            continue;
        const nc_pair pair = audit->pairs.data[k];
        pair_test look = {.a = &audit->movers[pair.a], .b = &audit->movers[pair.b], .found = &audit->found[k]};
        test_along(&look);
    }
}

void nc_audit_keep_pairs(nc_pairs *pairs, nc_audit_filter filter, void *ctx)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++)
        if (filter == NULL || filter(pairs->data[k].a, pairs->data[k].b, ctx))
            pairs->data[kept++] = pairs->data[k];
    pairs->count = kept;
}

static nc_code sweep_boxes(path_audit *audit, int count, const nc_allocator *memory, nc_error *err)
{
    nc_box *boxes = nc_alloc(memory, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *boxes);
    for (int i = 0; i < count; i++) {
        const nc_mesh_data mesh = nc_mesh_view(audit->movers[i].mesh);
        boxes[i] = nc_path_swept_box_of(audit->movers[i].path, mesh.box, mesh.radius, 0, 1);
    }
    const nc_code code = nc_broad_overlaps(boxes, count, memory, &audit->pairs, err);
    nc_free(memory, boxes, (size_t)count, sizeof *boxes);
    return code;
}

static nc_code collect(const path_audit *audit, nc_path_hit *out, int capacity, int *out_count, nc_error *err)
{
    for (int k = 0; k < audit->pairs.count; k++) {
        const nc_pair pair = audit->pairs.data[k];
        const finding *found = &audit->found[k];
        if (found->code != NC_OK)
            return nc_fail(err, found->code, "bodies %d and %d cannot be tested: their coordinates are out of range",
                           pair.a, pair.b);
        if (found->hit && *out_count < capacity)
            out[*out_count] = (nc_path_hit){pair.a, pair.b, found->t, found->where};
        *out_count += found->hit;
    }
    return NC_OK;
}

static nc_code test_all(path_audit *audit, int workers, nc_error *err)
{
    const int count = audit->pairs.count;
    nc_code code = NC_OK;
    if (!nc_share_is_on(audit->share) || count < NC_EFFORT_SHARE_TESTS)
        audit->share = NULL;
    else if (!nc_share_deal(audit->share, count, false, NULL, NULL))
        return nc_share_check(audit->share, err);
    nc_parallel_for(workers, count, PAIRS_PER_BLOCK, test_range, audit);
    if (audit->share != NULL)
        code = nc_audit_exchange(audit->share, audit->found, count, sizeof *audit->found, err);
    return code;
}

nc_code nc_audit_paths(const nc_audit_mover *movers, int count, nc_audit_filter filter, void *ctx,
                       nc_audit_workers workers, const nc_allocator *allocator, nc_path_hit *out, int capacity,
                       int *out_count, nc_error *err)
{
    *out_count = 0;
    if (count < 2)
        return NC_OK;
    const nc_allocator memory = nc_allocator_or_default(allocator);
    path_audit audit = {.movers = movers, .share = workers.share};
    nc_code code = sweep_boxes(&audit, count, &memory, err);
    if (code == NC_OK)
        nc_audit_keep_pairs(&audit.pairs, filter, ctx);
    const size_t pairs = (size_t)audit.pairs.count;
    if (code == NC_OK && pairs > 0) {
        audit.found = nc_alloc(&memory, pairs, sizeof *audit.found);
        if (audit.found == NULL) {
            code = nc_fail_memory(err, pairs * sizeof *audit.found);
        } else {
            code = test_all(&audit, workers.threads, err);
            if (code == NC_OK)
                code = collect(&audit, out, capacity, out_count, err);
        }
    }
    nc_free(&memory, audit.found, pairs, sizeof *audit.found);
    nc_pairs_free(&audit.pairs, &memory);
    return code;
}
