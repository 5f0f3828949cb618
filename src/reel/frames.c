// The exact intersection test on frames. They are read one after the other and tested in parallel.
#include "reel/reel.h"

#include "geom/geom.h"

#include <inttypes.h>
#include <stdio.h>

#define FRAMES_PER_WORKER 4
#define FIRST_CAPACITY    64

// ---- frames of a run ----------------------------------------------------------------------------------------

static nc_code read_reel(void *ctx, int64_t frame, nc_audit_picture *out, nc_error *err)
{
    nc_reel *reel = ctx;
    const nc_code code = nc_reel_seek(reel, frame, err);
    if (code != NC_OK)
        return code;
    out->time = reel->frame.time;
    out->count = reel->frame.pose_count;
    for (int i = 0; i < out->count; i++) {
        const nc_run_pose *pose = &reel->frame.poses[i];
        nc_mesh *mesh = reel->meshes[reel->bodies[pose->body].mesh];
        out->items[i] = (nc_audit_item){reel->first != NULL ? nc_mesh_retain(mesh) : mesh, pose->pose};
        out->ids[i] = pose->body;
    }
    return NC_OK;
}

// Examines nothing but the table of bodies.
static bool one_can_move(const void *ctx, int a, int b)
{
    const nc_run_body *bodies = ((const nc_reel *)ctx)->bodies;
    return bodies[a].type != NC_STATIC || bodies[b].type != NC_STATIC;
}

static bool is_not_exempt(const void *ctx, int a, int b)
{
    return nc_run_pair_matters(((const nc_reel *)ctx)->run, a, b);
}

static bool is_cloth(const void *ctx, int body)
{
    return ((const nc_reel *)ctx)->bodies[body].cloth;
}

nc_audit_source nc_reel_source(nc_reel *reel)
{
    return (nc_audit_source){.body_count = reel->info.body_count,
                             .retains_meshes = reel->first != NULL,
                             .read = read_reel,
                             .can_intersect = one_can_move,
                             .matters = is_not_exempt,
                             .folds = is_cloth,
                             .ctx = reel};
}

// ---- one frame ----------------------------------------------------------------------------------------------

// A frame that was read, its test. Memory is kept from frame to frame.
typedef struct job {
    const nc_audit_source *source;
    int64_t frame;
    nc_audit_picture picture;
    nc_audit_hit *hits;
    int hit_capacity;
    int hit_count;
    nc_code code;
    nc_error err;
} job;

// Called by several threads at once: memory is the default allocator's throughout.
static nc_audit_hit *resize_hits(const job *j, size_t count)
{
    const nc_allocator allocator = nc_allocator_default();
    return nc_realloc(&allocator, j->hits, (size_t)j->hit_capacity, count, sizeof *j->hits);
}

static bool items_can_intersect(int a, int b, void *ctx)
{
    const job *j = ctx;
    return j->source->can_intersect(j->source->ctx, j->picture.ids[a], j->picture.ids[b]);
}

static nc_code job_test(job *j)
{
    const nc_allocator allocator = nc_allocator_default();
    return nc_audit_poses(j->picture.items, j->picture.count, items_can_intersect, j, NULL, &allocator, j->hits,
                          j->hit_capacity, &j->hit_count, &j->err);
}

// Adds a hit for each cloth that intersects itself, with the first place where it does. Only cloth has the identity as
// pose.
static nc_code test_folds(job *j)
{
    nc_code code = NC_OK;
    for (int i = 0; i < j->picture.count && code == NC_OK; i++) {
        if (j->source->folds == NULL || !j->source->folds(j->source->ctx, j->picture.ids[i]))
            continue;
        const nc_mesh_data mesh = nc_mesh_view(j->picture.items[i].mesh);
        const nc_element_set set = {.vertices = mesh.vertices,
                                    .vertex_count = mesh.vertex_count,
                                    .triangles = mesh.triangles,
                                    .triangle_count = mesh.triangle_count,
                                    .points = mesh.points,
                                    .point_count = mesh.point_count};
        nc_audit_hit hit = {.a = i, .b = i};
        int64_t count = 0;
        code = nc_elements_intersect(&set, NULL, 1, &hit.where, 1, &count, &j->err);
        if (code != NC_OK || count == 0)
            continue;
        nc_audit_hit *hits = resize_hits(j, (size_t)j->hit_count + 1);
        if (hits == NULL)
            return nc_fail_memory(&j->err, ((size_t)j->hit_count + 1) * sizeof *hits);
        j->hits = hits;
        j->hits[j->hit_count++] = hit;
        j->hit_capacity = j->hit_count;
    }
    return code;
}

// Tests the frame; once more when there are more hits than there was room for.
static void job_test_pairs(job *j)
{
    j->code = job_test(j);
    if (j->code != NC_OK || j->hit_count <= j->hit_capacity)
        return;
    const size_t size = (size_t)j->hit_count * sizeof *j->hits;
    nc_audit_hit *hits = resize_hits(j, (size_t)j->hit_count);
    if (hits == NULL) {
        j->code = nc_fail_memory(&j->err, size);
        return;
    }
    j->hits = hits;
    j->hit_capacity = j->hit_count;
    j->code = job_test(j);
}

