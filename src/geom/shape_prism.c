// Prisms: a polygon in the x-y plane drawn out along z. The origin is the middle of the bounding box.
#include "geom/shape.h"

static nc_vec3 flat(double x, double y)
{
    return nc_v3(x, y, 0);
}

static nc_code finish_prism(nc_shape_builder *builder, const nc_vec3 *polygon, int count, double depth)
{
    nc_shape_prism(builder, polygon, count, depth);
    nc_shape_center(builder);
    return NC_OK;
}

// Walls take `walls` x thickness of the width and leave something over.
static nc_code check_profile(const char *name, const double *values, int walls, nc_error *err)
{
    const double width = values[0], height = values[1], thickness = values[3];
    if (!(walls * thickness < width) || !(thickness < height))
        return nc_fail(err, NC_BAD_ARGUMENT, "the walls of %s %g m wide and %g m high cannot be %g m thick", name,
                       width, height, thickness);
    return NC_OK;
}

nc_code nc_shape_build_wedge(nc_shape_builder *builder, const double *values, nc_error *err)
{
    (void)err;
    const nc_vec3 polygon[3] = {flat(0, 0), flat(values[0], 0), flat(values[0], values[1])};
    return finish_prism(builder, polygon, 3, values[2]);
}

nc_code nc_shape_build_l_profile(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double w = values[0], h = values[1], t = values[3];
    const nc_code code = check_profile("an L profile", values, 1, err);
    if (code != NC_OK)
        return code;
    const nc_vec3 polygon[6] = {flat(0, 0), flat(w, 0), flat(w, t), flat(t, t), flat(t, h), flat(0, h)};
    return finish_prism(builder, polygon, 6, values[2]);
}

nc_code nc_shape_build_t_profile(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double w = values[0], h = values[1], t = values[3], left = 0.5 * (w - t), right = 0.5 * (w + t);
    const nc_code code = check_profile("a T profile", values, 1, err);
    if (code != NC_OK)
        return code;
    const nc_vec3 polygon[8] = {flat(left, 0), flat(right, 0), flat(right, h - t), flat(w, h - t),
                                flat(w, h),    flat(0, h),     flat(0, h - t),     flat(left, h - t)};
    return finish_prism(builder, polygon, 8, values[2]);
}

nc_code nc_shape_build_u_profile(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double w = values[0], h = values[1], t = values[3];
    const nc_code code = check_profile("a U profile", values, 2, err);
    if (code != NC_OK)
        return code;
    const nc_vec3 polygon[8] = {flat(0, 0),     flat(w, 0), flat(w, h), flat(w - t, h),
                                flat(w - t, t), flat(t, t), flat(t, h), flat(0, h)};
    return finish_prism(builder, polygon, 8, values[2]);
}

// A T of square bars: the handle along x, the stem down from its middle.
nc_code nc_shape_build_t_handle(nc_shape_builder *builder, const double *values, nc_error *err)
{
    const double profile[4] = {values[0], values[1] + values[2], values[2], values[2]};
    return nc_shape_build_t_profile(builder, profile, err);
}
