// The table of near pairs: what it knows from before spares searches and changes nothing.
#include "check.h"
#include "fail_allocator.h"
#include "soup.h"

#include "step/near.h"

static bool all_wanted(int i, int j, const void *ctx)
{
    (void)i, (void)j, (void)ctx;
    return true;
}

static void make_all(nc_near_table *table, const nc_mesh *const *mesh, const nc_pose *pose, int count)
{
    const nc_near_bodies bodies = {.count = count, .pose = pose, .mesh = mesh, .wanted = all_wanted};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_error err;
    check_ok(nc_near_table_make(table, &bodies, 0.02, 1, &memory, &err), err);
}

static void make(nc_near_table *table, const nc_mesh *const mesh[2], const nc_pose pose[2])
{
    make_all(table, mesh, pose, 2);
}

// A rod that lies above the bottom of a bowl, known to be apart from it, turns until its end is near.
static void a_rod_that_turns_in_place_is_found_again(void **state)
{
    (void)state;
    nc_mesh *bowl, *rod;
    nc_error err;
    check_ok(nc_shape_create("bowl", (const nc_shape_parameter[]){{"radius", 2}}, 1, NULL, &bowl, &err), err);
    const nc_shape_parameter sides[] = {{"width", 0.6}, {"height", 0.02}, {"depth", 0.02}};
    check_ok(nc_shape_create("box", sides, 3, NULL, &rod, &err), err);
    const nc_mesh *const mesh[2] = {bowl, rod};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_near_table kept = {.made = false};
    int found = 0;
    for (int degree = 0; degree <= 10; degree++) {
        const nc_quat turn = nc_quat_from_rotation_vector(nc_v3(0, 0, degree * NC_PI / 180));
        const nc_pose pose[2] = {{{0, 0, 0}, nc_quat_identity()}, {{0, -1.9, 0}, turn}};
        nc_near_table fresh = {.made = false};
        make(&kept, mesh, pose);
        make(&fresh, mesh, pose);
        assert_int_equal(kept.rows.count, 1);
        assert_int_equal(kept.rows.data[0].count, fresh.rows.data[0].count);
        check_near(kept.rows.data[0].clearance, fresh.rows.data[0].clearance, 0);
        found += fresh.rows.data[0].count > 0;
        nc_near_table_free(&fresh, &memory);
    }
    assert_true(found > 0 && found < 11);
    nc_near_table_free(&kept, &memory);
    nc_mesh_release(bowl);
    nc_mesh_release(rod);
}

// ---- a heap that creeps -------------------------------------------------------------------------------------

#define HEAP 20

static nc_mesh *make_shape(const char *name)
{
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_shape_create(name, NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static nc_vec3 any_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static void creep(nc_pose *pose, nc_random *random, double size)
{
    pose->x = nc_add(pose->x, any_vector(random, size));
    pose->q = nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(any_vector(random, size)), pose->q));
}

