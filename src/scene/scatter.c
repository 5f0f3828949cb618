// The generator scatter: bodies on the surface of another, at points that are random by area.
//
// A body is held above its point and lowered until the surface is a gap away; what stops at another body, or too near
// to a point that is taken, is tried elsewhere.
#include "scene/placing.h"
#include "scene/rotation.h"

#include "geom/geom.h"
#include "math/math.h"

#include <math.h>

#define TRIES 100 // [1] points that are tried for a body before there is no room. Chosen; changes where bodies are

const char *const nc_scatter_orient_names[NC_SCATTER_ORIENT_COUNT] = {"upright", "normal", "random", "fixed"};

typedef struct face {
    nc_vec3 corner[3]; // [m] in the world
    nc_vec3 normal;    // of length 1, to the side that bodies are on
    double area;       // [m^2] of this face and all before it
} face;

typedef struct scattering {
    nc_scene *scene;
    nc_placing at;
    nc_scatter_keys keys;
    nc_mix mix;
    nc_random random;
    nc_room room;
    nc_vec3 up;
    int surface; // row of the body
    NC_ARRAY(face) faces;
    NC_ARRAY(nc_vec3) taken; // [m] points
    nc_placements *out;
    nc_error *err;
} scattering;

// ---- the surface --------------------------------------------------------------------------------------------

// A closed surface has bodies outside, an open one above.
static nc_code add_face(scattering *s, const nc_mesh_data *data, nc_pose pose, const int t[3], double steepest)
{
    face f;
    for (int i = 0; i < 3; i++)
        f.corner[i] = nc_pose_apply(pose, data->vertices[t[i]]);
    const nc_vec3 n = nc_cross(nc_sub(f.corner[1], f.corner[0]), nc_sub(f.corner[2], f.corner[0]));
    const double twice = nc_norm(n);
    if (!(twice > 0))
        return NC_OK;
    f.normal = nc_scale(1 / twice, n);
    if (!data->closed && nc_dot(f.normal, s->up) < 0)
        f.normal = nc_scale(-1, f.normal);
    if (!(nc_dot(f.normal, s->up) >= steepest))
        return NC_OK;
    f.area = 0.5 * twice + (s->faces.count > 0 ? s->faces.data[s->faces.count - 1].area : 0);
    return nc_array_push(&s->scene->allocator, &s->faces, f) ? NC_OK : nc_fail_memory(s->err, sizeof f);
}

static nc_code find_surface(scattering *s)
{
    nc_code code = nc_scene_find_listed(s->scene, nc_node_find(s->keys.node, "on"), s->at.prefix, &s->surface, s->err);
    if (code != NC_OK)
        return code;
    const nc_scene_body *body = &s->scene->bodies.data[s->surface];
    const nc_mesh_data data = nc_mesh_view(s->scene->shapes.data[body->shape].mesh);
    double sine, cosine;
    nc_sincos(s->keys.slope * (NC_PI / 180), &sine, &cosine);
    for (int i = 0; i < data.triangle_count && code == NC_OK; i++)
        code = add_face(s, &data, (nc_pose){body->position, body->orientation}, data.triangles[i], cosine - 1e-12);
    if (code == NC_OK && s->faces.count == 0)
        return nc_node_fail(s->err, s->keys.node,
                            "\"%.64s\" has no face with a slope of at most %g degrees; give a larger slope", body->name,
                            s->keys.slope);
    return code;
}

// A point of the surface, every one equally likely.
static nc_vec3 take_point(scattering *s, const face **out_face)
{
    const double wanted = nc_random_range(&s->random, 0, s->faces.data[s->faces.count - 1].area);
    int low = 0, high = s->faces.count - 1;
    while (low < high) {
        const int mid = (low + high) / 2;
        if (s->faces.data[mid].area > wanted)
            high = mid;
        else
            low = mid + 1;
    }
    const face *f = *out_face = &s->faces.data[low];
    const double root = sqrt(nc_random_unit(&s->random)), v = nc_random_unit(&s->random);
    return nc_add(nc_scale(1 - root, f->corner[0]),
                  nc_add(nc_scale(root * (1 - v), f->corner[1]), nc_scale(root * v, f->corner[2])));
}

static bool is_taken(const scattering *s, nc_vec3 point)
{
    for (int i = 0; i < s->taken.count && s->keys.spacing > 0; i++)
        if (nc_norm(nc_sub(s->taken.data[i], point)) < s->keys.spacing)
            return true;
    return false;
}

// ---- a body -------------------------------------------------------------------------------------------------

// A turn that takes y to a direction, and then by any angle about it.
static nc_quat stand_on(scattering *s, nc_vec3 direction)
{
    const nc_quat to = nc_quat_mul(nc_rotation_z_to(direction), nc_quat_conj(nc_rotation_z_to(nc_v3(0, 1, 0))));
    return nc_quat_mul(nc_rotation_about(direction, nc_random_range(&s->random, 0, 360)), to);
}

// In the frame of placements.
static nc_quat take_orientation(scattering *s, nc_vec3 normal)
{
    const nc_quat back = nc_quat_conj(s->at.frame.q);
    if (s->keys.orient == NC_SCATTER_UPRIGHT)
        return nc_quat_mul(back, stand_on(s, s->up));
    if (s->keys.orient == NC_SCATTER_NORMAL)
        return nc_quat_mul(back, stand_on(s, normal));
    return s->keys.orient == NC_SCATTER_RANDOM ? nc_rotation_random(&s->random, 1) : nc_quat_identity();
}

