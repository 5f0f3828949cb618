// Contacts: near features of pairs of bodies, as the solvers want them.
#include "step/step.h"

#include <string.h>

bool nc_step_within_reach(nc_pose pose_i, nc_pose pose_j)
{
    return nc_max3(nc_sub(pose_i.x, pose_j.x)) <= NC_COORDINATE_MAX;
}

bool nc_step_can_respond(const nc_step *step, const nc_meeting *hit)
{
    const uint8_t *role = step->work->role;
    const nc_pose *pose = step->world->state.bodies.pose;
    return !hit->undecided && (role[hit->i] == NC_ROLE_FREE || role[hit->j] == NC_ROLE_FREE) &&
           nc_step_within_reach(pose[hit->i], pose[hit->j]);
}

// A contact halfway between the two nearest points.
static nc_contact contact_of(const nc_world *world, int i, int j, const nc_proximity *near, nc_vec3 x_i, nc_vec3 x_j)
{
    const nc_vec3 point = nc_scale(0.5, nc_add(near->on_a, near->on_b));
    nc_contact contact = {.a = i, .b = j, .normal = near->normal, .distance = near->distance, .feature = near->feature};
    contact.arm_a = nc_sub(point, x_i);
    contact.arm_b = nc_sub(point, x_j);
    contact.friction = nc_world_pair_friction(world, i, j);
    contact.restitution = nc_world_pair_restitution(world, i, j);
    return contact;
}

double nc_step_to_rest(const nc_step *step, const nc_contact *contact, double distance)
{
    return (nc_step_pair_rest(step, contact->a, contact->b) - distance) / step->dt;
}

static nc_code append(nc_step *step, int i, int j, const nc_proximity *near, int count, nc_pose pose_i, nc_pose pose_j,
                      nc_error *err)
{
    nc_workspace *w = step->work;
    for (int k = 0; k < count; k++) {
        const nc_contact contact = contact_of(step->world, i, j, &near[k], pose_i.x, pose_j.x);
        if (!nc_array_push(&w->allocator, &w->contacts, contact))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts");
    }
    return NC_OK;
}

// ---- all of them --------------------------------------------------------------------------------------------

typedef struct near_request {
    const nc_step *step;
    const nc_pose *pose;
} near_request;

static bool can_touch(int i, int j, const void *ctx)
{
    const near_request *request = ctx;
    const nc_bodies *bodies = &request->step->world->state.bodies;
    const bool movable = bodies->type[i] == NC_DYNAMIC || bodies->type[j] == NC_DYNAMIC;
    return movable && nc_step_within_reach(request->pose[i], request->pose[j]) &&
           nc_state_pair_matters(&request->step->world->state, i, j);
}

static double near_distance(int i, int j, const void *ctx)
{
    const near_request *request = ctx;
    return nc_world_pair_proximity(request->step->world, i, j);
}

// What besides poses and meshes decides which pairs are in the table.
static uint64_t pairs_signature(const nc_step *step)
{
    const nc_state *state = &step->world->state;
    const nc_world_def *settings = &step->world->settings;
    uint64_t hash = nc_hash_u64(0, (uint64_t)state->exempt_count);
    hash = nc_hash_double(hash, settings->rest_fraction); // distances of pairs follow from these
    hash = nc_hash_double(hash, settings->rest_distance);
    hash = nc_hash_double(hash, settings->floor_distance);
    for (int i = 0; i < state->bodies.count; i++)
        hash = nc_hash_u64(hash, (uint64_t)state->bodies.type[i]);
    for (int i = 0; i < state->bodies.count; i++) // an address may have been another mesh's before
        hash = nc_hash_u64(hash, step->work->mesh[i] != NULL ? nc_mesh_hash(step->work->mesh[i]) : 0);
    for (int k = 0; k < state->exempt_count; k++)
        hash = nc_hash_u64(hash, state->exempt[k]);
    return hash;
}

nc_code nc_step_find_near(nc_step *step, const nc_pose *pose, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_world_def *settings = &step->world->settings;
    const near_request request = {step, pose};
    const nc_near_bodies bodies = {.count = step->world->state.bodies.count,
                                   .pose = pose,
                                   .mesh = step->within ? w->arc_mesh.data : w->mesh,
                                   .signature = pairs_signature(step),
                                   .wanted = can_touch,
                                   .distance = near_distance,
                                   .ctx = &request};
    const nc_code code =
        nc_near_table_make(&w->near, &bodies, settings->proximity, settings->workers, &w->allocator, err);
    return code == NC_OK ? nc_step_find_rest(step, err) : code;
}

static nc_code append_row(nc_step *step, const nc_near_row *row, const nc_pose *pose, nc_error *err)
{
    const nc_proximity *features = nc_near_features(&step->work->near, row);
    return append(step, row->i, row->j, features, row->count, pose[row->i], pose[row->j], err);
}

nc_code nc_step_find_contacts(nc_step *step, const nc_pose *pose, nc_error *err)
{
    const nc_near_table *near = &step->work->near;
    nc_code code = nc_step_find_near(step, pose, err);
    for (int k = 0; code == NC_OK && k < near->rows.count; k++)
        code = append_row(step, &near->rows.data[k], pose, err);
    return code;
}

static bool may_join_batch(const nc_step *step, int i)
{
    return step->work->batched[i] || step->work->role[i] != NC_ROLE_FREE;
}

static bool is_in_batch(nc_step *step, int i, int j)
{
    const nc_ladder *ladder = nc_step_ladder(step, i, j);
    return ladder->gathered && (ladder->rung == NC_RUNG_WHOLE || (may_join_batch(step, i) && may_join_batch(step, j)));
}

