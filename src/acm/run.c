// A frame: windows of time, one after the other, and what is prescribed between them.
#include "acm/ticks.h"

nc_code nc_acm_jam(nc_cloth_world *world, nc_acm_pair pair, int layer, int64_t tick, nc_error *err)
{
    const nc_acm_model *m = &world->model;
    nc_cloth_jam *jam = &world->jam;
    *jam = (nc_cloth_jam){.time = (double)tick * m->unit, .edges = pair.kind == NC_ACM_EDGE_EDGE, .layer = layer};
    const int count = nc_acm_pair_vertices(m, pair, jam->vertices);
    if (layer == 0) { // nothing acted: the layer that would have to
        const nc_acm_contact c = nc_acm_contact_make(m, pair);
        jam->layer = c.limit >= 0 ? m->layers.last[c.limit] + 1 : 1;
    }
    jam->object_a = m->object[jam->vertices[0]];
    jam->object_b = m->object[jam->vertices[count - 1]];
    for (int k = 0; k < count; k++)
        jam->place = nc_madd(jam->place, 1.0 / count, nc_acm_at(&world->states[jam->vertices[k]], tick, m->unit));
    world->has_jam = true;
    return nc_fail(
        err, NC_JAMMED,
        "no room left at t = %.9g s between \"%s\" and \"%s\" near (%.6g, %.6g, %.6g): %s would have to enter "
        "layer %d",
        jam->time, m->objects.data[jam->object_a].name, m->objects.data[jam->object_b].name, jam->place.x, jam->place.y,
        jam->place.z, jam->edges ? "two edges" : "a vertex and a triangle", jam->layer);
}

nc_code nc_acm_audit(nc_cloth_world *world, nc_error *err)
{
    if (!world->audit)
        return NC_OK;
    const double begin = nc_wall_clock();
    const nc_code code = nc_acm_audit_window(world->search, &world->model, world->states, &world->trace,
                                             &world->counts.audited, &world->counts.crossings, NULL, err);
    world->seconds_audit += nc_wall_clock() - begin;
    return code;
}

nc_code nc_acm_run_frame(nc_cloth_world *world, nc_error *err)
{
    const int64_t end = (world->frame + 1) * NC_ACM_FRAME, step = nc_acm_step_ticks(NC_ACM_SCRIPT_LEVEL);
    int64_t now = world->frame * NC_ACM_FRAME;
    nc_code code = NC_OK;
    if (world->model.settings.finder == NC_FINDER_KINETIC)
        return nc_acm_follow_frame(world, err);
    while (code == NC_OK && now < end) {
        if (now % step == 0)
            nc_acm_scripts_run(world, now);
        code = nc_acm_components_update(world) ? nc_acm_speculate(world, now, &now, err)
                                               : nc_fail_memory(err, sizeof(nc_acm_component));
    }
    return code;
}
