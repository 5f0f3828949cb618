// The list of pairs that may come near: made rarely, looked through at every window.
//
// Each vertex has an anchor and some room. While all stay within their rooms, a pair whose distance at the anchors is
// above its thickness, the reach and the rooms of both sides cannot come within thickness and reach. The list has all
// others.
#include "acm/window.h"

// Room for at least this part of the thickness, and for so many windows like the present one.
#define LEAST_ROOM    0.25
#define WINDOWS_AHEAD 6.0

// How far those that are free are from `origin` on average (NULL: from where they began), at both ends of the window.
typedef struct drift {
    nc_vec3 from, to; // [m]
} drift;

static drift mean_of_free(const nc_acm_search *search, const nc_acm_model *model, const nc_vec3 *origin)
{
    drift d = {{0, 0, 0}, {0, 0, 0}};
    int count = 0;
    for (int o = 0; o < model->objects.count; o++) {
        const nc_acm_object *object = &model->objects.data[o];
        if (object->type == NC_CLOTH_OBSTACLE)
            continue;
        for (int v = object->first_vertex; v < object->first_vertex + object->vertex_count; v++) {
            const nc_vec3 seen_from = origin != NULL ? origin[v] : search->vertices[v].from;
            d.from = nc_add(d.from, nc_sub(search->vertices[v].from, seen_from));
            d.to = nc_add(d.to, nc_sub(search->vertices[v].to, seen_from));
        }
        count += object->vertex_count;
    }
    const double share = count > 0 ? 1.0 / count : 0;
    return (drift){nc_scale(share, d.from), nc_scale(share, d.to)};
}

// A vertex is where its chord is, up to its stray; seen from a place that drifts evenly that is a chord again.
bool nc_window_list_holds(const nc_acm_search *search, const nc_acm_model *model, double reach)
{
    if (!search->list.valid || reach > search->list.reach)
        return false;
    const drift d = mean_of_free(search, model, search->list.anchor);
    for (int v = 0; v < model->vertex_count; v++) {
        const nc_window_vertex *w = &search->vertices[v];
        const double from = nc_norm2(nc_sub(nc_sub(w->from, search->list.anchor[v]), d.from));
        const double to = nc_norm2(nc_sub(nc_sub(w->to, search->list.anchor[v]), d.to));
        if (!(sqrt(from > to ? from : to) + w->stray <= w->room))
            return false;
    }
    return true;
}

// Around where all is at the begin of the window.
static void place_anchors(nc_acm_search *search, const nc_acm_model *model)
{
    const drift d = mean_of_free(search, model, NULL);
    for (int v = 0; v < model->vertex_count; v++) {
        nc_window_vertex *w = &search->vertices[v];
        const double travel = nc_norm(nc_sub(nc_sub(w->to, w->from), d.to)) + w->stray;
        w->room = fmax(WINDOWS_AHEAD * travel, LEAST_ROOM * search->thickness[v]);
        search->list.anchor[v] = w->from;
    }
}

// Boxes of vertices with their rooms.
static void fill_boxes(nc_acm_search *search, const nc_acm_model *model)
{
    for (int v = 0; v < model->vertex_count; v++) {
        const double r = search->vertices[v].room * (1 + 0x1p-40) + 4 * NC_PATH_ROUNDING * search->paths.size;
        const nc_vec3 x = search->list.anchor[v], pad = nc_v3(r, r, r);
        search->vertex_boxes[v] = (nc_box){nc_sub(x, pad), nc_add(x, pad)};
    }
    nc_search_boxes(search, model);
}

typedef struct listing {
    nc_acm_search *search;
    const nc_acm_model *model;
    nc_acm_kind kind;
    int row;      // of the query: the pair's a
    double reach; // [m]
} listing;

static double room_of(const nc_acm_search *search, const int vertex[4], int first, int last)
{
    double room = 0;
    for (int i = first; i < last; i++)
        room = fmax(room, search->vertices[vertex[i]].room);
    return room;
}

