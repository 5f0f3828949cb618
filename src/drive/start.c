// Starting a run: from a scene, or from where another one stopped.
#include "drive/audit.h"
#include "drive/session.h"
#include "reel/reel.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

// ---- what was requested -------------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static nc_code
refuse(nc_session *session, nc_refusal refusal, nc_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    session->refusal = refusal;
    return nc_fail(err, NC_BAD_ARGUMENT, "%s", text);
}

// "boats.nacre" for "scenes/boats.yaml", in the current directory.
static void name_output(nc_session *session, const char *input)
{
    if (session->settings->output != NULL) {
        snprintf(session->path, sizeof session->path, "%s", session->settings->output);
        return;
    }
    const char *slash = strrchr(input, '/');
    const char *base = slash != NULL ? slash + 1 : input;
    const char *dot = strrchr(base, '.');
    const int length = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen(base);
    snprintf(session->path, sizeof session->path, "%.*s.nacre", length, base);
}

// Whole steps that reach `seconds`; a hair's breadth of rounding is no reason for one more.
static int64_t steps_to(double seconds, double timestep)
{
    return (int64_t)ceil(seconds / timestep - 1e-9);
}

// How many steps in all: --steps or --until, else what the scene or the run says.
static int64_t wanted_steps(const nc_session *session, int64_t fallback)
{
    const nc_session_def *s = session->settings;
    if (s->steps >= 0)
        return s->steps;
    return s->until >= 0 ? steps_to(s->until, session->timestep) : fallback;
}

static void choose_output(nc_session *session, int scene_every)
{
    const nc_session_def *s = session->settings;
    session->output_every = s->every > 0 ? (int)s->every : scene_every;
    if (s->frame_rate > 0) {
        const double every = floor(1 / (s->frame_rate * session->timestep) + 0.5);
        session->output_every = every < 1 ? 1 : every > 1e9 ? (int)1e9 : (int)every;
        const double rate = 1 / (session->output_every * session->timestep);
        if (fabs(rate - s->frame_rate) > 1e-6 * s->frame_rate)
            nc_session_message(session, NC_MESSAGE_NOTE,
                               "steps of %g s give %.6g frames per second, not %g: one frame every %d steps",
                               session->timestep, rate, s->frame_rate, session->output_every);
    }
}

// ---- from a scene -------------------------------------------------------------------------------------------

static nc_code load_scene(nc_session *session, const char *path, nc_error *err)
{
    const nc_session_def *s = session->settings;
    char name[sizeof session->path + 16]; // lines of the text are not those of the file
    snprintf(name, sizeof name, s->text != NULL ? "%s (as a scene)" : "%s", path);
    const nc_scene_def def = {.path = name,
                              .text = s->text,
                              .text_size = s->text != NULL ? strlen(s->text) : 0,
                              .overrides = s->overrides,
                              .override_count = s->override_count,
                              .allocator = &session->allocator};
    const nc_code code = nc_scene_load(&def, &session->scene, err);
    for (int i = 0; code == NC_OK && i < nc_scene_note_count(session->scene); i++)
        nc_session_message(session, NC_MESSAGE_NOTE, "%s", nc_scene_note(session->scene, i));
    return code;
}

// What a repair did, in a sentence or two.
static void tell_repair(const nc_session *session, const nc_repair *repair)
{
    const nc_repair_move *farthest = NULL;
    for (int k = 0; k < repair->move_count; k++)
        if (farthest == NULL || nc_norm2(repair->moves[k].travel) > nc_norm2(farthest->travel))
            farthest = &repair->moves[k];
    char length[32];
    if (farthest != NULL)
        nc_session_message(session, NC_MESSAGE_NOTE,
                           "%d pair%s of bodies touched or overlapped; %d bod%s moved apart, the farthest by %s",
                           repair->conflict_count, repair->conflict_count == 1 ? "" : "s", repair->move_count,
                           repair->move_count == 1 ? "y was" : "ies were",
                           nc_length_text(nc_norm(farthest->travel), length, sizeof length));
}

static nc_code repair_scene(nc_session *session, nc_error *err)
{
    nc_repair repair;
    const nc_code code = nc_scene_repair(&session->scene, NULL, &repair, err);
    if (code == NC_OK)
        tell_repair(session, &repair);
    nc_repair_free(&repair);
    return code;
}

