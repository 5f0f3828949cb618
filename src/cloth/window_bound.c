// How near a pair comes over a window: bounded from below, as tightly as the layers can tell.
//
// Over an interval the corners go along chords, up to how far they stray. A direction that turns linearly from the
// nearest points at one end to those at the other bounds the distance from below (nc_certificate_bound_hull). Where
// that says much less than the distances met so far, the interval is halved, at a kick if there is one.
#include "cloth/window.h"

#define CLOSE_BOUND  (1 - 1.0 / 32) // of the least distance met: layers' groups are a tenth apart
#define MAX_HALVINGS 16

typedef struct bounding {
    const nc_paths *paths;
    nc_hull_kind kind;
    const int *vertex;
    double enough;   // [m] no bound above this is of interest
    double met;      // [m] the least distance computed so far
    double rounding; // [m]
} bounding;

static double bound_chords(bounding *b, const nc_chords *c, int64_t ta, int64_t tb, int halvings)
{
    nc_vec3 from[4], to[4];
    nc_corner_differences(b->kind, c->from, from);
    nc_corner_differences(b->kind, c->to, to);
    const nc_vec3 n_a = nc_hull_nearest_checked(b->kind, from), n_b = nc_hull_nearest_checked(b->kind, to);
    b->met = fmin(b->met, fmin(nc_norm(n_a), nc_norm(n_b)));
    const double need = fmin(b->enough, CLOSE_BOUND * b->met) + c->stray + b->rounding;
    const nc_points hull = {from, to, (int)b->kind};
    const double bound = nc_certificate_bound_hull(hull, n_a, n_b, 2 * b->paths->size, need) - c->stray - b->rounding;
    if (bound >= b->enough || bound >= CLOSE_BOUND * b->met || halvings == 0 || tb - ta < 2)
        return bound;
    const int64_t kick = nc_paths_kick_inside(b->paths, b->vertex, ta, tb);
    const int64_t middle = kick >= 0 ? kick : ta + (tb - ta) / 2;
    const nc_chords one = nc_paths_chords(b->paths, b->kind, b->vertex, ta, middle);
    const double early = bound_chords(b, &one, ta, middle, halvings - 1);
    const nc_chords other = nc_paths_chords(b->paths, b->kind, b->vertex, middle, tb);
    return fmin(early, bound_chords(b, &other, middle, tb, halvings - 1));
}

// Over the whole window they are known.
static nc_chords whole_chords(const nc_cloth_search *search, nc_hull_kind kind, const int vertex[4])
{
    nc_chords c = {.kind = kind};
    double stray[4];
    for (int i = 0; i < 4; i++) {
        const nc_window_vertex *v = &search->vertices[vertex[i]];
        c.from[i] = v->from;
        c.to[i] = v->to;
        stray[i] = v->stray;
    }
    c.stray = kind == NC_HULL_TRIANGLE ? stray[0] + fmax(fmax(stray[1], stray[2]), stray[3])
                                       : fmax(stray[0], stray[1]) + fmax(stray[2], stray[3]);
    c.stray *= 1 + 0x1p-40;
    return c;
}

double nc_window_bound(const nc_cloth_search *search, nc_hull_kind kind, const int vertex[4], double enough)
{
    const nc_paths *paths = &search->paths;
    bounding b = {paths, kind, vertex, enough, INFINITY, 4 * NC_PATH_ROUNDING * paths->size};
    const nc_chords whole = whole_chords(search, kind, vertex);
    return fmax(0, bound_chords(&b, &whole, paths->begin, paths->end, MAX_HALVINGS));
}
