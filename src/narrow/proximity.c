// Finding what is near: candidates from the search, at most one for each place, then the filters.
//
// While finding, results are in home's frame with A standing for home; the list's free room is the only memory.
// Vertices are reached through a small table of chains, so that a vertex's nearest face is known at once and candidates
// that cannot beat it cost next to nothing.
#include "narrow/proximity.h"

// Edges that do not pass each other are not nearer than this part of the distance of some vertex.
#define VERTICES_FOR_EDGES (1.0 - 0x1p-20)

typedef struct finder {
    nc_near_search search; // first: the search hands out pointers to it
    const nc_proximity_options *options;
    nc_proximity_list *list;
    double distance;
    int start;                     // the list's count before
    int found;                     // candidates that wanted room
    nc_near_candidates candidates; // what the list holds after `start`
} finder;

nc_proximity_options nc_proximity_defaults(void)
{
    const nc_proximity_options options = {.angle = NC_PI / 60};
    return options;
}

void nc_proximity_list_free(nc_proximity_list *list)
{
    if (list->allocator != NULL)
        nc_free(list->allocator, list->data, (size_t)list->capacity, sizeof *list->data);
    list->data = NULL;
    list->count = list->capacity = 0;
}

// ---- candidates ---------------------------------------------------------------------------------------------

// Room for one more, or NULL; then finding continues, to know how much is needed.
static nc_proximity *append(finder *f)
{
    nc_proximity_list *list = f->list;
    f->found++;
    if (list->count == list->capacity &&
        (list->allocator == NULL ||
         !nc_grow(list->allocator, (void **)&list->data, &list->capacity, list->count + 1, sizeof *list->data)))
        return NULL;
    f->candidates.p = list->data + f->start;
    f->candidates.count = ++list->count - f->start;
    return &list->data[list->count - 1];
}

static void fill(const finder *f, const nc_near_pair *pair, nc_proximity *p)
{
    const nc_distance *d = &pair->distance;
    p->feature = pair->id;
    p->link = -1;
    p->distance = d->distance;
    p->lower_bound = fmax(0.0, d->lower_bound - f->search.frame.error);
    p->on_a = d->on_a;
    p->on_b = d->on_b;
}

// The nearest face of a vertex; of two that are equally near, the one of lower kind and row.
static bool is_better(const nc_near_pair *pair, const nc_proximity *best)
{
    const nc_feature_id *p = &pair->id, *q = &best->feature;
    if (pair->distance.distance != best->distance)
        return pair->distance.distance < best->distance;
    return p->kind != q->kind ? p->kind < q->kind : p->a != q->a ? p->a < q->a : p->b < q->b;
}

static void found_vertex(finder *f, const nc_near_pair *pair)
{
    const bool home = nc_vertex_is_home(pair->id.kind);
    const int vertex = home ? pair->id.a : pair->id.b;
    nc_proximity *p = f->options->local ? NULL : nc_near_candidate_first(&f->candidates, home, vertex);
    if (p != NULL) {
        const int link = p->link;
        if (is_better(pair, p))
            fill(f, pair, p);
        p->link = link;
        return;
    }
    p = append(f);
    if (p == NULL)
        return;
    int *chain = nc_near_candidates_chain(&f->candidates, home, vertex);
    fill(f, pair, p);
    p->link = *chain;
    *chain = f->candidates.count - 1;
}

// ---- edges --------------------------------------------------------------------------------------------------

static bool is_near(nc_vec3 a, nc_vec3 b, double tolerance)
{
    return nc_norm2(nc_sub(a, b)) <= tolerance * tolerance;
}

