// nacre export: a run as a file that other programs read.
#include "cli.h"
#include "csv.h"
#include "jsonl.h"
#include "out_file.h"
#include "reel.h"
#include "view.h"

#include "io/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct export_settings {
    const char *output;
    nc_frame_range frames;
    int64_t every;
    bool poses, contacts, quiet;
} export_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", offsetof(export_settings, output), 0, 0,
     "What to write; the ending says how. '-' with --poses or for reports is CSV on the standard output."},
    {"frames", 0, NC_OPTION_FRAMES, "A:B", offsetof(export_settings, frames), 0, 0,
     "Only frames A to B, both included; either may be left out, negative ones count from the end."},
    {"every", 0, NC_OPTION_WHOLE, "N", offsetof(export_settings, every), 1, 1e9,
     "Only every N-th of these frames. Default: 1."},
    {"poses", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, poses), 0, 0,
     "CSV and JSON lines: poses and velocities, a row for each body and frame, instead of reports."},
    {"contacts", 0, NC_OPTION_FLAG, NULL, offsetof(export_settings, contacts), 0, 0,
     "HTML: find the contacts of each frame, and put them into the page too."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(export_settings, quiet), 0, 0, "No message when it is done."},
};

static int export_run(const nc_command *command, int argc, char **argv);

const nc_command nc_command_export = {
    .name = "export",
    .arguments = "RUN -o FILE",
    .about = "Writes a run as glTF, HTML, OBJ, CSV or JSON lines.",
    .details = "  film.glb        glTF 2.0 with one animated node a moving body (coordinates are float32)\n"
               "  film.html       one page with the viewer and the run inside: no server, no network; 100 MB at most\n"
               "  frame%04d.obj   one OBJ file a frame, numbered from 0; its folder must exist\n"
               "  table.csv       a row of the report for each frame: energies, momenta, counts, times\n"
               "  table.csv --poses   a row for each body and frame: position, orientation, velocity, spin\n"
               "  table.jsonl     the same as JSON, an object a line; also with --poses\n",
    .examples = "nacre export first.nacre -o first.glb\n"
                "nacre export first.nacre -o first.html --every 2\n"
                "nacre export first.nacre -o frame%04d.obj --frames 0:100 --every 10\n"
                "nacre export first.nacre -o - | head",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = export_run,
};

typedef enum format { FORMAT_GLB, FORMAT_HTML, FORMAT_OBJ, FORMAT_CSV, FORMAT_JSONL, FORMAT_UNKNOWN } format;

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
    if (ends_in(path, ".html") || ends_in(path, ".htm"))
        return FORMAT_HTML;
    return ends_in(path, ".obj") ? FORMAT_OBJ : FORMAT_UNKNOWN;
}

// ---- frames for the writers ---------------------------------------------------------------------------------

// The frames first, first + every, ... of a reel.
typedef struct selection {
    nc_reel *reel;
    int64_t first, every, count;
} selection;

static nc_code read_clip_frame(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present, nc_error *err)
{
    const selection *s = ctx;
    const nc_code code = nc_reel_seek(s->reel, s->first + frame * s->every, err);
    if (code != NC_OK)
        return code;
    *time = s->reel->frame.time;
    memset(present, 0, (size_t)s->reel->info.body_count);
    for (int i = 0; i < s->reel->frame.pose_count; i++) {
        const nc_run_pose *pose = &s->reel->frame.poses[i];
        poses[pose->body] = pose->pose;
        present[pose->body] = 1;
    }
    return NC_OK;
}

static nc_clip_body *clip_bodies(const nc_reel *reel)
{
    nc_clip_body *bodies = calloc((size_t)reel->info.body_count + 1, sizeof *bodies);
    for (int i = 0; bodies != NULL && i < reel->info.body_count; i++) {
        bodies[i].name = reel->bodies[i].name;
        bodies[i].mesh = reel->bodies[i].mesh;
        bodies[i].moving = reel->bodies[i].type != NC_STATIC;
    }
    return bodies;
}

static nc_code write_clip(selection *s, format how, const char *path, nc_error *err)
{
    nc_clip_body *bodies = clip_bodies(s->reel);
    if (bodies == NULL)
        return nc_fail_memory(err, (size_t)s->reel->info.body_count * sizeof *bodies);
    const nc_clip clip = {.title = s->reel->info.title,
                          .meshes = s->reel->meshes,
                          .mesh_count = s->reel->info.mesh_count,
                          .bodies = bodies,
                          .body_count = s->reel->info.body_count,
                          .frame_count = s->count,
                          .read = read_clip_frame,
                          .ctx = s};
    const nc_code code =
        how == FORMAT_GLB ? nc_export_glb(&clip, path, NULL, err) : nc_export_obj(&clip, path, NULL, err);
    free(bodies);
    return code;
}

