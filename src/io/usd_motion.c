// Where bodies are, in USD: a matrix per body and time, or points of an instancer.
#include "io/usd.h"

#include <stdio.h>
#include <string.h>

#define DEGREES 57.295779513082320877 // in a radian

nc_code nc_usd_read(nc_usd *usd, int frame, nc_error *err)
{
    const nc_clip *clip = usd->clip;
    return clip->read(clip->ctx, frame, &usd->times[frame], usd->poses, usd->present, err);
}

// ---- matrices -----------------------------------------------------------------------------------------------

// All poses of the bodies that get a prim each, body by body.
typedef struct tracks {
    nc_usd *usd;
    int *slot; // [body] its row of poses, or -1
    int count;
    nc_pose *poses;   // [slot * frames + frame]; only where it is there
    uint8_t *present; // [slot * frames + frame]
} tracks;

static void tracks_free(tracks *t)
{
    const nc_allocator *allocator = &t->usd->allocator;
    const size_t keys = (size_t)t->count * (size_t)t->usd->frames;
    nc_free(allocator, t->slot, (size_t)t->usd->clip->body_count, sizeof *t->slot);
    nc_free(allocator, t->poses, keys, sizeof *t->poses);
    nc_free(allocator, t->present, keys, 1);
}

static bool has_prim(const nc_usd *usd, int body)
{
    return !usd->instancer || !usd->clip->bodies[body].moving;
}

static nc_code tracks_allocate(tracks *t, nc_error *err)
{
    const nc_usd *usd = t->usd;
    const int bodies = usd->clip->body_count;
    t->slot = nc_alloc(&usd->allocator, (size_t)bodies, sizeof *t->slot);
    if (t->slot == NULL)
        return nc_fail_memory(err, (size_t)bodies * sizeof *t->slot);
    for (int i = 0; i < bodies; i++)
        t->slot[i] = has_prim(usd, i) && (usd->clip->bodies[i].moving || !usd->always[i]) ? t->count++ : -1;
    if (t->count == 0)
        return NC_OK;
    const size_t keys = (size_t)t->count * (size_t)usd->frames;
    t->poses = nc_alloc(&usd->allocator, keys, sizeof *t->poses);
    t->present = nc_alloc(&usd->allocator, keys, 1);
    return t->poses != NULL && t->present != NULL ? NC_OK : nc_fail_memory(err, keys * sizeof *t->poses);
}

static nc_code tracks_fill(tracks *t, nc_error *err)
{
    const nc_usd *usd = t->usd;
    nc_code code = tracks_allocate(t, err);
    for (int k = 0; k < usd->frames && t->count > 0 && code == NC_OK; k++) {
        code = nc_usd_read(t->usd, k, err);
        for (int i = 0; i < usd->clip->body_count && code == NC_OK; i++) {
            if (t->slot[i] < 0)
                continue;
            const size_t key = (size_t)t->slot[i] * (size_t)usd->frames + (size_t)k;
            t->poses[key] = usd->poses[i];
            t->present[key] = usd->present[i];
        }
    }
    return code;
}

// Points are rows in USD: p' = p M.
static void write_matrix(nc_usd *usd, const char *before, nc_pose pose, const char *after)
{
    const nc_frame f = nc_pose_frame(pose);
    const nc_vec3 zero = {0, 0, 0}; // added to it, a negative zero is none
    const nc_vec3 r[3] = {nc_add(f.rotation.row[0], zero), nc_add(f.rotation.row[1], zero),
                          nc_add(f.rotation.row[2], zero)};
    nc_usd_line(usd,
                "%s( (%.17g, %.17g, %.17g, 0), (%.17g, %.17g, %.17g, 0), (%.17g, %.17g, %.17g, 0), "
                "(%.17g, %.17g, %.17g, 1) )%s",
                before, r[0].x, r[1].x, r[2].x, r[0].y, r[1].y, r[2].y, r[0].z, r[1].z, r[2].z, f.x.x, f.x.y, f.x.z,
                after);
}

static void write_samples(nc_usd *usd, const nc_pose *poses, const uint8_t *present)
{
    char code[32], before[40];
    nc_usd_line(usd, "matrix4d xformOp:transform.timeSamples = {");
    usd->depth++;
    for (int k = 0; k < usd->frames; k++) {
        if (!present[k])
            continue;
        snprintf(before, sizeof before, "%s: ", nc_usd_time_code(usd, usd->times[k], code, sizeof code));
        write_matrix(usd, before, poses[k], ",");
    }
    nc_usd_close(usd);
}

