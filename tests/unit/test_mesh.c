// Meshes as soups: what is kept, what is dropped, what is refused; the tree over them; shared ownership.
#include "check.h"

#include "fail_allocator.h"

#include "geom/geom.h"

static const nc_vec3 tetra_vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int tetra_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static nc_mesh_def tetra_def(void)
{
    return (nc_mesh_def){
        .vertices = tetra_vertices, .vertex_count = 4, .triangles = tetra_triangles, .triangle_count = 4};
}

static nc_mesh *make(const nc_mesh_def *def)
{
    nc_error err;
    nc_mesh *mesh;
    check_ok(nc_mesh_create(def, NULL, &mesh, &err), err);
    return mesh;
}

static void check_refused(const nc_mesh_def *def, const char *part)
{
    nc_error err;
    nc_mesh *mesh;
    assert_int_equal(nc_mesh_create(def, NULL, &mesh, &err), NC_BAD_ARGUMENT);
    assert_null(mesh);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void tetrahedron_is_closed_and_has_six_edges(void **state)
{
    (void)state;
    const nc_mesh_def def = tetra_def();
    nc_mesh *mesh = make(&def);
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_int_equal(data.vertex_count, 4);
    assert_int_equal(data.triangle_count, 4);
    assert_int_equal(data.edge_count, 6);
    assert_int_equal(data.point_count, 0);
    assert_true(data.closed);
    for (int e = 0; e < 6; e++) {
        assert_true(data.edges[e][0] < data.edges[e][1]);
        assert_int_equal(data.edge_is_free[e], 0);
        if (e > 0)
            assert_true(data.edges[e - 1][0] * 4 + data.edges[e - 1][1] < data.edges[e][0] * 4 + data.edges[e][1]);
    }
    assert_true(data.radius >= 1 && data.radius < 1 + 1e-14);
    assert_true(data.box.lo.x == 0 && data.box.hi.z == 1);
    nc_mesh_release(mesh);
}

static void surface_with_a_hole_or_a_turned_triangle_is_open(void **state)
{
    (void)state;
    nc_mesh_def def = tetra_def();
    def.triangle_count = 3;
    nc_mesh *mesh = make(&def);
    assert_false(nc_mesh_view(mesh).closed);
    nc_mesh_release(mesh);
    int turned[4][3];
    memcpy(turned, tetra_triangles, sizeof turned);
    turned[3][0] = 2;
    turned[3][1] = 1;
    def.triangles = (const int(*)[3])turned;
    def.triangle_count = 4;
    mesh = make(&def);
    assert_false(nc_mesh_view(mesh).closed);
    nc_mesh_release(mesh);
}

static void free_edges_and_points_are_kept_and_merged(void **state)
{
    (void)state;
    const nc_vec3 v[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    const int t[1][3] = {{0, 1, 2}};
    const int e[4][2] = {{1, 0}, {4, 1}, {1, 4}, {4, 5}}; // the first is the triangle's, the second comes twice
    const int p[4] = {6, 1, 6, 5};                        // twice the same; corners of others
    const nc_mesh_def def = {v, 7, t, 1, e, 4, p, 4};     // vertex 3 is unused
    nc_mesh *mesh = make(&def);
    const nc_mesh_data data = nc_mesh_view(mesh);
    assert_int_equal(data.vertex_count, 6);
    assert_true(data.vertices[3].x == 2);
    assert_int_equal(data.edge_count, 5);
    assert_int_equal(data.point_count, 1);
    assert_int_equal(data.points[0], 5);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    assert_int_equal(tree.free_edge_count, 2);
    assert_int_equal(tree.element_count, 4);
    int corner[3];
    assert_int_equal(nc_mesh_element(mesh, 0, corner), 3);
    assert_int_equal(nc_mesh_element(mesh, 1, corner), 2);
    assert_int_equal(corner[0], 1);
    assert_int_equal(corner[1], 3);
    assert_int_equal(nc_mesh_element(mesh, 3, corner), 1);
    assert_int_equal(corner[0], 5);
    assert_false(data.closed);
    nc_mesh_release(mesh);
}

static void bad_definitions_are_refused_with_a_sentence(void **state)
{
    (void)state;
    nc_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int t[1][3] = {{0, 1, 3}};
    nc_mesh_def def = {.vertices = v, .vertex_count = 3, .triangles = (const int(*)[3])t, .triangle_count = 1};
    check_refused(&def, "triangle 0 uses vertex 3, but there are 3");
    t[0][2] = -1;
    check_refused(&def, "uses vertex -1");
    t[0][2] = 1;
    check_refused(&def, "uses vertex 1 twice");
    t[0][2] = 2;
    const double bad[] = {NAN, INFINITY, 0x1p101, -0x1.8p100, 0x1p-101, -0x1p-1074};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        v[1].y = bad[i];
        check_refused(&def, "vertex 1");
    }
    v[1].y = 0;
    def.triangle_count = -1;
    check_refused(&def, "negative");
    def.triangle_count = INT32_MAX;
    check_refused(&def, "too large");
    def.triangle_count = 0;
    check_refused(&def, "no element");
    def.edge_count = 1;
    check_refused(&def, "missing");
    const int edge[1][2] = {{2, 2}};
    def.edges = edge;
    check_refused(&def, "edge 0 uses vertex 2 twice");
    const int point = 7;
    def.edge_count = 0;
    def.points = &point;
    def.point_count = 1;
    check_refused(&def, "point 0 uses vertex 7");
}

static void extreme_legal_coordinates_are_taken(void **state)
{
    (void)state;
    const nc_vec3 v[3] = {{0x1p100, -0x1p100, 0x1p-100}, {-0x1p100, 0, -0x1p-100}, {0, -0.0, 0}};
    const int t[1][3] = {{0, 1, 2}};
    const nc_mesh_def def = {.vertices = v, .vertex_count = 3, .triangles = t, .triangle_count = 1};
    nc_mesh *mesh = make(&def);
    assert_false(signbit(nc_mesh_view(mesh).vertices[2].y));
    nc_mesh_release(mesh);
}

static void hash_tells_content_not_unused_vertices(void **state)
{
    (void)state;
    nc_vec3 v[5];
    memcpy(v, tetra_vertices, sizeof tetra_vertices);
    v[4] = nc_v3(7, 7, 7);
    nc_mesh_def def = tetra_def();
    nc_mesh *plain = make(&def);
    def.vertices = v;
    def.vertex_count = 5;
    nc_mesh *same = make(&def);
    v[0].x = 0x1p-60;
    nc_mesh *moved = make(&def);
    assert_true(nc_mesh_view(plain).hash == nc_mesh_view(same).hash);
    assert_true(nc_mesh_view(plain).hash != nc_mesh_view(moved).hash);
    def.triangle_count = 3;
    nc_mesh *fewer = make(&def);
    assert_true(nc_mesh_view(moved).hash != nc_mesh_view(fewer).hash);
    nc_mesh_release(plain);
    nc_mesh_release(same);
    nc_mesh_release(moved);
    nc_mesh_release(fewer);
}

static void recentred_mesh_is_moved_and_keeps_its_elements(void **state)
{
    (void)state;
    const nc_vec3 v[5] = {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {5, 0, 0}, {6, 0x1p-99, 0}};
    const int t[1][3] = {{0, 1, 2}};
    const int e[1][2] = {{2, 3}};
    const int p[1] = {4};
    const nc_mesh_def def = {v, 5, t, 1, e, 1, p, 1};
    nc_error err;
    nc_mesh *mesh = make(&def), *moved;
    check_ok(nc_mesh_recenter(mesh, nc_v3(1, 0x1.8p-100, 0), &moved, &err), err);
    const nc_mesh_data was = nc_mesh_view(mesh), is = nc_mesh_view(moved);
    assert_int_equal(is.edge_count, was.edge_count);
    assert_int_equal(is.point_count, 1);
    assert_memory_equal(is.edge_is_free, was.edge_is_free, (size_t)was.edge_count);
    assert_true(is.vertices[3].x == 4 && is.vertices[0].x == 0);
    assert_true(is.vertices[4].y == 0); // 2^-101 is below the smallest legal coordinate
    nc_mesh *far;
    assert_int_equal(nc_mesh_recenter(mesh, nc_v3(0x1p101, 0, 0), &far, &err), NC_BAD_ARGUMENT);
    nc_mesh_release(mesh);
    nc_mesh_release(moved);
}

static void mesh_lives_until_the_last_release(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    const nc_mesh_def def = tetra_def();
    nc_mesh *mesh;
    assert_int_equal(nc_mesh_create(&def, &allocator, &mesh, NULL), NC_OK);
    assert_ptr_equal(nc_mesh_retain(mesh), mesh);
    nc_mesh_release(mesh);
    assert_true(memory.live_blocks > 0);
    assert_int_equal(nc_mesh_view(mesh).vertex_count, 4);
    assert_ptr_equal(nc_mesh_allocator(mesh).ctx, &memory);
    nc_mesh_release(mesh);
    nc_mesh_release(NULL);
    assert_null(nc_mesh_retain(NULL));
    fail_allocator_check_clean(&memory);
}

static void *retain_and_release(void *mesh)
{
    for (int i = 0; i < 20000; i++)
        nc_mesh_release(nc_mesh_retain(mesh));
    return NULL;
}

static void references_are_counted_right_by_several_threads(void **state)
{
    (void)state;
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    const nc_mesh_def def = tetra_def();
    nc_mesh *mesh;
    assert_int_equal(nc_mesh_create(&def, &allocator, &mesh, NULL), NC_OK);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, mesh), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(memory.live_blocks > 0);
    nc_mesh_release(mesh);
    fail_allocator_check_clean(&memory);
}

