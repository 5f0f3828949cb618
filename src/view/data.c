// A run as replies: head, bodies, meshes, frames.
#include "view/view.h"

#include "reel/reel.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- opening ------------------------------------------------------------------------------------------------

// Far from the origin float32 is coarse: positions are relative to the middle of frame 0.
static nc_code choose_origin(nc_view *view, nc_error *err)
{
    const nc_code code = nc_run_read_frame(view->run, 0, &view->frame, err);
    nc_vec3 sum = {0, 0, 0};
    if (code != NC_OK || view->frame.pose_count == 0)
        return code;
    for (int i = 0; i < view->frame.pose_count; i++)
        sum = nc_add(sum, view->frame.poses[i].pose.x);
    const nc_vec3 mean = nc_scale(1.0 / view->frame.pose_count, sum);
    if (nc_norm(mean) > 1000 && isfinite(nc_norm(mean)))
        view->origin = nc_v3(floor(mean.x), floor(mean.y), floor(mean.z));
    return NC_OK;
}

nc_code nc_view_open(const char *path, nc_view *out, nc_error *err)
{
    *out = (nc_view){0};
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &out->run, err);
    if (code != NC_OK)
        return code;
    out->settings = nc_run_world_settings(out->run);
    code = choose_origin(out, err);
    if (code != NC_OK)
        nc_view_close(out);
    return code;
}

void nc_view_close(nc_view *view)
{
    for (int i = 0; i < view->mesh_count; i++)
        nc_mesh_release(view->meshes[i]);
    free(view->meshes);
    if (view->run != NULL) {
        nc_run_frame_free(view->run, &view->frame);
        nc_run_close(view->run, NULL);
    }
    *view = (nc_view){0};
}

static nc_code make_room(nc_view *view, int count, nc_error *err)
{
    if (count <= view->mesh_count)
        return NC_OK;
    nc_mesh **grown = realloc(view->meshes, (size_t)count * sizeof(void *));
    if (grown == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof(void *));
    memset(&grown[view->mesh_count], 0, (size_t)(count - view->mesh_count) * sizeof(void *));
    view->meshes = grown;
    view->mesh_count = count;
    return NC_OK;
}

nc_code nc_view_mesh(nc_view *view, int row, const nc_mesh **out, nc_error *err)
{
    nc_code code = NC_OK;
    if (row >= view->mesh_count || view->meshes[row] == NULL) {
        nc_run_info info;
        code = nc_run_read_info(view->run, &info, err);
        if (code == NC_OK && (row < 0 || row >= info.mesh_count))
            code = nc_fail(err, NC_NOT_FOUND, "the run has %d meshes, none with number %d", info.mesh_count, row);
        if (code == NC_OK)
            code = make_room(view, info.mesh_count, err);
        if (code == NC_OK)
            code = nc_run_read_mesh(view->run, row, &view->meshes[row], err);
    }
    *out = code == NC_OK ? view->meshes[row] : NULL;
    return code;
}

// ---- JSON in memory -----------------------------------------------------------------------------------------

typedef struct text {
    nc_json json;
    char *data;
    size_t size;
} text;

static nc_code text_begin(text *t, nc_error *err)
{
    *t = (text){0};
    t->json.out = open_memstream(&t->data, &t->size);
    return t->json.out != NULL ? NC_OK : nc_fail_memory(err, 4096);
}

static nc_code text_end(text *t, nc_buffer *out, nc_error *err)
{
    const bool bad = fclose(t->json.out) != 0 || t->data == NULL;
    const bool done = !bad && nc_buffer_append(out, t->data, t->size);
    free(t->data);
    return done ? NC_OK : nc_fail_memory(err, t->size);
}

static const char *type_name(nc_body_type type)
{
    return type == NC_DYNAMIC ? "dynamic" : type == NC_KINEMATIC ? "kinematic" : "static";
}

static void write_live(nc_json *json, const nc_view_live *live)
{
    nc_json_whole(json, "generation", live->generation);
    nc_json_flag(json, "controls", live->control != NULL);
    nc_json_flag(json, "paused", live->control != NULL && atomic_load(&live->control->paused));
    nc_json_text(json, "trouble", live->trouble);
}

