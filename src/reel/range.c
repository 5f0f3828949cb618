// Some frames of a run.
#include "reel/reel.h"

bool nc_frame_range_resolve(const nc_frame_range *range, int64_t count, int64_t *first, int64_t *last)
{
    *first = range->given ? range->first : 0;
    *last = range->given ? range->last : -1;
    *first += *first < 0 ? count : 0;
    *last += *last < 0 ? count : 0;
    if (*first < 0)
        *first = 0;
    if (*last > count - 1)
        *last = count - 1;
    return *first <= *last;
}
