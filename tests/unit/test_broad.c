// The broad phase finds exactly the pairs that brute force finds, in order, whatever happened to it before.
#include "check.h"
#include "fail_allocator.h"

#include "broad/tree.h"

// ---- the oracle: the rules of broad.h, word by word ---------------------------------------------------------

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
    if (is_empty(a) || is_empty(b))
        return false;
    if (has_nan(a) || has_nan(b))
        return true;
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
           b.lo.z <= a.hi.z;
}

static void check_pairs(const nc_pairs *pairs, const nc_box *boxes, int count)
{
    int next = 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            if (!meet(boxes[a], boxes[b]))
                continue;
            assert_true(next < pairs->count);
            assert_int_equal(pairs->data[next].a, a);
            assert_int_equal(pairs->data[next++].b, b);
        }
    }
    assert_int_equal(next, pairs->count);
}

static void check_partners(const nc_body_list *list, const nc_box *boxes, int count, int body)
{
    int next = 0;
    for (int b = 0; b < count; b++)
        if (b != body && meet(boxes[body], boxes[b])) {
            assert_true(next < list->count);
            assert_int_equal(list->data[next++], b);
        }
    assert_int_equal(next, list->count);
}

// ---- boxes --------------------------------------------------------------------------------------------------

static nc_box random_box(nc_random *random, double spread)
{
    const double size = nc_random_unit(random) < 0.02 ? spread : 1.0;
    const nc_vec3 lo = {nc_random_range(random, 0, spread), nc_random_range(random, 0, 0.3 * spread),
                        nc_random_range(random, 0, 0.7 * spread)};
    return (nc_box){lo, nc_madd(lo, size, nc_v3(nc_random_unit(random), nc_random_unit(random), 1))};
}

static double odd_number(nc_random *random)
{
    static const double odd[] = {0, -0.0, 1, 1, 2, -1, 1e-300, -1e300, 1e300, 5e-324, 1e18, 1.0000000001, 1e38, 4e18};
    const int count = (int)(sizeof odd / sizeof *odd);
    const int pick = (int)nc_random_range(random, 0, count + 4);
    return pick < count       ? odd[pick]
           : pick == count    ? INFINITY
           : pick < count + 2 ? -INFINITY
                              : nc_random_range(random, -2, 2);
}

// Boxes that go wrong somewhere: empty, points, identical, infinite, NaN, flat, tiny, huge.
static nc_box odd_box(nc_random *random)
{
    nc_box box = random_box(random, 2);
    switch ((int)nc_random_range(random, 0, 8)) {
    case 0:
        return nc_box_empty();
    case 1:
        box.hi = box.lo;
        return box;
    case 2:
        return (nc_box){nc_v3(0, 0, 0), nc_v3(1, 1, 1)};
    case 3:
        box.lo.y = -INFINITY;
        box.hi.y = INFINITY;
        return box;
    case 4:
        if (nc_random_unit(random) < 0.2)
            *(nc_random_unit(random) < 0.5 ? &box.lo.z : &box.hi.x) = NAN;
        return box;
    case 5:
        box.lo = nc_v3(odd_number(random), odd_number(random), odd_number(random));
        box.hi = nc_v3(odd_number(random), odd_number(random), odd_number(random));
        return box;
    default:
        return box;
    }
}

static nc_broad *new_broad(int workers)
{
    nc_broad *broad = NULL;
    nc_error err;
    check_ok(nc_broad_create(NULL, workers, &broad, &err), err);
    return broad;
}

// ---- at once ------------------------------------------------------------------------------------------------

