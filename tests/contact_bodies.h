// Bodies and contacts for tests of the contact solvers, with masses kept beside their inverses for the oracles.
#ifndef NC_TESTS_CONTACT_BODIES_H
#define NC_TESTS_CONTACT_BODIES_H

#include "check.h"

#include "contact/contact.h"

#define MAX_BODIES   4096
#define MAX_CONTACTS 32768

typedef struct body_set {
    int count, contact_count;
    double mass[MAX_BODIES]; // 0: infinite
    nc_mat3 inertia[MAX_BODIES];
    double inv_mass[MAX_BODIES];
    nc_mat3 inv_inertia[MAX_BODIES];
    nc_vec3 x[MAX_BODIES], v[MAX_BODIES], w[MAX_BODIES];
    nc_pose pose[MAX_BODIES]; // as the solvers see x
    nc_contact contacts[MAX_CONTACTS];
} body_set;

static inline body_set *body_set_create(void)
{
    body_set *c = calloc(1, sizeof *c);
    assert_non_null(c);
    return c;
}

static inline nc_solver_bodies body_set_bodies(body_set *c)
{
    for (int i = 0; i < c->count; i++)
        c->pose[i] = (nc_pose){c->x[i], nc_quat_identity()};
    const nc_solver_bodies bodies = {c->count, c->inv_mass, c->inv_inertia, c->v, c->w, c->pose, NULL};
    return bodies;
}

static inline nc_mat3 turned_diagonal(nc_quat q, nc_vec3 d)
{
    const nc_mat3 r = nc_quat_matrix(q);
    nc_mat3 m;
    for (int i = 0; i < 3; i++) {
        const nc_vec3 scaled = nc_v3(r.row[i].x * d.x, r.row[i].y * d.y, r.row[i].z * d.z);
        m.row[i] = nc_v3(nc_dot(scaled, r.row[0]), nc_dot(scaled, r.row[1]), nc_dot(scaled, r.row[2]));
    }
    return m;
}

// Mass 0: infinite. Returns the row.
static inline int body_set_add(body_set *c, double mass, nc_vec3 moments, nc_quat q, nc_vec3 x)
{
    assert_true(c->count < MAX_BODIES);
    const int i = c->count++;
    c->x[i] = x;
    c->v[i] = c->w[i] = nc_v3(0, 0, 0);
    c->mass[i] = c->inv_mass[i] = 0;
    memset(&c->inv_inertia[i], 0, sizeof c->inv_inertia[i]);
    if (mass > 0) {
        c->mass[i] = mass;
        c->inv_mass[i] = 1.0 / mass;
        c->inertia[i] = turned_diagonal(q, moments);
        c->inv_inertia[i] = turned_diagonal(q, nc_v3(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z));
    }
    return i;
}

// A box of uniform density with edges `size`, axes along the world's.
static inline int body_set_add_box(body_set *c, double mass, nc_vec3 size, nc_vec3 x)
{
    const double s = mass / 12.0;
    const nc_vec3 moments = nc_v3(s * (size.y * size.y + size.z * size.z), s * (size.x * size.x + size.z * size.z),
                                  s * (size.x * size.x + size.y * size.y));
    return body_set_add(c, mass, moments, nc_quat_identity(), x);
}

static inline nc_contact *body_set_touch(body_set *c, int a, int b, nc_vec3 point, nc_vec3 normal, double friction,
                                         double restitution)
{
    assert_true(c->contact_count < MAX_CONTACTS);
    nc_contact *k = &c->contacts[c->contact_count++];
    memset(k, 0, sizeof *k);
    k->a = a;
    k->b = b;
    k->arm_a = nc_sub(point, c->x[a]);
    k->arm_b = nc_sub(point, c->x[b]);
    k->normal = normal;
    k->friction = friction;
    k->restitution = restitution;
    return k;
}

// The four corners of a square of side `side` in the plane z, centred on (x, y).
static inline void body_set_touch_square(body_set *c, int a, int b, double side, nc_vec3 at, double friction)
{
    for (int i = 0; i < 4; i++) {
        const nc_vec3 corner = nc_v3((i & 1) ? side / 2 : -side / 2, (i & 2) ? side / 2 : -side / 2, 0);
        body_set_touch(c, a, b, nc_add(at, corner), nc_v3(0, 0, 1), friction, 0);
    }
}

