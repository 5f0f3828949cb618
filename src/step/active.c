// Which contacts act: those that touch, and those that would come nearer than they rest.
//
// A row of the solver says that two features must not come nearer along the normal that they have now. For features
// that pass each other, such as two edges one above the other, that normal points forward, and the row would stop a
// motion in which they never touch. So contacts that are farther apart than they rest are idle at first: the others are
// solved, and then the true distance of the idle ones' features along the motion that came out decides. Where it falls
// below the rest distance, the contact acts, and its island is solved again.
//
// The motion is taken as straight between its two ends. Nothing here is trusted: what is missed is left to dynamic
// contact and certify.
#include "step/step.h"

// Up to three corners on either side, at the start and at the end of the motion.
typedef struct moving_features {
    int count[2];
    nc_vec3 from[2][3], to[2][3]; // [m]
} moving_features;

static nc_pose moved(nc_pose pose, nc_vec3 v, nc_vec3 w, double dt)
{
    return (nc_pose){nc_madd(pose.x, dt, v),
                     nc_quat_normalize(nc_quat_mul(nc_quat_from_rotation_vector(nc_scale(dt, w)), pose.q))};
}

// Corners of a contact's feature on one side.
static int corners_of(const nc_mesh_data *mesh, nc_feature_kind kind, int side, int feature, int out[3])
{
    const bool face = (side == 0 && kind == NC_FACE_VERTEX) || (side == 1 && kind == NC_VERTEX_FACE);
    const bool edge =
        kind == NC_EDGE_EDGE || (side == 0 && kind == NC_EDGE_VERTEX) || (side == 1 && kind == NC_VERTEX_EDGE);
    const int count = face ? 3 : edge ? 2 : 1;
    for (int k = 0; k < count; k++)
        out[k] = face ? mesh->triangles[feature][k] : edge ? mesh->edges[feature][k] : feature;
    return count;
}

static moving_features features_of(const nc_mesh *const *meshes, double dt, const nc_solver_bodies *bodies,
                                   const nc_contact *contact, const nc_pose *pose)
{
    moving_features m;
    for (int side = 0; side < 2; side++) {
        const int row = side == 0 ? contact->a : contact->b;
        const nc_mesh_data mesh = nc_mesh_view(meshes[row]);
        const nc_pose end = moved(pose[row], bodies->v[row], bodies->w[row], dt);
        int corner[3];
        m.count[side] =
            corners_of(&mesh, contact->feature.kind, side, side == 0 ? contact->feature.a : contact->feature.b, corner);
        for (int k = 0; k < m.count[side]; k++) {
            m.from[side][k] = nc_pose_apply(pose[row], mesh.vertices[corner[k]]);
            m.to[side][k] = nc_pose_apply(end, mesh.vertices[corner[k]]);
        }
    }
    return m;
}

// From the second side to the first at time t, between the nearest points.
static nc_vec3 nearest_at(const moving_features *m, double t)
{
    nc_vec3 p[2][3];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            const int at = k < m->count[side] ? k : m->count[side] - 1;
            p[side][k] = nc_madd(m->from[side][at], t, nc_sub(m->to[side][at], m->from[side][at]));
        }
    if (m->count[0] == 3 || m->count[1] == 3) {
        const bool first = m->count[0] == 3;
        const nc_vec3 *triangle = p[first ? 0 : 1];
        const nc_distance d = nc_distance_point_triangle(p[first ? 1 : 0][0], triangle);
        const nc_vec3 from_b = nc_sub(d.on_a, d.on_b);
        return first ? nc_neg(from_b) : from_b;
    }
    const nc_distance d = nc_distance_segment_segment(p[0], p[1]);
    return nc_sub(d.on_a, d.on_b);
}

