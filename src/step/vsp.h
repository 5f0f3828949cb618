// Inside step only: the pipelines of stack layers, VSP and ISP. See vsp.c and vsp_impact.c.
#ifndef NC_STEP_VSP_H
#define NC_STEP_VSP_H

#include "contact/contact.h"

typedef struct nc_step nc_step;

typedef struct nc_vsp_work {
    nc_ncp *ncp;
    NC_ARRAY(nc_vec3) linear, angular; // [m/s^2], [rad/s^2] by row: accelerations by external forces
    NC_ARRAY(nc_vec3) travel, turn;    // [m], [rad] by row: proposed
    NC_ARRAY(nc_vec3) held_v, held_w;  // [m/s], [rad/s] by row: how a body moves while a layer of ISP holds it
    NC_ARRAY(uint8_t) touched;         // by row: it has a contact
    NC_ARRAY(double) gap;              // [m] by contact: beyond the rest distance
    NC_ARRAY(double) bounce;           // [m/s] by contact
    NC_ARRAY(nc_vec3) given;           // [N s] by contact: what layers continue from
} nc_vsp_work;
void nc_vsp_work_free(nc_vsp_work *vsp, const nc_allocator *allocator);

// Does a contact, `gap` [m] beyond the rest distance, hit within `dt` [s]? It does when it approaches faster than
// `rest_speed` [m/s] and will be nearer than the rest distance.
bool nc_vsp_hits(const nc_solver_bodies *bodies, const nc_contact *contact, double gap, double rest_speed, double dt);
// Records the impacts of pairs that hit, each taken by itself. Velocities and contacts are left as they were.
nc_code nc_step_vsp_record_impacts(nc_step *step, nc_error *err);

#endif
