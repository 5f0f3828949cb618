// Run files from the inside: what the files of this folder share. Users see nacre/run.h alone.
//
// Invariants of a run file (docs/run-file.md says the same to readers):
//   1. A frame, its poses, its report and the bodies born or gone with it are one transaction.
//   2. Every row has in its last column `sum` the hash of its other columns; a frame's covers its poses.
//   3. Row 1 of `progress` counts the rows of the other tables, so that a lost row is noticed.
//   4. Frames never change once stored.
//   5. One process appends at a time: it holds the lock file beside the run.
#ifndef NC_RUN_RUN_H
#define NC_RUN_RUN_H

#include "nacre/run.h"

#include "base/base.h"
#include "model/model.h"

#include <limits.h>
#include <sqlite3.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#define NC_RUN_APPLICATION_ID     0x4e637265 // "Ncre"
#define NC_RUN_FORMAT_VERSION     1
#define NC_RUN_DEFAULT_CHECKPOINT 24 // frames

// Statements, prepared when first used. Their text is in schema.c.
typedef enum nc_sql {
    NC_SQL_INSERT_RUN,
    NC_SQL_SELECT_RUN,
    NC_SQL_REPLACE_PROGRESS,
    NC_SQL_SELECT_PROGRESS,
    NC_SQL_INSERT_MESH,
    NC_SQL_SELECT_MESH,
    NC_SQL_REPLACE_BODY,
    NC_SQL_SELECT_BODY,
    NC_SQL_SELECT_BODIES,
    NC_SQL_INSERT_APPEARANCE,
    NC_SQL_SELECT_APPEARANCE,
    NC_SQL_SELECT_APPEARANCES,
    NC_SQL_INSERT_EXEMPT,
    NC_SQL_SELECT_EXEMPT,
    NC_SQL_INSERT_FRAME,
    NC_SQL_SELECT_FRAME,
    NC_SQL_FRAME_OF_STEP,
    NC_SQL_INSERT_POSE,
    NC_SQL_SELECT_POSES,
    NC_SQL_INSERT_REPORT,
    NC_SQL_SELECT_REPORT,
    NC_SQL_INSERT_EVENT,
    NC_SQL_SELECT_EVENT,
    NC_SQL_INSERT_CLUSTER,
    NC_SQL_SELECT_CLUSTERS,
    NC_SQL_INSERT_FRACTURE,
    NC_SQL_SELECT_FRACTURE,
    NC_SQL_INSERT_PIECE,
    NC_SQL_SELECT_PIECES,
    NC_SQL_REPLACE_CHECKPOINT,
    NC_SQL_DELETE_CHECKPOINTS,
    NC_SQL_SELECT_CHECKPOINTS,
    NC_SQL_INSERT_SHAPE,
    NC_SQL_SELECT_SHAPES,
    NC_SQL_INSERT_CONTACT,
    NC_SQL_SELECT_CONTACTS,
    NC_SQL_INSERT_PATH,
    NC_SQL_SELECT_PATHS,
    NC_SQL_INSERT_JOINT,
    NC_SQL_SELECT_JOINTS,
    NC_SQL_INSERT_CLOTH,
    NC_SQL_SELECT_CLOTH,
    NC_SQL_COUNT
} nc_sql;

// The row of `progress`.
typedef struct nc_run_progress {
    int64_t mesh_count, body_count, exempt_count, frame_count, event_count, cluster_count;
    int64_t fracture_count, piece_count;
    int64_t contact_count, path_count; // rows
    int64_t last_step;
    bool finished;
} nc_run_progress;

// The row of `run`. Texts are borrowed from the statement or from the definition.
typedef struct nc_run_head {
    const char *title, *scene_path, *scene;
    double timestep;
    const char *pipeline;
    int64_t steps_wanted;
    int64_t output_every, checkpoint_every;
    int64_t store; // NC_STORE_... flags
} nc_run_head;

