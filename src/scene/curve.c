// Curves: straight lines or a smooth curve through points, and spirals.
#include "scene/curve.h"
#include "scene/rotation.h"

#include "math/math.h"

#include <math.h>

// Chosen: the turn of a curve from piece to piece is below what is seen. They change where copies stand.
#define PIECES_PER_SPAN 64   // [1] of a smooth curve, from point to point
#define PIECES_PER_TURN 720  // [1] of a spiral
#define MAX_POINTS      1e4  // [1] that a scene gives
#define SAME_POINT      1e-9 // [1] of the coordinates: points nearer than this are one

static nc_code add(nc_curve *curve, const nc_allocator *allocator, nc_vec3 point, nc_error *err)
{
    const int last = curve->points.count - 1;
    const double far = last < 0 ? 0 : curve->distance.data[last] + nc_norm(nc_sub(point, curve->points.data[last]));
    if (last >= 0 && !(far > curve->distance.data[last]))
        return NC_OK; // no new point
    if (!nc_array_push(allocator, &curve->points, point) || !nc_array_push(allocator, &curve->distance, far))
        return nc_fail_memory(err, sizeof point);
    return NC_OK;
}

// ---- through points -----------------------------------------------------------------------------------------

static nc_vec3 blend(nc_vec3 a, nc_vec3 b, double ta, double tb, double t)
{
    return nc_add(nc_scale((tb - t) / (tb - ta), a), nc_scale((t - ta) / (tb - ta), b));
}

// Barry and Goldman's pyramid, with knots by the square root of the chord (centripetal): no loops, no overshoot.
static nc_vec3 catmull_rom(const nc_vec3 p[4], double part)
{
    double t[4] = {0};
    for (int i = 1; i < 4; i++)
        t[i] = t[i - 1] + sqrt(nc_norm(nc_sub(p[i], p[i - 1])));
    const double at = t[1] + part * (t[2] - t[1]);
    const nc_vec3 a = blend(p[0], p[1], t[0], t[1], at), b = blend(p[1], p[2], t[1], t[2], at);
    const nc_vec3 c = blend(p[2], p[3], t[2], t[3], at);
    return blend(blend(a, b, t[0], t[2], at), blend(b, c, t[1], t[3], at), t[1], t[2], at);
}

// Point i of a list that goes around when it is closed, and is continued straight on when it is not.
static nc_vec3 control(const nc_vec3 *points, int count, bool closed, int i)
{
    if (closed)
        return points[(i + count) % count];
    if (i < 0)
        return nc_sub(nc_scale(2, points[0]), points[1]);
    return i < count ? points[i] : nc_sub(nc_scale(2, points[count - 1]), points[count - 2]);
}

static nc_code join_points(const nc_vec3 *points, int count, const nc_generator_keys *keys,
                           const nc_allocator *allocator, nc_curve *out, nc_error *err)
{
    const int spans = keys->closed ? count : count - 1, pieces = keys->smooth ? PIECES_PER_SPAN : 1;
    nc_code code = add(out, allocator, points[0], err);
    for (int i = 0; i < spans; i++) {
        const nc_vec3 p[4] = {control(points, count, keys->closed, i - 1), control(points, count, keys->closed, i),
                              control(points, count, keys->closed, i + 1), control(points, count, keys->closed, i + 2)};
        for (int k = 1; k < pieces && code == NC_OK; k++)
            code = add(out, allocator, catmull_rom(p, (double)k / pieces), err);
        if (code == NC_OK)
            code = add(out, allocator, p[2], err);
    }
    return code;
}

static nc_code read_points(const nc_generator_keys *keys, nc_vec3 *points, nc_error *err)
{
    const nc_key key = {.name = "points", .kind = NC_KEY_VECTOR, .unit = "m", .low = -1e9, .high = 1e9};
    int count = 0;
    for (const nc_node *node = keys->points->first; node != NULL; node = node->next, count++) {
        const nc_code code = nc_key_read(&key, node, &points[count], err);
        if (code != NC_OK)
            return code;
        const nc_vec3 last = points[count > 0 ? count - 1 : 0];
        if (count > 0 && nc_norm(nc_sub(points[count], last)) <= SAME_POINT * nc_norm(last))
            return nc_node_fail(err, node, "found the point before once more; allowed: points that differ");
    }
    if (keys->closed && nc_norm(nc_sub(points[0], points[count - 1])) <= SAME_POINT * nc_norm(points[0]))
        return nc_node_fail(err, keys->points->last,
                            "found the first point once more; a closed curve returns to it by itself: leave it out");
    return NC_OK;
}

