// Geometry of joints: where their frames are, coordinates of their axes, and the derivatives of these.
#include "world/world.h"

static nc_pose pose_of(const nc_pose *pose, int row)
{
    return row >= 0 ? pose[row] : (nc_pose){{0, 0, 0}, {1, 0, 0, 0}};
}

static void read_axes(nc_quat q, nc_vec3 out[3])
{
    const nc_mat3 m = nc_quat_matrix(q);
    out[0] = nc_v3(m.row[0].x, m.row[1].x, m.row[2].x);
    out[1] = nc_v3(m.row[0].y, m.row[1].y, m.row[2].y);
    out[2] = nc_v3(m.row[0].z, m.row[1].z, m.row[2].z);
}

nc_joint_place nc_joint_find_place(const nc_joint *joint, const nc_pose *pose)
{
    const nc_pose a = pose_of(pose, joint->a), b = pose_of(pose, joint->b);
    const nc_quat q_a = nc_quat_mul(a.q, joint->frame_a), q_b = nc_quat_mul(b.q, joint->frame_b);
    nc_joint_place place = {.x_a = a.x,
                            .x_b = b.x,
                            .p_a = nc_pose_apply(a, joint->anchor_a),
                            .p_b = nc_pose_apply(b, joint->anchor_b),
                            .turn = nc_quat_mul(nc_quat_conj(q_b), q_a)};
    read_axes(q_a, place.axis_a);
    read_axes(q_b, place.axis_b);
    return place;
}

// What each kind locks: translations, then how it locks rotation.
typedef struct lock_row {
    bool locked[3];
    nc_joint_lock rotation;
} lock_row;

static const lock_row locks[NC_JOINT_KINDS] = {
    [NC_JOINT_FIXED] = {{true, true, true}, NC_LOCK_ALL},
    [NC_JOINT_HINGE] = {{true, true, true}, NC_LOCK_SWING},
    [NC_JOINT_SLIDER] = {{false, true, true}, NC_LOCK_ALL},
    [NC_JOINT_BALL] = {{true, true, true}, NC_LOCK_NONE},
    [NC_JOINT_UNIVERSAL] = {{true, true, true}, NC_LOCK_CROSS},
    [NC_JOINT_CYLINDRICAL] = {{false, true, true}, NC_LOCK_SWING},
    [NC_JOINT_PLANAR] = {{true, false, false}, NC_LOCK_SWING},
    [NC_JOINT_DISTANCE] = {{false, false, false}, NC_LOCK_NONE},
    [NC_JOINT_GEAR] = {{false, false, false}, NC_LOCK_NONE},
};

nc_joint_lock nc_joint_rotation(const nc_joint *joint)
{
    if (joint->kind != NC_JOINT_GENERIC)
        return locks[joint->kind].rotation;
    if (!joint->axes[4].locked)
        return NC_LOCK_NONE;
    return joint->axes[3].locked ? NC_LOCK_ALL : NC_LOCK_SWING;
}

bool nc_joint_locks(const nc_joint *joint, int axis)
{
    if (joint->kind == NC_JOINT_GENERIC)
        return joint->axes[axis].locked;
    if (axis < 3)
        return locks[joint->kind].locked[axis];
    const nc_joint_lock rotation = locks[joint->kind].rotation;
    return rotation == NC_LOCK_ALL || (rotation == NC_LOCK_SWING && axis > 3);
}

bool nc_joint_measures(const nc_joint *joint, int axis)
{
    if (joint->kind == NC_JOINT_DISTANCE || joint->kind == NC_JOINT_GEAR)
        return axis == 0;
    if (axis < 3)
        return !nc_joint_locks(joint, axis);
    const nc_joint_lock rotation = nc_joint_rotation(joint);
    return axis == 3 ? rotation != NC_LOCK_ALL : axis == 4 && (rotation == NC_LOCK_NONE || rotation == NC_LOCK_CROSS);
}

bool nc_joint_axis_is_swing(const nc_joint *joint, int axis)
{
    return axis == 4 && nc_joint_rotation(joint) == NC_LOCK_NONE;
}

// Of all angles that differ by whole turns, the nearest to `near`.
static double nearest_turn(double angle, double near)
{
    return angle + 2 * NC_PI * floor((near - angle) / (2 * NC_PI) + 0.5);
}

// Rotation is a swing that takes x of B to x of A the shortest way, after a twist about x: their angles. A twist is
// within half a turn unless the x axes coincide.
static double twist(nc_quat turn, double near)
{
    return nearest_turn(2 * nc_atan2(turn.x, turn.w), near);
}

static double swing(const nc_joint_place *place)
{
    return nc_atan2(nc_norm(nc_cross(place->axis_b[0], place->axis_a[0])), nc_dot(place->axis_b[0], place->axis_a[0]));
}

// Of a cross: y of A turns about x of B, and then x of A about y of A.
static double cross_angle(const nc_joint_place *place, int axis, double near)
{
    const nc_vec3 x_b = place->axis_b[0], y_a = place->axis_a[1], z = nc_cross(x_b, y_a);
    if (axis == 3)
        return nearest_turn(nc_atan2(nc_dot(y_a, place->axis_b[2]), nc_dot(y_a, place->axis_b[1])), near);
    return nc_atan2(-nc_dot(place->axis_a[0], z), nc_dot(place->axis_a[0], x_b));
}

static double angle_of(const nc_joint *joint, const nc_joint_place *place, int axis, double turns)
{
    const nc_joint_lock rotation = nc_joint_rotation(joint);
    if (rotation == NC_LOCK_CROSS)
        return cross_angle(place, axis, turns);
    return axis == 4 ? swing(place) : twist(place->turn, rotation == NC_LOCK_NONE ? 0 : turns);
}

