// study.yaml: read by the same tables and with the same errors as scenes.
#define _XOPEN_SOURCE 700 // realpath
#include "study/measure.h"

#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const nc_study_keep_names[3] = {"all", "failed", "none"};

typedef struct study_keys {
    const nc_node *node;
    int64_t nacre_study;
    const char *title, *scene;
    const nc_node *parameters, *sample, *repeat, *measure, *run, *limits;
    int keep;
} study_keys;

typedef struct sample_keys {
    const nc_node *node;
    int method;
    int64_t count, seed;
} sample_keys;

typedef struct repeat_keys {
    const nc_node *node;
    int64_t count, first;
    const nc_node *set;
} repeat_keys;

typedef struct run_keys {
    const nc_node *node;
    int64_t steps, every;
    double until;
    bool expect, audit, repair;
    const char *store;
} run_keys;

typedef struct limit_keys {
    const nc_node *node;
    double time, memory;
} limit_keys;

typedef struct parameter_keys {
    const nc_node *node;
    const nc_node *set;
    double from, to, low, high;
    int64_t count;
    bool log, whole;
} parameter_keys;

#define KEY(type_, field_, kind_, unit_, low_, high_, about_)                                                          \
    .name = #field_, .kind = (kind_), .unit = (unit_), .low = (low_), .high = (high_), .about = (about_),              \
    .offset = offsetof(type_, field_)
#define ROWS(table) (table), (int)(sizeof(table) / sizeof((table)[0]))
#define HUGE_VALUE  1e300

static const nc_key study_table[] = {
    {KEY(study_keys, nacre_study, NC_KEY_WHOLE, "", 1, 1, "The version of this format: 1."), .required = true},
    {KEY(study_keys, title, NC_KEY_TEXT, "", 0, 0, "What it is about."), .fallback = ""},
    {KEY(study_keys, scene, NC_KEY_TEXT, "", 0, 0, "The scene, relative to the study file."), .required = true},
    {KEY(study_keys, parameters, NC_KEY_BLOCK, "", 0, 0, "What changes between runs, by name.")},
    {KEY(study_keys, sample, NC_KEY_BLOCK, "", 0, 0, "How parameters with low and high are sampled.")},
    {KEY(study_keys, repeat, NC_KEY_BLOCK, "", 0, 0, "The same again with other seeds.")},
    {KEY(study_keys, measure, NC_KEY_BLOCK, "", 0, 0, "What is measured, by name.")},
    {KEY(study_keys, run, NC_KEY_BLOCK, "", 0, 0, "Options of nacre run.")},
    {KEY(study_keys, limits, NC_KEY_BLOCK, "", 0, 0, "What a run may use.")},
    {KEY(study_keys, keep, NC_KEY_CHOICE, "", 0, 0, "Which run files stay."), .fallback = "all",
     .choices = nc_study_keep_names, .choice_count = 3},
};
static const nc_key_block study_block = {"study", "A study.", ROWS(study_table)};

static const nc_key sample_table[] = {
    {KEY(sample_keys, method, NC_KEY_CHOICE, "", 0, 0, "random, latin (hypercube) or sobol."), .required = true,
     .choices = nc_study_method_names, .choice_count = NC_STUDY_METHOD_COUNT},
    {KEY(sample_keys, count, NC_KEY_WHOLE, "", 1, NC_STUDY_RUNS_MAX, "Points."), .required = true},
    {KEY(sample_keys, seed, NC_KEY_WHOLE, "", 0, 9007199254740992.0, "Start of the random numbers."), .fallback = "0"},
};
static const nc_key_block sample_block = {"sample", "How intervals are sampled.", ROWS(sample_table)};

static const nc_key repeat_table[] = {
    {KEY(repeat_keys, count, NC_KEY_WHOLE, "", 1, NC_STUDY_RUNS_MAX, "Runs of each point."), .required = true},
    {KEY(repeat_keys, first, NC_KEY_WHOLE, "", 0, 9007199254740992.0, "The first seed."), .fallback = "1"},
    {KEY(repeat_keys, set, NC_KEY_TEXTS, "", 0, 0, "Keys of the scene that get the seed. Default: seed.")},
};
static const nc_key_block repeat_block = {"repeat", "Repeats over seeds.", ROWS(repeat_table)};

