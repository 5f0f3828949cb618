// Generators: where copies of an entry go. One function a generator gives the place of copy i; what is random comes
// on top, in the same order for every generator.
#include "scene/curve.h"
#include "scene/description.h"
#include "scene/rotation.h"

#include "math/math.h"

#include <math.h>
#include <string.h>

typedef struct generating {
    nc_scene *scene;
    const nc_generator_keys *keys;
    nc_placements *out;
    nc_random random;
    nc_vec3 center; // what `burst` flies away from
    nc_error *err;
} generating;

static double random_part(generating *g, double amount)
{
    return amount > 0 ? nc_random_range(&g->random, -amount, amount) : 0;
}

// Adds a copy at a place, with its share of jitter, tumble, spin and burst.
static nc_code add(generating *g, nc_vec3 position, nc_quat rotation)
{
    const nc_generator_keys *keys = g->keys;
    nc_placement copy = {.rotation = rotation};
    const double x = random_part(g, keys->jitter.x), y = random_part(g, keys->jitter.y);
    copy.position = nc_add(position, nc_v3(x, y, random_part(g, keys->jitter.z)));
    if (keys->tumble > 0)
        copy.rotation = nc_quat_mul(nc_rotation_random(&g->random, keys->tumble), rotation);
    if (keys->spin_jitter > 0) {
        const nc_vec3 axis = nc_direction_random(&g->random);
        copy.spin = nc_scale(nc_random_range(&g->random, 0, keys->spin_jitter), axis);
    }
    const nc_vec3 arm = nc_sub(copy.position, g->center);
    const double length = sqrt(nc_dot(arm, arm));
    if (keys->burst != 0 && length > 0)
        copy.velocity = nc_scale(keys->burst / length, arm);
    if (!nc_array_push(&g->scene->allocator, g->out, copy))
        return nc_fail_memory(g->err, sizeof copy);
    return NC_OK;
}

static double middle(int64_t index, int64_t count)
{
    return (double)index - 0.5 * (double)(count - 1);
}

static nc_code grid(generating *g)
{
    const int64_t *n = g->keys->counts;
    const nc_vec3 s = g->keys->spacing;
    nc_code code = NC_OK;
    for (int64_t y = 0; y < n[1]; y++)
        for (int64_t z = 0; z < n[2]; z++)
            for (int64_t x = 0; x < n[0] && code == NC_OK; x++) {
                const nc_vec3 at = nc_v3(s.x * middle(x, n[0]), s.y * middle(y, n[1]), s.z * middle(z, n[2]));
                code = add(g, nc_add(g->center, at), nc_quat_identity());
            }
    return code;
}

static nc_code wall(generating *g)
{
    const int64_t columns = g->keys->counts[0], rows = g->keys->counts[1];
    const double *s = g->keys->spacing_2;
    nc_code code = NC_OK;
    for (int64_t row = 0; row < rows; row++) {
        const double shift = row % 2 == 1 ? g->keys->bond : 0;
        for (int64_t i = 0; i < columns && code == NC_OK; i++) {
            const nc_vec3 at = nc_v3(s[0] * (middle(i, columns) + shift), s[1] * (double)row, 0);
            code = add(g, nc_add(g->keys->base, at), nc_quat_identity());
        }
    }
    return code;
}

static nc_code tower(generating *g)
{
    nc_code code = NC_OK;
    for (int64_t i = 0; i < g->keys->count && code == NC_OK; i++) {
        const nc_vec3 at = nc_v3(0, g->keys->gap * (double)i, 0);
        code = add(g, nc_add(g->keys->base, at), nc_rotation_about(nc_v3(0, 1, 0), g->keys->twist * (double)i));
    }
    return code;
}

static nc_code pyramid(generating *g)
{
    const nc_vec3 s = g->keys->spacing;
    nc_code code = NC_OK;
    for (int64_t layer = 0; layer < g->keys->count; layer++) {
        const int64_t wide = g->keys->count - layer, deep = g->keys->flat ? 1 : wide;
        for (int64_t z = 0; z < deep; z++)
            for (int64_t x = 0; x < wide && code == NC_OK; x++) {
                const nc_vec3 at = nc_v3(s.x * middle(x, wide), s.y * (double)layer, s.z * middle(z, deep));
                code = add(g, nc_add(g->keys->base, at), nc_quat_identity());
            }
    }
    return code;
}

