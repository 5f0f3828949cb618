// The inside of a cloth world: the model, the forces with their clocks, the states, the contacts of the current window.
#ifndef NC_CLOTH_WORLD_H
#define NC_CLOTH_WORLD_H

#include "cloth/cloth.h"

// ---- forces -------------------------------------------------------------------------------------------------

// 1/2 k (|e| - rest)^2 along an edge, with damping along it.
typedef struct nc_cloth_spring {
    int a, b;
    double rest;    // [m]
    double kick;    // [N s/m] k h
    double damping; // [N s^2/m] c h
    int level, part, component, id;
} nc_cloth_spring;

// k c (theta - rest)^2 at a hinge: edge (v0, v1), wings v2 and v3 (Discrete Shells).
typedef struct nc_cloth_hinge {
    int v[4];
    double rest;    // [rad]
    double kick;    // [N m s] 2 k c h, c = 3 |e0|^2 / (A1 + A2)
    double damping; // [N m s^2] h times damping
    int level, part, component, id;
} nc_cloth_hinge;

#define NC_CLOTH_PARTS 8

// Vertices that forces or edges connect as far as physics moves them: a sheet, a particle, or what pins have cut off of
// a sheet. Pinned, scripted and obstacles' vertices are in none: nothing kicks them.
typedef struct nc_cloth_component {
    int first_vertex, vertex_count; // rows of elastic.vertices
    int first_push, push_count;     // rows of elastic.pushed
    int ranges;                     // row of elastic.ranges, -1: no springs and hinges
    int finest;                     // level of the finest clock of those, 0: none
    int force_count;                // springs and hinges
} nc_cloth_component;

// Springs of part p of a component that tick at level k and below it: rows [spring[p][k], spring[p + 1][0]); hinges
// likewise. Part number `parts` is what lies between parts.
typedef struct nc_cloth_ranges {
    int spring[NC_CLOTH_PARTS + 2][NC_CLOTH_LEVELS + 1];
    int hinge[NC_CLOTH_PARTS + 2][NC_CLOTH_LEVELS + 1];
} nc_cloth_ranges;

// Row `vertex` of push number `push`.
typedef struct nc_cloth_pushed {
    int push, vertex, component;
} nc_cloth_pushed;

// Sorted by (component, part, level, id), where id is the order in which they were added. Forces without a free vertex
// have component -1 and come first.
typedef struct nc_cloth_elastic {
    NC_ARRAY(nc_cloth_spring) springs;
    NC_ARRAY(nc_cloth_hinge) hinges;
    int parts;
    int finest;                              // level of the finest clock
    int *part;                               // [vertex_capacity] of each vertex
    int vertices_before[NC_CLOTH_PARTS + 1]; // in lower parts
    int *component;                          // [vertex_capacity] of each vertex, -1: not free
    bool *free;                              // [vertex_capacity] what the components were made for
    int *vertices;                           // [vertex_capacity] rows of free vertices, component by component
    int vertex_capacity;
    NC_ARRAY(nc_cloth_component) components;
    NC_ARRAY(nc_cloth_ranges) ranges;
    NC_ARRAY(nc_cloth_pushed) pushed; // by component, then in order of pushes
} nc_cloth_elastic;

// Chooses the parts. False when out of memory.
bool nc_cloth_parts_build(nc_cloth_world *world);
// Finds the components and sorts the forces, if the free vertices are others than last time. False when out of memory.
bool nc_cloth_components_update(nc_cloth_world *world);
void nc_cloth_components_free(nc_cloth_elastic *elastic, const nc_allocator *allocator);

// The angle between the normals of a hinge's triangles, positive when it bends towards -n, and its exact gradient.
// False when a triangle has no normal: then the hinge exerts no force.
bool nc_cloth_hinge_angle(const nc_vec3 x[4], double *angle, nc_vec3 gradient[4]);

// ---- what is prescribed -------------------------------------------------------------------------------------

typedef struct nc_cloth_scripted_vertices {
    int *vertices; // rows of the world
    int vertex_count;
    nc_keyframe *keys;
    int key_count;
    nc_vec3 velocity; // [m/s] without keys
    int64_t end;      // [ticks] INT64_MAX: never
} nc_cloth_scripted_vertices;

typedef struct nc_cloth_push {
    int *vertices; // rows of the world
    int vertex_count;
    nc_vec3 force;      // [N]
    int64_t start, end; // [ticks]
} nc_cloth_push;

