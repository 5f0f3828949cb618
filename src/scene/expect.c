// Reading the expect block. judge.c judges a run by it.
#include "scene/description.h"

#include <math.h>

nc_code nc_expect_read_place(const nc_node *map, nc_place_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_place_block, out);
    return nc_key_block_read(&nc_place_block, map, out, err);
}

nc_code nc_expect_read_turn(const nc_node *map, nc_turn_keys *out, nc_error *err)
{
    nc_key_block_defaults(&nc_turn_block, out);
    return nc_key_block_read(&nc_turn_block, map, out, err);
}

nc_code nc_expect_read_body(const nc_node *map, nc_expect_body_keys *out, nc_error *err)
{
    nc_place_keys place;
    nc_turn_keys turn;
    nc_key_block_defaults(&nc_expect_body_block, out);
    if (map->count == 0)
        return nc_node_fail(err, map, "found an empty map; allowed: at least one thing to expect of this body");
    nc_code code = nc_key_block_read(&nc_expect_body_block, map, out, err);
    if (code == NC_OK && out->position != NULL)
        code = nc_expect_read_place(out->position, &place, err);
    return code == NC_OK && out->orientation != NULL ? nc_expect_read_turn(out->orientation, &turn, err) : code;
}

static bool any_given(const nc_watch_keys *k)
{
    return k->speed.given || k->spin.given || k->height.given || k->x.given || k->y.given || k->z.given ||
           k->moved.given || k->turned.given || k->drift.given || k->apart.given || k->linking.given ||
           k->links.given || k->count.given;
}

nc_code nc_expect_read_watch(const nc_node *map, nc_watch_keys *out, nc_error *err)
{
    nc_bounds_keys box;
    nc_key_block_defaults(&nc_watch_block, out);
    out->at = out->from = out->to = NAN;
    nc_code code = nc_key_block_read(&nc_watch_block, map, out, err);
    if (out->bodies == NULL)
        out->bodies = "*";
    if (code == NC_OK && out->inside != NULL)
        code = nc_key_block_read(&nc_bounds_block, out->inside, &box, err);
    if (code != NC_OK)
        return code;
    if (!any_given(out))
        return nc_node_fail(err, map,
                            "there is nothing to judge; allowed: at least one of speed, height, moved, count, ...");
    if (!isnan(out->at) && !(isnan(out->from) && isnan(out->to)))
        return nc_node_fail(err, map, "a moment (at) and a window (from, to) are given; allowed: one of them");
    if (out->inside != NULL && !out->count.given)
        return nc_node_fail(err, map, "inside selects bodies to be counted; allowed: together with count");
    if ((out->linking.given || out->links.given || out->apart.given) != (out->with != NULL))
        return nc_node_fail(err, map, "linking, links or apart and with belong together: with names the others");
    return NC_OK;
}

nc_code nc_scene_read_expect(nc_scene *scene, nc_error *err)
{
    const nc_node *map = scene->keys.expect;
    nc_key_block_defaults(&nc_expect_block, &scene->expect);
    if (map == NULL)
        return NC_OK;
    nc_code code = nc_key_block_read(&nc_expect_block, map, &scene->expect, err);
    const nc_node *bodies = scene->expect.bodies;
    for (const nc_node *node = bodies != NULL ? bodies->first : NULL; node != NULL && code == NC_OK;
         node = node->next) {
        nc_expect_body_keys keys;
        code = nc_expect_read_body(node, &keys, err);
    }
    const nc_node *watch = scene->expect.watch;
    for (const nc_node *node = watch != NULL ? watch->first : NULL; node != NULL && code == NC_OK; node = node->next) {
        nc_watch_keys keys;
        code = nc_expect_read_watch(node, &keys, err);
    }
    const nc_node *knots = scene->expect.knots;
    for (const nc_node *node = knots != NULL ? knots->first : NULL; node != NULL && code == NC_OK; node = node->next) {
        nc_knot_keys keys;
        code = nc_scene_read_knot(scene, node, &keys, err);
    }
    scene->settings.has_expectations = map->count > 0;
    return code;
}