// Contacts and paths of steps since the last frame. Bodies that no frame has yet are known by their handles.
typedef struct nc_run_seen {
    nc_body_id handle;
    int id; // -1: not stored when it was seen
} nc_run_seen;
typedef struct nc_run_kept_contact {
    int64_t step;
    nc_run_seen a, b;
    nc_contact_point point;
} nc_run_kept_contact;
typedef struct nc_run_kept_path {
    int64_t step;
    nc_run_seen body;
    nc_path path;
} nc_run_kept_path;

// A body as the writer and nc_run_pair_matters know it. Row i is body i.
typedef struct nc_run_entry {
    nc_body_id handle;
    nc_body_type type;
    int64_t born_step, gone_step; // gone_step -1: there
    int64_t seen_step;            // the last step at which the writer met it
    bool cloth;                   // its vertices move by themselves
} nc_run_entry;

typedef struct nc_run_pair {
    int a, b; // a < b
} nc_run_pair;

// Bodies and exempt pairs in memory: loaded when first needed, again after a failed transaction or new frames.
typedef struct nc_registry {
    bool loaded;
    int64_t frame_count; // of the file when it was loaded
    bool has_cloth;      // then only pairs with a cloth matter
    NC_ARRAY(nc_run_entry) bodies;
    NC_ARRAY(nc_run_pair) exempt; // sorted
    NC_ARRAY(int) id_of_slot;     // world slot -> the last body that had it, -1: none
} nc_registry;

// Pages of the file as they were read last, one per level of the tree of poses (pages.c).
enum { NC_RUN_PAGE_LEVELS = 8 };
typedef struct nc_run_pages {
    bool off;                           // poses are read by SQL alone
    sqlite3_file *file;                 // SQLite's
    int64_t root;                       // page of the table; pages are counted from 1
    size_t size;                        // [bytes] of a page
    uint32_t usable;                    // [bytes] of it that have content
    uint8_t *memory;                    // of NC_RUN_PAGE_LEVELS pages; NULL: not opened yet
    int64_t loaded[NC_RUN_PAGE_LEVELS]; // the page that each holds; 0: none
} nc_run_pages;

struct nc_run {
    nc_allocator allocator;
    sqlite3 *db;
    sqlite3_stmt *statements[NC_SQL_COUNT];
    nc_run_mode mode;
    bool has_appearances; // the file has that table
    bool has_joints;      // the same, as nc_schema_find_joints saw it
    int lock;             // file descriptor, -1: none
    char path[PATH_MAX];  // of the run file, links resolved
    char *scene;          // nc_run_scene_text's; NULL until asked for
    size_t scene_size;
    int64_t checkpoint_every;
    unsigned store;                              // NC_STORE_... flags
    int64_t recorded_step;                       // the last one that nc_run_record_step was called for; -1: none
    NC_ARRAY(nc_run_kept_contact) kept_contacts; // for the next frame
    NC_ARRAY(nc_run_kept_path) kept_paths;
    NC_ARRAY(nc_contact_point) points; // of one step
    const nc_model_kind *kind;         // of its models; NULL: not looked up yet (nc_run_kind)
    nc_registry registry;
    NC_ARRAY(nc_body_id) handles; // of the model's bodies, while a frame is stored
    NC_ARRAY(nc_run_pose) poses;  // of the frame being stored
    NC_ARRAY(nc_run_shape) first; // of what deforms: shapes as the meshes have them, by row; filled when needed
    NC_ARRAY(nc_vec3) velocities; // of the vertices of a body, while a frame is stored
    nc_run_pages pages;
};

// ---- sqlite.c: connections, statements, errors ------------------------------------------------------------------

