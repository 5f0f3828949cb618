// Messages, colours, sizes, and the exit code of an error.
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

nc_exit nc_exit_of(nc_code code)
{
    switch (code) {
    case NC_OK:
        return NC_EXIT_DONE;
    case NC_BAD_ARGUMENT: // options are checked before the library sees them: the value came from a file
    case NC_BAD_FILE:
    case NC_BAD_SCENE:
        return NC_EXIT_BAD_INPUT;
    case NC_INTERSECTING:
        return NC_EXIT_INTERSECTING;
    case NC_BROKEN_PROMISE:
        return NC_EXIT_BROKEN_PROMISE;
    case NC_OUT_OF_MEMORY:
    case NC_IO:
    case NC_NOT_FOUND:
        return NC_EXIT_IO;
    case NC_UNSUPPORTED:
        return NC_EXIT_USAGE;
    case NC_JAMMED: // the scene asked for a run without one
        return NC_EXIT_CHECK_FAILED;
    case NC_INTERRUPTED:
        return NC_EXIT_INTERRUPTED;
    case NC_CODE_COUNT:
        break;
    }
    return NC_EXIT_BROKEN_PROMISE;
}

nc_exit nc_complain(const nc_error *err)
{
    char text[sizeof err->file + sizeof err->text + 64];
    fprintf(stderr, "%snacre:%s %s\n", nc_red(stderr), nc_plain(stderr), nc_error_format(err, text, sizeof text));
    if (err->code == NC_BROKEN_PROMISE)
        fprintf(stderr,
                "This is a defect in Nacre. Please report it with the scene and the output of nacre --version.\n");
    return nc_exit_of(err->code);
}

nc_exit nc_complain_usage(const char *format, ...)
{
    fprintf(stderr, "%snacre:%s ", nc_red(stderr), nc_plain(stderr));
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return NC_EXIT_USAGE;
}

void nc_say(bool quiet, const char *format, ...)
{
    if (quiet)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

bool nc_uses_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    return isatty(fileno(stream)) && term != NULL && strcmp(term, "dumb") != 0;
}

static const char *escape(FILE *stream, const char *sequence)
{
    return nc_uses_color(stream) ? sequence : "";
}

const char *nc_bold(FILE *stream)
{
    return escape(stream, "\033[1m");
}

const char *nc_red(FILE *stream)
{
    return escape(stream, "\033[31m");
}

const char *nc_green(FILE *stream)
{
    return escape(stream, "\033[32m");
}

const char *nc_plain(FILE *stream)
{
    return escape(stream, "\033[0m");
}

const char *nc_duration_text(double seconds, char *out, size_t out_size)
{
    if (!(seconds >= 0 && seconds < 1e9))
        seconds = 0;
    const long whole = (long)(seconds + 0.5);
    const long hours = whole / 3600, minutes = whole / 60 % 60;
    if (hours > 0)
        snprintf(out, out_size, "%ld:%02ld:%02ld", hours, minutes, whole % 60);
    else
        snprintf(out, out_size, "%ld:%02ld", minutes, whole % 60);
    return out;
}
