// The broad phase with boxes of any doubles, in any order of changes, against brute force.
//
// The input is a list of changes: a byte that says which body, then six numbers of one byte or, after a byte 255,
// eight. A body byte of 0 stands for "all boxes again".
#include "fuzz.h"

#include "broad/broad.h"

#define BODY_MAX 64

typedef struct cursor {
    const uint8_t *next;
    size_t left;
} cursor;

static uint8_t take_byte(cursor *c)
{
    if (c->left == 0)
        return 0;
    c->left--;
    return *c->next++;
}

// Few bytes reach the numbers that matter; eight reach all.
static double take_number(cursor *c)
{
    static const double few[] = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 1e-300, 5e-324, 1e18, 4e18, 1 + 0x1p-52};
    const uint8_t b = take_byte(c);
    if (b == 255 && c->left >= 8) {
        double x;
        memcpy(&x, c->next, 8);
        c->next += 8;
        c->left -= 8;
        return x;
    }
    return b >= 240 && b < 250 ? few[b - 240] : (b - 120) / 8.0;
}

static bool has_nan(nc_box b)
{
    return isnan(b.lo.x) || isnan(b.lo.y) || isnan(b.lo.z) || isnan(b.hi.x) || isnan(b.hi.y) || isnan(b.hi.z);
}

static bool is_empty(nc_box b)
{
    return !has_nan(b) && (b.lo.x > b.hi.x || b.lo.y > b.hi.y || b.lo.z > b.hi.z);
}

static bool meet(nc_box a, nc_box b)
{
    return !is_empty(a) && !is_empty(b) && (has_nan(a) || has_nan(b) || nc_box_overlap(a, b));
}

static void check_pairs(nc_broad *broad, const nc_box *boxes, int count, nc_pairs *pairs)
{
    int next = 0;
    FUZZ_PROMISE(nc_broad_pairs(broad, pairs, NULL) == NC_OK);
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            if (meet(boxes[a], boxes[b])) {
                FUZZ_PROMISE(next < pairs->count && pairs->data[next].a == a && pairs->data[next].b == b);
                next++;
            }
    FUZZ_PROMISE(next == pairs->count);
}

static void check_partners(const nc_broad *broad, const nc_box *boxes, int count, int body, nc_body_list *list)
{
    int next = 0;
    FUZZ_PROMISE(nc_broad_partners(broad, body, list, NULL) == NC_OK);
    for (int b = 0; b < count; b++)
        if (b != body && meet(boxes[body], boxes[b])) {
            FUZZ_PROMISE(next < list->count && list->data[next] == b);
            next++;
        }
    FUZZ_PROMISE(next == list->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const nc_allocator allocator = nc_allocator_default();
    cursor c = {bytes, size};
    nc_box boxes[BODY_MAX];
    int count = 0;
    nc_broad *broad = NULL;
    nc_pairs pairs = {NULL, 0, 0};
    nc_body_list list = {NULL, 0, 0};
    FUZZ_PROMISE(nc_broad_create(NULL, 1, &broad, NULL) == NC_OK);
    while (c.left > 0) {
        const uint8_t which = take_byte(&c);
        if (which == 0) {
            FUZZ_PROMISE(nc_broad_set(broad, boxes, count, NULL) == NC_OK);
            check_pairs(broad, boxes, count, &pairs);
            continue;
        }
        const int body = (which - 1) % (count < BODY_MAX ? count + 1 : count);
        count = body == count ? count + 1 : count;
        boxes[body].lo.x = take_number(&c);
        boxes[body].lo.y = take_number(&c);
        boxes[body].lo.z = take_number(&c);
        boxes[body].hi.x = take_number(&c);
        boxes[body].hi.y = take_number(&c);
        boxes[body].hi.z = take_number(&c);
        FUZZ_PROMISE(nc_broad_move(broad, body, boxes[body], NULL) == NC_OK);
        check_partners(broad, boxes, count, body, &list);
    }
    check_pairs(broad, boxes, count, &pairs);
    nc_pairs_free(&pairs, &allocator);
    nc_body_list_free(&list, &allocator);
    nc_broad_destroy(broad);
    return 0;
}
