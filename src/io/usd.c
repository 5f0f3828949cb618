// Clips as USD in its text form (.usda): the stage, and what is gathered before it is written.
#include "io/usd.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Up to so many triangles and edges in all, each body has its own copy of its mesh: simple readers follow no
// references.
#define COPIES_MAX 20000

// ---- what there is ------------------------------------------------------------------------------------------

static int count_moving(const nc_clip *clip)
{
    int count = 0;
    for (int i = 0; i < clip->body_count; i++)
        count += clip->bodies[i].moving;
    return count;
}

bool nc_usd_uses_instancer(const nc_clip *clip, const nc_usd_options *options)
{
    const int from = options != NULL && options->instancer_from > 0 ? options->instancer_from : NC_USD_INSTANCER_FROM;
    return count_moving(clip) >= from;
}

static bool collect_meshes(nc_usd *usd)
{
    const nc_clip *clip = usd->clip;
    usd->mesh_of = nc_alloc(&usd->allocator, (size_t)clip->mesh_count, sizeof *usd->mesh_of);
    usd->colour_of = nc_alloc(&usd->allocator, (size_t)clip->mesh_count, sizeof *usd->colour_of);
    if (usd->mesh_of == NULL || usd->colour_of == NULL)
        return false;
    for (int i = 0; i < clip->mesh_count; i++)
        usd->mesh_of[i] = -1;
    for (int i = 0, colour = 0; i < clip->body_count; i++) {
        const int mesh = clip->bodies[i].mesh;
        for (int k = 0; k < usd->meshes.count && usd->mesh_of[mesh] < 0; k++)
            if (nc_meshes_are_equal(clip->meshes[usd->meshes.data[k]], clip->meshes[mesh]))
                usd->mesh_of[mesh] = k;
        if (usd->mesh_of[mesh] < 0) {
            usd->mesh_of[mesh] = usd->meshes.count;
            if (!nc_array_push(&usd->allocator, &usd->meshes, mesh))
                return false;
        }
        int *number = &usd->colour_of[usd->mesh_of[mesh]];
        if ((clip->bodies[i].moving || clip->bodies[i].deforms) && *number == 0)
            *number = ++colour;
    }
    return true;
}

static bool collect_frictions(nc_usd *usd)
{
    const nc_clip_body *bodies = usd->clip->bodies;
    for (int i = 0; i < usd->clip->body_count; i++) {
        int k = 0;
        while (k < usd->frictions.count && (bodies[usd->frictions.data[k]].friction != bodies[i].friction ||
                                            bodies[usd->frictions.data[k]].restitution != bodies[i].restitution))
            k++;
        if (k == usd->frictions.count && !nc_array_push(&usd->allocator, &usd->frictions, i))
            return false;
    }
    return true;
}

static bool collect_looks(nc_usd *usd)
{
    const nc_clip_body *bodies = usd->clip->bodies;
    for (int i = 0; i < usd->clip->body_count; i++) {
        int k = 0;
        while (k < usd->looks.count &&
               !nc_appearance_same(&bodies[usd->looks.data[k]].appearance, &bodies[i].appearance))
            k++;
        if (k == usd->looks.count && !nc_appearance_is_none(&bodies[i].appearance) &&
            !nc_array_push(&usd->allocator, &usd->looks, i))
            return false;
    }
    return true;
}

static bool same_shape(const nc_usd *usd, int a, int b)
{
    const nc_clip_body *p = &usd->clip->bodies[a], *q = &usd->clip->bodies[b];
    return usd->mesh_of[p->mesh] == usd->mesh_of[q->mesh] && p->type == q->type && p->mass == q->mass &&
           p->friction == q->friction && p->restitution == q->restitution &&
           nc_appearance_same(&p->appearance, &q->appearance);
}

static bool collect_shapes(nc_usd *usd)
{
    const nc_clip *clip = usd->clip;
    usd->shape_of = nc_alloc(&usd->allocator, (size_t)clip->body_count, sizeof *usd->shape_of);
    if (usd->shape_of == NULL)
        return false;
    for (int i = 0; i < clip->body_count && usd->instancer; i++) {
        if (!clip->bodies[i].moving)
            continue;
        int k = 0;
        while (k < usd->shapes.count && !same_shape(usd, usd->shapes.data[k].body, i))
            k++;
        const nc_usd_shape shape = {usd->mesh_of[clip->bodies[i].mesh], i};
        if (k == usd->shapes.count && !nc_array_push(&usd->allocator, &usd->shapes, shape))
            return false;
        usd->shape_of[i] = k;
    }
    return true;
}

