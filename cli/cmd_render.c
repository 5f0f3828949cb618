// nacre render: pictures and films of a run, by ray tracing.
#include "cli.h"
#include "interrupt.h"

#include "render/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NOT_GIVEN INT64_MIN

typedef struct render_settings {
    const char *output, *size, *position, *target, *background, *hide, *focus, *passes;
    int64_t frame, every, samples, threads, turntable;
    nc_frame_range frames, fit;
    double shutter, fps, azimuth, elevation, fov, zoom, aperture;
    bool no_ground, quiet, preview, denoise;
} render_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", offsetof(render_settings, output), 0, 0,
     "What to write: a.png, frames/%04d.png (the frame's number), film.mp4 (by ffmpeg)."},
    {"frame", 0, NC_OPTION_WHOLE, "N", offsetof(render_settings, frame), -1e15, 1e15,
     "The frame of a single picture; negative ones count from the end. Default: the last."},
    {"frames", 0, NC_OPTION_FRAMES, "A:B", offsetof(render_settings, frames), 0, 0,
     "Of a film or a sequence: frames A to B, both included. Default: all."},
    {"every", 0, NC_OPTION_WHOLE, "N", offsetof(render_settings, every), 1, 1e9,
     "Only every N-th of these frames. Default: 1."},
    {"size", 's', NC_OPTION_TEXT, "WxH", offsetof(render_settings, size), 0, 0, "Pixels. Default: 1280x720."},
    {"samples", 'n', NC_OPTION_WHOLE, "N", offsetof(render_settings, samples), 1, NC_MAX_SAMPLES,
     "Samples per pixel: more give less noise and take longer. Default: 32."},
    {"denoise", 0, NC_OPTION_FLAG, NULL, offsetof(render_settings, denoise), 0, 0,
     "Take the noise of few samples out of the picture by a filter that keeps edges, patterns and shadows."},
    {"shutter", 0, NC_OPTION_NUMBER, "PART", offsetof(render_settings, shutter), 0, 1,
     "Motion blur: the fraction of the frame interval during which the shutter is open. Default: 0."},
    {"fps", 0, NC_OPTION_NUMBER, "RATE", offsetof(render_settings, fps), 0.1, 1000,
     "Of a film: frames per second. Default: real time."},
    {"position", 0, NC_OPTION_TEXT, "X,Y,Z", offsetof(render_settings, position), 0, 0,
     "Position of the camera. Default: the scene's, or the nearest one that shows everything."},
    {"target", 0, NC_OPTION_TEXT, "X,Y,Z", offsetof(render_settings, target), 0, 0,
     "The point in the middle of the picture."},
    {"azimuth", 0, NC_OPTION_NUMBER, "DEGREES", offsetof(render_settings, azimuth), -360, 360,
     "Direction of the camera about the vertical: 0 from z, 90 from x. Default: 27."},
    {"elevation", 0, NC_OPTION_NUMBER, "DEGREES", offsetof(render_settings, elevation), -90, 90,
     "Angle of the camera above the horizon. Default: 27."},
    {"fov", 0, NC_OPTION_NUMBER, "DEGREES", offsetof(render_settings, fov), 1, 150,
     "Angle of view from the bottom to the top. Default: 32."},
    {"zoom", 0, NC_OPTION_NUMBER, "FACTOR", offsetof(render_settings, zoom), 0.01, 1000, "Magnification. Default: 1."},
    {"aperture", 0, NC_OPTION_NUMBER, "METRES", offsetof(render_settings, aperture), 0, 1e9,
     "Radius of the lens: what is nearer or farther than --focus is blurred. Default: 0, all is sharp."},
    {"focus", 0, NC_OPTION_TEXT, "X,Y,Z", offsetof(render_settings, focus), 0, 0,
     "A point at the distance that is sharp. Default: what is in the middle of the picture."},
    {"turntable", 0, NC_OPTION_WHOLE, "N", offsetof(render_settings, turntable), 2, 100000,
     "Of a film or a sequence: N pictures of one frame (--frame), once around it."},
    {"passes", 0, NC_OPTION_TEXT, "LIST", offsetof(render_settings, passes), 0, 0,
     "Also write data for each pixel beside the picture: some of depth, id, normal, albedo."},
    {"preview", 0, NC_OPTION_FLAG, NULL, offsetof(render_settings, preview), 0, 0,
     "Quickly: 640x360 with 4 samples, unless --size and --samples say otherwise."},
    {"fit", 0, NC_OPTION_FRAMES, "A:B", offsetof(render_settings, fit), 0, 0,
     "Frames whose bodies are to be in the picture. Default: the picture's own; of films and sequences, all."},
    {"background", 0, NC_OPTION_TEXT, "COLOUR", offsetof(render_settings, background), 0, 0,
     "Background colour, as rrggbb. Default: f1f2f4."},
    {"hide", 0, NC_OPTION_TEXT, "NAMES", offsetof(render_settings, hide), 0, 0,
     "Bodies that are not drawn, by their names, separated by commas."},
    {"no-ground", 0, NC_OPTION_FLAG, NULL, offsetof(render_settings, no_ground), 0, 0,
     "No ground plane below the bodies, and no shadows on it."},
    {"threads", 't', NC_OPTION_WHOLE, "N", offsetof(render_settings, threads), 0, NC_MAX_WORKERS,
     "Use N threads: the bytes are the same for any number. Default: 0, as many as the machine has."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(render_settings, quiet), 0, 0, "No progress and no message."},
};

