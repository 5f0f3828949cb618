// The pairs with certificates, and which of them each vertex supports (Harmon et al. 5.2, Fig. 7b).
#include "cloth/kinetic.h"

static nc_dop_tree *first_tree(nc_cloth_kinetic *kinetic, nc_cloth_pair_kind kind)
{
    return kind == NC_CLOTH_EDGE_EDGE ? &kinetic->edges : &kinetic->vertices;
}

static nc_dop_tree *second_tree(nc_cloth_kinetic *kinetic, nc_cloth_pair_kind kind)
{
    return kind == NC_CLOTH_VERTEX_TRIANGLE ? &kinetic->triangles : first_tree(kinetic, kind);
}

bool nc_kinetic_pair_near(const nc_cloth_kinetic *kinetic, nc_cloth_pair pair)
{
    nc_cloth_kinetic *k = (nc_cloth_kinetic *)kinetic; // the trees are only read
    int v[4];
    const int count = nc_cloth_pair_vertices(kinetic->model, pair, v);
    const double reach = fmax(kinetic->thickness[v[0]], kinetic->thickness[v[count - 1]]);
    return nc_dop_near(&first_tree(k, pair.kind)->rows[pair.a], &second_tree(k, pair.kind)->rows[pair.b], reach);
}

static void link_pair(nc_cloth_kinetic *kinetic, int row)
{
    nc_kinetic_pair *p = &kinetic->pairs.data[row];
    for (int c = 0; c < p->count; c++) {
        int *head = &kinetic->list[p->vertex[c]];
        p->next[c] = *head;
        p->before[c] = -1;
        if (*head >= 0)
            kinetic->pairs.data[*head / 4].before[*head % 4] = 4 * row + c;
        *head = 4 * row + c;
    }
}

static void unlink_pair(nc_cloth_kinetic *kinetic, int row)
{
    const nc_kinetic_pair *p = &kinetic->pairs.data[row];
    for (int c = 0; c < p->count; c++) {
        const int next = p->next[c], before = p->before[c];
        if (next >= 0)
            kinetic->pairs.data[next / 4].before[next % 4] = before;
        if (before >= 0)
            kinetic->pairs.data[before / 4].next[before % 4] = next;
        else
            kinetic->list[p->vertex[c]] = next;
    }
}

int nc_kinetic_pair_add(nc_cloth_kinetic *kinetic, nc_cloth_pair pair)
{
    const nc_allocator *a = &kinetic->allocator;
    const int vertices = kinetic->model->vertex_count;
    int row = kinetic->pairs.count;
    if (kinetic->unused.count > 0) {
        row = kinetic->unused.data[--kinetic->unused.count];
    } else {
        // Room for giving back all rows is taken here, so that giving one back never fails.
        if (!nc_array_reserve(a, &kinetic->pairs, row + 1) || !nc_array_reserve(a, &kinetic->unused, row + 1) ||
            !nc_queue_reserve(&kinetic->queue, a, vertices + row + 1))
            return -1;
        kinetic->pairs.count++;
    }
    nc_kinetic_pair *p = &kinetic->pairs.data[row];
    *p = (nc_kinetic_pair){.pair = pair, .group = -1, .used = true};
    p->count = nc_cloth_pair_vertices(kinetic->model, pair, p->vertex);
    p->hull = nc_cloth_pair_hull(kinetic->model, pair, p->vertex);
    p->thickness = nc_cloth_pair_thickness(kinetic->model, pair);
    p->eta = p->thickness;
    link_pair(kinetic, row);
    return row;
}

void nc_kinetic_pair_remove(nc_cloth_kinetic *kinetic, int row)
{
    unlink_pair(kinetic, row);
    kinetic->pairs.data[row].used = false;
    kinetic->unused.data[kinetic->unused.count++] = row;
    nc_queue_set(&kinetic->queue, kinetic->model->vertex_count + row, INT64_MAX);
}

int nc_kinetic_pair_find(const nc_cloth_kinetic *kinetic, nc_cloth_pair pair)
{
    int v[4];
    nc_cloth_pair_vertices(kinetic->model, pair, v);
    for (int at = kinetic->list[v[0]]; at >= 0; at = kinetic->pairs.data[at / 4].next[at % 4]) {
        const nc_cloth_pair *p = &kinetic->pairs.data[at / 4].pair;
        if (p->kind == pair.kind && p->a == pair.a && p->b == pair.b)
            return at / 4;
    }
    return -1;
}
