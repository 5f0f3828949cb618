// Reading XML, through expat, and asking for its values.
#include "xml_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nc_xml_free(nc_xml *xml)
{
    for (int i = 0; i < xml->elements.count; i++)
        free(xml->elements.data[i].name);
    for (int i = 0; i < xml->attributes.count; i++) {
        free(xml->attributes.data[i].name);
        free(xml->attributes.data[i].value);
    }
    nc_array_free(&xml->memory, &xml->elements);
    nc_array_free(&xml->memory, &xml->attributes);
}

// ---- reading ------------------------------------------------------------------------------------------------

#ifdef NC_WITH_EXPAT
#include <errno.h>
#include <expat.h>

#define MAX_DEPTH 200

typedef struct xml_reader {
    nc_xml *xml;
    XML_Parser parser;
    int open, depth; // the element that is being read, -1 for none
    bool full, deep;
} xml_reader;

static bool add_attribute(xml_reader *reader, const char *name, const char *value)
{
    const nc_xml_attribute attribute = {strdup(name), strdup(value), false};
    if (attribute.name != NULL && attribute.value != NULL &&
        nc_array_push(&reader->xml->memory, &reader->xml->attributes, attribute))
        return true;
    free(attribute.name);
    free(attribute.value);
    return false;
}

static bool add_element(xml_reader *reader, const char *name)
{
    nc_xml *xml = reader->xml;
    const int row = xml->elements.count;
    const nc_xml_element element = {.name = strdup(name),
                                    .line = (int)XML_GetCurrentLineNumber(reader->parser),
                                    .column = (int)XML_GetCurrentColumnNumber(reader->parser) + 1,
                                    .parent = reader->open,
                                    .first = -1,
                                    .last = -1,
                                    .next = -1,
                                    .attributes = xml->attributes.count};
    if (element.name == NULL || !nc_array_push(&xml->memory, &xml->elements, element)) {
        free(element.name);
        return false;
    }
    if (reader->open >= 0) {
        nc_xml_element *parent = &xml->elements.data[reader->open];
        if (parent->last >= 0)
            xml->elements.data[parent->last].next = row;
        else
            parent->first = row;
        parent->last = row;
    }
    reader->open = row;
    return true;
}

static void see_start(void *ctx, const char *name, const char **attributes)
{
    xml_reader *reader = ctx;
    reader->deep = ++reader->depth > MAX_DEPTH;
    reader->full = !reader->deep && !add_element(reader, name);
    for (int i = 0; !reader->deep && !reader->full && attributes[i] != NULL; i += 2) {
        reader->full = !add_attribute(reader, attributes[i], attributes[i + 1]);
        reader->xml->elements.data[reader->open].attribute_count += !reader->full;
    }
    if (reader->full || reader->deep)
        XML_StopParser(reader->parser, XML_FALSE);
}

static void see_end(void *ctx, const char *name)
{
    xml_reader *reader = ctx;
    (void)name;
    reader->open = reader->xml->elements.data[reader->open].parent;
    reader->depth--;
}

static nc_code explain(const xml_reader *reader, nc_error *err)
{
    const int line = (int)XML_GetCurrentLineNumber(reader->parser);
    const int column = (int)XML_GetCurrentColumnNumber(reader->parser) + 1;
    if (reader->full)
        return nc_fail_memory(err, sizeof(nc_xml_element));
    if (reader->deep)
        return nc_fail_at(err, NC_BAD_FILE, reader->xml->path, line, column,
                          "elements are inside each other more than %d levels deep", MAX_DEPTH);
    return nc_fail_at(err, NC_BAD_FILE, reader->xml->path, line, column, "this is no XML: %s",
                      XML_ErrorString(XML_GetErrorCode(reader->parser)));
}

static nc_code parse(xml_reader *reader, FILE *file, nc_error *err)
{
    char block[1 << 14];
    size_t count;
    do {
        count = fread(block, 1, sizeof block, file);
        if (ferror(file))
            return nc_fail(err, NC_IO, "cannot read '%.400s': %s", reader->xml->path, strerror(errno));
        if (XML_Parse(reader->parser, block, (int)count, count == 0) != XML_STATUS_OK)
            return explain(reader, err);
    } while (count > 0);
    return NC_OK;
}

