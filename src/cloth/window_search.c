// What a search owns, and trees over boxes of the model's rows.
#include "cloth/window.h"

#include <string.h>

void nc_search_boxes(nc_cloth_search *search, const nc_cloth_model *model)
{
    const nc_box *box = search->vertex_boxes;
    for (int i = 0; i < model->triangles.count; i++) {
        const int *v = model->triangles.data[i].v;
        search->triangle_boxes[i] = nc_box_union(nc_box_union(box[v[0]], box[v[1]]), box[v[2]]);
    }
    for (int i = 0; i < model->edges.count; i++) {
        const int *v = model->edges.data[i].v;
        search->edge_boxes[i] = nc_box_union(box[v[0]], box[v[1]]);
    }
}

bool nc_search_tree(const nc_bvh *tree, const nc_box *boxes, nc_box box, nc_search_visit visit, void *ctx)
{
    int stack[NC_BVH_MAX_DEPTH + 1], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int n = stack[--top];
        const nc_bvh_node *node = &tree->nodes[n];
        if (!nc_box_overlap(node->box, box))
            continue;
        for (int i = node->first; i < node->first + node->count; i++)
            if (nc_box_overlap(boxes[tree->order[i]], box) && !visit(tree->order[i], ctx))
                return false;
        if (node->count == 0) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
        }
    }
    return true;
}

// ---- vertices -----------------------------------------------------------------------------------------------

static double larger(double a, double b)
{
    return b <= a ? a : b; // keeps NaN
}

// Kicks come in the order of time: one pass finds where each vertex was first, another how far it strayed.
void nc_search_vertices(nc_cloth_search *search, const nc_cloth_state *states, const nc_cloth_trace *trace, double unit)
{
    double size = 0;
    for (int v = 0; v < search->paths.vertex_count; v++) {
        nc_window_vertex *w = &search->vertices[v];
        w->jump = nc_neg(w->to);
        w->from = nc_cloth_position_at(&states[v], trace->begin, unit);
        w->to = nc_cloth_position_at(&states[v], trace->end, unit);
        w->stray = 0;
    }
    for (int i = 0; i < trace->count; i++) {
        const nc_cloth_piece *p = &trace->pieces[i];
        if (p->before < 0)
            search->vertices[p->vertex].from =
                nc_cloth_position_at(&(nc_cloth_state){.x = p->x, .v = p->v, .t = p->t}, trace->begin, unit);
    }
    const double scale = trace->end > trace->begin ? 1 / (double)(trace->end - trace->begin) : 0;
    for (int i = 0; i < trace->count; i++) {
        const nc_cloth_piece *p = &trace->pieces[i];
        nc_window_vertex *w = &search->vertices[p->vertex];
        if (p->before < 0)
            continue;
        const double s = (double)(p->t - trace->begin) * scale;
        const nc_vec3 off = nc_sub(p->x, nc_madd(w->from, s, nc_sub(w->to, w->from)));
        w->stray = larger(w->stray, nc_norm2(off));
    }
    for (int v = 0; v < search->paths.vertex_count; v++) {
        nc_window_vertex *w = &search->vertices[v];
        if (states[v].t > trace->begin) { // its last kick is no piece yet
            const double s = (double)(states[v].t - trace->begin) * scale;
            w->stray = larger(w->stray, nc_norm2(nc_sub(states[v].x, nc_madd(w->from, s, nc_sub(w->to, w->from)))));
        }
        w->stray = sqrt(w->stray) * (1 + 0x1p-40);
        w->ahead = nc_add(w->to, nc_sub(w->to, w->from));
        w->jump = nc_add(w->jump, w->from);
        size = larger(size, larger(nc_max3(w->from), nc_max3(w->to)) + w->stray);
    }
    search->paths.size = size;
}

// ---- making one ---------------------------------------------------------------------------------------------

static bool take_room(nc_cloth_search *search, const nc_cloth_model *model)
{
    const nc_allocator *a = &search->allocator;
    const size_t vertices = (size_t)model->vertex_count + 1;
    search->vertices = nc_alloc(a, vertices, sizeof *search->vertices);
    search->thickness = nc_alloc(a, vertices, sizeof *search->thickness);
    search->wanted = nc_alloc(a, vertices, sizeof *search->wanted);
    search->vertex_boxes = nc_alloc(a, vertices, sizeof *search->vertex_boxes);
    search->triangle_boxes = nc_alloc(a, (size_t)model->triangles.count + 1, sizeof *search->triangle_boxes);
    search->edge_boxes = nc_alloc(a, (size_t)model->edges.count + 1, sizeof *search->edge_boxes);
    search->crossings = nc_alloc(a, vertices + (size_t)model->edges.count, sizeof *search->crossings);
    return search->vertices != NULL && search->thickness != NULL && search->wanted != NULL &&
           search->vertex_boxes != NULL && search->triangle_boxes != NULL && search->edge_boxes != NULL &&
           search->crossings != NULL;
}

nc_code nc_cloth_search_create(const nc_cloth_model *model, nc_cloth_search **out, nc_error *err)
{
    nc_cloth_search *search = nc_alloc(&model->allocator, 1, sizeof *search);
    *out = NULL;
    if (search == NULL)
        return nc_fail_memory(err, sizeof *search);
    search->allocator = model->allocator;
    search->workers = model->settings.workers;
    search->triangle_count = model->triangles.count;
    search->edge_count = model->edges.count;
    if (!nc_paths_create(&search->paths, model->vertex_count, &model->allocator) || !take_room(search, model) ||
        !nc_window_clusters_build(&search->clusters, model, &model->allocator)) {
        nc_cloth_search_destroy(search);
        return nc_fail_memory(err, (size_t)model->vertex_count * sizeof *search->vertices);
    }
    nc_cloth_thicknesses(model, search->thickness);
    *out = search;
    return NC_OK;
}

void nc_cloth_search_set_workers(nc_cloth_search *search, int workers)
{
    search->workers = workers;
}

void nc_cloth_search_destroy(nc_cloth_search *search)
{
    if (search == NULL)
        return;
    const nc_allocator a = search->allocator;
    const size_t vertices = (size_t)search->paths.vertex_count + 1;
    nc_free(&a, search->vertices, vertices, sizeof *search->vertices);
    nc_free(&a, search->thickness, vertices, sizeof *search->thickness);
    nc_free(&a, search->wanted, vertices, sizeof *search->wanted);
    nc_free(&a, search->vertex_boxes, vertices, sizeof *search->vertex_boxes);
    nc_free(&a, search->triangle_boxes, (size_t)search->triangle_count + 1, sizeof *search->triangle_boxes);
    nc_free(&a, search->edge_boxes, (size_t)search->edge_count + 1, sizeof *search->edge_boxes);
    nc_free(&a, search->crossings, vertices + (size_t)search->edge_count, sizeof *search->crossings);
    nc_free(&a, search->bounds, (size_t)search->bound_capacity, sizeof *search->bounds);
    nc_array_free(&a, &search->near);
    nc_window_list_free(search);
    nc_window_clusters_free(&search->clusters, &a);
    nc_paths_free(&search->paths);
    nc_free(&a, search, 1, sizeof *search);
}
