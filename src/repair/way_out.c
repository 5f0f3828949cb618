// How far, and which way, must a body be moved to be free of another one?
//
// Directions are proposed by the surfaces where they cross: normals, sums of normals (a corner), the area inside the
// curve of intersection (the gradient of the common volume), centres. Each is tried by the exact test itself, at
// growing travels and then by bisection, so whatever the meshes are like (open, concave, nested), a way out that is
// found is one. The shortest counts.
#include "repair/repair.h"

#define MAX_TRAVEL   0.25   // [1] of the smaller body's size
#define FIRST_TRAVEL 1.25   // [gap] a pair that only touches is free at 1
#define NEXT_TRAVEL  4      // [1] times the travel before
#define SHARPNESS    1024   // [1] bisection ends at this part of the gap
#define SAME         0.966  // [1] cosine (15 degrees): normals of one group
#define ALIKE        0.9998 // [1] cosine (1 degree): directions that are tried once
#define CLEARLY_LESS 0.9    // [1] of the best travel: the earlier direction is kept otherwise
#define MAX_GROUPS   10     // normals
#define MAX_SUMMED   4      // of them, summed two by two and three by three
#define MAX_TRIED    48     // directions
#define NEARLY       (1 - 0x1p-20)

typedef struct directions {
    nc_vec3 data[MAX_TRIED];
    int count;
} directions;

typedef struct group {
    nc_vec3 sum;
    int weight;
} group;

typedef struct groups {
    group data[4 * MAX_GROUPS];
    int count;
} groups;

// ---- the test -----------------------------------------------------------------------------------------------

static nc_code is_free(const nc_posed_pair *pair, nc_vec3 direction, double travel, bool *out, nc_error *err)
{
    nc_posed_pair moved = *pair;
    nc_closeness near;
    bool hit = true;
    *out = false;
    moved.pose_a.x = nc_madd(pair->pose_a.x, travel, direction);
    nc_code code = nc_mesh_intersect(moved.a, moved.pose_a, moved.b, moved.pose_b, &hit, NULL, err);
    if (code != NC_OK || hit)
        return code;
    code = nc_closeness_find(moved.a, moved.pose_a, moved.b, moved.pose_b, moved.gap, &near, err);
    if (code == NC_OK)
        *out = near.distance >= NEARLY * moved.gap && nc_pair_inside(&moved) == NC_INSIDE_NEITHER;
    return code;
}

// The first travel that is free among growing ones, then bisected. Leaves *best alone unless it is clearly less.
static nc_code try_direction(const nc_posed_pair *pair, nc_vec3 direction, double most, nc_way_out *best, nc_error *err)
{
    const double enough = isfinite(best->travel) ? CLEARLY_LESS * best->travel : most;
    double low = 0, high = fmin(FIRST_TRAVEL * pair->gap, enough);
    bool is = false;
    nc_code code = NC_OK;
    // Most directions are no better: one look says so.
    if (isfinite(best->travel)) {
        code = is_free(pair, direction, enough, &is, err);
        if (code != NC_OK || !is)
            return code;
    }
    for (;;) {
        code = is_free(pair, direction, high, &is, err);
        if (code != NC_OK || (!is && high >= enough))
            return code;
        if (is)
            break;
        low = high;
        high = fmin(NEXT_TRAVEL * high, enough);
    }
    while (code == NC_OK && high - low > fmax(pair->gap / SHARPNESS, 0x1p-40 * high)) {
        const double middle = 0.5 * (low + high);
        code = is_free(pair, direction, middle, &is, err);
        *(is ? &high : &low) = middle;
    }
    if (code == NC_OK) {
        best->travel = high;
        best->direction = direction;
    }
    return code;
}

// ---- proposals ----------------------------------------------------------------------------------------------

static void propose(directions *list, nc_vec3 direction)
{
    const double length = nc_norm(direction);
    if (!(length > 0x1p-20) || !isfinite(length) || list->count == MAX_TRIED)
        return;
    const nc_vec3 unit = nc_scale(1 / length, direction);
    for (int k = 0; k < list->count; k++)
        if (nc_dot(list->data[k], unit) > ALIKE)
            return;
    list->data[list->count++] = unit;
}

