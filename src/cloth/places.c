// Vertices along an axis.
#include "cloth/places.h"

static bool place_less(const void *a, const void *b, const void *ctx)
{
    const nc_cloth_place *p = a, *q = b;
    const int axis = *(const int *)ctx;
    const double s = axis == 0 ? p->x.x : axis == 1 ? p->x.y : p->x.z;
    const double t = axis == 0 ? q->x.x : axis == 1 ? q->x.y : q->x.z;
    return s != t ? s < t : p->vertex < q->vertex;
}

static int longest_axis(const nc_cloth_place *places, int count)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < count; i++)
        box = nc_box_add(box, places[i].x);
    const nc_vec3 d = nc_sub(box.hi, box.lo);
    return d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
}

bool nc_cloth_places_sort(nc_cloth_place *places, int count, const nc_allocator *allocator)
{
    const int axis = longest_axis(places, count);
    return nc_sort(allocator, places, (size_t)count, sizeof *places, place_less, &axis);
}
