// Asynchronous contact mechanics: trajectories, clocks, penalty layers, and what finds contacts (docs/theory/acm.md).
//
// Invariants:
//  I1  A vertex moves on x(T) = x + v (T - t): its state (x, t, v) is as its last kick left it. A null impulse changes
//      nothing, to the bit.
//  I2  Clocks are dyadic: a force of level k ticks at the multiples of 2^(40-k) ticks, from the start of time, and
//  never
//      otherwise. Time is a whole number of ticks, 2^40 per frame.
//  I3  Whether a layer acts at a tick is decided at that tick from the four states alone: it does when the computed
//      distance is below its thickness. A layer that is not examined must be one that would not have acted. So
//      whatever finds contacts decides about speed, never about trajectories.
//  I4  Between two ticks of a pair its distance is certified to stay above the thickness of every layer that is not
//      active, and above `floor` in any case. What cannot be certified is not run.
#ifndef NC_CLOTH_CLOTH_H
#define NC_CLOTH_CLOTH_H

#include "nacre/cloth.h"

#include "geom/geom.h"
#include "narrow/narrow.h"

// ---- settings (settings.c) ------------------------------------------------------------------------------------

// The rows of nacre/cloth_settings.def, which describe fields of nc_cloth_world_def.
const nc_setting *nc_cloth_setting_rows(int *out_count);
// NC_BAD_ARGUMENT names a field that is out of range.
nc_code nc_cloth_check_settings(const nc_cloth_world_def *def, nc_error *err);
// The same for the rows of nacre/cloth_material.def that an object of its type has.
nc_code nc_cloth_check_material(const nc_cloth_def *def, nc_error *err);
// Of the settings that change results.
uint64_t nc_cloth_hash_settings(uint64_t hash, const nc_cloth_world_def *def);
extern const char *const nc_finder_names[NC_FINDER_KINETIC + 1]; // as scenes write them

// ---- reports (report.c) ---------------------------------------------------------------------------------------

// The rows of nacre/cloth_report.def, which describe fields of nc_cloth_report.
const nc_report_field *nc_cloth_report_rows(int *out_count);

// ---- time ---------------------------------------------------------------------------------------------------

#define NC_CLOTH_LEVELS          40                              // levels are 0 to 40
#define NC_CLOTH_TICKS_PER_FRAME ((int64_t)1 << NC_CLOTH_LEVELS) // ticks per frame

static inline int64_t nc_cloth_step_ticks(int level)
{
    return (int64_t)1 << (level < NC_CLOTH_LEVELS ? NC_CLOTH_LEVELS - level : 0);
}

// The coarsest level that ticks at T > 0: all finer ones do too.
static inline int nc_cloth_level_at(int64_t tick)
{
#if defined(__GNUC__)
    const int zeros = __builtin_ctzll((unsigned long long)tick);
#else
    int zeros = 0;
    while ((tick & ((int64_t)1 << zeros)) == 0)
        zeros++;
#endif
    return zeros < NC_CLOTH_LEVELS ? NC_CLOTH_LEVELS - zeros : 0;
}

// ---- trajectories -------------------------------------------------------------------------------------------

// A vertex since its last kick: one cache line.
typedef struct nc_cloth_state {
    nc_vec3 x;       // [m] at t
    nc_vec3 v;       // [m/s]
    int64_t t;       // [ticks]
    double inv_mass; // [1/kg] 0: pinned, scripted, obstacle
} nc_cloth_state;

// Where it is at `tick` >= t. `unit` [s] is the length of a tick. This rounding, and no other, is the trajectory that
// forces see: |error| <= 2 u |x| + 4 u |v| (tick - t) unit in each coordinate.
static inline nc_vec3 nc_cloth_position_at(const nc_cloth_state *s, int64_t tick, double unit)
{
    const double dt = (double)(tick - s->t) * unit;
    return nc_v3(s->x.x + dt * s->v.x, s->x.y + dt * s->v.y, s->x.z + dt * s->v.z);
}

