// A frame: windows of time, one after the other, and what is prescribed between them.
#include "cloth/ticks.h"

nc_code nc_cloth_fail_jammed(nc_cloth_world *world, nc_cloth_pair pair, int layer, int64_t tick, nc_error *err)
{
    const nc_cloth_model *m = &world->model;
    nc_cloth_jam *jam = &world->jam;
    *jam = (nc_cloth_jam){.time = (double)tick * m->unit, .edges = pair.kind == NC_CLOTH_EDGE_EDGE, .layer = layer};
    const int count = nc_cloth_pair_vertices(m, pair, jam->vertices);
    if (layer == 0) { // nothing acted: the layer that would have to
        const nc_cloth_active_contact c = nc_cloth_contact_make(m, pair);
        jam->layer = c.limit >= 0 ? m->layers.last[c.limit] + 1 : 1;
    }
    jam->object_a = m->object[jam->vertices[0]];
    jam->object_b = m->object[jam->vertices[count - 1]];
    for (int k = 0; k < count; k++)
        jam->place =
            nc_madd(jam->place, 1.0 / count, nc_cloth_position_at(&world->states[jam->vertices[k]], tick, m->unit));
    world->has_jam = true;
    return nc_fail(err, NC_JAMMED,
                   "no room left at t = %.9g s between \"%s\" and \"%s\" at (%.6g, %.6g, %.6g): %s would have to enter "
                   "layer %d",
                   jam->time, m->objects.data[jam->object_a].name, m->objects.data[jam->object_b].name, jam->place.x,
                   jam->place.y, jam->place.z, jam->edges ? "two edges" : "a vertex and a triangle", jam->layer);
}

nc_code nc_cloth_audit_trace(nc_cloth_world *world, nc_error *err)
{
    if (!world->audit)
        return NC_OK;
    const double begin = nc_wall_clock();
    const nc_code code = nc_cloth_audit_window(world->search, &world->model, world->states, &world->trace,
                                               &world->counts.audited, &world->counts.crossings, NULL, err);
    world->seconds_audit += nc_wall_clock() - begin;
    return code;
}

nc_code nc_cloth_run_frame(nc_cloth_world *world, nc_error *err)
{
    const int64_t end = (world->frame + 1) * NC_CLOTH_TICKS_PER_FRAME,
                  step = nc_cloth_step_ticks(NC_CLOTH_SCRIPT_LEVEL);
    int64_t now = world->frame * NC_CLOTH_TICKS_PER_FRAME;
    nc_code code = NC_OK;
    if (world->model.settings.finder == NC_FINDER_KINETIC)
        return nc_cloth_follow_frame(world, err);
    while (code == NC_OK && now < end) {
        if (now % step == 0)
            nc_cloth_scripts_run(world, now);
        code = nc_cloth_components_update(world) ? nc_cloth_speculate(world, now, &now, err)
                                                 : nc_fail_memory(err, sizeof(nc_cloth_component));
    }
    return code;
}
