// Questions about two meshes: read by the same tables and with the same errors as scenes.
#include "scene/scene.h"
#include "scene/units.h"

#include "scene/description.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FAR 1e9 // [m] as in scenes

const char *const nc_question_names[NC_QUESTION_COUNT] = {"distance",   "proximity", "sweep",
                                                          "trajectory", "contacts",  "intersection"};
const char *const nc_target_names[NC_TARGET_COUNT] = {"mesh", "solid", "implicit", "level_set", "patch"};

typedef struct pose_keys {
    const nc_node *node;
    nc_vec3 position;
    nc_quat orientation;
} pose_keys;

typedef struct motion_keys {
    const nc_node *node;
    nc_vec3 travel, rotation;
} motion_keys;

typedef struct question_keys {
    const nc_node *node;
    int ask;
    const nc_node *a, *b, *pose_a, *pose_b, *motion_a, *motion_b, *patch;
    int target; // nc_target_kind, -1: not given
    double gap, tolerance, t_max, within, angle, epsilon, spacing, window, cell;
    int64_t limit;
    bool chords, every_pair, segments;
} question_keys;

#define NUMBER(field_, unit_, low_, high_, above_, about_)                                                             \
    {                                                                                                                  \
        .name = #field_, .kind = NC_KEY_NUMBER, .unit = (unit_), .low = (low_), .high = (high_), .above = (above_),    \
        .about = (about_), .offset = offsetof(question_keys, field_)                                                   \
    }
#define FLAG(field_, about_)                                                                                           \
    {                                                                                                                  \
        .name = #field_, .kind = NC_KEY_FLAG, .unit = "", .about = (about_), .offset = offsetof(question_keys, field_) \
    }
#define MAP(field_, required_, about_)                                                                                 \
    {                                                                                                                  \
        .name = #field_, .kind = NC_KEY_BLOCK, .unit = "", .about = (about_), .required = (required_),                 \
        .offset = offsetof(question_keys, field_)                                                                      \
    }
#define VECTOR(type_, field_, unit_, about_)                                                                           \
    {                                                                                                                  \
        .name = #field_, .kind = NC_KEY_VECTOR, .unit = (unit_), .low = -FAR, .high = FAR, .fallback = "[0, 0, 0]",    \
        .about = (about_), .offset = offsetof(type_, field_)                                                           \
    }
#define ROWS(table) (table), (int)(sizeof(table) / sizeof((table)[0]))

static const nc_key pose_table[] = {
    VECTOR(pose_keys, position, "m", "Of the mesh's origin."),
    {.name = "orientation",
     .kind = NC_KEY_QUAT,
     .unit = "1",
     .low = -1e9,
     .high = 1e9,
     .about = "w, x, y, z; any length but 0.",
     .offset = offsetof(pose_keys, orientation)},
};
static const nc_key_block pose_block = {"pose", "Where a mesh is.", ROWS(pose_table)};

static const nc_key motion_table[] = {
    VECTOR(motion_keys, travel, "m", "Of the mesh's origin, over t in [0, 1]."),
    VECTOR(motion_keys, rotation, "rad", "Rotation vector about the mesh's origin; many turns are real."),
};
static const nc_key_block motion_block = {"motion", "How a mesh moves.", ROWS(motion_table)};

static const nc_key question_table[] = {
    {.name = "ask",
     .kind = NC_KEY_CHOICE,
     .unit = "",
     .about = "The kind of query.",
     .choices = nc_question_names,
     .choice_count = NC_QUESTION_COUNT,
     .required = true,
     .offset = offsetof(question_keys, ask)},
    MAP(a, true, "The first mesh: the keys of a scene's shape."),
    MAP(b, false, "The second mesh."),
    MAP(pose_a, false, "Where A is (at t = 0)."),
    MAP(pose_b, false, "Where B is (at t = 0)."),
    MAP(motion_a, false, "How A moves."),
    MAP(motion_b, false, "How B moves."),
    NUMBER(gap, "m", 0, FAR, false, "How far apart they must stay."),
    NUMBER(tolerance, "m", 0, FAR, true, "How near to the gap counts as a hit."),
    NUMBER(t_max, "1", 0, 1, true, "End of the interval that is tested."),
    {.name = "limit",
     .kind = NC_KEY_WHOLE,
     .unit = "",
     .low = 2,
     .high = 1e9,
     .about = "Of the work on a pair of features, or on a point.",
     .offset = offsetof(question_keys, limit)},
    FLAG(chords, "Every point in a straight line from start to end."),
    NUMBER(within, "m", 0, FAR, true, "Features nearer than this are near."),
    NUMBER(angle, "rad", 0, 1.57, false, "How far a contact may be from the nearest point's direction."),
    FLAG(every_pair, "Every pair of near features, not only contacts."),
    NUMBER(epsilon, "m", 0, FAR, true, "The precision of a trajectory's contact."),
    NUMBER(spacing, "m", 0, FAR, true, "Of the points on A."),
    FLAG(segments, "Straight pieces instead of boxes."),
    NUMBER(window, "1", 0, 1, false, "How long after the first contact others are contacts, too."),
    {.name = "target",
     .kind = NC_KEY_CHOICE,
     .unit = "",
     .about = "What of B is touched.",
     .choices = nc_target_names,
     .choice_count = NC_TARGET_COUNT,
     .offset = offsetof(question_keys, target)},
    NUMBER(cell, "m", 0, FAR, true, "Of the grid of a level set."),
    {.name = "patch",
     .kind = NC_KEY_POINTS,
     .unit = "m",
     .low = -FAR,
     .high = FAR,
     .about = "Instead of b: the 16 control points of a bicubic patch.",
     .offset = offsetof(question_keys, patch)},
};
static const nc_key_block question_block = {"question", "A question about two meshes.", ROWS(question_table)};

