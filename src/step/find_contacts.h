// Inside step only: near pairs where contacts are examined, how near they rest, and contacts made of them.
#ifndef NC_STEP_FIND_CONTACTS_H
#define NC_STEP_FIND_CONTACTS_H

#include "certify/certify.h"
#include "contact/contact.h"
#include "step/near.h"
#include "world/world.h"

typedef NC_ARRAY(nc_contact) nc_contact_list;

// A dynamic body; `role` is nc_role by row.
static inline bool nc_row_is_free(const uint8_t *role, int i)
{
    return role[i] == NC_ROLE_FREE;
}

typedef struct nc_near {
    const nc_world *world;         // that it is of
    const nc_allocator *allocator; // of all lists here, and of those that are appended to
    const nc_mesh *const *mesh;    // by row; NULL: takes no part
    const uint8_t *role;           // nc_role by row
    nc_near_table table;           // at the start of the step, then at its end; between the two in its parts (arcs.c)
    NC_ARRAY(double) rest;         // [m] by row of that table: where the pair rests (play.c)
    NC_ARRAY(int) first;           // by body: its first row with a body of infinite mass, -1: none
    NC_ARRAY(int) next;            // by row: the next one of that body, -1: none
    nc_proximity_list patch;       // of one pair
} nc_near;
void nc_near_free(nc_near *near, const nc_allocator *allocator);

// ---- play.c -------------------------------------------------------------------------------------------------

// Rest distances of the pairs in the table, limited by the play they have.
nc_code nc_near_find_rest(nc_near *near, nc_error *err);
// [m] the distance at which rows i and j rest, by the table as it is now.
double nc_near_pair_rest(const nc_near *near, int i, int j);
// The velocity [m/s] along a contact's normal that takes it from `distance` [m] to where its pair rests in `dt` [s].
double nc_near_to_rest(const nc_near *near, double dt, const nc_contact *contact, double distance);
// [m] the least sum of the distances of two of a pair's near features with opposite normals; infinite: there are none.
double nc_play_among(const nc_proximity *features, int count);

// ---- find_contacts.c
// -------------------------------------------------------------------------------------------------

// False for pairs so far apart that distances have no meaning (NC_COORDINATE_MAX): they have no contacts. Bodies there
// stay where they are, and certify keeps them apart.
bool nc_within_reach(nc_pose pose_i, nc_pose pose_j);
// Makes the table of near pairs at `pose` (a column), and their rest distances, unless it is there already.
nc_code nc_near_update(nc_near *near, const nc_pose *pose, nc_error *err);
// Contacts of all near pairs at `pose`; targets are 0. Appends.
nc_code nc_near_contacts(nc_near *near, const nc_pose *pose, nc_contact_list *out, nc_error *err);
// The contact patch of a pair at the poses of its hit: what is not more than `slack` farther apart than the features
// that met; at least those. Appends.
nc_code nc_near_patch(nc_near *near, const nc_collision *hit, nc_pose pose_i, nc_pose pose_j, double slack,
                      nc_contact_list *out, nc_error *err);
// The one contact of the features that met, along the line between them. Nothing where they touch. Appends.
nc_code nc_near_feature(nc_near *near, const nc_collision *hit, nc_pose pose_i, nc_pose pose_j, nc_contact_list *out,
                        nc_error *err);
// A lower bound [m] of the distance of two bodies' features at the poses of the table; 0 when nothing is known, as at
// other poses.
double nc_near_clearance(const nc_near *near, int i, int j);
// Does a pair rest nearer than its sizes say, by its play or by its start (tight.c)?
bool nc_pair_is_tight(const nc_near *near, int i, int j);
// The two edges of a contact of kind NC_EDGE_EDGE in the world.
void nc_contact_edges(const nc_mesh *const *mesh, const nc_contact *contact, nc_pose pose_a, nc_pose pose_b,
                      nc_vec3 edge_a[2], nc_vec3 edge_b[2]);

#endif
