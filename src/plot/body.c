// What is plotted of one body: position, velocities and accelerations in every frame.
#include "plot/body.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit, *about;
} columns[NC_PLOT_BODY_COLUMNS] = {
    {"x", "m", "centre of mass"},
    {"y", "m", "centre of mass"},
    {"z", "m", "centre of mass"},
    {"vx", "m/s", "velocity"},
    {"vy", "m/s", "velocity"},
    {"vz", "m/s", "velocity"},
    {"wx", "rad/s", "angular velocity"},
    {"wy", "rad/s", "angular velocity"},
    {"wz", "rad/s", "angular velocity"},
    {"ax", "m/s²", "acceleration, mean over the frame"},
    {"ay", "m/s²", "acceleration, mean over the frame"},
    {"az", "m/s²", "acceleration, mean over the frame"},
    {"alpha_x", "rad/s²", "angular acceleration, mean over the frame"},
    {"alpha_y", "rad/s²", "angular acceleration, mean over the frame"},
    {"alpha_z", "rad/s²", "angular acceleration, mean over the frame"},
};

int nc_plot_body_column(const char *name)
{
    for (int i = 0; i < NC_PLOT_BODY_COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

bool nc_plot_is_of_body(const char *name)
{
    return nc_plot_body_column(name) >= 0;
}

const char *nc_plot_body_unit(int column)
{
    return columns[column].unit;
}

const char *nc_plot_body_name(int column)
{
    return columns[column].name;
}

void nc_plot_body_list(FILE *out)
{
    for (int i = 0; i < NC_PLOT_BODY_COLUMNS; i++)
        fprintf(out, "%-20s %-8s with --body: %s\n", columns[i].name, columns[i].unit, columns[i].about);
}

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code find_body(nc_run *run, int count, const char *name, const char *path, int *out, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_run_body body;
        code = nc_run_read_body(run, i, &body, err);
        *out = i;
        if (code == NC_OK && strcmp(body.name, name) == 0)
            return NC_OK;
    }
    return code == NC_OK ? nc_fail(err, NC_NOT_FOUND, "'%s' has no body \"%.64s\"", path, name) : code;
}

static void put3(double *out, nc_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// The pose of a body in a frame; NULL where it is not there.
static const nc_run_pose *pose_of(const nc_run_frame *frame, int body)
{
    for (int i = 0; i < frame->pose_count; i++)
        if (frame->poses[i].body == body)
            return &frame->poses[i];
    return NULL;
}

static void fill_row(const nc_run_frame *before, const nc_run_frame *now, int body, double *row)
{
    const nc_run_pose *pose = pose_of(now, body), *old = pose_of(before, body);
    for (int k = 0; k < NC_PLOT_BODY_COLUMNS; k++)
        row[k] = NAN;
    if (pose == NULL)
        return;
    put3(row, pose->pose.x);
    put3(row + 3, pose->velocity);
    put3(row + 6, pose->spin);
    if (old == NULL || !(now->time > before->time))
        return;
    const double rate = 1 / (now->time - before->time);
    put3(row + 9, nc_scale(rate, nc_sub(pose->velocity, old->velocity)));
    put3(row + 12, nc_scale(rate, nc_sub(pose->spin, old->spin)));
}

nc_code nc_plot_body_read(nc_run *run, const char *path, const char *name, int bodies, int64_t first, nc_plot_run *out,
                          nc_error *err)
{
    nc_run_frame frames[2] = {{0}, {0}};
    int body = -1;
    nc_code code = find_body(run, bodies, name, path, &body, err);
    if (code != NC_OK)
        return code;
    out->body = calloc((size_t)out->frames, sizeof *out->body);
    if (out->body == NULL)
        return nc_fail_memory(err, (size_t)out->frames * sizeof *out->body);
    if (first > 0)
        code = nc_run_read_frame(run, first - 1, &frames[1], err);
    for (int64_t i = 0; i < out->frames && code == NC_OK; i++) {
        nc_run_frame *now = &frames[i % 2];
        code = nc_run_read_frame(run, first + i, now, err);
        if (code == NC_OK)
            fill_row(&frames[1 - i % 2], now, body, out->body[i]);
    }
    nc_run_frame_free(run, &frames[0]);
    nc_run_frame_free(run, &frames[1]);
    return code;
}

// ---- panels -------------------------------------------------------------------------------------------------

static const nc_plot_panel panels[] = {
    {.name = "position",
     .title = "Position of the centre of mass",
     .unit = "m",
     .scale = 1,
     .series = {{"x", "x"}, {"y", "y"}, {"z", "z"}},
     .count = 3},
    {.name = "speed",
     .title = "Velocity",
     .unit = "m/s",
     .scale = 1,
     .series = {{"vx", "x"}, {"vy", "y"}, {"vz", "z"}},
     .count = 3},
    {.name = "acceleration",
     .title = "Acceleration",
     .unit = "m/s²",
     .scale = 1,
     .series = {{"ax", "x"}, {"ay", "y"}, {"az", "z"}},
     .count = 3},
    {.name = "spin",
     .title = "Angular velocity",
     .unit = "rad/s",
     .scale = 1,
     .series = {{"wx", "x"}, {"wy", "y"}, {"wz", "z"}},
     .count = 3},
    {.name = "spin_rate",
     .title = "Angular acceleration",
     .unit = "rad/s²",
     .scale = 1,
     .series = {{"alpha_x", "x"}, {"alpha_y", "y"}, {"alpha_z", "z"}},
     .count = 3},
};

const nc_plot_panel *nc_plot_body_panels(int *out_count)
{
    *out_count = (int)(sizeof panels / sizeof *panels);
    return panels;
}
