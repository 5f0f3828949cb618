// Inside fracture: a break in progress.
//
// The body is taken apart into parts, each the connected part of the body in one region, up to the cracks. Parts are
// weighed as they are, drawn back from the cracks, joined where they are too small or cannot be parted, and the groups
// of joined parts become the pieces.
#ifndef NC_FRACTURE_BREAK_H
#define NC_FRACTURE_BREAK_H

#include "fracture/cut.h"

struct nc_breakable {
    nc_allocator allocator;
    nc_mesh *mesh; // retained
    nc_breakable_def def;
    bool is_solid;
    double measure;       // [m^3] or [m^2]
    bool can_cut;         // there is a surface to be cut:
    bool remade;          // that of the level set, not the mesh's own
    nc_cut_facets facets; // by its flat faces
    nc_solid *solid;      // NULL where no level set was made
    nc_level_grid level;  // empty then
};
// The level set of a solid that has none yet.
nc_code nc_breakable_fill(const nc_breakable *breakable, const nc_allocator *allocator, nc_solid **out_solid,
                          nc_level_grid *out_level, nc_error *err);

#define NC_BREAK_ROUNDING 1e-14 // of the size: no place of a part is known better

typedef struct nc_part {
    int region;
    int group;           //     lowest row of the parts that it is joined with
    nc_weight weight;    //     before it is drawn back
    nc_weight total;     //     of its group, if it is the first of it
    double total_left;   //     the same of `left`
    nc_cut_mesh whole;   // [m] up to the cracks; empty in breaks by level sets
    nc_cut_mesh drawn;   // [m] drawn back; may be empty
    double left;         //     volume or area of `drawn`
    nc_box box;          // [m] of `drawn`
    double inset;        // [m] how far it is drawn back
    int doublings;       //     how often that was doubled
    bool stuck;          //     it was joined because it was not free
    nc_mesh *mesh;       //     of `drawn`, for distances; NULL until it is needed
    int low[3], high[3]; // samples of level sets, about those of the part
} nc_part;

typedef struct nc_breaker {
    nc_allocator allocator;
    const nc_breakable *breakable;
    const nc_break_def *def;
    nc_pieces *out;
    nc_break_method way;
    double size;               // [m] the largest coordinate, of the mesh and of the impact
    double measure;            // [m^3] or [m^2] of all parts
    double inset;              // [m] how far parts are drawn back at first
    NC_ARRAY(nc_plane) planes; //     of all regions, in the mesh's frame, without the sides of the pattern's box
    NC_ARRAY(int) first_plane; //     a row per region, and one more
    NC_ARRAY(nc_part) parts;   //     by region
    NC_ARRAY(int) first_part;  //     a row per region, and one more
    NC_ARRAY(int) scratch;     //
    NC_ARRAY(double) common;   //     a row a part: its boundary with a group
    nc_cutter cutter;          //
    bool stuck;                //     it stays whole because a piece is not free
    nc_solid *own_solid;       //     where the brittle has none
    nc_level_grid own_level;   //
    const nc_level_set *level; //     breaks by level sets: of the body
    NC_ARRAY(int) part_of;     //     [sample] row of `parts`, -1: none
    NC_ARRAY(double) samples;  // [m] of a part
} nc_breaker;

// ---- laying the pattern on the body -------------------------------------------------------------------------

// Where the pattern lies: turned to the normal, as small as it can be with the whole mesh inside.
nc_pattern_place nc_break_place(const nc_mesh_data *mesh, const nc_pattern *pattern, nc_vec3 place, nc_vec3 normal);
// The same, with the mesh's own axes and the impact at a sample of a grid.
nc_pattern_place nc_break_place_aligned(const nc_mesh_data *mesh, const nc_pattern *pattern, nc_vec3 place,
                                        const nc_level_set *level);
nc_vec3 nc_place_to_pattern(const nc_pattern *pattern, const nc_pattern_place *place, nc_vec3 p);
nc_plane nc_place_plane(const nc_pattern *pattern, const nc_pattern_place *place, const nc_plane *plane);
// The sides of the pattern's box cut nothing: the mesh is inside.
bool nc_is_side_of_box(const nc_plane *plane);

// ---- two ways to take a body apart --------------------------------------------------------------------------

// Fill `parts`. `*out_good`: false when the way is no good for this body, which out->why_whole explains.
nc_code nc_break_by_cutting(nc_breaker *b, bool *out_good, nc_error *err);
nc_code nc_break_by_level(nc_breaker *b, bool *out_good, nc_error *err);
// Fill `drawn`, `left` and `box` of a part, by its `inset`.
nc_code nc_draw_by_cutting(nc_breaker *b, nc_part *part, nc_error *err);
nc_code nc_draw_by_level(nc_breaker *b, nc_part *part, nc_error *err);
// Add to row q of `common` the boundary [m^2 or m] that a part has with part q.
void nc_shared_boundary_by_cutting(nc_breaker *b, int part);
void nc_shared_boundary_by_level(nc_breaker *b, int part);

nc_code nc_part_draw(nc_breaker *b, nc_part *part, nc_error *err);
// Adds a part of `whole`, whose memory it takes over.
bool nc_break_add_part(nc_breaker *b, int region, nc_weight weight, nc_cut_mesh *whole);

// ---- joining ------------------------------------------------------------------------------------------------

void nc_part_join(nc_breaker *b, int group, int other);
// Joins a group to the one with which it has the largest common boundary. *out_host: which that is, -1: there is none.
nc_code nc_group_join(nc_breaker *b, int group, int *out_host, nc_error *err);
int nc_group_count(const nc_breaker *b);
// Gives every group that is too small to its neighbour.
nc_code nc_break_join_crumbs(nc_breaker *b, nc_error *err);
// Draws back further, or joins, parts that are not as far apart as they must be.
nc_code nc_break_part_all(nc_breaker *b, nc_error *err);
// The pieces of the groups; asks whether they are free.
nc_code nc_break_make_pieces(nc_breaker *b, nc_error *err);

#endif
