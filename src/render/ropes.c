// Ropes and rods: joints of kind distance have no surface of their own, so pictures draw a round line for each.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include "render/stage.h"

#include <string.h>

static bool is_rope(const nc_run_joint *joint)
{
    return joint->kind == NC_JOINT_DISTANCE && !joint->broken && nc_finite3(joint->anchor_a) &&
           nc_finite3(joint->anchor_b);
}

// The same joint in the frame before; itself where there is none. Joints are sorted by slot.
static const nc_run_joint *joint_before(const nc_shot *shot, const nc_run_joint *joint)
{
    for (int i = 0; i < shot->joint_count_before; i++)
        if (shot->joints_before[i].joint == joint->joint && is_rope(&shot->joints_before[i]))
            return &shot->joints_before[i];
    return joint;
}

static void write_end(float *to, nc_vec3 then, nc_vec3 now, double u, nc_vec3 origin, float radius)
{
    const nc_f3 p = nc_f3_of(nc_sub(nc_madd(then, u, nc_sub(now, then)), origin));
    memcpy(to, &p, sizeof p);
    to[3] = radius;
}

// Both ends of every rope at part u of the time since the frame before.
static void write_ends(const nc_shot *shot, const float *radius, double u, nc_vec3 origin, float *to)
{
    for (int i = 0; i < shot->joint_count; i++) {
        const nc_run_joint *now = &shot->joints[i], *then = joint_before(shot, now);
        if (!is_rope(now))
            continue;
        write_end(to, then->anchor_a, now->anchor_a, u, origin, radius[i]);
        write_end(to + 4, then->anchor_b, now->anchor_b, u, origin, radius[i]);
        to += 8;
    }
}

nc_code nc_stage_ropes_build(RTCDevice device, const nc_shot *shot, const float *radius, nc_vec3 origin,
                             nc_stage_mesh *out, nc_error *err)
{
    const int times = shot->joint_count_before > 0 ? 2 : 1;
    int count = 0;
    *out = (nc_stage_mesh){0};
    for (int i = 0; i < shot->joint_count; i++)
        count += is_rope(&shot->joints[i]);
    if (count == 0)
        return NC_OK;
    out->scene = rtcNewScene(device);
    rtcSetSceneFlags(out->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    rtcSetGeometryTimeStepCount(geometry, (unsigned)times);
    for (int k = 0; k < times; k++) {
        float *ends = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, (unsigned)k, RTC_FORMAT_FLOAT4, 16,
                                              2 * (size_t)count);
        if (ends != NULL)
            write_ends(shot, radius, k == times - 1 ? 1 : 1 - shot->shutter, origin, ends);
    }
    unsigned *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, 4, (size_t)count);
    for (int i = 0; indices != NULL && i < count; i++)
        indices[i] = 2 * (unsigned)i;
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(out->scene, geometry, NC_PART_EDGES);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(out->scene);
    return nc_stage_check(device, err);
}
#endif
