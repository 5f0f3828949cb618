// One run of a study: `nacre run` as a process of its own, watched, measured, and its result put in its place.
#define _GNU_SOURCE // wait4
#include "study/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES    200  // 50 ms apart: the process that held the run has got SIGTERM
#define GRACE_SECONDS 15.0 // from SIGTERM to SIGKILL; `nacre run` needs one
#define LIMIT_PERIOD  0.05 // [s] between two looks at time and memory

typedef enum stop_reason { STOP_NOT, STOP_REQUESTED, STOP_TIME, STOP_MEMORY } stop_reason;

typedef struct making {
    nc_study *study;
    const nc_study_work *work;
    nc_error *err;
    char run[PATH_MAX];  // where `nacre run` writes it
    char home[PATH_MAX]; // where it belongs
    int lock;
    pid_t child;
    double started, signalled; // [s] by nc_wall_clock; signalled: when it got SIGTERM
    stop_reason stopped;
    int status; // of waitpid
    nc_study_result result;
    char (*parameters)[NC_STUDY_VALUE_SIZE], (*values)[NC_STUDY_VALUE_SIZE];
} making;

// ---- the lock -----------------------------------------------------------------------------------------------

// A line for each attempt; how many there are now.
static int count_attempt(int lock, const char *host)
{
    char text[512];
    const int length = snprintf(text, sizeof text, "%lld %.200s %ld\n", (long long)time(NULL), host, (long)getpid());
    const ssize_t wrote = write(lock, text, (size_t)length); // it opened for appending
    int lines = wrote > 0 ? 0 : 1;
    ssize_t size;
    lseek(lock, 0, SEEK_SET);
    while ((size = read(lock, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < size; i++)
            lines += text[i] == '\n';
    return lines;
}

static nc_code take_lock(making *m)
{
    char path[PATH_MAX];
    nc_study_name(m->study, NC_STUDY_LOCK, m->result.number, path);
    m->lock = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (m->lock < 0)
        return nc_fail_at(m->err, NC_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (flock(m->lock, LOCK_EX | LOCK_NB) == 0)
            return NC_OK;
        const struct timespec pause = {0, 50 * 1000 * 1000};
        nanosleep(&pause, NULL);
    }
    return nc_fail(m->err, NC_IO, "another process is working on run %lld", (long long)m->result.number);
}

// ---- the process --------------------------------------------------------------------------------------------

typedef struct words {
    const char **items;
    int count, capacity;
    nc_pool pool;
    bool failed;
} words;

static void put_word(words *w, const char *text, size_t length)
{
    char *copy = nc_pool_text(&w->pool, text, length);
    if (copy == NULL ||
        !nc_grow(&w->pool.allocator, (void **)&w->items, &w->capacity, w->count + 2, sizeof *w->items)) {
        w->failed = true;
        return;
    }
    w->items[w->count++] = copy;
    w->items[w->count] = NULL;
}

static void put(words *w, const char *text)
{
    put_word(w, text, strlen(text));
}

// One word per line. What is set when a run starts is left out for one that is resumed.
static void put_options(words *w, const char *lines, bool resumed)
{
    static const char *const at_start[] = {"--every", "--store", "--repair"};
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        int skip = 0;
        for (int i = 0; i < 3 && resumed; i++)
            if (strncmp(lines, at_start[i], length) == 0 && at_start[i][length] == '\0')
                skip = i < 2 ? 2 : 1;
        if (skip == 0)
            put_word(w, lines, length);
        for (int i = 0; i < (skip == 0 ? 1 : skip) && *lines != '\0'; i++) {
            lines += strcspn(lines, "\n");
            lines += *lines == '\n';
        }
    }
}

static void put_overrides(words *w, const making *m)
{
    for (int i = 0; i < m->study->parameter_count; i++)
        for (const char *path = m->study->parameters[i].source; *path != '\0';) {
            const size_t length = strcspn(path, "\n");
            char *text = nc_pool_format(&w->pool, "%.*s=%s", (int)length, path, m->parameters[i]);
            put(w, "--set");
            if (text != NULL)
                put(w, text);
            else
                w->failed = true;
            path += length + (path[length] == '\n');
        }
}

static nc_code start(making *m)
{
    words w = {.pool.allocator = nc_allocator_or_default(NULL)};
    char log[PATH_MAX], summary[PATH_MAX], threads[24];
    const bool resumed = access(m->run, F_OK) == 0;
    snprintf(threads, sizeof threads, "%d", m->work->threads);
    const char *const head[] = {m->work->program, "run",    resumed ? m->run : m->study->scene,
                                "--resume",       "--json", "--quiet",
                                "--threads",      threads};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        put(&w, head[i]);
    if (!resumed) {
        put(&w, "--output");
        put(&w, m->run);
        put_overrides(&w, m);
    }
    put_options(&w, m->study->arguments, resumed);
    const nc_process_def def = {.arguments = w.items,
                                .out_file = nc_study_name(m->study, NC_STUDY_SUMMARY, m->result.number, summary),
                                .err_file = nc_study_name(m->study, NC_STUDY_LOG, m->result.number, log),
                                .follows = true,
                                .keep_open = m->lock};
    m->started = nc_wall_clock();
    const nc_code code = w.failed ? nc_fail_memory(m->err, 1) : nc_process_start(&def, &m->child, m->err);
    nc_free(&w.pool.allocator, w.items, (size_t)w.capacity, sizeof *w.items);
    nc_pool_free(&w.pool);
    return code;
}

// [MB] in use; 0 where that is not known.
static double memory_of(pid_t process)
{
    char path[64];
    long pages[2] = {0, 0};
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    char line[128];
    char *end = line;
    if (fgets(line, sizeof line, file) != NULL)
        for (int i = 0; i < 2; i++)
            pages[i] = strtol(end, &end, 10);
    fclose(file);
    return (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void tell_to_stop(making *m, stop_reason reason)
{
    if (m->stopped != STOP_NOT)
        return;
    m->stopped = reason;
    m->signalled = nc_wall_clock();
    kill(m->child, SIGTERM);
}

static void check_limits(making *m)
{
    const nc_study *study = m->study;
    const double now = nc_wall_clock();
    if (m->stopped != STOP_NOT && now - m->signalled > GRACE_SECONDS)
        kill(m->child, SIGKILL);
    if (study->limit_seconds > 0 && now - m->started > study->limit_seconds)
        tell_to_stop(m, STOP_TIME);
    if (study->limit_megabytes > 0) {
        const double used = memory_of(m->child);
        m->result.megabytes = fmax(m->result.megabytes, used);
        if (used > study->limit_megabytes)
            tell_to_stop(m, STOP_MEMORY);
    }
}

static void watch(making *m)
{
    struct rusage usage;
    const bool limited = m->study->limit_seconds > 0 || m->study->limit_megabytes > 0;
    while (wait4(m->child, &m->status, WNOHANG, &usage) == 0) {
        const int signal_number = nc_signal_wait(limited ? LIMIT_PERIOD : 1);
        if (signal_number == SIGINT || signal_number == SIGTERM)
            tell_to_stop(m, STOP_REQUESTED);
        check_limits(m);
    }
    m->result.seconds = nc_wall_clock() - m->started;
    m->result.cpu_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 +
                            (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
    m->result.megabytes = fmax(m->result.megabytes, (double)usage.ru_maxrss * 1024 / 1e6);
}

// ---- the end ------------------------------------------------------------------------------------------------

// The last line that `nacre run` wrote.
static void read_message(const making *m, char *out, size_t out_size)
{
    char path[PATH_MAX], line[1024];
    out[0] = '\0';
    FILE *log = fopen(nc_study_name(m->study, NC_STUDY_LOG, m->result.number, path), "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            snprintf(out, out_size, "%.390s", strncmp(line, "nacre: ", 7) == 0 ? line + 7 : line);
    }
    if (log != NULL)
        fclose(log);
}

static void judge(making *m)
{
    nc_study_result *r = &m->result;
    nc_error err = {0};
    char summary[PATH_MAX];
    r->failed = r->exit_code != 0;
    if (m->stopped == STOP_TIME)
        snprintf(r->message, sizeof r->message, "stopped after %.3g s, the limit of the study", r->seconds);
    else if (m->stopped == STOP_MEMORY)
        snprintf(r->message, sizeof r->message, "stopped: it used %.0f MB of memory, the limit of the study is %.0f MB",
                 r->megabytes, m->study->limit_megabytes);
    else if (r->exit_code > 1)
        read_message(m, r->message, sizeof r->message);
    else if (nc_study_measure_run(m->study, m->run, nc_study_name(m->study, NC_STUDY_SUMMARY, r->number, summary), r,
                                  m->values, &err) != NC_OK) {
        r->failed = true;
        snprintf(r->message, sizeof r->message, "%.390s", err.text);
    } else if (r->exit_code == 1)
        snprintf(r->message, sizeof r->message, "a check failed: what the scene expects was not met");
}

static nc_study_end finish(making *m)
{
    nc_study_result *r = &m->result;
    const time_t now = time(NULL);
    char log[PATH_MAX];
    struct stat status;
    struct tm utc;
    judge(m);
    gmtime_r(&now, &utc);
    strftime(r->finished, sizeof r->finished, "%Y-%m-%d %H:%M:%S", &utc);
    const nc_study_keep keep = m->study->keep;
    const bool kept = keep == NC_STUDY_KEEP_ALL || (keep == NC_STUDY_KEEP_FAILED && r->failed);
    if (kept && m->work->scratch != NULL && nc_scratch_return(m->home, m->run, m->err) != NC_OK)
        return NC_STUDY_BROKEN;
    if (nc_study_write_result(m->study, r, m->values, m->err) != NC_OK)
        return NC_STUDY_BROKEN;
    if (!kept) {
        nc_run_remove(m->run);
        nc_run_remove(m->home);
    }
    nc_study_name(m->study, NC_STUDY_LOG, r->number, log);
    if (stat(log, &status) == 0 && status.st_size == 0)
        unlink(log);
    return NC_STUDY_ENDED;
}

// No result: what there is stays, or comes back from local storage, for the next attempt.
static nc_study_end leave(making *m)
{
    char message[400];
    const bool signalled = WIFSIGNALED(m->status);
    const int code = WEXITSTATUS(m->status);
    if (m->work->scratch != NULL && !signalled && nc_scratch_return(m->home, m->run, m->err) != NC_OK)
        return NC_STUDY_BROKEN;
    if (signalled || code == 130)
        return NC_STUDY_INTERRUPTED;
    read_message(m, message, sizeof message);
    nc_fail(m->err, NC_IO, "run %lld: %s", (long long)m->result.number,
            code == 127 ? "nacre could not be started" : message);
    return NC_STUDY_BROKEN;
}

static nc_study_end conclude(making *m)
{
    const int code = WIFEXITED(m->status) ? WEXITSTATUS(m->status) : -1;
    m->result.exit_code = WIFSIGNALED(m->status) ? 128 + WTERMSIG(m->status) : code;
    if (m->stopped == STOP_TIME || m->stopped == STOP_MEMORY)
        return finish(m);
    return code >= 0 && code <= 5 ? finish(m) : leave(m);
}

static nc_study_end make(making *m)
{
    bool planned = true;
    char path[PATH_MAX];
    const int64_t number = m->result.number;
    if (take_lock(m) != NC_OK)
        return NC_STUDY_INTERRUPTED;
    // Now that nobody else works on it: is it still to be done?
    if (nc_study_read_run(m->study, number, &m->parameters, &planned, m->err) != NC_OK)
        return NC_STUDY_BROKEN;
    if (!planned || access(nc_study_name(m->study, NC_STUDY_RESULT, number, path), F_OK) == 0)
        return NC_STUDY_ENDED;
    gethostname(m->result.host, sizeof m->result.host - 1);
    m->result.attempts = count_attempt(m->lock, m->result.host);
    m->values = calloc((size_t)m->study->measure_count + 1, sizeof *m->values);
    if (m->values == NULL) {
        nc_fail_memory(m->err, 1);
        return NC_STUDY_BROKEN;
    }
    nc_study_name(m->study, NC_STUDY_RUN, number, m->home);
    snprintf(m->run, sizeof m->run, "%s", m->home);
    if (m->work->scratch != NULL && (nc_scratch_name(m->study, number, m->work->scratch, m->run, m->err) != NC_OK ||
                                     nc_scratch_fetch(m->home, m->run, m->err) != NC_OK))
        return NC_STUDY_BROKEN;
    if (start(m) != NC_OK)
        return NC_STUDY_BROKEN;
    watch(m);
    return conclude(m);
}

nc_study_end nc_study_make_run(nc_study *study, int64_t number, const nc_study_work *work, nc_error *err)
{
    making m = {.study = study, .work = work, .err = err, .lock = -1, .result = {.number = number}};
    const nc_study_end end = make(&m);
    free(m.parameters);
    free(m.values);
    if (m.lock >= 0)
        close(m.lock);
    return end;
}
