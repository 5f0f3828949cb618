// nacre check: the exact intersection test, on every frame of a run or of another program's animation, or on the start
// of a scene.
#include "cli.h"
#include "import.h"

#include "animation/animation.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct check_settings {
    nc_frame_range frames;
    nc_words set;
    const char *animation;
    double rate;
    int64_t limit, threads;
    bool json, quiet, paths;
} check_settings;

static const nc_option options[] = {
    {"frames", 0, NC_OPTION_FRAMES, "A:B", offsetof(check_settings, frames), 0, 0,
     "Only frames A to B, both included; either may be left out, negative ones count from the end."},
    {"paths", 'p', NC_OPTION_FLAG, NULL, offsetof(check_settings, paths), 0, 0,
     "Of a run made with --store paths: also judge the motion between frames, along the stored paths of every step."},
    {"rate", 'r', NC_OPTION_NUMBER, "N", offsetof(check_settings, rate), 0, 1e9,
     "Of a .glb: also test N times per second. Default: 0, at the times of its keys only."},
    {"animation", 'a', NC_OPTION_TEXT, "NAME", offsetof(check_settings, animation), 0, 0,
     "Of a .glb: only this animation. Default: all of them together."},
    {"set", 's', NC_OPTION_LIST, "PATH=VALUE", offsetof(check_settings, set), 0, 0,
     "Change a key of the scene before it is checked. May be repeated."},
    {"limit", 'l', NC_OPTION_WHOLE, "N", offsetof(check_settings, limit), 0, 1e9,
     "Name at most N intersecting pairs; 0 names all. Default: 20. All are counted in any case."},
    {"threads", 't', NC_OPTION_WHOLE, "N", offsetof(check_settings, threads), 0, NC_MAX_WORKERS,
     "Use N threads. Default: 0, as many as the machine has."},
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(check_settings, json), 0, 0,
     "Print the findings as JSON on the standard output."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(check_settings, quiet), 0, 0,
     "No notes and no progress; the verdict and errors are still shown."},
};

static int check(const nc_command *command, int argc, char **argv);

const nc_command nc_command_check = {
    .name = "check",
    .arguments = "RUN | SCENE | FILE.glb | FRAMES%04d.obj | FOLDER",
    .about = "Tests exactly whether bodies intersect: every frame of a run or an animation, or a scene's start.",
    .details =
        "Touching counts as intersecting. There is no tolerance: the result is exact for the stored positions.\n"
        "Pairs of static bodies and pairs that the scene exempts are not tested.\n"
        "Animations of other programs can be checked too: an animated .glb, where every key time is a frame\n"
        "and every node with a mesh a body, or OBJ files, one per frame, whose objects (o, else g, else\n"
        "connected parts) are the bodies. Bodies that never move count as static there.\n"
        "--paths examines every step between the frames, too: each pair that comes near is either proven apart at\n"
        "every time of the step, or named as crossing (exact) or as not proven (it may be apart).\n"
        "Exit code 0: no intersection; 1: at least one, named with bodies, elements and position.\n",
    .examples = "nacre check first.nacre\n"
                "nacre check first.nacre --frames 100:200 --limit 0\n"
                "nacre check first.nacre --paths\n"
                "nacre check first.yaml --json\n"
                "nacre check theirs.glb --rate 240\n"
                "nacre check frames/%04d.obj",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = check,
};

// ---- telling ------------------------------------------------------------------------------------------------

// What has been found and printed so far.
typedef struct findings {
    const check_settings *settings;
    nc_json json;
    int64_t frames, intersecting_frames, pairs, named, first_frame;
} findings;

static bool may_name(const findings *f)
{
    return f->settings->limit == 0 || f->named < f->settings->limit;
}

static void name_json(findings *f, const nc_moment *when, const char *const bodies[2], const nc_intersection *w)
{
    static const char *const kinds[] = {"triangle", "edge", "point"};
    nc_json_begin(&f->json, NULL, '{');
    nc_json_whole(&f->json, "frame", when->frame);
    nc_json_number(&f->json, "time", when->time);
    if (when->file != NULL)
        nc_json_text(&f->json, "file", when->file);
    nc_json_text(&f->json, "body_a", bodies[0]);
    nc_json_text(&f->json, "kind_a", kinds[w->kind_a]);
    nc_json_whole(&f->json, "element_a", w->element_a);
    nc_json_text(&f->json, "body_b", bodies[1]);
    nc_json_text(&f->json, "kind_b", kinds[w->kind_b]);
    nc_json_whole(&f->json, "element_b", w->element_b);
    nc_json_vec3(&f->json, "place", w->place);
    nc_json_end(&f->json, '}');
}

