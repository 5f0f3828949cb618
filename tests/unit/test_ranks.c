// One world on several ranks, here threads that exchange bytes: the same bits for any number of them, and whatever goes
// wrong between them is an error, never another result.
#include "scratch.h"

#include "base/base.h"
#include "nacre/drive.h"

#include <pthread.h>

#define RANKS_MAX 4

// ---- ranks of this process ----------------------------------------------------------------------------------

// Where ranks exchange. A fault: rank `victim` is lost at its call `lost_at`, or at its call `wrong_at` byte
// `wrong_byte` of what it gets from another is changed; 0: never.
typedef struct hub {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    int count, arrived;
    uint64_t round;
    bool dead;
    const void *bytes[RANKS_MAX];
    size_t sizes[RANKS_MAX];
    int victim, lost_at, wrong_at;
    uint64_t wrong_byte;
} hub;

typedef struct member {
    hub *hub;
    int rank, calls, threads;
    nc_buffer received;
    nc_exchange exchange;
    nc_code code; // of nc_session_follow
    bool own;
    nc_error err;
} member;

// All arrive, or somebody is dead. The lock is held.
static bool meet(hub *h)
{
    const uint64_t round = h->round;
    if (++h->arrived == h->count) {
        h->arrived = 0;
        h->round++;
        pthread_cond_broadcast(&h->turn);
    }
    while (h->round == round && !h->dead)
        pthread_cond_wait(&h->turn, &h->lock);
    return !h->dead;
}

static void spoil(member *m, const size_t *sizes)
{
    size_t begin = 0;
    const int other = m->rank == 0 ? 1 : 0;
    for (int r = 0; r < other; r++)
        begin += sizes[r];
    if (sizes[other] > 0)
        m->received.data[begin + m->hub->wrong_byte % sizes[other]] ^= 0x10;
}

static nc_code gather(void *ctx, const void *bytes, size_t size, const void **out, size_t *sizes, nc_error *err)
{
    member *m = ctx;
    hub *h = m->hub;
    m->calls++;
    pthread_mutex_lock(&h->lock);
    if (m->rank == h->victim && m->calls == h->lost_at) {
        h->dead = true;
        pthread_cond_broadcast(&h->turn);
    }
    h->bytes[m->rank] = bytes;
    h->sizes[m->rank] = size;
    bool all = !h->dead && meet(h);
    m->received.size = 0;
    for (int r = 0; r < h->count && all; r++) {
        sizes[r] = h->sizes[r];
        all = nc_buffer_append(&m->received, h->bytes[r], h->sizes[r]);
    }
    if (all && m->rank == h->victim && m->calls == h->wrong_at)
        spoil(m, sizes);
    all = all && meet(h);
    pthread_mutex_unlock(&h->lock);
    *out = m->received.data;
    return all ? NC_OK : nc_fail(err, NC_IO, "a rank is lost");
}

static void *follow(void *ctx)
{
    member *m = ctx;
    m->code = nc_session_follow(&m->exchange, m->threads, NULL, &m->own, &m->err);
    return NULL;
}

// What became of a session of so many ranks.
typedef struct outcome {
    nc_code code;
    nc_error err;
    nc_session_summary summary;
    int calls;
    bool alone; // a follower had an error of its own
} outcome;

static void session_of(nc_session_def *def, outcome *out)
{
    nc_session *session = NULL;
    *out = (outcome){.alone = false};
    out->code = nc_session_open(def, &session, NULL, &out->err);
    if (out->code == NC_OK)
        out->code = nc_session_run(session, &out->err);
    if (session != NULL) {
        nc_session_summarize(session, &out->summary);
        out->summary.path = NULL;
        assert_int_equal(nc_session_close(session, NULL), NC_OK);
    }
}

static outcome run_on(int ranks, nc_session_def def, hub fault)
{
    static hub h;
    member members[RANKS_MAX] = {0};
    pthread_t threads[RANKS_MAX];
    outcome out;
    h = fault;
    h.count = ranks;
    pthread_mutex_init(&h.lock, NULL);
    pthread_cond_init(&h.turn, NULL);
    for (int r = 0; r < ranks; r++) {
        members[r] = (member){.hub = &h, .rank = r, .threads = 1, .received = nc_buffer_create(NULL)};
        members[r].exchange = (nc_exchange){.rank = r, .count = ranks, .gather = gather, .ctx = &members[r]};
    }
    for (int r = 1; r < ranks; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, follow, &members[r]), 0);
    def.exchange = &members[0].exchange;
    session_of(&def, &out);
    for (int r = 1; r < ranks; r++) {
        assert_int_equal(pthread_join(threads[r], NULL), 0);
        assert_true((members[r].code == NC_OK) == (out.code == NC_OK) || members[r].code == NC_OK);
        out.alone = out.alone || members[r].own;
    }
    out.calls = members[0].calls;
    for (int r = 0; r < ranks; r++)
        nc_buffer_free(&members[r].received);
    return out;
}

