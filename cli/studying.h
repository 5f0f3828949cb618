// What the files of `nacre study` share.
#ifndef NC_CLI_STUDYING_H
#define NC_CLI_STUDYING_H

#include "cli.h"

#include "study/study.h"

typedef struct nc_study_settings {
    const char *output, *on, *format, *x, *y, *by, *scratch, *launcher;
    const char *partition, *account, *time, *memory;
    nc_words sbatch;
    int64_t jobs, threads, per_task, list, task;
    bool force, failed, mean, plan, detach, json, quiet;
} nc_study_settings;

// The path of this program into `out` [PATH_MAX]: what workers run. Returns `out`.
const char *nc_program_path(char *out);
// Opens a study for reading; stores what workers left, unless a coordinator is at work.
nc_exit nc_study_visit(const char *path, nc_study *out);
// Reads study.yaml, or opens a study that exists, and makes its runs.
nc_exit nc_study_start(const char *path, const nc_study_settings *settings);
// Makes what is left of a study that was opened with the lock.
nc_exit nc_study_continue(nc_study *study, const nc_study_settings *settings);

#endif
