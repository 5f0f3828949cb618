// The oracle: simplices against exact rational arithmetic, the tree against brute force, boxes against vertices.
#include "check.h"

#include "geom/geom.h"

#include <gmp.h>

// ---- an independent answer in rational arithmetic -----------------------------------------------------------
// Two convex hulls share a point iff x = sum l_i a_i = sum m_j b_j has a solution with l, m >= 0 and sums 1. By
// Caratheodory a solution exists iff one exists that is basic: a subset of columns, linearly independent, solved
// exactly, with no negative weight. At most 6 columns and 5 equations: all 62 subsets are tried.

enum { ROWS = 5, COLUMNS = 6 };

static void set_system(mpq_t m[ROWS][COLUMNS + 1], const nc_vec3 *a, int na, const nc_vec3 *b, int nb, int subset)
{
    int column = 0;
    for (int i = 0; i < na + nb; i++) {
        if (!(subset >> i & 1))
            continue;
        const nc_vec3 v = i < na ? a[i] : nc_neg(b[i - na]);
        mpq_set_d(m[0][column], v.x);
        mpq_set_d(m[1][column], v.y);
        mpq_set_d(m[2][column], v.z);
        mpq_set_si(m[3][column], i < na, 1);
        mpq_set_si(m[4][column], i >= na, 1);
        column++;
    }
    for (int r = 0; r < ROWS; r++)
        mpq_set_si(m[r][column], r >= 3, 1);
}

static void eliminate(mpq_t m[ROWS][COLUMNS + 1], int pivot_row, int column, int columns, mpq_t factor, mpq_t product)
{
    for (int r = 0; r < ROWS; r++) {
        if (r == pivot_row || mpq_sgn(m[r][column]) == 0)
            continue;
        mpq_div(factor, m[r][column], m[pivot_row][column]);
        for (int c = column; c <= columns; c++) {
            mpq_mul(product, factor, m[pivot_row][c]);
            mpq_sub(m[r][c], m[r][c], product);
        }
    }
}

// True when the chosen columns are independent and solve the system with weights that are not negative.
static bool basic_solution(mpq_t m[ROWS][COLUMNS + 1], int columns, mpq_t factor, mpq_t product)
{
    for (int c = 0; c < columns; c++) {
        int pivot = c;
        while (pivot < ROWS && mpq_sgn(m[pivot][c]) == 0)
            pivot++;
        if (pivot == ROWS)
            return false;
        for (int k = 0; k <= columns && pivot != c; k++)
            mpq_swap(m[pivot][k], m[c][k]);
        eliminate(m, c, c, columns, factor, product);
    }
    for (int c = 0; c < columns; c++)
        if (mpq_sgn(m[c][columns]) * mpq_sgn(m[c][c]) < 0)
            return false;
    for (int r = columns; r < ROWS; r++)
        if (mpq_sgn(m[r][columns]) != 0)
            return false;
    return true;
}

static bool rational_intersect(const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    mpq_t m[ROWS][COLUMNS + 1], factor, product;
    mpq_inits(factor, product, NULL);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c <= COLUMNS; c++)
            mpq_init(m[r][c]);
    bool found = false;
    for (int subset = 1; subset < 1 << (na + nb) && !found; subset++) {
        const int columns = __builtin_popcount((unsigned)subset);
        if (columns > ROWS)
            continue;
        set_system(m, a, na, b, nb, subset);
        found = basic_solution(m, columns, factor, product);
    }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c <= COLUMNS; c++)
            mpq_clear(m[r][c]);
    mpq_clears(factor, product, NULL);
    return found;
}

// ---- simplices ----------------------------------------------------------------------------------------------

static double random_whole(nc_random *random, int low, int high)
{
    return low + (double)(nc_random_u64(random) % (uint64_t)(high - low + 1));
}

