// nacre doctor: what this machine offers, and whether Nacre works on it.
#include "cli.h"
#include "doctor.h"
#include "simd.h"

#include "view/view.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct doctor_settings {
    bool json;
} doctor_settings;

static const nc_option options[] = {
    {"json", 'j', NC_OPTION_FLAG, NULL, offsetof(doctor_settings, json), 0, 0,
     "Print one JSON object on the standard output."},
};

static int doctor(const nc_command *command, int argc, char **argv);

const nc_command nc_command_doctor = {
    .name = "doctor",
    .arguments = "",
    .about = "Lists what this machine offers and tests that Nacre works on it.",
    .details = "Takes about a second. Exit code 0: all tests passed; 1: one did not. A missing program is\n"
               "not a failure: the message says what it would be used for. The disk test writes a small run file in\n"
               "the current directory and removes it again.\n",
    .examples = "nacre doctor",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = doctor,
};

typedef enum verdict { WELL, ABSENT, FAILING } verdict;

// The report, and how many tests failed.
typedef struct report {
    bool as_json;
    nc_json json;
    int failures;
} report;

static void print_verdict(report *r, verdict v, const char *what, const char *sentence)
{
    static const char *const words[] = {"ok", "absent", "FAILED"};
    r->failures += v == FAILING;
    if (r->as_json) {
        nc_json_begin(&r->json, NULL, '{');
        nc_json_text(&r->json, "about", what);
        nc_json_text(&r->json, "verdict", words[v]);
        nc_json_text(&r->json, "sentence", sentence);
        nc_json_end(&r->json, '}');
        return;
    }
    const char *color = v == FAILING ? nc_red(stdout) : v == WELL ? nc_green(stdout) : "";
    printf("%s%-8s%s%-13s%s\n", color, words[v], v == ABSENT ? "" : nc_plain(stdout), what, sentence);
}

// ---- what is there ------------------------------------------------------------------------------------------

static bool find_program(const char *name)
{
    const char *path = getenv("PATH");
    char full[1024];
    while (path != NULL && *path != '\0') {
        const int length = (int)strcspn(path, ":");
        snprintf(full, sizeof full, "%.*s/%s", length, path, name);
        if (access(full, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static void check_machine(report *r)
{
    char text[512], simd[256];
    snprintf(text, sizeof text, "Nacre %s.", nc_version());
    print_verdict(r, WELL, "version", text);
    const int threads = nc_worker_count(0);
    snprintf(text, sizeof text, "%d thread%s will be used unless --threads says otherwise.", threads,
             threads == 1 ? "" : "s");
    print_verdict(r, WELL, "threads", text);
    snprintf(text, sizeof text, "Vector instructions: %s.", nc_simd_text(simd, sizeof simd));
    print_verdict(r, WELL, "simd", text);
}

static void check_libraries(report *r)
{
    char text[256];
    snprintf(text, sizeof text, "SQLite %s holds the run files.", sqlite3_libversion());
    print_verdict(r, WELL, "sqlite", text);
#ifdef NC_WITH_ASSIMP
    print_verdict(r, WELL, "assimp", "Meshes in STL, PLY, OFF, glTF and other formats can be read.");
#else
    print_verdict(r, ABSENT, "assimp", "This build reads OBJ only: it was made without assimp.");
#endif
#ifdef NC_WITH_EXPAT
    print_verdict(r, WELL, "expat", "Robots (URDF, MJCF) can be imported.");
#else
    print_verdict(r, ABSENT, "expat", "This build imports no robots: it was made without expat.");
#endif
#ifdef NC_WITH_CIVETWEB
    const bool served = true;
#else
    const bool served = false;
#endif
    if (nc_view_page_size == 0)
        print_verdict(r, ABSENT, "viewer", "This build has no page for 'nacre view': it was made without npm.");
    else if (!served)
        print_verdict(r, ABSENT, "viewer", "This build exports pages and serves none: it was made without civetweb.");
    else
        print_verdict(r, WELL, "viewer", "Runs can be viewed in a browser: nacre view run.nacre.");
#ifdef NC_WITH_RENDER
    print_verdict(r, WELL, "render", "Pictures of runs can be made: nacre render run.nacre -o picture.png.");
#else
    print_verdict(r, ABSENT, "render", "This build draws no pictures: it was made without Embree 3 or libpng.");
#endif
}

static void check_programs(report *r)
{
    static const struct {
        const char *name, *there, *absent;
    } programs[] = {
        {"sqlite3", "Run files can be queried: sqlite3 run.nacre 'select time, kinetic from report'.",
         "Not needed; with it run files can be queried by SQL from a shell."},
        {"ffmpeg", "Films can be made: nacre render run.nacre -o film.mp4.",
         "Not needed; with it nacre render makes films."},
        {"blender", "Scenes can come from it (nacre import) and runs go into it (scripts/blender_import.py, .glb).",
         "Not needed; scenes can come from it (nacre import), and runs go into it."},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const bool there = find_program(programs[i].name);
        print_verdict(r, there ? WELL : ABSENT, programs[i].name, there ? programs[i].there : programs[i].absent);
    }
}

// ---- what works ---------------------------------------------------------------------------------------------

static void run_test(report *r, const char *what, const char *sentence, nc_code (*test)(nc_error *err))
{
    nc_error err = {0};
    char text[sizeof err.file + sizeof err.text + 64];
    if (test(&err) == NC_OK)
        print_verdict(r, WELL, what, sentence);
    else
        print_verdict(r, FAILING, what, nc_error_format(&err, text, sizeof text));
}

static nc_exit examine(const nc_words *arguments, void *ctx)
{
    (void)arguments;
    const bool as_json = ((const doctor_settings *)ctx)->json;
    report r = {.as_json = as_json, .json = {.out = stdout}};
    if (as_json) {
        nc_json_begin(&r.json, NULL, '{');
        nc_json_begin(&r.json, "findings", '[');
    }
    check_machine(&r);
    check_libraries(&r);
    check_programs(&r);
    run_test(&r, "oracle", "Triangles one rounding apart, touching and crossing are distinguished exactly.",
             nc_doctor_oracle);
    run_test(&r, "energy", "A tumbling body keeps its energy and momentum over 1000 steps.", nc_doctor_energy);
    run_test(&r, "determinism", "One, two and three threads give the same bits.", nc_doctor_determinism);
    run_test(&r, "disk", "A run file was written, closed, read back and resumed here.", nc_doctor_disk);
    if (as_json) {
        nc_json_end(&r.json, ']');
        nc_json_whole(&r.json, "failed", r.failures);
        nc_json_end(&r.json, '}');
    } else if (r.failures == 0) {
        printf("All tests passed.\n");
    } else {
        printf("%d of the tests failed.\n", r.failures);
    }
    return r.failures == 0 ? NC_EXIT_DONE : NC_EXIT_CHECK_FAILED;
}

static int doctor(const nc_command *command, int argc, char **argv)
{
    doctor_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, examine);
}