// The keys that belong to each question, besides ask, a, b, pose_a and pose_b.
#define OWN_KEYS 12
static const char *const own_keys[NC_QUESTION_COUNT][OWN_KEYS] = {
    [NC_QUESTION_PROXIMITY] = {"within", "angle", "every_pair"},
    [NC_QUESTION_SWEEP] = {"motion_a", "motion_b", "gap", "tolerance", "t_max", "limit", "chords"},
    [NC_QUESTION_TRAJECTORY] = {"motion_a", "motion_b", "epsilon", "spacing", "t_max", "limit", "segments", "target",
                                "cell", "patch"},
    [NC_QUESTION_CONTACTS] = {"motion_a", "motion_b", "epsilon", "spacing", "t_max", "limit", "segments", "target",
                              "cell", "patch", "window"},
};
static const char *const common_keys[] = {"ask", "a", "b", "pose_a", "pose_b"};

static bool belongs(const char *key, int ask)
{
    for (int i = 0; i < 5; i++)
        if (strcmp(common_keys[i], key) == 0)
            return true;
    for (int i = 0; i < OWN_KEYS && own_keys[ask][i] != NULL; i++)
        if (strcmp(own_keys[ask][i], key) == 0)
            return true;
    return false;
}

static nc_code check_keys(const nc_node *root, const question_keys *keys, nc_error *err)
{
    for (const nc_node *entry = root->first; entry != NULL; entry = entry->next)
        if (!belongs(entry->key, keys->ask))
            return nc_node_fail(err, entry, "this key is not used by the query %s", nc_question_names[keys->ask]);
    if (keys->ask == NC_QUESTION_PROXIMITY && isnan(keys->within))
        return nc_node_fail(err, root, "the key \"within\" is missing; it takes a number above 0 [m]");
    if ((keys->b == NULL) == (keys->patch == NULL))
        return nc_node_fail(err, root,
                            keys->b == NULL ? "the key \"b\" is missing; it takes a map"
                                            : "found b and patch; allowed: one of them");
    return NC_OK;
}

// What of B is touched, when nothing is said: a solid itself, a patch, else the mesh.
static nc_code choose_target(const nc_node *root, const question_keys *keys, nc_question *out, nc_error *err)
{
    const bool solid = out->solid_b->count > 0;
    const nc_target_kind natural = keys->patch != NULL ? NC_TARGET_PATCH : solid ? NC_TARGET_SOLID : NC_TARGET_MESH;
    out->target = keys->target < 0 ? natural : (nc_target_kind)keys->target;
    out->cell = keys->cell; // NaN: the default
    if ((out->target == NC_TARGET_PATCH) != (keys->patch != NULL))
        return nc_node_fail(err, nc_node_find(root, "target"), "target: patch and the key \"patch\" go together");
    if (out->target != NC_TARGET_MESH && out->target != NC_TARGET_PATCH && !solid)
        return nc_node_fail(err, nc_node_find(root, "target"), "only a solid (csg) is touched so; allowed: mesh");
    if (!isnan(keys->cell) && out->target != NC_TARGET_LEVEL_SET)
        return nc_node_fail(err, nc_node_find(root, "cell"), "only target: level_set has a grid");
    return NC_OK;
}

static nc_code read_patch(const nc_node *list, nc_bezier_patch *out, nc_error *err)
{
    int count = 0;
    for (const nc_node *point = list->first; point != NULL; point = point->next, count++) {
        double v[3] = {0};
        int k = 0;
        for (const nc_node *number = point->first; number != NULL && k < 3; number = number->next)
            nc_number_parse(number->text, &v[k++]);
        if (count < 16)
            out->control[count] = nc_v3(v[0], v[1], v[2]);
    }
    if (count != 16)
        return nc_node_fail(err, list, "found %d points; allowed: the 16 control points of a bicubic patch", count);
    return NC_OK;
}

// A mesh and, where it is made of one, its solid.
static nc_code read_body(nc_scene *scene, const nc_node *map, nc_mesh **mesh, nc_solid *solid, nc_error *err)
{
    const nc_code code = nc_scene_read_mesh(scene, map, mesh, err);
    const nc_node *csg = nc_node_find(map, "csg");
    return code == NC_OK && csg != NULL ? nc_solid_read(csg, solid, err) : code;
}