// A piece of a trajectory that a kick has ended. It began at `t`; it ended at the `t` of the next piece of its vertex,
// or of the vertex's state if it is the last.
typedef struct nc_cloth_piece {
    nc_vec3 x, v;
    int64_t t;
    int vertex;
    int before; // row of the vertex's piece before this one in this trace, -1: none
} nc_cloth_piece;

// All kicks of a window (begin, end]. A vertex without a piece here has not been kicked in it.
typedef struct nc_cloth_trace {
    nc_cloth_piece *pieces; // those of one vertex in order of time
    int count, capacity;
    int *last;          // [vertex_count] row of the vertex's latest piece, -1: none
    int64_t begin, end; // [ticks]
    const bool *same; // [vertex_count] whose path is, to the bit, what it was when this window was last searched; NULL:
                      // nothing is known of that
} nc_cloth_trace;

// ---- the model: what does not change while time runs --------------------------------------------------------

typedef struct nc_cloth_object {
    nc_cloth_type type;
    char name[128];
    int first_vertex, vertex_count;
    int first_triangle, triangle_count;
    int first_edge, edge_count;
    int first_point, point_count; // particles
    nc_cloth_contact contact;     // as given: negative is the other's
    double drag;                  // [1/s]
    nc_appearance appearance;
} nc_cloth_object;

// What touches what.
typedef enum nc_cloth_pair_kind {
    NC_CLOTH_VERTEX_TRIANGLE, // a: vertex, b: row of triangles
    NC_CLOTH_EDGE_EDGE,       // a < b: rows of edges
    NC_CLOTH_POINT_POINT      // a < b: vertices of two particles
} nc_cloth_pair_kind;

typedef struct nc_cloth_pair {
    nc_cloth_pair_kind kind;
    int a, b;
} nc_cloth_pair;

// Pairs that start nearer than their objects' thickness: theirs is NC_CLOTH_START_FRACTION of the start distance.
#define NC_CLOTH_START_FRACTION 0.8
typedef struct nc_cloth_near_start {
    nc_cloth_pair pair;
    double thickness; // [m]
} nc_cloth_near_start;

// The nest in units of r(1) and eta(1). Layers whose steps round to the same clock are a group: group g has the layers
// (last[g - 1], last[g]], those with 4^(g-1) < l^3 <= 4^g, and a step of h(1) 2^-g.
#define NC_CLOTH_MAX_GROUPS 41
typedef struct nc_cloth_layers {
    int max_layer;
    int group_count;
    int last[NC_CLOTH_MAX_GROUPS]; // last layer of each group, at most max_layer
    double *sum_r;                 // [max_layer + 1] of l^3 up to each layer
    double *sum_r_eta;             // [max_layer + 1] of l^3 l^(-1/4)
    double *eta;                   // [max_layer + 2] l^(-1/4); eta[0] is infinite
} nc_cloth_layers;

// What lies around edges and vertices; built when the run starts.
typedef struct nc_cloth_surface {
    int edges, triangles, vertices;
    int *wings;           // [2 edges] third corners of an edge's first two triangles, -1: none
    int *triangle_edges;  // [3 triangles] row k of a triangle: the edge from corner k to the next
    int *first_neighbour; // [vertices + 1]
    int *neighbours;      // [2 edges] the other ends of a vertex's edges
} nc_cloth_surface;

typedef struct nc_cloth_model {
    nc_allocator allocator;
    nc_cloth_world_def settings;
    double unit;                      // [s] length of a tick
    double step[NC_CLOTH_LEVELS + 1]; // [s] of the clocks of each level
    NC_ARRAY(nc_cloth_object) objects;
    // Rows of the world.
    int vertex_count;
    nc_vec3 *start; // [m] at time 0
    double *mass;   // [kg] 0 for obstacles; that of pinned and scripted vertices as if they were free
    int *object;    // of each vertex
    int vertex_capacity;
    NC_ARRAY(struct nc_cloth_triangle { int v[3]; }) triangles;
    NC_ARRAY(struct nc_cloth_edge { int v[2]; }) edges; // unique edges of the triangles, lower vertex first
    NC_ARRAY(int) points;                               // vertices that are particles
    nc_cloth_layers layers;
    nc_cloth_surface surface;
    NC_ARRAY(nc_cloth_near_start) near_start; // sorted by pair
    int *near_first; // [near_rows + 1] where the pairs of each (kind, a) begin in it; NULL until it is complete
    int near_rows;
} nc_cloth_model;

