// Hinges, four at a time.
//
// Kicks of a tick change velocities and no positions at that tick. So angles and gradients do not depend on the order
// of the hinges, and are computed lane by lane with the arithmetic of nc_cloth_hinge_angle; what depends on velocities
// follows one by one, in order. Compiled twice where the machine may have wider registers than the compiler was told
// of; products are not fused, so both give the same bits.
#include "cloth/forces.h"

#define FOURS 8 // examined before the first of them kicks: independent work for the processor

// Four hinges: what positions say of them.
typedef struct four_hinges {
    double at[4][NC_LANES][4];       // [m] of vertex k of each hinge: x, y, z, and the inverse mass
    double gradient[4][3][NC_LANES]; // of the angle
    double impulse[NC_LANES];        // of the angle
    double drag[NC_LANES];           // of its rate
    int64_t exists[NC_LANES];        // it has an angle
} four_hinges;

NC_INLINE nc_lane_mask is_finite(nc_lanes x)
{
    return nc_lanes_abs(x) < nc_lanes_all(INFINITY);
}

NC_INLINE void cross(const nc_lanes a[3], const nc_lanes b[3], nc_lanes out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

NC_INLINE void subtract(const nc_lanes a[3], const nc_lanes b[3], nc_lanes out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

// Where vertex k of each hinge is now, and by coordinate: x[3] is the inverse mass.
NC_INLINE void place(const nc_cloth_tick *run, const nc_cloth_hinge *const h[NC_LANES], int k, double out[NC_LANES][4],
                     nc_lanes x[4])
{
    for (int l = 0; l < NC_LANES; l++) {
        const nc_cloth_state *s = &run->states[h[l]->v[k]];
        const double dt = (double)(run->now - s->t) * run->unit;
        x[l] =
            (nc_lanes){s->x.x, s->x.y, s->x.z, s->inv_mass} + nc_lanes_all(dt) * (nc_lanes){s->v.x, s->v.y, s->v.z, 0};
        nc_lanes_store(out[l], x[l]);
    }
    nc_lanes_transpose(x);
}

// nc_cloth_hinge_angle but for the angle itself: its sine and cosine, times some length. Lanes without an angle have
// one of 0.
NC_INLINE nc_lane_mask find_gradients(nc_lanes x[4][4], nc_lanes gradient[4][3], nc_lanes *out_sine,
                                      nc_lanes *out_cosine)
{
    nc_lanes e[3], a0[3], a1[3], b0[3], b1[3], n1[3], n2[3], n3[3];
    subtract(x[1], x[0], e);
    subtract(x[2], x[0], a0);
    subtract(x[2], x[1], a1);
    subtract(x[3], x[0], b0);
    subtract(x[3], x[1], b1);
    cross(a0, a1, n1);
    cross(b1, b0, n2);
    cross(n1, n2, n3);
    const nc_lanes s1 = nc_lanes_dot(n1, n1), s2 = nc_lanes_dot(n2, n2), length = nc_lanes_sqrt(nc_lanes_dot(e, e)),
                   inv = nc_lanes_all(1) / length;
    const nc_lanes sine = nc_lanes_dot(n3, e), cosine = length * nc_lanes_dot(n1, n2);
    const nc_lane_mask exists = (s1 > nc_lanes_all(0)) & (s2 > nc_lanes_all(0)) & (length > nc_lanes_all(0)) &
                                ((sine != nc_lanes_all(0)) | (cosine != nc_lanes_all(0))) & is_finite(sine) &
                                is_finite(cosine) & is_finite(s1) & is_finite(s2) & is_finite(inv);
    const nc_lanes w1 = nc_lanes_all(1) / s1, w2 = nc_lanes_all(1) / s2;
    const nc_lanes p0 = -inv * nc_lanes_dot(a1, e), q0 = -inv * nc_lanes_dot(b1, e), p1 = inv * nc_lanes_dot(a0, e),
                   q1 = inv * nc_lanes_dot(b0, e);
    for (int i = 0; i < 3; i++) {
        const nc_lanes m1 = w1 * n1[i], m2 = w2 * n2[i];
        gradient[0][i] = p0 * m1 + q0 * m2;
        gradient[1][i] = p1 * m1 + q1 * m2;
        gradient[2][i] = -length * m1;
        gradient[3][i] = -length * m2;
    }
    *out_sine = nc_lanes_choose(exists, sine, nc_lanes_all(0));
    *out_cosine = nc_lanes_choose(exists, cosine, nc_lanes_all(1));
    return exists;
}

NC_INLINE void look(const nc_cloth_tick *run, const nc_cloth_hinge *const h[NC_LANES], four_hinges *f, nc_lanes *sine,
                    nc_lanes *cosine)
{
    nc_lanes x[4][4], gradient[4][3];
    for (int k = 0; k < 4; k++)
        place(run, h, k, f->at[k], x[k]);
    const nc_lane_mask exists = find_gradients(x, gradient, sine, cosine);
    const nc_lanes damping = {h[0]->damping, h[1]->damping, h[2]->damping, h[3]->damping};
    nc_lanes weight = x[0][3] * nc_lanes_dot(gradient[0], gradient[0]);
    for (int k = 1; k < 4; k++)
        weight += x[k][3] * nc_lanes_dot(gradient[k], gradient[k]);
    nc_lanes_store(f->drag, damping / (nc_lanes_all(1) + damping * weight)); // implicit: never overshoots
    memcpy(f->exists, &exists, sizeof exists);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            nc_lanes_store(f->gradient[k][i], gradient[k][i]);
}

NC_INLINE void find_impulses(const nc_cloth_hinge *const h[NC_LANES], nc_lanes angle, four_hinges *f)
{
    const nc_lanes rest = {h[0]->rest, h[1]->rest, h[2]->rest, h[3]->rest};
    const nc_lanes kick = {h[0]->kick, h[1]->kick, h[2]->kick, h[3]->kick};
    nc_lanes off = angle - rest; // the short way round
    off = nc_lanes_choose(off > nc_lanes_all(NC_PI), off - nc_lanes_all(2 * NC_PI),
                          nc_lanes_choose(off < nc_lanes_all(-NC_PI), off + nc_lanes_all(2 * NC_PI), off));
    nc_lanes_store(f->impulse, -kick * off);
}

NC_INLINE nc_vec3 gradient_of(const four_hinges *f, int k, int l)
{
    return nc_v3(f->gradient[k][0][l], f->gradient[k][1][l], f->gradient[k][2][l]);
}

// One of the four, with the velocities that those before it left.
NC_INLINE void kick_one(const nc_cloth_tick *run, const nc_cloth_hinge *h, const four_hinges *f, int l)
{
    double impulse = f->impulse[l]; // NOLINT(clang-analyzer-core.uninitialized.Assign): all fours have been examined
    if (!f->exists[l])
        return;
    if (h->damping > 0) {
        double rate = 0;
        for (int k = 0; k < 4; k++)
            rate += nc_dot(gradient_of(f, k, l), run->states[h->v[k]].v);
        impulse -= f->drag[l] * rate;
    }
    for (int k = 0; k < 4; k++) {
        const double share = f->at[k][l][3] * impulse;
        if (share != 0)
            nc_cloth_kick(run, h->v[k], nc_v3(f->at[k][l][0], f->at[k][l][1], f->at[k][l][2]),
                          nc_scale(share, gradient_of(f, k, l)));
    }
}

// What is left over at the end is examined more than once and kicked once.
NC_INLINE void kick_range(const nc_cloth_tick *run, const nc_cloth_hinge *hinges, int count)
{
    const nc_cloth_hinge *h[FOURS][NC_LANES];
    four_hinges four[FOURS];
    nc_lanes sine[FOURS], cosine[FOURS], angle[FOURS];
    const int fours = (count + NC_LANES - 1) / NC_LANES;
    for (int i = 0; i < fours; i++) {
        for (int l = 0; l < NC_LANES; l++)
            h[i][l] = &hinges[NC_LANES * i + l < count ? NC_LANES * i + l : count - 1];
        look(run, h[i], &four[i], &sine[i], &cosine[i]);
    }
    nc_atan2_quick_many((const double *)sine, (const double *)cosine, (double *)angle, NC_LANES * fours);
    for (int i = 0; i < fours; i++)
        find_impulses(h[i], angle[i], &four[i]);
    for (int i = 0; i < count; i++)
        kick_one(run, &hinges[i], &four[i / NC_LANES], i % NC_LANES);
}

NC_INLINE void kick_all(const nc_cloth_tick *run, const nc_cloth_hinge *hinges, int count)
{
    for (int i = 0; i < count; i += FOURS * NC_LANES)
        kick_range(run, hinges + i, count - i < FOURS * NC_LANES ? count - i : FOURS * NC_LANES);
}

#ifdef NC_AVX2
NC_AVX2 static void kick_avx2(const nc_cloth_tick *run, const nc_cloth_hinge *hinges, int count)
{
    kick_all(run, hinges, count);
}
#endif

void nc_cloth_hinges_kick(const nc_cloth_tick *run, const nc_cloth_hinge *hinges, int count)
{
#ifdef NC_AVX2
    if (nc_has_avx2()) {
        kick_avx2(run, hinges, count);
        return;
    }
#endif
    kick_all(run, hinges, count);
}
