// A run file as frames for the exact test.
#include "animation/animation.h"

#include <stdlib.h>

static void close_run(void *ctx)
{
    nc_reel_close(ctx);
    free(ctx);
}

static const char *body_name(const void *ctx, int body, char *out, size_t out_size)
{
    return nc_reel_body_name(ctx, body, out, out_size);
}

nc_code nc_animation_open_run(const char *path, nc_animation *out, nc_error *err)
{
    nc_reel *reel = calloc(1, sizeof *reel);
    if (reel == NULL)
        return nc_fail_memory(err, sizeof *reel);
    const nc_code code = nc_reel_open(path, reel, err);
    if (code != NC_OK) {
        free(reel);
        return code;
    }
    *out = (nc_animation){.source = nc_reel_source(reel),
                          .frame_count = reel->info.frame_count,
                          .body_name = body_name,
                          .close = close_run};
    return NC_OK;
}
