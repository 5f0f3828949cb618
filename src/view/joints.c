// Joints of a frame, as the overlay draws them and the panel of a selected joint lists them.
#include "view/view.h"

#include "reel/reel.h"

#include <stdlib.h>

static nc_code read_joints(nc_view *view, int64_t frame, nc_run_joint **out, int *out_count, nc_error *err)
{
    nc_code code = nc_run_read_joints(view->run, frame, NULL, 0, out_count, err);
    const int count = *out_count < NC_VIEW_JOINTS_MAX ? *out_count : NC_VIEW_JOINTS_MAX;
    *out = code == NC_OK ? calloc((size_t)count + 1, sizeof **out) : NULL;
    if (code == NC_OK && *out == NULL)
        code = nc_fail_memory(err, (size_t)count * sizeof **out);
    if (code == NC_OK)
        code = nc_run_read_joints(view->run, frame, *out, count, out_count, err);
    return code;
}

static void write_six(nc_json *json, const char *key, const double *six)
{
    nc_json_begin(json, key, '[');
    for (int k = 0; k < 6; k++)
        nc_json_number(json, NULL, six[k]); // NaN is null: no limit
    nc_json_end(json, ']');
}

static void write_joint(nc_json *json, const nc_view *view, const nc_run_joint *joint)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "joint", joint->joint);
    nc_json_text(json, "name", joint->name);
    nc_json_text(json, "kind", nc_joint_kind_names[joint->kind]);
    nc_json_whole(json, "a", joint->body_a);
    nc_json_whole(json, "b", joint->body_b);
    nc_json_flag(json, "broken", joint->broken);
    nc_json_vec3(json, "anchorA", nc_sub(joint->anchor_a, view->origin));
    nc_json_vec3(json, "anchorB", nc_sub(joint->anchor_b, view->origin));
    nc_json_vec3(json, "axis", joint->axis);
    write_six(json, "position", joint->position);
    write_six(json, "velocity", joint->velocity);
    write_six(json, "drive", joint->drive_force);
    write_six(json, "lower", joint->lower);
    write_six(json, "upper", joint->upper);
    nc_json_vec3(json, "force", joint->force);
    nc_json_vec3(json, "torque", joint->torque);
    nc_json_number(json, "error", joint->error);
    nc_json_number(json, "errorAngle", joint->error_angle);
    nc_json_end(json, '}');
}

static void write_list(nc_json *json, const nc_view *view, int64_t frame, const nc_run_joint *joints, int count)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "frame", frame);
    nc_json_whole(json, "count", count);
    nc_json_begin(json, "joints", '[');
    for (int i = 0; i < count && i < NC_VIEW_JOINTS_MAX; i++)
        write_joint(json, view, &joints[i]);
    nc_json_end(json, ']');
    nc_json_end(json, '}');
}

nc_code nc_view_write_joints(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
{
    nc_run_joint *joints = NULL;
    int count = 0;
    char *text = NULL;
    size_t size = 0;
    nc_code code = read_joints(view, frame, &joints, &count, err);
    nc_json json = {.out = code == NC_OK ? open_memstream(&text, &size) : NULL, .one_line = true};
    if (json.out != NULL) {
        write_list(&json, view, frame, joints, count);
        if (fclose(json.out) != 0 || !nc_buffer_append(out, text, size))
            code = nc_fail_memory(err, size);
    } else if (code == NC_OK) {
        code = nc_fail_memory(err, 4096);
    }
    free(text);
    free(joints);
    return code;
}
