// Stored paths, judged: exactly where two bodies cross, conservatively where they do not.
#include "reel/reel.h"

#include "narrow/narrow.h"
#include "run/run.h"

#define PAIRS_PER_BLOCK 4

// A body in a step.
typedef struct actor {
    int body;
    nc_path path;
} actor;

typedef struct judge {
    nc_reel *reel;
    int workers;
    nc_path_listener listener;
    void *ctx;
    nc_path_summary *sum;
    double floor;        // [m]
    int64_t frame, step; // under way
    nc_pose *pose;       // by body: where it was at the end of the last step
    bool *known;         // by body: that is known
    nc_run_path *paths;  // of the step
    actor *actors;       // of the step, by body; room for all bodies
    nc_audit_mover *movers;
    nc_path_hit *hits;
    int hit_capacity;
    int actor_count;
} judge;

static void find(const judge *j, nc_path_finding_kind kind, int a, int b, double t, const nc_intersection *where)
{
    nc_path_finding finding = {.kind = kind, .frame = j->frame, .step = j->step, .a = a, .b = b, .t = t};
    if (where != NULL)
        finding.where = *where;
    j->listener(&finding, j->ctx);
}

static bool same_pose(nc_pose p, nc_pose q)
{
    return p.x.x == q.x.x && p.x.y == q.x.y && p.x.z == q.x.z && p.q.w == q.q.w && p.q.x == q.q.x && p.q.y == q.q.y &&
           p.q.z == q.q.z;
}

// ---- one step: who moves how --------------------------------------------------------------------------------

static bool is_there(const nc_run_body *body, int64_t step)
{
    return body->born_step < step && (body->gone_step < 0 || body->gone_step >= step);
}

// The bodies of the step: static ones stay, others follow their paths, which must begin where they were.
static void cast(judge *j, int path_count)
{
    int next = 0;
    j->actor_count = 0;
    for (int body = 0; body < j->reel->info.body_count; body++) {
        const nc_run_body *about = &j->reel->bodies[body];
        actor *who = &j->actors[j->actor_count];
        while (next < path_count && j->paths[next].body < body)
            next++;
        if (next < path_count && j->paths[next].body == body) {
            *who = (actor){body, nc_run_path_motion(&j->paths[next])};
            if (j->known[body] && !same_pose(j->pose[body], who->path.start))
                find(j, NC_PATH_JUMPS, body, -1, 0, NULL);
            j->pose[body] = nc_path_pose(&who->path, 1);
            j->known[body] = true;
            j->actor_count++;
        } else if (j->known[body] && is_there(about, j->step)) {
            if (about->type != NC_STATIC)
                find(j, NC_PATH_MISSING, body, -1, 0, NULL);
            *who = (actor){body, nc_path_still(j->pose[body])};
            j->actor_count++;
        }
    }
    for (int i = 0; i < j->actor_count; i++) {
        const nc_run_body *about = &j->reel->bodies[j->actors[i].body];
        j->movers[i] = (nc_audit_mover){j->reel->meshes[about->mesh], &j->actors[i].path};
    }
}

static bool pair_matters(int a, int b, void *ctx)
{
    const judge *j = ctx;
    const int body_a = j->actors[a].body, body_b = j->actors[b].body;
    const bool moves = j->reel->bodies[body_a].type != NC_STATIC || j->reel->bodies[body_b].type != NC_STATIC;
    return moves && nc_run_pair_matters(j->reel->run, body_a, body_b);
}

// ---- one step: crossings ------------------------------------------------------------------------------------

