// Whole numbers large enough for determinants of doubles, without any rounding. Private to src/math.
//
// The last resort of the predicates: slow by the standards of doubles (some hundreds of nanoseconds for ordinary
// coordinates), but exact for all finite doubles whatever their sizes.
#ifndef NC_MATH_EXACT_H
#define NC_MATH_EXACT_H

#include "base/base.h"

// A double counts units of its last place; all doubles together span 2^-1074 .. 2^1024, a difference 2099 bits,
// a product of three differences 6297 bits, a sum of six of those 6300 bits.
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
