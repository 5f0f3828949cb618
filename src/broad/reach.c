// Which boxes a broad phase has to see when most bodies stay where they are.
#include "broad/broad.h"

static bool is_proper(const nc_box *box)
{
    return box->lo.x <= box->hi.x && box->lo.y <= box->hi.y && box->lo.z <= box->hi.z;
}

// False for a box with a NaN.
static bool are_apart(const nc_box *a, const nc_box *b)
{
    return a->lo.x > b->hi.x || b->lo.x > a->hi.x || a->lo.y > b->hi.y || b->lo.y > a->hi.y || a->lo.z > b->hi.z ||
           b->lo.z > a->hi.z;
}

const nc_box *nc_broad_within_reach(const nc_box *boxes, const uint8_t *kind, int count, nc_box *shown)
{
    nc_box around = nc_box_empty();
    for (int i = 0; i < count; i++) {
        if (kind[i] == NC_BROAD_NOBODY || kind[i] == NC_BROAD_STAYS)
            continue;
        if (!is_proper(&boxes[i]))
            return boxes; // it may be anywhere
        around = nc_box_union(around, boxes[i]);
    }
    for (int i = 0; i < count; i++)
        shown[i] = kind[i] == NC_BROAD_STAYS && are_apart(&boxes[i], &around) ? nc_box_empty() : boxes[i];
    return shown;
}
