// JSON lines of a run.
#include "export/jsonl.h"

nc_code nc_jsonl_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_model_report report;
    nc_json json = {.out = out, .one_line = true};
    const nc_column *column;
    const nc_code code = nc_run_read_report(reel->run, frame, &report, err);
    if (code != NC_OK)
        return code;
    nc_json_begin(&json, NULL, '{');
    nc_json_whole(&json, "frame", frame);
    for (int i = 0; (column = nc_column_at(i, report.has_cloth)) != NULL; i++)
        nc_json_number(&json, column->name, nc_column_value(column, &report));
    nc_json_end(&json, '}');
    return NC_OK;
}

static void write_pose(nc_json *json, const nc_reel *reel, const nc_run_pose *p)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "frame", reel->frame.frame);
    nc_json_whole(json, "step", reel->frame.step);
    nc_json_number(json, "time", reel->frame.time);
    nc_json_whole(json, "body", p->body);
    nc_json_text(json, "name", reel->bodies[p->body].name);
    nc_json_vec3(json, "position", nc_reel_place(reel, p));
    nc_json_begin(json, "orientation", '[');
    const double q[4] = {p->pose.q.w, p->pose.q.x, p->pose.q.y, p->pose.q.z};
    for (int k = 0; k < 4; k++)
        nc_json_number(json, NULL, q[k]);
    nc_json_end(json, ']');
    nc_json_vec3(json, "velocity", p->velocity);
    nc_json_vec3(json, "spin", p->spin);
    nc_json_end(json, '}');
}

nc_code nc_jsonl_poses(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    const nc_code code = nc_reel_seek(reel, frame, err);
    for (int i = 0; code == NC_OK && i < reel->frame.pose_count; i++) {
        nc_json json = {.out = out, .one_line = true};
        write_pose(&json, reel, &reel->frame.poses[i]);
    }
    return code;
}
