// Reads command lines by table, and prints the help that the same table gives.
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELP_WIDTH  96
#define HELP_INDENT 26
#define MAX_OPTIONS 32

void nc_words_free(nc_words *words)
{
    free(words->items);
    words->items = NULL;
    words->count = 0;
}

// Appends; the room for `capacity` words is taken at the first one.
static bool words_push(nc_words *words, int capacity, const char *word)
{
    if (words->items == NULL)
        words->items = calloc((size_t)capacity, sizeof *words->items);
    if (words->items == NULL) {
        nc_complain_usage("out of memory");
        return false;
    }
    words->items[words->count++] = word;
    return true;
}

// ---- values -------------------------------------------------------------------------------------------------

static bool read_whole(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = (int64_t)value;
    return end != text && *end == '\0' && errno == 0;
}

// A decimal number, or a ratio of two such as 1/24.
static bool read_number(const char *text, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text)
        return false;
    double divisor = 1;
    if (*end == '/') {
        const char *rest = end + 1;
        divisor = strtod(rest, &end);
        if (end == rest)
            return false;
    }
    *out = value / divisor;
    return *end == '\0' && isfinite(*out);
}

// "a:b", "a:", ":b" or "a"; false when it is none of them.
static bool read_frames(const char *text, nc_frame_range *out)
{
    char first[32];
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (length >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    out->given = true;
    out->first = 0;
    if (length > 0 && !read_whole(first, &out->first))
        return false;
    if (colon == NULL) {
        out->last = out->first;
        return length > 0;
    }
    out->last = -1;
    return colon[1] == '\0' || read_whole(colon + 1, &out->last);
}

static nc_parse wrong_value(const nc_option *option, const char *text, const char *wanted)
{
    nc_complain_usage("--%s expects %s, but '%s' was given", option->name, wanted, text);
    return NC_PARSE_WRONG;
}

static nc_parse out_of_range(const nc_option *option, const char *text)
{
    if (isfinite(option->high))
        nc_complain_usage("--%s must lie between %g and %g, but '%s' was given", option->name, option->low,
                          option->high, text);
    else
        nc_complain_usage("--%s must be at least %g, but '%s' was given", option->name, option->low, text);
    return NC_PARSE_WRONG;
}

static nc_parse store_value(const nc_option *option, void *settings, const char *text, int capacity)
{
    void *field = (char *)settings + option->offset;
    switch (option->kind) {
    case NC_OPTION_FLAG:
        *(bool *)field = true;
        return NC_PARSE_OK;
    case NC_OPTION_TEXT:
        *(const char **)field = text;
        return NC_PARSE_OK;
    case NC_OPTION_LIST:
        return words_push(field, capacity, text) ? NC_PARSE_OK : NC_PARSE_WRONG;
    case NC_OPTION_WHOLE:
        if (!read_whole(text, field))
            return wrong_value(option, text, "a whole number");
        const double whole = (double)*(int64_t *)field;
        return whole >= option->low && whole <= option->high ? NC_PARSE_OK : out_of_range(option, text);
    case NC_OPTION_NUMBER:
        if (!read_number(text, field))
            return wrong_value(option, text, "a number");
        const double number = *(double *)field;
        return number >= option->low && number <= option->high ? NC_PARSE_OK : out_of_range(option, text);
    case NC_OPTION_FRAMES:
        return read_frames(text, field) ? NC_PARSE_OK : wrong_value(option, text, "frames such as 0:24, 100: or -1");
    }
    return NC_PARSE_WRONG;
}

// ---- the command line ---------------------------------------------------------------------------------------

static nc_parse unknown_option(const nc_command *command, const char *name, size_t length)
{
    char word[64];
    const char *names[MAX_OPTIONS];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    for (int i = 0; i < command->option_count && i < MAX_OPTIONS; i++)
        names[i] = command->options[i].name;
    const int nearest = nc_nearest_name(word, names, command->option_count);
    if (nearest >= 0)
        nc_complain_usage("%s has no option --%s. Did you mean --%s?", command->name, word, names[nearest]);
    else
        nc_complain_usage("%s has no option --%s. See: nacre %s --help", command->name, word, command->name);
    return NC_PARSE_WRONG;
}

static const nc_option *find_by_name(const nc_command *command, const char *name, size_t length)
{
    for (int i = 0; i < command->option_count; i++)
        if (strlen(command->options[i].name) == length && strncmp(command->options[i].name, name, length) == 0)
            return &command->options[i];
    return NULL;
}

static const nc_option *find_by_letter(const nc_command *command, char letter)
{
    for (int i = 0; i < command->option_count; i++)
        if (command->options[i].letter == letter && letter != '\0')
            return &command->options[i];
    return NULL;
}

// Where the parser stands.
typedef struct parser {
    const nc_command *command;
    void *settings;
    int argc;
    char **argv;
    int at; // next word
} parser;

// The value is `attached` (after '=' or a letter) or the next word.
static nc_parse take_option(parser *p, const nc_option *option, const char *attached)
{
    if (option->kind == NC_OPTION_FLAG) {
        if (attached == NULL)
            return store_value(option, p->settings, "", p->argc);
        nc_complain_usage("--%s takes no value, but '%s' was given", option->name, attached);
        return NC_PARSE_WRONG;
    }
    if (attached == NULL && p->at >= p->argc) {
        nc_complain_usage("--%s needs a value: --%s %s", option->name, option->name, option->value);
        return NC_PARSE_WRONG;
    }
    return store_value(option, p->settings, attached != NULL ? attached : p->argv[p->at++], p->argc);
}

static nc_parse take_long(parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const nc_option *option = find_by_name(p->command, word, length);
    if (option == NULL)
        return unknown_option(p->command, word, length);
    return take_option(p, option, equals != NULL ? equals + 1 : NULL);
}

// "-o FILE", "-oFILE", and flags in one word ("-qf").
static nc_parse take_short(parser *p, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const nc_option *option = find_by_letter(p->command, *letters);
        if (option == NULL) {
            nc_complain_usage("%s has no option -%c. See: nacre %s --help", p->command->name, *letters,
                              p->command->name);
            return NC_PARSE_WRONG;
        }
        if (option->kind != NC_OPTION_FLAG)
            return take_option(p, option, letters[1] != '\0' ? letters + 1 : NULL);
        take_option(p, option, NULL);
    }
    return NC_PARSE_OK;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static nc_parse check_count(const nc_command *command, const nc_words *arguments)
{
    if (arguments->items != NULL && arguments->count > command->max_arguments) {
        nc_complain_usage("%s: unexpected argument '%s'. Usage: nacre %s %s", command->name,
                          arguments->items[command->max_arguments], command->name, command->arguments);
        return NC_PARSE_WRONG;
    }
    if (arguments->count < command->min_arguments) {
        nc_complain_usage("%s: an argument is missing. Usage: nacre %s %s", command->name, command->name,
                          command->arguments);
        return NC_PARSE_WRONG;
    }
    return NC_PARSE_OK;
}

nc_parse nc_options_parse(const nc_command *command, int argc, char **argv, void *settings, nc_words *arguments)
{
    if (asks_for_help(argc, argv)) {
        nc_help_print(command, stdout);
        return NC_PARSE_HELP;
    }
    parser p = {.command = command, .settings = settings, .argc = argc, .argv = argv};
    bool only_arguments = false;
    while (p.at < argc) {
        const char *word = argv[p.at++];
        nc_parse result = NC_PARSE_OK;
        if (only_arguments || word[0] != '-' || word[1] == '\0')
            result = words_push(arguments, argc, word) ? NC_PARSE_OK : NC_PARSE_WRONG;
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else
            result = word[1] == '-' ? take_long(&p, word + 2) : take_short(&p, word + 1);
        if (result != NC_PARSE_OK)
            return result;
    }
    return check_count(command, arguments);
}

void nc_options_free(const nc_command *command, void *settings, nc_words *arguments)
{
    for (int i = 0; i < command->option_count; i++)
        if (command->options[i].kind == NC_OPTION_LIST)
            nc_words_free((nc_words *)(void *)((char *)settings + command->options[i].offset));
    nc_words_free(arguments);
}

int nc_command_work(const nc_command *command, int argc, char **argv, void *settings, nc_command_worker work)
{
    nc_words arguments = {0};
    nc_exit code = NC_EXIT_USAGE;
    const nc_parse parse = nc_options_parse(command, argc, argv, settings, &arguments);
    if (parse == NC_PARSE_HELP)
        code = NC_EXIT_DONE;
    else if (parse == NC_PARSE_OK)
        code = work(&arguments, settings);
    nc_options_free(command, settings, &arguments);
    return (int)code;
}

// ---- help ---------------------------------------------------------------------------------------------------

// Prints words in columns HELP_INDENT to HELP_WIDTH; the first line is at HELP_INDENT already.
static void print_wrapped(FILE *out, const char *text)
{
    int column = HELP_INDENT;
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column + 1 + length > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        column += fprintf(out, "%s%.*s", column > HELP_INDENT ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const nc_option *option)
{
    char head[80];
    int used = option->letter != '\0' ? snprintf(head, sizeof head, "  -%c, ", option->letter)
                                      : snprintf(head, sizeof head, "      ");
    used += snprintf(head + used, sizeof head - (size_t)used, "--%s%s%s", option->name,
                     option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    if (used + 2 > HELP_INDENT)
        fprintf(out, "%s\n%*s", head, HELP_INDENT, "");
    else
        fprintf(out, "%-*s", HELP_INDENT, head);
    print_wrapped(out, option->about);
}

static void print_examples(FILE *out, const char *examples)
{
    fprintf(out, "\n%sExamples%s\n", nc_bold(out), nc_plain(out));
    while (*examples != '\0') {
        const int length = (int)strcspn(examples, "\n");
        fprintf(out, "  %.*s\n", length, examples);
        examples += length + (examples[length] == '\n');
    }
}

void nc_help_print(const nc_command *command, FILE *out)
{
    fprintf(out, "%s\n\n", command->about);
    fprintf(out, "%sUsage%s\n  nacre %s%s%s%s\n", nc_bold(out), nc_plain(out), command->name,
            command->arguments[0] != '\0' ? " " : "", command->arguments,
            command->option_count > 0 ? " [options]" : "");
    if (command->details[0] != '\0')
        fprintf(out, "\n%s", command->details);
    fprintf(out, "\n%sOptions%s\n", nc_bold(out), nc_plain(out));
    for (int i = 0; i < command->option_count; i++)
        print_option(out, &command->options[i]);
    fprintf(out, "%-*s%s\n", HELP_INDENT, "  -h, --help", "Show this and stop.");
    if (command->examples[0] != '\0')
        print_examples(out, command->examples);
}
