// Records the clusters of a step: bodies joined by certify, and by the failsafe before it.
#include "step/step.h"

// `clusters` are those of the failsafe; NULL: there are none.
static bool is_joined(const nc_fate *fate, const nc_clusters *clusters, int i)
{
    return fate->stuck || (clusters != NULL && nc_clusters_next(clusters, i) != i);
}

void nc_step_record_clusters(nc_step *step)
{
    const nc_workspace *w = step->work;
    const nc_bodies *bodies = &step->world->state.bodies;
    int *cluster = step->world->candidates.cluster;
    const bool failsafe = step->report.kinematic_clusters + step->report.full_clusters > 0;
    const nc_clusters *clusters = failsafe ? w->failsafe.clusters : NULL;
    for (int i = 0; i < bodies->count; i++)
        cluster[i] = i;
    for (int i = 0; i < bodies->count; i++) {
        if (bodies->alive[i] && w->fate[i].stuck)
            nc_forest_join(cluster, i, w->fate[i].group);
        if (bodies->alive[i] && clusters != NULL)
            nc_forest_join(cluster, i, nc_clusters_root(clusters, i));
    }
    // Roots are lower than what they name: from the end on, they are still there when they are read.
    for (int i = bodies->count - 1; i >= 0; i--)
        cluster[i] = bodies->alive[i] && is_joined(&w->fate[i], clusters, i) ? nc_forest_root(cluster, i) : -1;
}
