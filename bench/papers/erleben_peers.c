// Stacks, walls and towers: both pipelines, ISP, Bullet and ODE from the same start (Erleben Figs. 20-27).
#include "bench/papers/erleben.h"

#include "bench/peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct contest {
    const char *label, *scene;
    int64_t steps;
} contest;

static const contest contests[] = {{"stack of 25", "fig09_stack", 400},
                                   {"wall of 200", "fig10_wall", 200},
                                   {"tower of 320", "fig11_tower", 200},
                                   {"tower of 800, block on top", "fig20_tower", 150}};

typedef struct outcome {
    bool known;
    double seconds; // [s] of processor time per step
    nc_erleben_drift drift;
    nc_bench_end end;
} outcome;

static void write_outcome(const nc_erleben *e, const contest *c, const char *who, const outcome *o)
{
    if (!o->known) {
        fprintf(e->page, "| %s | %s | not measured | | | | |\n", c->label, who);
        return;
    }
    fprintf(e->page, "| %s | %s | %.2f ms | %.3g mm | %.3g mm | %d | %d |\n", c->label, who, 1e3 * o->seconds,
            1e3 * o->drift.aside, 1e3 * o->drift.upright, o->drift.displaced, o->end.in_dynamic + o->end.in_static);
    nc_say(false, "%s, %s: %.2f ms per step, %d displaced", c->label, who, 1e3 * o->seconds, o->drift.displaced);
}

static nc_code judge(const nc_erleben_scene *s, const nc_pose *start, const nc_pose *now, outcome *out, nc_error *err)
{
    out->known = true;
    out->drift = nc_erleben_measure(s->world, start, now);
    return nc_bench_judge(s->world, s->settings.bounds, now, &out->end, err);
}

// Poses of all bodies of a world, twice.
static nc_pose *pose_memory(const nc_world *world, nc_error *err)
{
    const size_t count = 2 * (size_t)nc_world_body_count(world);
    nc_pose *poses = calloc(count, sizeof *poses);
    if (poses == NULL)
        nc_fail_memory(err, count * sizeof *poses);
    return poses;
}

static nc_code run_nacre(const nc_erleben *e, const contest *c, const char *set, outcome *out, nc_error *err)
{
    const char *const sets[] = {set, NULL};
    nc_erleben_scene s;
    nc_bench_steps done;
    nc_code code = nc_erleben_open(e, c->scene, sets, c->steps, 1, &s, err);
    if (code != NC_OK)
        return code;
    nc_pose *start = pose_memory(s.world, err), *now = start + nc_world_body_count(s.world);
    code = start != NULL ? NC_OK : NC_OUT_OF_MEMORY;
    if (code == NC_OK) {
        nc_bench_poses(s.world, start);
        code = nc_bench_step(s.world, s.settings.timestep, s.steps, NULL, NULL, &done, err);
    }
    if (code == NC_OK) {
        nc_bench_poses(s.world, now);
        out->seconds = done.cpu / (double)done.steps;
        code = judge(&s, start, now, out, err);
    }
    free(start);
    nc_erleben_close(&s);
    return code;
}

