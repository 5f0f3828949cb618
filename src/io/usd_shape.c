// What bodies look like and weigh, in USD: meshes, materials, rigid-body and collision attributes.
#include "io/usd.h"

#include <stdio.h>
#include <string.h>

// ---- meshes -------------------------------------------------------------------------------------------------

static double as_float(double x)
{
    return (double)(float)x;
}

static void write_point(nc_usd *usd, nc_vec3 v, bool first)
{
    nc_writer_text(&usd->writer, "%s(%.9g, %.9g, %.9g)", first ? "" : ", ", as_float(v.x), as_float(v.y),
                   as_float(v.z));
}

static void write_extent(nc_usd *usd, const nc_box *box)
{
    nc_usd_line(usd, "float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]", as_float(box->lo.x),
                as_float(box->lo.y), as_float(box->lo.z), as_float(box->hi.x), as_float(box->hi.y),
                as_float(box->hi.z));
}

static void write_look(nc_usd *usd, int row)
{
    const double *c = nc_clip_colour(usd->colour_of[row]);
    nc_usd_line(usd, "color3f[] primvars:displayColor = [(%g, %g, %g)]", c[0], c[1], c[2]);
}

static void write_counts(nc_usd *usd, const char *name, const char *each, int count)
{
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "int[] %s = [", name);
    for (int i = 0; i < count; i++)
        nc_writer_text(&usd->writer, "%s%s", i > 0 ? ", " : "", each);
    nc_writer_text(&usd->writer, "]\n");
}

static void write_triangles(nc_usd *usd, int row, const nc_mesh_data *data)
{
    nc_usd_open(usd, "def Mesh", "mesh", "prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\"]");
    nc_usd_line(usd, "uniform bool doubleSided = 1");
    write_extent(usd, &data->box);
    write_counts(usd, "faceVertexCounts", "3", data->triangle_count);
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "int[] faceVertexIndices = [");
    for (int i = 0; i < data->triangle_count; i++)
        nc_writer_text(&usd->writer, "%s%d, %d, %d", i > 0 ? ", " : "", data->triangles[i][0], data->triangles[i][1],
                       data->triangles[i][2]);
    nc_writer_text(&usd->writer, "]\n");
    nc_usd_line(usd, "uniform token physics:approximation = \"none\"");
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "point3f[] points = [");
    for (int i = 0; i < data->vertex_count; i++)
        write_point(usd, data->vertices[i], i == 0);
    nc_writer_text(&usd->writer, "]\n");
    write_look(usd, row);
    nc_usd_line(usd, "uniform token subdivisionScheme = \"none\"");
    nc_usd_close(usd);
}

// Free edges: curves of two points each, a thousandth of the mesh thick.
static void write_edges(nc_usd *usd, int row, const nc_mesh_data *data)
{
    int count = 0;
    for (int i = 0; i < data->edge_count; i++)
        count += data->edge_is_free[i];
    if (count == 0)
        return;
    nc_usd_open(usd, "def BasisCurves", "edges", "");
    write_counts(usd, "curveVertexCounts", "2", count);
    write_extent(usd, &data->box);
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "point3f[] points = [");
    for (int i = 0, written = 0; i < data->edge_count; i++)
        for (int k = 0; k < 2 && data->edge_is_free[i]; k++)
            write_point(usd, data->vertices[data->edges[i][k]], written++ == 0);
    nc_writer_text(&usd->writer, "]\n");
    write_look(usd, row);
    nc_usd_line(usd, "uniform token type = \"linear\"");
    nc_usd_line(usd, "float[] widths = [%.9g] (", as_float(1e-3 * data->radius));
    nc_usd_line(usd, "    interpolation = \"constant\"");
    nc_usd_line(usd, ")");
    nc_usd_close(usd);
}

static void write_points(nc_usd *usd, int row, const nc_mesh_data *data)
{
    if (data->point_count == 0)
        return;
    nc_usd_open(usd, "def Points", "points", "");
    write_extent(usd, &data->box);
    nc_usd_indent(usd);
    nc_writer_text(&usd->writer, "point3f[] points = [");
    for (int i = 0; i < data->point_count; i++)
        write_point(usd, data->vertices[data->points[i]], i == 0);
    nc_writer_text(&usd->writer, "]\n");
    write_look(usd, row);
    nc_usd_line(usd, "float[] widths = [%.9g] (", as_float(1e-3 * data->radius));
    nc_usd_line(usd, "    interpolation = \"constant\"");
    nc_usd_line(usd, ")");
    nc_usd_close(usd);
}

