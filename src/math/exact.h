// Whole numbers large enough for determinants of doubles, without any rounding. Private to src/math.
//
// The last resort of the predicates: slow by the standards of doubles (some hundreds of nanoseconds for ordinary
// coordinates), but exact for all finite doubles whatever their sizes.
#ifndef NC_MATH_EXACT_H
#define NC_MATH_EXACT_H

#include "base/base.h"

// Every finite double is a whole number of 2^-1074. In that unit a coordinate has at most 2098 bits, a difference
// 2099 (66 limbs), a difference of products of two 4199 (132 limbs), a product of three 6298 (198 limbs written), a
// sum of them one limb more. nc_whole_set writes up to two limbs past the number.
#define NC_WHOLE_LIMBS 200

typedef struct nc_whole {
    int sign;  // -1, 0, 1
    int count; // limbs in use; the last one is not 0
    uint32_t limb[NC_WHOLE_LIMBS];
} nc_whole;

// The exponent e for which every value given is a whole number of 2^e. 0 when all are 0.
int nc_whole_unit(const double *values, int count);
// a / 2^unit; unit as above.
void nc_whole_set(nc_whole *out, double a, int unit);
// The results must not be the arguments.
void nc_whole_subtract(nc_whole *out, const nc_whole *a, const nc_whole *b);
void nc_whole_multiply(nc_whole *out, const nc_whole *a, const nc_whole *b);

#endif
