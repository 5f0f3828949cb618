// A clip for the tests of exporters: things that tumble, come and go, with odd names. Include after check.h.
#ifndef NC_TESTS_CLIP_SAMPLE_H
#define NC_TESTS_CLIP_SAMPLE_H

#include "check.h"

#include "io/clip.h"

// ---- a sample clip: a bowl that stays, boats that tumble, a wire frame with a loose point ---------------------

#define SAMPLE_BOATS  20
#define SAMPLE_BODIES (SAMPLE_BOATS + 2)
#define SAMPLE_FRAMES 48

typedef struct sample {
    nc_mesh *meshes[4];
    nc_clip_body bodies[SAMPLE_BODIES];
    nc_clip clip;
    double spin;         // [rad] a frame
    double frame_step;   // [s]
    int64_t fail_frame;  // reading this frame fails
    double bad_position; // added to every position
} sample;

// Boat 3 vanishes at frame 10, boat 4 appears at frame 20, boat 5 is away from 5 to 8.
static inline bool sample_present(int body, int64_t frame)
{
    return !(body == 3 && frame >= 10) && !(body == 4 && frame < 20) && !(body == 5 && frame >= 5 && frame < 9);
}

static inline nc_code sample_read(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present,
                                  nc_error *err)
{
    const sample *s = ctx;
    if (frame == s->fail_frame)
        return nc_fail(err, NC_IO, "the reader was told to fail");
    *time = s->frame_step * (double)frame;
    for (int i = 0; i < s->clip.body_count; i++) {
        const double turn = i == 0 ? 0 : s->spin * (double)frame * (1 + 0.1 * i);
        double sine, cosine;
        nc_sincos(0.5 * turn, &sine, &cosine);
        poses[i].x = nc_v3(1.5 * (i % 5) + s->bad_position, i == 0 ? 0 : 2 + 0.1 * (double)frame, 1.5 * (i / 5));
        // as the solver might: of any length, and of either sign
        const double length = (i + frame) % 3 == 0 ? -2 : 1;
        poses[i].q = nc_q4(length * cosine, 0, length * 0.6 * sine, length * 0.8 * sine);
        present[i] = sample_present(i, frame);
    }
    return NC_OK;
}

// The body number is its speed along x; a body turns about y as often.
static inline nc_code sample_read_motion(void *ctx, nc_vec3 *velocities, nc_vec3 *spins, nc_error *err)
{
    const sample *s = ctx;
    (void)err;
    for (int i = 0; i < s->clip.body_count; i++) {
        velocities[i] = nc_v3(i, 0, 0);
        spins[i] = nc_v3(0, i, 0);
    }
    return NC_OK;
}

// Bodies 1 and 2 touch, and 1 and 0 nearly do.
static inline nc_code sample_read_contacts(void *ctx, const nc_clip_contact **out, int *out_count, nc_error *err)
{
    static const nc_clip_contact contacts[2] = {{1, 2, {0.5, 1.5, 2.5}, {0, 1, 0}, 0.001},
                                                {0, 1, {3, 4, 5}, {0, 0, -1}, 0.25}};
    (void)ctx;
    (void)err;
    *out = contacts;
    *out_count = 2;
    return NC_OK;
}

static inline nc_mesh *make_shape(const char *name)
{
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_shape_create(name, NULL, 0, NULL, &mesh, &err), err);
    return mesh;
}

static inline nc_mesh *make_wire(void)
{
    const nc_vec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0.5}};
    const int edges[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, point = 4;
    const nc_mesh_def def = {
        .vertices = vertices, .vertex_count = 5, .edges = edges, .edge_count = 4, .points = &point, .point_count = 1};
    nc_mesh *mesh = NULL;
    nc_error err;
    check_ok(nc_mesh_create(&def, NULL, &mesh, &err), err);
    return mesh;
}

static inline void sample_create(sample *s)
{
    memset(s, 0, sizeof *s);
    s->meshes[0] = make_shape("bowl");
    s->meshes[1] = make_shape("boat");
    s->meshes[2] = make_shape("boat"); // the same again: written once
    s->meshes[3] = make_wire();
    s->bodies[0] = (nc_clip_body){.name = "the \"bowl\"\\\n\xc3\xa9 \xff", .mesh = 0, .type = NC_STATIC};
    for (int i = 1; i <= SAMPLE_BOATS; i++)
        s->bodies[i] = (nc_clip_body){.name = i % 4 == 0   ? ""
                                              : i % 4 == 1 ? "boat"
                                              : i == 2     ? "other"
                                                           : NULL,
                                      .mesh = 1 + i % 2,
                                      .moving = true,
                                      .type = i == 6 ? NC_KINEMATIC : NC_DYNAMIC,
                                      .mass = i == 6 ? 0 : 2,
                                      .friction = i % 2 == 0 ? 0.25 : 0.5};
    s->bodies[SAMPLE_BODIES - 1] =
        (nc_clip_body){.name = "wire", .mesh = 3, .moving = true, .type = NC_DYNAMIC, .mass = 0.5};
    s->spin = 0.7;
    s->frame_step = 1 / 24.0;
    s->fail_frame = -1;
    s->clip = (nc_clip){.title = "sample",
                        .meshes = s->meshes,
                        .mesh_count = 4,
                        .bodies = s->bodies,
                        .body_count = SAMPLE_BODIES,
                        .frame_count = SAMPLE_FRAMES,
                        .read = sample_read,
                        .ctx = s};
}

static inline void sample_free(sample *s)
{
    for (int i = 0; i < 4; i++)
        nc_mesh_release(s->meshes[i]);
}

static inline nc_file_text read_back(const char *path)
{
    nc_file_text text;
    nc_error err;
    check_ok(nc_file_read(path, NULL, &text, &err), err);
    return text;
}

static inline int count_words(const char *text, size_t size, const char *word)
{
    int count = 0;
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        count += memcmp(text + i, word, length) == 0;
    return count;
}

#endif
