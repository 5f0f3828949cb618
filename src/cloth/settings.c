// Settings of a world of cloth by the rows of nacre/cloth_settings.def, and materials by those of
// nacre/cloth_material.def: defaults, names of choices, checks, the hash of what changes results.
#include "cloth/cloth.h"

const char *const nc_finder_names[NC_FINDER_KINETIC + 1] = {"speculative", "kinetic"};

#define CHOICES_REAL(name)   NULL
#define CHOICES_ABOVE(name)  NULL
#define CHOICES_WHOLE(name)  NULL
#define CHOICES_VECTOR(name) NULL
#define CHOICES_CHOICE(name) nc_##name##_names

#define RESULTS_CHANGED true
#define RESULTS_SAME    false

static const nc_setting rows[] = {
#define NC_CLOTH_SETTING(block, kind_, name_, unit_, low_, high_, fallback_, scene, results, about_)                   \
    {.name = #name_,                                                                                                   \
     .unit = (unit_),                                                                                                  \
     .about = (about_),                                                                                                \
     .choices = CHOICES_##kind_(name_),                                                                                \
     .offset = offsetof(nc_cloth_world_def, name_),                                                                    \
     .low = (low_),                                                                                                    \
     .high = (high_),                                                                                                  \
     .kind = NC_SETTING_##kind_,                                                                                       \
     .pipelines = NC_READ_BY_ACM,                                                                                      \
     .changes_results = RESULTS_##results},
#include "nacre/cloth_settings.def"
};
enum { ROW_COUNT = (int)(sizeof rows / sizeof rows[0]) };

const nc_setting *nc_cloth_setting_rows(int *out_count)
{
    *out_count = ROW_COUNT;
    return rows;
}

#define UNPACK(...)         __VA_ARGS__
#define VALUE_REAL(value)   value
#define VALUE_ABOVE(value)  value
#define VALUE_WHOLE(value)  value
#define VALUE_CHOICE(value) value
#define VALUE_VECTOR(value)                                                                                            \
    {                                                                                                                  \
        UNPACK value                                                                                                   \
    }

nc_cloth_world_def nc_cloth_world_def_default(void)
{
    // Zero for what has no row: workers as many as there are, the default allocator.
    const nc_cloth_world_def def = {
#define NC_CLOTH_SETTING(block, kind, name, unit, low, high, fallback, ...) .name = VALUE_##kind(fallback),
#include "nacre/cloth_settings.def"
    };
    return def;
}

nc_code nc_cloth_check_settings(const nc_cloth_world_def *def, nc_error *err)
{
    const nc_code code = nc_settings_check(rows, ROW_COUNT, def, err);
    if (code == NC_OK && def->workers < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "workers is %d, but must not be negative", def->workers);
    return code;
}

// ---- materials ----------------------------------------------------------------------------------------------

nc_cloth_def nc_cloth_def_default(void)
{
    const nc_cloth_def def = {
        .type = NC_CLOTH_SHEET,
        .contact = {.stiffness = 1000, .thickness = 0.01, .restitution = 0, .friction = 0},
#define NC_CLOTH_MATERIAL(kind, field, key, of, unit, low, high, fallback, about) .field = (fallback),
#include "nacre/cloth_material.def"
    };
    return def;
}

#define HAS_ANY(type)       true
#define HAS_SHEET(type)     ((type) == NC_CLOTH_SHEET)
#define HAS_PARTICLES(type) ((type) == NC_CLOTH_PARTICLES)

nc_code nc_cloth_check_material(const nc_cloth_def *def, nc_error *err)
{
    nc_code code = NC_OK;
#define NC_CLOTH_MATERIAL(kind_, field, key, of, unit_, low_, high_, fallback, about_)                                 \
    if (code == NC_OK && HAS_##of(def->type)) {                                                                        \
        const nc_setting row = {.name = #field,                                                                        \
                                .offset = offsetof(nc_cloth_def, field),                                               \
                                .kind = NC_SETTING_##kind_,                                                            \
                                .low = (low_),                                                                         \
                                .high = (high_)};                                                                      \
        code = nc_settings_check(&row, 1, def, err);                                                                   \
    }
#include "nacre/cloth_material.def"
    return code;
}

// ---- hash ---------------------------------------------------------------------------------------------------

uint64_t nc_cloth_hash_settings(uint64_t hash, const nc_cloth_world_def *def)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        if (!rows[i].changes_results)
            continue;
        if (rows[i].kind == NC_SETTING_VECTOR)
            hash = nc_hash(hash, (const uint8_t *)def + rows[i].offset, sizeof(nc_vec3));
        else if (nc_setting_is_whole(&rows[i]))
            hash = nc_hash_u64(hash, (uint64_t)nc_setting_value(&rows[i], def, 0));
        else
            hash = nc_hash_double(hash, nc_setting_value(&rows[i], def, 0));
    }
    return hash;
}
