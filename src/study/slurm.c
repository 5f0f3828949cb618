// Runs as array jobs of Slurm. What is known about them is in files and in the queue: a job's name has the study and
// the number of the list whose runs it makes, so a coordinator that was killed loses no job, and the next one finds
// them.
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY_MAX   1000              // tasks of a job; Slurm's default limit (MaxArraySize) is 1001
#define QUEUE_BYTES (8 * 1024 * 1024) // room for the text of squeue
#define POLL_FIRST  0.5               // [s]
#define POLL_MAX    15.0              // [s] squeue is not to be a burden
#define CANCEL_WAIT 60                // [s] for runs to store their state

typedef struct slurm {
    nc_study *study;
    const nc_study_drive *drive;
    nc_study_outcome *out;
    nc_error *err;
    char *queue;                   // the text of squeue
    uint8_t *covered;              // [number] a job that is in the queue makes it
    uint8_t *tries;                // [number]
    int64_t pending;               // array tasks in the queue
    int per_task;                  // runs of an array task that is submitted now
    int64_t list, *numbers, count; // the list that was read last
} slurm;

// An array task in the queue.
typedef struct task {
    int64_t list, index;
    int per_task;
} task;

// ---- submitting ---------------------------------------------------------------------------------------------

// In single quotes, for sh.
static bool put_quoted(nc_buffer *out, const char *text)
{
    bool ok = nc_buffer_print(out, "'");
    for (; *text != '\0'; text++)
        ok = ok && (*text == '\'' ? nc_buffer_print(out, "'\\''") : nc_buffer_append(out, text, 1));
    return ok && nc_buffer_print(out, "' ");
}

static bool put_script(const slurm *s, int64_t list, nc_buffer *out)
{
    const nc_study_work *work = &s->drive->work;
    bool ok = nc_buffer_print(out, "#!/bin/sh\nexec ") && put_quoted(out, work->program) &&
              nc_buffer_print(out, "study work ") && put_quoted(out, s->study->file.path) &&
              nc_buffer_print(out, "--list %lld --task \"$SLURM_ARRAY_TASK_ID\" --per-task %d --threads %d ",
                              (long long)list, s->per_task, work->threads);
    if (work->scratch != NULL)
        ok = ok && nc_buffer_print(out, "--scratch ") && put_quoted(out, work->scratch);
    return ok && nc_buffer_append(out, "\n", 2);
}

static nc_code run_sbatch(slurm *s, int64_t list, int tasks, const char *script)
{
    char name[64], array[64], log[PATH_MAX + 40], cpus[40], answer[512];
    const char *arguments[64] = {"sbatch", "--parsable", "--requeue", "--open-mode=append", name, array, log, cpus};
    int count = 8, code = 0;
    snprintf(name, sizeof name, "--job-name=nacre-%s-%lld-%d", s->study->id, (long long)list, s->per_task);
    if (s->drive->jobs > 0)
        snprintf(array, sizeof array, "--array=0-%d%%%d", tasks - 1, s->drive->jobs);
    else
        snprintf(array, sizeof array, "--array=0-%d", tasks - 1);
    snprintf(log, sizeof log, "--output=%s/logs/slurm-%%A_%%a.log", s->study->folder);
    snprintf(cpus, sizeof cpus, "--cpus-per-task=%d", s->drive->work.threads);
    for (int i = 0; i < s->drive->option_count && count < 63; i++)
        arguments[count++] = s->drive->options[i];
    const nc_code done = nc_process_ask(arguments, script, answer, sizeof answer, &code, s->err);
    if (done != NC_OK)
        return done;
    answer[strcspn(answer, "\n;")] = '\0';
    if (code != 0)
        return nc_fail(s->err, NC_IO, "sbatch did not take the job (exit code %d; is Slurm there?)", code);
    nc_study_tell(s->drive, "Submitted job %s: %d task%s", answer, tasks, tasks == 1 ? "" : "s");
    return NC_OK;
}

