// nacre import: a scene laid out in another program as a scene file with its meshes.
#include "import.h"
#include "repairing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const nc_option options[] = {
    {"output", 'o', NC_OPTION_TEXT, "SCENE", offsetof(nc_import_settings, output), 0, 0,
     "The scene file to write, such as scene.yaml."},
    {"meshes", 'm', NC_OPTION_TEXT, "FOLDER", offsetof(nc_import_settings, meshes), 0, 0,
     "Where the meshes go, seen from the scene file. Default: its name with _meshes instead of the extension."},
    {"up", 0, NC_OPTION_TEXT, "y|z", offsetof(nc_import_settings, up), 0, 0,
     "Which axis is up in vectors of custom properties. Default: z in files from Blender, y in others."},
    {"animation", 'a', NC_OPTION_TEXT, "NAME", offsetof(nc_import_settings, animation), 0, 0,
     "Make keyframes of this animation only. Default: of all of them together."},
    {"no-animation", 0, NC_OPTION_FLAG, NULL, offsetof(nc_import_settings, no_animation), 0, 0,
     "Make no keyframes: animated nodes are bodies where the file puts them."},
    {"rate", 'r', NC_OPTION_NUMBER, "N", offsetof(nc_import_settings, rate), 0, 1e6,
     "Keyframes also N times per second. Default: 0, at the animation's keys only."},
    {"base", 0, NC_OPTION_TEXT, "fixed|free", offsetof(nc_import_settings, base), 0, 0,
     "Of robots: does the root link stay where it is, or move? Default: fixed."},
    {"hold", 0, NC_OPTION_FLAG, NULL, offsetof(nc_import_settings, hold), 0, 0,
     "Of robots: drive every hinge and slider to where it starts, with the effort of its limit at most."},
    {"repair", 0, NC_OPTION_FLAG, NULL, offsetof(nc_import_settings, repair), 0, 0,
     "Move bodies that touch or overlap apart, as 'nacre repair' does."},
    {"force", 'f', NC_OPTION_FLAG, NULL, offsetof(nc_import_settings, force), 0, 0, "Overwrite files that exist."},
    {"quiet", 'q', NC_OPTION_FLAG, NULL, offsetof(nc_import_settings, quiet), 0, 0,
     "No notes; errors are still shown."},
};

static int import_command(const nc_command *command, int argc, char **argv);

const nc_command nc_command_import = {
    .name = "import",
    .arguments = "FILE -o SCENE",
    .about = "Makes a scene from a glTF file (Blender's, for one), a robot (URDF, MJCF) or a fixture of rigid-ipc.",
    .details =
        "Every node with a mesh becomes a body at its pose; scale is applied to the meshes, which bodies share.\n"
        "Custom properties of a node (Blender: Object Properties, exported with Include > Custom Properties)\n"
        "are keys of its body: type (static, kinematic, dynamic), mass, density, area_density, thickness,\n"
        "matter, friction, restitution, velocity, spin, force, torque. Animated nodes without a\n"
        "type become kinematic, with keyframes. Constraints that scripts/blender_export.py wrote become joints.\n"
        "A robot (FILE.urdf, FILE.xml) becomes bodies and joints; what is not supported is listed with its line.\n"
        "So does a fixture of rigid-ipc (FILE.json): locks of single axes become joints to the world.\n",
    .examples = "nacre import layout.glb -o scene.yaml\n"
                "nacre import arm.urdf -o arm.yaml --hold\n"
                "nacre check scene.yaml\n"
                "nacre run scene.yaml -o scene.nacre",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = import_command,
};

// ---- shapes and bodies --------------------------------------------------------------------------------------

// Bodies of one mesh and one stretch share a shape. Exporters round: scales of 0.5 and 0.50000003 are one.
static nc_code find_shape(nc_import *import, int mesh, const nc_gltf_transform *placement, int *out, nc_error *err)
{
    for (int i = 0; i < import->shape_count; i++)
        if (import->shapes[i].mesh == mesh &&
            nc_gltf_transform_same_stretch(&import->shapes[i].placement, placement, NC_IMPORT_SAME)) {
            *out = i;
            return NC_OK;
        }
    nc_import_shape *shape = &import->shapes[import->shape_count];
    *out = import->shape_count++;
    shape->mesh = mesh;
    shape->placement = *placement;
    double weight;
    const nc_code code = nc_gltf_mesh_appearance(import->gltf, mesh, &shape->appearance, &weight, err);
    if (code != NC_OK)
        return code;
    return nc_import_name(&import->shape_names, nc_gltf_mesh_name(import->gltf, mesh), "mesh", &shape->name, err);
}

static void record_doubtful(const nc_import *import, const nc_gltf_node *node, const nc_import_properties *properties)
{
    if (properties->doubtful[0] != '\0')
        nc_say(import->settings->quiet,
               "note: node \"%s\" has a custom property \"%s\", which is ignored. Did you mean \"%s\"?", node->name,
               properties->doubtful, nc_import_keys[properties->meant]);
}

