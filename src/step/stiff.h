// Inside step only: light bodies under large forces, which solvers see with more inertia. See stiff.c.
#ifndef NC_STEP_STIFF_H
#define NC_STEP_STIFF_H

#include "world/world.h"

typedef struct nc_step nc_step;

// What a solve did to an island with its true inertias.
typedef struct nc_stiff_sum {
    double first, second; // [J] <V, dV> and |dV|^2 in the norm of the masses
    double work;          // [J] that bodies of infinite mass gave
    int stiff;            // bodies whose inertia was raised
} nc_stiff_sum;

// Raises inertias in work->inv_inertia where contact forces turn a body faster than the step.
void nc_step_stiffen(nc_step *step, nc_solve_kind kind);
// Islands (work->islands) with such a body gained no more energy, with the inertias that bodies have, than what is of
// infinite mass gave: clamps the change since nc_step_remember_velocities and the impulses in work->contacts. Returns
// how many islands needed it.
int nc_step_clamp_stiff(nc_step *step);

#endif
