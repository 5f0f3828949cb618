// nacre study: many runs of one scene.
#include "studying.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD(name_) offsetof(nc_study_settings, name_)

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", FIELD(output), 0, 0,
     "The study file with results. Default: the name of study.yaml with .nacre-study, in the current directory. plot: "
     "the SVG file."},
    {"on", 0, NC_OPTION_TEXT, "WHERE", FIELD(on), 0, 0,
     "local (processes of this machine, the default), slurm (array jobs) or mpi (ranks of mpirun)."},
    {"jobs", 'n', NC_OPTION_WHOLE, "N", FIELD(jobs), 0, 1e6,
     "Runs at a time. Default: as many as the machine has processors; of Slurm, as many as it allows."},
    {"threads", 't', NC_OPTION_WHOLE, "N", FIELD(threads), 1, NC_MAX_WORKERS,
     "Threads of each run. Default: 1. The result is the same bits for any N."},
    {"scratch", 0, NC_OPTION_TEXT, "FOLDER", FIELD(scratch), 0, 0,
     "Write run files there, on local storage, and move them to the study's folder at their end."},
    {"plan", 0, NC_OPTION_FLAG, NULL, FIELD(plan), 0, 0, "Write the study file with its planned runs, and make none."},
    {"force", 'f', NC_OPTION_FLAG, NULL, FIELD(force), 0, 0,
     "Start again: remove the study file and its runs when they exist."},
    {"failed", 0, NC_OPTION_FLAG, NULL, FIELD(failed), 0, 0, "rerun: all runs that failed."},
    {"format", 0, NC_OPTION_TEXT, "FORMAT", FIELD(format), 0, 0, "results: table (the default), csv or json."},
    {"x", 'x', NC_OPTION_TEXT, "COLUMN", FIELD(x), 0, 0, "plot: horizontal axis. Default: the first parameter."},
    {"y", 'y', NC_OPTION_TEXT, "COLUMN", FIELD(y), 0, 0, "plot: vertical axis. Default: the first measurement."},
    {"by", 0, NC_OPTION_TEXT, "COLUMN", FIELD(by), 0, 0, "plot: a colour for each of its values, up to 8."},
    {"mean", 0, NC_OPTION_FLAG, NULL, FIELD(mean), 0, 0,
     "plot: lines through the means of runs of equal x, instead of a dot per run."},
    {"partition", 'p', NC_OPTION_TEXT, "NAME", FIELD(partition), 0, 0, "slurm: as for sbatch."},
    {"account", 0, NC_OPTION_TEXT, "NAME", FIELD(account), 0, 0, "slurm: as for sbatch."},
    {"time", 0, NC_OPTION_TEXT, "TIME", FIELD(time), 0, 0,
     "slurm: limit of a task, as for sbatch; what it stops is submitted again and continues from its checkpoint."},
    {"memory", 0, NC_OPTION_TEXT, "SIZE", FIELD(memory), 0, 0, "slurm: memory of a task, as --mem of sbatch."},
    {"sbatch", 0, NC_OPTION_LIST, "OPTION", FIELD(sbatch), 0, 0,
     "slurm: any other option, such as --sbatch=--qos=low. May be repeated."},
    {"per-task", 0, NC_OPTION_WHOLE, "N", FIELD(per_task), 0, 1e6,
     "slurm: runs of one array task, one after the other. Default: as few as fit into 1000 tasks."},
    {"detach", 0, NC_OPTION_FLAG, NULL, FIELD(detach), 0, 0,
     "slurm: submit and return. 'status' collects results; the same command again resubmits what was lost."},
    {"launcher", 0, NC_OPTION_TEXT, "COMMAND", FIELD(launcher), 0, 0,
     "mpi: what starts the ranks, such as 'srun -n 64'. Default: mpirun -n with the number of --jobs."},
    {"list", 0, NC_OPTION_WHOLE, "N", FIELD(list), 0, 1e12, "work: the number of a list of runs."},
    {"task", 0, NC_OPTION_WHOLE, "N", FIELD(task), 0, 1e12, "work: which part of that list, from 0."},
    {"json", 'j', NC_OPTION_FLAG, NULL, FIELD(json), 0, 0, "status: one JSON object on the standard output."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, FIELD(quiet), 0, 0, "No messages and no progress; errors are still shown."},
};

