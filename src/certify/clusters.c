// Clusters of bodies: English 4.2, eq. 5 to 14, as docs/theory/failsafe.md derives them.
#include "certify/group_motion.h"
#include "certify/state.h"

struct nc_clusters {
    nc_allocator allocator;
    int capacity;
    const nc_certify_bodies *bodies;
    nc_vec3 *v, *w; // [m/s], [rad/s] by row
    double dt;      // [s]
    nc_groups groups;
    nc_cluster *cluster; // of a root
    nc_segment *base;    // of each row: its motion when its kinematic cluster was formed
};

static const nc_table_column row_columns[] = {
    NC_COLUMN(nc_clusters, groups.parent),
    NC_COLUMN(nc_clusters, groups.next),
    NC_COLUMN(nc_clusters, cluster),
    NC_COLUMN(nc_clusters, base),
};
#define ROW_COLUMNS ((int)(sizeof row_columns / sizeof *row_columns))

static bool reserve_rows(nc_clusters *c, int count)
{
    return nc_columns_renew(c, &c->capacity, count, row_columns, ROW_COLUMNS, &c->allocator);
}

nc_code nc_clusters_create(const nc_allocator *allocator, nc_clusters **out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = nc_alloc(&memory, 1, sizeof **out);
    if (*out == NULL)
        return nc_fail_memory(err, sizeof **out);
    (*out)->allocator = memory;
    return NC_OK;
}

void nc_clusters_destroy(nc_clusters *c)
{
    if (c == NULL)
        return;
    const nc_allocator memory = c->allocator;
    nc_columns_free(c, &c->capacity, row_columns, ROW_COLUMNS, &memory);
    nc_free(&memory, c, 1, sizeof *c);
}

// ---- properties, eq. 5 to 7 ----------------------------------------------------------------------------------

// The inverse of a symmetric positive matrix, by cofactors; 0 when there is none.
static nc_mat3 inverse_of(const nc_mat3 *m)
{
    const nc_mat3 zero = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    const nc_vec3 c0 = nc_cross(m->row[1], m->row[2]), c1 = nc_cross(m->row[2], m->row[0]);
    const nc_vec3 c2 = nc_cross(m->row[0], m->row[1]);
    const double scale = 1.0 / nc_dot(m->row[0], c0);
    nc_mat3 inverse = {{nc_scale(scale, c0), nc_scale(scale, c1), nc_scale(scale, c2)}};
    // Symmetric to the bit, as the solvers want it.
    inverse.row[1].x = inverse.row[0].y;
    inverse.row[2].x = inverse.row[0].z;
    inverse.row[2].y = inverse.row[1].z;
    const bool finite = nc_finite3(inverse.row[0]) && nc_finite3(inverse.row[1]) && nc_finite3(inverse.row[2]);
    return finite ? inverse : zero;
}

// Members' inertia about `x` (eq. 7), and their angular momentum about it.
static nc_mat3 inertia_about(const nc_clusters *c, int root, nc_vec3 x, nc_vec3 *angular)
{
    const nc_certify_bodies *bodies = c->bodies;
    nc_mat3 sum = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    *angular = nc_v3(0, 0, 0);
    int i = root;
    do {
        const nc_pose start = bodies->path[i].start;
        const nc_vec3 arm = nc_sub(start.x, x);
        const nc_mat3 own = nc_world_inertia(&bodies->inertia[i], start.q);
        const nc_mat3 far = nc_point_inertia(bodies->mass[i], arm);
        nc_mat3_add_to(&sum, &own);
        nc_mat3_add_to(&sum, &far);
        *angular = nc_add(*angular, nc_mat3_mul(own, c->w[i]));
        *angular = nc_madd(*angular, bodies->mass[i], nc_cross(arm, c->v[i]));
        i = c->groups.next[i];
    } while (i != root);
    return sum;
}

// Eq. 5 to 8: mass, centre and inertia of the members, and the velocity with their momentum and angular momentum.
static void weigh(const nc_clusters *c, int root, nc_cluster *out)
{
    const nc_certify_bodies *bodies = c->bodies;
    double mass = 0;
    nc_vec3 moment = {0, 0, 0}, momentum = {0, 0, 0}, angular;
    int i = root;
    do {
        mass += bodies->mass[i];
        moment = nc_madd(moment, bodies->mass[i], bodies->path[i].start.x);
        momentum = nc_madd(momentum, bodies->mass[i], c->v[i]);
        i = c->groups.next[i];
    } while (i != root);
    out->inv_mass = 1.0 / mass;
    out->x = nc_scale(out->inv_mass, moment);
    out->v = nc_scale(out->inv_mass, momentum);
    const nc_mat3 inertia = inertia_about(c, root, out->x, &angular);
    out->inv_inertia = inverse_of(&inertia);
    out->w = nc_mat3_mul(out->inv_inertia, angular);
}

