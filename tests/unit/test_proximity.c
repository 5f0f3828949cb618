// Proximity against a slow twin in long doubles, and the contacts it makes in the cases that English draws.
#include "check.h"
#include "fail_allocator.h"

#include "narrow/narrow.h"

#include <time.h>

// ---- shapes and poses ---------------------------------------------------------------------------------------

#define SHAPES 10
typedef struct library {
    nc_mesh *mesh[SHAPES];
} library;

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *make_mesh(const nc_mesh_def *def)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(def, NULL, &mesh, &err), err);
    return mesh;
}

static nc_mesh *box(double width, double height, double depth)
{
    const nc_shape_parameter p[] = {{"width", width}, {"height", height}, {"depth", depth}};
    return shape("box", p, 3);
}

// The rectangle at y = 0, in `pieces` x `pieces` x 2 triangles.
static nc_mesh *ground(double size, int pieces)
{
    const nc_shape_parameter p[] = {{"width", size}, {"depth", size}, {"splits", pieces}};
    return shape("plane", p, 3);
}

// A triangle, a wire bent twice that hangs on it, a wire by itself, two points.
static nc_mesh *mixture(void)
{
    static const nc_vec3 v[] = {{0, 0, 0},          {1, 0, 0},    {0, 0, 1},         {1.5, 0.5, 0}, {1.5, 1, 0.5},
                                {-0.5, -0.5, -0.5}, {-1, 0.5, 0}, {0.25, 0.5, 0.25}, {-0.5, 0, 1}};
    static const int t[][3] = {{0, 1, 2}}, e[][2] = {{1, 3}, {3, 4}, {5, 6}}, p[] = {7, 8};
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = 9,
                             .triangles = t,
                             .triangle_count = 1,
                             .edges = e,
                             .edge_count = 3,
                             .points = p,
                             .point_count = 2};
    return make_mesh(&def);
}

static int open_library(void **state)
{
    static library shapes;
    const char *names[SHAPES - 1] = {"boat", "ring", "torus", "spike", "plate", "triangle", "box", "plane", "bowl"};
    const nc_shape_parameter fewer[] = {{"segments", 12}, {"sides", 6}};
    for (int i = 0; i < SHAPES - 1; i++)
        shapes.mesh[i] = shape(names[i], fewer, i == 2 ? 2 : i == 8 ? 1 : 0);
    shapes.mesh[SHAPES - 1] = mixture();
    *state = &shapes;
    return 0;
}

static int close_library(void **state)
{
    library *shapes = *state;
    for (int i = 0; i < SHAPES; i++)
        nc_mesh_release(shapes->mesh[i]);
    return 0;
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static int random_below(nc_random *random, int count)
{
    return (int)(nc_random_u64(random) % (uint64_t)count);
}

static nc_pose at(double x, double y, double z)
{
    const nc_pose pose = {{x, y, z}, {1, 0, 0, 0}};
    return pose;
}

static nc_pose turned(nc_pose pose, nc_vec3 turn)
{
    pose.q = nc_quat_from_rotation_vector(turn);
    return pose;
}

// Poses that meet: free ones; axes along axes at offsets on a lattice; far from the origin.
static void random_poses(nc_random *random, double spread, nc_pose *a, nc_pose *b)
{
    static const nc_quat quarter[] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, -1}, {1, 1, 1, 1}};
    const int family = random_below(random, 4);
    const nc_vec3 origin = family == 3 ? random_vector(random, 1e6) : nc_v3(0, 0, 0);
    if (family == 0) {
        a->q = quarter[random_below(random, 5)];
        b->q = quarter[random_below(random, 5)];
        a->x = origin;
        const nc_vec3 cell = random_vector(random, 3);
        b->x = nc_scale(0.25 * spread, nc_v3(floor(cell.x), floor(cell.y), floor(cell.z)));
        return;
    }
    a->q = nc_quat_from_rotation_vector(random_vector(random, 3));
    b->q = family == 1 ? a->q : nc_quat_from_rotation_vector(random_vector(random, 3));
    a->x = nc_add(origin, random_vector(random, 0.5 * spread));
    b->x = nc_add(origin, random_vector(random, 0.5 * spread));
}

// ---- the slow twin ------------------------------------------------------------------------------------------
// Feature by feature, in long doubles, seen from B's centre.

typedef long double real;
typedef struct real3 {
    real x, y, z;
} real3;

static real3 r_sub(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static real3 r_along(real3 a, real t, real3 e)
{
    return (real3){a.x + t * e.x, a.y + t * e.y, a.z + t * e.z};
}

static real r_dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static real3 r_cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// q v q* / |q|^2 = v + (2 / |q|^2) u x (u x v + w v)
static real3 r_turn(nc_quat q, nc_vec3 v)
{
    const real3 u = {q.x, q.y, q.z}, p = {v.x, v.y, v.z};
    const real w = q.w, s = 2 / (w * w + r_dot(u, u));
    return r_along(p, s, r_cross(u, r_along(r_cross(u, p), w, p)));
}

typedef struct placed_mesh {
    nc_mesh_data data;
    real3 *v;
} placed_mesh;

static placed_mesh place_mesh(const nc_mesh *mesh, nc_pose pose, nc_vec3 origin)
{
    placed_mesh p = {nc_mesh_view(mesh), NULL};
    p.v = malloc(sizeof *p.v * (size_t)p.data.vertex_count);
    const real3 x = {(real)pose.x.x - origin.x, (real)pose.x.y - origin.y, (real)pose.x.z - origin.z};
    for (int i = 0; i < p.data.vertex_count; i++)
        p.v[i] = r_along(x, 1, r_turn(pose.q, p.data.vertices[i]));
    return p;
}

static real clamp01(real t)
{
    return !(t > 0) ? 0 : t > 1 ? 1 : t;
}

static real r_norm(real3 a)
{
    return sqrtl(r_dot(a, a));
}

static real r_point_segment(real3 p, real3 a, real3 b)
{
    const real3 e = r_sub(b, a), w = r_sub(p, a);
    const real ee = r_dot(e, e);
    return r_norm(r_along(w, -(ee > 0 ? clamp01(r_dot(w, e) / ee) : 0), e));
}

static real r_point_triangle(real3 p, real3 a, real3 b, real3 c)
{
    const real3 n = r_cross(r_sub(b, a), r_sub(c, a));
    const real3 corner[3] = {a, b, c};
    bool inside = r_dot(n, n) > 0;
    real best = INFINITY;
    for (int i = 0; i < 3; i++) {
        const real3 from = corner[i], to = corner[(i + 1) % 3];
        best = fminl(best, r_point_segment(p, from, to));
        inside = inside && r_dot(r_cross(r_sub(to, from), r_sub(p, from)), n) >= 0;
    }
    return inside ? fminl(best, fabsl(r_dot(n, r_sub(p, a))) / r_norm(n)) : best;
}

static real r_segments(real3 a, real3 b, real3 c, real3 d)
{
    const real3 e = r_sub(b, a), f = r_sub(d, c), w = r_sub(a, c), n = r_cross(e, f);
    real best = fminl(fminl(r_point_segment(a, c, d), r_point_segment(b, c, d)),
                      fminl(r_point_segment(c, a, b), r_point_segment(d, a, b)));
    const real ee = r_dot(e, e), ff = r_dot(f, f), ef = r_dot(e, f), we = r_dot(w, e), wf = r_dot(w, f);
    const real det = r_dot(n, n);
    if (det > 1e-24L * ee * ff) {
        const real s = (ef * wf - ff * we) / det, t = (ee * wf - ef * we) / det;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            best = fminl(best, r_norm(r_sub(r_along(a, s, e), r_along(c, t, f))));
    }
    return best;
}

static real pair_distance(const placed_mesh *a, const placed_mesh *b, nc_feature_id id)
{
    const int(*ta)[3] = a->data.triangles, (*tb)[3] = b->data.triangles;
    const int(*ea)[2] = a->data.edges, (*eb)[2] = b->data.edges;
    switch (id.kind) {
    case NC_VERTEX_FACE:
        return r_point_triangle(a->v[id.a], b->v[tb[id.b][0]], b->v[tb[id.b][1]], b->v[tb[id.b][2]]);
    case NC_FACE_VERTEX:
        return r_point_triangle(b->v[id.b], a->v[ta[id.a][0]], a->v[ta[id.a][1]], a->v[ta[id.a][2]]);
    case NC_EDGE_EDGE:
        return r_segments(a->v[ea[id.a][0]], a->v[ea[id.a][1]], b->v[eb[id.b][0]], b->v[eb[id.b][1]]);
    case NC_VERTEX_EDGE:
        return r_point_segment(a->v[id.a], b->v[eb[id.b][0]], b->v[eb[id.b][1]]);
    case NC_EDGE_VERTEX:
        return r_point_segment(b->v[id.b], a->v[ea[id.a][0]], a->v[ea[id.a][1]]);
    default:
        return r_norm(r_sub(a->v[id.a], b->v[id.b]));
    }
}

// How many rows of a kind there are on each side; for free edges and points the rows are looked up.
static bool is_row(const nc_mesh_data *data, nc_feature_kind kind, bool side_a, int row)
{
    const bool edge = kind == (side_a ? NC_EDGE_VERTEX : NC_VERTEX_EDGE);
    if (edge)
        return data->edge_is_free[row];
    if (kind != NC_VERTEX_VERTEX)
        return true;
    for (int i = 0; i < data->point_count; i++)
        if (data->points[i] == row)
            return true;
    return false;
}

static int row_count(const nc_mesh_data *data, nc_feature_kind kind, bool side_a)
{
    if (kind == (side_a ? NC_FACE_VERTEX : NC_VERTEX_FACE))
        return data->triangle_count;
    if (kind == NC_EDGE_EDGE || kind == (side_a ? NC_EDGE_VERTEX : NC_VERTEX_EDGE))
        return data->edge_count;
    return data->vertex_count;
}

typedef void (*each_pair)(nc_feature_id id, real distance, void *ctx);

// All pairs in the order of their ids.
static void for_all_pairs(const placed_mesh *a, const placed_mesh *b, each_pair each, void *ctx)
{
    for (nc_feature_kind kind = NC_VERTEX_FACE; kind <= NC_VERTEX_VERTEX; kind++) {
        const int count_a = row_count(&a->data, kind, true), count_b = row_count(&b->data, kind, false);
        for (int i = 0; i < count_a; i++)
            for (int j = 0; is_row(&a->data, kind, true, i) && j < count_b; j++)
                if (is_row(&b->data, kind, false, j)) {
                    const nc_feature_id id = {kind, i, j};
                    each(id, pair_distance(a, b, id), ctx);
                }
    }
}

// ---- asking -------------------------------------------------------------------------------------------------

#define ROOM 262144
static nc_proximity buffer[ROOM], buffer_2[ROOM];

static nc_proximity_list find_in(nc_proximity *room, const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b,
                                 double distance, nc_proximity_options options)
{
    nc_proximity_list list = {.data = room, .capacity = ROOM};
    nc_error err;
    check_ok(nc_proximity_find(a, pose_a, b, pose_b, distance, &options, &list, &err), err);
    return list;
}

static nc_proximity_list every_pair(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance)
{
    nc_proximity_options options = nc_proximity_defaults();
    options.every_pair = true;
    return find_in(buffer_2, a, pose_a, b, pose_b, distance, options);
}

static nc_proximity_list contacts(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance)
{
    return find_in(buffer, a, pose_a, b, pose_b, distance, nc_proximity_defaults());
}

static nc_proximity_list local_contacts(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b,
                                        double distance)
{
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true;
    return find_in(buffer, a, pose_a, b, pose_b, distance, options);
}

static nc_proximity smallest(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b)
{
    nc_proximity p;
    nc_error err;
    check_ok(nc_mesh_distance(a, pose_a, b, pose_b, &p, &err), err);
    return p;
}

static void print_contacts(const nc_proximity_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const nc_proximity *p = &list->data[i];
        print_error("  kind %d (%d, %d): distance %g, on A (%g, %g, %g), on B (%g, %g, %g), normal (%g, %g, %g)\n",
                    (int)p->feature.kind, p->feature.a, p->feature.b, p->distance, p->on_a.x, p->on_a.y, p->on_a.z,
                    p->on_b.x, p->on_b.y, p->on_b.z, p->normal.x, p->normal.y, p->normal.z);
    }
}

