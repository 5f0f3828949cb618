// Creating a run file: it is made whole under another name, and then put in its place.
#include "run/run.h"

#include <math.h>
#include <string.h>

static nc_code check_def(const nc_run_def *def, nc_model model, nc_error *err)
{
    if (!(def->timestep > 0) || !isfinite(def->timestep))
        return nc_fail(err, NC_BAD_ARGUMENT, "timestep is %g s, but must be above 0", def->timestep);
    if (def->steps_wanted < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "steps_wanted is %lld, but must not be negative",
                       (long long)def->steps_wanted);
    if (def->output_every < 1)
        return nc_fail(err, NC_BAD_ARGUMENT, "output_every is %d, but must be at least 1", def->output_every);
    if (def->checkpoint_every < 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "checkpoint_every is %d, but must not be negative", def->checkpoint_every);
    if ((def->store & ~(unsigned)(NC_STORE_CONTACTS | NC_STORE_PATHS)) != 0)
        return nc_fail(err, NC_BAD_ARGUMENT, "store is %u, which has flags that mean nothing", def->store);
    if (def->store != 0 && model.kind->contacts == NULL)
        return nc_fail(err, NC_UNSUPPORTED,
                       "contacts and paths are stored of rigid bodies; a run of the pipeline %s has none of them",
                       nc_model_pipeline(model));
    return NC_OK;
}

static nc_code may_be_written(nc_run *run, bool overwrite, nc_error *err)
{
    bool is_run;
    if (!nc_run_file_exists(run->path, &is_run))
        return NC_OK;
    if (!overwrite)
        return nc_fail_at(err, NC_IO, run->path, 0, 0, "it exists already, and is overwritten only on request");
    if (!is_run)
        return nc_fail_at(err, NC_IO, run->path, 0, 0, "it exists and is not a run file, so it is not overwritten");
    return NC_OK;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static nc_code fill(nc_run *run, const nc_run_def *def, nc_model model, nc_error *err)
{
    const nc_run_head head = {text_or_empty(def->title),
                              text_or_empty(def->scene_path),
                              text_or_empty(def->scene_text),
                              def->timestep,
                              nc_model_pipeline(model),
                              def->steps_wanted,
                              def->output_every,
                              def->checkpoint_every > 0 ? def->checkpoint_every : NC_RUN_DEFAULT_CHECKPOINT,
                              def->store};
    const nc_run_progress nothing = {.last_step = -1};
    nc_code code = nc_schema_create(run, err);
    if (code == NC_OK)
        code = nc_run_write_head(run, &head, err);
    if (code == NC_OK)
        code = nc_run_write_progress(run, &nothing, err);
    run->checkpoint_every = head.checkpoint_every;
    run->store = def->store;
    // The first frame, with all meshes and bodies and a checkpoint, is appended like any other.
    return code == NC_OK ? nc_run_append(run, model, NULL, 0, err) : code;
}

// Nobody sees the file yet, so it needs no log and no syncing until it is whole.
static nc_code make(nc_run *run, const char *name, const nc_run_def *def, nc_model model, nc_error *err)
{
    nc_code code = nc_sql_open(run, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, err);
    if (code == NC_OK)
        code = nc_sql_exec(run, "pragma journal_mode = memory; pragma synchronous = off", "creating", err);
    if (code == NC_OK)
        code = fill(run, def, model, err);
    nc_sql_close(run);
    return code;
}

static nc_code create(nc_run *run, const nc_run_def *def, nc_model model, nc_error *err)
{
    char name[PATH_MAX];
    nc_code code = nc_run_resolve(run, def->path, err);
    if (code == NC_OK)
        code = nc_run_lock(run, err);
    if (code == NC_OK)
        code = may_be_written(run, def->overwrite, err);
    if (code == NC_OK && !nc_run_sibling(run->path, "-new", name))
        code = nc_fail_at(err, NC_IO, run->path, 0, 0, "the file name is too long");
    if (code != NC_OK)
        return code;
    nc_run_remove(name);
    code = make(run, name, def, model, err);
    if (code == NC_OK)
        code = nc_run_publish(run, name, err);
    if (code != NC_OK)
        nc_run_remove(name);
    return code == NC_OK ? nc_run_connect_writer(run, false, err) : code;
}

nc_code nc_run_create(const nc_run_def *def, nc_model model, nc_run **out, nc_error *err)
{
    *out = NULL;
    nc_code code = check_def(def, model, err);
    if (code != NC_OK)
        return code;
    nc_run *run = nc_run_alloc(def->allocator, NC_RUN_APPEND);
    if (run == NULL)
        return nc_fail_memory(err, sizeof *run);
    code = create(run, def, model, err);
    if (code != NC_OK) {
        nc_run_free(run);
        return code;
    }
    *out = run;
    return NC_OK;
}
