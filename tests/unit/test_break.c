// Bodies broken into pieces: nothing lost, nothing touching, nothing new.
#include "check.h"
#include "fail_allocator.h"

#include "fracture/fracture.h"

// ---- fixtures -----------------------------------------------------------------------------------------------

static nc_mesh *shape(const char *name, const nc_shape_parameter *parameters, int count)
{
    nc_error err = {0};
    nc_mesh *mesh = NULL;
    check_ok(nc_shape_create(name, parameters, count, NULL, &mesh, &err), err);
    return mesh;
}

static nc_pattern *pattern_with(const char *name, const char *parameter, double value, uint64_t seed)
{
    nc_error err = {0};
    nc_pattern *pattern = NULL;
    const nc_shape_parameter given = {parameter, value};
    check_ok(nc_pattern_create(name, &given, parameter != NULL, seed, NULL, &pattern, &err), err);
    return pattern;
}

// Takes the mesh over.
static nc_breakable *breakable_of(nc_mesh *mesh, nc_break_method way, nc_matter matter, int cells)
{
    nc_breakable_def def = nc_breakable_def_default();
    nc_breakable *breakable = NULL;
    nc_error err = {0};
    def.way = way;
    def.matter = matter;
    def.cells = cells;
    check_ok(nc_breakable_create(mesh, &def, NULL, &breakable, &err), err);
    nc_mesh_release(mesh);
    return breakable;
}

static double diagonal(const nc_breakable *breakable)
{
    const nc_box box = nc_mesh_view(nc_breakable_mesh(breakable)).box;
    return nc_norm(nc_sub(box.hi, box.lo));
}

// An impact from above, along z, with pieces a ten thousandth of the body apart.
static nc_break_def impact_of(const nc_breakable *breakable, const nc_pattern *pattern)
{
    const nc_box box = nc_mesh_view(nc_breakable_mesh(breakable)).box;
    nc_break_def def = nc_break_def_default();
    def.pattern = pattern;
    def.mass = 3;
    def.gap = 1e-4 * diagonal(breakable);
    def.place = nc_v3(0.5 * (box.lo.x + box.hi.x), 0.5 * (box.lo.y + box.hi.y), box.hi.z);
    def.normal = nc_v3(0, 0, 1);
    return def;
}

static nc_pieces break_with(const nc_breakable *breakable, const nc_break_def *def)
{
    nc_pieces pieces;
    nc_error err = {0};
    check_ok(nc_break(breakable, def, NULL, &pieces, &err), err);
    return pieces;
}

static nc_pose pose_of(const nc_piece *piece)
{
    const nc_pose pose = {piece->center, {1, 0, 0, 0}};
    return pose;
}

static double measure_of(nc_mesh *mesh, bool solid)
{
    const nc_mass_def def = {.matter = solid ? NC_MATTER_SOLID : NC_MATTER_SHELL, .density = 1, .area_density = 1};
    nc_mass mass;
    nc_error err = {0};
    check_ok(nc_mesh_mass(mesh, &def, &mass, &err), err);
    return mass.mass;
}

// ---- what must hold of all pieces ---------------------------------------------------------------------------

static void check_apart(const nc_pieces *pieces, double gap)
{
    nc_error err = {0};
    for (int i = 0; i < pieces->list.count; i++)
        for (int j = 0; j < i; j++) {
            const nc_piece *a = &pieces->list.data[i], *b = &pieces->list.data[j];
            bool meet = true;
            nc_proximity near;
            check_ok(nc_mesh_intersect(a->mesh, pose_of(a), b->mesh, pose_of(b), &meet, NULL, &err), err);
            assert_false(meet);
            check_ok(nc_mesh_distance(a->mesh, pose_of(a), b->mesh, pose_of(b), &near, &err), err);
            check_at_most(gap, near.lower_bound);
        }
}

static void check_mass(const nc_pieces *pieces, double mass)
{
    double sum = 0;
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        assert_true(p->mass > 0 && p->measure > 0 && p->principal.x > 0);
        check_at_most(p->principal.z, (p->principal.x + p->principal.y) * (1 + 1e-9));
        sum += p->mass;
    }
    check_near(sum, mass, 1e-12 * mass);
}

static nc_vec3 momentum_about(const nc_pieces *pieces, const nc_piece_motion *motion, nc_vec3 center, nc_vec3 *linear)
{
    nc_vec3 angular = {0, 0, 0};
    *linear = nc_v3(0, 0, 0);
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_vec3 p = nc_scale(pieces->list.data[i].mass, motion[i].v);
        *linear = nc_add(*linear, p);
        angular = nc_add(angular, nc_add(motion[i].momentum, nc_cross(nc_sub(motion[i].pose.x, center), p)));
    }
    return angular;
}

// The momenta of the pieces are those of a body that moves as nothing in particular, and of any inertia.
static void check_momenta(const nc_pieces *pieces, double mass, nc_random *random)
{
    double v[16];
    for (int k = 0; k < 16; k++)
        v[k] = nc_random_range(random, -1, 1);
    const nc_parent_motion parent = {
        {nc_v3(v[0], v[1], v[2]), nc_quat_normalize(nc_q4(v[3], v[4], v[5], v[6]))},
        nc_v3(v[7], v[8], v[9]),
        nc_v3(5 * v[10], 5 * v[11], 5 * v[12]),
        nc_v3(v[13], v[14], v[15]),
    };
    nc_piece_motion *motion = calloc((size_t)pieces->list.count, sizeof *motion);
    nc_vec3 linear;
    assert_non_null(motion);
    nc_pieces_move(pieces, &parent, motion);
    const nc_vec3 angular = momentum_about(pieces, motion, parent.pose.x, &linear);
    check_at_most(nc_norm(nc_sub(linear, nc_scale(mass, parent.v))), 1e-10 * mass * nc_norm(parent.v));
    check_at_most(nc_norm(nc_sub(angular, parent.momentum)), 1e-10 * nc_norm(parent.momentum));
    free(motion);
}