// Until when the two are farther apart than `rest` along the direction n, from t on.
static double apart_until(const moving_features *m, nc_vec3 n, double t, double rest)
{
    double until = INFINITY;
    for (int i = 0; i < m->count[0]; i++)
        for (int j = 0; j < m->count[1]; j++) {
            const nc_vec3 from = nc_sub(m->from[0][i], m->from[1][j]), to = nc_sub(m->to[0][i], m->to[1][j]);
            const double speed = nc_dot(n, nc_sub(to, from)), left = nc_dot(n, from) + t * speed - rest;
            if (speed < 0)
                until = fmin(until, t + left / -speed);
        }
    return until;
}

// Does a pair rest nearer than its sizes say, by its play or by its start?
static bool is_limited_by_play(const nc_near *near, const nc_contact *contact)
{
    return nc_near_pair_rest(near, contact->a, contact->b) < nc_world_common_rest(near->world, contact->a, contact->b);
}

static bool is_at_face(const nc_contact *contact)
{
    return contact->feature.kind == NC_FACE_VERTEX || contact->feature.kind == NC_VERTEX_FACE;
}

// Is the normal of triangle t turned against `normal` (both in the body's space)?
static bool is_turned(const nc_mesh_data *mesh, int t, nc_vec3 normal)
{
    const int *v = mesh->triangles[t];
    const nc_vec3 across = nc_cross(nc_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]),
                                    nc_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]));
    return nc_norm2(nc_cross(across, normal)) > NC_ACTIVE_PASS_SINE * NC_ACTIVE_PASS_SINE * nc_norm2(across);
}

// Is a vertex beside what it is near, so that the direction turns when it slides?
static bool is_beside(const nc_mesh *const *meshes, const nc_contact *contact, const nc_pose *pose)
{
    const bool first = contact->feature.kind == NC_FACE_VERTEX;
    if (contact->feature.kind == NC_EDGE_EDGE)
        return false;
    if (!is_at_face(contact))
        return true;
    const int row = first ? contact->a : contact->b;
    const nc_mesh_data mesh = nc_mesh_view(meshes[row]);
    const nc_vec3 normal = nc_mat3_tmul(nc_quat_matrix(pose[row].q), contact->normal);
    return is_turned(&mesh, first ? contact->feature.a : contact->feature.b, normal);
}

// Does a triangle of the mesh face `normal` near one of the points in the box?
static bool has_face_there(const nc_mesh *mesh, nc_box box, nc_vec3 normal)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int at = stack[--top];
        const nc_bvh_node *node = &tree.nodes[at];
        if (!nc_box_overlap(node->box, box))
            continue;
        for (int slot = node->first; slot < node->first + node->count; slot++) {
            const int t = tree.order[slot];
            if (t >= data.triangle_count || is_turned(&data, t, normal))
                continue;
            const int *v = data.triangles[t];
            const nc_box around = nc_box_add(
                nc_box_add(nc_box_add(nc_box_empty(), data.vertices[v[0]]), data.vertices[v[1]]), data.vertices[v[2]]);
            if (nc_box_overlap(around, box))
                return true;
        }
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = at + 1;
        }
    }
    return false;
}

// Is a vertex beside all faces at the point that it is near? Of the faces that meet at a rim one stands for all in the
// list of contacts, so a vertex straight above the rim may be listed with the side below.
static bool is_beside_all(const nc_mesh *const *meshes, const nc_contact *contact, const nc_pose *pose)
{
    const bool first = contact->feature.kind == NC_FACE_VERTEX;
    if (!is_at_face(contact) || !is_beside(meshes, contact, pose))
        return false;
    const int face = first ? contact->a : contact->b, vertex = first ? contact->b : contact->a;
    const nc_vec3 corner = nc_mesh_view(meshes[vertex]).vertices[first ? contact->feature.b : contact->feature.a];
    const nc_vec3 at = nc_pose_apply(pose[vertex], corner);
    const nc_vec3 foot = nc_madd(at, first ? contact->distance : -contact->distance, contact->normal);
    const nc_vec3 there = nc_mat3_tmul(nc_quat_matrix(pose[face].q), nc_sub(foot, pose[face].x));
    const double slack = NC_ACTIVE_PASS_SINE * contact->distance;
    const nc_box box = {nc_sub(there, nc_v3(slack, slack, slack)), nc_add(there, nc_v3(slack, slack, slack))};
    return !has_face_there(meshes[face], box, nc_mat3_tmul(nc_quat_matrix(pose[face].q), contact->normal));
}

