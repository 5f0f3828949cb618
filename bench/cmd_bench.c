// nacre bench: Nacre against its peers, measured in turns in one run.
#include "bench/bench.h"
#include "bench/peer.h"
#include "bench/speed/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct bench_settings {
    bool json, spectra;
    int64_t rounds, boats, steps;
    const char *queries, *peers, *peer, *scene, *scenes, *output, *compare;
    nc_words figures;
} bench_settings;

static const nc_option options[] = {
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(bench_settings, json), 0, 0,
     "Print one JSON object on the standard output, with the time of every round."},
    {"rounds", 'n', NC_OPTION_WHOLE, "N", offsetof(bench_settings, rounds), 1, NC_BENCH_MAX_ROUNDS,
     "How often each side runs; the median counts. Default: 9; boats: 5; joints: 3."},
    {"peers", 'p', NC_OPTION_TEXT, "DIR", offsetof(bench_settings, peers), 0, 0,
     "Folder with the programs of FCL, Bullet and ODE, for meshes, broad, boats and joints. Default: peers beside "
     "nacre."},
    {"queries", 'q', NC_OPTION_TEXT, "DIR", offsetof(bench_settings, queries), 0, 0,
     "Folder with the swept queries of the public benchmark, for features. Default: NACRE_CCD_QUERIES."},
    {"peer", 0, NC_OPTION_TEXT, "NAME", offsetof(bench_settings, peer), 0, 0,
     "The simulator that boats compares with: bullet or ode. Default: bullet."},
    {"boats", 0, NC_OPTION_WHOLE, "N", offsetof(bench_settings, boats), 1, 100000,
     "How many boats. Default: 1000; joints: no more ragdolls than N (10 and 100); english: as in the paper, and no "
     "more than N; "
     "scale: sizes up to N bodies."},
    {"steps", 0, NC_OPTION_WHOLE, "N", offsetof(bench_settings, steps), 1, 1e6,
     "How many steps boats takes. Default: 200; joints: no more than N; english, su, erleben and harmon: as in the "
     "paper, and no "
     "more than N."},
    {"scene", 0, NC_OPTION_TEXT, "SCENE", offsetof(bench_settings, scene), 0, 0,
     "A scene of your own for boats, of triangle meshes. Default: boats that fall into a bowl."},
    {"figure", 0, NC_OPTION_LIST, "N", offsetof(bench_settings, figures), 0, 0,
     "A figure of the paper. english: 16, 17, 18, 19, or 9 for the failsafe; erleben: 5 (convergence), 8 (spectra), 9 "
     "(the "
     "stack), 18 (frame times), 20 (the towers, with peers) or 30 (popcorn); su: 4 to 9; harmon: reef_knot, bowline, "
     "compactor, "
     "nails_draped or nails_pulled. May be repeated. Default: all."},
    {"spectra", 0, NC_OPTION_FLAG, NULL, offsetof(bench_settings, spectra), 0, 0,
     "erleben: the eigenvalues of the system and of the iteration for small scenes too."},
    {"scenes", 0, NC_OPTION_TEXT, "DIR", offsetof(bench_settings, scenes), 0, 0,
     "Folder with the scenes of english, su, erleben or harmon. Default: scenes/english and so on; of scenes: scenes; "
     "of "
     "joints: scenes/joints."},
    {"compare", 'c', NC_OPTION_TEXT, "FILE", offsetof(bench_settings, compare), 0, 0,
     "What an earlier run printed with --json: says of each result whether it is faster or slower than there, beyond "
     "the "
     "noise of the rounds. Exit code 1 when one is slower."},
    {"output", 'o', NC_OPTION_TEXT, "DIR", offsetof(bench_settings, output), 0, 0,
     "Folder for the tables of english, su, erleben, harmon, joints and shell. Default: docs/results."},
};

static int bench(const nc_command *command, int argc, char **argv);

