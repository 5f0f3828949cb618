// Comma-separated tables of a run.
#include "export/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_vec3(FILE *out, nc_vec3 v)
{
    fprintf(out, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

static bool is_cloth(const nc_reel *reel)
{
    return strcmp(reel->info.pipeline, "acm") == 0;
}

void nc_csv_report_head(FILE *out, const nc_reel *reel)
{
    int count;
    const nc_column *columns = nc_column_list(&count);
    fputs("frame", out);
    for (int i = 0; i < count; i++)
        fprintf(out, ",%s", columns[i].name);
    columns = nc_cloth_column_list(&count);
    for (int i = 0; i < count && is_cloth(reel); i++)
        fprintf(out, ",%s", columns[i].name);
    fputc('\n', out);
}

// Empty where there is nothing: the distance of bodies of which no two were near.
static void write_columns(FILE *out, const nc_column *columns, int count, const void *report)
{
    for (int i = 0; i < count; i++) {
        const double value = nc_column_value(&columns[i], report);
        if (isfinite(value))
            fprintf(out, ",%.17g", value);
        else
            fputc(',', out);
    }
}

nc_code nc_csv_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_step_report report = {0};
    nc_cloth_report cloth = {0};
    int count;
    const nc_column *columns = nc_column_list(&count);
    nc_code code = nc_run_read_report(reel->run, frame, &report, err);
    if (code == NC_OK && is_cloth(reel))
        code = nc_run_read_cloth_report(reel->run, frame, &cloth, err);
    if (code != NC_OK)
        return code;
    fprintf(out, "%" PRId64, frame);
    write_columns(out, columns, count, &report);
    if (is_cloth(reel)) {
        columns = nc_cloth_column_list(&count);
        write_columns(out, columns, count, &cloth);
    }
    fputc('\n', out);
    return NC_OK;
}

// Quoted when it holds a comma, a quote or a line end; quotes are doubled (RFC 4180).
static void write_name(FILE *out, const char *name)
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
        write_name(out, reel->bodies[p->body].name);
        write_vec3(out, nc_reel_place(reel, p));
        fprintf(out, ",%.17g", p->pose.q.w);
        write_vec3(out, nc_v3(p->pose.q.x, p->pose.q.y, p->pose.q.z));
        write_vec3(out, p->velocity);
        write_vec3(out, p->spin);
        fputc('\n', out);
    }
    return code;
}
