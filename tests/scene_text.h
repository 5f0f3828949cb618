// Loading scenes from text in tests. Include after check.h.
#ifndef NC_TESTS_SCENE_TEXT_H
#define NC_TESTS_SCENE_TEXT_H

#include "check.h"

#include "nacre/scene.h"

static inline nc_code scene_try(const char *text, const char *const *overrides, int override_count, nc_scene **out,
                                nc_error *err)
{
    const nc_scene_def def = {.path = "s.yaml",
                              .text = text,
                              .text_size = strlen(text),
                              .overrides = overrides,
                              .override_count = override_count};
    memset(err, 0, sizeof *err);
    return nc_scene_load(&def, out, err);
}

static inline nc_scene *scene_of(const char *text)
{
    nc_scene *scene = NULL;
    nc_error err;
    check_ok(scene_try(text, NULL, 0, &scene, &err), err);
    return scene;
}

// The world of a scene of rigid bodies; `settings` may be NULL (the scene's).
static inline nc_code scene_build_world(const nc_scene *scene, const nc_world_def *settings, nc_world **out,
                                        nc_error *err)
{
    nc_scene_settings all = nc_scene_view(scene);
    nc_model model;
    if (settings != NULL)
        all.world = *settings;
    const nc_code code = nc_scene_build(scene, &all, &model, err);
    *out = nc_model_world(model);
    return code;
}

static inline nc_world *world_of(const nc_scene *scene)
{
    nc_world *world = NULL;
    nc_error err = {0};
    check_ok(scene_build_world(scene, NULL, &world, &err), err);
    return world;
}

// Fails unless the text (with an override, or NULL) is refused with exactly this "file:line:column: sentence". One that
// ends in "allowed: ..." is compared up to there: the lists of keys come from tables, and test_scene_schema has them.
static inline void check_refused_with(const char *text, const char *override, const char *wanted, const char *file,
                                      int line)
{
    nc_scene *scene = NULL;
    nc_error err;
    char found[1200];
    const nc_code code = scene_try(text, &override, override != NULL ? 1 : 0, &scene, &err);
    if (code == NC_OK) {
        nc_scene_destroy(scene);
        print_error("accepted, wanted: %s\n%s\n", wanted, text);
        _fail(file, line);
        return;
    }
    assert_null(scene);
    nc_error_format(&err, found, sizeof found);
    const char *dots = strstr(wanted, "allowed: ...");
    const size_t size = dots != NULL ? (size_t)(dots - wanted) + strlen("allowed: ") : sizeof found;
    if (strncmp(found, wanted, size) != 0) {
        print_error("found:  %s\nwanted: %s\n", found, wanted);
        _fail(file, line);
    }
}
#define check_refused(text, wanted) check_refused_with((text), NULL, (wanted), __FILE__, __LINE__)
#define check_override_refused(text, override, wanted)                                                                 \
    check_refused_with((text), (override), (wanted), __FILE__, __LINE__)

#endif
