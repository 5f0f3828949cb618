// Inside io: one .vtp file (VTK's XML, polygons with data) in the making.
#ifndef NC_IO_VTK_H
#define NC_IO_VTK_H

#include "io/clip.h"

// What one file contains of a clip: the frame that was read last.
typedef struct nc_vtp {
    const nc_clip *clip;
    nc_allocator allocator;
    double time;
    nc_pose *poses;
    uint8_t *present;
    nc_vec3 *velocities, *spins; // NULL: not known
    const nc_clip_contact *contacts;
    int contact_count;
    int *contacts_of; // [body] contacts that it has
    nc_writer writer;
} nc_vtp;

// The bodies that are there, as polygons, lines and points in the world.
nc_code nc_vtp_write_bodies(nc_vtp *vtp, const char *path, nc_error *err);
// A point for each contact.
nc_code nc_vtp_write_contacts(nc_vtp *vtp, const char *path, nc_error *err);

#endif
