// The world's data: bodies, meshes, exempt pairs, the clock. Data only; the step is in src/step.
#ifndef NC_WORLD_WORLD_H
#define NC_WORLD_WORLD_H

#include "nacre/fracture.h"
#include "nacre/world.h"

#include "motion/motion.h"
#include "world/joint.h"

// Rigid bodies: row i of every array is body i. Dead rows keep their place until a new body takes it.
typedef struct nc_bodies {
    int count;            // rows in use, dead ones included
    int capacity;         // rows allocated
    int64_t alive_count;  // rows that are bodies
    uint32_t *generation; //            counts the lives of a row; part of handles
    uint8_t *alive;       //            1 or 0
    uint8_t *type;        //            nc_body_type
    int *mesh;            //            row of the world's mesh table
    char **name;          //            owned; NULL for none
    double *friction;     // [1]        negative: the world's
    double *restitution;  // [1]        negative: the world's
    double *mass;         // [kg]       0 for static and kinematic bodies
    double *inv_mass;     // [1/kg]     0 for static and kinematic bodies
    nc_inertia *inertia;  //            dynamic bodies
    nc_pose *pose;        // [m]        centre of mass, orientation of mesh axes; written by commit
    nc_vec3 *v;           // [m/s]      of the centre; for scripted bodies what the last step realised; by commit
    nc_vec3 *momentum;    // [kg m^2/s] angular momentum: the state of rotation; by commit
    double *spin_energy;  // [J]        rotational energy that free flight keeps; by commit
    nc_vec3 *spin;        // [rad/s]    of scripted bodies; derived from `momentum` for dynamic ones; by commit
    nc_vec3 *force;       // [N]        acts in every step
    nc_vec3 *torque;      // [N m]      acts in every step
    nc_vec3 *script_v;    // [m/s]      scripted bodies without keyframes
    nc_vec3 *script_spin; // [rad/s]    scripted bodies without keyframes
    nc_keyframe **keys;   //            owned; positions and orientations of the pose at times
    int *key_count;       //
    double *script_delay; // [s]        how long a script has been held up
    double *script_lag;   // [s]        how long it has waited because of its maximum force: its clock is so late
    double *max_force;    // [N]        of scripted bodies, along their motion; 0: no limit
    double *max_torque;   // [N m]      the same of turning
    int *fracture;        //            row of the state's fractures, -1: it does not break
    int *cracks;          // [1]        breaks that made it
    int *held;            // [1]        steps in a row in which certify held it; scripted bodies: how often their
                          //            motion is halved because of it; by commit
    int *asleep;          //            0: awake; else 1 + the lowest row of the bodies it fell asleep with; by commit
    double *rested;       // [s]        how long it has stayed within its tolerance of `anchor`; by commit
    nc_pose *anchor;      // [m]        where that began; by commit
    double *sleep_gap;    // [m]        of sleeping bodies: no body it slept beside is nearer; by commit
    nc_appearance *appearance; //       for the eye alone: in no snapshot, in no hash
} nc_bodies;

// Friction and restitution of one pair.
typedef struct nc_pair_surface {
    uint64_t key;       // rows, the lower one in the high half
    double friction;    // [1] negative: by the rule
    double restitution; // [1] negative: by the rule
} nc_pair_surface;
// The impulse of a resting contact, kept for the next step. What a contact is: its bodies and features.
typedef struct nc_kept_impulse {
    int a, b;              // rows
    nc_feature_id feature; //
    nc_vec3 arm;           // [m]   from A's centre of mass, in world axes
    nc_vec3 impulse;       // [N s] on A, in world axes
} nc_kept_impulse;
typedef NC_ARRAY(nc_kept_impulse) nc_kept_impulses;
// A step solves resting contact twice.
typedef enum nc_solve_kind { NC_SOLVE_PREDICT, NC_SOLVE_SETTLE, NC_SOLVES } nc_solve_kind;

// A pair that rests nearer than its sizes say, because it was put there so near.
typedef struct nc_rest_cap {
    uint64_t key;    // rows, the lower one in the high half
    double distance; // [m]
} nc_rest_cap;

#define NC_FRACTURE_NAME       32 // letters, the end included
#define NC_FRACTURE_PARAMETERS 16

