// Eigenvalues of dense matrices, row after row. For matrices of some hundred rows.
#ifndef NC_BENCH_DENSE_EIGEN_H
#define NC_BENCH_DENSE_EIGEN_H

#include <stdbool.h>

// Of a symmetric matrix, ascending. Destroys `a`.
void nc_eigen_symmetric(double *a, int n, double *out);
// Of any real matrix: real and imaginary parts, in no order. Destroys `a`. False when an eigenvalue did not converge.
bool nc_eigen_general(double *a, int n, double *re, double *im);

#endif