// Every vertex and every edge has one owner, and the rows name what they should.
static void every_feature_is_owned_by_exactly_one_element(void **state)
{
    (void)state;
    nc_random random = {check_seed("features", 13)};
    for (int n = 0; n < check_effort(300); n++) {
        nc_vec3 v[30];
        int t[20][3], e[4][2], p[3] = {27, 28, 29};
        for (int i = 0; i < 30; i++)
            v[i] = nc_v3(nc_random_unit(&random), nc_random_unit(&random), nc_random_unit(&random));
        for (int i = 0; i < 20; i++) { // corners are shared, some edges by many triangles
            t[i][0] = (int)(nc_random_u64(&random) % 8);
            t[i][1] = 8 + (int)(nc_random_u64(&random) % 8);
            t[i][2] = 16 + (int)(nc_random_u64(&random) % 8);
        }
        for (int i = 0; i < 4; i++)
            e[i][0] = i, e[i][1] = 24 + i % 3;
        const nc_mesh_def def = {v, 30, (const int(*)[3])t, 20, (const int(*)[2])e, 4, p, 3};
        nc_mesh *mesh = make(&def);
        const nc_mesh_data data = nc_mesh_view(mesh);
        const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
        int vertex_owners[30] = {0}, edge_owners[64] = {0};
        for (int slot = 0; slot < tree.element_count; slot++) {
            const nc_element_features *f = &tree.features[slot];
            int corner[3];
            assert_int_equal(f->corners, nc_mesh_element(mesh, tree.order[slot], corner));
            for (int k = 0; k < f->corners; k++) {
                assert_int_equal(f->vertex[k], corner[k]);
                vertex_owners[corner[k]] += f->owned_vertices >> k & 1;
            }
            for (int k = 0; k < (f->corners == 3 ? 3 : f->corners - 1); k++) {
                const int a = corner[k], b = corner[(k + 1) % f->corners];
                assert_int_equal(data.edges[f->edge[k]][0], a < b ? a : b);
                assert_int_equal(data.edges[f->edge[k]][1], a < b ? b : a);
                edge_owners[f->edge[k]] += f->owned_edges >> k & 1;
            }
        }
        for (int i = 0; i < data.vertex_count; i++)
            assert_int_equal(vertex_owners[i], 1);
        for (int i = 0; i < data.edge_count; i++)
            assert_int_equal(edge_owners[i], 1);
        nc_mesh_release(mesh);
    }
}

