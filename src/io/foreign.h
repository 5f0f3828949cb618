// Inside io: what passes between Nacre and the child process that runs assimp.
#ifndef NC_IO_FOREIGN_H
#define NC_IO_FOREIGN_H

#include "io/soup.h"

// The child's answer: this header, then vertices, triangles, edges and points as the soup has them.
typedef struct nc_foreign_result {
    uint32_t mark; // NC_FOREIGN_MARK
    int failed;    // 1: `message` says why and nothing follows
    int vertex_count, triangle_count, edge_count, point_count;
    int dropped;
    char message[300];
} nc_foreign_result;
#define NC_FOREIGN_MARK  UINT32_C(0x4e635366)
#define NC_FOREIGN_LIMIT 100000000 // of each kind

// What the child may use. Derived from the file's size alone.
typedef struct nc_foreign_limits {
    int seconds;     // processor time, and wall time
    uint64_t memory; // [bytes] beyond what the process had already
} nc_foreign_limits;

// Runs in the child: sets its limits, imports the file, writes the answer to `fd`, ends the process.
_Noreturn void nc_foreign_child(int fd, const char *path, const char *format, bool named_so, nc_foreign_limits limits);

#endif
