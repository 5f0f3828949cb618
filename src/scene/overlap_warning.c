// Do balls around the copies that a generator made overlap? Then the start may intersect, and a note is added.
#include "scene/description.h"

#include <math.h>

typedef struct ball {
    nc_vec3 center;
    double radius;
    int body, copy;
} ball;

static bool less_x(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const ball *p = a, *q = b;
    return p->center.x - p->radius < q->center.x - q->radius;
}

static void fill(const nc_scene *scene, const int *starts, int copies, ball *balls)
{
    for (int copy = 0; copy < copies; copy++)
        for (int i = starts[copy]; i < starts[copy + 1]; i++) {
            const nc_scene_body *body = &scene->bodies.data[i];
            const nc_scene_shape *shape = &scene->shapes.data[body->shape];
            const nc_pose pose = {body->position, body->orientation};
            balls[i - starts[0]] = (ball){nc_pose_apply(pose, shape->ball_center), shape->ball_radius, i, copy};
        }
}

static bool overlap(const ball *a, const ball *b)
{
    const nc_vec3 d = nc_sub(a->center, b->center);
    const double reach = a->radius + b->radius;
    return a->copy != b->copy && nc_dot(d, d) < reach * reach;
}

#define COMPARISONS_MAX 1000000 // comparisons; a crowd is reported well before

// Sweeps along x. Counts overlapping pairs; the first one met comes out in *a, *b.
static int sweep(const ball *balls, int count, int *a, int *b)
{
    int pairs = 0;
    int64_t work = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (balls[j].center.x - balls[j].radius > balls[i].center.x + balls[i].radius)
                break;
            if (pairs > 0 && ++work > COMPARISONS_MAX)
                return pairs;
            if (!overlap(&balls[i], &balls[j]))
                continue;
            if (pairs++ == 0) {
                *a = balls[i].body < balls[j].body ? balls[i].body : balls[j].body;
                *b = balls[i].body < balls[j].body ? balls[j].body : balls[i].body;
            }
        }
    return pairs;
}

nc_code nc_scene_warn_overlap(nc_scene *scene, const nc_node *node, const int *starts, int copies, nc_error *err)
{
    const int count = starts[copies] - starts[0];
    if (count < 2)
        return NC_OK;
    ball *balls = nc_alloc(&scene->allocator, (size_t)count, sizeof *balls);
    if (balls == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *balls);
    fill(scene, starts, copies, balls);
    int a = 0, b = 0, pairs = 0;
    nc_code code = NC_OK;
    if (nc_sort(&scene->allocator, balls, (size_t)count, sizeof *balls, less_x, NULL))
        pairs = sweep(balls, count, &a, &b);
    else
        code = nc_fail_memory(err, (size_t)count * sizeof *balls);
    nc_free(&scene->allocator, balls, (size_t)count, sizeof *balls);
    if (code != NC_OK || pairs == 0)
        return code;
    return nc_scene_add_note(scene, err,
                             "%s:%d: bounding spheres of copies overlap (%d pairs, first \"%s\" and \"%s\"): the "
                             "bodies may intersect; the start is checked exactly",
                             node->file, node->line, pairs, scene->bodies.data[a].name, scene->bodies.data[b].name);
}
