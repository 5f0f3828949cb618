// Boats fall into a bowl: Nacre's step against another simulator's, from the same start, in turns.
#include "bench/peer.h"
#include "bench/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARGIN 0.01 // [m] what a peer puts around shapes: Nacre's rest distance

typedef struct boats_bench {
    nc_scene *scene;
    nc_scene_settings settings;
    nc_world *start; // never stepped
    int64_t steps;
    int bodies;
    nc_pose *poses;
    nc_peer peer;
    double ours_seconds, peer_seconds, peer_contacts;
    nc_bench_steps ours;
    nc_bench_end ours_end, peer_end;
} boats_bench;

static void print_row(const boats_bench *b, const char *who, double seconds, const nc_bench_end *end)
{
    nc_say(false, "%s: %.2f ms per step, %d escaped, %d pairs of boats inside each other, %d in the bowl or the ground",
           who, 1e3 * seconds / (double)b->steps, end->escaped, end->in_dynamic, end->in_static);
}

// ---- the two sides ------------------------------------------------------------------------------------------

static nc_code run_nacre(void *ctx, nc_error *err)
{
    boats_bench *b = ctx;
    nc_world *world = NULL;
    nc_code code = nc_bench_build(b->scene, &b->settings, &world, err);
    if (code == NC_OK)
        code = nc_bench_step(world, b->settings.timestep, b->steps, NULL, NULL, &b->ours, err);
    if (code == NC_OK) {
        nc_bench_poses(world, b->poses);
        code = nc_bench_judge(world, b->settings.bounds, b->poses, &b->ours_end, err);
    }
    b->ours_seconds = b->ours.cpu;
    if (code == NC_OK)
        print_row(b, "nacre", b->ours.cpu, &b->ours_end);
    nc_world_destroy(world);
    return code;
}

