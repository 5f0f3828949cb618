// The JSON Schema of scene files, made from the tables of keys.
#include "fracture/fracture.h"
#include "scene/keys.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?(/[-+]?[0-9.]+([eE][-+]?[0-9]+)?)?$"

static bool put_text(nc_buffer *out, const char *text)
{
    bool ok = nc_buffer_print(out, "\"");
    for (const char *s = text; *s != '\0' && ok; s++)
        ok = nc_buffer_print(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    return ok && nc_buffer_print(out, "\"");
}

// The name of a block's definition: its name without spaces.
static bool put_reference(nc_buffer *out, const char *name)
{
    bool ok = nc_buffer_print(out, "{\"$ref\": \"#/$defs/");
    for (const char *s = name; *s != '\0' && ok; s++)
        ok = nc_buffer_print(out, "%c", *s == ' ' ? '_' : *s);
    return ok && nc_buffer_print(out, "\"}");
}

static bool put_number(nc_buffer *out, const nc_key *key, bool whole)
{
    return nc_buffer_print(
        out, "{\"type\": [\"%s\", \"string\"], \"%s\": %.17g, \"maximum\": %.17g, \"pattern\": \"%s\"}",
        whole ? "integer" : "number", key->above ? "exclusiveMinimum" : "minimum", key->low, key->high, NUMBER_PATTERN);
}

static bool put_numbers(nc_buffer *out, const nc_key *key, bool whole, int fewest, int most)
{
    return nc_buffer_print(out, "{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", fewest,
                           most) &&
           put_number(out, key, whole) && nc_buffer_print(out, "}");
}

static bool put_choices(nc_buffer *out, const nc_key *key)
{
    bool ok = nc_buffer_print(out, "{\"enum\": [");
    for (int i = 0; i < key->choice_count && ok; i++)
        ok = nc_buffer_print(out, "%s\"%s\"", i > 0 ? ", " : "", key->choices[i]);
    return ok && nc_buffer_print(out, "]}");
}

// What a key of type "body" may hold: a body or a group.
static bool put_block(nc_buffer *out, const nc_key_block *block)
{
    if (block != &nc_body_block)
        return put_reference(out, block->name);
    return nc_buffer_print(out, "{\"anyOf\": [") && put_reference(out, "body") && nc_buffer_print(out, ", ") &&
           put_reference(out, "group") && nc_buffer_print(out, "]}");
}

static bool put_color(nc_buffer *out, const nc_key *key)
{
    int count;
    const nc_color_name *list = nc_color_list(&count);
    bool ok = nc_buffer_print(out, "{\"anyOf\": [{\"enum\": [");
    for (int i = 0; i < count && ok; i++)
        ok = nc_buffer_print(out, "%s\"%s\"", i > 0 ? ", " : "", list[i].name);
    return ok &&
           nc_buffer_print(out, "]}, {\"type\": [\"string\", \"integer\"], \"pattern\": \"^#?[0-9a-fA-F]{6}$\"}, ") &&
           put_numbers(out, key, false, 3, 3) && nc_buffer_print(out, "]}");
}

static bool put_value(nc_buffer *out, const nc_key *key)
{
    switch (key->kind) {
    case NC_KEY_NUMBER:
    case NC_KEY_WHOLE:
        return put_number(out, key, key->kind == NC_KEY_WHOLE);
    case NC_KEY_FLAG:
        return nc_buffer_print(out, "{\"enum\": [true, false]}");
    case NC_KEY_TEXT:
        return nc_buffer_print(out, "{\"type\": [\"string\", \"number\"]}");
    case NC_KEY_NAME:
        return nc_buffer_print(out, "{\"type\": [\"string\", \"integer\"], \"pattern\": \"^[A-Za-z0-9_-]{1,64}$\"}");
    case NC_KEY_CHOICE:
        return put_choices(out, key);
    case NC_KEY_VECTOR:
        return put_numbers(out, key, false, 3, 3);
    case NC_KEY_SPREAD:
        return nc_buffer_print(out, "{\"anyOf\": [") && put_number(out, key, false) && nc_buffer_print(out, ", ") &&
               put_numbers(out, key, false, 3, 3) && nc_buffer_print(out, "]}");
    case NC_KEY_PAIR:
        return put_numbers(out, key, false, 2, 2);
    case NC_KEY_COUNTS:
        return put_numbers(out, key, true, 3, 3);
    case NC_KEY_COUNTS_2:
        return put_numbers(out, key, true, 2, 2);
    case NC_KEY_QUAT:
        return put_numbers(out, key, false, 4, 4);
    case NC_KEY_ROTATION:
        return put_reference(out, "rotation");
    case NC_KEY_INERTIA:
        return nc_buffer_print(out, "{\"anyOf\": [") && put_numbers(out, key, false, 3, 3) &&
               nc_buffer_print(out, ", ") && put_numbers(out, key, false, 6, 6) && nc_buffer_print(out, "]}");
    case NC_KEY_COLOR:
        return put_color(out, key);
    case NC_KEY_RANGE:
        return nc_buffer_print(out, "{\"anyOf\": [") && put_number(out, key, false) && nc_buffer_print(out, ", ") &&
               put_reference(out, "range") && nc_buffer_print(out, "]}");
    case NC_KEY_BLOCK:
        return put_block(out, key->block);
    case NC_KEY_BLOCKS:
        return nc_buffer_print(out, "{\"type\": \"array\", \"items\": ") && put_block(out, key->block) &&
               nc_buffer_print(out, "}");
    case NC_KEY_TABLE:
        return nc_buffer_print(out, "{\"type\": \"object\", \"additionalProperties\": ") &&
               put_block(out, key->block) && nc_buffer_print(out, "}");
    case NC_KEY_TEXTS:
        return nc_buffer_print(out, "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                                    "{\"type\": \"string\"}}]}");
    case NC_KEY_WHOLES:
        return nc_buffer_print(out, "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}}");
    case NC_KEY_POINTS:
        return nc_buffer_print(out, "{\"type\": \"array\", \"minItems\": 2, \"items\": ") &&
               put_numbers(out, key, false, 3, 3) && nc_buffer_print(out, "}");
    case NC_KEY_BETWEEN:
        return nc_buffer_print(
            out, "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"string\"}}");
    case NC_KEY_PATTERNS:
        return nc_buffer_print(
            out, "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
                 "\"items\": {\"type\": \"string\"}}}");
    }
    return false;
}

// "name": {"description": ..., "allOf": [value]}
static bool put_property(nc_buffer *out, const nc_key *key, bool first)
{
    char about[512];
    const bool unit = key->unit[0] != '\0' && strcmp(key->unit, "1") != 0;
    snprintf(about, sizeof about, "%s%s%s%s%s%s%s", key->about, unit ? " [" : "", unit ? key->unit : "",
             unit ? "]" : "", key->fallback != NULL ? " Default: " : "", key->fallback != NULL ? key->fallback : "",
             key->fallback != NULL ? "." : "");
    return nc_buffer_print(out, "%s\n        \"%s\": {\"description\": ", first ? "" : ",", key->name) &&
           put_text(out, about) && nc_buffer_print(out, ", \"allOf\": [") && put_value(out, key) &&
           nc_buffer_print(out, "]}");
}

static bool put_required(nc_buffer *out, const nc_key_block *block)
{
    bool ok = true, any = false;
    for (int i = 0; i < block->key_count && ok; i++)
        if (block->keys[i].required) {
            ok = nc_buffer_print(out, "%s\"%s\"", any ? ", " : ",\n      \"required\": [", block->keys[i].name);
            any = true;
        }
    return ok && (!any || nc_buffer_print(out, "]"));
}

// Was this parameter met in a pattern before?
static bool is_repeated(const nc_pattern_info *list, int pattern, const char *name)
{
    for (int i = 0; i < pattern; i++)
        for (int k = 0; k < list[i].parameter_count; k++)
            if (strcmp(list[i].parameters[k].name, name) == 0)
                return true;
    return false;
}

// The parameters of all patterns; which of them has what range, the reader knows.
static bool put_pattern_parameters(nc_buffer *out)
{
    int count;
    bool ok = true;
    const nc_pattern_info *list = nc_pattern_list(&count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].parameter_count && ok; k++) {
            const nc_shape_parameter_info *info = &list[i].parameters[k];
            if (is_repeated(list, i, info->name))
                continue;
            ok = nc_buffer_print(out, ",\n        \"%s\": {\"description\": ", info->name) &&
                 put_text(out, info->about) && nc_buffer_print(out, ", \"type\": \"number\"}");
        }
    return ok;
}

static const char *const shape_variants[] = {"generate", "file", "csg"};

// A shape is made by a procedure, read from a file, or a solid: each has keys of its own.
static bool is_of_variant(const char *key, const char *variant)
{
    if (strcmp(key, "cell") == 0)
        return strcmp(variant, "csg") == 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(key, shape_variants[i]) == 0)
            return strcmp(key, variant) == 0;
    return true;
}

