// Small scenes made to hurt: thin, fast, heavy on light, slivers, nails, walls that close. Nothing may cross, at no
// time.
#include "check.h"

#include "cloth_scene.h"

#include "base/base.h"

static double pick(nc_random *random, double low, double high) // evenly in the logarithm
{
    double value = low;
    for (int n = (int)(10 * nc_random_unit(random)); n > 0 && value < high; n--)
        value *= 2.5;
    return value < high ? value : high;
}

static nc_vec3 vector(nc_random *random, double size)
{
    return nc_v3(nc_random_range(random, -size, size), nc_random_range(random, -size, size),
                 nc_random_range(random, -size, size));
}

static nc_cloth_contact contact(nc_random *random)
{
    return (nc_cloth_contact){.stiffness = pick(random, 10, 1e5),
                              .thickness = pick(random, 1e-3, 0.05),
                              .restitution = nc_random_unit(random) < 0.5 ? 0 : nc_random_unit(random),
                              .friction = nc_random_unit(random) < 0.5 ? 0 : nc_random_unit(random)};
}

// A strip of triangles, bent and stretched at random: some of them slivers.
static void add_sheet(nc_cloth_world *world, nc_random *random, double y)
{
    nc_error err = {0};
    const int nx = 2 + (int)(nc_random_u64(random) % 3), nz = 2 + (int)(nc_random_u64(random) % 3);
    grid g = grid_make(nx, nz, 0.3, y);
    const double thin = nc_random_unit(random) < 0.3 ? 0.02 : 1;
    for (int i = 0; i < g.vertex_count; i++) {
        g.vertices[i].x = thin * (g.vertices[i].x - 0.3) + nc_random_range(random, -0.02, 0.02) * thin;
        g.vertices[i].y += nc_random_range(random, -0.05, 0.05);
        g.vertices[i].z += nc_random_range(random, -0.4, -0.2);
    }
    nc_cloth_def def = grid_cloth(&g);
    def.name = "sheet";
    def.density = pick(random, 1e-3, 100);
    def.stretch_stiffness = pick(random, 1, 1e4);
    def.stretch_damping = nc_random_unit(random) < 0.5 ? 0 : 1;
    def.bend_stiffness = nc_random_unit(random) < 0.5 ? 0 : 1e-3;
    def.contact = contact(random);
    def.velocity = vector(random, pick(random, 0.1, 300));
    int id;
    check_ok(nc_cloth_add(world, &def, &id, &err), err);
}

static void add_particles(nc_cloth_world *world, nc_random *random)
{
    nc_error err = {0};
    nc_vec3 x[6], v[6];
    for (int i = 0; i < 6; i++) {
        x[i] = nc_v3(nc_random_range(random, -0.4, 0.4), 0.8 + 0.3 * i, nc_random_range(random, -0.4, 0.4));
        v[i] = vector(random, pick(random, 1, 1000));
    }
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_PARTICLES;
    def.name = "particles";
    def.vertices = x;
    def.velocities = v;
    def.vertex_count = 6;
    def.particle_mass = pick(random, 1e-5, 10);
    def.contact = contact(random);
    int id;
    check_ok(nc_cloth_add(world, &def, &id, &err), err);
}