static nc_code through_points(const nc_generator_keys *keys, const nc_allocator *allocator, nc_curve *out,
                              nc_error *err)
{
    const int least = keys->closed ? 3 : 2, count = keys->points->count;
    if (count < least || count > MAX_POINTS)
        return nc_node_fail(err, keys->points, "found %d point%s; allowed: %d to %.0f%s", count, count == 1 ? "" : "s",
                            least, MAX_POINTS, keys->closed ? " of a closed curve" : "");
    nc_vec3 *points = nc_alloc(allocator, (size_t)count, sizeof *points);
    if (points == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *points);
    nc_code code = read_points(keys, points, err);
    if (code == NC_OK)
        code = join_points(points, count, keys, allocator, out, err);
    nc_free(allocator, points, (size_t)count, sizeof *points);
    return code;
}

// ---- spirals ------------------------------------------------------------------------------------------------

// It begins where ring puts its first copy: at the x of axes whose y was turned to the axis.
static nc_code spiral(const nc_node *map, const nc_allocator *allocator, nc_curve *out, nc_error *err)
{
    nc_spiral_keys keys;
    nc_key_block_defaults(&nc_spiral_block, &keys);
    nc_code code = nc_key_block_read(&nc_spiral_block, map, &keys, err);
    if (code != NC_OK)
        return code;
    if (!(nc_dot(keys.axis, keys.axis) > 0))
        return nc_node_fail(err, nc_node_find(map, "axis"), "found a vector of length 0; allowed: any other");
    const nc_quat z_to_y = nc_rotation_about(nc_v3(1, 0, 0), -90);
    const nc_quat frame = nc_quat_mul(nc_rotation_z_to(keys.axis), nc_quat_conj(z_to_y));
    const double end = isnan(keys.end_radius) ? keys.radius : keys.end_radius;
    const int pieces = (int)ceil(fabs(keys.turns) * PIECES_PER_TURN) + 1;
    for (int i = 0; i <= pieces && code == NC_OK; i++) {
        const double part = (double)i / pieces, radius = keys.radius + part * (end - keys.radius);
        const nc_quat turn = nc_rotation_about(nc_v3(0, 1, 0), keys.from + 360 * keys.turns * part);
        const nc_quat q = nc_quat_mul(frame, turn);
        const nc_vec3 at = nc_mat3_mul(nc_quat_matrix(q), nc_v3(radius, part * keys.rise, 0));
        code = add(out, allocator, nc_add(keys.center, at), err);
    }
    out->closed = end == keys.radius && keys.rise == 0 && keys.turns != 0 && keys.turns == floor(keys.turns);
    return code;
}

// ---- the curve ----------------------------------------------------------------------------------------------

nc_code nc_curve_read(const nc_generator_keys *keys, const nc_allocator *allocator, nc_curve *out, nc_error *err)
{
    *out = (nc_curve){.closed = keys->closed};
    if ((keys->points != NULL) == (keys->spiral != NULL))
        return nc_node_fail(err, keys->node, "allowed: one of points and spiral");
    const nc_node *closed = nc_node_find(keys->node, "closed"), *smooth = nc_node_find(keys->node, "smooth");
    if (keys->spiral != NULL && (closed != NULL || smooth != NULL))
        return nc_node_fail(err, closed != NULL ? closed : smooth, "for points; a spiral takes neither");
    nc_code code =
        keys->spiral != NULL ? spiral(keys->spiral, allocator, out, err) : through_points(keys, allocator, out, err);
    if (code == NC_OK && out->points.count < 2)
        code = nc_node_fail(err, keys->node, "the curve has no length; allowed: one that is longer than 0");
    return code;
}

void nc_curve_free(nc_curve *curve, const nc_allocator *allocator)
{
    nc_array_free(allocator, &curve->points);
    nc_array_free(allocator, &curve->distance);
}

double nc_curve_length(const nc_curve *curve)
{
    return curve->distance.data[curve->distance.count - 1];
}

nc_vec3 nc_curve_at(const nc_curve *curve, double distance, nc_vec3 *out_direction)
{
    int low = 0, high = curve->points.count - 1;
    while (high - low > 1) {
        const int mid = (low + high) / 2;
        if (curve->distance.data[mid] <= distance)
            low = mid;
        else
            high = mid;
    }
    const nc_vec3 step = nc_sub(curve->points.data[high], curve->points.data[low]);
    const double piece = curve->distance.data[high] - curve->distance.data[low];
    *out_direction = nc_scale(1 / nc_norm(step), step);
    return nc_add(curve->points.data[low], nc_scale((distance - curve->distance.data[low]) / piece, step));
}
