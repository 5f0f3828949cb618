// Swept tests of meshes on curved paths: never a miss, never late, against dense sampling with exact intersection.
#include "check.h"
#include "soup.h"

#include "narrow/narrow.h"

#include <string.h>

#define SHAPES 6

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

static int open_library(void **state)
{
    static library shapes;
    const char *names[SHAPES] = {"boat", "ring", "triangle", "torus", "spike", "plate"};
    for (int i = 0; i < SHAPES; i++)
        shapes.mesh[i] = shape(names[i], NULL, 0);
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

static nc_quat random_turn(nc_random *random)
{
    return nc_quat_from_rotation_vector(random_vector(random, 3));
}

static nc_path random_path(nc_random *random, double spread, double travel, double turn)
{
    const nc_pose pose = {random_vector(random, spread), random_turn(random)};
    return nc_path_free(pose, random_vector(random, travel), random_vector(random, turn), random_vector(random, 0.1));
}

static bool meet(const nc_mesh *a, const nc_path *pa, const nc_mesh *b, const nc_path *pb, double t)
{
    bool hit = false;
    nc_error err;
    check_ok(nc_mesh_intersect(a, nc_path_pose(pa, t), b, nc_path_pose(pb, t), &hit, NULL, &err), err);
    return hit;
}

static const nc_mesh_sweep_options options = {.gap = {1e-4, 0, 0}, .tolerance = 1e-5, .limit = 400};

typedef struct tally {
    int pairs, clear, hits, undecided, met;
    long nodes, features, evaluations;
} tally;

// The trees alone, and with a hint of whole bodies: whatever it says, nothing is missed.
static void check_sweep(const nc_mesh *a, const nc_path *pa, const nc_mesh *b, const nc_path *pb, int samples,
                        nc_whole_hint *hint, tally *sum)
{
    const nc_sweep_result sweep = nc_sweep_meshes(a, pa, b, pb, 0, 1, &options, hint);
    sum->pairs++;
    sum->clear += sweep.verdict == NC_CLEAR;
    sum->hits += sweep.verdict == NC_HIT;
    sum->undecided += sweep.verdict == NC_UNDECIDED;
    sum->nodes += sweep.counts.node_tests;
    sum->features += sweep.counts.feature_tests;
    sum->evaluations += sweep.counts.evaluations;
    for (int k = 1; k <= samples; k++) {
        const double t = (double)k / samples;
        if (t > sweep.toi && sweep.verdict != NC_CLEAR)
            break;
        if (meet(a, pa, b, pb, t)) {
            print_error("they meet at %g; the sweep said %d until %.17g\n", t, (int)sweep.verdict, sweep.toi);
            fail();
        }
    }
}

static void check_pair(const nc_mesh *a, const nc_path *pa, const nc_mesh *b, const nc_path *pb, int samples,
                       tally *sum)
{
    if (meet(a, pa, b, pb, 0))
        return;
    const nc_vec3 across = nc_sub(pa->start.x, pb->start.x);
    nc_whole_hint hint = {.direction = nc_v3(across.y, -across.z, across.x), .known = true};
    if (sum->pairs % 2 == 0)
        check_sweep(a, pa, b, pb, samples, &hint, sum);
    else
        check_sweep(a, pa, b, pb, samples, NULL, sum);
    for (int k = 1; k <= samples; k++)
        if (meet(a, pa, b, pb, (double)k / samples)) {
            sum->met++;
            break;
        }
}

static void random_shells_on_fast_curved_paths_are_never_missed(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("shells", 50)};
    tally sum = {0};
    const int cases = check_effort(5000);
    for (int i = 0; i < cases; i++) {
        const nc_mesh *a = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const nc_mesh *b = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const double speed = ldexp(1.0, (int)nc_random_range(&random, -3, 4));
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -4, 5));
        const nc_path pa = random_path(&random, 1.5, speed, turn), pb = random_path(&random, 1.5, speed, turn);
        check_pair(a, &pa, b, &pb, 64, &sum);
    }
    print_message(
        "%d pairs: %d clear, %d hits, %d undecided; %d intersect at a sample; %.0f nodes, %.0f features, %.0f "
        "evaluations a pair\n",
        sum.pairs, sum.clear, sum.hits, sum.undecided, sum.met, (double)sum.nodes / sum.pairs,
        (double)sum.features / sum.pairs, (double)sum.evaluations / sum.pairs);
    assert_true(sum.met > sum.pairs / 20 && sum.clear > sum.pairs / 20);
    assert_true(sum.hits >= sum.met / 2);
}

