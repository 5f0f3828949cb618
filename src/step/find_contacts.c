// Contacts: near features of pairs of bodies, as the solvers want them.
#include "step/step.h"

#include <string.h>

void nc_near_free(nc_near *near, const nc_allocator *allocator)
{
    nc_near_table_free(&near->table, allocator);
    nc_array_free(allocator, &near->rest);
    nc_array_free(allocator, &near->first);
    nc_array_free(allocator, &near->next);
    nc_proximity_list_free(&near->patch);
}

bool nc_within_reach(nc_pose pose_i, nc_pose pose_j)
{
    return nc_max3(nc_sub(pose_i.x, pose_j.x)) <= NC_COORDINATE_MAX;
}

bool nc_step_can_respond(const nc_step *step, const nc_collision *hit)
{
    const uint8_t *role = step->work->role;
    const nc_pose *pose = step->world->state.bodies.pose;
    return !hit->undecided && (role[hit->i] == NC_ROLE_FREE || role[hit->j] == NC_ROLE_FREE) &&
           nc_within_reach(pose[hit->i], pose[hit->j]);
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

static nc_code append(const nc_near *near, int i, int j, const nc_proximity *features, int count, nc_pose pose_i,
                      nc_pose pose_j, nc_contact_list *out, nc_error *err)
{
    for (int k = 0; k < count; k++) {
        const nc_contact contact = contact_of(near->world, i, j, &features[k], pose_i.x, pose_j.x);
        if (!nc_array_push(near->allocator, out, contact))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts");
    }
    return NC_OK;
}

// ---- all of them --------------------------------------------------------------------------------------------

typedef struct near_request {
    const nc_world *world;
    const uint8_t *role; // nc_role by row
    const nc_pose *pose;
} near_request;

// A scripted body may wake one that sleeps.
static bool may_wake(const near_request *request, int i, int j)
{
    return request->role[i] == NC_ROLE_SCRIPTED && nc_row_sleeps(&request->world->state.bodies, j);
}

static bool can_touch(int i, int j, const void *ctx)
{
    const near_request *request = ctx;
    const bool movable = nc_row_is_free(request->role, i) || nc_row_is_free(request->role, j) ||
                         may_wake(request, i, j) || may_wake(request, j, i);
    return movable && nc_within_reach(request->pose[i], request->pose[j]) &&
           nc_state_pair_matters(&request->world->state, i, j);
}

static double near_distance(int i, int j, const void *ctx)
{
    const near_request *request = ctx;
    return nc_world_pair_proximity(request->world, i, j);
}

// What besides poses and meshes decides which pairs are in the table.
static uint64_t pairs_signature(const nc_near *near)
{
    const nc_state *state = &near->world->state;
    const nc_world_def *settings = &near->world->settings;
    uint64_t hash = nc_hash_u64(0, (uint64_t)state->exempt_count);
    hash = nc_hash_double(hash, settings->rest_fraction); // distances of pairs follow from these
    hash = nc_hash_double(hash, settings->rest_distance);
    hash = nc_hash_double(hash, settings->floor_distance);
    for (int i = 0; i < state->bodies.count; i++)
        hash = nc_hash_u64(hash, (uint64_t)near->role[i]);
    for (int i = 0; i < state->bodies.count; i++) // an address may have been another mesh's before
        hash = nc_hash_u64(hash, near->mesh[i] != NULL ? nc_mesh_hash(near->mesh[i]) : 0);
    for (int k = 0; k < state->exempt_count; k++)
        hash = nc_hash_u64(hash, state->exempt[k]);
    return hash;
}

nc_code nc_near_update(nc_near *near, const nc_pose *pose, nc_error *err)
{
    const nc_world_def *settings = &near->world->settings;
    const near_request request = {near->world, near->role, pose};
    const nc_near_bodies bodies = {.count = near->world->state.bodies.count,
                                   .pose = pose,
                                   .mesh = near->mesh,
                                   .kind = near->role,
                                   .signature = pairs_signature(near),
                                   .wanted = can_touch,
                                   .distance = near_distance,
                                   .ctx = &request};
    near->table.share = near->world->share;
    const nc_code code =
        nc_near_table_make(&near->table, &bodies, settings->proximity, settings->workers, near->allocator, err);
    return code == NC_OK ? nc_near_find_rest(near, err) : code;
}

static nc_code append_row(const nc_near *near, const nc_near_row *row, const nc_pose *pose, nc_contact_list *out,
                          nc_error *err)
{
    const nc_proximity *features = nc_near_features(&near->table, row);
    return append(near, row->i, row->j, features, row->count, pose[row->i], pose[row->j], out, err);
}

nc_code nc_near_contacts(nc_near *near, const nc_pose *pose, nc_contact_list *out, nc_error *err)
{
    nc_code code = nc_near_update(near, pose, err);
    for (int k = 0; code == NC_OK && k < near->table.rows.count; k++) {
        const nc_near_row *row = &near->table.rows.data[k];
        if (nc_row_is_free(near->role, row->i) || nc_row_is_free(near->role, row->j))
            code = append_row(near, row, pose, out, err);
    }
    return code;
}

nc_code nc_step_list_batch(nc_step *step, int *near_count, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_near_rows *rows = &w->near.table.rows;
    const nc_pose *pose = step->world->state.bodies.pose;
    w->contacts.count = 0;
    nc_code code = nc_near_update(&w->near, pose, err);
    for (int k = 0; code == NC_OK && k < rows->count; k++)
        if (nc_components_solves(&w->components, rows->data[k].i, rows->data[k].j))
            code = append_row(&w->near, &rows->data[k], pose, &w->contacts, err);
    *near_count = w->contacts.count;
    for (int k = 0; code == NC_OK && k < w->batch.count; k++) {
        const nc_contact *contact = &w->batch.data[k];
        if (nc_components_ladder(&w->components, contact->a, contact->b)->collected &&
            !nc_array_push(&w->allocator, &w->contacts, *contact))
            code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts of colliding bodies");
    }
    return code;
}

double nc_near_clearance(const nc_near *near, int i, int j)
{
    const nc_near_table *table = &near->table;
    const near_request request = {near->world, near->role, table->pose};
    const nc_pose *pose = near->world->state.bodies.pose;
    // The table is that of the start from step 1 to step 5; at other times it returns 0 (unknown).
    if (!table->made || memcmp(&pose[i], &table->pose[i], sizeof *pose) != 0 ||
        memcmp(&pose[j], &table->pose[j], sizeof *pose) != 0)
        return 0;
    const nc_near_row *row = nc_near_table_find(table, i, j);
    return row != NULL ? row->clearance : can_touch(i, j, &request) ? table->distance : 0;
}

// ---- of one pair --------------------------------------------------------------------------------------------

static nc_code append_near(nc_near *near, int i, int j, nc_pose pose_i, nc_pose pose_j, double distance,
                           nc_contact_list *out, nc_error *err)
{
    const nc_proximity_options options = nc_contact_options();
    near->patch.count = 0;
    const nc_code code =
        nc_proximity_find(near->mesh[i], pose_i, near->mesh[j], pose_j, distance, &options, &near->patch, err);
    return code != NC_OK ? code : append(near, i, j, near->patch.data, near->patch.count, pose_i, pose_j, out, err);
}

static nc_vec3 world_vertex(const nc_mesh *mesh, nc_pose pose, int vertex)
{
    return nc_pose_apply(pose, nc_mesh_view(mesh).vertices[vertex]);
}

static void world_edge(const nc_mesh *mesh, nc_pose pose, int edge, bool is_point, nc_vec3 out[2])
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    out[0] = world_vertex(mesh, pose, is_point ? edge : data.edges[edge][0]);
    out[1] = world_vertex(mesh, pose, is_point ? edge : data.edges[edge][1]);
}

