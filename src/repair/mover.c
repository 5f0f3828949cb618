// Least motion: rows that keep near pairs apart, linear in the displacements since the start, and their solution.
//
// A round examines the layout as it is. A pair that crosses gives one row along its way out; a pair that is near gives
// a row for each contact. All rows are about displacements since the start, so each solve starts from zero motion again
// and what an earlier round moved too far comes back: sequential quadratic programming on
//     min 1/2 sum m |u|^2   subject to   n . (u_A - u_B) >= need,
// which is what resting contact without friction is, with displacements for velocities.
#include "repair/repair.h"

#define AIM       1.01   // [1] times the wanted distance: what is asked of the solver, so that its error does not count
#define KEEPS     0.75   // [1] of their distance: others than those in conflict may come that much nearer
#define PARALLEL  0.9999 // [1] cosine: rows of a pair that say the same of translations
#define SWEEPS    1000   // [1] of a round; what they leave, the next one sees
#define TOLERANCE 1e-6   // [1]
#define NEWTON    400    // [1] bodies of an island
#define FARTHEST  1.0    // [1] times its size: how far a body moves in a round, at most

void nc_mover_free(nc_mover *mover)
{
    const nc_layout *layout = mover->layout;
    nc_array_free(&layout->allocator, &mover->wishes);
    nc_array_free(&layout->allocator, &mover->rows);
    nc_proximity_list_free(&mover->near);
    nc_contact_work_destroy(mover->work);
    nc_free(&layout->allocator, mover->v, layout->count, sizeof *mover->v);
    nc_free(&layout->allocator, mover->w, layout->count, sizeof *mover->w);
}

// ---- what pairs are to keep ---------------------------------------------------------------------------------

static const nc_conflict *find_conflict(const nc_conflicts *conflicts, int *next, int i, int j)
{
    const uint64_t key = nc_pair_key(i, j);
    while (*next < conflicts->count) {
        const nc_conflict *c = &conflicts->data[*next];
        const uint64_t at = nc_pair_key((int)c->a.index, (int)c->b.index);
        if (at >= key)
            return at == key && c->kind != NC_CONFLICT_INSIDE ? c : NULL;
        ++*next;
    }
    return NULL;
}

// Others than those in conflict keep what they have, so that nothing moves only to be a little farther apart.
static nc_code add_wish(nc_mover *mover, int i, int j, const nc_conflict *conflict, nc_error *err)
{
    const nc_layout *layout = mover->layout;
    const double rest = nc_world_common_rest(layout->world, i, j);
    nc_pair_wish wish = {.key = nc_pair_key(i, j), .distance = rest};
    if (conflict != NULL) {
        wish.conflict = true;
        wish.depth = conflict->depth;
        wish.direction = conflict->direction;
    } else {
        nc_pair_look look;
        const nc_code code = nc_layout_look(layout, i, j, AIM * rest, &look, err);
        if (code != NC_OK || look.distance >= AIM * rest)
            return code;
        wish.distance = look.distance;
    }
    return nc_array_push(&layout->allocator, &mover->wishes, wish) ? NC_OK : nc_fail_memory(err, sizeof wish);
}

static nc_code find_wishes(nc_mover *mover, const nc_conflicts *conflicts, nc_error *err)
{
    const nc_layout *layout = mover->layout;
    nc_pairs pairs = {NULL, 0, 0};
    int next = 0;
    nc_code code = nc_layout_near_pairs(layout, &pairs, err);
    for (int k = 0; k < pairs.count && code == NC_OK; k++) {
        const int i = pairs.data[k].a, j = pairs.data[k].b;
        code = add_wish(mover, i, j, find_conflict(conflicts, &next, i, j), err);
    }
    nc_pairs_free(&pairs, &layout->allocator);
    return code;
}

