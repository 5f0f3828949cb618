// Rigid-body constraints of Blender as joints of a scene.
//
// Blender (Bullet) and Nacre count positions differently. Measured in Blender 3.4 with one-sided limits: along its axes
// a constraint counts object 2 as seen from object 1; about them it counts object 1 as seen from object 2, but for
// PISTON; motors drive object 1. Nacre counts `body` as seen from `to`. Here `body` is object 2 unless it does not
// move, and object 1 then.
#include "import.h"

#include <string.h>

#define NOTES_MAX 6

typedef struct joint_axis {
    bool locked, limited, sprung, driven;
    double lower, upper, stiffness, damping, speed, force;
} joint_axis;

// What becomes of a constraint.
typedef struct joint_plan {
    const char *kind;    // NULL: nothing
    const char *refusal; // why
    const char *notes[NOTES_MAX];
    int note_count;
    bool swapped;     // `body` is object 1
    nc_vec3 frame[3]; // Blender's axes of the constraint in the world
    nc_vec3 anchor;   // [m]
    int x;            // which of them is the joint's x; its y and z are the next ones
    joint_axis axes[6];
} joint_plan;

static void add_note(joint_plan *plan, const char *text)
{
    NC_ASSERT(plan->note_count < NOTES_MAX);
    plan->notes[plan->note_count++] = text;
}

static void refuse(joint_plan *plan, const char *why)
{
    plan->kind = NULL;
    plan->refusal = why;
}

// ---- where it is --------------------------------------------------------------------------------------------