static void check_bodies_in(const nc_mesh *bowl, const library *shapes, uint64_t seed)
{
    nc_random random = {seed};
    tally sum = {0};
    const int cases = check_effort(1000);
    int small = 0;
    for (int i = 0; i < cases; i++) {
        const nc_mesh *body = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const double speed = ldexp(1.0, (int)nc_random_range(&random, -4, 3));
        const nc_path moving = random_path(&random, 1.8, speed, 3 * speed);
        const nc_path holding = random_path(&random, 0.3, nc_random_unit(&random) < 0.5 ? 0 : speed, 0.3);
        small += 2 * nc_mesh_radius(body) <= nc_mesh_radius(bowl) ? 1 : 0;
        if (nc_random_unit(&random) < 0.5)
            check_pair(body, &moving, bowl, &holding, 48, &sum);
        else
            check_pair(bowl, &holding, body, &moving, 48, &sum);
    }
    print_message("%d vertices: %d pairs: %d clear, %d hits, %d undecided; %d intersect at a sample\n",
                  nc_mesh_view(bowl).vertex_count, sum.pairs, sum.clear, sum.hits, sum.undecided, sum.met);
    assert_true(sum.met > sum.pairs / 20 && sum.clear > sum.pairs / 20);
    assert_true(small > cases / 2); // or no body is kept whole
}

// A small body and a large surface that bends around it, of few vertices or of many: the planes of its triangles
// separate them, or do not.
static void small_bodies_in_a_bowl_are_never_missed(void **state)
{
    const library *shapes = *state;
    const uint64_t seed = check_seed("bowl", 53);
    nc_mesh *coarse = shape("bowl", (const nc_shape_parameter[]){{"radius", 2}}, 1);
    nc_mesh *fine = shape("bowl", (const nc_shape_parameter[]){{"radius", 2}, {"segments", 96}, {"rings", 24}}, 3);
    assert_true(nc_mesh_view(coarse).vertex_count <= NC_WHOLE_VERTICES);
    assert_true(nc_mesh_view(fine).vertex_count > NC_WHOLE_VERTICES);
    check_bodies_in(coarse, shapes, seed);
    check_bodies_in(fine, shapes, seed + 1);
    nc_mesh_release(coarse);
    nc_mesh_release(fine);
}

// ---- parts that one direction keeps apart -----------------------------------------------------------------------

#define FIELD 12 // squares per side

// Waves of large triangles: each is far larger than what flies above it, so that no interval is halved for its sake.
static nc_mesh *make_field(double side)
{
    nc_vec3 v[(FIELD + 1) * (FIELD + 1)];
    int t[2 * FIELD * FIELD][3];
    for (int k = 0; k < (FIELD + 1) * (FIELD + 1); k++) {
        const int column = k % (FIELD + 1), row = k / (FIELD + 1);
        v[k] = nc_v3(side * (column - 0.5 * FIELD), k % 3 == 1 ? -0.05 * side : 0, side * (row - 0.5 * FIELD));
    }
    for (int k = 0; k < FIELD * FIELD; k++) {
        const int at = k / FIELD * (FIELD + 1) + k % FIELD;
        const int two[2][3] = {{at, at + 1, at + FIELD + 1}, {at + 1, at + FIELD + 2, at + FIELD + 1}};
        memcpy(t[2 * k], two, sizeof two);
    }
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = (FIELD + 1) * (FIELD + 1),
                             .triangles = (const int(*)[3])t,
                             .triangle_count = 2 * FIELD * FIELD};
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