// No vertex of a piece, and no middle of a triangle, is farther outside of the body than this.
static double sticks_out(const nc_breakable *breakable, const nc_pieces *pieces)
{
    nc_solid *solid = NULL;
    nc_error err = {0};
    double most = -INFINITY;
    check_ok(nc_solid_create(nc_breakable_mesh(breakable), NULL, &solid, &err), err);
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_mesh_data data = nc_mesh_view(pieces->list.data[i].mesh);
        for (int k = 0; k < data.vertex_count; k++)
            most = fmax(most, nc_solid_value(solid, nc_add(pieces->list.data[i].center, data.vertices[k])));
        for (int k = 0; k < data.triangle_count; k++) {
            const int *v = data.triangles[k];
            const nc_vec3 sum = nc_add(data.vertices[v[0]], nc_add(data.vertices[v[1]], data.vertices[v[2]]));
            most = fmax(most, nc_solid_value(solid, nc_madd(pieces->list.data[i].center, 1.0 / 3.0, sum)));
        }
    }
    nc_solid_destroy(solid);
    return most;
}

static uint64_t hash_of(const nc_pieces *pieces)
{
    uint64_t hash = NC_HASH_START;
    for (int i = 0; i < pieces->list.count; i++) {
        const nc_piece *p = &pieces->list.data[i];
        hash = nc_hash_u64(hash, nc_mesh_view(p->mesh).hash);
        hash = nc_hash(hash, &p->center, sizeof p->center);
        hash = nc_hash(hash, &p->principal, sizeof p->principal);
        hash = nc_hash(hash, &p->principal_q, sizeof p->principal_q);
        hash = nc_hash_double(hash, p->mass);
    }
    return hash;
}

// ---- cutting ------------------------------------------------------------------------------------------------

static void pieces_of_a_cut_solid_are_closed_apart_and_fill_it(void **state)
{
    (void)state;
    nc_random random = {check_seed("cut", 5)};
    const char *shapes[] = {"box", "sphere", "cylinder", "torus", "u_profile", "hook"};
    for (int s = 0; s < 6; s++) {
        nc_breakable *breakable = breakable_of(shape(shapes[s], NULL, 0), NC_BREAK_CUT, NC_MATTER_AUTO, 10);
        nc_pattern *pattern = pattern_with("graded", "count", 60, nc_random_u64(&random));
        const nc_break_def def = impact_of(breakable, pattern);
        nc_pieces pieces = break_with(breakable, &def);
        assert_true(pieces.list.count >= 4 && pieces.way == NC_BREAK_CUT);
        double sum = 0, drawn = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            assert_true(nc_mesh_view(pieces.list.data[i].mesh).closed);
            sum += pieces.list.data[i].measure;
            drawn += measure_of(pieces.list.data[i].mesh, true);
        }
        const double volume = measure_of(nc_breakable_mesh(breakable), true);
        check_near(sum, volume, 1e-12 * volume);
        assert_true(drawn < volume && drawn > 0.98 * volume);
        check_mass(&pieces, def.mass);
        check_momenta(&pieces, def.mass, &random);
        check_apart(&pieces, def.gap);
        check_at_most(sticks_out(breakable, &pieces), 1e-12 * diagonal(breakable));
        nc_pieces_free(&pieces);
        nc_pattern_destroy(pattern);
        nc_breakable_destroy(breakable);
    }
}