// How some bodies break: nc_fracture_def without pointers.
typedef struct nc_fracture {
    double threshold, gap, crumb;   // [N s], [m], [1]
    char pattern[NC_FRACTURE_NAME]; // "": meshes are the pattern
    char parameter[NC_FRACTURE_PARAMETERS][NC_FRACTURE_NAME];
    double value[NC_FRACTURE_PARAMETERS];
    int parameter_count;
    uint64_t seed;
    int first_mesh, mesh_count; // rows of the mesh table
    nc_vec3 center, normal;
    nc_fracture_method way;
    int cells, generations;
    bool aligned;
    nc_mass_def mass;
} nc_fracture;
typedef NC_ARRAY(nc_fracture) nc_fractures;

// What decides the future. A snapshot is this, and restoring one swaps this.
typedef struct nc_state {
    nc_bodies bodies;
    uint64_t *exempt; // pairs of rows, lower row in the high half, ascending
    int exempt_count;
    int exempt_capacity;
    nc_pair_surface *surfaces; // pairs that do not go by the rules, ascending by key
    int surface_count;
    int surface_capacity;
    nc_rest_cap *caps; // pairs that rest nearer than their sizes say, ascending by key
    int cap_count;
    int cap_capacity;
    nc_fractures fractures;   // how bodies break: no two are equal
    nc_joints joints;         // slot i of a handle
    nc_drive_keys drive_keys; // of all drives
    bool checked; // no two bodies that must stay apart touch: nc_world_check has made sure, and every change since
    nc_kept_impulses kept[NC_SOLVES];    // ascending; of the last step's solves; by commit
    nc_kept_impulses resting[NC_SOLVES]; // ascending; of sleeping bodies, as forces [N]; by commit
    bool woken; // `resting` may have contacts of bodies that are awake by now: the next step takes them over
    int64_t step_count;
    int64_t clock_step; // time = clock_base + (step_count - clock_step) clock_dt, so it does not drift
    double clock_base;  // [s]
    double clock_dt;    // [s]
} nc_state;

// A mesh of the table. Bodies that came from the same mesh and share its centre of mass share the recentred copy.
typedef struct nc_mesh_entry {
    nc_mesh *mesh;   // retained
    nc_mesh *source; // retained; NULL when added by nc_world_add_mesh
    nc_vec3 center;  // [m] of `source` that became the origin of `mesh`
    double radius;   // [m] of `mesh`
} nc_mesh_entry;

// Candidate state of a step. Row i belongs to body i; kept between steps so that stepping allocates nothing.
typedef struct nc_candidates {
    int capacity;
    nc_path *path;       // proposed and, later, certified motion
    nc_pose *pose;       // where the path ends
    nc_vec3 *v;          // [m/s]
    nc_vec3 *momentum;   // [kg m^2/s]
    nc_vec3 *spin;       // [rad/s]
    double *spin_energy; // [J]
    uint8_t *flags;      // nc_step_flag
    int *blocker;        // row of whom a scripted body waited for in the step, -1: it did not; written by separate
    nc_body_load *load;  // of scripted bodies with a maximum force; written by commit
    nc_body_acceleration *acceleration; // over the step; written by commit
    int *cluster; // lowest row of those it was joined with in the step, -1: alone; written by separate
} nc_candidates;

struct nc_world {
    nc_world_def settings; // allocator filled in; workers as requested
    nc_state state;
    NC_ARRAY(nc_mesh_entry) meshes;
    nc_candidates candidates;
    nc_start_report start;  // what nc_world_check found
    bool has_motions;       // candidates.path is what the last step proved and committed, and no body changed since
    nc_interrupt interrupt; // what steps ask
    nc_share *share;        // other ranks that make the same steps and have a part of the work; borrowed; NULL: none
    bool trace_merit;       // steps are to fill `merit`
    NC_ARRAY(double) merit; // of the last step, by iteration
    NC_ARRAY(nc_fracture_event) events;    // what broke, or stayed whole, since the world was created or restored
    NC_ARRAY(nc_body_id) event_pieces;     // of all events, one after the other
    NC_ARRAY(nc_joint_break) joint_breaks; // since the world was created or restored
    struct {
        bool on;         // steps are to record their contacts
        bool incomplete; // out of memory: the step fails
        NC_ARRAY(nc_contact_point) points;
    } contacts;      // of the last step
    void *workspace; // memory of the step, kept between steps; made by its first step
    void (*workspace_destroy)(void *workspace);
};

double nc_state_time(const nc_state *state);
// Room for `rows` rows in all. False when out of memory; nothing changed then.
bool nc_bodies_reserve(nc_bodies *bodies, int rows, const nc_allocator *allocator);
bool nc_candidates_reserve(nc_candidates *candidates, int rows, const nc_allocator *allocator);
void nc_candidates_free(nc_candidates *candidates, const nc_allocator *allocator);
// Frees what a row owns (name, keyframes).
void nc_body_row_free(nc_bodies *bodies, int row, const nc_allocator *allocator);
void nc_state_free(nc_state *state, const nc_allocator *allocator);