// Two edges that pass each other: not parallel, and nearest away from their ends. Other pairs of edges are as near at
// a vertex, whose own pairs answer for them.
static bool edges_pass(const finder *f, const nc_near_pair *pair)
{
    const nc_near_frame *frame = &f->search.frame;
    const int *row_a = frame->home.edges[pair->id.a], *row_b = frame->away.edges[pair->id.b];
    const nc_vec3 a[2] = {frame->home.vertices[row_a[0]], frame->home.vertices[row_a[1]]};
    const nc_vec3 b[2] = {nc_near_away(frame, frame->away.vertices[row_b[0]]),
                          nc_near_away(frame, frame->away.vertices[row_b[1]])};
    const nc_distance *d = &pair->distance;
    const double small = NC_NEAR_SMALL * d->distance + frame->slack;
    if (is_near(d->on_a, a[0], small) || is_near(d->on_a, a[1], small) || is_near(d->on_b, b[0], small) ||
        is_near(d->on_b, b[1], small))
        return false;
    // |a x b| / longer = shorter x sine: how far they come apart along the shorter one
    const nc_vec3 along_a = nc_sub(a[1], a[0]), along_b = nc_sub(b[1], b[0]);
    const double longer2 = fmax(nc_norm2(along_a), nc_norm2(along_b));
    return nc_norm2(nc_cross(along_a, along_b)) > small * small * longer2;
}

// ---- what the search calls ----------------------------------------------------------------------------------

static bool is_wanted(nc_near_search *search, const nc_feature_id *id, double bound)
{
    finder *f = (finder *)search;
    const bool home = nc_vertex_is_home(id->kind);
    const nc_proximity *best = nc_near_candidate_first(&f->candidates, home, home ? id->a : id->b);
    return best == NULL || bound <= best->distance + search->frame.slack;
}

static void take_pair(nc_near_search *search, const nc_near_pair *pair)
{
    finder *f = (finder *)search;
    if (!(pair->distance.lower_bound - search->frame.error < f->distance))
        return;
    if (pair->id.kind != NC_EDGE_EDGE && !f->options->every_pair) {
        found_vertex(f, pair);
        return;
    }
    nc_proximity *p = f->options->every_pair || edges_pass(f, pair) ? append(f) : NULL;
    if (p != NULL)
        fill(f, pair, p);
}

// ---- order --------------------------------------------------------------------------------------------------

static bool id_less(const nc_feature_id *a, const nc_feature_id *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->a != b->a ? a->a < b->a : a->b < b->b;
}

static void sift(nc_proximity *p, int at, int count)
{
    const nc_proximity moved = p[at];
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && id_less(&p[child].feature, &p[child + 1].feature))
            child++;
        if (!id_less(&moved.feature, &p[child].feature))
            break;
        p[at] = p[child];
    }
    p[at] = moved;
}

// Heapsort: in place, and as ids are all different its result is the only one there is.
static void sort_by_id(nc_proximity *p, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sift(p, i, count);
    for (int last = count - 1; last > 0; last--) {
        const nc_proximity swap = p[0];
        p[0] = p[last];
        p[last] = swap;
        sift(p, 0, last);
    }
}

// ---- all of it ----------------------------------------------------------------------------------------------

static nc_code check_options(double distance, const nc_proximity_options *options, nc_error *err)
{
    if (!(distance >= 0 && distance <= NC_COORDINATE_MAX))
        return nc_fail(err, NC_BAD_ARGUMENT, "the distance is %g, but must lie between 0 and %g", distance,
                       NC_COORDINATE_MAX);
    if (!options->every_pair && !(options->angle >= 0 && options->angle < NC_PI / 2))
        return nc_fail(err, NC_BAD_ARGUMENT, "the angle is %g, but must lie in [0, pi/2)", options->angle);
    return NC_OK;
}