// ---- tables -------------------------------------------------------------------------------------------------

typedef nc_code (*row_writer)(FILE *out, nc_reel *reel, int64_t frame, nc_error *err);

static nc_code write_table(selection *s, format how, bool poses, const char *path, nc_error *err)
{
    const row_writer write =
        how == FORMAT_CSV ? (poses ? nc_csv_poses : nc_csv_report) : (poses ? nc_jsonl_poses : nc_jsonl_report);
    nc_out_file file;
    nc_code code = nc_out_open(&file, path, err);
    if (code != NC_OK)
        return code;
    if (how == FORMAT_CSV && poses)
        nc_csv_poses_head(file.out);
    else if (how == FORMAT_CSV)
        nc_csv_report_head(file.out);
    for (int64_t i = 0; i < s->count && code == NC_OK; i++)
        code = write(file.out, s->reel, s->first + i * s->every, err);
    return nc_out_close(&file, code, err);
}

// ---- HTML ---------------------------------------------------------------------------------------------------

static nc_code write_html(const selection *s, const char *run, const export_settings *settings, nc_error *err)
{
    nc_view view;
    nc_code code = nc_view_open(run, &view, err);
    if (code != NC_OK)
        return code;
    const nc_view_selection chosen = {s->first, s->count, s->every, settings->contacts};
    code = nc_view_export(&view, &chosen, settings->output, err);
    nc_view_close(&view);
    return code;
}

// ---- the command --------------------------------------------------------------------------------------------

// The frames asked for; a count of 0 when the run has none of them.
static selection select_frames(const export_settings *settings, nc_reel *reel)
{
    int64_t first = 0, last = -1;
    selection chosen = {.reel = reel, .every = settings->every};
    if (!nc_frame_range_resolve(&settings->frames, reel->info.frame_count, &first, &last))
        return chosen;
    chosen.first = first;
    chosen.count = (last - first) / settings->every + 1;
    return chosen;
}

static nc_exit write_selection(selection *s, const char *run, const export_settings *settings)
{
    nc_error err = {0};
    const format how = format_of(settings->output);
    const nc_code code = how == FORMAT_CSV || how == FORMAT_JSONL
                             ? write_table(s, how, settings->poses, settings->output, &err)
                         : how == FORMAT_HTML ? write_html(s, run, settings, &err)
                                              : write_clip(s, how, settings->output, &err);
    if (code != NC_OK)
        return nc_complain(&err);
    nc_say(settings->quiet || strcmp(settings->output, "-") == 0, "Wrote %s: %" PRId64 " frame%s", settings->output,
           s->count, s->count == 1 ? "" : "s");
    return NC_EXIT_DONE;
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
    selection chosen = select_frames(settings, &reel);
    if (chosen.count > 0)
        code = write_selection(&chosen, path, settings);
    else
        code = nc_complain_usage("'%s' has frames 0 to %" PRId64 ": none of those asked for", path,
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
        return nc_complain_usage("export wants --output: what to write, such as film.glb, frame%%04d.obj, table.csv");
    const format how = format_of(settings->output);
    if (how == FORMAT_UNKNOWN)
        return nc_complain_usage("export writes .glb, .html, .obj, .csv and .jsonl; '%s' is none of them",
                                 settings->output);
    if (settings->poses && how != FORMAT_CSV && how != FORMAT_JSONL)
        return nc_complain_usage("--poses is for .csv and .jsonl");
    if (settings->contacts && how != FORMAT_HTML)
        return nc_complain_usage("--contacts is for .html");
    if (how == FORMAT_HTML && !nc_view_page_is_there())
        return NC_EXIT_USAGE;
    if (how == FORMAT_OBJ && !is_frame_pattern(settings->output))
        return nc_complain_usage("an OBJ sequence wants one place for the frame's number: frame%%04d.obj");
    return NC_EXIT_DONE;
}

static int export_run(const nc_command *command, int argc, char **argv)
{
    export_settings settings = {.every = 1};
    nc_words arguments = {0};
    nc_exit code = NC_EXIT_USAGE;
    const nc_parse parse = nc_options_parse(command, argc, argv, &settings, &arguments);
    if (parse == NC_PARSE_HELP)
        code = NC_EXIT_DONE;
    else if (parse == NC_PARSE_OK && check_settings(&settings) == NC_EXIT_DONE)
        code = export_file(arguments.items[0], &settings);
    nc_options_free(command, &settings, &arguments);
    return (int)code;
}