// ---- the tree -----------------------------------------------------------------------------------------------

// A soup of n triangles; `spread` says how: 0 uniform, 1 clustered by powers of two, 2 all in one place, 3 on a line.
static nc_mesh *random_soup(nc_random *random, int n, int spread)
{
    nc_vec3 *v = calloc((size_t)n * 3, sizeof *v);
    int(*t)[3] = calloc((size_t)n, sizeof *t);
    for (int i = 0; i < n; i++) {
        nc_vec3 c = nc_v3(nc_random_range(random, -1, 1), nc_random_range(random, -1, 1), 0);
        if (spread == 1)
            c = nc_scale(ldexp(1, -(i % 90)), c);
        if (spread == 2)
            c = nc_v3(1e6, 0, 0);
        if (spread == 3)
            c = nc_v3(1e9 + i, 0, 0);
        for (int k = 0; k < 3; k++) {
            const double s = spread == 2 ? 0 : spread == 1 ? ldexp(1, -(i % 90)) : 0.1;
            v[3 * i + k] = nc_add(c, nc_v3(nc_random_range(random, 0, s), nc_random_range(random, 0, s), 0));
            t[i][k] = 3 * i + k;
        }
    }
    const nc_mesh_def def = {
        .vertices = v, .vertex_count = 3 * n, .triangles = (const int(*)[3])t, .triangle_count = n};
    nc_mesh *mesh = make(&def);
    free(v);
    free(t);
    return mesh;
}

