// Clips: names of bodies, and their poses gathered body by body.
#include "io/clip.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

nc_code nc_clip_check(const nc_clip *clip, nc_error *err)
{
    if (clip->body_count < 1 || clip->frame_count < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "there is nothing to export: %d bodies, %lld frames", clip->body_count,
                       (long long)clip->frame_count);
    for (int i = 0; i < clip->body_count; i++)
        if (clip->bodies[i].mesh < 0 || clip->bodies[i].mesh >= clip->mesh_count)
            return nc_fail(err, NC_BAD_ARGUMENT, "body %d has mesh %d, but there are %d", i, clip->bodies[i].mesh,
                           clip->mesh_count);
    return NC_OK;
}

bool nc_meshes_are_equal(const nc_mesh *a, const nc_mesh *b)
{
    const nc_mesh_data m = nc_mesh_view(a), n = nc_mesh_view(b);
    if (m.hash != n.hash || m.vertex_count != n.vertex_count || m.triangle_count != n.triangle_count ||
        m.edge_count != n.edge_count || m.point_count != n.point_count)
        return false;
    return a == b || (memcmp(m.vertices, n.vertices, (size_t)m.vertex_count * sizeof *m.vertices) == 0 &&
                      (m.triangle_count == 0 ||
                       memcmp(m.triangles, n.triangles, (size_t)m.triangle_count * sizeof *m.triangles) == 0) &&
                      (m.edge_count == 0 || memcmp(m.edges, n.edges, (size_t)m.edge_count * sizeof *m.edges) == 0));
}

// ---- texts and colours
// ------------------------------------------------------------------------------------------------

const double *nc_clip_colour(int number)
{
    static const double palette[][3] = {{0.42, 0.42, 0.40}, {0.80, 0.22, 0.08}, {0.06, 0.30, 0.48},
                                        {0.85, 0.52, 0.08}, {0.10, 0.42, 0.22}, {0.50, 0.12, 0.28},
                                        {0.16, 0.50, 0.50}, {0.72, 0.38, 0.30}, {0.30, 0.20, 0.52}};
    const int moving = (int)(sizeof palette / sizeof palette[0]) - 1;
    return palette[number == 0 ? 0 : 1 + (number - 1) % moving];
}

// ---- names --------------------------------------------------------------------------------------------------

#define NUMBER_ROOM 16 // characters for a number, what separates it from the name, and what begins an identifier

static const char *own_name(const nc_clip *clip, int body)
{
    return clip->bodies[body].name != NULL ? clip->bodies[body].name : "";
}

static bool name_comes_first(const void *a, const void *b, const void *ctx)
{
    const nc_clip_names *names = ctx;
    return strcmp(nc_clip_name(names, *(const int *)a), nc_clip_name(names, *(const int *)b)) < 0;
}

typedef enum name_style { NAME_PLAIN, NAME_NUMBER_AFTER, NAME_NUMBER_BEFORE } name_style;

// In place; there is room for one more character.
static void make_identifier(char *name)
{
    if (name[0] >= '0' && name[0] <= '9') {
        memmove(name + 1, name, strlen(name) + 1);
        name[0] = '_';
    }
    for (char *c = name; *c != '\0'; c++)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z')))
            *c = '_';
}

static void set_name(const nc_clip *clip, nc_clip_names *names, int body, name_style style)
{
    const char *own = own_name(clip, body);
    char *out = names->text + names->start[body];
    const size_t room = strlen(own) + NUMBER_ROOM + 1;
    if (own[0] == '\0')
        snprintf(out, room, "body.%d", body);
    else if (style == NAME_PLAIN)
        snprintf(out, room, "%s", own);
    else if (style == NAME_NUMBER_AFTER)
        snprintf(out, room, "%s.%d", own, body);
    else
        snprintf(out, room, "%d %s", body, own);
    if (names->identifiers)
        make_identifier(out);
}

// Renames every body whose name one before it has; `*out_changed` counts them. False when out of memory.
static bool number_repeats(const nc_clip *clip, nc_clip_names *names, name_style style, int *out_changed)
{
    const size_t count = (size_t)names->count;
    int *order = nc_alloc(&names->allocator, count, sizeof *order);
    if (order == NULL)
        return false;
    for (int i = 0; i < names->count; i++)
        order[i] = i;
    const bool sorted = nc_sort(&names->allocator, order, count, sizeof *order, name_comes_first, names);
    *out_changed = 0;
    for (int i = names->count - 1; sorted && i > 0; i--) {
        if (strcmp(nc_clip_name(names, order[i - 1]), nc_clip_name(names, order[i])) == 0) {
            set_name(clip, names, order[i], style);
            (*out_changed)++;
        }
    }
    nc_free(&names->allocator, order, count, sizeof *order);
    return sorted;
}

