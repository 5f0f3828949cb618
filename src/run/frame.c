// Frames: a clock, a hash, the poses and velocities of all bodies.
#include "run/run.h"

#include <stddef.h>
#include <string.h>

enum { POSE_NUMBERS = 13 };

// The numbers of a pose in the order of their columns.
static void pose_numbers(const nc_run_pose *pose, double out[POSE_NUMBERS])
{
    const nc_vec3 x = pose->pose.x, v = pose->velocity, w = pose->spin;
    const nc_quat q = pose->pose.q;
    const double numbers[POSE_NUMBERS] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(out, numbers, sizeof numbers);
}

uint64_t nc_run_frame_sum(const nc_run_frame *frame)
{
    uint64_t sum = nc_hash_u64(NC_HASH_START, (uint64_t)frame->frame);
    sum = nc_hash_u64(sum, (uint64_t)frame->step);
    sum = nc_hash_double(sum, frame->time);
    sum = nc_hash_u64(sum, frame->hash);
    sum = nc_hash_u64(sum, (uint64_t)frame->pose_count);
    for (int i = 0; i < frame->pose_count; i++) {
        double numbers[POSE_NUMBERS];
        pose_numbers(&frame->poses[i], numbers);
        sum = nc_hash_u64(sum, (uint64_t)frame->poses[i].body);
        for (int k = 0; k < POSE_NUMBERS; k++)
            sum = nc_hash_double(sum, numbers[k]);
    }
    for (int i = 0; i < frame->shape_count; i++) {
        const nc_run_shape *shape = &frame->shapes[i];
        sum = nc_hash_u64(nc_hash_u64(sum, (uint64_t)shape->body), (uint64_t)shape->vertex_count);
        for (int k = 0; k < shape->vertex_count; k++) {
            const nc_vec3 v = shape->vertices[k];
            sum = nc_hash_double(nc_hash_double(nc_hash_double(sum, v.x), v.y), v.z);
        }
    }
    return sum;
}

// ---- writing ------------------------------------------------------------------------------------------------

// Puts a body into its place among run->poses, and its shape into the frame.
static nc_code gather_body(nc_run *run, nc_model model, nc_body_id handle, nc_run_frame *out, nc_error *err)
{
    nc_model_body body;
    nc_code code = nc_model_read_body(model, handle, &body, err);
    if (code != NC_OK)
        return code;
    const int id = nc_registry_find(&run->registry, handle);
    NC_ASSERT(id >= 0);
    nc_run_pose *pose = &run->poses.data[id];
    *pose = (nc_run_pose){id, body.pose, body.velocity, body.spin};
    if (body.vertex_count > 0)
        code = nc_run_gather_shape(run, model, handle, id, &body, out, &pose->velocity, err);
    return code;
}

nc_code nc_run_gather(nc_run *run, nc_model model, int64_t frame, nc_run_frame *out, nc_error *err)
{
    const int bodies = run->registry.bodies.count;
    *out = (nc_run_frame){
        .frame = frame, .step = nc_model_step_count(model), .time = nc_model_time(model), .hash = nc_model_hash(model)};
    if (!nc_array_reserve(&run->allocator, &run->poses, bodies))
        return nc_fail_memory(err, (size_t)bodies * sizeof(nc_run_pose));
    // By id first, with holes where a body is gone; then without holes.
    for (int id = 0; id < bodies; id++)
        run->poses.data[id].body = -1;
    nc_code code = NC_OK;
    for (int i = 0; i < run->handles.count && code == NC_OK; i++)
        code = gather_body(run, model, run->handles.data[i], out, err);
    run->poses.count = 0;
    for (int id = 0; id < bodies; id++)
        if (run->poses.data[id].body == id)
            run->poses.data[run->poses.count++] = run->poses.data[id];
    out->poses = run->poses.data;
    out->pose_count = run->poses.count;
    return code;
}

static nc_code write_pose(nc_run *run, int64_t frame, const nc_run_pose *pose, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_POSE, &row, err);
    if (code != NC_OK)
        return code;
    double numbers[POSE_NUMBERS];
    pose_numbers(pose, numbers);
    // Not nc_row_put: the frame's row has the sum of all its poses.
    int bad = sqlite3_bind_int64(row.stmt, 1, frame) | sqlite3_bind_int64(row.stmt, 2, pose->body);
    for (int k = 0; k < POSE_NUMBERS; k++)
        bad |= sqlite3_bind_double(row.stmt, 3 + k, numbers[k]);
    const bool done = bad == SQLITE_OK && sqlite3_step(row.stmt) == SQLITE_DONE;
    const nc_code result = done ? NC_OK : nc_sql_fail(run, "storing a pose", err);
    nc_row_close(&row);
    return result;
}