static bool wants_references(const nc_usd *usd)
{
    int64_t elements = 0;
    for (int i = 0; i < usd->clip->body_count; i++) {
        const nc_mesh_data data = nc_mesh_view(usd->clip->meshes[usd->clip->bodies[i].mesh]);
        elements += data.triangle_count + data.edge_count + data.point_count;
    }
    return usd->instancer || elements > COPIES_MAX;
}

// ---- the frames, read once ----------------------------------------------------------------------------------

static bool pose_is_usable(nc_pose pose)
{
    const double n = nc_quat_norm2(pose.q);
    return isfinite(pose.x.x) && isfinite(pose.x.y) && isfinite(pose.x.z) && n > 0 && isfinite(n);
}

static nc_code look_at_frame(nc_usd *usd, int frame, uint8_t *seen, nc_error *err)
{
    nc_code code = nc_usd_read(usd, frame, err);
    if (code == NC_OK && (!isfinite(usd->times[frame]) || (frame > 0 && usd->times[frame] <= usd->times[frame - 1])))
        code = nc_fail(err, NC_BAD_ARGUMENT, "frame %d is at %.9g s: times must rise", frame, usd->times[frame]);
    for (int i = 0; i < usd->clip->body_count && code == NC_OK; i++) {
        if (!usd->present[i]) {
            usd->always[i] = 0;
            continue;
        }
        if (!pose_is_usable(usd->poses[i]))
            code = nc_fail(err, NC_BAD_ARGUMENT, "body %d has no usable pose in frame %d", i, frame);
        else if (!seen[i])
            usd->first[i] = usd->poses[i];
        seen[i] = 1;
    }
    return code;
}

static nc_code look_at_frames(nc_usd *usd, nc_error *err)
{
    const nc_clip *clip = usd->clip;
    const size_t bodies = (size_t)clip->body_count;
    uint8_t *seen = nc_alloc(&usd->allocator, bodies, 1);
    if (seen == NULL)
        return nc_fail_memory(err, bodies);
    memset(usd->always, 1, bodies);
    for (int i = 0; i < clip->body_count; i++)
        usd->first[i].q = nc_quat_identity();
    nc_code code = NC_OK;
    for (int k = 0; k < usd->frames && code == NC_OK; k++) {
        code = look_at_frame(usd, k, seen, err);
        if (k == 0 && code == NC_OK && clip->read_motion != NULL)
            code = clip->read_motion(clip->ctx, usd->velocities, usd->spins, err);
    }
    nc_free(&usd->allocator, seen, bodies, 1);
    // a frame is a time code
    usd->rate = usd->frames > 1 ? 1 / (usd->times[1] - usd->times[0]) : 24;
    if (fabs(usd->rate - floor(usd->rate + 0.5)) < 1e-6 * usd->rate)
        usd->rate = floor(usd->rate + 0.5);
    return code;
}

// ---- the stage ----------------------------------------------------------------------------------------------

static void write_head(nc_usd *usd)
{
    char code[32];
    const nc_vec3 g = usd->clip->gravity;
    const bool z_up = fabs(g.z) > fabs(g.y) && fabs(g.z) >= fabs(g.x);
    nc_writer_text(&usd->writer, "#usda 1.0\n(\n");
    usd->depth = 1;
    nc_usd_line(usd, "defaultPrim = \"World\"");
    nc_usd_string(usd, "doc", usd->clip->title != NULL ? usd->clip->title : "");
    nc_usd_line(usd, "endTimeCode = %s", nc_usd_time_code(usd, usd->times[usd->frames - 1], code, sizeof code));
    nc_usd_line(usd, "framesPerSecond = %.17g", usd->rate);
    nc_usd_line(usd, "kilogramsPerUnit = 1");
    nc_usd_line(usd, "metersPerUnit = 1");
    nc_usd_line(usd, "startTimeCode = %s", nc_usd_time_code(usd, usd->times[0], code, sizeof code));
    nc_usd_line(usd, "timeCodesPerSecond = %.17g", usd->rate);
    nc_usd_line(usd, "upAxis = \"%s\"", z_up ? "Z" : "Y");
    usd->depth = 0;
    nc_usd_line(usd, ")");
    nc_usd_line(usd, "%s", "");
}

static void write_gravity(nc_usd *usd)
{
    const nc_vec3 g = usd->clip->gravity;
    const double size = nc_norm(g);
    const nc_vec3 down = size > 0 ? nc_scale(1 / size, g) : nc_v3(0, -1, 0);
    nc_usd_open(usd, "def PhysicsScene", "physics", "");
    nc_usd_line(usd, "vector3f physics:gravityDirection = (%.9g, %.9g, %.9g)", down.x, down.y, down.z);
    nc_usd_line(usd, "float physics:gravityMagnitude = %.9g", size);
    nc_usd_close(usd);
}