static int study(const nc_command *command, int argc, char **argv);

const nc_command nc_command_study = {
    .name = "study",
    .arguments = "STUDY.yaml | status|results|plot|view|rerun|cancel FILE [N]",
    .about = "Makes many runs of a scene with other values, here or on a cluster.",
    .details = "  STUDY.yaml       makes all its runs; the same command again continues after whatever happened\n"
               "  status FILE      how many runs are done, failed, running and waiting\n"
               "  results FILE     one row per run: parameters, measurements, hash, times, exit code, message\n"
               "  plot FILE        a column against another, as SVG\n"
               "  view FILE N      run N in the browser\n"
               "  rerun FILE N     makes run N again; --failed: all that failed, from their checkpoints\n"
               "  cancel FILE      ends its Slurm jobs; they can be continued\n"
               "  work FILE N      makes run N in this process: what the backends call\n"
               "FILE is the .nacre-study with the results. Every run is an ordinary 'nacre run', so its bits are\n"
               "the same anywhere. Exit code 1: a run failed.\n",
    .examples = "nacre study friction.yaml\n"
                "nacre study status friction.nacre-study\n"
                "nacre study results friction.nacre-study --format csv > friction.csv\n"
                "nacre study plot friction.nacre-study -x friction -y angle --mean\n"
                "nacre study friction.yaml --on slurm --partition short --time 10 --memory 2G",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 100000,
    .run = study,
};

// ---- status and results -------------------------------------------------------------------------------------

static void print_counts_json(const nc_study *s, const nc_study_counts *counts)
{
    nc_json json = {.out = stdout};
    nc_json_begin(&json, NULL, '{');
    nc_json_text(&json, "study", s->file.path);
    nc_json_text(&json, "title", s->title);
    nc_json_whole(&json, "planned", counts->planned);
    nc_json_whole(&json, "done", counts->done);
    nc_json_whole(&json, "failed", counts->failed);
    nc_json_whole(&json, "running", counts->running);
    nc_json_whole(&json, "waiting", counts->waiting);
    nc_json_end(&json, '}');
}

static nc_exit show_status(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_study_counts c;
    nc_error err = {0};
    (void)arguments;
    if (nc_study_count(s, &c, &err) != NC_OK)
        return nc_complain(&err);
    if (settings->json)
        print_counts_json(s, &c);
    else
        printf("%s: %" PRId64 " runs: %" PRId64 " done, %" PRId64 " failed, %" PRId64 " running, %" PRId64 " waiting\n",
               s->file.path, c.planned, c.done, c.failed, c.running, c.waiting);
    return NC_EXIT_DONE;
}

static nc_exit show_results(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_error err = {0};
    int format = 0;
    (void)arguments;
    while (settings->format != NULL && format < NC_STUDY_FORMAT_COUNT &&
           strcmp(nc_study_format_names[format], settings->format) != 0)
        format++;
    if (format == NC_STUDY_FORMAT_COUNT)
        return nc_complain_usage("--format accepts table, csv and json, not '%s'", settings->format);
    const nc_study_format which = settings->json ? NC_STUDY_JSON : (nc_study_format)format;
    return nc_study_print(s, which, stdout, &err) == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}

