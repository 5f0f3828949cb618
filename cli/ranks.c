// `nacre run` as one rank of an MPI job.
#include "ranks.h"

#include "interrupt.h"
#include "nacre/drive.h"
#include "ranks_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How launchers tell a process that it is one of several: Open MPI; MPICH, Intel MPI and others of Hydra; Slurm's srun
// with PMIx or PMI-2. A batch job of Slurm has none of these.
static bool is_one_of_several(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    const char *wish = getenv("NACRE_RANKS");
    if (wish != NULL && strcmp(wish, "off") == 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL)
            return strtol(value, NULL, 10) > 1;
    }
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    return getenv("PMIX_RANK") != NULL && tasks != NULL && strtol(tasks, NULL, 10) > 1;
}

// The module beside the program, or where it is installed from there.
static void *load_module(void)
{
    static const char *const places[] = {"", "../lib/nacre/", "../lib64/nacre/"};
    char program[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    const int folder = slash != NULL ? (int)(slash + 1 - program) : 0;
    void *module = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && module == NULL; i++) {
        snprintf(path, sizeof path, "%.*s%s" NC_RANKS_MODULE, folder, program, places[i]);
        if (access(path, R_OK) == 0)
            module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // parts of Open MPI look for symbols of others
    }
    return module;
}

static void *find(void *module, const char *name)
{
    return dlsym(module, name);
}

nc_exit nc_ranks_open(double wait, nc_ranks *out)
{
    nc_error err = {0};
    *out = (nc_ranks){.exchange = {.count = 1}};
    if (!is_one_of_several())
        return NC_EXIT_DONE;
    out->module = load_module();
    nc_ranks_module_open open = NULL;
    void *symbol = out->module != NULL ? find(out->module, NC_RANKS_MODULE_OPEN) : NULL;
    memcpy(&open, &symbol, sizeof open); // a pointer to data as one to a function
    if (open == NULL)
        nc_fail(&err, NC_UNSUPPORTED,
                "this is one of several MPI ranks, and " NC_RANKS_MODULE " could not be loaded (%s). Build Nacre with "
                "MPI; NACRE_RANKS=off makes every rank run by itself",
                out->module == NULL ? "there is none beside the program" : "it is of another version");
    else
        (void)open(wait, &out->exchange, &err);
    if (err.code != NC_OK)
        return nc_complain(&err);
    if (out->exchange.rank > 0)
        nc_interrupt_ignore(); // rank 0 decides
    return NC_EXIT_DONE;
}

nc_exit nc_ranks_follow(const nc_ranks *ranks, int threads)
{
    nc_error err = {0};
    bool own = false;
    const nc_code code = nc_session_follow(&ranks->exchange, threads, NULL, &own, &err);
    if (code == NC_OK)
        return NC_EXIT_DONE;
    if (!own) // rank 0 says it
        return NC_EXIT_IO;
    char text[sizeof err.text];
    snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, err.text);
    (void)nc_fail(&err, code, "rank %d: %.700s", ranks->exchange.rank, text);
    return nc_complain(&err);
}

void nc_ranks_close(nc_ranks *ranks, nc_exit code)
{
    if (ranks->module == NULL)
        return;
    nc_ranks_module_close close = NULL;
    void *symbol = find(ranks->module, NC_RANKS_MODULE_CLOSE);
    memcpy(&close, &symbol, sizeof close);
    if (close != NULL)
        close((int)code);
    ranks->module = NULL; // it stays loaded: MPI may have handlers at the end of the process
}
