// nacre info of a scene.
#include "info.h"

#include "acm/acm.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static void tell_setting(nc_facts *facts, const nc_setting *row, const void *settings)
{
    const double value = nc_setting_value(row, settings, 0);
    if (row->kind == NC_SETTING_VECTOR)
        nc_fact_vec3(facts, row->name,
                     nc_v3(value, nc_setting_value(row, settings, 1), nc_setting_value(row, settings, 2)), row->unit);
    else if (row->kind == NC_SETTING_CHOICE)
        nc_fact_text(facts, row->name, row->choices[(int)value]);
    else if (row->kind == NC_SETTING_FLAG)
        nc_fact_flag(facts, row->name, value != 0);
    else if (row->kind == NC_SETTING_WHOLE)
        nc_fact_whole(facts, row->name, (int64_t)value);
    else
        nc_fact_number(facts, row->name, value, strcmp(row->unit, "1") == 0 ? "" : row->unit);
}

// The settings that the scene's pipeline reads.
static void tell_settings(nc_facts *facts, const nc_scene_settings *view)
{
    int count;
    const nc_setting *rows = view->is_cloth ? nc_acm_setting_rows(&count) : nc_world_setting_rows(&count);
    const void *settings = view->is_cloth ? (const void *)&view->cloth_world : (const void *)&view->world;
    const unsigned pipeline = view->is_cloth ? NC_READ_BY_ACM : 1U << view->world.pipeline;
    for (int i = 0; i < count; i++)
        if ((rows[i].pipelines & pipeline) != 0 && strcmp(rows[i].name, "pipeline") != 0) // printed before
            tell_setting(facts, &rows[i], settings);
}

static void tell_scene(nc_facts *facts, const char *path, const nc_scene_settings *view)
{
    nc_fact_text(facts, "kind", "scene");
    nc_fact_text(facts, "file", path);
    nc_fact_text(facts, "title", view->title);
    nc_fact_text(facts, "pipeline", nc_pipeline_names[view->is_cloth ? NC_PIPELINE_ACM : (int)view->world.pipeline]);
    nc_fact_number(facts, "timestep", view->timestep, "s");
    nc_fact_number(facts, "duration", view->duration, "s");
    nc_fact_whole(facts, "steps", view->steps);
    nc_fact_whole(facts, "steps_a_frame", view->output_every);
    nc_fact_whole(facts, "seed", (int64_t)view->seed);
    tell_settings(facts, view);
    nc_fact_flag(facts, "expectations", view->has_expectations);
}

static nc_code tell_bodies(nc_facts *facts, const nc_world *world, nc_error *err)
{
    const int count = nc_world_body_count(world);
    int by_type[3] = {0};
    int64_t triangles = 0;
    nc_body_id *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_world_bodies(world, ids, count);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++) {
        nc_body_state state = {0};
        code = nc_body_read(world, ids[i], &state, err);
        by_type[state.type]++;
        triangles += nc_mesh_view(nc_body_mesh(world, ids[i])).triangle_count;
    }
    free(ids);
    nc_fact_whole(facts, "bodies", count);
    nc_fact_whole(facts, "static", by_type[NC_STATIC]);
    nc_fact_whole(facts, "kinematic", by_type[NC_KINEMATIC]);
    nc_fact_whole(facts, "dynamic", by_type[NC_DYNAMIC]);
    nc_fact_whole(facts, "meshes", nc_world_mesh_count(world));
    nc_fact_whole(facts, "triangles", triangles);
    return code;
}

// What the start says of distances: the floor in force, and pairs that are nearer than the rest distance.
static void tell_distances(nc_facts *facts, const nc_start_report *near)
{
    nc_fact_number(facts, "start_floor", near->floor_distance, "m");
    nc_fact_whole(facts, "near_pairs", near->capped_pairs);
    if (near->capped_pairs > 0)
        nc_fact_number(facts, "nearest", near->nearest, "m");
}

