// Inside window_*.c and audit_window.c: the search for what came near over a window.
#ifndef NC_CLOTH_WINDOW_H
#define NC_CLOTH_WINDOW_H

#include "broad/broad.h"
#include "cloth/contact_search.h"

// A vertex over the window.
typedef struct nc_window_vertex {
    nc_vec3 from, to; // [m] at begin and end
    nc_vec3 ahead;    // [m] after as long again, if it continues like this
    nc_vec3 jump; // [m] from the end of the window searched before to the begin of this one: 0 when that came before
    double stray; // [m] how far its path strays from the chord between them
} nc_window_vertex;

// ---- clusters -----------------------------------------------------------------------------------------------

typedef struct nc_window_cluster {
    nc_vec3 mean;  // [m] of its vertices' chords over the window
    double spread; // [m] how far any of them may be from going along with that
    nc_vec3 jump;  // [m] the same two of what lies between this window and the one searched before
    double jump_spread;
    double thickness; // [m] the largest of its object with any other
    bool obstacle, particles;
    bool same; // all its vertices went as they did when this window was last searched
} nc_window_cluster;

// Rows [start[k], start[k + 1]) belong to cluster k.
typedef struct nc_cluster_rows {
    int *start, *rows;
    int start_capacity, row_capacity;
} nc_cluster_rows;

// Every vertex, triangle and edge belongs to one cluster: that of its first vertex.
typedef struct nc_window_clusters {
    int count;
    nc_window_cluster *data;
    nc_box *boxes; // [m] swept, with half of the distance that a pair must keep
    int *of_vertex;
    int vertex_capacity;
    nc_cluster_rows vertices, triangles, edges;
    nc_cluster_rows halo; // all vertices of these
} nc_window_clusters;

bool nc_window_clusters_build(nc_window_clusters *clusters, const nc_cloth_model *model, const nc_allocator *allocator);
void nc_window_clusters_free(nc_window_clusters *clusters, const nc_allocator *allocator);

// ---- candidates ---------------------------------------------------------------------------------------------

typedef struct nc_candidate {
    nc_cloth_pair pair;
    int vertex[4];
    bool near;        // not shown to be clear in this window
    bool known;       // distance and ahead are those of this window
    double distance;  // [m] of the need, if it is near
    double ahead;     // [m]
    double thickness; // [m] eta(1)
    double until;     // [m] clear while the clusters' path is below this
    nc_vec3 n;        // a direction that kept it apart, or seems to
} nc_candidate;

// Two clusters, a <= b, whose boxes overlap.
typedef struct nc_cluster_pair {
    int a, b;
    double thickness;   // [m] not below that of any of its candidates
    double step;        // [m] how far a difference of vertices can have moved in this window
    double path;        // [m] the sum of steps since the boxes overlap
    double holds_until; // [m] pairs that are no candidates are clear while path is not above this
    double reach;       // [m] that the list was made for
    double least_until; // [m] of all candidates
    int near_count;
    bool known; // it was there in the search before this
    bool same;  // and so were both clusters' ways: what is known of it holds
    NC_ARRAY(nc_candidate) candidates;
} nc_cluster_pair;

typedef struct nc_cluster_pairs {
    nc_cluster_pair *data;
    int count, capacity;
} nc_cluster_pairs;

struct nc_cloth_search {
    nc_allocator allocator;
    int workers;
    int triangle_count, edge_count;
    double last_reach; // [m] of the search before
    nc_paths paths;
    nc_window_vertex *vertices; // [vertex_count]
    double *thickness;          // [vertex_count] [m] the largest of the vertex's object with any other
    nc_window_clusters clusters;
    nc_cluster_pairs pairs, next_pairs; // in order; the second is for changing the first
    nc_pairs overlaps;
    NC_ARRAY(int) stale;                                // rows of pairs whose lists are to be rebuilt
    int64_t lists_built;                                // for those who measure
    nc_box *vertex_boxes, *triangle_boxes, *edge_boxes; // [m] for lists and audits
    bool *wanted;                                       // [vertex_count] of a pair that is not clear
    NC_ARRAY(nc_candidate *) near;                      // candidates that are not clear
    nc_cloth_near_pair *bounds;                         // of each of them
    int bound_capacity;
    nc_path_crossing *crossings; // of the audit: of each vertex, then of each edge
};

// The vertices' chords, and how far they stray from them; paths.size. To be called at the begin of a search.
void nc_search_vertices(nc_cloth_search *search, const nc_cloth_state *states, const nc_cloth_trace *trace,
                        double unit);

// A lower bound [m] of the distance of the pair over the window, at least 0. Bounds above `enough` are all the same.
double nc_window_bound(const nc_cloth_search *search, nc_hull_kind kind, const int vertex[4], double enough);

// How the clusters move in this window, and their boxes.
void nc_window_clusters_move(nc_cloth_search *search, double reach, const bool *same);
// Brings the pairs of clusters and their lists up to the current window. False when out of memory.
bool nc_window_list_update(nc_cloth_search *search, const nc_cloth_model *model, double reach, const bool *same);
void nc_window_list_free(nc_cloth_search *search);

// ---- trees over rows of the model ---------------------------------------------------------------------------

// Fills triangle and edge boxes from the vertex boxes.
void nc_search_boxes(nc_cloth_search *search, const nc_cloth_model *model);
// Calls `visit` for every box of the tree that overlaps `box`.
typedef bool (*nc_search_visit)(int row, void *ctx);
bool nc_search_tree(const nc_bvh *tree, const nc_box *boxes, nc_box box, nc_search_visit visit, void *ctx);

#endif
