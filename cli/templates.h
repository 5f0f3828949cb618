// The scenes that `nacre new` writes: those of scenes/cookbook and scenes/demo/start.yaml, compiled in by
// cmake/NacreTemplates.cmake.
#ifndef NC_CLI_TEMPLATES_H
#define NC_CLI_TEMPLATES_H

typedef struct nc_template {
    const char *name;  // of its file, without the extension
    const char *title; // as the scene has it
    const char *text;  // of the scene file
} nc_template;

// A mesh file that scenes name as `file: NAME`; it is beside them.
typedef struct nc_template_mesh {
    const char *name;
    const char *text;
} nc_template_mesh;

// The first one is written when no template is named.
extern const nc_template nc_templates[];
extern const int nc_template_count;
extern const nc_template_mesh nc_template_meshes[];
extern const int nc_template_mesh_count;

#endif
