// nacre run --merit: a CSV file with a row for every iteration of every step.
#include "merit.h"

#include "base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

nc_code nc_merit_open(nc_merit_file *file, const char *path, bool append, nc_world *world, nc_error *err)
{
    file->out = fopen(path, append ? "a" : "w");
    if (file->out == NULL)
        return nc_fail_at(err, NC_IO, path, 0, 0, "it cannot be written: %s", strerror(errno));
    if (!append)
        fputs("step,time,iteration,merit\n", file->out);
    nc_world_trace_merit(world, true);
    return NC_OK;
}

nc_code nc_merit_write(nc_merit_file *file, const nc_world *world, nc_error *err)
{
    if (file->out == NULL)
        return NC_OK;
    const int count = nc_world_merit(world, NULL, 0);
    if (count > file->capacity) {
        double *values = realloc(file->values, (size_t)count * sizeof *values);
        if (values == NULL)
            return nc_fail_memory(err, (size_t)count * sizeof *values);
        file->values = values;
        file->capacity = count;
    }
    nc_world_merit(world, file->values, count);
    for (int k = 0; k < count; k++)
        fprintf(file->out, "%" PRId64 ",%.9g,%d,%.9g\n", nc_world_step_count(world), nc_world_time(world), k,
                file->values[k]);
    return NC_OK;
}

nc_code nc_merit_close(nc_merit_file *file, nc_error *err)
{
    const bool failed = file->out != NULL && (ferror(file->out) != 0 || fclose(file->out) != 0);
    free(file->values);
    *file = (nc_merit_file){0};
    return failed ? nc_fail(err, NC_IO, "the merit file could not be written") : NC_OK;
}
