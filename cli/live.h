// A scene that is simulated while it is looked at.
#ifndef NC_CLI_LIVE_H
#define NC_CLI_LIVE_H

#include "serving.h"

// Simulates the scene into a run file and serves it meanwhile; again whenever the scene file is saved or a page
// requests it, until a signal. Of a scene that cannot start it shows what touches or overlaps, and the exit code says
// so.
nc_exit nc_live_view(const char *scene, const nc_view_settings *settings);

#endif
