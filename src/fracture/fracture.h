// Fracture: patterns that break all of space, level sets of closed meshes, and surfaces made of level sets.
//
// Su et al., section 4. A pattern lives in the unit box, -1/2 to 1/2 along every axis, with the point of impact at
// the origin (unless a pattern from files says otherwise) and its normal along +z. docs/fracture.md tells what each is
// for.
#ifndef NC_FRACTURE_FRACTURE_H
#define NC_FRACTURE_FRACTURE_H

#include "nacre/query.h"

#include "geom/geom.h"

// ---- convex polyhedra ---------------------------------------------------------------------------------------

// The half-space of all p with normal . p <= offset; the normal has unit length.
typedef struct nc_plane {
    nc_vec3 normal;
    double offset; // [m]
} nc_plane;
static inline double nc_plane_value(const nc_plane *plane, nc_vec3 p) // [m] signed distance, above 0 outside
{
    return nc_dot(plane->normal, p) - plane->offset;
}

// A bounded convex polyhedron: corners, and faces as loops of them, counterclockwise seen from outside.
typedef struct nc_face {
    int first, count; // in `loops`
    int tag;          // of the plane that made it
} nc_face;
typedef struct nc_polyhedron {
    nc_allocator allocator;
    NC_ARRAY(nc_vec3) corners; // [m]; those that no face uses are left behind
    NC_ARRAY(int) loops;
    NC_ARRAY(nc_face) faces; // none: empty
} nc_polyhedron;

// Corners nearer to a plane than this count as on it [m]; made for boxes of about unit size.
#define NC_ON_PLANE 1e-13

nc_polyhedron nc_polyhedron_create(const nc_allocator *allocator);
void nc_polyhedron_free(nc_polyhedron *p);
// Makes it a box whose faces have the tags -1 to -6 (low x, high x, low y, ...). False when out of memory.
bool nc_polyhedron_box(nc_polyhedron *p, nc_box box);
bool nc_polyhedron_copy(nc_polyhedron *to, const nc_polyhedron *from);
// Keeps what lies in the half-space; the face that is new has `tag`. May leave nothing. False when out of memory.
bool nc_polyhedron_clip(nc_polyhedron *p, const nc_plane *plane, int tag);
// Volume [m^3], and the centre of it (that of the corners when there is no volume).
double nc_polyhedron_volume(const nc_polyhedron *p, nc_vec3 *out_center);
// The largest distance of a corner in use from a place [m].
double nc_polyhedron_reach(const nc_polyhedron *p, nc_vec3 from);
// A closed mesh of it. NC_BAD_ARGUMENT when it is empty.
nc_code nc_polyhedron_mesh(const nc_polyhedron *p, nc_mesh **out, nc_error *err);

// ---- solids -------------------------------------------------------------------------------------------------

// A mesh made ready for questions of inside and outside.
typedef struct nc_solid nc_solid;
// The mesh may have small holes, doubled faces, parts that cross. NC_BAD_ARGUMENT when it has no triangles or is inside
// out (its volume is not above 0).
nc_code nc_solid_create(nc_mesh *mesh, const nc_allocator *allocator, nc_solid **out, nc_error *err);
void nc_solid_destroy(nc_solid *solid);        // NULL is allowed
nc_mesh *nc_solid_mesh(const nc_solid *solid); // borrowed
double nc_solid_volume(const nc_solid *solid); // [m^3]
// How often the surface winds about p: 1 inside and 0 outside of a closed mesh, in between near holes. Parts of the
// surface that are far from p for their size count as one dipole: right to 0.1.
double nc_solid_winding(const nc_solid *solid, nc_vec3 p);
// The distance [m] from the nearest triangle, right to rounding; not above `limit`, if it is larger that is returned.
double nc_solid_distance(const nc_solid *solid, nc_vec3 p, double limit);
// The distance, negated where the winding number is above 1/2.
double nc_solid_value(const nc_solid *solid, nc_vec3 p);

// ---- level sets ---------------------------------------------------------------------------------------------

