// nacre export: a run as a file that other programs read.
#include "cli.h"
#include "out_file.h"

#include "export/export.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct export_settings {
    const char *output;
    nc_frame_range frames;
    int64_t every;
    bool poses, contacts, forces, joints, accelerations, no_recheck, quiet;
} export_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", offsetof(export_settings, output), 0, 0,
     "What to write; the extension selects the format. '-' with --poses or for reports is CSV on the standard output."},
    {"frames", 0, NC_OPTION_FRAMES, "A:B", offsetof(export_settings, frames), 0, 0,
     "Only frames A to B, both included; either may be left out, negative ones count from the end."},
    {"every", 0, NC_OPTION_WHOLE, "N", offsetof(export_settings, every), 1, 1e9,
     "Only every N-th of these frames. Default: 1."},
    {"poses", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, poses), 0, 0,
     "CSV and JSON lines: poses and velocities, a row for each body and frame, instead of reports."},
    {"contacts", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, contacts), 0, 0,
     "HTML: find the contacts of each frame, and put them into the page too. CSV and JSON lines: a row for each "
     "contact "
     "that a run made with --store contacts has, instead of reports."},
    {"forces", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, forces), 0, 0,
     "CSV and JSON lines: the mean force of each pair of bodies over each frame, from the same contacts."},
    {"joints", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, joints), 0, 0,
     "CSV and JSON lines: a row for each joint and frame: positions, velocities, forces of drives, reactions, errors."},
    {"accelerations", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, accelerations), 0, 0,
     "CSV and JSON lines: a row for each body and frame: the change of its velocities since the frame before, per "
     "second."},
    {"no-recheck", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, no_recheck), 0, 0,
     "Formats in single precision: do not test again whether anything intersects after rounding."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(export_settings, quiet), 0, 0, "No message when it is done."},
};

static int export_run(const nc_command *command, int argc, char **argv);

const nc_command nc_command_export = {
    .name = "export",
    .arguments = "RUN -o FILE",
    .about = "Writes a run as glTF, USD, HTML, or for ParaView; as OBJ, CSV or JSON lines.",
    .details =
        "  film.glb        glTF 2.0 with one animated node per moving body (coordinates are float32)\n"
        "  film.usda       USD with time-sampled transforms and rigid-body attributes (meshes are float32)\n"
        "  film.pvd        for ParaView: one .vtp file per frame, with bodies, speeds and contacts, in the folder "
        "film\n"
        "  film.html       one page with the viewer and the run inside: no server, no network; 100 MB at most\n"
        "  frame%04d.obj   one OBJ file per frame, numbered from 0; its folder must exist\n"
        "  table.csv       a row of the report for each frame: energies, momenta, counts, times\n"
        "  table.csv --poses   a row for each body and frame: position, orientation, velocity, spin\n"
        "  table.csv --accelerations   the same rows: acceleration, angular acceleration since the frame before\n"
        "  table.csv --contacts, --forces   of a run with --store contacts: where impulses acted, forces of pairs\n"
        "  table.jsonl     the same as JSON, one object per line; also with --poses, --contacts, --forces\n"
        "Formats in float32 are tested again after rounding: exit code 1 when rounding makes a pair intersect.\n",
    .examples = "nacre export first.nacre -o first.glb\n"
                "nacre export first.nacre -o first.usda\n"
                "nacre export first.nacre -o first.html --every 2\n"
                "nacre export first.nacre -o frame%04d.obj --frames 0:100 --every 10\n"
                "nacre export first.nacre -o - | head",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = export_run,
};

typedef enum format {
    FORMAT_GLB,
    FORMAT_USD,
    FORMAT_VTK,
    FORMAT_HTML,
    FORMAT_OBJ,
    FORMAT_CSV,
    FORMAT_JSONL,
    FORMAT_UNKNOWN
} format;

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

static format format_of(const char *path)
{
    if (strcmp(path, "-") == 0 || ends_in(path, ".csv"))
        return FORMAT_CSV;
    if (ends_in(path, ".jsonl") || ends_in(path, ".ndjson"))
        return FORMAT_JSONL;
    if (ends_in(path, ".glb"))
        return FORMAT_GLB;
    if (ends_in(path, ".usda"))
        return FORMAT_USD;
    if (ends_in(path, ".pvd"))
        return FORMAT_VTK;
    if (ends_in(path, ".html") || ends_in(path, ".htm"))
        return FORMAT_HTML;
    return ends_in(path, ".obj") ? FORMAT_OBJ : FORMAT_UNKNOWN;
}

// ---- animations ---------------------------------------------------------------------------------------------

