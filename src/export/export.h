// Runs on their way into files of others: clips for the writers of io, tables, and what rounding does to them.
#ifndef NC_EXPORT_EXPORT_H
#define NC_EXPORT_EXPORT_H

#include "export/csv.h"
#include "export/jsonl.h"
#include "export/recheck.h"
#include "export/reel_clip.h"

#endif
