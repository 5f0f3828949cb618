// Wavefront OBJ, in double precision. What is kept: v, f, l, p, and where o and g are. Every other statement is
// skipped.
//
// Polygons become triangles by ear clipping (nc_polygon_triangulate), so concave faces come out right. The vertex of
// a corner such as 7/2/3 or -1//4 is its first number; texture and normal numbers are only checked to be numbers.
// A face may use the vertices above it only. Lines may end in LF, CR LF or CR and continue after a backslash.
#include "io/soup.h"

#include <stdio.h>
#include <string.h>

#define MAX_CORNERS 4096 // of one face: ear clipping takes the square of it at worst

typedef struct obj_reader {
    const char *path;
    const char *at;         // what is read next
    const char *end;        // the zero byte after the text
    const char *line_start; // of the line that `at` is in
    int line;               // counts from 1
    nc_soup *soup;
    NC_ARRAY(int) corners;    // of the statement being read
    NC_ARRAY(nc_vec3) places; // of those
    NC_ARRAY(nc_soup_triangle) cut;
    NC_ARRAY(int) scratch;
    nc_error *err;
} obj_reader;

// ---- characters ---------------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// The zero byte counts as an end; a zero byte inside the text is found by the main loop.
static bool ends_statement(char c)
{
    return c == '\n' || c == '\r' || c == '#' || c == '\0';
}

static bool ends_word(char c)
{
    return is_blank(c) || ends_statement(c) || c == '\\';
}

static void skip_newline(obj_reader *reader)
{
    reader->at += reader->at[0] == '\r' && reader->at[1] == '\n' ? 2 : 1;
    reader->line++;
    reader->line_start = reader->at;
}

// Skips blanks and backslashes at the end of a line.
static void skip_blanks(obj_reader *reader)
{
    for (;;) {
        if (is_blank(*reader->at)) {
            reader->at++;
        } else if (reader->at[0] == '\\' && (reader->at[1] == '\n' || reader->at[1] == '\r')) {
            reader->at++;
            skip_newline(reader);
        } else {
            return;
        }
    }
}

// True when another word of this statement starts here.
static bool has_word(obj_reader *reader)
{
    skip_blanks(reader);
    return !ends_statement(*reader->at);
}

static void skip_statement(obj_reader *reader)
{
    // a comment ends with its line; anything else may continue after a backslash
    while (!ends_statement(*reader->at)) {
        if (*reader->at == '\\')
            skip_blanks(reader);
        if (!ends_statement(*reader->at))
            reader->at++;
    }
    while (*reader->at != '\n' && *reader->at != '\r' && *reader->at != '\0')
        reader->at++;
}

// ---- errors -------------------------------------------------------------------------------------------------

static nc_code complain(const obj_reader *reader, const char *what)
{
    const int column = (int)(reader->at - reader->line_start) + 1;
    return nc_fail_at(reader->err, NC_BAD_FILE, reader->path, reader->line, column, "%s", what);
}

// Complains about the word at hand: "found 'xyz', ..." with what is wrong about it.
static nc_code complain_word(const obj_reader *reader, const char *problem)
{
    char word[41], text[200];
    size_t length = 0;
    while (length < sizeof word - 1 && !ends_word(reader->at[length])) {
        const char c = reader->at[length];
        word[length++] = c >= 32 && c < 127 ? c : '?';
    }
    word[length] = '\0';
    snprintf(text, sizeof text, "found '%s', %s", word, problem);
    return complain(reader, text);
}

static nc_code out_of_memory(const obj_reader *reader)
{
    return nc_fail_at(reader->err, NC_OUT_OF_MEMORY, reader->path, reader->line, 0, "out of memory");
}

// ---- v ------------------------------------------------------------------------------------------------------

static bool says_not_finite(const char *at)
{
    at += *at == '-' || *at == '+';
    const char a = (char)(at[0] | 32), b = a != ' ' ? (char)(at[1] | 32) : '\0';
    return (a == 'n' && b == 'a') || (a == 'i' && b == 'n');
}

static nc_code read_coordinate(obj_reader *reader, double *out)
{
    const char *end = nc_number_scan(reader->at, out);
    if (end == NULL || !ends_word(*end))
        return complain_word(reader, says_not_finite(reader->at) ? "but a coordinate must be a finite number"
                                                                 : "but a coordinate must be a number");
    if (!nc_soup_legal_coordinate(out))
        return complain_word(reader, "but a coordinate must not be larger than 2^100");
    reader->at = end;
    return NC_OK;
}

