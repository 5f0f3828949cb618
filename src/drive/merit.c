// The merit function as a CSV file with a row for every iteration of every step.
#include "drive/merit.h"

#include "base/base.h"
#include "model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

nc_code nc_merit_open(nc_merit_file *file, const char *path, bool append, const nc_allocator *allocator, nc_error *err)
{
    file->allocator = *allocator;
    file->out = fopen(path, append ? "a" : "w");
    if (file->out == NULL)
        return nc_fail_at(err, NC_IO, path, 0, 0, "it cannot be written: %s", strerror(errno));
    if (!append)
        fputs("step,time,iteration,merit\n", file->out);
    return NC_OK;
}

nc_code nc_merit_write(nc_merit_file *file, nc_model model, nc_error *err)
{
    if (file->out == NULL)
        return NC_OK;
    const int count = nc_model_merit(model, NULL, 0);
    if (!nc_grow(&file->allocator, (void **)&file->values, &file->capacity, count, sizeof *file->values))
        return nc_fail_memory(err, (size_t)count * sizeof *file->values);
    nc_model_merit(model, file->values, count);
    for (int k = 0; k < count; k++)
        fprintf(file->out, "%" PRId64 ",%.9g,%d,%.9g\n", nc_model_step_count(model), nc_model_time(model), k,
                file->values[k]);
    return NC_OK;
}

nc_code nc_merit_close(nc_merit_file *file, nc_error *err)
{
    const bool failed = file->out != NULL && (ferror(file->out) != 0 || fclose(file->out) != 0);
    nc_free(&file->allocator, file->values, (size_t)file->capacity, sizeof *file->values);
    *file = (nc_merit_file){0};
    return failed ? nc_fail(err, NC_IO, "the merit file could not be written") : NC_OK;
}
