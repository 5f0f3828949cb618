// The direction of a near pair.
//
// Between the two points, as long as their difference has digits to spare. Below that, across the features, which have
// a direction however near they are; and between touching ones towards A's centre, as no point says which side is
// whose.
#include "narrow/proximity.h"

// With this many slacks between the points, their direction is right to about 1e-7.
#define PLENTY 0x1p16

static nc_vec3 home_vertex(const nc_near_frame *f, int row)
{
    return f->home.vertices[row];
}

static nc_vec3 away_vertex(const nc_near_frame *f, int row)
{
    return nc_near_away(f, f->away.vertices[row]);
}

static nc_vec3 triangle_normal(nc_vec3 a, nc_vec3 b, nc_vec3 c)
{
    return nc_cross(nc_sub(b, a), nc_sub(c, a));
}

// `v` without what it has along `e`.
static nc_vec3 across(nc_vec3 v, nc_vec3 e)
{
    const double ee = nc_norm2(e);
    return ee > 0 ? nc_madd(v, -nc_dot(v, e) / ee, e) : v;
}

// Perpendicular to both features, of any length and sign; 0 where there is no such direction.
static nc_vec3 feature_normal(const nc_near_frame *f, const nc_feature_id *id, nc_vec3 centers)
{
    if (id->kind == NC_VERTEX_FACE) {
        const int *t = f->away.triangles[id->b];
        return triangle_normal(away_vertex(f, t[0]), away_vertex(f, t[1]), away_vertex(f, t[2]));
    }
    if (id->kind == NC_FACE_VERTEX) {
        const int *t = f->home.triangles[id->a];
        return triangle_normal(home_vertex(f, t[0]), home_vertex(f, t[1]), home_vertex(f, t[2]));
    }
    nc_vec3 along_a = {0, 0, 0}, along_b = {0, 0, 0};
    if (id->kind == NC_EDGE_EDGE || id->kind == NC_EDGE_VERTEX) {
        const int *e = f->home.edges[id->a];
        along_a = nc_sub(home_vertex(f, e[1]), home_vertex(f, e[0]));
    }
    if (id->kind == NC_EDGE_EDGE || id->kind == NC_VERTEX_EDGE) {
        const int *e = f->away.edges[id->b];
        along_b = nc_sub(away_vertex(f, e[1]), away_vertex(f, e[0]));
    }
    const nc_vec3 n = nc_cross(along_a, along_b);
    return nc_norm2(n) > 0 ? n : across(across(centers, along_a), along_b);
}

static nc_vec3 unit(nc_vec3 v)
{
    const double size = nc_max3(v);
    if (!(size > 0))
        return nc_v3(0, 0, 1);
    const nc_vec3 scaled = nc_scale(1 / size, v);
    return nc_scale(1 / nc_norm(scaled), scaled);
}

nc_vec3 nc_near_normal(const nc_near_frame *f, const nc_proximity *p)
{
    const nc_vec3 between = nc_sub(p->on_a, p->on_b), centers = nc_neg(f->x);
    const double length = nc_norm(between);
    if (length > PLENTY * f->slack)
        return nc_scale(1 / length, between);
    const nc_vec3 n = unit(feature_normal(f, &p->feature, centers));
    const double along = nc_dot(n, between);
    if (length <= f->slack)
        return nc_dot(n, centers) < 0 ? nc_neg(n) : n;
    if (fabs(along) < 0.99 * length)
        return unit(between);
    return along < 0 ? nc_neg(n) : n;
}
