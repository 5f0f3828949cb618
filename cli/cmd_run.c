// nacre run: simulates a scene into a run file.
#include "cli.h"
#include "driving.h"
#include "interrupt.h"
#include "ranks.h"
#include "run_text.h"

#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "RUN", offsetof(nc_run_settings, output), 0, 0,
     "The run file to write. Default: the scene's name with .nacre, in the current directory."},
    {"set", 's', NC_OPTION_LIST, "PATH=VALUE", offsetof(nc_run_settings, set), 0, 0,
     "Change a key of the scene before it is checked, such as world.timestep=1/60. May be repeated."},
    {"steps", 'n', NC_OPTION_WHOLE, "N", offsetof(nc_run_settings, steps), 0, 1e12,
     "Stop when the run has N steps in all. Default: what the scene's duration needs."},
    {"until", 'u', NC_OPTION_NUMBER, "T", offsetof(nc_run_settings, until), 0, 1e12,
     "Stop when the simulated time reaches T seconds."},
    {"resume", 'r', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, resume), 0, 0,
     "Continue a run that was stopped: its file, or the scene it was made from. The result has the same bits as "
     "a run that was never stopped. With --steps or --until, a finished run is extended."},
    {"audit", 'a', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, audit), 0, 0,
     "Test every stored frame exactly for intersections, and the motion of every step at many times. An intersection "
     "violates the guarantee: exit code 5, and a run file of that one step."},
    {"expect", 'e', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, expect), 0, 0,
     "Check the run against the scene's 'expect' block; exit code 1 when it is not met. Audits too."},
    {"repair", 0, NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, repair), 0, 0,
     "Move bodies that touch or overlap at the start apart, as 'nacre repair' does. The run file has the scene with "
     "their new positions."},
    {"every", 0, NC_OPTION_WHOLE, "N", offsetof(nc_run_settings, every), 1, 1e6,
     "Store a frame every N steps. Default: what the scene says, else every step."},
    {"frame-rate", 0, NC_OPTION_NUMBER, "F", offsetof(nc_run_settings, frame_rate), 1e-9, 1e9,
     "Store F frames per simulated second, rounded to whole steps."},
    {"store", 0, NC_OPTION_TEXT, "WHAT", offsetof(nc_run_settings, store), 0, 0,
     "Store more: contacts (where impulses acted), paths (the proven motion of every step), or contacts,paths."},
    {"merit", 0, NC_OPTION_TEXT, "FILE", offsetof(nc_run_settings, merit), 0, 0,
     "With world.pipeline vsp: write the merit function of the solve for velocities as CSV, a row for every iteration "
     "of "
     "every step. Nothing else changes."},
    {"threads", 't', NC_OPTION_WHOLE, "N", offsetof(nc_run_settings, threads), 0, NC_MAX_WORKERS,
     "Use N threads. Default: 0, as many as the machine has. The result is the same bits for any N."},
    {"rank-wait", 0, NC_OPTION_WHOLE, "SECONDS", offsetof(nc_run_settings, rank_wait), 1, 1e9,
     "Under mpirun: end the run with an error when a rank has not answered for this long. Default: 600."},
    {"force", 'f', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, force), 0, 0,
     "Overwrite the run file when it exists."},
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, json), 0, 0,
     "Print the summary as JSON on the standard output."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, quiet), 0, 0,
     "No notes and no progress; errors are still shown."},
    {"verbose", 'v', NC_OPTION_FLAG, NULL, offsetof(nc_run_settings, verbose), 0, 0,
     "Print steps, frames, the hash of the state and the counters of contact after the summary."},
};

static int run(const nc_command *command, int argc, char **argv);

