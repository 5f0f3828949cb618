// The march of the feature tests: from the left, interval by interval, each proven clear or cut in two, until the end
// or until the features are as near as the gap.
//
// What is common to the tests is here; a test says how to prove an interval clear, when the distance counts as a hit,
// and which time to try next. Inside narrow.
#ifndef NC_NARROW_MARCH_H
#define NC_NARROW_MARCH_H

#include "narrow/narrow.h"

#define NC_MARCH_EXACT_ENDS (NC_MARCH_EXACT_MAX_LATER + 1) // the nearest end, and those that wait

// Where a march stands.
typedef struct nc_march {
    double from;                      // all is clear until then
    double ends[NC_MARCH_EXACT_ENDS]; // of intervals that are not clear yet, the nearest last
    int count, most;                  // of them, and how many there may be
    int failures;                     // cuts at this `from`
    int evaluations, limit;           // of the features' positions, and how many there may be
    double distance, rate;            // [m] at `from`, and by how much it fell per unit of time on the way there
} nc_march;

// One kind of test. `ctx` is its own; it keeps the features at `from` and at the ends.
typedef struct nc_march_test {
    bool (*is_clear)(void *ctx, const nc_march *m); // proves the interval from `from` to the nearest end
    double (*advance)(void *ctx, nc_march *m);      // the nearest end becomes `from`; returns the distance [m] there
    bool (*is_hit)(void *ctx, const nc_march *m);   // is the distance as small as the gap?
    double (*propose)(const void *ctx, const nc_march *m); // a time worth trying; it may be outside the interval
    void (*evaluate)(void *ctx, const nc_march *m);        // the features at the nearest end, which is new
} nc_march_test;

static inline double nc_march_end(const nc_march *m)
{
    return m->ends[m->count - 1];
}

// At the start of one interval, with the features evaluated at both ends and `distance` [m] at the first.
static inline void nc_march_begin(nc_march *m, double from, double to, double distance, int most, int limit)
{
    m->from = from;
    m->ends[0] = to;
    m->count = 1;
    m->most = most;
    m->failures = 0;
    m->evaluations = 2;
    m->limit = limit;
    m->distance = distance;
    m->rate = 0;
}

NC_INLINE void nc_march_advance(nc_march *m, const nc_march_test *test, void *ctx)
{
    const double to = nc_march_end(m), distance = test->advance(ctx, m);
    m->rate = (m->distance - distance) / (to - m->from);
    m->distance = distance;
    m->from = to;
    m->failures = 0;
    m->count--;
}

// NC_CLEAR: to the end. NC_HIT, NC_UNDECIDED: until m->from. Inlined, so that tests cost no indirect calls.
NC_INLINE nc_verdict nc_march_run(nc_march *m, const nc_march_test *test, void *ctx)
{
    while (m->count > 0) {
        if (test->is_clear(ctx, m)) {
            nc_march_advance(m, test, ctx);
            continue;
        }
        if (test->is_hit(ctx, m))
            return NC_HIT;
        const double t = test->propose(ctx, m);
        if (!(m->from < t && t < nc_march_end(m)) || m->count == m->most || m->evaluations >= m->limit)
            return NC_UNDECIDED;
        m->ends[m->count++] = t;
        test->evaluate(ctx, m);
        m->evaluations++;
        m->failures++;
    }
    return NC_CLEAR;
}

#endif
