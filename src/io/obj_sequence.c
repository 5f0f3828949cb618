// Clips as OBJ files, one per frame, every body an object at its place.
#include "io/clip.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// A file name with a number in it, taken apart once: no printf ever sees the caller's text as a format.
typedef struct name_pattern {
    const char *before, *after;
    size_t before_length;
    int width; // least digits
    bool zeros;
} name_pattern;

static nc_code bad_pattern(const char *pattern, nc_error *err)
{
    return nc_fail(err, NC_BAD_ARGUMENT,
                   "'%.200s' must have exactly one field for the frame's number, such as %%d or %%04d", pattern);
}

static nc_code parse_pattern(const char *pattern, name_pattern *out, nc_error *err)
{
    const char *percent = strchr(pattern, '%');
    if (percent == NULL || strchr(percent + 1, '%') != NULL)
        return bad_pattern(pattern, err);
    const char *at = percent + 1;
    out->before = pattern;
    out->before_length = (size_t)(percent - pattern);
    out->zeros = *at == '0';
    out->width = 0;
    for (; *at >= '0' && *at <= '9' && out->width < 20; at++)
        out->width = out->width * 10 + (*at - '0');
    if (*at != 'd' || out->width > 20)
        return bad_pattern(pattern, err);
    out->after = at + 1;
    return NC_OK;
}

static void expand_pattern(const name_pattern *pattern, long long number, char *out, size_t size)
{
    char digits[32];
    snprintf(digits, sizeof digits, pattern->zeros ? "%0*lld" : "%*lld", pattern->width, number);
    snprintf(out, size, "%.*s%s%s", (int)pattern->before_length, pattern->before, digits, pattern->after);
}

// Blanks and control characters would end an object's name.
static void write_name(nc_writer *writer, const char *name)
{
    nc_writer_bytes(writer, "o ", 2);
    for (; *name != '\0'; name++) {
        const char c = (unsigned char)*name <= ' ' || *name == '#' || *name == '\\' ? '_' : *name;
        nc_writer_bytes(writer, &c, 1);
    }
    nc_writer_bytes(writer, "\n", 1);
}

// Writes a body; `first` is the number of its first vertex, counting from 1.
static void write_body(nc_writer *writer, const nc_mesh_data *data, nc_pose pose, long long first)
{
    const nc_frame frame = nc_pose_frame(pose);
    for (int i = 0; i < data->vertex_count; i++) {
        const nc_vec3 v = nc_frame_apply(frame, data->vertices[i]);
        nc_writer_text(writer, "v %.17g %.17g %.17g\n", v.x, v.y, v.z);
    }
    for (int i = 0; i < data->triangle_count; i++)
        nc_writer_text(writer, "f %lld %lld %lld\n", first + data->triangles[i][0], first + data->triangles[i][1],
                       first + data->triangles[i][2]);
    for (int i = 0; i < data->edge_count; i++)
        if (data->edge_is_free[i])
            nc_writer_text(writer, "l %lld %lld\n", first + data->edges[i][0], first + data->edges[i][1]);
    for (int i = 0; i < data->point_count; i++)
        nc_writer_text(writer, "p %lld\n", first + data->points[i]);
}

typedef struct obj_sequence {
    const nc_clip *clip;
    nc_allocator allocator;
    name_pattern pattern;
    nc_clip_names names;
    nc_pose *poses;
    uint8_t *present;
    char *path;
    size_t path_size;
} obj_sequence;

static nc_code write_frame(obj_sequence *sequence, int64_t frame, nc_error *err)
{
    const nc_clip *clip = sequence->clip;
    double time = 0;
    nc_code code = clip->read(clip->ctx, frame, &time, sequence->poses, sequence->present, err);
    if (code != NC_OK)
        return code;
    expand_pattern(&sequence->pattern, (long long)frame, sequence->path, sequence->path_size);
    nc_writer writer;
    code = nc_writer_open(&writer, sequence->path, &sequence->allocator, err);
    if (code != NC_OK)
        return code;
    nc_writer_text(&writer, "# frame %lld, time %.17g s\n", (long long)frame, time);
    long long first = 1;
    for (int i = 0; i < clip->body_count; i++) {
        if (!sequence->present[i])
            continue;
        const nc_mesh_data data = nc_mesh_view(clip->meshes[clip->bodies[i].mesh]);
        write_name(&writer, nc_clip_name(&sequence->names, i));
        write_body(&writer, &data, sequence->poses[i], first);
        first += data.vertex_count;
    }
    return nc_writer_close(&writer, true, err);
}

static nc_code write_frames(obj_sequence *sequence, nc_error *err)
{
    const size_t bodies = (size_t)sequence->clip->body_count;
    sequence->poses = nc_alloc(&sequence->allocator, bodies, sizeof *sequence->poses);
    sequence->present = nc_alloc(&sequence->allocator, bodies, 1);
    sequence->path = nc_alloc(&sequence->allocator, sequence->path_size, 1);
    nc_code code = NC_OK;
    if (sequence->poses == NULL || sequence->present == NULL || sequence->path == NULL)
        code = nc_fail_memory(err, bodies * sizeof *sequence->poses);
    for (int64_t frame = 0; frame < sequence->clip->frame_count && code == NC_OK; frame++)
        code = write_frame(sequence, frame, err);
    nc_free(&sequence->allocator, sequence->poses, bodies, sizeof *sequence->poses);
    nc_free(&sequence->allocator, sequence->present, bodies, 1);
    nc_free(&sequence->allocator, sequence->path, sequence->path_size, 1);
    return code;
}

nc_code nc_export_obj(const nc_clip *clip, const char *pattern, const nc_allocator *allocator, nc_error *err)
{
    obj_sequence sequence = {.clip = clip, .allocator = nc_allocator_or_default(allocator)};
    sequence.path_size = strlen(pattern) + 32;
    nc_code code = nc_clip_check(clip, err);
    if (code == NC_OK)
        code = parse_pattern(pattern, &sequence.pattern, err);
    if (code == NC_OK)
        code = nc_clip_names_create(clip, &sequence.allocator, &sequence.names, err);
    if (code != NC_OK)
        return code;
    nc_c_locale locale;
    if (nc_c_locale_enter(&locale)) {
        code = write_frames(&sequence, err);
        nc_c_locale_leave(&locale);
    } else {
        code = nc_fail_memory(err, sizeof locale);
    }
    nc_clip_names_free(&sequence.names);
    return code;
}