static nc_code start_peer(const nc_erleben *e, const nc_erleben_scene *s, const char *name, nc_peer *peer,
                          nc_error *err)
{
    char path[256], program[32];
    const char *temporary = getenv("TMPDIR");
    snprintf(program, sizeof program, "%.20s_world", name);
    snprintf(path, sizeof path, "%.200s/nacre-bench-%ld.world", temporary != NULL ? temporary : "/tmp", (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s'", path);
    nc_bench_write_world(s->world, s->settings.timestep, s->settings.world.rest_distance, file);
    nc_code code = fclose(file) == 0 ? NC_OK : nc_fail(err, NC_IO, "cannot write '%s'", path);
    if (code == NC_OK)
        code = nc_peer_start(peer, e->options->peers, program, path, err);
    unlink(path); // it has read it when it is ready
    return code;
}

static nc_code ask_peer(nc_peer *peer, const nc_erleben_scene *s, nc_pose *now, double *seconds, nc_error *err)
{
    char job[64];
    double contacts;
    snprintf(job, sizeof job, "run %lld", (long long)s->steps);
    nc_code code = nc_peer_request(peer, job, seconds, &contacts, err);
    for (int i = 0; i < nc_world_body_count(s->world) && code == NC_OK; i++) {
        double n[7];
        code = nc_peer_numbers(peer, n, 7, err);
        now[i] = (nc_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
    }
    return code;
}

static nc_code run_peer(const nc_erleben *e, const contest *c, const char *name, outcome *out, nc_error *err)
{
    nc_erleben_scene s;
    nc_peer peer = {0};
    double seconds = 0;
    nc_code code = nc_erleben_open(e, c->scene, NULL, c->steps, 1, &s, err);
    if (code != NC_OK)
        return code;
    nc_pose *start = pose_memory(s.world, err), *now = start + nc_world_body_count(s.world);
    code = start != NULL ? start_peer(e, &s, name, &peer, err) : NC_OUT_OF_MEMORY;
    if (code == NC_OK && peer.pid != 0) {
        nc_bench_poses(s.world, start);
        code = ask_peer(&peer, &s, now, &seconds, err);
        out->seconds = seconds / (double)s.steps;
        if (code == NC_OK)
            code = judge(&s, start, now, out, err);
    }
    nc_peer_stop(&peer);
    free(start);
    nc_erleben_close(&s);
    return code;
}

// For the screen: VSP with Bullet as its peer, the others as figures.
static void add_result(const nc_erleben *e, const contest *c, const outcome *vsp, const outcome *bullet)
{
    const double peer = bullet->known ? bullet->seconds : NAN;
    nc_bench_result r = {.pair = {.name = c->label,
                                  .ours = {.name = "nacre (vsp), a step on one thread"},
                                  .peer = {.name = "Bullet, a step"},
                                  .peer_share = 1,
                                  .clock = NC_CLOCK_CPU},
                         .rounds = 1,
                         .ours = {vsp->seconds},
                         .peer = {peer},
                         .ours_median = vsp->seconds,
                         .peer_median = peer};
    r.ratio = r.ratio_low = r.ratio_high = peer / vsp->seconds;
    snprintf(r.pair.note, sizeof r.pair.note, "scenes/erleben/%s.yaml; more in erleben.md", c->scene);
    nc_bench_add_figure(&r, "drift", vsp->drift.aside, "m");
    nc_bench_add_figure(&r, "displaced", vsp->drift.displaced, "1");
    nc_bench_add_figure(&r, "displaced_of_peer", bullet->drift.displaced, "1");
    nc_bench_add_figure(&r, "intersecting_pairs_of_peer", bullet->end.in_dynamic + bullet->end.in_static, "1");
    if (*e->result_count < NC_BENCH_PER_KIND)
        e->results[(*e->result_count)++] = r;
}

static nc_code run_contest(const nc_erleben *e, const contest *c, nc_error *err)
{
    static const char *const pipelines[] = {"vsp", "shell", "isp"};
    static const char *const peers[] = {"bullet", "ode"}, *const names[] = {"Bullet", "ODE"};
    outcome ours[3] = {0}, theirs[2] = {0};
    nc_code code = NC_OK;
    for (int k = 0; k < 3 && code == NC_OK; k++) {
        char set[64], who[64];
        snprintf(set, sizeof set, "world.pipeline=%s", pipelines[k]);
        snprintf(who, sizeof who, "Nacre, %s", pipelines[k]);
        code = run_nacre(e, c, set, &ours[k], err);
        if (code == NC_OK)
            write_outcome(e, c, who, &ours[k]);
    }
    for (int k = 0; k < 2 && code == NC_OK; k++) {
        code = run_peer(e, c, peers[k], &theirs[k], err);
        if (code == NC_OK)
            write_outcome(e, c, names[k], &theirs[k]);
    }
    if (code == NC_OK)
        add_result(e, c, &ours[0], &theirs[0]);
    return code;
}

nc_code nc_erleben_peers(const nc_erleben *e, nc_error *err)
{
    nc_code code = NC_OK;
    fputs("\n## Stacks, walls and towers, with peers (Figs. 9 to 11, 20 to 27)\n\nThe same start, time step and "
          "friction; one thread, processor time. Bullet has boxes as boxes "
          "(10 iterations, sleeping allowed), ODE too (QuickStep, 20 iterations). Drift is the farthest that a brick "
          "is from its start, displaced are "
          "bricks farther than a tenth of their size, intersecting pairs are those of our exact oracle on everybody's "
          "poses. "
          "Peers close the gap that Nacre keeps between bricks, so their drift along gravity is at least that. Maya's "
          "simulator and "
          "Novodex, which the paper also has, are not to be had any more. `isp` detects once per step where "
          "the paper's impulse-based shock propagation makes the equivalent of 15 detections: it is weaker than the "
          "paper's, and its rows say nothing about that one.\n\n"
          "| scene | who | per step | drift aside | along gravity | displaced | intersecting pairs |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          e->page);
    for (size_t i = 0; i < sizeof contests / sizeof *contests && code == NC_OK; i++)
        code = run_contest(e, &contests[i], err);
    return code;
}
