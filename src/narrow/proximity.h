// Inside narrow only: two meshes seen from one of them, and the search for features that are near each other.
#ifndef NC_NARROW_PROXIMITY_H
#define NC_NARROW_PROXIMITY_H

#include "narrow/narrow.h"

// Two meshes at rest. One is at home: its own frame is the frame of everything. The other is away: its points are
// turned into home's frame. Which is which depends on the two meshes and poses, not on their order, so that swapping A
// and B changes no bit.
typedef struct nc_near_frame {
    nc_mesh_data home, away;
    nc_mesh_tree home_tree, away_tree;
    bool home_is_b;
    nc_frame world; // home's frame in the world
    nc_vec3 x;      // [m] a point v of away is at x + r v
    nc_mat3 r;
    nc_mat3 r_size; // the sizes of r's entries
    double error;   // [m] how far a computed place of an away point can be from the true one
    double slack;   // [m] more than all rounding of bounds of boxes and hulls
} nc_near_frame;

nc_code nc_near_frame_make(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, nc_near_frame *out,
                           nc_error *err);

static inline nc_vec3 nc_near_away(const nc_near_frame *f, nc_vec3 v)
{
    return nc_add(f->x, nc_mat3_mul(f->r, v));
}

// From home's frame to away's.
static inline nc_vec3 nc_near_to_away(const nc_near_frame *f, nc_vec3 p)
{
    return nc_mat3_tmul(f->r, nc_sub(p, f->x));
}

// What of x is above 0, exactly (up to 2^1022). Written so that no compiler makes a branch of it: half of the answers
// are unforeseeable, and a wrong guess costs more than all the arithmetic.
static inline double nc_positive(double x)
{
    return 0.5 * (x + fabs(x));
}

// The lesser of two numbers up to 2 u of their sizes; without a branch.
static inline double nc_lesser(double a, double b)
{
    return 0.5 * ((a + b) - fabs(a - b));
}

// A box by its centre and half extents.
typedef struct nc_near_box {
    nc_vec3 center, half; // [m]
} nc_near_box;

static inline nc_near_box nc_near_own_box(const nc_box *box)
{
    const nc_near_box own = {nc_scale(0.5, nc_add(box->lo, box->hi)), nc_scale(0.5, nc_sub(box->hi, box->lo))};
    return own;
}
// A box of home's axes around a box of away's.
nc_near_box nc_near_place_box(const nc_near_frame *f, const nc_box *box);

// The square of a lower bound [m^2] of the distance of two boxes, each in the frame of its mesh; `placed` is away's as
// nc_near_place_box gives it. Up to `slack` and a factor 1 + 16 u. Any bound above limit2 is as good as any other.
double nc_near_box_bound(const nc_near_frame *f, const nc_box *home, const nc_box *away, const nc_near_box *placed,
                         double limit2);

// An element of either mesh, in home's frame.
typedef struct nc_near_element {
    nc_vec3 corner[3];
    nc_vec3 normal;   // not of unit length; 0 for edges, points and triangles without area
    double low, high; // of normal . (corner - corner[0]): 0 but for the normal's rounding
    double normal2;   // |normal|^2
    nc_box box;
    const nc_element_features *features;
    int row; // of triangles, of edges for a free edge, of vertices for a point
} nc_near_element;

// Four triangles with their boxes, coordinate by coordinate.
typedef struct nc_near_four {
    double corner[3][3][NC_LANES]; // [m]
    double low[3][NC_LANES], high[3][NC_LANES];
} nc_near_four;

// What four triangles are to a point.
typedef struct nc_near_from {
    double from[3][NC_LANES]; // [m] from the nearest point of each
    double gain[NC_LANES];    // [m^2]
} nc_near_from;

// Which of them are nearer to q than the root of `limit2`: bit k for lane k. nc_hull_nearest of each is written.
int nc_near_four_nearer(nc_copy copy, const nc_near_four *four, nc_vec3 q, double limit2, nc_near_from *out);
// Which of them are at p, but for `small` [m]. From those to q, and what the way on them gains
// (proximity_normal.c), is written.
int nc_near_four_climb(nc_copy copy, const nc_near_four *four, nc_vec3 p, nc_vec3 q, double small, nc_near_from *out);
void nc_near_four_put(nc_near_four *four, int lane, const nc_vec3 corner[3], const nc_box *box);

#define NC_NEAR_FOURS ((NC_EFFORT_NEAR_LISTED + NC_LANES - 1) / NC_LANES)

// Slots of elements without repetition, as long as there are few.
typedef struct nc_near_slots {
    int count; // below 0: there were too many
    int slot[NC_EFFORT_NEAR_LISTED];
    // In the mesh's own frame: written by nc_near_box_partners.
    bool in_fours;                     // all are triangles: these are in `four`, not in `box`
    nc_box box[NC_EFFORT_NEAR_LISTED]; // [m]
    nc_near_four four[NC_NEAR_FOURS];
} nc_near_slots;

// Bits for those lanes of a group that have a partner.
static inline int nc_near_four_lanes(const nc_near_slots *partners, int four)
{
    const int left = partners->count - four * NC_LANES;
    return left < NC_LANES ? (1 << left) - 1 : (1 << NC_LANES) - 1;
}

// Features that are near each other. `distance` has on_a at home and on_b away; `kind` reads A as home.
typedef struct nc_near_pair {
    nc_feature_id id;
    nc_distance distance;
} nc_near_pair;

