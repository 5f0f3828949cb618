// The stage: bodies as instances of their meshes in the ray tracer, on their way while the shutter is open.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nc_code nc_stage_check(RTCDevice device, nc_error *err)
{
    const enum RTCError code = rtcGetDeviceError(device);
    if (code == RTC_ERROR_NONE)
        return NC_OK;
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return nc_fail(err, NC_OUT_OF_MEMORY, "Embree is out of memory");
    if (code == RTC_ERROR_UNSUPPORTED_CPU)
        return nc_fail(err, NC_UNSUPPORTED, "Embree does not run on this processor");
    return nc_fail(err, NC_IO, "Embree reports error %d", (int)code);
}

// The diagonal of a mesh's box [m], as it is stored: grains that spread do not grow. That of a lone point is half the
// largest of all.
static double wires_of(const nc_reel *reel, int mesh)
{
    nc_mesh *const *stored = reel->first != NULL ? reel->first : reel->meshes;
    double largest = 0;
    for (int i = 0; i < reel->info.mesh_count; i++) {
        const nc_box box = nc_mesh_view(stored[i]).box;
        const double size = nc_norm(nc_sub(box.hi, box.lo));
        if (i == mesh && size > 0)
            return size;
        largest = fmax(largest, size);
    }
    return 0.5 * largest;
}

nc_code nc_stage_create(const nc_reel *reel, nc_stage **out, nc_error *err)
{
    nc_stage *stage = calloc(1, sizeof *stage);
    *out = NULL;
    if (stage == NULL)
        return nc_fail_memory(err, sizeof *stage);
    stage->reel = reel;
    // Trees are built by one thread, so that they are the same on every run; rays are traced by ours.
    stage->device = rtcNewDevice("threads=1,start_threads=0");
    stage->meshes = calloc((size_t)reel->info.mesh_count + 1, sizeof *stage->meshes);
    nc_code code = NC_OK;
    if (stage->device == NULL)
        code = nc_fail(err, NC_UNSUPPORTED, "Embree cannot be started (error %d)", (int)rtcGetDeviceError(NULL));
    else if (stage->meshes == NULL)
        code = nc_fail_memory(err, (size_t)reel->info.mesh_count * sizeof *stage->meshes);
    for (int i = 0; i < reel->info.mesh_count && code == NC_OK; i++)
        code = nc_stage_mesh_build(stage->device, reel->meshes[i], false, wires_of(reel, i), &stage->meshes[i], err);
    if (code != NC_OK)
        nc_stage_destroy(stage);
    else
        *out = stage;
    return code;
}

static void clear(nc_stage *stage)
{
    if (stage->scene != NULL)
        rtcReleaseScene(stage->scene);
    if (stage->open != NULL)
        rtcReleaseScene(stage->open);
    if (stage->clear != NULL)
        rtcReleaseScene(stage->clear);
    if (stage->opaque != NULL && stage->opaque != stage->scene)
        rtcReleaseScene(stage->opaque);
    free(stage->bodies);
    nc_stage_mesh_free(&stage->ropes);
    stage->scene = stage->open = stage->clear = stage->opaque = NULL;
    stage->bodies = NULL;
    stage->body_count = 0;
}

void nc_stage_destroy(nc_stage *stage)
{
    if (stage == NULL)
        return;
    clear(stage);
    for (int i = 0; stage->meshes != NULL && i < stage->reel->info.mesh_count; i++)
        nc_stage_mesh_free(&stage->meshes[i]);
    free(stage->meshes);
    if (stage->device != NULL)
        rtcReleaseDevice(stage->device);
    free(stage);
}

// ---- bodies -------------------------------------------------------------------------------------------------

// The pose of a mesh that has been shifted by its centre, in the ray tracer's coordinates.
static struct RTCQuaternionDecomposition transform_of(nc_pose pose, nc_vec3 center, nc_vec3 origin)
{
    struct RTCQuaternionDecomposition out;
    const nc_quat q = nc_quat_normalize(pose.q);
    const nc_vec3 x = nc_sub(nc_pose_apply(pose, center), origin);
    rtcInitQuaternionDecomposition(&out);
    rtcQuaternionDecompositionSetQuaternion(&out, (float)q.w, (float)q.x, (float)q.y, (float)q.z);
    rtcQuaternionDecompositionSetTranslation(&out, (float)x.x, (float)x.y, (float)x.z);
    return out;
}

// A quaternion and its negative mean the same; the ray tracer goes the short way between neighbours.
static void keep_near(nc_pose *pose, nc_quat before)
{
    const nc_quat q = pose->q;
    if (q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z < 0)
        pose->q = nc_q4(-q.w, -q.x, -q.y, -q.z);
}

