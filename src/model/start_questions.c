// Questions about a start that is allowed, and may not be what was meant.
#include "fracture/fracture.h"
#include "model/model.h"
#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>

// A body that is this heavy and this large, or this small, is a mesh in other units more often than what was meant.
#define HEAVY_MASS    1e6    // [kg] a thousand tonnes
#define HEAVY_SIZE    20.0   // [m]
#define TINY_SIZE     1e-5   // [m]
#define MASS_RATIO    1e8    // [1] of the heaviest to the lightest body
#define TRIANGLES_MAX 200000 // of a mesh that is tested for self-intersections: half a second

void nc_start_say(const nc_start_listener *to, bool warning, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->on_message(warning, text, to->ctx);
}

static const char *name_of(const nc_world *world, int row)
{
    const char *name = nc_body_name(world, nc_world_id(world, row));
    return name != NULL ? name : "";
}

static double size_of(const nc_world *world, int row)
{
    return nc_mesh_diagonal(world->meshes.data[world->state.bodies.mesh[row]].mesh);
}

// ---- masses -------------------------------------------------------------------------------------------------

// "64000 t", "1.5 kg", "2e-06 g"
static const char *mass_text(double kilograms, char *out, size_t size)
{
    if (kilograms >= 1e3)
        snprintf(out, size, "%.6g t", 1e-3 * kilograms);
    else if (kilograms >= 0.1)
        snprintf(out, size, "%.3g kg", kilograms);
    else
        snprintf(out, size, "%.3g g", 1e3 * kilograms);
    return out;
}

// Rows of the heaviest and the lightest dynamic body; -1: none.
static void find_extremes(const nc_bodies *bodies, int *heaviest, int *lightest)
{
    *heaviest = *lightest = -1;
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i] || !(bodies->inv_mass[i] > 0))
            continue;
        if (*heaviest < 0 || bodies->inv_mass[i] < bodies->inv_mass[*heaviest])
            *heaviest = i;
        if (*lightest < 0 || bodies->inv_mass[i] > bodies->inv_mass[*lightest])
            *lightest = i;
    }
}

void nc_start_ask_masses(const nc_world *world, const nc_start_listener *to)
{
    const nc_bodies *bodies = &world->state.bodies;
    char text[2][32];
    int heavy, light;
    find_extremes(bodies, &heavy, &light);
    if (heavy < 0)
        return;
    const double most = 1 / bodies->inv_mass[heavy], least = 1 / bodies->inv_mass[light];
    const double size = size_of(world, heavy), small = size_of(world, light);
    mass_text(most, text[0], sizeof text[0]);
    mass_text(least, text[1], sizeof text[1]);
    if (most >= HEAVY_MASS && size >= HEAVY_SIZE)
        nc_start_say(to, true,
                     "\"%.100s\" has a mass of %s and is %.3g m large: is its mesh in millimetres? Then give its shape "
                     "'unit: mm' (docs/units.md)",
                     name_of(world, heavy), text[0], size);
    else if (small <= TINY_SIZE)
        nc_start_say(to, true,
                     "\"%.100s\" is %.3g m large and has a mass of %s: was its mesh scaled twice? See 'unit' and "
                     "'scale' of shapes (docs/units.md)",
                     name_of(world, light), small, text[1]);
    else if (most > MASS_RATIO * least)
        nc_start_say(to, true,
                     "\"%.100s\" (%s) is %.0e times as heavy as \"%.100s\" (%s): are their meshes in the same unit? "
                     "See 'unit' of shapes (docs/units.md)",
                     name_of(world, heavy), text[0], most / least, name_of(world, light), text[1]);
}

// ---- surfaces that cross themselves -----------------------------------------------------------------------------

static nc_vec3 middle_of(const nc_mesh *mesh, int triangle)
{
    const nc_mesh_data data = nc_mesh_view(mesh);
    const int *v = data.triangles[triangle];
    return nc_scale(1.0 / 3, nc_add(nc_add(data.vertices[v[0]], data.vertices[v[1]]), data.vertices[v[2]]));
}

// The first body with the mesh of a row, and how many have it.
static int first_with_mesh(const nc_bodies *bodies, int row, int *out_count)
{
    int first = -1;
    *out_count = 0;
    for (int i = 0; i < bodies->count; i++)
        if (bodies->alive[i] && bodies->mesh[i] == row) {
            first = first < 0 ? i : first;
            ++*out_count;
        }
    return first;
}

static void tell_mesh(const nc_world *world, int row, const nc_start_listener *to)
{
    int count, first[2];
    const nc_mesh *mesh = world->meshes.data[row].mesh;
    const int body = first_with_mesh(&world->state.bodies, row, &count);
    if (body < 0 || nc_mesh_view(mesh).triangle_count > TRIANGLES_MAX)
        return;
    const int64_t pairs = nc_mesh_self_intersections(mesh, first);
    if (pairs == 0)
        return;
    char others[48] = "";
    if (count > 1)
        snprintf(others, sizeof others, " (and %d more with this mesh)", count - 1);
    const nc_vec3 at = nc_pose_apply(world->state.bodies.pose[body], middle_of(mesh, first[0]));
    nc_start_say(to, false,
                 "\"%.100s\"%s intersects itself: %lld pair%s of its triangles, the first %d and %d, near (%.4g, %.4g, "
                 "%.4g). Contact is not affected, since a rigid body is never tested against itself; volume that is "
                 "enclosed twice counts twice in its mass",
                 name_of(world, body), others, (long long)pairs, pairs == 1 ? "" : "s", first[0], first[1], at.x, at.y,
                 at.z);
}

void nc_start_tell_self_intersections(const nc_world *world, const nc_start_listener *to)
{
    for (int row = 0; row < world->meshes.count; row++)
        tell_mesh(world, row, to);
}