static const nc_key run_table[] = {
    {KEY(run_keys, steps, NC_KEY_WHOLE, "", 1, 1e12, "As --steps.")},
    {KEY(run_keys, until, NC_KEY_NUMBER, "s", 0, 1e12, "As --until.")},
    {KEY(run_keys, every, NC_KEY_WHOLE, "", 1, 1e6, "As --every.")},
    {KEY(run_keys, expect, NC_KEY_FLAG, "", 0, 0, "As --expect."), .fallback = "false"},
    {KEY(run_keys, audit, NC_KEY_FLAG, "", 0, 0, "As --audit."), .fallback = "false"},
    {KEY(run_keys, repair, NC_KEY_FLAG, "", 0, 0, "As --repair."), .fallback = "false"},
    {KEY(run_keys, store, NC_KEY_TEXT, "", 0, 0, "As --store.")},
};
static const nc_key_block run_block = {"run", "Options of nacre run.", ROWS(run_table)};

static const nc_key limit_table[] = {
    {KEY(limit_keys, time, NC_KEY_NUMBER, "s", 0, 1e9, "Wall time of an attempt."), .above = true},
    {KEY(limit_keys, memory, NC_KEY_NUMBER, "MB", 0, 1e9, "Memory in use."), .above = true},
};
static const nc_key_block limit_block = {"limits", "What a run may use.", ROWS(limit_table)};

static const nc_key parameter_table[] = {
    {KEY(parameter_keys, set, NC_KEY_TEXTS, "", 0, 0, "Keys of the scene. Default: the name.")},
    {KEY(parameter_keys, from, NC_KEY_NUMBER, "", -HUGE_VALUE, HUGE_VALUE, "First of evenly spaced values.")},
    {KEY(parameter_keys, to, NC_KEY_NUMBER, "", -HUGE_VALUE, HUGE_VALUE, "Last of them.")},
    {KEY(parameter_keys, count, NC_KEY_WHOLE, "", 1, NC_STUDY_RUNS_MAX, "How many.")},
    {KEY(parameter_keys, low, NC_KEY_NUMBER, "", -HUGE_VALUE, HUGE_VALUE, "Low end of a sampled interval.")},
    {KEY(parameter_keys, high, NC_KEY_NUMBER, "", -HUGE_VALUE, HUGE_VALUE, "High end.")},
    {KEY(parameter_keys, log, NC_KEY_FLAG, "", 0, 0, "Even in the logarithm."), .fallback = "false"},
    {KEY(parameter_keys, whole, NC_KEY_FLAG, "", 0, 0, "Whole numbers only."), .fallback = "false"},
};
static const nc_key_block parameter_block = {"parameter", "What changes between runs.", ROWS(parameter_table)};

typedef struct reading {
    nc_study_plan *plan;
    nc_error *err;
    study_keys keys;
} reading;

static nc_code out_of_memory(const reading *r)
{
    return nc_fail_memory(r->err, 1);
}

// A text file, into the pool.
static nc_code load_text(nc_study_plan *plan, const char *path, const char **out, nc_error *err)
{
    nc_file_text file;
    const nc_code code = nc_file_read(path, &plan->pool.allocator, &file, err);
    if (code != NC_OK)
        return code;
    *out = nc_pool_text(&plan->pool, file.data, file.size);
    nc_file_free(&file);
    return *out != NULL ? NC_OK : nc_fail_memory(err, 1);
}

// ---- parameters ---------------------------------------------------------------------------------------------

// A value as --set takes it: a scalar as it is written, lists and maps as JSON.
static nc_code value_text(reading *r, const nc_node *node, const char **out)
{
    if (node->kind == NC_NODE_SCALAR) {
        *out = node->text;
    } else {
        nc_buffer text = nc_buffer_create(&r->plan->pool.allocator);
        const bool written = nc_node_write(node, &text);
        size_t kept = 0; // on one line, without its indents
        for (size_t i = 0; i < text.size; i++) {
            const char c = (char)(text.data[i] == '\n' ? ' ' : text.data[i]);
            kept -= (c == ']' || c == '}') && kept > 0 && text.data[kept - 1] == ' ';
            if (c != ' ' || (kept > 0 && strchr(" [{", (char)text.data[kept - 1]) == NULL))
                text.data[kept++] = (uint8_t)c;
        }
        text.size = kept - (kept > 0 && text.data[kept - 1] == ' ');
        *out = written ? nc_pool_text(&r->plan->pool, (const char *)text.data, text.size) : NULL;
        nc_buffer_free(&text);
        if (*out == NULL)
            return out_of_memory(r);
    }
    if (strlen(*out) >= NC_STUDY_VALUE_SIZE || strchr(*out, '\n') != NULL)
        return nc_node_fail(r->err, node, "a value is one line of less than %d characters", NC_STUDY_VALUE_SIZE);
    return NC_OK;
}

