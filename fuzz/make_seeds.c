// Writes the seeds that no one types: make_seeds FOLDER fills FOLDER/snapshot and FOLDER/run (both must exist).
#include "fuzz.h"

#include "seed_run.h"

static void save(const char *folder, const char *name, const nc_buffer *bytes)
{
    char path[600];
    snprintf(path, sizeof path, "%.500s/snapshot/%s", folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_PROMISE(file != NULL && fwrite(bytes->data, 1, bytes->size, file) == bytes->size && fclose(file) == 0);
}

static void make_snapshot(const char *folder, const char *name, const nc_world *world)
{
    nc_buffer bytes = nc_buffer_create(NULL);
    FUZZ_PROMISE(nc_world_save(world, &bytes, NULL) == NC_OK);
    save(folder, name, &bytes);
    nc_buffer_free(&bytes);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    char path[600];
    snprintf(path, sizeof path, "%.500s/run/short", argv[1]);
    nc_world *world = seed_world();
    make_snapshot(argv[1], "start", world);
    nc_error err = {NC_OK, 0, 0, "", ""};
    const nc_code code = seed_run(path, world, &err);
    make_snapshot(argv[1], "end", world);
    nc_world_destroy(world);
    if (code != NC_OK)
        fprintf(stderr, "make_seeds: %s\n", err.text);
    return code != NC_OK;
}