// What was going on ("storing a frame") and what SQLite says of it, as an error with the file's name. Full disks,
// damage, locks and missing memory get their own sentences and codes.
nc_code nc_sql_fail(nc_run *run, const char *doing, nc_error *err);
nc_code nc_sql_open(nc_run *run, const char *path, int flags, bool immutable, nc_error *err);
nc_code nc_sql_exec(nc_run *run, const char *sql, const char *doing, nc_error *err);
// The first column of the first row as an integer or a text (cut to fit).
nc_code nc_sql_query_int(nc_run *run, const char *sql, int64_t *out, nc_error *err);
nc_code nc_sql_query_text(nc_run *run, const char *sql, char *out, size_t out_size, nc_error *err);
nc_code nc_sql_begin(nc_run *run, nc_error *err);
// Commits when `code` is NC_OK, else rolls back; returns `code`, or the commit's error.
nc_code nc_sql_end(nc_run *run, nc_code code, nc_error *err);
// Finalises all statements and closes the connection.
void nc_sql_close(nc_run *run);

// ---- row.c: rows with a checksum ---------------------------------------------------------------------------------

// A cursor on a statement: values are put or taken from left to right, and hashed on the way.
typedef struct nc_row {
    nc_run *run;
    sqlite3_stmt *stmt;
    int column;
    int code; // SQLite's, of the first bind that failed
    uint64_t sum;
    bool bad; // a value of the wrong type was taken
} nc_row;

nc_code nc_row_open(nc_run *run, nc_sql which, nc_row *out, nc_error *err);
void nc_row_put_int(nc_row *row, int64_t value);
void nc_row_put_real(nc_row *row, double value); // -0.0 is stored as 0.0, NaN as NULL
void nc_row_put_text(nc_row *row, const char *text);
void nc_row_put_blob(nc_row *row, const void *bytes, size_t size);
// Binds the sum as the last parameter and runs the statement.
nc_code nc_row_write(nc_row *row, const char *doing, nc_error *err);

// Binds a key; not hashed.
void nc_row_bind(nc_row *row, int64_t key);
// Steps to the next row; `*found` false at the end, and then the statement is free again.
nc_code nc_row_next(nc_row *row, bool *found, const char *doing, nc_error *err);
int64_t nc_row_take_int(nc_row *row);
double nc_row_take_real(nc_row *row);
const char *nc_row_take_text(nc_row *row); // borrowed until the next step; never NULL
const void *nc_row_take_blob(nc_row *row, size_t *size);
// Compares the sum in the last column. NC_BAD_FILE: "<what> <number> is damaged".
nc_code nc_row_check(nc_row *row, const char *what, int64_t number, nc_error *err);
void nc_row_close(nc_row *row);

// ---- schema.c ----------------------------------------------------------------------------------------------------

nc_code nc_schema_create(nc_run *run, nc_error *err);
// NC_BAD_FILE unless the application id and the format version are ours.
// The table of joints: is it there, and there it shall be.
nc_code nc_schema_find_joints(nc_run *run, nc_error *err);
nc_code nc_schema_add_joints(nc_run *run, nc_error *err);
// Stores what joints did, in the table joint.
nc_code nc_run_write_joints(nc_run *run, nc_model model, int64_t frame, nc_error *err);
// Adds the table of appearances to a file from before it.
nc_code nc_schema_add_appearances(nc_run *run, nc_error *err);
nc_code nc_schema_check(nc_run *run, nc_error *err);
const char *nc_schema_sql(nc_sql which);

nc_code nc_run_write_head(nc_run *run, const nc_run_head *head, nc_error *err);
// Texts are borrowed from `row`: close it when done.
nc_code nc_run_read_head(nc_run *run, nc_row *row, nc_run_head *out, nc_error *err);
nc_code nc_run_write_progress(nc_run *run, const nc_run_progress *progress, nc_error *err);
nc_code nc_run_read_progress(nc_run *run, nc_run_progress *out, nc_error *err);

// ---- file.c: names, locks, existence -----------------------------------------------------------------------------