static nc_code submit(slurm *s, const int64_t *numbers, int64_t count)
{
    int64_t list = 0;
    nc_buffer script = nc_buffer_create(NULL);
    nc_code code = nc_study_write_list(s->study, numbers, count, &list, s->err);
    if (code == NC_OK && !put_script(s, list, &script))
        code = nc_fail_memory(s->err, script.size);
    const int tasks = (int)((count + s->per_task - 1) / s->per_task);
    if (code == NC_OK)
        code = run_sbatch(s, list, tasks, (const char *)script.data);
    nc_buffer_free(&script);
    return code;
}

// All runs without a result that no job makes, in jobs of at most ARRAY_MAX tasks.
static nc_code submit_missing(slurm *s)
{
    int64_t *numbers = NULL, count = 0, kept = 0;
    nc_code code = nc_study_unfinished(s->study, &numbers, &count, s->err);
    for (int64_t i = 0; i < count && code == NC_OK; i++) {
        const int64_t number = numbers[i];
        if (s->covered[number] != 0 || s->tries[number] >= NC_STUDY_TRIES)
            continue;
        s->tries[number]++;
        numbers[kept++] = number;
    }
    const int64_t most = (int64_t)ARRAY_MAX * s->per_task;
    for (int64_t at = 0; at < kept && code == NC_OK; at += most) {
        const int64_t part = kept - at < most ? kept - at : most;
        code = submit(s, numbers + at, part);
        s->pending += part;
    }
    free(numbers);
    return code;
}

// ---- the queue ----------------------------------------------------------------------------------------------

// False: Slurm does not answer, so nothing is known.
static bool read_queue(char *queue, nc_error *err)
{
    int code = 1;
    const char *const arguments[] = {"squeue", "--me", "--noheader", "--array", "--format=%j %K", NULL};
    return nc_process_ask(arguments, NULL, queue, QUEUE_BYTES, &code, err) == NC_OK && code == 0;
}

// The next task of this study in the text of squeue; NULL after the last.
static char *next_task(const nc_study *study, char *at, task *out)
{
    char prefix[40];
    const int length = snprintf(prefix, sizeof prefix, "nacre-%s-", study->id);
    for (; *at != '\0'; at += *at == '\n') {
        char *line = at, *end;
        at += strcspn(at, "\n");
        if (strncmp(line, prefix, (size_t)length) != 0)
            continue;
        out->list = strtoll(line + length, &end, 10);
        out->per_task = *end == '-' ? (int)strtol(end + 1, &end, 10) : 1;
        out->index = strtoll(end, NULL, 10);
        return at;
    }
    return NULL;
}

static nc_code cover(slurm *s, const task *t)
{
    if (s->list != t->list) {
        free(s->numbers);
        s->numbers = NULL;
        s->list = -1;
        const nc_code code = nc_study_read_list(s->study, t->list, &s->numbers, &s->count, s->err);
        if (code != NC_OK)
            return code;
        s->list = t->list;
    }
    const int64_t first = t->index * t->per_task;
    for (int64_t i = first; s->numbers != NULL && i < first + t->per_task && i < s->count; i++)
        if (s->numbers[i] > 0 && s->numbers[i] <= s->study->run_count)
            s->covered[s->numbers[i]] = 1;
    return NC_OK;
}

static nc_code cover_all(slurm *s)
{
    task t;
    nc_code code = NC_OK;
    memset(s->covered, 0, (size_t)s->study->run_count + 1);
    s->pending = 0;
    for (char *at = s->queue; code == NC_OK && (at = next_task(s->study, at, &t)) != NULL;) {
        s->pending++;
        code = cover(s, &t);
    }
    return code;
}

// ---- the end ------------------------------------------------------------------------------------------------

static nc_code cancel_listed(nc_study *study, char *queue, nc_error *err)
{
    task t;
    int64_t last = -1;
    char name[64], answer[256];
    int code = 0;
    for (char *at = queue; (at = next_task(study, at, &t)) != NULL;) {
        if (t.list == last)
            continue;
        last = t.list;
        snprintf(name, sizeof name, "--name=nacre-%s-%lld-%d", study->id, (long long)t.list, t.per_task);
        const char *const arguments[] = {"scancel", "--me", name, NULL};
        const nc_code done = nc_process_ask(arguments, NULL, answer, sizeof answer, &code, err);
        if (done != NC_OK)
            return done;
    }
    return NC_OK;
}

