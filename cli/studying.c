// A study from its file to its results, with a line of progress.
#include "studying.h"
#include "eta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SBATCH_MAX 40

const char *nc_program_path(char *out)
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (length > 0)
        out[length] = '\0';
    else
        snprintf(out, PATH_MAX, "nacre");
    return out;
}

nc_exit nc_study_visit(const char *path, nc_study *out)
{
    nc_error err = {0};
    int stored;
    nc_code code = nc_study_open(path, false, out, &err);
    if (code == NC_OK && nc_run_lock(&out->file, NULL) == NC_OK) {
        code = nc_study_collect(out, &stored, &err);
        nc_run_unlock(&out->file);
        if (code != NC_OK)
            nc_study_close(out);
    }
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}

// ---- progress -----------------------------------------------------------------------------------------------

typedef struct progress {
    bool shown, quiet, drawn;
    double start;
    int64_t before; // runs that were finished when it began
    nc_eta eta;
} progress;

static void clear_line(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

static void watch(const nc_study_counts *counts, void *ctx)
{
    progress *p = ctx;
    const int64_t finished = counts->done + counts->failed;
    char text[32];
    if (!p->shown)
        return;
    if (p->before < 0)
        p->before = finished;
    nc_eta_update(&p->eta, nc_wall_clock() - p->start, (double)(finished - p->before));
    const double left = nc_eta_left(&p->eta, (double)(counts->planned - p->before));
    fprintf(stderr, "\r\033[K%" PRId64 "/%" PRId64 " runs, %" PRId64 " running, %" PRId64 " failed", finished,
            counts->planned, counts->running, counts->failed);
    if (left == left)
        fprintf(stderr, ", %s left", nc_duration_text(left, text, sizeof text));
    p->drawn = true;
}

static void tell(const char *text, void *ctx)
{
    progress *p = ctx;
    clear_line(p);
    nc_say(p->quiet, "%s", text);
}

// ---- how ----------------------------------------------------------------------------------------------------

typedef struct sbatch_words {
    char texts[4][256];
    const char *items[SBATCH_MAX];
    int count;
} sbatch_words;

static void put_option(sbatch_words *w, const char *name, const char *value)
{
    if (value == NULL)
        return;
    char *text = w->texts[w->count];
    snprintf(text, sizeof w->texts[0], "--%s=%s", name, value);
    w->items[w->count++] = text;
}

static void fill_sbatch(const nc_study_settings *s, sbatch_words *w)
{
    put_option(w, "partition", s->partition);
    put_option(w, "account", s->account);
    put_option(w, "time", s->time);
    put_option(w, "mem", s->memory);
    for (int i = 0; i < s->sbatch.count && w->count < SBATCH_MAX; i++)
        w->items[w->count++] = s->sbatch.items[i];
}

static nc_exit find_backend(const char *name, nc_study_backend *out)
{
    int which = 0;
    while (name != NULL && which < NC_STUDY_BACKEND_COUNT && strcmp(nc_study_backend_names[which], name) != 0)
        which++;
    *out = (nc_study_backend)which;
    return which < NC_STUDY_BACKEND_COUNT ? NC_EXIT_DONE
                                          : nc_complain_usage("--on accepts local, slurm and mpi, not '%s'", name);
}

static int choose_jobs(const nc_study_settings *s, nc_study_backend backend)
{
    if (s->jobs > 0 || (s->jobs == 0 && backend == NC_STUDY_SLURM))
        return (int)s->jobs;
    if (backend == NC_STUDY_SLURM)
        return 0;
    const int jobs = nc_worker_count(0) / (int)s->threads;
    return jobs > 0 ? jobs : 1;
}

// ---- the end ------------------------------------------------------------------------------------------------

static nc_exit conclude(const nc_study *study, const nc_study_settings *settings, const nc_study_outcome *o)
{
    const nc_study_counts *c = &o->counts;
    nc_say(settings->quiet, "%s: %" PRId64 " runs: %" PRId64 " done, %" PRId64 " failed, %" PRId64 " not finished",
           study->file.path, c->planned, c->done, c->failed, c->running + c->waiting);
    if (o->interrupted) {
        nc_say(settings->quiet, "Interrupted. To continue: nacre study %s", study->file.path);
        return NC_EXIT_INTERRUPTED;
    }
    if (o->given_up > 0) {
        fprintf(stderr, "nacre: %" PRId64 " run%s without a result: %s. To try again: nacre study %s\n", o->given_up,
                o->given_up == 1 ? " is" : "s are", o->message, study->file.path);
        return NC_EXIT_IO;
    }
    return c->failed > 0 ? NC_EXIT_CHECK_FAILED : NC_EXIT_DONE;
}

nc_exit nc_study_continue(nc_study *study, const nc_study_settings *settings)
{
    char program[PATH_MAX];
    sbatch_words words = {.count = 0};
    nc_error err = {0};
    nc_study_outcome outcome;
    progress p = {.quiet = settings->quiet, .start = nc_wall_clock(), .before = -1};
    p.shown = !settings->quiet && isatty(STDERR_FILENO) != 0;
    nc_study_drive drive = {.detach = settings->detach,
                            .per_task = (int)settings->per_task,
                            .launcher = settings->launcher,
                            .watch = watch,
                            .on_message = tell,
                            .ctx = &p};
    if (find_backend(settings->on, &drive.backend) != NC_EXIT_DONE)
        return NC_EXIT_USAGE;
    drive.work = (nc_study_work){nc_program_path(program), settings->scratch, (int)settings->threads};
    drive.jobs = choose_jobs(settings, drive.backend);
    fill_sbatch(settings, &words);
    drive.options = words.items;
    drive.option_count = words.count;
    const nc_code code = nc_study_drive_runs(study, &drive, &outcome, &err);
    clear_line(&p);
    return code == NC_OK ? conclude(study, settings, &outcome) : nc_complain(&err);
}

// "friction.nacre-study" for "studies/friction.yaml".
static void default_output(const char *path, char *out)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(out, PATH_MAX, "%.*s.nacre-study", (int)(dot != NULL ? dot - name : (ptrdiff_t)strlen(name)), name);
}

