// Small cloth scenes for tests.
#ifndef NC_TESTS_CLOTH_SCENE_H
#define NC_TESTS_CLOTH_SCENE_H

#include "nacre/cloth.h"

#define GRID_MOST 1600

// A flat sheet of nx by nz vertices in the plane y, diagonals alternating.
typedef struct grid {
    nc_vec3 vertices[GRID_MOST];
    int triangles[2 * GRID_MOST][3];
    int vertex_count, triangle_count;
} grid;

static inline grid grid_make(int nx, int nz, double cell, double y)
{
    static grid g; // too large for some stacks
    g.vertex_count = g.triangle_count = 0;
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++)
            g.vertices[g.vertex_count++] = nc_v3(i * cell, y, k * cell);
    for (int k = 0; k + 1 < nz; k++)
        for (int i = 0; i + 1 < nx; i++) {
            const int a = k * nx + i, b = a + 1, c = a + nx, d = c + 1;
            const bool odd = ((i + k) & 1) != 0;
            const int t[2][3] = {{a, c, odd ? b : d}, {odd ? c : a, d, b}};
            for (int n = 0; n < 2; n++, g.triangle_count++)
                for (int m = 0; m < 3; m++)
                    g.triangles[g.triangle_count][m] = t[n][m];
        }
    return g;
}

// A sheet on this grid; the definition borrows from it.
static inline nc_cloth_def grid_cloth(const grid *g)
{
    nc_cloth_def def = nc_cloth_def_default();
    def.vertices = g->vertices;
    def.vertex_count = g->vertex_count;
    def.triangles = g->triangles;
    def.triangle_count = g->triangle_count;
    return def;
}

// The default settings, on so many threads: 1 for tests that are not about them.
static inline nc_cloth_world_def cloth_settings(int threads)
{
    nc_cloth_world_def def = nc_cloth_world_def_default();
    def.workers = threads;
    return def;
}

#endif
