// Rows of the complementarity problem, for the files of the solver only.
//
// A row of J has twelve non-zeros: a direction for the linear velocities of both bodies, and arm x direction for the
// angular ones. A row of T = M^-1 J^T has them too. The solver keeps V = V* + T lambda up to date (eq. 33), so that
// w_i = b_i + A_i lambda is a row of J times V (eq. 31, 32), and A is never formed.
//
// Velocities and rows are stored component by component, that of a linear vector beside that of an angular one, so that
// a processor works on both at once: sums and products are those of nc_dot and nc_madd, to the bit.
#ifndef NC_CONTACT_NCP_ROWS_H
#define NC_CONTACT_NCP_ROWS_H

#include "contact/ncp.h"

#include "base/base.h"
#include "math/math.h"

// Two vectors, component by component.
typedef struct nc_ncp_pairs {
    double c[3][2];
} nc_ncp_pairs;

static inline nc_ncp_pairs nc_ncp_pairs_of(nc_vec3 first, nc_vec3 second)
{
    return (nc_ncp_pairs){{{first.x, second.x}, {first.y, second.y}, {first.z, second.z}}};
}
static inline nc_vec3 nc_ncp_first(const nc_ncp_pairs *p)
{
    return nc_v3(p->c[0][0], p->c[1][0], p->c[2][0]);
}
static inline nc_vec3 nc_ncp_second(const nc_ncp_pairs *p)
{
    return nc_v3(p->c[0][1], p->c[1][1], p->c[2][1]);
}

// v and w: velocities, or displacements.
typedef nc_ncp_pairs nc_ncp_slot;

typedef struct nc_ncp_row {
    int a, b;                      // slots
    nc_ncp_pairs read_a, read_b;   // direction of the row, and lever [m]: arm x direction
    nc_ncp_pairs push_a, push_b;   // direction, and spin: I^-1 lever; 0 for who does not move
    double inv_mass_a, inv_mass_b; // [1/kg] 0 for who does not move
    double diagonal;               // [1/kg] A_ii
    double inverse;                // [kg] 1/A_ii; 0: nothing can move, the row is left alone
    double target;                 // wanted lower bound of J V; 0 for friction
    double friction;               // [1] of the contact
    double lambda;                 // [N s] or [kg m]
} nc_ncp_row;

// Rows of one group of bodies that push each other: three a contact (normal, two tangents), or one. Groups share
// nothing that a solve writes.
typedef struct nc_ncp_problem {
    nc_ncp_slot *slots;
    nc_ncp_row *rows;
    int contact_count;
    int stride; // rows per contact: 3 or 1
} nc_ncp_problem;

// What became of a group.
typedef struct nc_ncp_fate {
    int iterations;
    double residual, stop;
    double factor; // [1] of the clamp
    double work;   // [J] of infinite bodies
} nc_ncp_fate;

struct nc_ncp {
    nc_allocator allocator;
    NC_ARRAY(nc_ncp_slot) slots;          // by body
    NC_ARRAY(nc_ncp_row) rows;            // three a contact, by place in `order`
    NC_ARRAY(nc_velocity_change) changes; // by place in `members`
    NC_ARRAY(int) parent;                 // by body: union-find of those that push each other in this solve
    NC_ARRAY(int) place;                  // by body: in `members`; -1: not there
    NC_ARRAY(int) members;                // bodies that this solve moves, group after group
    NC_ARRAY(int) found;                  // the same as they were found
    NC_ARRAY(int) group_of;               // by body that is the root of its group
    NC_ARRAY(int) group_begin;            // by group and one more: in `members`
    NC_ARRAY(int) order;                  // contacts of this solve, group after group, in their own order inside one
    NC_ARRAY(int) contact_begin;          // by group and one more: in `order`
    NC_ARRAY(nc_ncp_fate) fates;          // by group
};

// Fills members, their places, their groups and the contacts of each; returns the number of groups. Contacts between
// bodies that do not move are in none. nc_ncp_forget_members undoes it.
int nc_ncp_find_members(nc_ncp *ncp, const nc_ncp_world *world, const nc_layer *layer);
void nc_ncp_forget_members(nc_ncp *ncp);
// The contacts of a solve: how many, and which the k-th is.
static inline int nc_ncp_contact_count(const nc_ncp_world *world, const nc_layer *layer)
{
    return layer != NULL ? layer->contact_count : world->count;
}
static inline int nc_ncp_contact(const nc_layer *layer, int k)
{
    return layer != NULL ? layer->contacts[k] : k;
}
// Adds what became of the groups of one solve.
void nc_ncp_add_report(const nc_ncp *ncp, int groups, nc_ncp_report *report);
// A layer of a tower is not worth waking threads for.
static inline int nc_ncp_workers(const nc_ncp *ncp, int groups, const nc_ncp_settings *settings)
{
    return ncp->contact_begin.data[groups] < NC_EFFORT_NCP_CONTACTS ? 1 : settings->workers;
}