static bool same_vector(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void compare_features(const nc_proximity *p, const nc_proximity *q)
{
    assert_int_equal(p->feature.kind, q->feature.kind);
    assert_int_equal(p->feature.a, q->feature.a);
    assert_int_equal(p->feature.b, q->feature.b);
    assert_true(p->distance == q->distance && p->lower_bound == q->lower_bound);
    assert_true(same_vector(p->on_a, q->on_a) && same_vector(p->on_b, q->on_b) && same_vector(p->normal, q->normal));
}

static int compare_tables(const nc_near_table *kept, const nc_near_table *fresh)
{
    int features = 0;
    assert_int_equal(kept->rows.count, fresh->rows.count);
    for (int k = 0; k < kept->rows.count; k++) {
        const nc_near_row *p = &kept->rows.data[k], *q = &fresh->rows.data[k];
        assert_int_equal(p->i, q->i);
        assert_int_equal(p->j, q->j);
        assert_int_equal(p->count, q->count);
        assert_true(p->clearance == q->clearance);
        for (int f = 0; f < p->count; f++)
            compare_features(&nc_near_features(kept, p)[f], &nc_near_features(fresh, q)[f]);
        features += p->count;
    }
    return features;
}

// Now by next to nothing, now by as much as a note allows, now by more.
static void notes_about_a_heap_that_creeps_change_no_bit(void **state)
{
    (void)state;
    nc_random random = {check_seed("heap", 2611)};
    nc_mesh *shape[4] = {make_shape("boat"), make_shape("bowl"), make_shape("torus"), make_shape("plate")};
    const nc_mesh *mesh[HEAP];
    nc_pose pose[HEAP];
    const nc_allocator memory = nc_allocator_or_default(NULL);
    for (int i = 0; i < HEAP; i++) {
        mesh[i] = shape[i % 4];
        pose[i] = (nc_pose){any_vector(&random, 1.2), nc_quat_identity()};
        creep(&pose[i], &random, 3);
        pose[i].x = any_vector(&random, 0.9);
    }
    nc_near_table kept = {.made = false};
    int features = 0, cache = 0;
    for (int step = 0; step < check_effort(30); step++) {
        static const double sizes[] = {1e-7, 1e-5, 1e-4, 5e-4, 2e-3};
        const double size = step % 17 == 16 ? 2e-2 : sizes[(step / 6) % 5];
        for (int i = 0; i < HEAP; i++)
            creep(&pose[i], &random, size);
        nc_near_table fresh = {.made = false};
        make_all(&kept, mesh, pose, HEAP);
        make_all(&fresh, mesh, pose, HEAP);
        features += compare_tables(&kept, &fresh);
        for (int k = 0; k < kept.cache.heads.count; k++)
            cache += kept.cache.heads.data[k].count > 0;
        nc_near_table_free(&fresh, &memory);
    }
    assert_true(features > 0 && cache > 0);
    nc_near_table_free(&kept, &memory);
    for (int k = 0; k < 4; k++)
        nc_mesh_release(shape[k]);
}

// ---- boxes on boxes ---------------------------------------------------------------------------------------------

#define TOWER 5

// Corner above corner, where most pairs of edges are nearest at their ends, until a box has crept a little: cached
// candidates leave those out only as long as that is sure. Falls of the whole tower bring the boxes close at once.
static void notes_about_a_tower_that_creeps_change_no_bit(void **state)
{
    (void)state;
    nc_random random = {check_seed("tower", 2618)};
    nc_mesh *box = make_shape("box");
    const nc_mesh *mesh[TOWER];
    const nc_allocator memory = nc_allocator_or_default(NULL);
    int features = 0, cache = 0;
    for (int round = 0; round < check_effort(40); round++) {
        const double gap = nc_random_range(&random, 5e-4, 5e-3),
                     size = ldexp(1e-2, -(int)(nc_random_u64(&random) % 16));
        nc_near_table kept = {.made = false};
        nc_pose pose[TOWER];
        for (int i = 0; i < TOWER; i++) {
            mesh[i] = box;
            pose[i] = (nc_pose){{0, 0, i * (1 + gap)}, nc_quat_identity()};
        }
        for (int step = 0; step < 12; step++) {
            for (int i = 0; step > 1 && i < TOWER; i++)
                creep(&pose[i], &random, step == 8 ? gap : size * gap);
            nc_near_table fresh = {.made = false};
            make_all(&kept, mesh, pose, TOWER);
            make_all(&fresh, mesh, pose, TOWER);
            features += compare_tables(&kept, &fresh);
            for (int k = 0; k < kept.cache.heads.count; k++)
                cache += kept.cache.heads.data[k].count > 0;
            nc_near_table_free(&fresh, &memory);
        }
        nc_near_table_free(&kept, &memory);
    }
    assert_true(features > 0 && cache > 0);
    nc_mesh_release(box);
}

// ---- what is far is not found ---------------------------------------------------------------------------------

static double any_power(nc_random *random, int low, int high)
{
    const int exponent = low + (int)(nc_random_u64(random) % (uint64_t)(high - low + 1));
    return ldexp(nc_random_range(random, 0.5, 1), exponent);
}

static bool chance(nc_random *random, double part)
{
    return nc_random_unit(random) < part;
}

static double legal(double x)
{
    return fabs(x) < NC_COORDINATE_MIN ? 0 : x;
}

#define THIN 8 // elements

// Needles, caps and flat triangles of any thinness, wires and points, none of it below the plane z = 0 (for a side of
// -1, above it).
static nc_mesh *make_thin(nc_random *random, double size, double distance, int side)
{
    soup_def s = {.vertices = 0};
    for (int k = 0; k < THIN; k++) {
        const double lift = chance(random, 0.6) ? 0 : any_power(random, -30, 2) * distance;
        const double slope = chance(random, 0.6) ? 0 : any_power(random, -40, 1) * distance;
        const double width = chance(random, 0.2) ? 0 : any_power(random, -70, -1) * size;
        const double part = chance(random, 0.7) ? nc_random_unit(random) : any_power(random, -60, -1);
        nc_vec3 start = any_vector(random, 0.3 * size), along = any_vector(random, size);
        nc_vec3 across = any_vector(random, width);
        start.z = lift;
        along.z = slope;
        across.z = fabs(across.z);
        const nc_vec3 corner[3] = {start, nc_add(start, along), nc_add(nc_madd(start, part, along), across)};
        const int corners = 1 + (int)(nc_random_u64(random) % 3), turn = (int)(nc_random_u64(random) % 3);
        nc_vec3 turned[3];
        for (int i = 0; i < corners; i++) {
            const nc_vec3 c = corner[(i + turn) % 3];
            turned[i] = nc_v3(legal(c.x), legal(c.y), legal(side * c.z));
        }
        soup_add(&s, turned, corners);
    }
    return soup_mesh(&s);
}

// Notes and known distances leave out what is farther than 1.02 times the distance, wherever rounding is small against
// it (near.c: rounds_well). A search must not find it either, nor give it a smaller clearance.
static void what_is_a_little_too_far_is_never_found_however_thin(void **state)
{
    (void)state;
    nc_random random = {check_seed("thin", 2612)};
    const nc_proximity_options options = nc_contact_options();
    const nc_allocator memory = nc_allocator_or_default(NULL);
    int tried = 0;
    for (int k = 0; k < check_effort(20000); k++) {
        const double size = any_power(&random, -5, 5), distance = size * any_power(&random, -20, -1);
        nc_mesh *a = make_thin(&random, size, distance, 1), *b = make_thin(&random, size, distance, -1);
        const nc_quat q = k % 4 == 0 ? nc_quat_identity() : nc_quat_from_rotation_vector(any_vector(&random, 3));
        const nc_vec3 apart = nc_mat3_mul(nc_quat_matrix(q), nc_v3(0, 0, 1.02 * distance)),
                      x = any_vector(&random, size);
        const nc_pose pose_b = {x, q}, pose_a = {nc_add(x, apart), q};
        const double sizes = nc_mesh_radius(a) + nc_mesh_radius(b) + nc_norm(pose_a.x) + nc_norm(pose_b.x);
        if (2048 * NC_UNIT_ROUNDOFF * sizes < 0x1p-20 * distance) {
            nc_proximity_list list = {.allocator = &memory};
            nc_error err;
            check_ok(nc_proximity_find(a, pose_a, b, pose_b, distance, &options, &list, &err), err);
            assert_int_equal(list.count, 0);
            assert_true(list.clearance >= distance * (1 - 0x1p-20));
            nc_proximity_list_free(&list);
            tried++;
        }
        nc_mesh_release(a);
        nc_mesh_release(b);
    }
    assert_true(tried > 0);
}

// ---- whatever happens between two tables ------------------------------------------------------------------------

#define MOST_BODIES 24
#define STOCK       9
#define ROUND       20 // steps

typedef struct body_set {
    nc_random random;
    nc_mesh *stock[STOCK];
    const nc_mesh *mesh[MOST_BODIES];
    nc_pose pose[MOST_BODIES];
    nc_vec3 drift[MOST_BODIES], turn[MOST_BODIES]; // on the whole way, as far as three distances
    int count;
    double distance;
    int unwanted;               // pairs whose rows add up to this mod 7 do not belong into the table
    uint8_t still[MOST_BODIES]; // nor do pairs of two of these
    uint8_t kind[MOST_BODIES];  // as the broad phase wants to know it
} body_set;

static bool body_set_wants(int i, int j, const void *ctx)
{
    const body_set *c = ctx;
    return (i + j) % 7 != c->unwanted && !(c->still[i] && c->still[j]);
}

// Some pairs look no farther than half of it.
static double body_set_distance(int i, int j, const void *ctx)
{
    const body_set *c = ctx;
    const bool whole = c->mesh[i] == NULL || c->mesh[j] == NULL || c->mesh[i] == c->mesh[j];
    return whole ? c->distance : 0.5 * c->distance;
}

static nc_near_bodies bodies_of(body_set *c)
{
    uint64_t signature = nc_hash_u64(0, (uint64_t)c->unwanted);
    for (int i = 0; i < c->count; i++)
        signature = nc_hash_u64(signature, c->mesh[i] != NULL ? nc_mesh_hash(c->mesh[i]) : 0) + c->still[i];
    for (int i = 0; i < c->count; i++)
        c->kind[i] = c->mesh[i] == NULL ? NC_BROAD_NOBODY : c->still[i] ? NC_BROAD_STAYS : NC_BROAD_STAYS + 1;
    return (nc_near_bodies){c->count, c->pose, c->mesh, c->kind, signature, body_set_wants, body_set_distance, c};
}

static int any_below(body_set *c, int count)
{
    return (int)(nc_random_u64(&c->random) % (uint64_t)count);
}

static void place_body(body_set *c, int i)
{
    c->mesh[i] = c->stock[any_below(c, STOCK)];
    c->still[i] = chance(&c->random, 0.3);
    c->pose[i] = (nc_pose){any_vector(&c->random, c->still[i] ? 1.2 : 0.6),
                           nc_quat_from_rotation_vector(any_vector(&c->random, 3))};
    c->drift[i] = any_vector(&c->random, 0.06);
    c->turn[i] = any_vector(&c->random, 0.06);
}

static void begin_body_set(body_set *c, uint64_t seed)
{
    static const char *const names[] = {"boat", "plate", "box"};
    *c = (body_set){.random = {seed}, .count = 16, .distance = 0.02};
    for (int k = 0; k < STOCK; k++)
        c->stock[k] = k < 3 ? make_shape(names[k]) : make_thin(&c->random, 0.5, 0.02, 1);
    for (int i = 0; i < MOST_BODIES; i++)
        place_body(c, i);
}

static void end_body_set(body_set *c)
{
    for (int k = 0; k < STOCK; k++)
        nc_mesh_release(c->stock[k]);
}

// The stock gets another mesh, perhaps where the old one was in memory.
static void replace_in_stock(body_set *c)
{
    const int k = 3 + any_below(c, STOCK - 3);
    nc_mesh *const old = c->stock[k];
    nc_mesh_release(old);
    c->stock[k] = make_thin(&c->random, 0.5, 0.02, 1);
    for (int i = 0; i < MOST_BODIES; i++)
        c->mesh[i] = c->mesh[i] == old ? c->stock[k] : c->mesh[i];
}

static void scale_turn(nc_quat *q, double factor)
{
    *q = (nc_quat){factor * q->w, factor * q->x, factor * q->y, factor * q->z};
}

static void change_body_set(body_set *c)
{
    static const double distances[] = {0.02, 0.013, 0.03, 0.0201}, scales[] = {-1, 0.97, 0.5, 3, 1e-120, NAN};
    const int i = any_below(c, c->count), j = any_below(c, c->count);
    const nc_pose pose = c->pose[i];
    const nc_mesh *const mesh = c->mesh[i];
    switch (any_below(c, 10)) {
    case 0:
        c->distance = distances[any_below(c, 4)];
        break;
    case 1:
        c->mesh[i] = chance(&c->random, 0.5) ? NULL : c->stock[any_below(c, STOCK)];
        break;
    case 2:
        c->count = 12 + any_below(c, MOST_BODIES - 11);
        break;
    case 3:
        c->unwanted = any_below(c, 7);
        break;
    case 4: // they change rows
        c->pose[i] = c->pose[j];
        c->mesh[i] = c->mesh[j];
        c->pose[j] = pose;
        c->mesh[j] = mesh;
        break;
    case 5:
        scale_turn(&c->pose[i].q, scales[any_below(c, 6)]);
        break;
    case 6: // all of them, as one
        for (int k = 0; k < MOST_BODIES; k++)
            c->pose[k].x.y += chance(&c->random, 0.05) ? 1e7 : 1;
        break;
    case 7:
        replace_in_stock(c);
        break;
    default:
        place_body(c, i);
    }
}

// All rest, then set off, each its own way, and are put somewhere else.
static void live(body_set *c, int step)
{
    const int turn = step % ROUND;
    const double speed = turn < 4 ? 1e-6 : 1.0 / (ROUND - 4);
    for (int i = 0; i < MOST_BODIES; i++) {
        const nc_quat by = nc_quat_from_rotation_vector(nc_scale(speed, c->turn[i]));
        if (turn == 0)
            place_body(c, i);
        c->pose[i].x = nc_madd(c->pose[i].x, speed, c->drift[i]);
        c->pose[i].q = i % 3 == 0 ? c->pose[i].q : nc_quat_normalize(nc_quat_mul(by, c->pose[i].q));
    }
    if (step / ROUND % 2 == 1 && turn % 3 == 2)
        change_body_set(c);
}

static void tables_that_live_through_changes_are_those_of_a_newborn(void **state)
{
    (void)state;
    const nc_allocator memory = nc_allocator_or_default(NULL);
    const uint64_t seed = check_seed("changes", 2613);
    int features = 0, cache = 0;
    for (int world = 0; world < 3; world++) {
        nc_near_table kept = {.made = false};
        body_set c;
        begin_body_set(&c, seed + (uint64_t)world);
        for (int step = 0; step < check_effort(100); step++) {
            nc_near_table fresh = {.made = false};
            nc_error err;
            live(&c, step);
            nc_near_bodies bodies = bodies_of(&c);
            check_ok(nc_near_table_make(&kept, &bodies, c.distance, 1 + step % 3, &memory, &err), err);
            bodies.kind = NULL; // all boxes are looked at
            check_ok(nc_near_table_make(&fresh, &bodies, c.distance, 1, &memory, &err), err);
            features += compare_tables(&kept, &fresh);
            for (int k = 0; k < kept.cache.heads.count; k++)
                cache += kept.cache.heads.data[k].count > 0;
            nc_near_table_free(&fresh, &memory);
        }
        nc_near_table_free(&kept, &memory);
        end_body_set(&c);
    }
    print_message("%d features, %d notes\n", features, cache);
    assert_true(features > 0 && cache > 0);
}

// A pose that is no number may be anywhere: no still body is out of its reach.
static void a_pose_without_meaning_hides_no_still_body(void **state)
{
    (void)state;
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_near_table shown = {.made = false}, all = {.made = false};
    nc_error err;
    body_set c;
    begin_body_set(&c, 1);
    c.unwanted = -1;
    for (int i = 0; i < c.count; i++) {
        c.still[i] = i > 1;
        c.pose[i].x = nc_v3(10.0 * i, 0, 0);
    }
    c.pose[1].x.y = NAN;
    nc_near_bodies bodies = bodies_of(&c);
    check_ok(nc_near_table_make(&shown, &bodies, c.distance, 1, &memory, &err), err);
    bodies.kind = NULL;
    check_ok(nc_near_table_make(&all, &bodies, c.distance, 1, &memory, &err), err);
    assert_int_equal(all.rows.count, c.count - 1);
    compare_tables(&shown, &all);
    nc_near_table_free(&shown, &memory);
    nc_near_table_free(&all, &memory);
    end_body_set(&c);
}

// ---- two that rest, then close in ---------------------------------------------------------------------------------

#define ROUGH 9 // squares per side

// A sheet of 0.4 m that is anything but flat: two of them face each other in hundreds of places.
static nc_mesh *make_rough(nc_random *random)
{
    nc_vec3 v[(ROUGH + 1) * (ROUGH + 1)];
    int t[2 * ROUGH * ROUGH][3];
    for (int k = 0; k < (ROUGH + 1) * (ROUGH + 1); k++) {
        const int column = k % (ROUGH + 1), row = k / (ROUGH + 1);
        v[k] = nc_v3(0.4 * column / ROUGH - 0.2, 0.4 * row / ROUGH - 0.2, nc_random_range(random, -0.01, 0.01));
    }
    for (int k = 0; k < ROUGH * ROUGH; k++) {
        const int at = k / ROUGH * (ROUGH + 1) + k % ROUGH;
        const int two[2][3] = {{at, at + 1, at + ROUGH + 1}, {at + 1, at + ROUGH + 2, at + ROUGH + 1}};
        memcpy(t[2 * k], two, sizeof two);
    }
    const nc_mesh_def def = {.vertices = v,
                             .vertex_count = (ROUGH + 1) * (ROUGH + 1),
                             .triangles = (const int(*)[3])t,
                             .triangle_count = 2 * ROUGH * ROUGH};
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

// Side by side, from well within the distance of 0.02 m to twice that apart. *towards is the way from 1 to 0.
static void place_two(nc_random *random, const nc_mesh *const mesh[2], nc_pose pose[2], nc_vec3 *towards)
{
    nc_proximity nearest;
    nc_error err;
    const bool facing = chance(random, 0.5); // sheets, upon each other
    for (int k = 0; k < 2; k++)
        pose[k] = (nc_pose){{0, 0, 0}, nc_quat_from_rotation_vector(any_vector(random, facing ? 0.02 : 3))};
    pose[0].x = facing ? nc_v3(0, 0, 2) : nc_add(nc_v3(2, 0, 0), any_vector(random, 1.5));
    check_ok(nc_mesh_distance(mesh[0], pose[0], mesh[1], pose[1], &nearest, &err), err);
    *towards = nc_neg(nearest.normal);
    pose[0].x = nc_madd(pose[0].x, nearest.distance - nc_random_range(random, 0.004, 0.04), *towards);
    if (chance(random, 0.3)) // which of two equal meshes is at home is a matter of their poses' bits
        for (int k = 0; k < 2; k++)
            pose[k].x = nc_sub(pose[k].x, nc_v3(0.3, 3, 0.3));
}

static int compare_with_newborn(nc_near_table *kept, const nc_mesh *const mesh[2], const nc_pose pose[2])
{
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_near_table fresh = {.made = false};
    make(kept, mesh, pose);
    make(&fresh, mesh, pose);
    const int features = compare_tables(kept, &fresh);
    nc_near_table_free(&fresh, &memory);
    return features;
}

// One of them goes, or both; straight at the other for the most part, and turns. Now and then one is another mesh.
static int close_in(nc_random *random, const nc_mesh *const stock[STOCK], int *cache)
{
    const nc_allocator memory = nc_allocator_or_default(NULL);
    const nc_mesh *mesh[2] = {stock[nc_random_u64(random) % STOCK], stock[nc_random_u64(random) % STOCK]};
    nc_near_table kept = {.made = false};
    nc_pose pose[2];
    nc_vec3 towards;
    int features = 0;
    place_two(random, mesh, pose, &towards);
    const double sideways = chance(random, 0.7) ? 0 : 2e-3, turns = chance(random, 0.5) ? 0 : 4e-3;
    const double pace = nc_random_range(random, 2e-4, 2e-3), part = (double)(nc_random_u64(random) % 3) / 2;
    const nc_vec3 way = nc_add(nc_scale(pace, towards), any_vector(random, sideways)), turn = any_vector(random, turns);
    for (int step = 0; step < 16; step++) {
        const double begun = step < 3 ? 1e-9 : 1; // they rest first
        const nc_quat by = nc_quat_from_rotation_vector(nc_scale(begun, turn));
        pose[0].x = nc_madd(pose[0].x, begun * part, way);
        pose[1].x = nc_madd(pose[1].x, -begun * (1 - part), way);
        pose[step % 2].q = nc_quat_normalize(nc_quat_mul(by, pose[step % 2].q));
        if (step > 3 && chance(random, 0.05))
            mesh[step % 2] = stock[nc_random_u64(random) % STOCK];
        features += compare_with_newborn(&kept, mesh, pose);
        *cache += kept.cache.heads.count > 0 && kept.cache.heads.data[0].count > 0;
    }
    nc_near_table_free(&kept, &memory);
    return features;
}

static void two_that_rest_and_then_close_in_are_seen_as_by_a_newborn(void **state)
{
    (void)state;
    nc_random random = {check_seed("close in", 2615)};
    nc_mesh *stock[STOCK] = {make_shape("boat"), make_shape("box"), make_shape("plate")};
    for (int k = 3; k < STOCK; k++)
        stock[k] = k % 2 == 0 ? make_thin(&random, 0.4, 0.02, 1) : make_rough(&random);
    int features = 0, cache = 0;
    for (int k = 0; k < check_effort(600); k++)
        features += close_in(&random, (const nc_mesh *const *)stock, &cache);
    print_message("%d features, %d notes\n", features, cache);
    assert_true(features > 0 && cache > 0);
    for (int k = 0; k < STOCK; k++)
        nc_mesh_release(stock[k]);
}

// ---- most stay where they are -----------------------------------------------------------------------------------

// Rows whose features were taken over, and how many features those are.
static int count_taken(const nc_near_table *t, int *features)
{
    int taken = 0;
    for (int k = 0; k < t->rows.count; k++) {
        const nc_near_row *row = &t->rows.data[k];
        const bool same = row->before >= 0 && t->same[row->i] && t->same[row->j];
        taken += same;
        *features += same ? row->count : 0;
    }
    return taken;
}

// As when a body breaks: one of them changes, or the crowd does, and all others are where they were, to the bit.
static void what_stays_where_it_was_is_taken_over_and_nothing_else(void **state)
{
    (void)state;
    const nc_allocator memory = nc_allocator_or_default(NULL);
    const uint64_t seed = check_seed("taken over", 2616);
    int features = 0, taken = 0;
    for (int world = 0; world < 3; world++) {
        nc_near_table kept = {.made = false};
        body_set c;
        begin_body_set(&c, seed + (uint64_t)world);
        for (int step = 0; step < check_effort(60); step++) {
            nc_near_table fresh = {.made = false};
            nc_error err;
            const nc_near_bodies bodies = bodies_of(&c);
            check_ok(nc_near_table_make(&kept, &bodies, c.distance, 1 + step % 3, &memory, &err), err);
            check_ok(nc_near_table_make(&fresh, &bodies, c.distance, 1, &memory, &err), err);
            compare_tables(&kept, &fresh);
            taken += count_taken(&kept, &features);
            nc_near_table_free(&fresh, &memory);
            if (step % 4 == 3)
                change_body_set(&c);
            else // by next to nothing: what is near stays so, with other distances
                creep(&c.pose[any_below(&c, c.count)], &c.random, 1e-6);
        }
        nc_near_table_free(&kept, &memory);
        end_body_set(&c);
    }
    print_message("%d pairs with %d features taken over\n", taken, features);
    assert_true(taken > 0 && features > 0);
}

#define SHEETS 14

// More features than a block has room for at first are taken over, too.
static void a_pile_with_hundreds_of_near_features_is_taken_over_whole(void **state)
{
    (void)state;
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_random random = {check_seed("pile", 2617)};
    nc_mesh *rough[2] = {make_rough(&random), make_rough(&random)};
    const nc_mesh *mesh[SHEETS];
    nc_pose pose[SHEETS];
    nc_near_table kept = {.made = false};
    int features = 0, most = 0;
    for (int i = 0; i < SHEETS; i++) {
        mesh[i] = rough[i % 2];
        pose[i] = (nc_pose){{0, 0, 0.0205 * i}, nc_quat_identity()};
    }
    for (int step = 0; step < 6; step++) {
        nc_near_table fresh = {.made = false};
        const int before = features;
        pose[0].x.z -= 1e-3; // all others stay
        make_all(&kept, mesh, pose, SHEETS);
        make_all(&fresh, mesh, pose, SHEETS);
        compare_tables(&kept, &fresh);
        count_taken(&kept, &features);
        most = features - before > most ? features - before : most;
        nc_near_table_free(&fresh, &memory);
    }
    print_message("%d features at once\n", most);
    assert_true(most > 500);
    nc_near_table_free(&kept, &memory);
    nc_mesh_release(rough[0]);
    nc_mesh_release(rough[1]);
}

// ---- room ---------------------------------------------------------------------------------------------------------

#define HIGH_TOWER 70

// What a search of each pair alone finds, each once and in the order of rows; returns how many.
static int compare_with_searches(const nc_near_table *t, nc_proximity_list *found)
{
    const nc_proximity_options options = nc_contact_options();
    int features = 0;
    for (int k = 0, in_block = 0; k < t->rows.count; k++) {
        const nc_near_row *row = &t->rows.data[k];
        nc_error err;
        found->count = 0;
        check_ok(nc_proximity_find(t->mesh[row->i], t->pose[row->i], t->mesh[row->j], t->pose[row->j], row->distance,
                                   &options, found, &err),
                 err);
        in_block = k > 0 && row->block == t->rows.data[k - 1].block ? in_block : 0;
        assert_int_equal(row->first, in_block);
        assert_int_equal(row->count, found->count);
        for (int f = 0; f < row->count; f++)
            compare_features(&nc_near_features(t, row)[f], &found->data[f]);
        features += row->count;
        in_block += row->count;
        if (k + 1 == t->rows.count || row->block != t->rows.data[k + 1].block)
            assert_int_equal(t->lists.data[row->block].count, in_block);
    }
    return features;
}

// A block that runs out of room goes on where it was: no row is lost or there twice, and what rests is cached from the
// second table on, as there is room for it at once.
static void blocks_that_run_out_of_room_have_every_row_once(void **state)
{
    (void)state;
    nc_random random = {check_seed("room", 2619)};
    const nc_allocator memory = nc_allocator_or_default(NULL);
    nc_mesh *box = make_shape("box");
    const nc_mesh *mesh[HIGH_TOWER];
    nc_pose pose[HIGH_TOWER];
    nc_near_table t = {.made = false};
    nc_proximity_list found = {.allocator = &memory};
    for (int i = 0; i < HIGH_TOWER; i++) {
        mesh[i] = box;
        pose[i] = (nc_pose){{0, 0, i * 1.005}, nc_quat_identity()};
    }
    for (int step = 0; step < 5; step++) {
        make_all(&t, mesh, pose, HIGH_TOWER);
        assert_true(compare_with_searches(&t, &found) >= 4 * (HIGH_TOWER - 1));
        for (int k = 0; step > 0 && k < t.rows.count; k++)
            assert_true(t.rows.data[k].count == 0 || t.cache.heads.data[k].count > 0);
        for (int i = 0; i < HIGH_TOWER; i++)
            creep(&pose[i], &random, 1e-5);
    }
    nc_proximity_list_free(&found);
    nc_near_table_free(&t, &memory);
    nc_mesh_release(box);
}

// ---- no memory --------------------------------------------------------------------------------------------------

// Fails somewhere in one of many tables of a crowd that changes; the tables after it are right again.
static void a_table_that_had_no_memory_is_right_the_next_time(void **state)
{
    (void)state;
    const nc_allocator plain = nc_allocator_or_default(NULL);
    const uint64_t seed = check_seed("no memory", 2614);
    int failures = 0;
    for (int world = 0; world < 4; world++) {
        fail_allocator counter;
        const nc_allocator memory = fail_allocator_start(&counter, 0);
        nc_near_table kept = {.made = false};
        body_set c;
        begin_body_set(&c, seed + (uint64_t)world);
        for (int step = 0; step < 40; step++) {
            nc_near_table fresh = {.made = false};
            nc_error err;
            live(&c, step);
            const nc_near_bodies bodies = bodies_of(&c);
            counter.fail_at = step % 2 == 0 ? counter.calls + 1 + any_below(&c, 8) : 0;
            counter.keep_failing = step % 4 == 0;
            const nc_code code = nc_near_table_make(&kept, &bodies, c.distance, 1, &memory, &err);
            if (code != NC_OK) {
                assert_int_equal(code, NC_OUT_OF_MEMORY);
                assert_false(kept.made);
                if (++failures % 2 == 0)
                    continue;
                counter.fail_at = 0; // once more, with nobody moved
                counter.keep_failing = false;
                check_ok(nc_near_table_make(&kept, &bodies, c.distance, 1, &memory, &err), err);
            }
            check_ok(nc_near_table_make(&fresh, &bodies, c.distance, 1, &plain, &err), err);
            compare_tables(&kept, &fresh);
            nc_near_table_free(&fresh, &plain);
        }
        nc_near_table_free(&kept, &memory);
        fail_allocator_check_clean(&counter);
        end_body_set(&c);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_that_turns_in_place_is_found_again),
        cmocka_unit_test(notes_about_a_heap_that_creeps_change_no_bit),
        cmocka_unit_test(notes_about_a_tower_that_creeps_change_no_bit),
        cmocka_unit_test(what_is_a_little_too_far_is_never_found_however_thin),
        cmocka_unit_test(tables_that_live_through_changes_are_those_of_a_newborn),
        cmocka_unit_test(a_pose_without_meaning_hides_no_still_body),
        cmocka_unit_test(two_that_rest_and_then_close_in_are_seen_as_by_a_newborn),
        cmocka_unit_test(what_stays_where_it_was_is_taken_over_and_nothing_else),
        cmocka_unit_test(a_pile_with_hundreds_of_near_features_is_taken_over_whole),
        cmocka_unit_test(blocks_that_run_out_of_room_have_every_row_once),
        cmocka_unit_test(a_table_that_had_no_memory_is_right_the_next_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