static bool fill_names(const nc_clip *clip, nc_clip_names *names)
{
    int changed = 0;
    for (int i = 0; i < names->count; i++)
        set_name(clip, names, i, NAME_PLAIN);
    if (!number_repeats(clip, names, NAME_NUMBER_AFTER, &changed))
        return false;
    // "a.1" may be another body's own name; with the number in front no two are the same
    if (changed > 0 && !number_repeats(clip, names, NAME_NUMBER_AFTER, &changed))
        return false;
    for (int i = 0; changed > 0 && i < names->count; i++)
        set_name(clip, names, i, NAME_NUMBER_BEFORE);
    return true;
}

static nc_code create_names(const nc_clip *clip, bool identifiers, const nc_allocator *allocator, nc_clip_names *out,
                            nc_error *err)
{
    memset(out, 0, sizeof *out);
    out->identifiers = identifiers;
    out->allocator = nc_allocator_or_default(allocator);
    out->count = clip->body_count;
    for (int i = 0; i < clip->body_count; i++)
        out->text_size += strlen(own_name(clip, i)) + NUMBER_ROOM + 1;
    out->text = nc_alloc(&out->allocator, out->text_size, 1);
    out->start = nc_alloc(&out->allocator, (size_t)out->count, sizeof *out->start);
    bool made = out->text != NULL && out->start != NULL;
    size_t at = 0;
    for (int i = 0; made && i < clip->body_count; i++) {
        out->start[i] = at;
        at += strlen(own_name(clip, i)) + NUMBER_ROOM + 1;
    }
    made = made && fill_names(clip, out);
    if (made)
        return NC_OK;
    nc_clip_names_free(out);
    return nc_fail_memory(err, out->text_size);
}

nc_code nc_clip_names_create(const nc_clip *clip, const nc_allocator *allocator, nc_clip_names *out, nc_error *err)
{
    return create_names(clip, false, allocator, out, err);
}

nc_code nc_clip_identifiers_create(const nc_clip *clip, const nc_allocator *allocator, nc_clip_names *out,
                                   nc_error *err)
{
    return create_names(clip, true, allocator, out, err);
}

void nc_clip_names_free(nc_clip_names *names)
{
    nc_free(&names->allocator, names->text, names->text_size, 1);
    nc_free(&names->allocator, names->start, (size_t)names->count, sizeof *names->start);
}

const char *nc_clip_name(const nc_clip_names *names, int body)
{
    return names->text + names->start[body];
}

// ---- tracks -------------------------------------------------------------------------------------------------

static bool fits_float(double x)
{
    return fabs(x) <= (double)FLT_MAX; // false for NaN
}

static bool pose_fits(nc_pose pose)
{
    const double n = nc_quat_norm2(pose.q);
    return fits_float(pose.x.x) && fits_float(pose.x.y) && fits_float(pose.x.z) && n > 0 && isfinite(n);
}

static void store_pose(nc_tracks *tracks, int slot, int frame, nc_pose pose)
{
    const size_t key = (size_t)slot * (size_t)tracks->frames + (size_t)frame;
    float *t = tracks->translations + 3 * key, *r = tracks->rotations + 4 * key;
    const nc_quat q = nc_quat_normalize(pose.q);
    t[0] = (float)pose.x.x;
    t[1] = (float)pose.x.y;
    t[2] = (float)pose.x.z;
    r[0] = (float)q.x;
    r[1] = (float)q.y;
    r[2] = (float)q.z;
    r[3] = (float)q.w;
}

static nc_code store_frame(nc_tracks *tracks, int frame, double time, const nc_pose *poses, const uint8_t *present,
                           nc_error *err)
{
    tracks->times[frame] = (float)time;
    if (!fits_float(time) || time < 0 || (frame > 0 && !(tracks->times[frame] > tracks->times[frame - 1])))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "frame %d is at %.9g s: times must rise from 0 on, and by enough for single precision", frame,
                       time);
    for (int i = 0; i < tracks->bodies; i++) {
        const size_t row = (size_t)i * (size_t)tracks->frames;
        const bool seen = frame > 0 && tracks->present[row + (size_t)frame - 1] >= 2;
        // bit 0: there now; bit 1: has been there
        tracks->present[row + (size_t)frame] = (uint8_t)((present[i] != 0) | ((seen || present[i]) ? 2 : 0));
        if (!present[i])
            continue;
        if (!pose_fits(poses[i]))
            return nc_fail(err, NC_BAD_ARGUMENT, "body %d has no usable pose in frame %d", i, frame);
        if (!seen)
            tracks->rest[i] = poses[i];
        if (tracks->slot[i] >= 0)
            store_pose(tracks, tracks->slot[i], frame, poses[i]);
    }
    return NC_OK;
}

// Where a body is not there it keeps the pose it had last, or has the one it will appear with.
static void fill_gaps(nc_tracks *tracks, int body)
{
    const size_t frames = (size_t)tracks->frames, first = (size_t)tracks->slot[body] * frames;
    uint8_t *present = tracks->present + (size_t)body * frames;
    for (size_t k = 0; k < frames; k++) {
        if (present[k] & 1)
            continue;
        if (present[k] & 2) {
            memcpy(tracks->translations + 3 * (first + k), tracks->translations + 3 * (first + k - 1),
                   3 * sizeof(float));
            memcpy(tracks->rotations + 4 * (first + k), tracks->rotations + 4 * (first + k - 1), 4 * sizeof(float));
        } else {
            store_pose(tracks, tracks->slot[body], (int)k, tracks->rest[body]);
        }
    }
}