static nc_code take_list(reading *r, const nc_node *list, nc_study_parameter *out)
{
    if (list->kind != NC_NODE_LIST || list->count == 0)
        return nc_node_fail(r->err, list, "allowed: a list of at least one value");
    out->count = list->count;
    out->texts = nc_pool_take(&r->plan->pool, (size_t)list->count, sizeof *out->texts);
    if (out->texts == NULL)
        return out_of_memory(r);
    nc_code code = NC_OK;
    int i = 0;
    for (const nc_node *entry = list->first; entry != NULL && code == NC_OK; entry = entry->next)
        code = value_text(r, entry, &out->texts[i++]);
    return code;
}

static double evenly(const parameter_keys *k, int64_t i)
{
    if (i == 0 || k->count == 1)
        return k->from;
    if (i == k->count - 1)
        return k->to;
    const double u = (double)i / (double)(k->count - 1);
    return k->log ? k->from * pow(k->to / k->from, u) : k->from + u * (k->to - k->from);
}

static nc_code take_range(reading *r, const parameter_keys *k, nc_study_parameter *out)
{
    if (isnan(k->to) || k->count < 1)
        return nc_node_fail(r->err, k->node, "a range needs from, to and count");
    if (k->log && !(k->from > 0 && k->to > 0))
        return nc_node_fail(r->err, k->node, "with log, from and to must be above 0");
    out->count = (int)k->count;
    out->texts = nc_pool_take(&r->plan->pool, (size_t)k->count, sizeof *out->texts);
    for (int64_t i = 0; out->texts != NULL && i < k->count; i++) {
        char text[40];
        const double value = evenly(k, i);
        nc_shortest_text(k->whole ? round(value) : value, text, sizeof text);
        out->texts[i] = nc_pool_text(&r->plan->pool, text, strlen(text));
        if (out->texts[i] == NULL)
            return out_of_memory(r);
    }
    return out->texts != NULL ? NC_OK : out_of_memory(r);
}

static nc_code take_interval(reading *r, const parameter_keys *k, nc_study_parameter *out)
{
    if (!(k->low < k->high))
        return nc_node_fail(r->err, k->node, "a sampled interval needs low and high, with low below high");
    if (k->log && (k->whole || !(k->low > 0)))
        return nc_node_fail(r->err, k->node, "with log, low must be above 0, and values are not whole");
    if (r->keys.sample == NULL)
        return nc_node_fail(r->err, k->node, "low and high are sampled: the study needs the key \"sample\"");
    out->low = k->low;
    out->high = k->high;
    out->log = k->log;
    out->whole = k->whole;
    r->plan->dimensions++;
    return NC_OK;
}

// "a.b\nc.d" of a text or a list of texts.
static nc_code take_paths(reading *r, const nc_node *set, const char *fallback, const char **out)
{
    *out = set == NULL ? fallback : set->kind == NC_NODE_SCALAR ? set->text : "";
    for (const nc_node *entry = set != NULL ? set->first : NULL; entry != NULL && *out != NULL; entry = entry->next)
        *out = nc_pool_format(&r->plan->pool, "%s%s%s", *out, (*out)[0] != '\0' ? "\n" : "", entry->text);
    if (*out == NULL)
        return out_of_memory(r);
    return (*out)[0] != '\0' ? NC_OK : nc_node_fail(r->err, set, "allowed: at least one key of the scene");
}

