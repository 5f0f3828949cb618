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

static void write_body(nc_json *json, const nc_reel *reel, const char *key, const char *name_key, int body)
{
    nc_json_whole(json, key, body);
    nc_json_text(json, name_key, reel->bodies[body].name);
}

static void write_contact(nc_json *json, const nc_reel *reel, int64_t frame, const nc_run_contact *c)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "frame", frame);
    nc_json_whole(json, "step", c->step);
    nc_json_text(json, "phase", nc_contact_phase_name(c->phase));
    write_body(json, reel, "body_a", "name_a", c->body_a);
    write_body(json, reel, "body_b", "name_b", c->body_b);
    nc_json_text(json, "kind", nc_feature_kind_name(c->feature.kind));
    nc_json_whole(json, "feature_a", c->feature.a);
    nc_json_whole(json, "feature_b", c->feature.b);
    nc_json_vec3(json, "place", c->place);
    nc_json_vec3(json, "normal", c->normal);
    nc_json_number(json, "distance", c->distance);
    nc_json_vec3(json, "impulse", c->impulse);
    nc_json_number(json, "normal_impulse", c->normal_part);
    nc_json_number(json, "tangential_impulse", c->tangential_part);
    nc_json_end(json, '}');
}

nc_code nc_jsonl_contacts(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_contact *contacts;
    int count = 0;
    const nc_code code = nc_reel_contacts(reel, frame, &contacts, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        nc_json json = {.out = out, .one_line = true};
        write_contact(&json, reel, frame, &contacts[k]);
    }
    nc_free(&reel->allocator, contacts, (size_t)count, sizeof *contacts);
    return code;
}

nc_code nc_jsonl_forces(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_force *forces;
    int count = 0;
    const nc_code code = nc_reel_forces(reel, frame, &forces, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        const nc_run_force *f = &forces[k];
        nc_json json = {.out = out, .one_line = true};
        nc_json_begin(&json, NULL, '{');
        nc_json_whole(&json, "frame", frame);
        write_body(&json, reel, "body_a", "name_a", f->body_a);
        write_body(&json, reel, "body_b", "name_b", f->body_b);
        nc_json_whole(&json, "contacts", f->contacts);
        nc_json_vec3(&json, "force", f->force);
        nc_json_number(&json, "normal", f->normal);
        nc_json_number(&json, "tangential", f->tangential);
        nc_json_end(&json, '}');
    }
    nc_free(&reel->allocator, forces, (size_t)count, sizeof *forces);
    return code;
}

nc_code nc_jsonl_accelerations(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_acceleration *found = NULL;
    int count = 0;
    nc_code code = nc_reel_seek(reel, frame, err);
    if (code == NC_OK)
        code = nc_reel_accelerations(reel, frame, &found, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        nc_json json = {.out = out, .one_line = true};
        nc_json_begin(&json, NULL, '{');
        nc_json_whole(&json, "frame", frame);
        nc_json_whole(&json, "step", reel->frame.step);
        nc_json_number(&json, "time", reel->frame.time);
        write_body(&json, reel, "body", "name", found[k].body);
        nc_json_vec3(&json, "acceleration", found[k].linear);
        nc_json_vec3(&json, "angular_acceleration", found[k].angular);
        nc_json_end(&json, '}');
    }
    nc_free(&reel->allocator, found, (size_t)count, sizeof *found);
    return code;
}

// Six numbers as a list.
static void write_six(nc_json *json, const char *key, const double *six)
{
    nc_json_begin(json, key, '[');
    for (int k = 0; k < 6; k++)
        nc_json_number(json, NULL, six[k]);
    nc_json_end(json, ']');
}

static void write_joint(nc_json *json, int64_t frame, const nc_run_joint *joint)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "frame", frame);
    nc_json_whole(json, "joint", joint->joint);
    nc_json_text(json, "name", joint->name);
    nc_json_text(json, "kind", nc_joint_kind_names[joint->kind]);
    nc_json_whole(json, "body_a", joint->body_a);
    nc_json_whole(json, "body_b", joint->body_b);
    nc_json_whole(json, "broken", joint->broken);
    write_six(json, "position", joint->position);
    write_six(json, "velocity", joint->velocity);
    write_six(json, "drive_force", joint->drive_force);
    nc_json_vec3(json, "force", joint->force);
    nc_json_vec3(json, "torque", joint->torque);
    nc_json_number(json, "error", joint->error);
    nc_json_number(json, "error_angle", joint->error_angle);
    nc_json_vec3(json, "anchor", joint->anchor_a);
    nc_json_vec3(json, "anchor_b", joint->anchor_b);
    nc_json_vec3(json, "axis", joint->axis);
    write_six(json, "lower", joint->lower);
    write_six(json, "upper", joint->upper);
    nc_json_end(json, '}');
}

nc_code nc_jsonl_joints(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_joint *joints;
    int count = 0;
    const nc_code code = nc_reel_joints(reel, frame, &joints, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        nc_json json = {.out = out, .one_line = true};
        write_joint(&json, frame, &joints[k]);
    }
    nc_free(&reel->allocator, joints, (size_t)count, sizeof *joints);
    return code;
}