// `variant`: of a shape; else NULL.
static bool put_properties(nc_buffer *out, const nc_key_block *block, const nc_shape_info *shape, const char *variant)
{
    bool ok = nc_buffer_print(
        out, "\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {");
    int written = 0;
    for (int i = 0; i < block->key_count && ok; i++) {
        const char *name = block->keys[i].name;
        // A procedure's name is a constant, written below.
        if (variant != NULL && (!is_of_variant(name, variant) || strcmp(name, "generate") == 0))
            continue;
        ok = put_property(out, &block->keys[i], written++ == 0);
    }
    for (int i = 0; shape != NULL && i < shape->parameter_count && ok; i++) {
        const nc_shape_parameter_info *info = &shape->parameters[i];
        char fallback[32];
        snprintf(fallback, sizeof fallback, "%.6g", info->fallback);
        const nc_key key = {.name = info->name,
                            .kind = info->whole ? NC_KEY_WHOLE : NC_KEY_NUMBER,
                            .unit = info->unit,
                            .low = info->low,
                            .high = info->high,
                            .fallback = fallback,
                            .about = info->about};
        ok = put_property(out, &key, written++ == 0);
    }
    if (block == &nc_fracture_block)
        ok = ok && put_pattern_parameters(out);
    if (shape != NULL)
        ok = ok &&
             nc_buffer_print(out, ",\n        \"generate\": {\"const\": \"%s\", \"description\": ", shape->name) &&
             put_text(out, shape->about) && nc_buffer_print(out, "}");
    return ok && nc_buffer_print(out, "\n      }") && put_required(out, block);
}

