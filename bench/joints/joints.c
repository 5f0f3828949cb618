// nacre bench joints: a chain, a gripper and ragdolls in a bowl, simulated by Nacre and by Bullet in turns.
#include "bench/joints/joints.h"
#include "bench/peer.h"

#include "nacre/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct contest {
    const char *name, *label;
    const char *scene; // file; NULL: ragdolls
    int64_t steps;
    const char *watched; // a body whose height at the end is reported; NULL: none
    int ragdolls;        // at most
} contest;

static const contest contests[] = {
    {"joints, chain", "A chain of 100 hinged links that carries 1000 times a link", "chain.yaml", 480, "load", 0},
    {"joints, gripper", "A gripper with sliders of limited force lifts a box", "gripper.yaml", 360, "box", 0},
    {"joints, 10 ragdolls", "Ragdolls fall into a bowl", NULL, 240, NULL, 10},
    {"joints, ragdolls", "Ragdolls fall into a bowl", NULL, 240, NULL, 100},
};
#define CONTESTS ((int)(sizeof contests / sizeof *contests))

typedef struct joints_bench {
    const contest *contest;
    nc_scene *scene;
    nc_scene_settings settings;
    nc_world *start; // never stepped
    nc_world *world; // that is being stepped
    nc_pose *poses;
    nc_peer peer;
    nc_joints_row row;
    double ours_seconds, peer_seconds;
    nc_code code; // of measuring a step
    nc_error *err;
} joints_bench;

// ---- the two sides ------------------------------------------------------------------------------------------

static nc_code add_frame(joints_bench *b, nc_joints_trace *trace, nc_error *err)
{
    return nc_joints_trace_add(trace, b->start, b->settings.bounds, b->contest->watched, b->poses, err);
}

static void see_step(const nc_step_report *report, void *ctx)
{
    joints_bench *b = ctx;
    (void)report;
    nc_bench_poses(b->world, b->poses);
    if (b->code == NC_OK)
        b->code = add_frame(b, &b->row.nacre, b->err);
}

static nc_code run_nacre(void *ctx, nc_error *err)
{
    joints_bench *b = ctx;
    nc_bench_steps steps;
    b->row.nacre = (nc_joints_trace){.all_steps = b->row.steps};
    b->err = err;
    nc_code code = nc_bench_build(b->scene, &b->settings, &b->world, err);
    if (code == NC_OK)
        code = nc_bench_step(b->world, b->settings.timestep, b->row.steps, see_step, b, &steps, err);
    if (code == NC_OK) {
        code = b->code;
        b->ours_seconds = steps.cpu;
        nc_say(false, "nacre: %s: %.2f ms per step", b->contest->name, 1e3 * steps.cpu / (double)b->row.steps);
    }
    nc_world_destroy(b->world);
    b->world = NULL;
    return code;
}

static nc_code read_poses(joints_bench *b, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < b->row.bodies && code == NC_OK; i++) {
        double n[7];
        code = nc_peer_numbers(&b->peer, n, 7, err);
        b->poses[i] = (nc_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
    }
    return code;
}

static nc_code run_peer(void *ctx, nc_error *err)
{
    joints_bench *b = ctx;
    char job[64];
    double contacts;
    snprintf(job, sizeof job, "run %lld", (long long)b->row.steps);
    nc_code code = nc_peer_request(&b->peer, job, &b->peer_seconds, &contacts, err);
    if (code == NC_OK)
        code = read_poses(b, err);
    if (code == NC_OK)
        nc_say(false, "%s: %s: %.2f ms per step", b->peer.about, b->contest->name,
               1e3 * b->peer_seconds / (double)b->row.steps);
    return code;
}

// The same run again, not timed, with the poses of every step.
static nc_code follow_peer(joints_bench *b, nc_error *err)
{
    char job[64];
    nc_code code = NC_OK;
    snprintf(job, sizeof job, "follow %lld", (long long)b->row.steps);
    nc_peer_send(&b->peer, job);
    b->row.other = (nc_joints_trace){.all_steps = b->row.steps};
    for (int64_t i = 0; i < b->row.steps && code == NC_OK; i++) {
        double seconds_and_contacts[2];
        code = nc_peer_numbers(&b->peer, seconds_and_contacts, 2, err);
        if (code == NC_OK)
            code = read_poses(b, err);
        if (code == NC_OK)
            code = add_frame(b, &b->row.other, err);
    }
    return code;
}

// ---- making them --------------------------------------------------------------------------------------------

static int ragdolls_of(const contest *c, const nc_bench_options *options)
{
    return options->boats > 0 && options->boats < c->ragdolls ? options->boats : c->ragdolls;
}

static nc_code load(joints_bench *b, const nc_bench_options *options, nc_error *err)
{
    char text[NC_BENCH_SCENE_SIZE], path[1200];
    const nc_allocator allocator = nc_allocator_default();
    nc_scene_def def = {.path = path};
    if (b->contest->scene == NULL) {
        nc_joints_ragdolls_text(ragdolls_of(b->contest, options), text);
        def = (nc_scene_def){.path = "ragdolls", .text = text, .text_size = strlen(text)};
    } else {
        snprintf(path, sizeof path, "%.1000s/%s", options->scenes, b->contest->scene);
    }
    nc_code code = nc_scene_load(&def, &b->scene, err);
    if (code != NC_OK)
        return code;
    b->settings = nc_scene_view(b->scene);
    b->settings.world.workers = 1;
    code = nc_bench_build(b->scene, &b->settings, &b->start, err);
    if (code != NC_OK)
        return code;
    const int bodies = nc_world_body_count(b->start);
    b->row.bodies = bodies;
    b->row.joints = nc_world_joint_count(b->start);
    b->row.timestep = b->settings.timestep;
    b->row.ragdolls = ragdolls_of(b->contest, options);
    b->row.steps = b->contest->steps;
    if (options->steps > 0 && options->steps < b->row.steps)
        b->row.steps = options->steps;
    b->poses = nc_alloc(&allocator, (size_t)bodies, sizeof *b->poses);
    return b->poses != NULL ? NC_OK : nc_fail_memory(err, (size_t)bodies * sizeof *b->poses);
}

