// Overrides of a scene's keys from the command line ("world.timestep=1/60"): one per line.
#include "fuzz.h"

#define MAX_OVERRIDES 8

static const char scene_text[] = "nacre: 1\n"
                                 "world: {gravity: [0, -9.8, 0], timestep: 1/24, duration: 1}\n"
                                 "shapes:\n"
                                 "  brick: {generate: box, density: 1000}\n"
                                 "bodies:\n"
                                 "  - {shape: brick, position: [0, 2, 0]}\n"
                                 "  - {shape: brick, name: floor, type: static}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *overrides[MAX_OVERRIDES];
    int count = 0;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL && count < MAX_OVERRIDES;
         line = strtok_r(NULL, "\n", &rest))
        overrides[count++] = line;
    nc_error err;
    nc_scene *scene = NULL;
    const nc_scene_def def = {.path = "fuzz.yaml",
                              .text = scene_text,
                              .text_size = sizeof scene_text - 1,
                              .overrides = overrides,
                              .override_count = count};
    const nc_code code = nc_scene_load(&def, &scene, &err);
    fuzz_honest(code, &err);
    nc_scene_destroy(scene);
    free(text);
    return 0;
}