static int render(const nc_command *command, int argc, char **argv);

const nc_command nc_command_render = {
    .name = "render",
    .arguments = "RUN -o FILE",
    .about = "Makes a picture or a film of a run.",
    .details = "  picture.png       one frame\n"
               "  frames/%04d.png   one picture per frame, named by its number; the folder must exist\n"
               "  film.mp4          a film, made by ffmpeg\n"
               "\n"
               "The camera is set by the options, else by the scene ('camera'), else so that everything is\n"
               "in the picture. Colours and materials are the scene's ('color', 'material'), else by body.\n",
    .examples = "nacre render first.nacre -o last.png\n"
                "nacre render first.nacre --frame 120 -o a.png --size 1920x1080 --samples 256\n"
                "nacre render first.nacre -o film.mp4 --shutter 0.5\n"
                "nacre render first.nacre -o frames/%04d.png --frames 0:48 --azimuth -40 --elevation 50\n"
                "nacre render first.nacre -o around.mp4 --turntable 120\n"
                "nacre render first.nacre -o a.png --passes depth,id,normal",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = render,
};

#ifdef NC_WITH_RENDER

typedef enum product { PRODUCT_PICTURE, PRODUCT_SEQUENCE, PRODUCT_FILM, PRODUCT_UNKNOWN } product;

// Everything that is settled before the first ray.
typedef struct job {
    const render_settings *settings;
    product product;
    nc_reel reel;
    nc_stage *stage;
    nc_shot shot;
    nc_picture picture;
    nc_look look;
    nc_axes axes;
    nc_scene_camera camera_request;
    nc_camera camera;
    nc_subject subject;
    int64_t first, count, every; // frames
    nc_film film;
    nc_progress progress;
    int64_t done; // pictures
    bool passes[NC_PASS_COUNT];
    nc_floats floats; // for them
    bool ground_said; // which bodies the ground stands for
} job;

// ---- the command line ---------------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
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

static product product_of(const char *path)
{
    if (ends_in(path, ".mp4"))
        return PRODUCT_FILM;
    if (!ends_in(path, ".png") || (strchr(path, '%') != NULL && !is_frame_pattern(path)))
        return PRODUCT_UNKNOWN;
    return strchr(path, '%') != NULL ? PRODUCT_SEQUENCE : PRODUCT_PICTURE;
}

// "1280x720"
static bool read_size(const char *text, nc_picture *out)
{
    char *end;
    const long width = strtol(text, &end, 10);
    if (end == text || *end != 'x')
        return false;
    const char *rest = end + 1;
    const long height = strtol(rest, &end, 10);
    if (end == rest || *end != '\0' || width < 8 || height < 8 || width > 16384 || height > 16384)
        return false;
    out->width = (int)width;
    out->height = (int)height;
    return true;
}

// "1,2.5,-3"; NULL is allowed and changes nothing.
static bool read_point(const char *text, nc_vec3 *out)
{
    double parts[3];
    for (int i = 0; text != NULL && i < 3; i++) {
        char *end;
        parts[i] = strtod(text, &end);
        if (end == text || *end != (i < 2 ? ',' : '\0') || !isfinite(parts[i]))
            return false;
        text = end + 1;
        if (i == 2)
            *out = nc_v3(parts[0], parts[1], parts[2]);
    }
    return true;
}