// Small whole numbers make every degenerate case common: shared corners, collinear, coplanar, repeated.
static nc_vec3 random_lattice(nc_random *random, int range)
{
    return nc_v3(random_whole(random, -range, range), random_whole(random, -range, range),
                 random_whole(random, -range, range));
}

static void print_simplices(const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    for (int i = 0; i < na; i++)
        print_error("  a%d = (%a, %a, %a)\n", i, a[i].x, a[i].y, a[i].z);
    for (int i = 0; i < nb; i++)
        print_error("  b%d = (%a, %a, %a)\n", i, b[i].x, b[i].y, b[i].z);
}

static bool check_pair(const nc_vec3 *a, int na, const nc_vec3 *b, int nb)
{
    const bool truth = rational_intersect(a, na, b, nb);
    if (nc_simplex_intersect(a, na, b, nb) != truth || nc_simplex_intersect(b, nb, a, na) != truth) {
        print_error("exact arithmetic says %s\n", truth ? "they meet" : "they are apart");
        print_simplices(a, na, b, nb);
        fail();
    }
    return truth;
}

static void simplices_on_a_lattice_agree_with_rational_arithmetic(void **state)
{
    (void)state;
    nc_random random = {check_seed("lattice", 1)};
    int hits[4][4] = {{0}}, misses[4][4] = {{0}};
    const int count = check_effort(9000);
    for (int n = 0; n < count; n++) {
        nc_vec3 a[3], b[3];
        const int na = 1 + n % 3, nb = 1 + n / 3 % 3, range = 1 + n / 9 % 3;
        const bool flat = n / 27 % 2 == 0; // half of them in one plane
        for (int i = 0; i < 3; i++) {
            a[i] = random_lattice(&random, range);
            b[i] = random_lattice(&random, range);
            if (flat) {
                a[i].z = a[i].x + 2 * a[i].y;
                b[i].z = b[i].x + 2 * b[i].y;
            }
        }
        (check_pair(a, na, b, nb) ? hits : misses)[na][nb]++;
    }
    for (int na = 1; na <= 3; na++)
        for (int nb = 1; nb <= 3; nb++)
            assert_true(hits[na][nb] > 10 && misses[na][nb] > 10); // every kind was seen both ways
}

// A double at a distance of a few units in the last place.
static double nudge(nc_random *random, double x)
{
    const int steps = (int)random_whole(random, -2, 2);
    for (int i = 0; i < abs(steps); i++)
        x = nextafter(x, steps > 0 ? INFINITY : -INFINITY);
    return x;
}

static nc_vec3 nudge3(nc_random *random, nc_vec3 v)
{
    return nc_v3(nudge(random, v.x), nudge(random, v.y), nudge(random, v.z));
}

static nc_vec3 random_in(nc_random *random, double size)
{
    return nc_v3(nc_random_range(random, -size, size), nc_random_range(random, -size, size),
                 nc_random_range(random, -size, size));
}

static nc_vec3 mix(const nc_vec3 *v, int corners, nc_random *random)
{
    nc_vec3 p = v[0];
    for (int i = 1; i < corners; i++)
        p = nc_madd(p, nc_random_unit(random), nc_sub(v[i], p));
    return p;
}

