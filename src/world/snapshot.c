// Snapshots: the state as bytes, and its hash. One writer serves both, so they cannot disagree.
//
// Little-endian 64-bit words throughout; docs/run-file.md describes the layout. A snapshot ends with a hash of what
// came before, so damage is noticed; every number is checked again on the way in.
#include "world/world.h"

#include <string.h>

#define SNAPSHOT_MAGIC UINT64_C(0x31504e535f43434e) // "NCC_SNP1", little-endian
// The version says whether bodies may sleep: what only sleep needs is not written without it.
#define SNAPSHOT_VERSION       9
#define SNAPSHOT_SLEEP_VERSION 10
// Added to either when there are joints: what only these need is not written without them.
#define SNAPSHOT_WITH_JOINTS 2
// Added when a body has a maximum force or torque, for the same reason.
#define SNAPSHOT_WITH_MAXIMA 4

// ---- writing ------------------------------------------------------------------------------------------------

static void put_i64(nc_word_writer *w, int64_t value)
{
    nc_word_put(w, (uint64_t)value);
}

static void put_vec3(nc_word_writer *w, nc_vec3 v)
{
    nc_word_put_double(w, v.x);
    nc_word_put_double(w, v.y);
    nc_word_put_double(w, v.z);
}

static void put_quat(nc_word_writer *w, nc_quat q)
{
    nc_word_put_double(w, q.w);
    nc_word_put_double(w, q.x);
    nc_word_put_double(w, q.y);
    nc_word_put_double(w, q.z);
}

// Length, then the letters packed into words.
static void put_text(nc_word_writer *w, const char *text)
{
    const size_t size = text != NULL ? strlen(text) : 0;
    nc_word_put(w, size);
    for (size_t i = 0; i < size; i += 8) {
        const size_t left = size - i;
        nc_word_put(w, nc_word_read(text + i, left < 8 ? left : 8));
    }
}

// A number of a setting as a word: wholes, switches and choices as integers, the rest by their bits.
static void put_setting(nc_word_writer *w, const nc_setting *row, const nc_world_def *settings)
{
    for (int k = 0; k < nc_setting_parts(row); k++) {
        const double value = nc_setting_value(row, settings, k);
        if (nc_setting_is_whole(row))
            put_i64(w, (int64_t)value);
        else
            nc_word_put_double(w, value);
    }
}

// The row of nc_world_def.sleep, which the version tells.
static bool is_sleep(const nc_setting *row)
{
    return row->offset == offsetof(nc_world_def, sleep);
}

static void put_settings(nc_word_writer *w, const nc_world *world)
{
    int count;
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int i = 0; i < count; i++)
        if (!is_sleep(&rows[i]))
            put_setting(w, &rows[i], &world->settings);
    nc_word_put(w, world->state.checked);
    put_i64(w, world->state.step_count);
    put_i64(w, world->state.clock_step);
    nc_word_put_double(w, world->state.clock_base);
    nc_word_put_double(w, world->state.clock_dt);
    put_i64(w, world->meshes.count);
    for (int i = 0; i < world->meshes.count; i++)
        nc_word_put(w, nc_mesh_hash(world->meshes.data[i].mesh));
}

static void put_mass(nc_word_writer *w, const nc_mass_def *mass)
{
    nc_word_put(w, (uint64_t)mass->matter);
    nc_word_put_double(w, mass->density);
    nc_word_put_double(w, mass->area_density);
    nc_word_put_double(w, mass->thickness);
    nc_word_put_double(w, mass->mass);
    nc_word_put(w, mass->has_inertia);
    put_vec3(w, mass->center);
    for (int i = 0; i < 3; i++)
        put_vec3(w, mass->inertia.row[i]);
}

static void put_fracture(nc_word_writer *w, const nc_fracture *how)
{
    nc_word_put_double(w, how->threshold);
    nc_word_put_double(w, how->gap);
    nc_word_put_double(w, how->crumb);
    put_text(w, how->pattern);
    put_i64(w, how->parameter_count);
    for (int i = 0; i < how->parameter_count; i++) {
        put_text(w, how->parameter[i]);
        nc_word_put_double(w, how->value[i]);
    }
    nc_word_put(w, how->seed);
    put_i64(w, how->first_mesh);
    put_i64(w, how->mesh_count);
    put_vec3(w, how->center);
    put_vec3(w, how->normal);
    nc_word_put(w, (uint64_t)how->way);
    put_i64(w, how->cells);
    put_i64(w, how->generations);
    nc_word_put(w, how->aligned);
    put_mass(w, &how->mass);
}

