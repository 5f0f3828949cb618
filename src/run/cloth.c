// Runs of cloth: every object is a body, and every frame has the shapes of those that have moved.
#include "run/run.h"

#include "acm/acm.h"

#include <math.h>
#include <string.h>

bool nc_run_is_cloth(nc_run *run)
{
    nc_row row;
    nc_run_head head;
    if (run->pipeline_is_acm < 0 && nc_run_read_head(run, &row, &head, NULL) == NC_OK) {
        run->pipeline_is_acm = strcmp(head.pipeline, "acm") == 0;
        nc_row_close(&row);
    }
    return run->pipeline_is_acm == 1;
}

// ---- objects as bodies --------------------------------------------------------------------------------------

// The positions of an object; release with nc_free.
static nc_code read_positions(nc_run *run, const nc_cloth_world *world, int object, int count, nc_vec3 **out,
                              nc_error *err)
{
    *out = nc_alloc(&run->allocator, (size_t)count, sizeof **out);
    return *out != NULL ? nc_cloth_read(world, object, *out, NULL, err)
                        : nc_fail_memory(err, (size_t)count * sizeof **out);
}

// The object's triangles in its own numbers, or its points, one after the other.
static void own_indices(const nc_cloth_view *view, int *out)
{
    for (int i = 0; i < 3 * view->triangle_count; i++)
        out[i] = view->triangles[i / 3][i % 3] - view->first_vertex;
    for (int i = 0; view->triangle_count == 0 && i < view->vertex_count; i++)
        out[i] = i;
}

static nc_code make_mesh(nc_run *run, const nc_cloth_view *view, const nc_vec3 *vertices, nc_mesh **out, nc_error *err)
{
    const bool points = view->triangle_count == 0;
    const size_t count = points ? (size_t)view->vertex_count : 3 * (size_t)view->triangle_count;
    int *indices = nc_alloc(&run->allocator, count, sizeof *indices);
    if (indices == NULL)
        return nc_fail_memory(err, count * sizeof *indices);
    own_indices(view, indices);
    const nc_mesh_def def = {.vertices = vertices,
                             .vertex_count = view->vertex_count,
                             .triangles = (const int(*)[3])indices,
                             .triangle_count = view->triangle_count,
                             .points = points ? indices : NULL,
                             .point_count = points ? view->vertex_count : 0};
    nc_code code = nc_mesh_create(&def, &run->allocator, out, err);
    if (code == NC_OK && nc_mesh_view(*out).vertex_count != view->vertex_count) {
        nc_mesh_release(*out);
        *out = NULL;
        code = nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0,
                          "object \"%s\" has vertices that no triangle uses: a run file cannot hold it", view->name);
    }
    nc_free(&run->allocator, indices, count, sizeof *indices);
    return code;
}

static nc_code write_object(nc_run *run, const nc_cloth_world *world, int object, nc_error *err)
{
    nc_cloth_view view;
    nc_vec3 *vertices = NULL;
    nc_mesh *mesh = NULL;
    nc_code code = nc_cloth_view_object(world, object, &view, err);
    if (code != NC_OK)
        return code;
    code = read_positions(run, world, object, view.vertex_count, &vertices, err);
    if (code == NC_OK)
        code = make_mesh(run, &view, vertices, &mesh, err);
    if (code == NC_OK)
        code = nc_run_write_mesh(run, mesh, object, err);
    const bool cloth = view.type != NC_CLOTH_OBSTACLE;
    const nc_run_body_row body = {.id = object,
                                  .name = view.name,
                                  .type = cloth           ? NC_DYNAMIC
                                          : view.scripted ? NC_KINEMATIC
                                                          : NC_STATIC,
                                  .cloth = cloth,
                                  .mesh = object,
                                  .born_step = nc_cloth_frame(world),
                                  .gone_step = -1,
                                  .slot = object};
    if (code == NC_OK)
        code = nc_run_write_body(run, &body, err);
    nc_mesh_release(mesh);
    nc_free(&run->allocator, vertices, (size_t)view.vertex_count, sizeof *vertices);
    return code;
}

static nc_code write_objects(nc_run *run, const nc_cloth_world *world, nc_run_progress *progress, nc_error *err)
{
    const int count = nc_cloth_count(world);
    nc_code code = NC_OK;
    if (progress->body_count > 0 && progress->body_count != count)
        return nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0, "the run has %lld objects, but the world has %d",
                          (long long)progress->body_count, count);
    for (int i = 0; progress->body_count == 0 && i < count && code == NC_OK; i++)
        code = write_object(run, world, i, err);
    progress->body_count = progress->mesh_count = count;
    return code;
}