const nc_command nc_command_run = {
    .name = "run",
    .arguments = "SCENE | --resume RUN",
    .about = "Simulates a scene into a run file.",
    .details =
        "Every stored frame is on the disk before the next step begins. Ctrl-C ends the run after the current\n"
        "step with exit code 130; so does SIGTERM. 'nacre run --resume' continues it, also after a crash.\n"
        "Bodies bounce, slide and rest, and no two of them ever cross: a step is stored only when that is proven.\n"
        "--audit, --expect and 'nacre check' test it again by an independent exact method. The last line\n"
        "summarizes the run; --verbose adds its counters. Bodies of pairs in the scene's 'filters' may pass\n"
        "through each other.\n",
    .examples = "nacre run first.yaml\n"
                "nacre run first.yaml -o /tmp/a.nacre --set world.timestep=1/60 --until 2\n"
                "nacre run --resume first.nacre\n"
                "nacre run first.yaml --expect --json > verdict.json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};

// ---- settings -----------------------------------------------------------------------------------------------

static nc_exit check_settings(nc_run_settings *s)
{
    if (s->steps >= 0 && s->until >= 0)
        return nc_complain_usage("give --steps or --until, not both");
    if (s->every > 0 && s->frame_rate > 0)
        return nc_complain_usage("give --every or --frame-rate, not both");
    if (s->resume && s->force)
        return nc_complain_usage("--resume continues a run and --force overwrites it: give one of them");
    return nc_run_settings_read_store(s);
}

// ---- the end ------------------------------------------------------------------------------------------------

// What the scene expected and what came; `failed` is 0 when nothing was judged.
typedef struct verdict {
    nc_buffer lines;
    int failed;
    bool judged;
} verdict;

static nc_exit judge(const nc_driver *driver, verdict *out)
{
    nc_error err = {0};
    if (nc_session_judge(driver->session, &out->failed, &out->lines, &err) != NC_OK)
        return nc_complain(&err);
    out->judged = out->failed >= 0;
    if (!out->judged) {
        out->failed = 0;
        nc_say(driver->settings->quiet, "note: the scene has no 'expect' block, so there is nothing to check");
    }
    return NC_EXIT_DONE;
}

static void print_json_verdict(nc_json *json, const verdict *v)
{
    nc_json_begin(json, "expect", '{');
    nc_json_whole(json, "failed", v->failed);
    nc_json_begin(json, "lines", '[');
    char line[512];
    for (size_t at = 0; at < v->lines.size;) {
        size_t end = at;
        while (end < v->lines.size && v->lines.data[end] != '\n')
            end++;
        const size_t length = end - at < sizeof line - 1 ? end - at : sizeof line - 1;
        memcpy(line, v->lines.data + at, length);
        line[length] = '\0';
        if (length > 0)
            nc_json_text(json, NULL, line);
        at = end + 1;
    }
    nc_json_end(json, ']');
    nc_json_end(json, '}');
}

static void print_json_audit(nc_json *json, const nc_session_summary *s)
{
    nc_json_begin(json, "audit", '{');
    nc_json_whole(json, "frames", s->audited_frames);
    nc_json_whole(json, "steps", s->audited_steps);
    nc_json_whole(json, "intersecting_frames", s->intersecting_frames);
    nc_json_whole(json, "intersecting_pairs", s->run.intersecting_pairs);
    nc_json_whole(json, "first_intersecting_frame", s->first_intersecting);
    nc_json_whole(json, "pieces", s->audited_pieces);
    nc_json_whole(json, "crossings", s->run.crossings);
    nc_json_end(json, '}');
}

// The rows of tables `first` to `last` of a summary that are reported at that level or above, by name.
static void print_json_rows(nc_json *json, const nc_run_summary *s, int first, int last, nc_field_use use)
{
    nc_report_field field;
    for (int i = 0, table = 0; (field = nc_run_summary_field(i, &table)).name != NULL; i++) {
        const double value = nc_field_value(&field, s);
        if (field.use < use || table < first || table > last)
            continue;
        if (nc_field_is_whole(&field))
            nc_json_whole(json, field.name, nc_field_whole(&field, s));
        else
            nc_json_number(json, field.name, field.rule == NC_FIELD_LEAST && value < 0 ? (double)NAN : value);
    }
}

// "contact" and, of cloth, "cloth" have what summaries report, "report" has everything.
static void print_json_reports(nc_json *json, const nc_run_summary *s)
{
    if (s->has_cloth) {
        nc_json_begin(json, "cloth", '{');
        nc_json_flag(json, "jammed", s->jammed);
        nc_json_number(json, "jam_time", s->jam_time);
        print_json_rows(json, s, 1, 1, NC_FIELD_SUMMARY);
        nc_json_end(json, '}');
    }
    nc_json_begin(json, "contact", '{');
    print_json_rows(json, s, 0, 0, NC_FIELD_SUMMARY);
    nc_json_end(json, '}');
    nc_json_begin(json, "report", '{');
    print_json_rows(json, s, 0, s->has_cloth ? 1 : 0, NC_FIELD_STORED);
    nc_json_end(json, '}');
}

static void print_json_waits(nc_json *json, const nc_session_summary *s)
{
    nc_json_begin(json, "waits", '[');
    for (int k = 0; k < s->wait_count; k++) {
        const nc_session_wait *wait = &s->waits[k];
        nc_json_begin(json, NULL, '{');
        nc_json_text(json, "body", wait->body);
        nc_json_text(json, "by", wait->by);
        nc_json_number(json, "from", wait->from);
        nc_json_number(json, "to", wait->to);
        nc_json_whole(json, "steps", wait->steps);
        nc_json_end(json, '}');
    }
    nc_json_end(json, ']');
}

static void print_json_ranks(nc_json *json, const nc_session_summary *s)
{
    const nc_session_ranks *ranks = &s->ranks;
    nc_json_begin(json, "ranks", '{');
    nc_json_whole(json, "count", ranks->count);
    nc_json_number(json, "seconds", ranks->seconds);
    nc_json_number(json, "most_seconds", ranks->most_seconds);
    nc_json_begin(json, "work", '[');
    for (int k = 0; k < NC_RANK_WORKS; k++) {
        nc_json_begin(json, NULL, '{');
        nc_json_text(json, "name", nc_rank_work_name((nc_rank_work)k));
        nc_json_whole(json, "exchanges", ranks->exchanges[k]);
        nc_json_whole(json, "bytes", ranks->bytes[k]);
        nc_json_number(json, "seconds", ranks->shared[k]);
        nc_json_number(json, "slowest_seconds", ranks->most_shared[k]);
        nc_json_end(json, '}');
    }
    nc_json_end(json, ']');
    nc_json_end(json, '}');
}

static void print_json(const nc_session_summary *all, const verdict *v)
{
    const nc_run_summary *s = &all->run;
    nc_json json = {.out = stdout};
    nc_json_begin(&json, NULL, '{');
    nc_json_text(&json, "run", all->path);
    nc_json_text(&json, "status", nc_session_status_name(all->status));
    nc_json_whole(&json, "bodies", all->bodies);
    nc_json_whole(&json, "steps", all->steps);
    nc_json_whole(&json, "steps_wanted", all->steps_planned);
    nc_json_whole(&json, "steps_here", all->steps_here);
    nc_json_whole(&json, "frames", all->frames);
    nc_json_number(&json, "time", all->time);
    nc_json_number(&json, "seconds", all->seconds);
    nc_json_hash(&json, "hash", all->hash);
    nc_json_number(&json, "kinetic", s->kinetic);
    nc_json_number(&json, "potential", s->potential);
    nc_json_number(&json, "energy_drift", s->energy_drift);
    nc_json_number(&json, "momentum_drift", s->momentum_drift);
    nc_json_whole(&json, "energy_fixes", s->energy_fixes);
    nc_json_whole(&json, "energy_fallbacks", s->energy_fallbacks);
    nc_json_whole(&json, "not_finite", s->not_finite);
    nc_json_whole(&json, "too_far", s->too_far);
    print_json_waits(&json, all);
    if (all->ranks.count > 1)
        print_json_ranks(&json, all);
    print_json_reports(&json, s);
    if (all->audited)
        print_json_audit(&json, all);
    if (v->judged)
        print_json_verdict(&json, v);
    nc_json_end(&json, '}');
}

static nc_exit report(const nc_driver *driver)
{
    verdict v = {.lines = nc_buffer_create(NULL)};
    nc_session_summary summary;
    nc_exit code = NC_EXIT_DONE;
    nc_session_summarize(driver->session, &summary);
    const bool interrupted = summary.status == NC_SESSION_INTERRUPTED;
    if (summary.steps_here > 0)
        nc_session_warn(driver->session);
    if (driver->settings->expect && !interrupted)
        code = judge(driver, &v);
    if (code == NC_EXIT_DONE) {
        nc_session_summarize(driver->session, &summary);
        if (driver->settings->json)
            print_json(&summary, &v);
        else
            nc_run_text_print(&summary, &v.lines, driver->settings->verbose);
        const bool intersects = driver->settings->audit && summary.intersecting_frames > 0;
        // A jam is what came of the run; whether it was to come, only the scene can say.
        if (v.failed > 0 || intersects || (summary.status == NC_SESSION_JAMMED && !v.judged))
            code = NC_EXIT_CHECK_FAILED;
    }
    nc_buffer_free(&v.lines);
    if (interrupted) {
        nc_say(driver->settings->quiet, "Interrupted. To continue: nacre run --resume %s", summary.path);
        return NC_EXIT_INTERRUPTED;
    }
    return code;
}

static nc_exit simulate_here(const nc_run_settings *settings, const char *input, const nc_exchange *exchange)
{
    nc_driver driver = {.settings = settings, .exchange = exchange};
    nc_interrupt_watch();
    nc_exit code = nc_driver_start(&driver, input);
    if (code == NC_EXIT_DONE)
        code = nc_driver_advance(&driver);
    if (code == NC_EXIT_DONE)
        code = report(&driver);
    const nc_exit closing = nc_driver_close(&driver);
    return code == NC_EXIT_DONE ? closing : code;
}

// Under mpirun rank 0 has the run, and the others work for it.
static nc_exit simulate(const nc_words *arguments, void *ctx)
{
    nc_run_settings *settings = ctx;
    nc_ranks ranks;
    if (check_settings(settings) != NC_EXIT_DONE)
        return NC_EXIT_USAGE;
    nc_exit code = nc_ranks_open((double)settings->rank_wait, &ranks);
    if (code != NC_EXIT_DONE)
        return code;
    code = ranks.exchange.rank > 0
               ? nc_ranks_follow(&ranks, (int)settings->threads)
               : simulate_here(settings, arguments->items[0], ranks.exchange.count > 1 ? &ranks.exchange : NULL);
    nc_ranks_close(&ranks, code);
    return code;
}

static int run(const nc_command *command, int argc, char **argv)
{
    nc_run_settings settings = {.steps = -1, .until = -1, .rank_wait = 600};
    return nc_command_work(command, argc, argv, &settings, simulate);
}
