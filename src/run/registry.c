// Bodies and exempt pairs: the tables, and what the writer keeps of them in memory.
#include "run/run.h"

#include <string.h>

static const char *const type_names[] = {"static", "kinematic", "dynamic"};
static const char cloth_name[] = "cloth";

nc_code nc_run_write_body(nc_run *run, const nc_run_body_row *body, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_REPLACE_BODY, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, body->id);
    nc_row_put_text(&row, body->name);
    nc_row_put_text(&row, body->cloth ? cloth_name : type_names[body->type]);
    nc_row_put_int(&row, body->mesh);
    nc_row_put_real(&row, body->mass);
    nc_row_put_real(&row, body->friction);
    nc_row_put_real(&row, body->restitution);
    nc_row_put_int(&row, body->born_step);
    nc_row_put_int(&row, body->gone_step);
    nc_row_put_int(&row, body->slot);
    nc_row_put_int(&row, body->generation);
    return nc_row_write(&row, "storing a body", err);
}

static int type_of(const char *name)
{
    for (int type = 0; type < 3; type++)
        if (strcmp(name, type_names[type]) == 0)
            return type;
    return -1;
}

// Takes the row that `row` stands on.
static nc_code take_body(nc_row *row, nc_run_body_row *out, nc_error *err)
{
    out->id = nc_row_take_int(row);
    out->name = nc_row_take_text(row);
    const char *type = nc_row_take_text(row);
    out->cloth = strcmp(type, cloth_name) == 0;
    out->type = out->cloth ? NC_DYNAMIC : type_of(type);
    out->mesh = nc_row_take_int(row);
    out->mass = nc_row_take_real(row);
    out->friction = nc_row_take_real(row);
    out->restitution = nc_row_take_real(row);
    out->born_step = nc_row_take_int(row);
    out->gone_step = nc_row_take_int(row);
    out->slot = nc_row_take_int(row);
    out->generation = nc_row_take_int(row);
    const bool fits = out->type >= 0 && out->mesh >= 0 && out->mesh <= INT_MAX && out->slot >= 0 &&
                      out->slot < INT_MAX && out->generation >= 0 && out->generation <= UINT32_MAX;
    row->bad = row->bad || !fits;
    return nc_row_check(row, "body", out->id, err);
}

// Reads a body; its name is borrowed from `row`, which the caller closes.
static nc_code read_body(nc_run *run, int id, nc_row *row, nc_run_body_row *out, nc_error *err)
{
    bool found;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_BODY, row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(row, id);
    code = nc_row_next(row, &found, "reading a body", err);
    if (code == NC_OK && !found)
        code = nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0, "it has no body %d", id);
    if (code == NC_OK)
        code = take_body(row, out, err);
    if (code != NC_OK)
        nc_row_close(row);
    return code;
}

nc_code nc_run_read_body(nc_run *run, int id, nc_run_body *out, nc_error *err)
{
    nc_row row;
    nc_run_body_row body;
    const nc_code code = read_body(run, id, &row, &body, err);
    if (code != NC_OK)
        return code;
    memset(out, 0, sizeof *out);
    out->id = id;
    nc_run_copy_text(out->name, sizeof out->name, body.name);
    out->type = (nc_body_type)body.type;
    out->cloth = body.cloth;
    out->mesh = (int)body.mesh;
    out->mass = body.mass;
    out->friction = body.friction;
    out->restitution = body.restitution;
    out->born_step = body.born_step;
    out->gone_step = body.gone_step;
    nc_row_close(&row);
    out->deforms = out->cloth || (out->type == NC_KINEMATIC && nc_run_kind(run)->deforms);
    return nc_run_read_appearance(run, id, &out->appearance, err);
}

// ---- in memory ----------------------------------------------------------------------------------------------

void nc_registry_forget(nc_run *run)
{
    run->registry.loaded = false;
    run->registry.has_cloth = false;
    run->registry.bodies.count = 0;
    run->registry.exempt.count = 0;
    run->registry.id_of_slot.count = 0;
}

void nc_registry_free(nc_run *run)
{
    nc_registry_forget(run);
    nc_array_free(&run->allocator, &run->registry.bodies);
    nc_array_free(&run->allocator, &run->registry.exempt);
    nc_array_free(&run->allocator, &run->registry.id_of_slot);
    nc_array_free(&run->allocator, &run->handles);
}

// No world has as many rows: they would take a hundred gigabytes. A file that says so is damaged.
#define SLOT_MAX (1 << 26)

// Adds body number bodies.count. False when out of memory.
static bool remember(nc_run *run, nc_run_entry entry)
{
    nc_registry *registry = &run->registry;
    if (entry.handle.index > SLOT_MAX)
        return false;
    while (registry->id_of_slot.count <= (int)entry.handle.index)
        if (!nc_array_push(&run->allocator, &registry->id_of_slot, -1))
            return false;
    registry->id_of_slot.data[entry.handle.index] = registry->bodies.count;
    return nc_array_push(&run->allocator, &registry->bodies, entry);
}

