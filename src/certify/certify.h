// The one place where proposals become motions. Whatever computes positions only proposes one path per body; what comes
// out of here is proven free of crossings, or nothing comes out.
//
// A clock `now` runs from 0 to 1, and the past is never changed. Of the pairs that are not clear until the end, the one
// with the smallest (clear_until, i, j) is next:
//   at most one of the two groups is infinite (static, scripted, halted): they stick, and move on as one, with the
//   infinite one's motion, else with their common momentum;
//   both are infinite: the moving one of lower priority halts, with all that sticks to it.
// Changed motions are swept again on [now, 1]. Every event lowers (groups + moving infinite groups), so there are at
// most bodies + scripted bodies of them. Nobody moving is always a valid end.
//
// Invariants, checked before anything is handed out:
//   1  A pair of bodies is in one group since the time until which it is clear, or both of them are still since then,
//   or
//      it is clear until 1 for the motions that both have now, or its swept boxes are apart.
//   2  A body's path up to `now` is what it was when its pairs were swept up to `now`.
// docs/theory/certify.md has the argument.
#ifndef NC_CERTIFY_CERTIFY_H
#define NC_CERTIFY_CERTIFY_H

#include "broad/broad.h"
#include "narrow/narrow.h"

typedef enum nc_role {
    NC_ROLE_ABSENT = NC_BROAD_NOBODY, // a dead row: no body
    NC_ROLE_FIXED = NC_BROAD_STAYS,   // never moves
    NC_ROLE_SCRIPTED,                 // infinite mass; its proposal is its script
    NC_ROLE_FREE                      // finite mass
} nc_role;

// Row i of every array is body i.
typedef struct nc_certify_bodies {
    int count;
    const uint8_t *role; //          nc_role
    const nc_mesh *const *mesh;
    const double *mass;        // [kg]     free bodies
    const nc_inertia *inertia; // [kg m^2] free bodies
    nc_path *path;             //          in: proposals, of at most NC_MAX_SEGMENTS - 1 segments; out: motions
} nc_certify_bodies;

typedef struct nc_certifier nc_certifier;

// [events] Per body, which no certification exceeds. Proof: docs/theory/certify.md, "It ends".
#define NC_CERTIFY_EVENTS_PER_BODY 2

typedef struct nc_certify_options {
    double floor;     // [m] d_floor
    double tolerance; // [m] how near to its gap a pair counts as hit
    double reach;     // [m] pairs that are farther apart all the time are not examined for smallest_distance
    int sweep_limit;  // evaluations per pair of features
    int64_t budget;   // evaluations of all sweeps; 0: no limit. When it is used up, sweeps that need many are undecided
    int event_budget; // events after which sticking becomes halting
    int workers;      // threads; the result does not depend on it
    bool skip_fixed;  // fixed bodies that nothing that moves can reach are not shown to the broad phase; then pairs of
                      // them are not counted, and leave the budget to others
    // False for pairs that may pass through each other. NULL: all must stay apart.
    bool (*matters)(int i, int j, const void *ctx);
    // A lower bound [m] of the distance of any two features of a pair where the step begins; 0 when nothing is known.
    // Pairs that cannot move that far need no sweep. May be NULL. Called from several threads.
    double (*clearance)(int i, int j, const void *ctx);
    // Asked now and then; then the certification ends with NC_INTERRUPTED. May be NULL.
    const nc_interrupt *interrupt;
    nc_share *share; // other ranks that make the same call, and have a part of the sweeps; NULL: none
    // Another certification of the same bodies from the same start, whose verdicts may hold here too. May be NULL.
    const nc_certifier *earlier;
    const void *ctx;
} nc_certify_options;

// What became of a body.
typedef struct nc_fate {
    double ran_until; // [1] the part of the step before it halted; 1 if it did not
    int group;        // the lowest row of the bodies it ended up moving with
    bool stuck;       // it is not alone in its group
    bool halted;
    int blocker; // of a scripted body that was halted: the other body of the pair whose collision did it; -1: none
} nc_fate;

typedef struct nc_certify_report {
    int pairs;           // with overlapping swept boxes at the start
    int64_t sweeps;      // mesh sweeps made
    int64_t evaluations; // nc_sweep_cost of all of them
    int64_t spared;      // sweeps that the clearance at the start, or a verdict known already, made needless
    int events, sticks, halts;
    int stalls;               // scripted bodies halted
    int stalled;              // the first of them, by event and then by row; -1: none
    int stalled_by[2];        // the pair whose collision halted it
    int jams;                 // pairs so near that they were kept bit for bit
    int undecided;            // sweeps that ended undecided
    double smallest_distance; // [m] lower bound over all pairs and the whole step, at most `reach`; infinite when no
                              // two swept boxes came within it
} nc_certify_report;

// A certifier is memory that is kept between steps, and the verdicts of the current one.
nc_code nc_certifier_create(const nc_allocator *allocator, nc_certifier **out, nc_error *err);
void nc_certifier_destroy(nc_certifier *certifier); // NULL is allowed

// 1. Sweeps all pairs whose swept boxes overlap. `bodies`, `options` and what they point to must stay until the end.
nc_code nc_certify_begin(nc_certifier *certifier, const nc_certify_bodies *bodies, const nc_certify_options *options,
                         nc_error *err);

