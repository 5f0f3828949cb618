// Snapshots: the states as bytes, and their hash. Contacts are not in them: what is examined decides about speed,
// never about trajectories (I3).
//
// Little-endian 64-bit words: magic, version, hash of the model, frame, then x, v, t and inv_mass of every vertex, and
// a hash of all that.
#include "cloth/world.h"

#define SNAPSHOT_MAGIC   UINT64_C(0x3148544c435f434e) // "NC_CLTH1", little-endian
#define SNAPSHOT_VERSION 1
#define HEADER_WORDS     4
#define VERTEX_WORDS     8

// What must be the same for a snapshot to mean the same.
static uint64_t model_hash(const nc_cloth_model *m)
{
    uint64_t h = nc_cloth_hash_settings(NC_HASH_START, &m->settings);
    h = nc_hash_u64(h, (uint64_t)m->vertex_count);
    h = nc_hash(h, m->start, (size_t)m->vertex_count * sizeof *m->start);
    h = nc_hash(h, m->mass, (size_t)m->vertex_count * sizeof *m->mass);
    h = nc_hash(h, m->object, (size_t)m->vertex_count * sizeof *m->object);
    h = nc_hash(h, m->triangles.data, (size_t)m->triangles.count * sizeof *m->triangles.data);
    for (int i = 0; i < m->objects.count; i++)
        h = nc_hash(h, &m->objects.data[i].contact, sizeof m->objects.data[i].contact);
    return h;
}

static void vertex_words(const nc_cloth_state *s, uint64_t w[VERTEX_WORDS])
{
    const double numbers[7] = {s->x.x, s->x.y, s->x.z, s->v.x, s->v.y, s->v.z, s->inv_mass};
    for (int k = 0; k < 7; k++)
        w[k] = nc_double_bits(numbers[k]);
    w[7] = (uint64_t)s->t;
}

// ---- writing ------------------------------------------------------------------------------------------------

static void put_world(nc_word_writer *w, const void *state)
{
    const nc_cloth_world *world = state;
    nc_word_put(w, SNAPSHOT_MAGIC);
    nc_word_put(w, SNAPSHOT_VERSION);
    nc_word_put(w, model_hash(&world->model));
    nc_word_put(w, (uint64_t)world->frame);
    for (int i = 0; i < world->model.vertex_count; i++) {
        uint64_t words[VERTEX_WORDS];
        vertex_words(&world->states[i], words);
        for (int k = 0; k < VERTEX_WORDS; k++)
            nc_word_put(w, words[k]);
    }
}

uint64_t nc_cloth_hash(const nc_cloth_world *world)
{
    return nc_words_hash(put_world, world);
}

nc_code nc_cloth_save(const nc_cloth_world *world, nc_buffer *out, nc_error *err)
{
    return nc_words_save(put_world, world, out)
               ? NC_OK
               : nc_fail_memory(err, (size_t)world->model.vertex_count * VERTEX_WORDS * 8);
}

// ---- reading ------------------------------------------------------------------------------------------------

static uint64_t word_at(const uint8_t *bytes, size_t index)
{
    return nc_word_read(bytes + 8 * index, 8);
}

static double double_at(const uint8_t *bytes, size_t index)
{
    return nc_double_of_bits(word_at(bytes, index));
}

static nc_code check_bytes(const nc_cloth_world *world, const uint8_t *bytes, size_t size, nc_error *err)
{
    const size_t words = HEADER_WORDS + VERTEX_WORDS * (size_t)world->model.vertex_count;
    if (size < 8 * HEADER_WORDS || word_at(bytes, 0) != SNAPSHOT_MAGIC || word_at(bytes, 1) != SNAPSHOT_VERSION)
        return nc_fail(err, NC_BAD_FILE, "this is no snapshot of a cloth world of version %d", SNAPSHOT_VERSION);
    if (size != 8 * (words + 1) || word_at(bytes, 2) != model_hash(&world->model))
        return nc_fail(err, NC_BAD_ARGUMENT, "the snapshot is of a cloth world with other objects or settings");
    uint64_t hash = NC_HASH_START;
    for (size_t i = 0; i < words; i++)
        hash = nc_hash_u64(hash, word_at(bytes, i));
    if (hash != word_at(bytes, words) || word_at(bytes, 3) >= UINT64_C(1) << 22)
        return nc_fail(err, NC_BAD_FILE, "the snapshot of the cloth world is damaged");
    return NC_OK;
}

nc_code nc_cloth_restore(nc_cloth_world *world, const void *bytes, size_t size, nc_error *err)
{
    nc_code code = check_bytes(world, bytes, size, err);
    if (code == NC_OK && !world->started)
        code = nc_cloth_start(world, err);
    if (code != NC_OK)
        return code;
    world->frame = (int64_t)word_at(bytes, 3);
    for (int i = 0; i < world->model.vertex_count; i++) {
        const size_t at = HEADER_WORDS + VERTEX_WORDS * (size_t)i;
        nc_cloth_state *s = &world->states[i];
        s->x = nc_v3(double_at(bytes, at), double_at(bytes, at + 1), double_at(bytes, at + 2));
        s->v = nc_v3(double_at(bytes, at + 3), double_at(bytes, at + 4), double_at(bytes, at + 5));
        s->inv_mass = double_at(bytes, at + 6);
        s->t = (int64_t)word_at(bytes, at + 7);
    }
    world->has_jam = false;
    world->contacts.count = 0;
    nc_cloth_trace_forget(world, world->frame * NC_CLOTH_TICKS_PER_FRAME,
                          world->frame * NC_CLOTH_TICKS_PER_FRAME); // of another past
    return NC_OK;
}
