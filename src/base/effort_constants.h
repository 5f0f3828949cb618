// Numbers that only cost time: any sensible value gives the same bits. Sizes of caches and first allocations, what a
// thread takes at a time, when a tree is built again.
//
// tests/tools/effort.sh compiles everything that reads them with NC_PERTURB_EFFORT, which takes the second value of
// each, and demands the state hashes that the first values give. What changes one belongs in model_constants.h.
#ifndef NC_BASE_EFFORT_CONSTANTS_H
#define NC_BASE_EFFORT_CONSTANTS_H

#ifdef NC_PERTURB_EFFORT
#define NC_EFFORT(value, perturbed) (perturbed)
#else
#define NC_EFFORT(value, perturbed) (value)
#endif

// ---- Near pairs: what is kept from one table to the next (docs/theory/proximity.md) ------------------------

// [features] First allocation of a block of pairs.
#define NC_EFFORT_NEAR_FEATURES NC_EFFORT(32, 1)
// [pairs] One thread searches this many pairs of bodies at a time.
#define NC_EFFORT_NEAR_BLOCK NC_EFFORT(32, 3)
// [tables] A pair that no direction kept apart is tried again after this many tables.
#define NC_EFFORT_APART_WAIT NC_EFFORT(8, 2)
// [distance] A pair that is this far apart is not searched; proven for more than 1 and its rounding.
#define NC_EFFORT_APART_DISTANCES NC_EFFORT(1.5, 1.25)
// [distance] The distance of a pair without near features is measured up to this.
#define NC_EFFORT_APART_REACH NC_EFFORT(4, 3)
// [distance] Bodies that moved by less from one table to the next rest: their near elements are kept.
#define NC_EFFORT_REST_MOTION NC_EFFORT(0.05, 0.5)
// [distance] Elements of resting bodies are kept within this.
#define NC_EFFORT_REST_REACH NC_EFFORT(1.2, 1.6)
// [distance] While bodies have moved by less, edges that were nearest at an end of one of them are not looked at.
#define NC_EFFORT_REST_END_MOTION NC_EFFORT(0.02, 0.005)
// [pairs] First allocation of a block for pairs of elements that are kept.
#define NC_EFFORT_REST_ELEMENTS NC_EFFORT(512, 4)
// [pairs] Pairs of elements of two resting bodies are kept if they are no more than this.
#define NC_EFFORT_REST_MAX_ELEMENTS NC_EFFORT(4096, 50)
// [vertices] Vertices of meshes with no more than this are placed once per search.
#define NC_EFFORT_NEAR_PLACED NC_EFFORT(512, 40)
// [elements] Of meshes with no more elements than this, each is worked out once per search.
#define NC_EFFORT_NEAR_KEPT NC_EFFORT(128, 16)
// [elements] Elements that have a partner are listed up to this many; with more, filter and normals ask the tree.
#define NC_EFFORT_NEAR_LISTED NC_EFFORT(48, 4)
// [bits] Of a hash that says in which chain a vertex's candidates are.
#define NC_EFFORT_NEAR_CHAIN_BITS NC_EFFORT(7, 2)
// [slack of the frame] Edges that lead off an end by more make no contact: at least 279 (docs/theory/proximity.md).
#define NC_EFFORT_NEAR_END_SLACKS NC_EFFORT(512, 65536)
// [slack of the frame] From this distance on, edges that are almost at an end make no contact: at least 2^22.
#define NC_EFFORT_NEAR_END_DISTANCE NC_EFFORT(0x1p22, 0x1p30)

// ---- Sweeps ------------------------------------------------------------------------------------------------

// [placements] Cache of a sweep for where its two bodies are, by time.
#define NC_EFFORT_PLACEMENTS NC_EFFORT(64, 5)
// [evaluations] A sweep checks the interrupt after this many.
#define NC_EFFORT_POLL_EVALUATIONS NC_EFFORT(4096, 100)
// [bodies] With more bodies than this whose motion changed, all pairs are searched for at once.
#define NC_EFFORT_CHANGED_BODIES NC_EFFORT(32, 1)
// [sweeps] A thread takes this many at a time.
#define NC_EFFORT_SWEEP_GRAIN NC_EFFORT(4, 1)

// ---- Overlapping boxes (docs/theory/broad.md) --------------------------------------------------------------

