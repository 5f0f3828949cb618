// How many bodies are at rest when a run ends: for the sentence that says so.
#include "drive/session.h"
#include "geom/geom.h"

#include <math.h>

// The root mean square speed of a body's material below which it is seen as resting.
#define RESTING_SPEED 0.02 // [size/s]
#define RESTING_FALL  0.25 // [1] of what gravity adds in a step: what falls is not at rest, however large it is

// The diagonal [m] of the body's mesh; 0 when it cannot be had.
static double size_of(nc_model model, const nc_model_body *body, const nc_allocator *allocator)
{
    nc_mesh *mesh = NULL;
    if (nc_model_make_mesh(model, body->mesh, allocator, &mesh, NULL) != NC_OK)
        return 0;
    const double size = nc_mesh_diagonal(mesh);
    nc_mesh_release(mesh);
    return size;
}

static bool is_at_rest(const nc_session *session, const nc_model_body *body)
{
    const double speed = sqrt(2 * body->kinetic / body->mass);
    const double fall = nc_norm(nc_model_gravity(session->model)) * session->timestep;
    return speed <= RESTING_SPEED * size_of(session->model, body, &session->allocator) &&
           (fall == 0 || speed <= RESTING_FALL * fall);
}

int nc_session_count_moving(const nc_session *session, int *out_dynamic)
{
    const nc_allocator *allocator = &session->allocator;
    const int count = nc_model_body_count(session->model);
    nc_body_id *ids = nc_alloc(allocator, (size_t)count + 1, sizeof *ids);
    int moving = 0;
    *out_dynamic = 0;
    nc_model_bodies(session->model, ids, ids != NULL ? count : 0);
    for (int i = 0; i < count && ids != NULL; i++) {
        nc_model_body body;
        if (nc_model_read_body(session->model, ids[i], &body, NULL) != NC_OK || body.type != NC_DYNAMIC ||
            body.vertex_count > 0)
            continue;
        ++*out_dynamic;
        moving += !is_at_rest(session, &body);
    }
    nc_free(allocator, ids, (size_t)count + 1, sizeof *ids);
    return moving;
}
