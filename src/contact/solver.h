// What the solvers' files share among themselves. Not for other folders.
//
// While an island is solved its finite bodies live in slots and its contacts in blocks: the three rows of a contact
// (normal, two tangents), each with its 12 non-zeros, kept as arms and directions, and the 3x3 diagonal block of
// J M^-1 J^T. Infinite bodies appear only as the drift they add to the relative velocity.
#ifndef NC_CONTACT_SOLVER_H
#define NC_CONTACT_SOLVER_H

#include "contact/contact.h"
#include "contact/joint_newton.h"
#include "contact/newton.h"
#include "contact/wide.h"

typedef struct nc_slot {
    nc_vec3 v, w;
    double inv_mass;
    nc_mat3 inv_inertia;
} nc_slot;

typedef struct nc_block {
    int a, b;              // slots that move; -1: infinite
    nc_vec3 arm_a, arm_b;  // [m]
    nc_vec3 n, t1, t2;     //       with the cone: t1, t2 are principal directions of the tangential response (k12 = 0)
    nc_vec3 drift;         // [m/s] velocity of infinite A's point minus that of infinite B's, plus the contact's bias
    double knn, kn1, kn2;  // [1/kg] K in this frame
    double k11, k12, k22;  //
    double soft_n;         // [1/kg] compliance of the normal row
    double inv_nn;         // [kg]   1/(knn + soft_n); 0: nothing can move, the contact is left alone
    double inv_11, inv_22; //
    double target;         // [m/s]
    double friction;       // [1]
    nc_vec3 lambda;        // [N s] impulse on A in this frame
    nc_vec3 start;         // [N s] what it was when the block was built
} nc_block;

typedef struct nc_edge {
    int a, b; // nodes; -1: fixed
} nc_edge;

typedef struct nc_island {
    int slot_begin, slot_end;
    int contact_begin, contact_end;
    int group_begin, group_end; // of four contacts; none: one by one
    int part_begin, part_end;   // of these groups
} nc_island;

// Memory of the contact graph of n nodes and m edges.
typedef struct nc_graph_memory {
    const nc_edge *edges; // [m]
    int *height;          // [n]
    int *queue;           // [n]
    int *link_begin;      // [n + 2]
    int *links;           // [2 m] the edges of each node
    int *order;           // [m]
    int *layer_begin;     // [n + 2]
} nc_graph_memory;

// What the accelerated sweeps remember: see momentum.c.
typedef struct nc_block_memo {
    nc_vec3 step;  // [N s] of the last sweep
    nc_vec3 along; // [N s] direction so far
} nc_block_memo;
typedef struct nc_slot_memo {
    nc_vec3 v, w;             // before the last sweep
    nc_vec3 along_v, along_w; // what `along` does to the velocities
} nc_slot_memo;

// C with C C^T = the inverse inertia: c11, c21, c22, c31, c32, c33.
typedef struct nc_factor {
    double c[6];
} nc_factor;

// Where a body's velocity was some sweeps ago.
typedef struct nc_slot_mark {
    nc_vec3 v, w;
    double reach; // [m] longest arm
} nc_slot_mark;

// One problem for the sweeps: blocks and the slots they refer to.
struct nc_sweeps {
    nc_slot *slots;
    nc_block *blocks;
    int count;
    double stop;  // [m/s] stop when no block asks for more
    double floor; // [m/s] the same from sweep `patience` on
    int patience;
    double violation; // [m/s] largest before the first sweep
    double plateau;   // [m/s] stop when velocities do not move by more; needs marks
    int quiet;        // windows of sweeps running in which they did not
    int iterations;   // in: limit; out: sweeps done
    int64_t left_out; // out: blocks that these did not update; the limit is for what they did
    double residual;  // [m/s] out: most that a block asked for in the last sweep
    // Memory for acceleration; NULL: none. Slots [slot_begin, slot_end) are all that blocks refer to.
    nc_block_memo *block_memos;
    nc_slot_memo *slot_memos;
    nc_slot_mark *marks; // NULL: no plateau
    int slot_begin, slot_end;
};
typedef struct nc_sweeps nc_sweeps;