static bool box_inside(nc_box in, nc_box out)
{
    return in.lo.x >= out.lo.x && in.lo.y >= out.lo.y && in.lo.z >= out.lo.z && in.hi.x <= out.hi.x &&
           in.hi.y <= out.hi.y && in.hi.z <= out.hi.z;
}

// Walks the subtree at `node`, counts elements seen, returns its depth in nodes.
static int walk(const nc_mesh *mesh, const nc_mesh_tree *tree, int node, int *seen)
{
    const nc_bvh_node *n = &tree->nodes[node];
    if (n->right == 0) {
        assert_in_range(n->count, 1, NC_BVH_LEAF_MAX);
        nc_box tight = nc_box_empty();
        for (int i = n->first; i < n->first + n->count; i++) {
            int corner[3];
            const int corners = nc_mesh_element(mesh, tree->order[i], corner);
            for (int k = 0; k < corners; k++)
                tight = nc_box_add(tight, nc_mesh_view(mesh).vertices[corner[k]]);
            seen[tree->order[i]]++;
        }
        assert_memory_equal(&tight, &n->box, sizeof tight);
        return 1;
    }
    assert_in_range(n->right, node + 2, tree->node_count - 1);
    assert_true(box_inside(tree->nodes[node + 1].box, n->box) && box_inside(tree->nodes[n->right].box, n->box));
    const int left = walk(mesh, tree, node + 1, seen), right = walk(mesh, tree, n->right, seen);
    return 1 + (left > right ? left : right);
}

static void tree_holds_every_element_once_in_tight_boxes(void **state)
{
    (void)state;
    nc_random random = {check_seed("tree", 11)};
    const int counts[] = {1, 4, 5, 17, 300, 5000};
    for (int spread = 0; spread < 4; spread++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            nc_mesh *mesh = random_soup(&random, counts[c], spread);
            const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
            int *seen = calloc((size_t)counts[c], sizeof *seen);
            const int depth = walk(mesh, &tree, 0, seen);
            assert_int_equal(depth, tree.depth);
            assert_true(depth <= NC_BVH_MAX_DEPTH);
            for (int i = 0; i < counts[c]; i++)
                assert_int_equal(seen[i], 1);
            free(seen);
            nc_mesh_release(mesh);
        }
}