const nc_command nc_command_bench = {
    .name = "bench",
    .arguments = "[NAME...]",
    .about = "Measures Nacre against its peers on this machine.",
    .details =
        "NAME is obj (reading OBJ, against assimp), tree (building a mesh's tree, against Embree), audit\n"
        "(the exact check of a thousand boats, against brute force), features (swept tests of features, against\n"
        "cubic roots), meshes (distance, proximity and sweep of two boats, against FCL, Bullet and brute force),\n"
        "broad (the broad phase, against Bullet), kernels (these three), trajectory (points on curved\n"
        "paths: boxes against straight pieces), boats (the time step: a thousand boats fall into a bowl,\n"
        "against Bullet or ODE), joints (a chain, a gripper and ragdolls in a bowl, against Bullet: time, joint "
        "errors\n"
        "and intersecting pairs, as a page), english (the tables of the paper, re-measured and written to a folder,\n"
        "with its figures as the peer's), su (things that break, beside the paper's frames per second), erleben\n"
        "(convergence, spectra, frame times and stacks of the second pipeline, with Bullet and ODE beside it, as a\n"
        "page with charts), harmon (the timing table of cloth, with the paper's hours as the peer's), shell\n"
        "(what epsilon costs for five kinds of target, as a page), scenes (time per step of thirteen scenes) or\n"
        "scale (100 to 20,000 boats and 1,000 to 200,000 bodies in flight, with the exponent of the growth); none\n"
        "means all up to trajectory. Both sides run in turns. The peer of scenes and scale is a fixed\n"
        "sum of products, so that --compare can tell a change from a busy machine.\n"
        "The ratio is the peer's time divided by Nacre's: above 1, Nacre is faster.\n"
        "Brackets hold the smallest and the largest ratio of the rounds.\n",
    .examples =
        "nacre bench\nnacre bench --json audit\nnacre bench kernels --queries ccd-queries\n"
        "nacre bench boats --peer bullet --boats 100 --rounds 1\n"
        "nacre bench scenes --rounds 3 --json > before.json\nnacre bench scenes --rounds 3 --compare before.json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 0,
    .max_arguments = 8,
    .run = bench,
};

static const struct {
    const char *name;
    const char *part_of; // a name that stands for several; NULL: none
    nc_bench_kind run;
    int rounds;   // when none are requested
    bool is_long; // only when it is named
    const char *scenes;
} kinds[] = {{"obj", NULL, nc_bench_obj, 9, false, NULL},
             {"tree", NULL, nc_bench_tree, 9, false, NULL},
             {"audit", NULL, nc_bench_audit, 9, false, NULL},
             {"features", "kernels", nc_bench_features, 9, false, NULL},
             {"meshes", "kernels", nc_bench_meshes, 9, false, NULL},
             {"broad", "kernels", nc_bench_broad, 9, false, NULL},
             {"trajectory", NULL, nc_bench_trajectory, 9, false, NULL},
             {"boats", NULL, nc_bench_boats, 5, true, NULL},
             {"joints", NULL, nc_bench_joints, 3, true, "scenes/joints"},
             {"english", NULL, nc_bench_english, 1, true, "scenes/english"},
             {"su", NULL, nc_bench_su, 1, true, "scenes/su"},
             {"erleben", NULL, nc_bench_erleben, 1, true, "scenes/erleben"},
             {"harmon", NULL, nc_bench_harmon, 1, true, "scenes/harmon"},
             {"shell", NULL, nc_bench_shell, 1, true, NULL},
             {"scenes", NULL, nc_bench_scenes, 3, true, "scenes"},
             {"scale", NULL, nc_bench_scale, 1, true, NULL}};
#define KIND_COUNT ((int)(sizeof kinds / sizeof *kinds))

// ---- the machine --------------------------------------------------------------------------------------------

// The processor's name as Linux gives it; what uname says elsewhere.
nc_machine nc_this_machine(void)
{
    nc_machine m = {"", "", (int)sysconf(_SC_NPROCESSORS_ONLN)};
    struct utsname u;
    if (uname(&u) == 0) {
        snprintf(m.system, sizeof m.system, "%.60s %.60s", u.sysname, u.machine);
        snprintf(m.processor, sizeof m.processor, "%.60s", u.machine);
    }
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            snprintf(m.processor, sizeof m.processor, "%.120s", strchr(line, ':') + 2);
            m.processor[strcspn(m.processor, "\n")] = '\0';
            break;
        }
    if (file != NULL)
        fclose(file);
    return m;
}

// ---- printing -----------------------------------------------------------------------------------------------

// A time of a round, or of one item where a round has many.
static void print_time(const nc_bench_result *r, const char *name, double seconds)
{
    const double item = seconds / fmax(1, r->pair.items);
    if (r->pair.items > 0 && item < 1e-2)
        printf("  %-40s %10.4g us", name, 1e6 * item);
    else
        printf("  %-40s %10.3f ms", name, 1e3 * item);
}

