// Solids made of primitives as functions of slope at most 1 that are at most 0 inside:
//   sphere |x| - r, half-space z, box max(|x_k| - h_k), cylinder max(|(x, y)| - r, |z| - h), capsule: the distance from
//   a segment - r, cone max((|(x, y)| - r(z)) cos, |z| - h), torus |(|(x, y)| - R, z)| - r, gyroid (|g| - l) / (k
//   sqrt(3)), as |grad g| <= k sqrt(3);
//   a or b: min(f, g), blended min(f, g) - (b - |f - g|)^2 / (4 b) where that is nearer than b; a and b: max(f, g);
//   a without the inside of b: max(f, -g).
// docs/theory/trajectory.md has the bounds over boxes.
#include "narrow/csg.h"

#define U     NC_UNIT_ROUNDOFF
#define ROOT3 1.7320508075688774

typedef nc_csg_bounds range;

static range larger(range a, range b)
{
    const range r = {fmax(a.low, b.low), fmax(a.high, b.high)};
    return r;
}

static range negative(range a)
{
    const range r = {-a.high, -a.low};
    return r;
}

static range less(range a, double by)
{
    const range r = {a.low - by, a.high - by};
    return r;
}

static range narrower(range a, range b)
{
    const range r = {fmax(a.low, b.low), fmin(a.high, b.high)};
    return r;
}

// The smooth minimum: its slopes in a and b are not negative and add up to 1.
static double blended(double a, double b, double blend)
{
    const double over = fmax(blend - fabs(a - b), 0);
    return fmin(a, b) - (blend > 0 ? over * over / (4.0 * blend) : 0);
}

// ---- primitives over a box ----------------------------------------------------------------------------------

// A box in the frame of a primitive. What its rounding and that of all that follows comes to is in `slack`.
static nc_oriented_box in_frame(const nc_csg_node *node, const nc_oriented_box *box, double *slack)
{
    const nc_mat3 turn = nc_quat_matrix(node->pose.q);
    nc_oriented_box local = {.center = nc_mat3_tmul(turn, nc_sub(box->center, node->pose.x))};
    double size = nc_max3(box->center) + nc_max3(node->pose.x) + nc_max3(node->size);
    for (int k = 0; k < 3; k++) {
        local.axis[k] = nc_mat3_tmul(turn, box->axis[k]);
        size += nc_max3(box->axis[k]);
    }
    *slack = 512.0 * U * size + 1e-150;
    return local;
}

// Of |x| along an axis, where the centre is at c and the half axes reach to a0, a1, a2.
static range along(double c, double a0, double a1, double a2)
{
    const double reach = fabs(a0) + fabs(a1) + fabs(a2);
    const range r = {fmax(fabs(c) - reach, 0.0), fabs(c) + reach};
    return r;
}

static double reach_along(const nc_oriented_box *box, nc_vec3 n)
{
    return fabs(nc_dot(n, box->axis[0])) + fabs(nc_dot(n, box->axis[1])) + fabs(nc_dot(n, box->axis[2]));
}

// The point of the box nearest the origin, nearly (exactly so for orthogonal axes).
static nc_vec3 nearest_to_origin(const nc_oriented_box *box)
{
    nc_vec3 p = box->center;
    for (int k = 0; k < 3; k++) {
        const double square = nc_norm2(box->axis[k]);
        const double s = square > 0 ? -nc_dot(box->center, box->axis[k]) / square : 0;
        p = nc_madd(p, fmax(-1.0, fmin(s, 1.0)), box->axis[k]);
    }
    return p;
}

// The largest value of a convex function is that of a corner.
static double largest_at_corners(const nc_csg_node *node, const nc_oriented_box *box,
                                 double (*value)(const nc_csg_node *, nc_vec3))
{
    double most = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        nc_vec3 p = box->center;
        for (int k = 0; k < 3; k++)
            p = nc_madd(p, (corner >> k) & 1 ? 1.0 : -1.0, box->axis[k]);
        most = fmax(most, value(node, p));
    }
    return most;
}

