// Cloth as a model: every object is a body, and every body is placed vertex by vertex.
#include "model/model.h"

#include "world/world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- life ---------------------------------------------------------------------------------------------------

static nc_allocator allocator_of(const nc_cloth_world *world)
{
    const nc_allocator own = nc_cloth_settings(world).allocator;
    return nc_allocator_or_default(own.resize != NULL ? &own : NULL);
}

static void destroy(void *self)
{
    nc_cloth_world_destroy(self);
}

static int pipeline(const void *self)
{
    (void)self;
    return NC_PIPELINE_ACM;
}

static int64_t step_count(const void *self)
{
    return nc_cloth_frame(self);
}

static double time_of(const void *self)
{
    return nc_cloth_time(self);
}

static nc_vec3 gravity(const void *self)
{
    return nc_cloth_settings(self).gravity;
}

// ---- stepping -----------------------------------------------------------------------------------------------

// The part of a report that all models have. Finding contacts, elastic forces and penalty layers take the places of the
// phases collide, predict and separate.
static nc_step_report common_part(const nc_cloth_world *world, const nc_cloth_report *r)
{
    return (nc_step_report){.step = r->frame,
                            .time = r->time,
                            .dt = nc_cloth_settings(world).frame_dt,
                            .seconds_total = r->seconds_total,
                            .seconds_collide = r->seconds_find,
                            .seconds_predict = r->seconds_elastic,
                            .seconds_separate = r->seconds_contact,
                            .bodies = nc_cloth_count(world),
                            .kinetic = r->kinetic,
                            .potential = r->gravity_energy + r->stretch_energy + r->bend_energy + r->contact_energy,
                            .momentum = r->momentum,
                            .angular_momentum = r->angular_momentum,
                            .contacts = r->contacts,
                            .smallest_distance = r->smallest_distance,
                            .velocity_error_body = -1,
                            .stalled_body = -1,
                            .stalled_by = -1,
                            .left_body = -1};
}

static nc_code step(void *self, double dt, nc_model_report *report, nc_error *err)
{
    const double frame_dt = nc_cloth_settings(self).frame_dt;
    if (dt != frame_dt)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "a step of %.17g s, but steps of this world of cloth are its frames: %.17g s", dt, frame_dt);
    const nc_code code = nc_cloth_step(self, &report->cloth, err);
    if (code == NC_OK)
        report->common = common_part(self, &report->cloth);
    return code;
}

static nc_code measure(const void *self, nc_model_report *report, nc_error *err)
{
    const nc_code code = nc_cloth_measure(self, &report->cloth, err);
    report->cloth.smallest_distance = INFINITY; // that of the kicks of a step
    report->common = common_part(self, &report->cloth);
    return code;
}

// ---- jams ---------------------------------------------------------------------------------------------------

static const char *object_name(const nc_cloth_world *world, int object, char *out, size_t out_size)
{
    nc_cloth_view view;
    if (nc_cloth_view_object(world, object, &view, NULL) == NC_OK && view.name[0] != '\0')
        snprintf(out, out_size, "%s", view.name);
    else
        snprintf(out, out_size, "object %d", object);
    return out;
}

// "vertex 12 of a and triangle (3, 4, 5) of b", in the objects' own numbers.
static void describe_jam(const nc_cloth_world *world, const nc_cloth_jam *jam, char *out, size_t out_size)
{
    nc_cloth_view a = {0}, b = {0};
    char name_a[80], name_b[80];
    (void)nc_cloth_view_object(world, jam->object_a, &a, NULL);
    (void)nc_cloth_view_object(world, jam->object_b, &b, NULL);
    object_name(world, jam->object_a, name_a, sizeof name_a);
    object_name(world, jam->object_b, name_b, sizeof name_b);
    const int *v = jam->vertices;
    if (jam->edges)
        snprintf(out, out_size, "edge (%d, %d) of \"%s\" and edge (%d, %d) of \"%s\"", v[0] - a.first_vertex,
                 v[1] - a.first_vertex, name_a, v[2] - b.first_vertex, v[3] - b.first_vertex, name_b);
    else if (v[2] < 0)
        snprintf(out, out_size, "particle %d of \"%s\" and particle %d of \"%s\"", v[0] - a.first_vertex, name_a,
                 v[1] - b.first_vertex, name_b);
    else
        snprintf(out, out_size, "vertex %d of \"%s\" and triangle (%d, %d, %d) of \"%s\"", v[0] - a.first_vertex,
                 name_a, v[1] - b.first_vertex, v[2] - b.first_vertex, v[3] - b.first_vertex, name_b);
}