// b is built to pass within a few units in the last place of a point of a, at scales from subnormal to 2^90.
static void simplices_that_nearly_touch_agree_with_rational_arithmetic(void **state)
{
    (void)state;
    nc_random random = {check_seed("near", 2)};
    const double scales[] = {1, 0x1p-1060, 0x1p-300, 0x1p-60, 0x1p90};
    int hits = 0;
    const int count = check_effort(9000);
    for (int n = 0; n < count; n++) {
        nc_vec3 a[3], b[3];
        const int na = 1 + n % 3, nb = 1 + n / 3 % 3;
        const double scale = scales[n / 9 % 5];
        const nc_vec3 far = n % 2 ? nc_v3(0, 0, 0) : random_in(&random, 1000);
        for (int i = 0; i < 3; i++)
            a[i] = nc_add(far, random_in(&random, 1));
        const nc_vec3 touch = mix(a, na, &random);
        for (int i = 0; i < 3; i++)
            b[i] = nc_add(far, random_in(&random, 1));
        if (nb == 1)
            b[0] = nudge3(&random, touch);
        else // the last corner opposite to the first, through the touching point
            b[nb - 1] = nudge3(&random, nc_add(touch, nc_sub(touch, b[0])));
        if (n % 7 == 0)
            b[0] = a[n % 3];
        if (n % 11 == 0)
            a[2] = nc_scale(0.5, nc_add(a[0], a[1]));
        for (int i = 0; i < 3; i++) {
            a[i] = nc_scale(scale, a[i]);
            b[i] = nc_scale(scale, b[i]);
        }
        hits += check_pair(a, na, b, nb);
    }
    print_message("%d of %d intersect\n", hits, count);
    assert_true(hits > count / 10 && hits < count * 9 / 10);
}

static void known_touching_triangles_meet(void **state)
{
    (void)state;
    const nc_vec3 t[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const nc_vec3 corner_on_face[3] = {{1, 1, 0}, {1, 1, 5}, {2, 1, 5}};
    const nc_vec3 just_above[3] = {{1, 1, 0x1p-1074}, {1, 1, 5}, {2, 1, 5}};
    const nc_vec3 shared_corner[3] = {{4, 0, 0}, {5, 0, 0}, {5, 1, 1}};
    const nc_vec3 coplanar_inside[3] = {{1, 1, 0}, {1.5, 1, 0}, {1, 1.5, 0}};
    const nc_vec3 coplanar_apart[3] = {{3, 3, 0}, {4, 3, 0}, {3, 4, 0}};
    const nc_vec3 flat_through[3] = {{1, 1, -1}, {1, 1, 1}, {1, 1, 0.5}};
    const nc_vec3 flat_beside[3] = {{3, 3, -1}, {3, 3, 1}, {3, 3, 0.5}};
    const nc_vec3 all_one_point[3] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    assert_true(nc_simplex_intersect(t, 3, corner_on_face, 3));
    assert_false(nc_simplex_intersect(t, 3, just_above, 3));
    assert_true(nc_simplex_intersect(t, 3, shared_corner, 3));
    assert_true(nc_simplex_intersect(t, 3, coplanar_inside, 3));
    assert_true(nc_simplex_intersect(coplanar_inside, 3, t, 3));
    assert_false(nc_simplex_intersect(t, 3, coplanar_apart, 3));
    assert_true(nc_simplex_intersect(t, 3, flat_through, 3));
    assert_false(nc_simplex_intersect(t, 3, flat_beside, 3));
    assert_true(nc_simplex_intersect(t, 3, all_one_point, 3));
    assert_true(nc_simplex_intersect(t, 3, t, 3));
}

// ---- meshes -------------------------------------------------------------------------------------------------

// A soup of triangles, free edges and points. whole > 0: corners are whole numbers up to it, over 8.
static nc_mesh *random_mesh(nc_random *random, int triangles, int edges, int points, int whole)
{
    nc_vec3 v[256];
    int t[64][3], e[16][2], p[16], count = 0;
    for (int i = 0; i < triangles; i++)
        for (int k = 0; k < 3; k++)
            t[i][k] = count++;
    for (int i = 0; i < edges; i++)
        for (int k = 0; k < 2; k++)
            e[i][k] = count++;
    for (int i = 0; i < points; i++)
        p[i] = count++;
    for (int i = 0; i < count; i++) {
        const bool near = i % 3 != 0 && i < 3 * triangles;
        v[i] = whole > 0 ? nc_scale(0.125, random_lattice(random, whole))
               : near    ? nc_add(v[i - i % 3], random_in(random, 0.4))
                         : random_in(random, 1);
    }
    const nc_mesh_def def = {v, count, (const int(*)[3])t, triangles, (const int(*)[2])e, edges, p, points};
    nc_error err;
    nc_mesh *mesh;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

static nc_box box_of(const nc_vec3 *v, int count)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < count; i++)
        box = nc_box_add(box, v[i]);
    return box;
}

