// An animal on four legs: round bars and balls that flow into each other, sampled on a grid and contoured.
#include "geom/shape.h"

// A round bar between two balls. Lengths are parts of the animal's.
typedef struct bar {
    nc_vec3 from, to;
    double from_radius, to_radius;
    bool last; // of the bars of its limb, each of which begins where the one before ends
} bar;

// The right half (z >= 0), which is mirrored.
static const bar bars[] = {
    {{-0.22, 0.01, 0}, {0.1, 0.03, 0}, 0.165, 0.17, true},        // trunk
    {{0.13, 0.07, 0}, {0.27, 0.23, 0}, 0.12, 0.09, true},         // neck
    {{0.28, 0.26, 0}, {0.31, 0.26, 0}, 0.115, 0.1, true},         // head
    {{0.33, 0.235, 0}, {0.43, 0.2, 0}, 0.075, 0.067, true},       // muzzle
    {{0.27, 0.29, 0.06}, {0.25, 0.34, 0.15}, 0.04, 0.055, false}, // ear
    {{0.25, 0.34, 0.15}, {0.22, 0.391, 0.283}, 0.055, 0.037, true},
    {{-0.36, 0.08, 0}, {-0.44, 0.16, 0}, 0.05, 0.038, false}, // tail
    {{-0.44, 0.16, 0}, {-0.465, 0.26, 0}, 0.038, 0.035, true},
    {{-0.24, -0.04, 0.09}, {-0.3, -0.2, 0.125}, 0.1, 0.06, false}, // hind leg
    {{-0.3, -0.2, 0.125}, {-0.27, -0.377, 0.135}, 0.06, 0.052, false},
    {{-0.27, -0.377, 0.135}, {-0.23, -0.379, 0.14}, 0.052, 0.05, true},
    {{0.12, -0.04, 0.09}, {0.14, -0.2, 0.12}, 0.09, 0.057, false}, // foreleg
    {{0.14, -0.2, 0.12}, {0.13, -0.377, 0.125}, 0.057, 0.052, false},
    {{0.13, -0.377, 0.125}, {0.17, -0.379, 0.13}, 0.052, 0.05, true},
};

// Half of its size along x, y and z.
static const double half_size[3] = {0.5, 30.0 / 70, 22.5 / 70};

// About the distance from a bar's surface, below 0 inside. The radius goes from end to end with the nearest place on
// the axis.
static double bar_value(const bar *b, nc_vec3 p)
{
    const nc_vec3 axis = nc_sub(b->to, b->from), arm = nc_sub(p, b->from);
    const double t = fmax(0.0, fmin(1.0, nc_dot(arm, axis) / nc_norm2(axis)));
    return nc_norm(nc_sub(arm, nc_scale(t, axis))) - (b->from_radius + t * (b->to_radius - b->from_radius));
}

// The smaller of two values, rounded off where they differ by less than `width`.
static double blend(double a, double b, double width)
{
    const double part = fmax(0.0, 1.0 - fabs(a - b) / width);
    return fmin(a, b) - 0.25 * width * part * part;
}

static double animal_value(nc_vec3 p, double width)
{
    const nc_vec3 right = nc_v3(p.x, p.y, fabs(p.z));
    double value = 1, limb = 1; // far outside
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
        limb = fmin(limb, bar_value(&bars[i], right));
        if (!bars[i].last)
            continue;
        value = blend(value, limb, width);
        limb = 1;
    }
    return value;
}

#define MARGIN   2    // cells around the animal
#define MIN_PART 0.02 // of the spacing: no sample is nearer to the surface, so that no triangle is a sliver

static void lay_out(int cells, nc_level_set *out)
{
    double half[3];
    out->spacing = 1.0 / cells;
    for (int k = 0; k < 3; k++) {
        const int whole = (int)ceil(half_size[k] * cells) + MARGIN;
        out->count[k] = 2 * whole + 1;
        half[k] = whole * out->spacing;
    }
    out->origin = nc_v3(-half[0], -half[1], -half[2]);
}

static void fill(const nc_level_set *set, double width, double *values)
{
    const double least = MIN_PART * set->spacing;
    size_t at = 0;
    for (int k = 0; k < set->count[2]; k++)
        for (int j = 0; j < set->count[1]; j++)
            for (int i = 0; i < set->count[0]; i++) {
                const double value = animal_value(nc_madd(set->origin, set->spacing, nc_v3(i, j, k)), width);
                values[at++] = value < 0 ? fmin(value, -least) : fmax(value, least);
            }
}

// Coordinates that are nothing but rounding become 0.
static double settled(double x)
{
    return fabs(x) < 1e-12 ? 0.0 : x;
}

static void take_surface(nc_shape_builder *builder, const nc_level_surface *surface, double length)
{
    for (int i = 0; i < surface->vertices.count; i++) {
        const nc_vec3 v = surface->vertices.data[i];
        nc_shape_vertex(builder, nc_scale(length, nc_v3(settled(v.x), settled(v.y), settled(v.z))));
    }
    for (int i = 0; i + 2 < surface->corners.count; i += 3) {
        const int *v = surface->corners.data + i;
        nc_shape_triangle(builder, v[0], v[1], v[2]);
    }
}

nc_code nc_shape_build_animal(nc_shape_builder *builder, const double *values, nc_error *err)
{
    nc_level_set set = {0};
    nc_level_surface surface = {0};
    lay_out((int)values[1], &set);
    const size_t count = (size_t)set.count[0] * (size_t)set.count[1] * (size_t)set.count[2];
    double *samples = nc_alloc(&builder->allocator, count, sizeof *samples);
    if (samples == NULL)
        return nc_fail_memory(err, count * sizeof *samples);
    fill(&set, values[2], samples);
    set.values = samples;
    builder->failed = !nc_level_surface_build(&set, false, NULL, &builder->allocator, &surface);
    if (!builder->failed)
        take_surface(builder, &surface, values[0]);
    nc_level_surface_free(&builder->allocator, &surface);
    nc_free(&builder->allocator, samples, count, sizeof *samples);
    return NC_OK;
}
