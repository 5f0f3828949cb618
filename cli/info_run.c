// nacre info of a run file.
#include "info.h"

#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_run(nc_facts *facts, const char *path, const nc_run_info *info)
{
    nc_fact_text(facts, "kind", "run");
    nc_fact_text(facts, "file", path);
    nc_fact_text(facts, "title", info->title);
    nc_fact_text(facts, "scene", info->scene_path);
    nc_fact_whole(facts, "format_version", info->format_version);
    nc_fact_flag(facts, "finished", info->finished);
    nc_fact_text(facts, "pipeline", info->pipeline);
    nc_fact_number(facts, "timestep", info->timestep, "s");
    nc_fact_whole(facts, "steps", info->last_step);
    nc_fact_whole(facts, "steps_wanted", info->steps_wanted);
    nc_fact_whole(facts, "steps_a_frame", info->output_every);
    nc_fact_whole(facts, "frames", info->frame_count);
    nc_fact_whole(facts, "last_checkpoint", info->checkpoint_step);
    nc_fact_whole(facts, "events", info->event_count);
    nc_fact_whole(facts, "bodies", info->body_count);
    nc_fact_whole(facts, "meshes", info->mesh_count);
    nc_fact_size(facts, "file_size", info->file_size);
}

static nc_code print_last_frame(nc_facts *facts, nc_run *run, int64_t frame, nc_error *err)
{
    nc_run_frame last = {0};
    nc_model_report report;
    nc_code code = nc_run_read_frame(run, frame, &last, err);
    if (code == NC_OK)
        code = nc_run_read_report(run, frame, &report, err);
    if (code == NC_OK) {
        nc_fact_number(facts, "time", last.time, "s");
        nc_fact_number(facts, "kinetic", report.common.kinetic, "J");
        nc_fact_number(facts, "potential", report.common.potential, "J");
        nc_fact_hash(facts, "hash", last.hash);
    }
    nc_run_frame_free(run, &last);
    return code;
}

// The rows of a table of a summary that are reported.
static void print_summary(nc_facts *facts, const nc_run_summary *s, int wanted)
{
    nc_report_field field;
    for (int i = 0, table = 0; (field = nc_run_summary_field(i, &table)).name != NULL; i++) {
        const double value = nc_field_value(&field, s);
        if (field.use != NC_FIELD_SUMMARY || table != wanted)
            continue;
        if (nc_field_is_whole(&field))
            nc_fact_whole(facts, field.name, nc_field_whole(&field, s));
        // Nothing to tell of a run without steps, or in which no two bodies came near each other.
        else if (field.rule != NC_FIELD_LEAST || (value >= 0 && !isinf(value)))
            nc_fact_number(facts, field.name, value, field.unit);
    }
}

// What the penalty layers of cloth did over the whole run.
static void print_layers(nc_facts *facts, const nc_run_summary *s)
{
    nc_fact_whole(facts, "vertices", s->vertices);
    nc_fact_whole(facts, "elastic_events", s->gravity_events + s->stretch_events + s->bend_events);
    print_summary(facts, s, 1);
    if (s->smallest_step > 0)
        nc_fact_number(facts, "smallest_step", s->smallest_step, "s");
    if (s->contact_distance >= 0 && !isinf(s->contact_distance))
        nc_fact_number(facts, "smallest_distance", s->contact_distance, "m");
    nc_fact_number(facts, "seconds_of_work", s->seconds_total, "s");
}

// What contact did over the whole run.
static nc_code print_contact(nc_facts *facts, nc_run *run, int64_t frames, nc_error *err)
{
    nc_model_report report;
    nc_code code = nc_run_read_report(run, 0, &report, err);
    nc_run_summary sum = nc_run_summary_start(&report);
    for (int64_t frame = 1; frame < frames && code == NC_OK; frame++) {
        code = nc_run_read_report(run, frame, &report, err);
        if (code == NC_OK)
            nc_run_summary_add(&sum, &report);
    }
    if (code == NC_OK && sum.has_cloth)
        print_layers(facts, &sum);
    else if (code == NC_OK)
        print_summary(facts, &sum, 0);
    return code;
}

#define FRACTURES_LISTED 20 // as text; JSON has them all

static void print_fracture_json(nc_json *json, const nc_run_fracture *f)
{
    nc_json_begin(json, NULL, '{');
    nc_json_whole(json, "step", f->step);
    nc_json_whole(json, "frame", f->frame);
    nc_json_whole(json, "body", f->body);
    nc_json_text(json, "name", f->name);
    nc_json_number(json, "impulse", f->impulse);
    nc_json_number(json, "threshold", f->threshold);
    nc_json_vec3(json, "place", f->place);
    nc_json_vec3(json, "normal", f->normal);
    nc_json_text(json, "pattern", f->pattern);
    nc_json_whole(json, "pieces", f->pieces);
    nc_json_text(json, "reason", f->reason);
    nc_json_end(json, '}');
}

static void print_fracture(const nc_run_fracture *f)
{
    const char *name = f->name[0] != '\0' ? f->name : "a body without a name";
    printf("step %" PRId64 ": %s, hit by %.6g N s (threshold %.6g N s) at (%.6g, %.6g, %.6g) along (%.3g, %.3g, %.3g)",
           f->step, name, f->impulse, f->threshold, f->place.x, f->place.y, f->place.z, f->normal.x, f->normal.y,
           f->normal.z);
    if (f->pieces > 0)
        printf(", broke into %d pieces by %s\n", f->pieces, f->pattern[0] != '\0' ? f->pattern : "a pattern of meshes");
    else
        printf(", stayed whole: %s\n", f->reason);
}

// What broke, one by one.
static nc_code print_fractures(nc_facts *facts, nc_run *run, int64_t count, nc_error *err)
{
    nc_code code = NC_OK;
    if (facts->as_json)
        nc_json_begin(&facts->json, "fracture_list", '[');
    for (int64_t i = 0; i < count && code == NC_OK && (facts->as_json || i < FRACTURES_LISTED); i++) {
        nc_run_fracture fracture;
        code = nc_run_read_fracture(run, i, &fracture, err);
        if (code == NC_OK && facts->as_json)
            print_fracture_json(&facts->json, &fracture);
        else if (code == NC_OK)
            print_fracture(&fracture);
    }
    if (facts->as_json)
        nc_json_end(&facts->json, ']');
    else if (count > FRACTURES_LISTED)
        printf("%" PRId64 " more: see --json, or the table fracture of the run file\n", count - FRACTURES_LISTED);
    return code;
}

nc_exit nc_info_run(nc_facts *facts, const char *path, bool verify)
{
    nc_error err = {0};
    nc_run *run = NULL;
    nc_run_info info = {0};
    nc_code code = nc_run_open(path, NC_RUN_READ, NULL, &run, &err);
    if (code == NC_OK)
        code = nc_run_read_info(run, &info, &err);
    if (code == NC_OK && verify)
        code = nc_run_verify(run, &err);
    if (code == NC_OK) {
        nc_facts_begin(facts, facts->as_json);
        print_run(facts, path, &info);
        if (verify)
            nc_fact_flag(facts, "verified", true);
        if (info.frame_count > 0)
            code = print_last_frame(facts, run, info.frame_count - 1, &err);
        if (code == NC_OK && info.frame_count > 0)
            code = print_contact(facts, run, info.frame_count, &err);
        if (code == NC_OK)
            code = print_fractures(facts, run, info.fracture_count, &err);
        nc_facts_end(facts);
    }
    if (run != NULL)
        nc_run_close(run, NULL);
    return code == NC_OK ? NC_EXIT_DONE : nc_complain(&err);
}
