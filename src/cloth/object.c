// Objects: what nc_cloth_add checks and copies.
#include "cloth/world.h"

#include <stdio.h>
#include <string.h>

// ---- checks -------------------------------------------------------------------------------------------------

static nc_code check_points(const char *field, const nc_vec3 *points, int count, nc_error *err)
{
    for (int i = 0; i < count; i++)
        if (!nc_finite3(points[i]) || !(nc_max3(points[i]) <= 0x1p+40))
            return nc_fail(err, NC_BAD_ARGUMENT, "%s %d is not finite or above 2^40 in size", field, i);
    return NC_OK;
}

static nc_code check_triangles(const nc_cloth_def *def, nc_error *err)
{
    for (int i = 0; i < def->triangle_count; i++) {
        const int *t = def->triangles[i];
        for (int k = 0; k < 3; k++)
            if (t[k] < 0 || t[k] >= def->vertex_count)
                return nc_fail(err, NC_BAD_ARGUMENT, "triangle %d uses vertex %d, but only %d exist", i, t[k],
                               def->vertex_count);
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
            return nc_fail(err, NC_BAD_ARGUMENT, "triangle %d uses a vertex twice", i);
    }
    return NC_OK;
}

static nc_code check_contact(const nc_cloth_contact *c, nc_error *err)
{
    if (!isfinite(c->stiffness) || c->stiffness == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "contact stiffness is %g, but must be above 0 or negative for none",
                       c->stiffness);
    if (!isfinite(c->thickness) || c->thickness == 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "contact thickness is %g, but must be above 0 or negative for none",
                       c->thickness);
    if (!(c->restitution <= 1))
        return nc_fail(err, NC_BAD_ARGUMENT, "restitution is %g, but must be at most 1", c->restitution);
    if (!isfinite(c->friction))
        return nc_fail(err, NC_BAD_ARGUMENT, "friction is not finite");
    return NC_OK;
}

static nc_code check_def(const nc_cloth_def *def, nc_error *err)
{
    if (def->vertex_count < 1 || def->vertices == NULL)
        return nc_fail(err, NC_BAD_ARGUMENT, "a cloth object needs at least one vertex");
    if (def->type == NC_CLOTH_PARTICLES ? def->triangle_count != 0 : def->triangle_count < 1)
        return nc_fail(err, NC_BAD_ARGUMENT,
                       "an object of %d triangles: particles have none, sheets and obstacles some",
                       def->triangle_count);
    nc_code code = check_points("vertex", def->vertices, def->vertex_count, err);
    if (code == NC_OK && def->rest != NULL)
        code = check_points("rest vertex", def->rest, def->vertex_count, err);
    if (code == NC_OK && def->velocities != NULL)
        code = check_points("velocity", def->velocities, def->vertex_count, err);
    if (code == NC_OK)
        code = check_points("velocity", &def->velocity, 1, err);
    if (code == NC_OK)
        code = check_triangles(def, err);
    if (code == NC_OK)
        code = check_contact(&def->contact, err);
    if (code == NC_OK)
        code = nc_cloth_check_material(def, err);
    return code;
}

// ---- rows ---------------------------------------------------------------------------------------------------

// Room for `count` more vertices: new arrays, or the old ones as they were.
static bool reserve_vertices(nc_cloth_world *world, int count)
{
    nc_cloth_model *m = &world->model;
    const nc_allocator *a = &world->allocator;
    if (m->vertex_count + count <= m->vertex_capacity)
        return true;
    const size_t old = (size_t)m->vertex_capacity, used = (size_t)m->vertex_count;
    const size_t room = 2 * used + (size_t)count;
    nc_vec3 *start = nc_alloc(a, room, sizeof *start);
    double *mass = nc_alloc(a, room, sizeof *mass);
    int *object = nc_alloc(a, room, sizeof *object);
    nc_cloth_state *states = nc_alloc(a, room, sizeof *states);
    const bool ok = start != NULL && mass != NULL && object != NULL && states != NULL;
    if (ok && used > 0) {
        memcpy(start, m->start, used * sizeof *start);
        memcpy(mass, m->mass, used * sizeof *mass);
        memcpy(object, m->object, used * sizeof *object);
        memcpy(states, world->states, used * sizeof *states);
    }
    nc_free(a, ok ? m->start : start, ok ? old : room, sizeof *start);
    nc_free(a, ok ? m->mass : mass, ok ? old : room, sizeof *mass);
    nc_free(a, ok ? m->object : object, ok ? old : room, sizeof *object);
    nc_free(a, ok ? world->states : states, ok ? old : room, sizeof *states);
    if (!ok)
        return false;
    m->start = start;
    m->mass = mass;
    m->object = object;
    world->states = states;
    m->vertex_capacity = (int)room;
    return true;
}

