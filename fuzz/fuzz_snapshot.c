// Snapshots. The input is restored as it is, and again with its checksum put right, so that the checksum does not
// hide the rest. A refused snapshot leaves the world as it was; an accepted one can be saved, restored and stepped.
#include "fuzz.h"

#include "seed_world.h"

static void check_restore(nc_world *world, const uint8_t *bytes, size_t size)
{
    nc_error err;
    const uint64_t before = nc_world_hash(world);
    const nc_code code = nc_world_restore(world, bytes, size, &err);
    fuzz_honest(code, &err);
    if (code != NC_OK) {
        FUZZ_PROMISE(nc_world_hash(world) == before);
        return;
    }
    nc_buffer saved = nc_buffer_create(NULL), again = nc_buffer_create(NULL);
    const uint64_t restored = nc_world_hash(world);
    FUZZ_PROMISE(nc_world_save(world, &saved, &err) == NC_OK);
    FUZZ_PROMISE(nc_world_restore(world, saved.data, saved.size, &err) == NC_OK && nc_world_hash(world) == restored);
    FUZZ_PROMISE(nc_world_save(world, &again, &err) == NC_OK);
    FUZZ_PROMISE(saved.size == again.size && memcmp(saved.data, again.data, saved.size) == 0);
    nc_buffer_free(&saved);
    nc_buffer_free(&again);
    nc_step_report report;
    for (int i = 0; i < 2; i++) {
        const nc_code stepped = nc_world_step(world, 1.0 / 24, &report, &err);
        fuzz_honest(stepped, &err);
    }
}

static void mend_checksum(uint8_t *bytes, size_t size)
{
    uint64_t hash = NC_HASH_START;
    for (size_t i = 0; i + 8 < size; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8; k++)
            word |= (uint64_t)bytes[i + k] << (8 * k);
        hash = nc_hash_u64(hash, word);
    }
    for (size_t k = 0; k < 8 && size >= 8; k++)
        bytes[size - 8 + k] = (uint8_t)(hash >> (8 * k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nc_world *world = seed_world();
    check_restore(world, data, size);
    const size_t whole = size / 8 * 8;
    uint8_t *copy = malloc(whole + 1);
    memcpy(copy, data, whole);
    mend_checksum(copy, whole);
    check_restore(world, copy, whole);
    free(copy);
    nc_world_destroy(world);
    return 0;
}