// Tells the jobs to end, and waits until they have.
static nc_code cancel(nc_study *study, char *queue, nc_error *err)
{
    task t;
    for (int tries = 0; tries < CANCEL_WAIT; tries++) {
        if (!read_queue(queue, err))
            return nc_fail(err, NC_IO, "squeue does not answer (is Slurm there?)");
        if (next_task(study, queue, &t) == NULL)
            return NC_OK;
        const nc_code code = tries == 0 ? cancel_listed(study, queue, err) : NC_OK;
        if (code != NC_OK)
            return code;
        nc_signal_pause(1);
    }
    return nc_fail(err, NC_IO, "jobs of the study are still in the queue %d s after scancel", CANCEL_WAIT);
}

nc_code nc_study_cancel(nc_study *study, nc_error *err)
{
    char *queue = calloc(QUEUE_BYTES, 1);
    nc_signals_block();
    const nc_code code = queue != NULL ? cancel(study, queue, err) : nc_fail_memory(err, QUEUE_BYTES);
    free(queue);
    return code;
}

static nc_code give_up(slurm *s)
{
    int64_t *numbers = NULL;
    const nc_code code = nc_study_unfinished(s->study, &numbers, &s->out->given_up, s->err);
    if (code == NC_OK && s->out->given_up > 0)
        snprintf(s->out->message, sizeof s->out->message,
                 "run %lld has no result after %d submissions; see %.200s/logs", (long long)numbers[0], NC_STUDY_TRIES,
                 s->study->folder);
    free(numbers);
    return code;
}

// One look at the queue and at the results; *done when nothing is left to wait for.
static nc_code poll_once(slurm *s, int *stored, bool *done)
{
    const bool known = read_queue(s->queue, s->err);
    nc_code code = nc_study_collect(s->study, stored, s->err);
    if (code != NC_OK || !known)
        return code;
    code = cover_all(s);
    if (code == NC_OK)
        code = submit_missing(s);
    if (code == NC_OK)
        code = nc_study_report(s->study, s->drive, s->out, s->err);
    *done = s->pending == 0 || s->drive->detach;
    return code;
}

// Runs per task: as requested, or as many as make one array of them all.
static nc_code choose_tasks(slurm *s)
{
    int64_t *numbers = NULL, count = 0;
    const nc_code code = nc_study_unfinished(s->study, &numbers, &count, s->err);
    free(numbers);
    s->per_task = s->drive->per_task > 0 ? s->drive->per_task : (int)((count + ARRAY_MAX - 1) / ARRAY_MAX);
    s->per_task = s->per_task > 0 ? s->per_task : 1;
    return code;
}

static nc_code serve(slurm *s)
{
    double period = POLL_FIRST;
    bool done = false;
    int stored = 0;
    nc_code code = choose_tasks(s);
    if (code == NC_OK)
        code = poll_once(s, &stored, &done);
    while (code == NC_OK && !done) {
        if (nc_signal_pause(period)) {
            s->out->interrupted = true;
            nc_study_tell(s->drive, "Cancelling the jobs of the study");
            return cancel(s->study, s->queue, s->err);
        }
        code = poll_once(s, &stored, &done);
        period = stored > 0 ? POLL_FIRST * 2 : period * 1.5 < POLL_MAX ? period * 1.5 : POLL_MAX;
    }
    return code == NC_OK && !s->drive->detach ? give_up(s) : code;
}

nc_code nc_study_drive_slurm(nc_study *study, const nc_study_drive *drive, nc_study_outcome *out, nc_error *err)
{
    slurm s = {.study = study, .drive = drive, .out = out, .err = err, .list = -1};
    s.queue = calloc(QUEUE_BYTES, 1);
    s.covered = calloc((size_t)study->run_count + 1, 1);
    s.tries = calloc((size_t)study->run_count + 1, 1);
    const nc_code code =
        s.queue != NULL && s.covered != NULL && s.tries != NULL ? serve(&s) : nc_fail_memory(err, QUEUE_BYTES);
    free(s.queue);
    free(s.covered);
    free(s.tries);
    free(s.numbers);
    return code;
}