// Lumps the area of every triangle at rest onto its corners.
static void add_masses(nc_cloth_model *m, const nc_cloth_def *def, const nc_cloth_object *object)
{
    const nc_vec3 *rest = def->rest != NULL ? def->rest : def->vertices;
    double *mass = m->mass + object->first_vertex;
    for (int i = 0; i < def->vertex_count; i++)
        mass[i] = def->type == NC_CLOTH_PARTICLES ? def->particle_mass : 0;
    if (def->type != NC_CLOTH_SHEET)
        return;
    for (int i = 0; i < def->triangle_count; i++) {
        const int *t = def->triangles[i];
        const double area = 0.5 * nc_norm(nc_cross(nc_sub(rest[t[1]], rest[t[0]]), nc_sub(rest[t[2]], rest[t[0]])));
        for (int k = 0; k < 3; k++)
            mass[t[k]] += def->density * area / 3;
    }
}

static nc_code add_vertices(nc_cloth_world *world, const nc_cloth_def *def, nc_cloth_object *object, nc_error *err)
{
    nc_cloth_model *m = &world->model;
    if (!reserve_vertices(world, def->vertex_count))
        return nc_fail_memory(err, (size_t)def->vertex_count * sizeof *world->states);
    object->first_vertex = m->vertex_count;
    object->vertex_count = def->vertex_count;
    add_masses(m, def, object);
    for (int i = 0; i < def->vertex_count; i++) {
        const int row = object->first_vertex + i;
        if (def->type != NC_CLOTH_OBSTACLE && !(m->mass[row] > 0))
            return nc_fail(err, NC_BAD_ARGUMENT, "vertex %d has no mass: no triangle with an area uses it", i);
        m->start[row] = def->vertices[i];
        m->object[row] = m->objects.count;
        nc_cloth_state *s = &world->states[row];
        s->x = def->vertices[i];
        s->v = def->velocities != NULL ? def->velocities[i] : def->velocity;
        s->t = 0;
        s->inv_mass = m->mass[row] > 0 ? 1 / m->mass[row] : 0;
        if (def->type == NC_CLOTH_OBSTACLE)
            s->v = nc_v3(0, 0, 0);
    }
    return NC_OK;
}

// ---- edges --------------------------------------------------------------------------------------------------

typedef struct half_edge {
    int v[2];     // lower first, world rows
    int opposite; // third corner
    bool flipped; // the triangle runs from the higher to the lower
} half_edge;

static bool half_edge_less(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const half_edge *p = a, *q = b;
    return p->v[0] != q->v[0] ? p->v[0] < q->v[0] : p->v[1] < q->v[1];
}

static bool add_triangles(nc_cloth_model *m, const nc_cloth_def *def, nc_cloth_object *object)
{
    object->first_triangle = m->triangles.count;
    object->triangle_count = def->triangle_count;
    if (!nc_array_reserve(&m->allocator, &m->triangles, m->triangles.count + def->triangle_count))
        return false;
    for (int i = 0; i < def->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            m->triangles.data[object->first_triangle + i].v[k] = object->first_vertex + def->triangles[i][k];
    m->triangles.count += def->triangle_count;
    return true;
}

static bool add_edges(nc_cloth_model *m, nc_cloth_object *object, half_edge *halves)
{
    int count = 0;
    for (int i = 0; i < object->triangle_count; i++) {
        const int *t = m->triangles.data[object->first_triangle + i].v;
        for (int k = 0; k < 3; k++) {
            const int a = t[k], b = t[(k + 1) % 3];
            halves[count++] = (half_edge){{a < b ? a : b, a < b ? b : a}, t[(k + 2) % 3], a > b};
        }
    }
    if (!nc_sort(&m->allocator, halves, (size_t)count, sizeof *halves, half_edge_less, NULL))
        return false;
    object->first_edge = m->edges.count;
    for (int i = 0; i < count; i++) {
        if (i > 0 && !half_edge_less(&halves[i - 1], &halves[i], NULL))
            continue;
        if (!nc_array_reserve(&m->allocator, &m->edges, m->edges.count + 1))
            return false;
        memcpy(m->edges.data[m->edges.count++].v, halves[i].v, sizeof halves[i].v);
    }
    object->edge_count = m->edges.count - object->first_edge;
    return true;
}

static bool add_points(nc_cloth_model *m, nc_cloth_object *object)
{
    object->first_point = m->points.count;
    if (object->type != NC_CLOTH_PARTICLES)
        return true;
    for (int i = 0; i < object->vertex_count; i++)
        if (!nc_array_push(&m->allocator, &m->points, object->first_vertex + i))
            return false;
    object->point_count = object->vertex_count;
    return true;
}

// Hinges are the edges with exactly two triangles; where more meet, the sheet does not resist bending.
static nc_code add_hinges(nc_cloth_world *world, const nc_cloth_def *def, const nc_cloth_object *object,
                          const half_edge *halves, nc_error *err)
{
    const int count = 3 * object->triangle_count;
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !half_edge_less(&halves[i], &halves[next], NULL); next++)
            continue;
        if (next - i != 2)
            continue;
        // The first wing lies to the left of (v0, v1), seen from its triangle's normal.
        const bool flip = halves[i].flipped;
        nc_cloth_hinge h = {
            .v = {halves[i].v[flip ? 1 : 0], halves[i].v[flip ? 0 : 1], halves[i].opposite, halves[i + 1].opposite}};
        const nc_code code = nc_cloth_hinge_add(world, def, object, &h, err);
        if (code != NC_OK)
            return code;
    }
    return NC_OK;
}

