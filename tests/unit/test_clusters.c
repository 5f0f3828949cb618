// Clusters: momentum, velocities and motions of English 4.2, eq. 5 to 14.
#include "check.h"
#include "fail_allocator.h"

#include "certify/certify.h"

#define MOST 6
#define DT   0.04

typedef struct body_set {
    uint8_t role[MOST];
    const nc_mesh *mesh[MOST];
    double mass[MOST];
    nc_inertia inertia[MOST];
    nc_path path[MOST];
    nc_vec3 v[MOST], w[MOST];
    nc_certify_bodies bodies;
    nc_clusters *clusters;
} body_set;

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static nc_quat random_turn(nc_random *random)
{
    return nc_quat_from_rotation_vector(random_vector(random, 3));
}

// Free bodies with random masses, inertias, poses and velocities, and the proposals that belong to these.
static void enter(body_set *c, nc_random *random)
{
    for (int i = 0; i < MOST; i++) {
        const double m = nc_random_range(random, 0.5, 20);
        const nc_pose pose = {random_vector(random, 2), random_turn(random)};
        c->role[i] = NC_ROLE_FREE;
        c->mass[i] = m;
        c->inertia[i] = (nc_inertia){{0.1 * m, 0.17 * m, 0.2 * m}, random_turn(random)};
        c->v[i] = random_vector(random, 5);
        c->w[i] = random_vector(random, 8);
        c->path[i] =
            nc_path_free(pose, nc_scale(DT, c->v[i]), nc_scale(DT, c->w[i]), nc_scale(0.05, random_vector(random, 1)));
    }
    c->bodies = (nc_certify_bodies){MOST, c->role, c->mesh, c->mass, c->inertia, c->path};
    nc_error err;
    check_ok(nc_clusters_create(NULL, &c->clusters, &err), err);
}

static void begin(body_set *c)
{
    nc_error err;
    check_ok(nc_clusters_begin(c->clusters, &c->bodies, c->v, c->w, DT, &err), err);
}

static void check_vectors(nc_vec3 a, nc_vec3 b, double tolerance)
{
    check_near(a.x, b.x, tolerance);
    check_near(a.y, b.y, tolerance);
    check_near(a.z, b.z, tolerance);
}

// Momentum, and angular momentum about the origin, of rows [0, count) with the velocities they have.
static void momenta(const body_set *c, int count, nc_vec3 *linear, nc_vec3 *angular)
{
    *linear = *angular = nc_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        const nc_pose pose = c->path[i].start;
        const nc_vec3 p = nc_scale(c->mass[i], c->v[i]);
        *linear = nc_add(*linear, p);
        *angular = nc_add(*angular, nc_cross(pose.x, p));
        *angular = nc_add(*angular, nc_inertia_momentum(&c->inertia[i], pose.q, c->w[i]));
    }
}

// Where a point that body j carries is in the frame of body i, at t.
static nc_vec3 seen_from(const body_set *c, int i, int j, nc_vec3 point, double t)
{
    const nc_pose a = nc_path_pose(&c->path[i], t), b = nc_path_pose(&c->path[j], t);
    return nc_mat3_tmul(nc_quat_matrix(a.q), nc_sub(nc_pose_apply(b, point), a.x));
}

static void check_rigid(const body_set *c, int i, int j)
{
    const nc_vec3 point = {0.3, -0.7, 0.2};
    const nc_vec3 start = seen_from(c, i, j, point, 0);
    for (int k = 1; k <= 8; k++)
        check_vectors(seen_from(c, i, j, point, k / 8.0), start, 1e-12);
}

static void a_full_cluster_has_its_members_momentum_and_no_motion_inside(void **state)
{
    (void)state;
    nc_random random = {check_seed("full clusters", 1)};
    for (int test = 0; test < check_effort(100); test++) {
        body_set c;
        enter(&c, &random);
        nc_vec3 p0, l0, p1, l1;
        momenta(&c, 4, &p0, &l0);
        begin(&c);
        int root = nc_clusters_merge(c.clusters, 1, 0, NC_CLUSTER_FULL);
        root = nc_clusters_merge(c.clusters, root, 2, NC_CLUSTER_FULL);
        root = nc_clusters_merge(c.clusters, 3, root, NC_CLUSTER_FULL);
        assert_int_equal(root, 0);
        assert_int_equal(nc_clusters_root(c.clusters, 2), 0);
        const nc_cluster cluster = *nc_clusters_view(c.clusters, root);
        assert_int_equal(cluster.size, 4);
        assert_int_equal(cluster.kind, NC_CLUSTER_FULL);
        momenta(&c, 4, &p1, &l1);
        check_vectors(p1, p0, 1e-11);
        check_vectors(l1, l0, 1e-11);
        for (int i = 0; i < 4; i++) { // eq. 10
            const nc_vec3 arm = nc_sub(c.path[i].start.x, cluster.x);
            check_vectors(c.v[i], nc_add(cluster.v, nc_cross(cluster.w, arm)), 1e-12);
            check_vectors(c.w[i], cluster.w, 0);
            check_rigid(&c, 0, i);
            // The path sets off with that velocity.
            const double h = 1e-6;
            const nc_vec3 way = nc_sub(nc_path_pose(&c.path[i], h).x, c.path[i].start.x);
            check_vectors(nc_scale(1 / (h * DT), way), c.v[i], 1e-4);
        }
        nc_clusters_destroy(c.clusters);
    }
}

