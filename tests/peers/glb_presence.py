# Run by Blender: opens the sample that test_glb writes and counts the bodies that are shown at some frames.
# blender --background --factory-startup --python-exit-code 3 --python glb_presence.py -- FILE
import sys

import numpy

numpy.bool = bool  # Debian's add-on still uses the name that numpy 1.24 removed

import bpy

path = sys.argv[sys.argv.index("--") + 1]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.import_scene.gltf(filepath=path)

objects = [o for o in bpy.data.objects if o.type == "MESH"]
animated = [o for o in objects if o.animation_data and o.animation_data.action]
if len(objects) != 22 or len(animated) != 21:
    raise RuntimeError(f"{len(objects)} objects, {len(animated)} of them animated; wanted 22 and 21")

# One vanishes at frame 10, one appears at frame 20, one is away from 5 to 8.
for frame, wanted in ((0, 21), (4, 21), (6, 20), (9, 21), (12, 20), (19, 20), (21, 21), (47, 21)):
    bpy.context.scene.frame_set(frame)
    shown = sum(1 for o in objects if o.matrix_world.to_scale().length > 0.5)
    if shown != wanted:
        raise RuntimeError(f"frame {frame}: {shown} bodies are shown, wanted {wanted}")
print(f"nacre: Blender {bpy.app.version_string} shows every body of the sample when it is there")