static void name_finding(findings *f, const nc_moment *when, const char *const bodies[2], const nc_intersection *w)
{
    if (!may_name(f))
        return;
    f->named++;
    char text[4096];
    if (f->settings->json)
        name_json(f, when, bodies, w);
    else
        printf("%s\n", nc_hit_text(when, bodies, w, text, sizeof text));
}

static void count_frame(findings *f, int64_t frame, int64_t pairs)
{
    f->frames++;
    f->pairs += pairs;
    if (pairs > 0 && f->intersecting_frames++ == 0)
        f->first_frame = frame;
}

static findings start_report(const check_settings *settings, const char *path)
{
    findings f = {.settings = settings, .json = {.out = stdout}, .first_frame = -1};
    if (settings->json) {
        nc_json_begin(&f.json, NULL, '{');
        nc_json_text(&f.json, "file", path);
        nc_json_begin(&f.json, "intersections", '[');
    }
    return f;
}

static void print_verdict(const findings *f, const char *path)
{
    if (f->named < f->pairs)
        printf("... and %" PRId64 " more pairs (--limit 0 names all)\n", f->pairs - f->named);
    if (f->pairs == 0)
        printf("%s%s: no intersections in %" PRId64 " frame%s%s\n", nc_green(stdout), path, f->frames,
               f->frames == 1 ? "" : "s", nc_plain(stdout));
    else
        printf("%s%s: %" PRId64 " of %" PRId64 " frame%s %s intersecting bodies; the first is frame %" PRId64 "%s\n",
               nc_red(stdout), path, f->intersecting_frames, f->frames, f->frames == 1 ? "" : "s",
               f->intersecting_frames == 1 ? "has" : "have", f->first_frame, nc_plain(stdout));
}

// `complete` is false when an error ended the check: then there is no verdict.
static nc_exit end_report(findings *f, const char *path, double seconds, bool complete)
{
    if (f->settings->json) {
        nc_json_end(&f->json, ']');
        nc_json_whole(&f->json, "frames", f->frames);
        nc_json_whole(&f->json, "intersecting_frames", f->intersecting_frames);
        nc_json_whole(&f->json, "intersecting_pairs", f->pairs);
        nc_json_whole(&f->json, "named", f->named);
        nc_json_number(&f->json, "seconds", seconds);
        nc_json_flag(&f->json, "complete", complete);
        nc_json_end(&f->json, '}');
    } else if (complete) {
        print_verdict(f, path);
    }
    return f->pairs > 0 ? NC_EXIT_CHECK_FAILED : NC_EXIT_DONE;
}

// ---- a run, an animation --------------------------------------------------------------------------------------

// What tell_frame needs.
typedef struct film_check {
    const nc_animation *film;
    findings *findings;
    nc_progress progress;
} film_check;

static void print_frame(const nc_frame_audit *audit, void *ctx)
{
    film_check *c = ctx;
    const nc_animation *film = c->film;
    const void *of = film->source.ctx;
    char names[2][160];
    const nc_moment when = {audit->frame, audit->time,
                            film->frame_file != NULL ? film->frame_file(of, audit->frame) : NULL};
    if (audit->hit_count > 0)
        nc_progress_clear(&c->progress);
    for (int i = 0; i < audit->hit_count; i++) {
        const nc_audit_hit *hit = &audit->hits[i];
        const char *bodies[2] = {film->body_name(of, hit->a, names[0], sizeof names[0]),
                                 film->body_name(of, hit->b, names[1], sizeof names[1])};
        name_finding(c->findings, &when, bodies, &hit->where);
    }
    count_frame(c->findings, audit->frame, audit->hit_count);
    nc_progress_update_frames(&c->progress, c->findings->frames);
}

