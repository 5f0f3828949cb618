// Shapes: where the vertices of a deforming body are in a frame. A body without a row is where its mesh has it.
#include "run/run.h"

#include <string.h>

enum { VERTEX_BYTES = 24 };

// ---- gathering ----------------------------------------------------------------------------------------------

// Makes room for `count` vertices in shape number `at`; shapes keep their memory from frame to frame.
static bool make_room(nc_run *run, nc_run_frame *frame, int at, int count)
{
    const int before = frame->shape_capacity;
    if (!nc_grow(&run->allocator, (void **)&frame->shapes, &frame->shape_capacity, at + 1, sizeof *frame->shapes))
        return false;
    for (int i = before; i < frame->shape_capacity; i++)
        frame->shapes[i] = (nc_run_shape){0};
    nc_run_shape *shape = &frame->shapes[at];
    if (shape->vertices != NULL && shape->vertex_count == count)
        return true;
    nc_free(&run->allocator, shape->vertices, (size_t)shape->vertex_count, sizeof *shape->vertices);
    shape->vertices = nc_alloc(&run->allocator, (size_t)count, sizeof *shape->vertices);
    shape->vertex_count = shape->vertices != NULL ? count : 0;
    return shape->vertices != NULL;
}

void nc_run_forget_first(nc_run *run)
{
    for (int i = 0; i < run->first.count; i++)
        nc_free(&run->allocator, run->first.data[i].vertices, (size_t)run->first.data[i].vertex_count, sizeof(nc_vec3));
    run->first.count = 0;
}

