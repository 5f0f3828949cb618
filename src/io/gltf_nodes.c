// The nodes of a .glb: who is below whom, and where each is at a time.
#include "io/gltf.h"

#include <string.h>

#define ORTHOGONAL 1e-6 // a matrix whose columns are so nearly orthogonal is a rotation and a scale

// ---- placements ---------------------------------------------------------------------------------------------

static nc_mat3 diagonal(nc_vec3 s)
{
    const nc_mat3 m = {{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}}};
    return m;
}

static bool is_diagonal(const nc_mat3 *m)
{
    return m->row[0].y == 0 && m->row[0].z == 0 && m->row[1].x == 0 && m->row[1].z == 0 && m->row[2].x == 0 &&
           m->row[2].y == 0;
}

bool nc_gltf_transform_is_gone(const nc_gltf_transform *placement)
{
    return is_diagonal(&placement->stretch) && placement->stretch.row[0].x == 0 && placement->stretch.row[1].y == 0 &&
           placement->stretch.row[2].z == 0;
}

bool nc_gltf_transform_same_stretch(const nc_gltf_transform *a, const nc_gltf_transform *b, double tolerance)
{
    double size = 0, apart = 0;
    for (int i = 0; i < 3; i++) {
        size = fmax(size, fmax(nc_max3(a->stretch.row[i]), nc_max3(b->stretch.row[i])));
        apart = fmax(apart, nc_max3(nc_sub(a->stretch.row[i], b->stretch.row[i])));
    }
    return apart <= tolerance * size;
}

// y = X + R(Q) S (x + R(q) s v). Where S is one factor for all axes it passes through R(q), and the parts stay apart.
nc_gltf_transform nc_gltf_transform_below(const nc_gltf_transform *parent, const nc_gltf_transform *child)
{
    const nc_mat3 *s = &parent->stretch;
    nc_gltf_transform out;
    out.pose.x = nc_pose_apply(parent->pose, nc_mat3_mul(*s, child->pose.x));
    if (is_diagonal(s) && s->row[0].x == s->row[1].y && s->row[1].y == s->row[2].z) {
        out.pose.q = nc_quat_mul(parent->pose.q, child->pose.q);
        for (int i = 0; i < 3; i++)
            out.stretch.row[i] = nc_scale(s->row[0].x, child->stretch.row[i]);
    } else {
        out.pose.q = parent->pose.q;
        out.stretch = nc_mat3_multiply(*s, nc_mat3_multiply(nc_quat_matrix(child->pose.q), child->stretch));
    }
    return out;
}

