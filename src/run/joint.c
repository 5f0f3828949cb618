// What joints did up to a frame: a table that runs of worlds with joints have, and no others.
#include "run/run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Numbers of a row: all there, but for the limits, which are NaN of axes that have none.
enum { LIMITS = 35, NUMBERS = LIMITS + 12 };

static void gather_numbers(const nc_joint_state *s, double out[NUMBERS])
{
    const double more[LIMITS - 18] = {s->force.x,    s->force.y,    s->force.z,     s->torque.x,   s->torque.y,
                                      s->torque.z,   s->error,      s->error_angle, s->anchor_a.x, s->anchor_a.y,
                                      s->anchor_a.z, s->anchor_b.x, s->anchor_b.y,  s->anchor_b.z, s->axis.x,
                                      s->axis.y,     s->axis.z};
    memcpy(out, s->position, sizeof s->position);
    memcpy(out + 6, s->velocity, sizeof s->velocity);
    memcpy(out + 12, s->drive_force, sizeof s->drive_force);
    memcpy(out + 18, more, sizeof more);
    for (int k = 0; k < 6; k++) {
        out[LIMITS + k] = s->axes[k].limited ? s->axes[k].lower : (double)NAN;
        out[LIMITS + 6 + k] = s->axes[k].limited ? s->axes[k].upper : (double)NAN;
    }
}

static nc_code write_joint(nc_run *run, const nc_world *world, int64_t frame, nc_joint_id id, nc_error *err)
{
    nc_joint_state state;
    nc_row row;
    double numbers[NUMBERS];
    nc_code code = nc_joint_read(world, id, &state, err);
    if (code == NC_OK)
        code = nc_row_open(run, NC_SQL_INSERT_JOINT, &row, err);
    if (code != NC_OK)
        return code;
    const bool to_world = state.body_b.generation == 0;
    gather_numbers(&state, numbers);
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, id.index);
    nc_row_put_text(&row, nc_joint_name(world, id));
    nc_row_put_text(&row, nc_joint_kind_names[state.kind]);
    nc_row_put_int(&row, nc_registry_find(&run->registry, state.body_a));
    nc_row_put_int(&row, to_world ? -1 : nc_registry_find(&run->registry, state.body_b));
    nc_row_put_int(&row, state.broken);
    for (int k = 0; k < NUMBERS; k++)
        nc_row_put_real(&row, numbers[k]);
    return nc_row_write(&row, "storing a joint", err);
}

nc_code nc_run_write_joints(nc_run *run, nc_model model, int64_t frame, nc_error *err)
{
    const nc_world *world = nc_model_world(model);
    const int count = world != NULL ? nc_world_joint_count(world) : 0;
    if (count == 0)
        return NC_OK;
    nc_code code = nc_schema_add_joints(run, err);
    nc_joint_id *ids = nc_alloc(&run->allocator, (size_t)count, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_world_joints(world, ids, count);
    for (int k = 0; k < count && code == NC_OK; k++)
        code = write_joint(run, world, frame, ids[k], err);
    nc_free(&run->allocator, ids, (size_t)count, sizeof *ids);
    return code;
}

static nc_joint_kind kind_of(nc_row *row, const char *name)
{
    for (int k = 0; k < NC_JOINT_KINDS; k++)
        if (strcmp(name, nc_joint_kind_names[k]) == 0)
            return (nc_joint_kind)k;
    row->bad = true;
    return NC_JOINT_FIXED;
}

// An index, or -1.
static int take_index(nc_row *row)
{
    const int64_t value = nc_row_take_int(row);
    row->bad = row->bad || value < -1 || value > INT_MAX;
    return (int)value;
}

static void take_joint(nc_row *row, nc_run_joint *out)
{
    double n[NUMBERS];
    *out = (nc_run_joint){.joint = 0};
    (void)nc_row_take_int(row);
    out->joint = take_index(row);
    const char *name = nc_row_take_text(row);
    row->bad = row->bad || strlen(name) >= sizeof out->name;
    if (!row->bad)
        memcpy(out->name, name, strlen(name) + 1);
    out->kind = kind_of(row, nc_row_take_text(row));
    out->body_a = take_index(row);
    out->body_b = take_index(row);
    out->broken = nc_row_take_int(row) != 0;
    for (int k = 0; k < NUMBERS; k++) {
        n[k] = nc_row_take_real(row);
        row->bad = row->bad || (k < LIMITS ? !isfinite(n[k]) : isinf(n[k]));
    }
    memcpy(out->position, n, sizeof out->position);
    memcpy(out->velocity, n + 6, sizeof out->velocity);
    memcpy(out->drive_force, n + 12, sizeof out->drive_force);
    out->force = nc_v3(n[18], n[19], n[20]);
    out->torque = nc_v3(n[21], n[22], n[23]);
    out->error = n[24];
    out->error_angle = n[25];
    out->anchor_a = nc_v3(n[26], n[27], n[28]);
    out->anchor_b = nc_v3(n[29], n[30], n[31]);
    out->axis = nc_v3(n[32], n[33], n[34]);
    memcpy(out->lower, n + LIMITS, sizeof out->lower);
    memcpy(out->upper, n + LIMITS + 6, sizeof out->upper);
}

nc_code nc_run_read_joints(nc_run *run, int64_t frame, nc_run_joint *out, int capacity, int *out_count, nc_error *err)
{
    nc_row row;
    bool found = true;
    *out_count = 0;
    nc_code code = nc_schema_find_joints(run, err);
    if (code != NC_OK || !run->has_joints)
        return code;
    code = nc_row_open(run, NC_SQL_SELECT_JOINTS, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    while (code == NC_OK) {
        nc_run_joint joint;
        code = nc_row_next(&row, &found, "reading joints", err);
        if (code != NC_OK || !found)
            return code;
        take_joint(&row, &joint);
        code = nc_row_check(&row, "a joint of frame", frame, err);
        if (code == NC_OK && *out_count < capacity)
            out[*out_count] = joint;
        *out_count += code == NC_OK;
    }
    nc_row_close(&row);
    return code;
}