static bool rational_meshes(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b)
{
    const int count_a = nc_mesh_tree_view(a).element_count, count_b = nc_mesh_tree_view(b).element_count;
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++) {
            int ca[3], cb[3];
            nc_vec3 va[3], vb[3];
            const int na = nc_mesh_element(a, i, ca), nb = nc_mesh_element(b, j, cb);
            for (int k = 0; k < na; k++)
                va[k] = nc_pose_apply(pose_a, nc_mesh_view(a).vertices[ca[k]]);
            for (int k = 0; k < nb; k++)
                vb[k] = nc_pose_apply(pose_b, nc_mesh_view(b).vertices[cb[k]]);
            if (nc_box_overlap(box_of(va, na), box_of(vb, nb)) && rational_intersect(va, na, vb, nb))
                return true;
        }
    return false;
}

static nc_pose random_pose(nc_random *random, double distance, bool dyadic)
{
    nc_pose pose = {random_in(random, distance), nc_q4(1, 0, 0, 0)};
    if (dyadic) {
        pose.x = nc_scale(0.125, random_lattice(random, (int)(8 * distance)));
        pose.q = nc_q4(0, 1, 0, 0); // half a turn: coordinates stay whole multiples of 1/8
    } else {
        pose.q = nc_q4(nc_random_range(random, -1, 1), nc_random_range(random, -1, 1), nc_random_range(random, -1, 1),
                       nc_random_range(random, -1, 1));
    }
    return pose;
}

// The element a report names, placed in the world.
static int named_element(const nc_mesh *mesh, nc_pose pose, nc_element kind, int row, nc_vec3 out[3])
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const int *vertices = kind == NC_ELEMENT_TRIANGLE ? data.triangles[row]
                          : kind == NC_ELEMENT_EDGE   ? data.edges[row]
                                                      : &data.points[row];
    const int corners = 3 - (int)kind;
    for (int i = 0; i < corners; i++)
        out[i] = nc_pose_apply(pose, data.vertices[vertices[i]]);
    return corners;
}

static void check_report(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, const nc_intersection *at)
{
    nc_vec3 va[3], vb[3];
    const int na = named_element(a, pose_a, at->kind_a, at->element_a, va);
    const int nb = named_element(b, pose_b, at->kind_b, at->element_b, vb);
    assert_true(nc_simplex_intersect(va, na, vb, nb));
    const nc_box place = {at->place, at->place};
    assert_true(nc_box_overlap(place, box_of(va, na)) && nc_box_overlap(place, box_of(vb, nb)));
}

static bool check_meshes(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool rational)
{
    nc_error err;
    nc_intersection fast_at, slow_at;
    bool fast, slow;
    check_ok(nc_mesh_intersect(a, pose_a, b, pose_b, &fast, &fast_at, &err), err);
    check_ok(nc_mesh_intersect_brute(a, pose_a, b, pose_b, &slow, &slow_at, &err), err);
    assert_int_equal(fast, slow);
    if (rational)
        assert_int_equal(fast, rational_meshes(a, pose_a, b, pose_b));
    if (fast) {
        check_report(a, pose_a, b, pose_b, &fast_at);
        check_report(a, pose_a, b, pose_b, &slow_at);
    }
    return fast;
}

// They meet, but a small shift along an axis parts them.
static bool only_touch(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b)
{
    const double step = 0x1p-20;
    const nc_vec3 shifts[6] = {{step, 0, 0}, {-step, 0, 0}, {0, step, 0}, {0, -step, 0}, {0, 0, step}, {0, 0, -step}};
    bool hit = true;
    for (int i = 0; i < 6 && hit; i++) {
        nc_pose moved = pose_b;
        moved.x = nc_add(moved.x, shifts[i]);
        assert_int_equal(nc_mesh_intersect(a, pose_a, b, moved, &hit, NULL, NULL), NC_OK);
    }
    return !hit;
}

