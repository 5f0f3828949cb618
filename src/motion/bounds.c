// Bounds on paths: rounding, travel, distance from the chord, swept boxes. Proofs: docs/theory/motion.md.
//
// All are upper bounds of exact quantities, computed as sums and products of non-negative terms with a relative error
// of a few units; the factor UP covers the rounding of the bound itself.
#include "motion/motion.h"

#define UP (1.0 + 64.0 * NC_UNIT_ROUNDOFF)

// What docs/theory/motion.md counts, in units of u: for one segment, for applying a pose to a vertex, for an angle.
#define ERROR_OF_SEGMENT 112.0
#define ERROR_OF_VERTEX  56.0
#define ERROR_OF_ANGLE   8.0

static double segment_end(const nc_path *path, int i)
{
    return i + 1 < path->count ? path->segments[i + 1].begin : 1.0;
}

// |theta| + |eps|: no point at distance rho from the turning point moves faster than this times rho.
static double turning(const nc_segment *segment)
{
    return (nc_norm(segment->theta) + nc_norm(segment->eps)) * UP;
}

// Does the path consist of one segment about the body's own centre?
bool nc_path_is_free(const nc_path *path)
{
    const nc_vec3 x = path->start.x, a = path->segments[0].a;
    return path->count == 1 && x.x == a.x && x.y == a.y && x.z == a.z;
}

double nc_path_error(const nc_path *path, double radius)
{
    const bool free = nc_path_is_free(path);
    double size = nc_norm(path->start.x); // bounds every |x| on the way, |a| and |d|
    double turned = 0;                    // [rad] summed over segments
    for (int i = 0; i < path->count; i++) {
        const nc_segment *segment = &path->segments[i];
        size += (free ? 0.0 : 2.0 * nc_norm(segment->a)) + nc_norm(segment->d);
        turned += turning(segment);
    }
    const double reach = free ? radius : size + radius; // bounds every distance from a turning point
    const double units = (ERROR_OF_SEGMENT * path->count + ERROR_OF_VERTEX) * (size + radius);
    // Once for the evaluation, once for the stored end of the path.
    return 2.0 * NC_UNIT_ROUNDOFF * (units + ERROR_OF_ANGLE * turned * reach) * UP;
}

double nc_path_arm(const nc_path *path, int i)
{
    const nc_segment *segment = &path->segments[i];
    const nc_vec3 x = i == 0 ? path->start.x : nc_path_pose(path, segment->begin).x;
    const double error = i == 0 ? 0.0 : nc_path_error(path, 0);
    return (nc_norm(nc_sub(x, segment->a)) + error) * UP;
}

double nc_path_travel(const nc_path *path, double radius, double t0, double t1)
{
    double sum = 0;
    for (int i = 0; i < path->count; i++) {
        const nc_segment *segment = &path->segments[i];
        const double from = fmax(t0, segment->begin), to = fmin(t1, segment_end(path, i));
        if (to > from)
            sum += (to - from) * (nc_norm(segment->d) + turning(segment) * (nc_path_arm(path, i) + radius));
    }
    return sum * UP;
}

// Bodies that turn about themselves come nearer by the difference of their travels, and by what they turn.
double nc_path_approach(const nc_path *a, double radius_a, const nc_path *b, double radius_b)
{
    if (!nc_path_is_free(a) || !nc_path_is_free(b))
        return nc_path_travel(a, radius_a, 0, 1) + nc_path_travel(b, radius_b, 0, 1);
    const nc_segment *of_a = &a->segments[0], *of_b = &b->segments[0];
    const double rounding = 4.0 * NC_UNIT_ROUNDOFF * (nc_norm(of_a->d) + nc_norm(of_b->d));
    const double turned = turning(of_a) * radius_a + turning(of_b) * radius_b;
    return (nc_norm(nc_sub(of_a->d, of_b->d)) + rounding + turned) * UP;
}

// |R(eps) R(theta) - R(eps') R(theta')| <= |theta - theta'| + |eps - eps'|
static double turn_difference(const nc_segment *s, const nc_segment *before)
{
    return nc_norm(nc_sub(s->theta, before->theta)) + nc_norm(nc_sub(s->eps, before->eps));
}

double nc_path_difference(const nc_path *a, const nc_segment *before_a, double radius_a, const nc_path *b,
                          const nc_segment *before_b, double radius_b)
{
    const nc_segment *of_a = &a->segments[0], *of_b = &b->segments[0];
    const double size = nc_norm(of_a->d) + nc_norm(before_a->d) + nc_norm(of_b->d) + nc_norm(before_b->d);
    const double turns = nc_norm(of_a->theta) + nc_norm(of_a->eps) + nc_norm(of_b->theta) + nc_norm(of_b->eps);
    const double rounding = 8.0 * NC_UNIT_ROUNDOFF * (size + turns * (radius_a + radius_b));
    const nc_vec3 change = nc_sub(nc_sub(of_a->d, before_a->d), nc_sub(of_b->d, before_b->d));
    const double turned = turn_difference(of_a, before_a) * radius_a + turn_difference(of_b, before_b) * radius_b;
    return (nc_norm(change) + turned + rounding) * UP;
}

double nc_path_chord_deviation(const nc_path *path, double radius, double t0, double t1)
{
    for (int i = 0; i < path->count; i++) {
        const nc_segment *segment = &path->segments[i];
        if (t0 < segment->begin || t1 > segment_end(path, i))
            continue;
        const double angle = turning(segment) * (t1 - t0) * UP;
        return (nc_path_arm(path, i) + radius) * fmin(2.0, angle * angle / 8.0) * UP;
    }
    return INFINITY;
}

static double down(double value, double by)
{
    return value - by - 4.0 * NC_UNIT_ROUNDOFF * (fabs(value) + by);
}

static nc_box grow(nc_box box, double by)
{
    box.lo = nc_v3(down(box.lo.x, by), down(box.lo.y, by), down(box.lo.z, by));
    box.hi = nc_v3(-down(-box.hi.x, by), -down(-box.hi.y, by), -down(-box.hi.z, by));
    return box;
}

// The box of a set of points at one end of an interval: the centre alone, or the corners of a box of the body.
static nc_box end_box(const nc_path *path, const nc_box *body_box, double t)
{
    const nc_pose pose = nc_path_pose(path, t);
    if (body_box == NULL)
        return nc_box_add(nc_box_empty(), pose.x);
    const nc_frame frame = nc_pose_frame(pose);
    return nc_frame_box(&frame, *body_box);
}

// On each segment the chords stay within the boxes of their ends, and the curves within the chord deviation of them.
static nc_box sweep_box(const nc_path *path, const nc_box *body_box, double radius, double t0, double t1)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < path->count; i++) {
        const double from = fmax(t0, path->segments[i].begin), to = fmin(t1, segment_end(path, i));
        if (!(to >= from))
            continue;
        const nc_box ends = nc_box_union(end_box(path, body_box, from), end_box(path, body_box, to));
        box = nc_box_union(box, grow(ends, nc_path_chord_deviation(path, radius, from, to)));
    }
    return box;
}

nc_box nc_path_swept_box(const nc_path *path, double radius, double t0, double t1)
{
    const nc_box centre = sweep_box(path, NULL, 0, t0, t1);
    return grow(centre, (radius + nc_path_error(path, radius)) * UP);
}

nc_box nc_path_swept_box_of(const nc_path *path, nc_box box, double radius, double t0, double t1)
{
    return grow(sweep_box(path, &box, radius, t0, t1), nc_path_error(path, radius));
}
