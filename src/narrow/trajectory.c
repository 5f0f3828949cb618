// First contact of points on their true trajectories with any geometry (Shell and Drumwright, Algorithm 1).
//
// A stretch [ta, tb] of a point's curve lies in a box about the straight line between its ends, as wide as the curve
// can stray from it. A box that the target rules out is clear; else the stretch is halved, the earlier half first,
// until its box is as small as epsilon: that is a hit. Both may move: curves are drawn in the target's frame.
// docs/theory/trajectory.md has the bounds, and what differs from the paper.
#include "narrow/trajectory.h"

#define DEPTH_MAX  128 // halvings of a trajectory
#define BODY_LIMIT 64  // stretches of the whole body that are examined before its points

nc_trajectory_def nc_trajectory_def_default(void)
{
    const nc_trajectory_def def = {.epsilon = 1e-6, .t_max = 1, .limit = 10000, .segments = false};
    return def;
}

// ---- one point, or one ball, along its curve ----------------------------------------------------------------

typedef struct search {
    nc_relative_motion motion;
    const nc_target *target;
    int64_t queries;
} search;

// What is followed: a point, or all points within `radius` of it.
typedef struct runner {
    nc_tracked_point point;
    double radius;    // [m]
    double deviation; // [m] a stretch that strays no more than this and
    double length;    // [m] is no longer than this is not halved
    int limit;        // stretches
    bool segments;
} runner;

typedef struct outcome {
    nc_verdict verdict;
    double toi;
} outcome;

typedef struct stretch {
    nc_curve_point from, to;
    double deviation; // [m]
} stretch;

// Undecided here means: to be halved.
static outcome look_with_box(search *s, const runner *r, const stretch *part)
{
    const nc_vec3 a = part->from.at, b = part->to.at;
    const double spread = part->deviation + 2.0 * r->point.error + r->radius;
    const nc_oriented_box box = nc_box_around_segment(a, b, spread);
    s->queries++;
    if (!s->target->may_intersect_box(s->target->ctx, &box))
        return (outcome){NC_CLEAR, part->to.t};
    const bool small = part->deviation <= r->deviation && nc_norm(nc_sub(b, a)) <= r->length;
    return (outcome){small ? NC_HIT : NC_UNDECIDED, part->from.t};
}

static outcome look_with_segment(search *s, const runner *r, const stretch *part, bool *give_up)
{
    const double from = part->from.t, to = part->to.t;
    if (part->deviation > r->deviation)
        return (outcome){NC_UNDECIDED, from};
    double at = 0;
    s->queries++;
    const nc_verdict verdict = s->target->intersect_segment(s->target->ctx, part->from.at, part->to.at, r->length, &at);
    *give_up = verdict == NC_UNDECIDED;
    if (verdict == NC_CLEAR)
        return (outcome){NC_CLEAR, to};
    return (outcome){verdict, fmax(from, fmin(from + at * (to - from), to))};
}

// Follows the runner over [t0, t1] until the first stretch that is a hit, or cannot be settled.
static outcome follow(search *s, const runner *r, double t0, double t1)
{
    nc_curve_point ends[DEPTH_MAX]; // of the stretches that are left, the next one on top
    int left = 1;
    ends[0] = nc_relative_point(&s->motion, &r->point, t1);
    nc_curve_point from = nc_relative_point(&s->motion, &r->point, t0);
    for (int looked = 0; left > 0; looked++) {
        stretch part = {from, ends[left - 1], 0};
        if (looked >= r->limit)
            return (outcome){NC_UNDECIDED, from.t};
        part.deviation = nc_relative_deviation(&s->motion, &r->point, &part.from, &part.to);
        bool give_up = false;
        const outcome seen = r->segments ? look_with_segment(s, r, &part, &give_up) : look_with_box(s, r, &part);
        if (seen.verdict == NC_HIT || give_up)
            return seen;
        if (seen.verdict == NC_CLEAR) {
            from = ends[--left];
            continue;
        }
        const double middle = from.t + 0.5 * (part.to.t - from.t);
        if (!(middle > from.t && middle < part.to.t) || left == DEPTH_MAX)
            return (outcome){NC_UNDECIDED, from.t};
        ends[left++] = nc_relative_point(&s->motion, &r->point, middle);
    }
    return (outcome){NC_CLEAR, t1};
}

// ---- all points ---------------------------------------------------------------------------------------------

// Until when the ball that holds all points is clear.
static double follow_body(search *s, double radius, double t_max)
{
    const runner body = {.point = nc_tracked_point_make(&s->motion, nc_v3(0, 0, 0)),
                         .radius = radius,
                         .deviation = radius,
                         .length = radius,
                         .limit = BODY_LIMIT};
    return follow(s, &body, 0, t_max).toi;
}

