// Implicit functions as targets, and the segment query of everything that bounds its distance.
#include "narrow/trajectory.h"

#define TRACE_MAX 16384 // steps of a segment query before it gives up

nc_verdict nc_field_trace(const nc_field *field, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_vec3 along = nc_sub(to, from);
    const double length = nc_norm(along);
    double clear = 0, at = 0; // [m] along the segment
    for (int i = 0; i < TRACE_MAX; i++) {
        const double part = length > 0 ? at / length : 0;
        const double value = field->value(field->ctx, nc_madd(from, part, along));
        *s = length > 0 ? clear / length : 0;
        if (!(value > 0)) // inside, or not a number
            return NC_HIT;
        clear = at;
        if (at >= length) {
            *s = 1;
            return NC_CLEAR;
        }
        at = fmin(length, at + fmax((value - field->error) / field->slope, precision));
    }
    return NC_UNDECIDED;
}

static nc_field field_of(const nc_implicit *implicit)
{
    const nc_field field = {implicit->value, implicit->ctx, implicit->slope, implicit->error};
    return field;
}

// value(x) >= value(centre) - slope radius for every x in the box.
static bool implicit_may_intersect_box(const void *ctx, const nc_oriented_box *box)
{
    const nc_implicit *f = ctx;
    const double fall = (f->slope * nc_oriented_box_radius(box) + f->error) * (1.0 + 8.0 * NC_UNIT_ROUNDOFF);
    return !(f->value(f->ctx, box->center) > fall);
}

static nc_verdict implicit_intersect_segment(const void *ctx, nc_vec3 from, nc_vec3 to, double precision, double *s)
{
    const nc_field field = field_of(ctx);
    return nc_field_trace(&field, from, to, precision, s);
}

static nc_vec3 implicit_normal(const void *ctx, nc_vec3 p)
{
    const nc_implicit *f = ctx;
    const double h = f->step;
    const double x = f->value(f->ctx, nc_v3(p.x + h, p.y, p.z)) - f->value(f->ctx, nc_v3(p.x - h, p.y, p.z));
    const double y = f->value(f->ctx, nc_v3(p.x, p.y + h, p.z)) - f->value(f->ctx, nc_v3(p.x, p.y - h, p.z));
    const double z = f->value(f->ctx, nc_v3(p.x, p.y, p.z + h)) - f->value(f->ctx, nc_v3(p.x, p.y, p.z - h));
    return nc_direction(nc_v3(x, y, z));
}

nc_code nc_target_implicit(const nc_implicit *implicit, nc_target *out, nc_error *err)
{
    if (implicit->value == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "an implicit function needs a function that gives its value");
    if (!(implicit->slope > 0 && implicit->slope < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the slope of an implicit function is %g; it must be above 0 and finite",
                       implicit->slope);
    if (!(implicit->error >= 0 && implicit->error < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "the error of an implicit function is %g; it must be at least 0 and finite", implicit->error);
    if (!(implicit->step > 0 && implicit->step < INFINITY))
        return nc_fail(err, NC_BAD_ARGUMENT, "the step for normals is %g m; it must be above 0 and finite",
                       implicit->step);
    *out = (nc_target){implicit_may_intersect_box, implicit_intersect_segment, implicit_normal, implicit};
    return NC_OK;
}