static void put_body(nc_word_writer *w, const nc_bodies *bodies, int i)
{
    nc_word_put(w, bodies->generation[i]);
    nc_word_put(w, bodies->alive[i]);
    if (!bodies->alive[i])
        return;
    nc_word_put(w, bodies->type[i]);
    put_i64(w, bodies->mesh[i]);
    put_text(w, bodies->name[i]);
    nc_word_put_double(w, bodies->friction[i]);
    nc_word_put_double(w, bodies->restitution[i]);
    nc_word_put_double(w, bodies->mass[i]);
    put_vec3(w, bodies->inertia[i].moments);
    put_quat(w, bodies->inertia[i].axes);
    put_vec3(w, bodies->pose[i].x);
    put_quat(w, bodies->pose[i].q);
    put_vec3(w, bodies->v[i]);
    put_vec3(w, bodies->momentum[i]);
    nc_word_put_double(w, bodies->spin_energy[i]);
    put_vec3(w, bodies->spin[i]);
    put_vec3(w, bodies->force[i]);
    put_vec3(w, bodies->torque[i]);
    put_vec3(w, bodies->script_v[i]);
    put_vec3(w, bodies->script_spin[i]);
    nc_word_put_double(w, bodies->script_delay[i]);
    put_i64(w, bodies->fracture[i] + 1);
    put_i64(w, bodies->cracks[i]);
    put_i64(w, bodies->held[i]);
    put_i64(w, bodies->key_count[i]);
    for (int k = 0; k < bodies->key_count[i]; k++) {
        nc_word_put_double(w, bodies->keys[i][k].time);
        put_vec3(w, bodies->keys[i][k].position);
        put_quat(w, bodies->keys[i][k].orientation);
    }
}

static void put_impulses(nc_word_writer *w, const nc_kept_impulses *kept)
{
    put_i64(w, kept->count);
    for (int k = 0; k < kept->count; k++) {
        const nc_kept_impulse *each = &kept->data[k];
        nc_word_put(w, (uint64_t)each->a << 32 | (uint64_t)each->b);
        nc_word_put(w, each->feature.kind);
        nc_word_put(w, (uint64_t)each->feature.a << 32 | (uint64_t)each->feature.b);
        put_vec3(w, each->arm);
        put_vec3(w, each->impulse);
    }
}

static void put_sleep(nc_word_writer *w, const nc_state *state)
{
    const nc_bodies *bodies = &state->bodies;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i] || bodies->type[i] != NC_DYNAMIC)
            continue;
        put_i64(w, bodies->asleep[i]);
        nc_word_put_double(w, bodies->rested[i]);
        put_vec3(w, bodies->anchor[i].x);
        put_quat(w, bodies->anchor[i].q);
        if (bodies->asleep[i] != 0)
            nc_word_put_double(w, bodies->sleep_gap[i]);
    }
    for (int solve = 0; solve < NC_SOLVES; solve++)
        put_impulses(w, &state->resting[solve]);
}

static void put_drive(nc_word_writer *w, const nc_joint_drive *drive, const nc_drive_key *keys, int key_count)
{
    const double numbers[] = {drive->target,    drive->amplitude, drive->frequency, drive->phase,
                              drive->stiffness, drive->damping,   drive->max_force};
    put_i64(w, drive->mode);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        nc_word_put_double(w, numbers[k]);
    put_i64(w, key_count);
    for (int k = 0; k < key_count; k++) {
        nc_word_put_double(w, keys[k].time);
        nc_word_put_double(w, keys[k].value);
    }
}

static void put_axis(nc_word_writer *w, const nc_joint_axis *axis)
{
    const double numbers[] = {axis->lower,     axis->upper,   axis->restitution, axis->friction,
                              axis->stiffness, axis->damping, axis->rest};
    put_i64(w, (axis->locked ? 1 : 0) + (axis->limited ? 2 : 0));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        nc_word_put_double(w, numbers[k]);
}

static void put_joint(nc_word_writer *w, const nc_joint *joint, const nc_drive_key *keys)
{
    const double numbers[] = {joint->length_min,  joint->length_max,   joint->ratio, joint->offset,
                              joint->break_force, joint->break_torque, joint->turns};
    nc_word_put(w, joint->generation);
    put_i64(w, (joint->alive ? 1 : 0) + (joint->broken ? 2 : 0) + (joint->exempted ? 4 : 0) + 8 * (int)joint->breaks);
    if (!joint->alive)
        return;
    put_i64(w, joint->kind);
    put_i64(w, joint->collide);
    put_text(w, joint->name);
    put_i64(w, joint->a);
    put_i64(w, joint->b + 1);
    put_vec3(w, joint->anchor_a);
    put_vec3(w, joint->anchor_b);
    put_quat(w, joint->frame_a);
    put_quat(w, joint->frame_b);
    put_i64(w, joint->joint_1);
    put_i64(w, joint->joint_2);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        nc_word_put_double(w, numbers[k]);
    put_vec3(w, joint->force);
    put_vec3(w, joint->torque);
    for (int k = 0; k < 6; k++) {
        nc_word_put_double(w, joint->drive_force[k]);
        put_axis(w, &joint->axes[k]);
        put_drive(w, &joint->axes[k].drive, keys + joint->key_first[k], joint->key_count[k]);
    }
}

static void put_joints(nc_word_writer *w, const nc_state *state)
{
    put_i64(w, state->joints.count);
    for (int i = 0; i < state->joints.count; i++)
        put_joint(w, &state->joints.data[i], state->drive_keys.data);
}

