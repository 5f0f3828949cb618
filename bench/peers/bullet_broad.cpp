// Bullet: the pairs of boxes that overlap, kept from step to step by btDbvtBroadphase.
//
// The task file holds the number of bodies, the seed, the side of the pile [m], the number of phases and the half size
// of the bowl [m]; the boxes are those of bench/kernels/broad.c, from the same generator. Jobs: "cycle" goes through
// the phases forth and back, step by step: every body gets its box, then the pairs are found. "cycle-deferred" does the
// same with Bullet's deferred collision. The number that comes out is the number of pairs Bullet holds in the end: its
// boxes have margins, and it forgets pairs that parted little by little.
#include "task.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btScalar.h>

#include <cmath>
#include <cstdint>

// splitmix64, as nc_random.
struct Random {
    uint64_t state;
    double unit()
    {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    double range(double low, double high)
    {
        return low + (high - low) * unit();
    }
};

struct Box {
    btVector3 lo, hi;
};

// The boxes of all phases, phase by phase.
static std::vector<Box> make_boxes(int count, uint64_t seed, double side, int phases, double bowl)
{
    std::vector<Box> boxes((size_t)count * phases);
    Random random = {seed};
    for (int i = 0; i < count; i++) {
        double c[3], h[3], v[3];
        for (double &x : c)
            x = random.range(0, side);
        for (double &x : h)
            x = random.range(0.25, 0.75);
        for (double &x : v)
            x = random.range(-0.05, 0.05);
        for (int k = 0; k < 3 && i == count / 2; k++) {
            c[k] = side / 2;
            h[k] = bowl;
            v[k] = 0;
        }
        for (int phase = 0; phase < phases; phase++) {
            Box &box = boxes[(size_t)phase * count + i];
            for (int k = 0; k < 3; k++) {
                const double at = c[k] + phase * v[k];
                box.lo[k] = (btScalar)(at - h[k] + std::fmin(0, v[k]));
                box.hi[k] = (btScalar)(at + h[k] + std::fmax(0, v[k]));
            }
        }
    }
    return boxes;
}

int main(int argc, char **argv)
{
    std::FILE *file = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
    if (file == nullptr) {
        std::fprintf(stderr, "usage: bullet_broad TASK\n");
        return 2;
    }
    const int count = (int)read_number(file);
    const uint64_t seed = (uint64_t)read_number(file);
    const double side = read_number(file);
    const int phases = (int)read_number(file);
    const std::vector<Box> boxes = make_boxes(count, seed, side, phases, read_number(file));
    std::fclose(file);

    btDbvtBroadphase broad;
    std::vector<btBroadphaseProxy *> proxies((size_t)count);
    for (int i = 0; i < count; i++)
        proxies[i] = broad.createProxy(boxes[i].lo, boxes[i].hi, 0, nullptr, 1, 1, nullptr);
    broad.calculateOverlappingPairs(nullptr);
    broad.optimize();

    char about[64];
    std::snprintf(about, sizeof about, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return serve(about, [&](const char *job, double &result) {
        broad.m_deferedcollide = std::strcmp(job, "cycle-deferred") == 0;
        if (!broad.m_deferedcollide && std::strcmp(job, "cycle") != 0)
            return false;
        for (int step = 1; step <= 2 * phases - 2; step++) {
            const int phase = step < phases ? step : 2 * phases - 2 - step;
            const Box *now = &boxes[(size_t)phase * count];
            for (int i = 0; i < count; i++)
                broad.setAabb(proxies[i], now[i].lo, now[i].hi, nullptr);
            broad.calculateOverlappingPairs(nullptr);
        }
        result = broad.getOverlappingPairCache()->getNumOverlappingPairs();
        return true;
    });
}
