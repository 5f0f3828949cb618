// The file that a worker leaves.
#define _XOPEN_SOURCE 700 // open_memstream
#include "study/study.h"

#include "io/io.h"
#include "reel/reel.h"

#include <stdlib.h>

static void print_value(nc_json *json, const char *name, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (text[0] == '\0')
        return;
    if (*end == '\0')
        nc_json_number(json, name, value);
    else
        nc_json_text(json, name, text);
}

static void print_result(nc_json *json, const nc_study *study, const nc_study_result *r,
                         char (*values)[NC_STUDY_VALUE_SIZE])
{
    nc_json_begin(json, NULL, '{');
    nc_json_text(json, "study", study->id);
    nc_json_whole(json, "number", r->number);
    nc_json_text(json, "status", r->failed ? "failed" : "done");
    if (r->hash[0] != '\0') {
        nc_json_text(json, "hash", r->hash);
        nc_json_whole(json, "steps", r->steps);
        nc_json_number(json, "time", r->time);
    }
    nc_json_number(json, "seconds", r->seconds);
    nc_json_number(json, "cpu_seconds", r->cpu_seconds);
    nc_json_number(json, "megabytes", r->megabytes);
    nc_json_whole(json, "attempts", r->attempts);
    nc_json_text(json, "host", r->host);
    nc_json_text(json, "finished", r->finished);
    nc_json_whole(json, "exit_code", r->exit_code);
    if (r->message[0] != '\0')
        nc_json_text(json, "message", r->message);
    nc_json_begin(json, "measurements", '{');
    for (int i = 0; i < study->measure_count; i++)
        print_value(json, study->measures[i].name, values[i]);
    nc_json_end(json, '}');
    nc_json_end(json, '}');
}

nc_code nc_study_write_result(const nc_study *study, const nc_study_result *result, char (*values)[NC_STUDY_VALUE_SIZE],
                              nc_error *err)
{
    char path[PATH_MAX], *text = NULL;
    size_t size = 0;
    nc_json json = {.out = open_memstream(&text, &size)};
    if (json.out == NULL)
        return nc_fail_memory(err, 1);
    print_result(&json, study, result, values);
    nc_code code = fclose(json.out) == 0 ? NC_OK : nc_fail_memory(err, size);
    nc_writer writer;
    if (code == NC_OK)
        code = nc_writer_open(&writer, nc_study_name(study, NC_STUDY_RESULT, result->number, path), NULL, err);
    if (code == NC_OK) {
        nc_writer_bytes(&writer, text, size);
        code = nc_writer_close(&writer, true, err);
    }
    free(text);
    return code;
}
