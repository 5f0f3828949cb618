// Rounds of looking and moving, in stages; and shorter motions in the end.
#include "repair/repair.h"

#include <limits.h>
#include <string.h>

// How rounds are made: each way as long as it helps.
typedef enum stage {
    STAGE_LEAST,   // the least motion from the start
    STAGE_GO_ON,   // the least motion from where bodies are: it does not take back what it did
    STAGE_TURNING, // with rotations
    STAGE_OVER
} stage;
// Rounds in a row without fewer unsatisfied pairs, after which the next stage begins.
static const int patience[STAGE_OVER] = {[STAGE_LEAST] = 1, [STAGE_GO_ON] = 10, [STAGE_TURNING] = 15};

#define SHORTENINGS 3    // tries to move less
#define TRACE       1e-3 // [1] of its rest distance: a motion that may be the solver's error
#define SHORTER     0.98 // [1] of the motion: worth another try

typedef struct rounds {
    nc_layout *layout;
    const nc_conflicts *conflicts; // at the start
    nc_mover mover;
    int most, made; // rounds
    bool gave_up;
    nc_vec3 *kept_travel, *kept_turn; // while shorter motions are tried
} rounds;

// ---- rounds -------------------------------------------------------------------------------------------------

// Bodies are pushed at most about as far as the deepest pair, and what is that near is examined from the start.
static double find_reach(const rounds *r)
{
    double reach = 0;
    for (int k = 0; k < r->conflicts->count; k++) {
        const nc_conflict *c = &r->conflicts->data[k];
        const double rest = nc_world_common_rest(r->layout->world, (int)c->a.index, (int)c->b.index);
        if (c->kind != NC_CONFLICT_INSIDE && isfinite(c->depth))
            reach = fmax(reach, c->depth + rest);
    }
    return reach;
}

static nc_code make_rounds(rounds *r, nc_error *err)
{
    nc_code code = NC_OK;
    int now = STAGE_LEAST, best = INT_MAX, idle = 0;
    for (r->made = 0; r->made < r->most && code == NC_OK; r->made++) {
        nc_layout_set_turning(r->layout, now == STAGE_TURNING);
        code = nc_mover_look(&r->mover, err);
        if (code != NC_OK || r->mover.unsatisfied == 0)
            break;
        idle = r->mover.unsatisfied < best ? 0 : idle + 1;
        best = r->mover.unsatisfied < best ? r->mover.unsatisfied : best;
        if (idle >= patience[now]) {
            now++;
            idle = 0;
        }
        if (now == STAGE_OVER)
            break;
        code = nc_mover_solve(&r->mover, now != STAGE_LEAST, err);
    }
    r->gave_up = code == NC_OK && r->mover.unsatisfied > 0;
    return code;
}

// Twice the mass-weighted motion [kg m^2], rotation left out.
static double motion_of(const nc_layout *layout)
{
    double sum = 0;
    for (int i = 0; i < layout->world->state.bodies.count; i++)
        if (layout->inv_mass[i] > 0)
            sum += nc_norm2(layout->travel[i]) / layout->inv_mass[i];
    return sum;
}

static void keep_motion(rounds *r)
{
    const size_t bytes = r->layout->count * sizeof *r->layout->travel;
    memcpy(r->kept_travel, r->layout->travel, bytes);
    memcpy(r->kept_turn, r->layout->turn, bytes);
}

// Looks whether all pairs have their distance, and motion is less than `most`; else takes back what was kept.
static nc_code judge_shorter(rounds *r, double most, bool *out, nc_error *err)
{
    nc_layout *layout = r->layout;
    const size_t bytes = layout->count * sizeof *layout->travel;
    const nc_code code = nc_mover_look(&r->mover, err);
    *out = code == NC_OK && r->mover.unsatisfied == 0 && motion_of(layout) < most;
    if (!*out) {
        memcpy(layout->travel, r->kept_travel, bytes);
        memcpy(layout->turn, r->kept_turn, bytes);
        nc_layout_place(layout);
    }
    return code;
}

// All pairs have their distance, and their rows are known where they are now: is there a shorter motion from the start?
static nc_code try_shorter(rounds *r, bool *out, nc_error *err)
{
    const double motion = motion_of(r->layout);
    *out = false;
    keep_motion(r);
    const nc_code code = nc_mover_solve(&r->mover, false, err);
    return code == NC_OK ? judge_shorter(r, SHORTER * motion, out, err) : code;
}

// Bodies that moved by no more than the solver's error stay where they were, if that does.
static nc_code drop_traces(rounds *r, nc_error *err)
{
    nc_layout *layout = r->layout;
    bool shorter;
    keep_motion(r);
    for (int i = 0; i < layout->world->state.bodies.count; i++) {
        if (!(layout->inv_mass[i] > 0))
            continue;
        const double moved =
            nc_norm(layout->travel[i]) + nc_norm(layout->turn[i]) * nc_mesh_radius(nc_layout_mesh(layout, i));
        if (moved < TRACE * nc_world_body_rest(layout->world, i))
            layout->travel[i] = layout->turn[i] = nc_v3(0, 0, 0);
    }
    nc_layout_place(layout);
    return judge_shorter(r, INFINITY, &shorter, err);
}

static nc_code shorten(rounds *r, nc_error *err)
{
    nc_layout *layout = r->layout;
    nc_code code = NC_OK;
    bool shorter = true;
    r->kept_travel = nc_alloc(&layout->allocator, layout->count, sizeof *r->kept_travel);
    r->kept_turn = nc_alloc(&layout->allocator, layout->count, sizeof *r->kept_turn);
    if (r->kept_travel == NULL || r->kept_turn == NULL)
        code = nc_fail_memory(err, layout->count * sizeof *r->kept_turn);
    for (int k = 0; k < SHORTENINGS && shorter && code == NC_OK; k++)
        code = try_shorter(r, &shorter, err);
    if (code == NC_OK)
        code = drop_traces(r, err);
    nc_free(&layout->allocator, r->kept_travel, layout->count, sizeof *r->kept_travel);
    nc_free(&layout->allocator, r->kept_turn, layout->count, sizeof *r->kept_turn);
    return code;
}

nc_code nc_layout_move_apart(nc_layout *layout, const nc_conflicts *conflicts, int most, int *out_rounds,
                             bool *out_gave_up, nc_error *err)
{
    rounds r = {.layout = layout, .conflicts = conflicts, .most = most};
    layout->reach = find_reach(&r);
    nc_code code = nc_mover_create(layout, conflicts, &r.mover, err);
    if (code != NC_OK)
        return code;
    code = make_rounds(&r, err);
    if (code == NC_OK && !r.gave_up && r.made > 0)
        code = shorten(&r, err);
    nc_mover_free(&r.mover);
    layout->reach = 0;
    *out_rounds = r.made;
    *out_gave_up = r.gave_up;
    return code;
}