// Is a vertex that came nearer to a face beside it or past it at the end of a motion that is long against the rest
// distance? So a corner falls beside a rim. `between` is the direction at the end. A pair with little play has none to
// spare.
static bool is_past(const nc_near *near, const moving_features *m, const nc_contact *contact, nc_vec3 between)
{
    const double rest = nc_near_pair_rest(near, contact->a, contact->b);
    const nc_vec3 travel = nc_sub(nc_sub(m->to[0][0], m->to[1][0]), nc_sub(m->from[0][0], m->from[1][0]));
    const double slack = NC_ACTIVE_PASS_SINE * nc_norm(travel);
    return is_at_face(contact) && nc_norm(travel) > NC_ACTIVE_RIM_TRAVEL_RESTS * rest &&
           nc_dot(travel, contact->normal) < -slack && nc_dot(travel, between) > -slack * nc_norm(between) &&
           !is_limited_by_play(near, contact);
}

// [m] how near the features may come along the motion. Those that pass each other come nearest with another direction
// than they start with; a row with the direction of the start would stop their motion, so they may come a little nearer
// than they rest; those that are past each other at its end may come to a quarter of that. From where they are
// then, the next step pushes them apart along the direction that counts. A pair with little play (a pin in its hole)
// has none to spare.
static double least_distance(const nc_near *near, const moving_features *m, const nc_contact *contact,
                             const nc_pose *pose)
{
    const double rest = nc_near_pair_rest(near, contact->a, contact->b);
    const nc_vec3 between = nearest_at(m, 1);
    if (is_past(near, m, contact, between) && is_beside_all(near->mesh, contact, pose))
        return NC_ACTIVE_RIM_RESTS * rest;
    const bool passes = nc_dot(between, contact->normal) < NC_ACTIVE_PASS_COSINE * nc_norm(between);
    return passes && !is_limited_by_play(near, contact) ? (1 - NC_ACTIVE_PASS_RESTS) * rest : rest;
}

static bool stays_apart(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                        const nc_pose *pose)
{
    const moving_features m = features_of(near->mesh, dt, bodies, contact, pose);
    const double least = least_distance(near, &m, contact, pose);
    const int looks = is_limited_by_play(near, contact) ? NC_ACTIVE_TIGHT_DIRECTIONS : NC_ACTIVE_DIRECTIONS;
    double t = 0;
    for (int look = 0; look < looks; look++) {
        const nc_vec3 between = nearest_at(&m, t);
        const double distance = nc_norm(between);
        if (!(distance > least))
            return false;
        const double until = apart_until(&m, nc_scale(1 / distance, between), t, least);
        if (until >= 1)
            return true;
        if (!(until > t + NC_ACTIVE_MIN_ADVANCE))
            return false;
        t = until;
    }
    return false;
}

// ---- which contacts are idle at first --------------------------------------------------------------------------

// Features that were sliding towards each other before the step, beside each other: they may only pass.
static bool may_pass(const nc_near *near, const nc_contact *contact, const nc_pose *pose, double dt)
{
    const nc_bodies *bodies = &near->world->state.bodies;
    const nc_solver_bodies before = {.count = bodies->count, .v = bodies->v, .w = bodies->spin};
    const double rest = nc_near_pair_rest(near, contact->a, contact->b);
    const nc_vec3 u = nc_contact_velocity(&before, contact);
    const double closing = -nc_dot(contact->normal, u), speed = nc_norm(u);
    return !contact->impact && !is_limited_by_play(near, contact) &&
           contact->distance > (1 - NC_ACTIVE_PASS_RESTS) * rest && dt * speed > NC_ACTIVE_PASS_SLIDE_RESTS * rest &&
           closing > NC_ACTIVE_PASS_SINE * speed && is_beside(near->mesh, contact, pose);
}

