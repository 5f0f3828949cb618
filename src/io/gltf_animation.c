// The animations of a .glb: keys and what is between them (glTF 2.0, appendix C).
#include "io/gltf.h"

#include <stdio.h>
#include <string.h>

#define MAX_FRAMES 100000000

// ---- reading ------------------------------------------------------------------------------------------------

static nc_code bad_channel(const nc_gltf *gltf, int animation, const char *problem, nc_error *err)
{
    return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "animation %d (\"%.64s\"): %s", animation,
                      nc_gltf_animation_name(gltf, animation), problem);
}

static nc_code read_curve(const nc_gltf *gltf, int animation, int sampler, nc_gltf_curve *out, nc_error *err)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const int value = nc_json_member(&gltf->json, sampler, "interpolation");
    *out = NC_GLTF_LINEAR;
    if (value < 0)
        return NC_OK;
    for (int i = 0; i < 3; i++)
        if (nc_json_is(&gltf->json, value, NC_JSON_TEXT) && strcmp(nc_json_string(&gltf->json, value), names[i]) == 0) {
            *out = (nc_gltf_curve)i;
            return NC_OK;
        }
    return bad_channel(gltf, animation, "\"interpolation\" must be LINEAR, STEP or CUBICSPLINE", err);
}

static nc_code check_times(const nc_gltf *gltf, int animation, const nc_gltf_numbers *times, nc_error *err)
{
    double before = -INFINITY;
    for (int i = 0; i < times->count; i++) {
        const double time = nc_gltf_number(times, i, 0);
        if (!(time > before) || !(fabs(time) <= 1e9))
            return bad_channel(gltf, animation, "its times must ascend from key to key and be finite", err);
        before = time;
    }
    return NC_OK;
}

static nc_code check_values(const nc_gltf *gltf, int animation, const nc_gltf_channel *channel, nc_error *err)
{
    const nc_gltf_numbers *values = &channel->values;
    for (int i = 0; i < values->count; i++) {
        double size = 0;
        for (int k = 0; k < values->width; k++) {
            const double x = nc_gltf_number(values, i, k);
            if (!(fabs(x) <= NC_COORDINATE_MAX))
                return bad_channel(gltf, animation, "its values must be finite", err);
            size += x * x;
        }
        const bool is_value = channel->curve != NC_GLTF_CUBIC || i % 3 == 1;
        if (channel->drive == NC_GLTF_ROTATION && is_value && !(size > 0x1p-40 && size < 0x1p40))
            return bad_channel(gltf, animation, "its rotations must be quaternions of length 1", err);
    }
    return NC_OK;
}

static nc_code read_sampler(const nc_gltf *gltf, int animation, int sampler, nc_gltf_channel *out, nc_error *err)
{
    int output = -1;
    nc_code code =
        nc_gltf_index(gltf, sampler, "input", NC_GLTF_ACCESSORS, "animation", animation, &out->times_accessor, err);
    if (code == NC_OK)
        code = nc_gltf_index(gltf, sampler, "output", NC_GLTF_ACCESSORS, "animation", animation, &output, err);
    if (code == NC_OK && (out->times_accessor < 0 || output < 0))
        code = bad_channel(gltf, animation, "a sampler must have an input and an output", err);
    if (code == NC_OK)
        code = read_curve(gltf, animation, sampler, &out->curve, err);
    if (code == NC_OK)
        code = nc_gltf_accessor(gltf, out->times_accessor, &out->times, err);
    if (code == NC_OK)
        code = nc_gltf_accessor(gltf, output, &out->values, err);
    if (code != NC_OK)
        return code;
    const int wanted = out->drive == NC_GLTF_ROTATION ? 4 : 3, each = out->curve == NC_GLTF_CUBIC ? 3 : 1;
    if (out->times.width != 1 || out->values.width != wanted || out->values.count % each != 0 ||
        out->values.count / each != out->times.count)
        return bad_channel(gltf, animation, "a channel must have one time and one value (three when cubic) a key", err);
    code = check_times(gltf, animation, &out->times, err);
    return code == NC_OK ? check_values(gltf, animation, out, err) : code;
}