// Clear of the surface at both ends of its turn, and not on the way: how far it strays from its chord must count.
static void a_small_body_that_turns_above_large_triangles_is_never_missed(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("field", 54)};
    nc_mesh *field = make_field(20);
    tally sum = {0};
    for (int i = 0; i < check_effort(1500); i++) {
        const nc_mesh *body = shapes->mesh[nc_random_u64(&random) % SHAPES];
        nc_pose over = {random_vector(&random, 40), random_turn(&random)};
        over.x.y = nc_random_range(&random, 0, 1.2 * nc_mesh_radius(body));
        const nc_vec3 turn = random_vector(&random, ldexp(1.0, (int)nc_random_range(&random, -3, 4)));
        const nc_path turning = nc_path_free(over, random_vector(&random, 0.1), turn, nc_v3(0, 0, 0));
        const nc_path still = nc_path_still((nc_pose){{0, 0, 0}, {1, 0, 0, 0}});
        if (i % 2 == 0)
            check_pair(body, &turning, field, &still, 48, &sum);
        else
            check_pair(field, &still, body, &turning, 48, &sum);
    }
    print_message("%d pairs: %d clear, %d hits, %d undecided; %d intersect at a sample\n", sum.pairs, sum.clear,
                  sum.hits, sum.undecided, sum.met);
    assert_true(sum.met > sum.pairs / 50 && sum.clear > sum.pairs / 20);
    nc_mesh_release(field);
}

#define SOUP 40 // elements

// Triangles of any thinness, wires and points in a ball of 1 m, `thick` [m] from one plane.
static nc_mesh *thin_soup(nc_random *random, double thick)
{
    soup_def s = {.vertices = 0};
    for (int k = 0; k < SOUP; k++) {
        const nc_vec3 start = random_vector(random, 0.5), along = random_vector(random, 0.4);
        const double width = nc_random_unit(random) < 0.3 ? 0 : ldexp(0.3, -(int)nc_random_range(random, 0, 55));
        const nc_vec3 beside = nc_add(nc_madd(start, nc_random_unit(random), along), random_vector(random, width));
        nc_vec3 corner[3] = {start, nc_add(start, along), beside};
        const int corners = nc_random_unit(random) < 0.7 ? 3 : 1 + (int)(nc_random_u64(random) % 2);
        for (int i = 0; i < 3; i++)
            corner[i].y *= thick;
        soup_add(&s, corner, corners);
    }
    return soup_mesh(&s);
}

// A mesh whose vertices went a part of their straight way.
static nc_mesh *on_the_way(const nc_mesh *mesh, const nc_path *path, double t)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_pose from = nc_path_pose(path, 0), to = nc_path_pose(path, 1);
    nc_vec3 v[3 * SOUP];
    int e[3 * SOUP][2], free_edges = 0;
    for (int i = 0; i < data.vertex_count; i++)
        v[i] = nc_add(nc_scale(1 - t, nc_pose_apply(from, data.vertices[i])),
                      nc_scale(t, nc_pose_apply(to, data.vertices[i])));
    for (int i = 0; i < data.edge_count; i++)
        if (data.edge_is_free[i])
            memcpy(e[free_edges++], data.edges[i], sizeof e[0]);
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = data.vertex_count,
                             .triangles = data.triangles,
                             .triangle_count = data.triangle_count,
                             .edges = (const int(*)[2])e,
                             .edge_count = free_edges,
                             .points = data.points,
                             .point_count = data.point_count};
    nc_mesh *moved;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &moved, &err), err);
    return moved;
}

static double distance_at(const nc_mesh *a, const nc_path *pa, const nc_mesh *b, const nc_path *pb, double t,
                          bool chords)
{
    const nc_pose origin = {{0, 0, 0}, {1, 0, 0, 0}};
    nc_proximity nearest;
    nc_error err;
    if (!chords) {
        check_ok(nc_mesh_distance(a, nc_path_pose(pa, t), b, nc_path_pose(pb, t), &nearest, &err), err);
        return nearest.distance;
    }
    nc_mesh *moved_a = on_the_way(a, pa, t), *moved_b = on_the_way(b, pb, t);
    check_ok(nc_mesh_distance(moved_a, origin, moved_b, origin, &nearest, &err), err);
    nc_mesh_release(moved_a);
    nc_mesh_release(moved_b);
    return nearest.distance;
}

