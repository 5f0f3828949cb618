// Files: read at once; written to a temporary name beside the final one and renamed.
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SIZE ((size_t)1 << 16)

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code open_regular(const char *path, int *out_fd, size_t *out_size, nc_error *err)
{
    // not blocking: a named pipe must not hold us up
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return nc_fail_at(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, path, 0, 0, "cannot be opened: %s",
                          strerror(errno));
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return nc_fail_at(err, NC_IO, path, 0, 0, "is not a regular file");
    }
    *out_fd = fd;
    *out_size = (size_t)status.st_size;
    return NC_OK;
}

static nc_code read_all(int fd, const char *path, char *bytes, size_t size, nc_error *err)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = read(fd, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return nc_fail_at(err, NC_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return nc_fail_at(err, NC_IO, path, 0, 0, "became shorter while it was read");
        done += (size_t)got;
    }
    return NC_OK;
}

nc_code nc_file_read(const char *path, const nc_allocator *allocator, nc_file_text *out, nc_error *err)
{
    memset(out, 0, sizeof *out);
    out->allocator = nc_allocator_or_default(allocator);
    int fd = -1;
    nc_code code = open_regular(path, &fd, &out->size, err);
    if (code != NC_OK)
        return code;
    out->data = nc_alloc(&out->allocator, out->size + 1, 1);
    code = out->data == NULL ? nc_fail_memory(err, out->size + 1) : read_all(fd, path, out->data, out->size, err);
    close(fd);
    if (code != NC_OK)
        nc_file_free(out);
    return code;
}

void nc_file_free(nc_file_text *text)
{
    nc_free(&text->allocator, text->data, text->size + 1, 1);
    text->data = NULL;
}

nc_code nc_file_read_head(const char *path, char *bytes, size_t room, size_t *out_count, size_t *out_size,
                          nc_error *err)
{
    int fd = -1;
    nc_code code = open_regular(path, &fd, out_size, err);
    if (code != NC_OK)
        return code;
    *out_count = *out_size < room ? *out_size : room;
    code = read_all(fd, path, bytes, *out_count, err);
    close(fd);
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

// A name that no other writer has: the path, the process, a count.
static int open_temporary(nc_writer *writer)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(writer->temporary, writer->temporary_size, "%s.%ld-%d.part", writer->path, (long)getpid(), attempt);
        const int fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

nc_code nc_writer_open(nc_writer *writer, const char *path, const nc_allocator *allocator, nc_error *err)
{
    memset(writer, 0, sizeof *writer);
    writer->allocator = nc_allocator_or_default(allocator);
    writer->path = path;
    writer->fd = -1;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return nc_fail_at(err, NC_IO, path, 0, 0, "exists and is not a regular file");
    writer->temporary_size = strlen(path) + 64;
    writer->temporary = nc_alloc(&writer->allocator, writer->temporary_size, 1);
    writer->block = nc_alloc(&writer->allocator, BLOCK_SIZE, 1);
    if (writer->temporary == NULL || writer->block == NULL) {
        nc_writer_close(writer, false, NULL);
        return nc_fail_memory(err, BLOCK_SIZE);
    }
    writer->fd = open_temporary(writer);
    if (writer->fd < 0) {
        const int error = errno;
        nc_writer_close(writer, false, NULL);
        return nc_fail_at(err, NC_IO, path, 0, 0, "cannot be written: %s", strerror(error));
    }
    return NC_OK;
}

static void write_all(nc_writer *writer, const uint8_t *bytes, size_t size)
{
    while (size > 0 && writer->error == 0) {
        const ssize_t wrote = write(writer->fd, bytes, size);
        if (wrote < 0 && errno != EINTR)
            writer->error = errno;
        if (wrote > 0) {
            bytes += wrote;
            size -= (size_t)wrote;
        }
    }
}

void nc_writer_bytes(nc_writer *writer, const void *bytes, size_t size)
{
    if (size > BLOCK_SIZE - writer->used) {
        write_all(writer, writer->block, writer->used);
        writer->used = 0;
    }
    if (size > BLOCK_SIZE) {
        write_all(writer, bytes, size);
        return;
    }
    memcpy(writer->block + writer->used, bytes, size);
    writer->used += size;
}

void nc_writer_text_v(nc_writer *writer, const char *format, va_list args)
{
    char text[512];
    const int length = vsnprintf(text, sizeof text, format, args);
    NC_ASSERT(length >= 0 && length < (int)sizeof text);
    if (length > 0)
        nc_writer_bytes(writer, text, strlen(text));
}

void nc_writer_text(nc_writer *writer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    nc_writer_text_v(writer, format, args);
    va_end(args);
}

nc_code nc_writer_close(nc_writer *writer, bool keep, nc_error *err)
{
    if (writer->fd >= 0 && writer->temporary != NULL) {
        if (keep)
            write_all(writer, writer->block, writer->used);
        if (close(writer->fd) != 0 && writer->error == 0)
            writer->error = errno;
        const bool good = keep && writer->error == 0;
        NC_ASSERT(writer->temporary != NULL); // a writer with a file has its name
        if (good && rename(writer->temporary, writer->path) != 0)
            writer->error = errno;
        if (!good || writer->error != 0)
            unlink(writer->temporary);
    }
    nc_free(&writer->allocator, writer->temporary, writer->temporary_size, 1);
    nc_free(&writer->allocator, writer->block, BLOCK_SIZE, 1);
    if (keep && writer->error != 0)
        return nc_fail_at(err, NC_IO, writer->path, 0, 0, "cannot be written: %s", strerror(writer->error));
    return NC_OK;
}