// Which property the channel drives; *out_known is false for what moves no node of this file.
static nc_code read_target(const nc_gltf *gltf, int animation, int channel, nc_gltf_channel *out, bool *out_known,
                           nc_error *err)
{
    static const char *const names[] = {"translation", "rotation", "scale"};
    const nc_json_tree *json = &gltf->json;
    const int target = nc_json_member(json, channel, "target"), path = nc_json_member(json, target, "path");
    *out_known = false;
    const nc_code code = nc_gltf_index(gltf, target, "node", NC_GLTF_NODES, "animation", animation, &out->node, err);
    if (code != NC_OK || out->node < 0 || !nc_json_is(json, path, NC_JSON_TEXT))
        return code;
    for (int i = 0; i < 3; i++)
        if (strcmp(nc_json_string(json, path), names[i]) == 0) {
            out->drive = (nc_gltf_drive)i;
            *out_known = true;
        }
    if (*out_known && gltf->nodes.data[out->node].has_matrix)
        return bad_channel(gltf, animation, "it drives a node that is placed by a matrix", err);
    if (strcmp(nc_json_string(json, path), "weights") == 0 && gltf->nodes.data[out->node].node.mesh >= 0)
        return bad_channel(gltf, animation,
                           "it bends a mesh (morph targets), and Nacre reads bodies of one shape: export its frames as "
                           "OBJ files",
                           err);
    return NC_OK;
}

static nc_code read_channel(nc_gltf *gltf, int animation, int channel, const int *samplers, int sampler_count,
                            nc_error *err)
{
    nc_gltf_channel out = {.node = -1};
    bool known = false;
    double sampler = -1;
    nc_code code = read_target(gltf, animation, channel, &out, &known, err);
    if (code != NC_OK || !known)
        return code;
    code = nc_gltf_whole(gltf, channel, "sampler", sampler_count, "a channel of animation", animation, &sampler, err);
    if (code == NC_OK && sampler < 0)
        code = bad_channel(gltf, animation, "a channel has no sampler", err);
    if (code == NC_OK)
        code = read_sampler(gltf, animation, samplers[(int)sampler], &out, err);
    if (code == NC_OK && !nc_array_push(&gltf->allocator, &gltf->channels, out))
        code = nc_fail_memory(err, sizeof out);
    return code;
}

static nc_code read_animation(nc_gltf *gltf, int animation, nc_error *err)
{
    const nc_json_tree *json = &gltf->json;
    const int value = gltf->lists[NC_GLTF_ANIMATIONS].data[animation];
    const int samplers = nc_json_member(json, value, "samplers"), channels = nc_json_member(json, value, "channels");
    if (!nc_json_is(json, samplers, NC_JSON_LIST) || !nc_json_is(json, channels, NC_JSON_LIST))
        return bad_channel(gltf, animation, "it must have samplers and channels", err);
    const int count = json->values.data[samplers].count;
    int *rows = nc_alloc(&gltf->allocator, (size_t)count + 1, sizeof *rows);
    if (rows == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *rows);
    int used = 0;
    for (int v = json->values.data[samplers].first; v >= 0; v = json->values.data[v].next)
        rows[used++] = v;
    nc_code code = NC_OK;
    for (int v = json->values.data[channels].first; v >= 0 && code == NC_OK; v = json->values.data[v].next)
        code = read_channel(gltf, animation, v, rows, count, err);
    nc_free(&gltf->allocator, rows, (size_t)count + 1, sizeof *rows);
    return code;
}

// ---- choosing -----------------------------------------------------------------------------------------------

// Every property may be driven once.
static nc_code check_driven_once(const nc_gltf *gltf, nc_error *err)
{
    const size_t count = (size_t)gltf->nodes.count + 1;
    uint8_t *driven = nc_alloc(&gltf->allocator, count, 1);
    nc_code code = NC_OK;
    if (driven == NULL)
        return nc_fail_memory(err, count);
    for (int i = 0; i < gltf->channels.count && code == NC_OK; i++) {
        const nc_gltf_channel *channel = &gltf->channels.data[i];
        const uint8_t bit = (uint8_t)(1U << channel->drive);
        if ((driven[channel->node] & bit) != 0)
            code = nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0,
                              "two animations drive node %d (\"%.64s\"): choose one of the %d with --animation NAME",
                              channel->node, gltf->nodes.data[channel->node].node.name, nc_gltf_animation_count(gltf));
        driven[channel->node] |= bit;
    }
    nc_free(&gltf->allocator, driven, count, 1);
    return code;
}

static nc_code not_found(const nc_gltf *gltf, const char *name, nc_error *err)
{
    char names[400] = "";
    size_t used = 0;
    for (int i = 0; i < nc_gltf_animation_count(gltf) && used + 80 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%.60s\"", i > 0 ? ", " : "",
                                 nc_gltf_animation_name(gltf, i));
    return nc_fail_at(err, NC_NOT_FOUND, gltf->path, 0, 0, "there is no animation \"%.64s\"; there are %d: %s", name,
                      nc_gltf_animation_count(gltf), names);
}

