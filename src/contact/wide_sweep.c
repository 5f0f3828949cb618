// A sweep over groups of four contacts: the arithmetic of pgs.c in lanes.
//
// Compiled three times where the machine may have wider or more registers than the compiler was told of; products are
// not fused, so all give the same bits.
#include "contact/wide.h"

typedef struct nc_wide_state {
    nc_lanes v_a[4], w_a[4], v_b[4], w_b[4]; // by component; the fourth of v is 1/sqrt(m)
    nc_lanes apart[3];                       // [m/s] difference of the bodies' velocities
    nc_lanes u[3];                           // [m/s] relative velocity, by row
    nc_lanes before[3], lambda[3];           // [N s]
} nc_wide_state;

typedef struct nc_wide_push {
    nc_lanes v_a[3], w_a[3], v_b[3], w_b[3];
} nc_wide_push;

NC_INLINE void gather(const nc_wide_slot *slots, const int index[NC_LANES], nc_lanes v[4], nc_lanes w[4])
{
    for (int l = 0; l < NC_LANES; l++) {
        v[l] = slots[index[l]].v;
        w[l] = slots[index[l]].w;
    }
    nc_lanes_transpose(v);
    nc_lanes_transpose(w);
}

NC_INLINE void scatter(nc_wide_slot *slots, const int index[NC_LANES], nc_lanes v[4], nc_lanes w[4])
{
    nc_lanes_transpose(v);
    nc_lanes_transpose(w);
    for (int l = 0; l < NC_LANES; l++) {
        slots[index[l]].v = v[l];
        slots[index[l]].w = w[l];
    }
}

NC_INLINE void read_apart(nc_wide_state *s)
{
    for (int i = 0; i < 3; i++)
        s->apart[i] = s->v_a[3] * s->v_a[i] - s->v_b[3] * s->v_b[i];
}

NC_INLINE nc_lanes read_row(const nc_wide_row *row, const nc_wide_state *s)
{
    return row->offset + nc_lanes_dot(row->direction, s->apart) + nc_lanes_dot(row->turn_a, s->w_a) +
           nc_lanes_dot(row->turn_b, s->w_b);
}

// Lanes that slide take a step that is equally long in both directions, back onto the disc.
NC_INLINE void slide(const nc_wide *c, nc_wide_state *s, nc_lane_mask sliding, nc_lanes limit)
{
    const nc_lanes inv = nc_lanes_choose(c->row[1].inv < c->row[2].inv, c->row[1].inv, c->row[2].inv);
    const nc_lanes l1 = s->before[1] - s->u[1] * inv, l2 = s->before[2] - s->u[2] * inv;
    const nc_lanes size = nc_lanes_sqrt(l1 * l1 + l2 * l2);
    const nc_lanes part = nc_lanes_choose(size > limit, limit / size, nc_lanes_all(1));
    s->lambda[1] = nc_lanes_choose(sliding, l1 * part, s->lambda[1]);
    s->lambda[2] = nc_lanes_choose(sliding, l2 * part, s->lambda[2]);
}

// What the rows ask for: see update and disc in pgs.c.
NC_INLINE void project(const nc_wide *c, nc_wide_state *s)
{
    s->u[0] += c->soft * s->before[0];
    s->lambda[0] = nc_lanes_max(nc_lanes_all(0), s->before[0] - s->u[0] * c->row[0].inv);
    const nc_lanes pressed = s->lambda[0] - s->before[0], limit = c->friction * s->lambda[0];
    s->u[1] = read_row(&c->row[1], s) + c->carry[0] * pressed;
    s->u[2] = read_row(&c->row[2], s) + c->carry[1] * pressed;
    s->lambda[1] = s->before[1] - s->u[1] * c->row[1].inv;
    s->lambda[2] = s->before[2] - s->u[2] * c->row[2].inv;
    const nc_lane_mask sliding = s->lambda[1] * s->lambda[1] + s->lambda[2] * s->lambda[2] > limit * limit;
    slide(c, s, sliding, limit);
}

// What the steps of the rows do to the velocities.
NC_INLINE void push(const nc_wide *c, const nc_wide_state *s, nc_wide_push *out)
{
    const nc_wide_row *n = &c->row[0], *t1 = &c->row[1], *t2 = &c->row[2];
    for (int i = 0; i < 3; i++) {
        const nc_lanes impulse = n->direction[i] * n->step + t1->direction[i] * t1->step + t2->direction[i] * t2->step;
        out->v_a[i] = s->v_a[3] * impulse;
        out->v_b[i] = -(s->v_b[3] * impulse);
        out->w_a[i] = n->turn_a[i] * n->step + t1->turn_a[i] * t1->step + t2->turn_a[i] * t2->step;
        out->w_b[i] = n->turn_b[i] * n->step + t1->turn_b[i] * t1->step + t2->turn_b[i] * t2->step;
    }
}