static nc_exit check_output(job *j)
{
    const render_settings *s = j->settings;
    if (s->output == NULL)
        return nc_complain_usage("render needs --output: what to write, such as a.png, frames/%%04d.png, film.mp4");
    j->product = product_of(s->output);
    if (j->product == PRODUCT_UNKNOWN)
        return nc_complain_usage("render writes a.png, frames/%%04d.png (one field for the frame number) and film.mp4; "
                                 "'%s' is something else",
                                 s->output);
    if (j->product == PRODUCT_PICTURE && (s->frames.given || s->every > 1))
        return nc_complain_usage(
            "--frames and --every are for films and sequences (-o film.mp4, -o frames/%%04d.png); a "
            "single picture needs --frame");
    if (s->turntable > 0 && j->product == PRODUCT_PICTURE)
        return nc_complain_usage("--turntable is for films and sequences (-o film.mp4, -o frames/%%04d.png)");
    if (s->turntable > 0 && (s->frames.given || s->every > 1))
        return nc_complain_usage("--turntable goes around one frame: give it by --frame, not by --frames");
    if (s->passes != NULL && j->product == PRODUCT_FILM)
        return nc_complain_usage("--passes is for pictures (-o a.png, -o frames/%%04d.png)");
    if (j->product != PRODUCT_PICTURE && s->turntable == 0 && s->frame != NOT_GIVEN)
        return nc_complain_usage("--frame is for a single picture (-o a.png); a film or a sequence needs --frames");
    if (j->product != PRODUCT_FILM && s->fps > 0)
        return nc_complain_usage("--fps is for films (-o film.mp4)");
    return NC_EXIT_DONE;
}

static nc_exit check_settings(job *j)
{
    const render_settings *s = j->settings;
    const nc_exit code = check_output(j);
    nc_vec3 unused;
    if (code != NC_EXIT_DONE)
        return code;
    const char *size = s->size != NULL ? s->size : s->preview ? "640x360" : "1280x720";
    if (!read_size(size, &j->picture))
        return nc_complain_usage(
            "--size expects WIDTHxHEIGHT in pixels, each from 8 to 16384, such as 1280x720, but '%s' was "
            "given",
            size);
    if (j->product == PRODUCT_FILM && (j->picture.width % 2 != 0 || j->picture.height % 2 != 0))
        return nc_complain_usage("a film needs an even width and height, but '%s' was given", size);
    if (!read_point(s->position, &unused))
        return nc_complain_usage("--position expects three numbers X,Y,Z, but '%s' was given", s->position);
    if (!read_point(s->target, &unused))
        return nc_complain_usage("--target expects three numbers X,Y,Z, but '%s' was given", s->target);
    if (!read_point(s->focus, &unused))
        return nc_complain_usage("--focus expects three numbers X,Y,Z, but '%s' was given", s->focus);
    if (s->passes != NULL && !nc_passes_read(s->passes, j->passes))
        return nc_complain_usage("--passes expects some of depth, id, normal, albedo, such as depth,id, but '%s' was "
                                 "given",
                                 s->passes);
    if (!nc_colour_read(s->background, &j->look.background))
        return nc_complain_usage("--background expects a colour by name or as rrggbb, but '%s' was given",
                                 s->background);
    j->look.samples = s->samples != NOT_GIVEN ? (int)s->samples : s->preview ? 4 : 32;
    j->look.threads = (int)s->threads;
    j->look.stops = nc_interrupted;
    j->look.ground = !s->no_ground;
    j->look.denoise = s->denoise;
    return NC_EXIT_DONE;
}

// ---- frames and camera --------------------------------------------------------------------------------------

static nc_exit choose_frames(job *j, const char *path)
{
    const render_settings *s = j->settings;
    const int64_t count = j->reel.info.frame_count;
    int64_t first = 0, last = -1;
    if (!nc_frame_range_resolve(&s->fit, count, &first, &last))
        return nc_complain_usage("'%s' has frames 0 to %" PRId64 ": none of those of --fit", path, count - 1);
    if (j->product == PRODUCT_PICTURE || s->turntable > 0) {
        const int64_t frame = s->frame == NOT_GIVEN ? count - 1 : s->frame < 0 ? s->frame + count : s->frame;
        first = last = frame;
        if (frame < 0 || frame >= count)
            return nc_complain_usage("'%s' has frames 0 to %" PRId64 ": there is no frame %" PRId64, path, count - 1,
                                     s->frame);
    } else if (!nc_frame_range_resolve(&s->frames, count, &first, &last)) {
        return nc_complain_usage("'%s' has frames 0 to %" PRId64 ": none in the requested range", path, count - 1);
    }
    j->first = first;
    j->every = s->every;
    j->count = s->turntable > 0 ? s->turntable : (last - first) / s->every + 1;
    return NC_EXIT_DONE;
}