static void overlaps_agree_with_brute_force(void **state)
{
    (void)state;
    nc_random random = {check_seed("overlaps", 40)};
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    long found = 0;
    const int cases = check_effort(600);
    for (int i = 0; i < cases; i++) {
        nc_box boxes[200];
        const int count = (int)nc_random_range(&random, 0, 201);
        // A scene may be anywhere and of any size.
        const double scale = ldexp(1, i % 3 == 0 ? (int)nc_random_range(&random, -1000, 1000) : 0);
        const nc_vec3 shift = nc_scale(i % 5 == 0 ? 1e9 : 0, nc_v3(1, -2, 3));
        for (int k = 0; k < count; k++) {
            boxes[k] = i % 2 == 0 ? random_box(&random, nc_random_range(&random, 1, 30)) : odd_box(&random);
            if (k % 7 == 6) // exactly touching its neighbour, or nearly
                boxes[k].lo.x = boxes[k - 1].hi.x + (k % 2 == 0 ? 1e-12 : 0);
            boxes[k].lo = nc_scale(scale, nc_add(boxes[k].lo, shift));
            boxes[k].hi = nc_scale(scale, nc_add(boxes[k].hi, shift));
        }
        check_ok(nc_broad_overlaps(boxes, count, &allocator, &pairs, &err), err);
        check_pairs(&pairs, boxes, count);
        found += pairs.count;
    }
    print_message("%ld pairs\n", found);
    assert_true(found > cases);
    nc_pairs_free(&pairs, &allocator);
}

static void doubles_decide_where_floats_are_equal(void **state)
{
    (void)state;
    const double next = 1 + 0x1p-52;
    const nc_box boxes[3] = {
        {nc_v3(0, 0, 0), nc_v3(1, 1, 1)}, {nc_v3(1, 0, 0), nc_v3(2, 1, 1)}, {nc_v3(next, 0, 0), nc_v3(2, 1, 1)}};
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    check_ok(nc_broad_overlaps(boxes, 3, &allocator, &pairs, &err), err);
    assert_int_equal(pairs.count, 2); // not (0, 2)
    check_pairs(&pairs, boxes, 3);
    nc_pairs_free(&pairs, &allocator);
}

static void a_box_of_nan_meets_all_but_the_empty(void **state)
{
    (void)state;
    nc_box boxes[5] = {{nc_v3(0, 0, 0), nc_v3(1, 1, 1)},
                       {nc_v3(9, 9, NAN), nc_v3(8, 8, 8)},
                       nc_box_empty(),
                       {nc_v3(1e300, 0, 0), nc_v3(INFINITY, 0, 0)},
                       {nc_v3(0, 0, 1), nc_v3(1, 1, 0.5)}};
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    check_ok(nc_broad_overlaps(boxes, 5, &allocator, &pairs, &err), err);
    assert_int_equal(pairs.count, 2);
    assert_int_equal(pairs.data[0].a, 0);
    assert_int_equal(pairs.data[0].b, 1);
    assert_int_equal(pairs.data[1].a, 1);
    assert_int_equal(pairs.data[1].b, 3);
    nc_pairs_free(&pairs, &allocator);
}

// Trees that a careless cut makes deep: boxes in each other, each half as large; points that close in on one; all
// equal.
static void nested_and_equal_boxes_are_found(void **state)
{
    (void)state;
    enum { count = 1000 };
    static nc_box boxes[count];
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < count; i++) {
            const double s = kind == 2 ? 1 : ldexp(1, 500 - i), t = kind == 0 ? s : -s;
            boxes[i] = (nc_box){nc_v3(-t, -t, -t), nc_v3(s, s, s)};
        }
        check_ok(nc_broad_overlaps(boxes, count, &allocator, &pairs, &err), err);
        assert_int_equal(pairs.count, kind == 1 ? 0 : count * (count - 1) / 2);
        check_pairs(&pairs, boxes, count);
    }
    nc_pairs_free(&pairs, &allocator);
}

// ---- a life -------------------------------------------------------------------------------------------------

#define LIFE_MAX 400

typedef struct life {
    nc_random random;
    nc_broad *broad;
    nc_box boxes[LIFE_MAX];
    int count;
    nc_pairs pairs;
    nc_body_list list;
} life;

static nc_box any_box(life *l)
{
    return nc_random_unit(&l->random) < 0.3 ? odd_box(&l->random) : random_box(&l->random, 12);
}