static void job_run(job *j)
{
    job_test_pairs(j);
    if (j->code == NC_OK)
        j->code = test_folds(j);
}

static nc_code job_read(job *j, int64_t frame, nc_error *err)
{
    j->frame = frame;
    j->picture.count = 0;
    return j->source->read(j->source->ctx, frame, &j->picture, err);
}

static void job_release(job *j)
{
    for (int i = 0; i < j->picture.count && j->source->retains_meshes; i++)
        nc_mesh_release((nc_mesh *)j->picture.items[i].mesh);
    j->picture.count = 0;
}

// Body ids for item numbers, without the pairs that do not matter.
static void job_sift(job *j)
{
    const nc_audit_source *source = j->source;
    int kept = 0;
    for (int i = 0; i < j->hit_count; i++) {
        nc_audit_hit hit = j->hits[i];
        hit.a = j->picture.ids[hit.a];
        hit.b = j->picture.ids[hit.b];
        if (source->matters == NULL || source->matters(source->ctx, hit.a, hit.b))
            j->hits[kept++] = hit;
    }
    j->hit_count = kept;
}

static nc_code report_job(job *j, nc_audit_listener listener, void *ctx, nc_error *err)
{
    if (j->code != NC_OK) {
        *err = j->err;
        return j->code;
    }
    job_sift(j);
    const nc_frame_audit audit = {j->frame, j->picture.time, j->hits, j->hit_count};
    listener(&audit, ctx);
    return NC_OK;
}

// ---- many frames --------------------------------------------------------------------------------------------

static void free_jobs(job *jobs, int count, size_t bodies)
{
    const nc_allocator allocator = nc_allocator_default();
    for (int i = 0; jobs != NULL && i < count; i++) {
        const job *j = &jobs[i];
        nc_free(&allocator, j->picture.items, bodies, sizeof *j->picture.items);
        nc_free(&allocator, j->picture.ids, bodies, sizeof *j->picture.ids);
        nc_free(&allocator, j->hits, (size_t)j->hit_capacity, sizeof *j->hits);
    }
    nc_free(&allocator, jobs, (size_t)count, sizeof *jobs);
}

static job *make_jobs(const nc_audit_source *source, int count)
{
    const nc_allocator allocator = nc_allocator_default();
    job *jobs = nc_alloc(&allocator, (size_t)count, sizeof *jobs);
    const size_t bodies = (size_t)source->body_count + 1;
    bool whole = jobs != NULL;
    for (int i = 0; whole && i < count; i++) {
        job *j = &jobs[i];
        j->source = source;
        j->hit_capacity = FIRST_CAPACITY;
        j->picture.items = nc_alloc(&allocator, bodies, sizeof *j->picture.items);
        j->picture.ids = nc_alloc(&allocator, bodies, sizeof *j->picture.ids);
        j->hits = nc_alloc(&allocator, FIRST_CAPACITY, sizeof *j->hits);
        whole = j->picture.items != NULL && j->picture.ids != NULL && j->hits != NULL;
    }
    if (whole)
        return jobs;
    free_jobs(jobs, count, bodies);
    return NULL;
}

static void run_jobs(int begin, int end, void *ctx)
{
    job *jobs = ctx;
    for (int i = begin; i < end; i++)
        job_run(&jobs[i]);
}

nc_code nc_audit_frames(const nc_audit_source *source, int64_t first, int64_t last, int workers,
                        nc_audit_listener listener, void *ctx, nc_error *err)
{
    int most = FRAMES_PER_WORKER * nc_worker_count(workers);
    if (most > last - first + 1)
        most = (int)(last - first + 1);
    job *jobs = make_jobs(source, most);
    if (jobs == NULL)
        return nc_fail_memory(err, (size_t)most * (size_t)source->body_count * sizeof *jobs->picture.items);
    nc_code code = NC_OK;
    for (int64_t frame = first; frame <= last && code == NC_OK;) {
        int count = 0;
        for (; count < most && frame <= last && code == NC_OK; count++, frame++)
            code = job_read(&jobs[count], frame, err);
        if (code == NC_OK)
            nc_parallel_for(workers, count, 1, run_jobs, jobs);
        for (int i = 0; i < count && code == NC_OK; i++)
            code = report_job(&jobs[i], listener, ctx, err);
        for (int i = 0; i < count; i++)
            job_release(&jobs[i]);
    }
    free_jobs(jobs, most, (size_t)source->body_count + 1);
    return code;
}

const char *nc_hit_text(const nc_moment *when, const char *const bodies[2], const nc_intersection *where, char *out,
                        size_t out_size)
{
    char a[48], b[48], time[32];
    snprintf(time, sizeof time, "%.6g s", when->time);
    snprintf(out, out_size, "frame %" PRId64 " (%s): %s of %s intersects %s of %s at (%.6g, %.6g, %.6g)", when->frame,
             when->file != NULL ? when->file : time, nc_element_text(where->kind_a, where->element_a, a, sizeof a),
             bodies[0], nc_element_text(where->kind_b, where->element_b, b, sizeof b), bodies[1], where->place.x,
             where->place.y, where->place.z);
    return out;
}
