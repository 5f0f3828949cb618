// Rigid bodies as a model.
#include "model/model.h"

#include "audit/audit.h"
#include "repair/repair.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>

#define VSP_TIMESTEP 0.01 // [s] above it the pipeline vsp makes energy: measured, up to 4.5 times the total

// ---- life ---------------------------------------------------------------------------------------------------

static nc_code create(int workers, const nc_allocator *allocator, void **out, nc_error *err)
{
    nc_world *world = NULL;
    nc_world_def def = nc_world_def_default();
    def.workers = workers;
    def.allocator = *allocator;
    const nc_code code = nc_world_create(&def, &world, err);
    *out = world;
    return code;
}

static void destroy(void *self)
{
    nc_world_destroy(self);
}

static int pipeline(const void *self)
{
    return (int)nc_world_settings(self).pipeline;
}

static int64_t step_count(const void *self)
{
    return nc_world_step_count(self);
}

static double time_of(const void *self)
{
    return nc_world_time(self);
}

static nc_vec3 gravity(const void *self)
{
    return nc_world_settings(self).gravity;
}

// ---- the start ----------------------------------------------------------------------------------------------

static nc_code check_distances(void *self, nc_body_id *out_second, nc_error *err)
{
    nc_start_report start = {0};
    const nc_code code = nc_world_check_distances(self, &start, err);
    *out_second = start.b;
    return code;
}

static void report_distances(const nc_world *world, const nc_start_report *start, const nc_start_listener *to)
{
    const double floor_distance = nc_world_settings(world).floor_distance;
    if (start->floor_distance < start->floor_asked)
        nc_start_say(to, true,
                     "floor_distance is lowered from %.3g m to %.3g m: \"%.100s\" and \"%.100s\" start %.3g m apart",
                     start->floor_asked, start->floor_distance, nc_body_name(world, start->a),
                     nc_body_name(world, start->b), start->nearest);
    if (start->capped_pairs > 0)
        nc_start_say(to, false,
                     "%d pair%s nearer than the rest distance at the start, the nearest %.3g m; such pairs %s",
                     start->capped_pairs, start->capped_pairs == 1 ? " is" : "s are", start->nearest,
                     nc_world_settings(world).cap_rest ? "rest at the distance they start at"
                                                       : "are pushed apart (cap_rest: false)");
    if (floor_distance < start->float_floor)
        nc_start_say(
            to, true,
            "floor_distance %.3g m is below 2^-20 of the largest coordinate of what moves (%.3g m): in exports of 32 "
            "bits, such as .glb, bodies that rest may touch",
            floor_distance, start->float_floor * 0x1p20);
}

// A body inside a closed surface shares no point with it, and may not be meant to be there.
static nc_code tell_inside(const nc_world *world, const nc_start_listener *to, nc_error *err)
{
    nc_repair found;
    const nc_code code = nc_world_find_inside(world, &found, err);
    if (code == NC_OK && found.conflict_count > 0) {
        const nc_conflict *c = &found.conflicts[0];
        char more[48] = "";
        if (found.conflict_count > 1)
            snprintf(more, sizeof more, " (%d such pairs in all)", found.conflict_count);
        nc_start_say(to, true, "\"%.100s\" is inside the closed surface of \"%.100s\" and cannot leave it%s",
                     nc_body_name(world, c->a_is_inside ? c->a : c->b),
                     nc_body_name(world, c->a_is_inside ? c->b : c->a), more);
    }
    nc_repair_free(&found);
    return code;
}

static nc_code report_start(void *self, double dt, nc_model_listener on_message, void *ctx, nc_error *err)
{
    nc_world *world = self;
    const nc_start_listener to = {on_message, ctx};
    nc_start_report start;
    const nc_code code = nc_world_check(world, &start, err);
    if (code != NC_OK)
        return code;
    if (nc_world_settings(world).pipeline == NC_PIPELINE_VSP && dt > VSP_TIMESTEP)
        nc_start_say(
            &to, true,
            "the pipeline vsp with steps of %.3g s: above %g s its energies are not reliable, and bodies at rest may "
            "have velocities; take smaller steps, or the pipeline shell",
            dt, VSP_TIMESTEP);
    report_distances(world, &start, &to);
    nc_start_ask_masses(world, &to);
    nc_start_tell_self_intersections(world, &to);
    return tell_inside(world, &to, err);
}

// ---- stepping -----------------------------------------------------------------------------------------------

static nc_code step(void *self, double dt, nc_model_report *report, nc_error *err)
{
    return nc_world_step(self, dt, &report->common, err);
}

static nc_code measure(const void *self, nc_model_report *report, nc_error *err)
{
    return nc_world_measure(self, &report->common, err);
}

static void set_interrupt(void *self, bool (*asked)(void *ctx), void *ctx)
{
    nc_world_set_interrupt(self, asked, ctx);
}

static void set_share(void *self, nc_share *share)
{
    ((nc_world *)self)->share = share;
}

static void forget_caches(void *self)
{
    nc_world *world = self;
    if (world->workspace != NULL)
        world->workspace_destroy(world->workspace);
    world->workspace = NULL;
}

static void trace_contacts(void *self, bool on)
{
    nc_world_trace_contacts(self, on);
}

static bool traces_contacts(const void *self)
{
    return ((const nc_world *)self)->contacts.on;
}

static int contacts(const void *self, nc_contact_point *out, int capacity)
{
    return nc_world_contacts(self, out, capacity);
}

