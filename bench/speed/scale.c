// nacre bench scale: how the time of a step grows with the number of bodies.
#include "bench/speed/speed.h"

#include <math.h>
#include <string.h>

typedef struct family {
    const char *name, *exponent;
    void (*text)(int bodies, char *out);
    int steps;
    int sizes[8]; // 0 ends them
} family;

// Balls that fly past each other, 1.5 diameters apart and never nearer: nothing but the broad phase and certify.
static void flight_text(int bodies, char *out)
{
    const int side = (int)ceil(cbrt(bodies) - 1e-9), layers = (bodies + side * side - 1) / (side * side);
    snprintf(out, NC_BENCH_SCENE_SIZE,
             "nacre: 1\ntitle: %d balls in flight\n"
             "world: {gravity: [0, -9.8, 0], timestep: 1/60, duration: 1}\n"
             "shapes:\n  ball: {generate: sphere, radius: 0.5, splits: 2}\n"
             "bodies:\n  - {shape: ball, velocity: [1, 2, 3], grid: {count: [%d, %d, %d], spacing: 1.5}}\n",
             side * layers * side, side, layers, side);
}

static const family families[] = {
    {"boats", "exponent_of_boats", nc_bench_boats_text, 60, {100, 300, 1000, 3000, 10000, 20000}},
    {"balls in flight", "exponent_of_balls_in_flight", flight_text, 5, {1000, 4096, 15625, 64000, 200000}},
};
#define FAMILIES ((int)(sizeof families / sizeof *families))

// [1] the slope of log(seconds per step) over log(bodies), least squares. NAN: fewer than two sizes.
static double fit_exponent(const nc_bench_result *results, const double *bodies, int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double lx = log(bodies[i]), ly = log(results[i].ours_median / results[i].pair.items);
        x += lx;
        y += ly;
        xx += lx * lx;
        xy += lx * ly;
    }
    const double spread = count * xx - x * x;
    return count > 1 && spread > 0 ? (count * xy - x * y) / spread : NAN;
}

// Results keep their names' addresses: one per family and size.
static char names[FAMILIES][8][48];

static nc_code measure_family(int f, const nc_bench_options *options, nc_bench_result *out, int *out_count,
                              nc_error *err)
{
    const family *kind = &families[f];
    double bodies[8];
    int count = 0;
    nc_code code = NC_OK;
    for (; count < 8 && kind->sizes[count] > 0 && code == NC_OK; count++) {
        const int size = kind->sizes[count];
        char text[NC_BENCH_SCENE_SIZE];
        if (options->boats > 0 && size > options->boats)
            break;
        kind->text(size, text);
        snprintf(names[f][count], sizeof names[f][count], "%s, %d", kind->name, size);
        nc_speed_run run = {.name = names[f][count],
                            .def = {.path = kind->name, .text = text, .text_size = strlen(text)},
                            .steps = options->steps > 0 ? options->steps : kind->steps};
        code = nc_speed_measure(&run, options->rounds, &out[count], err);
        bodies[count] = run.bodies;
    }
    if (code == NC_OK && count > 1) {
        const double exponent = fit_exponent(out, bodies, count);
        nc_bench_add_figure(&out[count - 1], kind->exponent, exponent, "1");
        nc_say(false, "%s: the time of a step grows with the number of bodies to the power of %.2f", kind->name,
               exponent);
    }
    *out_count += code == NC_OK ? count : 0;
    return code;
}

nc_code nc_bench_scale(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    nc_code code = NC_OK;
    for (int f = 0; f < FAMILIES && code == NC_OK; f++)
        code = measure_family(f, options, out + *out_count, out_count, err);
    return code;
}