// An island while it is solved.
typedef struct nc_island_solve {
    nc_contact_work *work;
    const nc_solver_bodies *bodies;
    nc_contact *contacts;
    int contact_count; // of all islands
    bool shared;       // ranks have a part of the islands each
    const nc_solve_settings *settings;
    nc_solve_settings own; // of a small island: settings points to it
    nc_island range;
    int index;
    int workers; // that the island has for itself
    nc_contact_graph layers;
    bool tower;        // higher than wide
    nc_sweeps sweeps;  // those going on, and when they stop
    double stop;       // [m/s] of Newton
    double compliance; // [1] that blocks are built with
    double ease;       // [1] the part of targets above 0 that they ask for
    int swept;         // sweeps of this attempt, as nc_sweeps_made counts them
    int64_t updates;   // blocks updated so far
    bool shock;        // the change going on is that of shock propagation
    bool eager;        // gets Newton after a few sweeps; else when sweeps failed
    bool waits;        // for Newton
    nc_newton newton;  // no blocks: none
    int newtons;       // factorisations so far
} nc_island_solve;

typedef NC_ARRAY(int) nc_ints;

// Indices by island.
typedef struct nc_joint_lists {
    nc_ints begin; // [islands + 1]
    nc_ints order;
} nc_joint_lists;
// Memory of islands with joints (joint_solve.c).
typedef struct nc_joint_work {
    nc_ints parent, island_of, column_of; // by body
    NC_ARRAY(uint8_t) touched;            // by body that is a root: its island has contacts
    nc_ints keys;                         // islands of contacts or rows, while these are sorted
    nc_joint_lists bodies, contacts, rows;
    // Of the island that is solved.
    NC_ARRAY(uint64_t) bits;
    nc_ints ints, factor_rows;
    NC_ARRAY(double) doubles;
    NC_ARRAY(nc_link) links;
    NC_ARRAY(nc_velocity_change) changes; // by member
    NC_ARRAY(nc_contact) loose;           // contacts of other islands
} nc_joint_work;
void nc_joint_work_free(nc_joint_work *work, const nc_allocator *allocator);

// Without a look at joints.
nc_code nc_unjointed_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                           const nc_solve_settings *settings, nc_solve_report *report, nc_error *err);

struct nc_contact_work {
    nc_allocator allocator;
    // By body.
    nc_ints parent;    // union-find
    nc_ints island_of; // of a root: its island; -1
    nc_ints slot_of;   // of a body: its slot; -1
    nc_ints body_of;   // of a slot: its body
    NC_ARRAY(nc_slot) slots;
    NC_ARRAY(nc_velocity_change) changes; // by slot
    NC_ARRAY(nc_slot_memo) slot_memos;    // by slot
    NC_ARRAY(nc_slot_mark) marks;         // by slot
    NC_ARRAY(uint64_t) colours;           // by slot: those its contacts have
    nc_ints hub_of;                       // by slot: its number among the part's hubs, 0: it is none
    nc_ints contacts_of;                  // by slot: how many it has
    nc_ints region_of;                    // by slot
    nc_ints wide_of;                      // by slot: its place among the island's wide slots
    NC_ARRAY(nc_factor) factors;          // by slot
    NC_ARRAY(nc_line) wide_slots;         // and memos: by slot and one more an island
    NC_ARRAY(nc_line) wide_memos;         //
    NC_ARRAY(nc_line) wides;              // groups
    nc_ints wide_chosen;                  // by group: those that sweeps visit
    nc_ints wide_moving;                  // by slot and one more an island: those that sweeps move
    nc_ints block_at;                     // by lane of all groups: its block, from the island's first on; -1: none
    NC_ARRAY(nc_wide_part) wide_parts;    // by island
    // By island.
    NC_ARRAY(nc_island) islands;
    NC_ARRAY(nc_solve_report) reports;
    NC_ARRAY(nc_island_solve) solves;
    // By contact.
    nc_ints order; // contacts by island, in their own order inside one
    NC_ARRAY(nc_block) blocks;
    NC_ARRAY(nc_block) layer_blocks; // of the layer that shock propagation is at
    NC_ARRAY(nc_block_memo) block_memos;
    nc_ints by_part;  // places in `order`, island by island, part by part
    nc_ints class_of; // of a contact in `order`
    nc_ints lane_of;  // of a contact in `order`: its place among the lanes of all groups
    // Newton's method: by body, and one more an island.
    NC_ARRAY(uint64_t) newton_bits; // NC_NEWTON_WORDS a body
    nc_ints newton_ints;            // place, degree, first row
    // Of islands that wait for it, one after the other.
    nc_ints newton_rows;
    NC_ARRAY(double) newton_doubles;
    NC_ARRAY(nc_newton_contact) newton_contacts;
    nc_joint_work joint;
    // Contact graphs, of islands or of all.
    NC_ARRAY(nc_edge) edges;
    nc_ints height, queue, link_begin, links, layer_order, layer_begin;
};