#define NC_CLOTH_SCRIPT_LEVEL 4 // 16 per frame

// ---- a run --------------------------------------------------------------------------------------------------

typedef struct nc_cloth_counts {
    int64_t gravity, stretch, bend, contact, kicks, scripts, windows, rollbacks;
    int64_t islands, island_reruns; // of accepted windows; rolled back and run again
    int64_t certificates, reschedules, tree_events;
    int64_t audited, crossings;
    int deepest_layer, finest_level;
    double smallest_distance; // [m]
} nc_cloth_counts;

// The pairs that are examined.
typedef struct nc_cloth_contacts {
    nc_cloth_active_contact *data; // sorted by pair
    int count, capacity;
    nc_cloth_active_contact *other; // as they will be
    int other_capacity;
    int *island; // of each row
    int island_capacity;
    int *order; // rows: see nc_cloth_clockwork
    int order_capacity;
} nc_cloth_contacts;

// Which contacts of an island tick when: rows order[first[k]] to order[first[k + 1] - 1], for each level k from
// `coarsest` to `finest`, are those whose clock is as fine, in order of pairs.
typedef struct nc_cloth_clockwork {
    int coarsest, finest; // finest is -1 when no layer is active
    int first[NC_CLOTH_LEVELS + 2], next[NC_CLOTH_LEVELS + 2];
} nc_cloth_clockwork;

void nc_cloth_contacts_free(const nc_allocator *allocator, nc_cloth_contacts *contacts);
// What needs ask for beyond what is active.
typedef struct nc_cloth_contact_changes {
    int added;          // contacts that were missing or not deep enough: they are active now
    int too_deep;       // needs that come below their floor
    nc_cloth_pair pair; // the first of those
} nc_cloth_contact_changes;
nc_code nc_cloth_contacts_add_near(const nc_cloth_model *model, nc_cloth_contacts *contacts,
                                   const nc_cloth_near_pairs *needs, nc_cloth_contact_changes *out, nc_error *err);
// Only what is needed stays, as deep as the needs ask for and straight motion will.
nc_code nc_cloth_contacts_settle(const nc_cloth_model *model, nc_cloth_contacts *contacts,
                                 const nc_cloth_near_pairs *needs, nc_error *err);

// ---- islands ------------------------------------------------------------------------------------------------

// The first contact of a window in which a layer beyond the last allowed one would have to act.
typedef struct nc_cloth_jam_record {
    bool found;
    nc_cloth_pair pair;
    int layer;
    int64_t tick;
} nc_cloth_jam_record;

// A group of components that contacts of the current window connect: nothing else has to do with it, so it runs through
// the window on its own, and is rolled back on its own.
typedef struct nc_cloth_island {
    int first_component, component_count; // rows of islands.components; none: merged into another one
    int vertex_count, force_count;
    int finest_force, finest; // levels of the finest clocks: of forces, of all
    bool is_wide;             // it has more than half of all forces: its parts are run side by side, and it alone
    nc_cloth_clockwork contacts;
    bool wants_run;        // has not been run with the current contacts
    bool is_full;          // waits for room in its trace
    bool is_long;          // gave up: a shorter window would be better
    int64_t done;          // [ticks] the last tick that was run
    nc_cloth_trace *trace; // `own`, or the world's when there is only one island
    nc_cloth_trace own;
    int first_piece;        // in the world's trace
    nc_cloth_counts counts; // of this window
    nc_cloth_jam_record jam;
    int64_t ticks;                           // run so far, those that were undone included
    double seconds_elastic, seconds_contact; // of this run, from samples
} nc_cloth_island;

typedef struct nc_cloth_islands {
    nc_cloth_island *data; // the first `count` are in use, others keep their memory
    int count, made, capacity;
    int *of;         // [component] row of the component's island
    int *components; // [component] in order of islands
    int *todo;       // [component] islands that want to be run, those with the most forces first
    int component_capacity;
    int64_t shared_runs; // on more than one thread: for those who measure
} nc_cloth_islands;

void nc_cloth_islands_free(nc_cloth_islands *islands, const nc_allocator *allocator);

