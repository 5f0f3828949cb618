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