static bool has_maxima(const nc_bodies *bodies)
{
    bool any = false;
    for (int i = 0; i < bodies->count; i++)
        any = any || (bodies->alive[i] &&
                      (bodies->max_force[i] > 0 || bodies->max_torque[i] > 0 || bodies->script_lag[i] > 0));
    return any;
}

static void put_maxima(nc_word_writer *w, const nc_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && bodies->type[i] == NC_KINEMATIC) {
            nc_word_put_double(w, bodies->max_force[i]);
            nc_word_put_double(w, bodies->max_torque[i]);
            nc_word_put_double(w, bodies->script_lag[i]);
        }
}

static void put_world(nc_word_writer *w, const void *state_of)
{
    const nc_world *world = state_of;
    const nc_state *state = &world->state;
    nc_word_put(w, SNAPSHOT_MAGIC);
    put_i64(w, (world->settings.sleep ? SNAPSHOT_SLEEP_VERSION : SNAPSHOT_VERSION) +
                   (state->joints.count > 0 ? SNAPSHOT_WITH_JOINTS : 0) +
                   (has_maxima(&state->bodies) ? SNAPSHOT_WITH_MAXIMA : 0));
    put_settings(w, world);
    put_i64(w, state->fractures.count);
    for (int i = 0; i < state->fractures.count; i++)
        put_fracture(w, &state->fractures.data[i]);
    put_i64(w, state->bodies.count);
    for (int i = 0; i < state->bodies.count; i++)
        put_body(w, &state->bodies, i);
    put_i64(w, state->exempt_count);
    for (int k = 0; k < state->exempt_count; k++)
        nc_word_put(w, state->exempt[k]);
    put_i64(w, state->surface_count);
    for (int k = 0; k < state->surface_count; k++) {
        nc_word_put(w, state->surfaces[k].key);
        nc_word_put_double(w, state->surfaces[k].friction);
        nc_word_put_double(w, state->surfaces[k].restitution);
    }
    put_i64(w, state->cap_count);
    for (int k = 0; k < state->cap_count; k++) {
        nc_word_put(w, state->caps[k].key);
        nc_word_put_double(w, state->caps[k].distance);
    }
    for (int solve = 0; solve < NC_SOLVES; solve++)
        put_impulses(w, &state->kept[solve]);
    if (world->settings.sleep)
        put_sleep(w, state);
    if (state->joints.count > 0)
        put_joints(w, state);
    if (has_maxima(&state->bodies))
        put_maxima(w, &state->bodies);
}

uint64_t nc_world_hash(const nc_world *world)
{
    return nc_words_hash(put_world, world);
}

nc_code nc_world_save(const nc_world *world, nc_buffer *out, nc_error *err)
{
    return nc_words_save(put_world, world, out)
               ? NC_OK
               : nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a snapshot of %d bodies",
                         nc_world_body_count(world));
}

// ---- reading ------------------------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *cursor, *end;
    const nc_allocator *allocator;
    const char *fault; // the first thing that was wrong, or NULL
    bool memory;       // the fault is lack of memory
} reader;

static void reject(reader *r, bool wrong, const char *fault)
{
    if (wrong && r->fault == NULL)
        r->fault = fault;
}

static uint64_t get_u64(reader *r)
{
    if (r->end - r->cursor < 8) {
        reject(r, true, "it ends too early");
        return 0;
    }
    r->cursor += 8;
    return nc_word_read(r->cursor - 8, 8);
}

// A whole number in [0, most].
static int64_t get_count(reader *r, uint64_t most, const char *fault)
{
    const uint64_t value = get_u64(r);
    reject(r, value > most, fault);
    return r->fault == NULL ? (int64_t)value : 0;
}

// At most as many things as there are words left.
static int get_items(reader *r, const char *fault)
{
    return (int)get_count(
        r, (uint64_t)(r->end - r->cursor) / 8 < INT32_MAX / 2 ? (uint64_t)(r->end - r->cursor) / 8 : INT32_MAX / 2,
        fault);
}

static double get_double(reader *r)
{
    const double value = nc_double_of_bits(get_u64(r));
    reject(r, !isfinite(value), "a number is not finite");
    return value;
}

static nc_vec3 get_vec3(reader *r)
{
    nc_vec3 v;
    v.x = get_double(r);
    v.y = get_double(r);
    v.z = get_double(r);
    return v;
}

static nc_quat get_quat(reader *r)
{
    nc_quat q;
    q.w = get_double(r);
    q.x = get_double(r);
    q.y = get_double(r);
    q.z = get_double(r);
    const double length2 = nc_quat_norm2(q);
    reject(r, !(fabs(length2 - 1) <= 0x1p-40), "an orientation is no rotation"); // all that are written have length 1
    return q;
}

