// A list of facts, printed as lines of text or as one JSON object.
#include "info.h"

#include <inttypes.h>

void nc_facts_begin(nc_facts *facts, bool as_json)
{
    *facts = (nc_facts){.as_json = as_json, .json = {.out = stdout}};
    if (as_json)
        nc_json_begin(&facts->json, NULL, '{');
}

void nc_facts_end(nc_facts *facts)
{
    if (facts->as_json)
        nc_json_end(&facts->json, '}');
}

// "smallest_edge" as "smallest edge", padded to one column.
static void print_key(const char *key)
{
    int width = 0;
    for (; key[width] != '\0'; width++)
        putchar(key[width] == '_' ? ' ' : key[width]);
    printf("%*s", width < 20 ? 20 - width : 1, "");
}

void nc_fact_text(nc_facts *facts, const char *key, const char *value)
{
    if (facts->as_json) {
        nc_json_text(&facts->json, key, value);
        return;
    }
    print_key(key);
    printf("%s\n", value);
}

void nc_fact_whole(nc_facts *facts, const char *key, int64_t value)
{
    if (facts->as_json) {
        nc_json_whole(&facts->json, key, value);
        return;
    }
    print_key(key);
    printf("%" PRId64 "\n", value);
}

void nc_fact_number(nc_facts *facts, const char *key, double value, const char *unit)
{
    if (facts->as_json) {
        nc_json_number(&facts->json, key, value);
        return;
    }
    print_key(key);
    printf("%.9g%s%s\n", value, unit[0] != '\0' ? " " : "", unit);
}

void nc_fact_flag(nc_facts *facts, const char *key, bool value)
{
    if (facts->as_json)
        nc_json_flag(&facts->json, key, value);
    else
        nc_fact_text(facts, key, value ? "yes" : "no");
}

void nc_fact_hash(nc_facts *facts, const char *key, uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    nc_fact_text(facts, key, text);
}

void nc_fact_vec3(nc_facts *facts, const char *key, nc_vec3 value, const char *unit)
{
    if (facts->as_json) {
        nc_json_vec3(&facts->json, key, value);
        return;
    }
    print_key(key);
    printf("(%.9g, %.9g, %.9g)%s%s\n", value.x, value.y, value.z, unit[0] != '\0' ? " " : "", unit);
}

void nc_fact_size(nc_facts *facts, const char *key, int64_t bytes)
{
    char text[32];
    if (facts->as_json)
        nc_json_whole(&facts->json, key, bytes);
    else
        nc_fact_text(facts, key, nc_size_text((double)bytes, text, sizeof text));
}