// A flat face that is cut many times is whole again: a box in bricks is boxes.
static void bricks_of_a_box_have_twelve_triangles_each(void **state)
{
    (void)state;
    const nc_shape_parameter even[2] = {{"jitter", 0}, {"bond", 0.5}};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("bricks", even, 2, 0, NULL, &pattern, &err), err);
    nc_breakable *breakable = breakable_of(shape("box", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    const nc_break_def def = impact_of(breakable, pattern);
    nc_pieces pieces = break_with(breakable, &def);
    assert_true(pieces.list.count > 10);
    for (int i = 0; i < pieces.list.count; i++) {
        assert_int_equal(nc_mesh_view(pieces.list.data[i].mesh).triangle_count, 12);
        assert_int_equal(pieces.list.data[i].part_count, 1);
    }
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// One crack across both legs of a U: two tips in one region, and the rest.
static void break_a_u(nc_break_method way, double tolerance)
{
    const nc_shape_parameter halves[4] = {{"height", 0.5}, {"length", 1}, {"jitter", 0}, {"bond", 0}};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("bricks", halves, 4, 0, NULL, &pattern, &err), err);
    nc_mesh *u = shape("u_profile", NULL, 0);
    const nc_box box = nc_mesh_view(u).box;
    nc_breakable *breakable = breakable_of(u, way, NC_MATTER_AUTO, 30);
    nc_break_def def = impact_of(breakable, pattern);
    def.place.y = box.lo.y + 0.8 * (box.hi.y - box.lo.y);
    nc_pieces pieces = break_with(breakable, &def);
    int above = 0, below = 0;
    for (int i = 0; i < pieces.list.count; i++) {
        const bool up = pieces.list.data[i].center.y > def.place.y;
        above += up;
        below += !up;
    }
    assert_int_equal(above, 2);
    assert_int_equal(below, 1);
    assert_int_equal(pieces.list.data[1].region,
                     pieces.list.data[above == 2 && pieces.list.data[0].center.y > def.place.y ? 0 : 2].region);
    double sum = 0;
    for (int i = 0; i < pieces.list.count; i++)
        sum += pieces.list.data[i].measure;
    const double volume = measure_of(nc_breakable_mesh(breakable), true);
    check_near(sum, volume, tolerance * volume);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// The crack of a ring in its own plane is a ring: no cap may close the hole.
static void a_cap_leaves_holes_open(void **state)
{
    (void)state;
    const nc_shape_parameter halves[4] = {{"height", 0.5}, {"length", 1}, {"jitter", 0}, {"bond", 0}};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("bricks", halves, 4, 0, NULL, &pattern, &err), err);
    nc_breakable *breakable = breakable_of(shape("torus", NULL, 0), NC_BREAK_CUT, NC_MATTER_AUTO, 10);
    nc_break_def def = impact_of(breakable, pattern);
    def.place.y = 0.03;
    nc_pieces pieces = break_with(breakable, &def);
    assert_int_equal(pieces.list.count, 2);
    for (int i = 0; i < 2; i++) {
        const nc_mesh_data data = nc_mesh_view(pieces.list.data[i].mesh);
        assert_true(data.closed);
        // half a ring is a ring
        assert_int_equal(data.vertex_count - data.edge_count + data.triangle_count, 0);
    }
    check_at_most(sticks_out(breakable, &pieces), 1e-12);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// Two bars side by side, aslant to the grid, so that boxes around their halves overlap: four halves.
static void parts_side_by_side_are_pieces_of_their_own(void **state)
{
    (void)state;
    const nc_shape_parameter halves[4] = {{"height", 0.5}, {"length", 1}, {"jitter", 0}, {"bond", 0}};
    const nc_shape_parameter size[3] = {{"width", 2}, {"height", 0.3}, {"depth", 0.3}};
    nc_mesh *bar = shape("box", size, 3), *two = NULL;
    const nc_mesh_data data = nc_mesh_view(bar);
    const nc_mat3 aslant = nc_quat_matrix(nc_quat_from_rotation_vector(nc_v3(0, 0, 0.8)));
    nc_vec3 v[16];
    int t[24][3];
    nc_error err = {0};
    assert_true(data.vertex_count == 8 && data.triangle_count == 12);
    for (int i = 0; i < 16; i++)
        v[i] = nc_mat3_mul(aslant, nc_add(data.vertices[i % 8], nc_v3(0, i < 8 ? 0.25 : -0.25, 0)));
    for (int i = 0; i < 72; i++)
        t[i / 3][i % 3] = data.triangles[i / 3 % 12][i % 3] + (i < 36 ? 0 : 8);
    const nc_mesh_def mesh = {.vertices = v, .vertex_count = 16, .triangles = (const int(*)[3])t, .triangle_count = 24};
    check_ok(nc_mesh_create(&mesh, NULL, &two, &err), err);
    nc_pattern *pattern = NULL;
    check_ok(nc_pattern_create("bricks", halves, 4, 0, NULL, &pattern, &err), err);
    for (int way = NC_BREAK_CUT; way <= NC_BREAK_LEVEL; way++) {
        nc_breakable *breakable = breakable_of(nc_mesh_retain(two), (nc_break_method)way, NC_MATTER_AUTO, 40);
        const nc_break_def def = impact_of(breakable, pattern);
        nc_pieces pieces = break_with(breakable, &def);
        assert_int_equal(pieces.list.count, 4);
        assert_int_equal(pieces.joined, 0);
        for (int i = 0; i < 4; i++) {
            assert_true(pieces.list.data[i].mass > 0.15 * def.mass);
            check_near(measure_of(pieces.list.data[i].mesh, true), pieces.list.data[i].measure,
                       0.02 * pieces.list.data[i].measure);
        }
        check_apart(&pieces, def.gap);
        nc_pieces_free(&pieces);
        nc_breakable_destroy(breakable);
    }
    nc_pattern_destroy(pattern);
    nc_mesh_release(two);
    nc_mesh_release(bar);
}

static void a_crack_across_a_u_gives_two_pieces_in_one_region(void **state)
{
    (void)state;
    break_a_u(NC_BREAK_CUT, 1e-12);
    break_a_u(NC_BREAK_LEVEL, 0.05);
}

// A ball with a ball-shaped hollow: what is around the hollow has it, wherever the cracks are.
static void a_hollow_belongs_to_what_is_around_it(void **state)
{
    (void)state;
    nc_mesh *ball = shape("sphere", NULL, 0);
    const nc_mesh_data data = nc_mesh_view(ball);
    const int n = data.vertex_count, m = data.triangle_count;
    nc_vec3 *v = calloc(2 * (size_t)n, sizeof *v);
    int(*t)[3] = calloc(2 * (size_t)m, sizeof *t);
    assert_true(v != NULL && t != NULL);
    for (int i = 0; i < n; i++) {
        v[i] = data.vertices[i];
        v[n + i] = nc_madd(nc_v3(0.2, 0.05, 0), 0.1, data.vertices[i]);
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) {
            t[i][k] = data.triangles[i][k];
            t[m + i][k] = n + data.triangles[i][2 - k];
        }
    const nc_mesh_def def = {
        .vertices = v, .vertex_count = 2 * n, .triangles = (const int(*)[3])t, .triangle_count = 2 * m};
    nc_mesh *hollow = NULL;
    nc_error err = {0};
    check_ok(nc_mesh_create(&def, NULL, &hollow, &err), err);
    free(v);
    free(t);
    const double volume = measure_of(hollow, true);
    check_near(volume, (1 - 1e-3) * measure_of(ball, true), 1e-12);
    nc_breakable *breakable = breakable_of(hollow, NC_BREAK_CUT, NC_MATTER_AUTO, 10);
    for (uint64_t seed = 0; seed < 10; seed++) {
        nc_pattern *pattern = pattern_with("voronoi", "count", 12, seed);
        const nc_break_def blow = impact_of(breakable, pattern);
        nc_pieces pieces = break_with(breakable, &blow);
        double sum = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            sum += pieces.list.data[i].measure;
            assert_true(nc_mesh_view(pieces.list.data[i].mesh).closed);
        }
        assert_true(pieces.list.count >= 2);
        check_near(sum, volume, 1e-12 * volume);
        check_apart(&pieces, blow.gap);
        nc_pieces_free(&pieces);
        nc_pattern_destroy(pattern);
    }
    nc_breakable_destroy(breakable);
    nc_mesh_release(ball);
}

static void a_piece_breaks_again(void **state)
{
    (void)state;
    nc_breakable *breakable = breakable_of(shape("cylinder", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    nc_pattern *pattern = pattern_with("shards", "count", 20, 3);
    nc_break_def def = impact_of(breakable, pattern);
    nc_pieces first = break_with(breakable, &def);
    int largest = 0;
    for (int i = 0; i < first.list.count; i++)
        if (first.list.data[i].mass > first.list.data[largest].mass)
            largest = i;
    nc_breakable *again =
        breakable_of(nc_mesh_retain(first.list.data[largest].mesh), NC_BREAK_AUTO, NC_MATTER_SOLID, 10);
    def = impact_of(again, pattern);
    def.mass = first.list.data[largest].mass;
    nc_pieces second = break_with(again, &def);
    assert_true(second.list.count >= 2);
    check_mass(&second, def.mass);
    check_apart(&second, def.gap);
    check_at_most(sticks_out(again, &second), 1e-12);
    nc_pieces_free(&second);
    nc_pieces_free(&first);
    nc_breakable_destroy(again);
    nc_breakable_destroy(breakable);
    nc_pattern_destroy(pattern);
}

// ---- shells -------------------------------------------------------------------------------------------------

// No vertex is there twice, and each is in the region of its piece, half the gap from its cracks.
static void check_shard(const nc_pieces *pieces, const nc_piece *piece, const nc_break_def *def)
{
    const nc_mesh_data data = nc_mesh_view(piece->mesh);
    const nc_pattern_place place = pieces->place;
    for (int i = 0; i < data.vertex_count; i++) {
        for (int j = 0; j < i; j++)
            assert_true(nc_norm(nc_sub(data.vertices[i], data.vertices[j])) > 1e-13);
        const nc_vec3 p = nc_sub(nc_add(piece->center, data.vertices[i]), place.pose.x);
        const nc_vec3 y = nc_scale(1 / place.scale, nc_mat3_tmul(nc_quat_matrix(place.pose.q), p));
        const nc_region *region = &def->pattern->regions.data[piece->region];
        for (int k = 0; k < region->plane_count && piece->part_count == 1; k++) {
            const nc_plane *plane = &def->pattern->planes.data[region->first_plane + k];
            const bool side_of_box = fabs(plane->offset - 0.5) < 1e-12;
            check_at_most(place.scale * nc_plane_value(plane, y), side_of_box ? 0 : -0.5 * def->gap);
        }
    }
}

static void shards_of_a_shell_have_its_area_and_are_apart(void **state)
{
    (void)state;
    nc_random random = {check_seed("shards", 8)};
    const char *shells[] = {"bowl", "plane", "boat", "tube", "sphere"};
    const char *patterns[] = {"glass", "voronoi", "shards", "splinters", "graded"};
    for (int s = 0; s < 5; s++) {
        nc_breakable *breakable = breakable_of(shape(shells[s], NULL, 0), NC_BREAK_AUTO, NC_MATTER_SHELL, 10);
        nc_pattern *pattern = pattern_with(patterns[s], NULL, 0, nc_random_u64(&random));
        nc_break_def def = impact_of(breakable, pattern);
        def.normal = nc_v3(0.2, 1, 0.1);
        nc_pieces pieces = break_with(breakable, &def);
        const nc_vec3 turned = nc_mat3_mul(nc_quat_matrix(pieces.place.pose.q), pattern->normal);
        check_at_most(nc_norm(nc_sub(turned, nc_scale(1 / nc_norm(def.normal), def.normal))), 1e-14);
        double sum = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            sum += pieces.list.data[i].measure;
            check_shard(&pieces, &pieces.list.data[i], &def);
        }
        const double area = measure_of(nc_breakable_mesh(breakable), false);
        assert_true(pieces.list.count >= 4);
        check_near(sum, area, 1e-12 * area);
        check_mass(&pieces, def.mass);
        check_momenta(&pieces, def.mass, &random);
        check_apart(&pieces, def.gap);
        nc_pieces_free(&pieces);
        nc_pattern_destroy(pattern);
        nc_breakable_destroy(breakable);
    }
}

// A crack right in the pane, between two layers of bricks: the other cracks break it.
static void a_pane_that_lies_in_a_crack_breaks_along_the_others(void **state)
{
    (void)state;
    const nc_shape_parameter layers[2] = {{"depth", 0.5}, {"jitter", 0}};
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    check_ok(nc_pattern_create("bricks", layers, 2, 0, NULL, &pattern, &err), err);
    nc_breakable *breakable = breakable_of(shape("plane", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    nc_break_def def = impact_of(breakable, pattern);
    def.place = nc_v3(0.1, 0, 0.2);
    def.normal = nc_v3(0, 1, 0);
    nc_pieces pieces = break_with(breakable, &def);
    assert_true(pieces.list.count >= 8);
    double left = 0;
    for (int i = 0; i < pieces.list.count; i++)
        left += measure_of(pieces.list.data[i].mesh, false);
    check_near(left, 1, 0.02);
    check_mass(&pieces, def.mass);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// ---- level sets ---------------------------------------------------------------------------------------------

static void pieces_of_a_level_set_are_closed_apart_and_within_a_cell_of_the_body(void **state)
{
    (void)state;
    nc_random random = {check_seed("level", 6)};
    const char *shapes[] = {"box", "sphere", "torus", "cow"};
    for (int s = 0; s < 8; s++) {
        nc_breakable *breakable = breakable_of(shape(shapes[s / 2], NULL, 0), NC_BREAK_LEVEL, NC_MATTER_AUTO, 24);
        nc_pattern *pattern = pattern_with("voronoi", "count", 40, nc_random_u64(&random));
        nc_break_def def = impact_of(breakable, pattern);
        def.aligned = s % 2 == 1;
        def.normal = nc_v3(0.3, 0.1, 1);
        def.crumb = 1e-3;
        nc_pieces pieces = break_with(breakable, &def);
        assert_true(pieces.list.count >= 3 && pieces.way == NC_BREAK_LEVEL);
        double sum = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            assert_true(nc_mesh_view(pieces.list.data[i].mesh).closed);
            sum += pieces.list.data[i].measure;
        }
        const double volume = measure_of(nc_breakable_mesh(breakable), true);
        check_near(sum, volume, 0.2 * volume); // of a cow at so few cells: the tail is gone
        check_mass(&pieces, def.mass);
        check_momenta(&pieces, def.mass, &random);
        check_apart(&pieces, def.gap);
        const nc_box box = nc_mesh_view(nc_breakable_mesh(breakable)).box;
        check_at_most(sticks_out(breakable, &pieces), 0.5 * nc_max3(nc_sub(box.hi, box.lo)) / 24);
        if (def.aligned)
            check_near(nc_norm(nc_sub(nc_v3(pieces.place.pose.q.x, pieces.place.pose.q.y, pieces.place.pose.q.z),
                                      nc_v3(0, 0, 0))),
                       0, 0);
        nc_pieces_free(&pieces);
        nc_pattern_destroy(pattern);
        nc_breakable_destroy(breakable);
    }
}

// An L and the quarter that it leaves free, as regions: only level sets can break by a region that is not convex.
static void regions_that_are_not_convex_break_a_solid(void **state)
{
    (void)state;
    const nc_shape_parameter l[4] = {{"width", 2}, {"height", 2}, {"depth", 4}, {"wall", 1}};
    const nc_shape_parameter quarter[3] = {{"width", 1}, {"height", 1}, {"depth", 4}};
    const nc_tiling_def fine = {NC_TILING_TOLERANCE, 8};
    nc_mesh *tiles[2] = {shape("l_profile", l, 4), NULL}, *box = shape("box", quarter, 3);
    nc_pattern *pattern = NULL;
    nc_error err = {0};
    const nc_box at = nc_mesh_view(tiles[0]).box;
    check_ok(nc_mesh_recenter(box, nc_neg(nc_v3(at.hi.x - 0.5, at.hi.y - 0.5, 0)), &tiles[1], &err), err);
    check_ok(nc_pattern_from_meshes(tiles, 2, &fine, nc_v3(0, 0, 0), nc_v3(0, 0, 1), NULL, &pattern, &err), err);
    nc_breakable *breakable = breakable_of(shape("sphere", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 20);
    nc_break_def def = impact_of(breakable, pattern);
    def.place = nc_v3(0, 0, 0);
    nc_pieces pieces = break_with(breakable, &def);
    assert_int_equal(pieces.way, NC_BREAK_LEVEL);
    assert_int_equal(pieces.list.count, 2);
    check_near(pieces.list.data[1].mass / def.mass, 0.25, 0.02);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    // cutting alone cannot
    nc_breakable *only_cut = breakable_of(shape("sphere", NULL, 0), NC_BREAK_CUT, NC_MATTER_AUTO, 20);
    pieces = break_with(only_cut, &def);
    assert_int_equal(pieces.list.count, 0);
    assert_non_null(strstr(pieces.why_whole, "convex"));
    nc_pieces_free(&pieces);
    nc_breakable_destroy(only_cut);
    nc_breakable_destroy(breakable);
    nc_pattern_destroy(pattern);
    nc_mesh_release(box);
    nc_mesh_release(tiles[0]);
    nc_mesh_release(tiles[1]);
}

// A copy of a mesh with some triangles left out, doubled, or all of them turned round.
static nc_mesh *damaged(const nc_mesh *mesh, int leave_out, int twice, bool turned)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    int(*t)[3] = calloc((size_t)data.triangle_count + (size_t)twice, sizeof *t);
    nc_mesh *out = NULL;
    nc_error err = {0};
    int count = 0;
    assert_non_null(t);
    for (int i = leave_out; i < data.triangle_count; i++, count++)
        for (int k = 0; k < 3; k++)
            t[count][k] = data.triangles[i][turned ? 2 - k : k];
    for (int i = 0; i < twice; i++, count++)
        memcpy(t[count], data.triangles[data.triangle_count - 1 - 7 * i], sizeof t[count]);
    const nc_mesh_def def = {.vertices = data.vertices,
                             .vertex_count = data.vertex_count,
                             .triangles = (const int(*)[3])t,
                             .triangle_count = count};
    check_ok(nc_mesh_create(&def, NULL, &out, &err), err);
    free(t);
    return out;
}

static void a_solid_with_a_hole_or_doubled_faces_breaks_like_the_whole_one(void **state)
{
    (void)state;
    nc_mesh *ball = shape("sphere", NULL, 0);
    const double volume = measure_of(ball, true);
    nc_pattern *pattern = pattern_with("voronoi", "count", 30, 2);
    for (int kind = 0; kind < 2; kind++) {
        nc_mesh *mesh = damaged(ball, kind == 0 ? 2 : 0, kind == 0 ? 0 : 9, false);
        assert_false(nc_mesh_view(mesh).closed);
        nc_breakable *breakable = breakable_of(mesh, NC_BREAK_AUTO, NC_MATTER_SOLID, 24);
        const nc_break_def def = impact_of(breakable, pattern);
        nc_pieces pieces = break_with(breakable, &def);
        assert_true(pieces.list.count >= 3);
        double sum = 0;
        for (int i = 0; i < pieces.list.count; i++)
            sum += pieces.list.data[i].measure;
        check_near(sum, volume, 0.03 * volume);
        check_mass(&pieces, def.mass);
        check_apart(&pieces, def.gap);
        nc_pieces_free(&pieces);
        nc_breakable_destroy(breakable);
    }
    nc_pattern_destroy(pattern);
    nc_mesh_release(ball);
}

// ---- crumbs, joining, staying whole -------------------------------------------------------------------------

static void crumbs_are_given_to_a_neighbour_and_no_mass_is_lost(void **state)
{
    (void)state;
    const nc_break_method ways[] = {NC_BREAK_CUT, NC_BREAK_LEVEL};
    nc_pattern *pattern = pattern_with("graded", "count", 200, 4);
    for (int w = 0; w < 2; w++) {
        nc_breakable *breakable = breakable_of(shape("box", NULL, 0), ways[w], NC_MATTER_AUTO, 24);
        nc_break_def def = impact_of(breakable, pattern);
        def.crumb = 0;
        nc_pieces all = break_with(breakable, &def);
        def.crumb = 0.01;
        nc_pieces pieces = break_with(breakable, &def);
        assert_true(pieces.crumbs >= 5);
        assert_true(pieces.list.count >= 2 && pieces.list.count < all.list.count);
        int several = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            check_at_most(0.0099 * def.mass, pieces.list.data[i].mass);
            several += pieces.list.data[i].part_count > 1;
        }
        assert_true(several > 0);
        check_mass(&pieces, def.mass);
        check_apart(&pieces, def.gap);
        nc_pieces_free(&pieces);
        nc_pieces_free(&all);
        nc_breakable_destroy(breakable);
    }
    nc_pattern_destroy(pattern);
}

// Says no as often as it is told, for pieces whose mesh reaches above a height, and counts what it was asked.
typedef struct ceiling {
    double height;
    int refusals, asked;
    bool stubborn;
} ceiling;

static bool is_below(void *ctx, const nc_piece *piece)
{
    ceiling *c = ctx;
    c->asked++;
    assert_non_null(piece->mesh);
    if (piece->center.z + nc_mesh_view(piece->mesh).box.hi.z < c->height || (c->refusals <= 0 && !c->stubborn))
        return true;
    c->refusals--;
    return false;
}

static void a_piece_that_is_not_free_is_drawn_back_then_joined_then_the_body_stays_whole(void **state)
{
    (void)state;
    const nc_break_method ways[] = {NC_BREAK_CUT, NC_BREAK_LEVEL};
    nc_pattern *pattern = pattern_with("voronoi", "count", 30, 9);
    for (int w = 0; w < 2; w++) {
        nc_breakable *breakable = breakable_of(shape("box", NULL, 0), ways[w], NC_MATTER_AUTO, 20);
        nc_break_def def = impact_of(breakable, pattern);
        nc_pieces free_ones = break_with(breakable, &def);
        ceiling c = {.height = -1, .refusals = 2};
        def.is_free = is_below;
        def.is_free_ctx = &c;
        nc_pieces drawn = break_with(breakable, &def);
        assert_int_equal(drawn.list.count, free_ones.list.count);
        check_near(drawn.drawn_back, 4 * free_ones.drawn_back, 1e-12);
        check_apart(&drawn, def.gap);
        c = (ceiling){.height = -1, .refusals = 4};
        nc_pieces joined = break_with(breakable, &def);
        assert_int_equal(joined.joined, free_ones.joined + 1);
        assert_int_equal(joined.list.count, free_ones.list.count - 1);
        check_mass(&joined, def.mass);
        check_apart(&joined, def.gap);
        c = (ceiling){.height = 0.45, .stubborn = true};
        nc_pieces whole = break_with(breakable, &def);
        assert_int_equal(whole.list.count, 0);
        assert_non_null(strstr(whole.why_whole, "another body"));
        nc_pieces_free(&whole);
        nc_pieces_free(&joined);
        nc_pieces_free(&drawn);
        nc_pieces_free(&free_ones);
        nc_breakable_destroy(breakable);
    }
    nc_pattern_destroy(pattern);
}

// A body close below another: the surface that was rebuilt for cutting is not drawn back, that of level sets is.
static void pieces_of_a_mended_surface_give_way_to_other_bodies(void **state)
{
    (void)state;
    nc_mesh *ball = shape("sphere", NULL, 0);
    nc_breakable *breakable = breakable_of(damaged(ball, 2, 0, false), NC_BREAK_AUTO, NC_MATTER_SOLID, 24);
    nc_pattern *pattern = pattern_with("voronoi", "count", 30, 2);
    nc_break_def def = impact_of(breakable, pattern);
    nc_pieces pieces = break_with(breakable, &def);
    assert_true(pieces.list.count >= 2 && pieces.way == NC_BREAK_CUT);
    nc_pieces_free(&pieces);
    ceiling c = {.height = nc_mesh_view(ball).box.hi.z - 0.2 / 24, .stubborn = true};
    def.is_free = is_below;
    def.is_free_ctx = &c;
    pieces = break_with(breakable, &def);
    assert_true(pieces.list.count >= 2 && pieces.way == NC_BREAK_LEVEL);
    check_mass(&pieces, def.mass);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
    nc_mesh_release(ball);
}

static void what_cannot_be_broken_stays_whole_and_says_why(void **state)
{
    (void)state;
    nc_breakable *breakable = breakable_of(shape("box", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    nc_pattern *one = pattern_with("voronoi", "count", 1, 0);
    nc_pattern *many = pattern_with("voronoi", "count", 40, 0);
    nc_break_def def = impact_of(breakable, one);
    nc_pieces pieces = break_with(breakable, &def);
    assert_int_equal(pieces.list.count, 0);
    assert_non_null(strstr(pieces.why_whole, "no crack"));
    nc_pieces_free(&pieces);
    // a gap as large as the pieces
    def.pattern = many;
    def.gap = 0.5;
    pieces = break_with(breakable, &def);
    assert_true(pieces.list.count == 0 || pieces.list.count >= 2);
    if (pieces.list.count == 0)
        assert_true(strlen(pieces.why_whole) > 10);
    check_apart(&pieces, def.gap);
    nc_pieces_free(&pieces);
    // too thin for its level set
    nc_breakable *thin = breakable_of(shape("u_profile", NULL, 0), NC_BREAK_LEVEL, NC_MATTER_AUTO, 2);
    pieces = break_with(thin, &def);
    assert_int_equal(pieces.list.count, 0);
    assert_non_null(strstr(pieces.why_whole, "thinner"));
    nc_pieces_free(&pieces);
    nc_breakable_destroy(thin);
    // crumbs as large as the body
    def.gap = 1e-4;
    def.crumb = 0.9;
    pieces = break_with(breakable, &def);
    assert_int_equal(pieces.list.count, 0);
    assert_non_null(strstr(pieces.why_whole, "fewer than two"));
    nc_pieces_free(&pieces);
    nc_pattern_destroy(many);
    nc_pattern_destroy(one);
    nc_breakable_destroy(breakable);
}

// ---- the pattern lies where the impact is -------------------------------------------------------------------

static void pieces_are_smaller_near_the_blow(void **state)
{
    (void)state;
    const nc_shape_parameter wall[3] = {{"width", 1.5}, {"height", 0.1}, {"depth", 1}};
    const nc_vec3 places[3] = {{-0.5, 0.05, -0.3}, {0, 0.05, 0}, {0.5, 0.05, 0.3}};
    nc_breakable *breakable = breakable_of(shape("box", wall, 3), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    nc_pattern *pattern = pattern_with("graded", "count", 300, 7);
    for (int k = 0; k < 3; k++) {
        nc_break_def def = impact_of(breakable, pattern);
        def.place = places[k];
        def.normal = nc_v3(0, 1, 0);
        def.crumb = 0;
        nc_pieces pieces = break_with(breakable, &def);
        double near = 0, far = 0;
        int near_count = 0, far_count = 0;
        for (int i = 0; i < pieces.list.count; i++) {
            const double distance = nc_norm(nc_sub(pieces.list.data[i].center, places[k]));
            near += distance < 0.25 ? pieces.list.data[i].measure : 0;
            near_count += distance < 0.25;
            far += distance > 0.6 ? pieces.list.data[i].measure : 0;
            far_count += distance > 0.6;
        }
        assert_true(near_count >= 5 && far_count >= 3);
        assert_true(3 * near / near_count < far / far_count);
        nc_pieces_free(&pieces);
    }
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// ---- errors -------------------------------------------------------------------------------------------------

static void meshes_that_cannot_break_are_refused(void **state)
{
    (void)state;
    nc_breakable_def def = nc_breakable_def_default();
    nc_breakable *breakable = NULL;
    nc_error err = {0};
    nc_mesh *ball = shape("sphere", NULL, 0), *turned = damaged(ball, 0, 0, true), *holed = damaged(ball, 3, 0, false);
    assert_int_equal(nc_breakable_create(turned, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "inside out"));
    def.matter = NC_MATTER_SOLID;
    def.way = NC_BREAK_CUT;
    assert_int_equal(nc_breakable_create(holed, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "not closed"));
    nc_mesh *cow = shape("cow", NULL, 0);
    assert_int_equal(nc_breakable_create(cow, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "crosses itself"));
    nc_mesh_release(cow);
    def = nc_breakable_def_default();
    def.cells = 1;
    assert_int_equal(nc_breakable_create(ball, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
    def.cells = 10;
    def.matter = NC_MATTER_DUST;
    assert_int_equal(nc_breakable_create(ball, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
    const nc_vec3 v[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {3, 0, 0}};
    const int t[1][3] = {{0, 1, 2}}, e[1][2] = {{3, 4}}, p[1] = {3};
    def.matter = NC_MATTER_AUTO;
    for (int kind = 0; kind < 3; kind++) {
        const nc_mesh_def odd = {.vertices = v,
                                 .vertex_count = 5,
                                 .triangles = t,
                                 .triangle_count = kind < 2,
                                 .edges = e,
                                 .edge_count = kind != 1,
                                 .points = p,
                                 .point_count = kind == 1};
        nc_mesh *mesh = NULL;
        check_ok(nc_mesh_create(&odd, NULL, &mesh, &err), err);
        assert_int_equal(nc_breakable_create(mesh, &def, NULL, &breakable, &err), NC_BAD_ARGUMENT);
        nc_mesh_release(mesh);
    }
    assert_null(breakable);
    nc_mesh_release(holed);
    nc_mesh_release(turned);
    nc_mesh_release(ball);
}

static void definitions_out_of_range_are_refused(void **state)
{
    (void)state;
    nc_breakable *breakable = breakable_of(shape("box", NULL, 0), NC_BREAK_AUTO, NC_MATTER_AUTO, 10);
    nc_pattern *pattern = pattern_with("voronoi", "count", 5, 0);
    nc_pieces pieces;
    nc_error err = {0};
    for (int k = 0; k < 8; k++) {
        nc_break_def def = impact_of(breakable, pattern);
        if (k == 0)
            def.mass = 0;
        if (k == 1)
            def.gap = 0;
        if (k == 2)
            def.normal = nc_v3(0, 0, 0);
        if (k == 3)
            def.place.x = NAN;
        if (k == 4)
            def.crumb = 1;
        if (k == 5)
            def.gap = INFINITY;
        if (k == 6)
            def.normal.y = INFINITY;
        if (k == 7)
            def.crumb = -0.1;
        assert_int_equal(nc_break(breakable, &def, NULL, &pieces, &err), NC_BAD_ARGUMENT);
        assert_int_equal(pieces.list.count, 0);
        assert_true(strlen(err.text) > 10);
        nc_pieces_free(&pieces);
    }
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
}

// ---- memory -------------------------------------------------------------------------------------------------

typedef struct small_break {
    nc_mesh *mesh;
    const nc_pattern *pattern;
    nc_breakable_def def;
    double crumb;
} small_break;

static nc_code try_break(const nc_allocator *allocator, void *ctx)
{
    const small_break *s = ctx;
    nc_breakable *breakable = NULL;
    nc_code code = nc_breakable_create(s->mesh, &s->def, allocator, &breakable, NULL);
    if (code == NC_OK) {
        nc_pieces pieces;
        nc_break_def def = impact_of(breakable, s->pattern);
        def.crumb = s->crumb;
        code = nc_break(breakable, &def, allocator, &pieces, NULL);
        assert_true(code != NC_OK || pieces.list.count >= 2);
        nc_pieces_free(&pieces);
    }
    nc_breakable_destroy(breakable);
    return code;
}

static void out_of_memory_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    nc_pattern *pattern = pattern_with("voronoi", "count", 5, 1);
    small_break s = {.pattern = pattern, .def = nc_breakable_def_default(), .crumb = 0.05};
    s.mesh = shape("u_profile", NULL, 0);
    assert_true(fail_at_every_call(try_break, &s) > 100);
    s.def.matter = NC_MATTER_SHELL;
    assert_true(fail_at_every_call(try_break, &s) > 100);
    nc_mesh_release(s.mesh);
    s.mesh = shape("box", NULL, 0);
    s.def.matter = NC_MATTER_SOLID;
    s.def.way = NC_BREAK_LEVEL;
    s.def.cells = 5;
    assert_true(fail_at_every_call(try_break, &s) > 100);
    nc_mesh *open = damaged(s.mesh, 1, 0, false);
    nc_mesh_release(s.mesh);
    s.mesh = open;
    s.def.way = NC_BREAK_AUTO;
    assert_true(fail_at_every_call(try_break, &s) > 100);
    nc_mesh_release(s.mesh);
    nc_pattern_destroy(pattern);
}

// ---- anything -----------------------------------------------------------------------------------------------

// A mesh of one of many shapes, bent a little at every vertex, and sometimes with holes or doubled faces.
static nc_mesh *random_mesh(nc_random *random)
{
    const char *shapes[] = {"box",   "sphere", "cylinder", "torus", "u_profile", "cone",     "cow",     "bowl",
                            "plane", "boat",   "tube",     "hook",  "wedge",     "t_handle", "capsule", "ring",
                            "spike", "rack",   "letters",  "peg",   "l_profile", "stone",    "band",    "t_profile"};
    nc_mesh *mesh = shape(shapes[nc_random_u64(random) % 24], NULL, 0);
    const nc_mesh_data data = nc_mesh_view(mesh);
    const double bend = nc_random_unit(random) < 0.5 ? 0.02 * data.radius : 0;
    nc_vec3 *v = calloc((size_t)data.vertex_count, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < data.vertex_count; i++) {
        const double x = nc_random_range(random, -bend, bend), y = nc_random_range(random, -bend, bend);
        v[i] = nc_add(data.vertices[i], nc_v3(x, y, bend * nc_random_range(random, -1, 1)));
    }
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = data.vertex_count,
                             .triangles = data.triangles,
                             .triangle_count = data.triangle_count};
    nc_mesh *bent = NULL;
    nc_error err = {0};
    check_ok(nc_mesh_create(&def, NULL, &bent, &err), err);
    free(v);
    nc_mesh_release(mesh);
    if (nc_random_unit(random) < 0.8)
        return bent;
    nc_mesh *hurt = damaged(bent, (int)(nc_random_u64(random) % 2), (int)(nc_random_u64(random) % 2), false);
    nc_mesh_release(bent);
    return hurt;
}

static nc_vec3 random_vector(nc_random *random)
{
    const double x = nc_random_range(random, -1, 1), y = nc_random_range(random, -1, 1);
    return nc_v3(x, y, nc_random_range(random, -1, 1));
}

// One break of anything by anything. Returns how many pieces there were; -1 for a refusal.
static int break_anything(nc_random *random)
{
    int patterns = 0;
    const nc_pattern_info *list = nc_pattern_list(&patterns);
    nc_mesh *mesh = random_mesh(random);
    nc_breakable_def def = nc_breakable_def_default();
    nc_breakable *breakable = NULL;
    nc_error err = {0};
    def.cells = 8 + (int)(nc_random_u64(random) % 10);
    def.way = nc_random_unit(random) < 0.25 ? NC_BREAK_LEVEL : NC_BREAK_AUTO;
    def.matter = nc_random_unit(random) < 0.3 ? NC_MATTER_SHELL : NC_MATTER_AUTO;
    const nc_code code = nc_breakable_create(mesh, &def, NULL, &breakable, &err);
    nc_mesh_release(mesh);
    if (code != NC_OK) {
        assert_int_equal(code, NC_BAD_ARGUMENT);
        assert_true(strlen(err.text) > 10);
        return -1;
    }
    nc_pattern *pattern =
        pattern_with(list[nc_random_u64(random) % (uint64_t)patterns].name, NULL, 0, nc_random_u64(random));
    nc_break_def blow = impact_of(breakable, pattern);
    blow.normal = nc_random_unit(random) < 0.3 ? nc_v3(0, 1, 0) : random_vector(random);
    blow.place = nc_madd(nc_v3(0, 0, 0), nc_random_unit(random) * nc_mesh_view(nc_breakable_mesh(breakable)).radius,
                         random_vector(random));
    blow.crumb = nc_random_unit(random) < 0.5 ? 1e-3 : 1e-5;
    blow.aligned = nc_random_unit(random) < 0.5;
    nc_pieces pieces = break_with(breakable, &blow);
    const int count = pieces.list.count;
    if (count == 0) {
        assert_true(strlen(pieces.why_whole) > 10);
    } else {
        check_mass(&pieces, blow.mass);
        check_momenta(&pieces, blow.mass, random);
        check_apart(&pieces, blow.gap);
    }
    nc_pieces_free(&pieces);
    nc_pattern_destroy(pattern);
    nc_breakable_destroy(breakable);
    return count;
}

static int remember_seed(void **state)
{
    static uint64_t current;
    *state = &current;
    return 0;
}

static int tell_seed(void **state)
{
    print_message("anything: the last case alone has seed %llu\n", (unsigned long long)*(uint64_t *)*state);
    return 0;
}

static void anything_breaks_by_anything_or_says_why_not(void **state)
{
    const uint64_t seed = check_seed("anything", 12);
    const int tries = check_effort(100);
    int broken = 0, refused = 0;
    for (int i = 0; i < tries; i++) {
        nc_random random = {seed + (uint64_t)i};
        *(uint64_t *)*state = seed + (uint64_t)i;
        const int pieces = break_anything(&random);
        broken += pieces > 0;
        refused += pieces < 0;
    }
    print_message("%d of %d broken, %d refused\n", broken, tries, refused);
    assert_true(broken > tries * 8 / 10);
}

static void the_same_blow_gives_the_same_bits(void **state)
{
    (void)state;
    const nc_break_method ways[] = {NC_BREAK_AUTO, NC_BREAK_LEVEL};
    nc_pattern *pattern = pattern_with("graded", "count", 40, 4);
    for (int w = 0; w < 2; w++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            nc_breakable *breakable = breakable_of(shape("torus", NULL, 0), ways[w], NC_MATTER_AUTO, 16);
            // a level set of about 20 x 8 x 20 samples
            assert_true(w == 0 || nc_breakable_bytes(breakable) > 20 * 20 * 7 * sizeof(double));
            const nc_break_def def = impact_of(breakable, pattern);
            nc_pieces pieces = break_with(breakable, &def);
            hash[k] = hash_of(&pieces);
            assert_true(pieces.list.count >= 2);
            nc_pieces_free(&pieces);
            nc_breakable_destroy(breakable);
        }
        assert_true(hash[0] == hash[1]);
    }
    nc_pattern_destroy(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_cut_solid_are_closed_apart_and_fill_it),
        cmocka_unit_test(bricks_of_a_box_have_twelve_triangles_each),
        cmocka_unit_test(a_cap_leaves_holes_open),
        cmocka_unit_test(parts_side_by_side_are_pieces_of_their_own),
        cmocka_unit_test(a_crack_across_a_u_gives_two_pieces_in_one_region),
        cmocka_unit_test(a_hollow_belongs_to_what_is_around_it),
        cmocka_unit_test(a_piece_breaks_again),
        cmocka_unit_test(shards_of_a_shell_have_its_area_and_are_apart),
        cmocka_unit_test(a_pane_that_lies_in_a_crack_breaks_along_the_others),
        cmocka_unit_test(pieces_of_a_level_set_are_closed_apart_and_within_a_cell_of_the_body),
        cmocka_unit_test(regions_that_are_not_convex_break_a_solid),
        cmocka_unit_test(a_solid_with_a_hole_or_doubled_faces_breaks_like_the_whole_one),
        cmocka_unit_test(crumbs_are_given_to_a_neighbour_and_no_mass_is_lost),
        cmocka_unit_test(a_piece_that_is_not_free_is_drawn_back_then_joined_then_the_body_stays_whole),
        cmocka_unit_test(pieces_of_a_mended_surface_give_way_to_other_bodies),
        cmocka_unit_test(what_cannot_be_broken_stays_whole_and_says_why),
        cmocka_unit_test(pieces_are_smaller_near_the_blow),
        cmocka_unit_test(meshes_that_cannot_break_are_refused),
        cmocka_unit_test(definitions_out_of_range_are_refused),
        cmocka_unit_test(out_of_memory_anywhere_leaves_nothing_behind),
        cmocka_unit_test(the_same_blow_gives_the_same_bits),
        cmocka_unit_test_setup_teardown(anything_breaks_by_anything_or_says_why_not, remember_seed, tell_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
