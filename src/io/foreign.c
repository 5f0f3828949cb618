// Other mesh formats, through assimp in a child process: the parent's side.
//
// A mesh file may come from anywhere and assimp is large. So the file is read by a child that can use only so much
// memory and time, and all that comes back is numbers through a pipe, whose counts are checked before anything is
// allocated for them. When the child crashes or is ended, the caller gets an error.
#include "io/foreign.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef NC_WITH_ASSIMP

typedef struct foreign_reader {
    const nc_file_head *head;
    nc_foreign_limits limits;
    int fd;
    pid_t child;
    double deadline; // [s] of the monotonic clock
    bool timed_out;
    bool closed; // the child has closed its end of the pipe
} foreign_reader;

static nc_foreign_limits find_limits(size_t file_size)
{
    const size_t megabytes = file_size >> 20;
    const nc_foreign_limits limits = {.seconds = megabytes < 7200 ? 20 + (int)(megabytes / 2) : 3600,
                                      .memory = ((uint64_t)512 << 20) + 48 * (uint64_t)file_size};
    return limits;
}

// Waits until there is something to read; false at the deadline.
static bool wait_readable(foreign_reader *reader)
{
    for (;;) {
        const double left = reader->deadline - nc_clock();
        struct pollfd poll_fd = {.fd = reader->fd, .events = POLLIN};
        const int ready = left > 0 ? poll(&poll_fd, 1, (int)(left * 1000) + 1) : 0;
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR) {
            reader->timed_out = ready == 0;
            return false;
        }
    }
}

static bool read_bytes(foreign_reader *reader, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size > 0) {
        if (!wait_readable(reader))
            return false;
        const ssize_t got = read(reader->fd, at, size);
        reader->closed = got == 0;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
    return true;
}

// Waits for the child's end, and brings it about when the child would continue by itself (it hangs, or waits for us to
// read). Returns the signal that ended it, or 0.
static int reap(foreign_reader *reader, bool still_runs)
{
    if (still_runs)
        kill(reader->child, SIGKILL);
    int status = 0;
    pid_t got;
    do
        got = waitpid(reader->child, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == reader->child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// The child said nothing, or stopped half way.
static nc_code child_failed(foreign_reader *reader, nc_error *err)
{
    // a child that died has closed the pipe already: then its own signal is seen here
    const int signal_number = reap(reader, reader->timed_out || !reader->closed);
    const char *path = reader->head->path;
    if (reader->timed_out || signal_number == SIGXCPU)
        return nc_fail_at(err, NC_BAD_FILE, path, 0, 0, "assimp did not read it within %d s", reader->limits.seconds);
    return nc_fail_at(err, NC_BAD_FILE, path, 0, 0,
                      "assimp failed to read it (signal %d), with a limit of %llu MB of memory", signal_number,
                      (unsigned long long)(reader->limits.memory >> 20));
}

static bool counts_are_sane(const nc_foreign_result *result)
{
    const int counts[] = {result->vertex_count, result->triangle_count, result->edge_count, result->point_count,
                          result->dropped};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] < 0 || counts[i] > NC_FOREIGN_LIMIT)
            return false;
    return result->mark == NC_FOREIGN_MARK;
}

static bool corners_are_sane(const int *corners, size_t count, int vertex_count)
{
    for (size_t i = 0; i < count; i++)
        if (corners[i] < 0 || corners[i] >= vertex_count)
            return false;
    return true;
}

// Reads the arrays into the soup.
static nc_code read_arrays(foreign_reader *reader, const nc_foreign_result *result, nc_soup *soup, nc_error *err)
{
    const nc_allocator *allocator = &soup->allocator;
    if (!nc_array_reserve(allocator, &soup->vertices, result->vertex_count) ||
        !nc_array_reserve(allocator, &soup->triangles, result->triangle_count) ||
        !nc_array_reserve(allocator, &soup->edges, result->edge_count) ||
        !nc_array_reserve(allocator, &soup->points, result->point_count)) {
        reap(reader, true);
        return nc_fail_memory(err, (size_t)result->vertex_count * sizeof(nc_vec3));
    }
    const size_t triangles = (size_t)result->triangle_count, edges = (size_t)result->edge_count;
    const size_t points = (size_t)result->point_count;
    if (!read_bytes(reader, soup->vertices.data, (size_t)result->vertex_count * sizeof(nc_vec3)) ||
        !read_bytes(reader, soup->triangles.data, triangles * sizeof(nc_soup_triangle)) ||
        !read_bytes(reader, soup->edges.data, edges * sizeof(nc_soup_edge)) ||
        !read_bytes(reader, soup->points.data, points * sizeof(int)))
        return child_failed(reader, err);
    reap(reader, false);
    if (!corners_are_sane((const int *)soup->triangles.data, 3 * triangles, result->vertex_count) ||
        !corners_are_sane((const int *)soup->edges.data, 2 * edges, result->vertex_count) ||
        !corners_are_sane(soup->points.data, points, result->vertex_count))
        return nc_fail_at(err, NC_BAD_FILE, reader->head->path, 0, 0,
                          "assimp made a face of vertices that do not exist");
    soup->vertices.count = result->vertex_count;
    soup->triangles.count = result->triangle_count;
    soup->edges.count = result->edge_count;
    soup->points.count = result->point_count;
    soup->dropped = result->dropped;
    return NC_OK;
}

static nc_code read_result(foreign_reader *reader, nc_soup *soup, nc_error *err)
{
    nc_foreign_result result;
    if (!read_bytes(reader, &result, sizeof result) || !counts_are_sane(&result))
        return child_failed(reader, err);
    if (!result.failed)
        return read_arrays(reader, &result, soup, err);
    reap(reader, false);
    result.message[sizeof result.message - 1] = '\0';
    return nc_fail_at(err, NC_BAD_FILE, reader->head->path, 0, 0, "assimp: %s", result.message);
}

nc_code nc_foreign_read(const nc_file_head *head, const char *format, bool named_so, nc_soup *soup, nc_error *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return nc_fail(err, NC_IO, "no pipe to a child process: %s", strerror(errno));
    foreign_reader reader = {.head = head, .limits = find_limits(head->size), .fd = ends[0]};
    reader.deadline = nc_clock() + reader.limits.seconds;
    reader.child = fork();
    if (reader.child == 0) {
        close(ends[0]);
        nc_foreign_child(ends[1], head->path, format, named_so, reader.limits);
    }
    const int fork_error = errno;
    close(ends[1]);
    const nc_code code = reader.child > 0 ? read_result(&reader, soup, err)
                                          : nc_fail(err, NC_IO, "no child process: %s", strerror(fork_error));
    close(ends[0]);
    return code;
}

#else

nc_code nc_foreign_read(const nc_file_head *head, const char *format, bool named_so, nc_soup *soup, nc_error *err)
{
    (void)named_so;
    (void)soup;
    return nc_fail_at(err, NC_UNSUPPORTED, head->path, 0, 0,
                      "this build of Nacre was made without assimp and reads OBJ only, not '%s'", format);
}

#endif
