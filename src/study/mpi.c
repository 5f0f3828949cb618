// Runs on the ranks of an MPI job: nacre-mpi, the one program that is linked with MPI, gives each rank the next run of
// a list as soon as it has none.
#include "study/study.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX      64
#define COLLECT_PERIOD 0.5 // [s] between two transactions

typedef struct mpi {
    nc_study *study;
    const nc_study_drive *drive;
    nc_study_outcome *out;
    nc_error *err;
    char launcher[1024];
    char program[PATH_MAX]; // nacre-mpi
    const char *words[WORDS_MAX + 1];
} mpi;

// nacre-mpi beside nacre; else by its name.
static void find_program(mpi *m)
{
    const char *slash = strrchr(m->drive->work.program, '/');
    const int folder = slash != NULL ? (int)(slash + 1 - m->drive->work.program) : 0;
    snprintf(m->program, sizeof m->program, "%.*snacre-mpi", folder, m->drive->work.program);
    if (access(m->program, X_OK) != 0)
        snprintf(m->program, sizeof m->program, "nacre-mpi");
}

// "mpirun -n 4", then the program, the list, and the command of a run.
static nc_code put_words(mpi *m, const char *list, const char *threads)
{
    const nc_study_work *work = &m->drive->work;
    const char *const rest[] = {
        m->program,          list,        work->program, "study",   "work",
        m->study->file.path, "--threads", threads,       "--quiet", work->scratch != NULL ? "--scratch" : NULL,
        work->scratch};
    int count = 0;
    if (m->drive->launcher != NULL)
        snprintf(m->launcher, sizeof m->launcher, "%s", m->drive->launcher);
    else
        snprintf(m->launcher, sizeof m->launcher, "mpirun -n %d", m->drive->jobs);
    char *rest_of_it = m->launcher;
    for (char *word; count < WORDS_MAX - 12 && (word = strtok_r(rest_of_it, " ", &rest_of_it)) != NULL;)
        m->words[count++] = word;
    if (count == 0)
        return nc_fail(m->err, NC_BAD_ARGUMENT, "--launcher has no program");
    for (size_t i = 0; i < sizeof rest / sizeof *rest && rest[i] != NULL; i++)
        m->words[count++] = rest[i];
    m->words[count] = NULL;
    return NC_OK;
}

static nc_code watch(mpi *m, pid_t child, int *out_exit)
{
    int status = 0, stored;
    nc_code code = NC_OK;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (nc_signal_pause(COLLECT_PERIOD) || code != NC_OK) {
            m->out->interrupted = m->out->interrupted || code == NC_OK;
            kill(child, SIGTERM);
        }
        if (code == NC_OK)
            code = nc_study_collect(m->study, &stored, m->err);
        if (code == NC_OK)
            code = nc_study_report(m->study, m->drive, m->out, m->err);
    }
    *out_exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return code != NC_OK ? code : nc_study_collect(m->study, &stored, m->err);
}

// One MPI job over these runs.
static nc_code launch(mpi *m, const int64_t *numbers, int64_t count, int *out_exit)
{
    int64_t list = 0;
    char path[PATH_MAX], threads[24];
    pid_t child = 0;
    snprintf(threads, sizeof threads, "%d", m->drive->work.threads);
    nc_code code = nc_study_write_list(m->study, numbers, count, &list, m->err);
    if (code == NC_OK)
        code = put_words(m, nc_study_name(m->study, NC_STUDY_LIST, list, path), threads);
    const nc_process_def def = {.arguments = m->words, .follows = true, .keep_open = -1};
    if (code == NC_OK)
        code = nc_process_start(&def, &child, m->err);
    return code == NC_OK ? watch(m, child, out_exit) : code;
}

// MPI ends the whole job when a rank is lost: what is left is launched again.
nc_code nc_study_drive_mpi(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err)
{
    mpi m = {.study = study, .drive = drive, .out = out, .err = err};
    int64_t count = 1, before = study->run_count + 1;
    nc_code code = NC_OK;
    int exit_code = 0;
    find_program(&m);
    for (int tries = 0; tries < NC_STUDY_TRIES && code == NC_OK && !out->interrupted; tries++) {
        int64_t *numbers = NULL;
        code = nc_study_unfinished(study, &numbers, &count, err);
        tries = count < before ? 0 : tries; // it went on
        before = count;
        if (code == NC_OK && count > 0)
            code = launch(&m, numbers, count, &exit_code);
        free(numbers);
        if (count == 0)
            return code;
        if (exit_code == 127)
            return nc_fail(err, NC_IO, "%s could not be started: is MPI installed?", m.words[0]);
    }
    out->given_up = out->interrupted ? 0 : count;
    snprintf(out->message, sizeof out->message, "%s ended with exit code %d", m.words[0], exit_code);
    return code;
}