static void drift(life *l)
{
    for (int i = 0; i < l->count; i++) {
        const nc_vec3 d = nc_scale(0.05, nc_v3(nc_random_unit(&l->random), nc_random_unit(&l->random), -0.3));
        l->boxes[i].lo = nc_add(l->boxes[i].lo, d);
        l->boxes[i].hi = nc_add(l->boxes[i].hi, d);
    }
}

static void set_all(life *l)
{
    nc_error err;
    check_ok(nc_broad_set(l->broad, l->boxes, l->count, &err), err);
}

static void move_one(life *l, int body, nc_box box)
{
    nc_error err;
    l->boxes[body] = box;
    check_ok(nc_broad_move(l->broad, body, box, &err), err);
    check_ok(nc_broad_partners(l->broad, body, &l->list, &err), err);
    check_partners(&l->list, l->boxes, l->count, body);
}

static void change_something(life *l)
{
    const double what = nc_random_unit(&l->random);
    const int body = (int)(nc_random_unit(&l->random) * l->count);
    if (what < 0.1) { // everything again, more or fewer
        l->count = (int)nc_random_range(&l->random, 0, LIFE_MAX);
        for (int i = 0; i < l->count; i++)
            l->boxes[i] = any_box(l);
        set_all(l);
    } else if (what < 0.2) { // the last ones go, or come back with boxes from before
        l->count = (int)nc_random_range(&l->random, 0.8 * l->count, l->count + 1);
        set_all(l);
    } else if (what < 0.4) {
        drift(l);
        set_all(l);
    } else if (what < 0.6 && l->count < LIFE_MAX) {
        for (int more = 0; more < 6 && l->count < LIFE_MAX; more++) {
            l->count++;
            move_one(l, l->count - 1, any_box(l));
        }
    } else if (what < 0.7 && l->count > 0) {
        for (int i = l->count - 1; i >= 0 && i > l->count - 12; i -= 2) // those that came last
            move_one(l, i, nc_box_empty());
        move_one(l, body, nc_box_empty());
    } else if (l->count > 0) {
        move_one(l, body, any_box(l));
    }
}

static void any_history_gives_the_pairs_of_the_present(void **state)
{
    (void)state;
    static life l;
    nc_error err;
    l.random.state = check_seed("history", 42);
    const nc_allocator allocator = nc_allocator_default();
    long found = 0;
    for (int run = 0, runs = check_effort(8); run < runs; run++) {
        l.broad = new_broad(1 + run % 3);
        l.count = 0;
        for (int i = 0; i < 300; i++) {
            change_something(&l);
            assert_int_equal(nc_broad_count(l.broad), l.count);
            if (i % 3 != 0)
                continue;
            check_ok(nc_broad_pairs(l.broad, &l.pairs, &err), err);
            check_pairs(&l.pairs, l.boxes, l.count);
            found += l.pairs.count;
        }
        nc_broad_destroy(l.broad);
    }
    print_message("%ld pairs\n", found);
    assert_true(found > 1000);
    nc_pairs_free(&l.pairs, &allocator);
    nc_body_list_free(&l.list, &allocator);
}

static void a_query_finds_what_a_body_there_would_meet(void **state)
{
    (void)state;
    enum { count = 300 };
    static nc_box boxes[count + 1];
    nc_random random = {check_seed("query", 43)};
    const nc_allocator allocator = nc_allocator_default();
    nc_body_list list = {NULL, 0, 0};
    nc_error err;
    nc_broad *broad = new_broad(1);
    for (int i = 0; i < count; i++)
        boxes[i] = i % 3 == 0 ? odd_box(&random) : random_box(&random, 10);
    check_ok(nc_broad_set(broad, boxes, count, &err), err);
    for (int i = 0; i < check_effort(2000); i++) {
        boxes[count] = i % 2 == 0 ? odd_box(&random) : random_box(&random, 10);
        check_ok(nc_broad_query(broad, boxes[count], &list, &err), err);
        check_partners(&list, boxes, count, count);
    }
    nc_body_list_free(&list, &allocator);
    nc_broad_destroy(broad);
}