// [nodes per body] Building the tree costs as much as comparing this many.
#define NC_EFFORT_TREE_BUILD_WORK NC_EFFORT(8, 1)
// [1] The tree is built again when its nodes have grown by this factor, in the mean.
#define NC_EFFORT_TREE_GROWTH NC_EFFORT(2.0, 1.01)
// [bodies] One of this many may be outside the tree.
#define NC_EFFORT_TREE_LOOSE_SHARE NC_EFFORT(64, 4)
// [bodies] This many besides may be outside the tree.
#define NC_EFFORT_TREE_LOOSE_MIN NC_EFFORT(16, 1)
// [boxes] A thread cleans this many at a time.
#define NC_EFFORT_TREE_BOX_GRAIN NC_EFFORT(4096, 3)
// [levels] Deeper ranges are halved by number; with 31 levels more no deeper than the stack of a query.
#define NC_EFFORT_TREE_SPATIAL_DEPTH NC_EFFORT(48, 6)
// [branches] Maximum of branches that threads build.
#define NC_EFFORT_TREE_BRANCHES NC_EFFORT(64, 8)
// [boxes] Fewer boxes are not cut into two branches.
#define NC_EFFORT_TREE_BRANCH_BOXES NC_EFFORT(1024, 4)
// [boxes] Sample that chooses the frame of the tree.
#define NC_EFFORT_TREE_SAMPLES NC_EFFORT(63, 7)
// [partners] The partners of a body are sorted by ranks up to this many.
#define NC_EFFORT_TREE_RANKED NC_EFFORT(40, 3)
// [bodies] A thread sorts the partners of this many at a time.
#define NC_EFFORT_TREE_ROW_GRAIN NC_EFFORT(1024, 2)
// [leaves] A thread refits this many at a time.
#define NC_EFFORT_TREE_LEAF_GRAIN NC_EFFORT(512, 1)
// [bodies] From this many on threads are woken.
#define NC_EFFORT_TREE_PARALLEL_BODIES NC_EFFORT(2048, 2)
// [blocks] Tasks are put into this many blocks that run in parallel.
#define NC_EFFORT_TREE_BLOCKS NC_EFFORT(64, 5)
// [tasks] Maximum of pairs of nodes that are compared in parallel.
#define NC_EFFORT_TREE_TASKS NC_EFFORT(1024, 16)

// ---- Contact: what threads take ----------------------------------------------------------------------------

// [contacts] Islands of at least this many may be solved by all threads together.
#define NC_EFFORT_CREW_CONTACTS NC_EFFORT(1024, 8)
// [contacts] A thread prepares this many at a time.
#define NC_EFFORT_BLOCK_GRAIN NC_EFFORT(128, 3)
// [groups of four contacts] A thread packs this many at a time.
#define NC_EFFORT_WIDE_GRAIN NC_EFFORT(64, 1)
// [groups of bodies] A thread solves this many at a time.
#define NC_EFFORT_NCP_GRAIN NC_EFFORT(8, 1)
// [contacts] From this many on threads are woken.
#define NC_EFFORT_NCP_CONTACTS NC_EFFORT(4096, 2)
// [bodies] A thread commits this many at a time.
#define NC_EFFORT_COMMIT_GRAIN NC_EFFORT(4096, 2)

// ---- Ranks: what they share (docs/cluster.md) -----------------------------------------------------------------

// [sweeps] From this many on ranks share them.
#define NC_EFFORT_SHARE_SWEEPS NC_EFFORT(16, 2)
// [evaluations] What a sweep costs beside those that it made the last time.
#define NC_EFFORT_SHARE_SWEEP_COST NC_EFFORT(64, 1)
// [features] From this cost of all pairs on ranks share the search for near features.
#define NC_EFFORT_SHARE_NEAR NC_EFFORT(256, 2)
// [features] What the search of a pair costs beside its features.
#define NC_EFFORT_SHARE_NEAR_COST NC_EFFORT(4, 1)
// [contacts] From this many on, in more than one island, ranks share their solves.
#define NC_EFFORT_SHARE_CONTACTS NC_EFFORT(64, 2)
// [pairs] From this many on ranks share exact tests.
#define NC_EFFORT_SHARE_TESTS NC_EFFORT(16, 2)

#endif