static nc_code take_map(reading *r, const nc_node *node, nc_study_parameter *out)
{
    static const char *const values_key[] = {"values"};
    parameter_keys k;
    nc_key_block_defaults(&parameter_block, &k);
    nc_code code = nc_key_block_read_with(&parameter_block, node, values_key, 1, &k, r->err);
    if (code == NC_OK)
        code = take_paths(r, k.set, out->name, &out->paths);
    if (code != NC_OK)
        return code;
    k.node = node;
    const nc_node *values = nc_node_find(node, "values");
    const int kinds = (values != NULL) + !isnan(k.from) + !isnan(k.low);
    if (kinds != 1)
        return nc_node_fail(r->err, node, "allowed: values; or from, to and count; or low and high");
    if (values != NULL)
        return take_list(r, values, out);
    return !isnan(k.from) ? take_range(r, &k, out) : take_interval(r, &k, out);
}

static nc_code check_name(reading *r, const nc_node *entry)
{
    int count;
    const nc_study_field *fields = nc_study_fields(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, entry->key) == 0)
            return nc_node_fail(r->err, entry, "this name is a column of every study; choose another");
    for (int i = 0; i < r->plan->parameter_count; i++)
        if (strcmp(r->plan->parameters[i].name, entry->key) == 0)
            return nc_node_fail(r->err, entry, "there is a parameter of this name already");
    if (strlen(entry->key) > 120 || strpbrk(entry->key, "\"\n") != NULL || entry->key[0] == '\0')
        return nc_node_fail(r->err, entry, "a name has 1 to 120 characters, without quotes and line ends");
    return NC_OK;
}

static nc_code take_parameter(reading *r, const nc_node *entry)
{
    nc_code code = check_name(r, entry);
    nc_study_parameter *out = &r->plan->parameters[r->plan->parameter_count];
    out->name = out->paths = entry->key;
    if (code != NC_OK)
        return code;
    if (entry->kind == NC_NODE_MAP)
        code = take_map(r, entry, out);
    else if (entry->kind == NC_NODE_LIST)
        code = take_list(r, entry, out);
    else
        code = nc_node_fail(r->err, entry,
                            "allowed: a list of values; or a map with values, from, to and count, or "
                            "low and high");
    r->plan->parameter_count++;
    return code;
}

// The seed is a parameter like any other, the one that changes fastest.
static nc_code take_repeats(reading *r)
{
    repeat_keys k;
    nc_key_block_defaults(&repeat_block, &k);
    nc_code code = nc_key_block_read(&repeat_block, r->keys.repeat, &k, r->err);
    if (code != NC_OK)
        return code;
    nc_study_parameter *out = &r->plan->parameters[r->plan->parameter_count];
    out->name = "seed";
    for (int i = 0; i < r->plan->parameter_count; i++)
        if (strcmp(r->plan->parameters[i].name, "seed") == 0)
            return nc_node_fail(r->err, r->keys.repeat, "repeats make a parameter \"seed\", which is there already");
    parameter_keys range = {.node = r->keys.repeat, .from = (double)k.first, .count = k.count};
    range.to = (double)(k.first + k.count - 1);
    code = take_paths(r, k.set, "seed", &out->paths);
    if (code == NC_OK)
        code = take_range(r, &range, out);
    r->plan->parameter_count++;
    return code;
}

static nc_code take_parameters(reading *r)
{
    const nc_node *map = r->keys.parameters;
    const int count = (map != NULL ? map->count : 0) + (r->keys.repeat != NULL);
    if (count == 0)
        return nc_node_fail(r->err, r->keys.node, "a study needs parameters, or repeat");
    if (count > NC_STUDY_COLUMNS_MAX)
        return nc_node_fail(r->err, map, "%d parameters; at most %d are allowed", count, NC_STUDY_COLUMNS_MAX);
    r->plan->parameters = nc_pool_take(&r->plan->pool, (size_t)count, sizeof *r->plan->parameters);
    if (r->plan->parameters == NULL)
        return out_of_memory(r);
    nc_code code = NC_OK;
    for (const nc_node *entry = map != NULL ? map->first : NULL; entry != NULL && code == NC_OK; entry = entry->next)
        code = take_parameter(r, entry);
    return code == NC_OK && r->keys.repeat != NULL ? take_repeats(r) : code;
}