static nc_code write_stage(nc_usd *usd, nc_error *err)
{
    write_head(usd);
    nc_usd_open(usd, "def Xform", "World", "");
    write_gravity(usd);
    nc_usd_write_materials(usd);
    nc_usd_write_meshes(usd);
    nc_code code = nc_usd_write_bodies(usd, err);
    if (code == NC_OK && usd->instancer)
        code = nc_usd_write_instancer(usd, err);
    nc_usd_close(usd);
    return code;
}

// ---- the whole ----------------------------------------------------------------------------------------------

static bool allocate(nc_usd *usd)
{
    const nc_allocator *a = &usd->allocator;
    const size_t bodies = (size_t)usd->clip->body_count;
    usd->poses = nc_alloc(a, bodies, sizeof *usd->poses);
    usd->present = nc_alloc(a, bodies, 1);
    usd->first = nc_alloc(a, bodies, sizeof *usd->first);
    usd->always = nc_alloc(a, bodies, 1);
    usd->times = nc_alloc(a, (size_t)usd->frames, sizeof *usd->times);
    bool made =
        usd->poses != NULL && usd->present != NULL && usd->first != NULL && usd->always != NULL && usd->times != NULL;
    if (made && usd->clip->read_motion != NULL) {
        usd->velocities = nc_alloc(a, bodies, sizeof *usd->velocities);
        usd->spins = nc_alloc(a, bodies, sizeof *usd->spins);
        made = usd->velocities != NULL && usd->spins != NULL;
    }
    return made && collect_meshes(usd) && collect_frictions(usd) && collect_looks(usd) && collect_shapes(usd);
}

static void release(nc_usd *usd)
{
    const nc_allocator *a = &usd->allocator;
    const size_t bodies = (size_t)usd->clip->body_count, meshes = (size_t)usd->clip->mesh_count;
    nc_free(a, usd->poses, bodies, sizeof *usd->poses);
    nc_free(a, usd->present, bodies, 1);
    nc_free(a, usd->first, bodies, sizeof *usd->first);
    nc_free(a, usd->always, bodies, 1);
    nc_free(a, usd->times, (size_t)usd->frames, sizeof *usd->times);
    nc_free(a, usd->velocities, bodies, sizeof *usd->velocities);
    nc_free(a, usd->spins, bodies, sizeof *usd->spins);
    nc_free(a, usd->mesh_of, meshes, sizeof *usd->mesh_of);
    nc_free(a, usd->colour_of, meshes, sizeof *usd->colour_of);
    nc_free(a, usd->shape_of, bodies, sizeof *usd->shape_of);
    nc_array_free(a, &usd->meshes);
    nc_array_free(a, &usd->frictions);
    nc_array_free(a, &usd->looks);
    nc_array_free(a, &usd->shapes);
}

static nc_code write_file(nc_usd *usd, const char *path, nc_error *err)
{
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return nc_fail_memory(err, sizeof locale);
    nc_code code = look_at_frames(usd, err);
    if (code == NC_OK)
        code = nc_writer_open(&usd->writer, path, &usd->allocator, err);
    if (code == NC_OK) {
        code = write_stage(usd, err);
        const nc_code closing = nc_writer_close(&usd->writer, code == NC_OK, code == NC_OK ? err : NULL);
        code = code != NC_OK ? code : closing;
    }
    nc_c_locale_leave(&locale);
    return code;
}

static nc_code write_named(nc_usd *usd, const char *path, nc_error *err)
{
    nc_code code = nc_clip_identifiers_create(usd->clip, &usd->allocator, &usd->names, err);
    if (code != NC_OK)
        return code;
    code = nc_clip_names_create(usd->clip, &usd->allocator, &usd->own_names, err);
    if (code == NC_OK) {
        code = allocate(usd) ? NC_OK : nc_fail_memory(err, (size_t)usd->clip->body_count * sizeof *usd->poses);
        usd->references = code == NC_OK && wants_references(usd);
        if (code == NC_OK)
            code = write_file(usd, path, err);
        release(usd);
        nc_clip_names_free(&usd->own_names);
    }
    nc_clip_names_free(&usd->names);
    return code;
}

nc_code nc_export_usd(const nc_clip *clip, const nc_usd_options *options, const char *path,
                      const nc_allocator *allocator, nc_error *err)
{
    const nc_code code = nc_clip_check(clip, err);
    if (code != NC_OK)
        return code;
    if (clip->frame_count > INT_MAX / 8)
        return nc_fail(err, NC_BAD_ARGUMENT, "%lld frames are too many to export", (long long)clip->frame_count);
    nc_usd usd = {.clip = clip,
                  .allocator = nc_allocator_or_default(allocator),
                  .instancer = nc_usd_uses_instancer(clip, options),
                  .frames = (int)clip->frame_count};
    return write_named(&usd, path, err);
}