// Blender's x, y and z of a node in the world: glTF has y up. As Blender does it, a mirror turns all of them round.
static bool find_frame(const nc_gltf_transform *placement, nc_vec3 out[3])
{
    static const nc_vec3 axes[3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    const nc_mat3 turn = nc_quat_matrix(nc_quat_normalize(placement->pose.q));
    for (int k = 0; k < 3; k++) {
        out[k] = nc_mat3_mul(turn, nc_mat3_mul(placement->stretch, axes[k]));
        if (!(nc_norm(out[k]) > 0))
            return false;
        out[k] = nc_scale(1 / nc_norm(out[k]), out[k]);
    }
    const double sign = nc_dot(nc_cross(out[0], out[1]), out[2]) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        out[k] = nc_scale(sign, out[k]);
    return true;
}

static bool is_dynamic(const nc_import *import, int body)
{
    const char *type = import->bodies[body].properties.value[NC_IMPORT_TYPE];
    return !import->bodies[body].scripted && (type[0] == '\0' || strcmp(type, "dynamic") == 0);
}

// ---- axes ---------------------------------------------------------------------------------------------------

// The limits of Blender's axis, times `sign`; limits that are the wrong way round leave it free, as in Blender.
static void limit_axis(const nc_import_constraint_axis *from, double sign, joint_axis *out)
{
    out->limited = from->limited && from->lower <= from->upper;
    out->lower = sign > 0 ? from->lower : -from->upper;
    out->upper = sign > 0 ? from->upper : -from->lower;
}

static bool is_locked(const nc_import_constraint_axis *axis)
{
    return axis->limited && axis->lower == axis->upper;
}

static bool has_limits(const nc_import_constraint_axis *axis)
{
    return axis->limited && axis->lower <= axis->upper;
}

static void take_spring(const nc_import_constraint *c, int from, joint_axis *out)
{
    const nc_import_constraint_axis *axis = &c->axes[from];
    if (c->kind != NC_CONSTRAINT_SPRING || !axis->sprung || out->locked)
        return;
    out->sprung = axis->stiffness > 0 || axis->damping > 0;
    out->stiffness = axis->stiffness;
    out->damping = c->old_spring ? 0 : axis->damping;
}

static void plan_slides(const nc_import_constraint *c, joint_plan *plan)
{
    for (int k = 0; k < 3; k++) {
        const int from = (plan->x + k) % 3;
        joint_axis *out = &plan->axes[k];
        limit_axis(&c->axes[from], 1, out);
        out->locked = is_locked(&c->axes[from]) && out->lower == 0; // else it is pulled to where it is locked
        take_spring(c, from, out);
    }
}

// Blender's angles are Euler angles, Nacre's twist and swing: the same for one axis, and for small angles.
static void plan_swing(const nc_import_constraint *c, joint_plan *plan)
{
    const nc_import_constraint_axis *y = &c->axes[3 + (plan->x + 1) % 3], *z = &c->axes[3 + (plan->x + 2) % 3];
    joint_axis *swing = &plan->axes[4];
    swing->limited = has_limits(y) && has_limits(z);
    swing->upper = fmax(fmax(fabs(y->lower), fabs(y->upper)), fmax(fabs(z->lower), fabs(z->upper)));
    if (swing->limited)
        add_note(plan, "limits of two rotations become one cone with the largest of these angles");
    else if (has_limits(y) || has_limits(z))
        add_note(plan, "the limit of one rotation beside two others is left out");
    if (c->kind != NC_CONSTRAINT_SPRING || (!y->sprung && !z->sprung))
        return;
    if (y->sprung && z->sprung && y->stiffness == z->stiffness && y->damping == z->damping)
        take_spring(c, 3 + (plan->x + 1) % 3, swing);
    else
        add_note(plan, "springs of two rotations with different stiffness or damping are left out");
}

// The rotation that becomes the one about the joint's x: the only one that is free, or the only one with limits or a
// spring; else that about Blender's x.
static int choose_twist(const nc_import_constraint *c, int locked)
{
    int chosen = 0, count = 0;
    for (int k = 0; k < 3; k++) {
        const nc_import_constraint_axis *axis = &c->axes[3 + k];
        if (locked == 2 ? is_locked(axis) : !has_limits(axis) && !axis->sprung)
            continue;
        chosen = k;
        count++;
    }
    return count == 1 ? chosen : 0;
}

static void plan_generic(const nc_import_constraint *c, joint_plan *plan)
{
    int locked = 0;
    for (int k = 3; k < 6; k++) {
        locked += is_locked(&c->axes[k]);
        if (is_locked(&c->axes[k]) && c->axes[k].lower != 0)
            add_note(plan, "a rotation that is locked at another angle than 0 is locked where it starts");
    }
    if (locked == 1) {
        refuse(plan, "one rotation of three is locked, and Nacre's generic joints lock none, two or three");
        return;
    }
    plan->kind = "generic";
    plan->x = choose_twist(c, locked);
    plan_slides(c, plan);
    for (int k = 3; k < 6; k++)
        plan->axes[k].locked = locked == 3 || (locked == 2 && k > 3);
    if (locked < 3) {
        limit_axis(&c->axes[3 + plan->x], -1, &plan->axes[3]);
        take_spring(c, 3 + plan->x, &plan->axes[3]);
    }
    if (locked == 0)
        plan_swing(c, plan);
    for (int k = 0; k < 6; k++)
        if (c->old_spring && plan->axes[k].sprung && plan->note_count < NOTES_MAX) {
            add_note(plan, "the damping of springs of type SPRING1 is a factor and no damper, and is left out");
            break;
        }
}

static void plan_motor(const nc_import_constraint *c, joint_plan *plan)
{
    plan->kind = "generic";
    int drives = 0;
    for (int k = 0; k < 2; k++) {
        joint_axis *out = &plan->axes[3 * k];
        out->driven = c->driven[k] && c->force[k] > 0;
        out->speed = -c->speed[k];
        out->force = c->force[k];
        drives += out->driven;
    }
    if (drives == 0)
        refuse(plan, "its motor has no force");
}

// ---- kinds --------------------------------------------------------------------------------------------------

static void plan_kind(const nc_import_constraint *c, joint_plan *plan)
{
    const double sign = plan->swapped ? -1 : 1;
    switch (c->kind) {
    case NC_CONSTRAINT_FIXED:
        plan->kind = "fixed";
        break;
    case NC_CONSTRAINT_POINT:
        plan->kind = "ball";
        break;
    case NC_CONSTRAINT_HINGE:
        plan->kind = "hinge";
        plan->x = 2;
        limit_axis(&c->axes[5], -sign, &plan->axes[3]);
        break;
    case NC_CONSTRAINT_SLIDER:
        plan->kind = "slider";
        limit_axis(&c->axes[0], sign, &plan->axes[0]);
        break;
    case NC_CONSTRAINT_PISTON:
        plan->kind = "cylindrical";
        limit_axis(&c->axes[0], sign, &plan->axes[0]);
        limit_axis(&c->axes[3], sign, &plan->axes[3]);
        break;
    case NC_CONSTRAINT_GENERIC:
    case NC_CONSTRAINT_SPRING:
        plan_generic(c, plan);
        break;
    case NC_CONSTRAINT_MOTOR:
        plan_motor(c, plan);
        break;
    case NC_CONSTRAINT_KINDS:
        break;
    }
}

// Axes of a generic joint are those that `to` carries, and Blender's are those of object 1.
static bool keeps_order(nc_import_constraint_kind kind)
{
    return kind >= NC_CONSTRAINT_GENERIC;
}

static joint_plan make_plan(const nc_import *import, const nc_import_constraint *c)
{
    joint_plan plan = {.refusal = NULL};
    if (!c->enabled)
        refuse(&plan, "it is not enabled");
    else if (c->objects[0][0] == '\0' || c->objects[1][0] == '\0')
        refuse(&plan, "it needs two objects, as in Blender; a passive rigid body stands for the world");
    else if (c->bodies[0] < 0 || c->bodies[1] < 0 || c->bodies[0] == c->bodies[1])
        refuse(&plan, "its objects are not two bodies of the file");
    else if (!is_dynamic(import, c->bodies[0]) && !is_dynamic(import, c->bodies[1]))
        refuse(&plan, "neither of its objects is a dynamic body");
    const bool moves = nc_gltf_node_view(import->gltf, c->node).moves && import->time_count > 0;
    if (moves)
        nc_gltf_place(import->gltf, import->times[0], import->placed);
    const nc_gltf_transform *placement = moves ? &import->placed[c->node] : &import->rest[c->node];
    if (plan.refusal == NULL && !find_frame(placement, plan.frame))
        refuse(&plan, "it is scaled to zero");
    if (plan.refusal != NULL)
        return plan;
    plan.anchor = placement->pose.x;
    plan.swapped = !keeps_order(c->kind) && !is_dynamic(import, c->bodies[1]);
    plan_kind(c, &plan);
    return plan;
}

// ---- gathering ----------------------------------------------------------------------------------------------

static int find_body(const nc_import *import, const char *name)
{
    for (int i = 0; i < import->body_count; i++)
        if (strcmp(nc_gltf_node_view(import->gltf, import->bodies[i].node).name, name) == 0)
            return i;
    return -1;
}

static void say_notes(const nc_import *import, const nc_import_constraint *c, const joint_plan *plan)
{
    const char *name = nc_gltf_node_view(import->gltf, c->node).name, *kind = nc_import_constraint_names[c->kind];
    const bool quiet = import->settings->quiet;
    if (plan->refusal != NULL)
        nc_say(quiet, "note: constraint \"%s\" (%s of \"%s\" and \"%s\") is left out: %s", name, kind, c->objects[0],
               c->objects[1], plan->refusal);
    for (int i = 0; i < plan->note_count; i++)
        nc_say(quiet, "note: constraint \"%s\" (%s): %s", name, kind, plan->notes[i]);
}

static nc_code add_constraint(nc_import *import, nc_import_constraint *c, nc_error *err)
{
    const nc_allocator memory = nc_allocator_default();
    for (int k = 0; k < 2; k++)
        c->bodies[k] = find_body(import, c->objects[k]);
    const joint_plan plan = make_plan(import, c);
    say_notes(import, c, &plan);
    if (plan.kind == NULL)
        return NC_OK;
    const nc_code code =
        nc_import_name(&import->joint_names, nc_gltf_node_view(import->gltf, c->node).name, "joint", &c->name, err);
    if (code != NC_OK)
        return code;
    return nc_array_push(&memory, &import->constraints, *c) ? NC_OK : nc_fail_memory(err, sizeof *c);
}

nc_code nc_import_gather_constraints(nc_import *import, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < nc_gltf_node_count(import->gltf) && code == NC_OK; i++) {
        nc_import_constraint c;
        bool found = false;
        if (!nc_gltf_node_view(import->gltf, i).shown)
            continue;
        code = nc_import_read_constraint(import->gltf, i, import->source, &c, &found, err);
        if (code == NC_OK && found)
            code = add_constraint(import, &c, err);
    }
    return code;
}

