// What the paper measured: its examples, what it varied, and its figures [s] of a step.
#include "bench/papers/english.h"

#define BOATS "Boats Falling into Bowl"

static const nc_english_row examples[] = {
    {.name = "boats, 102 bodies",
     .scene = "fig13_boats_100.yaml",
     .cell = {BOATS},
     .boats = 100,
     .paper = {1.7, 1.3, 0.4e-3, 0.20, 0.18}},
    {.name = "boats, 252 bodies",
     .scene = "fig13_boats_250.yaml",
     .cell = {BOATS},
     .boats = 250,
     .paper = {4.8, 3.9, 1.1e-3, 0.46, 0.52}},
    {.name = "boats, 502 bodies",
     .scene = "fig13_boats_500.yaml",
     .cell = {BOATS},
     .boats = 500,
     .paper = {9.6, 8.0, 2.5e-3, 0.84, 0.80}},
    {.name = "boats, 1002 bodies",
     .scene = "fig13_boats_1000.yaml",
     .cell = {BOATS},
     .boats = 1000,
     .paper = {20.9, 17.7, 6.0e-3, 1.45, 1.61}},
    {.name = "rings, 2003 bodies",
     .scene = "fig10_chains.yaml",
     .cell = {"Hanging Rings"},
     .paper = {19.1, 15.7, 9.8e-3, 0.30, 1.93}},
    {.name = "triangles, 186 bodies",
     .scene = "fig01_triangles.yaml",
     .cell = {"Triangles Falling onto Pegs"},
     .paper = {0.45, 0.34, 0.6e-3, 0.02, 0.08}},
};

#define STACK(size, time)                                                                                              \
    {                                                                                                                  \
        .name = "stack and ball, step " size, .scene = "fig15_boats_and_ball.yaml", .set = {"world.timestep=" size},   \
        .cell = {size " s"}, .seconds = 2, .paper = {.step = (time)},                                                  \
    }
static const nc_english_row time_steps[] = {STACK("1/96", 43.7e-3), STACK("1/48", 73.6e-3), STACK("1/24", 48.0e-3),
                                            STACK("1/12", 114.7e-3), STACK("1/6", 215.2e-3)};

#define LIMITS(collide, rest, time)                                                                                    \
    {                                                                                                                  \
        .name = "boats, limits " #collide " and " #rest, .scene = "fig13_boats_1000.yaml",                             \
        .set = {"world.collision_iterations=" #collide, "world.dynamic_iterations=" #collide,                          \
                "world.contact_iterations=" #rest},                                                                    \
        .cell = {#collide, #rest}, .boats = 1000, .paper = {.step = (time)},                                           \
    }
static const nc_english_row iterations[] = {LIMITS(10, 1000, 38.9),  LIMITS(20, 1000, 19.8), LIMITS(50, 1000, 22.3),
                                            LIMITS(100, 1000, 20.9), LIMITS(100, 20, 96.5),  LIMITS(100, 50, 41.6),
                                            LIMITS(100, 100, 31.2),  LIMITS(100, 250, 23.3)};

// Fig. 9's stack, and boats with so few iterations that much is left to the failsafe.
#define STRUCK(kind)                                                                                                   \
    {                                                                                                                  \
        .name = "struck stack, failsafe " kind, .scene = "fig09_failsafe.yaml", .set = {"world.failsafe=" kind},       \
        .cell = {"Stack Hit by a Sphere", kind}, .seconds = 13 / 24.0,                                                 \
    }
#define HURRIED(kind)                                                                                                  \
    {                                                                                                                  \
        .name = "boats in a hurry, failsafe " kind, .scene = "fig13_boats_100.yaml",                                   \
        .set = {"world.failsafe=" kind, "world.collision_iterations=2", "world.dynamic_iterations=2"},                 \
        .cell = {BOATS, kind}, .boats = 100,                                                                           \
    }
static const nc_english_row failsafes[] = {STRUCK("none"),  STRUCK("kinematic"),  STRUCK("full"),
                                           HURRIED("none"), HURRIED("kinematic"), HURRIED("full")};

#define ROWS(array) .rows = (array), .row_count = sizeof(array) / sizeof *(array)
static const nc_english_table tables[] = {
    {.figure = "17",
     .file = "english-fig17.md",
     .about =
         "# English Fig. 17: time of a step in several examples\n\n"
         "The mean over the first 200 steps. Each cell is ours and, in brackets, the paper's (2012). Static contact\n"
         "is resting contact. Memory is the most that scene and world held at once; the paper says \"less than "
         "10mb\".\n",
     .heads = {"Example", NULL},
     .layout = NC_ENGLISH_EXAMPLES,
     ROWS(examples)},
    {.figure = "18",
     .file = "english-fig18.md",
     .about = "# English Fig. 18: a stack of boats hit by a ball, at several time steps\n\n"
              "The example of Fig. 15, two seconds of it. The paper's cost of the two seconds falls with larger steps; "
              "ours has\n"
              "no such trend.\n",
     .heads = {"Time Step Size", NULL},
     .layout = NC_ENGLISH_TIMES,
     ROWS(time_steps)},
    {.figure = "19",
     .file = "english-fig19.md",
     .about =
         "# English Fig. 19: a thousand boats, with several limits of iterations\n\n"
         "The example of Fig. 13, its first 200 steps. Rounds of collisions end by themselves after 48 at the latest,\n"
         "because pairs that are left are solved together: limits above what a step needs give the same motion. With\n"
         "`collide_in_batches: false` they go to the limit.\n",
     .heads = {"Collisions/Dynamic Contact Iterations", "Static Contact Iterations"},
     .layout = NC_ENGLISH_TIMES,
     ROWS(iterations)},
    {.figure = "9",
     .file = "english-failsafe.md",
     .about =
         "# What each kind of failsafe keeps of the motion\n\n"
         "The stack of Fig. 9 (13 steps, one iteration of everything) and the hundred boats of Fig. 13 with two\n"
         "iterations of collisions and of dynamic contact (200 steps). Motion is travel and turn times radius, summed\n"
         "over bodies and steps: what dynamic contact proposed, and the part of it that was carried out. Sticks and\n"
         "halts are what certify still had to do after the failsafe.\n",
     .heads = {"Example", "Failsafe"},
     .layout = NC_ENGLISH_FAILSAFES,
     ROWS(failsafes)},
};

const nc_english_table *nc_english_tables(int *out_count)
{
    *out_count = sizeof tables / sizeof *tables;
    return tables;
}
