// The paper's tables: English, Lentine and Fedkiw, Figs. 16 to 19, and what each kind of failsafe keeps of the motion.
#ifndef NC_BENCH_ENGLISH_H
#define NC_BENCH_ENGLISH_H

#include "bench/world.h"

// The columns of Fig. 17, of a step.
typedef struct nc_english_times {
    double step;              // [s] all of it
    double swept, respond;    // [s] collisions and dynamic contact: detection, response
    double near_pairs, solve; // [s] static contact: detection, response
} nc_english_times;

// A run of one of the paper's examples.
typedef struct nc_english_row {
    const char *name;       // of the measurement
    const char *scene;      // in the folder of scenes
    const char *set[3];     // keys changed; NULL: none
    const char *cell[2];    // what the table has in its first columns; NULL: none
    double seconds;         // [s] simulated; 0: 200 steps, as in the paper
    int boats;              // bodies.2 is a pile of so many, which --boats limits; 0: it is not
    nc_english_times paper; // [s] of a step; 0: the paper says nothing
} nc_english_row;

// What came out.
typedef struct nc_english_run {
    const nc_english_row *row;
    int bodies;
    nc_bench_steps steps;
    double bytes; // most memory that scene and world held at once
    nc_bench_end end;
} nc_english_run;
nc_english_times nc_english_measured(const nc_english_run *run);

// A table: its file, its rows, and how they are written.
typedef enum nc_english_layout {
    NC_ENGLISH_EXAMPLES, // Fig. 17
    NC_ENGLISH_TIMES,    // Figs. 18 and 19: what was varied, and the time of a step
    NC_ENGLISH_FAILSAFES
} nc_english_layout;
typedef struct nc_english_table {
    const char *figure; // "17"
    const char *file;   // in the folder of results
    const char *about;  // the head of the file: title and what the table shows
    const char *heads[2];
    nc_english_layout layout;
    const nc_english_row *rows;
    int row_count;
} nc_english_table;
const nc_english_table *nc_english_tables(int *out_count);

// Writes the table into `folder`. `limits` says how the runs were cut short; "": they were not.
nc_code nc_english_write(const nc_english_table *table, const nc_english_run *runs, const char *folder,
                         const char *limits, nc_error *err);

#endif