// ---- writing ------------------------------------------------------------------------------------------------

static void write_vector(FILE *out, const char *key, nc_vec3 v)
{
    const double x[3] = {v.x, v.y, v.z};
    char text[NC_IMPORT_LIST];
    fprintf(out, ", %s: %s", key, nc_import_list(x, 3, text));
}

// The keys of an axis.
static void write_axis(const joint_axis *axis, FILE *out)
{
    char a[NC_IMPORT_NUMBER], b[NC_IMPORT_NUMBER];
    const char *comma = "";
    if (axis->locked) {
        fprintf(out, "locked: true");
        return;
    }
    if (axis->limited) {
        fprintf(out, "limits: {min: %s, max: %s}", nc_import_number(axis->lower, a), nc_import_number(axis->upper, b));
        comma = ", ";
    }
    if (axis->sprung) {
        fprintf(out, "%sstiffness: %s, damping: %s", comma, nc_import_number(axis->stiffness, a),
                nc_import_number(axis->damping, b));
        comma = ", ";
    }
    if (axis->driven)
        fprintf(out, "%sdrive: {mode: velocity, target: %s, max_force: %s}", comma, nc_import_number(axis->speed, a),
                nc_import_number(axis->force, b));
}

static bool is_plain(const joint_axis *axis)
{
    return !axis->locked && !axis->limited && !axis->sprung && !axis->driven;
}

