// Whole bodies: one direction that keeps all points of A apart from all points of B over an interval.
//
// Along a direction n that stays, every point moves linearly between its two ends but for its deviation from the chord,
// so the least of n.(p - q) over all points and both ends bounds the distance over the whole interval. Where n comes
// from does not matter: it is looked for by steps towards the point of the hull of all differences p - q nearest the
// origin, and kept for the next time. Concave bodies that reach into each other have none; their trees decide.
#include "narrow/narrow.h"

#define SHORTEST      0x1p-500 // [m] squares of shorter vectors underflow, and their length is not known
#define MOST_STEPS    16
#define MOST_FAILURES 3 // of a pair; then it is not tried again until its hint is forgotten

// The lowest and highest point of a mesh along directions in its frame.
typedef struct extreme {
    double value; // [m] n . v
    int vertex;
} extreme;

// NaN in `n` makes the value NaN: comparisons keep the first one.
static extreme lowest(const nc_mesh_data *mesh, nc_vec3 n)
{
    extreme least = {nc_dot(n, mesh->vertices[0]), 0};
    for (int k = 1; k < mesh->vertex_count; k++) {
        const double value = nc_dot(n, mesh->vertices[k]);
        if (value < least.value)
            least = (extreme){value, k};
    }
    return least;
}

double nc_whole_lowest(const nc_mesh_data *mesh, const nc_mat3 *rotation, nc_vec3 n)
{
    const nc_vec3 own = nc_mat3_tmul(*rotation, n);
    double even = nc_dot(own, mesh->vertices[0]), odd = even; // two chains of comparisons for the processor
    for (int k = 0; k + 1 < mesh->vertex_count; k += 2) {
        const double one = nc_dot(own, mesh->vertices[k]), two = nc_dot(own, mesh->vertices[k + 1]);
        even = one < even ? one : even;
        odd = two < odd ? two : odd;
    }
    const double last = nc_dot(own, mesh->vertices[mesh->vertex_count - 1]);
    even = odd < even ? odd : even;
    return last < even ? last : even;
}

// The difference p - q that is lowest along n at one end of the interval.
static double lowest_difference(const nc_mesh_data *a, const nc_mesh_data *b, const nc_placement *at, nc_vec3 n,
                                nc_vec3 *difference)
{
    const extreme p = lowest(a, nc_mat3_tmul(at->ra, n)), q = lowest(b, nc_neg(nc_mat3_tmul(at->rb, n)));
    const nc_vec3 in_a = nc_mat3_mul(at->ra, a->vertices[p.vertex]), in_b = nc_mat3_mul(at->rb, b->vertices[q.vertex]);
    *difference = nc_sub(nc_add(at->x, in_a), in_b);
    return nc_dot(n, at->x) + p.value + q.value;
}

// The point of the segment v, s nearest the origin.
static nc_vec3 step_towards(nc_vec3 v, nc_vec3 s)
{
    const nc_vec3 d = nc_sub(s, v);
    const double along = -nc_dot(v, d), length2 = nc_norm2(d);
    return !(along > 0) ? v : !(along < length2) ? s : nc_madd(v, along / length2, d);
}

// Is there nothing left to gain? The nearest point is reached, or all but the origin itself.
static bool is_spent(nc_vec3 v, nc_vec3 s, double small)
{
    const double v2 = nc_norm2(v);
    return !(v2 > small * small) || !(v2 - nc_dot(v, s) > 0.02 * v2);
}

static bool search(const nc_mesh_data *a, const nc_mesh_data *b, const nc_placement *from, const nc_placement *to,
                   double need, nc_whole_hint *hint, double *bound)
{
    nc_vec3 v = hint->known ? hint->direction : from->x;
    for (int k = 0; k < MOST_STEPS; k++) {
        const double length = nc_norm(v);
        if (!(length > SHORTEST))
            return false;
        const nc_vec3 n = nc_scale(1.0 / length, v);
        nc_vec3 at_from, at_to;
        const double first = lowest_difference(a, b, from, n, &at_from), last = lowest_difference(a, b, to, n, &at_to);
        const double least = last < first ? last : first;
        if (first > need && last > need) {
            hint->direction = n;
            hint->known = true;
            *bound = least;
            return true;
        }
        const nc_vec3 s = last < first ? at_to : at_from;
        if (k > 0 && is_spent(v, s, need))
            return false;
        v = k == 0 ? s : step_towards(v, s); // the first direction need not be a point of the hull
    }
    return false;
}

bool nc_whole_stay_apart(nc_pair_motion *pair, const nc_mesh_data *a, const nc_mesh_data *b, double t0, double t1,
                         double floor, nc_whole_hint *hint, double *distance)
{
    if (hint->failures >= MOST_FAILURES)
        return false;
    const nc_placement from = *nc_pair_at(pair, t0), to = *nc_pair_at(pair, t1);
    const double size = 2.0 * (a->radius + b->radius + nc_norm(from.x) + nc_norm(to.x));
    const double off =
        nc_pair_deviation(pair, a->radius, b->radius, t1 - t0) + pair->error + 256.0 * NC_UNIT_ROUNDOFF * size;
    double bound;
    if (!search(a, b, &from, &to, floor + off, hint, &bound)) {
        hint->failures++;
        return false;
    }
    *distance = fmin(*distance, bound - off);
    return true;
}

bool nc_whole_apart(const nc_mesh_data *a, nc_pose pose_a, const nc_mesh_data *b, nc_pose pose_b, double distance,
                    nc_whole_hint *hint)
{
    nc_placement at;
    at.x = nc_sub(pose_a.x, pose_b.x);
    at.ra = nc_quat_matrix(pose_a.q);
    at.rb = nc_quat_matrix(pose_b.q);
    const double size = 2.0 * (a->radius + b->radius + 2.0 * nc_norm(at.x));
    double bound;
    return search(a, b, &at, &at, distance + 256.0 * NC_UNIT_ROUNDOFF * size, hint, &bound);
}
