// Pictures of 32-bit floats as OpenEXR: uncompressed scan lines, as its documentation of the file layout has it.
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_u32(FILE *file, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(value >> (8 * i) & 255), file);
}

static void put_float(FILE *file, float value)
{
    put_u32(file, nc_float_bits(value));
}

static void put_attribute(FILE *file, const char *name, const char *type, uint32_t size)
{
    fwrite(name, 1, strlen(name) + 1, file);
    fwrite(type, 1, strlen(type) + 1, file);
    put_u32(file, size);
}

static void put_window(FILE *file, const char *name, const nc_floats *picture)
{
    put_attribute(file, name, "box2i", 16);
    put_u32(file, 0);
    put_u32(file, 0);
    put_u32(file, (uint32_t)picture->width - 1);
    put_u32(file, (uint32_t)picture->height - 1);
}

// Channels are in the order of their names: Y, or B, G, R.
static void put_header(FILE *file, const nc_floats *picture)
{
    put_u32(file, 20000630);
    put_u32(file, 2);
    put_attribute(file, "channels", "chlist", (uint32_t)picture->channels * 18 + 1);
    for (int c = 0; c < picture->channels; c++) {
        fputc(picture->channels == 1 ? 'Y' : "BGR"[c], file);
        fputc(0, file);
        put_u32(file, 2); // float
        put_u32(file, 0); // linear, three bytes of nothing
        put_u32(file, 1);
        put_u32(file, 1);
    }
    fputc(0, file);
    put_attribute(file, "compression", "compression", 1);
    fputc(0, file);
    put_window(file, "dataWindow", picture);
    put_window(file, "displayWindow", picture);
    put_attribute(file, "lineOrder", "lineOrder", 1);
    fputc(0, file);
    put_attribute(file, "pixelAspectRatio", "float", 4);
    put_float(file, 1);
    put_attribute(file, "screenWindowCenter", "v2f", 8);
    put_float(file, 0);
    put_float(file, 0);
    put_attribute(file, "screenWindowWidth", "float", 4);
    put_float(file, 1);
    fputc(0, file);
}

static void put_all(FILE *file, const nc_floats *picture)
{
    put_header(file, picture);
    const uint64_t line = (uint64_t)picture->width * (uint64_t)picture->channels * 4;
    const uint64_t first = (uint64_t)ftell(file) + 8 * (uint64_t)picture->height;
    for (int y = 0; y < picture->height; y++) {
        const uint64_t at = first + (uint64_t)y * (line + 8);
        put_u32(file, (uint32_t)at);
        put_u32(file, (uint32_t)(at >> 32));
    }
    for (int y = 0; y < picture->height; y++) {
        const float *row = picture->data + (size_t)y * (size_t)picture->width * (size_t)picture->channels;
        put_u32(file, (uint32_t)y);
        put_u32(file, (uint32_t)line);
        for (int c = picture->channels - 1; c >= 0; c--) // blue first
            for (int x = 0; x < picture->width; x++)
                put_float(file, row[x * picture->channels + c]);
    }
}

// To a temporary name first, so that a failure leaves no half picture.
nc_code nc_exr_write(const nc_floats *picture, const char *path, nc_error *err)
{
    char temporary[1100];
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    put_all(file, picture);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad || rename(temporary, path) != 0) {
        const int why = errno;
        unlink(temporary);
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(why));
    }
    return NC_OK;
}