static nc_code find_crossings(judge *j, int *out_count, nc_error *err)
{
    const nc_allocator *memory = &j->reel->allocator;
    for (;;) {
        const nc_code code =
            nc_audit_paths(j->movers, j->actor_count, pair_matters, j, (nc_audit_workers){j->workers, NULL}, memory,
                           j->hits, j->hit_capacity, out_count, err);
        if (code != NC_OK || *out_count <= j->hit_capacity)
            break;
        nc_path_hit *more = nc_realloc(memory, j->hits, (size_t)j->hit_capacity, (size_t)*out_count, sizeof *j->hits);
        if (more == NULL)
            return nc_fail_memory(err, (size_t)*out_count * sizeof *more);
        j->hits = more;
        j->hit_capacity = *out_count;
    }
    for (int k = 0; k < *out_count; k++) {
        const nc_path_hit *hit = &j->hits[k];
        find(j, NC_PATH_CROSSES, j->actors[hit->a].body, j->actors[hit->b].body, hit->t, &hit->where);
    }
    return NC_OK;
}

static bool crosses(const judge *j, nc_pair pair, int hit_count)
{
    for (int k = 0; k < hit_count; k++)
        if (j->hits[k].a == pair.a && j->hits[k].b == pair.b)
            return true;
    return false;
}

// ---- one step: proofs ---------------------------------------------------------------------------------------

typedef struct proofs {
    const judge *judge;
    const nc_pair *pairs;
    nc_sweep_result *results;
} proofs;

static void prove_range(int begin, int end, void *ctx)
{
    const proofs *p = ctx;
    const double floor = p->judge->floor;
    const nc_mesh_sweep_options options = {
        .gap = {.floor = 0}, .tolerance = NC_SWEEP_TOLERANCE_FLOORS * floor, .limit = NC_SWEEP_EVALUATIONS};
    for (int k = begin; k < end; k++) {
        const nc_audit_mover *a = &p->judge->movers[p->pairs[k].a], *b = &p->judge->movers[p->pairs[k].b];
        p->results[k] = nc_sweep_meshes(a->mesh, a->path, b->mesh, b->path, 0, 1, &options, NULL);
    }
}

static nc_code overlapping(judge *j, nc_pairs *out, nc_error *err)
{
    const nc_allocator *memory = &j->reel->allocator;
    const size_t count = (size_t)j->actor_count;
    nc_box *boxes = nc_alloc(memory, count, sizeof *boxes);
    if (boxes == NULL)
        return nc_fail_memory(err, count * sizeof *boxes);
    for (int i = 0; i < j->actor_count; i++) {
        const nc_mesh_data mesh = nc_mesh_view(j->movers[i].mesh);
        boxes[i] = nc_path_swept_box_of(j->movers[i].path, mesh.box, mesh.radius, 0, 1);
    }
    const nc_code code = nc_broad_overlaps(boxes, j->actor_count, memory, out, err);
    nc_free(memory, boxes, count, sizeof *boxes);
    int kept = 0;
    for (int k = 0; k < out->count; k++)
        if (pair_matters(out->data[k].a, out->data[k].b, j))
            out->data[kept++] = out->data[k];
    out->count = kept;
    return code;
}

// Sweeps all pairs, and reports those that are neither proven apart nor known to cross.
static nc_code prove(judge *j, int hit_count, nc_error *err)
{
    const nc_allocator *memory = &j->reel->allocator;
    nc_pairs pairs = {0};
    proofs p = {.judge = j};
    nc_code code = overlapping(j, &pairs, err);
    const size_t count = (size_t)pairs.count;
    if (code == NC_OK && count > 0 && (p.results = nc_alloc(memory, count, sizeof *p.results)) == NULL)
        code = nc_fail_memory(err, count * sizeof *p.results);
    if (code == NC_OK && count > 0) {
        p.pairs = pairs.data;
        nc_parallel_for(j->workers, pairs.count, PAIRS_PER_BLOCK, prove_range, &p);
    }
    for (int k = 0; code == NC_OK && k < pairs.count; k++) {
        const nc_pair pair = pairs.data[k];
        j->sum->pairs++;
        if (p.results[k].verdict == NC_CLEAR)
            j->sum->proven++;
        else if (!crosses(j, pair, hit_count))
            find(j, NC_PATH_UNPROVEN, j->actors[pair.a].body, j->actors[pair.b].body, p.results[k].toi, NULL);
    }
    nc_free(memory, p.results, count, sizeof *p.results);
    nc_pairs_free(&pairs, memory);
    return code;
}

