// A world, stepped into a run file; the file is then opened like a stranger's and read back, and the run continues from
// its last checkpoint.
#include <nacre/nacre.h>

#include <inttypes.h>
#include <stdio.h>

#define TIMESTEP (1.0 / 24.0)
#define STEPS    48

static nc_code throw_boxes(nc_world **out, nc_error *err)
{
    nc_world *world = NULL;
    nc_mesh *box = NULL;
    const nc_world_def settings = nc_world_def_default();
    nc_code code = nc_world_create(&settings, &world, err);
    if (code == NC_OK)
        code = nc_shape_create("box", NULL, 0, NULL, &box, err);
    for (int i = 0; i < 5 && code == NC_OK; i++) {
        nc_body_id id;
        char name[16];
        snprintf(name, sizeof name, "box %d", i);
        nc_body_def def = nc_body_def_default();
        def.type = NC_DYNAMIC;
        def.name = name;
        def.mesh = box;
        def.mass.density = 600;
        def.position = nc_v3(3.0 * i, 0, 0);
        def.velocity = nc_v3(0, 6 + i, 0);
        def.spin = nc_v3(1, 2, i);
        code = nc_body_create(world, &def, &id, err);
    }
    nc_mesh_release(box);
    if (code != NC_OK) {
        nc_world_destroy(world);
        return code;
    }
    *out = world;
    return NC_OK;
}

static nc_code write_run(const char *path, nc_error *err)
{
    nc_world *world = NULL;
    nc_code code = throw_boxes(&world, err);
    if (code != NC_OK)
        return code;
    const nc_model model = nc_model_of_world(world);
    nc_run *run = NULL;
    const nc_run_def def = {.path = path,
                            .overwrite = true,
                            .scene_text = "",
                            .scene_path = "",
                            .title = "Five boxes in the air",
                            .timestep = TIMESTEP,
                            .steps_wanted = STEPS,
                            .output_every = 1};
    code = nc_run_create(&def, model, &run, err);
    for (int step = 0; step < STEPS && code == NC_OK; step++) {
        nc_model_report report;
        code = nc_model_step(model, TIMESTEP, &report, err);
        if (code == NC_OK)
            code = nc_run_append(run, model, &report, 1, err); // on the disk when this returns
    }
    if (code == NC_OK)
        code = nc_run_finish(run, model, err);
    if (run != NULL) {
        const nc_code closed = nc_run_close(run, code == NC_OK ? err : NULL);
        code = code == NC_OK ? closed : code;
    }
    nc_world_destroy(world);
    return code;
}

static nc_code print_frames(nc_run *run, nc_error *err)
{
    nc_run_info info;
    nc_code code = nc_run_read_info(run, &info, err);
    if (code != NC_OK)
        return code;
    printf("%s: %d bodies, %" PRId64 " frames, %s\n", info.title, info.body_count, info.frame_count,
           info.finished ? "finished" : "not finished");
    nc_run_frame frame = {0};
    for (int64_t f = 0; f < info.frame_count && code == NC_OK; f += 12) {
        code = nc_run_read_frame(run, f, &frame, err);
        if (code != NC_OK)
            break;
        printf("t = %4.2f s  hash %016" PRIx64 "  heights", frame.time, frame.hash);
        for (int i = 0; i < frame.pose_count; i++)
            printf(" %7.3f", frame.poses[i].pose.x.y);
        printf("\n");
    }
    nc_run_frame_free(run, &frame);
    return code;
}

static nc_code read_run(const char *path, nc_error *err)
{
    nc_run *run = NULL;
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, err);
    if (code != NC_OK)
        return code;
    code = print_frames(run, err);
    nc_model model = {NULL, NULL};
    if (code == NC_OK)
        code = nc_run_restore(run, 0, &model, err);
    if (code == NC_OK)
        code = nc_model_step(model, TIMESTEP, NULL, err);
    if (code == NC_OK)
        printf("restored and stepped on to t = %4.2f s, hash %016" PRIx64 "\n", nc_model_time(model),
               nc_model_hash(model));
    nc_model_destroy(model);
    const nc_code closed = nc_run_close(run, code == NC_OK ? err : NULL);
    return code == NC_OK ? closed : code;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "five_boxes.nacre";
    nc_error err = {0};
    nc_code code = write_run(path, &err);
    if (code == NC_OK)
        code = read_run(path, &err);
    if (code != NC_OK)
        fprintf(stderr, "run_file: %s: %s\n", nc_code_name(code), err.text);
    return code == NC_OK ? 0 : 1;
}
