// Hinges, four at a time.
//
// Kicks of a tick change velocities and no positions at that tick. So angles and gradients do not depend on the order
// of the hinges, and are computed lane by lane with the arithmetic of nc_acm_hinge_angle; what depends on velocities
// follows one by one, in order. Compiled twice where the machine may have wider registers than the compiler was told
// of; products are not fused, so both give the same bits.
#include "acm/forces.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" // everything here is inlined: no vector is ever passed

#define INLINE static inline __attribute__((always_inline))

#define LANES 4
typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_mask __attribute__((vector_size(32)));

#define FOURS 8 // looked at before the first of them kicks: independent work for the processor

// Four hinges: what positions say of them.
typedef struct four_hinges {
    double at[4][LANES][4];       // [m] of vertex k of each hinge: x, y, z, and the inverse mass
    double gradient[4][3][LANES]; // of the angle
    double impulse[LANES];        // of the angle
    double drag[LANES];           // of its rate
    int64_t exists[LANES];        // it has an angle
} four_hinges;

INLINE void keep(double *to, lanes x)
{
    memcpy(to, &x, sizeof x);
}

INLINE lanes all(double x)
{
    return (lanes){x, x, x, x};
}

INLINE lanes choose(lane_mask mask, lanes yes, lanes no)
{
    return (lanes)((mask & (lane_mask)yes) | (~mask & (lane_mask)no));
}

INLINE lane_mask is_finite(lanes x)
{
    const lane_mask rest = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}; // all bits but the sign's
    return (lanes)((lane_mask)x & rest) < all(INFINITY);
}