static bool jammed(const void *self, double *out_time, char *out, size_t out_size)
{
    nc_cloth_jam jam;
    char place[320];
    if (!nc_cloth_jammed(self, &jam))
        return false;
    describe_jam(self, &jam, place, sizeof place);
    *out_time = jam.time;
    snprintf(out, out_size,
             "no room left at %.6g s: %.300s at (%.6g, %.6g, %.6g) would have to be kept apart by layer %d", jam.time,
             place, jam.place.x, jam.place.y, jam.place.z, jam.layer);
    return true;
}

// ---- audit --------------------------------------------------------------------------------------------------

// The number of an object's first triangle among those of the world.
static int first_triangle(const nc_cloth_world *world, int object)
{
    int first = 0;
    nc_cloth_view view;
    for (int i = 0; i < object && nc_cloth_view_object(world, i, &view, NULL) == NC_OK; i++)
        first += view.triangle_count;
    return first;
}

static int own_element(const nc_cloth_world *world, int object, int triangle)
{
    return triangle < 0 ? -1 : triangle - first_triangle(world, object);
}

static nc_overlap name_overlap(const nc_cloth_world *world, const nc_cloth_overlap *found)
{
    return (nc_overlap){
        .a = {(uint32_t)found->object_a, 0},
        .b = {(uint32_t)found->object_b, 0},
        .where = {.kind_a = found->triangle_a < 0 ? NC_ELEMENT_POINT : NC_ELEMENT_TRIANGLE,
                  .element_a = own_element(world, found->object_a, found->triangle_a),
                  .kind_b = found->triangle_b < 0 ? NC_ELEMENT_POINT : NC_ELEMENT_TRIANGLE,
                  .element_b = own_element(world, found->object_b, found->triangle_b),
                  .place = found->place},
    };
}

static nc_code audit(const void *self, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    const nc_allocator allocator = allocator_of(self);
    const size_t room = (size_t)capacity + 1;
    nc_cloth_overlap *found = nc_alloc(&allocator, room, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, room * sizeof *found);
    const nc_code code = nc_cloth_audit(self, found, capacity, out_count, err);
    for (int i = 0; code == NC_OK && i < *out_count && i < capacity; i++)
        out[i] = name_overlap(self, &found[i]);
    nc_free(&allocator, found, room, sizeof *found);
    return code;
}

static void trace_audit(void *self, bool on)
{
    nc_cloth_trace_audit(self, on);
}

static nc_code audit_step(const void *self, const nc_model_report *report, nc_error *err)
{
    (void)self;
    const int64_t crossings = report->cloth.crossings;
    if (crossings == 0)
        return NC_OK;
    return nc_fail(err, NC_BROKEN_PROMISE, "%" PRId64 " crossing%s during frame %" PRId64 ", between two kicks",
                   crossings, crossings == 1 ? "" : "s", report->cloth.frame);
}

// ---- bodies -------------------------------------------------------------------------------------------------

static int bodies(const void *self, nc_body_id *out, int capacity)
{
    const int count = nc_cloth_count(self);
    for (int i = 0; i < count && i < capacity; i++)
        out[i] = (nc_body_id){(uint32_t)i, 0};
    return count;
}

static nc_code read_body(const void *self, nc_body_id body, nc_model_body *out, nc_error *err)
{
    nc_cloth_view view;
    const nc_code code = nc_cloth_view_object(self, (int)body.index, &view, err);
    if (code != NC_OK)
        return code;
    const bool cloth = view.type != NC_CLOTH_OBSTACLE;
    *out = (nc_model_body){.name = view.name,
                           .type = cloth           ? NC_DYNAMIC
                                   : view.scripted ? NC_KINEMATIC
                                                   : NC_STATIC,
                           .cloth = cloth,
                           .mesh = (int)body.index,
                           .vertex_count = view.vertex_count,
                           .pose = {{0, 0, 0}, {1, 0, 0, 0}},
                           .appearance = view.appearance};
    return NC_OK;
}