static bool path(const void *self, nc_body_id body, nc_path *out)
{
    const nc_world *world = self;
    const int row = nc_world_row(world, body);
    if (row < 0 || !world->has_motions)
        return false;
    *out = world->candidates.path[row];
    return true;
}

static void trace_merit(void *self, bool on)
{
    nc_world_trace_merit(self, on);
}

static int merit(const void *self, double *out, int capacity)
{
    return nc_world_merit(self, out, capacity);
}

// ---- audit --------------------------------------------------------------------------------------------------

static nc_code audit(const void *self, nc_overlap *out, int capacity, int *out_count, nc_error *err)
{
    return nc_world_audit(self, out, capacity, out_count, err);
}

static nc_code audit_step(const void *self, const nc_model_report *report, nc_error *err)
{
    nc_crossing first;
    int count = 0;
    const nc_code code = nc_world_audit_step(self, &first, 1, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    char a[48], b[48], more[64] = "";
    const nc_intersection *where = &first.where;
    if (count > 1)
        snprintf(more, sizeof more, " (%d pairs in all)", count);
    return nc_fail(err, NC_BROKEN_PROMISE,
                   "%s of %.100s intersects %s of %.100s at (%.6g, %.6g, %.6g) during step %" PRId64
                   ", at %.6g of it%s",
                   nc_element_text(where->kind_a, where->element_a, a, sizeof a), nc_body_name(self, first.a),
                   nc_element_text(where->kind_b, where->element_b, b, sizeof b), nc_body_name(self, first.b),
                   where->place.x, where->place.y, where->place.z, report->common.step, first.t, more);
}

// ---- bodies -------------------------------------------------------------------------------------------------

static int bodies(const void *self, nc_body_id *out, int capacity)
{
    return nc_world_bodies(self, out, capacity);
}

static nc_code read_body(const void *self, nc_body_id body, nc_model_body *out, nc_error *err)
{
    nc_body_state state;
    const nc_code code = nc_body_read(self, body, &state, err);
    if (code != NC_OK)
        return code;
    *out = (nc_model_body){.name = nc_body_name(self, body),
                           .type = state.type,
                           .mesh = nc_body_mesh_row(self, body),
                           .mass = state.mass,
                           .friction = state.friction,
                           .restitution = state.restitution,
                           .pose = state.pose,
                           .velocity = state.velocity,
                           .spin = state.spin,
                           .kinetic = state.kinetic,
                           .appearance = state.appearance};
    return NC_OK;
}

static int mesh_count(const void *self)
{
    return nc_world_mesh_count(self);
}

static nc_code make_mesh(const void *self, int row, const nc_allocator *allocator, nc_mesh **out, nc_error *err)
{
    (void)allocator;
    (void)err;
    *out = nc_mesh_retain(nc_world_mesh(self, row));
    return NC_OK;
}

static nc_code add_mesh(void *self, nc_mesh *mesh, nc_error *err)
{
    return nc_world_add_mesh(self, mesh, err);
}

static int exempt_pairs(const void *self, int pair, nc_body_id out[2])
{
    const nc_world *world = self;
    if (pair < world->state.exempt_count) {
        const uint64_t key = world->state.exempt[pair];
        out[0] = nc_world_id(world, (int)(uint32_t)(key >> 32));
        out[1] = nc_world_id(world, (int)(uint32_t)key);
    }
    return world->state.exempt_count;
}

static nc_body_id cluster(const void *self, nc_body_id body)
{
    return nc_body_cluster(self, body);
}

static nc_body_id blocker(const void *self, nc_body_id body)
{
    return nc_body_blocker(self, body);
}

static int fractures(const void *self, int first, nc_fracture_event *out, int capacity)
{
    return nc_world_fractures(self, first, out, capacity);
}

static int pieces(const void *self, int event, nc_body_id *out, int capacity)
{
    return nc_world_fracture_pieces(self, event, out, capacity);
}

// ---- snapshots ----------------------------------------------------------------------------------------------

static uint64_t hash(const void *self)
{
    return nc_world_hash(self);
}

static nc_code save(const void *self, nc_buffer *out, nc_error *err)
{
    return nc_world_save(self, out, err);
}

static nc_code restore(void *self, const void *bytes, size_t size, nc_error *err)
{
    return nc_world_restore(self, bytes, size, err);
}

const nc_model_kind nc_model_rigid = {
    .first_pipeline = NC_PIPELINE_SHELL,
    .pipeline_count = NC_PIPELINE_ACM,
    .create = create,
    .destroy = destroy,
    .pipeline = pipeline,
    .step_count = step_count,
    .time = time_of,
    .gravity = gravity,
    .check_distances = check_distances,
    .report_start = report_start,
    .step = step,
    .measure = measure,
    .set_interrupt = set_interrupt,
    .set_share = set_share,
    .forget_caches = forget_caches,
    .trace_contacts = trace_contacts,
    .traces_contacts = traces_contacts,
    .contacts = contacts,
    .path = path,
    .trace_merit = trace_merit,
    .merit = merit,
    .audit = audit,
    .audit_step = audit_step,
    .bodies = bodies,
    .read_body = read_body,
    .mesh_count = mesh_count,
    .make_mesh = make_mesh,
    .add_mesh = add_mesh,
    .exempt_pairs = exempt_pairs,
    .cluster = cluster,
    .blocker = blocker,
    .fractures = fractures,
    .pieces = pieces,
    .hash = hash,
    .save = save,
    .restore = restore,
};
