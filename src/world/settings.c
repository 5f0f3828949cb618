// Settings of a world by the rows of nacre/settings.def: defaults, names of choices, checks.
#include "world/world.h"

// In the order of the enumerations of nacre/world.h.
#define COMBINATIONS "average", "geometric", "minimum", "maximum", "multiply"
const char *const nc_contact_solver_names[NC_SOLVER_SEQUENTIAL + 1] = {"pgs", "sequential"};
const char *const nc_friction_model_names[NC_FRICTION_PYRAMID + 1] = {"cone", "pyramid"};
const char *const nc_friction_rule_names[NC_COMBINE_MULTIPLY + 1] = {COMBINATIONS};
const char *const nc_restitution_rule_names[NC_COMBINE_MULTIPLY + 1] = {COMBINATIONS};
const char *const nc_on_jam_names[NC_JAM_STOP + 1] = {"stall", "stop"};
const char *const nc_failsafe_names[NC_FAILSAFE_FULL + 1] = {"none", "kinematic", "full"};
const char *const nc_pipeline_names[NC_PIPELINE_NAMES] = {"shell", "vsp", "isp", "acm"};

// ---- rows ---------------------------------------------------------------------------------------------------

#define FIELD_WORLD(name) name
#define FIELD_VSP(name)   vsp.name
#define NAME_WORLD        ""
#define NAME_VSP          "vsp."

#define CHOICES_REAL(name)   NULL
#define CHOICES_ABOVE(name)  NULL
#define CHOICES_AUTO(name)   NULL
#define CHOICES_WHOLE(name)  NULL
#define CHOICES_FLAG(name)   NULL
#define CHOICES_VECTOR(name) NULL
#define CHOICES_CHOICE(name) nc_##name##_names

#define IS_SAME    false
#define IS_DERIVED true
// Of choices and vectors `scene` is a text, the fallback.
#define DERIVED_REAL(scene)   IS_##scene
#define DERIVED_ABOVE(scene)  IS_##scene
#define DERIVED_AUTO(scene)   IS_##scene
#define DERIVED_WHOLE(scene)  IS_##scene
#define DERIVED_FLAG(scene)   IS_##scene
#define DERIVED_CHOICE(scene) false
#define DERIVED_VECTOR(scene) false

static const nc_setting rows[] = {
#define NC_SETTING(block, kind_, name_, unit_, low_, high_, fallback_, scene, pipelines_, about_)                      \
    {.name = NAME_##block #name_,                                                                                      \
     .unit = (unit_),                                                                                                  \
     .about = (about_),                                                                                                \
     .choices = CHOICES_##kind_(name_),                                                                                \
     .offset = offsetof(nc_world_def, FIELD_##block(name_)),                                                           \
     .low = (low_),                                                                                                    \
     .high = (high_),                                                                                                  \
     .kind = NC_SETTING_##kind_,                                                                                       \
     .pipelines = NC_READ_BY_##pipelines_,                                                                             \
     .derived = DERIVED_##kind_(scene),                                                                                \
     .changes_results = true},
#include "nacre/settings.def"
};

const nc_setting *nc_world_setting_rows(int *out_count)
{
    *out_count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}

// ---- defaults and checks ------------------------------------------------------------------------------------

#define UNPACK(...)         __VA_ARGS__
#define VALUE_REAL(value)   value
#define VALUE_ABOVE(value)  value
#define VALUE_AUTO(value)   value
#define VALUE_WHOLE(value)  value
#define VALUE_FLAG(value)   value
#define VALUE_CHOICE(value) value
#define VALUE_VECTOR(value)                                                                                            \
    {                                                                                                                  \
        UNPACK value                                                                                                   \
    }

nc_world_def nc_world_def_default(void)
{
    // Zero for what has no row: workers as many as there are, the default allocator.
    const nc_world_def def = {
#define NC_SETTING(block, kind, name, unit, low, high, fallback, ...) .FIELD_##block(name) = VALUE_##kind(fallback),
#include "nacre/settings.def"
    };
    return def;
}

nc_code nc_world_check_settings(const nc_world_def *def, nc_error *err)
{
    const nc_code code = nc_settings_check(rows, (int)(sizeof rows / sizeof rows[0]), def, err);
    if (code != NC_OK)
        return code;
    if (!(def->floor_distance < def->rest_distance) || !(def->rest_distance < def->proximity))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "distances must satisfy 0 < floor_distance < rest_distance < proximity; they are %g, %g, %g",
                       def->floor_distance, def->rest_distance, def->proximity);
    if (def->workers < 0 || def->workers > NC_MAX_WORKERS)
        return nc_fail(err, NC_BAD_ARGUMENT, "workers is %d; it must lie in [0, %d]", def->workers, NC_MAX_WORKERS);
    return NC_OK;
}
