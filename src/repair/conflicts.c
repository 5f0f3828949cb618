// Which pairs of a layout touch, overlap or are inside each other.
#include "repair/repair.h"

#define TOUCHING_SIZE 0x1p-16 // [1] of the smaller body: less deep is touching
#define TOUCHING_GAP  0x1p-5  // [1] of the gap at which a way out is measured: no finer than its bisection

void nc_repair_free(nc_repair *repair)
{
    const nc_allocator *allocator = &repair->allocator;
    if (allocator->resize == NULL)
        return;
    nc_free(allocator, repair->conflicts, (size_t)repair->conflict_capacity, sizeof *repair->conflicts);
    nc_free(allocator, repair->moves, (size_t)repair->move_capacity, sizeof *repair->moves);
    nc_free(allocator, repair->left, (size_t)repair->left_capacity, sizeof *repair->left);
    *repair = (nc_repair){0};
}

static nc_code measure(const nc_layout *layout, const nc_pair_look *look, nc_conflict *conflict, nc_error *err)
{
    const nc_posed_pair pair = nc_layout_pair(layout, look->i, look->j);
    const double size = fmin(nc_mesh_diagonal(pair.a), nc_mesh_diagonal(pair.b));
    nc_way_out out;
    const nc_code code = nc_way_out_find(&pair, &out, err);
    conflict->depth = fmax(out.travel - pair.gap, 0);
    conflict->direction = out.direction;
    if (conflict->depth <= fmax(TOUCHING_SIZE * size, TOUCHING_GAP * pair.gap)) {
        conflict->depth = 0;
        conflict->kind = NC_CONFLICT_TOUCHING;
    }
    return code;
}

static nc_code find_in_pair(const nc_layout *layout, int i, int j, double limit, int measured, nc_conflicts *out,
                            nc_error *err)
{
    nc_pair_look look;
    nc_code code = nc_layout_look(layout, i, j, 0, &look, err);
    if (code != NC_OK)
        return code;
    const nc_posed_pair pair = nc_layout_pair(layout, i, j);
    const nc_inside inside = look.conflicts ? NC_INSIDE_NEITHER : nc_pair_inside(&pair);
    if (!look.conflicts && inside == NC_INSIDE_NEITHER)
        return NC_OK;
    const double size = fmin(nc_mesh_diagonal(pair.a), nc_mesh_diagonal(pair.b));
    nc_conflict conflict = {.a = nc_world_id(layout->world, i),
                            .b = nc_world_id(layout->world, j),
                            .kind = look.crosses ? NC_CONFLICT_OVERLAPPING : NC_CONFLICT_TOUCHING,
                            .depth = NAN,
                            .allowed = limit * size + look.rest,
                            .where = look.where};
    if (inside != NC_INSIDE_NEITHER) {
        conflict.kind = NC_CONFLICT_INSIDE;
        conflict.a_is_inside = inside == NC_INSIDE_A_IN_B;
    } else if (measured < 0 || out->count < measured) {
        code = measure(layout, &look, &conflict, err);
    }
    if (code == NC_OK && !nc_array_push(&layout->allocator, out, conflict))
        code = nc_fail_memory(err, sizeof conflict);
    return code;
}

static nc_code find_inside_pair(const nc_layout *layout, int i, int j, nc_conflicts *out, nc_error *err)
{
    const nc_posed_pair pair = nc_layout_pair(layout, i, j);
    const nc_inside inside = nc_pair_inside(&pair);
    const nc_conflict conflict = {.a = nc_world_id(layout->world, i),
                                  .b = nc_world_id(layout->world, j),
                                  .kind = NC_CONFLICT_INSIDE,
                                  .a_is_inside = inside == NC_INSIDE_A_IN_B,
                                  .depth = NAN};
    if (inside == NC_INSIDE_NEITHER || nc_array_push(&layout->allocator, out, conflict))
        return NC_OK;
    return nc_fail_memory(err, sizeof conflict);
}

nc_code nc_layout_find_inside(const nc_layout *layout, nc_conflicts *out, nc_error *err)
{
    nc_pairs pairs = {NULL, 0, 0};
    nc_code code = nc_layout_near_pairs(layout, &pairs, err);
    for (int k = 0; k < pairs.count && code == NC_OK; k++)
        code = find_inside_pair(layout, pairs.data[k].a, pairs.data[k].b, out, err);
    nc_pairs_free(&pairs, &layout->allocator);
    return code;
}

nc_code nc_layout_find_conflicts(const nc_layout *layout, double limit, int measured, nc_conflicts *out, nc_error *err)
{
    nc_pairs pairs = {NULL, 0, 0};
    nc_code code = nc_layout_near_pairs(layout, &pairs, err);
    for (int k = 0; k < pairs.count && code == NC_OK; k++)
        code = find_in_pair(layout, pairs.data[k].a, pairs.data[k].b, limit, measured, out, err);
    nc_pairs_free(&pairs, &layout->allocator);
    return code;
}
