// Stepping a world and adding up what its reports say; the memory it holds.
#include "bench/world.h"

#include "world/world.h"

#include <math.h>
#include <string.h>

// ---- memory -------------------------------------------------------------------------------------------------

static void *count_resize(void *ctx, void *ptr, size_t old_size, size_t new_size)
{
    nc_bench_memory *memory = ctx;
    const nc_allocator plain = nc_allocator_default();
    void *result = plain.resize(plain.ctx, ptr, old_size, new_size);
    if (result == NULL && new_size > 0)
        return NULL;
    memory->now += new_size - old_size;
    memory->peak = memory->now > memory->peak ? memory->now : memory->peak;
    return result;
}

nc_allocator nc_bench_memory_allocator(nc_bench_memory *memory)
{
    return (nc_allocator){count_resize, memory};
}

// ---- columns ------------------------------------------------------------------------------------------------

enum {
#define NC_REPORT(name, ...) COLUMN_##name,
#include "nacre/report.def"
    COLUMNS
};
_Static_assert((int)COLUMNS <= NC_BENCH_MAX_COLUMNS, "room for every column");

static void add_report(nc_bench_steps *steps, const nc_step_report *report)
{
    int count;
    const nc_report_field *columns = nc_report_rows(&count);
    for (int i = 0; i < count; i++) {
        const double value = nc_field_value(&columns[i], report);
        const nc_field_rule rule = columns[i].rule;
        double *total = &steps->totals[i];
        // the total before has this step
        const bool is_new = i > 0 && nc_field_value(&columns[i - 1], report) >= steps->totals[i - 1];
        if (steps->steps == 0 || rule == NC_FIELD_LAST || (rule == NC_FIELD_WITH && is_new))
            *total = value;
        else if (rule == NC_FIELD_SUM)
            *total += value;
        else if (rule == NC_FIELD_LEAST)
            *total = fmin(*total, value);
        else if (rule == NC_FIELD_MOST)
            *total = fmax(*total, value);
    }
    steps->steps++;
}

double nc_bench_total(const nc_bench_steps *steps, const char *column)
{
    int count;
    const nc_report_field *columns = nc_report_rows(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, column) == 0)
            return steps->totals[i];
    return NAN;
}

const char *nc_bench_phase(int index)
{
    int count;
    const nc_report_field *columns = nc_report_rows(&count);
    for (int i = 0; i < count; i++) {
        const bool is_phase =
            strncmp(columns[i].name, "seconds_", 8) == 0 && strcmp(columns[i].name, "seconds_total") != 0;
        if (is_phase && index-- == 0)
            return columns[i].name;
    }
    return NULL;
}

// ---- stepping -----------------------------------------------------------------------------------------------

nc_code nc_bench_step(nc_world *world, double dt, int64_t count, nc_bench_watch watch, void *ctx, nc_bench_steps *out,
                      nc_error *err)
{
    nc_code code = NC_OK;
    memset(out, 0, sizeof *out);
    nc_progress progress = nc_progress_start(false, 0, count);
    while (out->steps < count && code == NC_OK) {
        nc_step_report report = {0};
        const double cpu = nc_cpu_clock(), wall = nc_clock();
        code = nc_world_step(world, dt, &report, err);
        out->cpu += nc_cpu_clock() - cpu;
        out->wall += nc_clock() - wall;
        if (code != NC_OK)
            break;
        add_report(out, &report);
        if (watch != NULL)
            watch(&report, ctx);
        progress.seconds[NC_PHASE_COLLIDE] += report.seconds_collide;
        progress.seconds[NC_PHASE_PREDICT] += report.seconds_predict;
        progress.seconds[NC_PHASE_SEPARATE] += report.seconds_separate;
        progress.seconds[NC_PHASE_SETTLE] += report.seconds_settle;
        progress.seconds[NC_PHASE_COMMIT] += report.seconds_commit;
        nc_progress_update(&progress, out->steps, report.bodies);
    }
    nc_progress_clear(&progress);
    return code;
}