double nc_joint_coordinate(const nc_joint *joint, const nc_joint_place *place, int axis, double turns)
{
    const nc_vec3 d = nc_sub(place->p_a, place->p_b);
    if (joint->kind == NC_JOINT_DISTANCE)
        return nc_norm(d);
    return axis < 3 ? nc_dot(place->axis_b[axis], d) : angle_of(joint, place, axis, turns);
}

// Translation: the axis turns with B, so both impulses act at A's anchor.
static void arms_at(const nc_joint *joint, const nc_joint_place *place, nc_vec3 direction, nc_vec3 on_b,
                    nc_joint_arm arms[2])
{
    arms[0] = (nc_joint_arm){joint->a, direction, nc_cross(nc_sub(place->p_a, place->x_a), direction)};
    arms[1] = (nc_joint_arm){joint->b, nc_neg(direction), nc_neg(nc_cross(nc_sub(on_b, place->x_b), direction))};
}

// What the relative spin times is the rate of an angle. Of a swing it is the axis that is perpendicular to both x axes
// (any, where these coincide); a twist turns about their mean, and faster the more they differ.
static nc_vec3 turning_axis(const nc_joint *joint, const nc_joint_place *place, int axis)
{
    const nc_joint_lock rotation = nc_joint_rotation(joint);
    const nc_vec3 x_a = place->axis_a[0], x_b = place->axis_b[0];
    if (rotation == NC_LOCK_CROSS)
        return axis == 3 ? x_b : place->axis_a[1];
    if (rotation != NC_LOCK_NONE)
        return x_a;
    if (axis == 3)
        return nc_scale(1 / fmax(1 + nc_dot(x_a, x_b), NC_JOINT_LEAST_TWIST), nc_add(x_a, x_b));
    const nc_vec3 across = nc_cross(x_b, x_a);
    const double sine = nc_norm(across);
    return sine > NC_JOINT_LEAST_TWIST ? nc_scale(1 / sine, across) : place->axis_b[1];
}

void nc_joint_axis_arms(const nc_joint *joint, const nc_joint_place *place, int axis, nc_joint_arm arms[2])
{
    if (joint->kind == NC_JOINT_DISTANCE) {
        const nc_vec3 d = nc_sub(place->p_a, place->p_b);
        const double length = nc_norm(d);
        arms_at(joint, place, length > 0 ? nc_scale(1 / length, d) : place->axis_b[0], place->p_b, arms);
        return;
    }
    if (axis < 3) {
        arms_at(joint, place, place->axis_b[axis], place->p_a, arms);
        return;
    }
    const nc_vec3 about = turning_axis(joint, place, axis);
    arms[0] = (nc_joint_arm){joint->a, {0, 0, 0}, about};
    arms[1] = (nc_joint_arm){joint->b, {0, 0, 0}, nc_neg(about)};
}

int nc_joint_geared_axis(const nc_joint *joint)
{
    if (joint->kind == NC_JOINT_SLIDER)
        return 0;
    return joint->kind == NC_JOINT_HINGE || joint->kind == NC_JOINT_CYLINDRICAL ? 3 : -1;
}

// ---- errors ---------------------------------------------------------------------------------------------------

static double outside(double value, double low, double high)
{
    return value < low ? low - value : value > high ? value - high : 0;
}

nc_joint_errors nc_joint_find_errors(const nc_joint *joint, const nc_joint_place *place)
{
    const nc_vec3 d = nc_sub(place->p_a, place->p_b);
    nc_joint_errors errors = {0, 0};
    if (joint->kind == NC_JOINT_DISTANCE) {
        errors.distance = outside(nc_norm(d), joint->length_min, joint->length_max);
        return errors;
    }
    nc_vec3 off = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (nc_joint_locks(joint, k))
            off = nc_madd(off, nc_dot(d, place->axis_b[k]), place->axis_b[k]);
    errors.distance = nc_norm(off);
    const nc_joint_lock rotation = nc_joint_rotation(joint);
    if (rotation == NC_LOCK_ALL)
        errors.angle = nc_norm(nc_quat_rotation_vector(place->turn));
    else if (rotation == NC_LOCK_SWING)
        errors.angle =
            nc_atan2(nc_norm(nc_cross(place->axis_a[0], place->axis_b[0])), nc_dot(place->axis_a[0], place->axis_b[0]));
    else if (rotation == NC_LOCK_CROSS)
        errors.angle = fabs(nc_dot(place->axis_b[0], place->axis_a[1]));
    return errors;
}

// ---- drives ---------------------------------------------------------------------------------------------------

static double read_keys(const nc_drive_key *keys, int count, double time)
{
    int k = 0;
    while (k < count && keys[k].time <= time)
        k++;
    if (k == 0)
        return keys[0].value;
    if (k == count)
        return keys[count - 1].value;
    const double part = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
    return keys[k - 1].value + part * (keys[k].value - keys[k - 1].value);
}

double nc_drive_target(const nc_joint_drive *drive, const nc_drive_key *keys, int key_count, double time)
{
    double target = key_count > 0 ? read_keys(keys, key_count, time) : drive->target;
    if (drive->amplitude != 0) {
        double sine, cosine;
        nc_sincos(2 * NC_PI * drive->frequency * time + drive->phase, &sine, &cosine);
        target += drive->amplitude * sine;
    }
    return target;
}

bool nc_drive_moves(const nc_joint_drive *drive, const nc_drive_key *keys, int key_count, double time)
{
    if (drive->mode == NC_DRIVE_NONE)
        return false;
    const bool scripted =
        (drive->amplitude != 0 && drive->frequency != 0) || (key_count > 0 && time <= keys[key_count - 1].time);
    return scripted || (drive->mode == NC_DRIVE_VELOCITY && nc_drive_target(drive, keys, key_count, time) != 0);
}
