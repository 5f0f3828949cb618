// Pictures and films of runs (`nacre render`): colours, camera, samples, motion, pictures, films.
//
// Everything a picture shows is computed from the run, the settings and fixed tables of numbers; every pixel on its
// own. So the same picture has the same bytes for any number of threads.
#ifndef NC_RENDER_RENDER_H
#define NC_RENDER_RENDER_H

#include "nacre/nacre.h"

#include "motion/motion.h"
#include "reel/reel.h"

// ---- colours (colour.c) ------------------------------------------------------------------------------

typedef struct nc_rgb {
    float r, g, b; // linear light, 1 is white
} nc_rgb;

static inline nc_rgb nc_rgb_scale(float s, nc_rgb c)
{
    return (nc_rgb){s * c.r, s * c.g, s * c.b};
}
static inline nc_rgb nc_rgb_add(nc_rgb a, nc_rgb b)
{
    return (nc_rgb){a.r + b.r, a.g + b.g, a.b + b.b};
}
static inline nc_rgb nc_rgb_mul(nc_rgb a, nc_rgb b)
{
    return (nc_rgb){a.r * b.r, a.g * b.g, a.b * b.b};
}

// The colour of a body: what the viewer gives it (web/src/palette.ts).
nc_rgb nc_body_colour(int body, nc_body_type type);
// A colour of sRGB as light.
nc_rgb nc_rgb_of(const uint8_t color[3]);
// A name of a colour, "#rrggbb" or "rrggbb"; false when it is none of these.
bool nc_colour_read(const char *text, nc_rgb *out);

// The linear values at which bytes of sRGB change: byte k stands for [edge[k], edge[k + 1]).
typedef struct nc_tone {
    float edge[257];
} nc_tone;
void nc_tone_make(nc_tone *out);
// Light to a byte. Up to 0.8 light is kept, above it is bent so that nothing is cut off hard.
uint8_t nc_tone_byte(const nc_tone *tone, float light);

// ---- samples (sample.c) ------------------------------------------------------------------------------

#define NC_MAX_SAMPLES 4096
typedef enum nc_sample_use {
    NC_SAMPLE_PIXEL,
    NC_SAMPLE_KEY,
    NC_SAMPLE_SKY,
    NC_SAMPLE_TIME,
    NC_SAMPLE_LENS,
    NC_SAMPLE_TURN, // where a surface sends a ray on, the first time,
    NC_SAMPLE_TURN_AGAIN,
    NC_SAMPLE_COIN, // and whether it does
    NC_SAMPLE_USES
} nc_sample_use;

// Points in the unit square for each use, spread evenly: the same for every pixel but for a shift of its own.
typedef struct nc_samples {
    int count;
    uint32_t *points[NC_SAMPLE_USES]; // x, y, x, y, ...
} nc_samples;
nc_code nc_samples_make(int count, nc_samples *out, nc_error *err);
void nc_samples_free(nc_samples *samples);
// Sample `index` of a pixel into [0, 1) x [0, 1).
void nc_samples_take(const nc_samples *samples, int index, nc_sample_use use, uint32_t pixel, float out[2]);

// ---- motion (motion.c) -------------------------------------------------------------------------------

#define NC_MOTION_POSES 129 // what the ray tracer takes at most

// Where the bodies of a frame are while the shutter is open.
typedef struct nc_shot {
    nc_run_frame before; // the frame before; none for frame 0 or without shutter
    nc_run_frame frame;  // the one shown, which is where the shutter closes
    double shutter;      // [1] part of the time since the frame before, 0 .. 1
    nc_run_path *paths;  // of the steps between the two, one step after the other; none where the run stores none
    int *path_begin;     // [steps + 1] into them
    int path_steps;      // how many
    nc_run_joint *joints, *joints_before; // of the two frames; NULL where there are none
    int joint_count, joint_count_before;
} nc_shot;
nc_code nc_shot_read(nc_reel *reel, int64_t frame, double shutter, nc_shot *shot, nc_error *err);
void nc_shot_free(nc_reel *reel, nc_shot *shot);
// Poses of the frame's body in row `row`, evenly spaced in time from the opening of the shutter to its closing; as many
// as its turning asks for: 1 when it does not move. Returns how many.
int nc_shot_poses(const nc_shot *shot, int row, nc_pose out[NC_MOTION_POSES]);

// ---- camera (camera.c) -------------------------------------------------------------------------------

// Right-handed axes: `up` is against gravity, y when there is none.
typedef struct nc_axes {
    nc_vec3 right, up, front;
} nc_axes;
nc_axes nc_axes_of(nc_vec3 gravity);

typedef struct nc_camera {
    nc_vec3 eye;             // [m]
    nc_vec3 right, up, back; // unit vectors
    double wide, tall;       // tangents of half the angles of view
    double aperture;         // [m] radius of the lens; 0: everything is sharp
    double focus;            // [m] distance of what is sharp, along the line of sight
} nc_camera;

// What is to be in the picture, found by looking at frames.
typedef struct nc_subject {
    nc_vec3 middle; // [m] of the box around it
    double radius;  // [m] half the diagonal of that box
    double ground;  // [m] height of the ground along `up`
    bool on_plate;  // the ground is the top of static bodies (nc_subject_is_plate), which are not drawn themselves
    // For a camera that looks along -back: the largest values over all points of right + wide back, -right + wide back,
    // up + tall back, -up + tall back [m]. Whatever is to be in the picture is where these say.
    double reach[4];
} nc_subject;