// Said where it changes; it holds until the next time.
static void write_visibility(nc_usd *usd, const uint8_t *present)
{
    char code[32];
    nc_usd_line(usd, "token visibility.timeSamples = {");
    usd->depth++;
    for (int k = 0; k < usd->frames; k++)
        if (k == 0 || (present[k] != 0) != (present[k - 1] != 0))
            nc_usd_line(usd, "%s: \"%s\",", nc_usd_time_code(usd, usd->times[k], code, sizeof code),
                        present[k] ? "inherited" : "invisible");
    nc_usd_close(usd);
}

static void write_velocity(nc_usd *usd, int body)
{
    if (usd->velocities == NULL || usd->clip->bodies[body].type == NC_STATIC || usd->clip->bodies[body].deforms)
        return;
    const nc_vec3 v = usd->velocities[body], w = nc_scale(DEGREES, usd->spins[body]);
    nc_usd_line(usd, "vector3f physics:angularVelocity = (%.9g, %.9g, %.9g)", w.x, w.y, w.z);
    nc_usd_line(usd, "vector3f physics:velocity = (%.9g, %.9g, %.9g)", v.x, v.y, v.z);
}

static void write_body(nc_usd *usd, const tracks *t, int body)
{
    char metadata[200];
    const size_t key = t->slot[body] >= 0 ? (size_t)t->slot[body] * (size_t)usd->frames : 0;
    const uint8_t *present = t->present != NULL && t->slot[body] >= 0 ? t->present + key : NULL;
    nc_usd_open(usd, "def Xform", nc_clip_name(&usd->names, body),
                nc_usd_body_metadata(usd, body, metadata, sizeof metadata));
    nc_usd_line(usd, "custom int nacre:body = %d", body);
    nc_usd_string(usd, "custom string nacre:name", nc_clip_name(&usd->own_names, body));
    nc_usd_write_physics(usd, body);
    write_velocity(usd, body);
    if (present != NULL && !usd->always[body])
        write_visibility(usd, present);
    write_matrix(usd, "matrix4d xformOp:transform = ", usd->first[body], "");
    if (present != NULL && usd->clip->bodies[body].moving && usd->frames > 1)
        write_samples(usd, t->poses + key, present);
    nc_usd_line(usd, "uniform token[] xformOpOrder = [\"xformOp:transform\"]");
    nc_usd_write_mesh_of(usd, body);
    nc_usd_close(usd);
}

nc_code nc_usd_write_bodies(nc_usd *usd, nc_error *err)
{
    tracks t = {.usd = usd};
    const nc_code code = tracks_fill(&t, err);
    if (code == NC_OK) {
        usd->err = err;
        nc_usd_open(usd, "def Scope", "bodies", "");
        for (int i = 0; i < usd->clip->body_count && usd->code == NC_OK; i++)
            if (has_prim(usd, i))
                write_body(usd, &t, i);
        nc_usd_close(usd);
    }
    tracks_free(&t);
    return code == NC_OK ? usd->code : code;
}

// ---- the instancer ------------------------------------------------------------------------------------------

static const char *list_comma(bool *first)
{
    const char *text = *first ? "" : ", ";
    *first = false;
    return text;
}

static void write_prototypes(nc_usd *usd)
{
    char name[32], metadata[200];
    bool first = true;
    nc_usd_open(usd, "def Scope", "prototypes", "");
    for (int i = 0; i < usd->shapes.count; i++) {
        const int body = usd->shapes.data[i].body;
        snprintf(name, sizeof name, "shape_%d", i);
        nc_usd_open(usd, "def Xform", name, nc_usd_body_metadata(usd, body, metadata, sizeof metadata));
        nc_usd_write_physics(usd, body);
        nc_usd_write_mesh_of(usd, body);
        nc_usd_close(usd);
    }
    nc_usd_close(usd);
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "rel prototypes = [");
    for (int i = 0; i < usd->shapes.count; i++)
        nc_writer_text(&usd->writer, "%s</World/moving/prototypes/shape_%d>", list_comma(&first), i);
    nc_writer_text(&usd->writer, "]\n");
}

