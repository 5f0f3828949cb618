// Certify: whatever is proposed, nothing crosses; and what can move, moves.
#include "check.h"

#include "audit/audit.h"
#include "certify/certify.h"

#define MOST   64
#define SHAPES 6

typedef struct arena_scene {
    int count;
    uint8_t role[MOST];
    const nc_mesh *mesh[MOST];
    double mass[MOST];
    nc_inertia inertia[MOST];
    nc_path wanted[MOST], path[MOST];
    nc_fate fate[MOST];
} scene;

static nc_mesh *shapes[SHAPES];

static int open_shapes(void **state)
{
    (void)state;
    const char *names[SHAPES] = {"boat", "ring", "triangle", "torus", "spike", "plate"};
    nc_error err;
    for (int i = 0; i < SHAPES; i++)
        check_ok(nc_shape_create(names[i], NULL, 0, NULL, &shapes[i], &err), err);
    return 0;
}

static int close_shapes(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        nc_mesh_release(shapes[i]);
    return 0;
}

static nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static bool meets_any(const scene *s, const nc_mesh *mesh, nc_pose pose)
{
    for (int i = 0; i < s->count; i++) {
        bool hit = false;
        nc_error err;
        check_ok(nc_mesh_intersect(mesh, pose, s->mesh[i], s->wanted[i].start, &hit, NULL, &err), err);
        if (hit)
            return true;
    }
    return false;
}

// Packs bodies at random without intersections, with random proposals. Roles: mostly free, some fixed and scripted.
static void fill(scene *s, nc_random *random, int count, double spread, double travel, double turn)
{
    s->count = 0;
    for (int tries = 0; s->count < count && tries < 20 * count; tries++) {
        const nc_mesh *mesh = shapes[nc_random_u64(random) % SHAPES];
        const nc_pose pose = {random_vector(random, spread), nc_quat_from_rotation_vector(random_vector(random, 3))};
        if (meets_any(s, mesh, pose))
            continue;
        const int i = s->count++;
        const double dice = nc_random_unit(random);
        s->role[i] = dice < 0.15 ? NC_ROLE_FIXED : dice < 0.3 ? NC_ROLE_SCRIPTED : NC_ROLE_FREE;
        s->mesh[i] = mesh;
        s->mass[i] = ldexp(1.0, (int)nc_random_range(random, -5, 5));
        s->inertia[i] = (nc_inertia){nc_scale(s->mass[i], nc_v3(0.1, 0.2, 0.25)), nc_quat_identity()};
        const bool still = s->role[i] == NC_ROLE_FIXED;
        s->wanted[i] = still ? nc_path_still(pose)
                             : nc_path_free(pose, random_vector(random, travel), random_vector(random, turn),
                                            s->role[i] == NC_ROLE_FREE ? random_vector(random, 0.1) : nc_v3(0, 0, 0));
    }
}

static bool both_fixed(int a, int b, void *ctx)
{
    const scene *s = ctx;
    return !(s->role[a] == NC_ROLE_FIXED && s->role[b] == NC_ROLE_FIXED);
}

static bool matters(int i, int j, const void *ctx)
{
    const scene *s = ctx;
    return !(s->role[i] == NC_ROLE_FIXED && s->role[j] == NC_ROLE_FIXED);
}

static nc_certify_options options_for(const scene *s)
{
    return (nc_certify_options){.floor = 1e-3,
                                .tolerance = 1e-4,
                                .sweep_limit = 300,
                                .event_budget = 1000,
                                .workers = 1,
                                .matters = matters,
                                .ctx = s};
}

static nc_certify_report certify(scene *s, nc_certifier *certifier, const nc_certify_options *options)
{
    nc_certify_report report;
    nc_error err;
    memcpy(s->path, s->wanted, sizeof s->path);
    const nc_certify_bodies bodies = {s->count, s->role, s->mesh, s->mass, s->inertia, s->path};
    check_ok(nc_certify(certifier, &bodies, options, s->fate, &report, &err), err);
    return report;
}

static int intersections_at(scene *s, double t)
{
    nc_audit_item items[MOST];
    for (int i = 0; i < s->count; i++)
        items[i] = (nc_audit_item){s->mesh[i], nc_path_pose(&s->path[i], t)};
    int count = 0;
    nc_error err;
    check_ok(nc_audit_poses(items, s->count, both_fixed, s, NULL, NULL, 0, &count, &err), err);
    return count;
}

static nc_certifier *new_certifier(void)
{
    nc_certifier *certifier;
    nc_error err;
    check_ok(nc_certifier_create(NULL, &certifier, &err), err);
    return certifier;
}

static double distance_moved(const nc_path *path)
{
    return nc_norm(nc_sub(nc_path_pose(path, 1).x, path->start.x));
}

static void random_crowds_never_cross(void **state)
{
    (void)state;
    nc_random random = {check_seed("crowds", 70)};
    nc_certifier *certifier = new_certifier();
    static scene s;
    long events = 0, sticks = 0, halts = 0, sweeps = 0, bodies = 0, crossings_wanted = 0;
    double kept = 0, wanted = 0;
    const int cases = check_effort(60);
    for (int k = 0; k < cases; k++) {
        const double travel = ldexp(1.0, (int)nc_random_range(&random, -3, 3)),
                     turn = ldexp(1.0, (int)nc_random_range(&random, -3, 3));
        fill(&s, &random, (int)nc_random_range(&random, 2, 40), nc_random_range(&random, 0.8, 2.5), travel, turn);
        const nc_certify_options options = options_for(&s);
        const nc_certify_report report = certify(&s, certifier, &options);
        for (int sample = 0; sample <= 24; sample++) {
            const int count = intersections_at(&s, sample / 24.0);
            if (count > 0)
                print_error("case %d: %d pairs intersect at %g\n", k, count, sample / 24.0);
            assert_int_equal(count, 0);
        }
        assert_true(report.smallest_distance > 0);
        for (int i = 0; i < s.count; i++) {
            kept += distance_moved(&s.path[i]);
            wanted += distance_moved(&s.wanted[i]);
            assert_int_equal(nc_norm2(nc_sub(s.path[i].start.x, s.wanted[i].start.x)) == 0, 1);
        }
        assert_true(report.events <= 2 * s.count);
        memcpy(s.path, s.wanted, sizeof s.path);
        crossings_wanted += intersections_at(&s, 1.0);
        events += report.events, sticks += report.sticks, halts += report.halts, sweeps += report.sweeps,
            bodies += s.count;
    }
    print_message(
        "%ld bodies, %ld sweeps, %ld events, %ld sticks, %ld halts; %.0f%% of the wanted way kept; unguarded, "
        "%ld pairs would have ended inside each other\n",
        bodies, sweeps, events, sticks, halts, 100 * kept / wanted, crossings_wanted);
    assert_true(crossings_wanted > cases);
    assert_true(kept > 0.2 * wanted);
    nc_certifier_destroy(certifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_crowds_never_cross),
    };
    return cmocka_run_group_tests(tests, open_shapes, close_shapes);
}