// Layers that lie upon each other and shift and turn a little, each a soup of what is barely there. What is certified
// may not be above the distance at any time before the first hit; on true and on straight paths.
static void soups_of_soup_def_keep_the_distance_that_is_certified(void **state)
{
    (void)state;
    nc_random random = {check_seed("soups", 55)};
    int clear = 0, cases = check_effort(150);
    for (int i = 0; i < cases; i++) {
        nc_mesh *a = thin_soup(&random, 0.02), *b = thin_soup(&random, 0.02);
        nc_mesh_sweep_options rule = options;
        const double turn = ldexp(1.0, -(int)nc_random_range(&random, 0, 8));
        const nc_pose lower = {random_vector(&random, 0.1), nc_quat_from_rotation_vector(random_vector(&random, 0.02))};
        nc_pose upper = {random_vector(&random, 0.1), nc_quat_from_rotation_vector(random_vector(&random, 0.02))};
        upper.x.y = lower.x.y + nc_random_range(&random, 0.03, 0.1);
        const nc_path pb = nc_path_free(lower, random_vector(&random, 0.02), random_vector(&random, turn),
                                        random_vector(&random, 0.1 * turn));
        const nc_path pa = nc_path_free(upper, random_vector(&random, 0.02), random_vector(&random, turn),
                                        random_vector(&random, 0.1 * turn));
        rule.chords = i % 2 == 1;
        const nc_sweep_result result = nc_sweep_meshes(a, &pa, b, &pb, 0, 1, &rule, NULL);
        const double sure = result.verdict == NC_CLEAR ? result.distance : rule.gap.floor;
        clear += result.verdict == NC_CLEAR;
        for (int k = 0; k <= 16 && (result.verdict == NC_CLEAR || k / 16.0 < result.toi); k++)
            assert_true(distance_at(a, &pa, b, &pb, k / 16.0, rule.chords) >= sure - 1e-12);
        nc_mesh_release(a);
        nc_mesh_release(b);
    }
    print_message("%d of %d clear\n", clear, cases);
    assert_true(clear > 0 && clear < cases);
}

// Two points, a hull and two boxes, all 1 m apart: however short the direction, no bound is above that.
static void a_direction_too_short_to_be_measured_proves_nothing(void **state)
{
    (void)state;
    const nc_vec3 a = {1, 0, 0}, b = {0, 0, 0}, hull[3] = {{1, 0, 0}, {1, 1, 0}, {1, 0, 1}};
    const nc_moving_box box = {{{0, 0, 0}}, {{0, 0, 0}}};
    int proofs = 0;
    for (int k = 0; k < 1074; k++) {
        const nc_vec3 n = {ldexp(1.4, -k), ldexp(0.3, -k), 0};
        const double points = nc_certificate_bound((nc_points){&a, &a, 1}, (nc_points){&b, &b, 1}, n, n, 2);
        const double of_hull = nc_certificate_bound_hull((nc_points){hull, hull, 3}, n, n, 2, 0.5);
        const double boxes = nc_certificate_bound_boxes(&box, &box, a, a, n, n, 2);
        assert_true(points <= 1 && of_hull <= 1 && boxes <= 1);
        proofs += points > 0 && of_hull > 0 && boxes > 0;
    }
    assert_true(proofs > 400);
}

// ---- the classics -------------------------------------------------------------------------------------------

static nc_mesh *soup(const nc_vec3 *vertices, int vertex_count, const int (*triangles)[3], int triangle_count)
{
    const nc_mesh_def def = {
        .vertices = vertices, .vertex_count = vertex_count, .triangles = triangles, .triangle_count = triangle_count};
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

static nc_sweep_result sweep_motions(const nc_mesh *a, nc_motion ma, const nc_mesh *b, nc_motion mb)
{
    nc_sweep_def def = nc_sweep_def_default();
    def.gap = 1e-6;
    nc_sweep_result result;
    nc_error err;
    check_ok(nc_mesh_sweep(a, &ma, b, &mb, &def, &result, &err), err);
    return result;
}

static nc_motion at_rest(nc_vec3 x)
{
    nc_motion motion = {.start = {x, {1, 0, 0, 0}}};
    return motion;
}

static void a_rod_swinging_through_a_wall_between_frames_is_found(void **state)
{
    (void)state;
    const nc_vec3 rod_corners[] = {{0, -0.01, 0}, {2, -0.01, 0}, {2, 0.01, 0}};
    const nc_vec3 wall_corners[] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}};
    const int triangle[1][3] = {{0, 1, 2}};
    nc_mesh *rod = soup(rod_corners, 3, triangle, 1), *wall = soup(wall_corners, 3, triangle, 1);
    // A full turn and a bit: start and end are both free, the way is not.
    nc_motion swing = at_rest(nc_v3(0, 1, 0));
    swing.rotation = nc_v3(0, 0, -2 * NC_PI + 0.1);
    const nc_sweep_result hit = sweep_motions(rod, swing, wall, at_rest(nc_v3(0, 0, 0)));
    assert_int_equal(hit.verdict, NC_HIT);
    assert_true(hit.toi > 0.02 && hit.toi < 0.5);
    // The chords see nothing: a full turn ends where it began.
    nc_sweep_def def = nc_sweep_def_default();
    def.chords = true;
    nc_sweep_result chords;
    nc_error err;
    const nc_motion still = at_rest(nc_v3(0, 0, 0));
    check_ok(nc_mesh_sweep(rod, &swing, wall, &still, &def, &chords, &err), err);
    assert_int_equal(chords.verdict, NC_CLEAR);
    nc_mesh_release(rod);
    nc_mesh_release(wall);
}

