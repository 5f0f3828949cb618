// Step 5, between dynamic contact and certify: English's failsafe (4.2, Algorithm 3) as one more proposer. Pairs of
// bodies that still collide become clusters, until nothing meets but what is left to certify. Every pair that is worked
// on ends in a merge, so there are fewer of them than bodies.
#include "step/step.h"

void nc_failsafe_free(nc_failsafe_work *failsafe, const nc_allocator *allocator)
{
    nc_clusters_destroy(failsafe->clusters);
    nc_array_free(allocator, &failsafe->due);
    nc_array_free(allocator, &failsafe->busy);
}

// Two clusters as two bodies. Their velocities are those that the members which meet have where they collide.
typedef struct two_bodies {
    double inv_mass[2];
    nc_mat3 inv_inertia[2];
    nc_vec3 v[2], w[2];
} two_bodies;

static nc_solver_bodies as_solver_bodies(two_bodies *two)
{
    return (nc_solver_bodies){2, two->inv_mass, two->inv_inertia, two->v, two->w, NULL, NULL};
}

// Body `side` becomes a cluster, a member of which moves with v and w [m/s], [rad/s], `offset` [m] from its centre.
static void put_cluster(two_bodies *two, int side, const nc_cluster *cluster, nc_vec3 offset, nc_vec3 v, nc_vec3 w)
{
    two->inv_mass[side] = cluster->inv_mass;
    two->inv_inertia[side] = cluster->inv_inertia;
    two->w[side] = w;
    two->v[side] = nc_sub(v, nc_cross(w, offset));
}

// Contacts of rows become those of bodies 0 and 1, with arms to their centres; `offset` [m] is from there to the row's.
static void move_contacts(nc_contact_list *contacts, int side, nc_vec3 offset)
{
    for (int k = 0; k < contacts->count; k++) {
        nc_contact *contact = &contacts->data[k];
        nc_vec3 *arm = side == 0 ? &contact->arm_a : &contact->arm_b;
        *arm = nc_add(*arm, offset);
        *(side == 0 ? &contact->a : &contact->b) = side;
    }
}

static bool changed(nc_vec3 before, nc_vec3 after)
{
    return nc_norm2(nc_sub(after, before)) > 0;
}

// Solves the contacts in work->contacts, of rows hit->i and hit->j, as contacts of their clusters.
static nc_code push_apart(nc_step *step, const nc_collision *hit, nc_vec3 x_i, nc_vec3 x_j, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    two_bodies two;
    for (int side = 0; side < 2; side++) {
        const int i = side == 0 ? hit->i : hit->j, root = nc_clusters_root(w->failsafe.clusters, i);
        const nc_vec3 x = nc_clusters_center(w->failsafe.clusters, root, hit->toi);
        const nc_vec3 offset = nc_sub(side == 0 ? x_i : x_j, x);
        put_cluster(&two, side, nc_clusters_view(w->failsafe.clusters, root), offset, w->v[i], w->w[i]);
        move_contacts(&w->contacts, side, offset);
    }
    const two_bodies before = two;
    const nc_solver_bodies bodies = as_solver_bodies(&two);
    nc_aim_contacts(&w->near, &w->arcs, step->dt, &bodies, hit->toi, &w->contacts);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.friction = step->world->settings.friction_model;
    settings.iterations = NC_SEPARATE_PAIR_SWEEPS;
    settings.clamp = false; // these velocities are thrown away
    const nc_code code =
        nc_separate_patch(w->solver, &bodies, w->contacts.data, w->contacts.count, &settings, NULL, err);
    for (int side = 0; code == NC_OK && side < 2; side++) {
        if (!changed(before.v[side], two.v[side]) && !changed(before.w[side], two.w[side]))
            continue;
        *done = true;
        nc_clusters_push(w->failsafe.clusters, nc_clusters_root(w->failsafe.clusters, side == 0 ? hit->i : hit->j),
                         nc_sub(two.v[side], before.v[side]), nc_sub(two.w[side], before.w[side]));
    }
    return code;
}

// The patch that meets, else the features that met. *done is false when neither approaches, or nobody can give way.
static nc_code respond(nc_step *step, const nc_collision *hit, bool *done, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_path *path = step->world->candidates.path;
    const nc_pose pose_i = nc_path_pose(&path[hit->i], hit->toi), pose_j = nc_path_pose(&path[hit->j], hit->toi);
    const double slack = NC_PATCH_SLACK_RESTS * nc_world_common_rest(step->world, hit->i, hit->j);
    *done = false;
    w->contacts.count = 0;
    nc_code code = nc_near_patch(&w->near, hit, pose_i, pose_j, slack, &w->contacts, err);
    if (code == NC_OK)
        code = push_apart(step, hit, pose_i.x, pose_j.x, done, err);
    if (code != NC_OK || *done)
        return code;
    w->contacts.count = 0;
    code = nc_near_feature(&w->near, hit, pose_i, pose_j, &w->contacts, err);
    return code == NC_OK && w->contacts.count > 0 ? push_apart(step, hit, pose_i.x, pose_j.x, done, err) : code;
}