static nc_exit draw(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_error err = {0};
    char path[PATH_MAX];
    int points = 0;
    const char *slash = strrchr(arguments->items[1], '/');
    const char *name = slash != NULL ? slash + 1 : arguments->items[1];
    snprintf(path, sizeof path, "%.*s.svg", (int)strcspn(name, "."), name);
    const nc_study_plot plot = {settings->x, settings->y, settings->by, settings->mean,
                                settings->output != NULL ? settings->output : path};
    const nc_code code = nc_study_draw(s, &plot, &points, &err);
    if (code == NC_BAD_ARGUMENT || code == NC_NOT_FOUND)
        return nc_complain_usage("%s", err.text);
    if (code != NC_OK)
        return nc_complain(&err);
    nc_say(settings->quiet, "Wrote %s: %d runs", plot.path, points);
    return NC_EXIT_DONE;
}

// ---- one run ------------------------------------------------------------------------------------------------

static bool read_number(const nc_study *s, const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *out >= 1 && *out <= s->run_count;
}

static nc_exit no_number(const nc_study *s, const char *what, const char *text)
{
    return nc_complain_usage("%s needs the number of a run, 1 to %" PRId64 "%s%s", what, s->run_count,
                             text != NULL ? ", not " : "", text != NULL ? text : "");
}

// How to make a run that was not kept.
static nc_exit tell_command(nc_study *s, int64_t number)
{
    char(*values)[NC_STUDY_VALUE_SIZE] = NULL;
    bool planned = true;
    nc_error err = {0};
    if (nc_study_read_run(s, number, &values, &planned, &err) != NC_OK) {
        free(values);
        return nc_complain(&err);
    }
    fprintf(stderr, "nacre: run %" PRId64 " %s. To make it: nacre run '%s' -o run.nacre", number,
            planned ? "has not been started" : "was not kept", s->scene);
    for (int i = 0; i < s->parameter_count; i++)
        for (const char *path = s->parameters[i].source; *path != '\0';) {
            const int length = (int)strcspn(path, "\n");
            fprintf(stderr, " --set '%.*s=%s'", length, path, values[i]);
            path += length + (path[length] == '\n');
        }
    fputc('\n', stderr);
    free(values);
    return NC_EXIT_USAGE;
}

static nc_exit view_run(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    int64_t number = 0;
    char program[PATH_MAX], run[PATH_MAX];
    const char *text = arguments->count > 2 ? arguments->items[2] : NULL;
    (void)settings;
    if (text == NULL || !read_number(s, text, &number))
        return no_number(s, "view", text);
    nc_study_name(s, NC_STUDY_RUN, number, run);
    if (access(run, R_OK) != 0)
        return tell_command(s, number);
    nc_study_close(s);
    execl(nc_program_path(program), program, "view", run, (char *)NULL);
    return nc_complain_usage("cannot start the viewer: %s", strerror(errno));
}

static nc_exit rerun(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_error err = {0};
    int all = 0, count = 0;
    if (settings->failed == (arguments->count > 2))
        return nc_complain_usage("rerun needs --failed, or numbers of runs");
    for (int i = settings->failed ? 1 : 2; i < (settings->failed ? 2 : arguments->count); i++) {
        int64_t number = 0;
        if (!settings->failed && !read_number(s, arguments->items[i], &number))
            return no_number(s, "rerun", arguments->items[i]);
        char run[PATH_MAX];
        if (nc_study_replan(s, number, &count, &err) != NC_OK)
            return nc_complain(&err);
        if (number > 0 && count > 0)
            nc_run_remove(nc_study_name(s, NC_STUDY_RUN, number, run)); // from its start
        all += count;
    }
    nc_say(settings->quiet, "%d run%s to be made again", all, all == 1 ? "" : "s");
    return nc_study_continue(s, settings);
}

static nc_exit cancel(nc_study *s, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_error err = {0};
    (void)arguments;
    if (nc_study_cancel(s, &err) != NC_OK)
        return nc_complain(&err);
    nc_say(settings->quiet, "No jobs of this study are left. To continue it: nacre study %s --on slurm", s->file.path);
    return NC_EXIT_DONE;
}

