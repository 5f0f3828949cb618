// Sort and sweep over boxes.
#include "broad/broad.h"

typedef struct entry {
    double lo, hi; // extent along the sweep axis
    int box;
} entry;

static double along(nc_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The axis on which the centres' coordinates spread most (sum of squared distances from their mean).
static int widest_axis(const nc_box *boxes, int count)
{
    double best = -1;
    int best_axis = 0;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0, sum2 = 0;
        for (int i = 0; i < count; i++) {
            const double c = 0.5 * along(boxes[i].lo, axis) + 0.5 * along(boxes[i].hi, axis);
            sum += c;
            sum2 += c * c;
        }
        const double spread = sum2 - sum * sum / count;
        if (spread > best) {
            best = spread;
            best_axis = axis;
        }
    }
    return best_axis;
}

static bool entry_less(const void *a, const void *b, const void *ctx)
{
    const entry *p = a, *q = b;
    (void)ctx;
    return p->lo < q->lo || (p->lo == q->lo && p->box < q->box);
}

static bool pair_less(const void *a, const void *b, const void *ctx)
{
    const nc_pair *p = a, *q = b;
    (void)ctx;
    return p->a < q->a || (p->a == q->a && p->b < q->b);
}

static bool is_empty(nc_box box)
{
    return !(box.lo.x <= box.hi.x && box.lo.y <= box.hi.y && box.lo.z <= box.hi.z);
}

static int fill_entries(entry *entries, const nc_box *boxes, int count, int axis)
{
    int used = 0;
    for (int i = 0; i < count; i++)
        if (!is_empty(boxes[i]))
            entries[used++] = (entry){along(boxes[i].lo, axis), along(boxes[i].hi, axis), i};
    return used;
}

static bool sweep(const entry *entries, int count, const nc_box *boxes, const nc_allocator *allocator, nc_pairs *out)
{
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count && entries[j].lo <= entries[i].hi; j++) {
            const int p = entries[i].box, q = entries[j].box;
            if (!nc_box_overlap(boxes[p], boxes[q]))
                continue;
            const nc_pair pair = {p < q ? p : q, p < q ? q : p};
            if (!nc_array_push(allocator, out, pair))
                return false;
        }
    }
    return true;
}

nc_code nc_broad_overlaps(const nc_box *boxes, int count, const nc_allocator *allocator, nc_pairs *out, nc_error *err)
{
    out->count = 0;
    if (count < 2)
        return NC_OK;
    entry *entries = nc_alloc(allocator, (size_t)count, sizeof *entries);
    if (entries == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *entries);
    const int used = fill_entries(entries, boxes, count, widest_axis(boxes, count));
    const bool done = nc_sort(allocator, entries, (size_t)used, sizeof *entries, entry_less, NULL) &&
                      sweep(entries, used, boxes, allocator, out) &&
                      nc_sort(allocator, out->data, (size_t)out->count, sizeof *out->data, pair_less, NULL);
    nc_free(allocator, entries, (size_t)count, sizeof *entries);
    return done ? NC_OK : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the pairs of %d boxes", count);
}

void nc_pairs_free(nc_pairs *pairs, const nc_allocator *allocator)
{
    nc_array_free(allocator, pairs);
}