nc_code nc_xml_load(const char *path, nc_xml *out, nc_error *err)
{
    *out = (nc_xml){.path = path, .memory = nc_allocator_default()};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return nc_fail(err, errno == ENOENT ? NC_NOT_FOUND : NC_IO, "cannot open '%.400s': %s", path, strerror(errno));
    xml_reader reader = {.xml = out, .parser = XML_ParserCreate(NULL), .open = -1};
    nc_code code = NC_OK;
    if (reader.parser == NULL) {
        code = nc_fail_memory(err, 1);
    } else {
        XML_SetUserData(reader.parser, &reader);
        XML_SetElementHandler(reader.parser, see_start, see_end);
        code = parse(&reader, file, err);
        XML_ParserFree(reader.parser);
    }
    fclose(file);
    return code;
}
#else
nc_code nc_xml_load(const char *path, nc_xml *out, nc_error *err)
{
    *out = (nc_xml){.path = path, .memory = nc_allocator_default()};
    return nc_fail_at(err, NC_UNSUPPORTED, path, 0, 0, "this build reads no XML: it was made without expat");
}
#endif

// ---- asking -------------------------------------------------------------------------------------------------

static int find_from(nc_xml *xml, int element, const char *name)
{
    while (element >= 0 && strcmp(xml->elements.data[element].name, name) != 0)
        element = xml->elements.data[element].next;
    if (element >= 0)
        xml->elements.data[element].read = true;
    return element;
}

int nc_xml_child(nc_xml *xml, int element, const char *name)
{
    return find_from(xml, xml->elements.data[element].first, name);
}

int nc_xml_next(nc_xml *xml, int element, const char *name)
{
    return find_from(xml, xml->elements.data[element].next, name);
}

const char *nc_xml_attribute_text(nc_xml *xml, int element, const char *name)
{
    const nc_xml_element *e = &xml->elements.data[element];
    for (int i = e->attributes; i < e->attributes + e->attribute_count; i++)
        if (strcmp(xml->attributes.data[i].name, name) == 0) {
            xml->attributes.data[i].read = true;
            return xml->attributes.data[i].value;
        }
    return NULL;
}

nc_code nc_xml_fail(const nc_xml *xml, int element, nc_error *err, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const nc_xml_element *e = &xml->elements.data[element];
    return nc_fail_at(err, NC_BAD_FILE, xml->path, e->line, e->column, "%s", text);
}

nc_code nc_xml_need(nc_xml *xml, int element, const char *name, const char **out, nc_error *err)
{
    *out = nc_xml_attribute_text(xml, element, name);
    if (*out != NULL && (*out)[0] != '\0')
        return NC_OK;
    return nc_xml_fail(xml, element, err, "<%.64s> needs the attribute %s", xml->elements.data[element].name, name);
}

nc_code nc_xml_numbers(nc_xml *xml, int element, const char *name, int count, double *out, nc_error *err)
{
    const char *text = nc_xml_attribute_text(xml, element, name), *at = text;
    double x[8] = {0};
    if (text == NULL)
        return NC_OK;
    int found = 0;
    for (char *end; found < count; found++, at = end) {
        x[found] = strtod(at, &end);
        if (end == at || !isfinite(x[found]))
            break;
    }
    if (found < count || at[strspn(at, " \t\r\n")] != '\0')
        return nc_xml_fail(xml, element, err, "<%.64s> %s expects %d finite number%s, but \"%.80s\" was found",
                           xml->elements.data[element].name, name, count,
                           count == 1 ? "" : "s with blanks between them", text);
    memcpy(out, x, (size_t)count * sizeof *out);
    return NC_OK;
}

nc_code nc_xml_need_numbers(nc_xml *xml, int element, const char *name, int count, double *out, nc_error *err)
{
    const char *text;
    const nc_code code = nc_xml_need(xml, element, name, &text, err);
    return code == NC_OK ? nc_xml_numbers(xml, element, name, count, out, err) : code;
}