// The scene's settings, with what was requested: those of the one kind of model or of the other will be read.
static nc_scene_settings settings_of(const nc_session *session)
{
    nc_scene_settings settings = nc_scene_view(session->scene);
    settings.world.workers = settings.cloth_world.workers = session->settings->workers;
    settings.world.allocator = settings.cloth_world.allocator = session->allocator;
    return settings;
}

// What the model does for this session besides stepping.
static nc_code trace(nc_session *session, nc_error *err)
{
    const nc_session_def *s = session->settings;
    nc_model_trace_audit(session->model, s->audit);
    (void)nc_model_trace_contacts(session->model, (session->store & NC_STORE_CONTACTS) != 0);
    if (s->merit != NULL && !nc_model_trace_merit(session->model, true))
        return refuse(session, NC_REFUSED_MERIT, err,
                      "the merit function is for world.pipeline vsp, and this scene is of cloth (world.pipeline %s)",
                      nc_model_pipeline(session->model));
    return NC_OK;
}

// Bodies that are to appear during the run.
static int64_t count_later(const nc_session *session)
{
    int64_t later = 0;
    for (int i = 0; i < nc_scene_emitter_count(session->scene); i++) {
        const nc_emitter_state state = nc_scene_emitter(session->scene, session->model, i);
        later += state.planned - state.appeared;
    }
    return later;
}

// Says how large the run will be, and whether the disk has room for it.
static void announce(const nc_session *session)
{
    char size[32], room[32], vertices[48] = ""; // and what else there is
    const int64_t frames = session->output_every > 0 ? session->steps_wanted / session->output_every + 2 : 1;
    const int64_t bytes = nc_run_estimate_size(session->model, frames);
    const int64_t moving = nc_model_moving_vertices(session->model);
    const int count = nc_model_body_count(session->model);
    if (moving > 0)
        snprintf(vertices, sizeof vertices, ", %" PRId64 " moving vertices", moving);
    const int64_t later = count_later(session);
    if (later > 0)
        snprintf(vertices, sizeof vertices, ", %" PRId64 " more to appear", later);
    nc_session_message(session, NC_MESSAGE_INFO, "%s: %d bod%s%s, %" PRId64 " steps of %.6g s, about %s", session->path,
                       count, count == 1 ? "y" : "ies", vertices, session->steps_wanted, session->timestep,
                       nc_size_text((double)bytes, size, sizeof size));
    char folder[sizeof session->path];
    snprintf(folder, sizeof folder, "%s", session->path);
    char *slash = strrchr(folder, '/');
    snprintf(slash != NULL ? slash : folder, 2, slash != NULL ? "/" : ".");
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return;
    const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (free_bytes < (double)bytes)
        nc_session_message(session, NC_MESSAGE_WARNING, "the disk has %s left, which will not be enough",
                           nc_size_text(free_bytes, room, sizeof room));
}

static void report_start(bool warning, const char *text, void *ctx)
{
    nc_session_message(ctx, warning ? NC_MESSAGE_WARNING : NC_MESSAGE_NOTE, "%s", text);
}

static nc_code create_run(nc_session *session, const char *input, nc_error *err)
{
    const nc_scene_settings view = nc_scene_view(session->scene);
    const nc_run_def def = {.path = session->path,
                            .overwrite = session->settings->overwrite,
                            .scene_text = view.text,
                            .scene_path = input,
                            .title = view.title,
                            .timestep = session->timestep,
                            .steps_wanted = session->steps_wanted,
                            .output_every = session->output_every,
                            .store = session->store,
                            .allocator = &session->allocator};
    return nc_run_create(&def, session->model, &session->run, err);
}

static nc_code track_start(nc_session *session, nc_error *err)
{
    nc_model_report start;
    const nc_code code = nc_model_measure(session->model, &start, err);
    if (code != NC_OK)
        return code;
    session->tracker = nc_tracker_start(&start, session->audited);
    if (session->audited)
        nc_tracker_add_audit(&session->tracker, 0, 0); // nc_scene_build has just looked
    return NC_OK;
}

