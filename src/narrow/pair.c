// Two bodies on their paths, seen from one of them.
#include "narrow/narrow.h"

#include <string.h>

#define UP (1.0 + 64.0 * NC_UNIT_ROUNDOFF)

void nc_path_ends_read(const nc_path *path, nc_path_ends *out)
{
    for (int k = 0; k < 2; k++) {
        out->pose[k] = nc_path_pose(path, k);
        out->rotation[k] = nc_quat_matrix(out->pose[k].q);
    }
}

bool nc_path_ends_hold(const nc_path *path, const nc_path_ends *ends)
{
    nc_path_ends now;
    nc_path_ends_read(path, &now);
    return memcmp(&now, ends, sizeof now) == 0;
}

void nc_pair_begin(nc_pair_motion *pair, const nc_path *a, double radius_a, const nc_path *b, double radius_b,
                   bool chords)
{
    pair->a = a;
    pair->b = b;
    pair->chords = chords;
    pair->ends_a = pair->ends_b = NULL;
    pair->radius_a = radius_a;
    pair->radius_b = radius_b;
    pair->error = (nc_path_error(a, radius_a) + nc_path_error(b, radius_b)) * UP;
    for (int i = 0; i < NC_EFFORT_PLACEMENTS; i++)
        pair->kept[i].t = -1;
}

// The segment that holds the interval beginning at t0.
static int segment_at(const nc_path *path, double t0)
{
    int i = 0;
    while (i + 1 < path->count && path->segments[i + 1].begin <= t0)
        i++;
    return i;
}

static void segment_bounds(const nc_path *path, double t0, double *turn, double *arm)
{
    const int i = segment_at(path, t0);
    const nc_segment *segment = &path->segments[i];
    *turn = (nc_norm(segment->theta) + nc_norm(segment->eps)) * UP;
    *arm = nc_path_arm(path, i);
}

void nc_pair_interval(nc_pair_motion *pair, double t0, double t1)
{
    NC_ASSERT(t1 <= nc_pair_next_break(pair, t0));
    (void)t1;
    segment_bounds(pair->a, t0, &pair->turn_a, &pair->arm_a);
    segment_bounds(pair->b, t0, &pair->turn_b, &pair->arm_b);
}

static double next_break(const nc_path *path, double t)
{
    const int i = segment_at(path, t);
    return i + 1 < path->count ? path->segments[i + 1].begin : 1.0;
}

double nc_pair_next_break(const nc_pair_motion *pair, double t)
{
    return fmin(next_break(pair->a, t), next_break(pair->b, t));
}

static bool turns_about_itself(const nc_path *path)
{
    return path->count == 1 && memcmp(&path->start.x, &path->segments[0].a, sizeof path->start.x) == 0;
}

// A's centre minus B's. Both on one segment about themselves: the difference of the starts, then of the travels.
static nc_vec3 centre_difference(const nc_pair_motion *pair, nc_pose a, nc_pose b, double t)
{
    if (!turns_about_itself(pair->a) || !turns_about_itself(pair->b))
        return nc_sub(a.x, b.x);
    const nc_vec3 start = nc_sub(pair->a->start.x, pair->b->start.x);
    return nc_madd(start, t, nc_sub(pair->a->segments[0].d, pair->b->segments[0].d));
}

// A slot for a time: dyadic times of one level fall into different slots.
static unsigned slot_of(double t)
{
    return (unsigned)((nc_double_bits(t) * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

static void place_at_end(const nc_pair_motion *pair, int k, nc_pair_pose *out)
{
    NC_ASSERT(nc_path_ends_hold(pair->a, pair->ends_a) && nc_path_ends_hold(pair->b, pair->ends_b));
    out->x = centre_difference(pair, pair->ends_a->pose[k], pair->ends_b->pose[k], k);
    out->ra = pair->ends_a->rotation[k];
    out->rb = pair->ends_b->rotation[k];
}

static void place_on_curves(const nc_pair_motion *pair, double t, nc_pair_pose *out)
{
    if (pair->ends_a != NULL && (t == 0 || t == 1)) {
        place_at_end(pair, t == 1, out);
        return;
    }
    const nc_pose a = nc_path_pose(pair->a, t), b = nc_path_pose(pair->b, t);
    out->x = centre_difference(pair, a, b, t);
    out->ra = nc_quat_matrix(a.q);
    out->rb = nc_quat_matrix(b.q);
}

static nc_vec3 between(nc_vec3 a, nc_vec3 b, double t)
{
    return nc_add(nc_scale(1.0 - t, a), nc_scale(t, b));
}

static nc_mat3 between_rows(const nc_mat3 *a, const nc_mat3 *b, double t)
{
    const nc_mat3 m = {
        {between(a->row[0], b->row[0], t), between(a->row[1], b->row[1], t), between(a->row[2], b->row[2], t)}};
    return m;
}

// All points in straight lines: the map from body to world goes linearly from that of the start to that of the end.
static void place_on_chords(const nc_pair_motion *pair, double t, nc_pair_pose *out)
{
    nc_pair_pose start, end;
    place_on_curves(pair, 0, &start);
    place_on_curves(pair, 1, &end);
    out->x = between(start.x, end.x, t);
    out->ra = between_rows(&start.ra, &end.ra, t);
    out->rb = between_rows(&start.rb, &end.rb, t);
}

static nc_mat3 sizes_of(nc_mat3 m)
{
    for (int i = 0; i < 3; i++)
        m.row[i] = nc_v3(fabs(m.row[i].x), fabs(m.row[i].y), fabs(m.row[i].z));
    return m;
}

const nc_pair_pose *nc_pair_at(nc_pair_motion *pair, double t)
{
    nc_pair_pose *kept = &pair->kept[slot_of(t) % NC_EFFORT_PLACEMENTS];
    if (kept->t == t)
        return kept;
    kept->t = t;
    if (pair->chords)
        place_on_chords(pair, t, kept);
    else
        place_on_curves(pair, t, kept);
    kept->turn_size = sizes_of(nc_mat3_multiply(nc_mat3_transpose(kept->ra), kept->rb));
    return kept;
}

// rho min(2, (w h)^2 / 8): docs/theory/motion.md.
static double deviation(double turn, double rho, double h)
{
    const double angle = turn * h, part = angle * angle / 8.0;
    return rho * (part <= 2.0 ? part : 2.0); // NaN too is 2
}

double nc_pair_deviation(const nc_pair_motion *pair, double a, double b, double h)
{
    if (pair->chords)
        return 0;
    return (deviation(pair->turn_a, pair->arm_a + a, h) + deviation(pair->turn_b, pair->arm_b + b, h)) * UP;
}
