// Runs as processes of this machine: a worker for each, some at a time.
#include "study/study.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define BROKEN_MAX     3   // workers with disk or memory errors, none with a result between: then it is not about a run
#define COLLECT_PERIOD 0.5 // [s] between two transactions

typedef struct slot {
    pid_t worker; // 0: free
    int64_t number;
} slot;

typedef struct local {
    nc_study *study;
    const nc_study_drive *drive;
    nc_study_outcome *out;
    nc_error *err;
    slot *slots;
    int64_t *queue; // numbers of runs; those that are to be tried again are put at its end
    int64_t next, count, capacity;
    uint8_t *tries; // [number]
    int running, broken;
    double collected; // [s] by nc_wall_clock
} local;

static nc_code start_worker(local *l, slot *s, int64_t number)
{
    char text[24], threads[24];
    const nc_study_work *work = &l->drive->work;
    snprintf(text, sizeof text, "%lld", (long long)number);
    snprintf(threads, sizeof threads, "%d", work->threads);
    const char *arguments[] = {
        work->program, "study", "work", l->study->file.path, text, "--threads", threads, "--quiet", NULL, NULL, NULL};
    if (work->scratch != NULL) {
        arguments[8] = "--scratch";
        arguments[9] = work->scratch;
    }
    const nc_process_def def = {.arguments = arguments, .follows = true, .keep_open = -1};
    const nc_code code = nc_process_start(&def, &s->worker, l->err);
    if (code == NC_OK) {
        s->number = number;
        l->tries[number]++;
        l->running++;
    }
    return code;
}

static nc_code fill_slots(local *l)
{
    nc_code code = NC_OK;
    for (int i = 0; i < l->drive->jobs && code == NC_OK; i++)
        if (l->slots[i].worker == 0 && l->next < l->count && !l->out->interrupted && l->broken < BROKEN_MAX)
            code = start_worker(l, &l->slots[i], l->queue[l->next++]);
    return code;
}

// Again, after all others; or no more.
static void try_again(local *l, int64_t number, bool broken)
{
    l->broken += broken;
    if (l->out->interrupted)
        return;
    if (l->tries[number] < NC_STUDY_TRIES && l->count < l->capacity) {
        l->queue[l->count++] = number;
        return;
    }
    l->out->given_up++;
    snprintf(l->out->message, sizeof l->out->message, "run %lld has no result after %d attempts", (long long)number,
             NC_STUDY_TRIES);
}

static bool reap(local *l)
{
    bool any = false;
    for (int i = 0; i < l->drive->jobs; i++) {
        int status;
        slot *s = &l->slots[i];
        if (s->worker == 0 || waitpid(s->worker, &status, WNOHANG) != s->worker)
            continue;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 130;
        if (code == 0)
            l->broken = 0;
        else
            try_again(l, s->number, code != 130);
        s->worker = 0;
        l->running--;
        any = true;
    }
    return any;
}

static nc_code collect(local *l, bool now)
{
    int stored;
    const double clock = nc_wall_clock();
    if (!now && clock - l->collected < COLLECT_PERIOD)
        return NC_OK;
    l->collected = clock;
    const nc_code code = nc_study_collect(l->study, &stored, l->err);
    return code == NC_OK ? nc_study_report(l->study, l->drive, l->out, l->err) : code;
}

static void stop_workers(local *l)
{
    for (int i = 0; i < l->drive->jobs; i++)
        if (l->slots[i].worker != 0)
            kill(l->slots[i].worker, SIGTERM);
}

static nc_code serve(local *l)
{
    nc_code code = fill_slots(l);
    while (l->running > 0) {
        const int signal_number = nc_signal_wait(COLLECT_PERIOD);
        if (signal_number == SIGINT || signal_number == SIGTERM || code != NC_OK) {
            l->out->interrupted = l->out->interrupted || code == NC_OK;
            stop_workers(l);
        }
        reap(l);
        if (code == NC_OK)
            code = fill_slots(l);
        if (code == NC_OK)
            code = collect(l, false);
    }
    return code;
}

nc_code nc_study_drive_local(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err)
{
    local l = {.study = study, .drive = drive, .out = out, .err = err};
    int64_t *numbers = NULL;
    nc_code code = nc_study_unfinished(study, &numbers, &l.count, err);
    l.capacity = l.count * NC_STUDY_TRIES;
    l.queue = calloc((size_t)l.capacity + 1, sizeof *l.queue);
    l.tries = calloc((size_t)study->run_count + 1, sizeof *l.tries);
    l.slots = calloc((size_t)drive->jobs, sizeof *l.slots);
    if (code == NC_OK && (l.queue == NULL || l.tries == NULL || l.slots == NULL))
        code = nc_fail_memory(err, (size_t)l.capacity * sizeof *l.queue);
    if (code == NC_OK) {
        memcpy(l.queue, numbers, (size_t)l.count * sizeof *numbers);
        code = serve(&l);
    }
    if (code == NC_OK && l.broken >= BROKEN_MAX)
        code = nc_fail(err, NC_IO,
                       "the last %d runs ended with disk or memory errors. Nothing is lost: the same "
                       "command continues the study",
                       l.broken);
    free(numbers);
    free(l.queue);
    free(l.tries);
    free(l.slots);
    return code;
}