// A shape is one of the procedures, a file or a solid.
static bool put_shape(nc_buffer *out)
{
    int count;
    const nc_shape_info *list = nc_shape_list(&count);
    bool ok = nc_buffer_print(out, "{\"anyOf\": [");
    for (int i = 0; i < count && ok; i++)
        ok = nc_buffer_print(out, "{") && put_properties(out, &nc_shape_block, &list[i], "generate") &&
             nc_buffer_print(out, ",\n      \"required\": [\"generate\"]}, ");
    for (int i = 1; i < 3 && ok; i++)
        ok = nc_buffer_print(out, "{") && put_properties(out, &nc_shape_block, NULL, shape_variants[i]) &&
             nc_buffer_print(out, ",\n      \"required\": [\"%s\"]}%s", shape_variants[i], i < 2 ? ", " : "]}");
    return ok;
}

static bool put_definition(nc_buffer *out, const nc_key_block *block, bool first)
{
    bool ok = nc_buffer_print(out, "%s\n    \"", first ? "" : ",");
    for (const char *s = block->name; *s != '\0' && ok; s++)
        ok = nc_buffer_print(out, "%c", *s == ' ' ? '_' : *s);
    ok = ok && nc_buffer_print(out, "\": ");
    if (block == &nc_shape_block)
        return ok && put_shape(out);
    return ok && nc_buffer_print(out, "{\n      \"description\": ") && put_text(out, block->about) &&
           nc_buffer_print(out, ",") && put_properties(out, block, NULL, NULL) && nc_buffer_print(out, "\n    }");
}

