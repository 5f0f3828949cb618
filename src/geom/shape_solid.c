// Solids made of grids: the box and the sphere.
#include "geom/shape.h"

// ---- box: six square grids that share the vertices of their borders -------------------------------------------

typedef struct box_grid {
    nc_vec3 size; // [m]
    int splits;
    int *vertex; // of lattice point (i, j, k): index + 1, or 0 when it was not used yet
} box_grid;

static double lattice(double size, int i, int splits)
{
    return size * ((double)i / splits - 0.5);
}

static int box_vertex(nc_shape_builder *builder, box_grid *grid, const int at[3])
{
    const int side = grid->splits + 1;
    int *slot = &grid->vertex[(at[0] * side + at[1]) * side + at[2]];
    if (*slot == 0)
        *slot = 1 + nc_shape_vertex(builder, nc_v3(lattice(grid->size.x, at[0], grid->splits),
                                                   lattice(grid->size.y, at[1], grid->splits),
                                                   lattice(grid->size.z, at[2], grid->splits)));
    return *slot - 1;
}

// The face where coordinate `axis` is smallest (end 0) or largest (end 1).
static void box_face(nc_shape_builder *builder, box_grid *grid, int axis, int end)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < grid->splits; i++) {
        for (int j = 0; j < grid->splits; j++) {
            int quad[4];
            for (int corner = 0; corner < 4; corner++) {
                int at[3];
                at[axis] = end * grid->splits;
                at[u] = i + (corner == 1 || corner == 2);
                at[v] = j + (corner >= 2);
                quad[corner] = box_vertex(builder, grid, at);
            }
            if (end == 1)
                nc_shape_quad(builder, quad[0], quad[1], quad[2], quad[3]);
            else
                nc_shape_quad(builder, quad[0], quad[3], quad[2], quad[1]);
        }
    }
}

nc_code nc_shape_build_box(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double size = values[0];
    box_grid grid;
    grid.size =
        nc_v3(values[1] > 0 ? values[1] : size, values[2] > 0 ? values[2] : size, values[3] > 0 ? values[3] : size);
    grid.splits = (int)values[4];
    const size_t side = (size_t)grid.splits + 1;
    grid.vertex = nc_alloc(&builder->allocator, side * side * side, sizeof(int));
    if (grid.vertex == NULL)
        return nc_fail_memory(err, side * side * side * sizeof(int));
    for (int axis = 0; axis < 3; axis++) {
        box_face(builder, &grid, axis, 0);
        box_face(builder, &grid, axis, 1);
    }
    nc_free(&builder->allocator, grid.vertex, side * side * side, sizeof(int));
    return NC_OK;
}

// ---- sphere: an icosahedron whose faces are split into n x n triangles and pushed out --------------------------

#define ICO_EDGES 30
#define ICO_FACES 20

static const int ico_faces[ICO_FACES][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
};

typedef struct icosphere {
    double radius; // [m]
    int splits;
    nc_vec3 corner[12];
    int edge[ICO_EDGES][2];
    int edge_count;
} icosphere;

static void set_ico_corners(icosphere *ico)
{
    const double golden = 0.5 * (1 + sqrt(5.0));
    for (int i = 0; i < 4; i++) {
        const double a = (i & 1) ? 1 : -1, b = (i & 2) ? -golden : golden;
        ico->corner[i] = nc_v3(a, b, 0);
        ico->corner[4 + i] = nc_v3(0, a, b);
        ico->corner[8 + i] = nc_v3(b, 0, a);
    }
}

static nc_vec3 on_sphere(nc_vec3 direction, double radius)
{
    return nc_scale(radius / nc_norm(direction), direction);
}

// The number of the edge between two corners; it is noted when it is new.
static int ico_edge(icosphere *ico, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    for (int e = 0; e < ico->edge_count; e++)
        if (ico->edge[e][0] == low && ico->edge[e][1] == high)
            return e;
    ico->edge[ico->edge_count][0] = low;
    ico->edge[ico->edge_count][1] = high;
    return ico->edge_count++;
}

// Vertices: 12 corners, then splits - 1 on each edge, then the insides of the faces.
static int edge_vertex(icosphere *ico, int a, int b, int step)
{
    const int e = ico_edge(ico, a, b);
    return 12 + e * (ico->splits - 1) + (ico->edge[e][0] == a ? step : ico->splits - step) - 1;
}

// The vertex of face f at barycentric steps (n - i - j, i, j).
static int face_vertex(icosphere *ico, int f, int i, int j)
{
    const int n = ico->splits, a = ico_faces[f][0], b = ico_faces[f][1], c = ico_faces[f][2];
    if (i == 0 && j == 0)
        return a;
    if (i == n)
        return b;
    if (j == n)
        return c;
    if (j == 0)
        return edge_vertex(ico, a, b, i);
    if (i == 0)
        return edge_vertex(ico, a, c, j);
    if (i + j == n)
        return edge_vertex(ico, b, c, j);
    // rows of the inside: row j has n - 1 - j vertices
    const int row_start = (j - 1) * (n - 1) - j * (j - 1) / 2;
    return 12 + ICO_EDGES * (n - 1) + f * ((n - 1) * (n - 2) / 2) + row_start + i - 1;
}

static void add_ico_vertices(nc_shape_builder *builder, icosphere *ico)
{
    const int n = ico->splits;
    for (int i = 0; i < 12; i++)
        nc_shape_vertex(builder, on_sphere(ico->corner[i], ico->radius));
    for (int f = 0; f < ICO_FACES; f++)
        for (int k = 0; k < 3; k++)
            ico_edge(ico, ico_faces[f][k], ico_faces[f][(k + 1) % 3]);
    for (int e = 0; e < ICO_EDGES; e++) {
        const nc_vec3 a = ico->corner[ico->edge[e][0]], b = ico->corner[ico->edge[e][1]];
        for (int step = 1; step < n; step++)
            nc_shape_vertex(builder, on_sphere(nc_add(nc_scale(n - step, a), nc_scale(step, b)), ico->radius));
    }
    for (int f = 0; f < ICO_FACES; f++) {
        const nc_vec3 a = ico->corner[ico_faces[f][0]], b = ico->corner[ico_faces[f][1]],
                      c = ico->corner[ico_faces[f][2]];
        for (int j = 1; j < n; j++)
            for (int i = 1; i + j < n; i++) {
                const nc_vec3 p = nc_add(nc_scale(n - i - j, a), nc_add(nc_scale(i, b), nc_scale(j, c)));
                nc_shape_vertex(builder, on_sphere(p, ico->radius));
            }
    }
}

nc_code nc_shape_build_sphere(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    icosphere ico = {.radius = values[0], .splits = (int)values[1]};
    set_ico_corners(&ico);
    add_ico_vertices(builder, &ico);
    for (int f = 0; f < ICO_FACES; f++) {
        for (int j = 0; j < ico.splits; j++) {
            for (int i = 0; i + j < ico.splits; i++) {
                const int a = face_vertex(&ico, f, i, j), b = face_vertex(&ico, f, i + 1, j);
                const int c = face_vertex(&ico, f, i, j + 1);
                nc_shape_triangle(builder, a, b, c);
                if (i + j + 1 < ico.splits)
                    nc_shape_triangle(builder, b, face_vertex(&ico, f, i + 1, j + 1), c);
            }
        }
    }
    return NC_OK;
}