// ---- many ---------------------------------------------------------------------------------------------------

#define PILE 4000

// A dense pile of boats in a bowl a hundred times larger; swept boxes of step `step`.
static void pile(nc_box *boxes, int count, int step)
{
    nc_random random = {44};
    const double side = 10;
    for (int i = 0; i < count; i++) {
        const nc_vec3 c = {nc_random_range(&random, 0, side), nc_random_range(&random, 0, side),
                           nc_random_range(&random, 0, side)};
        const nc_vec3 v = {nc_random_range(&random, -0.05, 0.05), nc_random_range(&random, -0.05, 0.05), 0};
        const nc_vec3 at = nc_madd(c, step, v), h = {0.5, 0.3, 0.2};
        boxes[i] = nc_box_add(nc_box_add(nc_box_empty(), nc_sub(at, h)), nc_add(nc_add(at, h), v));
    }
    boxes[count / 2] = (nc_box){nc_v3(-40, -40, -40), nc_v3(60, 60, 60)};
}

static void pairs_are_equal_for_1_to_8_workers(void **state)
{
    (void)state;
    static nc_box boxes[PILE];
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs first = {NULL, 0, 0}, pairs = {NULL, 0, 0};
    nc_error err;
    for (int workers = 1; workers <= 8; workers++) {
        nc_broad *broad = new_broad(workers);
        for (int step = 0; step < 3; step++) {
            pile(boxes, PILE, step);
            check_ok(nc_broad_set(broad, boxes, PILE, &err), err);
            check_ok(nc_broad_pairs(broad, workers == 1 ? &first : &pairs, &err), err);
        }
        if (workers == 1)
            check_pairs(&first, boxes, PILE);
        else
            assert_int_equal(pairs.count, first.count);
        if (workers > 1)
            assert_memory_equal(pairs.data, first.data, (size_t)first.count * sizeof *first.data);
        nc_broad_destroy(broad);
    }
    print_message("%d pairs\n", first.count);
    assert_true(first.count > 3 * PILE);
    nc_pairs_free(&first, &allocator);
    nc_pairs_free(&pairs, &allocator);
}

