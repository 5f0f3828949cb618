// The contact graph and its stack layers, by one breadth-first search from all fixed bodies (Erleben section 4).
#include "contact/solver.h"

#include <string.h>

// Lists every node's edges, in their own order.
static void link_nodes(const nc_graph_memory *m, int node_count, int edge_count)
{
    // Counts go two places up, ends one: after filling, link_begin[i] is where node i begins.
    memset(m->link_begin, 0, (size_t)(node_count + 2) * sizeof *m->link_begin);
    for (int k = 0; k < edge_count; k++) {
        if (m->edges[k].a >= 0)
            m->link_begin[m->edges[k].a + 2]++;
        if (m->edges[k].b >= 0)
            m->link_begin[m->edges[k].b + 2]++;
    }
    for (int i = 2; i < node_count + 2; i++)
        m->link_begin[i] += m->link_begin[i - 1];
    for (int k = 0; k < edge_count; k++) {
        if (m->edges[k].a >= 0)
            m->links[m->link_begin[m->edges[k].a + 1]++] = k;
        if (m->edges[k].b >= 0)
            m->links[m->link_begin[m->edges[k].b + 1]++] = k;
    }
}

// Gives a node a height if it has none yet, and a place in the queue.
static int visit(const nc_graph_memory *m, int node, int height, int queued)
{
    if (node < 0 || m->height[node] != 0)
        return queued;
    m->height[node] = height;
    m->queue[queued] = node;
    return queued + 1;
}

// Returns the largest height; nodes that no fixed body reaches keep 0.
static int search(const nc_graph_memory *m, int node_count, int edge_count)
{
    int queued = 0, largest = 0;
    memset(m->height, 0, (size_t)node_count * sizeof *m->height);
    for (int k = 0; k < edge_count; k++) {
        const nc_edge e = m->edges[k];
        if ((e.a < 0) != (e.b < 0))
            queued = visit(m, e.a < 0 ? e.b : e.a, 1, queued);
    }
    for (int next = 0; next < queued; next++) {
        const int node = m->queue[next];
        largest = m->height[node];
        for (int l = m->link_begin[node]; l < m->link_begin[node + 1]; l++) {
            const nc_edge e = m->edges[m->links[l]];
            queued = visit(m, e.a == node ? e.b : e.a, m->height[node] + 1, queued);
        }
    }
    return largest;
}

// The layer a contact belongs to; -1: it is between two fixed bodies.
static int layer_of(const nc_graph_memory *m, int edge)
{
    const nc_edge e = m->edges[edge];
    const int a = e.a < 0 ? 0 : m->height[e.a], b = e.b < 0 ? 0 : m->height[e.b];
    return (a > b ? a : b) - 1;
}

// A stable counting sort of the edges by layer.
static void sort_edges(const nc_graph_memory *m, int layers, int edge_count)
{
    memset(m->layer_begin, 0, (size_t)(layers + 2) * sizeof *m->layer_begin);
    for (int k = 0; k < edge_count; k++)
        m->layer_begin[layer_of(m, k) + 2]++;
    m->layer_begin[1] = 0; // those in no layer
    for (int i = 2; i < layers + 2; i++)
        m->layer_begin[i] += m->layer_begin[i - 1];
    for (int k = 0; k < edge_count; k++) {
        const int layer = layer_of(m, k);
        if (layer >= 0)
            m->order[m->layer_begin[layer + 1]++] = k;
    }
}

int nc_graph_layers(const nc_graph_memory *memory, int node_count, int edge_count)
{
    link_nodes(memory, node_count, edge_count);
    int layers = search(memory, node_count, edge_count);
    // Free-floating bodies get the largest height.
    for (int i = 0; i < node_count; i++) {
        if (memory->height[i] == 0)
            memory->height[i] = layers > 0 ? layers : 1;
    }
    if (layers == 0 && node_count > 0 && edge_count > 0)
        layers = 1;
    sort_edges(memory, layers, edge_count);
    return layers;
}

static int exponent_of(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent;
}

// Does anything touch a fixed body?
static bool stands(const nc_graph_memory *m, int edge_count)
{
    for (int k = 0; k < edge_count; k++) {
        if (m->edges[k].a < 0 || m->edges[k].b < 0)
            return true;
    }
    return false;
}

// Heights become height and class of mass in one number.
static void add_classes(const nc_graph_memory *m, int node_count, const nc_slot *slots)
{
    int lightest = INT32_MIN;
    for (int i = 0; i < node_count; i++) {
        const int exponent = exponent_of(slots[i].inv_mass);
        lightest = exponent > lightest ? exponent : lightest;
    }
    for (int i = 0; i < node_count; i++) {
        const int class = (lightest - exponent_of(slots[i].inv_mass)) / NC_LAYER_MASS_EXPONENT;
        m->height[i] =
            m->height[i] * NC_LAYER_MASS_CLASSES + (class < NC_LAYER_MASS_CLASSES ? class : NC_LAYER_MASS_CLASSES - 1);
    }
}

int nc_graph_layers_by_mass(const nc_graph_memory *m, int node_count, int edge_count, int layers, const nc_slot *slots)
{
    int *rank = m->links, ranks = 0; // by number; the links are not needed any more
    if (!stands(m, edge_count))
        return layers;
    add_classes(m, node_count, slots);
    memset(rank, 0, (size_t)(layers + 1) * NC_LAYER_MASS_CLASSES * sizeof *rank);
    for (int i = 0; i < node_count; i++)
        rank[m->height[i]] = 1;
    for (int k = 0; k < (layers + 1) * NC_LAYER_MASS_CLASSES; k++) {
        ranks += rank[k];
        rank[k] = ranks;
    }
    for (int i = 0; i < node_count; i++)
        m->height[i] = rank[m->height[i]];
    sort_edges(m, ranks, edge_count);
    return ranks;
}

nc_graph_memory nc_graph_memory_of(const nc_contact_work *work, int index)
{
    const nc_island *island = &work->islands.data[index];
    nc_graph_memory m;
    m.edges = work->edges.data + island->contact_begin;
    m.height = work->height.data + island->slot_begin;
    m.queue = work->queue.data + island->slot_begin;
    m.link_begin = work->link_begin.data + island->slot_begin + 2 * index;
    m.links = work->links.data + 2 * island->contact_begin;
    m.order = work->layer_order.data + island->contact_begin;
    m.layer_begin = work->layer_begin.data + island->slot_begin + 2 * index;
    return m;
}

nc_code nc_contact_graph_build(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                               int count, nc_contact_graph *graph, nc_error *err)
{
    const nc_code code = nc_contact_work_reserve(work, bodies->count, count, err);
    if (code != NC_OK)
        return code;
    for (int k = 0; k < count; k++) {
        const int a = contacts[k].a, b = contacts[k].b;
        work->edges.data[k] = (nc_edge){bodies->inv_mass[a] > 0 ? a : -1, bodies->inv_mass[b] > 0 ? b : -1};
    }
    const nc_graph_memory m = {work->edges.data, work->height.data,      work->queue.data,      work->link_begin.data,
                               work->links.data, work->layer_order.data, work->layer_begin.data};
    graph->body_count = bodies->count;
    graph->layer_count = nc_graph_layers(&m, bodies->count, count);
    for (int i = 0; i < bodies->count; i++) {
        if (!(bodies->inv_mass[i] > 0))
            m.height[i] = 0;
    }
    graph->height = m.height;
    graph->layer_begin = m.layer_begin;
    graph->contacts = m.order;
    return NC_OK;
}