static nc_code read_vertex(obj_reader *reader)
{
    double xyz[3];
    for (int i = 0; i < 3; i++) {
        if (!has_word(reader))
            return complain(reader, "a vertex needs three coordinates");
        const nc_code code = read_coordinate(reader, &xyz[i]);
        if (code != NC_OK)
            return code;
    }
    // a weight or a colour may follow
    while (has_word(reader)) {
        double ignored;
        const nc_code code = read_coordinate(reader, &ignored);
        if (code != NC_OK)
            return code;
    }
    const nc_vec3 vertex = nc_v3(xyz[0], xyz[1], xyz[2]);
    return nc_array_push(&reader->soup->allocator, &reader->soup->vertices, vertex) ? NC_OK : out_of_memory(reader);
}

// ---- corners of f, l, p -------------------------------------------------------------------------------------

// Reads [+-]digits; NULL when there are none. Large numbers stop growing: no index is that large.
static const char *scan_index(const char *at, long long *out)
{
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (*at < '0' || *at > '9')
        return NULL;
    long long value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value < 1000000000000 ? value * 10 + (*at - '0') : value;
    *out = negative ? -value : value;
    return at;
}

// Skips "/2/3", "//3" or "/2" after a vertex number; NULL when it is something else.
static const char *skip_other_indices(const char *at)
{
    for (int i = 0; i < 2 && *at == '/'; i++) {
        at++;
        long long ignored;
        const char *end = scan_index(at, &ignored);
        if (end == NULL && !(i == 0 && (*at == '/' || ends_word(*at))))
            return NULL;
        at = end != NULL ? end : at;
    }
    return ends_word(*at) ? at : NULL;
}

static nc_code read_corner(obj_reader *reader, int *out)
{
    long long index = 0;
    const char *end = scan_index(reader->at, &index);
    end = end != NULL ? skip_other_indices(end) : NULL;
    if (end == NULL)
        return complain_word(reader, "but a corner is written 7, 7/2, 7//3 or 7/2/3");
    const int count = reader->soup->vertices.count;
    const long long row = index > 0 ? index - 1 : count + index;
    if (index == 0)
        return complain_word(reader, "but vertices count from 1 (or back from -1)");
    if (row < 0 || row >= count) {
        char problem[80];
        snprintf(problem, sizeof problem, "but only %d vertices exist up to here", count);
        return complain_word(reader, problem);
    }
    *out = (int)row;
    reader->at = end;
    return NC_OK;
}

static nc_code read_corners(obj_reader *reader)
{
    reader->corners.count = 0;
    while (has_word(reader)) {
        int corner = 0;
        const nc_code code = read_corner(reader, &corner);
        if (code != NC_OK)
            return code;
        if (!nc_array_push(&reader->soup->allocator, &reader->corners, corner))
            return out_of_memory(reader);
    }
    return NC_OK;
}

static nc_code read_points(obj_reader *reader)
{
    nc_code code = read_corners(reader);
    if (code == NC_OK && reader->corners.count == 0)
        code = complain(reader, "a point statement names no vertex");
    for (int i = 0; code == NC_OK && i < reader->corners.count; i++)
        if (!nc_array_push(&reader->soup->allocator, &reader->soup->points, reader->corners.data[i]))
            code = out_of_memory(reader);
    return code;
}

static nc_code read_line(obj_reader *reader)
{
    nc_code code = read_corners(reader);
    if (code == NC_OK && reader->corners.count < 2)
        code = complain(reader, "a line needs at least two vertices");
    for (int i = 1; code == NC_OK && i < reader->corners.count; i++)
        if (!nc_soup_add_edge(reader->soup, reader->corners.data[i - 1], reader->corners.data[i]))
            code = out_of_memory(reader);
    return code;
}

// ---- f ------------------------------------------------------------------------------------------------------

// Takes out corners that repeat the one before, round the corner too.
static void drop_repeats(obj_reader *reader)
{
    int *corners = reader->corners.data, kept = 0;
    for (int i = 0; i < reader->corners.count; i++)
        if (kept == 0 || corners[i] != corners[kept - 1])
            corners[kept++] = corners[i];
    while (kept > 1 && corners[kept - 1] == corners[0])
        kept--;
    reader->corners.count = kept;
}

