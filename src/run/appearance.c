// How bodies look: a table beside `body`. Files from before it are without, and old readers pass over it.
#include "run/run.h"

#include <stdio.h>
#include <string.h>

nc_code nc_run_write_appearance(nc_run *run, int64_t body, const nc_appearance *appearance, nc_error *err)
{
    nc_row row;
    char color[8] = "";
    if (!appearance->has_color && appearance->material == NC_MATERIAL_NONE)
        return NC_OK;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_APPEARANCE, &row, err);
    if (code != NC_OK)
        return code;
    if (appearance->has_color)
        nc_color_print(appearance->color, color);
    nc_row_put_int(&row, body);
    nc_row_put_text(&row, color);
    nc_row_put_text(&row, nc_material_view(appearance->material)->name);
    return nc_row_write(&row, "storing the appearance of a body", err);
}

// Takes the row that `row` stands on. A material that this version does not know is as if none were given.
static nc_code take_appearance(nc_row *row, int64_t *out_body, nc_appearance *out, nc_error *err)
{
    *out = (nc_appearance){.has_color = 0};
    *out_body = nc_row_take_int(row);
    const char *color = nc_row_take_text(row);
    out->has_color = nc_color_read(color, out->color) ? 1 : 0;
    row->bad = row->bad || (color[0] != '\0' && !out->has_color);
    out->material = (uint8_t)nc_material_find(nc_row_take_text(row));
    return nc_row_check(row, "appearance of body", *out_body, err);
}

nc_code nc_run_read_appearance(nc_run *run, int body, nc_appearance *out, nc_error *err)
{
    nc_row row;
    bool found;
    int64_t id;
    *out = (nc_appearance){.has_color = 0};
    if (!run->has_appearances)
        return NC_OK;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_APPEARANCE, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, body);
    code = nc_row_next(&row, &found, "reading the appearance of a body", err);
    if (code == NC_OK && found)
        code = take_appearance(&row, &id, out, err);
    nc_row_close(&row);
    return code;
}

nc_code nc_run_each_appearance(nc_run *run, nc_appearance_taker take, void *ctx, nc_error *err)
{
    nc_row row;
    bool found = true;
    if (!run->has_appearances)
        return NC_OK;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_APPEARANCES, &row, err);
    while (code == NC_OK) {
        int64_t body;
        nc_appearance each;
        code = nc_row_next(&row, &found, "reading the appearance of bodies", err);
        if (code != NC_OK || !found)
            break;
        code = take_appearance(&row, &body, &each, err);
        if (code == NC_OK && take != NULL)
            code = take(run, body, &each, ctx, err);
    }
    nc_row_close(&row);
    return code;
}

static nc_code put_back(nc_run *run, int64_t body, const nc_appearance *appearance, void *ctx, nc_error *err)
{
    nc_world *world = ctx;
    if (body < 0 || body >= run->registry.bodies.count)
        return NC_OK;
    const nc_body_id handle = run->registry.bodies.data[body].handle;
    if (nc_body_name(world, handle) == NULL) // gone by the time of the checkpoint, or not there yet
        return NC_OK;
    return nc_body_set_appearance(world, handle, *appearance, err);
}

nc_code nc_run_restore_appearances(nc_run *run, nc_model model, nc_error *err)
{
    nc_world *world = nc_model_world(model);
    if (world == NULL)
        return NC_OK;
    const nc_code code = nc_registry_load(run, err);
    return code == NC_OK ? nc_run_each_appearance(run, put_back, world, err) : code;
}