// 1, when the same step may be begun again with other bodies in some rows: remembers the verdicts of 1, just made.
nc_code nc_certify_store_verdicts(nc_certifier *certifier, nc_error *err);
// Then: as nc_certify_begin, but that verdicts which were remembered are not computed again. They are taken for two
// bodies that both have the mesh, the start and the proposal that they had then, to the bit; what `options` says of
// such a pair must be what it said then. The result is that of nc_certify_begin, but for the sweeps that it counts.
nc_code nc_certify_restart(nc_certifier *certifier, const nc_certify_bodies *bodies, const nc_certify_options *options,
                           nc_error *err);

// A pair that is not clear until the end of the step.
typedef struct nc_collision {
    int i, j;              // i < j
    double toi;            // [1]
    bool undecided;        // no hit: only that the proof ended here
    nc_feature_id feature; // of i (A) and j (B)
    nc_vec3 nearest;       // [m] from j's feature to i's at toi
    int checks;            // how often nc_certify_recheck found it colliding
} nc_collision;
// Writes the pairs that are not clear for the motions as they are, by (toi, i, j), up to `capacity`; returns how many.
int nc_certify_collisions(const nc_certifier *certifier, nc_collision *out, int capacity);

// What was counted so far. Valid until the next step.
const nc_certify_report *nc_certify_so_far(const nc_certifier *certifier);

// 2. Any number of times: the caller has written another proposal for a row. Verdicts on its pairs are void.
nc_code nc_certify_change(nc_certifier *certifier, int row, nc_error *err);
// Examines a pair that has collided before, again if one of its motions changed since. False when it is clear.
bool nc_certify_recheck(nc_certifier *certifier, int i, int j, nc_collision *out);
// Sweeps all pairs whose verdicts are void.
nc_code nc_certify_refresh(nc_certifier *certifier, nc_error *err);
// The same for some bodies only: `scope` (by row) says which pairs of a body whose motion changed are swept: none,
// those that were not clear before in this certification, or all. What is left stays void, and nc_certify_end sweeps
// it.
typedef enum nc_certify_scope { NC_NO_PAIRS, NC_PAIRS_SEEN_COLLIDING, NC_ALL_PAIRS } nc_certify_scope;
nc_code nc_certify_refresh_scope(nc_certifier *certifier, const uint8_t *scope, nc_error *err);

// The proposals of rows i and j are the very same segments, and will be whatever is proposed later: they are one group
// from 0 on, and what is between them needs no proof. nc_certify_end looks whether that is so.
void nc_certify_join(nc_certifier *certifier, int i, int j);

// 3. What is void is swept; the events; then the proof. On NC_OK every path is certified and `fate` (count rows) is
// filled. NC_BROKEN_PROMISE: the invariants do not hold at the end, a defect; the paths must not be used.
nc_code nc_certify_end(nc_certifier *certifier, nc_fate *fate, nc_certify_report *report, nc_error *err);

// ---- clusters, a proposer (English 4.2) ------------------------------------------------------------------------
//
// Bodies that are to be treated as one body. Clusters only make proposals; nothing here is trusted by the certifier.
//   kinematic  members keep their motion against each other: what a push does to the cluster comes on top of it
//   full       members move as one from the start of the step
// A cluster with a static or scripted member, its carrier, has infinite mass. docs/theory/failsafe.md derives the
// equations.

typedef enum nc_cluster_kind { NC_CLUSTER_SINGLE, NC_CLUSTER_KINEMATIC, NC_CLUSTER_FULL } nc_cluster_kind;

typedef struct nc_cluster {
    nc_cluster_kind kind;
    int size;            // members
    int carrier;         // row of the member of infinite mass, the first one; -1: none
    double inv_mass;     // [1/kg]        eq. 5; 0 with a carrier
    nc_mat3 inv_inertia; // [1/(kg m^2)]  eq. 7, about x in world axes; 0 with a carrier
    nc_vec3 x;           // [m]           centre of mass at the start of the step, eq. 6; of the carrier if there is one
    nc_vec3 v, w;        // [m/s] [rad/s] eq. 8 (full) or 12 (kinematic), and all pushes since
    nc_vec3 v_base; // [m/s]         eq. 12 when a kinematic cluster was formed: what its members' motion amounts to
} nc_cluster;

typedef struct nc_clusters nc_clusters;
nc_code nc_clusters_create(const nc_allocator *allocator, nc_clusters **out, nc_error *err);
void nc_clusters_destroy(nc_clusters *clusters); // NULL is allowed

// Every body alone. `v` [m/s] and `w` [rad/s] are velocities by row, written for free bodies as clusters change;
// bodies->path has the proposals that belong to them, one segment for free bodies. All must stay while clusters do.
nc_code nc_clusters_begin(nc_clusters *clusters, const nc_certify_bodies *bodies, nc_vec3 *v, nc_vec3 *w, double dt,
                          nc_error *err);
int nc_clusters_root(const nc_clusters *clusters, int row);
// The member after `row` in its cluster, round and round.
int nc_clusters_next(const nc_clusters *clusters, int row);
const nc_cluster *nc_clusters_view(const nc_clusters *clusters, int root);
// Where the cluster's centre of mass is at t in [0, 1].
nc_vec3 nc_clusters_center(const nc_clusters *clusters, int root, double t);
// Two clusters become one of `kind`; returns its root, or -1 when carriers that move differently cannot be one.
// Members' velocities and paths are those of the new cluster.
int nc_clusters_merge(nc_clusters *clusters, int a, int b, nc_cluster_kind kind);
// Changes the cluster's velocity, and its members' velocities (eq. 10, 14). Not their paths.
void nc_clusters_push(nc_clusters *clusters, int root, nc_vec3 dv, nc_vec3 dw);
// Writes the paths of the members of a kinematic or full cluster (eq. 9, 13).
void nc_clusters_propose(nc_clusters *clusters, int root);

#endif