// ---- proposals -----------------------------------------------------------------------------------------------

// A member's path that is not fit to be one keeps the whole cluster where it is, on one and the same segment.
static void hold(const nc_clusters *clusters, nc_path *path, int root)
{
    const nc_path still = nc_path_still(path[root].start);
    int i = root;
    do {
        path[i].count = 1;
        path[i].segments[0] = still.segments[0];
        i = nc_clusters_next(clusters, i);
    } while (i != root);
}

static bool is_fit(const nc_world *world, int i)
{
    nc_path path = world->candidates.path[i];
    uint8_t fault = 0;
    nc_judge_path(world, i, &path, &fault);
    return fault == 0;
}

static bool all_fit(const nc_world *world, const nc_clusters *clusters, const uint8_t *role, int root)
{
    bool fit = true;
    int i = root;
    do {
        fit = fit && (!nc_row_is_free(role, i) || is_fit(world, i));
        i = nc_clusters_next(clusters, i);
    } while (i != root);
    return fit;
}

// Tells the certifier that the members' proposals are new ones.
static nc_code record(nc_step *step, int root, nc_error *err)
{
    nc_workspace *w = step->work;
    if (nc_clusters_view(w->failsafe.clusters, root)->carrier < 0 &&
        !all_fit(step->world, w->failsafe.clusters, w->role, root)) // a carrier's path has been judged
        hold(w->failsafe.clusters, step->world->candidates.path, root);
    nc_code code = NC_OK;
    int i = root;
    do {
        if (w->role[i] == NC_ROLE_FREE) {
            step->world->candidates.flags[i] |= NC_STEP_PUSHED;
            code = nc_certify_change(w->motions, i, err);
        }
        i = nc_clusters_next(w->failsafe.clusters, i);
    } while (code == NC_OK && i != root);
    return code;
}

// Makes the cluster's present velocity its members' proposals.
static nc_code take_proposal(nc_step *step, int root, nc_error *err)
{
    const nc_cluster *cluster = nc_clusters_view(step->work->failsafe.clusters, root);
    if (cluster->carrier >= 0)
        return NC_OK;
    if (cluster->kind == NC_CLUSTER_SINGLE)
        return nc_step_take_proposal(step, root, err);
    nc_clusters_propose(step->work->failsafe.clusters, root);
    return record(step, root, err);
}

// ---- pairs of clusters ---------------------------------------------------------------------------------------

// The first meeting between two clusters; its toi is 1 when there is none.
static nc_collision first_collision(const nc_clusters *clusters, const nc_collision *collisions, int count, int a,
                                    int b)
{
    for (int k = 0; k < count; k++) {
        const int i = nc_clusters_root(clusters, collisions[k].i), j = nc_clusters_root(clusters, collisions[k].j);
        if (!collisions[k].undecided && ((i == a && j == b) || (i == b && j == a)) && collisions[k].toi < 1)
            return collisions[k];
    }
    return (nc_collision){.toi = 1};
}

// Pushes the two clusters of `hit` apart; *resolved when nothing of one meets anything of the other.
static nc_code try_to_resolve(nc_step *step, const nc_collision *hit, bool *resolved, nc_error *err)
{
    nc_workspace *w = step->work;
    const nc_clusters *clusters = w->failsafe.clusters;
    const int a = nc_clusters_root(clusters, hit->i), b = nc_clusters_root(clusters, hit->j);
    nc_collision next = *hit;
    nc_code code = NC_OK;
    *resolved = false;
    for (int k = 0; code == NC_OK && k < NC_FAILSAFE_PAIR_PUSHES && !*resolved; k++) {
        bool done;
        code = respond(step, &next, &done, err);
        if (code != NC_OK || !done)
            return code;
        code = take_proposal(step, a, err);
        if (code == NC_OK)
            code = take_proposal(step, b, err);
        if (code == NC_OK)
            code = nc_certify_refresh(w->motions, err);
        const int count = code == NC_OK ? nc_collisions_read(&w->collisions, w->motions, &w->allocator) : 0;
        if (count < 0)
            return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the failsafe");
        next = first_collision(clusters, w->collisions.data, count, a, b);
        *resolved = code == NC_OK && next.toi >= 1;
    }
    return code;
}

// All members of a full cluster are on the same segments: the certifier need not look between them.
static void join(const nc_clusters *clusters, nc_certifier *motions, int root)
{
    for (int i = nc_clusters_next(clusters, root); i != root; i = nc_clusters_next(clusters, i))
        nc_certify_join(motions, root, i);
}

// Marks both clusters' members, so that they wait for the next pass.
static void mark(nc_failsafe_work *failsafe, int root)
{
    int i = root;
    do {
        failsafe->busy.data[i] = 1;
        i = nc_clusters_next(failsafe->clusters, i);
    } while (i != root);
}

