// Names, the writer's lock, and putting a finished file in its place.
//
// The lock is a file of its own beside the run: locking the run file itself would meddle with SQLite's locks, which
// POSIX drops when any descriptor of the file is closed. flock goes with the open file, so a killed writer leaves no
// lock.
#define _XOPEN_SOURCE 700 // realpath
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool nc_run_sibling(const char *path, const char *suffix, char *out)
{
    const int n = snprintf(out, PATH_MAX, "%s%s", path, suffix);
    return n > 0 && n < PATH_MAX;
}

static nc_code fail_errno(nc_run *run, const char *doing, nc_error *err)
{
    const int code = errno;
    return nc_fail_at(err, NC_IO, run->path, 0, 0, "%s failed: %s", doing, strerror(code));
}

nc_code nc_run_resolve(nc_run *run, const char *path, nc_error *err)
{
    if (path == NULL || path[0] == '\0')
        return nc_fail(err, NC_BAD_ARGUMENT, "a run file needs a name");
    // Room is left for the suffixes of SQLite and of the lock.
    if (strlen(path) > PATH_MAX - 32)
        return nc_fail_at(err, NC_IO, path, 0, 0, "the file name is too long");
    char real[PATH_MAX];
    const bool exists = realpath(path, real) != NULL;
    snprintf(run->path, sizeof run->path, "%s", exists && strlen(real) <= PATH_MAX - 32 ? real : path);
    return NC_OK;
}

// The file may be unlinked by the writer that held the lock before: then the lock taken is on a file without a name.
static bool lock_is_current(int lock, const char *name)
{
    struct stat held, named;
    return fstat(lock, &held) == 0 && stat(name, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

nc_code nc_run_lock(nc_run *run, nc_error *err)
{
    char name[PATH_MAX];
    if (!nc_run_sibling(run->path, "-lock", name))
        return nc_fail_at(err, NC_IO, run->path, 0, 0, "the file name is too long");
    for (int tries = 0; tries < 100; tries++) {
        const int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0)
            return fail_errno(run, "opening it for writing (the lock beside it)", err);
        if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
            close(lock);
            return nc_fail_at(err, NC_IO, run->path, 0, 0, "another program is writing it");
        }
        if (lock_is_current(lock, name)) {
            run->lock = lock;
            return NC_OK;
        }
        close(lock);
    }
    return nc_fail_at(err, NC_IO, run->path, 0, 0, "the lock beside it changes hands too fast");
}

void nc_run_unlock(nc_run *run)
{
    if (run->lock < 0)
        return;
    char name[PATH_MAX];
    if (nc_run_sibling(run->path, "-lock", name))
        unlink(name);
    close(run->lock);
    run->lock = -1;
}

// Byte 68 of an SQLite file has the application id, big-endian.
static bool carries_our_id(const uint8_t head[72])
{
    if (memcmp(head, "SQLite format 3", 16) != 0)
        return false;
    uint32_t id = 0;
    for (int i = 0; i < 4; i++)
        id = id << 8 | head[68 + i];
    return id == NC_RUN_APPLICATION_ID;
}

bool nc_run_file_exists(const char *path, bool *out_is_run)
{
    struct stat status;
    *out_is_run = false;
    if (stat(path, &status) != 0)
        return false;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return true;
    uint8_t head[72];
    const bool whole = read(file, head, sizeof head) == (ssize_t)sizeof head;
    *out_is_run = S_ISREG(status.st_mode) && (status.st_size == 0 || (whole && carries_our_id(head)));
    close(file);
    return true;
}

void nc_run_remove(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[PATH_MAX];
    for (int i = 0; i < 4; i++)
        if (nc_run_sibling(path, suffixes[i], name))
            unlink(name);
}

static bool sync_file(const char *path, int flags)
{
    const int file = open(path, flags | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool synced = fsync(file) == 0;
    close(file);
    return synced;
}

// Makes the new name itself durable. Some file systems cannot sync a directory; then there is nothing to be done.
static void sync_directory(const char *path)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s", path);
    char *slash = strrchr(name, '/');
    if (slash == NULL)
        snprintf(name, sizeof name, ".");
    else
        slash[slash == name ? 1 : 0] = '\0';
    (void)sync_file(name, O_RDONLY);
}

nc_code nc_run_publish(nc_run *run, const char *from, nc_error *err)
{
    if (!sync_file(from, O_RDWR))
        return fail_errno(run, "writing it to the disk", err);
    // A write-ahead log that an older file left would be taken for the new one's.
    nc_run_remove(run->path);
    if (rename(from, run->path) != 0)
        return fail_errno(run, "naming it", err);
    sync_directory(run->path);
    return NC_OK;
}
