// Swept tests of meshes on curved paths: never a miss, never late, against dense sampling with exact intersection.
#include "check.h"

#include "narrow/narrow.h"

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

static const nc_mesh_sweep_options options = {{1e-4, 0, 0}, 1e-5, 400};

typedef struct tally {
    int pairs, clear, hits, undecided, met;
    long nodes, features, evaluations;
} tally;

static void check_pair(const nc_mesh *a, const nc_path *pa, const nc_mesh *b, const nc_path *pb, int samples,
                       tally *sum)
{
    if (meet(a, pa, b, pb, 0))
        return;
    const nc_mesh_sweep sweep = nc_sweep_meshes(a, pa, b, pb, 0, 1, &options);
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
    const int cases = check_effort(2000);
    for (int i = 0; i < cases; i++) {
        const nc_mesh *a = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const nc_mesh *b = shapes->mesh[nc_random_u64(&random) % SHAPES];
        const double speed = ldexp(1.0, (int)nc_random_range(&random, -3, 4));
        const double turn = ldexp(1.0, (int)nc_random_range(&random, -4, 5));
        const nc_path pa = random_path(&random, 1.5, speed, turn), pb = random_path(&random, 1.5, speed, turn);
        check_pair(a, &pa, b, &pb, 64, &sum);
    }
    print_message("%d pairs: %d clear, %d hits, %d undecided; %d met at a sample; %.0f nodes, %.0f features, %.0f "
                  "evaluations a pair\n",
                  sum.pairs, sum.clear, sum.hits, sum.undecided, sum.met, (double)sum.nodes / sum.pairs,
                  (double)sum.features / sum.pairs, (double)sum.evaluations / sum.pairs);
    assert_true(sum.met > sum.pairs / 20 && sum.clear > sum.pairs / 20);
    assert_true(sum.hits >= sum.met / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shells_on_fast_curved_paths_are_never_missed),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
