// The table of patterns, and the one function that makes them.
#include "fracture/pattern.h"

#include <string.h>

#define COUNT(name, fallback, low, high, about)                                                                        \
    {                                                                                                                  \
        name, "1", about, fallback, low, high, true                                                                    \
    }
#define RATIO(name, fallback, low, high, about)                                                                        \
    {                                                                                                                  \
        name, "1", about, fallback, low, high, false                                                                   \
    }
#define LENGTH(name, fallback, low, high, about)                                                                       \
    {                                                                                                                  \
        name, "m", about, fallback, low, high, false                                                                   \
    }

static const nc_shape_parameter_info bricks_parameters[] = {
    LENGTH("length", 0.25, 0.01, 1, "of a brick, along x"),
    LENGTH("height", 0.1, 0.01, 1, "of a course, along y"),
    LENGTH("depth", 1, 0.01, 1, "of a brick, along z, the normal"),
    RATIO("bond", 0.5, 0, 1, "shift of each course against the one below, as a part of the length"),
    RATIO("jitter", 0.1, 0, 1, "how uneven the upright joints are"),
};
static const nc_shape_parameter_info glass_parameters[] = {
    COUNT("rays", 12, 3, 128, "cracks that run out from the centre"),
    COUNT("rings", 5, 0, 32, "cracks around the centre"),
    LENGTH("first", 0.04, 0.001, 0.5, "radius of the innermost ring"),
    RATIO("growth", 1.8, 1.05, 10, "radius of a ring divided by that of the one inside it"),
    RATIO("jitter", 0.5, 0, 1, "how uneven rays and rings are"),
};
static const nc_shape_parameter_info graded_parameters[] = {
    COUNT("count", 60, 1, 1000, "pieces"),
    RATIO("grading", 2, 0, 4, "how much smaller pieces are near the centre; 0: not at all"),
};
static const nc_shape_parameter_info shards_parameters[] = {
    COUNT("count", 40, 1, 1000, "pieces"),
    {"tilt", "rad", "largest slant of a crack against the normal", 0.15, 0, 1.5, false},
    RATIO("grading", 1, 0, 4, "how much smaller pieces are near the centre; 0: not at all"),
};
static const nc_shape_parameter_info splinters_parameters[] = {
    COUNT("count", 60, 1, 1000, "pieces"),
    RATIO("stretch", 6, 1, 50, "length of a splinter, along x, divided by its breadth, about"),
};
static const nc_shape_parameter_info voronoi_parameters[] = {
    COUNT("count", 40, 1, 1000, "pieces"),
};

// In alphabetical order.
#define PATTERNS(X)                                                                                                    \
    X(bricks, "courses of bricks along x, stacked along y, each course shifted against the one below")                 \
    X(glass, "rays out from the centre and rings about it, through the whole depth, as in a pane of glass")            \
    X(graded, "Voronoi cells, small near the centre and large away from it")                                           \
    X(shards, "cuts from side to side by nearly upright planes, always of the piece that is too large for its place")  \
    X(splinters, "Voronoi cells drawn out along x, as wood breaks")                                                    \
    X(voronoi, "Voronoi cells of about one size, the centre ignored")

#define COUNT_OF(array)      ((int)(sizeof(array) / sizeof((array)[0])))
#define AS_INFO(name, about) {#name, about, name##_parameters, COUNT_OF(name##_parameters)},
static const nc_pattern_info patterns[] = {PATTERNS(AS_INFO)};
#define AS_MAKER(name, about) nc_pattern_make_##name,
static nc_pattern_maker *const makers[] = {PATTERNS(AS_MAKER)};
#define AS_NAME(name, about) #name,
static const char *const pattern_names[] = {PATTERNS(AS_NAME)};

#define MAX_PARAMETERS 5
_Static_assert(COUNT_OF(bricks_parameters) <= MAX_PARAMETERS && COUNT_OF(glass_parameters) <= MAX_PARAMETERS,
               "the longest tables");

const nc_pattern_info *nc_pattern_list(int *out_count)
{
    *out_count = COUNT_OF(patterns);
    return patterns;
}

// ---- parameters ---------------------------------------------------------------------------------------------

