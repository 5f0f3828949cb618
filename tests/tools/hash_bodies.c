// Prints the hash of 1,000 bodies after 200 steps of tumbling into each other: hash_bodies WORKERS
// Built by several compilers at several optimisation levels, it must always print the same (determinism.sh).
#include "nacre/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES 1000
#define STEPS  200

// Its own small generator, so that the test depends on the public API alone.
static double random_unit(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static nc_vec3 random_vector(uint64_t *state, double size)
{
    const double x = random_unit(state), y = random_unit(state), z = random_unit(state);
    return nc_v3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

static nc_code add_bodies(nc_world *world, nc_mesh *const *meshes, int mesh_count, nc_error *err)
{
    uint64_t random = 2012;
    for (int i = 0; i < BODIES; i++) {
        nc_body_id id;
        nc_body_def def = nc_body_def_default();
        def.type = NC_DYNAMIC;
        def.mesh = meshes[i % mesh_count];
        def.mass.mass = 1 + i % 7;
        def.position = nc_v3(2.5 * (i % 10), 2.5 * (i / 10 % 10), 2.5 * (i / 100)); // apart, and soon no longer
        def.orientation = nc_quat_from_rotation_vector(random_vector(&random, 3));
        def.velocity = random_vector(&random, 10);
        def.spin = random_vector(&random, i % 10 == 0 ? 200 : 20);
        const nc_code code = nc_body_create(world, &def, &id, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

static nc_code tumble(int workers, uint64_t *out_hash, nc_error *err)
{
    static const char *const names[] = {"boat", "t_handle", "box", "spike", "ring", "triangle"};
    enum { NAME_COUNT = sizeof names / sizeof names[0] };
    nc_mesh *meshes[NAME_COUNT] = {0};
    nc_world *world = NULL;
    nc_world_def def = nc_world_def_default();
    def.workers = workers;
    nc_code code = nc_world_create(&def, &world, err);
    for (int i = 0; i < NAME_COUNT && code == NC_OK; i++)
        code = nc_shape_create(names[i], NULL, 0, NULL, &meshes[i], err);
    if (code == NC_OK)
        code = add_bodies(world, meshes, NAME_COUNT, err);
    for (int step = 0; step < STEPS && code == NC_OK; step++)
        code = nc_world_step(world, 1.0 / 24.0, NULL, err);
    if (code == NC_OK)
        *out_hash = nc_world_hash(world);
    for (int i = 0; i < NAME_COUNT; i++)
        nc_mesh_release(meshes[i]);
    nc_world_destroy(world);
    return code;
}

int main(int argc, char **argv)
{
    nc_error err = {0};
    uint64_t hash = 0;
    const nc_code code = tumble(argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1, &hash, &err);
    if (code != NC_OK) {
        fprintf(stderr, "hash_bodies: %s: %s\n", nc_code_name(code), err.text);
        return 1;
    }
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