// A level set with samples of its own: below 0 inside. docs/theory/level-set.md.
typedef struct nc_level_grid {
    nc_allocator allocator;
    nc_level_set set; // `slope` and `size` are left to nc_target_level_set
    double *values;   // [m] what set.values points at: 8 bytes per sample, and nothing else is kept
} nc_level_grid;

typedef struct nc_level_def {
    double spacing; // [m] of the samples; 0: the longest side of the mesh's box divided by `cells`
    int cells;      // along the longest side, when there is no spacing
    int margin;     // cells around the mesh's box, at least 1
    int workers;    // threads; the samples do not depend on them
} nc_level_def;
// 55 cells along the longest side, a margin of 2, one worker.
nc_level_def nc_level_def_default(void);

#define NC_LEVEL_SAMPLES_MAX 100000000 // 800 MB

// Signed distances of a solid: exact to rounding at every sample, the sign that of winding number - 1/2. The outermost
// samples are always outside. NC_BAD_ARGUMENT for a definition out of range or more samples than NC_LEVEL_SAMPLES_MAX.
nc_code nc_level_grid_build(const nc_solid *solid, const nc_level_def *def, const nc_allocator *allocator,
                            nc_level_grid *out, nc_error *err);
void nc_level_grid_free(nc_level_grid *grid);
size_t nc_level_grid_bytes(const nc_level_set *set); // of its samples

// A mesh of nc_level_surface_build. NC_BAD_ARGUMENT when no sample is below 0.
nc_code nc_level_set_contour(const nc_level_set *set, bool sharp, const nc_allocator *allocator, nc_mesh **out,
                             nc_error *err);
// How many pairs of triangles without a common vertex meet, exactly. `out_first` (may be NULL): two of them that do, -1
// when there are none.
int64_t nc_mesh_self_intersections(const nc_mesh *mesh, int out_first[2]);

// ---- patterns -----------------------------------------------------------------------------------------------

// A region. A convex one is all p of the unit box with nc_plane_value <= 0 for each of its planes; one from files that
// is not convex is a solid.
typedef struct nc_region {
    int first_plane, plane_count; // rows of the pattern's planes; those of the box are among them where they bound it
    double volume;                // [m^3]
    nc_vec3 center;               // [m] of its volume
    nc_solid *solid;              // NULL: convex; else it has no planes
} nc_region;

// Cracked space. Immutable once it is made.
typedef struct nc_pattern {
    nc_allocator allocator;
    nc_vec3 center; // [m] where the impact is
    nc_vec3 normal; // of unit length
    NC_ARRAY(nc_plane) planes;
    NC_ARRAY(nc_region) regions;
} nc_pattern;

#define NC_PATTERN_REGIONS_MAX 4096

typedef struct nc_pattern_info {
    const char *name;  // "glass", "voronoi", ...
    const char *about; // one sentence
    const nc_shape_parameter_info *parameters;
    int parameter_count;
} nc_pattern_info;

// The patterns there are, in alphabetical order.
const nc_pattern_info *nc_pattern_list(int *out_count);
// The same regions, to the bit, for the same name, values and seed. Parameters that are not given take their defaults.
// Errors: NC_NOT_FOUND for an unknown pattern or parameter (the nearest name is suggested), NC_BAD_ARGUMENT for a value
// out of range or values that make more than NC_PATTERN_REGIONS_MAX regions.
nc_code nc_pattern_create(const char *name, const nc_shape_parameter *parameters, int parameter_count, uint64_t seed,
                          const nc_allocator *allocator, nc_pattern **out, nc_error *err);
void nc_pattern_destroy(nc_pattern *pattern); // NULL is allowed

// Below 0 inside the region, where it is the distance [m] from its surface, negated; outside it is at most the
// distance.
double nc_region_value(const nc_pattern *pattern, int region, nc_vec3 p);
// The region of a place: the one of smallest value, the lowest number of equals. Always one, outside of the box too.
int nc_pattern_region_of(const nc_pattern *pattern, nc_vec3 p);
// A region as a polyhedron (NC_BAD_ARGUMENT when it is not convex), or as a closed mesh.
nc_code nc_region_polyhedron(const nc_pattern *pattern, int region, nc_polyhedron *out, nc_error *err);
nc_code nc_region_mesh(const nc_pattern *pattern, int region, nc_mesh **out, nc_error *err);