static void a_triangle_through_a_triangle_edge_on_is_found(void **state)
{
    (void)state;
    const nc_vec3 corners[] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                  upright[] = {{-0.5, 0, 0.3}, {0.5, 0, 0.3}, {0, 1, 0.3}};
    const int triangle[1][3] = {{0, 1, 2}};
    nc_mesh *flat = soup(corners, 3, triangle, 1), *blade = soup(upright, 3, triangle, 1);
    nc_motion fall = at_rest(nc_v3(0, 1, 0));
    fall.travel = nc_v3(0, -50, 0);
    const nc_sweep_result hit = sweep_motions(blade, fall, flat, at_rest(nc_v3(0, 0, 0)));
    assert_int_equal(hit.verdict, NC_HIT);
    check_near(hit.toi, 1.0 / 50, 1e-6);
    assert_true(hit.toi <= 1.0 / 50);
    // Coplanar: two flat triangles slide at each other in one plane, edge against edge.
    nc_motion slide = at_rest(nc_v3(-5, 0, 0));
    slide.travel = nc_v3(10, 0, 0);
    const nc_sweep_result edge = sweep_motions(flat, slide, flat, at_rest(nc_v3(0, 0, 0)));
    assert_int_equal(edge.verdict, NC_HIT);
    check_near(edge.toi, 0.3, 1e-5);
    nc_mesh_release(flat);
    nc_mesh_release(blade);
}

static void a_ring_that_would_link_a_ring_is_stopped(void **state)
{
    const library *shapes = *state;
    const nc_mesh *ring = shapes->mesh[1];
    const double r = nc_mesh_view(ring).radius;
    // Edge-on through the other's band within one step: apart at the start, linked at the end.
    nc_motion through = at_rest(nc_v3(-3 * r, 0, 0));
    through.start.q = nc_quat_from_rotation_vector(nc_v3(NC_PI / 2, 0, 0));
    through.travel = nc_v3(2.2 * r, 0, 0);
    const nc_sweep_result hit = sweep_motions(ring, through, ring, at_rest(nc_v3(0, 0, 0)));
    assert_int_equal(hit.verdict, NC_HIT);
    assert_true(hit.toi <= 1.0 / 2.2 + 1e-6);
}

static void lone_points_and_edges_collide_too(void **state)
{
    (void)state;
    const nc_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.2, 0}};
    const int edge[1][2] = {{0, 1}}, point[1] = {0};
    nc_error err;
    nc_mesh *wire, *grain, *face;
    const nc_mesh_def wire_def = {.vertices = v, .vertex_count = 2, .edges = edge, .edge_count = 1};
    const nc_mesh_def grain_def = {.vertices = v, .vertex_count = 1, .points = point, .point_count = 1};
    const int triangle[1][3] = {{0, 1, 2}};
    check_ok(nc_mesh_create(&wire_def, NULL, &wire, &err), err);
    check_ok(nc_mesh_create(&grain_def, NULL, &grain, &err), err);
    face = soup(v, 3, triangle, 1);
    const nc_mesh *meshes[3] = {wire, grain, face};
    const nc_vec3 target[3] = {{0.5, 0, 0}, {0, 0, 0}, {0.5, 0.1, 0}}; // a point of each
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            nc_motion fall = at_rest(nc_sub(target[j], target[i]));
            fall.start.x.z = 1;
            fall.travel = nc_v3(0, 0, -2);
            const nc_sweep_result hit = sweep_motions(meshes[i], fall, meshes[j], at_rest(nc_v3(0, 0, 0)));
            if (hit.verdict != NC_HIT)
                print_error("kinds %d and %d: %d at %g\n", i, j, (int)hit.verdict, hit.toi);
            assert_int_equal(hit.verdict, NC_HIT);
            check_near(hit.toi, 0.5, 1e-5);
        }
    }
    nc_mesh_release(wire);
    nc_mesh_release(grain);
    nc_mesh_release(face);
}