// Adds the pair when it may come near. False when out of memory.
static bool list_pair(int other, void *ctx)
{
    const listing *l = ctx;
    nc_acm_search *search = l->search;
    nc_candidate c = {.pair = {l->kind, l->row, other}};
    if ((l->kind != NC_ACM_VERTEX_TRIANGLE && other <= l->row) || !nc_acm_pair_applies(l->model, c.pair))
        return true;
    const nc_hull_kind hull = nc_acm_pair_hull(l->model, c.pair, c.vertex);
    const int split = hull == NC_HULL_TRIANGLE ? 1 : 2;
    const double rooms = room_of(search, c.vertex, 0, split) + room_of(search, c.vertex, split, 4);
    nc_vec3 at[4], w[4];
    for (int i = 0; i < 4; i++)
        at[i] = search->list.anchor[c.vertex[i]];
    nc_find_differences(hull, at, w);
    c.n = nc_find_nearest(hull, w);
    // Along n, not its length: what is nearest among slivers is known badly, what a direction proves is not.
    double least = INFINITY;
    for (int i = 0; i < (int)hull; i++)
        least = fmin(least, nc_dot(c.n, w[i]));
    const double length = nc_norm(c.n);
    const double slack = (length > 0 ? least / length : 0) - (rooms + l->reach) * (1 + 0x1p-40) -
                         8 * NC_PATH_ROUNDING * search->paths.size;
    if (slack > fmax(search->thickness[c.vertex[0]], search->thickness[c.vertex[split]]))
        return true;
    c.thickness = nc_acm_pair_thickness(l->model, c.pair);
    if (slack > c.thickness * (1 + 0x1p-40))
        return true;
    return nc_array_push(&search->allocator, &search->list.candidates, c);
}

// A row's candidates come in the order of the tree.
static void sort_row(nc_candidate *c, int count)
{
    for (int i = 1; i < count; i++) {
        const nc_candidate moved = c[i];
        int k = i;
        for (; k > 0 && c[k - 1].pair.b > moved.pair.b; k--)
            c[k] = c[k - 1];
        c[k] = moved;
    }
}

static nc_box padded(nc_box box, double pad)
{
    const nc_vec3 p = nc_v3(pad, pad, pad);
    return (nc_box){nc_sub(box.lo, p), nc_add(box.hi, p)};
}

// What may be near one row of the kind's first side.
static bool list_row(listing *l, const nc_bvh *tree, const nc_box *boxes, nc_box box, int vertex)
{
    const double pad = (l->search->thickness[vertex] + l->reach) * (1 + 0x1p-40);
    const int first = l->search->list.candidates.count;
    if (!nc_search_tree(tree, boxes, padded(box, pad), list_pair, l))
        return false;
    sort_row(l->search->list.candidates.data + first, l->search->list.candidates.count - first);
    return true;
}

static bool list_rows(listing *l, const nc_bvh *tree, const nc_box *boxes)
{
    const nc_acm_search *search = l->search;
    const nc_acm_model *model = l->model;
    if (l->kind == NC_ACM_VERTEX_TRIANGLE) {
        for (l->row = 0; l->row < model->vertex_count; l->row++)
            if (!list_row(l, tree, boxes, search->vertex_boxes[l->row], l->row))
                return false;
    } else if (l->kind == NC_ACM_EDGE_EDGE) {
        for (l->row = 0; l->row < model->edges.count; l->row++)
            if (!list_row(l, tree, boxes, boxes[l->row], model->edges.data[l->row].v[0]))
                return false;
    } else {
        for (int i = 0; i < model->points.count; i++) {
            l->row = model->points.data[i];
            if (!list_row(l, tree, boxes, boxes[l->row], l->row))
                return false;
        }
    }
    return true;
}

// Particles have no rows of their own: their tree is over all vertices, and nc_acm_pair_applies leaves out the others.
static bool list_kind(listing *l, nc_acm_kind kind, const nc_box *boxes, int count)
{
    nc_bvh tree;
    l->kind = kind;
    if (count == 0)
        return true;
    if (!nc_bvh_build(&l->search->allocator, boxes, count, &tree))
        return false;
    const bool done = list_rows(l, &tree, boxes);
    nc_bvh_free(&l->search->allocator, &tree);
    return done;
}

bool nc_window_list_build(nc_acm_search *search, const nc_acm_model *model, double reach)
{
    listing l = {.search = search, .model = model, .reach = reach};
    nc_window_list *list = &search->list;
    list->valid = false;
    list->candidates.count = 0;
    place_anchors(search, model);
    fill_boxes(search, model);
    const int points = model->points.count > 0 ? model->vertex_count : 0;
    list->valid = list_kind(&l, NC_ACM_VERTEX_TRIANGLE, search->triangle_boxes, model->triangles.count) &&
                  list_kind(&l, NC_ACM_EDGE_EDGE, search->edge_boxes, model->edges.count) &&
                  list_kind(&l, NC_ACM_POINT_POINT, search->vertex_boxes, points);
    list->reach = reach;
    list->built++;
    return list->valid;
}
