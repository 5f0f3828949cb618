// The door: every call goes to the table of the model's kind.
#include "model/model.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

// ---- handles ------------------------------------------------------------------------------------------------

nc_model nc_model_of_world(nc_world *world)
{
    return (nc_model){world != NULL ? &nc_model_rigid : NULL, world};
}

nc_model nc_model_of_cloth(nc_cloth_world *world)
{
    return (nc_model){world != NULL ? &nc_model_fabric : NULL, world};
}

nc_world *nc_model_world(nc_model model)
{
    return model.kind == &nc_model_rigid ? model.self : NULL;
}

nc_cloth_world *nc_model_cloth(nc_model model)
{
    return model.kind == &nc_model_fabric ? model.self : NULL;
}

void nc_model_destroy(nc_model model)
{
    if (model.kind != NULL)
        model.kind->destroy(model.self);
}

static bool has_pipeline(const nc_model_kind *kind, const char *name)
{
    for (int i = 0; i < kind->pipeline_count; i++)
        if (strcmp(nc_pipeline_names[kind->first_pipeline + i], name) == 0)
            return true;
    return false;
}

const nc_model_kind *nc_model_kind_of(const char *pipeline)
{
    return has_pipeline(&nc_model_fabric, pipeline) ? &nc_model_fabric : &nc_model_rigid;
}

nc_code nc_model_create(const nc_model_kind *kind, int workers, const nc_allocator *allocator, nc_model *out,
                        nc_error *err)
{
    NC_ASSERT(kind->create != NULL);
    *out = (nc_model){kind, NULL};
    const nc_code code = kind->create(workers, allocator, &out->self, err);
    if (code != NC_OK)
        *out = (nc_model){NULL, NULL};
    return code;
}

// ---- where it is --------------------------------------------------------------------------------------------

const char *nc_model_pipeline(nc_model model)
{
    return nc_pipeline_names[model.kind->pipeline(model.self)];
}

int64_t nc_model_step_count(nc_model model)
{
    return model.kind->step_count(model.self);
}

double nc_model_time(nc_model model)
{
    return model.kind->time(model.self);
}

nc_vec3 nc_model_gravity(nc_model model)
{
    return model.kind->gravity(model.self);
}

// ---- the start and steps
// -----------------------------------------------------------------------------------------------

nc_code nc_model_report_start(nc_model model, double dt, nc_model_listener on_message, void *ctx, nc_error *err)
{
    return model.kind->report_start != NULL ? model.kind->report_start(model.self, dt, on_message, ctx, err) : NC_OK;
}

nc_code nc_model_step(nc_model model, double dt, nc_model_report *report, nc_error *err)
{
    nc_model_report own;
    nc_model_report *out = report != NULL ? report : &own;
    *out = (nc_model_report){.has_cloth = model.kind->has_cloth};
    return model.kind->step(model.self, dt, out, err);
}

nc_code nc_model_measure(nc_model model, nc_model_report *report, nc_error *err)
{
    *report = (nc_model_report){.has_cloth = model.kind->has_cloth};
    return model.kind->measure(model.self, report, err);
}

bool nc_model_set_share(nc_model model, nc_share *share)
{
    if (model.kind->set_share != NULL)
        model.kind->set_share(model.self, share);
    return model.kind->set_share != NULL;
}

void nc_model_forget_caches(nc_model model)
{
    if (model.kind->forget_caches != NULL)
        model.kind->forget_caches(model.self);
}

void nc_model_set_interrupt(nc_model model, bool (*asked)(void *ctx), void *ctx)
{
    if (model.kind->set_interrupt != NULL)
        model.kind->set_interrupt(model.self, asked, ctx);
}

bool nc_model_jammed(nc_model model, double *out_time, char *out, size_t out_size)
{
    return model.kind->jammed != NULL && model.kind->jammed(model.self, out_time, out, out_size);
}

bool nc_model_trace_merit(nc_model model, bool on)
{
    if (model.kind->trace_merit == NULL)
        return false;
    model.kind->trace_merit(model.self, on);
    return true;
}

int nc_model_merit(nc_model model, double *out, int capacity)
{
    return model.kind->merit != NULL ? model.kind->merit(model.self, out, capacity) : 0;
}

bool nc_model_trace_contacts(nc_model model, bool on)
{
    if (model.kind->trace_contacts == NULL)
        return false;
    model.kind->trace_contacts(model.self, on);
    return true;
}

