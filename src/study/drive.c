// What backends share: lists of runs, counting, messages.
#include "study/study.h"

#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const nc_study_backend_names[NC_STUDY_BACKEND_COUNT] = {"local", "slurm", "mpi"};

void nc_study_tell(const nc_study_drive *drive, const char *format, ...)
{
    char text[600];
    va_list args;
    if (drive->on_message == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    drive->on_message(text, drive->ctx);
}

nc_code nc_study_report(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err)
{
    const nc_code code = nc_study_count(study, &out->counts, err);
    if (code == NC_OK && drive->watch != NULL)
        drive->watch(&out->counts, drive->ctx);
    return code;
}

bool nc_signal_pause(double seconds)
{
    const double end = nc_wall_clock() + seconds;
    double left = seconds;
    bool stopped = false;
    while (left > 0 && !stopped) {
        const int signal_number = nc_signal_wait(left);
        stopped = signal_number == SIGINT || signal_number == SIGTERM;
        left = end - nc_wall_clock();
    }
    return stopped;
}

// A number that no list has: the file is made here, or it is not ours.
static int open_list(const nc_study *study, int64_t *out_list, char *path)
{
    int file = -1;
    for (*out_list = 1; file < 0; (*out_list)++) {
        file =
            open(nc_study_name(study, NC_STUDY_LIST, *out_list, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            break;
    }
    return file;
}

nc_code nc_study_write_list(nc_study *study, const int64_t *numbers, int64_t count, int64_t *out_list, nc_error *err)
{
    char path[PATH_MAX];
    const int file = open_list(study, out_list, path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return nc_fail_at(err, NC_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
    for (int64_t i = 0; i < count; i++)
        fprintf(out, "%lld\n", (long long)numbers[i]);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return NC_OK;
    unlink(path);
    return nc_fail_at(err, NC_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

nc_code nc_study_read_list(nc_study *study, int64_t list, int64_t **out, int64_t *out_count, nc_error *err)
{
    char path[PATH_MAX];
    nc_file_text text;
    *out = NULL;
    *out_count = 0;
    const nc_code code = nc_file_read(nc_study_name(study, NC_STUDY_LIST, list, path), NULL, &text, err);
    if (code != NC_OK)
        return code;
    *out = calloc(text.size + 1, sizeof **out);
    for (char *at = text.data, *end; *out != NULL; at = end) {
        const long long number = strtoll(at, &end, 10);
        if (end == at)
            break;
        (*out)[(*out_count)++] = number;
    }
    nc_file_free(&text);
    return *out != NULL ? NC_OK : nc_fail_memory(err, 1);
}

nc_code nc_study_drive_runs(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err)
{
    static nc_code (*const backends[NC_STUDY_BACKEND_COUNT])(nc_study *, const nc_study_drive *, nc_study_outcome *,
                                                             nc_error *) = {nc_study_drive_local, nc_study_drive_slurm,
                                                                            nc_study_drive_mpi};
    int stored;
    *out = (nc_study_outcome){0};
    nc_signals_block();
    nc_code code = nc_study_collect(study, &stored, err);
    if (code == NC_OK)
        code = backends[drive->backend](study, drive, out, err);
    nc_error late = {0};
    const nc_code collected = nc_study_collect(study, &stored, &late);
    if (code == NC_OK && collected != NC_OK) {
        *err = late;
        code = collected;
    }
    return code == NC_OK ? nc_study_report(study, drive, out, err) : code;
}