// Every contact points along `normal`, and there are `count` (-1: any number above 0).
static void check_normals(const nc_proximity_list *list, nc_vec3 normal, int count)
{
    bool good = count < 0 ? list->count > 0 : list->count == count;
    for (int i = 0; i < list->count; i++)
        good = good && nc_norm(nc_sub(list->data[i].normal, normal)) < 1e-7;
    if (good)
        return;
    print_error("%d contacts, wanted %d along (%g, %g, %g)\n", list->count, count, normal.x, normal.y, normal.z);
    print_contacts(list);
    fail();
}

static bool same_id(nc_feature_id a, nc_feature_id b)
{
    return a.kind == b.kind && a.a == b.a && a.b == b.b;
}

// ---- every pair ---------------------------------------------------------------------------------------------

typedef struct comparison {
    const nc_proximity_list *list;
    int next;        // of the list
    double distance; // asked for
    double size;     // of everything
    long near, extra;
    int failures;
} comparison;

static void compare_pair(nc_feature_id id, real truth, void *ctx)
{
    comparison *c = ctx;
    const bool there = c->next < c->list->count && same_id(c->list->data[c->next].feature, id);
    c->near += truth < c->distance;
    c->extra += there && !(truth < c->distance);
    if (!there) {
        c->failures += truth < c->distance;
        return;
    }
    const nc_proximity *p = &c->list->data[c->next++];
    const double tiny = 1e-17 * c->size;
    const double along = nc_dot(p->normal, nc_sub(p->on_a, p->on_b));
    const bool good = p->lower_bound <= c->distance && p->lower_bound <= truth + tiny && p->lower_bound >= 0 &&
                      fabsl(p->distance - truth) <= 1e-13 * c->size && p->lower_bound >= truth - 1e-12 * c->size &&
                      fabs(nc_norm(p->normal) - 1) < 1e-14 &&
                      fabs(along - p->distance) <= 1e-13 * c->size + 1e-6 * p->distance + 1e-15 * nc_norm(p->on_a);
    if (!good && c->failures++ == 0)
        print_error("kind %d (%d, %d): distance %.17g, lower bound %.17g, truth %.21Lg, along normal %.17g\n",
                    (int)id.kind, id.a, id.b, p->distance, p->lower_bound, truth, along);
}

static comparison check_every_pair(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance)
{
    const placed_mesh in_a = place_mesh(a, pose_a, pose_b.x), in_b = place_mesh(b, pose_b, pose_b.x);
    const nc_proximity_list list = every_pair(a, pose_a, b, pose_b, distance);
    comparison c = {.list = &list, .distance = distance};
    c.size = nc_norm(nc_sub(pose_a.x, pose_b.x)) + in_a.data.radius + in_b.data.radius;
    for_all_pairs(&in_a, &in_b, compare_pair, &c);
    assert_int_equal(c.failures, 0);
    assert_int_equal(c.next, list.count);
    free(in_a.v);
    free(in_b.v);
    return c;
}

static void every_pair_below_the_distance_is_found(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("every pair", 41)};
    long near = 0, extra = 0;
    for (int n = check_effort(200); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, 1, &pose_a, &pose_b);
        static const double distances[] = {0, 0.001, 0.02, 0.1};
        const comparison c = check_every_pair(a, pose_a, b, pose_b, distances[random_below(&random, 4)]);
        near += c.near;
        extra += c.extra;
    }
    print_message("  %ld pairs below the distance, all found; %ld within rounding of it\n", near, extra);
    assert_true(near > 1000);
}

// Brings B near A along a random line until they are about `gap` apart; false when it passes by.
static bool bring_near(nc_random *random, const nc_mesh *a, nc_pose *pose_a, const nc_mesh *b, nc_pose *pose_b,
                       double gap)
{
    const double size = nc_mesh_view(a).radius + nc_mesh_view(b).radius;
    const nc_vec3 v = random_vector(random, 1), u = nc_scale(1 / (nc_norm(v) + 1e-9), v);
    const nc_vec3 aim = random_vector(random, 0.25 * size);
    *pose_a = turned(at(0, 0, 0), random_vector(random, 3));
    *pose_b = turned(at(0, 0, 0), random_vector(random, 3));
    for (double away = 2 * size; away > -2 * size;) {
        pose_b->x = nc_madd(aim, away, u);
        const double d = smallest(a, *pose_a, b, *pose_b).distance;
        if (d < 1.1 * gap)
            return true;
        away -= d - gap;
    }
    return false;
}

// The distance requested is that of the nearest pair, as doubles find it, and barely more: a pair that is left out by
// a bound without all its allowances shows here.
static void a_pair_at_the_very_edge_of_the_distance_is_found(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("edge of the distance", 56)};
    long near = 0, extra = 0;
    for (int n = check_effort(300); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, n % 2 ? 4 : 40, &pose_a, &pose_b);
        if (n % 3 == 0 && !bring_near(&random, a, &pose_a, b, &pose_b, 1e-6))
            continue;
        const double distance = smallest(a, pose_a, b, pose_b).distance * (1 + (n % 4) * 0x1p-52);
        const comparison c = check_every_pair(a, pose_a, b, pose_b, distance);
        near += c.near;
        extra += c.extra;
    }
    print_message("  %ld pairs below the distance, all found; %ld within rounding of it\n", near, extra);
    assert_true(near > 20 && extra > 20);
}

// Stacked, flush, edge along edge: whole families of pairs at exactly the distance and at exactly 0.
static void every_pair_is_found_at_exactly_aligned_poses(void **state)
{
    (void)state;
    nc_mesh *cube = box(1, 1, 1), *floor_mesh = ground(4, 4);
    for (int i = -4; i <= 4; i++)
        for (int j = 0; j < 4; j++) {
            const double gap = j / 64.0;
            check_every_pair(cube, at(0.25 * i, 1 + gap, 0), cube, at(0, 0, 0), 1 / 32.0);
            check_every_pair(cube, at(0.25 * i, 0.5 + gap, 0.125 * i), floor_mesh, at(0, 0, 0), 1 / 32.0);
        }
    nc_mesh_release(cube);
    nc_mesh_release(floor_mesh);
}

// ---- the smallest distance ----------------------------------------------------------------------------------

typedef struct least {
    real distance;
} least;

static void keep_least(nc_feature_id id, real distance, void *ctx)
{
    least *l = ctx;
    (void)id;
    l->distance = fminl(l->distance, distance);
}

static void distance_is_the_smallest_of_all_pairs(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("distance", 42)};
    for (int n = check_effort(200); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, n % 2 ? 2 : 20, &pose_a, &pose_b);
        const placed_mesh in_a = place_mesh(a, pose_a, pose_b.x), in_b = place_mesh(b, pose_b, pose_b.x);
        const double size = nc_norm(nc_sub(pose_a.x, pose_b.x)) + in_a.data.radius + in_b.data.radius;
        const nc_proximity p = smallest(a, pose_a, b, pose_b);
        least truth = {INFINITY};
        for_all_pairs(&in_a, &in_b, keep_least, &truth);
        check_at_most(fabs((double)(p.distance - truth.distance)), 1e-13 * size);
        check_at_most(p.lower_bound, (double)truth.distance + 1e-17 * size);
        check_at_most((double)truth.distance - p.lower_bound, 1e-12 * size);
        check_at_most(fabs((double)(pair_distance(&in_a, &in_b, p.feature) - truth.distance)), 1e-13 * size);
        free(in_a.v);
        free(in_b.v);
    }
}