// ---- patterns from meshes -------------------------------------------------------------------------------------

typedef struct nc_tiling_def {
    double tolerance; // [1] a part of the box: of its longest side for "near", of its volume for the sum of volumes
    int side;         // places examined along each axis, one in each cell of a grid; at least 1
} nc_tiling_def;
#define NC_TILING_TOLERANCE 1e-5
#define NC_TILING_SIDE      32

// How well closed meshes fill their common box.
typedef struct nc_tiling {
    nc_box box;           // [m] of all meshes
    double volume;        // [1] of the meshes together, as a part of the box's
    int samples;          // places examined
    int near;             // of these, too near to a surface to count
    int gaps, overlaps;   // of the others, those in no mesh, or in more than one
    nc_vec3 gap, overlap; // [m] the first of each
    bool tiles;           // the volume is right within the tolerance, and there are no gaps and no overlaps
} nc_tiling;
// NC_BAD_ARGUMENT, naming the mesh by its number, for one that is open or inside out.
nc_code nc_tiling_check(nc_mesh *const *meshes, int count, const nc_tiling_def *def, const nc_allocator *allocator,
                        nc_tiling *out, nc_error *err);

// A pattern of meshes that tile their box, which is stretched to the unit box. The impact is at `center` [1], from
// -1/2 to 1/2, along `normal`. Convex ones become planes. Errors as of nc_tiling_check, and when they do not tile.
nc_code nc_pattern_from_meshes(nc_mesh *const *meshes, int count, const nc_tiling_def *def, nc_vec3 center,
                               nc_vec3 normal, const nc_allocator *allocator, nc_pattern **out, nc_error *err);

// ---- breaking -----------------------------------------------------------------------------------------------

// Where a pattern lies: the place y of the pattern is at x + R(q) scale (y - center), center being the pattern's own.
typedef struct nc_pattern_place {
    nc_pose pose; // [m] of the impact, in the mesh's frame
    double scale; // [m] above 0: what becomes of the unit box's side
} nc_pattern_place;

// How a solid is broken. docs/fracture.md says what each is good for.
typedef enum nc_break_method {
    NC_BREAK_AUTO, // by cutting where that can be done, else by level sets
    NC_BREAK_CUT,  // the mesh itself is clipped at the planes of the regions, which must be convex; it must be closed
    NC_BREAK_LEVEL // as in the paper: the surface of max(region, parent)
} nc_break_method;

typedef struct nc_breakable_def {
    nc_matter matter;    // NC_MATTER_AUTO: a solid when closed, else a shell. Wires and dust do not break
    nc_break_method way; // of solids; shells are cut
    int cells;           // of the level set, along the longest side of the mesh's box; 2 or more
    int workers;         // threads that make the level set, which does not depend on them
} nc_breakable_def;
// Automatic, 55 cells, one worker.
nc_breakable_def nc_breakable_def_default(void);

// What is prepared once for a mesh and shared by all bodies that have it. Immutable, and nothing but a function of the
// mesh and the definition, so that it can be made again at any time. Level sets are made only for NC_BREAK_LEVEL and,
// with NC_BREAK_AUTO, for solids that are not closed.
typedef struct nc_breakable nc_breakable;
// Retains the mesh. Errors: NC_BAD_ARGUMENT for a mesh that cannot break, with the reason: wires and dust, free edges
// and points, a solid that is inside out or has no volume, NC_BREAK_CUT of a mesh that is not closed.
nc_code nc_breakable_create(nc_mesh *mesh, const nc_breakable_def *def, const nc_allocator *allocator,
                            nc_breakable **out, nc_error *err);
void nc_breakable_destroy(nc_breakable *breakable);        // NULL is allowed
nc_mesh *nc_breakable_mesh(const nc_breakable *breakable); // borrowed
bool nc_breakable_is_solid(const nc_breakable *breakable);
size_t nc_breakable_bytes(const nc_breakable *breakable); // memory besides the mesh

