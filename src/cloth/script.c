// What is prescribed: scripted and pinned vertices, forces on vertices.
#include "cloth/world.h"

#include <string.h>

// ---- adding -------------------------------------------------------------------------------------------------

// Ticks at time s [s], rounded to the clock of scripts; `never` for 0 or infinity.
static int64_t tick_of(const nc_cloth_world *world, double s, int64_t never)
{
    const double steps = ceil(s / world->model.settings.frame_dt * NC_CLOTH_SCRIPT_STEPS - 0x1p-20);
    if (!(s > 0) || !(steps < 0x1p+26))
        return never;
    return (int64_t)steps * nc_cloth_step_ticks(NC_CLOTH_SCRIPT_LEVEL);
}

// A copy of the vertices' numbers as rows of the world; NULL stands for all.
static nc_code copy_rows(nc_cloth_world *world, const nc_cloth_object *object, const int *vertices, int count,
                         int **out, int *out_count, nc_error *err)
{
    const int n = vertices != NULL ? count : object->vertex_count;
    *out = NULL;
    *out_count = 0;
    if (n < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "a script or force names %d vertices", n);
    for (int i = 0; vertices != NULL && i < n; i++)
        if (vertices[i] < 0 || vertices[i] >= object->vertex_count)
            return nc_fail(err, NC_BAD_ARGUMENT, "a script or force names vertex %d, but only %d exist", vertices[i],
                           object->vertex_count);
    if (n == 0)
        return NC_OK;
    int *rows = nc_alloc(&world->allocator, (size_t)n, sizeof *rows);
    if (rows == NULL)
        return nc_fail_memory(err, (size_t)n * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = object->first_vertex + (vertices != NULL ? vertices[i] : i);
    *out = rows;
    *out_count = n;
    return NC_OK;
}

static nc_code check_keys(const nc_cloth_script *script, nc_error *err)
{
    for (int i = 0; i < script->keyframe_count; i++) {
        const nc_keyframe *k = &script->keyframes[i];
        if (!isfinite(k->time) || !nc_finite3(k->position) || !nc_finite4(k->orientation) ||
            !(nc_quat_norm2(k->orientation) > 0))
            return nc_fail(err, NC_BAD_ARGUMENT, "keyframe %d is not finite or has no orientation", i);
        if (i > 0 && !(k->time > script->keyframes[i - 1].time))
            return nc_fail(err, NC_BAD_ARGUMENT, "keyframe %d is not later than the one before it", i);
    }
    if (!nc_finite3(script->velocity))
        return nc_fail(err, NC_BAD_ARGUMENT, "the velocity of a script is not finite");
    return NC_OK;
}

static void free_script(nc_cloth_world *world, nc_cloth_scripted_vertices *s)
{
    nc_free(&world->allocator, s->vertices, (size_t)s->vertex_count, sizeof *s->vertices);
    nc_free(&world->allocator, s->keys, (size_t)s->key_count, sizeof *s->keys);
}

static nc_code add_script(nc_cloth_world *world, const nc_cloth_script *script, const nc_cloth_object *object,
                          nc_error *err)
{
    nc_cloth_scripted_vertices s = {.velocity = script->velocity, .end = tick_of(world, script->end, INT64_MAX)};
    nc_code code = check_keys(script, err);
    if (code == NC_OK)
        code = copy_rows(world, object, script->vertices, script->vertex_count, &s.vertices, &s.vertex_count, err);
    if (code != NC_OK)
        return code;
    if (script->keyframe_count > 0) {
        s.keys = nc_alloc(&world->allocator, (size_t)script->keyframe_count, sizeof *s.keys);
        if (s.keys != NULL) {
            s.key_count = script->keyframe_count;
            memcpy(s.keys, script->keyframes, (size_t)s.key_count * sizeof *s.keys);
        }
    }
    if (s.key_count != script->keyframe_count || !nc_array_push(&world->allocator, &world->scripts, s)) {
        free_script(world, &s);
        return nc_fail_memory(err, sizeof s);
    }
    for (int i = 0; i < s.vertex_count; i++) {
        world->states[s.vertices[i]].inv_mass = 0;
        world->states[s.vertices[i]].v = s.key_count > 0 ? nc_v3(0, 0, 0) : s.velocity;
    }
    return NC_OK;
}

static nc_code add_push(nc_cloth_world *world, const nc_cloth_force *force, const nc_cloth_object *object,
                        nc_error *err)
{
    nc_cloth_push p = {
        .force = force->force, .start = tick_of(world, force->start, 0), .end = tick_of(world, force->end, INT64_MAX)};
    if (!nc_finite3(force->force))
        return nc_fail(err, NC_BAD_ARGUMENT, "a prescribed force is not finite");
    const nc_code code =
        copy_rows(world, object, force->vertices, force->vertex_count, &p.vertices, &p.vertex_count, err);
    if (code != NC_OK)
        return code;
    if (!nc_array_push(&world->allocator, &world->pushes, p)) {
        nc_free(&world->allocator, p.vertices, (size_t)p.vertex_count, sizeof *p.vertices);
        return nc_fail_memory(err, sizeof p);
    }
    return NC_OK;
}

nc_code nc_cloth_script_add(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                            nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; code == NC_OK && i < def->script_count; i++)
        code = add_script(world, &def->scripts[i], object, err);
    for (int i = 0; code == NC_OK && i < def->force_count; i++)
        code = add_push(world, &def->forces[i], object, err);
    return code;
}