nc_code nc_step_list_batch(nc_step *step, int *near_count, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_near_table *near = &w->near;
    const nc_pose *pose = step->world->state.bodies.pose;
    w->contacts.count = 0;
    nc_code code = nc_step_find_near(step, pose, err);
    for (int k = 0; code == NC_OK && k < near->rows.count; k++) {
        const nc_near_row *row = &near->rows.data[k];
        if (is_in_batch(step, row->i, row->j))
            code = append_row(step, row, pose, err);
    }
    *near_count = w->contacts.count;
    for (int k = 0; code == NC_OK && k < w->crowd.count; k++) {
        const nc_contact *contact = &w->crowd.data[k];
        if (nc_step_ladder(step, contact->a, contact->b)->gathered &&
            !nc_array_push(&w->allocator, &w->contacts, *contact))
            code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts of colliding bodies");
    }
    return code;
}

double nc_step_clearance(const nc_step *step, int i, int j)
{
    const nc_near_table *near = &step->work->near;
    const near_request request = {step, near->pose};
    const nc_pose *pose = step->world->state.bodies.pose;
    // The table is that of the start from step 1 to step 5; whoever asks at another time is told nothing.
    if (!near->made || memcmp(&pose[i], &near->pose[i], sizeof *pose) != 0 ||
        memcmp(&pose[j], &near->pose[j], sizeof *pose) != 0)
        return 0;
    const nc_near_row *row = nc_near_table_find(near, i, j);
    return row != NULL ? row->clearance : can_touch(i, j, &request) ? near->distance : 0;
}

// ---- of one pair --------------------------------------------------------------------------------------------

static nc_code append_near(nc_step *step, int i, int j, nc_pose pose_i, nc_pose pose_j, double distance, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_proximity_options options = nc_contact_options();
    w->patch.count = 0;
    const nc_code code = nc_proximity_find(w->mesh[i], pose_i, w->mesh[j], pose_j, distance, &options, &w->patch, err);
    return code != NC_OK ? code : append(step, i, j, w->patch.data, w->patch.count, pose_i, pose_j, err);
}

static nc_vec3 world_vertex(const nc_workspace *w, int body, nc_pose pose, int vertex)
{
    return nc_pose_apply(pose, nc_mesh_view(w->mesh[body]).vertices[vertex]);
}

static void world_edge(const nc_workspace *w, int body, nc_pose pose, int edge, bool is_point, nc_vec3 out[2])
{
    const nc_mesh_data data = nc_mesh_view(w->mesh[body]);
    out[0] = world_vertex(w, body, pose, is_point ? edge : data.edges[edge][0]);
    out[1] = world_vertex(w, body, pose, is_point ? edge : data.edges[edge][1]);
}

void nc_step_contact_edges(const nc_step *step, const nc_contact *contact, nc_pose pose_a, nc_pose pose_b,
                           nc_vec3 edge_a[2], nc_vec3 edge_b[2])
{
    world_edge(step->work, contact->a, pose_a, contact->feature.a, false, edge_a);
    world_edge(step->work, contact->b, pose_b, contact->feature.b, false, edge_b);
}

// Where two features are nearest each other.
static nc_proximity nearest_points(const nc_workspace *w, const nc_meeting *hit, nc_pose pose_i, nc_pose pose_j)
{
    nc_proximity near = {.feature = hit->feature};
    const nc_feature_kind kind = hit->feature.kind;
    if (kind == NC_VERTEX_FACE) {
        near.on_a = world_vertex(w, hit->i, pose_i, hit->feature.a);
        near.on_b = nc_sub(near.on_a, hit->nearest);
    } else if (kind == NC_FACE_VERTEX) {
        near.on_b = world_vertex(w, hit->j, pose_j, hit->feature.b);
        near.on_a = nc_add(near.on_b, hit->nearest);
    } else {
        nc_vec3 a[2], b[2];
        world_edge(w, hit->i, pose_i, hit->feature.a, kind == NC_VERTEX_EDGE || kind == NC_VERTEX_VERTEX, a);
        world_edge(w, hit->j, pose_j, hit->feature.b, kind == NC_EDGE_VERTEX || kind == NC_VERTEX_VERTEX, b);
        const nc_distance d = nc_distance_segment_segment(a, b);
        near.on_a = d.on_a;
        near.on_b = d.on_b;
    }
    near.distance = nc_norm(hit->nearest);
    near.normal = nc_scale(1.0 / near.distance, hit->nearest);
    return near;
}

nc_code nc_step_find_feature(nc_step *step, const nc_meeting *hit, nc_pose pose_i, nc_pose pose_j, nc_error *err)
{
    nc_workspace *w = step->work;
    if (hit->feature.a < 0 || !(nc_norm2(hit->nearest) > 0))
        return NC_OK;
    const nc_proximity near = nearest_points(w, hit, pose_i, pose_j);
    const nc_contact contact = contact_of(step->world, hit->i, hit->j, &near, pose_i.x, pose_j.x);
    return nc_array_push(&w->allocator, &w->contacts, contact)
               ? NC_OK
               : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts");
}

nc_code nc_step_find_patch(nc_step *step, const nc_meeting *hit, nc_pose pose_i, nc_pose pose_j, double slack,
                           nc_error *err)
{
    const int before = step->work->contacts.count;
    const nc_code code = append_near(step, hit->i, hit->j, pose_i, pose_j, nc_norm(hit->nearest) + slack, err);
    return code != NC_OK || step->work->contacts.count > before ? code
                                                                : nc_step_find_feature(step, hit, pose_i, pose_j, err);
}