// A matrix by its columns: rotation and scale where it is that, else all of it is stretch.
static nc_gltf_transform place_matrix(const double *m)
{
    const nc_vec3 c[3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
    nc_vec3 s = nc_v3(nc_norm(c[0]), nc_norm(c[1]), nc_norm(c[2]));
    nc_gltf_transform out = {{nc_v3(m[12], m[13], m[14]), nc_quat_identity()}, {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}};
    for (int i = 0; i < 3; i++)
        out.stretch.row[i] = nc_v3(m[i], m[4 + i], m[8 + i]);
    const bool orthogonal = s.x > 0 && s.y > 0 && s.z > 0 && fabs(nc_dot(c[0], c[1])) <= ORTHOGONAL * s.x * s.y &&
                            fabs(nc_dot(c[1], c[2])) <= ORTHOGONAL * s.y * s.z &&
                            fabs(nc_dot(c[2], c[0])) <= ORTHOGONAL * s.z * s.x;
    if (!orthogonal)
        return out;
    if (nc_dot(nc_cross(c[0], c[1]), c[2]) < 0)
        s.x = -s.x; // a mirror
    const nc_mat3 columns = {{nc_scale(1 / s.x, c[0]), nc_scale(1 / s.y, c[1]), nc_scale(1 / s.z, c[2])}};
    out.pose.q = nc_quat_from_matrix(nc_mat3_transpose(columns));
    out.stretch = diagonal(s);
    return out;
}

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code refuse_deforming(const nc_gltf *gltf, int value, int row, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    if (nc_json_member(json, value, "mesh") < 0)
        return NC_OK;
    if (nc_json_member(json, value, "skin") >= 0)
        return nc_fail_at(
            err, NC_BAD_FILE, gltf->path, 0, 0,
            "node %d (\"%.64s\") is bent by a skin, and Nacre reads bodies of one shape: export its frames "
            "as OBJ files",
            row, nc_gltf_name(gltf, value));
    const int extensions = nc_json_member(json, value, "extensions");
    if (nc_json_member(json, extensions, "EXT_mesh_gpu_instancing") >= 0)
        return nc_fail_at(
            err, NC_BAD_FILE, gltf->path, 0, 0,
            "node %d (\"%.64s\") uses EXT_mesh_gpu_instancing, which Nacre does not read: export a node for "
            "each instance",
            row, nc_gltf_name(gltf, value));
    return NC_OK;
}

static nc_code read_transform(const nc_gltf *gltf, int value, int row, nc_gltf_row *out, nc_error *err)
{
    double m[16], t[3], r[4], s[3];
    bool has_t, has_r, has_s;
    nc_code code = nc_gltf_vector(gltf, value, "matrix", 16, "node", row, m, &out->has_matrix, err);
    if (code == NC_OK)
        code = nc_gltf_vector(gltf, value, "translation", 3, "node", row, t, &has_t, err);
    if (code == NC_OK)
        code = nc_gltf_vector(gltf, value, "rotation", 4, "node", row, r, &has_r, err);
    if (code == NC_OK)
        code = nc_gltf_vector(gltf, value, "scale", 3, "node", row, s, &has_s, err);
    if (code != NC_OK)
        return code;
    if (out->has_matrix)
        out->matrix = place_matrix(m);
    out->translation = has_t ? nc_v3(t[0], t[1], t[2]) : nc_v3(0, 0, 0);
    out->scale = has_s ? nc_v3(s[0], s[1], s[2]) : nc_v3(1, 1, 1);
    out->rotation = has_r ? nc_q4(r[3], r[0], r[1], r[2]) : nc_quat_identity();
    const double size = nc_quat_norm2(out->rotation);
    if (!(size > 0x1p-40 && size < 0x1p40))
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "node %d: \"rotation\" must be a quaternion of length 1",
                          row);
    out->rotation = nc_quat_normalize(out->rotation); // so that a long chain of them stays of length 1
    return NC_OK;
}

static nc_code read_node(nc_gltf *gltf, int row, nc_error *err)
{
    const int value = gltf->lists[NC_GLTF_NODES].data[row];
    nc_gltf_row *out = &gltf->nodes.data[row];
    out->node.name = nc_gltf_name(gltf, value);
    out->node.parent = -1;
    nc_code code = nc_gltf_index(gltf, value, "mesh", NC_GLTF_MESHES, "node", row, &out->node.mesh, err);
    if (code == NC_OK)
        code = refuse_deforming(gltf, value, row, err);
    if (code == NC_OK)
        code = read_transform(gltf, value, row, out, err);
    return code;
}

// Calls take(node) for each number of a list of nodes.
typedef nc_code (*node_taker)(nc_gltf *gltf, int owner, int node, nc_error *err);
static nc_code each_node(nc_gltf *gltf, int list, int owner, node_taker take, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    if (list < 0)
        return NC_OK;
    bool good = json->values.data[list].kind == NC_JSON_LIST;
    for (int v = good ? json->values.data[list].first : -1; v >= 0 && good; v = json->values.data[v].next) {
        const double number = json->values.data[v].number;
        good = json->values.data[v].kind == NC_JSON_NUMBER && number >= 0 && number < gltf->nodes.count &&
               number == floor(number);
        const nc_code code = good ? take(gltf, owner, (int)number, err) : NC_OK;
        if (code != NC_OK)
            return code;
    }
    if (!good)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "a list of nodes must hold numbers from 0 to %d",
                          gltf->nodes.count - 1);
    return NC_OK;
}

static nc_code take_child(nc_gltf *gltf, int owner, int node, nc_error *err)
{
    if (gltf->nodes.data[node].node.parent >= 0 || node == owner)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "node %d is below two nodes, or below itself", node);
    gltf->nodes.data[node].node.parent = owner;
    return NC_OK;
}

static nc_code show(nc_gltf *gltf, int owner, int node, nc_error *err)
{
    (void)owner;
    (void)err;
    gltf->nodes.data[node].node.shown = true;
    return NC_OK;
}