// A column of n unit cubes of 1 kg on a fixed ground (row 0), falling at `speed`.
static inline void body_set_stack(body_set *c, int n, double speed, double friction)
{
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    for (int i = 0; i < n; i++) {
        const int box = body_set_add_box(c, 1, nc_v3(1, 1, 1), nc_v3(0, 0, i + 0.5));
        c->v[box] = nc_v3(0, 0, -speed);
        body_set_touch_square(c, box, box - 1, 1, nc_v3(0, 0, i), friction);
    }
}

static inline double body_set_energy(const body_set *c)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->mass[i] > 0)
            sum += 0.5 * c->mass[i] * nc_norm2(c->v[i]) + 0.5 * nc_dot(c->w[i], nc_mat3_mul(c->inertia[i], c->w[i]));
    }
    return sum;
}

static inline nc_vec3 body_set_momentum(const body_set *c)
{
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        sum = nc_madd(sum, c->mass[i], c->v[i]);
    return sum;
}

static inline nc_vec3 body_set_angular_momentum(const body_set *c)
{
    nc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++) {
        if (c->mass[i] > 0)
            sum = nc_add(sum,
                         nc_add(nc_scale(c->mass[i], nc_cross(c->x[i], c->v[i])), nc_mat3_mul(c->inertia[i], c->w[i])));
    }
    return sum;
}

// Of all 6 n numbers.
static inline uint64_t body_set_hash(const body_set *c)
{
    uint64_t hash = nc_hash(NC_HASH_START, c->v, (size_t)c->count * sizeof *c->v);
    hash = nc_hash(hash, c->w, (size_t)c->count * sizeof *c->w);
    for (int i = 0; i < c->contact_count; i++)
        hash = nc_hash(hash, &c->contacts[i].impulse, sizeof c->contacts[i].impulse);
    return hash;
}

static inline nc_vec3 random_vector(nc_random *random, double size)
{
    const double x = nc_random_range(random, -size, size), y = nc_random_range(random, -size, size);
    return nc_v3(x, y, nc_random_range(random, -size, size));
}

static inline nc_vec3 random_unit(nc_random *random)
{
    for (;;) {
        const nc_vec3 v = random_vector(random, 1);
        if (nc_norm2(v) > 0.01 && nc_norm2(v) <= 1)
            return nc_scale(1.0 / nc_norm(v), v);
    }
}

static inline nc_quat random_turn(nc_random *random)
{
    const nc_vec3 v = random_vector(random, 1);
    return nc_quat_normalize(nc_q4(nc_random_range(random, 0.1, 1), v.x, v.y, v.z));
}

// A body of random mass, shape, place and velocity; infinite with probability `infinite`.
static inline int body_set_add_random(body_set *c, nc_random *random, double infinite)
{
    const bool fixed = nc_random_unit(random) < infinite;
    const double mass = nc_random_range(random, 0.1, 10);
    const nc_vec3 size =
        nc_v3(nc_random_range(random, 0.1, 2), nc_random_range(random, 0.1, 2), nc_random_range(random, 0.1, 2));
    const double s = mass / 12.0;
    const nc_vec3 moments = nc_v3(s * (size.y * size.y + size.z * size.z), s * (size.x * size.x + size.z * size.z),
                                  s * (size.x * size.x + size.y * size.y));
    const nc_quat q = random_turn(random);
    const int i = body_set_add(c, fixed ? 0 : mass, moments, q, random_vector(random, 2));
    c->v[i] = random_vector(random, 3);
    c->w[i] = random_vector(random, 3);
    return i;
}

// `n` random bodies, `m` random contacts between them.
static inline void body_set_fill_random(body_set *c, nc_random *random, int n, int m, double infinite, double friction)
{
    for (int i = 0; i < n; i++)
        body_set_add_random(c, random, infinite);
    for (int k = 0; k < m; k++) {
        const int a = (int)(nc_random_u64(random) % (uint64_t)n);
        const int b = (int)((unsigned)(a + 1 + (int)(nc_random_u64(random) % (uint64_t)(n - 1))) % (unsigned)n);
        const nc_vec3 middle = nc_scale(0.5, nc_add(c->x[a], c->x[b]));
        const nc_vec3 point = nc_add(middle, random_vector(random, 0.5));
        body_set_touch(c, a, b, point, random_unit(random), friction * nc_random_unit(random), nc_random_unit(random));
    }
}

#endif