// K of one body.
nc_mat3 nc_response_of(double inv_mass, const nc_mat3 *inv_inertia, nc_vec3 arm);

// Groups contacts and bodies into work->islands. The work has been reserved. Returns the number of islands.
int nc_islands_find(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count);

// Who a block's contact is between: slots (-1: infinite), and whether a body in a slot is to be treated as infinite.
typedef struct nc_block_ends {
    int a, b;
    bool fixed_a, fixed_b;
} nc_block_ends;
// `compliance` [1]: the normal row gives way by this part of K times its impulse.
nc_block nc_block_build(const nc_solver_bodies *bodies, const nc_contact *contact, const nc_slot *slots,
                        nc_block_ends ends, nc_friction_model friction, double compliance);
// Gives it at least this compliance.
void nc_block_soften(nc_block *block, double compliance);
// Relative velocity in the world.
static inline nc_vec3 nc_block_velocity(const nc_block *block, const nc_slot *slots)
{
    nc_vec3 u = block->drift;
    if (block->a >= 0)
        u = nc_add(u, nc_add(slots[block->a].v, nc_cross(slots[block->a].w, block->arm_a)));
    if (block->b >= 0)
        u = nc_sub(u, nc_add(slots[block->b].v, nc_cross(slots[block->b].w, block->arm_b)));
    return u;
}
static inline void nc_slot_push(nc_slot *slot, nc_vec3 arm, nc_vec3 impulse)
{
    slot->v = nc_madd(slot->v, slot->inv_mass, impulse);
    slot->w = nc_add(slot->w, nc_mat3_mul(slot->inv_inertia, nc_cross(arm, impulse)));
}
// Adds `impulse` [N s, world] on A, its opposite on B, to the slots' velocities.
static inline void nc_block_push(const nc_block *block, nc_slot *slots, nc_vec3 impulse)
{
    if (block->a >= 0)
        nc_slot_push(&slots[block->a], block->arm_a, impulse);
    if (block->b >= 0)
        nc_slot_push(&slots[block->b], block->arm_b, nc_neg(impulse));
}
static inline nc_vec3 nc_block_vector(const nc_block *block, nc_vec3 lambda)
{
    return nc_madd(nc_madd(nc_scale(lambda.x, block->n), lambda.y, block->t1), lambda.z, block->t2);
}
// Adds what was given since the block was built to the changes.
void nc_block_record(const nc_block *block, nc_velocity_change *changes);

// The friction impulse in the disc of radius `limit` that a principal block asks for: the minimum of
// 1/2 (l' - l).K (l' - l) + u.(l' - l). In: the current impulse *l1, *l2 and relative velocity u1, u2. Out: the new
// one.
void nc_cone_project(double k1, double k2, double limit, double u1, double u2, double *l1, double *l2);

// Before the first sweep, and after every one but the last; `gain` is the sum of K step^2 [J] of the sweep now and
// before.
void nc_momentum_start(const nc_sweeps *sweeps);
void nc_momentum_add(const nc_sweeps *sweeps, double gain, double gain_before);
// [m/s] Residual at which sweeps end now. Small islands meet the tolerance within `patience` sweeps; large ones may be
// content with the floor.
static inline double nc_sweeps_enough(const nc_sweeps *sweeps)
{
    return sweeps->iterations < sweeps->patience ? sweeps->stop : sweeps->floor;
}
static inline bool nc_sweeps_done(const nc_sweeps *sweeps)
{
    return sweeps->residual <= nc_sweeps_enough(sweeps);
}
// Sweeps that were made; those that left out blocks count for their part.
static inline int nc_sweeps_made(const nc_sweeps *sweeps)
{
    const int64_t updates = (int64_t)sweeps->iterations * sweeps->count - sweeps->left_out;
    return (int)((updates + sweeps->count - 1) / sweeps->count);
}
// Marks velocities before the first sweep; says after each window of sweeps whether they have come to rest
// (nc_sweeps.plateau), by those in the slots.
void nc_sweeps_mark(nc_sweeps *sweeps);
bool nc_sweeps_rest(nc_sweeps *sweeps);
static inline bool nc_sweeps_window(const nc_sweeps *sweeps)
{
    return sweeps->marks != NULL && sweeps->iterations % NC_PLATEAU_SWEEPS == 0;
}
void nc_sweeps_run(nc_sweeps *sweeps, const nc_solve_settings *settings);
void nc_pgs_sweeps(nc_sweeps *sweeps, nc_friction_model friction);
void nc_sequential_sweeps(nc_sweeps *sweeps, double epsilon);
// Sets `violation`, and `stop`: the speed below which these blocks count as solved (nc_solve_settings.tolerance and
// .floor).
void nc_sweeps_stop(nc_sweeps *sweeps, const nc_solve_settings *settings);
// How far a block is from what its rows ask for [m/s], at relative velocity u in its frame, or in the world.
double nc_block_residual_parts(const nc_block *block, nc_vec3 u, nc_friction_model friction);
double nc_block_residual(const nc_block *block, nc_vec3 u, nc_friction_model friction);