static nc_code read_vertices(const void *self, nc_body_id body, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                             nc_error *err)
{
    return nc_cloth_read(self, (int)body.index, out_positions, out_velocities, err);
}

static int64_t moving_vertices(const void *self)
{
    int64_t sum = 0;
    nc_model_body body;
    for (int i = 0; i < nc_cloth_count(self); i++)
        if (read_body(self, (nc_body_id){(uint32_t)i, 0}, &body, NULL) == NC_OK && body.type != NC_STATIC)
            sum += body.vertex_count;
    return sum;
}

static int mesh_count(const void *self)
{
    return nc_cloth_count(self);
}

// The object's triangles in its own numbers, or its points, one after the other.
static void own_indices(const nc_cloth_view *view, int *out)
{
    for (int i = 0; i < 3 * view->triangle_count; i++)
        out[i] = view->triangles[i / 3][i % 3] - view->first_vertex;
    for (int i = 0; view->triangle_count == 0 && i < view->vertex_count; i++)
        out[i] = i;
}

static nc_code build_mesh(const nc_cloth_view *view, const nc_vec3 *vertices, int *indices,
                          const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    const bool points = view->triangle_count == 0;
    own_indices(view, indices);
    const nc_mesh_def def = {.vertices = vertices,
                             .vertex_count = view->vertex_count,
                             .triangles = (const int(*)[3])indices,
                             .triangle_count = view->triangle_count,
                             .points = points ? indices : NULL,
                             .point_count = points ? view->vertex_count : 0};
    const nc_code code = nc_mesh_create(&def, allocator, out, err);
    if (code != NC_OK || nc_mesh_view(*out).vertex_count == view->vertex_count)
        return code;
    nc_mesh_release(*out);
    *out = NULL;
    return nc_fail(err, NC_BAD_ARGUMENT, "object \"%s\" has vertices that no triangle uses: a run file cannot hold it",
                   view->name);
}

static nc_code make_mesh(const void *self, int row, const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    nc_cloth_view view;
    nc_code code = nc_cloth_view_object(self, row, &view, err);
    if (code != NC_OK)
        return code;
    const size_t vertices = (size_t)view.vertex_count;
    const size_t corners = view.triangle_count == 0 ? vertices : 3 * (size_t)view.triangle_count;
    nc_vec3 *at = nc_alloc(allocator, vertices, sizeof *at);
    int *indices = nc_alloc(allocator, corners, sizeof *indices);
    if (at == NULL || indices == NULL)
        code = nc_fail_memory(err, vertices * sizeof *at + corners * sizeof *indices);
    else
        code = nc_cloth_read(self, row, at, NULL, err);
    if (code == NC_OK)
        code = build_mesh(&view, at, indices, allocator, out, err);
    nc_free(allocator, indices, corners, sizeof *indices);
    nc_free(allocator, at, vertices, sizeof *at);
    return code;
}

// ---- snapshots ----------------------------------------------------------------------------------------------

static uint64_t hash(const void *self)
{
    return nc_cloth_hash(self);
}

static nc_code save(const void *self, nc_buffer *out, nc_error *err)
{
    return nc_cloth_save(self, out, err);
}

static nc_code restore(void *self, const void *bytes, size_t size, nc_error *err)
{
    return nc_cloth_restore(self, bytes, size, err);
}

const nc_model_kind nc_model_fabric = {
    .first_pipeline = NC_PIPELINE_ACM,
    .pipeline_count = 1,
    .deforms = true,
    .has_cloth = true,
    .destroy = destroy,
    .pipeline = pipeline,
    .step_count = step_count,
    .time = time_of,
    .gravity = gravity,
    .step = step,
    .measure = measure,
    .jammed = jammed,
    .audit = audit,
    .trace_audit = trace_audit,
    .audit_step = audit_step,
    .bodies = bodies,
    .read_body = read_body,
    .read_vertices = read_vertices,
    .moving_vertices = moving_vertices,
    .mesh_count = mesh_count,
    .make_mesh = make_mesh,
    .hash = hash,
    .save = save,
    .restore = restore,
};
