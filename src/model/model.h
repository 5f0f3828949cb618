// The table of functions of a kind of model, and what the rest of the library uses of a model beyond nacre/model.h.
//
// rigid.c and cloth.c fill a table each. The folders above take an nc_model and call the functions below; a third kind
// is a third table.
#ifndef NC_MODEL_MODEL_H
#define NC_MODEL_MODEL_H

#include "nacre/model.h"

#include "nacre/fracture.h"

#include "base/base.h"
#include "motion/motion.h"

// A sentence about the start: a note, or with `warning` that it may not be what was meant.
typedef void (*nc_model_listener)(bool warning, const char *text, void *ctx);

// ---- a kind of model ----------------------------------------------------------------------------------------

// Contracts are those of the functions nc_model_... of the same name. `self` is the world. A function that is NULL: the
// model does not have the feature.
typedef struct nc_model_kind {
    int first_pipeline, pipeline_count; // rows of nc_pipeline_names that name it
    bool deforms;                       // bodies are placed vertex by vertex
    bool has_cloth;                     // nc_model_report.has_cloth

    // An empty one, for nc_model_restore with the meshes of the snapshot. NULL: snapshots leave out what never changes,
    // and go back into a model of the same scene.
    nc_code (*create)(int workers, const nc_allocator *allocator, void **out, nc_error *err);
    void (*destroy)(void *self);
    int (*pipeline)(const void *self); // row of nc_pipeline_names
    int64_t (*step_count)(const void *self);
    double (*time)(const void *self);
    nc_vec3 (*gravity)(const void *self);

    nc_code (*check_distances)(void *self, nc_body_id *out_second, nc_error *err); // may be NULL
    nc_code (*report_start)(void *self, double dt, nc_model_listener on_message, void *ctx,
                            nc_error *err); // may be NULL
    nc_code (*step)(void *self, double dt, nc_model_report *report, nc_error *err);
    nc_code (*measure)(const void *self, nc_model_report *report, nc_error *err);
    void (*set_interrupt)(void *self, bool (*asked)(void *ctx), void *ctx);         // may be NULL
    void (*set_share)(void *self, nc_share *share);                                 // may be NULL
    void (*forget_caches)(void *self);                                              // NULL where set_share is
    bool (*jammed)(const void *self, double *out_time, char *out, size_t out_size); // may be NULL
    void (*trace_merit)(void *self, bool on);                                       // may be NULL
    int (*merit)(const void *self, double *out, int capacity);                      // NULL where trace_merit is

    void (*trace_contacts)(void *self, bool on);                            // may be NULL
    bool (*traces_contacts)(const void *self);                              // NULL where trace_contacts is
    int (*contacts)(const void *self, nc_contact_point *out, int capacity); // NULL where trace_contacts is
    bool (*path)(const void *self, nc_body_id body, nc_path *out);          // NULL where trace_contacts is

    nc_code (*audit)(const void *self, nc_overlap *out, int capacity, int *out_count, nc_error *err);
    void (*trace_audit)(void *self, bool on); // may be NULL
    nc_code (*audit_step)(const void *self, const nc_model_report *report, nc_error *err);

    int (*bodies)(const void *self, nc_body_id *out, int capacity);
    nc_code (*read_body)(const void *self, nc_body_id body, nc_model_body *out, nc_error *err);
    nc_code (*read_vertices)(const void *self, nc_body_id body, nc_vec3 *out_positions, nc_vec3 *out_velocities,
                             nc_error *err);      // NULL unless it deforms
    int64_t (*moving_vertices)(const void *self); // NULL unless it deforms
    int (*mesh_count)(const void *self);
    nc_code (*make_mesh)(const void *self, int row, const nc_allocator *allocator, nc_mesh **out, nc_error *err);
    nc_code (*add_mesh)(void *self, nc_mesh *mesh, nc_error *err);                       // NULL where `create` is
    int (*exempt_pairs)(const void *self, int pair, nc_body_id out[2]);                  // may be NULL
    nc_body_id (*cluster)(const void *self, nc_body_id body);                            // may be NULL
    nc_body_id (*blocker)(const void *self, nc_body_id body);                            // may be NULL
    int (*fractures)(const void *self, int first, nc_fracture_event *out, int capacity); // may be NULL
    int (*pieces)(const void *self, int event, nc_body_id *out, int capacity);           // NULL where `fractures` is

    uint64_t (*hash)(const void *self);
    nc_code (*save)(const void *self, nc_buffer *out, nc_error *err);
    nc_code (*restore)(void *self, const void *bytes, size_t size, nc_error *err);
} nc_model_kind;

extern const nc_model_kind nc_model_rigid, nc_model_fabric; // rigid.c, cloth.c
// The kind with a pipeline of that name; rigid bodies for a name that nobody has.
const nc_model_kind *nc_model_kind_of(const char *pipeline);
// An empty model of a kind that has `create`.
nc_code nc_model_create(const nc_model_kind *kind, int workers, const nc_allocator *allocator, nc_model *out,
                        nc_error *err);

// ---- reports (report.c) -------------------------------------------------------------------------------------