// Heights and layers of a graph. Returns the number of layers; 0 when there is no edge.
int nc_graph_layers(const nc_graph_memory *memory, int node_count, int edge_count);
// Layers in several: what is heavier, by a factor of 8, comes after what is lighter and at the same height, so that a
// light body that lies beneath a heavy one is held when that one is solved, though both touch the floor. What floats
// keeps its one layer, in which nobody is held and momentum is kept. `layers` are those of nc_graph_layers, and
// 8 (layers + 1) <= 2 edge_count. Returns how many there are now.
int nc_graph_layers_by_mass(const nc_graph_memory *memory, int node_count, int edge_count, int layers,
                            const nc_slot *slots);
// The part of the work's graph memory that belongs to island `index`.
nc_graph_memory nc_graph_memory_of(const nc_contact_work *work, int index);

// The stack layers of an island, in its part of the work's memory.
nc_contact_graph nc_island_layers(const nc_island_solve *solve);
// Those of a pile that shock propagation is to go through: see nc_graph_layers_by_mass.
void nc_island_split_layers(nc_island_solve *solve);
// Shock propagation on an island's velocities as they stand in its slots and changes.
void nc_island_shock(nc_island_solve *solve);
// One island, in two halves: what sweeps do, then Newton's method where it waits for it, and all the rest. The first
// writes no velocity.
void nc_island_begin(nc_island_solve *solve, nc_solve_report *report);
void nc_island_go_on(nc_island_solve *solve, nc_solve_report *report);
// Deals islands to the ranks that share the solve; false: all are solved here (share.c).
bool nc_islands_deal(const nc_island_solve *all, int islands);
// Gives the others what became of this rank's islands, and takes what became of theirs.
nc_code nc_islands_exchange(const nc_island_solve *all, int islands, nc_error *err);
// Orders an island's bodies for Newton's method, and sets `eager`. False: there are too many, or it would be too
// expensive. Islands of very many bodies are ordered only when sweeps have `failed`.
bool nc_newton_order(nc_island_solve *solve, bool failed);
// Memory for all islands that wait.
nc_code nc_newton_plan(nc_contact_work *work, int islands, nc_error *err);
// Writes a block's impulse to its contact.
void nc_block_store(const nc_block *block, nc_contact *contact);
// Velocities before, and nothing given yet.
void nc_slot_load(const nc_solver_bodies *bodies, int body, nc_slot *slot, nc_velocity_change *change);

// ---- four at a time -----------------------------------------------------------------------------------------

// Puts the contacts of large islands into groups of four.
nc_code nc_wide_plan(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                     int island_count, const nc_solve_settings *settings, nc_error *err);
// Halves an island until regions are small. Sets work->region_of; returns how often, so there are 2^that regions.
int nc_wide_regions(nc_contact_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts,
                    const nc_island *island);
// NC_HUB_* of a class.
int nc_wide_hub_side(int class);

// An island on its way into groups and back.
typedef struct nc_wide_island {
    const nc_sweeps *sweeps; // one contact at a time
    const nc_island *range;
    const int *lane_of, *class_of; // by block
    int *block_at;                 // by lane of the island
    const int *wide_of;            // by slot
    nc_factor *factors;            // by slot
    nc_wide_sweeps wide;
    int workers;
} nc_wide_island;
// A body's velocity as it stands among the groups.
void nc_wide_velocity(const nc_wide_island *in, int slot, nc_vec3 *v, nc_vec3 *w);
// False when a body is too thin or too heavy for it.
bool nc_wide_pack(nc_wide_island *in);
// Impulses back to the blocks.
void nc_wide_unpack(const nc_wide_island *in);
// An island's sweeps in groups. False when it has none, or bodies that cannot be scaled: nothing was done then.
bool nc_wide_run(const nc_island_solve *solve, nc_sweeps *sweeps, bool accelerate);

#endif
