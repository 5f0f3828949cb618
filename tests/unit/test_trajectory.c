// Points on their true trajectories against any geometry: never missed, never late; against dense sampling in time.
#include "check.h"

#include "narrow/trajectory.h"

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static nc_motion random_motion(nc_random *random, double spread, double travel, double turn)
{
    const nc_motion motion = {
        .start = {random_vector(random, spread), nc_quat_from_rotation_vector(random_vector(random, 3))},
        .travel = random_vector(random, travel),
        .rotation = random_vector(random, turn),
    };
    return motion;
}

// One that comes near the world's origin on its way.
static nc_motion aimed_motion(nc_random *random, double spread, double turn)
{
    nc_motion motion = random_motion(random, spread, 1.0, turn);
    motion.travel = nc_madd(motion.travel, -nc_random_range(random, 0.2, 2.0), motion.start.x);
    return motion;
}

static nc_motion at_rest(nc_vec3 x)
{
    const nc_motion motion = {.start = {x, {1, 0, 0, 0}}};
    return motion;
}

static const nc_vec3 cube[8] = {{-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {-0.3, 0.3, -0.3}, {0.3, 0.3, -0.3},
                                {-0.3, -0.3, 0.3},  {0.3, -0.3, 0.3},  {-0.3, 0.3, 0.3},  {0.3, 0.3, 0.3}};

static nc_trajectory_result contact(const nc_vec3 *points, int count, nc_motion motion, nc_target target,
                                    nc_motion target_motion, nc_trajectory_def def)
{
    nc_trajectory_result result;
    nc_error err;
    check_ok(nc_trajectory_contact(points, count, &motion, &target, &target_motion, &def, &result, &err), err);
    return result;
}

static nc_trajectory_def precise(double epsilon)
{
    nc_trajectory_def def = nc_trajectory_def_default();
    def.epsilon = epsilon;
    return def;
}

// Where a body's point is in the target's frame, by way of the world.
static nc_vec3 seen(nc_motion motion, nc_vec3 place, nc_motion target_motion, double t)
{
    const nc_path body = nc_motion_path(&motion), target = nc_motion_path(&target_motion);
    const nc_pose goal = nc_path_pose(&target, t);
    const nc_vec3 world = nc_pose_apply(nc_path_pose(&body, t), place);
    return nc_mat3_tmul(nc_quat_matrix(goal.q), nc_sub(world, goal.x));
}

// ---- bounds -------------------------------------------------------------------------------------------------

typedef struct vec3l {
    long double x, y, z;
} vec3l;

static vec3l wide(nc_vec3 v)
{
    return (vec3l){v.x, v.y, v.z};
}
static vec3l addl(vec3l a, vec3l b)
{
    return (vec3l){a.x + b.x, a.y + b.y, a.z + b.z};
}
static vec3l scalel3(long double s, vec3l a)
{
    return (vec3l){s * a.x, s * a.y, s * a.z};
}
static long double dotl(vec3l a, vec3l b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec3l crossl(vec3l a, vec3l b)
{
    return (vec3l){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Rodrigues, in long double.
static vec3l turnl(vec3l theta, vec3l v)
{
    const long double angle = sqrtl(dotl(theta, theta));
    if (angle == 0)
        return v;
    const vec3l n = scalel3(1 / angle, theta);
    const vec3l side = scalel3(sinl(angle), crossl(n, v)), along = scalel3((1 - cosl(angle)) * dotl(n, v), n);
    return addl(addl(scalel3(cosl(angle), v), side), along);
}

// R(q) v or its inverse, q of any length.
static vec3l orientl(nc_quat q, vec3l v, bool inverse)
{
    const long double n =
        (long double)q.w * q.w + (long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z;
    const vec3l im = scalel3(inverse ? -1 : 1, (vec3l){q.x, q.y, q.z});
    const vec3l cross = crossl(im, v);
    return addl(v, scalel3(2 / n, addl(scalel3(q.w, cross), crossl(im, cross))));
}

static vec3l exact_place(nc_motion body, nc_vec3 place, nc_motion target, long double t)
{
    vec3l p = turnl(scalel3(t, wide(body.rotation)), orientl(body.start.q, wide(place), false));
    p = addl(p, addl(wide(body.start.x), scalel3(-1, wide(target.start.x)))); // first: both may be far away
    p = addl(p, scalel3(t, addl(wide(body.travel), scalel3(-1, wide(target.travel)))));
    return orientl(target.start.q, turnl(scalel3(-t, wide(target.rotation)), p), true);
}

// The largest |s_k| of a place in a box: inside when at most 1.
static double box_coordinate(const nc_oriented_box *box, vec3l p)
{
    const vec3l w = addl(p, scalel3(-1, wide(box->center)));
    const vec3l a = wide(box->axis[0]), b = wide(box->axis[1]), c = wide(box->axis[2]);
    const long double det = dotl(a, crossl(b, c));
    const long double x = dotl(w, crossl(b, c)) / det, y = dotl(w, crossl(c, a)) / det, z = dotl(w, crossl(a, b)) / det;
    return (double)fmaxl(fmaxl(fabsl(x), fabsl(y)), fabsl(z));
}

static void boxes_hold_the_exact_curve_for_any_two_motions(void **state)
{
    (void)state;
    nc_random random = {check_seed("curves", 7)};
    double tightest = 0, worst = 0;
    const int cases = check_effort(20000);
    for (int i = 0; i < cases; i++) {
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -8, 8));
        const double far = i % 7 == 0 ? 1e6 : 2;
        const nc_motion body = random_motion(&random, far, 3, i % 5 == 0 ? 0 : turn);
        nc_motion target = random_motion(&random, 2, 3, i % 3 == 0 ? 0 : turn);
        if (i % 7 == 0) // far from the origin together
            target.start.x = nc_add(body.start.x, random_vector(&random, 1));
        const nc_vec3 place = random_vector(&random, 1);
        const nc_path path_a = nc_motion_path(&body), path_b = nc_motion_path(&target);
        nc_relative_motion motion;
        nc_relative_begin(&motion, &path_a, &path_b);
        const nc_tracked_point point = nc_tracked_point_make(&motion, place);
        const double t0 = nc_random_unit(&random), h = ldexp(1 - t0, -(int)nc_random_range(&random, 0, 12));
        const nc_curve_point from = nc_relative_point(&motion, &point, t0),
                             to = nc_relative_point(&motion, &point, t0 + h);
        const double deviation = nc_relative_deviation(&motion, &point, &from, &to);
        const nc_oriented_box box = nc_box_around_segment(from.at, to.at, deviation + 2 * point.error);
        const vec3l e0 = exact_place(body, place, target, t0), e1 = exact_place(body, place, target, to.t);
        const vec3l d0 = addl(wide(from.at), scalel3(-1, e0));
        const double error = (double)sqrtl(dotl(d0, d0));
        check_at_most(error, point.error);
        worst = fmax(worst, error / point.error);
        for (int k = 0; k <= 8; k++) {
            const long double s = k / 8.0L, t = t0 + s * (to.t - t0);
            const vec3l p = exact_place(body, place, target, t);
            check_at_most(box_coordinate(&box, p), 1.0);
            const vec3l chord = addl(scalel3(1 - s, e0), scalel3(s, e1)), off = addl(p, scalel3(-1, chord));
            const double stray = (double)sqrtl(dotl(off, off));
            check_at_most(stray, deviation + 1e-15 * motion.reach);
            if (deviation > 1e-6)
                tightest = fmax(tightest, stray / deviation);
        }
    }
    print_message("the curve strays by up to %.4f of the bound; rounding reaches %.4f of E\n", tightest, worst);
    assert_true(tightest > 0.9 && tightest <= 1);
}

// Exactly: a corner of the triangle is in the box, or the triangle meets one of the box's faces.
static bool box_meets_triangle(const nc_oriented_box *box, const nc_vec3 t[3])
{
    nc_vec3 corner[8];
    for (int i = 0; i < 8; i++) {
        corner[i] = box->center;
        for (int k = 0; k < 3; k++)
            corner[i] = nc_madd(corner[i], (i >> k) & 1 ? 1.0 : -1.0, box->axis[k]);
    }
    for (int k = 0; k < 3; k++)
        if (box_coordinate(box, wide(t[k])) <= 1)
            return true;
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 2; k++) {
            const nc_vec3 half[3] = {corner[faces[f][0]], corner[faces[f][k + 1]], corner[faces[f][k + 2]]};
            if (nc_simplex_intersect(half, 3, t, 3))
                return true;
        }
    return false;
}

static void a_box_is_apart_from_a_triangle_exactly_when_they_do_not_meet(void **state)
{
    (void)state;
    nc_random random = {check_seed("box and triangle", 11)};
    int meet = 0;
    const int cases = check_effort(20000);
    for (int i = 0; i < cases; i++) {
        const double thin = ldexp(1.0, -(int)nc_random_range(&random, 0, 12));
        const nc_oriented_box box =
            nc_box_around_segment(random_vector(&random, 1), random_vector(&random, 1), 0.3 * thin);
        const nc_vec3 a = random_vector(&random, 0.7);
        const nc_vec3 t[3] = {a, nc_add(a, random_vector(&random, 1)), nc_add(a, random_vector(&random, 1))};
        const bool met = box_meets_triangle(&box, t);
        nc_box_test test;
        nc_box_test_prepare(&test, &box);
        assert_int_equal(nc_box_test_misses_simplex(&test, t, 3), !met);
        meet += met;
        nc_box bounds = nc_box_add(nc_box_add(nc_box_add(nc_box_empty(), t[0]), t[1]), t[2]);
        assert_false(met && nc_box_test_misses_box(&test, bounds));
    }
    print_message("%d of %d intersect\n", meet, cases);
    assert_true(meet > cases / 20 && meet < cases - cases / 20);
}

static void no_corner_of_a_box_is_beyond_its_radius_or_its_bounds(void **state)
{
    (void)state;
    nc_random random = {check_seed("corners", 13)};
    double tightest = 0;
    for (int i = 0; i < check_effort(20000); i++) {
        nc_oriented_box box = {.center = random_vector(&random, 1)};
        for (int k = 0; k < 3; k++) // not orthogonal at all
            box.axis[k] = random_vector(&random, ldexp(1.0, -(int)nc_random_range(&random, 0, 30)));
        const double radius = nc_oriented_box_radius(&box);
        const nc_box bounds = nc_oriented_box_bounds(&box);
        for (int corner = 0; corner < 8; corner++) {
            vec3l arm = {0, 0, 0};
            for (int k = 0; k < 3; k++)
                arm = addl(arm, scalel3((corner >> k) & 1 ? 1 : -1, wide(box.axis[k])));
            const vec3l at = addl(wide(box.center), arm);
            check_at_most((double)sqrtl(dotl(arm, arm)), radius);
            assert_true(at.x >= bounds.lo.x && at.y >= bounds.lo.y && at.z >= bounds.lo.z);
            assert_true(at.x <= bounds.hi.x && at.y <= bounds.hi.y && at.z <= bounds.hi.z);
            tightest = fmax(tightest, (double)sqrtl(dotl(arm, arm)) / radius);
        }
    }
    assert_true(tightest > 0.999);
}

// ---- targets with a formula ---------------------------------------------------------------------------------

static double torus_value(const void *ctx, nc_vec3 p)
{
    (void)ctx;
    const double ring = sqrt(p.x * p.x + p.y * p.y) - 1.0;
    return sqrt(ring * ring + p.z * p.z) - 0.25;
}

static double sphere_value(const void *ctx, nc_vec3 p)
{
    (void)ctx;
    return nc_norm(p) - 0.7;
}

static double half_space_value(const void *ctx, nc_vec3 p)
{
    (void)ctx;
    return p.z;
}

// A cube with a bore along z, and a sphere on top.
static const nc_csg_node bored[] = {
    {NC_CSG_BOX, {{0, 0, 0}, {1, 0, 0, 0}}, {0.6, 0.5, 0.4}, 0, 0},
    {NC_CSG_CYLINDER, {{0.1, 0, 0}, {1, 0, 0, 0}}, {0.25, 0, 2}, 0, 0},
    {NC_CSG_DIFFERENCE, {{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, 0, 1},
    {NC_CSG_SPHERE, {{0, 0.3, 0.6}, {1, 0, 0, 0}}, {0.3, 0, 0}, 0, 0},
    {NC_CSG_UNION, {{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, 2, 3},
    {NC_CSG_HALF_SPACE, {{0, 0, -0.2}, {0, 1, 0, 0}}, {0, 0, 0}, 0, 0}, // turned over: z >= -0.2
    {NC_CSG_INTERSECTION, {{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, 4, 5},
};

static double bored_value(const void *ctx, nc_vec3 p)
{
    (void)ctx;
    const double block = fmax(fmax(fabs(p.x) - 0.6, fabs(p.y) - 0.5), fabs(p.z) - 0.4);
    const double bore = fmax(sqrt((p.x - 0.1) * (p.x - 0.1) + p.y * p.y) - 0.25, fabs(p.z) - 2);
    const double ball = nc_norm(nc_sub(p, nc_v3(0, 0.3, 0.6))) - 0.3;
    return fmax(fmin(fmax(block, -bore), ball), -0.2 - p.z);
}

#define GRID 20
typedef struct sampled {
    nc_level_set set;
    double values[GRID * GRID * GRID];
} sampled;

// A sphere of radius 0.7 on a grid; `flat` makes the function anything but a distance, `off` moves it along x: from
// 0.25 on the grid's border cuts it.
static void fill_grid(sampled *s, bool flat, double off)
{
    s->set = (nc_level_set){.origin = {-0.95, -0.9, -0.95}, .spacing = 0.1, .count = {GRID, GRID, GRID}};
    s->set.values = s->values;
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        const nc_vec3 at = nc_v3(i % GRID, (i / GRID) % GRID, i / (GRID * GRID));
        const double d = nc_norm(nc_sub(nc_madd(s->set.origin, 0.1, at), nc_v3(off, 0, 0))) - 0.7;
        s->values[i] = flat ? 5.0 * d + d * d * d : d;
    }
}

// The trilinear function by its definition; outside the grid 1.
static double grid_value(const void *ctx, nc_vec3 p)
{
    const nc_level_set *set = ctx;
    const nc_vec3 w = nc_scale(1 / set->spacing, nc_sub(p, set->origin));
    if (fmin(w.x, fmin(w.y, w.z)) < 0 || fmax(w.x, fmax(w.y, w.z)) > GRID - 1)
        return 1;
    const int at[3] = {(int)w.x, (int)w.y, (int)w.z};
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        const int i = at[0] + (corner & 1), j = at[1] + ((corner >> 1) & 1), k = at[2] + (corner >> 2);
        const double x = 1 - fabs(w.x - i), y = 1 - fabs(w.y - j), z = 1 - fabs(w.z - k);
        if (x > 0 && y > 0 && z > 0)
            sum += x * y * z * set->values[i + GRID * (j + GRID * k)];
    }
    return sum;
}

typedef struct tally {
    int cases, clear, hits, undecided, inside;
    double farthest; // [epsilon] a hit from the target
    int64_t queries;
} tally;

typedef double (*field)(const void *ctx, nc_vec3 p);

static void check_case(nc_motion body, nc_target target, nc_motion goal, field value, const void *ctx, int samples,
                       double epsilon, tally *sum)
{
    const nc_trajectory_result r = contact(cube, 8, body, target, goal, precise(epsilon));
    sum->cases++;
    sum->clear += r.verdict == NC_CLEAR;
    sum->hits += r.verdict == NC_HIT;
    sum->undecided += r.verdict == NC_UNDECIDED;
    sum->queries += r.queries;
    bool inside = false;
    for (int k = 0; k <= samples && !inside; k++) {
        const double t = (double)k / samples;
        for (int i = 0; i < 8 && !inside; i++)
            inside = value(ctx, seen(body, cube[i], goal, t)) < -1e-9;
        if (inside && (r.verdict == NC_CLEAR || r.toi > t)) {
            print_error("a point is inside at %.17g; the answer was %d, toi %.17g\n", t, (int)r.verdict, r.toi);
            fail();
        }
    }
    sum->inside += inside;
    if (r.verdict == NC_HIT) {
        sum->farthest = fmax(sum->farthest, value(ctx, seen(body, cube[r.point], goal, r.toi)) / epsilon);
        const nc_path path = nc_motion_path(&body);
        check_at_most(nc_norm(nc_sub(r.place, nc_pose_apply(nc_path_pose(&path, r.toi), cube[r.point]))), 1e-12);
        check_near(nc_norm(r.normal), 1, 1e-9);
    }
}

static tally check_field(const char *name, nc_target target, field value, const void *ctx, int cases)
{
    nc_random random = {check_seed(name, 21)};
    tally sum = {0};
    for (int i = 0; i < cases; i++) {
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -3, 7)); // up to 64 rad: ten turns
        const nc_motion body = aimed_motion(&random, 2.5, turn);
        const nc_motion goal = i % 2 == 0 ? random_motion(&random, 0.5, 1, turn) : at_rest(nc_v3(0, 0, 0));
        check_case(body, target, goal, value, ctx, 300, 1e-4, &sum);
    }
    print_message("%s: %d cases: %d clear, %d hits, %d undecided; %d inside at a sample; hits within %.3f epsilon; "
                  "%.0f queries\n",
                  name, sum.cases, sum.clear, sum.hits, sum.undecided, sum.inside, sum.farthest,
                  (double)sum.queries / sum.cases);
    assert_true(sum.inside > sum.cases / 20 && sum.clear > sum.cases / 50 && sum.undecided == 0);
    assert_true(sum.hits >= sum.inside);
    return sum;
}

static nc_target csg_target(const nc_csg *csg)
{
    nc_target target;
    nc_error err;
    check_ok(nc_target_csg(csg, &target, &err), err);
    return target;
}

static nc_target implicit_target(const nc_implicit *implicit)
{
    nc_target target;
    nc_error err;
    check_ok(nc_target_implicit(implicit, &target, &err), err);
    return target;
}

static nc_target level_set_target(nc_level_set *set)
{
    nc_target target;
    nc_error err;
    check_ok(nc_target_level_set(set, &target, &err), err);
    return target;
}

static const nc_csg_node one_sphere = {NC_CSG_SPHERE, {{0, 0, 0}, {1, 0, 0, 0}}, {0.7, 0, 0}, 0, 0};
static const nc_csg_node one_half_space = {NC_CSG_HALF_SPACE, {{0, 0, 0}, {2, 0, 0, 0}}, {0, 0, 0}, 0, 0};
static const nc_implicit torus = {torus_value, NULL, 1.0, 1e-14, 1e-6};

static void spinning_points_never_miss_solids_of_primitives(void **state)
{
    (void)state;
    const nc_csg sphere = {&one_sphere, 1}, half = {&one_half_space, 1}, solid = {bored, 7};
    check_at_most(check_field("sphere", csg_target(&sphere), sphere_value, NULL, check_effort(300)).farthest, 1.01);
    check_at_most(check_field("half-space", csg_target(&half), half_space_value, NULL, check_effort(300)).farthest,
                  1.01);
    check_at_most(check_field("bored block", csg_target(&solid), bored_value, NULL, check_effort(300)).farthest, 1.5);
}

static void spinning_points_never_miss_an_implicit_torus(void **state)
{
    (void)state;
    check_at_most(check_field("torus", implicit_target(&torus), torus_value, NULL, check_effort(300)).farthest, 1.5);
}

static void spinning_points_never_miss_a_level_set(void **state)
{
    (void)state;
    sampled s;
    fill_grid(&s, false, 0);
    const nc_target round = level_set_target(&s.set);
    check_at_most(check_field("level set", round, grid_value, &s.set, check_effort(200)).farthest, 2.0);
    // The bound of the slope is that of the whole grid: larger than what the function has near the surface.
    fill_grid(&s, true, 0);
    const nc_target steep = level_set_target(&s.set);
    check_at_most(check_field("level set, no distance", steep, grid_value, &s.set, check_effort(200)).farthest, 12.0);
    // Cut by the border: there the function says nothing of how near a hit is.
    fill_grid(&s, false, 0.5);
    check_field("level set, cut", level_set_target(&s.set), grid_value, &s.set, check_effort(200));
    fill_grid(&s, false, -0.6);
    check_field("level set, cut", level_set_target(&s.set), grid_value, &s.set, check_effort(200));
}

// ---- soups --------------------------------------------------------------------------------------------------

static nc_mesh *shape(const char *name)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *soup_of(const nc_vec3 *vertices, int triangle_count)
{
    int rows[64][3];
    for (int i = 0; i < 3 * triangle_count; i++)
        rows[i / 3][i % 3] = i;
    const nc_mesh_def def = {.vertices = vertices,
                             .vertex_count = 3 * triangle_count,
                             .triangles = (const int(*)[3])rows,
                             .triangle_count = triangle_count};
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

#define SOUP 12
static nc_mesh *random_soup(nc_random *random)
{
    nc_vec3 vertices[3 * SOUP];
    for (int i = 0; i < SOUP; i++) {
        const nc_vec3 at = random_vector(random, 1);
        for (int k = 0; k < 3; k++)
            vertices[3 * i + k] = nc_add(at, random_vector(random, 0.6));
    }
    return soup_of(vertices, SOUP);
}

// The least barycentric coordinate of the foot of p on the triangle's plane, and the height of p over it.
static double least_coordinate(const nc_vec3 t[3], nc_vec3 p, double *height)
{
    const nc_vec3 n = nc_cross(nc_sub(t[1], t[0]), nc_sub(t[2], t[0]));
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const nc_vec3 a = t[k], b = t[(k + 1) % 3];
        least = fmin(least, nc_dot(n, nc_cross(nc_sub(b, a), nc_sub(p, a))) / nc_norm2(n));
    }
    *height = nc_dot(n, nc_sub(p, t[0])) / nc_norm(n);
    return least;
}

// Surely a crossing between two samples: the point changes sides by a depth, over the inside of the triangle both
// times. (Between them it strays from the chord by far less than the distance from the triangle's sides.)
static bool surely_crosses(const nc_mesh_data *soup, nc_vec3 before, nc_vec3 after, double depth)
{
    for (int i = 0; i < soup->triangle_count; i++) {
        nc_vec3 t[3];
        for (int k = 0; k < 3; k++)
            t[k] = soup->vertices[soup->triangles[i][k]];
        double h0, h1;
        if (nc_norm(nc_cross(nc_sub(t[1], t[0]), nc_sub(t[2], t[0]))) > 0.2 &&
            least_coordinate(t, before, &h0) > 0.05 && least_coordinate(t, after, &h1) > 0.05 &&
            ((h0 < -depth && h1 > depth) || (h0 > depth && h1 < -depth)))
            return true;
    }
    return false;
}

static double first_crossing(const nc_mesh_data *points, nc_motion body, const nc_mesh_data *soup, nc_motion goal,
                             double depth)
{
    const int samples = 1000;
    const nc_path path_a = nc_motion_path(&body), path_b = nc_motion_path(&goal);
    nc_vec3 before[64];
    assert_true(points->vertex_count <= 64);
    for (int k = 0; k <= samples; k++) {
        const double t = (double)k / samples;
        const nc_frame a = nc_pose_frame(nc_path_pose(&path_a, t)), b = nc_pose_frame(nc_path_pose(&path_b, t));
        for (int i = 0; i < points->vertex_count; i++) {
            const nc_vec3 after = nc_mat3_tmul(b.rotation, nc_sub(nc_frame_apply(a, points->vertices[i]), b.x));
            if (k > 0 && surely_crosses(soup, before[i], after, depth))
                return t;
            before[i] = after;
        }
    }
    return INFINITY;
}

static double soup_distance(const nc_mesh_data *soup, nc_vec3 p)
{
    double nearest = INFINITY;
    for (int i = 0; i < soup->triangle_count; i++) {
        nc_vec3 t[3];
        for (int k = 0; k < 3; k++)
            t[k] = soup->vertices[soup->triangles[i][k]];
        nearest = fmin(nearest, nc_distance_point_triangle(p, t).distance);
    }
    return nearest;
}

// The paper's example.
static void polyhedra_never_pass_through_polygon_soups(void **state)
{
    (void)state;
    nc_random random = {check_seed("soups", 31)};
    nc_mesh *bodies[2] = {shape("box"), shape("boat")};
    int clear = 0, hits = 0, crossed = 0, missed_by_segments = 0, false_hits = 0;
    const int cases = check_effort(200);
    for (int i = 0; i < cases; i++) {
        const nc_mesh_data points = nc_mesh_view(bodies[i % 2]);
        nc_mesh *mesh = random_soup(&random);
        const nc_mesh_data soup = nc_mesh_view(mesh);
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -3, 5));
        const nc_motion body = aimed_motion(&random, 2, turn);
        const nc_motion goal = i % 2 == 0 ? random_motion(&random, 0.5, 1, turn) : at_rest(nc_v3(0, 0, 0));
        const double first = first_crossing(&points, body, &soup, goal, 1e-9);
        nc_trajectory_def def = precise(1e-5);
        const nc_target target = nc_target_mesh(mesh);
        const nc_trajectory_result r = contact(points.vertices, points.vertex_count, body, target, goal, def);
        if (first <= 1 && (r.verdict == NC_CLEAR || r.toi > first)) {
            print_error("case %d: crossed by %g; the answer was %d, toi %.17g\n", i, first, (int)r.verdict, r.toi);
            fail();
        }
        if (r.verdict == NC_HIT) // near the soup indeed
            check_at_most(soup_distance(&soup, seen(body, points.vertices[r.point], goal, r.toi)), 1.001e-5);
        def.segments = true;
        def.limit = 1000000; // of the fastest spins segments take tens of thousands
        const nc_trajectory_result s = contact(points.vertices, points.vertex_count, body, target, goal, def);
        // Segments find what is deeper than they stray.
        const double deep = first <= 1 ? first_crossing(&points, body, &soup, goal, 2e-5) : INFINITY;
        if (deep <= 1 && !(s.verdict == NC_HIT && s.toi <= deep)) {
            print_error("case %d: crossed deeply by %g; segments said %d, toi %.17g\n", i, deep, (int)s.verdict, s.toi);
            fail();
        }
        if (s.verdict == NC_HIT) // strayed by epsilon, early by epsilon
            check_at_most(soup_distance(&soup, seen(body, points.vertices[s.point], goal, s.toi)), 2.001e-5);
        false_hits += s.verdict == NC_HIT && r.verdict == NC_CLEAR;
        clear += r.verdict == NC_CLEAR;
        hits += r.verdict == NC_HIT;
        crossed += first <= 1;
        missed_by_segments += r.verdict == NC_HIT && s.verdict == NC_CLEAR;
        nc_mesh_release(mesh);
    }
    nc_mesh_release(bodies[0]);
    nc_mesh_release(bodies[1]);
    print_message("%d cases: %d clear, %d hits, %d cross for sure; %d hits that segments do not see, "
                  "%d hits of segments that are none\n",
                  cases, clear, hits, crossed, missed_by_segments, false_hits);
    assert_true(crossed > cases / 5 && clear > cases / 20 && hits + clear == cases);
}

// Two proofs of different kinds: what the swept test of whole meshes calls clear by a gap, no point can hit within it.
static void a_hit_is_never_where_the_sweep_of_the_meshes_is_clear(void **state)
{
    (void)state;
    nc_random random = {check_seed("sweep", 41)};
    nc_mesh *body_mesh = shape("box");
    const nc_mesh_data points = nc_mesh_view(body_mesh);
    int both = 0;
    const int cases = check_effort(200);
    for (int i = 0; i < cases; i++) {
        nc_mesh *mesh = random_soup(&random);
        const nc_motion body = aimed_motion(&random, 3, 6), goal = random_motion(&random, 0.5, 1, 3);
        const nc_trajectory_result r =
            contact(points.vertices, points.vertex_count, body, nc_target_mesh(mesh), goal, precise(1e-4));
        nc_sweep_def def = nc_sweep_def_default();
        def.gap = 1.1e-4;
        nc_sweep_result sweep;
        nc_error err;
        check_ok(nc_mesh_sweep(body_mesh, &body, mesh, &goal, &def, &sweep, &err), err);
        assert_false(r.verdict == NC_HIT && sweep.verdict == NC_CLEAR);
        if (r.verdict == NC_HIT && sweep.verdict == NC_HIT) {
            check_at_most(sweep.toi, r.toi + 1e-3);
            both++;
        }
        nc_mesh_release(mesh);
    }
    nc_mesh_release(body_mesh);
    assert_true(both > cases / 10);
}

// ---- known times --------------------------------------------------------------------------------------------

// A fin across the circle of radius 1 about z, at an angle, without thickness.
static nc_mesh *fin_at(double angle)
{
    double s, c;
    nc_sincos(angle, &s, &c);
    const nc_vec3 fin[3] = {{0.5 * c, 0.5 * s, -0.2}, {1.5 * c, 1.5 * s, -0.2}, {c, s, 0.5}};
    return soup_of(fin, 1);
}

static void ten_turns_about_an_axis_hit_a_fin_at_the_exact_angle(void **state)
{
    (void)state;
    const double angle = 4.0, turns = 20 * NC_PI;
    nc_mesh *fin = fin_at(angle);
    nc_motion spin = at_rest(nc_v3(0, 0, 0));
    spin.rotation = nc_v3(0, 0, turns);
    const nc_vec3 point = {1, 0, 0};
    for (double epsilon = 1e-2; epsilon > 1e-11; epsilon *= 0.1) {
        const nc_trajectory_result r =
            contact(&point, 1, spin, nc_target_mesh(fin), at_rest(nc_v3(0, 0, 0)), precise(epsilon));
        assert_int_equal(r.verdict, NC_HIT);
        check_at_most(r.toi, angle / turns);
        check_at_most(angle / turns - r.toi, 1.01 * epsilon / turns + 1e-15);
        assert_int_equal(r.point, 0);
        // The normal is on the side the point comes from: against its velocity.
        double s, c;
        nc_sincos(angle, &s, &c);
        check_near(nc_dot(r.normal, nc_v3(-s, c, 0)), -1, 1e-9);
    }
    nc_mesh_release(fin);
}

static void a_hit_is_within_epsilon_when_the_circle_is_as_small_as_that(void **state)
{
    (void)state;
    const nc_csg half = {&one_half_space, 1};
    nc_motion spin = at_rest(nc_v3(0, 0, 0.5));
    spin.rotation = nc_v3(20 * NC_PI, 0, 0); // whole turns: the chord of the step has no length
    const nc_vec3 point = {0, 0, 1};
    const nc_trajectory_result r = contact(&point, 1, spin, csg_target(&half), at_rest(nc_v3(0, 0, 0)), precise(1.0));
    assert_int_equal(r.verdict, NC_HIT);
    check_at_most(r.place.z, 1.0);
    check_at_most(r.toi, 1.0 / 30); // a third of a turn: the exact time
}

static void a_fin_that_sweeps_over_a_resting_point_hits_it_at_the_exact_time(void **state)
{
    (void)state;
    const double angle = 1.0, turns = -6 * NC_PI; // clockwise, and carried along by a moving frame
    nc_mesh *fin = fin_at(angle);
    nc_motion spin = at_rest(nc_v3(10, 20, 30)), rest = at_rest(nc_v3(11, 20, 30));
    spin.rotation = nc_v3(0, 0, turns);
    spin.travel = rest.travel = nc_v3(5, -3, 2);
    const nc_vec3 point = {0, 0, 0};
    const nc_trajectory_result r = contact(&point, 1, rest, nc_target_mesh(fin), spin, precise(1e-8));
    assert_int_equal(r.verdict, NC_HIT);
    check_at_most(r.toi, angle / -turns);
    check_near(r.toi, angle / -turns, 1e-8);
    check_near(r.normal.y, -1, 1e-6);
    check_near(nc_norm(nc_sub(r.place, nc_madd(rest.start.x, r.toi, rest.travel))), 0, 1e-12);
    nc_mesh_release(fin);
}

static void segments_overlook_what_the_curve_enters_by_less_than_epsilon_and_boxes_do_not(void **state)
{
    (void)state;
    // A quarter turn strays from its chords by up to 0.29. The ball reaches the circle from outside, by 1e-3.
    const nc_csg_node ball = {NC_CSG_SPHERE, {{0, 1.049, 0}, {1, 0, 0, 0}}, {0.05, 0, 0}, 0, 0};
    const nc_csg csg = {&ball, 1};
    nc_motion spin = at_rest(nc_v3(0, 0, 0));
    spin.rotation = nc_v3(0, 0, 3);
    const nc_vec3 point = {1, 0, 0};
    nc_trajectory_def def = precise(0.01);
    assert_int_equal(contact(&point, 1, spin, csg_target(&csg), at_rest(nc_v3(0, 0, 0)), def).verdict, NC_HIT);
    def.segments = true;
    assert_int_equal(contact(&point, 1, spin, csg_target(&csg), at_rest(nc_v3(0, 0, 0)), def).verdict, NC_CLEAR);
    def.epsilon = 1e-6;
    const nc_trajectory_result fine = contact(&point, 1, spin, csg_target(&csg), at_rest(nc_v3(0, 0, 0)), def);
    assert_int_equal(fine.verdict, NC_HIT);
}

static void segments_of_every_target_find_a_straight_flight_at_its_time(void **state)
{
    (void)state;
    const nc_csg sphere = {&one_sphere, 1};
    const nc_implicit ball = {sphere_value, NULL, 1.0, 1e-14, 1e-6};
    static sampled s;
    fill_grid(&s, false, 0);
    const nc_target targets[3] = {csg_target(&sphere), implicit_target(&ball), level_set_target(&s.set)};
    nc_motion flight = at_rest(nc_v3(0, 0, 3));
    flight.travel = nc_v3(0, 0, -6);
    const nc_vec3 point = {0, 0, 0};
    nc_trajectory_def def = precise(1e-6);
    for (int i = 0; i < 3; i++)
        for (int segments = 0; segments < 2; segments++) {
            def.segments = segments == 1;
            const nc_trajectory_result r = contact(&point, 1, flight, targets[i], at_rest(nc_v3(0, 0, 0)), def);
            assert_int_equal(r.verdict, NC_HIT);
            check_near(r.toi, 2.3 / 6, i == 2 ? 1e-3 : 1e-6); // the grid's sphere is not quite round
            check_near(r.normal.z, 1, i == 2 ? 1e-2 : 1e-6);
        }
}

// ---- limits, order, arguments -------------------------------------------------------------------------------

static bool always_maybe(const void *ctx, const nc_oriented_box *box)
{
    (void)ctx;
    (void)box;
    return true;
}

static nc_verdict gives_up(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    (void)ctx;
    (void)from;
    (void)to;
    (void)precision;
    *s = 0.5;
    return NC_UNDECIDED;
}

static void a_limit_never_makes_it_clear(void **state)
{
    (void)state;
    nc_random random = {check_seed("limit", 51)};
    int undecided = 0;
    for (int i = 0; i < 300; i++) {
        const nc_motion body = aimed_motion(&random, 2.5, 30), goal = random_motion(&random, 0.5, 1, 10);
        const nc_target target = implicit_target(&torus);
        const nc_trajectory_result whole = contact(cube, 8, body, target, goal, precise(1e-6));
        nc_trajectory_def def = precise(1e-6);
        def.limit = 2 + i % 60;
        const nc_trajectory_result cut = contact(cube, 8, body, target, goal, def);
        if (cut.verdict == NC_CLEAR)
            assert_int_equal(whole.verdict, NC_CLEAR);
        else // two hits may differ by what lies within epsilon
            assert_true(cut.point >= 0 && cut.toi <= whole.toi + 1e-6);
        undecided += cut.verdict == NC_UNDECIDED;
    }
    assert_true(undecided > 50);
}

static void a_target_that_rules_out_nothing_is_hit_at_once_and_one_that_gives_up_is_undecided(void **state)
{
    (void)state;
    const nc_target maybe = {always_maybe, gives_up, NULL, NULL};
    nc_motion flight = at_rest(nc_v3(0, 0, 0));
    flight.travel = nc_v3(1, 0, 0);
    nc_trajectory_def def = nc_trajectory_def_default();
    const nc_trajectory_result hit = contact(cube, 8, flight, maybe, at_rest(nc_v3(0, 0, 0)), def);
    assert_true(hit.verdict == NC_HIT && hit.toi == 0 && hit.point == 0 && nc_norm(hit.normal) == 0);
    def.segments = true;
    const nc_trajectory_result given_up = contact(cube, 8, flight, maybe, at_rest(nc_v3(0, 0, 0)), def);
    assert_int_equal(given_up.verdict, NC_UNDECIDED);
    check_at_most(given_up.toi, 0.5);
}

static void the_search_is_shortened_by_what_was_found(void **state)
{
    (void)state;
    const nc_csg half = {&one_half_space, 1};
    nc_motion drop = at_rest(nc_v3(0, 0, 2));
    drop.travel = nc_v3(0, 0, -4);
    drop.rotation = nc_v3(20, 0, 0);
    const nc_target target = csg_target(&half);
    int64_t one_by_one = 0;
    double earliest = 1;
    for (int i = 0; i < 8; i++) {
        const nc_trajectory_result r = contact(&cube[i], 1, drop, target, at_rest(nc_v3(0, 0, 0)), precise(1e-8));
        one_by_one += r.queries;
        earliest = fmin(earliest, r.toi);
    }
    const nc_trajectory_result all = contact(cube, 8, drop, target, at_rest(nc_v3(0, 0, 0)), precise(1e-8));
    check_near(all.toi, earliest, 1e-8);
    print_message("%d queries together, %d one by one\n", (int)all.queries, (int)one_by_one);
    assert_true(all.queries < one_by_one * 3 / 4);
}

static void t_max_ends_the_search(void **state)
{
    (void)state;
    const nc_csg half = {&one_half_space, 1};
    nc_motion drop = at_rest(nc_v3(0, 0, 2));
    drop.travel = nc_v3(0, 0, -4);
    const nc_vec3 point = {0, 0, 0};
    nc_trajectory_def def = precise(1e-6);
    def.t_max = 0.49;
    const nc_trajectory_result before = contact(&point, 1, drop, csg_target(&half), at_rest(nc_v3(0, 0, 0)), def);
    assert_true(before.verdict == NC_CLEAR && before.toi == 0.49 && before.point == -1);
    def.t_max = 0.51;
    const nc_trajectory_result after = contact(&point, 1, drop, csg_target(&half), at_rest(nc_v3(0, 0, 0)), def);
    assert_int_equal(after.verdict, NC_HIT);
    check_near(after.toi, 0.5, 1e-6);
}

static void extreme_numbers_are_refused_or_answered_without_a_miss(void **state)
{
    (void)state;
    static const double scales[] = {1e-30, 1e-15, 1, 1e9, 1e20};
    for (int i = 0; i < 5; i++) {
        const double k = scales[i];
        const nc_csg_node ball = {NC_CSG_SPHERE, {{0, 0, 0}, {1e-3, 0, 0, 0}}, {0.7 * k, 0, 0}, 0, 0};
        const nc_csg csg = {&ball, 1};
        nc_motion spin = at_rest(nc_v3(0, 0, 3 * k));
        spin.travel = nc_v3(0, 0, -6 * k);
        spin.rotation = nc_v3(0, 1e4, 0);
        const nc_vec3 point = {0.1 * k, 0, 0};
        const nc_trajectory_result r =
            contact(&point, 1, spin, csg_target(&csg), at_rest(nc_v3(0, 0, 0)), precise(1e-5 * k));
        assert_int_equal(r.verdict, NC_HIT);
        check_at_most(r.toi, 2.4 / 6);
        assert_true(r.toi > 2.19 / 6);
    }
    // A spin so fast that doubles do not know the angle: not clear, as the circle reaches into the ball.
    const nc_csg sphere = {&one_sphere, 1};
    nc_motion whirl = at_rest(nc_v3(1.5, 0, 0));
    whirl.rotation = nc_v3(0, 0, 1e20);
    const nc_vec3 point = {1, 0, 0};
    nc_trajectory_def def = precise(1e-6);
    assert_true(contact(&point, 1, whirl, csg_target(&sphere), at_rest(nc_v3(0, 0, 0)), def).verdict != NC_CLEAR);
}

// Any double at all, or an ordinary one.
static double any_number(nc_random *random)
{
    static const double special[] = {0,   -0.0,  1,      -1,     INFINITY, -INFINITY,
                                     NAN, 1e300, 1e-300, 5e-324, 0x1p100,  0x1p-100};
    const uint64_t kind = nc_random_u64(random) % 64;
    if (kind < 61)
        return nc_random_range(random, -1, 1);
    if (kind < 63)
        return special[nc_random_u64(random) % (sizeof special / sizeof *special)];
    const uint64_t bits = nc_random_u64(random);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static nc_vec3 any_vector(nc_random *random)
{
    const double x = any_number(random), y = any_number(random);
    return nc_v3(x, y, any_number(random));
}

static nc_motion any_motion(nc_random *random)
{
    nc_motion motion = {.start = {any_vector(random), {1, 0, 0, 0}}};
    motion.start.q.x = any_number(random);
    motion.travel = any_vector(random);
    motion.rotation = any_vector(random);
    return motion;
}

// Refused, or answered without a crash or a hang; and what starts inside the ball, by far, is never clear.
static void any_numbers_at_all_are_refused_or_answered(void **state)
{
    (void)state;
    nc_random random = {check_seed("any numbers", 81)};
    static sampled s;
    fill_grid(&s, false, 0);
    nc_mesh *torus_mesh = shape("torus");
    const nc_csg sphere = {&one_sphere, 1};
    const nc_target targets[4] = {csg_target(&sphere), implicit_target(&torus), level_set_target(&s.set),
                                  nc_target_mesh(torus_mesh)};
    int answered = 0, inside = 0;
    for (int i = 0; i < check_effort(10000); i++) {
        const nc_vec3 points[2] = {any_vector(&random), any_vector(&random)};
        const nc_motion body = any_motion(&random), goal = any_motion(&random);
        const nc_trajectory_def def = {fabs(any_number(&random)), 1, 2 + i % 40, i % 4 == 0};
        nc_trajectory_result r;
        if (nc_trajectory_contact(points, 2, &body, &targets[i % 3 + (i % 7 == 0)], &goal, &def, &r, NULL) != NC_OK)
            continue;
        answered++;
        assert_true(r.toi >= 0 && r.toi <= 1 && (r.verdict == NC_CLEAR) == (r.point < 0));
        if (nc_norm(seen(body, points[0], goal, 0)) < 0.6 && i % 7 != 0 && i % 3 == 0) {
            assert_true(r.verdict != NC_CLEAR && r.toi == 0);
            inside++;
        }
    }
    print_message("%d answered, %d of them inside at the start\n", answered, inside);
    assert_true(answered > 1000 && inside > 20);
    nc_mesh_release(torus_mesh);
}

#define refused(sentence)                                                                                              \
    do {                                                                                                               \
        nc_error err;                                                                                                  \
        assert_int_equal(nc_trajectory_contact(points, count, &motion, &target, &goal, &def, &result, &err),           \
                         NC_BAD_ARGUMENT);                                                                             \
        assert_non_null(strstr(err.text, sentence));                                                                   \
    } while (0)

static void bad_arguments_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const nc_csg half = {&one_half_space, 1};
    const nc_target good = csg_target(&half);
    nc_trajectory_result result;
    const nc_vec3 *points = cube;
    int count = 8;
    nc_motion motion = at_rest(nc_v3(0, 0, 1)), goal = at_rest(nc_v3(0, 0, 0));
    nc_target target = good;
    nc_trajectory_def def = precise(0);
    refused("epsilon is 0");
    def.epsilon = NAN;
    refused("epsilon");
    def = nc_trajectory_def_default();
    def.t_max = 1.5;
    refused("t_max is 1.5");
    def = nc_trajectory_def_default();
    def.limit = 1;
    refused("limit is 1");
    def = nc_trajectory_def_default();
    count = 0;
    refused("at least 1");
    count = 1;
    const nc_vec3 bad = {NAN, 0, 0};
    points = &bad;
    refused("point 0");
    points = cube;
    motion.travel.x = INFINITY;
    refused("the body");
    motion = at_rest(nc_v3(0, 0, 1));
    goal.start.q = nc_q4(0, 0, 0, 0);
    refused("the target");
    goal = at_rest(nc_v3(0, 0, 0));
    goal.rotation.y = 1e200;
    refused("the target");
    goal = at_rest(nc_v3(0, 0, 0));
    target.may_intersect_box = NULL;
    refused("no box query");
    target = good;
    target.intersect_segment = NULL;
    def.segments = true;
    refused("no segment query");
}

static void bad_targets_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_target target;
    nc_error err;
    nc_csg_node nodes[2] = {one_sphere, {NC_CSG_UNION, {{0, 0, 0}, {1, 0, 0, 0}}, {0, 0, 0}, 0, 1}};
    nc_csg csg = {nodes, 2};
    assert_int_equal(nc_target_csg(&csg, &target, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "only earlier ones"));
    csg.count = 0;
    assert_int_equal(nc_target_csg(&csg, &target, &err), NC_BAD_ARGUMENT);
    csg.count = 1;
    nodes[0].size.x = -1;
    assert_int_equal(nc_target_csg(&csg, &target, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "solid 0 has the size"));
    nodes[0].size.x = 1;
    nodes[0].pose.q.w = NAN;
    assert_int_equal(nc_target_csg(&csg, &target, &err), NC_BAD_ARGUMENT);
    nodes[0].kind = (nc_csg_kind)99;
    assert_int_equal(nc_target_csg(&csg, &target, &err), NC_BAD_ARGUMENT);
    nc_implicit implicit = torus;
    implicit.slope = 0;
    assert_int_equal(nc_target_implicit(&implicit, &target, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "slope"));
    implicit = torus;
    implicit.value = NULL;
    assert_int_equal(nc_target_implicit(&implicit, &target, &err), NC_BAD_ARGUMENT);
    implicit = torus;
    implicit.error = -1;
    assert_int_equal(nc_target_implicit(&implicit, &target, &err), NC_BAD_ARGUMENT);
    implicit = torus;
    implicit.step = NAN;
    assert_int_equal(nc_target_implicit(&implicit, &target, &err), NC_BAD_ARGUMENT);
    static sampled s;
    fill_grid(&s, false, 0);
    s.values[17] = NAN;
    assert_int_equal(nc_target_level_set(&s.set, &target, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "value 17"));
    s.values[17] = 0;
    s.set.count[1] = 1;
    assert_int_equal(nc_target_level_set(&s.set, &target, &err), NC_BAD_ARGUMENT);
    s.set.count[1] = GRID;
    s.set.spacing = 0;
    assert_int_equal(nc_target_level_set(&s.set, &target, &err), NC_BAD_ARGUMENT);
    s.set.spacing = 1;
    s.set.values = NULL;
    assert_int_equal(nc_target_level_set(&s.set, &target, &err), NC_BAD_ARGUMENT);
}

// ---- samples ------------------------------------------------------------------------------------------------

static void every_point_of_a_mesh_is_within_the_spacing_of_a_sample(void **state)
{
    (void)state;
    nc_random random = {check_seed("samples", 61)};
    const char *names[3] = {"boat", "box", "ring"};
    for (int m = 0; m < 3; m++) {
        nc_mesh *mesh = shape(names[m]);
        const nc_mesh_data data = nc_mesh_view(mesh);
        const double spacing = 0.11;
        int count = 0, again = 0;
        nc_error err;
        check_ok(nc_mesh_sample(mesh, INFINITY, NULL, 0, &count, &err), err);
        assert_int_equal(count, data.vertex_count);
        check_ok(nc_mesh_sample(mesh, spacing, NULL, 0, &count, &err), err);
        nc_vec3 *points = malloc((size_t)count * sizeof *points);
        check_ok(nc_mesh_sample(mesh, spacing, points, count, &again, &err), err);
        assert_int_equal(again, count);
        assert_memory_equal(points, data.vertices, (size_t)data.vertex_count * sizeof *points);
        for (int i = 0; i < 2000; i++) {
            const int *t = data.triangles[nc_random_u64(&random) % (uint64_t)data.triangle_count];
            double u = nc_random_unit(&random), v = nc_random_unit(&random);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
            const nc_vec3 a = data.vertices[t[0]], b = data.vertices[t[1]], c = data.vertices[t[2]];
            const nc_vec3 p = nc_madd(nc_madd(a, u, nc_sub(b, a)), v, nc_sub(c, a));
            double nearest = INFINITY;
            for (int k = 0; k < count; k++)
                nearest = fmin(nearest, nc_norm(nc_sub(p, points[k])));
            check_at_most(nearest, spacing);
        }
        free(points);
        nc_mesh_release(mesh);
    }
}

static void samples_that_cannot_be_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_mesh *mesh = shape("box");
    nc_error err;
    int count;
    assert_int_equal(nc_mesh_sample(mesh, 0, NULL, 0, &count, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "spacing"));
    assert_int_equal(nc_mesh_sample(mesh, NAN, NULL, 0, &count, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_mesh_sample(mesh, 1e-9, NULL, 0, &count, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "more than"));
    assert_int_equal(nc_mesh_sample(mesh, 1e-300, NULL, 0, &count, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_mesh_sample(mesh, 1, NULL, 5, &count, &err), NC_BAD_ARGUMENT);
    nc_vec3 few[3];
    check_ok(nc_mesh_sample(mesh, 0.1, few, 3, &count, &err), err);
    assert_true(count > 3);
    nc_mesh_release(mesh);
}

// ---- cost ---------------------------------------------------------------------------------------------------

#define COSTS 10
static void queries_grow_with_the_root_of_the_precision_at_most(void **state)
{
    (void)state;
    nc_mesh *soup_mesh = shape("torus"), *body = shape("box");
    const nc_mesh_data data = nc_mesh_view(body);
    double last[2] = {0, 0};
    for (double epsilon = 1e-2; epsilon > 1e-7; epsilon *= 0.1) {
        int64_t sum[2] = {0, 0};
        nc_random random = {71};
        for (int i = 0; i < COSTS; i++) {
            const nc_motion motion = aimed_motion(&random, 3, 12), goal = random_motion(&random, 0.5, 1, 6);
            nc_trajectory_def def = precise(epsilon);
            def.limit = 1000000;
            for (int segments = 0; segments < 2; segments++) {
                def.segments = segments == 1;
                const nc_target target = nc_target_mesh(soup_mesh);
                sum[segments] += contact(data.vertices, data.vertex_count, motion, target, goal, def).queries;
            }
        }
        print_message("epsilon %g: %.0f box queries, %.0f segment queries\n", epsilon, (double)sum[0] / COSTS,
                      (double)sum[1] / COSTS);
        for (int k = 0; k < 2; k++) {
            if (last[k] > 0)
                check_at_most((double)sum[k], 4 * last[k]); // sqrt(10), and halving in powers of two
            last[k] = (double)sum[k];
        }
    }
    nc_mesh_release(soup_mesh);
    nc_mesh_release(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_the_exact_curve_for_any_two_motions),
        cmocka_unit_test(a_box_is_apart_from_a_triangle_exactly_when_they_do_not_meet),
        cmocka_unit_test(no_corner_of_a_box_is_beyond_its_radius_or_its_bounds),
        cmocka_unit_test(spinning_points_never_miss_solids_of_primitives),
        cmocka_unit_test(spinning_points_never_miss_an_implicit_torus),
        cmocka_unit_test(spinning_points_never_miss_a_level_set),
        cmocka_unit_test(polyhedra_never_pass_through_polygon_soups),
        cmocka_unit_test(a_hit_is_never_where_the_sweep_of_the_meshes_is_clear),
        cmocka_unit_test(ten_turns_about_an_axis_hit_a_fin_at_the_exact_angle),
        cmocka_unit_test(a_hit_is_within_epsilon_when_the_circle_is_as_small_as_that),
        cmocka_unit_test(a_fin_that_sweeps_over_a_resting_point_hits_it_at_the_exact_time),
        cmocka_unit_test(segments_overlook_what_the_curve_enters_by_less_than_epsilon_and_boxes_do_not),
        cmocka_unit_test(segments_of_every_target_find_a_straight_flight_at_its_time),
        cmocka_unit_test(a_limit_never_makes_it_clear),
        cmocka_unit_test(a_target_that_rules_out_nothing_is_hit_at_once_and_one_that_gives_up_is_undecided),
        cmocka_unit_test(the_search_is_shortened_by_what_was_found),
        cmocka_unit_test(t_max_ends_the_search),
        cmocka_unit_test(extreme_numbers_are_refused_or_answered_without_a_miss),
        cmocka_unit_test(any_numbers_at_all_are_refused_or_answered),
        cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
        cmocka_unit_test(bad_targets_are_refused_with_a_sentence),
        cmocka_unit_test(every_point_of_a_mesh_is_within_the_spacing_of_a_sample),
        cmocka_unit_test(samples_that_cannot_be_are_refused_with_a_sentence),
        cmocka_unit_test(queries_grow_with_the_root_of_the_precision_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
