// One world on several ranks: orders of rank 0, and those who follow them.
#include "drive/ranks.h"

#include "scene/scene.h"

#include <inttypes.h>
#include <string.h>

_Static_assert((int)NC_RANK_WORKS == (int)NC_SHARE_KINDS, "what is counted is what is shared");

#define STEPS_PER_HASH 16 // [steps] states are compared by their hashes after so many

const char *nc_rank_work_name(nc_rank_work work)
{
    static const char *const names[] = {"control", "near features", "sweeps", "island solves", "audits"};
    return names[work];
}

// ---- the world, as bytes ------------------------------------------------------------------------------------
// Meshes that the others do not have yet, then a snapshot.

typedef struct world_head {
    int32_t first_mesh, mesh_count;
    uint64_t state_size;
    uint64_t hash;
} world_head;

typedef struct mesh_head {
    int32_t vertices, triangles, edges, points;
    uint64_t hash;
} mesh_head;

static bool write_mesh(nc_share *share, const nc_mesh_data *mesh)
{
    mesh_head head = {mesh->vertex_count, mesh->triangle_count, 0, mesh->point_count, mesh->hash};
    for (int i = 0; i < mesh->edge_count; i++)
        head.edges += mesh->edge_is_free[i] ? 1 : 0;
    bool done = nc_share_write(share, &head, sizeof head) &&
                nc_share_write(share, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices) &&
                nc_share_write(share, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    for (int i = 0; i < mesh->edge_count && done; i++)
        done = !mesh->edge_is_free[i] || nc_share_write(share, mesh->edges[i], sizeof mesh->edges[i]);
    return done && nc_share_write(share, mesh->points, (size_t)mesh->point_count * sizeof *mesh->points);
}

// All of it in one block of memory: vertices, which want most alignment, first.
static nc_code read_mesh(nc_share *share, nc_mesh **out, nc_error *err)
{
    mesh_head head;
    if (!nc_share_read(share, 0, &head, sizeof head))
        return nc_share_check(share, err);
    const size_t vertices = (size_t)head.vertices * sizeof(nc_vec3),
                 triangles = (size_t)head.triangles * sizeof(int[3]), edges = (size_t)head.edges * sizeof(int[2]),
                 points = (size_t)head.points * sizeof(int), size = vertices + triangles + edges + points;
    if (head.vertices < 0 || head.triangles < 0 || head.edges < 0 || head.points < 0 || size > nc_share_left(share, 0))
        return nc_fail(err, NC_BROKEN_PROMISE, "a mesh came to rank %d in part", share->exchange.rank);
    uint8_t *bytes = nc_alloc(&share->allocator, size > 0 ? size : 1, 1);
    if (bytes == NULL)
        return nc_fail_memory(err, size);
    nc_code code = nc_share_read(share, 0, bytes, size) ? NC_OK : nc_share_check(share, err);
    void *const at[] = {bytes, bytes + vertices, bytes + vertices + triangles, bytes + vertices + triangles + edges};
    const nc_mesh_def def = {at[0], head.vertices, at[1], head.triangles, at[2], head.edges, at[3], head.points};
    if (code == NC_OK)
        code = nc_mesh_create(&def, &share->allocator, out, err);
    if (code == NC_OK && nc_mesh_hash(*out) != head.hash)
        code = nc_fail(err, NC_BROKEN_PROMISE, "a mesh became another one on its way to rank %d", share->exchange.rank);
    nc_free(&share->allocator, bytes, size > 0 ? size : 1, 1);
    return code;
}

static nc_code write_world(nc_session *session, int first_mesh, nc_error *err)
{
    nc_share *share = session->share;
    nc_buffer state = nc_buffer_create(&session->allocator);
    nc_code code = nc_model_save(session->model, &state, err);
    const world_head head = {first_mesh, nc_model_mesh_count(session->model), state.size,
                             nc_model_hash(session->model)};
    bool done = code == NC_OK && nc_share_write(share, &head, sizeof head);
    for (int row = first_mesh; row < head.mesh_count && done; row++) {
        nc_mesh *mesh = NULL;
        code = nc_model_make_mesh(session->model, row, &session->allocator, &mesh, err);
        if ((done = code == NC_OK)) {
            const nc_mesh_data data = nc_mesh_view(mesh);
            done = write_mesh(share, &data);
        }
        nc_mesh_release(mesh);
    }
    done = done && nc_share_write(share, state.data, state.size);
    nc_buffer_free(&state);
    return done || code != NC_OK ? code : nc_share_check(share, err);
}

static nc_code read_world(nc_share *share, nc_model model, nc_error *err)
{
    world_head head;
    if (!nc_share_read(share, 0, &head, sizeof head))
        return nc_share_check(share, err);
    nc_code code = NC_OK;
    if (head.first_mesh != nc_model_mesh_count(model))
        code = nc_fail(err, NC_BROKEN_PROMISE, "rank %d has %d meshes where rank 0 has %d", share->exchange.rank,
                       nc_model_mesh_count(model), head.first_mesh);
    for (int row = head.first_mesh; row < head.mesh_count && code == NC_OK; row++) {
        nc_mesh *mesh = NULL;
        code = read_mesh(share, &mesh, err);
        if (code == NC_OK)
            code = nc_model_add_mesh(model, mesh, err);
        nc_mesh_release(mesh);
    }
    if (code == NC_OK && head.state_size > nc_share_left(share, 0))
        code = nc_fail(err, NC_BROKEN_PROMISE, "the world of rank 0 came to rank %d in part", share->exchange.rank);
    if (code == NC_OK)
        code = nc_model_restore(model, nc_share_view(share, 0), (size_t)head.state_size, err);
    if (code == NC_OK && nc_model_hash(model) != head.hash)
        code =
            nc_fail(err, NC_BROKEN_PROMISE, "the world became another one on its way to rank %d", share->exchange.rank);
    return code;
}

// ---- orders and answers -------------------------------------------------------------------------------------

typedef struct order {
    int32_t what; // nc_order
    int32_t unused;
    double timestep; // [s]
} order;

typedef struct answer {
    int32_t code, bodies;
    int64_t steps;
    uint64_t hash; // 0: not compared after this step
} answer;

// Do all ranks answer the same? After this no rank is ahead of another.
static nc_code agree(nc_share *share, nc_model model, nc_code code, nc_error *err)
{
    if (nc_share_check(share, NULL) != NC_OK)
        return nc_share_check(share, err);
    const int64_t steps = nc_model_step_count(model);
    const answer mine = {(int32_t)code, nc_model_body_count(model), steps,
                         steps % STEPS_PER_HASH == 0 ? nc_model_hash(model) : 0};
    nc_share_begin(share);
    if (!nc_share_write(share, &mine, sizeof mine) || !nc_share_exchange(share, NC_SHARE_CONTROL, NC_ORDER_END + 1))
        return nc_share_check(share, err);
    answer first = mine, other;
    int odd = 0;
    for (int rank = 0; rank < share->exchange.count; rank++) {
        if (!nc_share_read(share, rank, &other, sizeof other))
            return nc_share_check(share, err);
        first = rank == 0 ? other : first;
        odd = odd == 0 && memcmp(&other, &first, sizeof other) != 0 ? rank : odd;
    }
    if (odd == 0)
        return code;
    (void)nc_fail(&share->failed, NC_BROKEN_PROMISE,
                  "ranks disagree after step %" PRId64 ": rank %d has another result than rank 0", first.steps, odd);
    return nc_share_check(share, err);
}

// Begins the message of an order.
static nc_code put_order(nc_session *session, nc_order what, nc_error *err)
{
    const order o = {(int32_t)what, 0, session->timestep};
    nc_share_begin(session->share);
    return nc_share_write(session->share, &o, sizeof o) ? NC_OK : nc_share_check(session->share, err);
}

static nc_code send_order(nc_session *session, nc_error *err)
{
    return nc_share_exchange(session->share, NC_SHARE_CONTROL, 0) ? NC_OK : nc_share_check(session->share, err);
}

nc_code nc_ranks_order(nc_session *session, nc_order what, nc_error *err)
{
    if (session->share == NULL)
        return NC_OK;
    nc_code code = put_order(session, what, err);
    if (code == NC_OK)
        code = send_order(session, err);
    if (code == NC_OK)
        (void)nc_model_set_share(session->model, session->share);
    return code;
}

nc_code nc_ranks_agree(nc_session *session, nc_code code, nc_error *err)
{
    if (session->share == NULL)
        return code;
    (void)nc_model_set_share(session->model, NULL);
    return agree(session->share, session->model, code, err);
}

// ---- rank 0 -------------------------------------------------------------------------------------------------

nc_code nc_ranks_join(nc_session *session, nc_error *err)
{
    const nc_exchange *exchange = session->settings->exchange;
    if (exchange == NULL || exchange->count == 1)
        return NC_OK;
    if (exchange->rank != 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "rank %d follows a session; rank 0 opens it", exchange->rank);
    return nc_share_create(exchange, &session->allocator, &session->share, err);
}

static nc_code send_world(nc_session *session, int first_mesh, nc_error *err)
{
    nc_code code = put_order(session, NC_ORDER_WORLD, err);
    if (code == NC_OK)
        code = write_world(session, first_mesh, err);
    if (code == NC_OK)
        code = send_order(session, err);
    nc_model_forget_caches(session->model);
    return code;
}

nc_code nc_ranks_begin(nc_session *session, nc_error *err)
{
    if (session->share == NULL)
        return NC_OK;
    if (!nc_model_set_share(session->model, NULL))
        return nc_fail(err, NC_UNSUPPORTED,
                       "a scene of cloth is simulated by one process: start it without mpirun, or with one rank");
    return send_world(session, 0, err);
}

// Only scenes with emitters have states that change between steps.
nc_code nc_ranks_emit(nc_session *session, nc_error *err)
{
    if (session->share == NULL || session->scene == NULL || nc_scene_emitter_count(session->scene) == 0)
        return nc_session_emit(session, err);
    const uint64_t before = nc_model_hash(session->model);
    const int meshes = nc_model_mesh_count(session->model);
    const nc_code code = nc_session_emit(session, err);
    return code == NC_OK && nc_model_hash(session->model) != before ? send_world(session, meshes, err) : code;
}

// What a rank used, at the end.
typedef struct account {
    double seconds;
    nc_share_use use[NC_SHARE_KINDS];
} account;

static bool exchange_accounts(nc_share *share)
{
    account mine = {.seconds = share->exchange.seconds != NULL ? share->exchange.seconds(share->exchange.ctx) : 0};
    memcpy(mine.use, share->use, sizeof mine.use);
    nc_share_begin(share);
    return nc_share_write(share, &mine, sizeof mine) && nc_share_exchange(share, NC_SHARE_CONTROL, 0);
}

static void add_account(nc_session_ranks *sum, const account *rank, int ranks)
{
    sum->seconds += rank->seconds / ranks;
    sum->most_seconds = fmax(sum->most_seconds, rank->seconds);
    for (int k = 0; k < NC_RANK_WORKS; k++) {
        const nc_share_use *use = &rank->use[k];
        sum->exchanges[k] = use->exchanges;
        sum->bytes[k] = use->bytes;
        sum->shared[k] += use->seconds / ranks;
        sum->most_shared[k] = use->slowest;
    }
}

void nc_ranks_end(nc_session *session)
{
    nc_share *share = session->share;
    if (share == NULL || put_order(session, NC_ORDER_END, NULL) != NC_OK || send_order(session, NULL) != NC_OK)
        return;
    if (exchange_accounts(share)) {
        nc_session_ranks sum = {.count = share->exchange.count};
        account rank;
        for (int r = 0; r < sum.count; r++)
            if (nc_share_read(share, r, &rank, sizeof rank))
                add_account(&sum, &rank, sum.count);
        session->ranks = sum;
    }
    share->left = true;
}

void nc_ranks_leave(nc_session *session, const nc_error *why)
{
    static const nc_error closed = {.code = NC_INTERRUPTED, .text = "the session was closed"};
    if (session->share == NULL)
        return;
    nc_share_leave(session->share, why != NULL ? why : &closed);
    nc_share_destroy(session->share);
    session->share = NULL;
}

// ---- the others ---------------------------------------------------------------------------------------------

static nc_code do_step(nc_model model, double timestep, nc_model_report *report, nc_error *err)
{
    *report = (nc_model_report){.has_cloth = false};
    return nc_model_step(model, timestep, report, err);
}

// Carries out an order. What the call came to is for all ranks to compare; an error of this function is the end.
static nc_code carry_out(nc_share *share, nc_model model, const order *o, nc_model_report *report, nc_error *err)
{
    int count = 0;
    nc_code code;
    (void)nc_model_set_share(model, share);
    if (o->what == NC_ORDER_STEP)
        code = do_step(model, o->timestep, report, NULL);
    else if (o->what == NC_ORDER_AUDIT_STEP)
        code = nc_model_audit_step(model, report, NULL);
    else
        code = nc_model_audit(model, NULL, 0, &count, NULL);
    (void)nc_model_set_share(model, NULL);
    (void)agree(share, model, code, err);
    return nc_share_check(share, err);
}

static nc_code follow(nc_share *share, nc_model model, nc_error *err)
{
    nc_model_report report = {.has_cloth = false};
    nc_code code = NC_OK;
    while (code == NC_OK) {
        order o;
        nc_share_begin(share);
        if (!nc_share_exchange(share, NC_SHARE_CONTROL, 0) || !nc_share_read(share, 0, &o, sizeof o))
            return nc_share_check(share, err);
        if (o.what == NC_ORDER_END) {
            (void)exchange_accounts(share);
            share->left = true;
            return NC_OK;
        }
        if (o.what == NC_ORDER_WORLD) {
            code = read_world(share, model, err);
            nc_model_forget_caches(model);
        } else {
            code = carry_out(share, model, &o, &report, err);
        }
    }
    return code;
}

nc_code nc_session_follow(const nc_exchange *exchange, int workers, const nc_allocator *allocator, bool *out_own,
                          nc_error *err)
{
    nc_share *share = NULL;
    nc_model model = {0};
    nc_error own = {0};
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_code code = nc_share_create(exchange, &memory, &share, &own);
    if (code == NC_OK)
        code = nc_model_create(nc_model_kind_of(""), workers, &memory, &model, &own);
    if (code == NC_OK)
        code = follow(share, model, &own);
    if (out_own != NULL)
        *out_own = code != NC_OK && (share == NULL || !share->left);
    if (share != NULL && code != NC_OK)
        nc_share_leave(share, &own);
    if (model.self != NULL)
        nc_model_destroy(model);
    nc_share_destroy(share);
    return code == NC_OK ? NC_OK : nc_fail(err, code, "%s", own.text);
}