// Features that touch and fly past each other with the velocities before contact.
static bool flies_past(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                       const nc_pose *pose)
{
    if (contact->impact || !is_at_face(contact))
        return false;
    const moving_features m = features_of(near->mesh, dt, bodies, contact, pose);
    return is_past(near, &m, contact, nearest_at(&m, 1)) && is_beside_all(near->mesh, contact, pose) &&
           stays_apart(near, dt, bodies, contact, pose);
}

static bool is_idle(const nc_near *near, double dt, const nc_solver_bodies *bodies, const nc_contact *contact,
                    const nc_pose *pose)
{
    const double rest = nc_near_pair_rest(near, contact->a, contact->b);
    const bool touches = !(contact->distance - rest > NC_ACTIVE_TOUCH_RESTS * rest);
    if (contact->round)
        return false;
    return (!touches && !(contact->target > 0)) || may_pass(near, contact, pose, dt) ||
           flies_past(near, dt, bodies, contact, pose);
}

bool nc_islands_is_small(const nc_islands *islands, const uint8_t *role, const nc_contact *contact)
{
    return islands->size.data[islands->of.data[nc_finite_row(role, contact)]] <= NC_RESOLVE_MAX_BODIES;
}

nc_code nc_step_choose_idle(nc_step *step, const nc_pose *pose, nc_error *err)
{
    nc_workspace *w = step->work;
    const int rows = step->world->state.bodies.count;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    nc_code code =
        nc_islands_update(&w->islands, w->role, step->world->state.bodies.count, &w->contacts, &w->allocator, err);
    if (code == NC_OK && (!nc_array_reserve(&w->allocator, &w->islands.idle, w->contacts.count) ||
                          !nc_array_reserve(&w->allocator, &w->islands.size, rows)))
        code = nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for %d contacts", w->contacts.count);
    if (code != NC_OK)
        return code;
    w->islands.idle.count = w->contacts.count;
    for (int i = 0; i < rows; i++)
        w->islands.size.data[i] = 0;
    for (int i = 0; i < rows; i++)
        w->islands.size.data[w->islands.of.data[i]]++;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        w->islands.idle.data[k] =
            nc_islands_is_small(&w->islands, w->role, contact) && is_idle(&w->near, step->dt, &bodies, contact, pose);
    }
    return NC_OK;
}

int nc_step_activate(nc_step *step, const nc_pose *pose)
{
    nc_workspace *w = step->work;
    const nc_solver_bodies bodies = nc_step_solver_bodies(step);
    int count = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        const nc_contact *contact = &w->contacts.data[k];
        if (!w->islands.idle.data[k] || stays_apart(&w->near, step->dt, &bodies, contact, pose))
            continue;
        w->islands.idle.data[k] = 0;
        *nc_islands_mark(&w->islands, w->role, contact) = 1;
        count++;
    }
    return count;
}

nc_code nc_step_gather_active(nc_step *step, bool marked_only, nc_error *err)
{
    nc_workspace *w = step->work;
    w->batch.count = 0;
    nc_step_skip_unmarked(step, marked_only);
    for (int k = 0; k < w->contacts.count; k++) {
        const int island = w->islands.of.data[nc_finite_row(w->role, &w->contacts.data[k])];
        if (w->islands.idle.data[k] || (marked_only && !w->islands.marked.data[island]))
            continue;
        if (!nc_array_push(&w->allocator, &w->batch, w->contacts.data[k]))
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for contacts");
    }
    return NC_OK;
}

void nc_step_scatter_active(nc_step *step, bool marked_only)
{
    nc_workspace *w = step->work;
    int at = 0;
    for (int k = 0; k < w->contacts.count; k++) {
        const int island = w->islands.of.data[nc_finite_row(w->role, &w->contacts.data[k])];
        if (w->islands.idle.data[k])
            w->contacts.data[k].impulse = nc_v3(0, 0, 0);
        else if (!marked_only || w->islands.marked.data[island])
            w->contacts.data[k].impulse = w->batch.data[at++].impulse;
    }
}
