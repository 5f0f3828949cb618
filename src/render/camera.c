// The camera: where the scene or the options want it, else where everything is in the picture.
#include "render/render.h"

#include <math.h>
#include <stdlib.h>

#define DEGREE             0.017453292519943295 // [rad]
#define FIT_FRAMES         24
#define OUTLIER_BODIES_MIN 20  // bodies from which on some may be left out of the picture
#define OUTLIER_DISTANCE   6.0 // times the median distance from the middle: out of the picture
#define MARGIN             0.9
#define FLAT               0.05 // height over diagonal of a static body that is taken for a ground
#define LARGEST_FLAT       1.3  // times the diagonal of what moves: larger grounds are not framed
#define LARGEST_STILL      2.2  // the same for other static bodies

nc_axes nc_axes_of(nc_vec3 gravity)
{
    const double size = nc_norm(gravity);
    const nc_vec3 y = {0, 1, 0};
    nc_axes axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (!(size > 0) || !isfinite(size))
        return axes;
    axes.up = nc_scale(-1 / size, gravity);
    // The shortest turn from y to `up`; about x when they are opposite.
    const nc_quat turn = axes.up.y < -0.999999
                             ? nc_q4(0, 1, 0, 0)
                             : nc_q4(1 + axes.up.y, nc_cross(y, axes.up).x, 0, nc_cross(y, axes.up).z);
    const nc_mat3 m = nc_quat_matrix(turn);
    axes.right = nc_mat3_mul(m, nc_v3(1, 0, 0));
    axes.front = nc_mat3_mul(m, nc_v3(0, 0, 1));
    return axes;
}

// ---- what is to be seen -------------------------------------------------------------------------------------

// Points are added to the subject one by one.
typedef struct gathering {
    const nc_axes *axes;
    const nc_camera *aim;
    nc_subject *subject;
    nc_box box; // in the coordinates right, up, front
} gathering;

static nc_vec3 in_axes(const nc_axes *axes, nc_vec3 p)
{
    return nc_v3(nc_dot(p, axes->right), nc_dot(p, axes->up), nc_dot(p, axes->front));
}

static void add_point(gathering *g, nc_vec3 p)
{
    const nc_camera *aim = g->aim;
    const double r = nc_dot(p, aim->right), u = nc_dot(p, aim->up), b = nc_dot(p, aim->back);
    double *reach = g->subject->reach;
    reach[0] = fmax(reach[0], r + aim->wide * b);
    reach[1] = fmax(reach[1], -r + aim->wide * b);
    reach[2] = fmax(reach[2], u + aim->tall * b);
    reach[3] = fmax(reach[3], -u + aim->tall * b);
    g->box = nc_box_add(g->box, in_axes(g->axes, p));
}

static void add_body(gathering *g, const nc_mesh *mesh, nc_pose pose)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_frame frame = nc_pose_frame(pose);
    for (int i = 0; i < data.vertex_count; i++)
        add_point(g, nc_frame_apply(frame, data.vertices[i]));
}

// Of a body in the coordinates right, up, front.
static nc_box box_of(const nc_axes *axes, const nc_mesh *mesh, nc_pose pose)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_frame frame = nc_pose_frame(pose);
    nc_box box = nc_box_empty();
    for (int i = 0; i < data.vertex_count; i++)
        box = nc_box_add(box, in_axes(axes, nc_frame_apply(frame, data.vertices[i])));
    return box;
}

static bool less_double(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

// Of `count` > 0 numbers, which are left in ascending order.
static double median(double *numbers, int count)
{
    const nc_allocator allocator = nc_allocator_or_default(NULL);
    nc_sort(&allocator, numbers, (size_t)count, sizeof *numbers, less_double, NULL); // without memory: any of them
    return numbers[count / 2];
}

// The middle of a crowd, and how far from it bodies count; few bodies count all.
typedef struct body_spread {
    nc_vec3 middle;
    double far; // [m]
} body_spread;

static body_spread measure_spread(const nc_run_pose *const *bodies, int count, double *scratch)
{
    body_spread c = {.far = INFINITY};
    if (count < OUTLIER_BODIES_MIN)
        return c;
    double *middle[3] = {&c.middle.x, &c.middle.y, &c.middle.z};
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < count; i++) {
            const nc_vec3 x = bodies[i]->pose.x;
            scratch[i] = axis == 0 ? x.x : axis == 1 ? x.y : x.z;
        }
        *middle[axis] = median(scratch, count);
    }
    for (int i = 0; i < count; i++)
        scratch[i] = nc_norm(nc_sub(bodies[i]->pose.x, c.middle));
    c.far = OUTLIER_DISTANCE * median(scratch, count);
    return c;
}

