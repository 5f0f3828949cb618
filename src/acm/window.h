// Inside window_*.c: the search for what came near over a window.
#ifndef NC_ACM_WINDOW_H
#define NC_ACM_WINDOW_H

#include "acm/find.h"

// A vertex over the window.
typedef struct nc_window_vertex {
    nc_vec3 from, to; // [m] at begin and end
    nc_vec3 ahead;    // [m] after as long again, if it goes on like this
    double stray;     // [m] how far its path strays from the chord between them
    double room;      // [m] how far it may get from its anchor while the list holds
} nc_window_vertex;

// A pair that may be near while the list holds: one cache line.
typedef struct nc_candidate {
    nc_acm_pair pair;
    int vertex[4];
    double thickness; // [m] eta(1)
    nc_vec3 n;        // a direction that kept it apart, or seems to
} nc_candidate;

// Every pair that is not a candidate stays apart while each vertex stays within its room of its anchor, seen from any
// place: one that moves along with what is free makes a falling sheet stand still.
typedef struct nc_window_list {
    bool valid;
    double reach;                      // [m] it was made for
    nc_vec3 *anchor;                   // [vertex_count] [m]
    double *room;                      // [vertex_count] [m]
    NC_ARRAY(nc_candidate) candidates; // in order of pairs
    int64_t built;                     // how often, for those who measure
} nc_window_list;

struct nc_acm_search {
    nc_allocator allocator;
    int workers;
    int triangle_count, edge_count;
    nc_paths paths;
    nc_window_vertex *vertices; // [vertex_count]
    double *thickness;          // [vertex_count] [m] the largest of the vertex's object with any other
    nc_window_list list;
    nc_box *vertex_boxes, *triangle_boxes, *edge_boxes; // [m] for lists and audits
    bool *wanted;                                       // [vertex_count] of a pair that is not clear
    NC_ARRAY(int) near;                                 // candidates that are not clear
    nc_acm_need *bounds;                                // of each of them
    uint8_t *clear;                                     // of each candidate
    int bound_capacity, clear_capacity;
    nc_path_crossing *crossings; // of the audit: of each vertex, then of each edge
};

// The vertices' chords, and how far they stray from them; paths.size. To be called at the begin of a search.
void nc_search_vertices(nc_acm_search *search, const nc_acm_state *states, const nc_acm_trace *trace, double unit);

// A lower bound [m] of the distance of the pair over the window, at least 0. Bounds above `enough` are all the same.
double nc_window_bound(const nc_paths *paths, nc_hull_kind kind, const int vertex[4], double enough);

// Does the list hold over the present window?
bool nc_window_list_holds(const nc_acm_search *search, const nc_acm_model *model, double reach);
// Makes the list anew around the present window. False when out of memory.
bool nc_window_list_build(nc_acm_search *search, const nc_acm_model *model, double reach);

// ---- trees over rows of the model ---------------------------------------------------------------------------

// Fills triangle and edge boxes from the vertex boxes.
void nc_search_boxes(nc_acm_search *search, const nc_acm_model *model);
// Calls `visit` for every box of the tree that overlaps `box`.
typedef bool (*nc_search_visit)(int row, void *ctx);
bool nc_search_tree(const nc_bvh *tree, const nc_box *boxes, nc_box box, nc_search_visit visit, void *ctx);

#endif
