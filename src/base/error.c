// Errors: a code, a sentence, a place.
#include "base/base.h"

#ifdef __clang_analyzer__ // the functions themselves, not what the analyzer is told about them
#undef nc_fail
#undef nc_fail_at
#undef nc_fail_memory
#endif

#include <stdio.h>
#include <string.h>

static const char *const code_names[NC_CODE_COUNT] = {
    "NC_OK",        "NC_BAD_ARGUMENT", "NC_OUT_OF_MEMORY",  "NC_BAD_FILE",
    "NC_BAD_SCENE", "NC_INTERSECTING", "NC_BROKEN_PROMISE", "NC_IO",
    "NC_NOT_FOUND", "NC_UNSUPPORTED",  "NC_JAMMED",         "NC_INTERRUPTED",
};

const char *nc_code_name(nc_code code)
{
    return (unsigned)code < NC_CODE_COUNT ? code_names[code] : "NC_UNKNOWN";
}

const char *nc_error_format(const nc_error *err, char *out, size_t out_size)
{
    if (out_size == 0)
        return out;
    char place[sizeof err->file + 32] = "";
    if (err->file[0] != '\0' && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", err->file, err->line, err->column);
    else if (err->file[0] != '\0' && err->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", err->file, err->line);
    else if (err->file[0] != '\0')
        snprintf(place, sizeof place, "%s: ", err->file);
    snprintf(out, out_size, "%s%s", place, err->text);
    return out;
}

static void fill(nc_error *err, nc_code code, const char *file, int line, int column, const char *format, va_list args)
{
    memset(err, 0, sizeof *err);
    err->code = code;
    err->line = line;
    err->column = column;
    if (file != NULL)
        snprintf(err->file, sizeof err->file, "%s", file);
    vsnprintf(err->text, sizeof err->text, format, args);
}

nc_code nc_fail(nc_error *err, nc_code code, const char *format, ...)
{
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, format);
    fill(err, code, NULL, 0, 0, format, args);
    va_end(args);
    return code;
}

nc_code nc_fail_at(nc_error *err, nc_code code, const char *file, int line, int column, const char *format, ...)
{
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, format);
    fill(err, code, file, line, column, format, args);
    va_end(args);
    return code;
}

nc_code nc_fail_interrupted(nc_error *err)
{
    return nc_fail(err, NC_INTERRUPTED, "interrupted: the step was given up, and nothing of it was kept");
}

nc_code nc_fail_memory(nc_error *err, size_t size)
{
    return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory: %zu bytes were requested", size);
}