static void write_ids(nc_usd *usd)
{
    bool first = true;
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "int64[] ids = [");
    for (int i = 0; i < usd->clip->body_count; i++)
        if (usd->clip->bodies[i].moving)
            nc_writer_text(&usd->writer, "%s%d", list_comma(&first), i);
    nc_writer_text(&usd->writer, "]\n");
    first = true;
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "int[] protoIndices = [");
    for (int i = 0; i < usd->clip->body_count; i++)
        if (usd->clip->bodies[i].moving)
            nc_writer_text(&usd->writer, "%s%d", list_comma(&first), usd->shape_of[i]);
    nc_writer_text(&usd->writer, "]\n");
}

typedef enum quantity { POSITIONS, ORIENTATIONS, HALF_ORIENTATIONS, INVISIBLE } quantity;

// q and -q are one orientation; the sign is kept from frame to frame in `before`.
static void write_quantity(nc_usd *usd, int body, quantity what, nc_quat *before, bool *first)
{
    const nc_pose pose = usd->present[body] ? usd->poses[body] : usd->first[body];
    const nc_vec3 x = pose.x;
    nc_quat q = nc_quat_normalize(pose.q);
    const nc_quat b = before[body];
    if (b.w * q.w + b.x * q.x + b.y * q.y + b.z * q.z < 0)
        q = nc_q4(-q.w, -q.x, -q.y, -q.z);
    before[body] = q;
    if (what == POSITIONS)
        nc_writer_text(&usd->writer, "%s(%.9g, %.9g, %.9g)", list_comma(first), (double)(float)x.x, (double)(float)x.y,
                       (double)(float)x.z);
    else if (what == ORIENTATIONS)
        nc_writer_text(&usd->writer, "%s(%.9g, %.9g, %.9g, %.9g)", list_comma(first), (double)(float)q.w,
                       (double)(float)q.x, (double)(float)q.y, (double)(float)q.z);
    else if (what == HALF_ORIENTATIONS)
        nc_writer_text(&usd->writer, "%s(%.5g, %.5g, %.5g, %.5g)", list_comma(first), q.w, q.x, q.y, q.z);
    else if (!usd->present[body])
        nc_writer_text(&usd->writer, "%s%d", list_comma(first), body);
}

static nc_code write_quantities(nc_usd *usd, const char *name, quantity what, nc_quat *before, nc_error *err)
{
    char code[32];
    memset(before, 0, (size_t)usd->clip->body_count * sizeof *before);
    nc_usd_line(usd, "%s.timeSamples = {", name);
    usd->depth++;
    for (int k = 0; k < usd->frames; k++) {
        const nc_code read = nc_usd_read(usd, k, err);
        if (read != NC_OK)
            return read;
        bool first = true;
        nc_usd_indent(usd);
        nc_writer_text(&usd->writer, "%s: [", nc_usd_time_code(usd, usd->times[k], code, sizeof code));
        for (int i = 0; i < usd->clip->body_count; i++)
            if (usd->clip->bodies[i].moving)
                write_quantity(usd, i, what, before, &first);
        nc_writer_text(&usd->writer, "],\n");
    }
    nc_usd_close(usd);
    return NC_OK;
}

static bool some_come_or_go(const nc_usd *usd)
{
    for (int i = 0; i < usd->clip->body_count; i++)
        if (usd->clip->bodies[i].moving && !usd->always[i])
            return true;
    return false;
}

nc_code nc_usd_write_instancer(nc_usd *usd, nc_error *err)
{
    const size_t bodies = (size_t)usd->clip->body_count;
    nc_quat *before = nc_alloc(&usd->allocator, bodies, sizeof *before);
    if (before == NULL)
        return nc_fail_memory(err, bodies * sizeof *before);
    nc_usd_open(usd, "def PointInstancer", "moving", "");
    write_ids(usd);
    nc_code code = NC_OK;
    if (some_come_or_go(usd))
        code = write_quantities(usd, "int64[] invisibleIds", INVISIBLE, before, err);
    // readers older than orientationsf take what has half precision
    if (code == NC_OK)
        code = write_quantities(usd, "quath[] orientations", HALF_ORIENTATIONS, before, err);
    if (code == NC_OK)
        code = write_quantities(usd, "quatf[] orientationsf", ORIENTATIONS, before, err);
    if (code == NC_OK)
        code = write_quantities(usd, "point3f[] positions", POSITIONS, before, err);
    write_prototypes(usd);
    nc_usd_close(usd);
    nc_free(&usd->allocator, before, bodies, sizeof *before);
    return code;
}