// ---- frames -------------------------------------------------------------------------------------------------

static nc_vec3 mean_velocity(const nc_vec3 *velocities, int count)
{
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = nc_add(sum, velocities[i]);
    return nc_scale(1.0 / count, sum);
}

// Adds the shape of an object, and its pose: the identity.
static nc_code gather_object(nc_run *run, const nc_cloth_world *world, int object, nc_run_frame *out, nc_error *err)
{
    nc_cloth_view view;
    nc_code code = nc_cloth_view_object(world, object, &view, err);
    if (code != NC_OK)
        return code;
    const size_t count = (size_t)view.vertex_count;
    nc_vec3 *velocities = nc_alloc(&run->allocator, count, sizeof *velocities);
    nc_run_shape *shape = &out->shapes[out->shape_count];
    *shape = (nc_run_shape){object, view.vertex_count, nc_alloc(&run->allocator, count, sizeof *shape->vertices)};
    if (velocities == NULL || shape->vertices == NULL)
        code = nc_fail_memory(err, count * sizeof *velocities);
    else
        code = nc_cloth_read(world, object, shape->vertices, velocities, err);
    if (shape->vertices != NULL)
        out->shape_count++;
    if (code == NC_OK) {
        run->poses.data[object] = (nc_run_pose){
            object, (nc_pose){{0, 0, 0}, {1, 0, 0, 0}}, mean_velocity(velocities, view.vertex_count), {0, 0, 0}};
        run->poses.count = object + 1;
    }
    nc_free(&run->allocator, velocities, count, sizeof *velocities);
    return code;
}

void nc_run_forget_first(nc_run *run)
{
    for (int i = 0; i < run->first.count; i++)
        nc_free(&run->allocator, run->first.data[i].vertices, (size_t)run->first.data[i].vertex_count, sizeof(nc_vec3));
    run->first.count = 0;
}