static double length_of(const nc_csg_node *node, nc_vec3 p)
{
    (void)node;
    return nc_norm(p);
}

// Of the distance from the origin. Any unit vector n bounds it from below: |x| >= n.x >= n.c - sum of |n.a_k|.
static range distance(const nc_oriented_box *box)
{
    range r = {nc_norm(box->center) - nc_oriented_box_radius(box), largest_at_corners(NULL, box, length_of)};
    const nc_vec3 n = nc_direction(nearest_to_origin(box));
    if (nc_max3(n) > 0)
        r.low = fmax(r.low, nc_dot(n, box->center) - reach_along(box, n));
    r.low = fmax(r.low, 0.0);
    return r;
}

static nc_oriented_box flattened(nc_oriented_box box)
{
    box.center.z = 0;
    for (int k = 0; k < 3; k++)
        box.axis[k].z = 0;
    return box;
}

static range distance_from_z_axis(const nc_oriented_box *box)
{
    const nc_oriented_box flat = flattened(*box);
    return distance(&flat);
}

// ---- primitives at a place, in their own frame ----------------------------------------------------------------

static nc_vec3 axis_direction(nc_vec3 p, int k)
{
    const double x[3] = {p.x, p.y, p.z};
    const double sign = x[k] < 0 ? -1.0 : 1.0;
    return nc_v3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

static double radial(nc_vec3 p)
{
    return sqrt(p.x * p.x + p.y * p.y);
}

static nc_csg_sample higher(nc_csg_sample a, nc_csg_sample b)
{
    return a.value >= b.value ? a : b;
}

static nc_csg_sample slab(nc_vec3 p, int axis, double coordinate, double half)
{
    const nc_csg_sample s = {fabs(coordinate) - half, axis_direction(p, axis)};
    return s;
}

static nc_csg_sample at_box(const nc_csg_node *node, nc_vec3 p)
{
    const nc_vec3 h = node->size;
    return higher(higher(slab(p, 0, p.x, h.x), slab(p, 1, p.y, h.y)), slab(p, 2, p.z, h.z));
}

static nc_csg_sample at_cylinder(const nc_csg_node *node, nc_vec3 p)
{
    const nc_csg_sample side = {radial(p) - node->size.x, nc_direction(nc_v3(p.x, p.y, 0))};
    return higher(side, slab(p, 2, p.z, node->size.z));
}

static nc_csg_sample at_capsule(const nc_csg_node *node, nc_vec3 p)
{
    const double z = fmax(-node->size.z, fmin(p.z, node->size.z));
    const nc_vec3 from = nc_v3(p.x, p.y, p.z - z);
    const nc_csg_sample s = {nc_norm(from) - node->size.x, nc_direction(from)};
    return s;
}

static double capsule_value(const nc_csg_node *node, nc_vec3 p)
{
    return at_capsule(node, p).value;
}

// The side of a cone is where radial cos + z sin = middle: outward (cos, sin), through both rims.
typedef struct cone_side {
    double cos, sin, middle;
} cone_side;

static cone_side side_of(const nc_csg_node *node)
{
    const double fall = node->size.x - node->size.y, height = 2.0 * node->size.z;
    const double slant = sqrt(fall * fall + height * height);
    const double c = slant > 0 ? height / slant : 1, s = slant > 0 ? fall / slant : 0;
    const cone_side side = {c, s, 0.5 * (node->size.x + node->size.y) * c};
    return side;
}

static nc_csg_sample at_cone(const nc_csg_node *node, nc_vec3 p)
{
    const cone_side c = side_of(node);
    const nc_vec3 out = nc_direction(nc_v3(p.x, p.y, 0));
    const nc_csg_sample side = {radial(p) * c.cos + p.z * c.sin - c.middle, nc_v3(out.x * c.cos, out.y * c.cos, c.sin)};
    return higher(side, slab(p, 2, p.z, node->size.z));
}

static double cone_side_value(const nc_csg_node *node, nc_vec3 p)
{
    const cone_side c = side_of(node);
    return radial(p) * c.cos + p.z * c.sin - c.middle;
}

static nc_csg_sample at_torus(const nc_csg_node *node, nc_vec3 p)
{
    const double rho = radial(p), q = rho - node->size.x, d = sqrt(q * q + p.z * p.z);
    const nc_vec3 out = nc_direction(nc_v3(p.x, p.y, 0));
    const nc_csg_sample s = {d - node->size.y, nc_direction(nc_v3(out.x * q, out.y * q, p.z))};
    return s;
}

static nc_csg_sample at_gyroid(const nc_csg_node *node, nc_vec3 p)
{
    const double k = 2.0 * NC_PI / node->size.x;
    double sx, cx, sy, cy, sz, cz;
    nc_sincos(k * p.x, &sx, &cx);
    nc_sincos(k * p.y, &sy, &cy);
    nc_sincos(k * p.z, &sz, &cz);
    const double g = sx * cy + sy * cz + sz * cx, sign = g < 0 ? -1.0 : 1.0;
    const nc_vec3 slope = nc_v3(cx * cy - sz * sx, cy * cz - sx * sy, cz * cx - sy * sz);
    const nc_csg_sample s = {(fabs(g) - node->size.y) / (k * ROOT3), nc_scale(sign / ROOT3, slope)};
    return s;
}

static nc_csg_sample at_primitive(const nc_csg_node *node, nc_vec3 p)
{
    switch (node->kind) {
    case NC_CSG_SPHERE:
        return (nc_csg_sample){nc_norm(p) - node->size.x, nc_direction(p)};
    case NC_CSG_BOX:
        return at_box(node, p);
    case NC_CSG_CYLINDER:
        return at_cylinder(node, p);
    case NC_CSG_CAPSULE:
        return at_capsule(node, p);
    case NC_CSG_CONE:
        return at_cone(node, p);
    case NC_CSG_TORUS:
        return at_torus(node, p);
    case NC_CSG_GYROID:
        return at_gyroid(node, p);
    default:
        return (nc_csg_sample){p.z, nc_v3(0, 0, 1)};
    }
}

// ---- bounds -------------------------------------------------------------------------------------------------

// A convex function g with gradient n at c: g(x) >= g(c) + n.(x - c).
static range over_capsule(const nc_csg_node *node, const nc_oriented_box *box)
{
    const nc_csg_sample middle = at_capsule(node, box->center);
    nc_vec3 near = box->center;
    for (int k = 0; k < 3; k++)
        near = nc_madd(near, nc_dot(middle.gradient, box->axis[k]) > 0 ? -1.0 : 1.0, box->axis[k]);
    const nc_csg_sample s = at_capsule(node, near);
    const double from_near = s.value + nc_dot(s.gradient, nc_sub(box->center, near)) - reach_along(box, s.gradient);
    const range r = {fmax(middle.value - reach_along(box, middle.gradient), from_near),
                     largest_at_corners(node, box, capsule_value)};
    return r;
}

// The side is convex, and |(x, y)| >= n.(x, y) for any unit vector n.
static range over_cone(const nc_csg_node *node, const nc_oriented_box *box, range z)
{
    const cone_side c = side_of(node);
    const nc_oriented_box flat = flattened(*box);
    const nc_vec3 out = nc_direction(nearest_to_origin(&flat)), n = nc_v3(out.x * c.cos, out.y * c.cos, c.sin);
    const range side = {nc_dot(n, box->center) - reach_along(box, n) - c.middle,
                        largest_at_corners(node, box, cone_side_value)};
    return larger(side, less(z, node->size.z));
}

static double hypotenuse(double a, double b)
{
    return sqrt(a * a + b * b);
}

static range over_torus(const nc_csg_node *node, const nc_oriented_box *box, range z)
{
    const range q = less(distance_from_z_axis(box), node->size.x);
    const double least = q.low > 0 ? q.low : q.high < 0 ? -q.high : 0, most = fmax(fabs(q.low), fabs(q.high));
    const range r = {hypotenuse(least, z.low), hypotenuse(most, z.high)};
    return less(r, node->size.y);
}

// Any function of slope at most 1.
static range by_slope(const nc_csg_node *node, const nc_oriented_box *box)
{
    const double value = at_primitive(node, box->center).value, radius = nc_oriented_box_radius(box);
    const range r = {value - radius, value + radius};
    return r;
}

static range over_slabs(const nc_csg_node *node, const nc_oriented_box *box, range z)
{
    const nc_vec3 c = box->center, *a = box->axis;
    const range x = along(c.x, a[0].x, a[1].x, a[2].x), y = along(c.y, a[0].y, a[1].y, a[2].y);
    return larger(larger(less(x, node->size.x), less(y, node->size.y)), less(z, node->size.z));
}

static range over_primitive(const nc_csg_node *node, const nc_oriented_box *box)
{
    const nc_vec3 c = box->center, *a = box->axis;
    const range z = along(c.z, a[0].z, a[1].z, a[2].z);
    const double reach = fabs(a[0].z) + fabs(a[1].z) + fabs(a[2].z);
    switch (node->kind) {
    case NC_CSG_SPHERE:
        return less(distance(box), node->size.x);
    case NC_CSG_BOX:
        return over_slabs(node, box, z);
    case NC_CSG_CYLINDER:
        return larger(less(distance_from_z_axis(box), node->size.x), less(z, node->size.z));
    case NC_CSG_CAPSULE:
        return over_capsule(node, box);
    case NC_CSG_CONE:
        return over_cone(node, box, z);
    case NC_CSG_TORUS:
        return narrower(over_torus(node, box, z), by_slope(node, box));
    case NC_CSG_GYROID:
        return by_slope(node, box);
    default:
        return (range){c.z - reach, c.z + reach};
    }
}

static range primitive(const nc_csg_node *node, const nc_oriented_box *world)
{
    double slack;
    const nc_oriented_box box = in_frame(node, world, &slack);
    range r = over_primitive(node, &box);
    // Of a gyroid: its trigonometry, over the slope; angles are rounded like places.
    if (node->kind == NC_CSG_GYROID)
        slack += 64.0 * U * (node->size.x + node->size.y * node->size.x);
    r.low -= slack;
    r.high += slack;
    return r;
}

static range combined(const nc_csg_node *node, range a, range b)
{
    if (node->kind == NC_CSG_UNION) {
        const double blend = node->size.x, slack = 16.0 * U * blend;
        const range r = {blended(a.low, b.low, blend) - slack, blended(a.high, b.high, blend) + slack};
        return r;
    }
    return larger(a, node->kind == NC_CSG_INTERSECTION ? b : negative(b));
}

nc_csg_bounds nc_csg_over_box(const nc_csg *csg, const nc_oriented_box *box)
{
    range r[NC_CSG_MAX];
    for (int i = 0; i < csg->count; i++) {
        const nc_csg_node *node = &csg->nodes[i];
        r[i] = node->kind < NC_CSG_UNION ? primitive(node, box) : combined(node, r[node->a], r[node->b]);
    }
    return r[csg->count - 1];
}

void nc_csg_range(const nc_csg *csg, const nc_oriented_box *box, double *low, double *high)
{
    const range r = nc_csg_over_box(csg, box);
    *low = r.low;
    *high = r.high;
}

// ---- places -------------------------------------------------------------------------------------------------

static nc_csg_sample joined(double blend, nc_csg_sample a, nc_csg_sample b)
{
    const nc_csg_sample less_one = a.value <= b.value ? a : b, other = a.value <= b.value ? b : a;
    const double over = fmax(blend - (other.value - less_one.value), 0), part = blend > 0 ? 0.5 * over / blend : 0;
    const nc_csg_sample s = {blended(a.value, b.value, blend),
                             nc_madd(nc_scale(1.0 - part, less_one.gradient), part, other.gradient)};
    return s;
}

static nc_csg_sample combined_at(const nc_csg_node *node, nc_csg_sample a, nc_csg_sample b)
{
    if (node->kind == NC_CSG_UNION)
        return joined(node->size.x, a, b);
    if (node->kind == NC_CSG_INTERSECTION)
        return higher(a, b);
    const nc_csg_sample outside = {-b.value, nc_neg(b.gradient)};
    return higher(a, outside);
}

static nc_csg_sample primitive_at(const nc_csg_node *node, nc_vec3 p)
{
    const nc_mat3 turn = nc_quat_matrix(node->pose.q);
    nc_csg_sample s = at_primitive(node, nc_mat3_tmul(turn, nc_sub(p, node->pose.x)));
    s.gradient = nc_mat3_mul(turn, s.gradient);
    return s;
}

nc_csg_sample nc_csg_at(const nc_csg *csg, nc_vec3 p)
{
    nc_csg_sample rows[NC_CSG_MAX];
    for (int i = 0; i < csg->count; i++) {
        const nc_csg_node *node = &csg->nodes[i];
        rows[i] = node->kind < NC_CSG_UNION ? primitive_at(node, p) : combined_at(node, rows[node->a], rows[node->b]);
    }
    return rows[csg->count - 1];
}

double nc_csg_value(const nc_csg *csg, nc_vec3 p)
{
    return nc_csg_at(csg, p).value;
}

// ---- where a solid is -----------------------------------------------------------------------------------------

static nc_vec3 half_sizes(const nc_csg_node *node)
{
    const nc_vec3 s = node->size;
    switch (node->kind) {
    case NC_CSG_SPHERE:
        return nc_v3(s.x, s.x, s.x);
    case NC_CSG_BOX:
        return s;
    case NC_CSG_CYLINDER:
        return nc_v3(s.x, s.x, s.z);
    case NC_CSG_CAPSULE:
        return nc_v3(s.x, s.x, s.z + s.x);
    case NC_CSG_CONE:
        return nc_v3(fmax(s.x, s.y), fmax(s.x, s.y), s.z);
    case NC_CSG_TORUS:
        return nc_v3(s.x + s.y, s.x + s.y, s.y);
    default:
        return nc_v3(INFINITY, INFINITY, INFINITY);
    }
}

static nc_box box_of_primitive(const nc_csg_node *node)
{
    const nc_vec3 h = half_sizes(node);
    const nc_box all = {nc_v3(-INFINITY, -INFINITY, -INFINITY), nc_v3(INFINITY, INFINITY, INFINITY)};
    if (!nc_finite3(h))
        return all;
    const nc_mat3 m = nc_quat_matrix(node->pose.q);
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = fabs(m.row[k].x) * h.x + fabs(m.row[k].y) * h.y + fabs(m.row[k].z) * h.z;
    const double slack = 64.0 * U * (nc_max3(h) + nc_max3(node->pose.x));
    const nc_vec3 reach = nc_add(nc_v3(e[0], e[1], e[2]), nc_v3(slack, slack, slack));
    const nc_box box = {nc_sub(node->pose.x, reach), nc_add(node->pose.x, reach)};
    return box;
}

// A blend adds at most a quarter of its length to both.
static nc_box box_of_operation(const nc_csg_node *node, nc_box a, nc_box b)
{
    if (node->kind == NC_CSG_DIFFERENCE)
        return a;
    if (node->kind == NC_CSG_INTERSECTION)
        return (nc_box){nc_max_v3(a.lo, b.lo), nc_min_v3(a.hi, b.hi)};
    const nc_vec3 more = nc_v3(node->size.x, node->size.x, node->size.x);
    return (nc_box){nc_sub(nc_min_v3(a.lo, b.lo), more), nc_add(nc_max_v3(a.hi, b.hi), more)};
}

nc_box nc_csg_box(const nc_csg *csg)
{
    nc_box boxes[NC_CSG_MAX];
    for (int i = 0; i < csg->count; i++) {
        const nc_csg_node *node = &csg->nodes[i];
        boxes[i] =
            node->kind < NC_CSG_UNION ? box_of_primitive(node) : box_of_operation(node, boxes[node->a], boxes[node->b]);
    }
    return boxes[csg->count - 1];
}
