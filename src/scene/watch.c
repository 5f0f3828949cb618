// Judging what bodies do during a run: `watch` of the expect block, by stored frames.
#include "scene/description.h"
#include "scene/scene.h"

#include "geom/geom.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RING_SECTORS 64 // corners of a ring's middle line

// What a watch measures of a body.
enum { SPEED, SPIN, HEIGHT, X, Y, Z, MOVED, TURNED, DRIFT, APART, LINKING, LINKS, QUANTITIES };
static const char *const quantity_names[QUANTITIES] = {"speed", "spin",   "height", "x",     "y",       "z",
                                                       "moved", "turned", "drift",  "apart", "linking", "links"};

// The least and the largest of what was seen, and where.
typedef struct extreme {
    double value, time;
    char name[128];
    bool seen;
} extreme;

typedef struct watch {
    const nc_scene *scene;
    const nc_watched_frames *frames;
    nc_watch_keys keys;
    nc_watched_body *now;    // by body: the frame under way
    nc_pose *first, *window; // by body: its pose in its first frame, and in the first frame of the window
    bool *has_first, *has_window;
    double time;                   // [s] of the frame under way
    extreme least[QUANTITIES + 1]; // and of the count
    extreme largest[QUANTITIES + 1];
    bool reached; // a frame of the window was there
    bool matched; // a body of that name, too
    nc_buffer *out;
    int *failed;
    nc_error *err;
} watch;

// ---- what is measured ---------------------------------------------------------------------------------------

static double height(nc_vec3 gravity, nc_vec3 x)
{
    const double g = nc_norm(gravity);
    return g > 0 ? -nc_dot(gravity, x) / g : x.y;
}

static double angle_between(nc_quat p, nc_quat q)
{
    const nc_quat r = nc_quat_mul(nc_quat_conj(p), q);
    return 2 * nc_atan2(sqrt(r.x * r.x + r.y * r.y + r.z * r.z), fabs(r.w));
}

// How far a point of the mesh is, at most, from where it was.
static double drift(const nc_watched_body *body, nc_pose before)
{
    const double moved = nc_norm(nc_sub(body->pose.x, before.x));
    if (!body->turns)
        return moved;
    return moved + nc_mesh_radius(body->mesh) * angle_between(before.q, body->pose.q);
}

// Coordinates across an axis (0: x, 1: y, 2: z).
typedef struct flat {
    double a, b;
} flat;

static flat flatten(nc_vec3 v, int axis)
{
    return (flat){axis == 0 ? v.y : v.x, axis == 2 ? v.y : v.z};
}

static double side(flat p, flat q)
{
    return p.a * q.b - p.b * q.a;
}

// Does the line through the centre along the axis miss every triangle?
static bool has_hole(const nc_mesh_data *mesh, nc_vec3 centre, int axis)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        flat p[3];
        for (int k = 0; k < 3; k++)
            p[k] = flatten(nc_sub(mesh->vertices[mesh->triangles[i][k]], centre), axis);
        const double s0 = side(p[0], p[1]), s1 = side(p[1], p[2]), s2 = side(p[2], p[0]);
        if ((s0 >= 0 && s1 >= 0 && s2 >= 0 && s0 + s1 + s2 > 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0 && s0 + s1 + s2 < 0))
            return false;
    }
    return true;
}

// The middle line of a ring: the means of its vertices in sectors around the axis that they go around, in the world.
// False when it is no ring about the axis of its least extent: that line meets the surface, or a third of the way
// around there is nothing.
static bool middle_line(const nc_watched_body *body, nc_vec3 out[RING_SECTORS])
{
    const nc_mesh_data mesh = nc_mesh_view(body->mesh);
    const nc_vec3 size = nc_sub(mesh.box.hi, mesh.box.lo), centre = nc_scale(0.5, nc_add(mesh.box.lo, mesh.box.hi));
    const int axis = size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2;
    if (!has_hole(&mesh, centre, axis))
        return false;
    int count[RING_SECTORS] = {0};
    nc_vec3 sum[RING_SECTORS] = {{0, 0, 0}};
    for (int i = 0; i < mesh.vertex_count; i++) {
        const flat v = flatten(nc_sub(mesh.vertices[i], centre), axis);
        const double turn = nc_atan2(v.b, v.a) / (2 * NC_PI) + 0.5;
        const int sector = (int)fmin(floor(turn * RING_SECTORS), RING_SECTORS - 1);
        sum[sector] = nc_add(sum[sector], mesh.vertices[i]);
        count[sector]++;
    }
    int corners = 0, empty = 0;
    nc_vec3 last = {0, 0, 0};
    for (int k = 0; k < 2 * RING_SECTORS; k++) { // empty sectors take the corner before them
        const int sector = k % RING_SECTORS;
        if (count[sector] > 0) {
            last = nc_pose_apply(body->pose, nc_scale(1.0 / count[sector], sum[sector]));
            corners += k >= RING_SECTORS;
            empty = 0;
        } else if (++empty > RING_SECTORS / 3) {
            return false;
        }
        out[sector] = last;
    }
    return corners >= 3;
}

