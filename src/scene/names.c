// Names of bodies: a hash table that keeps them unique, and patterns.
#include "scene/description.h"

#include <stdio.h>
#include <string.h>

static uint64_t name_hash(const char *name)
{
    return nc_hash(NC_HASH_START, name, strlen(name));
}

static void insert(nc_scene *scene, int row)
{
    size_t slot = (size_t)name_hash(scene->bodies.data[row].name) % (size_t)scene->name_slot_count;
    while (scene->name_slots[slot] != 0)
        slot = (slot + 1) % (size_t)scene->name_slot_count;
    scene->name_slots[slot] = row + 1;
}

// At most half full, so that a search ends soon.
static bool make_room(nc_scene *scene, int names)
{
    if (2 * names <= scene->name_slot_count)
        return true;
    const int old = scene->name_slot_count, wanted = old == 0 ? 64 : 4 * old;
    int *slots = nc_alloc(&scene->allocator, (size_t)wanted, sizeof *slots);
    if (slots == NULL)
        return false;
    nc_free(&scene->allocator, scene->name_slots, (size_t)old, sizeof *slots);
    scene->name_slots = slots;
    scene->name_slot_count = wanted;
    for (int row = 0; row < names - 1; row++)
        insert(scene, row);
    return true;
}

nc_code nc_scene_claim_name(nc_scene *scene, int row, int *out_taken, nc_error *err)
{
    const char *name = scene->bodies.data[row].name;
    *out_taken = -1;
    if (!make_room(scene, row + 1))
        return nc_fail_memory(err, 4 * sizeof(int) * (size_t)scene->name_slot_count);
    size_t slot = (size_t)name_hash(name) % (size_t)scene->name_slot_count;
    for (; scene->name_slots[slot] != 0; slot = (slot + 1) % (size_t)scene->name_slot_count) {
        const int other = scene->name_slots[slot] - 1;
        if (strcmp(scene->bodies.data[other].name, name) == 0) {
            *out_taken = other;
            return NC_OK;
        }
    }
    scene->name_slots[slot] = row + 1;
    return NC_OK;
}

int nc_scene_find_body(const nc_scene *scene, const char *name)
{
    if (scene->name_slot_count == 0)
        return -1;
    size_t slot = (size_t)name_hash(name) % (size_t)scene->name_slot_count;
    for (; scene->name_slots[slot] != 0; slot = (slot + 1) % (size_t)scene->name_slot_count) {
        const int row = scene->name_slots[slot] - 1;
        if (strcmp(scene->bodies.data[row].name, name) == 0)
            return row;
    }
    return -1;
}

nc_code nc_scene_find_listed(const nc_scene *scene, const nc_node *node, const char *prefix, int *out, nc_error *err)
{
    const char *names[64];
    char inner[256];
    int count = 0;
    snprintf(inner, sizeof inner, "%s%s", prefix, node->text);
    *out = nc_scene_find_body(scene, inner);
    if (*out < 0)
        *out = nc_scene_find_body(scene, node->text);
    if (*out >= 0)
        return NC_OK;
    for (int i = 0; i < scene->bodies.count && count < 64; i++)
        names[count++] = scene->bodies.data[i].name;
    const int nearest = nc_nearest_name(node->text, names, count);
    return nc_node_fail(err, node, "there is no body \"%.64s\"%s%s%s", node->text,
                        nearest >= 0 ? "; did you mean \"" : "", nearest >= 0 ? names[nearest] : "",
                        nearest >= 0 ? "\"?" : "");
}

// Greedy with one point to go back to: the last star.
bool nc_pattern_match(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
