// Matrices of 6x6 blocks that are not symmetric, but have the structure of a symmetric one: block LU in the order and
// with the blocks of a Cholesky plan. Not for other folders.
#ifndef NC_CONTACT_BLOCK_LU_H
#define NC_CONTACT_BLOCK_LU_H

#include "contact/block_cholesky.h"

// Factors in place. `lower` is laid out as the plan's factor (diagonal blocks included); `upper` too, its diagonal
// blocks are not used: block (row, column) of it is that of row `column` and column `row` of the matrix. Pivots are
// chosen inside diagonal blocks only. False: one has no inverse, or is not finite.
bool nc_lu_factor(const nc_cholesky_plan *plan, double *lower, double *upper);
// Solves in place; x is by column of the plan.
void nc_lu_solve(const nc_cholesky_plan *plan, const double *lower, const double *upper, double *x);

#endif