bool nc_scene_write_schema(nc_buffer *out)
{
    int count;
    const nc_key_block *const *blocks = nc_key_block_list(&count);
    bool ok =
        nc_buffer_print(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                             "  \"title\": \"Nacre scene, format 1\",\n  \"$ref\": \"#/$defs/scene\",\n  \"$defs\": {");
    for (int i = 0; i < count && ok; i++)
        ok = put_definition(out, blocks[i], i == 0);
    return ok && nc_buffer_print(out, "\n  }\n}\n");
}

// ---- Markdown -----------------------------------------------------------------------------------------------

static bool put_row(nc_buffer *out, const nc_key *key)
{
    char allowed[256];
    nc_key_allowed(key, allowed, sizeof allowed);
    return nc_buffer_print(out, "| `%s` | %s | %s | %s |\n", key->name, allowed,
                           key->required           ? "required"
                           : key->fallback != NULL ? key->fallback
                                                   : "",
                           key->about);
}

static bool put_parameter(nc_buffer *out, const nc_shape_parameter_info *info)
{
    const nc_key key = {
        .kind = info->whole ? NC_KEY_WHOLE : NC_KEY_NUMBER, .unit = info->unit, .low = info->low, .high = info->high};
    char allowed[256];
    return nc_buffer_print(out, "| | `%s` | %s | %.6g | %s |\n", info->name,
                           nc_key_allowed(&key, allowed, sizeof allowed), info->fallback, info->about);
}

// What has a name and parameters: a shape, a pattern.
static bool put_entry(nc_buffer *out, const char *name, const char *about, const nc_shape_parameter_info *parameters,
                      int count)
{
    bool ok = nc_buffer_print(out, "| `%s` | | | | %s |\n", name, about);
    for (int k = 0; k < count && ok; k++)
        ok = put_parameter(out, &parameters[k]);
    return ok;
}

static bool put_shapes_table(nc_buffer *out)
{
    int count;
    const nc_shape_info *list = nc_shape_list(&count);
    bool ok = nc_buffer_print(out, "### Procedural shapes\n\n| generate | parameter | takes | default | meaning |\n"
                                   "| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < count && ok; i++)
        ok = put_entry(out, list[i].name, list[i].about, list[i].parameters, list[i].parameter_count);
    return ok;
}

static bool put_patterns_table(nc_buffer *out)
{
    int count;
    const nc_pattern_info *list = nc_pattern_list(&count);
    bool ok = nc_buffer_print(out, "\n### Patterns of cracks\n\n| pattern | parameter | takes | default | meaning |\n"
                                   "| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < count && ok; i++)
        ok = put_entry(out, list[i].name, list[i].about, list[i].parameters, list[i].parameter_count);
    return ok;
}

static bool put_materials_table(nc_buffer *out)
{
    bool ok = nc_buffer_print(out, "\n### Materials\n\n| material | colour when none is given | meaning |\n"
                                   "| --- | --- | --- |\n");
    for (int i = 1; i < NC_MATERIAL_COUNT && ok; i++) {
        const nc_material_info *row = nc_material_view(i);
        ok = nc_buffer_print(out, "| `%s` | %s | %s |\n", row->name, row->color[0] != '\0' ? row->color : "by body",
                             row->about);
    }
    return ok;
}

static bool put_colors_table(nc_buffer *out)
{
    int count;
    const nc_color_name *list = nc_color_list(&count);
    bool ok = nc_buffer_print(out, "\n### Colours\n\n");
    for (int i = 0; i < count && ok; i++)
        ok = nc_buffer_print(out, "%s`%s` %s", i > 0 ? ", " : "", list[i].name, list[i].color);
    return ok && nc_buffer_print(out, ".\n");
}

bool nc_scene_write_key_tables(nc_buffer *out)
{
    int count;
    const nc_key_block *const *blocks = nc_key_block_list(&count);
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        ok = nc_buffer_print(out, "### %s\n\n%s\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n",
                             blocks[i]->name, blocks[i]->about);
        for (int k = 0; k < blocks[i]->key_count && ok; k++)
            ok = put_row(out, &blocks[i]->keys[k]);
        ok = ok && nc_buffer_print(out, "\n");
    }
    return ok && put_shapes_table(out) && put_patterns_table(out) && put_materials_table(out) && put_colors_table(out);
}