INLINE lanes roots(lanes x)
{
#if defined(__SSE2__)
    const __m128d low = _mm_sqrt_pd((__m128d){x[0], x[1]}), high = _mm_sqrt_pd((__m128d){x[2], x[3]});
    return (lanes){low[0], low[1], high[0], high[1]};
#else
    return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

INLINE lanes dot(const lanes a[3], const lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

INLINE void cross(const lanes a[3], const lanes b[3], lanes out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE void subtract(const lanes a[3], const lanes b[3], lanes out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

// Where vertex k of each hinge is now, and by coordinate: x[3] is the inverse mass.
INLINE void place(const nc_acm_run *run, const nc_acm_hinge *const h[LANES], int k, double out[LANES][4], lanes x[4])
{
    lanes at[LANES];
    for (int l = 0; l < LANES; l++) {
        const nc_acm_state *s = &run->states[h[l]->v[k]];
        const double dt = (double)(run->now - s->t) * run->unit;
        at[l] = (lanes){s->x.x, s->x.y, s->x.z, s->inv_mass} + all(dt) * (lanes){s->v.x, s->v.y, s->v.z, 0};
        keep(out[l], at[l]);
    }
    const lanes p = __builtin_shufflevector(at[0], at[1], 0, 4, 2, 6),
                q = __builtin_shufflevector(at[0], at[1], 1, 5, 3, 7);
    const lanes r = __builtin_shufflevector(at[2], at[3], 0, 4, 2, 6),
                s = __builtin_shufflevector(at[2], at[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// nc_acm_hinge_angle but for the angle itself: its sine and cosine, times some length. Lanes without an angle have one
// of 0.
INLINE lane_mask find_gradients(lanes x[4][4], lanes gradient[4][3], lanes *out_sine, lanes *out_cosine)
{
    lanes e[3], a0[3], a1[3], b0[3], b1[3], n1[3], n2[3], n3[3];
    subtract(x[1], x[0], e);
    subtract(x[2], x[0], a0);
    subtract(x[2], x[1], a1);
    subtract(x[3], x[0], b0);
    subtract(x[3], x[1], b1);
    cross(a0, a1, n1);
    cross(b1, b0, n2);
    cross(n1, n2, n3);
    const lanes s1 = dot(n1, n1), s2 = dot(n2, n2), length = roots(dot(e, e)), inv = all(1) / length;
    const lanes sine = dot(n3, e), cosine = length * dot(n1, n2);
    const lane_mask exists = (s1 > all(0)) & (s2 > all(0)) & (length > all(0)) &
                             ((sine != all(0)) | (cosine != all(0))) & is_finite(sine) & is_finite(cosine) &
                             is_finite(s1) & is_finite(s2) & is_finite(inv);
    const lanes w1 = all(1) / s1, w2 = all(1) / s2;
    const lanes p0 = -inv * dot(a1, e), q0 = -inv * dot(b1, e), p1 = inv * dot(a0, e), q1 = inv * dot(b0, e);
    for (int i = 0; i < 3; i++) {
        const lanes m1 = w1 * n1[i], m2 = w2 * n2[i];
        gradient[0][i] = p0 * m1 + q0 * m2;
        gradient[1][i] = p1 * m1 + q1 * m2;
        gradient[2][i] = -length * m1;
        gradient[3][i] = -length * m2;
    }
    *out_sine = choose(exists, sine, all(0));
    *out_cosine = choose(exists, cosine, all(1));
    return exists;
}

INLINE void look(const nc_acm_run *run, const nc_acm_hinge *const h[LANES], four_hinges *f, lanes *sine, lanes *cosine)
{
    lanes x[4][4], gradient[4][3];
    for (int k = 0; k < 4; k++)
        place(run, h, k, f->at[k], x[k]);
    const lane_mask exists = find_gradients(x, gradient, sine, cosine);
    const lanes damping = {h[0]->damping, h[1]->damping, h[2]->damping, h[3]->damping};
    lanes weight = x[0][3] * dot(gradient[0], gradient[0]);
    for (int k = 1; k < 4; k++)
        weight += x[k][3] * dot(gradient[k], gradient[k]);
    keep(f->drag, damping / (all(1) + damping * weight)); // implicit: never overshoots
    memcpy(f->exists, &exists, sizeof exists);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            keep(f->gradient[k][i], gradient[k][i]);
}

INLINE void find_impulses(const nc_acm_hinge *const h[LANES], lanes angle, four_hinges *f)
{
    const lanes rest = {h[0]->rest, h[1]->rest, h[2]->rest, h[3]->rest};
    const lanes kick = {h[0]->kick, h[1]->kick, h[2]->kick, h[3]->kick};
    lanes off = angle - rest; // the short way round
    off = choose(off > all(NC_PI), off - all(2 * NC_PI), choose(off < all(-NC_PI), off + all(2 * NC_PI), off));
    keep(f->impulse, -kick * off);
}

INLINE nc_vec3 gradient_of(const four_hinges *f, int k, int l)
{
    return nc_v3(f->gradient[k][0][l], f->gradient[k][1][l], f->gradient[k][2][l]);
}

// One of the four, with the velocities that those before it left.
INLINE void kick_one(const nc_acm_run *run, const nc_acm_hinge *h, const four_hinges *f, int l)
{
    double impulse = f->impulse[l]; // NOLINT(clang-analyzer-core.uninitialized.Assign): all fours have been looked at
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
            nc_acm_kick(run, h->v[k], nc_v3(f->at[k][l][0], f->at[k][l][1], f->at[k][l][2]),
                        nc_scale(share, gradient_of(f, k, l)));
    }
}

// What is left over at the end is looked at more than once and kicked once.
INLINE void kick_some(const nc_acm_run *run, const nc_acm_hinge *hinges, int count)
{
    const nc_acm_hinge *h[FOURS][LANES];
    four_hinges four[FOURS];
    lanes sine[FOURS], cosine[FOURS], angle[FOURS];
    const int fours = (count + LANES - 1) / LANES;
    for (int i = 0; i < fours; i++) {
        for (int l = 0; l < LANES; l++)
            h[i][l] = &hinges[LANES * i + l < count ? LANES * i + l : count - 1];
        look(run, h[i], &four[i], &sine[i], &cosine[i]);
    }
    nc_atan2_quick_many((const double *)sine, (const double *)cosine, (double *)angle, LANES * fours);
    for (int i = 0; i < fours; i++)
        find_impulses(h[i], angle[i], &four[i]);
    for (int i = 0; i < count; i++)
        kick_one(run, &hinges[i], &four[i / LANES], i % LANES);
}

INLINE void kick_all(const nc_acm_run *run, const nc_acm_hinge *hinges, int count)
{
    for (int i = 0; i < count; i += FOURS * LANES)
        kick_some(run, hinges + i, count - i < FOURS * LANES ? count - i : FOURS * LANES);
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static void kick_avx2(const nc_acm_run *run, const nc_acm_hinge *hinges, int count)
{
    kick_all(run, hinges, count);
}
#endif

void nc_acm_hinges_kick(const nc_acm_run *run, const nc_acm_hinge *hinges, int count)
{
#if defined(__x86_64__) && !defined(__AVX2__)
    if (__builtin_cpu_supports("avx2")) {
        kick_avx2(run, hinges, count);
        return;
    }
#endif
    kick_all(run, hinges, count);
}