static void add_normal(groups *all, nc_vec3 normal)
{
    if (!(nc_norm2(normal) > 0))
        return;
    for (int k = 0; k < all->count; k++) {
        group *g = &all->data[k];
        if (nc_dot(g->sum, normal) > SAME * nc_norm(g->sum)) {
            g->sum = nc_add(g->sum, normal);
            g->weight++;
            return;
        }
    }
    if (all->count < (int)(sizeof all->data / sizeof all->data[0]))
        all->data[all->count++] = (group){normal, 1};
}

// The heaviest first; of equal ones the earlier.
static void order_groups(groups *all)
{
    for (int i = 1; i < all->count; i++) {
        const group g = all->data[i];
        int k = i;
        for (; k > 0 && all->data[k - 1].weight < g.weight; k--)
            all->data[k] = all->data[k - 1];
        all->data[k] = g;
    }
    if (all->count > MAX_GROUPS)
        all->count = MAX_GROUPS;
}

// A leaves along B's outward normals and against its own. An open surface has no outside: both ways.
static void gather_normals(const nc_posed_pair *pair, const nc_shared_points *points, groups *out)
{
    const bool a_closed = nc_mesh_view(pair->a).closed, b_closed = nc_mesh_view(pair->b).closed;
    for (int k = 0; k < points->count; k++) {
        const nc_shared_point *p = &points->data[k];
        add_normal(out, p->normal_b);
        add_normal(out, nc_neg(p->normal_a));
        if (!b_closed)
            add_normal(out, nc_neg(p->normal_b));
        if (!a_closed)
            add_normal(out, p->normal_a);
    }
    order_groups(out);
    for (int k = 0; k < out->count; k++)
        out->data[k].sum = nc_scale(1 / nc_norm(out->data[k].sum), out->data[k].sum);
}

// Two and three walls at once.
static void propose_sums(directions *list, const groups *normals)
{
    const int count = normals->count < MAX_SUMMED ? normals->count : MAX_SUMMED;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const nc_vec3 sum = nc_add(normals->data[i].sum, normals->data[j].sum);
            propose(list, sum);
            for (int k = j + 1; k < count; k++)
                propose(list, nc_add(sum, normals->data[k].sum));
        }
}

static nc_vec3 middle_of(const nc_shared_points *points)
{
    nc_vec3 sum = {0, 0, 0};
    for (int k = 0; k < points->count; k++)
        sum = nc_add(sum, points->data[k].place);
    return points->count > 0 ? nc_scale(1.0 / points->count, sum) : sum;
}

// The vector area that the curve of intersection bounds.
static nc_vec3 area_of(const nc_shared_points *points, nc_vec3 middle)
{
    nc_vec3 area = {0, 0, 0};
    for (int k = 0; k < points->count; k++)
        area = nc_madd(area, 0.5, nc_cross(nc_sub(points->data[k].place, middle), points->data[k].segment));
    const double length = nc_norm(area);
    return length > 0 ? nc_scale(1 / length, area) : area;
}

static void propose_all(const nc_posed_pair *pair, const nc_shared_points *points, nc_vec3 middle, directions *out)
{
    groups normals = {.count = 0};
    const nc_vec3 area = area_of(points, middle);
    const nc_vec3 between = nc_sub(pair->pose_a.x, pair->pose_b.x);
    gather_normals(pair, points, &normals);
    propose(out, pair->prefer);
    for (int k = 0; k < normals.count; k++)
        propose(out, normals.data[k].sum);
    propose(out, area);
    propose(out, nc_neg(area));
    propose(out, nc_norm2(between) > 0 ? nc_scale(1 / nc_norm(between), between) : between);
    propose_sums(out, &normals);
    propose(out, nc_neg(pair->prefer));
}

nc_code nc_way_out_find(const nc_posed_pair *pair, nc_way_out *out, nc_error *err)
{
    nc_shared_points points;
    directions list = {.count = 0};
    nc_code code = NC_OK;
    nc_shared_points_find(pair, &points);
    *out = (nc_way_out){.travel = INFINITY, .place = middle_of(&points)};
    propose_all(pair, &points, out->place, &list);
    const double most = fmax(MAX_TRAVEL * fmin(nc_mesh_diagonal(pair->a), nc_mesh_diagonal(pair->b)), pair->gap);
    // What shares a point must travel by the gap at least: nothing is shorter than that.
    const double least = pair->gap * (1 + 0x1p-5);
    for (int k = 0; k < list.count && code == NC_OK && out->travel > least; k++)
        code = try_direction(pair, list.data[k], most, out, err);
    return code;
}