// How far a turned mesh reaches below its origin.
static double depth_below(const nc_mesh *mesh, nc_quat q, nc_vec3 up)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const nc_vec3 d = nc_mat3_tmul(nc_quat_matrix(q), up);
    double least = INFINITY;
    for (int i = 0; i < data.vertex_count; i++)
        least = fmin(least, nc_dot(d, data.vertices[i]));
    return -least;
}

// Puts a world position into a copy.
static void move_to(const scattering *s, nc_vec3 x, nc_placement *copy)
{
    const nc_vec3 local = nc_mat3_tmul(nc_quat_matrix(s->at.frame.q), nc_sub(x, s->at.frame.x));
    copy->position = nc_sub(local, s->at.keys->position);
}

// Lowers a body onto the surface at a point. *out_good: it has room there.
static nc_code lower(scattering *s, const nc_mesh *mesh, nc_vec3 point, const face *f, nc_placement *copy,
                     bool *out_good)
{
    const nc_vec3 away = s->keys.orient == NC_SCATTER_NORMAL ? f->normal : s->up;
    const double size = nc_mesh_diagonal(mesh);
    nc_room_move move;
    copy->rotation = take_orientation(s, f->normal);
    move_to(s, point, copy);
    nc_pose pose = nc_placing_pose(&s->at, copy);
    pose.x = nc_add(pose.x, nc_scale(depth_below(mesh, pose.q, away) + size, away));
    *out_good = false;
    nc_code code = nc_room_push(&s->room, mesh, pose, nc_scale(-1, away), 2 * size, &move, s->err);
    if (code != NC_OK || move.blocked || move.stop != s->surface)
        return code;
    move_to(s, nc_sub(pose.x, nc_scale(move.travel, away)), copy);
    return nc_room_is_free(&s->room, mesh, nc_placing_pose(&s->at, copy), out_good, s->err);
}

static nc_code keep(scattering *s, const nc_mesh *mesh, nc_vec3 point, const nc_placement *copy)
{
    if (!nc_array_push(&s->scene->allocator, s->out, *copy) || !nc_array_push(&s->scene->allocator, &s->taken, point))
        return nc_fail_memory(s->err, sizeof *copy);
    return nc_room_add(&s->room, mesh, nc_placing_pose(&s->at, copy), s->err);
}

static nc_code scatter_one(scattering *s, bool *out_placed)
{
    const int shape = nc_mix_take(&s->mix, &s->random);
    const nc_mesh *mesh = s->scene->shapes.data[shape].mesh;
    nc_placement copy = {.shape = shape + 1};
    nc_code code = NC_OK;
    *out_placed = false;
    for (int i = 0; i < TRIES && code == NC_OK; i++) {
        const face *f = NULL;
        const nc_vec3 point = take_point(s, &f);
        if (is_taken(s, point))
            continue;
        code = lower(s, mesh, point, f, &copy, out_placed);
        if (code == NC_OK && *out_placed)
            return keep(s, mesh, point, &copy);
    }
    return code;
}

// ---- all of them --------------------------------------------------------------------------------------------

static nc_code no_room(scattering *s)
{
    const char *name = s->scene->bodies.data[s->surface].name;
    if (s->keys.partial)
        return nc_scene_add_note(s->scene, s->err, "%s:%d: scatter: %d of %lld bodies found room on \"%s\"",
                                 s->keys.node->file, s->keys.node->line, s->out->count, (long long)s->keys.count, name);
    return nc_node_fail(
        s->err, s->keys.node,
        "%d of %lld bodies found room on \"%.64s\"; make the count, the spacing or the gap smaller, the "
        "slope or the surface larger, or say partial: true for as many as there is room for",
        s->out->count, (long long)s->keys.count, name);
}

static nc_code scatter_all(scattering *s)
{
    nc_code code = nc_room_add_scene(&s->room, s->scene, s->err);
    bool placed = true;
    for (int64_t i = 0; i < s->keys.count && placed && code == NC_OK; i++)
        code = scatter_one(s, &placed);
    return code == NC_OK && !placed ? no_room(s) : code;
}

nc_code nc_scatter_run(nc_scene *scene, const nc_placing *at, const nc_node *map, uint64_t seed, nc_placements *out,
                       nc_error *err)
{
    scattering s = {.scene = scene, .at = *at, .up = nc_scene_up(scene), .out = out, .err = err};
    nc_key_block_defaults(&nc_generator_blocks[NC_SCATTER], &s.keys);
    nc_code code = nc_key_block_read(&nc_generator_blocks[NC_SCATTER], map, &s.keys, err);
    s.random.state = s.keys.seed >= 0 ? (uint64_t)s.keys.seed : seed;
    if (code == NC_OK)
        code = nc_mix_read(scene, s.keys.shapes, at->keys, &s.mix, err);
    if (code == NC_OK && !scene->dry)
        code = find_surface(&s);
    if (code == NC_OK && !scene->dry) {
        const nc_room_gaps gaps = nc_scene_room_gaps(scene, s.keys.gap);
        code = nc_room_create(&scene->allocator, &gaps, &s.room, err);
        if (code == NC_OK)
            code = scatter_all(&s);
        nc_room_free(&s.room);
    }
    nc_array_free(&scene->allocator, &s.faces);
    nc_array_free(&scene->allocator, &s.taken);
    nc_mix_free(&s.mix, &scene->allocator);
    return code;
}
