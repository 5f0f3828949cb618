// Breaking by level sets is not there: bodies that cannot be cut stay whole and say so.
#include "fracture/break.h"

#include <stdio.h>

nc_code nc_break_by_level(nc_breaker *b, bool *out_good, nc_error *err)
{
    (void)err;
    *out_good = false;
    (void)snprintf(b->out->why_whole, sizeof b->out->why_whole, "only closed meshes that do not cross themselves break");
    return NC_OK;
}

nc_code nc_draw_by_level(nc_breaker *b, nc_part *part, nc_error *err)
{
    (void)b;
    (void)part;
    (void)err;
    return NC_OK;
}

void nc_meet_by_level(nc_breaker *b, int part)
{
    (void)b;
    (void)part;
}