// Puts all nodes in an order with parents first. A circle leaves nodes over.
static nc_code order_nodes(nc_gltf *gltf, nc_error *err)
{
    const int count = gltf->nodes.count;
    const nc_json_tree *json = &gltf->json;
    for (int i = 0; i < count; i++)
        if (gltf->nodes.data[i].node.parent < 0)
            gltf->order.data[gltf->order.count++] = i;
    for (int k = 0; k < gltf->order.count; k++) {
        const int children = nc_json_member(json, gltf->lists[NC_GLTF_NODES].data[gltf->order.data[k]], "children");
        for (int v = children >= 0 ? json->values.data[children].first : -1; v >= 0; v = json->values.data[v].next)
            gltf->order.data[gltf->order.count++] = (int)json->values.data[v].number;
    }
    if (gltf->order.count < count)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "its nodes are below each other in a circle");
    return NC_OK;
}

// Marks what the file's scene shows: the one it names, else the first, else everything.
static nc_code find_shown(nc_gltf *gltf, nc_error *err)
{
    int scene = -1;
    nc_code code = nc_gltf_index(gltf, 0, "scene", NC_GLTF_SCENES, "the file", 0, &scene, err);
    if (code != NC_OK)
        return code;
    if (scene < 0 && gltf->lists[NC_GLTF_SCENES].count > 0)
        scene = 0;
    if (scene >= 0)
        code = each_node(gltf, nc_json_member(&gltf->json, gltf->lists[NC_GLTF_SCENES].data[scene], "nodes"), scene,
                         show, err);
    for (int k = 0; k < gltf->order.count; k++) {
        nc_gltf_node *node = &gltf->nodes.data[gltf->order.data[k]].node;
        node->shown = scene < 0 || node->shown || (node->parent >= 0 && gltf->nodes.data[node->parent].node.shown);
    }
    return code;
}

nc_code nc_gltf_read_nodes(nc_gltf *gltf, nc_error *err)
{
    const int count = gltf->lists[NC_GLTF_NODES].count;
    nc_code code = NC_OK;
    if (count == 0)
        return NC_OK;
    if (!nc_array_reserve(&gltf->allocator, &gltf->nodes, count) ||
        !nc_array_reserve(&gltf->allocator, &gltf->order, count))
        return nc_fail_memory(err, (size_t)count * sizeof *gltf->nodes.data);
    gltf->nodes.count = count;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = read_node(gltf, i, err);
    for (int i = 0; i < count && code == NC_OK; i++)
        code = each_node(gltf, nc_json_member(&gltf->json, gltf->lists[NC_GLTF_NODES].data[i], "children"), i,
                         take_child, err);
    if (code == NC_OK)
        code = order_nodes(gltf, err);
    return code == NC_OK ? find_shown(gltf, err) : code;
}

// ---- where they are -----------------------------------------------------------------------------------------

static nc_gltf_transform place_locally(const nc_gltf_row *row)
{
    if (row->has_matrix)
        return row->matrix;
    const nc_gltf_transform placement = {{row->translation, row->rotation}, diagonal(row->scale)};
    return placement;
}

static void drive(nc_gltf_transform *local, const nc_gltf_channel *channel, double time)
{
    double v[4] = {0, 0, 0, 0};
    nc_gltf_sample(channel, time, v);
    switch (channel->drive) {
    case NC_GLTF_TRANSLATION:
        local->pose.x = nc_v3(v[0], v[1], v[2]);
        break;
    case NC_GLTF_ROTATION:
        local->pose.q = nc_q4(v[3], v[0], v[1], v[2]);
        break;
    case NC_GLTF_SCALE:
        local->stretch = diagonal(nc_v3(v[0], v[1], v[2]));
        break;
    }
}

void nc_gltf_place(const nc_gltf *gltf, double time, nc_gltf_transform *out)
{
    for (int i = 0; i < gltf->nodes.count; i++)
        out[i] = place_locally(&gltf->nodes.data[i]);
    for (int c = 0; c < gltf->channels.count && !isnan(time); c++)
        drive(&out[gltf->channels.data[c].node], &gltf->channels.data[c], time);
    for (int k = 0; k < gltf->order.count; k++) {
        const int node = gltf->order.data[k], parent = gltf->nodes.data[node].node.parent;
        if (parent >= 0)
            out[node] = nc_gltf_transform_below(&out[parent], &out[node]);
    }
}