// What an impulse at a point does to a cluster.
static void push(body_set *c, int root, nc_vec3 impulse, nc_vec3 point)
{
    const nc_cluster *cluster = nc_clusters_view(c->clusters, root);
    const nc_vec3 arm = nc_sub(point, cluster->x);
    nc_clusters_push(c->clusters, root, nc_scale(cluster->inv_mass, impulse),
                     nc_mat3_mul(cluster->inv_inertia, nc_cross(arm, impulse)));
    nc_clusters_propose(c->clusters, root);
}

static void a_push_gives_a_cluster_of_either_kind_its_impulse(void **state)
{
    (void)state;
    nc_random random = {check_seed("pushes", 2)};
    for (int test = 0; test < check_effort(100); test++) {
        body_set c;
        enter(&c, &random);
        begin(&c);
        const nc_cluster_kind kind = test % 2 == 0 ? NC_CLUSTER_FULL : NC_CLUSTER_KINEMATIC;
        int root = nc_clusters_merge(c.clusters, 0, 1, kind);
        root = nc_clusters_merge(c.clusters, root, 2, kind);
        nc_vec3 p0, l0, p1, l1;
        momenta(&c, 3, &p0, &l0);
        const nc_vec3 impulse = random_vector(&random, 10), point = random_vector(&random, 3);
        push(&c, root, impulse, point);
        momenta(&c, 3, &p1, &l1);
        check_vectors(nc_sub(p1, p0), impulse, 1e-11);
        check_vectors(nc_sub(l1, l0), nc_cross(point, impulse), 1e-10);
        nc_clusters_destroy(c.clusters);
    }
}

// Eq. 13 and 14: forming it changes nothing, and a push changes no pose at the end of one member as seen from another.
static void a_kinematic_cluster_keeps_what_its_members_do_against_each_other(void **state)
{
    (void)state;
    nc_random random = {check_seed("kinematic clusters", 3)};
    const nc_vec3 point = {0.3, -0.7, 0.2};
    for (int test = 0; test < check_effort(100); test++) {
        body_set c, before;
        enter(&c, &random);
        before = c;
        begin(&c);
        int root = nc_clusters_merge(c.clusters, 0, 1, NC_CLUSTER_KINEMATIC);
        root = nc_clusters_merge(c.clusters, root, 2, NC_CLUSTER_KINEMATIC);
        for (int i = 0; i < 3; i++) {
            check_vectors(c.v[i], before.v[i], 0);
            check_vectors(nc_path_pose(&c.path[i], 1).x, nc_path_pose(&before.path[i], 1).x, 0);
        }
        const nc_cluster formed = *nc_clusters_view(c.clusters, root);
        check_vectors(formed.w, nc_v3(0, 0, 0), 0);
        check_vectors(nc_clusters_center(c.clusters, root, 1), // eq. 11, 12
                      nc_madd(formed.x, DT, formed.v), 1e-15);
        push(&c, root, random_vector(&random, 30), random_vector(&random, 3));
        push(&c, root, random_vector(&random, 30), random_vector(&random, 3));
        const nc_vec3 dw = nc_clusters_view(c.clusters, root)->w;
        assert_true(nc_norm(dw) > 1e-3);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                check_vectors(seen_from(&c, i, j, point, 1), seen_from(&before, i, j, point, 1), 1e-12);
                const nc_vec3 arm = nc_sub(c.path[i].start.x, c.path[j].start.x);
                check_vectors(nc_sub(c.v[i], c.v[j]), nc_add(nc_sub(before.v[i], before.v[j]), nc_cross(dw, arm)),
                              1e-12);
                check_vectors(nc_sub(c.w[i], c.w[j]), nc_sub(before.w[i], before.w[j]), 1e-12);
            }
        // The push itself shows: the cluster went somewhere else.
        assert_true(nc_norm(nc_sub(nc_path_pose(&c.path[0], 1).x, nc_path_pose(&before.path[0], 1).x)) > 1e-4);
        nc_clusters_destroy(c.clusters);
    }
}