// ---- scenes -------------------------------------------------------------------------------------------------

// Three heaps that fall apart and meet a scripted plate: collisions, resting contact, several islands.
static const char *heaps(void)
{
    static char text[8192];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "nacre: 1\n"
                                 "world: {timestep: 1/60, duration: 0.7}\n"
                                 "shapes: {ground: {generate: plane, size: 20}, box: {generate: box, size: 0.4}}\n"
                                 "bodies:\n"
                                 "  - {shape: ground, type: static}\n");
    for (int k = 0; k < 27; k++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  - {shape: box, position: [%g, %g, %g], spin: [%d, 1, %d]}\n",
                               3.0 * (k % 3) + 0.13 * (k / 9), 0.35 + 0.5 * (k / 3 % 3), 0.45 * (k / 9), k % 4, k % 5);
    return text;
}

// The path is kept: those of scratch_path are used again.
static void write_heaps(char *path, size_t size)
{
    snprintf(path, size, "%s", scratch_text("heaps.yaml", heaps()));
}

static nc_session_def def_of(const char *scene, const char *run)
{
    nc_session_def def = nc_session_def_default();
    def.input = scene;
    def.output = scratch_path(run);
    def.workers = 1;
    def.overwrite = true;
    return def;
}

static uint64_t alone(const char *scene)
{
    outcome out;
    nc_session_def def = def_of(scene, "alone.nacre");
    session_of(&def, &out);
    check_ok(out.code, out.err);
    assert_int_equal(out.summary.ranks.count, 0);
    return out.summary.hash;
}

// ---- tests --------------------------------------------------------------------------------------------------

static void a_run_has_the_same_hash_on_1_to_4_ranks(void **state)
{
    (void)state;
    char scene[160];
    write_heaps(scene, sizeof scene);
    const uint64_t hash = alone(scene);
    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        nc_session_def def = def_of(scene, "ranks.nacre");
        def.audit = ranks == 3;
        const outcome out = run_on(ranks, def, (hub){.victim = -1});
        check_ok(out.code, out.err);
        assert_true(out.summary.hash == hash);
        assert_int_equal(out.summary.ranks.count, ranks);
        for (int work = NC_RANK_CONTROL; work < (def.audit ? NC_RANK_WORKS : NC_RANK_AUDITS); work++)
            assert_true(out.summary.ranks.exchanges[work] > 0); // it was shared
    }
}

static void a_run_goes_on_with_another_number_of_ranks(void **state)
{
    (void)state;
    char scene[160];
    write_heaps(scene, sizeof scene);
    const uint64_t hash = alone(scene);
    nc_session_def def = def_of(scene, "parts.nacre");
    const int ranks[] = {3, 1, 2};
    outcome out = {.code = NC_OK};
    for (int k = 0; k < 3; k++) {
        def.steps = 14 * (k + 1);
        def.resume = k > 0;
        def.overwrite = k == 0;
        if (ranks[k] > 1)
            out = run_on(ranks[k], def, (hub){.victim = -1});
        else
            session_of(&def, &out);
        check_ok(out.code, out.err);
    }
    assert_true(out.summary.hash == hash);
}

// A lost rank ends the run with an error; what is stored is whole, and goes on to the same end.
static void a_rank_that_is_lost_costs_the_rest_of_the_run_and_nothing_else(void **state)
{
    (void)state;
    char scene[160];
    write_heaps(scene, sizeof scene);
    const uint64_t hash = alone(scene);
    nc_random random = {check_seed("ranks", 7)};
    const int calls = run_on(2, def_of(scene, "whole.nacre"), (hub){.victim = -1}).calls;
    for (int k = 0; k < check_effort(6); k++) {
        const int at = 1 + (int)(nc_random_u64(&random) % (uint64_t)calls);
        const hub fault = {.victim = k % 2, .lost_at = at};
        nc_session_def def = def_of(scene, "lost.nacre");
        const outcome lost = run_on(2, def, fault);
        if (lost.code != NC_IO && at < calls - 1)
            fail_msg("exchange %d of %d lost: %s %s", at, calls, nc_code_name(lost.code), lost.err.text);
        // The last exchanges are about the end itself.
        def.overwrite = false;
        def.resume = true;
        outcome out;
        session_of(&def, &out);
        check_ok(out.code, out.err);
        assert_true(out.summary.hash == hash);
    }
}