static nc_exit check_frames(const nc_animation *film, const char *path, const check_settings *settings, int64_t first,
                            int64_t last)
{
    nc_error err = {0};
    const double start = nc_clock();
    findings f = start_report(settings, path);
    film_check c = {film, &f, nc_progress_start(settings->quiet, 0, last - first + 1)};
    const nc_code code = nc_audit_frames(&film->source, first, last, (int)settings->threads, print_frame, &c, &err);
    nc_progress_clear(&c.progress);
    const nc_exit verdict = end_report(&f, path, nc_clock() - start, code == NC_OK);
    return code == NC_OK ? verdict : nc_complain(&err);
}

// Checks an animation that was opened, and closes it.
static nc_exit check_film(nc_animation *film, const char *path, const check_settings *settings)
{
    int64_t first, last;
    nc_exit code;
    if (film->note[0] != '\0')
        nc_say(settings->quiet, "note: %s: %s", path, film->note);
    if (nc_frame_range_resolve(&settings->frames, film->frame_count, &first, &last))
        code = check_frames(film, path, settings, first, last);
    else
        code = nc_complain_usage("'%s' has frames 0 to %" PRId64 ": none in the requested range", path,
                                 film->frame_count - 1);
    film->close(film->source.ctx);
    return code;
}

static bool is_glb(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 &&
           (strcasecmp(path + length - 4, ".glb") == 0 || (length > 5 && strcasecmp(path + length - 5, ".gltf") == 0));
}

static nc_exit open_and_check(const char *path, nc_file_kind kind, const check_settings *settings)
{
    nc_error err = {0};
    nc_animation film;
    const bool sequence = nc_animation_is_sequence(path), glb = !sequence && kind == NC_FILE_MESH && is_glb(path);
    if (settings->set.count > 0)
        return nc_complain_usage("--set changes a scene, and '%s' is none", path);
    if (!glb && (settings->rate > 0 || settings->animation != NULL))
        return nc_complain_usage("--rate and --animation are for .glb files, and '%s' is none", path);
    if (!sequence && !glb && kind == NC_FILE_MESH)
        return nc_complain_usage("'%s' is a mesh; check expects a run, a scene, an animated .glb, or OBJ files as "
                                 "frames%%04d.obj or a folder",
                                 path);
    const nc_code code = sequence ? nc_animation_open_obj(path, &film, &err)
                         : glb    ? nc_animation_open_glb(path, settings->animation, settings->rate, &film, &err)
                                  : nc_animation_open_run(path, &film, &err);
    return code == NC_OK ? check_film(&film, path, settings) : nc_complain(&err);
}

// ---- paths --------------------------------------------------------------------------------------------------

typedef struct path_check {
    const check_settings *settings;
    const nc_reel *reel;
    double timestep; // [s]
    int64_t found[NC_PATH_MISSING + 1];
    int64_t named;
    nc_json json;
} path_check;

static const char *const finding_names[] = {"crosses", "not proven", "jumps", "missing"};

static void print_finding(const path_check *c, const nc_path_finding *f, const char *a, const char *b)
{
    const double time = ((double)(f->step - 1) + f->t) * c->timestep;
    char one[48], two[48];
    switch (f->kind) {
    case NC_PATH_CROSSES:
        printf("step %" PRId64 " (%.6g s): %s of %s intersects %s of %s at (%.6g, %.6g, %.6g)\n", f->step, time,
               nc_element_text(f->where.kind_a, f->where.element_a, one, sizeof one), a,
               nc_element_text(f->where.kind_b, f->where.element_b, two, sizeof two), b, f->where.place.x,
               f->where.place.y, f->where.place.z);
        break;
    case NC_PATH_UNPROVEN:
        printf("step %" PRId64 " (%.6g s): %s and %s are not proven apart from here on\n", f->step, time, a, b);
        break;
    case NC_PATH_JUMPS:
        printf("step %" PRId64 " (%.6g s): the path of %s and where it is stored do not agree\n", f->step, time, a);
        break;
    case NC_PATH_MISSING:
        printf("step %" PRId64 " (%.6g s): %s has no path\n", f->step, time, a);
        break;
    }
}