static nc_code write_clip(const nc_reel_selection *s, format how, const char *path, nc_export_watch *watch,
                          nc_rounding *rounding, nc_error *err)
{
    nc_reel_clip clip;
    nc_code code = nc_reel_clip_open(s, &clip, err);
    rounding->poses = how == FORMAT_GLB ? NC_ROUND_ALL
                      : code == NC_OK && how == FORMAT_USD && nc_usd_uses_instancer(&clip.clip, NULL)
                          ? NC_ROUND_MOVING
                          : NC_ROUND_NO_POSES;
    rounding->morph = how == FORMAT_GLB;
    clip.watch = watch;
    if (rounding->poses == NC_ROUND_MOVING)
        watch->to_read += 2 * s->count; // the arrays of an instancer are written one after the other
    if (code == NC_OK)
        code = how == FORMAT_GLB   ? nc_export_glb(&clip.clip, path, NULL, err)
               : how == FORMAT_USD ? nc_export_usd(&clip.clip, NULL, path, NULL, err)
               : how == FORMAT_VTK ? nc_export_vtk(&clip.clip, path, NULL, err)
                                   : nc_export_obj(&clip.clip, path, NULL, err);
    nc_reel_clip_close(&clip);
    return code;
}

// ---- tables -------------------------------------------------------------------------------------------------

typedef nc_code (*row_writer)(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);

// The tables there are, as CSV and as JSON lines.
typedef struct table {
    void (*head)(FILE *out); // of the CSV; NULL: that of reports
    row_writer csv, jsonl;
} table;

static table table_of(const export_settings *settings)
{
    if (settings->contacts)
        return (table){nc_csv_contacts_head, nc_csv_contacts, nc_jsonl_contacts};
    if (settings->forces)
        return (table){nc_csv_forces_head, nc_csv_forces, nc_jsonl_forces};
    if (settings->joints)
        return (table){nc_csv_joints_head, nc_csv_joints, nc_jsonl_joints};
    if (settings->accelerations)
        return (table){nc_csv_accelerations_head, nc_csv_accelerations, nc_jsonl_accelerations};
    if (settings->poses)
        return (table){nc_csv_poses_head, nc_csv_poses, nc_jsonl_poses};
    return (table){NULL, nc_csv_report, nc_jsonl_report};
}

static nc_code write_table(const nc_reel_selection *s, format how, const export_settings *settings, nc_error *err)
{
    const table rows = table_of(settings);
    nc_out_file file;
    nc_code code = nc_out_open(&file, settings->output, err);
    if (code != NC_OK)
        return code;
    if (how == FORMAT_CSV && rows.head != NULL)
        rows.head(file.out);
    else if (how == FORMAT_CSV)
        nc_csv_report_head(file.out, s->reel);
    for (int64_t i = 0; i < s->count && code == NC_OK; i++)
        code = (how == FORMAT_CSV ? rows.csv : rows.jsonl)(file.out, s->reel, s->first + i * s->every, err);
    return nc_out_close(&file, code, err);
}

// ---- HTML ---------------------------------------------------------------------------------------------------

static nc_code write_html(const nc_reel_selection *s, const char *run, const export_settings *settings,
                          nc_rounding *rounding, nc_error *err)
{
    nc_view view;
    nc_code code = nc_view_open(run, &view, err);
    if (code != NC_OK)
        return code;
    const nc_view_selection chosen = {s->first, s->count, s->every, settings->contacts};
    *rounding = (nc_rounding){.poses = NC_ROUND_ALL, .origin = view.origin};
    code = nc_view_export(&view, &chosen, settings->output, err);
    nc_view_close(&view);
    return code;
}

// ---- the command --------------------------------------------------------------------------------------------

// The frames requested; a count of 0 when the run has none of them.
static nc_reel_selection select_frames(const export_settings *settings, nc_reel *reel)
{
    int64_t first = 0, last = -1;
    nc_reel_selection chosen = {.reel = reel, .every = settings->every};
    if (!nc_frame_range_resolve(&settings->frames, reel->info.frame_count, &first, &last))
        return chosen;
    chosen.first = first;
    chosen.count = (last - first) / settings->every + 1;
    return chosen;
}

// Coordinates of these are single precision.
static bool is_rounded(format how)
{
    return how == FORMAT_GLB || how == FORMAT_USD || how == FORMAT_HTML;
}

static void show_progress(int64_t frames, void *ctx)
{
    nc_progress_update_frames(ctx, frames);
}

static nc_exit recheck(const nc_reel_selection *s, const char *run, const export_settings *settings,
                       const nc_rounding *rounding, nc_export_watch *watch)
{
    nc_error err = {0};
    nc_recheck found;
    const nc_code code = nc_recheck_rounding(run, s, rounding, watch, &found, &err);
    nc_progress_clear(watch->ctx);
    if (code != NC_OK)
        return nc_complain(&err);
    if (found.pairs == 0)
        return NC_EXIT_DONE;
    fprintf(stderr,
            "warning: in %s, rounding to single precision makes bodies intersect that the run keeps apart: %" PRId64
            " pair%s in %" PRId64 " of %" PRId64 " frames.\n  First, %s.\n  A larger floor_distance, or a scene nearer "
            "to the origin, keeps them apart; OBJ, ParaView, CSV and JSON lines have double precision.\n",
            settings->output, found.pairs, found.pairs == 1 ? "" : "s", found.frames, s->count, found.first);
    return NC_EXIT_CHECK_FAILED;
}