static void write_info(nc_json *json, const nc_view *view, const nc_run_info *info)
{
    nc_json_text(json, "title", info->title);
    nc_json_text(json, "scene", info->scene_path);
    nc_json_text(json, "nacre", nc_version());
    nc_json_number(json, "timestep", info->timestep);
    nc_json_whole(json, "stepsWanted", info->steps_wanted);
    nc_json_whole(json, "outputEvery", info->output_every);
    nc_json_whole(json, "frames", info->frame_count);
    nc_json_whole(json, "lastStep", info->last_step);
    nc_json_flag(json, "finished", info->finished);
    nc_json_whole(json, "bodies", info->body_count);
    nc_json_whole(json, "meshes", info->mesh_count);
    nc_json_vec3(json, "gravity", view->settings.gravity);
    nc_json_number(json, "restDistance", view->settings.rest_distance);
    nc_json_number(json, "proximity", view->settings.proximity);
    nc_json_number(json, "floorDistance", view->settings.floor_distance);
    nc_json_vec3(json, "origin", view->origin);
    nc_json_flag(json, "refused", view->refused);
    nc_json_flag(json, "storesContacts", (info->store & NC_STORE_CONTACTS) != 0);
    if (view->live != NULL)
        write_live(json, view->live);
}

static nc_code info_begin(nc_view *view, nc_run_info *info, text *t, nc_error *err)
{
    const nc_code code = nc_run_read_info(view->run, info, err);
    return code == NC_OK ? text_begin(t, err) : code;
}

nc_code nc_view_write_head(nc_view *view, nc_buffer *out, nc_error *err)
{
    nc_run_info info;
    text t;
    const nc_code code = info_begin(view, &info, &t, err);
    if (code != NC_OK)
        return code;
    nc_json_begin(&t.json, NULL, '{');
    write_info(&t.json, view, &info);
    nc_json_end(&t.json, '}');
    return text_end(&t, out, err);
}

// "color": "#rrggbb" unless the page is to choose one by body; "material": its name, when one was given.
static void write_look(nc_json *json, const nc_appearance *appearance)
{
    uint8_t rgb[3];
    char color[8];
    if (nc_appearance_color(appearance, rgb)) {
        nc_color_print(rgb, color);
        nc_json_text(json, "color", color);
    }
    if (appearance->material != NC_MATERIAL_NONE)
        nc_json_text(json, "material", nc_material_view(appearance->material)->name);
}

nc_code nc_view_write_bodies(nc_view *view, int64_t first, int64_t count, nc_buffer *out, nc_error *err)
{
    nc_run_info info;
    text t;
    nc_code code = info_begin(view, &info, &t, err);
    if (code != NC_OK)
        return code;
    count = count > NC_VIEW_BODIES_MAX ? NC_VIEW_BODIES_MAX : count;
    nc_json_begin(&t.json, NULL, '[');
    for (int64_t i = first; i < first + count && i < info.body_count && code == NC_OK; i++) {
        nc_run_body body;
        code = nc_run_read_body(view->run, (int)i, &body, err);
        if (code != NC_OK)
            break;
        nc_json_begin(&t.json, NULL, '{');
        nc_json_text(&t.json, "name", body.name);
        nc_json_text(&t.json, "type", type_name(body.type));
        nc_json_whole(&t.json, "mesh", body.mesh);
        nc_json_number(&t.json, "mass", body.mass);
        write_look(&t.json, &body.appearance);
        if (body.deforms)
            nc_json_text(&t.json, "deforms", body.cloth ? "smooth" : "sharp");
        nc_json_end(&t.json, '}');
    }
    nc_json_end(&t.json, ']');
    const nc_code ending = text_end(&t, out, err);
    return code != NC_OK ? code : ending;
}

// ---- reports ------------------------------------------------------------------------------------------------

static void write_column(nc_json *json, const nc_column *column, const nc_model_report *reports, int64_t count)
{
    nc_json_begin(json, column->name, '[');
    for (int64_t i = 0; i < count; i++)
        if (nc_field_is_whole(column))
            nc_json_whole(json, NULL, nc_field_whole(column, &reports[i].common));
        else
            nc_json_number(json, NULL, nc_field_value(column, &reports[i].common));
    nc_json_end(json, ']');
}

// The columns that all models have.
static void write_reports(nc_json *json, int64_t first, const nc_model_report *reports, int64_t count)
{
    const nc_column *column;
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "first", first);
    nc_json_whole(json, "count", count);
    for (int i = 0; (column = nc_column_at(i, false)) != NULL; i++)
        write_column(json, column, reports, count);
    nc_json_end(json, '}');
}