// Four slivers, point up, or a plate; at rest or on the move.
static void add_obstacle(nc_cloth_world *world, nc_random *random)
{
    nc_error err = {0};
    const double a = 0.01, top = nc_random_range(random, -0.2, -0.1);
    const nc_vec3 nail[5] = {{-a, -1, -a}, {a, -1, -a}, {a, -1, a}, {-a, -1, a}, {0, top, 0}};
    const int sides[4][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    const nc_vec3 plate[4] = {{-3, -0.15, -3}, {3, -0.15, -3}, {3, -0.16, 3}, {-3, -0.16, 3}};
    const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const bool is_nail = nc_random_unit(random) < 0.5;
    const nc_cloth_script script = {.velocity = nc_v3(0, nc_random_range(random, 0, 20), 0)};
    nc_cloth_def def = nc_cloth_def_default();
    def.type = NC_CLOTH_OBSTACLE;
    def.name = is_nail ? "nail" : "plate";
    def.vertices = is_nail ? nail : plate;
    def.vertex_count = is_nail ? 5 : 4;
    def.triangles = is_nail ? sides : halves;
    def.triangle_count = is_nail ? 4 : 2;
    def.contact = (nc_cloth_contact){-1, -1, -1, -1};
    def.scripts = &script;
    def.script_count = nc_random_unit(random) < 0.5 ? 1 : 0;
    int id;
    check_ok(nc_cloth_add(world, &def, &id, &err), err);
}

static nc_cloth_world *hostile_world(nc_random *random, nc_cloth_finder finder, int threads)
{
    nc_error err = {0};
    nc_cloth_world_def def = cloth_settings(threads);
    nc_cloth_world *world = NULL;
    def.max_layer = 64;
    def.finder = finder;
    check_ok(nc_cloth_world_create(&def, &world, &err), err);
    add_obstacle(world, random);
    const int sheets = 1 + (int)(nc_random_u64(random) % 3);
    for (int i = 0; i < sheets; i++)
        add_sheet(world, random, 0.2 * i);
    if (nc_random_unit(random) < 0.5)
        add_particles(world, random);
    return world;
}

typedef struct tally {
    int jams, runs;
    int64_t pieces, kicks;
} tally;

static void run_hostile(uint64_t seed, tally *out)
{
    nc_error err = {0};
    nc_random random = {seed};
    nc_cloth_world *world = hostile_world(&random, NC_FINDER_SPECULATIVE, 1);
    nc_cloth_trace_audit(world, true);
    nc_code code = NC_OK;
    for (int f = 0; code == NC_OK && f < 3; f++) {
        nc_cloth_report report;
        code = nc_cloth_step(world, &report, &err);
        if (code == NC_INTERSECTING)
            break;
        if (code != NC_OK && code != NC_JAMMED)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        out->jams += code == NC_JAMMED;
        if (code != NC_OK)
            break;
        out->pieces += report.audited_pieces;
        out->kicks += report.contact_kicks;
        if (report.crossings != 0)
            fail_msg("seed %llu: %lld pieces cross in frame %d", (unsigned long long)seed, (long long)report.crossings,
                     f + 1);
        int overlaps = -1;
        nc_cloth_overlap first;
        check_ok(nc_cloth_audit(world, &first, 1, &overlaps, &err), err);
        if (overlaps != 0)
            fail_msg("seed %llu: %d triangles intersect after frame %d", (unsigned long long)seed, overlaps, f + 1);
    }
    out->runs += code != NC_INTERSECTING;
    nc_cloth_world_destroy(world);
}

static void hostile_scenes_never_cross(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("hostile_scenes_never_cross", 1);
    const int count = check_effort(50);
    tally sum = {0};
    for (int i = 0; i < count; i++)
        run_hostile(seed + (uint64_t)i, &sum);
    print_message("%d scenes, %d of them jammed, %lld pieces, %lld contact kicks\n", sum.runs, sum.jams,
                  (long long)sum.pieces, (long long)sum.kicks);
    assert_true(sum.runs > count / 2);
    assert_true(sum.kicks > 100 * count);
}

// The hash after each frame, and how the run ended.
typedef struct course {
    uint64_t hash[3];
    nc_code code;
} course;

static course run_course(uint64_t seed, nc_cloth_finder finder, int threads)
{
    nc_error err = {0};
    nc_random random = {seed};
    course out = {.code = NC_OK};
    nc_cloth_world *world = hostile_world(&random, finder, threads);
    for (int f = 0; f < 3; f++) {
        if (out.code == NC_OK)
            out.code = nc_cloth_step(world, NULL, &err);
        out.hash[f] = nc_cloth_hash(world);
    }
    nc_cloth_world_destroy(world);
    return out;
}

static void both_finders_give_the_same_bits(void **state)
{
    (void)state;
    const uint64_t seed = check_seed("both_finders_give_the_same_bits", 1);
    const int count = check_effort(40);
    int ended = 0;
    for (int i = 0; i < count; i++) {
        const course a = run_course(seed + (uint64_t)i, NC_FINDER_SPECULATIVE, 1);
        const course b = run_course(seed + (uint64_t)i, NC_FINDER_KINETIC, 1);
        if (a.code != b.code || memcmp(a.hash, b.hash, sizeof a.hash) != 0)
            fail_msg("seed %llu: speculative %s, kinetic %s, hashes %s", (unsigned long long)seed + (unsigned)i,
                     nc_code_name(a.code), nc_code_name(b.code),
                     memcmp(a.hash, b.hash, sizeof a.hash) == 0 ? "equal" : "differ");
        ended += a.code == NC_OK;
    }
    assert_true(ended > count / 2);
}

static void all_numbers_of_threads_give_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const course one = run_course(seed, NC_FINDER_SPECULATIVE, 1);
        const course two = run_course(seed, NC_FINDER_SPECULATIVE, 2);
        const course eight = run_course(seed, NC_FINDER_SPECULATIVE, 8);
        assert_memory_equal(one.hash, two.hash, sizeof one.hash);
        assert_memory_equal(one.hash, eight.hash, sizeof one.hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_scenes_never_cross),
        cmocka_unit_test(both_finders_give_the_same_bits),
        cmocka_unit_test(all_numbers_of_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