static void paths_of_many_segments_are_never_missed(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("segments", 51)};
    tally sum = {0};
    const int cases = check_effort(500);
    for (int i = 0; i < cases; i++) {
        nc_path pa = random_path(&random, 1.5, 3, 2);
        const nc_path pb = random_path(&random, 1.5, 3, 2);
        for (double begin = 0.2; begin < 0.9; begin += nc_random_range(&random, 0.15, 0.4)) {
            nc_segment s = {.begin = begin, .a = random_vector(&random, 1), .d = random_vector(&random, 4)};
            s.theta = random_vector(&random, 4);
            if (nc_random_unit(&random) < 0.5)
                s.a = nc_path_pose(&pa, begin).x;
            assert_true(nc_path_extend(&pa, s));
        }
        check_pair(shapes->mesh[nc_random_u64(&random) % SHAPES], &pa, shapes->mesh[nc_random_u64(&random) % SHAPES],
                   &pb, 64, &sum);
    }
    print_message("%d pairs: %d clear, %d hits, %d undecided; %d intersect at a sample\n", sum.pairs, sum.clear,
                  sum.hits, sum.undecided, sum.met);
    assert_true(sum.met > sum.pairs / 20);
}

// The certified distance is one: no two points of the meshes come nearer at any sampled time.
static void the_distance_bound_holds_along_the_way(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("distance", 52)};
    int looked = 0;
    for (int i = 0; i < 300; i++) {
        const nc_path pa = random_path(&random, 2, 1, 1), pb = random_path(&random, 2, 1, 1);
        const nc_mesh *a = shapes->mesh[2], *b = shapes->mesh[5]; // few triangles: brute force is cheap
        nc_whole_hint hint = {.known = false};
        const nc_sweep_result sweep = nc_sweep_meshes(a, &pa, b, &pb, 0, 1, &options, i % 2 ? &hint : NULL);
        if (sweep.verdict != NC_CLEAR)
            continue;
        looked++;
        assert_true(sweep.distance > options.gap.floor);
        const nc_mesh_data da = nc_mesh_view(a), db = nc_mesh_view(b);
        for (int k = 0; k <= 16; k++) {
            const nc_pose qa = nc_path_pose(&pa, k / 16.0), qb = nc_path_pose(&pb, k / 16.0);
            for (int v = 0; v < da.vertex_count; v++) {
                for (int t = 0; t < db.triangle_count; t++) {
                    nc_vec3 corner[3];
                    for (int c = 0; c < 3; c++)
                        corner[c] = nc_pose_apply(qb, db.vertices[db.triangles[t][c]]);
                    const nc_distance d = nc_distance_point_triangle(nc_pose_apply(qa, da.vertices[v]), corner);
                    assert_true(d.distance > sweep.distance - 1e-12);
                }
            }
        }
    }
    assert_true(looked > 100);
}

// An edge through the middle of a face: no vertex is near the face and no two edges are, and yet they cross.
static void meshes_that_cross_at_the_start_are_a_hit_at_once(void **state)
{
    (void)state;
    const nc_vec3 floor_corners[] = {{-9, 0, -9}, {9, 0, -9}, {0, 0, 9}},
                  blade_corners[] = {{0, -1, 0}, {0, 1, 0}, {0.2, 1, 0}};
    const int triangle[1][3] = {{0, 1, 2}};
    nc_mesh *floor_mesh = soup(floor_corners, 3, triangle, 1), *blade = soup(blade_corners, 3, triangle, 1);
    const nc_sweep_result hit = sweep_motions(blade, at_rest(nc_v3(0, 0, 0)), floor_mesh, at_rest(nc_v3(0, 0, 0)));
    assert_int_equal(hit.verdict, NC_HIT);
    check_near(hit.toi, 0, 0);
    assert_int_equal(hit.feature.a, -1);
    nc_mesh_release(floor_mesh);
    nc_mesh_release(blade);
}