static nc_code add_moving(gathering *g, const nc_reel *reel, nc_error *err)
{
    const nc_run_frame *frame = &reel->frame;
    const size_t room = (size_t)frame->pose_count + 1;
    const nc_run_pose **bodies = calloc(room, sizeof(void *));
    double *scratch = calloc(room, sizeof *scratch);
    int count = 0;
    const bool there = bodies != NULL && scratch != NULL;
    for (int i = 0; there && i < frame->pose_count; i++)
        if (reel->bodies[frame->poses[i].body].type != NC_STATIC && nc_finite3(frame->poses[i].pose.x) &&
            !nc_reel_hides(reel, frame->poses[i].body))
            bodies[count++] = &frame->poses[i];
    if (count > 0) {
        const body_spread c = measure_spread(bodies, count, scratch);
        for (int i = 0; i < count; i++) {
            const nc_mesh *mesh = reel->meshes[reel->bodies[bodies[i]->body].mesh];
            if (nc_norm(nc_sub(bodies[i]->pose.x, c.middle)) <= c.far + 2 * nc_mesh_view(mesh).radius)
                add_body(g, mesh, bodies[i]->pose);
        }
    }
    free(bodies);
    free(scratch);
    return there ? NC_OK : nc_fail_memory(err, room * sizeof *scratch);
}

static double diagonal(nc_box box)
{
    return box.lo.x > box.hi.x ? 0 : nc_norm(nc_sub(box.hi, box.lo));
}

static bool is_flat(nc_box box)
{
    return box.hi.y - box.lo.y < FLAT * diagonal(box);
}

static bool has_look(const nc_run_body *body)
{
    return body->appearance.has_color || body->appearance.material != NC_MATERIAL_NONE;
}

// Static bodies that are not much larger than what moves; a ground only when it is smaller still. `lowest` is of all,
// `plate` the lowest top of a ground that is left out.
static void add_still(gathering *g, const nc_reel *reel, double *lowest, double *plate)
{
    const double moving = diagonal(g->box);
    for (int i = 0; i < reel->frame.pose_count; i++) {
        const nc_run_pose *pose = &reel->frame.poses[i];
        const nc_run_body *body = &reel->bodies[pose->body];
        if (body->type != NC_STATIC || nc_reel_hides(reel, pose->body))
            continue;
        const nc_box box = box_of(g->axes, reel->meshes[body->mesh], pose->pose);
        *lowest = fmin(*lowest, box.lo.y);
        if (moving <= 0 || diagonal(box) <= (is_flat(box) ? LARGEST_FLAT : LARGEST_STILL) * moving)
            add_body(g, reel->meshes[body->mesh], pose->pose);
        else if (is_flat(box) && !has_look(body))
            *plate = fmin(*plate, box.hi.y);
    }
}

bool nc_subject_is_plate(const nc_subject *subject, const nc_axes *axes, const nc_run_body *body, const nc_mesh *mesh,
                         nc_pose pose)
{
    const nc_box box = box_of(axes, mesh, pose);
    return !has_look(body) && body->type == NC_STATIC && subject->on_plate && is_flat(box) &&
           diagonal(box) > 2 * subject->radius && box.hi.y >= subject->ground &&
           box.hi.y <= subject->ground + 0.01 * subject->radius;
}

static void finish(gathering *g, double lowest_still, double plate)
{
    nc_subject *s = g->subject;
    if (g->box.lo.x > g->box.hi.x)
        add_point(g, nc_v3(0, 0, 0));
    const nc_vec3 m = nc_scale(0.5, nc_add(g->box.lo, g->box.hi));
    s->middle = nc_madd(nc_madd(nc_scale(m.x, g->axes->right), m.y, g->axes->up), m.z, g->axes->front);
    s->radius = fmax(0.5 * diagonal(g->box), 1e-12);
    const bool stands = isfinite(lowest_still);
    s->ground = stands ? lowest_still - 0.003 * s->radius : g->box.lo.y - 0.06 * s->radius;
    s->on_plate = isfinite(plate) && g->box.lo.y > plate - 0.01 * s->radius;
    if (s->on_plate)
        s->ground = plate;
}

