// What the rest may use of drive beyond nacre/drive.h: the sums of a run's reports.
#ifndef NC_DRIVE_DRIVE_H
#define NC_DRIVE_DRIVE_H

#include "nacre/drive.h"

#include "drive/tracker.h"

#endif
