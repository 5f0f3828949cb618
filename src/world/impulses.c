// Impulses of resting contacts that the next step's solvers start from.
#include "world/world.h"

bool nc_kept_less(const nc_kept_impulse *a, const nc_kept_impulse *b)
{
    if (a->a != b->a)
        return a->a < b->a;
    if (a->b != b->b)
        return a->b < b->b;
    if (a->feature.kind != b->feature.kind)
        return a->feature.kind < b->feature.kind;
    return a->feature.a != b->feature.a ? a->feature.a < b->feature.a : a->feature.b < b->feature.b;
}

static void forget(nc_kept_impulses *kept, int row)
{
    int count = 0;
    for (int k = 0; k < kept->count; k++)
        if (kept->data[k].a != row && kept->data[k].b != row)
            kept->data[count++] = kept->data[k];
    kept->count = count;
}

void nc_state_forget_impulses(nc_state *state, int row)
{
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        forget(&state->kept[solve], row);
        forget(&state->resting[solve], row);
    }
}