// The body of the name `with` in the frame under way; NULL when it is not there.
static const nc_watched_body *partner(const watch *w)
{
    for (int id = 0; id < w->frames->body_count; id++)
        if (w->now[id].mesh != NULL && strcmp(w->now[id].name, w->keys.with) == 0)
            return &w->now[id];
    return NULL;
}

// NaN when one of the two is no ring, or is not there.
static double linking(const watch *w, const nc_watched_body *body)
{
    nc_vec3 a[RING_SECTORS], b[RING_SECTORS];
    const nc_watched_body *other = partner(w);
    if (other == NULL || !body->turns || !middle_line(body, a) || !middle_line(other, b))
        return NAN;
    return round(fabs(nc_linking_number(a, RING_SECTORS, b, RING_SECTORS)));
}

static double apart(const watch *w, const nc_watched_body *body)
{
    const nc_watched_body *other = partner(w);
    return other == NULL ? NAN : nc_norm(nc_sub(body->pose.x, other->pose.x));
}

// Are two rings near enough to be linked, and is the other one a ring whose linking number with the line is not 0?
static bool is_linked(const nc_watched_body *body, const nc_vec3 line[RING_SECTORS], const nc_watched_body *other)
{
    nc_vec3 b[RING_SECTORS];
    const double reach = nc_mesh_radius(body->mesh) + nc_mesh_radius(other->mesh);
    if (nc_norm(nc_sub(body->pose.x, other->pose.x)) > reach || !middle_line(other, b))
        return false;
    return fabs(nc_linking_number(line, RING_SECTORS, b, RING_SECTORS)) > 0.5;
}

// NaN when the body is no ring.
static double links(const watch *w, const nc_watched_body *body)
{
    nc_vec3 line[RING_SECTORS];
    int count = 0;
    if (!body->turns || !middle_line(body, line))
        return NAN;
    for (int id = 0; id < w->frames->body_count; id++) {
        const nc_watched_body *other = &w->now[id];
        if (other == body || other->mesh == NULL || !nc_pattern_match(w->keys.with, other->name))
            continue;
        count += is_linked(body, line, other);
    }
    return count;
}

static double measure(const watch *w, int id, int quantity)
{
    const nc_watched_body *body = &w->now[id];
    switch (quantity) {
    case SPEED:
        return nc_norm(body->velocity);
    case SPIN:
        return body->turns ? nc_norm(body->spin) : NAN;
    case HEIGHT:
        return height(w->frames->gravity, body->pose.x);
    case X:
        return body->pose.x.x;
    case Y:
        return body->pose.x.y;
    case Z:
        return body->pose.x.z;
    case MOVED:
        return nc_norm(nc_sub(body->pose.x, w->first[id].x));
    case TURNED:
        return body->turns ? angle_between(w->first[id].q, body->pose.q) * (180 / NC_PI) : NAN;
    case DRIFT:
        return drift(body, w->window[id]);
    case APART:
        return apart(w, body);
    case LINKING:
        return linking(w, body);
    default:
        return links(w, body);
    }
}

static const nc_range *range_of(const nc_watch_keys *keys, int quantity)
{
    const nc_range *const ranges[QUANTITIES + 1] = {
        &keys->speed,  &keys->spin,  &keys->height, &keys->x,       &keys->y,     &keys->z,    &keys->moved,
        &keys->turned, &keys->drift, &keys->apart,  &keys->linking, &keys->links, &keys->count};
    return ranges[quantity];
}