// The run of the current window before this one.
typedef struct nc_cloth_rollback_diff {
    bool is_kept;           // false: nothing is known of it
    nc_cloth_piece *pieces; // its trace
    int capacity;
    int *last;              // [vertex_capacity]
    nc_cloth_state *states; // [vertex_capacity] at its end
    bool *same;             // [vertex_capacity] see nc_cloth_trace
    int vertex_capacity;
} nc_cloth_rollback_diff;

void nc_cloth_rollback_diff_free(nc_cloth_rollback_diff *rollback_diff, const nc_allocator *allocator);

struct nc_cloth_world {
    nc_allocator allocator;
    nc_cloth_model model;
    nc_cloth_elastic elastic;
    NC_ARRAY(nc_cloth_scripted_vertices) scripts;
    NC_ARRAY(nc_cloth_push) pushes;
    nc_cloth_state *states; // [model.vertex_capacity]
    nc_cloth_state *kept;   // [vertex_count] as they were when the frame began
    int64_t frame;          // frames done
    bool started;           // no more objects; the start was checked
    bool audit;
    bool has_jam;
    nc_cloth_jam jam;
    // The current window.
    nc_cloth_trace trace;
    nc_cloth_contacts contacts;
    nc_cloth_islands islands;
    nc_cloth_rollback_diff rollback_diff;
    nc_cloth_search *search;
    nc_cloth_near_pairs needs;
    int tick_workers;       // threads for islands, parts of ticks and searches
    int window_level;       // windows are of 2^-level frames
    int calm_windows;       // since the last that had to be run again
    bool lets_go;           // contacts that are null and separate are let go (depth -1) at their ticks
    int let_go;             // how many
    int *kicks;             // [vertex_count] ticks at which each was kicked in this frame
    nc_cloth_counts counts; // of this frame
    double seconds_elastic, seconds_contact, seconds_find, seconds_audit;
};

// What one object adds to the elastic forces; clocks and order come with nc_cloth_elastic_finish.
nc_code nc_cloth_springs_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                             nc_error *err);
nc_code nc_cloth_hinge_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                           nc_cloth_hinge *hinge, nc_error *err);
// Chooses the clocks and sorts. Fails when a force would need more than 2^40 ticks per frame.
nc_code nc_cloth_elastic_finish(nc_cloth_world *world, nc_error *err);
void nc_cloth_elastic_free(nc_cloth_elastic *elastic, const nc_allocator *allocator);

nc_code nc_cloth_script_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                            nc_error *err);
// Forgets all but the first ones.
void nc_cloth_scripts_cut(nc_cloth_world *world, int scripts, int pushes);
void nc_cloth_scripts_free(nc_cloth_world *world);
// Prescribed velocities from `now` on; releases what ends here. To be called at every tick of NC_CLOTH_SCRIPT_LEVEL.
void nc_cloth_scripts_run(nc_cloth_world *world, int64_t now);

nc_code nc_cloth_object_add(nc_cloth_world *world, const nc_cloth_def *def, int *out, nc_error *err);
void nc_cloth_model_free(nc_cloth_model *model);

// Makes near_start known to nc_cloth_pair_thickness. False when out of memory.
bool nc_cloth_near_index(nc_cloth_model *model);
nc_code nc_cloth_surface_build(nc_cloth_model *model, nc_error *err);
void nc_cloth_surface_free(nc_cloth_model *model);

nc_code nc_cloth_layers_build(const nc_allocator *allocator, int max_layer, nc_cloth_layers *out, nc_error *err);
void nc_cloth_layers_free(const nc_allocator *allocator, nc_cloth_layers *layers);

// Checks the start, takes what the run needs, chooses the clocks. On failure nothing changed.
nc_code nc_cloth_start(nc_cloth_world *world, nc_error *err);
void nc_cloth_start_undo(nc_cloth_world *world);
// Empties a trace for the window (begin, end].
void nc_cloth_trace_open(nc_cloth_trace *trace, int64_t begin, int64_t end);
// The same for the world's, whatever became of the window before: islands may have been stopped on the way.
void nc_cloth_trace_forget(nc_cloth_world *world, int64_t begin, int64_t end);

// Runs one frame; on failure states are undefined (the caller restores them).
nc_code nc_cloth_run_frame(nc_cloth_world *world, nc_error *err);

// The coarsest level whose step is at most `step` [s]; NC_CLOTH_LEVELS + 1 when none is.
int nc_cloth_level_for(const nc_cloth_model *model, double step);

#endif
