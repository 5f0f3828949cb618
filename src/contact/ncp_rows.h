// Rows of the complementarity problem, for the files of the solver only.
//
// A row of J has twelve non-zeros: a direction for the linear velocities of both bodies, and arm x direction for the
// angular ones. A row of T = M^-1 J^T has them too. The solver keeps V = V* + T lambda up to date (eq. 33), so that
// w_i = b_i + A_i lambda is a row of J times V (eq. 31, 32), and A is never formed.
#ifndef NC_CONTACT_NCP_ROWS_H
#define NC_CONTACT_NCP_ROWS_H

#include "contact/ncp.h"

#include "base/base.h"

typedef struct nc_ncp_slot {
    nc_vec3 v, w; // velocities, or displacements
} nc_ncp_slot;

typedef struct nc_ncp_row {
    int a, b;                      // slots
    nc_vec3 direction;             // of the row
    nc_vec3 lever_a, lever_b;      // [m] arm x direction
    nc_vec3 spin_a, spin_b;        // I^-1 lever; 0 for who does not move
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

// w_i: what the row's velocity is above its target.
static inline double nc_ncp_row_speed(const nc_ncp_row *row, const nc_ncp_slot *slots)
{
    const nc_ncp_slot *a = &slots[row->a], *b = &slots[row->b];
    return nc_dot(row->direction, nc_sub(a->v, b->v)) + nc_dot(row->lever_a, a->w) - nc_dot(row->lever_b, b->w) -
           row->target;
}

// V += T_i step (eq. 33). Who does not move keeps its bits.
static inline void nc_ncp_row_push(const nc_ncp_row *row, nc_ncp_slot *slots, double step)
{
    nc_ncp_slot *a = &slots[row->a], *b = &slots[row->b];
    if (row->inv_mass_a > 0) {
        a->v = nc_madd(a->v, step * row->inv_mass_a, row->direction);
        a->w = nc_madd(a->w, step, row->spin_a);
    }
    if (row->inv_mass_b > 0) {
        b->v = nc_madd(b->v, -step * row->inv_mass_b, row->direction);
        b->w = nc_madd(b->w, -step, row->spin_b);
    }
}

// Who moves in a solve: finite, and not held by the layer.
static inline bool nc_ncp_moves(const nc_solver_bodies *bodies, const nc_layer *layer, int body)
{
    return bodies->inv_mass[body] > 0 && (layer == NULL || layer->height[body] > layer->index);
}

// The row of a contact along `direction`. lambda and target are 0.
nc_ncp_row nc_ncp_row_build(const nc_solver_bodies *bodies, const nc_layer *layer, const nc_contact *contact,
                            nc_vec3 direction);

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