static nc_code find_pattern(const char *name, int *out, nc_error *err)
{
    for (int i = 0; i < COUNT_OF(patterns); i++)
        if (strcmp(pattern_names[i], name) == 0) {
            *out = i;
            return NC_OK;
        }
    const int near = nc_nearest_name(name, pattern_names, COUNT_OF(pattern_names));
    if (near >= 0)
        return nc_fail(err, NC_NOT_FOUND, "there is no pattern '%.60s'; did you mean '%s'?", name, pattern_names[near]);
    return nc_fail(err, NC_NOT_FOUND,
                   "there is no pattern '%.60s'; there are bricks, glass, graded, shards, splinters and voronoi", name);
}

static nc_code find_parameter(const nc_pattern_info *info, const char *name, int *out, nc_error *err)
{
    const char *names[MAX_PARAMETERS];
    for (int i = 0; i < info->parameter_count; i++) {
        names[i] = info->parameters[i].name;
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return NC_OK;
        }
    }
    const int near = nc_nearest_name(name, names, info->parameter_count);
    if (near >= 0)
        return nc_fail(err, NC_NOT_FOUND, "the pattern %s has no parameter '%.60s'; did you mean '%s'?", info->name,
                       name, names[near]);
    return nc_fail(err, NC_NOT_FOUND, "the pattern %s has no parameter '%.60s'", info->name, name);
}

static nc_code take_value(const nc_pattern_info *info, const nc_shape_parameter *given, double *values, nc_error *err)
{
    int at = 0;
    const nc_code code = find_parameter(info, given->name, &at, err);
    if (code != NC_OK)
        return code;
    const nc_shape_parameter_info *p = &info->parameters[at];
    if (!(given->value >= p->low && given->value <= p->high))
        return nc_fail(err, NC_BAD_ARGUMENT, "the %s of the pattern %s is %g, but must lie between %g and %g", p->name,
                       info->name, given->value, p->low, p->high);
    if (p->whole && given->value != floor(given->value))
        return nc_fail(err, NC_BAD_ARGUMENT, "the %s of the pattern %s is %g, but must be a whole number", p->name,
                       info->name, given->value);
    values[at] = given->value;
    return NC_OK;
}

// ---- making -------------------------------------------------------------------------------------------------

static nc_code make_regions(nc_pattern *pattern, int kind, const double *values, uint64_t seed, nc_error *err)
{
    nc_pattern_builder builder = {.pattern = pattern,
                                  .allocator = pattern->allocator,
                                  .random = {seed},
                                  .piece = nc_polyhedron_create(&pattern->allocator)};
    const nc_code code = makers[kind](&builder, values, err);
    nc_polyhedron_free(&builder.piece);
    return code;
}

nc_code nc_pattern_create(const char *name, const nc_shape_parameter *parameters, int parameter_count, uint64_t seed,
                          const nc_allocator *allocator, nc_pattern **out, nc_error *err)
{
    int kind = 0;
    double values[MAX_PARAMETERS] = {0};
    *out = NULL;
    nc_code code = find_pattern(name, &kind, err);
    if (code != NC_OK)
        return code;
    for (int i = 0; i < patterns[kind].parameter_count; i++)
        values[i] = patterns[kind].parameters[i].fallback;
    for (int i = 0; i < parameter_count && code == NC_OK; i++)
        code = take_value(&patterns[kind], &parameters[i], values, err);
    if (code != NC_OK)
        return code;
    const nc_allocator memory = nc_allocator_or_default(allocator);
    nc_pattern *pattern = nc_alloc(&memory, 1, sizeof *pattern);
    if (pattern == NULL)
        return nc_fail_memory(err, sizeof *pattern);
    pattern->allocator = memory;
    pattern->normal = nc_v3(0, 0, 1);
    code = make_regions(pattern, kind, values, seed, err);
    if (code == NC_OK)
        *out = pattern;
    else
        nc_pattern_destroy(pattern);
    return code;
}

void nc_pattern_destroy(nc_pattern *pattern)
{
    if (pattern == NULL)
        return;
    const nc_allocator memory = pattern->allocator;
    for (int i = 0; i < pattern->regions.count; i++)
        nc_solid_destroy(pattern->regions.data[i].solid);
    nc_array_free(&memory, &pattern->planes);
    nc_array_free(&memory, &pattern->regions);
    nc_free(&memory, pattern, 1, sizeof *pattern);
}