// A search for pairs of features within `limit` of each other.
typedef struct nc_near_search nc_near_search;
struct nc_near_search {
    nc_near_frame frame;
    double reach; // [m] pairs that are farther apart are of no interest; `found` may lower it
    bool sharp;   // features inside flat parts are of no interest
    bool uncut;   // edges that cut a flat quadrilateral are of no interest but where it is pierced
    bool passing; // edges that are surely nearest at an end of one of them are of no interest
    // [m] how far points of one mesh may move against those of the other while what is written down is used; else 0
    double motion;
    // Asked before a vertex pair's exact distance is worked out; `distance` [m] may be above the truth, not below it.
    // May be NULL: every pair is of interest.
    bool (*wanted)(nc_near_search *search, const nc_feature_id *id, double distance);
    // Called for every pair whose lower bound, with all errors taken off, is not above `reach`; and for others.
    void (*found)(nc_near_search *search, const nc_near_pair *pair);
    double limit2; // [m^2] of reach with error and slack: written by nc_near_set_reach
    // With `measured`, `least` [m] ends up not above any pair's distance (but for error and slack) that is below reach:
    // of all pairs, those of no interest too. Written infinite by nc_near_run.
    bool measured;
    double least;
    // When not NULL, features are written down instead of being measured, from `list_first` on.
    nc_cached_pairs *out_pairs;
    int list_first;
    // Elements, away's and home's, that have a partner within the reach.
    nc_near_slots partners[2];
    // Away's vertices in home's frame, when they are few enough.
    nc_vec3 placed[NC_EFFORT_NEAR_PLACED];
    // Pairs of a vertex and a triangle whose distances are worked out together; `found` must not change the reach then.
    bool batched;
    struct {
        int count;
        nc_point_triangles at;
        nc_feature_id id[NC_LANES];
        bool vertex_is_home[NC_LANES];
    } waiting;
    // Elements by slot, away's and home's, when they are few enough: placed when they are first met.
    uint8_t met[2][NC_EFFORT_NEAR_KEPT];
    nc_near_element kept[2][NC_EFFORT_NEAR_KEPT];
};

void nc_near_set_reach(nc_near_search *search, double reach);
void nc_near_run(nc_near_search *search);
// The same, for these features only; A and B are the caller's meshes.
void nc_near_run_among(nc_near_search *search, const nc_cached_pairs *notes);

// Fills what home's frame says of a pair into world terms: sides, points. The pair's normal is left alone.
void nc_near_to_world(const nc_near_frame *f, nc_proximity *p);

// ---- candidates ---------------------------------------------------------------------------------------------
// While finding, results stand in home's frame with A for home. Those of vertices are linked in chains, so that all of
// one vertex are found at once: `link` is the index of the next one, or -1. Once the filter drops one, it is
// -3 - link, and the chain holds all the same.

#define NC_NEAR_CHAINS (1 << NC_EFFORT_NEAR_CHAIN_BITS)

typedef struct nc_near_candidates {
    nc_proximity *p;
    int count;
    int head[NC_NEAR_CHAINS]; // index of the last candidate of each chain, or -1
} nc_near_candidates;

static inline bool nc_vertex_is_home(nc_feature_kind kind)
{
    return kind == NC_VERTEX_FACE || kind == NC_VERTEX_EDGE || kind == NC_VERTEX_VERTEX;
}

static inline int *nc_near_candidates_chain(nc_near_candidates *c, bool home, int vertex)
{
    return &c->head[((2u * (unsigned)vertex + home) * 2654435769u) >> (32 - NC_EFFORT_NEAR_CHAIN_BITS)];
}

static inline bool nc_candidate_dropped(const nc_proximity *p)
{
    return p->link < -1;
}

// The candidate of a vertex at index i or later in its chain, or NULL.
static inline nc_proximity *nc_near_candidate_from(const nc_near_candidates *c, int i, bool home, int vertex)
{
    while (i >= 0) {
        nc_proximity *p = &c->p[i];
        if (nc_vertex_is_home(p->feature.kind) == home && (home ? p->feature.a : p->feature.b) == vertex)
            return p;
        i = nc_candidate_dropped(p) ? -3 - p->link : p->link;
    }
    return NULL;
}

static inline nc_proximity *nc_near_candidate_first(nc_near_candidates *c, bool home, int vertex)
{
    return nc_near_candidate_from(c, *nc_near_candidates_chain(c, home, vertex), home, vertex);
}

static inline nc_proximity *nc_near_candidate_next(const nc_near_candidates *c, const nc_proximity *p, bool home,
                                                   int vertex)
{
    return nc_near_candidate_from(c, nc_candidate_dropped(p) ? -3 - p->link : p->link, home, vertex);
}

// Writes the boxes of partners, for the filter and for normals; `fours`: four at a time where they are triangles.
void nc_near_box_partners(const nc_near_frame *f, bool fours, nc_near_slots partners[2]);

// Keeps the candidates that make contacts, in order; returns how many. `partners` are those of the search.
int nc_proximity_filter(const nc_near_frame *f, const nc_proximity_options *options, const nc_near_slots partners[2],
                        nc_near_candidates *candidates);

// A unit vector from away's feature to home's. With the search's partners, the direction of a vertex beside a face, an
// edge or a vertex is straightened (docs/theory/proximity.md); without (NULL) it is that between the points.
nc_vec3 nc_near_normal(const nc_near_frame *f, const nc_near_slots partners[2], const nc_proximity *p);

#endif
