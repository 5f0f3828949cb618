// Whole numbers large enough for determinants of doubles, without any rounding. Private to src/math.
//
// The last resort of the predicates: slow by the standards of doubles (some hundreds of nanoseconds for ordinary
// coordinates), but exact for all finite doubles whatever their sizes.
#ifndef NC_MATH_EXACT_H
#define NC_MATH_EXACT_H

#include "base/base.h"

// Every finite double is a whole number of 2^-1126 (53 bits below the leading one of the smallest subnormal), so in
// that unit a coordinate has at most 2150 bits, a difference 2151 (68 limbs), a product of two and a difference of
// such 4303 (135 limbs), a product of three 6454; a product of a 135-limb and a 68-limb number writes 203 limbs, a
// sum one more.
#define NC_WHOLE_LIMBS 204

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
