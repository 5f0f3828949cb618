// A text file in the making.
#include "out_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static nc_code cannot_write(const char *path, int error, nc_error *err)
{
    return nc_fail(err, NC_IO, "cannot write '%s': %s", path, error != 0 ? strerror(error) : "disk error");
}

nc_code nc_out_open(nc_out_file *file, const char *path, nc_error *err)
{
    *file = (nc_out_file){.out = stdout, .path = path};
    if (strcmp(path, "-") == 0)
        return NC_OK;
    const int length = snprintf(file->temporary, sizeof file->temporary, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || length >= (int)sizeof file->temporary)
        return cannot_write(path, ENAMETOOLONG, err);
    file->out = fopen(file->temporary, "w");
    return file->out != NULL ? NC_OK : cannot_write(path, errno, err);
}

nc_code nc_out_close(nc_out_file *file, nc_code code, nc_error *err)
{
    if (file->out == stdout)
        return code;
    errno = 0;
    const bool failed = ferror(file->out) != 0;
    if ((fclose(file->out) != 0 || failed) && code == NC_OK)
        code = cannot_write(file->path, errno, err);
    if (code == NC_OK && rename(file->temporary, file->path) != 0)
        code = cannot_write(file->path, errno, err);
    if (code != NC_OK)
        unlink(file->temporary);
    return code;
}
