// nacre info of a scene.
#include "info.h"

#include "cloth/cloth.h"
#include "model/model.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static void print_setting(nc_facts *facts, const nc_setting *row, const void *settings)
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
static void print_settings(nc_facts *facts, const nc_scene_settings *view)
{
    int count;
    const nc_setting *rows = view->is_cloth ? nc_cloth_setting_rows(&count) : nc_world_setting_rows(&count);
    const void *settings = view->is_cloth ? (const void *)&view->cloth_world : (const void *)&view->world;
    const unsigned pipeline = view->is_cloth ? NC_READ_BY_ACM : 1U << view->world.pipeline;
    for (int i = 0; i < count; i++)
        if ((rows[i].pipelines & pipeline) != 0 && strcmp(rows[i].name, "pipeline") != 0) // printed before
            print_setting(facts, &rows[i], settings);
}

static void print_scene(nc_facts *facts, const char *path, const nc_scene_settings *view)
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
    print_settings(facts, view);
    nc_fact_flag(facts, "expectations", view->has_expectations);
}

typedef struct census {
    int by_type[NC_DYNAMIC + 1];
    int64_t triangles;
} census;

static nc_code count_body(nc_model model, nc_body_id id, census *out, nc_error *err)
{
    const nc_allocator allocator = nc_allocator_default();
    nc_model_body body;
    nc_mesh *mesh = NULL;
    nc_code code = nc_model_read_body(model, id, &body, err);
    if (code == NC_OK)
        code = nc_model_make_mesh(model, body.mesh, &allocator, &mesh, err);
    if (code != NC_OK)
        return code;
    out->by_type[body.type]++;
    out->triangles += nc_mesh_view(mesh).triangle_count;
    nc_mesh_release(mesh);
    return NC_OK;
}

static nc_code print_bodies(nc_facts *facts, nc_model model, nc_error *err)
{
    const int count = nc_model_body_count(model);
    census c = {0};
    nc_body_id *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_model_bodies(model, ids, count);
    nc_code code = NC_OK;
    for (int i = 0; i < count && code == NC_OK; i++)
        code = count_body(model, ids[i], &c, err);
    free(ids);
    nc_fact_whole(facts, "bodies", count);
    nc_fact_whole(facts, "static", c.by_type[NC_STATIC]);
    nc_fact_whole(facts, "kinematic", c.by_type[NC_KINEMATIC]);
    nc_fact_whole(facts, "dynamic", c.by_type[NC_DYNAMIC]);
    nc_fact_whole(facts, "meshes", nc_model_mesh_count(model));
    nc_fact_whole(facts, "triangles", c.triangles);
    return code;
}

// What the start says of distances: the floor in force, and pairs that are nearer than the rest distance.
static nc_code print_distances(nc_facts *facts, nc_world *world, nc_error *err)
{
    nc_start_report near;
    const nc_code code = nc_world_check(world, &near, err);
    if (code != NC_OK)
        return code;
    nc_fact_number(facts, "start_floor", near.floor_distance, "m");
    nc_fact_whole(facts, "near_pairs", near.capped_pairs);
    if (near.capped_pairs > 0)
        nc_fact_number(facts, "nearest", near.nearest, "m");
    return NC_OK;
}

static nc_code print_objects(nc_facts *facts, const nc_cloth_world *world, nc_error *err)
{
    static const char *const names[] = {"sheets", "particle_sets", "obstacles"}; // in the order of nc_cloth_type
    int count[3] = {0};
    int64_t vertices = 0;
    nc_code code = NC_OK;
    for (int i = 0; i < nc_cloth_count(world) && code == NC_OK; i++) {
        nc_cloth_view view = {0};
        code = nc_cloth_view_object(world, i, &view, err);
        count[view.type]++;
        vertices += view.type != NC_CLOTH_OBSTACLE ? view.vertex_count : 0;
    }
    for (int i = 0; i < 3; i++)
        nc_fact_whole(facts, names[i], count[i]);
    nc_fact_whole(facts, "vertices_of_cloth", vertices);
    return code;
}

static nc_code print_model(nc_facts *facts, nc_model model, const nc_scene_settings *view, nc_error *err)
{
    nc_model_report start;
    nc_code code = print_bodies(facts, model, err);
    if (code == NC_OK && nc_model_world(model) != NULL)
        code = print_distances(facts, nc_model_world(model), err);
    if (code == NC_OK && nc_model_cloth(model) != NULL)
        code = print_objects(facts, nc_model_cloth(model), err);
    if (code == NC_OK)
        code = nc_model_measure(model, &start, err);
    if (code != NC_OK)
        return code;
    nc_fact_number(facts, "kinetic", start.common.kinetic, "J");
    nc_fact_number(facts, "potential", start.common.potential, "J");
    nc_fact_size(facts, "run_size", nc_run_estimate_size(model, view->steps / view->output_every + 2));
    nc_fact_hash(facts, "hash", nc_model_hash(model));
    return NC_OK;
}

nc_exit nc_info_scene(nc_facts *facts, const char *path, const nc_words *overrides)
{
    nc_error err = {0};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    const nc_scene_def def = {.path = path, .overrides = overrides->items, .override_count = overrides->count};
    if (nc_scene_load(&def, &scene, &err) != NC_OK)
        return nc_complain(&err);
    for (int i = 0; i < nc_scene_note_count(scene); i++)
        nc_say(false, "note: %s", nc_scene_note(scene, i));
    const nc_scene_settings view = nc_scene_view(scene);
    nc_code code = nc_scene_build(scene, NULL, &model, &err);
    const bool intersecting = code == NC_INTERSECTING;
    if (code == NC_OK || intersecting) {
        nc_facts_begin(facts, facts->as_json);
        print_scene(facts, path, &view);
        nc_fact_flag(facts, "starts_intersecting", intersecting);
        if (code == NC_OK)
            code = print_model(facts, model, &view, &err);
        nc_facts_end(facts);
    }
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}