static nc_code take_samples(reading *r)
{
    nc_study_plan *plan = r->plan;
    sample_keys k;
    plan->sample_count = 1;
    if (r->keys.sample == NULL)
        return NC_OK;
    nc_key_block_defaults(&sample_block, &k);
    nc_code code = nc_key_block_read(&sample_block, r->keys.sample, &k, r->err);
    if (code != NC_OK)
        return code;
    if (plan->dimensions == 0)
        return nc_node_fail(r->err, r->keys.sample, "no parameter has low and high, so there is nothing to sample");
    plan->method = (nc_study_method)k.method;
    plan->sample_count = k.count;
    plan->sample_seed = k.seed;
    plan->samples = nc_pool_take(&plan->pool, (size_t)k.count * (size_t)plan->dimensions, sizeof *plan->samples);
    if (plan->samples == NULL)
        return out_of_memory(r);
    return nc_study_sample(plan->method, k.seed, k.count, plan->dimensions, plan->samples, r->err);
}

static nc_code count_runs(reading *r)
{
    double count = (double)r->plan->sample_count;
    for (int i = 0; i < r->plan->parameter_count; i++)
        count *= r->plan->parameters[i].texts != NULL ? r->plan->parameters[i].count : 1;
    if (count > NC_STUDY_RUNS_MAX)
        return nc_node_fail(r->err, r->keys.node, "these are %.0f runs; a study has at most %d", count,
                            NC_STUDY_RUNS_MAX);
    r->plan->run_count = (int64_t)count;
    return NC_OK;
}

// ---- the rest -----------------------------------------------------------------------------------------------

static nc_code take_measures(reading *r)
{
    const nc_node *map = r->keys.measure;
    if (map == NULL || map->count == 0)
        return NC_OK;
    if (map->count > NC_STUDY_COLUMNS_MAX)
        return nc_node_fail(r->err, map, "%d measurements; at most %d are allowed", map->count, NC_STUDY_COLUMNS_MAX);
    r->plan->measures = nc_pool_take(&r->plan->pool, (size_t)map->count, sizeof *r->plan->measures);
    if (r->plan->measures == NULL)
        return out_of_memory(r);
    for (const nc_node *entry = map->first; entry != NULL; entry = entry->next) {
        const nc_code code = check_name(r, entry);
        if (code != NC_OK)
            return code;
        if (entry->kind != NC_NODE_SCALAR || entry->text[0] == '\0')
            return nc_node_fail(r->err, entry, "allowed: a name of the summary that nacre run --json prints, or SQL");
        const nc_code known = nc_study_check_measure(entry, r->err);
        if (known != NC_OK)
            return known;
        r->plan->measures[r->plan->measure_count++] = (nc_study_measure){entry->key, entry->text};
    }
    return NC_OK;
}

static nc_code take_run(reading *r)
{
    nc_study_plan *plan = r->plan;
    run_keys k;
    nc_key_block_defaults(&run_block, &k);
    const nc_code code = r->keys.run != NULL ? nc_key_block_read(&run_block, r->keys.run, &k, r->err) : NC_OK;
    if (code != NC_OK)
        return code;
    char steps[40] = "", until[60] = "", every[40] = "";
    if (r->keys.run != NULL && nc_node_find(r->keys.run, "steps") != NULL)
        snprintf(steps, sizeof steps, "--steps\n%lld\n", (long long)k.steps);
    if (!isnan(k.until))
        snprintf(until, sizeof until, "--until\n%.17g\n", k.until);
    if (r->keys.run != NULL && nc_node_find(r->keys.run, "every") != NULL)
        snprintf(every, sizeof every, "--every\n%lld\n", (long long)k.every);
    plan->arguments =
        nc_pool_format(&plan->pool, "%s%s%s%s%s%s%s%s%s", steps, until, every, k.expect ? "--expect\n" : "",
                       k.audit ? "--audit\n" : "", k.repair ? "--repair\n" : "", k.store != NULL ? "--store\n" : "",
                       k.store != NULL ? k.store : "", k.store != NULL ? "\n" : "");
    return plan->arguments != NULL ? NC_OK : out_of_memory(r);
}

static nc_code take_limits(reading *r)
{
    limit_keys k;
    nc_key_block_defaults(&limit_block, &k);
    const nc_code code = r->keys.limits != NULL ? nc_key_block_read(&limit_block, r->keys.limits, &k, r->err) : NC_OK;
    r->plan->limit_seconds = isnan(k.time) ? 0 : k.time;
    r->plan->limit_megabytes = isnan(k.memory) ? 0 : k.memory;
    return code;
}