// Vectors of custom properties are in the axes of the program that wrote the file.
static bool is_z_up(const nc_import *import)
{
    if (import->settings->up != NULL)
        return strcmp(import->settings->up, "z") == 0;
    return strstr(nc_gltf_generator(import->gltf), "Blender") != NULL;
}

static nc_code add_body(nc_import *import, int row, nc_error *err)
{
    const nc_gltf_node node = nc_gltf_node_view(import->gltf, row);
    nc_import_body *body = &import->bodies[import->body_count];
    nc_code code =
        nc_import_read_properties(import->gltf, row, import->source, is_z_up(import), &body->properties, err);
    if (code != NC_OK)
        return code;
    const char *type = body->properties.value[NC_IMPORT_TYPE];
    body->node = row;
    body->scripted = node.moves && (type[0] == '\0' || strcmp(type, "kinematic") == 0);
    if (body->scripted)
        nc_gltf_place(import->gltf, import->times[0], import->placed);
    const nc_gltf_transform *placement = body->scripted ? &import->placed[row] : &import->rest[row];
    if (nc_gltf_transform_is_gone(placement)) {
        nc_say(import->settings->quiet, "note: node \"%s\" is scaled to zero and left out", node.name);
        return NC_OK;
    }
    record_doubtful(import, &node, &body->properties);
    body->pose = placement->pose;
    code = find_shape(import, node.mesh, placement, &body->shape, err);
    if (code == NC_OK)
        code = nc_import_name(&import->body_names, node.name,
                              import->shape_names.name[import->shapes[body->shape].name], &body->name, err);
    import->body_count += code == NC_OK;
    return code;
}

static nc_code prepare(nc_import *import, nc_error *err)
{
    const size_t nodes = (size_t)nc_gltf_node_count(import->gltf) + 1;
    import->rest = calloc(nodes, sizeof *import->rest);
    import->placed = calloc(nodes, sizeof *import->placed);
    import->shapes = calloc(nodes, sizeof *import->shapes);
    import->bodies = calloc(nodes, sizeof *import->bodies);
    if (import->rest == NULL || import->placed == NULL || import->shapes == NULL || import->bodies == NULL)
        return nc_fail_memory(err, nodes * sizeof *import->bodies);
    nc_gltf_place(import->gltf, NAN, import->rest);
    if (import->settings->no_animation)
        return NC_OK;
    const nc_code code = nc_gltf_animate(import->gltf, import->settings->animation, err);
    return code == NC_OK ? nc_gltf_times(import->gltf, import->settings->rate, &import->times, &import->time_count, err)
                         : code;
}

static nc_code gather(nc_import *import, nc_error *err)
{
    nc_code code = prepare(import, err);
    for (int i = 0; i < nc_gltf_node_count(import->gltf) && code == NC_OK; i++) {
        const nc_gltf_node node = nc_gltf_node_view(import->gltf, i);
        if (node.shown && node.mesh >= 0)
            code = add_body(import, i, err);
    }
    if (code == NC_OK && import->body_count == 0)
        code = nc_fail_at(err, NC_BAD_FILE, import->source, 0, 0, "no node of its scene has a mesh");
    return code == NC_OK ? nc_import_gather_constraints(import, err) : code;
}

static void forget(nc_import *import)
{
    const nc_allocator memory = nc_allocator_default();
    nc_free(&memory, import->times, (size_t)import->time_count, sizeof *import->times);
    nc_names_free(&import->shape_names);
    nc_names_free(&import->body_names);
    nc_names_free(&import->joint_names);
    nc_array_free(&memory, &import->constraints);
    free(import->shapes);
    free(import->bodies);
    free(import->rest);
    free(import->placed);
    nc_gltf_close(import->gltf);
}

// ---- the command --------------------------------------------------------------------------------------------

// Where the scene is and where its meshes go.
static nc_exit find_places(nc_import *import)
{
    const char *output = import->settings->output, *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    const char *dot = strrchr(name, '.');
    if (strlen(output) >= sizeof import->folder - 8 ||
        (import->settings->meshes != NULL && strlen(import->settings->meshes) >= sizeof import->meshes))
        return nc_complain_usage("the path is too long: '%.200s...'", output);
    snprintf(import->folder, sizeof import->folder, "%.*s", (int)(name - output), output);
    const int stem = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (import->settings->meshes != NULL)
        snprintf(import->meshes, sizeof import->meshes, "%s", import->settings->meshes);
    else
        snprintf(import->meshes, sizeof import->meshes, "%.*s_meshes", stem, name);
    return NC_EXIT_DONE;
}

