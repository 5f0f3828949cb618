// A mesh of elements that share nothing: triangles, free edges and points, one after the other.
#ifndef NACRE_TESTS_SOUP_H
#define NACRE_TESTS_SOUP_H

#include "check.h"

#include "nacre/nacre.h"

#define SOUP_MOST 64 // elements

typedef struct soup_def {
    nc_vec3 v[3 * SOUP_MOST]; // [m]
    int t[SOUP_MOST][3], e[SOUP_MOST][2], p[SOUP_MOST];
    int vertices, triangles, edges, points;
} soup_def;

// Adds a triangle, an edge or a point of 3, 2 or 1 corners.
static inline void soup_add(soup_def *s, const nc_vec3 *corner, int corners)
{
    for (int i = 0; i < corners; i++) {
        s->v[s->vertices + i] = corner[i];
        s->t[s->triangles][i] = s->p[s->points] = s->vertices + i;
        s->e[s->edges][i > 0] = s->vertices + i;
    }
    s->vertices += corners;
    s->triangles += corners == 3;
    s->edges += corners == 2;
    s->points += corners == 1;
}

static inline nc_mesh *soup_mesh(const soup_def *s)
{
    const nc_mesh_def def = {.vertices = s->v,
                             .vertex_count = s->vertices,
                             .triangles = s->t,
                             .triangle_count = s->triangles,
                             .edges = s->e,
                             .edge_count = s->edges,
                             .points = s->p,
                             .point_count = s->points};
    nc_mesh *mesh;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

#endif
