// Run files on local storage: SQLite's write-ahead log does not work on network file systems, so a run is written
// beside the processor and moved to the study's folder when it ends.
#include "study/scratch.h"

#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES 65536

// Under a name of its own and then renamed: a copy is there as a whole or not at all.
static nc_code copy_file(const char *from, const char *to, nc_error *err)
{
    nc_writer writer;
    uint8_t block[COPY_BYTES];
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return nc_fail_at(err, NC_IO, from, 0, 0, "cannot be read: %s", strerror(errno));
    nc_code code = nc_writer_open(&writer, to, NULL, err);
    if (code == NC_OK) {
        ssize_t size;
        while ((size = read(in, block, sizeof block)) > 0)
            nc_writer_bytes(&writer, block, (size_t)size);
        code = nc_writer_close(&writer, size == 0, err);
        if (code == NC_OK && size < 0)
            code = nc_fail_at(err, NC_IO, from, 0, 0, "cannot be read: %s", strerror(errno));
    }
    close(in);
    return code;
}

nc_code nc_scratch_name(const nc_study *study, int64_t number, const char *scratch, char *out, nc_error *err)
{
    const int length = snprintf(out, PATH_MAX, "%s/nacre-%s-%06lld.nacre", scratch, study->id, (long long)number);
    return length > 0 && length < PATH_MAX - 32 ? NC_OK : nc_fail(err, NC_IO, "the name of --scratch is too long");
}

nc_code nc_scratch_fetch(const char *home, const char *local, nc_error *err)
{
    return access(local, F_OK) != 0 && access(home, F_OK) == 0 ? copy_file(home, local, err) : NC_OK;
}

nc_code nc_scratch_return(const char *home, const char *local, nc_error *err)
{
    if (access(local, F_OK) != 0)
        return NC_OK;
    const nc_code code = copy_file(local, home, err);
    if (code == NC_OK)
        nc_run_remove(local);
    return code;
}