static void print_result(const nc_bench_result *r)
{
    printf("%s%s%s\n", nc_bold(stdout), r->pair.name, nc_plain(stdout));
    print_time(r, r->pair.ours.name, r->ours_median);
    printf("\n");
    if (isnan(r->peer_median)) {
        printf("  %-40s %13s\n", r->pair.peer.name, "not measured");
    } else {
        print_time(r, r->pair.peer.name, r->peer_median);
        printf("   ratio %.3g [%.3g, %.3g], %d rounds\n", r->ratio, r->ratio_low, r->ratio_high, r->rounds);
    }
    for (int i = 0; i < r->figure_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", r->figures[i].name);
        for (char *c = name; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
        printf("  %-40s %10.4g %s\n", name, r->figures[i].value,
               strcmp(r->figures[i].unit, "1") == 0 ? "" : r->figures[i].unit);
    }
    printf("  %s\n\n", r->pair.note);
}

// ---- before and now -----------------------------------------------------------------------------------------

static const char *const verdicts[] = {
    [NC_SPEED_NEW] = "not measured before",
    [NC_SPEED_SAME] = "no difference beyond noise",
    [NC_SPEED_FASTER] = "faster",
    [NC_SPEED_SLOWER] = "SLOWER",
};

static void print_change(const nc_bench_result *r, nc_speed_change change)
{
    printf("%s%s%s: %s", nc_bold(stdout), r->pair.name, nc_plain(stdout), verdicts[change.verdict]);
    if (change.verdict != NC_SPEED_NEW)
        printf(", %.3g times as fast as before (noise: %.3g)", change.factor, change.noise);
    printf("\n\n");
}

static void write_change(nc_json *json, nc_speed_change change)
{
    static const char *const words[] = {"new", "same", "faster", "slower"};
    nc_json_begin(json, "compared", '{');
    nc_json_text(json, "verdict", words[change.verdict]);
    nc_json_number(json, "times_as_fast", change.factor);
    nc_json_number(json, "noise", change.noise);
    nc_json_end(json, '}');
}

static void write_side(nc_json *json, const char *key, const char *name, const double *seconds, double median,
                       int rounds)
{
    nc_json_begin(json, key, '{');
    nc_json_text(json, "what", name);
    nc_json_number(json, "median_seconds", median);
    nc_json_begin(json, "seconds", '[');
    for (int i = 0; i < rounds; i++)
        nc_json_number(json, NULL, seconds[i]);
    nc_json_end(json, ']');
    nc_json_end(json, '}');
}

static void write_result(nc_json *json, const nc_bench_result *r, const nc_speed_change *change)
{
    const bool has_peer = !isnan(r->peer_median);
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "name", r->pair.name);
    nc_json_number(json, "ratio", r->ratio);
    nc_json_number(json, "ratio_low", r->ratio_low);
    nc_json_number(json, "ratio_high", r->ratio_high);
    nc_json_whole(json, "rounds", r->rounds);
    nc_json_flag(json, "peer_measured", has_peer);
    nc_json_number(json, "peer_share", r->pair.peer_share);
    nc_json_number(json, "items", r->pair.items > 0 ? r->pair.items : 1);
    nc_json_text(json, "clock", r->pair.clock == NC_CLOCK_CPU ? "cpu" : "wall");
    nc_json_text(json, "note", r->pair.note);
    nc_json_begin(json, "figures", '{');
    for (int i = 0; i < r->figure_count; i++)
        nc_json_number(json, r->figures[i].name, r->figures[i].value);
    nc_json_end(json, '}');
    write_side(json, "ours", r->pair.ours.name, r->ours, r->ours_median, r->rounds);
    write_side(json, "peer", r->pair.peer.name, r->peer, r->peer_median, has_peer ? r->rounds : 0);
    if (change != NULL)
        write_change(json, *change);
    nc_json_end(json, '}');
}

static void begin_report(const bench_settings *settings, nc_json *json)
{
    const nc_machine m = nc_this_machine();
    if (!settings->json) {
        printf("nacre %s\n%s, %d cores, %s\n\n", nc_version(), m.processor, m.cores, m.system);
        return;
    }
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "nacre", nc_version());
    nc_json_text(json, "processor", m.processor);
    nc_json_whole(json, "cores", m.cores);
    nc_json_text(json, "system", m.system);
    nc_json_begin(json, "results", '[');
}

// ---- the command --------------------------------------------------------------------------------------------

static bool is_named(const char *name, int kind)
{
    return strcmp(name, kinds[kind].name) == 0 ||
           (kinds[kind].part_of != NULL && strcmp(name, kinds[kind].part_of) == 0);
}

static bool is_wanted(const nc_words *names, int kind)
{
    for (int i = 0; i < names->count; i++)
        if (is_named(names->items[i], kind))
            return true;
    return names->count == 0 && !kinds[kind].is_long;
}

