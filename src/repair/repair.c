// Repair: what is refused, what the exact test says of the rest, and the result.
#include "repair/repair.h"

#include <stdio.h>

typedef struct repairing {
    nc_world *world;
    const nc_repair_def *def;
    nc_layout layout;
    nc_conflicts conflicts, left;
    NC_ARRAY(nc_repair_move) moves;
    int rounds;
    bool gave_up; // not all pairs have the distance they are to have
} repairing;

nc_repair_def nc_repair_def_default(void)
{
    return (nc_repair_def){.limit = 0.02, .rounds = 60};
}

static nc_code check_def(const nc_repair_def *def, nc_error *err)
{
    if (!(def->limit > 0 && def->limit <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "limit is %g; allowed: above 0, at most 1", def->limit);
    if (def->rounds < 1 || def->rounds > 10000)
        return nc_fail(err, NC_BAD_ARGUMENT, "rounds is %d; allowed: 1 to 10000", def->rounds);
    if (def->pinned_count < 0 || (def->pinned_count > 0 && def->pinned == NULL))
        return nc_fail(err, NC_BAD_ARGUMENT, "pinned_count is %d without a list", def->pinned_count);
    return NC_OK;
}

// ---- the verdict --------------------------------------------------------------------------------------------

static nc_code leave(repairing *r, nc_conflict conflict, nc_error *err)
{
    return nc_array_push(&r->layout.allocator, &r->left, conflict) ? NC_OK : nc_fail_memory(err, sizeof conflict);
}

static bool can_move(const repairing *r, const nc_conflict *c)
{
    return r->layout.inv_mass[c->a.index] > 0 || r->layout.inv_mass[c->b.index] > 0;
}

// What is above the limit, or among bodies that stay, needs no try.
static nc_code refuse_early(repairing *r, nc_error *err)
{
    nc_code code = NC_OK;
    for (int k = 0; k < r->conflicts.count && code == NC_OK; k++) {
        const nc_conflict *c = &r->conflicts.data[k];
        if (c->kind != NC_CONFLICT_INSIDE && (!(c->depth <= c->allowed) || !can_move(r, c)))
            code = leave(r, *c, err);
    }
    return code;
}

static bool was_inside(const repairing *r, const nc_conflict *c)
{
    for (int k = 0; k < r->conflicts.count; k++) {
        const nc_conflict *old = &r->conflicts.data[k];
        if (old->kind == NC_CONFLICT_INSIDE && old->a.index == c->a.index && old->b.index == c->b.index)
            return true;
    }
    return false;
}

// The exact test of all pairs, as nc_world_check makes it. Nothing may have come inside anything, either.
static nc_code judge(repairing *r, nc_error *err)
{
    nc_conflicts found = {NULL, 0, 0};
    nc_code code = nc_layout_find_conflicts(&r->layout, r->def->limit, -1, &found, err);
    for (int k = 0; k < found.count && code == NC_OK; k++)
        if (found.data[k].kind != NC_CONFLICT_INSIDE || !was_inside(r, &found.data[k]))
            code = leave(r, found.data[k], err);
    nc_array_free(&r->layout.allocator, &found);
    if (code != NC_OK || r->left.count > 0)
        return code;
    return nc_layout_judge_motion(&r->layout, &r->conflicts, r->def->limit, &r->left, err);
}

static nc_code refuse(const repairing *r, nc_error *err)
{
    const nc_conflict *c = &r->left.data[0];
    char a[96], b[96], depth[32], allowed[32], more[64] = "";
    if (r->left.count > 1)
        snprintf(more, sizeof more, "; %d pairs are left in all", r->left.count);
    nc_body_label(r->world, (int)c->a.index, a, sizeof a);
    nc_body_label(r->world, (int)c->b.index, b, sizeof b);
    if (!can_move(r, c))
        return nc_fail(err, NC_INTERSECTING, "%s and %s cannot be moved apart: both are to stay%s", a, b, more);
    if (r->gave_up)
        return nc_fail(err, NC_INTERSECTING, "no room was found in %d rounds: %s and %s are still not apart%s",
                       r->rounds, a, b, more);
    if (!isfinite(c->depth))
        return nc_fail(err, NC_INTERSECTING,
                       "%s and %s cannot be moved apart: no translation of up to a quarter of the smaller one frees "
                       "them%s",
                       a, b, more);
    nc_length_text(c->depth, depth, sizeof depth);
    nc_length_text(c->allowed, allowed, sizeof allowed);
    return nc_fail(err, NC_INTERSECTING,
                   "%s and %s cannot be moved apart within the limit of %g%%: they need %s, allowed is %s%s", a, b,
                   100 * r->def->limit, depth, allowed, more);
}

// ---- the result ---------------------------------------------------------------------------------------------

static bool has_moved(const nc_layout *layout, int i)
{
    return nc_norm2(layout->travel[i]) > 0 || nc_norm2(layout->turn[i]) > 0;
}

static nc_code list_moves(repairing *r, nc_error *err)
{
    const nc_layout *layout = &r->layout;
    for (int i = 0; i < r->world->state.bodies.count; i++) {
        if (!has_moved(layout, i))
            continue;
        const nc_repair_move move = {nc_world_id(r->world, i), layout->start[i], layout->pose[i], layout->travel[i],
                                     layout->turn[i]};
        if (!nc_array_push(&layout->allocator, &r->moves, move))
            return nc_fail_memory(err, sizeof move);
    }
    return NC_OK;
}

static nc_code commit(repairing *r, nc_error *err)
{
    nc_code code = list_moves(r, err);
    for (int k = 0; k < r->moves.count && code == NC_OK; k++)
        code = nc_body_move(r->world, r->moves.data[k].body, r->moves.data[k].to, err);
    return code;
}

// nc_body_move normalises: what is judged is what it will make of the pose.
static void round_poses(nc_layout *layout)
{
    for (int i = 0; i < layout->world->state.bodies.count; i++)
        if (has_moved(layout, i))
            layout->pose[i].q = nc_quat_normalize(layout->pose[i].q);
}

static nc_code repair(repairing *r, nc_error *err)
{
    nc_code code = nc_layout_find_conflicts(&r->layout, r->def->limit, -1, &r->conflicts, err);
    if (code == NC_OK)
        code = refuse_early(r, err);
    if (code == NC_OK && r->left.count == 0) {
        code = nc_layout_move_apart(&r->layout, &r->conflicts, r->def->rounds, &r->rounds, &r->gave_up, err);
        if (code == NC_OK) {
            round_poses(&r->layout);
            code = judge(r, err);
        }
    }
    if (code != NC_OK)
        return code;
    return r->left.count > 0 ? refuse(r, err) : commit(r, err);
}

static void hand_over(repairing *r, nc_repair *out)
{
    *out = (nc_repair){.allocator = r->layout.allocator, .rounds = r->rounds};
    out->conflicts = r->conflicts.data;
    out->conflict_count = r->conflicts.count;
    out->conflict_capacity = r->conflicts.capacity;
    out->moves = r->moves.data;
    out->move_count = r->moves.count;
    out->move_capacity = r->moves.capacity;
    out->left = r->left.data;
    out->left_count = r->left.count;
    out->left_capacity = r->left.capacity;
}

nc_code nc_world_repair(nc_world *world, const nc_repair_def *def, nc_repair *out, nc_error *err)
{
    const nc_repair_def defaults = nc_repair_def_default();
    repairing r = {.world = world, .def = def != NULL ? def : &defaults};
    *out = (nc_repair){0};
    nc_code code = check_def(r.def, err);
    if (code != NC_OK || world->state.checked)
        return code;
    code = nc_layout_create(world, r.def, &r.layout, err);
    if (code != NC_OK)
        return code;
    code = repair(&r, err);
    hand_over(&r, out);
    nc_layout_free(&r.layout);
    return code;
}

nc_code nc_world_find_conflicts(const nc_world *world, const nc_repair_def *def, int measured, nc_repair *out,
                                nc_error *err)
{
    const nc_repair_def defaults = nc_repair_def_default();
    repairing r = {.def = def != NULL ? def : &defaults};
    *out = (nc_repair){0};
    nc_code code = check_def(r.def, err);
    if (code != NC_OK)
        return code;
    code = nc_layout_create(world, r.def, &r.layout, err);
    if (code != NC_OK)
        return code;
    code = nc_layout_find_conflicts(&r.layout, r.def->limit, measured, &r.conflicts, err);
    hand_over(&r, out);
    nc_layout_free(&r.layout);
    return code;
}

nc_code nc_world_find_inside(const nc_world *world, nc_repair *out, nc_error *err)
{
    const nc_repair_def def = nc_repair_def_default();
    repairing r = {.def = &def};
    *out = (nc_repair){0};
    nc_code code = nc_layout_create(world, &def, &r.layout, err);
    if (code != NC_OK)
        return code;
    code = nc_layout_find_inside(&r.layout, &r.conflicts, err);
    hand_over(&r, out);
    nc_layout_free(&r.layout);
    return code;
}