// Slides b along x in steps of 1/8 as far as they still collide there: often they then only touch.
static void slide_to_touch(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose *pose_b)
{
    bool hit = true;
    assert_int_equal(nc_mesh_intersect(a, pose_a, b, *pose_b, &hit, NULL, NULL), NC_OK);
    for (int i = 0; i < 100 && hit; i++) {
        nc_pose next = *pose_b;
        next.x.x += 0.125;
        assert_int_equal(nc_mesh_intersect(a, pose_a, b, next, &hit, NULL, NULL), NC_OK);
        if (hit)
            *pose_b = next;
    }
}

static void thousand_mesh_pairs_agree_with_brute_force_and_rational_arithmetic(void **state)
{
    (void)state;
    nc_random random = {check_seed("meshes", 3)};
    const int count = check_effort(1000);
    int hits = 0, touches = 0;
    for (int n = 0; n < count; n++) {
        const bool dyadic = n % 2 == 0; // whole multiples of 1/8: exact touching is common
        const int triangles = n % 10 == 9 ? 0 : n % 4 == 0 ? 2 : (int)random_whole(&random, 2, 9);
        const int rest = triangles == 0 ? 2 : 1;
        nc_mesh *a = random_mesh(&random, triangles, rest, n % 2 + 1, dyadic ? 4 : 0);
        nc_mesh *b = random_mesh(&random, n % 4 == 0 ? 2 : (int)random_whole(&random, 2, 9), 1, 1, dyadic ? 4 : 0);
        nc_pose pose_a = random_pose(&random, dyadic ? 0.375 : 0.3, dyadic);
        nc_pose pose_b = random_pose(&random, dyadic ? 0.375 : 0.3, dyadic);
        if (dyadic)
            slide_to_touch(a, pose_a, b, &pose_b);
        const bool hit = check_meshes(a, pose_a, b, pose_b, true);
        hits += hit;
        touches += hit && only_touch(a, pose_a, b, pose_b);
        nc_mesh_release(a);
        nc_mesh_release(b);
    }
    print_message("%d of %d mesh pairs intersect, %d only touch\n", hits, count, touches);
    assert_true(hits > count / 4 && hits < count * 3 / 4 && touches > count / 50);
}

