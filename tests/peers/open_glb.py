# Run by Blender: opens a .glb, counts meshes placed and nodes animated, and looks whether they move.
# blender --background --factory-startup --python-exit-code 3 --python open_glb.py -- FILE OBJECTS ANIMATED
import sys

import numpy

numpy.bool = bool  # Debian's add-on still uses the name that numpy 1.24 removed

import bpy

path, objects_wanted, animated_wanted = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=path)

objects = [o for o in bpy.data.objects if o.type == "MESH"]
animated = [o for o in bpy.data.objects if o.animation_data and o.animation_data.action]
if len(objects) != int(objects_wanted):
    raise RuntimeError(f"{len(objects)} objects, wanted {objects_wanted}")
if len(animated) != int(animated_wanted):
    raise RuntimeError(f"{len(animated)} animated nodes, wanted {animated_wanted}")

scene = bpy.context.scene
ends = [int(o.animation_data.action.frame_range[1]) for o in animated]
scene.frame_set(0)
start = [o.matrix_world.copy() for o in animated]
scene.frame_set(max(ends))
still = [o.name for o, m in zip(animated, start) if (o.matrix_world.translation - m.translation).length < 0.1]
if still:
    raise RuntimeError(f"animated, but they do not move: {still}")
print(f"nacre: Blender {bpy.app.version_string} opens {len(objects)} objects, {len(animated)} of them moving")