static void set_still(nc_stage_body *body, nc_pose pose, nc_vec3 origin)
{
    const nc_mat3 m = nc_quat_matrix(pose.q);
    const nc_vec3 x = nc_sub(nc_pose_apply(pose, body->mesh->center), origin);
    const double rows[12] = {m.row[0].x, m.row[0].y, m.row[0].z, x.x,        m.row[1].x, m.row[1].y,
                             m.row[1].z, x.y,        m.row[2].x, m.row[2].y, m.row[2].z, x.z};
    float matrix[12];
    for (int i = 0; i < 12; i++)
        matrix[i] = (float)rows[i];
    for (int i = 0; i < 9; i++)
        body->rotation[i] = matrix[4 * (i / 3) + i % 3];
    rtcSetGeometryTransform(body->instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, matrix);
}

static void set_moving(nc_stage_body *body, nc_pose *poses, int count, nc_vec3 origin)
{
    body->moves = true;
    rtcSetGeometryTimeStepCount(body->instance, (unsigned)count);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            keep_near(&poses[i], poses[i - 1].q);
        const struct RTCQuaternionDecomposition transform = transform_of(poses[i], body->mesh->center, origin);
        rtcSetGeometryTransformQuaternion(body->instance, (unsigned)i, &transform);
    }
}

// Along the longest side of the box; its scale is the middle side.
static void measure_grain(nc_stage_body *body)
{
    const nc_f3 size = nc_f3_of(nc_sub(body->rest.box.hi, body->rest.box.lo));
    const float most = fmaxf(size.x, fmaxf(size.y, size.z)), least = fminf(size.x, fminf(size.y, size.z));
    body->grain = size.x >= most ? (nc_f3){1, 0, 0} : size.y >= most ? (nc_f3){0, 1, 0} : (nc_f3){0, 0, 1};
    body->grain_size = fmaxf(size.x + size.y + size.z - most - least, 1e-3F * most);
}

static void paint(nc_stage_body *body, const nc_reel *reel, int id)
{
    const nc_run_body *from = &reel->bodies[id];
    uint8_t own[3];
    const bool said = nc_appearance_color(&from->appearance, own);
    body->id = id;
    body->material = (nc_material)from->appearance.material;
    body->has_look = from->appearance.has_color || body->material != NC_MATERIAL_NONE;
    body->colour = said ? nc_rgb_of(own) : nc_body_colour(id, from->type);
    body->rest = nc_mesh_view(reel->first != NULL ? reel->first[from->mesh] : reel->meshes[from->mesh]);
    measure_grain(body);
    body->seed = (float)((uint32_t)id * 0x9e3779b9U >> 8) * 0x1p-24F;
}

static void place_body(nc_stage *stage, const nc_shot *shot, int row)
{
    nc_pose poses[NC_MOTION_POSES];
    const int id = shot->frame.poses[row].body;
    const nc_run_body *from = &stage->reel->bodies[id];
    nc_stage_body *body = &stage->bodies[row];
    body->mesh = &stage->meshes[from->mesh];
    paint(body, stage->reel, id);
    body->instance = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(body->instance, body->mesh->scene);
    const int count = nc_shot_poses(shot, row, poses);
    if (count == 1)
        set_still(body, poses[0], stage->origin);
    else
        set_moving(body, poses, count, stage->origin);
    rtcCommitGeometry(body->instance);
    rtcAttachGeometryByID(stage->scene, body->instance, (unsigned)row);
    rtcReleaseGeometry(body->instance); // the scene keeps it
}

// ---- holders ------------------------------------------------------------------------------------------------

#define LEVEL_RAYS 12 // a body that stops this many less one of the level rays from a place has it inside

// Does the mesh stand around a place in its own frame?
static bool surrounds(const nc_stage_mesh *mesh, nc_vec3 place, nc_vec3 up)
{
    int hits = 0;
    const nc_vec3 other = fabs(up.x) < 0.6 ? nc_v3(1, 0, 0) : nc_v3(0, 1, 0);
    nc_vec3 a = nc_cross(up, other);
    a = nc_scale(1 / nc_norm(a), a);
    const nc_vec3 b = nc_cross(up, a);
    for (int i = 0; i < LEVEL_RAYS; i++) {
        double sine, cosine;
        nc_sincos(6.283185307179586 * i / LEVEL_RAYS, &sine, &cosine);
        const nc_f3 from = nc_f3_of(nc_sub(place, mesh->center));
        const nc_f3 along = nc_f3_of(nc_madd(nc_scale(cosine, a), sine, b));
        struct RTCIntersectContext context;
        struct RTCRay ray = {.org_x = from.x, .org_y = from.y, .org_z = from.z, .tfar = INFINITY};
        ray.dir_x = along.x;
        ray.dir_y = along.y;
        ray.dir_z = along.z;
        ray.mask = ~0U;
        rtcInitIntersectContext(&context);
        rtcOccluded1(mesh->scene, &context, &ray);
        hits += ray.tfar < 0;
    }
    return hits >= LEVEL_RAYS - 1;
}