// "<path><suffix>" into `out` (PATH_MAX); false when it does not fit.
bool nc_run_sibling(const char *path, const char *suffix, char *out);
nc_code nc_run_resolve(nc_run *run, const char *path, nc_error *err);
// Takes the lock beside the run file. NC_IO when another writer has it.
nc_code nc_run_lock(nc_run *run, nc_error *err);
void nc_run_unlock(nc_run *run);
// True when a file is there; `*out_is_run` when it is empty or carries our application id.
bool nc_run_file_exists(const char *path, bool *out_is_run);
// Puts the finished file `from` in the place of run->path, durably.
nc_code nc_run_publish(nc_run *run, const char *from, nc_error *err);
// Removes a database and what SQLite keeps beside it.
void nc_run_remove(const char *path);

// ---- open.c ------------------------------------------------------------------------------------------------------

nc_run *nc_run_alloc(const nc_allocator *allocator, nc_run_mode mode);
void nc_run_free(nc_run *run);
// Opens run->path for appending; the lock is held already.
nc_code nc_run_connect_writer(nc_run *run, bool look_at_all, nc_error *err);

// ---- registry.c --------------------------------------------------------------------------------------------------

nc_code nc_registry_load(nc_run *run, nc_error *err);
void nc_registry_free(nc_run *run);
// Drops what is in memory, so that it is loaded again when needed.
void nc_registry_forget(nc_run *run);
// Fills run->handles from the model.
nc_code nc_run_list_bodies(nc_run *run, nc_model model, nc_error *err);
// The body that a handle means, -1 when the file does not know it.
int nc_registry_find(const nc_registry *registry, nc_body_id handle);
// Stores meshes, bodies and exempt pairs that are new in `model`, and marks bodies that are gone. Needs run->handles;
// changes `progress`.
nc_code nc_registry_update(nc_run *run, nc_model model, nc_run_progress *progress, nc_error *err);

// A row of `body`.
typedef struct nc_run_body_row {
    int64_t id;
    const char *name;
    int type; // nc_body_type; -1: unknown
    bool cloth;
    int64_t mesh;
    double mass, friction, restitution;
    int64_t born_step, gone_step, slot, generation;
} nc_run_body_row;
nc_code nc_run_write_body(nc_run *run, const nc_run_body_row *body, nc_error *err);

// ---- appearance.c ------------------------------------------------------------------------------------------------

// Stores how a body looks; nothing when nothing is said.
nc_code nc_run_write_appearance(nc_run *run, int64_t body, const nc_appearance *appearance, nc_error *err);
nc_code nc_run_read_appearance(nc_run *run, int body, nc_appearance *out, nc_error *err);
// Reads all rows; `take` may be NULL.
typedef nc_code (*nc_appearance_taker)(nc_run *run, int64_t body, const nc_appearance *appearance, void *ctx,
                                       nc_error *err);
nc_code nc_run_each_appearance(nc_run *run, nc_appearance_taker take, void *ctx, nc_error *err);
// Gives the bodies of a restored model what the file says of them: snapshots have no appearances.
nc_code nc_run_restore_appearances(nc_run *run, nc_model model, nc_error *err);

// ---- frame.c -----------------------------------------------------------------------------------------------------

// The current state of the model as frame number `frame`. Needs run->handles, all of them known, with their meshes
// stored. Borrows run->poses; its shapes are the caller's to free, also on error (nc_run_free_shapes).
nc_code nc_run_gather(nc_run *run, nc_model model, int64_t frame, nc_run_frame *out, nc_error *err);
// The sum of a frame row and its poses: by bits, so that equal sums mean the same frame.
uint64_t nc_run_frame_sum(const nc_run_frame *frame);

// ---- pages.c: poses without SQL ----------------------------------------------------------------------------------

// Fills the poses of `frame`, whose number and pose_count are known, from pages of the file. False: by SQL, please.
// True is a proposal: the caller compares the sum, and forgets the pages when it does not fit.
bool nc_run_pages_read(nc_run *run, nc_run_frame *frame);
void nc_run_pages_forget(nc_run *run);
void nc_run_pages_close(nc_run *run); // poses are read by SQL from then on
// Stores a frame's row, its poses and its shapes.
nc_code nc_run_write_frame(nc_run *run, const nc_run_frame *content, nc_error *err);

