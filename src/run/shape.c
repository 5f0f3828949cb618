// Shapes: where the vertices of a deforming body are in a frame. A body without a row is where its mesh has it.
#include "run/run.h"

#include <string.h>

enum { VERTEX_BYTES = 24 };

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
    if (!nc_run_is_cloth(run))
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
