// Colours: the palette of bodies, and light as bytes of sRGB.
#include "render/render.h"

#include <math.h>

// The same as in web/src/palette.ts; tests/cli/render.sh compares them.
static const char *const palette[] = {"#6fb3b8", "#e8a87c", "#b59ad0", "#8dbb84", "#e27d8a", "#6c94c4",
                                      "#e3c770", "#c98bb0", "#9fb8a3", "#d99873", "#7d8fd1", "#c2b06b"};
#define PALETTE_COUNT ((int)(sizeof palette / sizeof *palette))
static const char scripted[] = "#b9a37a";
static const char still[] = "#b4bcc5";

nc_rgb nc_rgb_of(const uint8_t color[3])
{
    return (nc_rgb){(float)nc_color_light(color[0] / 255.0), (float)nc_color_light(color[1] / 255.0),
                    (float)nc_color_light(color[2] / 255.0)};
}

bool nc_colour_read(const char *text, nc_rgb *out)
{
    uint8_t bytes[3];
    if (!nc_color_read(text, bytes))
        return false;
    *out = nc_rgb_of(bytes);
    return true;
}

nc_rgb nc_body_colour(int body, nc_body_type type)
{
    nc_rgb colour = {0, 0, 0};
    const int row = (body % PALETTE_COUNT * 7 + body / PALETTE_COUNT % PALETTE_COUNT * 5) % PALETTE_COUNT;
    nc_colour_read(type == NC_STATIC ? still : type == NC_KINEMATIC ? scripted : palette[row], &colour);
    return colour;
}

void nc_tone_make(nc_tone *out)
{
    out->edge[0] = 0;
    for (int k = 1; k < 256; k++)
        out->edge[k] = (float)nc_color_light((k - 0.5) / 255);
    out->edge[256] = INFINITY;
}

// Keeps slope 1 at the knee and ends at 1 for ever brighter light.
static float shoulder(float light)
{
    const float knee = 0.8F, rest = 1 - knee;
    if (!(light > knee))
        return light;
    const float above = (light - knee) / rest;
    return knee + rest * above / (1 + above);
}

uint8_t nc_tone_byte(const nc_tone *tone, float light)
{
    int low = 0, high = 256; // edge[low] <= light < edge[high]
    const float shown = shoulder(light > 0 ? light : 0);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (shown >= tone->edge[middle])
            low = middle;
        else
            high = middle;
    }
    return (uint8_t)low;
}