// The order of contacts: by kind, a, b.
bool nc_cloth_pair_less(nc_cloth_pair p, nc_cloth_pair q);
// False for pairs that share a vertex, for two obstacles, and for kinds that the objects do not have.
bool nc_cloth_pair_applies(const nc_cloth_model *model, nc_cloth_pair pair);
// The vertices: p, t0, t1, t2, or a0, a1, b0, b1, or p, q; returns how many. The second feature begins at out[1], of
// two edges at out[2].
static inline int nc_cloth_pair_vertices(const nc_cloth_model *model, nc_cloth_pair pair, int out[4])
{
    out[0] = pair.a;
    out[1] = pair.b;
    out[2] = out[3] = -1;
    if (pair.kind == NC_CLOTH_POINT_POINT)
        return 2;
    if (pair.kind == NC_CLOTH_VERTEX_TRIANGLE) {
        for (int k = 0; k < 3; k++)
            out[k + 1] = model->triangles.data[pair.b].v[k];
        return 4;
    }
    for (int k = 0; k < 2; k++) {
        out[k] = model->edges.data[pair.a].v[k];
        out[k + 2] = model->edges.data[pair.b].v[k];
    }
    return 4;
}
// eta(1) [m] of two objects, before start distances are examined: an upper bound for all their pairs.
double nc_cloth_object_thickness(const nc_cloth_model *model, int object_a, int object_b);
// Of every vertex: the largest of its object with any other.
void nc_cloth_thicknesses(const nc_cloth_model *model, double *out);
// eta(1) [m] of a pair.
double nc_cloth_pair_thickness(const nc_cloth_model *model, nc_cloth_pair pair);

// ---- contacts -----------------------------------------------------------------------------------------------

// A pair with active layers.
typedef struct nc_cloth_active_contact {
    nc_cloth_pair pair;
    int v[4];
    int count;        // of vertices: 4 or 2
    int level;        // of the clock of group 0, at most 40; 41: none is fine enough
    int depth;        // the deepest active group: its clock is of level + depth
    int limit;        // the deepest group that has a clock and whose layers are all allowed
    double r;         // [N/m] r(1)
    double thickness; // [m] eta(1)
    double floor;     // [m] nearer than this it must never be
    double restitution, friction;
    bool changed; // came or was deepened since the window was run
    nc_vec3 axis; // unit: from the nearest points when last examined. It saves time and changes nothing; 0: none
} nc_cloth_active_contact;

// The contact of a pair, with no active group (depth -1).
nc_cloth_active_contact nc_cloth_contact_make(const nc_cloth_model *model, nc_cloth_pair pair);
// The deepest group that must be active while the distance is at least `distance` [m]: -1 when it is above the
// thickness, limit + 1 when it is below the floor, at most `limit` otherwise.
int nc_cloth_depth_for(const nc_cloth_model *model, const nc_cloth_active_contact *contact, double distance);

// A contact that must be examined, and a lower bound of its distance [m] over the time it is asked about.
typedef struct nc_cloth_near_pair {
    nc_cloth_pair pair;
    double distance;
    double ahead; // [m] about its least distance if all goes straight on for as long again; proves nothing
} nc_cloth_near_pair;

typedef struct nc_cloth_near_pairs {
    nc_cloth_near_pair *data;
    int count, capacity;
} nc_cloth_near_pairs;