static void steps_after_the_first_few_allocate_nothing(void **state)
{
    (void)state;
    static nc_box boxes[PILE];
    fail_allocator memory;
    const nc_allocator allocator = fail_allocator_start(&memory, 0);
    nc_broad *broad = NULL;
    nc_pairs pairs = {NULL, 0, 0};
    nc_body_list list = {NULL, 0, 0};
    nc_error err;
    long calls = 0;
    check_ok(nc_broad_create(&allocator, 2, &broad, &err), err);
    for (int step = 0; step < 30; step++) {
        pile(boxes, PILE, 30 - step % 4);
        check_ok(nc_broad_set(broad, boxes, PILE, &err), err);
        check_ok(nc_broad_pairs(broad, &pairs, &err), err);
        for (int body = 0; body < PILE; body += 100) {
            check_ok(nc_broad_move(broad, body, boxes[body + 1], &err), err);
            check_ok(nc_broad_partners(broad, body, &list, &err), err);
        }
        check_ok(nc_broad_partners(broad, PILE / 2, &list, &err), err);
        if (step == 8)
            calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    nc_pairs_free(&pairs, &allocator);
    nc_body_list_free(&list, &allocator);
    nc_broad_destroy(broad);
    fail_allocator_check_clean(&memory);
}

// ---- the tree's health ------------------------------------------------------------------------------------------

static void the_tree_is_kept_while_boxes_drift_and_built_anew_when_it_pays(void **state)
{
    (void)state;
    static nc_box boxes[PILE];
    const nc_allocator allocator = nc_allocator_default();
    nc_pairs pairs = {NULL, 0, 0};
    nc_error err;
    int built = 0;
    nc_broad *broad = new_broad(1);
    for (int step = 0; step < 40; step++) {
        pile(boxes, PILE, step);
        check_ok(nc_broad_set(broad, boxes, PILE, &err), err);
        built += broad->work_when_new < 0;
        check_ok(nc_broad_pairs(broad, &pairs, &err), err);
    }
    print_message("built %d times in 40 steps\n", built);
    assert_in_range(built, 2, 15);
    nc_pairs_free(&pairs, &allocator);
    nc_broad_destroy(broad);
}

static void the_tree_is_built_anew_before_the_search_when_boxes_jumped(void **state)
{
    (void)state;
    static nc_box boxes[PILE];
    nc_error err;
    nc_pairs pairs = {NULL, 0, 0};
    const nc_allocator allocator = nc_allocator_default();
    nc_broad *broad = new_broad(1);
    pile(boxes, PILE, 0);
    check_ok(nc_broad_set(broad, boxes, PILE, &err), err);
    check_ok(nc_broad_pairs(broad, &pairs, &err), err);
    assert_true(broad->work_when_new > 0);
    for (int i = 0; i < PILE / 2; i++) {
        const nc_box box = boxes[i];
        boxes[i] = boxes[PILE - 1 - i];
        boxes[PILE - 1 - i] = box;
    }
    check_ok(nc_broad_set(broad, boxes, PILE, &err), err);
    assert_true(broad->work_when_new < 0);
    nc_pairs_free(&pairs, &allocator);
    nc_broad_destroy(broad);
}

// ---- memory -------------------------------------------------------------------------------------------------

static nc_code trial(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_box boxes[20];
    nc_random random = {41};
    for (int i = 0; i < 20; i++)
        boxes[i] = random_box(&random, 2);
    nc_pairs pairs = {NULL, 0, 0};
    const nc_code code = nc_broad_overlaps(boxes, 20, allocator, &pairs, NULL);
    nc_pairs_free(&pairs, allocator);
    return code;
}

static nc_code live(const nc_allocator *allocator, void *ctx)
{
    (void)ctx;
    nc_box boxes[80];
    nc_random random = {45};
    nc_broad *broad = NULL;
    nc_pairs pairs = {NULL, 0, 0};
    nc_body_list list = {NULL, 0, 0};
    for (int i = 0; i < 80; i++)
        boxes[i] = random_box(&random, 3);
    nc_code code = nc_broad_create(allocator, 1, &broad, NULL);
    if (code == NC_OK)
        code = nc_broad_set(broad, boxes, 10, NULL);
    if (code == NC_OK)
        code = nc_broad_pairs(broad, &pairs, NULL);
    for (int i = 10; code == NC_OK && i < 80; i++) {
        code = nc_broad_move(broad, i, boxes[i], NULL);
        if (code == NC_OUT_OF_MEMORY)
            assert_int_equal(nc_broad_count(broad), i);
    }
    if (code == NC_OK)
        code = nc_broad_pairs(broad, &pairs, NULL);
    if (code == NC_OK)
        code = nc_broad_query(broad, (nc_box){nc_v3(0, 0, 0), nc_v3(9, 9, 9)}, &list, NULL);
    nc_pairs_free(&pairs, allocator);
    nc_body_list_free(&list, allocator);
    nc_broad_destroy(broad);
    return code;
}

static void memory_may_fail(void **state)
{
    (void)state;
    assert_true(fail_at_every_call(trial, NULL) >= 10);
    assert_true(fail_at_every_call(live, NULL) >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_agree_with_brute_force),
        cmocka_unit_test(doubles_decide_where_floats_are_equal),
        cmocka_unit_test(a_box_of_nan_meets_all_but_the_empty),
        cmocka_unit_test(nested_and_equal_boxes_are_found),
        cmocka_unit_test(any_history_gives_the_pairs_of_the_present),
        cmocka_unit_test(a_query_finds_what_a_body_there_would_meet),
        cmocka_unit_test(pairs_are_equal_for_1_to_8_workers),
        cmocka_unit_test(steps_after_the_first_few_allocate_nothing),
        cmocka_unit_test(the_tree_is_kept_while_boxes_drift_and_built_anew_when_it_pays),
        cmocka_unit_test(the_tree_is_built_anew_before_the_search_when_boxes_jumped),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