static runner runner_of(search *s, nc_vec3 place, const nc_trajectory_def *def)
{
    // A box of a hit reaches no farther than epsilon from the start of its stretch: sqrt((3/4)^2 + 2 (1/4)^2) < 1.
    const runner r = {.point = nc_tracked_point_make(&s->motion, place),
                      .deviation = def->segments ? def->epsilon : 0.25 * def->epsilon,
                      .length = def->segments ? def->epsilon : 0.5 * def->epsilon,
                      .limit = def->limit,
                      .segments = def->segments};
    return r;
}

static nc_vec3 place_at(search *s, nc_vec3 place, double t)
{
    return nc_pose_apply(nc_path_pose(s->motion.pair.a, t), place);
}

// The target's normal at a hit, in the world; 0 when it is none or not known.
static nc_vec3 normal_at(search *s, nc_vec3 place, outcome found)
{
    if (found.verdict != NC_HIT || s->target->normal == NULL)
        return nc_v3(0, 0, 0);
    const nc_tracked_point point = nc_tracked_point_make(&s->motion, place);
    const nc_vec3 normal = s->target->normal(s->target->ctx, nc_relative_point(&s->motion, &point, found.toi).at);
    return nc_mat3_mul(nc_pair_at(&s->motion.pair, found.toi)->rb, normal);
}

// Until when all points are clear for certain, by the ball that holds them.
static double begin_of(search *s, const nc_vec3 *points, int count, const nc_trajectory_def *def)
{
    double radius = 0;
    for (int i = 0; i < count; i++)
        radius = fmax(radius, nc_norm(points[i]) * (1.0 + 8.0 * NC_UNIT_ROUNDOFF) + 1e-150);
    return def->segments || count < 2 ? 0 : follow_body(s, radius, def->t_max);
}

static void find_first(search *s, const nc_vec3 *points, int count, const nc_trajectory_def *def,
                       nc_trajectory_result *out)
{
    const double begin = begin_of(s, points, count, def);
    *out = (nc_trajectory_result){.verdict = NC_CLEAR, .toi = def->t_max, .point = -1};
    // What is found shortens the search for all that follow.
    for (int i = 0; i < count && begin < out->toi; i++) {
        const runner r = runner_of(s, points[i], def);
        const outcome found = follow(s, &r, begin, out->toi);
        if (found.verdict == NC_CLEAR)
            continue;
        out->verdict = found.verdict;
        out->toi = found.toi;
        out->point = i;
    }
    if (out->point >= 0) {
        out->place = place_at(s, points[out->point], out->toi);
        out->normal = normal_at(s, points[out->point], (outcome){out->verdict, out->toi});
    }
    out->queries = s->queries;
}

// ---- the contacts of a pair -----------------------------------------------------------------------------------

void nc_trajectory_list_free(nc_trajectory_list *list)
{
    if (list->allocator != NULL)
        nc_free(list->allocator, list->data, (size_t)list->capacity, sizeof *list->data);
    list->data = NULL;
    list->count = list->capacity = 0;
}

static bool append(nc_trajectory_list *list, nc_trajectory_point contact)
{
    if (list->count == list->capacity &&
        (list->allocator == NULL ||
         !nc_grow(list->allocator, (void **)&list->data, &list->capacity, list->count + 1, sizeof *list->data)))
        return false;
    list->data[list->count++] = contact;
    return true;
}

// A window that began with the earliest contact so far ends no earlier than the one of the earliest of all: what is
// found beyond that is taken out at the end.
static bool find_all(search *s, const nc_trajectory_body *body, int which, const nc_trajectory_def *def, double window,
                     nc_trajectory_list *list)
{
    const double begin = begin_of(s, body->points, body->point_count, def);
    for (int i = 0; i < body->point_count; i++) {
        const double end = fmin(list->toi + window, def->t_max);
        if (begin > end || (begin == end && begin == def->t_max))
            break;
        const runner r = runner_of(s, body->points[i], def);
        const outcome found = follow(s, &r, begin, end);
        if (found.verdict == NC_CLEAR)
            continue;
        nc_trajectory_point contact = {.body = which, .point = i, .verdict = found.verdict, .toi = found.toi};
        contact.place = place_at(s, body->points[i], found.toi);
        contact.normal = normal_at(s, body->points[i], found);
        if (which == 1)
            contact.normal = nc_neg(contact.normal);
        list->toi = fmin(list->toi, found.toi);
        if (!append(list, contact))
            return false;
    }
    list->queries += s->queries;
    return true;
}

static void drop_late(nc_trajectory_list *list, double window)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++)
        if (list->data[i].toi <= list->toi + window)
            list->data[kept++] = list->data[i];
    list->count = kept;
}

// ---- the public face ----------------------------------------------------------------------------------------

