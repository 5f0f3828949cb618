// An XML file in memory: elements with their attributes and their places. It remembers what was read, so that what
// nobody asked for can be listed.
#ifndef NC_CLI_XML_TREE_H
#define NC_CLI_XML_TREE_H

#include "cli.h"

#include "base/base.h"

typedef struct nc_xml_attribute {
    char *name, *value;
    bool read;
} nc_xml_attribute;

typedef struct nc_xml_element {
    char *name;
    int line, column;                // from 1
    int parent, first, last, next;   // elements; -1 for none
    int attributes, attribute_count; // the first of its attributes
    bool read;
} nc_xml_element;

typedef struct nc_xml {
    const char *path; // borrowed; what errors name
    nc_allocator memory;
    NC_ARRAY(nc_xml_element) elements; // the root is 0; parents come before their children
    NC_ARRAY(nc_xml_attribute) attributes;
} nc_xml;

// NC_NOT_FOUND, NC_IO; NC_BAD_FILE with line and column where it is no XML; NC_UNSUPPORTED in a build without expat.
// Free the tree in any case.
nc_code nc_xml_load(const char *path, nc_xml *out, nc_error *err);
void nc_xml_free(nc_xml *xml);

// The first child of that name, the next one after `element`; -1 for none. They count as read.
int nc_xml_child(nc_xml *xml, int element, const char *name);
int nc_xml_next(nc_xml *xml, int element, const char *name);
// NULL when it is absent; it counts as read.
const char *nc_xml_attribute_text(nc_xml *xml, int element, const char *name);

// NC_BAD_FILE at the element's place.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
nc_code
nc_xml_fail(const nc_xml *xml, int element, nc_error *err, const char *format, ...);

// The same with an error when the attribute is absent.
nc_code nc_xml_need(nc_xml *xml, int element, const char *name, const char **out, nc_error *err);
// Attribute `name` as `count` finite numbers; leaves `out` alone when it is absent.
nc_code nc_xml_numbers(nc_xml *xml, int element, const char *name, int count, double *out, nc_error *err);
nc_code nc_xml_need_numbers(nc_xml *xml, int element, const char *name, int count, double *out, nc_error *err);

#endif
