// A list of facts, printed as lines of text or as one JSON object: what `nacre info` prints.
#ifndef NC_CLI_INFO_H
#define NC_CLI_INFO_H

#include "cli.h"

typedef struct nc_facts {
    bool as_json;
    nc_json json;
} nc_facts;

// `key` is the JSON key; text shows it with spaces for underscores. `unit` may be "".
void nc_facts_begin(nc_facts *facts, bool as_json);
void nc_facts_end(nc_facts *facts);
void nc_fact_text(nc_facts *facts, const char *key, const char *value);
void nc_fact_whole(nc_facts *facts, const char *key, int64_t value);
void nc_fact_number(nc_facts *facts, const char *key, double value, const char *unit);
void nc_fact_flag(nc_facts *facts, const char *key, bool value);
void nc_fact_hash(nc_facts *facts, const char *key, uint64_t value);
void nc_fact_vec3(nc_facts *facts, const char *key, nc_vec3 value, const char *unit);
void nc_fact_size(nc_facts *facts, const char *key, int64_t bytes);

// One each of the three kinds of files.
nc_exit nc_info_mesh(nc_facts *facts, const char *path);
nc_exit nc_info_scene(nc_facts *facts, const char *path, const nc_words *overrides);
nc_exit nc_info_run(nc_facts *facts, const char *path, bool verify);

#endif
