// Certify: whatever is proposed, nothing crosses; and what can move, moves.
#include "check.h"
#include "fail_allocator.h"

#include "audit/audit.h"
#include "certify/state.h"

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
    nc_certify_bodies bodies; // of the above, for a certification that is not at its end
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
    check_ok(nc_certify_begin(certifier, &bodies, options, &err), err);
    check_ok(nc_certify_end(certifier, s->fate, &report, &err), err);
    return report;
}

static int intersections_at(scene *s, double t)
{
    nc_audit_item items[MOST];
    for (int i = 0; i < s->count; i++)
        items[i] = (nc_audit_item){s->mesh[i], nc_path_pose(&s->path[i], t)};
    int count = 0;
    nc_error err;
    check_ok(nc_audit_poses(items, s->count, both_fixed, s, NULL, NULL, NULL, 0, &count, &err), err);
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

static void the_result_does_not_depend_on_threads(void **state)
{
    (void)state;
    nc_random random = {check_seed("threads", 71)};
    nc_certifier *certifier = new_certifier();
    static scene s;
    for (int k = 0; k < 6; k++) {
        fill(&s, &random, 40, 1.2, 1, 1);
        static nc_path first[MOST];
        const int workers[] = {1, 2, 3, 8};
        for (int w = 0; w < 4; w++) {
            nc_certify_options options = options_for(&s);
            options.workers = workers[w];
            const nc_certify_report report = certify(&s, certifier, &options);
            assert_true(report.events > 0);
            for (int i = 0; i < s.count; i++) {
                const nc_pose end = nc_path_pose(&s.path[i], 1), wanted = nc_path_pose(&first[i], 1);
                if (w > 0)
                    assert_memory_equal(&end, &wanted, sizeof end);
            }
            if (w == 0)
                memcpy(first, s.path, sizeof first);
        }
    }
    nc_certifier_destroy(certifier);
}

// Bodies stop, stay for some turns and set off again, as those that sleep do: a certifier that is kept and shows fixed
// bodies out of reach to nobody gives what a newborn gives that examines all.
static void fixed_bodies_out_of_reach_change_nothing(void **state)
{
    (void)state;
    nc_random random = {check_seed("fixed", 79)};
    nc_certifier *kept = new_certifier();
    static scene s;
    int events = 0;
    for (int k = 0; k < check_effort(24); k++) {
        static nc_path proven[MOST];
        if (k % 6 == 0)
            fill(&s, &random, 40, 2.5, 0.4, 0.5);
        for (int i = 0; i < s.count; i++) {
            const nc_pose at = s.wanted[i].start;
            const bool stops = i % 4 != 0 && nc_random_unit(&random) < 0.8; // few move
            s.role[i] = stops ? NC_ROLE_FIXED : i % 8 == 0 ? NC_ROLE_SCRIPTED : NC_ROLE_FREE;
            s.wanted[i] = stops ? nc_path_still(at)
                                : nc_path_free(at, random_vector(&random, i % 4 == 0 ? 0.1 : 0.4),
                                               random_vector(&random, 0.3), nc_v3(0, 0, 0));
        }
        nc_certify_options options = options_for(&s);
        options.reach = 0.1;
        nc_certifier *newborn = new_certifier();
        const nc_certify_report all = certify(&s, newborn, &options);
        memcpy(proven, s.path, sizeof proven);
        options.skip_fixed = true;
        const nc_certify_report some = certify(&s, kept, &options);
        assert_memory_equal(proven, s.path, (size_t)s.count * sizeof *proven);
        assert_true(all.smallest_distance == some.smallest_distance && all.sticks == some.sticks);
        assert_true(all.sweeps == some.sweeps && some.pairs <= all.pairs);
        events += some.events;
        nc_certifier_destroy(newborn);
        for (int i = 0; k % 2 == 1 && i < s.count; i++) // else they try again
            s.wanted[i].start = nc_path_pose(&s.path[i], 1);
    }
    assert_true(events > 0);
    nc_certifier_destroy(kept);
}

static void without_a_budget_everything_that_would_meet_halts(void **state)
{
    (void)state;
    nc_random random = {check_seed("budget", 72)};
    nc_certifier *certifier = new_certifier();
    static scene s;
    for (int k = 0; k < 10; k++) {
        fill(&s, &random, 30, 1.2, 2, 2);
        nc_certify_options options = options_for(&s);
        options.event_budget = 0;
        const nc_certify_report report = certify(&s, certifier, &options);
        assert_int_equal(report.sticks, 0);
        assert_true(report.halts > 0);
        for (int sample = 0; sample <= 16; sample++)
            assert_int_equal(intersections_at(&s, sample / 16.0), 0);
    }
    nc_certifier_destroy(certifier);
}

// One body between two others, in a scene of three.
static void put(scene *s, int i, nc_role role, const nc_mesh *mesh, nc_vec3 x, nc_vec3 travel)
{
    s->role[i] = (uint8_t)role;
    s->mesh[i] = mesh;
    s->mass[i] = 1;
    s->inertia[i] = (nc_inertia){{0.1, 0.2, 0.25}, {1, 0, 0, 0}};
    s->wanted[i] = nc_path_free((nc_pose){x, {1, 0, 0, 0}}, travel, nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    s->count = i + 1;
}

static nc_mesh *box_mesh(void)
{
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_shape_create("box", NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static void two_equal_bodies_that_meet_stop_each_other(void **state)
{
    (void)state;
    nc_mesh *box = box_mesh();
    nc_certifier *certifier = new_certifier();
    static scene s;
    put(&s, 0, NC_ROLE_FREE, box, nc_v3(-2, 0, 0), nc_v3(3, 0, 0));
    put(&s, 1, NC_ROLE_FREE, box, nc_v3(2, 0, 0), nc_v3(-3, 0, 0));
    const nc_certify_options options = options_for(&s);
    const nc_certify_report report = certify(&s, certifier, &options);
    assert_int_equal(report.sticks, 1);
    assert_true(s.fate[0].stuck && s.fate[0].group == 0 && s.fate[1].group == 0);
    // Boxes of size 1 meet at x = -0.5 and 0.5, at half of the way, and stay: their momenta cancel.
    check_near(nc_path_pose(&s.path[0], 1).x.x, -0.5, 2e-3);
    check_near(nc_path_pose(&s.path[1], 1).x.x, 0.5, 2e-3);
    nc_mesh_release(box);
    nc_certifier_destroy(certifier);
}

static void a_body_pushed_by_a_script_goes_along_and_stalls_it_at_a_wall(void **state)
{
    (void)state;
    nc_mesh *box = box_mesh();
    nc_certifier *certifier = new_certifier();
    static scene s;
    put(&s, 0, NC_ROLE_SCRIPTED, box, nc_v3(0, 0, 0), nc_v3(3, 0, 0));
    put(&s, 1, NC_ROLE_FREE, box, nc_v3(1.5, 0, 0), nc_v3(0, 0, 0));
    put(&s, 2, NC_ROLE_FIXED, box, nc_v3(4, 0, 0), nc_v3(0, 0, 0));
    const nc_certify_options options = options_for(&s);
    const nc_certify_report report = certify(&s, certifier, &options);
    assert_int_equal(report.stalls, 1);
    check_near(nc_path_pose(&s.path[1], 1).x.x, 3, 5e-3);
    check_near(nc_path_pose(&s.path[0], 1).x.x, 2, 1e-2);
    assert_true(s.fate[0].halted && s.fate[0].ran_until < 0.7 && s.fate[0].ran_until > 0.6);
    assert_int_equal(intersections_at(&s, 1), 0);
    nc_mesh_release(box);
    nc_certifier_destroy(certifier);
}

// With barely any evaluations bodies are held, and nothing crosses; the number of threads changes nothing.
static void a_small_budget_holds_bodies_and_crosses_nothing(void **state)
{
    (void)state;
    nc_random random = {check_seed("evaluations", 78)};
    nc_certifier *certifier = new_certifier();
    static scene s;
    static nc_path one_thread[MOST];
    long undecided = 0;
    const int cases = check_effort(60);
    for (int k = 0; k < cases; k++) {
        fill(&s, &random, (int)nc_random_range(&random, 2, 24), nc_random_range(&random, 0.8, 2.0), 2, 8);
        nc_certify_options options = options_for(&s);
        options.budget = 1 + (int64_t)ldexp(1.0, (int)nc_random_range(&random, 0, 18));
        const nc_certify_report report = certify(&s, certifier, &options);
        undecided += report.undecided;
        for (int sample = 0; sample <= 12; sample++)
            assert_int_equal(intersections_at(&s, sample / 12.0), 0);
        // Every sweep may use the least budget, and finish the leaves under way.
        check_at_most((double)report.evaluations, (double)options.budget + 512.0 * (double)report.sweeps);
        memcpy(one_thread, s.path, sizeof s.path);
        options.workers = 4;
        const nc_certify_report again = certify(&s, certifier, &options);
        assert_true(again.evaluations == report.evaluations && again.undecided == report.undecided);
        assert_memory_equal(one_thread, s.path, (size_t)s.count * sizeof *s.path);
    }
    print_message("%ld sweeps had no verdict\n", undecided);
    assert_true(undecided > 0);
    nc_certifier_destroy(certifier);
}

// [m] of the nearest pair that matters at time t.
static double nearest_at(const scene *s, double t)
{
    double nearest = INFINITY;
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++) {
            nc_proximity found;
            nc_error err;
            if (!matters(i, j, s))
                continue;
            check_ok(nc_mesh_distance(s->mesh[i], nc_path_pose(&s->path[i], t), s->mesh[j],
                                      nc_path_pose(&s->path[j], t), &found, &err),
                     err);
            nearest = fmin(nearest, found.distance);
        }
    return nearest;
}

static double start_clearance(int i, int j, const void *ctx)
{
    const scene *s = ctx;
    nc_proximity found;
    nc_error err;
    check_ok(nc_mesh_distance(s->mesh[i], s->wanted[i].start, s->mesh[j], s->wanted[j].start, &found, &err), err);
    return found.lower_bound;
}

// One-sided at every time, whatever was swept, spared, stuck, halted or stood still; and not idle: where bodies barely
// move it is near the truth.
static void smallest_distance_is_never_above_the_true_one(void **state)
{
    (void)state;
    nc_random random = {check_seed("smallest", 77)};
    nc_certifier *certifier = new_certifier();
    static scene s;
    const int cases = check_effort(80);
    int finite = 0, slow = 0;
    for (int k = 0; k < cases; k++) {
        const bool is_slow = k % 4 == 0;
        const double travel = is_slow ? 1e-5 : ldexp(1.0, (int)nc_random_range(&random, -8, 2));
        fill(&s, &random, (int)nc_random_range(&random, 2, 16), nc_random_range(&random, 0.6, 2.5), travel, travel);
        for (int i = 0; i < s.count; i++) // some stand, and are not proven at all
            if (nc_random_unit(&random) < 0.4)
                s.wanted[i] = nc_path_still(s.wanted[i].start);
            else if (is_slow && s.role[i] != NC_ROLE_FIXED)
                s.wanted[i] = nc_path_free(s.wanted[i].start, random_vector(&random, travel),
                                           random_vector(&random, travel), nc_v3(0, 0, 0));
        nc_certify_options options = options_for(&s);
        options.clearance = k % 2 == 0 ? start_clearance : NULL;
        options.reach = nc_random_range(&random, 0, 0.5);
        const double bound = certify(&s, certifier, &options).smallest_distance;
        double nearest = INFINITY;
        for (int sample = 0; sample <= 16; sample++)
            nearest = fmin(nearest, nearest_at(&s, sample / 16.0));
        if (isinf(bound)) {
            assert_true(nearest >= options.reach);
            continue;
        }
        check_at_most(bound, nearest);
        assert_true(bound > 0);
        finite++;
        slow += is_slow;
        if (is_slow)
            assert_true(bound > 0.9 * fmin(nearest, options.reach) - 2e-4);
    }
    print_message("%d of %d cases had pairs within reach\n", finite, cases);
    assert_true(finite > cases / 2 && slow > 0);
    nc_certifier_destroy(certifier);
}

// A box between two scripted ones that want to pass through each other, for many steps: it is never crossed, and when
// they part it goes free.
static void crushed_bodies_neither_cross_nor_lock(void **state)
{
    (void)state;
    nc_mesh *box = box_mesh();
    nc_certifier *certifier = new_certifier();
    nc_random random = {check_seed("crushed", 73)};
    static scene s;
    put(&s, 0, NC_ROLE_SCRIPTED, box, nc_v3(-1.2, 0, 0), nc_v3(0, 0, 0));
    put(&s, 1, NC_ROLE_FREE, box, nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    put(&s, 2, NC_ROLE_SCRIPTED, box, nc_v3(1.2, 0, 0), nc_v3(0, 0, 0));
    const nc_certify_options options = options_for(&s);
    const int steps = check_effort(3000);
    double least = INFINITY;
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < 3; i++) {
            const double push = i == 0 ? 0.3 : i == 2 ? -0.3 : 0;
            const nc_vec3 travel = nc_add(nc_v3(push, 0, 0), random_vector(&random, 0.05));
            s.wanted[i] = nc_path_free(s.wanted[i].start, travel, random_vector(&random, 0.1), nc_v3(0, 0, 0));
        }
        const nc_certify_report report = certify(&s, certifier, &options);
        least = fmin(least, report.smallest_distance);
        assert_int_equal(intersections_at(&s, 1), 0);
        for (int i = 0; i < 3; i++)
            s.wanted[i].start = nc_path_pose(&s.path[i], 1);
    }
    print_message("%d crushed steps, smallest distance %.3g m\n", steps, least);
    assert_true(least > options.floor / 64);
    // Let go: everything parts.
    const double before = nc_norm(nc_sub(s.wanted[0].start.x, s.wanted[2].start.x));
    for (int i = 0; i < 3; i++)
        s.wanted[i] =
            nc_path_free(s.wanted[i].start, nc_scale(i - 1.0, nc_v3(1, 0, 0)), nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    for (int i = 0; i < 3; i += 2) { // away from the box, wherever the struggle ended
        const nc_vec3 away = nc_sub(s.wanted[i].start.x, s.wanted[1].start.x);
        s.wanted[i].segments[0].d = nc_scale(1 / nc_norm(away), away);
    }
    certify(&s, certifier, &options);
    assert_true(nc_norm(nc_sub(nc_path_pose(&s.path[0], 1).x, nc_path_pose(&s.path[2], 1).x)) > before + 1);
    nc_mesh_release(box);
    nc_certifier_destroy(certifier);
}

static void meetings_come_in_order_and_new_proposals_change_them(void **state)
{
    (void)state;
    nc_mesh *box = box_mesh();
    nc_certifier *certifier = new_certifier();
    static scene s;
    nc_error err;
    put(&s, 0, NC_ROLE_FIXED, box, nc_v3(0, 0, 0), nc_v3(0, 0, 0));
    put(&s, 1, NC_ROLE_FREE, box, nc_v3(3, 0, 0), nc_v3(-2.4, 0, 0));
    put(&s, 2, NC_ROLE_FREE, box, nc_v3(0, 2, 0), nc_v3(0, -4, 0));
    memcpy(s.path, s.wanted, sizeof s.path);
    const nc_certify_options options = options_for(&s);
    const nc_certify_bodies bodies = {s.count, s.role, s.mesh, s.mass, s.inertia, s.path};
    check_ok(nc_certify_begin(certifier, &bodies, &options, &err), err);
    nc_collision collision[4];
    assert_int_equal(nc_certify_collisions(certifier, collision, 4), 2);
    assert_int_equal(collision[0].j, 2);
    check_near(collision[0].toi, 0.25, 1e-3);
    assert_int_equal(collision[1].j, 1);
    check_near(collision[1].toi, 2 / 2.4, 1e-3);
    assert_true(collision[1].nearest.x < 0); // from body 1 to body 0
    assert_int_equal(nc_certify_collisions(certifier, collision, 1), 2);
    assert_int_equal(collision[0].j, 2);
    s.path[2] = nc_path_still(s.path[2].start);
    const int row = 2;
    check_ok(nc_certify_change(certifier, row, &err), err);
    check_ok(nc_certify_refresh(certifier, &err), err);
    assert_int_equal(nc_certify_collisions(certifier, collision, 4), 1);
    nc_certify_report report;
    check_ok(nc_certify_end(certifier, s.fate, &report, &err), err);
    assert_int_equal(report.events, 1);
    check_near(nc_path_pose(&s.path[2], 1).x.y, 2, 0);
    nc_mesh_release(box);
    nc_certifier_destroy(certifier);
}

// A small step aside, so that some verdicts hold for it and some do not.
static void nudge(scene *s, nc_random *random, int i)
{
    const double size = ldexp(1.0, (int)nc_random_range(random, -14, -1));
    nc_segment *segment = &s->path[i].segments[0];
    segment->d = nc_add(segment->d, random_vector(random, size));
    segment->theta = nc_add(segment->theta, random_vector(random, size));
}

static double known_clearance(int i, int j, const void *ctx)
{
    const scene *s = ctx;
    nc_proximity near;
    nc_error err;
    check_ok(nc_mesh_distance(s->mesh[i], s->wanted[i].start, s->mesh[j], s->wanted[j].start, &near, &err), err);
    return fmin(near.lower_bound, 0.2);
}

// Proposals that change again and again, with all that spares sweeps: clearances, kept verdicts, an earlier
// certification's verdicts. What is not a meeting then must not meet.
static void spared_sweeps_never_hide_a_crossing(void **state)
{
    (void)state;
    nc_random random = {check_seed("spared", 75)};
    nc_certifier *earlier = new_certifier(), *certifier = new_certifier();
    static scene s;
    nc_error err;
    int64_t spared = 0, swept = 0;
    for (int k = 0; k < check_effort(12); k++) {
        const bool many = k % 3 == 2; // so many changes that all pairs are examined together
        fill(&s, &random, many ? MOST : 30, many ? 2 : 1.5, 0.4, 1);
        memcpy(s.path, s.wanted, sizeof s.path);
        nc_certify_options options = options_for(&s);
        options.clearance = known_clearance;
        const nc_certify_bodies bodies = {s.count, s.role, s.mesh, s.mass, s.inertia, s.path};
        for (int turn = 0; turn < 2; turn++) {
            nc_certifier *c = turn == 0 ? earlier : certifier;
            options.earlier = turn == 0 ? NULL : earlier;
            check_ok(nc_certify_begin(c, &bodies, &options, &err), err);
            for (int round = 0; round < 8; round++) {
                for (int i = 0; i < s.count; i++)
                    if (s.role[i] == NC_ROLE_FREE && nc_random_unit(&random) < (many ? 0.95 : 0.5)) {
                        nudge(&s, &random, i);
                        check_ok(nc_certify_change(c, i, &err), err);
                    }
                uint8_t scope[MOST]; // any part of what is void may be swept in any round
                for (int i = 0; i < s.count; i++)
                    scope[i] = (uint8_t)(3 * nc_random_unit(&random));
                check_ok(round % 3 == 2 ? nc_certify_refresh(c, &err) : nc_certify_refresh_scope(c, scope, &err), err);
            }
        }
        nc_certify_report report;
        check_ok(nc_certify_end(certifier, s.fate, &report, &err), err);
        spared += report.spared;
        swept += report.sweeps;
        for (int t = 1; t <= 64; t++)
            assert_int_equal(intersections_at(&s, t / 64.0), 0);
    }
    print_message("%d sweeps, %d spared\n", (int)swept, (int)spared);
    assert_true(spared > 0 && swept > 0);
    nc_certifier_destroy(earlier);
    nc_certifier_destroy(certifier);
}

// Two plates face to face, one of which goes at the other: from no travel to all of the way between them and more, the
// known clearance must spare sweeps only as long as the floor is kept.
static void a_spared_sweep_leaves_the_floor(void **state)
{
    (void)state;
    nc_certifier *certifier = new_certifier();
    const nc_mesh *plate = shapes[5];
    static scene s;
    int64_t spared = 0, swept = 0;
    for (int k = 0; k <= 120; k++) {
        const double gap = 0.02;
        // Aslant, so that the boxes of the two overlap.
        const nc_quat q = nc_quat_from_rotation_vector(nc_v3(0.6, 0.3, 0.4));
        const nc_vec3 normal = nc_mesh_view(plate).box.hi.y > 1e-6 ? nc_v3(0, 0, 1) : nc_v3(0, 1, 0);
        const nc_vec3 up = nc_mat3_mul(nc_quat_matrix(q), normal);
        const nc_pose low = {{0, 0, 0}, q}, high = {nc_scale(gap, up), q};
        const nc_vec3 zero = {0, 0, 0};
        s.count = 2;
        for (int i = 0; i < 2; i++) {
            s.role[i] = NC_ROLE_FREE;
            s.mesh[i] = plate;
            s.mass[i] = 1;
            s.inertia[i] = (nc_inertia){nc_v3(0.1, 0.2, 0.25), nc_quat_identity()};
        }
        s.wanted[0] = nc_path_still(low);
        s.wanted[1] = nc_path_free(high, nc_scale(-0.01 * k * gap, up), zero, zero);
        nc_certify_options options = options_for(&s);
        options.clearance = known_clearance;
        const nc_certify_report report = certify(&s, certifier, &options);
        const nc_vec3 apart = nc_sub(nc_path_pose(&s.path[1], 1).x, nc_path_pose(&s.path[0], 1).x);
        assert_true(nc_dot(apart, up) >= options.floor);
        spared += report.spared;
        swept += report.sweeps;
    }
    assert_true(spared > 60 && swept > 10);
    nc_certifier_destroy(certifier);
}

// ---- what verdicts refer to ---------------------------------------------------------------------------------

// The slow way of knowing: a copy of both motions per pair, made when a sweep finds them clear.
typedef struct swept_motions {
    uint32_t verdicts; // of the pair when they were copied
    bool clear;
    nc_segment of_i, of_j;
} swept_motions;

static const nc_segment *motion_of(const nc_certifier *c, const nc_kept_verdict *kept, int row)
{
    return kept->earlier ? &c->options->earlier->motions.data[row] : &c->motions.data[row];
}

// After a round of sweeps: copies what was swept; then all that is kept must be about what was copied. Returns how many
// kept verdicts were looked at that are about motions of before.
static int look_at_kept(const nc_certifier *c, const scene *s, swept_motions swept[MOST][MOST])
{
    int old = 0;
    for (int k = 0; k < c->records.count; k++) {
        const nc_record *record = &c->records.data[k];
        swept_motions *known = &swept[record->i][record->j];
        const nc_path *path_i = &s->path[record->i], *path_j = &s->path[record->j];
        const bool spared = record->spared || record->verdicts == 0;
        if (record->verdicts != known->verdicts && !spared) {
            known->clear = record->clear_until >= 1.0;
            known->of_i = path_i->segments[0];
            known->of_j = path_j->segments[0];
        }
        known->verdicts = record->verdicts;
        if (!record->kept.valid)
            continue;
        assert_true(known->clear);
        assert_memory_equal(motion_of(c, &record->kept, record->kept.of_i), &known->of_i, sizeof known->of_i);
        assert_memory_equal(motion_of(c, &record->kept, record->kept.of_j), &known->of_j, sizeof known->of_j);
        old += memcmp(&known->of_i, &path_i->segments[0], sizeof known->of_i) != 0;
    }
    return old;
}

static void change_some(scene *s, nc_certifier *c, nc_random *random)
{
    nc_error err;
    for (int i = 0; i < s->count; i++)
        if (s->role[i] == NC_ROLE_FREE && nc_random_unit(random) < 0.5) {
            nudge(s, random, i);
            check_ok(nc_certify_change(c, i, &err), err);
        }
    check_ok(nc_certify_refresh(c, &err), err);
}

// Two certifications after each other, the second with what the first one knew, and both begun again with a body that
// moves otherwise.
static void kept_verdicts_refer_to_the_motions_that_were_swept(void **state)
{
    (void)state;
    nc_random random = {check_seed("kept", 77)};
    nc_certifier *first = new_certifier(), *second = new_certifier();
    static scene s;
    static swept_motions swept[MOST][MOST];
    nc_error err;
    int old = 0;
    for (int k = 0; k < check_effort(12); k++) {
        fill(&s, &random, 30, 1.5, 0.4, 1);
        memcpy(s.path, s.wanted, sizeof s.path);
        nc_certify_options options = options_for(&s), inherits = options;
        inherits.earlier = first;
        const nc_certify_bodies bodies = {s.count, s.role, s.mesh, s.mass, s.inertia, s.path};
        memset(swept, 0, sizeof swept);
        check_ok(nc_certify_begin(first, &bodies, &options, &err), err);
        assert_true(first->motions.count > 0 && first->motions.count <= s.count); // each once, none of the step before
        look_at_kept(first, &s, swept);
        if (k % 3 > 0) { // remembered, and begun again
            check_ok(nc_certify_store_verdicts(first, &err), err);
            change_some(&s, first, &random);
            memcpy(s.path, s.wanted, sizeof s.path);
            nudge(&s, &random, s.count - 1 - k % 7);
            memset(swept, 0, sizeof swept);
            check_ok(nc_certify_restart(first, &bodies, &options, &err), err);
            look_at_kept(first, &s, swept);
        }
        for (int round = 0; round < 4; round++) {
            change_some(&s, first, &random);
            old += look_at_kept(first, &s, swept);
        }
        for (int i = 0; i < MOST; i++) // the second one counts from 0
            for (int j = 0; j < MOST; j++)
                swept[i][j].verdicts = 0;
        check_ok(nc_certify_begin(second, &bodies, &inherits, &err), err);
        for (int round = 0; round < 4; round++) {
            old += look_at_kept(second, &s, swept);
            change_some(&s, second, &random);
        }
    }
    print_message("%d verdicts that were about motions of before\n", old);
    assert_true(old > 100);
    nc_certifier_destroy(first);
    nc_certifier_destroy(second);
}

// ---- begun again --------------------------------------------------------------------------------------------

// What a break does to the rows of a step: bodies go, come, or are others where they were. Most stay.
static void change_rows(scene *s, nc_random *random)
{
    for (int k = 0; k < 5; k++) {
        const int i = (int)(nc_random_u64(random) % (uint64_t)s->count);
        nc_path *path = &s->wanted[i];
        switch (k) {
        case 0: // another mesh there
            s->mesh[i] = shapes[nc_random_u64(random) % SHAPES];
            break;
        case 1: // turned, with the same travel
            path->start.q = nc_quat_from_rotation_vector(random_vector(random, 3));
            break;
        case 2:
            path->segments[0].d = nc_add(path->segments[0].d, random_vector(random, 0.3));
            break;
        case 3:
            s->role[i] = NC_ROLE_ABSENT;
            break;
        default: // a second segment comes, or goes
            if (s->wanted[0].count == 2)
                s->wanted[0].count = 1;
            else
                nc_path_extend(&s->wanted[0], (nc_segment){.begin = 0.5, .a = s->wanted[0].start.x});
        }
    }
}

static void compare_meetings(const nc_certifier *a, const nc_certifier *b)
{
    static nc_collision of_a[MOST * MOST], of_b[MOST * MOST];
    const int count = nc_certify_collisions(a, of_a, MOST * MOST);
    assert_int_equal(count, nc_certify_collisions(b, of_b, MOST * MOST));
    for (int k = 0; k < count; k++) {
        assert_true(of_a[k].i == of_b[k].i && of_a[k].j == of_b[k].j && of_a[k].toi == of_b[k].toi);
        assert_true(of_a[k].undecided == of_b[k].undecided && of_a[k].checks == of_b[k].checks);
        assert_true(of_a[k].feature.kind == of_b[k].feature.kind && of_a[k].feature.a == of_b[k].feature.a &&
                    of_a[k].feature.b == of_b[k].feature.b);
        assert_memory_equal(&of_a[k].nearest, &of_b[k].nearest, sizeof of_a[k].nearest);
    }
}

// Begins again, or for the first time; then proposals change.
static nc_certify_report go_on(scene *s, nc_certifier *c, const nc_certify_options *options, bool again, int seed)
{
    nc_random random = {(uint64_t)seed};
    nc_error err;
    memcpy(s->path, s->wanted, sizeof s->path);
    s->bodies = (nc_certify_bodies){s->count, s->role, s->mesh, s->mass, s->inertia, s->path};
    if (again)
        check_ok(nc_certify_restart(c, &s->bodies, options, &err), err);
    else
        check_ok(nc_certify_begin(c, &s->bodies, options, &err), err);
    check_ok(nc_certify_store_verdicts(c, &err), err);
    nc_collision collision[4];
    const int met = nc_certify_collisions(c, collision, 4);
    for (int k = 0; k < met && k < 4; k++)
        assert_true(nc_certify_recheck(c, collision[k].i, collision[k].j, &collision[k]));
    for (int i = 0; i < s->count; i++)
        if (s->role[i] == NC_ROLE_FREE && s->path[i].count == 1 && nc_random_unit(&random) < 0.4) {
            nudge(s, &random, i);
            check_ok(nc_certify_change(c, i, &err), err);
        }
    check_ok(nc_certify_refresh(c, &err), err);
    return *nc_certify_so_far(c);
}

// Bodies may be put where they meet others: the verdicts are compared, whatever they are.
static void begun_again_with_other_bodies_it_gives_the_verdicts_of_a_newborn(void **state)
{
    (void)state;
    nc_random random = {check_seed("again", 76)};
    static scene s, t;
    int64_t spared = 0, swept = 0;
    for (int k = 0; k < check_effort(8); k++) {
        nc_certifier *kept = new_certifier();
        fill(&s, &random, 30, 1.2, 0.4, 1);
        const int all = s.count;
        s.count = all - 3;
        nc_certify_options options = options_for(&s);
        go_on(&s, kept, &options, false, k);
        for (int turn = 0; turn < 4; turn++) {
            s.count = all - (turn == 2 ? 5 : 0); // some come, and go
            change_rows(&s, &random);
            options.floor = turn == 3 ? 2e-3 : 1e-3;
            t = s;
            nc_certifier *fresh = new_certifier();
            const nc_certify_report again = go_on(&s, kept, &options, true, k + turn);
            const nc_certify_report first = go_on(&t, fresh, &options, false, k + turn);
            compare_meetings(kept, fresh);
            assert_memory_equal(s.path, t.path, sizeof s.path);
            assert_int_equal(again.pairs, first.pairs);
            assert_int_equal(again.undecided, first.undecided);
            assert_int_equal(again.sweeps + again.spared, first.sweeps + first.spared);
            assert_true(again.sweeps <= first.sweeps);
            assert_true(turn == 3 ? again.sweeps == first.sweeps : true); // another floor: nothing holds
            spared += first.sweeps - again.sweeps;
            swept += first.sweeps;
            nc_certifier_destroy(fresh);
        }
        nc_certifier_destroy(kept);
    }
    print_message("%d of %d sweeps were not made again\n", (int)spared, (int)swept);
    assert_true(5 * spared > swept);
}

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    scene *s = ctx;
    nc_certifier *certifier = NULL;
    nc_code code = nc_certifier_create(allocator, &certifier, NULL);
    if (code != NC_OK)
        return code;
    memcpy(s->path, s->wanted, sizeof s->path);
    const nc_certify_bodies bodies = {s->count, s->role, s->mesh, s->mass, s->inertia, s->path};
    const nc_certify_options options = options_for(s);
    nc_certify_report report;
    code = nc_certify_begin(certifier, &bodies, &options, NULL);
    if (code == NC_OK)
        code = nc_certify_store_verdicts(certifier, NULL);
    if (code == NC_OK)
        code = nc_certify_restart(certifier, &bodies, &options, NULL);
    if (code == NC_OK)
        code = nc_certify_end(certifier, s->fate, &report, NULL);
    nc_certifier_destroy(certifier);
    return code;
}

static void memory_may_fail_at_every_call(void **state)
{
    (void)state;
    nc_random random = {74};
    static scene s;
    fill(&s, &random, 30, 1.2, 1, 1);
    assert_true(fail_at_every_call(trial, &s) > 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_crowds_never_cross),
        cmocka_unit_test(spared_sweeps_never_hide_a_crossing),
        cmocka_unit_test(a_spared_sweep_leaves_the_floor),
        cmocka_unit_test(kept_verdicts_refer_to_the_motions_that_were_swept),
        cmocka_unit_test(the_result_does_not_depend_on_threads),
        cmocka_unit_test(fixed_bodies_out_of_reach_change_nothing),
        cmocka_unit_test(without_a_budget_everything_that_would_meet_halts),
        cmocka_unit_test(two_equal_bodies_that_meet_stop_each_other),
        cmocka_unit_test(a_body_pushed_by_a_script_goes_along_and_stalls_it_at_a_wall),
        cmocka_unit_test(a_small_budget_holds_bodies_and_crosses_nothing),
        cmocka_unit_test(smallest_distance_is_never_above_the_true_one),
        cmocka_unit_test(crushed_bodies_neither_cross_nor_lock),
        cmocka_unit_test(begun_again_with_other_bodies_it_gives_the_verdicts_of_a_newborn),
        cmocka_unit_test(meetings_come_in_order_and_new_proposals_change_them),
        cmocka_unit_test(memory_may_fail_at_every_call),
    };
    return cmocka_run_group_tests(tests, open_shapes, close_shapes);
}