// The slots of a contact's two bodies while its rows take turns: in registers where they are worked on.
typedef struct nc_ncp_ends {
    nc_two_lanes a[3], b[3];
} nc_ncp_ends;

NC_INLINE nc_ncp_ends nc_ncp_ends_load(const nc_ncp_row *row, const nc_ncp_slot *slots)
{
    nc_ncp_ends ends;
    for (int i = 0; i < 3; i++) {
        ends.a[i] = nc_two_lanes_load(slots[row->a].c[i]);
        ends.b[i] = nc_two_lanes_load(slots[row->b].c[i]);
    }
    return ends;
}

NC_INLINE void nc_ncp_slot_store(nc_ncp_slot *slot, const nc_two_lanes v[3])
{
    for (int i = 0; i < 3; i++)
        nc_two_lanes_store(slot->c[i], v[i]);
}

// Who does not move keeps its bits, and may be read by other groups meanwhile: it is not written.
NC_INLINE void nc_ncp_ends_store(const nc_ncp_row *row, const nc_ncp_ends *ends, nc_ncp_slot *slots)
{
    if (row->inv_mass_a > 0)
        nc_ncp_slot_store(&slots[row->a], ends->a);
    if (row->inv_mass_b > 0)
        nc_ncp_slot_store(&slots[row->b], ends->b);
}

NC_INLINE nc_two_lanes nc_ncp_pairs_dot(const nc_ncp_pairs *p, const nc_two_lanes v[3])
{
    return nc_two_lanes_load(p->c[0]) * v[0] + nc_two_lanes_load(p->c[1]) * v[1] + nc_two_lanes_load(p->c[2]) * v[2];
}

// w_i: what the row's velocity is above its target: direction . (v_a - v_b) + lever_a . w_a - lever_b . w_b - target.
NC_INLINE double nc_ncp_row_speed(const nc_ncp_row *row, const nc_ncp_ends *ends)
{
    nc_two_lanes apart[3];
    for (int i = 0; i < 3; i++)
        apart[i] = nc_two_lanes_sub_first(ends->a[i], ends->b[i]);
    const nc_two_lanes a = nc_ncp_pairs_dot(&row->read_a, apart), b = nc_ncp_pairs_dot(&row->read_b, ends->b);
    return a[0] + a[1] - b[1] - row->target;
}

// V += T_i step (eq. 33). Who does not move keeps its bits.
NC_INLINE void nc_ncp_row_push(const nc_ncp_row *row, nc_ncp_ends *ends, double step)
{
    const nc_two_lanes a = {step * row->inv_mass_a, step}, b = {-step * row->inv_mass_b, -step};
    for (int i = 0; i < 3 && row->inv_mass_a > 0; i++)
        ends->a[i] += a * nc_two_lanes_load(row->push_a.c[i]);
    for (int i = 0; i < 3 && row->inv_mass_b > 0; i++)
        ends->b[i] += b * nc_two_lanes_load(row->push_b.c[i]);
}

// Who moves in a solve: finite, and not held by the layer.
static inline bool nc_ncp_moves(const nc_solver_bodies *bodies, const nc_layer *layer, int body)
{
    return bodies->inv_mass[body] > 0 && (layer == NULL || layer->height[body] > layer->index);
}

// Writes the row of a contact along `direction`. lambda and target are 0.
void nc_ncp_row_build(const nc_solver_bodies *bodies, const nc_layer *layer, const nc_contact *contact,
                      nc_vec3 direction, nc_ncp_row *out);

// One pass over all rows, in the order of contacts or backwards; returns the most that a row asked for, as a velocity.
// By one of the copies, for tests: all give the same bits.
double nc_ncp_sweep(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma, bool backward);
double nc_ncp_sweep_by(nc_copy copy, const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma,
                       bool backward);
// What the damping of eq. 41 adds to a row's diagonal.
static inline double nc_ncp_extra(const nc_ncp_row *row, const nc_ncp_settings *settings, double gamma)
{
    return settings->scaling ? gamma * row->diagonal : gamma;
}

// Iterates; returns how many iterations there were. *residual: most that a row asked for in the last one.
// `stop`: enough when no row asks for more.
int nc_ncp_iterate(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double stop, double *residual,
                   nc_merit_trace *trace);
// The largest violation, and the speed that counts as solved.
double nc_ncp_stop(const nc_ncp_problem *problem, const nc_ncp_settings *settings);

// theta = |H|^2 / 2, H = lambda - P(lambda - w), P the nearest point of the allowed set (eq. 37, 38; for bounds the two
// are the same), for the system with damping `gamma`.
double nc_ncp_merit(const nc_ncp_problem *problem, const nc_ncp_settings *settings, double gamma);

#endif
