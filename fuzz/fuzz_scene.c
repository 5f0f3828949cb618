// Scene text. What loads must load again from its own canonical text, to the same canonical text.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nc_error err;
    nc_scene *scene = NULL, *again = NULL;
    nc_scene_def def = {.path = "fuzz.yaml", .text = (const char *)data, .text_size = size};
    const nc_code code = nc_scene_load(&def, &scene, &err);
    fuzz_honest(code, &err);
    if (code != NC_OK)
        return 0;
    const nc_scene_settings settings = nc_scene_view(scene);
    def.text = settings.text;
    def.text_size = strlen(settings.text);
    FUZZ_PROMISE(nc_scene_load(&def, &again, &err) == NC_OK);
    FUZZ_PROMISE(strcmp(nc_scene_view(again).text, settings.text) == 0);
    for (int i = 0; i < nc_scene_note_count(scene); i++)
        FUZZ_PROMISE(nc_scene_note(scene, i) != NULL);
    nc_scene_destroy(again);
    nc_scene_destroy(scene);
    return 0;
}
