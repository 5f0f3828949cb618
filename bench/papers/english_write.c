// The paper's tables as Markdown, our figures beside the paper's.
#include "bench/papers/english.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// "12.3 ms", "1.70 s", "0.600 ms"; "-" when it is not known.
static const char *time_text(double seconds, char *out, size_t size)
{
    if (!(seconds > 0))
        snprintf(out, size, "-");
    else if (seconds < 1)
        snprintf(out, size, "%.3g ms", 1e3 * seconds);
    else
        snprintf(out, size, "%.3g s", seconds);
    return out;
}

// Ours, and the paper's in brackets where it has one.
static void write_time(FILE *file, double ours, double paper)
{
    char text[2][32];
    fprintf(file, " %s", time_text(ours, text[0], sizeof text[0]));
    if (paper > 0)
        fprintf(file, " (%s)", time_text(paper, text[1], sizeof text[1]));
    fputs(" |", file);
}

static void write_distance(FILE *file, double metres)
{
    if (isfinite(metres))
        fprintf(file, " %.3g m |", metres);
    else
        fputs(" none near |", file);
}

static void write_heads(FILE *file, const nc_english_table *table, const char *rest)
{
    int columns = 0;
    for (int i = 0; i < 2 && table->heads[i] != NULL; i++, columns++)
        fprintf(file, "| %s ", table->heads[i]);
    fprintf(file, "| %s |\n|", rest);
    for (const char *c = rest; *c != '\0'; c++)
        columns += *c == '|';
    for (int i = 0; i <= columns; i++)
        fputs(" --- |", file);
    fputc('\n', file);
}

static void write_cells(FILE *file, const nc_english_row *row)
{
    fputc('|', file);
    for (int i = 0; i < 2 && row->cell[i] != NULL; i++)
        fprintf(file, " %s |", row->cell[i]);
}

// ---- layouts ------------------------------------------------------------------------------------------------

static void write_examples(FILE *file, const nc_english_table *table, const nc_english_run *runs)
{
    write_heads(file, table,
                "Bodies | Steps | Time per Step | Collisions/Dynamic Contact: Detection | Response | "
                "Static Contact: Detection | Response | Memory | Smallest distance | Intersecting pairs at the end");
    for (int i = 0; i < table->row_count; i++) {
        const nc_english_run *run = &runs[i];
        const nc_english_times ours = nc_english_measured(run), paper = table->rows[i].paper;
        char memory[32];
        write_cells(file, &table->rows[i]);
        fprintf(file, " %d | %d |", run->bodies, (int)run->steps.steps);
        write_time(file, ours.step, paper.step);
        write_time(file, ours.swept, paper.swept);
        write_time(file, ours.respond, paper.respond);
        write_time(file, ours.near_pairs, paper.near_pairs);
        write_time(file, ours.solve, paper.solve);
        fprintf(file, " %s |", nc_size_text(run->bytes, memory, sizeof memory));
        write_distance(file, nc_bench_total(&run->steps, "smallest_distance"));
        fprintf(file, " %d |\n", run->end.in_static + run->end.in_dynamic);
    }
}

static void write_times(FILE *file, const nc_english_table *table, const nc_english_run *runs)
{
    write_heads(file, table,
                "Bodies | Steps | Time per Step | Memory | Collisions | Not solved to tolerance | Sticks and halts | "
                "Smallest distance | Intersecting pairs at the end");
    for (int i = 0; i < table->row_count; i++) {
        const nc_english_run *run = &runs[i];
        const nc_bench_steps *s = &run->steps;
        char memory[32];
        write_cells(file, &table->rows[i]);
        fprintf(file, " %d | %d |", run->bodies, (int)s->steps);
        write_time(file, nc_english_measured(run).step, table->rows[i].paper.step);
        fprintf(file, " %s | %.0f | %.0f | %.0f |", nc_size_text(run->bytes, memory, sizeof memory),
                nc_bench_total(s, "collisions"), nc_bench_total(s, "unconverged"),
                nc_bench_total(s, "sticks") + nc_bench_total(s, "halts"));
        write_distance(file, nc_bench_total(s, "smallest_distance"));
        fprintf(file, " %d |\n", run->end.in_static + run->end.in_dynamic);
    }
}

static void write_failsafes(FILE *file, const nc_english_table *table, const nc_english_run *runs)
{
    write_heads(file, table,
                "Bodies | Steps | Motion kept | Kinematic clusters | Full clusters | Sticks | Halts | Time per Step | "
                "Intersecting pairs at the end");
    for (int i = 0; i < table->row_count; i++) {
        const nc_english_run *run = &runs[i];
        const nc_bench_steps *s = &run->steps;
        const double kept = nc_bench_total(s, "kept_motion"), wanted = nc_bench_total(s, "wanted_motion");
        write_cells(file, &table->rows[i]);
        fprintf(file, " %d | %d | %.2f %% | %.0f | %.0f | %.0f | %.0f |", run->bodies, (int)s->steps,
                wanted > 0 ? 100 * kept / wanted : 100, nc_bench_total(s, "kinematic_clusters"),
                nc_bench_total(s, "full_clusters"), nc_bench_total(s, "sticks"), nc_bench_total(s, "halts"));
        write_time(file, nc_english_measured(run).step, 0);
        fprintf(file, " %d |\n", run->end.in_static + run->end.in_dynamic);
    }
}

nc_code nc_english_write(const nc_english_table *table, const nc_english_run *runs, const char *folder,
                         const char *limits, nc_error *err)
{
    char path[1100];
    snprintf(path, sizeof path, "%.1000s/%s", folder, table->file);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    const nc_machine machine = nc_this_machine();
    fprintf(
        file,
        "%s%s\nMeasured by `nacre bench english` on %s (%d cores, one thread used, %s), nacre %s; processor time.\n\n",
        table->about, limits, machine.processor, machine.cores, machine.system, nc_version());
    if (table->layout == NC_ENGLISH_EXAMPLES)
        write_examples(file, table, runs);
    else if (table->layout == NC_ENGLISH_TIMES)
        write_times(file, table, runs);
    else
        write_failsafes(file, table, runs);
    const bool broken = ferror(file) != 0;
    return fclose(file) == 0 && !broken ? NC_OK : nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
}