static void write_mesh(nc_usd *usd, int row)
{
    const nc_mesh_data data = nc_mesh_view(usd->clip->meshes[usd->meshes.data[row]]);
    if (data.triangle_count > 0)
        write_triangles(usd, row, &data);
    write_edges(usd, row, &data);
    write_points(usd, row, &data);
}

// Does a body that deforms have the mesh of a row? It is written with the body.
static bool deforms(const nc_usd *usd, int row)
{
    for (int i = 0; i < usd->clip->body_count; i++)
        if (usd->clip->bodies[i].deforms && usd->mesh_of[usd->clip->bodies[i].mesh] == row)
            return true;
    return false;
}

void nc_usd_write_meshes(nc_usd *usd)
{
    char name[32];
    if (!usd->references)
        return;
    nc_usd_open(usd, "class Scope", "meshes", "");
    for (int row = 0; row < usd->meshes.count; row++) {
        if (deforms(usd, row))
            continue;
        snprintf(name, sizeof name, "mesh_%d", row);
        nc_usd_open(usd, "class Xform", name, "");
        write_mesh(usd, row);
        nc_usd_close(usd);
    }
    nc_usd_close(usd);
}

// `point3f[] points.timeSamples`: of all vertices, or of the free points.
static void write_samples(nc_usd *usd, int body, bool points)
{
    const nc_clip *clip = usd->clip;
    char code[32];
    nc_usd_line(usd, "point3f[] points.timeSamples = {");
    usd->depth++;
    for (int k = 0; k < usd->frames && usd->code == NC_OK; k++) {
        usd->code = nc_usd_read(usd, k, usd->err);
        if (usd->code != NC_OK)
            break;
        const nc_mesh_data data = nc_mesh_view(clip->meshes[clip->bodies[body].mesh]);
        nc_usd_indent(usd);
        nc_writer_text(&usd->writer, "%s: [", nc_usd_time_code(usd, usd->times[k], code, sizeof code));
        for (int i = 0; i < (points ? data.point_count : data.vertex_count); i++)
            write_point(usd, data.vertices[points ? data.points[i] : i], i == 0);
        nc_writer_text(&usd->writer, "],\n");
    }
    nc_usd_close(usd);
}

void nc_usd_write_deforming(nc_usd *usd, int body)
{
    const nc_clip_body *b = &usd->clip->bodies[body];
    const nc_mesh_data data = nc_mesh_view(usd->clip->meshes[b->mesh]);
    const int row = usd->mesh_of[b->mesh];
    const bool points = data.triangle_count == 0;
    nc_usd_open(usd, points ? "def Points" : "def Mesh", points ? "points" : "mesh", "");
    if (!points) {
        nc_usd_line(usd, "uniform bool doubleSided = 1");
        write_counts(usd, "faceVertexCounts", "3", data.triangle_count);
        nc_usd_indent(usd);
        nc_writer_text(&usd->writer, "int[] faceVertexIndices = [");
        for (int i = 0; i < data.triangle_count; i++)
            nc_writer_text(&usd->writer, "%s%d, %d, %d", i > 0 ? ", " : "", data.triangles[i][0], data.triangles[i][1],
                           data.triangles[i][2]);
        nc_writer_text(&usd->writer, "]\n");
    }
    const double width = as_float(1e-2 * data.radius);
    write_samples(usd, body, points);
    write_look(usd, row);
    if (points) {
        nc_usd_line(usd, "float[] widths = [%.9g] (", width);
        nc_usd_line(usd, "    interpolation = \"constant\"");
        nc_usd_line(usd, ")");
    } else {
        nc_usd_line(usd, "uniform token subdivisionScheme = \"none\"");
    }
    nc_usd_close(usd);
}

void nc_usd_write_mesh_of(nc_usd *usd, int body)
{
    if (usd->clip->bodies[body].deforms) {
        nc_usd_write_deforming(usd, body);
        return;
    }
    char metadata[128];
    const int row = usd->mesh_of[usd->clip->bodies[body].mesh];
    if (!usd->references) {
        write_mesh(usd, row);
        return;
    }
    snprintf(metadata, sizeof metadata, "instanceable = true\nprepend references = </World/meshes/mesh_%d>", row);
    nc_usd_open(usd, "def Xform", "shape", metadata);
    nc_usd_close(usd);
}

