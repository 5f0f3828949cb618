// Lines of a .usda file.
#include "io/usd.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void nc_usd_indent(nc_usd *usd)
{
    for (int i = 0; i < usd->depth; i++)
        nc_writer_bytes(&usd->writer, "    ", 4);
}

void nc_usd_line(nc_usd *usd, const char *format, ...)
{
    va_list args;
    nc_usd_indent(usd);
    va_start(args, format);
    nc_writer_text_v(&usd->writer, format, args);
    va_end(args);
    nc_writer_bytes(&usd->writer, "\n", 1);
}

void nc_usd_string(nc_usd *usd, const char *name, const char *text)
{
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "%s = \"", name);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const size_t length = nc_utf8_length(c);
        if (length == 0 || (*c < 32 && *c != '\n'))
            nc_writer_bytes(&usd->writer, "?", 1);
        else if (*c == '\n')
            nc_writer_bytes(&usd->writer, "\\n", 2);
        else if (*c == '"' || *c == '\\')
            nc_writer_text(&usd->writer, "\\%c", *c);
        else
            nc_writer_bytes(&usd->writer, c, length);
        c += length > 0 ? length : 1;
    }
    nc_writer_bytes(&usd->writer, "\"\n", 2);
}

void nc_usd_open(nc_usd *usd, const char *kind, const char *name, const char *metadata)
{
    if (metadata[0] == '\0') {
        nc_usd_line(usd, "%s \"%s\"", kind, name);
    } else {
        nc_usd_line(usd, "%s \"%s\" (", kind, name);
        usd->depth++;
        for (const char *at = metadata; *at != '\0';) {
            const size_t length = strcspn(at, "\n");
            nc_usd_line(usd, "%.*s", (int)length, at);
            at += length + (at[length] == '\n');
        }
        usd->depth--;
        nc_usd_line(usd, ")");
    }
    nc_usd_line(usd, "{");
    usd->depth++;
}

void nc_usd_close(nc_usd *usd)
{
    usd->depth--;
    nc_usd_line(usd, "}");
}

const char *nc_usd_time_code(const nc_usd *usd, double time, char *out, size_t out_size)
{
    const double code = time * usd->rate, whole = floor(code + 0.5);
    if (fabs(code - whole) < 1e-4) // times are multiples of the step but for rounding
        snprintf(out, out_size, "%.0f", whole + 0.0);
    else
        snprintf(out, out_size, "%.9g", code);
    return out;
}