static void a_full_cluster_inside_a_kinematic_one_stays_rigid(void **state)
{
    (void)state;
    nc_random random = {check_seed("nested clusters", 4)};
    for (int test = 0; test < check_effort(50); test++) {
        body_set c;
        enter(&c, &random);
        begin(&c);
        const int stiff = nc_clusters_merge(c.clusters, 0, 1, NC_CLUSTER_FULL);
        int root = nc_clusters_merge(c.clusters, stiff, 2, NC_CLUSTER_KINEMATIC);
        push(&c, root, random_vector(&random, 30), random_vector(&random, 3));
        root = nc_clusters_merge(c.clusters, root, 3, NC_CLUSTER_KINEMATIC);
        push(&c, root, random_vector(&random, 30), random_vector(&random, 3));
        check_rigid(&c, 0, 1);
        assert_int_equal(memcmp(&c.path[0].segments[0], &c.path[1].segments[0], sizeof(nc_segment)), 0);
        // And all of it becomes rigid when it must.
        nc_clusters_merge(c.clusters, root, 4, NC_CLUSTER_FULL);
        for (int i = 1; i < 5; i++)
            check_rigid(&c, 0, i);
        nc_clusters_destroy(c.clusters);
    }
}

static void a_carrier_takes_its_cluster_along_and_yields_to_nothing(void **state)
{
    (void)state;
    nc_random random = {check_seed("carriers", 5)};
    body_set c;
    enter(&c, &random);
    c.role[1] = NC_ROLE_SCRIPTED;
    c.mass[1] = 0;
    c.path[1] = nc_path_free(c.path[1].start, nc_v3(0.1, 0, 0), nc_v3(0, 0.2, 0), nc_v3(0, 0, 0));
    nc_path_extend(&c.path[1], (nc_segment){.begin = 0.5, .a = c.path[1].start.x, .d = nc_v3(0, 1, 0)});
    c.role[3] = NC_ROLE_FIXED;
    c.role[4] = NC_ROLE_FIXED;
    c.mass[3] = c.mass[4] = 0;
    c.path[3] = nc_path_still(c.path[3].start);
    c.path[4] = nc_path_still(c.path[4].start);
    c.v[3] = c.w[3] = c.v[4] = c.w[4] = nc_v3(0, 0, 0);
    const body_set before = c;
    begin(&c);
    const int carried = nc_clusters_merge(c.clusters, 0, 1, NC_CLUSTER_FULL);
    assert_int_equal(nc_clusters_view(c.clusters, carried)->carrier, 1);
    check_near(nc_clusters_view(c.clusters, carried)->inv_mass, 0, 0);
    assert_int_equal(c.path[0].count, 2);
    check_rigid(&c, 1, 0);
    check_vectors(c.w[0], c.w[1], 0);
    assert_int_equal(memcmp(&c.path[1], &before.path[1], sizeof(nc_path)), 0);
    nc_clusters_push(c.clusters, carried, nc_v3(1, 2, 3), nc_v3(1, 2, 3));
    nc_clusters_propose(c.clusters, carried);
    assert_int_equal(memcmp(&c.path[1], &before.path[1], sizeof(nc_path)), 0);
    // Free bodies in a kinematic cluster with something fixed continue as they were.
    const int held = nc_clusters_merge(c.clusters, 2, 3, NC_CLUSTER_KINEMATIC);
    nc_clusters_push(c.clusters, held, nc_v3(1, 2, 3), nc_v3(1, 2, 3));
    nc_clusters_propose(c.clusters, held);
    assert_int_equal(memcmp(&c.path[2], &before.path[2], sizeof(nc_path)), 0);
    // Two that move differently cannot be one; two that are fixed can.
    assert_int_equal(nc_clusters_merge(c.clusters, carried, held, NC_CLUSTER_FULL), -1);
    const int still = nc_clusters_merge(c.clusters, held, 4, NC_CLUSTER_FULL);
    assert_int_equal(still, 2);
    check_vectors(nc_path_pose(&c.path[2], 1).x, c.path[2].start.x, 0);
    nc_clusters_destroy(c.clusters);
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    body_set *c = ctx;
    nc_clusters *clusters = NULL;
    nc_code code = nc_clusters_create(allocator, &clusters, NULL);
    if (code == NC_OK)
        code = nc_clusters_begin(clusters, &c->bodies, c->v, c->w, DT, NULL);
    nc_clusters_destroy(clusters);
    return code;
}

static void memory_for_clusters_may_fail_at_every_call(void **state)
{
    (void)state;
    nc_random random = {6};
    body_set c;
    enter(&c, &random);
    nc_clusters_destroy(c.clusters);
    assert_true(fail_at_every_call(trial, &c) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_cluster_has_its_members_momentum_and_no_motion_inside),
        cmocka_unit_test(a_push_gives_a_cluster_of_either_kind_its_impulse),
        cmocka_unit_test(a_kinematic_cluster_keeps_what_its_members_do_against_each_other),
        cmocka_unit_test(a_full_cluster_inside_a_kinematic_one_stays_rigid),
        cmocka_unit_test(a_carrier_takes_its_cluster_along_and_yields_to_nothing),
        cmocka_unit_test(memory_for_clusters_may_fail_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
