// nacre repair: moves bodies that touch or overlap apart, and writes the scene with their new places.
#include "cli.h"
#include "out_file.h"
#include "repairing.h"

#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct repair_settings {
    const char *output;
    nc_words pin;
    double limit;
    int64_t rounds;
    bool force, json, quiet;
} repair_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "SCENE", offsetof(repair_settings, output), 0, 0,
     "The scene file to write, in the folder of the other one; '-' is the standard output. Default: none, only a "
     "report."},
    {"limit", 'l', NC_OPTION_NUMBER, "PART", offsetof(repair_settings, limit), 1e-9, 1,
     "How far two bodies that touch or overlap may be moved against each other, as a part of the smaller one's size "
     "(the diagonal of its box). Default: 0.02."},
    {"pin", 'p', NC_OPTION_LIST, "BODY", offsetof(repair_settings, pin), 0, 0,
     "This body stays where it is, as static and kinematic bodies do. May be repeated; * and ? stand for any letters, "
     "any one letter."},
    {"rounds", 0, NC_OPTION_WHOLE, "N", offsetof(repair_settings, rounds), 1, 10000,
     "Look at the layout and move bodies at most N times. Default: 60."},
    {"force", 'f', NC_OPTION_FLAG, NULL, offsetof(repair_settings, force), 0, 0, "Overwrite the file if it exists."},
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(repair_settings, json), 0, 0,
     "Print the report as JSON on the standard output."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(repair_settings, quiet), 0, 0, "No report; errors are still shown."},
};

static int run(const nc_command *command, int argc, char **argv);