static bool is_in(const nc_range *range, double value)
{
    return value >= range->min && value <= range->max; // NaN is not
}

// ---- one frame ----------------------------------------------------------------------------------------------

static void keep_extreme(extreme *e, bool beyond, double value, double time, const char *name)
{
    if (e->seen && !beyond && !isnan(value))
        return;
    if (e->seen && isnan(e->value))
        return; // what could not be measured once is not known
    *e = (extreme){.value = value, .time = time, .seen = true};
    snprintf(e->name, sizeof e->name, "%s", name);
}

static void note(watch *w, int quantity, double value, const char *name)
{
    keep_extreme(&w->least[quantity], value < w->least[quantity].value, value, w->time, name);
    keep_extreme(&w->largest[quantity], value > w->largest[quantity].value, value, w->time, name);
}

static bool meets_all(const watch *w, int id)
{
    nc_bounds_keys box;
    const nc_vec3 x = w->now[id].pose.x;
    if (w->keys.inside != NULL && nc_key_block_read(&nc_bounds_block, w->keys.inside, &box, NULL) == NC_OK &&
        !(x.x >= box.low.x && x.y >= box.low.y && x.z >= box.low.z && x.x <= box.high.x && x.y <= box.high.y &&
          x.z <= box.high.z))
        return false;
    for (int q = 0; q < QUANTITIES; q++)
        if (range_of(&w->keys, q)->given && !is_in(range_of(&w->keys, q), measure(w, id, q)))
            return false;
    return true;
}

static void look_at_body(watch *w, int id, int *count)
{
    const nc_watched_body *body = &w->now[id];
    if (!w->has_window[id])
        w->window[id] = body->pose;
    w->has_window[id] = true;
    w->matched = true;
    if (w->keys.count.given) {
        *count += meets_all(w, id);
        return;
    }
    for (int q = 0; q < QUANTITIES; q++)
        if (range_of(&w->keys, q)->given)
            note(w, q, measure(w, id, q), body->name);
}

static bool in_window(const watch *w)
{
    const nc_watch_keys *k = &w->keys;
    const double slack = 0.5 * w->frames->timestep;
    if (!isnan(k->at))
        return fabs(w->time - k->at) <= slack;
    return !(w->time < k->from - slack) && !(w->time > k->to + slack); // NaN: no limit
}

static void look_at_frame(watch *w)
{
    const bool inside = in_window(w);
    int count = 0;
    w->reached = w->reached || inside;
    for (int id = 0; id < w->frames->body_count; id++) {
        const nc_watched_body *body = &w->now[id];
        if (!body->there || !nc_pattern_match(w->keys.bodies, body->name))
            continue;
        if (!w->has_first[id])
            w->first[id] = body->pose;
        w->has_first[id] = true;
        if (inside)
            look_at_body(w, id, &count);
    }
    if (inside && w->keys.count.given)
        note(w, QUANTITIES, count, "");
}

// ---- the verdict --------------------------------------------------------------------------------------------

static nc_code say(watch *w, const char *mark, const char *key, const char *measured)
{
    char line[640], when[64] = "";
    const nc_watch_keys *k = &w->keys;
    if (!isnan(k->at))
        snprintf(when, sizeof when, " at %.6g s", k->at);
    else if (!isnan(k->from))
        snprintf(when, sizeof when, " from %.6g s on", k->from);
    snprintf(line, sizeof line, "%-4s  watch %.100s%s, %s: %s  %.80s:%d\n", mark, k->bodies, when, key, measured,
             k->node->file, k->node->line);
    *w->failed += strcmp(mark, "FAIL") == 0;
    if (w->out != NULL && !nc_buffer_append(w->out, line, strlen(line)))
        return nc_fail_memory(w->err, strlen(line));
    return NC_OK;
}

static const char *describe(const extreme *e, char *out, size_t out_size)
{
    if (isnan(e->value))
        snprintf(out, out_size, "not measured (%.100s)", e->name);
    else
        snprintf(out, out_size, "%.9g%s%.100s at %.6g s", e->value, e->name[0] != '\0' ? " of " : "", e->name, e->time);
    return out;
}