static nc_code judge_step(judge *j, nc_error *err)
{
    int count = 0, hits = 0;
    nc_code code = nc_run_read_paths(j->reel->run, j->step, j->paths, j->reel->info.body_count, &count, err);
    if (code != NC_OK)
        return code;
    cast(j, count);
    j->sum->steps++;
    code = find_crossings(j, &hits, err);
    return code == NC_OK ? prove(j, hits, err) : code;
}

// ---- all of them --------------------------------------------------------------------------------------------

// Where the bodies of a frame are. Paths must have led there.
static void take_frame(judge *j, const nc_run_frame *frame, bool first)
{
    for (int i = 0; i < frame->pose_count; i++) {
        const nc_run_pose *pose = &frame->poses[i];
        if (!first && j->known[pose->body] && !same_pose(j->pose[pose->body], pose->pose))
            find(j, NC_PATH_JUMPS, pose->body, -1, 1, NULL);
        j->pose[pose->body] = pose->pose;
        j->known[pose->body] = true;
    }
}

static nc_code judge_frames(judge *j, int64_t first, int64_t last, nc_error *err)
{
    nc_reel *reel = j->reel;
    nc_code code = nc_reel_seek(reel, first, err);
    if (code != NC_OK)
        return code;
    take_frame(j, &reel->frame, true);
    int64_t step = reel->frame.step;
    for (j->frame = first + 1; j->frame <= last && code == NC_OK; j->frame++) {
        code = nc_reel_seek(reel, j->frame, err);
        for (j->step = step + 1; code == NC_OK && j->step <= reel->frame.step; j->step++)
            code = judge_step(j, err);
        if (code != NC_OK)
            break;
        j->step = step = reel->frame.step;
        take_frame(j, &reel->frame, false);
    }
    return code;
}

nc_code nc_reel_check_paths(nc_reel *reel, int64_t first, int64_t last, int workers, nc_path_listener listener,
                            void *ctx, nc_path_summary *out, nc_error *err)
{
    *out = (nc_path_summary){0};
    if ((reel->info.store & NC_STORE_PATHS) == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "the run stores no paths: it has to be made with --store paths");
    const nc_allocator *memory = &reel->allocator;
    const size_t bodies = (size_t)reel->info.body_count + 1;
    judge j = {.reel = reel, .workers = workers, .listener = listener, .ctx = ctx, .sum = out};
    j.floor = nc_run_world_settings(reel->run).floor_distance;
    j.pose = nc_alloc(memory, bodies, sizeof *j.pose);
    j.known = nc_alloc(memory, bodies, sizeof *j.known);
    j.paths = nc_alloc(memory, bodies, sizeof *j.paths);
    j.actors = nc_alloc(memory, bodies, sizeof *j.actors);
    j.movers = nc_alloc(memory, bodies, sizeof *j.movers);
    const bool whole = j.pose != NULL && j.known != NULL && j.paths != NULL && j.actors != NULL && j.movers != NULL;
    const nc_code code = whole ? judge_frames(&j, first, last, err) : nc_fail_memory(err, bodies * sizeof *j.actors);
    nc_free(memory, j.pose, bodies, sizeof *j.pose);
    nc_free(memory, j.known, bodies, sizeof *j.known);
    nc_free(memory, j.paths, bodies, sizeof *j.paths);
    nc_free(memory, j.actors, bodies, sizeof *j.actors);
    nc_free(memory, j.movers, bodies, sizeof *j.movers);
    nc_free(memory, j.hits, (size_t)j.hit_capacity, sizeof *j.hits);
    return code;
}