// Contacts leave out flat parts and places that others answer for; the clearance leaves out nothing.
static void the_clearance_is_below_every_pair_and_tells_near_from_far(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("clearance", 43)};
    int near = 0, known = 0;
    for (int n = check_effort(400); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, n % 2 ? 1 : 2, &pose_a, &pose_b);
        static const double distances[] = {0.001, 0.02, 0.1, 0.5};
        const double distance = distances[random_below(&random, 4)];
        const placed_mesh in_a = place_mesh(a, pose_a, pose_b.x), in_b = place_mesh(b, pose_b, pose_b.x);
        const nc_proximity_list list =
            n % 3 ? contacts(a, pose_a, b, pose_b, distance) : local_contacts(a, pose_a, b, pose_b, distance);
        least truth = {INFINITY};
        for_all_pairs(&in_a, &in_b, keep_least, &truth);
        check_at_most(list.clearance, (double)truth.distance);
        check_at_most(list.clearance, distance);
        near += truth.distance < distance && truth.distance > 0;
        known += list.clearance > 0.9 * fmin(distance, (double)truth.distance);
        free(in_a.v);
        free(in_b.v);
    }
    print_message("  %d pairs within the distance, the clearance of %d known to a tenth\n", near, known);
    assert_true(near > 50 && known > 250);
}

// ---- contacts in general ------------------------------------------------------------------------------------

static nc_feature_id mirrored(nc_feature_id id)
{
    static const nc_feature_kind kinds[] = {NC_FACE_VERTEX, NC_VERTEX_FACE, NC_EDGE_EDGE,
                                            NC_EDGE_VERTEX, NC_VERTEX_EDGE, NC_VERTEX_VERTEX};
    return (nc_feature_id){kinds[id.kind], id.b, id.a};
}

static bool same_bits(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static const nc_proximity *look_up(const nc_proximity_list *list, nc_feature_id id)
{
    for (int i = 0; i < list->count; i++)
        if (same_id(list->data[i].feature, id))
            return &list->data[i];
    return NULL;
}

static void check_swapped(const nc_proximity_list *list, const nc_mesh *a, nc_pose pose_a, const nc_mesh *b,
                          nc_pose pose_b, double distance, nc_proximity_options options)
{
    const nc_proximity_list other = find_in(buffer_2, b, pose_b, a, pose_a, distance, options);
    assert_int_equal(other.count, list->count);
    for (int i = 0; i < list->count; i++) {
        const nc_proximity *p = &list->data[i], *q = look_up(&other, mirrored(p->feature));
        assert_non_null(q);
        assert_true(p->distance == q->distance && p->lower_bound == q->lower_bound && same_bits(p->on_a, q->on_b) &&
                    same_bits(p->on_b, q->on_a) && same_bits(p->normal, nc_neg(q->normal)));
    }
}

static void contacts_hold_the_nearest_pair_and_only_near_pairs(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("contacts", 43)};
    const double gap = 0.01, distance = 0.03;
    long count = 0, pairs = 0, candidates = 0;
    for (int n = check_effort(600); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        if (!bring_near(&random, a, &pose_a, b, &pose_b, gap))
            continue;
        nc_proximity_options options = nc_proximity_defaults();
        options.local = n % 3 == 0;
        options.flat_too = n % 5 == 0;
        const nc_proximity_list list = find_in(buffer, a, pose_a, b, pose_b, distance, options);
        const nc_proximity best = smallest(a, pose_a, b, pose_b);
        const nc_proximity_list all = every_pair(a, pose_a, b, pose_b, distance);
        double nearest = INFINITY;
        for (int i = 0; i < list.count; i++) {
            const nc_proximity *p = &list.data[i], *q = look_up(&all, p->feature);
            assert_non_null(q);
            assert_true(q->distance == p->distance && same_bits(q->on_a, p->on_a) && same_bits(q->on_b, p->on_b));
            nearest = fmin(nearest, p->distance);
        }
        candidates += all.count;
        check_near(nearest, best.distance, 1e-6);
        check_swapped(&list, a, pose_a, b, pose_b, distance, options);
        count += list.count;
        pairs++;
    }
    print_message("  %ld pairs of bodies, %.1f contacts each, of %.1f near features\n", pairs,
                  (double)count / (double)pairs, (double)candidates / (double)pairs);
    assert_true(pairs > 100);
}

static void every_pair_is_the_same_when_a_and_b_are_swapped(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("swap", 44)};
    for (int n = check_effort(200); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)],
                      *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, 1, &pose_a, &pose_b);
        nc_proximity_options options = {.every_pair = n % 2 == 0, .angle = 0.05};
        const nc_proximity_list list = find_in(buffer, a, pose_a, b, pose_b, 0.01, options);
        check_swapped(&list, a, pose_a, b, pose_b, 0.01, options);
    }
}

// ---- the filters against their definition --------------------------------------------------------------------

// From the nearest point of the mesh to q, by brute force in the world.
static nc_vec3 brute_nearest(const nc_mesh *mesh, nc_pose pose, nc_vec3 q)
{
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    const nc_mesh_data data = nc_mesh_view(mesh);
    nc_vec3 best = {INFINITY, 0, 0};
    for (int e = 0; e < tree.element_count; e++) {
        int row[3];
        nc_vec3 corner[3];
        const int corners = nc_mesh_element(mesh, e, row);
        for (int i = 0; i < 3; i++)
            corner[i] = nc_pose_apply(pose, data.vertices[row[i < corners ? i : corners - 1]]);
        const nc_distance d = nc_distance_point_triangle(q, corner);
        const nc_vec3 from = nc_sub(q, d.on_b);
        best = nc_norm2(from) < nc_norm2(best) ? from : best;
    }
    return best;
}

typedef enum sight { SEEN, BORDERLINE, UNSEEN } sight;

// Is p what q sees of the mesh? Without the ray, which matters only between borderline and seen.
static sight brute_sight(const nc_mesh *mesh, nc_pose pose, nc_vec3 p, nc_vec3 q, double angle)
{
    const nc_vec3 from_p = nc_sub(q, p), from = brute_nearest(mesh, pose, q);
    const double d = nc_norm(from_p), nearest = nc_norm(from), cosine = cos(angle), margin = 1e-6;
    if (nearest >= d * (1 - 1e-12))
        return SEEN;
    const double seen = nc_dot(from, from_p) / (d * nearest);
    if (nearest < (cosine - margin) * d || seen < cosine - margin)
        return UNSEEN;
    return BORDERLINE;
}

static int vertex_of(nc_feature_id id, bool of_a)
{
    const bool in_a = id.kind == NC_VERTEX_FACE || id.kind == NC_VERTEX_EDGE;
    const bool in_b = id.kind == NC_FACE_VERTEX || id.kind == NC_EDGE_VERTEX;
    return of_a && in_a ? id.a : !of_a && in_b ? id.b : -1;
}

static const nc_proximity *nearest_of_vertex(const nc_proximity_list *list, bool of_a, int vertex)
{
    const nc_proximity *best = NULL;
    for (int i = 0; i < list->count; i++)
        if (vertex_of(list->data[i].feature, of_a) == vertex &&
            (best == NULL || list->data[i].distance < best->distance))
            best = &list->data[i];
    return best;
}

// Is there a contact at the same two points?
static bool is_covered(const nc_proximity_list *list, const nc_proximity *p)
{
    for (int i = 0; i < list->count; i++)
        if (nc_norm(nc_sub(list->data[i].on_a, p->on_a)) < 0.002 * p->distance &&
            nc_norm(nc_sub(list->data[i].on_b, p->on_b)) < 0.002 * p->distance)
            return true;
    return false;
}

static void check_vertices(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool of_a,
                           const nc_proximity_list *list, const nc_proximity_list *all, long tally[2])
{
    const int count = nc_mesh_view(of_a ? a : b).vertex_count;
    for (int v = 0; v < count; v++) {
        const nc_proximity *best = nearest_of_vertex(all, of_a, v), *contact = nearest_of_vertex(list, of_a, v);
        if (best == NULL) {
            assert_null(contact);
            continue;
        }
        const sight s = of_a ? brute_sight(a, pose_a, best->on_a, best->on_b, NC_PI / 60)
                             : brute_sight(b, pose_b, best->on_b, best->on_a, NC_PI / 60);
        if (contact != NULL)
            check_at_most(contact->distance, best->distance * (1 + 1e-8));
        assert_false(contact != NULL && s == UNSEEN);
        assert_false(contact == NULL && s == SEEN && !is_covered(list, best));
        tally[s == UNSEEN] += s != BORDERLINE;
    }
}

static void a_vertex_makes_a_contact_just_when_its_nearest_face_sees_it(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("filters", 45)};
    long tally[2] = {0, 0}, edges = 0;
    for (int n = check_effort(300); n > 0; n--) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES - 1)];
        const nc_mesh *b = shapes->mesh[random_below(&random, SHAPES - 1)];
        nc_pose pose_a, pose_b;
        if (!bring_near(&random, a, &pose_a, b, &pose_b, 0.01))
            continue;
        nc_proximity_options options = nc_proximity_defaults();
        options.flat_too = true;
        const nc_proximity_list list = find_in(buffer, a, pose_a, b, pose_b, 0.05, options);
        const nc_proximity_list all = every_pair(a, pose_a, b, pose_b, 0.05);
        check_vertices(a, pose_a, b, pose_b, true, &list, &all, tally);
        check_vertices(a, pose_a, b, pose_b, false, &list, &all, tally);
        for (int i = 0; i < list.count; i++) {
            const nc_proximity *p = &list.data[i];
            if (p->feature.kind != NC_EDGE_EDGE)
                continue;
            edges++;
            assert_true(brute_sight(a, pose_a, p->on_a, p->on_b, NC_PI / 60) != UNSEEN);
            assert_true(brute_sight(b, pose_b, p->on_b, p->on_a, NC_PI / 60) != UNSEEN);
        }
    }
    print_message("  %ld vertices seen, %ld not; %ld contacts of edges\n", tally[0], tally[1], edges);
    assert_true(tally[0] > 50 && tally[1] > 50 && edges > 20);
}

