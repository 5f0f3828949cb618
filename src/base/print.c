// Formatted text into buffers.
#include "base/base.h"

#include <stdio.h>

bool nc_buffer_print_v(nc_buffer *buffer, const char *format, va_list args)
{
    char text[1024];
    const int size = vsnprintf(text, sizeof text, format, args);
    return size >= 0 && (size_t)size < sizeof text && nc_buffer_append(buffer, text, (size_t)size);
}

bool nc_buffer_print(nc_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const bool done = nc_buffer_print_v(buffer, format, args);
    va_end(args);
    return done;
}