// ---- workers ------------------------------------------------------------------------------------------------

static nc_exit make_run(nc_study *s, int64_t number, const nc_study_settings *settings)
{
    char program[PATH_MAX];
    nc_error err = {0};
    const nc_study_work work = {nc_program_path(program), settings->scratch, (int)settings->threads};
    switch (nc_study_make_run(s, number, &work, &err)) {
    case NC_STUDY_ENDED:
        return NC_EXIT_DONE;
    case NC_STUDY_INTERRUPTED:
        return NC_EXIT_INTERRUPTED;
    default:
        nc_complain(&err);
        return NC_EXIT_IO;
    }
}

// The part of a list that an array task makes; a run that stays without a result does not hold up the next ones.
static nc_exit make_listed(nc_study *s, const nc_study_settings *settings)
{
    nc_error err = {0};
    int64_t *numbers = NULL, count = 0;
    const int64_t per_task = settings->per_task > 0 ? settings->per_task : 1, first = settings->task * per_task;
    nc_exit worst = NC_EXIT_DONE;
    if (nc_study_read_list(s, settings->list, &numbers, &count, &err) != NC_OK)
        return nc_complain(&err);
    for (int64_t i = first; i < first + per_task && i < count && worst == NC_EXIT_DONE; i++)
        worst = make_run(s, numbers[i], settings);
    free(numbers);
    return worst;
}

static nc_exit work(const nc_words *arguments, const nc_study_settings *settings)
{
    nc_study s;
    nc_error err = {0};
    nc_signals_block();
    if (nc_study_open(arguments->items[1], false, &s, &err) != NC_OK)
        return nc_complain(&err);
    nc_exit code = settings->list > 0 ? make_listed(&s, settings) : NC_EXIT_DONE;
    for (int i = 2; i < arguments->count && code == NC_EXIT_DONE; i++) {
        int64_t number;
        code = read_number(&s, arguments->items[i], &number) ? make_run(&s, number, settings)
                                                             : no_number(&s, "work", arguments->items[i]);
    }
    nc_study_close(&s);
    return code;
}

// ---- the command --------------------------------------------------------------------------------------------

typedef struct action {
    const char *name;
    nc_exit (*act)(nc_study *study, const nc_words *arguments, const nc_study_settings *settings);
    bool lock;
} action;

static const action actions[] = {
    {"status", show_status, false}, {"results", show_results, false}, {"plot", draw, false},
    {"view", view_run, false},      {"rerun", rerun, true},           {"cancel", cancel, false},
};

static nc_exit act(const action *a, const nc_words *arguments, const nc_study_settings *settings)
{
    nc_study s;
    nc_error err = {0};
    if (arguments->count < 2)
        return nc_complain_usage("study %s needs a .nacre-study file", a->name);
    nc_exit code = NC_EXIT_DONE;
    if (a->lock && nc_study_open(arguments->items[1], true, &s, &err) != NC_OK)
        return nc_complain(&err);
    if (!a->lock)
        code = nc_study_visit(arguments->items[1], &s);
    if (code == NC_EXIT_DONE) {
        code = a->act(&s, arguments, settings);
        nc_study_close(&s);
    }
    return code;
}

static nc_exit choose(const nc_words *arguments, void *ctx)
{
    const nc_study_settings *settings = ctx;
    const char *first = arguments->items[0];
    if (strcmp(first, "work") == 0)
        return arguments->count >= 2 ? work(arguments, settings) : nc_complain_usage("study work needs a study");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, first) == 0)
            return act(&actions[i], arguments, settings);
    if (arguments->count > 1)
        return nc_complain_usage("study has no action '%s'. See: nacre study --help", first);
    return nc_study_start(first, settings);
}

static int study(const nc_command *command, int argc, char **argv)
{
    nc_study_settings settings = {.jobs = -1, .threads = 1};
    return nc_command_work(command, argc, argv, &settings, choose);
}