// Each body gets its lane's.
NC_INLINE void give(nc_wide_slot *slots, const int index[NC_LANES], nc_lanes v[4], nc_lanes w[4], const nc_lanes dv[3],
                    const nc_lanes dw[3])
{
    for (int i = 0; i < 3; i++) {
        v[i] += dv[i];
        w[i] += dw[i];
    }
    scatter(slots, index, v, w);
}

// The hub gets what all lanes give.
NC_INLINE void give_hub(nc_wide_slot *hub, const nc_lanes dv[3], const nc_lanes dw[3])
{
    nc_lanes v[4] = {dv[0], dv[1], dv[2], nc_lanes_all(0)}, w[4] = {dw[0], dw[1], dw[2], nc_lanes_all(0)};
    nc_lanes_transpose(v);
    nc_lanes_transpose(w);
    hub->v += (v[0] + v[1]) + (v[2] + v[3]);
    hub->w += (w[0] + w[1]) + (w[2] + w[3]);
}

// Moves on along the direction of before, as nc_momentum_add says; here, so that a contact is visited once a sweep.
NC_INLINE void move_on(nc_wide *c, nc_wide_state *s, double beta, double keep)
{
    for (int r = 0; r < 3; r++) {
        s->before[r] = c->row[r].lambda + nc_lanes_all(beta) * c->row[r].along;
        c->row[r].along = nc_lanes_all(keep) * (c->row[r].step + nc_lanes_all(beta) * c->row[r].along);
    }
}

// The new impulses, and what they tell about the sweep.
NC_INLINE void record(nc_wide *c, const nc_wide_state *s, nc_lanes *residual, nc_lanes *gain)
{
    nc_lane_mask bits = {0, 0, 0, 0}; // of all that must be 0 where nothing is to do
    c->asked = nc_lanes_all(0);
    for (int r = 0; r < 3; r++) {
        nc_wide_row *row = &c->row[r];
        row->step = s->lambda[r] - s->before[r];
        row->lambda = s->lambda[r];
        const nc_lanes speed = row->step * row->k;
        c->asked = nc_lanes_max(c->asked, nc_lanes_abs(speed));
        *gain += speed * row->step;
        bits |= (nc_lane_mask)row->lambda | (nc_lane_mask)row->step | (nc_lane_mask)row->along;
    }
    *residual = nc_lanes_max(*residual, c->asked);
    c->idle = !nc_lanes_any((nc_lane_mask)nc_lanes_abs((nc_lanes)bits)); // but for the signs of zeros
}

NC_INLINE void sweep(const nc_wide_sweeps *sweeps, nc_wide_part *part)
{
    nc_lanes residual = nc_lanes_all(0), gain = nc_lanes_all(0);
    for (int i = part->begin; i < part->last; i++) {
        nc_wide *c = &sweeps->groups[sweeps->chosen[i]];
        nc_wide_state s;
        gather(sweeps->slots, c->a, s.v_a, s.w_a);
        gather(sweeps->slots, c->b, s.v_b, s.w_b);
        read_apart(&s);
        s.u[0] = read_row(&c->row[0], &s);
        if (c->idle && !nc_lanes_any(s.u[0] < 0))
            continue; // nothing presses, and nothing comes to
        move_on(c, &s, sweeps->beta, sweeps->keep);
        project(c, &s);
        record(c, &s, &residual, &gain);
        nc_wide_push given;
        push(c, &s, &given);
        if (c->hub == NC_HUB_A)
            give_hub(&sweeps->slots[c->a[0]], given.v_a, given.w_a);
        else
            give(sweeps->slots, c->a, s.v_a, s.w_a, given.v_a, given.w_a);
        if (c->hub == NC_HUB_B)
            give_hub(&sweeps->slots[c->b[0]], given.v_b, given.w_b);
        else
            give(sweeps->slots, c->b, s.v_b, s.w_b, given.v_b, given.w_b);
    }
    part->residual = fmax(fmax(residual[0], residual[1]), fmax(residual[2], residual[3]));
    part->gain = gain[0] + gain[1] + gain[2] + gain[3];
}

#ifdef NC_AVX2
NC_AVX2 static void sweep_avx2(const nc_wide_sweeps *sweeps, nc_wide_part *part)
{
    sweep(sweeps, part);
}
#endif

#ifdef NC_AVX512
NC_AVX512 static void sweep_avx512(const nc_wide_sweeps *sweeps, nc_wide_part *part)
{
    sweep(sweeps, part);
}
#endif

void nc_wide_sweep_by(nc_copy copy, const nc_wide_sweeps *sweeps, nc_wide_part *part)
{
#ifdef NC_AVX512
    if (copy == NC_COPY_AVX512) {
        sweep_avx512(sweeps, part);
        return;
    }
#endif
#ifdef NC_AVX2
    if (copy == NC_COPY_AVX2) {
        sweep_avx2(sweeps, part);
        return;
    }
#endif
    (void)copy;
    sweep(sweeps, part);
}

void nc_wide_sweep(const nc_wide_sweeps *sweeps, nc_wide_part *part)
{
    nc_wide_sweep_by(nc_best_copy(), sweeps, part);
}
