# Run by Blender: opens a .glb of cloth and compares where its vertices are, frame by frame, with OBJ files of the same run.
# blender --background --factory-startup --python-exit-code 3 --python cloth_glb.py -- FILE.glb OBJECT FRAME.obj...
import sys

import numpy

numpy.bool = bool  # Debian's add-on still uses the name that numpy 1.24 removed

import bpy

path, name, *frames = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.import_scene.gltf(filepath=path)
cloth = bpy.data.objects[name]


def read_obj(file):
    """The vertices of the object, in Blender's axes (z up)."""
    found, inside = [], False
    for line in open(file, encoding="utf-8"):
        words = line.split()
        if words[:1] == ["o"]:
            inside = words[1] == name
        elif inside and words[:1] == ["v"]:
            x, y, z = map(float, words[1:])
            found.append((x, -z, y))
    return found


def shown():
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [tuple(cloth.matrix_world @ v.co) for v in mesh.vertices]


start = read_obj(frames[0])
moved = 0
for number, file in enumerate(frames):
    bpy.context.scene.frame_set(number)
    wanted, got = read_obj(file), shown()
    if len(wanted) != len(got):
        raise RuntimeError(f"frame {number}: {len(got)} vertices, wanted {len(wanted)}")
    for i, (a, b) in enumerate(zip(wanted, got)):
        off = max(abs(p - q) for p, q in zip(a, b))
        if off > 1e-5:
            raise RuntimeError(f"frame {number}: vertex {i} is at {b}, wanted {a}")
        moved = max(moved, max(abs(p - q) for p, q in zip(a, start[i])))
if moved < 0.1:
    raise RuntimeError(f"nothing moves: {moved} m at most")
print(f"nacre: Blender {bpy.app.version_string} shows {len(frames)} frames of {name}; it moves by up to {moved:.2f} m")
