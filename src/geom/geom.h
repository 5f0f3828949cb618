// Geometry of meshes at rest: the tree of a mesh, simplex intersection, feature access.
#ifndef NC_GEOM_GEOM_H
#define NC_GEOM_GEOM_H

#include "nacre/query.h"

#include "math/math.h"

// A node of a tree of boxes. Leaves hold slots [first, first + count) of the tree's `order`; inner nodes have their
// left child at the next index and their right child at `right`.
typedef struct nc_bvh_node {
    nc_box box; // [m] of the boxes below it, exactly (no rounding is involved)
    int right;  // index of the right child, 0 for a leaf
    int first;  // leaf: first slot in `order`
    int count;  // leaf: number of elements, else 0
} nc_bvh_node;

#define NC_BVH_MAX_DEPTH 64
#define NC_BVH_LEAF_MAX  4

// Four points side by side; groups of them that are not full repeat their last point.
typedef struct nc_four_points {
    double x[4], y[4], z[4]; // [m]
} nc_four_points;

typedef struct nc_cloud {
    const nc_four_points *fours;
    int count; // of groups, at least 1
} nc_cloud;

#define NC_PATCH_ELEMENTS 16   // larger nodes have no patch
#define NC_WHOLE_VERTICES 1024 // larger meshes are no cloud

// A node's box by its middle: it holds the box whatever the rounding.
typedef struct nc_node_shape {
    nc_vec3 center, half; // [m]
    double extent;        // [m] not below |half|
    double reach;         // [m] not below the distance of any of its points from the mesh's origin
    nc_cloud patch;       // its vertices; count 0 for nodes of more than NC_PATCH_ELEMENTS
} nc_node_shape;

// A tree over any boxes. Children come after their parent, so a pass over the nodes backwards is a pass bottom up.
typedef struct nc_bvh {
    nc_bvh_node *nodes; // node 0 is the root
    int node_count, node_capacity;
    int *order; // box numbers, leaf by leaf
    int count;  // how many boxes
    int depth;  // longest path from root to leaf in nodes, at most NC_BVH_MAX_DEPTH
} nc_bvh;

// Builds by binned surface area; the same tree on every run. count >= 1, boxes finite and of size below 2^120.
// False when out of memory, and then *out is empty.
bool nc_bvh_build(const nc_allocator *allocator, const nc_box *boxes, int count, nc_bvh *out);
void nc_bvh_free(const nc_allocator *allocator, nc_bvh *bvh);

// The features of an element, and which of them it answers for: every vertex and every edge of a mesh is owned by
// exactly one element.
typedef struct nc_element_features {
    int vertex[3];          // rows
    int edge[3];            // rows; edge k joins corners k and k + 1 (a triangle), edge 0 is a free edge itself
    uint8_t corners;        // 3, 2 or 1
    uint8_t owned_vertices; // bit k: corner k
    uint8_t owned_edges;    // bit k: edge k
    uint8_t flat_vertices;  // bit k: corner k lies inside a flat part of the surface (see mesh_flat.c)
    uint8_t flat_edges;     // bit k: so does edge k
    uint8_t cut_edges;      // bit k: edge k cuts a flat quadrilateral in two, none of whose sides is flat
} nc_element_features;

// Elements are numbered triangles first, then free edges, then points:
// e < triangle_count: a triangle; e < triangle_count + free_edge_count: free_edges[e - triangle_count]; else a point.
typedef struct nc_mesh_tree {
    const nc_bvh_node *nodes;    // node 0 is the root
    const nc_node_shape *shapes; // of the nodes
    nc_cloud whole;              // all vertices; count 0 when they are more than NC_WHOLE_VERTICES
    int node_count;
    const int *order;                    // element numbers, leaf by leaf
    const nc_element_features *features; // of the element in each slot of `order`
    int element_count;
    const int *free_edges; // rows of nc_mesh_data.edges
    int free_edge_count;
    int depth; // longest path from root to leaf, at most NC_BVH_MAX_DEPTH
} nc_mesh_tree;

