// Groups of parts into pieces, if they are free.
#include "fracture/break.h"

#include <stdio.h>

#define MAX_TRIES 3 // doublings of the inset of a piece that is not free

static int parts_with_surface(const nc_breaker *b, int group)
{
    int count = 0;
    for (int p = 0; p < b->parts.count; p++)
        count += b->parts.data[p].group == group && b->parts.data[p].drawn.triangles.count > 0;
    return count;
}

static nc_code make_mesh(nc_breaker *b, int group, nc_vec3 center, nc_mesh **out, nc_error *err)
{
    nc_cut_mesh all = {0};
    bool ok = true;
    for (int p = 0; p < b->parts.count && ok; p++) {
        const nc_part *part = &b->parts.data[p];
        if (part->group != group)
            continue;
        ok = nc_array_reserve(&b->allocator, &b->scratch, part->drawn.vertices.count) &&
             nc_cut_mesh_append(&b->allocator, &all, &part->drawn, NULL, 0, center, b->scratch.data);
    }
    const nc_code code = ok ? nc_cut_mesh_finish(&b->allocator, &all, out, err)
                            : nc_fail_memory(err, (size_t)all.vertices.count * sizeof(nc_vec3));
    nc_cut_mesh_free(&b->allocator, &all);
    return code;
}

static nc_code make_piece(nc_breaker *b, int group, double density, nc_piece *out, nc_error *err)
{
    const nc_weight weight = b->parts.data[group].total;
    *out = (nc_piece){.center = weight.center,
                      .mass = density * weight.measure,
                      .measure = weight.measure,
                      .region = b->parts.data[group].region,
                      .part_count = parts_with_surface(b, group)};
    nc_weight_inertia(&weight, &out->principal, &out->principal_q);
    out->principal = nc_scale(density, out->principal);
    return make_mesh(b, group, weight.center, &out->mesh, err);
}

static bool is_free(const nc_breaker *b, const nc_piece *piece)
{
    return b->def->is_free == NULL || b->def->is_free(b->def->is_free_ctx, piece);
}

static nc_code draw_group_further(nc_breaker *b, int group, nc_error *err)
{
    nc_code code = NC_OK;
    for (int p = 0; p < b->parts.count && code == NC_OK; p++) {
        nc_part *part = &b->parts.data[p];
        if (part->group != group)
            continue;
        part->inset *= 2;
        part->doublings++;
        code = nc_part_draw(b, part, err);
    }
    return code;
}

// A piece of the group, drawn back until it is free; without a mesh when it never is.
static nc_code try_piece(nc_breaker *b, int group, double density, nc_piece *out, nc_error *err)
{
    for (int tries = 0;; tries++) {
        nc_code code = make_piece(b, group, density, out, err);
        if (code != NC_OK || is_free(b, out))
            return code;
        nc_mesh_release(out->mesh);
        out->mesh = NULL;
        if (tries == MAX_TRIES)
            return NC_OK;
        code = draw_group_further(b, group, err);
        if (code != NC_OK)
            return code;
        if (parts_with_surface(b, group) == 0)
            return NC_OK;
    }
}

static void forget_pieces(nc_breaker *b)
{
    for (int i = 0; i < b->out->list.count; i++)
        nc_mesh_release(b->out->list.data[i].mesh);
    b->out->list.count = 0;
}

// All pieces; *out_stuck is a group that is not free, -1: all are.
static nc_code make_all(nc_breaker *b, double density, int *out_stuck, nc_error *err)
{
    *out_stuck = -1;
    forget_pieces(b);
    for (int g = 0; g < b->parts.count; g++) {
        nc_piece piece;
        if (b->parts.data[g].group != g)
            continue;
        const nc_code code = try_piece(b, g, density, &piece, err);
        if (code != NC_OK)
            return code;
        if (piece.mesh == NULL) {
            *out_stuck = g;
            return NC_OK;
        }
        if (!nc_array_push(&b->allocator, &b->out->list, piece)) {
            nc_mesh_release(piece.mesh);
            return nc_fail_memory(err, sizeof piece);
        }
    }
    return NC_OK;
}

static bool was_joined(const nc_breaker *b, int group)
{
    for (int p = 0; p < b->parts.count; p++)
        if (b->parts.data[p].group == group && b->parts.data[p].stuck)
            return true;
    return false;
}

// A piece that is not free is joined to a neighbour, once: *out_whole when that did not help either.
static nc_code unstick(nc_breaker *b, int group, bool *out_whole, nc_error *err)
{
    int host = -1;
    *out_whole = was_joined(b, group);
    if (*out_whole)
        return NC_OK;
    for (int p = 0; p < b->parts.count; p++)
        if (b->parts.data[p].group == group)
            b->parts.data[p].stuck = true;
    b->out->joined++;
    const nc_code code = nc_group_join(b, group, &host, err);
    *out_whole = code == NC_OK && host < 0;
    return code;
}

static nc_code stay_whole(nc_breaker *b, const char *why)
{
    forget_pieces(b);
    (void)snprintf(b->out->why_whole, sizeof b->out->why_whole, "%s", why);
    return NC_OK;
}

nc_code nc_break_make_pieces(nc_breaker *b, nc_error *err)
{
    const double density = b->def->mass / b->measure;
    for (int stuck = 0; stuck >= 0;) {
        if (nc_group_count(b) < 2)
            return stay_whole(b, "its pieces are too small, or cannot be parted, so that fewer than two are left");
        nc_code code = make_all(b, density, &stuck, err);
        bool whole = false;
        if (code == NC_OK && stuck >= 0)
            code = unstick(b, stuck, &whole, err);
        // those drawn back further, and their neighbours, are seen to be apart once more
        if (code == NC_OK && stuck >= 0 && !whole)
            code = nc_break_part_all(b, err);
        if (code != NC_OK)
            return code;
        b->stuck = whole;
        if (whole)
            return stay_whole(b, "a piece would be too near to another body");
    }
    for (int p = 0; p < b->parts.count; p++)
        b->out->drawn_back = fmax(b->out->drawn_back, b->parts.data[p].inset);
    return NC_OK;
}