static nc_code judge_quantity(watch *w, int quantity)
{
    static const char *const prefix[NC_WATCH_OVERS] = {"", "largest ", "smallest "};
    const nc_range *range = range_of(&w->keys, quantity);
    const extreme *low = &w->least[quantity], *high = &w->largest[quantity];
    const int over = w->keys.over;
    const bool low_ok = is_in(range, low->value), high_ok = is_in(range, high->value);
    const bool ok = over == NC_WATCH_MAX ? high_ok : over == NC_WATCH_MIN ? low_ok : low_ok && high_ok;
    char key[48], a[200], b[200], measured[480];
    snprintf(key, sizeof key, "%s%s", prefix[over], quantity < QUANTITIES ? quantity_names[quantity] : "count");
    describe(low, a, sizeof a);
    describe(high, b, sizeof b);
    if (over == NC_WATCH_ALL && low->value < high->value)
        snprintf(measured, sizeof measured, "%s to %s", a, b);
    else
        snprintf(measured, sizeof measured, "%s", over == NC_WATCH_MIN ? a : b);
    if (!ok) {
        const size_t length = strlen(measured);
        snprintf(measured + length, sizeof measured - length, " (allowed: %s)", nc_range_text(range, a, sizeof a));
    }
    return say(w, ok ? "ok" : "FAIL", key, measured);
}

static nc_code judge(watch *w)
{
    nc_code code = NC_OK;
    if (!w->reached)
        return w->frames->complete ? say(w, "FAIL", "frames", "no stored frame at that time")
                                   : say(w, "--", "frames", "later: the run was stopped before");
    if (!w->matched)
        return say(w, "FAIL", "bodies", "no such body in these frames");
    if (w->keys.count.given)
        return judge_quantity(w, QUANTITIES);
    for (int q = 0; q < QUANTITIES && code == NC_OK; q++)
        if (range_of(&w->keys, q)->given)
            code = judge_quantity(w, q);
    return code;
}

static nc_code look_at_frames(watch *w)
{
    nc_code code = NC_OK;
    for (int64_t frame = 0; frame < w->frames->count && code == NC_OK; frame++) {
        code = w->frames->read(w->frames->ctx, frame, &w->time, w->now, w->err);
        if (code == NC_OK)
            look_at_frame(w);
    }
    return code == NC_OK ? judge(w) : code;
}

static nc_code judge_one(watch *w, const nc_node *node)
{
    const nc_allocator *memory = &w->scene->allocator;
    const size_t bodies = (size_t)w->frames->body_count + 1;
    nc_code code = nc_expect_read_watch(node, &w->keys, w->err);
    w->now = nc_alloc(memory, bodies, sizeof *w->now);
    w->first = nc_alloc(memory, bodies, sizeof *w->first);
    w->window = nc_alloc(memory, bodies, sizeof *w->window);
    w->has_first = nc_alloc(memory, bodies, sizeof *w->has_first);
    w->has_window = nc_alloc(memory, bodies, sizeof *w->has_window);
    if (w->now == NULL || w->first == NULL || w->window == NULL || w->has_first == NULL || w->has_window == NULL)
        code = nc_fail_memory(w->err, bodies * sizeof *w->now);
    if (code == NC_OK)
        code = look_at_frames(w);
    nc_free(memory, w->now, bodies, sizeof *w->now);
    nc_free(memory, w->first, bodies, sizeof *w->first);
    nc_free(memory, w->window, bodies, sizeof *w->window);
    nc_free(memory, w->has_first, bodies, sizeof *w->has_first);
    nc_free(memory, w->has_window, bodies, sizeof *w->has_window);
    return code;
}

bool nc_scene_watches(const nc_scene *scene)
{
    return scene->expect.watch != NULL && scene->expect.watch->count > 0;
}

nc_code nc_scene_judge_watch(const nc_scene *scene, const nc_watched_frames *frames, int *failed, nc_buffer *out,
                             nc_error *err)
{
    nc_code code = NC_OK;
    const nc_node *list = scene->expect.watch;
    for (const nc_node *node = list != NULL ? list->first : NULL; node != NULL && code == NC_OK; node = node->next) {
        watch w = {.scene = scene, .frames = frames, .out = out, .failed = failed, .err = err};
        code = judge_one(&w, node);
    }
    return code;
}
