// Reading all that can be read of a run file, whatever is in it.
#ifndef NC_FUZZ_READ_RUN_H
#define NC_FUZZ_READ_RUN_H

#include "fuzz.h"

#include <unistd.h>

static inline const char *scratch_path(void)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.400s/nacre-fuzz-%ld.nacre", folder != NULL ? folder : "/tmp", (long)getpid());
    return path;
}

static inline void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_PROMISE(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static inline void read_frames(nc_run *run, const nc_run_info *info)
{
    nc_error err;
    nc_run_frame frame = {0};
    nc_model_report report;
    for (int64_t i = 0; i < info->frame_count && i < 4; i++) {
        nc_code code = nc_run_read_frame(run, i, &frame, &err);
        fuzz_honest(code, &err);
        code = nc_run_read_report(run, i, &report, &err);
        fuzz_honest(code, &err);
    }
    nc_run_frame_free(run, &frame);
}

static inline void read_things(nc_run *run, const nc_run_info *info)
{
    nc_error err;
    nc_run_body body;
    for (int i = 0; i < info->body_count && i < 4; i++) {
        const nc_code code = nc_run_read_body(run, i, &body, &err);
        fuzz_honest(code, &err);
        nc_run_pair_matters(run, 0, i);
    }
    for (int i = 0; i < info->mesh_count && i < 4; i++) {
        nc_mesh *mesh = NULL;
        const nc_code code = nc_run_read_mesh(run, i, &mesh, &err);
        fuzz_honest(code, &err);
        nc_mesh_release(mesh);
    }
    const char *text = NULL;
    const nc_code code = nc_run_scene_text(run, &text, &err);
    fuzz_honest(code, &err);
}

static inline void restore_and_step(nc_run *run)
{
    nc_error err;
    nc_model model = {NULL, NULL};
    nc_code code = nc_run_restore(run, 1, &model, &err);
    fuzz_honest(code, &err);
    if (code == NC_OK) {
        code = nc_model_step(model, 1.0 / 24, NULL, &err);
        fuzz_honest(code, &err);
    }
    nc_model_destroy(model);
}

static inline void read_run(const char *path)
{
    nc_error err;
    nc_run *run = NULL;
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, &err);
    fuzz_honest(code, &err);
    if (code != NC_OK)
        return;
    nc_run_info info;
    code = nc_run_read_info(run, &info, &err);
    fuzz_honest(code, &err);
    if (code == NC_OK) {
        read_frames(run, &info);
        read_things(run, &info);
        restore_and_step(run);
    }
    code = nc_run_close(run, &err);
    fuzz_honest(code, &err);
}

#endif
