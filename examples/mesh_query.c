// A boat is moved through two rings. Does it meet them? That is decided exactly, without a world and without a
// tolerance; how far apart they are otherwise is worked out here from the distances of their parts.
#include <nacre/nacre.h>

#include <stdio.h>

typedef struct placed_mesh {
    const nc_mesh *mesh;
    nc_pose pose;
} placed_mesh;

static nc_vec3 vertex(placed_mesh m, int index)
{
    return nc_pose_apply(m.pose, nc_mesh_view(m.mesh).vertices[index]);
}

// Vertices of A against triangles of B.
static nc_distance nearest_vertex_triangle(placed_mesh a, placed_mesh b, nc_distance best)
{
    const nc_mesh_data da = nc_mesh_view(a.mesh), db = nc_mesh_view(b.mesh);
    for (int t = 0; t < db.triangle_count; t++) {
        const int *corner = db.triangles[t];
        const nc_vec3 triangle[3] = {vertex(b, corner[0]), vertex(b, corner[1]), vertex(b, corner[2])};
        for (int v = 0; v < da.vertex_count; v++) {
            const nc_distance d = nc_distance_point_triangle(vertex(a, v), triangle);
            if (d.distance < best.distance)
                best = d;
        }
    }
    return best;
}

static nc_distance nearest_edge_edge(placed_mesh a, placed_mesh b, nc_distance best)
{
    const nc_mesh_data da = nc_mesh_view(a.mesh), db = nc_mesh_view(b.mesh);
    for (int i = 0; i < da.edge_count; i++) {
        const nc_vec3 edge_a[2] = {vertex(a, da.edges[i][0]), vertex(a, da.edges[i][1])};
        for (int j = 0; j < db.edge_count; j++) {
            const nc_vec3 edge_b[2] = {vertex(b, db.edges[j][0]), vertex(b, db.edges[j][1])};
            const nc_distance d = nc_distance_segment_segment(edge_a, edge_b);
            if (d.distance < best.distance)
                best = d;
        }
    }
    return best;
}

// Of two meshes that do not meet, the nearest points are on a vertex and a triangle, or on two edges.
static double distance_between(placed_mesh a, placed_mesh b)
{
    nc_distance best = {INFINITY, 0, {0, 0, 0}, {0, 0, 0}};
    best = nearest_vertex_triangle(a, b, best);
    best = nearest_vertex_triangle(b, a, best);
    best = nearest_edge_edge(a, b, best);
    return best.distance;
}

static nc_code approach(placed_mesh ring, placed_mesh boat, nc_error *err)
{
    for (int i = 0; i <= 8; i++) {
        boat.pose.x.x = 2.0 - 0.25 * i;
        bool meet = false;
        nc_intersection where;
        const nc_code code = nc_mesh_intersect(ring.mesh, ring.pose, boat.mesh, boat.pose, &meet, &where, err);
        if (code != NC_OK)
            return code;
        if (meet)
            printf(
                "  boat at x = %4.2f m: they meet, element %d of the ring and %d of the boat, near (%.3f %.3f %.3f)\n",
                boat.pose.x.x, where.element_a, where.element_b, where.place.x, where.place.y, where.place.z);
        else
            printf("  boat at x = %4.2f m: apart by %.6f m\n", boat.pose.x.x, distance_between(ring, boat));
    }
    return NC_OK;
}

// The hull of a boat 0.42 m wide, and a flat ring that is tilted by half a radian: sheets of zero thickness, both.
static nc_code try_ring(const nc_mesh *boat, double radius, nc_error *err)
{
    nc_mesh *ring = NULL;
    const nc_shape_parameter size[] = {{"radius", radius}, {"width", 0.1}};
    nc_code code = nc_shape_create("ring", size, 2, NULL, &ring, err);
    if (code == NC_OK) {
        const placed_mesh a = {ring, {nc_v3(0, 0, 0), nc_quat_from_rotation_vector(nc_v3(0, 0, 0.5))}};
        const placed_mesh b = {boat, {nc_v3(0, 0, 0), nc_quat_identity()}};
        printf("a ring of radius %g m\n", radius);
        code = approach(a, b, err);
    }
    nc_mesh_release(ring);
    return code;
}

int main(void)
{
    nc_error err = {0};
    nc_mesh *boat = NULL;
    nc_code code = nc_shape_create("boat", NULL, 0, NULL, &boat, &err);
    if (code == NC_OK)
        code = try_ring(boat, 0.35, &err); // it slips through
    if (code == NC_OK)
        code = try_ring(boat, 0.30, &err); // it does not
    nc_mesh_release(boat);
    if (code != NC_OK)
        fprintf(stderr, "mesh_query: %s\n", err.text);
    return code == NC_OK ? 0 : 1;
}
