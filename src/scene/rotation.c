// Rotations: axis and angle, Euler angles, quaternions, random ones.
#include "scene/rotation.h"
#include "scene/keys.h"

#include "math/math.h"

// Length 1, also for vectors whose square would underflow.
static nc_vec3 unit(nc_vec3 v)
{
    const double size = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    const nc_vec3 w = nc_v3(v.x / size, v.y / size, v.z / size);
    return nc_scale(1.0 / sqrt(nc_dot(w, w)), w);
}

nc_quat nc_rotation_about(nc_vec3 axis, double degrees)
{
    // Whole turns are taken off first, so that 360 and 720 are exactly no turn.
    double left = degrees - 360.0 * floor(degrees / 360.0);
    if (left > 180.0)
        left -= 360.0;
    double sine, cosine;
    nc_sincos(left * (NC_PI / 360.0), &sine, &cosine);
    const nc_vec3 u = nc_scale(sine, unit(axis));
    return nc_q4(cosine, u.x, u.y, u.z);
}

nc_quat nc_rotation_z_to(nc_vec3 axis)
{
    const nc_vec3 to = unit(axis);
    // Halfway between z and the axis; opposite to z, half a turn about x does it.
    if (to.z < -0.9999999)
        return nc_quat_mul(nc_q4(0, 1, 0, 0), nc_rotation_z_to(nc_v3(to.x, -to.y, -to.z)));
    return nc_quat_normalize(nc_q4(1.0 + to.z, -to.y, to.x, 0));
}

static nc_quat from_euler(nc_vec3 degrees)
{
    const nc_quat x = nc_rotation_about(nc_v3(1, 0, 0), degrees.x);
    const nc_quat y = nc_rotation_about(nc_v3(0, 1, 0), degrees.y);
    const nc_quat z = nc_rotation_about(nc_v3(0, 0, 1), degrees.z);
    return nc_quat_mul(z, nc_quat_mul(y, x));
}

nc_code nc_rotation_read(const nc_node *map, nc_quat *out, nc_error *err)
{
    nc_rotation_keys keys;
    nc_key_block_defaults(&nc_rotation_block, &keys);
    const nc_code code = nc_key_block_read(&nc_rotation_block, map, &keys, err);
    if (code != NC_OK)
        return code;
    const bool axis = nc_node_find(map, "axis") != NULL, angle = nc_node_find(map, "angle") != NULL;
    const bool euler = nc_node_find(map, "euler") != NULL, quat = nc_node_find(map, "quaternion") != NULL;
    if (axis != angle || axis + euler + quat != 1)
        return nc_node_fail(err, map, "allowed: axis and angle, or euler, or quaternion, and only one of them");
    if (axis && !(nc_dot(keys.axis, keys.axis) > 0))
        return nc_node_fail(err, nc_node_find(map, "axis"), "found a vector of length 0; allowed: any other");
    *out = axis    ? nc_rotation_about(keys.axis, keys.angle)
           : euler ? from_euler(keys.euler)
                   : nc_quat_normalize(keys.quaternion);
    return NC_OK;
}

// Uniform by Shoemake's three numbers; a part of it by scaling its rotation vector.
nc_quat nc_rotation_random(nc_random *random, double amount)
{
    const double u = nc_random_unit(random);
    double s1, c1, s2, c2;
    nc_sincos(2 * NC_PI * nc_random_unit(random), &s1, &c1);
    nc_sincos(2 * NC_PI * nc_random_unit(random), &s2, &c2);
    const double a = sqrt(1 - u), b = sqrt(u);
    const nc_quat q = nc_q4(a * s1, a * c1, b * s2, b * c2);
    if (amount >= 1)
        return q;
    return nc_quat_from_rotation_vector(nc_scale(amount, nc_quat_rotation_vector(q)));
}

nc_vec3 nc_direction_random(nc_random *random)
{
    const double z = nc_random_range(random, -1, 1), r = sqrt(fmax(0, 1 - z * z));
    double s, c;
    nc_sincos(2 * NC_PI * nc_random_unit(random), &s, &c);
    return nc_v3(r * c, r * s, z);
}