static nc_code run_peer(void *ctx, nc_error *err)
{
    boats_bench *b = ctx;
    char job[64];
    snprintf(job, sizeof job, "run %lld", (long long)b->steps);
    nc_code code = nc_peer_request(&b->peer, job, &b->peer_seconds, &b->peer_contacts, err);
    for (int i = 0; i < b->bodies && code == NC_OK; i++) {
        double n[7];
        code = nc_peer_numbers(&b->peer, n, 7, err);
        b->poses[i] = (nc_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
    }
    if (code == NC_OK)
        code = nc_bench_judge(b->start, b->settings.bounds, b->poses, &b->peer_end, err);
    if (code == NC_OK)
        print_row(b, b->peer.about, b->peer_seconds, &b->peer_end);
    return code;
}

// ---- making them --------------------------------------------------------------------------------------------

static nc_code load(boats_bench *b, const nc_bench_options *options, nc_error *err)
{
    char text[NC_BENCH_SCENE_SIZE];
    nc_bench_boats_text(options->boats > 0 ? options->boats : 1000, text);
    nc_scene_def def = {.path = "boats", .text = text, .text_size = strlen(text)};
    if (options->scene != NULL)
        def = (nc_scene_def){.path = options->scene};
    nc_code code = nc_scene_load(&def, &b->scene, err);
    if (code != NC_OK)
        return code;
    b->settings = nc_scene_view(b->scene);
    b->settings.world.workers = 1;
    code = nc_bench_build(b->scene, &b->settings, &b->start, err);
    if (code != NC_OK)
        return code;
    const nc_allocator allocator = nc_allocator_default();
    b->bodies = nc_world_body_count(b->start);
    b->poses = nc_alloc(&allocator, (size_t)b->bodies, sizeof *b->poses);
    return b->poses != NULL ? NC_OK : nc_fail_memory(err, (size_t)b->bodies * sizeof *b->poses);
}

static nc_code start_peer(boats_bench *b, const nc_bench_options *options, nc_error *err)
{
    char path[256], program[32];
    const char *temporary = getenv("TMPDIR");
    snprintf(program, sizeof program, "%.20s_world", options->peer);
    snprintf(path, sizeof path, "%.200s/nacre-bench-%ld.world", temporary != NULL ? temporary : "/tmp", (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s'", path);
    nc_bench_write_world(b->start, b->settings.timestep, MARGIN, file);
    nc_code code = fclose(file) == 0 ? NC_OK : nc_fail(err, NC_IO, "cannot write '%s'", path);
    if (code == NC_OK)
        code = nc_peer_start(&b->peer, options->peers, program, path, err);
    unlink(path); // it has read it when it is ready
    return code;
}

// ---- the comparison -----------------------------------------------------------------------------------------

// What the last run of each side came to, and where Nacre's wall time went.
static void add_figures(const boats_bench *b, nc_bench_result *r)
{
    nc_bench_add_figure(r, "escaped", b->ours_end.escaped, "1");
    nc_bench_add_figure(r, "intersecting_pairs", b->ours_end.in_dynamic, "1");
    nc_bench_add_figure(r, "in_bowl_or_ground", b->ours_end.in_static, "1");
    if (b->peer.pid != 0) {
        nc_bench_add_figure(r, "escaped_of_peer", b->peer_end.escaped, "1");
        nc_bench_add_figure(r, "intersecting_pairs_of_peer", b->peer_end.in_dynamic, "1");
        nc_bench_add_figure(r, "in_bowl_or_ground_of_peer", b->peer_end.in_static, "1");
        nc_bench_add_figure(r, "contacts_of_peer_in_the_last_step", b->peer_contacts, "1");
    }
    for (int i = 0; nc_bench_phase(i) != NULL; i++)
        nc_bench_add_figure(r, nc_bench_phase(i), nc_bench_total(&b->ours, nc_bench_phase(i)), "s");
    static const char *const counts[] = {"pairs",       "sweeps", "collisions", "contacts", "contact_iterations",
                                         "unconverged", "sticks", "halts"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        nc_bench_add_figure(r, counts[i], nc_bench_total(&b->ours, counts[i]), "1");
    nc_bench_add_figure(r, "smallest_distance", nc_bench_total(&b->ours, "smallest_distance"), "m");
}

static nc_code compare(boats_bench *b, const nc_bench_options *options, nc_bench_result *r, nc_error *err)
{
    nc_bench_pair pair = {
        .name = "boats into a bowl",
        .ours = {"nacre, a step on one thread", run_nacre, &b->ours_seconds},
        .peer = {strcmp(options->peer, "ode") == 0 ? "ODE, a step" : "Bullet, a step", run_peer, &b->peer_seconds},
        .ctx = b,
        .peer_share = 1,
        .clock = NC_CLOCK_CPU,
        .no_warm_up = true,
        .items = (double)b->steps};
    if (b->peer.pid == 0)
        pair.peer.work = NULL;
    snprintf(pair.note, sizeof pair.note,
             "%s; %s: %d bodies, %lld steps of %.6g s from the same start, processor time; intersections at the end, "
             "exactly; the seconds are wall time of all steps",
             b->peer.about, b->settings.title[0] != '\0' ? b->settings.title : "the scene", b->bodies,
             (long long)b->steps, b->settings.timestep);
    const nc_code code = nc_bench_compare(&pair, options->rounds, r, err);
    if (code == NC_OK)
        add_figures(b, r);
    return code;
}

nc_code nc_bench_boats(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    boats_bench b = {.steps = options->steps > 0 ? options->steps : 200};
    nc_code code = load(&b, options, err);
    if (code == NC_OK)
        code = start_peer(&b, options, err);
    if (code == NC_OK)
        code = compare(&b, options, out, err);
    *out_count = code == NC_OK;
    nc_peer_stop(&b.peer);
    nc_world_destroy(b.start);
    nc_scene_destroy(b.scene);
    nc_free(&allocator, b.poses, (size_t)b.bodies, sizeof *b.poses);
    return code;
}
