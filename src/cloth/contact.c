// Pairs of features, their nests of layers, and the impulse of a nest at a tick.
#include "cloth/contact.h"

// ---- pairs --------------------------------------------------------------------------------------------------

bool nc_cloth_pair_less(nc_cloth_pair p, nc_cloth_pair q)
{
    if (p.kind != q.kind)
        return p.kind < q.kind;
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

// The first vertex of the second feature.
static int second(nc_cloth_pair pair)
{
    return pair.kind == NC_CLOTH_EDGE_EDGE ? 2 : 1;
}

bool nc_cloth_pair_applies(const nc_cloth_model *model, nc_cloth_pair pair)
{
    int v[4];
    const int count = nc_cloth_pair_vertices(model, pair, v), half = second(pair);
    for (int i = 0; i < half; i++)
        for (int k = half; k < count; k++)
            if (v[i] == v[k])
                return false;
    const nc_cloth_object *a = &model->objects.data[model->object[v[0]]];
    const nc_cloth_object *b = &model->objects.data[model->object[v[half]]];
    if (pair.kind == NC_CLOTH_POINT_POINT)
        return a->type == NC_CLOTH_PARTICLES && b->type == NC_CLOTH_PARTICLES;
    return a->type != NC_CLOTH_OBSTACLE || b->type != NC_CLOTH_OBSTACLE;
}

// Of two coefficients, of which a negative one stands for the other: their mean; `fallback` when both are.
static double mean(double p, double q, double fallback)
{
    if (p < 0 && q < 0)
        return fallback;
    return p < 0 ? q : q < 0 ? p : 0.5 * (p + q);
}

double nc_cloth_object_thickness(const nc_cloth_model *model, int object_a, int object_b)
{
    return mean(model->objects.data[object_a].contact.thickness, model->objects.data[object_b].contact.thickness, 0.01);
}

void nc_cloth_thicknesses(const nc_cloth_model *model, double *out)
{
    for (int a = 0; a < model->objects.count; a++) {
        const nc_cloth_object *object = &model->objects.data[a];
        double most = 0;
        for (int b = 0; b < model->objects.count; b++)
            most = fmax(most, nc_cloth_object_thickness(model, a, b));
        for (int v = object->first_vertex; v < object->first_vertex + object->vertex_count; v++)
            out[v] = most;
    }
}

// Which row of near_first a pair belongs to.
static int near_row(const nc_cloth_model *model, nc_cloth_pair pair)
{
    return pair.kind == NC_CLOTH_VERTEX_TRIANGLE ? pair.a
           : pair.kind == NC_CLOTH_EDGE_EDGE     ? model->vertex_count + pair.a
                                                 : model->vertex_count + model->edges.count + pair.a;
}

bool nc_cloth_near_index(nc_cloth_model *model)
{
    const int rows = 2 * model->vertex_count + model->edges.count;
    int *first = nc_alloc(&model->allocator, (size_t)rows + 1, sizeof *first);
    if (first == NULL)
        return false;
    for (int i = 0; i < model->near_start.count; i++)
        first[near_row(model, model->near_start.data[i].pair) + 1]++;
    for (int i = 0; i < rows; i++)
        first[i + 1] += first[i];
    model->near_first = first;
    model->near_rows = rows;
    return true;
}

// The row of a pair in the table of near starts, -1 when it is not there. Each (kind, a) has few.
static int near_start_row(const nc_cloth_model *model, nc_cloth_pair pair)
{
    if (model->near_first == NULL)
        return -1;
    const int row = near_row(model, pair);
    for (int i = model->near_first[row]; i < model->near_first[row + 1]; i++)
        if (model->near_start.data[i].pair.b == pair.b)
            return i;
    return -1;
}

double nc_cloth_pair_thickness(const nc_cloth_model *model, nc_cloth_pair pair)
{
    const int row = near_start_row(model, pair);
    if (row >= 0)
        return model->near_start.data[row].thickness;
    int v[4];
    (void)nc_cloth_pair_vertices(model, pair, v);
    return nc_cloth_object_thickness(model, model->object[v[0]], model->object[v[second(pair)]]);
}

// ---- contacts -----------------------------------------------------------------------------------------------

// The largest sum of w^2 / m over the points of both features: at a corner of each. 0 when nothing can move.
static double lightest(const nc_cloth_model *model, const int *v, int count, int half)
{
    double first = 0, other = 0;
    for (int k = 0; k < count; k++) {
        const double mass = model->mass[v[k]], inv = mass > 0 ? 1 / mass : 0;
        if (k < half)
            first = fmax(first, inv);
        else
            other = fmax(other, inv);
    }
    return first + other;
}

// The part of the stability limit that a contact's step is. Entering or leaving a layer between two ticks changes the
// energy by up to (omega h)^2 / 4 of it, up or down: bounces that give their energy back take shorter steps.
static double safety_of(const nc_cloth_model *model, double restitution)
{
    const double e = restitution > NC_CLOTH_COVER_RESTITUTION ? restitution : 0;
    return model->settings.contact_safety / (1 + 3 * e * e);
}

nc_cloth_active_contact nc_cloth_contact_make(const nc_cloth_model *model, nc_cloth_pair pair)
{
    nc_cloth_active_contact c = {.pair = pair, .depth = -1};
    c.count = nc_cloth_pair_vertices(model, pair, c.v);
    const int half = second(pair);
    const nc_cloth_contact *a = &model->objects.data[model->object[c.v[0]]].contact;
    const nc_cloth_contact *b = &model->objects.data[model->object[c.v[half]]].contact;
    c.r = mean(a->stiffness, b->stiffness, 1000);
    c.thickness = nc_cloth_pair_thickness(model, pair);
    c.restitution = mean(a->restitution, b->restitution, 0);
    c.friction = mean(a->friction, b->friction, 0);
    const double inv = lightest(model, c.v, c.count, half);
    c.level = inv > 0 ? nc_cloth_level_for(model, safety_of(model, c.restitution) * 2 / sqrt(c.r * inv))
                      : model->settings.gravity_level;
    const int finest = NC_CLOTH_LEVELS - c.level;
    c.limit = model->layers.group_count - 1 < finest ? model->layers.group_count - 1 : finest;
    c.floor = 0.5 * c.thickness * (c.limit >= 0 ? model->layers.eta[model->layers.last[c.limit]] : 1);
    return c;
}

// How many layers are thicker than `distance`; `most` + 1 when more than `most` are.
static int layers_within(const nc_cloth_active_contact *c, double distance, int most)
{
    const double q = c->thickness / distance, square = q * q;
    const double layers = ceil(square * square) - 1;
    return layers <= most ? (layers > 0 ? (int)layers : 0) : most + 1; // NaN and infinity: too many
}

static int group_of(const nc_cloth_layers *layers, int layer, int limit)
{
    int group = 0;
    while (group < limit && layers->last[group] < layer)
        group++;
    return group;
}

int nc_cloth_depth_for(const nc_cloth_model *model, const nc_cloth_active_contact *c, double distance)
{
    const double low = distance * (1 - 0x1p-20); // rounding of the count of layers
    if (low >= c->thickness)
        return -1;
    if (!(low > c->floor) || c->limit < 0)
        return c->limit + 1;
    const int most = model->layers.last[c->limit];
    return group_of(&model->layers, layers_within(c, low, most), c->limit);
}

// ---- the impulse of a tick ----------------------------------------------------------------------------------

// Sum over the groups that tick (from `group` on) and their layers up to `layer` of h r (eta - d) [N s].
static double nest_impulse(const nc_cloth_model *model, const nc_cloth_active_contact *c, double distance, int group,
                           int layer)
{
    const nc_cloth_layers *l = &model->layers;
    double sum = 0;
    for (int g = group; g <= c->limit; g++) {
        const int low = g > 0 ? l->last[g - 1] : 0;
        if (low >= layer)
            break;
        const int high = l->last[g] < layer ? l->last[g] : layer;
        sum += model->step[c->level + g] *
               (c->thickness * (l->sum_r_eta[high] - l->sum_r_eta[low]) - distance * (l->sum_r[high] - l->sum_r[low]));
    }
    return sum > 0 ? c->r * sum : 0;
}

double nc_cloth_nest_energy(const nc_cloth_model *model, const nc_cloth_active_contact *c, double distance)
{
    const int most = c->limit >= 0 ? model->layers.last[c->limit] : 0;
    double sum = 0;
    for (int l = 1; l <= most && c->thickness * model->layers.eta[l] > distance; l++) {
        const double depth = c->thickness * model->layers.eta[l] - distance;
        sum += 0.5 * c->r * (double)l * (double)l * (double)l * depth * depth;
    }
    return sum;
}

// What is left of an impulse when it turns the pair round: the part that stops the approach acts in full, the rest
// times e^2, so that speeds come back e times (docs/theory/acm.md).
static double with_restitution(double impulse, double approach, double weight, double e)
{
    const double stopping = approach > 0 ? approach / weight : 0;
    return impulse <= stopping ? impulse : stopping + e * e * (impulse - stopping);
}

// ---- friction -----------------------------------------------------------------------------------------------

// Takes the part with a torque out of impulses q[i] that sum to 0: adds m_i omega x (x_i - c) so that the sum of
// x_i x q_i vanishes. False when the corners lie in a line.
static bool without_torque(const nc_cloth_tick *run, const nc_cloth_active_contact *c, const nc_vec3 *x, nc_vec3 *q)
{
    double mass[4], total = 0;
    nc_vec3 center = nc_v3(0, 0, 0), torque = nc_v3(0, 0, 0);
    for (int k = 0; k < c->count; k++) {
        mass[k] = 1 / run->states[c->v[k]].inv_mass;
        total += mass[k];
        center = nc_madd(center, mass[k], nc_sub(x[k], x[0]));
    }
    center = nc_madd(x[0], 1 / total, center);
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    for (int k = 0; k < c->count; k++) {
        const nc_vec3 a = nc_sub(x[k], center);
        torque = nc_add(torque, nc_cross(a, q[k]));
        xx += mass[k] * a.x * a.x;
        yy += mass[k] * a.y * a.y;
        zz += mass[k] * a.z * a.z;
        xy += mass[k] * a.x * a.y;
        xz += mass[k] * a.x * a.z;
        yz += mass[k] * a.y * a.z;
    }
    const nc_vec3 r0 = nc_v3(yy + zz, -xy, -xz), r1 = nc_v3(-xy, xx + zz, -yz), r2 = nc_v3(-xz, -yz, xx + yy);
    const nc_vec3 c0 = nc_cross(r1, r2), c1 = nc_cross(r2, r0), c2 = nc_cross(r0, r1);
    const double det = nc_dot(r0, c0), trace = xx + yy + zz;
    if (!(det > 0x1p-30 * trace * trace * trace))
        return false;
    const nc_vec3 omega =
        nc_scale(-1 / det, nc_add(nc_add(nc_scale(torque.x, c0), nc_scale(torque.y, c1)), nc_scale(torque.z, c2)));
    for (int k = 0; k < c->count; k++)
        q[k] = nc_madd(q[k], mass[k], nc_cross(omega, nc_sub(x[k], center)));
    return true;
}

// Coulomb: impulses against the slip, no more than friction times the normal impulse, and no more than takes the most
// energy out. Adds to dv.
static void add_friction(const nc_cloth_tick *run, const nc_cloth_active_contact *c, const nc_vec3 *x,
                         const nc_cloth_gap *gap, double normal, nc_vec3 *dv)
{
    nc_vec3 slip = nc_v3(0, 0, 0), q[4];
    bool free = true;
    for (int k = 0; k < c->count; k++) {
        slip = nc_madd(slip, gap->w[k], nc_add(run->states[c->v[k]].v, dv[k]));
        free = free && run->states[c->v[k]].inv_mass > 0;
    }
    slip = nc_madd(slip, -nc_dot(slip, gap->n), gap->n);
    const double speed = nc_norm(slip);
    if (!(speed > 0))
        return;
    for (int k = 0; k < c->count; k++)
        q[k] = nc_scale(-gap->w[k] / speed, slip);
    if (free && !without_torque(run, c, x, q))
        return;
    double along = 0, weight = 0; // d/ds and d^2/ds^2 of the energy
    for (int k = 0; k < c->count; k++) {
        const nc_cloth_state *s = &run->states[c->v[k]];
        along += nc_dot(q[k], nc_add(s->v, dv[k]));
        weight += s->inv_mass * nc_norm2(q[k]);
    }
    const double most = c->friction * normal, stop = weight > 0 ? -along / weight : 0;
    const double impulse = stop < most ? stop : most;
    if (!(impulse > 0))
        return;
    for (int k = 0; k < c->count; k++)
        dv[k] = nc_madd(dv[k], impulse * run->states[c->v[k]].inv_mass, q[k]);
}

// ---- a tick -------------------------------------------------------------------------------------------------

// Do the corners lie on two sides of a slab across the last nearest points, thicker than `reach` [m] by far more than
// rounding? Then no layer of that thickness acts, and the nearest points need not be known.
static bool axis_separates(const nc_cloth_active_contact *c, const nc_vec3 *x, double reach)
{
    const nc_vec3 n = c->axis, from = x[0];
    const double a = c->pair.kind == NC_CLOTH_EDGE_EDGE ? fmin(0, nc_dot(n, nc_sub(x[1], from))) : 0;
    double b = -INFINITY;
    for (int k = c->pair.kind == NC_CLOTH_EDGE_EDGE ? 2 : 1; k < c->count; k++) {
        const double along = nc_dot(n, nc_sub(x[k], from));
        b = along > b ? along : b;
    }
    return a - b > reach * (1 + 0x1p-20);
}

// The thickness [m] of the outermost layer that ticks, when groups tick from `group` on.
static double reach_of(const nc_cloth_model *model, const nc_cloth_active_contact *c, int group)
{
    return group > 0 && group <= c->limit ? c->thickness * model->layers.eta[model->layers.last[group - 1] + 1]
                                          : c->thickness;
}

nc_cloth_kick_result nc_cloth_contact_kick(const nc_cloth_tick *run, const nc_cloth_model *model,
                                           nc_cloth_active_contact *c, int level)
{
    nc_vec3 x[4], dv[4];
    for (int k = 0; k < c->count; k++)
        x[k] = nc_cloth_position_at(&run->states[c->v[k]], run->now, run->unit);
    const int group = level > c->level ? level - c->level : 0;
    if (!run->lets_go && axis_separates(c, x, reach_of(model, c, group)))
        return (nc_cloth_kick_result){.distance = INFINITY};
    const nc_cloth_gap gap = nc_cloth_gap_of(c->pair.kind, x);
    c->axis = gap.n;
    nc_cloth_kick_result result = {.distance = gap.distance};
    double closing = 0, weight = 0;
    for (int k = 0; k < c->count; k++) {
        const nc_cloth_state *s = &run->states[c->v[k]];
        closing -= gap.w[k] * nc_dot(gap.n, s->v);
        weight += gap.w[k] * gap.w[k] * s->inv_mass;
    }
    result.separating = closing < 0;
    if (!(gap.distance < c->thickness))
        return result;
    const int most = model->layers.last[c->limit], layer = layers_within(c, gap.distance, most);
    result.layer = layer;
    result.jammed = layer > most;
    double impulse = nest_impulse(model, c, gap.distance, group, layer < most ? layer : most);
    if (weight > 0)
        impulse = with_restitution(impulse, closing, weight, c->restitution);
    if (!(impulse > 0) || !(weight > 0) || nc_cloth_contact_is_covered(model, run->states, run->now, c, x, &gap))
        return result;
    for (int k = 0; k < c->count; k++)
        dv[k] = nc_scale(impulse * gap.w[k] * run->states[c->v[k]].inv_mass, gap.n);
    if (c->friction > 0)
        add_friction(run, c, x, &gap, impulse, dv);
    for (int k = 0; k < c->count; k++)
        if (dv[k].x != 0 || dv[k].y != 0 || dv[k].z != 0)
            nc_cloth_kick(run, c->v[k], x[k], dv[k]);
    result.acted = true;
    return result;
}