// ---- cluster.c ---------------------------------------------------------------------------------------------------

// Stores who was joined with whom in the model's last step. Needs run->handles, all of them known; changes `progress`.
nc_code nc_run_write_clusters(nc_run *run, nc_model model, int64_t frame, nc_run_progress *progress, nc_error *err);

// ---- fracture.c --------------------------------------------------------------------------------------------------

// Stores what broke in the model after step `since`. Needs a registry that knows all living bodies; changes `progress`.
nc_code nc_run_write_fractures(nc_run *run, nc_model model, int64_t frame, int64_t since, nc_run_progress *progress,
                               nc_error *err);

// ---- record.c ----------------------------------------------------------------------------------------------------

// Stores what nc_run_record_step kept as rows of a frame. Needs a registry that knows all living bodies; changes
// `progress`.
nc_code nc_run_write_records(nc_run *run, int64_t frame, nc_run_progress *progress, nc_error *err);
// Drops it: it is stored, or was before.
void nc_run_drop_records(nc_run *run);
void nc_run_free_records(nc_run *run);
// The path as the core has it.
nc_path nc_run_path_motion(const nc_run_path *path);

// ---- report.c ----------------------------------------------------------------------------------------------------

// Appends the columns of `report` (table 0; after `frame` and `steps`), or of `cloth` (1; after `frame`), as a table in
// Markdown. False when out of memory. (document.c)
bool nc_run_write_column_table(nc_buffer *out, int table);
// Stores one row per table for the steps of a frame; without reports, what the model is measured to have.
nc_code nc_run_write_report(nc_run *run, nc_model model, int64_t frame, const nc_model_report *reports,
                            int report_count, nc_error *err);

// ---- append.c ----------------------------------------------------------------------------------------------------

// The kind of model that the run is of: by its pipeline.
const nc_model_kind *nc_run_kind(nc_run *run);

// ---- shape.c -----------------------------------------------------------------------------------------------------

// Adds the shape of a body to a frame that is being gathered, unless it is as its mesh has it, which must be stored
// already. *out_velocity: the mean of its vertices' [m/s].
nc_code nc_run_gather_shape(nc_run *run, nc_model model, nc_body_id handle, int id, const nc_model_body *body,
                            nc_run_frame *frame, nc_vec3 *out_velocity, nc_error *err);
nc_code nc_run_write_shape(nc_run *run, int64_t frame, const nc_run_shape *shape, nc_error *err);
// Reads the shapes of frame->frame; nothing in runs in which nothing deforms.
nc_code nc_run_read_shapes(nc_run *run, nc_run_frame *frame, nc_error *err);
void nc_run_free_shapes(nc_run *run, nc_run_frame *frame);
void nc_run_forget_first(nc_run *run);

// ---- read.c ------------------------------------------------------------------------------------------------------

// Copies what fits, never half of a UTF-8 character.
void nc_run_copy_text(char *out, size_t out_size, const char *text);

// ---- mesh.c, checkpoint.c ----------------------------------------------------------------------------------------

nc_code nc_run_write_mesh(nc_run *run, const nc_mesh *mesh, int64_t row, nc_error *err);
nc_code nc_run_write_checkpoint(nc_run *run, nc_model model, int64_t frame, nc_error *err);
// Packs bytes by zstd where that is smaller; the name of the packing. NULL when out of memory.
const char *nc_run_pack(const void *bytes, size_t size, nc_buffer *out);
// The other way. NC_BAD_FILE without a sentence when they are no such thing, NC_OUT_OF_MEMORY.
nc_code nc_run_unpack(const char *packing, const void *bytes, size_t byte_count, int64_t size, nc_buffer *out);
// Reads every checkpoint there is; used by nc_run_verify.
nc_code nc_run_verify_checkpoints(nc_run *run, nc_error *err);

#endif