static char *get_text(reader *r)
{
    const int64_t size = get_count(r, (uint64_t)(r->end - r->cursor), "a name is too long");
    if (size == 0 || r->fault != NULL)
        return NULL;
    char *text = nc_alloc(r->allocator, (size_t)size + 1, 1);
    if (text == NULL) {
        r->memory = true;
        reject(r, true, "out of memory");
        return NULL;
    }
    uint64_t word = 0;
    for (int64_t i = 0; i < size; i++) {
        if (i % 8 == 0)
            word = get_u64(r);
        text[i] = (char)(word >> (8 * (i % 8)) & 0xff);
        if (text[i] == '\0') { // its length must stay what strlen says
            reject(r, true, "a name holds a zero byte");
            text[i] = '?';
        }
    }
    return text;
}

static void get_setting(reader *r, const nc_setting *row, nc_world_def *settings)
{
    for (int k = 0; k < nc_setting_parts(row); k++) {
        const bool whole = nc_setting_is_whole(row);
        const double value =
            whole ? (double)get_count(r, (uint64_t)row->high, "a setting is out of range") : get_double(r);
        nc_setting_write(row, settings, k, value);
    }
}

static void get_settings(reader *r, nc_world_def *settings, nc_state *state)
{
    int count;
    const nc_setting *rows = nc_world_setting_rows(&count);
    for (int i = 0; i < count; i++)
        if (!is_sleep(&rows[i]))
            get_setting(r, &rows[i], settings);
    reject(r, nc_world_check_settings(settings, NULL) != NC_OK, "a setting is out of range");
    state->checked = get_count(r, 1, "a switch is neither on nor off") != 0;
    state->step_count = get_count(r, INT64_MAX, "the step count is out of range");
    state->clock_step = get_count(r, (uint64_t)state->step_count, "the clock is out of range");
    state->clock_base = get_double(r);
    state->clock_dt = get_double(r);
}

static void get_meshes(reader *r, const nc_world *world)
{
    const int64_t count = get_count(r, INT32_MAX, "the number of meshes is out of range");
    reject(r, count > world->meshes.count, "it names more meshes than this world has");
    for (int i = 0; i < count && r->fault == NULL; i++)
        reject(r, get_u64(r) != nc_mesh_hash(world->meshes.data[i].mesh),
               "it was made with other meshes than this world has");
}

// A name into an array of NC_FRACTURE_NAME.
static void get_short_text(reader *r, char *out)
{
    char *text = get_text(r);
    if (text == NULL)
        return;
    const size_t size = strlen(text) + 1;
    reject(r, size > NC_FRACTURE_NAME, "a name is too long");
    if (r->fault == NULL)
        memcpy(out, text, size);
    nc_free(r->allocator, text, size, 1);
}

static void get_mass(reader *r, nc_mass_def *mass)
{
    mass->matter = (nc_matter)get_count(r, NC_MATTER_DUST, "a choice is out of range");
    mass->density = get_double(r);
    mass->area_density = get_double(r);
    mass->thickness = get_double(r);
    mass->mass = get_double(r);
    mass->has_inertia = get_count(r, 1, "a switch is neither on nor off") != 0;
    mass->center = get_vec3(r);
    for (int i = 0; i < 3; i++)
        mass->inertia.row[i] = get_vec3(r);
}

static void get_fracture(reader *r, const nc_world *world, nc_fracture *how)
{
    static const char fault[] = "a fracture is out of range";
    how->threshold = get_double(r);
    how->gap = get_double(r);
    how->crumb = get_double(r);
    get_short_text(r, how->pattern);
    how->parameter_count = (int)get_count(r, NC_FRACTURE_PARAMETERS, fault);
    for (int i = 0; i < how->parameter_count && r->fault == NULL; i++) {
        get_short_text(r, how->parameter[i]);
        how->value[i] = get_double(r);
    }
    how->seed = get_u64(r);
    how->first_mesh = (int)get_count(r, INT32_MAX / 2, fault);
    how->mesh_count = (int)get_count(r, INT32_MAX / 2, fault);
    reject(r, how->first_mesh + how->mesh_count > world->meshes.count, fault);
    how->center = get_vec3(r);
    how->normal = get_vec3(r);
    how->way = (nc_fracture_method)get_count(r, NC_FRACTURE_LEVEL, fault);
    how->cells = (int)get_count(r, INT32_MAX, fault);
    how->generations = (int)get_count(r, INT32_MAX, fault);
    how->aligned = get_count(r, 1, "a switch is neither on nor off") != 0;
    get_mass(r, &how->mass);
    reject(r, !(how->threshold > 0 && how->gap >= 0 && how->crumb >= 0), fault);
}

static void get_fractures(reader *r, const nc_world *world, nc_state *state)
{
    const int count = get_items(r, "there are too many fractures");
    for (int i = 0; i < count && r->fault == NULL; i++) {
        nc_fracture how = {.threshold = 0};
        get_fracture(r, world, &how);
        if (r->fault == NULL && !nc_array_push(r->allocator, &state->fractures, how)) {
            r->memory = true;
            reject(r, true, "out of memory");
        }
    }
}