static bool box_has(nc_box box, nc_vec3 p)
{
    return nc_box_overlap(box, (nc_box){p, p});
}

// Static bodies are asked, by the places of those that move.
static bool holds_others(const nc_stage *stage, const nc_shot *shot, int row, nc_vec3 up)
{
    const nc_run_pose *holder = &shot->frame.poses[row];
    const nc_run_body *body = &stage->reel->bodies[holder->body];
    const nc_box box = nc_mesh_view(stage->reel->meshes[body->mesh]).box;
    const nc_mat3 m = nc_quat_matrix(holder->pose.q);
    if (body->type != NC_STATIC)
        return false;
    for (int i = 0; i < shot->frame.pose_count; i++) {
        const nc_run_pose *other = &shot->frame.poses[i];
        const nc_vec3 place = nc_mat3_tmul(m, nc_sub(other->pose.x, holder->pose.x));
        if (stage->reel->bodies[other->body].type != NC_STATIC && box_has(box, place) &&
            surrounds(&stage->meshes[body->mesh], place, nc_mat3_tmul(m, up)))
            return true;
    }
    return false;
}

static nc_f3 middle_of(const nc_stage *stage, const nc_run_pose *pose)
{
    const nc_box box = nc_mesh_view(stage->reel->meshes[stage->reel->bodies[pose->body].mesh]).box;
    const nc_vec3 middle = nc_pose_apply(pose->pose, nc_scale(0.5, nc_add(box.lo, box.hi)));
    return nc_f3_of(nc_sub(middle, stage->origin));
}

// ---- frames -------------------------------------------------------------------------------------------------

static bool is_drawn(const nc_stage *stage, const nc_run_pose *pose, const nc_axes *axes, const nc_subject *subject,
                     bool ground)
{
    const nc_run_body *body = &stage->reel->bodies[pose->body];
    if (nc_reel_hides(stage->reel, pose->body) || !nc_finite3(pose->pose.x) || !nc_finite4(pose->pose.q))
        return false;
    return !ground || !nc_subject_is_plate(subject, axes, body, stage->reel->meshes[body->mesh], pose->pose);
}

typedef bool (*body_choice)(const nc_stage_body *body);

static bool is_clear(const nc_stage_body *body)
{
    return body->material == NC_MATERIAL_GLASS;
}
static bool is_opaque(const nc_stage_body *body)
{
    return !is_clear(body);
}
static bool is_open(const nc_stage_body *body)
{
    return !is_clear(body) && !body->holds;
}
static bool is_holder(const nc_stage_body *body)
{
    return body->holds;
}

static bool has_some(const nc_stage *stage, body_choice choice)
{
    for (int i = 0; i < stage->body_count; i++)
        if (stage->bodies[i].instance != NULL && choice(&stage->bodies[i]))
            return true;
    return false;
}

