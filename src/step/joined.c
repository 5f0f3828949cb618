// Who was joined with whom in a step: by certify, and by the failsafe before it.
#include "step/step.h"

static int root_of(const int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

// The lower root is the name of both.
static void join(int *parent, int i, int j)
{
    const int a = root_of(parent, i), b = root_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

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
            join(cluster, i, w->fate[i].group);
        if (bodies->alive[i] && failsafe)
            join(cluster, i, nc_clusters_root(w->clusters, i));
    }
    // Names are lower than what they name: from the end on, they are still there when they are asked for.
    for (int i = bodies->count - 1; i >= 0; i--)
        cluster[i] = is_joined(step, i, failsafe) ? root_of(cluster, i) : -1;
}
