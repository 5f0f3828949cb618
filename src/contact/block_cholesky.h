// Sparse Cholesky factorisation of a symmetric positive definite matrix of 6x6 blocks. Not for other folders.
//
// The order is by minimum degree: next comes the node with the fewest neighbours among those that are left, the lowest
// number first, and its neighbours become neighbours of each other. Neighbours are bits, so that a step of that is a
// few words per node. No memory of its own: the caller gives what nc_cholesky_plan says it needs.
#ifndef NC_CONTACT_BLOCK_CHOLESKY_H
#define NC_CONTACT_BLOCK_CHOLESKY_H

#include "base/base.h"

#define NC_BLOCK 6

// Structure of the factor: column j has its diagonal block first, then those of rows[begin[j]], ... in ascending order.
typedef struct nc_cholesky_plan {
    int count;        // nodes
    int block_count;  // of the factor, diagonal ones included
    int64_t flops;    // additions and multiplications of one factorisation, about
    const int *place; // [count]     of a node: its column
    const int *begin; // [count + 1] into rows; block begin[j] + j is the diagonal one of column j
    const int *rows;  // [block_count - count] columns that blocks below the diagonal belong to as rows
} nc_cholesky_plan;

// Words of bits, and integers, that planning needs for so many nodes.
size_t nc_cholesky_bit_words(int count);
// Sets the bits of an edge; a node is no neighbour of itself. The bits are 0 before the first.
void nc_cholesky_connect(uint64_t *bits, int count, int a, int b);
// Finds order, blocks and flops; destroys the bits. `place` and `degree` have room for `count`. False: more than
// `flop_limit`, and nothing of the plan holds. Without rows: nc_cholesky_rows needs to know first how many there are.
bool nc_cholesky_order(uint64_t *bits, int count, int64_t flop_limit, int *place, int *degree, nc_cholesky_plan *plan);
// The columns' rows, into `begin` [count + 1] and `rows` [block_count - count]. `bits` and `degree` as the call before
// left them: of each node the neighbours that came after it, and how many.
void nc_cholesky_rows(const uint64_t *bits, const int *degree, nc_cholesky_plan *plan, int *begin, int *rows);

// Where the block of column `column` and row `row` >= `column` is, in a matrix laid out as the plan's factor: blocks
// one after the other, each of them row by row.
int nc_cholesky_block_at(const nc_cholesky_plan *plan, int column, int row);
// Factors in place: lower triangles. False: a pivot is not positive, or not finite.
bool nc_cholesky_factor(const nc_cholesky_plan *plan, double *blocks);
// Solves in place; x is by column of the plan.
void nc_cholesky_solve(const nc_cholesky_plan *plan, const double *blocks, double *x);

#endif