// Hinges and sliders have the keys of their axis themselves.
static void write_axes(const joint_plan *plan, FILE *out)
{
    static const char *const names[6] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
    const int own = strcmp(plan->kind, "hinge") == 0 ? 3 : strcmp(plan->kind, "slider") == 0 ? 0 : -1;
    int written = 0;
    for (int k = 0; k < 6; k++) {
        if (is_plain(&plan->axes[k]))
            continue;
        if (own >= 0)
            fprintf(out, ", ");
        else
            fprintf(out, "%s%s: {", written++ == 0 ? ", axes: {" : ", ", names[k]);
        write_axis(&plan->axes[k], out);
        fprintf(out, "%s", own >= 0 ? "" : "}");
    }
    fprintf(out, "%s", written > 0 ? "}" : "");
}

static void write_joint(const nc_import *import, const nc_import_constraint *c, FILE *out)
{
    const joint_plan plan = make_plan(import, c);
    const int body = c->bodies[plan.swapped ? 0 : 1], to = c->bodies[plan.swapped ? 1 : 0];
    char number[NC_IMPORT_NUMBER];
    if (plan.kind == NULL) // none such is gathered
        return;
    fprintf(out, "  - {kind: %s, name: \"%s\", body: \"%s\", to: \"%s\"", plan.kind, import->joint_names.name[c->name],
            import->body_names.name[import->bodies[body].name], import->body_names.name[import->bodies[to].name]);
    write_vector(out, "anchor", plan.anchor);
    if (c->kind >= NC_CONSTRAINT_HINGE)
        write_vector(out, "axis", plan.frame[plan.x]);
    if (keeps_order(c->kind))
        write_vector(out, "axis_y", plan.frame[(plan.x + 1) % 3]);
    write_axes(&plan, out);
    if (c->breaks && c->threshold > 0) {
        nc_import_number(c->threshold / c->substep, number);
        fprintf(out, ", break_force: %s, break_torque: %s", number, number);
    }
    fprintf(out, "%s}\n", c->passes ? ", collide: false" : "");
}

void nc_import_write_joints(const nc_import *import, FILE *out)
{
    for (int i = 0; i < import->constraints.count; i++) {
        fprintf(out, "%s", i == 0 ? "joints:\n" : "");
        write_joint(import, &import->constraints.data[i], out);
    }
}