// Who moves: what is driven, and all below it.
static void mark_moving(nc_gltf *gltf)
{
    for (int i = 0; i < gltf->nodes.count; i++)
        gltf->nodes.data[i].node.moves = false;
    for (int i = 0; i < gltf->channels.count; i++)
        gltf->nodes.data[gltf->channels.data[i].node].node.moves = true;
    for (int k = 0; k < gltf->order.count; k++) {
        nc_gltf_node *node = &gltf->nodes.data[gltf->order.data[k]].node;
        if (node->parent >= 0 && gltf->nodes.data[node->parent].node.moves)
            node->moves = true;
    }
}

nc_code nc_gltf_animate(nc_gltf *gltf, const char *name, nc_error *err)
{
    bool found = name == NULL;
    nc_code code = NC_OK;
    gltf->channels.count = 0;
    for (int i = 0; i < nc_gltf_animation_count(gltf) && code == NC_OK; i++) {
        if (name != NULL && strcmp(nc_gltf_animation_name(gltf, i), name) != 0)
            continue;
        found = true;
        code = read_animation(gltf, i, err);
    }
    if (code == NC_OK && !found)
        code = not_found(gltf, name, err);
    if (code == NC_OK)
        code = check_driven_once(gltf, err);
    if (code != NC_OK)
        gltf->channels.count = 0;
    mark_moving(gltf);
    return code;
}

// ---- times --------------------------------------------------------------------------------------------------

static bool is_earlier(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

// Room for all times; an accessor that many channels share counts once.
static nc_code count_times(const nc_gltf *gltf, uint8_t *seen, double rate, double *first, double *last, double *out,
                           nc_error *err)
{
    *first = INFINITY;
    *last = -INFINITY;
    *out = 0;
    for (int i = 0; i < gltf->channels.count; i++) {
        const nc_gltf_channel *channel = &gltf->channels.data[i];
        if (seen[channel->times_accessor] != 0)
            continue;
        seen[channel->times_accessor] = 1;
        *out += channel->times.count;
        *first = fmin(*first, nc_gltf_number(&channel->times, 0, 0));
        *last = fmax(*last, nc_gltf_number(&channel->times, channel->times.count - 1, 0));
    }
    if (rate > 0)
        *out += floor((*last - *first) * rate) + 2;
    if (*out > MAX_FRAMES)
        return nc_fail_at(err, NC_BAD_FILE, gltf->path, 0, 0, "%.0f frames are too many: at most %d", *out, MAX_FRAMES);
    return NC_OK;
}

static int gather_times(const nc_gltf *gltf, uint8_t *seen, double rate, double first, double last, double *out)
{
    int used = 0;
    for (int i = 0; i < gltf->channels.count; i++) {
        const nc_gltf_channel *channel = &gltf->channels.data[i];
        if (seen[channel->times_accessor] != 1)
            continue;
        seen[channel->times_accessor] = 2;
        for (int k = 0; k < channel->times.count; k++)
            out[used++] = nc_gltf_number(&channel->times, k, 0);
    }
    // times and rates are at most 1e9, so their products are whole numbers of 64 bits
    for (int64_t k = (int64_t)ceil(first * rate); rate > 0 && (double)k / rate <= last; k++)
        if ((double)k / rate >= first)
            out[used++] = (double)k / rate;
    return used;
}

static nc_code sort_times(const nc_gltf *gltf, uint8_t *seen, double rate, double **out, int *out_count, nc_error *err)
{
    double first, last, room;
    const nc_allocator *memory = &gltf->allocator;
    const nc_code code = count_times(gltf, seen, rate, &first, &last, &room, err);
    if (code != NC_OK)
        return code;
    double *times = nc_alloc(memory, (size_t)room, sizeof *times);
    if (times == NULL)
        return nc_fail_memory(err, (size_t)room * sizeof *times);
    const int used = gather_times(gltf, seen, rate, first, last, times);
    int kept = 0;
    if (nc_sort(memory, times, (size_t)used, sizeof *times, is_earlier, NULL))
        for (int i = 0; i < used; i++)
            if (kept == 0 || times[i] > times[kept - 1])
                times[kept++] = times[i];
    double *fitted = kept > 0 ? nc_realloc(memory, times, (size_t)room, (size_t)kept, sizeof *times) : NULL;
    if (fitted == NULL) {
        nc_free(memory, times, (size_t)room, sizeof *times);
        return nc_fail_memory(err, (size_t)room * sizeof *times);
    }
    *out = fitted;
    *out_count = kept;
    return NC_OK;
}

nc_code nc_gltf_times(const nc_gltf *gltf, double rate, double **out, int *out_count, nc_error *err)
{
    const size_t accessors = (size_t)gltf->lists[NC_GLTF_ACCESSORS].count;
    *out = NULL;
    *out_count = 0;
    if (!(rate >= 0 && rate <= 1e9))
        return nc_fail(err, NC_BAD_ARGUMENT, "a rate must be from 0 to 1e9 frames per second, but it is %g", rate);
    if (gltf->channels.count == 0)
        return NC_OK;
    uint8_t *seen = nc_alloc(&gltf->allocator, accessors, 1);
    if (seen == NULL)
        return nc_fail_memory(err, accessors);
    const nc_code code = sort_times(gltf, seen, rate, out, out_count, err);
    nc_free(&gltf->allocator, seen, accessors, 1);
    return code;
}

// ---- between keys -------------------------------------------------------------------------------------------

static void normalize(double *q)
{
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(size > 0)) { // a cubic curve may pass through 0
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
        return;
    }
    for (int k = 0; k < 4; k++)
        q[k] /= size;
}

