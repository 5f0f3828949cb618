// The kicks: one function a kind of force. Positions are those of the trajectories at the tick. A contact or a
// prescribed force without an impulse changes nothing (I1).
#ifndef NC_CLOTH_FORCES_H
#define NC_CLOTH_FORCES_H

#include "cloth/world.h"

// Where a window's kicks go. The trace has room for one piece more of every vertex at each tick.
typedef struct nc_cloth_tick {
    nc_cloth_state *states;
    nc_cloth_trace *trace;
    int *kicks; // of each vertex
    double unit;
    int64_t now;
    bool lets_go; // contacts that are null and separate are let go: all distances are wanted
} nc_cloth_tick;

// Gives vertex `row`, which is at x now, the velocity change dv.
static inline void nc_cloth_kick(const nc_cloth_tick *run, int row, nc_vec3 x, nc_vec3 dv)
{
    nc_cloth_state *s = &run->states[row];
    if (s->t != run->now) {
        nc_cloth_trace *trace = run->trace;
        trace->pieces[trace->count] = (nc_cloth_piece){s->x, s->v, s->t, row, trace->last[row]};
        trace->last[row] = trace->count++;
        run->kicks[row]++;
        s->x = x;
        s->t = run->now;
    }
    s->v = nc_add(s->v, dv);
}

void nc_cloth_springs_kick(const nc_cloth_tick *run, const nc_cloth_spring *springs, int count);
void nc_cloth_hinges_kick(const nc_cloth_tick *run, const nc_cloth_hinge *hinges, int count);
// All of one component that tick at a level and below: part by part, then what lies between parts.
void nc_cloth_elastic_kick(const nc_cloth_tick *run, const nc_cloth_elastic *elastic, const nc_cloth_ranges *ranges,
                           int level);
// The same on up to `workers` threads. The trace needs room for one piece more of every vertex.
void nc_cloth_elastic_kick_wide(const nc_cloth_tick *run, const nc_cloth_elastic *elastic,
                                const nc_cloth_ranges *ranges, int level, int workers);
// Gravity, drag and prescribed forces over `step` [s], on one component.
void nc_cloth_gravity_kick(const nc_cloth_tick *run, const nc_cloth_world *world, const nc_cloth_component *component,
                           double step);

#endif
