// The kicks: one function a kind of force. Positions are those of the trajectories at the tick. A contact or a
// prescribed force without an impulse changes nothing (I1).
#ifndef NC_ACM_FORCES_H
#define NC_ACM_FORCES_H

#include "acm/cloth.h"

// Where a window's kicks go. The trace has room for one piece more of every vertex at each tick.
typedef struct nc_acm_run {
    nc_acm_state *states;
    nc_acm_trace *trace;
    int *kicks; // of each vertex
    double unit;
    int64_t now;
    bool lets_go; // contacts that are null and separate are let go: all distances are wanted
} nc_acm_run;

// Gives vertex `row`, which is at x now, the velocity change dv.
static inline void nc_acm_kick(const nc_acm_run *run, int row, nc_vec3 x, nc_vec3 dv)
{
    nc_acm_state *s = &run->states[row];
    if (s->t != run->now) {
        nc_acm_trace *trace = run->trace;
        trace->pieces[trace->count] = (nc_acm_piece){s->x, s->v, s->t, row, trace->last[row]};
        trace->last[row] = trace->count++;
        run->kicks[row]++;
        s->x = x;
        s->t = run->now;
    }
    s->v = nc_add(s->v, dv);
}

void nc_acm_springs_kick(const nc_acm_run *run, const nc_acm_spring *springs, int count);
void nc_acm_hinges_kick(const nc_acm_run *run, const nc_acm_hinge *hinges, int count);
// All of one component that tick at a level and below: part by part, then what lies between parts.
void nc_acm_elastic_kick(const nc_acm_run *run, const nc_acm_elastic *elastic, const nc_acm_ranges *ranges, int level);
// The same on up to `workers` threads. The trace needs room for one piece more of every vertex.
void nc_acm_elastic_kick_wide(const nc_acm_run *run, const nc_acm_elastic *elastic, const nc_acm_ranges *ranges,
                              int level, int workers);
// Gravity, drag and prescribed forces over `step` [s], on one component.
void nc_acm_gravity_kick(const nc_acm_run *run, const nc_cloth_world *world, const nc_acm_component *component,
                         double step);

#endif
