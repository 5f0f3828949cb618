// Colours and materials: the tables, and their texts.
#include "base/base.h"

#include "nacre/appearance.h"

#include <stdio.h>
#include <string.h>

static const nc_material_info materials[NC_MATERIAL_COUNT] = {
    [NC_MATERIAL_NONE] = {"", "", 0.8, 0, 0, 0, "Not given."},
#define NC_MATERIAL(id, name, color, roughness, metallic, transmission, sheen, about)                                  \
    [NC_MATERIAL_##id] = {#name, color, roughness, metallic, transmission, sheen, about},
#include "nacre/material.def"
};

static const nc_color_name colors[] = {
    {"aluminium", "#d8dade"}, {"beige", "#e6d9bd"},   {"black", "#1c1c1e"},  {"blue", "#2f6fc4"},
    {"brass", "#d4b25a"},     {"bronze", "#b0803f"},  {"brown", "#7a4f2e"},  {"copper", "#d08a64"},
    {"cream", "#f4ecd8"},     {"crimson", "#b3203a"}, {"cyan", "#35b6c9"},   {"gold", "#e6b84a"},
    {"gray", "#8a8d91"},      {"green", "#4c9a52"},   {"grey", "#8a8d91"},   {"ivory", "#f3eee0"},
    {"lime", "#9bc53d"},      {"magenta", "#c4378f"}, {"maroon", "#7a2433"}, {"navy", "#23345e"},
    {"olive", "#7d7f37"},     {"orange", "#e8842c"},  {"pink", "#e79ab0"},   {"purple", "#7b4fa3"},
    {"red", "#cc3b33"},       {"salmon", "#e98b73"},  {"sand", "#d9c39a"},   {"silver", "#c6c9cd"},
    {"sky", "#8dc4e8"},       {"slate", "#56606b"},   {"steel", "#c3c7cc"},  {"tan", "#c9a177"},
    {"teal", "#2f8f8b"},      {"violet", "#8f6bc2"},  {"white", "#f4f4f2"},  {"yellow", "#efcf3f"},
};
#define COLOR_COUNT ((int)(sizeof colors / sizeof *colors))

const nc_material_info *nc_material_view(int material)
{
    return &materials[material > 0 && material < NC_MATERIAL_COUNT ? material : NC_MATERIAL_NONE];
}

nc_material nc_material_find(const char *name)
{
    for (int i = 1; i < NC_MATERIAL_COUNT; i++)
        if (strcmp(materials[i].name, name) == 0)
            return (nc_material)i;
    return NC_MATERIAL_NONE;
}

const nc_color_name *nc_color_list(int *out_count)
{
    *out_count = COLOR_COUNT;
    return colors;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
    return c != '\0' && at != NULL ? (int)(at - digits) : -1;
}

static bool read_digits(const char *text, uint8_t out[3])
{
    uint8_t parts[3];
    text += text[0] == '#';
    if (strlen(text) != 6)
        return false;
    for (int i = 0; i < 3; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        parts[i] = (uint8_t)(16 * high + low);
    }
    memcpy(out, parts, sizeof parts);
    return true;
}

bool nc_color_read(const char *text, uint8_t out[3])
{
    for (int i = 0; i < COLOR_COUNT; i++)
        if (strcmp(colors[i].name, text) == 0)
            return read_digits(colors[i].color, out);
    return read_digits(text, out);
}

void nc_color_print(const uint8_t color[3], char out[8])
{
    snprintf(out, 8, "#%02x%02x%02x", color[0], color[1], color[2]);
}

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

double nc_color_light(double value)
{
    return value <= 0.04045 ? value / 12.92 : power_2_4((value + 0.055) / 1.055);
}

uint8_t nc_color_byte(double light)
{
    int low = 0, high = 255; // light of (low - 0.5) <= light, and that of (high + 0.5) above it
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (light >= nc_color_light((middle - 0.5) / 255))
            low = middle;
        else
            high = middle - 1;
    }
    return (uint8_t)low;
}

bool nc_appearance_color(const nc_appearance *appearance, uint8_t out[3])
{
    if (appearance->has_color)
        memcpy(out, appearance->color, sizeof appearance->color);
    return appearance->has_color || read_digits(nc_material_view(appearance->material)->color, out);
}

nc_appearance nc_appearance_merge(nc_appearance under, nc_appearance over)
{
    if (over.has_color) {
        memcpy(under.color, over.color, sizeof under.color);
        under.has_color = 1;
    }
    if (over.material != NC_MATERIAL_NONE)
        under.material = over.material;
    return under;
}
