// Records the contacts of a step for nc_world_contacts: every impulse that changed velocities, where it acted, and what
// holds sleeping bodies. It changes no result.
#include "step/record_contacts.h"

#include "step/step.h"

static void add(nc_step *step, const nc_contact *contact, nc_vec3 x_a, nc_contact_phase phase)
{
    nc_world *world = step->world;
    const nc_vec3 impulse = nc_contact_impulse_vector(contact);
    if (nc_norm2(impulse) == 0 || !nc_finite3(impulse))
        return;
    const nc_contact_point point = {.a = nc_world_id(world, contact->a),
                                    .b = nc_world_id(world, contact->b),
                                    .phase = phase,
                                    .feature = contact->feature,
                                    .place = nc_add(x_a, contact->arm_a),
                                    .normal = contact->normal,
                                    .distance = contact->distance,
                                    .impulse = impulse};
    if (!nc_array_push(&world->settings.allocator, &world->contacts.points, point))
        world->contacts.incomplete = true;
}

void nc_step_record_contacts(nc_step *step, nc_contact_phase phase, const nc_pose *pose)
{
    const nc_contact_list *contacts = &step->work->contacts;
    nc_step_load_contacts(step);
    for (int k = 0; step->world->contacts.on && k < contacts->count; k++) {
        const nc_contact *contact = &contacts->data[k];
        add(step, contact, pose[contact->a].x, contact->impact ? NC_CONTACT_IMPACT : phase);
    }
}

void nc_step_record_carried(nc_step *step)
{
    const nc_workspace *w = step->work;
    for (int k = 0; step->world->contacts.on && k < w->loads.carried.count; k++) {
        const nc_contact *contact = &w->loads.carried.data[k];
        if (nc_carry_has(&w->carry, nc_finite_row(w->role, contact)))
            add(step, contact, step->world->state.bodies.pose[contact->a].x, NC_CONTACT_REST);
    }
}

void nc_step_record_hit(nc_step *step, const nc_collision *hit)
{
    const nc_contact_list *contacts = &step->work->contacts;
    nc_step_load_contacts(step);
    if (!step->world->contacts.on)
        return;
    const nc_vec3 x[2] = {nc_path_pose(&step->work->flight[hit->i], hit->toi).x,
                          nc_path_pose(&step->work->flight[hit->j], hit->toi).x};
    for (int k = 0; k < contacts->count; k++)
        add(step, &contacts->data[k], x[contacts->data[k].a == hit->i ? 0 : 1], NC_CONTACT_IMPACT);
}

// ---- bodies that sleep --------------------------------------------------------------------------------------

static nc_vec3 vertex_at(const nc_mesh_data *mesh, nc_pose pose, int vertex)
{
    return nc_pose_apply(pose, mesh->vertices[vertex]);
}

static nc_vec3 nearest_of_triangle(const nc_mesh_data *mesh, nc_pose pose, int triangle, nc_vec3 p)
{
    const int *corner = mesh->triangles[triangle];
    const nc_vec3 t[3] = {vertex_at(mesh, pose, corner[0]), vertex_at(mesh, pose, corner[1]),
                          vertex_at(mesh, pose, corner[2])};
    return nc_distance_point_triangle(p, t).on_b;
}

static void edge_at(const nc_mesh_data *mesh, nc_pose pose, int row, bool is_vertex, nc_vec3 out[2])
{
    out[0] = vertex_at(mesh, pose, is_vertex ? row : mesh->edges[row][0]);
    out[1] = vertex_at(mesh, pose, is_vertex ? row : mesh->edges[row][1]);
}

// From B's feature to A's, where the bodies are now.
static nc_vec3 between(const nc_world *world, const nc_kept_impulse *each)
{
    const nc_bodies *bodies = &world->state.bodies;
    const nc_mesh_data a = nc_mesh_view(world->meshes.data[bodies->mesh[each->a]].mesh);
    const nc_mesh_data b = nc_mesh_view(world->meshes.data[bodies->mesh[each->b]].mesh);
    const nc_pose pose_a = bodies->pose[each->a], pose_b = bodies->pose[each->b];
    const nc_feature_id id = each->feature;
    if (id.kind == NC_VERTEX_FACE) {
        const nc_vec3 p = vertex_at(&a, pose_a, id.a);
        return nc_sub(p, nearest_of_triangle(&b, pose_b, id.b, p));
    }
    if (id.kind == NC_FACE_VERTEX) {
        const nc_vec3 p = vertex_at(&b, pose_b, id.b);
        return nc_sub(nearest_of_triangle(&a, pose_a, id.a, p), p);
    }
    nc_vec3 edge_a[2], edge_b[2];
    edge_at(&a, pose_a, id.a, id.kind == NC_VERTEX_EDGE || id.kind == NC_VERTEX_VERTEX, edge_a);
    edge_at(&b, pose_b, id.b, id.kind == NC_EDGE_VERTEX || id.kind == NC_VERTEX_VERTEX, edge_b);
    const nc_distance d = nc_distance_segment_segment(edge_a, edge_b);
    return nc_sub(d.on_a, d.on_b);
}

// A contact that slept through the step gave what it gave when its bodies fell asleep.
static nc_contact asleep(const nc_step *step, const nc_kept_impulse *each)
{
    nc_contact contact = {.a = each->a, .b = each->b, .arm_a = each->arm, .feature = each->feature};
    const nc_vec3 apart = between(step->world, each);
    contact.distance = nc_norm(apart);
    contact.normal = contact.distance > 0 ? nc_scale(1 / contact.distance, apart)
                                          : nc_scale(1 / nc_norm(each->impulse), each->impulse);
    contact.impulse = nc_contact_impulse_parts(&contact, nc_scale(step->dt, each->impulse));
    return contact;
}

static bool is_asleep(const nc_step *step, const nc_kept_impulse *each)
{
    return nc_step_leaves_asleep(step, each->a) || nc_step_leaves_asleep(step, each->b);
}

// Shell steps end with the one solve that makes velocities. isp shares a step between two solves; with vsp the first
// one has the whole weight (the part `vsp.weight` of it), and the second is of islands with joints.
void nc_step_record_sleepers(nc_step *step)
{
    const nc_state *state = &step->world->state;
    const int first = step->world->settings.pipeline == NC_PIPELINE_SHELL ? NC_SOLVE_SETTLE : NC_SOLVE_PREDICT;
    for (int solve = first; step->world->contacts.on && solve < NC_SOLVES; solve++)
        for (int k = 0; k < state->resting[solve].count; k++) {
            const nc_kept_impulse *each = &state->resting[solve].data[k];
            if (!is_asleep(step, each))
                continue;
            const nc_contact contact = asleep(step, each);
            add(step, &contact, state->bodies.pose[each->a].x, NC_CONTACT_ASLEEP);
        }
}