// ---- English's figures --------------------------------------------------------------------------------------

static const nc_vec3 up = {0, 1, 0};

static void figure_3_a_corner_near_the_side_of_the_box_below_is_pushed_up(void **state)
{
    (void)state;
    nc_mesh *lower = box(1, 1, 1), *upper = box(0.8, 0.5, 0.8);
    // The upper box's right corners are inside[i] from the lower one's right side, and 0.01 above it.
    const double inside[] = {0.05, 0.009, 0.002, 1e-4, 1e-7, 1e-12, 0};
    for (int i = 0; i < 7; i++) {
        const nc_proximity_list list =
            contacts(upper, at(0.1 - inside[i], 0.5 + 0.25 + 0.01, 0), lower, at(0, 0, 0), 0.02);
        check_normals(&list, up, 4);
    }
    nc_mesh_release(lower);
    nc_mesh_release(upper);
}

// The least sine by which a point of the mesh lies behind the plane through p along n.
static double behind(const nc_mesh *mesh, nc_pose pose, nc_vec3 p, nc_vec3 n)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    double least_sine = 0;
    for (int i = 0; i < data.vertex_count; i++) {
        const nc_vec3 d = nc_sub(nc_pose_apply(pose, data.vertices[i]), p);
        if (nc_norm(d) > 1e-9)
            least_sine = fmin(least_sine, nc_dot(n, d) / nc_norm(d));
    }
    return least_sine;
}

// A convex body lies on one side of each plane that touches it. So does each body's contact with a normal in the cone
// of its faces' normals.
static void figure_4_normals_lie_in_the_cones_of_both_bodies(void **state)
{
    (void)state;
    nc_random random = {check_seed("cones", 46)};
    nc_mesh *mesh[3] = {box(1, 1, 1), box(0.3, 1.5, 0.6), shape("spike", NULL, 0)};
    int count = 0, slanted = 0;
    for (int n = check_effort(2000); n > 0; n--) {
        const nc_mesh *a = mesh[random_below(&random, 3)], *b = mesh[random_below(&random, 3)];
        nc_pose pose_a, pose_b;
        if (!bring_near(&random, a, &pose_a, b, &pose_b, 0.01))
            continue;
        const nc_proximity_list list =
            n % 2 ? contacts(a, pose_a, b, pose_b, 0.04) : local_contacts(a, pose_a, b, pose_b, 0.04);
        for (int i = 0; i < list.count; i++, count++) {
            const nc_proximity *p = &list.data[i];
            const double in_a = behind(a, pose_a, p->on_a, p->normal);
            const double in_b = behind(b, pose_b, p->on_b, nc_neg(p->normal));
            check_at_most(-fmin(in_a, in_b), sin(NC_PI / 60) * (1 + 1e-6));
            slanted += fmin(in_a, in_b) < -1e-6;
        }
    }
    print_message("  %d contacts, %d of them up to 3 degrees outside\n", count, slanted);
    assert_true(count > 200);
    for (int i = 0; i < 3; i++)
        nc_mesh_release(mesh[i]);
}

// Vertex p hangs over by `over`. Pushing it away from the edge it just passed would stop the box.
static void check_figure_11(const nc_mesh *upper, const nc_mesh *lower, bool local, double over)
{
    const nc_pose pose = at(0.1 + over, 0.5 + 0.25 + 0.01, 0), here = at(0, 0, 0);
    const nc_proximity_list list =
        local ? local_contacts(upper, pose, lower, here, 0.02) : contacts(upper, pose, lower, here, 0.02);
    int upright = 0;
    for (int i = 0; i < list.count; i++) {
        upright += list.data[i].normal.y > 1 - 1e-12;
        check_at_most(cos(NC_PI / 60) * (1 - 1e-9), list.data[i].normal.y);
    }
    // Beyond 3 degrees the corners are silent: two other corners, and two edges that cross the lower box's edge.
    if (over > 0.01 * tan(NC_PI / 60))
        check_normals(&list, up, nc_mesh_view(upper).vertex_count == 8 ? 4 : -1);
    assert_true(upright >= 2 && list.count >= 4);
}

static void figure_11_a_corner_past_the_edge_does_not_catch_on_it(void **state)
{
    (void)state;
    nc_mesh *lower = box(1, 1, 1), *upper = box(0.8, 0.5, 0.8);
    const nc_shape_parameter cut[] = {{"width", 0.8}, {"height", 0.5}, {"depth", 0.8}, {"splits", 24}};
    nc_mesh *fine = shape("box", cut, 4);
    for (double over = 0; over < 0.05; over = over == 0 ? 1e-9 : over * 1.2) {
        check_figure_11(upper, lower, false, over);
        check_figure_11(upper, lower, true, over);
        check_figure_11(fine, lower, false, over);
        check_figure_11(fine, lower, true, over);
    }
    nc_mesh_release(lower);
    nc_mesh_release(upper);
    nc_mesh_release(fine);
}

// ---- boxes on things ----------------------------------------------------------------------------------------

static void a_box_slides_across_a_plane_of_many_triangles_without_catching(void **state)
{
    (void)state;
    nc_random random = {check_seed("sliding box", 47)};
    nc_mesh *plane = ground(4, 16), *cube = box(0.7, 0.4, 0.5);
    nc_proximity_options flat_too = nc_proximity_defaults();
    flat_too.flat_too = true;
    for (int n = check_effort(4000); n > 0; n--) {
        // On lattice lines, on diagonals and anywhere; along the lines and at any angle.
        const int kind = n % 4;
        const double x = kind == 0 ? floor(nc_random_range(&random, -4, 4)) / 4 : nc_random_range(&random, -1, 1);
        const double z = kind == 1 ? x : nc_random_range(&random, -1, 1);
        const double yaw =
            kind < 2 ? NC_PI / 4 * floor(nc_random_range(&random, 0, 8)) : nc_random_range(&random, -3, 3);
        const double gap = nc_random_range(&random, 0.001, 0.015);
        const nc_pose pose = turned(at(x, 0.2 + gap, z), nc_v3(0, yaw, 0));
        nc_proximity_list list = contacts(cube, pose, plane, at(0, 0, 0), 0.02);
        check_normals(&list, up, 4);
        list = find_in(buffer, cube, pose, plane, at(0, 0, 0), 0.02, flat_too);
        // Corners of the cuts just outside of the box's rim may lean by 3 degrees, as in figure 11.
        for (int i = 0; i < list.count; i++)
            check_at_most(cos(NC_PI / 60) * (1 - 1e-9), list.data[i].normal.y);
        assert_true(list.count >= 4);
        flat_too.local = !flat_too.local;
    }
    nc_mesh_release(plane);
    nc_mesh_release(cube);
}

static void a_tilted_box_on_a_plane_of_many_triangles_is_pushed_straight_up(void **state)
{
    (void)state;
    nc_random random = {check_seed("tilted box", 48)};
    nc_mesh *plane = ground(4, 16), *cube = box(0.7, 0.4, 0.5);
    for (int n = check_effort(2000); n > 0; n--) {
        const nc_vec3 turn = random_vector(&random, n % 2 ? 3 : 0.03);
        nc_pose pose = turned(at(nc_random_range(&random, -1, 1), 2, nc_random_range(&random, -1, 1)), turn);
        pose.x.y -= smallest(cube, pose, plane, at(0, 0, 0)).distance - nc_random_range(&random, 1e-5, 0.015);
        const nc_proximity_list list = contacts(cube, pose, plane, at(0, 0, 0), 0.02);
        check_normals(&list, up, -1);
    }
    nc_mesh_release(plane);
    nc_mesh_release(cube);
}

static void boxes_stacked_edge_on_edge_touch_at_four_corners(void **state)
{
    (void)state;
    nc_mesh *cube = box(1, 1, 1), *fine = shape("box", (nc_shape_parameter[]){{"splits", 4}}, 1);
    const double quarter = 0.5 * NC_PI;
    for (int i = 0; i < 4; i++) {
        nc_proximity_list list =
            contacts(cube, turned(at(3, 8.01, -2), nc_v3(0, i * quarter, 0)), cube, at(3, 7, -2), 0.02);
        check_normals(&list, up, 4);
        for (int k = 0; k < 4; k++) {
            check_near(fabs(list.data[k].on_a.x - 3), 0.5, 1e-12);
            check_near(fabs(list.data[k].on_a.z + 2), 0.5, 1e-12);
            check_near(list.data[k].distance, 0.01, 1e-12);
        }
        // Cut finely, the corners of the cuts along the rim come in, and nothing else.
        list = contacts(fine, turned(at(3, 8.01, -2), nc_v3(0, i * quarter, 0)), fine, at(3, 7, -2), 0.02);
        check_normals(&list, up, 16);
    }
    nc_mesh_release(cube);
    nc_mesh_release(fine);
}

// Counts the edges and vertices that no flat part holds.
static void count_sharp(const nc_mesh *mesh, int *vertices, int *edges)
{
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    *vertices = *edges = 0;
    for (int slot = 0; slot < tree.element_count; slot++) {
        const nc_element_features *f = &tree.features[slot];
        for (int k = 0; k < 3; k++) {
            *vertices += (f->owned_vertices & ~f->flat_vertices) >> k & 1;
            *edges += (f->owned_edges & ~f->flat_edges) >> k & 1;
        }
    }
}

static void check_sharp(nc_mesh *mesh, int vertices, int edges)
{
    int sharp_vertices, sharp_edges;
    count_sharp(mesh, &sharp_vertices, &sharp_edges);
    assert_int_equal(sharp_vertices, vertices);
    assert_int_equal(sharp_edges, edges);
    nc_mesh_release(mesh);
}

