// The kernels of detection, one after the other.
#include "bench.h"

nc_code nc_bench_kernels(const nc_bench_options *options, nc_bench_result *out, int *out_count, nc_error *err)
{
    *out_count = 0;
    nc_code code = nc_bench_features(options, out, out_count, err);
    if (code == NC_OK)
        code = nc_bench_curved(options, out, out_count, err);
    if (code == NC_OK)
        code = nc_bench_meshes(options, out, out_count, err);
    if (code == NC_OK)
        code = nc_bench_broad(options, out, out_count, err);
    return code;
}