void nc_cloth_scripts_cut(nc_cloth_world *world, int scripts, int pushes)
{
    while (world->scripts.count > scripts)
        free_script(world, &world->scripts.data[--world->scripts.count]);
    while (world->pushes.count > pushes) {
        nc_cloth_push *p = &world->pushes.data[--world->pushes.count];
        nc_free(&world->allocator, p->vertices, (size_t)p->vertex_count, sizeof *p->vertices);
    }
}

void nc_cloth_scripts_free(nc_cloth_world *world)
{
    nc_cloth_scripts_cut(world, 0, 0);
    nc_array_free(&world->allocator, &world->scripts);
    nc_array_free(&world->allocator, &world->pushes);
}

// ---- running ------------------------------------------------------------------------------------------------

// The frame of a script at time s [s]: positions go straight from key to key, orientations turn evenly.
static nc_pose pose_at(const nc_cloth_scripted_vertices *script, double s)
{
    const nc_keyframe *k = script->keys;
    int i = 0;
    while (i < script->key_count && k[i].time <= s)
        i++;
    if (i == 0 || i == script->key_count) {
        const nc_keyframe *end = i == 0 ? &k[0] : &k[i - 1];
        return (nc_pose){end->position, nc_quat_normalize(end->orientation)};
    }
    const double f = (s - k[i - 1].time) / (k[i].time - k[i - 1].time);
    const nc_quat from = nc_quat_normalize(k[i - 1].orientation), to = nc_quat_normalize(k[i].orientation);
    const nc_vec3 turn = nc_quat_rotation_vector(nc_quat_mul(to, nc_quat_conj(from)));
    return (nc_pose){nc_madd(k[i - 1].position, f, nc_sub(k[i].position, k[i - 1].position)),
                     nc_quat_mul(nc_quat_from_rotation_vector(nc_scale(f, turn)), from)};
}

static void set_velocity(nc_cloth_state *s, nc_vec3 v, int64_t now, double unit)
{
    if (v.x == s->v.x && v.y == s->v.y && v.z == s->v.z)
        return;
    s->x = nc_cloth_position_at(s, now, unit);
    s->t = now;
    s->v = v;
}

// Heads for where the frame takes the vertices at the next tick of scripts, from wherever rounding has put them.
static void follow_keys(nc_cloth_world *world, const nc_cloth_scripted_vertices *script, int64_t now)
{
    const nc_cloth_model *m = &world->model;
    const int64_t step = nc_cloth_step_ticks(NC_CLOTH_SCRIPT_LEVEL);
    const nc_frame begin = nc_pose_frame(pose_at(script, 0));
    const nc_frame here = nc_pose_frame(pose_at(script, (double)now * m->unit));
    const nc_frame next = nc_pose_frame(pose_at(script, (double)(now + step) * m->unit));
    const bool rests = memcmp(&here, &next, sizeof here) == 0;
    const double per_second = 1 / ((double)step * m->unit);
    for (int i = 0; i < script->vertex_count; i++) {
        const int row = script->vertices[i];
        nc_cloth_state *s = &world->states[row];
        const nc_vec3 body = nc_mat3_tmul(begin.rotation, nc_sub(m->start[row], begin.x));
        const nc_vec3 way = nc_sub(nc_frame_apply(next, body), nc_cloth_position_at(s, now, m->unit));
        set_velocity(s, rests ? nc_v3(0, 0, 0) : nc_scale(per_second, way), now, m->unit);
    }
}

static void release(nc_cloth_world *world, const nc_cloth_scripted_vertices *script)
{
    for (int i = 0; i < script->vertex_count; i++) {
        const double mass = world->model.mass[script->vertices[i]];
        world->states[script->vertices[i]].inv_mass = mass > 0 ? 1 / mass : 0;
    }
}

void nc_cloth_scripts_run(nc_cloth_world *world, int64_t now)
{
    for (int i = 0; i < world->scripts.count; i++) {
        const nc_cloth_scripted_vertices *script = &world->scripts.data[i];
        if (now == script->end)
            release(world, script);
        else if (now < script->end && script->key_count > 0)
            follow_keys(world, script, now);
        world->counts.scripts += now <= script->end;
    }
}