static nc_code merge(nc_step *step, const nc_collision *hit, nc_cluster_kind kind, bool *merged, nc_error *err)
{
    nc_workspace *w = step->work;
    const int a = nc_clusters_root(w->failsafe.clusters, hit->i), b = nc_clusters_root(w->failsafe.clusters, hit->j);
    const int root = nc_clusters_merge(w->failsafe.clusters, a, b, kind);
    *merged = root >= 0;
    if (root < 0)
        return NC_OK; // two scripts: one of them will be halted
    mark(&w->failsafe, root);
    if (kind == NC_CLUSTER_KINEMATIC)
        return NC_OK; // its members' motions are what they were
    const nc_code code = record(step, root, err);
    if (code != NC_OK)
        return code;
    join(w->failsafe.clusters, w->motions, root);
    return nc_certify_refresh(w->motions, err);
}

static nc_code treat(nc_step *step, const nc_collision *hit, bool *merged, nc_error *err)
{
    const nc_clusters *clusters = step->work->failsafe.clusters;
    const nc_cluster *a = nc_clusters_view(clusters, nc_clusters_root(clusters, hit->i));
    const nc_cluster *b = nc_clusters_view(clusters, nc_clusters_root(clusters, hit->j));
    const bool movable = a->carrier < 0 || b->carrier < 0;
    bool resolved = false;
    nc_code code = NC_OK;
    if (movable && step->world->settings.failsafe == NC_FAILSAFE_KINEMATIC)
        code = try_to_resolve(step, hit, &resolved, err);
    if (code != NC_OK)
        return code;
    return merge(step, hit, resolved ? NC_CLUSTER_KINEMATIC : NC_CLUSTER_FULL, merged, err);
}

// ---- passes --------------------------------------------------------------------------------------------------

static bool is_due(const nc_failsafe_work *failsafe, const nc_pose *pose, const nc_collision *hit)
{
    const nc_clusters *clusters = failsafe->clusters;
    return !hit->undecided && nc_clusters_root(clusters, hit->i) != nc_clusters_root(clusters, hit->j) &&
           !failsafe->busy.data[hit->i] && !failsafe->busy.data[hit->j] && nc_within_reach(pose[hit->i], pose[hit->j]);
}

// Every meeting of clusters that were not changed in this pass, by time.
static nc_code one_pass(nc_step *step, int *merges, nc_error *err)
{
    nc_workspace *w = step->work;
    const int count = nc_collisions_read(&w->collisions, w->motions, &w->allocator),
              rows = step->world->state.bodies.count;
    if (count < 0 || !nc_array_reserve(&w->allocator, &w->failsafe.due, count) ||
        !nc_array_reserve(&w->allocator, &w->failsafe.busy, rows))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the failsafe");
    for (int i = 0; i < rows; i++)
        w->failsafe.busy.data[i] = 0;
    for (int k = 0; k < count; k++) // meetings are read again while pairs are tried
        w->failsafe.due.data[k] = w->collisions.data[k];
    *merges = 0;
    nc_code code = NC_OK;
    for (int k = 0; code == NC_OK && k < count; k++) {
        bool merged = false;
        if (is_due(&w->failsafe, step->world->state.bodies.pose, &w->failsafe.due.data[k]))
            code = treat(step, &w->failsafe.due.data[k], &merged, err);
        *merges += merged;
    }
    return code;
}

static void count_clusters(const nc_clusters *clusters, const uint8_t *role, int rows, nc_step_report *report)
{
    for (int i = 0; i < rows; i++) {
        if (role[i] == NC_ROLE_ABSENT || nc_clusters_root(clusters, i) != i)
            continue;
        const nc_cluster_kind kind = nc_clusters_view(clusters, i)->kind;
        report->kinematic_clusters += kind == NC_CLUSTER_KINEMATIC;
        report->full_clusters += kind == NC_CLUSTER_FULL;
    }
}

nc_code nc_step_failsafe(nc_step *step, nc_error *err)
{
    nc_workspace *w = step->work;
    nc_collision first;
    if (step->world->settings.failsafe == NC_FAILSAFE_NONE)
        return NC_OK;
    nc_code code = nc_certify_refresh(w->motions, err); // the last pass may have left void verdicts
    if (code != NC_OK || nc_certify_collisions(w->motions, &first, 1) == 0)
        return code;
    if (w->failsafe.clusters == NULL)
        code = nc_clusters_create(&w->allocator, &w->failsafe.clusters, err);
    if (code == NC_OK)
        code = nc_clusters_begin(w->failsafe.clusters, &step->motions, w->v, w->w, step->dt, err);
    for (int merges = 1; code == NC_OK && merges > 0;)
        code = one_pass(step, &merges, err);
    if (code == NC_OK)
        count_clusters(w->failsafe.clusters, w->role, step->world->state.bodies.count, &step->report);
    return code;
}