static nc_code start_peer(joints_bench *b, const nc_bench_options *options, nc_error *err)
{
    char path[256];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/nacre-bench-%ld.joints", temporary != NULL ? temporary : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s'", path);
    nc_code code = nc_joints_write_task(b->start, b->settings.timestep, b->settings.world.rest_distance, file, err);
    if (fclose(file) != 0 && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s'", path);
    if (code == NC_OK)
        code = nc_peer_start(&b->peer, options->peers, "bullet_joints", path, err);
    unlink(path); // it has read it when it is ready
    snprintf(b->row.about, sizeof b->row.about, "%s", b->peer.about);
    return code;
}

// ---- the comparison -----------------------------------------------------------------------------------------

typedef struct joints_figure {
    const char *name, *name_of_peer;
    const char *unit;
    double value;
} joints_figure;

static void add_figures(nc_bench_result *r, const nc_joints_trace *t, bool of_peer)
{
    const joints_figure figures[] = {
        {"joint_error", "joint_error_of_peer", "m", t->most.distance},
        {"joint_error_at_the_end", "joint_error_at_the_end_of_peer", "m", t->end.distance},
        {"axis_angle", "axis_angle_of_peer", "rad", t->most.angle},
        {"axis_angle_at_the_end", "axis_angle_at_the_end_of_peer", "rad", t->end.angle},
        {"past_limits", "past_limits_of_peer", "rad", t->most.limit},
        {"intersecting_pairs", "intersecting_pairs_of_peer", "1", t->most_pairs},
        {"intersecting_pairs_at_the_end", "intersecting_pairs_at_the_end_of_peer", "1",
         t->at_end.in_dynamic + t->at_end.in_static},
        {"frames_with_intersections", "frames_with_intersections_of_peer", "1", t->bad},
        {"escaped", "escaped_of_peer", "1", t->at_end.escaped},
        {"height_at_the_end", "height_at_the_end_of_peer", "m", t->height}, // NaN: not measured
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!isnan(figures[i].value))
            nc_bench_add_figure(r, of_peer ? figures[i].name_of_peer : figures[i].name, figures[i].value,
                                figures[i].unit);
}

static nc_code compare(joints_bench *b, int rounds, nc_bench_result *r, nc_error *err)
{
    nc_bench_pair pair = {.name = b->contest->name,
                          .ours = {"nacre, a step on one thread", run_nacre, &b->ours_seconds},
                          .peer = {"Bullet, a step", run_peer, &b->peer_seconds},
                          .ctx = b,
                          .peer_share = 1,
                          .clock = NC_CLOCK_CPU,
                          .no_warm_up = true,
                          .items = (double)b->row.steps};
    if (b->peer.pid == 0)
        pair.peer.work = NULL;
    snprintf(pair.note, sizeof pair.note,
             "%s; %s: %d bodies, %d joints, %lld steps of %.6g s from the same start, processor time; errors after "
             "every step, intersections of %d frames, exactly",
             b->peer.about, b->settings.title, b->row.bodies, b->row.joints, (long long)b->row.steps, b->row.timestep,
             NC_JOINTS_JUDGED);
    nc_code code = nc_bench_compare(&pair, rounds, r, err);
    if (code == NC_OK && b->peer.pid != 0)
        code = follow_peer(b, err);
    if (code != NC_OK)
        return code;
    add_figures(r, &b->row.nacre, false);
    if (b->peer.pid != 0)
        add_figures(r, &b->row.other, true);
    b->row.ours = r->ours_median / (double)b->row.steps;
    b->row.peer = r->peer_median / (double)b->row.steps;
    return NC_OK;
}

static nc_code run_contest(const contest *c, const nc_bench_options *options, nc_bench_result *r, nc_joints_row *row,
                           nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    joints_bench b = {.contest = c, .row = {.label = c->label}};
    nc_code code = load(&b, options, err);
    if (code == NC_OK)
        code = start_peer(&b, options, err);
    if (code == NC_OK)
        code = compare(&b, options->rounds, r, err);
    *row = b.row;
    nc_peer_stop(&b.peer);
    nc_free(&allocator, b.poses, (size_t)b.row.bodies, sizeof *b.poses);
    nc_world_destroy(b.start);
    nc_scene_destroy(b.scene);
    return code;
}

nc_code nc_bench_joints(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    nc_joints_row rows[CONTESTS];
    nc_code code = NC_OK;
    bool cut_short = false;
    for (*out_count = 0; *out_count < CONTESTS && code == NC_OK; *out_count += code == NC_OK) {
        code = run_contest(&contests[*out_count], options, &out[*out_count], &rows[*out_count], err);
        const contest *c = &contests[*out_count];
        cut_short =
            cut_short || ragdolls_of(c, options) < c->ragdolls || (code == NC_OK && rows[*out_count].steps < c->steps);
    }
    return code == NC_OK ? nc_joints_write_page(options->results, rows, CONTESTS, cut_short, err) : code;
}
