// What headers claim against what files can hold. Readers allocate what a header asks for; this is the gate.
#include "io/soup.h"

#include <string.h>

// A cursor over the head of a file.
typedef struct header_text {
    const char *at, *end;
} header_text;

static nc_code bad_header(const nc_file_head *head, const char *format, const char *what, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, head->path, 0, 0, "is not a %s file: %s", format, what);
}

static nc_code too_many(const nc_file_head *head, const char *what, uint64_t count, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, head->path, 0, 0, "its header claims %llu %s, but the file has only %zu bytes",
                      (unsigned long long)count, what, head->size);
}

// ---- words and lines ----------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

// The next word of the same line; false at its end.
static bool next_word(header_text *text, const char **word, size_t *length)
{
    while (text->at < text->end && is_space(*text->at) && *text->at != '\n')
        text->at++;
    *word = text->at;
    while (text->at < text->end && !is_space(*text->at))
        text->at++;
    *length = (size_t)(text->at - *word);
    return *length > 0;
}

static void next_line(header_text *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
    text->at += text->at < text->end;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

// A count of digits only; false when it is none. Anything beyond 10^15 stays there.
static bool read_count(const char *word, size_t length, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        if (*out < 1000000000000000U)
            *out = *out * 10 + (uint64_t)(word[i] - '0');
    }
    return length > 0;
}

// ---- PLY ----------------------------------------------------------------------------------------------------

// Bytes of a scalar in a binary file; 0 for an unknown type.
static size_t ply_scalar_size(const char *word, size_t length)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
                 {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
                 {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is_word(word, length, types[i].name))
            return types[i].size;
    return 0;
}

typedef struct ply_header {
    bool ascii;
    uint64_t count;   // rows of the element being described
    uint64_t row;     // least bytes of one of its rows
    uint64_t claimed; // least bytes of all rows so far
    uint64_t largest; // the largest count seen
} ply_header;

static void ply_finish_element(ply_header *ply)
{
    // a row of text has at least its line end
    ply->claimed += ply->count * (ply->row > 0 ? ply->row : 1);
    ply->largest = ply->count > ply->largest ? ply->count : ply->largest;
    ply->count = 0;
    ply->row = 0;
}

// The words after "property": a scalar's type, or "list" and the type of its length.
static bool ply_add_property(ply_header *ply, header_text *text)
{
    const char *word;
    size_t length;
    if (!next_word(text, &word, &length))
        return false;
    if (is_word(word, length, "list") && !next_word(text, &word, &length))
        return false;
    const size_t size = ply_scalar_size(word, length);
    ply->row += ply->ascii ? 2 : size;
    return size > 0;
}

// False when the line is not one a PLY header has.
static bool ply_read_line(ply_header *ply, header_text *text, const char *word, size_t length)
{
    const char *value;
    size_t value_length;
    if (is_word(word, length, "format")) {
        if (!next_word(text, &value, &value_length))
            return false;
        ply->ascii = is_word(value, value_length, "ascii");
        return ply->ascii || is_word(value, value_length, "binary_little_endian") ||
               is_word(value, value_length, "binary_big_endian");
    }
    if (is_word(word, length, "element")) {
        ply_finish_element(ply);
        return next_word(text, &value, &value_length) && next_word(text, &value, &value_length) &&
               read_count(value, value_length, &ply->count);
    }
    if (is_word(word, length, "property"))
        return ply_add_property(ply, text);
    return is_word(word, length, "comment") || is_word(word, length, "obj_info");
}

static nc_code check_ply(const nc_file_head *head, nc_error *err)
{
    header_text text = {head->bytes, head->bytes + head->count};
    ply_header ply = {0};
    const char *word;
    size_t length;
    if (!next_word(&text, &word, &length) || !is_word(word, length, "ply"))
        return bad_header(head, "PLY", "it does not start with 'ply'", err);
    for (next_line(&text); text.at < text.end; next_line(&text)) {
        if (!next_word(&text, &word, &length))
            continue;
        if (is_word(word, length, "end_header")) {
            ply_finish_element(&ply);
            next_line(&text);
            // the last row of text may lack its line end
            if (ply.claimed > head->size - (size_t)(text.at - head->bytes) + 1)
                return too_many(head, "rows", ply.largest, err);
            return NC_OK;
        }
        if (!ply_read_line(&ply, &text, word, length))
            return bad_header(head, "PLY", "its header has a line that is none of a PLY header's", err);
        if (ply.count > head->size)
            return too_many(head, "rows", ply.count, err);
    }
    return bad_header(head, "PLY", "its header does not end", err);
}

// ---- STL, OFF, GLB ------------------------------------------------------------------------------------------

// A text STL starts with "solid"; so do some binary ones, but those have exactly the size that they claim.
static nc_code check_stl(const nc_file_head *head, nc_error *err)
{
    const bool text = head->count >= 5 && memcmp(head->bytes, "solid", 5) == 0;
    if (head->count < 84)
        return text ? NC_OK : bad_header(head, "STL", "it is shorter than the header of a binary one", err);
    const uint32_t triangles = (uint32_t)nc_word_read(head->bytes + 80, 4);
    if (!text && (uint64_t)triangles * 50 + 84 > head->size)
        return too_many(head, "triangles", triangles, err);
    return NC_OK;
}

// "OFF", then the counts of vertices and faces; comments may stand between.
static nc_code check_off(const nc_file_head *head, nc_error *err)
{
    header_text text = {head->bytes, head->bytes + head->count};
    uint64_t counts[3] = {0};
    int found = -1; // the first word is the signature
    for (; text.at < text.end && found < 2; next_line(&text)) {
        const char *word;
        size_t length;
        while (found < 2 && next_word(&text, &word, &length) && word[0] != '#') {
            if (found >= 0 && is_word(word, length, "BINARY"))
                return bad_header(head, "text OFF", "binary OFF is not read", err);
            if (found >= 0 && !read_count(word, length, &counts[found]))
                return bad_header(head, "OFF", "its counts are not numbers", err);
            found++;
        }
    }
    if (found < 2)
        return bad_header(head, "OFF", "its counts are missing", err);
    // "0 0 0\n" is the shortest vertex and "0\n" the shortest face
    if (counts[0] * 6 + counts[1] * 2 > head->size)
        return too_many(head, "vertices and faces", counts[0] + counts[1], err);
    return NC_OK;
}

static nc_code check_glb(const nc_file_head *head, nc_error *err)
{
    if (head->count < 20 || memcmp(head->bytes, "glTF", 4) != 0)
        return bad_header(head, "GLB", "it does not start with 'glTF' and a chunk", err);
    const uint64_t total = nc_word_read(head->bytes + 8, 4), chunk = nc_word_read(head->bytes + 12, 4);
    if (total > head->size)
        return too_many(head, "bytes", total, err);
    if (chunk > head->size - 20)
        return too_many(head, "bytes of JSON", chunk, err);
    return NC_OK;
}

nc_code nc_header_check(const char *format, const nc_file_head *head, nc_error *err)
{
    if (strcmp(format, "ply") == 0)
        return check_ply(head, err);
    if (strcmp(format, "stl") == 0)
        return check_stl(head, err);
    if (strcmp(format, "off") == 0)
        return check_off(head, err);
    if (strcmp(format, "glb") == 0)
        return check_glb(head, err);
    return NC_OK;
}
