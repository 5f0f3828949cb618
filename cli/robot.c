// Notes on a robot, and its end.
#include "robot.h"

#include <string.h>

void nc_robot_free(nc_robot *robot)
{
    const nc_allocator *memory = &robot->xml.memory;
    nc_array_free(memory, &robot->links);
    nc_array_free(memory, &robot->joints);
    nc_array_free(memory, &robot->geometries);
    nc_array_free(memory, &robot->notes);
    nc_xml_free(&robot->xml);
}

nc_code nc_robot_note_at(nc_robot *robot, int element, nc_error *err, const char *format, ...)
{
    nc_robot_note note = {.element = element};
    va_list args;
    va_start(args, format);
    vsnprintf(note.text, sizeof note.text, format, args);
    va_end(args);
    return nc_array_push(&robot->xml.memory, &robot->notes, note) ? NC_OK : nc_fail_memory(err, sizeof note);
}

static nc_code note_attributes(nc_robot *robot, int element, nc_error *err)
{
    nc_code code = NC_OK;
    const nc_xml_element *e = &robot->xml.elements.data[element];
    for (int i = e->attributes; i < e->attributes + e->attribute_count && code == NC_OK; i++)
        if (!robot->xml.attributes.data[i].read && strncmp(robot->xml.attributes.data[i].name, "xmlns", 5) != 0)
            code = nc_robot_note_at(robot, element, err, "<%.64s> %.64s is not supported and left out", e->name,
                                    robot->xml.attributes.data[i].name);
    return code;
}

nc_code nc_robot_note_unread(nc_robot *robot, nc_error *err)
{
    nc_code code = NC_OK;
    for (int i = 0; i < robot->xml.elements.count && code == NC_OK; i++) {
        const nc_xml_element *e = &robot->xml.elements.data[i];
        if (e->read)
            code = note_attributes(robot, i, err);
        else if (robot->xml.elements.data[e->parent].read)
            code = nc_robot_note_at(robot, i, err, "<%.64s> in <%.64s> is not supported and left out", e->name,
                                    robot->xml.elements.data[e->parent].name);
    }
    return code;
}