static nc_code tell_start(nc_facts *facts, nc_world *world, const nc_scene_settings *view, nc_error *err)
{
    nc_step_report start = {0};
    nc_start_report near;
    nc_code code = tell_bodies(facts, world, err);
    if (code == NC_OK)
        code = nc_world_check(world, &near, err);
    if (code == NC_OK)
        code = nc_world_measure(world, &start, err);
    if (code != NC_OK)
        return code;
    tell_distances(facts, &near);
    nc_fact_number(facts, "kinetic", start.kinetic, "J");
    nc_fact_number(facts, "potential", start.potential, "J");
    nc_fact_size(facts, "run_size", nc_run_estimate_size(world, view->steps / view->output_every + 2));
    nc_fact_hash(facts, "hash", nc_world_hash(world));
    return NC_OK;
}

static nc_code tell_cloth(nc_facts *facts, const nc_cloth_world *world, nc_error *err)
{
    static const char *const names[] = {"sheets", "particle_sets", "obstacles"}; // in the order of nc_cloth_type
    int count[3] = {0};
    int64_t vertices = 0, triangles = 0;
    nc_code code = NC_OK;
    for (int i = 0; i < nc_cloth_count(world) && code == NC_OK; i++) {
        nc_cloth_view view = {0};
        code = nc_cloth_view_object(world, i, &view, err);
        count[view.type]++;
        triangles += view.triangle_count;
        vertices += view.type != NC_CLOTH_OBSTACLE ? view.vertex_count : 0;
    }
    nc_fact_whole(facts, "bodies", nc_cloth_count(world));
    for (int i = 0; i < 3; i++)
        nc_fact_whole(facts, names[i], count[i]);
    nc_fact_whole(facts, "vertices_of_cloth", vertices);
    nc_fact_whole(facts, "triangles", triangles);
    nc_fact_hash(facts, "hash", nc_cloth_hash(world));
    return code;
}

static nc_code info_cloth(nc_facts *facts, const char *path, const nc_scene *scene, nc_error *err)
{
    nc_cloth_world *world = NULL;
    const nc_scene_settings view = nc_scene_view(scene);
    int overlaps = 0;
    nc_code code = nc_scene_build_cloth(scene, NULL, &world, err);
    if (code == NC_OK)
        code = nc_cloth_audit(world, NULL, 0, &overlaps, err);
    if (code == NC_OK) {
        nc_facts_begin(facts, facts->as_json);
        tell_scene(facts, path, &view);
        nc_fact_flag(facts, "starts_intersecting", overlaps > 0);
        code = tell_cloth(facts, world, err);
        nc_facts_end(facts);
    }
    nc_cloth_world_destroy(world);
    return code;
}

nc_exit nc_info_scene(nc_facts *facts, const char *path, const nc_words *overrides)
{
    nc_error err = {0};
    nc_scene *scene = NULL;
    nc_world *world = NULL;
    const nc_scene_def def = {.path = path, .overrides = overrides->items, .override_count = overrides->count};
    if (nc_scene_load(&def, &scene, &err) != NC_OK)
        return nc_complain(&err);
    for (int i = 0; i < nc_scene_note_count(scene); i++)
        nc_say(false, "note: %s", nc_scene_note(scene, i));
    const nc_scene_settings view = nc_scene_view(scene);
    if (view.is_cloth) {
        const nc_code told = info_cloth(facts, path, scene, &err);
        nc_scene_destroy(scene);
        return told == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
    }
    nc_code code = nc_scene_build(scene, NULL, &world, &err);
    const bool intersecting = code == NC_INTERSECTING;
    if (code == NC_OK || intersecting) {
        nc_facts_begin(facts, facts->as_json);
        tell_scene(facts, path, &view);
        nc_fact_flag(facts, "starts_intersecting", intersecting);
        if (code == NC_OK)
            code = tell_start(facts, world, &view, &err);
        nc_facts_end(facts);
    }
    nc_world_destroy(world);
    nc_scene_destroy(scene);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}