// The row of a living body, or -1.
int nc_world_row(const nc_world *world, nc_body_id body);
nc_body_id nc_world_id(const nc_world *world, int row);
// True when rows i and j must stay apart.
bool nc_state_pair_matters(const nc_state *state, int i, int j);

// Was the pair exempted? Says nothing about types.
bool nc_state_pair_exempt(const nc_state *state, int i, int j);
// From now on the pair has to stay apart: only for surfaces that are proven to be.
void nc_state_end_exemption(nc_state *state, int i, int j);

// [m] what bodies of a size [m, diagonal], a row's body, and rows i and j rest at by their sizes;
// settings.rest_fraction.
double nc_world_size_rest(const nc_world *world, double diagonal);
double nc_world_body_rest(const nc_world *world, int i);
double nc_world_common_rest(const nc_world *world, int i, int j);
// [m] features of rows i and j that are nearer than this are near. A function of their meshes and of settings.
double nc_world_pair_proximity(const nc_world *world, int i, int j);
// The distance [m] at which rows i and j rest: by their sizes, or what they were put at if that is less.
double nc_world_pair_rest(const nc_world *world, int i, int j);
bool nc_state_reserve_caps(nc_state *state, int more, const nc_allocator *allocator);
void nc_state_add_cap(nc_state *state, nc_rest_cap cap); // room must be there
void nc_state_forget_caps(nc_state *state, int row);

// How near two posed meshes that share no point are to each other.
typedef struct nc_closeness {
    double distance; // [m] infinite when it is above the limit and `least`
    double least;    // [m] 2^10 times the rounding budgets of both: what is nearer counts as touching
} nc_closeness;
nc_code nc_closeness_find(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double limit,
                          nc_closeness *out, nc_error *err);
// How errors name a body: its name in quotes, or its number. Returns `out`.
const char *nc_body_label(const nc_world *world, int row, char *out, size_t out_size);
// NC_INTERSECTING, with both bodies named; `why` is how the sentence begins.
nc_code nc_refuse_intersecting(const char *why, const char *a, const char *b, const nc_intersection *where,
                               nc_error *err);
nc_code nc_refuse_touching(const char *why, const char *a, const char *b, const nc_closeness *near, nc_error *err);

// Friction and restitution of rows i and j: set for the pair, else the rules applied to the bodies' own or the world's.
double nc_world_pair_friction(const nc_world *world, int i, int j);
double nc_world_pair_restitution(const nc_world *world, int i, int j);

// Drops every exemption that names a row, and every pair surface.
void nc_state_forget_pairs(nc_state *state, int row);
void nc_state_forget_surfaces(nc_state *state, int row);

// The order of kept impulses: by rows, then by feature.
bool nc_kept_less(const nc_kept_impulse *a, const nc_kept_impulse *b);
// Drops the kept impulses of a row: the body is gone or elsewhere.
void nc_state_forget_impulses(nc_state *state, int row);

// ---- sleeping bodies (sleep.c) -------------------------------------------------------------------------------

// True when row i is a sleeping body.
static inline bool nc_row_sleeps(const nc_bodies *bodies, int i)
{
    return bodies->asleep[i] != 0;
}
// A body begins to rest where it is now.
void nc_row_begin_rest(nc_bodies *bodies, int row);
// Wakes a row and all that fell asleep with it. What is awake stays awake.
void nc_state_wake(nc_state *state, int row);
void nc_state_wake_all(nc_state *state); // bodies that are awake have their time of rest set to 0
// Wakes a row, and every sleeping body that may be near it where it is: something about it is to change, or has.
void nc_world_wake_around(nc_world *world, int row);
// Wakes all, if the two definitions differ in a setting that can change results.
void nc_world_wake_changed(nc_world *world, const nc_world_def *before);

// ---- the start (start.c) --------------------------------------------------------------------------------------

// The part of nc_world_check that is about distances, for a world whose bodies are known to share no point: pairs that
// are nearer than they would rest keep their distance, and the floor distance follows the smallest.
nc_code nc_world_check_distances(nc_world *world, nc_start_report *report, nc_error *err);
// Takes back what a check did, so that a first step that fails leaves the world as it was.
void nc_world_uncheck(nc_world *world);

