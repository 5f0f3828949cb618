// Inside certify only: the tables of one certification.
#ifndef NC_CERTIFY_STATE_H
#define NC_CERTIFY_STATE_H

#include "certify/certify.h"

// What a clear verdict was about: two free motions from the start of the step, and how much more than needed kept them
// apart. It holds for all motions that differ from these by less.
typedef struct nc_kept_verdict {
    bool valid;
    bool earlier;   // the motions are among those of options->earlier
    int of_i, of_j; // rows of nc_certifier.motions
    double slack;   // [m]
} nc_kept_verdict;

// How far a pair of bodies is proven apart, and for which motions.
typedef struct nc_record {
    int i, j; // i < j
    uint32_t version_i, version_j;
    double clear_until;     // [1] for these versions
    double distance;        // [m] certified until then, since the start of the step
    double start_distance;  // [m] of the features that are not clear; -1: not examined
    uint32_t verdicts;      // how often it was swept: older events of it in the heap are void
    int evaluations;        // of the last verdict
    int evaluations_before; // of the one before; for ranks that share sweeps
    bool exhausted;         // its budget was used up
    bool undecided;
    bool spared; // the last verdict needed no sweep
    bool met;    // it was not clear at some time
    bool held;   // the verdict is one that was remembered, not yet noted
    int checks;  // how often a single look found it colliding
    nc_kept_verdict kept;
    nc_whole_hint hint;
    nc_feature_id feature; // of what is not clear
    nc_vec3 nearest;       // [m]
} nc_record;

// Something that will happen at a time unless a motion changes before.
typedef struct nc_event {
    double time;
    int record;
    uint32_t verdict; // nc_record.verdicts when it was foreseen
} nc_event;

// A body as it was when verdicts were remembered.
typedef struct nc_restart_body {
    bool simple;   // of one segment; nothing is known of other bodies, and of none
    uint64_t mesh; // its hash
    nc_pose start;
    nc_segment segment;
} nc_restart_body;

// First verdicts, for a certification that is begun again.
typedef struct nc_restart_cache {
    double floor, tolerance; // [m]
    int sweep_limit;
    NC_ARRAY(nc_restart_body) bodies;
    NC_ARRAY(nc_record) records; // by (i, j)
} nc_restart_cache;

// Groups of bodies that move as one: a forest over rows, and a ring through the members of each group.
typedef struct nc_groups {
    int *parent;
    int *next;       // the next member, round and round
    uint8_t *finite; // of a group's root: common momentum, or the motion of an infinite member
    uint8_t *still;  // of a group's root: it does not move from some time on
} nc_groups;

// What is known of a fixed body that stays where it is from step to step.
typedef struct nc_fixed_body {
    uint64_t mesh; // its hash; 0: nothing is known
    nc_pose pose;
    nc_box box; // [m] as it is there
} nc_fixed_body;

struct nc_certifier {
    nc_allocator allocator;
    const nc_certify_bodies *bodies;
    const nc_certify_options *options;
    nc_fate *fate; // while events run
    nc_certify_report report;
    double now;            // [1] the clock of events
    uint32_t last_version; // no version is ever used twice
    int capacity;          // rows
    nc_groups groups;
    uint32_t *version; // of each body's motion
    nc_box *box;       // [m] swept from the time of its last change to 1
    nc_box *shown;     // [m] what the broad phase sees of them
    nc_fixed_body *fixed;
    double *error; // [m] E
    nc_path_ends *ends;
    int *motion;      // the row of a body's motion, as it is now, in `motions`; -1: it is not there
    uint8_t *changed; // in this event, or since all pairs were examined
    nc_broad *broad;  // of the boxes that were examined last
    nc_pairs pairs;   // and its pairs
    NC_ARRAY(nc_record) records;
    NC_ARRAY(nc_segment) motions; // free motions that verdicts of this step are about; many pairs have one in common
    int *table;                   // open addressing from pair to record: record + 1, 0 for none
    int table_size;
    NC_ARRAY(nc_event) heap; // the next event first
    bool foresee;            // sweeps put events into the heap
    NC_ARRAY(int) todo;      // records to be swept
    NC_ARRAY(int) again;     // those of them whose budget was too small
    NC_ARRAY(int) shared;    // those that ranks share
    int sweep_budget;        // evaluations of each sweep of the round under way; 0: no limit
    NC_ARRAY(int) rows;      // bodies whose motion changed
    NC_ARRAY(int) met;       // records that were not clear at some time
    nc_restart_cache restart_cache;
};

// ---- groups.c ----
void nc_groups_begin(nc_groups *groups, const nc_certify_bodies *bodies);
int nc_groups_root(const nc_groups *groups, int i);
// Joins two groups; the new root is the lower one.
int nc_groups_join(nc_groups *groups, int a, int b);

// ---- records.c ----
void nc_records_begin(nc_certifier *c);
// The record of a pair, made if need be; -1 when out of memory.
int nc_records_of(nc_certifier *c, int i, int j);
// The record of a pair, or -1.
int nc_records_find(const nc_certifier *c, int i, int j);
// Foresees the event of a record that is not clear until 1. False when out of memory.
bool nc_heap_push(nc_certifier *c, int record);
// The record with the smallest (clear_until, i, j) whose event is not void, or -1.
int nc_heap_pop(nc_certifier *c);

// ---- certify.c ----
// Do the two move as one from the start of the step?
bool nc_certify_same_segments(const nc_path *a, const nc_path *b);
// [m] A body's box, swept over the whole step.
nc_box nc_certify_swept_box(const nc_certifier *c, int i);
// The pairs of boxes that overlap, into c->pairs; those of two fixed bodies may be left out.
nc_code nc_certify_find_pairs(nc_certifier *c, nc_error *err);

// ---- distances.c ----
// Fills report.smallest_distance, once all is proven. Uses c->box and c->pairs.
nc_code nc_certify_measure(nc_certifier *c, nc_error *err);

// ---- restart_cache.c ----
void nc_restart_cache_free(nc_restart_cache *cache, const nc_allocator *allocator);
// The verdict that was remembered of a pair, if it holds for what the two bodies propose now; or NULL. *at (0 before
// the first) goes through what is known as pairs come, in ascending order.
const nc_record *nc_restart_cache_find(const nc_certifier *c, int i, int j, int *at);

#endif