static nc_code remember_first(nc_run *run, int body, nc_error *err)
{
    nc_mesh *mesh = NULL;
    const nc_code code = nc_run_read_mesh(run, body, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_mesh_data data = nc_mesh_view(mesh);
    const size_t count = (size_t)data.vertex_count;
    const nc_run_shape shape = {body, data.vertex_count, nc_alloc(&run->allocator, count, sizeof(nc_vec3))};
    if (shape.vertices != NULL)
        memcpy(shape.vertices, data.vertices, count * sizeof(nc_vec3));
    nc_mesh_release(mesh);
    if (shape.vertices != NULL && nc_array_push(&run->allocator, &run->first, shape))
        return NC_OK;
    nc_free(&run->allocator, shape.vertices, count, sizeof(nc_vec3));
    return nc_fail_memory(err, count * sizeof(nc_vec3));
}

// Shapes that are as the meshes have them are left out.
static nc_code drop_shapes_at_rest(nc_run *run, nc_run_frame *frame, nc_error *err)
{
    nc_code code = NC_OK;
    while (run->first.count < frame->shape_count && code == NC_OK)
        code = remember_first(run, run->first.count, err);
    if (code != NC_OK)
        return code;
    int kept = 0;
    for (int i = 0; i < frame->shape_count; i++) {
        const nc_run_shape shape = frame->shapes[i];
        const nc_run_shape *first = &run->first.data[shape.body];
        const size_t size = (size_t)shape.vertex_count * sizeof(nc_vec3);
        frame->shapes[i] = (nc_run_shape){0};
        if (first->vertex_count == shape.vertex_count && memcmp(first->vertices, shape.vertices, size) == 0)
            nc_free(&run->allocator, shape.vertices, (size_t)shape.vertex_count, sizeof(nc_vec3));
        else
            frame->shapes[kept++] = shape;
    }
    frame->shape_count = kept;
    return NC_OK;
}

// The present state as a frame. Free its shapes, also on error; its poses are the run's.
static nc_code gather(nc_run *run, const nc_cloth_world *world, int64_t frame, nc_run_frame *out, nc_error *err)
{
    const int count = nc_cloth_count(world);
    *out = (nc_run_frame){
        .frame = frame, .step = nc_cloth_frame(world), .time = nc_cloth_time(world), .hash = nc_cloth_hash(world)};
    run->poses.count = 0;
    if (!nc_array_reserve(&run->allocator, &run->poses, count) ||
        !nc_grow(&run->allocator, (void **)&out->shapes, &out->shape_capacity, count, sizeof *out->shapes))
        return nc_fail_memory(err, (size_t)count * sizeof(nc_run_pose));
    memset(out->shapes, 0, (size_t)out->shape_capacity * sizeof *out->shapes);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = gather_object(run, world, i, out, err);
    out->poses = run->poses.data;
    out->pose_count = run->poses.count;
    return code == NC_OK ? drop_shapes_at_rest(run, out, err) : code;
}

static nc_code write_cloth_row(nc_run *run, int64_t frame, const nc_cloth_report *report, nc_error *err)
{
    nc_row row;
    int count;
    const nc_report_field *fields = nc_acm_report_rows(&count);
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_CLOTH, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_report_put(&row, fields, count, report);
    return nc_row_write(&row, "storing a report of cloth", err);
}

// What the tables of rigid bodies have of it, too.
static nc_step_report common_part(const nc_cloth_world *world, const nc_cloth_report *report, double timestep)
{
    return (nc_step_report){.step = nc_cloth_frame(world),
                            .time = nc_cloth_time(world),
                            .dt = timestep,
                            .seconds_total = report->seconds_total,
                            .seconds_predict = report->seconds_elastic,
                            .seconds_contact = report->seconds_contact,
                            .seconds_collide = report->seconds_find,
                            .bodies = nc_cloth_count(world),
                            .kinetic = report->kinetic,
                            .potential = report->gravity_energy + report->stretch_energy + report->bend_energy +
                                         report->contact_energy,
                            .momentum = report->momentum,
                            .angular_momentum = report->angular_momentum,
                            .contacts = report->contacts,
                            .smallest_distance = report->smallest_distance,
                            .velocity_error_body = -1,
                            .stalled_body = -1,
                            .stalled_by = -1,
                            .left_body = -1};
}

static nc_code write_reports(nc_run *run, const nc_cloth_world *world, int64_t frame, const nc_cloth_report *reports,
                             int count, nc_error *err)
{
    nc_cloth_report sum = {0};
    int field_count;
    const nc_report_field *fields = nc_acm_report_rows(&field_count);
    nc_run_head head;
    nc_row row;
    nc_code code = nc_run_read_head(run, &row, &head, err);
    if (code != NC_OK)
        return code;
    const double timestep = head.timestep;
    nc_row_close(&row);
    if (count == 0)
        code = nc_cloth_measure(world, &sum, err);
    else
        sum = reports[0];
    for (int i = 1; i < count; i++) {
        nc_report_add(fields, field_count, &sum, &reports[i]);
        sum.seconds_total += reports[i].seconds_total;
    }
    if (count > 0) {
        sum.kinetic = reports[count - 1].kinetic;
        sum.momentum = reports[count - 1].momentum;
        sum.angular_momentum = reports[count - 1].angular_momentum;
    } else {
        sum.smallest_distance = INFINITY;
    }
    const nc_step_report common = common_part(world, &sum, timestep);
    if (code == NC_OK)
        code = nc_run_write_report_row(run, frame, count, &common, err);
    return code == NC_OK ? write_cloth_row(run, frame, &sum, err) : code;
}

static nc_code write_state(nc_run *run, const nc_cloth_world *world, int64_t frame, nc_error *err)
{
    nc_buffer state = nc_buffer_create(&run->allocator);
    nc_code code = nc_cloth_save(world, &state, err);
    if (code == NC_OK)
        code = nc_run_write_state(run, nc_cloth_frame(world), frame, nc_cloth_count(world), &state, err);
    nc_buffer_free(&state);
    return code;
}

static nc_code append_new(nc_run *run, const nc_cloth_world *world, const nc_cloth_report *reports, int report_count,
                          nc_run_progress progress, nc_error *err)
{
    const int64_t frame = progress.frame_count;
    nc_run_frame content = {0};
    nc_code code = nc_sql_begin(run, err);
    if (code != NC_OK)
        return code;
    code = write_objects(run, world, &progress, err);
    if (code == NC_OK)
        code = gather(run, world, frame, &content, err);
    if (code == NC_OK)
        code = nc_run_write_frame_rows(run, &content, err);
    for (int i = 0; i < content.shape_count && code == NC_OK; i++)
        code = nc_run_write_shape(run, frame, &content.shapes[i], err);
    nc_run_free_shapes(run, &content);
    if (code == NC_OK)
        code = write_reports(run, world, frame, reports, report_count, err);
    if (code == NC_OK && frame % run->checkpoint_every == 0)
        code = write_state(run, world, frame, err);
    progress.frame_count = frame + 1;
    progress.last_step = nc_cloth_frame(world);
    progress.finished = false;
    if (code == NC_OK)
        code = nc_run_write_progress(run, &progress, err);
    if (code != NC_OK)
        nc_run_forget_first(run);
    return nc_run_end(run, code, err);
}

static nc_code append_again(nc_run *run, const nc_cloth_world *world, nc_error *err)
{
    nc_run_frame stored = {0}, again = {0};
    nc_code code = nc_run_read_step(run, nc_cloth_frame(world), &stored, err);
    if (code == NC_OK)
        code = gather(run, world, stored.frame, &again, err);
    if (code == NC_OK && again.hash != stored.hash)
        code = nc_run_differs(run, &stored, "another state hash", err);
    if (code == NC_OK && nc_run_frame_sum(&again) != nc_run_frame_sum(&stored))
        code = nc_run_differs(run, &stored, "other positions", err);
    nc_run_frame_free(run, &stored);
    nc_run_free_shapes(run, &again);
    return code;
}

nc_code nc_run_append_cloth(nc_run *run, const nc_cloth_world *world, const nc_cloth_report *reports, int report_count,
                            nc_error *err)
{
    const int64_t step = nc_cloth_frame(world);
    nc_run_progress progress;
    bool is_new = false;
    const int64_t reported = report_count > 0 ? reports[report_count - 1].frame : step;
    const nc_code code = nc_run_prepare_append(run, step, reported, &progress, &is_new, err);
    if (code != NC_OK)
        return code;
    return is_new ? append_new(run, world, reports, report_count, progress, err) : append_again(run, world, err);
}

// ---- checkpoints --------------------------------------------------------------------------------------------

static nc_code checkpoint_now(nc_run *run, const nc_cloth_world *world, bool finish, nc_error *err)
{
    nc_run_progress progress;
    nc_code code = nc_run_begin_checkpoint(run, nc_cloth_frame(world), nc_cloth_hash(world), &progress, err);
    if (code != NC_OK)
        return code;
    code = write_state(run, world, progress.frame_count - 1, err);
    return nc_run_end_checkpoint(run, code, &progress, finish, err);
}

nc_code nc_run_checkpoint_cloth(nc_run *run, const nc_cloth_world *world, nc_error *err)
{
    return checkpoint_now(run, world, false, err);
}

nc_code nc_run_finish_cloth(nc_run *run, const nc_cloth_world *world, nc_error *err)
{
    return checkpoint_now(run, world, true, err);
}

nc_code nc_run_restore_cloth(nc_run *run, nc_cloth_world *world, nc_error *err)
{
    int64_t frame = 0;
    nc_buffer state;
    nc_run_frame stored = {0};
    nc_code code = nc_run_read_state(run, &frame, &state, err);
    if (code == NC_OK)
        code = nc_cloth_restore(world, state.data, state.size, err);
    nc_buffer_free(&state);
    if (code == NC_OK)
        code = nc_run_read_frame(run, frame, &stored, err);
    if (code == NC_OK && (stored.hash != nc_cloth_hash(world) || stored.step != nc_cloth_frame(world)))
        code = nc_fail_at(err, NC_BROKEN_PROMISE, run->path, 0, 0,
                          "the checkpoint of step %lld restores to another state than the frame of that step has",
                          (long long)stored.step);
    nc_run_frame_free(run, &stored);
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

nc_code nc_run_read_cloth_report(nc_run *run, int64_t frame, nc_cloth_report *out, nc_error *err)
{
    nc_row row;
    bool found = false;
    int count;
    const nc_report_field *fields = nc_acm_report_rows(&count);
    nc_step_report common;
    memset(out, 0, sizeof *out);
    nc_code code = nc_run_read_report(run, frame, &common, err);
    if (code == NC_OK)
        code = nc_row_open(run, NC_SQL_SELECT_CLOTH, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    code = nc_row_next(&row, &found, "reading a report of cloth", err);
    if (code != NC_OK)
        return code;
    if (!found)
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no report of cloth of frame %lld",
                          (long long)frame);
    (void)nc_row_take_int(&row);
    nc_report_take(&row, fields, count, out);
    code = nc_row_check(&row, "report of cloth of frame", frame, err);
    nc_row_close(&row);
    out->frame = common.step;
    out->time = common.time;
    out->seconds_total = common.seconds_total;
    out->kinetic = common.kinetic;
    out->momentum = common.momentum;
    out->angular_momentum = common.angular_momentum;
    return code;
}