static nc_exit write_selection(const nc_reel_selection *s, const char *run, const export_settings *settings)
{
    nc_error err = {0};
    nc_rounding rounding = {0};
    const format how = format_of(settings->output);
    const bool checked = is_rounded(how) && !settings->no_recheck;
    const int64_t times = (how == FORMAT_USD ? 2 : 1) + checked;
    nc_progress progress = nc_progress_start(settings->quiet, 0, s->count);
    nc_export_watch watch = {
        .frames = s->count, .to_read = s->count * times, .on_progress = show_progress, .ctx = &progress};
    const nc_code code = how == FORMAT_CSV || how == FORMAT_JSONL ? write_table(s, how, settings, &err)
                         : how == FORMAT_HTML                     ? write_html(s, run, settings, &rounding, &err)
                                              : write_clip(s, how, settings->output, &watch, &rounding, &err);
    nc_progress_clear(&progress);
    if (code != NC_OK)
        return nc_complain(&err);
    nc_say(settings->quiet || strcmp(settings->output, "-") == 0, "Wrote %s: %" PRId64 " frame%s", settings->output,
           s->count, s->count == 1 ? "" : "s");
    return checked ? recheck(s, run, settings, &rounding, &watch) : NC_EXIT_DONE;
}

static nc_exit export_file(const char *path, const export_settings *settings)
{
    nc_error err = {0};
    nc_reel reel;
    nc_file_kind kind;
    if (nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (kind != NC_FILE_RUN)
        return nc_complain_usage("'%s' is not a run file. To make one: nacre run SCENE", path);
    if (nc_reel_open(path, &reel, &err) != NC_OK)
        return nc_complain(&err);
    nc_exit code;
    const format how = format_of(settings->output);
    const bool is_table = how == FORMAT_CSV || how == FORMAT_JSONL;
    if ((settings->forces || (settings->contacts && is_table)) && (reel.info.store & NC_STORE_CONTACTS) == 0) {
        nc_reel_close(&reel);
        return nc_complain_usage("'%s' has no contacts: nacre run --store contacts stores them", path);
    }
    const nc_reel_selection chosen = select_frames(settings, &reel);
    if (chosen.count > 0)
        code = write_selection(&chosen, path, settings);
    else
        code = nc_complain_usage("'%s' has frames 0 to %" PRId64 ": none in the requested range", path,
                                 reel.info.frame_count - 1);
    nc_reel_close(&reel);
    return code;
}

// A number of frames goes where the one "%d", "%4d" or "%04d" is.
static bool is_frame_pattern(const char *path)
{
    const char *percent = strchr(path, '%');
    if (percent == NULL || strchr(percent + 1, '%') != NULL)
        return false;
    const char *end = percent + 1 + strspn(percent + 1, "0123456789");
    return *end == 'd' && end - percent <= 4;
}

static nc_exit check_settings(const export_settings *settings)
{
    if (settings->output == NULL)
        return nc_complain_usage("export needs --output: what to write, such as film.glb, frame%%04d.obj, table.csv");
    const format how = format_of(settings->output);
    if (how == FORMAT_UNKNOWN)
        return nc_complain_usage(
            "export writes .glb, .usda, .pvd, .html, .obj, .csv and .jsonl; '%s' has another extension",
            settings->output);
    const bool is_table = how == FORMAT_CSV || how == FORMAT_JSONL;
    if ((settings->poses || settings->forces || settings->joints || settings->accelerations) && !is_table)
        return nc_complain_usage("--%s is for .csv and .jsonl", settings->poses           ? "poses"
                                                                : settings->forces        ? "forces"
                                                                : settings->accelerations ? "accelerations"
                                                                                          : "joints");
    if (settings->contacts && how != FORMAT_HTML && !is_table)
        return nc_complain_usage("--contacts is for .html, .csv and .jsonl");
    if (settings->poses + settings->contacts + settings->forces + settings->joints + settings->accelerations > 1)
        return nc_complain_usage("give one of --poses, --contacts, --forces, --joints and --accelerations");
    if (settings->no_recheck && !is_rounded(how))
        return nc_complain_usage("--no-recheck is for .glb, .usda and .html; the others have double precision");
    nc_error err = {0};
    if (how == FORMAT_HTML && nc_view_page_check(&err) != NC_OK)
        return nc_complain_usage("%s", err.text);
    if (how == FORMAT_OBJ && !is_frame_pattern(settings->output))
        return nc_complain_usage("an OBJ sequence needs one field for the frame number: frame%%04d.obj");
    return NC_EXIT_DONE;
}

static nc_exit export_arguments(const nc_words *arguments, void *ctx)
{
    const nc_exit code = check_settings(ctx);
    return code == NC_EXIT_DONE ? export_file(arguments->items[0], ctx) : code;
}

static int export_run(const nc_command *command, int argc, char **argv)
{
    export_settings settings = {.every = 1};
    return nc_command_work(command, argc, argv, &settings, export_arguments);
}
