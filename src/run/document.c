// The columns of `report` and `cloth` as tables of docs/run-file.md.
#include "run/run.h"

#include <stdio.h>
#include <string.h>

static bool put_row(nc_buffer *out, const nc_report_field *row)
{
    static const char *const rules[NC_FIELD_RULES] = {"of the first", "of the last", "sum",
                                                      "least",        "most",        "of the step with the most"};
    char text[512];
    const char *unit = strcmp(row->unit, "1") == 0 ? "" : row->unit;
    const int size = snprintf(text, sizeof text, "| `%s` | %s | %s | %s%s |\n", row->name, unit, rules[row->rule],
                              row->about, row->kind == NC_FIELD_FAR ? ": NULL" : "");
    return size >= 0 && (size_t)size < sizeof text && nc_buffer_append(out, text, (size_t)size);
}

bool nc_run_write_column_table(nc_buffer *out, int table)
{
    static const char head[] = "| column | unit | over the steps of the frame | meaning |\n| --- | --- | --- | --- |\n";
    const nc_report_table rows = nc_report_table_of(table);
    bool ok = nc_buffer_append(out, head, strlen(head));
    for (int i = 0; i < rows.count && ok; i++)
        ok = put_row(out, &rows.rows[i]);
    return ok;
}
