// The smallest distance of two meshes, by branch and bound.
//
// Every pair of features is either examined, or lies in boxes or hulls whose distance exceeds the best found so far.
// So the smallest of the lower bounds of the pairs examined, or the best distance itself, bounds all of them.
#include "narrow/proximity.h"

typedef struct closest {
    nc_near_search search; // first: the search hands out pointers to it
    nc_proximity best;
    double lower_bound; // [m] of what was examined
} closest;

static bool id_less(const nc_feature_id *a, const nc_feature_id *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->a != b->a ? a->a < b->a : a->b < b->b;
}

static void take_closer(nc_near_search *search, const nc_near_pair *pair)
{
    closest *c = (closest *)search;
    const nc_distance *d = &pair->distance;
    c->lower_bound = fmin(c->lower_bound, d->lower_bound);
    const bool tie = d->distance == c->best.distance && id_less(&pair->id, &c->best.feature);
    if (!(d->distance < c->best.distance) && !tie)
        return;
    c->best = (nc_proximity){.feature = pair->id, .distance = d->distance, .on_a = d->on_a, .on_b = d->on_b};
    nc_near_set_reach(search, d->distance);
}

// The distance of any two vertices, for a start.
static double any_distance(const nc_near_frame *f)
{
    return nc_norm(nc_sub(f->home.vertices[0], nc_near_away(f, f->away.vertices[0])));
}

nc_code nc_mesh_distance_within(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double limit,
                                nc_proximity *out, nc_error *err)
{
    closest c;
    c.search.found = take_closer;
    c.search.wanted = NULL;
    c.search.batched = false;
    c.search.sharp = c.search.uncut = c.search.passing = false;
    c.search.measured = false;
    c.search.out_pairs = NULL;
    c.best.distance = c.lower_bound = INFINITY;
    const nc_code code = nc_near_frame_make(a, pose_a, b, pose_b, &c.search.frame, err);
    if (code != NC_OK)
        return code;
    const double reach = fmin(limit, any_distance(&c.search.frame));
    nc_near_set_reach(&c.search, reach);
    nc_near_run(&c.search);
    if (c.best.distance == INFINITY) {
        *out = (nc_proximity){.distance = INFINITY, .lower_bound = fmax(0.0, reach - c.search.frame.error)};
        return NC_OK;
    }
    // Pairs not examined are farther than the reach was with error and slack, so than the last and smallest reach.
    c.best.lower_bound = fmax(0.0, fmin(c.lower_bound, c.best.distance) - c.search.frame.error);
    c.best.normal = nc_near_normal(&c.search.frame, NULL, &c.best);
    nc_near_to_world(&c.search.frame, &c.best);
    *out = c.best;
    return NC_OK;
}

nc_code nc_mesh_distance(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, nc_proximity *out,
                         nc_error *err)
{
    return nc_mesh_distance_within(a, pose_a, b, pose_b, INFINITY, out, err);
}