static nc_code start_scene(nc_session *session, const char *input, nc_error *err)
{
    const nc_scene_settings settings = settings_of(session);
    session->timestep = settings.timestep;
    session->steps_wanted = session->steps_planned = wanted_steps(session, settings.steps);
    choose_output(session, settings.output_every);
    session->store = session->settings->store;
    nc_code code = nc_scene_build(session->scene, &settings, &session->model, err);
    if (code == NC_OK)
        code = trace(session, err);
    if (code == NC_OK)
        code = nc_session_emit(session, err);
    if (code != NC_OK)
        return code;
    announce(session);
    code = nc_model_report_start(session->model, session->timestep, report_start, session, err);
    if (code == NC_OK)
        code = create_run(session, input, err);
    if (code == NC_OK)
        code = nc_session_tell_exempted(session, err);
    return code == NC_OK ? track_start(session, err) : code;
}

// ---- from a run file ----------------------------------------------------------------------------------------

// What the stored frames up to the restored step showed.
static nc_code track_stored(nc_session *session, nc_error *err)
{
    nc_model_report report;
    nc_code code = nc_run_read_report(session->run, 0, &report, err);
    if (code != NC_OK)
        return code;
    session->tracker = nc_tracker_start(&report, session->audited);
    nc_run_info info;
    code = nc_run_read_info(session->run, &info, err);
    for (int64_t frame = 1; frame < info.frame_count && code == NC_OK; frame++) {
        code = nc_run_read_report(session->run, frame, &report, err);
        if (code != NC_OK || report.common.step > nc_model_step_count(session->model))
            break;
        nc_tracker_add_stored_wait(&session->tracker, &report);
        nc_tracker_add_report(&session->tracker, &report);
        session->tracker.summary.frames++;
        session->frame = frame;
    }
    if (code == NC_OK && session->audited)
        code = nc_audit_stored(session, session->frame, err);
    return code;
}

// The scene that a run stores.
static nc_code load_stored_scene(nc_session *session, const nc_run_info *info, nc_error *err)
{
    const char *text = "";
    nc_code code = nc_run_scene_text(session->run, &text, err);
    if (code != NC_OK)
        return code;
    const nc_scene_def def = {
        .path = info->scene_path, .text = text, .text_size = strlen(text), .allocator = &session->allocator};
    return nc_scene_load(&def, &session->scene, err);
}

// A run continues with the scene it began with.
static nc_code compare_scenes(nc_session *session, nc_error *err)
{
    const char *text = "";
    const nc_code code = nc_run_scene_text(session->run, &text, err);
    if (code != NC_OK || strcmp(text, nc_scene_view(session->scene).text) == 0)
        return code;
    return refuse(session, NC_REFUSED_OTHER_SCENE, err,
                  "'%s' is a run of another scene, or of this one before it was changed", session->path);
}

// The model in the state of the last checkpoint. Where that leaves out what the scene says, or bodies are to appear,
// the scene is built first.
static nc_code restore(nc_session *session, const nc_run_info *info, nc_error *err)
{
    const bool emits = session->scene != NULL && nc_scene_emitter_count(session->scene) > 0;
    if (!info->needs_scene && !emits)
        return nc_run_restore(session->run, session->settings->workers, &session->model, err);
    const nc_scene_settings settings = settings_of(session);
    const nc_code code = nc_scene_build_unchecked(session->scene, &settings, &session->model, err);
    return code == NC_OK ? nc_run_restore_into(session->run, session->model, err) : code;
}

// Stores the new end when the run is to be longer than it was meant to be.
static nc_code extend(nc_session *session, const nc_run_info *info, nc_error *err)
{
    session->timestep = info->timestep;
    session->output_every = info->output_every;
    session->steps_wanted = wanted_steps(session, info->steps_wanted);
    session->steps_planned = info->steps_wanted;
    session->was_finished = info->finished;
    if (session->steps_wanted <= info->steps_wanted)
        return NC_OK;
    session->steps_planned = session->steps_wanted;
    session->was_finished = false;
    return nc_run_extend(session->run, session->steps_wanted, err);
}

// Bodies that appear during a run come from its scene. A scene that only has the word needs to be read, too.
static nc_code find_emitters(nc_session *session, bool *out, nc_error *err)
{
    const char *text = "";
    const nc_code code = nc_run_scene_text(session->run, &text, err);
    *out = code == NC_OK && strstr(text, "\"emit\"") != NULL;
    return code;
}