static nc_code add_surface(nc_cloth_world *world, const nc_cloth_def *def, nc_cloth_object *object, nc_error *err)
{
    nc_cloth_model *m = &world->model;
    const size_t count = 3 * (size_t)def->triangle_count;
    half_edge *halves = nc_alloc(&world->allocator, count, sizeof *halves);
    if (count > 0 && halves == NULL)
        return nc_fail_memory(err, count * sizeof *halves);
    nc_code code = NC_OK;
    if (!add_triangles(m, def, object) || !add_edges(m, object, halves) || !add_points(m, object))
        code = nc_fail_memory(err, count * sizeof *halves);
    if (code == NC_OK && def->type == NC_CLOTH_SHEET)
        code = nc_cloth_springs_add(world, def, object, err);
    if (code == NC_OK && def->type == NC_CLOTH_SHEET)
        code = add_hinges(world, def, object, halves, err);
    nc_free(&world->allocator, halves, count, sizeof *halves);
    return code;
}

// How long every array is, so that a failure can cut them again.
typedef struct lengths {
    int vertices, triangles, edges, points, springs, hinges, scripts, pushes;
} lengths;

static lengths lengths_of(const nc_cloth_world *w)
{
    return (lengths){w->model.vertex_count,    w->model.triangles.count, w->model.edges.count, w->model.points.count,
                     w->elastic.springs.count, w->elastic.hinges.count,  w->scripts.count,     w->pushes.count};
}

static void cut_to(nc_cloth_world *w, lengths n)
{
    w->model.vertex_count = n.vertices;
    w->model.triangles.count = n.triangles;
    w->model.edges.count = n.edges;
    w->model.points.count = n.points;
    w->elastic.springs.count = n.springs;
    w->elastic.hinges.count = n.hinges;
    nc_cloth_scripts_cut(w, n.scripts, n.pushes);
}

nc_code nc_cloth_object_add(nc_cloth_world *world, const nc_cloth_def *def, int *out, nc_error *err)
{
    nc_cloth_model *m = &world->model;
    nc_code code = check_def(def, err);
    if (code != NC_OK)
        return code;
    const lengths before = lengths_of(world);
    nc_cloth_object object = {
        .type = def->type, .contact = def->contact, .drag = def->drag, .appearance = def->appearance};
    (void)snprintf(object.name, sizeof object.name, "%s", def->name != NULL ? def->name : "");
    code = add_vertices(world, def, &object, err);
    if (code == NC_OK)
        code = add_surface(world, def, &object, err);
    if (code == NC_OK)
        code = nc_cloth_script_add(world, def, &object, err);
    if (code == NC_OK && !nc_array_push(&m->allocator, &m->objects, object))
        code = nc_fail_memory(err, sizeof object);
    if (code != NC_OK) {
        cut_to(world, before);
        return code;
    }
    m->vertex_count += def->vertex_count;
    *out = m->objects.count - 1;
    return NC_OK;
}

void nc_cloth_model_free(nc_cloth_model *m)
{
    const nc_allocator *a = &m->allocator;
    nc_free(a, m->start, (size_t)m->vertex_capacity, sizeof *m->start);
    nc_free(a, m->mass, (size_t)m->vertex_capacity, sizeof *m->mass);
    nc_free(a, m->object, (size_t)m->vertex_capacity, sizeof *m->object);
    nc_array_free(a, &m->objects);
    nc_array_free(a, &m->triangles);
    nc_array_free(a, &m->edges);
    nc_array_free(a, &m->points);
    nc_array_free(a, &m->near_start);
    nc_free(a, m->near_first, m->near_first != NULL ? (size_t)m->near_rows + 1 : 0, sizeof *m->near_first);
    nc_cloth_layers_free(a, &m->layers);
}