int nc_registry_find(const nc_registry *registry, nc_body_id handle)
{
    if (handle.index >= (uint32_t)registry->id_of_slot.count)
        return -1;
    const int last = registry->id_of_slot.data[handle.index];
    if (last >= 0 && registry->bodies.data[last].handle.generation == handle.generation)
        return last;
    // A run that is done again from a checkpoint may meet a body whose slot has had another one since.
    for (int id = 0; id < registry->bodies.count; id++)
        if (registry->bodies.data[id].handle.index == handle.index &&
            registry->bodies.data[id].handle.generation == handle.generation)
            return id;
    return -1;
}

static nc_code load_bodies(nc_run *run, nc_error *err)
{
    nc_row row;
    bool found = true;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_BODIES, &row, err);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading bodies", err);
        if (code != NC_OK || !found)
            return code;
        nc_run_body_row body;
        code = take_body(&row, &body, err);
        if (code == NC_OK && body.id != run->registry.bodies.count)
            code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: body %d is missing",
                              run->registry.bodies.count);
        if (code == NC_OK && (body.slot < 0 || body.slot > SLOT_MAX))
            code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: body %d has no possible slot",
                              run->registry.bodies.count);
        if (code != NC_OK)
            break;
        const nc_run_entry entry = {{(uint32_t)body.slot, (uint32_t)body.generation},
                                    (nc_body_type)body.type,
                                    body.born_step,
                                    body.gone_step,
                                    -1,
                                    body.cloth};
        run->registry.has_cloth = run->registry.has_cloth || body.cloth;
        if (!remember(run, entry))
            code = nc_fail_memory(err, sizeof entry);
    }
    nc_row_close(&row);
    return code;
}

static nc_code load_exempt(nc_run *run, nc_error *err)
{
    nc_row row;
    bool found = true;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_EXEMPT, &row, err);
    while (code == NC_OK) {
        code = nc_row_next(&row, &found, "reading exempt pairs", err);
        if (code != NC_OK || !found)
            return code;
        const int64_t a = nc_row_take_int(&row), b = nc_row_take_int(&row);
        row.bad = row.bad || a < 0 || a >= b || b >= run->registry.bodies.count;
        code = nc_row_check(&row, "exempt pair of body", a, err);
        const nc_run_pair pair = {(int)a, (int)b};
        if (code == NC_OK && !nc_array_push(&run->allocator, &run->registry.exempt, pair))
            code = nc_fail_memory(err, sizeof pair);
    }
    nc_row_close(&row);
    return code;
}

nc_code nc_registry_load(nc_run *run, nc_error *err)
{
    if (run->registry.loaded)
        return NC_OK;
    nc_registry_forget(run);
    nc_run_progress progress;
    nc_code code = nc_run_read_progress(run, &progress, err);
    if (code == NC_OK)
        code = load_bodies(run, err);
    if (code == NC_OK)
        code = load_exempt(run, err);
    // A writer may add between these reads, never take away: more than counted is fine.
    if (code == NC_OK &&
        (run->registry.bodies.count < progress.body_count || run->registry.exempt.count < progress.exempt_count))
        code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: bodies or exempt pairs are missing");
    run->registry.loaded = code == NC_OK;
    run->registry.frame_count = code == NC_OK ? progress.frame_count : 0;
    return code;
}

static bool pair_less(nc_run_pair a, nc_run_pair b)
{
    return a.a != b.a ? a.a < b.a : a.b < b.b;
}