// A cube of side 1 with whole corners, in triangles.
static nc_mesh *make_cube(void)
{
    static const int t[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    nc_vec3 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = nc_v3(i & 1, i >> 1 & 1, i >> 2 & 1);
    const nc_mesh_def def = {.vertices = v, .vertex_count = 8, .triangles = t, .triangle_count = 12};
    nc_error err;
    nc_mesh *mesh;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

static void cubes_touch_at_faces_edges_and_corners_and_part_by_one_unit(void **state)
{
    (void)state;
    nc_mesh *cube = make_cube();
    const nc_pose here = {{8, 8, 8}, {1, 0, 0, 0}};
    for (int n = 0; n < 27; n++) {
        const nc_vec3 step = nc_v3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
        nc_pose there = here;
        there.x = nc_add(here.x, step);
        assert_true(check_meshes(cube, here, cube, there, false));
        if (n == 13)
            continue;
        there.x = nc_add(there.x, nc_scale(0x1p-48, step)); // a unit in the last place of the world coordinates
        assert_false(check_meshes(cube, here, cube, there, false));
    }
    nc_mesh_release(cube);
}

static void larger_meshes_agree_with_brute_force(void **state)
{
    (void)state;
    nc_random random = {check_seed("larger", 4)};
    const int count = check_effort(1500);
    int hits = 0;
    for (int n = 0; n < count; n++) {
        nc_mesh *a = random_mesh(&random, 40, 5, 5, 0), *b = random_mesh(&random, 30, 5, 5, 0);
        const double far = n % 3 == 0 ? 1e6 : 0; // far from the origin the rounding of world vertices is coarse
        nc_pose pose_a = random_pose(&random, 1, false), pose_b = random_pose(&random, 1, false);
        pose_b.x = nc_add(pose_a.x, nc_scale(1.5 + 0.2 * (n % 5), pose_b.x));
        pose_a.x.x += far;
        pose_b.x.x += far;
        hits += check_meshes(a, pose_a, b, pose_b, false);
        nc_mesh_release(a);
        nc_mesh_release(b);
    }
    print_message("%d of %d larger mesh pairs intersect\n", hits, count);
    assert_true(hits > count / 10 && hits < count * 9 / 10);
}

// ---- boxes and the range ------------------------------------------------------------------------------------

static void box_of_a_node_contains_every_rounded_vertex(void **state)
{
    (void)state;
    nc_random random = {check_seed("boxes", 5)};
    const int count = check_effort(200000);
    for (int n = 0; n < count; n++) {
        const double size = ldexp(1, (int)random_whole(&random, -40, 40));
        nc_box box = {random_in(&random, size), random_in(&random, size)};
        const nc_vec3 lo = nc_min_v3(box.lo, box.hi), hi = nc_max_v3(box.lo, box.hi);
        box.lo = lo;
        box.hi = hi;
        nc_pose pose = random_pose(&random, ldexp(1, (int)random_whole(&random, -40, 40)), false);
        if (n % 2)
            pose.q = nc_q4(1, 0, ldexp(1, (int)random_whole(&random, -60, 0)), 0);
        const nc_frame frame = nc_pose_frame(pose);
        const nc_box world = nc_frame_box(&frame, box);
        const nc_vec3 v = nc_v3(n & 1   ? lo.x
                                : n & 2 ? hi.x
                                        : nc_random_range(&random, lo.x, hi.x),
                                n & 4   ? lo.y
                                : n & 8 ? hi.y
                                        : nc_random_range(&random, lo.y, hi.y),
                                n & 16   ? lo.z
                                : n & 32 ? hi.z
                                         : nc_random_range(&random, lo.z, hi.z));
        const nc_vec3 p = nc_frame_apply(frame, v);
        assert_true(nc_box_overlap((nc_box){p, p}, world));
    }
}

static void world_box_is_that_of_all_vertices_to_the_bit(void **state)
{
    (void)state;
    nc_random random = {check_seed("world box", 6)};
    for (int n = 0; n < check_effort(2000); n++) {
        nc_mesh *mesh = random_mesh(&random, 1 + n % 60, n % 3, n % 4, 0);
        const nc_pose pose = random_pose(&random, 100, false);
        const nc_mesh_data data = nc_mesh_view(mesh);
        nc_box slow = nc_box_empty();
        for (int i = 0; i < data.vertex_count; i++)
            slow = nc_box_add(slow, nc_pose_apply(pose, data.vertices[i]));
        const nc_box fast = nc_mesh_world_box(mesh, pose);
        assert_memory_equal(&slow, &fast, sizeof slow);
        nc_mesh_release(mesh);
    }
}

static void coordinates_out_of_range_are_refused_and_tiny_ones_are_exact(void **state)
{
    (void)state;
    const nc_vec3 v[3] = {{0x1p-100, 0, 0}, {0x1p-99, 0, 0}, {0x1p-100, 0x1p-100, 0}};
    const int t[1][3] = {{0, 1, 2}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 3, .triangles = t, .triangle_count = 1};
    nc_error err;
    nc_mesh *mesh;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    bool hit = true;
    const nc_pose here = {{0, 0, 0}, {1, 0, 0, 0}};
    const double bad[] = {0x1.0001p100, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nc_pose far = here;
        far.x.y = bad[i];
        assert_int_equal(nc_mesh_intersect(mesh, here, mesh, far, &hit, NULL, &err), NC_BAD_ARGUMENT);
        assert_int_equal(nc_mesh_intersect(mesh, far, mesh, here, &hit, NULL, &err), NC_BAD_ARGUMENT);
        assert_int_equal(nc_mesh_intersect_brute(mesh, here, mesh, far, &hit, NULL, &err), NC_BAD_ARGUMENT);
        assert_false(hit);
    }
    nc_pose edge = here;
    edge.x.z = 0x1p100;
    check_ok(nc_mesh_intersect(mesh, here, mesh, edge, &hit, NULL, &err), err);
    assert_false(hit);
    nc_pose no_turn = here;
    no_turn.q = nc_q4(0, 0, 0, 0);
    assert_true(nc_mesh_world_box(mesh, no_turn).lo.x == -INFINITY);
    assert_true(nc_mesh_world_box(mesh, no_turn).hi.z == INFINITY);
    assert_int_equal(nc_mesh_intersect(mesh, no_turn, mesh, here, &hit, NULL, &err), NC_BAD_ARGUMENT);
    // World coordinates far below the smallest legal one of a mesh: turned a little, z is about 2^-260.
    nc_pose turned = here;
    turned.q = nc_q4(1, 0x1p-160, 0x1p-160, 0);
    check_ok(nc_mesh_intersect(mesh, here, mesh, turned, &hit, NULL, &err), err);
    assert_int_equal(hit, rational_meshes(mesh, here, mesh, turned));
    turned.x.z = 0x1p-250;
    check_ok(nc_mesh_intersect(mesh, here, mesh, turned, &hit, NULL, &err), err);
    assert_false(hit);
    assert_false(rational_meshes(mesh, here, mesh, turned));
    nc_mesh_release(mesh);
}

// The place of a crossing is where it happens, not somewhere in a large triangle.
static void place_of_a_crossing_is_on_both(void **state)
{
    (void)state;
    const nc_vec3 ground[3] = {{-100, 0, -100}, {100, 0, -100}, {0, 0, 100}};
    const nc_vec3 needle[3] = {{3, 1, 7}, {3, -1, 7}, {3.001, 1, 7}};
    const int t[1][3] = {{0, 1, 2}};
    nc_mesh_def def = {.vertices = ground, .vertex_count = 3, .triangles = t, .triangle_count = 1};
    nc_error err;
    nc_mesh *a, *b;
    check_ok(nc_mesh_create(&def, NULL, &a, &err), err);
    def.vertices = needle;
    check_ok(nc_mesh_create(&def, NULL, &b, &err), err);
    const nc_pose here = {{0, 0, 0}, {1, 0, 0, 0}};
    nc_intersection at;
    bool hit;
    check_ok(nc_mesh_intersect(a, here, b, here, &hit, &at, &err), err);
    assert_true(hit);
    check_near(at.place.x, 3, 0.002);
    check_near(at.place.y, 0, 1e-12);
    check_near(at.place.z, 7, 1e-12);
    nc_mesh_release(a);
    nc_mesh_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_touching_triangles_meet),
        cmocka_unit_test(simplices_on_a_lattice_agree_with_rational_arithmetic),
        cmocka_unit_test(simplices_that_nearly_touch_agree_with_rational_arithmetic),
        cmocka_unit_test(thousand_mesh_pairs_agree_with_brute_force_and_rational_arithmetic),
        cmocka_unit_test(cubes_touch_at_faces_edges_and_corners_and_part_by_one_unit),
        cmocka_unit_test(larger_meshes_agree_with_brute_force),
        cmocka_unit_test(box_of_a_node_contains_every_rounded_vertex),
        cmocka_unit_test(world_box_is_that_of_all_vertices_to_the_bit),
        cmocka_unit_test(coordinates_out_of_range_are_refused_and_tiny_ones_are_exact),
        cmocka_unit_test(place_of_a_crossing_is_on_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
