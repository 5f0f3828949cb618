// nacre bench: Nacre against its peers, measured in turns in one run.
#include "bench.h"
#include "bench_peer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct bench_settings {
    bool json;
    int64_t rounds;
    const char *queries, *peers;
} bench_settings;

static const nc_option options[] = {
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(bench_settings, json), 0, 0,
     "Print one JSON object on the standard output, with the time of every round."},
    {"rounds", 'n', NC_OPTION_WHOLE, "N", offsetof(bench_settings, rounds), 1, NC_BENCH_MAX_ROUNDS,
     "How often each side runs; the median counts. Default: 9."},
    {"peers", 'p', NC_OPTION_TEXT, "DIR", offsetof(bench_settings, peers), 0, 0,
     "Folder with the peer programs for kernels (bench/peers builds them). Default: beside nacre, where there are "
     "any."},
    {"queries", 'q', NC_OPTION_TEXT, "DIR", offsetof(bench_settings, queries), 0, 0,
     "Folder with the swept queries of the public benchmark, for kernels. Default: NACRE_CCD_QUERIES."},
};

static int bench(const nc_command *command, int argc, char **argv);

const nc_command nc_command_bench = {
    .name = "bench",
    .arguments = "[NAME...]",
    .about = "Measures Nacre against its peers on this machine.",
    .details = "NAME is obj (reading OBJ, against assimp), tree (building a mesh's tree, against Embree), audit\n"
               "(the exact check of a thousand boats, against brute force), kernels (swept tests, proximity and\n"
               "the broad phase, against the cubic-root test, brute force, FCL and Bullet) or trajectory (points on\n"
               "curved paths: boxes against straight pieces); none means all. Both sides run in turns.\n"
               "The ratio is the peer's time divided by Nacre's: above 1, Nacre is faster.\n"
               "Brackets hold the smallest and the largest ratio of the rounds.\n",
    .examples = "nacre bench\nnacre bench --json audit\nnacre bench kernels --queries ccd-queries\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 0,
    .max_arguments = 5,
    .run = bench,
};

static const struct {
    const char *name;
    nc_bench_kind run;
} kinds[] = {{"obj", nc_bench_obj},
             {"tree", nc_bench_tree},
             {"audit", nc_bench_audit},
             {"kernels", nc_bench_kernels},
             {"trajectory", nc_bench_trajectory}};
#define KIND_COUNT 5

// ---- the machine --------------------------------------------------------------------------------------------

typedef struct machine {
    char processor[128];
    char system[128];
    int cores;
} machine;

// The processor's name as Linux gives it; what uname says elsewhere.
static machine this_machine(void)
{
    machine m = {"", "", (int)sysconf(_SC_NPROCESSORS_ONLN)};
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

// ---- telling ------------------------------------------------------------------------------------------------

// A time of a round, or of one item where a round has many.
static void print_time(const nc_bench_result *r, const char *name, double seconds)
{
    if (r->pair.items > 0)
        printf("  %-40s %10.4g us", name, 1e6 * seconds / r->pair.items);
    else
        printf("  %-40s %10.3f ms", name, 1e3 * seconds);
}

static void print_result(const nc_bench_result *r)
{
    printf("%s%s%s\n", nc_bold(stdout), r->pair.name, nc_plain(stdout));
    print_time(r, r->pair.ours.name, r->ours_median);
    printf("\n");
    if (r->pair.peer.work == NULL) {
        printf("  %-40s %13s\n", r->pair.peer.name, "not measured");
    } else {
        print_time(r, r->pair.peer.name, r->peer_median);
        printf("   ratio %.3g [%.3g, %.3g]\n", r->ratio, r->ratio_low, r->ratio_high);
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

static void write_result(nc_json *json, const nc_bench_result *r)
{
    const bool has_peer = r->pair.peer.work != NULL;
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "name", r->pair.name);
    nc_json_number(json, "ratio", r->ratio);
    nc_json_number(json, "ratio_low", r->ratio_low);
    nc_json_number(json, "ratio_high", r->ratio_high);
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
    nc_json_end(json, '}');
}

static void begin_report(const bench_settings *settings, nc_json *json)
{
    const machine m = this_machine();
    if (!settings->json) {
        printf("nacre %s\n%s, %d cores, %s; %d rounds\n\n", nc_version(), m.processor, m.cores, m.system,
               (int)settings->rounds);
        return;
    }
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "nacre", nc_version());
    nc_json_text(json, "processor", m.processor);
    nc_json_whole(json, "cores", m.cores);
    nc_json_text(json, "system", m.system);
    nc_json_whole(json, "rounds", settings->rounds);
    nc_json_begin(json, "results", '[');
}

// ---- the command --------------------------------------------------------------------------------------------

static bool is_wanted(const nc_words *names, const char *kind)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i], kind) == 0)
            return true;
    return names->count == 0;
}

static bool names_are_known(const nc_words *names)
{
    for (int i = 0; i < names->count; i++) {
        bool known = false;
        for (int k = 0; k < KIND_COUNT; k++)
            known = known || strcmp(names->items[i], kinds[k].name) == 0;
        if (!known) {
            nc_complain_usage("there is no measurement \"%s\": obj, tree, audit, kernels and trajectory are there",
                              names->items[i]);
            return false;
        }
    }
    return true;
}

static nc_exit measure(const bench_settings *settings, const nc_words *names)
{
    nc_error err = {NC_OK, 0, 0, "", ""};
    nc_json json = {.out = stdout};
    const nc_bench_options how = {(int)settings->rounds, settings->queries, settings->peers};
    begin_report(settings, &json);
    for (int k = 0; k < KIND_COUNT; k++) {
        nc_bench_result results[NC_BENCH_PER_KIND];
        int count = 0;
        if (!is_wanted(names, kinds[k].name))
            continue;
        if (kinds[k].run(&how, results, &count, &err) != NC_OK)
            return nc_complain(&err);
        for (int i = 0; i < count; i++) {
            if (settings->json)
                write_result(&json, &results[i]);
            else
                print_result(&results[i]);
        }
        fflush(stdout);
    }
    if (settings->json) {
        nc_json_end(&json, ']');
        nc_json_end(&json, '}');
    }
    return NC_EXIT_DONE;
}

static int bench(const nc_command *command, int argc, char **argv)
{
    char beside[1100];
    bench_settings settings = {
        .rounds = 9, .queries = getenv("NACRE_CCD_QUERIES"), .peers = nc_peer_folder(beside, sizeof beside)};
    nc_words names = {NULL, 0};
    nc_exit result = NC_EXIT_USAGE;
    const nc_parse parsed = nc_options_parse(command, argc, argv, &settings, &names);
    if (parsed == NC_PARSE_HELP)
        result = NC_EXIT_DONE;
    else if (parsed == NC_PARSE_OK && names_are_known(&names))
        result = measure(&settings, &names);
    nc_options_free(command, &settings, &names);
    return (int)result;
}
