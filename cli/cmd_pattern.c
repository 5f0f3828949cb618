// nacre pattern: patterns of cracks, made, checked and shown.
#include "cli.h"
#include "pattern_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS_MAX 16

typedef struct pattern_settings {
    const char *output;
    nc_words set;
    int64_t seed;
    double explode, tolerance;
    bool json, quiet;
} pattern_settings;

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "FILE", offsetof(pattern_settings, output), 0, 0,
     "What make and preview write: .obj (double precision) or .glb (single)."},
    {"set", 's', NC_OPTION_LIST, "NAME=VALUE", offsetof(pattern_settings, set), 0, 0,
     "A parameter of a built-in pattern; may be repeated. See: nacre pattern list."},
    {"seed", 0, NC_OPTION_WHOLE, "N", offsetof(pattern_settings, seed), 0, 9007199254740992.0,
     "Start of the random numbers of a built-in pattern. Default: 0."},
    {"explode", 'e', NC_OPTION_NUMBER, "X", offsetof(pattern_settings, explode), 0, 100,
     "preview: move pieces apart, by X times their distance from the centre. Default: 0.3."},
    {"tolerance", 't', NC_OPTION_NUMBER, "X", offsetof(pattern_settings, tolerance), 1e-12, 0.1,
     "check: how well meshes must tile their box, as a fraction of it. Default: 1e-5."},
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(pattern_settings, json), 0, 0,
     "list and check: print one JSON object on the standard output."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(pattern_settings, quiet), 0, 0, "No message when it is done."},
};

static int pattern(const nc_command *command, int argc, char **argv);

const nc_command nc_command_pattern = {
    .name = "pattern",
    .arguments = "list | make NAME | check WHAT | preview WHAT",
    .about = "Makes, checks and shows fracture patterns that fill a box.",
    .details = "  list           the built-in patterns and their parameters\n"
               "  make NAME      writes a built-in pattern: closed meshes that tile the unit box, one per region\n"
               "  check WHAT     do the meshes of a .glb, an .obj or a folder tile their box? Exit code 1: no\n"
               "  preview WHAT   writes the pieces, moved apart\n"
               "WHAT is the name of a built-in pattern, a file or a folder.\n"
               "Scenes use patterns, built-in or from files, in the 'fracture' block of a body.\n",
    .examples = "nacre pattern list\n"
                "nacre pattern make glass --set rays=16 --seed 3 -o glass.obj\n"
                "nacre pattern check glass.obj\n"
                "nacre pattern preview glass.obj -o glass.glb --explode 0.5",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 2,
    .run = pattern,
};

// ---- list ---------------------------------------------------------------------------------------------------

static void list_text(const nc_pattern_info *list, int count)
{
    for (int i = 0; i < count; i++) {
        printf("%s: %s\n", list[i].name, list[i].about);
        for (int k = 0; k < list[i].parameter_count; k++) {
            const nc_shape_parameter_info *p = &list[i].parameters[k];
            printf("  %-10s%s; %g, from %g to %g\n", p->name, p->about, p->fallback, p->low, p->high);
        }
    }
}

static void list_json(const nc_pattern_info *list, int count)
{
    nc_json json = {.out = stdout};
    nc_json_begin(&json, NULL, '{');
    for (int i = 0; i < count; i++) {
        nc_json_begin(&json, list[i].name, '{');
        nc_json_text(&json, "about", list[i].about);
        nc_json_begin(&json, "parameters", '{');
        for (int k = 0; k < list[i].parameter_count; k++)
            nc_json_number(&json, list[i].parameters[k].name, list[i].parameters[k].fallback);
        nc_json_end(&json, '}');
        nc_json_end(&json, '}');
    }
    nc_json_end(&json, '}');
}

static nc_exit list_patterns(const char *what, const pattern_settings *settings)
{
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    (void)what;
    if (settings->json)
        list_json(list, count);
    else
        list_text(list, count);
    return NC_EXIT_DONE;
}

// ---- pieces -------------------------------------------------------------------------------------------------

