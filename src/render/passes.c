// Passes for data sets: what is at each pixel, without light.
//
// One ray per pixel, through its middle, at the time of the frame, without a lens: so each number is that of one ray,
// and not a mean over an edge. Bodies are as the run has them: glass and containers stop rays, and there is no ground
// but the scene's own.
#include "render/render.h"

#include <string.h>

static const nc_pass_info passes[NC_PASS_COUNT] = {
    [NC_PASS_DEPTH] = {"depth", "exr", 1, "distance from the plane of the camera [m]; infinite where nothing is"},
    [NC_PASS_ID] = {"id", "png", 1, "number of the body in the run + 1, 16 bits; 0 where nothing is"},
    [NC_PASS_NORMAL] = {"normal", "exr", 3,
                        "of the facet, towards the camera, in axes of the world; 0 where nothing is"},
    [NC_PASS_ALBEDO] = {"albedo", "exr", 3, "colour of the body, linear; 0 where nothing is"},
};

const nc_pass_info *nc_pass_view(nc_pass pass)
{
    return &passes[pass];
}

bool nc_passes_read(const char *text, bool out[NC_PASS_COUNT])
{
    memset(out, 0, NC_PASS_COUNT * sizeof *out);
    while (true) {
        const size_t length = strcspn(text, ",");
        int found = -1;
        for (int i = 0; i < NC_PASS_COUNT; i++)
            if (strlen(passes[i].name) == length && strncmp(passes[i].name, text, length) == 0)
                found = i;
        if (found < 0)
            return false;
        out[found] = true;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

#ifdef NC_WITH_RENDER
#include "render/stage.h"

#include <math.h>

typedef struct scanner {
    const nc_stage *stage;
    const nc_camera *camera;
    nc_f3 eye;
    nc_pass pass;
    nc_floats *out;
} scanner;

// What a ray finds, as the numbers of the pass.
static void write_hit(const scanner *s, const struct RTCRayHit *ray, nc_f3 along, float *out)
{
    const nc_stage_body *body = &s->stage->bodies[ray->hit.instID[0]];
    const nc_f3 facet = {ray->hit.Ng_x, ray->hit.Ng_y, ray->hit.Ng_z};
    nc_f3 normal = nc_f3_unit(nc_stage_turn(body, 1, facet));
    if (nc_f3_dot(normal, along) > 0)
        normal = nc_f3_scale(-1, normal);
    switch (s->pass) {
    case NC_PASS_DEPTH:
        out[0] = -ray->ray.tfar * nc_f3_dot(along, nc_f3_of(s->camera->back));
        break;
    case NC_PASS_ID:
        out[0] = (float)(body->id + 1);
        break;
    case NC_PASS_NORMAL:
        memcpy(out, &normal, sizeof normal);
        break;
    default:
        memcpy(out, &body->colour, sizeof body->colour);
        break;
    }
}

static void scan_pixel(const scanner *s, int x, int y)
{
    const nc_camera *c = s->camera;
    const double u = 2 * (x + 0.5) / s->out->width - 1, v = 1 - 2 * (y + 0.5) / s->out->height;
    const nc_vec3 to = nc_madd(nc_madd(nc_neg(c->back), u * c->wide, c->right), v * c->tall, c->up);
    const nc_f3 along = nc_f3_of(nc_scale(1 / nc_norm(to), to));
    struct RTCIntersectContext context;
    struct RTCRayHit ray = {.ray = {.org_x = s->eye.x,
                                    .org_y = s->eye.y,
                                    .org_z = s->eye.z,
                                    .dir_x = along.x,
                                    .dir_y = along.y,
                                    .dir_z = along.z,
                                    .tfar = INFINITY,
                                    .time = 1,
                                    .mask = ~0U}};
    ray.hit.geomID = ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcInitIntersectContext(&context);
    rtcIntersect1(s->stage->scene, &context, &ray);
    const int channels = s->out->channels;
    float *out = s->out->data + ((size_t)y * (size_t)s->out->width + (size_t)x) * (size_t)channels;
    for (int i = 0; i < channels; i++)
        out[i] = s->pass == NC_PASS_DEPTH ? INFINITY : 0;
    if (ray.hit.instID[0] != RTC_INVALID_GEOMETRY_ID)
        write_hit(s, &ray, along, out);
}

static void scan_rows(int begin, int end, void *ctx)
{
    const scanner *s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->out->width; x++)
            scan_pixel(s, x, y);
}

void nc_stage_scan(const nc_stage *stage, const nc_camera *camera, nc_pass pass, int threads, nc_floats *out)
{
    scanner s = {stage, camera, nc_f3_of(nc_sub(camera->eye, stage->origin)), pass, out};
    out->channels = passes[pass].channels;
    nc_parallel_for(threads, out->height, 4, scan_rows, &s);
}
#endif