// ---- bodies that break ---------------------------------------------------------------------------------------

// The row of the state's fractures that is like this one, made if need be. False when out of memory.
bool nc_state_add_fracture(nc_state *state, const nc_fracture *like, const nc_allocator *allocator, int *out);
bool nc_fracture_equal(const nc_fracture *a, const nc_fracture *b);
// The fracture that a body's next impact is measured by, NULL: it does not break.
const nc_fracture *nc_state_fracture(const nc_state *state, int row);
// A copy of all it holds. False when out of memory, and then *out is empty.
bool nc_state_copy(const nc_state *from, const nc_allocator *allocator, nc_state *out);
// Enters a mesh for bodies that will be created later, as nc_body_create does: `center` is its centre of mass.
nc_code nc_world_enter_mesh(nc_world *world, nc_mesh *source, nc_vec3 center, nc_error *err);
// Forgets meshes that came in after the first `count`.
void nc_world_shrink_meshes(nc_world *world, int count);

// A piece of a body, ready to be born: its mesh has its centre of mass at the origin.
typedef struct nc_birth {
    nc_mesh *mesh;
    nc_mass mass;
    nc_pose pose;
    nc_vec3 velocity; // [m/s]
    nc_vec3 momentum; // [kg m^2/s] angular, about the centre
} nc_birth;
// Bodies that may be near anything within a ball: a look at these is as good as one at all, as long as no body comes,
// goes or moves.
typedef struct nc_neighbours {
    nc_vec3 center;
    double radius;      // [m] of the ball
    NC_ARRAY(int) rows; // ascending
} nc_neighbours;
// Cost: a look at the ball around every body.
nc_code nc_neighbours_find(const nc_world *world, nc_vec3 center, double radius, nc_neighbours *out, nc_error *err);
void nc_neighbours_free(nc_neighbours *neighbours, const nc_allocator *allocator);

// May a piece of the body in a row be at a pose, that body aside: is it at least `least` [m] from all others that it
// must stay apart from? `among` spares a look at all bodies, for pieces within its ball; it may be NULL.
nc_code nc_birth_is_free(nc_world *world, const nc_neighbours *among, int row, const nc_mesh *mesh, nc_pose pose,
                         double least, bool *out, nc_error *err);
// Puts `count` dynamic pieces in the place of a body, which is gone then. They have its surface, its exemptions and
// pair surfaces, its fracture with one more crack, its force and torque by their part of the mass, and its name with
// "/" and a number. NC_INTERSECTING, with the two named, when pieces share a point or touch each other or another body,
// or one has no mass: nothing changed then. On any other failure the state is not fit for use: it must be a copy. `ids`
// has room for `count`; `among` is as above.
nc_code nc_body_replace(nc_world *world, const nc_neighbours *among, int row, const nc_birth *births, int count,
                        nc_body_id *ids, nc_error *err);

// ---- reports (report.c) ---------------------------------------------------------------------------------------

// The rows of nacre/report.def, which describe fields of nc_step_report.
const nc_report_field *nc_report_rows(int *out_count);

// ---- settings (settings.c) ------------------------------------------------------------------------------------

// The rows of nacre/settings.def, which describe fields of nc_world_def.
const nc_setting *nc_world_setting_rows(int *out_count);
// NC_BAD_ARGUMENT names a field that is out of range, or distances that are out of order.
nc_code nc_world_check_settings(const nc_world_def *def, nc_error *err);

// Names of choices as scenes write them, in the order of their enumerations. After those of nc_pipeline comes "acm":
// the pipeline of cloth worlds, which no nc_world has.
enum { NC_PIPELINE_ACM = NC_PIPELINE_ISP + 1, NC_PIPELINE_NAMES };
extern const char *const nc_contact_solver_names[NC_SOLVER_SEQUENTIAL + 1];
extern const char *const nc_friction_model_names[NC_FRICTION_PYRAMID + 1];
extern const char *const nc_friction_rule_names[NC_COMBINE_MULTIPLY + 1];
extern const char *const nc_restitution_rule_names[NC_COMBINE_MULTIPLY + 1];
extern const char *const nc_on_jam_names[NC_JAM_STOP + 1];
extern const char *const nc_failsafe_names[NC_FAILSAFE_FULL + 1];
extern const char *const nc_pipeline_names[NC_PIPELINE_NAMES];

// The pose of a scripted body at a time [s]. Keyframes hold poses of the body's centre.
nc_pose nc_script_pose(const nc_keyframe *keys, int key_count, double time);

#endif