// Boxes that halve towards a corner drive a surface area split to one box per level; the limit must stop it.
static void tree_depth_is_limited_for_nested_boxes(void **state)
{
    (void)state;
    enum { COUNT = 140 };
    const nc_allocator memory = nc_allocator_default();
    nc_box *boxes = calloc(COUNT, sizeof *boxes);
    for (int i = 0; i < COUNT; i++) {
        const double size = ldexp(1, -i), at = i % 2 ? 4 * size : -4 * size; // towards the middle of all
        boxes[i].lo = nc_v3(at, 0, 0);
        boxes[i].hi = nc_v3(at + size, size, size);
    }
    nc_bvh bvh;
    assert_true(nc_bvh_build(&memory, boxes, COUNT, &bvh));
    print_message("%d nested boxes: depth %d\n", COUNT, bvh.depth);
    assert_in_range(bvh.depth, 7, NC_BVH_MAX_DEPTH);
    nc_bvh_free(&memory, &bvh);
    free(boxes);
}

// The sum over nodes of their surface is what queries pay; a good tree is far below one in given order.
static void tree_is_much_better_than_one_in_random_order(void **state)
{
    (void)state;
    nc_random random = {check_seed("quality", 12)};
    nc_mesh *mesh = random_soup(&random, 4096, 0);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    double sum = 0;
    for (int i = 1; i < tree.node_count; i++) {
        const nc_vec3 d = nc_sub(tree.nodes[i].box.hi, tree.nodes[i].box.lo);
        sum += d.x * d.y;
    }
    print_message("tree of 4096 triangles: %d nodes, depth %d, area sum %.1f\n", tree.node_count, tree.depth, sum);
    check_at_most(sum, 200); // boxes of random order would sum to about 4 * 1365
    nc_mesh_release(mesh);
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code create_trial(const nc_allocator *allocator, void *ctx)
{
    nc_error err;
    nc_mesh *mesh = NULL, *moved = NULL;
    nc_code code = nc_mesh_create(ctx, allocator, &mesh, &err);
    if (code == NC_OK)
        code = nc_mesh_recenter(mesh, nc_v3(1, 2, 3), &moved, &err);
    nc_mesh_release(moved);
    nc_mesh_release(mesh);
    return code;
}

static void every_failed_allocation_is_a_clean_error(void **state)
{
    (void)state;
    enum { FAN = 50 };
    nc_vec3 v[FAN + 4] = {{0, 0, 0}};
    int t[FAN][3];
    for (int i = 0; i < FAN + 3; i++)
        v[i + 1] = nc_v3(1, i, i * i);
    for (int i = 0; i < FAN; i++)
        t[i][0] = 0, t[i][1] = i + 1, t[i][2] = i + 2;
    const int e[1][2] = {{FAN + 1, FAN + 2}};
    const int p[1] = {FAN + 3};
    const nc_mesh_def def = {v, FAN + 4, (const int(*)[3])t, FAN, e, 1, p, 1};
    fail_at_every_call(create_trial, (void *)(uintptr_t)&def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedron_is_closed_and_has_six_edges),
        cmocka_unit_test(surface_with_a_hole_or_a_turned_triangle_is_open),
        cmocka_unit_test(free_edges_and_points_are_kept_and_merged),
        cmocka_unit_test(bad_definitions_are_refused_with_a_sentence),
        cmocka_unit_test(extreme_legal_coordinates_are_taken),
        cmocka_unit_test(hash_tells_content_not_unused_vertices),
        cmocka_unit_test(recentred_mesh_is_moved_and_keeps_its_elements),
        cmocka_unit_test(mesh_lives_until_the_last_release),
        cmocka_unit_test(references_are_counted_right_by_several_threads),
        cmocka_unit_test(every_feature_is_owned_by_exactly_one_element),
        cmocka_unit_test(tree_holds_every_element_once_in_tight_boxes),
        cmocka_unit_test(tree_depth_is_limited_for_nested_boxes),
        cmocka_unit_test(tree_is_much_better_than_one_in_random_order),
        cmocka_unit_test(every_failed_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