// A cluster that a static or scripted member carries along.
static void load(const nc_clusters *c, nc_cluster *out)
{
    const nc_mat3 zero = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    out->inv_mass = 0;
    out->inv_inertia = zero;
    out->x = c->bodies->path[out->carrier].start.x;
    out->v = c->v[out->carrier];
    out->w = c->w[out->carrier];
}

nc_code nc_clusters_begin(nc_clusters *c, const nc_certify_bodies *bodies, nc_vec3 *v, nc_vec3 *w, double dt,
                          nc_error *err)
{
    if (!reserve_rows(c, bodies->count))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for clusters of %d bodies", bodies->count);
    c->bodies = bodies;
    c->v = v;
    c->w = w;
    c->dt = dt;
    for (int i = 0; i < bodies->count; i++) {
        c->groups.parent[i] = c->groups.next[i] = i;
        if (bodies->role[i] == NC_ROLE_ABSENT)
            continue;
        nc_cluster *alone = &c->cluster[i];
        *alone = (nc_cluster){.kind = NC_CLUSTER_SINGLE, .size = 1, .carrier = -1};
        if (bodies->role[i] != NC_ROLE_FREE)
            alone->carrier = i;
        if (alone->carrier < 0)
            weigh(c, i, alone);
        else
            load(c, alone);
    }
    return NC_OK;
}

int nc_clusters_root(const nc_clusters *c, int row)
{
    return nc_groups_root(&c->groups, row);
}

int nc_clusters_next(const nc_clusters *c, int row)
{
    return c->groups.next[row];
}

const nc_cluster *nc_clusters_view(const nc_clusters *c, int root)
{
    return &c->cluster[root];
}

nc_vec3 nc_clusters_center(const nc_clusters *c, int root, double t)
{
    const nc_cluster *cluster = &c->cluster[root];
    return cluster->carrier >= 0 ? nc_path_pose(&c->bodies->path[cluster->carrier], t).x
                                 : nc_madd(cluster->x, t * c->dt, cluster->v);
}

// ---- velocities, eq. 10 and 14 -------------------------------------------------------------------------------

// Eq. 10: the cluster's velocity where each member is.
static void spread(nc_clusters *c, int root)
{
    const nc_cluster *cluster = &c->cluster[root];
    int i = root;
    do {
        if (c->bodies->role[i] == NC_ROLE_FREE) {
            const nc_vec3 arm = nc_sub(c->bodies->path[i].start.x, cluster->x);
            c->v[i] = nc_add(cluster->v, nc_cross(cluster->w, arm));
            c->w[i] = cluster->w;
        }
        i = c->groups.next[i];
    } while (i != root);
}

void nc_clusters_push(nc_clusters *c, int root, nc_vec3 dv, nc_vec3 dw)
{
    nc_cluster *cluster = &c->cluster[root];
    if (cluster->carrier >= 0)
        return;
    cluster->v = nc_add(cluster->v, dv);
    cluster->w = nc_add(cluster->w, dw);
    if (cluster->kind == NC_CLUSTER_FULL) {
        spread(c, root);
        return;
    }
    int i = root;
    do { // eq. 14
        const nc_vec3 arm = nc_sub(c->bodies->path[i].start.x, cluster->x);
        c->v[i] = nc_add(c->v[i], nc_add(dv, nc_cross(dw, arm)));
        c->w[i] = nc_add(c->w[i], dw);
        i = c->groups.next[i];
    } while (i != root);
}

// ---- motions, eq. 9 and 13 -----------------------------------------------------------------------------------

// Eq. 9: everybody on the very same segments.
static void propose_full(const nc_clusters *c, int root)
{
    const nc_cluster *cluster = &c->cluster[root];
    nc_path common = {.count = 1};
    if (cluster->carrier >= 0)
        common = c->bodies->path[cluster->carrier];
    else
        common.segments[0] =
            (nc_segment){.a = cluster->x, .d = nc_scale(c->dt, cluster->v), .theta = nc_scale(c->dt, cluster->w)};
    int i = root;
    do {
        nc_path *path = &c->bodies->path[i];
        path->count = common.count;
        for (int k = 0; k < common.count; k++)
            path->segments[k] = common.segments[k];
        i = c->groups.next[i];
    } while (i != root);
}