// A piece. Its mesh has the axes of the parent's, with the origin at the piece's own centre of mass: a body made of it
// has the parent's orientation, and its centre at nc_pose_apply(parent's pose, center).
typedef struct nc_piece {
    nc_mesh *mesh;       //          owned by the nc_pieces
    nc_vec3 center;      // [m]      of mass, in the parent's mesh frame
    double mass;         // [kg]     before it was drawn back; those of all pieces sum to the parent's
    nc_vec3 principal;   // [kg m^2] principal moments about the centre, ascending; before it was drawn back
    nc_quat principal_q; //          turns principal axes into mesh axes
    double measure;      // [m^3] of a solid, [m^2] of a shell, before it was drawn back
    int region;          //          the lowest number of the regions it is of
    int part_count;      //          connected parts; above 1 where crumbs, or what could not be parted, were joined
} nc_piece;

// Asks whether a piece may be where it is, in view of the other bodies: far enough from them. The pieces of one body
// need not be asked of each other. Called in the order of the pieces, from the thread that called nc_break.
typedef bool (*nc_piece_is_free)(void *ctx, const nc_piece *piece);

typedef struct nc_break_def {
    const nc_pattern *pattern; // borrowed
    nc_vec3 place, normal;     // [m] [1] of the impact, in the mesh's frame; the normal need not have unit length
    double mass;               // [kg] of the body
    double gap;                // [m] above 0: every two pieces are at least this far apart
    double crumb;              // [1] pieces below this part of the body's volume (area) are given to a neighbour
    bool aligned; // level sets only: the grid of the body is the pattern's too, so the impact is moved by up
                  // to half a cell, and the normal ignored: the pattern's z axis is the mesh's
    nc_piece_is_free is_free; // NULL: all are
    void *is_free_ctx;
} nc_break_def;
// A crumb limit of 1e-4; everything else is left to the caller.
nc_break_def nc_break_def_default(void);

typedef struct nc_pieces {
    nc_allocator allocator;
    NC_ARRAY(nc_piece) list; // by region, then from part to part; at least 2, or none: the body stays whole
    char why_whole[256];     // a sentence when it does, else ""
    nc_break_method way;     // what was done: NC_BREAK_CUT for shells too
    nc_pattern_place place;  // where the pattern was laid
    int crumbs;              // parts given to a neighbour for being small
    int joined;              // parts given to a neighbour because they could not be parted from it or were not free
    double drawn_back;       // [m] the largest way a piece was drawn back from its cracks
} nc_pieces;

// Breaks a body. A body that cannot be broken into 2 pieces or more that are apart is no error: the list is empty then,
// and why_whole says why. A pure function of its arguments (and of what is_free answers).
// A piece that is not free is drawn back twice as far, up to 3 times, then joined to the neighbour with which it has
// the largest common boundary; when that is not free either, the body stays whole.
// Errors: NC_BAD_ARGUMENT for a definition out of range; NC_OUT_OF_MEMORY. *out is empty then.
nc_code nc_break(const nc_breakable *breakable, const nc_break_def *def, const nc_allocator *allocator, nc_pieces *out,
                 nc_error *err);
void nc_pieces_free(nc_pieces *pieces); // releases the meshes, but those that were taken (set to NULL)

// How the parent moves: its centre of mass is the origin of its mesh.
typedef struct nc_parent_motion {
    nc_pose pose;     // [m]
    nc_vec3 v;        // [m/s]
    nc_vec3 spin;     // [rad/s]
    nc_vec3 momentum; // [kg m^2/s] angular, about its centre
} nc_parent_motion;
typedef struct nc_piece_motion {
    nc_pose pose;     // [m]
    nc_vec3 v;        // [m/s]
    nc_vec3 spin;     // [rad/s]
    nc_vec3 momentum; // [kg m^2/s] angular, about the piece's centre
} nc_piece_motion;

// Su 4.2: every piece continues as a part of the parent would; then one small rigid motion added to all makes their
// momentum and angular momentum the parent's, to rounding. `out` has a row per piece.
void nc_pieces_move(const nc_pieces *pieces, const nc_parent_motion *parent, nc_piece_motion *out);

#endif
