// What broke: a row for each body that broke or should have, and for each piece the row it came of.
#include "run/run.h"

#include <string.h>

static nc_code write_fracture(nc_run *run, int64_t id, int64_t frame, const nc_fracture_event *event, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_FRACTURE, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, id);
    nc_row_put_int(&row, event->step);
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, nc_registry_find(&run->registry, event->body));
    nc_row_put_text(&row, event->name);
    nc_row_put_real(&row, event->impulse);
    nc_row_put_real(&row, event->threshold);
    nc_row_put_real(&row, event->place.x);
    nc_row_put_real(&row, event->place.y);
    nc_row_put_real(&row, event->place.z);
    nc_row_put_real(&row, event->normal.x);
    nc_row_put_real(&row, event->normal.y);
    nc_row_put_real(&row, event->normal.z);
    nc_row_put_text(&row, event->pattern);
    nc_row_put_int(&row, event->pieces);
    nc_row_put_text(&row, event->reason);
    return nc_row_write(&row, "storing a fracture", err);
}

static nc_code write_piece(nc_run *run, int64_t fracture, int body, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_PIECE, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, body);
    nc_row_put_int(&row, fracture);
    return nc_row_write(&row, "storing a piece", err);
}

static nc_code write_pieces(nc_run *run, nc_model model, int event, int count, nc_run_progress *progress, nc_error *err)
{
    nc_code code = NC_OK;
    const size_t room = (size_t)count;
    nc_body_id *pieces = nc_alloc(&run->allocator, room, sizeof *pieces);
    if (pieces == NULL && count > 0)
        return nc_fail_memory(err, room * sizeof *pieces);
    (void)nc_model_fracture_pieces(model, event, pieces, count);
    for (int k = 0; k < count && code == NC_OK; k++) {
        const int body = nc_registry_find(&run->registry, pieces[k]);
        if (body < 0) // broken since, between two frames
            continue;
        code = write_piece(run, progress->fracture_count, body, err);
        progress->piece_count++;
    }
    nc_free(&run->allocator, pieces, room, sizeof *pieces);
    return code;
}

nc_code nc_run_write_fractures(nc_run *run, nc_model model, int64_t frame, int64_t since, nc_run_progress *progress,
                               nc_error *err)
{
    const int count = nc_model_fractures(model, 0, NULL, 0);
    nc_code code = NC_OK;
    nc_fracture_event event;
    int first = count;
    while (first > 0 && nc_model_fractures(model, first - 1, &event, 1) > 0 && event.step > since)
        first--;
    for (int k = first; k < count && code == NC_OK; k++) {
        (void)nc_model_fractures(model, k, &event, 1);
        code = write_fracture(run, progress->fracture_count, frame, &event, err);
        if (code == NC_OK)
            code = write_pieces(run, model, k, event.pieces, progress, err);
        progress->fracture_count++;
    }
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

nc_code nc_run_read_fracture(nc_run *run, int64_t fracture, nc_run_fracture *out, nc_error *err)
{
    nc_row row;
    bool found;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_FRACTURE, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, fracture);
    code = nc_row_next(&row, &found, "reading a fracture", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no fracture %lld", (long long)fracture);
    memset(out, 0, sizeof *out);
    (void)nc_row_take_int(&row);
    out->step = nc_row_take_int(&row);
    out->frame = nc_row_take_int(&row);
    const int64_t body = nc_row_take_int(&row);
    nc_run_copy_text(out->name, sizeof out->name, nc_row_take_text(&row));
    out->impulse = nc_row_take_real(&row);
    out->threshold = nc_row_take_real(&row);
    for (int k = 0; k < 6; k++) {
        nc_vec3 *to = k < 3 ? &out->place : &out->normal;
        const double value = nc_row_take_real(&row);
        *(k % 3 == 0 ? &to->x : k % 3 == 1 ? &to->y : &to->z) = value;
    }
    nc_run_copy_text(out->pattern, sizeof out->pattern, nc_row_take_text(&row));
    const int64_t pieces = nc_row_take_int(&row);
    nc_run_copy_text(out->reason, sizeof out->reason, nc_row_take_text(&row));
    row.bad = row.bad || body < -1 || body > INT_MAX || pieces < 0 || pieces > INT_MAX;
    code = nc_row_check(&row, "fracture", fracture, err);
    nc_row_close(&row);
    out->body = (int)body;
    out->pieces = (int)pieces;
    return code;
}

nc_code nc_run_read_pieces(nc_run *run, int64_t fracture, int *out, int capacity, int *out_count, nc_error *err)
{
    nc_row row;
    bool found = true;
    *out_count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_PIECES, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, fracture);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading pieces", err);
        if (code != NC_OK || !found)
            return code;
        const int64_t body = nc_row_take_int(&row);
        (void)nc_row_take_int(&row);
        row.bad = row.bad || body < 0 || body > INT_MAX;
        code = nc_row_check(&row, "piece of fracture", fracture, err);
        if (code == NC_OK && *out_count < capacity)
            out[*out_count] = (int)body;
        *out_count += code == NC_OK;
    }
    nc_row_close(&row);
    return code;
}
