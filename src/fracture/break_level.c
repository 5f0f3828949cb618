#include "fracture/break.h"
nc_code nc_break_by_level(nc_breaker *b, bool *g, nc_error *e)
{
    (void)b;
    (void)e;
    *g = false;
    return NC_OK;
}
nc_code nc_draw_by_level(nc_breaker *b, nc_part *p, nc_error *e)
{
    (void)b;
    (void)e;
    (void)p;
    return NC_OK;
}
void nc_meet_by_level(nc_breaker *b, int p)
{
    (void)b;
    (void)p;
}