// The study file is there, new or as it was left.
static nc_exit prepare(const nc_study_plan *plan, const char *path, const nc_study_settings *settings)
{
    nc_error err = {0};
    bool is_study = false;
    const bool exists = nc_study_exists(path, &is_study);
    if (exists && !is_study)
        return nc_complain_usage("'%s' is not a study file; it is left as it is. Give another --output", path);
    if (!exists || settings->force)
        return nc_study_create(path, plan, &err) == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
    return NC_EXIT_DONE;
}

static nc_exit start_plan(const char *path, const nc_study_plan *plan, const nc_study_settings *settings)
{
    nc_study study;
    nc_error err = {0};
    char output[PATH_MAX];
    default_output(path, output);
    const char *name = settings->output != NULL ? settings->output : output;
    nc_exit code = prepare(plan, name, settings);
    if (code != NC_EXIT_DONE)
        return code;
    if (nc_study_open(name, true, &study, &err) != NC_OK)
        return nc_complain(&err);
    if (nc_study_compare(&study, plan, &err) != NC_OK)
        code = nc_complain_usage("%s. Use --force to start again, or -o to give another name", err.text);
    else if (settings->plan)
        nc_say(settings->quiet, "%s: %" PRId64 " runs planned", name, study.run_count);
    else
        code = nc_study_continue(&study, settings);
    nc_study_close(&study);
    return code;
}

nc_exit nc_study_start(const char *path, const nc_study_settings *settings)
{
    nc_study study;
    nc_study_plan plan;
    nc_error err = {0};
    bool is_study = false;
    nc_exit code;
    nc_signals_block(); // from here on Ctrl-C ends a study in order
    if (nc_study_exists(path, &is_study) && is_study) {
        if (nc_study_open(path, true, &study, &err) != NC_OK)
            return nc_complain(&err);
        code = nc_study_continue(&study, settings);
        nc_study_close(&study);
        return code;
    }
    code = nc_study_plan_read(path, &plan, &err) == NC_OK ? start_plan(path, &plan, settings) : nc_complain(&err);
    nc_study_plan_free(&plan);
    return code;
}
