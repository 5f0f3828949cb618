// How bodies look: a colour and a material. The simulation, its hashes and its snapshots know nothing of it.
#ifndef NACRE_APPEARANCE_H
#define NACRE_APPEARANCE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nc_material {
    NC_MATERIAL_NONE, // not given
#define NC_MATERIAL(id, ...) NC_MATERIAL_##id,
#include "material.def"
    NC_MATERIAL_COUNT
} nc_material;

// All zero: nothing is said, and programs choose a colour by body.
typedef struct nc_appearance {
    uint8_t color[3];  // sRGB: red, green, blue
    uint8_t has_color; // 1 or 0
    uint8_t material;  // nc_material
} nc_appearance;

typedef struct nc_material_info {
    const char *name;                                // "" of NC_MATERIAL_NONE
    const char *color;                               // "#rrggbb" of bodies that name none; "": by body
    double roughness, metallic, transmission, sheen; // [1] 0 .. 1
    const char *about;
} nc_material_info;
// The row of a material; of one that does not exist, that of NC_MATERIAL_NONE.
const nc_material_info *nc_material_view(int material);
// By its name; NC_MATERIAL_NONE when there is none of that name.
nc_material nc_material_find(const char *name);

typedef struct nc_color_name {
    const char *name;
    const char *color; // "#rrggbb"
} nc_color_name;
// The colours that have names, in alphabetical order.
const nc_color_name *nc_color_list(int *out_count);
// Reads a name, "#rrggbb" or "rrggbb"; false when it is none of these, and then `out` is as it was.
bool nc_color_read(const char *text, uint8_t out[3]);
// "#rrggbb" with its zero byte.
void nc_color_print(const uint8_t color[3], char out[8]);
// The light [1] that a value of sRGB in [0, 1] stands for (IEC 61966-2-1), and the byte of sRGB nearest to a light.
double nc_color_light(double value);
uint8_t nc_color_byte(double light);

// The colour of a body: its own, or its material's. False when neither says one.
bool nc_appearance_color(const nc_appearance *appearance, uint8_t out[3]);
// What is said of either by `over`, and where it says nothing, by `under`. A material without a colour over one with a
// colour keeps that colour.
nc_appearance nc_appearance_merge(nc_appearance under, nc_appearance over);

#ifdef __cplusplus
}
#endif
#endif