// Where the pair is or belongs in the sorted list.
static int pair_place(const nc_registry *registry, nc_run_pair pair)
{
    int low = 0, high = registry->exempt.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (pair_less(registry->exempt.data[middle], pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool pair_is_exempt(const nc_registry *registry, nc_run_pair pair)
{
    const int place = pair_place(registry, pair);
    return place < registry->exempt.count && !pair_less(pair, registry->exempt.data[place]);
}

bool nc_run_pair_matters(nc_run *run, int body_a, int body_b)
{
    // What cannot be read counts as a pair that must stay apart.
    if (nc_registry_load(run, NULL) != NC_OK)
        return true;
    const nc_registry *registry = &run->registry;
    const nc_run_pair pair = {body_a < body_b ? body_a : body_b, body_a < body_b ? body_b : body_a};
    if (pair.a < 0 || pair.b >= registry->bodies.count)
        return true;
    const bool cloth = registry->bodies.data[body_a].cloth || registry->bodies.data[body_b].cloth;
    if (pair.a == pair.b || (registry->has_cloth && !cloth))
        return cloth;
    if (registry->bodies.data[body_a].type == NC_STATIC && registry->bodies.data[body_b].type == NC_STATIC)
        return false;
    return !pair_is_exempt(registry, pair);
}

// ---- from the model -----------------------------------------------------------------------------------------

nc_code nc_run_list_bodies(nc_run *run, nc_model model, nc_error *err)
{
    const int count = nc_model_body_count(model);
    if (!nc_array_reserve(&run->allocator, &run->handles, count))
        return nc_fail_memory(err, (size_t)count * sizeof(nc_body_id));
    run->handles.count = nc_model_bodies(model, run->handles.data, count);
    return NC_OK;
}

static nc_code add_body(nc_run *run, nc_model model, nc_body_id handle, nc_error *err)
{
    nc_model_body body;
    nc_code code = nc_model_read_body(model, handle, &body, err);
    if (code != NC_OK)
        return code;
    const int64_t step = nc_model_step_count(model);
    const nc_run_body_row row = {run->registry.bodies.count,
                                 body.name,
                                 (int)body.type,
                                 body.cloth,
                                 body.mesh,
                                 body.mass,
                                 body.friction,
                                 body.restitution,
                                 step,
                                 -1,
                                 handle.index,
                                 handle.generation};
    code = nc_run_write_body(run, &row, err);
    if (code == NC_OK)
        code = nc_run_write_appearance(run, row.id, &body.appearance, err);
    const nc_run_entry entry = {handle, body.type, step, -1, step, body.cloth};
    run->registry.has_cloth = run->registry.has_cloth || body.cloth;
    if (code == NC_OK && !remember(run, entry))
        code = nc_fail_memory(err, sizeof entry);
    return code;
}

static nc_code mark_gone(nc_run *run, int id, int64_t step, nc_error *err)
{
    nc_row row;
    nc_run_body_row body;
    nc_code code = read_body(run, id, &row, &body, err);
    if (code != NC_OK)
        return code;
    // The name is borrowed from the row that is about to change.
    nc_buffer name = nc_buffer_create(&run->allocator);
    const size_t size = strlen(body.name) + 1;
    const bool copied = nc_buffer_append(&name, body.name, size);
    nc_row_close(&row);
    if (!copied)
        return nc_fail_memory(err, size);
    body.name = (const char *)name.data;
    body.gone_step = step;
    code = nc_run_write_body(run, &body, err);
    run->registry.bodies.data[id].gone_step = step;
    nc_buffer_free(&name);
    return code;
}

static nc_code add_exempt(nc_run *run, nc_run_pair pair, nc_error *err)
{
    nc_row row;
    nc_code code = nc_row_open(run, NC_SQL_INSERT_EXEMPT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, pair.a);
    nc_row_put_int(&row, pair.b);
    code = nc_row_write(&row, "storing an exempt pair", err);
    nc_registry *registry = &run->registry;
    const int place = pair_place(registry, pair);
    if (code == NC_OK && !nc_array_push(&run->allocator, &registry->exempt, pair))
        code = nc_fail_memory(err, sizeof pair);
    if (code != NC_OK)
        return code;
    memmove(&registry->exempt.data[place + 1], &registry->exempt.data[place],
            (size_t)(registry->exempt.count - 1 - place) * sizeof pair);
    registry->exempt.data[place] = pair;
    return NC_OK;
}

static nc_code update_bodies(nc_run *run, nc_model model, nc_error *err)
{
    nc_code code = NC_OK;
    const int64_t step = nc_model_step_count(model);
    for (int i = 0; i < run->handles.count && code == NC_OK; i++) {
        const int id = nc_registry_find(&run->registry, run->handles.data[i]);
        if (id >= 0)
            run->registry.bodies.data[id].seen_step = step;
        else
            code = add_body(run, model, run->handles.data[i], err);
    }
    for (int id = 0; id < run->registry.bodies.count && code == NC_OK; id++) {
        const nc_run_entry *entry = &run->registry.bodies.data[id];
        if (entry->gone_step == -1 && entry->seen_step != step)
            code = mark_gone(run, id, step, err);
    }
    return code;
}

static nc_code update_meshes(nc_run *run, nc_model model, int64_t stored, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t row = stored; row < nc_model_mesh_count(model) && code == NC_OK; row++) {
        nc_mesh *mesh = NULL;
        code = nc_model_make_mesh(model, (int)row, &run->allocator, &mesh, err);
        if (code == NC_OK)
            code = nc_run_write_mesh(run, mesh, row, err);
        nc_mesh_release(mesh);
    }
    return code;
}

static nc_code update_exempt(nc_run *run, nc_model model, nc_error *err)
{
    nc_code code = NC_OK;
    nc_body_id bodies[2];
    for (int i = 0; i < nc_model_exempt_pairs(model, i, bodies) && code == NC_OK; i++) {
        const int a = nc_registry_find(&run->registry, bodies[0]), b = nc_registry_find(&run->registry, bodies[1]);
        const nc_run_pair pair = {a < b ? a : b, a < b ? b : a};
        if (pair.a >= 0 && pair.a != pair.b && !pair_is_exempt(&run->registry, pair))
            code = add_exempt(run, pair, err);
    }
    return code;
}

nc_code nc_registry_update(nc_run *run, nc_model model, nc_run_progress *progress, nc_error *err)
{
    nc_code code = update_meshes(run, model, progress->mesh_count, err);
    if (code == NC_OK)
        code = update_bodies(run, model, err);
    if (code == NC_OK)
        code = update_exempt(run, model, err);
    if (nc_model_mesh_count(model) > progress->mesh_count)
        progress->mesh_count = nc_model_mesh_count(model);
    progress->body_count = run->registry.bodies.count;
    progress->exempt_count = run->registry.exempt.count;
    return code;
}