static void only_what_lies_inside_a_flat_part_is_flat(void **state)
{
    (void)state;
    check_sharp(box(1, 2, 3), 8, 12);                                                // not the diagonals
    check_sharp(ground(4, 5), 20, 20);                                               // the rim
    check_sharp(shape("box", (nc_shape_parameter[]){{"splits", 4}}, 1), 8 + 36, 48); // corners and cuts of edges
    check_sharp(mixture(), 9, 6);
    // Two triangles at one edge: spread out, folded onto each other, and with a third one in the same plane.
    static const nc_vec3 spread[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0.5, -2, 0}};
    static const nc_vec3 folded[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 2, 0}};
    static const nc_vec3 bent[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 1e-5}};
    static const int t[][3] = {{0, 1, 2}, {0, 1, 3}, {1, 0, 4}};
    check_sharp(make_mesh(&(nc_mesh_def){.vertices = spread, .vertex_count = 4, .triangles = t, .triangle_count = 2}),
                4, 4);
    check_sharp(make_mesh(&(nc_mesh_def){.vertices = folded, .vertex_count = 4, .triangles = t, .triangle_count = 2}),
                4, 5);
    check_sharp(make_mesh(&(nc_mesh_def){.vertices = bent, .vertex_count = 4, .triangles = t, .triangle_count = 2}), 4,
                5);
    check_sharp(make_mesh(&(nc_mesh_def){.vertices = spread, .vertex_count = 5, .triangles = t, .triangle_count = 3}),
                5, 7);
}

static void a_box_over_the_edge_of_a_table_rests_where_edges_cross(void **state)
{
    (void)state;
    nc_random random = {check_seed("table edge", 49)};
    nc_mesh *table = box(2, 0.1, 2), *cube = box(0.5, 0.5, 0.5);
    for (int n = check_effort(500); n > 0; n--) {
        const double over = nc_random_range(&random, 0.01, 0.49), z = nc_random_range(&random, -0.6, 0.6);
        nc_proximity_list list = contacts(cube, at(0.75 + over, 0.05 + 0.25 + 0.005, z), table, at(0, 0, 0), 0.01);
        check_normals(&list, up, 4);
        int crossings = 0;
        for (int i = 0; i < 4; i++) {
            crossings += list.data[i].feature.kind == NC_EDGE_EDGE;
            if (list.data[i].feature.kind == NC_EDGE_EDGE)
                check_near(list.data[i].on_b.x, 1, 1e-12);
        }
        assert_int_equal(crossings, 2);
        // A corner of the box over the edge, at any angle: its corners on the table, and crossings.
        const double yaw = nc_random_range(&random, 0.25, 1.3), reach = 0.25 * (cos(yaw) + sin(yaw));
        const nc_pose pose = turned(at(1 - reach + nc_random_range(&random, 0.02, 0.08), 0.305, z), nc_v3(0, yaw, 0));
        list = contacts(cube, pose, table, at(0, 0, 0), 0.01);
        check_normals(&list, up, 5);
    }
    nc_mesh_release(table);
    nc_mesh_release(cube);
}

static void the_far_side_of_a_thin_slab_is_hidden_by_its_near_side(void **state)
{
    (void)state;
    nc_random random = {check_seed("slab", 50)};
    nc_mesh *plane = ground(4, 8), *slab = box(1, 0.004, 1);
    for (int n = check_effort(500); n > 0; n--) {
        const double yaw = n % 2 ? 0 : nc_random_range(&random, -3, 3), gap = nc_random_range(&random, 0.001, 0.01);
        const nc_pose pose = turned(at(0.1, 0.002 + gap, 0.2), nc_v3(0, yaw, 0)), here = at(0, 0, 0);
        const nc_proximity_list list =
            n % 3 ? contacts(slab, pose, plane, here, 0.02) : local_contacts(slab, pose, plane, here, 0.02);
        check_normals(&list, up, 4);
        for (int i = 0; i < 4; i++)
            check_near(list.data[i].distance, gap, 1e-12);
    }
    nc_mesh_release(plane);
    nc_mesh_release(slab);
}

// Leaning a little, an upper corner is not exactly above a lower one, and the line from the plane to it may pass
// outside of the slab.
static void the_far_side_of_a_leaning_slab_is_hidden_too(void **state)
{
    (void)state;
    nc_random random = {check_seed("leaning slab", 57)};
    nc_mesh *plane = ground(4, 8), *slab = box(0.2, 0.004, 0.2);
    int count = 0;
    for (int n = check_effort(1000); n > 0; n--) {
        nc_pose pose = turned(at(0.1, 1, 0.2), random_vector(&random, 0.03));
        pose.x.y -= smallest(slab, pose, plane, at(0, 0, 0)).distance - 0.005;
        const nc_proximity_list list = n % 2 ? contacts(slab, pose, plane, at(0, 0, 0), 0.02)
                                             : local_contacts(slab, pose, plane, at(0, 0, 0), 0.02);
        check_normals(&list, up, -1);
        const nc_frame frame = nc_pose_frame(pose);
        for (int i = 0; i < list.count; i++, count++)
            check_at_most(nc_mat3_tmul(frame.rotation, nc_sub(list.data[i].on_a, pose.x)).y, 0);
    }
    assert_true(count > 1000);
    nc_mesh_release(plane);
    nc_mesh_release(slab);
}

// Two sheets 0.0005 apart, one turned so far that the angle alone lets the farther one through.
static void the_occlusion_ray_hides_what_a_wide_angle_would_let_through(void **state)
{
    (void)state;
    static const nc_vec3 v[] = {{-1, 0, -1},       {1, 0, -1},       {0, 0, 1},
                                {-0.1, 0.0005, 0}, {0.1, 0.0005, 0}, {0, 0.0005, 0.1}};
    static const int t[][3] = {{0, 1, 2}, {3, 4, 5}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 6, .triangles = t, .triangle_count = 2};
    nc_mesh *sheets = make_mesh(&def), *plane = ground(4, 2);
    nc_proximity_options wide = nc_proximity_defaults();
    wide.angle = 0.5;
    for (int i = 0; i < 2; i++) {
        wide.local = i == 1;
        const nc_proximity_list list = find_in(buffer, sheets, at(0, 0.01, 0), plane, at(0, 0, 0), 0.02, wide);
        check_normals(&list, up, 3);
        for (int k = 0; k < list.count; k++)
            check_near(list.data[k].distance, 0.01, 1e-12);
    }
    nc_mesh_release(sheets);
    nc_mesh_release(plane);
}

// ---- corners ------------------------------------------------------------------------------------------------

static nc_mesh *room_corner(void)
{
    static const nc_vec3 v[] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {3, 3, 0}, {0, 3, 3}, {3, 0, 3}};
    static const int t[][3] = {{0, 3, 6}, {0, 6, 1}, {0, 1, 4}, {0, 4, 2}, {0, 2, 5}, {0, 5, 3}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 7, .triangles = t, .triangle_count = 6};
    return make_mesh(&def);
}

static void a_cube_in_the_corner_of_a_room_feels_every_wall_if_asked(void **state)
{
    (void)state;
    nc_mesh *room = room_corner(), *cube = box(1, 1, 1);
    const nc_pose pose = at(0.51, 0.512, 0.514);
    const nc_proximity_list list = contacts(cube, pose, room, at(0, 0, 0), 0.02);
    assert_int_equal(list.count, 7); // each vertex but the outermost has a nearest wall
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true;
    const nc_proximity_list all = find_in(buffer_2, cube, pose, room, at(0, 0, 0), 0.02, options);
    assert_int_equal(all.count, 12); // four on each wall
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < all.count; i++)
        sum = nc_add(sum, all.data[i].normal);
    check_at_most(nc_norm(nc_sub(sum, nc_v3(4, 4, 4))), 1e-9);
    nc_mesh_release(room);
    nc_mesh_release(cube);
}

// Two walls 0.03 apart and a sheet between them, a little nearer to the lower one.
static void a_sheet_in_a_slot_touches_both_walls_if_judged_locally(void **state)
{
    (void)state;
    static const nc_vec3 v[] = {{-1, 0, -1},    {1, 0, -1},    {-1, 0, 1},    {1, 0, 1},
                                {-1, 0.03, -1}, {1, 0.03, -1}, {-1, 0.03, 1}, {1, 0.03, 1}};
    static const int t[][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 8, .triangles = t, .triangle_count = 4};
    nc_mesh *slot = make_mesh(&def), *small = ground(1, 1), *large = ground(3, 1);
    const nc_pose pose = at(0, 0.01499, 0);
    const nc_mesh *sheets[2] = {small, large};
    for (int i = 0; i < 2; i++) {
        nc_proximity_list list = contacts(sheets[i], pose, slot, at(0, 0, 0), 0.02);
        check_normals(&list, up, 4);
        list = local_contacts(sheets[i], pose, slot, at(0, 0, 0), 0.02);
        int above = 0, below = 0;
        for (int k = 0; k < list.count; k++) {
            below += list.data[k].normal.y > 1 - 1e-12;
            above += list.data[k].normal.y < -1 + 1e-12;
        }
        assert_int_equal(list.count, 8);
        assert_true(above == 4 && below == 4);
    }
    nc_mesh_release(slot);
    nc_mesh_release(small);
    nc_mesh_release(large);
}

// The second wall lies right behind the first: near enough, but hidden by it.
static void a_wall_behind_a_wall_is_hidden(void **state)
{
    (void)state;
    static const nc_vec3 v[] = {{-1, 0, -1},      {1, 0, -1},      {-1, 0, 1},      {1, 0, 1},
                                {-1, -0.005, -1}, {1, -0.005, -1}, {-1, -0.005, 1}, {1, -0.005, 1}};
    static const int t[][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 8, .triangles = t, .triangle_count = 4};
    nc_random random = {check_seed("walls", 54)};
    nc_mesh *walls = make_mesh(&def), *cube = box(0.5, 0.5, 0.5);
    for (int n = check_effort(300); n > 0; n--) {
        const nc_pose pose = turned(at(nc_random_range(&random, -0.3, 0.3), 0.25 + 0.01, n % 2 ? 0 : 0.1),
                                    nc_v3(0, n % 3 ? nc_random_range(&random, -3, 3) : 0, 0));
        const nc_proximity_list list = local_contacts(cube, pose, walls, at(0, 0, 0), 0.02);
        check_normals(&list, up, 4);
        for (int i = 0; i < list.count; i++)
            check_near(list.data[i].distance, 0.01, 1e-12);
    }
    nc_mesh_release(walls);
    nc_mesh_release(cube);
}

