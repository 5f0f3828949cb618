// How bodies look: colours and materials by their names.
#include "core.h"

bool core_appearance(const char *color, const char *material, nc_appearance *out)
{
    *out = (nc_appearance){0};
    if (color != NULL && !nc_color_read(color, out->color)) {
        PyErr_Format(PyExc_ValueError, "the colour is '%s'; a name of nacre.colors() or #rrggbb is expected", color);
        return false;
    }
    out->has_color = color != NULL;
    out->material = (uint8_t)nc_material_find(material);
    if (material[0] != '\0' && out->material == NC_MATERIAL_NONE) {
        PyErr_Format(PyExc_ValueError, "the material is '%s'; a name of nacre.materials() is expected", material);
        return false;
    }
    return true;
}

PyObject *core_color(const nc_appearance *appearance)
{
    if (!appearance->has_color)
        Py_RETURN_NONE;
    char text[8];
    nc_color_print(appearance->color, text);
    return PyUnicode_FromString(text);
}

// [(name, "#rrggbb"), ...]
static PyObject *colors(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    int count = 0;
    const nc_color_name *rows = nc_color_list(&count);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k, Py_BuildValue("(ss)", rows[k].name, rows[k].color));
    return list;
}

// [(name, color, roughness, metallic, transmission, sheen, about), ...]
static PyObject *materials(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(NC_MATERIAL_COUNT - 1);
    for (int k = 1; list != NULL && k < NC_MATERIAL_COUNT; k++) {
        const nc_material_info *m = nc_material_view(k);
        PyList_SetItem(list, k - 1,
                       Py_BuildValue("(ssdddds)", m->name, m->color, m->roughness, m->metallic, m->transmission,
                                     m->sheen, m->about));
    }
    return list;
}

PyMethodDef core_look_functions[] = {
    {"colors", colors, METH_NOARGS, NULL},
    {"materials", materials, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