static void take(double option, double *camera_request)
{
    if (!isnan(option))
        *camera_request = option;
}

// A scene that this version does not understand has no say.
static nc_code scene_request(job *j, const char *text, nc_error *err)
{
    nc_scene_camera camera;
    const nc_code code = nc_scene_camera_load(j->reel.info.scene_path, text, &camera, err);
    if (code == NC_OK)
        j->camera_request = camera;
    else if (code == NC_BAD_SCENE)
        nc_say(j->settings->quiet, "note: the camera of the run's scene is not used: %s", err->text);
    return code == NC_BAD_SCENE ? NC_OK : code;
}

// What the scene wants, and over that what the options want. A camera that is placed by options is not the scene's.
static nc_code read_request(job *j, nc_error *err)
{
    const render_settings *s = j->settings;
    const char *text = "";
    nc_code code = nc_run_scene_text(j->reel.run, &text, err);
    const nc_vec3 unsaid = {NAN, NAN, NAN};
    j->camera_request = (nc_scene_camera){.position = unsaid,
                                          .target = unsaid,
                                          .azimuth = NAN,
                                          .elevation = NAN,
                                          .fov = NAN,
                                          .zoom = NAN,
                                          .aperture = NAN,
                                          .focus = unsaid};
    if (code == NC_OK && text[0] != '\0')
        code = scene_request(j, text, err);
    if (!isnan(s->azimuth) || !isnan(s->elevation))
        j->camera_request.position = unsaid;
    // Options that place the camera are for all times.
    if (!isnan(s->azimuth) || !isnan(s->elevation) || s->position != NULL || s->turntable > 0)
        j->camera_request.keyframe_count = 0;
    read_point(s->focus, &j->camera_request.focus);
    take(s->aperture, &j->camera_request.aperture);
    read_point(s->position, &j->camera_request.position);
    read_point(s->target, &j->camera_request.target);
    take(s->azimuth, &j->camera_request.azimuth);
    take(s->elevation, &j->camera_request.elevation);
    take(s->fov, &j->camera_request.fov);
    take(s->zoom, &j->camera_request.zoom);
    return code;
}

static nc_code place_camera(job *j, nc_error *err)
{
    int64_t first = j->first, last = first;
    nc_code code = read_request(j, err);
    if (code != NC_OK)
        return code;
    if (j->settings->fit.given || (j->product != PRODUCT_PICTURE && j->settings->turntable == 0))
        nc_frame_range_resolve(&j->settings->fit, j->reel.info.frame_count, &first, &last);
    const nc_vec3 gravity = nc_run_world_settings(j->reel.run).gravity;
    j->axes = nc_axes_of(gravity);
    j->look.ground = j->look.ground && nc_norm(gravity) > 0; // without gravity nothing is below
    j->camera = nc_camera_aim(&j->camera_request, &j->axes, (double)j->picture.width / j->picture.height);
    code = nc_subject_find(&j->reel, &j->axes, &j->camera, first, last, &j->subject, err);
    if (code == NC_OK)
        nc_camera_place(&j->camera, &j->camera_request, &j->axes, &j->subject);
    return code;
}

// ---- drawing ------------------------------------------------------------------------------------------------

static bool watch(void *ctx, double part)
{
    job *j = ctx;
    nc_progress_update_part(&j->progress, j->done, part);
    return !nc_interrupted();
}

// The camera of a picture, where it is not the same for all.
static void move_camera(job *j, double time)
{
    const int64_t turns = j->settings->turntable;
    if (turns == 0 && j->camera_request.keyframe_count == 0)
        return;
    const nc_scene_camera request = turns > 0 ? nc_camera_request_around(&j->camera_request, &j->axes, &j->subject,
                                                                         360 * (double)j->done / (double)turns)
                                              : nc_camera_request_at(&j->camera_request, time);
    j->camera = nc_camera_aim(&request, &j->axes, (double)j->picture.width / j->picture.height);
    nc_camera_place_moving(&j->camera, &request, &j->axes, &j->subject);
}

