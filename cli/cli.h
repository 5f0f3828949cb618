// What the commands of `nacre` share: exit codes, option tables, messages.
//
// Conventions: data on stdout, messages on stderr, progress only on a terminal, colour only where it is wanted.
#ifndef NC_CLI_CLI_H
#define NC_CLI_CLI_H

#include "nacre/nacre.h"

#include "progress.h"

#include "base/base.h"
#include "reel/reel.h"

#include <stddef.h>
#include <stdio.h>

// ---- exit codes ---------------------------------------------------------------------------------------------

typedef enum nc_exit {
    NC_EXIT_DONE = 0,
    NC_EXIT_CHECK_FAILED = 1,   // something that was to be judged is not as it must be
    NC_EXIT_USAGE = 2,          // the command line was wrong, or asks for what this version does not have
    NC_EXIT_BAD_INPUT = 3,      // a scene, a mesh or a run file is wrong
    NC_EXIT_INTERSECTING = 4,   // the scene starts intersecting
    NC_EXIT_BROKEN_PROMISE = 5, // a defect in Nacre
    NC_EXIT_IO = 6,             // disk, file system or memory
    NC_EXIT_INTERRUPTED = 130,  // stopped by a signal; the run can be resumed
} nc_exit;

// The one place where library codes become exit codes.
nc_exit nc_exit_of(nc_code code);

// ---- messages -----------------------------------------------------------------------------------------------

// "nacre: file:line:column: sentence" on stderr. Returns the exit code that goes with the error.
nc_exit nc_complain(const nc_error *err);
// "nacre: " and a formatted sentence on stderr; returns NC_EXIT_USAGE.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
nc_exit
nc_complain_usage(const char *format, ...);
// A sentence on stderr unless `quiet`.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nc_say(bool quiet, const char *format, ...);

// True when `stream` is a terminal that shows colour (NO_COLOR unset or empty, TERM not dumb).
bool nc_uses_color(FILE *stream);
// Escape sequences, or "" where colour is off.
const char *nc_bold(FILE *stream);
const char *nc_red(FILE *stream);
const char *nc_green(FILE *stream);
const char *nc_plain(FILE *stream);

// "1:02:03" or "0:07" into `out`; returns `out`.
const char *nc_duration_text(double seconds, char *out, size_t out_size);

// ---- options ------------------------------------------------------------------------------------------------

// Words given to an option that may be repeated, or the arguments that are no options. Free with nc_words_free.
typedef struct nc_words {
    const char **items;
    int count;
} nc_words;
void nc_words_free(nc_words *words);

typedef enum nc_option_kind {
    NC_OPTION_FLAG,   // bool
    NC_OPTION_TEXT,   // const char *
    NC_OPTION_LIST,   // nc_words; may be repeated
    NC_OPTION_WHOLE,  // int64_t in [low, high]
    NC_OPTION_NUMBER, // double in [low, high]; a ratio such as 1/24 is a number
    NC_OPTION_FRAMES  // nc_frame_range
} nc_option_kind;

typedef struct nc_option {
    const char *name; // without the dashes
    char letter;      // 0: no short form
    nc_option_kind kind;
    const char *value; // what the help calls its value; NULL for a flag
    size_t offset;     // of the field in the command's settings
    double low, high;  // for numbers, both included
    const char *about;
} nc_option;

typedef struct nc_command {
    const char *name;
    const char *arguments; // "SCENE" as the usage line shows it
    const char *about;     // one short sentence
    const char *details;   // paragraphs of the help, ending in a newline; "" for none
    const char *examples;  // "nacre run boats.yaml\n..." one per line
    const nc_option *options;
    int option_count;
    int min_arguments, max_arguments;
    int (*run)(const struct nc_command *command, int argc, char **argv);
} nc_command;

typedef enum nc_parse { NC_PARSE_OK, NC_PARSE_HELP, NC_PARSE_WRONG } nc_parse;

// Reads argv[0 .. argc) (after the command's name) into `settings` by the command's table. NC_PARSE_HELP: help was
// asked for and printed. NC_PARSE_WRONG: the mistake was printed. Lists and `arguments` are to be freed in any case.
nc_parse nc_options_parse(const nc_command *command, int argc, char **argv, void *settings, nc_words *arguments);
void nc_options_free(const nc_command *command, void *settings, nc_words *arguments);

// What most commands are: reads the command line into `settings`, lets `work` do it, frees what the table made.
typedef nc_exit (*nc_command_worker)(const nc_words *arguments, void *settings);
int nc_command_work(const nc_command *command, int argc, char **argv, void *settings, nc_command_worker work);

// The help of a command, made from its table.
void nc_help_print(const nc_command *command, FILE *out);

// ---- commands -----------------------------------------------------------------------------------------------

extern const nc_command nc_command_bench;
extern const nc_command nc_command_check;
extern const nc_command nc_command_completion;
extern const nc_command nc_command_doctor;
extern const nc_command nc_command_export;
extern const nc_command nc_command_import;
extern const nc_command nc_command_info;
extern const nc_command nc_command_new;
extern const nc_command nc_command_pattern;
extern const nc_command nc_command_plot;
extern const nc_command nc_command_query;
extern const nc_command nc_command_render;
extern const nc_command nc_command_repair;
extern const nc_command nc_command_run;
extern const nc_command nc_command_study;
extern const nc_command nc_command_view;

// All commands there are, in the order of the help.
const nc_command *const *nc_command_list(int *out_count);

#endif