// Splits "name=value"; `name` holds the name.
static nc_code read_parameter(const char *word, char *name, size_t name_size, double *value, nc_error *err)
{
    const char *equals = strchr(word, '=');
    char *end = NULL;
    if (equals == NULL || equals == word || (size_t)(equals - word) >= name_size)
        return nc_fail(err, NC_BAD_ARGUMENT, "--set expects NAME=VALUE, but '%.80s' was given", word);
    memcpy(name, word, (size_t)(equals - word));
    name[equals - word] = '\0';
    *value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != '\0')
        return nc_fail(err, NC_BAD_ARGUMENT, "--set %s expects a number, but '%.80s' was given", name, equals + 1);
    return NC_OK;
}

static nc_code make_pattern(const char *name, const pattern_settings *settings, nc_pattern **out, nc_error *err)
{
    char names[PARAMETERS_MAX][64];
    nc_shape_parameter parameters[PARAMETERS_MAX];
    if (settings->set.count > PARAMETERS_MAX)
        return nc_fail(err, NC_BAD_ARGUMENT, "--set is given %d times; %d is the most", settings->set.count,
                       PARAMETERS_MAX);
    for (int i = 0; i < settings->set.count; i++) {
        parameters[i].name = names[i];
        const nc_code code =
            read_parameter(settings->set.items[i], names[i], sizeof names[i], &parameters[i].value, err);
        if (code != NC_OK)
            return code;
    }
    return nc_pattern_create(name, parameters, settings->set.count, (uint64_t)settings->seed, NULL, out, err);
}