bool nc_model_traces_contacts(nc_model model)
{
    return model.kind->traces_contacts != NULL && model.kind->traces_contacts(model.self);
}

int nc_model_contacts(nc_model model, nc_contact_point *out, int capacity)
{
    return model.kind->contacts != NULL ? model.kind->contacts(model.self, out, capacity) : 0;
}

bool nc_model_path(nc_model model, nc_body_id body, nc_path *out)
{
    return model.kind->path != NULL && model.kind->path(model.self, body, out);
}

// ---- audit --------------------------------------------------------------------------------------------------

nc_code nc_model_audit(nc_model model, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    return model.kind->audit(model.self, out, capacity, out_count, err);
}

void nc_model_trace_audit(nc_model model, bool on)
{
    if (model.kind->trace_audit != NULL)
        model.kind->trace_audit(model.self, on);
}

nc_code nc_model_audit_step(nc_model model, const nc_model_report *report, nc_error *err)
{
    return model.kind->audit_step(model.self, report, err);
}

// ---- bodies -------------------------------------------------------------------------------------------------

int nc_model_bodies(nc_model model, nc_body_id *out, int capacity)
{
    return model.kind->bodies(model.self, out, capacity);
}

int nc_model_body_count(nc_model model)
{
    return nc_model_bodies(model, NULL, 0);
}

nc_code nc_model_read_body(nc_model model, nc_body_id body, nc_model_body *out, nc_error *err)
{
    return model.kind->read_body(model.self, body, out, err);
}

nc_code nc_model_read_vertices(nc_model model, nc_body_id body, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                               nc_error *err)
{
    if (model.kind->read_vertices == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "a rigid body has a pose, and no vertices of its own");
    return model.kind->read_vertices(model.self, body, out_positions, out_velocities, err);
}

int64_t nc_model_moving_vertices(nc_model model)
{
    return model.kind->moving_vertices != NULL ? model.kind->moving_vertices(model.self) : 0;
}

int nc_model_mesh_count(nc_model model)
{
    return model.kind->mesh_count(model.self);
}

nc_code nc_model_make_mesh(nc_model model, int row, const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    return model.kind->make_mesh(model.self, row, allocator, out, err);
}

nc_code nc_model_add_mesh(nc_model model, nc_mesh *mesh, nc_error *err)
{
    return model.kind->add_mesh != NULL ? model.kind->add_mesh(model.self, mesh, err) : NC_OK;
}

int nc_model_exempt_pairs(nc_model model, int pair, nc_body_id out[2])
{
    return model.kind->exempt_pairs != NULL ? model.kind->exempt_pairs(model.self, pair, out) : 0;
}

nc_body_id nc_model_cluster(nc_model model, nc_body_id body)
{
    return model.kind->cluster != NULL ? model.kind->cluster(model.self, body) : (nc_body_id){0, 0};
}

nc_body_id nc_model_blocker(nc_model model, nc_body_id body)
{
    return model.kind->blocker != NULL ? model.kind->blocker(model.self, body) : (nc_body_id){0, 0};
}

int nc_model_fractures(nc_model model, int first, nc_fracture_event *out, int capacity)
{
    return model.kind->fractures != NULL ? model.kind->fractures(model.self, first, out, capacity) : 0;
}

int nc_model_fracture_pieces(nc_model model, int event, nc_body_id *out, int capacity)
{
    return model.kind->pieces != NULL ? model.kind->pieces(model.self, event, out, capacity) : 0;
}

// ---- snapshots ----------------------------------------------------------------------------------------------

uint64_t nc_model_hash(nc_model model)
{
    return model.kind->hash(model.self);
}

nc_code nc_model_save(nc_model model, nc_buffer *out, nc_error *err)
{
    return model.kind->save(model.self, out, err);
}

nc_code nc_model_restore(nc_model model, const void *bytes, size_t size, nc_error *err)
{
    return model.kind->restore(model.self, bytes, size, err);
}

// ---- words --------------------------------------------------------------------------------------------------

const char *nc_element_text(nc_element kind, int element, char *out, size_t out_size)
{
    static const char *const names[] = {"triangle", "edge", "point"};
    snprintf(out, out_size, "%s %d", names[kind], element);
    return out;
}
