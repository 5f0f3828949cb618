// Rest distances that fit the play a pair has.
//
// A pin in a hole, a bolt in its nut, a cup between two fingers: bodies that have something close to them on two
// opposite sides. Where the rest distance is more than half of that play, both sides cannot be at rest at once, and
// contact would hold the body in the middle and brake every motion. Such pairs rest at a quarter of their play, so half
// of it stays free.
//
// A scripted body that had to wait for another one is not free in its play: it presses, and its pairs rest as always.
//
// Opposite sides count only where the play is that of rigid things: two places of the same pair of bodies, or of a body
// and any two bodies of infinite mass. (The boxes above and below in a stack are no play: they give way.) The result is
// a function of the poses alone.
#include "step/find_contacts.h"

#define DIRECTIONS (6 * NC_PLAY_CELLS_PER_EDGE * NC_PLAY_CELLS_PER_EDGE)

// The nearest contact of each cell of directions.
typedef struct nearest_by_direction {
    double distance[DIRECTIONS]; // [m] infinite: none
    nc_vec3 normal[DIRECTIONS];
    int used[DIRECTIONS], used_count; // cells with a contact
} nearest_by_direction;

static int cell_along(double part)
{
    const int cell = (int)((part + 1) * (0.5 * NC_PLAY_CELLS_PER_EDGE));
    return cell < 0 ? 0 : cell >= NC_PLAY_CELLS_PER_EDGE ? NC_PLAY_CELLS_PER_EDGE - 1 : cell;
}

static int direction_cell(nc_vec3 n)
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int face = 0;
    double major = n.x, p = n.y, q = n.z;
    if (y > x && y >= z) {
        face = 1;
        major = n.y;
        p = n.z;
        q = n.x;
    } else if (z > x) {
        face = 2;
        major = n.z;
        p = n.x;
        q = n.y;
    }
    const double size = fabs(major);
    if (!(size > 0))
        return 0;
    return ((2 * face + (major < 0)) * NC_PLAY_CELLS_PER_EDGE + cell_along(p / size)) * NC_PLAY_CELLS_PER_EDGE +
           cell_along(q / size);
}

static void clear_directions(nearest_by_direction *near)
{
    for (int k = 0; k < DIRECTIONS; k++)
        near->distance[k] = INFINITY;
    near->used_count = 0;
}

static void add_direction(nearest_by_direction *near, nc_vec3 normal, double distance)
{
    const int cell = direction_cell(normal);
    if (!(distance < near->distance[cell]))
        return;
    if (near->distance[cell] == INFINITY)
        near->used[near->used_count++] = cell;
    near->distance[cell] = distance;
    near->normal[cell] = normal;
}

// [m] the distance to the nearest contact on the opposite side.
static double opposite_distance(const nearest_by_direction *near, nc_vec3 normal)
{
    double least = INFINITY;
    for (int k = 0; k < near->used_count; k++) {
        const int cell = near->used[k];
        if (near->distance[cell] < least && nc_dot(near->normal[cell], normal) < NC_PLAY_OPPOSITE_COSINE)
            least = near->distance[cell];
    }
    return least;
}

// The row of the body that can move where the other one cannot; -1 where both can.
static int lone_body(const uint8_t *role, const nc_near_row *row)
{
    if (nc_row_is_free(role, row->i) && nc_row_is_free(role, row->j))
        return -1;
    return nc_row_is_free(role, row->i) ? row->i : row->j;
}

// Normals of a row's features, as they push `body`.
static nc_vec3 toward(const nc_near_row *row, int body, nc_vec3 normal)
{
    return body == row->j ? nc_neg(normal) : normal;
}

static void add_row(const nc_near_table *table, nearest_by_direction *near, const nc_near_row *row, int body)
{
    const nc_proximity *features = nc_near_features(table, row);
    for (int k = 0; k < row->count; k++)
        add_direction(near, toward(row, body, features[k].normal), features[k].distance);
}

static double play_of_row(const nc_near_table *table, const nearest_by_direction *near, const nc_near_row *row,
                          int body)
{
    const nc_proximity *features = nc_near_features(table, row);
    double play = INFINITY;
    for (int k = 0; k < row->count; k++) {
        const double there = opposite_distance(near, toward(row, body, features[k].normal));
        play = fmin(play, features[k].distance + there);
    }
    return play;
}