static nc_code chain(generating *g)
{
    const nc_vec3 d = g->keys->direction;
    const double length = sqrt(nc_dot(d, d));
    nc_code code = NC_OK;
    for (int64_t i = 0; i < g->keys->count && code == NC_OK; i++) {
        const nc_vec3 at = nc_scale(g->keys->gap * (double)i / length, d);
        code = add(g, nc_add(g->keys->start, at), nc_rotation_about(d, g->keys->turn * (double)i));
    }
    return code;
}

// The first copy is where the axes, turned so that y goes along the axis, have their x.
static nc_code ring(generating *g)
{
    const nc_quat z_to_y = nc_rotation_about(nc_v3(1, 0, 0), -90);
    const nc_quat frame = nc_quat_mul(nc_rotation_z_to(g->keys->axis), nc_quat_conj(z_to_y));
    nc_code code = NC_OK;
    for (int64_t i = 0; i < g->keys->count && code == NC_OK; i++) {
        const double angle = g->keys->from + g->keys->arc * (double)i / (double)g->keys->count;
        const nc_quat turn = nc_rotation_about(nc_v3(0, 1, 0), angle);
        const nc_quat q = nc_quat_mul(frame, turn);
        const nc_vec3 at = nc_mat3_mul(nc_quat_matrix(q), nc_v3(g->keys->radius, 0, 0));
        code = add(g, nc_add(g->center, at), g->keys->face ? q : nc_quat_identity());
    }
    return code;
}

// Points of a spiral from pole to pole, each turned by the golden angle: nearly even.
static nc_code sphere(generating *g)
{
    const double golden = NC_PI * (3.0 - sqrt(5.0));
    nc_code code = NC_OK;
    for (int64_t i = 0; i < g->keys->count && code == NC_OK; i++) {
        const double y = 1 - (2 * (double)i + 1) / (double)g->keys->count, r = sqrt(fmax(0, 1 - y * y));
        double s, c;
        nc_sincos(golden * (double)i, &s, &c);
        code = add(g, nc_add(g->center, nc_scale(g->keys->radius, nc_v3(r * c, y, r * s))), nc_quat_identity());
    }
    return code;
}

// x along the direction and y up; upright, the part of the direction across `up` is used. False: it has none.
static bool face_along(nc_vec3 direction, nc_vec3 up, bool upright, nc_quat *out)
{
    const nc_vec3 u = nc_scale(1 / nc_norm(up), up);
    nc_vec3 side = nc_cross(direction, u);
    if (!(nc_norm(side) > 1e-9))
        return false;
    side = nc_scale(1 / nc_norm(side), side);
    const nc_vec3 x = upright ? nc_cross(u, side) : direction, y = upright ? u : nc_cross(side, direction);
    nc_mat3 m;
    m.row[0] = nc_v3(x.x, y.x, side.x);
    m.row[1] = nc_v3(x.y, y.y, side.y);
    m.row[2] = nc_v3(x.z, y.z, side.z);
    *out = nc_quat_from_matrix(m);
    return true;
}

// How many copies a curve takes, and how far they are apart. A closed curve has no second copy where it ends.
static nc_code share_curve(const nc_generator_keys *keys, const nc_curve *curve, int64_t *out_count, double *out_gap,
                           nc_error *err)
{
    const double length = nc_curve_length(curve) - keys->skip;
    if (!(length >= 0))
        return nc_node_fail(err, nc_node_find(keys->node, "skip"), "found %g m; the curve is %g m long", keys->skip,
                            nc_curve_length(curve));
    if (isnan(keys->gap) && keys->count < 0)
        return nc_node_fail(err, keys->node, "allowed: spacing, count or both");
    *out_count = keys->count;
    *out_gap = keys->gap;
    if (isnan(keys->gap)) {
        const int64_t shares = curve->closed ? keys->count : keys->count - 1;
        *out_gap = shares > 0 ? length / (double)shares : 0;
        return NC_OK;
    }
    const double most = curve->closed && keys->skip == 0 ? floor(length / keys->gap * (1 + 1e-12))
                                                         : floor(length / keys->gap * (1 + 1e-12)) + 1;
    if (most > NC_SCENE_MAX_BODIES)
        return nc_node_fail(err, keys->node, "%.0f copies; allowed: at most %d bodies", most, NC_SCENE_MAX_BODIES);
    if ((double)keys->count > most)
        return nc_node_fail(err, nc_node_find(keys->node, "count"),
                            "found %lld copies, but %g m of curve with a spacing of %g m have room for %.0f; make the "
                            "curve longer, or the spacing or the count smaller",
                            (long long)keys->count, length, keys->gap, most);
    *out_count = keys->count < 0 ? (int64_t)most : keys->count;
    return NC_OK;
}

