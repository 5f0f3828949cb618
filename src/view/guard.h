// Who may ask the viewer's server, and how a question is read.
#ifndef NC_VIEW_GUARD_H
#define NC_VIEW_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Closed until the port is known.
typedef struct nc_view_guard {
    atomic_int port;
    bool wide;      // listens beyond loopback
    char name[256]; // of this machine
} nc_view_guard;

void nc_view_guard_open(nc_view_guard *guard, int port, bool wide);
int nc_view_guard_port(const nc_view_guard *guard);

// NULL when a request with these headers may be answered, else why not. A header is "" when it is absent and NULL when
// it was sent more than once.
//
// A name that somebody else can make resolve to this machine is no Host of ours: loopback, and when listening more
// widely any numeric address and the machine's own name, each with the port. An Origin must be that very Host.
const char *nc_view_guard_refuses(const nc_view_guard *guard, const char *host, const char *origin);

// "first=0&count=24": whole numbers below 2^40, known names, each once at most.
typedef struct nc_view_query {
    int64_t first, count, row, depth;
    int64_t after; // wait until there are more frames than this; 0: do not wait
} nc_view_query;
bool nc_view_query_read(const char *text, nc_view_query *out);

#endif