// ---- finding contacts (find_*, slab_*, kinetic_*, window_*) -------------------------------------------------

// Speculative: after a window has been run. Appends, in order of pairs and each once, every pair that applies and whose
// distance may go below its thickness (nc_cloth_pair_thickness) at some time of [trace->begin, trace->end], with a
// lower bound of its distance over that time. Conservative: rounding of trajectories (I1) and of the test itself
// included. With an empty trace and begin = end it finds what is near now; with end later, what straight motion brings
// near. `reach` >= 0 [m] is added to all thicknesses: pairs that are almost near are found too.
// So are pairs that would come near if all continued like this for as long again: their `ahead` says how near, and
// their distance is not below thickness and reach.
typedef struct nc_cloth_search nc_cloth_search;
nc_code nc_cloth_search_create(const nc_cloth_model *model, nc_cloth_search **out, nc_error *err);
void nc_cloth_search_destroy(nc_cloth_search *search);
void nc_cloth_search_set_workers(nc_cloth_search *search, int workers);
nc_code nc_cloth_window_find(nc_cloth_search *search, const nc_cloth_model *model, const nc_cloth_state *states,
                             const nc_cloth_trace *trace, double reach, nc_cloth_near_pairs *out, nc_error *err);

// Kinetic: certificates with failure times, in ticks. Between create and the first failure nothing but the appended
// needs must be active. The caller tells of every kicked vertex, then, before it runs the events of a tick T, handles
// all failures at or before T: that appends the needs that replace the failed certificates; their bounds hold until the
// next failure of the pair, which comes later than T or is a jam.
typedef struct nc_cloth_kinetic nc_cloth_kinetic;
nc_code nc_cloth_kinetic_create(const nc_cloth_model *model, const nc_cloth_state *states, int64_t now,
                                nc_cloth_near_pairs *out, nc_cloth_kinetic **out_kinetic, nc_error *err);
void nc_cloth_kinetic_destroy(nc_cloth_kinetic *kinetic);
nc_code nc_cloth_kinetic_moved(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, const int *vertices, int count,
                               int64_t now, nc_error *err);
int64_t nc_cloth_kinetic_next(const nc_cloth_kinetic *kinetic); // tick of the next failure; INT64_MAX: none
nc_code nc_cloth_kinetic_handle(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, int64_t now,
                                nc_cloth_near_pairs *out, nc_error *err);
// The contact is no longer examined (5.1, lazily): its certificate is that of its thickness again.
nc_code nc_cloth_kinetic_released(nc_cloth_kinetic *kinetic, const nc_cloth_state *states, nc_cloth_pair pair,
                                  int64_t now, nc_error *err);
// For the report: failures handled, failure times recomputed, tree events, since creation.
void nc_cloth_kinetic_counts(const nc_cloth_kinetic *kinetic, int64_t *certificates, int64_t *reschedules,
                             int64_t *tree_events);

// ---- exact audit (audit_*) ----------------------------------------------------------------------------------

// Every linear piece of the window, exactly: no vertex meets a triangle, no edge an edge, at any time of it. Adds to
// the two counts. A crossing's place, time and pair go to `first` (may be NULL) when it is the first.
typedef struct nc_cloth_crossing {
    nc_cloth_pair pair;
    int64_t tick; // at or before it
    nc_vec3 place;
} nc_cloth_crossing;
nc_code nc_cloth_audit_window(nc_cloth_search *search, const nc_cloth_model *model, const nc_cloth_state *states,
                              const nc_cloth_trace *trace, int64_t *pieces, int64_t *crossings,
                              nc_cloth_crossing *first, nc_error *err);
// Triangles that share a point at these positions, exactly, self-intersection included (neighbours share only what they
// share by construction). Writes up to `capacity`, in order of triangles; *out_count is how many there are.
nc_code nc_cloth_audit_positions(const nc_cloth_model *model, const nc_vec3 *positions, nc_cloth_overlap *out,
                                 int capacity, int *out_count, nc_error *err);

#endif
