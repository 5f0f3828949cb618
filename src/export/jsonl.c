// JSON lines of a run.
#include "export/jsonl.h"

#include <string.h>

nc_code nc_jsonl_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_step_report report = {0};
    nc_json json = {.out = out, .one_line = true};
    int count;
    const nc_column *columns = nc_column_list(&count);
    nc_cloth_report cloth = {0};
    const bool is_cloth = strcmp(reel->info.pipeline, "acm") == 0;
    nc_code code = nc_run_read_report(reel->run, frame, &report, err);
    if (code == NC_OK && is_cloth)
        code = nc_run_read_cloth_report(reel->run, frame, &cloth, err);
    if (code != NC_OK)
        return code;
    nc_json_begin(&json, NULL, '{');
    nc_json_whole(&json, "frame", frame);
    for (int i = 0; i < count; i++)
        nc_json_number(&json, columns[i].name, nc_column_value(&columns[i], &report));
    columns = nc_cloth_column_list(&count);
    for (int i = 0; i < count && is_cloth; i++)
        nc_json_number(&json, columns[i].name, nc_column_value(&columns[i], &cloth));
    nc_json_end(&json, '}');
    return NC_OK;
}

static void tell_pose(nc_json *json, const nc_reel *reel, const nc_run_pose *p)
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
        tell_pose(&json, reel, &reel->frame.poses[i]);
    }
    return code;
}