static nc_code read_motion(const nc_node *pose, const nc_node *motion, nc_motion *out, nc_error *err)
{
    pose_keys where;
    motion_keys how;
    nc_key_block_defaults(&pose_block, &where);
    nc_key_block_defaults(&motion_block, &how);
    nc_code code = pose != NULL ? nc_key_block_read(&pose_block, pose, &where, err) : NC_OK;
    if (code == NC_OK && motion != NULL)
        code = nc_key_block_read(&motion_block, motion, &how, err);
    out->start.x = where.position;
    out->start.q = isnan(where.orientation.w) ? nc_quat_identity() : where.orientation;
    out->travel = how.travel;
    out->rotation = how.rotation;
    return code;
}

static double or_else(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

static void fill(const question_keys *keys, nc_question *out)
{
    out->ask = (nc_question_kind)keys->ask;
    out->sweep = nc_sweep_def_default();
    out->sweep.gap = or_else(keys->gap, out->sweep.gap);
    out->sweep.tolerance = or_else(keys->tolerance, out->sweep.tolerance);
    out->sweep.t_max = or_else(keys->t_max, out->sweep.t_max);
    out->sweep.chords = keys->chords;
    out->trajectory = nc_trajectory_def_default();
    out->trajectory.epsilon = or_else(keys->epsilon, out->trajectory.epsilon);
    out->trajectory.t_max = or_else(keys->t_max, out->trajectory.t_max);
    out->trajectory.segments = keys->segments;
    if (keys->limit > 0)
        out->sweep.limit = out->trajectory.limit = (int)keys->limit;
    out->spacing = or_else(keys->spacing, INFINITY);
    out->window = or_else(keys->window, 1e-3);
    out->within = keys->within;
    out->angle = keys->angle; // NaN: the default
    out->every_pair = keys->every_pair;
}

static nc_code read_question(nc_scene *scene, const char *text, size_t size, nc_question *out, nc_error *err)
{
    question_keys keys;
    nc_node *root = NULL;
    char found[96];
    nc_key_block_defaults(&question_block, &keys);
    nc_code code = nc_node_parse(&scene->pool, scene->path, text, size, &root, err);
    if (code == NC_OK && root->kind != NC_NODE_MAP)
        code = nc_node_fail(err, root, "found %s; allowed: a map", nc_node_describe(root, found, sizeof found));
    if (code == NC_OK)
        code = nc_key_block_read(&question_block, root, &keys, err);
    if (code == NC_OK)
        code = nc_units_convert_shape(&scene->pool, nc_node_find(root, "a"), NC_UNIT_M, err);
    if (code == NC_OK)
        code = check_keys(root, &keys, err);
    if (code == NC_OK && keys.b != NULL)
        code = nc_units_convert_shape(&scene->pool, nc_node_find(root, "b"), NC_UNIT_M, err);
    if (code == NC_OK)
        code = read_motion(keys.pose_a, keys.motion_a, &out->motion_a, err);
    if (code == NC_OK)
        code = read_motion(keys.pose_b, keys.motion_b, &out->motion_b, err);
    if (code == NC_OK)
        code = read_body(scene, keys.a, &out->a, out->solid_a, err);
    if (code == NC_OK && keys.b != NULL)
        code = read_body(scene, keys.b, &out->b, out->solid_b, err);
    if (code == NC_OK && keys.patch != NULL)
        code = read_patch(keys.patch, &out->patch, err);
    if (code == NC_OK)
        code = choose_target(root, &keys, out, err);
    if (code == NC_OK)
        fill(&keys, out);
    return code;
}

nc_code nc_question_read(const char *file, const char *text, size_t size, const nc_allocator *allocator,
                         nc_question *out, nc_error *err)
{
    const nc_allocator memory = nc_allocator_or_default(allocator);
    *out = (nc_question){.ask = NC_QUESTION_DISTANCE, .allocator = memory};
    out->solid_a = nc_alloc(&memory, 2, sizeof *out->solid_a);
    if (out->solid_a == NULL)
        return nc_fail_memory(err, 2 * sizeof *out->solid_a);
    out->solid_b = out->solid_a + 1;
    nc_scene *scene = nc_alloc(&memory, 1, sizeof *scene);
    if (scene == NULL)
        return nc_fail_memory(err, sizeof *scene);
    // Of a scene only what reading meshes needs.
    scene->allocator = scene->pool.allocator = memory;
    scene->text = nc_buffer_create(&memory);
    scene->path = nc_pool_text(&scene->pool, file, strlen(file));
    const nc_code code =
        scene->path == NULL ? nc_fail_memory(err, strlen(file)) : read_question(scene, text, size, out, err);
    nc_scene_destroy(scene);
    return code;
}

void nc_question_free(nc_question *question)
{
    nc_mesh_release(question->a);
    nc_mesh_release(question->b);
    if (question->solid_a != NULL)
        nc_free(&question->allocator, question->solid_a, 2, sizeof *question->solid_a);
    question->a = question->b = NULL;
    question->solid_a = question->solid_b = NULL;
}
