// Who was joined with whom in a step: by certify, and by the failsafe before it.
#include "step/step.h"

static bool is_joined(const nc_step *step, int i, bool failsafe)
{
    const nc_workspace *w = step->work;
    if (!step->world->state.bodies.alive[i])
        return false;
    return w->fate[i].stuck || (failsafe && nc_clusters_next(w->clusters, i) != i);
}

void nc_step_note_clusters(nc_step *step)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    int *cluster = step->world->candidates.cluster;
    const bool failsafe = step->report.kinematic_clusters + step->report.full_clusters > 0;
    for (int i = 0; i < bodies->count; i++)
        cluster[i] = i;
    for (int i = 0; i < bodies->count; i++) {
        if (bodies->alive[i] && w->fate[i].stuck)
            nc_forest_join(cluster, i, w->fate[i].group);
        if (bodies->alive[i] && failsafe)
            nc_forest_join(cluster, i, nc_clusters_root(w->clusters, i));
    }
    // Roots are lower than what they name: from the end on, they are still there when they are read.
    for (int i = bodies->count - 1; i >= 0; i--)
        cluster[i] = is_joined(step, i, failsafe) ? nc_forest_root(cluster, i) : -1;
}