nc_code nc_subject_find(nc_reel *reel, const nc_axes *axes, const nc_camera *aim, int64_t first, int64_t last,
                        nc_subject *out, nc_error *err)
{
    *out = (nc_subject){.reach = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    gathering g = {.axes = axes, .aim = aim, .subject = out, .box = nc_box_empty()};
    const int64_t count = last - first < FIT_FRAMES ? last - first + 1 : FIT_FRAMES;
    double lowest = INFINITY, plate = INFINITY;
    nc_code code = NC_OK;
    for (int64_t i = 0; i < count && code == NC_OK; i++) {
        code = nc_reel_seek(reel, count == 1 ? last : first + i * (last - first) / (count - 1), err);
        if (code == NC_OK)
            code = add_moving(&g, reel, err);
    }
    if (code != NC_OK)
        return code;
    add_still(&g, reel, &lowest, &plate);
    finish(&g, lowest, plate);
    return NC_OK;
}

// ---- the camera ---------------------------------------------------------------------------------------------

static void look_along(nc_camera *camera, nc_vec3 back, nc_vec3 up)
{
    nc_vec3 right = nc_cross(up, back);
    if (nc_norm(right) < 1e-9 * nc_norm(back)) // straight down or up
        right = nc_cross(fabs(up.x) < 0.5 * nc_norm(up) ? nc_v3(1, 0, 0) : nc_v3(0, 0, 1), back);
    camera->back = nc_scale(1 / nc_norm(back), back);
    camera->right = nc_scale(1 / nc_norm(right), right);
    camera->up = nc_cross(camera->back, camera->right);
}

nc_camera nc_camera_aim(const nc_scene_camera *request, const nc_axes *axes, double aspect)
{
    nc_camera camera = {0};
    double sin_a, cos_a, sin_e, cos_e, sin_f, cos_f;
    const double azimuth = isnan(request->azimuth) ? 27 : request->azimuth;
    const double elevation = isnan(request->elevation) ? 27 : request->elevation;
    nc_sincos(azimuth * DEGREE, &sin_a, &cos_a);
    nc_sincos(elevation * DEGREE, &sin_e, &cos_e);
    nc_sincos(0.5 * (isnan(request->fov) ? 32 : request->fov) * DEGREE, &sin_f, &cos_f);
    const nc_vec3 level = nc_madd(nc_scale(sin_a, axes->right), cos_a, axes->front);
    // Straight from above, "up" in the picture is away from where the camera would stand.
    const nc_vec3 up = cos_e > 1e-6 ? axes->up : nc_scale(sin_e > 0 ? -1 : 1, level);
    look_along(&camera, nc_madd(nc_scale(cos_e, level), sin_e, axes->up), up);
    camera.tall = sin_f / cos_f;
    camera.wide = camera.tall * aspect;
    return camera;
}

// The nearest place on the line of sight from which everything is seen; `target` NULL: the line is free too.
static nc_vec3 stand_back(const nc_camera *camera, const nc_subject *s, const nc_vec3 *target)
{
    // The margin: tangents of the part of the picture that is filled. `reach` was taken with the whole ones, which
    // differ little, so that the margin is that much wider for what is nearer than the middle.
    const double b = nc_dot(s->middle, camera->back);
    const double wide = camera->wide, tall = camera->tall;
    double r = 0.5 * (s->reach[0] - s->reach[1]), u = 0.5 * (s->reach[2] - s->reach[3]);
    if (target != NULL) {
        r = nc_dot(*target, camera->right);
        u = nc_dot(*target, camera->up);
    }
    const double across = fmax((s->reach[0] - r) / wide, (s->reach[1] + r) / wide);
    const double along = fmax((s->reach[2] - u) / tall, (s->reach[3] + u) / tall);
    const double distance = (fmax(across, along) - b) / MARGIN;
    return nc_madd(nc_madd(nc_scale(r, camera->right), u, camera->up), b + distance, camera->back);
}

static void set_lens(nc_camera *camera, const nc_scene_camera *request, const nc_subject *subject)
{
    const nc_vec3 sharp = nc_finite3(request->focus)    ? request->focus
                          : nc_finite3(request->target) ? request->target
                                                        : subject->middle;
    const double zoom = isnan(request->zoom) ? 1 : request->zoom;
    camera->wide /= zoom;
    camera->tall /= zoom;
    camera->aperture = isnan(request->aperture) ? 0 : request->aperture;
    camera->focus = fmax(nc_dot(nc_sub(camera->eye, sharp), camera->back), 1e-6 * subject->radius);
}

static void place(nc_camera *camera, const nc_scene_camera *request, const nc_axes *axes, const nc_subject *subject,
                  nc_vec3 fallback)
{
    const bool aimed = nc_finite3(request->target);
    camera->eye = fallback;
    if (nc_finite3(request->position)) {
        const nc_vec3 back = nc_sub(request->position, aimed ? request->target : subject->middle);
        look_along(camera, nc_norm(back) > 0 ? back : axes->front, axes->up);
        camera->eye = request->position;
    }
    set_lens(camera, request, subject);
}

void nc_camera_place(nc_camera *camera, const nc_scene_camera *request, const nc_axes *axes, const nc_subject *subject)
{
    place(camera, request, axes, subject,
          stand_back(camera, subject, nc_finite3(request->target) ? &request->target : NULL));
}

// ---- cameras that move --------------------------------------------------------------------------------------

void nc_camera_place_moving(nc_camera *camera, const nc_scene_camera *request, const nc_axes *axes,
                            const nc_subject *subject)
{
    const double tangent = fmin(camera->wide, camera->tall), sine = tangent / sqrt(1 + tangent * tangent);
    const nc_vec3 middle = nc_finite3(request->target) ? request->target : subject->middle;
    place(camera, request, axes, subject, nc_madd(middle, MARGIN * subject->radius / sine, camera->back));
}

// Of four values at even places, between the middle two (Catmull and Rom); the outer ones may be missing.
static double between(double before, double a, double b, double after, double t)
{
    const double in = isnan(before) ? b - a : 0.5 * (b - before), out = isnan(after) ? b - a : 0.5 * (after - a);
    return a + t * (in + t * (3 * (b - a) - 2 * in - out + t * (in + out - 2 * (b - a))));
}

static double or_else(double own, double fallback)
{
    return isnan(own) ? fallback : own;
}

#define KEY_VALUES 10

static void values_of(const nc_scene_camera *r, int key, double out[KEY_VALUES])
{
    const nc_camera_keyframe *k = key >= 0 && key < r->keyframe_count ? &r->keyframes[key] : NULL;
    for (int i = 0; i < KEY_VALUES; i++)
        out[i] = NAN;
    if (k == NULL)
        return;
    const double own[KEY_VALUES] = {k->position.x, k->position.y, k->position.z, k->target.x, k->target.y,
                                    k->target.z,   k->azimuth,    k->elevation,  k->fov,      k->zoom};
    const double base[KEY_VALUES] = {
        r->position.x,       r->position.y,      r->position.z,           r->target.x,
        r->target.y,         r->target.z,        or_else(r->azimuth, 27), or_else(r->elevation, 27),
        or_else(r->fov, 32), or_else(r->zoom, 1)};
    for (int i = 0; i < KEY_VALUES; i++)
        out[i] = or_else(own[i], base[i]);
}

nc_scene_camera nc_camera_request_at(const nc_scene_camera *request, double time)
{
    nc_scene_camera out = *request;
    double v[4][KEY_VALUES], now[KEY_VALUES];
    int key = 0;
    if (request->keyframe_count == 0)
        return out;
    while (key + 2 < request->keyframe_count && time >= request->keyframes[key + 1].time)
        key++;
    const bool alone = request->keyframe_count == 1;
    for (int i = 0; i < 4; i++)
        values_of(request, key - 1 + i, v[i]);
    const double from = request->keyframes[key].time, to = alone ? from + 1 : request->keyframes[key + 1].time;
    const double t = alone ? 0 : fmin(1, fmax(0, (time - from) / (to - from)));
    for (int i = 0; i < KEY_VALUES; i++)
        now[i] = alone ? v[1][i] : between(v[0][i], v[1][i], v[2][i], v[3][i], t);
    out.position = nc_v3(now[0], now[1], now[2]);
    out.target = nc_v3(now[3], now[4], now[5]);
    out.azimuth = now[6];
    out.elevation = now[7];
    out.fov = now[8];
    out.zoom = now[9];
    return out;
}

nc_scene_camera nc_camera_request_around(const nc_scene_camera *request, const nc_axes *axes, const nc_subject *subject,
                                         double angle)
{
    nc_scene_camera out = *request;
    double sine, cosine;
    nc_sincos(angle * DEGREE, &sine, &cosine);
    out.azimuth = or_else(request->azimuth, 27) + angle;
    if (nc_finite3(request->position)) {
        const nc_vec3 middle = nc_finite3(request->target) ? request->target : subject->middle;
        const nc_vec3 off = nc_sub(request->position, middle), up = nc_scale(nc_dot(off, axes->up), axes->up);
        const nc_vec3 level = nc_sub(off, up);
        const nc_vec3 turned = nc_madd(nc_scale(cosine, level), sine, nc_cross(axes->up, level));
        out.position = nc_add(middle, nc_add(up, turned));
    }
    return out;
}