// A body that is not drawn as it is must not be missed in silence.
static void tell_ground(job *j)
{
    const nc_run_frame *frame = &j->shot.frame;
    for (int i = 0; i < frame->pose_count && j->look.ground && !j->ground_said; i++) {
        const nc_run_body *body = &j->reel.bodies[frame->poses[i].body];
        if (!nc_reel_hides(&j->reel, body->id) &&
            nc_subject_is_plate(&j->subject, &j->axes, body, j->reel.meshes[body->mesh], frame->poses[i].pose))
            nc_say(j->settings->quiet,
                   "note: \"%s\" is drawn as the ground, without edges. To see it as it is: --no-ground, or give it a "
                   "color in the scene",
                   body->name);
    }
    j->ground_said = true;
}

static nc_code draw_frame(job *j, int64_t frame, nc_error *err)
{
    nc_code code = nc_shot_read(&j->reel, frame, j->settings->shutter, &j->shot, err);
    if (code != NC_OK)
        return code;
    move_camera(j, j->shot.frame.time);
    tell_ground(j);
    code = nc_stage_place(j->stage, &j->shot, &j->axes, &j->subject, j->look.ground, err);
    if (code == NC_OK)
        code = nc_stage_draw(j->stage, &j->camera, &j->axes, &j->subject, &j->look, &j->picture, watch, j, err);
    return code;
}

// `is_frame_pattern` has examined the pattern: the one conversion in it takes an int.
static void name_of(const job *j, int64_t frame, char *out, size_t size)
{
    const char *pattern = j->settings->output, *percent = strchr(pattern, '%');
    if (j->product != PRODUCT_SEQUENCE) {
        snprintf(out, size, "%s", pattern);
        return;
    }
    char *end;
    const bool zeros = percent[1] == '0';
    const int width = (int)strtol(percent + 1, &end, 10);
    snprintf(out, size, zeros ? "%.*s%0*d%s" : "%.*s%*d%s", (int)(percent - pattern), pattern, width, (int)frame,
             end + 1);
}

// "a.depth.exr" for "a.png".
static nc_code write_pass(job *j, nc_pass pass, const char *path, nc_error *err)
{
    char name[1100];
    const nc_pass_info *info = nc_pass_view(pass);
    snprintf(name, sizeof name, "%.*s.%s.%s", (int)(strlen(path) - 4), path, info->name, info->extension);
    nc_stage_scan(j->stage, &j->camera, pass, j->look.threads, &j->floats);
    return pass == NC_PASS_ID ? nc_png_write_wholes(&j->floats, name, err) : nc_exr_write(&j->floats, name, err);
}

// Bodies are put on the stage again, with those that the ground stands for.
static nc_code keep_passes(job *j, const char *path, nc_error *err)
{
    nc_code code = nc_stage_place(j->stage, &j->shot, &j->axes, &j->subject, false, err);
    for (int pass = 0; pass < NC_PASS_COUNT && code == NC_OK; pass++)
        if (j->passes[pass])
            code = write_pass(j, (nc_pass)pass, path, err);
    return code;
}

static nc_code keep_frame(job *j, int64_t frame, nc_error *err)
{
    char path[1024];
    if (j->product == PRODUCT_FILM)
        return nc_film_add(&j->film, &j->picture, err);
    name_of(j, frame, path, sizeof path);
    const nc_code code = nc_png_write(&j->picture, path, err);
    return code == NC_OK && j->settings->passes != NULL ? keep_passes(j, path, err) : code;
}

static double rate_of(job *j)
{
    nc_run_frame *frame = &j->reel.frame;
    if (j->settings->fps > 0)
        return j->settings->fps;
    if (j->settings->turntable > 0 || j->count < 2 || nc_reel_seek(&j->reel, j->first, NULL) != NC_OK)
        return 24;
    const double start = frame->time;
    if (nc_reel_seek(&j->reel, j->first + (j->count - 1) * j->every, NULL) != NC_OK || !(frame->time > start))
        return 24;
    return fmin(240, fmax(1, (double)(j->count - 1) / (frame->time - start)));
}

static nc_code draw_all(job *j, nc_error *err)
{
    nc_code code = NC_OK;
    if (j->product == PRODUCT_FILM)
        code = nc_film_open(j->settings->output, j->picture.width, j->picture.height, rate_of(j), &j->film, err);
    j->progress = nc_progress_start(j->settings->quiet, 0, j->count);
    for (j->done = 0; j->done < j->count && code == NC_OK; j->done++) {
        const bool around = j->settings->turntable > 0;
        const int64_t frame = around ? j->first : j->first + j->done * j->every;
        code = draw_frame(j, frame, err);
        if (nc_interrupted())
            break;
        if (code == NC_OK)
            code = keep_frame(j, around ? j->done : frame, err);
    }
    nc_progress_clear(&j->progress);
    if (j->product == PRODUCT_FILM) {
        const nc_code closed = nc_film_close(&j->film, code == NC_OK && !nc_interrupted(), code == NC_OK ? err : NULL);
        code = code == NC_OK ? closed : code;
    }
    return code;
}

