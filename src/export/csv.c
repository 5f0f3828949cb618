// Comma-separated tables of a run.
#include "export/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_vec3(FILE *out, nc_vec3 v)
{
    fprintf(out, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

void nc_csv_report_head(FILE *out, const nc_reel *reel)
{
    const nc_column *column;
    fputs("frame", out);
    for (int i = 0; (column = nc_column_at(i, reel->info.has_cloth)) != NULL; i++)
        fprintf(out, ",%s", column->name);
    fputc('\n', out);
}

// Empty where there is nothing: the distance of bodies of which no two were near.
nc_code nc_csv_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_model_report report;
    const nc_column *column;
    const nc_code code = nc_run_read_report(reel->run, frame, &report, err);
    if (code != NC_OK)
        return code;
    fprintf(out, "%" PRId64, frame);
    for (int i = 0; (column = nc_column_at(i, report.has_cloth)) != NULL; i++) {
        const double value = nc_column_value(column, &report);
        fputc(',', out);
        if (isfinite(value))
            fprintf(out, "%.17g", value);
    }
    fputc('\n', out);
    return NC_OK;
}

void nc_csv_text(FILE *out, const char *name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

void nc_csv_poses_head(FILE *out)
{
    fputs("frame,step,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,spin_x,spin_y,spin_z\n", out);
}

nc_code nc_csv_poses(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    const nc_code code = nc_reel_seek(reel, frame, err);
    for (int i = 0; code == NC_OK && i < reel->frame.pose_count; i++) {
        const nc_run_pose *p = &reel->frame.poses[i];
        fprintf(out, "%" PRId64 ",%" PRId64 ",%.17g,%d,", frame, reel->frame.step, reel->frame.time, p->body);
        nc_csv_text(out, reel->bodies[p->body].name);
        write_vec3(out, nc_reel_place(reel, p));
        fprintf(out, ",%.17g", p->pose.q.w);
        write_vec3(out, nc_v3(p->pose.q.x, p->pose.q.y, p->pose.q.z));
        write_vec3(out, p->velocity);
        write_vec3(out, p->spin);
        fputc('\n', out);
    }
    return code;
}

// ---- contacts and forces ------------------------------------------------------------------------------------

static void write_pair(FILE *out, const nc_reel *reel, int a, int b)
{
    fprintf(out, ",%d,", a);
    nc_csv_text(out, reel->bodies[a].name);
    fprintf(out, ",%d,", b);
    nc_csv_text(out, reel->bodies[b].name);
}

void nc_csv_contacts_head(FILE *out)
{
    fputs("frame,step,phase,body_a,name_a,body_b,name_b,kind,feature_a,feature_b,x,y,z,nx,ny,nz,distance,impulse_x,"
          "impulse_y,impulse_z,normal_impulse,tangential_impulse\n",
          out);
}

nc_code nc_csv_contacts(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_contact *contacts;
    int count = 0;
    const nc_code code = nc_reel_contacts(reel, frame, &contacts, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        const nc_run_contact *c = &contacts[k];
        fprintf(out, "%" PRId64 ",%" PRId64 ",%s", frame, c->step, nc_contact_phase_name(c->phase));
        write_pair(out, reel, c->body_a, c->body_b);
        fprintf(out, ",%s,%d,%d", nc_feature_kind_name(c->feature.kind), c->feature.a, c->feature.b);
        write_vec3(out, c->place);
        write_vec3(out, c->normal);
        fprintf(out, ",%.17g", c->distance);
        write_vec3(out, c->impulse);
        fprintf(out, ",%.17g,%.17g\n", c->normal_part, c->tangential_part);
    }
    nc_free(&reel->allocator, contacts, (size_t)count, sizeof *contacts);
    return code;
}

void nc_csv_forces_head(FILE *out)
{
    fputs("frame,body_a,name_a,body_b,name_b,contacts,fx,fy,fz,normal,tangential\n", out);
}

nc_code nc_csv_forces(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_force *forces;
    int count = 0;
    const nc_code code = nc_reel_forces(reel, frame, &forces, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        const nc_run_force *f = &forces[k];
        fprintf(out, "%" PRId64, frame);
        write_pair(out, reel, f->body_a, f->body_b);
        fprintf(out, ",%d", f->contacts);
        write_vec3(out, f->force);
        fprintf(out, ",%.17g,%.17g\n", f->normal, f->tangential);
    }
    nc_free(&reel->allocator, forces, (size_t)count, sizeof *forces);
    return code;
}

// ---- accelerations ------------------------------------------------------------------------------------------

void nc_csv_accelerations_head(FILE *out)
{
    fputs("frame,step,time,body,name,ax,ay,az,alpha_x,alpha_y,alpha_z\n", out);
}

nc_code nc_csv_accelerations(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_acceleration *found = NULL;
    int count = 0;
    nc_code code = nc_reel_seek(reel, frame, err);
    if (code == NC_OK)
        code = nc_reel_accelerations(reel, frame, &found, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++) {
        fprintf(out, "%" PRId64 ",%" PRId64 ",%.17g,%d,", frame, reel->frame.step, reel->frame.time, found[k].body);
        nc_csv_text(out, reel->bodies[found[k].body].name);
        write_vec3(out, found[k].linear);
        write_vec3(out, found[k].angular);
        fputc('\n', out);
    }
    nc_free(&reel->allocator, found, (size_t)count, sizeof *found);
    return code;
}

// ---- joints -------------------------------------------------------------------------------------------------

void nc_csv_joints_head(FILE *out)
{
    fputs(
        "frame,joint,name,kind,body_a,body_b,broken,x,y,z,turn_x,turn_y,turn_z,vx,vy,vz,wx,wy,wz,drive_x,drive_y,"
        "drive_z,drive_turn_x,drive_turn_y,drive_turn_z,fx,fy,fz,torque_x,torque_y,torque_z,error,error_angle,anchor_x,"
        "anchor_y,anchor_z,anchor_b_x,anchor_b_y,anchor_b_z,axis_x,axis_y,axis_z,lower_x,lower_y,lower_z,"
        "lower_turn_x,lower_turn_y,lower_turn_z,upper_x,upper_y,upper_z,upper_turn_x,upper_turn_y,upper_turn_z\n",
        out);
}

// Empty where an axis has no limit.
static void write_limits(FILE *out, const double limits[6])
{
    for (int k = 0; k < 6; k++)
        if (isnan(limits[k]))
            fputc(',', out);
        else
            fprintf(out, ",%.17g", limits[k]);
}

static void write_joint(FILE *out, int64_t frame, const nc_run_joint *joint)
{
    const double *const six[] = {joint->position, joint->velocity, joint->drive_force};
    fprintf(out, "%" PRId64 ",%d,", frame, joint->joint);
    nc_csv_text(out, joint->name);
    fprintf(out, ",%s,%d,%d,%d", nc_joint_kind_names[joint->kind], joint->body_a, joint->body_b, joint->broken);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            fprintf(out, ",%.17g", six[i][k]);
    write_vec3(out, joint->force);
    write_vec3(out, joint->torque);
    fprintf(out, ",%.17g,%.17g", joint->error, joint->error_angle);
    write_vec3(out, joint->anchor_a);
    write_vec3(out, joint->anchor_b);
    write_vec3(out, joint->axis);
    write_limits(out, joint->lower);
    write_limits(out, joint->upper);
    fputc('\n', out);
}

nc_code nc_csv_joints(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_run_joint *joints;
    int count = 0;
    const nc_code code = nc_reel_joints(reel, frame, &joints, &count, err);
    for (int k = 0; code == NC_OK && k < count; k++)
        write_joint(out, frame, &joints[k]);
    nc_free(&reel->allocator, joints, (size_t)count, sizeof *joints);
    return code;
}