static bool is_zero(nc_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// One rotation vector for R(eps) R(theta). Their sum where they turn so far that the shorter way is another one.
static nc_vec3 turn_of(const nc_segment *s)
{
    if (is_zero(s->eps) || is_zero(s->theta) || nc_norm(s->theta) + nc_norm(s->eps) > 3)
        return nc_add(s->theta, s->eps);
    return nc_quat_rotation_vector(
        nc_quat_mul(nc_quat_from_rotation_vector(s->eps), nc_quat_from_rotation_vector(s->theta)));
}

// Eq. 13: what the pushes since the cluster was formed make of a member's motion. The pose at the end is exact, and so
// is the orientation on the way; the place on the way is on a straight line.
static nc_segment carried(const nc_clusters *c, const nc_cluster *cluster, const nc_segment *base)
{
    nc_segment s = *base;
    if (is_zero(cluster->w)) {
        s.d = nc_madd(base->d, c->dt, nc_sub(cluster->v, cluster->v_base));
        return s;
    }
    const nc_vec3 turn = nc_scale(c->dt, cluster->w);
    const nc_vec3 before = nc_madd(cluster->x, c->dt, cluster->v_base), now = nc_madd(cluster->x, c->dt, cluster->v);
    const nc_vec3 arm = nc_sub(nc_add(base->a, base->d), before);
    const nc_vec3 end = nc_add(now, nc_mat3_mul(nc_quat_matrix(nc_quat_from_rotation_vector(turn)), arm));
    s.d = nc_sub(end, base->a);
    s.theta = turn_of(base);
    s.eps = turn;
    return s;
}

static void propose_kinematic(const nc_clusters *c, int root)
{
    const nc_cluster *cluster = &c->cluster[root];
    if (cluster->carrier >= 0)
        return; // nothing pushes it: members continue as they were
    int i = root;
    do {
        c->bodies->path[i].segments[0] = carried(c, cluster, &c->base[i]);
        i = c->groups.next[i];
    } while (i != root);
}

void nc_clusters_propose(nc_clusters *c, int root)
{
    if (c->cluster[root].kind == NC_CLUSTER_FULL)
        propose_full(c, root);
    else if (c->cluster[root].kind == NC_CLUSTER_KINEMATIC)
        propose_kinematic(c, root);
}

// ---- merging -------------------------------------------------------------------------------------------------

// Eq. 11 and 12: where members' own motions take the centre of mass. The cluster itself does not turn.
static void take_motion(nc_clusters *c, int root)
{
    nc_cluster *cluster = &c->cluster[root];
    nc_vec3 way = {0, 0, 0};
    int i = root;
    do {
        c->base[i] = c->bodies->path[i].segments[0];
        const nc_path *path = &c->bodies->path[i];
        way = nc_madd(way, c->bodies->mass[i], nc_sub(nc_path_pose(path, 1.0).x, path->start.x));
        i = c->groups.next[i];
    } while (i != root);
    cluster->v = cluster->v_base = nc_scale(cluster->inv_mass / c->dt, way);
    cluster->w = nc_v3(0, 0, 0);
}

int nc_clusters_merge(nc_clusters *c, int a, int b, nc_cluster_kind kind)
{
    const int carrier_a = c->cluster[a].carrier, carrier_b = c->cluster[b].carrier;
    const uint8_t *role = c->bodies->role;
    const bool both = carrier_a >= 0 && carrier_b >= 0;
    if (both && !(role[carrier_a] == NC_ROLE_FIXED && role[carrier_b] == NC_ROLE_FIXED))
        return -1;
    nc_cluster merged = {.kind = kind, .size = c->cluster[a].size + c->cluster[b].size};
    merged.carrier = both ? (carrier_a < carrier_b ? carrier_a : carrier_b) : carrier_a >= 0 ? carrier_a : carrier_b;
    const int root = nc_groups_join(&c->groups, a, b);
    if (merged.carrier >= 0)
        load(c, &merged);
    else
        weigh(c, root, &merged);
    c->cluster[root] = merged;
    if (kind == NC_CLUSTER_FULL) {
        spread(c, root);
        propose_full(c, root);
    } else if (merged.carrier < 0) {
        take_motion(c, root);
    }
    return root;
}