static nc_code along_curve(generating *g, const nc_curve *curve)
{
    const nc_generator_keys *keys = g->keys;
    int64_t count = 0;
    double gap = 0;
    nc_code code = share_curve(keys, curve, &count, &gap, g->err);
    for (int64_t i = 0; i < count && code == NC_OK; i++) {
        nc_vec3 direction;
        nc_quat q = nc_quat_identity();
        const double distance = fmin(keys->skip + gap * (double)i, nc_curve_length(curve));
        const nc_vec3 at = nc_curve_at(curve, distance, &direction);
        if (keys->face && !face_along(direction, keys->up, keys->upright, &q))
            return nc_node_fail(g->err, keys->node,
                                "%g m from its beginning the curve runs along up; give another up, or face: false",
                                distance);
        code = add(g, at, q);
    }
    return code;
}

static nc_code along(generating *g)
{
    nc_curve curve = {.closed = false};
    nc_code code = nc_curve_read(g->keys, &g->scene->allocator, &curve, g->err);
    if (code == NC_OK) {
        g->center = curve.points.data[0];
        code = along_curve(g, &curve);
    }
    nc_curve_free(&curve, &g->scene->allocator);
    return code;
}

static double copy_count(nc_generator kind, const nc_generator_keys *keys)
{
    const double n = (double)keys->count;
    if (kind == NC_GRID || kind == NC_PILE)
        return (double)keys->counts[0] * (double)keys->counts[1] * (double)keys->counts[2];
    if (kind == NC_WALL)
        return (double)keys->counts[0] * (double)keys->counts[1];
    if (kind == NC_PYRAMID)
        return keys->flat ? n * (n + 1) / 2 : n * (n + 1) * (2 * n + 1) / 6;
    return n;
}

static nc_vec3 burst_center(nc_generator kind, const nc_generator_keys *keys)
{
    if (kind == NC_CHAIN)
        return keys->start;
    return kind == NC_WALL || kind == NC_TOWER || kind == NC_PYRAMID ? keys->base : keys->center;
}

static nc_code check_axis(const nc_node *map, const char *key, nc_vec3 axis, nc_error *err)
{
    const nc_node *node = nc_node_find(map, key);
    if (node == NULL || nc_dot(axis, axis) > 0)
        return NC_OK;
    return nc_node_fail(err, node, "found a vector of length 0; allowed: any other");
}

uint64_t nc_scene_next_seed(nc_scene *scene)
{
    const int ordinal = scene->generators++;
    return nc_hash_u64(nc_hash_u64(NC_HASH_START, scene->settings.seed), (uint64_t)ordinal);
}

nc_code nc_generator_run(nc_scene *scene, nc_generator kind, const nc_node *map, nc_placements *out, nc_error *err)
{
    static nc_code (*const layouts[NC_GENERATOR_COUNT])(generating *) = {
        [NC_GRID] = grid,   [NC_PILE] = grid, [NC_WALL] = wall,     [NC_TOWER] = tower, [NC_PYRAMID] = pyramid,
        [NC_CHAIN] = chain, [NC_RING] = ring, [NC_SPHERE] = sphere, [NC_ALONG] = along,
    };
    nc_generator_keys keys;
    memset(&keys, 0, sizeof keys);
    nc_key_block_defaults(&nc_generator_blocks[kind], &keys);
    nc_code code = nc_key_block_read(&nc_generator_blocks[kind], map, &keys, err);
    if (code == NC_OK)
        code = check_axis(map, "direction", keys.direction, err);
    if (code == NC_OK)
        code = check_axis(map, "axis", keys.axis, err);
    if (code == NC_OK)
        code = check_axis(map, "up", keys.up, err);
    if (code != NC_OK)
        return code;
    const double count = copy_count(kind, &keys);
    if (count > NC_SCENE_MAX_BODIES)
        return nc_node_fail(err, map, "%.0f copies; allowed: at most %d bodies", count, NC_SCENE_MAX_BODIES);
    const uint64_t next = nc_scene_next_seed(scene), seed = keys.seed >= 0 ? (uint64_t)keys.seed : next;
    generating g = {scene, &keys, out, {seed}, burst_center(kind, &keys), err};
    return layouts[kind](&g);
}
