// Joints of a world: made, read, driven, destroyed.
#include "core.h"

#include <stdlib.h>

#define ID          "(II)"
#define INTO_ID(id) &(id).index, &(id).generation
#define VEC         "(ddd)"
#define INTO_VEC(v) &(v).x, &(v).y, &(v).z

static PyObject *joint_id(nc_joint_id id)
{
    return Py_BuildValue(ID, id.index, id.generation);
}

static PyObject *six(const double numbers[6])
{
    return Py_BuildValue("(dddddd)", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
}

// joints() -> [joint, ...], broken ones included
static PyObject *joints(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_world *rigid = core_world_rigid((core_world *)self);
    if (rigid == NULL)
        return NULL;
    const int count = nc_world_joint_count(rigid);
    nc_joint_id *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL)
        return PyErr_NoMemory();
    nc_world_joints(rigid, ids, count);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k, joint_id(ids[k]));
    free(ids);
    return list;
}

// find_joint(name) -> joint, or None
static PyObject *find_joint(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    const char *name;
    if (rigid == NULL || !PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const nc_joint_id id = nc_world_find_joint(rigid, name);
    if (id.generation == 0)
        Py_RETURN_NONE;
    return joint_id(id);
}

// read_joint(joint) -> (name, kind, a, b, broken, anchor_a, anchor_b, axis, position, velocity, force, torque,
// drive_force, error, error_angle)
static PyObject *read_joint(PyObject *self, PyObject *args)
{
    const nc_world *rigid = core_world_rigid((core_world *)self);
    nc_joint_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_joint_state s;
    nc_error err = {0};
    const nc_code code = nc_joint_read(rigid, id, &s, &err);
    if (code != NC_OK)
        return core_raise(code, &err);
    return Py_BuildValue("(ss" ID ID "NNNNNNNNNdd)", nc_joint_name(rigid, id), nc_joint_kind_names[s.kind],
                         s.body_a.index, s.body_a.generation, s.body_b.index, s.body_b.generation,
                         PyBool_FromLong(s.broken), core_vec3(s.anchor_a), core_vec3(s.anchor_b), core_vec3(s.axis),
                         six(s.position), six(s.velocity), core_vec3(s.force), core_vec3(s.torque), six(s.drive_force),
                         s.error, s.error_angle);
}

// An axis from (locked, limited, lower, upper, restitution, friction, stiffness, damping, rest).
static bool take_axis(PyObject *rows, int k, nc_joint_axis *axis)
{
    PyObject *row = core_row(rows, k);
    int locked, limited;
    if (row == NULL ||
        !PyArg_ParseTuple(row, "ppddddddd", &locked, &limited, &axis->lower, &axis->upper, &axis->restitution,
                          &axis->friction, &axis->stiffness, &axis->damping, &axis->rest))
        return false;
    axis->locked = locked != 0;
    axis->limited = limited != 0;
    return true;
}

// create_joint(kind, name, a, b, anchor, anchor_b, axis, axis_y, lengths, axes, joint_1, joint_2, ratio, break_force,
// break_torque, collide, breaks) -> joint; kinds, `collide` and `breaks` by their numbers in nacre/joint.h
static PyObject *create_joint(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    PyObject *axes;
    int kind, collide, breaks;
    nc_joint_def def = nc_joint_def_default(NC_JOINT_HINGE);
    if (rigid == NULL ||
        !PyArg_ParseTuple(args, "iz" ID ID VEC VEC VEC VEC "(dd)O!" ID ID "dddii", &kind, &def.name,
                          INTO_ID(def.body_a), INTO_ID(def.body_b), INTO_VEC(def.anchor), INTO_VEC(def.anchor_b),
                          INTO_VEC(def.axis), INTO_VEC(def.axis_y), &def.length_min, &def.length_max, &PyTuple_Type,
                          &axes, INTO_ID(def.joint_1), INTO_ID(def.joint_2), &def.ratio, &def.break_force,
                          &def.break_torque, &collide, &breaks))
        return NULL;
    def.kind = (nc_joint_kind)kind;
    def.collide = (nc_joint_collide)collide;
    def.breaks = (nc_joint_breaking)breaks;
    for (int k = 0; k < 6; k++)
        if (!take_axis(axes, k, &def.axes[k]))
            return NULL;
    nc_joint_id id;
    nc_error err = {0};
    const nc_code code = nc_joint_create(rigid, &def, &id, &err);
    return code == NC_OK ? joint_id(id) : core_raise(code, &err);
}

static PyObject *destroy_joint(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_joint_id id;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID, INTO_ID(id)))
        return NULL;
    nc_error err = {0};
    return core_none_or_raise(nc_joint_destroy(rigid, id, &err), &err);
}

static nc_drive_key *take_keys(PyObject *rows, int *count)
{
    *count = (int)PyTuple_Size(rows);
    nc_drive_key *keys = calloc((size_t)*count + 1, sizeof *keys);
    if (keys == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int k = 0; k < *count; k++) {
        PyObject *row = core_row(rows, k);
        if (row == NULL || !PyArg_ParseTuple(row, "dd", &keys[k].time, &keys[k].value)) {
            free(keys);
            return NULL;
        }
    }
    return keys;
}

// set_drive(joint, axis, mode, target, amplitude, frequency, phase, stiffness, damping, max_force, keys)
static PyObject *set_drive(PyObject *self, PyObject *args)
{
    nc_world *rigid = core_world_rigid((core_world *)self);
    nc_joint_id id;
    nc_joint_drive drive = {0};
    int axis, mode;
    PyObject *rows;
    if (rigid == NULL || !PyArg_ParseTuple(args, ID "iidddddddO!", INTO_ID(id), &axis, &mode, &drive.target,
                                           &drive.amplitude, &drive.frequency, &drive.phase, &drive.stiffness,
                                           &drive.damping, &drive.max_force, &PyTuple_Type, &rows))
        return NULL;
    nc_drive_key *keys = take_keys(rows, &drive.key_count);
    if (keys == NULL)
        return NULL;
    drive.mode = (nc_drive_mode)mode;
    drive.keys = drive.key_count > 0 ? keys : NULL;
    nc_error err = {0};
    const nc_code code = nc_joint_set_drive(rigid, id, axis, &drive, &err);
    free(keys);
    return core_none_or_raise(code, &err);
}

// joint_breaks() -> [(joint, step, time, force, torque, name), ...]
static PyObject *joint_breaks(PyObject *self, PyObject *unused)
{
    (void)unused;
    const nc_world *rigid = core_world_rigid((core_world *)self);
    if (rigid == NULL)
        return NULL;
    const int count = nc_world_joint_breaks(rigid, NULL, 0);
    nc_joint_break *rows = calloc((size_t)count + 1, sizeof *rows);
    if (rows == NULL)
        return PyErr_NoMemory();
    nc_world_joint_breaks(rigid, rows, count);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++)
        PyList_SetItem(list, k,
                       Py_BuildValue("(NLddds)", joint_id(rows[k].joint), (long long)rows[k].step, rows[k].time,
                                     rows[k].force, rows[k].torque, rows[k].name));
    free(rows);
    return list;
}

PyMethodDef core_joint_methods[] = {
    {"joints", joints, METH_NOARGS, NULL},
    {"find_joint", find_joint, METH_VARARGS, NULL},
    {"read_joint", read_joint, METH_VARARGS, NULL},
    {"create_joint", create_joint, METH_VARARGS, NULL},
    {"destroy_joint", destroy_joint, METH_VARARGS, NULL},
    {"set_drive", set_drive, METH_VARARGS, NULL},
    {"joint_breaks", joint_breaks, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