// ---- physics ------------------------------------------------------------------------------------------------

static int friction_row(const nc_usd *usd, int body)
{
    const nc_clip_body *b = &usd->clip->bodies[body];
    int row = 0;
    for (; row < usd->frictions.count; row++) {
        const nc_clip_body *other = &usd->clip->bodies[usd->frictions.data[row]];
        if (other->friction == b->friction && other->restitution == b->restitution)
            break;
    }
    return row;
}

static int look_row(const nc_usd *usd, int body)
{
    int row = 0;
    while (row < usd->looks.count && !nc_appearance_same(&usd->clip->bodies[usd->looks.data[row]].appearance,
                                                         &usd->clip->bodies[body].appearance))
        row++;
    return row < usd->looks.count ? row : -1;
}

// A UsdPreviewSurface for what looks alike.
static void write_surface(nc_usd *usd, int row)
{
    char name[32], title[40];
    double c[3];
    const nc_clip_body *body = &usd->clip->bodies[usd->looks.data[row]];
    const nc_appearance *look = &body->appearance;
    const nc_material_info *info = nc_material_view(look->material);
    if (!nc_appearance_light(look, c))
        memcpy(c, nc_clip_colour(usd->colour_of[usd->mesh_of[body->mesh]]), sizeof c);
    snprintf(name, sizeof name, "look_%d", row);
    nc_usd_open(usd, "def Material", name, "");
    nc_usd_string(usd, "string nacre:look", nc_appearance_name(look, title, sizeof title));
    nc_usd_line(usd, "token outputs:surface.connect = </World/materials/%s/surface.outputs:surface>", name);
    nc_usd_open(usd, "def Shader", "surface", "");
    nc_usd_line(usd, "uniform token info:id = \"UsdPreviewSurface\"");
    nc_usd_line(usd, "color3f inputs:diffuseColor = (%.6g, %.6g, %.6g)", c[0], c[1], c[2]);
    nc_usd_line(usd, "float inputs:ior = 1.5");
    nc_usd_line(usd, "float inputs:metallic = %g", info->metallic);
    nc_usd_line(usd, "float inputs:opacity = %g", 1 - 0.85 * info->transmission);
    nc_usd_line(usd, "float inputs:roughness = %g", info->roughness);
    nc_usd_line(usd, "token outputs:surface");
    nc_usd_close(usd);
    nc_usd_close(usd);
}

void nc_usd_write_materials(nc_usd *usd)
{
    char name[32];
    nc_usd_open(usd, "def Scope", "materials", "");
    for (int row = 0; row < usd->frictions.count; row++) {
        const nc_clip_body *b = &usd->clip->bodies[usd->frictions.data[row]];
        snprintf(name, sizeof name, "contact_%d", row);
        nc_usd_open(usd, "def Material", name, "prepend apiSchemas = [\"PhysicsMaterialAPI\"]");
        nc_usd_line(usd, "float physics:dynamicFriction = %.9g", b->friction);
        nc_usd_line(usd, "float physics:restitution = %.9g", b->restitution);
        nc_usd_line(usd, "float physics:staticFriction = %.9g", b->friction);
        nc_usd_close(usd);
    }
    for (int row = 0; row < usd->looks.count; row++)
        write_surface(usd, row);
    nc_usd_close(usd);
}

const char *nc_usd_body_metadata(const nc_usd *usd, int body, char *out, size_t out_size)
{
    const nc_clip_body *b = &usd->clip->bodies[body];
    snprintf(out, out_size, "prepend apiSchemas = [%s%s\"MaterialBindingAPI\"]",
             b->type == NC_STATIC || b->deforms ? "" : "\"PhysicsRigidBodyAPI\", ",
             b->mass > 0 ? "\"PhysicsMassAPI\", " : "");
    return out;
}

void nc_usd_write_physics(nc_usd *usd, int body)
{
    const nc_clip_body *b = &usd->clip->bodies[body];
    nc_usd_line(usd, "rel material:binding:physics = </World/materials/contact_%d>", friction_row(usd, body));
    if (look_row(usd, body) >= 0)
        nc_usd_line(usd, "rel material:binding = </World/materials/look_%d>", look_row(usd, body));
    if (b->type == NC_KINEMATIC && !b->deforms)
        nc_usd_line(usd, "bool physics:kinematicEnabled = 1");
    if (b->mass > 0)
        nc_usd_line(usd, "float physics:mass = %.9g", b->mass);
}
