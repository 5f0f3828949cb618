// Inside step only: rounds of responses to pairs that collide, component by component (rounds.c, components.c).
#ifndef NC_STEP_ROUNDS_H
#define NC_STEP_ROUNDS_H

#include "certify/certify.h"
#include "step/near.h"

typedef struct nc_step nc_step;

// How far a component has come in resolving its collisions; at its lowest row.
typedef enum nc_rung { NC_RUNG_SINGLE, NC_RUNG_BATCH, NC_RUNG_WHOLE } nc_rung;
typedef struct nc_ladder {
    int bodies;             // of finite mass
    int batched;            // of them, that were seen to collide since the first rung
    nc_rung rung;           //
    int passes;             // rounds that changed something
    int solves;             // rounds on this rung, but the first one
    nc_certify_scope scope; // of its pairs that the next round, or the one under way, examines
    bool done;              //
    int colliding;          // pairs in this round
    int repeated;           // of them, that were resolved before
    int changed;            // responses in this round that changed a body
    bool collected;         // there is something to be solved together in this round
    bool waits;             // for the next round
    bool driven;            // something scripted is near one of its bodies, or collides with it
    bool jointed;           // one of its bodies has a joint: it is solved as a whole
    bool tight; // nothing drives it and a pair with little play collided: it is solved as a whole, to the end
} nc_ladder;

// Bodies that are near each other or were seen to collide in this phase.
typedef struct nc_components {
    int rows;
    const uint8_t *role;         // nc_role by row
    NC_ARRAY(int) parent;        // by row: a lower row of its component, or itself
    NC_ARRAY(nc_ladder) ladders; // by lowest row of a component
    NC_ARRAY(uint8_t) scopes;    // by row: nc_certify_scope of a round
    NC_ARRAY(uint8_t) batched;   // by row: it is in a batch
} nc_components;
void nc_components_free(nc_components *components, const nc_allocator *allocator);

// Components of bodies that are near each other by the table, each on the first rung; pairs that collide are united
// later.
nc_code nc_components_begin(nc_components *components, const uint8_t *role, int rows, const nc_near_table *near,
                            const nc_allocator *allocator, nc_error *err);
void nc_components_unite(nc_components *components, int i, int j);
// Marks the component of a pair as driven, if one of the two is scripted.
void nc_components_drive(nc_components *components, int i, int j);
// The ladder of a pair's component: that of i, or of j if i is of infinite mass.
nc_ladder *nc_components_ladder(const nc_components *components, int i, int j);
// Are both in a batch, or all that is near in it, so that their contacts are solved together in this round?
bool nc_components_solves(const nc_components *components, int i, int j);

// Resolves a pair that collides; *done (false before) when that changed a body: then its path is a new one, and certify
// knows.
typedef nc_code (*nc_respond)(nc_step *step, const nc_collision *hit, bool *done, nc_error *err);
// Appends the contacts of a colliding pair to work->batch; *done as above when a body changed instead.
typedef nc_code (*nc_collect)(nc_step *step, const nc_collision *hit, bool *done, nc_error *err);
// Solves what components gathered and the near contacts with it together; counts the bodies that have new paths in the
// ladders of their components.
typedef nc_code (*nc_solve_batch)(nc_step *step, nc_error *err);
typedef struct nc_rounds {
    int limit;      // passes
    int pair_limit; // responses to one pair in a pass
    nc_respond respond;
    nc_collect collect;
    nc_solve_batch solve_batch;
    bool one_by_one;  // never solved together
    int tight_bodies; // components of at most so many, with little play, are solved as a whole at once; 0: none
} nc_rounds;
// Passes of responses until none changes anything, component by component. Pairs are resolved one by one, in the order
// of their times, as long as that brings them to an end. Then those that collide are solved together with the near
// contacts among their bodies or, when they are many, with all near contacts of their component.
nc_code nc_step_rounds(nc_step *step, nc_certifier *certifier, const nc_rounds *rounds, nc_error *err);

typedef NC_ARRAY(nc_collision) nc_collisions;
// Fills a list with the pairs that are not clear now, by time; returns how many, -1 when out of memory.
int nc_collisions_read(nc_collisions *collisions, const nc_certifier *certifier, const nc_allocator *allocator);

#endif
