# Reads a .pvd and its .vtp files with VTK and compares them with the run: python3 read_vtk.py RUN PVD
import math
import os
import sqlite3
import sys
import xml.etree.ElementTree as xml

import vtk

run, pvd = sys.argv[1:]
db = sqlite3.connect(run)
db.row_factory = sqlite3.Row
times = dict(db.execute("select id, time from frame"))
frames = {}
for entry in xml.parse(pvd).getroot().iter("DataSet"):
    frames.setdefault(float(entry.get("timestep")), {})[entry.get("name")] = os.path.join(os.path.dirname(pvd), entry.get("file"))
assert sorted(frames) == sorted(times.values()), "times"


def read(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def column(data, name):
    array = data.GetArray(name)
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


contacts = 0
for frame, time in times.items():
    poses = {p["body"]: p for p in db.execute("select * from pose where frame = ?", (frame,))}
    data = read(frames[time]["bodies"])
    body = [int(b) for (b,) in column(data.GetCellData(), "body")]
    speed = [s for (s,) in column(data.GetCellData(), "speed")]
    assert set(body) == set(poses) and len(body) == data.GetNumberOfCells()
    for b, s in zip(body, speed):
        p = poses[b]
        assert s == math.sqrt(p["vx"] ** 2 + p["vy"] ** 2 + p["vz"] ** 2), (frame, b, s)
    assert data.GetFieldData().GetArray("TimeValue").GetTuple(0) == (time,)
    # every cell lies about the centre of its body
    for cell in range(0, data.GetNumberOfCells(), 7):
        bounds = data.GetCell(cell).GetBounds()
        p = poses[body[cell]]
        assert all(bounds[2 * k] - 8 < p["xyz"[k]] < bounds[2 * k + 1] + 8 for k in range(3))
    near = read(frames[time]["contacts"])
    a, b = column(near.GetPointData(), "body_a"), column(near.GetPointData(), "body_b")
    counted = {}
    for (i,), (j,) in zip(a, b):
        counted[i] = counted.get(i, 0) + 1
        counted[j] = counted.get(j, 0) + 1
    assert all(counted.get(i, 0) == n for i, (n,) in zip(body, column(data.GetCellData(), "contacts")))
    assert all(0 < d < 1 for (d,) in column(near.GetPointData(), "distance"))
    assert all(abs(math.hypot(*n) - 1) < 1e-9 for n in column(near.GetPointData(), "normal"))
    contacts += len(a)
assert contacts > 0
print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads {len(times)} frames with {contacts} contacts")