static bool is_built_in(const char *name)
{
    int count = 0;
    const nc_pattern_info *list = nc_pattern_list(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

static nc_code make_pieces(const char *name, const pattern_settings *settings, nc_pattern_pieces *out, nc_error *err)
{
    nc_pattern *made = NULL;
    *out = (nc_pattern_pieces){.allocator = nc_allocator_default()};
    nc_code code = make_pattern(name, settings, &made, err);
    if (code == NC_OK)
        code = nc_pattern_pieces_make(made, out, err);
    nc_pattern_destroy(made);
    return code;
}

static nc_code get_pieces(const char *what, const pattern_settings *settings, nc_pattern_pieces *out, nc_error *err)
{
    if (is_built_in(what))
        return make_pieces(what, settings, out, err);
    return nc_pattern_pieces_load(what, out, err);
}

// A wrong name or value of a built-in pattern was on the command line: that is wrong usage, not a bad file.
static nc_exit complain(bool built_in, const nc_error *err)
{
    const nc_exit code = nc_complain(err);
    return built_in && (err->code == NC_NOT_FOUND || err->code == NC_BAD_ARGUMENT) ? NC_EXIT_USAGE : code;
}

// ---- make, preview ------------------------------------------------------------------------------------------

static nc_box box_of(const nc_pattern_pieces *pieces)
{
    nc_box box = nc_box_empty();
    for (int i = 0; i < pieces->meshes.count; i++)
        box = nc_box_union(box, nc_mesh_view(pieces->meshes.data[i]).box);
    return box;
}

static nc_exit write_pieces(const char *what, const pattern_settings *settings, bool built_in, double explode)
{
    nc_error err = {0};
    nc_pattern_pieces pieces;
    if (settings->output == NULL || !nc_pattern_pieces_can_save(settings->output))
        return nc_complain_usage("pattern needs -o FILE with the extension .obj or .glb");
    nc_code code = built_in ? make_pieces(what, settings, &pieces, &err) : get_pieces(what, settings, &pieces, &err);
    if (code == NC_OK) {
        const nc_box box = box_of(&pieces);
        const nc_vec3 center = nc_scale(0.5, nc_add(box.lo, box.hi));
        code = nc_pattern_pieces_save(&pieces, center, explode, settings->output, &err);
    }
    if (code == NC_OK)
        nc_say(settings->quiet, "%s: %d pieces", settings->output, pieces.meshes.count);
    nc_pattern_pieces_free(&pieces);
    return code == NC_OK ? NC_EXIT_DONE : complain(built_in || is_built_in(what), &err);
}

static nc_exit make_file(const char *what, const pattern_settings *settings)
{
    return write_pieces(what, settings, true, 0);
}

static nc_exit preview(const char *what, const pattern_settings *settings)
{
    return write_pieces(what, settings, false, settings->explode);
}

// ---- check --------------------------------------------------------------------------------------------------

static void print_text(const nc_tiling *t, int pieces)
{
    const nc_vec3 size = nc_sub(t->box.hi, t->box.lo);
    printf("pieces: %d in a box of %g x %g x %g m\n", pieces, size.x, size.y, size.z);
    printf("volume: %.12g of the box\n", t->volume);
    printf("sample points: %d, of which %d near a surface\n", t->samples, t->near);
    printf("gaps: %d", t->gaps);
    if (t->gaps > 0)
        printf(", first at (%g, %g, %g)", t->gap.x, t->gap.y, t->gap.z);
    printf("\noverlaps: %d", t->overlaps);
    if (t->overlaps > 0)
        printf(", first at (%g, %g, %g)", t->overlap.x, t->overlap.y, t->overlap.z);
    printf("\n%s\n", t->tiles ? "The pieces tile the box." : "The pieces do not tile the box.");
}

static void print_json(const nc_tiling *t, int pieces)
{
    nc_json json = {.out = stdout};
    nc_json_begin(&json, NULL, '{');
    nc_json_flag(&json, "tiles", t->tiles);
    nc_json_whole(&json, "pieces", pieces);
    nc_json_vec3(&json, "low", t->box.lo);
    nc_json_vec3(&json, "high", t->box.hi);
    nc_json_number(&json, "volume", t->volume);
    nc_json_whole(&json, "places", t->samples);
    nc_json_whole(&json, "near", t->near);
    nc_json_whole(&json, "gaps", t->gaps);
    nc_json_whole(&json, "overlaps", t->overlaps);
    nc_json_end(&json, '}');
}

static nc_exit check(const char *what, const pattern_settings *settings)
{
    nc_error err = {0};
    nc_pattern_pieces pieces;
    nc_tiling tiling = {0};
    nc_code code = get_pieces(what, settings, &pieces, &err);
    if (code == NC_OK) {
        const nc_tiling_def def = {settings->tolerance, NC_TILING_SIDE};
        code = nc_tiling_check(pieces.meshes.data, pieces.meshes.count, &def, NULL, &tiling, &err);
        // what is wrong is in the file
        if (code == NC_BAD_ARGUMENT)
            code = err.code = NC_BAD_FILE;
    }
    const int count = pieces.meshes.count;
    nc_pattern_pieces_free(&pieces);
    if (code != NC_OK)
        return complain(is_built_in(what), &err);
    if (settings->json)
        print_json(&tiling, count);
    else
        print_text(&tiling, count);
    return tiling.tiles ? NC_EXIT_DONE : NC_EXIT_CHECK_FAILED;
}

// ---- the command --------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    bool wants_argument;
    nc_exit (*run)(const char *what, const pattern_settings *settings);
} verbs[] = {
    {"list", false, list_patterns}, {"make", true, make_file}, {"check", true, check}, {"preview", true, preview}};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static nc_exit unknown_verb(const char *word)
{
    const char *names[VERB_COUNT];
    for (int i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i].name;
    const int nearest = nc_nearest_name(word, names, VERB_COUNT);
    if (nearest >= 0)
        return nc_complain_usage("there is no pattern command '%s'. Did you mean '%s'?", word, names[nearest]);
    return nc_complain_usage("there is no pattern command '%s'; expected list, make, check or preview", word);
}

static nc_exit work(const nc_words *arguments, void *ctx)
{
    const pattern_settings *settings = ctx;
    const char *what = arguments->count > 1 ? arguments->items[1] : NULL;
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i].name, arguments->items[0]) != 0)
            continue;
        if (verbs[i].wants_argument && what == NULL)
            return nc_complain_usage("pattern %s needs a pattern: a name, a file or a folder", verbs[i].name);
        return verbs[i].run(what, settings);
    }
    return unknown_verb(arguments->items[0]);
}

static int pattern(const nc_command *command, int argc, char **argv)
{
    pattern_settings settings = {.explode = 0.3, .tolerance = NC_TILING_TOLERANCE};
    return nc_command_work(command, argc, argv, &settings, work);
}