double nc_play_among(const nc_proximity *features, int count)
{
    nearest_by_direction near;
    double play = INFINITY;
    clear_directions(&near);
    for (int k = 0; k < count; k++)
        add_direction(&near, features[k].normal, features[k].distance);
    for (int k = 0; near.used_count > 1 && k < count; k++)
        play = fmin(play, features[k].distance + opposite_distance(&near, features[k].normal));
    return play;
}

static void limit_row(nc_near *near, int index, double play)
{
    const nc_near_row *row = &near->table.rows.data[index];
    const double rest = nc_world_pair_rest(near->world, row->i, row->j);
    const double least = NC_PLAY_MIN_REST_FLOORS * near->world->settings.floor_distance;
    near->rest.data[index] = fmin(rest, fmax(least, NC_PLAY_REST_SHARE * play));
}

// A scripted body that had to wait for another presses on it: it is not free to move between its neighbours.
static bool presses(const nc_bodies *bodies, const nc_near_row *row, int body)
{
    const int other = row->i == body ? row->j : row->i;
    return bodies->type[other] == NC_KINEMATIC && bodies->script_delay[other] > 0;
}

// Rows of bodies between others that cannot move, body by body.
static void limit_lone_bodies(nc_near *near, nearest_by_direction *nearest)
{
    const nc_bodies *bodies = &near->world->state.bodies;
    const nc_near_row *rows = near->table.rows.data;
    for (int body = 0; body < bodies->count; body++) {
        const int first = near->first.data[body];
        if (first < 0)
            continue;
        clear_directions(nearest);
        for (int r = first; r >= 0; r = near->next.data[r])
            add_row(&near->table, nearest, &rows[r], body);
        for (int r = first; nearest->used_count > 1 && r >= 0; r = near->next.data[r])
            if (!presses(bodies, &rows[r], body))
                limit_row(near, r, play_of_row(&near->table, nearest, &rows[r], body));
    }
}

static nc_code reserve(nc_near *near, nc_error *err)
{
    const int rows = near->table.rows.count, bodies = near->world->state.bodies.count;
    if (!nc_array_reserve(near->allocator, &near->rest, rows) ||
        !nc_array_reserve(near->allocator, &near->next, rows) ||
        !nc_array_reserve(near->allocator, &near->first, bodies))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the rest distances of %d pairs", rows);
    near->rest.count = rows;
    return NC_OK;
}

nc_code nc_near_find_rest(nc_near *near, nc_error *err)
{
    const nc_code code = reserve(near, err);
    nearest_by_direction nearest;
    if (code != NC_OK)
        return code;
    for (int i = 0; i < near->world->state.bodies.count; i++)
        near->first.data[i] = -1;
    for (int r = near->table.rows.count - 1; r >= 0; r--) { // backwards: lists ascend
        const nc_near_row *row = &near->table.rows.data[r];
        const int body = lone_body(near->role, row);
        near->rest.data[r] = nc_world_pair_rest(near->world, row->i, row->j);
        near->next.data[r] = -1;
        if (row->count == 0)
            continue;
        if (body >= 0) {
            near->next.data[r] = near->first.data[body];
            near->first.data[body] = r;
            continue;
        }
        clear_directions(&nearest);
        add_row(&near->table, &nearest, row, -1);
        if (nearest.used_count > 1)
            limit_row(near, r, play_of_row(&near->table, &nearest, row, -1));
    }
    limit_lone_bodies(near, &nearest);
    return NC_OK;
}

double nc_near_pair_rest(const nc_near *near, int i, int j)
{
    const double rest = nc_world_pair_rest(near->world, i, j);
    const nc_near_row *row = near->table.made ? nc_near_table_find(&near->table, i, j) : NULL;
    return row != NULL ? fmin(rest, near->rest.data[row - near->table.rows.data]) : rest;
}

double nc_near_to_rest(const nc_near *near, double dt, const nc_contact *contact, double distance)
{
    return (nc_near_pair_rest(near, contact->a, contact->b) - distance) / dt;
}