static nc_code finish(finder *f, nc_error *err)
{
    nc_proximity *p = f->list->data != NULL ? f->list->data + f->start : NULL;
    f->list->needed = f->start + f->found;
    if (f->list->count - f->start < f->found) {
        f->list->count = f->start;
        return nc_fail(err, NC_OUT_OF_MEMORY, "the list has room for %d pairs, but %d are needed", f->list->capacity,
                       f->list->needed);
    }
    if (p == NULL) // no room, and none was needed
        return NC_OK;
    int count = f->found;
    if (!f->options->every_pair && count > 0)
        nc_near_box_partners(&f->search.frame, f->search.passing, f->search.partners);
    if (!f->options->every_pair)
        count = nc_proximity_filter(&f->search.frame, f->options, f->search.partners, &f->candidates);
    const nc_near_slots *partners = f->options->every_pair ? NULL : f->search.partners;
    for (int i = 0; i < count; i++) {
        p[i].normal = nc_near_normal(&f->search.frame, partners, &p[i]);
        nc_near_to_world(&f->search.frame, &p[i]);
    }
    sort_by_id(p, count);
    f->list->count = f->start + count;
    return NC_OK;
}

typedef enum find_how {
    PLAINLY, // without leaving out edges early
    SHORTLY,
} find_how;

// Of all features, or of those in `among`.
static nc_code find(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                    const nc_proximity_options *options, find_how how, const nc_cached_pairs *among,
                    nc_proximity_list *list, nc_error *err)
{
    finder f;
    nc_code code = check_options(distance, options, err);
    if (code == NC_OK)
        code = nc_near_frame_make(a, pose_a, b, pose_b, &f.search.frame, err);
    if (code != NC_OK)
        return code;
    f.options = options;
    f.list = list;
    f.distance = distance;
    f.start = list->count;
    f.found = 0;
    f.candidates.count = 0;
    for (int i = 0; i < NC_NEAR_CHAINS; i++)
        f.candidates.head[i] = -1;
    f.search.sharp = !options->every_pair && !options->flat_too;
    f.search.uncut = f.search.sharp && how == SHORTLY;
    f.search.passing = !options->every_pair && how == SHORTLY;
    f.search.motion = 0;
    f.search.wanted = options->every_pair || options->local ? NULL : is_wanted;
    f.search.batched = how == SHORTLY && f.search.wanted == NULL;
    f.search.found = take_pair;
    f.search.out_pairs = NULL;
    nc_near_set_reach(&f.search, distance);
    f.search.measured = true;
    if (among == NULL)
        nc_near_run(&f.search);
    else
        nc_near_run_among(&f.search, among);
    // What was not examined is farther than the reach with error and slack, or edges for which a vertex was.
    const double least = f.search.least * (options->every_pair ? 1.0 : VERTICES_FOR_EDGES);
    list->clearance = fmax(0.0, fmin(distance, least - f.search.frame.slack) - f.search.frame.error);
    return finish(&f, err);
}

nc_code nc_proximity_find(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                          const nc_proximity_options *options, nc_proximity_list *list, nc_error *err)
{
    return find(a, pose_a, b, pose_b, distance, options, SHORTLY, NULL, list, err);
}

nc_code nc_proximity_find_among(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                const nc_proximity_options *options, const nc_cached_pairs *among,
                                nc_proximity_list *list, nc_error *err)
{
    return find(a, pose_a, b, pose_b, distance, options, SHORTLY, among, list, err);
}

nc_code nc_proximity_find_plainly(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                  const nc_proximity_options *options, nc_proximity_list *list, nc_error *err)
{
    return find(a, pose_a, b, pose_b, distance, options, PLAINLY, NULL, list, err);
}

bool nc_proximity_list_candidates(const nc_mesh *a, nc_pose pose_a, const nc_mesh *b, nc_pose pose_b, double distance,
                                  double motion, nc_cached_pairs *out)
{
    nc_near_search search;
    if (nc_near_frame_make(a, pose_a, b, pose_b, &search.frame, NULL) != NC_OK)
        return false;
    search.wanted = NULL;
    search.out_pairs = out;
    search.list_first = out->count;
    search.sharp = search.measured = search.batched = false;
    search.passing = search.uncut = true;
    search.motion = motion;
    nc_near_set_reach(&search, distance);
    nc_near_run(&search);
    return out->count <= out->capacity;
}