// Which way the camera looks and how wide, but not from where. `request` has NaN where it does not matter.
nc_camera nc_camera_aim(const nc_scene_camera *request, const nc_axes *axes, double aspect);
// Examines frames `first`, ..., `last`, at most 24 of them.
nc_code nc_subject_find(nc_reel *reel, const nc_axes *axes, const nc_camera *aim, int64_t first, int64_t last,
                        nc_subject *out, nc_error *err);
// Is a body one of those that the ground stands for? Static, flat, level, larger than the subject, at its height, and
// without a colour or a material of its own.
bool nc_subject_is_plate(const nc_subject *subject, const nc_axes *axes, const nc_run_body *body, const nc_mesh *mesh,
                         nc_pose pose);
// The request at a time [s], along its keyframes: smooth between them, still before the first and after the last.
nc_scene_camera nc_camera_request_at(const nc_scene_camera *request, double time);
// The request, gone around the subject by an angle [degree] about `up`.
nc_scene_camera nc_camera_request_around(const nc_scene_camera *request, const nc_axes *axes, const nc_subject *subject,
                                         double angle);
// Where a camera stands that moves: as far from the middle of the subject as shows a ball around it from all sides,
// unless `request` says where. The aim must be that of `request`.
void nc_camera_place_moving(nc_camera *camera, const nc_scene_camera *request, const nc_axes *axes,
                            const nc_subject *subject);
// From where all of the subject is in the picture, or from where `request` says.
void nc_camera_place(nc_camera *camera, const nc_scene_camera *request, const nc_axes *axes, const nc_subject *subject);

// ---- pictures (stage.c, mesh.c, shade.c, denoise.c) -------------------------------------------------

typedef struct nc_picture {
    int width, height;
    uint8_t *rgb; // rows from the top, 3 bytes per pixel
} nc_picture;

// Of each pixel, the means over its samples; rows from the top.
typedef struct nc_layers {
    nc_rgb *light;
    nc_rgb *colour;  // of what was found, after all surfaces that sent a ray on
    nc_rgb *normal;  // of the same, x y z
    float *variance; // of the mean brightness of the light
} nc_layers;
nc_code nc_layers_make(int width, int height, nc_layers *out, nc_error *err);
void nc_layers_free(nc_layers *layers);
// Takes the noise out of the light (denoise.c).
nc_code nc_layers_denoise(nc_layers *layers, int width, int height, int threads, nc_error *err);

typedef struct nc_look {
    nc_rgb background;
    bool ground;
    bool denoise;
    int samples;
    int threads;
    bool (*stops)(void); // asked by all threads while a picture is drawn: true gives it up; NULL: never
} nc_look;

// Meshes in the ray tracer, shared by all frames.
typedef struct nc_stage nc_stage;
nc_code nc_stage_create(const nc_reel *reel, nc_stage **out, nc_error *err);
void nc_stage_destroy(nc_stage *stage); // NULL is allowed
// Puts the bodies of a shot on the stage, but for plates when there is a ground. Coordinates are float32, relative to
// the middle of the subject.
nc_code nc_stage_place(nc_stage *stage, const nc_shot *shot, const nc_axes *axes, const nc_subject *subject,
                       bool ground, nc_error *err);

// Called between bands of a picture; false stops it.
typedef bool (*nc_render_watch)(void *ctx, double part);
// Draws what is on the stage; a picture that `watch` or `look->stops` stopped is not complete.
nc_code nc_stage_draw(const nc_stage *stage, const nc_camera *camera, const nc_axes *axes, const nc_subject *subject,
                      const nc_look *look, nc_picture *out, nc_render_watch watch, void *ctx, nc_error *err);

// ---- passes (passes.c) --------------------------------------------------------------------------------------

typedef enum nc_pass { NC_PASS_DEPTH, NC_PASS_ID, NC_PASS_NORMAL, NC_PASS_ALBEDO, NC_PASS_COUNT } nc_pass;

typedef struct nc_pass_info {
    const char *name;
    const char *extension; // of its files
    int channels;
    const char *about;
} nc_pass_info;
const nc_pass_info *nc_pass_view(nc_pass pass);
// "depth,id": false when one of them is none.
bool nc_passes_read(const char *text, bool out[NC_PASS_COUNT]);

typedef struct nc_floats {
    int width, height, channels;
    float *data; // rows from the top
} nc_floats;
// Fills `out`, whose `data` has room for 3 channels, with what is on the stage.
void nc_stage_scan(const nc_stage *stage, const nc_camera *camera, nc_pass pass, int threads, nc_floats *out);

// ---- files (png.c, exr.c, film.c) --------------------------------------------------------------------

// 32-bit floats; one channel is Y, three are R, G, B.
nc_code nc_exr_write(const nc_floats *picture, const char *path, nc_error *err);
// One channel of whole numbers up to 65535, as 16-bit grey.
nc_code nc_png_write_wholes(const nc_floats *picture, const char *path, nc_error *err);
nc_code nc_png_write(const nc_picture *picture, const char *path, nc_error *err);

// Frames on their way into ffmpeg.
typedef struct nc_film {
    char path[1024], temporary[1100];
    int pipe;
    long process;
} nc_film;
nc_code nc_film_open(const char *path, int width, int height, double rate, nc_film *out, nc_error *err);
nc_code nc_film_add(nc_film *film, const nc_picture *picture, nc_error *err);
// Waits for ffmpeg; the film appears under its name. With `keep` false it is thrown away.
nc_code nc_film_close(nc_film *film, bool keep, nc_error *err);

#endif
