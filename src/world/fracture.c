// How bodies break, as data: a table of fractures that bodies share, and the list of what happened.
#include "world/world.h"

#include <string.h>

nc_fracture_def nc_fracture_def_default(void)
{
    nc_fracture_def def = {.pattern = "graded", .cells = 55, .crumb = 1e-4, .generations = 4};
    def.normal = nc_v3(0, 0, 1);
    def.mass = nc_body_def_default().mass;
    return def;
}

// ---- the table ----------------------------------------------------------------------------------------------

static bool same(nc_vec3 a, nc_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_mass(const nc_mass_def *a, const nc_mass_def *b)
{
    bool equal = a->matter == b->matter && a->density == b->density && a->area_density == b->area_density &&
                 a->thickness == b->thickness && a->mass == b->mass && a->has_inertia == b->has_inertia &&
                 same(a->center, b->center);
    for (int i = 0; i < 3; i++)
        equal = equal && same(a->inertia.row[i], b->inertia.row[i]);
    return equal;
}

static bool same_pattern(const nc_fracture *a, const nc_fracture *b)
{
    bool equal = strcmp(a->pattern, b->pattern) == 0 && a->parameter_count == b->parameter_count &&
                 a->seed == b->seed && a->first_mesh == b->first_mesh && a->mesh_count == b->mesh_count &&
                 same(a->center, b->center) && same(a->normal, b->normal);
    for (int i = 0; equal && i < a->parameter_count; i++)
        equal = strcmp(a->parameter[i], b->parameter[i]) == 0 && a->value[i] == b->value[i];
    return equal;
}

bool nc_fracture_equal(const nc_fracture *a, const nc_fracture *b)
{
    return a->threshold == b->threshold && a->gap == b->gap && a->crumb == b->crumb && a->way == b->way &&
           a->cells == b->cells && a->generations == b->generations && a->aligned == b->aligned && same_pattern(a, b) &&
           same_mass(&a->mass, &b->mass);
}

bool nc_state_add_fracture(nc_state *state, const nc_fracture *like, const nc_allocator *allocator, int *out)
{
    for (*out = 0; *out < state->fractures.count; ++*out)
        if (nc_fracture_equal(&state->fractures.data[*out], like))
            return true;
    return nc_array_push(allocator, &state->fractures, *like);
}

const nc_fracture *nc_state_fracture(const nc_state *state, int row)
{
    const int fracture = state->bodies.fracture[row];
    const nc_fracture *how = fracture >= 0 ? &state->fractures.data[fracture] : NULL;
    return how != NULL && state->bodies.cracks[row] < how->generations ? how : NULL;
}

double nc_body_threshold(const nc_world *world, nc_body_id body)
{
    const int row = nc_world_row(world, body);
    const nc_fracture *how = row >= 0 ? nc_state_fracture(&world->state, row) : NULL;
    return how != NULL ? how->threshold : 0;
}

// ---- what happened ------------------------------------------------------------------------------------------

int nc_world_fractures(const nc_world *world, int first, nc_fracture_event *out, int capacity)
{
    for (int k = 0; k < capacity && first >= 0 && k < world->events.count - first; k++)
        out[k] = world->events.data[first + k];
    return world->events.count;
}

int nc_world_fracture_pieces(const nc_world *world, int event, nc_body_id *out, int capacity)
{
    if (event < 0 || event >= world->events.count)
        return 0;
    int begin = 0;
    const int count = world->events.data[event].pieces;
    for (int k = 0; k < event; k++)
        begin += world->events.data[k].pieces;
    for (int k = 0; k < capacity && k < count; k++)
        out[k] = world->event_pieces.data[begin + k];
    return count;
}