// The scene's absolute name and its text; that it is one is seen from the first run's values.
static nc_code take_scene(reading *r)
{
    nc_study_plan *plan = r->plan;
    const char *slash = strrchr(plan->path, '/'), *name = r->keys.scene;
    const int folder = slash != NULL && name[0] != '/' ? (int)(slash + 1 - plan->path) : 0;
    char *joined = nc_pool_format(&plan->pool, "%.*s%s", folder, plan->path, name);
    char real[PATH_MAX];
    if (joined == NULL)
        return out_of_memory(r);
    const nc_code code = load_text(plan, joined, &plan->scene_text, r->err);
    if (code != NC_OK)
        return code;
    if (realpath(joined, real) == NULL)
        return nc_fail(r->err, NC_IO, "cannot resolve '%s'", joined);
    plan->scene = nc_pool_text(&plan->pool, real, strlen(real));
    return plan->scene != NULL ? NC_OK : out_of_memory(r);
}

static int count_paths(const char *paths)
{
    int count = 1;
    for (; *paths != '\0'; paths++)
        count += *paths == '\n';
    return count;
}

// Loads the scene with the values of run 1, so that a wrong key is an error now and not 1,000 times later.
static nc_code check_scene(reading *r)
{
    nc_study_plan *plan = r->plan;
    int capacity = 0, count = 0;
    for (int i = 0; i < plan->parameter_count; i++)
        capacity += count_paths(plan->parameters[i].paths);
    const char **overrides = nc_pool_take(&plan->pool, (size_t)capacity, sizeof *overrides);
    for (int i = 0; i < plan->parameter_count && overrides != NULL; i++) {
        char value[NC_STUDY_VALUE_SIZE];
        nc_study_plan_value(plan, 1, i, value, sizeof value);
        for (const char *path = plan->parameters[i].paths; *path != '\0';) {
            const int length = (int)strcspn(path, "\n");
            overrides[count] = nc_pool_format(&plan->pool, "%.*s=%s", length, path, value);
            if (overrides[count++] == NULL)
                return out_of_memory(r);
            path += length + (path[length] == '\n');
        }
    }
    if (overrides == NULL)
        return out_of_memory(r);
    nc_scene *scene = NULL;
    const nc_scene_def def = {.path = plan->scene, .overrides = overrides, .override_count = count};
    const nc_code code = nc_scene_load(&def, &scene, r->err);
    nc_scene_destroy(scene);
    return code;
}

static nc_code read_keys(reading *r)
{
    nc_study_plan *plan = r->plan;
    nc_node *root = NULL;
    char found[96];
    nc_code code = nc_node_parse(&plan->pool, plan->path, plan->text, strlen(plan->text), &root, r->err);
    if (code == NC_OK && root->kind != NC_NODE_MAP)
        code = nc_node_fail(r->err, root, "found %s; allowed: a map", nc_node_describe(root, found, sizeof found));
    nc_key_block_defaults(&study_block, &r->keys);
    if (code == NC_OK)
        code = nc_key_block_read(&study_block, root, &r->keys, r->err);
    r->keys.node = root;
    plan->title = r->keys.title;
    plan->keep = (nc_study_keep)r->keys.keep;
    return code;
}

nc_code nc_study_plan_read(const char *path, nc_study_plan *out, nc_error *err)
{
    static nc_code (*const parts[])(reading *) = {read_keys, take_parameters, take_samples, count_runs, take_measures,
                                                  take_run,  take_limits,     take_scene,   check_scene};
    *out = (nc_study_plan){.pool.allocator = nc_allocator_or_default(NULL)};
    reading r = {.plan = out, .err = err};
    nc_code code = load_text(out, path, &out->text, err);
    out->path = nc_pool_text(&out->pool, path, strlen(path));
    if (code == NC_OK && out->path == NULL)
        code = out_of_memory(&r);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == NC_OK; i++)
        code = parts[i](&r);
    return code;
}

void nc_study_plan_free(nc_study_plan *plan)
{
    nc_pool_free(&plan->pool);
}