nc_mesh_tree nc_mesh_tree_view(const nc_mesh *mesh);
nc_allocator nc_mesh_allocator(const nc_mesh *mesh);
// One field of nc_mesh_view, for places that are visited often.
double nc_mesh_radius(const nc_mesh *mesh);
double nc_mesh_diagonal(const nc_mesh *mesh); // [m] of its box
// Where from + s dir crosses a triangle of the mesh [m; dir is a unit vector]: the s in [low, high] that is nearest to
// `near`, of triangles whose normal is within an angle of the line. For proposals: rounding is not accounted for.
typedef struct nc_mesh_line {
    nc_vec3 from, dir;
    double low, high, near;
    double cosine; // [1] of that angle
} nc_mesh_line;
bool nc_mesh_line_hit(const nc_mesh *mesh, const nc_mesh_line *line, double *at);
uint64_t nc_mesh_hash(const nc_mesh *mesh);

// The corners of element e: 3, 2 or 1 vertex indices; returns how many.
int nc_mesh_element(const nc_mesh *mesh, int element, int out_vertices[3]);

// Exactly: do two simplices of 1 to 3 corners share a point? Degenerate ones (repeated, collinear) included.
bool nc_simplex_intersect(const nc_vec3 *a, int corners_a, const nc_vec3 *b, int corners_b);

// The slow twin of nc_mesh_intersect: every element of A against every one of B.
nc_code nc_mesh_intersect_brute(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, bool *out_hit,
                                nc_intersection *out, nc_error *err);

// Elements over one array of vertices that move on their own: a deforming surface, or several of them together.
typedef struct nc_element_set {
    const nc_vec3 *vertices; // [m] finite, at most NC_COORDINATE_MAX in size
    int vertex_count;
    const int (*triangles)[3]; // vertex rows
    int triangle_count;
    const int (*edges)[2]; // of no triangle
    int edge_count;
    const int *points; // of no triangle and no edge
    int point_count;
} nc_element_set;

// Exactly: how many pairs of elements share a point beyond the corners they have in common. Touching counts. Two
// triangles with one common corner meet when they share any other point; with a common edge, when they are folded onto
// each other; with three, always. (A triangle whose common corner lies between its other two counts as meeting.)
// The lowest pairs by element number (triangles, then edges, then points), up to `capacity` of them, go to `out`.
// Cost: a tree of boxes and a descent for each element, on up to `workers` threads; the same answer for any number.
// Errors: NC_BAD_ARGUMENT for vertices out of range, NC_OUT_OF_MEMORY.
nc_code nc_elements_intersect(const nc_element_set *set, const nc_allocator *allocator, int workers,
                              nc_intersection *out, int capacity, int64_t *out_count, nc_error *err);

// The triangles of a mesh on vertices that are each mapped: a new mesh.
nc_code nc_mesh_map(const nc_mesh *mesh, nc_vec3 (*map)(nc_vec3 p, const void *ctx), const void *ctx,
                    const nc_allocator *allocator, nc_mesh **out, nc_error *err);

// ---- level sets (level_set.c, level_contour.c) ------------------------------------------------------------------

// The trilinear function, and its gradient [1] within the cell of p. Places outside are moved to the grid's boundary.
double nc_level_set_value(const nc_level_set *set, nc_vec3 p);
nc_vec3 nc_level_set_gradient(const nc_level_set *set, nc_vec3 p);

// Vertices, and three of them per triangle.
typedef struct nc_level_surface {
    NC_ARRAY(nc_vec3) vertices; // [m]
    NC_ARRAY(int) corners;
} nc_level_surface;
// What the samples are of, where that is known better than by them: places on edges and normals come from it.
typedef struct nc_level_field {
    double (*value)(const void *ctx, nc_vec3 p);
    nc_vec3 (*gradient)(const void *ctx, nc_vec3 p);
    const void *ctx;
} nc_level_field;
// A closed, manifold surface about all samples below 0; samples of the outermost layer count as outside. With `sharp`,
// vertices are where the tangent planes of the surface meet (dual contouring), else at the mean of the crossings
// (surface nets). `field` may be NULL. It may cross itself. Empty when no sample is below 0. False when out of memory.
bool nc_level_surface_build(const nc_level_set *set, bool sharp, const nc_level_field *field,
                            const nc_allocator *allocator, nc_level_surface *out);