// ---- sheets -------------------------------------------------------------------------------------------------

static void a_plate_on_a_plate_touches_where_their_rims_cross(void **state)
{
    (void)state;
    nc_mesh *plate = shape("plate", NULL, 0);
    const nc_proximity_list turned_plate =
        contacts(plate, turned(at(0, 0.01, 0), nc_v3(0, NC_PI / 6, 0)), plate, at(0, 0, 0), 0.02);
    check_normals(&turned_plate, up, 12);
    for (int i = 0; i < 12; i++)
        assert_int_equal(turned_plate.data[i].feature.kind, NC_EDGE_EDGE);
    const nc_proximity_list aligned = contacts(plate, at(0, 0.01, 0), plate, at(0, 0, 0), 0.02);
    check_normals(&aligned, up, 6);
    // Below: the sheets have no inside, so the normal follows the side they are on.
    const nc_proximity_list below = contacts(plate, at(0, -0.01, 0), plate, at(0, 0, 0), 0.02);
    check_normals(&below, nc_neg(up), 6);
    // A small plate anywhere on a large one: its corners.
    nc_random random = {check_seed("plates", 51)};
    nc_mesh *small = shape("plate", (nc_shape_parameter[]){{"radius", 0.1}}, 1);
    for (int n = check_effort(500); n > 0; n--) {
        const nc_pose pose = turned(at(nc_random_range(&random, -0.2, 0.2), 0.01, nc_random_range(&random, -0.2, 0.2)),
                                    nc_v3(0, nc_random_range(&random, -3, 3), 0));
        const nc_proximity_list list = contacts(small, pose, plate, at(0, 0, 0), 0.02);
        check_normals(&list, up, 6);
    }
    nc_mesh_release(small);
    nc_mesh_release(plate);
}

static void a_boat_lies_in_a_boat(void **state)
{
    (void)state;
    nc_random random = {check_seed("boat in boat", 52)};
    nc_mesh *boat = shape("boat", (nc_shape_parameter[]){{"thwart", 0}}, 1);
    int most = 0;
    for (int n = check_effort(200); n > 0; n--) {
        nc_pose pose = turned(at(0, 0.3, 0), random_vector(&random, n % 2 ? 0.05 : 0));
        for (int i = 0; i < 200; i++) {
            const double d = smallest(boat, pose, boat, at(0, 0, 0)).distance;
            if (d < 0.0051)
                break;
            pose.x.y -= d - 0.005;
        }
        const nc_proximity best = smallest(boat, pose, boat, at(0, 0, 0));
        const nc_proximity_list list = contacts(boat, pose, boat, at(0, 0, 0), 0.01);
        double nearest = INFINITY, lowest = INFINITY;
        for (int i = 0; i < list.count; i++) {
            nearest = fmin(nearest, list.data[i].distance);
            lowest = fmin(lowest, list.data[i].normal.y);
        }
        assert_true(list.count > 0);
        check_near(nearest, best.distance, 1e-9);
        // The upper one slid straight down until something stopped it: that contact pushes up.
        check_at_most(1e-3, best.normal.y);
        most = list.count > most ? list.count : most;
    }
    print_message("  at most %d contacts\n", most);
    assert_true(most >= 4);
    nc_mesh_release(boat);
}

// ---- wires and points ---------------------------------------------------------------------------------------

static nc_mesh *wire(nc_vec3 from, nc_vec3 to)
{
    const nc_vec3 v[] = {from, to};
    static const int e[][2] = {{0, 1}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 2, .edges = e, .edge_count = 1};
    return make_mesh(&def);
}

static nc_mesh *point(void)
{
    static const nc_vec3 v[] = {{0, 0, 0}};
    static const int p[] = {0};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 1, .points = p, .point_count = 1};
    return make_mesh(&def);
}

static void check_one(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, nc_feature_kind kind,
                      int count)
{
    const nc_proximity_list list = contacts(a, pose_a, b, pose_b, 0.02);
    check_normals(&list, up, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(list.data[i].feature.kind, kind);
        check_near(list.data[i].distance, 0.01, 1e-12);
    }
}

static void wires_and_points_make_contacts_of_their_own_kinds(void **state)
{
    (void)state;
    nc_mesh *along = wire(nc_v3(-1, 0, 0), nc_v3(1, 0, 0)), *across = wire(nc_v3(0, 0, -1), nc_v3(0, 0, 1));
    nc_mesh *grain = point(), *plane = ground(4, 3);
    const nc_pose here = at(0, 0, 0), above = at(0.125, 0.01, 0.25), straight = at(0.125, 0.01, 0);
    check_one(along, above, across, here, NC_EDGE_EDGE, 1);
    const nc_proximity_list parallel =
        contacts(along, straight, along, here, 0.02); // one end of each is over the other
    check_normals(&parallel, up, 2);
    assert_int_equal(parallel.data[0].feature.kind, NC_VERTEX_EDGE);
    assert_int_equal(parallel.data[1].feature.kind, NC_EDGE_VERTEX);
    // Turned by less than can be distinguished from parallel, they cross in the middle; their ends say all there is.
    const nc_proximity_list crossing = contacts(along, turned(straight, nc_v3(0, 1e-9, 0)), along, here, 0.02);
    check_normals(&crossing, up, 2);
    check_one(along, above, plane, here, NC_VERTEX_FACE, 2);
    check_one(grain, straight, along, here, NC_VERTEX_EDGE, 1);
    check_one(along, straight, grain, here, NC_EDGE_VERTEX, 1);
    check_one(grain, above, plane, here, NC_VERTEX_FACE, 1);
    check_one(plane, above, grain, here, NC_FACE_VERTEX, 1);
    check_one(grain, at(0, 0.01, 0), grain, here, NC_VERTEX_VERTEX, 1);
    nc_mesh_release(along);
    nc_mesh_release(across);
    nc_mesh_release(grain);
    nc_mesh_release(plane);
}

// ---- touching, lists, errors --------------------------------------------------------------------------------

static void touching_boxes_are_pushed_apart_along_their_faces(void **state)
{
    (void)state;
    nc_mesh *cube = box(1, 1, 1), *small = box(0.5, 0.5, 0.5);
    const double gaps[] = {0, 1e-15, 1e-12, 1e-9};
    for (int i = 0; i < 4; i++) {
        nc_proximity_list list = contacts(small, at(0.125, 0.75 + gaps[i], 0.0625), cube, at(0, 0, 0), 0.01);
        check_normals(&list, up, 4);
        list = contacts(small, at(0.125, -0.75 - gaps[i], 0.0625), cube, at(0, 0, 0), 0.01);
        check_normals(&list, nc_neg(up), 4);
    }
    const nc_proximity p = smallest(small, at(0.125, 0.75, 0.0625), cube, at(0, 0, 0));
    assert_true(p.distance == 0 && p.lower_bound == 0);
    nc_mesh *sheet = ground(4, 2);
    for (int side = -1; side <= 1; side += 2) {
        const nc_proximity_list list = contacts(small, at(0.125, 0.25 * side, 0.0625), sheet, at(0, 0, 0), 0.01);
        check_normals(&list, nc_scale(side, up), 4);
    }
    nc_mesh_release(sheet);
    nc_mesh_release(cube);
    nc_mesh_release(small);
}

// At a few units in the last place above each other, turned anyhow: the points' difference has no direction left, the
// features have.
static void hardly_separate_boxes_have_the_normals_of_their_features(void **state)
{
    (void)state;
    nc_random random = {check_seed("hardly separate", 55)};
    nc_mesh *cube = box(1, 1, 1), *small = box(0.5, 0.5, 0.5);
    for (int n = check_effort(300); n > 0; n--) {
        nc_pose pose = turned(at(0, 0, 0), random_vector(&random, 3)), above = pose;
        const double gap = 1e-12 * nc_random_range(&random, 1, 10);
        above.x = nc_pose_apply(pose, nc_v3(0.1, 0.75 + gap, 0.05));
        const nc_proximity_list list = contacts(small, above, cube, pose, 0.01);
        check_normals(&list, nc_pose_apply(pose, up), 4);
    }
    nc_mesh_release(cube);
    nc_mesh_release(small);
}

static void a_list_without_room_says_how_much_it_needs(void **state)
{
    (void)state;
    nc_mesh *cube = box(1, 1, 1);
    const nc_pose above = at(0, 1.01, 0), here = at(0, 0, 0);
    const nc_proximity_options options = nc_proximity_defaults();
    nc_proximity room[128];
    memset(room, 0x5a, sizeof room);
    nc_error err;
    nc_proximity_list list = {.data = room, .count = 2, .capacity = 3};
    assert_int_equal(nc_proximity_find(cube, above, cube, here, 0.02, &options, &list, &err), NC_OUT_OF_MEMORY);
    assert_int_equal(list.count, 2);
    assert_true(list.needed > 5 && list.needed <= 128);
    list.capacity = list.needed;
    check_ok(nc_proximity_find(cube, above, cube, here, 0.02, &options, &list, &err), err);
    assert_int_equal(list.count, 2 + 4); // appended
    const uint8_t *kept = (const uint8_t *)room;
    for (size_t i = 0; i < 2 * sizeof room[0]; i++)
        assert_int_equal(kept[i], 0x5a);
    nc_mesh_release(cube);
}

typedef struct growth {
    const nc_mesh *mesh;
} growth;

