// Reports as tables: what run files, sums and expectations iterate over.
#include "model/model.h"

#include "cloth/cloth.h"
#include "world/world.h"

nc_report_table nc_report_table_of(int table)
{
    nc_report_table out = {.offset = offsetof(nc_model_report, common)};
    if (table == 0) {
        out.rows = nc_report_rows(&out.count);
    } else {
        out.rows = nc_cloth_report_rows(&out.count);
        out.offset = offsetof(nc_model_report, cloth);
    }
    return out;
}

const void *nc_report_part(const nc_model_report *report, int table)
{
    return (const unsigned char *)report + nc_report_table_of(table).offset;
}

void *nc_report_part_to_fill(nc_model_report *report, int table)
{
    return (unsigned char *)report + nc_report_table_of(table).offset;
}

void nc_model_report_share(nc_model_report *report)
{
    const nc_step_report *from = &report->common;
    nc_cloth_report *to = &report->cloth;
    if (!report->has_cloth)
        return;
    to->frame = from->step;
    to->time = from->time;
    to->seconds_total = from->seconds_total;
    to->kinetic = from->kinetic;
    to->momentum = from->momentum;
    to->angular_momentum = from->angular_momentum;
}

void nc_model_report_add(nc_model_report *sum, const nc_model_report *next)
{
    for (int i = 0; i < nc_report_table_count(next->has_cloth); i++) {
        const nc_report_table table = nc_report_table_of(i);
        nc_report_add(table.rows, table.count, nc_report_part_to_fill(sum, i), nc_report_part(next, i));
    }
    nc_model_report_share(sum);
}