// A scene of some of the bodies, with the same numbers.
static RTCScene scene_of(const nc_stage *stage, body_choice choice)
{
    RTCScene scene = rtcNewScene(stage->device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    for (int i = 0; i < stage->body_count; i++)
        if (stage->bodies[i].instance != NULL && choice(&stage->bodies[i]))
            rtcAttachGeometryByID(scene, stage->bodies[i].instance, (unsigned)i);
    rtcCommitScene(scene);
    return scene;
}

// Light passes glass, and reaches what is inside of others.
static void sort_by_light(nc_stage *stage)
{
    stage->opaque = stage->scene;
    if (has_some(stage, is_clear)) {
        stage->clear = scene_of(stage, is_clear);
        stage->opaque = scene_of(stage, is_opaque);
    }
    if (has_some(stage, is_holder))
        stage->open = scene_of(stage, is_open);
}

// Meshes of bodies that deform are those of the reel's frame.
static nc_code shape_meshes(nc_stage *stage, nc_error *err)
{
    const nc_reel *reel = stage->reel;
    nc_code code = NC_OK;
    for (int i = 0; i < reel->info.body_count && code == NC_OK; i++) {
        const nc_run_body *body = &reel->bodies[i];
        if (!body->deforms)
            continue;
        nc_stage_mesh_free(&stage->meshes[body->mesh]);
        code = nc_stage_mesh_build(stage->device, reel->meshes[body->mesh], body->cloth, wires_of(reel, body->mesh),
                                   &stage->meshes[body->mesh], err);
    }
    return code;
}

#define ROPE_PART 0.015F // radius of a rope, of the diagonal of the smaller of its two bodies

static float rope_radius(const nc_stage *stage, const nc_run_joint *joint)
{
    double least = INFINITY;
    const int ends[2] = {joint->body_a, joint->body_b}; // -1: the world
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            least = fmin(least, wires_of(stage->reel, stage->reel->bodies[ends[i]].mesh));
    return isfinite(least) ? ROPE_PART * (float)least : 0;
}

// All ropes are one more instance behind the bodies, with the number `row`.
static nc_code place_ropes(nc_stage *stage, const nc_shot *shot, int row, nc_error *err)
{
    static const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    nc_stage_body *body = &stage->bodies[row];
    float *radius = calloc((size_t)shot->joint_count + 1, sizeof *radius);
    if (radius == NULL)
        return nc_fail_memory(err, (size_t)shot->joint_count * sizeof *radius);
    for (int i = 0; i < shot->joint_count; i++)
        radius[i] = rope_radius(stage, &shot->joints[i]);
    const nc_code code = nc_stage_ropes_build(stage->device, shot, radius, stage->origin, &stage->ropes, err);
    free(radius);
    if (code != NC_OK || stage->ropes.scene == NULL)
        return code;
    *body = (nc_stage_body){.mesh = &stage->ropes, .id = -1, .has_look = true, .material = NC_MATERIAL_MATTE};
    body->colour = nc_rgb_of((const uint8_t[3]){58, 54, 48});
    for (int i = 0; i < 9; i++)
        body->rotation[i] = i % 4 == 0;
    body->instance = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(body->instance, stage->ropes.scene);
    rtcSetGeometryTransform(body->instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, still);
    rtcCommitGeometry(body->instance);
    rtcAttachGeometryByID(stage->scene, body->instance, (unsigned)row);
    rtcReleaseGeometry(body->instance);
    return NC_OK;
}

nc_code nc_stage_place(nc_stage *stage, const nc_shot *shot, const nc_axes *axes, const nc_subject *subject,
                       bool ground, nc_error *err)
{
    clear(stage);
    nc_code code = shape_meshes(stage, err);
    if (code != NC_OK)
        return code;
    stage->origin = subject->middle;
    stage->bodies = calloc((size_t)shot->frame.pose_count + 1, sizeof *stage->bodies);
    if (stage->bodies == NULL)
        return nc_fail_memory(err, (size_t)shot->frame.pose_count * sizeof *stage->bodies);
    stage->scene = rtcNewScene(stage->device);
    rtcSetSceneFlags(stage->scene, RTC_SCENE_FLAG_ROBUST);
    for (int i = 0; i < shot->frame.pose_count; i++) {
        if (!is_drawn(stage, &shot->frame.poses[i], axes, subject, ground))
            continue;
        place_body(stage, shot, i);
        stage->bodies[i].holds = !stage->bodies[i].has_look && holds_others(stage, shot, i, axes->up);
        stage->bodies[i].middle = middle_of(stage, &shot->frame.poses[i]);
    }
    stage->body_count = shot->frame.pose_count + 1;
    if ((code = place_ropes(stage, shot, shot->frame.pose_count, err)) != NC_OK)
        return code;
    rtcCommitScene(stage->scene);
    sort_by_light(stage);
    return nc_stage_check(stage->device, err);
}

nc_f3 nc_stage_turn(const nc_stage_body *body, float time, nc_f3 v)
{
    float moving[12];
    const float *m = body->rotation;
    if (body->moves) {
        rtcGetGeometryTransform(body->instance, time, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, moving);
        for (int i = 3; i < 9; i++) // rows of four to rows of three
            moving[i] = moving[4 * (i / 3) + i % 3];
        m = moving;
    }
    return (nc_f3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                   m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

nc_f3 nc_stage_rest(const nc_stage_body *body, unsigned triangle, float u, float v)
{
    const int *c = body->rest.triangles[triangle];
    const nc_vec3 *p = body->rest.vertices;
    const nc_vec3 at = nc_madd(nc_madd(nc_scale(1 - (double)u - (double)v, p[c[0]]), u, p[c[1]]), v, p[c[2]]);
    return nc_f3_of(nc_sub(at, nc_scale(0.5, nc_add(body->rest.box.lo, body->rest.box.hi))));
}
#endif