static nc_code grow_a_list(const nc_allocator *allocator, void *ctx)
{
    const growth *g = ctx;
    const nc_proximity_options options = {.every_pair = true};
    nc_proximity_list list = {.allocator = allocator};
    const nc_code code = nc_proximity_find(g->mesh, at(0, 1.01, 0), g->mesh, at(0, 0, 0), 0.02, &options, &list, NULL);
    if (code == NC_OK)
        assert_true(list.count > 50);
    nc_proximity_list_free(&list);
    return code;
}

static void a_list_grows_by_its_allocator_and_survives_its_refusal(void **state)
{
    (void)state;
    nc_mesh *cube = box(1, 1, 1);
    growth g = {cube};
    assert_true(fail_at_every_call(grow_a_list, &g) > 1);
    nc_mesh_release(cube);
}

static void questions_without_meaning_are_refused(void **state)
{
    const library *shapes = *state;
    const nc_mesh *m = shapes->mesh[0];
    nc_proximity_options options = nc_proximity_defaults();
    nc_proximity_list list = {.data = buffer, .capacity = ROOM};
    nc_proximity p;
    nc_error err;
    const nc_pose good = at(0, 0, 0), bad[] = {at(NAN, 0, 0),
                                               at(0, INFINITY, 0),
                                               {{0, 0, 0}, {0, 0, 0, 0}},
                                               {{0, 0, 0}, {1, NAN, 0, 0}},
                                               at(0, 0, 0x1p110)};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(nc_proximity_find(m, bad[i], m, good, 1, &options, &list, &err), NC_BAD_ARGUMENT);
        assert_int_equal(nc_proximity_find(m, good, m, bad[i], 1, &options, &list, &err), NC_BAD_ARGUMENT);
        assert_int_equal(nc_mesh_distance(m, good, m, bad[i], &p, &err), NC_BAD_ARGUMENT);
    }
    assert_int_equal(nc_proximity_find(m, good, m, good, -1, &options, &list, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_proximity_find(m, good, m, good, NAN, &options, &list, &err), NC_BAD_ARGUMENT);
    assert_int_equal(nc_proximity_find(m, good, m, good, INFINITY, &options, &list, &err), NC_BAD_ARGUMENT);
    options.angle = NC_PI;
    assert_int_equal(nc_proximity_find(m, good, m, good, 1, &options, &list, &err), NC_BAD_ARGUMENT);
    assert_int_equal(list.count, 0);
}

// Tiny, huge, very unequal: the same contacts up to scale.
static void contacts_do_not_depend_on_the_scale(void **state)
{
    (void)state;
    const double scales[] = {0x1p-60, 0x1p-20, 1, 0x1p30, 0x1p60};
    for (int i = 0; i < 5; i++) {
        const double s = scales[i];
        nc_vec3 v[7];
        static const int t[][3] = {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}};
        const nc_vec3 unit[7] = {{-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},    {1, 0, 1},
                                 {0, 0, 0},   {0.5, 0, 0}, {0, 0.5, 0.25}};
        for (int k = 0; k < 7; k++)
            v[k] = nc_scale(s, unit[k]);
        const nc_mesh_def sheet_def = {.vertices = v, .vertex_count = 4, .triangles = t, .triangle_count = 2};
        static const int lone[][3] = {{0, 1, 2}};
        const nc_mesh_def leaf_def = {.vertices = v + 4, .vertex_count = 3, .triangles = lone, .triangle_count = 1};
        nc_mesh *sheet = make_mesh(&sheet_def), *leaf = make_mesh(&leaf_def);
        const nc_proximity_list list = contacts(leaf, at(0, 0.01 * s, 0), sheet, at(0, 0, 0), 0.02 * s);
        check_normals(&list, up, 2);
        check_near(list.data[0].distance / s, 0.01, 1e-12);
        nc_mesh_release(sheet);
        nc_mesh_release(leaf);
    }
}

// ---- cost ---------------------------------------------------------------------------------------------------

static double cpu_microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// The plain way: every feature pair by its distance function.
static long brute_force(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance)
{
    const nc_mesh_data in_a = nc_mesh_view(a), in_b = nc_mesh_view(b);
    static nc_vec3 va[4096], vb[4096];
    long near = 0;
    for (int i = 0; i < in_a.vertex_count; i++)
        va[i] = nc_pose_apply(pose_a, in_a.vertices[i]);
    for (int i = 0; i < in_b.vertex_count; i++)
        vb[i] = nc_pose_apply(pose_b, in_b.vertices[i]);
    for (int i = 0; i < in_a.vertex_count; i++)
        for (int j = 0; j < in_b.triangle_count; j++) {
            const int *t = in_b.triangles[j];
            const nc_vec3 corner[3] = {vb[t[0]], vb[t[1]], vb[t[2]]};
            near += nc_distance_point_triangle(va[i], corner).distance < distance;
        }
    for (int i = 0; i < in_b.vertex_count; i++)
        for (int j = 0; j < in_a.triangle_count; j++) {
            const int *t = in_a.triangles[j];
            const nc_vec3 corner[3] = {va[t[0]], va[t[1]], va[t[2]]};
            near += nc_distance_point_triangle(vb[i], corner).distance < distance;
        }
    for (int i = 0; i < in_a.edge_count; i++)
        for (int j = 0; j < in_b.edge_count; j++) {
            const nc_vec3 ea[2] = {va[in_a.edges[i][0]], va[in_a.edges[i][1]]};
            const nc_vec3 eb[2] = {vb[in_b.edges[j][0]], vb[in_b.edges[j][1]]};
            near += nc_distance_segment_segment(ea, eb).distance < distance;
        }
    return near;
}

#define PAIRS 100

static void a_boat_pair_costs_far_less_than_brute_force(void **state)
{
    const library *shapes = *state;
    const nc_mesh *boat = shapes->mesh[0];
    nc_random random = {check_seed("cost", 53)};
    static nc_pose a[PAIRS], b[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        while (!bring_near(&random, boat, &a[i], boat, &b[i], 0.005))
            ;
    const double distance = 0.01, start = cpu_microseconds();
    long count = 0, near = 0;
    const int rounds = 20;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < PAIRS; i++)
            count += contacts(boat, a[i], boat, b[i], distance).count;
    const double touching = (cpu_microseconds() - start) / (rounds * PAIRS), middle = cpu_microseconds();
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < PAIRS; i++) {
            const nc_pose apart = at(b[i].x.x + 0.5, b[i].x.y + 0.5, b[i].x.z + 0.5);
            contacts(boat, a[i], boat, apart, distance);
        }
    const double far = (cpu_microseconds() - middle) / (rounds * PAIRS), later = cpu_microseconds();
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < PAIRS; i++)
            smallest(boat, a[i], boat, b[i]);
    const double least_distance = (cpu_microseconds() - later) / (rounds * PAIRS), last = cpu_microseconds();
    for (int i = 0; i < 10; i++)
        near += brute_force(boat, a[i], boat, b[i], distance);
    const double brute = (cpu_microseconds() - last) / 10;
    print_message(
        "  a boat pair in contact (%.1f contacts): %.2f us; half a boat apart: %.2f us; smallest distance: %.2f us;"
        " brute force (%.1f near features): %.0f us, %.0f times as much\n",
        (double)count / (rounds * PAIRS), touching, far, least_distance, (double)near / 10, brute, brute / touching);
    assert_true(brute > 20 * touching);
}

// The step spares swept tests by it. Flat parts make no contacts but must not be overlooked, and lone points, wires and
// shells around shells are measured like anything else.
static void no_features_are_nearer_than_the_clearance(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("clearance", 12)};
    static nc_proximity room[1 << 14];
    int near = 0, tight = 0;
    const int cases = check_effort(2000);
    for (int i = 0; i < cases; i++) {
        const nc_mesh *a = shapes->mesh[random_below(&random, SHAPES)];
        const nc_mesh *b = shapes->mesh[random_below(&random, SHAPES)];
        nc_pose pose_a, pose_b;
        random_poses(&random, i % 2 == 0 ? 3 : 1, &pose_a, &pose_b);
        nc_proximity_options options = nc_proximity_defaults();
        options.local = i % 3 != 0;
        options.flat_too = i % 5 == 0;
        nc_proximity_list list = {.data = room, .capacity = 1 << 14};
        nc_proximity nearest;
        nc_error err;
        const double reach = ldexp(1.0, -3 - random_below(&random, 9));
        check_ok(nc_proximity_find(a, pose_a, b, pose_b, reach, &options, &list, &err), err);
        check_ok(nc_mesh_distance(a, pose_a, b, pose_b, &nearest, &err), err);
        check_at_most(list.clearance, fmin(nearest.distance, reach));
        const bool is_near = nearest.distance < reach && nearest.lower_bound > 0;
        near += is_near;
        tight += is_near && list.clearance >= 0.999 * nearest.lower_bound - 1e-8;
    }
    print_message("%d of %d pairs within reach; the clearance of %d is their distance\n", near, cases, tight);
    assert_true(near > cases / 20 && tight == near);
}

// ---- edges that are left out early ------------------------------------------------------------------------------

static bool same_vector(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void check_same(const nc_proximity *p, const nc_proximity *q)
{
    assert_int_equal(p->feature.kind, q->feature.kind);
    assert_int_equal(p->feature.a, q->feature.a);
    assert_int_equal(p->feature.b, q->feature.b);
    assert_true(p->distance == q->distance && p->lower_bound == q->lower_bound);
    assert_true(same_vector(p->on_a, q->on_a) && same_vector(p->on_b, q->on_b) && same_vector(p->normal, q->normal));
}

// Boxes corner above corner, edge along edge or askew, off by nothing, by rounding, by about what makes an end an end
// (d/1024), or by as much as they are apart.
static nc_pose nearly_on_top(nc_random *random, double height, double gap)
{
    static const double parts[] = {0, 1e-12, 0x1p-12, 0x1p-11, 0x1p-10, 0x1p-9, 0.1, 1};
    const double shift = gap * parts[random_below(random, 8)], tilt = gap * parts[random_below(random, 8)];
    const int quarters = random_below(random, 4);
    const nc_vec3 off = random_vector(random, shift), turn = random_vector(random, 0.5 * tilt);
    const int how =
        random_below(random, 4); // as parallel as counts (d/1024 at the end of 1 m) and half or twice as much
    const double askew = how == 0   ? nc_random_range(random, -1, 1)
                         : how == 1 ? 0x1p-10 * gap * nc_random_range(random, 0.5, 4)
                                    : 0;
    nc_pose pose = {nc_add(off, nc_v3(0, 0, height + gap)), nc_quat_identity()};
    pose.q = nc_quat_mul(nc_quat_from_rotation_vector(nc_v3(0, 0, askew + quarters * NC_PI / 2)), pose.q);
    pose.q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(turn), pose.q));
    return pose;
}