static nc_code remember_first(nc_run *run, int row, nc_error *err)
{
    nc_mesh *mesh = NULL;
    const nc_code code = nc_run_read_mesh(run, row, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_mesh_data data = nc_mesh_view(mesh);
    const size_t count = (size_t)data.vertex_count;
    const nc_run_shape shape = {row, data.vertex_count, nc_alloc(&run->allocator, count, sizeof(nc_vec3))};
    if (shape.vertices != NULL)
        memcpy(shape.vertices, data.vertices, count * sizeof(nc_vec3));
    nc_mesh_release(mesh);
    if (shape.vertices != NULL && nc_array_push(&run->allocator, &run->first, shape))
        return NC_OK;
    nc_free(&run->allocator, shape.vertices, count, sizeof(nc_vec3));
    return nc_fail_memory(err, count * sizeof(nc_vec3));
}

// Is the shape as the mesh of that row has it?
static nc_code is_at_rest(nc_run *run, int row, const nc_run_shape *shape, bool *out, nc_error *err)
{
    nc_code code = NC_OK;
    while (run->first.count <= row && code == NC_OK)
        code = remember_first(run, run->first.count, err);
    if (code != NC_OK)
        return code;
    const nc_run_shape *first = &run->first.data[row];
    *out = first->vertex_count == shape->vertex_count &&
           memcmp(first->vertices, shape->vertices, (size_t)shape->vertex_count * sizeof(nc_vec3)) == 0;
    return NC_OK;
}

static nc_vec3 mean(const nc_vec3 *vectors, int count)
{
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = nc_add(sum, vectors[i]);
    return nc_scale(1.0 / count, sum);
}

nc_code nc_run_gather_shape(nc_run *run, nc_model model, nc_body_id handle, int id, const nc_model_body *body,
                            nc_run_frame *frame, nc_vec3 *out_velocity, nc_error *err)
{
    const int count = body->vertex_count;
    if (!make_room(run, frame, frame->shape_count, count) ||
        !nc_array_reserve(&run->allocator, &run->velocities, count))
        return nc_fail_memory(err, 2 * (size_t)count * sizeof(nc_vec3));
    nc_run_shape *shape = &frame->shapes[frame->shape_count];
    shape->body = id;
    nc_code code = nc_model_read_vertices(model, handle, shape->vertices, run->velocities.data, err);
    if (code != NC_OK)
        return code;
    *out_velocity = mean(run->velocities.data, count);
    bool at_rest = false;
    code = is_at_rest(run, body->mesh, shape, &at_rest, err);
    if (code == NC_OK && !at_rest)
        frame->shape_count++;
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

static void encode(const nc_vec3 *vertices, int count, uint8_t *out)
{
    for (int i = 0; i < count; i++) {
        const double number[3] = {vertices[i].x, vertices[i].y, vertices[i].z};
        for (int k = 0; k < 3; k++) {
            uint64_t bits;
            memcpy(&bits, &number[k], sizeof bits);
            for (int byte = 0; byte < 8; byte++)
                *out++ = (uint8_t)(bits >> (8 * byte));
        }
    }
}

static void decode(const uint8_t *bytes, int count, nc_vec3 *out)
{
    for (int i = 0; i < count; i++) {
        double number[3];
        for (int k = 0; k < 3; k++) {
            uint64_t bits = 0;
            for (int byte = 0; byte < 8; byte++)
                bits |= (uint64_t)*bytes++ << (8 * byte);
            memcpy(&number[k], &bits, sizeof bits);
        }
        out[i] = nc_v3(number[0], number[1], number[2]);
    }
}

static nc_code write_row(nc_run *run, int64_t frame, const nc_run_shape *shape, const char *packing,
                         const nc_buffer *bytes, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_SHAPE, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, shape->body);
    nc_row_put_int(&row, shape->vertex_count);
    nc_row_put_text(&row, packing);
    nc_row_put_blob(&row, bytes->data, bytes->size);
    return nc_row_write(&row, "storing a shape", err);
}

nc_code nc_run_write_shape(nc_run *run, int64_t frame, const nc_run_shape *shape, nc_error *err)
{
    const size_t size = VERTEX_BYTES * (size_t)shape->vertex_count;
    uint8_t *bytes = nc_alloc(&run->allocator, size, 1);
    if (bytes == NULL)
        return nc_fail_memory(err, size);
    encode(shape->vertices, shape->vertex_count, bytes);
    nc_buffer packed = nc_buffer_create(&run->allocator);
    const char *packing = nc_run_pack(bytes, size, &packed);
    const nc_code code =
        packing != NULL ? write_row(run, frame, shape, packing, &packed, err) : nc_fail_memory(err, size);
    nc_buffer_free(&packed);
    nc_free(&run->allocator, bytes, size, 1);
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code damaged(nc_run *run, int64_t frame, int64_t body, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "frame %lld is damaged: the shape of body %lld",
                      (long long)frame, (long long)body);
}

static nc_code take_shape(nc_run *run, nc_row *row, nc_run_frame *frame, nc_error *err)
{
    const int64_t number = nc_row_take_int(row), body = nc_row_take_int(row), count = nc_row_take_int(row);
    const char *packing = nc_row_take_text(row);
    size_t byte_count;
    const void *bytes = nc_row_take_blob(row, &byte_count);
    if (row->bad || number != frame->frame || body < 0 || body > INT_MAX || count < 1 || count > INT_MAX / 32)
        return damaged(run, frame->frame, body, err);
    nc_code code = nc_row_check(row, "shape of body", body, err);
    if (code != NC_OK)
        return code;
    nc_buffer unpacked = nc_buffer_create(&run->allocator);
    code = nc_run_unpack(packing, bytes, byte_count, VERTEX_BYTES * count, &unpacked);
    if (code == NC_OK && !make_room(run, frame, frame->shape_count, (int)count))
        code = NC_OUT_OF_MEMORY;
    if (code == NC_OK) {
        nc_run_shape *shape = &frame->shapes[frame->shape_count++];
        shape->body = (int)body;
        decode(unpacked.data, (int)count, shape->vertices);
    }
    nc_buffer_free(&unpacked);
    return code == NC_OUT_OF_MEMORY ? nc_fail_memory(err, VERTEX_BYTES * (size_t)count)
           : code != NC_OK          ? damaged(run, frame->frame, body, err)
                                    : NC_OK;
}

nc_code nc_run_read_shapes(nc_run *run, nc_run_frame *frame, nc_error *err)
{
    nc_row row;
    bool found = true;
    frame->shape_count = 0;
    if (!nc_run_kind(run)->deforms)
        return NC_OK;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_SHAPES, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame->frame);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading shapes", err);
        if (code != NC_OK || !found)
            break;
        code = take_shape(run, &row, frame, err);
    }
    nc_row_close(&row);
    return code;
}

void nc_run_free_shapes(nc_run *run, nc_run_frame *frame)
{
    for (int i = 0; i < frame->shape_capacity; i++)
        nc_free(&run->allocator, frame->shapes[i].vertices, (size_t)frame->shapes[i].vertex_count,
                sizeof *frame->shapes[i].vertices);
    nc_free(&run->allocator, frame->shapes, (size_t)frame->shape_capacity, sizeof *frame->shapes);
}