static void get_keyframes(reader *r, nc_bodies *bodies, int i)
{
    const int count = get_items(r, "there are too many keyframes");
    if (count == 0 || r->fault != NULL)
        return;
    bodies->keys[i] = nc_alloc(r->allocator, (size_t)count, sizeof **bodies->keys);
    if (bodies->keys[i] == NULL) {
        r->memory = true;
        reject(r, true, "out of memory");
        return;
    }
    bodies->key_count[i] = count;
    for (int k = 0; k < count && r->fault == NULL; k++) {
        nc_keyframe *key = &bodies->keys[i][k];
        key->time = get_double(r);
        key->position = get_vec3(r);
        key->orientation = get_quat(r);
        reject(r, k > 0 && !(key->time > key[-1].time), "keyframes do not ascend");
    }
}

static void get_dynamics(reader *r, nc_bodies *bodies, int i)
{
    const bool dynamic = bodies->type[i] == NC_DYNAMIC;
    bodies->mass[i] = get_double(r);
    reject(r, dynamic ? !(bodies->mass[i] > 0) : bodies->mass[i] != 0, "a mass is out of range");
    bodies->inv_mass[i] = dynamic ? 1.0 / bodies->mass[i] : 0.0;
    bodies->inertia[i].moments = get_vec3(r);
    bodies->inertia[i].axes = get_quat(r);
    const nc_vec3 moments = bodies->inertia[i].moments;
    reject(r, !(moments.x > 0 && moments.x <= moments.y && moments.y <= moments.z), "an inertia is out of range");
    bodies->pose[i].x = get_vec3(r);
    bodies->pose[i].q = get_quat(r);
    bodies->v[i] = get_vec3(r);
    bodies->momentum[i] = get_vec3(r);
    bodies->spin_energy[i] = get_double(r);
    bodies->spin[i] = get_vec3(r);
    bodies->force[i] = get_vec3(r);
    bodies->torque[i] = get_vec3(r);
}

static void get_body(reader *r, const nc_world *world, nc_state *state, int i)
{
    nc_bodies *bodies = &state->bodies;
    bodies->generation[i] = (uint32_t)get_count(r, UINT32_MAX, "a generation is out of range");
    bodies->alive[i] = (uint8_t)get_count(r, 1, "a body is neither alive nor dead");
    reject(r, bodies->generation[i] == 0, "a generation is out of range");
    if (!bodies->alive[i] || r->fault != NULL)
        return;
    bodies->alive_count++;
    bodies->type[i] = (uint8_t)get_count(r, NC_DYNAMIC, "a body's type is out of range");
    bodies->mesh[i] = (int)get_count(r, INT32_MAX, "a mesh is out of range");
    reject(r, bodies->mesh[i] >= world->meshes.count, "a mesh is out of range");
    bodies->name[i] = get_text(r);
    bodies->friction[i] = get_double(r);
    bodies->restitution[i] = get_double(r);
    reject(r, bodies->restitution[i] > 1, "friction or restitution is out of range");
    get_dynamics(r, bodies, i);
    bodies->script_v[i] = get_vec3(r);
    bodies->script_spin[i] = get_vec3(r);
    bodies->script_delay[i] = get_double(r);
    bodies->fracture[i] = (int)get_count(r, (uint64_t)state->fractures.count, "a body's fracture is out of range") - 1;
    bodies->cracks[i] = (int)get_count(r, INT32_MAX, "a body's fracture is out of range");
    bodies->held[i] = (int)get_count(r, INT32_MAX, "a count of steps is out of range");
    nc_row_begin_rest(bodies, i);
    get_keyframes(r, bodies, i);
    reject(r, bodies->key_count[i] > 0 && bodies->type[i] != NC_KINEMATIC, "only kinematic bodies have keyframes");
}

static void get_bodies(reader *r, const nc_world *world, nc_state *state)
{
    nc_bodies *bodies = &state->bodies;
    const int count = get_items(r, "there are too many bodies");
    if (count > 0 && !nc_bodies_reserve(bodies, count, r->allocator)) {
        r->memory = true;
        reject(r, true, "out of memory");
        return;
    }
    for (int i = 0; i < count && r->fault == NULL; i++) {
        bodies->count = i + 1;
        get_body(r, world, state, i);
    }
}

// Room for `count` items; a lack of memory is a fault.
static void make_room(reader *r, void **items, int *capacity, int count, size_t item_size)
{
    if (count > 0 && !nc_grow(r->allocator, items, capacity, count, item_size)) {
        r->memory = true;
        reject(r, true, "out of memory");
    }
}

// Is `key` a pair of living rows?
static bool is_pair(const nc_state *state, uint64_t key)
{
    const uint64_t low = key >> 32, high = key & UINT32_MAX;
    return low < high && high < (uint64_t)state->bodies.count && state->bodies.alive[low] && state->bodies.alive[high];
}