static void moved_together(nc_random *random, nc_pose *a, nc_pose *b)
{
    const nc_quat q = nc_quat_from_rotation_vector(random_vector(random, 3));
    const nc_mat3 r = nc_quat_matrix(q);
    *a = (nc_pose){nc_mat3_mul(r, a->x), nc_quat_normalize(nc_quat_mul(q, a->q))};
    *b = (nc_pose){nc_mat3_mul(r, b->x), nc_quat_normalize(nc_quat_mul(q, b->q))};
}

// The same contacts to the bit, and no smaller clearance but for 2^-20.
static void edges_left_out_early_change_no_contact(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("left out", 57)};
    nc_mesh *bricks[3] = {box(1, 1, 1), box(0.4, 0.2, 0.1), box(1, 0.01, 1)};
    static const double heights[3] = {1, 0.1, 1};
    long edges = 0, found = 0;
    for (int n = 0; n < check_effort(6000); n++) {
        const int brick = random_below(&random, 3);
        const nc_mesh *a = bricks[brick], *b = a;
        const double gap = ldexp(nc_random_range(&random, 0.5, 1), -4 - random_below(&random, 20));
        double distance = gap * nc_random_range(&random, 1, 6);
        nc_pose pose_a = at(0, 0, 0), pose_b = nearly_on_top(&random, heights[brick], gap);
        if (n % 4 == 3) {
            a = shapes->mesh[random_below(&random, SHAPES)];
            b = shapes->mesh[random_below(&random, SHAPES)];
            random_poses(&random, 1, &pose_a, &pose_b);
            distance = 0.05;
        } else if (n % 2 == 0) {
            moved_together(&random, &pose_a, &pose_b);
        }
        nc_proximity_options options = nc_proximity_defaults();
        options.local = n % 5 != 0;
        options.flat_too = n % 7 == 0;
        const nc_proximity_list list = find_in(buffer, a, pose_a, b, pose_b, distance, options);
        nc_proximity_list plain = {.data = buffer_2, .capacity = ROOM};
        nc_error err;
        check_ok(nc_proximity_find_plainly(a, pose_a, b, pose_b, distance, &options, &plain, &err), err);
        assert_int_equal(list.count, plain.count);
        for (int i = 0; i < plain.count; i++) {
            check_same(&list.data[i], &plain.data[i]);
            edges += plain.data[i].feature.kind == NC_EDGE_EDGE;
        }
        check_at_most(plain.clearance - list.clearance, 0x1p-19 * plain.clearance + 1e-12);
        check_at_most(list.clearance, smallest(a, pose_a, b, pose_b).distance);
        found += plain.count;
    }
    print_message("  %ld contacts, %ld of them of edges\n", found, edges);
    assert_true(edges > 1000 && found > 10 * edges / 9);
    for (int k = 0; k < 3; k++)
        nc_mesh_release(bricks[k]);
}

// Two triangles that count as flat but are a roof, and a wire across its ridge: nothing else is as near.
static void a_ridge_that_counts_as_flat_is_measured(void **state)
{
    (void)state;
    static const nc_vec3 roof[4] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, -4e-7}, {0, -1, -4e-7}};
    static const nc_vec3 wire[2] = {{0.1, -0.5, 0}, {0.1, 0.5, 0}};
    static const int triangles[2][3] = {{0, 1, 2}, {1, 0, 3}}, edges[1][2] = {{0, 1}};
    const nc_mesh_def roof_def = {.vertices = roof, .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
    const nc_mesh_def wire_def = {.vertices = wire, .vertex_count = 2, .edges = edges, .edge_count = 1};
    nc_mesh *a, *b;
    nc_error err;
    check_ok(nc_mesh_create(&roof_def, NULL, &a, &err), err);
    check_ok(nc_mesh_create(&wire_def, NULL, &b, &err), err);
    const nc_proximity_list list = contacts(a, at(0, 0, 0), b, at(0, 0, 0.01), 0.02);
    check_at_most(list.clearance, 0.01);
    check_at_most(0.01 - list.clearance, 1e-7);
    nc_mesh_release(a);
    nc_mesh_release(b);
}

// A needle that is turned by next to nothing: the squares of its normal, all of it rounding, underflow.
static void a_needle_turned_by_next_to_nothing_is_found(void **state)
{
    (void)state;
    nc_random random = {check_seed("next to nothing", 77)};
    const nc_vec3 corners[4] = {{0, 0, 0}, {0, 50, 0}, {5, 90, 0}, {1, 90, 0}};
    const int triangle[1][3] = {{0, 1, 2}}, point[4] = {0, 1, 2, 3};
    const nc_mesh_def dots_def = {.vertices = corners, .vertex_count = 4, .points = point, .point_count = 4};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_proximity_options options = nc_proximity_defaults();
    nc_mesh *dots, *needle;
    nc_error err;
    options.every_pair = true;
    check_ok(nc_mesh_create(&dots_def, NULL, &dots, &err), err);
    for (int k = 0; k < check_effort(10000); k++) {
        const nc_vec3 along[3] = {{0, 0, nc_random_range(&random, -1, 0)},
                                  {0, 0, nc_random_range(&random, 0.1, 1)},
                                  {0, 0, nc_random_range(&random, -0.1, 0.5)}};
        const nc_mesh_def def = {.vertices = along, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
        const double nothing = ldexp(nc_random_range(&random, 0.5, 1), -480 - (int)(nc_random_u64(&random) % 10));
        const double distance = nc_random_range(&random, 0.5, 20);
        const nc_pose pose = {{distance * nc_random_range(&random, 0.8, 0.999), 0, 0.05}, {1, 0, 0, 0}};
        const nc_pose turned = {{0, 0, 0}, {1, nothing, nothing * nc_random_range(&random, -1, 1), 0}};
        nc_proximity_list list = {.allocator = &memory};
        check_ok(nc_mesh_create(&def, NULL, &needle, &err), err);
        check_ok(nc_proximity_find(dots, pose, needle, turned, distance, &options, &list, &err), err);
        assert_true(list.count > 0);
        assert_true(list.clearance <= pose.x.x);
        nc_proximity_list_free(&list);
        nc_mesh_release(needle);
    }
    nc_mesh_release(dots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_below_the_distance_is_found),
        cmocka_unit_test(a_pair_at_the_very_edge_of_the_distance_is_found),
        cmocka_unit_test(every_pair_is_found_at_exactly_aligned_poses),
        cmocka_unit_test(every_pair_is_the_same_when_a_and_b_are_swapped),
        cmocka_unit_test(distance_is_the_smallest_of_all_pairs),
        cmocka_unit_test(the_clearance_is_below_every_pair_and_tells_near_from_far),
        cmocka_unit_test(contacts_hold_the_nearest_pair_and_only_near_pairs),
        cmocka_unit_test(a_vertex_makes_a_contact_just_when_its_nearest_face_sees_it),
        cmocka_unit_test(figure_3_a_corner_near_the_side_of_the_box_below_is_pushed_up),
        cmocka_unit_test(figure_4_normals_lie_in_the_cones_of_both_bodies),
        cmocka_unit_test(figure_11_a_corner_past_the_edge_does_not_catch_on_it),
        cmocka_unit_test(a_box_slides_across_a_plane_of_many_triangles_without_catching),
        cmocka_unit_test(a_tilted_box_on_a_plane_of_many_triangles_is_pushed_straight_up),
        cmocka_unit_test(boxes_stacked_edge_on_edge_touch_at_four_corners),
        cmocka_unit_test(only_what_lies_inside_a_flat_part_is_flat),
        cmocka_unit_test(a_box_over_the_edge_of_a_table_rests_where_edges_cross),
        cmocka_unit_test(the_far_side_of_a_thin_slab_is_hidden_by_its_near_side),
        cmocka_unit_test(the_far_side_of_a_leaning_slab_is_hidden_too),
        cmocka_unit_test(the_occlusion_ray_hides_what_a_wide_angle_would_let_through),
        cmocka_unit_test(a_cube_in_the_corner_of_a_room_feels_every_wall_if_asked),
        cmocka_unit_test(a_sheet_in_a_slot_touches_both_walls_if_judged_locally),
        cmocka_unit_test(a_wall_behind_a_wall_is_hidden),
        cmocka_unit_test(a_plate_on_a_plate_touches_where_their_rims_cross),
        cmocka_unit_test(a_boat_lies_in_a_boat),
        cmocka_unit_test(wires_and_points_make_contacts_of_their_own_kinds),
        cmocka_unit_test(hardly_separate_boxes_have_the_normals_of_their_features),
        cmocka_unit_test(touching_boxes_are_pushed_apart_along_their_faces),
        cmocka_unit_test(a_list_without_room_says_how_much_it_needs),
        cmocka_unit_test(a_list_grows_by_its_allocator_and_survives_its_refusal),
        cmocka_unit_test(questions_without_meaning_are_refused),
        cmocka_unit_test(contacts_do_not_depend_on_the_scale),
        cmocka_unit_test(a_boat_pair_costs_far_less_than_brute_force),
        cmocka_unit_test(a_needle_turned_by_next_to_nothing_is_found),
        cmocka_unit_test(no_features_are_nearer_than_the_clearance),
        cmocka_unit_test(edges_left_out_early_change_no_contact),
        cmocka_unit_test(a_ridge_that_counts_as_flat_is_measured),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
