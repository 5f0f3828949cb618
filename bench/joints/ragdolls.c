// Ragdolls over a bowl, as the text of a scene.
#include "bench/joints/joints.h"

#include <math.h>

#define RADIUS 6.0  // [m] of the bowl for a hundred ragdolls; more of them get a larger one
#define APART  1.2  // [m] between ragdolls of a layer
#define LAYERS 2.2  // [m] between layers
#define LOWEST 0.55 // [1] depth of the lowest layer below the bowl's rim, as a part of the bowl's radius

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Layers of five by five for a hundred, each a row of the text for every row of ragdolls, until all are there.
void nc_joints_ragdolls_text(int ragdolls, char *out)
{
    const double radius = RADIUS * fmax(1, cbrt(ragdolls / 100.0));
    const int side = (int)fmax(1, floor(5 * radius / RADIUS)), layer = side * side;
    int done = 0, used = snprintf(out, NC_BENCH_SCENE_SIZE,
                                  "nacre: 1\ntitle: %d ragdolls in a bowl\nseed: 12\n"
                                  "world: {gravity: [0, -9.8, 0], timestep: 1/120, duration: 2, friction: 0.5, "
                                  "restitution: 0.1}\n"
                                  "shapes:\n  ground: {generate: plane, size: %.17g}\n"
                                  "  bowl: {generate: bowl, radius: %.17g}\nbodies:\n"
                                  "  - {shape: ground, type: static, position: [0, %.17g, 0]}\n"
                                  "  - {shape: bowl, type: static}\n",
                                  ragdolls, 6 * radius, radius, -1.2 * radius);
    // whole layers in one pile, then what is left as rows
    while (done < ragdolls) {
        const int left = ragdolls - done, in_layer = done % layer, layers_done = done / layer;
        const int whole = in_layer == 0 ? left / layer : 0, row = in_layer / side;
        const int x = whole > 0 ? side : smaller(side, left), y = whole > 0 ? whole : 1, z = whole > 0 ? side : 1;
        const double low = -LOWEST * radius + LAYERS * layers_done;
        used += snprintf(out + used, NC_BENCH_SCENE_SIZE - (size_t)used,
                         "  - {name: dolls_%d, ragdoll: {height: 1.75, mass: 75}, pile: {count: [%d, %d, %d], "
                         "spacing: [%g, %g, %g], center: [0, %.17g, %.17g], jitter: 0.05, tumble: 0.2}}\n",
                         done, x, y, z, APART, LAYERS, APART, low + 0.5 * LAYERS * (y - 1),
                         whole > 0 ? 0 : APART * (row - 0.5 * (side - 1)));
        NC_ASSERT(used < NC_BENCH_SCENE_SIZE);
        done += x * y * z;
    }
}
