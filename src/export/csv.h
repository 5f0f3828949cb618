// Comma-separated tables of a run: 17 significant digits, so that reading them gives the same bits.
#ifndef NC_EXPORT_CSV_H
#define NC_EXPORT_CSV_H

#include "reel/reel.h"

// A text as a cell: quoted when it holds a comma, a quote or a line end; quotes are doubled (RFC 4180).
void nc_csv_text(FILE *out, const char *name);
void nc_csv_report_head(FILE *out, const nc_reel *reel);
nc_code nc_csv_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
void nc_csv_poses_head(FILE *out);
nc_code nc_csv_poses(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
// Contacts that the run stores (nc_run_read_contacts), and forces of pairs over the frame (nc_run_read_forces).
void nc_csv_contacts_head(FILE *out);
nc_code nc_csv_contacts(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
// Accelerations of a frame (nc_run_read_accelerations).
void nc_csv_accelerations_head(FILE *out);
nc_code nc_csv_accelerations(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
// Joints of a frame (nc_run_read_joints).
void nc_csv_joints_head(FILE *out);
nc_code nc_csv_joints(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
void nc_csv_forces_head(FILE *out);
nc_code nc_csv_forces(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);

#endif