static void bad_arguments_are_refused_with_a_sentence(void **state)
{
    const library *shapes = *state;
    const nc_motion good = at_rest(nc_v3(0, 0, 0));
    nc_motion bad = good;
    bad.travel.x = NAN;
    nc_sweep_result result;
    nc_error err;
    nc_sweep_def def = nc_sweep_def_default();
    assert_int_equal(nc_mesh_sweep(shapes->mesh[0], &bad, shapes->mesh[1], &good, &def, &result, &err),
                     NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "mesh A"));
    assert_int_equal(nc_mesh_sweep(shapes->mesh[0], &good, shapes->mesh[1], &bad, &def, &result, &err),
                     NC_BAD_ARGUMENT);
    nc_sweep_def wrong[5] = {def, def, def, def, def};
    wrong[0].gap = -1;
    wrong[1].tolerance = 0;
    wrong[2].t_max = 2;
    wrong[3].limit = 1;
    wrong[4].budget = 0;
    for (int i = 0; i < 5; i++)
        assert_int_equal(nc_mesh_sweep(shapes->mesh[0], &good, shapes->mesh[1], &good, &wrong[i], &result, &err),
                         NC_BAD_ARGUMENT);
}

static void corners_on_straight_paths_can_be_asked_for(void **state)
{
    (void)state;
    const nc_vec3 start[4] = {{0.2, 1, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    nc_vec3 end[4] = {{0.2, -1, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    nc_sweep_def def = nc_sweep_def_default();
    nc_sweep_result hit = nc_ccd_vertex_triangle(start, end, &def);
    assert_int_equal(hit.verdict, NC_HIT);
    check_near(hit.toi, 0.5, 1e-6);
    def.t_max = 0.25;
    hit = nc_ccd_vertex_triangle(start, end, &def);
    assert_int_equal(hit.verdict, NC_CLEAR);
    check_near(hit.toi, 0.25, 0);
    const nc_vec3 edges[4] = {{-1, 1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    nc_vec3 later[4] = {{-1, -3, 0}, {1, -3, 0}, {0, 0, -1}, {0, 0, 1}};
    def.t_max = 1;
    hit = nc_ccd_edge_edge(edges, later, &def);
    assert_int_equal(hit.verdict, NC_HIT);
    check_near(hit.toi, 0.25, 1e-6);
}

// In straight lines a rod that turns half round is squeezed in between, and its axes are no longer at right angles:
// what holds for rigid boxes does not hold for it.
static void a_rod_squeezed_by_straight_paths_is_not_missed(void **state)
{
    (void)state;
    const nc_vec3 ends[2] = {{0, -1, 0}, {0, 1, 0}}, corners[3] = {{0.18, 0.2, 0}, {0.22, 0.18, 0.01}, {0.22, 0.22, 0}};
    const int edge[1][2] = {{0, 1}}, triangle[1][3] = {{0, 1, 2}};
    const nc_mesh_def rod_def = {.vertices = ends, .vertex_count = 2, .edges = edge, .edge_count = 1};
    const nc_mesh_def target_def = {.vertices = corners, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    nc_mesh *rod = NULL, *target = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&rod_def, NULL, &rod, &err), err);
    check_ok(nc_mesh_create(&target_def, NULL, &target, &err), err);
    const nc_pose start = {{0, 0, -50}, {1, 0, 0, 0}}, origin = {{0, 0, 0}, {1, 0, 0, 0}};
    const double half_turn = NC_PI / sqrt(2.0);
    const nc_path flight = nc_path_free(start, nc_v3(0, 0, 100), nc_v3(half_turn, half_turn, 0), nc_v3(0, 0, 0));
    const nc_path still = nc_path_still(origin);
    nc_mesh_sweep_options straight = options;
    straight.chords = true;
    for (int swapped = 0; swapped < 2; swapped++) {
        const nc_sweep_result result = swapped ? nc_sweep_meshes(target, &still, rod, &flight, 0, 1, &straight, NULL)
                                               : nc_sweep_meshes(rod, &flight, target, &still, 0, 1, &straight, NULL);
        assert_int_equal(result.verdict, NC_HIT);
        check_near(result.toi, 0.5, 1e-3);
    }
    nc_mesh_release(rod);
    nc_mesh_release(target);
}

// A budget ends a sweep early and on the safe side: what the whole sweep calls a hit is never clear, and never later.
static void a_budget_never_makes_a_hit_clear_or_later(void **state)
{
    const library *shapes = *state;
    nc_random random = {check_seed("budgets", 51)};
    const int cases = check_effort(1500);
    int hits = 0, cut = 0, progress = 0;
    for (int i = 0; i < cases; i++) {
        const nc_mesh *a = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const nc_mesh *b = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const double speed = ldexp(1.0, (int)nc_random_range(&random, -3, 4));
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -4, 6));
        const nc_path pa = random_path(&random, 1.5, speed, turn), pb = random_path(&random, 1.5, speed, turn);
        if (meet(a, &pa, b, &pb, 0))
            continue;
        const nc_sweep_result whole = nc_sweep_meshes(a, &pa, b, &pb, 0, 1, &options, NULL);
        hits += whole.verdict != NC_CLEAR;
        for (int budget = 1; budget <= 1000000; budget *= 10) {
            nc_mesh_sweep_options less = options;
            less.budget = budget;
            const nc_sweep_result part = nc_sweep_meshes(a, &pa, b, &pb, 0, 1, &less, NULL);
            const int cost = nc_sweep_cost(&part.counts);
            check_at_most(cost, budget + 64); // the leaves under way are finished
            if (cost < budget) {
                assert_int_equal(part.verdict, whole.verdict);
                assert_true(part.toi == whole.toi && part.distance == whole.distance);
                continue;
            }
            cut++;
            progress += part.toi > 0;
            check_at_most(part.toi, whole.toi);
            if (whole.verdict != NC_CLEAR && part.verdict == NC_CLEAR)
                fail_msg("case %d: clear with a budget of %d, a hit at %g without", i, budget, whole.toi);
            for (int k = 1; k <= 16 && part.toi > 0; k++)
                assert_false(meet(a, &pa, b, &pb, 0.999 * part.toi * k / 16));
        }
    }
    print_message("%d pairs that collide; %d sweeps ended by their budget, %d of them clear for a while\n", hits, cut,
                  progress);
    assert_true(hits > 0 && cut > cases && progress > 0);
}

static bool always(void *ctx)
{
    *(int *)ctx += 1;
    return true;
}

static void an_interrupt_ends_a_sweep_undecided(void **state)
{
    const library *shapes = *state;
    const nc_pose pose = {{0, 0, 0}, nc_quat_identity()}, inside = {{0.02, 0.01, 0}, nc_quat_identity()};
    const nc_path still = nc_path_still(pose),
                  turning = nc_path_free(inside, nc_v3(0, 0, 0), nc_v3(0, 1e5, 0), nc_v3(0, 0, 0));
    int polls = 0;
    const nc_interrupt interrupt = {always, &polls};
    nc_mesh_sweep_options asked = options;
    asked.interrupt = &interrupt;
    const nc_sweep_result result =
        nc_sweep_meshes(shapes->mesh[1], &still, shapes->mesh[4], &turning, 0, 1, &asked, NULL);
    assert_int_equal(polls, 1);
    assert_int_equal(result.verdict, NC_UNDECIDED);
    check_at_most(nc_sweep_cost(&result.counts), 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shells_on_fast_curved_paths_are_never_missed),
        cmocka_unit_test(small_bodies_in_a_bowl_are_never_missed),
        cmocka_unit_test(a_small_body_that_turns_above_large_triangles_is_never_missed),
        cmocka_unit_test(soups_of_soup_def_keep_the_distance_that_is_certified),
        cmocka_unit_test(a_direction_too_short_to_be_measured_proves_nothing),
        cmocka_unit_test(a_rod_swinging_through_a_wall_between_frames_is_found),
        cmocka_unit_test(a_triangle_through_a_triangle_edge_on_is_found),
        cmocka_unit_test(a_ring_that_would_link_a_ring_is_stopped),
        cmocka_unit_test(lone_points_and_edges_collide_too),
        cmocka_unit_test(paths_of_many_segments_are_never_missed),
        cmocka_unit_test(the_distance_bound_holds_along_the_way),
        cmocka_unit_test(meshes_that_cross_at_the_start_are_a_hit_at_once),
        cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
        cmocka_unit_test(corners_on_straight_paths_can_be_asked_for),
        cmocka_unit_test(a_rod_squeezed_by_straight_paths_is_not_missed),
        cmocka_unit_test(a_budget_never_makes_a_hit_clear_or_later),
        cmocka_unit_test(an_interrupt_ends_a_sweep_undecided),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