static nc_code open_run(nc_session *session, nc_run_info *info, nc_error *err)
{
    nc_code code = nc_run_open(session->path, NC_RUN_APPEND, &session->allocator, &session->run, err);
    if (code == NC_OK)
        code = nc_run_read_info(session->run, info, err);
    if (code == NC_OK && session->scene != NULL)
        code = compare_scenes(session, err);
    bool needed = session->settings->expect || info->needs_scene;
    if (code == NC_OK && !needed)
        code = find_emitters(session, &needed, err);
    if (code == NC_OK && session->scene == NULL && needed)
        code = load_stored_scene(session, info, err);
    return code;
}

static nc_code resume(nc_session *session, nc_error *err)
{
    nc_run_info info = {0};
    const nc_session_def *s = session->settings;
    if (s->every > 0 || s->frame_rate > 0)
        return refuse(session, NC_REFUSED_FRAMES, err,
                      "which frames are stored is set when a run starts; a resumed one keeps them");
    nc_code code = open_run(session, &info, err);
    session->store = info.store;
    session->resumed_end = info.last_step;
    if (code == NC_OK && s->store != 0 && s->store != info.store)
        code =
            refuse(session, NC_REFUSED_FRAMES, err, "what is stored is set when a run starts; a resumed one keeps it");
    if (code == NC_OK)
        code = restore(session, &info, err);
    if (code == NC_OK)
        code = trace(session, err);
    if (code == NC_OK)
        code = extend(session, &info, err);
    if (code == NC_OK)
        code = track_stored(session, err);
    if (code != NC_OK)
        return code;
    const int64_t step = nc_model_step_count(session->model);
    nc_session_message(session, NC_MESSAGE_INFO, "%s: resuming at step %" PRId64 " of %" PRId64, session->path, step,
                       session->steps_wanted);
    return step < session->steps_wanted ? nc_run_log(session->run, step, "resumed", nc_version(), err) : NC_OK;
}

// ---- which of them ------------------------------------------------------------------------------------------

// An existing file is overwritten only when that was requested and when it is a run.
static nc_code may_write(nc_session *session, nc_error *err)
{
    nc_file_kind kind = NC_FILE_RUN;
    if (access(session->path, F_OK) != 0)
        return NC_OK;
    if (!session->settings->overwrite)
        return refuse(session, NC_REFUSED_EXISTS, err, "'%s' exists", session->path);
    const nc_code code = nc_file_sniff(session->path, &kind, err);
    if (code == NC_OK && kind != NC_FILE_RUN)
        return refuse(session, NC_REFUSED_NOT_A_RUN, err, "'%s' exists and is not a run file; it stays as it is",
                      session->path);
    return code;
}

static nc_code start_run_file(nc_session *session, const char *input, nc_error *err)
{
    const nc_session_def *s = session->settings;
    if (!s->resume)
        return refuse(session, NC_REFUSED_RUN_FILE, err, "'%s' is a run file", input);
    if (s->override_count > 0)
        return refuse(session, NC_REFUSED_OVERRIDES, err, "a resumed run keeps the scene it began with");
    if (s->output != NULL && strcmp(s->output, input) != 0)
        return refuse(session, NC_REFUSED_OUTPUT, err, "a resumed run is written to its own file");
    snprintf(session->path, sizeof session->path, "%s", input);
    return resume(session, err);
}

static nc_code start_scene_file(nc_session *session, const char *input, nc_error *err)
{
    name_output(session, input);
    const bool goes_on = session->settings->resume && access(session->path, F_OK) == 0;
    nc_code code = goes_on ? NC_OK : may_write(session, err);
    if (code == NC_OK)
        code = load_scene(session, input, err);
    if (code == NC_OK && session->settings->repair)
        code = repair_scene(session, err);
    if (code != NC_OK)
        return code;
    return goes_on ? resume(session, err) : start_scene(session, input, err);
}

nc_code nc_session_start(nc_session *session, const char *input, nc_error *err)
{
    nc_file_kind kind;
    const char *output = session->settings->output;
    const size_t longest = sizeof session->path - sizeof ".nacre";
    if (strlen(input) > longest || (output != NULL && strlen(output) > longest))
        return refuse(session, NC_REFUSED_LONG_NAME, err, "a file name of more than %zu bytes", longest);
    const nc_code code = nc_file_sniff(input, &kind, err);
    if (code != NC_OK)
        return code;
    if (kind == NC_FILE_MESH)
        return refuse(session, NC_REFUSED_MESH, err, "'%s' is a mesh", input);
    return kind == NC_FILE_RUN ? start_run_file(session, input, err) : start_scene_file(session, input, err);
}