static nc_code cut_polygon(obj_reader *reader)
{
    const nc_allocator *allocator = &reader->soup->allocator;
    const int count = reader->corners.count;
    const int *corners = reader->corners.data;
    if (!nc_array_reserve(allocator, &reader->places, count) || !nc_array_reserve(allocator, &reader->cut, count) ||
        !nc_array_reserve(allocator, &reader->scratch, NC_POLYGON_SCRATCH(count)))
        return out_of_memory(reader);
    for (int i = 0; i < count; i++)
        reader->places.data[i] = reader->soup->vertices.data[corners[i]];
    nc_polygon_triangulate(reader->places.data, count, (int(*)[3])reader->cut.data, reader->scratch.data);
    for (int i = 0; i < count - 2; i++) {
        const int *v = reader->cut.data[i].v;
        if (!nc_soup_add_triangle(reader->soup, corners[v[0]], corners[v[1]], corners[v[2]]))
            return out_of_memory(reader);
    }
    return NC_OK;
}

static nc_code read_face(obj_reader *reader)
{
    const nc_code code = read_corners(reader);
    if (code != NC_OK)
        return code;
    if (reader->corners.count < 3)
        return complain(reader, "a face needs at least three corners");
    if (reader->corners.count > MAX_CORNERS)
        return complain(reader, "a face has more than 4096 corners");
    if (reader->corners.count > 3)
        drop_repeats(reader);
    const int *c = reader->corners.data;
    if (reader->corners.count < 3) {
        reader->soup->dropped++;
        return NC_OK;
    }
    if (reader->corners.count > 3)
        return cut_polygon(reader);
    return nc_soup_add_triangle(reader->soup, c[0], c[1], c[2]) ? NC_OK : out_of_memory(reader);
}

// ---- o and g ------------------------------------------------------------------------------------------------

// The name is the rest of the line, without blanks at its ends.
static nc_code read_mark(obj_reader *reader, char kind)
{
    const nc_soup *soup = reader->soup;
    skip_blanks(reader);
    const char *end = reader->at;
    while (!ends_statement(*end) && *end != '\\')
        end++;
    while (end > reader->at && is_blank(end[-1]))
        end--;
    const size_t length = (size_t)(end - reader->at);
    const nc_soup_mark mark = {kind,
                               reader->at,
                               length < INT32_MAX ? (int)length : 0,
                               soup->triangles.count,
                               soup->edges.count,
                               soup->points.count};
    return nc_array_push(&reader->soup->allocator, &reader->soup->marks, mark) ? NC_OK : out_of_memory(reader);
}

// ---- statements ---------------------------------------------------------------------------------------------

static nc_code read_statement(obj_reader *reader)
{
    skip_blanks(reader);
    const char kind = *reader->at;
    if (kind != '\0' && !ends_statement(kind) && ends_word(reader->at[1])) {
        reader->at++;
        nc_code code = NC_OK;
        switch (kind) {
        case 'v':
            code = read_vertex(reader);
            break;
        case 'f':
            code = read_face(reader);
            break;
        case 'l':
            code = read_line(reader);
            break;
        case 'p':
            code = read_points(reader);
            break;
        case 'o':
        case 'g':
            code = read_mark(reader, kind);
            break;
        default:
            break;
        }
        if (code != NC_OK)
            return code;
    }
    skip_statement(reader);
    return NC_OK;
}

static nc_code read_statements(obj_reader *reader)
{
    while (reader->at < reader->end) {
        const nc_code code = read_statement(reader);
        if (code != NC_OK)
            return code;
        if (*reader->at == '\0' && reader->at < reader->end)
            return complain(reader, "found a zero byte: this is not a text file");
        if (reader->at < reader->end)
            skip_newline(reader);
    }
    return NC_OK;
}

nc_code nc_obj_parse(const nc_file_text *text, const char *path, nc_soup *soup, nc_error *err)
{
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return nc_fail_memory(err, sizeof locale);
    obj_reader reader = {.path = path,
                         .at = text->data,
                         .end = text->data + text->size,
                         .line_start = text->data,
                         .line = 1,
                         .soup = soup,
                         .err = err};
    // a byte order mark, as some editors write it
    if (text->size >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
        reader.at += 3;
    const nc_code code = read_statements(&reader);
    nc_array_free(&soup->allocator, &reader.corners);
    nc_array_free(&soup->allocator, &reader.places);
    nc_array_free(&soup->allocator, &reader.cut);
    nc_array_free(&soup->allocator, &reader.scratch);
    nc_c_locale_leave(&locale);
    return code;
}