static nc_code prepare(job *j, nc_error *err)
{
    const size_t bytes = (size_t)j->picture.width * (size_t)j->picture.height * 3;
    j->picture.rgb = calloc(bytes, 1);
    if (j->picture.rgb == NULL)
        return nc_fail_memory(err, bytes);
    if (j->settings->passes != NULL) {
        j->floats = (nc_floats){j->picture.width, j->picture.height, 3, calloc(bytes, sizeof(float))};
        if (j->floats.data == NULL)
            return nc_fail_memory(err, bytes * sizeof(float));
        if (j->passes[NC_PASS_ID] && j->reel.info.body_count > 65534)
            return nc_fail(err, NC_UNSUPPORTED, "the pass id has 16 bits, and the run has %d bodies",
                           j->reel.info.body_count);
    }
    const nc_code code = place_camera(j, err);
    return code == NC_OK ? nc_stage_create(&j->reel, &j->stage, err) : code;
}

static void print_summary(const job *j, double seconds)
{
    char time[32];
    nc_duration_text(seconds, time, sizeof time);
    if (j->settings->shutter > 0 && j->reel.info.output_every > 1 && (j->reel.info.store & NC_STORE_PATHS) == 0)
        nc_say(j->settings->quiet,
               "note: the run has a frame every %d steps; between them the blur follows a straight flight with an even "
               "turn",
               j->reel.info.output_every);
    nc_say(j->settings->quiet, "Wrote %s: %" PRId64 " frame%s, %dx%d, in %s", j->settings->output, j->count,
           j->count == 1 ? "" : "s", j->picture.width, j->picture.height, time);
}

static nc_exit work(job *j, const char *path)
{
    nc_error err = {0};
    const double start = nc_clock();
    const nc_exit chosen = choose_frames(j, path);
    if (chosen != NC_EXIT_DONE)
        return chosen;
    nc_interrupt_watch();
    nc_code code = prepare(j, &err);
    if (code == NC_OK)
        code = draw_all(j, &err);
    if (code != NC_OK)
        return nc_complain(&err);
    if (nc_interrupted()) {
        nc_say(j->settings->quiet, "interrupted: %" PRId64 " of %" PRId64 " frames were drawn%s", j->done, j->count,
               j->product == PRODUCT_FILM ? "; the film was discarded" : "");
        return NC_EXIT_INTERRUPTED;
    }
    print_summary(j, nc_clock() - start);
    return NC_EXIT_DONE;
}

static nc_exit render_file(job *j, const char *path)
{
    nc_error err = {0};
    nc_file_kind kind;
    if (nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (kind != NC_FILE_RUN)
        return nc_complain_usage("'%s' is not a run file. To make one: nacre run SCENE", path);
    if (nc_reel_open(path, &j->reel, &err) != NC_OK)
        return nc_complain(&err);
    const bool hides = j->settings->hide != NULL;
    const nc_exit code = hides && nc_reel_hide(&j->reel, j->settings->hide, &err) != NC_OK
                             ? nc_complain_usage("%s", err.text)
                             : work(j, path);
    nc_stage_destroy(j->stage);
    nc_shot_free(&j->reel, &j->shot);
    free(j->picture.rgb);
    free(j->floats.data);
    nc_reel_close(&j->reel);
    return code;
}

static nc_exit render_with(const nc_words *arguments, void *settings)
{
    job j = {.settings = settings};
    const nc_exit code = check_settings(&j);
    return code == NC_EXIT_DONE ? render_file(&j, arguments->items[0]) : code;
}

#else

static nc_exit render_with(const nc_words *arguments, void *settings)
{
    (void)arguments;
    (void)settings;
    return nc_complain_usage(
        "this build draws no pictures: it was made without Embree 3 or libpng. Install both (Debian: "
        "apt install libembree-dev libpng-dev) and build again");
}

#endif

static int render(const nc_command *command, int argc, char **argv)
{
    render_settings settings = {.background = "f1f2f4",
                                .frame = NOT_GIVEN,
                                .every = 1,
                                .samples = NOT_GIVEN,
                                .azimuth = NAN,
                                .elevation = NAN,
                                .fov = NAN,
                                .zoom = NAN,
                                .aperture = NAN};
    return nc_command_work(command, argc, argv, &settings, render_with);
}