static void get_exemptions(reader *r, nc_state *state)
{
    const int count = get_items(r, "there are too many exempt pairs");
    make_room(r, (void **)&state->exempt, &state->exempt_capacity, count, sizeof *state->exempt);
    for (int k = 0; k < count && r->fault == NULL; k++) {
        const uint64_t key = get_u64(r);
        reject(r, !is_pair(state, key) || (k > 0 && key <= state->exempt[k - 1]), "an exempt pair is out of order");
        state->exempt[k] = key;
        state->exempt_count = k + 1;
    }
}

static void get_surfaces(reader *r, nc_state *state)
{
    const int count = get_items(r, "there are too many pairs of surfaces");
    make_room(r, (void **)&state->surfaces, &state->surface_capacity, count, sizeof *state->surfaces);
    for (int k = 0; k < count && r->fault == NULL; k++) {
        nc_pair_surface *pair = &state->surfaces[k];
        pair->key = get_u64(r);
        pair->friction = get_double(r);
        pair->restitution = get_double(r);
        reject(r, !is_pair(state, pair->key) || (k > 0 && pair->key <= pair[-1].key) || pair->restitution > 1,
               "a pair of surfaces is out of order");
        state->surface_count = k + 1;
    }
}

static void get_caps(reader *r, nc_state *state)
{
    const int count = get_items(r, "there are too many near pairs");
    make_room(r, (void **)&state->caps, &state->cap_capacity, count, sizeof *state->caps);
    for (int k = 0; k < count && r->fault == NULL; k++) {
        nc_rest_cap *cap = &state->caps[k];
        cap->key = get_u64(r);
        cap->distance = get_double(r);
        reject(r, !is_pair(state, cap->key) || (k > 0 && cap->key <= cap[-1].key) || !(cap->distance > 0),
               "a near pair is out of order");
        state->cap_count = k + 1;
    }
}

static nc_kept_impulse get_impulse(reader *r, const nc_bodies *bodies)
{
    nc_kept_impulse each;
    const uint64_t rows = get_u64(r), a = rows >> 32, b = rows & UINT32_MAX;
    each.feature.kind = (nc_feature_kind)get_count(r, NC_VERTEX_VERTEX, "a contact's kind is out of range");
    const uint64_t ids = get_u64(r), on_a = ids >> 32, on_b = ids & UINT32_MAX;
    const uint64_t rows_count = (uint64_t)bodies->count;
    reject(r, a >= rows_count || b >= rows_count || a == b || !bodies->alive[a] || !bodies->alive[b],
           "a contact is between bodies that are not there");
    reject(r, on_a > INT32_MAX || on_b > INT32_MAX, "a contact's features are out of range");
    each.a = (int)a;
    each.b = (int)b;
    each.feature.a = (int)on_a;
    each.feature.b = (int)on_b;
    each.arm = get_vec3(r);
    each.impulse = get_vec3(r);
    return each;
}

static void get_impulses(reader *r, nc_state *state, nc_kept_impulses *kept)
{
    const int count = get_items(r, "there are too many contacts");
    if (count > 0 && !nc_array_reserve(r->allocator, kept, count)) {
        r->memory = true;
        reject(r, true, "out of memory");
        return;
    }
    for (int k = 0; k < count && r->fault == NULL; k++) {
        kept->data[k] = get_impulse(r, &state->bodies);
        reject(r, k > 0 && !nc_kept_less(&kept->data[k - 1], &kept->data[k]), "contacts are out of order");
        kept->count = k + 1;
    }
}

static void get_body_sleep(reader *r, nc_bodies *bodies, int i)
{
    bodies->asleep[i] = (int)get_count(r, (uint64_t)bodies->count, "a sleeping body's group is out of range");
    bodies->rested[i] = get_double(r);
    bodies->anchor[i].x = get_vec3(r);
    bodies->anchor[i].q = get_quat(r);
    if (bodies->asleep[i] != 0)
        bodies->sleep_gap[i] = get_double(r);
    reject(r, !(bodies->rested[i] >= 0 && bodies->sleep_gap[i] >= 0), "a sleeping body's rest is out of range");
}

// Of version SNAPSHOT_SLEEP_VERSION. Impulses of bodies that were woken since the last step are taken over by the next.
static void get_sleep(reader *r, nc_state *state)
{
    nc_bodies *bodies = &state->bodies;
    for (int i = 0; i < bodies->count && r->fault == NULL; i++)
        if (bodies->alive[i] && bodies->type[i] == NC_DYNAMIC)
            get_body_sleep(r, bodies, i);
    for (int solve = 0; solve < NC_SOLVES; solve++)
        get_impulses(r, state, &state->resting[solve]);
    state->woken = true;
}