void nc_level_surface_free(const nc_allocator *allocator, nc_level_surface *surface);

// ---- knots (knot.c): closed polygons in space -------------------------------------------------------------------

// The determinant of the knot that a closed polygon makes, |Delta(-1)| of its Alexander polynomial: 1 for no knot, 3
// for a trefoil, 5 for a figure eight, 9 for a reef or a granny knot. From the crossings seen along a fixed direction,
// by floating point: right unless a crossing cannot be distinguished from a touch.
nc_code nc_knot_determinant(const nc_vec3 *points, int count, const nc_allocator *allocator, int64_t *out,
                            nc_error *err);
// Gauss' integral of two closed polygons: a whole number but for rounding, 0 when they can be pulled apart.
double nc_linking_number(const nc_vec3 *a, int count_a, const nc_vec3 *b, int count_b);
// The writhe of a closed polygon: signed crossings averaged over all directions.
double nc_polygon_writhe(const nc_vec3 *points, int count);

// Cuts a polygon of 3 or more corners into count - 2 triangles (indices of corners, in the polygon's direction), by
// ear clipping with exact tests. Right for every simple polygon, concave ones included; a polygon that crosses itself
// is cut somehow. Allocates nothing: `scratch` holds NC_POLYGON_SCRATCH(count) ints. Takes O(count^2) at worst.
#define NC_POLYGON_SCRATCH(count) (4 * (count))
void nc_polygon_triangulate(const nc_vec3 *corners, int count, int (*out)[3], int *scratch);

// The box of the mesh's world vertices at a pose, to the bit. Takes a tree descent, not a look at every vertex.
// A pose that is not finite, or has no rotation, gives all of space, so that nothing is taken to be clear of it.
nc_box nc_mesh_world_box(const nc_mesh *mesh, nc_pose pose);

// A box that contains nc_frame_apply(frame, v), rounding included, for every v in `box`.
// Proof: every operation of nc_frame_apply is monotone in each coordinate of v, and rounding is monotone. So a product
// r v_k lies between the rounded products of r with the two ends of the box, a sum between the sums of the lower and
// of the upper ends. Doing the same operations in the same order on the ends needs no allowance for rounding at all.
nc_box nc_frame_box(const nc_frame *frame, nc_box box);

// ---- nearest points -------------------------------------------------------------------------------------------

// Quick, and without a certified bound (nacre/query.h has those): the points lie on the features whatever the rounding,
// so that their distance is never below the true one by more than rounding.

// The point of a triangle nearest to p, as weights of the corners, which sum to 1.
void nc_nearest_on_triangle(nc_vec3 p, const nc_vec3 t[3], double weights[3]);
// The nearest points of two segments: parts of the way from a[0] to a[1] and from b[0] to b[1], in [0, 1].
void nc_nearest_on_segments(const nc_vec3 a[2], const nc_vec3 b[2], double *s, double *t);

// Points and triangles, up to NC_LANES of them: coordinate i of point k is p[i][k], that of corner j of its triangle
// t[j][i][k]. Lanes that are not used must have numbers in them.
typedef struct nc_point_triangles {
    double p[3][NC_LANES];
    double t[3][3][NC_LANES];
} nc_point_triangles;

// nc_distance_point_triangle of the first `count` of them, with the same bits. nc_distance_point_triangles_by: by one
// of the copies, for tests.
void nc_distance_point_triangles(const nc_point_triangles *in, int count, nc_distance *out);
void nc_distance_point_triangles_by(nc_copy copy, const nc_point_triangles *in, int count, nc_distance *out);

#endif