static void json_finding(path_check *c, const nc_path_finding *f, const char *a, const char *b)
{
    nc_json_begin(&c->json, NULL, '{');
    nc_json_text(&c->json, "kind", finding_names[f->kind]);
    nc_json_whole(&c->json, "step", f->step);
    nc_json_whole(&c->json, "frame", f->frame);
    nc_json_number(&c->json, "part", f->t);
    nc_json_text(&c->json, "body_a", a);
    if (f->b >= 0)
        nc_json_text(&c->json, "body_b", b);
    if (f->kind == NC_PATH_CROSSES)
        nc_json_vec3(&c->json, "place", f->where.place);
    nc_json_end(&c->json, '}');
}

static void hear_finding(const nc_path_finding *f, void *ctx)
{
    path_check *c = ctx;
    char names[2][160] = {"", ""};
    c->found[f->kind]++;
    if (c->settings->limit != 0 && c->named >= c->settings->limit)
        return;
    c->named++;
    nc_reel_body_name(c->reel, f->a, names[0], sizeof names[0]);
    if (f->b >= 0)
        nc_reel_body_name(c->reel, f->b, names[1], sizeof names[1]);
    if (c->settings->json)
        json_finding(c, f, names[0], names[1]);
    else
        print_finding(c, f, names[0], names[1]);
}

static int64_t bad_findings(const path_check *c)
{
    int64_t sum = 0;
    for (int k = 0; k <= NC_PATH_MISSING; k++)
        sum += c->found[k];
    return sum;
}

static void print_path_verdict(const path_check *c, const char *path, const nc_path_summary *sum)
{
    const int64_t bad = bad_findings(c);
    if (c->named < bad)
        printf("... and %" PRId64 " more (--limit 0 names all)\n", bad - c->named);
    if (bad == 0)
        printf("%s%s: no crossings on the paths of %" PRId64 " steps; %" PRId64
               " near pairs are proven apart at every time%s\n",
               nc_green(stdout), path, sum->steps, sum->proven, nc_plain(stdout));
    else
        printf("%s%s: paths of %" PRId64 " steps: %" PRId64 " crossings, %" PRId64 " pairs not proven apart, %" PRId64
               " jumps, %" PRId64 " missing paths; %" PRId64 " of %" PRId64 " near pairs are proven apart%s\n",
               nc_red(stdout), path, sum->steps, c->found[NC_PATH_CROSSES], c->found[NC_PATH_UNPROVEN],
               c->found[NC_PATH_JUMPS], c->found[NC_PATH_MISSING], sum->proven, sum->pairs, nc_plain(stdout));
}

static void end_path_json(path_check *c, const nc_path_summary *sum)
{
    nc_json_end(&c->json, ']');
    nc_json_whole(&c->json, "steps", sum->steps);
    nc_json_whole(&c->json, "near_pairs", sum->pairs);
    nc_json_whole(&c->json, "proven_pairs", sum->proven);
    for (int k = 0; k <= NC_PATH_MISSING; k++)
        nc_json_whole(&c->json, finding_names[k], c->found[k]);
    nc_json_end(&c->json, '}');
}

// The steps between the frames that check_film has judged.
static nc_exit check_paths(const char *path, const check_settings *settings)
{
    nc_error err = {0};
    nc_reel reel;
    nc_path_summary sum = {0};
    int64_t first, last;
    nc_code code = nc_reel_open(path, &reel, &err);
    if (code != NC_OK)
        return nc_complain(&err);
    path_check c = {.settings = settings,
                    .reel = &reel,
                    .timestep = reel.info.timestep,
                    .json = {.out = stdout, .one_line = false}};
    if ((reel.info.store & NC_STORE_PATHS) == 0) {
        nc_reel_close(&reel);
        return nc_complain_usage("'%s' has no paths: nacre run --store paths stores them", path);
    }
    if (settings->json) {
        nc_json_begin(&c.json, NULL, '{');
        nc_json_text(&c.json, "file", path);
        nc_json_begin(&c.json, "paths", '[');
    }
    if (nc_frame_range_resolve(&settings->frames, reel.info.frame_count, &first, &last))
        code = nc_reel_check_paths(&reel, first, last, (int)settings->threads, hear_finding, &c, &sum, &err);
    if (settings->json)
        end_path_json(&c, &sum);
    else if (code == NC_OK)
        print_path_verdict(&c, path, &sum);
    nc_reel_close(&reel);
    if (code != NC_OK)
        return nc_complain(&err);
    return bad_findings(&c) > 0 ? NC_EXIT_CHECK_FAILED : NC_EXIT_DONE;
}