// Bytes that come to one rank as others than to the rest: an error, or a time, which means nothing to the result.
static void ranks_that_do_not_agree_end_the_run(void **state)
{
    (void)state;
    char scene[160];
    write_heaps(scene, sizeof scene);
    const uint64_t hash = alone(scene);
    nc_random random = {check_seed("ranks", 11)};
    const int calls = run_on(2, def_of(scene, "whole.nacre"), (hub){.victim = -1}).calls;
    int found = 0;
    const int cases = check_effort(20);
    for (int k = 0; k < cases; k++) {
        const hub fault = {.victim = k % 2,
                           .wrong_at = 1 + (int)(nc_random_u64(&random) % (uint64_t)calls),
                           .wrong_byte = nc_random_u64(&random)};
        const outcome out = run_on(2, def_of(scene, "wrong.nacre"), fault);
        found += out.code != NC_OK;
        assert_true(out.code != NC_OK || out.summary.hash == hash);
    }
    assert_true(found > cases / 2);
}

static void cloth_on_several_ranks_is_refused_in_a_sentence(void **state)
{
    (void)state;
    static const char sheet[] = "nacre: 1\n"
                                "world: {pipeline: acm, timestep: 1/24, duration: 0.5, acm: {thickness: 0.05}}\n"
                                "shapes: {sheet: {generate: sheet, size: 1.6, columns: 4, rows: 4}}\n"
                                "bodies:\n"
                                "  - {shape: sheet, type: cloth, cloth: {stretch: 200}}\n";
    const outcome out = run_on(3, def_of(scratch_text("sheet.yaml", sheet), "sheet.nacre"), (hub){.victim = -1});
    assert_int_equal(out.code, NC_UNSUPPORTED);
    assert_non_null(strstr(out.err.text, "cloth"));
    assert_false(out.alone);
}

static void a_scene_that_is_refused_ends_all_ranks(void **state)
{
    (void)state;
    const outcome out =
        run_on(3, def_of(scratch_text("bad.yaml", "nacre: 1\nbodies: 7\n"), "bad.nacre"), (hub){.victim = -1});
    assert_int_equal(out.code, NC_BAD_SCENE);
    assert_false(out.alone);
}

static int64_t cost_of(int item, const void *ctx)
{
    return ((const int64_t *)ctx)[item];
}

static nc_code no_gather(void *ctx, const void *bytes, size_t size, const void **out, size_t *sizes, nc_error *err)
{
    (void)ctx, (void)bytes, (void)size, (void)out, (void)sizes;
    return nc_fail(err, NC_IO, "nobody is there");
}

static void items_are_dealt_evenly(void **state)
{
    (void)state;
    enum { ITEMS = 200, RANKS = 7 };
    int64_t costs[ITEMS], load[RANKS], most = 0, sum = 0;
    nc_random random = {check_seed("deal", 3)};
    nc_share *share = NULL;
    nc_error err = {0};
    const nc_exchange exchange = {.rank = 2, .count = RANKS, .gather = no_gather};
    check_ok(nc_share_create(&exchange, NULL, &share, &err), err);
    for (int k = 0; k < ITEMS; k++) {
        costs[k] = (int64_t)(nc_random_u64(&random) % 50);
        sum += costs[k];
        most = costs[k] > most ? costs[k] : most;
    }
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        memset(load, 0, sizeof load);
        assert_true(nc_share_deal(share, ITEMS, contiguous != 0, cost_of, costs));
        for (int k = 0; k < ITEMS; k++) {
            const int rank = share->rank_of.data[k];
            assert_true(rank >= 0 && rank < RANKS && nc_share_is_mine(share, k) == (rank == 2));
            assert_true(!contiguous || k == 0 || rank >= share->rank_of.data[k - 1]);
            load[rank] += costs[k];
        }
        for (int r = 0; r < RANKS; r++)
            assert_true(load[r] <= sum / RANKS + most + 1);
    }
    assert_false(nc_share_exchange(share, NC_SHARE_SWEEP, 0));
    assert_int_equal(nc_share_check(share, &err), NC_IO);
    assert_false(nc_share_deal(share, 1, false, NULL, NULL)); // for good
    nc_share_destroy(share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_has_the_same_hash_on_1_to_4_ranks),
        cmocka_unit_test(a_run_goes_on_with_another_number_of_ranks),
        cmocka_unit_test(a_rank_that_is_lost_costs_the_rest_of_the_run_and_nothing_else),
        cmocka_unit_test(ranks_that_do_not_agree_end_the_run),
        cmocka_unit_test(cloth_on_several_ranks_is_refused_in_a_sentence),
        cmocka_unit_test(a_scene_that_is_refused_ends_all_ranks),
        cmocka_unit_test(items_are_dealt_evenly),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