const nc_command nc_command_repair = {
    .name = "repair",
    .arguments = "SCENE [-o SCENE]",
    .about = "Moves bodies that touch or overlap apart, so that the scene can start.",
    .details = "Layouts of other programs have bodies that touch exactly or overlap a little. They are moved to their\n"
               "rest distance by the least motion, weighted by mass; static and kinematic bodies stay, and so do\n"
               "pinned ones. Stacks stay upright: bodies are turned only where moving them does not do. What was\n"
               "found and what was moved is listed. The new scene is the old text with a list 'moved' at its end.\n"
               "It is read back and tested exactly, as at the start of a run, before it is written.\n"
               "Exit code 4: some pairs cannot be moved apart within the limit; they are named, and nothing is "
               "written.\n",
    .examples = "nacre repair layout.yaml\n"
                "nacre repair layout.yaml -o repaired.yaml\n"
                "nacre repair layout.yaml -o repaired.yaml --limit 0.05 --pin 'shelf*'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};

typedef struct repairing {
    const repair_settings *settings;
    const char *input;
    nc_scene *scene;
    nc_model model;
    nc_world *world; // the model's
    nc_repair repair;
    nc_body_id *pinned;
    int pinned_count;
} repairing;

// ---- the report ---------------------------------------------------------------------------------------------

static const char *name_of(const repairing *r, nc_body_id body)
{
    const char *name = nc_body_name(r->world, body);
    return name != NULL ? name : "";
}

static bool can_move(const repairing *r, nc_body_id body)
{
    nc_body_state state;
    return nc_body_read(r->world, body, &state, NULL) == NC_OK && state.mass > 0;
}

static const char *const kind_names[] = {"touching", "overlapping", "inside"};

static void print_conflict(const repairing *r, const nc_conflict *c, FILE *out)
{
    char depth[32], direction[64];
    const nc_vec3 gravity = nc_world_settings(r->world).gravity;
    const char *a = name_of(r, c->a), *b = name_of(r, c->b);
    const bool b_goes = can_move(r, c->b) || !can_move(r, c->a);
    nc_direction_text(b_goes ? nc_neg(c->direction) : c->direction, gravity, direction, sizeof direction);
    if (c->kind == NC_CONFLICT_INSIDE)
        fprintf(out, "  %-12s %s is inside the closed surface of %s\n", kind_names[c->kind], c->a_is_inside ? a : b,
                c->a_is_inside ? b : a);
    else if (!isfinite(c->depth))
        fprintf(out, "  %-12s %s, %s: no short way out\n", kind_names[c->kind], a, b);
    else
        fprintf(out, "  %-12s %s, %s: %s%s%s goes %s\n", kind_names[c->kind], a, b,
                c->depth > 0 ? nc_length_text(c->depth, depth, sizeof depth) : "", c->depth > 0 ? " deep, " : "",
                b_goes ? b : a, direction);
}

static void print_move(const repairing *r, const nc_repair_move *move, FILE *out)
{
    char length[32], direction[64];
    const double turned = nc_norm(move->rotation);
    fprintf(out, "  %s: %s %s", name_of(r, move->body), nc_length_text(nc_norm(move->travel), length, sizeof length),
            nc_direction_text(move->travel, nc_world_settings(r->world).gravity, direction, sizeof direction));
    if (turned > 0)
        fprintf(out, ", turned by %.3g degrees", turned * 180 / acos(-1.0));
    fprintf(out, "\n");
}

static void print_conflicts(const repairing *r, const nc_conflict *list, int count, const char *title, FILE *out)
{
    if (count > 0)
        fprintf(out, "%s%s%s\n", nc_bold(out), title, nc_plain(out));
    for (int k = 0; k < count; k++)
        print_conflict(r, &list[k], out);
}

static void print_text(const repairing *r, FILE *out)
{
    const nc_repair *repair = &r->repair;
    char title[96];
    snprintf(title, sizeof title, "%d pair%s of bodies not apart", repair->conflict_count,
             repair->conflict_count == 1 ? "" : "s");
    print_conflicts(r, repair->conflicts, repair->conflict_count, title, out);
    if (repair->move_count > 0)
        fprintf(out, "%s%d bod%s moved%s\n", nc_bold(out), repair->move_count, repair->move_count == 1 ? "y" : "ies",
                nc_plain(out));
    for (int k = 0; k < repair->move_count; k++)
        print_move(r, &repair->moves[k], out);
    snprintf(title, sizeof title, "%d pair%s left", repair->left_count, repair->left_count == 1 ? "" : "s");
    print_conflicts(r, repair->left, repair->left_count, title, out);
    if (repair->conflict_count == 0)
        fprintf(out, "no two bodies touch or overlap\n");
}

static void print_json_conflicts(const repairing *r, nc_json *json, const char *key, const nc_conflict *list, int count)
{
    nc_json_begin(json, key, '[');
    for (int k = 0; k < count; k++) {
        const nc_conflict *c = &list[k];
        nc_json_begin(json, NULL, '{');
        nc_json_text(json, "a", name_of(r, c->a));
        nc_json_text(json, "b", name_of(r, c->b));
        nc_json_text(json, "kind", kind_names[c->kind]);
        nc_json_number(json, "depth", c->depth);
        nc_json_number(json, "allowed", c->allowed);
        nc_json_vec3(json, "direction", c->direction);
        nc_json_vec3(json, "place", c->where.place);
        nc_json_end(json, '}');
    }
    nc_json_end(json, ']');
}

static void print_json(const repairing *r)
{
    const nc_repair *repair = &r->repair;
    nc_json json = {.out = stdout};
    nc_json_begin(&json, NULL, '{');
    nc_json_text(&json, "scene", r->input);
    nc_json_flag(&json, "repaired", repair->left_count == 0);
    nc_json_whole(&json, "rounds", repair->rounds);
    print_json_conflicts(r, &json, "conflicts", repair->conflicts, repair->conflict_count);
    nc_json_begin(&json, "moves", '[');
    for (int k = 0; k < repair->move_count; k++) {
        nc_json_begin(&json, NULL, '{');
        nc_json_text(&json, "body", name_of(r, repair->moves[k].body));
        nc_json_vec3(&json, "travel", repair->moves[k].travel);
        nc_json_vec3(&json, "rotation", repair->moves[k].rotation);
        nc_json_end(&json, '}');
    }
    nc_json_end(&json, ']');
    print_json_conflicts(r, &json, "left", repair->left, repair->left_count);
    nc_json_end(&json, '}');
}

static void print_report(const repairing *r)
{
    const bool to_stdout = r->settings->output != NULL && strcmp(r->settings->output, "-") == 0;
    if (r->settings->json)
        print_json(r);
    else if (!r->settings->quiet)
        print_text(r, to_stdout ? stderr : stdout);
}

// ---- the scene that is written ------------------------------------------------------------------------------

static const char mark[] = "# Written by nacre repair: where bodies are that touched or overlapped.\n";

static nc_code read_file(const char *path, nc_buffer *out, nc_error *err)
{
    char bytes[65536];
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return nc_fail(err, NC_IO, "cannot read '%s'", path);
    nc_code code = NC_OK;
    for (size_t count; code == NC_OK && (count = fread(bytes, 1, sizeof bytes, in)) > 0;)
        if (!nc_buffer_append(out, bytes, count))
            code = nc_fail_memory(err, out->size + count);
    if (ferror(in) && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot read '%s'", path);
    fclose(in);
    return code;
}

// Drops what an earlier repair appended.
static void cut_mark(nc_buffer *text)
{
    const size_t length = sizeof mark - 1;
    for (size_t at = 0; at + length <= text->size; at++)
        if (memcmp(text->data + at, mark, length) == 0) {
            text->size = at;
            return;
        }
}

// The text as it was, with its comments, and the list at its end.
static nc_code append_block(const repairing *r, nc_buffer *out, nc_error *err)
{
    nc_code code = read_file(r->input, out, err);
    if (code != NC_OK || r->repair.move_count == 0)
        return code;
    cut_mark(out);
    const bool ended = out->size == 0 || out->data[out->size - 1] == '\n';
    if (!nc_buffer_append(out, "\n", ended ? 0 : 1) || !nc_buffer_append(out, mark, sizeof mark - 1))
        return nc_fail_memory(err, out->size);
    return nc_scene_write_moved(r->scene, &r->repair, out, NULL, err);
}

// The verdict on a text: read as a scene in its place, does it start?
static nc_code test_text(const repairing *r, const nc_buffer *text, nc_error *err)
{
    const char *output = r->settings->output;
    const nc_scene_def def = {.path = strcmp(output, "-") == 0 ? r->input : output,
                              .text = (const char *)text->data,
                              .text_size = text->size};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    nc_code code = nc_scene_load(&def, &scene, err);
    if (code == NC_OK)
        code = nc_scene_build(scene, NULL, &model, err);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code;
}

// Text to which nothing can be appended (JSON, a list `moved` in the middle) is written again, without its comments.
static nc_code make_text(const repairing *r, nc_buffer *out, nc_error *err)
{
    nc_error first = {0};
    nc_code code = append_block(r, out, err);
    if (code != NC_OK || test_text(r, out, &first) == NC_OK)
        return code;
    out->size = 0;
    code = nc_scene_write_moved(r->scene, &r->repair, NULL, out, err);
    return code == NC_OK ? test_text(r, out, err) : code;
}

static nc_code write_scene(const repairing *r, nc_error *err)
{
    nc_out_file file;
    nc_buffer text = nc_buffer_create(NULL);
    nc_code code = make_text(r, &text, err);
    if (code == NC_OK)
        code = nc_out_open(&file, r->settings->output, err);
    if (code == NC_OK) {
        fwrite(text.data, 1, text.size, file.out);
        code = nc_out_close(&file, NC_OK, err);
    }
    nc_buffer_free(&text);
    return code;
}

// ---- from start to end --------------------------------------------------------------------------------------

static nc_code find_pinned(repairing *r, nc_error *err)
{
    const nc_words *pin = &r->settings->pin;
    const int count = nc_world_body_count(r->world);
    nc_body_id *ids = calloc((size_t)count + 1, sizeof *ids);
    r->pinned = calloc((size_t)count + 1, sizeof *r->pinned);
    nc_code code = ids != NULL && r->pinned != NULL ? NC_OK : nc_fail_memory(err, (size_t)count * sizeof *ids);
    if (code == NC_OK)
        nc_world_bodies(r->world, ids, count);
    for (int k = 0; k < pin->count && code == NC_OK; k++) {
        const int before = r->pinned_count;
        for (int i = 0; i < count && r->pinned_count < count; i++)
            if (nc_pattern_match(pin->items[k], name_of(r, ids[i])))
                r->pinned[r->pinned_count++] = ids[i];
        if (r->pinned_count == before)
            code = nc_fail(err, NC_BAD_SCENE, "there is no body '%s' to pin", pin->items[k]);
    }
    free(ids);
    return code;
}

static nc_code repair_scene(repairing *r, nc_error *err)
{
    const nc_scene_def def = {.path = r->input};
    nc_repair_def how = nc_repair_def_default();
    nc_code code = nc_scene_load(&def, &r->scene, err);
    if (code == NC_OK)
        code = nc_scene_build_unchecked(r->scene, NULL, &r->model, err);
    r->world = nc_model_world(r->model);
    if (code == NC_OK && r->world == NULL)
        code = nc_fail(err, NC_BAD_ARGUMENT, "the scene is one of cloth: rigid bodies alone can be repaired");
    if (code == NC_OK)
        code = find_pinned(r, err);
    if (code != NC_OK)
        return code;
    how.limit = r->settings->limit;
    how.rounds = (int)r->settings->rounds;
    how.pinned = r->pinned;
    how.pinned_count = r->pinned_count;
    code = nc_world_repair(r->world, &how, &r->repair, err);
    if (code == NC_OK || code == NC_INTERSECTING)
        print_report(r);
    return code == NC_OK && r->settings->output != NULL ? write_scene(r, err) : code;
}

static nc_exit check_output(const repair_settings *s, const char *input)
{
    if (s->output == NULL || strcmp(s->output, "-") == 0)
        return s->output != NULL && s->json ? nc_complain_usage("--json and -o - both want the standard output")
                                            : NC_EXIT_DONE;
    if (access(s->output, F_OK) == 0 && !s->force)
        return nc_complain_usage("'%s' exists. Use --force to overwrite it", s->output);
    if (strcmp(s->output, input) == 0 && !s->force)
        return nc_complain_usage("'%s' is the scene itself. Use --force to overwrite it", input);
    return NC_EXIT_DONE;
}

static nc_exit repair_file(const char *input, const repair_settings *settings)
{
    repairing r = {.settings = settings, .input = input};
    nc_error err = {0};
    const nc_code code = repair_scene(&r, &err);
    if (code == NC_OK && r.settings->output != NULL)
        nc_say(r.settings->quiet, "%s: no two bodies touch or overlap (exact test)", r.settings->output);
    nc_repair_free(&r.repair);
    free(r.pinned);
    nc_model_destroy(r.model);
    nc_scene_destroy(r.scene);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}

static repair_settings default_settings(void)
{
    const nc_repair_def defaults = nc_repair_def_default();
    return (repair_settings){.limit = defaults.limit, .rounds = defaults.rounds};
}

nc_exit nc_repair_in_place(const char *path, bool quiet)
{
    repair_settings settings = default_settings();
    settings.output = path;
    settings.quiet = quiet;
    return repair_file(path, &settings);
}

static nc_exit work(const nc_words *arguments, void *ctx)
{
    const nc_exit usage = check_output(ctx, arguments->items[0]);
    return usage == NC_EXIT_DONE ? repair_file(arguments->items[0], ctx) : usage;
}

static int run(const nc_command *command, int argc, char **argv)
{
    repair_settings settings = default_settings();
    return nc_command_work(command, argc, argv, &settings, work);
}
