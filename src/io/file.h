// Inside io: whole files in, files out under their name only when complete, numbers that no locale changes.
#ifndef NC_IO_FILE_H
#define NC_IO_FILE_H

#include "base/base.h"

#include <locale.h>

// A file in memory, with a zero byte after its end.
typedef struct nc_file_text {
    char *data;
    size_t size; // without the zero byte
    nc_allocator allocator;
} nc_file_text;

// NC_NOT_FOUND when it does not exist; NC_IO when it is no regular file or cannot be read.
nc_code nc_file_read(const char *path, const nc_allocator *allocator, nc_file_text *out, nc_error *err);
void nc_file_free(nc_file_text *text);
// Reads up to `room` bytes from the start of a file, and its whole size. Errors as above.
nc_code nc_file_read_head(const char *path, char *bytes, size_t room, size_t *out_count, size_t *out_size,
                          nc_error *err);

// A file being written beside its final place. Writing never fails visibly: the first error is kept, and
// nc_writer_close reports it. Either the whole file is there under its name, or what was there before is.
typedef struct nc_writer {
    const char *path; // borrowed
    char *temporary;
    size_t temporary_size;
    int fd;
    int error; // errno of the first failure, 0 for none
    uint8_t *block;
    size_t used;
    nc_allocator allocator;
} nc_writer;

nc_code nc_writer_open(nc_writer *writer, const char *path, const nc_allocator *allocator, nc_error *err);
void nc_writer_bytes(nc_writer *writer, const void *bytes, size_t size);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nc_writer_text(nc_writer *writer, const char *format, ...); // at most 511 characters per call
#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
void nc_writer_text_v(nc_writer *writer, const char *format, va_list args);
// Moves the file to its place when `keep` and nothing failed, else removes it. Frees everything either way.
nc_code nc_writer_close(nc_writer *writer, bool keep, nc_error *err);

// Numbers are written and read with a '.', whatever the program's locale. Between enter and leave the calling thread
// is in the C locale. False when there is no memory for that.
typedef struct nc_c_locale {
    locale_t c;
    locale_t before;
} nc_c_locale;
bool nc_c_locale_enter(nc_c_locale *state);
void nc_c_locale_leave(nc_c_locale *state);

// Reads a decimal number ([+-]digits[.digits][e[+-]digits]) rounded correctly. Returns where it ends, or NULL when
// none starts here. Call it in the C locale. Too large a number gives infinity.
const char *nc_number_scan(const char *text, double *out);

#endif
