// The options of `nacre view`, and its server with them.
#ifndef NC_CLI_SERVING_H
#define NC_CLI_SERVING_H

#include "driving.h"

#include "view/view.h"

typedef struct nc_view_settings {
    nc_run_settings run; // for scenes
    const char *host;    // NULL: loopback
    int64_t port;
    bool no_open;
} nc_view_settings;

// Starts a server, prints its address and opens a browser. Of `def`, host and port are taken from the settings. The
// message is on stderr already when it fails.
nc_exit nc_serving_start(nc_view_server_def def, const nc_view_settings *settings, nc_view_server **out);

#endif
