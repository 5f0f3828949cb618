// JSON lines of a run: one object per line, 17 significant digits, so that reading them gives the same bits.
#ifndef NC_EXPORT_JSONL_H
#define NC_EXPORT_JSONL_H

#include "reel/reel.h"

// The report of a frame: `frame`, then every column; null where there is nothing.
nc_code nc_jsonl_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
// A line for each body of a frame: position, orientation (w x y z), velocity, spin.
nc_code nc_jsonl_poses(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
// Contacts that the run stores, accelerations of bodies, and forces of pairs.
nc_code nc_jsonl_contacts(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
nc_code nc_jsonl_joints(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
nc_code nc_jsonl_accelerations(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);
nc_code nc_jsonl_forces(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);

#endif