// Frames, then what is between them. As JSON: an array of the two.
static nc_exit check_both(const char *path, const check_settings *settings)
{
    if (settings->json)
        puts("[");
    const nc_exit frames = open_and_check(path, NC_FILE_RUN, settings);
    if (settings->json)
        puts(",");
    const nc_exit paths =
        frames == NC_EXIT_DONE || frames == NC_EXIT_CHECK_FAILED ? check_paths(path, settings) : frames;
    if (settings->json)
        puts("]");
    return paths == NC_EXIT_DONE ? frames : paths;
}

// ---- a scene ------------------------------------------------------------------------------------------------

#define PAIRS_LISTED 4096

static nc_code check_model(nc_model model, findings *f, nc_error *err)
{
    int count = 0;
    nc_overlap *found = calloc(PAIRS_LISTED, sizeof *found);
    if (found == NULL)
        return nc_fail_memory(err, PAIRS_LISTED * sizeof *found);
    const nc_code code = nc_model_audit(model, found, PAIRS_LISTED, &count, err);
    const nc_moment when = {0, nc_model_time(model), NULL};
    for (int i = 0; code == NC_OK && i < count && i < PAIRS_LISTED; i++) {
        nc_model_body a = {.name = ""}, b = {.name = ""};
        (void)nc_model_read_body(model, found[i].a, &a, NULL);
        (void)nc_model_read_body(model, found[i].b, &b, NULL);
        const char *bodies[2] = {a.name, b.name};
        name_finding(f, &when, bodies, &found[i].where);
    }
    if (code == NC_OK)
        count_frame(f, 0, count);
    free(found);
    return code;
}

// A scene, or a fixture of rigid-ipc as one.
static nc_code load_scene(const char *path, const check_settings *settings, nc_scene **out, nc_error *err)
{
    char *text = NULL;
    char name[NC_IMPORT_PATH]; // lines of the text are not those of the file
    nc_code code = nc_fixture_text(path, settings->quiet, &text, err);
    snprintf(name, sizeof name, "%s (as a scene)", path);
    const nc_scene_def def = {.path = text != NULL ? name : path,
                              .text = text,
                              .text_size = text != NULL ? strlen(text) : 0,
                              .overrides = settings->set.items,
                              .override_count = settings->set.count};
    if (code == NC_OK)
        code = nc_scene_load(&def, out, err);
    free(text);
    return code;
}

static nc_exit check_scene(const char *path, const check_settings *settings)
{
    nc_error err = {0};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    if (settings->frames.given || settings->rate > 0 || settings->animation != NULL)
        return nc_complain_usage(
            "--frames is for runs and animations, --rate and --animation for .glb files, and '%s' is a "
            "scene",
            path);
    nc_code code = load_scene(path, settings, &scene, &err);
    for (int i = 0; code == NC_OK && i < nc_scene_note_count(scene); i++)
        nc_say(settings->quiet, "note: %s", nc_scene_note(scene, i));
    if (code == NC_OK)
        code = nc_scene_build_unchecked(scene, NULL, &model, &err);
    nc_exit verdict = NC_EXIT_DONE;
    if (code == NC_OK) {
        const double start = nc_clock();
        findings f = start_report(settings, path);
        code = check_model(model, &f, &err);
        verdict = end_report(&f, path, nc_clock() - start, code == NC_OK);
    }
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code == NC_OK ? verdict : nc_complain(&err);
}

static nc_exit check_arguments(const nc_words *arguments, void *ctx)
{
    const check_settings *settings = ctx;
    const char *path = arguments->items[0];
    nc_error err = {0};
    nc_file_kind kind = NC_FILE_MESH;
    if (!nc_animation_is_sequence(path) && nc_file_sniff(path, &kind, &err) != NC_OK)
        return nc_complain(&err);
    if (settings->paths && kind != NC_FILE_RUN)
        return nc_complain_usage("--paths is for runs, and '%s' is none", path);
    return kind == NC_FILE_SCENE ? check_scene(path, settings)
           : settings->paths     ? check_both(path, settings)
                                 : open_and_check(path, kind, settings);
}

static int check(const nc_command *command, int argc, char **argv)
{
    check_settings settings = {.limit = 20};
    return nc_command_work(command, argc, argv, &settings, check_arguments);
}