static nc_code check_def(const nc_trajectory_def *def, nc_error *err)
{
    if (!(def->epsilon > 0 && def->epsilon < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "epsilon is %g m; it must be above 0 and finite", def->epsilon);
    if (!(def->t_max > 0 && def->t_max <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "t_max is %g; it must lie in (0, 1]", def->t_max);
    if (def->limit < 2)
        return nc_fail(err, NC_BAD_ARGUMENT, "the limit is %d; it must be at least 2", def->limit);
    return NC_OK;
}

static bool is_in_range(nc_vec3 v)
{
    return nc_finite3(v) && nc_max3(v) <= NC_COORDINATE_MAX;
}

static nc_code check_motion(const nc_motion *motion, const char *whose, nc_error *err)
{
    const double q2 = nc_quat_norm2(motion->start.q);
    if (!is_in_range(motion->start.x) || !(q2 > 0x1p-200 && q2 < INFINITY) || !is_in_range(motion->travel) ||
        !is_in_range(motion->rotation))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the motion of the %s is not finite or above 2^100 in size, or its orientation is no rotation",
                       whose);
    return NC_OK;
}

static nc_code check_points(const nc_vec3 *points, int count, int least, nc_error *err)
{
    if (count < least || (count > 0 && points == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "there are %d points; at least %d needed", points == NULL ? 0 : count,
                       least);
    for (int i = 0; i < count; i++)
        if (!is_in_range(points[i]))
            return nc_fail(err, NC_BAD_ARGUMENT, "point %d is not finite or above 2^100 in size", i);
    return NC_OK;
}

static nc_code check_target(const nc_target *target, const nc_trajectory_def *def, nc_error *err)
{
    if (def->segments && target->intersect_segment == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "the target has no segment query, and segments were requested");
    if (!def->segments && target->may_intersect_box == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "the target has no box query; use segments");
    return NC_OK;
}

nc_code nc_trajectory_contact(const nc_vec3 *points, int point_count, const nc_motion *motion, const nc_target *target,
                              const nc_motion *target_motion, const nc_trajectory_def *def, nc_trajectory_result *out,
                              nc_error *err)
{
    const nc_motion still = {.start = {.q = {1, 0, 0, 0}}};
    const nc_motion *goal = target_motion != NULL ? target_motion : &still;
    nc_code code = check_def(def, err);
    if (code == NC_OK)
        code = check_points(points, point_count, 1, err);
    if (code == NC_OK)
        code = check_motion(motion, "body", err);
    if (code == NC_OK)
        code = check_motion(goal, "target", err);
    if (code == NC_OK)
        code = check_target(target, def, err);
    if (code != NC_OK)
        return code;
    const nc_path body_path = nc_motion_path(motion), goal_path = nc_motion_path(goal);
    search s = {.target = target};
    nc_relative_begin(&s.motion, &body_path, &goal_path);
    find_first(&s, points, point_count, def, out);
    return NC_OK;
}

static nc_code check_pair(const nc_trajectory_body *a, const nc_trajectory_body *b, const nc_trajectory_def *def,
                          double window, nc_error *err)
{
    nc_code code = check_def(def, err);
    if (code == NC_OK && !(window >= 0 && window <= 1))
        code = nc_fail(err, NC_BAD_ARGUMENT, "the window of contacts is %g; it must lie in [0, 1]", window);
    if (code == NC_OK)
        code = check_points(a->points, a->point_count, 0, err);
    if (code == NC_OK)
        code = check_points(b->points, b->point_count, 0, err);
    if (code == NC_OK)
        code = check_motion(&a->motion, "first body", err);
    if (code == NC_OK)
        code = check_motion(&b->motion, "second body", err);
    if (code == NC_OK && a->target != NULL)
        code = check_target(a->target, def, err);
    if (code == NC_OK && b->target != NULL)
        code = check_target(b->target, def, err);
    return code;
}

nc_code nc_trajectory_contacts(const nc_trajectory_body *a, const nc_trajectory_body *b, const nc_trajectory_def *def,
                               double window, nc_trajectory_list *list, nc_error *err)
{
    const nc_code code = check_pair(a, b, def, window, err);
    list->count = 0;
    list->queries = 0;
    list->toi = def->t_max;
    if (code != NC_OK)
        return code;
    const nc_path path_a = nc_motion_path(&a->motion), path_b = nc_motion_path(&b->motion);
    search points_of_a = {.target = b->target}, points_of_b = {.target = a->target};
    nc_relative_begin(&points_of_a.motion, &path_a, &path_b);
    nc_relative_begin(&points_of_b.motion, &path_b, &path_a);
    bool fits = b->target == NULL || find_all(&points_of_a, a, 0, def, window, list);
    if (fits && a->target != NULL)
        fits = find_all(&points_of_b, b, 1, def, window, list);
    if (!fits) {
        list->count = 0;
        return nc_fail_memory(err, ((size_t)list->capacity + 1) * sizeof *list->data);
    }
    drop_late(list, window);
    return NC_OK;
}