static void get_drive(reader *r, nc_state *state, nc_joint *joint, int axis)
{
    nc_joint_drive *drive = &joint->axes[axis].drive;
    double *const numbers[] = {&drive->target,    &drive->amplitude, &drive->frequency, &drive->phase,
                               &drive->stiffness, &drive->damping,   &drive->max_force};
    drive->mode = (nc_drive_mode)get_count(r, NC_DRIVE_MODES - 1, "a drive is out of range");
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        *numbers[k] = get_double(r);
    reject(r, !(drive->stiffness >= 0 && drive->damping >= 0 && drive->max_force >= 0), "a drive is out of range");
    joint->key_first[axis] = state->drive_keys.count;
    joint->key_count[axis] = get_items(r, "there are too many keys of drives");
    for (int k = 0; k < joint->key_count[axis] && r->fault == NULL; k++) {
        nc_drive_key key;
        key.time = get_double(r);
        key.value = get_double(r);
        reject(r, k > 0 && !(key.time > state->drive_keys.data[state->drive_keys.count - 1].time),
               "keys of a drive do not ascend");
        if (!nc_array_push(r->allocator, &state->drive_keys, key)) {
            r->memory = true;
            reject(r, true, "out of memory");
        }
    }
}

static void get_axis(reader *r, nc_joint_axis *axis)
{
    double *const numbers[] = {&axis->lower,     &axis->upper,   &axis->restitution, &axis->friction,
                               &axis->stiffness, &axis->damping, &axis->rest};
    const int64_t flags = get_count(r, 3, "an axis of a joint is out of range");
    axis->locked = (flags & 1) != 0;
    axis->limited = (flags & 2) != 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        *numbers[k] = get_double(r);
    reject(r,
           !(axis->restitution >= 0 && axis->restitution <= 1 && axis->friction >= 0 && axis->stiffness >= 0 &&
             axis->damping >= 0) ||
               (axis->limited && !(axis->lower <= axis->upper)),
           "an axis of a joint is out of range");
}

static void get_joint_name(reader *r, nc_joint *joint)
{
    char *text = get_text(r);
    if (text == NULL)
        return;
    const size_t size = strlen(text) + 1;
    reject(r, size > NC_JOINT_NAME, "a joint's name is too long");
    if (r->fault == NULL)
        memcpy(joint->name, text, size);
    nc_free(r->allocator, text, size, 1);
}

static void get_joint_bodies(reader *r, const nc_state *state, nc_joint *joint)
{
    static const char fault[] = "a joint is between bodies that are not there";
    joint->a = (int)get_count(r, (uint64_t)state->bodies.count, fault);
    joint->b = (int)get_count(r, (uint64_t)state->bodies.count, fault) - 1;
    reject(r,
           r->fault == NULL && (joint->a >= state->bodies.count || !state->bodies.alive[joint->a] ||
                                (joint->b >= 0 && !state->bodies.alive[joint->b])),
           fault);
}

static void get_joint(reader *r, nc_state *state, int count, nc_joint *joint)
{
    double *const numbers[] = {&joint->length_min,  &joint->length_max,   &joint->ratio, &joint->offset,
                               &joint->break_force, &joint->break_torque, &joint->turns};
    joint->generation = (uint32_t)get_count(r, UINT32_MAX, "a generation is out of range");
    const int64_t flags = get_count(r, 31, "a joint is neither there nor not");
    reject(r, joint->generation == 0, "a generation is out of range");
    joint->alive = (flags & 1) != 0;
    joint->broken = (flags & 2) != 0;
    joint->exempted = (flags & 4) != 0;
    joint->breaks = (nc_joint_breaking)(flags >> 3);
    if (!joint->alive || r->fault != NULL)
        return;
    joint->kind = (nc_joint_kind)get_count(r, NC_JOINT_KINDS - 1, "a joint's kind is out of range");
    joint->collide = (nc_joint_collide)get_count(r, NC_JOINT_COLLIDE_NO, "a choice is out of range");
    get_joint_name(r, joint);
    get_joint_bodies(r, state, joint);
    joint->anchor_a = get_vec3(r);
    joint->anchor_b = get_vec3(r);
    joint->frame_a = get_quat(r);
    joint->frame_b = get_quat(r);
    joint->joint_1 = (int)get_count(r, (uint64_t)count - 1, "a gear is out of range");
    joint->joint_2 = (int)get_count(r, (uint64_t)count - 1, "a gear is out of range");
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        *numbers[k] = get_double(r);
    joint->force = get_vec3(r);
    joint->torque = get_vec3(r);
    for (int k = 0; k < 6 && r->fault == NULL; k++) {
        joint->drive_force[k] = get_double(r);
        get_axis(r, &joint->axes[k]);
        get_drive(r, state, joint, k);
    }
}

// Gears couple joints that have an axis for it.
static void check_gears(reader *r, const nc_joints *joints)
{
    for (int i = 0; i < joints->count && r->fault == NULL; i++) {
        const nc_joint *gear = &joints->data[i];
        if (!gear->alive || gear->kind != NC_JOINT_GEAR)
            continue;
        const nc_joint *one = &joints->data[gear->joint_1], *two = &joints->data[gear->joint_2];
        reject(r, !one->alive || !two->alive || nc_joint_geared_axis(one) < 0 || nc_joint_geared_axis(two) < 0,
               "a gear is out of range");
    }
}

