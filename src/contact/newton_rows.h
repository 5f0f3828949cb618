// What both of Newton's methods do with an island's contacts: newton.c (convex passes) and newton_coulomb.c. Not for
// other files.
#ifndef NC_CONTACT_NEWTON_ROWS_H
#define NC_CONTACT_NEWTON_ROWS_H

#include <stddef.h>
#include <string.h>

#include "contact/solver.h"

static inline bool nc_newton_moves(const nc_newton_contact *c)
{
    return c->a >= 0 || c->b >= 0;
}

static inline double nc_dot6(const double *p, const double *q)
{
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] + p[4] * q[4] + p[5] * q[5];
}

// The rows' part of a vector of velocities.
static inline void nc_newton_read_rows(const nc_newton_contact *c, const double *y, double out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = 0;
        if (c->a >= 0)
            out[r] += nc_dot6(c->ja[r], y + 6 * c->a);
        if (c->b >= 0)
            out[r] += nc_dot6(c->jb[r], y + 6 * c->b);
    }
}

// Adds J^T l.
static inline void nc_newton_add_rows(const nc_newton_contact *c, const double l[3], double *y)
{
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < 6 && c->a >= 0; i++)
            y[6 * c->a + i] += l[r] * c->ja[r][i];
        for (int i = 0; i < 6 && c->b >= 0; i++)
            y[6 * c->b + i] += l[r] * c->jb[r][i];
    }
}

// Where an off-diagonal or diagonal block is in an array laid out as the plan's factor. row >= column.
static inline size_t nc_newton_block(const nc_newton *newton, int column, int row)
{
    return (size_t)36 * (size_t)nc_cholesky_block_at(&newton->plan, column, row);
}
// Zero, and 1 on the diagonal: the mass matrix in scaled velocities.
void nc_newton_clear_blocks(const nc_newton *newton);

// Scaled bodies, and rows from blocks. False when a body cannot be scaled.
bool nc_newton_load(nc_newton *newton, const nc_sweeps *sweeps, const nc_velocity_change *before);
// Relative velocities less targets, from y.
void nc_newton_velocities(const nc_newton *newton);
// Impulses into the cone or pyramid that their normal parts allow.
void nc_newton_clip(const nc_newton *newton);
// y = y0 + J^T lambda. Returns the residual [m/s] of these impulses and velocities, with a compliance.
double nc_newton_residual(const nc_newton *newton, const nc_sweeps *sweeps, double compliance);
// Begins a pass: a proximal term of weight `rho` [K] that pulls to the impulses there are.
void nc_newton_begin_pass(const nc_newton *newton, const nc_sweeps *sweeps, double rho, double compliance);
// [m/s] what the vector g is as a velocity of a contact point.
double nc_newton_gradient_speed(const nc_newton *newton);
// [m/s] rounding of g: that of velocities, which weights turn into impulses.
double nc_newton_rounding(const nc_newton *newton, double weight);
// Copies impulses from one member of all contacts to another.
void nc_newton_copy(const nc_newton *newton, size_t to, size_t from);
#define NC_NEWTON_COPY(newton, to, from)                                                                               \
    nc_newton_copy(newton, offsetof(nc_newton_contact, to), offsetof(nc_newton_contact, from))

// From the impulses in `lambda` to the best ones found, in `best`, by Coulomb's law as it is (newton_coulomb.c).
// Returns their residual [m/s], with the compliance. Adds to task->iterations, sets task->stalled.
double nc_newton_coulomb(const nc_newton *newton, const nc_sweeps *sweeps, double compliance, nc_newton_task *task);

#endif
