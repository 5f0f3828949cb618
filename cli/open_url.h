// Shows an address in the user's browser.
#ifndef NC_CLI_OPEN_URL_H
#define NC_CLI_OPEN_URL_H

#include <stdbool.h>

// Starts the desktop's own opener and does not wait for it. False when there is no desktop or no opener.
bool nc_open_url(const char *url);

#endif
