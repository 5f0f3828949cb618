#include "acm/forces.h"

static void spring_kick(const nc_acm_run *run, const nc_acm_spring *s)
{
    const nc_acm_state *a = &run->states[s->a], *b = &run->states[s->b];
    const nc_vec3 xa = nc_acm_at(a, run->now, run->unit), xb = nc_acm_at(b, run->now, run->unit);
    const nc_vec3 e = nc_sub(xb, xa);
    const double length = nc_norm(e), weight = a->inv_mass + b->inv_mass;
    if (!(length > 0) || weight == 0)
        return;
    const nc_vec3 n = nc_scale(1 / length, e);
    double impulse = s->kick * (length - s->rest);
    if (s->damping > 0) // implicit: never overshoots, however large
        impulse += s->damping / (1 + s->damping * weight) * nc_dot(nc_sub(b->v, a->v), n);
    if (impulse == 0)
        return;
    const double pull_a = a->inv_mass * impulse, pull_b = -b->inv_mass * impulse;
    if (pull_a != 0)
        nc_acm_kick(run, s->a, xa, nc_scale(pull_a, n));
    if (pull_b != 0)
        nc_acm_kick(run, s->b, xb, nc_scale(pull_b, n));
}

static void hinge_kick(const nc_acm_run *run, const nc_acm_hinge *h)
{
    nc_vec3 x[4], gradient[4];
    double angle, rate = 0, weight = 0;
    for (int k = 0; k < 4; k++)
        x[k] = nc_acm_at(&run->states[h->v[k]], run->now, run->unit);
    if (!nc_acm_hinge_angle(x, &angle, gradient))
        return;
    double off = angle - h->rest; // the short way round
    if (off > NC_PI)
        off -= 2 * NC_PI;
    else if (off < -NC_PI)
        off += 2 * NC_PI;
    double impulse = -h->kick * off;
    if (h->damping > 0) {
        for (int k = 0; k < 4; k++) {
            rate += nc_dot(gradient[k], run->states[h->v[k]].v);
            weight += run->states[h->v[k]].inv_mass * nc_norm2(gradient[k]);
        }
        impulse -= h->damping / (1 + h->damping * weight) * rate;
    }
    for (int k = 0; k < 4; k++) {
        const double share = run->states[h->v[k]].inv_mass * impulse;
        if (share != 0)
            nc_acm_kick(run, h->v[k], x[k], nc_scale(share, gradient[k]));
    }
}

void nc_acm_springs_kick(const nc_acm_run *run, const nc_acm_spring *springs, int count)
{
    for (int i = 0; i < count; i++)
        spring_kick(run, &springs[i]);
}

void nc_acm_hinges_kick(const nc_acm_run *run, const nc_acm_hinge *hinges, int count)
{
    for (int i = 0; i < count; i++)
        hinge_kick(run, &hinges[i]);
}

// ---- parts --------------------------------------------------------------------------------------------------

// Springs before hinges, fine clocks after coarse ones.
static void kick_part(const nc_acm_run *run, const nc_acm_elastic *e, int level, int part)
{
    for (int k = level; k <= NC_ACM_LEVELS; k++) {
        const int *first = &e->part_spring[k][part];
        nc_acm_springs_kick(run, e->springs.data + first[0], first[1] - first[0]);
    }
    for (int k = level; k <= NC_ACM_LEVELS; k++) {
        const int *first = &e->part_hinge[k][part];
        nc_acm_hinges_kick(run, e->hinges.data + first[0], first[1] - first[0]);
    }
}

// Each part writes the pieces of its own vertices, into a stretch of the trace that has room for all of them.
typedef struct parts_run {
    const nc_acm_run *run;
    const nc_acm_elastic *elastic;
    int level;
    nc_acm_trace traces[NC_ACM_PARTS];
} parts_run;

static void kick_parts(int begin, int end, void *ctx)
{
    parts_run *p = ctx;
    for (int part = begin; part < end; part++) {
        nc_acm_run run = *p->run;
        run.trace = &p->traces[part];
        kick_part(&run, p->elastic, p->level, part);
    }
}

// The parts' pieces, one after the other.
static void join_traces(nc_acm_trace *trace, const parts_run *p)
{
    for (int part = 0; part < p->elastic->parts; part++)
        for (int i = 0; i < p->traces[part].count; i++) {
            const nc_acm_piece *piece = &p->traces[part].pieces[i];
            trace->last[piece->vertex] = trace->count;
            trace->pieces[trace->count++] = *piece;
        }
}

void nc_acm_elastic_kick(const nc_acm_run *run, const nc_acm_elastic *elastic, int level, int workers)
{
    if (elastic->parts == 1) {
        kick_part(run, elastic, level, 0);
        return;
    }
    parts_run p = {.run = run, .elastic = elastic, .level = level};
    for (int part = 0; part < elastic->parts; part++) {
        p.traces[part] = *run->trace;
        p.traces[part].pieces += run->trace->count + elastic->vertices_before[part];
        p.traces[part].count = 0;
    }
    nc_parallel_for(workers, elastic->parts, 1, kick_parts, &p);
    join_traces(run->trace, &p);
    kick_part(run, elastic, level, elastic->parts);
}

// ---- what acts on all ---------------------------------------------------------------------------------------

static void push_all(const nc_acm_run *run, const nc_cloth_world *world, double step)
{
    for (int i = 0; i < world->pushes.count; i++) {
        const nc_acm_push *p = &world->pushes.data[i];
        if (run->now <= p->start || run->now > p->end)
            continue;
        for (int k = 0; k < p->vertex_count; k++) {
            const nc_acm_state *s = &run->states[p->vertices[k]];
            if (s->inv_mass > 0)
                nc_acm_kick(run, p->vertices[k], nc_acm_at(s, run->now, run->unit),
                            nc_scale(step * s->inv_mass, p->force));
        }
    }
}

void nc_acm_gravity_kick(const nc_acm_run *run, const nc_cloth_world *world, double step)
{
    const nc_acm_model *m = &world->model;
    const nc_vec3 fall = nc_scale(step, m->settings.gravity);
    push_all(run, world, step);
    for (int o = 0; o < m->objects.count; o++) {
        const nc_acm_object *object = &m->objects.data[o];
        const double slow = step * object->drag / (1 + step * object->drag); // implicit
        for (int i = object->first_vertex; i < object->first_vertex + object->vertex_count; i++) {
            const nc_acm_state *s = &run->states[i];
            const nc_vec3 dv = nc_madd(fall, -slow, s->v);
            if (s->inv_mass > 0 && (dv.x != 0 || dv.y != 0 || dv.z != 0))
                nc_acm_kick(run, i, nc_acm_at(s, run->now, run->unit), dv);
        }
    }
}
