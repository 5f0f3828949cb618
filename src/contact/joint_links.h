// What both Newton methods of islands with joints do with their rows: joint_newton.c (convex passes) and
// joint_coulomb.c. Not for other files.
#ifndef NC_CONTACT_JOINT_LINKS_H
#define NC_CONTACT_JOINT_LINKS_H

#include "contact/joint_newton.h"
#include "contact/newton_rows.h"

// [m/s] What may be left.
typedef struct nc_joint_stops {
    double joints, contacts;
} nc_joint_stops;

// Its speed in a vector of velocities, and J^T factor added to one.
double nc_link_read(const nc_link *link, const double *y);
void nc_link_add(const nc_link *link, double factor, double *y);
// Rows from this one on that share a law: 3 of a contact.
static inline int nc_link_rows(const nc_link *link)
{
    return link->kind == NC_LINK_NORMAL ? 3 : 1;
}

// The change of the impulse [N s] of one row by itself in a pass, at the speed u [m/s] less its target; *d [kg]: how it
// falls with u.
double nc_link_law(const nc_link *link, double low, double high, double u, double *d);

// Speeds less targets, from y.
void nc_joint_speeds(const nc_joint_newton *newton);
// [m/s] the largest speed that the vector g is of a row.
double nc_joint_gradient_speed(const nc_joint_newton *newton);
// The mass matrix in scaled velocities: 1.
void nc_joint_clear_blocks(const nc_joint_newton *newton);
// Friction into the cone of the normal impulse that there is now.
void nc_joint_clip(const nc_joint_newton *newton);
// y = y0 + J^T lambda: what the impulses make.
void nc_joint_apply(const nc_joint_newton *newton);
// How far impulses and velocities are from the laws.
void nc_joint_residuals(const nc_joint_newton *newton, nc_joint_fate *fate);
// The impulses there are become the ones kept, and back.
void nc_joint_keep(const nc_joint_newton *newton);
void nc_joint_restore(const nc_joint_newton *newton, nc_joint_fate *fate);

// From the impulses in the links to the best ones found by Coulomb's law as it is; adds to *fate.
void nc_joint_coulomb(const nc_joint_newton *newton, const nc_joint_stops *stops, nc_joint_fate *fate);

#endif