// Reads what was written: the scene reader has the last word on every key, and on who meets whom.
static nc_exit judge_scene(const nc_import_settings *settings)
{
    nc_error err = {0};
    nc_scene *scene = NULL;
    nc_model model = {NULL, NULL};
    const nc_scene_def def = {.path = settings->output};
    nc_code code = nc_scene_load(&def, &scene, &err);
    if (code == NC_OK)
        code = nc_scene_build(scene, NULL, &model, &err);
    nc_model_destroy(model);
    nc_scene_destroy(scene);
    if (code != NC_INTERSECTING)
        return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
    if (settings->repair)
        return nc_repair_in_place(settings->output, settings->quiet);
    fprintf(stderr, "warning: %s\n", err.text);
    nc_say(settings->quiet, "Such a scene does not run. To list all intersecting pairs: nacre check %s",
           settings->output);
    return NC_EXIT_DONE;
}

// glTF: every node with a mesh is a body.
static nc_exit import_layout(const char *path, const nc_import_settings *settings)
{
    nc_error err = {0};
    nc_import import = {.settings = settings, .source = path};
    const nc_exit places = find_places(&import);
    if (places != NC_EXIT_DONE)
        return places;
    char mesh[NC_IMPORT_PATH];
    nc_code code = nc_gltf_open(path, NULL, &import.gltf, &err);
    if (code == NC_OK)
        code = gather(&import, &err);
    if (code == NC_OK && !settings->force && nc_import_finds_mesh(&import, mesh)) {
        forget(&import);
        return nc_complain_usage("'%s' exists. Give another --meshes, or --force to overwrite it", mesh);
    }
    if (code == NC_OK)
        code = nc_import_write(&import, &err);
    if (code == NC_OK)
        nc_say(settings->quiet, "Wrote %s: %d bod%s of %d mesh%s in %s%s", settings->output, import.body_count,
               import.body_count == 1 ? "y" : "ies", import.shape_count, import.shape_count == 1 ? "" : "es",
               import.meshes[0] == '/' ? "" : import.folder, import.meshes);
    forget(&import);
    return code == NC_OK ? judge_scene(settings) : nc_complain(&err);
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcasecmp(text + length - end, ending) == 0;
}

// A robot, or a fixture of rigid-ipc.
static nc_exit import_mechanism(const char *path, const nc_import_settings *settings)
{
    nc_error err = {0};
    nc_import import = {.settings = settings, .source = path};
    const nc_exit places = find_places(&import);
    if (places != NC_EXIT_DONE)
        return places;
    const nc_code code = ends_with(path, ".json") ? nc_import_fixture(&import, &err) : nc_import_robot(&import, &err);
    return code == NC_OK ? judge_scene(settings) : nc_complain(&err);
}

static nc_exit check_robot_options(const char *path, const nc_import_settings *settings, bool robot)
{
    if (ends_with(path, ".xml") && settings->base != NULL)
        return nc_complain_usage("--base is for URDF: in MJCF a body that moves freely has a free joint");
    if (!robot && (settings->base != NULL || settings->hold))
        return nc_complain_usage("--base and --hold are for robots (.urdf, .xml)");
    if ((robot || ends_with(path, ".json")) &&
        (settings->up != NULL || settings->animation != NULL || settings->rate > 0 || settings->no_animation))
        return nc_complain_usage("--up, --animation, --no-animation and --rate are for glTF files");
    if (settings->base != NULL && strcmp(settings->base, "fixed") != 0 && strcmp(settings->base, "free") != 0)
        return nc_complain_usage("--base expects fixed or free, but '%s' was given", settings->base);
    return NC_EXIT_DONE;
}

static nc_exit import_arguments(const nc_words *arguments, void *ctx)
{
    const nc_import_settings *settings = ctx;
    if (settings->output == NULL)
        return nc_complain_usage("import needs --output: the scene file to write, such as scene.yaml");
    if (settings->up != NULL && strcmp(settings->up, "y") != 0 && strcmp(settings->up, "z") != 0)
        return nc_complain_usage("--up expects y or z, but '%s' was given", settings->up);
    if (settings->no_animation && (settings->animation != NULL || settings->rate > 0))
        return nc_complain_usage("--no-animation cannot be combined with --animation or --rate");
    if (!settings->force && access(settings->output, F_OK) == 0)
        return nc_complain_usage("'%s' exists. Give another name, or --force to overwrite it", settings->output);
    const bool robot = ends_with(arguments->items[0], ".urdf") || ends_with(arguments->items[0], ".xml") ||
                       ends_with(arguments->items[0], ".xacro");
    const nc_exit usage = check_robot_options(arguments->items[0], settings, robot);
    if (usage != NC_EXIT_DONE)
        return usage;
    if (robot || ends_with(arguments->items[0], ".json"))
        return import_mechanism(arguments->items[0], settings);
    return import_layout(arguments->items[0], settings);
}

static int import_command(const nc_command *command, int argc, char **argv)
{
    nc_import_settings settings = {0};
    return nc_command_work(command, argc, argv, &settings, import_arguments);
}