static bool names_are_known(const nc_words *names)
{
    for (int i = 0; i < names->count; i++) {
        bool known = false;
        for (int k = 0; k < KIND_COUNT; k++)
            known = known || is_named(names->items[i], k);
        if (!known) {
            nc_complain_usage("there is no measurement \"%s\": obj, tree, audit, features, meshes, broad, kernels, "
                              "trajectory, boats, joints, english, su, erleben, harmon, shell, scenes and scale are "
                              "there",
                              names->items[i]);
            return false;
        }
    }
    return true;
}

static bool figures_are_known(const nc_words *figures)
{
    static const char *const known[] = {
        "16",        "17",      "18",        "19",           "9",           "5", "8", "4", "6", "7", "20", "30",
        "reef_knot", "bowline", "compactor", "nails_draped", "nails_pulled"};
    for (int i = 0; i < figures->count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || strcmp(figures->items[i], known[k]) == 0;
        if (!found) {
            nc_complain_usage(
                "figure \"%s\" is not measured: 16, 17, 18, 19 and 9 of english are, 4 to 9 of su, and 5, 8, 9, "
                "18, 20 and 30 of erleben; of harmon reef_knot, bowline, compactor, nails_draped, nails_pulled",
                figures->items[i]);
            return false;
        }
    }
    return true;
}

static bool peer_is_known(const char *peer)
{
    if (strcmp(peer, "bullet") == 0 || strcmp(peer, "ode") == 0)
        return true;
    nc_complain_usage("there is no peer \"%s\": bullet and ode are there", peer);
    return false;
}

// Tells of a result, beside what it was before if that is known. Returns whether it is slower.
static bool report(const bench_settings *settings, const nc_speed_before *before, nc_json *json,
                   const nc_bench_result *r)
{
    nc_speed_change change = {NC_SPEED_NEW, 0, 0};
    if (before != NULL)
        change = nc_speed_compare(before, r);
    if (settings->json)
        write_result(json, r, before != NULL ? &change : NULL);
    else
        print_result(r);
    if (!settings->json && before != NULL)
        print_change(r, change);
    return change.verdict == NC_SPEED_SLOWER;
}

static nc_exit measure(const bench_settings *settings, const nc_words *names, const nc_speed_before *before)
{
    nc_error err = {NC_OK, 0, 0, "", ""};
    nc_json json = {.out = stdout};
    int slower = 0;
    nc_bench_options how = {.queries = settings->queries,
                            .peers = settings->peers,
                            .peer = settings->peer,
                            .scene = settings->scene,
                            .boats = (int)settings->boats,
                            .steps = (int)settings->steps,
                            .results = settings->output,
                            .figures = &settings->figures,
                            .spectra = settings->spectra};
    begin_report(settings, &json);
    for (int k = 0; k < KIND_COUNT; k++) {
        nc_bench_result results[NC_BENCH_PER_KIND];
        int count = 0;
        if (!is_wanted(names, k))
            continue;
        how.scenes = settings->scenes != NULL ? settings->scenes : kinds[k].scenes;
        how.rounds = settings->rounds > 0 ? (int)settings->rounds : kinds[k].rounds;
        if (kinds[k].run(&how, results, &count, &err) != NC_OK)
            return nc_complain(&err);
        for (int i = 0; i < count; i++)
            slower += report(settings, before, &json, &results[i]);
        fflush(stdout);
    }
    if (settings->json) {
        nc_json_end(&json, ']');
        nc_json_end(&json, '}');
    }
    return slower > 0 ? NC_EXIT_CHECK_FAILED : NC_EXIT_DONE;
}

static nc_exit measure_and_compare(const bench_settings *settings, const nc_words *names)
{
    nc_error err = {NC_OK, 0, 0, "", ""};
    nc_speed_before *before = NULL;
    if (settings->compare != NULL && nc_speed_read(settings->compare, &before, &err) != NC_OK)
        return nc_complain(&err);
    const nc_exit result = measure(settings, names, before);
    nc_speed_free(before);
    return result;
}

static int bench(const nc_command *command, int argc, char **argv)
{
    char beside[1100];
    bench_settings settings = {.peer = "bullet",
                               .output = "docs/results",
                               .queries = getenv("NACRE_CCD_QUERIES"),
                               .peers = nc_peer_folder(beside, sizeof beside)};
    nc_words names = {NULL, 0};
    nc_exit result = NC_EXIT_USAGE;
    const nc_parse parsed = nc_options_parse(command, argc, argv, &settings, &names);
    if (parsed == NC_PARSE_HELP)
        result = NC_EXIT_DONE;
    else if (parsed == NC_PARSE_OK && names_are_known(&names) && peer_is_known(settings.peer) &&
             figures_are_known(&settings.figures))
        result = measure_and_compare(&settings, &names);
    nc_options_free(command, &settings, &names);
    return (int)result;
}
