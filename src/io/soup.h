// Inside io: a mesh as it is being read, and the readers that fill it.
#ifndef NC_IO_SOUP_H
#define NC_IO_SOUP_H

#include "geom/geom.h"
#include "io/file.h"
#include "io/io.h"

typedef struct nc_soup_triangle {
    int v[3];
} nc_soup_triangle;
typedef struct nc_soup_edge {
    int v[2];
} nc_soup_edge;

// Where an object of an OBJ file begins: what comes after it belongs to it.
typedef struct nc_soup_mark {
    char kind;        // 'o' or 'g'
    const char *name; // in the file's text
    int length;
    int triangles, edges, points; // how many elements come before it
} nc_soup_mark;

typedef struct nc_soup {
    nc_allocator allocator;
    NC_ARRAY(nc_vec3) vertices; // [m]
    NC_ARRAY(nc_soup_triangle) triangles;
    NC_ARRAY(nc_soup_edge) edges;
    NC_ARRAY(int) points;
    NC_ARRAY(nc_soup_mark) marks;
    int dropped; // elements that used a vertex twice
} nc_soup;

nc_soup nc_soup_create(const nc_allocator *allocator);
void nc_soup_free(nc_soup *soup);
// Adds an element, or counts it as dropped when it uses a vertex twice. False when out of memory.
bool nc_soup_add_triangle(nc_soup *soup, int a, int b, int c);
bool nc_soup_add_edge(nc_soup *soup, int a, int b);
// Makes vertices at exactly the same place one (the first of them); elements that collapse are dropped and counted.
// False when out of memory.
bool nc_soup_weld(nc_soup *soup);
// `path` is what errors name. NC_BAD_FILE when there is no element.
nc_code nc_soup_mesh(const nc_soup *soup, const char *path, nc_mesh **out, nc_error *err);
// Makes a coordinate that is too small for the exact predicates 0; false when it is too large or not finite.
bool nc_soup_legal_coordinate(double *x);

// Reads OBJ text (with a zero byte after its end); `path` is what errors name.
nc_code nc_obj_parse(const nc_file_text *text, const char *path, nc_soup *soup, nc_error *err);

// The same, sorted into objects; `out` has an allocator and is otherwise empty. Free the parts in any case.
nc_code nc_obj_parts_read(const nc_file_text *text, const char *path, bool with_meshes, nc_obj_parts *out,
                          nc_error *err);

// The beginning of a file, enough to tell its format and to read its header.
typedef struct nc_file_head {
    const char *path; // borrowed; what errors name
    size_t size;      // [bytes] of the whole file
    size_t count;     // bytes held here
    char bytes[16384];
} nc_file_head;

// Compares what a file's header claims with the file's size, so that a lie costs nothing. `format` is "ply", "stl",
// "off" or "glb"; every other one passes.
nc_code nc_header_check(const char *format, const nc_file_head *head, nc_error *err);

// Reads any other format through assimp in a child process with limits on memory and time. `format` is what assimp
// should take the file for; `named_so` says whether that is the file's extension too.
nc_code nc_foreign_read(const nc_file_head *head, const char *format, bool named_so, nc_soup *soup, nc_error *err);

#endif