// q and -q are one orientation: the one nearer to the frame before is taken, or players would turn the long way round.
static void keep_signs(nc_tracks *tracks, int slot)
{
    float *r = tracks->rotations + 4 * (size_t)slot * (size_t)tracks->frames;
    for (int k = 1; k < tracks->frames; k++) {
        const float *a = r + 4 * (size_t)(k - 1);
        float *b = r + 4 * (size_t)k;
        if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0)
            for (int j = 0; j < 4; j++)
                b[j] = -b[j];
    }
}

static bool allocate_tracks(const nc_clip *clip, nc_tracks *tracks)
{
    const size_t bodies = (size_t)tracks->bodies, frames = (size_t)tracks->frames;
    tracks->slot = nc_alloc(&tracks->allocator, bodies, sizeof *tracks->slot);
    tracks->rest = nc_alloc(&tracks->allocator, bodies, sizeof *tracks->rest);
    tracks->present = nc_alloc(&tracks->allocator, bodies * frames, 1);
    tracks->times = nc_alloc(&tracks->allocator, frames, sizeof *tracks->times);
    if (tracks->slot == NULL || tracks->rest == NULL || tracks->present == NULL || tracks->times == NULL)
        return false;
    for (int i = 0; i < tracks->bodies; i++) {
        tracks->slot[i] = clip->bodies[i].moving ? tracks->moving++ : -1;
        tracks->rest[i].q = nc_quat_identity();
    }
    if (tracks->moving == 0)
        return true;
    const size_t keys = (size_t)tracks->moving * frames;
    tracks->translations = nc_alloc(&tracks->allocator, keys, 3 * sizeof(float));
    tracks->rotations = nc_alloc(&tracks->allocator, keys, 4 * sizeof(float));
    return tracks->translations != NULL && tracks->rotations != NULL;
}

static nc_code read_frames(const nc_clip *clip, nc_tracks *tracks, nc_pose *poses, uint8_t *present, nc_error *err)
{
    for (int k = 0; k < tracks->frames; k++) {
        double time = 0;
        nc_code code = clip->read(clip->ctx, k, &time, poses, present, err);
        if (code == NC_OK)
            code = store_frame(tracks, k, time, poses, present, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

static nc_code gather(const nc_clip *clip, nc_tracks *tracks, nc_error *err)
{
    if (!allocate_tracks(clip, tracks))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the poses of %d frames", tracks->frames);
    const size_t bodies = (size_t)tracks->bodies;
    nc_pose *poses = nc_alloc(&tracks->allocator, bodies, sizeof *poses);
    uint8_t *present = nc_alloc(&tracks->allocator, bodies, 1);
    nc_code code = NC_OUT_OF_MEMORY;
    if (poses != NULL && present != NULL)
        code = read_frames(clip, tracks, poses, present, err);
    else
        nc_fail_memory(err, bodies * sizeof *poses);
    nc_free(&tracks->allocator, poses, bodies, sizeof *poses);
    nc_free(&tracks->allocator, present, bodies, 1);
    return code;
}

nc_code nc_tracks_create(const nc_clip *clip, const nc_allocator *allocator, nc_tracks *out, nc_error *err)
{
    memset(out, 0, sizeof *out);
    out->allocator = nc_allocator_or_default(allocator);
    if (clip->frame_count > INT_MAX / 8)
        return nc_fail(err, NC_BAD_ARGUMENT, "%lld frames are too many to export", (long long)clip->frame_count);
    out->bodies = clip->body_count;
    out->frames = (int)clip->frame_count;
    const nc_code code = gather(clip, out, err);
    if (code != NC_OK) {
        nc_tracks_free(out);
        return code;
    }
    for (int i = 0; i < out->bodies; i++) {
        if (out->slot[i] < 0)
            continue;
        fill_gaps(out, i);
        keep_signs(out, out->slot[i]);
    }
    for (size_t i = 0; i < (size_t)out->bodies * (size_t)out->frames; i++)
        out->present[i] &= 1;
    return NC_OK;
}

void nc_tracks_free(nc_tracks *tracks)
{
    const size_t bodies = (size_t)tracks->bodies, frames = (size_t)tracks->frames;
    const size_t keys = (size_t)tracks->moving * frames;
    nc_free(&tracks->allocator, tracks->slot, bodies, sizeof *tracks->slot);
    nc_free(&tracks->allocator, tracks->rest, bodies, sizeof *tracks->rest);
    nc_free(&tracks->allocator, tracks->present, bodies * frames, 1);
    nc_free(&tracks->allocator, tracks->times, frames, sizeof *tracks->times);
    nc_free(&tracks->allocator, tracks->translations, keys, 3 * sizeof(float));
    nc_free(&tracks->allocator, tracks->rotations, keys, 4 * sizeof(float));
}
