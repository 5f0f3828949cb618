// A heap of certificates by (tick, id) in which any entry can be moved.
#include "cloth/kinetic.h"

static bool earlier(const nc_queue *q, int a, int b)
{
    return q->tick.data[a] != q->tick.data[b] ? q->tick.data[a] < q->tick.data[b] : a < b;
}

static void put(nc_queue *q, int place, int id)
{
    q->heap.data[place] = id;
    q->place.data[id] = place;
}

static void move_up(nc_queue *q, int place, int id)
{
    while (place > 0 && earlier(q, id, q->heap.data[(place - 1) / 2])) {
        put(q, place, q->heap.data[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(q, place, id);
}

static void move_down(nc_queue *q, int place, int id)
{
    for (;;) {
        int child = 2 * place + 1;
        if (child >= q->heap.count)
            break;
        if (child + 1 < q->heap.count && earlier(q, q->heap.data[child + 1], q->heap.data[child]))
            child++;
        if (!earlier(q, q->heap.data[child], id))
            break;
        put(q, place, q->heap.data[child]);
        place = child;
    }
    put(q, place, id);
}

static void remove_at(nc_queue *q, int place)
{
    const int last = q->heap.data[--q->heap.count];
    if (place == q->heap.count)
        return;
    move_up(q, place, last);
    move_down(q, q->place.data[last], last);
}

bool nc_queue_reserve(nc_queue *queue, const nc_allocator *allocator, int ids)
{
    if (!nc_array_reserve(allocator, &queue->heap, ids) || !nc_array_reserve(allocator, &queue->tick, ids) ||
        !nc_array_reserve(allocator, &queue->place, ids))
        return false;
    for (; queue->tick.count < ids; queue->tick.count++)
        queue->tick.data[queue->tick.count] = INT64_MAX;
    return true;
}

void nc_queue_free(nc_queue *queue, const nc_allocator *allocator)
{
    nc_array_free(allocator, &queue->heap);
    nc_array_free(allocator, &queue->tick);
    nc_array_free(allocator, &queue->place);
}

void nc_queue_set(nc_queue *queue, int id, int64_t tick)
{
    const int64_t before = queue->tick.data[id];
    queue->tick.data[id] = tick;
    if (before == tick)
        return;
    if (tick == INT64_MAX) {
        remove_at(queue, queue->place.data[id]);
    } else if (before == INT64_MAX) {
        move_up(queue, queue->heap.count++, id);
    } else if (tick < before) {
        move_up(queue, queue->place.data[id], id);
    } else {
        move_down(queue, queue->place.data[id], id);
    }
}

int nc_queue_first(const nc_queue *queue)
{
    return queue->heap.count > 0 ? queue->heap.data[0] : -1;
}
