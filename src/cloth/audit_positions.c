// Exactly which triangles and particles share a point at given positions.
#include "cloth/contact_search.h"

static nc_cloth_overlap name_overlap(const nc_cloth_model *model, const nc_intersection *met)
{
    const bool point = met->kind_b == NC_ELEMENT_POINT; // pairs of elements are in order: points come last
    const bool points = met->kind_a == NC_ELEMENT_POINT;
    const int a = points ? model->points.data[met->element_a] : model->triangles.data[met->element_a].v[0];
    const int b = point ? model->points.data[met->element_b] : model->triangles.data[met->element_b].v[0];
    nc_cloth_overlap out = {.object_a = model->object[a], .object_b = model->object[b], .place = met->place};
    out.triangle_a = points ? -1 : met->element_a;
    out.triangle_b = point ? -1 : met->element_b;
    return out;
}

static bool are_obstacles(const nc_cloth_model *model, const nc_cloth_overlap *overlap)
{
    return model->objects.data[overlap->object_a].type == NC_CLOTH_OBSTACLE &&
           model->objects.data[overlap->object_b].type == NC_CLOTH_OBSTACLE;
}

// Obstacles may overlap: their meetings are left out.
static int keep_overlaps(const nc_cloth_model *model, const nc_intersection *met, int64_t count, nc_cloth_overlap *out,
                         int capacity)
{
    int kept = 0;
    for (int64_t i = 0; i < count; i++) {
        const nc_cloth_overlap overlap = name_overlap(model, &met[i]);
        if (are_obstacles(model, &overlap))
            continue;
        if (kept < capacity)
            out[kept] = overlap;
        kept++;
    }
    return kept;
}

nc_code nc_cloth_audit_positions(const nc_cloth_model *model, const nc_vec3 *positions, nc_cloth_overlap *out,
                                 int capacity, int *out_count, nc_error *err)
{
    const nc_element_set set = {
        .vertices = positions,
        .vertex_count = model->vertex_count,
        .triangles = (const int(*)[3])model->triangles.data,
        .triangle_count = model->triangles.count,
        .points = model->points.data,
        .point_count = model->points.count,
    };
    int64_t count = 0;
    *out_count = 0;
    nc_code code = nc_elements_intersect(&set, &model->allocator, model->settings.workers, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    const int room = (int)(count < INT32_MAX ? count : INT32_MAX);
    nc_intersection *met = nc_alloc(&model->allocator, (size_t)room, sizeof *met);
    if (met == NULL)
        return nc_fail_memory(err, (size_t)room * sizeof *met);
    code = nc_elements_intersect(&set, &model->allocator, model->settings.workers, met, room, &count, err);
    if (code == NC_OK)
        *out_count = keep_overlaps(model, met, room, out, capacity);
    nc_free(&model->allocator, met, (size_t)room, sizeof *met);
    return code;
}
