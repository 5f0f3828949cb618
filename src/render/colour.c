// Colours: the palette of bodies, and light as bytes of sRGB.
#include "render/render.h"

#include <math.h>
#include <string.h>

// The same as in web/src/palette.ts; tests/cli/render.sh compares them.
static const char *const palette[] = {"#6fb3b8", "#e8a87c", "#b59ad0", "#8dbb84", "#e27d8a", "#6c94c4",
                                      "#e3c770", "#c98bb0", "#9fb8a3", "#d99873", "#7d8fd1", "#c2b06b"};
#define PALETTE_COUNT ((int)(sizeof palette / sizeof *palette))
static const char scripted[] = "#b9a37a";
static const char still[] = "#b4bcc5";

// x^2.4 for x in [0, 1], as x^2 times the fifth root of x^2 by Newton's method.
static double power_2_4(double x)
{
    const double square = x * x;
    double root = 1;
    if (square <= 0)
        return 0;
    for (int i = 0; i < 60; i++)
        root = 0.8 * root + square / (5 * root * root * root * root);
    return square * root;
}

// The light that a value of sRGB in [0, 1] stands for (IEC 61966-2-1).
static double light_of(double value)
{
    return value <= 0.04045 ? value / 12.92 : power_2_4((value + 0.055) / 1.055);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
    return c != '\0' && at != NULL ? (int)(at - digits) : -1;
}

bool nc_colour_read(const char *text, nc_rgb *out)
{
    float parts[3];
    text += text[0] == '#';
    if (strlen(text) != 6)
        return false;
    for (int i = 0; i < 3; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        parts[i] = (float)light_of((16 * high + low) / 255.0);
    }
    *out = (nc_rgb){parts[0], parts[1], parts[2]};
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
        out->edge[k] = (float)light_of((k - 0.5) / 255);
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