nc_code nc_run_write_frame(nc_run *run, const nc_run_frame *content, nc_error *err)
{
    nc_row row;
    nc_code code = nc_row_open(run, NC_SQL_INSERT_FRAME, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, content->frame);
    nc_row_put_int(&row, content->step);
    nc_row_put_real(&row, content->time);
    nc_row_put_int(&row, (int64_t)content->hash);
    nc_row_put_int(&row, content->pose_count);
    row.sum = nc_run_frame_sum(content);
    code = nc_row_write(&row, "storing a frame", err);
    for (int i = 0; i < content->pose_count && code == NC_OK; i++)
        code = write_pose(run, content->frame, &content->poses[i], err);
    for (int i = 0; i < content->shape_count && code == NC_OK; i++)
        code = nc_run_write_shape(run, content->frame, &content->shapes[i], err);
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code damaged(nc_run *run, int64_t frame, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "frame %lld is damaged: its checksum does not fit",
                      (long long)frame);
}

// The row without its poses; `*sum` is the stored sum.
static nc_code read_frame_row(nc_run *run, int64_t frame, nc_run_frame *out, uint64_t *sum, nc_error *err)
{
    nc_row row;
    bool found;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_FRAME, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    code = nc_row_next(&row, &found, "reading a frame", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no frame %lld", (long long)frame);
    out->frame = nc_row_take_int(&row);
    out->step = nc_row_take_int(&row);
    out->time = nc_row_take_real(&row);
    out->hash = (uint64_t)nc_row_take_int(&row);
    const int64_t count = nc_row_take_int(&row);
    *sum = (uint64_t)nc_row_take_int(&row);
    if (row.bad || count < 0 || count > INT_MAX)
        code = damaged(run, frame, err);
    out->pose_count = code == NC_OK ? (int)count : 0;
    nc_row_close(&row);
    return code;
}

// Reads the pose that the statement stands on; false when a value has the wrong type.
static bool take_pose(sqlite3_stmt *stmt, nc_run_pose *out)
{
    double n[POSE_NUMBERS];
    for (int k = 0; k < POSE_NUMBERS; k++) {
        sqlite3_value *value = sqlite3_column_value(stmt, 2 + k); // one lookup for type and value
        if (sqlite3_value_type(value) != SQLITE_FLOAT)
            return false;
        n[k] = sqlite3_value_double(value);
    }
    const int64_t body = sqlite3_column_int64(stmt, 1);
    if (body < 0 || body > INT_MAX)
        return false;
    out->body = (int)body;
    out->pose.x = nc_v3(n[0], n[1], n[2]);
    out->pose.q = nc_q4(n[3], n[4], n[5], n[6]);
    out->velocity = nc_v3(n[7], n[8], n[9]);
    out->spin = nc_v3(n[10], n[11], n[12]);
    return true;
}

static nc_code read_poses(nc_run *run, nc_run_frame *frame, nc_error *err)
{
    nc_row row;
    bool found = true;
    int count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_POSES, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame->frame);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading poses", err);
        if (code != NC_OK || !found)
            break;
        // A count in the file is believed only row by row.
        if (!nc_grow(&run->allocator, (void **)&frame->poses, &frame->pose_capacity, count + 1, sizeof *frame->poses))
            code = nc_fail_memory(err, sizeof *frame->poses);
        else if (count >= frame->pose_count || !take_pose(row.stmt, &frame->poses[count]))
            code = damaged(run, frame->frame, err);
        else
            count++;
    }
    nc_row_close(&row);
    return code == NC_OK && count != frame->pose_count ? damaged(run, frame->frame, err) : code;
}

// Poses by pages, where that gives the sum; else by SQL.
static nc_code read_content(nc_run *run, nc_run_frame *out, uint64_t sum, nc_error *err)
{
    const nc_code code = nc_run_read_shapes(run, out, err);
    if (code != NC_OK)
        return code;
    if (nc_run_pages_read(run, out)) {
        if (nc_run_frame_sum(out) == sum)
            return NC_OK;
        nc_run_pages_forget(run);
    }
    const nc_code slow = read_poses(run, out, err);
    return slow == NC_OK && nc_run_frame_sum(out) != sum ? damaged(run, out->frame, err) : slow;
}

nc_code nc_run_read_frame(nc_run *run, int64_t frame, nc_run_frame *out, nc_error *err)
{
    uint64_t sum = 0;
    nc_code code = read_frame_row(run, frame, out, &sum, err);
    if (code == NC_OK)
        code = read_content(run, out, sum, err);
    if (code != NC_OK)
        out->pose_count = 0;
    // Frames that came after the registry was loaded may bring bodies it does not know.
    if (code == NC_OK && run->mode == NC_RUN_READ && frame >= run->registry.frame_count)
        nc_registry_forget(run);
    return code;
}

void nc_run_frame_free(nc_run *run, nc_run_frame *frame)
{
    nc_free(&run->allocator, frame->poses, (size_t)frame->pose_capacity, sizeof *frame->poses);
    nc_run_free_shapes(run, frame);
    memset(frame, 0, sizeof *frame);
}
