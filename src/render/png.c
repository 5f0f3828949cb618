// Pictures as PNG, by libpng.
#include "render/render.h"

#ifdef NC_WITH_RENDER
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Everything that lives across a jump of libpng's is in here.
typedef struct png_work {
    png_structp png;
    png_infop info;
    FILE *file;
    char sentence[256];
} png_work;

static void on_error(png_structp png, png_const_charp sentence)
{
    png_work *work = png_get_error_ptr(png);
    snprintf(work->sentence, sizeof work->sentence, "%s", sentence);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp sentence)
{
    (void)png;
    (void)sentence;
}

// Rows of bytes as libpng takes them.
typedef struct png_rows {
    int width, height;
    int depth; // [bit] 8: red, green, blue; 16: grey, high byte first
    const uint8_t *bytes;
} png_rows;

static bool write_all(png_work *work, const png_rows *rows)
{
    const int bytes = rows->depth == 16 ? 2 : 3;
    if (setjmp(png_jmpbuf(work->png)) != 0)
        return false;
    png_init_io(work->png, work->file);
    png_set_compression_level(work->png, 9);
    png_set_IHDR(work->png, work->info, (png_uint_32)rows->width, (png_uint_32)rows->height, rows->depth,
                 rows->depth == 16 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (rows->depth == 8)
        png_set_sRGB_gAMA_and_cHRM(work->png, work->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(work->png, work->info);
    for (int y = 0; y < rows->height; y++)
        png_write_row(work->png, rows->bytes + (size_t)y * (size_t)rows->width * (size_t)bytes);
    png_write_end(work->png, work->info);
    return true;
}

static nc_code write_file(const png_rows *rows, FILE *file, const char *path, nc_error *err)
{
    png_work work = {.file = file};
    work.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &work, on_error, on_warning);
    if (work.png == NULL)
        return nc_fail_memory(err, 4096);
    work.info = png_create_info_struct(work.png);
    const bool done = work.info != NULL && write_all(&work, rows);
    png_destroy_write_struct(&work.png, &work.info);
    if (!done)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path,
                       work.sentence[0] != '\0' ? work.sentence : "out of memory");
    return NC_OK;
}

// To a temporary name first, so that a failure leaves no half picture.
static nc_code write_rows(const png_rows *rows, const char *path, nc_error *err)
{
    char temporary[1100];
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    nc_code code = write_file(rows, file, path, err);
    if (fclose(file) != 0 && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    if (code == NC_OK && rename(temporary, path) != 0)
        code = nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    if (code != NC_OK)
        unlink(temporary);
    return code;
}

nc_code nc_png_write(const nc_picture *picture, const char *path, nc_error *err)
{
    const png_rows rows = {picture->width, picture->height, 8, picture->rgb};
    return write_rows(&rows, path, err);
}

nc_code nc_png_write_wholes(const nc_floats *picture, const char *path, nc_error *err)
{
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    uint8_t *bytes = malloc(2 * count);
    if (bytes == NULL)
        return nc_fail_memory(err, 2 * count);
    for (size_t i = 0; i < count; i++) {
        const unsigned value = (unsigned)picture->data[i];
        bytes[2 * i] = (uint8_t)(value >> 8);
        bytes[2 * i + 1] = (uint8_t)value;
    }
    const png_rows rows = {picture->width, picture->height, 16, bytes};
    const nc_code code = write_rows(&rows, path, err);
    free(bytes);
    return code;
}
#endif
