// Which groups of a large island a sweep visits.
//
// In a pile most contacts are solved long before the last: after a third of the sweeps one group in ten still asks for
// a speed that matters, and sweeps over all groups serve these few. So sweeps over all take turns with sweeps over the
// groups that asked for much in the last of them. The impulses of the others stay what they are, so the velocities are
// always those that all impulses make, and what an island is judged by comes from sweeps over all groups.
#include "contact/solver.h"

void nc_wide_choose_all(const nc_wide_sweeps *wide)
{
    for (int g = 0; g < wide->group_count; g++)
        wide->chosen[g] = g;
    for (int s = 0; s < wide->slot_count; s++)
        wide->moving[s] = s;
    for (int p = 0; p < wide->part_count; p++) {
        wide->parts[p].last = wide->parts[p].end;
        wide->parts[p].slot_last = wide->parts[p].slot_end;
    }
}

static void mark_bodies(const nc_wide_sweeps *wide, const nc_wide *group)
{
    for (int l = 0; l < NC_LANES; l++)
        wide->moving[group->a[l]] = wide->moving[group->b[l]] = 1;
}

// The bodies of the chosen groups. Places are filled from the front, behind the marks that are read.
static void choose_bodies(const nc_wide_sweeps *wide)
{
    for (int s = 0; s < wide->slot_count; s++)
        wide->moving[s] = 0;
    for (int p = 0; p < wide->part_count; p++)
        for (int i = wide->parts[p].begin; i < wide->parts[p].last; i++)
            mark_bodies(wide, &wide->groups[wide->chosen[i]]);
    for (int p = 0; p < wide->part_count; p++) {
        nc_wide_part *part = &wide->parts[p];
        part->slot_last = part->slot_begin;
        for (int s = part->slot_begin; s < part->slot_end; s++)
            if (wide->moving[s])
                wide->moving[part->slot_last++] = s;
    }
}

static int contacts_in(const nc_wide_sweeps *wide, const nc_wide *group)
{
    int count = 0;
    for (int l = 0; l < NC_LANES; l++)
        count += group->a[l] != wide->slot_count || group->b[l] != wide->slot_count;
    return count;
}

int nc_wide_choose_busy(const nc_wide_sweeps *wide, double speed)
{
    int chosen = 0, left_out = 0;
    for (int p = 0; p < wide->part_count; p++) {
        nc_wide_part *part = &wide->parts[p];
        part->last = part->begin;
        for (int g = part->begin; g < part->end; g++) {
            if (nc_lanes_any(wide->groups[g].asked > nc_lanes_all(speed)))
                wide->chosen[part->last++] = g;
            else
                left_out += contacts_in(wide, &wide->groups[g]);
        }
        chosen += part->last - part->begin;
    }
    if (chosen > 0 && chosen <= NC_LOCAL_MAX_SHARE * wide->group_count) {
        choose_bodies(wide);
        return left_out;
    }
    nc_wide_choose_all(wide);
    return 0;
}
