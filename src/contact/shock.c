// Shock propagation (Erleben section 4, Fig. 12): an algorithm applied layer by layer from the bottom, each layer's
// lower bodies held as if they were infinite. Here also that of velocities, for islands that did not converge.
#include "contact/solver.h"

void nc_shock_propagate(const nc_contact_graph *graph, nc_layer_algorithm algorithm, void *ctx)
{
    for (int i = 0; i < graph->layer_count; i++) {
        nc_layer layer;
        layer.index = i;
        layer.contacts = graph->contacts + graph->layer_begin[i];
        layer.contact_count = graph->layer_begin[i + 1] - graph->layer_begin[i];
        layer.height = graph->height;
        algorithm(&layer, ctx);
    }
}

static bool held(const nc_layer *layer, const nc_island *island, int slot)
{
    return slot >= 0 && layer->height[slot - island->slot_begin] <= layer->index;
}

static void build_layer(const nc_layer *layer, const nc_island_solve *solve, nc_block *blocks)
{
    const nc_contact_work *work = solve->work;
    for (int i = 0; i < layer->contact_count; i++) {
        const nc_contact *contact = &solve->contacts[work->order.data[solve->range.contact_begin + layer->contacts[i]]];
        nc_block_ends ends;
        ends.a = work->slot_of.data[contact->a];
        ends.b = work->slot_of.data[contact->b];
        ends.fixed_a = held(layer, &solve->range, ends.a);
        ends.fixed_b = held(layer, &solve->range, ends.b);
        blocks[i] = nc_block_build(solve->bodies, contact, work->slots.data, ends, solve->settings->friction,
                                   solve->compliance);
    }
}

// Goes on from the impulses that are there, so that all of them stay in their cones.
static void solve_layer(const nc_layer *layer, void *ctx)
{
    nc_island_solve *solve = ctx;
    nc_contact_work *work = solve->work;
    nc_block *blocks = work->layer_blocks.data + solve->range.contact_begin;
    const int limit = solve->settings->iterations;
    build_layer(layer, solve, blocks);
    nc_sweeps sweeps = {.slots = work->slots.data,
                        .blocks = blocks,
                        .count = layer->contact_count,
                        .stop = NC_SHOCK_STOP_SHARE * solve->sweeps.stop,
                        .floor = NC_SHOCK_STOP_SHARE * solve->sweeps.stop,
                        .iterations = !solve->tower                 ? NC_SHOCK_PILE_SWEEPS
                                      : limit > NC_SHOCK_MIN_SWEEPS ? limit
                                                                    : NC_SHOCK_MIN_SWEEPS};
    nc_sweeps_run(&sweeps, solve->settings);
    solve->updates += (int64_t)sweeps.iterations * sweeps.count;
    for (int i = 0; i < layer->contact_count; i++) {
        nc_block_record(&blocks[i], work->changes.data);
        nc_block_store(&blocks[i], &solve->contacts[work->order.data[solve->range.contact_begin + layer->contacts[i]]]);
    }
}

static int local(const nc_island_solve *solve, int body)
{
    const int slot = solve->work->slot_of.data[body];
    return slot < 0 ? -1 : slot - solve->range.slot_begin;
}

nc_contact_graph nc_island_layers(const nc_island_solve *solve)
{
    nc_contact_work *work = solve->work;
    const nc_island *range = &solve->range;
    for (int k = range->contact_begin; k < range->contact_end; k++) {
        const nc_contact *contact = &solve->contacts[work->order.data[k]];
        work->edges.data[k] = (nc_edge){local(solve, contact->a), local(solve, contact->b)};
    }
    const nc_graph_memory memory = nc_graph_memory_of(work, solve->index);
    nc_contact_graph graph;
    graph.body_count = range->slot_end - range->slot_begin;
    graph.layer_count = nc_graph_layers(&memory, graph.body_count, range->contact_end - range->contact_begin);
    graph.height = memory.height;
    graph.layer_begin = memory.layer_begin;
    graph.contacts = memory.order;
    return graph;
}

void nc_island_split_layers(nc_island_solve *solve)
{
    const nc_graph_memory memory = nc_graph_memory_of(solve->work, solve->index);
    const int contacts = solve->range.contact_end - solve->range.contact_begin;
    solve->layers.layer_count =
        nc_graph_layers_by_mass(&memory, solve->layers.body_count, contacts, solve->layers.layer_count,
                                solve->work->slots.data + solve->range.slot_begin);
}

void nc_island_shock(nc_island_solve *solve)
{
    nc_shock_propagate(&solve->layers, solve_layer, solve);
}
