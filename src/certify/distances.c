// How near two bodies came to each other in a step: a lower bound over all pairs, those that needed no sweep included.
//
// Of each pair whose boxes, swept over the whole step, come within reach, the best of these counts:
//   the distance of the two swept boxes;
//   the clearance at the start less what the two can have approached each other since;
//   what its sweeps certified, and, where a motion changed after the first event: boxes that are apart are more than
//   d_floor apart, and bodies that move as one, or stand, are as far apart as they are at the end.
// Each is a bound by itself. docs/theory/certify.md has the argument.
#include "certify/group_motion.h"
#include "certify/state.h"

// [m] between two intervals, each of which was grown by `grown` at both ends.
static double gap_along(double low_a, double high_a, double low_b, double high_b, double grown)
{
    const double size = fabs(low_a) + fabs(high_a) + fabs(low_b) + fabs(high_b);
    return fmax(0, fmax(low_b - high_a, low_a - high_b) + 2 * grown - 8 * NC_UNIT_ROUNDOFF * size);
}

// [m] between two such boxes.
static double gap_of(nc_box a, nc_box b, double grown)
{
    const nc_vec3 gap = {gap_along(a.lo.x, a.hi.x, b.lo.x, b.hi.x, grown),
                         gap_along(a.lo.y, a.hi.y, b.lo.y, b.hi.y, grown),
                         gap_along(a.lo.z, a.hi.z, b.lo.z, b.hi.z, grown)};
    return nc_norm(gap) * (1 - 8 * NC_UNIT_ROUNDOFF);
}

static double radius_of(const nc_certifier *c, int i)
{
    return nc_mesh_radius(c->bodies->mesh[i]);
}

// [m] both bodies' rounding.
static double error_of(const nc_certifier *c, int i, int j)
{
    return nc_path_error(&c->bodies->path[i], radius_of(c, i)) + nc_path_error(&c->bodies->path[j], radius_of(c, j));
}

// [m] how much nearer the two can have come to each other than they began.
static double approach_of(const nc_certifier *c, int i, int j)
{
    const nc_path *a = &c->bodies->path[i], *b = &c->bodies->path[j];
    return nc_certify_same_segments(a, b) ? 0 : nc_path_approach(a, radius_of(c, i), b, radius_of(c, j));
}

// By boxes and by the clearance at the start.
static double cheap_bound(const nc_certifier *c, int i, int j, double grown)
{
    const double boxes = gap_of(c->box[i], c->box[j], grown);
    if (c->options->clearance == NULL)
        return boxes;
    const double clearance = c->options->clearance(i, j, c->options->ctx);
    return clearance > 0 ? fmax(boxes, clearance - approach_of(c, i, j) - error_of(c, i, j)) : boxes;
}

// [m] where the two are at `t`; what is above `limit` may be anything above it.
static double distance_at(const nc_certifier *c, int i, int j, double t, double limit)
{
    const nc_pose pose_i = nc_path_pose(&c->bodies->path[i], t), pose_j = nc_path_pose(&c->bodies->path[j], t);
    nc_proximity nearest;
    const nc_code code =
        nc_mesh_distance_within(c->bodies->mesh[i], pose_i, c->bodies->mesh[j], pose_j, limit, &nearest, NULL);
    return code == NC_OK ? nearest.lower_bound : 0;
}

static bool is_still(const nc_path *path)
{
    return path->count == 1 && nc_segment_is_still(&path->segments[0]);
}

static bool is_one_from_the_start(const nc_certifier *c, int i, int j)
{
    const nc_path *a = &c->bodies->path[i], *b = &c->bodies->path[j];
    return (is_still(a) && is_still(b)) || nc_certify_same_segments(a, b);
}

// [m] of a pair that moves as one, or stands, since the time until which it is clear: on its exact path it is as far
// apart as then, and where it ends it is measured.
static double distance_when_one(const nc_certifier *c, int i, int j, double limit)
{
    return fmin(distance_at(c, i, j, 0.0, limit), distance_at(c, i, j, 1.0, limit));
}

// By what was certified of the pair.
static double certified_bound(const nc_certifier *c, int i, int j, double limit)
{
    const int found = nc_records_find(c, i, j);
    if (found < 0)
        return is_one_from_the_start(c, i, j) ? distance_when_one(c, i, j, limit) : c->options->floor;
    const nc_record *record = &c->records.data[found];
    const bool current = record->version_i == c->version[i] && record->version_j == c->version[j];
    if (current && record->clear_until >= 1.0)
        return record->distance;
    const double known = fmin(record->distance, c->options->floor);
    return fmin(known, distance_when_one(c, i, j, fmin(known, limit)));
}

nc_code nc_certify_measure(nc_certifier *c, nc_error *err)
{
    const double reach = fmax(c->options->reach, c->options->floor), grown = 0.5 * reach;
    double least = INFINITY;
    for (int i = 0; i < c->bodies->count; i++) {
        c->box[i] = nc_box_empty();
        if (c->bodies->role[i] == NC_ROLE_ABSENT)
            continue;
        const nc_box box = nc_certify_swept_box(c, i);
        c->box[i].lo = nc_sub(box.lo, nc_v3(grown, grown, grown));
        c->box[i].hi = nc_add(box.hi, nc_v3(grown, grown, grown));
    }
    const nc_code code = nc_certify_find_pairs(c, err);
    for (int k = 0; code == NC_OK && k < c->pairs.count; k++) {
        const int i = c->pairs.data[k].a, j = c->pairs.data[k].b;
        if (c->options->matters != NULL && !c->options->matters(i, j, c->options->ctx))
            continue;
        least = fmin(least, reach);
        const double bound = cheap_bound(c, i, j, grown);
        if (bound < least)
            least = fmin(least, fmax(bound, certified_bound(c, i, j, least)));
    }
    c->report.smallest_distance = least;
    return code;
}