void nc_contact_edges(const nc_mesh *const *mesh, const nc_contact *contact, nc_pose pose_a, nc_pose pose_b,
                      nc_vec3 edge_a[2], nc_vec3 edge_b[2])
{
    world_edge(mesh[contact->a], pose_a, contact->feature.a, false, edge_a);
    world_edge(mesh[contact->b], pose_b, contact->feature.b, false, edge_b);
}

// Where two features are nearest each other.
static nc_proximity nearest_points(const nc_mesh *const *mesh, const nc_collision *hit, nc_pose pose_i, nc_pose pose_j)
{
    nc_proximity near = {.feature = hit->feature};
    const nc_feature_kind kind = hit->feature.kind;
    if (kind == NC_VERTEX_FACE) {
        near.on_a = world_vertex(mesh[hit->i], pose_i, hit->feature.a);
        near.on_b = nc_sub(near.on_a, hit->nearest);
    } else if (kind == NC_FACE_VERTEX) {
        near.on_b = world_vertex(mesh[hit->j], pose_j, hit->feature.b);
        near.on_a = nc_add(near.on_b, hit->nearest);
    } else {
        nc_vec3 a[2], b[2];
        world_edge(mesh[hit->i], pose_i, hit->feature.a, kind == NC_VERTEX_EDGE || kind == NC_VERTEX_VERTEX, a);
        world_edge(mesh[hit->j], pose_j, hit->feature.b, kind == NC_EDGE_VERTEX || kind == NC_VERTEX_VERTEX, b);
        const nc_distance d = nc_distance_segment_segment(a, b);
        near.on_a = d.on_a;
        near.on_b = d.on_b;
    }
    near.distance = nc_norm(hit->nearest);
    near.normal = nc_scale(1.0 / near.distance, hit->nearest);
    return near;
}

nc_code nc_near_feature(nc_near *near, const nc_collision *hit, nc_pose pose_i, nc_pose pose_j, nc_contact_list *out,
                        nc_error *err)
{
    if (hit->feature.a < 0 || !(nc_norm2(hit->nearest) > 0))
        return NC_OK;
    const nc_proximity points = nearest_points(near->mesh, hit, pose_i, pose_j);
    return append(near, hit->i, hit->j, &points, 1, pose_i, pose_j, out, err);
}

nc_code nc_near_patch(nc_near *near, const nc_collision *hit, nc_pose pose_i, nc_pose pose_j, double slack,
                      nc_contact_list *out, nc_error *err)
{
    const int before = out->count;
    const nc_code code = append_near(near, hit->i, hit->j, pose_i, pose_j, nc_norm(hit->nearest) + slack, out, err);
    return code != NC_OK || out->count > before ? code : nc_near_feature(near, hit, pose_i, pose_j, out, err);
}