nc_code nc_view_write_reports(nc_view *view, int64_t first, int64_t count, int64_t every, nc_buffer *out, nc_error *err)
{
    nc_run_info info;
    text t;
    nc_code code = nc_run_read_info(view->run, &info, err);
    if (code != NC_OK)
        return code;
    const int64_t there = first < info.frame_count ? (info.frame_count - 1 - first) / every + 1 : 0;
    count = count > there ? there : count;
    count = count > NC_VIEW_REPORTS_MAX ? NC_VIEW_REPORTS_MAX : count;
    nc_model_report *reports = calloc((size_t)count + 1, sizeof *reports);
    if (reports == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *reports);
    for (int64_t i = 0; i < count && code == NC_OK; i++)
        code = nc_run_read_report(view->run, first + i * every, &reports[i], err);
    if (code == NC_OK)
        code = text_begin(&t, err);
    if (code == NC_OK) {
        write_reports(&t.json, first, reports, count);
        code = text_end(&t, out, err);
    }
    free(reports);
    return code;
}

// ---- binary -------------------------------------------------------------------------------------------------

static bool put_u32(nc_buffer *out, uint32_t value)
{
    return nc_buffer_append_word(out, value, 4);
}

static bool put_f32(nc_buffer *out, double value)
{
    return put_u32(out, nc_float_bits((float)value));
}

static bool put_f64(nc_buffer *out, double value)
{
    return nc_buffer_append_word(out, nc_double_bits(value), 8);
}

static bool put_vec3(nc_buffer *out, nc_vec3 v)
{
    return put_f32(out, v.x) && put_f32(out, v.y) && put_f32(out, v.z);
}

static bool put_indices(nc_buffer *out, const int *indices, int count)
{
    for (int i = 0; i < count; i++)
        if (!put_u32(out, (uint32_t)indices[i]))
            return false;
    return true;
}

static int free_edge_count(const nc_mesh_data *data)
{
    int count = 0;
    for (int i = 0; i < data->edge_count; i++)
        count += data->edge_is_free[i] != 0;
    return count;
}

// Four counts, then vertices (float32), triangles, free edges and points (uint32).
static bool put_mesh(nc_buffer *out, const nc_mesh_data *data)
{
    bool done = put_u32(out, (uint32_t)data->vertex_count) && put_u32(out, (uint32_t)data->triangle_count) &&
                put_u32(out, (uint32_t)free_edge_count(data)) && put_u32(out, (uint32_t)data->point_count);
    for (int i = 0; i < data->vertex_count && done; i++)
        done = put_vec3(out, data->vertices[i]);
    for (int i = 0; i < data->triangle_count && done; i++)
        done = put_indices(out, data->triangles[i], 3);
    for (int i = 0; i < data->edge_count && done; i++)
        if (data->edge_is_free[i])
            done = put_indices(out, data->edges[i], 2);
    return done && put_indices(out, data->points, data->point_count);
}

