// This program's results beside those of an earlier one, and whether they differ beyond noise.
#include "bench/speed/speed.h"

#include "io/io.h"

#include <math.h>
#include <string.h>

struct nc_speed_before {
    nc_json_tree tree;
    int results;
};

nc_code nc_speed_read(const char *path, nc_speed_before **out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_speed_before *before = nc_alloc(&allocator, 1, sizeof *before);
    if (before == NULL)
        return nc_fail_memory(err, sizeof *before);
    *before = (nc_speed_before){0};
    nc_code code = nc_json_load(path, &allocator, &before->tree, err);
    before->results = code == NC_OK ? nc_json_member(&before->tree, 0, "results") : -1;
    if (code == NC_OK && !nc_json_is(&before->tree, before->results, NC_JSON_LIST))
        code = nc_fail_at(err, NC_BAD_FILE, path, 1, 1,
                          "there is no list \"results\": it must be what `nacre bench --json` printed");
    if (code != NC_OK) {
        nc_speed_free(before);
        return code;
    }
    *out = before;
    return NC_OK;
}

void nc_speed_free(nc_speed_before *before)
{
    const nc_allocator allocator = nc_allocator_default();
    if (before == NULL)
        return;
    nc_json_free(&before->tree);
    nc_free(&allocator, before, 1, sizeof *before);
}

// A number of a map; NAN: it is not there, or is null.
static double number_of(const nc_json_tree *tree, int map, const char *key)
{
    const int value = nc_json_member(tree, map, key);
    return nc_json_is(tree, value, NC_JSON_NUMBER) ? tree->values.data[value].number : NAN;
}

static int find_result(const nc_speed_before *before, const char *name)
{
    const nc_json_tree *tree = &before->tree;
    for (int r = tree->values.data[before->results].first; r >= 0; r = tree->values.data[r].next) {
        const int text = nc_json_member(tree, r, "name");
        if (nc_json_is(tree, text, NC_JSON_TEXT) && strcmp(nc_json_string(tree, text), name) == 0)
            return r;
    }
    return -1;
}

// [1] what the range of the rounds says of their scatter: of few rounds it shows only a part.
static double noise_of(double low, double high, double rounds)
{
    if (!(rounds > 1 && low > 0))
        return NC_SPEED_ONE_ROUND;
    return fmax(pow(high / low, 1 + 1.5 / (rounds - 1)), NC_SPEED_LEAST_NOISE);
}

nc_speed_change nc_speed_compare(const nc_speed_before *before, const nc_bench_result *now)
{
    const nc_json_tree *tree = &before->tree;
    const int old = find_result(before, now->pair.name);
    const double ratio = number_of(tree, old, "ratio");
    const double item =
        number_of(tree, nc_json_member(tree, old, "ours"), "median_seconds") / number_of(tree, old, "items");
    const bool peers = isfinite(ratio) && isfinite(now->ratio);
    const double factor = peers ? now->ratio / ratio : item / (now->ours_median / fmax(1, now->pair.items));
    if (old < 0 || !isfinite(factor))
        return (nc_speed_change){NC_SPEED_NEW, NAN, NAN};
    const double was = noise_of(number_of(tree, old, "ratio_low"), number_of(tree, old, "ratio_high"),
                                peers ? number_of(tree, old, "rounds") : 1);
    const double noise = fmax(was, noise_of(now->ratio_low, now->ratio_high, peers ? now->rounds : 1));
    const nc_speed_verdict verdict = factor > noise       ? NC_SPEED_FASTER
                                     : factor < 1 / noise ? NC_SPEED_SLOWER
                                                          : NC_SPEED_SAME;
    return (nc_speed_change){verdict, factor, noise};
}