static void get_joints(reader *r, nc_state *state)
{
    const int count = get_items(r, "there are too many joints");
    reject(r, count == 0, "there are no joints");
    for (int i = 0; i < count && r->fault == NULL; i++) {
        nc_joint joint = {.frame_a = {1, 0, 0, 0}, .frame_b = {1, 0, 0, 0}};
        get_joint(r, state, count, &joint);
        if (r->fault == NULL && !nc_array_push(r->allocator, &state->joints, joint)) {
            r->memory = true;
            reject(r, true, "out of memory");
        }
    }
    check_gears(r, &state->joints);
}

// The hash of all words but the last, as the writer made it.
static bool hash_matches(const uint8_t *bytes, size_t size)
{
    reader r = {.cursor = bytes, .end = bytes + size};
    uint64_t hash = NC_HASH_START;
    while (r.end - r.cursor > 8)
        hash = nc_hash_u64(hash, get_u64(&r));
    return get_u64(&r) == hash && r.fault == NULL;
}

// Snapshots have no appearances: bodies that this world knows by the same handle keep theirs.
static void keep_appearances(const nc_bodies *known, nc_bodies *bodies)
{
    for (int i = 0; i < bodies->count && i < known->count; i++)
        if (bodies->alive[i] && bodies->generation[i] == known->generation[i])
            bodies->appearance[i] = known->appearance[i];
}

static void get_maxima(reader *r, nc_bodies *bodies)
{
    for (int i = 0; i < bodies->count && r->fault == NULL; i++)
        if (bodies->alive[i] && bodies->type[i] == NC_KINEMATIC) {
            bodies->max_force[i] = get_double(r);
            bodies->max_torque[i] = get_double(r);
            bodies->script_lag[i] = get_double(r);
            reject(r, !(bodies->max_force[i] >= 0 && bodies->max_torque[i] >= 0 && bodies->script_lag[i] >= 0),
                   "a maximum force is out of range");
        }
}

nc_code nc_world_restore(nc_world *world, const void *bytes, size_t size, nc_error *err)
{
    const nc_allocator *allocator = &world->settings.allocator;
    const uint8_t *end = bytes != NULL ? (const uint8_t *)bytes + size : NULL;
    reader r = {.cursor = bytes, .end = end, .allocator = allocator};
    reject(&r, bytes == NULL || size < 24 || size % 8 != 0 || get_u64(&r) != SNAPSHOT_MAGIC, "it is not a snapshot");
    uint64_t version = r.fault == NULL ? get_u64(&r) : 0;
    const bool with_maxima = version >= SNAPSHOT_VERSION + SNAPSHOT_WITH_MAXIMA;
    version -= with_maxima ? SNAPSHOT_WITH_MAXIMA : 0;
    const bool has_joints = version >= SNAPSHOT_VERSION + SNAPSHOT_WITH_JOINTS;
    version -= has_joints ? SNAPSHOT_WITH_JOINTS : 0;
    reject(&r, version != SNAPSHOT_VERSION && version != SNAPSHOT_SLEEP_VERSION, "it is of another version");
    reject(&r, r.fault == NULL && !hash_matches(bytes, size), "it is damaged: its checksum does not match");
    nc_world_def settings = world->settings;
    settings.sleep = version == SNAPSHOT_SLEEP_VERSION;
    nc_state state = {.step_count = 0};
    if (r.fault == NULL) {
        get_settings(&r, &settings, &state);
        get_meshes(&r, world);
        get_fractures(&r, world, &state);
        get_bodies(&r, world, &state);
        get_exemptions(&r, &state);
        get_surfaces(&r, &state);
        get_caps(&r, &state);
        for (int solve = 0; solve < NC_SOLVES; solve++)
            get_impulses(&r, &state, &state.kept[solve]);
        if (settings.sleep)
            get_sleep(&r, &state);
        if (has_joints)
            get_joints(&r, &state);
        if (with_maxima)
            get_maxima(&r, &state.bodies);
        get_u64(&r); // the checksum
        reject(&r, r.cursor != r.end, "it is longer than it should be");
    }
    if (r.fault == NULL && !nc_candidates_reserve(&world->candidates, state.bodies.capacity, allocator)) {
        r.memory = true;
        r.fault = "out of memory";
    }
    if (r.fault != NULL) {
        nc_state_free(&state, allocator);
        return nc_fail(err, r.memory ? NC_OUT_OF_MEMORY : NC_BAD_FILE, "the snapshot cannot be restored: %s", r.fault);
    }
    keep_appearances(&world->state.bodies, &state.bodies);
    nc_state_free(&world->state, allocator);
    world->state = state;
    world->settings = settings;
    world->has_motions = false;
    world->events.count = world->event_pieces.count = 0;
    world->joint_breaks.count = 0;
    world->start = (nc_start_report){.nearest = INFINITY,
                                     .floor_asked = settings.floor_distance,
                                     .floor_distance = settings.floor_distance,
                                     .capped_pairs = state.cap_count};
    return NC_OK;
}