nc_code nc_view_write_mesh(nc_view *view, int64_t row, nc_buffer *out, nc_error *err)
{
    const nc_mesh *mesh;
    if (row < 0 || row > INT32_MAX)
        return nc_fail(err, NC_NOT_FOUND, "there is no mesh %" PRId64, row);
    const nc_code code = nc_view_mesh(view, (int)row, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_mesh_data data = nc_mesh_view(mesh);
    if (12 * ((int64_t)data.vertex_count + data.triangle_count + data.edge_count) > NC_VIEW_MESH_MAX)
        return nc_fail(err, NC_UNSUPPORTED, "mesh %" PRId64 " is too large to be shown", row);
    return put_mesh(out, &data) ? NC_OK : nc_fail_memory(err, (size_t)data.vertex_count * 12);
}

int64_t nc_view_frame_size(int64_t poses)
{
    return 24 + 44 * poses;
}

// ---- shapes: of what deforms ---------------------------------------------------------------------------------

// The vertices of a body that deforms; NULL for others. In frames without a shape of it, it is as its mesh has it.
static nc_code shape_of(nc_view *view, const nc_run_pose *pose, const nc_vec3 **out, int *out_count, nc_error *err)
{
    nc_run_body body;
    const nc_mesh *mesh;
    *out = NULL;
    nc_code code = nc_run_read_body(view->run, pose->body, &body, err);
    if (code != NC_OK || !body.deforms)
        return code;
    code = nc_view_mesh(view, body.mesh, &mesh, err);
    if (code != NC_OK)
        return code;
    *out = nc_mesh_view(mesh).vertices;
    *out_count = nc_mesh_view(mesh).vertex_count;
    for (int i = 0; i < view->frame.shape_count; i++)
        if (view->frame.shapes[i].body == pose->body && view->frame.shapes[i].vertex_count == *out_count)
            *out = view->frame.shapes[i].vertices;
    return NC_OK;
}

// The count; then of each its body, how many vertices, and where they are.
static nc_code put_shapes(nc_view *view, nc_buffer *out, nc_error *err)
{
    uint32_t count = 0;
    const size_t place = out->size;
    bool done = put_u32(out, 0);
    nc_code code = NC_OK;
    for (int i = 0; i < view->frame.pose_count && code == NC_OK; i++) {
        const nc_vec3 *vertices;
        int vertex_count = 0;
        code = shape_of(view, &view->frame.poses[i], &vertices, &vertex_count, err);
        if (code != NC_OK || vertices == NULL)
            continue;
        count++;
        done = done && put_u32(out, (uint32_t)view->frame.poses[i].body) && put_u32(out, (uint32_t)vertex_count);
        for (int k = 0; k < vertex_count && done; k++)
            done = put_vec3(out, nc_sub(vertices[k], view->origin));
    }
    if (done)
        nc_word_write(count, 4, out->data + place);
    return code == NC_OK && !done ? nc_fail_memory(err, out->size) : code;
}

#define HAS_SHAPES 0x80000000U // in the count of poses: shapes follow them

static uint32_t get_u32(const uint8_t *b)
{
    return (uint32_t)nc_word_read(b, 4);
}

int64_t nc_view_frames_in(const nc_buffer *reply)
{
    int64_t count = 0;
    for (size_t at = 0; at + 8 <= reply->size; count++) {
        const uint32_t poses = get_u32(reply->data + at + 4);
        at += (size_t)nc_view_frame_size(poses & ~HAS_SHAPES);
        if ((poses & HAS_SHAPES) == 0)
            continue;
        const uint32_t shapes = get_u32(reply->data + at);
        at += 4;
        for (uint32_t i = 0; i < shapes; i++)
            at += 8 + 12 * (size_t)get_u32(reply->data + at + 4);
    }
    return count;
}

// Number, count, time, step; then the bodies' numbers, centres, orientations (x y z w) and velocities, each in a block.
static bool put_poses(const nc_view *view, bool deforms, nc_buffer *out)
{
    const nc_run_frame *frame = &view->frame;
    bool done = put_u32(out, (uint32_t)frame->frame) &&
                put_u32(out, (uint32_t)frame->pose_count | (deforms ? HAS_SHAPES : 0)) && put_f64(out, frame->time) &&
                put_f64(out, (double)frame->step);
    for (int i = 0; i < frame->pose_count && done; i++)
        done = put_u32(out, (uint32_t)frame->poses[i].body);
    for (int i = 0; i < frame->pose_count && done; i++)
        done = put_vec3(out, nc_sub(frame->poses[i].pose.x, view->origin));
    for (int i = 0; i < frame->pose_count && done; i++) {
        const nc_quat q = frame->poses[i].pose.q;
        const double inv = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        done = put_vec3(out, nc_v3(inv * q.x, inv * q.y, inv * q.z)) && put_f32(out, inv * q.w);
    }
    for (int i = 0; i < frame->pose_count && done; i++)
        done = put_vec3(out, frame->poses[i].velocity);
    return done;
}

static nc_code put_frame(nc_view *view, bool deforms, nc_buffer *out, nc_error *err)
{
    if (!put_poses(view, deforms, out))
        return nc_fail_memory(err, (size_t)nc_view_frame_size(view->frame.pose_count));
    return deforms ? put_shapes(view, out, err) : NC_OK;
}

// [bytes]
static int64_t shapes_size(const nc_view *view)
{
    int64_t size = 4;
    for (int i = 0; i < view->frame.shape_count; i++)
        size += 8 + 12 * (int64_t)view->frame.shapes[i].vertex_count;
    return size;
}

nc_code nc_view_write_frames(nc_view *view, int64_t first, int64_t count, int64_t every, nc_buffer *out, nc_error *err)
{
    nc_run_info info;
    const size_t start = out->size;
    nc_code code = nc_run_read_info(view->run, &info, err);
    if (code == NC_OK && (first < 0 || first >= info.frame_count))
        code = nc_fail(err, NC_NOT_FOUND, "the run has no frame %" PRId64 ": it has %" PRId64, first, info.frame_count);
    for (int64_t i = 0; i < count && first + i * every < info.frame_count && code == NC_OK; i++) {
        code = nc_run_read_frame(view->run, first + i * every, &view->frame, err);
        if (code != NC_OK)
            break;
        const int64_t size = nc_view_frame_size(view->frame.pose_count) + (info.deforms ? shapes_size(view) : 0);
        if (out->size > start && (int64_t)(out->size - start) + size > NC_VIEW_FRAMES_MAX)
            break;
        code = put_frame(view, info.deforms, out, err);
    }
    return code;
}
