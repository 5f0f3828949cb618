// Talking with peer programs.
#include "bench/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *nc_peer_folder(char *out, size_t out_size)
{
    char path[1024];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    out[0] = '\0';
    if (length <= 0)
        return out;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        snprintf(out, out_size, "%.*s/peers", (int)(slash - path), path);
    return out;
}

static void close_all(const int *ends, int count)
{
    for (int i = 0; i < count; i++)
        close(ends[i]);
}

// In the child: the pipes become standard input and output.
static void become(const char *path, const char *task, const int to[2], const int from[2])
{
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close_all(to, 2);
    close_all(from, 2);
    execl(path, path, task, (char *)NULL);
    _exit(127);
}

static nc_code spawn(nc_peer *peer, const char *path, const char *task, nc_error *err)
{
    int to[2], from[2];
    if (pipe(to) != 0)
        return nc_fail(err, NC_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe(from) != 0) {
        close_all(to, 2);
        return nc_fail(err, NC_IO, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        become(path, task, to, from);
    close(to[0]);
    close(from[1]);
    if (pid < 0) {
        close(to[1]);
        close(from[0]);
        return nc_fail(err, NC_IO, "cannot start '%s': %s", path, strerror(errno));
    }
    // A peer that starts later must not hold this one's input open.
    fcntl(to[1], F_SETFD, FD_CLOEXEC);
    fcntl(from[0], F_SETFD, FD_CLOEXEC);
    peer->pid = (long)pid;
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    signal(SIGPIPE, SIG_IGN); // a peer that dies is an error with a sentence
    return peer->to != NULL && peer->from != NULL ? NC_OK : nc_fail(err, NC_IO, "cannot talk with '%s'", path);
}

static nc_code read_line(nc_peer *peer, char *line, int size, nc_error *err)
{
    if (fgets(line, size, peer->from) == NULL)
        return nc_fail(err, NC_IO, "the peer program (%s) gave no answer", peer->about);
    line[strcspn(line, "\n")] = '\0';
    return NC_OK;
}

nc_code nc_peer_start(nc_peer *peer, const char *folder, const char *program, const char *task, nc_error *err)
{
    char path[1200], line[128];
    *peer = (nc_peer){.about = ""};
    snprintf(path, sizeof path, "%s/%s", folder, program);
    snprintf(peer->about, sizeof peer->about, "no peer program %s", program);
    if (folder[0] == '\0' || access(path, X_OK) != 0)
        return NC_OK;
    nc_code code = spawn(peer, path, task, err);
    if (code == NC_OK)
        code = read_line(peer, line, sizeof line, err);
    if (code == NC_OK && strncmp(line, "ready ", 6) != 0)
        code = nc_fail(err, NC_IO, "'%s' did not get ready", path);
    if (code == NC_OK)
        snprintf(peer->about, sizeof peer->about, "%.90s", line + 6);
    else
        nc_peer_stop(peer);
    return code;
}

void nc_peer_send(nc_peer *peer, const char *job)
{
    fprintf(peer->to, "%s\n", job);
    fflush(peer->to);
}

nc_code nc_peer_request(nc_peer *peer, const char *job, double *seconds, double *result, nc_error *err)
{
    char line[128], *end;
    nc_peer_send(peer, job);
    const nc_code code = read_line(peer, line, sizeof line, err);
    if (code != NC_OK)
        return code;
    *seconds = strtod(line, &end);
    *result = strtod(end, NULL);
    return NC_OK;
}

nc_code nc_peer_numbers(nc_peer *peer, double *out, int count, nc_error *err)
{
    char line[512], *at = line;
    const nc_code code = read_line(peer, line, sizeof line, err);
    for (int i = 0; i < count && code == NC_OK; i++) {
        char *end;
        out[i] = strtod(at, &end);
        if (end == at)
            return nc_fail(err, NC_IO, "the peer program (%s) said '%.80s' where %d numbers were due", peer->about,
                           line, count);
        at = end;
    }
    return code;
}

void nc_peer_stop(nc_peer *peer)
{
    if (peer->to != NULL)
        fclose(peer->to); // it ends when its input does
    if (peer->from != NULL)
        fclose(peer->from);
    if (peer->pid != 0) {
        waitpid((pid_t)peer->pid, NULL, 0);
        signal(SIGPIPE, SIG_DFL);
    }
    peer->to = peer->from = NULL;
    peer->pid = 0;
}