static void take_key(const nc_gltf_channel *channel, int key, double *out)
{
    const int item = channel->curve == NC_GLTF_CUBIC ? 3 * key + 1 : key;
    for (int k = 0; k < channel->values.width; k++)
        out[k] = nc_gltf_number(&channel->values, item, k);
    if (channel->drive == NC_GLTF_ROTATION)
        normalize(out);
}

// From a to b the short way at constant speed.
static void slerp(const double *a, const double *b, double u, double *out)
{
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = cosine < 0 ? -1 : 1;
    cosine = fmin(fabs(cosine), 1);
    double from = 1 - u, to = u;
    if (cosine < 1 - 1e-9) { // else the chord is the arc, to rounding
        const double angle = nc_acos(cosine);
        double whole, part, rest, unused;
        nc_sincos(angle, &whole, &unused);
        nc_sincos(u * angle, &part, &unused);
        nc_sincos((1 - u) * angle, &rest, &unused);
        from = rest / whole;
        to = part / whole;
    }
    for (int k = 0; k < 4; k++)
        out[k] = from * a[k] + sign * to * b[k];
    normalize(out);
}

// Hermite's polynomial between two keys `step` seconds apart.
static void sample_cubic(const nc_gltf_channel *channel, int key, double u, double step, double *out)
{
    const double u2 = u * u, u3 = u2 * u;
    for (int k = 0; k < channel->values.width; k++) {
        const double v0 = nc_gltf_number(&channel->values, 3 * key + 1, k);
        const double leave = nc_gltf_number(&channel->values, 3 * key + 2, k);
        const double arrive = nc_gltf_number(&channel->values, 3 * key + 3, k);
        const double v1 = nc_gltf_number(&channel->values, 3 * key + 4, k);
        out[k] = (2 * u3 - 3 * u2 + 1) * v0 + step * (u3 - 2 * u2 + u) * leave + (3 * u2 - 2 * u3) * v1 +
                 step * (u3 - u2) * arrive;
    }
    if (channel->drive == NC_GLTF_ROTATION)
        normalize(out);
}

// The last key that is not after `time`; -1 when all are.
static int find_key(const nc_gltf_numbers *times, double time)
{
    int low = -1, high = times->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (nc_gltf_number(times, middle, 0) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void nc_gltf_sample(const nc_gltf_channel *channel, double time, double *out)
{
    const int key = find_key(&channel->times, time);
    const bool at_key = key >= 0 && nc_gltf_number(&channel->times, key, 0) == time;
    if (key < 0 || key == channel->times.count - 1 || at_key || channel->curve == NC_GLTF_STEP) {
        take_key(channel, key < 0 ? 0 : key, out);
        return;
    }
    const double before = nc_gltf_number(&channel->times, key, 0);
    const double step = nc_gltf_number(&channel->times, key + 1, 0) - before, u = (time - before) / step;
    if (channel->curve == NC_GLTF_CUBIC) {
        sample_cubic(channel, key, u, step, out);
        return;
    }
    double a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
    take_key(channel, key, a);
    take_key(channel, key + 1, b);
    if (memcmp(a, b, (size_t)channel->values.width * sizeof *a) == 0)
        memcpy(out, a, (size_t)channel->values.width * sizeof *a); // what stands still keeps its bits
    else if (channel->drive == NC_GLTF_ROTATION)
        slerp(a, b, u, out);
    else
        for (int k = 0; k < 3; k++)
            out[k] = a[k] + u * (b[k] - a[k]);
}
