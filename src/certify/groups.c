// Groups of bodies that move as one.
#include "certify/state.h"

void nc_groups_begin(nc_groups *groups, const nc_certify_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++) {
        groups->parent[i] = i;
        groups->next[i] = i;
        groups->finite[i] = bodies->role[i] == NC_ROLE_FREE;
        groups->still[i] = bodies->role[i] == NC_ROLE_FIXED;
    }
}

int nc_groups_root(const nc_groups *groups, int i)
{
    while (groups->parent[i] != i)
        i = groups->parent[i];
    return i;
}

int nc_groups_join(nc_groups *groups, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    const int next = groups->next[low];
    groups->next[low] = groups->next[high];
    groups->next[high] = next;
    groups->parent[high] = low;
    return low;
}