// A table of rows and where its struct is in nc_model_report.
typedef struct nc_report_table {
    const nc_report_field *rows;
    int count;
    size_t offset;
} nc_report_table;
enum { NC_REPORT_TABLES = 2 };
// Table 0: the rows of nacre/report.def, which all models have; 1: those of nacre/cloth_report.def.
nc_report_table nc_report_table_of(int table);
// How many of them a report fills.
static inline int nc_report_table_count(bool has_cloth)
{
    return has_cloth ? NC_REPORT_TABLES : 1;
}
// The struct that the rows of a table describe.
const void *nc_report_part(const nc_model_report *report, int table);
void *nc_report_part_to_fill(nc_model_report *report, int table);
// Copies to `cloth` what it has in common with `common`, and what no row of its own table describes.
void nc_model_report_share(nc_model_report *report);
// Adds the next step's report to a sum, by the rules of the rows.
void nc_model_report_add(nc_model_report *sum, const nc_model_report *next);

// ---- calls --------------------------------------------------------------------------------------------------

int nc_model_body_count(nc_model model);
// Vertices that frames have one by one: of bodies that are not static, in a model that deforms.
int64_t nc_model_moving_vertices(nc_model model);
// NC_INTERSECTING, in a sentence with elements and place, when two bodies share a point or all but touch; *out_second
// is the second of them.
nc_code nc_model_check(nc_model model, nc_body_id *out_second, nc_error *err);
// Reports notes and warnings about the start and its settings, for steps of dt [s].
nc_code nc_model_report_start(nc_model model, double dt, nc_model_listener on_message, void *ctx, nc_error *err);
// As nc_world_set_interrupt; a model whose steps cannot be interrupted continues to the end of the step.
void nc_model_set_interrupt(nc_model model, bool (*asked)(void *ctx), void *ctx);
// From now on steps and audits are those of several ranks that all make the same calls (base/share.h); NULL: of this
// one. False when the model cannot be shared.
bool nc_model_set_share(nc_model model, nc_share *share);
// Forgets what only saves time, as if the state had been restored: ranks that share work start with the same.
void nc_model_forget_caches(nc_model model);
// True when the last step failed with NC_JAMMED and no later step can succeed: the run ends there. The time [s] and a
// sentence with the position. False: NC_JAMMED is an error like others.
bool nc_model_jammed(nc_model model, double *out_time, char *out, size_t out_size);
// As nc_world_trace_merit; false when the model has no merit function. nc_model_merit: as nc_world_merit.
bool nc_model_trace_merit(nc_model model, bool on);
int nc_model_merit(nc_model model, double *out, int capacity);

// As nc_world_trace_contacts; false when the model has no contacts and no paths of bodies to tell of.
bool nc_model_trace_contacts(nc_model model, bool on);
bool nc_model_traces_contacts(nc_model model);
int nc_model_contacts(nc_model model, nc_contact_point *out, int capacity); // nc_world_contacts
// The certified motion of a living body in the last step. False when there is none: bodies were made, destroyed or
// placed since.
bool nc_model_path(nc_model model, nc_body_id body, nc_path *out);

// From now on nc_model_audit_step may be called after steps.
void nc_model_trace_audit(nc_model model, bool on);
// Tests the motion of the last step, whose report is given. NC_BROKEN_PROMISE says what crossed.
nc_code nc_model_audit_step(nc_model model, const nc_model_report *report, nc_error *err);

int nc_model_mesh_count(nc_model model);
// The mesh of a row; of what deforms as it is now. Release it.
nc_code nc_model_make_mesh(nc_model model, int row, const nc_allocator *allocator, nc_mesh **out, nc_error *err);
// Puts a mesh behind the others, for nc_model_restore; models that are never empty have theirs already.
nc_code nc_model_add_mesh(nc_model model, nc_mesh *mesh, nc_error *err);
// How many pairs are exempt; the bodies of number `pair` ({0, 0} where there is none any more) when there is one.
int nc_model_exempt_pairs(nc_model model, int pair, nc_body_id out[2]);
nc_body_id nc_model_cluster(nc_model model, nc_body_id body);                            // nc_body_cluster
nc_body_id nc_model_blocker(nc_model model, nc_body_id body);                            // nc_body_blocker
int nc_model_fractures(nc_model model, int first, nc_fracture_event *out, int capacity); // nc_world_fractures
int nc_model_fracture_pieces(nc_model model, int event, nc_body_id *out, int capacity);  // nc_world_fracture_pieces

// ---- what is said about a start (start_questions.c, start_check.c) ------------------------------------------------

typedef struct nc_start_listener {
    nc_model_listener on_message;
    void *ctx;
} nc_start_listener;
// A formatted sentence for the listener.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void nc_start_say(const nc_start_listener *to, bool warning, const char *format, ...);
// Asks about masses that look wrong by orders of magnitude: in most cases a mesh in other units.
void nc_start_ask_masses(const nc_world *world, const nc_start_listener *to);
// Names bodies whose own surface crosses itself: no danger for contact, but for their mass.
void nc_start_tell_self_intersections(const nc_world *world, const nc_start_listener *to);

// ---- words --------------------------------------------------------------------------------------------------

// "triangle 12" or "edge 3" or "point 0" into `out`; returns `out`.
const char *nc_element_text(nc_element kind, int element, char *out, size_t out_size);

#endif