static const nc_pair_wish *find_wish(const nc_mover *mover, int i, int j)
{
    const uint64_t key = nc_pair_key(i, j);
    int low = 0, high = mover->wishes.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (mover->wishes.data[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < mover->wishes.count && mover->wishes.data[low].key == key ? &mover->wishes.data[low] : NULL;
}

nc_code nc_mover_create(nc_layout *layout, const nc_conflicts *conflicts, nc_mover *out, nc_error *err)
{
    *out = (nc_mover){.layout = layout, .near = {.allocator = &layout->allocator}};
    out->v = nc_alloc(&layout->allocator, layout->count, sizeof *out->v);
    out->w = nc_alloc(&layout->allocator, layout->count, sizeof *out->w);
    out->work = nc_contact_work_create(&layout->allocator);
    nc_code code = NC_OK;
    if (out->v == NULL || out->w == NULL || out->work == NULL)
        code = nc_fail_memory(err, layout->count * sizeof *out->v);
    if (code == NC_OK)
        code = find_wishes(out, conflicts, err);
    if (code != NC_OK)
        nc_mover_free(out);
    return code;
}

// ---- rows ---------------------------------------------------------------------------------------------------

static nc_vec3 displacement(const nc_layout *layout, int row, nc_vec3 arm)
{
    return nc_add(layout->travel[row], nc_cross(layout->turn[row], arm));
}

// While bodies do not turn, rows along the same direction say the same: the one that needs most stays.
static bool replaces(nc_mover *mover, int first, const nc_contact *row)
{
    if (nc_norm2(mover->layout->inv_inertia[row->a].row[0]) + nc_norm2(mover->layout->inv_inertia[row->b].row[0]) > 0)
        return false;
    for (int k = first; k < mover->rows.count; k++) {
        nc_contact *other = &mover->rows.data[k];
        if (nc_dot(other->normal, row->normal) < PARALLEL)
            continue;
        if (row->target > other->target)
            *other = *row;
        return true;
    }
    return false;
}

// A row: A's point against B's is to move by `need` more along the normal. Rows from `first` on are the pair's.
static nc_code add_row(nc_mover *mover, int first, const nc_pair_look *pair, const nc_proximity *at, double need,
                       nc_error *err)
{
    const nc_layout *layout = mover->layout;
    nc_contact row = {.a = pair->i, .b = pair->j, .normal = at->normal, .feature = at->feature};
    row.arm_a = nc_sub(at->on_a, layout->pose[pair->i].x);
    row.arm_b = nc_sub(at->on_b, layout->pose[pair->j].x);
    const nc_vec3 moved = nc_sub(displacement(layout, pair->i, row.arm_a), displacement(layout, pair->j, row.arm_b));
    row.target = need + nc_dot(row.normal, moved);
    if (!isfinite(row.target) || replaces(mover, first, &row))
        return NC_OK;
    return nc_array_push(&layout->allocator, &mover->rows, row) ? NC_OK : nc_fail_memory(err, sizeof row);
}

// The way out of a pair that crosses; one without any has no row, and stays unsatisfied.
static nc_code add_way_out(nc_mover *mover, const nc_pair_look *look, const nc_pair_wish *wish, double aim,
                           nc_error *err)
{
    const nc_posed_pair pair = nc_layout_pair(mover->layout, look->i, look->j);
    nc_way_out way = {0};
    nc_code code = NC_OK;
    if (mover->looks == 1 && wish != NULL && wish->conflict)
        way = (nc_way_out){wish->depth + pair.gap, wish->direction, look->where.place};
    else
        code = nc_way_out_find(&pair, &way, err);
    if (code != NC_OK || !isfinite(way.travel))
        return code;
    const nc_proximity at = {.on_a = way.place, .on_b = way.place, .normal = way.direction};
    return add_row(mover, mover->rows.count, look, &at, way.travel - pair.gap + aim, err);
}

static nc_code add_near(nc_mover *mover, const nc_pair_look *look, double within, double aim, nc_error *err)
{
    const nc_layout *layout = mover->layout;
    const int first = mover->rows.count;
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true;
    mover->near.count = 0;
    nc_code code =
        nc_proximity_find(nc_layout_mesh(layout, look->i), layout->pose[look->i], nc_layout_mesh(layout, look->j),
                          layout->pose[look->j], within, &options, &mover->near, err);
    for (int k = 0; k < mover->near.count && code == NC_OK; k++)
        code = add_row(mover, first, look, &mover->near.data[k], aim - mover->near.data[k].distance, err);
    return code;
}

// How far the two have been moved against each other, at most.
static double relative_motion(const nc_layout *layout, int i, int j)
{
    return nc_norm(nc_sub(layout->travel[i], layout->travel[j])) +
           nc_norm(layout->turn[i]) * nc_mesh_radius(nc_layout_mesh(layout, i)) +
           nc_norm(layout->turn[j]) * nc_mesh_radius(nc_layout_mesh(layout, j));
}

static nc_code look_at(nc_mover *mover, int i, int j, nc_error *err)
{
    const nc_layout *layout = mover->layout;
    const nc_pair_wish *wish = find_wish(mover, i, j);
    const double rest = nc_world_common_rest(layout->world, i, j);
    const double wanted = wish != NULL ? wish->distance : rest;
    const double aim = wish == NULL || wish->conflict ? AIM * wanted : wanted;
    const double least = wish == NULL || wish->conflict ? NC_REST_ROUNDING * wanted : KEEPS * wanted;
    // What was moved apart must keep its rows, or the next solve would take it back.
    const double within = aim + layout->reach + relative_motion(layout, i, j);
    nc_pair_look look;
    nc_code code = nc_layout_look(layout, i, j, within, &look, err);
    if (code != NC_OK)
        return code;
    mover->unsatisfied += look.conflicts || look.distance < least;
    if (look.crosses)
        return add_way_out(mover, &look, wish, aim, err);
    return look.distance <= within ? add_near(mover, &look, within, aim, err) : NC_OK;
}

nc_code nc_mover_look(nc_mover *mover, nc_error *err)
{
    const nc_layout *layout = mover->layout;
    nc_pairs pairs = {NULL, 0, 0};
    mover->rows.count = 0;
    mover->unsatisfied = 0;
    mover->looks++;
    nc_code code = nc_layout_near_pairs(layout, &pairs, err);
    for (int k = 0; k < pairs.count && code == NC_OK; k++) {
        const int i = pairs.data[k].a, j = pairs.data[k].b;
        if (layout->inv_mass[i] > 0 || layout->inv_mass[j] > 0)
            code = look_at(mover, i, j, err);
    }
    nc_pairs_free(&pairs, &layout->allocator);
    return code;
}

// ---- the solve ----------------------------------------------------------------------------------------------

static nc_solve_settings solve_settings(const nc_layout *layout)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = SWEEPS;
    settings.tolerance = TOLERANCE;
    settings.newton = NEWTON;
    settings.clamp = settings.shock = false;
    settings.workers = layout->world->settings.workers;
    return settings;
}

// What does not make sense, or is far too much, is not moved in this round.
static void take(nc_mover *mover, int i)
{
    nc_layout *layout = mover->layout;
    const nc_vec3 change = nc_sub(mover->v[i], layout->travel[i]), turned = nc_sub(mover->w[i], layout->turn[i]);
    const double size = nc_mesh_diagonal(nc_layout_mesh(layout, i));
    const double moved = nc_norm(change) + 0.5 * size * nc_norm(turned);
    if (!isfinite(moved))
        return;
    const double part = moved > FARTHEST * size ? FARTHEST * size / moved : 1;
    layout->travel[i] = part < 1 ? nc_madd(layout->travel[i], part, change) : mover->v[i];
    layout->turn[i] = part < 1 ? nc_madd(layout->turn[i], part, turned) : mover->w[i];
}

nc_code nc_mover_solve(nc_mover *mover, bool go_on, nc_error *err)
{
    nc_layout *layout = mover->layout;
    const int count = layout->world->state.bodies.count;
    for (int i = 0; i < count; i++) {
        mover->v[i] = go_on ? layout->travel[i] : nc_v3(0, 0, 0);
        mover->w[i] = go_on ? layout->turn[i] : nc_v3(0, 0, 0);
    }
    const nc_solver_bodies bodies = {count, layout->inv_mass, layout->inv_inertia, mover->v, mover->w, NULL, NULL};
    const nc_solve_settings settings = solve_settings(layout);
    const nc_code code =
        nc_contact_solve(mover->work, &bodies, mover->rows.data, mover->rows.count, &settings, NULL, err);
    for (int i = 0; code == NC_OK && i < count; i++)
        if (layout->inv_mass[i] > 0)
            take(mover, i);
    if (code == NC_OK)
        nc_layout_place(layout);
    return code;
}
